//! Isometric bending: keeps two triangles that share an edge flat, by a force that is linear in the positions.
//!
//! ```text
//!          2                hinge x0 x1, wings x2 x3; at rest X0 X1 X2 X3, of areas A0 (with X2) and A1 (with X3)
//!        /   \              E0 = X1 - X0,  E1 = X2 - X0,  E2 = X3 - X0,  E3 = X2 - X1,  E4 = X3 - X1
//!      0 ----- 1            c01 = cot(E0, E1),  c02 = cot(E0, E2),  c03 = cot(-E0, E3),  c04 = cot(-E0, E4)
//!        \   /              K = (c03 + c04, c01 + c02, -c01 - c03, -c02 - c04),  k = sqrt(3 / (A0 + A1)) K
//!          3                y = sum k_i x_i,  C(x) = |y|,  dC/dx_i = k_i y / |y|
//! ```
//! Bergou, Wardetzky, Harmon, Zorin, Grinspun 2006, "A Quadratic Bending Model for Inextensible Surfaces": their
//! Q = k^T k has rank one, and C^2 / 2 = x^T Q x / 2. (C = x^T Q x / 2 itself would square the energy again.) While the
//! triangles keep their shape C = sqrt(3 / (A0 + A1)) 2 |e| sin(theta / 2), which for small angles is the dihedral's
//! theta times |e| sqrt(3 / (A0 + A1)). C has no unit, so the compliance is in 1/J. It is 3 / D for a sheet of flexural
//! rigidity D (N m), whatever the mesh. The sum of K is 0, so k0 = -(k1 + k2 + k3) is not kept.
//!
//! The hinge is flat at rest: a hinge that is bent in its rest shape is flattened.

use seidel_kernels::tuning::{MAX_CORRECTION, MIN_BEND, MIN_DENOMINATOR};
use seidel_kernels::{AtRest, Constraint, Lanes, Point, Project, Softness, V3};

/// Two triangles that are flat at rest: [hinge, hinge, wing, wing]. `rest = [k1, k2, k3]`, in 1/m.
#[derive(Clone, Copy, Debug)]
pub struct Isometric;

/// y of points relative to the first, and k0.
#[inline(always)]
fn bend<L: Lanes>([d1, d2, d3]: [V3<L>; 3], [k1, k2, k3]: [L; 3]) -> (V3<L>, L) {
    ((d1 * k1 + d2 * k2) + d3 * k3, -((k1 + k2) + k3))
}

/// k1, k2, k3 of a rest shape. Not finite if one of its triangles has no area.
fn coefficients([x0, x1, x2, x3]: [V3<f64>; 4]) -> [f64; 3] {
    let (e0, e1, e2, e3, e4) = (x1 - x0, x2 - x0, x3 - x0, x2 - x1, x3 - x1);
    let (twice_a0, twice_a1) = (e0.cross(e1).length(), e0.cross(e2).length());
    // cot(u, v) = u.v / |u x v|, and a triangle's |u x v| is the same in all its corners.
    let (c01, c02) = (e0.dot(e1) / twice_a0, e0.dot(e2) / twice_a1);
    let (c03, c04) = (-e0.dot(e3) / twice_a0, -e0.dot(e4) / twice_a1);
    let scale = (6.0 / (twice_a0 + twice_a1)).sqrt();
    [(c01 + c02) * scale, -(c01 + c03) * scale, -(c02 + c04) * scale]
}

impl Constraint<4, 3> for Isometric {
    const AT_REST: Option<AtRest<4, 3>> = Some(coefficients);

    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2, x3]: [V3<L>; 4], [k1, k2, k3]: [L; 3]) -> (L, [V3<L>; 4]) {
        let (y, k0) = bend([x1 - x0, x2 - x0, x3 - x0], [k1, k2, k3]);
        let c = y.length();
        // A flat hinge has no direction of bending: give none, and C moves nothing.
        let n = (y * (L::splat(1.0) / c)).or_zero(c.gt(L::splat(MIN_BEND)));
        (c, [n * k0, n * k1, n * k2, n * k3])
    }
}

/// Written out because it pays: all gradients are parallel to y, so y = 0 is solved as three linear constraints, one
/// for each axis, with one division and without the direction y / |y|. The projection is the same, as sum w k^2 is the
/// same for all axes. Each axis has its own multiplier, because y turns and changes sides between iterations: with a
/// single multiplier along y, corrections made on one side would count for the other.
impl Project<3, 3> for Isometric {
    type Slots<L: Lanes> = [Point<L>; 4];

    #[inline(always)]
    fn project<L: Lanes>(slots: &mut [Point<L>; 4], &[k1, k2, k3]: &[L; 3], soft: Softness<L>, lambda: &mut [L; 3]) {
        let [p0, p1, p2, p3] = slots;
        let (d1, d2, d3) = if soft.rates {
            (p1.du - p0.du, p2.du - p0.du, p3.du - p0.du)
        } else {
            (p1.x - p0.x, p2.x - p0.x, p3.x - p0.x)
        };
        let (y, k0) = bend([d1, d2, d3], [k1, k2, k3]);
        let (m0, m1, m2, m3) = (p0.w * k0, p1.w * k1, p2.w * k2, p3.w * k3);
        let weighted = (m0 * k0 + m1 * k1) + (m2 * k2 + m3 * k3);
        let kept = V3::new(lambda[0], lambda[1], lambda[2]);
        // -dlambda of each axis
        let pull = (y + kept * soft.a) * (soft.k / soft.denominator(weighted));
        let size = (pull.x.abs() + pull.y.abs()) + pull.z.abs();
        let reach = ((m0.abs() + m1.abs()) + (m2.abs() + m3.abs())) * size;
        let sane = weighted.gt(L::splat(MIN_DENOMINATOR)) & reach.lt(L::splat(MAX_CORRECTION));
        p0.dx = (pull * -m0).or_zero(sane);
        p1.dx = (pull * -m1).or_zero(sane);
        p2.dx = (pull * -m2).or_zero(sane);
        p3.dx = (pull * -m3).or_zero(sane);
        let kept = V3::select(sane, kept - pull, kept);
        *lambda = [kept.x, kept.y, kept.z];
    }

    #[inline(always)]
    fn value<L: Lanes>(slots: &[Point<L>; 4], rest: &[L; 3]) -> L {
        bend([slots[1].x - slots[0].x, slots[2].x - slots[0].x, slots[3].x - slots[0].x], *rest).0.length()
    }
}
