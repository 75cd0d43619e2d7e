//! What has flowed: the rest shapes of rows that yield. Part of a state.

use crate::describe::snapshot::SnapshotError;
use crate::plan::{Family, Plan};
use crate::run::before::Before;
use crate::run::bytes::{Reader, set_words, write_words};
use seidel_kernels::{BATCH, Pack};
use std::ops::Range;

/// Parameters of all rows that yield, family after family. Empty where nothing does.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowState {
    /// Of each family that yields what its packs belong to, and how many there are.
    of: Vec<(u64, usize)>,
    /// All parameters, as batches have them: NaN in lanes without a row.
    pub(crate) rest: Vec<Pack<f32>>,
    /// What f32 could not hold of them.
    pub(crate) rounding: Vec<Pack<f32>>,
}

/// By their bits, for lanes without a row hold NaN.
impl PartialEq for FlowState {
    fn eq(&self, other: &FlowState) -> bool {
        self.of == other.of
            && words(&self.rest) == words(&other.rest)
            && words(&self.rounding) == words(&other.rounding)
    }
}

fn words(packs: &[Pack<f32>]) -> &[u32] {
    bytemuck::cast_slice(packs)
}

/// Families that yield.
fn yielding(plan: &Plan) -> impl Iterator<Item = &Family> {
    plan.families.iter().filter(|family| family.plastic.is_some())
}

impl FlowState {
    /// As the plan has them.
    pub(crate) fn new(plan: &Plan) -> FlowState {
        let rest: Vec<_> =
            yielding(plan).flat_map(|family| family.batches.rests(0..family.batches.len())).copied().collect();
        let rounding = vec![Pack([0.0; BATCH]); rest.len()];
        FlowState { of: yielding(plan).map(|family| (family.rows_hash, family.flowed.len())).collect(), rest, rounding }
    }

    /// Whether nothing yields.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        for packs in [&self.rest, &self.rounding] {
            words(packs).iter().for_each(|word| add(&word.to_le_bytes()));
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_words(out, &[self.of.len() as u32]);
        let mut first = 0;
        for &(of, packs) in &self.of {
            out.extend_from_slice(&of.to_le_bytes());
            write_words(out, &[packs as u32]);
            let own = first..first + packs;
            [&self.rest, &self.rounding].iter().for_each(|all| write_words(out, &all[own.clone()]));
            first = own.end;
        }
    }

    /// Of the rows that a plan has; what belongs to others is lost.
    pub(crate) fn read(plan: &Plan, is_same: bool, from: &mut Reader<'_>) -> Result<FlowState, SnapshotError> {
        let mut state = FlowState::new(plan);
        let families = from.word()?;
        if is_same && families as usize != state.of.len() {
            return Err(SnapshotError::Value { what: "rest shapes of rows that the plan does not have" });
        }
        // Families may have the same rows and yield otherwise: the first of them is the first.
        let mut taken: Vec<(u64, usize)> = Vec::new();
        for _ in 0..families {
            let (of, packs) = (from.long()?, from.word()?);
            let [rest, rounding] = [from.many(packs.into(), 4 * BATCH)?, from.many(packs.into(), 4 * BATCH)?];
            let key = (of, packs as usize);
            let nth = taken.iter().filter(|other| **other == key).count();
            taken.push(key);
            let alike = |family: &&Family| (family.rows_hash, family.flowed.len()) == key;
            match yielding(plan).filter(alike).nth(nth) {
                Some(family) => state.take(family, [rest, rounding])?,
                None if is_same => {
                    return Err(SnapshotError::Value { what: "rest shapes of rows that the plan does not have" });
                }
                None => {}
            }
        }
        Ok(state)
    }

    /// Takes a family's numbers from bytes: those of parameters that flow, of lanes with a row.
    fn take(&mut self, family: &Family, [rest, rounding]: [&[u8]; 2]) -> Result<(), SnapshotError> {
        let mut read = vec![Pack([0.0; BATCH]); 2 * family.flowed.len()];
        let (of_rest, of_rounding) = read.split_at_mut(family.flowed.len());
        set_words(of_rest, rest);
        set_words(of_rounding, rounding);
        let params = &family.kind.params()[..family.flowing_params()];
        for (batch, lane, _) in family.batches.each() {
            for (p, param) in params.iter().enumerate() {
                let pack = batch * family.batches.params() + p;
                let (value, rounding) = (of_rest[pack].0[lane], of_rounding[pack].0[lane]);
                if !((param.min..=param.max).contains(&value) && rounding.is_finite()) {
                    return Err(SnapshotError::Value { what: "a rest shape is outside of its limits" });
                }
                let to = family.flowed.start + pack;
                (self.rest[to].0[lane], self.rounding[to].0[lane]) = (value, rounding);
            }
        }
        Ok(())
    }

    /// Takes back what has flowed of a body.
    pub(crate) fn restart(&mut self, plan: &Plan, body: usize) {
        for family in yielding(plan) {
            let Some(rows) = family.rows_of(body) else { continue };
            for (batch, lane, _) in family.batches.each().filter(|(.., row)| rows.contains(row)) {
                for (p, first) in family.batches.rest(batch).iter().enumerate() {
                    let pack = family.flowed.start + batch * family.batches.params() + p;
                    (self.rest[pack].0[lane], self.rounding[pack].0[lane]) = (first.0[lane], 0.0);
                }
            }
        }
    }

    /// Takes over from a plan before what has flowed of rows that go on: those of a body that the two plans have in as many rows of one kind
    /// that yield in both, the first such rows as the first.
    pub(crate) fn carried(&self, from: &Plan, to: &Plan, before: &Before) -> FlowState {
        let mut state = FlowState::new(to);
        if self.is_empty() || state.is_empty() {
            return state;
        }
        for (number, family) in to.families.iter().enumerate().filter(|(_, family)| family.plastic.is_some()) {
            // For each row the batch and lane in the family before.
            let mut there: Vec<Option<(usize, usize)>> = vec![None; family.batches.rows()];
            let mut came: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
            let mut of_row = vec![usize::MAX; family.batches.rows()];
            for (body, own) in &family.parts {
                let Some(old) = before.bodies[*body] else { continue };
                let Some((f, rows)) = rows_before(from, old, (to, number, *body)) else { continue };
                if rows.len() != own.len() {
                    continue;
                }
                if !came.iter().any(|(of, _)| *of == f) {
                    let mut places = vec![(0, 0); from.families[f].batches.rows()];
                    from.families[f].batches.each().for_each(|(batch, lane, row)| places[row] = (batch, lane));
                    came.push((f, places));
                }
                let Some(at) = came.iter().position(|(of, _)| *of == f) else { continue };
                for (row, old) in own.clone().zip(rows) {
                    (there[row], of_row[row]) = (Some(came[at].1[old]), f);
                }
            }
            let params = family.batches.params();
            for (batch, lane, row) in family.batches.each() {
                let Some((old_batch, old_lane)) = there[row] else { continue };
                let old = &from.families[of_row[row]];
                for p in 0..family.flowing_params() {
                    let first = old.batches.rest(old_batch)[p].0[old_lane];
                    let pack = old.flowed.start + old_batch * params + p;
                    let (value, rounding) = (self.rest[pack].0[old_lane], self.rounding[pack].0[old_lane]);
                    if (value.to_bits(), rounding) != (first.to_bits(), 0.0) {
                        let to = family.flowed.start + batch * params + p;
                        (state.rest[to].0[lane], state.rounding[to].0[lane]) = (value, rounding);
                    }
                }
            }
        }
        state
    }
}

/// Where a body's rows were that now are in one of the plan's families that yield.
fn rows_before(from: &Plan, old: usize, (to, number, body): (&Plan, usize, usize)) -> Option<(usize, Range<usize>)> {
    let family = &to.families[number];
    let alike = |of: &&Family| of.plastic.is_some() && of.kind.is(&family.kind);
    let nth = to.families[..number].iter().filter(alike).filter(|of| of.rows_of(body).is_some()).count();
    let there = from.families.iter().enumerate().filter(|(_, of)| alike(of));
    there.filter_map(|(f, of)| Some((f, of.rows_of(old)?))).nth(nth)
}
