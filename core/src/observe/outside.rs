//! Joints of rigid bodies that begin outside of their limits.

use crate::geometry::vector::{length, sub};
use crate::observe::overlaps::three_digits;
use crate::plan::Plan;
use crate::plan::rigid::{Rigid, RigidJointPlan};
use crate::tuning::BEGINS_OUTSIDE;
use seidel_rigid::joint::{ABOUT, Measure, Motion};

impl Plan {
    /// The first joint that begins outside of its limits, as a warning. A way and a turn are counted from where they
    /// start, so limits that 0 is not within exclude the start; a distance is what it is.
    pub(super) fn begins_outside_limits(&self) -> Option<String> {
        let rigid = self.rigid.as_ref()?;
        let mut outside = rigid.joints.iter().filter_map(|of| Some((&of.name, beyond(rigid, of)?)));
        let (name, Beyond { by, unit, limits, start }) = outside.next()?;
        let limits = match limits {
            [lower, upper] if lower == upper => format!("{lower} {unit}"),
            [f32::NEG_INFINITY, upper] => format!("up to {upper} {unit}"),
            [lower, f32::INFINITY] => format!("from {lower} {unit} on"),
            [lower, upper] => format!("{lower} to {upper} {unit}"),
        };
        let more = match outside.count() {
            0 => String::new(),
            1 => ", and so does another joint".to_owned(),
            count => format!(", and so do {count} more joints"),
        };
        Some(format!(
            "joint `{name}` starts {} {unit} outside of its limits, {limits}{more}: {start}. It pulls its bodies in as \
             soon as the run begins, whatever is in their way; move them, or give limits that hold the start",
            three_digits(by)
        ))
    }
}

/// How far a joint begins outside of what a coordinate may be.
struct Beyond {
    by: f64,
    unit: &'static str,
    limits: [f32; 2],
    start: String,
}

/// The first coordinate of a joint that begins outside of its limits.
fn beyond(rigid: &Rigid, of: &RigidJointPlan) -> Option<Beyond> {
    let joint = &of.joint;
    let (is_distance, count) = match joint.kind.measure() {
        Measure::Distance => (true, 1),
        Measure::Gimbal | Measure::Swing => (false, 6),
        Measure::Gear | Measure::Rack => return None,
    };
    joint.axes[..count].iter().enumerate().find_map(|(i, axis)| {
        let limits = match axis.motion {
            Motion::Free => return None,
            Motion::Locked { at } => [at; 2],
            Motion::Limited { lower, upper } => [lower, upper],
        };
        // Anchors and axes of both bodies are one at the start, but for those of a distance.
        let value = if is_distance { distance(rigid, of) } else { 0.0 };
        let nearest = value.max(f64::from(limits[0])).min(f64::from(limits[1]));
        let by = (value - nearest).abs();
        let (unit, start) = match (is_distance, i < ABOUT) {
            (true, _) => ("m", format!("its points are {} m apart", three_digits(value))),
            (false, true) => ("m", "its way is counted from where it starts, and is 0 there".to_owned()),
            (false, false) => ("rad", "its turn is counted from where it starts, and is 0 there".to_owned()),
        };
        (by > BEGINS_OUTSIDE * value.abs().max(nearest.abs())).then_some(Beyond { by, unit, limits, start })
    })
}

/// Between the anchors at the start, metres.
fn distance(rigid: &Rigid, of: &RigidJointPlan) -> f64 {
    let [a, b] = [0, 1].map(|side| {
        let anchor = of.joint.frames[side].anchor;
        match rigid.bodies.get(of.joint.bodies[side] as usize) {
            Some(body) => body.pose.apply(anchor.map(f64::from)),
            None => anchor.map(f64::from),
        }
    });
    length(sub(a, b))
}
