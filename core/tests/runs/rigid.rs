//! Scenes with rigid bodies.

use super::FRAME;
use seidel::{Execution, Input, Isa, Plan, Pose, Report, RigidId, Scratch, Solver, State, step};

/// So many seconds without input, in which nothing is lost.
pub fn run(solver: &mut Solver, seconds: f32) {
    for _ in 0..(seconds / FRAME).round() as u32 {
        nothing_is_lost(&solver.step(&Input::frame(FRAME)));
    }
}

/// Where a rigid body's frame is.
pub fn pose(solver: &Solver, body: RigidId) -> Pose {
    solver.state().rigid_pose(solver.plan(), body)
}

/// All lanes, some numbers of threads, and working memory that is poisoned before each step come to the same bits.
/// Returns the reports of a run.
pub fn same_bits_everywhere(plan: &Plan, frames: usize) -> Vec<Report> {
    let run = |isa, threads, poison| {
        let (mut state, mut scratch) = (State::new(plan), Scratch::new(plan, Execution::new(isa, threads)));
        assert_eq!(scratch.threads(), threads);
        let mut reports = Vec::new();
        for _ in 0..frames {
            if poison {
                scratch.poison();
            }
            reports.push(step(plan, &mut state, &Input::frame(FRAME), &mut scratch));
        }
        reports.iter().for_each(nothing_is_lost);
        (state.hash(), reports)
    };
    let (first, reports) = run(Isa::available()[0], 1, false);
    for isa in Isa::available() {
        assert_eq!(run(isa, 1, isa == Isa::PORTABLE).0, first, "{isa}");
    }
    for threads in [2, 3, 8] {
        assert_eq!(run(Isa::detect(), threads, threads == 3).0, first, "{threads} threads");
    }
    reports
}

fn nothing_is_lost(report: &Report) {
    let all_there = report.rejected.is_none() && report.lost_rigid.is_none() && report.lost.is_none();
    assert!(all_there, "{report:?}");
}
