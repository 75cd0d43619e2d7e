//! A polyhedron from the triangles of a closed convex hull.
//!
//! Triangles join into a face where their corners lie in its plane. All else is read off the joined triangles and not
//! off coordinates, so that neighbours agree: a face's loop is its border, and a vertex where only two faces meet lies
//! within an edge and is left out.

use crate::Polyhedron;
use crate::shape::PolyhedronParts;
use seidel_kernels::V3;

/// How far corners of a face may be from its plane, as a share of the size: some roundings of f32.
const COPLANAR: f64 = 1e-5;

/// Least area of a face and least volume of a polyhedron, as a share of the size's square and cube.
const DEGENERATE: f64 = 1e-12;

impl Polyhedron {
    /// From a closed convex hull: its triangles counter-clockwise seen from outside.
    ///
    /// Vertices in one place are one; those inside a face or an edge, and those that no triangle has, are left out.
    /// None where the triangles are no closed surface, or it is flat, inside out or not convex, or a number is not
    /// finite.
    #[must_use]
    pub fn new(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Option<Polyhedron> {
        if triangles
            .iter()
            .flatten()
            .any(|v| vertices.get(*v as usize).is_none_or(|v| !v.iter().all(|x| x.is_finite())))
        {
            return None;
        }
        let triangles = welded(vertices, triangles);
        let at = |v: u32| V3::<f64>::set(vertices[v as usize].map(f64::from));
        let size = size(triangles.iter().flatten().map(|v| at(*v)))?;
        let neighbours = neighbours(&triangles)?;

        // Largest first: the planes of slivers are roundings.
        let normal = |[a, b, c]: [u32; 3]| (at(b) - at(a)).cross(at(c) - at(a));
        let mut order: Vec<(f64, usize)> =
            triangles.iter().enumerate().map(|(index, t)| (normal(*t).length(), index)).collect();
        order.sort_by(|(a, i), (b, j)| b.total_cmp(a).then(i.cmp(j)));
        let mut face_of = vec![NO_FACE; triangles.len()];
        let mut faces = 0;
        for &(area, seed) in &order {
            if face_of[seed] != NO_FACE {
                continue;
            }
            if area <= DEGENERATE * size * size {
                return None;
            }
            let (unit, origin) = (normal(triangles[seed]) * (1.0 / area), at(triangles[seed][0]));
            face_of[seed] = faces;
            let mut reached = vec![seed];
            while let Some(triangle) = reached.pop() {
                for next in neighbours[triangle] {
                    let flat = |v: &u32| (unit.dot(at(*v) - origin)).abs() <= COPLANAR * size;
                    // Of a thin plate the other side is flat, too.
                    let aligned = unit.dot(normal(triangles[next])) >= -DEGENERATE * size * size;
                    if face_of[next] == NO_FACE && aligned && triangles[next].iter().all(flat) {
                        face_of[next] = faces;
                        reached.push(next);
                    }
                }
            }
            faces += 1;
        }
        let loops = borders(&triangles, &neighbours, &face_of, faces)?;
        assemble(vertices, &loops, size)
    }
}

const NO_FACE: u32 = u32::MAX;

/// Triangles whose vertices in one place are the first of these; without those that have become a line.
fn welded(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    // Adding 0 makes one zero of two.
    let key = |v: u32| vertices[v as usize].map(|x| (x + 0.0).to_bits());
    let mut order: Vec<u32> = triangles.iter().flatten().copied().collect();
    order.sort_by_key(|v| (key(*v), *v));
    order.dedup();
    let mut first: Vec<u32> = (0..vertices.len() as u32).collect();
    for pair in order.windows(2) {
        if key(pair[0]) == key(pair[1]) {
            first[pair[1] as usize] = first[pair[0] as usize];
        }
    }
    let triangles = triangles.iter().map(|t| t.map(|v| first[v as usize]));
    triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect()
}

/// The largest extent along an axis; None if it is 0.
fn size(mut points: impl Iterator<Item = V3<f64>>) -> Option<f64> {
    let first = points.next()?;
    let (mut low, mut high) = ([first.x, first.y, first.z], [first.x, first.y, first.z]);
    for p in points {
        for (axis, x) in [p.x, p.y, p.z].into_iter().enumerate() {
            low[axis] = if x < low[axis] { x } else { low[axis] };
            high[axis] = if x > high[axis] { x } else { high[axis] };
        }
    }
    let mut size = 0.0;
    for axis in 0..3 {
        let extent = high[axis] - low[axis];
        size = if extent > size { extent } else { size };
    }
    (size > 0.0).then_some(size)
}

/// For each triangle those across its sides; None if a side has not exactly one on its other side.
fn neighbours(triangles: &[[u32; 3]]) -> Option<Vec<[usize; 3]>> {
    let mut sides: Vec<([u32; 2], usize)> = vec![];
    for (index, [a, b, c]) in triangles.iter().enumerate() {
        sides.extend([[*a, *b], [*b, *c], [*c, *a]].map(|side| (side, index)));
    }
    sides.sort_unstable();
    if sides.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let across = |from: u32, to: u32| {
        sides.binary_search_by_key(&[to, from], |(side, _)| *side).ok().map(|found| sides[found].1)
    };
    triangles.iter().map(|[a, b, c]| Some([across(*a, *b)?, across(*b, *c)?, across(*c, *a)?])).collect()
}

/// For each face its border as pairs of a vertex and the face across the side that begins there, in order, without the
/// vertices within an edge; None if it is not one loop of three or more.
fn borders(
    triangles: &[[u32; 3]],
    neighbours: &[[usize; 3]],
    face_of: &[u32],
    faces: u32,
) -> Option<Vec<Vec<(u32, u32)>>> {
    let mut sides = vec![vec![]; faces as usize];
    for (index, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (face, beyond) = (face_of[index], face_of[neighbours[index][k]]);
            if face != beyond {
                sides[face as usize].push((triangle[k], triangle[(k + 1) % 3], beyond));
            }
        }
    }
    let border = |mut sides: Vec<(u32, u32, u32)>| {
        sides.sort_unstable();
        let start = sides.first()?.0;
        let mut ring = vec![];
        let mut at = start;
        loop {
            let (from, to, beyond) = *sides.get(sides.binary_search_by_key(&at, |side| side.0).ok()?)?;
            ring.push((from, beyond));
            at = to;
            if at == start {
                break;
            }
            if ring.len() > sides.len() {
                return None;
            }
        }
        if ring.len() != sides.len() {
            return None;
        }
        let corner = |k: &usize| ring[*k].1 != ring[(k + ring.len() - 1) % ring.len()].1;
        let corners: Vec<_> = (0..ring.len()).filter(corner).map(|k| ring[k]).collect();
        (corners.len() >= 3).then_some(corners)
    };
    sides.into_iter().map(border).collect()
}

/// Vertices, planes and edges of the loops; None unless it is convex, has a volume, and Euler's V - E + F is 2.
fn assemble(all: &[[f32; 3]], rings: &[Vec<(u32, u32)>], size: f64) -> Option<Polyhedron> {
    let mut used: Vec<u32> = rings.iter().flatten().map(|(v, _)| *v).collect();
    used.sort_unstable();
    used.dedup();
    let renamed = |v: u32| used.binary_search(&v).map_or(0, |at| at as u32);
    let at = |v: u32| V3::<f64>::set(all[v as usize].map(f64::from));
    let mut hull = PolyhedronParts {
        vertices: used.iter().map(|v| all[*v as usize]).collect(),
        planes: vec![],
        starts: vec![0],
        loops: vec![],
        edges: vec![],
    };
    let mut volume = 0.0;
    for (face, ring) in rings.iter().enumerate() {
        let origin = at(ring[0].0);
        let mut area = V3::<f64>::zero();
        for pair in ring[1..].windows(2) {
            let part = (at(pair[0].0) - origin).cross(at(pair[1].0) - origin);
            area = area + part;
            volume += part.dot(origin - at(used[0]));
        }
        let length = area.length();
        if length <= DEGENERATE * size * size {
            return None;
        }
        let normal = area * (1.0 / length);
        // All vertices are on it or below; of a hull none of the others is above.
        let mut d = normal.dot(origin);
        for v in &used {
            let height = normal.dot(at(*v));
            if height > normal.dot(origin) + 4.0 * COPLANAR * size {
                return None;
            }
            d = if height > d { height } else { d };
        }
        hull.planes.push([normal.x as f32, normal.y as f32, normal.z as f32, d as f32]);
        hull.loops.extend(ring.iter().map(|(v, _)| renamed(*v)));
        hull.starts.push(hull.loops.len() as u32);
        for (k, (v, beyond)) in ring.iter().enumerate() {
            if (face as u32) < *beyond {
                let next = ring[(k + 1) % ring.len()].0;
                hull.edges.push([renamed(*v), renamed(next), face as u32, *beyond]);
            }
        }
    }
    let sides = hull.loops.len();
    let euler = hull.vertices.len() + hull.planes.len() == hull.edges.len() + 2 && sides == 2 * hull.edges.len();
    (euler && volume > DEGENERATE * size * size * size).then(|| Polyhedron::of(hull))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The triangles of the hull of points in general position, by trying all.
    pub(crate) fn hull_of(points: &[[f32; 3]]) -> Option<Polyhedron> {
        let at = |v: usize| V3::<f64>::set(points[v].map(f64::from));
        let mut triangles = vec![];
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                for k in j + 1..points.len() {
                    let normal = (at(j) - at(i)).cross(at(k) - at(i));
                    let height = |v: usize| normal.dot(at(v) - at(i));
                    let others = || (0..points.len()).filter(|v| ![i, j, k].contains(v));
                    if others().all(|v| height(v) < 0.0) {
                        triangles.push([i as u32, j as u32, k as u32]);
                    } else if others().all(|v| height(v) > 0.0) {
                        triangles.push([i as u32, k as u32, j as u32]);
                    }
                }
            }
        }
        Polyhedron::new(points, &triangles)
    }

    fn is_sound(hull: &Polyhedron) {
        let hull = &hull.parts;
        let (v, e, f) = (hull.vertices.len(), hull.edges.len(), hull.planes.len());
        assert_eq!(v + f, e + 2);
        for [x, y, z, d] in &hull.planes {
            let size =
                hull.vertices.iter().flatten().fold(0.0f32, |most, x| if x.abs() > most { x.abs() } else { most });
            let heights = hull.vertices.iter().map(|p| x * p[0] + y * p[1] + z * p[2] - d);
            assert!(heights.clone().all(|h| h <= 2e-6 * size), "{hull:?}");
            assert!(heights.filter(|h| h.abs() < 5e-5 * size).count() >= 3);
        }
        for [v0, v1, f0, f1] in &hull.edges {
            for (face, from, to) in [(f0, v0, v1), (f1, v1, v0)] {
                let ring = &hull.loops[hull.starts[*face as usize] as usize..hull.starts[*face as usize + 1] as usize];
                let k = ring.iter().position(|v| v == from).unwrap();
                assert_eq!(ring[(k + 1) % ring.len()], *to);
            }
        }
    }

    /// A box as triangles, each side cut in n x n squares.
    fn cut_box(half: f32, n: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let (mut vertices, mut triangles) = (vec![], vec![]);
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let base = vertices.len() as u32;
                for i in 0..=n {
                    for j in 0..=n {
                        let mut p = [side; 3];
                        p[(axis + 1) % 3] = 2.0 * i as f32 / n as f32 - 1.0;
                        p[(axis + 2) % 3] = 2.0 * j as f32 / n as f32 - 1.0;
                        vertices.push(p.map(|x| x * half));
                    }
                }
                for i in 0..n {
                    for j in 0..n {
                        let [a, b, c, d] =
                            [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| base + i * (n + 1) + j);
                        let both = if side > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                        triangles.extend(both);
                    }
                }
            }
        }
        (vertices, triangles)
    }

    #[test]
    fn a_box_of_many_triangles_is_six_faces() {
        for half in [1e-6, 1.0, 1e6] {
            for n in [1, 2, 5] {
                let (mut vertices, triangles) = cut_box(half, n);
                vertices.push([9.0; 3]);
                let hull = Polyhedron::new(&vertices, &triangles).unwrap();
                is_sound(&hull);
                assert_eq!((hull.parts.vertices.len(), hull.parts.edges.len(), hull.parts.planes.len()), (8, 12, 6));
                let planes = &hull.parts.planes;
                assert!(planes.iter().all(|p| p[3] == half && p[..3].iter().map(|x| x.abs()).sum::<f32>() == 1.0));
            }
        }
    }

    #[test]
    fn hulls_of_random_points_hold_euler_and_their_vertices() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        for count in 4..20 {
            let points: Vec<[f32; 3]> = (0..count).map(|_| [random(), random(), random()]).collect();
            let hull = hull_of(&points).unwrap();
            is_sound(&hull);
        }
    }

    #[test]
    fn what_is_no_solid_gives_none() {
        let (vertices, triangles) = cut_box(1.0, 2);
        let new = Polyhedron::new;
        assert_eq!(new(&[], &[]), None);
        assert_eq!(new(&vertices, &triangles[1..]), None, "open");
        assert_eq!(
            new(&vertices, &triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect::<Vec<_>>()),
            None,
            "inside out"
        );
        assert_eq!(new(&vertices, &[[0, 1, 999]]), None, "no such vertex");
        let flat: Vec<[f32; 3]> = vertices.iter().map(|[x, y, _]| [*x, *y, 0.0]).collect();
        assert_eq!(new(&flat, &triangles), None, "flat");
        let mut dented = vertices.clone();
        dented[4][0] += 0.5;
        assert_eq!(new(&dented, &triangles), None, "not convex");
        let mut bad = vertices;
        bad[0][0] = f32::NAN;
        assert_eq!(new(&bad, &triangles), None, "not finite");
    }
}
