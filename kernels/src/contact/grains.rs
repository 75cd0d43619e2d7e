//! Grains: spheres of one size that keep apart, with friction and cohesion.
//!
//! ```text
//!   C = |x_i - x_j| - (r_i + r_j) >= 0,   n = (x_i - x_j) / |x_i - x_j|,   lambda = max(-C, -h^2 pull (w_i + w_j)) / (w_i + w_j)
//!   s = (1 - n n^T) ((x_i - x_j) - held),  tau = s / (w_i + w_j);  if |tau| > mu_s lambda + h^2 pull: tau *= (mu_k lambda + h^2 pull) / |tau|
//!   dx_i = w_i (lambda n - tau),  dx_j = -w_j (lambda n - tau)
//! ```
//! `held` is where i was from j when they last slid, or met. So friction knows how far a contact has been drawn aside,
//! not only by how much in this substep (Cundall, Strack 1979, "A discrete numerical model for granular assemblies", in
//! place of the displacement of a substep in Macklin, Müller, Chentanez, Kim 2014, "Unified Particle Physics for
//! Real-Time Applications", section 6.1): a heap at rest does not creep. Grains do not turn.
//!
//! Contacts are gone through one after another (Gauss-Seidel). Space is cut into blocks wider than two contacts are
//! long; a contact is its first grain's block's. A block's contacts are a chain. Blocks of one of eight colors share no
//! grain, so that sixteen of them are gone through in lanes, and all sixteens of a color at once: no result depends on
//! lanes or threads.

use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Chunk, InChunks, Isa, Pack, Row, V3};
use seidel_workers::claims::Use;
use seidel_workers::{Executor, Shared};
use std::ops::Range;

/// Two grains that may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainPair {
    /// Their slots.
    pub slots: [u32; 2],
    /// Distance of their middles when they touch, metres.
    pub reach: f32,
    /// Where the first was from the second when they last slid, or met, metres.
    pub held: [f32; 3],
    /// Their friction and cohesion.
    pub grip: Grip,
}

/// Friction and cohesion of two grains that touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grip {
    /// Coefficient of friction at rest.
    pub rest: f32,
    /// Coefficient of friction of what slides; at most the other.
    pub slide: f32,
    /// Cohesion, Pa: it draws with this times reach^2.
    pub cohesion: f32,
}

/// Contact n of each of sixteen chains.
#[derive(Clone, Copy, Debug)]
struct Sixteen {
    /// Twice the slots' numbers ([`crate::Lanes::load_rows`]).
    slots: [Pack<u32>; 2],
    reach: Pack<f32>,
    held: [Pack<f32>; 3],
}

const NONE: Sixteen =
    Sixteen { slots: [Pack([0; BATCH]); 2], reach: Pack([0.0; BATCH]), held: [Pack([0.0; BATCH]); 3] };

/// The chains of all blocks, sixteen by sixteen.
#[derive(Debug, Default)]
pub struct GrainChains {
    /// Where the contacts of each sixteen chains begin.
    starts: Vec<u32>,
    sixteens: Vec<Sixteen>,
    /// Grips of each contact; empty where all have one.
    grips: Vec<[Pack<f32>; 3]>,
    rows: usize,
}

/// Sixteen blocks, or fewer.
pub type BlocksOfLanes = [Option<u32>; BATCH];

impl GrainChains {
    /// Takes the chains of blocks. `length(block)` is how many contacts a block has, and `each(block, take)` gives them
    /// in their order. Slots are below `slots`; rows from there on have no grain, one for each sixteen blocks. `mixed`:
    /// not all contacts have one grip.
    ///
    /// # Panics
    /// If a slot is out of range, or there are too many.
    pub fn fill(
        &mut self,
        on: &mut dyn Executor,
        (blocks, slots, mixed): (&[BlocksOfLanes], usize, bool),
        length: impl Fn(u32) -> usize + Sync,
        each: impl Fn(u32, &mut dyn FnMut(GrainPair)) + Sync,
    ) {
        self.rows = slots + blocks.len();
        assert!(self.rows <= (u32::MAX / 2) as usize, "rows that contacts can name");
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0u32;
        for of in blocks {
            let longest = of.iter().flatten().map(|&block| length(block)).fold(0, usize::max);
            end += longest as u32;
            self.starts.push(end);
        }
        // The old contents are written over below.
        self.sixteens.resize(end as usize, NONE);
        self.grips.resize(if mixed { end as usize } else { 0 }, [Pack([0.0; BATCH]); 3]);
        let (starts, sixteens, grips) = (&self.starts, Shared::new(&mut self.sixteens), Shared::new(&mut self.grips));
        on.each(blocks.len(), &|number| {
            let (start, end) = (starts[number] as usize, starts[number + 1] as usize);
            // SAFETY: contacts of sixteen chains are this closure's alone.
            let (to, of_grips) = unsafe {
                (
                    sixteens.part(start, end - start),
                    grips.part(if mixed { start } else { 0 }, if mixed { end - start } else { 0 }),
                )
            };
            let nobody = 2 * (slots + number) as u32;
            for (lane, block) in blocks[number].iter().enumerate() {
                let (mut n, mut outside) = (0, false);
                let mut take = |pair: GrainPair| {
                    let Some(to) = to.get_mut(n) else { return };
                    outside |= pair.slots.iter().any(|&slot| slot as usize >= slots);
                    for k in 0..2 {
                        to.slots[k].0[lane] = pair.slots[k].wrapping_mul(2);
                    }
                    to.reach.0[lane] = pair.reach;
                    (0..3).for_each(|k| to.held[k].0[lane] = pair.held[k]);
                    if let Some(grips) = of_grips.get_mut(n) {
                        let Grip { rest, slide, cohesion } = pair.grip;
                        [rest, slide, cohesion].iter().zip(grips).for_each(|(grip, to)| to.0[lane] = *grip);
                    }
                    n += 1;
                };
                if let Some(block) = block {
                    each(*block, &mut take);
                }
                assert!(!outside, "a grain is not there");
                for n in n..to.len() {
                    (0..2).for_each(|k| to[n].slots[k].0[lane] = nobody);
                    to[n].reach.0[lane] = 0.0;
                    (0..3).for_each(|k| to[n].held[k].0[lane] = 0.0);
                    if let Some(grips) = of_grips.get_mut(n) {
                        grips.iter_mut().for_each(|to| to.0[lane] = 0.0);
                    }
                }
            }
        });
    }

    /// All contacts: their slots, the distance at which they touch, and what holds them.
    pub fn pairs(&self) -> impl Iterator<Item = ([u32; 2], f32, [f32; 3])> {
        self.sixteens
            .iter()
            .flat_map(|of| {
                (0..BATCH).map(move |lane| {
                    let slots = [0, 1].map(|k| of.slots[k].0[lane] / 2);
                    (slots, of.reach.0[lane], [0, 1, 2].map(|k| of.held[k].0[lane]))
                })
            })
            .filter(|([a, b], ..)| a != b)
    }

    /// Makes every chain lead nowhere.
    pub fn poison(&mut self) {
        self.sixteens.fill(NONE);
        self.rows = usize::MAX;
    }
}

/// Goes through chains.
#[derive(Debug)]
pub struct GrainContacts<'a> {
    /// Lanes.
    pub isa: Isa,
    starts: &'a [u32],
    sixteens: Shared<'a, Sixteen>,
    grips: &'a [[Pack<f32>; 3]],
    /// Positions of the slots, relative, and inverse masses; then rows without a grain.
    at: Shared<'a, Row>,
    /// The grip of all contacts that have none of their own.
    grip: Grip,
    /// The square of the substep's length over its sweeps, s^2; how far cohesion reaches, a share of the distance at
    /// which grains touch.
    squared: f32,
    range: f32,
}

impl<'a> GrainContacts<'a> {
    /// Of grains where they are. `grip` holds all of them, if they have none of their own. Cohesion reaches to `range`
    /// times the distance at which grains touch beyond that; `squared` is the square of the substep, s^2, over the
    /// sweeps in it: each draws for its share.
    ///
    /// # Panics
    /// If rows are missing.
    pub fn new(
        isa: Isa,
        chains: &'a mut GrainChains,
        at: Shared<'a, Row>,
        grip: Grip,
        (squared, range): (f32, f32),
    ) -> GrainContacts<'a> {
        assert!(chains.rows <= at.len(), "too few grains");
        let GrainChains { starts, sixteens, grips, .. } = chains;
        GrainContacts { isa, starts, sixteens: Shared::new(sixteens), grips, at, grip, squared, range }
    }

    /// Goes through sixteens of chains, contact by contact. Returns how many touched.
    ///
    /// # Safety
    /// Nobody else uses these chains, or the rows of their grains.
    pub unsafe fn run(&self, of: Range<usize>) -> u32 {
        assert!(of.end < self.starts.len(), "no such chains");
        self.isa.dispatch(Solve { of: self, part: of })
    }
}

struct Solve<'a> {
    of: &'a GrainContacts<'a>,
    part: Range<usize>,
}

impl Kernel for Solve<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> u32 {
        let Solve { of, part } = self;
        let mut touching = 0;
        for number in part {
            let (start, end) = (of.starts[number] as usize, of.starts[number + 1] as usize);
            // SAFETY: these chains are the caller's of `run` alone.
            let sixteens = unsafe { of.sixteens.part(start, end - start) };
            for (n, sixteen) in sixteens.iter_mut().enumerate() {
                for chunk in Chunk::<L>::all() {
                    let grips = of.grips.get(start + n);
                    // SAFETY: `fill` has checked the slots, and `new` that there are as many rows; they are the
                    // caller's of `run` alone, and lanes have grains of their own, for their blocks have one color.
                    touching += unsafe { of.lanes::<L>(sixteen, grips, chunk) };
                }
            }
        }
        touching
    }
}

impl GrainContacts<'_> {
    /// Keeps `WIDTH` pairs apart. Returns how many touched.
    ///
    /// # Safety
    /// As for [`GrainContacts::run`].
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Elem = f32>>(
        &self,
        pairs: &mut Sixteen,
        grips: Option<&[Pack<f32>; 3]>,
        chunk: Chunk<L>,
    ) -> u32 {
        let base = self.at.as_ptr().cast::<[f32; 2]>();
        let [i, j] = [0, 1].map(|k| chunk.of(&pairs.slots[k].0));
        for &slot in pairs.slots.iter().flat_map(|slots| &slots.0[chunk.first()..chunk.first() + L::WIDTH]) {
            self.at.claim(slot as usize / 2, 1, Use::Write);
        }
        // SAFETY: the caller promises the rows at i and j.
        let ([xi, yi, zi, wi], [xj, yj, zj, wj]) =
            unsafe { (L::transpose(L::load_rows(base, i)), L::transpose(L::load_rows(base, j))) };
        let (reach, held) = (pairs.reach.load(chunk), pairs.held.load(chunk));
        let d = V3::new(xi - xj, yi - yj, zi - zj);
        let (zero, one) = (L::zero(), L::splat(1.0));
        let (length, w) = (d.length(), wi + wj);
        let depth = reach - length;
        let near = depth.gt(-(reach * L::set(self.range))) & w.gt(zero);
        let mut keep = d;
        let touching = near.count();
        if touching > 0 {
            let [rest, slide, cohesion] = match grips {
                Some([rest, slide, cohesion]) => [rest.load(chunk), slide.load(chunk), cohesion.load(chunk)],
                None => [L::set(self.grip.rest), L::set(self.grip.slide), L::set(self.grip.cohesion)],
            };
            // Of two in one place the first goes up.
            let up = V3::new(zero, one, zero);
            let n = V3::select(length.gt(L::splat(MIN_LENGTH)), d * (one / length), up);
            let inverse = one / w;
            let pull = cohesion * (reach * reach) * L::set(self.squared);
            let lambda = (depth * inverse).larger(-pull);
            let slip = d - held;
            let slip = slip - n * slip.dot(n);
            let (wanted, pressed) = (slip.length() * inverse, lambda.larger(zero));
            let sticks = wanted.le(rest * pressed + pull);
            let share = L::select(sticks, one, (slide * pressed + pull) / wanted);
            let by = n * lambda - slip * (inverse * share);
            let good = near & by.x.finite() & by.y.finite() & by.z.finite();
            let by = by.or_zero(good);
            // A contact that slides is held from nearer on.
            keep = V3::select(good, held + slip * (one - share), d);
            // SAFETY: the caller promises that i and j are slots, and that no other chain of this color has them.
            unsafe {
                L::add_rows(L::transpose([by.x * wi, by.y * wi, by.z * wi, zero]), base, i);
                L::add_rows(L::transpose([-(by.x * wj), -(by.y * wj), -(by.z * wj), zero]), base, j);
            }
        }
        pairs.held.store(chunk, keep);
        touching
    }
}
