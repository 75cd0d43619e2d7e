//! Rod: a Cosserat rod of round section, which resists stretch, shear, bending and twist.
//!
//! Kugelstadt, Schömer 2016, "Position and Orientation Based Cosserat Rods": points with a frame on each segment
//! between two, whose third axis is along it. A = pi r^2, I = pi r^4 / 4, J = pi r^4 / 2, G = E / (2 (1 + nu)).
//!
//! Numbers by point: a segment has the mean of its ends' radius, density and modulus, and a joint gives way as the
//! halves of its two segments do, one behind the other: l0 / (2 E0 I0) + l1 / (2 E1 I1).

use crate::describe::body::{Body, Constraints};
use crate::describe::error::{Error, range};
use crate::describe::frame::MaterialFrame;
use crate::describe::memory::Need;
use crate::describe::pose::product;
use crate::describe::stiffness::{Stiffness, Values};
use crate::describe::traits::{Traits, shared};
use crate::describe::values::mean;
use crate::geometry::vector::{cross, dot};
use crate::tuning::{MAX_COORDINATE, MAX_PARTICLES};
use glam::{Quat, Vec3};
use seidel_kinds as kinds;
use std::f64::consts::PI;

/// A thickness that was not given: the rod's radius.
const AS_THICK: f32 = f32::NEG_INFINITY;

/// A round rod along a line or a curve, at rest as it is given.
#[derive(Clone, Debug)]
pub struct Rod {
    pub(super) traits: Traits,
    points: Vec<[f32; 3]>,
    /// Points asked for.
    wanted: usize,
    radius: Values,
    density: Values,
    young: Values,
    poisson: f32,
    shear: Option<f32>,
    kappa: Option<f32>,
    end_masses: [f32; 2],
    relaxation: f32,
}

shared!(Rod);

impl Rod {
    /// A straight rod of so many segments: radius 5 mm, 1000 kg/m^3, Young's modulus 1 MPa, Poisson's ratio 0.3
    /// (rubber), as thick for contacts as it is.
    #[must_use]
    pub fn new(from: impl Into<Vec3>, to: impl Into<Vec3>, segments: u32) -> Rod {
        let (from, to) = (from.into(), to.into());
        let wanted = (segments as usize).saturating_add(1);
        // A count beyond the limit is refused when planned; here it must not fill the memory.
        let segments = if segments < MAX_PARTICLES { segments } else { 1 };
        let at = |i: u32| f64::from(i) / f64::from(segments.max(1));
        let point = |t: f64| std::array::from_fn(|k| (f64::from(from[k]) * (1.0 - t) + f64::from(to[k]) * t) as f32);
        Rod { wanted, ..Rod::through((0..=segments).map(|i| point(at(i))).collect()) }
    }

    /// A rod through given points, metres, which is its rest shape: bent as they are, and not twisted.
    #[must_use]
    pub fn through(points: Vec<[f32; 3]>) -> Rod {
        Rod {
            traits: Traits::new(AS_THICK),
            wanted: points.len(),
            points,
            radius: Values::Uniform(0.005),
            density: Values::Uniform(1000.0),
            young: Values::Uniform(1e6),
            poisson: 0.3,
            shear: None,
            kappa: None,
            end_masses: [0.0; 2],
            relaxation: 0.0,
        }
    }

    /// Radius of its section, metres, within 1e-7 .. 1e3: one, or one for each point, of which a segment has the mean.
    /// For contacts it is as thick as that unless told, at each point as thick as there.
    ///
    /// # Example
    /// ```
    /// use seidel::Rod;
    /// // A fishing rod: 10 mm at the grip, 1.5 mm at the tip.
    /// let taper: Vec<f32> = (0..=40).map(|i| 0.010 - 0.0085 * i as f32 / 40.0).collect();
    /// let rod = Rod::new([0.0; 3], [2.0, 0.0, 0.0], 40).young(4e10).density(1600.0).radius(taper).pin(&[0, 1]);
    /// # let mut scene = seidel::Scene::new();
    /// # scene.add(rod);
    /// # assert!(seidel::Plan::new(&scene).is_ok());
    /// ```
    #[must_use]
    pub fn radius(mut self, radius: impl Into<Values>) -> Rod {
        self.radius = radius.into();
        self
    }

    /// kg/m^3, within 1e-3 .. 1e6: one, or one for each point, of which a segment has the mean.
    #[must_use]
    pub fn density(mut self, density: impl Into<Values>) -> Rod {
        self.density = density.into();
        self
    }

    /// Young's modulus, Pa, within 1 .. 1e13: one, or one for each point, of which a segment has the mean.
    #[must_use]
    pub fn young(mut self, modulus: impl Into<Values>) -> Rod {
        self.young = modulus.into();
        self
    }

    /// Poisson's ratio, within -0.99 .. 0.5: it gives the shear modulus, and the correction of shear.
    #[must_use]
    pub fn poisson(mut self, ratio: f32) -> Rod {
        self.poisson = ratio;
        self
    }

    /// Shear modulus, Pa, > 0, instead of that which Poisson's ratio gives: for wood, hair, strands of wire.
    #[must_use]
    pub fn shear_modulus(mut self, modulus: f32) -> Rod {
        self.shear = Some(modulus);
        self
    }

    /// Correction of shear, within 0.01 .. 1. Unless told that of a round section, 6 (1 + nu) / (7 + 6 nu): 0.89 at 0.3
    /// (Cowper 1966, "The
    /// Shear Coefficient in Timoshenko's Beam Theory").
    #[must_use]
    pub fn shear_correction(mut self, kappa: f32) -> Rod {
        self.kappa = Some(kappa);
        self
    }

    /// Masses beside its own at its first and last point, kg, >= 0.
    #[must_use]
    pub fn end_masses(mut self, masses: [f32; 2]) -> Rod {
        self.end_masses = masses;
        self
    }

    /// Relaxation time of its material's damping, seconds, >= 0: a strain that is let go decays by 1/e in it, if
    /// nothing else does it sooner.
    #[must_use]
    pub fn relaxation(mut self, seconds: f32) -> Rod {
        self.relaxation = seconds;
        self
    }

    /// Its points, metres.
    #[must_use]
    pub fn points(&self) -> &[[f32; 3]] {
        &self.points
    }

    fn check(&self) -> Result<(), Error> {
        let of = || self.traits.of();
        if self.wanted > MAX_PARTICLES as usize {
            return Err(Error::TooLarge { got: self.wanted, limit: MAX_PARTICLES as usize });
        }
        let n = self.points.len();
        range(of, || "number of points".to_owned(), n as f64, n >= 2, "2 or more")?;
        for (v, &c) in self.points.iter().enumerate().flat_map(|(v, p)| p.iter().map(move |c| (v, c))) {
            let good = c.abs() <= MAX_COORDINATE;
            range(of, || format!("position of vertex {v}"), f64::from(c), good, "within +-1e6 m")?;
        }
        let wide = |value: f32| (1e-9..=1e9).contains(&value);
        for (what, values, good, limit) in [
            ("radius", &self.radius, 1e-7..=1e3, "within 1e-7 .. 1e3 m"),
            ("density", &self.density, 1e-3..=1e6, "within 1e-3 .. 1e6 kg/m^3"),
            ("Young's modulus", &self.young, 1.0..=1e13, "within 1 .. 1e13 Pa"),
        ] {
            values.check(of, (what, "vertex"), n, |value| good.contains(&value), limit)?;
        }
        let (nu, good) = (f64::from(self.poisson), (-0.99..=0.5).contains(&self.poisson));
        range(of, || "Poisson's ratio".to_owned(), nu, good, "within -0.99 .. 0.5")?;
        if let Some(modulus) = self.shear {
            let good = (1.0..=1e13).contains(&modulus);
            range(of, || "shear modulus".to_owned(), f64::from(modulus), good, "within 1 .. 1e13 Pa")?;
        }
        if let Some(kappa) = self.kappa {
            let good = (0.01..=1.0).contains(&kappa);
            range(of, || "correction of shear".to_owned(), f64::from(kappa), good, "within 0.01 .. 1")?;
        }
        for (end, mass) in ["first", "last"].into_iter().zip(self.end_masses) {
            let good = mass == 0.0 || wide(mass);
            range(of, || format!("mass at the {end} point"), f64::from(mass), good, "0 or within 1e-9 .. 1e9 kg")?;
        }
        for (segment, ends) in self.points.windows(2).enumerate() {
            let (_, length) = along(ends);
            range(of, || format!("length of segment {segment}"), length, length >= 1e-6, "1e-6 m or more")?;
        }
        Ok(())
    }

    /// How each point is held: 0 free or by an obstacle, 1 by a pin, others by a path.
    fn held(&self) -> Vec<usize> {
        let mut held = vec![0; self.points.len()];
        self.traits.pins.iter().for_each(|&v| held[v as usize] = 1);
        for (path, pins) in self.traits.moving_pins.iter().enumerate() {
            pins.vertices.iter().for_each(|&v| held[v as usize] = path + 2);
        }
        held
    }

    /// Of a segment: the mean of its ends.
    fn section(&self, segment: usize) -> CrossSection {
        let of = |values: &Values| match values {
            Values::Uniform(value) => f64::from(*value),
            Values::PerRow(each) | Values::PerVertex(each) => {
                f64::from(mean(each[segment..=segment + 1].iter().copied()))
            }
        };
        let (radius, young) = (of(&self.radius), of(&self.young));
        let shear = self.shear.map_or(young / (2.0 * (1.0 + f64::from(self.poisson))), f64::from);
        CrossSection { radius, area: PI * radius * radius, density: of(&self.density), young, shear }
    }

    pub(super) fn need(&self) -> Need {
        self.traits.counted(Need::rod(self.wanted as u64))
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        self.check()?;
        let n = self.points.len();
        let nu = f64::from(self.poisson);
        let kappa = self.kappa.map_or(6.0 * (1.0 + nu) / (7.0 + 6.0 * nu), f64::from);
        let sections: Vec<CrossSection> = (0..n - 1).map(|segment| self.section(segment)).collect();
        let rotations = transported(&self.points);
        let lengths: Vec<f64> = self.points.windows(2).map(|ends| along(ends).1).collect();
        let mass = |segment: usize| sections[segment].density * sections[segment].area * lengths[segment];

        // Each end bears half of its segment.
        let mut masses = vec![0.0; n];
        (0..n - 1).for_each(|segment| (segment..=segment + 1).for_each(|v| masses[v] += mass(segment) / 2.0));
        masses[0] += f64::from(self.end_masses[0]);
        masses[n - 1] += f64::from(self.end_masses[1]);
        let inv_mass = masses.iter().map(|mass| (1.0 / mass) as f32).collect();
        // About an axis across a cylinder, and taken so about all.
        let inertia = |segment: usize| {
            let radius = sections[segment].radius;
            mass(segment) * (3.0 * radius * radius + lengths[segment] * lengths[segment]) / 12.0
        };
        let frames = rotations.iter().enumerate().map(|(segment, &rotation)| {
            let between = [segment as u32, segment as u32 + 1];
            MaterialFrame {
                rotation: Quat::from_array(rotation),
                inv_inertia: (1.0 / inertia(segment)) as f32,
                between,
            }
        });

        let segments = (0..n as u32 - 1).flat_map(|segment| [segment, segment + 1, segment]).collect();
        let each = || lengths.iter().zip(&sections);
        let stretch = each().map(|(l, of)| (1.0 / (l * of.young * of.area)) as f32);
        let rest = each().flat_map(|(l, of)| [*l as f32, (1.0 / (l * of.shear * of.area * kappa)) as f32]).collect();
        let stiffness = Stiffness::compliance(stretch.collect::<Vec<_>>());
        let segments = Constraints::new(kinds::STRETCH_SHEAR, segments, rest, stiffness).damped(self.relaxation);

        let joints = (0..(n as u32).saturating_sub(2)).flat_map(|joint| [joint, joint + 1]).collect();
        let halves = |joint: usize, of: fn(&CrossSection) -> f64| {
            let [one, other] = [joint, joint + 1].map(|segment| of(&sections[segment]));
            // Of one section, with the roundings of a rod that has one number for all.
            if one == other {
                return ((lengths[joint] + lengths[joint + 1]) / 2.0 / (4.0 * one)) as f32;
            }
            ((lengths[joint] / (2.0 * one) + lengths[joint + 1] / (2.0 * other)) / 4.0) as f32
        };
        let bent: Vec<f32> = (0..n.saturating_sub(2)).map(|joint| halves(joint, CrossSection::bend)).collect();
        let mut rest = Vec::with_capacity(5 * bent.len());
        for (joint, &bend) in bent.iter().enumerate() {
            let mut row = [0.0, 0.0, 0.0, bend, halves(joint, CrossSection::twist)];
            let told = kinds::BEND_TWIST.at_rest_framed(&[], &rotations[joint..joint + 2], &mut row);
            debug_assert!(told, "the kind has frames");
            rest.extend(row);
        }
        let joints =
            Constraints::new(kinds::BEND_TWIST, joints, rest, Stiffness::compliance(bent)).damped(self.relaxation);

        let edges = (0..n as u32 - 1).map(|i| [i, i + 1]).collect();
        let (frames, constraints) = (frames.collect(), vec![segments, joints]);
        let body = Body { frames, edges, constraints, ..Body::particles(self.points.clone(), inv_mass) };
        let mut body = self.traits.given_to(body)?;
        if body.thickness == Values::Uniform(AS_THICK) {
            body.thickness = self.radius.clone();
        }
        // A segment whose points both rest, or follow one path, does not turn by itself. Of what is attached nobody
        // says how it turns.
        let held = self.held();
        for frame in &mut body.frames {
            let [a, b] = frame.between.map(|v| held[v as usize]);
            if a == b && a > 0 {
                frame.inv_inertia = 0.0;
            }
        }
        Ok(body)
    }
}

/// What a segment is of: metres, m^2, kg/m^3, Pa.
struct CrossSection {
    radius: f64,
    area: f64,
    density: f64,
    young: f64,
    shear: f64,
}

impl CrossSection {
    /// E I, N m^2.
    fn bend(&self) -> f64 {
        self.young * self.area * self.radius * self.radius / 4.0
    }

    /// G J, N m^2.
    fn twist(&self) -> f64 {
        self.shear * self.area * self.radius * self.radius / 2.0
    }
}

/// Direction and length from a segment's first point to its second.
fn along(ends: &[[f32; 3]]) -> ([f64; 3], f64) {
    let d: [f64; 3] = std::array::from_fn(|k| f64::from(ends[1][k]) - f64::from(ends[0][k]));
    let length = f64::sqrt(dot(d, d));
    (d.map(|c| c / length), length)
}

/// The shortest rotation from one direction to another; from one to its opposite about some axis across it.
fn shortest(a: [f64; 3], b: [f64; 3]) -> [f64; 4] {
    let w = 1.0 + dot(a, b);
    if w < 1e-12 {
        // The axis of the world that is most nearly across.
        let least = (0..3).fold(0, |least, k| if a[k].abs() < a[least].abs() { k } else { least });
        let mut axis = [0.0; 3];
        axis[least] = 1.0;
        let [x, y, z] = cross(a, axis);
        return normalised([x, y, z, 0.0]);
    }
    let [x, y, z] = cross(a, b);
    normalised([x, y, z, w])
}

fn normalised(q: [f64; 4]) -> [f64; 4] {
    let length = f64::sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    q.map(|c| c / length)
}

/// Frames along points, transported in parallel: the third axis is along each segment, and none is twisted against the
/// one before it.
fn transported(points: &[[f32; 3]]) -> Vec<[f32; 4]> {
    let (mut before, mut q) = ([0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]);
    let frames = points.windows(2).map(|ends| {
        let (direction, _) = along(ends);
        q = normalised(product(shortest(before, direction), q));
        before = direction;
        q.map(|c| c as f32)
    });
    frames.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;

    /// A rod along a helix, one that folds back, and one against the third axis.
    #[test]
    fn frames_follow_the_points() {
        let helix = (0..40).map(|i| {
            let t = f64::from(i) * 0.2;
            [libm::cos(t) as f32, libm::sin(t) as f32, (0.1 * t) as f32]
        });
        let folded = vec![[0.0; 3], [0.0, 0.0, -1.0], [0.5, 0.0, -1.0], [0.0, 0.0, -1.0]];
        for points in [helix.collect(), folded] {
            let frames = transported(&points);
            for (ends, q) in points.windows(2).zip(&frames) {
                let (direction, _) = along(ends);
                let d3 = Pose { rotation: q.map(f64::from), ..Pose::IDENTITY }.apply([0.0, 0.0, 1.0]);
                assert!((dot(d3, direction) - 1.0).abs() < 1e-6, "{d3:?} {direction:?}");
            }
            for pair in frames.windows(2) {
                let mut rest = [0.0; 5];
                assert!(kinds::BEND_TWIST.at_rest_framed(&[], pair, &mut rest));
                assert!(rest[2].abs() < 1e-6, "twisted: {rest:?}");
            }
        }
    }
}
