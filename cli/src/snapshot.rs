//! `--load` and `--save`: the state at the start and at the end of a run.

use std::path::Path;

use seidel::{Plan, State};
use seidel_io::aside::Target;

type Failure = Box<dyn std::error::Error>;

/// Reads the state with which a run begins.
pub(crate) fn load(path: &Path, plan: &Plan) -> Result<State, Failure> {
    let wrong = |what: String| format!("--load {}: {what}", path.display());
    let bytes = std::fs::read(path).map_err(|e| wrong(e.to_string()))?;
    let state = State::from_bytes(plan, &bytes).map_err(|e| wrong(e.to_string()))?;
    if state.is_stopped() {
        return Err(wrong("the state has stopped at a lost particle, and does not go on".to_owned()).into());
    }
    if State::plan_of(&bytes).is_ok_and(|of| of != plan.id()) {
        note!("note: --load {}: the state was saved with other settings or materials", path.display());
    }
    Ok(state)
}

/// Writes the state with which a run ends.
pub(crate) fn save(target: &Target, state: &State) -> Result<(), Failure> {
    target.write(&state.to_bytes())?;
    Ok(())
}
