//! Rope: a chain of particles, each a distance constraint from the next; pulled only, or kept at length.

use crate::describe::body::{Body, Constraints};
use crate::describe::error::{Error, range};
use crate::describe::long_range::LongRange;
use crate::describe::memory::Need;
use crate::describe::plasticity::Plasticity;
use crate::describe::stiffness::{Stiffness, Values};
use crate::describe::traits::{Traits, shared};
use crate::tuning::MAX_PARTICLES;
use glam::Vec3;
use seidel_kinds as kinds;

/// A chain of particles between two points.
#[derive(Clone, Debug)]
pub struct Rope {
    pub(super) traits: Traits,
    points: Vec<[f32; 3]>,
    /// Particles asked for.
    wanted: usize,
    link_mass: f32,
    end_mass: Option<f32>,
    stretch: Stiffness,
    slack: bool,
    plastic: Option<Plasticity>,
}

shared!(Rope);

impl Rope {
    /// `segments` + 1 particles on a line: links of 10 g, rigid, kept at length (not slack), thickness 5 mm.
    #[must_use]
    pub fn new(from: impl Into<Vec3>, to: impl Into<Vec3>, segments: u32) -> Rope {
        let (from, to) = (from.into(), to.into());
        let wanted = (segments as usize).saturating_add(1);
        // A count beyond the limit is refused when planned; here it must not fill the memory.
        let segments = if segments < MAX_PARTICLES { segments } else { 1 };
        let at = |i: u32| f64::from(i) / f64::from(segments.max(1));
        let point = |t: f64| std::array::from_fn(|k| (f64::from(from[k]) * (1.0 - t) + f64::from(to[k]) * t) as f32);
        Rope { wanted, ..Rope::through((0..=segments).map(|i| point(at(i))).collect()) }
    }

    /// A rope through given points; the distances between them are its rest lengths.
    #[must_use]
    pub fn through(points: Vec<[f32; 3]>) -> Rope {
        Rope {
            traits: Traits::new(0.005),
            wanted: points.len(),
            points,
            link_mass: 0.01,
            end_mass: None,
            stretch: Stiffness::compliance(0.0),
            slack: false,
            plastic: None,
        }
    }

    /// Mass of each particle, kg, > 0.
    #[must_use]
    pub fn link_mass(mut self, mass: f32) -> Rope {
        self.link_mass = mass;
        self
    }

    /// Mass of the last particle, kg, > 0.
    #[must_use]
    pub fn end_mass(mut self, mass: f32) -> Rope {
        self.end_mass = Some(mass);
        self
    }

    /// Compliance of a link, m/N, >= 0.
    #[must_use]
    pub fn stretch(self, compliance: impl Into<Values>) -> Rope {
        self.stretch_by(Stiffness::compliance(compliance))
    }

    /// Stiffness of a link, as compliance or as PBD's k.
    #[must_use]
    pub fn stretch_by(mut self, stiffness: Stiffness) -> Rope {
        self.stretch = stiffness;
        self
    }

    /// Links pull and never push.
    #[must_use]
    pub fn slack(mut self, slack: bool) -> Rope {
        self.slack = slack;
        self
    }

    /// Links stay stretched, and if it is not slack compressed, beyond a strain.
    #[must_use]
    pub fn plastic(mut self, plasticity: Plasticity) -> Rope {
        self.plastic = Some(plasticity);
        self
    }

    /// Keeps each vertex within the way to its nearest pinned or attached vertex, along its links, and a share `slack`
    /// of it more, >= 0 (Kim, Chentanez, Müller 2012, "Long Range Attachments"): whatever the substeps, no particle is
    /// further away. Links in between may stretch. In every substep, after constraints and contacts between bodies and
    /// before colliders, what is too far is put where it may be; nothing pulls at the pin. Pins that move take their
    /// bounds with them; one that is freed in a state bounds nothing, and one that is pinned there neither: plan again
    /// for those. [`LongRange::Off`] unless told.
    #[must_use]
    pub fn long_range(mut self, slack: impl Into<LongRange>) -> Rope {
        self.traits.long_range = slack.into();
        self
    }

    /// Its particles, metres.
    #[must_use]
    pub fn points(&self) -> &[[f32; 3]] {
        &self.points
    }

    pub(super) fn need(&self) -> Need {
        self.traits.counted(Need::rope(self.wanted as u64))
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        let of = || self.traits.of();
        let n = self.points.len();
        if self.wanted > MAX_PARTICLES as usize {
            return Err(Error::TooLarge { got: self.wanted, limit: MAX_PARTICLES as usize });
        }
        range(of, || "number of particles".to_owned(), n as f64, n >= 2, "2 or more")?;
        let same = self.points.iter().all(|p| *p == self.points[0]);
        range(of, || "length of the rope".to_owned(), 0.0, !same, "above 0 m: all its points are the same")?;
        for (what, mass) in [("link mass", Some(self.link_mass)), ("end mass", self.end_mass)] {
            let Some(mass) = mass else { continue };
            range(of, || what.to_owned(), f64::from(mass), (1e-12..=1e9).contains(&mass), "within 1e-12 .. 1e9 kg")?;
        }
        let mut inv_mass = vec![1.0 / self.link_mass; n];
        if let Some(mass) = self.end_mass {
            inv_mass[n - 1] = 1.0 / mass;
        }
        let edges: Vec<[u32; 2]> = (0..n as u32 - 1).map(|i| [i, i + 1]).collect();
        let at = edges.concat();
        let kind = if self.slack { kinds::ROPE } else { kinds::DISTANCE };
        let links = Constraints::measured(kind, at, self.stretch.clone());
        let constraints = vec![Constraints { plasticity: self.plastic, ..links }];
        self.traits.given_to(Body { edges, constraints, ..Body::particles(self.points.clone(), inv_mass) })
    }
}
