//! All tables of bodies, as a scene goes through them.

use super::attach::Worn;
use super::geometry::Files;
use super::{SceneSpec, label};
use crate::recipe::Recipe;

/// A table that makes a body.
pub(super) trait BodyTable {
    /// The file of the surface that it is, and whether that is repaired.
    fn surface(&self) -> Option<(&str, bool)> {
        None
    }

    /// The body; `of` is what errors call it, `worn` are the scene's obstacles.
    fn build(&self, of: &str, files: &mut Files, worn: &[Worn]) -> Result<Recipe, String>;
}

/// The keys of a scene that are arrays of tables: those of bodies, in the order in which bodies are numbered, and the others.
macro_rules! tables {
    (bodies: $($body:ident),+; others: $($other:ident),+) => {
        impl SceneSpec {
            /// Keys of the tables of bodies, in the order in which these are numbered; obstacles come after them.
            pub const BODIES: &[&str] = &[$(stringify!($body)),+];

            /// Keys of all arrays of tables.
            pub const TABLES: &[&str] = &[$(stringify!($body)),+, $(stringify!($other)),+];

            /// Number of bodies, before obstacles.
            #[must_use]
            pub fn bodies(&self) -> usize {
                0 $(+ self.$body.len())+
            }

            /// Tables of bodies in their order, each with what errors call it.
            pub(super) fn body_tables(&self) -> impl Iterator<Item = (String, &dyn BodyTable)> {
                std::iter::empty()$(.chain(self.$body.iter().enumerate().map(|(i, table)| {
                    (label(stringify!($body), &table.name, i), table as &dyn BodyTable)
                })))+
            }
        }
    };
}

tables! {
    bodies: cloth, rope, rod, balloon, soft, jelly;
    others: obstacle, join, collider
}

impl SceneSpec {
    /// Files of bodies with the number of the body that each is the surface of, and whether it is repaired; in the order of the
    /// bodies. A solid's is that of its skin.
    pub fn surfaces(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        let obstacles = self.obstacle.iter().map(|obstacle| Some((obstacle.mesh.as_deref()?, false)));
        let all = self.body_tables().map(|(_, table)| table.surface()).chain(obstacles);
        all.enumerate().filter_map(|(body, surface)| surface.map(|(file, repair)| (body, file, repair)))
    }

    /// All files that it names.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let surfaces = self.surfaces().map(|(_, file, _)| file);
        let solids = self.jelly.iter().filter_map(|jelly| jelly.mesh.as_deref());
        let frames = self.obstacle.iter().flat_map(|obstacle| obstacle.frames.iter().map(String::as_str));
        let colliders = self.collider.iter().filter_map(|collider| collider.file.as_deref());
        surfaces.chain(solids).chain(frames).chain(colliders)
    }
}
