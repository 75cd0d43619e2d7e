//! Joints of bodies that are awake, color after color: sixteen a batch, but for those of trees.

use super::Rigid;
use super::batches::BLOCK;
use super::scratch::{JointScratch, NO_JOINT, RigidScratch};
use crate::plan::rigid::Rigid as Plans;
use crate::run::report::Phase;
use crate::run::rigid::{RigidState, joint_pose};
use crate::run::rigid_events::BrokenJoint;
use seidel_kernels::{BATCH, Shared};
use seidel_rigid::BodyRow;
use seidel_rigid::joint::{Balls, JointBatch, JointStage, JointState, Joints, Load, Pose, WORLD};
use seidel_workers::Crew;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Joints that a worker takes at a time.
const JOINTS: usize = 16;

/// Where a joint's body is.
#[inline]
pub(super) fn pose(state: &RigidState, body: u32) -> Pose {
    match state.motions.get(body as usize) {
        Some(motion) => joint_pose(motion),
        None => Pose::IDENTITY,
    }
}

/// Joints as the step begins.
struct Prepared<'a> {
    plan: &'a Plans,
    state: &'a RigidState,
    /// Factor on impulses kept from the last step.
    scale: f32,
}

impl Prepared<'_> {
    /// Fills a block of batches.
    ///
    /// # Safety
    /// A block is one caller's at a time.
    unsafe fn fill<B: JointBatch, K>(&self, batches: Shared<'_, B>, lanes: &[(K, [u32; BATCH])], block: usize) {
        let Prepared { plan, state, scale } = self;
        for (at, (_, numbers)) in lanes.iter().enumerate().skip(block * BLOCK).take(BLOCK) {
            // SAFETY: a block's batches are its caller's alone.
            let batch = unsafe { &mut batches.part(at, 1)[0] };
            for number in numbers.iter().copied().filter(|&number| number != NO_JOINT) {
                let planned = &plan.joints[number as usize].joint;
                let (axis, motor) = (planned.driven_axis(), state.motors[number as usize]);
                let driven;
                let joint = if planned.axes[axis].motor == motor {
                    planned
                } else {
                    driven = planned.with_motor(axis, motor);
                    &driven
                };
                let moves = joint.bodies.map(|body| plan.bodies.get(body as usize).is_some_and(|of| of.inv_mass > 0.0));
                // Not by `map`, which copies both four times.
                let (a, b) = (pose(state, joint.bodies[0]), pose(state, joint.bodies[1]));
                batch.add(number, joint, &state.joints[number as usize].scaled(*scale), [&a, &b], moves);
            }
        }
    }
}

/// Does something with a block of a color's batches.
///
/// # Safety
/// A block is one caller's at a time.
unsafe fn sweep<B>(batches: Shared<'_, B>, of_color: &Range<usize>, block: usize, work: impl FnMut(&mut B)) {
    let first = of_color.start + block * BLOCK;
    // SAFETY: a block's batches are the caller's alone.
    unsafe { batches.part(first, of_color.end.min(first + BLOCK) - first) }.iter_mut().for_each(work);
}

/// Keeps what the joints of a block of batches begin the next step with, and says whether any broke.
///
/// # Safety
/// A block is one caller's at a time, and a joint in one lane of one batch.
unsafe fn keep<B: JointBatch>(batches: &[B], block: usize, plan: &Plans, all: Shared<'_, JointState>) -> bool {
    let mut any = false;
    for batch in batches.iter().skip(block * BLOCK).take(BLOCK) {
        for (lane, number) in batch.numbers().iter().map(|&number| number as usize).enumerate() {
            // SAFETY: a joint is in one lane of one batch (`JointScratch::list`), whose block is the caller's alone.
            let kept = unsafe { &mut all.part(number, 1)[0] };
            *kept = batch.store(lane, &plan.joints[number].joint, kept).finite();
            any |= kept.broken;
        }
    }
    any
}

impl Rigid<'_> {
    /// The joints as the step begins.
    pub(super) fn prepare_joints(&mut self, crew: &mut Crew<'_>) {
        self.aim();
        let (common, plan, state, scale) = (self.common, self.plan, &*self.state, self.scale());
        let scratch = &mut self.scratch.joints;
        scratch.list(plan, state);
        let nobody = (plan.bodies.len() + common.plan.colliders.len()) as u32;
        let h = common.h;
        let JointScratch { balls, of_balls, batches, of_batches, .. } = scratch;
        balls.clear();
        balls.resize_with(of_balls.lanes.len(), || Balls::new(nobody, h));
        let (balls, of_balls) = (Shared::new(balls), &of_balls.lanes);
        batches.clear();
        batches.extend(of_batches.lanes.iter().map(|(pattern, _)| Joints::new(*pattern, nobody, h)));
        let (batches, of_batches) = (Shared::new(batches), &of_batches.lanes);
        let blocks_of_balls = of_balls.len().div_ceil(BLOCK);
        let joints = Prepared { plan, state, scale };
        common.each(
            crew,
            Phase::RigidContacts,
            blocks_of_balls + of_batches.len().div_ceil(BLOCK),
            // SAFETY: a block is one closure's.
            |block| unsafe {
                match block.checked_sub(blocks_of_balls) {
                    None => joints.fill(balls, of_balls, block),
                    Some(block) => joints.fill(batches, of_batches, block),
                }
            },
        );
        let JointScratch { order, rows, .. } = scratch;
        let prepared = |number: u32| {
            let number = number as usize;
            let mut joint = plan.joints[number].joint;
            joint.axes[joint.driven_axis()].motor = state.motors[number];
            let kept = state.joints[number].scaled(scale);
            joint.prepare(&kept, &pose(state, joint.bodies[0]), &pose(state, joint.bodies[1]), common.h)
        };
        if let Some(&first) = order.first() {
            // All are overwritten.
            rows.resize(order.len(), prepared(first));
        }
        rows.truncate(order.len());
        common.parts(crew, Phase::RigidContacts, (&mut rows[..], JOINTS), |first, rows| {
            rows.iter_mut().zip(&order[first..]).for_each(|(row, &number)| *row = prepared(number));
        });
        self.scratch.trees.prepare(plan, &scratch.order, &mut scratch.rows);
    }

    /// Motors that follow paths, or a controller's points, go for where these are when the substep ends, and as fast.
    pub(super) fn drive(&mut self, substep: u32) {
        let at = |substep: u32| match self.held {
            true => self.time,
            false => self.time + f64::from(self.common.h) * f64::from(substep),
        };
        let (begin, end) = (at(substep), at(substep + 1));
        let (plan, given) = (self.plan, &self.state.given);
        let mut joints = std::mem::take(&mut self.scratch.joints);
        let goal = |number: u32| {
            let of = &plan.joints[number as usize];
            let (motor, rate) = match of.path.as_ref().filter(|_| !given[number as usize]) {
                Some(path) => (path.at(end), if self.held { 0.0 } else { path.rate(begin, end) }),
                None => self.aimed(number, substep)?,
            };
            Some((of.joint.driven_axis(), motor, rate))
        };
        for (&number, rows) in joints.order.iter().zip(&mut joints.rows) {
            if let Some((axis, motor, rate)) = goal(number) {
                rows.drive(axis, motor, rate);
            }
        }
        for batch in joints.batches.iter_mut().filter(|batch| batch.are_driven()) {
            for lane in 0..batch.numbers().len() {
                if let Some((axis, motor, rate)) = goal(batch.numbers()[lane]) {
                    batch.drive(lane, axis, motor, rate);
                }
            }
        }
        self.scratch.joints = joints;
    }

    /// Goes over all joints, color by color: in batches what sweeps solve, one by one what trees do.
    pub(super) fn sweep_joints(&mut self, crew: &mut Crew<'_>, stage: JointStage) {
        let (plan, isa) = (self.plan, self.common.isa);
        let RigidScratch { joints: scratch, rows, still, .. } = &mut *self.scratch;
        let JointScratch { rows: joints, balls, of_balls, batches, of_batches, order, of_others } = scratch;
        if order.is_empty() && balls.is_empty() && batches.is_empty() {
            return;
        }
        let (balls, batches) = (Shared::new(balls), Shared::new(batches));
        let (joints, rows) = (Shared::new(joints), Shared::new(rows));
        let (order, still, of_others) = (&*order, &**still, &*of_others);
        let (of_balls, of_batches) = (&*of_balls.of_color, &*of_batches.of_color);
        let first_batch = |color: usize| of_balls[color].len().div_ceil(BLOCK);
        let first_other = |color: usize| first_batch(color) + of_batches[color].len().div_ceil(BLOCK);
        let blocks = |color: usize| first_other(color) + of_others[color].len().div_ceil(JOINTS);
        self.common.in_turn(crew, Phase::RigidContacts, (of_balls.len(), blocks), |color, block| {
            let Some(block) = block.checked_sub(first_other(color)) else {
                // SAFETY: joints of a color share no body that moves (`Rigid::color`), nobody writes the others, and a
                // block is one closure's.
                unsafe {
                    match block.checked_sub(first_batch(color)) {
                        None => sweep(balls, &of_balls[color], block, |batch| batch.sweep(isa, rows, still, stage)),
                        Some(block) => {
                            sweep(batches, &of_batches[color], block, |batch| batch.sweep(isa, rows, still, stage))
                        }
                    }
                }
                return;
            };
            let Range { start, end } = of_others[color];
            let first = start + block * JOINTS;
            for (at, &number) in order.iter().enumerate().take(end.min(first + JOINTS)).skip(first) {
                let bodies = plan.joints[number as usize].joint.bodies;
                // What is frozen does not move, whatever the plan says.
                let frozen = |body: u32| still.get(body as usize).is_none_or(|still| *still);
                let moves = bodies.map(|body| {
                    !frozen(body) && plan.bodies.get(body as usize).is_some_and(|body| body.inv_mass > 0.0)
                });
                // SAFETY: joints of a color share no body that moves (`Rigid::color`), and nobody writes the others.
                unsafe {
                    let mut both = [0, 1].map(|k| match bodies[k] {
                        WORLD => BodyRow::FIXED,
                        body => rows.read(body as usize, 1)[0],
                    });
                    let [a, b] = &mut both;
                    let joint = &mut joints.part(at, 1)[0];
                    match stage {
                        JointStage::Warm => joint.warm_start(a, b),
                        JointStage::Biased => joint.solve(a, b, true),
                        JointStage::Relaxed => joint.solve(a, b, false),
                    }
                    for k in 0..2 {
                        if moves[k] {
                            rows.part(bodies[k] as usize, 1)[0] = both[k];
                        }
                    }
                }
            }
        });
    }

    /// Keeps what the next step begins with, and lists joints that broke, ascending.
    pub(super) fn keep_joints(&mut self, crew: &mut Crew<'_>) {
        let (common, plan) = (self.common, self.plan);
        let RigidScratch { joints: scratch, rows, .. } = &mut *self.scratch;
        let (balls, batches, order) = (&scratch.balls, &scratch.batches, &scratch.order);
        let (all, joints) = (Shared::new(&mut self.state.joints), Shared::new(&mut scratch.rows));
        let of_balls = balls.len().div_ceil(BLOCK);
        let of_batches = of_balls + batches.len().div_ceil(BLOCK);
        let blocks = of_batches + order.len().div_ceil(JOINTS);
        let broke = AtomicBool::new(false);
        let fixed = BodyRow::FIXED;
        common.each(crew, Phase::RigidContacts, blocks, |block| {
            let Some(block) = block.checked_sub(of_batches) else {
                // SAFETY: a block is one closure's, and a joint is once in the lists (`JointScratch::list`).
                let any = unsafe {
                    match block.checked_sub(of_balls) {
                        None => keep(balls, block, plan, all),
                        Some(block) => keep(batches, block, plan, all),
                    }
                };
                if any {
                    broke.store(true, Ordering::Relaxed);
                }
                return;
            };
            for at in (block * JOINTS..order.len()).take(JOINTS) {
                let number = order[at] as usize;
                // SAFETY: a joint is once in the order (`JointScratch::list`), and its block is this closure's alone.
                let (kept, joint) = unsafe { (&mut all.part(number, 1)[0], &mut joints.part(at, 1)[0]) };
                let row = |body: u32| if body == WORLD { &fixed } else { &rows[body as usize] };
                let [a, b] = plan.joints[number].joint.bodies.map(row);
                let was = kept.broken;
                *kept = joint.store(a, b).finite();
                if kept.broken && !was {
                    broke.store(true, Ordering::Relaxed);
                }
            }
        });
        if broke.into_inner() {
            self.list_broken();
        }
    }

    /// Lists joints that broke in this step, ascending, with what they carried.
    fn list_broken(&mut self) {
        let scratch = &self.scratch.joints;
        fn of<B: JointBatch>(batches: &[B]) -> impl Iterator<Item = (usize, Load)> + '_ {
            batches.iter().flat_map(|batch| {
                batch.numbers().iter().enumerate().map(|(lane, &number)| (number as usize, batch.load(lane)))
            })
        }
        let others = scratch.order.iter().zip(&scratch.rows).filter(|(_, rows)| rows.acts());
        let others = others.map(|(&number, rows)| (number as usize, rows.load()));
        let now = of(&scratch.balls).chain(of(&scratch.batches)).chain(others);
        let mut broken: Vec<_> = now.filter(|&(number, _)| self.state.joints[number].broken).collect();
        broken.sort_unstable_by_key(|(number, _)| *number);
        self.fallen_apart.extend(broken.iter().map(|(number, _)| *number));
        self.broken.extend(broken.iter().map(|(number, load)| {
            let [force, torque] = load.lengths();
            BrokenJoint { name: self.plan.joints[*number].name.clone(), force, torque }
        }));
    }
}
