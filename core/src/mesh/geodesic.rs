//! Distances along a mesh from the nearest of some vertices.
//!
//! Fast marching (Kimmel, Sethian 1998, "Computing geodesic paths on manifolds"): vertices are reached in the order of their distance,
//! each over an edge, or across a triangle whose other two are reached. Across a triangle it is not a plane wave that goes on but one
//! around a point: triangles are unfolded into its plane (Novotni, Klein 2002, "Computing geodesic distances on triangular meshes",
//! section 3), so that in planes distances are exact. Where the straight way leaves the triangle at its sides, edges count: it is
//! never too short, and along slivers and obtuse angles too long by a few percent.

use super::Mesh;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Sources of which each vertex knows its distance, the nearest ones: waves of different sources do not mix, so a vertex between two
/// pins of a row goes on with the one that its neighbour knows too.
const KNOWN: usize = 4;

/// How far a vertex is from a source.
type Label = (f64, u32);

/// The nearest source of each vertex and how far it is, metres; none where nothing leads.
pub(crate) fn nearest(
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
    sources: impl Iterator<Item = u32>,
) -> Vec<Option<Label>> {
    let length = |a: u32, b: u32| {
        let [a, b] = [a, b].map(|v| positions[v as usize].map(f64::from));
        let d: [f64; 3] = std::array::from_fn(|k| a[k] - b[k]);
        libm::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2])
    };
    let (around, along) = (Around::of(positions.len(), triangles), Around::of(positions.len(), edges));
    let mut labels: Vec<Vec<Label>> = vec![Vec::new(); positions.len()];
    // Distances are 0 or more, and so in the order of their bits; ties go to the lower vertex, then to the lower source.
    let mut open: BinaryHeap<Reverse<(u64, u32, u32)>> = sources.map(|v| Reverse((0, v, v))).collect();
    while let Some(Reverse((distance, vertex, source))) = open.pop() {
        let known = &mut labels[vertex as usize];
        if known.len() == KNOWN || known.iter().any(|(_, of)| *of == source) {
            continue;
        }
        let a = f64::from_bits(distance);
        known.push((a, source));
        let mut reach = |w: u32, d: f64| {
            if labels[w as usize].len() < KNOWN {
                open.push(Reverse((d.to_bits(), w, source)));
            }
        };
        for &edge in along.of_vertex(vertex) {
            let [v, w] = edges[edge as usize];
            let other = if v == vertex { w } else { v };
            reach(other, a + length(vertex, other));
        }
        for &triangle in around.of_vertex(vertex) {
            let corners = triangles[triangle as usize];
            for (w, x) in [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (corners[i], corners[j])).into_iter() {
                // The two others, each as the one that is reached.
                if w == vertex || x == vertex {
                    continue;
                }
                for (w, x) in [(w, x), (x, w)] {
                    let (p, known) = (length(vertex, w), labels[x as usize].iter().find(|(_, of)| *of == source));
                    let straight = known.and_then(|&(b, _)| across([a, b], length(vertex, x), [p, length(x, w)]));
                    reach(w, straight.unwrap_or(a + p));
                }
            }
        }
    }
    labels.into_iter().map(|known| known.first().copied()).collect()
}

/// The distance of the third corner of a triangle from a point that is `a` and `b` from the two others, in the plane: these are `c`
/// from each other, and `p` and `q` from the third. None if the straight way does not lead between them.
fn across([a, b]: [f64; 2], c: f64, [p, q]: [f64; 2]) -> Option<f64> {
    let foot = |from: f64, to: f64| ((from * from - to * to) + c * c) / (2.0 * c);
    let (s, w) = (foot(a, b), foot(p, q));
    let height = |from: f64, foot: f64| {
        let squared = from * from - foot * foot;
        if squared > 0.0 { libm::sqrt(squared) } else { 0.0 }
    };
    let (below, above) = (height(a, s), height(p, w));
    let over = s + (w - s) * (below / (below + above));
    let d = [w - s, above + below];
    (0.0..=c).contains(&over).then(|| libm::sqrt(d[0] * d[0] + d[1] * d[1]))
}

/// Triangles, or edges, of each vertex.
struct Around {
    starts: Vec<u32>,
    of: Vec<u32>,
}

impl Around {
    fn of<const N: usize>(vertices: usize, all: &[[u32; N]]) -> Around {
        let mut starts = vec![0; vertices + 1];
        all.as_flattened().iter().for_each(|&v| starts[v as usize + 1] += 1);
        (1..starts.len()).for_each(|v| starts[v] += starts[v - 1]);
        let (mut next, mut of) = (starts.clone(), vec![0; all.len() * N]);
        for (number, corners) in all.iter().enumerate() {
            for &v in corners {
                of[next[v as usize] as usize] = number as u32;
                next[v as usize] += 1;
            }
        }
        Around { starts, of }
    }

    fn of_vertex(&self, v: u32) -> &[u32] {
        &self.of[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }
}

impl Mesh {
    /// How far each vertex is from the nearest of some vertices, along the mesh, metres; infinite where nothing leads. Exact in planes
    /// as long as straight ways cross no sliver; along obtuse angles too long by a few percent, never too short.
    ///
    /// # Panics
    /// If a vertex or a corner does not exist.
    ///
    /// # Example
    /// ```
    /// let sheet = seidel::Cloth::grid([5, 5], [1.0, 1.0]);
    /// let from_a_corner = sheet.mesh().geodesics(&[0]);
    /// assert!((from_a_corner[24] - 2f32.sqrt()).abs() < 1e-6 && from_a_corner[4] == 1.0);
    /// ```
    #[must_use]
    pub fn geodesics(&self, from: &[u32]) -> Vec<f32> {
        let found = nearest(&self.positions, &self.triangles, &[], from.iter().copied());
        found.into_iter().map(|label| label.map_or(f32::INFINITY, |(d, _)| d as f32)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cloth;

    fn straight(mesh: &Mesh, a: u32, b: u32) -> f64 {
        let [a, b] = [a, b].map(|v| mesh.positions[v as usize].map(f64::from));
        (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
    }

    /// Ways in a plane are straight: from a point, and from the nearest of many, on a grid and on a shaken one.
    #[test]
    fn in_a_plane_they_are_straight() {
        for (shake, most) in [(0.0f32, 1e-6), (0.3, 2e-2)] {
            let mut mesh = Cloth::grid([31, 25], [1.5, 1.2]).mesh().clone();
            for (v, p) in mesh.positions.iter_mut().enumerate() {
                let by = |k: u32| ((v as u32).wrapping_mul(2_654_435_761 + k * 40_503) >> 16) as f32 / 65536.0 - 0.5;
                (p[0], p[2]) = (p[0] + shake * 0.05 * by(0), p[2] + shake * 0.05 * by(1));
            }
            for sources in [vec![0], vec![402], (0..31).collect(), vec![0, 30, 744]] {
                let mut worst = (0.0f64, 0.0f64);
                for (v, d) in mesh.geodesics(&sources).into_iter().enumerate() {
                    let want = sources.iter().map(|&s| straight(&mesh, s, v as u32)).fold(f64::INFINITY, f64::min);
                    let off = (f64::from(d) - want) / want.max(0.05);
                    worst = (worst.0.min(off), worst.1.max(off));
                }
                println!("shaken by {shake}, {} sources: {:.1e} .. {:.1e}", sources.len(), worst.0, worst.1);
                assert!(worst.0 > -1e-6, "too short: {worst:?}");
                assert!(worst.1 < most, "shaken by {shake}, {} sources: {worst:?}", sources.len());
            }
        }
    }

    /// A ball's ways are great circles; its triangles are inside of it.
    #[test]
    fn on_a_ball_they_are_great_circles() {
        let ball = Mesh::ball(1.0, 4);
        for (v, d) in ball.geodesics(&[0]).into_iter().enumerate() {
            let [a, b] = [0, v].map(|v| ball.positions[v]);
            let want = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).clamp(-1.0, 1.0).acos();
            assert!(d > 0.985 * want - 1e-3 && d < 1.01 * want + 1e-3, "vertex {v}: {d} and not {want}");
        }
    }

    /// Over a chain's links, and no further than it leads.
    #[test]
    fn along_edges_they_add_up() {
        let positions = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [5.0, 0.0, 0.0], [1.0, 2.0, 0.5]];
        let found = nearest(&positions, &[], &[[0, 1], [2, 1], [2, 4]], [4, 0].into_iter());
        let want = [Some((0.0, 0)), Some((1.0, 0)), Some((0.5, 4)), None, Some((0.0, 4))];
        assert_eq!(found, want);
    }
}
