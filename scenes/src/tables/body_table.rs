//! What a table of a body says to its scene.

use super::attach::Worn;
use super::geometry::Files;
use seidel::memory::Need;
use seidel::{Pose, Recipe, Scale};

/// A table that makes a body.
pub(super) trait BodyTable {
    /// The file of the surface that it is, and whether that is repaired.
    fn surface(&self) -> Option<(&str, bool)> {
        None
    }

    /// Where a mesh of a file is put, and its scale before that; none where the table says this by points.
    fn placed(&self) -> Option<(Pose, Scale)>;

    /// Whether a key of it names a group or a painted attribute of that file.
    fn names_maps(&self) -> bool;

    /// What its keys make it need, and the key that does most, where this can be told before it is made.
    fn need(&self) -> Option<(&'static str, Need)> {
        None
    }

    /// The body; `of` is what errors call it, `worn` are the scene's obstacles.
    fn build(&self, of: &str, files: &mut Files, worn: &[Worn]) -> Result<Recipe, String>;
}

/// A table of a body in its scene.
pub(super) struct Entry<'a> {
    pub(super) what: &'static str,
    /// Among those of its key.
    pub(super) number: usize,
    pub(super) name: &'a str,
    pub(super) table: &'a dyn BodyTable,
}
