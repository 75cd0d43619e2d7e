//! The harness itself, on wrong kinds; the listed ones: kinds/tests/conformance.rs.

use seidel_kernels::{AtRest, Constraint, Isa, Kind, Lanes, Parameter, V3, conformance};
use seidel_kinds::{Distance, Isometric};

const LENGTH: &[Parameter] = &[Parameter::rest("length", "m", 0.0, 1e6)];

/// The gradient has the wrong sign.
#[derive(Debug)]
struct Wrong;

impl Constraint<2, 1> for Wrong {
    const LONG: bool = true;

    fn eval<L: Lanes>([x0, x1]: [V3<L>; 2], [rest]: [L; 1]) -> (L, [V3<L>; 2]) {
        let d = x0 - x1;
        let n = d * (L::splat(1.0) / d.length());
        (d.length() - rest, [-n, n])
    }
}

/// Those that write their own projection, by the adapter.
#[test]
fn the_adapter_conforms() {
    const K: Parameter = Parameter::rest("coefficient", "1/m", -1e12, 1e12);
    conformance::check(&Kind::of::<Distance, 2, 1>("distance by the adapter", LENGTH)).unwrap();
    conformance::check(&Kind::of::<Isometric, 4, 3>("isometric by the adapter", &[K; 3])).unwrap();
}

/// Its parameters are not those of the shape that it is given.
#[derive(Debug)]
struct Restless;

impl Constraint<4, 3> for Restless {
    const LONG: bool = true;

    const AT_REST: Option<AtRest<4, 3>> = Some(|_| [0.5, -0.25, -0.125]);

    fn eval<L: Lanes>(x: [V3<L>; 4], rest: [L; 3]) -> (L, [V3<L>; 4]) {
        Isometric::eval(x, rest)
    }
}

#[test]
fn wrong_parameters_at_rest_are_caught() {
    const K: Parameter = Parameter::rest("coefficient", "1/m", -1e12, 1e12);
    let error = conformance::check(&Kind::of::<Restless, 4, 3>("restless", &[K; 3])).unwrap_err();
    assert!(error.contains("from rest with the parameters of its own shape"), "{error}");
}

/// Soft parameters are not the shape's; of two others one cannot be told from C alone.
#[test]
fn at_rest_tells_what_it_knows() {
    #[derive(Debug)]
    struct Scaled;
    impl Constraint<2, 2> for Scaled {
        const LONG: bool = true;

        fn eval<L: Lanes>([x0, x1]: [V3<L>; 2], [rest, factor]: [L; 2]) -> (L, [V3<L>; 2]) {
            let (c, [g0, g1]) = Distance::eval([x0, x1], [L::zero()]);
            (c * factor - rest, [g0 * factor, g1 * factor])
        }
    }
    const REST: Parameter = Parameter::rest("rest", "m", 0.0, 10.0);
    const SOFT: Parameter = Parameter { soft: true, ..REST };
    let x = [[1.0, 0.0, 0.0], [1.0, 0.0, 3.0]];
    let mut rest = [7.0, 2.0];
    assert!(!Kind::of::<Scaled, 2, 2>("scaled", &[REST, REST]).at_rest(&x, &mut rest));
    assert_eq!(rest, [6.0, 2.0]);
    let mut rest = [7.0, 2.0];
    assert!(Kind::asymmetric::<Distance, 2>("apart", &[REST, SOFT]).at_rest(&x, &mut rest));
    assert_eq!(rest, [3.0, 2.0]);
}

/// A length in kilometres: corrections are a thousand times as long as the distances of the points.
#[derive(Debug)]
struct Kilometres;

impl Constraint<2, 1> for Kilometres {
    const LONG: bool = true;

    fn eval<L: Lanes>(x: [V3<L>; 2], [rest]: [L; 1]) -> (L, [V3<L>; 2]) {
        let (c, gradients) = Distance::eval(x, [L::zero()]);
        (c * L::splat(1e-3) - rest, gradients.map(|g| g * L::splat(1e-3)))
    }
}

/// What is allowed as rounding grows with the correction, not only with the gradients.
#[test]
fn long_corrections_may_round() {
    conformance::check(&Kind::of::<Kilometres, 2, 1>("kilometres", LENGTH)).unwrap();
}

/// A height above the world's origin.
#[derive(Debug)]
struct Height;

impl Constraint<2, 1> for Height {
    const LONG: bool = true;

    fn eval<L: Lanes>([x0, _]: [V3<L>; 2], [rest]: [L; 1]) -> (L, [V3<L>; 2]) {
        (x0.y - rest, [V3::new(L::zero(), L::splat(1.0), L::zero()), V3::zero()])
    }
}

#[test]
fn an_absolute_position_is_caught() {
    let error = conformance::check(&Kind::of::<Height, 2, 1>("height", LENGTH)).unwrap_err();
    assert!(error.contains("when all points are moved alike: positions are relative to the first point"), "{error}");
}

#[test]
fn an_isa_keeps_to_the_width() {
    assert_eq!(format!("{:>8}|{:<8}|{}", Isa::SCALAR, Isa::PORTABLE, Isa::SCALAR), "  scalar|portable|scalar");
}

#[test]
fn a_wrong_gradient_is_caught() {
    let error = conformance::check(&Kind::of::<Wrong, 2, 1>("wrong", LENGTH)).unwrap_err();
    assert!(error.contains("wrong: case 0, constraint 0: dC/dx0"), "{error}");
}
