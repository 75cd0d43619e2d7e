//! Polyhedron against polyhedron: all faces, and the pairs of edges whose arcs on the Gauss map cross (Gregorius 2013,
//! "The Separating Axis Test between Convex Polyhedra"); then as for boxes.

use super::clip::{Polygon, Reference, cut_side, feature};
use super::closest::{of_segments, on_face, side_planes};
use super::faces::Faces;
use super::faces::{MOST_CORNERS, every};
use super::point::{Manifold, Transform};
use super::sphere::touch;
use crate::tuning::{NEAR_AXIS, NEARLY_PARALLEL, PARALLEL, gain, near_gain};
use seidel_kernels::{Lanes, V3};

/// Corners of a clipped face, for each side that cuts adds at most one; and of the faces that most hulls have.
const CORNERS: usize = 2 * MOST_CORNERS;
const FEW: usize = 16;

/// A face of one solid, how far the other is above it, and the other's lowest vertex.
#[derive(Clone, Copy)]
struct FaceAxis {
    face: u32,
    separation: f32,
    lowest: u32,
}

/// Edges of A and B, the separation along their normal, and that normal.
#[derive(Clone, Copy)]
struct EdgeAxis {
    edges: (usize, usize),
    separation: f32,
    normal: V3<f32>,
}

pub(super) fn against_faces(a: Faces<'_>, b: Faces<'_>, b_in_a: &Transform, reach: f32) -> Manifold {
    let a_in_b = b_in_a.inverse();
    let Some(by_a) = face_axis(a, b, b_in_a, reach) else { return Manifold::NONE };
    let Some(by_b) = face_axis(b, a, &a_in_b, reach) else { return Manifold::NONE };

    // A's face unless B's is better, a face unless an edge is.
    let normal_a = a.plane(by_a.face).0;
    let normal_b = -b_in_a.turn(b.plane(by_b.face).0);
    let span = (normal_a.dot(b_in_a.at) - by_a.separation).abs();
    let enough = |near: bool| if near { near_gain(span) } else { gain(span) };
    let better = by_b.separation > by_a.separation + enough(normal_a.dot(normal_b) > NEAR_AXIS);
    let (face, normal) = if better { (by_b.separation, normal_b) } else { (by_a.separation, normal_a) };
    match edge_axis((a, by_b.lowest), (b, by_a.lowest), b_in_a, face + gain(span), reach) {
        Edges::BeyondReach => return Manifold::NONE,
        Edges::Best(axis) if axis.separation > face + enough(axis.normal.dot(normal) > NEAR_AXIS) => {
            return edge_on_edge(a, b, b_in_a, axis, reach);
        }
        Edges::Best(_) | Edges::Worse => {}
    }
    if better {
        on_the_face((b, by_b), a, &a_in_b, Reference::B, reach).swapped(b_in_a)
    } else {
        on_the_face((a, by_a), b, b_in_a, Reference::A, reach)
    }
}

/// The face that separates most; None if one separates by more than reach.
///
/// No face separates by more than any one vertex of the other solid is above it. The vertex that is lowest above the
/// best face so far rules out most of the others, and no more than this is asked of them.
fn face_axis(solid: Faces<'_>, other: Faces<'_>, other_in_solid: &Transform, reach: f32) -> Option<FaceAxis> {
    let above = |face: u32, p: V3<f32>| {
        let (normal, d) = solid.plane(face);
        normal.dot(p) - d
    };
    let faces = 0..solid.planes.len() as u32;
    let place = |vertex: u32| other_in_solid.point(other.vertex(vertex));
    // The vertex that is nearest along the line of centres, and the face it is most above.
    let mut witness = place(other.lowest(other_in_solid.turn_back(other_in_solid.at)).0);
    let mut first = (0, f32::NEG_INFINITY);
    for face in faces.clone() {
        let height = above(face, witness);
        if height > first.1 {
            first = (face, height);
        }
    }
    let mut best = FaceAxis { face: first.0, separation: f32::NEG_INFINITY, lowest: 0 };
    for face in [first.0].into_iter().chain(faces) {
        if !(above(face, witness) > best.separation) {
            continue;
        }
        let (normal, d) = solid.plane(face);
        let (lowest, height) = other.lowest(other_in_solid.turn_back(normal));
        let separation = (height + normal.dot(other_in_solid.at)) - d;
        if separation > reach {
            return None;
        }
        if separation > best.separation {
            best = FaceAxis { face, separation, lowest };
            witness = place(lowest);
        }
    }
    (best.separation <= reach && best.separation > f32::NEG_INFINITY).then_some(best)
}

/// What is asked of an edge again and again: its direction, a point on it, and the normals of its faces.
#[derive(Clone, Copy)]
struct Edge {
    along: V3<f32>,
    at: V3<f32>,
    normals: [V3<f32>; 2],
    index: usize,
}

impl Edge {
    /// None where no normal of this edge separates by more than `floor`: where a point of the other solid, the witness,
    /// is at most that high above both faces beside it. A normal between theirs is their sum with factors that add up
    /// to 1 or more.
    #[inline(always)]
    fn above(solid: Faces<'_>, index: usize, witness: V3<f32>, floor: f32) -> Option<Self> {
        let [v0, v1, f0, f1] = *solid.edges.get(index)?;
        let ((n0, d0), (n1, d1)) = (solid.plane(f0), solid.plane(f1));
        let height = (n0.dot(witness) - d0).larger(n1.dot(witness) - d1);
        (height > floor.smaller(0.0)).then(|| {
            let at = solid.vertex(v0);
            Edge { along: solid.vertex(v1) - at, at, normals: [n0, n1], index }
        })
    }
}

/// What the pairs of edges give.
enum Edges {
    BeyondReach,
    /// No pair separates by more than the floor.
    Worse,
    Best(EdgeAxis),
}

/// Edges of A that are made ready at once.
const BLOCK: usize = 32;

/// The pair of edges that separates most and by more than `floor`. With each solid a vertex of it that is low above the
/// other's faces.
fn edge_axis(
    (a, low_of_a): (Faces<'_>, u32),
    (b, low_of_b): (Faces<'_>, u32),
    b_in_a: &Transform,
    floor: f32,
    reach: f32,
) -> Edges {
    let witness_of_a = b_in_a.turn_back(a.vertex(low_of_a) - b_in_a.at);
    let witness_of_b = b_in_a.point(b.vertex(low_of_b));
    let mut best = Edges::Worse;
    let mut most = floor;
    let nothing = Edge { along: V3::zero(), at: V3::zero(), normals: [V3::zero(); 2], index: 0 };
    let mut next = 0;
    while next < a.edges.len() {
        let mut block = [nothing; BLOCK];
        let mut count = 0;
        while next < a.edges.len() && count < BLOCK {
            if let Some(edge) = Edge::above(a, next, witness_of_b, floor) {
                block[count] = edge;
                count += 1;
            }
            next += 1;
        }
        for index in 0..if count > 0 { b.edges.len() } else { 0 } {
            let Some(edge) = Edge::above(b, index, witness_of_a, floor) else { continue };
            let (along, at) = (b_in_a.turn(edge.along), b_in_a.point(edge.at));
            let edge = Edge { along, at, normals: edge.normals.map(|n| -b_in_a.turn(n)), ..edge };
            for of_a in &block[..count] {
                let Some((separation, normal, few_digits)) = normal_of_edges(of_a, &edge) else { continue };
                if !(separation > most.smaller(reach)) {
                    continue;
                }
                // Of edges that are nearly parallel the normal has few digits: what it separates is reckoned anew, with
                // all vertices.
                let separation = if few_digits { separation_along(normal, a, b, b_in_a) } else { separation };
                if separation > reach {
                    return Edges::BeyondReach;
                }
                if separation > most {
                    most = separation;
                    best = Edges::Best(EdgeAxis { edges: (of_a.index, edge.index), separation, normal });
                }
            }
        }
    }
    best
}

fn separation_along(normal: V3<f32>, a: Faces<'_>, b: Faces<'_>, b_in_a: &Transform) -> f32 {
    (normal.dot(b_in_a.at) + b.lowest(b_in_a.turn_back(normal)).1) + a.lowest(-normal).1
}

/// The separation along the normal of both edges, this, and whether it has few digits, if both solids are farthest
/// along it there. B's normals are turned about.
#[inline(always)]
fn normal_of_edges(a: &Edge, b: &Edge) -> Option<(f32, V3<f32>, bool)> {
    // The arcs between the normals of their faces cross: each has its ends on both sides of the other's circle, and
    // they are not on opposite sides of the sphere.
    let [n0, n1] = a.normals;
    let [m0, m1] = b.normals;
    let side = m0.dot(a.along);
    if !(side * m1.dot(a.along) < 0.0) {
        return None;
    }
    let other = n1.dot(b.along);
    if !(n0.dot(b.along) * other < 0.0 && side * other > 0.0) {
        return None;
    }
    let across = a.along.cross(b.along);
    let squared = across.length_squared();
    let long = a.along.length_squared() * b.along.length_squared();
    if !(squared > PARALLEL * long) {
        return None;
    }
    let scale = 1.0 / squared.sqrt();
    let normal = across * if across.dot(n0 + n1) < 0.0 { -scale } else { scale };
    Some((normal.dot(b.at - a.at), normal, squared < NEARLY_PARALLEL * long))
}

/// The points on a face of the first solid, in its frame.
fn on_the_face(
    (solid, axis): (Faces<'_>, FaceAxis),
    other: Faces<'_>,
    other_in_solid: &Transform,
    reference: Reference,
    reach: f32,
) -> Manifold {
    let normal = solid.plane(axis.face).0;
    let incident = other.face_against(other_in_solid.turn_back(normal), axis.lowest);
    let name = feature(reference, axis.face, incident);
    if solid.loop_of(axis.face).len() + other.loop_of(incident).len() <= FEW {
        clipped::<FEW>((solid, axis), (other, incident), other_in_solid, name, reach)
    } else {
        clipped::<CORNERS>((solid, axis), (other, incident), other_in_solid, name, reach)
    }
}

fn clipped<const N: usize>(
    (solid, FaceAxis { face, lowest, .. }): (Faces<'_>, FaceAxis),
    (other, incident): (Faces<'_>, u32),
    other_in_solid: &Transform,
    name: u32,
    reach: f32,
) -> Manifold {
    let (normal, d) = solid.plane(face);
    let mut polygon = Polygon::<N>::new();
    for (number, vertex) in other.corners(incident, lowest) {
        polygon.push(other_in_solid.point(other.vertex(vertex)), number as u32 & 127);
    }
    // Of a face with more sides every second, third ... cuts: corners may be outside by what a ring of 16 sides or more
    // bulges.
    let stride = every(solid.loop_of(face).len());
    for (k, (away, at, slack)) in side_planes(solid, face).enumerate() {
        if k % stride != 0 {
            continue;
        }
        polygon.cut(cut_side(k), |p| away.dot(p - at) - slack);
    }
    polygon.manifold(
        normal,
        name,
        reach,
        |p| normal.dot(p) - d,
        other_in_solid.point(other.vertex(lowest)),
        |p| on_face(solid, face, p),
    )
}

fn edge_on_edge(a: Faces<'_>, b: Faces<'_>, b_in_a: &Transform, axis: EdgeAxis, reach: f32) -> Manifold {
    let (index_a, index_b) = axis.edges;
    let (Some([a0, a1, ..]), Some([b0, b1, ..])) = (a.edges.get(index_a), b.edges.get(index_b)) else {
        return Manifold::NONE;
    };
    let of_a = [a.vertex(*a0), a.vertex(*a1)];
    let of_b = [b0, b1].map(|v| b_in_a.point(b.vertex(*v)));
    let (s, t) = of_segments(of_a, of_b);
    let (p, q) = (of_a[0] + (of_a[1] - of_a[0]) * s, of_b[0] + (of_b[1] - of_b[0]) * t);
    let name = feature(Reference::Edges, index_a as u32, index_b as u32);
    touch(p, q, axis.normal.dot(q - p), axis.normal, reach, name)
}
