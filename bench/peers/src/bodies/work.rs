//! What is measured: bodies, their joints, and an engine that moves them.

/// Seconds.
pub(super) const DT: f64 = 1.0 / 60.0;

/// A shape in its own frame, metres.
#[derive(Clone, Debug)]
pub(super) enum Form {
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
pub(super) struct Place {
    pub(super) at: [f64; 3],
    pub(super) turn: [f64; 4],
}

impl Place {
    pub(super) fn at(at: [f64; 3]) -> Place {
        Place { at, turn: [0.0, 0.0, 0.0, 1.0] }
    }

    /// Turned about an axis of the world of unit length.
    pub(super) fn turned(at: [f64; 3], axis: [f64; 3], angle: f64) -> Place {
        let (s, c) = (0.5 * angle).sin_cos();
        Place { at, turn: [axis[0] * s, axis[1] * s, axis[2] * s, c] }
    }

    /// A point of this frame in the world.
    pub(super) fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = self.turn;
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let t = cross([x, y, z], p).map(|c| 2.0 * c);
        let u = cross([x, y, z], t);
        std::array::from_fn(|k| self.at[k] + p[k] + w * t[k] + u[k])
    }

    /// A point of the world in this frame.
    pub(super) fn local(&self, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = self.turn;
        let back = Place { at: [0.0; 3], turn: [-x, -y, -z, w] };
        back.point(std::array::from_fn(|k| p[k] - self.at[k]))
    }
}

/// How a body may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Moves {
    Freely,
    Never,
    /// As told: angular velocity, rad/s.
    Turning([f64; 3]),
}

#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) parts: Vec<(Form, Place)>,
    pub(super) place: Place,
    pub(super) moves: Moves,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum JointKind {
    Ball,
    /// About an axis of the world, of unit length, from one angle to another, rad.
    Hinge {
        axis: [f64; 3],
        limits: [f32; 2],
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) kind: JointKind,
    pub(super) bodies: [usize; 2],
    /// Metres, world.
    pub(super) anchor: [f64; 3],
}

/// A scene in numbers. Densities are 1,000 kg/m^3, friction is 0.6, nothing bounces, gravity is 9.81 m/s^2 downward.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    pub(super) name: &'static str,
    pub(super) bodies: Vec<Body>,
    pub(super) joints: Vec<Joint>,
    /// Half spaces: a point on each, and its outward normal, along an axis.
    pub(super) walls: Vec<([f64; 3], [f64; 3])>,
    /// Whether bodies touch each other.
    pub(super) touch: bool,
    /// Steps before time is taken, and steps while it is.
    pub(super) steps: [usize; 2],
}

pub(super) const DENSITY: f32 = 1000.0;

pub(super) const FRICTION: f32 = 0.6;

/// An engine that holds a scene.
pub(super) trait Engine {
    fn step(&mut self);
    /// Of all bodies, in the scene's order.
    fn places(&self) -> Vec<Place>;
    /// Velocities of centres of mass, m/s, in the same order.
    fn velocities(&self) -> Vec<[f64; 3]>;
}

/// Which engine, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) engine: &'static str,
    pub(super) substeps: usize,
    pub(super) threads: usize,
}
