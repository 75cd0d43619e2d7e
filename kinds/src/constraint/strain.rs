//! Strain based dynamics: each stretch and each shear of an element is a constraint of its own, with its own
//! compliance.
//!
//! F = Ds Dm^-1 = [f0 | f1 | f2], c_i column i of Dm^-1, [g] = [g1 | g2 | g3]
//! Plain:       C_ii = f_i.f_i - 1,   [g] = 2 f_i c_i^T;              C_ij = f_i.f_j,   [g] = f_j c_i^T + f_i c_j^T
//! Normalised:  C_ii = |f_i| - 1,     [g] = f_i^ c_i^T;               C_ij = f_i^.f_j^ = c,
//!                                    [g] = (f_j^ - c f_i^) c_i^T / |f_i| + (f_i^ - c f_j^) c_j^T / |f_j|
//! Müller, Chentanez, Kim, Macklin 2014, "Strain Based Dynamics", eq. 8-16. Normalised stretch is linear in |f_i|;
//! normalised shear does not depend on the stretch. All constraints of an element are solved at once. The directions of
//! a cloth are its warp and its weft; those of a tetrahedron are the axes of its rest shape. No C changes when an
//! element is mirrored: a mirrored element stays mirrored. Compliance in 1/J: 1 / (stiffness in Pa x volume). Plain
//! stretch is about twice the strain, so its compliance is 4 / (E V).

use seidel_kernels::Values;
use seidel_kernels::tuning::MIN_STRAIN;
use seidel_kernels::{AtRest, CoupledConstraint, Lanes, Softness, V3};

/// Stretch of warp and weft and their shear. `rest = [b00, b10, b01, b11, weft, shear]`: Dm^-1 in 1/m, column after
/// column, and the compliances (PBD: stiffnesses) of weft and shear; the row's own is the warp's.
#[derive(Clone, Copy, Debug)]
pub struct StrainTriangle<const NORMALISED: bool>;

/// Three stretches and three shears. `rest = [b00, b10, b20, b01, ..., b22, shear]`: Dm^-1 in 1/m, column after column,
/// and the compliance (PBD: stiffness) of the shears; the row's own is the stretches'.
#[derive(Clone, Copy, Debug)]
pub struct StrainTet<const NORMALISED: bool>;

/// A column of F, its direction, its length and the inverse of the length. Direction and inverse are 0 where the length
/// vanishes.
#[derive(Clone, Copy)]
struct Column<L> {
    f: V3<L>,
    along: V3<L>,
    len: L,
    inverse: L,
}

#[inline(always)]
fn column<L: Lanes>(f: V3<L>) -> Column<L> {
    let len = f.length();
    let inverse = (L::splat(1.0) / len).or_zero(len.gt(L::splat(MIN_STRAIN)));
    Column { f, along: f * inverse, len, inverse }
}

/// C of a stretch, and p of its gradient [g] = p c_i^T.
#[inline(always)]
fn stretch<L: Lanes, const NORMALISED: bool>(i: Column<L>) -> (L, V3<L>) {
    let one = L::splat(1.0);
    if NORMALISED { (i.len - one, i.along) } else { (i.f.length_squared() - one, i.f * L::splat(2.0)) }
}

/// C of a shear, and p, q of its gradient [g] = p c_i^T + q c_j^T.
#[inline(always)]
fn shear<L: Lanes, const NORMALISED: bool>(i: Column<L>, j: Column<L>) -> (L, V3<L>, V3<L>) {
    if NORMALISED {
        let c = i.along.dot(j.along);
        return (c, (j.along - i.along * c) * i.inverse, (i.along - j.along * c) * j.inverse);
    }
    (i.f.dot(j.f), j.f, i.f)
}

/// Gradients of a triangle's points from [g] = p0 c_0^T + p1 c_1^T.
#[inline(always)]
fn of_triangle<L: Lanes>([p0, p1]: [V3<L>; 2], [b00, b10, b01, b11]: [L; 4]) -> [V3<L>; 3] {
    let (g1, g2) = (p0 * b00 + p1 * b01, p0 * b10 + p1 * b11);
    [-(g1 + g2), g1, g2]
}

#[inline(always)]
fn triangle<L: Lanes>([x0, x1, x2]: [V3<L>; 3], [b00, b10, b01, b11]: [L; 4]) -> [Column<L>; 2] {
    let (e1, e2) = (x1 - x0, x2 - x0);
    [column(e1 * b00 + e2 * b10), column(e1 * b01 + e2 * b11)]
}

fn triangle_at_rest(x: [V3<f64>; 3]) -> [f64; 6] {
    let [b00, b01, b11] = super::elastic_triangle::shape(x);
    [b00, 0.0, b01, b11, 0.0, 0.0]
}

impl<const NORMALISED: bool> CoupledConstraint<3, 6, 3> for StrainTriangle<NORMALISED> {
    const AT_REST: Option<AtRest<3, 6>> = Some(triangle_at_rest);

    #[inline(always)]
    fn eval<L: Lanes>(x: [V3<L>; 3], [b00, b10, b01, b11, ..]: [L; 6]) -> Values<L, 3, 3> {
        let shape = [b00, b10, b01, b11];
        let [warp, weft] = triangle(x, shape);
        let (c0, p0) = stretch::<L, NORMALISED>(warp);
        let (c1, p1) = stretch::<L, NORMALISED>(weft);
        let (c2, q0, q1) = shear::<L, NORMALISED>(warp, weft);
        let none = V3::zero();
        let gradients = [of_triangle([p0, none], shape), of_triangle([none, p1], shape), of_triangle([q0, q1], shape)];
        ([c0, c1, c2], gradients)
    }

    #[inline(always)]
    fn softness<L: Lanes>(row: Softness<L>, rest: &[L; 6]) -> [Softness<L>; 3] {
        [row, row.with(rest[4]), row.with(rest[5])]
    }

    #[inline(always)]
    fn value<L: Lanes>(x: [V3<L>; 3], [b00, b10, b01, b11, ..]: [L; 6]) -> L {
        let [warp, weft] = triangle(x, [b00, b10, b01, b11]);
        let (c0, _) = stretch::<L, NORMALISED>(warp);
        let (c1, _) = stretch::<L, NORMALISED>(weft);
        let (c2, ..) = shear::<L, NORMALISED>(warp, weft);
        ((c0 * c0 + c1 * c1) + c2 * c2).sqrt()
    }
}

/// Dm^-1 as three columns.
#[inline(always)]
fn columns<L: Lanes>(rest: [L; 10]) -> [V3<L>; 3] {
    let [b00, b10, b20, b01, b11, b21, b02, b12, b22, _] = rest;
    [V3::new(b00, b10, b20), V3::new(b01, b11, b21), V3::new(b02, b12, b22)]
}

#[inline(always)]
fn tet<L: Lanes>([x0, x1, x2, x3]: [V3<L>; 4], [b0, b1, b2]: [V3<L>; 3]) -> [Column<L>; 3] {
    let (e1, e2, e3) = (x1 - x0, x2 - x0, x3 - x0);
    [
        column((e1 * b0.x + e2 * b0.y) + e3 * b0.z),
        column((e1 * b1.x + e2 * b1.y) + e3 * b1.z),
        column((e1 * b2.x + e2 * b2.y) + e3 * b2.z),
    ]
}

/// Gradients of a tetrahedron's points from [g] = p c_i^T. `b` is c_i: one number for each edge.
#[inline(always)]
fn along_column<L: Lanes>(p: V3<L>, b: V3<L>) -> [V3<L>; 4] {
    let (g1, g2, g3) = (p * b.x, p * b.y, p * b.z);
    [-((g1 + g2) + g3), g1, g2, g3]
}

#[inline(always)]
fn sum<L: Lanes>(a: [V3<L>; 4], b: [V3<L>; 4]) -> [V3<L>; 4] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

fn tet_at_rest([x0, x1, x2, x3]: [V3<f64>; 4]) -> [f64; 10] {
    let (e1, e2, e3) = (x1 - x0, x2 - x0, x3 - x0);
    let det = e1.cross(e2).dot(e3);
    let rows = [e2.cross(e3), e3.cross(e1), e1.cross(e2)];
    // Row k of Dm^-1 belongs to edge k: its columns are the axes.
    let entry = |row: usize, axis: usize| {
        let V3 { x, y, z } = rows[row];
        [x, y, z][axis] / det
    };
    let mut rest = [0.0; 10];
    for axis in 0..3 {
        for row in 0..3 {
            rest[axis * 3 + row] = entry(row, axis);
        }
    }
    rest
}

impl<const NORMALISED: bool> CoupledConstraint<4, 10, 6> for StrainTet<NORMALISED> {
    const AT_REST: Option<AtRest<4, 10>> = Some(tet_at_rest);

    #[inline(always)]
    fn eval<L: Lanes>(x: [V3<L>; 4], rest: [L; 10]) -> Values<L, 4, 6> {
        let b = columns(rest);
        let [f0, f1, f2] = tet(x, b);
        let (c0, p0) = stretch::<L, NORMALISED>(f0);
        let (c1, p1) = stretch::<L, NORMALISED>(f1);
        let (c2, p2) = stretch::<L, NORMALISED>(f2);
        let (c3, q0, q1) = shear::<L, NORMALISED>(f0, f1);
        let (c4, r1, r2) = shear::<L, NORMALISED>(f1, f2);
        let (c5, s0, s2) = shear::<L, NORMALISED>(f0, f2);
        let gradients = [
            along_column(p0, b[0]),
            along_column(p1, b[1]),
            along_column(p2, b[2]),
            sum(along_column(q0, b[0]), along_column(q1, b[1])),
            sum(along_column(r1, b[1]), along_column(r2, b[2])),
            sum(along_column(s0, b[0]), along_column(s2, b[2])),
        ];
        ([c0, c1, c2, c3, c4, c5], gradients)
    }

    #[inline(always)]
    fn softness<L: Lanes>(row: Softness<L>, rest: &[L; 10]) -> [Softness<L>; 6] {
        let shear = row.with(rest[9]);
        [row, row, row, shear, shear, shear]
    }

    #[inline(always)]
    fn value<L: Lanes>(x: [V3<L>; 4], rest: [L; 10]) -> L {
        let [f0, f1, f2] = tet(x, columns(rest));
        let (c0, _) = stretch::<L, NORMALISED>(f0);
        let (c1, _) = stretch::<L, NORMALISED>(f1);
        let (c2, _) = stretch::<L, NORMALISED>(f2);
        let (c3, ..) = shear::<L, NORMALISED>(f0, f1);
        let (c4, ..) = shear::<L, NORMALISED>(f1, f2);
        let (c5, ..) = shear::<L, NORMALISED>(f0, f2);
        (((c0 * c0 + c1 * c1) + c2 * c2) + ((c3 * c3 + c4 * c4) + c5 * c5)).sqrt()
    }
}
