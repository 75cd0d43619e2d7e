//! Triangles that are near a solid, and wait until a register is full.

use super::contacts::{LEAST_SLACK, ROUNDING, SHALLOW, TriangleSolidContacts};
use crate::contact::at_most;
use crate::contact::signed::SignedDistance;
use crate::contact::traced::into;
use crate::lanes::{Lanes, Mask};
use crate::slots::{Place, vector};
use crate::tuning::SLACK;
use crate::{BATCH, Batches, Chunk, InChunks, V3};
use std::mem::MaybeUninit;

/// Triangles that wait, at most: where a batch leaves as many as fill the widest register, they are looked at.
pub(super) const ROOM: usize = 2 * BATCH;

/// Triangles near the solid that are yet to be looked at, from several batches: those of one may lie all over a body.
/// As many whatever the lanes.
pub(super) struct Waiting {
    pub(super) count: usize,
    pub(super) batch: [usize; ROOM],
    pub(super) lane: [usize; ROOM],
    /// In the solid's frame.
    pub(super) x: [[[f32; ROOM]; 3]; 3],
    pub(super) thickness: [f32; ROOM],
    /// The distance above which one is free.
    pub(super) level: [f32; ROOM],
    /// The normal multiplier so far.
    pub(super) was: [f32; ROOM],
    /// How far it has gone, at most, with all pushes: more where it was pushed since.
    pub(super) spent: [f32; ROOM],
    /// What is added to the room that is found, for its next look.
    pub(super) base: [f32; ROOM],
    /// Triangles of these batches that need no look yet, but may if others push them: batch and lane.
    pub(super) rests: usize,
    pub(super) rest: [(usize, usize); RESTS],
}

/// Part of the thickness by which those that wait may push another, at most; what pushes farther is solved again.
const RESERVE: f64 = 0.25;

/// As many as a flush may leave room for.
pub(super) const RESTS: usize = 4 * BATCH;

/// How far all that is between these numbers is beyond -half and half.
#[inline(always)]
fn apart<L: Lanes<Elem = f32>>(x: [L; 3], half: L) -> L {
    let (low, high) = (x[0].smaller(x[1]).smaller(x[2]), x[0].larger(x[1]).larger(x[2]));
    low.larger(-high) - half
}

impl Waiting {
    #[inline(always)]
    pub(super) fn none() -> Waiting {
        Waiting {
            count: 0,
            batch: [0; ROOM],
            lane: [0; ROOM],
            x: [[[0.0; ROOM]; 3]; 3],
            thickness: [0.0; ROOM],
            level: [0.0; ROOM],
            was: [0.0; ROOM],
            spent: [0.0; ROOM],
            base: [0.0; ROOM],
            rests: 0,
            rest: [(0, 0); RESTS],
        }
    }
}

/// What a first look needs of a shape ([`SignedDistance`]).
pub(super) struct Facts {
    half: Option<[f32; 3]>,
    slope: f32,
    girth: f32,
    bound: f32,
    convex: bool,
}

impl Facts {
    #[inline(always)]
    pub(super) fn of(shape: &impl SignedDistance) -> Facts {
        Facts {
            half: shape.half(),
            slope: shape.slope(),
            girth: shape.girth(),
            bound: shape.bound(),
            convex: shape.convex(),
        }
    }

    /// By how much triangles are kept farther off than their thickness, metres.
    #[inline(always)]
    pub(super) fn slack<L: Lanes>(&self, thickness: L) -> L {
        if self.convex {
            return L::zero();
        }
        (thickness * L::splat(SLACK)).larger(L::splat(LEAST_SLACK * f64::from(self.girth)))
    }
}

/// First looks at triangles. Where all code is compiled for the same lanes, one copy is enough for all shapes.
pub(super) struct Looks<'a> {
    pub(super) contacts: &'a TriangleSolidContacts<'a>,
    pub(super) triangles: &'a Batches,
    pub(super) facts: Facts,
}

impl Looks<'_> {
    /// Puts the triangles of a batch that are due and near a box about the solid where they wait, and forgets what they
    /// held before this substep.
    ///
    /// # Safety
    /// As for [`TriangleSolidContacts::solve`].
    // In pages a call costs less than seven copies (docs/decisions/engine-for-pages.md).
    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
    pub(super) unsafe fn look<L: Lanes<Elem = f32>>(
        &self,
        (batch, chunk): (usize, Chunk<L>),
        others_wait: bool,
        waiting: &mut Waiting,
    ) {
        let Looks { contacts, triangles, facts } = self;
        let TriangleSolidContacts { motion, surface, held, slack, .. } = *contacts;
        let first = chunk.first();
        let place = Place::new(triangles, batch, first);
        let zero = L::zero();
        // SAFETY: indices are below the arrays' lengths, as `solve` and `Batches` checked; its caller keeps others
        // away.
        unsafe {
            if contacts.first && !held.is_empty() {
                for k in 0..4 {
                    zero.store(held.as_ptr().add(batch * 4 + k).cast::<f32>().add(first));
                }
            }
            let thickness = triangles.rest(batch)[0].load(chunk) + L::set(contacts.thickness);
            let to_until = slack.until.as_ptr().add(batch * BATCH + first);
            let until = L::load(to_until);
            let spent = slack.spent_by::<L>(place);
            let rests = until.gt(spent) | !thickness.ge(zero);
            if others_wait {
                let mut soon = (rests & until.le(spent + thickness * L::splat(RESERVE))).bits();
                while soon != 0 {
                    let lane = first + soon.trailing_zeros() as usize;
                    soon &= soon - 1;
                    waiting.rest[waiting.rests] = (batch, lane);
                    waiting.rests += 1;
                }
            }
            if rests.all() {
                return;
            }
            let base = slack.base_of::<L>(place);
            let center = V3::<L>::set(surface.at);
            let (from, to) = (V3::<L>::set(surface.from), V3::<L>::set(surface.to));
            let travel = to - from;
            let turned = L::set(surface.turn.as_flattened().iter().fold(0.0, |sum, t| sum + t * t).sqrt());
            let mut x = [V3::<L>::zero(); 3];
            let (mut way, mut size) = (zero, zero);
            let mut copies = [const { MaybeUninit::uninit() }; 2];
            for (k, x) in x.iter_mut().enumerate() {
                let [of_x, of_u] = &mut copies;
                let at = vector::<L>(place.registers::<L>(motion.x.as_ptr(), k, of_x)) - center;
                let u = vector::<L>(place.registers::<L>(motion.u.as_ptr(), k, of_u));
                let b = at + (u - to);
                *x = into(&surface.shape.end, b);
                way = way.larger(at_most(u - travel) + at_most(b) * turned);
                size = size.larger(at_most(b));
            }
            let was = match held.is_empty() || contacts.first {
                true => zero,
                false => L::load(held.as_ptr().add(batch * 4 + 3).cast::<f32>().add(first)),
            };
            // A short way ends where it may be seen; what goes further may be through.
            let way = way + (size + at_most(center)) * L::splat(1e-6);
            let through = (way * L::set(facts.slope)).or_zero(way.gt(L::set(0.5 * facts.girth)));
            let rounding = (size + L::set(facts.bound)) * L::splat(ROUNDING);
            let level = (thickness * L::splat(1.0 - SHALLOW) + facts.slack(thickness) - rounding) + through;
            let mut near = !rests;
            if let Some(half) = facts.half {
                let half = V3::<L>::set(half);
                let outside = apart([x[0].x, x[1].x, x[2].x], half.x)
                    .larger(apart([x[0].y, x[1].y, x[2].y], half.y))
                    .larger(apart([x[0].z, x[1].z, x[2].z], half.z));
                // Those that wait may yet push it by less than its thickness.
                near = near & outside.le(L::splat(2.0) * thickness + (through + rounding));
                let room = outside - (level + rounding);
                let until = L::select(rests, until, base + room);
                L::select(was.gt(zero), L::set(f32::NEG_INFINITY), until).store(to_until);
            }
            let near = near | was.gt(zero);
            if !near.any() {
                return;
            }
            let mut numbers = [[0.0f32; BATCH]; 14];
            for k in 0..3 {
                numbers[3 * k].store(Chunk::<L>::FIRST, x[k].x);
                numbers[3 * k + 1].store(Chunk::<L>::FIRST, x[k].y);
                numbers[3 * k + 2].store(Chunk::<L>::FIRST, x[k].z);
            }
            numbers[9].store(Chunk::<L>::FIRST, level);
            numbers[10].store(Chunk::<L>::FIRST, was);
            numbers[11].store(Chunk::<L>::FIRST, base);
            numbers[12].store(Chunk::<L>::FIRST, thickness);
            numbers[13].store(Chunk::<L>::FIRST, spent);
            let mut near = near.bits();
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                let i = waiting.count;
                (waiting.batch[i], waiting.lane[i]) = (batch, first + lane);
                for (to, from) in waiting.x.as_flattened_mut().iter_mut().zip(&numbers) {
                    to[i] = from[lane];
                }
                (waiting.level[i], waiting.was[i]) = (numbers[9][lane], numbers[10][lane]);
                (waiting.base[i], waiting.thickness[i]) = (numbers[11][lane], numbers[12][lane]);
                waiting.spent[i] = numbers[13][lane];
                waiting.count += 1;
            }
        }
    }
}
