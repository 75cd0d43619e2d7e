//! Fixed surfaces of triangles: their neighbours, and a tree of boxes to find those near a body.

pub(crate) mod tree;

use crate::tuning::{CLIP_SLACK, CLIP_SLACK_SHARE, SHARP_EDGE};
use crate::vector::{V, unit};
use seidel_kernels::V3;
use std::fmt;
use tree::Tree;

/// Triangles, counter-clockwise seen from outside, in their own frame.
#[derive(Clone, PartialEq)]
pub struct Surface {
    pub(crate) vertices: Vec<[f32; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// For each vertex where its neighbours begin in `ring`, and where the last one's end.
    pub(crate) starts: Vec<u32>,
    pub(crate) ring: Vec<u32>,
    /// Of each triangle whether it has contacts along its own normal only.
    pub(crate) smooth: Vec<bool>,
    pub(crate) tree: Tree,
    /// Whether all below is solid, without end: what is below a triangle is pushed up, however deep. Else what is
    /// behind is not inside.
    pub(crate) deep: bool,
    /// How far the surface that is met lies outside of the triangles, metres.
    pub(crate) offset: f32,
}

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vertices, triangles, deep, offset, .. } = self;
        let mut f = f.debug_struct("Surface");
        f.field("vertices", &vertices.len()).field("triangles", &triangles.len());
        f.field("deep", deep).field("offset", offset).finish_non_exhaustive()
    }
}

impl Surface {
    /// A surface of triangles. Vertices in one place are one; triangles without an area are left out. None where
    /// nothing is left, or a triangle names a vertex that is not there or not finite.
    #[must_use]
    pub fn new(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Option<Surface> {
        let finite = |v: &u32| vertices.get(*v as usize).is_some_and(|x| x.iter().all(|c| c.is_finite()));
        if !triangles.iter().flatten().all(finite) {
            return None;
        }
        let same = welded(vertices);
        let at = |v: u32| V3::<f64>::set(vertices[v as usize].map(f64::from));
        let has_area = |&[a, b, c]: &[u32; 3]| unit((at(b) - at(a)).cross(at(c) - at(a))).is_some();
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| same[v as usize])).filter(has_area).collect();
        if triangles.is_empty() {
            return None;
        }
        let (starts, ring) = rings(vertices.len(), &triangles);
        let tree = Tree::new(vertices, &triangles);
        let smooth = smooth(vertices, &triangles);
        Some(Surface { vertices: vertices.to_vec(), triangles, starts, ring, smooth, tree, deep: false, offset: 0.0 })
    }

    /// All below it is solid.
    #[must_use]
    pub fn deep(mut self) -> Surface {
        self.deep = true;
        self
    }

    /// The surface that bodies meet lies so far outside of the triangles, metres.
    #[must_use]
    pub fn offset(mut self, offset: f32) -> Surface {
        self.offset = offset;
        self
    }

    /// How far it reaches from its origin along each of its axes, metres.
    pub(crate) fn half(&self) -> [f32; 3] {
        self.tree.half().map(|c| c + self.offset)
    }

    pub(crate) fn vertex(&self, v: u32) -> V {
        V3::set(self.vertices[v as usize].map(f64::from))
    }

    /// The vertices beside one.
    pub(crate) fn around(&self, v: u32) -> &[u32] {
        &self.ring[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }

    /// Whether nothing beside what a body touches of a triangle is farther along a unit vector: a corner, an edge, or the
    /// edges at the point that is touched where all of the triangle is as far.
    pub(crate) fn supports(&self, corners: [u32; 3], along: V, point: V) -> bool {
        let at = corners.map(|v| self.vertex(v));
        let heights = at.map(|p| along.dot(p));
        let most = heights.into_iter().fold(f64::NEG_INFINITY, |most, h| if h > most { h } else { most });
        let size = (at[1] - at[0]).length() + (at[2] - at[0]).length();
        let farthest = heights.map(|h| h >= most - SHARP_EDGE * 0.1 * size);
        let edges = (0..3).map(|k| (k, (k + 1) % 3)).filter(|&(k, next)| farthest[k] && farthest[next]);
        match farthest.into_iter().filter(|&farthest| farthest).count() {
            0 | 1 => (0..3).filter(|&k| farthest[k]).all(|k| self.corner_supports(corners[k], along)),
            count => edges
                .filter(|&(k, next)| count == 2 || lies_on(point, [at[k], at[next]]))
                .all(|(k, next)| self.edge_supports([corners[k], corners[next]], along)),
        }
    }

    /// Whether no vertex beside one is farther along a unit vector.
    pub(crate) fn corner_supports(&self, corner: u32, along: V) -> bool {
        let at = self.vertex(corner);
        self.around(corner).iter().all(|&v| {
            let side = self.vertex(v) - at;
            along.dot(side) <= SHARP_EDGE * side.length()
        })
    }

    /// Whether nothing beside both ends of an edge is farther along a unit vector across it: the corners of its two
    /// triangles. What lies beside one end alone does not count: where the ground rises beyond an end of a ridge (a
    /// saddle), the ridge holds what lies on it.
    pub(crate) fn edge_supports(&self, [from, to]: [u32; 2], along: V) -> bool {
        let at = self.vertex(from);
        let beyond = self.around(to);
        self.around(from).iter().filter(|&v| beyond.binary_search(v).is_ok()).all(|&v| {
            let side = self.vertex(v) - at;
            along.dot(side) <= SHARP_EDGE * side.length()
        })
    }
}

/// Whether a point is on the line of an edge, as far as clipping could tell.
fn lies_on(point: V, [from, to]: [V; 2]) -> bool {
    let length = (to - from).length();
    let slack = f64::from(CLIP_SLACK).min(f64::from(CLIP_SLACK_SHARE) * length);
    (point - from).cross(to - from).length() <= slack * length
}

/// For each vertex the first in the same place.
fn welded(vertices: &[[f32; 3]]) -> Vec<u32> {
    // Adding 0 makes one of both zeros.
    let key = |v: usize| vertices[v].map(|c| (c + 0.0).to_bits());
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by_key(|&v| (key(v as usize), v));
    let mut same: Vec<u32> = (0..vertices.len() as u32).collect();
    for pair in order.windows(2) {
        let (before, v) = (pair[0] as usize, pair[1] as usize);
        if key(before) == key(v) {
            same[v] = same[before];
        }
    }
    same
}

/// Neighbours of each vertex along edges, each once, ascending.
fn rings(vertices: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, a], [b, c], [c, b], [c, a], [a, c]];
    let mut pairs: Vec<[u32; 2]> = triangles.iter().flat_map(sides).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut starts = vec![0u32; vertices + 1];
    pairs.iter().for_each(|[v, _]| starts[*v as usize + 1] += 1);
    for v in 0..vertices {
        starts[v + 1] += starts[v];
    }
    (starts, pairs.into_iter().map(|[_, other]| other).collect())
}

/// Of each triangle whether none of its corners is on an edge that sticks out or on a border.
fn smooth(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<bool> {
    let at = |v: u32| V3::<f64>::set(vertices[v as usize].map(f64::from));
    let normal = |[a, b, c]: [u32; 3]| unit((at(b) - at(a)).cross(at(c) - at(a))).unwrap_or(V3::zero());
    // Sides by their lower vertex, with the triangle and the corner that is across.
    let mut sides: Vec<([u32; 2], u32, u32)> = Vec::with_capacity(3 * triangles.len());
    for (number, &[a, b, c]) in triangles.iter().enumerate() {
        for [from, to, across] in [[a, b, c], [b, c, a], [c, a, b]] {
            sides.push((if from < to { [from, to] } else { [to, from] }, number as u32, across));
        }
    }
    sides.sort_unstable();
    let mut sharp = vec![false; vertices.len()];
    for of_edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let level = match *of_edge {
            [(_, one, _), (_, two, across)] => {
                let (n, side) = (normal(triangles[one as usize]), at(across) - at(of_edge[0].0[0]));
                // Two that lie back to back are an edge, too.
                let turned = n.dot(normal(triangles[two as usize])) < 0.0;
                !turned && n.dot(side) > -SHARP_EDGE * side.length()
            }
            _ => false,
        };
        if !level {
            of_edge[0].0.iter().for_each(|&v| sharp[v as usize] = true);
        }
    }
    triangles.iter().map(|t| t.iter().all(|&v| !sharp[v as usize])).collect()
}
