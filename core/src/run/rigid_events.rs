//! What is told of rigid bodies' contacts and sensors.

use crate::describe::error::Error;
use crate::describe::ids::{ColliderId, RigidId};
use crate::plan::Plan;
use crate::run::before::Before;
use crate::run::state::State;

/// A contact of rigid bodies that began, went on or ended in a step, of a body that tells of them ([`crate::RigidBody::contact_events`]); or an
/// overlap with a sensor ([`crate::RigidBody::sensor`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RigidEvent {
    /// What happened.
    pub kind: RigidEventKind,
    /// Whether one of the two is a sensor: then it is an overlap at the end of the step, otherwise a contact that pushed in it.
    pub sensor: bool,
    /// A body: of two the one with the lower number.
    pub body: RigidId,
    /// Who it touches.
    pub other: RigidParty,
    /// Sum of the impulses along the normals of all their contacts and substeps, N s: over the length of the step it is the mean force. 0 of
    /// sensors, and of a contact that has ended.
    pub impulse: f32,
}

/// What happens to a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RigidEventKind {
    /// They touch, and did not in the step before.
    Begin,
    /// They touch, as in the step before. Contacts of bodies that sleep are not told.
    Persist,
    /// They touch no more; or one of them was removed or replaced by an edit, and it is told by the solver's next step
    /// ([`crate::Solver::edit`]).
    End,
}

/// Whom a rigid body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RigidParty {
    /// Another body.
    Body(RigidId),
    /// A collider.
    Collider(ColliderId),
}

impl RigidEvent {
    /// Of two rows of a plan.
    pub(crate) fn of(plan: &Plan, kind: RigidEventKind, [a, b]: [u32; 2], sensor: bool, impulse: f32) -> RigidEvent {
        let other = match (b as usize).checked_sub(plan.rigid_bodies()) {
            None => RigidParty::Body(plan.rigid_at()(b as usize)),
            Some(collider) => RigidParty::Collider(plan.collider_at()(collider)),
        };
        RigidEvent { kind, sensor, body: plan.rigid_at()(a as usize), other, impulse }
    }
}

impl State {
    /// What ends where this state of a plan goes on in another: contacts and overlaps that are told, and of which one side is gone or another.
    pub(crate) fn ended(&self, from: &Plan, to: &Plan) -> Result<Vec<RigidEvent>, Error> {
        let rigid = &self.rigid;
        if rigid.touching.is_empty() && rigid.overlaps.is_empty() {
            return Ok(Vec::new());
        }
        let (before, bodies) = (Before::of(from, to)?, from.rigid_bodies());
        let goes_on = |row: u32| match (row as usize).checked_sub(bodies) {
            None => before.rigid.contains(&Some(row as usize)),
            Some(collider) => before.colliders.contains(&Some(collider)),
        };
        let ends = |rows: &&[u32; 2]| !rows.iter().all(|&row| goes_on(row));
        let all = [(&rigid.touching, false), (&rigid.overlaps, true)].into_iter();
        let each = all.flat_map(|(pairs, sensor)| pairs.iter().filter(ends).map(move |rows| (*rows, sensor)));
        Ok(each.map(|(rows, sensor)| RigidEvent::of(from, RigidEventKind::End, rows, sensor, 0.0)).collect())
    }
}
