//! A convex polyhedron as the routines of this module see it, so that a box is one without an allocation.

use crate::Polyhedron;
use crate::packed::{EdgePlanes, FAR_PLANE, Planes, Vertices, edge_planes, pack};
use seidel_kernels::V3;

/// Corners of a face against another that are looked at.
pub(super) const MOST_CORNERS: usize = 32;

/// Each how many of `count` corners there is one of at most [`MOST_CORNERS`].
#[inline(always)]
pub(super) fn every(count: usize) -> usize {
    count.div_ceil(MOST_CORNERS) + usize::from(count == 0)
}

/// The slices of a [`Polyhedron`], or of a box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Faces<'a> {
    pub(super) vertices: &'a [[f32; 3]],
    pub(super) planes: &'a [[f32; 4]],
    starts: &'a [u32],
    loops: &'a [u32],
    pub(super) edges: &'a [[u32; 4]],
}

impl<'a> Faces<'a> {
    #[inline(always)]
    pub(super) fn of(hull: &'a Polyhedron) -> Self {
        let parts = &hull.parts;
        Faces {
            vertices: &parts.vertices,
            planes: &parts.planes,
            starts: &parts.starts,
            loops: &parts.loops,
            edges: &parts.edges,
        }
    }

    /// A vertex. A hull made by hand may name one that is not there; it is the origin then.
    #[inline(always)]
    pub(super) fn vertex(&self, index: u32) -> V3<f32> {
        self.vertices.get(index as usize).map_or(V3::zero(), |v| V3::set(*v))
    }

    /// The normal of a face and its distance from the origin.
    #[inline(always)]
    pub(super) fn plane(&self, face: u32) -> (V3<f32>, f32) {
        self.planes.get(face as usize).map_or((V3::zero(), 0.0), |[x, y, z, d]| (V3::new(*x, *y, *z), *d))
    }

    /// The vertices of a face, counter-clockwise.
    #[inline(always)]
    pub(super) fn loop_of(&self, face: u32) -> &'a [u32] {
        let at = face as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(from), Some(to)) => self.loops.get(*from as usize..*to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// At most [`MOST_CORNERS`] of the vertices of a face with their numbers in its loop: all, or every second, third
    /// ... from `first` on.
    #[inline(always)]
    pub(super) fn corners(&self, face: u32, first: u32) -> impl Iterator<Item = (usize, u32)> + use<'a> {
        let ring = self.loop_of(face);
        let stride = every(ring.len());
        let start = if stride > 1 { ring.iter().position(|v| *v == first).unwrap_or(0) } else { 0 };
        let taken = (0..ring.len()).step_by(stride);
        taken
            .map(move |k| if start + k < ring.len() { start + k } else { start + k - ring.len() })
            .map(|k| (k, ring[k]))
    }

    /// The vertex that is lowest along a direction, and how high it is; the first of equal ones.
    #[inline(always)]
    pub(super) fn lowest(&self, direction: V3<f32>) -> (u32, f32) {
        let mut lowest = (0, f32::INFINITY);
        for (index, v) in self.vertices.iter().enumerate() {
            let height = direction.dot(V3::set(*v));
            if height < lowest.1 {
                lowest = (index as u32, height);
            }
        }
        lowest
    }

    /// Of the faces at a vertex the one that looks most against a direction.
    pub(super) fn face_against(&self, direction: V3<f32>, vertex: u32) -> u32 {
        let mut best = (0, f32::INFINITY);
        for &[v0, v1, f0, f1] in self.edges {
            if v0 != vertex && v1 != vertex {
                continue;
            }
            for face in [f0, f1] {
                let along = direction.dot(self.plane(face).0);
                if along < best.1 || (along == best.1 && face < best.0) {
                    best = (face, along);
                }
            }
        }
        best.0
    }
}

/// A polyhedron, or a box, also in packs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedFaces<'a> {
    pub(super) faces: Faces<'a>,
    pub(super) vertices: &'a [Vertices],
    pub(super) planes: &'a [Planes],
    pub(super) edges: &'a [EdgePlanes],
}

impl<'a> PackedFaces<'a> {
    #[inline(always)]
    pub(super) fn of(hull: &'a Polyhedron) -> Self {
        let packed = &hull.packed;
        PackedFaces { faces: Faces::of(hull), vertices: &packed.vertices, planes: &packed.planes, edges: &packed.edges }
    }
}

/// A box in packs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedBox {
    faces: BoxFaces,
    vertices: [Vertices; 1],
    planes: [Planes; 1],
    edges: [EdgePlanes; 1],
}

impl PackedBox {
    pub(super) fn new(half: [f32; 3]) -> Self {
        let faces = BoxFaces::new(half);
        let (vertices, planes) = (&faces.vertices, &faces.planes);
        PackedBox {
            vertices: [pack(vertices, vertices[0])],
            planes: [pack(planes, FAR_PLANE)],
            edges: [edge_planes(&BOX_EDGES, planes)],
            faces,
        }
    }

    pub(super) fn faces(&self) -> PackedFaces<'_> {
        PackedFaces { faces: self.faces.faces(), vertices: &self.vertices, planes: &self.planes, edges: &self.edges }
    }
}

/// A box as a polyhedron. Vertex 4 (x > 0) + 2 (y > 0) + (z > 0); face 2 axis + (positive).
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxFaces {
    vertices: [[f32; 3]; 8],
    planes: [[f32; 4]; 6],
}

impl BoxFaces {
    #[inline(always)]
    pub(super) fn new([x, y, z]: [f32; 3]) -> Self {
        let vertices =
            [[-x, -y, -z], [-x, -y, z], [-x, y, -z], [-x, y, z], [x, -y, -z], [x, -y, z], [x, y, -z], [x, y, z]];
        let planes = [
            [-1.0, 0.0, 0.0, x],
            [1.0, 0.0, 0.0, x],
            [0.0, -1.0, 0.0, y],
            [0.0, 1.0, 0.0, y],
            [0.0, 0.0, -1.0, z],
            [0.0, 0.0, 1.0, z],
        ];
        BoxFaces { vertices, planes }
    }

    #[inline(always)]
    pub(super) fn faces(&self) -> Faces<'_> {
        Faces {
            vertices: &self.vertices,
            planes: &self.planes,
            starts: &[0, 4, 8, 12, 16, 20, 24],
            loops: &BOX_LOOPS,
            edges: &BOX_EDGES,
        }
    }
}

#[rustfmt::skip]
static BOX_LOOPS: [u32; 24] = [
    0, 1, 3, 2,  4, 6, 7, 5,
    0, 4, 5, 1,  2, 3, 7, 6,
    0, 2, 6, 4,  1, 5, 7, 3,
];

#[rustfmt::skip]
static BOX_EDGES: [[u32; 4]; 12] = [
    [0, 1, 0, 2], [1, 3, 0, 5], [3, 2, 0, 3], [2, 0, 0, 4],
    [4, 6, 1, 4], [6, 7, 1, 3], [7, 5, 1, 5], [5, 4, 1, 2],
    [0, 4, 2, 4], [5, 1, 2, 5], [3, 7, 3, 5], [6, 2, 3, 4],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_the_box_agree() {
        let solid = BoxFaces::new([1.0, 2.0, 3.0]);
        let faces = solid.faces();
        for face in 0..6 {
            let (normal, d) = faces.plane(face);
            let ring = faces.loop_of(face);
            for k in 0..4 {
                let [p, q, r] = [0, 1, 2].map(|next| faces.vertex(ring[(k + next) % 4]));
                assert_eq!(normal.dot(p), d);
                assert!((q - p).cross(r - q).dot(normal) > 0.0, "face {face} is not counter-clockwise");
                let found = faces.edges.iter().filter(|[from, to, f, g]| {
                    let (u, v) = (ring[k], ring[(k + 1) % 4]);
                    ([*from, *to, *f] == [u, v, face]) || ([*to, *from, *g] == [u, v, face])
                });
                assert_eq!(found.count(), 1);
            }
        }
    }
}
