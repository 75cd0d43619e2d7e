//! Convex pieces of what is not convex: a ring, and the inside of a mesh. Rigid bodies touch each other, and colliders,
//! by them.
//!
//! A ring is cut into equal segments. A mesh is cut by planes along the axes, again and again where a piece's convex
//! hull holds most that is not the piece's (approximate convex decomposition, after Mamou and Ghorbel 2009 and Wei et
//! al. 2022, who cut along axes, too). Of the planes that are tried the one counts that takes most of it away. Where
//! none takes much (each half of a ring has the hull of half a disc) it is the middle of the longest side, after which
//! others do.
//!
//! A hull is that of the points that are outermost in 98 directions, so it lies inside of the piece's own, and a piece
//! of a box is exact.

use crate::describe::collider::hull_triangles;
use crate::describe::decomposition::{Decomposition, MOST_VERTICES};
use crate::describe::mesh::Mesh;
use crate::geometry::vector::{P, cross, dot};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Segments of a ring, and points around its tube: their surface is off the ring's by up to 0.9 % of its outer radius
/// plus 3.4 % of the tube's radius.
const AROUND: u32 = 24;
const TUBE: u32 = 12;

/// Where a piece may be cut, as parts of its width.
const CUTS: [f64; 5] = [0.2, 0.35, 0.5, 0.65, 0.8];

/// What counts beside the share of the hollow that a cut takes away: how even it is, and how long the side.
const BY_BALANCE: f64 = 0.1;

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
        CutPart::new(vec![points.collect()]).hull(MOST_VERTICES)
    };
    (0..AROUND).filter_map(segment).map(|(piece, _)| piece).collect()
}

/// Of the inside of a mesh; none if it has no volume.
pub(super) fn of_mesh(mesh: &Mesh, limits: &Decomposition) -> Vec<Piece> {
    let at = |v: u32| mesh.positions[v as usize].map(f64::from);
    let whole = CutPart::new(mesh.triangles.iter().map(|t| t.map(at).to_vec()).collect());
    let Some(whole) = whole.made(limits.vertices) else { return Vec::new() };
    let least = limits.concavity * whole.volume;
    let mut parts = vec![whole];
    while parts.len() < limits.pieces as usize {
        let worst = (0..parts.len()).reduce(|best, k| if parts[k].hollow > parts[best].hollow { k } else { best });
        let Some(worst) = worst.filter(|k| parts[*k].hollow > least) else { break };
        match parts[worst].cut(limits.vertices) {
            Some([one, other]) => {
                parts[worst] = one;
                parts.push(other);
            }
            // It is as good as flat on one side of each plane.
            None => parts[worst].hollow = 0.0,
        }
    }
    parts.into_iter().map(|made| made.piece).collect()
}

/// A part of a surface: polygons; and what closes it where it was cut: triangles from one point of a cut to its rim,
/// whose signs make up for those that are outside.
struct CutPart {
    faces: Vec<Vec<P>>,
    caps: Vec<Vec<P>>,
}

/// A part and its hull.
struct Made {
    part: CutPart,
    piece: Piece,
    /// Of the hull, m^3.
    volume: f64,
    /// What of that is not the part's, m^3.
    hollow: f64,
}

impl Made {
    /// Both sides of the plane that cuts it best.
    fn cut(&self, corners: u32) -> Option<[Made; 2]> {
        let sides = [0, 1, 2].map(|axis| self.part.extent(axis));
        let longest = sides.iter().map(|[low, high]| high - low).fold(0.0, larger);
        let halves = |axis: usize, share: f64| {
            let [low, high] = sides[axis];
            let [below, above] = self.part.halves(axis, low + (high - low) * share);
            Some([below.made(corners)?, above.made(corners)?])
        };
        let score = |plane: usize| {
            let (axis, share) = (plane / CUTS.len(), CUTS[plane % CUTS.len()]);
            let [a, b] = halves(axis, share)?;
            let [low, high] = sides[axis];
            let gain = (self.volume - (a.volume + b.volume)) / self.hollow;
            let balance = (1.0 - (2.0 * share - 1.0).abs()) * (high - low) / longest;
            Some((gain + BY_BALANCE * balance, axis, share))
        };
        // Halves are as large as their mesh, so a thread has those of one plane at a time, and the best are made again.
        let scores: Vec<Option<_>> = (0..sides.len() * CUTS.len()).into_par_iter().map(score).collect();
        let (_, axis, share) =
            scores.into_iter().flatten().reduce(|best, other| if other.0 > best.0 { other } else { best })?;
        halves(axis, share)
    }
}

impl Piece {
    /// The hull of what is outermost in few directions; none if it is flat.
    pub(super) fn coarser(&self, corners: u32) -> Option<Piece> {
        let points = self.points.iter().map(|x| x.map(f64::from)).collect();
        CutPart::new(vec![points]).hull(corners).map(|(piece, _)| piece)
    }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

impl CutPart {
    fn new(faces: Vec<Vec<P>>) -> CutPart {
        CutPart { faces, caps: Vec::new() }
    }

    /// Lowest and highest coordinate.
    fn extent(&self, axis: usize) -> [f64; 2] {
        let along = self.faces.iter().flatten().map(|p| p[axis]);
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [if x < low { x } else { low }, if x > high { x } else { high }]
        })
    }

    fn made(self, corners: u32) -> Option<Made> {
        let (piece, volume) = self.hull(corners)?;
        let hollow = volume - self.volume();
        Some(Made { part: self, piece, volume, hollow })
    }

    /// Of the inside, m^3.
    fn volume(&self) -> f64 {
        let of = |face: &Vec<P>| {
            let fans = face[1..].windows(2).map(|pair| dot(face[0], cross(pair[0], pair[1])));
            fans.sum::<f64>()
        };
        self.faces.iter().chain(&self.caps).filter(|face| face.len() > 2).map(of).sum::<f64>() / 6.0
    }

    /// The hull of what is outermost, with so many vertices at most, and its volume; none if it is flat.
    fn hull(&self, corners: u32) -> Option<(Piece, f64)> {
        let mut points: Vec<P> = Vec::new();
        for direction in directions(corners) {
            if points.len() == corners as usize {
                break;
            }
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

    /// What is below a plane, and what is above it, both closed.
    fn halves(&self, axis: usize, at: f64) -> [CutPart; 2] {
        let mut rims: [Vec<[P; 2]>; 2] = [Vec::new(), Vec::new()];
        let faces = parted(&self.faces, axis, at, &mut rims);
        let mut caps = parted(&self.caps, axis, at, &mut rims);
        for (caps, rim) in caps.iter_mut().zip(rims) {
            if let Some(&[first, _]) = rim.first() {
                caps.extend(rim.iter().map(|&[p, q]| vec![first, p, q]));
            }
        }
        let ([a, b], [c, d]) = (faces, caps);
        [CutPart { faces: a, caps: c }, CutPart { faces: b, caps: d }]
    }
}

/// Polygons below a plane, and those above it, and the edges in which the plane cuts these, turned around.
fn parted(faces: &[Vec<P>], axis: usize, at: f64, rims: &mut [Vec<[P; 2]>; 2]) -> [Vec<Vec<P>>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    for face in faces {
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
                // The same for both faces of an edge.
                let ((from, d), (to, e)) = if d < e { ((p, d), (next, e)) } else { ((next, e), (p, d)) };
                let t = d / (d - e);
                let mut between: P = std::array::from_fn(|i| from[i] + (to[i] - from[i]) * t);
                between[axis] = at;
                sides.iter_mut().for_each(|side| side.push(between));
            }
        }
        // What only touches the plane is a side of the other half.
        let beyond = [face.iter().any(|p| p[axis] < at), face.iter().any(|p| p[axis] > at)];
        for (half, side) in sides.into_iter().enumerate().filter(|(half, _)| beyond[*half]) {
            for (k, &p) in side.iter().enumerate() {
                let next = side[(k + 1) % side.len()];
                if p[axis] == at && next[axis] == at {
                    rims[half].push([next, p]);
                }
            }
            halves[half].push(side);
        }
    }
    halves
}

/// Towards the points on the surface of a lattice of 5 x 5 x 5. Where not all of them are asked for: first along the
/// axes, then to the corners and the middles of the edges of a cube.
fn directions(corners: u32) -> impl Iterator<Item = P> {
    let each = |k: i32| [k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2];
    let mut all: Vec<[i32; 3]> = (0..125).map(each).filter(|d| d.iter().any(|c| c.abs() == 2)).collect();
    if corners < MOST_VERTICES {
        all.sort_by_key(|d| match (d.contains(&1) || d.contains(&-1), d.iter().filter(|c| **c == 0).count()) {
            (false, 2) => 0,
            (false, 0) => 1,
            (false, _) => 2,
            (true, _) => 3,
        });
    }
    all.into_iter().map(|d| d.map(f64::from))
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
        let angle = Mesh { positions, triangles };
        let of = |limits: Decomposition| of_mesh(&angle, &limits);
        let unless_told = Decomposition::default();
        let pieces = of(unless_told);
        let got = volume(&pieces);
        assert!((2..5).contains(&pieces.len()) && (got - 3.0).abs() < 1e-5, "{} pieces of {got} m^3", pieces.len());
        assert_eq!(of_mesh(&Mesh::ball(1.0, 4), &unless_told).len(), 1);
        assert_eq!(of(Decomposition { pieces: 1, ..unless_told }).len(), 1);
        // Its hull is 3.5 m^3, half of one too many.
        assert_eq!(of(Decomposition { concavity: 0.2, ..unless_told }).len(), 1);
        let ball = of_mesh(&Mesh::ball(1.0, 4), &Decomposition { vertices: 8, ..unless_told });
        assert!(ball[0].points.len() == 8, "{}", ball[0].points.len());
    }
}
