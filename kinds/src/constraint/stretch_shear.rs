//! Stretch and shear of a rod's segment: its two points and its frame.
//!
//! f = (x1 - x0) / l,   C_k = d_k . f - (0, 0, 1)_k,   d_k the frame's axes, d3 along the rod
//! dC_k/dx1 = d_k / l,   dC_k/dx0 = -d_k / l,   dC_k/dtheta = d_k x f   (theta: a rotation vector in the world)
//! Kugelstadt, Schömer 2016, "Position and Orientation Based Cosserat Rods", section 4.1, with two deviations:
//! - Their correction of the quaternion has a part along the quaternion. Normalising removes that part, so residuals
//!   fall by a third an iteration. A rotation vector has no such part.
//! - Their gradient leaves out that the axes of C turn with the frame. The torques d_k x f balance the forces exactly,
//!   so a sheared segment does not turn the rod as a whole.
//!
//! Each row is divided by its own (w0 + w1) / l^2 + w (|f|^2 - f_k^2). The terms that couple the rows, of the order of
//! C, are left out. Compliance in 1/J: 1 / (l E A) of stretch, 1 / (l G A kappa) of shear.

use seidel_kernels::Framed;
use seidel_kernels::Reference;
use seidel_kernels::tuning::{MAX_CORRECTION, MIN_DENOMINATOR};
use seidel_kernels::{Lanes, Point, Project, Quat, Softness, Turn, V3};

/// A segment: [point, point, frame]. `rest = [l, shear compliance]`, the length in metres; the row's own compliance is
/// that of stretch.
#[derive(Clone, Copy, Debug)]
pub struct StretchShear;

/// f in the frame's axes, and the axes.
#[inline(always)]
fn strains<L: Lanes>(f: V3<L>, q: Quat<L>) -> ([L; 3], [V3<L>; 3]) {
    let axes = q.axes();
    ([axes[0].dot(f), axes[1].dot(f), axes[2].dot(f)], axes)
}

impl Project<2, 3> for StretchShear {
    type Slots<L: Lanes> = ([Point<L>; 2], Turn<L>);

    const LONG: bool = true;

    #[inline(always)]
    fn project<L: Lanes>(
        (points, turn): &mut ([Point<L>; 2], Turn<L>),
        &[length, shear]: &[L; 2],
        soft: Softness<L>,
        lambda: &mut [L; 3],
    ) {
        let per_length = L::splat(1.0) / length;
        let f = points[1].x * per_length;
        let ([f1, f2, f3], [d1, d2, d3]) = strains(f, turn.q);
        let sheared = soft.with(shear);
        let ends = (points[0].w + points[1].w) * (per_length * per_length);
        let (s1, s2, s3) = (f1 * f1, f2 * f2, f3 * f3);
        let mut c = V3::new(f1, f2, f3 - L::splat(1.0));
        if soft.rates {
            let g = points[1].du * per_length + f.cross(turn.du);
            c = V3::new(d1.dot(g), d2.dot(g), d3.dot(g));
        }
        let (l1, m1) = sheared.delta_lambda(c.x, ends + turn.w * (s2 + s3), lambda[0]);
        let (l2, m2) = sheared.delta_lambda(c.y, ends + turn.w * (s1 + s3), lambda[1]);
        // A frame between two fixed points cannot change the stretch.
        let m3 = ends.gt(L::splat(MIN_DENOMINATOR));
        let (l3, _) = soft.delta_lambda(c.z, ends + turn.w * (s1 + s2), lambda[2]);
        let delta = [l1.or_zero(m1), l2.or_zero(m2), l3.or_zero(m3)];
        let force = (d1 * delta[0] + d2 * delta[1]) + d3 * delta[2];
        let pull = force * per_length;
        let (dx0, dx1, dtheta) = (pull * -points[0].w, pull * points[1].w, force.cross(f) * turn.w);
        let sane = ((dx0.norm_1() + dx1.norm_1()) + dtheta.norm_1()).lt(L::splat(MAX_CORRECTION));
        points[0].dx = dx0.or_zero(sane);
        points[1].dx = dx1.or_zero(sane);
        turn.dtheta = dtheta.or_zero(sane);
        for (lambda, delta) in lambda.iter_mut().zip(delta) {
            *lambda = L::select(sane, *lambda + delta, *lambda);
        }
    }

    #[inline(always)]
    fn value<L: Lanes>((points, turn): &([Point<L>; 2], Turn<L>), &[length, _]: &[L; 2]) -> L {
        let ([f1, f2, f3], _) = strains(points[1].x * (L::splat(1.0) / length), turn.q);
        let stretch = f3 - L::splat(1.0);
        ((f1 * f1 + f2 * f2) + stretch * stretch).sqrt()
    }
}

impl Framed<2, 3> for StretchShear {
    fn at_rest(points: &[V3<f64>], _: &[Quat<f64>]) -> [f64; 2] {
        [(points[1] - points[0]).length(), 0.0]
    }

    fn references(points: &[V3<f64>], frames: &[Quat<f64>], [length, _]: [f64; 2]) -> [Reference; 3] {
        let f = (points[1] - points[0]) * (1.0 / length);
        let (along, axes) = strains(f, frames[0]);
        std::array::from_fn(|k| {
            let c = along[k] - if k == 2 { 1.0 } else { 0.0 };
            let (pull, torque) = (axes[k] * (1.0 / length), axes[k].cross(f));
            (c, [-pull, pull, torque].map(|g| [g.x, g.y, g.z]).to_vec())
        })
    }
}
