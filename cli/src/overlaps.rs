//! Rigid bodies that are in each other.

use seidel::{Plan, RigidOverlap, RigidParty, State};

/// Metres: less is what contacts yield, or is over in a moment.
pub(crate) const DEEP_OVERLAP: f64 = 0.01;

/// The deepest overlap of rigid bodies, by more than a share of the least side of the thinner.
pub(crate) fn deepest_overlap(plan: &Plan, state: &State, share: f64) -> Option<RigidOverlap> {
    let deep = state.rigid_overlaps(plan).into_iter().filter(|of| of.depth > DEEP_OVERLAP && of.share > share);
    deep.reduce(|most, of| if of.depth > most.depth { of } else { most })
}

/// Who overlaps.
pub(crate) fn pair(plan: &Plan, of: &RigidOverlap) -> Option<String> {
    let name = plan.rigid_name(of.body);
    match of.other {
        RigidParty::Body(other) => Some(format!("rigid bodies `{name}` and `{}`", plan.rigid_name(other))),
        RigidParty::Collider(collider) => {
            Some(format!("rigid body `{name}` and collider `{}`", plan.colliders()[collider.index()].name))
        }
        _ => None,
    }
}
