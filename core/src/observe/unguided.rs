//! Gears whose bodies nothing holds on their axes.

use crate::plan::Plan;
use seidel_rigid::joint::JointKind;

impl Plan {
    /// The first gear, or rack, with a body that can move and that no other joint guides, as a warning: it would turn
    /// or go anywhere. A body that is locked about two axes needs no hinge.
    pub(super) fn unguided_gear(&self) -> Option<String> {
        let rigid = self.rigid.as_ref()?;
        let is_gear = |kind| matches!(kind, JointKind::Gear | JointKind::RackAndPinion);
        let mut guided = vec![false; rigid.bodies.len()];
        for (body, guided) in rigid.bodies.iter().zip(&mut guided) {
            *guided = body.inv_mass == 0.0 || body.locks.rotation.iter().filter(|axis| **axis).count() > 1;
        }
        for joint in rigid.joints.iter().map(|of| &of.joint).filter(|joint| !is_gear(joint.kind) && joint.locks()) {
            for body in joint.bodies {
                if let Some(guided) = guided.get_mut(body as usize) {
                    *guided = true;
                }
            }
        }
        let gears = rigid.joints.iter().filter(|of| is_gear(of.joint.kind));
        let (gear, body) = gears
            .flat_map(|of| of.joint.bodies.map(|body| (of, body)))
            .find(|(_, body)| guided.get(*body as usize) == Some(&false))?;
        Some(format!(
            "joint `{}` is a gear, and nothing holds body `{}` on its axis: give it a hinge along the gear's axis",
            gear.name, rigid.bodies[body as usize].name
        ))
    }
}
