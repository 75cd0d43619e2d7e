//! What may be wrong with a mesh: kinds of defects, where they are, and how they are told.

pub(crate) mod tets;
pub(crate) mod triangles;
