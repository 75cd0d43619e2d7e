//! Round shapes and boxes: their signed distances.
//!
//! ```text
//! capsule    |x - s| - r,  s the nearest point of the segment from -l to l along y
//! box        q = |x| - h:  |max(q, 0)| + min(max q, 0)
//! cylinder   the same with q = (sqrt(x^2 + z^2) - r, |y| - l)
//! cone       the nearer of the segments (0, -l) (r, -l) and (r, -l) (0, l) in the plane (sqrt(x^2 + z^2), y)
//! torus      |(sqrt(x^2 + z^2) - R, y)| - r
//! ```
//! These are exact, so |grad| = 1 wherever there is one, and a ball of that radius about the point is free.

use super::bends::{Bend, Over, UNKNOWN};
use super::signed::{SignedDistance, number};
use crate::V3;
use crate::lanes::Lanes;
use crate::tuning::MIN_LENGTH;

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

/// A cone about y: its tip at the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Of its base, metres, > 0.
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

impl SignedDistance for Capsule {
    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
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

    fn exact(&self) -> bool {
        true
    }

    fn girth(&self) -> f32 {
        self.radius
    }

    fn round(&self) -> Option<f32> {
        Some(self.radius)
    }
}

impl SignedDistance for Cuboid {
    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
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

    fn exact(&self) -> bool {
        true
    }

    fn girth(&self) -> f32 {
        self.half[0].min(self.half[1]).min(self.half[2])
    }
}

impl SignedDistance for Cylinder {
    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
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

    fn exact(&self) -> bool {
        true
    }

    fn girth(&self) -> f32 {
        self.radius.min(self.half_height)
    }

    fn round(&self) -> Option<f32> {
        Some(self.radius)
    }
}

impl SignedDistance for Cone {
    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
    fn distance<L: Lanes>(&self, x: V3<L>) -> (L, V3<L>) {
        let (zero, one) = (L::zero(), L::splat(1.0));
        let (radius, half) = (number::<L>(self.radius), number::<L>(self.half_height));
        let flat = V3::new(x.x, zero, x.z);
        let from_axis = flat.length();
        let outwards = direction(flat, from_axis, axis([1.0, 0.0, 0.0]));
        let (height, above) = (half + half, x.y + half);
        let slant = (height * height + radius * radius).sqrt();
        // The unit normal of the side, and how far outside of it and of the base.
        let (side_out, side_up) = (height / slant, radius / slant);
        let (side, base) = (side_out * from_axis + side_up * (x.y - half), -above);
        // To the nearest points of both.
        let base_away = (from_axis - radius).larger(zero);
        let to_base = base_away * base_away + above * above;
        let along = ((radius - from_axis) * radius + above * height) / (slant * slant);
        let along = along.larger(zero).smaller(one);
        let (side_away, side_above) = (from_axis - radius * (one - along), above - height * along);
        let to_side = side_away * side_away + side_above * side_above;
        let by_base = to_base.lt(to_side);
        let length = L::select(by_base, to_base, to_side).sqrt();
        let inside = side.lt(zero) & base.lt(zero);
        let inv = one / length;
        let (out, up) = (L::select(by_base, base_away, side_away) * inv, L::select(by_base, above, side_above) * inv);
        // Where the side's own plane is nearest its normal is exact, and so is the distance; a short way to the foot
        // has no digits left. On the surface and inside of it: the nearer face.
        let faces = inside | length.le(L::splat(MIN_LENGTH));
        let by_plane = along.gt(zero) & along.lt(one) & !by_base & !faces;
        let by_side = by_plane | (faces & side.ge(base));
        let (face_out, face_up) = (side_out.or_zero(by_side), L::select(by_side, side_up, -one));
        let (out, up) = (L::select(faces | by_plane, face_out, out), L::select(faces | by_plane, face_up, up));
        let length = L::select(by_plane, side, length);
        (L::select(inside, side.larger(base), length), V3::new(outwards.x * out, up, outwards.z * out))
    }

    fn bound(&self) -> f32 {
        (self.radius * self.radius + self.half_height * self.half_height).sqrt()
    }

    fn half(&self) -> Option<[f32; 3]> {
        Some([self.radius, self.half_height, self.radius])
    }

    fn exact(&self) -> bool {
        true
    }

    fn girth(&self) -> f32 {
        0.5 * self.radius.min(self.half_height)
    }

    fn round(&self) -> Option<f32> {
        Some(self.radius)
    }
}

impl SignedDistance for Torus {
    #[cfg_attr(not(seidel_portable), inline(always))]
    #[cfg_attr(seidel_portable, inline(never))]
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

    /// Around the axis, at s from it, the slope falls by (R - s) / (s |(R - s, y)|) a metre within the ring. Elsewhere
    /// the distance is convex.
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
        Bend { falls, curved: V3::new(curved, zero, curved) }
    }

    fn stride(&self) -> Option<f32> {
        Some(self.tube / 64.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where there is one normal, it is the gradient, of length 1; and the ball of that radius is free.
    fn check<D: SignedDistance + std::fmt::Debug>(shape: D) {
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
        check(Cone { radius: 0.8, half_height: 0.6 });
        check(Cone { radius: 0.6, half_height: 1.6 });
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
