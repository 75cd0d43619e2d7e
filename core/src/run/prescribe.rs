//! Applies what the input prescribes: stiffness, pins, pulls, forces, poses of colliders.

use crate::describe::collider::{Collider, Motion as Path};
use crate::describe::error::Error;
use crate::describe::frame::normalised;
use crate::describe::pose::{Pose, product};
use crate::plan::Plan;
use crate::run::input::Input;
use crate::run::obstacle::push;
use crate::run::off::Off;
use crate::run::passes::colliders::ColliderScratch;
use crate::run::passes::colliders::moving::Moving;
use crate::run::passes::pulls::Pull;
use crate::run::scratch::Scratch;
use crate::run::state::State;
use seidel_kernels::{Row, Rows};
use seidel_rigid::joint::Motor;

/// Writes down what the input prescribes: stiffness, which the state keeps, pulls, velocities of pinned particles,
/// forces, and where colliders are at the end.
pub(crate) fn prescribe(plan: &Plan, state: &mut State, input: &Input, scratch: &mut Scratch) {
    if let Some(rigid) = &plan.rigid {
        scratch.rigid.was_led.clone_from(&state.rigid.led);
        state.rigid.led.fill(false);
        let goals = &mut scratch.rigid.goals;
        goals.clear();
        goals.reserve(rigid.joints.len());
        let given = input.motors.iter().map(|(joint, motor)| (plan.rigid_joint_place(*joint) as u32, *motor));
        goals.extend((0..).zip(given).map(|(order, (number, motor))| (number, order, motor)));
        goals.sort_unstable_by_key(|(number, order, _)| (*number, *order));
        // Of several for one joint the last counts.
        goals.dedup_by(|later, first| {
            let is_again = later.0 == first.0;
            first.2 = if is_again { later.2 } else { first.2 };
            is_again
        });
        for (number, _, motor) in goals {
            let number = *number as usize;
            let given = std::mem::replace(motor, state.rigid.motor_at(rigid, number, state.time));
            state.rigid.drive(rigid, number, given);
            state.rigid.led[number] = match (*motor, given) {
                (Motor::Position { target: from, .. }, Motor::Position { target: to, .. }) => from != to,
                _ => false,
            };
        }
    }
    scratch.dt = input.dt;
    scratch.touching.forget_recorded();
    soften(plan, state, input);
    Pull::list(plan, input, &mut scratch.pulls);
    for body in plan.bodies.iter().filter(|_| state.driven) {
        let numbers: &[f32] = bytemuck::cast_slice(&state.x);
        let fourth = 3 * body.layout.stride();
        let rows = (body.start..body.start + body.rows).filter(|&row| body.frames.at(row - body.start).is_none());
        for row in rows.filter(|&row| numbers[body.layout.offset(row) + fourth] == 0.0) {
            body.layout.write(&mut state.v, row, [0.0; 4]);
        }
        for row in (0..body.frames.to_row.len()).map(|frame| body.frame(frame)) {
            if state.r[row][3] == 0.0 {
                state.v[row] = [0.0; 4];
            }
        }
    }
    state.driven =
        !input.pins.is_empty() || !input.turns.is_empty() || !plan.moving_pins.is_empty() || !plan.obstacles.is_empty();
    scratch.obstacles.begin(plan, state, input);
    let end = input.after(state.time, 1.0);
    // A given position overrides a path.
    let on_paths = plan.moving_pins.iter().flat_map(|pins| pins.at(end).map(|(vertex, at)| (pins.body, vertex, at)));
    let given = input.pins.iter().map(|&(body, vertex, target)| (plan.body_place(body), vertex, target));
    for (body, vertex, target) in on_paths.chain(given) {
        push((plan, body), state, vertex as usize, target, input.dt);
    }
    scratch.anchors.begin(plan, state, input.dt);
    let on_paths = plan.moving_pins.iter().flat_map(|pins| pins.turned(end).map(|(frame, to)| (pins.body, frame, to)));
    let given =
        input.turns.iter().map(|&(body, frame, to)| (plan.body_place(body), frame, normalised(to).map(f64::from)));
    for (body, frame, to) in on_paths.chain(given) {
        turn((plan, body), state, frame as usize, to, input.dt);
    }
    if !input.forces.is_empty() {
        if scratch.force.is_empty() {
            scratch.force = Rows::zeros(plan.x.len(), 32);
        }
        scratch.force.fill(0.0);
        for (id, forces) in &input.forces {
            let body = plan.part(*id);
            let add = |all: &mut Rows, vertex: usize, f: [f32; 3]| {
                let sum = body.get(all, vertex);
                body.set(all, vertex, [sum[0] + f[0], sum[1] + f[1], sum[2] + f[2], 0.0]);
            };
            let copies = body.to_row.len() - forces.len();
            if copies == 0 {
                forces.iter().enumerate().for_each(|(vertex, f)| add(&mut scratch.force, vertex, *f));
                continue;
            }
            // Given for what it begins with: a vertex and its copies share by mass. What came of a vertex is summed up
            // from the last split backwards.
            let (mut all, begins) = (forces.clone(), forces.len());
            all.resize(body.to_row.len(), [0.0; 3]);
            let splits: Vec<usize> = plan.tears.of(plan.body_place(*id)).map(|(vertex, _)| vertex as usize).collect();
            let mass = |v: usize| match body.get(&state.x, v)[3] {
                w if w > 0.0 => 1.0 / f64::from(w),
                _ => 0.0,
            };
            let mut masses: Vec<f64> = (0..all.len()).map(mass).collect();
            let mut shares = vec![0.5; splits.len()];
            for (number, &of) in splits.iter().enumerate().rev() {
                let (stays, goes) = (masses[of], masses[begins + number]);
                if stays + goes > 0.0 {
                    shares[number] = (goes / (stays + goes)) as f32;
                }
                masses[of] += goes;
            }
            for (number, (&of, share)) in splits.iter().zip(shares).enumerate() {
                all[begins + number] = all[of].map(|f| f * share);
                all[of] = all[of].map(|f| f * (1.0 - share));
            }
            all.iter().enumerate().for_each(|(vertex, f)| add(&mut scratch.force, vertex, *f));
        }
    }
    // Where a collider is at the end of the step: on its path or given. A fixed one stays where it was put.
    let target = |(collider, pose): (&Collider, &Pose)| match &collider.motion {
        Path::Fixed => *pose,
        path => path.at(&collider.pose, end),
    };
    scratch.colliders.targets.clear();
    scratch.colliders.targets.extend(plan.colliders.iter().zip(&state.poses).map(target));
    for (collider, pose) in &input.poses {
        scratch.colliders.targets[plan.collider_place(*collider)] = *pose;
    }
    scratch.colliders.starts.clone_from(&state.poses);
    scratch.colliders.forget_touches();
    if plan.rigid.is_some() {
        scratch.rigid.from.clone_from(&state.poses);
        scratch.rigid.to.clone_from(&scratch.colliders.targets);
    }
    state.poses.copy_from_slice(&scratch.colliders.targets);
}

/// Writes every collider in every one of so many substeps, from where the step begins to where it ends.
pub(crate) fn move_colliders(plan: &Plan, off: &Off, scratch: &mut ColliderScratch, substeps: u32) {
    let ColliderScratch { starts, targets, moving, .. } = scratch;
    moving.clear();
    for s in 0..substeps {
        for (c, collider) in plan.colliders.iter().enumerate() {
            if off.colliders[c] {
                moving.push(Moving::Off);
                continue;
            }
            let (from, to) = (&starts[c], &targets[c]);
            // A collider at rest has the same pose in every substep.
            if s > 0 && from == to {
                moving.push(moving[c]);
                continue;
            }
            let at = |s: u32| from.between(to, f64::from(s) / f64::from(substeps));
            moving.push(Moving::new(collider, &at(s), &at(s + 1), plan.settings.friction_rule));
        }
    }
}

/// Writes the stiffness that the input gives to the state, which keeps it.
fn soften(plan: &Plan, state: &mut State, input: &Input) {
    for (body, kind, stiffness) in &input.stiffness {
        let mut first = 0;
        for (number, rows) in plan.stiff(*body, kind, stiffness.is_compliance()) {
            let (family, soft) = (&plan.families[number], &mut state.soft[number]);
            if soft.is_empty() {
                *soft = family.soft();
            }
            let count = rows.len();
            family.soften(soft, rows, (stiffness.values(), first), plan.settings.iterations);
            first += count;
        }
    }
}

/// Gives a frame of inverse inertia 0, if its body is enabled, the angular velocity that turns it to a rotation within
/// `dt` seconds, the shorter way.
pub(crate) fn turn((plan, body): (&Plan, usize), state: &mut State, frame: usize, to: [f64; 4], dt: f32) {
    let row = plan.bodies[body].frame(frame);
    let [.., w] = state.r[row];
    if w == 0.0 && !state.off.bodies[body] {
        state.v[row] = angular_velocity(state.x[row], to, dt);
    }
}

/// The angular velocity that takes one rotation to another in `dt` seconds, the shorter way, rad/s.
fn angular_velocity(from: Row, to: [f64; 4], dt: f32) -> Row {
    let [x, y, z, w] = from.map(f64::from);
    let by = product(to, [-x, -y, -z, w]);
    let sign = if by[3] < 0.0 { -1.0 } else { 1.0 };
    let sin = f64::sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
    let angle = 2.0 * libm::atan2(sin, sign * by[3]);
    // For small s, 2 atan2(s, c) / s is 2 / c, and c is 1.
    let share = if sin > 1e-12 { angle / sin } else { 2.0 };
    let [a, b, c] = std::array::from_fn(|k| (sign * by[k] * share / f64::from(dt)) as f32);
    [a, b, c, 0.0]
}

/// Checks that state and scratch are of this plan, and that the input fits.
pub(crate) fn fits(plan: &Plan, state: &State, input: &Input, scratch: &Scratch) -> Result<(), Error> {
    match (state.plan == plan.id, scratch.plan == plan.stamp) {
        (false, _) => Err(Error::OtherPlan { what: "state" }),
        _ if !plan.is_torn_as(state) => Err(Error::OtherTears { of: "step".to_owned() }),
        (_, false) => Err(Error::OtherPlan { what: "scratch" }),
        _ if plan.tearing.is_some() && (!input.stiffness.is_empty() || !state.soft.iter().all(Vec::is_empty)) => {
            Err(Error::BesideTears { of: "input".to_owned(), what: "stiffness stays as it is planned" })
        }
        _ => input.check(plan, state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;

    #[test]
    fn the_shorter_way_is_taken() {
        for (degrees, turned) in [(30.0, 30.0f64), (170.0, 170.0), (190.0, -170.0), (-1e-5, -1e-5)] {
            let to = Pose::IDENTITY.turned([0.0, 0.0, 1.0], crate::describe::pose::degrees(degrees)).rotation;
            for to in [to, to.map(|c| -c)] {
                let [x, y, z, _] = angular_velocity([0.0, 0.0, 0.0, 1.0], to, 0.5);
                assert!(
                    x == 0.0 && y == 0.0 && (f64::from(z) - 2.0 * turned.to_radians()).abs() < 1e-6,
                    "{degrees}: {z}"
                );
            }
        }
    }
}
