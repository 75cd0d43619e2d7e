//! What moves of a fluid, beside its particles.

use crate::describe::snapshot::SnapshotError;
use crate::plan::Plan;
use crate::plan::fluid::FluidBody;
use crate::run::bytes::{Reader, set_words, write_words};

/// Multipliers of the last substep, and who is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FluidState {
    /// Of each row its multiplier over h^2, h being the substep; kg m^2 / s^2. A warm start: a share of it is taken up again. Empty without fluids.
    pub(crate) lambda: Vec<f32>,
    /// Of each fluid.
    pub(crate) bodies: Vec<Poured>,
}

/// What has come of a fluid, and gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Poured {
    /// Of each vertex the number of its birth; those at the start have their own.
    pub(crate) ids: Vec<u64>,
    /// The number of the next that is born.
    pub(crate) next: u64,
    /// How many emitters have given, and drains taken.
    pub(crate) born: u64,
    /// Those.
    pub(crate) drained: u64,
    /// Layers that each emitter has given, or left out because nobody was left to be born.
    pub(crate) layers: Vec<u64>,
}

impl FluidState {
    pub(crate) fn new(plan: &Plan) -> FluidState {
        let Some(fluids) = &plan.fluids else { return FluidState::default() };
        let of = |fluid: &FluidBody| {
            let body = &plan.bodies[fluid.body];
            let ids = (0..body.to_row.len() as u64).collect();
            let last = (0..body.to_row.len()).rfind(|&vertex| body.get(&plan.x, vertex)[3] > 0.0);
            let next = last.map_or(0, |vertex| vertex as u64 + 1);
            Poured { ids, next, born: 0, drained: 0, layers: vec![0; fluid.emitters.len()] }
        };
        FluidState { lambda: vec![0.0; plan.x.len()], bodies: fluids.bodies.iter().map(of).collect() }
    }

    /// Everything, as bytes.
    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        let FluidState { lambda, bodies } = self;
        lambda.iter().for_each(|l| add(&l.to_le_bytes()));
        for Poured { ids, next, born, drained, layers } in bodies {
            ids.iter().chain([next, born, drained]).chain(layers).for_each(|number| add(&number.to_le_bytes()));
        }
    }
}

impl FluidState {
    /// Everything, as bytes of a snapshot.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let FluidState { lambda, bodies } = self;
        write_words(out, lambda);
        for Poured { ids, next, born, drained, layers } in bodies {
            let numbers = ids.iter().chain([next, born, drained]).chain(layers);
            numbers.for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
    }

    /// What `write` has written of a plan's fluids.
    pub(crate) fn read(plan: &Plan, from: &mut Reader<'_>) -> Result<FluidState, SnapshotError> {
        let mut state = FluidState::new(plan);
        let bytes = 4 * state.lambda.len();
        set_words(&mut state.lambda, from.take(bytes)?);
        for Poured { ids, next, born, drained, layers } in &mut state.bodies {
            for number in ids.iter_mut().chain([next, born, drained]).chain(layers) {
                *number = from.long()?;
            }
        }
        Ok(state)
    }
}
