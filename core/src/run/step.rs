//! The step: Müller et al. 2007, lines 5-16, in substeps (Macklin et al. 2019), read top to bottom.

mod contacts;
mod fields;
mod moments;
mod pairs;
mod turns;

use crate::describe::error::Error;
use crate::describe::settings::{Method, NonFinite, Settings};
use crate::plan::Plan;
use crate::plan::blocks::Cell;
use crate::plan::patch::{Patch, Visit};
use crate::run::contacts::Moving;
use crate::run::counts::Counts;
use crate::run::input::Input;
use crate::run::prescribe::prescribe;
use crate::run::report::{Laps, Lost, Phase, Report};
use crate::run::scratch::Scratch;
use crate::run::state::State;
use crate::run::tethers::Span;
use crate::run::workers::Crew;
use crate::tuning::SAILS_A_BLOCK;
use fields::Solved;
use seidel_kernels::average::Averaging;
use seidel_kernels::damping::Moments;
use seidel_kernels::integrate::air::{Air, Uniform};
use seidel_kernels::integrate::{Advance, Motion, OnLost};
use seidel_kernels::{Isa, Pack, Particles, Shared, Sweep};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Takes a state one step further. It cannot fail: an input that does not fit leaves the state as it is and says so in
/// the report. The result depends on plan, state and input alone: not on lanes, threads or what `scratch` holds.
pub fn step(plan: &Plan, state: &mut State, input: &Input, scratch: &mut Scratch) -> Report {
    if let Err(error) = fits(plan, state, input, scratch) {
        return Report { rejected: Some(error), ..Report::default() };
    }
    if state.stopped {
        return Report { stopped: true, ..Report::default() };
    }
    let substeps = plan.settings.substeps;
    // What was put somewhere may be inside; what has once been outside is kept there.
    state.placed = state.placed && plan.begins_inside(state);
    soften(plan, state, input);
    prescribe(plan, state, input, scratch);
    // The outer forces; those with the air's are what moves particles where it pushes any.
    let outer = Shared::new(if input.forces.is_empty() { &mut [] } else { &mut scratch.force });
    let h = (f64::from(input.dt) / f64::from(substeps)) as f32;
    let motion = Motion {
        x: Shared::new(&mut state.x),
        r: Shared::new(&mut state.r),
        v: Shared::new(&mut state.v),
        u: Shared::new(&mut scratch.u),
        force: if plan.sails.is_some() { Shared::new(&mut scratch.blown) } else { outer },
    };
    let wind = input.wind.unwrap_or_else(|| plan.settings.air.wind_at(state.time));
    let pushes = Shared::new(&mut scratch.pushed_by_air);
    let air = plan.sails.as_ref().map(|sails| Air {
        flow: Uniform(wind),
        density: plan.settings.air.density,
        h,
        motion,
        sails,
        pushes,
    });
    let (sums, jacobi) = (Shared::new(&mut scratch.sums), matches!(plan.settings.method, Method::Jacobi { .. }));
    let step = Step {
        plan,
        isa: scratch.isa,
        h,
        gravity: input.gravity.unwrap_or(plan.settings.gravity),
        motion,
        air,
        outer,
        averaging: jacobi.then(|| Averaging { x: motion.x, u: motion.u, sums, parts: &plan.parts }),
        lambda: Shared::new(&mut scratch.lambda),
        soft: &state.soft,
        moving: &scratch.moving,
        leaving: state.placed,
        boxes: Shared::new(&mut scratch.boxes),
        pushes: &scratch.pushes,
        pushed: &scratch.pushed,
        held: Shared::new(&mut scratch.held),
        bounces: Shared::new(&mut scratch.bounces),
        touches: Shared::new(&mut scratch.touches),
        held_triangles: Shared::new(&mut scratch.held_triangles),
        live: Shared::new(&mut scratch.live),
        live_triangles: Shared::new(&mut scratch.live_triangles),
        moments: Shared::new(&mut scratch.moments),
        rigid: Shared::new(&mut scratch.rigid),
        fields: plan
            .fields
            .as_ref()
            .map(|fields| Solved::new(fields, &mut scratch.fields, &mut state.rotations, input, state.time)),
        spans: &scratch.taking.spans,
        anchors: &scratch.taking.anchors,
        contacts: AtomicU32::new(0),
        lost: AtomicU64::new(u64::MAX),
        laps: Laps::start(),
    };
    let pairs = match &plan.surfaces {
        None => {
            scratch.workers.run(&|crew| step.run(crew));
            Counts::default()
        }
        Some(surfaces) => step.run_with_pairs(surfaces, &mut scratch.touching, &mut scratch.workers),
    };
    let (contacts, lost) = (step.contacts.into_inner(), step.lost.into_inner());
    let times = step.laps.times();

    state.time += f64::from(input.dt);
    if lost == u64::MAX || plan.settings.non_finite != NonFinite::Stop {
        scratch.taking.end(plan, state);
    }
    state.stopped = lost != u64::MAX && plan.settings.non_finite == NonFinite::Stop;
    Report { contacts, pairs, lost: name(plan, lost), stopped: state.stopped, times, ..Report::default() }
}

/// Stiffness that the input gives, for the state to keep.
fn soften(plan: &Plan, state: &mut State, input: &Input) {
    for (body, kind, stiffness) in &input.stiffness {
        let mut first = 0;
        for (number, rows) in plan.stiff(*body, kind, stiffness.is_compliance()) {
            let (family, soft) = (&plan.families[number], &mut state.soft[number]);
            if soft.is_empty() {
                *soft = family.soft();
            }
            let count = rows.len();
            family.soften(soft, rows, (stiffness.values(), first), plan.settings.iterations);
            first += count;
        }
    }
}

/// Whether these belong together.
fn fits(plan: &Plan, state: &State, input: &Input, scratch: &Scratch) -> Result<(), Error> {
    match (state.plan == plan.id, scratch.plan == plan.id) {
        (false, _) => Err(Error::OtherPlan { what: "state" }),
        (_, false) => Err(Error::OtherPlan { what: "scratch" }),
        _ => input.check(plan, state),
    }
}

/// What all workers see of a step.
struct Step<'a> {
    plan: &'a Plan,
    isa: Isa,
    h: f32,
    gravity: [f32; 3],
    motion: Motion<'a>,
    /// Where it pushes anything.
    air: Option<Air<'a, Uniform>>,
    /// Forces without the air's.
    outer: Shared<'a, seidel_kernels::Row>,
    /// Where the method is Jacobi.
    averaging: Option<Averaging<'a>>,
    lambda: Shared<'a, Pack<f32>>,
    /// How soft rows are, family by family, where an input has said it.
    soft: &'a [Vec<Pack<f32>>],
    moving: &'a [Moving],
    leaving: bool,
    boxes: Shared<'a, crate::run::contacts::Bounds>,
    pushes: &'a [AtomicU32],
    pushed: &'a [AtomicU32],
    held: Shared<'a, seidel_kernels::Row>,
    /// What contacts push in the last substep; empty if nobody asks.
    touches: Shared<'a, seidel_kernels::Row>,
    /// What contacts throw off; empty where nothing bounces.
    bounces: Shared<'a, seidel_kernels::Row>,
    held_triangles: Shared<'a, Pack<f32>>,
    live: Shared<'a, bool>,
    live_triangles: Shared<'a, bool>,
    moments: Shared<'a, Moments>,
    rigid: Shared<'a, seidel_kernels::integrate::RigidMotion>,
    /// Where there are any.
    fields: Option<Solved<'a>>,
    contacts: AtomicU32,
    /// Points near which tethered vertices stay.
    spans: &'a [Span],
    /// Pinned vertices that others stay near.
    anchors: &'a [Span],
    /// Substep << 32 | row of the first particle that was lost.
    lost: AtomicU64,
    laps: Laps,
}

impl Step<'_> {
    /// A participant's way through the step. Every closure below touches the rows, batches or bodies of its own block
    /// alone, and every stage ends before the next begins: that is what the unsafe calls promise.
    fn run(&self, crew: &mut Crew<'_>) {
        let Settings { substeps, iterations, non_finite, .. } = self.plan.settings;
        let stops = non_finite == NonFinite::Stop;
        for substep in 0..substeps {
            // What ends a substep is done where the next begins, unless nothing may begin where something is lost.
            let previous = substep.checked_sub(1).filter(|_| !stops);
            self.predict(crew, previous);
            for iteration in 0..iterations {
                self.constraints(crew, iteration == 0);
                self.fields(crew, substep, iteration == 0);
                self.tethers(crew, substep);
                self.contacts(crew, substep, iteration);
            }
            self.bounce(crew);
            if stops || substep + 1 == substeps {
                self.velocity(crew, substep);
            }
            if stops && self.lost.load(Ordering::Relaxed) != u64::MAX {
                break;
            }
        }
    }

    /// A stage of a phase.
    fn each(&self, crew: &mut Crew<'_>, phase: Phase, blocks: usize, work: impl Fn(usize)) {
        crew.each(blocks, work, || self.laps.lap(phase));
    }

    /// Whether cells are solved as soon as their rows are predicted, while these are in the cache.
    fn at_once(&self) -> bool {
        self.averaging.is_none() && !self.plan.patches.is_empty()
    }

    /// v += h (g + w f), damping, u = r + h v; before it the end of the substep before, behind it the first sweep's patches.
    fn predict(&self, crew: &mut Crew<'_>, previous: Option<u32>) {
        let plan = self.plan;
        let previous = self.air.as_ref().map_or(previous, |air| self.blow(crew, air, previous));
        let damped = plan.bodies.iter().any(|body| body.damping > 0.0);
        if damped {
            self.moments(crew, previous);
        }
        let begin = |b: usize| {
            // SAFETY: the block's rows are this closure's alone, as `run` says; the rigid motions are only read in this stage.
            unsafe {
                if !damped {
                    return self.advance(b, previous, Some(self.gravity), true);
                }
                let block = &plan.blocks[b];
                let k = plan.bodies[block.body].damping;
                let rigid = self.rigid.read(block.body, 1)[0];
                if block.frames {
                    return self.turn(b, None, Some((k, rigid)).filter(|_| k > 0.0), true);
                }
                if k > 0.0 {
                    self.motion.damp(self.isa, block.run, k, rigid);
                }
                self.advance(b, None, None, true);
            }
        };
        if !self.at_once() {
            return self.each(crew, Phase::Motion, plan.blocks.len(), begin);
        }
        let work = |patch: usize| {
            for cell in plan.patches[patch].clone() {
                let Cell { blocks, visits } = &plan.cells[cell];
                let watch = self.laps.watch(cell);
                blocks.clone().for_each(begin);
                let watch = watch.map(|began| self.laps.sample(Phase::Motion, began));
                self.solve(visits.clone(), true);
                watch.map(|began| self.laps.sample(Phase::Constraints, began));
            }
        };
        crew.each(plan.patches.len(), work, || self.laps.lap_of_both());
    }

    /// The end of the substep before, and what the air does to triangles; what of the former is left to do: nothing.
    fn blow(&self, crew: &mut Crew<'_>, air: &Air<'_, Uniform>, previous: Option<u32>) -> Option<u32> {
        let plan = self.plan;
        if previous.is_some() {
            self.each(crew, Phase::Motion, plan.blocks.len(), |b| {
                // SAFETY: the block's rows are this closure's alone.
                unsafe { self.advance(b, previous, None, false) };
            });
        }
        self.each(crew, Phase::Motion, air.sails.len().div_ceil(SAILS_A_BLOCK), |block| {
            let batches = block * SAILS_A_BLOCK..air.sails.len().min((block + 1) * SAILS_A_BLOCK);
            // SAFETY: nobody moves rows in this stage; the batches' pushes are this closure's alone.
            unsafe { air.push(self.isa, &plan.triangles.batches, batches) };
        });
        None
    }

    /// Takes a block through the parts of a substep that touch every particle alone. Of what the end of a substep loses, the first
    /// row of the first substep stays, whoever finds one first.
    ///
    /// # Safety
    /// Nobody else uses the block's rows.
    unsafe fn advance(&self, block: usize, ends: Option<u32>, kick: Option<[f32; 3]>, drift: bool) {
        if self.plan.blocks[block].frames {
            // SAFETY: the caller's promise.
            return unsafe { self.turn(block, ends, None, drift) };
        }
        let commit = self.commit(ends);
        if let Some(air) = self.air.as_ref().filter(|_| kick.is_some()) {
            // SAFETY: the caller's promise; pushes are only read once `blow` has made them.
            unsafe { air.gather(self.isa, self.plan.blocks[block].run, self.outer) };
        }
        let by = Advance { h: self.h, commit, kick, drift };
        // SAFETY: the caller's promise.
        let lost = unsafe { self.motion.advance(self.isa, self.plan.blocks[block].run, by) };
        self.lose(lost, ends);
    }

    /// What becomes of what is lost where a substep ends, if one does.
    fn commit(&self, ends: Option<u32>) -> Option<OnLost> {
        ends.map(|_| match self.plan.settings.non_finite {
            NonFinite::Freeze => OnLost::Freeze,
            NonFinite::Stop | NonFinite::GoOn => OnLost::Keep,
        })
    }

    /// Notes a row that the end of a substep has lost.
    fn lose(&self, row: Option<usize>, ends: Option<u32>) {
        if let Some((row, substep)) = row.zip(ends) {
            self.lost.fetch_min(u64::from(substep) << 32 | row as u64, Ordering::Relaxed);
        }
    }

    /// One sweep: patches, then the seams between them. Jacobi's too, only that what is solved adds its corrections to sums.
    fn constraints(&self, crew: &mut Crew<'_>, first: bool) {
        // Before masses are split.
        if !first {
            self.note_pushes(crew);
        }
        if let Some(averaging) = self.averaging {
            self.each(crew, Phase::Constraints, self.plan.blocks.len(), |b| {
                // SAFETY: the block's rows are this closure's alone.
                unsafe { averaging.split(self.isa, self.plan.blocks[b].run) };
            });
        }
        // `predict` has solved the first sweep's patches.
        let solved = usize::from(first && self.at_once());
        for stage in self.plan.stages.iter().skip(solved) {
            self.each(crew, Phase::Constraints, stage.len(), |patch| self.solve(stage[patch].clone(), first));
        }
        if let Some(averaging) = self.averaging {
            self.each(crew, Phase::Constraints, self.plan.blocks.len(), |b| {
                // SAFETY: the block's rows are this closure's alone.
                unsafe { averaging.join(self.isa, self.plan.blocks[b].run) };
            });
        }
    }

    /// Visits, one after another, of what is this closure's alone: patches of a stage share no block, and cells solved at once touch
    /// only what their patch has in place (`Schedule` has proved both), so particles and multipliers are nobody else's. Positions are
    /// written only where cells are solved at once, and each patch's by its own worker: `Batches::pack` keeps registers within.
    fn solve(&self, visits: Patch, first: bool) {
        for Visit { family, batches } in &self.plan.visits[visits] {
            // Triangles are no family.
            let Some((family, soft)) = self.plan.families.get(*family).zip(self.soft.get(*family)) else { continue };
            let inv_h2 = if family.xpbd { 1.0 / (self.h * self.h) } else { 0.0 };
            let lambda = self.lambda.within(family.kept.start, family.kept.len());
            // SAFETY: as above.
            unsafe {
                let particles = Particles::from_shared(self.motion.x, self.motion.u);
                let particles = match self.averaging {
                    Some(averaging) => particles.adding_to(averaging.sums),
                    None => particles,
                };
                let gamma = family.damping / self.h;
                let particles = if gamma > 0.0 { particles.damped(self.motion.r) } else { particles };
                let sweep = Sweep { particles, lambda, first, inv_h2, gamma, soft };
                family.kind.solve(self.isa, &family.batches, batches.clone(), sweep);
            }
        }
    }

    /// v, x and r from u; finds what is lost.
    fn velocity(&self, crew: &mut Crew<'_>, substep: u32) {
        self.each(crew, Phase::Motion, self.plan.blocks.len(), |b| {
            // SAFETY: the block's rows are this closure's alone.
            unsafe { self.advance(b, Some(substep), None, false) };
        });
    }
}

/// The body and vertex of a lost row; of a frame the first of its points.
fn name(plan: &Plan, lost: u64) -> Option<Lost> {
    if lost == u64::MAX {
        return None;
    }
    let row = lost as u32 as usize;
    let body = plan.bodies.iter().find(|b| (b.start..b.start + b.rows).contains(&row))?;
    let frame = || body.frames.at(row - body.start).map(|frame| body.frames.vertex[frame] as usize);
    let vertex = body.vertex(row).or_else(frame)?;
    Some(Lost { body: body.name.clone(), vertex: vertex as u32, substep: (lost >> 32) as u32 })
}
