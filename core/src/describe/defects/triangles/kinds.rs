//! The table of kinds: the one list that a check, an error and JSON use.

use crate::tuning::MAX_COORDINATE;

/// A kind of defect of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// More vertices or triangles than 32-bit ids can name. Nothing else is looked for then.
    TooLarge,
    /// Vertices with a coordinate that is NaN or infinite.
    NonFinite,
    /// Vertices with a finite coordinate beyond [`MAX_COORDINATE`].
    TooFar,
    /// Triangles with an index that no vertex has.
    IndexOutOfRange,
    /// Triangles with one vertex at two corners.
    RepeatedCorner,
    /// Triangles without area: the height is at most [`MIN_TRIANGLE_HEIGHT`](crate::limits::MIN_TRIANGLE_HEIGHT)
    /// times the longest side.
    Degenerate,
    /// Triangles with the three vertices of an earlier one, in any order.
    Duplicate,
    /// Edges with more than two triangles.
    NonManifoldEdge,
    /// Vertices that no triangle with three distinct corners in range uses.
    IsolatedVertex,
    /// Vertices at exactly the place of an earlier one.
    CoincidentVertices,
    /// Edges whose two triangles run through them in the same direction.
    InconsistentOrientation,
    /// Edges with one triangle.
    BoundaryEdge,
    /// Vertices at which several fans of triangles touch that share no edge there.
    PinchedVertex,
    /// Connected pieces, if there are more than one.
    SeveralPieces,
}

/// A row of the table: kind, name, whether it forbids planning a cloth, remedy.
type Row = (Defect, &'static str, bool, &'static str);

const _: () = assert!(MAX_COORDINATE == 1.0e6, "a remedy below names the limit");

/// In the order of the enum, errors first.
#[rustfmt::skip]
const TABLE: [Row; 14] = [
    (Defect::TooLarge, "mesh too large", true, "split it: ids have 32 bits"),
    (Defect::NonFinite, "non-finite vertex", true, "export the mesh again, or repair it: that drops these vertices and their triangles"),
    (Defect::TooFar, "vertex too far out", true, "move or scale the mesh: coordinates are metres, 1e6 at most; no repair does that"),
    (Defect::IndexOutOfRange, "index out of range", true, "export the mesh again, or repair it: that drops these triangles"),
    (Defect::RepeatedCorner, "repeated corner", true, "delete these triangles, or repair the mesh: that drops them"),
    (Defect::Degenerate, "degenerate triangle", true, "collapse an edge of each, or repair the mesh: that drops them"),
    (Defect::Duplicate, "duplicate triangle", true, "delete the copies, or repair the mesh: that keeps the first of each"),
    (Defect::NonManifoldEdge, "non-manifold edge", true, "separate the sheets that meet there, or repair the mesh: that keeps two triangles an edge"),
    (Defect::IsolatedVertex, "isolated vertex", true, "delete these vertices, or repair the mesh: they would have no mass"),
    (Defect::CoincidentVertices, "coincident vertex", true, "merge by distance, or repair the mesh: a seam of vertices that stand twice falls open"),
    // Distances and angles are per edge and need no side: a cloth runs, and only shading and pressure see it.
    (Defect::InconsistentOrientation, "inconsistent orientation", false, "recalculate the normals if the mesh is to be shaded or inflated"),
    (Defect::BoundaryEdge, "boundary edge", false, "nothing for a cloth; close the mesh if it is to hold a volume"),
    // Mass and constraints are well defined; it is what makes the Euler characteristic of a closed mesh odd.
    (Defect::PinchedVertex, "pinched vertex", false, "nothing, if the parts are meant to hang together at one point; else split the vertex"),
    (Defect::SeveralPieces, "several pieces", false, "nothing, if they are meant to move apart"),
];

super::super::kinds!(Defect, TABLE);
