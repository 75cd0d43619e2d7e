//! Orders to compare the engine's own with: the same rows, particles, steps and kernels in another sequence.
//!
//! For measurements alone ([`Plan::in_order`](super::Plan::in_order)); every scene is planned with the first.

use super::color::Coloring;
use super::patch::{BatchRange, FamilyRows, Patch, Schedule};
use super::sweep::Order;
use seidel_kernels::BATCH;

impl Schedule {
    /// All rows as one patch: family after family, color after color.
    pub(super) fn unbroken(families: &[FamilyRows<'_>], particles: usize, order: Order) -> Schedule {
        let mut schedule = Schedule::default();
        for (family, rows) in families.iter().enumerate() {
            let of = |row: usize| &rows.at[row * rows.slots..][..rows.slots];
            let all = rows.at.chunks_exact(rows.slots).map(|at| at.iter().copied());
            let colors = match order {
                Order::Listed => Coloring::new(particles).wavefronts(all),
                _ => Coloring::new(particles).of(all),
            };
            let mut sorted: Vec<usize> = (0..colors.len()).collect();
            sorted.sort_by_key(|&row| (colors[row], of(row).iter().copied().min(), row));
            let mut lane_maps: Vec<[u32; BATCH]> = Vec::new();
            for color in sorted.chunk_by(|&a, &b| colors[a] == colors[b]) {
                let rows: Vec<u32> = color.iter().map(|&row| row as u32).collect();
                lane_maps.extend(seidel_kernels::in_sixteens(&rows));
            }
            schedule.batch_ranges.push(BatchRange { family, batches: 0..lane_maps.len() });
            schedule.colors.push(colors.iter().max().map_or(0, |most| *most as usize + 1));
            schedule.lane_maps.push(lane_maps);
        }
        let all: Patch = 0..schedule.batch_ranges.len();
        schedule.stages.push(Vec::from([all]));
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::scene::Scene;
    use crate::plan::Plan;
    use crate::{Cloth, Execution, Input, Rope, Solver, State};
    use std::sync::Arc;

    #[test]
    fn every_order_solves_every_row_once_whatever_the_threads() {
        let mut scene = Scene::new();
        scene.settings.iterations = 2;
        scene.settings.substeps = 2.into();
        scene.add(Cloth::grid([80, 70], [1.0, 1.0]).bend(1e3).pin(&[0, 79]));
        scene.add(Rope::new([3.0, 0.0, 0.0], [4.0, 0.0, 0.0], 70).pin(&[0]));
        let orders = [Order::Patches, Order::ColoredPatches, Order::Registers, Order::Greedy, Order::Listed];
        let mut hashes: Vec<u64> = Vec::new();
        for order in orders {
            let plan = Arc::new(Plan::in_order(&scene, order).unwrap());
            assert_eq!(
                plan.families().map(|f| f.1).sum::<usize>(),
                Plan::new(&scene).unwrap().families().map(|f| f.1).sum()
            );
            let run = |threads: usize| {
                let execution = Execution::default().threads(threads);
                let mut solver = Solver::with(Arc::clone(&plan), execution);
                (0..3).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
                assert!(State::new(&plan).hash() != solver.state().hash());
                solver.state().hash()
            };
            let hash = run(1);
            assert_eq!(hash, run(3), "{order:?}");
            assert!(!hashes.contains(&hash), "{order:?} is another's");
            hashes.push(hash);
        }
    }
}
