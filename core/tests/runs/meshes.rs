//! Closed meshes of shapes whose distance is known.

use seidel::Mesh;

/// A ring about y: `around` x `across` squares, each two triangles.
pub fn torus(ring: f64, tube: f64, around: u32, across: u32) -> Mesh {
    let tau = std::f64::consts::TAU;
    let point = |i: u32, j: u32| {
        let (a, b) = (tau * f64::from(i) / f64::from(around), tau * f64::from(j) / f64::from(across));
        let r = ring + tube * b.cos();
        [r * a.cos(), tube * b.sin(), -r * a.sin()].map(|c| c as f32)
    };
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    let cells = (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let square = |(i, j): (u32, u32)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    Mesh {
        positions: (0..around).flat_map(|i| (0..across).map(move |j| point(i, j))).collect(),
        triangles: cells.flat_map(square).collect(),
    }
}

/// A ball: an octahedron whose triangles are quartered so often, all corners at the radius.
pub fn ball(radius: f32, quarterings: u32) -> Mesh {
    let unit = |p: [f64; 3]| {
        let length = p.iter().map(|c| c * c).sum::<f64>().sqrt();
        p.map(|c| c / length)
    };
    let mut triangles = Vec::new();
    for i in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|k| if i >> k & 1 == 0 { 1.0 } else { -1.0 });
        let (a, b, c) = ([x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]);
        triangles.push(if x * y * z > 0.0 { [a, b, c] } else { [a, c, b] });
    }
    for _ in 0..quarterings {
        let middle = |a: [f64; 3], b: [f64; 3]| unit(std::array::from_fn(|k| a[k] + b[k]));
        let quarter = |[a, b, c]: [[f64; 3]; 3]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(quarter).collect();
    }
    // Corners at one place stand as often as there are triangles: what a file with seams has.
    let positions: Vec<[f32; 3]> = triangles.concat().into_iter().map(|p| p.map(|c| radius * c as f32)).collect();
    let count = positions.len() as u32;
    Mesh { positions, triangles: (0..count / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect() }
}
