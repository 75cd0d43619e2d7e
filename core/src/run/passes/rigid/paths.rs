//! Paths of kinematic bodies. Within a step each goes evenly, and by the shorter way, from where it is to where its
//! path is when the step ends, as colliders do; so all that looks at velocities sees it move.

use crate::describe::pose::{Pose, conjugate, product};
use crate::plan::rigid::Rigid as Plans;
use crate::run::passes::Common;
use crate::run::rigid::RigidState;

/// Gives bodies on paths the velocities of a step that ends at a time, seconds, and lists where they are then.
pub(super) fn send(
    (common, plan): (&Common<'_>, &Plans),
    state: &mut RigidState,
    targets: &mut Vec<(u32, Pose)>,
    end: f64,
) {
    targets.clear();
    // Substeps are rounded to f32: together they are not quite the step.
    let dt = f64::from(common.h) * f64::from(common.substeps);
    for (number, body) in plan.bodies.iter().enumerate() {
        // What was lost, or waits, stays where it is.
        let Some(path) = body.path.as_ref().filter(|_| !state.frozen[number]) else { continue };
        let (motion, target) = (&mut state.motions[number], path.at(end));
        let now = Pose { position: motion.position, rotation: motion.rotation };
        [motion.velocity, motion.spin] = velocities(&now, &target, dt);
        targets.push((number as u32, target));
    }
}

/// The velocity and the angular velocity that lead from one pose to another within `dt` seconds, m/s and rad/s; exactly
/// 0 where nothing moves.
pub(super) fn velocities(from: &Pose, to: &Pose, dt: f64) -> [[f64; 3]; 2] {
    let way = [0, 1, 2].map(|k| (to.position[k] - from.position[k]) / dt);
    if from.rotation == to.rotation {
        return [way, [0.0; 3]];
    }
    let turn = shorter(product(to.rotation, conjugate(from.rotation)));
    let sine = libm::sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    let angle = 2.0 * libm::atan2(sine, turn[3]);
    let share = if sine > 1e-12 { angle / sine } else { 2.0 };
    [way, [0, 1, 2].map(|k| turn[k] * share / dt)]
}

/// Puts bodies on paths to where these are at the end of the step: substeps led there but for roundings.
pub(super) fn arrive(state: &mut RigidState, targets: &[(u32, Pose)]) {
    for &(number, to) in targets {
        if !state.frozen[number as usize] {
            let motion = &mut state.motions[number as usize];
            (motion.position, motion.rotation) = (to.position, to.rotation);
        }
    }
}

/// The same rotation by at most half a turn.
fn shorter(q: [f64; 4]) -> [f64; 4] {
    if q[3] < 0.0 { q.map(|c| -c) } else { q }
}
