//! Grains: spheres that keep apart, with friction (`seidel_kernels::contact::GrainContacts`).
//!
//! ```text
//!  once a step, and again when grains may have come nearer than is known
//!    contacts so far are kept; places --hash--> who may touch; blocks of space, in eight colors; chains of contacts
//!  every sweep
//!    read positions -> chains, color after color -> displacements
//!  at the end of the step
//!    contacts are kept, in the state
//! ```

use super::fluid::fresh::Fresh;
use super::{Alone, Common};
use crate::plan::grains::Grains as Plans;
use crate::run::grains::GrainState;
use crate::run::report::Phase;
use crate::tuning::{GRAIN_COHESION_RANGE, GRAIN_LIST_MARGIN, GRAIN_NEIGHBOURS, GRAIN_WIDE_LIST_MARGIN};
use seidel_hash::{Neighbours, PointGrid};
use seidel_kernels::contact::{BlocksOfLanes, GrainChains, GrainContacts, GrainPair, Grip};
use seidel_kernels::fluid::{FAR, Gather, Range3};
use seidel_kernels::{BATCH, Row, Rows, Shared};
use seidel_workers::Crew;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Sixteens of slots that a worker takes at a time.
const GROUPS_A_BLOCK: usize = 16;
/// Sixteens of chains that a worker takes at a time.
const CHAINS_A_BLOCK: usize = 1;
/// Colors of blocks: neighbours differ along each axis.
const COLORS: usize = 8;

/// A block of space: its color and where it is, by which blocks are sorted; its slots among `members`, and its
/// contacts.
#[derive(Clone, Copy, Debug)]
struct SpaceBlock {
    key: u64,
    first: u32,
    end: u32,
    contacts: u32,
}

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct GrainScratch {
    /// The point that positions are relative to, metres.
    origin: [f32; 3],
    points: Vec<[f32; 3]>,
    /// Coordinates of all grains along one axis.
    along: Vec<f32>,
    /// For each point: its row, and its kind among the bodies of grains.
    rows: Vec<(u32, u32)>,
    grid: PointGrid,
    neighbours: Neighbours,
    /// For each slot: its row, its kind, and a factor on its inverse mass, if masses are scaled.
    row_of: Vec<u32>,
    kind_of: Vec<u32>,
    scale: Vec<f32>,
    /// For each slot where it is, relative, and its inverse mass; then rows without a grain.
    at: Rows,
    /// Where they were when contacts were looked for.
    listed: Vec<Row>,
    gone: Vec<Range3>,
    fresh: Fresh,
    /// Slots by blocks, each with the block's key.
    members: Vec<(u64, u32)>,
    blocks: Vec<SpaceBlock>,
    sixteens: Vec<BlocksOfLanes>,
    /// Of each color where its sixteens of chains begin.
    colors: Vec<usize>,
    chains: GrainChains,
    /// For each row where its contacts begin among those that were kept.
    kept: Vec<u32>,
    /// Contacts to keep, as they come.
    touching_rows: Vec<([u32; 2], [f32; 3])>,
    /// Whether contacts are known.
    known: bool,
    /// For how many sweeps they have been good.
    lasted: u32,
    overflowed: bool,
    touching: u32,
}

impl GrainScratch {
    pub(crate) fn poison(&mut self) {
        self.origin = [f32::NAN; 3];
        self.points.fill([f32::NAN; 3]);
        self.along.fill(f32::NAN);
        self.rows.fill((u32::MAX, u32::MAX));
        self.row_of.fill(u32::MAX);
        self.kind_of.fill(u32::MAX);
        self.scale.fill(f32::NAN);
        self.at.fill(f32::NAN);
        self.listed.fill([f32::NAN; 4]);
        self.gone.fill([[f32::NAN; 3]; 2]);
        self.fresh.poison();
        self.members.fill((u64::MAX, u32::MAX));
        self.blocks.fill(SpaceBlock { key: u64::MAX, first: u32::MAX, end: u32::MAX, contacts: u32::MAX });
        self.sixteens.fill([Some(u32::MAX); BATCH]);
        self.colors.fill(usize::MAX);
        self.chains.poison();
        self.kept.fill(u32::MAX);
        self.touching_rows.fill(([u32::MAX; 2], [f32::NAN; 3]));
        self.known = true;
        self.lasted = 0;
    }

    fn groups(&self) -> usize {
        self.row_of.len().div_ceil(BATCH)
    }
}

/// All grains of a step.
pub(crate) struct Grains<'a> {
    common: &'a Common<'a>,
    plan: &'a Plans,
    scratch: &'a mut GrainScratch,
    state: &'a mut GrainState,
    /// By how much farther than they touch grains are looked for, metres, and how far cohesion reaches, a share of the
    /// distance of touch.
    margin: f32,
    range: f32,
}

impl<'a> Grains<'a> {
    /// None if there are none. Forgets what the last step has found.
    pub(crate) fn new(
        common: &'a Common<'a>,
        scratch: &'a mut GrainScratch,
        state: &'a mut GrainState,
    ) -> Option<Grains<'a>> {
        let plan = common.plan.grains.as_ref()?;
        (scratch.known, scratch.lasted, scratch.overflowed, scratch.touching) = (false, 0, false, 0);
        let range = if plan.cohesive { GRAIN_COHESION_RANGE } else { 0.0 };
        let mut grains = Grains { common, plan, scratch, state, margin: 0.0, range };
        grains.margin = grains.narrow();
        Some(grains)
    }

    /// The margin of lists that a step begins with.
    fn narrow(&self) -> f32 {
        (GRAIN_LIST_MARGIN + self.range) * self.plan.reach
    }

    /// Contacts that pushed in the last sweep.
    pub(crate) fn touching(&self) -> u32 {
        self.scratch.touching
    }

    /// 1 if grains were too many in one place to be told apart, so that the step has left them in each other.
    pub(crate) fn overflowed(&self) -> u32 {
        u32::from(self.scratch.overflowed)
    }

    /// Keeps grains apart.
    pub(crate) fn run(&mut self, crew: &mut Crew<'_>) {
        if self.scratch.known {
            self.gather(crew);
            self.scratch.lasted += 1;
            if self.is_stale(crew) {
                self.keep();
                // Grains that fall past others leave short lists in every substep.
                if self.scratch.lasted < 2 {
                    self.margin = (GRAIN_WIDE_LIST_MARGIN + self.range) * self.plan.reach;
                }
                self.scratch.lasted = 0;
                self.find(crew);
            }
        } else {
            self.find(crew);
        }
        if !self.scratch.row_of.is_empty() {
            self.solve(crew);
        }
    }

    /// Keeps contacts in the state, at the end of a step.
    pub(crate) fn end(&mut self, crew: &mut Crew<'_>) {
        self.gather(crew);
        self.keep();
    }

    /// How far grains are looked for, metres.
    fn reach(&self) -> f32 {
        self.plan.reach + self.margin
    }

    /// Reads where grains are, and how far they have gone since contacts were looked for.
    fn gather(&mut self, crew: &mut Crew<'_>) {
        let (common, groups, scaled) = (self.common, self.scratch.groups(), self.plan.scaled);
        let GrainScratch { at, listed, row_of, origin, gone, scale, .. } = &mut *self.scratch;
        gone.resize(groups, super::fluid::groups::EMPTY);
        let (at, boxes) = (Shared::new(at), Shared::new(gone));
        let gather = Gather { motion: common.motion, row_of, origin: *origin, at, listed };
        common.each(crew, Phase::GrainContacts, blocks(groups), |b| {
            for group in block(groups, b) {
                let slots = group * BATCH..(group + 1) * BATCH;
                // SAFETY: nobody writes these slots' rows in this stage; the sixteen's slots and box are this closure's
                // alone.
                unsafe {
                    boxes.part(group, 1)[0] = gather.run(slots.clone());
                    if scaled {
                        let of = scale.get(slots.start..slots.end.min(scale.len())).unwrap_or(&[]);
                        at.part(slots.start, of.len()).iter_mut().zip(of).for_each(|(at, by)| at[3] *= by);
                    }
                }
            }
        });
    }

    /// Whether two grains may touch that are in no list.
    fn is_stale(&mut self, crew: &mut Crew<'_>) -> bool {
        // Cohesion begins farther out.
        let (touch, margin) = ((1.0 + self.range) * self.plan.reach, self.margin - self.range * self.plan.reach);
        let GrainScratch { gone, fresh, listed, .. } = &mut *self.scratch;
        let listed = listed.iter().enumerate().map(|(slot, &[x, y, z, _])| ((slot / BATCH) as u32, [x, y, z]));
        let stale = fresh.is_stale(crew, (touch, margin), [&gone[..], &[]], listed);
        self.common.laps.lap(Phase::GrainSearch);
        stale
    }

    /// Finds who may touch, where grains are now.
    fn find(&mut self, crew: &mut Crew<'_>) {
        let (common, plan, reach, narrow) = (self.common, self.plan, self.reach(), self.narrow());
        let scratch = &mut *self.scratch;
        scratch.known = true;
        scratch.places(common, common.alone(crew), plan);
        scratch.row_of.clear();
        scratch.kind_of.clear();
        scratch.listed.clear();
        scratch.scale.clear();
        scratch.fresh.renew();
        let most = GRAIN_NEIGHBOURS * scratch.points.len();
        let mut neighbours = std::mem::take(&mut scratch.neighbours).most(most).by_place(true);
        let found = scratch
            .grid
            .build_with(crew, &scratch.points, reach)
            .and_then(|()| neighbours.find_with(crew, &scratch.grid, reach));
        scratch.neighbours = neighbours;
        if found.is_err() && self.margin > narrow {
            // Small grains beside large ones may have too many for the wide lists.
            self.margin = narrow;
            return self.find(crew);
        }
        if found.is_err() {
            scratch.overflowed = true;
            scratch.chains.fill(crew, (&[], 0, false), |_| 0, |_, _| ());
            return;
        }
        scratch.slots(common.gravity, common.alone(crew), plan);
        scratch.divide(plan, reach);
        let slots = scratch.groups() * BATCH;
        let rows = (slots + scratch.sixteens.len()).next_multiple_of(4);
        scratch.at.grow(rows, 0);
        for (slot, at) in scratch.at.iter_mut().enumerate() {
            let by = scratch.scale.get(slot).copied().unwrap_or(1.0);
            *at = scratch.listed.get(slot).map_or([FAR, FAR, FAR, 0.0], |&[x, y, z, w]| [x, y, z, w * by]);
        }
        scratch.index(common, self.state);
        let GrainScratch { blocks, members, neighbours, kind_of, row_of, kept, chains, sixteens, .. } = scratch;
        let (state, x) = (&*self.state, common.motion.x);
        // SAFETY: no stage that writes rows runs.
        let x = unsafe { x.read(0, x.len()) };
        let each = |number: u32, take: &mut dyn FnMut(GrainPair)| {
            let SpaceBlock { first, end, .. } = blocks[number as usize];
            for &(_, slot) in &members[first as usize..end as usize] {
                for (other, (reach, grip)) in others(plan, neighbours, kind_of, slot) {
                    let rows = [slot, other].map(|slot| row_of[slot as usize]);
                    take(GrainPair { slots: [slot, other], reach, held: held(state, kept, x, rows), grip });
                }
            }
        };
        let mixed = plan.grip().is_none();
        chains.fill(crew, (sixteens, slots, mixed), |block| blocks[block as usize].contacts as usize, each);
        common.laps.lap(Phase::GrainSearch);
    }

    /// Goes through all contacts, and moves rows by what they have done.
    fn solve(&mut self, crew: &mut Crew<'_>) {
        let (common, plan, groups) = (self.common, self.plan, self.scratch.groups());
        let GrainScratch { at, chains, colors, row_of, origin, touching, .. } = &mut *self.scratch;
        let at = Shared::new(at);
        let grip = plan.grip().unwrap_or_default();
        // Cohesion is a force: all sweeps of a substep share it.
        let squared = common.h * common.h / common.plan.settings.iterations as f32;
        let contacts = GrainContacts::new(common.isa, chains, at, grip, (squared, self.range));
        let count = AtomicU32::new(0);
        let of = |color: usize, b: usize| {
            let first = colors[color] + b * CHAINS_A_BLOCK;
            first..(first + CHAINS_A_BLOCK).min(colors[color + 1])
        };
        let of_color = |color: usize| (colors[color + 1] - colors[color]).div_ceil(CHAINS_A_BLOCK);
        common.in_turn(crew, Phase::GrainContacts, (COLORS, of_color), |color, b| {
            // SAFETY: blocks of one color are farther apart than two contacts are long, so that no two of a stage share
            // a grain.
            let touching = unsafe { contacts.run(of(color, b)) };
            count.fetch_add(touching, Ordering::Relaxed);
        });
        *touching = count.into_inner();
        let (motion, [ox, oy, oz], row_of) = (common.motion, *origin, &*row_of);
        common.each(crew, Phase::GrainContacts, blocks(groups), |b| {
            let of = block(groups, b);
            let slots = of.start * BATCH..row_of.len().min(of.end * BATCH);
            // SAFETY: a slot's row is this closure's alone.
            let at = unsafe { at.read(slots.start, slots.len()) };
            for (&row, at) in row_of[slots].iter().zip(at).filter(|(_, at)| at[3] > 0.0) {
                // SAFETY: nobody writes x in this stage; a row has one slot, which is of this block alone.
                let (x, u) = unsafe { (motion.x.read(row as usize, 1)[0], &mut motion.u.part(row as usize, 1)[0]) };
                // As it was read.
                let was = [(x[0] - ox) + u[0], (x[1] - oy) + u[1], (x[2] - oz) + u[2]];
                for k in 0..3 {
                    u[k] += at[k] - was[k];
                }
            }
        });
    }

    /// Keeps the contacts of grains that are near enough to touch.
    fn keep(&mut self) {
        let GrainScratch { chains, at, row_of, kept, touching_rows, .. } = &mut *self.scratch;
        let near = |&([a, b], reach, _): &([u32; 2], f32, [f32; 3])| {
            let [[ax, ay, az, aw], [bx, by, bz, bw]] = [at[a as usize], at[b as usize]];
            let d = [ax - bx, ay - by, az - bz];
            // A hair farther, for what rounding makes of it.
            let limit = (1.01 + self.range) * reach;
            aw + bw > 0.0 && (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] < limit * limit
        };
        let of_rows = |([a, b], _, held): ([u32; 2], f32, [f32; 3])| {
            let rows = [a, b].map(|slot| row_of[slot as usize]);
            if rows[0] < rows[1] { (rows, held) } else { ([rows[1], rows[0]], held.map(|c| -c)) }
        };
        let GrainState { pairs, held, .. } = &mut *self.state;
        // By the lower row, then each row's few by the other.
        touching_rows.clear();
        touching_rows.extend(chains.pairs().filter(near).map(of_rows));
        kept.clear();
        kept.resize(self.common.plan.x.len() + 1, 0);
        for ([row, _], _) in &*touching_rows {
            kept[*row as usize] += 1;
        }
        let mut end = 0;
        for start in kept.iter_mut() {
            let own = *start;
            *start = end;
            end += own;
        }
        // A row that is not there stands where nothing is yet.
        pairs.clear();
        pairs.resize(touching_rows.len(), [u32::MAX; 2]);
        held.resize(touching_rows.len(), [0.0; 3]);
        for &(rows, from) in &*touching_rows {
            let start = kept[rows[0] as usize];
            let mut at = start as usize;
            kept[rows[0] as usize] += 1;
            // Insert it among those of its row that are there.
            while at > 0 && pairs[at - 1][0] == rows[0] && pairs[at - 1] > rows {
                (pairs[at], held[at]) = (pairs[at - 1], held[at - 1]);
                at -= 1;
            }
            (pairs[at], held[at]) = (rows, from);
        }
        self.common.laps.lap(Phase::GrainSearch);
    }
}

/// The grains behind a slot's that it may touch, each with the distance at which they do, and what holds them.
fn others<'a>(
    plan: &'a Plans,
    neighbours: &'a Neighbours,
    kind_of: &'a [u32],
    slot: u32,
) -> impl Iterator<Item = (u32, (f32, Grip))> + 'a {
    let kind = kind_of[slot as usize] as usize;
    let behind = neighbours.in_slot(slot as usize).iter().filter(move |other| **other > slot);
    let with = behind.map(move |&other| (other, plan.contact(kind, kind_of[other as usize] as usize)));
    with.filter(|(_, (reach, _))| *reach > 0.0)
}

/// The offset of two grains when they last slid or met; for a new pair, the present one.
fn held(state: &GrainState, kept: &[u32], x: &[Row], rows: [u32; 2]) -> [f32; 3] {
    let [a, b] = rows;
    let (sorted, sign) = if a < b { ([a, b], 1.0) } else { ([b, a], -1.0) };
    let [start, end] = [0, 1].map(|k| kept[sorted[0] as usize + k] as usize);
    let found = state.pairs[start..end].iter().position(|pair| *pair == sorted);
    match found {
        Some(at) => state.held[start + at].map(|c| sign * c),
        // At the begin of the substep.
        None => std::array::from_fn(|k| x[a as usize][k] - x[b as usize][k]),
    }
}

impl GrainScratch {
    /// Where grains are now, relative to a point near them.
    fn places(&mut self, common: &Common<'_>, Alone { x, u, .. }: Alone<'_>, plan: &Plans) {
        self.points.clear();
        self.rows.clear();
        for (kind, of) in plan.bodies.iter().enumerate().filter(|(_, of)| !common.off.bodies[of.body]) {
            let body = &common.plan.bodies[of.body];
            let own = body.start..body.start + body.rows;
            for (row, (x, u)) in x[own.clone()].iter().zip(&u[own]).enumerate() {
                let alive = x[3] > 0.0 && (0..3).all(|k| (x[k] + u[k]).is_finite());
                if alive && body.vertex(body.start + row).is_some() {
                    self.rows.push(((body.start + row) as u32, kind as u32));
                }
            }
        }
        let row = |row: u32| (x[row as usize], u[row as usize]);
        // The median along each axis: one that has flown away does not shift it, and it does not depend on the order of
        // rows.
        let GrainScratch { along, rows, .. } = &mut *self;
        self.origin = std::array::from_fn(|k| {
            along.clear();
            along.extend(rows.iter().map(|&(of, _)| row(of).0[k]));
            let middle = along.len() / 2;
            if along.is_empty() { 0.0 } else { *along.select_nth_unstable_by(middle, f32::total_cmp).1 }
        });
        let origin = self.origin;
        self.points.extend(self.rows.iter().map(|&(of, _)| {
            let (x, u) = row(of);
            std::array::from_fn(|k| (x[k] - origin[k]) + u[k])
        }));
    }

    /// Gives grains their slots, in the order of the grid.
    fn slots(&mut self, g: [f32; 3], Alone { x: places, .. }: Alone<'_>, plan: &Plans) {
        let size = ((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]).sqrt();
        for &point in self.grid.order() {
            let (row, kind) = self.rows[point as usize];
            let [x, y, z] = self.points[point as usize];
            let [.., w] = places[row as usize];
            self.row_of.push(row);
            self.kind_of.push(kind);
            self.listed.push([x, y, z, w]);
            if plan.scaled {
                let k = plan.bodies[kind as usize].grain.mass_scaling;
                let height = if size > 0.0 { -(((g[0] * x + g[1] * y) + g[2] * z) / size) } else { 0.0 };
                // Lighter upwards; a thousand times at most.
                self.scale.push(libm::expf((k * height).clamp(-6.9, 6.9)));
            }
        }
    }

    /// Divides slots into blocks of space, and these into sixteens of one color.
    fn divide(&mut self, plan: &Plans, reach: f32) {
        // A contact's second grain may be beside the block: two of one color are a block apart, so a block is wider
        // than two contacts.
        let inverse = 0.49 / reach;
        let GrainScratch { members, blocks, sixteens, colors, listed, neighbours, kind_of, .. } = self;
        members.clear();
        members.extend((0..).zip(listed.iter()).map(|(slot, &[x, y, z, _])| (key([x, y, z], inverse), slot)));
        members.sort_unstable();
        blocks.clear();
        let mut first = 0;
        for of in members.chunk_by(|a, b| a.0 == b.0) {
            let end = first + of.len() as u32;
            let own = |&(_, slot): &(u64, u32)| others(plan, neighbours, kind_of, slot).count() as u32;
            blocks.push(SpaceBlock { key: of[0].0, first, end, contacts: of.iter().map(own).sum() });
            first = end;
        }
        sixteens.clear();
        colors.clear();
        let mut from = 0;
        for color in 0..COLORS as u64 {
            colors.push(sixteens.len());
            let end = from + blocks[from..].partition_point(|block| block.key >> 61 <= color);
            let of = &mut blocks[from..end];
            // Of like length side by side.
            of.sort_unstable_by_key(|block| (std::cmp::Reverse(block.contacts), block.key));
            let there = of.iter().take_while(|block| block.contacts > 0).count();
            for first in (from..from + there).step_by(BATCH) {
                let block = |lane: usize| Some(first + lane).filter(|&block| block < from + there);
                sixteens.push(std::array::from_fn(|lane| block(lane).map(|block| block as u32)));
            }
            from = end;
        }
        colors.push(sixteens.len());
    }

    /// Finds where contacts of each row begin among those that were kept.
    fn index(&mut self, common: &Common<'_>, state: &GrainState) {
        self.kept.clear();
        self.kept.resize(common.plan.x.len() + 1, 0);
        for [row, _] in &state.pairs {
            self.kept[*row as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.kept {
            sum += *start;
            *start = sum;
        }
    }
}

/// Blocks along an axis to both sides of the origin; what lies beyond is in the last ones.
const SIDE: f32 = ((1 << 16) - 2) as f32;

/// The color of the block of a point, and its number along each axis.
fn key(p: [f32; 3], inverse: f32) -> u64 {
    let at = p.map(|c| {
        let c = (c * inverse).clamp(-SIDE, SIDE);
        let towards_zero = c as i64;
        // Down, not towards zero.
        let down = towards_zero - i64::from(c < towards_zero as f32);
        (down + (1 << 16)) as u64
    });
    let color = ((at[0] & 1) << 2) | ((at[1] & 1) << 1) | (at[2] & 1);
    (color << 61) | (at[0] << 40) | (at[1] << 20) | at[2]
}

fn blocks(groups: usize) -> usize {
    groups.div_ceil(GROUPS_A_BLOCK)
}

fn block(groups: usize, number: usize) -> Range<usize> {
    number * GROUPS_A_BLOCK..groups.min((number + 1) * GROUPS_A_BLOCK)
}
