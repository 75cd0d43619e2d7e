//! Momentum of bodies that hold a volume: removes the rigid motion that the corrections of a sweep give to the whole
//! body.
//!
//! A row or a volume changes neither momentum nor angular momentum about where particles are when it is solved. But the
//! rows after it move these particles, so the sums do not stay zero. Where a skin and a volume push hard against each
//! other, a ball at rest would spin up. Particles are at x + u, and (x + u) x u = x x u: the angular momentum about
//! where the substep began is a sum over single particles.

use super::{At, Common};
use crate::plan::Plan;
use crate::plan::fields::Fields;
use crate::run::report::Phase;
use seidel_kernels::Shared;
use seidel_kernels::damping::Moments;
use seidel_kernels::integrate::RigidMotion;
use seidel_workers::Crew;

/// Working memory: moments of blocks, rigid motions of bodies, and moments of the pushes before a sweep
/// (`Fields::alone` only).
#[derive(Debug, Default)]
pub(crate) struct MomentScratch {
    moments: Vec<Moments>,
    rigid: Vec<RigidMotion>,
    pushed: Vec<Moments>,
}

impl MomentScratch {
    pub(crate) fn new(plan: &Plan) -> MomentScratch {
        MomentScratch {
            moments: vec![Moments::default(); plan.blocks.len()],
            rigid: vec![RigidMotion::default(); plan.bodies.len()],
            pushed: vec![Moments::default(); plan.fields.as_ref().map_or(0, |fields| fields.alone.len())],
        }
    }

    pub(crate) fn poison(&mut self) {
        self.moments.fill(Moments::UNKNOWN);
        self.rigid.fill(RigidMotion { center: [f32::NAN; 3], velocity: [f32::NAN; 3], omega: [f32::NAN; 3] });
        self.pushed.fill(Moments::UNKNOWN);
    }
}

/// Moments and rigid motions, for all workers.
#[derive(Clone, Copy)]
pub(crate) struct Moved<'a> {
    /// Moments of each block.
    pub(super) moments: Shared<'a, Moments>,
    /// Rigid motion of each body.
    pub(super) rigid: Shared<'a, RigidMotion>,
    /// For each body in `Fields::alone`, the moments of the pushes before the sweep.
    pushed: Shared<'a, Moments>,
}

impl<'a> Moved<'a> {
    pub(crate) fn new(scratch: &'a mut MomentScratch) -> Moved<'a> {
        let MomentScratch { moments, rigid, pushed } = scratch;
        Moved { moments: Shared::new(moments), rigid: Shared::new(rigid), pushed: Shared::new(pushed) }
    }
}

/// The pass over bodies that hold a volume and can push against nothing but themselves (`Fields::alone`).
pub(crate) struct Momentum<'a> {
    common: &'a Common<'a>,
    fields: &'a Fields,
    moved: Moved<'a>,
}

impl<'a> Momentum<'a> {
    /// None if there is no such body.
    pub(crate) fn new(common: &'a Common<'a>, moved: Moved<'a>) -> Option<Momentum<'a>> {
        let fields = common.plan.fields.as_ref().filter(|fields| !fields.alone.is_empty())?;
        Some(Momentum { common, fields, moved })
    }

    /// Notes before a sweep how bodies have been pushed in this substep so far, by contacts of the last sweep, too.
    /// Before the first sweep nothing has pushed them.
    pub(crate) fn note(&self, crew: &mut Crew<'_>, at: At) {
        if !at.is_first() {
            self.pushes(crew, at.substep, |i, pushes| {
                // SAFETY: the body's place is this closure's alone.
                unsafe { self.moved.pushed.part(i, 1)[0] = pushes };
            });
        }
    }

    /// Removes the rigid motion that the sweep has given to each body since `note`.
    pub(crate) fn run(&self, crew: &mut Crew<'_>, at: At) {
        let Common { plan, isa, motion, .. } = *self.common;
        let Fields { alone, alone_blocks, .. } = self.fields;
        let Moved { rigid, pushed, .. } = self.moved;
        self.pushes(crew, at.substep, |i, pushes| {
            let body = alone[i];
            // SAFETY: positions and what was before are only read in this stage; the body's motion is this closure's
            // alone.
            unsafe {
                let pushes = if at.is_first() { pushes } else { pushes.since(&pushed.read(i, 1)[0]) };
                // A body with a pinned particle exchanges momentum with it. A lost particle is not counted either.
                let free = pushes.count() == plan.bodies[body].to_row.len() as f64;
                let by = if free { pushes.rigid(self.common.about(body)) } else { RigidMotion::default() };
                rigid.part(body, 1)[0] = by;
            }
        });
        self.common.each(crew, Phase::Constraints, alone_blocks.len(), |b| {
            let block = &plan.blocks[alone_blocks[b]];
            // SAFETY: rigid motions are only read in this stage; the block's displacements are this closure's alone.
            unsafe {
                let by = rigid.read(block.body, 1)[0];
                if !block.frames && by != RigidMotion::default() {
                    motion.take_off(isa, block.run, by);
                }
            }
        });
    }

    /// Calls `with` with the index in `Fields::alone` of each body and the moments of its pushes in this substep.
    fn pushes(&self, crew: &mut Crew<'_>, substep: u32, with: impl Fn(usize, Moments) + Sync) {
        let Common { plan, isa, motion, history, .. } = *self.common;
        let Fields { alone, alone_blocks, .. } = self.fields;
        let expected = (self.common.weights(substep), history);
        let moments = self.moved.moments;
        self.common.each(crew, Phase::Constraints, alone_blocks.len(), |b| {
            let block = &plan.blocks[alone_blocks[b]];
            // SAFETY: nobody writes rows in this stage; the block's sum is this closure's alone.
            unsafe {
                let of = || motion.pushes(isa, block.run, self.common.about(block.body), expected);
                moments.part(alone_blocks[b], 1)[0] = if block.frames { Moments::default() } else { of() };
            }
        });
        self.common.each(crew, Phase::Constraints, alone.len(), |i| {
            let mut sum = Moments::default();
            for b in plan.bodies[alone[i]].blocks.clone() {
                // SAFETY: the sums are only read in this stage.
                sum.add(unsafe { &moments.read(b, 1)[0] });
            }
            with(i, sum);
        });
    }
}
