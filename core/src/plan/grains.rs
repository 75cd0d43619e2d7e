//! The grains of a scene: which bodies they are, and how each two kinds hold each other.

use super::body::BodyPlan;
use super::carve::LeftOut;
use super::sources::Sources;
use crate::describe::body::Body;
use crate::describe::error::{Error, range};
use crate::describe::friction::CombineRule;
use crate::describe::grain::Grain;
use crate::describe::settings::Settings;
use crate::tuning::{GRAIN_RATIO, GRAINS_APART, GRAINS_PRESSED};
use seidel_hash::PointGrid;
use seidel_kernels::contact::Grip;
use std::sync::Arc;

/// All grains.
#[derive(Clone, Debug)]
pub(crate) struct Grains {
    /// All of them, in the order of their bodies.
    pub(crate) bodies: Vec<GrainBody>,
    /// For each two of them, row by row: at which distance they touch, metres, and what holds them.
    contacts: Vec<(f32, Grip)>,
    /// The largest distance at which two touch, metres.
    pub(crate) reach: f32,
    /// Whether any contact draws, and any mass is scaled.
    pub(crate) cohesive: bool,
    pub(crate) scaled: bool,
    /// Grains that were taken out because they began inside something.
    pub(crate) left_out: Vec<LeftOut>,
}

/// A body of grains.
#[derive(Clone, Debug)]
pub(crate) struct GrainBody {
    /// Its body's number.
    pub(crate) body: usize,
    pub(crate) grain: Grain,
    /// Grains that are there at the start.
    pub(crate) filled: usize,
    pub(crate) sources: Sources,
}

impl Grains {
    /// None if no body is of grains. Bodies have been checked.
    pub(super) fn of(
        bodies: &[Arc<Body>],
        plans: &[BodyPlan],
        rule: CombineRule,
        left_out: Vec<LeftOut>,
    ) -> Result<Option<Grains>, Error> {
        let of = |(body, of): (usize, &Arc<Body>)| {
            let grain = of.grain?;
            let filled = of.inv_mass.iter().filter(|w| **w > 0.0).count();
            Some(GrainBody { body, grain, filled, sources: Sources::of(of, grain.spacing()) })
        };
        let grains: Vec<GrainBody> = bodies.iter().enumerate().filter_map(of).collect();
        if grains.is_empty() {
            return Ok(None);
        }
        let largest = grains.iter().fold(0.0, |most, of| if of.grain.radius > most { of.grain.radius } else { most });
        for GrainBody { body, grain, .. } in &grains {
            let of = || format!("body `{}`", plans[*body].name);
            let alike = GRAIN_RATIO * grain.radius >= largest;
            let limit = "at least 0.4 of the largest of all grains'";
            range(of, || "radius".to_owned(), f64::from(grain.radius), alike, limit)?;
        }
        let contact = |a: &GrainBody, b: &GrainBody| {
            let reach = a.grain.radius + b.grain.radius;
            if a.body != b.body && !plans[a.body].filter.meets(plans[b.body].filter) {
                return (0.0, Grip::default());
            }
            let both = |mu: fn(&Grain) -> f32| match a.body == b.body {
                // The mean of two equal numbers may be rounded.
                true => mu(&a.grain),
                false => rule.of_grips().of(rule.grip(mu(&a.grain)), rule.grip(mu(&b.grain))),
            };
            let cohesion = if a.grain.cohesion < b.grain.cohesion { a.grain.cohesion } else { b.grain.cohesion };
            let (rest, slide) = (both(|grain| grain.friction), both(|grain| grain.dynamic_friction));
            (reach, Grip { rest, slide, cohesion })
        };
        let contacts: Vec<_> = grains.iter().flat_map(|a| grains.iter().map(move |b| contact(a, b))).collect();
        let reach = contacts.iter().fold(0.0, |most, &(reach, _)| if reach > most { reach } else { most });
        let all = Grains {
            cohesive: contacts.iter().any(|(_, grip)| grip.cohesion > 0.0),
            scaled: grains.iter().any(|of| of.grain.mass_scaling > 0.0),
            bodies: grains,
            contacts,
            reach,
            left_out,
        };
        all.check_apart(bodies)?;
        Ok(Some(all))
    }

    /// At which distance grains of two of the bodies touch, metres, and what holds them; they never do if it is 0.
    pub(crate) fn contact(&self, a: usize, b: usize) -> (f32, Grip) {
        self.contacts[a * self.bodies.len() + b]
    }

    /// The one grip of all contacts, if they have the same.
    pub(crate) fn grip(&self) -> Option<Grip> {
        let first = self.contacts[0].1;
        self.contacts.iter().all(|(_, grip)| *grip == first).then_some(first)
    }

    /// Grains that begin deep inside each other would fly.
    fn check_apart(&self, bodies: &[Arc<Body>]) -> Result<(), Error> {
        let mut points = Vec::new();
        let mut of = Vec::new();
        for (number, grains) in self.bodies.iter().enumerate() {
            let body = &bodies[grains.body];
            for (vertex, at) in body.positions.iter().enumerate().filter(|(v, _)| body.inv_mass[*v] > 0.0) {
                points.push(*at);
                of.push((number, vertex));
            }
        }
        // Coordinates have been checked.
        let Ok(grid) = PointGrid::new(&points, self.reach) else { return Ok(()) };
        for (one, (at, &(a, vertex))) in points.iter().zip(&of).enumerate() {
            let mut found: Option<(usize, f64, f32)> = None;
            grid.for_each_within(*at, self.reach, |other| {
                let other = other as usize;
                let ((b, _), distance) = (of[other], apart(*at, points[other]));
                let limit = self.contact(a, b).0;
                if other > one
                    && distance < GRAINS_APART * f64::from(limit)
                    && found.is_none_or(|(far, ..)| other < far)
                {
                    found = Some((other, distance, limit));
                }
            });
            if let Some((other, distance, limit)) = found {
                let (b, other) = of[other];
                let name = |number: usize| bodies[self.bodies[number].body].name.clone();
                return Err(Error::GrainsOverlap {
                    of: format!("body `{}`", name(a)),
                    vertex: vertex as u32,
                    other: if a == b {
                        format!("grain {other}")
                    } else {
                        format!("grain {other} of body `{}`", name(b))
                    },
                    distance,
                    limit,
                });
            }
        }
        Ok(())
    }

    /// Substeps that keep grains at the bottom of what is there from being pressed into each other. With one sweep a
    /// substep, a contact that bears the weight of n others is 2 n g h^2 deep: so much does a substep move two grains
    /// against each other, and no more than that does a sweep take back.
    pub(super) fn substeps(bodies: &[Arc<Body>], settings: &Settings) -> f64 {
        let g = settings.gravity.to_array().map(f64::from);
        let size = ((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]).sqrt();
        let mut most = 0.0;
        for (body, grain) in bodies.iter().filter_map(|body| Some((body, body.grain?))) {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for (p, _) in body.positions.iter().zip(&body.inv_mass).filter(|(_, w)| **w > 0.0) {
                let at = (0..3).fold(0.0, |sum, k| sum + g[k] * f64::from(p[k])) / size;
                (low, high) = (if at < low { at } else { low }, if at > high { at } else { high });
            }
            let wide = 2.0 * f64::from(grain.radius);
            let high = if high > low { high - low } else { 0.0 };
            // Grains from emitters make a heap: a cone of 30 degrees, of which they fill 0.6.
            let comes = if body.emitters.is_empty() { 0 } else { body.inv_mass.iter().filter(|w| **w == 0.0).count() };
            let volume = comes as f64 * grain.mass() / (0.6 * f64::from(grain.density));
            let heap = libm::cbrt(volume / std::f64::consts::PI);
            // Without gravity no height is a number.
            let high = if size > 0.0 { high + heap } else { 0.0 };
            if high > 0.0 {
                let deep = 2.0 * (high / wide) * size / f64::from(settings.iterations);
                let wanted = settings.dt * (deep / (GRAINS_PRESSED * wide)).sqrt();
                most = if wanted > most { wanted } else { most };
            }
        }
        most.ceil()
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        for GrainBody { body, grain, sources, .. } in &self.bodies {
            let Grain { radius, density, friction, dynamic_friction, cohesion, mass_scaling } = *grain;
            add(&(*body as u64).to_le_bytes());
            add(bytemuck::bytes_of(&[radius, density, friction, dynamic_friction, cohesion, mass_scaling]));
            if !sources.is_empty() {
                add(format!("{:?} {:?}", sources.emitters, sources.drains).as_bytes());
            }
        }
    }
}

fn apart(a: [f32; 3], b: [f32; 3]) -> f64 {
    let d: [f64; 3] = std::array::from_fn(|k| f64::from(a[k]) - f64::from(b[k]));
    ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]).sqrt()
}
