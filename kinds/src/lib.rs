//! The table of constraint kinds, one line each. Every listed kind has a name in scene files and reports, is tested by
//! the conformance harness and has a bench. The table is a crate of its own, so that its kernels are compiled once.

mod constraint;

pub use constraint::{
    Attach, AttachTriangle, BendTwist, Dihedral, Distance, EdgeEdge, Elastic, ElasticTriangle, Energy, Hooke,
    Isometric, NeoHookean, OrthotropicTriangle, PointEdge, PointTriangle, StVenantKirchhoff, StableEnergy,
    StableNeoHookean, StrainTet, StrainTriangle, StretchShear, Volume,
};
use seidel_kernels::tuning::{MAX_COEFFICIENT, MAX_COORDINATE, MAX_VOLUME};
use seidel_kernels::{AtMost, Kind, Parameter};
use std::f32::consts::PI;

const fn length(name: &'static str) -> Parameter {
    Parameter::rest(name, "m", 0.0, MAX_COORDINATE)
}

const fn coefficient(name: &'static str) -> Parameter {
    Parameter::rest(name, "1/m", -MAX_COEFFICIENT, MAX_COEFFICIENT)
}

const fn barycentric(name: &'static str) -> Parameter {
    Parameter::rest(name, "", -1e3, 1e3)
}

const LENGTH: Parameter = length("length");
const DIAGONAL: Parameter = length("diagonal");
const SPAN: Parameter = length("span");
const SEGMENT: Parameter = Parameter::rest("segment", "m", 1e-9, MAX_COORDINATE);
const GAP: Parameter = length("gap");
const HEIGHT: Parameter = Parameter::rest("height", "m", -MAX_COORDINATE, MAX_COORDINATE);
const ANGLE: Parameter = Parameter::rest("angle", "rad", -PI, PI);
const VOLUME_AT_REST: Parameter = Parameter::rest("volume", "m^3", -MAX_VOLUME, MAX_VOLUME);
const COMPRESS: Parameter = Parameter::soft("compress compliance", "m/N");
const WEFT: Parameter = Parameter::soft("weft compliance", "1/J");
const SHEARED: Parameter = Parameter::soft("shear compliance", "1/J");
const BENT: Parameter = Parameter::soft("bend compliance about the second axis", "1/J");
const TWISTED: Parameter = Parameter::soft("twist compliance", "1/J");

// Im(q0~ q1) at rest: see `BendTwist`.
const O_1: Parameter = Parameter::rest("bend about the first axis", "", -1.0, 1.0);
const O_2: Parameter = Parameter::rest("bend about the second axis", "", -1.0, 1.0);
const O_3: Parameter = Parameter::rest("twist", "", -1.0, 1.0);

// Coefficients of a hinge: see `Isometric`.
const OF_X1: Parameter = coefficient("coefficient of the second point");
const OF_X2: Parameter = coefficient("coefficient of the third point");
const OF_X3: Parameter = coefficient("coefficient of the fourth point");

// Dm^-1 of an element.
const B00: Parameter = coefficient("Dm^-1 [0, 0]");
const B01: Parameter = coefficient("Dm^-1 [0, 1]");
const B02: Parameter = coefficient("Dm^-1 [0, 2]");
const B10: Parameter = coefficient("Dm^-1 [1, 0]");
const B11: Parameter = coefficient("Dm^-1 [1, 1]");
const B12: Parameter = coefficient("Dm^-1 [1, 2]");
const B20: Parameter = coefficient("Dm^-1 [2, 0]");
const B21: Parameter = coefficient("Dm^-1 [2, 1]");
const B22: Parameter = coefficient("Dm^-1 [2, 2]");

// Materials. The defaults stand for a Poisson ratio of 0.3, for fabrics of 0.
const LAMBDA_OVER_MU: Parameter = Parameter::material("lambda / mu", "", -2.0 / 3.0, 1e4, 1.5);
const IN_PLANE: Parameter = Parameter::material("in-plane lambda / mu", "", -1.0, 2.0, 6.0 / 7.0);
const MU_OVER_LAMBDA: Parameter = Parameter::material("mu / lambda", "", 1e-4, 1e6, 2.0 / 3.0);
const NU_YX: Parameter = Parameter::material("nu_yx", "", -10.0, 10.0, 0.0);
const WEFT_OVER_WARP: Parameter = Parameter::material("E_y / E_x", "", 1e-6, 1e6, 1.0);
const SHEAR_OVER_WARP: Parameter = Parameter::material("2 G D / E_x", "", 1e-6, 1e6, 1.0);

const TET: &[Parameter] = &[B00, B01, B11, B02, B12, B22, LAMBDA_OVER_MU];
const STABLE_TET: &[Parameter] = &[B00, B01, B11, B02, B12, B22, MU_OVER_LAMBDA];
const TRIANGLE: &[Parameter] = &[B00, B01, B11, IN_PLANE];
const WOVEN: &[Parameter] = &[B00, B10, B01, B11, NU_YX, WEFT_OVER_WARP, SHEAR_OVER_WARP];
const STRAIN_OF_TRIANGLE: &[Parameter] = &[B00, B10, B01, B11, WEFT, SHEARED];
const STRAIN_OF_TET: &[Parameter] = &[B00, B10, B20, B01, B11, B21, B02, B12, B22, SHEARED];

// Statics, not constants: every crate that names a constant would compile all kernels again.

/// Two particles at a length (m). Compliance in m/N.
pub static DISTANCE: Kind = Kind::projecting::<Distance, 2, 1>("distance", &[LENGTH]);
/// Two particles at most a length apart (m): a rope. Compliance in m/N.
pub static ROPE: Kind = Kind::bounded::<Distance, AtMost, 2, 1>("rope", &[LENGTH]);
/// Two particles at a length (m), with another compliance when compressed. Compliances in m/N.
pub static STRETCH: Kind = Kind::asymmetric::<Distance, 2>("stretch", &[LENGTH, COMPRESS]);
/// [`DISTANCE`] under a name of its own, for diagonals (m) that resist shear. Compliance in m/N.
pub static SHEAR: Kind = Kind::projecting::<Distance, 2, 1>("shear", &[DIAGONAL]);
/// Two triangles at a signed angle (rad): [hinge, hinge, wing, wing]. Compliance in rad^2/J.
pub static DIHEDRAL: Kind = Kind::of::<Dihedral, 4, 1>("dihedral", &[ANGLE]);
/// Two triangles that are flat at rest: [hinge, hinge, wing, wing]. The parameters are the coefficients of the last
/// three points (1/m), measured from the rest shape. Compliance in 1/J: 3 / D, D being the sheet's flexural rigidity in
/// N m.
pub static ISOMETRIC: Kind = Kind::vector::<Isometric, 4, 3, 3>("isometric", &[OF_X1, OF_X2, OF_X3]);
/// Two wings of a hinge at a distance (m): the cheapest bending. It resists stretch too. Compliance in m/N.
pub static BEND_DISTANCE: Kind = Kind::projecting::<Distance, 2, 1>("bend-distance", &[SPAN]);
/// A particle at a distance from an edge (m): [point, end, end]. Compliance in m/N.
pub static POINT_EDGE: Kind = Kind::of::<PointEdge, 3, 1>("point-edge", &[GAP]);
/// A particle at a signed height over a triangle's plane (m): [point, corner, corner, corner]. Compliance in m/N.
pub static POINT_TRIANGLE: Kind = Kind::of::<PointTriangle, 4, 1>("point-triangle", &[HEIGHT]);
/// Two edges at a distance (m): [end, end, end, end]. Compliance in m/N.
pub static EDGE_EDGE: Kind = Kind::of::<EdgeEdge, 4, 1>("edge-edge", &[GAP]);
/// Two particles in one place. Compliance in m/N.
pub static ATTACH: Kind = Kind::vector::<Attach, 2, 0, 3>("attach", &[]);
/// A particle in its place on a triangle, by barycentric coordinates: [point, corner, corner, corner]. Compliance in
/// m/N.
pub static ATTACH_TRIANGLE: Kind =
    Kind::vector::<AttachTriangle, 4, 2, 3>("attach-triangle", &[barycentric("b2"), barycentric("b3")]);
/// A triangle's stretch along the warp, its stretch along the weft and its shear, each with a compliance of its own.
/// Compliances in 1/J: 1 / (stiffness x area x thickness).
pub static STRAIN_TRIANGLE: Kind =
    Kind::coupled::<StrainTriangle<true>, 3, 6, 3>("strain-triangle", STRAIN_OF_TRIANGLE);
/// [`STRAIN_TRIANGLE`] with strains that are not normalised: C = |f|^2 - 1 for stretch, f0.f1 for shear, which depends
/// on the stretch. |f|^2 - 1 is about twice the strain, so compliances of stretch are 4 / (stiffness x area x
/// thickness) in 1/J. That of shear is 1 / (stiffness x area x thickness).
pub static STRAIN_TRIANGLE_PLAIN: Kind =
    Kind::coupled::<StrainTriangle<false>, 3, 6, 3>("strain-triangle-plain", STRAIN_OF_TRIANGLE);
/// An isotropic elastic triangle in plane stress. Compliance 1 / (mu x area x thickness) in 1/J.
pub static FEM_TRIANGLE: Kind = Kind::of::<ElasticTriangle, 3, 4>("fem-triangle", TRIANGLE);
/// An orthotropic elastic triangle, with warp and weft. Compliance D / (E_x x area x thickness) in 1/J, D = 1 - nu_xy
/// nu_yx.
pub static ORTHOTROPIC: Kind = Kind::of::<OrthotropicTriangle, 3, 7>("orthotropic", WOVEN);
/// A tetrahedron's volume (m^3, signed). Compliance in m^6/J.
pub static VOLUME: Kind = Kind::of::<Volume, 4, 1>("volume", &[VOLUME_AT_REST]);
/// A tetrahedron's three stretches, with one compliance, and its three shears, with another. Compliances in 1/J:
/// 1 / (stiffness x volume).
pub static STRAIN_TET: Kind = Kind::coupled::<StrainTet<true>, 4, 10, 6>("strain-tet", STRAIN_OF_TET);
/// [`STRAIN_TET`] with strains that are not normalised. Compliance of stretch in 1/J: 4 / (stiffness x volume).
pub static STRAIN_TET_PLAIN: Kind = Kind::coupled::<StrainTet<false>, 4, 10, 6>("strain-tet-plain", STRAIN_OF_TET);
/// A tetrahedron of Hooke's material, corotated. Compliance 1 / (mu V) in 1/J.
pub static HOOKE: Kind = Kind::of::<Elastic<Hooke>, 4, 7>("hooke", TET);
/// A tetrahedron of St. Venant-Kirchhoff's material. A mirrored one stays mirrored. Compliance 1 / (mu V) in 1/J.
pub static STVK: Kind = Kind::of::<Elastic<StVenantKirchhoff>, 4, 7>("stvk", TET);
/// A tetrahedron of Neo-Hookean material. Compliance 1 / (mu V) in 1/J.
pub static NEO_HOOKEAN: Kind = Kind::of::<Elastic<NeoHookean>, 4, 7>("neo-hookean", TET);
/// A tetrahedron of stable Neo-Hookean material, as two constraints solved at once. Compliance 1 / (mu V) in 1/J;
/// Poisson's ratio is above 0.
pub static STABLE_NEO_HOOKEAN: Kind = Kind::coupled::<StableNeoHookean, 4, 7, 2>("stable-neo-hookean", STABLE_TET);
/// The same material as one constraint, also for Poisson's ratios of 0 and below. Compliance 1 / (mu V) in 1/J.
pub static STABLE_ENERGY: Kind = Kind::of::<Elastic<StableEnergy>, 4, 7>("stable-neo-hookean-energy", TET);

/// A rod's segment: [point, point | frame]. The frame's third axis is along the segment. Compliances in 1/J:
/// 1 / (l E A) of stretch, 1 / (l G A kappa) of shear.
pub static STRETCH_SHEAR: Kind = Kind::framed::<StretchShear, 2, 3>("stretch-shear", &[SEGMENT, SHEARED]);
/// A rod's joint: the frames of two consecutive segments, [| frame, frame]. Compliances in 1/J: l / (4 E I) of bending
/// about each axis, l / (4 G J) of twist.
pub static BEND_TWIST: Kind = Kind::framed::<BendTwist, 5, 3>("bend-twist", &[O_1, O_2, O_3, BENT, TWISTED]);

/// All built-in kinds.
pub static KINDS: &[Kind] = &[
    DISTANCE,
    ROPE,
    STRETCH,
    SHEAR,
    DIHEDRAL,
    ISOMETRIC,
    BEND_DISTANCE,
    POINT_EDGE,
    POINT_TRIANGLE,
    EDGE_EDGE,
    ATTACH,
    ATTACH_TRIANGLE,
    STRAIN_TRIANGLE,
    STRAIN_TRIANGLE_PLAIN,
    FEM_TRIANGLE,
    ORTHOTROPIC,
    VOLUME,
    STRAIN_TET,
    STRAIN_TET_PLAIN,
    HOOKE,
    STVK,
    NEO_HOOKEAN,
    STABLE_NEO_HOOKEAN,
    STABLE_ENERGY,
    STRETCH_SHEAR,
    BEND_TWIST,
];

/// The built-in kind with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name() == name)
}
