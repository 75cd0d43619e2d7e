//! Cloth from any manifold triangle mesh (Müller et al. 2007, section 4): one distance constraint an edge, one bend
//! constraint an interior edge, the mass of a vertex a third of its triangles'.

mod fabric;
mod grid;
mod weave;
mod woven;

use crate::describe::body::{Body, Constraints};
use crate::describe::error::{Error, range};
use crate::describe::long_range::LongRange;
use crate::describe::memory::Need;
use crate::describe::mesh::Mesh;
use crate::describe::plasticity::Plasticity;
use crate::describe::pose::Pose;
use crate::describe::scale::Scale;
use crate::describe::stiffness::{Stiffness, Values};
use crate::describe::tearing::Tearing;
use crate::describe::traits::{Traits, shared};
use fabric::Woven;
pub use fabric::{ClothModel, Fabric};
use grid::Grid;
pub use grid::GridPins;
use seidel_kinds as kinds;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use weave::Weave;

/// A triangle mesh that resists stretch, shear and bending.
#[derive(Clone, Debug)]
pub struct Cloth {
    pub(super) traits: Traits,
    mesh: Arc<Mesh>,
    grid: Option<Grid>,
    /// A part of a grid was to be pinned, and there is none.
    lost_pins: bool,
    pub(super) density: Values,
    /// Instead of the density: kg of each vertex.
    vertex_mass: Option<f32>,
    /// As [`USUAL_STRETCH`] if absent.
    stretch: Option<Stiffness>,
    compress: Option<Values>,
    shear: Option<Stiffness>,
    bend: Option<Stiffness>,
    bend_model: BendModel,
    woven: Woven,
    plastic: Option<Plasticity>,
    plastic_bend: Option<Plasticity>,
    tearing: Option<Tearing>,
    permeance: f32,
}

/// Thickness that a cloth has unless told, metres.
const THICKNESS: f32 = 0.002;

/// Compliance of edges that a cloth has unless told, m/N.
const USUAL_STRETCH: f32 = 1e-6;

/// How neighbouring triangles resist bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BendModel {
    /// The signed angle between them stays what it is in the mesh; compliance in rad^2/J ([`kinds::DIHEDRAL`]).
    #[default]
    Dihedral,
    /// They become flat, whatever the mesh, by a force linear in the positions: half the work or less, for cloths that
    /// stretch little. Compliance in 1/J ([`kinds::ISOMETRIC`]).
    Isometric,
}

shared!(Cloth);

impl Cloth {
    /// From a mesh, in its own vertex order: density 0.2 kg/m^2, stretch compliance 1e-6 m/N, no bending, thickness 2
    /// mm.
    #[must_use]
    pub fn new(mesh: impl Into<Arc<Mesh>>) -> Cloth {
        Cloth {
            traits: Traits { long_range: LongRange::Auto, ..Traits::new(THICKNESS) },
            mesh: mesh.into(),
            grid: None,
            lost_pins: false,
            density: Values::Uniform(0.2),
            vertex_mass: None,
            stretch: None,
            compress: None,
            shear: None,
            bend: None,
            bend_model: BendModel::Dihedral,
            woven: Woven::default(),
            plastic: None,
            plastic_bend: None,
            tearing: None,
            permeance: 0.0,
        }
    }

    /// A rectangle in the plane y = 0 about the origin: `columns` x `rows` vertices over `size` metres along x and z.
    ///
    /// Fewer than 2 x 2 vertices are refused when the scene is planned.
    #[must_use]
    pub fn grid([columns, rows]: [u32; 2], size: [f32; 2]) -> Cloth {
        let grid = Grid { columns, rows, closed: false };
        Cloth { grid: Some(grid), ..Cloth::new(grid.mesh(size)) }
    }

    /// A tube about the axis x, open at both ends: `columns` vertices along it and `rows` around it; `size` is its
    /// length and its girth, metres. It is a grid whose first row follows its last; the first is uppermost, and parts
    /// of it have a grid's names.
    ///
    /// Fewer than 2 x 3 vertices are refused when the scene is planned. Isometric bending flattens it, for to it every
    /// sheet is flat at rest.
    ///
    /// # Example
    /// ```
    /// let sleeve = seidel::Cloth::tube([10, 8], [0.5, 0.4]);
    /// assert_eq!(sleeve.mesh().edges().iter().filter(|edge| edge.opposite.contains(&None)).count(), 2 * 8);
    /// ```
    #[must_use]
    pub fn tube([columns, rows]: [u32; 2], size: [f32; 2]) -> Cloth {
        let grid = Grid { columns, rows, closed: true };
        Cloth { grid: Some(grid), ..Cloth::new(grid.mesh(size)) }
    }

    /// Scales it, then turns and moves it.
    #[must_use]
    pub fn placed(mut self, pose: Pose, scale: impl Into<Scale>) -> Cloth {
        scale.into().place_all(&mut Arc::make_mut(&mut self.mesh).positions, &pose);
        self.woven.warp = pose.transform_vector(self.woven.warp).to_array();
        self
    }

    /// Mass per area, kg/m^2, > 0: one, or one for each vertex, which has a third of the area around it.
    #[must_use]
    pub fn density(mut self, density: impl Into<Values>) -> Cloth {
        self.density = density.into();
        self
    }

    /// Mass of each vertex, kg, within 1e-12 .. 1e9, the same for all whatever the area around it. It takes the place
    /// of a density.
    #[must_use]
    pub fn vertex_mass(mut self, mass: f32) -> Cloth {
        self.vertex_mass = Some(mass);
        self
    }

    /// Compliance of edges and shear springs, m/N, >= 0; uniform, or one for each edge of `mesh().edges()` (a grid:
    /// columns first along x, then along z, then both diagonals), or one for each vertex ([`Values::PerVertex`]).
    #[must_use]
    pub fn stretch(self, compliance: impl Into<Values>) -> Cloth {
        self.stretch_by(Stiffness::compliance(compliance))
    }

    /// Stiffness of edges and shear springs, as compliance or as PBD's k. Beside a fabric only k: then each row is as
    /// stiff as k says, and the fabric's numbers tell how much stiffer one direction is than another.
    #[must_use]
    pub fn stretch_by(mut self, stiffness: Stiffness) -> Cloth {
        self.stretch = Some(stiffness);
        self
    }

    /// Resists compression with another number than stretch: compliance in m/N, or PBD's k; one, or one for each row or
    /// vertex as of [`Cloth::stretch`].
    #[must_use]
    pub fn compress(mut self, number: impl Into<Values>) -> Cloth {
        self.compress = Some(number.into());
        self
    }

    /// Compliance of a grid's diagonals, m/N, >= 0: how easily the cloth shears, as it must to lie on a ball. Without
    /// it they resist as the edges do. A mesh has no such diagonals.
    #[must_use]
    pub fn shear(self, compliance: impl Into<Values>) -> Cloth {
        self.shear_by(Stiffness::compliance(compliance))
    }

    /// Stiffness of a grid's diagonals, as compliance or as PBD's k.
    #[must_use]
    pub fn shear_by(mut self, stiffness: Stiffness) -> Cloth {
        self.shear = Some(stiffness);
        self
    }

    /// Bending compliance, >= 0: of the angle in rad^2/J, or, with [`BendModel::Isometric`], in 1/J.
    ///
    /// A sheet of flexural rigidity D (N m) has 3 / D isometrically, for every edge of any mesh; by the angle (A0 + A1)
    /// / (D |e|^2), e the edge and A0 + A1 the area of its two triangles. So one number is stiffer isometrically: 3
    /// times for the sides of a square grid's cells, 6 times for its diagonals, 3.5 times for equilateral triangles.
    /// Both are exact for equilateral triangles; a square grid is 1.0 to 2.9 times stiffer, by the direction of the
    /// bend.
    #[must_use]
    pub fn bend(self, compliance: impl Into<Values>) -> Cloth {
        self.bend_by(Stiffness::compliance(compliance))
    }

    /// Bending stiffness, as compliance or as PBD's k. Beside a fabric only k, for all hinges alike, also if its own
    /// rigidity is 0.
    #[must_use]
    pub fn bend_by(mut self, stiffness: Stiffness) -> Cloth {
        self.bend = Some(stiffness);
        self
    }

    /// How it bends, if it resists bending at all: by the angle, unless this says otherwise.
    #[must_use]
    pub fn bend_model(mut self, model: BendModel) -> Cloth {
        self.bend_model = model;
        self
    }

    /// Edges and diagonals stay stretched or compressed beyond a strain. With [`LongRange::Auto`] it has no attachments
    /// then. Only springs have lengths: of a fabric's models [`ClothModel::Edges`] alone.
    #[must_use]
    pub fn plastic(mut self, plasticity: Plasticity) -> Cloth {
        self.plastic = Some(plasticity);
        self
    }

    /// Hinges stay bent beyond an angle: creases, dents. For a cloth that resists bending by [`BendModel::Dihedral`].
    #[must_use]
    pub fn plastic_bend(mut self, plasticity: Plasticity) -> Cloth {
        self.plastic_bend = Some(plasticity);
        self
    }

    /// It tears where edges are stretched beyond a strain. With [`LongRange::Auto`] it has no attachments then, and
    /// given ones are refused; nothing of the scene may be plastic.
    #[must_use]
    pub fn tear(mut self, tearing: Tearing) -> Cloth {
        self.tearing = Some(tearing);
        self
    }

    /// It is porous: what goes through of a fluid, m/(s Pa), 0 to 1: the speed per difference of pressure (Darcy's law).
    /// Water 10 cm deep presses with 981 Pa, so with 1e-5 it goes through at 1 cm/s: about what a cotton sheet lets
    /// through. 0, as it is unless told, is watertight. The speed does not depend on the fluid's viscosity, on how far
    /// the cloth is stretched, or on how wet it is. Vertices of a porous cloth take no room in the fluid.
    #[must_use]
    pub fn permeance(mut self, permeance: f32) -> Cloth {
        self.permeance = permeance;
        self
    }

    /// Keeps each vertex within the way to its nearest pinned or attached vertex, along the mesh as it is at rest, and
    /// a share `slack` of it more, >= 0 (Kim, Chentanez, Müller 2012, "Long Range Attachments"): whatever the substeps,
    /// no vertex is further away. Where there are up to 16 groups of connected pins, this holds for the nearest pin of
    /// each of the two nearest groups, unless these are further apart than both ways together. Edges in between may
    /// stretch. In every substep, after constraints and contacts between bodies and before colliders (which may push a
    /// vertex further), what is too far is put where it may be; nothing pulls at the pin. Pins that move take their
    /// bounds with them; one that is freed in a state bounds nothing, and one that is pinned there neither: plan again
    /// for those.
    ///
    /// [`LongRange::Auto`] unless told: a pinned cloth has attachments, with as much slack as its compliances ask for;
    /// a stretchy one has none.
    #[must_use]
    pub fn long_range(mut self, slack: impl Into<LongRange>) -> Cloth {
        self.traits.long_range = slack.into();
        self
    }

    /// Fixes a part of a grid. A cloth that was not made by [`Cloth::grid`] or [`Cloth::tube`] is refused when the
    /// scene is planned.
    #[must_use]
    pub fn pin_grid(mut self, part: GridPins) -> Cloth {
        self.lost_pins |= self.grid.is_none();
        self.traits.pins.extend(self.grid_part(part));
        self
    }

    /// Whether it is a grid: then its parts have names ([`Cloth::grid_part`]).
    #[must_use]
    pub fn is_grid(&self) -> bool {
        self.grid.is_some()
    }

    /// The vertices of a part of a grid, such as to move them; none of a mesh.
    #[must_use]
    pub fn grid_part(&self, part: GridPins) -> Vec<u32> {
        match self.grid.filter(|_| !self.mesh.positions.is_empty()) {
            Some(grid) => grid.part(part),
            None => Vec::new(),
        }
    }

    /// The mesh, as placed.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    pub(super) fn need(&self) -> Need {
        let (vertices, triangles) = match self.grid {
            // One that is too large has no mesh.
            Some(grid) => {
                let vertices = u64::from(grid.columns) * u64::from(grid.rows);
                (vertices, vertices.saturating_mul(2))
            }
            None => (self.mesh.positions.len() as u64, self.mesh.triangles.len() as u64),
        };
        let bends = self.bend.is_some() || self.woven.fabric.is_some();
        let need = self.traits.counted(Need::sheet(vertices, triangles, bends));
        self.tearing.as_ref().map_or(need, |tearing| tearing.counted(need, vertices))
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        let of = || self.traits.of();
        if self.lost_pins {
            return Err(Error::NoGrid { of: of() });
        }
        if let Some(grid) = self.grid {
            grid.check(of)?;
        }
        let (good, limit) = (|density| (1e-9..=1e9).contains(&density), "within 1e-9 .. 1e9 kg/m^2");
        self.density.check(of, ("density", "vertex"), self.mesh.positions.len(), good, limit)?;
        check_vertex_mass(of, self.vertex_mass)?;
        let count = self.mesh.triangles.len();
        range(of, || "number of triangles".to_owned(), count as f64, count > 0, "1 or more")?;
        let defects = self.mesh.defects();
        let mut errors = defects.errors();
        if let Some(found) = errors.next() {
            let more = errors.count();
            return Err(Error::Mesh { body: self.traits.name.clone(), found: Box::new(*found), more });
        }
        let body = Body::particles(self.mesh.positions.clone(), self.inverse_masses());
        let triangles = self.mesh.triangles.clone().into();
        let constraints = self.yielding(self.constraints()?)?;
        let (tearing, permeance) = (self.tearing.clone(), self.permeance);
        let mut body = self.traits.given_to(Body { triangles, constraints, tearing, permeance, ..body })?;
        if body.tearing.is_some() && body.long_range == LongRange::Auto {
            body.long_range = LongRange::Off;
        }
        Ok(body)
    }

    /// The same rows with what yields of them.
    fn yielding(&self, mut rows: Vec<Constraints>) -> Result<Vec<Constraints>, Error> {
        let bends = |rows: &Constraints| [kinds::DIHEDRAL, kinds::ISOMETRIC].iter().any(|kind| rows.kind.is(kind));
        if self.plastic_bend.is_some() && !rows.iter().any(bends) {
            let of = self.traits.of();
            return Err(Error::NothingYields { of, plasticity: "plastic_bend", what: "bending" });
        }
        for rows in &mut rows {
            rows.plasticity = if bends(rows) { self.plastic_bend } else { self.plastic };
        }
        Ok(rows)
    }

    /// 1 / (density of a vertex x a third of the area around it).
    fn inverse_masses(&self) -> Vec<f32> {
        if let Some(mass) = self.vertex_mass {
            return vec![1.0 / mass; self.mesh.positions.len()];
        }
        let mut mass = vec![0.0f64; self.mesh.positions.len()];
        for t in &self.mesh.triangles {
            let [a, b, c] = t.map(|v| self.mesh.positions[v as usize].map(f64::from));
            let (e, f): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
            let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let area = 0.5 * f64::sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
            for &v in t {
                mass[v as usize] += area * f64::from(self.density.get(v as usize)) / 3.0;
            }
        }
        mass.iter().map(|m| (1.0 / m) as f32).collect()
    }

    fn constraints(&self) -> Result<Vec<Constraints>, Error> {
        let of = || self.traits.of();
        let Woven { fabric, model, warp, ref factors } = self.woven;
        let pbd = |told: &Option<Stiffness>| match told {
            Some(Stiffness::Pbd(k)) => Some(k.clone()),
            _ => None,
        };
        let k = [pbd(&self.stretch), pbd(&self.bend)];
        factors.check(of, self.mesh.positions.len(), (fabric, model), k.each_ref().map(Option::is_some))?;
        if let Some(fabric) = fabric {
            fabric.check(of, model)?;
            // PBD's k has no unit, so it contradicts no number of a fabric.
            let soft = |told: &Option<Stiffness>| told.as_ref().is_some_and(Stiffness::is_compliance);
            let told = [
                ("stretch", soft(&self.stretch)),
                ("compression", self.compress.is_some()),
                ("shear", self.shear.is_some()),
                ("bending", soft(&self.bend)),
            ];
            if let Some((what, _)) = told.into_iter().find(|(_, told)| *told) {
                return Err(Error::FabricTells { of: of(), what });
            }
            let isometric = self.bend_model == BendModel::Isometric;
            return Weave { mesh: &self.mesh, grid: self.grid, fabric, model, warp, factors, isometric, k, of: &of }
                .constraints();
        }
        if model != ClothModel::Edges {
            return Err(Error::NoFabric { of: of(), model: model.name() });
        }
        self.springs_and_hinges()
    }

    /// Rows of compliances and of PBD's k.
    fn springs_and_hinges(&self) -> Result<Vec<Constraints>, Error> {
        let stretch = self.stretch.clone().unwrap_or_else(|| Stiffness::compliance(USUAL_STRETCH));
        let edges = self.mesh.edges();
        let (mut springs, diagonals) = match self.grid {
            Some(grid) => grid.springs(),
            None => (edges.iter().map(|edge| edge.vertices).collect(), Vec::new()),
        };
        if self.shear.is_none() {
            springs.extend(&diagonals);
        }
        let at = springs.into_iter().flatten().collect();
        let mut families = vec![match &self.compress {
            None => Constraints::measured(kinds::DISTANCE, at, stretch),
            Some(compress) => self.apart(at, stretch, compress)?,
        }];
        if let Some(shear) = self.shear.clone().filter(|_| !diagonals.is_empty()) {
            families.push(Constraints::measured(kinds::SHEAR, diagonals.into_iter().flatten().collect(), shear));
        }
        if let Some(bend) = &self.bend {
            let hinges = edges.iter().filter_map(|edge| match edge.opposite {
                [Some(a), Some(b)] => Some([edge.vertices[0], edge.vertices[1], a, b]),
                _ => None,
            });
            let kind = match self.bend_model {
                BendModel::Dihedral => kinds::DIHEDRAL,
                BendModel::Isometric => kinds::ISOMETRIC,
            };
            families.push(Constraints::measured(kind, hinges.flatten().collect(), bend.clone()));
        }
        Ok(families)
    }

    /// Springs whose second parameter is the compliance of compression.
    fn apart(&self, at: Vec<u32>, stretch: Stiffness, compress: &Values) -> Result<Constraints, Error> {
        let (what, want) = match compress {
            Values::PerVertex(_) => ("compression by vertex", self.mesh.positions.len()),
            _ => ("compression", at.len() / 2),
        };
        if let Some(got) = compress.count().filter(|got| *got != want) {
            return Err(Error::Length { of: self.traits.of(), what: what.to_owned(), got, want });
        }
        let position = |v: u32| self.mesh.positions[v as usize];
        let rest: Vec<f32> = at
            .chunks_exact(2)
            .enumerate()
            .flat_map(|(row, e)| {
                let (a, b) = (position(e[0]), position(e[1]));
                let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
                [(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt(), compress.of_row(row, e)]
            })
            .collect();
        Ok(Constraints::new(kinds::STRETCH, at, rest, stretch))
    }
}

/// A vertex's mass, if it is given.
pub(super) fn check_vertex_mass(of: impl Fn() -> String, mass: Option<f32>) -> Result<(), Error> {
    let Some(mass) = mass else { return Ok(()) };
    range(of, || "vertex_mass".to_owned(), f64::from(mass), (1e-12..=1e9).contains(&mass), "within 1e-12 .. 1e9 kg")
}
