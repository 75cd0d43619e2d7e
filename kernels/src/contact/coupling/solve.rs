//! A body's contacts with the features of clusters.

use super::far::Far;
use super::rows::{Carrier, CoupledCluster, Feature};
use super::{CoupledShape, Mover, P, ROUNDS};
use crate::V3;
use crate::contact::signed::SignedDistance;
use crate::contact::triangle_solids::single::{self, Met};
use crate::contact::triangle_solids::way::{wide_rows, within, without};
use crate::contact::{Begin, Combine, Held, Shape, friction};
use crate::integrate::Motion;
use crate::lanes::Lanes;
use crate::tuning::{HOVER, MIN_DENOMINATOR};

/// Part of the thickness: rounds end with one that pushes nothing further. What begins the next substep deeper than
/// twice that counts as inside.
const DONE: f64 = 1.0 / 16.0;

/// Part of the distance to the body's centre: roundings of f32.
const ROUNDING: f64 = 1e-6;

/// Displacement of a contact by an impulse, over that which its inverse mass says: the least and the most with which it
/// is solved as usual. They differ where the arms at both ends of a long displacement do; rounds at 2 or more diverge.
const LEAST_GAIN: f64 = 0.25;
const MOST_GAIN: f64 = 1.5;

/// The generalised inverse mass of a contact whose end goes by so much for an impulse of 1.
fn damped(w: f64, at_its_end: f64) -> f64 {
    if at_its_end > MOST_GAIN * w { at_its_end } else { w }
}

const NOWHERE: [f64; 3] = [f64::NAN; 3];

/// Contacts of one rigid body with whatever is deformable, in a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Coupling<'a> {
    /// The rows of the particles.
    pub motion: Motion<'a>,
    /// All clusters.
    pub clusters: &'a [CoupledCluster],
    /// How friction is combined.
    pub combine: Combine,
    /// Substep, seconds.
    pub h: f32,
    /// Whether this is the substep's first sweep: what begins inside leaves by one step a substep.
    pub first: bool,
}

/// A feature that touches a shape, or has in this sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Touch {
    shape: u32,
    cluster: u32,
    feature: u32,
    /// Impulses times the substep, kg m.
    normal: f64,
    tau: [f64; 3],
    /// The contact when it was looked at last, and where its particles were then, relative to the body; nowhere if that
    /// is to be looked at anew.
    shares: [f64; 4],
    c: f64,
    n: [f64; 3],
    at: [[f64; 3]; 4],
    /// How far it has moved a particle when it was solved last, at most, metres.
    moved: f64,
}

/// A body's contacts in a sweep, and memory for the search.
#[derive(Debug, Default)]
pub struct Touches {
    all: Vec<Touch>,
    far: Far,
}

impl Touch {
    fn new(shape: u32, cluster: u32, feature: u32) -> Touch {
        let (n, tau, at) = ([0.0; 3], [0.0; 3], [NOWHERE; 4]);
        Touch { shape, cluster, feature, normal: 0.0, tau, shares: [0.0; 4], c: 0.0, n, at, moved: 0.0 }
    }

    /// The same contact, where no particle has moved so far since it was looked at that another point may be deeper by
    /// more than `far`, metres.
    fn again(&self, at: &[P; 4], count: usize, far: f64) -> Option<Contact> {
        let (mut along, n) = (0.0, P::set(self.n));
        for (k, x) in at[..count].iter().enumerate() {
            let moved = *x - P::set(self.at[k]);
            let near = moved.length_squared() <= far * far;
            if !near {
                return None;
            }
            along += n.dot(moved) * self.shares[k];
        }
        Some(Contact { shares: self.shares, c: self.c + along, n, leaves: None })
    }

    /// Notes a contact that was looked at. One that leads out of what it began in is about the way, not the place, and
    /// is looked at anew.
    fn note(&mut self, contact: &Contact, at: &[P; 4]) {
        let Contact { shares, c, n, leaves } = *contact;
        (self.shares, self.c, self.n) = (shares, c, [n.x, n.y, n.z]);
        self.at = if leaves.is_some() { [NOWHERE; 4] } else { at.map(|x| [x.x, x.y, x.z]) };
    }
}

/// A feature's particles.
struct Gathered {
    all: [Carrier; 4],
    count: usize,
}

impl Gathered {
    /// sum b_k f(k)
    fn weighted(&self, shares: &[f64; 4], of: impl Fn(&Carrier) -> P) -> P {
        let each = self.all[..self.count].iter().zip(shares);
        each.fold(P::zero(), |sum, (carrier, &share)| sum + of(carrier) * share)
    }

    /// sum w_k b_k^2, 1/kg.
    fn inverse_mass(&self, shares: &[f64; 4]) -> f64 {
        self.all[..self.count].iter().zip(shares).fold(0.0, |sum, (carrier, share)| sum + carrier.w * (share * share))
    }

    /// The most that an impulse at the point with these shares moves a particle, 1/kg.
    fn most(&self, shares: &[f64; 4]) -> f64 {
        let each = self.all[..self.count].iter().zip(shares).map(|(carrier, share)| carrier.w * share.abs());
        each.fold(0.0, |most: f64, of| if of > most { of } else { most })
    }

    /// Moves the particles by an impulse times the substep at the point with these shares.
    fn push(&mut self, shares: &[f64; 4], impulse: P) {
        for (carrier, &share) in self.all[..self.count].iter_mut().zip(shares) {
            carrier.u = carrier.u + impulse * (carrier.w * share);
        }
    }

    /// The same, and they get no velocity.
    fn shift(&mut self, shares: &[f64; 4], impulse: P) {
        for (carrier, &share) in self.all[..self.count].iter_mut().zip(shares) {
            let by = impulse * (carrier.w * share);
            (carrier.u, carrier.r) = (carrier.u + by, carrier.r + by);
        }
    }
}

/// How far a contact has pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pushed {
    /// It touches nothing.
    Free,
    /// By less than what ends the rounds.
    Near,
    Far,
}

/// A plane that a point of a feature stays in front of.
#[derive(Clone, Copy)]
struct Contact {
    shares: [f64; 4],
    c: f64,
    n: P,
    /// If it began inside: how far it moves out along `n` without a velocity, metres.
    leaves: Option<f64>,
}

impl Coupling<'_> {
    /// Solves the contacts of a body with pairs of its shapes and clusters, in their order; `shape` tells where a shape
    /// is, if it has a surface. What has a particle of `held`, first numbers of rows, ascending, touches nothing.
    /// Returns the number of contacts that push.
    ///
    /// # Safety
    /// Nobody else uses the rows of these clusters meanwhile.
    ///
    /// # Panics
    /// If there is no such cluster, or it is of other rows.
    pub unsafe fn solve<'s>(
        &self,
        body: &mut Mover,
        shape: impl Fn(u32) -> Option<CoupledShape<'s>>,
        pairs: &[[u32; 2]],
        held: &[u32],
        touches: &mut Touches,
    ) -> u32 {
        let Touches { all: touches, far } = touches;
        touches.clear();
        for pairs in pairs.chunk_by(|a, b| a[0] == b[0]) {
            let Some(of) = shape(pairs[0][0]) else { continue };
            for &[shape, cluster] in pairs {
                let at = (&self.motion, &self.clusters[cluster as usize]);
                // SAFETY: the caller promises that nobody else uses the rows of these clusters.
                let all_free = unsafe { far.begin(body, &of, at) };
                if all_free && !cfg!(debug_assertions) {
                    continue;
                }
                for (feature, (of_feature, particles)) in at.1.features().enumerate() {
                    let is_free =
                        all_free || far.is_free(particles, (!of_feature.triangle).then_some(of_feature.shares));
                    if is_free && !cfg!(debug_assertions) {
                        continue;
                    }
                    if !held.is_empty() && of_feature.at.iter().any(|at| held.binary_search(at).is_ok()) {
                        continue;
                    }
                    // SAFETY: the caller promises that nobody else uses the rows of these clusters.
                    if at.1.is_loose() && unsafe { self.gather(at.1, of_feature) }.all[0].w == 0.0 {
                        continue;
                    }
                    let feature = feature as u32;
                    let mut touch = Touch::new(shape, cluster, feature);
                    // SAFETY: the caller promises that nobody else uses the rows of these clusters.
                    if unsafe { self.one(body, &of, &mut touch, self.first) } != Pushed::Free {
                        debug_assert!(!is_free, "a feature that was taken to be free touches: {of_feature:?}");
                        touches.push(touch);
                        // SAFETY: the caller promises that nobody else uses the rows of these clusters.
                        unsafe { far.pushed(touch.moved, body, &of, at) };
                    }
                }
            }
        }
        for _ in 1..ROUNDS {
            let mut far = false;
            for touches in touches.chunk_by_mut(|a, b| a.shape == b.shape) {
                let Some(of) = shape(touches[0].shape) else { continue };
                for touch in touches {
                    // SAFETY: the caller promises that nobody else uses the rows of these clusters.
                    far |= unsafe { self.one(body, &of, touch, false) } == Pushed::Far;
                }
            }
            if !far {
                break;
            }
        }
        touches.iter().filter(|touch| touch.normal > 0.0).count() as u32
    }

    /// Solves one contact; `first` is whether what began inside may leave.
    ///
    /// # Safety
    /// As for [`Coupling::solve`].
    unsafe fn one(&self, body: &mut Mover, shape: &CoupledShape<'_>, touch: &mut Touch, first: bool) -> Pushed {
        let cluster = &self.clusters[touch.cluster as usize];
        let feature = &cluster.features[touch.feature as usize];
        // SAFETY: the caller promises that nobody else uses the cluster's rows.
        let mut rows = unsafe { self.gather(cluster, feature) };
        let held = touch.normal > 0.0;
        // Where they are, seen from where the body is now.
        let relative = |of: &Carrier| {
            let end = of.x + of.u;
            end - body.pushed(body.arm(end))
        };
        let at = [0, 1, 2, 3].map(|k| relative(&rows.all[k]));
        let far = 0.5 * DONE * f64::from(feature.thickness);
        let contact = touch.again(&at, rows.count, far).or_else(|| {
            let found = match feature.triangle {
                false => self.point(body, shape, feature, &rows, (held, first)),
                true => self.triangle(body, shape, feature, &rows, (held, first)),
            };
            found.inspect(|contact| touch.note(contact, &at))
        });
        let Some(Contact { shares, c, n, leaves }) = contact else { return Pushed::Free };
        // Velocities are ways over the substep, so an impulse acts where both are at its start: only there it keeps the
        // angular momentum.
        let arms = [
            body.arm_at_start(rows.weighted(&shares, |of| of.x + of.r)),
            body.arm(rows.weighted(&shares, |of| of.x + of.u)),
        ];
        let free = rows.inverse_mass(&shares);
        // One that comes from far, goes far, or whose torque would press it deeper where it ends, is pushed without.
        let [w, at_its_end] = [body.inverse_mass(arms[0], n), body.moved_by(arms[1], arms[0], n)].map(|w| free + w);
        let turns =
            at_its_end > LEAST_GAIN * w && arms.iter().all(|&arm| body.touches_at(arm, f64::from(feature.thickness)));
        let arm = if turns { arms[0] } else { P::zero() };
        let w = match turns {
            true => damped(w, at_its_end),
            false => free + body.inverse_mass(arm, n),
        };
        // Both are fixed; or there is no number.
        if !(w > MIN_DENOMINATOR && w.is_finite() && c.is_finite() && n.length_squared().is_finite()) {
            return Pushed::Free;
        }
        let mut impulses = 0.0;
        if let Some(leaves) = leaves.filter(|&leaves| leaves > 0.0) {
            let impulse = n * (leaves / w);
            rows.shift(&shares, impulse);
            body.shift(arm, -impulse);
            impulses += impulse.length();
        }
        let normal = (touch.normal - c / w).larger(0.0);
        let pressed = n * (normal - touch.normal);
        rows.push(&shares, pressed);
        body.push(arm, -pressed);
        touch.normal = normal;
        let mu = f64::from(self.combine.of(feature.friction, shape.friction));
        let at_end = if turns { body.arm(rows.weighted(&shares, |of| of.x + of.u)) } else { P::zero() };
        let slip = rows.weighted(&shares, |of| of.u - of.r) - body.way(at_end);
        let slip = slip - n * slip.dot(n);
        let far = slip.length();
        let tau = P::set(touch.tau);
        // A sideways push needs a direction for its inverse mass; without a slip any does.
        let t = if far > 0.0 { slip * (1.0 / far) } else { n };
        let [sideways, at_its_end] = [body.inverse_mass(arm, t), body.moved_by(at_end, arm, t)].map(|w| free + w);
        let wanted = match at_its_end > LEAST_GAIN * sideways {
            true => friction(Held { tau, normal }, slip * (1.0 / damped(sideways, at_its_end)), mu, mu),
            // Its torque would make it slip farther.
            false => tau,
        };
        let dragged = wanted - tau;
        if dragged.length_squared().is_finite() {
            rows.push(&shares, dragged);
            body.push(arm, -dragged);
            touch.tau = [wanted.x, wanted.y, wanted.z];
            impulses += dragged.length();
        }
        touch.moved = rows.most(&shares) * (impulses + pressed.length());
        // SAFETY: the caller promises that nobody else uses the cluster's rows.
        unsafe { self.scatter(cluster, feature, &rows) };
        let far =
            pressed.length() * w > DONE * f64::from(feature.thickness) + ROUNDING * (arm.length() + at_end.length());
        if far { Pushed::Far } else { Pushed::Near }
    }

    /// # Safety
    /// As for [`Coupling::solve`].
    #[inline]
    unsafe fn gather(&self, cluster: &CoupledCluster, feature: &Feature) -> Gathered {
        let count = if feature.triangle { 3 } else { carriers(feature) };
        // SAFETY: the caller promises that nobody else uses the cluster's rows; `read` checks that they are there.
        let read = |k: usize| unsafe { Carrier::read(&self.motion, feature.at[k], cluster.stride()) };
        let mut rows = Gathered { all: [read(0); 4], count };
        for k in 1..count {
            rows.all[k] = read(k);
        }
        rows
    }

    /// # Safety
    /// As for [`Coupling::solve`].
    #[inline]
    unsafe fn scatter(&self, cluster: &CoupledCluster, feature: &Feature, rows: &Gathered) {
        for (carrier, &at) in rows.all[..rows.count].iter().zip(&feature.at) {
            if carrier.w > 0.0 {
                // SAFETY: the caller promises that nobody else uses the cluster's rows; `write` checks that they are
                // there.
                unsafe { carrier.write(&self.motion, at, cluster.stride()) };
            }
        }
    }

    /// The contact of a point; None if it is free.
    fn point(
        &self,
        body: &Mover,
        shape: &CoupledShape<'_>,
        feature: &Feature,
        rows: &Gathered,
        (held, first): (bool, bool),
    ) -> Option<Contact> {
        let shares = feature.shares.map(f64::from);
        let (start, end) = (rows.weighted(&shares, |of| of.x + of.r), rows.weighted(&shares, |of| of.x + of.u));
        let (a, b) = path(body, shape, start, end);
        let (a, b) = (narrow(a), narrow(b));
        let traced = &shape.traced;
        if !held && !traced.near::<f32>(a, b, feature.thickness * (1.0 + HOVER as f32)) {
            return None;
        }
        let (c, n, thickness) = traced.contact::<f32>(a, b, feature.thickness, feature.span);
        // A long way may lead through the shape, and from within it out on the other side.
        let long = (b - a).length() > 0.5 * traced.shape.girth();
        if c >= 0.0 && !held && !long {
            return None;
        }
        let (depth, out) = traced.inside::<f32>(a, thickness);
        let begin = Begin { depth, end: if long { depth } else { -c }, at: a, thickness };
        if begin.inside() {
            return Some(leaving(body, rows, shares, wide(out), f64::from(begin.leave(self.h, first))));
        }
        (c < 0.0 || held).then(|| Contact { shares, c: f64::from(c), n: wide(n), leaves: None })
    }

    /// The contact of a triangle at its deepest point; None if it is free.
    fn triangle(
        &self,
        body: &Mover,
        shape: &CoupledShape<'_>,
        feature: &Feature,
        rows: &Gathered,
        (held, first): (bool, bool),
    ) -> Option<Contact> {
        let traced = &shape.traced;
        let frames = [&traced.start, &traced.end].map(wide_rows);
        let (mut a, mut b) = ([P::zero(); 3], [P::zero(); 3]);
        for (k, of) in rows.all[..3].iter().enumerate() {
            let (start, end) = path(body, shape, of.x + of.r, of.x + of.u);
            (a[k], b[k]) = (within(&frames[0], start), within(&frames[1], end));
        }
        let met = single::meet(&traced.shape, &a, &b, f64::from(feature.thickness), held)?;
        match met {
            Met::Enters { weights, c, n } => {
                let [x, y, z] = weights;
                Some(Contact { shares: [x, y, z, 0.0], c, n: without(&frames[1], n), leaves: None })
            }
            Met::Inside { weights, begin, out } => {
                let [x, y, z] = weights;
                let leaves = begin.leave(f64::from(self.h), first);
                Some(leaving(body, rows, [x, y, z, 0.0], without(&frames[0], out), leaves))
            }
        }
    }
}

/// The contact of a point that begins inside: it goes out slowly, and not farther in.
fn leaving(body: &Mover, rows: &Gathered, shares: [f64; 4], n: P, leaves: f64) -> Contact {
    let end = rows.weighted(&shares, |of| of.x + of.u);
    let comes = rows.weighted(&shares, |of| of.u - of.r) - body.way(body.arm(end));
    Contact { shares, c: comes.dot(n), n, leaves: Some(leaves) }
}

/// Number of particles that carry a point: shares of 0 come last.
fn carriers(feature: &Feature) -> usize {
    feature.shares.iter().rposition(|&share| share != 0.0).map_or(1, |last| last + 1)
}

/// A point's path relative to a shape's origin, which contacts have moved.
fn path(body: &Mover, shape: &CoupledShape<'_>, start: P, end: P) -> (P, P) {
    (start - P::set(shape.from), (end - P::set(shape.to)) - body.pushed(body.arm(end)))
}

fn narrow(v: P) -> V3<f32> {
    V3::new(v.x as f32, v.y as f32, v.z as f32)
}

fn wide(v: V3<f32>) -> P {
    V3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}
