//! The pins of long range attachments in a step.

use crate::plan::Plan;
use crate::run::state::State;
use seidel_kernels::Row;

/// Working memory for long range attachments.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    /// Where pins are at the start and at the end of the step, metres.
    ways: Vec<[[f32; 3]; 2]>,
    /// Where they are at the end of a substep.
    now: Vec<Row>,
}

impl Anchors {
    /// Finds where pins are at the start and at the end of a step of `dt` seconds. A pin that is free now is NaN, which
    /// bounds nothing.
    pub(crate) fn begin(&mut self, plan: &Plan, state: &State, dt: f32) {
        let anchors = &plan.long_range.anchors;
        self.ways.clear();
        self.ways.extend(anchors.iter().map(|&(body, vertex)| {
            let body = &plan.bodies[body];
            let [x, r, v] = [&state.x, &state.r, &state.v].map(|rows| body.get(rows, vertex as usize));
            let pinned = x[3] == 0.0;
            let start: [f32; 3] = std::array::from_fn(|k| if pinned { x[k] } else { f32::NAN });
            [start, std::array::from_fn(|k| start[k] + (r[k] + dt * v[k]))]
        }));
        self.now.resize(anchors.len(), [f32::NAN; 4]);
    }

    /// Where they are at the share `at` of the step, 0 to 1.
    pub(crate) fn at(&mut self, at: f32) -> &[Row] {
        for (now, [from, to]) in self.now.iter_mut().zip(&self.ways) {
            *now = std::array::from_fn(|k| if k < 3 { between(from[k], to[k], at) } else { 0.0 });
        }
        &self.now
    }

    /// Fills everything that no step may read before it writes it.
    pub(crate) fn poison(&mut self) {
        self.ways.fill([[f32::NAN; 3]; 2]);
        self.now.fill([f32::NAN; 4]);
    }
}

/// Between two numbers, at a share of the way.
pub(crate) fn between(a: f32, b: f32, at: f32) -> f32 {
    if at >= 1.0 { b } else { a + (b - a) * at }
}
