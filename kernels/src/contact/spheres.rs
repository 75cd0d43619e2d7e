//! Particles as spheres that keep apart: fast contacts of bodies that promise nothing.
//!
//! ```text
//!  (i)<- C ->(j)     C = |x_i - x_j| - (r_i + r_j) < 0,   n = (x_i - x_j) / |x_i - x_j|
//!                    dx_i = w_i / (w_i + w_j) (-C n - friction) / max(n_i, n_j)
//! ```
//! All pairs see the same positions (Jacobi); n_i is the number of a particle's contacts. Dividing by the larger of
//! both, a pair pushes both sides alike, so the momentum stays, and no particle is pushed further than its deepest
//! contact asks for. Friction is Coulomb's, with the depth in place of the normal force.
//!
//! Source: Macklin, Müller, Chentanez, Kim 2014, "Unified Particle Physics for Real-Time Applications", sections 4.2
//! (averaging, there by each side's own number), 5 and 6.1; Müller 2022, "Ten Minute Physics" 15 (self-collision of
//! cloth by spheres).
//!
//! Sixteen neighbouring particles are a cluster. Of two clusters near each other every particle is asked, one against
//! sixteen lanes: no list of neighbours has to be made or kept. Each lane adds up its own pairs in one order, so no
//! result depends on lanes or threads.

use super::Combine;
use crate::integrate::Motion;
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::{BATCH, Chunk, InChunks, Isa, Layout, Pack, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::{Use, claim, is_watched};
use std::ops::Range;

/// Up to sixteen particles of a body as spheres of one radius.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereCluster {
    /// The particles' first numbers in an array of rows, and how far the others are apart.
    at: Vec<u32>,
    stride: u32,
    /// Where they were at rest, metres; no number in lanes without a particle.
    rest: [Pack<f32>; 3],
    /// Friction, as [`Combine`] takes it.
    friction: Pack<f32>,
    /// Metres.
    pub radius: f32,
    /// The body, for neighbours at rest.
    pub body: u32,
}

impl SphereCluster {
    /// Of a body's rows: of each its row, place at rest and friction.
    ///
    /// # Panics
    /// If there are more than sixteen.
    #[must_use]
    pub fn new(layout: Layout, particles: &[(usize, [f32; 3], f32)], radius: f32, body: u32) -> SphereCluster {
        assert!(particles.len() <= BATCH, "more than a cluster");
        let mut cluster = SphereCluster {
            at: particles.iter().map(|(row, ..)| layout.offset(*row) as u32).collect(),
            stride: layout.stride() as u32,
            rest: [Pack([f32::NAN; BATCH]); 3],
            friction: Pack([0.0; BATCH]),
            radius,
            body,
        };
        for (lane, (_, rest, friction)) in particles.iter().enumerate() {
            (0..3).for_each(|k| cluster.rest[k].0[lane] = rest[k]);
            cluster.friction.0[lane] = *friction;
        }
        cluster
    }

    /// Everything, as numbers.
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        let packs = self.rest.iter().chain([&self.friction]).flat_map(|pack| pack.0);
        self.at.iter().map(|&at| f32::from_bits(at)).chain(packs).chain([self.radius])
    }
}

/// Where a cluster's particles are in a sweep.
#[derive(Clone, Copy, Debug)]
pub struct SpherePlaces {
    /// Positions, metres; no number in lanes without a particle. Inverse masses.
    x: [Pack<f32>; 3],
    w: Pack<f32>,
    /// How far they have gone in this substep, metres, and their numbers of contacts.
    way: [Pack<f32>; 3],
    count: Pack<f32>,
}

/// Lowest and highest coordinates, metres; empty without particles that are somewhere.
pub type SphereBox = [[f32; 3]; 2];

impl SpherePlaces {
    /// How far the particles have gone in this substep, at most, metres.
    #[must_use]
    pub fn way(&self) -> f32 {
        let squared = |lane: usize| (0..3).fold(0.0, |sum, k| sum + self.way[k].0[lane] * self.way[k].0[lane]);
        // What is no number counts for nothing.
        (0..BATCH).map(squared).filter(|way| way.is_finite()).fold(0.0f32, Lanes::larger).sqrt()
    }

    /// Nowhere.
    pub const NOWHERE: SpherePlaces = {
        let nothing = Pack([f32::NAN; BATCH]);
        SpherePlaces { x: [nothing; 3], w: nothing, way: [nothing; 3], count: nothing }
    };
}

/// Of two clusters, the lanes of the first that each particle of the second is in.
pub type Touching = [u16; BATCH];

/// All clusters.
#[derive(Clone, Copy, Debug)]
pub struct SphereContacts<'a> {
    /// The rows of the particles.
    pub motion: Motion<'a>,
    /// All clusters; no particle is in two.
    pub clusters: &'a [SphereCluster],
    /// Where they are, and boxes about them.
    pub placed: Shared<'a, SpherePlaces>,
    /// As `placed`.
    pub boxes: Shared<'a, SphereBox>,
    /// Of each cluster, where in `near` those are that it may meet, itself among them.
    pub starts: &'a [u32],
    /// Their numbers. Who is near is mutual.
    pub near: &'a [u32],
    /// Where in `near` the same pair is, seen from the other.
    pub back: &'a [u32],
    /// Of each of these, whether any touch, and then who does.
    pub touches: Shared<'a, bool>,
    /// As `touches`.
    pub touching: Shared<'a, Touching>,
    /// Distance at rest / sum of the radii, below which two of a body do not meet.
    pub apart_at_rest: f32,
    /// By how much two that begin the substep in each other are farther apart at its end, at most, metres.
    pub opening: f32,
    /// How friction is combined.
    pub combine: Combine,
}

impl SphereContacts<'_> {
    /// Reads where a cluster's particles are, and how far they have gone.
    ///
    /// # Safety
    /// Nobody writes these particles' rows, or uses where the cluster is.
    ///
    /// # Panics
    /// If it is of other rows.
    pub unsafe fn read(&self, number: usize) {
        let (cluster, Motion { x, u, r, .. }) = (&self.clusters[number], self.motion);
        let stride = cluster.stride as usize;
        let least = [x.len(), u.len(), r.len()].into_iter().fold(usize::MAX, usize::min);
        // SAFETY: the caller promises that nobody uses where this cluster is.
        let (placed, bounds) = unsafe { (&mut self.placed.part(number, 1)[0], &mut self.boxes.part(number, 1)[0]) };
        (*placed, *bounds) = (SpherePlaces::NOWHERE, [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]]);
        for (lane, &at) in cluster.at.iter().enumerate() {
            let at = at as usize;
            assert!(at + 3 * stride < 4 * least, "a cluster of other rows");
            let number = |rows: Shared<'_, Row>, k: usize| {
                // SAFETY: within the rows, as just checked; nobody writes it, as the caller promises.
                unsafe { rows.as_ptr().cast::<f32>().add(at + k * stride).read() }
            };
            placed.w.0[lane] = number(x, 3);
            let ends = [0, 1, 2].map(|k| number(x, k) + number(u, k));
            for (k, &end) in ends.iter().enumerate() {
                placed.x[k].0[lane] = end;
                placed.way[k].0[lane] = number(u, k) - number(r, k);
            }
            if ends.iter().all(|c| c.is_finite()) {
                let [low, high] = &mut *bounds;
                for (k, &end) in ends.iter().enumerate() {
                    (low[k], high[k]) = (Lanes::smaller(end, low[k]), Lanes::larger(end, high[k]));
                }
            }
        }
    }

    /// Finds who touches: of a part of the clusters those pairs whose other cluster is not before it.
    ///
    /// # Safety
    /// Nobody writes `placed` or `boxes`, or uses what touches in these pairs, seen from either side.
    ///
    /// # Panics
    /// If there are no such clusters.
    pub unsafe fn find(&self, isa: Isa, part: Range<usize>) {
        self.check(&part);
        isa.dispatch(Find { of: self, part });
    }

    /// Counts the contacts of each particle of a part of the clusters.
    ///
    /// # Safety
    /// Nobody writes `touching`, or uses where these clusters are.
    ///
    /// # Panics
    /// As [`Self::find`].
    pub unsafe fn count(&self, part: Range<usize>) {
        self.check(&part);
        for number in part {
            let mut counts = [0.0f32; BATCH];
            for pair in self.pairs(number) {
                // SAFETY: the caller promises that nobody writes `touching`.
                for touch in unsafe { self.touching(pair) }.into_iter().flatten() {
                    let mut left = *touch;
                    while left != 0 {
                        counts[left.trailing_zeros() as usize] += 1.0;
                        left &= left - 1;
                    }
                }
            }
            // SAFETY: the caller promises that nobody uses where these clusters are.
            unsafe { self.placed.part(number, 1)[0].count.0 = counts };
        }
    }

    /// Pushes the spheres of a part of the clusters out of what they touch. Returns the number of contacts, each
    /// counted once of all parts.
    ///
    /// # Safety
    /// [`Self::read`] has placed these clusters, from this motion; nobody writes `placed` or `touching`, or uses the
    /// part's rows.
    ///
    /// # Panics
    /// As [`Self::find`].
    pub unsafe fn solve(&self, isa: Isa, part: Range<usize>) -> u32 {
        self.check(&part);
        if is_watched() {
            for &at in self.clusters[part.clone()].iter().flat_map(|cluster| &cluster.at) {
                claim(self.motion.u.as_ptr().cast::<f32>().wrapping_add(at as usize), 1, Use::Write);
            }
        }
        isa.dispatch(Solve { of: self, part })
    }

    fn check(&self, part: &Range<usize>) {
        let count = self.clusters.len();
        assert!(
            part.end <= count && self.placed.len() >= count && self.boxes.len() >= count && self.starts.len() > count,
            "no such clusters"
        );
        let pairs = self.touching.len().min(self.back.len()).min(self.touches.len());
        assert!(pairs >= self.near.len(), "too few pairs");
    }

    /// Where a cluster is.
    ///
    /// # Safety
    /// Nobody writes it.
    unsafe fn at(&self, number: usize) -> &SpherePlaces {
        // SAFETY: the caller promises that nobody writes where the cluster is.
        unsafe { &self.placed.read(number, 1)[0] }
    }

    /// Who touches in a pair, if any do.
    ///
    /// # Safety
    /// Nobody writes `touches` or `touching`.
    unsafe fn touching(&self, pair: usize) -> Option<&Touching> {
        // SAFETY: the caller promises that nobody writes `touches` or `touching`.
        unsafe { self.touches.read(pair, 1)[0].then(|| &self.touching.read(pair, 1)[0]) }
    }

    /// The pairs of a cluster.
    fn pairs(&self, number: usize) -> Range<usize> {
        self.starts[number] as usize..self.starts[number + 1] as usize
    }
}

/// Whether the boxes are within `reach` of each other.
fn meet([low, high]: &[[f32; 3]; 2], [others, end]: &[[f32; 3]; 2], reach: f32) -> bool {
    (0..3).all(|k| others[k] - high[k] < reach && low[k] - end[k] < reach)
}

/// The particles within `reach` of a box, along each axis.
#[inline(always)]
fn near_box<L: Lanes<Elem = f32>>(x: &[Pack<f32>; 3], [low, high]: &[[f32; 3]; 2], reach: f32) -> u32 {
    let mut near = 0;
    for chunk in Chunk::<L>::all() {
        let x = x.load(chunk);
        let along_x = x.x.gt(L::set(low[0] - reach)) & x.x.lt(L::set(high[0] + reach));
        let along_y = x.y.gt(L::set(low[1] - reach)) & x.y.lt(L::set(high[1] + reach));
        let along_z = x.z.gt(L::set(low[2] - reach)) & x.z.lt(L::set(high[2] + reach));
        near |= (along_x & along_y & along_z).bits() << chunk.first();
    }
    near
}

/// The same number of a lane in all.
#[inline(always)]
fn one<L: Lanes<Elem = f32>>(packs: &[Pack<f32>; 3], lane: usize) -> V3<L> {
    V3::set([packs[0].0[lane], packs[1].0[lane], packs[2].0[lane]])
}

/// The lanes' numbers.
const NUMBERS: [f32; BATCH] = {
    let mut numbers = [0.0; BATCH];
    let mut lane = 0;
    while lane < BATCH {
        numbers[lane] = lane as f32;
        lane += 1;
    }
    numbers
};

struct Find<'a> {
    of: &'a SphereContacts<'a>,
    part: Range<usize>,
}

impl Kernel for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Find { of, part } = self;
        for number in part {
            for pair in of.pairs(number) {
                let other = of.near[pair] as usize;
                if other < number {
                    continue;
                }
                // SAFETY: the caller of `find` promises that nobody writes `placed` or `boxes`, or uses these pairs; a
                // pair and its other side are asked by one cluster alone.
                unsafe {
                    let (touching, back) = (of.ask::<L>(number, other), of.back[pair] as usize);
                    let any = touching.is_some();
                    // A cluster and itself are one pair: never both at once.
                    of.touches.part(pair, 1)[0] = any;
                    of.touches.part(back, 1)[0] = any;
                    let Some(touching) = touching else { continue };
                    of.touching.part(pair, 1)[0] = touching;
                    if other != number {
                        of.touching.part(back, 1)[0] = transposed(&touching);
                    }
                }
            }
        }
    }
}

/// Of a cluster, the lanes of the other that each of its particles is in.
fn transposed(touching: &Touching) -> Touching {
    let mut other = [0; BATCH];
    for (lane, touch) in touching.iter().enumerate() {
        let mut left = *touch;
        while left != 0 {
            other[left.trailing_zeros() as usize] |= 1 << lane;
            left &= left - 1;
        }
    }
    other
}

impl SphereContacts<'_> {
    /// Which lanes of a cluster each particle of another is in; None if it is in none.
    ///
    /// # Safety
    /// Nobody writes `placed` or `boxes`.
    #[inline(always)]
    unsafe fn ask<L: Lanes<Elem = f32>>(&self, number: usize, other: usize) -> Option<Touching> {
        let both = (&self.clusters[number], &self.clusters[other]);
        let reach = both.0.radius + both.1.radius;
        // SAFETY: the caller promises that nobody writes `boxes`.
        let (bounds, others) = unsafe { (&self.boxes.read(number, 1)[0], &self.boxes.read(other, 1)[0]) };
        if !meet(bounds, others, reach) {
            return None;
        }
        // SAFETY: the caller promises that nobody writes `placed`.
        let (a, b) = unsafe { (self.at(number), self.at(other)) };
        let (mut touching, mut any) = ([0; BATCH], 0);
        let mut near = near_box::<L>(&b.x, bounds, reach);
        let reach = L::set(reach * reach);
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            for chunk in Chunk::<L>::all() {
                let within = (a.x.load(chunk) - one::<L>(&b.x, lane)).length_squared().lt(reach);
                if within.any() {
                    let w = a.w.load(chunk);
                    let touches = within & self.may_touch(both, chunk, lane, w + L::set(b.w.0[lane]));
                    touching[lane] |= (touches.bits() << chunk.first()) as u16;
                    any |= touching[lane];
                }
            }
        }
        (any != 0).then_some(touching)
    }

    /// Whether lanes of a cluster may touch a particle of another at all: not as neighbours at rest, nor if both are
    /// fixed.
    #[inline(always)]
    fn may_touch<L: Lanes<Elem = f32>>(
        &self,
        (own, other): (&SphereCluster, &SphereCluster),
        chunk: Chunk<L>,
        lane: usize,
        inv_masses: L,
    ) -> L::Mask {
        let movable = inv_masses.gt(L::zero());
        if own.body != other.body {
            return movable;
        }
        let apart = own.rest.load(chunk) - one::<L>(&other.rest, lane);
        let least = (own.radius + other.radius) * self.apart_at_rest;
        movable & apart.length_squared().gt(L::set(least * least))
    }
}

struct Solve<'a> {
    of: &'a SphereContacts<'a>,
    part: Range<usize>,
}

impl Kernel for Solve<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> u32 {
        let Solve { of, part } = self;
        let mut contacts = 0;
        for number in part {
            // SAFETY: the caller of `solve` promises that nobody writes `placed` or `touching`.
            let (own, placed) = unsafe { (&of.clusters[number], of.at(number)) };
            if placed.count.0.iter().all(|count| *count == 0.0) {
                continue;
            }
            let mut push = [[0.0f32; BATCH]; 3];
            for chunk in Chunk::<L>::all() {
                // SAFETY: the caller of `solve` promises that nobody writes `placed` or `touching`.
                push.store(chunk, unsafe { of.push(number, chunk) });
            }
            for (lane, &at) in own.at.iter().enumerate() {
                let by = [push[0][lane], push[1][lane], push[2][lane]];
                if placed.count.0[lane] > 0.0 && placed.w.0[lane] > 0.0 && by.iter().all(|c| c.is_finite()) {
                    for (k, by) in by.into_iter().enumerate() {
                        // SAFETY: the caller of `solve` promises that `read` has found these rows, and that nobody else
                        // uses them.
                        unsafe {
                            let u = of.motion.u.as_ptr().cast::<f32>().add(at as usize + k * own.stride as usize);
                            u.write(u.read() + by);
                        }
                    }
                }
            }
            for pair in of.pairs(number) {
                // Of two clusters the first counts, of one the first particle.
                let other = of.near[pair] as usize;
                // SAFETY: the caller of `solve` promises that nobody writes `touching`.
                let touching = unsafe { of.touching(pair) };
                for (lane, touch) in touching.into_iter().flatten().enumerate() {
                    let counted = if other == number { touch & ((1u32 << lane) - 1) as u16 } else { *touch };
                    contacts += if number <= other { counted.count_ones() } else { 0 };
                }
            }
        }
        contacts
    }
}

impl SphereContacts<'_> {
    /// How far these lanes of a cluster are pushed.
    ///
    /// # Safety
    /// Nobody writes `placed` or `touching`.
    #[inline(always)]
    unsafe fn push<L: Lanes<Elem = f32>>(&self, number: usize, chunk: Chunk<L>) -> V3<L> {
        let own = &self.clusters[number];
        // SAFETY: the caller promises that nobody writes `placed`.
        let placed = unsafe { self.at(number) };
        let (x, way, friction) = (placed.x.load(chunk), placed.way.load(chunk), own.friction.load(chunk));
        let (w, count) = (placed.w.load(chunk), placed.count.load(chunk));
        let lanes = L::WIDTH.min(16) as u32;
        let mine = if lanes == 16 { u32::from(u16::MAX) } else { (1 << lanes) - 1 };
        let (mut push, one_of) = (V3::<L>::zero(), L::splat(1.0));
        for pair in self.pairs(number) {
            let other = self.near[pair] as usize;
            // SAFETY: the caller promises that nobody writes `touching`.
            let Some(touching) = (unsafe { self.touching(pair) }) else { continue };
            let reach = L::set(own.radius + self.clusters[other].radius);
            for (lane, touch) in touching.iter().enumerate() {
                if u32::from(*touch) >> chunk.first() & mine == 0 {
                    continue;
                }
                // SAFETY: the caller promises that nobody writes `placed`.
                let b = unsafe { self.at(other) };
                let d = x - one::<L>(&b.x, lane);
                let squared = d.length_squared();
                let length = squared.sqrt();
                // Of two in one place the first goes up.
                let place = NUMBERS.load(chunk);
                let before = if number == other {
                    place.lt(L::set(lane as f32))
                } else {
                    L::set(number as f32).lt(L::set(other as f32))
                };
                let up = V3::new(L::zero(), L::select(before, one_of, -one_of), L::zero());
                let n = V3::select(length.gt(L::zero()), d * (one_of / length), up);
                let slip = way - one::<L>(&b.way, lane);
                // Those that began the substep in each other go no deeper, and open slowly.
                let from = (d - slip).length() + L::set(self.opening);
                let depth = (reach.smaller(from) - length).larger(L::zero());
                let slip = slip - n * slip.dot(n);
                let mu = self.combine.of(friction, L::set(self.clusters[other].friction.0[lane]));
                // What sticks is taken back whole.
                let (long, most) = (slip.length(), mu * depth);
                let share = L::select(long.gt(most), most / long, one_of);
                let shared = (w + L::set(b.w.0[lane])) * count.larger(L::set(b.count.0[lane]));
                let by = (n * depth - slip * share) * (w / shared);
                let both = (own, &self.clusters[other]);
                let touches = squared.lt(reach * reach) & self.may_touch(both, chunk, lane, w + L::set(b.w.0[lane]));
                push = push + by.or_zero(touches);
            }
        }
        push
    }
}
