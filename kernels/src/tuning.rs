//! Thresholds of the kernels: unit, reason, what moves if one changes (every golden hash does).

/// Metres. Below it two points have no direction, an edge no length. A hundredth of the smallest f32 step at 1 m.
pub const MIN_LENGTH: f64 = 1e-9;

/// Square metres. Below it a triangle has no normal: the area of a 1e-6 m square, which f32 edges of a cloth still resolve.
pub const MIN_AREA: f64 = 1e-12;

/// No unit, about an angle in radians. Below it isometric bending has no direction where one is asked for (its own projection
/// needs none): f32's rounding of its three coefficients alone gives a flat hinge some 1e-7 in its plane. Cells of 1 cm on a
/// cylinder of 10 km bend by it.
pub const MIN_BEND: f64 = 1e-6;

/// No unit. Below it an element is at rest, and its strain, which is a root, has no direction: f32's roundings of its edges give
/// some 1e-7.
pub const MIN_STRAIN: f64 = 1e-7;

/// No unit, about the sum of two stretches of an element over the third power of its size. Below it, no rotation is the nearest.
pub const MIN_TURN: f64 = 1e-3;

/// Volume over rest volume, below which the Neo-Hookean logarithm goes on as a parabola.
pub const CONTINUED_BELOW: f64 = 0.2;

/// Its natural logarithm.
pub const LN_CONTINUED_BELOW: f64 = -1.609_437_912_434_100_3;

/// Below it, sum of w |grad C|^2 moves nothing: all points are fixed or the gradients vanish. In the unit of
/// `[C]^2 / (m^2 kg)`; far below any mass (1e20 kg) and above the subnormals, so that no quotient overflows by it.
pub const MIN_DENOMINATOR: f64 = 1e-20;

/// Part of its diagonal. A smaller pivot in a small system is rounding: its row repeats other rows.
pub const LOST_PIVOT: f64 = 1e-6;

/// Metres. A correction beyond it in one projection is not applied: it comes from NaN, infinity or overflow.
pub const MAX_CORRECTION: f64 = 1e6;

/// m/s. A particle that begins a substep inside a collider is pushed out at this speed, and gets no velocity from it.
/// Faster, and a cloth that is drawn
/// around a collider on its way out is stretched more, and springs. A metre of ground takes a second.
pub const LEAVING_SPEED: f64 = 1.0;

/// Part of the thickness. A particle that is less deep at a substep's start rests on the surface, and is pushed out as
/// it moves; one that is
/// deeper began inside.
pub const BEGINS_INSIDE: f64 = 1.0 / 8.0;

/// Part of the thickness by which particles may stay further out, so that the triangles between them stay out by themselves: on
/// a fine mesh a ball then has no triangle to push, which is several times dearer. No more than what rests on the surface
/// (`BEGINS_INSIDE`).
pub const HOVER: f64 = BEGINS_INSIDE;

/// Part of the way to the collider's centre by which roundings may put inside what rests on the surface: some steps of f32.
pub const INSIDE_ROUNDING: f64 = 1e-6;

/// Of a body's moment of inertia cubed its determinant, below which all of it lies on a line and does not turn about
/// that; f64 sums of
/// positions in f32.
pub const LINE_INERTIA: f64 = 1e-9;

/// Of a body's second moment about a point near it its moment of inertia, below which all of it lies in a point: roundings.
pub const POINT_INERTIA: f64 = 1e-6;

/// Metres, per axis. A position beyond it counts as lost, as NaN does: f32 steps there are 64 m wide.
pub const MAX_POSITION: f64 = 1e9;

/// Rad, per axis. A frame that turns further in a substep counts as lost, as NaN does: sines have no digits left.
pub const MAX_TURN: f64 = 1e3;

/// Rad. Corrections of a substep turn a frame no further; the series of [`crate::Quat::turned`] is off by 4 % of it there.
pub const MAX_CORRECTED_TURN: f64 = 1.0;

/// Of a render mesh's normal before it is scaled to 1; at rest it is 1. It shrinks as the area of the triangle that it hangs
/// on; below, f32 has lost the direction.
pub const MIN_SKIN_NORMAL: f64 = 1e-9;

/// Halvings of the time in which a sphere's centre goes through a triangle: to a millionth of the substep.
pub const BISECTIONS: u32 = 20;

/// Barycentric. So far outside a centre still goes through a triangle: its neighbour may round the crossing to the other side.
pub const EDGE_SLACK: f64 = 1e-4;

/// Longest ways of a triangle's corners in a substep. Nearer than the longest edge and so many of them, its closest point may have
/// turned by a right angle.
pub const WAYS: f64 = 16.0;

/// Squared sine of an angle. Two edges at less have no single nearest points: f32 does not tell where they cross.
pub const PARALLEL: f64 = 1e-6;

/// The same where f64 is computed.
pub const PARALLEL_F64: f64 = 1e-24;

/// Part of a pair's distance. Two features that stay so far apart along one direction on their whole way have surely not met;
/// rounding is added to it.
pub const CLEAR: f64 = 0.01;

/// Part of the distance at which two features of a body lie at rest, where that is less than they would keep. Where a sheet lies
/// flatter and is pressed together less than this, nothing in it can touch, and nobody looks.
pub const AT_REST: f64 = 0.5;

/// Largest coordinate of a mesh, metres. There f32 positions are 6 cm apart; beyond, a cloth's edges would be rounding
/// noise. Nearly always a mesh in millimetres or a broken export. Changing it changes which meshes a plan refuses.
pub const MAX_COORDINATE: f32 = 1.0e6;

/// m^3. Largest volume of a tetrahedron: of corners anywhere.
pub const MAX_VOLUME: f32 = 1.0e19;

/// 1/m. Largest coefficient of isometric bending, which grows as cotangents and as one over a triangle's size: a triangle as
/// low as a plan allows and a micrometre long stays a thousandth below. Beyond, w k^2 overflows against the
/// lightest particle.
pub const MAX_COEFFICIENT: f32 = 1.0e12;
