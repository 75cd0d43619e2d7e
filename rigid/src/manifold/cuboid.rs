//! Box against box: fifteen axes, three faces of each and nine pairs of edges (Gottschalk et al. 1996, "OBBTree";
//! Ericson 2004, 4.4.1), then the face that separates most is the reference, and the other box's face against it is
//! clipped to its sides; or two edges touch.

use super::clip::{Polygon, Reference, cut_side, feature, slack};
use super::point::{Manifold, Transform};
use super::sphere::touch;
use crate::tuning::{NEAR_AXIS, NEARLY_PARALLEL, PARALLEL, gain, near_gain};
use seidel_kernels::{Lanes, V3};

#[inline(always)]
fn array(v: V3<f32>) -> [f32; 3] {
    [v.x, v.y, v.z]
}

#[inline(always)]
fn sign(x: f32) -> f32 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

/// Which axis, and the separation along it.
#[derive(Clone, Copy)]
struct Best {
    axis: usize,
    separation: f32,
}

impl Best {
    const NONE: Best = Best { axis: 0, separation: f32::NEG_INFINITY };

    #[inline(always)]
    fn see(&mut self, axis: usize, separation: f32) {
        if separation > self.separation {
            *self = Best { axis, separation };
        }
    }
}

pub(super) fn against_cuboid(ha: [f32; 3], hb: [f32; 3], b_in_a: &Transform, reach: f32) -> Manifold {
    let axes = b_in_a.axes.map(array);
    let t = array(b_in_a.at);
    // r[i][j]: A's axis i along B's axis j.
    let r = [0, 1, 2].map(|i| [axes[0][i], axes[1][i], axes[2][i]]);
    let size = r.map(|row| row.map(f32::abs));

    let mut a = Best::NONE;
    for i in 0..3 {
        let extent = ha[i] + ((hb[0] * size[i][0] + hb[1] * size[i][1]) + hb[2] * size[i][2]);
        a.see(i, t[i].abs() - extent);
    }
    // Also where a number is NaN.
    if !(a.separation <= reach) {
        return Manifold::NONE;
    }
    let tb = array(b_in_a.turn_back(b_in_a.at));
    let mut b = Best::NONE;
    for j in 0..3 {
        let extent = hb[j] + ((ha[0] * size[0][j] + ha[1] * size[1][j]) + ha[2] * size[2][j]);
        b.see(j, tb[j].abs() - extent);
    }
    if !(b.separation <= reach) {
        return Manifold::NONE;
    }
    let mut edges = Best::NONE;
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let squared = r[i1][j] * r[i1][j] + r[i2][j] * r[i2][j];
            // Faces separate boxes with parallel edges.
            if squared > PARALLEL {
                let of_a = ha[i1] * size[i2][j] + ha[i2] * size[i1][j];
                let of_b = hb[j1] * size[i][j2] + hb[j2] * size[i][j1];
                let apart = (t[i2] * r[i1][j] - t[i1] * r[i2][j]).abs();
                edges.see(3 * i + j, (apart - (of_a + of_b)) / squared.sqrt());
            }
        }
    }
    // A's face unless B's is better, a face unless an edge is.
    let span = t[a.axis].abs() - a.separation;
    let by_b =
        b.separation > a.separation + if size[a.axis][b.axis] > NEAR_AXIS { near_gain(span) } else { gain(span) };
    let (face, face_normal) = if by_b {
        (b.separation, b_in_a.axes[b.axis])
    } else {
        let mut axis = [0.0; 3];
        axis[a.axis] = 1.0;
        (a.separation, V3::set(axis))
    };
    if edges.separation > (face + gain(span)).smaller(reach) {
        let (i, j) = (edges.axis / 3, edges.axis % 3);
        let mut axis = [0.0; 3];
        axis[(i + 1) % 3] = -r[(i + 2) % 3][j];
        axis[(i + 2) % 3] = r[(i + 1) % 3][j];
        let axis = V3::set(axis);
        let normal = axis * (sign(axis.dot(b_in_a.at)) / axis.length());
        // Of edges that are nearly parallel the axis has few digits, which on long boxes is centimetres: what it
        // separates is reckoned anew, with all sides, for the axis as it is.
        let separation = if axis.length_squared() < NEARLY_PARALLEL {
            separation_along(normal, ha, hb, b_in_a)
        } else {
            edges.separation
        };
        if separation > reach {
            return Manifold::NONE;
        }
        let near = normal.dot(face_normal).abs() > NEAR_AXIS;
        if separation > face + if near { near_gain(span) } else { gain(span) } {
            return edge_on_edge(ha, hb, b_in_a, (i, j), normal, reach);
        }
    }
    if by_b {
        let outward = -sign(tb[b.axis]);
        on_face(hb, ha, &b_in_a.inverse(), (b.axis, outward), Reference::B, reach).swapped(b_in_a)
    } else {
        on_face(ha, hb, b_in_a, (a.axis, sign(t[a.axis])), Reference::A, reach)
    }
}

#[inline(always)]
fn separation_along(normal: V3<f32>, ha: [f32; 3], hb: [f32; 3], b_in_a: &Transform) -> f32 {
    let extent = |n: V3<f32>, h: [f32; 3]| (n.x.abs() * h[0] + n.y.abs() * h[1]) + n.z.abs() * h[2];
    normal.dot(b_in_a.at) - (extent(normal, ha) + extent(b_in_a.turn_back(normal), hb))
}

/// The points on a face of the first box, in its frame.
#[inline(always)]
fn on_face(
    half: [f32; 3],
    other_half: [f32; 3],
    other: &Transform,
    (axis, outward): (usize, f32),
    reference: Reference,
    reach: f32,
) -> Manifold {
    // The other box's face that looks most against this one.
    let axes = other.axes.map(array);
    let mut k = 0;
    for other_axis in 1..3 {
        if axes[other_axis][axis].abs() > axes[k][axis].abs() {
            k = other_axis;
        }
    }
    let inward = -sign(outward * axes[k][axis]);
    let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
    let centre = other.at + other.axes[k] * (inward * other_half[k]);
    let (u, v) = (other.axes[k1] * other_half[k1], other.axes[k2] * other_half[k2]);
    let corners = [(centre + u) + v, (centre - u) + v, (centre - u) - v, (centre + u) - v];
    let along = |p: V3<f32>, axis: usize| {
        if axis == 0 {
            p.x
        } else if axis == 1 {
            p.y
        } else {
            p.z
        }
    };
    let height = |p: V3<f32>| outward * along(p, axis) - half[axis];
    let mut polygon = Polygon::<8>::new();
    let mut lowest = corners[0];
    for (number, corner) in corners.iter().enumerate() {
        polygon.push(*corner, number as u32);
        if height(*corner) < height(lowest) {
            lowest = *corner;
        }
    }
    for (side, side_axis) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().enumerate() {
        let far = half[side_axis] + slack(half[side_axis]);
        polygon.cut(cut_side(2 * side), |p| along(p, side_axis) - far);
        polygon.cut(cut_side(2 * side + 1), |p| -along(p, side_axis) - far);
    }
    let mut normal = [0.0; 3];
    normal[axis] = outward;
    let faces = feature(reference, face_number(axis, outward), face_number(k, inward));
    let onto = |p: V3<f32>| {
        let p = array(p);
        let mut on = [0, 1, 2].map(|i| p[i].smaller(half[i]).larger(-half[i]));
        on[axis] = outward * half[axis];
        V3::set(on)
    };
    polygon.manifold(V3::set(normal), faces, reach, height, lowest, onto)
}

#[inline(always)]
fn face_number(axis: usize, sign: f32) -> u32 {
    2 * axis as u32 + u32::from(sign > 0.0)
}

/// The edges along A's axis i and B's axis j that are nearest along the normal touch in their closest points.
#[inline(always)]
fn edge_on_edge(
    ha: [f32; 3],
    hb: [f32; 3],
    b_in_a: &Transform,
    (i, j): (usize, usize),
    normal: V3<f32>,
    reach: f32,
) -> Manifold {
    // The middle of the edge of a box that is farthest along n.
    let edge = |half: [f32; 3], n: [f32; 3], axis: usize| {
        let (k1, k2) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut middle = [0.0; 3];
        middle[k1] = sign(n[k1]) * half[k1];
        middle[k2] = sign(n[k2]) * half[k2];
        (V3::set(middle), 4 * axis as u32 + 2 * u32::from(n[k1] >= 0.0) + u32::from(n[k2] >= 0.0))
    };
    let (middle_a, edge_a) = edge(ha, array(normal), i);
    let (middle_b, edge_b) = edge(hb, array(b_in_a.turn_back(-normal)), j);
    let middle_b = b_in_a.point(middle_b);
    let mut along = [0.0; 3];
    along[i] = 1.0;
    let (da, db) = (V3::set(along), b_in_a.axes[j]);
    // Closest points of two lines that are not parallel (Ericson 2004, 5.1.8), kept on the edges.
    let between = middle_b - middle_a;
    let (across, to_a, to_b) = (da.dot(db), da.dot(between), db.dot(between));
    let scale = 1.0 / (1.0 - across * across).larger(PARALLEL);
    let s = ((to_a - across * to_b) * scale).smaller(ha[i]).larger(-ha[i]);
    let u = ((across * to_a - to_b) * scale).smaller(hb[j]).larger(-hb[j]);
    let (a, b) = (middle_a + da * s, middle_b + db * u);
    // Along any normal this is at most the distance, so it may be less precise than the axis is.
    touch(a, b, normal.dot(b - a), normal, reach, feature(Reference::Edges, edge_a, edge_b))
}
