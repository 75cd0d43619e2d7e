//! Readings of rigid bodies: how deep they are in what they touch, and how far their joints are open.

use crate::describe::pose::Pose;
use crate::plan::Plan;
use crate::plan::rigid::Rigid;
use crate::run::passes::rigid::{seen, within};
use crate::run::rigid::KeptContact;
use crate::run::state::State;
use rayon::prelude::*;
use seidel_kernels::Isa;
use seidel_rigid::Shape;
use seidel_rigid::joint::Pose as JointPose;
use seidel_rigid::manifold::{Manifold, collide};
use seidel_rigid::surface::meet;

/// How all rigid bodies of a scene are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RigidFigures {
    /// Bodies that are there: not disabled, not lost. Fixed and kinematic ones, too.
    pub bodies: usize,
    /// Those of them that sleep.
    pub asleep: usize,
    /// Contacts of the last step that pushed, of bodies with each other and with colliders.
    pub contacts: usize,
    /// How deep the deepest pair of these is in each other now, metres; 0 if none is.
    pub deepest_overlap: f64,
    /// Joints that hold: not broken.
    pub joints: usize,
    /// The most that the bodies of one are from where it keeps them, metres: anchors apart, or a limit exceeded. Angles
    /// are not in it.
    pub joint_gap: f64,
    /// sum (m v^2 + w.L) / 2, joules.
    pub kinetic_energy: f64,
}

impl State {
    /// How all rigid bodies are doing. Contacts are searched on the threads of the rayon pool that the caller is in
    /// (rayon's global one outside of any). The same on all lanes and threads.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn rigid_figures(&self, plan: &Plan) -> RigidFigures {
        plan.owns(self);
        let Some(rigid) = &plan.rigid else { return RigidFigures::default() };
        let mut figures = RigidFigures { contacts: self.rigid.contacts.len(), ..RigidFigures::default() };
        for (number, (body, motion)) in rigid.bodies.iter().zip(&self.rigid.motions).enumerate() {
            if self.off.rigid[number] || self.rigid.frozen[number] {
                continue;
            }
            figures.bodies += 1;
            figures.asleep += usize::from(self.rigid.sleep.is_asleep(number));
            if body.inv_mass > 0.0 {
                figures.kinetic_energy += motion.energy(&body.mass());
            }
        }
        let depths = self.rigid.contacts.par_iter().map(|contact| self.depth(rigid, contact));
        figures.deepest_overlap = depths.reduce(|| 0.0, f64::max);
        for (of, _) in rigid.joints.iter().zip(&self.rigid.joints).filter(|(_, state)| !state.broken) {
            let [a, b] = of.joint.bodies.map(|body| match self.rigid.motions.get(body as usize) {
                Some(motion) => JointPose { at: motion.position, rotation: motion.rotation },
                None => JointPose::IDENTITY,
            });
            // Of what is disabled nothing holds.
            if of.joint.bodies.iter().any(|&body| self.off.rigid.get(body as usize) == Some(&true)) {
                continue;
            }
            figures.joints += 1;
            figures.joint_gap = f64::max(figures.joint_gap, of.joint.gap(&a, &b));
        }
        figures
    }

    /// How deep the shapes of a contact are in each other, metres; 0 or less of those that are apart.
    fn depth(&self, rigid: &Rigid, contact: &KeptContact) -> f64 {
        let of = |number: u32| match rigid.shapes.get(number as usize) {
            Some(shape) => {
                let motion = &self.rigid.motions[shape.body as usize];
                (&shape.shape, Pose { position: motion.position, rotation: motion.rotation }.place(&shape.pose))
            }
            None => {
                let collider = &rigid.colliders[number as usize - rigid.shapes.len()];
                (&collider.shape, self.poses[collider.collider as usize])
            }
        };
        let [(a, at_a), (b, at_b)] = contact.shapes.map(of);
        let least =
            |manifold: &Manifold| manifold.points().iter().fold(f32::INFINITY, |least, p| least.min(p.separation));
        let separation = match b {
            Shape::Surface(surface) => {
                meet(a, surface, &seen(&at_a, &at_b), 0.0).iter().map(least).fold(f32::INFINITY, f32::min)
            }
            _ => least(&collide(Isa::detect(), a, b, &within(&at_a, &at_b), 0.0)),
        };
        -f64::from(separation)
    }
}
