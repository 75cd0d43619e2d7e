//! Surfaces that close, and how deep a point is inside one.
//!
//! ```text
//!   inside: (x - y) . n < 0, y the point of the surface nearest to x, n the normal there
//! ```
//! where n is that of a triangle; on an edge the sum of both triangles'; at a vertex the sum of those around it, each
//! weighted by its angle (Baerentzen, Aanaes 2005, "Signed distance computation using the angle weighted
//! pseudonormal"). Exact, but for roundings, where the surface does not go through itself.

use crate::geometry::nearest::Tree;
use crate::geometry::vector::{P, add, cross, dot, length, scale, sub};

/// Triangles of which every side is that of exactly one other, run through the other way.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    triangles: Vec<[u32; 3]>,
    /// The triangle across each side; side k is from corner k to the next.
    across: Vec<[u32; 3]>,
    /// Neighbours in the shape that it was made of.
    order: Vec<u32>,
    /// 1 if corners are counter-clockwise seen from outside, else -1.
    sign: f64,
}

/// A tree over a shell's triangles where they are.
pub(crate) type Moved<'a> = Tree<(&'a [[f32; 3]], &'a [[u32; 3]])>;

/// A point inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inside {
    /// Distance from the surface, metres.
    pub(crate) depth: f64,
    /// The triangle that is nearest.
    pub(crate) triangle: u32,
}

impl Shell {
    /// None if the triangles do not close, or hold no volume at these positions. They name positions that exist.
    pub(crate) fn new(positions: &[[f32; 3]], triangles: Vec<[u32; 3]>) -> Option<Shell> {
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        for (number, &[a, b, c]) in (0..).zip(&triangles) {
            if a == b || b == c || c == a {
                return None;
            }
            sides.extend([[a, b], [b, c], [c, a]].map(|side| (side, number)));
        }
        sides.sort_unstable();
        if sides.windows(2).any(|two| two[0].0 == two[1].0) {
            return None;
        }
        let other = |a: u32, b: u32| sides.binary_search_by_key(&[b, a], |side| side.0).ok().map(|at| sides[at].1);
        let beside = |&[a, b, c]: &[u32; 3]| Some([other(a, b)?, other(b, c)?, other(c, a)?]);
        let across = triangles.iter().map(beside).collect::<Option<Vec<_>>>()?;
        let origin = positions.get(triangles.first()?[0] as usize)?.map(f64::from);
        let six = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| sub(positions[v as usize].map(f64::from), origin));
            dot(a, cross(b, c))
        };
        let volume: f64 = triangles.iter().map(six).sum();
        let sign = if volume < 0.0 { -1.0 } else { 1.0 };
        let order = Tree::new((positions, &triangles[..]), (0..triangles.len() as u32).collect()).into_order();
        (volume.abs() > 0.0 && volume.is_finite()).then_some(Shell { triangles, across, order, sign })
    }

    /// Its triangles.
    pub(crate) fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// A tree over its triangles at these positions, which are finite.
    pub(crate) fn tree<'a>(&'a self, at: &'a [[f32; 3]]) -> Moved<'a> {
        Tree::in_order((at, &self.triangles[..]), self.order.clone())
    }

    /// Where a point is inside; none outside. The tree is that of these positions.
    pub(crate) fn inside(&self, at: &[[f32; 3]], tree: &Moved<'_>, x: P) -> Option<Inside> {
        let near = tree.nearest(x)?;
        let t = near.triangle;
        let normal = match near.shares.map(|share| share > 0.0) {
            [true, true, true] => face(self.corners(at, t)),
            [true, true, false] => self.edge(at, t, 0),
            [false, true, true] => self.edge(at, t, 1),
            [true, false, true] => self.edge(at, t, 2),
            [true, ..] => self.vertex(at, t, 0),
            [_, true, _] => self.vertex(at, t, 1),
            _ => self.vertex(at, t, 2),
        };
        let [a, b, c] = self.corners(at, t);
        let [s, u, v] = near.shares;
        let off = sub(x, add(scale(a, s), add(scale(b, u), scale(c, v))));
        let is_inside = self.sign * dot(off, normal) < 0.0;
        is_inside.then(|| Inside { depth: f64::sqrt(near.squared), triangle: t })
    }

    fn corners(&self, at: &[[f32; 3]], triangle: u32) -> [P; 3] {
        self.triangles[triangle as usize].map(|v| at[v as usize].map(f64::from))
    }

    /// The normal of a side.
    fn edge(&self, at: &[[f32; 3]], triangle: u32, side: usize) -> P {
        let other = self.across[triangle as usize][side];
        add(face(self.corners(at, triangle)), face(self.corners(at, other)))
    }

    /// The normal of a corner, of all triangles around it from one side to the next.
    fn vertex(&self, at: &[[f32; 3]], triangle: u32, corner: usize) -> P {
        let vertex = self.triangles[triangle as usize][corner];
        let (mut t, mut k, mut sum) = (triangle, corner, [0.0; 3]);
        loop {
            let corners = self.corners(at, t);
            let (x, y) = (sub(corners[(k + 1) % 3], corners[k]), sub(corners[(k + 2) % 3], corners[k]));
            sum = add(sum, scale(face(corners), libm::atan2(length(cross(x, y)), dot(x, y))));
            // Each triangle at a vertex is across a side of exactly one other, so the way comes back.
            t = self.across[t as usize][(k + 2) % 3];
            k = self.triangles[t as usize].iter().position(|&v| v == vertex).unwrap_or(0);
            if t == triangle {
                return sum;
            }
        }
    }
}

/// The unit normal of a triangle, zero where it has no area.
fn face([a, b, c]: [P; 3]) -> P {
    let normal = cross(sub(b, a), sub(c, a));
    let long = length(normal);
    if long > 0.0 { scale(normal, 1.0 / long) } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::mesh::Mesh;

    /// How often a surface goes around a point: the solid angle of its triangles (van Oosterom, Strackee 1983).
    fn turns(mesh: &Mesh, x: P) -> f64 {
        let angle = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| sub(mesh.positions[v as usize].map(f64::from), x));
            let [la, lb, lc] = [a, b, c].map(length);
            let down = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
            2.0 * libm::atan2(dot(a, cross(b, c)), down)
        };
        mesh.triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    /// A star: all its points are sharp, and all its valleys deep.
    fn star() -> Mesh {
        let mut mesh = Mesh::ball(1.0, 2);
        for (v, x) in mesh.positions.iter_mut().enumerate() {
            *x = x.map(|c| c * [0.3, 1.0, 0.5, 0.8][v % 4]);
        }
        mesh
    }

    #[test]
    fn the_sign_is_that_of_the_winding_number() {
        let mut random = 5u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(random >> 8) / 8_388_608.0 - 1.0
        };
        let mut turned = star();
        turned.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        for mesh in [star(), turned] {
            let shell = Shell::new(&mesh.positions, mesh.triangles.clone()).unwrap();
            let tree = shell.tree(&mesh.positions);
            let (mut inside, mut outside) = (0, 0);
            for _ in 0..3000 {
                let x = std::array::from_fn(|_| 0.9 * next());
                let winds = turns(&mesh, x).abs() > 0.5;
                let found = shell.inside(&mesh.positions, &tree, x);
                assert_eq!(found.is_some(), winds, "{x:?}");
                *if winds { &mut inside } else { &mut outside } += 1;
                let nearest = tree.nearest(x).unwrap();
                assert!(found.is_none_or(|found| found.depth == f64::sqrt(nearest.squared)));
            }
            assert!(inside > 300 && outside > 300, "{inside} {outside}");
        }
    }

    #[test]
    fn what_does_not_close_has_no_inside() {
        let mesh = Mesh::ball(1.0, 0);
        let shell = |triangles: Vec<[u32; 3]>| Shell::new(&mesh.positions, triangles);
        assert!(shell(mesh.triangles.clone()).is_some());
        assert!(shell(mesh.triangles[1..].to_vec()).is_none(), "a hole");
        let mut turned = mesh.triangles.clone();
        turned[3].swap(0, 1);
        assert!(shell(turned).is_none(), "a triangle that is turned over");
        assert!(shell(mesh.triangles.repeat(2)).is_none(), "each twice");
        assert!(shell(vec![[0, 0, 1]]).is_none() && shell(Vec::new()).is_none());
        assert!(shell(vec![[0, 1, 2], [0, 2, 1]]).is_none(), "no volume");
    }
}
