//! A family: all rows of one kind in a plan, of all bodies, packed in the order in which they are solved.

use super::patch::FamilyRows;
use crate::describe::body::Constraints;
use crate::describe::plasticity::{Plasticity, flows};
use crate::describe::settings::Method;
use crate::describe::stiffness::{Stiffness, Values};
use crate::tuning::HUB_ROWS;
use seidel_kernels::plasticity::Flows;
use seidel_kernels::{BATCH, Batches, Kind, Layout, Pack, RowArrays};
use seidel_kinds as kinds;
use std::ops::Range;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// All rows of one kind, mode and damping.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) kind: Kind,
    /// XPBD: the rows' numbers are compliances; PBD: they are k'.
    pub(crate) xpbd: bool,
    /// Whether Jacobi sweeps solve its rows.
    pub(crate) averaged: bool,
    /// Relaxation time of damping, seconds.
    pub(crate) damping: f32,
    /// When its rest shapes yield, and what of them.
    pub(crate) plastic: Option<(Plasticity, Flows)>,
    /// Whether its rows are those of joints.
    joint: bool,
    /// Shared with the plan before, where nothing of it is another.
    pub(crate) batches: Arc<Batches>,
    /// The rows of each body, in the order in which it gave them, and the body; those of joints are in none.
    pub(crate) parts: Vec<(usize, Range<usize>)>,
    /// Colors, or wavefronts, in the cell that has most.
    pub(crate) colors: usize,
    /// Its packs of multipliers among all, where they are kept from sweep to sweep.
    pub(crate) kept: Range<usize>,
    /// If they yield: its packs of parameters among all that a state holds.
    pub(crate) flowed: Range<usize>,
    /// If they soften or break: its packs of accumulated strains among all that a state holds, two a batch.
    pub(crate) accumulated: Range<usize>,
    /// If they yield: what these packs belong to, the kind with each row's particles and place.
    pub(crate) rows_hash: u64,
}

impl Family {
    /// Whether the first parameter is a length, so that C / length is a stretch.
    pub(crate) fn is_length(&self) -> bool {
        self.kind.params().first().is_some_and(|p| p.name == "length")
    }

    /// The two particles of each row of some batches, and its length, where a row has a length between two; behind
    /// their batch and the row's number.
    pub(crate) fn edges(&self, batches: Range<usize>) -> impl Iterator<Item = (usize, (usize, [u32; 2], f32))> {
        let between = self.is_length() && self.kind.slots() == 2 || self.kind.is(&kinds::STRETCH_SHEAR);
        let rows = between.then(|| self.batches.each_in(batches));
        rows.into_iter().flatten().map(|(batch, lane, row)| {
            let edge = [0, 1].map(|slot| self.batches.particle(batch, slot, lane));
            (batch, (row, edge, self.batches.rest(batch)[0].0[lane]))
        })
    }
}

/// The row of a body's vertex, or if it is one (second) of its frame.
pub(crate) type RowOf<'a> = dyn Fn(u32, bool) -> u32 + 'a;

/// The key of a family.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) kind: Kind,
    pub(crate) xpbd: bool,
    averaged: bool,
    pub(crate) damping: f32,
    plastic: Option<(Plasticity, Flows)>,
    /// Whether its rows are those of joints.
    joint: bool,
}

impl Key {
    /// Of the rows of a body that is solved by a method.
    pub(crate) fn of_body(c: &Constraints, method: Method) -> Key {
        let plastic = c.plasticity.and_then(|plasticity| Some((plasticity, flows(&c.kind)?)));
        let xpbd = matches!(c.stiffness, Stiffness::Compliance(_));
        let averaged = matches!(method, Method::Jacobi { .. });
        Key { kind: c.kind, xpbd, averaged, damping: c.damping, plastic, joint: false }
    }

    /// Of the rows of a joint whose bodies are solved by a method.
    pub(crate) fn of_joint(c: &Constraints, method: Method) -> Key {
        Key { joint: true, ..Key::of_body(c, method) }
    }

    pub(crate) fn is(&self, other: &Key) -> bool {
        self.averaged == other.averaged && self.is_but_for_method(other)
    }

    pub(crate) fn is_but_for_method(&self, other: &Key) -> bool {
        (self.xpbd, self.joint) == (other.xpbd, other.joint)
            && self.kind.is(&other.kind)
            && self.damping == other.damping
            && self.plastic == other.plastic
    }

    /// Particles and parameters of a row.
    pub(crate) fn shape(&self) -> [usize; 2] {
        [self.kind.slots(), self.kind.params().len()]
    }

    /// Families in order of first appearance over the bodies, and behind them over joints. Two that differ by the
    /// method alone stand beside each other: so the families of each body are in the order of a scene of one method.
    pub(crate) fn all<'a>(
        bodies: impl Iterator<Item = (&'a Constraints, Method)>,
        joints: impl Iterator<Item = (&'a Constraints, Method)>,
    ) -> Vec<Key> {
        let mut keys: Vec<Key> = Vec::new();
        let bodies = bodies.map(|(c, method)| (c, Key::of_body(c, method)));
        let all = bodies.chain(joints.map(|(c, method)| (c, Key::of_joint(c, method))));
        for key in all.filter(|(c, _)| !c.at.is_empty()).map(|(_, key)| key) {
            if !keys.iter().any(|other| other.is(&key)) {
                let beside = keys.iter().position(|other| other.is_but_for_method(&key));
                keys.insert(beside.map_or(keys.len(), |first| first + 1), key);
            }
        }
        keys
    }
}

/// A family's rows of a section while they are collected.
pub(crate) struct Unpacked {
    key: Key,
    /// The rows of each body.
    pub(crate) parts: Vec<(usize, Range<usize>)>,
    at: Vec<u32>,
    rest: Vec<f32>,
    soft: Vec<f32>,
    /// Fixed particles that many rows have, ascending.
    pub(crate) shared: Vec<u32>,
}

impl Unpacked {
    pub(crate) fn new(key: &Key) -> Unpacked {
        let (parts, at, rest, soft, shared) = Default::default();
        Unpacked { key: *key, parts, at, rest, soft, shared }
    }

    /// Adds rows, of a body or of a joint.
    pub(crate) fn add(&mut self, body: Option<usize>, c: &Constraints, row_of: &RowOf<'_>, iterations: u32) {
        let xpbd = self.key.xpbd;
        let softness = |k: f32| if xpbd { k } else { per_iteration(k, iterations) };
        let first = self.soft.len();
        match (self.parts.last_mut(), body) {
            (Some((last, rows)), Some(body)) if *last == body => rows.end = first + c.rows(),
            (_, Some(body)) => self.parts.push((body, first..first + c.rows())),
            (_, None) => {}
        }
        let (slots, points) = (c.kind.slots(), c.kind.points());
        self.at.extend(c.at.iter().enumerate().map(|(i, &number)| row_of(number, i % slots >= points)));
        self.soft.extend((0..c.rows()).map(|row| softness(c.stiffness.values().get(row))));
        for row in c.rest.chunks_exact(c.kind.params().len().max(1)) {
            self.rest.extend(c.kind.params().iter().zip(row).map(|(p, &v)| if p.soft { softness(v) } else { v }));
        }
    }

    /// Finds the fixed particles that more than `HUB_ROWS` rows have: nothing moves them, so these rows need not wait
    /// for each other.
    pub(crate) fn share(&mut self, is_fixed: impl Fn(u32) -> bool) {
        let mut fixed: Vec<u32> = self.at.iter().copied().filter(|&p| is_fixed(p)).collect();
        fixed.sort_unstable();
        self.shared = fixed.chunk_by(|a, b| a == b).filter(|same| same.len() > HUB_ROWS).map(|same| same[0]).collect();
    }

    /// Particles of all rows.
    pub(crate) fn rows(&self) -> FamilyRows<'_> {
        FamilyRows { slots: self.key.kind.slots(), at: &self.at, shared: &self.shared }
    }

    /// Packs the rows; `lane_maps` tells the order, `borders` as [`Batches::pack`].
    pub(crate) fn pack(self, lane_maps: &[[u32; BATCH]], layouts: &[Layout], borders: &[u32]) -> Batches {
        let [slots, params] = self.key.shape();
        let arrays =
            RowArrays { slots, params, at: &self.at, rest: &self.rest, soft: &self.soft, shared: &self.shared };
        Batches::pack(arrays, lane_maps, layouts, borders).expect("bodies are checked and batches independent")
    }
}

impl Family {
    /// Of a key: `kept` are its packs of multipliers.
    pub(crate) fn new(
        key: &Key,
        batches: Arc<Batches>,
        parts: Vec<(usize, Range<usize>)>,
        (colors, kept): (usize, Range<usize>),
        [flowed_before, accumulated_before]: [usize; 2],
    ) -> Family {
        let Key { kind, xpbd, averaged, damping, plastic, joint } = *key;
        let packs = if plastic.is_some() { batches.rests(0..batches.len()).len() } else { 0 };
        let flowed = flowed_before..flowed_before + packs;
        let sums = if plastic.is_some_and(|(of, _)| of.accumulates()) { 2 * batches.len() } else { 0 };
        let accumulated = accumulated_before..accumulated_before + sums;
        let rows_hash = if plastic.is_some() { rows_hash(&kind, &batches) } else { 0 };
        Family {
            kind,
            xpbd,
            averaged,
            damping,
            plastic,
            joint,
            batches,
            parts,
            colors,
            kept,
            flowed,
            accumulated,
            rows_hash,
        }
    }

    /// The key that tells it from others.
    pub(crate) fn key(&self) -> Key {
        let Family { kind, xpbd, averaged, damping, plastic, joint, .. } = *self;
        Key { kind, xpbd, averaged, damping, plastic, joint }
    }

    /// The rows of a body, if it has any.
    pub(crate) fn rows_of(&self, body: usize) -> Option<Range<usize>> {
        self.parts.iter().find(|(of, _)| *of == body).map(|(_, rows)| rows.clone())
    }

    /// How soft the rows are, a pack a batch, as the plan says.
    pub(crate) fn soft(&self) -> Vec<Pack<f32>> {
        (0..self.batches.len()).map(|batch| *self.batches.soft(batch)).collect()
    }

    /// Writes how stiff some rows are: values from the one given on.
    pub(crate) fn soften(
        &self,
        soft: &mut [Pack<f32>],
        rows: Range<usize>,
        (values, first): (&Values, usize),
        iterations: u32,
    ) {
        for (batch, lane, row) in self.batches.each().filter(|(.., row)| rows.contains(row)) {
            let value = values.get(first + row - rows.start);
            soft[batch].0[lane] = if self.xpbd { value } else { per_iteration(value, iterations) };
        }
    }
}

/// k' = 1 - (1 - k)^(1 / n): after n projections 1 - k remains of a lone constraint (Müller et al. 2007, section 3.3).
pub(super) fn per_iteration(k: f32, iterations: u32) -> f32 {
    (1.0 - libm::pow(1.0 - f64::from(k), 1.0 / f64::from(iterations))) as f32
}

/// What parameters that have flowed belong to: the kind, and each row's particles and place.
fn rows_hash(kind: &Kind, batches: &Batches) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(kind.name().as_bytes());
    batches.rows_as_bytes(|bytes| hash.update(bytes));
    hash.digest()
}
