//! Four numbers a lane: rotations.

use crate::V3;
use crate::lanes::Lanes;
use crate::trig::sin_cos;

/// A quaternion; of length 1 it is a rotation, body to world.
#[derive(Clone, Copy, Debug)]
pub struct Quat<L> {
    /// The three imaginary components.
    pub v: V3<L>,
    /// The real component.
    pub w: L,
}

impl<L: Lanes> Quat<L> {
    /// From components.
    #[inline(always)]
    pub fn new(v: V3<L>, w: L) -> Self {
        Self { v, w }
    }

    /// The same in every lane, [x, y, z, w].
    #[inline(always)]
    pub fn set([x, y, z, w]: [L::Elem; 4]) -> Self {
        Self::new(V3::set([x, y, z]), L::set(w))
    }

    /// Product: first the other, then this one.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        Self::new((self.v.cross(other.v) + other.v * self.w) + self.v * other.w, self.w * other.w - self.v.dot(other.v))
    }

    /// The inverse of a rotation.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self::new(-self.v, self.w)
    }

    /// Square of the length.
    #[inline(always)]
    pub fn length_squared(self) -> L {
        self.v.length_squared() + self.w * self.w
    }

    /// Scaled to length 1.
    #[inline(always)]
    pub fn normalised(self) -> Self {
        let inverse = L::splat(1.0) / self.length_squared().sqrt();
        Self::new(self.v * inverse, self.w * inverse)
    }

    /// Where the axes are turned to.
    #[inline(always)]
    pub fn axes(self) -> [V3<L>; 3] {
        let (one, Self { v: V3 { x, y, z }, w }) = (L::splat(1.0), self);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        [
            V3::new(one - (yy + zz), xy + wz, xz - wy),
            V3::new(xy - wz, one - (xx + zz), yz + wx),
            V3::new(xz + wy, yz - wx, one - (xx + yy)),
        ]
    }

    /// A vector turned.
    #[inline(always)]
    pub fn rotate(self, a: V3<L>) -> V3<L> {
        let t = self.v.cross(a);
        let t = t + t;
        (a + t * self.w) + self.v.cross(t)
    }

    /// Turned further by a small rotation vector (rad, world): (1 - |t|^2 / 8, t / 2) q, of length 1 to the third
    /// order.
    #[inline(always)]
    pub fn turned(self, theta: V3<L>) -> Self {
        let by = Self::new(theta * L::splat(0.5), L::splat(1.0) - theta.length_squared() * L::splat(0.125));
        by.times(self)
    }

    /// The rotation by a rotation vector (rad) of any length.
    #[inline(always)]
    pub fn exp(theta: V3<L>) -> Self {
        let half = theta.length() * L::splat(0.5);
        let (sin, cos) = sin_cos(half);
        // sin(a) / a of nothing is 1, and below this exactly 1 in f32.
        let share = L::select(half.gt(L::splat(1e-4)), sin / half, L::splat(1.0));
        Self::new(theta * (share * L::splat(0.5)), cos)
    }

    /// `mask ? yes : no`
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self::new(V3::select(mask, yes.v, no.v), L::select(mask, yes.w, no.w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_rotate_and_product_agree() {
        let (a, b) = (V3::<f64>::set([0.3, -1.2, 0.7]), V3::set([-2.0, 0.4, 0.1]));
        let (p, q) = (Quat::exp(a), Quat::exp(b));
        let x = V3::set([0.2, 0.5, -0.9]);
        let [d1, d2, d3] = p.axes();
        let near = |a: V3<f64>, b: V3<f64>| assert!((a - b).length() < 1e-6, "{a:?} {b:?}");
        near((d1 * x.x + d2 * x.y) + d3 * x.z, p.rotate(x));
        near(p.times(q).rotate(x), p.rotate(q.rotate(x)));
        near(p.conjugate().rotate(p.rotate(x)), x);
        // Half a turn about z.
        near(
            Quat::exp(V3::set([0.0, 0.0, std::f64::consts::PI])).rotate(V3::set([1.0, 2.0, 3.0])),
            V3::set([-1.0, -2.0, 3.0]),
        );
        let (q, t) = (q.normalised(), V3::set([1e-3, 2e-3, -1e-3]));
        near(q.turned(t).rotate(x), Quat::exp(t).times(q).rotate(x));
        assert!((q.turned(t).length_squared() - 1.0).abs() < 1e-11);
    }
}
