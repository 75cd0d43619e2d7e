//! How deep two convex cores are in each other: the face of A - B that is nearest to the origin, found by growing a
//! polytope inside it (van den Bergen 2001, "Proximity Queries and Penetration Depth Computation on 3D Game Objects").

use super::gjk::{NO_VERTEX, Simplex, Vertex, farthest};
use super::pair::NearestPair;
use super::support::Convex;
use crate::vector::{V, unit};
use seidel_kernels::V3;

const VERTICES: usize = 96;
const FACES: usize = 2 * VERTICES;
const EDGES: usize = 3 * VERTICES;

/// A share of the extent: what a face may be below the surface. A cylinder's normal is off by the root of twice this.
const CLOSE: f64 = 1e-10;
/// Likewise, below which a point is in a plane.
const FLAT: f64 = 1e-13;

#[derive(Clone, Copy)]
struct Face {
    corners: [usize; 3],
    normal: V,
    distance: f64,
}

const NO_FACE: Face = Face { corners: [0; 3], normal: V { x: 0.0, y: 0.0, z: 0.0 }, distance: 0.0 };

struct Polytope {
    vertices: [Vertex; VERTICES],
    vertex_count: usize,
    faces: [Face; FACES],
    face_count: usize,
    extent: f64,
}

/// None where A - B is flat: a triangle and a segment along it.
pub(super) fn depth(a: &Convex<'_>, b: &Convex<'_>, simplex: &Simplex) -> Option<NearestPair> {
    let mut polytope = Polytope::around(a, b, simplex)?;
    loop {
        let nearest = polytope.nearest();
        let Face { normal, distance, .. } = nearest;
        let next = farthest(a, b, normal);
        if normal.dot(next.w) - distance <= CLOSE * polytope.extent || !polytope.grow(next) {
            return Some(polytope.pair(&nearest));
        }
    }
}

impl Polytope {
    /// A tetrahedron of points of A - B with those of the simplex.
    fn around(a: &Convex<'_>, b: &Convex<'_>, simplex: &Simplex) -> Option<Polytope> {
        let mut found = [NO_VERTEX; 4];
        let mut count = 0;
        let mut extent = 0.0;
        let axes: [V; 3] = [V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)];
        let around = axes.into_iter().flat_map(|axis| [axis, -axis]).map(|axis| farthest(a, b, axis));
        let mut all = [NO_VERTEX; 10];
        let mut known = 0;
        for vertex in simplex.vertices[..simplex.count].iter().copied().chain(around) {
            extent = larger(extent, vertex.w.length());
            all[known] = vertex;
            known += 1;
        }
        let mut take = |vertex: Vertex| {
            if count < 4 && is_apart(&found[..count], vertex.w, FLAT.sqrt() * extent) {
                found[count] = vertex;
                count += 1;
            }
            count
        };
        for vertex in &all[..known] {
            take(*vertex);
        }
        if take(all[0]) == 3 {
            let normal = unit((found[1].w - found[0].w).cross(found[2].w - found[0].w))?;
            for along in [normal, -normal] {
                let vertex = farthest(a, b, along);
                if count < 4 && is_apart(&found[..count], vertex.w, FLAT.sqrt() * extent) {
                    found[count] = vertex;
                    count += 1;
                }
            }
        }
        if count < 4 {
            return None;
        }
        let [p, q, r, s] = found.map(|vertex| vertex.w);
        if (q - p).cross(r - p).dot(s - p) > 0.0 {
            found.swap(1, 2);
        }
        let mut polytope = Polytope {
            vertices: [NO_VERTEX; VERTICES],
            vertex_count: 4,
            faces: [NO_FACE; FACES],
            face_count: 0,
            extent,
        };
        polytope.vertices[..4].copy_from_slice(&found);
        for corners in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
            let face = polytope.face(corners)?;
            polytope.add(face);
        }
        Some(polytope)
    }

    fn face(&self, corners: [usize; 3]) -> Option<Face> {
        let [p, q, r] = corners.map(|k| self.vertices[k].w);
        let normal = unit((q - p).cross(r - p))?;
        Some(Face { corners, normal, distance: normal.dot(p) })
    }

    fn add(&mut self, face: Face) -> bool {
        let room = self.face_count < FACES;
        if room {
            self.faces[self.face_count] = face;
            self.face_count += 1;
        }
        room
    }

    /// The face that is nearest to the origin; the first of several.
    fn nearest(&self) -> Face {
        let mut best = self.faces[0];
        for face in &self.faces[1..self.face_count] {
            if face.distance < best.distance {
                best = *face;
            }
        }
        best
    }

    /// Adds a vertex: the faces that see it give way to those between it and their border. False where nothing more can
    /// be gained.
    fn grow(&mut self, vertex: Vertex) -> bool {
        if self.vertex_count == VERTICES {
            return false;
        }
        let mut edges = [[0; 2]; EDGES];
        let mut edge_count = 0;
        let mut kept = 0;
        let mut faces = self.faces;
        for index in 0..self.face_count {
            let face = self.faces[index];
            if face.normal.dot(vertex.w) - face.distance <= FLAT * self.extent {
                faces[kept] = face;
                kept += 1;
                continue;
            }
            let [i, j, k] = face.corners;
            for [from, to] in [[i, j], [j, k], [k, i]] {
                // An edge between two that go is no border.
                match edges[..edge_count].iter().position(|edge| *edge == [to, from]) {
                    Some(known) => {
                        edge_count -= 1;
                        edges[known] = edges[edge_count];
                    }
                    None if edge_count < EDGES => {
                        edges[edge_count] = [from, to];
                        edge_count += 1;
                    }
                    None => return false,
                }
            }
        }
        if kept == self.face_count {
            return false;
        }
        let (before, count) = (self.faces, self.face_count);
        (self.faces, self.face_count) = (faces, kept);
        self.vertices[self.vertex_count] = vertex;
        for [from, to] in &edges[..edge_count] {
            let added = self.face([*from, *to, self.vertex_count]).is_some_and(|face| self.add(face));
            if !added {
                (self.faces, self.face_count) = (before, count);
                return false;
            }
        }
        self.vertex_count += 1;
        true
    }

    /// The points of A and B below a face's point that is nearest to the origin.
    fn pair(&self, face: &Face) -> NearestPair {
        let corners = face.corners.map(|k| self.vertices[k]);
        let [p, q, r] = corners.map(|corner| corner.w);
        let foot = face.normal * face.distance;
        let area = |a: V, b: V| (a - foot).cross(b - foot).dot(face.normal);
        let weights = [area(q, r), area(r, p), area(p, q)];
        let whole = (weights[0] + weights[1]) + weights[2];
        let at = |of: fn(&Vertex) -> V| {
            let [p, q, r] = corners.each_ref().map(of);
            ((p * weights[0] + q * weights[1]) + r * weights[2]) * (1.0 / whole)
        };
        NearestPair { normal: face.normal, separation: -face.distance, a: at(|v| v.a), b: at(|v| v.b) }
    }
}

/// Whether a point is off the point, line or plane of the others.
fn is_apart(others: &[Vertex], p: V, least: f64) -> bool {
    match *others {
        [] => true,
        [a] => (p - a.w).length() > least,
        [a, b] => unit(b.w - a.w).is_some_and(|along| (p - a.w).cross(along).length() > least),
        [a, b, c, ..] => unit((b.w - a.w).cross(c.w - a.w)).is_some_and(|normal| normal.dot(p - a.w).abs() > least),
    }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}
