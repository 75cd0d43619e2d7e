//! SoftBody: a solid of tetrahedra and a material.

mod fill;
mod lattice;
mod side;
mod source;

use crate::describe::body::{Body, Constraints};
use crate::describe::cloth::check_vertex_mass;
use crate::describe::error::{Error, range};
use crate::describe::memory::Need;
use crate::describe::mesh::Mesh;
use crate::describe::plasticity::Plasticity;
use crate::describe::pose::Pose;
use crate::describe::scale::Scale;
use crate::describe::stiffness::{Stiffness, Values};
use crate::describe::tearing::Tearing;
use crate::describe::tets::TetMesh;
use crate::describe::traits::{Traits, shared};
use crate::tuning::{MAX_BALL_DISTANCES, MAX_BALL_NODES};
use seidel_kernels::Kind;
use seidel_kinds as kinds;
use serde::{Deserialize, Serialize};
pub use side::Side;
use source::Source;
use std::sync::Arc;

/// A solid: a mesh of tetrahedra with a material, or a bar or tube that is cut into some.
///
/// # Source
/// From Young's modulus E (Pa) and Poisson's ratio nu: mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu) (1 - 2 nu));
/// the compliance of a tetrahedron of volume V is 1 / (mu V) in 1/J.
///
/// # Example
/// ```
/// use seidel::{Input, SoftBody, Scene, Side, Solver};
/// let mut scene = Scene::new();
/// let bar = scene.add(SoftBody::bar([1.0, 0.1, 0.1], [20, 2, 2]).young(1e6).poisson(0.4).pin_side(Side::MinX));
/// let mut solver = Solver::new(&scene)?;
/// assert!(solver.step(&Input::frame(1.0 / 60.0)).rejected.is_none());
/// let tip = solver.positions(bar).last().unwrap();
/// assert!(tip.y < 0.05);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SoftBody {
    pub(super) traits: Traits,
    source: Source,
    pose: Pose,
    scale: Scale,
    sides: Vec<Side>,
    skin: Option<Arc<Mesh>>,
    density: Values,
    /// Instead of the density: kg of each vertex.
    vertex_mass: Option<f32>,
    young: Values,
    poisson: f32,
    model: SolidModel,
    /// PBD's k instead of a modulus.
    pbd: Option<f32>,
    relaxation: f32,
    plastic: Option<Plasticity>,
    tearing: Option<Tearing>,
}

/// How a solid resists strain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SolidModel {
    /// Finite everywhere, turns back what is inverted ([`kinds::STABLE_NEO_HOOKEAN`]; with a Poisson's ratio below
    /// 0.001 [`kinds::STABLE_ENERGY`]).
    #[default]
    StableNeoHookean,
    /// Resists being pressed flat more and more, turns back what is inverted ([`kinds::NEO_HOOKEAN`]).
    NeoHookean,
    /// Linear in Green's strain; what is mirrored stays so ([`kinds::STVK`]).
    StVenantKirchhoff,
    /// Linear strain, corotated; turns back what is inverted ([`kinds::HOOKE`]).
    Hooke,
    /// Three stretches and three shears, apart ([`kinds::STRAIN_TET`]): stretches have Young's modulus and shears E /
    /// (2 (1 + nu)), and nothing else is coupled.
    Strain,
    /// Springs along the edges and the volume of each tetrahedron ([`kinds::DISTANCE`], [`kinds::VOLUME`]): the springs
    /// as stiff together as E is on average over all directions, with a Poisson's ratio of 1/4; volumes make up for
    /// what more the bulk modulus E / (3 (1 - 2 nu)) asks for.
    Springs,
}

/// Poisson's ratio from which on the volume has a constraint of its own.
const LEAST_COUPLED: f64 = 1e-3;

shared!(SoftBody);

impl SoftBody {
    /// From a mesh of tetrahedra, in its own vertex order: density 1000 kg/m^3, Young's modulus 1e5 Pa, Poisson's ratio
    /// 0.3, stable Neo-Hookean, thickness 1 mm.
    ///
    /// A mesh with flat, inverted or duplicate tetrahedra is refused when the scene is planned.
    #[must_use]
    pub fn new(mesh: impl Into<Arc<TetMesh>>) -> SoftBody {
        SoftBody::from(Source::Mesh(mesh.into()))
    }

    /// A bar about the origin, `size` metres along x, y and z, of as many cells, each of six tetrahedra.
    #[must_use]
    pub fn bar(size: impl Into<glam::Vec3>, cells: [u32; 3]) -> SoftBody {
        SoftBody::from(Source::Bar { size: size.into().to_array(), cells })
    }

    /// A closed surface, filled with cubes of a width (metres) that are cut into tetrahedra. Cubes that the surface
    /// fills only partly have that part of the density and of the modulus. The surface goes with them
    /// ([`SoftBody::skin`]): it is what pictures show and what colliders meet. Other bodies meet the tetrahedra's
    /// surface, which is on average within a thirtieth of a cell of it and at most about half of one away (balls of 4
    /// to 15 cells).
    ///
    /// A part that is thinner than a cell bends as if it were one cell thick: use three cells or more across a part
    /// that should bend.
    ///
    /// It is filled once, when its tetrahedra are first asked for; copies of it (`clone`) share them.
    ///
    /// # Example
    /// ```
    /// let ball = seidel::Mesh::ball(0.5, 4);
    /// let solid = seidel::SoftBody::filled(&ball, 0.1).mesh()?;
    /// assert!(solid.tets.len() > 3000 && solid.positions.len() < 1000);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    #[must_use]
    pub fn filled(surface: impl Into<Arc<Mesh>>, cell: f32) -> SoftBody {
        let surface = surface.into();
        SoftBody::from(Source::Filled { surface: Arc::clone(&surface), cell, made: Arc::default() }).skin(surface)
    }

    /// A tube about the axis x, open at both ends: its length, its outer and inner radius (metres), and cells along it,
    /// through its wall and around it (3 or more).
    #[must_use]
    pub fn tube(length: f32, [outer, inner]: [f32; 2], cells: [u32; 3]) -> SoftBody {
        SoftBody::from(Source::Tube { length, outer, inner, cells })
    }

    fn from(source: Source) -> SoftBody {
        SoftBody {
            traits: Traits::new(0.001),
            source,
            pose: Pose::default(),
            scale: Scale::ONE,
            sides: Vec::new(),
            skin: None,
            density: Values::Uniform(1000.0),
            vertex_mass: None,
            young: Values::Uniform(1e5),
            poisson: 0.3,
            model: SolidModel::default(),
            pbd: None,
            relaxation: 0.0,
            plastic: None,
            tearing: None,
        }
    }

    /// A surface that goes with its tetrahedra, placed as they are, and is what pictures show: a finer one than theirs.
    ///
    /// Colliders meet it in place of the tetrahedra: its vertices, and points between them where its triangles are
    /// larger than the tetrahedra. `thickness` counts from it. A collider that is smaller than the distance of these
    /// points can come between them. Other bodies meet the tetrahedra's surface. A vertex that is outside of its
    /// tetrahedron by more than eight of its heights meets no collider ([`crate::Plan::warnings`] names it).
    #[must_use]
    pub fn skin(mut self, surface: impl Into<Arc<Mesh>>) -> SoftBody {
        self.skin = Some(surface.into());
        self
    }

    /// Scales it, 1e-6 to 1e6, then turns and moves it; once more, and the last one counts.
    #[must_use]
    pub fn placed(mut self, pose: Pose, scale: impl Into<Scale>) -> SoftBody {
        (self.pose, self.scale) = (pose, scale.into());
        self
    }

    /// Mass per volume, kg/m^3, > 0: one, or one for each vertex, which has a quarter of the volume around it.
    #[must_use]
    pub fn density(mut self, density: impl Into<Values>) -> SoftBody {
        self.density = density.into();
        self
    }

    /// Mass of each vertex, kg, within 1e-12 .. 1e9, the same for all whatever the volume around it. It takes the place
    /// of a density.
    #[must_use]
    pub fn vertex_mass(mut self, mass: f32) -> SoftBody {
        self.vertex_mass = Some(mass);
        self
    }

    /// Young's modulus, Pa, > 0: one, one for each tetrahedron, or one for each vertex ([`Values::PerVertex`]): a
    /// tetrahedron then has the mean of its corners'.
    #[must_use]
    pub fn young(mut self, modulus: impl Into<Values>) -> SoftBody {
        self.young = modulus.into();
        self
    }

    /// Poisson's ratio, above -0.9999 and below 0.49995.
    #[must_use]
    pub fn poisson(mut self, ratio: f32) -> SoftBody {
        self.poisson = ratio;
        self
    }

    /// How it resists strain.
    #[must_use]
    pub fn model(mut self, model: SolidModel) -> SoftBody {
        self.model = model;
        self
    }

    /// PBD's k, 0..=1, for all of its constraints, instead of a modulus. Poisson's ratio still tells how strains are
    /// coupled.
    #[must_use]
    pub fn pbd(mut self, k: f32) -> SoftBody {
        self.pbd = Some(k);
        self
    }

    /// Relaxation time of its material, seconds, >= 0: strain that is let go decays by 1/e in it
    /// ([`Constraints::damping`]).
    #[must_use]
    pub fn relaxation(mut self, seconds: f32) -> SoftBody {
        self.relaxation = seconds;
        self
    }

    /// Stays deformed beyond a strain: its tetrahedra yield, or, of [`SolidModel::Springs`], the springs and not the
    /// volumes. The model [`SolidModel::Strain`] does not yield and is refused.
    #[must_use]
    pub fn plastic(mut self, plasticity: Plasticity) -> SoftBody {
        self.plastic = Some(plasticity);
        self
    }

    /// It breaks where edges of its tetrahedra are stretched beyond a strain, along their faces, and can be cut.
    /// Nothing of the scene may be plastic. A surface that is filled ([`SoftBody::filled`]) has no skin then: pictures
    /// show, and colliders meet, the tetrahedra. One that is given by [`SoftBody::skin`] is refused.
    #[must_use]
    pub fn tear(mut self, tearing: Tearing) -> SoftBody {
        self.tearing = Some(tearing);
        self
    }

    /// Fixes the vertices on a side of the box around it.
    #[must_use]
    pub fn pin_side(mut self, side: Side) -> SoftBody {
        self.sides.push(side);
        self
    }

    /// The vertices on a side, such as to move them; none of a mesh that is refused.
    #[must_use]
    pub fn side(&self, side: Side) -> Vec<u32> {
        self.unplaced().map_or(Vec::new(), |(mesh, _)| side.of(&mesh.positions))
    }

    /// Its tetrahedra, as placed.
    ///
    /// # Errors
    /// If a size is not above 0 m, there are no cells or too many, or the mesh has defects.
    pub fn mesh(&self) -> Result<TetMesh, Error> {
        self.parted().map(|(mesh, _)| mesh)
    }

    /// Its tetrahedra, as placed, and what part of them is material.
    fn parted(&self) -> Result<(TetMesh, f64), Error> {
        let (mut mesh, part) = self.unplaced()?;
        let of = || self.traits.of();
        for scale in self.scale.0.to_array() {
            let good = (1e-6..=1e6).contains(&scale);
            range(of, || "scale".to_owned(), f64::from(scale), good, "within 1e-6 .. 1e6")?;
        }
        self.place(&mut mesh.positions);
        mesh.sound(&of())?;
        Ok((mesh, part))
    }

    fn place(&self, positions: &mut [[f32; 3]]) {
        self.scale.place_all(positions, &self.pose);
    }

    fn unplaced(&self) -> Result<(TetMesh, f64), Error> {
        self.source.mesh(&|| self.traits.of())
    }

    /// Memory to make a surface of `balls` with triangles of size `width`, metres ([`Mesh::of_balls`]), and to fill it
    /// with cells of size `cell` ([`SoftBody::filled`]), estimated before either is done. None of balls whose surface
    /// has more nodes than are allowed.
    ///
    /// # Example
    /// ```
    /// let need = seidel::SoftBody::need_of_balls(&[[0.0, 0.0, 0.0, 0.3]], 0.02, 0.007);
    /// assert!(need.particles > 17_000 && need.particles < 21_000);
    /// ```
    #[must_use]
    pub fn need_of_balls(balls: &[[f32; 4]], cell: f32, width: f32) -> Need {
        let nodes = Mesh::count_ball_nodes(balls, width);
        if nodes > MAX_BALL_NODES || nodes.saturating_mul(balls.len() as u64) > MAX_BALL_DISTANCES {
            // They are refused by that number, before anything is taken.
            return Need::default();
        }
        let ([vertices, tets], skin, box_cells) = source::count_balls(balls, cell, width);
        // A ball that is smaller than a cell may lie between the points that are counted, and has a few cells.
        let small = balls.iter().filter(|ball| ball[3] < cell).count() as u64;
        let (vertices, tets) = (vertices.max(8 * small), tets.max(6 * small));
        let surface = Need::ball_grid(nodes).skin(skin);
        surface.or(Need::solid(vertices, tets).filled_in(box_cells).skin(skin))
    }

    pub(super) fn need(&self) -> Need {
        let (vertices, tets) = self.source.count();
        let skin = self.worn().map_or(0, |skin| skin.positions.len() as u64);
        let need = self.traits.counted(Need::solid(vertices, tets)).filled_in(self.source.box_cells()).skin(skin);
        self.tearing.as_ref().map_or(need, |tearing| tearing.counted(need, vertices))
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        let of = || self.traits.of();
        let nu = f64::from(self.poisson);
        let limit =
            "above -0.9999 and below 0.49995: at 0.5 nothing changes its volume, and the bulk modulus is infinite";
        range(of, || "Poisson's ratio".to_owned(), nu, nu > -0.9999 && nu < 0.49995, limit)?;
        let (mesh, part) = self.parted()?;
        let some = |what: &str, count: usize| range(of, || what.to_owned(), count as f64, count > 0, "1 or more");
        some("number of tetrahedra", mesh.tets.len())?;
        if let Some(skin) = self.worn() {
            some("number of triangles of the skin", skin.triangles.len())?;
        }
        let (good, limit) = (|density| (1e-9..=1e9).contains(&density), "within 1e-9 .. 1e9 kg/m^3");
        self.density.check(of, ("density", "vertex"), mesh.positions.len(), good, limit)?;
        check_vertex_mass(of, self.vertex_mass)?;
        let (good, limit) = (|modulus| (1e-6..=1e15).contains(&modulus), "within 1e-6 .. 1e15 Pa");
        let (each, count) = match self.young {
            Values::PerVertex(_) => ("vertex", mesh.positions.len()),
            _ => ("tetrahedron", mesh.tets.len()),
        };
        self.young.check(of, ("Young's modulus", each), count, good, limit)?;
        let volumes: Vec<f64> = mesh.volumes().iter().map(|volume| volume * part).collect();
        let mut mass = vec![0.0f64; mesh.positions.len()];
        for (tet, volume) in mesh.tets.iter().zip(&volumes) {
            tet.iter().for_each(|&v| mass[v as usize] += volume * f64::from(self.density.get(v as usize)) / 4.0);
        }
        // A vertex of no tetrahedron is free: it has a mass like the lightest of the others.
        let least = mass.iter().copied().filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
        let inv_mass = match self.vertex_mass {
            Some(mass) => vec![1.0 / mass; mesh.positions.len()],
            None => mass.iter().map(|&m| (1.0 / if m > 0.0 { m } else { least }) as f32).collect(),
        };
        let triangles = mesh.surface();
        let mut constraints = self.constraints(&mesh, &volumes);
        for rows in constraints.iter_mut().filter(|rows| !rows.kind.is(&kinds::VOLUME)) {
            rows.plasticity = self.plastic;
        }
        let mut traits = self.traits.clone();
        if !self.sides.is_empty() {
            let (unplaced, _) = self.unplaced()?;
            self.sides.iter().for_each(|side| traits.pins.extend(side.of(&unplaced.positions)));
        }
        let skin = self.worn().cloned().map(|mut skin| {
            self.place(&mut skin.positions);
            skin
        });
        let (triangles, tets, tearing) = (triangles.into(), mesh.tets.into(), self.tearing.clone());
        let body = Body { triangles, constraints, skin, tets, tearing, ..Body::particles(mesh.positions, inv_mass) };
        traits.given_to(body)
    }

    /// The surface that goes with it. Of one that tears that is not the surface that was filled.
    fn worn(&self) -> Option<&Mesh> {
        let is_filled = |skin: &&Arc<Mesh>| match &self.source {
            Source::Filled { surface, .. } => Arc::ptr_eq(surface, skin),
            _ => false,
        };
        self.skin.as_ref().filter(|skin| self.tearing.is_none() || !is_filled(skin)).map(|skin| &**skin)
    }

    /// Young's modulus of a tetrahedron, Pa.
    fn modulus(&self, mesh: &TetMesh, tet: usize) -> f64 {
        f64::from(self.young.of_row(tet, &mesh.tets[tet]))
    }

    /// Rows of the model.
    fn constraints(&self, mesh: &TetMesh, volumes: &[f64]) -> Vec<Constraints> {
        let nu = f64::from(self.poisson);
        let (shear, ratio) = (0.5 / (1.0 + nu), 2.0 * nu / (1.0 - 2.0 * nu));
        let (kind, ratio): (Kind, f64) = match self.model {
            SolidModel::Springs => return self.springs(mesh, volumes),
            SolidModel::Strain => (kinds::STRAIN_TET, ratio),
            SolidModel::Hooke => (kinds::HOOKE, ratio),
            SolidModel::StVenantKirchhoff => (kinds::STVK, ratio),
            SolidModel::NeoHookean => (kinds::NEO_HOOKEAN, ratio),
            SolidModel::StableNeoHookean if nu < LEAST_COUPLED => (kinds::STABLE_ENERGY, ratio),
            SolidModel::StableNeoHookean => (kinds::STABLE_NEO_HOOKEAN, 1.0 / ratio),
        };
        let at: Vec<u32> = mesh.tets.as_flattened().to_vec();
        // 1 / (modulus x volume), of a part of Young's modulus.
        let compliance = |part: f64| -> Vec<f32> {
            let of = |(tet, volume): (usize, &f64)| (1.0 / (part * self.modulus(mesh, tet) * volume)) as f32;
            volumes.iter().enumerate().map(of).collect()
        };
        if self.model == SolidModel::Strain {
            return vec![self.strain(mesh, at, compliance(1.0), &compliance(shear))];
        }
        let stiffness = self.pbd.map_or_else(|| Stiffness::compliance(compliance(shear)), Stiffness::pbd);
        vec![Constraints::measured(kind, at, stiffness).of_material(vec![ratio as f32]).damped(self.relaxation)]
    }

    /// Stretches with one compliance a row, shears with another.
    fn strain(&self, mesh: &TetMesh, at: Vec<u32>, stretch: Vec<f32>, shear: &[f32]) -> Constraints {
        let kind = kinds::STRAIN_TET;
        let (params, last) = (kind.params().len(), kind.params().len() - 1);
        let mut rest = vec![0.0; mesh.tets.len() * params];
        for ((row, tet), shear) in rest.chunks_exact_mut(params).zip(&mesh.tets).zip(shear) {
            let _ = kind.at_rest(&tet.map(|v| mesh.positions[v as usize]), row);
            row[last] = self.pbd.unwrap_or(*shear);
        }
        let stiffness = self.pbd.map_or_else(|| Stiffness::compliance(stretch), Stiffness::pbd);
        Constraints::new(kind, at, rest, stiffness).damped(self.relaxation)
    }

    /// A spring of k = sum E V / L^2 over the tetrahedra around an edge: together, over all directions, they have
    /// Young's modulus E and Poisson's ratio 1/4, and so the bulk modulus 2/3 E; the volumes have what is missing of E
    /// / (3 (1 - 2 nu)).
    fn springs(&self, mesh: &TetMesh, volumes: &[f64]) -> Vec<Constraints> {
        let edges = mesh.edges();
        let place = |v: u32| mesh.positions[v as usize].map(f64::from);
        let squared = |[a, b]: [u32; 2]| place(a).iter().zip(place(b)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let mut stiff = vec![0.0f64; edges.len()];
        for (t, (&[a, b, c, d], volume)) in mesh.tets.iter().zip(volumes).enumerate() {
            for [a, b] in [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]] {
                let edge = [a.min(b), a.max(b)];
                let e = edges.binary_search(&edge).expect("every tetrahedron's edges are listed");
                stiff[e] += self.modulus(mesh, t) * volume / squared(edge);
            }
        }
        let of = |compliance: Vec<f32>| self.pbd.map_or_else(|| Stiffness::compliance(compliance), Stiffness::pbd);
        let compliance = stiff.iter().map(|k| (1.0 / k) as f32).collect();
        let springs = Constraints::measured(kinds::DISTANCE, edges.concat(), of(compliance)).damped(self.relaxation);
        let missing = 1.0 / (3.0 * (1.0 - 2.0 * f64::from(self.poisson))) - 2.0 / 3.0;
        if missing <= 0.0 {
            return vec![springs];
        }
        let soft = |(t, volume): (usize, &f64)| (volume / (missing * self.modulus(mesh, t))) as f32;
        let compliance = volumes.iter().enumerate().map(soft).collect();
        let at = mesh.tets.as_flattened().to_vec();
        vec![springs, Constraints::measured(kinds::VOLUME, at, of(compliance)).damped(self.relaxation)]
    }
}
