//! Rows of constraints, of one kind each.

use crate::describe::error::{Error, range};
use crate::describe::frame::MaterialFrame;
use crate::describe::memory::Need;
use crate::describe::plasticity::Plasticity;
use crate::describe::stiffness::{Stiffness, Values, check_stiffness, check_stiffnesses};
use crate::tuning;
use seidel_kernels::Kind;

/// Rows of one kind on a body's vertices.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// The kind: a line of [`crate::kinds`], or a user's own.
    pub kind: Kind,
    /// Vertices, and behind them frames, `kind.slots()` a row.
    pub at: Vec<u32>,
    /// Parameters, `kind.params().len()` a row; empty: they are measured in the body's rest shape ([`Kind::at_rest`]),
    /// and soft ones are the row's own compliance or stiffness.
    pub rest: Vec<f32>,
    /// How stiff.
    pub stiffness: Stiffness,
    /// Values of the kind's parameters that are the material's ([`seidel_kernels::Parameter::usual`]), the same for all
    /// rows that are measured; empty: the usual ones.
    pub material: Vec<f32>,
    /// Relaxation time of XPBD's damping, seconds, >= 0: tau = alpha beta (Macklin et al. 2016, eq. 26), in a sweep of
    /// its own. A strain that is let go decays by 1/e in it, if nothing else does it sooner. 0 is none; PBD has none.
    pub damping: f32,
    /// When the rest shape yields; never if none.
    pub plasticity: Option<Plasticity>,
}

impl Constraints {
    /// Rows with their parameters, `kind.params().len()` a row.
    #[must_use]
    pub fn new(kind: Kind, at: Vec<u32>, rest: Vec<f32>, stiffness: Stiffness) -> Constraints {
        Constraints { kind, at, rest, stiffness, material: Vec::new(), damping: 0.0, plasticity: None }
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

    /// With a rest shape that yields.
    #[must_use]
    pub fn plastic(mut self, plasticity: Plasticity) -> Constraints {
        self.plasticity = Some(plasticity);
        self
    }

    /// Rows that are at rest in the body's own shape. For kinds that tell all their parameters from it, as built-in
    /// ones do.
    #[must_use]
    pub fn measured(kind: Kind, at: Vec<u32>, stiffness: Stiffness) -> Constraints {
        Constraints::new(kind, at, Vec::new(), stiffness)
    }

    /// This need and that of these rows.
    pub(crate) fn counted(need: Need, rows: &Constraints) -> Need {
        need.constraints(rows.rows() as u64, (rows.kind.slots() + rows.kind.params().len()) as u64)
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.at.len() / self.kind.slots().max(1)
    }

    /// Gives each row a stiffness of its own, the mean of its vertices', where they have some; `vertices` is the body's
    /// number of them.
    pub(crate) fn by_row(&mut self, of: &dyn Fn() -> String, vertices: usize) -> Result<(), Error> {
        let (Stiffness::Compliance(values) | Stiffness::Pbd(values)) = &self.stiffness;
        let Values::PerVertex(each) = values else { return Ok(()) };
        if each.len() != vertices {
            let what = "stiffness by vertex".to_owned();
            return Err(Error::Length { of: of(), what, got: each.len(), want: vertices });
        }
        each.iter()
            .enumerate()
            .try_for_each(|(v, &value)| check_stiffness(of, ("vertex", v), value, &self.stiffness))?;
        let points = self.kind.points();
        let rows = self.at.chunks_exact(self.kind.slots()).enumerate();
        let rows = rows.map(|(row, at)| values.of_row(row, &at[..points])).collect();
        self.stiffness = match self.stiffness {
            Stiffness::Compliance(_) => Stiffness::Compliance(Values::PerRow(rows)),
            Stiffness::Pbd(_) => Stiffness::Pbd(Values::PerRow(rows)),
        };
        Ok(())
    }

    /// Fills in the parameters, if they are to be measured.
    pub(crate) fn measure(
        &mut self,
        of: &dyn Fn() -> String,
        positions: &[[f32; 3]],
        frames: &[MaterialFrame],
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
            turned.extend(at[points..].iter().map(|&f| frames[f as usize].rotation.to_array()));
            let values = &mut rest[row * params.len()..][..params.len()];
            // The checks find invalid stiffnesses and positions, and name them.
            values.fill(match self.stiffness.values() {
                Values::Uniform(value) => *value,
                Values::PerRow(each) | Values::PerVertex(each) => each.get(row).copied().unwrap_or_default(),
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
        self.plasticity.map_or(Ok(()), |plasticity| plasticity.check(of, &self.kind))?;
        for (row, values) in self.rest.chunks_exact(params.len().max(1)).enumerate() {
            for (param, &value) in params.iter().zip(values) {
                if param.soft {
                    check_stiffness(of, ("row", row), value, &self.stiffness)?;
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
