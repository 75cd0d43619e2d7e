//! What moves of a fluid, beside its particles.

use crate::plan::Plan;

/// Multipliers of the last substep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FluidState {
    /// Of each row its multiplier over h^2, h being the substep; kg m^2 / s^2. A warm start: a share of it is taken up again. Empty without fluids.
    pub(crate) lambda: Vec<f32>,
}

impl FluidState {
    pub(crate) fn new(plan: &Plan) -> FluidState {
        FluidState { lambda: vec![0.0; if plan.fluids.is_some() { plan.x.len() } else { 0 }] }
    }

    /// Everything, as bytes.
    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        let FluidState { lambda } = self;
        lambda.iter().for_each(|l| add(&l.to_le_bytes()));
    }
}
