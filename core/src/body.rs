//! Bodies: particles and rows of constraints, in the mesh's own order. What a recipe makes and a plan takes.

use crate::attach::Attached;
use crate::error::{Error, range};
use crate::field::Field;
use crate::filter::Filter;
use crate::frames::Frame;
use crate::mesh::Mesh;
use crate::obstacle::Track;
use crate::pins::MovingPins;
use crate::tether::Tether;
use crate::tuning;
use seidel_kernels::Kind;
use serde::{Deserialize, Serialize};

/// How stiff the rows of a family are: one number for all, or one a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Stiffness {
    /// XPBD: compliance, the inverse of a stiffness, in `[C]^2 / J` (distance: m/N; angles: rad^2/J), >= 0; 0 is rigid.
    Compliance(Values),
    /// PBD: k in 0..=1, the share of C that one substep's iterations take away; its effect depends on the substep.
    Pbd(Values),
}

/// One number for all rows, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// The same for all.
    Uniform(f32),
    /// One a row.
    PerRow(Vec<f32>),
}

impl From<f32> for Values {
    fn from(value: f32) -> Self {
        Values::Uniform(value)
    }
}

impl From<Vec<f32>> for Values {
    fn from(values: Vec<f32>) -> Self {
        Values::PerRow(values)
    }
}

impl Values {
    /// The value of a row.
    #[must_use]
    pub fn get(&self, row: usize) -> f32 {
        match self {
            Values::Uniform(value) => *value,
            Values::PerRow(values) => values[row],
        }
    }
}

impl Stiffness {
    /// XPBD compliance.
    #[must_use]
    pub fn compliance(values: impl Into<Values>) -> Stiffness {
        Stiffness::Compliance(values.into())
    }

    /// PBD stiffness, 0..=1.
    #[must_use]
    pub fn pbd(values: impl Into<Values>) -> Stiffness {
        Stiffness::Pbd(values.into())
    }

    /// Whether they are compliances.
    #[must_use]
    pub fn is_compliance(&self) -> bool {
        matches!(self, Stiffness::Compliance(_))
    }

    /// The numbers.
    #[must_use]
    pub fn values(&self) -> &Values {
        match self {
            Stiffness::Compliance(values) | Stiffness::Pbd(values) => values,
        }
    }
}

/// Rows of one kind on a body's vertices.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// The kind: a line of [`crate::kinds`], or a user's own.
    pub kind: Kind,
    /// Vertices, and behind them frames, `kind.slots()` a row.
    pub at: Vec<u32>,
    /// Parameters, `kind.params().len()` a row; empty: they are measured in the body's rest shape ([`Kind::at_rest`]), and
    /// soft ones are the row's own compliance or stiffness.
    pub rest: Vec<f32>,
    /// How stiff.
    pub stiffness: Stiffness,
    /// Values of the kind's parameters that are the material's ([`seidel_kernels::Parameter::usual`]), the same for all rows that
    /// are measured; empty: the usual ones.
    pub material: Vec<f32>,
    /// Relaxation time of XPBD's damping, seconds, >= 0: alpha beta of eq. 26 (Macklin et al. 2016). A strain that is let go decays
    /// by 1/e in it, if nothing else does it sooner. 0 is none; PBD has none.
    pub damping: f32,
}

impl Constraints {
    /// Rows with their parameters, `kind.params().len()` a row.
    #[must_use]
    pub fn new(kind: Kind, at: Vec<u32>, rest: Vec<f32>, stiffness: Stiffness) -> Constraints {
        Constraints { kind, at, rest, stiffness, material: Vec::new(), damping: 0.0 }
    }

    /// Of a material: values of the kind's material parameters, in their order.
    #[must_use]
    pub fn of_material(mut self, values: Vec<f32>) -> Constraints {
        self.material = values;
        self
    }

    /// Damped, with this relaxation time in seconds, >= 0.
    #[must_use]
    pub fn damped(mut self, seconds: f32) -> Constraints {
        self.damping = seconds;
        self
    }

    /// Rows that are at rest in the body's own shape. For kinds that tell all their parameters from it, as built-in ones do.
    #[must_use]
    pub fn measured(kind: Kind, at: Vec<u32>, stiffness: Stiffness) -> Constraints {
        Constraints::new(kind, at, Vec::new(), stiffness)
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.at.len() / self.kind.slots().max(1)
    }

    /// Fills in the parameters, if they are to be measured.
    pub(crate) fn measure(
        &mut self,
        of: &dyn Fn() -> String,
        positions: &[[f32; 3]],
        frames: &[Frame],
    ) -> Result<(), Error> {
        let (kind, slots, params) = (self.kind, self.kind.slots(), self.kind.params());
        if !self.rest.is_empty() || params.is_empty() {
            return Ok(());
        }
        let (points, mut shape, mut turned) = (kind.points(), vec![[0.0; 3]; kind.points()], Vec::new());
        let mut rest = vec![0.0; self.rows() * params.len()];
        for (row, at) in self.at.chunks_exact(slots).enumerate() {
            shape.iter_mut().zip(at).for_each(|(x, &v)| *x = positions[v as usize]);
            turned.clear();
            turned.extend(at[points..].iter().map(|&f| frames[f as usize].rotation));
            let values = &mut rest[row * params.len()..][..params.len()];
            // What is wrong with stiffnesses and positions is found by checks, which name it.
            values.fill(match self.stiffness.values() {
                Values::Uniform(value) => *value,
                Values::PerRow(each) => each.get(row).copied().unwrap_or_default(),
            });
            let mut material = self.material.iter();
            for (value, usual) in values.iter_mut().zip(params).filter_map(|(v, p)| Some(v).zip(p.usual)) {
                *value = material.next().copied().unwrap_or(usual);
            }
            let known = shape.iter().flatten().all(|c| c.abs() <= tuning::MAX_COORDINATE);
            let told = match kind.has_frames() {
                true => kind.at_rest_framed(&shape, &turned, values),
                false => kind.at_rest(&shape, values),
            };
            if !told {
                let want = self.rows() * params.len();
                return Err(Error::Length { of: of(), what: "rest".to_owned(), got: 0, want });
            }
            for (param, value) in params.iter().zip(values).filter(|(param, _)| known && param.is_shape()) {
                let what = || format!("{} in the rest shape of row {row}", param.name);
                range(of, what, f64::from(*value), value.is_finite(), "finite: an element without area or volume")?;
            }
        }
        self.rest = rest;
        Ok(())
    }

    /// Whether lengths, parameters and stiffnesses are as the kind wants them; what rows name is checked beside it.
    pub(crate) fn check(&self, of: &dyn Fn() -> String) -> Result<(), Error> {
        let (slots, params, rows) = (self.kind.slots(), self.kind.params(), self.rows());
        let length = |what: &str, got: usize, want: usize| {
            if got == want { Ok(()) } else { Err(Error::Length { of: of(), what: what.to_owned(), got, want }) }
        };
        length("vertices", self.at.len(), rows * slots)?;
        length("rest", self.rest.len(), rows * params.len())?;
        if let Values::PerRow(values) = self.stiffness.values() {
            length("stiffness", values.len(), rows)?;
        }
        let materials = params.iter().filter(|p| p.usual.is_some()).count();
        if !self.material.is_empty() {
            length("material", self.material.len(), materials)?;
        }
        let damping = f64::from(self.damping);
        range(of, || "damping".to_owned(), damping, (0.0..=1e6).contains(&damping), "within 0 .. 1e6 s")?;
        if !self.stiffness.is_compliance() {
            range(of, || "damping".to_owned(), damping, damping == 0.0, "0: PBD has none, give a compliance")?;
        }
        for (row, values) in self.rest.chunks_exact(params.len().max(1)).enumerate() {
            for (param, &value) in params.iter().zip(values) {
                if param.soft {
                    check_stiffness(of, row, value, &self.stiffness)?;
                } else {
                    let good = (param.min..=param.max).contains(&value);
                    let what = || {
                        format!("{} of row {row} (limits {} .. {} {})", param.name, param.min, param.max, param.unit)
                    };
                    range(of, what, f64::from(value), good, "within its limits")?;
                }
            }
        }
        check_stiffnesses(of, &self.stiffness)
    }
}

/// With which bodies one collides: both must want it. Two features keep the sum of their bodies' thicknesses; less, if they are
/// nearer at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collide {
    /// With colliders only.
    #[default]
    Nothing,
    /// With other bodies.
    Others,
    /// With other bodies and with itself.
    All,
}

/// A deformable body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name, unique in a scene; by its number if empty.
    pub name: String,
    /// Positions at rest and at the start, metres.
    pub positions: Vec<[f32; 3]>,
    /// Velocities at the start, m/s; empty: at rest.
    pub velocities: Vec<[f32; 3]>,
    /// Inverse masses, 1/kg; 0 does not move.
    pub inv_mass: Vec<f32>,
    /// Rotations between points, which kinds such as [`crate::kinds::BEND_TWIST`] turn.
    pub frames: Vec<Frame>,
    /// Vertices of inverse mass 0 that follow paths; all other such vertices rest.
    pub moving_pins: Vec<MovingPins>,
    /// Vertices of inverse mass 0 that are kept where they lie over obstacles.
    pub attached: Vec<Attached>,
    /// Vertices that stay near obstacles.
    pub tethers: Vec<Tether>,
    /// How much further each vertex may be from the nearest vertex of inverse mass 0 than the way there along triangles and `edges` is
    /// at rest, a share of it, >= 0: [`crate::Cloth::long_range`]. Any distance without.
    pub long_range: Option<f32>,
    /// If it goes where it is taken, all of it: where that is. All its inverse masses are 0 then.
    pub obstacle: Option<Track>,
    /// Triangles, for contacts and pictures.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra, for pictures and for `skin`.
    pub tets: Vec<[u32; 4]>,
    /// A surface that goes with the tetrahedra, metres at rest: what pictures show instead of `triangles`.
    pub skin: Option<Mesh>,
    /// Edges for contacts with bodies, beside those of the triangles: a rope's.
    pub edges: Vec<[u32; 2]>,
    /// Constraints, family after family: the order in which they are solved.
    pub constraints: Vec<Constraints>,
    /// Constraints on any number of vertices, solved after those.
    pub fields: Vec<Field>,
    /// Particle radius, metres, >= 0: bodies keep this distance from colliders, and twice as much from themselves.
    pub thickness: f32,
    /// Which colliders and other bodies it meets.
    pub filter: Filter,
    /// What else it collides with, beside colliders.
    pub collide: Collide,
    /// Friction coefficient, >= 0. A contact's is the geometric mean of the collider's and the body's.
    pub friction: f32,
    /// Factor on the restitution of colliders, 0..=1.
    pub restitution: f32,
    /// Share of the velocity relative to the body's rigid motion that a step takes away, 0..=1 (Müller et al. 2007,
    /// section 3.5).
    pub damping: f32,
    /// Coefficient of drag of its triangles in the air ([`crate::Air`]), >= 0: 1.2 is a square plate's across the flow.
    pub drag: f32,
    /// Coefficient of lift, >= 0: of C_L = lift sin(a) cos(a), where the flow meets a triangle at the angle a.
    pub lift: f32,
}

impl Body {
    /// A body of free particles: no triangles, no constraints, no damping, no drag or lift, friction 0.5.
    #[must_use]
    pub fn particles(positions: Vec<[f32; 3]>, inv_mass: Vec<f32>) -> Body {
        Body {
            name: String::new(),
            positions,
            velocities: Vec::new(),
            inv_mass,
            frames: Vec::new(),
            moving_pins: Vec::new(),
            attached: Vec::new(),
            tethers: Vec::new(),
            long_range: None,
            obstacle: None,
            triangles: Vec::new(),
            tets: Vec::new(),
            skin: None,
            edges: Vec::new(),
            constraints: Vec::new(),
            fields: Vec::new(),
            thickness: 0.0,
            filter: Filter::default(),
            collide: Collide::Nothing,
            friction: 0.5,
            restitution: 1.0,
            damping: 0.0,
            drag: 0.0,
            lift: 0.0,
        }
    }

    /// Fills in the parameters that are to be measured.
    pub(crate) fn measure_rest(&mut self) -> Result<(), Error> {
        let Body { positions, frames, name, constraints, .. } = self;
        constraints.iter_mut().try_for_each(|c| {
            let kind = c.kind.name();
            c.measure(&|| format!("body `{name}`, kind `{kind}`"), positions, frames)
        })
    }

    /// Everything that makes stepping infallible.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let of = || format!("body `{}`", self.name);
        let n = self.positions.len();
        let length = |what: &str, got: usize, want: usize| {
            if got == want { Ok(()) } else { Err(Error::Length { of: of(), what: what.to_owned(), got, want }) }
        };
        length("inv_mass", self.inv_mass.len(), n)?;
        if !self.velocities.is_empty() {
            length("velocities", self.velocities.len(), n)?;
        }
        let limit = tuning::MAX_COORDINATE;
        for (v, p) in self.positions.iter().enumerate() {
            for &c in p {
                range(of, || format!("position of vertex {v}"), f64::from(c), c.abs() <= limit, "within +-1e6 m")?;
            }
        }
        for (v, p) in self.velocities.iter().enumerate() {
            for &c in p {
                range(of, || format!("velocity of vertex {v}"), f64::from(c), c.abs() <= limit, "within +-1e6 m/s")?;
            }
        }
        for (v, &w) in self.inv_mass.iter().enumerate() {
            let good = w == 0.0 || (tuning::MIN_INV_MASS..=tuning::MAX_INV_MASS).contains(&w);
            range(of, || format!("inverse mass of vertex {v}"), f64::from(w), good, "0 or within 1e-9 .. 1e12 per kg")?;
        }
        for (t, corners) in self.triangles.iter().enumerate() {
            self.check_row(&|| of() + ", triangles", t, corners, &[])?;
        }
        for (t, corners) in self.tets.iter().enumerate() {
            self.check_row(&|| of() + ", tetrahedra", t, corners, &[])?;
        }
        for (e, ends) in self.edges.iter().enumerate() {
            self.check_row(&|| of() + ", edges", e, ends, &[])?;
        }
        let thickness = self.thickness;
        range(of, || "thickness".to_owned(), f64::from(thickness), (0.0..=limit).contains(&thickness), "0 m or more")?;
        let friction = self.friction;
        range(of, || "friction".to_owned(), f64::from(friction), (0.0..=1e6).contains(&friction), "0 or more")?;
        let damping = self.damping;
        range(of, || "damping".to_owned(), f64::from(damping), (0.0..=1.0).contains(&damping), "within 0 .. 1")?;
        let e = self.restitution;
        range(of, || "restitution".to_owned(), f64::from(e), (0.0..=1.0).contains(&e), "within 0 .. 1")?;
        for (what, c) in [("drag", self.drag), ("lift", self.lift)] {
            range(of, || what.to_owned(), f64::from(c), (0.0..=1e6).contains(&c), "within 0 .. 1e6")?;
        }
        self.check_frames()?;
        for (i, field) in self.fields.iter().enumerate() {
            field.check(&|| format!("{}, field {i}", of()), &self.positions)?;
        }
        self.check_moving_pins()?;
        self.check_track()?;
        self.check_tethers()?;
        self.check_long_range()?;
        self.constraints.iter().try_for_each(|c| self.check_constraints(c))
    }

    /// Every row names vertices and frames that exist, none twice.
    pub(crate) fn check_rows(&self) -> Result<(), Error> {
        self.check_frames()?;
        for c in &self.constraints {
            let of = || format!("body `{}`, kind `{}`", self.name, c.kind.name());
            let want = c.rows() * c.kind.slots();
            if c.at.len() != want {
                return Err(Error::Length { of: of(), what: "vertices".to_owned(), got: c.at.len(), want });
            }
            for (row, at) in c.at.chunks_exact(c.kind.slots()).enumerate() {
                let (at, frames) = at.split_at(c.kind.points());
                self.check_row(&of, row, at, frames)?;
            }
        }
        Ok(())
    }

    fn check_row(&self, of: &dyn Fn() -> String, row: usize, at: &[u32], frames: &[u32]) -> Result<(), Error> {
        for (what, at, count) in [("vertex", at, self.positions.len()), ("frame", frames, self.frames.len())] {
            for (i, &number) in at.iter().enumerate() {
                if number as usize >= count {
                    let of = format!("{} row {row}", of());
                    return Err(Error::Missing { of, what, index: number as usize, count });
                }
                if at[..i].contains(&number) {
                    return Err(Error::Repeated { of: of(), row, what, number });
                }
            }
        }
        Ok(())
    }

    fn check_constraints(&self, c: &Constraints) -> Result<(), Error> {
        let of = || format!("body `{}`, kind `{}`", self.name, c.kind.name());
        for (row, at) in c.at.chunks_exact(c.kind.slots()).enumerate() {
            let (at, frames) = at.split_at(c.kind.points());
            self.check_row(&of, row, at, frames)?;
        }
        c.check(&of)
    }
}

/// Whether all are within their limits.
pub(crate) fn check_stiffnesses(of: impl Fn() -> String, stiffness: &Stiffness) -> Result<(), Error> {
    match stiffness.values() {
        Values::Uniform(value) => check_stiffness(of, 0, *value, stiffness),
        Values::PerRow(values) => {
            values.iter().enumerate().try_for_each(|(row, &value)| check_stiffness(&of, row, value, stiffness))
        }
    }
}

fn check_stiffness(of: impl Fn() -> String, row: usize, value: f32, stiffness: &Stiffness) -> Result<(), Error> {
    let (what, good, limit) = match stiffness {
        Stiffness::Compliance(_) => ("compliance", (0.0..=1e18).contains(&value), "within 0 .. 1e18"),
        Stiffness::Pbd(_) => ("stiffness", (0.0..=1.0).contains(&value), "within 0 .. 1"),
    };
    range(of, || format!("{what} of row {row}"), f64::from(value), good, limit)
}
