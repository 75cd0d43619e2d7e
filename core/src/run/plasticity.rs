//! What has flowed: the rest shapes of rows that yield. Part of a state.

use crate::describe::snapshot::SnapshotError;
use crate::plan::{Family, Plan};
use crate::run::before::Before;
use crate::run::bytes::{Reader, set_words, write_words};
use seidel_kernels::plasticity::{Flows, is_broken};
use seidel_kernels::{BATCH, Kind, Pack};

/// Parameters of all rows that yield, family after family. Empty where nothing does.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlasticityState {
    /// Of each family that yields what its packs belong to, how many there are, and how many of accumulated strains.
    of: Vec<(u64, usize, usize)>,
    /// All parameters, as batches have them: NaN in lanes without a row, and of rows that have broken.
    pub(crate) rest: Vec<Pack<f32>>,
    /// What f32 could not hold of them.
    pub(crate) rounding: Vec<Pack<f32>>,
    /// Of families that soften or break the accumulated plastic strain of each row: of each batch a pack, and one of
    /// what f32 could not hold of it.
    pub(crate) accumulated: Vec<Pack<f32>>,
}

/// By their bits, for lanes without a row hold NaN.
impl PartialEq for PlasticityState {
    fn eq(&self, other: &PlasticityState) -> bool {
        self.of == other.of
            && words(&self.rest) == words(&other.rest)
            && words(&self.rounding) == words(&other.rounding)
            && words(&self.accumulated) == words(&other.accumulated)
    }
}

fn words(packs: &[Pack<f32>]) -> &[u32] {
    bytemuck::cast_slice(packs)
}

/// Families that yield.
fn yielding(plan: &Plan) -> impl Iterator<Item = &Family> {
    plan.families.iter().filter(|family| family.plastic.is_some())
}

impl PlasticityState {
    /// As the plan has them.
    pub(crate) fn new(plan: &Plan) -> PlasticityState {
        let rest: Vec<_> =
            yielding(plan).flat_map(|family| family.batches.rests(0..family.batches.len())).copied().collect();
        let rounding = vec![Pack([0.0; BATCH]); rest.len()];
        let sums = |family: &Family| (family.rows_hash, family.flowed.len(), family.accumulated.len());
        let of: Vec<_> = yielding(plan).map(sums).collect();
        let accumulated = vec![Pack([0.0; BATCH]); of.iter().map(|(.., sums)| sums).sum()];
        PlasticityState { of, rest, rounding, accumulated }
    }

    /// Whether nothing yields.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether something softens or may break.
    pub(crate) fn accumulates(&self) -> bool {
        !self.accumulated.is_empty()
    }

    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        for packs in [&self.rest, &self.rounding, &self.accumulated] {
            words(packs).iter().for_each(|word| add(&word.to_le_bytes()));
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_words(out, &[self.of.len() as u32]);
        let (mut first, mut first_sum) = (0, 0);
        for &(of, packs, sums) in &self.of {
            out.extend_from_slice(&of.to_le_bytes());
            write_words(out, &[packs as u32]);
            let own = first..first + packs;
            [&self.rest, &self.rounding].iter().for_each(|all| write_words(out, &all[own.clone()]));
            first = own.end;
            if self.accumulates() {
                write_words(out, &[sums as u32]);
                write_words(out, &self.accumulated[first_sum..first_sum + sums]);
                first_sum += sums;
            }
        }
    }

    /// Of the rows that a plan has; what belongs to others is lost. `accumulates` if bytes of accumulated strains are
    /// among them.
    pub(crate) fn read(
        plan: &Plan,
        is_same: bool,
        accumulates: bool,
        from: &mut Reader<'_>,
    ) -> Result<PlasticityState, SnapshotError> {
        let mut state = PlasticityState::new(plan);
        let families = from.word()?;
        if is_same && (families as usize, accumulates) != (state.of.len(), state.accumulates()) {
            return Err(SnapshotError::Value { what: "rest shapes of rows that the plan does not have" });
        }
        // Families may have the same rows and yield otherwise: the first of them is the first.
        let mut taken: Vec<(u64, usize)> = Vec::new();
        for number in 0..families as usize {
            let (of, packs) = (from.long()?, from.word()?);
            let [rest, rounding] = [from.many(packs.into(), 4 * BATCH)?, from.many(packs.into(), 4 * BATCH)?];
            let sums = if accumulates { from.word()? } else { 0 };
            let accumulated = from.many(sums.into(), 4 * BATCH)?;
            let key = (of, packs as usize);
            let nth = taken.iter().filter(|other| **other == key).count();
            taken.push(key);
            let alike = |family: &&Family| (family.rows_hash, family.flowed.len()) == key;
            if is_same && state.of.get(number) != Some(&(of, packs as usize, sums as usize)) {
                return Err(SnapshotError::Value { what: "rest shapes of rows that the plan does not have" });
            }
            if let Some(family) = yielding(plan).filter(alike).nth(nth) {
                state.take(family, is_same, [rest, rounding])?;
                state.take_accumulated(family, is_same, accumulated)?;
            }
        }
        Ok(state)
    }

    /// Takes a family's numbers from bytes: those of parameters that flow, of lanes with a row. A row that has broken
    /// is whole where the plan is another, and its rows do not break.
    fn take(&mut self, family: &Family, is_same: bool, [rest, rounding]: [&[u8]; 2]) -> Result<(), SnapshotError> {
        let mut read = vec![Pack([0.0; BATCH]); 2 * family.flowed.len()];
        let (of_rest, of_rounding) = read.split_at_mut(family.flowed.len());
        set_words(of_rest, rest);
        set_words(of_rounding, rounding);
        let params = &family.kind.params()[..family.flowing_params()];
        let place = |batch: usize, p: usize| batch * family.batches.params() + p;
        for (batch, lane, _) in family.batches.each() {
            let is_none = |p: usize| {
                let pack = place(batch, p);
                (of_rest[pack].0[lane].to_bits(), of_rounding[pack].0[lane].to_bits()) == (f32::NAN.to_bits(), 0)
            };
            if (family.may_break() || !is_same) && (0..family.batches.params()).all(is_none) {
                if family.may_break() {
                    self.break_row(family, batch, lane);
                }
                continue;
            }
            for (p, param) in params.iter().enumerate() {
                let pack = place(batch, p);
                let (value, rounding) = (of_rest[pack].0[lane], of_rounding[pack].0[lane]);
                if !((param.min..=param.max).contains(&value) && rounding.is_finite()) {
                    return Err(SnapshotError::Value { what: "a rest shape is outside of its limits" });
                }
                let to = family.flowed.start + pack;
                (self.rest[to].0[lane], self.rounding[to].0[lane]) = (value, rounding);
            }
        }
        let own = family.flowed.clone();
        let is_all =
            words(&self.rest[own.clone()]) == words(of_rest) && words(&self.rounding[own]) == words(of_rounding);
        match is_all || !is_same {
            true => Ok(()),
            false => Err(SnapshotError::Value { what: "a rest shape of no row" }),
        }
    }

    /// Takes a family's accumulated strains from bytes, if these are of as many batches.
    fn take_accumulated(&mut self, family: &Family, is_same: bool, bytes: &[u8]) -> Result<(), SnapshotError> {
        let own = &mut self.accumulated[family.accumulated.clone()];
        if own.is_empty() || bytes.len() != size_of_val(own) {
            return Ok(());
        }
        let mut read = vec![Pack([0.0; BATCH]); own.len()];
        set_words(&mut read, bytes);
        for (batch, lane, _) in family.batches.each() {
            let [sum, rounding] = [0, 1].map(|of| read[2 * batch + of].0[lane]);
            if !((0.0..f32::INFINITY).contains(&sum) && rounding.is_finite()) {
                return Err(SnapshotError::Value { what: "an accumulated strain is not finite and 0 or more" });
            }
            (own[2 * batch].0[lane], own[2 * batch + 1].0[lane]) = (sum, rounding);
        }
        match words(own) == words(&read) || !is_same {
            true => Ok(()),
            false => Err(SnapshotError::Value { what: "an accumulated strain of no row" }),
        }
    }

    /// A row that gives way for good: it has no parameters, as a lane without a row.
    fn break_row(&mut self, family: &Family, batch: usize, lane: usize) {
        for p in 0..family.batches.params() {
            let pack = family.flowed.start + batch * family.batches.params() + p;
            (self.rest[pack].0[lane], self.rounding[pack].0[lane]) = (f32::NAN, 0.0);
        }
    }

    /// Whether a row has broken.
    pub(crate) fn is_broken(&self, family: &Family, batch: usize, lane: usize) -> bool {
        family.may_break() && is_broken(self.rest[family.flowed.start + batch * family.batches.params()].0[lane])
    }

    /// The accumulated plastic strain of a row; 0 where nobody asks for it.
    pub(crate) fn accumulated(&self, family: &Family, batch: usize, lane: usize) -> f32 {
        self.accumulated[family.accumulated.clone()].get(2 * batch).map_or(0.0, |sums| sums.0[lane])
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
                let own = &mut self.accumulated[family.accumulated.clone()];
                own.iter_mut().skip(2 * batch).take(2).for_each(|sums| sums.0[lane] = 0.0);
            }
        }
    }

    /// Takes over from a plan before what has flowed of rows that go on: those of a body that the two plans have, of
    /// one kind, that yield in both and are of the same vertices. Of several such the first is the first, of families
    /// with the same numbers before others.
    pub(crate) fn carried(&self, from: &Plan, to: &Plan, before: &Before) -> PlasticityState {
        let mut state = PlasticityState::new(to);
        if self.is_empty() || state.is_empty() {
            return state;
        }
        let (old_places, new_places) = (places(from), places(to));
        for (number, family) in to.families.iter().enumerate().filter(|(_, family)| family.plastic.is_some()) {
            let alike = |of: &&Family| of.plastic.is_some() && of.kind.is(&family.kind);
            let others = || to.families[..number].iter().filter(alike);
            for (body, _) in &family.parts {
                let Some(old) = before.bodies[*body] else { continue };
                // Families of a kind are looked at together.
                if others().any(|of| of.rows_of(*body).is_some()) {
                    continue;
                }
                let rows = YieldingRows::of(from, old, &family.kind, &old_places);
                let now = YieldingRows::of(to, *body, &family.kind, &new_places);
                for (old, new) in now.from(&rows, (from, to)) {
                    self.carry_row((from, old), (to, new), &mut state);
                }
            }
        }
        state
    }

    /// What has flowed of a row, in another plan. A length keeps its strain, and an angle what it was bent by, where
    /// they are others at the start; a tetrahedron of another shape begins anew, for its flow is in the directions of
    /// that shape. The accumulated strain stays, and what has broken stays broken, where that is kept at all.
    fn carry_row(&self, (from, old): (&Plan, RowAddress), (to, new): (&Plan, RowAddress), state: &mut PlasticityState) {
        let (a, b) = (&from.families[old.family], &to.families[new.family]);
        let Some((_, flows)) = b.plastic else { return };
        let first = |of: &Family, at: RowAddress, p: usize| of.batches.rest(at.batch)[p].0[at.lane];
        let pack = |of: &Family, at: RowAddress, p: usize| of.flowed.start + at.batch * of.batches.params() + p;
        let same = |p: usize| first(a, old, p).to_bits() == first(b, new, p).to_bits();
        let params = b.flowing_params();
        if flows == Flows::Tetrahedron && !(0..params).all(same) {
            return;
        }
        let sums = |of: &Family, at: RowAddress| of.accumulated.clone().skip(2 * at.batch).take(2);
        for (old_sum, new_sum) in sums(a, old).zip(sums(b, new)) {
            state.accumulated[new_sum].0[new.lane] = self.accumulated[old_sum].0[old.lane];
        }
        if self.is_broken(a, old.batch, old.lane) {
            if b.may_break() {
                state.break_row(b, new.batch, new.lane);
            }
            return;
        }
        for p in 0..params {
            let (was, is) = (first(a, old, p), first(b, new, p));
            let (value, rounding) =
                (self.rest[pack(a, old, p)].0[old.lane], self.rounding[pack(a, old, p)].0[old.lane]);
            if (value.to_bits(), rounding) == (was.to_bits(), 0.0) {
                continue;
            }
            let mut flowed = (value, rounding);
            if !same(p) {
                let (whole, was, is) = (f64::from(value) + f64::from(rounding), f64::from(was), f64::from(is));
                let param = &b.kind.params()[p];
                let whole = if flows == Flows::Angle { whole - was + is } else { whole / was * is };
                let whole = whole.max(param.min.into()).min(param.max.into());
                flowed = (whole as f32, (whole - f64::from(whole as f32)) as f32);
            }
            let to = pack(b, new, p);
            (state.rest[to].0[new.lane], state.rounding[to].0[new.lane]) = flowed;
        }
    }
}

/// Where a row of a plan is.
#[derive(Clone, Copy)]
struct RowAddress {
    family: usize,
    batch: usize,
    lane: usize,
}

/// Of each family that yields the place of each row.
fn places(plan: &Plan) -> Vec<Vec<RowAddress>> {
    let of = |(family, of): (usize, &Family)| {
        let rows = if of.plastic.is_some() { of.batches.rows() } else { 0 };
        let mut places = vec![RowAddress { family, batch: 0, lane: 0 }; rows];
        if rows > 0 {
            of.batches.each().for_each(|(batch, lane, row)| places[row] = RowAddress { family, batch, lane });
        }
        places
    };
    plan.families.iter().enumerate().map(of).collect()
}

/// A body's rows of one kind that yield, family after family.
struct YieldingRows {
    slots: usize,
    /// The vertices of each.
    at: Vec<u32>,
    places: Vec<RowAddress>,
}

impl YieldingRows {
    fn of(plan: &Plan, body: usize, kind: &Kind, places: &[Vec<RowAddress>]) -> YieldingRows {
        let mut rows = YieldingRows { slots: kind.slots(), at: Vec::new(), places: Vec::new() };
        let own = &plan.bodies[body];
        let mut vertices = vec![u32::MAX; own.rows];
        (0u32..).zip(own.to_row.iter()).for_each(|(vertex, &row)| vertices[row as usize] = vertex);
        for (number, family) in plan.families.iter().enumerate() {
            if family.plastic.is_none() || !family.kind.is(kind) {
                continue;
            }
            for &place in &places[number][family.rows_of(body).unwrap_or_default()] {
                let particle = |slot| family.batches.particle(place.batch, slot, place.lane) as usize;
                rows.at.extend((0..rows.slots).map(|slot| vertices[particle(slot) - own.start]));
                rows.places.push(place);
            }
        }
        rows
    }

    fn at(&self, row: usize) -> &[u32] {
        &self.at[row * self.slots..(row + 1) * self.slots]
    }

    /// Rows by their vertices; those of the same in their order.
    fn sorted(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.places.len()).collect();
        rows.sort_by(|a, b| self.at(*a).cmp(self.at(*b)));
        rows
    }

    /// Which row of a plan before each is that was there, with it.
    fn from(&self, before: &YieldingRows, (from, to): (&Plan, &Plan)) -> Vec<(RowAddress, RowAddress)> {
        let is_of = |old: RowAddress, new: RowAddress| {
            from.families[old.family].key().is_but_for_method(&to.families[new.family].key())
        };
        let both = || before.places.iter().copied().zip(self.places.iter().copied());
        if before.at == self.at && both().all(|(old, new)| is_of(old, new)) {
            return both().collect();
        }
        let (old, new) = (before.sorted(), self.sorted());
        let (mut old, mut pairs) = (&old[..], Vec::new());
        for alike in new.chunk_by(|a, b| self.at(*a) == self.at(*b)) {
            let at = self.at(alike[0]);
            let less = old.partition_point(|row| before.at(*row) < at);
            let count = old[less..].partition_point(|row| before.at(*row) == at);
            let mut there: Vec<RowAddress> = old[less..less + count].iter().map(|row| before.places[*row]).collect();
            old = &old[less + count..];
            let mut open = Vec::new();
            for new in alike.iter().map(|row| self.places[*row]) {
                match there.iter().position(|old| is_of(*old, new)) {
                    Some(place) => pairs.push((there.remove(place), new)),
                    None => open.push(new),
                }
            }
            pairs.extend(there.into_iter().zip(open));
        }
        pairs
    }
}
