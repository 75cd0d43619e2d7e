//! A family: all rows of one kind in a plan, of all bodies, colored and packed.

use super::color;
use crate::body::{Body, Constraints, Stiffness};
use crate::tuning::{MAX_PARALLEL_COLORS, MIN_PARALLEL_BATCHES};
use seidel_kernels::{Batches, Kind, RowArrays};
use std::ops::Range;

/// Batches that are solved one stage after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// The batches.
    pub(crate) batches: Range<usize>,
    /// True if they are independent of each other; otherwise one worker solves them in order.
    pub(crate) parallel: bool,
}

/// Stages of colored batches: small colors share a serial one.
pub(crate) fn stages(batches: &Batches) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    for (color, range) in batches.colors().iter().enumerate() {
        let parallel = range.len() >= MIN_PARALLEL_BATCHES && color < MAX_PARALLEL_COLORS;
        match stages.last_mut() {
            Some(last) if !parallel && !last.parallel => last.batches.end = range.end,
            _ => stages.push(Stage { batches: range.clone(), parallel }),
        }
    }
    stages
}

/// All rows of one kind and mode.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) kind: Kind,
    /// XPBD: the rows' numbers are compliances; PBD: they are k'.
    pub(crate) xpbd: bool,
    pub(crate) batches: Batches,
    pub(crate) stages: Vec<Stage>,
    /// Parameters and compliances in row order, for reports.
    pub(crate) rest: Vec<f32>,
    pub(crate) soft: Vec<f32>,
    /// Particles of each row, in row order, where a row is a length between two; empty otherwise. For pictures.
    pub(crate) edges: Vec<[u32; 2]>,
}

impl Family {
    /// Whether the first parameter is a length, so that C / length is a stretch.
    pub(crate) fn is_length(&self) -> bool {
        is_length(&self.kind)
    }

    /// Packs of multipliers that are kept from iteration to iteration.
    pub(crate) fn kept(&self, iterations: u32) -> usize {
        if self.xpbd && iterations > 1 { self.batches.len() * self.kind.multipliers() } else { 0 }
    }
}

fn is_length(kind: &Kind) -> bool {
    kind.params().first().is_some_and(|p| p.name == "length")
}

/// A family while bodies are added to it.
pub(crate) struct Rows {
    kind: Kind,
    xpbd: bool,
    at: Vec<u32>,
    rest: Vec<f32>,
    soft: Vec<f32>,
}

impl Rows {
    fn new(kind: Kind, xpbd: bool) -> Rows {
        Rows { kind, xpbd, at: Vec::new(), rest: Vec::new(), soft: Vec::new() }
    }

    /// Adds a body's rows; `particle` tells a vertex's particle.
    fn add(&mut self, c: &Constraints, particle: impl Fn(u32) -> u32, iterations: u32) {
        let softness = |k: f32| if self.xpbd { k } else { per_iteration(k, iterations) };
        self.at.extend(c.at.iter().map(|&v| particle(v)));
        self.soft.extend((0..c.rows()).map(|row| softness(c.stiffness.values().get(row))));
        for row in c.rest.chunks_exact(c.kind.params().len().max(1)) {
            self.rest.extend(c.kind.params().iter().zip(row).map(|(p, &v)| if p.soft { softness(v) } else { v }));
        }
    }

    fn pack(self, particles: usize) -> Family {
        let (slots, params) = (self.kind.slots(), self.kind.params().len());
        let mut colors = color::greedy(slots, &self.at, particles);
        // Inside a color the order is free: neighbours in memory follow one another.
        for rows in &mut colors {
            let lowest = |row: &u32| self.at[*row as usize * slots..][..slots].iter().copied().min();
            rows.sort_by_key(|row| (lowest(row), *row));
        }
        let arrays = RowArrays { slots, params, at: &self.at, rest: &self.rest, soft: &self.soft };
        let batches = Batches::pack(arrays, &colors, particles).expect("bodies are checked and colors independent");
        let stages = stages(&batches);
        let pairs = is_length(&self.kind) && slots == 2;
        let edges = if pairs { bytemuck::cast_slice(&self.at).to_vec() } else { Vec::new() };
        Family { kind: self.kind, xpbd: self.xpbd, batches, stages, rest: self.rest, soft: self.soft, edges }
    }
}

/// k' = 1 - (1 - k)^(1 / n): after n projections 1 - k remains of a lone constraint (Müller et al. 2007, section 3.3).
fn per_iteration(k: f32, iterations: u32) -> f32 {
    (1.0 - libm::pow(1.0 - f64::from(k), 1.0 / f64::from(iterations))) as f32
}

/// Families in order of first appearance over the bodies.
pub(crate) fn families<'a>(
    bodies: impl Iterator<Item = (&'a Body, &'a dyn Fn(u32) -> u32)>,
    particles: usize,
    iterations: u32,
) -> Vec<Family> {
    let mut families: Vec<Rows> = Vec::new();
    for (body, particle) in bodies {
        for c in body.constraints.iter().filter(|c| !c.at.is_empty()) {
            let xpbd = matches!(c.stiffness, Stiffness::Compliance(_));
            let same = |f: &Rows| f.kind.is(&c.kind) && f.xpbd == xpbd;
            let i = families.iter().position(same).unwrap_or_else(|| {
                families.push(Rows::new(c.kind, xpbd));
                families.len() - 1
            });
            families[i].add(c, particle, iterations);
        }
    }
    families.into_iter().map(|rows| rows.pack(particles)).collect()
}
