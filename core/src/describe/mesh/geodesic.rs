//! Distances along a mesh from the nearest of some vertices.
//!
//! Fast marching (Kimmel, Sethian 1998, "Computing geodesic paths on manifolds"): vertices are reached in the order of
//! their distance, each over an edge, or across a triangle whose other two are reached. Across a triangle it is not a
//! plane wave that goes on but one around a point: triangles are unfolded into its plane (Novotni, Klein 2002,
//! "Computing geodesic distances on triangular meshes", section 3), so that in planes distances are exact. It must have
//! come through the triangle behind: where fronts meet that went around both sides of a hole, two distances are of two
//! waves, and no point is theirs. There, and where the straight way leaves the triangle at its sides, edges count:
//! behind holes and along slivers and obtuse angles it is too long by a few percent. Behind small holes in grids of
//! uneven triangles it may still be too short, by 1.5 % at most in the tests.

use super::Mesh;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Sources of which each vertex knows its distance, the nearest ones: waves of different sources do not mix, so a
/// vertex between two
/// pins of a row goes on with the one that its neighbour knows too.
const KNOWN: usize = 4;

/// Edges' lengths that a wave may be late at a triangle's far corner and still have come through it: ways around obtuse
/// angles are too
/// long, and triangles of what is curved do not lie in one plane. With less ways are longer (a ball of 2562 vertices,
/// 0.01: by 1.9 %,
/// and 0.25 % with this), with more they are shorter behind holes (0.05: by 0.2 % in a regular grid, and 0.04 %).
const LATE: f64 = 0.02;

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
        ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]).sqrt()
    };
    let (around, along) = (Incidence::of(positions.len(), triangles), Incidence::of(positions.len(), edges));
    let thirds = Thirds::of(positions.len(), triangles);
    let mut labels = vec![Labels::default(); positions.len()];
    // For each vertex the distance that was last put off: a later one from the same source is not worth it.
    let mut tried: Vec<Label> = vec![(f64::INFINITY, u32::MAX); positions.len()];
    // Distances are 0 or more, and so in the order of their bits; ties go to the lower vertex, then to the lower
    // source.
    let put_off = |d: f64, vertex: u32, source: u32| {
        Reverse(u128::from(d.to_bits()) << 64 | u128::from(vertex) << 32 | u128::from(source))
    };
    let mut open: BinaryHeap<Reverse<u128>> = sources.map(|v| put_off(0.0, v, v)).collect();
    while let Some(Reverse(next)) = open.pop() {
        let (a, vertex, source) = (f64::from_bits((next >> 64) as u64), (next >> 32) as u32, next as u32);
        if !labels[vertex as usize].wants(source) {
            continue;
        }
        labels[vertex as usize].add((a, source));
        let of = |v: u32| labels[v as usize].of(source);
        let wants = |w: u32| labels[w as usize].wants(source);
        let mut reach = |w: u32, d: f64| {
            let last = &mut tried[w as usize];
            if last.1 != source || d < last.0 {
                *last = (d, source);
                open.push(put_off(d, w, source));
            }
        };
        for &edge in along.of_vertex(vertex) {
            let [v, w] = edges[edge as usize];
            let other = if v == vertex { w } else { v };
            if wants(other) {
                reach(other, a + length(vertex, other));
            }
        }
        for &triangle in around.of_vertex(vertex) {
            let corners = triangles[triangle as usize];
            for (w, x) in [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (corners[i], corners[j])).into_iter() {
                // The two others, each as the one that is reached.
                if w == vertex || x == vertex {
                    continue;
                }
                for (w, x) in [(w, x), (x, w)].into_iter().filter(|(w, _)| wants(*w)) {
                    let p = length(vertex, w);
                    let straight = of(x).and_then(|b| {
                        let c = length(vertex, x);
                        let straight = across([a, b], c, [p, length(x, w)])?;
                        let sides = |z: u32| [length(vertex, z), length(x, z)];
                        // A vertex that has not been reached is no nearer than this one.
                        let through = |z: u32| comes_by([a, b], c, sides(z), of(z).unwrap_or(a));
                        let mut behind = thirds.of_edge([vertex, x]).filter(|&z| z != w);
                        (a == 0.0 || b == 0.0 || behind.any(through)).then_some(straight)
                    });
                    reach(w, straight.unwrap_or(a + p));
                }
            }
        }
    }
    labels.into_iter().map(|known| known.first()).collect()
}

/// The nearest sources of a vertex, nearest first.
#[derive(Clone, Copy, Default)]
struct Labels {
    count: usize,
    known: [Label; KNOWN],
}

impl Labels {
    fn known(&self) -> &[Label] {
        &self.known[..self.count]
    }

    fn of(&self, source: u32) -> Option<f64> {
        self.known().iter().find(|(_, of)| *of == source).map(|(d, _)| *d)
    }

    /// Whether there is room for a source that is not known.
    fn wants(&self, source: u32) -> bool {
        self.count < KNOWN && self.of(source).is_none()
    }

    fn add(&mut self, label: Label) {
        self.known[self.count] = label;
        self.count += 1;
    }

    fn first(&self) -> Option<Label> {
        self.known().first().copied()
    }
}

/// The distance of the third corner of a triangle from a point that is `a` and `b` from the two others, in the plane:
/// these are `c` from each other, and `p` and `q` from the third. None if the straight way does not lead between them.
fn across([a, b]: [f64; 2], c: f64, [p, q]: [f64; 2]) -> Option<f64> {
    let ([s, below], [w, above]) = (beside([a, b], c), beside([p, q], c));
    let over = s + (w - s) * (below / (below + above));
    let d = [w - s, above + below];
    (0.0..=c).contains(&over).then(|| (d[0] * d[0] + d[1] * d[1]).sqrt())
}

/// Whether a wave that is `a` and `b` old at the ends of an edge of length `c` can have come through a triangle behind
/// it: its third
/// corner, `p` and `q` from the two ends, is reached no later than from where the wave seems to come.
fn comes_by([a, b]: [f64; 2], c: f64, [p, q]: [f64; 2], reached: f64) -> bool {
    let ([s, below], [z, behind]) = (beside([a, b], c), beside([p, q], c));
    let d = [z - s, below - behind];
    reached <= (d[0] * d[0] + d[1] * d[1]).sqrt() + LATE * c
}

/// Where a point is that is `a` and `b` from the ends of an edge of length `c`: how far along it from the first, and
/// how far beside.
fn beside([a, b]: [f64; 2], c: f64) -> [f64; 2] {
    let foot = ((a * a - b * b) + c * c) / (2.0 * c);
    let squared = a * a - foot * foot;
    [foot, if squared > 0.0 { squared.sqrt() } else { 0.0 }]
}

/// Triangles, or edges, of each vertex.
struct Incidence {
    starts: Vec<u32>,
    of: Vec<u32>,
}

impl Incidence {
    fn of<const N: usize>(vertices: usize, all: &[[u32; N]]) -> Incidence {
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
        Incidence { starts, of }
    }

    fn of_vertex(&self, v: u32) -> &[u32] {
        &self.of[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }
}

/// Third corners of the triangles of each edge: of each edge's smaller end its greater end and the corner.
struct Thirds {
    starts: Vec<u32>,
    of: Vec<[u32; 2]>,
}

impl Thirds {
    fn of(vertices: usize, triangles: &[[u32; 3]]) -> Thirds {
        let all = || {
            let corners = |&[a, b, c]: &[u32; 3]| [[a, b, c], [b, c, a], [c, a, b]];
            triangles.iter().flat_map(corners).map(|[v, w, z]| (v.min(w) as usize, [v.max(w), z]))
        };
        let mut starts = vec![0; vertices + 1];
        all().for_each(|(v, _)| starts[v + 1] += 1);
        (1..starts.len()).for_each(|v| starts[v] += starts[v - 1]);
        let (mut next, mut of) = (starts.clone(), vec![[0; 2]; 3 * triangles.len()]);
        for (v, third) in all() {
            of[next[v] as usize] = third;
            next[v] += 1;
        }
        Thirds { starts, of }
    }

    fn of_edge(&self, [v, w]: [u32; 2]) -> impl Iterator<Item = u32> + '_ {
        let (v, w) = (v.min(w) as usize, v.max(w));
        let of = &self.of[self.starts[v] as usize..self.starts[v + 1] as usize];
        of.iter().filter(move |of| of[0] == w).map(|of| of[1])
    }
}

impl Mesh {
    /// How far each vertex is from the nearest of some vertices, along the mesh, metres; infinite where nothing leads.
    /// Exact in planes as long as straight ways cross no sliver and no hole; along obtuse angles, and behind holes, too
    /// long by a few percent. Behind small holes also too short: by up to 0.04 % in a grid of equal triangles, and 1.5
    /// % in one whose vertices are shaken by 0.3 edges.
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

    /// A rhombus of equilateral triangles, without the vertices nearer to its middle than `hole` edges, shaken by up to
    /// half of `shake` edges
    /// along each axis off the borders; and the rim's corners.
    fn holed(hole: i32, shake: f32) -> (Mesh, Vec<[f64; 3]>) {
        const N: i32 = 7;
        let (mut mesh, mut ids) = (Mesh::default(), vec![u32::MAX; 225]);
        let id = |i: i32, j: i32| ((i + N) * (2 * N + 1) + j + N) as usize;
        let place = |i: i32, j: i32| [f64::from(i) + 0.5 * f64::from(j), 0.0, f64::from(j) * 0.75f64.sqrt()];
        let all = || (-N..=N).flat_map(|i| (-N..=N).map(move |j| (i, j)));
        for (i, j) in all() {
            let far = i.abs().max(j.abs()).max((i + j).abs());
            if far >= hole {
                let by =
                    |k: u32| ((id(i, j) as u32).wrapping_mul(2_654_435_761 + k * 40_503) >> 16) as f32 / 65536.0 - 0.5;
                let inner = i.abs() < N && j.abs() < N && far > hole;
                let [x, _, z] = place(i, j).map(|c| c as f32);
                let shake = if inner { shake } else { 0.0 };
                ids[id(i, j)] = mesh.positions.len() as u32;
                mesh.positions.push([x + shake * by(0), 0.0, z + shake * by(1)]);
            }
        }
        for (i, j) in all().filter(|&(i, j)| i < N && j < N) {
            let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1)].map(|at| ids[at]);
            mesh.triangles.extend([[a, b, c], [b, d, c]].into_iter().filter(|t| !t.contains(&u32::MAX)));
        }
        let rim = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)].map(|(i, j)| place(hole * i, hole * j));
        (mesh, rim.to_vec())
    }

    /// The way in a plane around a hexagon, whose corners stand counter-clockwise.
    fn around(rim: &[[f64; 3]], from: [f64; 3], to: [f64; 3]) -> f64 {
        let far = |a: [f64; 3], b: [f64; 3]| ((a[0] - b[0]).powi(2) + (a[2] - b[2]).powi(2)).sqrt();
        let sees = |a: [f64; 3], b: [f64; 3]| {
            // Which part of the path is inside.
            let (mut enters, mut leaves) = (0.0f64, 1.0f64);
            for k in 0..6 {
                let (p, q) = (rim[k], rim[(k + 1) % 6]);
                let inside = |x: [f64; 3]| (q[0] - p[0]) * (x[2] - p[2]) - (q[2] - p[2]) * (x[0] - p[0]) - 1e-5;
                let (from, to) = (inside(a), inside(b));
                match (from > 0.0, to > 0.0) {
                    (false, false) => return true,
                    (false, true) => enters = enters.max(from / (from - to)),
                    (true, false) => leaves = leaves.min(from / (from - to)),
                    (true, true) => {}
                }
            }
            enters >= leaves
        };
        if sees(from, to) {
            return far(from, to);
        }
        let mut least = f64::INFINITY;
        for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
            if sees(from, rim[a]) && sees(rim[b], to) {
                let steps = (a + 6 - b) % 6;
                let along = steps.min(6 - steps) as f64 * far(rim[0], rim[1]);
                least = least.min(far(from, rim[a]) + along + far(rim[b], to));
            }
        }
        least
    }

    /// Behind a hole fronts meet that went around both sides of it: they are of two waves.
    #[test]
    fn around_a_hole_they_are_hardly_too_short() {
        for hole in [1, 2, 4] {
            for (shake, least, most) in [(0.0, -5e-4, 0.03), (0.3, -6e-3, 0.05), (0.6, -0.016, 0.05)] {
                let (mesh, rim) = holed(hole, shake);
                let place = |v: usize| mesh.positions[v].map(f64::from);
                let mut worst = (0.0f64, 0.0f64);
                for source in (0..mesh.positions.len()).step_by(3) {
                    for (v, d) in mesh.geodesics(&[source as u32]).into_iter().enumerate() {
                        let want = around(&rim, place(source), place(v));
                        let off = (f64::from(d) - want) / want.max(0.05);
                        worst = (worst.0.min(off), worst.1.max(off));
                    }
                }
                println!("a hole of {hole}, shaken by {shake}: {:.1e} .. {:.1e}", worst.0, worst.1);
                assert!(worst.0 > least, "too short: {worst:?}");
                assert!(worst.1 < most, "{worst:?}");
            }
        }
        let (mesh, _) = holed(1, 0.0);
        let at = |z: f32| mesh.positions.iter().position(|p| p[0].abs() < 1e-6 && (p[2] - z).abs() < 1e-6).unwrap();
        let [from, to] = [-1.0, 1.0].map(|side| at(side * 3f32.sqrt()));
        assert!((mesh.geodesics(&[from as u32])[to] - 4.0).abs() < 1e-5, "two sides of equilateral triangles");
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
