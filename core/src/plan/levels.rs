//! Levels of detail: the bodies that take as many substeps.
//!
//! A step takes the bodies of each level through the substeps of that level while all others wait. So nothing of one
//! level may meet or hold anything of another: what would is refused here.

use crate::describe::body::{Body, Collide};
use crate::describe::error::Error;
use crate::describe::filter::Filter;
use crate::describe::scene::Scene;
use crate::describe::settings::VelocityUpdate;
use crate::plan::body::BodyPlan;
use crate::plan::joint::JointRows;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a body meets others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Meets {
    Nothing,
    Surfaces,
    Obstacle,
    Spheres,
    Fluid,
}

impl Meets {
    fn of(body: &Body) -> Meets {
        match body.collide {
            _ if body.fluid.is_some() => Meets::Fluid,
            Collide::Others | Collide::All if body.obstacle.is_some() => Meets::Obstacle,
            Collide::Others | Collide::All => Meets::Surfaces,
            Collide::Spheres => Meets::Spheres,
            Collide::Nothing => Meets::Nothing,
        }
    }

    /// Whether bodies whose filters meet may touch.
    fn touches(self, other: Meets) -> bool {
        matches!(
            (self, other),
            (Meets::Surfaces, Meets::Surfaces | Meets::Obstacle)
                | (Meets::Obstacle, Meets::Surfaces)
                | (Meets::Spheres, Meets::Spheres)
                | (Meets::Fluid, _)
                | (_, Meets::Fluid)
        )
    }
}

/// The levels of a scene that takes so many `substeps`, in the order of a step. Bodies know theirs.
pub(super) fn levels(
    scene: &Scene,
    bodies: &[Arc<Body>],
    plans: &[BodyPlan],
    joints: &[JointRows],
    substeps: u32,
) -> Result<Vec<u32>, Error> {
    let mut levels: Vec<u32> = plans.iter().map(|plan| plan.substeps).filter(|&own| own != substeps).collect();
    if levels.is_empty() {
        return Ok(vec![substeps]);
    }
    let own = |number: usize| plans[number].substeps != substeps;
    if scene.settings.velocity_update == VelocityUpdate::SecondOrder
        && let Some(first) = (0..plans.len()).find(|&number| own(number))
    {
        let why = "velocities of second order take one number of substeps for all";
        return Err(Error::OwnSubsteps { of: of(plans, first), why });
    }
    check_held(scene, bodies, plans, joints, substeps)?;
    check_apart(scene, bodies, plans, substeps)?;
    if levels.len() < plans.len() || !scene.rigid.is_empty() {
        levels.push(substeps);
    }
    // The scene's stands last, whatever its number.
    levels.sort_unstable_by_key(|&level| (level == substeps, level));
    levels.dedup();
    Ok(levels)
}

fn of(plans: &[BodyPlan], number: usize) -> String {
    format!("body `{}`", plans[number].name)
}

/// Two bodies of different levels, in the order in which they are named.
fn differ(plans: &[BodyPlan], [a, b]: [usize; 2], why: &'static str, filters: bool) -> Error {
    let [substeps, others] = [a, b].map(|number| plans[number].substeps);
    Error::SubstepsDiffer { of: of(plans, a), substeps, other: of(plans, b), others, why, filters }
}

/// Whether joints, attachments and tethers hold bodies of one level each. Those that name nothing are refused later.
fn check_held(
    scene: &Scene,
    bodies: &[Arc<Body>],
    plans: &[BodyPlan],
    joints: &[JointRows],
    substeps: u32,
) -> Result<(), Error> {
    let same = |a: usize, b: usize, why| match plans.get(b) {
        Some(other) if other.substeps != plans[a].substeps => Err(differ(plans, [a, b], why, false)),
        _ => Ok(()),
    };
    for rows in joints {
        let Some((first, _)) = rows.ends().next() else { continue };
        rows.ends().try_for_each(|(body, _)| same(first, body, "a joint holds them together"))?;
    }
    for (number, body) in bodies.iter().enumerate() {
        let attached = body.attached.iter().map(|attached| attached.to);
        attached.into_iter().try_for_each(|to| same(number, to.index(), "the one is attached to the other"))?;
        let tethers = body.tethers.iter().map(|tether| tether.to);
        tethers.into_iter().try_for_each(|to| same(number, to.index(), "the one is tethered to the other"))?;
    }
    for joint in &scene.particle_joints {
        let rigid = scene.rigid.get(joint.rigid.index());
        if let Some((plan, rigid)) = plans.get(joint.body.index()).zip(rigid)
            && plan.substeps != substeps
        {
            return Err(beside_rigid(plan, &rigid.name, substeps, "a joint holds them together", false));
        }
    }
    Ok(())
}

/// A body that has to do with a rigid body, which takes the `scene`'s substeps.
fn beside_rigid(plan: &BodyPlan, rigid: &str, scene: u32, why: &'static str, filters: bool) -> Error {
    let (of, other) = (format!("body `{}`", plan.name), format!("rigid body `{rigid}`"));
    Error::SubstepsDiffer { of, substeps: plan.substeps, other, others: scene, why, filters }
}

/// Whether filters keep apart what takes different numbers of substeps.
fn check_apart(scene: &Scene, bodies: &[Arc<Body>], plans: &[BodyPlan], substeps: u32) -> Result<(), Error> {
    // Of bodies that are alike in this, the first.
    let mut alike = BTreeMap::new();
    for (number, (body, plan)) in bodies.iter().zip(plans).enumerate() {
        let Filter { groups, mask } = plan.filter;
        alike.entry((plan.substeps, Meets::of(body), groups, mask)).or_insert(number);
    }
    let mut first: Option<([usize; 2], &'static str)> = None;
    for (&(own, meets, ..), &a) in &alike {
        for (&(_, met, ..), &b) in alike.iter().filter(|(key, _)| key.0 != own) {
            let pair = [a.min(b), a.max(b)];
            if meets.touches(met)
                && plans[a].filter.meets(plans[b].filter)
                && first.is_none_or(|(least, _)| pair < least)
            {
                let wet = meets == Meets::Fluid || met == Meets::Fluid;
                first = Some((pair, if wet { "the one may wet the other" } else { "they may touch" }));
            }
        }
    }
    if let Some((pair, why)) = first {
        return Err(differ(plans, pair, why, true));
    }
    for plan in plans.iter().filter(|plan| plan.substeps != substeps) {
        if let Some(rigid) = scene.rigid.iter().find(|rigid| rigid.filter.meets(plan.filter)) {
            return Err(beside_rigid(plan, &rigid.name, substeps, "they may touch", true));
        }
    }
    Ok(())
}
