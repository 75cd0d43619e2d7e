//! What moves of a fluid, beside its particles.

use crate::describe::snapshot::SnapshotError;
use crate::plan::Plan;
use crate::plan::fluid::FluidBody;
use crate::run::bytes::{Reader, set_words, write_words};
use crate::run::poured::Poured;

/// Multipliers of the last substep, and which particles exist.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FluidState {
    /// For each row: its multiplier over h^2, h being the substep; kg m^2 / s^2. A warm start: a share of it is taken
    /// up again. Empty without fluids.
    pub(crate) lambda: Vec<f32>,
    /// The length of the last substep, seconds; 0 before the first.
    pub(crate) h: f32,
    /// For each fluid: which particles have come and gone.
    pub(crate) bodies: Vec<Poured>,
}

impl FluidState {
    pub(crate) fn new(plan: &Plan) -> FluidState {
        let Some(fluids) = &plan.fluids else { return FluidState::default() };
        let of = |fluid: &FluidBody| Poured::new(plan, fluid.body, (fluid.filled, &fluid.sources));
        FluidState { lambda: vec![0.0; plan.x.len()], h: 0.0, bodies: fluids.bodies.iter().map(of).collect() }
    }

    /// Everything, as bytes.
    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        let FluidState { lambda, h, bodies } = self;
        lambda.iter().for_each(|l| add(&l.to_le_bytes()));
        if !bodies.is_empty() {
            add(&h.to_le_bytes());
        }
        for poured in bodies {
            poured.numbers(|number| add(&number.to_le_bytes()));
        }
    }
}

impl FluidState {
    /// Everything, as bytes of a snapshot.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let FluidState { lambda, h, bodies } = self;
        if bodies.is_empty() {
            return;
        }
        write_words(out, lambda);
        write_words(out, &[*h]);
        for poured in bodies {
            poured.write(out);
        }
    }

    /// What `write` has written of a plan's fluids.
    pub(crate) fn read(plan: &Plan, from: &mut Reader<'_>) -> Result<FluidState, SnapshotError> {
        let mut state = FluidState::new(plan);
        if state.bodies.is_empty() {
            return Ok(state);
        }
        let bytes = 4 * state.lambda.len();
        set_words(&mut state.lambda, from.take(bytes)?);
        state.h = from.single()?;
        let sound = state.lambda.iter().all(|lambda| lambda.is_finite() && *lambda <= 0.0);
        if !sound || !state.h.is_finite() || state.h < 0.0 {
            return Err(SnapshotError::Value {
                what: "a fluid's multiplier is above 0 or not finite, or its substep is none",
            });
        }
        let fluids = plan.fluids.iter().flat_map(|fluids| &fluids.bodies);
        for (of, poured) in fluids.zip(&mut state.bodies) {
            poured.read(&of.sources, from)?;
        }
        Ok(state)
    }

    /// Of another plan with as many emitters: each gives what is due from now on.
    pub(crate) fn meet(&mut self, plan: &Plan, time: f64) {
        for (of, poured) in plan.fluids.iter().flat_map(|of| &of.bodies).zip(&mut self.bodies) {
            poured.meet(&of.sources, time);
        }
    }
}
