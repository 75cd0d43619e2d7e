//! The step: Müller et al. 2007, lines 5-16, in substeps (Macklin et al. 2019), read top to bottom.

use crate::contact::{Contacts, Moving};
use crate::damping::Moments;
use crate::error::Error;
use crate::input::Input;
use crate::plan::{Plan, Stage};
use crate::report::{Clock, Lost, Report, StageTimes};
use crate::scene::NonFinite;
use crate::scratch::Scratch;
use crate::state::State;
use crate::tuning::BATCHES_A_BLOCK;
use crate::workers::Crew;
use seidel_kernels::integrate::{Motion, OnLost};
use seidel_kernels::{Isa, Pack, Particles, Rows, Shared, Sweep};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

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
    prescribe(plan, state, input, scratch);
    let lambda: Vec<_> = scratch.lambda.iter_mut().map(|l| Shared::new(l)).collect();
    let step = Step {
        plan,
        isa: scratch.isa,
        h: (f64::from(input.dt) / f64::from(substeps)) as f32,
        gravity: input.gravity.unwrap_or(plan.settings.gravity),
        motion: Motion {
            x: Shared::new(&mut state.x),
            r: Shared::new(&mut state.r),
            v: Shared::new(&mut state.v),
            u: Shared::new(&mut scratch.u),
            force: Shared::new(if input.forces.is_empty() { &mut [] } else { &mut scratch.force }),
        },
        lambda: &lambda,
        moving: &scratch.moving,
        boxes: Shared::new(&mut scratch.boxes),
        held: Shared::new(&mut scratch.held),
        held_triangles: Shared::new(&mut scratch.held_triangles),
        live: Shared::new(&mut scratch.live),
        live_triangles: Shared::new(&mut scratch.live_triangles),
        moments: Shared::new(&mut scratch.moments),
        rigid: Shared::new(&mut scratch.rigid),
        contacts: AtomicU32::new(0),
        lost: AtomicU64::new(u64::MAX),
        times: Mutex::new(None),
    };
    scratch.workers.run(&|crew| step.run(crew));
    let (contacts, lost) = (step.contacts.into_inner(), step.lost.into_inner());
    let times = step.times.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_default();

    state.time += f64::from(input.dt);
    state.stopped = lost != u64::MAX && plan.settings.non_finite == NonFinite::Stop;
    Report { contacts, lost: name(plan, lost), rejected: None, stopped: state.stopped, times }
}

/// Whether these belong together.
fn fits(plan: &Plan, state: &State, input: &Input, scratch: &Scratch) -> Result<(), Error> {
    match (state.plan == plan.id, scratch.plan == plan.id) {
        (false, _) => Err(Error::OtherPlan { what: "state" }),
        (_, false) => Err(Error::OtherPlan { what: "scratch" }),
        _ => input.check(plan),
    }
}

/// Writes down what the input prescribes: velocities of pinned particles, forces, and every collider in every substep.
fn prescribe(plan: &Plan, state: &mut State, input: &Input, scratch: &mut Scratch) {
    for (x, v) in state.x.iter().zip(state.v.iter_mut()) {
        if x[3] == 0.0 {
            *v = [0.0; 4];
        }
    }
    for &(body, vertex, target) in &input.pins {
        let row = plan.bodies[body.index()].particle(vertex) as usize;
        let (x, r) = (state.x[row], state.r[row]);
        if x[3] == 0.0 {
            let v: [f32; 3] = std::array::from_fn(|k| (target[k] - x[k] - r[k]) / input.dt);
            state.v[row] = [v[0], v[1], v[2], 0.0];
        }
    }
    if !input.forces.is_empty() {
        if scratch.force.is_empty() {
            scratch.force = Rows::zeros(plan.x.len(), 32);
        }
        scratch.force.fill(0.0);
        for (body, forces) in &input.forces {
            let body = &plan.bodies[body.index()];
            for (vertex, f) in forces.iter().enumerate() {
                let row = &mut scratch.force[body.particle(vertex as u32) as usize];
                *row = [row[0] + f[0], row[1] + f[1], row[2] + f[2], 0.0];
            }
        }
    }
    let end = state.time + f64::from(input.dt);
    scratch.moving.clear();
    let substeps = plan.settings.substeps;
    for s in 0..substeps {
        for (c, collider) in plan.colliders.iter().enumerate() {
            let from = &state.poses[c];
            let to = target(plan, input, state, c, end);
            let at = |s: u32| from.between(&to, f64::from(s) / f64::from(substeps));
            scratch.moving.push(Moving::new(collider, &at(s), &at(s + 1)));
        }
    }
    for c in 0..plan.colliders.len() {
        state.poses[c] = target(plan, input, state, c, end);
    }
}

/// A collider's pose at the end of the step: given, or on its path. A fixed one stays where it was put.
fn target(plan: &Plan, input: &Input, state: &State, c: usize, end: f64) -> crate::pose::Pose {
    let given = input.poses.iter().rev().find(|(id, _)| id.index() == c);
    match (given, &plan.colliders[c].motion) {
        (Some((_, pose)), _) => *pose,
        (None, crate::collider::Motion::Fixed) => state.poses[c],
        (None, motion) => motion.at(&plan.colliders[c].pose, end),
    }
}

/// What all workers see of a step.
struct Step<'a> {
    plan: &'a Plan,
    isa: Isa,
    h: f32,
    gravity: [f32; 3],
    motion: Motion<'a>,
    lambda: &'a [Shared<'a, Pack<f32>>],
    moving: &'a [Moving],
    boxes: Shared<'a, crate::contact::Bounds>,
    held: Shared<'a, seidel_kernels::Row>,
    held_triangles: Shared<'a, Pack<f32>>,
    live: Shared<'a, bool>,
    live_triangles: Shared<'a, bool>,
    moments: Shared<'a, Moments>,
    rigid: Shared<'a, seidel_kernels::integrate::RigidMotion>,
    contacts: AtomicU32,
    /// Substep << 32 | row of the first particle that was lost.
    lost: AtomicU64,
    times: Mutex<Option<StageTimes>>,
}

impl Step<'_> {
    /// A participant's way through the step. Every closure below touches the rows, batches or bodies of its own block
    /// alone, and every stage ends before the next begins: that is what the unsafe calls promise.
    fn run(&self, crew: &mut Crew<'_>) {
        let plan = self.plan;
        let mut times = StageTimes::default();
        let mut clock = Clock::start();
        for substep in 0..plan.settings.substeps {
            self.predict(crew);
            times.predict += clock.lap();
            for iteration in 0..plan.settings.iterations {
                self.constraints(crew, iteration == 0);
                times.constraints += clock.lap();
                self.contacts(crew, substep, iteration == 0);
                times.contacts += clock.lap();
            }
            self.velocity(crew, substep);
            times.velocity += clock.lap();
            let lost = self.lost.load(Ordering::Relaxed) != u64::MAX;
            if lost && plan.settings.non_finite == NonFinite::Stop {
                break;
            }
        }
        if crew.is_caller() {
            *self.times.lock().unwrap_or_else(PoisonError::into_inner) = Some(times);
        }
    }

    /// v += h (g + w f), damping, u = r + h v.
    fn predict(&self, crew: &mut Crew<'_>) {
        let plan = self.plan;
        let kick = |b: usize| {
            let block = &plan.blocks[b];
            // SAFETY: the block's rows are this closure's alone, as `run` says.
            unsafe { self.motion.kick(self.isa, block.run, self.h, self.gravity) };
            block
        };
        if plan.bodies.iter().all(|body| body.damping == 0.0) {
            return crew.each(plan.blocks.len(), |b| {
                // SAFETY: as above.
                unsafe { self.motion.drift(self.isa, kick(b).run, self.h) };
            });
        }
        let about = |body: usize| {
            // A body without particles has no row to read.
            if plan.bodies[body].rows == 0 {
                return [0.0; 3];
            }
            // SAFETY: positions are only read in these stages.
            let row = unsafe { self.motion.x.read(plan.bodies[body].start, 1)[0] };
            [row[0], row[1], row[2]]
        };
        crew.each(plan.blocks.len(), |b| {
            let block = kick(b);
            // SAFETY: as above; the block's sum is this closure's alone.
            unsafe {
                let (start, len) = (block.run.start, block.run.len);
                let (x, v) = (self.motion.x.read(start, len), self.motion.v.read(start, len));
                self.moments.part(b, 1)[0] = Moments::of(x, v, about(block.body));
            }
        });
        crew.each(plan.bodies.len(), |body| {
            let mut sum = Moments::default();
            for (b, _) in plan.blocks.iter().enumerate().filter(|(_, block)| block.body == body) {
                // SAFETY: the sums are only read in this stage.
                sum.add(unsafe { &self.moments.read(b, 1)[0] });
            }
            // SAFETY: the body's motion is this closure's alone.
            unsafe { self.rigid.part(body, 1)[0] = sum.rigid(about(body)) };
        });
        crew.each(plan.blocks.len(), |b| {
            let block = &plan.blocks[b];
            // SAFETY: as above; the rigid motions are only read in this stage.
            unsafe {
                let k = plan.bodies[block.body].damping;
                if k > 0.0 {
                    self.motion.damp(self.isa, block.run, k, self.rigid.read(block.body, 1)[0]);
                }
                self.motion.drift(self.isa, block.run, self.h);
            }
        });
    }

    /// One sweep: family after family, color after color.
    fn constraints(&self, crew: &mut Crew<'_>, first: bool) {
        for (family, &lambda) in self.plan.families.iter().zip(self.lambda) {
            let inv_h2 = if family.xpbd { 1.0 / (self.h * self.h) } else { 0.0 };
            for stage in &family.stages {
                each_batch(crew, stage, |batches| {
                    // SAFETY: nobody writes positions in this stage; batches of a stage share no particle unless one
                    // worker solves them all, in order (`Batches` has proved it).
                    unsafe {
                        let particles = Particles::from_shared(self.motion.x, self.motion.u);
                        let sweep = Sweep { particles, lambda, first, inv_h2 };
                        family.kind.solve(self.isa, &family.batches, batches, sweep);
                    }
                });
            }
        }
    }

    /// Colliders: triangles, then particles.
    fn contacts(&self, crew: &mut Crew<'_>, substep: u32, first: bool) {
        let plan = self.plan;
        let count = plan.colliders.len();
        if count == 0 {
            return;
        }
        let colliders = &self.moving[substep as usize * count..][..count];
        let contacts = Contacts {
            plan,
            isa: self.isa,
            motion: self.motion,
            colliders,
            boxes: self.boxes,
            held: self.held,
            held_triangles: self.held_triangles,
            live: self.live,
            live_triangles: self.live_triangles,
            first,
            count: Some(&self.contacts).filter(|_| substep + 1 == plan.settings.substeps && first),
        };
        if colliders.iter().any(|c| matches!(c, Moving::Sphere(_))) && !plan.triangles.batches.is_empty() {
            crew.each(plan.blocks.len(), |b| {
                // SAFETY: the block's rows and boxes are this closure's alone.
                unsafe { contacts.bound(&plan.blocks[b]) };
            });
            for stage in &plan.triangles.stages {
                each_batch(crew, stage, |batches| {
                    for batch in batches {
                        // SAFETY: batches of a stage share no particle, or one worker solves them all.
                        unsafe { contacts.triangles(batch) };
                    }
                });
            }
        }
        crew.each(plan.blocks.len(), |b| {
            // SAFETY: the block's rows and multipliers are this closure's alone.
            unsafe { contacts.particles(&plan.blocks[b]) };
        });
    }

    /// v, x and r from u; finds what is lost.
    fn velocity(&self, crew: &mut Crew<'_>, substep: u32) {
        let policy = match self.plan.settings.non_finite {
            NonFinite::Freeze => OnLost::Freeze,
            NonFinite::Stop | NonFinite::GoOn => OnLost::Keep,
        };
        crew.each(self.plan.blocks.len(), |b| {
            // SAFETY: the block's rows are this closure's alone.
            let lost = unsafe { self.motion.commit(self.isa, self.plan.blocks[b].run, self.h, policy) };
            if let Some(row) = lost {
                // A minimum: whoever finds one first, the first row of the first substep stays.
                self.lost.fetch_min(u64::from(substep) << 32 | row as u64, Ordering::Relaxed);
            }
        });
    }
}

/// A stage of batches: in blocks if they are independent, by one worker if not.
fn each_batch(crew: &mut Crew<'_>, stage: &Stage, solve: impl Fn(std::ops::Range<usize>)) {
    let all = stage.batches.clone();
    if !stage.parallel {
        return crew.each(1, |_| solve(all.clone()));
    }
    crew.each(all.len().div_ceil(BATCHES_A_BLOCK), |block| {
        let start = all.start + block * BATCHES_A_BLOCK;
        solve(start..all.end.min(start + BATCHES_A_BLOCK));
    });
}

/// The body and vertex of a lost row.
fn name(plan: &Plan, lost: u64) -> Option<Lost> {
    if lost == u64::MAX {
        return None;
    }
    let row = lost as u32 as usize;
    let body = plan.bodies.iter().find(|b| (b.start..b.start + b.rows).contains(&row))?;
    let vertex = body.to_row.iter().position(|&r| body.start + r as usize == row)?;
    Some(Lost { body: body.name.clone(), vertex: vertex as u32, substep: (lost >> 32) as u32 })
}
