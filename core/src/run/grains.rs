//! The state of grains beside their positions: which touch, and how far each contact is drawn aside.

use crate::describe::snapshot::SnapshotError;
use crate::plan::Plan;
use crate::plan::grains::GrainBody;
use crate::run::bytes::{Reader, set_words, write_words};
use crate::run::poured::Poured;

/// Contacts of grains at the end of the last step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GrainState {
    /// Whether the plan has grains.
    is_kept: bool,
    /// Rows of both, the lower first; ascending.
    pub(crate) pairs: Vec<[u32; 2]>,
    /// For each, where the first was from the second when they last slid, or met, metres.
    pub(crate) held: Vec<[f32; 3]>,
    /// For each body of grains: which have come and gone; empty where none may.
    pub(crate) bodies: Vec<Poured>,
}

impl GrainState {
    pub(crate) fn new(plan: &Plan) -> GrainState {
        let bodies = plan.grains.iter().flat_map(|grains| &grains.bodies);
        let poured = |of: &GrainBody| match of.sources.is_empty() {
            true => Poured::default(),
            false => Poured::new(plan, of.body, (of.filled, &of.sources)),
        };
        let bodies = bodies.map(poured).collect();
        GrainState { is_kept: plan.grains.is_some(), bodies, ..GrainState::default() }
    }

    /// Forgets contacts of rows that were put elsewhere, or are gone.
    pub(crate) fn forget(&mut self, is_gone: impl Fn(u32) -> bool) {
        let mut kept = 0;
        for k in 0..self.pairs.len() {
            let (pair, held) = (self.pairs[k], self.held[k]);
            if !pair.into_iter().any(&is_gone) {
                (self.pairs[kept], self.held[kept]) = (pair, held);
                kept += 1;
            }
        }
        self.pairs.truncate(kept);
        self.held.truncate(kept);
    }

    /// Of another plan with as many emitters: each gives what is due from now on.
    pub(crate) fn meet(&mut self, plan: &Plan, time: f64) {
        let of = plan.grains.iter().flat_map(|grains| &grains.bodies).zip(&mut self.bodies);
        of.filter(|(_, poured)| poured.flows()).for_each(|(of, poured)| poured.meet(&of.sources, time));
    }

    /// Everything, as bytes; none where nothing touches, and no grain comes or goes.
    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        let GrainState { pairs, held, bodies, .. } = self;
        pairs.as_flattened().iter().for_each(|row| add(&row.to_le_bytes()));
        held.as_flattened().iter().for_each(|c| add(&c.to_le_bytes()));
        bodies.iter().for_each(|poured| poured.numbers(|number| add(&number.to_le_bytes())));
    }

    /// Everything, as bytes of a snapshot.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.is_kept {
            write_words(out, &[self.pairs.len() as u32]);
            write_words(out, self.pairs.as_flattened());
            write_words(out, self.held.as_flattened());
            self.bodies.iter().filter(|poured| poured.flows()).for_each(|poured| poured.write(out));
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
        if !sound {
            return Err(SnapshotError::Value { what: "contacts of grains are out of order, or of no grains" });
        }
        for (of, poured) in grains.bodies.iter().zip(&mut state.bodies).filter(|(_, poured)| poured.flows()) {
            poured.read(&of.sources, from)?;
            if !poured.guided.is_empty() {
                return Err(SnapshotError::Value { what: "an emitter guides grains" });
            }
        }
        Ok(state)
    }
}
