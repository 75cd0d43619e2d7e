//! A hanging cloth with a weight at its hem: what a solver's time buys, in stretch.
//!
//! n x n particles over 3 x 3 m hang from their first row: 0.2 kg/m^2, and a tenth of the cloth's mass in its last row.
//! Gravity points along z, the cloth lies in y = 0. Edges and both diagonals have a compliance of 1e-6 m/N, so the
//! weight by itself would stretch no edge by a ten-thousandth: all stretch that is seen is what the sweeps have left.

use crate::rounds::Contender;
use glam::Vec3;
use seidel::{
    Cloth, Constraints, Error, Execution, GridPins, Input, LongRange, Order, Plan, Scene, Solver, Stiffness, kinds,
};
use std::sync::Arc;
use std::time::Instant;

/// Of a frame, s.
const DT: f32 = 1.0 / 60.0;
/// Side of the cloth, m.
const SIZE: f32 = 3.0;
/// kg/m^2.
const DENSITY: f32 = 0.2;
/// m/N.
const COMPLIANCE: f32 = 1e-6;
/// Mass of the hem over that of the cloth.
const HEM: f32 = 0.1;
/// Part of its velocity that a cloth keeps from frame to frame while it comes to rest. At rest there is none, so it
/// changes nothing in what is measured there.
const KEPT: f32 = 0.9;
/// Frames between two looks at the stretch.
const LOOK: usize = 10;
/// It hangs still when the stretch has changed by less than this part of itself between each of the last [`LOOKS`]
/// looks.
const STILL: f32 = 0.002;
const LOOKS: usize = 4;

/// How a cloth is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// In which order.
    pub order: Order,
    /// Of a frame.
    pub substeps: u32,
    /// Of a substep.
    pub iterations: u32,
    /// Every so many rows of particles, and the last one, are tied to the pins above them by ropes as long as the cloth
    /// between them (long range attachments: Kim, Chentanez, Müller 2012); 0: none.
    pub tethers: u32,
}

/// A cloth, planned to be solved in some way.
#[derive(Clone, Debug)]
pub struct Hanging {
    plan: Arc<Plan>,
    inv_masses: Vec<f32>,
}

/// What a cloth came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Largest (length - rest) / rest of an edge or a diagonal.
    pub stretch: f32,
    /// How much further the middle of the hem hangs than an unstretched cloth's, over the cloth's height.
    pub sag: f32,
    /// Frames that it took.
    pub frames: usize,
    /// False if it was still moving after the last frame that it was given.
    pub still: bool,
    /// Of the state.
    pub hash: u64,
}

impl Hanging {
    /// A cloth of n x n particles.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new(n: u32, way: Way) -> Result<Hanging, Error> {
        let Way { order, substeps, iterations, tethers } = way;
        let mut scene = Scene::new();
        scene.settings.gravity = [0.0, 0.0, 9.81].into();
        scene.settings.substeps = substeps.into();
        scene.settings.iterations = iterations;
        let mut cloth =
            Cloth::grid([n, n], [SIZE, SIZE]).density(DENSITY).stretch(COMPLIANCE).pin_grid(GridPins::FirstRow);
        // Orders of rows are compared: attachments would carry the load.
        cloth = cloth.long_range(LongRange::Off);
        if tethers > 0 {
            let tied = (1..n).filter(|row| row.is_multiple_of(tethers) || row + 1 == n);
            let at = tied.flat_map(|row| (0..n).flat_map(move |i| [i, row * n + i])).collect();
            cloth = cloth.constrain(Constraints::measured(kinds::ROPE, at, Stiffness::compliance(COMPLIANCE)));
        }
        scene.add(cloth);
        // The cloth's mass is spread over n (n - 1) particles that are free.
        let mass = SIZE * SIZE * DENSITY / (n * (n - 1)) as f32;
        let hem = SIZE * SIZE * DENSITY * HEM / n as f32;
        let of_row = |row: u32| match row {
            0 => 0.0,
            row if row + 1 == n => 1.0 / (mass + hem),
            _ => 1.0 / mass,
        };
        let inv_masses = (0..n).flat_map(|row| (0..n).map(move |_| of_row(row))).collect();
        Ok(Hanging { plan: Arc::new(Plan::in_order(&scene, order)?), inv_masses })
    }

    /// Constraints in a sweep.
    #[must_use]
    pub fn constraints(&self) -> usize {
        self.plan.families().map(|(_, constraints, _)| constraints).sum()
    }

    /// As it begins: unstretched, at rest.
    fn start(&self, threads: usize) -> Solver {
        let mut solver = Solver::with(Arc::clone(&self.plan), Execution::default().threads(threads));
        for body in self.plan.body_ids() {
            solver.state_mut().write_inv_masses(&self.plan, body, &self.inv_masses).expect("sane masses");
        }
        solver
    }

    /// Lets it hang until it is still, or for so many frames. On all cores: lanes and threads change nothing in it.
    ///
    /// # Panics
    /// If it flies apart.
    #[must_use]
    pub fn settle(&self, most: usize) -> Rest {
        let (input, body) = (Input::frame(DT), self.plan.body_ids().next().expect("one body"));
        let mut solver = self.start(Execution::default().threads);
        let mut v = vec![Vec3::ZERO; self.inv_masses.len()];
        let mut looks: Vec<f32> = Vec::new();
        let (mut frames, mut still) = (0, false);
        while frames < most && !still {
            solver.step(&input);
            frames += 1;
            if frames % LOOK == 0 {
                looks.push(solver.measure().max_stretch);
                let last = &looks[looks.len().saturating_sub(LOOKS)..];
                still = last.len() == LOOKS && last.windows(2).all(|two| (two[1] - two[0]).abs() < STILL * two[1]);
            }
            solver.state().read_velocities(&self.plan, body, &mut v);
            v.iter_mut().for_each(|v| *v *= KEPT);
            solver.state_mut().write_velocities(&self.plan, body, &v).expect("slow");
        }
        let hem = self.inv_masses.len() - self.inv_masses.len().isqrt() / 2;
        let sag = solver.positions(body)[hem].z / SIZE - 0.5;
        Rest { stretch: solver.measure().max_stretch, sag, frames, still, hash: solver.state().hash() }
    }

    /// One frame after another on one thread, on the widest lanes, ms.
    #[must_use]
    pub fn frames(&self) -> Box<dyn Contender + '_> {
        let mut solver = self.start(1);
        Box::new(move || {
            let start = Instant::now();
            solver.step(&Input::frame(DT));
            start.elapsed().as_nanos() as f64 * 1e-6
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(order: Order, substeps: u32, tethers: u32) -> Rest {
        Hanging::new(24, Way { order, substeps, iterations: 1, tethers }).unwrap().settle(300)
    }

    #[test]
    fn what_is_left_falls_with_the_square_of_the_substeps() {
        for order in [Order::Patches, Order::Greedy, Order::Listed] {
            let (few, many) = (rest(order, 6, 0), rest(order, 12, 0));
            let order_of = (few.stretch / many.stretch).log2();
            assert!(few.still && many.still && (1.6..2.3).contains(&order_of), "{order:?}: {few:?} {many:?}");
        }
        let (free, tied) = (rest(Order::Patches, 6, 0), rest(Order::Patches, 6, 8));
        assert!(tied.stretch < 0.5 * free.stretch && tied.sag < 0.1 * free.sag, "{free:?} {tied:?}");
    }
}
