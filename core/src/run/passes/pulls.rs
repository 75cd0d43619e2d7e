//! Pulls: the input draws vertices towards points, as a hand, a mouse or a gripper does. XPBD (Macklin et al. 2016,
//! equation 18) of C = x - target along each axis.

use super::{At, Common};
use crate::plan::Plan;
use crate::run::input::Input;
use crate::run::report::Phase;
use seidel_kernels::{BATCH, Layout, Shared};
use seidel_workers::Crew;

/// A vertex that is drawn towards a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pull {
    row: usize,
    layout: Layout,
    target: [f32; 3],
    /// m/N.
    compliance: f32,
    /// The multipliers of the substep, N s^2.
    lambda: [f32; 3],
}

impl Pull {
    /// Those of an input.
    pub(crate) fn list(plan: &Plan, input: &Input, pulls: &mut Vec<Pull>) {
        pulls.clear();
        pulls.extend(input.pulls.iter().map(|&(body, vertex, target, compliance)| {
            let body = plan.part(body);
            let (row, layout) = (body.particle(vertex) as usize, body.layout);
            Pull { row, layout, target, compliance, lambda: [f32::NAN; 3] }
        }));
    }
}

/// All pulls of a step, in the order of the input.
pub(crate) struct Pulls<'a> {
    common: &'a Common<'a>,
    pulls: &'a mut [Pull],
}

impl<'a> Pulls<'a> {
    /// None where nothing is pulled.
    pub(crate) fn new(common: &'a Common<'a>, pulls: &'a mut [Pull]) -> Option<Pulls<'a>> {
        (!pulls.is_empty()).then_some(Pulls { common, pulls })
    }

    /// Moves each vertex towards its point. One worker does it: they are few, and may share a vertex.
    pub(crate) fn run(&mut self, crew: &mut Crew<'_>, at: At) {
        let motion = self.common.motion;
        let h = self.common.weights(at.substep).effective;
        let pulls = Shared::new(self.pulls);
        self.common.each(crew, Phase::Constraints, 1, |_| {
            // SAFETY: the stage has one block, so nobody else uses the pulls.
            for pull in unsafe { pulls.part(0, pulls.len()) } {
                let lane = pull.row % BATCH;
                // SAFETY: the stage has one block, so nobody else uses any row.
                let (x, u) = unsafe { (motion.x.read(pull.row - lane, BATCH), motion.u.part(pull.row - lane, BATCH)) };
                let ([x, y, z, w], mut moved) = (pull.layout.read(x, lane), pull.layout.read(u, lane));
                if w == 0.0 {
                    continue;
                }
                if at.is_first() {
                    pull.lambda = [0.0; 3];
                }
                let softness = pull.compliance / (h * h);
                for (k, at) in [x, y, z].into_iter().enumerate() {
                    let c = (at - pull.target[k]) + moved[k];
                    let by = (-c - softness * pull.lambda[k]) / (w + softness);
                    if by.is_finite() {
                        pull.lambda[k] += by;
                        moved[k] += w * by;
                    }
                }
                pull.layout.write(u, lane, moved);
            }
        });
    }
}
