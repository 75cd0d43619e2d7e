//! Ids: numbers of what a scene holds, each with the scene that it belongs to.

use crate::describe::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};

/// Tells scenes apart, so that an id of one is not taken for another's. It stands in no plan's fingerprint and no
/// state's bytes: no result depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SceneTag(u32);

impl SceneTag {
    /// Another than all before (of the last four billion).
    pub(crate) fn next() -> SceneTag {
        static MADE: AtomicU32 = AtomicU32::new(0);
        SceneTag(MADE.fetch_add(1, Ordering::Relaxed))
    }
}

/// Numbers of one sort of things, ascending, in the order in which they stand: what is removed leaves a gap, and no
/// number is given twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    each: Vec<u32>,
    next: u32,
}

impl Numbers {
    /// One more, behind all others.
    pub(crate) fn add(&mut self) -> u32 {
        self.each.push(self.next);
        self.next += 1;
        self.next - 1
    }

    /// The number that comes next.
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// The number of what stands at a place.
    pub(crate) fn at(&self, place: usize) -> u32 {
        self.each[place]
    }

    /// All of them.
    pub(crate) fn each(&self) -> impl Iterator<Item = u32> {
        self.each.iter().copied()
    }

    /// Whether some were removed.
    fn has_gaps(&self) -> bool {
        self.each.len() != self.next as usize
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.each.len()
    }

    /// Where what has a number stands.
    pub(crate) fn place(&self, number: u32) -> Option<usize> {
        // Without gaps each stands at its number, and nothing stands behind it.
        let at = number as usize;
        match self.each.get(at) {
            Some(&same) if same == number => Some(at),
            _ => self.each.binary_search(&number).ok(),
        }
    }

    /// Where what is named stands. One that was removed, or never was, is a caller's mistake.
    #[track_caller]
    pub(crate) fn sure(&self, what: &str, number: u32) -> usize {
        let gone = if number < self.next { "was removed" } else { "is another scene's" };
        self.place(number).unwrap_or_else(|| panic!("{what} {number} {gone}: here are {}", self.each.len()))
    }

    /// Where it stands; an error if it was removed, or never was.
    pub(crate) fn find(&self, of: impl FnOnce() -> String, what: &'static str, number: u32) -> Result<usize, Error> {
        let index = number as usize;
        match self.place(number) {
            Some(place) => Ok(place),
            None if number < self.next => Err(Error::Removed { of: of(), what, index }),
            None => Err(Error::Missing { of: of(), what, index, count: self.each.len() }),
        }
    }

    /// Removes what stands at a place.
    pub(crate) fn remove(&mut self, place: usize) {
        self.each.remove(place);
    }
}

/// Numbers of all that a scene holds and that ids name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SceneNumbers {
    pub(crate) bodies: Numbers,
    pub(crate) colliders: Numbers,
    pub(crate) rigid: Numbers,
    pub(crate) rigid_joints: Numbers,
    pub(crate) joints: Numbers,
    pub(crate) particle_joints: Numbers,
}

impl SceneNumbers {
    /// Whether something was removed that others may name.
    pub(crate) fn have_gaps(&self) -> bool {
        self.bodies.has_gaps() || self.rigid.has_gaps()
    }
}

/// A body of a scene. It is good for that scene, its clones, and the plans made of them; another's refuse it: an input
/// that has it is not taken, planning fails with [`crate::Error::ForeignId`], and reading panics:
/// [`crate::Plan::check_id`] asks before. When the body is removed ([`crate::Scene::remove`]), so do they
/// ([`crate::Error::Removed`]); ids of what stays are good as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    pub(crate) scene: SceneTag,
    pub(crate) number: u32,
}

/// A collider of a scene, as [`BodyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId {
    pub(crate) scene: SceneTag,
    pub(crate) number: u32,
}

/// A rigid body of a scene, as [`BodyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RigidId {
    pub(crate) scene: SceneTag,
    pub(crate) number: u32,
}

/// A joint of rigid bodies of a scene, as [`BodyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RigidJointId {
    pub(crate) scene: SceneTag,
    pub(crate) number: u32,
}

/// A joint of a scene's bodies ([`crate::Scene::join`]), as [`BodyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId {
    pub(crate) scene: SceneTag,
    pub(crate) number: u32,
}

/// A joint of a vertex and a rigid body of a scene ([`crate::Scene::join_particle`]), as [`BodyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParticleJointId {
    pub(crate) scene: SceneTag,
    pub(crate) number: u32,
}

/// Any id of what a scene holds, for [`crate::Plan::check_id`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum AnyId {
    Body(BodyId),
    Collider(ColliderId),
    Rigid(RigidId),
    RigidJoint(RigidJointId),
    Joint(JointId),
    ParticleJoint(ParticleJointId),
}

impl AnyId {
    /// What it names, its number, its scene, and which of a scene's numbers it is among.
    pub(crate) fn parts(self, all: &SceneNumbers) -> (&'static str, u32, SceneTag, &Numbers) {
        match self {
            AnyId::Body(id) => ("body", id.number, id.scene, &all.bodies),
            AnyId::Collider(id) => ("collider", id.number, id.scene, &all.colliders),
            AnyId::Rigid(id) => ("rigid body", id.number, id.scene, &all.rigid),
            AnyId::RigidJoint(id) => ("joint", id.number, id.scene, &all.rigid_joints),
            AnyId::Joint(id) => ("joint", id.number, id.scene, &all.joints),
            AnyId::ParticleJoint(id) => ("joint", id.number, id.scene, &all.particle_joints),
        }
    }
}

macro_rules! any_id {
    ($($of:ident: $id:ty),* $(,)?) => {
        $(impl From<$id> for AnyId {
            fn from(id: $id) -> AnyId {
                AnyId::$of(id)
            }
        })*
    };
}

any_id! {
    Body: BodyId,
    Collider: ColliderId,
    Rigid: RigidId,
    RigidJoint: RigidJointId,
    Joint: JointId,
    ParticleJoint: ParticleJointId,
}

impl RigidJointId {
    /// Its number among the joints of rigid bodies, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.number as usize
    }
}

impl BodyId {
    /// Its number in the scene, from 0 in the order in which they were added. What was removed keeps its number to
    /// itself.
    #[must_use]
    pub fn index(self) -> usize {
        self.number as usize
    }
}

impl ColliderId {
    /// Its number in the scene, from 0 in the order in which they were added. What was removed keeps its number to
    /// itself.
    #[must_use]
    pub fn index(self) -> usize {
        self.number as usize
    }
}

impl RigidId {
    /// Its number among the rigid bodies of the scene, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.number as usize
    }
}
