//! How bodies of loose particles come and go: their emitters, drains and capacity, and the methods that set them,
//! written once.

use crate::describe::body::Body;
use crate::describe::emitter::Emitter;
use crate::describe::error::{Error, range};
use crate::describe::region::Region;
use crate::tuning::MAX_PARTICLES;

/// Where particles come from and go to, and how many there may be.
#[derive(Clone, Debug, Default)]
pub(super) struct Pouring {
    pub(super) emitters: Vec<Emitter>,
    pub(super) drains: Vec<Region>,
    pub(super) capacity: Option<usize>,
}

impl Pouring {
    /// How many particles a body may have that is `filled` at the start, as a number that may be too large for any
    /// memory; `spacing` is that of the places in an opening, metres.
    pub(super) fn most(&self, filled: f64, spacing: f64) -> f64 {
        let of_emitters = self.emitters.iter().filter_map(|emitter| emitter.total(spacing)).sum::<f64>();
        // A capacity that is too small for what it is filled with is refused once that has been found.
        self.capacity.map_or(filled + of_emitters, |capacity| (capacity as f64).max(filled))
    }

    /// Particles that a body has at most, of which so many are there at the start; `what` it is.
    pub(super) fn room(
        &self,
        of: impl Fn() -> String,
        filled: usize,
        (spacing, what): (f64, &'static str),
    ) -> Result<usize, Error> {
        for (i, emitter) in self.emitters.iter().enumerate() {
            emitter.check(&|| format!("{}, emitter {i}", of()), spacing)?;
        }
        let limit = MAX_PARTICLES as usize;
        let count = match self.capacity {
            Some(capacity) => {
                let (good, of_what) = (capacity >= filled, || "capacity".to_owned());
                range(&of, of_what, capacity as f64, good, what)?;
                range(&of, of_what, capacity as f64, capacity > 0, "1 or more")?;
                capacity
            }
            None => {
                let mut all = filled as f64;
                for (i, emitter) in self.emitters.iter().enumerate() {
                    let of = || format!("{}, emitter {i}", of());
                    let total = emitter.total(spacing);
                    range(
                        of,
                        || "end".to_owned(),
                        emitter.until,
                        total.is_some(),
                        "finite: give it one, or its body a capacity",
                    )?;
                    let places = emitter.layer(spacing).len();
                    let exact = emitter.due(emitter.gap_of(places, spacing), emitter.until) as f64 * places as f64;
                    all += total.map_or(0.0, |_| exact);
                }
                if all < limit as f64 { all as usize } else { usize::MAX }
            }
        };
        if count > limit { Err(Error::TooLarge { got: count, limit }) } else { Ok(count) }
    }

    /// A body of particles of a mass at places, and of others that are not there: these wait at the first emitter.
    pub(super) fn body(&self, mut positions: Vec<[f32; 3]>, count: usize, mass: f64) -> Body {
        let filled = positions.len();
        let waits = self.emitters.first().map_or([0.0; 3], |emitter| emitter.pose.position.map(|c| c as f32));
        positions.resize(count, waits);
        let mut body = Body::particles(positions, vec![(1.0 / mass) as f32; count]);
        body.inv_mass[filled..].fill(0.0);
        (body.emitters, body.drains) = (self.emitters.clone(), self.drains.clone());
        body
    }
}

/// The methods of a recipe whose field `pouring` holds [`Pouring`].
macro_rules! pours {
    ($recipe:ty) => {
        impl $recipe {
            /// Takes away what comes into a part of space. Its particles can be born again.
            #[must_use]
            pub fn drain(mut self, region: $crate::describe::region::Region) -> Self {
                self.pouring.drains.push(region);
                self
            }

            /// The most particles that it has at a time, those at the start included. Needed where an emitter has no
            /// end; otherwise as many as all emitters give, unless told.
            #[must_use]
            pub fn capacity(mut self, particles: usize) -> Self {
                self.pouring.capacity = Some(particles);
                self
            }
        }
    };
}
pub(super) use pours;
