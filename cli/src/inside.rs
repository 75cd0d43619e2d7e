//! How deep deformable bodies are in the surfaces of colliders and of rigid bodies.

use serde::{Deserialize, Serialize};

/// Depth, metres, from which on a body is told to be in the surface of a collider or rigid body: a hundredth of a
/// millimetre.
pub(crate) const TOLD_DEPTH: f32 = 1e-5;

/// The rigid body or collider that something is in, by its name: in files `"rigid": "..."` or `"collider": "..."`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Solid {
    Rigid(String),
    Collider(String),
}

/// How deep a deformable body was in the surface of a rigid one or of a collider, metres, and when.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Inside {
    pub(crate) frame: u32,
    pub(crate) depth: f32,
    pub(crate) body: String,
    /// The deepest vertex; colliders meet triangles, too, and name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) vertex: Option<u32>,
    #[serde(flatten)]
    pub(crate) solid: Solid,
}

/// How deep bodies begin, and the deepest of a run, of those that are deeper than that.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Deepest {
    pub(crate) begins: Vec<Inside>,
    pub(crate) found: Option<Inside>,
}

impl Deepest {
    /// Adds those of a frame.
    pub(crate) fn add(&mut self, all: Vec<Inside>) {
        for inside in all {
            let same = |of: &&Inside| (&of.body, &of.solid) == (&inside.body, &inside.solid);
            let began = self.begins.iter().find(same).map_or(TOLD_DEPTH, |of| of.depth);
            if inside.depth > began && self.found.as_ref().is_none_or(|most| inside.depth > most.depth) {
                self.found = Some(inside);
            }
        }
    }
}
