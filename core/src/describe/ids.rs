//! Ids: numbers of what a scene holds.

/// A body of a scene, by its number: that of another scene is taken for the body here with the same number, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

/// A collider of a scene, by its number, as [`BodyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId(pub(crate) u32);

impl BodyId {
    /// Its number in the scene, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ColliderId {
    /// Its number in the scene, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
