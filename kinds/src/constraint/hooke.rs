//! Hooke's law, corotated: small strains of an element that may have turned.
//!
//! F = R S, R the rotation nearest to F, D = F - R, t = tr(R^T D) psi = |D|^2 + (ratio / 2) t^2, P = 2 D + ratio t R,
//! ratio = la / mu Without R, the linear strain (F + F^T) / 2 - 1 makes a turned element swell and turn. Bender et al.
//! 2014, section 3; Müller, Gross 2004, "Interactive Virtual Materials". R is a rotation also where J < 0, so an
//! inverted element turns back.

use super::tet::Energy;
use seidel_kernels::lanes::Mask;
use seidel_kernels::tuning::MIN_TURN;
use seidel_kernels::{Lanes, M3, Symmetric};

/// Corotated linear elasticity. `ratio = la / mu = 2 nu / (1 - 2 nu)`, la and mu being the Lamé parameters.
#[derive(Clone, Copy, Debug)]
pub struct Hooke;

/// Limit of Newton's steps. 1 to 4 are taken near rest, up to 14 near `MIN_TURN`, where two stretches of an inverted
/// element nearly cancel.
const STEPS: usize = 16;
/// Length of a step over the root. A step of at most this length is the last: Newton's method converges quadratically.
const LAST_STEP: f64 = 1e-7;

/// The rotation R nearest to F, and a mask of the lanes where it is unique.
///
/// l = tr(R^T F) is the largest root of (l^2 - |F|^2)^2 - 8 l J - 4 |cof F|^2. Newton's method descends to it from
/// sqrt(3) |F|. Then R = ((k + |F|^2) F + l cof F - F F^T F) / (k l - J), k = (l^2 - |F|^2) / 2 (Markley 1993,
/// "Attitude Determination Using Vector Observations: A Fast Optimal Matrix Algorithm").
#[inline(always)]
pub(crate) fn rotation<L: Lanes>(f: M3<L>) -> (M3<L>, L::Mask) {
    let cofactors = f.cofactors();
    let j = f.0[2].dot(cofactors.0[2]);
    let (ff, cc) = (f.dot(f), cofactors.dot(cofactors));
    let (four, eight) = (L::splat(4.0), L::splat(8.0));
    let mut l = (L::splat(3.0) * ff).sqrt();
    // Lane by lane, so that no lane depends on its neighbours.
    let mut goes_on = l.gt(L::zero());
    for _ in 0..STEPS {
        let d = l * l - ff;
        let value = (d * d - eight * (l * j)) - four * cc;
        let slope = four * (l * d) - eight * j;
        let down = (value / slope).or_zero(goes_on & slope.gt(L::zero()));
        l = l - down;
        goes_on = goes_on & down.gt(l * L::splat(LAST_STEP));
        if !goes_on.any() {
            break;
        }
    }
    let k = L::splat(0.5) * (l * l - ff);
    let divisor = k * l - j;
    let single = divisor.gt(L::splat(MIN_TURN) * (l * ff));
    let [f0, f1, f2] = f.0;
    let metric = Symmetric {
        xx: f0.length_squared(),
        yy: f1.length_squared(),
        zz: f2.length_squared(),
        xy: f0.dot(f1),
        yz: f1.dot(f2),
        xz: f0.dot(f2),
    };
    let sum = f.scaled(k + ff).plus(cofactors.scaled(l)).minus(f.times_symmetric(metric));
    (sum.scaled(L::splat(1.0) / divisor), single)
}

impl Energy for Hooke {
    #[inline(always)]
    fn density<L: Lanes>(f: M3<L>, ratio: L) -> (L, M3<L>) {
        let (r, single) = rotation(f);
        let d = f.minus(r);
        let t = r.dot(d);
        let psi = d.dot(d) + L::splat(0.5) * (ratio * (t * t));
        let p = d.scaled(L::splat(2.0)).plus(r.scaled(ratio * t));
        // No energy, hence no gradient, where the nearest rotation is not unique.
        (psi.or_zero(single), p)
    }
}
