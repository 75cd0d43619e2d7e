//! The table of kinds: the one list that a check, an error and JSON use.

use crate::tuning::MAX_COORDINATE;

/// A kind of defect of a mesh of tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// More vertices or tetrahedra than 32-bit ids can name. Nothing else is looked for then.
    TooLarge,
    /// Vertices with a coordinate that is NaN or infinite.
    NonFinite,
    /// Vertices with a finite coordinate beyond [`MAX_COORDINATE`].
    TooFar,
    /// Tetrahedra with an index that no vertex has.
    IndexOutOfRange,
    /// Tetrahedra with one vertex at two corners.
    RepeatedCorner,
    /// Tetrahedra without volume: the least height is at most [`MIN_TET_HEIGHT`](crate::limits::MIN_TET_HEIGHT) times
    /// the longest edge.
    Flat,
    /// Tetrahedra of negative volume, by an exact test.
    Inverted,
    /// Tetrahedra with the four vertices of an earlier one, in any order.
    Duplicate,
    /// Faces with more than two tetrahedra.
    CrowdedFace,
    /// Vertices that no tetrahedron with four distinct corners in range uses.
    UnusedVertex,
    /// Faces whose two tetrahedra are on the same side. Inverted and flat ones have no side.
    FoldedFace,
}

/// A row of the table: kind, name, whether it forbids making a body, remedy.
type Row = (Defect, &'static str, bool, &'static str);

const _: () = assert!(MAX_COORDINATE == 1.0e6, "a remedy below names the limit");

/// In the order of the enum, errors first.
#[rustfmt::skip]
const TABLE: [Row; 11] = [
    (Defect::TooLarge, "mesh too large", true, "split it: ids have 32 bits"),
    (Defect::NonFinite, "non-finite vertex", true, "export the mesh again, or repair it: that drops these vertices and their tetrahedra"),
    (Defect::TooFar, "vertex too far out", true, "move or scale the mesh: coordinates are metres, 1e6 at most; no repair does that"),
    (Defect::IndexOutOfRange, "index out of range", true, "export the mesh again, or repair it: that drops these tetrahedra"),
    (Defect::RepeatedCorner, "repeated corner", true, "delete these tetrahedra, or repair the mesh: that drops them"),
    (Defect::Flat, "flat tetrahedron", true, "mesh the volume again with a bound on quality, or repair it: that drops them"),
    (Defect::Inverted, "inverted tetrahedron", true, "swap two corners of each, or repair the mesh: that does so"),
    (Defect::Duplicate, "duplicate tetrahedron", true, "delete the copies, or repair the mesh: that keeps the first of each"),
    (Defect::CrowdedFace, "crowded face", true, "separate the parts that meet there, or repair the mesh: that keeps two tetrahedra a face"),
    (Defect::UnusedVertex, "unused vertex", true, "delete these vertices, or repair the mesh: they would have no mass"),
    // Volumes and masses are well defined, and nothing but a picture tells that two tetrahedra share a place.
    (Defect::FoldedFace, "folded face", false, "mesh the volume again: two tetrahedra overlap there"),
];

super::super::kinds!(Defect, TABLE);
