//! Thresholds, with unit and reason.

/// By how much two polyhedra may move against each other before their manifold is found anew: a share of the radius of
/// the ball about the smaller one, a share of the radius of the ball inside the thinner one, and metres at most.
/// docs/decisions/rigid-contacts.md has what it gains.
pub const LASTS_SHARE: f32 = 4e-3;
/// See [`LASTS_SHARE`].
pub const LASTS_CORE: f32 = 0.02;
/// See [`LASTS_SHARE`].
pub const LASTS: f32 = 2e-3;

/// By how much shapes may move against each other within a step before their manifold is found anew: a share of the
/// radius of the ball about the smaller one, a share of that of the ball inside the thinner one, and metres at most. Of
/// two that have faces; of two balls, capsules or half spaces that do not follow each other in lanes
/// (contact/follow.rs: those with two points, or on a half space), which are met exactly for little, and whose energy
/// it costs; and of others. docs/decisions/rigid-contacts.md has what was measured.
pub const HOLDS_FLAT: [f32; 3] = [0.05, 0.2, 0.03];
/// See [`HOLDS_FLAT`].
pub const HOLDS_ROUND: [f32; 3] = [4e-3, 0.02, 2e-3];
/// See [`HOLDS_FLAT`].
pub const HOLDS: [f32; 3] = [0.02, 0.08, 0.01];
/// See [`HOLDS_FLAT`]; of a surface of triangles, which takes long to meet.
pub const HOLDS_SURFACE: [f32; 3] = [0.1, 0.3, 0.05];

/// No unit: of the ball about a shape, the least that the ball inside it counts as.
pub const LEAST_CORE: f32 = 0.02;

/// No unit. Balls that are so many times their [`HOLDS_ROUND`] apart are looked at, too: one that is hit by a third
/// goes faster than it went.
pub const ROUND_NEARS: f32 = 10.0;

/// Cosine of an angle, here 45 degrees. Rigid bodies that are in each other and whose normal has turned by more within
/// a step go on along the old one until the step ends: a fast body may be found behind what it hits.
pub const SAME_SIDE: f32 = 0.7;

/// No unit: how much of a way counts, where faces lie on each other.
pub const FACE_SLIDES: f32 = 0.25;

/// Metres. Points of a manifold farther apart than a body's motion in a step and this are no contact; nearer ones are
/// rows whose bias lets the bodies come just as near. Box2d has 4 cm for boxes of 1 m; stacks need only that no contact
/// is lost between two steps.
pub const MARGIN: f32 = 0.01;

/// Metres. Two points of a manifold nearer than this are one.
pub const SAME_POINT: f32 = 1e-4;

/// The frequency of rows that should be rigid, in turns per substep, and their damping ratio:
/// docs/decisions/rigid-contacts.md has the stacks that were measured. A ratio of 10 trembles, lower frequencies crush
/// light bodies under heavy ones.
pub const FREQUENCY: f32 = 0.25;
/// See [`FREQUENCY`].
pub const DAMPING_RATIO: f32 = 2.0;

/// (omega h)^2 of a joint's spring, beyond which it counts as no stiffer where sweeps solve it. With 2 there are chains
/// of links whose motion grows by 3e-5 in a substep, with 2.5 by 1e-3, with 5 by a tenth.
pub const SPRING_MOST: f32 = 1.75;

/// m/s. Bodies that begin in each other part no faster than this.
pub const PUSH_OUT: f32 = 3.0;

/// The share of the drift from where it began to stick that friction takes back in a substep, and how fast at most,
/// m/s. Without it a stack of 50 boxes walks by 22 mm in a minute, with a tenth it trembles.
pub const DRIFT_SHARE: f32 = 0.01;
/// See [`DRIFT_SHARE`].
pub const DRIFT_SPEED: f32 = 0.1;

/// Metres. A point whose features have changed takes the impulses of the one that was nearest to it, if it was not
/// farther than this.
pub const SAME_PLACE: f32 = 0.05;

/// No unit. Masses of a contact are found anew in a substep where the square of its arms' change since the step began,
/// times the trace of the inverse inertia, is more than this times the inverse mass: for a ball 0.37 of its radius.
pub const FAR_ARM: f32 = 1.0;

/// Sine of half an angle, here 0.5 rad: likewise where a body has turned by more. At 60 steps a second 30 rad/s.
pub const FAR_TURN: f32 = 0.25;

/// No unit. From so many times [`FAR_ARM`] on, four times the arm, impulses that are kept are dropped: they would push
/// at places where they never were.
pub const WILD: f32 = 16.0;

/// Of a 2 x 2 matrix of masses over its trace: below, its inverse is rounding noise in f32.
pub const LEAST_DETERMINANT: f64 = 1e-4;

/// rad. A body that turns by more in a substep and is not round does so in parts of at most this: its energy would rise
/// by 15 % in two seconds at 300 rad/s and 20 substeps, and by 70 % at 1,000.
pub const FAST_TURN: f64 = 0.1;

/// Parts at most. What turns faster, by a turn in a substep, turns about its angular momentum.
pub const MOST_TURNS: u32 = 64;

/// Rounds of collisions with restitution in a substep: as many bodies hand an impulse on to each other.
pub const IMPACT_ROUNDS: u32 = 8;

/// Sweeps over the points of a manifold that bounces: a cube that lands flat is left with a thousandth of its speed as
/// spin.
pub const BOUNCE_ROUNDS: u32 = 12;

/// Metres. Of what is shorter no direction is taken: squares of shorter lengths underflow.
pub const NO_DIRECTION: f32 = 1e-15;

/// Square of the sine of an angle, here 0.18 degrees. Edges at less are parallel: the normal of both would be rounding
/// noise, and faces separate them as well, within this angle times their length.
pub const PARALLEL: f32 = 1e-5;

/// Square of the sine of an angle, here 6 degrees. Below, the separation along the normal of two edges is reckoned with
/// care.
pub const NEARLY_PARALLEL: f32 = 1e-2;

/// Cosine of an angle, here 8 degrees. Axes within it of a face's normal are nearly that face: they need [`near_gain`]
/// to be chosen.
pub const NEAR_AXIS: f32 = 0.99;

/// Metres: by how much an axis must separate better than a face that is preferred, where it is not near the face's
/// normal. `span` is the extent of both solids along the face's normal. A ten-thousandth, at most 20 micrometres, and a
/// few roundings.
#[inline(always)]
#[must_use]
pub fn gain(span: f32) -> f32 {
    let share = span * 1e-4;
    (if share < 2e-5 { share } else { 2e-5 }) + span * 1e-6
}

/// The same for an axis near the face's normal: a thousandth, at most 2 mm. A box that lies on a box, tilted by a
/// milliradian while it comes to rest, keeps its face and its four points; axes of edges, each with one point, would
/// take turns with it.
#[inline(always)]
#[must_use]
pub fn near_gain(span: f32) -> f32 {
    let share = span * 1e-3;
    (if share < 2e-3 { share } else { 2e-3 }) + span * 1e-6
}

/// Metres. Corners this far outside a face count as inside it, lest equal faces one on the other change the names of
/// their points with each rounding; and at most [`CLIP_SLACK_SHARE`] of the side.
pub const CLIP_SLACK: f32 = 1e-4;

/// A share of a side's length.
pub const CLIP_SLACK_SHARE: f32 = 1e-3;

/// Metres. Where clipping has cut away so much of what was nearest, solids that are apart get a point there all the
/// same.
pub const LOWEST_LOST: f32 = 5e-6;

/// Metres. Corners whose depths differ by less are equally deep: a box at rest trembles by less.
pub const SAME_DEPTH: f32 = 2.5e-4;

/// And at most this share of the extent of all corners.
pub const SAME_DEPTH_SHARE: f32 = 5e-4;

/// A share of a squared length or an area: less is a tie when points are chosen.
pub const SAME_SHARE: f32 = 1e-2;

/// m/s or rad/s: the most with which a joint that begins open closes. Faster, a wide gap throws its bodies (as the
/// square); slower, a chain with a thousandfold load at 8 substeps (5 m/s) would reach it.
pub const JOINT_SPEED: f32 = 8.0;

/// Rounds of the power method that says how crowded the joints of a body are.
pub const CROWD_ROUNDS: usize = 24;

/// No unit: up to this eigenvalue (joint/crowd.rs) sweeps over the joints of a body are as they are. Three joints have
/// 3 at most; four heavy arms on a light hub have 4, and break away.
pub const MOST_CROWDED: f32 = 3.1;

/// Compliance of the rows of a tree of joints, as a share of their inverse mass, in a substep: a row gives way by some
/// 4 times this, times h^2 times its force times its inverse mass. It bounds the impulses of rows that contradict each
/// other (a taut chain between two walls), which without it grow with every substep.
pub const TREE_COMPLIANCE: f64 = 1e-7;

/// No unit: (omega h)^2 of the turns of a body that joints pull at, up to which they are left as they are. From 4 on a
/// single body swings up; ten links of 1 kg under 1,000 kg were lost at 1.3 (8 substeps), and rest at 0.4 (20).
pub const TAUT: f64 = 1.0;

/// How a position motor holds its target, where its force allows: as a spring with (omega h)^2 = [`SPRING_MOST`] and
/// its damping, 2.2 / K. So it goes for 1.75 / 2.2 of its error in a substep.
pub const SERVO: f32 = 0.786;
/// 2.2 / (1 + 2.2) of the impulse that would give it that speed: more, and arms of several links gain energy.
pub const SERVO_SHARE: f32 = 0.69;
/// m/s or rad/s: the most with which it does, beside what its path asks for.
pub const SERVO_SPEED: f32 = 20.0;

/// A pivot below this share of its diagonal is rounding (24 bits, six rows): the row follows from the ones before it.
pub const PIVOT: f32 = 3e-6;

/// Metres. Points of a distance joint nearer than this have no direction.
pub const NO_LENGTH: f64 = 1e-9;

/// Sine, no unit. Two axes nearer than this to parallel span no plane; a gimbal within this of a right angle is locked.
pub const NO_ANGLE: f64 = 1e-4;

/// Sine of an angle, here 3 degrees. Capsules at less lie along one another, in two points.
pub const PARALLEL_CAPSULES: f32 = 0.05;

/// Sine of an angle, here 9 degrees. A capsule whose slope over a face is less lies along it, in two points.
pub const LIES_ALONG: f32 = 0.15;

/// Sine of the angle between a normal and a frustum's axis, here 30 degrees: at less it is a cap that touches, else a
/// side or a rim. A rim of what lies between both rolls, and less and less as it becomes a cap.
pub const CAP_TILT: f64 = 0.5;

/// Metres. A rim whose points differ less in height touches with points that stay where they are on it; else with its
/// lowest.
pub const FLAT_RIM: f64 = 1.25e-4;

/// Cosine of an angle, here 8 degrees: a face that is less than this off a normal is one to clip to.
pub const REFERENCE: f64 = 0.99;

/// Points of a rim that are looked at, cosine and sine: 32 leave out 0.5 % of the radius.
pub static RIM_POINTS: [[f64; 2]; 32] = rim_points();

const fn rim_points() -> [[f64; 2]; 32] {
    // Of the first eighth; the rest mirrors it. From tables, so that they are the same everywhere.
    const FIRST: [[f64; 2]; 5] = [
        [1.0, 0.0],
        [0.980_785_280_403_230_4, 0.195_090_322_016_128_27],
        [0.923_879_532_511_286_7, 0.382_683_432_365_089_8],
        [0.831_469_612_302_545_2, 0.555_570_233_019_602_2],
        [0.707_106_781_186_547_5, 0.707_106_781_186_547_5],
    ];
    let mut points = [[0.0; 2]; 32];
    let mut k = 0;
    while k < 32 {
        let quarter = k % 8;
        let [c, s] = if quarter <= 4 { FIRST[quarter] } else { [FIRST[8 - quarter][1], FIRST[8 - quarter][0]] };
        points[k] = match k / 8 {
            0 => [c, s],
            1 => [-s, c],
            2 => [-c, -s],
            _ => [s, -c],
        };
        k += 1;
    }
    points
}

/// Sine of an angle, here 1 degree: an edge between triangles that bends outwards by less is level, and nothing touches
/// it.
pub const SHARP_EDGE: f64 = 0.0175;

/// Cosine of an angle, here 2.5 degrees: a normal that is less than this off a triangle's is that.
pub const ALONG_FACE: f64 = 0.999;

/// Cosine of an angle, here 6 degrees: contacts with triangles whose normals differ by less are one.
pub const SAME_PATCH: f64 = 0.995;

/// No unit: what is deeper in a triangle than this share of the body's box has a contact, also if its normal is that of
/// no side or edge.
pub const OVERLOOKED: f64 = 0.02;
