//! Trigonometry from add, multiply, divide and select alone, so that every lane type and machine gives the same bits.
//!
//! Polynomials: weighted least squares with Lawson's iteration, fitted for this crate; the error stands beside each.

use crate::lanes::Lanes;
use std::f64::consts::{FRAC_PI_2, PI};

/// Angle of the point (x, y) in (-pi, pi], as `f32::atan2`. Error below 3e-7 rad; atan2(0, 0) = 0.
#[inline(always)]
pub fn atan2<L: Lanes>(y: L, x: L) -> L {
    let (ax, ay) = (x.abs(), y.abs());
    let swap = ax.lt(ay);
    let (small, large) = (L::select(swap, ax, ay), L::select(swap, ay, ax));
    let t = (small / large).or_zero(large.gt(L::zero()));
    let first = atan_unit(t);
    let octant = L::select(swap, L::splat(FRAC_PI_2) - first, first);
    let half = L::select(x.lt(L::zero()), L::splat(PI) - octant, octant);
    L::select(y.lt(L::zero()), -half, half)
}

/// atan on [0, 1]: t + t^3 P(t^2), error 8e-9 before rounding.
#[inline(always)]
fn atan_unit<L: Lanes>(t: L) -> L {
    let s = t * t;
    let p = L::splat;
    // Estrin's scheme: pairs, then pairs of pairs, for short dependency chains.
    let s2 = s * s;
    let s4 = s2 * s2;
    let p01 = p(-0.333_329_870_6) + p(0.199_903_966_2) * s;
    let p23 = p(-0.141_859_752_2) + p(0.105_739_318_0) * s;
    let p45 = p(-0.073_667_055_21) + p(0.041_121_853_45) * s;
    let p67 = p(-0.015_132_532_46) + p(0.002_622_243_642) * s;
    let sum = (p01 + p23 * s2) + (p45 + p67 * s2) * s4;
    t + t * s * sum
}

/// Arc cosine; the argument is clamped to [-1, 1]. Error below 4e-7 rad.
#[inline(always)]
pub fn acos<L: Lanes>(x: L) -> L {
    let one = L::splat(1.0);
    let x = x.smaller(one).larger(-one);
    // The product keeps its digits near x = 1, where 1 - x * x would lose them.
    atan2(((one - x) * (one + x)).sqrt(), x)
}

/// Sine and cosine. Error below 2e-7 for |x| <= 1000 rad; above, the argument's own rounding shows.
#[inline(always)]
pub fn sin_cos<L: Lanes>(x: L) -> (L, L) {
    // Quarter turns are taken off in three parts, of which the first two have few bits and multiply exactly (Cody,
    // Waite 1980).
    let quarter = (x * L::splat(1.0 / FRAC_PI_2) + L::splat(0.5)).floor();
    let r = x - quarter * L::splat(1.5703125);
    let r = r - quarter * L::splat(4.837_512_969_970_703e-4);
    let r = r - quarter * L::splat(7.549_789_948_768_648e-8);
    let s = r * r;
    let p = L::splat;
    let sin = r + r * s * (p(-0.166_666_506_7) + s * (p(0.008_331_978_663) + s * p(-0.000_194_956_362)));
    let cos =
        p(1.0) - p(0.5) * s + s * s * (p(0.041_666_646_87) + s * (p(-0.001_388_736_752) + s * p(2.443_845_155e-5)));
    // quarter mod 4 by floor: 0, 1, 2 or 3.
    let turn = quarter - L::splat(4.0) * (quarter * L::splat(0.25)).floor();
    let odd = turn.equals(p(1.0)) | turn.equals(p(3.0));
    let (a, b) = (L::select(odd, cos, sin), L::select(odd, sin, cos));
    let sin_negative = turn.gt(p(1.5));
    let cos_negative = turn.gt(p(0.5)) & turn.lt(p(2.5));
    (L::select(sin_negative, -a, a), L::select(cos_negative, -b, b))
}

/// ln(1 + x) for x > -1, to the last digits for small x. Error below 9e-7 of it for 1 + x within 1e-3 .. 1e3.
#[inline(always)]
pub fn ln_1p<L: Lanes>(x: L) -> L {
    // (1 + x)^(1/2) - 1 = x / (1 + sqrt(1 + x)): three times, and no digit is lost.
    let one = L::splat(1.0);
    let y = x / (one + (one + x).sqrt());
    let y = y / (one + (one + y).sqrt());
    let y = y / (one + (one + y).sqrt());
    let z = y / (L::splat(2.0) + y);
    L::splat(16.0) * (z + z * atanh_rest(z * z))
}

/// x - ln(1 + x) for x > -1, which is of second order in x and keeps its digits.
#[inline(always)]
pub fn less_ln_1p<L: Lanes>(x: L) -> L {
    // ln(1 + x) = 2 atanh z, z = x / (2 + x), and x - 2 z = x z.
    let z = x / (L::splat(2.0) + x);
    let small = x * z - L::splat(2.0) * (z * atanh_rest(z * z));
    L::select(x.abs().lt(L::splat(0.3)), small, x - ln_1p(x))
}

/// atanh(z) / z - 1 from s = z^2: s / 3 + s^2 / 5 + ... to s^8. Error below 1e-9 for |z| < 0.4.
#[inline(always)]
fn atanh_rest<L: Lanes>(s: L) -> L {
    let p = L::splat;
    let s2 = s * s;
    let s4 = s2 * s2;
    let p01 = p(1.0 / 3.0) + p(1.0 / 5.0) * s;
    let p23 = p(1.0 / 7.0) + p(1.0 / 9.0) * s;
    let p45 = p(1.0 / 11.0) + p(1.0 / 13.0) * s;
    let p67 = p(1.0 / 15.0) + p(1.0 / 17.0) * s;
    s * ((p01 + p23 * s2) + (p45 + p67 * s2) * s4)
}

/// An angle in (-3 pi, 3 pi] brought into (-pi, pi].
#[inline(always)]
pub fn wrap<L: Lanes>(angle: L) -> L {
    let turn = L::splat(2.0 * PI);
    let down = L::select(angle.gt(L::splat(PI)), angle - turn, angle);
    L::select(down.le(L::splat(-PI)), down + turn, down)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atan2_stays_within_its_bound() {
        for i in 0..2000 {
            let angle = (f64::from(i) / 1000.0 - 1.0) * PI;
            for radius in [1e-12, 1e-3, 1.0, 1e6] {
                let (y, x) = ((angle.sin() * radius) as f32, (angle.cos() * radius) as f32);
                let error = (f64::from(atan2(y, x)) - f64::from(y).atan2(f64::from(x))).abs();
                assert!(error < 3e-7, "atan2({y}, {x}) is off by {error}");
            }
        }
        assert_eq!(atan2(0.0f32, 0.0), 0.0);
        assert_eq!(atan2(0.0f32, -1.0), PI as f32);
    }

    #[test]
    fn sine_and_cosine_stay_within_their_bound() {
        for i in -100_000..100_000 {
            let x = i as f32 * 0.01;
            let (sin, cos) = sin_cos(x);
            let error = (f64::from(sin) - f64::from(x).sin()).abs().max((f64::from(cos) - f64::from(x).cos()).abs());
            assert!(error < 2e-7, "at {x}: {error}");
        }
    }

    #[test]
    fn acos_stays_within_its_bound() {
        for i in -10_000..=10_000 {
            let x = i as f32 * 1e-4;
            let error = (f64::from(acos(x)) - f64::from(x).acos()).abs();
            assert!(error < 4e-7, "acos({x}) is off by {error}");
        }
        assert_eq!(acos(2.0f32), 0.0);
    }

    #[test]
    fn logarithms_keep_their_digits() {
        for i in -3000..=3000 {
            // From 1e-3 to 1e3, and as near to 1 as f32 comes.
            for x in [(10f64.powf(f64::from(i) / 1000.0) - 1.0) as f32, i as f32 * 1e-7, i as f32 * 1e-10] {
                let (exact, x64) = (f64::from(x).ln_1p(), f64::from(x));
                let off = (f64::from(ln_1p(x)) - exact).abs();
                assert!(off <= 9e-7 * exact.abs(), "ln(1 + {x}) is off by {off}");
                let less = if x64.abs() < 1e-3 { x64 * x64 * (0.5 - x64 / 3.0 + x64 * x64 / 4.0) } else { x64 - exact };
                let off = (f64::from(less_ln_1p(x)) - less).abs();
                assert!(off <= 3e-6 * less, "{x} - ln(1 + {x}) is off by {off} of {less}");
            }
        }
    }

    #[test]
    fn wrap_keeps_the_half_open_interval() {
        assert_eq!(wrap(PI as f32), PI as f32);
        assert_eq!(wrap(-(PI as f32)), PI as f32);
        assert!((wrap(4.0f32) - (4.0 - 2.0 * PI as f32)).abs() < 1e-6);
    }
}
