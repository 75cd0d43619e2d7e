//! Joints of bodies that are awake: balls without limits sixteen a batch, all others one by one, color after color.

use super::Rigid;
use super::batches::BLOCK;
use super::scratch::{JointScratch, NO_JOINT, RigidScratch};
use crate::run::report::Phase;
use crate::run::rigid::RigidState;
use crate::run::rigid_events::BrokenJoint;
use seidel_kernels::Shared;
use seidel_rigid::BodyRow;
use seidel_rigid::joint::{Balls, JointRows, Pose, WORLD};
use seidel_workers::Crew;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Joints that a worker takes at a time.
const JOINTS: usize = 16;

/// Where a joint's body is.
#[inline]
pub(super) fn pose(state: &RigidState, body: u32) -> Pose {
    match state.motions.get(body as usize) {
        Some(motion) => Pose { at: motion.position, rotation: motion.rotation },
        None => Pose::IDENTITY,
    }
}

impl Rigid<'_> {
    /// The joints as the step begins.
    pub(super) fn prepare_joints(&mut self, crew: &mut Crew<'_>) {
        let (common, plan, state, scale) = (self.common, self.plan, &*self.state, self.scale());
        let scratch = &mut self.scratch.joints;
        scratch.list(plan, state);
        let nobody = (plan.bodies.len() + common.plan.colliders.len()) as u32;
        scratch.balls.clear();
        scratch.balls.resize_with(scratch.lanes.len(), || Balls::new(nobody, common.h));
        let (balls, lanes) = (Shared::new(&mut scratch.balls), &scratch.lanes);
        common.each(crew, Phase::RigidContacts, lanes.len().div_ceil(BLOCK), |block| {
            for (at, lanes) in lanes.iter().enumerate().skip(block * BLOCK).take(BLOCK) {
                // SAFETY: a block's batches are this closure's alone.
                let batch = unsafe { &mut balls.part(at, 1)[0] };
                for number in lanes.iter().copied().filter(|&number| number != NO_JOINT) {
                    let joint = &plan.joints[number as usize].joint;
                    let moves =
                        joint.bodies.map(|body| plan.bodies.get(body as usize).is_some_and(|of| of.inv_mass > 0.0));
                    // Not by `map`, which copies both four times.
                    let (a, b) = (pose(state, joint.bodies[0]), pose(state, joint.bodies[1]));
                    batch.add(number, joint, &state.joints[number as usize].scaled(scale), [&a, &b], moves);
                }
            }
        });
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

    /// Motors that follow paths go for where these are when the substep ends, and as fast. One that an input has
    /// changed follows none.
    pub(super) fn drive(&mut self, substep: u32) {
        let at = |substep: u32| self.time + f64::from(self.common.h) * f64::from(substep);
        let (begin, end) = (at(substep), at(substep + 1));
        let scratch = &mut self.scratch.joints;
        for (&number, rows) in scratch.order.iter().zip(&mut scratch.rows) {
            let (of, motor) = (&self.plan.joints[number as usize], self.state.motors[number as usize]);
            let Some(path) = &of.path else { continue };
            let axis = of.joint.driven_axis();
            if motor == of.joint.axes[axis].motor {
                rows.drive(axis, path.at(end), path.rate(begin, end));
            }
        }
    }

    /// Goes over all joints, color by color: balls in batches, then the others one by one.
    pub(super) fn sweep_joints(
        &mut self,
        crew: &mut Crew<'_>,
        work: impl Fn(&mut JointRows, [&mut BodyRow; 2]) + Sync,
        of_balls: impl Fn(&mut Balls, Shared<'_, BodyRow>, &[bool]) + Sync,
    ) {
        let plan = self.plan;
        let RigidScratch { joints: scratch, rows, still, .. } = &mut *self.scratch;
        let JointScratch { rows: joints, balls, of_balls: batches, order, of_others, .. } = scratch;
        if order.is_empty() && balls.is_empty() {
            return;
        }
        let batches = &*batches;
        let (joints, balls, rows) = (Shared::new(joints), Shared::new(balls), Shared::new(rows));
        let (order, still, of_others) = (&*order, &**still, &*of_others);
        let first_of_others = |color: usize| batches[color].len().div_ceil(BLOCK);
        let blocks = |color: usize| first_of_others(color) + of_others[color].len().div_ceil(JOINTS);
        self.common.in_turn(crew, Phase::RigidContacts, (batches.len(), blocks), |color, block| {
            let Some(block) = block.checked_sub(first_of_others(color)) else {
                let Range { start, end } = batches[color];
                let (first, last) = (start + block * BLOCK, end.min(start + (block + 1) * BLOCK));
                // SAFETY: a block's batches are this closure's alone.
                unsafe { balls.part(first, last - first) }.iter_mut().for_each(|balls| of_balls(balls, rows, still));
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
                    work(&mut joints.part(at, 1)[0], [a, b]);
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
        let (balls, order) = (&scratch.balls, &scratch.order);
        let (all, joints) = (Shared::new(&mut self.state.joints), Shared::new(&mut scratch.rows));
        let of_balls = balls.len().div_ceil(BLOCK);
        let blocks = of_balls + order.len().div_ceil(JOINTS);
        let broke = AtomicBool::new(false);
        let fixed = BodyRow::FIXED;
        common.each(crew, Phase::RigidContacts, blocks, |block| {
            let Some(block) = block.checked_sub(of_balls) else {
                for batch in balls.iter().skip(block * BLOCK).take(BLOCK) {
                    for (lane, number) in batch.numbers().iter().map(|&number| number as usize).enumerate() {
                        // SAFETY: a joint is in one lane of one batch (`JointScratch::list`), whose block is this
                        // closure's alone.
                        let kept = unsafe { &mut all.part(number, 1)[0] };
                        *kept = batch.store(lane, &plan.joints[number].joint, kept).finite();
                        if kept.broken {
                            broke.store(true, Ordering::Relaxed);
                        }
                    }
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
        let of_balls = scratch.balls.iter().flat_map(|batch| {
            batch.numbers().iter().enumerate().map(move |(lane, &number)| (number as usize, batch.load(lane)))
        });
        let others = scratch.order.iter().zip(&scratch.rows).filter(|(_, rows)| rows.acts());
        let now = of_balls.chain(others.map(|(&number, rows)| (number as usize, rows.load())));
        let mut broken: Vec<_> = now.filter(|&(number, _)| self.state.joints[number].broken).collect();
        broken.sort_unstable_by_key(|(number, _)| *number);
        self.fallen_apart.extend(broken.iter().map(|(number, _)| *number));
        self.broken.extend(broken.iter().map(|(number, load)| {
            let [force, torque] = load.lengths();
            BrokenJoint { name: self.plan.joints[*number].name.clone(), force, torque }
        }));
    }
}
