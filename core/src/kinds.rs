//! THE TABLE: one line per constraint kind. What is listed has a name in scene files and reports, is run through the
//! conformance harness and has a bench.

use seidel_kernels::{AtMost, Dihedral, Distance, Kind, Parameter};
use std::f32::consts::PI;

const LENGTH: Parameter = Parameter::rest("length", "m", 0.0, crate::tuning::MAX_COORDINATE);
const DIAGONAL: Parameter = Parameter::rest("diagonal", "m", 0.0, crate::tuning::MAX_COORDINATE);
const ANGLE: Parameter = Parameter::rest("angle", "rad", -PI, PI);
const COMPRESS: Parameter = Parameter { name: "compress compliance", unit: "m/N", min: 0.0, max: f32::MAX, soft: true };

/// Two particles at a length (m). Compliance in m/N.
pub const DISTANCE: Kind = Kind::projecting::<Distance, 2, 1>("distance", &[LENGTH]);
/// Two particles at most a length apart (m): a rope. Compliance in m/N.
pub const ROPE: Kind = Kind::bounded::<Distance, AtMost, 2, 1>("rope", &[LENGTH]);
/// Two particles at a length (m), with another compliance when compressed. Compliances in m/N.
pub const STRETCH: Kind = Kind::apart::<Distance, 2>("stretch", &[LENGTH, COMPRESS]);
/// Two particles at a length (m), as a diagonal that may shear: a distance that is no stretch. Compliance in m/N.
pub const SHEAR: Kind = Kind::projecting::<Distance, 2, 1>("shear", &[DIAGONAL]);
/// Two triangles at a signed angle (rad): [hinge, hinge, wing, wing]. Compliance in rad^2/J.
pub const DIHEDRAL: Kind = Kind::of::<Dihedral, 4, 1>("dihedral", &[ANGLE]);

/// All built-in kinds.
pub const KINDS: &[Kind] = &[DISTANCE, ROPE, STRETCH, SHEAR, DIHEDRAL];

/// The kind of a name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name() == name)
}
