//! The harness on this crate's own kinds, as the engine's table lists them, and the harness itself on wrong ones.

use std::f32::consts::PI;

use seidel_kernels::{AtMost, Constraint, Dihedral, Distance, Isa, Kind, Lanes, Parameter, V3, conformance};

const LENGTH: &[Parameter] = &[Parameter::rest("length", "m", 0.0, 1e6)];

/// The gradient has the wrong sign.
#[derive(Debug)]
struct Wrong;

impl Constraint<2, 1> for Wrong {
    fn eval<L: Lanes>([x0, x1]: [V3<L>; 2], [rest]: [L; 1]) -> (L, [V3<L>; 2]) {
        let d = x0 - x1;
        let n = d * (L::splat(1.0) / d.length());
        (d.length() - rest, [-n, n])
    }
}

#[test]
fn distance_conforms() {
    conformance::check(&Kind::projecting::<Distance, 2, 1>("distance", LENGTH)).unwrap();
    conformance::check(&Kind::of::<Distance, 2, 1>("distance by the adapter", LENGTH)).unwrap();
    conformance::check(&Kind::bounded::<Distance, AtMost, 2, 1>("rope", LENGTH)).unwrap();
}

#[test]
fn dihedral_conforms() {
    const ANGLE: &[Parameter] = &[Parameter::rest("angle", "rad", -PI, PI)];
    conformance::check(&Kind::of::<Dihedral, 4, 1>("dihedral", ANGLE)).unwrap();
}

/// A height above the world's origin.
#[derive(Debug)]
struct Height;

impl Constraint<2, 1> for Height {
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
    assert!(error.contains("wrong: case 0: dC/dx0"), "{error}");
}
