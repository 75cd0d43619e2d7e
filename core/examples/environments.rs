//! Many environments at once, as for training: each drives its own arm to its own target, those that end begin anew,
//! and a policy reads all of them. Prints how near the arms come, and how many steps of environments a second that is.
//!
//! cargo run --release -p seidel --example environments

use seidel::joint::Motor;
use seidel::{BatchScratch, Error, Execution, Input, Plan, RigidBody, RigidJoint, Scene, State, step_many};
use std::time::Instant;

const ENVIRONMENTS: usize = 64;
/// Steps of an episode.
const STEPS: usize = 40;
const DT: f32 = 1.0 / 60.0;
/// The most torque of a motor, N m, and the most that a target goes in a step, rad.
const TORQUE: f32 = 60.0;
const QUICK: f64 = 0.05;

fn main() -> Result<(), Error> {
    let mut scene = Scene::new();
    scene.settings.substeps = 10.into();
    let mut link = |x: f32| scene.add_rigid(RigidBody::cuboid([0.2, 0.03, 0.03]).mass(1.0).at([x, 0.0, 0.0]));
    let (upper, lower) = (link(0.2), link(0.6));
    let axis = [0.0, 0.0, 1.0];
    let shoulder = scene.join_rigid(RigidJoint::hinge(None, upper, [0.0; 3], axis));
    let elbow = scene.join_rigid(RigidJoint::hinge(upper, lower, [0.4, 0.0, 0.0], axis));
    let plan = Plan::new(&scene)?;
    let start = State::new(&plan);
    let mut states = vec![start.clone(); ENVIRONMENTS];
    let mut batch = BatchScratch::new(&plan, Execution::default());

    // Goals of the two joints, and the targets that their motors have now.
    let goal = |number: usize, episode: usize| {
        let turn = (number * 7 + episode * 31) as f64;
        [0.9 * libm::sin(turn), 1.2 * libm::cos(1.7 * turn)]
    };
    let mut targets = vec![[0.0f64; 2]; ENVIRONMENTS];
    let mut inputs = vec![Input::frame(DT); ENVIRONMENTS];
    let begin = Instant::now();
    for episode in 0..3 {
        for _ in 0..STEPS {
            for (number, (input, target)) in inputs.iter_mut().zip(&mut targets).enumerate() {
                for (target, goal) in target.iter_mut().zip(goal(number, episode)) {
                    *target += (goal - *target).clamp(-QUICK, QUICK);
                }
                let [a, b] = target.map(|target| Motor::Position { target: target as f32, limit: TORQUE });
                *input = std::mem::replace(input, Input::frame(DT)).motor(shoulder, a).motor(elbow, b);
            }
            let reports = step_many(&plan, &mut states, &inputs, &mut batch)?;
            assert!(reports.iter().all(|report| report.rejected.is_none() && report.lost_rigid.is_none()));
        }
        let off = |(number, state): (usize, &State)| {
            let read = [shoulder, elbow].map(|joint| state.joint(&plan, joint).position);
            let [a, b] = goal(number, episode);
            (read[0] - a).abs().max((read[1] - b).abs())
        };
        let most = states.iter().enumerate().map(off).fold(0.0, f64::max);
        assert!(most < 0.02, "an arm is {most} rad beside its goal");
        println!("episode {episode}: every arm is within {most:.4} rad of its goal");
        // All begin anew; a mask of those that have ended would do the same.
        states.iter_mut().for_each(|state| state.clone_from(&start));
        targets.fill([0.0; 2]);
    }
    let each = (3 * STEPS * ENVIRONMENTS) as f64 / begin.elapsed().as_secs_f64();
    println!("{each:.0} steps of environments a second on {} threads", batch.threads());
    Ok(())
}
