//! Many states of one plan: parallel environments.

use crate::describe::error::Error;
use crate::plan::Plan;
use crate::run::input::Input;
use crate::run::report::Report;
use crate::run::scratch::{Execution, Scratch};
use crate::run::state::State;
use crate::run::step::step;
use seidel_kernels::Shared;
use seidel_workers::{Pool, Workers};

/// Takes each state one step further, several at once: each by one thread, whose caches hold it for the whole step. The
/// results are those of [`step`], bit for bit.
///
/// `inputs` has one entry for each state, or a single one for all. The reports, one a state, are those of the same
/// step; they are overwritten by the next call.
///
/// # Errors
/// If there is neither one input nor one for each state; then nothing is stepped.
///
/// # Example
/// ```
/// use seidel::{Cloth, BatchScratch, Execution, Input, Plan, Scene, State, step_many};
/// let mut scene = Scene::new();
/// scene.add(Cloth::grid([8, 8], [1.0, 1.0]));
/// let plan = Plan::new(&scene)?;
/// let mut states = vec![State::new(&plan); 100];
/// let mut batch = BatchScratch::new(&plan, Execution::default());
/// let reports = step_many(&plan, &mut states, &[Input::frame(0.01)], &mut batch)?;
/// assert!(reports.len() == 100 && reports.iter().all(|report| report.rejected.is_none()));
/// # Ok::<(), seidel::Error>(())
/// ```
pub fn step_many<'a>(
    plan: &Plan,
    states: &mut [State],
    inputs: &[Input],
    batch: &'a mut BatchScratch,
) -> Result<&'a [Report], Error> {
    if inputs.len() != 1 && inputs.len() != states.len() {
        return Err(Error::Inputs { states: states.len(), inputs: inputs.len() });
    }
    let BatchScratch { workers, scratches, reports } = batch;
    reports.resize_with(states.len(), Report::default);
    let (count, scratches) = (states.len(), Shared::new(scratches));
    let (states, shared_reports) = (Shared::new(states), Shared::new(reports));
    workers.run(|crew| {
        crew.each_by(count, |me, i| {
            let input = inputs.get(i).unwrap_or(&inputs[0]);
            // SAFETY: a state and its report are this closure's alone, a scratch its worker's, who runs one closure at
            // a time.
            unsafe {
                let (state, scratch) = (&mut states.part(i, 1)[0], &mut scratches.part(me, 1)[0]);
                shared_reports.part(i, 1)[0] = step(plan, state, input, scratch);
            }
        });
    });
    Ok(reports)
}

/// Working memory of [`step_many`]: a [`Scratch`] for each thread, and the threads.
#[derive(Debug)]
pub struct BatchScratch {
    workers: Workers,
    scratches: Vec<Scratch>,
    reports: Vec<Report>,
}

impl BatchScratch {
    /// Working memory for any number of states of a plan.
    #[must_use]
    pub fn new(plan: &Plan, execution: Execution) -> BatchScratch {
        BatchScratch::with(plan, execution, Workers::new(execution.threads.clamp(1, 1024)))
    }

    /// The same with a pool's threads: see [`Scratch::in_pool`].
    #[must_use]
    pub fn in_pool(plan: &Plan, execution: Execution, pool: Pool) -> BatchScratch {
        BatchScratch::with(plan, execution, Workers::in_pool(execution.threads.clamp(1, 1024), pool))
    }

    fn with(plan: &Plan, execution: Execution, workers: Workers) -> BatchScratch {
        let alone = execution.threads(1);
        let scratches = (0..workers.count()).map(|_| Scratch::new(plan, alone)).collect();
        BatchScratch { workers, scratches, reports: Vec::new() }
    }

    /// Threads in use, the caller's included.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.count()
    }
}
