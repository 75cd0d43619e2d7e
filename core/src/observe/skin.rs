//! A render mesh that follows a body, frame after frame.

mod bind;

use crate::describe::error::Error;
use crate::describe::ids::BodyId;
use crate::describe::mesh::Mesh;
use crate::describe::positions::{check_positions, plain, plain_mut};
use crate::observe::normals::Normals;
use crate::plan::Plan;
use bind::bonds;
use glam::Vec3;
use seidel_kernels::{Isa, render};

/// A render mesh bound to a simulated one.
///
/// Each vertex keeps its place on a triangle (barycentric coordinates) and its distance along the interpolated normal
/// (`kernels/src/render/skin.rs` has the equation). Finer than the simulated mesh, thicker, or wider: at rest it is
/// where it was.
///
/// # Example
/// ```
/// use seidel::{Cloth, Input, Mesh, Scene, Solver, glam::Vec3, render::Skin};
/// let (mut scene, grid) = (Scene::new(), |n| Cloth::grid([n, n], [1.0, 1.0]));
/// let cloth = scene.add(grid(20));
/// let mut solver = Solver::new(&scene)?;
/// let fine: Mesh = grid(200).mesh().clone();
/// let mut skin = Skin::bind(solver.plan(), cloth, &fine)?;
/// let (mut positions, mut normals) = (vec![Vec3::ZERO; 40_000], vec![Vec3::ZERO; 40_000]);
/// solver.step(&Input::frame(1.0 / 60.0));
/// skin.update(solver.positions(cloth), &mut positions, &mut normals);
/// assert!(positions.iter().all(|p| p.y < 0.0) && (normals[0] - Vec3::Y).length() < 1e-6);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Skin {
    skin: render::Skin,
    normals: Normals,
    misfit: (usize, f32),
}

impl Skin {
    /// Binds a render mesh to a body where the scene begins. Its normals are those of its own triangles.
    ///
    /// # Errors
    /// If the body has no triangle with an area, a position of the render mesh is not within +-1e6 m, or a triangle
    /// names a vertex that does not exist.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    pub fn bind(plan: &Plan, body: BodyId, render: &Mesh) -> Result<Skin, Error> {
        // Of what has torn the plan alone knows where copies rest.
        let mut rest: Vec<Vec3> = plan.positions(body).into_iter().map(Vec3::from).collect();
        if plan.base.is_none() {
            plan.part(body).each(&plan.x, |vertex, [x, y, z, _]| rest[vertex] = Vec3::new(x, y, z));
        }
        let of = format!("body `{}`", plan.body_name(body));
        let normals = normals_of(render)?;
        Skin::between(&of, plain(&rest), plan.triangles(body), &render.positions, plain(&normals))
    }

    /// Binds a render mesh to any mesh, both at rest.
    ///
    /// # Errors
    /// As for [`Skin::bind`], and if a position of the simulated mesh is not within +-1e6 m.
    pub fn bind_meshes(simulated: &Mesh, render: &Mesh) -> Result<Skin, Error> {
        let normals = normals_of(render)?;
        Skin::bind_points(simulated, &render.positions, plain(&normals))
    }

    /// Binds points with normals of their own to any mesh: of a render mesh whose vertices are doubled along seams. A
    /// normal of [0, 0, 0] stands for the simulated mesh's.
    ///
    /// # Errors
    /// As for [`Skin::bind_meshes`], and if there is not one finite normal a point.
    pub fn bind_points(simulated: &Mesh, points: &[[f32; 3]], normals: &[[f32; 3]]) -> Result<Skin, Error> {
        check_positions("simulated mesh", &simulated.positions)?;
        Skin::between("simulated mesh", &simulated.positions, &simulated.triangles, points, normals)
    }

    fn between(
        of: &str,
        rest: &[[f32; 3]],
        triangles: &[[u32; 3]],
        points: &[[f32; 3]],
        point_normals: &[[f32; 3]],
    ) -> Result<Skin, Error> {
        check_positions("render mesh", points)?;
        if point_normals.len() != points.len() {
            let what = "the array of normals".to_owned();
            let (got, want) = (point_normals.len(), points.len());
            return Err(Error::Length { of: "render mesh".to_owned(), what, got, want });
        }
        if let Some(vertex) = point_normals.iter().position(|n| !n.iter().all(|c| c.abs() <= 2.0)) {
            let [x, y, z] = point_normals[vertex].map(f64::from);
            let what = format!("length of the normal of vertex {vertex}");
            let value = (x * x + y * y + z * z).sqrt();
            return Err(Error::Range { of: "render mesh".to_owned(), what, value, limit: "0 or about 1" });
        }
        let mut normals = Normals::named(of, rest.len(), triangles)?;
        let mut rest_normals = vec![Vec3::ZERO; rest.len()];
        normals.update(bytemuck::cast_slice(rest), &mut rest_normals);
        let bonds = bonds(rest, plain(&rest_normals), triangles, points, point_normals)
            .ok_or_else(|| Error::NoTriangles { of: of.to_owned() })?;
        let skin = render::Skin::new(rest.len(), &bonds).expect("bonds name corners of triangles");
        let mut skin = Skin { skin, normals, misfit: (0, 0.0) };
        skin.misfit = skin.measure(rest, points);
        Ok(skin)
    }

    /// On given lanes, not on the widest: slower, the same bits.
    #[must_use]
    pub fn on(mut self, isa: Isa) -> Skin {
        self.normals = self.normals.on(isa);
        self
    }

    /// Number of vertices of the render mesh.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.skin.vertices()
    }

    /// The vertex that is furthest from its place when the simulated mesh is at rest, and how far, metres. Roundings,
    /// if nothing is further from the simulated mesh than this is bent round; there no offset leads back.
    #[must_use]
    pub fn misfit(&self) -> (usize, f32) {
        self.misfit
    }

    /// Writes positions, metres, and unit normals of the render mesh's vertices for these positions of the simulated
    /// mesh.
    ///
    /// A normal is [0, 0, 0] where the triangle has shrunk to nothing or is not finite.
    ///
    /// # Panics
    /// If there is not one position a simulated vertex, or not one of both outputs a vertex of the render mesh.
    pub fn update(&mut self, simulated: &[Vec3], positions: &mut [Vec3], normals: &mut [Vec3]) {
        assert_eq!(positions.len(), self.vertices(), "one position a vertex of the render mesh");
        self.read(simulated);
        self.write(0, positions, normals);
    }

    /// Takes the simulated mesh's positions for [`Skin::write`].
    ///
    /// # Panics
    /// If there is not one a simulated vertex.
    pub fn read(&mut self, simulated: &[Vec3]) {
        self.normals.read(simulated);
        self.skin.read(self.normals.isa(), plain(simulated), self.normals.kernel());
    }

    /// Writes positions and normals of the render mesh's vertices from `first` on.
    ///
    /// # Panics
    /// If there are not so many vertices, or the two differ in length.
    pub fn write(&self, first: usize, positions: &mut [Vec3], normals: &mut [Vec3]) {
        self.skin.write(self.normals.isa(), first, plain_mut(positions), plain_mut(normals));
    }

    fn measure(&mut self, rest: &[[f32; 3]], points: &[[f32; 3]]) -> (usize, f32) {
        let (mut at, mut normals) = (vec![Vec3::ZERO; points.len()], vec![Vec3::ZERO; points.len()]);
        self.update(bytemuck::cast_slice(rest), &mut at, &mut normals);
        let off = at.iter().zip(points).map(|(a, &b)| (*a - Vec3::from(b)).length()).enumerate();
        off.fold((0, 0.0), |worst, next| if next.1 > worst.1 { next } else { worst })
    }
}

fn normals_of(render: &Mesh) -> Result<Vec<Vec3>, Error> {
    check_positions("render mesh", &render.positions)?;
    let mut out = vec![Vec3::ZERO; render.positions.len()];
    Normals::named("render mesh", out.len(), &render.triangles)?
        .update(bytemuck::cast_slice(&render.positions), &mut out);
    Ok(out)
}
