//! Shapes by their signed distance: how far a point is outside (negative: inside), and the way out.
//!
//! ```text
//! capsule    |x - s| - r,  s the nearest point of the segment from -l to l along y
//! box        q = |x| - h:  |max(q, 0)| + min(max q, 0)
//! cylinder   the same with q = (sqrt(x^2 + z^2) - r, |y| - l)
//! torus      |(sqrt(x^2 + z^2) - R, y)| - r
//! ```
//! These are exact, so |grad| = 1 wherever there is one, and a ball of that radius about the point is free. Others (sdf.rs, hull.rs,
//! heights.rs) have the same sign and say how steep they are.

use super::{Heights, Hull, SdfGrid};
use crate::V3;
use crate::lanes::Lanes;
use crate::tuning::MIN_LENGTH;

/// How a distance bends over a triangle.
#[derive(Clone, Copy, Debug)]
pub enum Over {
    /// Along an arm a in the triangle its slope falls by (x a_x^2 + y a_y^2 + z a_z^2) / |a|, at most, for these, 1/m, >= 0; infinite
    /// where that is not known.
    Smooth(V3<f64>),
    /// It has a crease across the triangle: which meets this edge, from corner `k` to the next, at this part of the edge, 0..1.
    Creased(usize, f64),
}

/// How far below its tangent plane at any point of a neighbourhood a distance is at another, at the end of an arm a from that, at most:
/// falls |a| + (x a_x^2 + y a_y^2 + z a_z^2) / 2, the letters those of `curved`; what is left above nothing, times `part`, and
/// below, over `part`.
#[derive(Clone, Copy, Debug)]
pub struct Bend<L> {
    /// By how much its slope falls at creases.
    pub falls: L,
    /// How fast its slope falls elsewhere along the axes, 1/m.
    pub curved: V3<L>,
    /// Above 0, at most 1; for distances that jump.
    pub part: L,
}

/// What a distance with a value and a gradient at a point of a triangle is over the triangle, at least.
#[inline(always)]
pub(super) fn lower<L: Lanes>(x: &[V3<L>; 3], at: V3<L>, (value, gradient): (L, V3<L>), bend: &Bend<L>) -> L {
    let along = [x[0] - at, x[1] - at, x[2] - at];
    let (h0, h1, h2) =
        (below(along[0], gradient, bend), below(along[1], gradient, bend), below(along[2], gradient, bend));
    let low = value + h0.smaller(h1).smaller(h2);
    L::select(low.gt(L::zero()), low * bend.part, low / bend.part)
}

/// How it changes along an arm, at least.
#[inline(always)]
fn below<L: Lanes>(arm: V3<L>, gradient: V3<L>, bend: &Bend<L>) -> L {
    let squares = V3::new(arm.x * arm.x, arm.y * arm.y, arm.z * arm.z);
    arm.dot(gradient) - (bend.falls * arm.length() + squares.dot(bend.curved) * L::splat(0.5))
}

/// A number that no bend reaches: nothing is known.
pub(super) const UNKNOWN: f64 = (1u64 << 60) as f64;

/// A shape about its own origin.
pub trait Distance: Copy {
    /// Signed distance in metres, and the unit normal: the direction in which it grows fastest. Where there are several, one.
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>);

    /// The same and how fast it grows there, at most [`Distance::slope`].
    #[inline(always)]
    fn graded<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>, L) {
        let (distance, normal) = self.distance(x);
        (distance, normal, L::splat(1.0))
    }

    /// Radius of a ball about the origin that holds the shape, metres; or, where it has no end, what it was made from.
    fn bound(&self) -> f32;

    /// Half the sides of a box about the origin that holds the shape, along its axes, metres. None where it has no end.
    fn half(&self) -> Option<[f32; 3]> {
        self.ends().then(|| [self.bound(); 3])
    }

    /// Whether nothing of it is further out than `bound`.
    fn ends(&self) -> bool {
        true
    }

    /// Whether asking for the distance is dear enough to look at the bound first.
    fn dear(&self) -> bool {
        false
    }

    /// None for a convex shape. Otherwise the least step along a path, metres: what it overtakes is shallow.
    fn stride(&self) -> Option<f32> {
        None
    }

    /// Half of what it is thick where it is thinnest, about, metres.
    fn girth(&self) -> f32;

    /// Radius of what is round about it, metres: corners of triangles stay a little further out, so that the triangles do. None
    /// where there are only faces and edges.
    fn round(&self) -> Option<f32> {
        None
    }

    /// Whether the distance is a convex function.
    fn convex(&self) -> bool {
        self.stride().is_none()
    }

    /// How the distance bends over a triangle.
    fn over(&self, _x: &[V3<f64>; 3]) -> Over {
        Over::Smooth(V3::zero())
    }

    /// How the distance bends about a point, as far as `reach`, metres.
    #[inline(always)]
    fn about<L: Lanes>(&self, _x: V3<L>, _reach: L) -> Bend<L> {
        Bend { falls: L::zero(), curved: V3::zero(), part: L::splat(1.0) }
    }

    /// The most by which the distance changes a metre: a ball of distance / slope is free.
    fn slope(&self) -> f32 {
        1.0
    }

    /// The least that the distance may be so far, metres, from where it has a value.
    #[inline(always)]
    fn least<L: Lanes>(&self, value: L, reach: L) -> L {
        value - reach * number(self.slope())
    }

    /// How deep a path may begin on the surface all the same, metres: what a push along the normal leaves.
    fn skin(&self) -> f32 {
        0.0
    }
}

/// Everything within a radius of a segment along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Metres, > 0.
    pub radius: f32,
    /// Half the segment, metres, >= 0.
    pub half_length: f32,
}

/// A box about the origin along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half its sides, metres, > 0.
    pub half: [f32; 3],
}

/// A cylinder about y with flat ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Metres, > 0.
    pub radius: f32,
    /// Half its height, metres, > 0.
    pub half_height: f32,
}

/// A ring about y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// From the centre to the middle of the tube, metres, > the tube's.
    pub ring: f32,
    /// Of the tube, metres, > 0.
    pub tube: f32,
}

/// The solids that colliders may be. A shape more is its equation above and a line here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid<'a> {
    /// A capsule.
    Capsule(Capsule),
    /// A box.
    Cuboid(Cuboid),
    /// A cylinder.
    Cylinder(Cylinder),
    /// A ring.
    Torus(Torus),
    /// A grid of signed distances.
    Sdf(SdfGrid<'a>),
    /// A convex hull.
    Hull(Hull<'a>),
    /// A height field.
    Heights(Heights<'a>),
}

/// What a solid is, by its own type.
macro_rules! each {
    ($solid:expr, $shape:ident => $what:expr) => {
        match $solid {
            Solid::Capsule($shape) => $what,
            Solid::Cuboid($shape) => $what,
            Solid::Cylinder($shape) => $what,
            Solid::Torus($shape) => $what,
            Solid::Sdf($shape) => $what,
            Solid::Hull($shape) => $what,
            Solid::Heights($shape) => $what,
        }
    };
}

pub(super) use each;

impl Distance for Solid<'_> {
    #[inline(always)]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        each!(self, shape => shape.distance(x))
    }

    #[inline(always)]
    fn graded<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>, L) {
        each!(self, shape => shape.graded(x))
    }

    fn bound(&self) -> f32 {
        each!(self, shape => shape.bound())
    }

    fn half(&self) -> Option<[f32; 3]> {
        each!(self, shape => shape.half())
    }

    fn ends(&self) -> bool {
        each!(self, shape => shape.ends())
    }

    fn dear(&self) -> bool {
        each!(self, shape => shape.dear())
    }

    fn stride(&self) -> Option<f32> {
        each!(self, shape => shape.stride())
    }

    fn girth(&self) -> f32 {
        each!(self, shape => shape.girth())
    }

    fn round(&self) -> Option<f32> {
        each!(self, shape => shape.round())
    }

    fn convex(&self) -> bool {
        each!(self, shape => shape.convex())
    }

    fn over(&self, x: &[V3<f64>; 3]) -> Over {
        each!(self, shape => shape.over(x))
    }

    #[inline(always)]
    fn about<L: Lanes>(&self, x: V3<L>, reach: L) -> Bend<L> {
        each!(self, shape => shape.about(x, reach))
    }

    fn slope(&self) -> f32 {
        each!(self, shape => shape.slope())
    }

    #[inline(always)]
    fn least<L: Lanes>(&self, value: L, reach: L) -> L {
        each!(self, shape => shape.least(value, reach))
    }

    fn skin(&self) -> f32 {
        each!(self, shape => shape.skin())
    }
}

/// The same number in every lane.
#[inline(always)]
pub(super) fn number<L: Lanes>(v: f32) -> L {
    L::splat(f64::from(v))
}

/// v / |v|, or `instead` where that is nothing.
#[inline(always)]
fn direction<L: Lanes>(v: V3<L>, length: L, instead: V3<L>) -> V3<L> {
    V3::select(length.gt(L::splat(MIN_LENGTH)), v * (L::splat(1.0) / length), instead)
}

/// -1 where negative, otherwise 1.
#[inline(always)]
fn sign<L: Lanes>(v: L) -> L {
    L::select(v.lt(L::zero()), L::splat(-1.0), L::splat(1.0))
}

#[inline(always)]
fn axis<L: Lanes>(v: [f64; 3]) -> V3<L> {
    V3::new(L::splat(v[0]), L::splat(v[1]), L::splat(v[2]))
}

impl Distance for Capsule {
    #[inline(always)]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let half = number::<L>(self.half_length);
        let along = x.y.smaller(half).larger(-half);
        let away = V3::new(x.x, x.y - along, x.z);
        let length = away.length();
        (length - number(self.radius), direction(away, length, axis([1.0, 0.0, 0.0])))
    }

    fn bound(&self) -> f32 {
        self.radius + self.half_length
    }

    fn half(&self) -> Option<[f32; 3]> {
        Some([self.radius, self.radius + self.half_length, self.radius])
    }

    fn girth(&self) -> f32 {
        self.radius
    }

    fn round(&self) -> Option<f32> {
        Some(self.radius)
    }
}

impl Distance for Cuboid {
    #[inline(always)]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let zero = L::zero();
        let q = V3::new(
            x.x.abs() - number(self.half[0]),
            x.y.abs() - number(self.half[1]),
            x.z.abs() - number(self.half[2]),
        );
        let out = V3::new(q.x.larger(zero), q.y.larger(zero), q.z.larger(zero));
        let length = out.length();
        let deepest = q.x.larger(q.y).larger(q.z);
        // Inside: by the nearest face, x before y before z.
        let (by_x, by_y) = (q.x.ge(q.y) & q.x.ge(q.z), q.y.ge(q.z));
        let face =
            V3::select(by_x, axis([1.0, 0.0, 0.0]), V3::select(by_y, axis([0.0, 1.0, 0.0]), axis([0.0, 0.0, 1.0])));
        let n = direction(out, length, face);
        (length + deepest.smaller(zero), V3::new(n.x * sign(x.x), n.y * sign(x.y), n.z * sign(x.z)))
    }

    fn bound(&self) -> f32 {
        let [x, y, z] = self.half;
        ((x * x + y * y) + z * z).sqrt()
    }

    fn half(&self) -> Option<[f32; 3]> {
        Some(self.half)
    }

    fn girth(&self) -> f32 {
        self.half[0].min(self.half[1]).min(self.half[2])
    }
}

impl Distance for Cylinder {
    #[inline(always)]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let zero = L::zero();
        let flat = V3::new(x.x, zero, x.z);
        let from_axis = flat.length();
        let (side, end) = (from_axis - number(self.radius), x.y.abs() - number(self.half_height));
        let (side_out, end_out) = (side.larger(zero), end.larger(zero));
        let length = (side_out * side_out + end_out * end_out).sqrt();
        let inside = side.larger(end).smaller(zero);
        let outwards = direction(flat, from_axis, axis([1.0, 0.0, 0.0]));
        let by_side = side.ge(end);
        let (s, e) = (L::splat(1.0).or_zero(by_side), L::select(by_side, zero, L::splat(1.0)));
        let beyond = length.gt(L::splat(MIN_LENGTH));
        let inv = L::splat(1.0) / length;
        let (s, e) = (L::select(beyond, side_out * inv, s), L::select(beyond, end_out * inv, e));
        (length + inside, V3::new(outwards.x * s, e * sign(x.y), outwards.z * s))
    }

    fn bound(&self) -> f32 {
        (self.radius * self.radius + self.half_height * self.half_height).sqrt()
    }

    fn half(&self) -> Option<[f32; 3]> {
        Some([self.radius, self.half_height, self.radius])
    }

    fn girth(&self) -> f32 {
        self.radius.min(self.half_height)
    }

    fn round(&self) -> Option<f32> {
        Some(self.radius)
    }
}

impl Distance for Torus {
    #[inline(always)]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let flat = V3::new(x.x, L::zero(), x.z);
        let from_axis = flat.length();
        let outwards = direction(flat, from_axis, axis([1.0, 0.0, 0.0]));
        let away = outwards * (from_axis - number(self.ring));
        let away = V3::new(away.x, x.y, away.z);
        let length = away.length();
        (length - number(self.tube), direction(away, length, axis([0.0, 1.0, 0.0])))
    }

    fn bound(&self) -> f32 {
        self.ring + self.tube
    }

    fn half(&self) -> Option<[f32; 3]> {
        Some([self.ring + self.tube, self.tube, self.ring + self.tube])
    }

    fn girth(&self) -> f32 {
        self.tube
    }

    fn round(&self) -> Option<f32> {
        Some(self.tube)
    }

    fn over(&self, x: &[V3<f64>; 3]) -> Over {
        let middle = (x[0] + x[1] + x[2]) * (1.0 / 3.0);
        let reach = x.map(|x| (x - middle).length_squared()).into_iter().fold(0.0, f64::max).sqrt();
        let Bend { falls, curved, .. } = self.about(middle, reach);
        Over::Smooth(if falls < UNKNOWN { curved } else { V3::new(f64::INFINITY, 0.0, 0.0) })
    }

    /// Around the axis, at s from it, the slope falls by (R - s) / (s |(R - s, y)|) a metre within the ring. Elsewhere the distance
    /// is convex.
    #[inline(always)]
    fn about<L: Lanes>(&self, x: V3<L>, reach: L) -> Bend<L> {
        let (zero, one) = (L::zero(), L::splat(1.0));
        let from_axis = V3::new(x.x, zero, x.z).length();
        let (least, within) = (from_axis - reach, number::<L>(self.ring) - from_axis);
        let from_tube = (within * within + x.y * x.y).sqrt() - reach;
        let across = (within + reach).larger(zero) / from_tube.larger(L::splat(MIN_LENGTH));
        let known = least.gt(L::splat(MIN_LENGTH));
        let curved = (across.smaller(one) / least).or_zero(known);
        let falls = L::select(known, zero, L::splat(UNKNOWN));
        Bend { falls, curved: V3::new(curved, zero, curved), part: one }
    }

    fn stride(&self) -> Option<f32> {
        Some(self.tube / 64.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where there is one normal, it is the gradient, of length 1; and the ball of that radius is free.
    fn check<D: Distance + std::fmt::Debug>(shape: D) {
        let mut random = 7u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(random >> 8) / 8_388_608.0 - 1.0
        };
        let distance = |x: [f64; 3]| shape.distance(V3::<f64>::set(x)).0;
        let mut checked = 0;
        for _ in 0..5_000 {
            let x = [2.0 * next(), 2.0 * next(), 2.0 * next()];
            let (d, n) = shape.distance(V3::<f64>::set(x));
            let n = [n.x, n.y, n.z];
            assert!((n.iter().map(|n| n * n).sum::<f64>() - 1.0).abs() < 1e-9, "{shape:?} at {x:?}: {n:?}");
            // The nearest point of the surface lies along the normal.
            let foot: [f64; 3] = std::array::from_fn(|k| x[k] - n[k] * d);
            assert!(distance(foot).abs() < 1e-6, "{shape:?} at {x:?}: {d} along {n:?}");
            let other = [x[0] + 0.3 * next(), x[1] + 0.3 * next(), x[2] + 0.3 * next()];
            let apart = (0..3).map(|k| (other[k] - x[k]) * (other[k] - x[k])).sum::<f64>().sqrt();
            assert!((distance(other) - d).abs() <= apart * (1.0 + 1e-9), "{shape:?}: steeper than 1 at {x:?}");
            checked += usize::from(d < 0.0);
            let far = x.iter().map(|x| x * x).sum::<f64>().sqrt() - f64::from(shape.bound());
            assert!(d >= far - 1e-6, "{shape:?}: its bound does not hold it");
        }
        assert!(checked > 50, "{shape:?}: {checked} inside");
    }

    #[test]
    fn distances_are_exact() {
        check(Capsule { radius: 0.5, half_length: 0.7 });
        check(Capsule { radius: 0.8, half_length: 0.0 });
        check(Cuboid { half: [0.9, 0.4, 0.6] });
        check(Cylinder { radius: 0.8, half_height: 0.5 });
        check(Torus { ring: 1.1, tube: 0.4 });
    }

    #[test]
    fn where_there_are_several_ways_out_one_is_taken() {
        let of = |(d, n): (f32, V3<f32>)| (d, [n.x, n.y, n.z]);
        let zero = V3::zero();
        assert_eq!(of(Capsule { radius: 0.5, half_length: 1.0 }.distance(zero)), (-0.5, [1.0, 0.0, 0.0]));
        assert_eq!(of(Cuboid { half: [1.0, 2.0, 2.0] }.distance(zero)), (-1.0, [1.0, 0.0, 0.0]));
        assert_eq!(of(Cylinder { radius: 2.0, half_height: 1.0 }.distance(zero)), (-1.0, [0.0, 1.0, 0.0]));
        assert_eq!(of(Torus { ring: 2.0, tube: 0.5 }.distance(zero)), (1.5, [-1.0, 0.0, 0.0]));
    }
}
