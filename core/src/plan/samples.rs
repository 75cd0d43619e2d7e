//! Points between the vertices of a skin, where its triangles are larger than the tetrahedra that carry it.

use crate::describe::mesh::Mesh;
use crate::describe::tets::TetMesh;
use crate::geometry::vector::{P, add, cross, dot, scale, sub};
use crate::tuning::MAX_SAMPLES_AN_EDGE;

/// Mean length of tetrahedra's edges, each counted in all that have it, and the length of the longest, metres.
pub(super) fn edges<const N: usize>(tets: &[[u32; 4]], place: impl Fn(u32) -> [f32; N]) -> (f64, f64) {
    let (mut sum, mut longest, mut count) = (0.0, 0.0f64, 0);
    for tet in tets {
        let x: [P; 4] = tet.map(|v| std::array::from_fn(|k| f64::from(place(v)[k])));
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let d = sub(x[i], x[j]);
            let length = dot(d, d).sqrt();
            sum += length;
            longest = longest.max(length);
            count += 1;
        }
    }
    (if count > 0 { sum / f64::from(count) } else { 0.0 }, longest)
}

/// Points between the vertices of a skin whose triangles are larger than the tetrahedra, and the vertex that each is
/// near: no part of the skin as large as a tetrahedron is without a point, unless an edge of the skin is more than
/// `MAX_SAMPLES_AN_EDGE` tetrahedra long.
pub(super) fn samples(solid: &TetMesh, skin: &Mesh) -> Vec<([f32; 3], u32)> {
    let (most, _) = edges(&solid.tets, |v| solid.positions[v as usize]);
    if most <= 0.0 {
        return Vec::new();
    }
    let place = |v: u32| skin.positions[v as usize].map(f64::from);
    let parts = |length: f64| ((length / most).ceil() as usize).min(MAX_SAMPLES_AN_EDGE);
    let mut samples = Vec::new();
    for edge in skin.edges() {
        let [a, b] = edge.vertices;
        let way = sub(place(b), place(a));
        let count = parts(dot(way, way).sqrt());
        for i in 1..count {
            let vertex = if 2 * i <= count { a } else { b };
            samples.push((add(place(a), scale(way, i as f64 / count as f64)), vertex));
        }
    }
    for t in &skin.triangles {
        if t.iter().any(|&v| v as usize >= skin.positions.len()) {
            continue;
        }
        // Rows along the longest side, towards the corner that faces it.
        let squared = |[a, b]: [u32; 2]| dot(sub(place(b), place(a)), sub(place(b), place(a)));
        let sides = [[t[0], t[1], t[2]], [t[1], t[2], t[0]], [t[2], t[0], t[1]]];
        let longest = sides.into_iter().fold(sides[0], |longest, side| {
            if squared([side[0], side[1]]) > squared([longest[0], longest[1]]) { side } else { longest }
        });
        let [a, b, c] = longest;
        let (along, up) = (sub(place(b), place(a)), sub(place(c), place(a)));
        let (length, twice) = (dot(along, along).sqrt(), cross(along, up));
        let rows = parts(dot(twice, twice).sqrt() / length);
        for row in 1..rows {
            let height = row as f64 / rows as f64;
            let count = parts((1.0 - height) * length);
            for i in 1..count {
                let share = (1.0 - height) * (i as f64 / count as f64);
                let vertex = if height > 0.5 {
                    c
                } else if 2 * i <= count {
                    a
                } else {
                    b
                };
                samples.push((add(place(a), add(scale(along, share), scale(up, height))), vertex));
            }
        }
    }
    samples.into_iter().map(|(x, vertex)| (x.map(|c| c as f32), vertex)).collect()
}
