//! Targets that a controller gives motors to positions, one a step: the joint goes from one to the next as evenly as
//! they lie, with their velocity, and what it holds feels no jerk a step.

use super::Rigid;
use super::scratch::Aim;
use crate::tuning::AIM_SHARE;
use seidel_rigid::joint::{Motor, Side};
use seidel_rigid::tuning::{SERVO_SPEED, SPRING_MOST};

impl Rigid<'_> {
    /// Finds which motors of the input are a controller's next points, and not goals far off.
    pub(super) fn aim(&mut self) {
        let mut aims = std::mem::take(&mut self.scratch.aims);
        aims.clear();
        aims.reserve(self.plan.joints.len());
        for &(joint, _, before) in &self.scratch.goals {
            let after = self.state.motors[joint as usize];
            if let (Motor::Position { target: from, .. }, Motor::Position { target: to, limit }) = (before, after) {
                let aim = Aim { joint, from, to, limit };
                if is_next_point(self, &aim) {
                    aims.push(aim);
                }
            }
        }
        self.scratch.aims = aims;
    }

    /// The motor of a joint as a substep ends, and how fast its target goes; none of one that is driven as the step
    /// began.
    pub(super) fn aimed(&self, joint: u32, substep: u32) -> Option<(Motor, f32)> {
        let aims = &self.scratch.aims;
        let at = aims.binary_search_by_key(&joint, |aim| aim.joint).ok()?;
        Some(aims[at].at(substep, (self.common.h, self.common.substeps)))
    }
}

/// Whether a joint is where its motor's last target was, and this target is a controller's: it gave another one a step
/// before, or the joint has the velocity that it asks for, or its motor can give it that in a small part of the step,
/// [`AIM_SHARE`], and take it away again: what is overshot then is half of that part of the displacement. All else it
/// goes to as a motor does that brakes in time.
fn is_next_point(rigid: &Rigid<'_>, aim: &Aim) -> bool {
    let (state, common) = (&*rigid.state, rigid.common);
    let (of, kept) = (&rigid.plan.joints[aim.joint as usize], &state.joints[aim.joint as usize]);
    let dt = common.h * common.substeps as f32;
    let way = aim.to - aim.from;
    let rate = way / dt;
    if kept.broken || way == 0.0 || rate.abs() > SERVO_SPEED {
        return false;
    }
    let was_led = rigid.scratch.was_led[aim.joint as usize];
    let bodies = of.joint.bodies.map(|body| state.standing(rigid.plan, body));
    let sides = bodies.each_ref().map(|(pose, velocities, row)| Side { pose, velocities: *velocities, row });
    let motor = Motor::Position { target: aim.from, limit: aim.limit };
    let driven = of.joint.with_motor(of.joint.driven_axis(), motor);
    let inv_mass = driven.motor_inv_mass(bodies.each_ref().map(|(pose, _, row)| (pose, row)));
    let now = driven.read(kept, sides, state.h, of.in_tree);
    // A load P that the motor holds leaves an error of P K h^2 / 1.75.
    let sag = now.motor * f64::from(inv_mass * state.h * state.h / SPRING_MOST);
    let beside = (now.position + sag - f64::from(aim.from)).abs();
    let change = (f64::from(rate) - now.velocity).abs();
    let most = f64::from(AIM_SHARE * aim.limit * inv_mass * dt);
    // A motor may be a step behind a controller that starts, or turns back, faster than it can.
    let near = if was_led { 1.5 } else { 0.5 };
    beside <= near * f64::from(way.abs()) && (was_led || change <= most)
}
