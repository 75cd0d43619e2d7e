//! How far everything may have moved in a step: particles and triangles far from a collider are left alone until they
//! may have come near. Planes and spheres are looked at each time, which is cheaper than to keep what a look tells.

use super::moving::Moving;
use crate::describe::collider::Collider;
use crate::plan::Plan;
use crate::run::passes::Common;
use seidel_kernels::contact::{SignedDistance, Slack};
use seidel_kernels::{BATCH, Row, Shared};

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct SlackScratch {
    /// For each collider and row of particles, and for each collider and lane of triangles, when the next look is due
    /// (`Slack`).
    particles: Vec<f32>,
    triangles: Vec<f32>,
    /// How far each collider has gone until a substep, for all colliders, and so on; metres.
    travel: Vec<f32>,
}

impl SlackScratch {
    pub(super) fn new(plan: &Plan) -> SlackScratch {
        let colliders = if keeps(plan) { plan.colliders.len() } else { 0 };
        let rows = plan.x.len();
        SlackScratch {
            particles: vec![0.0; rows * colliders],
            triangles: vec![0.0; plan.triangles.batches.len() * BATCH * colliders],
            travel: Vec::with_capacity(colliders * (plan.most_substeps() as usize + 1)),
        }
    }

    pub(super) fn poison(&mut self) {
        for numbers in [&mut self.particles, &mut self.triangles, &mut self.travel] {
            numbers.fill(f32::NAN);
        }
    }
}

/// Whether what a look tells is kept in this scene.
pub(crate) fn keeps(plan: &Plan) -> bool {
    plan.colliders.iter().any(|collider| collider.shape.solid().is_some())
}

/// The same during a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slacks<'a> {
    particles: Shared<'a, f32>,
    triangles: Shared<'a, f32>,
    pub(super) ways: Shared<'a, Row>,
    travel: &'a [f32],
    colliders: usize,
}

impl<'a> Slacks<'a> {
    /// At the start of a step: nothing is known. `moving` is every collider in every substep.
    pub(super) fn new(common: &Common<'a>, moving: &[Moving], scratch: &'a mut SlackScratch) -> Slacks<'a> {
        let plan = common.plan;
        let colliders = plan.colliders.len();
        scratch.particles.fill(f32::NEG_INFINITY);
        scratch.triangles.fill(f32::NEG_INFINITY);
        let all = if keeps(plan) { moving } else { &[] };
        let thickest = plan.bodies.iter().fold(0.0f32, |most, body| most.max(body.thickness));
        scratch.travel.clear();
        scratch.travel.resize(colliders, 0.0);
        for (k, moving) in all.iter().enumerate() {
            let collider = &plan.colliders[k % colliders];
            scratch.travel.push(scratch.travel[k] + travel(collider, moving, thickest + collider.thickness));
        }
        Slacks {
            particles: Shared::new(&mut scratch.particles),
            triangles: Shared::new(&mut scratch.triangles),
            ways: common.ways,
            travel: &scratch.travel,
            colliders,
        }
    }

    /// Of `len` rows from `start` on, against a collider.
    pub(super) fn of_rows(&self, at: (usize, usize), moving: &Moving, (start, len): (usize, usize)) -> Slack<'a> {
        let rows = self.particles.len() / self.colliders;
        self.slack(at, moving, (self.particles, at.1 * rows + start, len))
    }

    /// Of all triangles, against a collider.
    pub(super) fn of_triangles(&self, at: (usize, usize), moving: &Moving) -> Slack<'a> {
        let lanes = self.triangles.len() / self.colliders;
        self.slack(at, moving, (self.triangles, at.1 * lanes, lanes))
    }

    fn slack(
        &self,
        (substep, collider): (usize, usize),
        moving: &Moving,
        (until, start, len): (Shared<'a, f32>, usize, usize),
    ) -> Slack<'a> {
        if !matches!(moving, Moving::Solid(_)) {
            return Slack { until: until.within(0, 0), ways: self.ways, travel: [0.0; 2] };
        }
        let travel = [substep, substep + 1].map(|substep| self.travel[substep * self.colliders + collider]);
        Slack { until: until.within(start, len), ways: self.ways, travel }
    }
}

/// How far the surface of a collider, with `thickness` about it, goes in a substep, at most, metres.
fn travel(collider: &Collider, moving: &Moving, thickness: f32) -> f32 {
    let (from, to, turn, bound) = match moving {
        Moving::Plane(s) => (s.from, s.to, s.turn, f32::INFINITY),
        Moving::Sphere(s) => (s.from, s.to, [[0.0; 3]; 3], 0.0),
        Moving::Off => return 0.0,
        Moving::Solid(s) => {
            let shape = super::moving::solid(&collider.shape);
            (s.from, s.to, s.turn, if shape.ends() { shape.bound() + 2.0 * thickness } else { f32::INFINITY })
        }
    };
    let squares = |v: &[f32]| v.iter().fold(0.0, |sum, v| sum + v * v);
    let moved = squares(&[to[0] - from[0], to[1] - from[1], to[2] - from[2]]).sqrt();
    let turned = squares(turn.as_flattened()).sqrt();
    // Nothing turns without end.
    moved + if turned > 0.0 { turned * bound } else { 0.0 }
}
