//! The property: a typed error, or a state that stays finite and does not depend on the lanes.

use glam::Vec3;
use seidel::{Execution, Input, Isa, NonFinite, Plan, Scene, Scratch, State, step};

const STEPS: usize = 3;

/// Metres: what is beyond counts as lost, and is frozen where it was.
const LOST: f32 = 1.0e9;

/// Plans a scene and takes three steps on each of this processor's lanes; false if the plan is refused.
///
/// `act` may change the state before a step, and gives the step's input; it has to do the same for every lane.
pub fn settles(scene: &Scene, mut act: impl FnMut(usize, &Plan, &mut State) -> Input) -> bool {
    let plan = match Plan::new(scene) {
        Ok(plan) => plan,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    let freezes = plan.settings().non_finite == NonFinite::Freeze;
    let (first, mut expected) = (plan, Vec::new());
    for isa in Isa::available() {
        let mut plan = first.clone();
        let mut state = State::new(&plan);
        let mut scratch = Scratch::new(&plan, Execution::new(isa, 1));
        for at in 0..STEPS {
            let input = act(at, &plan, &mut state);
            let before = state.hash();
            // Whatever an earlier step left behind must not matter.
            scratch.poison();
            let report = step(&plan, &mut state, &input, &mut scratch);
            if let Some(error) = report.rejected {
                assert_eq!(state.hash(), before, "rejected, and yet changed: {error}");
            }
            // What has torn is planned, or says why it cannot be.
            if !plan.is_torn_as(&state) {
                match plan.torn(&state) {
                    Ok(torn) => plan = torn,
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
                scratch = Scratch::new(&plan, Execution::new(isa, 1));
            }
            // The bits of a NaN are the processor's choice; only a policy that keeps none has a hash to compare.
            if freezes {
                is_finite(&plan, &state);
                if expected.len() == at {
                    expected.push(state.hash());
                }
                assert_eq!(state.hash(), expected[at], "step {at} differs on {isa}");
            }
        }
        // What is finite is read again.
        if freezes {
            let bytes = state.to_bytes();
            let read = State::from_bytes(&plan, &bytes).expect("a state that was written is read");
            assert!(read.to_bytes() == bytes, "another state is read than was written");
        }
        // Any number may come out of it, but no panic.
        let _ = plan.measure(&state);
    }
    true
}

fn is_finite(plan: &Plan, state: &State) {
    for body in plan.body_ids() {
        let mut rows = vec![Vec3::NAN; plan.vertices(body)];
        state.read_positions(plan, body, &mut rows);
        for (v, x) in rows.iter().enumerate() {
            assert!(x.abs().max_element() <= LOST, "vertex {v} of `{}` is at {x}", plan.body_name(body));
        }
        rows.fill(Vec3::NAN);
        state.read_velocities(plan, body, &mut rows);
        for (v, x) in rows.iter().enumerate() {
            assert!(x.is_finite(), "vertex {v} of `{}` has velocity {x}", plan.body_name(body));
        }
    }
    for body in plan.rigid_ids() {
        let (pose, velocities) = (state.rigid_pose(plan, body), state.rigid_velocity(plan, body));
        let near = pose.position().abs().max_element() <= 2.0 * f64::from(LOST);
        assert!(near && pose.is_valid(), "`{}` has {pose:?}", plan.rigid_name(body));
        assert!(velocities.iter().all(|v| v.is_finite()), "`{}` has {velocities:?}", plan.rigid_name(body));
    }
    for collider in plan.collider_ids() {
        let pose = state.pose(collider);
        assert!(pose.is_valid(), "collider {} has {pose:?}", collider.index());
    }
}
