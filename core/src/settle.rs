//! Bringing a scene to rest before it starts, by kinetic damping: whenever a body's kinetic energy has passed a peak,
//! all its velocities become zero.
//!
//! Day 1965, "An Introduction to Dynamic Relaxation" (The Engineer 219); Cundall 1976 for the peaks; Barnes 1999, "Form
//! Finding and Analysis of Tension Structures by Dynamic Relaxation", section 3. At a peak of kinetic energy the
//! potential energy is at its lowest along the way, so the body is near the shape in which it rests. Each body has
//! peaks of its own, so one that falls for long does not keep others from coming to rest.

use crate::plan::Plan;
use crate::run::input::Input;
use crate::run::report::Report;
use crate::run::scratch::Scratch;
use crate::run::state::State;
use crate::run::step::step;

/// Steps at the end in which a scene that has come to rest does not move.
const LAST: usize = 15;

/// How a scene came to rest.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settled {
    /// The steps that were taken.
    pub steps: u32,
    /// The largest speed of a vertex in the last fifteen of them, m/s: what is left of the motion. In the last alone a
    /// body may have begun again.
    pub speed: f64,
    /// The first report of a refused input, a lost particle or too little memory, if there was one. Settling ends
    /// there.
    pub failed: Option<Report>,
}

/// Takes `steps` steps of `input` in which time stands still ([`Input::held`]), with velocities that kinetic damping
/// brings to zero. Then bodies have the velocities with which the scene starts. Bodies that nothing holds fall
/// meanwhile.
///
/// # Example
/// ```
/// use seidel::{Cloth, Execution, Input, Plan, Scene, Scratch, State, settle};
/// let mut scene = Scene::new();
/// scene.add(Cloth::grid([10, 10], [1.0, 1.0]).pin(&[0, 9]));
/// let plan = Plan::new(&scene)?;
/// let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::default()));
/// let settled = settle(&plan, &mut state, &Input::frame(1.0 / 60.0), 240, &mut scratch);
/// assert!(settled.speed < 0.01 && state.time() == 0.0, "{settled:?}");
/// # Ok::<(), seidel::Error>(())
/// ```
pub fn settle(plan: &Plan, state: &mut State, input: &Input, steps: u32, scratch: &mut Scratch) -> Settled {
    settle_while(plan, state, input, scratch, |step| step < steps)
}

/// [`settle`] for as long as `go_on`, which is told how many steps have been taken, says so.
pub fn settle_while(
    plan: &Plan,
    state: &mut State,
    input: &Input,
    scratch: &mut Scratch,
    mut go_on: impl FnMut(u32) -> bool,
) -> Settled {
    let input = input.clone().held();
    let mut before = vec![0.0; plan.bodies.len()];
    let mut settled = Settled { steps: 0, speed: 0.0, failed: None };
    for body in 0..before.len() {
        state.restart(plan, body, false);
    }
    // Rigid bodies wait: they are where they begin when it is over.
    let rigid = state.rigid.clone();
    state.rigid.hold();
    // What an edit has ended is told by the first step behind.
    let ended = std::mem::take(&mut state.ended);
    let mut speeds = [0.0; LAST];
    while go_on(settled.steps) {
        let report = step(plan, state, &input, scratch);
        let is_short = report.pairs.beyond_memory > 0;
        if report.rejected.is_some() || report.lost.is_some() || report.stopped || is_short {
            settled.failed = Some(report);
            break;
        }
        speeds[settled.steps as usize % LAST] = plan.largest_speed(state);
        settled.steps += 1;
        for (body, before) in before.iter_mut().enumerate() {
            let now = plan.kinetic(state, body);
            let peak = now < *before;
            if peak {
                state.restart(plan, body, false);
            }
            *before = if peak { 0.0 } else { now };
        }
    }
    settled.speed = speeds.into_iter().fold(0.0, f64::max);
    (state.rigid, state.ended) = (rigid, ended);
    for body in 0..plan.bodies.len() {
        state.restart(plan, body, true);
    }
    settled
}
