//! Readings of rigid bodies: penetration depths of their contacts, position errors of their joints.

use crate::describe::ids::{RigidId, RigidJointId};
use crate::describe::pose::Pose;
use crate::plan::Plan;
use crate::plan::rigid::Rigid;
use crate::run::passes::rigid::{seen, within};
use crate::run::rigid::KeptContact;
use crate::run::rigid_events::RigidParty;
use crate::run::state::State;
use crate::tuning::MAX_BODY_POSITION;
use rayon::prelude::*;
use seidel_kernels::Isa;
use seidel_rigid::Shape;
use seidel_rigid::joint::{Pose as JointPose, WORLD};
use seidel_rigid::manifold::{Manifold, collide};
use seidel_rigid::surface::meet;

/// Figures of all rigid bodies of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RigidFigures {
    /// Bodies, fixed and kinematic ones among them, without those that are disabled or lost.
    pub bodies: usize,
    /// Those of them that sleep.
    pub asleep: usize,
    /// Bodies whose numbers were not finite.
    pub lost: usize,
    /// Contacts that carry an impulse, with other bodies and with colliders: one a pair of shapes, several a shape and
    /// a surface of triangles. Those of bodies that sleep are those with which they fell asleep.
    pub contacts: usize,
    /// Largest penetration depth of these contacts now, metres. What carries no impulse is not looked at, and of more
    /// than four points of a contact the deepest may be left out for one that is less deep by 0.25 mm at most.
    pub deepest_overlap: f64,
    /// Joints that are not broken and hold no lost body.
    pub joints: usize,
    /// Largest position error of these joints, metres: distance of the anchors along locked axes, and of translations
    /// beyond their limits.
    pub joint_gap: f64,
    /// The joint that has it.
    pub widest_joint: Option<RigidJointId>,
    /// Largest error of an angle that these joints lock, rad.
    pub joint_bend: f64,
    /// The joint that has it.
    pub most_bent_joint: Option<RigidJointId>,
    /// sum (m v^2 + w.L) / 2 of bodies that forces move, joules.
    pub kinetic_energy: f64,
}

/// Two shapes of rigid bodies, or one and a collider, that push each other and are in each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RigidOverlap {
    /// A body: of two the one with the lower number.
    pub body: RigidId,
    /// The body or collider that it is in.
    pub other: RigidParty,
    /// Penetration depth, metres, above 0.
    pub depth: f64,
    /// That over the least side of the thinner of the two shapes.
    pub share: f64,
}

impl State {
    /// The overlaps of contacts that carry an impulse, as [`RigidFigures::deepest_overlap`] looks at them: of each body
    /// and what it touches the deepest. Measured on the threads of the rayon pool that the caller is in.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn rigid_overlaps(&self, plan: &Plan) -> Vec<RigidOverlap> {
        plan.owns(self);
        let Some(rigid) = &plan.rigid else { return Vec::new() };
        let overlap = |&shapes: &[u32; 2]| {
            let depth = self.depth(rigid, shapes);
            let [a, b] = shapes.map(|shape| thinnest(self.placed(rigid, shape).0));
            (depth > 0.0).then(|| (shapes.map(|shape| rigid.row(shape)), depth, depth / a.min(b)))
        };
        let pairs = pairs(&self.pushing(rigid));
        let mut found: Vec<([u32; 2], f64, f64)> = pairs.par_iter().filter_map(overlap).collect();
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        found.dedup_by_key(|(rows, ..)| *rows);
        let named = |([a, b], depth, share): ([u32; 2], f64, f64)| RigidOverlap {
            body: plan.rigid_at()(a as usize),
            other: RigidParty::of(plan, b),
            depth,
            share,
        };
        found.into_iter().map(named).collect()
    }

    /// Contacts of what is there that carry an impulse.
    fn pushing(&self, rigid: &Rigid) -> Vec<&KeptContact> {
        let is_there = |shape: u32| match rigid.shapes.get(shape as usize) {
            Some(shape) => !self.off.rigid[shape.body as usize],
            None => !self.off.colliders[rigid.colliders[shape as usize - rigid.shapes.len()].collider as usize],
        };
        let pushes = |of: &&KeptContact| of.pushes() && of.shapes.into_iter().all(is_there);
        self.rigid.contacts.iter().filter(pushes).collect()
    }

    /// Figures of all rigid bodies. Penetration depths of contacts are measured anew, on the threads of the rayon pool
    /// that the caller is in (rayon's global one outside of any). The same on all lanes and threads.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn rigid_figures(&self, plan: &Plan) -> RigidFigures {
        plan.owns(self);
        let Some(rigid) = &plan.rigid else { return RigidFigures::default() };
        let mut figures = RigidFigures::default();
        let is_lost =
            |number: usize| self.rigid.frozen[number] || !self.rigid.motions[number].is_finite(MAX_BODY_POSITION);
        for (number, (body, motion)) in rigid.bodies.iter().zip(&self.rigid.motions).enumerate() {
            if self.off.rigid[number] {
                continue;
            }
            if is_lost(number) {
                figures.lost += 1;
                continue;
            }
            figures.bodies += 1;
            figures.asleep += usize::from(self.rigid.sleep.is_asleep(number));
            if body.inv_mass > 0.0 {
                figures.kinetic_energy += motion.energy(&body.mass());
            }
        }
        let there = self.pushing(rigid);
        figures.contacts = there.len();
        let depths: Vec<f64> = pairs(&there).par_iter().map(|&shapes| self.depth(rigid, shapes)).collect();
        for depth in depths {
            figures.deepest_overlap = if depth > figures.deepest_overlap { depth } else { figures.deepest_overlap };
        }
        let id = plan.rigid_joint_at();
        for (place, (of, state)) in rigid.joints.iter().zip(&self.rigid.joints).enumerate() {
            let mut bodies = of.joint.bodies.into_iter().filter(|&body| body != WORLD);
            if state.broken || bodies.any(|body| is_lost(body as usize)) {
                continue;
            }
            let [a, b] = of.joint.bodies.map(|body| match self.rigid.motions.get(body as usize) {
                Some(motion) => JointPose { at: motion.position, rotation: motion.rotation },
                None => JointPose::IDENTITY,
            });
            figures.joints += 1;
            let gap = of.joint.gap(&a, &b);
            if gap > figures.joint_gap {
                (figures.joint_gap, figures.widest_joint) = (gap, Some(id(place)));
            }
            let bend = of.joint.bend(&a, &b);
            if bend > figures.joint_bend {
                (figures.joint_bend, figures.most_bent_joint) = (bend, Some(id(place)));
            }
        }
        figures
    }

    /// Penetration depth of two shapes, metres; 0 or less of those that are apart.
    fn depth(&self, rigid: &Rigid, shapes: [u32; 2]) -> f64 {
        let [a, b] = shapes.map(|shape| self.placed(rigid, shape));
        depth(a, b)
    }

    /// A shape by its number, and where it is.
    fn placed<'a>(&self, rigid: &'a Rigid, number: u32) -> (&'a Shape, Pose) {
        match rigid.shapes.get(number as usize) {
            Some(shape) => {
                let motion = &self.rigid.motions[shape.body as usize];
                (&shape.shape, Pose { position: motion.position, rotation: motion.rotation }.place(&shape.pose))
            }
            None => {
                let collider = &rigid.colliders[number as usize - rigid.shapes.len()];
                (&collider.shape, self.poses[collider.collider as usize])
            }
        }
    }
}

/// The pairs of shapes of contacts: those of one pair stand together.
fn pairs(contacts: &[&KeptContact]) -> Vec<[u32; 2]> {
    contacts.chunk_by(|a, b| a.shapes == b.shapes).map(|of_pair| of_pair[0].shapes).collect()
}

/// The least side of a shape, metres; infinite of a half space or a surface.
pub(super) fn thinnest(shape: &Shape) -> f64 {
    let extent = match shape {
        Shape::Surface(_) => None,
        _ => shape.extent(&Pose::IDENTITY.axes()),
    };
    extent.map_or(f64::INFINITY, |[a, b, c]| 2.0 * f64::from(a.min(b).min(c)))
}

/// Penetration depth of two shapes where they are, metres; 0 or less of those that are apart. Only the second may be a
/// surface or a half space.
pub(super) fn depth((a, at_a): (&Shape, Pose), (b, at_b): (&Shape, Pose)) -> f64 {
    let least = |manifold: &Manifold| manifold.points().iter().fold(f32::INFINITY, |least, p| least.min(p.separation));
    let separation = match b {
        Shape::Surface(surface) => {
            meet(a, surface, &seen(&at_a, &at_b), 0.0).iter().map(least).fold(f32::INFINITY, f32::min)
        }
        _ => least(&collide(Isa::detect(), a, b, &within(&at_a, &at_b), 0.0)),
    };
    -f64::from(separation)
}
