//! Bodies on which joints pull harder than their inertia is good for at this substep: they get more of it.

use super::Rigid;
use super::joints::pose;
use super::scratch::RigidScratch;
use seidel_rigid::joint::stiffened;

impl Rigid<'_> {
    /// Finds them, from the impulses of the step before; in most scenes there are few. A body that bears an impulse P on n
    /// joints is looked at where one of them pulls with P / n or more.
    pub(super) fn find_taut(&mut self) {
        let (plan, state, h) = (self.plan, &*self.state, f64::from(self.common.h));
        let scale = f64::from(self.scale()) * h;
        let RigidScratch { taut, is_taut, .. } = &mut *self.scratch;
        taut.clear();
        is_taut.clear();
        let square = scale * scale;
        for (of, kept) in plan.taut.iter().zip(&state.joints) {
            let [x, y, z, ..] = kept.hold.map(f64::from);
            if square * ((x * x + y * y) + z * z) > of.most && !kept.broken {
                is_taut.resize(plan.bodies.len(), false);
                for body in of.bodies {
                    if let Some(is_taut) = is_taut.get_mut(body as usize) {
                        *is_taut = true;
                    }
                }
            }
        }
        if is_taut.is_empty() {
            return;
        }
        taut.resize(plan.bodies.len(), [0.0; 3]);
        for (number, kept) in state.joints.iter().enumerate().filter(|(_, kept)| !kept.broken) {
            let is_taut = plan.taut[number].bodies.map(|body| is_taut.get(body as usize) == Some(&true));
            if is_taut == [false; 2] || plan.joints[number].in_tree {
                continue;
            }
            let joint = &plan.joints[number].joint;
            let pull = scale * joint.pull(kept);
            let [a, b] = joint.bodies.map(|body| pose(state, body));
            let gap = joint.gap(&a, &b);
            for (side, body) in joint.bodies.into_iter().enumerate().filter(|&(side, _)| is_taut[side]) {
                // Both bodies are pushed at B's anchor, which a gap takes away from A.
                let open = if side == 0 { gap } else { 0.0 };
                let (sum, levers) = (&mut taut[body as usize], joint.levers(side));
                *sum = [0, 1, 2].map(|k| sum[k] + pull * (levers[k] + open));
            }
        }
        for (sum, body) in taut.iter_mut().zip(&plan.bodies) {
            *sum = stiffened(*sum, body.inertia);
        }
    }
}
