//! Binding: the triangle, the shares and the offset with which y = sum b_i (x_i + d n_i) is the render mesh's vertex at
//! rest.
//!
//! Newton's method from the nearest point of the nearest triangle, and from triangle to triangle over the edge behind
//! which the solution is, until it is inside: so that neighbours on either side of an edge are bound alike. Beyond a
//! border the shares stay outside of 0 .. 1. Where no offset leads back (the vertex is further away than the surface is
//! bent round), the nearest point with the distance from it is what is left.

use crate::geometry::nearest::Tree;
use crate::geometry::vector::{P, add, cross, dot, scale, sub};
use rayon::prelude::*;
use seidel_kernels::render::Bond;

/// Newton's steps at most; it doubles its digits with each.
const STEPS: usize = 12;

/// Triangles that are tried for one vertex, at most.
const TRIES: usize = 8;

/// Shares may be so far outside and count as inside: both triangles of an edge will do.
const INSIDE: f64 = -1e-6;

/// Shares further outside than this are no solution: so many triangles' widths a render mesh may go beyond a border.
const FAR: f64 = 100.0;

/// Height of a triangle as a fraction of its longest side, below which nothing is bound to it.
const MIN_HEIGHT: f64 = 1e-6;

/// The simulated mesh at rest.
struct Rest<'a> {
    positions: &'a [[f32; 3]],
    normals: &'a [[f32; 3]],
    triangles: &'a [[u32; 3]],
    /// Directed edges of the triangles with an area, sorted: (from, to, triangle).
    edges: Vec<(u32, u32, u32)>,
}

/// Where a vertex is bound: shares of the second and third corner, and the offset.
#[derive(Clone, Copy)]
struct Solution {
    triangle: u32,
    b: f64,
    c: f64,
    d: f64,
}

impl Solution {
    /// The least share, and the corner that has it.
    fn least(self) -> (f64, usize) {
        let shares = [1.0 - self.b - self.c, self.b, self.c];
        (1..3).fold((shares[0], 0), |least, k| if shares[k] < least.0 { (shares[k], k) } else { least })
    }
}

/// A bond for each point; none if no triangle has an area. Positions are finite, corners exist.
pub(super) fn bonds(
    positions: &[[f32; 3]],
    normals: &[[f32; 3]],
    triangles: &[[u32; 3]],
    points: &[[f32; 3]],
    point_normals: &[[f32; 3]],
) -> Option<Vec<Bond>> {
    let mut rest = Rest { positions, normals, triangles, edges: Vec::new() };
    let shaped: Vec<u32> = (0..triangles.len() as u32).filter(|&t| rest.has_area(t)).collect();
    if shaped.is_empty() {
        return None;
    }
    for &t in &shaped {
        let [a, b, c] = triangles[t as usize];
        rest.edges.extend([(a, b, t), (b, c, t), (c, a, t)]);
    }
    rest.edges.sort_unstable();
    let tree = Tree::new((positions, triangles), shaped);
    let pairs = points.par_iter().zip(point_normals);
    let bond = |(&point, &normal): (&[f32; 3], &[f32; 3])| {
        let near = tree.nearest(point.map(f64::from)).expect("there is a triangle");
        rest.bond(near.triangle, near.shares, point.map(f64::from), normal.map(f64::from))
    };
    Some(pairs.map(bond).collect())
}

impl Rest<'_> {
    fn has_area(&self, t: u32) -> bool {
        let ([_, e1, e2], _) = self.corners(t);
        let e3 = sub(e2, e1);
        let longest = [e1, e2, e3].map(|e| dot(e, e)).into_iter().fold(0.0, |a: f64, b| if b > a { b } else { a });
        let n = cross(e1, e2);
        dot(n, n) > (MIN_HEIGHT * longest) * (MIN_HEIGHT * longest)
    }

    /// A triangle as its first corner and the edges from there, and its normals likewise.
    fn corners(&self, t: u32) -> ([P; 3], [P; 3]) {
        let at = self.triangles[t as usize];
        let [x0, x1, x2] = at.map(|v| self.positions[v as usize].map(f64::from));
        let [n0, n1, n2] = at.map(|v| self.normals[v as usize].map(f64::from));
        ([x0, sub(x1, x0), sub(x2, x0)], [n0, sub(n1, n0), sub(n2, n0)])
    }

    /// Columns of the map's Jacobian: dy/db, dy/dc, dy/dd.
    fn jacobian(&self, at: Solution) -> [P; 3] {
        let ([_, e1, e2], [n0, m1, m2]) = self.corners(at.triangle);
        let up = add(n0, add(scale(m1, at.b), scale(m2, at.c)));
        [add(e1, scale(m1, at.d)), add(e2, scale(m2, at.d)), up]
    }

    fn bond(&self, triangle: u32, shares: P, point: P, normal: P) -> Bond {
        let ([x0, e1, e2], _) = self.corners(triangle);
        let on = add(x0, add(scale(e1, shares[1]), scale(e2, shares[2])));
        let n = cross(e1, e2);
        let d = dot(sub(point, on), scale(n, 1.0 / dot(n, n).sqrt()));
        let nearest = Solution { triangle, b: shares[1], c: shares[2], d };
        let at = self.inside(nearest, point).unwrap_or_else(|| {
            let up = self.jacobian(nearest)[2];
            let along = dot(sub(point, on), up) / dot(up, up);
            Solution { d: if along.is_finite() { along } else { 0.0 }, ..nearest }
        });
        let [j1, j2, j3] = self.jacobian(at);
        let det = dot(cross(j1, j2), j3);
        let normal = if dot(normal, normal) > 0.0 { normal } else { j3 };
        let k = [j1, j2, j3].map(|j| (dot(j, normal) / det) as f32);
        Bond {
            corners: self.triangles[at.triangle as usize],
            shares: [at.b as f32, at.c as f32],
            offset: at.d as f32,
            normal: if k.iter().all(|k| k.is_finite()) { k } else { [0.0; 3] },
        }
    }

    /// From triangle to triangle to where the point is inside, or the least outside.
    fn inside(&self, nearest: Solution, point: P) -> Option<Solution> {
        let mut best: Option<Solution> = None;
        let (mut start, mut tried) = (nearest, [u32::MAX; TRIES]);
        for i in 0..TRIES {
            tried[i] = start.triangle;
            let Some(found) = self.solve(start, point) else { break };
            let (least, corner) = found.least();
            if best.is_none_or(|best| least > best.least().0) {
                best = Some(found);
            }
            if least >= INSIDE {
                break;
            }
            // Over the edge that faces this corner: there its twin runs the other way.
            let at = self.triangles[found.triangle as usize];
            let (from, to) = (at[(corner + 2) % 3], at[(corner + 1) % 3]);
            let twins = self.edges.partition_point(|e| (e.0, e.1) < (from, to));
            match self.edges.get(twins) {
                Some(&(a, b, triangle)) if (a, b) == (from, to) && !tried.contains(&triangle) => {
                    let third = 1.0 / 3.0;
                    start = Solution { triangle, b: third, c: third, d: found.d };
                }
                _ => break,
            }
        }
        best
    }

    /// Newton's method for y(b, c, d) = point.
    fn solve(&self, start: Solution, point: P) -> Option<Solution> {
        let mut at = start;
        let ([x0, e1, e2], _) = self.corners(at.triangle);
        for _ in 0..STEPS {
            let [j1, j2, up] = self.jacobian(at);
            let y = add(x0, add(scale(up, at.d), add(scale(e1, at.b), scale(e2, at.c))));
            let off = sub(point, y);
            let det = dot(cross(j1, j2), up);
            let step = [dot(cross(j2, up), off), dot(cross(up, j1), off), dot(cross(j1, j2), off)].map(|s| s / det);
            (at.b, at.c, at.d) = (at.b + step[0], at.c + step[1], at.d + step[2]);
            let sane = [at.b, at.c].iter().all(|s| s.abs() <= FAR) && at.d.is_finite();
            if !sane {
                return None;
            }
            let size = dot(e1, e1) + dot(e2, e2);
            if step[0].abs() + step[1].abs() < 1e-9 && step[2] * step[2] < 1e-18 * size {
                return Some(at);
            }
        }
        None
    }
}
