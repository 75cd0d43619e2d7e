//! The state of grains beside their positions: which touch, and how far each contact is drawn aside.

use crate::describe::snapshot::SnapshotError;
use crate::plan::Plan;
use crate::run::bytes::{Reader, set_words, write_words};
use std::ops::Range;

/// Contacts of grains at the end of the last step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GrainState {
    /// Whether the plan has grains.
    is_kept: bool,
    /// Rows of both, the lower first; ascending.
    pub(crate) pairs: Vec<[u32; 2]>,
    /// For each, where the first was from the second when they last slid, or met, metres.
    pub(crate) held: Vec<[f32; 3]>,
}

impl GrainState {
    pub(crate) fn new(plan: &Plan) -> GrainState {
        GrainState { is_kept: plan.grains.is_some(), ..GrainState::default() }
    }

    /// Forgets contacts of rows that were put elsewhere.
    pub(crate) fn forget(&mut self, rows: Range<u32>) {
        let stays = |pair: &[u32; 2]| !pair.iter().any(|row| rows.contains(row));
        let all = self.pairs.iter().copied().zip(self.held.iter().copied());
        (self.pairs, self.held) = all.filter(|(pair, _)| stays(pair)).unzip();
    }

    /// Everything, as bytes; none where nothing touches.
    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        let GrainState { pairs, held, .. } = self;
        pairs.as_flattened().iter().for_each(|row| add(&row.to_le_bytes()));
        held.as_flattened().iter().for_each(|c| add(&c.to_le_bytes()));
    }

    /// Everything, as bytes of a snapshot.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.is_kept {
            write_words(out, &[self.pairs.len() as u32]);
            write_words(out, self.pairs.as_flattened());
            write_words(out, self.held.as_flattened());
        }
    }

    /// Reads the bytes that `write` has written.
    pub(crate) fn read(plan: &Plan, from: &mut Reader<'_>) -> Result<GrainState, SnapshotError> {
        let Some(grains) = &plan.grains else { return Ok(GrainState::default()) };
        let count = from.word()?;
        let (pairs, held) = (from.many(count.into(), 8)?, from.many(count.into(), 12)?);
        let mut state = GrainState::new(plan);
        state.pairs.resize(count as usize, [0; 2]);
        state.held.resize(count as usize, [0.0; 3]);
        set_words(state.pairs.as_flattened_mut(), pairs);
        set_words(state.held.as_flattened_mut(), held);
        let is_grain = |row: u32| {
            let of = |number: usize| plan.bodies[number].vertex(row as usize).is_some();
            grains.bodies.iter().any(|grains| of(grains.body))
        };
        let sound = state.pairs.iter().all(|[a, b]| a < b && is_grain(*a) && is_grain(*b))
            && state.pairs.windows(2).all(|two| two[0] < two[1])
            && state.held.as_flattened().iter().all(|c| c.is_finite());
        match sound {
            true => Ok(state),
            false => Err(SnapshotError::Value { what: "contacts of grains are out of order, or of no grains" }),
        }
    }
}
