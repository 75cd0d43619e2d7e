//! Elastic triangles: St. Venant-Kirchhoff in plane stress, isotropic or woven.
//!
//! ```text
//!        2             Ds = [x1 - x0 | x2 - x0] (3 x 2),  Dm the same at rest (2 x 2),  F = Ds Dm^-1 = [f0 | f1]
//!       / \            E_ij = (f_i.f_j - delta_ij) / 2
//!      0---1           C(x) = sqrt(2 psi),  P = F S,  [g1 | g2] = P Dm^-T / C,  g0 = -(g1 + g2)
//! ```
//! Isotropic: psi = Psi / mu = tr E^2 + (ratio / 2) (tr E)^2, S = 2 E + ratio tr(E) 1, ratio = la_2D / mu = 2 nu / (1 -
//! nu); compliance 1 / (mu A t) in 1/J, for an area A and a thickness t. Orthotropic, in the directions of warp (x) and
//! weft (y): psi = Psi D / E_x, D = 1 - nu_xy nu_yx, nu_yx = nu_xy E_y / E_x,
//!   S_xx = E_xx + a E_yy,  S_yy = b E_yy + a E_xx,  S_xy = c E_xy,   a = nu_yx,  b = E_y / E_x,  c = 2 G D / E_x;
//! compliance D / (E_x A t) in 1/J. Bender et al. 2014, section 3; Bonet, Wood 1997 for plane stress. An energy of
//! Green's strain does not resist inversion. An inverted triangle is one that is turned over, as cloth may be.

use seidel_kernels::tuning::MIN_STRAIN;
use seidel_kernels::{AtRest, Constraint, Lanes, V3};

/// An isotropic membrane. `rest = [b00, b01, b11, ratio]`: Dm^-1 in 1/m, upper triangular; and 2 nu / (1 - nu).
#[derive(Clone, Copy, Debug)]
pub struct ElasticTriangle;

/// A woven membrane. `rest = [b00, b10, b01, b11, a, b, c]`: Dm^-1 in 1/m, in the directions of warp and weft, column
/// after column; and the material as above. If Dm is measured from positions, the first edge is the warp.
#[derive(Clone, Copy, Debug)]
pub struct OrthotropicTriangle;

/// Green's strain of a triangle.
struct Strain<L> {
    xx: L,
    yy: L,
    xy: L,
}

#[inline(always)]
fn green<L: Lanes>(f0: V3<L>, f1: V3<L>) -> Strain<L> {
    let (half, one) = (L::splat(0.5), L::splat(1.0));
    Strain { xx: (f0.length_squared() - one) * half, yy: (f1.length_squared() - one) * half, xy: f0.dot(f1) * half }
}

/// C and gradients from 2 psi and the columns of P Dm^-T.
#[inline(always)]
fn constraint<L: Lanes>(twice_psi: L, g1: V3<L>, g2: V3<L>) -> (L, [V3<L>; 3]) {
    let c = twice_psi.larger(L::zero()).sqrt();
    let strained = c.gt(L::splat(MIN_STRAIN));
    let inverse = (L::splat(1.0) / c).or_zero(strained);
    let (g1, g2) = (g1 * inverse, g2 * inverse);
    (c, [-(g1 + g2), g1, g2])
}

/// Dm^-1 of a rest shape whose first edge lies along x: [b00, b01, b11]. Not finite if it has no area.
pub(crate) fn shape([x0, x1, x2]: [V3<f64>; 3]) -> [f64; 3] {
    let (e1, e2) = (x1 - x0, x2 - x0);
    let r00 = e1.length();
    let r01 = e1.dot(e2) / r00;
    let r11 = e1.cross(e2).length() / r00;
    [1.0 / r00, -r01 / (r00 * r11), 1.0 / r11]
}

fn isotropic(x: [V3<f64>; 3]) -> [f64; 4] {
    let [b00, b01, b11] = shape(x);
    [b00, b01, b11, 0.0]
}

fn orthotropic(x: [V3<f64>; 3]) -> [f64; 7] {
    let [b00, b01, b11] = shape(x);
    [b00, 0.0, b01, b11, 0.0, 0.0, 0.0]
}

impl Constraint<3, 4> for ElasticTriangle {
    const LONG: bool = true;
    const AT_REST: Option<AtRest<3, 4>> = Some(isotropic);

    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2]: [V3<L>; 3], [b00, b01, b11, ratio]: [L; 4]) -> (L, [V3<L>; 3]) {
        let (e1, e2) = (x1 - x0, x2 - x0);
        let (f0, f1) = (e1 * b00, e1 * b01 + e2 * b11);
        let e = green(f0, f1);
        let two = L::splat(2.0);
        let trace = e.xx + e.yy;
        let off = e.xy * e.xy;
        let twice_psi = two * ((e.xx * e.xx + e.yy * e.yy) + (off + off)) + ratio * (trace * trace);
        let pressure = ratio * trace;
        let (p0, p1) =
            (f0 * (two * e.xx + pressure) + f1 * (two * e.xy), f0 * (two * e.xy) + f1 * (two * e.yy + pressure));
        constraint(twice_psi, p0 * b00 + p1 * b01, p1 * b11)
    }
}

impl Constraint<3, 7> for OrthotropicTriangle {
    const LONG: bool = true;
    const AT_REST: Option<AtRest<3, 7>> = Some(orthotropic);

    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2]: [V3<L>; 3], [b00, b10, b01, b11, a, b, c]: [L; 7]) -> (L, [V3<L>; 3]) {
        let (e1, e2) = (x1 - x0, x2 - x0);
        let (f0, f1) = (e1 * b00 + e2 * b10, e1 * b01 + e2 * b11);
        let e = green(f0, f1);
        let (s_xx, s_yy, s_xy) = (e.xx + a * e.yy, b * e.yy + a * e.xx, c * e.xy);
        let shear = s_xy * e.xy;
        let twice_psi = (s_xx * e.xx + s_yy * e.yy) + (shear + shear);
        let (p0, p1) = (f0 * s_xx + f1 * s_xy, f0 * s_xy + f1 * s_yy);
        constraint(twice_psi, p0 * b00 + p1 * b01, p0 * b10 + p1 * b11)
    }
}
