//! Contacts of rigid bodies: sixteen manifolds a batch, up to five points each, solved in lanes.
//!
//! ```text
//!  s = s0 + n.(d_b - d_a)            d: how far a point has gone since the step began
//!  bias = s / h                      where s > 0: come just as near
//!         max(rate s, -push-out)     otherwise: part slowly
//!  dl = -m (mass_scale (n.v + bias)) - impulse_scale l,    l <- max(0, l + dl)
//!  dt = -K^-1 (v_t + drift),         |t| <= mu sum l         at the middle of the points
//!  dm = -J (w_n + turn),             |m| <= mu sum r l       about the normal; r: from the middle to a point
//! ```
//! Source: Catto, "Soft Contact" (box2d 3). Friction is one 2-vector and one twist a contact, with an anchor that is
//! kept while it sticks: friction at each point would leave forces between the points that cancel and use up what it
//! can hold (a box slid at 0.95 mu). docs/decisions/rigid-contacts.md says what else was tried. In a substep:
//! [`Batch::warm`], [`Batch::impact`] (only with restitution), one [`Batch::solve`] with bias, positions, and two
//! without.
//!
//! Normals of balls and capsules are found in every substep (follow.rs), others hold until bodies have moved too far
//! for them (age.rs); points and separations follow the bodies in every substep.

mod age;
mod follow;
mod kept;
pub(crate) mod lanes;
mod rows;
mod warm;

use crate::manifold::{CORES, CORNERS, Manifold, POINTS};
use crate::tuning::SAME_PLACE;
use crate::{BodyRow, Softness};
pub use age::{Lasts, Meeting};
pub use follow::Segment;
use follow::lie_along;
pub use rows::Batch;
pub(crate) use rows::NONE;
use rows::{ANY, Age, LOCKED, NO_FRICTION, NO_POINTS, NO_RESISTANCE, NO_SEGMENTS, ROUND, Resistance, START, Segments};
use seidel_kernels::claims::Use;
use seidel_kernels::lanes::{Dispatch, Mask};
use seidel_kernels::{BATCH, Isa, Lanes, Pack, Shared, V3};

/// Numbers of a point in the arrays of rows: pairs of f32 in a [`BodyRow`].
pub(crate) const PAIRS: u32 = (size_of::<BodyRow>() / 8) as u32;

/// What is kept of a point from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct KeptPoint {
    /// The features that make it (`Point::feature`).
    pub feature: u32,
    /// Where it was, in the frame of the first shape, metres; of balls and capsules where it was as the step began.
    pub at: [f32; 3],
    /// Impulse along the normal, N s.
    pub normal: f32,
}

/// What is kept of a contact from step to step. Directions are the world's.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Kept {
    /// Its points, but for that of the ball inside a fast body; the first `count` are there, zeros behind them.
    pub points: [KeptPoint; CORNERS],
    /// How many there are.
    pub count: u32,
    /// Impulse of friction, N s, and its impulse about the normal, N m s.
    pub friction: [f32; 3],
    /// See `friction`.
    pub twist: f32,
    /// How far the second body has gone on the first since it sticks, metres, and how far it has turned about the
    /// normal, rad.
    pub drift: [f32; 3],
    /// See `drift`.
    pub turn: f32,
    /// Impulse of the resistance to rolling, N m s. Behind all else: most contacts have none.
    pub rolling: [f32; 3],
}

/// A contact to put into a batch. Everything is of the start of the step, or of when its manifold was found anew, in
/// the world's axes.
#[derive(Clone, Copy, Debug)]
pub struct Contact<'a> {
    /// Rows of both bodies.
    pub bodies: [u32; 2],
    /// Unit normal, from the first to the second.
    pub normal: V3<f32>,
    /// From each body's centre to each point on its surface, and from the first centre to the second, metres. Those
    /// behind the manifold's last point are not read.
    pub arms: [[V3<f32>; 2]; POINTS],
    /// See `arms`.
    pub offset: V3<f32>,
    /// Separations and features.
    pub manifold: &'a Manifold,
    /// What was kept of it ([`matched`]).
    pub kept: Kept,
    /// Radii of what is round ([`crate::Shape::rounding`]).
    pub radii: [f32; 2],
    /// Coefficients of friction: at rest, and where it slides.
    pub friction: [f32; 2],
    /// Part of the approach's speed with which they part.
    pub restitution: f32,
    /// Torques that resist rolling and spinning, over the force along the normal, metres.
    pub resistance: [f32; 2],
    /// Whether its impulses along the normal are to be added up ([`Batch::count`]).
    pub counted: bool,
    /// How long its manifold holds.
    pub lasts: Lasts,
    /// Of two balls or capsules that touch in one point: it follows them, however long it holds.
    pub segments: Option<[Segment; 2]>,
}

impl Batch {
    /// A batch without contacts. `nobody` is a row of a body that does not move, `nowhere` one that nobody reads.
    #[must_use]
    pub fn new(nobody: u32, nowhere: u32) -> Batch {
        let mut batch = Batch {
            read: [[nobody * PAIRS; BATCH]; 2],
            write: [[nowhere * PAIRS; BATCH]; 2],
            inertia: [NONE; 2],
            normal: [NONE; 3],
            tangents: [[NONE; 3]; 2],
            offset: [NONE; 3],
            offset_now: [NONE; 3],
            mu: NONE,
            sliding: NONE,
            eases: false,
            restitution: NONE,
            points: [NO_POINTS; POINTS],
            friction: NO_FRICTION,
            resistance: NO_RESISTANCE,
            total: NONE,
            counted: [false; BATCH],
            counts: false,
            nowhere,
            last: 0,
            points_of: NONE,
            age: Age::NONE,
            since: START,
            stales: false,
            renewed: false,
            segments: NO_SEGMENTS,
            follows: false,
            warmed: false,
            count: 0,
            bounces: false,
            resists: false,
            bodies: ROUND,
        };
        batch.reset(nobody, nowhere);
        batch
    }

    /// Takes all contacts away; rows as for [`Batch::new`]. What is written with the first contact that needs it
    /// (points behind `count`, resistance, `since`, `segments`) stays: nobody reads it before.
    pub fn reset(&mut self, nobody: u32, nowhere: u32) {
        (self.read, self.write) = ([[nobody * PAIRS; BATCH]; 2], [[nowhere * PAIRS; BATCH]; 2]);
        (self.inertia, self.normal, self.tangents) = ([NONE; 2], [NONE; 3], [[NONE; 3]; 2]);
        (self.offset, self.offset_now) = ([NONE; 3], [NONE; 3]);
        (self.mu, self.sliding, self.restitution) = (NONE, NONE, NONE);
        (self.friction, self.age) = (NO_FRICTION, Age::NONE);
        (self.total, self.points_of) = (NONE, NONE);
        (self.counted, self.counts) = ([false; BATCH], false);
        (self.nowhere, self.last) = (nowhere, if nobody > nowhere { nobody } else { nowhere });
        (self.eases, self.bounces, self.resists) = (false, false, false);
        (self.stales, self.renewed) = (false, false);
        (self.follows, self.warmed) = (false, false);
        (self.count, self.bodies) = (0, ROUND);
    }

    /// Puts a contact into a lane, which has none yet; `rows` are the bodies as the step begins. Behind the last comes
    /// [`Batch::weigh`].
    pub fn set(&mut self, lane: usize, contact: &Contact<'_>, rows: &[BodyRow]) {
        let nowhere = self.nowhere;
        let Contact { bodies, normal, arms, offset, manifold, kept, radii, friction, restitution, .. } = *contact;
        // Balls and capsules roll as cylinders do: the impulse acts below the middle.
        let all_rolls = manifold.rolls.map(|[one, other]| [one + radii[0], other + radii[1]]);
        let [a, b] = bodies.map(|body| &rows[body as usize]);
        for (k, (body, row)) in bodies.into_iter().zip([a, b]).enumerate() {
            let moves = row.v[3] > 0.0 || row.diagonal != [0.0; 4];
            self.inertia[k].0[lane] = row.diagonal[0];
            let bodies = if row.is_locked() {
                LOCKED
            } else if row.is_round() {
                ROUND
            } else {
                ANY
            };
            self.bodies = self.bodies.max(bodies);
            self.read[k][lane] = body * PAIRS;
            self.write[k][lane] = if moves { body } else { nowhere } * PAIRS;
            self.last = self.last.max(body).max(nowhere);
        }
        let tangents = lanes::tangents(normal);
        set(&mut self.normal, lane, normal);
        set(&mut self.tangents[0], lane, tangents[0]);
        set(&mut self.tangents[1], lane, tangents[1]);
        let [at_rest, sliding] = friction;
        (self.mu.0[lane], self.sliding.0[lane]) = (at_rest, sliding);
        self.eases |= sliding != at_rest;
        self.restitution.0[lane] = restitution;
        self.bounces |= restitution > 0.0;
        let known = self.count.min(manifold.count);
        self.points[known..manifold.count].fill(NO_POINTS);
        self.count = self.count.max(manifold.count);
        set(&mut self.offset, lane, offset);
        // The middle between both surfaces: where they are apart and one lies beside the other, too.
        let count = manifold.count;
        let mut middles = [V3::zero(); POINTS];
        for (middle, [ra, rb]) in middles.iter_mut().zip(&arms[..count]) {
            *middle = (*ra + (offset + *rb)) * 0.5;
        }
        // A round body's arm stays where it is however it turns, as far as the middle between both surfaces.
        let mut rounds = [[0.0; 2]; POINTS];
        for (k, round) in rounds.iter_mut().enumerate().take(count) {
            let (middle, [ra, rb]) = (middles[k], arms[k]);
            let [one, other] = all_rolls[k];
            let feature = manifold.points[k].feature;
            round[0] = if feature == CORES[0] {
                normal.dot(middle)
            } else if one > 0.0 {
                one + normal.dot(middle - ra)
            } else {
                0.0
            };
            round[1] = if feature == CORES[1] {
                -normal.dot(middle - offset)
            } else if other > 0.0 {
                other + normal.dot((offset + rb) - middle)
            } else {
                0.0
            };
        }
        // What rolls does so on its surface: the ball inside a fast body, which is the last point, is no part of it.
        let is_core = CORES.contains(&manifold.points[count.saturating_sub(1)].feature);
        let rolling = count - usize::from(is_core && count > 1 && all_rolls != [[0.0; 2]; POINTS]);
        let share = 1.0 / rolling as f32;
        let mean = middles[..rolling].iter().fold(V3::zero(), |mean, middle| mean + *middle * share);
        for (k, points) in self.points.iter_mut().enumerate().take(count) {
            let middle = middles[k];
            set(&mut points.begun, lane, middle);
            points.separation.0[lane] = manifold.points[k].separation;
            // The ball inside a fast body does not turn at all.
            let feature = manifold.points[k].feature;
            let rolling = all_rolls != [[0.0; 2]; POINTS];
            points.lean.0[lane] = match CORES.iter().position(|core| *core == feature) {
                Some(core) if rolling => core as f32,
                _ => lean(all_rolls[k]),
            };
            points.round[0].0[lane] = rounds[k][0];
            points.round[1].0[lane] = rounds[k][1];
            points.normal.0[lane] = kept.points.get(k).map_or(0.0, |point| point.normal);
        }
        self.points_of.0[lane] = count as f32;
        let nearest = manifold.points().iter().fold(f32::INFINITY, |least, point| least.smaller(point.separation));
        let (of, lasts) = (&mut self.age, contact.lasts);
        (of.slides.0[lane], of.radius.0[lane]) = (lasts.slides, lasts.radius);
        (of.most.0[lane], of.near.0[lane]) = (lasts.most, lasts.near);
        of.passes.0[lane] = if lasts.passes { 1.0 } else { 0.0 };
        (of.moved.0[lane], of.gap.0[lane]) = (-lasts.pace, nearest + lasts.closing);
        // Capsules that lie along each other, with only one point in reach, are met as all others are.
        let segments = contact.segments.filter(|[a, b]| !lie_along([a.half, b.half], (offset + b.at) - a.at).any());
        if segments.is_some() && !self.follows {
            (self.follows, self.segments) = (true, NO_SEGMENTS);
        }
        if self.follows {
            self.segments.known.0[lane] = 0.0;
        }
        if let Some(segments) = segments {
            let to = &mut self.segments;
            for (side, segment) in segments.into_iter().enumerate() {
                set(&mut to.at[side], lane, segment.at);
                set(&mut to.half[side], lane, segment.half);
                to.radius[side].0[lane] = segment.radius;
            }
            to.known.0[lane] = 1.0;
            of.most.0[lane] = f32::INFINITY;
        }
        let (of, [t1, t2]) = (&mut self.friction, tangents);
        set(&mut of.begun, lane, mean);
        let rolls = [0, 1].map(|side| all_rolls[..rolling].iter().fold(0.0, |sum, roll| sum + roll[side]) * share);
        of.lean.0[lane] = lean(rolls);
        for (side, round) in of.round.iter_mut().enumerate() {
            round.0[lane] = rounds[..rolling].iter().fold(0.0, |sum, round| sum + round[side]) * share;
        }
        let [impulse, drift] = [kept.friction, kept.drift].map(|[x, y, z]| V3::new(x, y, z));
        for (k, t) in tangents.into_iter().enumerate() {
            of.impulse[k].0[lane] = t.dot(impulse);
            of.drift[k].0[lane] = t.dot(drift);
        }
        (of.twist.0[lane], of.turn.0[lane]) = (kept.twist, kept.turn);
        self.counts |= contact.counted;
        self.counted[lane] = contact.counted;
        if contact.resistance != [0.0; 2] {
            if !self.resists {
                (self.resists, self.resistance) = (true, NO_RESISTANCE);
            }
            let of = &mut self.resistance;
            (of.rolling.0[lane], of.spinning.0[lane]) = (contact.resistance[0], contact.resistance[1]);
            let about = |m: V3<f32>, n: V3<f32>| m.dot(a.inverse_inertia(n)) + m.dot(b.inverse_inertia(n));
            let inverse = inverted([about(t1, t1), about(t1, t2), about(t2, t2)]);
            (0..3).for_each(|k| of.inertia[k].0[lane] = inverse[k]);
            let [x, y, z] = kept.rolling;
            let rolling = V3::new(x, y, z);
            (of.impulse[0].0[lane], of.impulse[1].0[lane]) = (t1.dot(rolling), t2.dot(rolling));
        }
    }

    /// Finds the masses that impulses see, once all contacts are in; `rows` as for [`Batch::set`].
    pub fn weigh(&mut self, isa: Isa, rows: &[BodyRow]) {
        self.weigh_some(isa, rows, false);
    }

    /// For [`Batch::weigh`] and [`Batch::weigh_renewed`].
    fn weigh_some(&mut self, isa: Isa, rows: &[BodyRow], renewed: bool) {
        assert!((self.last as usize) < rows.len(), "a batch of other bodies");
        match self.bodies {
            LOCKED => isa.dispatch(lanes::Weigh::<{ LOCKED }> { batch: self, bodies: rows, renewed }),
            // Once a step, or seldom: reading all of what is round costs little.
            _ => isa.dispatch(lanes::Weigh::<{ ANY }> { batch: self, bodies: rows, renewed }),
        }
        // In f64, which lanes have not.
        let these = |lane: usize| !renewed || self.age.stale.0[lane] > 0.0;
        for lane in (0..BATCH).filter(|&lane| self.points_of.0[lane] > 0.0 && these(lane)) {
            let of = &mut self.friction.masses;
            let inverse = inverted([of[0].0[lane], of[1].0[lane], of[2].0[lane]]);
            (0..3).for_each(|k| of[k].0[lane] = inverse[k]);
        }
    }

    /// Adds up the impulses along the normal of the substep that has just ended, where contacts ask for it.
    pub fn count(&mut self) {
        if !self.counts {
            return;
        }
        for (lane, _) in self.counted.iter().enumerate().filter(|(_, counted)| **counted) {
            for points in &self.points[..self.count] {
                let normal = points.normal.0[lane];
                self.total.0[lane] += if normal.is_finite() { normal } else { 0.0 };
            }
        }
    }

    /// Whether any of its contacts is counted.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// The impulse along the normal in this step, N s, of a contact that is counted; None of others.
    #[must_use]
    pub fn total(&self, lane: usize) -> Option<f32> {
        self.counted[lane].then_some(self.total.0[lane])
    }

    /// Whether any of its contacts has restitution.
    #[must_use]
    pub fn bounces(&self) -> bool {
        self.bounces
    }

    /// Begins a substep: finds where the points are now, and applies the impulses that are kept. Returns
    /// whether a manifold will no longer hold at its end ([`Batch::is_stale`]).
    ///
    /// # Safety
    /// Nobody else uses the rows of this batch's bodies that move, nor writes those of the others; and no body that
    /// moves is in two of its contacts.
    pub unsafe fn warm(&mut self, isa: Isa, bodies: Shared<'_, BodyRow>) -> bool {
        self.claim(bodies);
        match self.bodies {
            ROUND => isa.dispatch(warm::Warm::<{ ROUND }> { batch: self, bodies }),
            ANY => isa.dispatch(warm::Warm::<{ ANY }> { batch: self, bodies }),
            _ => isa.dispatch(warm::Warm::<{ LOCKED }> { batch: self, bodies }),
        }
        self.stales
    }

    /// Contacts that would meet in this substep, faster than `least` m/s, and have restitution: lets them bounce.
    /// Returns whether one did.
    ///
    /// # Safety
    /// As for [`Batch::warm`].
    pub unsafe fn impact(&mut self, isa: Isa, bodies: Shared<'_, BodyRow>, h: f32, least: f32) -> bool {
        if !self.bounces {
            return false;
        }
        self.claim(bodies);
        match self.bodies {
            LOCKED => isa.dispatch(lanes::Impact::<{ LOCKED }> { batch: self, bodies, h, least }),
            // Once a step, or seldom: reading all of what is round costs little.
            _ => isa.dispatch(lanes::Impact::<{ ANY }> { batch: self, bodies, h, least }),
        }
    }

    /// One sweep over batches that share no body which moves, with bias or without.
    ///
    /// # Safety
    /// As for [`Batch::warm`], of each.
    pub unsafe fn solve(
        batches: &mut [Batch],
        isa: Isa,
        bodies: Shared<'_, BodyRow>,
        softness: &Softness,
        biased: bool,
    ) {
        batches.iter().for_each(|batch| batch.claim(bodies));
        let (pairs, rest) = batches.as_chunks_mut();
        match biased {
            true => {
                pairs.iter_mut().for_each(|pair| sweep::<true>(pair, isa, bodies, softness));
                rest.iter_mut().for_each(|batch| sweep_one::<true>(batch, isa, bodies, softness));
            }
            false => {
                pairs.iter_mut().for_each(|pair| sweep::<false>(pair, isa, bodies, softness));
                rest.iter_mut().for_each(|batch| sweep_one::<false>(batch, isa, bodies, softness));
            }
        }
    }

    /// What is to be kept of a contact after the step; `rows` as they are now.
    #[must_use]
    pub fn kept(&self, lane: usize, rows: &[BodyRow], manifold: &Manifold) -> Kept {
        let mut kept = Kept { count: manifold.count.min(CORNERS) as u32, ..Kept::default() };
        let mut pressed = false;
        for (k, (to, point)) in kept.points.iter_mut().zip(manifold.points()).enumerate() {
            let normal = self.points[k].normal.0[lane];
            pressed |= normal > 0.0;
            *to = KeptPoint { feature: point.feature, at: [point.a.x, point.a.y, point.a.z], normal };
        }
        let (of, n) = (&self.friction, get(&self.normal, lane));
        let tangents = self.tangents.each_ref().map(|t| get(t, lane));
        let world = |[one, two]: [f32; 2]| {
            let v = tangents[0] * one + tangents[1] * two;
            [v.x, v.y, v.z]
        };
        kept.friction = world(of.impulse.each_ref().map(|impulse| impulse.0[lane]));
        kept.twist = of.twist.0[lane];
        if self.resists {
            kept.rolling = world(self.resistance.impulse.each_ref().map(|impulse| impulse.0[lane]));
        }
        let [a, b] = [0, 1].map(|k| self.moved(k, lane, &rows[(self.read[k][lane] / PAIRS) as usize]));
        let (a, b) = (&a, &b);
        if pressed && of.slips[0].0[lane] == 0.0 {
            let [ra, rb] = [of.round[0].0[lane], of.round[1].0[lane]];
            let arm = get(&of.begun, lane);
            let arms = [arm, arm - get(&self.offset, lane)];
            let way = gone(b, arms[1] + n * rb) - gone(a, arms[0] - n * ra);
            let way = way - (spun(a, n * ra) + spun(b, n * rb));
            kept.drift = world([0, 1].map(|k| of.drift[k].0[lane] + tangents[k].dot(way)));
        }
        if pressed && of.slips[1].0[lane] == 0.0 {
            let turn = |row: &BodyRow| V3::new(row.turn[0], row.turn[1], row.turn[2]);
            kept.turn = of.turn.0[lane] + 2.0 * n.dot(turn(b) - turn(a));
        }
        kept.finite()
    }

    /// Notes which rows this batch takes.
    fn claim(&self, bodies: Shared<'_, BodyRow>) {
        assert!((self.last as usize) < bodies.len(), "a batch of other bodies");
        if cfg!(debug_assertions) {
            for (read, write) in self.read.iter().flatten().zip(self.write.iter().flatten()) {
                let of = if read == write { Use::Write } else { Use::Read };
                bodies.claim((read / PAIRS) as usize, 1, of);
            }
        }
    }
}

/// For [`Batch::solve`] alone, whose caller promises what its kernel needs. Locked axes are rare: not worth a kernel.
fn sweep<const BIASED: bool>(batches: &mut [Batch; 2], isa: Isa, bodies: Shared<'_, BodyRow>, softness: &Softness) {
    match batches[0].bodies.max(batches[1].bodies) {
        ROUND => isa.dispatch(lanes::Solve::<BIASED, { ROUND }, 2> { batches, bodies, softness }),
        ANY => isa.dispatch(lanes::Solve::<BIASED, { ANY }, 2> { batches, bodies, softness }),
        _ => batches.iter_mut().for_each(|batch| sweep_one::<BIASED>(batch, isa, bodies, softness)),
    }
}

/// For [`Batch::solve`] alone, whose caller promises what its kernel needs.
fn sweep_one<const BIASED: bool>(batch: &mut Batch, isa: Isa, bodies: Shared<'_, BodyRow>, softness: &Softness) {
    let of = batch.bodies;
    let batches = std::array::from_mut(batch);
    match of {
        ROUND => isa.dispatch(lanes::Solve::<BIASED, { ROUND }, 1> { batches, bodies, softness }),
        ANY => isa.dispatch(lanes::Solve::<BIASED, { ANY }, 1> { batches, bodies, softness }),
        _ => isa.dispatch(lanes::Solve::<BIASED, { LOCKED }, 1> { batches, bodies, softness }),
    }
}

impl Batch {
    /// Whether a manifold of any of its contacts no longer holds, since [`Batch::warm`] looked.
    #[must_use]
    pub fn is_any_stale(&self) -> bool {
        self.stales
    }

    /// Whether that of a contact does not.
    #[must_use]
    pub fn is_stale(&self, lane: usize) -> bool {
        self.stales && self.age.stale.0[lane] > 0.0
    }

    /// Forgets which manifolds no longer hold; [`Batch::renew`] of some comes next, then [`Batch::weigh_renewed`].
    pub fn begin_renewal(&mut self) {
        self.age.stale = NONE;
    }

    /// The normal of a contact, of the world, and where it lies: the middle of its points, from the first body's
    /// centre. Both of when the manifold was found.
    #[must_use]
    pub fn place(&self, lane: usize) -> [V3<f32>; 2] {
        [get(&self.normal, lane), get(&self.friction.begun, lane)]
    }

    /// Whether its shapes were in each other when the substep before began.
    #[must_use]
    pub fn presses(&self, lane: usize) -> bool {
        self.age.gap.0[lane] <= 0.0
    }

    /// Takes a manifold that was found where the bodies now are; `rows` are the bodies now, and `contact` of now.
    pub fn renew(&mut self, lane: usize, contact: &Contact<'_>, rows: &[BodyRow]) {
        if !self.renewed {
            (self.renewed, self.since) = (true, START);
        }
        for (since, body) in self.since.iter_mut().zip(contact.bodies) {
            let row = &rows[body as usize];
            (0..3).for_each(|k| since.0[k].0[lane] = row.dx[k]);
            (0..4).for_each(|k| since.1[k].0[lane] = row.turn[k]);
        }
        self.points.iter_mut().for_each(|point| point.normal.0[lane] = 0.0);
        self.age.stale.0[lane] = 1.0;
        self.set(lane, contact, rows);
    }

    /// Fills what only some batches write with what is no number, to show that nobody reads it before.
    pub fn poison(&mut self) {
        let nan = Pack([f32::NAN; BATCH]);
        self.since = [([nan; 3], [nan; 4]); 2];
        self.segments = Segments { at: [[nan; 3]; 2], half: [[nan; 3]; 2], radius: [nan; 2], known: nan };
        self.resistance = Resistance { rolling: nan, spinning: nan, inertia: [nan; 3], impulse: [nan; 2] };
        for points in &mut self.points {
            points.begun = [nan; 3];
            points.round = [nan; 2];
            points.arm = [nan; 3];
            for of in [&mut points.separation, &mut points.lean, &mut points.gap, &mut points.mass] {
                *of = nan;
            }
            (points.normal, points.lever) = (nan, nan);
        }
    }

    /// Finds the masses that impulses see, of contacts that were found anew.
    pub fn weigh_renewed(&mut self, isa: Isa, rows: &[BodyRow]) {
        self.weigh_some(isa, rows, true);
    }

    /// Where a body is, as its row tells it, relative to where it was when a manifold was found.
    fn moved(&self, body: usize, lane: usize, row: &BodyRow) -> BodyRow {
        if !self.renewed {
            return *row;
        }
        let (dx, turn) = &self.since[body];
        let (dx, turn) = (dx.each_ref().map(|of| of.0[lane]), turn.each_ref().map(|of| of.0[lane]));
        let [x, y, z, w] = row.turn;
        let (q, w) = lanes::since((V3::new(x, y, z), w), (V3::new(turn[0], turn[1], turn[2]), turn[3]));
        let mut moved = *row;
        (0..3).for_each(|k| moved.dx[k] = row.dx[k] - dx[k]);
        moved.turn = [q.x, q.y, q.z, w];
        moved
    }
}

/// Inverse of a symmetric matrix [k11, k12, k22], likewise; 0 where it has none: both bodies are fixed. In f64: squares
/// of the inverses of large masses are below what f32 holds.
fn inverted(k: [f32; 3]) -> [f32; 3] {
    let [k11, k12, k22] = k.map(f64::from);
    let determinant = k11 * k22 - k12 * k12;
    let over = if determinant > 0.0 { 1.0 / determinant } else { 0.0 };
    [(k22 * over) as f32, (-k12 * over) as f32, (k11 * over) as f32]
}

/// How far a point of a body has gone since the step began: its arm was `r` then.
fn gone(row: &BodyRow, r: V3<f32>) -> V3<f32> {
    let ([x, y, z, w], [a, b, c, _]) = (row.turn, row.dx);
    lanes::gone(V3::new(a, b, c), (V3::new(x, y, z), w), r)
}

/// How far what stays at `r` from a body's axis rolls while the body turns.
fn spun(row: &BodyRow, r: V3<f32>) -> V3<f32> {
    let [x, y, z, _] = row.turn;
    lanes::spun(V3::new(x, y, z), r)
}

/// [`Points::lean`] of a point that rolls so far on both bodies.
fn lean([a, b]: [f32; 2]) -> f32 {
    if a + b > 0.0 { b / (a + b) } else { 0.5 }
}

fn set(packs: &mut [Pack<f32>; 3], lane: usize, v: V3<f32>) {
    (packs[0].0[lane], packs[1].0[lane], packs[2].0[lane]) = (v.x, v.y, v.z);
}

fn get(packs: &[Pack<f32>; 3], lane: usize) -> V3<f32> {
    V3::new(packs[0].0[lane], packs[1].0[lane], packs[2].0[lane])
}

impl Kept {
    /// Its points on the first shape, and their features.
    pub fn places(&self) -> impl Iterator<Item = ([f32; 3], u32)> + Clone {
        self.points.iter().take(self.count as usize).map(|point| (point.at, point.feature))
    }

    /// With 0 in place of what is no number: the bits of a NaN are not the same everywhere.
    fn finite(mut self) -> Kept {
        let number = |x: f32| if x.is_finite() { x } else { 0.0 };
        for point in &mut self.points {
            (point.at, point.normal) = (point.at.map(number), number(point.normal));
        }
        (self.friction, self.drift) = (self.friction.map(number), self.drift.map(number));
        (self.twist, self.turn) = (number(self.twist), number(self.turn));
        self.rolling = self.rolling.map(number);
        self
    }

    /// With its impulses times a factor: for a substep of another length.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Kept {
        self.points.iter_mut().for_each(|point| point.normal *= factor);
        self.friction = self.friction.map(|impulse| impulse * factor);
        self.twist *= factor;
        self.rolling = self.rolling.map(|impulse| impulse * factor);
        self.finite()
    }
}

/// What was kept of a manifold: the impulse of a point that the same features make, or of the nearest that is not
/// taken.
#[must_use]
pub fn matched(manifold: &Manifold, before: &Kept) -> Kept {
    let count = manifold.count.min(CORNERS);
    let mut found = Kept { count: count as u32, points: [KeptPoint::default(); CORNERS], ..*before };
    let (mut taken, mut open) = ([false; CORNERS], [true; CORNERS]);
    let old_points = &before.points[..(before.count as usize).min(CORNERS)];
    if are_those(manifold, old_points) {
        found.points[..manifold.count].copy_from_slice(&old_points[..manifold.count]);
        return found;
    }
    let points = || manifold.points[..count].iter().enumerate();
    for (k, point) in points() {
        let same = old_points.iter().position(|kept| kept.feature == point.feature);
        if let Some(old) = same.filter(|&old| !taken[old]) {
            (found.points[k], taken[old], open[k]) = (old_points[old], true, false);
        }
    }
    for (k, point) in points().filter(|&(k, _)| open[k]) {
        let mut best: Option<(usize, f32)> = None;
        for (old, kept) in old_points.iter().enumerate().filter(|&(old, _)| !taken[old]) {
            let [x, y, z] = kept.at;
            let away = (point.a - V3::new(x, y, z)).length_squared();
            if away < SAME_PLACE * SAME_PLACE && best.is_none_or(|(_, least)| away < least) {
                best = Some((old, away));
            }
        }
        if let Some((old, _)) = best {
            (found.points[k], taken[old]) = (old_points[old], true);
        }
    }
    found
}

/// Whether the same features make its points, in the same order, and each makes one: what rests, from step to step.
fn are_those(manifold: &Manifold, old_points: &[KeptPoint]) -> bool {
    let mut points = manifold.points().iter().enumerate();
    points.all(|(k, point)| {
        let same = old_points.get(k).is_some_and(|old| old.feature == point.feature);
        same && old_points[..k].iter().all(|old| old.feature != point.feature)
    })
}

#[cfg(test)]
mod tests;
