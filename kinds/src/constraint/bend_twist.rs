//! Bending and twist of a rod: the frames of two consecutive segments.
//!
//! (s, O) = q0~ q1, C = O - O0, in the axes of q0: O_1 and O_2 are bending, O_3 is twist dC/dtheta1 . L = R0 (s L + O x
//! L) / 2 = -dC/dtheta0 . L (theta: rotation vectors in the world) O is sin(phi / 2) times the axis; 2 O / l is the
//! curvature. Kugelstadt, Schömer 2016, "Position and Orientation Based Cosserat Rods", section 4.2; their corrections
//! dq1 = w q0 (0, L) are written here as rotation vectors.
//!
//! q and -q are the same rotation, so (s, O) is replaced by -(s, O) if s s0 + O . O0 < 0, with s0 = sqrt(1 - |O0|^2).
//! The paper compares |O - O0| and |O + O0|, without the real parts: a curved rod that is bent past straight would then
//! be at rest in its mirror image.
//!
//! sum w |grad C_k|^2 = (1 - O_k^2) (w0 + w1) / 4. The code divides by (w0 + w1) / 4 instead: 1 - O_k^2 is 0 in a
//! folded joint. Compliance in 1/J: l / (4 E I1), l / (4 E I2) of bending, l / (4 G J) of twist.

use seidel_kernels::Framed;
use seidel_kernels::Reference;
use seidel_kernels::tuning::MAX_CORRECTION;
use seidel_kernels::{Lanes, Project, Quat, Softness, Turn, V3};

/// A joint: [frame, frame]. `rest = [O0_1, O0_2, O0_3, bend compliance about the second axis, twist compliance]`; the
/// row's own compliance is that of bending about the first axis.
#[derive(Clone, Copy, Debug)]
pub struct BendTwist;

/// C, and (s, O) with the sign that is nearer to rest.
#[inline(always)]
fn bent<L: Lanes>(q0: Quat<L>, q1: Quat<L>, rest: V3<L>) -> (V3<L>, Quat<L>) {
    let between = q0.conjugate().times(q1);
    let real = (L::splat(1.0) - rest.length_squared()).larger(L::zero()).sqrt();
    let same = (between.w * real + between.v.dot(rest)).lt(L::zero());
    let between = Quat::select(same, Quat::new(-between.v, -between.w), between);
    (between.v - rest, between)
}

impl Project<5, 3> for BendTwist {
    type Slots<L: Lanes> = [Turn<L>; 2];

    const LONG: bool = true;

    #[inline(always)]
    fn project<L: Lanes>(
        turns: &mut [Turn<L>; 2],
        &[o1, o2, o3, bend, twist]: &[L; 5],
        soft: Softness<L>,
        lambda: &mut [L; 3],
    ) {
        let half = L::splat(0.5);
        let (mut c, o) = bent(turns[0].q, turns[1].q, V3::new(o1, o2, o3));
        let weighted = (turns[0].w + turns[1].w) * L::splat(0.25);
        if soft.rates {
            let a = turns[0].q.conjugate().rotate(turns[1].du - turns[0].du);
            c = (a * o.w + a.cross(o.v)) * half;
        }
        let (l1, moves) = soft.delta_lambda(c.x, weighted, lambda[0]);
        let (l2, _) = soft.with(bend).delta_lambda(c.y, weighted, lambda[1]);
        let (l3, _) = soft.with(twist).delta_lambda(c.z, weighted, lambda[2]);
        let delta = V3::new(l1, l2, l3);
        let torque = turns[0].q.rotate((delta * o.w + o.v.cross(delta)) * half);
        let (dtheta0, dtheta1) = (torque * -turns[0].w, torque * turns[1].w);
        let sane = moves & (dtheta0.norm_1() + dtheta1.norm_1()).lt(L::splat(MAX_CORRECTION));
        turns[0].dtheta = dtheta0.or_zero(sane);
        turns[1].dtheta = dtheta1.or_zero(sane);
        for (lambda, delta) in lambda.iter_mut().zip([l1, l2, l3]) {
            *lambda = L::select(sane, *lambda + delta, *lambda);
        }
    }

    #[inline(always)]
    fn value<L: Lanes>(turns: &[Turn<L>; 2], &[o1, o2, o3, ..]: &[L; 5]) -> L {
        bent(turns[0].q, turns[1].q, V3::new(o1, o2, o3)).0.length()
    }
}

impl Framed<5, 3> for BendTwist {
    fn at_rest(_: &[V3<f64>], frames: &[Quat<f64>]) -> [f64; 5] {
        let o = frames[0].conjugate().times(frames[1]);
        let V3 { x, y, z } = if o.w < 0.0 { -o.v } else { o.v };
        [x, y, z, 0.0, 0.0]
    }

    fn references(_: &[V3<f64>], frames: &[Quat<f64>], [o1, o2, o3, ..]: [f64; 5]) -> [Reference; 3] {
        let (c, o) = bent(frames[0], frames[1], V3::new(o1, o2, o3));
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(V3::set);
        std::array::from_fn(|k| {
            let g = frames[0].rotate((axes[k] * o.w + o.v.cross(axes[k])) * 0.5);
            ([c.x, c.y, c.z][k], [-g, g].map(|g| [g.x, g.y, g.z]).to_vec())
        })
    }
}
