//! Every order in which a caller and a helper can take turns:
//! `RUSTFLAGS="--cfg loom" cargo test -p seidel-workers --release --lib`.
//!
//! Blocks write cells that are not atomic: loom finds two accesses that nothing orders.

use super::*;
use loom::cell::UnsafeCell;

/// Cells that blocks write; which, the sequences below fix.
struct Cells(Vec<UnsafeCell<u32>>);

// SAFETY: for loom to judge: it tracks every access.
unsafe impl Sync for Cells {}

impl Cells {
    fn new(count: usize) -> Cells {
        Cells((0..count).map(|_| UnsafeCell::new(0)).collect())
    }

    fn add(&self, cell: usize, value: u32) {
        // SAFETY: loom panics if another thread is at the cell.
        self.0[cell].with_mut(|at| unsafe { *at += value });
    }

    fn get(&self, cell: usize) -> u32 {
        // SAFETY: loom panics if another thread writes the cell.
        self.0[cell].with(|at| unsafe { *at })
    }
}

fn model(preemptions: usize, job: fn(&mut Workers)) {
    model_of(2, preemptions, job);
}

fn model_of(threads: usize, preemptions: usize, job: fn(&mut Workers)) {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = threads;
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(move || job(&mut Workers::new(threads)));
}

/// Every block runs once, and the caller sees what all have written.
#[test]
fn a_stage_ends_when_its_blocks_have() {
    model(3, |workers| {
        let cells = Cells::new(2);
        workers.run(|crew| {
            crew.each(2, |block| cells.add(block, 1));
            assert_eq!([cells.get(0), cells.get(1)], [1, 1]);
        });
    });
}

/// Each stage of a sequence reads what all blocks of the one before have written.
#[test]
fn stages_in_turn_are_ordered() {
    model(3, |workers| {
        let cells = Cells::new(6);
        workers.run(|crew| {
            crew.in_turn(
                3,
                |_| 2,
                |stage, block| match stage {
                    0 => cells.add(block, 1),
                    _ => cells.add(2 * stage + block, cells.get(2 * stage - 2) + cells.get(2 * stage - 1)),
                },
            );
            assert_eq!([cells.get(4), cells.get(5)], [4, 4]);
        });
    });
}

/// Two sequences in two regions: a claim of the first, read late, takes nothing of the second.
#[test]
fn regions_follow_one_another() {
    model(2, |workers| {
        let cells = Cells::new(2);
        for round in 1..3 {
            workers.run(|crew| crew.each(2, |block| cells.add(block, 1)));
            assert_eq!([cells.get(0), cells.get(1)], [round, round]);
        }
    });
}

/// Fewer blocks than workers: a seat without blocks is not written when others have gone on to a stage that has some
/// for it.
#[test]
fn seats_without_blocks_are_left_alone() {
    model_of(3, 1, |workers| {
        let cells = Cells::new(3);
        workers.run(|crew| {
            crew.in_turn(2, |stage| 2 + stage, |_, block| cells.add(block, 1));
            assert_eq!([0, 1, 2].map(|cell| cells.get(cell)), [2, 2, 1]);
        });
    });
}
