//! A body's contacts with the features of clusters.

use super::far::Far;
use super::gathered::Gathered;
use super::ground::{Given, Ground, Grounds, Standing, Stands};
use super::rows::{Carrier, CoupledCluster, Feature};
use super::rubs::{LEAST_GAIN, Rubs, damped};
use super::{CoupledShape, Mover, P, ROUNDS};
use crate::contact::signed::SignedDistance;
use crate::contact::triangle_solids::single::{self, Met};
use crate::contact::triangle_solids::way::{wide_rows, within, without};
use crate::contact::{Begin, Combine, Shape};
use crate::integrate::Motion;
use crate::lanes::Lanes;
use crate::tuning::{HOVER, MIN_DENOMINATOR};
use crate::{Row, V3};
use seidel_workers::Shared;

/// Part of the thickness: rounds end with one that pushes nothing further. What begins the next substep deeper than
/// twice that counts as inside.
const DONE: f64 = 1.0 / 16.0;

/// Part of the distance to the body's centre: roundings of f32.
const ROUNDING: f64 = 1e-6;

/// Part of the longest push of the first round: rounds over contacts that press something against a ground end with one
/// that pushes nothing further. The first to be solved stops the body's whole way there, and leaves nothing to others.
const SHARED: f64 = 1.0 / 16.0;

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
    /// As [`super::super::ParticleContacts::record`], of all rows for each collider: here what contacts press against
    /// grounds is added. Empty if nobody asks.
    pub record: Shared<'a, Row>,
}

/// [`Touch::standing`] of a contact whose ground nobody has looked for, and of one that has none.
const UNASKED: u32 = u32::MAX;
const UNHELD: u32 = u32::MAX - 1;

/// A feature that touches a shape, or has in this sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Touch {
    shape: u32,
    cluster: u32,
    feature: u32,
    /// Impulses times the substep, kg m.
    normal: f64,
    tau: [f64; 3],
    /// Its number among those that stand on something; [`UNASKED`], or [`UNHELD`] if it stands on nothing.
    standing: u32,
    /// The contact when it was looked at last, and where its particles were then, relative to the body; nowhere if that
    /// is to be looked at anew.
    shares: [f64; 4],
    c: f64,
    n: [f64; 3],
    at: [[f64; 3]; 4],
    /// How far it has moved a particle when it was solved last, at most, metres.
    moved: f64,
    /// How far it has then pushed both sides apart, metres; and whether against a ground.
    apart: f64,
    stands: bool,
}

/// A body's contacts in a sweep, and memory for the search.
#[derive(Debug, Default)]
pub struct Touches {
    all: Vec<Touch>,
    standing: Vec<Standing>,
    far: Far,
}

impl Touch {
    fn new(shape: u32, cluster: u32, feature: u32) -> Touch {
        let (n, tau, at) = ([0.0; 3], [0.0; 3], [NOWHERE; 4]);
        Touch {
            shape,
            cluster,
            feature,
            normal: 0.0,
            tau,
            standing: UNASKED,
            shares: [0.0; 4],
            c: 0.0,
            n,
            at,
            moved: 0.0,
            apart: 0.0,
            stands: false,
        }
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
    /// Nobody else uses the rows of these clusters meanwhile, nor what is recorded of them.
    ///
    /// # Panics
    /// If there is no such cluster, or it or the record is of other rows.
    pub unsafe fn solve<'s>(
        &self,
        body: &mut Mover,
        shape: impl Fn(u32) -> Option<CoupledShape<'s>>,
        pairs: &[[u32; 2]],
        (held, grounds): (&[u32], &impl Grounds),
        touches: &mut Touches,
    ) -> u32 {
        let Touches { all: touches, standing, far } = touches;
        touches.clear();
        standing.clear();
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
                    if unsafe { self.one(body, &of, &mut touch, self.first, (grounds, &mut *standing)) } != Pushed::Free
                    {
                        debug_assert!(!is_free, "a feature that was taken to be free touches: {of_feature:?}");
                        touches.push(touch);
                        // SAFETY: the caller promises that nobody else uses the rows of these clusters.
                        unsafe { far.pushed(touch.moved, body, &of, at) };
                    }
                }
            }
        }
        let first = longest(touches);
        for _ in 1..ROUNDS {
            let mut far = false;
            for touches in touches.chunk_by_mut(|a, b| a.shape == b.shape) {
                let Some(of) = shape(touches[0].shape) else { continue };
                for touch in touches {
                    // SAFETY: the caller promises that nobody else uses the rows of these clusters.
                    far |= unsafe { self.one(body, &of, touch, false, (grounds, &mut *standing)) } == Pushed::Far;
                }
            }
            if !far && longest(touches) <= SHARED * first {
                break;
            }
        }
        if !self.record.is_empty() {
            for touch in touches.iter().filter(|touch| touch.stands && touch.normal > 0.0) {
                // SAFETY: the caller promises that nobody else uses the rows of these clusters.
                unsafe { self.note(touch, &standing[touch.standing as usize]) };
            }
        }
        touches.iter().filter(|touch| touch.normal > 0.0).count() as u32
    }

    /// Solves one contact; `first` is whether what began inside may leave.
    ///
    /// # Safety
    /// As for [`Coupling::solve`].
    unsafe fn one(
        &self,
        body: &mut Mover,
        shape: &CoupledShape<'_>,
        touch: &mut Touch,
        first: bool,
        (grounds, standing): (&impl Grounds, &mut Vec<Standing>),
    ) -> Pushed {
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
        let mut stands = match leaves {
            None => stands((grounds, standing), touch, (cluster, feature), &rows, n),
            Some(_) => None,
        };
        // A body that gives way no more than the ground presses as if there were none.
        stands = stands.filter(|(stands, _)| stands.any(&shares) && body.inverse_mass(arms[0], n) > MIN_DENOMINATOR);
        touch.stands = stands.is_some();
        let free = match &stands {
            Some((stands, _)) => stands.inverse_mass(&rows, &shares),
            None => rows.inverse_mass(&shares),
        };
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
        if let Some((stands, given)) = &mut stands {
            // The body gets a velocity of what stops its way to the ground, and none of what lifts it out of a sheet.
            let at_end = if turns { arms[1] } else { P::zero() };
            let comes = n.dot(body.way(at_end) - stands.along(&rows, &shares));
            let stopped = given.stops([touch.normal, normal], comes / w, 1.0 - stands.strength(&shares));
            let stops = stopped - given.stopped;
            let lifts = (normal - touch.normal) - stops;
            given.stopped = stopped;
            stands.push(&mut rows, &shares, [n * stops, n * lifts]);
            body.push(arm, -(n * stops));
            body.shift(arm, -(n * lifts));
        } else {
            rows.push(&shares, pressed);
            body.push(arm, -pressed);
        }
        touch.normal = normal;
        let mu = f64::from(self.combine.of(feature.friction, shape.friction));
        let at_end = if turns { body.arm(rows.weighted(&shares, |of| of.x + of.u)) } else { P::zero() };
        let mut rubs = Rubs { body, rows: &mut rows, shares: &shares, n, arm, turns };
        let so_far = P::set(touch.tau);
        let mut dragged = 0.0;
        let tau = match &mut stands {
            Some((stands, given)) => {
                let before = P::set(given.through);
                let grip = stands.grip(&shares, rubs.rows.count, mu);
                let through = rubs.rub([before, P::zero()], (given.stopped, grip), Some(stands));
                impulses += (through - before).length();
                given.through = [through.x, through.y, through.z];
                dragged = stands.drag(rubs.rows, &shares, [given.stopped, through.length()], given);
                rubs.rub([so_far + through, through], (given.stopped, [mu; 2]), None)
            }
            None => rubs.rub([so_far, P::zero()], (normal, [mu; 2]), None),
        };
        impulses += (tau - so_far).length();
        touch.tau = [tau.x, tau.y, tau.z];
        touch.moved = rows.most(&shares) * (impulses + pressed.length()) + dragged;
        let rounding = ROUNDING * (arm.length() + at_end.length());
        touch.apart = (pressed.length() * w - rounding).larger(0.0);
        // SAFETY: the caller promises that nobody else uses the cluster's rows.
        unsafe { self.scatter(cluster, feature, &rows) };
        let far = pressed.length() * w > DONE * f64::from(feature.thickness) + rounding;
        if far { Pushed::Far } else { Pushed::Near }
    }

    /// Notes what a contact has pressed against grounds.
    ///
    /// # Safety
    /// As for [`Coupling::solve`].
    unsafe fn note(&self, touch: &Touch, Standing { grounds, given }: &Standing) {
        let cluster = &self.clusters[touch.cluster as usize];
        let feature = &cluster.features[touch.feature as usize];
        let stands = Stands::new(grounds, P::set(touch.n));
        // SAFETY: the caller promises that nobody else uses the cluster's rows, nor what is recorded of them.
        unsafe {
            let rows = self.gather(cluster, feature);
            let record = (self.record, self.motion.x.len());
            stands.record(record, (&feature.at, cluster.stride()), (&rows, &touch.shares, given.stopped));
        }
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

/// How far the contacts that press something against a ground have pushed when they were solved last, at most, metres.
fn longest(touches: &[Touch]) -> f64 {
    let standing = touches.iter().filter(|touch| touch.stands);
    standing.fold(0.0, |most: f64, touch| if touch.apart > most { touch.apart } else { most })
}

/// The grounds under a feature's particles as a contact with this normal presses on them, and what they have given;
/// nothing where there are none, and for points that particles inside of a solid carry.
fn stands<'a>(
    (grounds, standing): (&impl Grounds, &'a mut Vec<Standing>),
    touch: &mut Touch,
    (cluster, feature): (&CoupledCluster, &Feature),
    rows: &Gathered,
    n: P,
) -> Option<(Stands<'a>, &'a mut Given)> {
    if touch.standing == UNASKED {
        let mut under = [Ground::NONE; 4];
        if (feature.triangle || rows.count == 1) && grounds.near(touch.cluster) {
            // A particle without a mass holds what is on it by itself.
            let loose = |(_, particle): &(&mut Ground, &Carrier)| particle.w > 0.0;
            for (under, particle) in under.iter_mut().zip(&rows.all[..rows.count]).filter(loose) {
                let way = [particle.x + particle.r, particle.x + particle.u].map(|p| [p.x, p.y, p.z]);
                let ground = grounds.under(cluster.body, way, feature.thickness, feature.friction);
                *under = ground.unwrap_or(Ground::NONE);
            }
        }
        touch.standing = UNHELD;
        if under.iter().any(|ground| ground.normal != Ground::NONE.normal) {
            touch.standing = standing.len() as u32;
            standing.push(Standing { grounds: under, given: Given::default() });
        }
    }
    let Standing { grounds, given } = standing.get_mut(touch.standing as usize)?;
    Some((Stands::new(grounds, n), given))
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
