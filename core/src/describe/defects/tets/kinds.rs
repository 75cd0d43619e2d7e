//! The table of kinds: the one list that a check, an error and JSON use.

use crate::tuning::MAX_COORDINATE;
use serde::{Serialize, Serializer};
use std::fmt;

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
    /// Tetrahedra without volume: the least height is at most [`MIN_TET_HEIGHT`](crate::tuning::MIN_TET_HEIGHT) times the
    /// longest edge.
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

impl Defect {
    /// All kinds, errors first.
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::TooLarge; TABLE.len()];
        let mut k = 0;
        while k < TABLE.len() {
            all[k] = TABLE[k].0;
            assert!(all[k] as usize == k, "the table is in the order of the enum");
            k += 1;
        }
        all
    };

    /// What it is called in reports and in JSON, in the singular.
    #[must_use]
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Whether it forbids making a body.
    #[must_use]
    pub fn is_fatal(self) -> bool {
        TABLE[self as usize].2
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        TABLE[self as usize].3
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Defect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
