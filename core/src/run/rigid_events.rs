//! What is told of rigid bodies' contacts, sensors and joints.

use crate::describe::ids::{ColliderId, RigidId};
use crate::plan::Plan;

/// A contact of rigid bodies that began, went on or ended in a step, of a body that tells of them
/// ([`crate::RigidBody::contact_events`]); or an overlap with a sensor ([`crate::RigidBody::sensor`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RigidEvent {
    /// What happened.
    pub kind: RigidEventKind,
    /// Whether one of the two is a sensor: then it is an overlap at the end of the step, otherwise a contact that
    /// pushed in it.
    pub sensor: bool,
    /// A body: of two the one with the lower number.
    pub body: RigidId,
    /// Who it touches.
    pub other: RigidParty,
    /// Sum of the impulses along the normals of all their contacts and substeps, N s: over the length of the step it is
    /// the mean force. 0 of sensors, and of a contact that has ended.
    pub impulse: f32,
}

/// What happens to a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RigidEventKind {
    /// They touch, and did not in the step before.
    Begin,
    /// They touch, as in the step before. Contacts of bodies that sleep are not told.
    Persist,
    /// They touch no more; or one of them was removed or replaced by an edit, and it is told by the next step
    /// ([`crate::Solver::edit`]).
    End,
}

/// Whom a rigid body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RigidParty {
    /// Another body.
    Body(RigidId),
    /// A collider.
    Collider(ColliderId),
}

/// A joint of rigid bodies that broke in a step ([`crate::RigidJoint::breaking_at`]).
///
/// # Example
/// ```
/// use seidel::{Input, RigidBody, RigidJoint, Scene, Solver};
/// let mut scene = Scene::new();
/// let load = scene.add_rigid(RigidBody::sphere(0.1).mass(20.0));
/// scene.join_rigid(RigidJoint::fixed(None, load, [0.0; 3]).breaking_at(100.0, f32::INFINITY).named("hook"));
/// let report = Solver::new(&scene)?.step(&Input::frame(1.0 / 60.0));
/// assert!(report.broken[0].name == "hook" && (report.broken[0].force - 196.2).abs() < 0.1);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BrokenJoint {
    /// Its name.
    pub name: String,
    /// Magnitude of the force between its bodies, N: the mean over the step, as the limit on it is meant.
    pub force: f32,
    /// Magnitude of the torque between them about the joint's anchor, N m: the mean over the step. 0 of a ball without
    /// limits, but for roundings of the direct solver.
    pub torque: f32,
}

impl RigidParty {
    /// Of a row of a plan.
    pub(crate) fn of(plan: &Plan, row: u32) -> RigidParty {
        match (row as usize).checked_sub(plan.rigid_bodies()) {
            None => RigidParty::Body(plan.rigid_at()(row as usize)),
            Some(collider) => RigidParty::Collider(plan.collider_at()(collider)),
        }
    }
}

impl RigidEvent {
    /// Of two rows of a plan.
    pub(crate) fn of(plan: &Plan, kind: RigidEventKind, [a, b]: [u32; 2], sensor: bool, impulse: f32) -> RigidEvent {
        RigidEvent { kind, sensor, body: plan.rigid_at()(a as usize), other: RigidParty::of(plan, b), impulse }
    }

    /// What an edit of a plan ends.
    pub(crate) fn ended(from: &Plan, rows: [u32; 2], sensor: bool) -> RigidEvent {
        RigidEvent::of(from, RigidEventKind::End, rows, sensor, 0.0)
    }
}
