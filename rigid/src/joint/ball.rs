//! Ball without limits, in lanes: three gaps at once, in the world's axes.
//!
//! ```text
//! C = d,   C' = v_b + w_b x r_b - v_a - w_a x (r_a + d)
//! K = (1/m_a + 1/m_b) 1 + S_a I_a^-1 S_a^T + S_b I_b^-1 S_b^T,   S_b e_k = r_b x e_k, S_a e_k = (r_a + d) x e_k
//! (K as often as `crowding` says)
//! ```
//!
//! The commonest joint by far (ragdolls, chains, nets), so it has its own path: the general one (lanes.rs) takes 1.6
//! times as long, and gives the same to rounding. K is inverted as L D L^T; what has no pivot moves nothing.

use super::softness::bias;
use crate::tuning::PIVOT;
use crate::{BodyRow, Softness};
use seidel_kernels::{Lanes, Quat, Symmetric, V3};

/// A body in lanes: what [`BodyRow`] has.
#[derive(Clone, Copy, Debug)]
pub struct BodyLanes<L> {
    /// Velocity, m/s.
    pub v: V3<L>,
    /// Angular velocity, rad/s.
    pub w: V3<L>,
    /// 1/kg, along the world's axes.
    pub inv_mass: V3<L>,
    /// Inverse inertia, world, 1/(kg m^2).
    pub inv_inertia: Symmetric<L>,
}

impl BodyLanes<f32> {
    pub(super) fn of(body: &BodyRow) -> Self {
        let ([xx, yy, zz, _], [xy, yz, xz, _]) = (body.diagonal, body.sides);
        BodyLanes {
            v: body.velocity(),
            w: body.angular_velocity(),
            inv_mass: body.inv_masses(),
            inv_inertia: Symmetric { xx, yy, zz, xy, yz, xz },
        }
    }

    pub(super) fn write(&self, body: &mut BodyRow) {
        body.v = [self.v.x, self.v.y, self.v.z, body.v[3]];
        body.w = [self.w.x, self.w.y, self.w.z, body.w[3]];
    }
}

/// A ball joint during a step, in lanes.
#[derive(Clone, Copy, Debug)]
pub struct Ball<L> {
    /// r_a, r_b and d when the step began.
    pub start: [V3<L>; 3],
    /// r_a + d, r_b and d now.
    pub now: [V3<L>; 3],
    /// 1 / D and L of K: [d0, d1, d2, l10, l20, l21].
    pub factors: [L; 6],
    /// Impulse on B, N s, world.
    pub impulse: V3<L>,
    /// The first of [`super::Joint::crowding`].
    pub crowding: L,
}

impl<L: Lanes> Ball<L> {
    /// From the start of the step and the kept impulse.
    pub fn new(start: [V3<L>; 3], impulse: V3<L>, crowding: L) -> Self {
        Ball { start, now: [V3::zero(); 3], factors: [L::zero(); 6], impulse, crowding }
    }

    /// Where poses have moved: by `dx` and `turn` since the step began.
    #[inline(always)]
    pub fn refresh(&mut self, bodies: [&BodyLanes<L>; 2], dx: [V3<L>; 2], turn: [Quat<L>; 2]) {
        let [ra, rb, d] = self.start;
        let (da, db) = (change(turn[0], ra), change(turn[1], rb));
        let d = d + ((dx[1] - dx[0]) + (db - da));
        self.now = [(ra + da) + d, rb + db, d];

        let often = self.crowding;
        let mass = bodies[0].inv_mass + bodies[1].inv_mass;
        let (a, b) = (bodies[0].arm(self.now[0]), bodies[1].arm(self.now[1]));
        let k00 = (mass.x + (a.xx + b.xx)) * often;
        let k11 = (mass.y + (a.yy + b.yy)) * often;
        let k22 = (mass.z + (a.zz + b.zz)) * often;
        let (k10, k20, k21) = ((a.xy + b.xy) * often, (a.xz + b.xz) * often, (a.yz + b.yz) * often);
        let d0 = inverse(k00, k00);
        let (l10, l20) = (k10 * d0, k20 * d0);
        let d1 = inverse(k11 - l10 * k10, k11);
        let s21 = k21 - l20 * k10;
        let l21 = s21 * d1;
        let d2 = inverse((k22 - l20 * k20) - l21 * s21, k22);
        self.factors = [d0, d1, d2, l10, l20, l21];
    }

    /// K^-1 r.
    #[inline(always)]
    fn solved(&self, r: V3<L>) -> V3<L> {
        let [d0, d1, d2, l10, l20, l21] = self.factors;
        let y = r.y - l10 * r.x;
        let z = ((r.z - l20 * r.x) - l21 * y) * d2;
        let y = y * d1 - l21 * z;
        V3::new((r.x * d0 - l10 * y) - l20 * z, y, z)
    }

    /// Applies an impulse in the lanes where all stays finite, and says which these are.
    #[inline(always)]
    fn push(&self, p: V3<L>, [a, b]: [&mut BodyLanes<L>; 2]) -> L::Mask {
        let va = a.v - times(p, a.inv_mass);
        let wa = a.w - a.turned(self.now[0].cross(p));
        let vb = b.v + times(p, b.inv_mass);
        let wb = b.w + b.turned(self.now[1].cross(p));
        let fine = ((va.norm_1() + wa.norm_1()) + (vb.norm_1() + wb.norm_1())).finite();
        (a.v, a.w) = (V3::select(fine, va, a.v), V3::select(fine, wa, a.w));
        (b.v, b.w) = (V3::select(fine, vb, b.v), V3::select(fine, wb, b.w));
        fine
    }

    /// The last substep's impulse again.
    #[inline(always)]
    pub fn warm_start(&mut self, bodies: [&mut BodyLanes<L>; 2]) {
        let fine = self.push(self.impulse, bodies);
        self.impulse = self.impulse.or_zero(fine);
    }

    /// One sweep: [`Softness::rigid`] before poses move, [`Softness::relaxed`] after.
    #[inline(always)]
    pub fn solve(&mut self, bodies: [&mut BodyLanes<L>; 2], soft: Softness) {
        let [ra, rb, d] = self.now;
        let [a, b] = [&*bodies[0], &*bodies[1]];
        let rate = (b.v + b.w.cross(rb)) - (a.v + a.w.cross(ra));
        let bias = V3::new(bias(soft, d.x), bias(soft, d.y), bias(soft, d.z));
        let wanted = (rate + bias) * L::splat(f64::from(-soft.mass_scale));
        let change = self.solved(wanted) - self.impulse * L::splat(f64::from(soft.impulse_scale));
        let fine = self.push(change, bodies);
        self.impulse = V3::select(fine, self.impulse + change, self.impulse);
    }
}

impl<L: Lanes> BodyLanes<L> {
    /// I^-1 l.
    #[inline(always)]
    pub(super) fn turned(&self, l: V3<L>) -> V3<L> {
        let i = &self.inv_inertia;
        V3::new(
            (i.xx * l.x + i.xy * l.y) + i.xz * l.z,
            (i.xy * l.x + i.yy * l.y) + i.yz * l.z,
            (i.xz * l.x + i.yz * l.y) + i.zz * l.z,
        )
    }

    /// S I^-1 S^T of an arm r.
    #[inline(always)]
    fn arm(&self, r: V3<L>) -> Symmetric<L> {
        let zero = L::zero();
        let [x, y, z] = [V3::new(zero, r.z, -r.y), V3::new(-r.z, zero, r.x), V3::new(r.y, -r.x, zero)];
        let (tx, ty, tz) = (self.turned(x), self.turned(y), self.turned(z));
        Symmetric { xx: x.dot(tx), yy: y.dot(ty), zz: z.dot(tz), xy: x.dot(ty), yz: y.dot(tz), xz: x.dot(tz) }
    }
}

// No closures: what runs in lanes has none (docs/decisions/no-closures-in-kernels.md).

/// By how much a vector changes that turns by `q`.
#[inline(always)]
fn change<L: Lanes>(q: Quat<L>, r: V3<L>) -> V3<L> {
    let t = q.v.cross(r);
    let t = t + t;
    t * q.w + q.v.cross(t)
}

/// 1 / pivot, or 0 where it is rounding beside what it was.
#[inline(always)]
fn inverse<L: Lanes>(pivot: L, of: L) -> L {
    (L::splat(1.0) / pivot).or_zero(pivot.gt(of * L::splat(f64::from(PIVOT))))
}

#[inline(always)]
pub(super) fn times<L: Lanes>(p: V3<L>, m: V3<L>) -> V3<L> {
    V3::new(p.x * m.x, p.y * m.y, p.z * m.z)
}
