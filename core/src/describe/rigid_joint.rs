//! Joints of rigid bodies: with each other, and with the world.

use crate::describe::error::{Error, range};
use crate::describe::ids::RigidId;
use crate::describe::motor_path::{MotorPath, check_motor};
use crate::geometry::vector::cross;
use crate::tuning::MAX_COORDINATE;
use glam::{DQuat, DVec3};
use seidel_rigid::joint::{Axis, Joint, JointFrame, JointKind, Motion, Motor, Spring};

/// A joint of two rigid bodies, or of one with the world.
///
/// Positions and axes are those of the world at the start. A joint's coordinates are three translations along its axes
/// and three turns about them; each kind locks some of them ([`seidel_rigid::joint`]).
///
/// # Example
/// ```
/// use seidel::{RigidBody, RigidJoint, Scene};
/// let mut scene = Scene::new();
/// let door = scene.add_rigid(RigidBody::cuboid([0.5, 1.0, 0.02]).at([0.5, 1.0, 0.0]));
/// scene.join_rigid(RigidJoint::hinge(None, door, [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]).limits(0.0, 1.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RigidJoint {
    /// Name, unique among the joints of rigid bodies.
    pub name: String,
    /// The two bodies; None is the world.
    pub bodies: [Option<RigidId>; 2],
    /// Where it holds each body, metres, world.
    pub anchors: [DVec3; 2],
    /// Its axes, joint to world, a unit quaternion. A hinge's and a slider's axis is the first.
    pub axes: DQuat,
    /// Whether what it locks is solved with all other such joints of its bodies at once: [`RigidJoint::direct`].
    pub direct: bool,
    /// Targets of its motor in time.
    pub(crate) path: Option<MotorPath>,
    /// What it locks, limits and drives. Its bodies and frames are found when the scene is planned.
    pub(crate) joint: Joint,
}

impl RigidJoint {
    fn new(
        [a, b]: [Option<RigidId>; 2],
        anchors: [DVec3; 2],
        axes: DQuat,
        of: impl FnOnce([u32; 2], [JointFrame; 2]) -> Joint,
    ) -> RigidJoint {
        let nowhere = JointFrame { anchor: [0.0; 3], axes: [0.0, 0.0, 0.0, 1.0] };
        let joint = of([0; 2], [nowhere; 2]);
        RigidJoint { name: String::new(), bodies: [a, b], anchors, axes, direct: false, path: None, joint }
    }

    fn at(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axis: impl Into<DVec3>,
        of: impl FnOnce([u32; 2], [JointFrame; 2]) -> Joint,
    ) -> RigidJoint {
        RigidJoint::new([a.into(), b.into()], [anchor.into(); 2], along(axis.into()), of)
    }

    /// One point of both stays one: a ball and its socket.
    #[must_use]
    pub fn ball(a: impl Into<Option<RigidId>>, b: impl Into<Option<RigidId>>, anchor: impl Into<DVec3>) -> RigidJoint {
        RigidJoint::at(a, b, anchor, DVec3::X, Joint::ball)
    }

    /// A ball joint whose axis leaves its direction by at most `cone` rad, and is twisted by at most `twist` rad to
    /// either side.
    #[must_use]
    pub fn ball_in_cone(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axis: impl Into<DVec3>,
        [cone, twist]: [f32; 2],
    ) -> RigidJoint {
        RigidJoint::at(a, b, anchor, axis, |bodies, frames| Joint::ball_in_cone(bodies, frames, cone, [-twist, twist]))
    }

    /// A point of the second body stays on a line of the first.
    #[must_use]
    pub fn ball_on_line(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axis: impl Into<DVec3>,
    ) -> RigidJoint {
        RigidJoint::at(a, b, anchor, axis, Joint::ball_on_line)
    }

    /// The bodies turn about one axis.
    #[must_use]
    pub fn hinge(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axis: impl Into<DVec3>,
    ) -> RigidJoint {
        RigidJoint::at(a, b, anchor, axis, Joint::hinge)
    }

    /// Cardan's joint: the first axis turns with the first body, the second, at a right angle, with the second.
    #[must_use]
    pub fn universal(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axes: [DVec3; 2],
    ) -> RigidJoint {
        RigidJoint::new([a.into(), b.into()], [anchor.into(); 2], frame(axes[0], axes[1]), Joint::universal)
    }

    /// The second body slides along an axis of the first, and does not turn.
    #[must_use]
    pub fn slider(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axis: impl Into<DVec3>,
    ) -> RigidJoint {
        RigidJoint::at(a, b, anchor, axis, Joint::slider)
    }

    /// Both move as one.
    #[must_use]
    pub fn fixed(a: impl Into<Option<RigidId>>, b: impl Into<Option<RigidId>>, anchor: impl Into<DVec3>) -> RigidJoint {
        RigidJoint::at(a, b, anchor, DVec3::X, Joint::fixed)
    }

    /// Two points are `min` to `max` metres apart, 0 or more; a rod where both are equal, a rope where `min` is 0.
    #[must_use]
    pub fn distance(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchors: [DVec3; 2],
        [min, max]: [f32; 2],
    ) -> RigidJoint {
        // Points that meet have no direction to be pushed apart along.
        let of =
            |bodies, frames| Joint::distance(bodies, frames, if min == 0.0 { f32::NEG_INFINITY } else { min }, max);
        RigidJoint::new([a.into(), b.into()], anchors, DQuat::IDENTITY, of)
    }

    /// A spring between two points.
    #[must_use]
    pub fn spring(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchors: [DVec3; 2],
        spring: Spring,
    ) -> RigidJoint {
        let of = |bodies, frames| Joint::spring(bodies, frames, spring);
        RigidJoint::new([a.into(), b.into()], anchors, DQuat::IDENTITY, of)
    }

    /// One point of both stays one, and they resist turns against each other: bending across the axis and twist about
    /// it, N m/rad. Segments of an elastic rod of length l are joined by E I / l and G J / l (Young's modulus, second
    /// moment of area; shear modulus, polar moment). For bends of less than a right angle.
    #[must_use]
    pub fn rod(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axis: impl Into<DVec3>,
        [bend, twist]: [Spring; 2],
    ) -> RigidJoint {
        let about = |spring| Axis { spring, ..Axis::FREE };
        let axes = [Axis::LOCKED, Axis::LOCKED, Axis::LOCKED, about(twist), about(bend), about(bend)];
        RigidJoint::at(a, b, anchor, axis, |bodies, frames| Joint::six_dof(bodies, frames, axes))
    }

    /// The first body turns about the axis `ratio` times as far as the second. Each needs a hinge beside it.
    #[must_use]
    pub fn gear(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axis: impl Into<DVec3>,
        ratio: f32,
    ) -> RigidJoint {
        RigidJoint::at(a, b, anchor, axis, |bodies, frames| Joint::gear(bodies, frames, ratio))
    }

    /// Three translations and three turns, each free, limited or locked; the axes are those of the world.
    #[must_use]
    pub fn six_dof(
        a: impl Into<Option<RigidId>>,
        b: impl Into<Option<RigidId>>,
        anchor: impl Into<DVec3>,
        axes: [Axis; 6],
    ) -> RigidJoint {
        RigidJoint::at(a, b, anchor, DVec3::X, |bodies, frames| Joint::six_dof(bodies, frames, axes))
    }

    /// Gives it a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> RigidJoint {
        self.name = name.into();
        self
    }

    /// Limits of the way along the axis, metres, or of the turn about it, rad, from where it starts. Turns are counted:
    /// limits of -4 pi and 4 pi are two full turns to either side.
    #[must_use]
    pub fn limits(mut self, lower: f32, upper: f32) -> RigidJoint {
        self.joint = self.joint.with_limits(self.joint.driven_axis(), lower, upper);
        self
    }

    /// Drives the way along the axis or the turn about it.
    #[must_use]
    pub fn motor(mut self, motor: Motor) -> RigidJoint {
        self.joint = self.joint.with_motor(self.joint.driven_axis(), motor);
        self.path = None;
        self
    }

    /// Drives it by targets in time. A motor that an input gives takes their place.
    #[must_use]
    pub fn motor_path(mut self, path: MotorPath) -> RigidJoint {
        self = self.motor(path.at(0.0));
        self.path = Some(path);
        self
    }

    /// A spring and a damper along the axis or about it: N/m and N s/m, or N m/rad and N m s/rad.
    #[must_use]
    pub fn sprung(mut self, spring: Spring) -> RigidJoint {
        self.joint = self.joint.with_spring(self.joint.driven_axis(), spring);
        self
    }

    /// It breaks at a force, N, or a torque, N m, whichever comes first.
    #[must_use]
    pub fn breaking_at(mut self, force: f32, torque: f32) -> RigidJoint {
        self.joint = self.joint.breaking_at(force, torque);
        self
    }

    /// Its locked axes and its springs are solved exactly, with all such joints that its bodies are connected by: for
    /// chains that carry a thousand times their links' mass, beams, cranes, arms, stiff rods. Such joints form trees;
    /// one that closes a loop is left to the sweeps ([`crate::Plan::joint_loops`]), as are limits, motors, and joints
    /// that lock nothing, with their springs. [`crate::Plan::warnings`] tells of joints that close a loop or lock
    /// nothing. Each link is solved in scalars, and a tree by one thread.
    ///
    /// # Source
    /// Deul, Kugelstadt, Weiler, Bender 2018, "Direct Position-Based Solver for Stiff Rods"; here on rows of
    /// velocities.
    #[must_use]
    pub fn direct(mut self) -> RigidJoint {
        self.direct = true;
        self
    }

    /// Its bodies collide with each other; unless told they do not.
    #[must_use]
    pub fn colliding(mut self) -> RigidJoint {
        self.joint.collide = true;
        self
    }

    /// All that can be told without the bodies.
    pub(crate) fn check(&self, bodies: usize) -> Result<(), Error> {
        let of = || format!("joint `{}`", self.name);
        for body in self.bodies.iter().flatten() {
            if body.index() >= bodies {
                return Err(Error::Missing { of: of(), what: "rigid body", index: body.index(), count: bodies });
            }
        }
        if self.bodies[0] == self.bodies[1] {
            return Err(Error::JoinedAlone { of: of() });
        }
        for c in self.anchors.iter().flat_map(|anchor| anchor.to_array()) {
            range(of, || "anchor".to_owned(), c, c.abs() <= f64::from(MAX_COORDINATE), "within +-1e6 m")?;
        }
        let squared: f64 = self.axes.to_array().iter().map(|c| c * c).sum();
        // A direction of no length is no number.
        if squared.is_nan() || (squared - 1.0).abs() > 1e-3 {
            return Err(Error::NoAxis { of: of() });
        }
        // Its first target is the motor's, which is looked at below.
        self.path.as_ref().map_or(Ok(()), |path| path.check(&of))?;
        let limits = |axis: &Axis| matches!(axis.motion, Motion::Limited { .. });
        if matches!(self.joint.kind, JointKind::Fixed | JointKind::Gear) && self.joint.axes.iter().any(limits) {
            return Err(Error::NoLimits { of: of() });
        }
        if let (JointKind::Ball, Motion::Limited { upper, .. }) = (self.joint.kind, self.joint.axes[4].motion) {
            let good = (0.0..=std::f32::consts::PI).contains(&upper);
            range(of, || "cone".to_owned(), f64::from(upper), good, "within 0 .. pi")?;
        }
        let distance = match (self.joint.kind, self.joint.axes[0].motion) {
            (JointKind::Distance, Motion::Limited { lower, upper }) => Some([lower, upper]),
            (JointKind::Distance, Motion::Locked { at }) => Some([at; 2]),
            _ => None,
        };
        if let Some([least, most]) = distance {
            let limit = "0 or more: a distance is; a rope has a least distance of 0";
            let good = least >= 0.0 || least == f32::NEG_INFINITY;
            range(of, || "least distance".to_owned(), f64::from(least), good, limit)?;
            let good = (0.0..=MAX_COORDINATE).contains(&most);
            range(of, || "greatest distance".to_owned(), f64::from(most), good, "within 0 .. 1e6 m")?;
        }
        for axis in &self.joint.axes {
            if let Motion::Locked { at } = axis.motion {
                range(
                    of,
                    || "locked coordinate".to_owned(),
                    f64::from(at),
                    at.abs() <= MAX_COORDINATE,
                    "within +-1e6",
                )?;
            }
            if let Motion::Limited { lower, upper } = axis.motion {
                range(of, || "lower limit".to_owned(), f64::from(lower), lower <= upper, "at most the upper one")?;
                range(of, || "upper limit".to_owned(), f64::from(upper), upper >= lower, "at least the lower one")?;
            }
            let Spring { stiffness, damping, rest } = axis.spring;
            for (what, value) in [("stiffness", stiffness), ("damping", damping)] {
                range(of, || what.to_owned(), f64::from(value), (0.0..=1e18).contains(&value), "within 0 .. 1e18")?;
            }
            range(
                of,
                || "rest of its spring".to_owned(),
                f64::from(rest),
                rest.abs() <= MAX_COORDINATE,
                "within +-1e6",
            )?;
            check_motor(&of, &axis.motor)?;
        }
        let ratio = self.joint.ratio;
        range(
            of,
            || "ratio".to_owned(),
            f64::from(ratio),
            ratio.abs() <= 1e6 && ratio != 0.0,
            "within +-1e6, and not 0",
        )?;
        for (what, value) in [("break_force", self.joint.break_force), ("break_torque", self.joint.break_torque)] {
            range(of, || what.to_owned(), f64::from(value), value > 0.0, "above 0")?;
        }
        Ok(())
    }
}

/// Axes whose first lies along a vector. Not a number if it has no length: `check` says so.
fn along(axis: DVec3) -> DQuat {
    // The axis of the world that it is farthest from.
    let [x, y, z] = axis.to_array().map(f64::abs);
    let other = if x <= y && x <= z {
        DVec3::X
    } else if y <= z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    frame(axis, other)
}

/// Axes whose first lies along a vector and whose second as near to another as may be.
fn frame(first: DVec3, second: DVec3) -> DQuat {
    let unit = |[x, y, z]: [f64; 3]| {
        let length = f64::sqrt((x * x + y * y) + z * z);
        [x / length, y / length, z / length]
    };
    let x = unit(first.to_array());
    let z = unit(cross(x, second.to_array()));
    let y = cross(z, x);
    DQuat::from_array(rotation([x, y, z]))
}

/// The quaternion [x, y, z, w] of a rotation with these columns (Shepperd 1978, "Quaternion from Rotation Matrix").
fn rotation([a, b, c]: [[f64; 3]; 3]) -> [f64; 4] {
    let trace = (a[0] + b[1]) + c[2];
    let squares = [1.0 + 2.0 * a[0] - trace, 1.0 + 2.0 * b[1] - trace, 1.0 + 2.0 * c[2] - trace, 1.0 + trace];
    let largest = (0..4).fold(0, |most, k| if squares[k] > squares[most] { k } else { most });
    let s = f64::sqrt(squares[largest]);
    let by = 0.5 / s;
    match largest {
        0 => [0.5 * s, (a[1] + b[0]) * by, (c[0] + a[2]) * by, (b[2] - c[1]) * by],
        1 => [(a[1] + b[0]) * by, 0.5 * s, (b[2] + c[1]) * by, (c[0] - a[2]) * by],
        2 => [(c[0] + a[2]) * by, (b[2] + c[1]) * by, 0.5 * s, (a[1] - b[0]) * by],
        _ => [(b[2] - c[1]) * by, (c[0] - a[2]) * by, (a[1] - b[0]) * by, 0.5 * s],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::pose::Pose;

    #[test]
    fn the_first_axis_lies_along_the_given_one() {
        for axis in [[1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [1.0, 2.0, -3.0]] {
            let axis = DVec3::from(axis);
            let x = Pose::new(DVec3::ZERO, along(axis)).transform_point(DVec3::X);
            assert!((x - axis.normalize()).length() < 1e-14, "{axis}: {x}");
        }
    }
}
