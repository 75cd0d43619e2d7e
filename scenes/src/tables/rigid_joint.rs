//! Joints of rigid bodies by the names of bodies.

use super::check::{figure, is_off, needless, place};
use super::keys::table;
use seidel::glam::DVec3;
use seidel::joint::{Motor, MotorPath, Spring};
use seidel::{RigidId, RigidJoint, Scene};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

table! {
    /// A joint of two rigid bodies, or of one with the world.
    RigidJointSpec {
        /// Name, unique among these joints.
        name: String = String::new(),
        /// What it lets move.
        kind: RigidJointKindSpec = RigidJointKindSpec::Ball,
        /// A rigid body's name; the world if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        a: Option<String> = None,
        /// The other's.
        #[serde(skip_serializing_if = "Option::is_none")]
        b: Option<String> = None,
        /// Where it holds both at the start, metres, world; of a distance or a spring where it holds `a`.
        position: [f32; 3] = [0.0; 3],
        /// Where a distance or a spring holds `b`.
        #[serde(skip_serializing_if = "Option::is_none")]
        position_b: Option<[f32; 3]> = None,
        /// Its axis at the start, world; of a universal joint the first body's.
        #[serde(skip_serializing_if = "Option::is_none")]
        axis: Option<[f64; 3]> = None,
        /// A universal joint's second axis.
        #[serde(skip_serializing_if = "Option::is_none")]
        axis_b: Option<[f64; 3]> = None,
        /// Least and greatest way along the axis, metres, turn about it, rad, or distance, metres.
        #[serde(skip_serializing_if = "Option::is_none")]
        limits: Option<[f32; 2]> = None,
        /// Greatest angle of a ball's axis, rad; with `limits` for its twist.
        #[serde(skip_serializing_if = "Option::is_none")]
        cone: Option<f32> = None,
        /// Of a gear: how far `a` turns when `b` turns by 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        ratio: Option<f32> = None,
        /// N/m, or N m/rad about an axis.
        #[serde(skip_serializing_if = "Option::is_none")]
        stiffness: Option<f32> = None,
        /// Of a rod: N m/rad of twist; `stiffness` is of bending.
        #[serde(skip_serializing_if = "Option::is_none")]
        twist: Option<f32> = None,
        /// N s/m, or N m s/rad about an axis.
        #[serde(skip_serializing_if = "Option::is_none")]
        damping: Option<f32> = None,
        /// Where its spring is at rest, metres or rad.
        #[serde(skip_serializing_if = "Option::is_none")]
        rest: Option<f32> = None,
        /// What drives it.
        #[serde(skip_serializing_if = "Option::is_none")]
        motor: Option<MotorSpec> = None,
        /// What solves that which it locks.
        #[serde(skip_serializing_if = "is_sweeps")]
        solver: RigidJointSolverSpec = RigidJointSolverSpec::Sweeps,
        /// N at which it breaks.
        #[serde(skip_serializing_if = "Option::is_none")]
        break_force: Option<f32> = None,
        /// N m at which it breaks.
        #[serde(skip_serializing_if = "Option::is_none")]
        break_torque: Option<f32> = None,
        /// Whether its bodies collide with each other.
        collide: bool = false,
    }
}

/// Joints by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RigidJointKindSpec {
    /// One point of both.
    #[default]
    Ball,
    /// A point of `b` on a line of `a`.
    BallOnLine,
    /// A turn about an axis.
    Hinge,
    /// Turns about two axes.
    Universal,
    /// A way along an axis.
    Slider,
    /// None.
    Fixed,
    /// Two points at a distance.
    Distance,
    /// A spring between two points.
    Spring,
    /// Turns that follow each other.
    Gear,
    /// One point of both, and springs against bending and twist.
    Rod,
}

impl RigidJointKindSpec {
    /// Its name, as files have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RigidJointKindSpec::Ball => "ball",
            RigidJointKindSpec::BallOnLine => "ball-on-line",
            RigidJointKindSpec::Hinge => "hinge",
            RigidJointKindSpec::Universal => "universal",
            RigidJointKindSpec::Slider => "slider",
            RigidJointKindSpec::Fixed => "fixed",
            RigidJointKindSpec::Distance => "distance",
            RigidJointKindSpec::Spring => "spring",
            RigidJointKindSpec::Gear => "gear",
            RigidJointKindSpec::Rod => "rod",
        }
    }
}

/// What solves a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RigidJointSolverSpec {
    /// One joint after another.
    #[default]
    Sweeps,
    /// All such joints that connect bodies at once.
    Direct,
}

/// For a key that is left out of files where it says nothing.
fn is_sweeps(solver: &RigidJointSolverSpec) -> bool {
    *solver == RigidJointSolverSpec::Sweeps
}

/// A motor of a joint's axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotorSpec {
    /// m/s or rad/s that it keeps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub velocity: Option<f32>,
    /// Metres or rad that it goes to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub position: Option<f32>,
    /// Velocities in time, such as `[[0.0, 0.0], [2.0, 5.0]]`: seconds and m/s or rad/s, linear between.
    #[serde(skip_serializing_if = "Vec::is_empty", default, deserialize_with = "pairs")]
    pub velocity_path: Vec<[f64; 2]>,
    /// Positions in time, seconds and metres or rad, linear between.
    #[serde(skip_serializing_if = "Vec::is_empty", default, deserialize_with = "pairs")]
    pub position_path: Vec<[f64; 2]>,
    /// A path repeats: its first pair follows its last.
    #[serde(skip_serializing_if = "is_off", default)]
    pub repeat: bool,
    /// N or N m that it has.
    pub limit: f32,
}

/// The pairs of a path, of which a path has one at least.
fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<[f64; 2]>, D::Error> {
    let pairs = Vec::deserialize(deserializer)?;
    match pairs.is_empty() {
        true => Err(D::Error::custom("the path is empty; give it pairs, such as [[0, 0], [2, 5]], or leave it out")),
        false => Ok(pairs),
    }
}

impl MotorSpec {
    /// The joint with it.
    fn drive(&self, of: &str, joint: RigidJoint) -> Result<RigidJoint, String> {
        let (limit, paths) = (self.limit, [&self.velocity_path, &self.position_path].map(|path| !path.is_empty()));
        if self.repeat && paths == [false; 2] {
            return Err(format!("{of}: `repeat` of a motor means nothing without a path; leave one of them out"));
        }
        let path = |path: MotorPath| joint.clone().motor_path(if self.repeat { path.repeating() } else { path });
        match (self.velocity, self.position, paths) {
            (Some(target), None, [false, false]) => Ok(joint.motor(Motor::Velocity { target, limit })),
            (None, Some(target), [false, false]) => Ok(joint.motor(Motor::Position { target, limit })),
            (None, None, [true, false]) => Ok(path(MotorPath::velocity(&self.velocity_path, limit))),
            (None, None, [false, true]) => Ok(path(MotorPath::position(&self.position_path, limit))),
            _ => Err(format!("{of}: `motor` has one of `velocity`, `position`, `velocity_path` and `position_path`")),
        }
    }
}

impl RigidJointSpec {
    /// The joint of bodies of a scene.
    pub(super) fn build(&self, of: &str, scene: &Scene) -> Result<RigidJoint, String> {
        use RigidJointKindSpec as Kind;
        let find = |key: &str, name: &Option<String>| -> Result<Option<RigidId>, String> {
            let Some(name) = name else { return Ok(None) };
            let known = scene.rigid(name).map(Some);
            known.ok_or_else(|| match scene.collider(name) {
                Some(_) => format!(
                    "{of}: `{key}`: `{name}` is a collider; leave `{key}` out for the world, or make it a `[[body]]` with \
                     `kind = \"fixed\"` or `\"kinematic\"`"
                ),
                None => format!("{of}: `{key}`: there is no rigid body `{name}`; leave it out for the world"),
            })
        };
        let (a, b) = (find("a", &self.a)?, find("b", &self.b)?);
        place(of, "position", self.position, " m")?;
        place(of, "position_b", self.position_b.unwrap_or_default(), " m")?;
        let kind = self.kind;
        let why = format!("it is a {} joint", kind.name());
        let has_axis =
            matches!(kind, Kind::BallOnLine | Kind::Hinge | Kind::Universal | Kind::Slider | Kind::Gear | Kind::Rod)
                || (kind == Kind::Ball && self.cone.is_some());
        let springs = matches!(kind, Kind::Spring | Kind::Rod);
        let (two, driven) = (
            matches!(kind, Kind::Distance | Kind::Spring),
            matches!(kind, Kind::Hinge | Kind::Slider | Kind::Universal | Kind::BallOnLine),
        );
        if kind == Kind::Ball && self.cone.is_none() && self.limits.is_some() {
            return Err(format!(
                "{of}: `limits` of a ball joint are of its twist, beside `cone`; add `cone` and `axis`"
            ));
        }
        if driven && self.rest.is_some() && self.stiffness.is_none() {
            return Err(format!("{of}: `rest` is where a spring is at rest; add `stiffness`"));
        }
        if kind == Kind::Ball && self.cone.is_some() && self.axis.is_none() {
            return Err(format!("{of}: `cone` is about an axis; add `axis`"));
        }
        needless(
            of,
            &why,
            &[
                ("axis", self.axis.is_some() && !has_axis),
                ("axis_b", self.axis_b.is_some() && kind != Kind::Universal),
                ("position_b", self.position_b.is_some() && !two),
                ("cone", self.cone.is_some() && kind != Kind::Ball),
                ("ratio", self.ratio.is_some() && kind != Kind::Gear),
                ("limits", self.limits.is_some() && !driven && kind != Kind::Distance && self.cone.is_none()),
                ("motor", self.motor.is_some() && !driven),
                ("stiffness", self.stiffness.is_some() && !driven && !springs),
                ("damping", self.damping.is_some() && !driven && !springs),
                ("twist", self.twist.is_some() && kind != Kind::Rod),
                ("rest", self.rest.is_some() && (self.stiffness.is_none() || kind == Kind::Rod)),
            ],
        )?;
        // What holds one point of each body only.
        let holds_points = two || kind == Kind::BallOnLine || (kind == Kind::Ball && self.cone.is_none());
        let why = format!("{why}, whose torque is always 0");
        needless(of, &why, &[("break_torque", self.break_torque.is_some() && holds_points)])?;
        if let (Kind::Distance, Some([least, _])) = (kind, self.limits)
            && least < 0.0
        {
            let least = figure(least);
            return Err(format!(
                "{of}: the least distance of `limits` is {least}, and no distance is below 0; write 0 for a rope"
            ));
        }
        let need = |key: &str, missing: bool| match missing {
            true => Err(format!("{of}: a {} joint needs `{key}`", kind.name())),
            false => Ok(()),
        };
        need("axis", has_axis && self.axis.is_none())?;
        need("axis_b", kind == Kind::Universal && self.axis_b.is_none())?;
        need("position_b", two && self.position_b.is_none())?;
        need("limits", kind == Kind::Distance && self.limits.is_none())?;
        need("stiffness", springs && self.stiffness.is_none())?;
        need("twist", kind == Kind::Rod && self.twist.is_none())?;
        need("ratio", kind == Kind::Gear && self.ratio.is_none())?;
        let at = DVec3::from(self.position.map(f64::from));
        let ends = [at, DVec3::from(self.position_b.unwrap_or_default().map(f64::from))];
        let axis = DVec3::from(self.axis.unwrap_or_default());
        let spring = Spring {
            stiffness: self.stiffness.unwrap_or(0.0),
            damping: self.damping.unwrap_or(0.0),
            rest: self.rest.unwrap_or_else(|| if two { (ends[1] - ends[0]).length() as f32 } else { 0.0 }),
        };
        let joint = match (kind, self.cone) {
            (Kind::Ball, Some(cone)) => {
                let [least, most] = self.limits.unwrap_or([-std::f32::consts::PI, std::f32::consts::PI]);
                if least != -most {
                    return Err(format!(
                        "{of}: `limits` of a ball's twist are the same to both sides, such as [-0.5, 0.5]"
                    ));
                }
                RigidJoint::ball_in_cone(a, b, at, axis, [cone, most])
            }
            (Kind::Ball, None) => RigidJoint::ball(a, b, at),
            (Kind::BallOnLine, _) => RigidJoint::ball_on_line(a, b, at, axis),
            (Kind::Hinge, _) => RigidJoint::hinge(a, b, at, axis),
            (Kind::Universal, _) => {
                RigidJoint::universal(a, b, at, [axis, DVec3::from(self.axis_b.unwrap_or_default())])
            }
            (Kind::Slider, _) => RigidJoint::slider(a, b, at, axis),
            (Kind::Fixed, _) => RigidJoint::fixed(a, b, at),
            (Kind::Distance, _) => RigidJoint::distance(a, b, ends, self.limits.unwrap_or_default()),
            (Kind::Spring, _) => RigidJoint::spring(a, b, ends, spring),
            (Kind::Rod, _) => {
                let twist = Spring { stiffness: self.twist.unwrap_or(0.0), ..spring };
                RigidJoint::rod(a, b, at, axis, [spring, twist])
            }
            (Kind::Gear, _) => RigidJoint::gear(a, b, at, axis, self.ratio.unwrap_or(1.0)),
        };
        let joint = match self.limits {
            Some([lower, upper]) if driven => joint.limits(lower, upper),
            _ => joint,
        };
        let joint =
            if driven && (self.stiffness.is_some() || self.damping.is_some()) { joint.sprung(spring) } else { joint };
        let joint = match &self.motor {
            None => joint,
            Some(motor) => motor.drive(of, joint)?,
        };
        let joint = if self.solver == RigidJointSolverSpec::Direct { joint.direct() } else { joint };
        let never = f32::INFINITY;
        let joint = joint.breaking_at(self.break_force.unwrap_or(never), self.break_torque.unwrap_or(never));
        Ok(if self.collide { joint.colliding() } else { joint }.named(self.name.clone()))
    }
}
