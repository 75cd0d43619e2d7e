//! How much the slopes of a field of signed distances change from place to place: what its triangles' bounds need.
//!
//! ```text
//! along an axis, from a cell to the next    (v[i + 1] - 2 v[i] + v[i - 1]) / a    at the nodes between them, bilinear between these
//! within a cell, for two axes               (v11 - v10 - v01 + v00) / a           linear along the third
//! ```
//! Of each cell the most of it and of the cells about it.

use rayon::prelude::*;
use seidel_kernels::contact::BEND;

/// Values of nodes, x first, and how many there are along each axis.
struct Field<'a> {
    values: &'a [f32],
    nodes: [usize; 3],
}

/// At each cell's lowest node: by how much slopes fall, by how much they grow, and by how much they turn, in units of
/// [`BEND`].
pub(super) fn bends(values: &[f32], nodes: [u32; 3], cell: f32) -> Vec<[u16; 3]> {
    let field = Field { values, nodes: nodes.map(|n| n as usize) };
    let [mut falls, mut grows, mut turns] = [(); 3].map(|()| vec![0.0f32; values.len()]);
    for axis in 0..3 {
        let squares = |sums: &mut [f32], of: &[f32]| {
            sums.par_iter_mut().zip(of).for_each(|(sum, v)| *sum += v * v);
        };
        squares(&mut falls, &field.about(|at| (-field.second(at, axis)).max(0.0)));
        squares(&mut grows, &field.about(|at| field.second(at, axis).max(0.0)));
        // Of a symmetric matrix without a diagonal no eigenvalue is lower than minus the root of 4/3 of its three
        // squares' sum.
        squares(&mut turns, &field.about(|at| 1.1548 * field.mixed(at, axis)));
    }
    // A little more, for what f32 makes of it.
    let number = |squares: f32| ((squares.sqrt() / cell * 1.001 + 1e-6) / BEND).ceil().min(f32::from(u16::MAX)) as u16;
    let all = falls.par_iter().zip(&grows).zip(&turns);
    all.map(|((&falls, &grows), &turns)| [number(falls), number(grows), number(turns)]).collect()
}

impl Field<'_> {
    fn strides(&self) -> [usize; 3] {
        [1, self.nodes[0], self.nodes[0] * self.nodes[1]]
    }

    fn place(&self, at: usize) -> [usize; 3] {
        let [nx, ny, _] = self.nodes;
        [at % nx, at / nx % ny, at / (nx * ny)]
    }

    /// The second difference along an axis; nothing at the border, beyond which no triangle's bound looks.
    fn second(&self, at: usize, axis: usize) -> f32 {
        let (i, stride, v) = (self.place(at)[axis], self.strides()[axis], self.values[at]);
        if i == 0 || i + 1 == self.nodes[axis] {
            return 0.0;
        }
        (self.values[at - stride] - v) + (self.values[at + stride] - v)
    }

    /// The mixed difference of both other axes, in the face of a cell.
    fn mixed(&self, at: usize, axis: usize) -> f32 {
        let (p, q) = ((axis + 1) % 3, (axis + 2) % 3);
        let (place, strides) = (self.place(at), self.strides());
        if place[p] + 1 == self.nodes[p] || place[q] + 1 == self.nodes[q] {
            return 0.0;
        }
        let v = |i: usize, j: usize| self.values[at + i * strides[p] + j * strides[q]];
        ((v(1, 1) - v(0, 1)) - (v(1, 0) - v(0, 0))).abs()
    }

    /// The most of a number about each cell, from the node before its lowest to that beyond its highest, along every
    /// axis.
    fn about(&self, of: impl Fn(usize) -> f32 + Send + Sync) -> Vec<f32> {
        let mut most: Vec<f32> = (0..self.values.len()).into_par_iter().map(of).collect();
        for axis in 0..3 {
            let (stride, n) = (self.strides()[axis], self.nodes[axis]);
            let wide = |at: usize| {
                let i = self.place(at)[axis];
                let (first, last) = (at - stride * i.min(1), at + stride * (n - 1 - i).min(2));
                (first..=last).step_by(stride).fold(0.0f32, |most_of, k| most_of.max(most[k]))
            };
            most = (0..most.len()).into_par_iter().map(wide).collect();
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use crate::Mesh;
    use crate::describe::collider::Sdf;
    use seidel_kernels::V3;
    use seidel_kernels::contact::{Form, SignedDistance};

    /// A box with a notch: creases of both signs.
    fn notched() -> Mesh {
        let outline = [[-0.3f32, -0.2], [0.3, -0.2], [0.3, 0.2], [0.05, 0.2], [0.0, 0.0], [-0.05, 0.2], [-0.3, 0.2]];
        let n = outline.len() as u32;
        let positions = [-0.2f32, 0.2].iter().flat_map(|&z| outline.map(|[x, y]| [x, y, z])).collect();
        let mut triangles: Vec<[u32; 3]> = (0..n)
            .flat_map(|i| {
                let j = (i + 1) % n;
                [[i, j, n + j], [i, n + j, n + i]]
            })
            .collect();
        for [a, b, c] in [[4, 5, 6], [4, 6, 0], [4, 0, 1], [4, 1, 2], [4, 2, 3]] {
            triangles.push([c, b, a]);
            triangles.push([n + a, n + b, n + c]);
        }
        Mesh { positions, triangles }
    }

    #[test]
    fn nothing_is_lower_than_a_tangent_plane_that_bends() {
        let sdf = Sdf::from_mesh(&notched(), 0.03).expect("a closed mesh");
        let mut random = 3u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(random >> 8) / 8_388_608.0 - 1.0
        };
        for form in [Form::Solid, Form::Shell(0.01), Form::Container] {
            let grid = sdf.grid(form);
            let (mut checked, mut tight, mut plain) = (0, 0, 0);
            for k in 0..60_000 {
                let mut point = |far: f64| V3::new(far * next(), far * next(), far * next());
                // Within a cell, where there is no crease; over one of an axis; over two.
                let (middle, reach) = (point(0.33), [0.004, 0.017, 0.029][k % 3]);
                let [a, b] = [(); 2].map(|()| middle + point(reach * 0.577));
                let bend = grid.about(middle, reach);
                if bend.falls > 100.0 {
                    continue;
                }
                let (value, normal, steep) = grid.graded(a);
                let arm = b - a;
                let squares = V3::new(arm.x * arm.x, arm.y * arm.y, arm.z * arm.z);
                let falls = bend.falls * arm.length() + squares.dot(bend.curved) * 0.5;
                let low = value + arm.dot(normal) * steep - falls;
                let at = grid.distance(b).0;
                assert!(low <= at + 1e-7, "{form:?}: {low} is above {at}, from {a:?} to {b:?}: {bend:?}");
                checked += 1;
                tight += usize::from(falls < 0.1 * arm.length());
                plain += usize::from(bend.falls == 0.0);
            }
            let enough = checked > 15_000 && tight > 1_000 && plain > 1_000;
            assert!(enough, "{form:?}: {checked}, {tight} of them tight, {plain} without a crease");
        }
    }
}
