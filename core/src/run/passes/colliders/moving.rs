//! Colliders with their motion in a substep, and the test whether they may reach a box.

use crate::describe::collider::{Collider, Shape};
use crate::describe::friction::CombineRule;
use crate::describe::pose::Pose;
use seidel_kernels::Lanes;
use seidel_kernels::contact::{Plane, SignedDistance, Solid, Sphere, Surface, Traced};

/// Lowest and highest corner.
pub(crate) type Bounds = [[f32; 3]; 2];

/// A collider during one substep, in the form its kernel wants.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moving {
    Plane(Surface<Plane>),
    Sphere(Surface<Sphere>),
    /// The rotations alone: the shape itself, which may be large, stays with the collider.
    Solid(Surface<Turned>),
    /// It is disabled: nothing meets it.
    Off,
}

/// A position, metres, and a matrix from local to world directions. For a plane only the second column is used, its
/// normal; for a sphere the matrix is not used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transform {
    pub(crate) position: [f64; 3],
    pub(crate) turn: [[f64; 3]; 3],
}

impl Transform {
    /// The transform of a pose.
    pub(crate) fn of(pose: &Pose) -> Transform {
        Transform { position: pose.position, turn: pose.matrix() }
    }
}

/// A solid's rotations at the start and the end of a substep: rows of matrices from its own frame to the world's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turned {
    start: [[f32; 3]; 3],
    end: [[f32; 3]; 3],
}

/// A solid's surface with its shape and rotations.
pub(super) fn traced<'a>(collider: &'a Collider, surface: &Surface<Turned>) -> Surface<Traced<Solid<'a>>> {
    let Surface { shape: Turned { start, end }, at, from, to, turn, combine, friction_static, friction_kinetic } =
        *surface;
    let shape = Traced { shape: solid(&collider.shape), start, end };
    Surface { shape, at, from, to, turn, combine, friction_static, friction_kinetic }
}

/// The solid of a shape that is neither a plane nor a sphere.
pub(crate) fn solid(shape: &Shape) -> Solid<'_> {
    shape.solid().expect("neither plane nor sphere")
}

impl Moving {
    /// A collider that goes from one pose to another; the rule is the scene's.
    pub(crate) fn new(collider: &Collider, from: &Pose, to: &Pose, rule: CombineRule) -> Moving {
        let at = to.position.map(|p| p as f32);
        let rest = |pose: &Pose| std::array::from_fn(|k| (pose.position[k] - f64::from(at[k])) as f32);
        let (m0, m1) = (from.matrix(), to.matrix());
        // A material point at d from the centre has moved by d - R0 R1^T d = (1 - R0 R1^T) d.
        let turn = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let same = if i == j { 1.0 } else { 0.0 };
                (same - ((m0[i][0] * m1[j][0] + m0[i][1] * m1[j][1]) + m0[i][2] * m1[j][2])) as f32
            })
        });
        let turn = if from.rotation == to.rotation { [[0.0; 3]; 3] } else { turn };
        let [friction_static, friction_kinetic] =
            [collider.friction_static, collider.friction_kinetic].map(|of| rule.grip(of));
        let combine = rule.of_grips();
        macro_rules! surface {
            ($shape:expr) => {
                Surface {
                    shape: $shape,
                    at,
                    from: rest(from),
                    to: rest(to),
                    turn,
                    combine,
                    friction_static,
                    friction_kinetic,
                }
            };
        }
        match collider.shape {
            Shape::Plane => {
                let up = |m: &[[f64; 3]; 3]| [m[0][1] as f32, m[1][1] as f32, m[2][1] as f32];
                let start = collider.two_sided.then(|| up(&m0));
                Moving::Plane(surface!(Plane { normal: up(&m1), start }))
            }
            Shape::Sphere { radius } => Moving::Sphere(surface!(Sphere { radius: radius + collider.thickness })),
            _ => Moving::Solid(surface!(Turned { start: f32s(&m0), end: f32s(&m1) })),
        }
    }

    /// The collider's position and rotation at the end of the substep.
    pub(crate) fn frame(&self) -> Transform {
        let place = |at: &[f32; 3], to: &[f32; 3]| std::array::from_fn(|k| f64::from(at[k]) + f64::from(to[k]));
        let mut turn = [[0.0; 3]; 3];
        let position = match self {
            Moving::Plane(s) => {
                turn.iter_mut().zip(s.shape.normal).for_each(|(row, n)| row[1] = f64::from(n));
                place(&s.at, &s.to)
            }
            Moving::Sphere(s) => {
                // However a sphere is turned, it is the same.
                (0..3).for_each(|k| turn[k][k] = 1.0);
                place(&s.at, &s.to)
            }
            Moving::Solid(s) => {
                turn = s.shape.end.map(|row| row.map(f64::from));
                place(&s.at, &s.to)
            }
            Moving::Off => [f64::NAN; 3],
        };
        Transform { position, turn }
    }

    /// How far the origin comes in the substep, metres; and rows of the matrix that says by how much more a point of it
    /// does, by its place relative to the origin at the end.
    pub(crate) fn way(&self) -> ([f32; 3], [[f32; 3]; 3]) {
        let of = |from: &[f32; 3], to: &[f32; 3]| std::array::from_fn(|k| to[k] - from[k]);
        match self {
            Moving::Plane(s) => (of(&s.from, &s.to), s.turn),
            Moving::Sphere(s) => (of(&s.from, &s.to), s.turn),
            Moving::Solid(s) => (of(&s.from, &s.to), s.turn),
            Moving::Off => ([0.0; 3], [[0.0; 3]; 3]),
        }
    }

    /// Whether it moves in the substep.
    pub(crate) fn moves(&self) -> bool {
        self.way() != ([0.0; 3], [[0.0; 3]; 3])
    }

    /// Whether something in the box may come closer than `thickness` metres to this collider. The box bounds whole
    /// paths, so nothing between their ends is missed.
    pub(in crate::run::passes) fn reaches(&self, collider: &Collider, bounds: &Bounds, thickness: f32) -> bool {
        let [low, high] = bounds;
        // Rounding of the box and of the test: a few units in the last place of the coordinates.
        let slack = |v: f32| 1e-5 * v.abs() + 1e-6;
        match self {
            // A particle on either side may be on its way to the other.
            Moving::Plane(s) if s.shape.start.is_some() => true,
            Moving::Plane(s) => {
                let mut lowest = 0.0f32;
                let mut error = thickness;
                for k in 0..3 {
                    let n = s.shape.normal[k];
                    let corner = if n > 0.0 { low[k] } else { high[k] };
                    lowest += n * (corner - s.at[k]);
                    error += slack(corner) + slack(s.at[k]) + s.from[k].abs() + s.to[k].abs();
                }
                // A box with a NaN counts as near.
                lowest <= error || lowest.is_nan()
            }
            Moving::Sphere(s) => {
                // Distance of the box from the centre at the end. Before, the centre was at most `travel` away from
                // there.
                let (mut outside, mut travel, mut error) = (0.0f32, 0.0f32, s.shape.radius + thickness);
                for k in 0..3 {
                    let center = s.at[k] + s.to[k];
                    let gap = Lanes::larger(Lanes::larger(low[k] - center, center - high[k]), 0.0);
                    let moved = s.to[k] - s.from[k];
                    outside += gap * gap;
                    travel += moved * moved;
                    error += slack(low[k]) + slack(high[k]) + slack(center);
                }
                let reach = error * 1.000_01 + travel.sqrt();
                outside <= reach * reach || outside.is_nan()
            }
            Moving::Solid(s) => reaches(&traced(collider, s), bounds, thickness),
            Moving::Off => false,
        }
    }
}

fn f32s(m: &[[f64; 3]; 3]) -> [[f32; 3]; 3] {
    m.map(|row| row.map(|v| v as f32))
}

/// Whether a box may come closer than `thickness` metres to a shape. Along a way of length l the shape's distance
/// function changes by at most slope l. So no point of the box has less than distance(middle) - slope (half diagonal +
/// the shape's travel).
fn reaches(s: &Surface<Traced<Solid<'_>>>, [low, high]: &Bounds, thickness: f32) -> bool {
    let (mut half, mut travel, mut turn, mut size) = (0.0f32, 0.0f32, 0.0f32, s.shape.shape.bound());
    let mut middle = [0.0; 3];
    for k in 0..3 {
        middle[k] = 0.5 * (low[k] + high[k]) - (s.at[k] + s.to[k]);
        half += (high[k] - low[k]) * (high[k] - low[k]);
        travel += (s.to[k] - s.from[k]) * (s.to[k] - s.from[k]);
        turn += s.turn[k].iter().map(|t| t * t).sum::<f32>();
        size += low[k].abs() + high[k].abs() + s.at[k].abs();
    }
    // Of an unbounded shape, only points as far out as the box count.
    let far = if s.shape.shape.ends() { 0.0 } else { middle.iter().map(|x| x.abs()).sum::<f32>() + half.sqrt() };
    let moved = travel.sqrt() + turn.sqrt() * s.shape.shape.bound().max(far);
    let distance = s.shape.distance(middle);
    let slope = s.shape.shape.slope();
    distance <= thickness + (0.5 * half.sqrt() + moved + 2e-5 * size) * slope || distance.is_nan()
}
