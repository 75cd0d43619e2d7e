//! Convex pieces of what is not convex: a ring, and the inside of a mesh. Rigid bodies touch each other, and colliders, by them.
//!
//! A ring is cut into equal segments. A mesh is cut by planes along the axes, again and again where that takes most away from the volume of the
//! pieces' hulls (as approximate convex decompositions do: Mamou, Ghorbel 2009; planes along axes are those of the simplest). A hull is that of the
//! points that are outermost in 98 directions, so it lies inside of the piece's own, and a piece of a box is exact.

use crate::describe::collider::hull_triangles;
use crate::describe::mesh::Mesh;
use crate::geometry::vector::{P, cross, dot};
use std::f64::consts::TAU;

/// Segments of a ring, and points around its tube: their surface is off the ring's by up to 0.9 % of its outer radius plus 3.4 % of the tube's radius.
const AROUND: u32 = 24;
const TUBE: u32 = 12;

/// Pieces of a mesh at most.
const MOST: usize = 32;
/// A cut takes at least this part of the whole hull away.
const LEAST_GAIN: f64 = 0.004;
/// Where a piece may be cut, as parts of its width.
const CUTS: [f64; 5] = [0.2, 0.35, 0.5, 0.65, 0.8];

/// A hull: its points, and triangles that look outwards.
pub(super) struct Piece {
    pub(super) points: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Of a ring about y.
pub(super) fn of_ring(ring: f64, tube: f64) -> Vec<Piece> {
    let circle = |k: u32, of: u32| libm::sincos(f64::from(k % of) / f64::from(of) * TAU);
    let segment = |i: u32| {
        let ends = [i, i + 1].into_iter().flat_map(|i| (0..TUBE).map(move |k| (i, k)));
        let points = ends.map(|(i, k)| {
            let ((s, c), (up, out)) = (circle(i, AROUND), circle(k, TUBE));
            let r = ring + tube * out;
            [r * c, tube * up, r * s]
        });
        Part { faces: vec![points.collect()] }.hull()
    };
    (0..AROUND).filter_map(segment).map(|(piece, _)| piece).collect()
}

/// Of the inside of a mesh; none if it has no volume.
pub(super) fn of_mesh(mesh: &Mesh) -> Vec<Piece> {
    let at = |v: u32| mesh.positions[v as usize].map(f64::from);
    let whole = Part { faces: mesh.triangles.iter().map(|t| t.map(at).to_vec()).collect() };
    let Some((piece, volume)) = whole.hull() else { return Vec::new() };
    let mut parts = vec![whole.cut(volume)];
    let mut pieces = vec![piece];
    while parts.len() < MOST {
        let gain = |k: &usize| parts[*k].as_ref().map_or(0.0, |cut| cut.gain);
        let best = (0..parts.len()).reduce(|best, k| if gain(&k) > gain(&best) { k } else { best });
        let Some(best) = best.filter(|k| gain(k) > LEAST_GAIN * volume) else { break };
        let Some(cut) = parts[best].take() else { break };
        let [(a, first), (b, second)] = cut.halves;
        let made = [a, b].map(|part| part.hull());
        let [Some((one, va)), Some((other, vb))] = made else { break };
        (parts[best], pieces[best]) = (first.cut(va), one);
        parts.push(second.cut(vb));
        pieces.push(other);
    }
    pieces
}

/// A part of a surface: polygons.
#[derive(Clone)]
struct Part {
    faces: Vec<Vec<P>>,
}

/// A part in two, each twice: to make its hull, and to be cut again.
struct Cut {
    gain: f64,
    halves: [(Part, Part); 2],
}

impl Part {
    /// The hull of what is outermost, and its volume; none if it is flat.
    fn hull(&self) -> Option<(Piece, f64)> {
        let mut points: Vec<P> = Vec::new();
        for direction in directions() {
            let along = |p: &P| dot(*p, direction);
            let most = self.faces.iter().flatten().reduce(|best, p| if along(p) > along(best) { p } else { best })?;
            if !points.contains(most) {
                points.push(*most);
            }
        }
        let points: Vec<[f32; 3]> = points.iter().map(|p| p.map(|c| c as f32)).collect();
        let triangles = hull_triangles(&points)?;
        let at = |v: u32| points[v as usize].map(f64::from);
        let volume = triangles.iter().map(|&[a, b, c]| dot(at(a), cross(at(b), at(c)))).sum::<f64>() / 6.0;
        (volume > 0.0).then_some((Piece { points, triangles }, volume))
    }

    /// The plane that takes most away from a hull of this volume.
    fn cut(&self, volume: f64) -> Option<Cut> {
        let mut best: Option<Cut> = None;
        for axis in 0..3 {
            let along = || self.faces.iter().flatten().map(|p| p[axis]);
            let low = along().fold(f64::INFINITY, |low, x| if x < low { x } else { low });
            let high = along().fold(f64::NEG_INFINITY, |high, x| if x > high { x } else { high });
            for share in CUTS {
                let halves = self.halves(axis, low + (high - low) * share);
                let [Some((_, a)), Some((_, b))] = [&halves[0], &halves[1]].map(Part::hull) else { continue };
                let gain = volume - (a + b);
                if best.as_ref().is_none_or(|best| gain > best.gain) {
                    best = Some(Cut { gain, halves: halves.map(|half| (half.clone(), half)) });
                }
            }
        }
        best
    }

    /// What is below a plane, and what is above it.
    fn halves(&self, axis: usize, at: f64) -> [Part; 2] {
        let mut halves = [Part { faces: Vec::new() }, Part { faces: Vec::new() }];
        for face in &self.faces {
            let mut sides = [Vec::new(), Vec::new()];
            for (k, &p) in face.iter().enumerate() {
                let next = face[(k + 1) % face.len()];
                let (d, e) = (p[axis] - at, next[axis] - at);
                if d <= 0.0 {
                    sides[0].push(p);
                }
                if d >= 0.0 {
                    sides[1].push(p);
                }
                if d * e < 0.0 {
                    let t = d / (d - e);
                    let mut between: P = std::array::from_fn(|i| p[i] + (next[i] - p[i]) * t);
                    between[axis] = at;
                    sides.iter_mut().for_each(|side| side.push(between));
                }
            }
            // What only touches the plane is a side of the other half.
            let beyond = [face.iter().any(|p| p[axis] < at), face.iter().any(|p| p[axis] > at)];
            for ((half, side), beyond) in halves.iter_mut().zip(sides).zip(beyond) {
                if beyond {
                    half.faces.push(side);
                }
            }
        }
        halves
    }
}

/// Towards the points on the surface of a lattice of 5 x 5 x 5.
fn directions() -> impl Iterator<Item = P> {
    let each = |k: i32| [k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2];
    (0..125).map(each).filter(|d| d.iter().any(|c| c.abs() == 2)).map(|d| d.map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(pieces: &[Piece]) -> f64 {
        let of = |piece: &Piece| {
            let at = |v: u32| piece.points[v as usize].map(f64::from);
            piece.triangles.iter().map(|&[a, b, c]| dot(at(a), cross(at(b), at(c)))).sum::<f64>() / 6.0
        };
        pieces.iter().map(of).sum()
    }

    #[test]
    fn pieces_of_a_ring_fill_it() {
        let pieces = of_ring(1.0, 0.25);
        let whole = 2.0 * std::f64::consts::PI.powi(2) * 0.25 * 0.25;
        let got = volume(&pieces) / whole;
        assert!(pieces.len() == 24 && got > 0.93 && got < 1.0, "{got}");
    }

    #[test]
    fn an_angle_is_cut_into_two_boxes_and_a_ball_into_nothing() {
        // An L of two boxes, 1 x 1 x 1 and 1 x 2 x 1, as prism over six corners.
        let rim = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0f32]];
        let positions: Vec<[f32; 3]> = [0.0, 1.0f32].iter().flat_map(|&z| rim.map(|[x, y]| [x, y, z])).collect();
        let cap = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5u32]];
        let mut triangles: Vec<[u32; 3]> = cap.iter().map(|&[a, b, c]| [a, c, b]).collect();
        triangles.extend(cap.map(|t| t.map(|v| v + 6)));
        for k in 0..6 {
            let n = (k + 1) % 6;
            triangles.extend([[k, n, n + 6], [k, n + 6, k + 6]]);
        }
        let pieces = of_mesh(&Mesh { positions, triangles });
        let got = volume(&pieces);
        assert!((2..5).contains(&pieces.len()) && (got - 3.0).abs() < 1e-5, "{} pieces of {got} m^3", pieces.len());
        assert_eq!(of_mesh(&Mesh::ball(1.0, 4)).len(), 1);
    }
}
