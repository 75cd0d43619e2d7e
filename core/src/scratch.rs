//! Scratch: what a step writes before it reads. Nothing in it outlives a step.

use crate::contact::{Bounds, Moving};
use crate::damping::Moments;
use crate::plan::Plan;
use crate::tuning::MIN_SHARED_ROWS;
use crate::workers::Workers;
use seidel_kernels::integrate::RigidMotion;
use seidel_kernels::{BATCH, Isa, Pack, Rows};

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

/// Working memory for one plan, and the workers. Reused from step to step.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) plan: u64,
    pub(crate) isa: Isa,
    pub(crate) workers: Workers,
    pub(crate) u: Rows,
    pub(crate) force: Rows,
    /// Multipliers of each family; empty if they need not be kept.
    pub(crate) lambda: Vec<Vec<Pack<f32>>>,
    pub(crate) boxes: Vec<Bounds>,
    pub(crate) held: Rows,
    pub(crate) held_triangles: Vec<Pack<f32>>,
    pub(crate) live: Vec<bool>,
    pub(crate) live_triangles: Vec<bool>,
    /// Every collider in every substep.
    pub(crate) moving: Vec<Moving>,
    pub(crate) moments: Vec<Moments>,
    pub(crate) rigid: Vec<RigidMotion>,
}

impl Scratch {
    /// Working memory for a plan.
    #[must_use]
    pub fn new(plan: &Plan, execution: Execution) -> Scratch {
        let (rows, colliders) = (plan.x.len(), plan.colliders.len());
        let threads = if rows < MIN_SHARED_ROWS { 1 } else { execution.threads.clamp(1, 1024) };
        let iterates = plan.settings.iterations > 1;
        let if_iterating = |n: usize| if iterates { n } else { 0 };
        let pack = Pack([0.0; BATCH]);
        let lambda = |f: &crate::plan::Family| match iterates && f.xpbd {
            true => vec![pack; f.batches.len() * f.kind.multipliers()],
            false => Vec::new(),
        };
        let triangles = plan.triangles.batches.len();
        Scratch {
            plan: plan.id,
            isa: execution.isa,
            workers: Workers::new(threads),
            u: Rows::zeros(rows, 16),
            force: Rows::default(),
            lambda: plan.families.iter().map(lambda).collect(),
            boxes: vec![Bounds::default(); plan.tiles.len()],
            held: Rows::zeros(if_iterating(rows * colliders), 24),
            held_triangles: vec![pack; if_iterating(triangles * 4 * colliders)],
            live: vec![false; if_iterating(plan.tiles.len() * colliders)],
            live_triangles: vec![false; if_iterating(triangles * colliders)],
            moving: Vec::with_capacity(colliders * plan.settings.substeps as usize),
            moments: vec![Moments::default(); plan.blocks.len()],
            rigid: vec![RigidMotion::default(); plan.bodies.len()],
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
        self.force.fill(f32::NAN);
        self.lambda.iter_mut().for_each(|l| l.fill(nan));
        self.held_triangles.fill(nan);
        self.boxes.fill([[f32::NAN; 3]; 2]);
        self.live.fill(true);
        self.live_triangles.fill(true);
        self.rigid.fill(RigidMotion { center: [f32::NAN; 3], velocity: [f32::NAN; 3], omega: [f32::NAN; 3] });
    }
}
