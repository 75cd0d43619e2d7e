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
use std::sync::{Arc, OnceLock};

/// Takes each state one step further, several at once: each by one thread, whose caches hold it for the whole step. The
/// results are those of [`step`], bit for bit.
///
/// A state that has torn goes on in a plan of its own, as in a [`crate::Solver`]: [`BatchScratch::plan`]. The place of
/// a state among the others tells whose that plan is, so keep their order; one that has moved is planned anew.
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
    let BatchScratch { workers, scratches, base, torn, reports } = batch;
    if base.get().is_some_and(|base| !base.is_interchangeable(plan)) {
        *base = OnceLock::new();
    }
    let plans = (plan, &*base);
    reports.resize_with(states.len(), Report::default);
    torn.resize_with(states.len(), || None);
    let (count, scratches) = (states.len(), Shared::new(scratches));
    let (states, torn, shared_reports) = (Shared::new(states), Shared::new(torn), Shared::new(reports));
    workers.run(|crew| {
        crew.each_by(count, |me, i| {
            let input = inputs.get(i).unwrap_or(&inputs[0]);
            // SAFETY: a state, what it has torn into and its report are this closure's alone, a scratch its worker's,
            // who runs one closure at a time.
            unsafe {
                let (state, scratch) = (&mut states.part(i, 1)[0], &mut scratches.part(me, 1)[0]);
                shared_reports.part(i, 1)[0] = step_one(plans, state, input, (scratch, &mut torn.part(i, 1)[0]));
            }
        });
    });
    Ok(reports)
}

/// The plan and the scratch of a state that has torn.
#[derive(Debug)]
struct TornState {
    /// The plan of all states that it began with.
    base: Arc<Plan>,
    plan: Plan,
    scratch: Scratch,
}

/// Takes a state one step further, by its own plan if it has torn. `base` is the plan of all, once one has torn.
fn step_one(
    (plan, base): (&Plan, &OnceLock<Arc<Plan>>),
    state: &mut State,
    input: &Input,
    (scratch, torn): (&mut Scratch, &mut Option<TornState>),
) -> Report {
    let base = || base.get_or_init(|| Arc::new(plan.clone()));
    let report = if plan.is_torn_as(state) {
        *torn = None;
        step(plan, state, input, scratch)
    } else {
        match TornState::of(torn.take(), base(), state, scratch) {
            Ok(of) => {
                let TornState { plan, scratch, .. } = torn.insert(of);
                step(plan, state, input, scratch)
            }
            Err(error) => Report { rejected: Some(error), ..Report::default() },
        }
    };
    if !report.torn.is_empty() {
        // If it cannot be planned, the next step says why.
        *torn = TornState::of(torn.take(), base(), state, scratch).ok();
    }
    report
}

impl TornState {
    /// Of a state that has torn; `before` is what it had torn into. `scratch` is one of the base's.
    fn of(before: Option<TornState>, base: &Arc<Plan>, state: &State, scratch: &Scratch) -> Result<TornState, Error> {
        let Some(mut before) = before.filter(|before| Arc::ptr_eq(&before.base, base)) else {
            let plan = base.torn_into(state)?;
            return Ok(TornState { base: Arc::clone(base), scratch: Scratch::new(&plan, scratch.execution()), plan });
        };
        if before.plan.is_torn_as(state) {
            return Ok(before);
        }
        let plan = before.plan.torn(state)?;
        Ok(TornState { scratch: before.scratch.for_plan(&plan), plan, ..before })
    }
}

/// Working memory of [`step_many`]: a [`Scratch`] for each thread, and the threads; for each state that has torn, a
/// plan and a scratch, and a copy of the plan that they began with.
#[derive(Debug)]
pub struct BatchScratch {
    workers: Workers,
    scratches: Vec<Scratch>,
    /// The plan that states which have torn began with.
    base: OnceLock<Arc<Plan>>,
    /// Of each state its own plan, if it has torn.
    torn: Vec<Option<TornState>>,
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
        BatchScratch { workers, scratches, base: OnceLock::new(), torn: Vec::new(), reports: Vec::new() }
    }

    /// The plan that the state at a place has torn into in the last [`step_many`]; none if it has not. It tells the
    /// triangles of what is left, and the vertices behind those that a body begins with.
    #[must_use]
    pub fn plan(&self, state: usize) -> Option<&Plan> {
        self.torn.get(state)?.as_ref().map(|of| &of.plan)
    }

    /// Threads in use, the caller's included.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.count()
    }
}
