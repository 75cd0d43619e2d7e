//! Any shape with a signed distance, turned: entered by a path, or left along its normal.
//!
//! The path a + s (b - a) in the shape's own frame is followed to where it arrives. The distance of a convex shape is a
//! convex function, so it is nowhere below its tangent: Newton's steps d / -(way.n) overtake nothing, and a path that
//! leaves the tangent plane is free. Of other shapes a ball of the distance over its slope is free (Hart 1996, "Sphere
//! tracing"); steps are at least a [`SignedDistance::stride`], so that a path along the surface comes to its end, and a
//! dip that they overtake is no deeper than stride^2 / (8 radius of curvature). Where the path arrives, at q, or where
//! a convex shape's still is after the last step, d above the surface: C = d + (b - q).n. Another that is not through
//! after its last step ends where it is: C = -|b - q|, n back along it. Otherwise, and for what begins inside, C is the
//! distance at b.

use super::signed::SignedDistance;
use super::{Shape, at_most, resting, within};
use crate::V3;
use crate::lanes::{Lanes, Mask};
use crate::tuning::SLACK;
use crate::tuning::{HOVER, MIN_LENGTH};

/// Steps along a path, at most. Newton's take three or four.
const STEPS: usize = 64;

/// The same of a shape that is not convex: along its surface a path is so many strides long, at most.
const STRIDES: usize = 256;

/// Part of the path and of the shape's size that is as good as nothing: some roundings of f32.
const ARRIVED: f64 = 2e-6;

/// How often a contact with a shape that is not convex is pushed on, where the push has ended inside.
const DENTS: usize = 6;

/// Slope of a distance, at least, where a push is measured by it: near a crease it grows slowly, and not all the way.
const FLATTEST: f64 = 0.25;

/// A shape and its rotations: rows of matrices from its own frame to the world's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traced<D> {
    /// In its own frame.
    pub shape: D,
    /// At the substep's start.
    pub start: [[f32; 3]; 3],
    /// At its end.
    pub end: [[f32; 3]; 3],
}

/// Into the frame.
#[inline(always)]
pub(super) fn into<L: Lanes<Elem = f32>>(m: &[[f32; 3]; 3], v: V3<L>) -> V3<L> {
    let column = |k: usize| V3::<L>::set([m[0][k], m[1][k], m[2][k]]);
    V3::new(column(0).dot(v), column(1).dot(v), column(2).dot(v))
}

/// Out of it.
#[inline(always)]
pub(super) fn out_of<L: Lanes<Elem = f32>>(m: &[[f32; 3]; 3], v: V3<L>) -> V3<L> {
    V3::new(V3::<L>::set(m[0]).dot(v), V3::<L>::set(m[1]).dot(v), V3::<L>::set(m[2]).dot(v))
}

/// A path in the shape's own frame.
struct Path<L> {
    a: V3<L>,
    b: V3<L>,
}

/// Where a path arrives: how far above the surface it is there, the normal, and the lanes that arrive at all.
struct Arrival<L: Lanes> {
    at: V3<L>,
    above: L,
    normal: V3<L>,
    arrives: L::Mask,
    /// Those of a shape that is not convex that have neither arrived nor come to their end.
    tired: L::Mask,
}

impl<D: SignedDistance> Traced<D> {
    /// SignedDistance of a point, relative to the centre, at the substep's end; metres.
    #[must_use]
    pub fn distance(&self, x: [f32; 3]) -> f32 {
        self.shape.distance(into(&self.end, V3::<f32>::set(x))).0
    }

    #[inline(always)]
    fn path<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>) -> Path<L> {
        Path { a: into(&self.start, a), b: into(&self.end, b) }
    }

    /// The way out of a point in the frame that is `touches`, a few normals long.
    #[inline(always)]
    fn way_out<L: Lanes<Elem = f32>>(&self, b: V3<L>, thickness: L, touches: L::Mask, mut push: V3<L>) -> V3<L> {
        for _ in 0..DENTS {
            let (distance, out, slope) = self.shape.graded(b + push);
            let depth = (thickness - distance).larger(L::zero()).or_zero(touches);
            if !depth.gt(L::zero()).any() {
                break;
            }
            push = push + out * (depth / slope.larger(L::splat(FLATTEST)));
        }
        push
    }

    /// On the plane of a contact, but in another part of a shape that is not convex: out of that, too. One push for
    /// all.
    #[inline(always)]
    fn out_of_dents<L: Lanes<Elem = f32>>(&self, b: V3<L>, thickness: L, (c, n): (L, V3<L>)) -> (L, V3<L>) {
        let touches = c.lt(L::zero());
        let push = self.way_out(b, thickness, touches, n * (-c).or_zero(touches));
        let length = push.length();
        let pushed = touches & length.gt(L::splat(MIN_LENGTH));
        (L::select(pushed, -length, c), V3::select(pushed, push * (L::splat(1.0) / length), n))
    }

    /// The thickness that keeps a particle's triangles out of what is round, as far as it may: the distance over a
    /// triangle is lower than its corners' by span / (2 radius), at most. What begins the substep lower is not lifted.
    #[inline(always)]
    fn hovering<L: Lanes<Elem = f32>>(&self, first: L, thickness: L, span: L) -> L {
        let Some(round) = self.shape.round() else { return thickness };
        // Particles without triangles need not hover.
        let least =
            if self.shape.convex() { L::zero() } else { (thickness * L::splat(SLACK)).or_zero(span.gt(L::zero())) };
        let rise = (span * L::splat(0.5) / (L::set(round) + thickness) + least).smaller(thickness * L::splat(HOVER));
        first.larger(thickness).smaller(thickness + rise)
    }

    /// Follows a path that begins outside; the distance and the normal where it does.
    #[inline(always)]
    fn follow<L: Lanes<Elem = f32>>(
        &self,
        Path { a, b }: &Path<L>,
        (first, normal): (L, V3<L>),
        thickness: L,
    ) -> Arrival<L> {
        let (zero, one) = (L::zero(), L::splat(1.0));
        let way = *b - *a;
        let length = way.length();
        let mut s = zero;
        let above = first - thickness;
        // What rests on the surface is inside by a rounding as often as not.
        let rests = resting(*a, thickness).larger(L::set(self.shape.skin()));
        let mut arrival = Arrival { at: *a, above, normal, arrives: above.ge(-rests), tired: zero.lt(zero) };
        let near = (length + L::set(self.shape.bound())) * L::splat(ARRIVED);
        let flatter = L::set(1.0 / self.shape.slope());
        let steps = if self.shape.stride().is_some() { STRIDES } else { STEPS };
        for step in 0..=steps {
            // How fast the path comes nearer, in metres for the whole of it.
            let comes = -way.dot(arrival.normal);
            let ahead = match self.shape.stride() {
                None => comes.gt(zero),
                // Where a path grazes, the plane may let its end pass, and the surface rise beyond: it goes on.
                Some(_) => (arrival.above + (*b - arrival.at).dot(arrival.normal)).lt(zero),
            };
            let ds = match self.shape.stride() {
                None => {
                    arrival.arrives = arrival.arrives & ahead;
                    arrival.above / comes
                }
                Some(stride) => {
                    let free = (arrival.above * flatter).larger(L::set(stride));
                    L::select(ahead & arrival.above.le(near), zero, free) / length
                }
            };
            let goes_on = arrival.arrives & (arrival.above.gt(near) | !ahead);
            if !goes_on.any() {
                break;
            }
            if step == steps {
                if self.shape.stride().is_some() {
                    arrival.tired = goes_on;
                }
                break;
            }
            s = s + ds.or_zero(goes_on);
            // Further than the path is long: it is free to its end.
            arrival.arrives = arrival.arrives & s.lt(one);
            arrival.at = *a + way * s.smaller(one);
            let (distance, normal) = self.shape.distance(arrival.at);
            (arrival.above, arrival.normal) = (distance - thickness, normal);
        }
        arrival
    }
}

impl<D: SignedDistance> Shape for Traced<D> {
    #[inline(always)]
    fn near<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>, thickness: L) -> L::Mask {
        let path = self.path(a, b);
        // The distance changes by at most the way, and rounds as the coordinates do.
        let slack = at_most(path.b - path.a) + (at_most(b) + L::set(self.shape.bound())) * L::splat(1e-5);
        let slack = slack * L::set(self.shape.slope());
        if self.shape.ends() && self.shape.dear() {
            let about = within(path.b, L::set(self.shape.bound()) + thickness, slack);
            if !about.any() {
                return about;
            }
            return about & self.shape.distance(path.b).0.le(thickness + slack);
        }
        self.shape.distance(path.b).0.le(thickness + slack)
    }

    #[inline(always)]
    fn room<L: Lanes<Elem = f32>>(&self, b: V3<L>, thickness: L) -> L {
        let b = into(&self.end, b);
        let (zero, bound) = (L::zero(), L::set(self.shape.bound()));
        let rounding = (at_most(b) + bound) * L::splat(1e-5);
        if self.shape.ends() && self.shape.dear() {
            let outside = b.length() - (bound + thickness);
            if !outside.le(zero).any() {
                return outside - rounding;
            }
        }
        (self.shape.distance(b).0 - thickness) * L::set(1.0 / self.shape.slope()) - rounding
    }

    #[inline(always)]
    fn contact<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>, thickness: L, span: L) -> (L, V3<L>, L) {
        let path = self.path(a, b);
        let (distance, out) = self.shape.distance(path.b);
        let begin = self.shape.distance(path.a);
        let thickness = self.hovering(begin.0, thickness, span);
        let arrival = self.follow(&path, begin, thickness);
        let arrives = arrival.arrives;
        let c = arrival.above + (path.b - arrival.at).dot(arrival.normal);
        let mut n = V3::select(arrives, arrival.normal, out);
        let mut c = L::select(arrives, c, distance - thickness);
        if self.shape.stride().is_some() {
            (c, n) = self.out_of_dents(path.b, thickness, (c, n));
            if arrival.tired.any() {
                let back = arrival.at - path.b;
                let way = back.length();
                c = L::select(arrival.tired, -way, c);
                n = V3::select(arrival.tired, back * (L::splat(1.0) / way), n);
            }
        }
        (c, out_of(&self.end, n), thickness)
    }

    #[inline(always)]
    fn settle<L: Lanes<Elem = f32>>(&self, b: V3<L>, thickness: L) -> Option<V3<L>> {
        self.shape.stride()?;
        let b = into(&self.end, b);
        let all = thickness.equals(thickness);
        Some(out_of(&self.end, self.way_out(b, thickness, all, V3::zero())))
    }

    #[inline(always)]
    fn inside<L: Lanes<Elem = f32>>(&self, x: V3<L>, thickness: L) -> (L, V3<L>) {
        let (distance, n) = self.shape.distance(into(&self.start, x));
        (thickness - distance, out_of(&self.start, n))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Capsule, Cone, Cuboid, Cylinder, Torus};
    use super::*;

    const SAME: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// A quarter turn about z: x to y.
    const QUARTER: [[f32; 3]; 3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];

    fn contact<D: SignedDistance>(shape: D, a: [f32; 3], b: [f32; 3], thickness: f32) -> (f32, [f32; 3]) {
        let traced = Traced { shape, start: SAME, end: SAME };
        let (a, b) = (V3::<f32>::set(a), V3::set(b));
        let (c, n, _) = traced.contact(a, b, thickness, 0.0);
        assert!(traced.near(a, b, thickness) || c >= 0.0, "{a:?} to {b:?} is not near, but {c}");
        (c, [n.x, n.y, n.z])
    }

    #[test]
    fn a_path_through_a_thin_plate_is_stopped_where_it_came_from() {
        let plate = Cuboid { half: [1.0, 1e-3, 1.0] };
        for drop in [0.01f32, 1.0, 100.0] {
            let (c, n) = contact(plate, [0.2, 0.5 * drop, 0.1], [0.2, -0.5 * drop, 0.1], 0.0);
            assert_eq!(n, [0.0, 1.0, 0.0], "from {drop}");
            let off = c + 0.5 * drop + 1e-3;
            assert!(off.abs() < 1e-5 * drop + 1e-6, "{off} from {drop}");
        }
    }

    #[test]
    fn no_path_ends_behind_what_it_met() {
        // What is pushed back by C along n is outside, or was never inside.
        let shots = |shape: &dyn Fn([f32; 3], [f32; 3]) -> (f32, [f32; 3]), distance: &dyn Fn([f32; 3]) -> f32| {
            let mut random = 1u32;
            let mut next = || {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (random >> 8) as f32 / 8_388_608.0 - 1.0
            };
            let mut met = 0;
            for _ in 0..20_000 {
                let a = [3.0 * next(), 3.0 * next(), 3.0 * next()];
                let b = [3.0 * next(), 3.0 * next(), 3.0 * next()];
                if distance(a) < 0.0 {
                    continue;
                }
                let (c, n) = shape(a, b);
                // Brute force: does the path enter?
                let along = |s: f32| [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s];
                let deepest = (0..=400).map(|i| distance(along(i as f32 / 400.0))).fold(f32::MAX, f32::min);
                if deepest < -1e-3 {
                    met += 1;
                    assert!(c < 0.0, "{a:?} to {b:?} goes {deepest} deep, C = {c}, n = {n:?}");
                }
                if deepest > 0.05 {
                    assert!(c >= 0.0, "{a:?} to {b:?} stays {deepest} away, C = {c}, n = {n:?}");
                }
            }
            assert!(met > 500, "{met}");
        };
        macro_rules! of {
            ($shape:expr) => {
                shots(&|a, b| contact($shape, a, b, 0.0), &|x| $shape.distance(V3::<f32>::set(x)).0)
            };
        }
        of!(Capsule { radius: 0.5, half_length: 0.8 });
        of!(Cuboid { half: [0.9, 0.3, 0.6] });
        of!(Cylinder { radius: 0.8, half_height: 0.4 });
        of!(Cone { radius: 0.8, half_height: 0.6 });
        of!(Torus { ring: 1.2, tube: 0.4 });
    }

    #[test]
    fn a_turned_shape_is_met_where_it_is() {
        // The capsule's axis is x after the turn.
        let traced = Traced { shape: Capsule { radius: 0.1, half_length: 1.0 }, start: QUARTER, end: QUARTER };
        let (a, b) = (V3::<f32>::set([0.9, 0.5, 0.0]), V3::set([0.9, -0.5, 0.0]));
        let (c, n, _) = traced.contact(a, b, 0.0, 0.0);
        assert!((c + 0.6).abs() < 1e-5 && (n.y - 1.0).abs() < 1e-6, "{c} {n:?}");
        let (depth, n) = traced.inside(V3::<f32>::set([0.9, 0.05, 0.0]), 0.0);
        assert!((depth - 0.05).abs() < 1e-6 && (n.y - 1.0).abs() < 1e-6, "{depth} {n:?}");
    }
}
