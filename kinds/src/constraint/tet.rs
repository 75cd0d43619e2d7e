//! Elastic tetrahedra: a strain energy as one constraint.
//!
//! ```text
//!        3            Ds = [x1 - x0 | x2 - x0 | x3 - x0],  Dm the same at rest,  F = Ds Dm^-1
//!      / | \          C(x) = sqrt(2 psi(F)),  psi = Psi / mu,  compliance 1 / (mu V) in 1/J
//!     0--|--2         P = dpsi/dF,  [g1 | g2 | g3] = P Dm^-T / C,  g0 = -(g1 + g2 + g3)
//!      \ | /
//!        1            C^2 / (2 alpha) = V Psi: the energy of the tetrahedron
//! ```
//! Bender, Koschier, Charrier, Weber 2014, "Position-Based Simulation of Continuous Materials", use C = V Psi. A whole
//! projection of that form leaves a quarter of C; of this form it leaves nothing. Energies do not change when the rest
//! shape is turned, so it is turned to make Dm upper triangular: six numbers instead of nine, and two thirds of the
//! products.

use seidel_kernels::tuning::MIN_STRAIN;
use seidel_kernels::{AtRest, Constraint, Lanes, M3, Symmetric, V3};
use std::marker::PhantomData;

/// Number of parameters of the rest shape.
pub(crate) const SHAPE: usize = 6;

/// A strain energy density over the shear modulus mu.
pub trait Energy: 'static {
    /// psi(F) and dpsi/dF. `ratio` is the row's last parameter, of the material. Mark it `#[inline(always)]`.
    fn density<L: Lanes>(f: M3<L>, ratio: L) -> (L, M3<L>);
}

/// Four particles with the energy `E`. `rest = [b00, b01, b11, b02, b12, b22, ratio]`: Dm^-1 in 1/m, and the material's
/// ratio.
#[derive(Clone, Copy, Debug)]
pub struct Elastic<E>(PhantomData<E>);

/// F = Ds Dm^-1.
#[inline(always)]
pub(crate) fn deformation<L: Lanes>([x0, x1, x2, x3]: [V3<L>; 4], [b00, b01, b11, b02, b12, b22]: [L; SHAPE]) -> M3<L> {
    let (e1, e2, e3) = (x1 - x0, x2 - x0, x3 - x0);
    M3([e1 * b00, e1 * b01 + e2 * b11, (e1 * b02 + e2 * b12) + e3 * b22])
}

/// Gradients of a function of F from its derivative P: [g1 | g2 | g3] = P Dm^-T, g0 = -(g1 + g2 + g3).
#[inline(always)]
pub(crate) fn gradients<L: Lanes>(M3([p0, p1, p2]): M3<L>, [b00, b01, b11, b02, b12, b22]: [L; SHAPE]) -> [V3<L>; 4] {
    let g1 = (p0 * b00 + p1 * b01) + p2 * b02;
    let g2 = p1 * b11 + p2 * b12;
    let g3 = p2 * b22;
    [-((g1 + g2) + g3), g1, g2, g3]
}

/// Dm^-1 of a rest shape, turned so that it is upper triangular. Not finite if the tetrahedron is flat.
pub(crate) fn shape([x0, x1, x2, x3]: [V3<f64>; 4]) -> [f64; SHAPE] {
    let (e1, e2, e3) = (x1 - x0, x2 - x0, x3 - x0);
    let r00 = e1.length();
    let q0 = e1 * (1.0 / r00);
    let r01 = q0.dot(e2);
    let across = e2 - q0 * r01;
    let r11 = across.length();
    let q1 = across * (1.0 / r11);
    let (r02, r12, r22) = (q0.dot(e3), q1.dot(e3), q0.cross(q1).dot(e3));
    let (b00, b11, b22) = (1.0 / r00, 1.0 / r11, 1.0 / r22);
    [b00, -r01 * (b00 * b11), b11, (r01 * r12 - r02 * r11) * (b00 * b11 * b22), -r12 * (b11 * b22), b22]
}

/// [`shape`], and 0 in the place of the ratio.
pub(crate) fn shape_and_ratio(x: [V3<f64>; 4]) -> [f64; 7] {
    let [b00, b01, b11, b02, b12, b22] = shape(x);
    [b00, b01, b11, b02, b12, b22, 0.0]
}

/// Green's strain E = (F^T F - 1) / 2. It keeps its digits when the element turns.
#[inline(always)]
pub(crate) fn green<L: Lanes>(M3([f0, f1, f2]): M3<L>) -> Symmetric<L> {
    let (half, one) = (L::splat(0.5), L::splat(1.0));
    Symmetric {
        xx: (f0.length_squared() - one) * half,
        yy: (f1.length_squared() - one) * half,
        zz: (f2.length_squared() - one) * half,
        xy: f0.dot(f1) * half,
        yz: f1.dot(f2) * half,
        xz: f0.dot(f2) * half,
    }
}

/// Invariants of E from which psi is computed near rest. The plain forms subtract numbers of about 1 and so lose
/// strains below 2e-4.
pub(crate) struct Invariants<L> {
    /// J^2 - 1 = det(1 + 2 E) - 1.
    pub(crate) j2: L,
    /// (tr F^T F - 3) / 2 - (J^2 - 1) / 2 = tr E^2 - (tr E)^2 - 4 det E.
    pub(crate) rest: L,
}

#[inline(always)]
pub(crate) fn invariants<L: Lanes>(e: Symmetric<L>) -> Invariants<L> {
    let (trace, square, det) = (e.trace(), e.square(), e.determinant());
    let second = trace * trace - square;
    let (two, four, eight) = (L::splat(2.0), L::splat(4.0), L::splat(8.0));
    Invariants { j2: (two * trace + two * second) + eight * det, rest: -second - four * det }
}

impl<E: Energy> Constraint<4, 7> for Elastic<E> {
    const LONG: bool = true;
    const AT_REST: Option<AtRest<4, 7>> = Some(shape_and_ratio);

    #[inline(always)]
    fn eval<L: Lanes>(x: [V3<L>; 4], [b00, b01, b11, b02, b12, b22, ratio]: [L; 7]) -> (L, [V3<L>; 4]) {
        let shape = [b00, b01, b11, b02, b12, b22];
        let (psi, p) = E::density(deformation(x, shape), ratio);
        let c = (psi + psi).larger(L::zero()).sqrt();
        // At rest C, a root, has no gradient: give none.
        let strained = c.gt(L::splat(MIN_STRAIN));
        let [g0, g1, g2, g3] = gradients(p.scaled(L::splat(1.0) / c), shape);
        (c, [g0.or_zero(strained), g1.or_zero(strained), g2.or_zero(strained), g3.or_zero(strained)])
    }
}
