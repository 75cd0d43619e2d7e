//! Trees of joints whose locked coordinates are solved at once: after the warm start, and after each sweep over joints.

use super::Rigid;
use super::scratch::NOWHERE;
use crate::run::report::Phase;
use seidel_kernels::Shared;
use seidel_rigid::BodyRow;
use seidel_rigid::joint::{Branches, JointStage, WORLD};
use seidel_workers::Crew;

impl Rigid<'_> {
    /// Begins a substep, before any impulse of it but those of forces and torques from outside.
    pub(super) fn begin_trees(&mut self) {
        let (plan, scratch, h) = (self.plan, &mut *self.scratch, f64::from(self.common.h));
        for (tree, of) in scratch.trees.trees.iter_mut().zip(&plan.forest.trees) {
            for (place, body) in of.bodies.iter().map(|&body| body as usize).enumerate() {
                tree.begin_body(place, &scratch.rows[body], scratch.pushes[body][1].map(|torque| torque * h));
            }
        }
    }

    /// Solves each tree: first after the warm start, then after each sweep, with bias before the poses move, without it
    /// after.
    pub(super) fn solve_trees(&mut self, crew: &mut Crew<'_>, when: JointStage) {
        let biased = when == JointStage::Biased;
        let (plan, scratch) = (self.plan, &mut *self.scratch);
        let forest = &plan.forest.trees;
        if forest.is_empty() {
            return;
        }
        let places = &*scratch.trees.places;
        let (trees, joints) = (Shared::new(&mut scratch.trees.trees), Shared::new(&mut scratch.joints.rows));
        let rows = Shared::new(&mut scratch.rows);
        self.common.each(crew, Phase::RigidContacts, forest.len(), |number| {
            let Branches { bodies, joints: of_tree, .. } = &forest[number];
            let at = |joint: u32| places[joint as usize];
            // Islands end at a joint that broke, trees do not: of a tree a part may sleep, which is a wall to the rest.
            let awake = || of_tree.iter().enumerate().filter(|(_, joint)| at(**joint) != NOWHERE);
            if awake().next().is_none() {
                return;
            }
            // SAFETY: a block's tree is this closure's alone. So are its joints and the bodies that it moves: each is
            // of one tree (`Forest::new`). Nobody writes rows of bodies that do not move.
            unsafe {
                let tree = &mut trees.part(number, 1)[0];
                if when == JointStage::Warm {
                    tree.restart();
                }
                if tree.is_stale() {
                    for (place, &body) in bodies.iter().enumerate() {
                        tree.weigh_body(place, &rows.read(body as usize, 1)[0]);
                    }
                    for (link, joint) in awake() {
                        tree.take_pull(link, &joints.read(at(*joint) as usize, 1)[0]);
                    }
                    tree.stiffen();
                }
                if when == JointStage::Warm {
                    for (place, &body) in bodies.iter().enumerate() {
                        let row = &mut rows.part(body as usize, 1)[0];
                        let settled = tree.settled(place, row);
                        *row = if settled.w.iter().all(|x| x.is_finite()) { settled } else { *row };
                    }
                }
                for (link, joint) in of_tree.iter().enumerate() {
                    if at(*joint) == NOWHERE {
                        tree.leave_out(link);
                        continue;
                    }
                    let row = |body: u32| if body == WORLD { BodyRow::FIXED } else { rows.read(body as usize, 1)[0] };
                    let [a, b] = plan.joints[*joint as usize].joint.bodies.map(row);
                    tree.take_joint(link, &joints.read(at(*joint) as usize, 1)[0], [&a, &b], biased);
                }
                tree.solve(biased);
                // Where one of its bodies is lost, all of the tree goes on as it was: no other becomes no number.
                let changed = |(place, body): (usize, &u32)| tree.changed(place, &rows.read(*body as usize, 1)[0]);
                let fine = |row: BodyRow| row.v.iter().chain(&row.w).all(|x| x.is_finite());
                if !(tree.is_finite() && bodies.iter().enumerate().map(changed).all(fine)) {
                    return;
                }
                for (place, &body) in bodies.iter().enumerate() {
                    let row = &mut rows.part(body as usize, 1)[0];
                    *row = tree.changed(place, row);
                }
                for (link, joint) in awake() {
                    tree.give_joint(link, &mut joints.part(at(*joint) as usize, 1)[0]);
                }
            }
        });
    }
}
