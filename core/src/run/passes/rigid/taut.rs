//! Bodies on which joints pull harder than their inertia is good for at this substep: they get more of it.

use super::Rigid;
use super::joints::pose;
use super::scratch::RigidScratch;
use seidel_rigid::joint::stiffened;

impl Rigid<'_> {
    /// Finds them, from the impulses of the step before; in most scenes there are none.
    pub(super) fn stretch_taut(&mut self) {
        let (plan, state, h) = (self.plan, &*self.state, f64::from(self.common.h));
        let scale = f64::from(self.scale()) * h;
        let RigidScratch { taut, .. } = &mut *self.scratch;
        taut.clear();
        let all = || plan.joints.iter().zip(&state.joints).filter(|(of, kept)| !kept.broken && !of.in_tree);
        if !all().any(|(of, kept)| scale * of.joint.pull(kept) > of.taut) {
            return;
        }
        taut.resize(plan.bodies.len(), [0.0; 3]);
        for (of, kept) in all() {
            let pull = scale * of.joint.pull(kept);
            let [a, b] = of.joint.bodies.map(|body| pose(state, body));
            let gap = of.joint.gap(&a, &b);
            for (side, body) in of.joint.bodies.into_iter().enumerate() {
                if let Some(sum) = taut.get_mut(body as usize) {
                    // Both bodies are pushed at B's anchor, which a gap takes away from A.
                    let open = if side == 0 { gap } else { 0.0 };
                    let levers = of.joint.levers(side);
                    *sum = [0, 1, 2].map(|k| sum[k] + pull * (levers[k] + open));
                }
            }
        }
        for (sum, body) in taut.iter_mut().zip(&plan.bodies) {
            *sum = stiffened(*sum, body.inertia);
        }
    }
}
