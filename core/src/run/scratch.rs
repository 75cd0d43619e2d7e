//! Scratch: what a step writes before it reads. Nothing in it outlives a step.

use crate::describe::pose::Pose;
use crate::plan::Plan;
use crate::run::contacts::{Bounds, Moving};
use crate::run::obstacle::Taking;
use crate::run::pairs::Touching;
use crate::run::workers::{Pool, Workers};
use crate::tuning::MIN_SHARED_ROWS;
use seidel_kernels::damping::Moments;
use seidel_kernels::field::Fit;
use seidel_kernels::integrate::RigidMotion;
use seidel_kernels::integrate::air::Sails;
use seidel_kernels::{BATCH, Isa, Pack, Rows};
use std::sync::atomic::AtomicU32;

/// Which lanes and how many threads. Neither changes a bit of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Lanes.
    pub isa: Isa,
    /// Threads, the caller's included, 1 to 1024; a scene below 2,048 particles is stepped by the caller alone.
    pub threads: usize,
}

impl Default for Execution {
    /// The widest lanes of this processor and all its cores.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Execution { isa: Isa::detect(), threads }
    }
}

/// How many threads step a plan.
fn threads(plan: &Plan, execution: Execution) -> usize {
    if plan.x.len() < MIN_SHARED_ROWS { 1 } else { execution.threads.clamp(1, 1024) }
}

/// Working memory for one plan, and the workers. Reused from step to step.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) plan: u64,
    pub(crate) isa: Isa,
    pub(crate) workers: Workers,
    pub(crate) u: Rows,
    pub(crate) force: Rows,
    /// Forces with those of the air, and the air's on triangles, where it pushes any.
    pub(crate) blown: Rows,
    pub(crate) pushed_by_air: Rows,
    /// Sums of corrections, where the method is Jacobi.
    pub(crate) sums: Rows,
    /// Multipliers that are kept from iteration to iteration, family after family.
    pub(crate) lambda: Vec<Pack<f32>>,
    pub(crate) boxes: Vec<Bounds>,
    /// How far each stage of triangles' contacts has pushed at most, metres: the bits of an f32.
    pub(crate) pushes: Vec<AtomicU32>,
    /// For each sweep of a step, in which passes over the contacts a triangle was pushed, and in which far: a bit a pass.
    pub(crate) pushed: Vec<AtomicU32>,
    pub(crate) held: Rows,
    /// Pushes of the last substep, a run of all rows for each collider, if they are recorded.
    pub(crate) touches: Rows,
    /// What contacts throw off, where anything bounces.
    pub(crate) bounces: Rows,
    pub(crate) held_triangles: Vec<Pack<f32>>,
    pub(crate) live: Vec<bool>,
    pub(crate) live_triangles: Vec<bool>,
    /// Every collider at the end of the step, and in every substep.
    pub(crate) targets: Vec<Pose>,
    pub(crate) moving: Vec<Moving>,
    pub(crate) touching: Touching,
    /// Where obstacles, and what is attached to them, go.
    pub(crate) taking: Taking,
    pub(crate) moments: Vec<Moments>,
    pub(crate) rigid: Vec<RigidMotion>,
    pub(crate) fields: FieldRows,
}

impl Scratch {
    /// Working memory for a plan, and threads of its own beside the caller's, parked while no step runs; none if `execution.threads`
    /// is 1.
    #[must_use]
    pub fn new(plan: &Plan, execution: Execution) -> Scratch {
        Scratch::with(plan, execution, Workers::new(threads(plan, execution)))
    }

    /// Working memory for a plan that is stepped by the caller and whoever of a rayon pool has time, `execution.threads` in all:
    /// for programs that want no further threads. A step never waits for the pool: what nobody takes, the caller does. It
    /// allocates (rayon's tasks do).
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
        let (rows, colliders) = (plan.x.len(), plan.colliders.len());
        // Colliders whose contacts are remembered; `Plan::new` has checked that they are few enough.
        let held = if plan.settings.iterations > 1 { colliders } else { 0 };
        let pack = Pack([0.0; BATCH]);
        let kept = plan.families.last().map_or(0, |family| family.kept.end);
        let triangles = plan.triangles.batches.len();
        let sweeps = if triangles > 0 { plan.settings.substeps * plan.settings.iterations } else { 0 };
        Scratch {
            plan: plan.id,
            isa: execution.isa,
            workers,
            u: Rows::zeros(rows, 16),
            force: Rows::default(),
            blown: Rows::zeros(if plan.sails.is_some() { rows } else { 0 }, 40),
            pushed_by_air: Rows::zeros(plan.sails.as_ref().map_or(0, Sails::pushes), 48),
            sums: Rows::zeros(plan.parts.len(), 8),
            lambda: vec![pack; kept],
            boxes: vec![Bounds::default(); plan.tiles.len()],
            pushes: plan.stages.iter().map(|_| AtomicU32::new(0)).collect(),
            pushed: (0..sweeps).map(|_| AtomicU32::new(0)).collect(),
            held: Rows::zeros(rows * held, 24),
            touches: Rows::default(),
            bounces: Rows::zeros(if plan.bounces() { rows } else { 0 }, 56),
            held_triangles: vec![pack; triangles * 4 * held],
            live: vec![false; plan.tiles.len() * held],
            live_triangles: vec![false; triangles * held],
            targets: Vec::with_capacity(colliders),
            moving: Vec::with_capacity(colliders * plan.settings.substeps as usize),
            touching: Touching::new(plan),
            taking: Taking::default(),
            moments: vec![Moments::default(); plan.blocks.len()],
            rigid: vec![RigidMotion::default(); plan.bodies.len()],
            fields: FieldRows::new(plan),
        }
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
        let nan = Pack([f32::NAN; BATCH]);
        self.u.fill(f32::NAN);
        self.held.fill(f32::NAN);
        self.bounces.fill(f32::NAN);
        self.touches.fill(f32::NAN);
        self.force.fill(f32::NAN);
        self.blown.fill(f32::NAN);
        self.pushed_by_air.fill(f32::NAN);
        self.sums.fill(f32::NAN);
        self.lambda.fill(nan);
        self.held_triangles.fill(nan);
        self.pushed.iter_mut().for_each(|word| *word.get_mut() = u32::MAX);
        self.boxes.fill([[f32::NAN; 3]; 2]);
        self.pushes.iter_mut().for_each(|push| *push.get_mut() = f32::NAN.to_bits());
        self.touching.poison();
        self.taking.poison();
        self.targets.fill(Pose { position: [f64::NAN; 3], rotation: [f64::NAN; 4] });
        self.fields.poison();
        self.live.fill(true);
        self.live_triangles.fill(true);
        self.rigid.fill(RigidMotion { center: [f32::NAN; 3], velocity: [f32::NAN; 3], omega: [f32::NAN; 3] });
    }
}

/// What fields write.
#[derive(Debug, Default)]
pub(crate) struct FieldRows {
    /// Positions relative to each volume's origin, in rows, and gradients.
    pub(crate) p: Rows,
    pub(crate) g: Rows,
    /// Of each block of a volume.
    pub(crate) volume_sums: Vec<[f64; 2]>,
    /// Of each volume.
    pub(crate) pushes: Vec<Option<f32>>,
    pub(crate) volume_lambda: Vec<f64>,
    /// Relative positions of all shapes' members.
    pub(crate) members: Vec<[Pack<f32>; 4]>,
    /// Of each block of a shape that is cut.
    pub(crate) shape_sums: Vec<[f64; 9]>,
    /// Of each body that is alone: what pushed it before the sweep.
    pub(crate) pushed: Vec<Moments>,
    /// Of each shape.
    pub(crate) fits: Vec<Option<Fit>>,
    pub(crate) shape_lambda: Vec<f64>,
}

impl FieldRows {
    fn new(plan: &Plan) -> FieldRows {
        let Some(fields) = &plan.fields else { return FieldRows::default() };
        let rows = if fields.volumes.is_empty() { 0 } else { plan.x.len() };
        FieldRows {
            p: Rows::zeros(rows, 24),
            g: Rows::zeros(rows, 48),
            volume_sums: vec![[0.0; 2]; fields.volume_blocks.len()],
            pushes: vec![None; fields.volumes.len()],
            volume_lambda: vec![0.0; fields.volumes.len()],
            members: vec![[Pack([0.0; BATCH]); 4]; fields.registers],
            shape_sums: vec![[0.0; 9]; fields.shape_blocks.len()],
            pushed: vec![Moments::default(); fields.alone.len()],
            fits: vec![None; fields.shapes.len()],
            shape_lambda: vec![0.0; fields.shapes.len()],
        }
    }

    fn poison(&mut self) {
        self.p.fill(f32::NAN);
        self.g.fill(f32::NAN);
        self.volume_sums.fill([f64::NAN; 2]);
        self.pushes.fill(Some(f32::NAN));
        self.volume_lambda.fill(f64::NAN);
        self.members.fill([Pack([f32::NAN; BATCH]); 4]);
        self.shape_sums.fill([f64::NAN; 9]);
        self.fits.fill(Some(Fit::about([f64::NAN; 3])));
        self.pushed.fill(Moments::UNKNOWN);
        self.shape_lambda.fill(f64::NAN);
    }
}
