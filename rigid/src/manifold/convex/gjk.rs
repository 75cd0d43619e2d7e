//! The distance of two convex cores (Gilbert, Johnson and Keerthi 1988; simplices by the regions of Ericson 2004, 5.1).

use super::pair::NearestPair;
use super::support::Convex;
use crate::vector::V;
use seidel_kernels::V3;

/// Steps at most. Round shapes take some twenty.
const STEPS: usize = 64;
/// A share of the squared distance: what may be left of it.
const CLOSE: f64 = 1e-12;
/// A share of the largest squared distance that was seen: less is none.
const NOTHING: f64 = 1e-24;

/// A point of A less one of B, and both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) w: V,
    pub(super) a: V,
    pub(super) b: V,
}

pub(super) const NO_VERTEX: Vertex = Vertex { w: ZERO, a: ZERO, b: ZERO };
const ZERO: V = V { x: 0.0, y: 0.0, z: 0.0 };

/// The farthest point of A - B along a direction.
pub(super) fn farthest(a: &Convex<'_>, b: &Convex<'_>, along: V) -> Vertex {
    let (a, b) = (a.support(along), b.support(-along));
    Vertex { w: a - b, a, b }
}

/// A simplex whose corners' weights say where its point nearest to the origin is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex {
    pub(super) vertices: [Vertex; 4],
    pub(super) count: usize,
    weights: [f64; 4],
}

/// What was found.
// It is taken apart where it is made; a box would be an allocation for each pair.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(super) enum Distance {
    /// More than was asked for.
    Beyond,
    Apart(NearestPair),
    /// The simplex holds the origin, or touches it.
    Overlap(Simplex),
}

pub(super) fn distance(a: &Convex<'_>, b: &Convex<'_>, first: V, reach: f64) -> Distance {
    let mut simplex = Simplex { vertices: [farthest(a, b, first); 4], count: 1, weights: [1.0, 0.0, 0.0, 0.0] };
    let mut most = simplex.vertices[0].w.length_squared();
    let mut v = simplex.vertices[0].w;
    for _ in 0..STEPS {
        let squared = v.length_squared();
        if squared <= NOTHING * most {
            return Distance::Overlap(simplex);
        }
        let next = farthest(a, b, -v);
        let along = v.dot(next.w);
        // No point of A - B is nearer than this.
        if along > 0.0 && along * along > reach * reach * squared {
            return Distance::Beyond;
        }
        let same = |vertex: &Vertex| (vertex.w - next.w).length_squared() == 0.0;
        let known = simplex.vertices[..simplex.count].iter().any(same);
        if known || squared - along <= CLOSE * squared {
            break;
        }
        most = if next.w.length_squared() > most { next.w.length_squared() } else { most };
        simplex.vertices[simplex.count] = next;
        simplex.count += 1;
        if !simplex.reduce() {
            return Distance::Overlap(simplex);
        }
        let nearer = simplex.point(|vertex| vertex.w);
        // Roundings end it.
        if !(nearer.length_squared() < squared) {
            break;
        }
        v = nearer;
    }
    let length = v.length();
    if !(length > 0.0) {
        return Distance::Overlap(simplex);
    }
    let pair = NearestPair {
        normal: v * (-1.0 / length),
        separation: length,
        a: simplex.point(|vertex| vertex.a),
        b: simplex.point(|vertex| vertex.b),
    };
    Distance::Apart(pair)
}

impl Simplex {
    fn point(&self, of: impl Fn(&Vertex) -> V) -> V {
        let each = self.vertices[..self.count].iter().zip(self.weights);
        each.fold(ZERO, |sum, (vertex, weight)| sum + of(vertex) * weight)
    }

    /// Keeps the corners that the nearest point is made of. False where the origin is inside.
    fn reduce(&mut self) -> bool {
        let w = self.vertices.map(|vertex| vertex.w);
        let kept = match self.count {
            1 => vec4([1.0, 0.0, 0.0], [0; 3]),
            2 => vec4(segment(w[0], w[1]), [0, 1, 0]),
            3 => vec4(triangle(w[0], w[1], w[2]), [0, 1, 2]),
            _ => match tetrahedron(&w) {
                Some(kept) => kept,
                None => return false,
            },
        };
        let before = self.vertices;
        self.count = 0;
        for (k, weight) in kept.into_iter().enumerate() {
            if weight > 0.0 {
                (self.vertices[self.count], self.weights[self.count]) = (before[k], weight);
                self.count += 1;
            }
        }
        true
    }
}

/// Weights of three corners at their places among four.
fn vec4(weights: [f64; 3], at: [usize; 3]) -> [f64; 4] {
    let mut all = [0.0; 4];
    for (weight, k) in weights.into_iter().zip(at) {
        if weight > 0.0 {
            all[k] = weight;
        }
    }
    all
}

fn segment(a: V, b: V) -> [f64; 3] {
    let d = b - a;
    let (along, whole) = (-a.dot(d), d.length_squared());
    if along <= 0.0 {
        [1.0, 0.0, 0.0]
    } else if along >= whole {
        [0.0, 1.0, 0.0]
    } else {
        [1.0 - along / whole, along / whole, 0.0]
    }
}

fn triangle(a: V, b: V, c: V) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let scale = 1.0 / ((va + vb) + vc);
    let (v, w) = (vb * scale, vc * scale);
    [(1.0 - v) - w, v, w]
}

/// None where the origin is inside.
fn tetrahedron(w: &[V; 4]) -> Option<[f64; 4]> {
    let mut best: Option<([f64; 4], f64)> = None;
    for [i, j, k, opposite] in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]] {
        let normal = (w[j] - w[i]).cross(w[k] - w[i]);
        let (origin, other) = (-normal.dot(w[i]), normal.dot(w[opposite] - w[i]));
        // The origin is on the other side of the face, or the simplex is flat.
        if origin * other < 0.0 || other == 0.0 {
            let weights = vec4(triangle(w[i], w[j], w[k]), [i, j, k]);
            let at = (0..4).fold(V3::zero(), |sum, k| sum + w[k] * weights[k]);
            let squared = at.length_squared();
            if best.is_none_or(|(_, least)| squared < least) {
                best = Some((weights, squared));
            }
        }
    }
    best.map(|(weights, _)| weights)
}
