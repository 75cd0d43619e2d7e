//! The pins of long range attachments in a step.

use crate::plan::Plan;
use crate::plan::long_range::LongRange;
use crate::run::passes::tethers::Span;
use crate::run::state::State;

impl LongRange {
    /// Writes where pins are at the start and at the end of a step of `dt` seconds to `spans`, metres. A pin that is
    /// free now is NaN, which bounds nothing.
    pub(crate) fn span(&self, plan: &Plan, state: &State, dt: f32, spans: &mut Vec<Span>) {
        spans.clear();
        spans.extend(self.anchors.iter().map(|&(body, vertex)| {
            let body = &plan.bodies[body];
            let [x, r, v] = [&state.x, &state.r, &state.v].map(|rows| body.get(rows, vertex as usize));
            let pinned = x[3] == 0.0;
            let start: [f32; 3] = std::array::from_fn(|k| if pinned { x[k] } else { f32::NAN });
            let end = std::array::from_fn(|k| start[k] + (r[k] + dt * v[k]));
            [[start, [0.0; 3]], [end, [0.0; 3]]]
        }));
    }
}
