//! Rows to check a kind on.

use super::random::{self, Random, rotation, shape};
use crate::{
    BATCH, Batches, Isa, Kind, Layout, NO_ROW, Pack, Particles, Reference, RowArrays, Rows, Sweep, in_sixteens,
};
use seidel_workers::Shared;

/// Of its displacement is what a particle's position lacked before the substep: so far it has not moved.
const ROUNDED: f32 = 0.25;

/// What a sweep solves: positions in PBD or XPBD, or rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softened {
    pub(super) inv_h2: f32,
    pub(super) rates: bool,
}

impl Softened {
    pub(super) const PBD: Softened = Softened::xpbd(0.0);

    pub(super) const fn xpbd(inv_h2: f32) -> Softened {
        Softened { inv_h2, rates: false }
    }

    pub(super) const fn rates(inv_h2: f32) -> Softened {
        Softened { inv_h2, rates: true }
    }
}

/// Rows of one kind on particles of their own, so that all are independent.
#[derive(Default)]
pub(super) struct Case {
    pub(super) x: Rows,
    pub(super) u: Rows,
    pub(super) at: Vec<u32>,
    pub(super) rest: Vec<f32>,
    pub(super) soft: Vec<f32>,
    pub(super) lane_maps: Vec<[u32; BATCH]>,
    pub(super) layouts: Vec<Layout>,
}

impl Case {
    pub(super) fn random(kind: &Kind, rows: usize, random: &mut Random) -> Case {
        let particles = (rows * kind.slots()).next_multiple_of(BATCH);
        let (mut x, mut u) = (Rows::zeros(particles, 0), Rows::zeros(particles, 16));
        for i in 0..particles {
            // Every seventh particle is fixed.
            let w = if i % 7 == 3 { 0.0 } else { (random.unit() + 1.5) as f32 };
            x[i] = [random.unit() as f32, random.unit() as f32, random.unit() as f32, w];
            u[i] = std::array::from_fn(|k| if k < 3 { random.unit() as f32 * 0.01 } else { 0.0 });
            if i % kind.slots() >= kind.points() {
                x[i] = rotation(random).map(|c| c as f32);
                u[i][3] = w;
            }
        }
        let at = (0..(rows * kind.slots()) as u32).collect();
        let mut rest: Vec<f32> = (0..rows)
            .flat_map(|_| kind.params())
            .map(|p| {
                let (min, max) = (p.min.max(-3.0), p.max.min(3.0));
                let value = min + (max - min) * (random.unit() as f32 * 0.5 + 0.5);
                // Of a material any value will do, and of lengths no negative one.
                if p.usual.is_some() { value } else { value.abs() }
            })
            .collect();
        // Several belong together: those of another random shape.
        let params = kind.params().len();
        for row in rest.chunks_exact_mut(params.max(1)).filter(|_| params > 1) {
            if kind.has_frames() {
                random::rest(kind, random, row);
            } else {
                let _ = kind.at_rest(&shape(kind, random), row);
            }
        }
        let soft = (0..rows).map(|row| if row % 5 == 0 { 0.0 } else { random.unit().abs() as f32 * 0.5 }).collect();
        let rows: Vec<u32> = (0..rows as u32).collect();
        let layouts = vec![Layout::Rows; particles / BATCH];
        Case { x, u, at, rest, soft, lane_maps: in_sixteens(&rows), layouts }
    }

    /// The same rows on particles in lanes: `place` tells the block and lane of a slot of a row from its batch and
    /// lane.
    pub(super) fn in_lanes(&self, slots: usize, lanes: usize, place: impl Fn(usize, usize) -> usize) -> Case {
        let rows = self.soft.len();
        let count = rows.div_ceil(lanes);
        // A register that begins inside of a block ends in the next: one more.
        let blocks = count * slots + 1;
        let (mut x, mut u) = (Rows::zeros(blocks * BATCH, 0), Rows::zeros(blocks * BATCH, 16));
        let mut case =
            Case { at: self.at.clone(), rest: self.rest.clone(), soft: self.soft.clone(), ..Case::default() };
        for row in 0..rows {
            for slot in 0..slots {
                let (from, lane) = (self.at[row * slots + slot] as usize, place(row % lanes, slot));
                let to = (row / lanes * slots + slot) * BATCH + lane;
                case.at[row * slots + slot] = to as u32;
                Layout::Lanes.write(&mut x, to, self.x[from]);
                Layout::Lanes.write(&mut u, to, self.u[from]);
            }
        }
        let rows: Vec<u32> = (0..rows as u32).collect();
        let lane_map = |rows: &[u32]| std::array::from_fn(|lane| rows.get(lane).copied().unwrap_or(NO_ROW));
        Case {
            x,
            u,
            lane_maps: rows.chunks(lanes).map(lane_map).collect(),
            layouts: vec![Layout::Lanes; blocks],
            ..case
        }
    }

    pub(super) fn batches(&self, kind: &Kind) -> Result<Batches, String> {
        let arrays = RowArrays {
            slots: kind.slots(),
            params: kind.params().len(),
            at: &self.at,
            rest: &self.rest,
            soft: &self.soft,
            shared: &[],
        };
        Batches::pack(arrays, &self.lane_maps, &self.layouts, &[]).map_err(|e| e.to_string())
    }

    /// Where a particle is that a sweep solves: x + u, or with rates x + r.
    pub(super) fn point(&self, i: u32, k: usize, rates: bool) -> f64 {
        let u = f64::from(self.u[i as usize][k]);
        f64::from(self.x[i as usize][k]) + if rates { u * f64::from(ROUNDED) } else { u }
    }

    /// Sum of a constraint's gradients times how far a row's slots go in a substep.
    pub(super) fn rate(&self, at: &[u32], gradients: &[[f64; 3]]) -> f64 {
        let moved = |i: u32, k: usize| f64::from(self.u[i as usize][k]);
        at.iter().zip(gradients).map(|(&i, g)| (0..3).map(|k| g[k] * moved(i, k)).sum::<f64>()).sum()
    }

    /// Gives a row the parameters of its own shape; metres that it is from rest with them, if C grows by 1 a metre or
    /// more.
    pub(super) fn put_at_rest(&mut self, kind: &Kind, row: usize) -> f64 {
        let (slots, params) = (kind.slots(), kind.params().len());
        let first = row * slots;
        // As a kernel sees them: relative to the first, displacements added.
        let p: Vec<[f32; 3]> = (first..first + slots)
            .map(|i| {
                let along = |k| (self.x[i][k] - self.x[first][k]) + (self.u[i][k] - self.u[first][k]);
                std::array::from_fn(along)
            })
            .collect();
        let rest = &mut self.rest[row * params..(row + 1) * params];
        let _ = kind.at_rest(&p, rest);
        let p: Vec<[f64; 3]> = p.into_iter().map(|p| p.map(f64::from)).collect();
        let off = |(c, g): Reference| c.abs() / g.iter().flatten().fold(1.0, |a: f64, b| a.max(b.abs()));
        let rest: Vec<f64> = rest.iter().map(|&r| f64::from(r)).collect();
        let each = kind.references(&p, &rest).into_iter().map(off);
        // What is no number is not at rest.
        each.fold(0.0, |most: f64, off| if off <= most { most } else { off })
    }

    /// Displacements and multipliers after some iterations of a sweep.
    pub(super) fn solve(
        &self,
        kind: &Kind,
        isa: Isa,
        Softened { inv_h2, rates }: Softened,
        iterations: usize,
    ) -> Result<(Rows, Vec<f32>), String> {
        let batches = self.batches(kind)?;
        let mut u = self.u.clone();
        let mut r = self.u.clone();
        for i in 0..r.len() {
            let layout = self.layouts.get(i / BATCH).copied().unwrap_or(Layout::Rows);
            // The fourth number of a frame's row is its inverse inertia.
            let [a, b, c, w] = layout.read(&self.u, i);
            layout.write(&mut r, i, [a * ROUNDED, b * ROUNDED, c * ROUNDED, w]);
        }
        let r = Shared::new(&mut r);
        // Never read before written: NaN shows it if one is.
        let mut lambda = vec![Pack([f32::NAN; BATCH]); batches.len() * kind.multipliers()];
        for iteration in 0..iterations {
            let particles = Particles::new(&self.x, &mut u);
            let sweep = Sweep {
                // SAFETY: nobody writes the roundings.
                particles: if rates { unsafe { particles.of_rates(r) } } else { particles },
                lambda: Shared::new(&mut lambda),
                first: rates || iteration == 0,
                inv_h2,
                soft: &[],
                rest: Shared::new(&mut []),
            };
            // SAFETY: all arrays are this function's own.
            unsafe { kind.solve(isa, &batches, 0..batches.len(), sweep) };
        }
        // Row by row: lanes without a row hold multipliers of nobody.
        let mut of_row = vec![0.0; batches.rows() * kind.multipliers()];
        for batch in 0..batches.len() {
            for (lane, &row) in batches.lane_map(batch).iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
                for m in 0..kind.multipliers() {
                    of_row[row as usize * kind.multipliers() + m] = lambda[batch * kind.multipliers() + m].0[lane];
                }
            }
        }
        Ok((u, of_row))
    }
}
