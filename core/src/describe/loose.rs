//! What bodies of loose particles share, fluids and grains: a name, a velocity, and boxes that they fill at the start.

use crate::describe::body::Body;
use crate::describe::error::{Error, range};
use crate::describe::filter::Filter;
use crate::tuning::MAX_COORDINATE;
use glam::Vec3;

/// Properties of a body of loose particles.
#[derive(Clone, Debug, Default)]
pub(super) struct Loose {
    pub(super) name: String,
    pub(super) velocity: [f32; 3],
    pub(super) linear_damping: f32,
    pub(super) filter: Filter,
}

impl Loose {
    /// The body in messages.
    pub(super) fn of(&self) -> String {
        format!("body `{}`", self.name)
    }

    /// The body with these.
    pub(super) fn given_to(&self, mut body: Body) -> Body {
        if self.velocity != [0.0; 3] {
            body.velocities = vec![self.velocity; body.positions.len()];
        }
        body.name.clone_from(&self.name);
        (body.linear_damping, body.filter) = (self.linear_damping, self.filter);
        body
    }
}

/// A box that particles fill at the start, metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct FillBox {
    pub(super) low: [f32; 3],
    pub(super) high: [f32; 3],
}

impl FillBox {
    pub(super) fn new(low: impl Into<Vec3>, high: impl Into<Vec3>) -> FillBox {
        FillBox { low: low.into().to_array(), high: high.into().to_array() }
    }

    /// How long a side is.
    pub(super) fn side(&self, k: usize) -> f64 {
        f64::from(self.high[k]) - f64::from(self.low[k])
    }

    /// Refuses corners out of range, and sides below `least` but for a rounding; `limit` says in words what these have.
    pub(super) fn check(&self, of: &dyn Fn() -> String, least: f64, limit: &'static str) -> Result<(), Error> {
        for k in 0..3 {
            for c in [self.low[k], self.high[k]] {
                let good = c.abs() <= MAX_COORDINATE;
                range(of, || "corner of the block".to_owned(), f64::from(c), good, "within +-1e6 m")?;
            }
            let side = self.side(k);
            range(of, || "side of the block".to_owned(), side, side >= least * (1.0 - ROUNDING), limit)?;
        }
        Ok(())
    }
}

/// A side that is as long as it has to be but for so much of that.
pub(super) const ROUNDING: f64 = 1e-4;
