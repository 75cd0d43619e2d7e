//! Limits and targets of joints that are probably not meant.

use crate::describe::motor_path::MotorPath;
use crate::observe::overlaps::three_digits;
use crate::plan::Plan;
use seidel_rigid::joint::{ABOUT, Measure, Motion, Motor};
use std::f64::consts::TAU;

/// Turns beyond which an angle is probably meant in degrees.
const MANY_TURNS: f64 = 2.01;

impl Plan {
    /// The first joint with an angle of more than two full turns as a limit or as the one target of a motor to a
    /// position, as a warning; the first motor with a limit of 0, and the first whose target its joint's own limits
    /// exclude.
    pub(super) fn strange_goals(&self) -> Vec<String> {
        let joints = || self.rigid.iter().flat_map(|rigid| &rigid.joints);
        let mut notes = Vec::new();
        let mut angles = joints().filter_map(|of| {
            let i = of.joint.driven_axis();
            let turns = i >= ABOUT && matches!(of.joint.kind.measure(), Measure::Gimbal | Measure::Swing);
            let limits = match of.joint.axes[i].motion {
                Motion::Limited { lower, upper } => [lower, upper].map(written),
                _ => [0.0; 2],
            };
            let many = |angle: &f64| turns && angle.is_finite() && angle.abs() > MANY_TURNS * TAU;
            let limit = limits.into_iter().find(many).map(|angle| ("a limit", angle));
            // A path may well turn something round and round.
            let goal = goals(of.joint.axes[i].motor, None).into_iter().find(|goal| many(goal) && of.path.is_none());
            let (what, angle) = limit.or(goal.map(|angle| ("the target of its motor", angle)))?;
            Some((&of.name, what, angle))
        });
        if let Some((name, what, angle)) = angles.next() {
            let more = match angles.count() {
                0 => String::new(),
                1 => ", and another joint has one, too".to_owned(),
                count => format!(", and {count} more joints have one, too"),
            };
            notes.push(format!(
                "joint `{name}`: {what}, {angle} rad, is {} turns{more}; if degrees are meant, write {}",
                three_digits(angle.abs() / TAU),
                three_digits(angle.to_radians())
            ));
        }
        let powerless = joints().find(|of| match of.joint.axes[of.joint.driven_axis()].motor {
            Motor::Off => false,
            Motor::Velocity { limit, .. } | Motor::Position { limit, .. } => limit == 0.0,
        });
        notes.extend(powerless.map(|of| format!("joint `{}`: its motor has a limit of 0, and does nothing", of.name)));
        let beyond = joints().find_map(|of| {
            let axis = of.joint.axes[of.joint.driven_axis()];
            let Motion::Limited { lower, upper } = axis.motion else { return None };
            let [lower, upper] = [lower, upper].map(written);
            let goal = goals(axis.motor, of.path.as_ref()).into_iter().find(|&goal| goal < lower || goal > upper)?;
            Some((&of.name, goal, lower, upper))
        });
        if let Some((name, goal, lower, upper)) = beyond {
            notes.push(format!(
                "joint `{name}`: the target of its motor, {goal}, is outside of its limits, {lower} to {upper}, and will \
                 not be reached"
            ));
        }
        notes
    }
}

/// The positions that a motor goes to.
fn goals(motor: Motor, path: Option<&MotorPath>) -> Vec<f64> {
    match (motor, path) {
        (Motor::Position { .. }, Some(path)) => path.targets().collect(),
        (Motor::Position { target, .. }, None) => vec![written(target)],
        _ => Vec::new(),
    }
}

/// A number as it was written, not as 32 bits have it.
fn written(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}
