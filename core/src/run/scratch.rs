//! Scratch: working memory that a step writes before it reads. Nothing in it outlives a step.

use crate::plan::Plan;
use crate::run::emitter::Inlet;
use crate::run::long_range::Anchors;
use crate::run::obstacle::ObstacleScratch;
use crate::run::passes::Drag;
use crate::run::passes::air::AirScratch;
use crate::run::passes::colliders::{self, ColliderScratch};
use crate::run::passes::constraints::ConstraintScratch;
use crate::run::passes::fields::FieldScratch;
use crate::run::passes::fluid::FluidScratch;
use crate::run::passes::grains::GrainScratch;
use crate::run::passes::momentum::MomentScratch;
use crate::run::passes::onsets::Onsets;
use crate::run::passes::pairs::Touching;
use crate::run::passes::pulls::Pull;
use crate::run::passes::rigid::RigidScratch;
use crate::run::passes::spheres::SphereScratch;
use crate::run::waiting::Waiting;
use crate::tuning::MIN_SHARED_ROWS;
use seidel_kernels::{Isa, Rows};
use seidel_workers::{Pool, Workers};

/// Which lanes, how many threads and how much memory. None of them changes a bit of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Execution {
    /// Lanes.
    pub isa: Isa,
    /// Threads, the caller's included, 1 to 1024; a scene below 2,048 particles is stepped by the caller alone.
    pub threads: usize,
    /// Bytes that the scene may need in all ([`crate::Scene::need`]), with lists of what touches, which nobody knows
    /// before: a step whose lists need more is not what it is with more memory, and says so
    /// ([`crate::PairCounts::beyond_memory`]). No limit unless told.
    pub memory: u64,
}

impl Default for Execution {
    /// The widest lanes of this processor and all its cores.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Execution::new(Isa::detect(), threads)
    }
}

impl Execution {
    /// These lanes and so many threads.
    #[must_use]
    pub const fn new(isa: Isa, threads: usize) -> Execution {
        Execution { isa, threads, memory: u64::MAX }
    }

    /// The same within so many bytes.
    #[must_use]
    pub const fn memory(mut self, bytes: u64) -> Execution {
        self.memory = bytes;
        self
    }

    /// The same on so many threads.
    #[must_use]
    pub const fn threads(mut self, threads: usize) -> Execution {
        self.threads = threads;
        self
    }
}

/// How many threads step a plan.
fn threads(plan: &Plan, execution: Execution) -> usize {
    // A rigid body takes about as long as so many particles.
    let work = plan.x.len() + 16 * plan.rigid_bodies();
    if work < MIN_SHARED_ROWS { 1 } else { execution.threads.clamp(1, 1024) }
}

/// Working memory for one plan, and the workers. Reused from step to step.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) plan: u64,
    pub(crate) isa: Isa,
    /// As it was asked for.
    execution: Execution,
    pub(crate) workers: Workers,
    /// Length of the last step, seconds.
    pub(crate) dt: f32,
    /// The bodies that wait while a level is stepped.
    pub(crate) waiting: Waiting,
    pub(crate) drags: Vec<Drag>,
    /// How far each row has gone in this step (`Slack`), metres; empty if no collider asks.
    pub(crate) ways: Rows,
    pub(crate) u: Rows,
    /// Displacements before contacts, where velocities are updated in second order and something may touch.
    pub(crate) met: Rows,
    pub(crate) force: Rows,
    /// The motion of obstacles, and of vertices attached to them.
    pub(crate) obstacles: ObstacleScratch,
    /// The pins of long range attachments.
    pub(crate) anchors: Anchors,
    /// The vertices that the input draws towards points.
    pub(crate) pulls: Vec<Pull>,
    pub(crate) air: AirScratch,
    pub(crate) constraints: ConstraintScratch,
    pub(crate) fields: FieldScratch,
    pub(crate) moments: MomentScratch,
    pub(crate) touching: Touching,
    pub(crate) spheres: SphereScratch,
    pub(crate) colliders: ColliderScratch,
    pub(crate) rigid: RigidScratch,
    pub(crate) fluid: FluidScratch,
    pub(crate) grains: GrainScratch,
    /// The grains near an opening.
    pub(crate) inlet: Inlet,
}

impl Scratch {
    /// Working memory for a plan, with threads of its own besides the caller's. They are parked while no step runs.
    /// With `execution.threads` = 1 there are none.
    #[must_use]
    pub fn new(plan: &Plan, execution: Execution) -> Scratch {
        Scratch::with(plan, execution, Workers::new(threads(plan, execution)))
    }

    /// Working memory for a plan that is stepped by the caller and by idle threads of a rayon pool, `execution.threads`
    /// in all: for programs that want no further threads. A step never waits for the pool: the caller does the work
    /// that no thread of it takes. A step allocates (rayon's tasks do).
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Execution, Input, Plan, Pool, Scene, Scratch, State, step};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([50, 50], [1.0, 1.0]));
    /// let plan = Plan::new(&scene)?;
    /// let (mut state, mut scratch) = (State::new(&plan), Scratch::in_pool(&plan, Execution::default(), Pool::Global));
    /// assert!(step(&plan, &mut state, &Input::frame(0.01), &mut scratch).rejected.is_none());
    /// # Ok::<(), seidel::Error>(())
    /// ```
    #[must_use]
    pub fn in_pool(plan: &Plan, execution: Execution, pool: Pool) -> Scratch {
        Scratch::with(plan, execution, Workers::in_pool(threads(plan, execution), pool))
    }

    fn with(plan: &Plan, execution: Execution, workers: Workers) -> Scratch {
        Scratch {
            plan: plan.stamp,
            isa: execution.isa,
            execution,
            workers,
            dt: f32::NAN,
            waiting: Waiting::new(plan),
            drags: Vec::with_capacity(plan.bodies.len()),
            ways: Rows::zeros(if colliders::keeps(plan) { plan.x.len() } else { 0 }, 40),
            u: Rows::zeros(plan.x.len(), 16),
            met: Onsets::rows(plan),
            force: Rows::default(),
            obstacles: ObstacleScratch::default(),
            anchors: Anchors::default(),
            pulls: Vec::new(),
            air: AirScratch::new(plan.aero.as_ref(), plan.x.len()),
            constraints: ConstraintScratch::new(plan),
            fields: FieldScratch::new(plan),
            moments: MomentScratch::new(plan),
            touching: Touching::new(plan, execution.memory),
            spheres: SphereScratch::default(),
            colliders: ColliderScratch::new(plan),
            rigid: RigidScratch::default(),
            fluid: FluidScratch::default(),
            grains: GrainScratch::default(),
            inlet: Inlet::default(),
        }
    }

    /// Length of a substep of the last step where it has so many, seconds.
    pub(crate) fn h(&self, substeps: u32) -> f32 {
        (f64::from(self.dt) / f64::from(substeps)) as f32
    }

    /// The same for another plan. Threads of its own go along, if it wants as many.
    pub(crate) fn for_plan(&mut self, plan: &Plan) -> Scratch {
        let (execution, wanted) = (self.execution, threads(plan, self.execution));
        if wanted != self.workers.count() {
            return Scratch::new(plan, execution);
        }
        Scratch::with(plan, execution, std::mem::replace(&mut self.workers, Workers::new(1)))
    }

    /// As it was made.
    pub(crate) fn execution(&self) -> Execution {
        self.execution
    }

    /// Bytes within which a step's lists have to be ([`Execution::memory`]).
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.execution.memory
    }

    /// Lanes in use.
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Threads in use, the caller's included.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.count()
    }

    /// Fills everything with NaN: a step that reads what it has not written shows it.
    pub fn poison(&mut self) {
        self.waiting.poison();
        self.drags.fill(Drag { keep: f32::NAN, share: f32::NAN });
        self.ways.fill(f32::NAN);
        self.u.fill(f32::NAN);
        self.met.fill(f32::NAN);
        self.force.fill(f32::NAN);
        self.obstacles.poison();
        self.anchors.poison();
        // A step lists them anew.
        self.pulls.clear();
        self.air.poison();
        self.constraints.poison();
        self.fields.poison();
        self.moments.poison();
        self.touching.poison();
        self.spheres.poison();
        self.colliders.poison();
        self.rigid.poison();
        self.fluid.poison();
        self.grains.poison();
        self.inlet.poison();
    }
}
