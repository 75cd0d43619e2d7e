//! Motors of joints in a run: their figures for `--stats`, and advice.

use seidel::joint::Motor;
use seidel::{Plan, RigidJointId, State};
use serde::{Deserialize, Serialize};

/// Motors that `--stats` has, at most.
const MOST: usize = 1000;
/// A motor that is far from its target in so many last frames does not reach it.
const FRAMES: usize = 10;
/// Of positions, m or rad; of velocities a share of the target.
const FAR: f64 = 0.05;
/// A motor with this share of its limit has all that it may have.
const ALL: f64 = 0.98;

/// The motor of a joint in the last frame, and frame by frame.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MotorStats {
    /// The joint's name.
    joint: String,
    /// `"position"` or `"velocity"`.
    drives: Drive,
    /// m or rad; of a velocity m/s or rad/s.
    target: f64,
    /// N or N m.
    limit: f64,
    /// m or rad, m/s or rad/s, N or N m.
    position: f64,
    velocity: f64,
    load: f64,
    /// The joint is broken.
    #[serde(default, skip_serializing_if = "is_false")]
    broken: bool,
    by_frame: Frames,
}

/// For a key that is left out where it says nothing.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
fn is_false(broken: &bool) -> bool {
    !*broken
}

/// The quantity that a motor brings to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Drive {
    Position,
    Velocity,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Frames {
    target: Vec<f64>,
    position: Vec<f64>,
    velocity: Vec<f64>,
    load: Vec<f64>,
}

/// Motors by the order of their joints.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Motors(Vec<MotorStats>);

impl Motors {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a frame.
    pub(crate) fn add(&mut self, plan: &Plan, state: &State) {
        let all = plan.rigid_joint_ids().filter_map(|id| driven(plan, state, id)).take(MOST);
        for (k, now) in all.enumerate() {
            match self.0.get_mut(k) {
                Some(of) => {
                    let before = std::mem::take(&mut of.by_frame);
                    *of = MotorStats { by_frame: before, ..now };
                }
                None => self.0.push(now),
            }
            let of = &mut self.0[k];
            of.by_frame.target.push(of.target);
            of.by_frame.position.push(of.position);
            of.by_frame.velocity.push(of.velocity);
            of.by_frame.load.push(of.load);
        }
    }

    /// Advice on the first motor that does not reach its target.
    pub(crate) fn advice(&self) -> Option<String> {
        let mut short = self.0.iter().filter(|of| of.stays_short());
        let of = short.next()?;
        let more = match short.count() {
            0 => String::new(),
            1 => " (so does another motor)".to_owned(),
            count => format!(" (so do {count} others)"),
        };
        let MotorStats { joint, target, position, velocity, load, limit, drives, .. } = of;
        let ends = match drives {
            Drive::Position => format!("ends at {position:.3} in place of {target:.3} (m or rad)"),
            Drive::Velocity => format!("ends at {velocity:.3} in place of {target:.3} a second (m or rad)"),
        };
        let why = if of.has_all_it_may(*load) {
            format!("all of its limit, {limit} N or N m, is used; raise it, or lighten what it moves")
        } else {
            let used = 100.0 * load.abs() / limit;
            format!(
                "it uses {used:.0} % of its limit: a limit of the joint or something in the way stops it, or what it \
                 moves is too heavy for its bodies at so many substeps; more of them leave less"
            )
        };
        Some(format!("the motor of joint `{joint}` {ends}{more}: {why}"))
    }
}

/// The motor of a joint that has one.
fn driven(plan: &Plan, state: &State, id: RigidJointId) -> Option<MotorStats> {
    let (drives, target, limit) = match state.motor(plan, id) {
        Motor::Off => return None,
        Motor::Velocity { target, limit } => (Drive::Velocity, target, limit),
        Motor::Position { target, limit } => (Drive::Position, target, limit),
    };
    let now = state.joint(plan, id);
    Some(MotorStats {
        joint: plan.rigid_joint_name(id).to_owned(),
        drives,
        target: f64::from(target),
        limit: f64::from(limit),
        position: now.position,
        velocity: now.velocity,
        load: now.motor_load,
        broken: now.broken,
        by_frame: Frames::default(),
    })
}

impl MotorStats {
    fn has_all_it_may(&self, load: f64) -> bool {
        load.abs() >= ALL * self.limit
    }

    /// Whether it is far from its target in all of the last frames, and has given all that it may, or comes no nearer.
    /// A brake, whose target is 0, may slip, and a limit of 0 is a motor that is off.
    fn stays_short(&self) -> bool {
        let all = match self.drives {
            Drive::Position => &self.by_frame.position,
            Drive::Velocity => &self.by_frame.velocity,
        };
        let far = |target: f64| match self.drives {
            Drive::Position => FAR,
            Drive::Velocity => FAR * target.abs(),
        };
        if self.broken || self.limit == 0.0 {
            return false;
        }
        // The last frame comes first.
        let (mut errors, mut is_all_used) = (Vec::new(), true);
        let frames = all.iter().zip(&self.by_frame.target).zip(&self.by_frame.load).rev().take(FRAMES);
        for ((&value, &target), &load) in frames {
            let error = (value - target).abs();
            if error <= far(target) || self.drives == Drive::Velocity && target == 0.0 {
                return false;
            }
            is_all_used &= self.has_all_it_may(load);
            errors.push(error);
        }
        let comes_nearer = errors.windows(2).all(|pair| pair[0] < pair[1]);
        errors.len() == FRAMES && (is_all_used || !comes_nearer)
    }
}
