//! Grounds that particles are on which rigid bodies press down: colliders, and rigid bodies that give way to nothing.

use super::boxes::{around, grown, joined, meet, pose, solid, turned};
use crate::describe::collider::Shape;
use crate::describe::filter::Filter;
use crate::describe::pose::Pose;
use crate::geometry::vector::{dot, sub};
use crate::plan::coupling::Coupling as Plans;
use crate::plan::rigid::Rigid;
use crate::run::passes::Common;
use crate::run::passes::colliders::moving::{Bounds, Moving, Transform};
use seidel_kernels::V3;
use seidel_kernels::contact::SignedDistance;
use seidel_kernels::contact::coupling::{Ground, Grounds};
use seidel_kernels::tuning::HOVER;
use seidel_rigid::motion::Motion;

/// Part of the thickness: a particle that is no farther from where flat shapes keep it stands on them. Others keep
/// particles away by up to [`HOVER`] more.
const NEAR: f64 = 1.0 / 16.0;

/// Metres: the least thickness of which [`NEAR`] is a part.
const LEAST_THICKNESS: f64 = 1e-4;

/// A surface in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    /// A collider's number; that of a shape of a rigid body, from the number of all colliders on.
    number: usize,
    /// At the substep's end.
    frame: Transform,
    /// Box about it on its way; None where it has no end.
    bounds: Option<Bounds>,
    /// A point at d from its origin comes by way + turn d in the substep.
    way: [f64; 3],
    turn: [[f64; 3]; 3],
}

/// Working memory: all grounds of a substep, and whether each cluster may be on one.
#[derive(Debug, Default)]
pub(super) struct FloorScratch {
    all: Vec<Floor>,
    near: Vec<bool>,
}

/// All grounds of a substep.
pub(super) struct Floors<'a> {
    common: &'a Common<'a>,
    rigid: &'a Rigid,
    scratch: &'a FloorScratch,
}

impl FloorScratch {
    pub(super) fn poison(&mut self) {
        self.all.clear();
        self.near.fill(true);
    }

    /// Lists colliders, and shapes of rigid bodies that give way to nothing and may meet something deformable; finds
    /// which clusters are near one. `clusters` are boxes about these, `before` and `motions` where each rigid body is
    /// at the substep's start and end, and `holds` tells whether it may be a ground.
    pub(super) fn list(
        &mut self,
        (common, plan, rigid): (&Common<'_>, &Plans, &Rigid),
        (moving, clusters): (&[Moving], &[(Bounds, f32)]),
        (before, motions): (&[Pose], &[Motion]),
        holds: impl Fn(usize) -> bool,
    ) {
        let FloorScratch { all: floors, near: grounded } = self;
        let colliders = common.plan.colliders.len();
        floors.clear();
        floors.reserve(colliders + rigid.shown.len());
        grounded.clear();
        grounded.resize(clusters.len(), false);
        for ((number, of), collider) in moving.iter().enumerate().zip(&common.plan.colliders) {
            if matches!(of, Moving::Off) {
                continue;
            }
            let (way, turn) = of.way();
            let (way, turn) = (way.map(f64::from), turn.map(|row| row.map(f64::from)));
            floors.push(Floor { number, frame: of.frame(), bounds: None, way, turn });
            for (near, ((bounds, _), cluster)) in grounded.iter_mut().zip(clusters.iter().zip(&plan.clusters)) {
                let reach = (1.0 + 2.0 * HOVER as f32) * (cluster.thickness + LEAST_THICKNESS as f32);
                *near |= bounds[0][0] <= bounds[1][0] && of.reaches(collider, bounds, reach);
            }
        }
        for (shape, (body, of, own)) in rigid.shown.iter().enumerate() {
            let number = *body as usize;
            let Some(half) = solid(of).and_then(|solid| solid.half()) else { continue };
            if !holds(number) || common.off.rigid[number] {
                continue;
            }
            let (then, now) = (before[number], pose(&motions[number]));
            let (start, end) = (then.place(own), now.place(own));
            let bounds = joined(&around(&start, half), &around(&end, half));
            let (way, turn) = (sub(end.position, start.position), turned(&then, &now));
            let frame = Transform::of(&end);
            floors.push(Floor { number: colliders + shape, frame, bounds: Some(bounds), way, turn });
            for (near, ((of, _), cluster)) in grounded.iter_mut().zip(clusters.iter().zip(&plan.clusters)) {
                let reach = (1.0 + 2.0 * HOVER as f32) * (cluster.thickness + LEAST_THICKNESS as f32);
                *near |= meet(of, &grown(&bounds, reach));
            }
        }
    }
}

impl<'a> Floors<'a> {
    pub(super) fn new(common: &'a Common<'a>, rigid: &'a Rigid, scratch: &'a FloorScratch) -> Floors<'a> {
        Floors { common, rigid, scratch }
    }

    fn of(&self, floor: &Floor) -> (&'a Shape, Filter, [f32; 2]) {
        let rule = self.common.plan.settings.friction_rule;
        let colliders = &self.common.plan.colliders;
        match colliders.get(floor.number) {
            Some(of) => (&of.shape, of.filter, [of.friction_static, of.friction_kinetic].map(|c| rule.grip(c))),
            None => {
                let (body, shape, _) = &self.rigid.shown[floor.number - colliders.len()];
                let body = &self.rigid.bodies[*body as usize];
                let friction = self.rigid.shapes[body.shapes.start].friction;
                (shape, body.filter, friction.map(|c| rule.grip(c)))
            }
        }
    }
}

impl Grounds for Floors<'_> {
    fn near(&self, cluster: u32) -> bool {
        self.scratch.near[cluster as usize]
    }

    fn under(&self, body: u32, [start, end]: [[f64; 3]; 2], thickness: f32, friction: f32) -> Option<Ground> {
        let plan = self.common.plan;
        let mut found: Option<(f64, Ground)> = None;
        for floor in &self.scratch.all {
            let collider = plan.colliders.get(floor.number);
            let reach = f64::from(thickness + collider.map_or(0.0, |of| of.thickness));
            let soft = if reach > LEAST_THICKNESS { reach } else { LEAST_THICKNESS };
            let far = reach + (HOVER + NEAR) * soft;
            let beside =
                |[low, high]: &Bounds, k: usize| end[k] < f64::from(low[k]) - far || end[k] > f64::from(high[k]) + far;
            if floor.bounds.is_some_and(|bounds| (0..3).any(|k| beside(&bounds, k))) {
                continue;
            }
            let (shape, filter, grips) = self.of(floor);
            if !filter.meets(plan.bodies[body as usize].filter) {
                continue;
            }
            let (d, m) = (sub(end, floor.frame.position), &floor.frame.turn);
            let (distance, normal, near) = match solid(shape) {
                None => {
                    // A two-sided plane keeps a particle where its way began.
                    let normal = [m[0][1], m[1][1], m[2][1]];
                    let began = dot(normal, sub(start, floor.frame.position)) + dot(normal, floor.way);
                    let side = if collider.is_some_and(|of| of.two_sided) && began < 0.0 { -1.0 } else { 1.0 };
                    (side * dot(normal, d), normal.map(|c| side * c), NEAR)
                }
                Some(solid) => {
                    let local = [0, 1, 2].map(|k| m[0][k] * d[0] + m[1][k] * d[1] + m[2][k] * d[2]);
                    let (distance, n) = solid.distance(V3::<f64>::set(local));
                    let normal = m.map(|row| (row[0] * n.x + row[1] * n.y) + row[2] * n.z);
                    let is_flat = solid.convex() && solid.round().is_none();
                    (distance, normal, if is_flat { NEAR } else { HOVER + NEAR })
                }
            };
            let gap = distance - reach;
            let nearer = found.is_none_or(|(least, _)| gap < least);
            if !(gap.abs() <= soft && gap <= near * soft && nearer) {
                continue;
            }
            let combine = plan.settings.friction_rule.of_grips();
            let ground = Ground {
                normal,
                way: [0, 1, 2].map(|k| floor.way[k] + dot(floor.turn[k], d)),
                friction: grips.map(|grip| f64::from(combine.of(friction, grip))),
                record: collider.map_or(u32::MAX, |_| (floor.number * plan.x.len()) as u32),
            };
            found = Some((gap, ground));
        }
        found.map(|(_, ground)| ground)
    }
}
