//! Vertex normals of a body, frame after frame.

use crate::describe::error::Error;
use crate::describe::ids::BodyId;
use crate::describe::positions::{plain, plain_mut};
use crate::plan::Plan;
use glam::Vec3;
use seidel_kernels::{Isa, render};

/// Vertex normals of a mesh: its triangles' normals, weighted by area.
///
/// # Example
/// ```
/// use seidel::{Cloth, Input, Scene, Solver, glam::Vec3, render::Normals};
/// let mut scene = Scene::new();
/// let cloth = scene.add(Cloth::grid([20, 20], [1.0, 1.0]));
/// let mut solver = Solver::new(&scene)?;
/// let mut normals = Normals::new(solver.plan(), cloth)?;
/// let mut out = vec![Vec3::ZERO; solver.plan().vertices(cloth)];
/// solver.step(&Input::frame(1.0 / 60.0));
/// normals.update(solver.positions(cloth), &mut out);
/// assert!((out[0] - Vec3::Y).length() < 1e-6);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Normals {
    normals: render::Normals,
    isa: Isa,
}

impl Normals {
    /// Of a body.
    ///
    /// # Errors
    /// If the body has no triangles.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    pub fn new(plan: &Plan, body: BodyId) -> Result<Normals, Error> {
        let of = format!("body `{}`", plan.body_name(body));
        if plan.triangles(body).is_empty() {
            return Err(Error::NoTriangles { of });
        }
        Normals::named(&of, plan.vertices(body), plan.triangles(body))
    }

    /// Of any mesh of `vertices` vertices; triangles may be degenerate, and vertices without any.
    ///
    /// # Errors
    /// If a triangle names a vertex that does not exist.
    pub fn of_mesh(vertices: usize, triangles: &[[u32; 3]]) -> Result<Normals, Error> {
        Normals::named("mesh", vertices, triangles)
    }

    pub(super) fn named(of: &str, vertices: usize, triangles: &[[u32; 3]]) -> Result<Normals, Error> {
        let normals = render::Normals::new(vertices, triangles).map_err(|missing| Error::Missing {
            of: format!("{of}, triangle {}", missing.triangle),
            what: "vertex",
            index: missing.vertex as usize,
            count: missing.vertices,
        })?;
        Ok(Normals { normals, isa: Isa::detect() })
    }

    /// On given lanes, not on the widest: slower, the same bits.
    #[must_use]
    pub fn on(mut self, isa: Isa) -> Normals {
        self.isa = isa;
        self
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.normals.vertices()
    }

    /// Writes the unit normals of all vertices at these positions, metres, counter-clockwise seen from outside; [0, 0,
    /// 0] where there is none: no triangle around the vertex has an area (1e-12 m^2), or one is not finite.
    ///
    /// # Panics
    /// If there is not one position and one normal a vertex.
    pub fn update(&mut self, positions: &[Vec3], out: &mut [Vec3]) {
        assert_eq!(out.len(), self.vertices(), "one normal a vertex");
        self.read(positions);
        self.write(0, out);
    }

    /// Takes positions for [`Normals::write`].
    ///
    /// # Panics
    /// If there is not one a vertex.
    pub fn read(&mut self, positions: &[Vec3]) {
        self.normals.read(self.isa, plain(positions));
    }

    /// Writes the normals of the vertices from `first` on, at the positions that were read.
    ///
    /// # Panics
    /// If there are not so many vertices.
    pub fn write(&self, first: usize, out: &mut [Vec3]) {
        self.normals.write(self.isa, first, plain_mut(out));
    }

    pub(super) fn kernel(&self) -> &render::Normals {
        &self.normals
    }

    pub(super) fn isa(&self) -> Isa {
        self.isa
    }
}
