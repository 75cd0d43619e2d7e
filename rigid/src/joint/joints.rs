//! Sixteen joints of one pattern that share no body which moves, in lanes: the same bits as [`super::JointRows`] one by
//! one, at a tenth of the time.

// Indices as in the formulas.
#![allow(clippy::needless_range_loop)]

use super::axis::{AxisLanes, NUMBERS};
use super::block::Block;
use super::lanes::{Found, Given, Kept, Sweep};
use super::load::Load;
use super::measure::{Coordinate, START, Start};
use super::pairs::{NO_VELOCITIES, Pairs, Velocities, store};
use super::pattern::{Pattern, has};
use super::row::Row;
use super::{Joint, JointBatch, JointStage, JointState, Motor, Pose};
use crate::contact::NONE;
use crate::{BodyRow, Softness};
use seidel_kernels::lanes::{Dispatch, Kernel};
use seidel_kernels::{Chunk, InChunks, Isa, Lanes, Pack, Shared, V3};

type Three = [Pack<f32>; 3];

/// Up to sixteen joints of one [`Pattern`].
#[derive(Clone, Debug)]
pub struct Joints {
    pattern: Pattern,
    pairs: Pairs,
    /// See [`Given`].
    start: [Pack<f32>; START],
    crowding: [Pack<f32>; 2],
    axes: [[Pack<f32>; NUMBERS]; 6],
    /// See [`Found`].
    values: [Pack<f32>; 6],
    rows: [[[Three; 2]; 2]; 6],
    inv_mass: [Pack<f32>; 6],
    lower: [[Pack<f32>; 6]; 6],
    inverse: [Pack<f32>; 6],
    arm: Three,
    /// See [`Kept`].
    hold: [Pack<f32>; 6],
    motor: [Pack<f32>; 6],
    spring: [Pack<f32>; 6],
    sprung: [Pack<f32>; 6],
    /// The angle, and turns.
    turned: [Pack<f32>; 2],
    /// Impulses on B of the substeps so far but the last, and with it: linear, angular. Of what may break.
    sum: [Three; 2],
    total: [Three; 2],
    substeps: u32,
    /// Seconds of a substep.
    h: f32,
    rigid: Softness,
    /// Poses have moved since.
    stale: bool,
}

impl Joints {
    /// None yet, for substeps of `h` seconds. `nobody` is a row of a body that does not move.
    #[must_use]
    pub fn new(pattern: Pattern, nobody: u32, h: f32) -> Joints {
        Joints {
            pattern,
            pairs: Pairs::new(nobody),
            start: [NONE; START],
            crowding: [NONE; 2],
            axes: [[NONE; NUMBERS]; 6],
            values: [NONE; 6],
            rows: [[[[NONE; 3]; 2]; 2]; 6],
            inv_mass: [NONE; 6],
            lower: [[NONE; 6]; 6],
            inverse: [NONE; 6],
            arm: [NONE; 3],
            hold: [NONE; 6],
            motor: [NONE; 6],
            spring: [NONE; 6],
            sprung: [NONE; 6],
            turned: [NONE; 2],
            sum: [[NONE; 3]; 2],
            total: [[NONE; 3]; 2],
            substeps: 0,
            h,
            rigid: Softness::rigid(h),
            stale: true,
        }
    }

    /// Whether motors drive them.
    #[must_use]
    pub fn are_driven(&self) -> bool {
        self.pattern.speeds | self.pattern.places != 0
    }

    /// Drives coordinate `i` of one of them by another motor of the same kind from here on; none of that index, and
    /// nothing changes. Of a position's motor `target` is where the substep ends, and `rate` how fast the target gets
    /// there, m/s or rad/s.
    pub fn drive(&mut self, lane: usize, i: usize, motor: Motor, rate: f32) {
        if let Some(packs) = self.axes.get_mut(i) {
            let mut axis = AxisLanes::of(packs.each_ref().map(|pack| pack.0[lane]));
            axis.drive(motor, rate);
            put(packs, lane, &axis.numbers());
        }
    }
}

impl JointBatch for Joints {
    /// Of joints of the batch's pattern.
    fn add(&mut self, number: u32, joint: &Joint, kept: &JointState, at: [&Pose; 2], moves: [bool; 2]) -> bool {
        assert!(joint.pattern() == self.pattern, "joints of other patterns");
        let Some(lane) = self.pairs.add(number, joint, moves) else { return false };
        let state = kept.of_axes(&joint.axes);
        let start = Start::new(joint, at, state.angle).rounded().numbers();
        put(&mut self.start, lane, &start);
        put(&mut self.crowding, lane, &joint.crowding);
        for (packs, axis) in self.axes.iter_mut().zip(joint.axis_lanes()) {
            put(packs, lane, &axis.numbers());
        }
        let Kept { hold, motor, spring, angle, turns, .. } = Kept::of(&state);
        put(&mut self.hold, lane, &hold);
        put(&mut self.motor, lane, &motor);
        put(&mut self.spring, lane, &spring);
        put(&mut self.turned, lane, &[angle, turns]);
        true
    }

    fn numbers(&self) -> &[u32] {
        self.pairs.numbers()
    }

    unsafe fn sweep(&mut self, isa: Isa, bodies: Shared<'_, BodyRow>, still: &[bool], stage: JointStage) {
        if stage == JointStage::Warm {
            self.sum = self.total;
            self.substeps = self.substeps.saturating_add(1);
            self.pairs.begin(still);
        }
        self.pairs.claim(bodies);
        // The sweep with bias is the last before poses move.
        let refreshes = std::mem::replace(&mut self.stale, stage == JointStage::Biased);
        let mut out = NO_VELOCITIES;
        isa.dispatch(Swept { joints: self, bodies, stage, refreshes, out: &mut out });
        // SAFETY: the caller promises what `write` asks for.
        unsafe { self.pairs.write(bodies, &out) };
    }

    /// Of those that may break; nothing of the others.
    fn load(&self, lane: usize) -> Load {
        if !self.pattern.breaks || self.substeps == 0 {
            return Load::default();
        }
        let get = |packs: &Three| V3::new(packs[0].0[lane], packs[1].0[lane], packs[2].0[lane]);
        Load::mean(self.total.each_ref().map(get), self.h * self.substeps as f32)
    }

    fn store(&self, lane: usize, joint: &Joint, _: &JointState) -> JointState {
        let get = |packs: &[Pack<f32>; 6]| packs.each_ref().map(|pack| pack.0[lane]);
        let [angle, turns] = self.turned.each_ref().map(|pack| pack.0[lane]);
        let (hold, motor, spring) = (get(&self.hold), get(&self.motor), get(&self.spring));
        let kept = Kept { hold, motor, spring, sprung: [0.0; 6], angle, turns };
        kept.state(joint, &self.load(lane), self.values[0].0[lane])
    }
}

/// Writes a lane's numbers.
fn put(packs: &mut [Pack<f32>], lane: usize, numbers: &[f32]) {
    packs.iter_mut().zip(numbers).for_each(|(pack, x)| pack.0[lane] = *x);
}

struct Swept<'a> {
    joints: &'a mut Joints,
    bodies: Shared<'a, BodyRow>,
    stage: JointStage,
    refreshes: bool,
    out: &'a mut Velocities,
}

// No closures: what runs in lanes has none (docs/decisions/no-closures-in-kernels.md).
impl Joints {
    /// As when the step began.
    #[inline(always)]
    fn given<L: Lanes<Elem = f32>>(&self, chunk: Chunk<L>) -> Given<L> {
        let mut numbers = [L::zero(); START];
        for (x, pack) in numbers.iter_mut().zip(&self.start) {
            *x = pack.load(chunk);
        }
        let [hold, spring] = [self.crowding[0].load(chunk), self.crowding[1].load(chunk)];
        Given { start: Start::of(&numbers), crowding: [hold, spring] }
    }

    #[inline(always)]
    fn axes<L: Lanes<Elem = f32>>(&self, chunk: Chunk<L>) -> [AxisLanes<L>; 6] {
        let mut axes = [AxisLanes::of([L::zero(); NUMBERS]); 6];
        for i in 0..6 {
            if has(self.pattern.used, i) {
                let mut numbers = [L::zero(); NUMBERS];
                for (x, pack) in numbers.iter_mut().zip(&self.axes[i]) {
                    *x = pack.load(chunk);
                }
                axes[i] = AxisLanes::of(numbers);
            }
        }
        axes
    }

    /// Where it stands.
    #[inline(always)]
    fn found<L: Lanes<Elem = f32>>(&self, chunk: Chunk<L>) -> Found<L> {
        let mut found = Found::nothing();
        for i in 0..6 {
            if has(self.pattern.used, i) {
                let [[la, lb], [aa, ab]] = &self.rows[i];
                let linear = [la.load(chunk), lb.load(chunk)];
                let row = Row { linear, angular: [aa.load(chunk), ab.load(chunk)] };
                found.coordinates[i] = Coordinate { value: self.values[i].load(chunk), row };
                found.inv_mass[i] = self.inv_mass[i].load(chunk);
            }
        }
        let size = self.pattern.count_locked();
        let mut block = Block { size, ..found.block };
        for i in 0..size {
            for j in 0..i {
                block.lower[i][j] = self.lower[i][j].load(chunk);
            }
            block.inverse[i] = self.inverse[i].load(chunk);
        }
        Found { block, arm: self.arm.load(chunk), ..found }
    }

    #[inline(always)]
    fn store_found<L: Lanes<Elem = f32>>(&mut self, chunk: Chunk<L>, found: &Found<L>) {
        for i in 0..6 {
            if has(self.pattern.used, i) {
                let Coordinate { value, row } = found.coordinates[i];
                self.values[i].store(chunk, value);
                self.inv_mass[i].store(chunk, found.inv_mass[i]);
                let [[la, lb], [aa, ab]] = &mut self.rows[i];
                la.store(chunk, row.linear[0]);
                lb.store(chunk, row.linear[1]);
                aa.store(chunk, row.angular[0]);
                ab.store(chunk, row.angular[1]);
            }
        }
        for i in 0..found.block.size {
            for j in 0..i {
                self.lower[i][j].store(chunk, found.block.lower[i][j]);
            }
            self.inverse[i].store(chunk, found.block.inverse[i]);
        }
        self.arm.store(chunk, found.arm);
    }

    /// What acts, so that the rest is 0.
    #[inline(always)]
    fn kept<L: Lanes<Elem = f32>>(&self, chunk: Chunk<L>) -> Kept<L> {
        let zero = L::zero();
        let [angle, turns] = [self.turned[0].load(chunk), self.turned[1].load(chunk)];
        let mut kept = Kept { hold: [zero; 6], motor: [zero; 6], spring: [zero; 6], sprung: [zero; 6], angle, turns };
        let Pattern { locked, limited, springs, speeds, places, .. } = self.pattern;
        for i in 0..6 {
            if has(locked | limited, i) {
                kept.hold[i] = self.hold[i].load(chunk);
            }
            if has(speeds | places, i) {
                kept.motor[i] = self.motor[i].load(chunk);
            }
            if has(springs, i) {
                kept.spring[i] = self.spring[i].load(chunk);
            }
            if has(springs | places, i) {
                kept.sprung[i] = self.sprung[i].load(chunk);
            }
        }
        kept
    }

    #[inline(always)]
    fn store_kept<L: Lanes<Elem = f32>>(&mut self, chunk: Chunk<L>, kept: &Kept<L>) {
        let Pattern { locked, limited, springs, speeds, places, .. } = self.pattern;
        for i in 0..6 {
            if has(locked | limited, i) {
                self.hold[i].store(chunk, kept.hold[i]);
            }
            if has(speeds | places, i) {
                self.motor[i].store(chunk, kept.motor[i]);
            }
            if has(springs, i) {
                self.spring[i].store(chunk, kept.spring[i]);
            }
            if has(springs | places, i) {
                self.sprung[i].store(chunk, kept.sprung[i]);
            }
        }
        self.turned[0].store(chunk, kept.angle);
        self.turned[1].store(chunk, kept.turns);
    }

    /// Takes down the impulses on B so far, with those of this substep.
    #[inline(always)]
    fn add_up<L: Lanes<Elem = f32>>(&mut self, chunk: Chunk<L>, found: &Found<L>, kept: &Kept<L>) {
        let now = kept.on_b(&self.pattern, found);
        for (k, now) in now.into_iter().enumerate() {
            let so_far: V3<L> = self.sum[k].load(chunk);
            self.total[k].store(chunk, so_far + now);
        }
    }
}

impl Kernel for Swept<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Swept { joints, bodies, stage, refreshes, out } = self;
        let (pattern, biased) = (joints.pattern, stage == JointStage::Biased);
        let soft = if biased { joints.rigid } else { joints.rigid.relaxed() };
        let sweep = Sweep { pattern, soft, biased, h: joints.h, in_tree: false };
        for chunk in Chunk::<L>::holding(joints.pairs.numbers().len()) {
            // SAFETY: `JointBatch::sweep` has claimed them, and its caller keeps others away.
            let [(mut a, moved_a), (mut b, moved_b)] = unsafe { joints.pairs.read(chunk, bodies) };
            let mut kept = joints.kept(chunk);
            let found = if refreshes {
                let found = Found::new(&pattern, &joints.given(chunk), [&a, &b], [moved_a, moved_b]);
                kept.count_turns(&pattern, &found);
                joints.store_found(chunk, &found);
                found
            } else {
                joints.found(chunk)
            };
            if stage == JointStage::Warm {
                kept.warm_start(&pattern, &found, [&mut a, &mut b]);
            } else {
                sweep.solve(&joints.axes(chunk), &found, &mut kept, [&mut a, &mut b]);
            }
            if pattern.breaks && stage == JointStage::Relaxed {
                joints.add_up(chunk, &found, &kept);
            }
            joints.store_kept(chunk, &kept);
            store(chunk, out, [&a, &b]);
        }
    }
}
