//! THE TABLE: one line per constraint kind. What is listed has a name in scene files and reports, is run through the
//! conformance harness and has a bench.

use crate::tuning::{MAX_COEFFICIENT, MAX_COORDINATE};
use seidel_kernels::{AtMost, Dihedral, Distance, Isometric, Kind, Parameter};
use std::f32::consts::PI;

const LENGTH: Parameter = Parameter::rest("length", "m", 0.0, MAX_COORDINATE);
const DIAGONAL: Parameter = Parameter::rest("diagonal", "m", 0.0, MAX_COORDINATE);
const ANGLE: Parameter = Parameter::rest("angle", "rad", -PI, PI);
const OF_X1: Parameter = Parameter::rest("coefficient of the second point", "1/m", -MAX_COEFFICIENT, MAX_COEFFICIENT);
const OF_X2: Parameter = Parameter::rest("coefficient of the third point", "1/m", -MAX_COEFFICIENT, MAX_COEFFICIENT);
const OF_X3: Parameter = Parameter::rest("coefficient of the fourth point", "1/m", -MAX_COEFFICIENT, MAX_COEFFICIENT);
const COMPRESS: Parameter = Parameter { name: "compress compliance", unit: "m/N", min: 0.0, max: f32::MAX, soft: true };

// Statics: a constant would have every crate that names it compile all kernels again.

/// Two particles at a length (m). Compliance in m/N.
pub static DISTANCE: Kind = Kind::projecting::<Distance, 2, 1>("distance", &[LENGTH]);
/// Two particles at most a length apart (m): a rope. Compliance in m/N.
pub static ROPE: Kind = Kind::bounded::<Distance, AtMost, 2, 1>("rope", &[LENGTH]);
/// Two particles at a length (m), with another compliance when compressed. Compliances in m/N.
pub static STRETCH: Kind = Kind::apart::<Distance, 2>("stretch", &[LENGTH, COMPRESS]);
/// Two particles at a length (m), as a diagonal that may shear: a distance that is no stretch. Compliance in m/N.
pub static SHEAR: Kind = Kind::projecting::<Distance, 2, 1>("shear", &[DIAGONAL]);
/// Two triangles at a signed angle (rad): [hinge, hinge, wing, wing]. Compliance in rad^2/J.
pub static DIHEDRAL: Kind = Kind::of::<Dihedral, 4, 1>("dihedral", &[ANGLE]);
/// Two triangles that are flat at rest: [hinge, hinge, wing, wing]; coefficients of the last three (1/m), which are measured.
/// Compliance in 1/J: 3 / D, D being the sheet's flexural rigidity in N m.
pub static ISOMETRIC: Kind = Kind::vector::<Isometric, 4, 3, 3>("isometric", &[OF_X1, OF_X2, OF_X3]);

/// All built-in kinds.
pub static KINDS: &[Kind] = &[DISTANCE, ROPE, STRETCH, SHEAR, DIHEDRAL, ISOMETRIC];

/// The kind of a name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name() == name)
}
