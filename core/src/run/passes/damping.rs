//! Damping that keeps a body's rigid motion (Müller et al. 2007, section 3.5). The rigid motion comes from the moments
//! of all particles of the body.

use super::Common;
use super::air::Air;
use super::momentum::Moved;
use super::velocity::{Then, Velocity};
use crate::plan::damping::Damped;
use crate::run::report::Phase;
use seidel_kernels::damping::Moments;
use seidel_workers::Crew;

/// The rigid motions to which damping pulls velocities.
pub(crate) struct Damping<'a> {
    common: &'a Common<'a>,
    moved: Moved<'a>,
}

impl<'a> Damping<'a> {
    /// None if no body is damped.
    pub(crate) fn new(common: &'a Common<'a>, moved: Moved<'a>) -> Option<Damping<'a>> {
        (!common.plan.damped.bodies.is_empty()).then_some(Damping { common, moved })
    }

    /// Of the bodies that are damped: ends substep `ended`, if one is given, adds gravity and forces to velocities, and
    /// finds the rigid motions.
    pub(crate) fn run(&self, crew: &mut Crew<'_>, ended: Option<u32>, velocity: &Velocity<'_>, air: Option<&Air<'_>>) {
        let Common { plan, isa, motion, gravity, .. } = *self.common;
        let Damped { bodies, blocks } = &plan.damped;
        // A stage of its own: it writes positions, and the next stage reads them in `about`.
        self.common.each(crew, Phase::Motion, blocks.len(), |b| {
            // SAFETY: the block's rows are this closure's alone, and the air's pushes are found.
            unsafe { kicked(velocity, air, blocks[b], ended, Then { kick: Some(gravity), drift: false }) };
        });
        self.common.each(crew, Phase::Motion, blocks.len(), |b| {
            let (b, block) = (blocks[b], &plan.blocks[blocks[b]]);
            if self.common.waits(b) {
                return;
            }
            // SAFETY: nobody writes rows in this stage; the block's sum is this closure's alone.
            unsafe {
                let none = Moments::default();
                let of = || motion.moments(isa, block.run, self.common.about(block.body));
                self.moved.moments.part(b, 1)[0] = if block.frames { none } else { of() };
            }
        });
        self.common.each(crew, Phase::Motion, bodies.len(), |body| {
            let (body, mut sum) = (bodies[body], Moments::default());
            if plan.bodies[body].blocks.clone().all(|b| self.common.waits(b)) {
                return;
            }
            for b in plan.bodies[body].blocks.clone() {
                // SAFETY: the sums are only read in this stage.
                sum.add(unsafe { &self.moved.moments.read(b, 1)[0] });
            }
            // SAFETY: the body's motion is this closure's alone.
            unsafe { self.moved.rigid.part(body, 1)[0] = sum.rigid(self.common.about(body)) };
        });
    }

    /// Pulls velocities of a damped body's block to the body's rigid motion, then sets u = r + h v.
    ///
    /// # Safety
    /// Nobody else uses the block's rows; the rigid motions are found and only read.
    pub(crate) unsafe fn pull(&self, b: usize, velocity: &Velocity<'_>) {
        if self.common.waits(b) {
            return;
        }
        let Common { plan, isa, motion, history, .. } = *self.common;
        let block = &plan.blocks[b];
        let k = plan.bodies[block.body].damping;
        // SAFETY: the block's rows are the caller's alone, and rigid motions are only read, as it promises.
        unsafe {
            let rigid = self.moved.rigid.read(block.body, 1)[0];
            if block.frames {
                return velocity.turn(b, None, (None, Some((k, rigid))), Then { kick: None, drift: true });
            }
            motion.damp(isa, block.run, (k, rigid), history.map(|history| history.dv));
            velocity.end(b, None, Then { kick: None, drift: true });
        }
    }
}

/// Gathers the air's forces on a block, if there are any, ends substep `ended`, if one is given, and does what `then`
/// says.
///
/// # Safety
/// Nobody else uses the block's rows; the air's pushes are found.
pub(super) unsafe fn kicked(velocity: &Velocity<'_>, air: Option<&Air<'_>>, b: usize, ended: Option<u32>, then: Then) {
    // SAFETY: the block's rows are the caller's alone, and the air's pushes are found, as it promises.
    unsafe {
        if let Some(air) = air.filter(|air| !air.waits(b)) {
            air.gather(b);
        }
        velocity.end(b, ended, then);
    }
}
