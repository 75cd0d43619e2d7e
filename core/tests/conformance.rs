//! Kinds of a user's own through the conformance harness and through a step; the listed ones:
//! kinds/tests/conformance.rs.

use crate::runs;
use crate::runs::{P, dot, norm, sub};
use seidel::kernels::{Constraint, Kind, Lanes, Parameter, V3, conformance};
use seidel::{Constraints, Isa, Scene, Stiffness};

/// A user's own: keeps x0 at a distance from the line through x1 and x2. C = |q| - L, q = d - t e.
struct PointLine;

impl Constraint<3, 1> for PointLine {
    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2]: [V3<L>; 3], [rest]: [L; 1]) -> (L, [V3<L>; 3]) {
        let (e, d) = (x2 - x1, x0 - x1);
        let ee = e.length_squared();
        let t = (d.dot(e) / ee).or_zero(ee.gt(L::splat(1e-12)));
        let q = d - e * t;
        let len = q.length();
        let n = (q * (L::splat(1.0) / len)).or_zero(len.gt(L::splat(1e-9)));
        (len - rest, [n, n * (t - L::splat(1.0)), -(n * t)])
    }
}

const POINT_LINE: Kind = Kind::of::<PointLine, 3, 1>("point-line", &[Parameter::rest("distance", "m", 0.0, 1e3)]);

#[test]
fn a_kind_of_one_s_own_conforms() {
    conformance::check(&POINT_LINE).unwrap();
}

/// A right angle at x1: C = (x0 - x1) . (x2 - x1).
struct RightAngle;

impl Constraint<3, 0> for RightAngle {
    const LONG: bool = true;

    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2]: [V3<L>; 3], []: [L; 0]) -> (L, [V3<L>; 3]) {
        let (a, b) = (x0 - x1, x2 - x1);
        (a.dot(b), [b, -(a + b), a])
    }
}

#[test]
fn a_kind_without_parameters_conforms_and_steps() {
    const RIGHT_ANGLE: Kind = Kind::of::<RightAngle, 3, 0>("right-angle", &[]);
    conformance::check(&RIGHT_ANGLE).unwrap();
    let mut body = runs::particles(&[[1.0, 0.3, 0.0], [0.0; 3], [0.2, 1.0, 0.0]], &[0.1; 3]);
    body.constraints = vec![Constraints::measured(RIGHT_ANGLE, vec![0, 1, 2], Stiffness::compliance(0.0))];
    let mut scene = runs::scene(0.0, 20);
    let body = scene.add(body);
    let mut solver = runs::solver(&scene);
    runs::run(&mut solver, 1, runs::FRAME);
    let x = runs::positions(&solver, body);
    assert!(dot(sub(x[0], x[1]), sub(x[2], x[1])).abs() < 1e-6, "{x:?}");
}

/// The harness sees a gradient with a wrong sign, a missing part, and a kind that is not the same on every lane count.
#[test]
fn the_harness_can_fail() {
    struct Wrong;
    impl Constraint<3, 1> for Wrong {
        const LONG: bool = true;

        #[inline(always)]
        fn eval<L: Lanes>(x: [V3<L>; 3], rest: [L; 1]) -> (L, [V3<L>; 3]) {
            let (c, [g0, g1, g2]) = PointLine::eval(x, rest);
            (c, [g0, g2, g1])
        }
    }
    struct Pushes;
    impl Constraint<2, 1> for Pushes {
        const LONG: bool = true;

        #[inline(always)]
        fn eval<L: Lanes>([x0, x1]: [V3<L>; 2], [rest]: [L; 1]) -> (L, [V3<L>; 2]) {
            let up = V3::new(L::zero(), L::splat(1.0), L::zero());
            ((x0 - x1).y - rest, [up, V3::zero()])
        }
    }
    struct Uneven;
    impl Constraint<2, 1> for Uneven {
        const LONG: bool = true;

        #[inline(always)]
        fn eval<L: Lanes>([x0, x1]: [V3<L>; 2], [rest]: [L; 1]) -> (L, [V3<L>; 2]) {
            let d = x0 - x1;
            let factor = L::splat(1.0 + 1e-6 * (L::WIDTH - 1) as f64);
            let n = d * (factor / d.length());
            (d.length() - rest, [n, -n])
        }
    }
    const PARAMETER: &[Parameter] = &[Parameter::rest("rest", "m", 0.0, 1e3)];
    let fails = |kind: Kind, why: &str| {
        let error = conformance::check(&kind).unwrap_err();
        assert!(error.contains(why), "{error} / {why}");
    };
    fails(Kind::of::<Wrong, 3, 1>("wrong", PARAMETER), "differs");
    fails(Kind::of::<Pushes, 2, 1>("pushes", PARAMETER), "dC/dx1");
    fails(Kind::of::<Uneven, 2, 1>("uneven", PARAMETER), "differs from scalar");
}

/// Twenty beads on taut strings: each is drawn to its own line, the same bits on all lanes and threads.
#[test]
fn a_kind_of_one_s_own_steps_on_every_isa() {
    const BEADS: u32 = 40;
    let mut points: Vec<P> = Vec::new();
    for i in 0..BEADS {
        let z = 0.1 * f64::from(i);
        points.extend([[0.3 + 0.01 * f64::from(i), 0.2, z], [-1.0, 0.0, z], [1.0, 0.1, z]]);
    }
    let masses: Vec<f64> = (0..3 * BEADS).map(|v| if v % 3 == 0 { 0.1 } else { f64::INFINITY }).collect();
    let mut body = runs::particles(&points, &masses);
    let (at, rest) = ((0..3 * BEADS).collect(), (0..BEADS).map(|i| 0.01 * i as f32).collect());
    body.constraints = vec![Constraints::new(POINT_LINE, at, rest, Stiffness::compliance(0.0))];
    let mut scene: Scene = runs::scene(9.81, 20);
    let body = scene.add(body);
    let mut hashes = Vec::new();
    for isa in Isa::available() {
        let mut solver = runs::solver_on(&scene, isa, 3);
        runs::run(&mut solver, 30, runs::FRAME);
        hashes.push(solver.state().hash());
        let x = runs::positions(&solver, body);
        for i in 0..BEADS as usize {
            let (e, d) = (sub(x[3 * i + 2], x[3 * i + 1]), sub(x[3 * i], x[3 * i + 1]));
            let off = norm(sub(d, runs::scale(e, dot(d, e) / dot(e, e))));
            assert!((off - 0.01 * i as f64).abs() < 1e-3, "bead {i} is {off} from its line");
        }
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}
