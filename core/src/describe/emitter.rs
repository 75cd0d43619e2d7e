//! Emitters: where a fluid comes from, or grains.

mod outlets;

use crate::describe::error::{Error, range};
use crate::describe::mesh::Mesh;
use crate::describe::pose::Pose;
use crate::tuning::MAX_COORDINATE;
pub use outlets::Outlet;
use std::sync::Arc;

/// What an emitter's opening looks like.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Opening {
    /// A disk of a radius, metres.
    Disk(f32),
    /// A rectangle: half its sides along the pose's x and z, metres.
    Rectangle([f32; 2]),
    /// A surface, open or closed, which the fluid leaves along its triangles' normals: a rose, a crest, a wet body.
    Mesh(Arc<Mesh>),
}

/// An opening from which a fluid flows along the +y of its pose (of a mesh, along its normals), layer after layer of
/// particles a spacing apart: area times speed, in m^3/s. Where a layer's particles are more than the opening's area,
/// layers are farther apart, and nearer where a mesh has fewer ([`Emitter::gap`]).
///
/// Particles are born in the substep in which they leave the opening. Up to two spacings from it they go as it says,
/// whatever they meet. A place that a particle of the fluid is at gets none of its own, that one goes on from there;
/// and none is born at a place before which the fluid cannot give way ([`crate::Report::fluid_blocked`]). They are
/// those of the fluid's [`crate::Fluid::capacity`] that are not there; when none is left, nothing comes
/// ([`crate::Report::fluid_full`]).
///
/// Grains have two and a half radii as spacing. They fall freely from the opening, born at the beginning of the step
/// after they have left it, where no other grain is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Emitter {
    /// Where it is, and how it is turned.
    pub pose: Pose,
    /// What it looks like.
    pub opening: Opening,
    /// m/s, > 0. A layer is born every gap / speed seconds.
    pub speed: f64,
    /// When it begins, and when it ends, seconds.
    pub from: f64,
    /// When it ends.
    pub until: f64,
    /// By how much particles are born beside their places, spacings, 0 .. 0.5; 0 unless told. A jet with more than a
    /// little of it is compressed, and particles that are born inside it are thrown out. The same seed gives the same
    /// places.
    pub jitter: f32,
    /// Seed of the jitter.
    pub seed: u32,
}

impl Emitter {
    /// One that flows from the start on without end.
    #[must_use]
    pub fn new(pose: Pose, opening: Opening, speed: f64) -> Emitter {
        Emitter { pose, opening, speed, from: 0.0, until: f64::INFINITY, jitter: 0.0, seed: 0 }
    }

    /// Between two times, seconds.
    #[must_use]
    pub fn during(mut self, from: f64, until: f64) -> Emitter {
        (self.from, self.until) = (from, until);
        self
    }

    /// With so much jitter, spacings, from a seed.
    #[must_use]
    pub fn jitter(mut self, jitter: f32, seed: u32) -> Emitter {
        (self.jitter, self.seed) = (jitter, seed);
        self
    }

    /// Places of a layer's particles in the opening: on a square lattice about its middle, or over its mesh, no two
    /// nearer than 0.99 spacings where it looks the same way.
    #[must_use]
    pub fn layer(&self, spacing: f64) -> Vec<Outlet> {
        let (half, inside): ([f64; 2], &dyn Fn(f64, f64) -> bool) = match &self.opening {
            Opening::Disk(radius) => {
                let r = f64::from(*radius);
                ([r; 2], &move |x, z| x * x + z * z <= r * r)
            }
            Opening::Rectangle([x, z]) => ([f64::from(*x), f64::from(*z)], &|_, _| true),
            Opening::Mesh(mesh) => return outlets::over(mesh, spacing),
        };
        // As many as fit, in the middle; one where none would.
        let count = half.map(|half| (2.0 * half / spacing + 1e-4).floor().max(1.0) as u32);
        let at = |i: u32, k: usize| (f64::from(i) - 0.5 * f64::from(count[k] - 1)) * spacing;
        let places = (0..count[1]).flat_map(|j| (0..count[0]).map(move |i| (i, j)));
        let places = places.map(|(i, j)| [at(i, 0), 0.0, at(j, 1)]).filter(|[x, _, z]| inside(*x, *z));
        places.map(|place| Outlet { place, along: [0.0, 1.0, 0.0] }).collect()
    }

    /// Places of a layer at most, as a number that may be too large for any memory.
    pub(crate) fn places(&self, spacing: f64) -> f64 {
        let half = match &self.opening {
            Opening::Disk(radius) => [*radius; 2],
            Opening::Rectangle(half) => *half,
            Opening::Mesh(mesh) => return outlets::over(mesh, spacing).len() as f64,
        };
        let along = half.map(|half| (2.0 * f64::from(half) / spacing + 1e-4).floor());
        let places = along[0] * along[1];
        if places > 1.0 { places } else { 1.0 }
    }

    /// How far layers are apart, metres: a spacing, or farther, so that no more flows than area times speed. Over a mesh
    /// places lie less densely than on a lattice, and layers may be as near as 0.9 spacings, so that no less flows.
    #[must_use]
    pub fn gap(&self, spacing: f64) -> f64 {
        self.gap_of(self.layer(spacing).len(), spacing)
    }

    /// The same of layers of so many particles.
    pub(crate) fn gap_of(&self, places: usize, spacing: f64) -> f64 {
        let apart = places as f64 * (spacing * spacing) / self.area();
        let least = if matches!(self.opening, Opening::Mesh(_)) { 0.9 } else { 1.0 };
        if apart > least { apart * spacing } else { least * spacing }
    }

    /// The middle of the opening, metres: of a mesh that of the box about it.
    pub(crate) fn middle(&self) -> [f64; 3] {
        let Opening::Mesh(mesh) = &self.opening else { return self.pose.position };
        let of = |k: usize| mesh.positions.iter().map(move |p| f64::from(p[k]));
        let [low, high] = [0, 1].map(|side| -> [f64; 3] {
            std::array::from_fn(|k| match side {
                0 => of(k).fold(f64::INFINITY, f64::min),
                _ => of(k).fold(f64::NEG_INFINITY, f64::max),
            })
        });
        self.pose.apply(std::array::from_fn(|k| 0.5 * (low[k] + high[k])))
    }

    /// Of the opening, m^2.
    fn area(&self) -> f64 {
        match &self.opening {
            Opening::Disk(radius) => std::f64::consts::PI * f64::from(*radius) * f64::from(*radius),
            Opening::Rectangle([x, z]) => 4.0 * f64::from(*x) * f64::from(*z),
            Opening::Mesh(mesh) => outlets::area(mesh),
        }
    }

    /// Layers that are due at a time, `gap` metres apart.
    pub(crate) fn due(&self, gap: f64, time: f64) -> u64 {
        let until = if time < self.until { time } else { self.until };
        // A time that is not finite, or before the begin, has no layer; a cast saturates.
        if until >= self.from { (((until - self.from) * self.speed / gap).floor() as u64).saturating_add(1) } else { 0 }
    }

    /// Particles from its begin to its end, at most; none if it has no end.
    pub(crate) fn total(&self, spacing: f64) -> Option<f64> {
        self.until.is_finite().then(|| {
            let places = self.places(spacing);
            let gap = match self.opening {
                Opening::Mesh(_) => self.gap_of(places as usize, spacing),
                Opening::Disk(_) | Opening::Rectangle(_) => spacing,
            };
            self.due(gap, self.until) as f64 * places
        })
    }

    pub(super) fn check(&self, of: &dyn Fn() -> String, spacing: f64) -> Result<(), Error> {
        if !self.pose.is_valid() {
            let sum = self.pose.position.iter().chain(&self.pose.rotation).sum();
            range(of, || "pose (sum of its numbers)".to_owned(), sum, false, "finite with a unit quaternion")?;
        }
        for c in self.pose.position {
            let good = c.abs() <= f64::from(MAX_COORDINATE);
            range(of, || "position".to_owned(), c, good, "within +-1e6 m")?;
        }
        let lengths = match &self.opening {
            Opening::Disk(radius) => vec![*radius],
            Opening::Rectangle(half) => half.to_vec(),
            Opening::Mesh(mesh) => {
                outlets::check(of, mesh, spacing)?;
                Vec::new()
            }
        };
        for length in lengths {
            let good = length > 0.0 && length <= MAX_COORDINATE;
            range(of, || "half the opening".to_owned(), f64::from(length), good, "above 0 and at most 1e6 m")?;
            // A layer's places are kept: some megabytes.
            let across = f64::from(length) / spacing;
            range(of, || "half the opening".to_owned(), across, across <= 500.0, "at most 500 spacings")?;
        }
        range(of, || "speed".to_owned(), self.speed, (1e-6..=1e3).contains(&self.speed), "within 1e-6 .. 1000 m/s")?;
        for (what, time) in [("begin", self.from), ("end", self.until)] {
            range(of, || what.to_owned(), time, time >= 0.0, "0 s or later")?;
        }
        range(of, || "end".to_owned(), self.until, self.until > self.from, "after the begin")?;
        let good = (0.0..=0.5).contains(&self.jitter);
        range(of, || "jitter".to_owned(), f64::from(self.jitter), good, "within 0 .. 0.5 spacings")
    }
}
