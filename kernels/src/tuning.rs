//! Thresholds of the kernels, each with its unit and its reason. Changing one changes every golden hash.

/// Metres. Two points closer than this have no direction, an edge shorter has no length. A hundredth of the f32 step at
/// 1 m.
pub const MIN_LENGTH: f64 = 1e-9;

/// Square metres. Below it a triangle has no normal: the area of a 1e-6 m square, which f32 edges of a cloth still
/// resolve.
pub const MIN_AREA: f64 = 1e-12;

/// No unit, about an angle in radians. Below it the gradient of isometric bending is 0 (its own projection needs no
/// gradient): f32's rounding of the three coefficients alone gives a flat hinge some 1e-7 in its plane. Cells of 1 cm
/// on a cylinder of 10 km bend by this much.
pub const MIN_BEND: f64 = 1e-6;

/// No unit. An element with a smaller strain is at rest, and its strain, which is a root, has no gradient: f32's
/// roundings of the edges give some 1e-7.
pub const MIN_STRAIN: f64 = 1e-7;

/// No unit. Limit of (s1 + s2) (s2 + s3) (s3 + s1) / (l |F|^2), s being an element's three signed stretches and l their
/// sum. At or below it, the rotation nearest to F counts as not unique.
pub const MIN_TURN: f64 = 1e-3;

/// No unit: volume / rest volume. Below it a parabola continues the Neo-Hookean logarithm.
pub const CONTINUED_BELOW: f64 = 0.2;

/// The natural logarithm of [`CONTINUED_BELOW`].
pub const LN_CONTINUED_BELOW: f64 = -1.609_437_912_434_100_3;

/// Unit `[C]^2 / (m^2 kg)`. A constraint whose sum w |grad C|^2 is not above it moves nothing: all its points are
/// fixed, or its gradients vanish. It stands for a mass of 1e20 kg, far above any real one, and is no subnormal, so
/// that no quotient overflows.
pub const MIN_DENOMINATOR: f64 = 1e-20;

/// Pivot / diagonal entry, in a small linear system. A smaller pivot is rounding: its row repeats other rows.
pub const LOST_PIVOT: f64 = 1e-6;

/// Metres. A correction beyond it in one projection is not applied: it comes from NaN, infinity or overflow.
pub const MAX_CORRECTION: f64 = 1e6;

/// m/s. A particle that begins a substep inside a collider is pushed out at this speed, and gets no velocity from it.
/// At a higher speed, a cloth that is drawn around a collider on its way out is stretched more, and springs. Out of 1 m
/// of ground it takes 1 s.
pub const LEAVING_SPEED: f64 = 1.0;

/// Depth / thickness. A particle that is less deep at a substep's start rests on the surface, and is pushed out as it
/// moves. A deeper one began inside.
pub const BEGINS_INSIDE: f64 = 1.0 / 8.0;

/// Distance / thickness. A round collider keeps particles out by at most this much more than the thickness, so that it
/// need not push the triangles between them: on a fine mesh, pushing triangles is several times dearer. What has come
/// lower is not lifted.
pub const HOVER: f64 = 0.5;

/// Part of the thickness by which triangles are kept farther from a shape that is not convex: the bound of a deepest
/// point need be no better than half of it, and costs the more the nearer it is. Their corners stay twice as far
/// ([`HOVER`]).
pub const SLACK: f64 = 1.0 / 16.0;

/// Depth / distance to the collider's centre. Roundings may put a particle that rests on the surface this deep inside:
/// some steps of f32.
pub const INSIDE_ROUNDING: f64 = 1e-6;

/// No unit: det(I) / (sum m |r|^2)^3 of a body, I being its inertia tensor. At or below it, the body is a line and does
/// not turn about that line. The limit allows for f64 sums of f32 positions.
pub const LINE_INERTIA: f64 = 1e-9;

/// No unit: sum m |r|^2 about a body's centre of mass over the same sum about a point near the body. At or below it,
/// all of the body lies in one point, and the rest is rounding.
pub const POINT_INERTIA: f64 = 1e-6;

/// Metres, per axis. A particle beyond it counts as lost, like one at NaN: f32 steps there are 64 m wide.
pub const MAX_POSITION: f64 = 1e9;

/// Rad, per axis. A frame that turns further in a substep counts as lost, like one that is NaN: sines have no digits
/// left.
pub const MAX_TURN: f64 = 1e3;

/// Rad. The corrections of a substep turn a frame no further than this: here the series of [`crate::Quat::turned`] is
/// off by 4 %.
pub const MAX_CORRECTED_TURN: f64 = 1.0;

/// No unit: length of a render mesh's normal before it is scaled to 1. It is 1 at rest and shrinks in proportion to the
/// area of the simulated triangle. Below the limit, f32 has lost the direction.
pub const MIN_SKIN_NORMAL: f64 = 1e-9;

/// Bisections for the time at which a sphere's centre goes through a triangle: to a millionth of the substep.
pub const BISECTIONS: u32 = 20;

/// No unit, barycentric. A sphere's centre that crosses a triangle's plane this far outside the triangle still goes
/// through it: the neighbouring triangle may round the crossing to this side of their edge.
pub const EDGE_SLACK: f64 = 1e-4;

/// Factor of the longest displacement of a triangle's corners in a substep. Nearer than the longest edge plus this many
/// displacements, the direction to the triangle's closest point may have turned by a right angle.
pub const WAYS: f64 = 16.0;

/// Squared sine of the angle between two edges. Below it the nearest points are not unique: f32 does not tell where
/// they are.
pub const PARALLEL: f64 = 1e-6;

/// Square of twice a triangle's area, divided by the fourth power of its longest edge. Below it f32 does not tell which
/// edge is nearest: the rounding of products of four lengths is some 1e-7 of them.
pub const NEEDLE: f64 = 1e-4;

/// [`NEEDLE`] for kernels that compute in f64.
pub const NEEDLE_F64: f64 = 1e-13;

/// [`PARALLEL`] for kernels that compute in f64.
pub const PARALLEL_F64: f64 = 1e-24;

/// Distance / the distance that a pair keeps. Two features that stay this far apart along one direction on their whole
/// path have not met. A bound for rounding is added to it.
pub const CLEAR: f64 = 0.01;

/// Distance / distance at rest. Two features of one body keep this part of their distance at rest, if it is less than
/// the distance that they would keep otherwise. A region of a sheet whose least stretch in its tangent plane is above
/// it has no contacts inside it and is not searched.
pub const AT_REST: f64 = 0.5;

/// Metres. Largest coordinate of a mesh. There f32 positions are 6 cm apart; beyond, a cloth's edges would be rounding
/// noise. A larger one nearly always means a mesh in millimetres or a broken export. Changing it changes which meshes a
/// plan refuses.
pub const MAX_COORDINATE: f32 = 1.0e6;

/// m^3. Largest volume of a tetrahedron, for corners anywhere within [`MAX_COORDINATE`].
pub const MAX_VOLUME: f32 = 1.0e19;

/// 1/m. Largest coefficient k of isometric bending. k ~ cotangent / sqrt(area): a triangle 1 m long and 1 um high, as
/// low as a plan allows, has some 1e9. Above the limit, w k^2 of the lightest particle would overflow.
pub const MAX_COEFFICIENT: f32 = 1.0e12;

/// Share of a length at the start. Plastic flow makes it no shorter: a length of nothing has no strain.
pub const LEAST_OF_LENGTH: f64 = 0.1;

/// Sweeps of Jacobi's rotations over a symmetric 3 x 3 matrix, at most: after six, what is left beside its diagonal is
/// below the rounding of f64.
pub const FLOW_SWEEPS: u32 = 6;
