//! Box against box: fifteen axes, three faces of each and nine pairs of edges (Gottschalk et al. 1996, "OBBTree";
//! Ericson 2004, 4.4.1), then the face that separates most is the reference, and the other box's face against it is
//! clipped to its sides; or two edges touch.

use super::clip::{Polygon, Reference, cut_side, feature, slack};
use super::point::{Manifold, Transform, ZERO};
use super::sphere::touch;
use crate::tuning::{NEAR_AXIS, NEARLY_PARALLEL, PARALLEL, gain, near_gain};
use seidel_kernels::lanes::{Dispatch, Kernel, Mask};
use seidel_kernels::{BATCH, Chunk, InChunks, Isa, Lanes, Pack, V3};

#[inline(always)]
fn array(v: V3<f32>) -> [f32; 3] {
    [v.x, v.y, v.z]
}

#[inline(always)]
fn sign(x: f32) -> f32 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

/// Of each lane which axis, and the separation along it.
#[derive(Clone, Copy)]
struct Best<L> {
    axis: L,
    separation: L,
}

impl<L: Lanes<Elem = f32>> Best<L> {
    #[inline(always)]
    fn none() -> Best<L> {
        Best { axis: L::zero(), separation: L::set(f32::NEG_INFINITY) }
    }

    #[inline(always)]
    fn see(&mut self, axis: usize, separation: L) {
        let better = separation.gt(self.separation);
        self.axis = L::select(better, L::splat(axis as f64), self.axis);
        self.separation = L::select(better, separation, self.separation);
    }
}

/// Two boxes in each lane: half their extents, B's axes and middle in A, and how far apart they may be.
#[derive(Clone, Copy)]
struct Boxes<L> {
    half: [[L; 3]; 2],
    axes: [[L; 3]; 3],
    at: [L; 3],
    reach: L,
}

/// The axes that separate most: of A's faces, of B's, of pairs of edges (3 i + j).
#[derive(Clone, Copy)]
struct Axes<L> {
    a: Best<L>,
    b: Best<L>,
    edges: Best<L>,
}

impl<L: Lanes<Elem = f32>> Boxes<L> {
    /// `edges` may be missing in lanes where a face separates by more than `reach`.
    #[inline(always)]
    fn axes(&self) -> Axes<L> {
        let Boxes { half: [ha, hb], axes, at: t, reach } = *self;
        // r[i][j]: A's axis i along B's axis j. Without closures: docs/decisions/no-closures-in-kernels.md.
        let (mut r, mut size) = ([[L::zero(); 3]; 3], [[L::zero(); 3]; 3]);
        for i in 0..3 {
            for j in 0..3 {
                (r[i][j], size[i][j]) = (axes[j][i], axes[j][i].abs());
            }
        }
        let mut best = Axes { a: Best::none(), b: Best::none(), edges: Best::none() };
        for i in 0..3 {
            let extent = ha[i] + ((hb[0] * size[i][0] + hb[1] * size[i][1]) + hb[2] * size[i][2]);
            best.a.see(i, t[i].abs() - extent);
        }
        for j in 0..3 {
            let along = (axes[j][0] * t[0] + axes[j][1] * t[1]) + axes[j][2] * t[2];
            let extent = hb[j] + ((ha[0] * size[0][j] + ha[1] * size[1][j]) + ha[2] * size[2][j]);
            best.b.see(j, along.abs() - extent);
        }
        if !(best.a.separation.le(reach) & best.b.separation.le(reach)).any() {
            return best;
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let squared = r[i1][j] * r[i1][j] + r[i2][j] * r[i2][j];
                let of_a = ha[i1] * size[i2][j] + ha[i2] * size[i1][j];
                let of_b = hb[j1] * size[i][j2] + hb[j2] * size[i][j1];
                let apart = (t[i2] * r[i1][j] - t[i1] * r[i2][j]).abs();
                let separation = (apart - (of_a + of_b)) / squared.sqrt();
                // Faces separate boxes with parallel edges.
                let turned = squared.gt(L::splat(f64::from(PARALLEL)));
                best.edges.see(3 * i + j, L::select(turned, separation, L::set(f32::NEG_INFINITY)));
            }
        }
        best
    }
}

impl Axes<f32> {
    /// Of a lane.
    #[inline(always)]
    fn of(packs: &[[Pack<f32>; 2]; 3], lane: usize) -> Axes<f32> {
        let [a, b, edges] = packs.map(|[axis, separation]| Best { axis: axis.0[lane], separation: separation.0[lane] });
        Axes { a, b, edges }
    }
}

/// Up to sixteen pairs of boxes, whose axes are looked at in lanes.
#[derive(Clone, Debug)]
pub struct CuboidPairs {
    half: [[Pack<f32>; 3]; 2],
    axes: [[Pack<f32>; 3]; 3],
    at: [Pack<f32>; 3],
    reach: Pack<f32>,
    places: [Transform; BATCH],
    count: usize,
}

/// [axis, separation] of [`Axes`], for each lane.
struct PairAxes<'a>(&'a CuboidPairs, &'a mut [[Pack<f32>; 2]; 3]);

#[inline(always)]
fn three<L: Lanes<Elem = f32>>([x, y, z]: &[Pack<f32>; 3], chunk: Chunk<L>) -> [L; 3] {
    [x.load(chunk), y.load(chunk), z.load(chunk)]
}

impl Kernel for PairAxes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let PairAxes(pairs, to) = self;
        for chunk in Chunk::<L>::holding(pairs.count) {
            let ([half_a, half_b], [x, y, z]) = (&pairs.half, &pairs.axes);
            let boxes = Boxes {
                half: [three(half_a, chunk), three(half_b, chunk)],
                axes: [three(x, chunk), three(y, chunk), three(z, chunk)],
                at: three(&pairs.at, chunk),
                reach: pairs.reach.load(chunk),
            };
            let Axes { a, b, edges } = boxes.axes();
            for ([axis, separation], best) in to.iter_mut().zip([a, b, edges]) {
                axis.store(chunk, best.axis);
                separation.store(chunk, best.separation);
            }
        }
    }
}

impl Default for CuboidPairs {
    fn default() -> Self {
        CuboidPairs {
            half: [[ZEROS; 3]; 2],
            axes: [[ZEROS; 3]; 3],
            at: [ZEROS; 3],
            // Nothing is near in lanes without a pair.
            reach: Pack([f32::NEG_INFINITY; BATCH]),
            places: [Transform { axes: [ZERO; 3], at: ZERO }; BATCH],
            count: 0,
        }
    }
}

const ZEROS: Pack<f32> = Pack([0.0; BATCH]);

impl CuboidPairs {
    /// Adds a pair, given as for [`super::collide`] by half the extents of both. Returns false, and adds none, where
    /// there are sixteen.
    #[must_use]
    pub fn push(&mut self, half: [[f32; 3]; 2], b_in_a: &Transform, reach: f32) -> bool {
        let lane = self.count;
        if lane == BATCH {
            return false;
        }
        let set = |packs: &mut [Pack<f32>; 3], v: [f32; 3]| packs.iter_mut().zip(v).for_each(|(to, v)| to.0[lane] = v);
        self.half.iter_mut().zip(half).for_each(|(packs, half)| set(packs, half));
        self.axes.iter_mut().zip(b_in_a.axes).for_each(|(packs, axis)| set(packs, array(axis)));
        set(&mut self.at, array(b_in_a.at));
        self.reach.0[lane] = reach;
        self.places[lane] = *b_in_a;
        self.count += 1;
        true
    }

    /// How many pairs there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `found` with the contact of each pair, in their order, and forgets them. The contacts are those of
    /// [`super::collide`], bit for bit.
    pub fn collide(&mut self, isa: Isa, mut found: impl FnMut(usize, &Manifold)) {
        let mut axes = [[ZEROS; 2]; 3];
        isa.dispatch(PairAxes(self, &mut axes));
        for lane in 0..self.count {
            let half = [0, 1].map(|k| [0, 1, 2].map(|c| self.half[k][c].0[lane]));
            let (b_in_a, reach) = (&self.places[lane], self.reach.0[lane]);
            let manifold = match b_in_a.is_finite() {
                true => along(&Axes::of(&axes, lane), half, b_in_a, reach),
                false => Manifold::NONE,
            };
            found(lane, if manifold.is_finite() { &manifold } else { &Manifold::NONE });
        }
        self.count = 0;
    }
}

pub(super) fn against_cuboid(ha: [f32; 3], hb: [f32; 3], b_in_a: &Transform, reach: f32) -> Manifold {
    let boxes = Boxes { half: [ha, hb], axes: b_in_a.axes.map(array), at: array(b_in_a.at), reach };
    along(&boxes.axes(), [ha, hb], b_in_a, reach)
}

/// The contact of boxes with known axes.
fn along(axes: &Axes<f32>, [ha, hb]: [[f32; 3]; 2], b_in_a: &Transform, reach: f32) -> Manifold {
    let best = |best: Best<f32>| (best.axis as usize, best.separation);
    let ((axis_a, separation_a), (axis_b, separation_b)) = (best(axes.a), best(axes.b));
    // Also where a number is NaN.
    if !(separation_a <= reach) || !(separation_b <= reach) {
        return Manifold::NONE;
    }
    let (axis_e, separation_e) = best(axes.edges);
    let t = array(b_in_a.at);
    let of_b = b_in_a.axes.map(array);
    // A's face unless B's is better, a face unless an edge is.
    let span = t[axis_a].abs() - separation_a;
    let near = of_b[axis_b][axis_a].abs() > NEAR_AXIS;
    let by_b = separation_b > separation_a + if near { near_gain(span) } else { gain(span) };
    let (face, face_normal) = if by_b {
        (separation_b, b_in_a.axes[axis_b])
    } else {
        let mut axis = [0.0; 3];
        axis[axis_a] = 1.0;
        (separation_a, V3::set(axis))
    };
    if separation_e > (face + gain(span)).smaller(reach) {
        let (i, j) = (axis_e / 3, axis_e % 3);
        let mut axis = [0.0; 3];
        axis[(i + 1) % 3] = -of_b[j][(i + 2) % 3];
        axis[(i + 2) % 3] = of_b[j][(i + 1) % 3];
        let axis = V3::set(axis);
        let normal = axis * (sign(axis.dot(b_in_a.at)) / axis.length());
        // Of edges that are nearly parallel the axis has few digits, which on long boxes is centimetres: what it
        // separates is reckoned anew, with all sides, for the axis as it is.
        let separation = if axis.length_squared() < NEARLY_PARALLEL {
            separation_along(normal, ha, hb, b_in_a)
        } else {
            separation_e
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
        let outward = -sign(b_in_a.axes[axis_b].dot(b_in_a.at));
        on_face(hb, ha, &b_in_a.inverse(), (axis_b, outward), Reference::B, reach).swapped(b_in_a)
    } else {
        on_face(ha, hb, b_in_a, (axis_a, sign(t[axis_a])), Reference::A, reach)
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
