//! Rigid bodies: scenes described once and built in each engine, which then take turns, step by step.
//!
//! Each engine takes as many substeps as it needs for ten boxes to stand ([`stands`]); what its state is worth at the end of a scene is
//! measured from poses alone, by the same code for all ([`truth`]).

mod board;
mod ours;
mod rapier;
mod scenes;
mod stands;
mod truth;

pub(crate) use board::{Row, alone, measure, table};
pub(crate) use scenes::NAMES;
use seidel_bench::entry::OURS;

/// Seconds.
const DT: f64 = 1.0 / 60.0;

/// A shape in its own frame, metres.
#[derive(Clone, Debug)]
enum Form {
    Sphere {
        radius: f32,
    },
    /// Along y.
    Capsule {
        radius: f32,
        half_length: f32,
    },
    Cuboid {
        half: [f32; 3],
    },
    /// The hull of points.
    Hull(std::rc::Rc<Vec<[f32; 3]>>),
}

/// Where something is: position, metres, and a unit quaternion [x, y, z, w].
#[derive(Clone, Copy, Debug)]
struct Place {
    at: [f64; 3],
    turn: [f64; 4],
}

impl Place {
    fn at(at: [f64; 3]) -> Place {
        Place { at, turn: [0.0, 0.0, 0.0, 1.0] }
    }

    /// Turned about an axis of the world of unit length.
    fn turned(at: [f64; 3], axis: [f64; 3], angle: f64) -> Place {
        let (s, c) = (0.5 * angle).sin_cos();
        Place { at, turn: [axis[0] * s, axis[1] * s, axis[2] * s, c] }
    }

    /// A point of this frame in the world.
    fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = self.turn;
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let t = cross([x, y, z], p).map(|c| 2.0 * c);
        let u = cross([x, y, z], t);
        std::array::from_fn(|k| self.at[k] + p[k] + w * t[k] + u[k])
    }

    /// A point of the world in this frame.
    fn local(&self, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = self.turn;
        let back = Place { at: [0.0; 3], turn: [-x, -y, -z, w] };
        back.point(std::array::from_fn(|k| p[k] - self.at[k]))
    }
}

/// How a body may move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moves {
    Freely,
    Never,
    /// As told: angular velocity, rad/s.
    Turning([f64; 3]),
}

#[derive(Clone, Debug)]
struct Body {
    parts: Vec<(Form, Place)>,
    place: Place,
    moves: Moves,
}

#[derive(Clone, Copy, Debug)]
enum JointKind {
    Ball,
    /// About an axis of the world, of unit length, from one angle to another, rad.
    Hinge {
        axis: [f64; 3],
        limits: [f32; 2],
    },
}

#[derive(Clone, Copy, Debug)]
struct Joint {
    kind: JointKind,
    bodies: [usize; 2],
    /// Metres, world.
    anchor: [f64; 3],
}

/// A scene in numbers. Densities are 1,000 kg/m^3, friction is 0.6, nothing bounces, gravity is 9.81 m/s^2 downward.
#[derive(Clone, Debug, Default)]
struct Work {
    name: &'static str,
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    /// Half spaces: a point on each, and its outward normal, along an axis.
    walls: Vec<([f64; 3], [f64; 3])>,
    /// Whether bodies touch each other.
    touch: bool,
    /// Steps before time is taken, and steps while it is.
    steps: [usize; 2],
}

const DENSITY: f32 = 1000.0;
const FRICTION: f32 = 0.6;

/// An engine that holds a scene.
trait Engine {
    fn step(&mut self);
    /// Of all bodies, in the scene's order.
    fn places(&self) -> Vec<Place>;
    /// Velocities of centres of mass, m/s, in the same order.
    fn velocities(&self) -> Vec<[f64; 3]>;
}

/// Which engine, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Setting {
    engine: &'static str,
    substeps: usize,
    threads: usize,
}

const RAPIER: &str = "rapier3d 0.36.1";

fn build(work: &Work, setting: Setting) -> Result<Box<dyn Engine>, String> {
    match setting.engine {
        RAPIER => rapier::build(work, setting).map(|engine| Box::new(engine) as _),
        _ => ours::build(work, setting).map(|engine| Box::new(engine) as _),
    }
}
