//! The searches in lanes against the same one face and one edge after another, bit for bit.

use super::*;
use crate::Polyhedron;
use crate::manifold::tests::oracle::{Lcg, transform};
use crate::polyhedron::tests::hull_of;

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

fn edge_axis(search: &EdgeSearch<'_>) -> Edges {
    let EdgeSearch { a, b, low: [low_of_a, low_of_b], b_in_a, floor, reach } = *search;
    let (a, b) = (a.faces, b.faces);
    let above = |solid: Faces<'_>, index: usize, witness: V3<f32>| {
        let [_, _, f0, f1] = solid.edges[index];
        let ((n0, d0), (n1, d1)) = (solid.plane(f0), solid.plane(f1));
        (n0.dot(witness) - d0).larger(n1.dot(witness) - d1) > floor.smaller(0.0)
    };
    let witness_of_a = b_in_a.turn_back(a.vertex(low_of_a) - b_in_a.at);
    let witness_of_b = b_in_a.point(b.vertex(low_of_b));
    let of_a: Vec<usize> = (0..a.edges.len()).filter(|&index| above(a, index, witness_of_b)).collect();
    let of_b: Vec<usize> = (0..b.edges.len()).filter(|&index| above(b, index, witness_of_a)).collect();
    let (mut best, mut most) = (Edges::Worse, floor);
    for block in of_a.chunks(BLOCK) {
        for &index in &of_b {
            let edge = Edge::of(b, index).turned_about(b_in_a);
            for of_a in block.iter().map(|&index| Edge::of(a, index)) {
                let Some((separation, normal, few_digits)) = normal_of_edges(&of_a, &edge) else { continue };
                if !(separation > most.smaller(reach)) {
                    continue;
                }
                let along = (normal.dot(b_in_a.at) + b.lowest(b_in_a.turn_back(normal)).1) + a.lowest(-normal).1;
                let separation = if few_digits { along } else { separation };
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

/// Points that are all corners of their hull.
fn round(count: usize, random: &mut Lcg) -> Polyhedron {
    let points: Vec<[f32; 3]> = (0..count)
        .map(|_| {
            let p = random.vector(1.0);
            let scale = 0.6 / p.length();
            [p.x * scale, p.y * scale, p.z * scale].map(|x| x as f32)
        })
        .collect();
    hull_of(&points).expect("points in general position")
}

fn bits(edges: &Edges) -> Vec<u32> {
    match edges {
        Edges::BeyondReach => vec![1],
        Edges::Worse => vec![2],
        Edges::Best(EdgeAxis { edges: (a, b), separation, normal: V3 { x, y, z } }) => {
            [*a as u32, *b as u32].into_iter().chain([separation, x, y, z].map(|x| x.to_bits())).collect()
        }
    }
}

#[test]
fn searches_in_lanes_agree_with_those_one_by_one() {
    let mut random = Lcg(5);
    // One pack of vertices and several, one block of edges and two; and what is symmetric, where faces tie.
    let octahedron = |x: f32, y: f32, z: f32| {
        let corners = [[x, 0.0, 0.0], [-x, 0.0, 0.0], [0.0, y, 0.0], [0.0, -y, 0.0], [0.0, 0.0, z], [0.0, 0.0, -z]];
        hull_of(&corners).expect("an octahedron")
    };
    let mut hulls: Vec<Polyhedron> = [4, 8, 14, 17, 33, 50].map(|count| round(count, &mut random)).into();
    hulls.extend([octahedron(0.5, 0.5, 0.5), octahedron(0.636_151_25, 0.736_575_9, 0.268_080_3)]);
    let (mut faces, mut edges, mut blocks) = (0, 0, 0);
    for a in &hulls {
        for b in &hulls {
            for place in 0..40 {
                // Every other one is turned by next to nothing, and beside it along an axis.
                let place = match place % 2 {
                    0 => transform(random.rotation(), random.vector(0.9)),
                    _ => {
                        let tiny = random.vector(1e-7);
                        let turn = seidel_kernels::Quat::exp(tiny);
                        transform(turn, V3::new(0.0, random.between(-1.2, 1.2), 0.0))
                    }
                };
                let (a, b) = (PackedFaces::of(a), PackedFaces::of(b));
                let reach = 0.1;
                let wanted = face_axis(a.faces, b.faces, &place, reach);
                let bits_of = |axis: Option<FaceAxis>| axis.map(|of| (of.face, of.separation.to_bits(), of.lowest));
                for isa in Isa::available() {
                    let found = isa.dispatch(FaceSearch { solid: a, other: b, place: &place, reach });
                    assert_eq!(bits_of(found), bits_of(wanted), "{isa:?}: {place:?}");
                }
                let other = face_axis(b.faces, a.faces, &place.inverse(), reach);
                let (Some(by_a), Some(by_b)) = (wanted, other) else { continue };
                faces += 1;
                for floor in [by_a.separation.larger(by_b.separation), -0.5] {
                    let search = || EdgeSearch { a, b, low: [by_b.lowest, by_a.lowest], b_in_a: &place, floor, reach };
                    let wanted = bits(&edge_axis(&search()));
                    edges += usize::from(wanted.len() > 1);
                    blocks += usize::from(a.faces.edges.len() > BLOCK);
                    for isa in Isa::available() {
                        assert_eq!(bits(&isa.dispatch(search())), wanted, "{isa:?}: {place:?}");
                    }
                }
            }
        }
    }
    assert!(faces > 200 && edges > 100 && blocks > 100, "{faces} {edges} {blocks}");
}
