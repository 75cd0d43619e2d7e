//! Ids: numbers of what a scene holds, each with the scene that it belongs to.

use std::sync::atomic::{AtomicU32, Ordering};

/// Tells scenes apart, so that an id of one is not taken for another's. It stands in no plan's fingerprint and no state: no result
/// depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SceneTag(u32);

impl SceneTag {
    /// Another than all before (of the last four billion).
    pub(crate) fn next() -> SceneTag {
        static MADE: AtomicU32 = AtomicU32::new(0);
        SceneTag(MADE.fetch_add(1, Ordering::Relaxed))
    }
}

/// A body of a scene. It is good for that scene, its clones, and the plans made of them; another's refuse it: an input that has it is
/// not taken, planning fails with [`crate::Error::ForeignId`], and reading panics.
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

impl RigidJointId {
    /// Its number among the joints of rigid bodies, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.number as usize
    }
}

impl BodyId {
    /// Its number in the scene, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.number as usize
    }
}

impl ColliderId {
    /// Its number in the scene, from 0.
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
