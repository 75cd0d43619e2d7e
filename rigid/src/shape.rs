//! Shapes in their own frames.

use crate::packed::Packed;
use crate::triangles::Surface;
use std::sync::Arc;

/// A shape, convex but for [`Shape::Surface`]. Lengths are in metres and above 0 unless said; nothing here checks them:
/// who plans a scene does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// All with y <= 0; of a body that has no mass only.
    HalfSpace,
    /// A ball about the origin.
    Sphere {
        /// Its radius.
        radius: f32,
    },
    /// All within a radius of a segment along y about the origin.
    Capsule {
        /// The radius.
        radius: f32,
        /// Half the segment, >= 0.
        half_length: f32,
    },
    /// A box about the origin along the axes.
    Cuboid {
        /// Half its sides.
        half: [f32; 3],
    },
    /// A cylinder along y about the origin.
    Cylinder {
        /// Its radius.
        radius: f32,
        /// Half its height.
        half_height: f32,
    },
    /// A cone along y: its tip is above the origin and its base below, each half its height away.
    Cone {
        /// The radius of its base.
        radius: f32,
        /// Half its height.
        half_height: f32,
    },
    /// A polyhedron.
    Hull(Arc<Polyhedron>),
    /// Triangles; of a body that has no mass only. Bodies meet it by [`crate::surface::meet`].
    Surface(Arc<Surface>),
}

/// A convex polyhedron: vertices, and faces as loops of them, counter-clockwise seen from outside; coplanar triangles
/// are one face.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    pub(crate) parts: PolyhedronParts,
    /// The same in packs.
    pub(crate) packed: Packed,
}

/// The parts of a [`Polyhedron`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PolyhedronParts {
    /// Vertices, metres.
    pub(crate) vertices: Vec<[f32; 3]>,
    /// For each face its plane [unit normal outward, d]: n.x = d.
    pub(crate) planes: Vec<[f32; 4]>,
    /// For each face where its loop begins in `loops`, and where the last one ends.
    pub(crate) starts: Vec<u32>,
    /// Vertices of the loops.
    pub(crate) loops: Vec<u32>,
    /// Each edge once: its two vertices, and the two faces beside it (the first has the edge in this direction).
    pub(crate) edges: Vec<[u32; 4]>,
}

impl Polyhedron {
    /// Of parts that fit each other.
    pub(crate) fn of(parts: PolyhedronParts) -> Polyhedron {
        let packed = Packed::of(&parts.vertices, &parts.planes, &parts.edges);
        Polyhedron { parts, packed }
    }

    /// Its vertices, metres.
    #[must_use]
    pub fn vertices(&self) -> &[[f32; 3]] {
        &self.parts.vertices
    }
}

impl Shape {
    /// Of a ball or a capsule the radius, and half the length of its axis (0 of a ball), metres.
    #[inline]
    #[must_use]
    pub fn segment(&self) -> Option<[f32; 2]> {
        match *self {
            Shape::Sphere { radius } => Some([radius, 0.0]),
            Shape::Capsule { radius, half_length } => Some([radius, half_length]),
            _ => None,
        }
    }

    /// Whether it has flat faces alone, and is convex and bounded.
    #[must_use]
    pub fn is_polyhedron(&self) -> bool {
        matches!(self, Shape::Cuboid { .. } | Shape::Hull(_))
    }
}
