//! Damping that keeps a body's rigid motion (Müller et al. 2007, section 3.5). The rigid motion comes from the moments of all
//! particles of the body.

use super::Common;
use super::air::Air;
use super::momentum::Moved;
use super::velocity::{Then, Velocity};
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
        let damped = common.plan.bodies.iter().any(|body| body.damping > 0.0);
        damped.then_some(Damping { common, moved })
    }

    /// Ends substep `ended`, if one is given, adds gravity and forces to velocities, and finds the rigid motions.
    pub(crate) fn run(&self, crew: &mut Crew<'_>, ended: Option<u32>, velocity: &Velocity<'_>, air: Option<&Air<'_>>) {
        let Common { plan, isa, motion, gravity, .. } = *self.common;
        // A stage of its own: it writes positions, and the next stage reads them in `about`.
        self.common.each_block(crew, Phase::Motion, |b| {
            // SAFETY: the block's rows are this closure's alone, and the air's pushes are found.
            unsafe { kicked(velocity, air, b, ended, Then { kick: Some(gravity), drift: false }) };
        });
        self.common.each_block(crew, Phase::Motion, |b| {
            let block = &plan.blocks[b];
            // SAFETY: nobody writes rows in this stage; the block's sum is this closure's alone.
            unsafe {
                let none = Moments::default();
                let of = || motion.moments(isa, block.run, self.common.about(block.body));
                self.moved.moments.part(b, 1)[0] = if block.frames { none } else { of() };
            }
        });
        self.common.each(crew, Phase::Motion, plan.bodies.len(), |body| {
            let mut sum = Moments::default();
            for b in plan.bodies[body].blocks.clone() {
                // SAFETY: the sums are only read in this stage.
                sum.add(unsafe { &self.moved.moments.read(b, 1)[0] });
            }
            // SAFETY: the body's motion is this closure's alone.
            unsafe { self.moved.rigid.part(body, 1)[0] = sum.rigid(self.common.about(body)) };
        });
    }

    /// Pulls a block's velocities to its body's rigid motion, then sets u = r + h v.
    ///
    /// # Safety
    /// Nobody else uses the block's rows; the rigid motions are found and only read.
    pub(crate) unsafe fn pull(&self, b: usize, velocity: &Velocity<'_>) {
        let Common { plan, isa, motion, history, .. } = *self.common;
        let block = &plan.blocks[b];
        let k = plan.bodies[block.body].damping;
        // SAFETY: the block's rows are the caller's alone, and rigid motions are only read, as it promises.
        unsafe {
            let rigid = self.moved.rigid.read(block.body, 1)[0];
            if block.frames {
                let pull = Some((k, rigid)).filter(|_| k > 0.0);
                return velocity.turn(b, None, (None, pull), Then { kick: None, drift: true });
            }
            if k > 0.0 {
                motion.damp(isa, block.run, (k, rigid), history.map(|history| history.dv));
            }
            velocity.end(b, None, Then { kick: None, drift: true });
        }
    }
}

/// Gathers the air's forces on a block, if there are any, ends substep `ended`, if one is given, and does what `then` says.
///
/// # Safety
/// Nobody else uses the block's rows; the air's pushes are found.
pub(super) unsafe fn kicked(velocity: &Velocity<'_>, air: Option<&Air<'_>>, b: usize, ended: Option<u32>, then: Then) {
    // SAFETY: the block's rows are the caller's alone, and the air's pushes are found, as it promises.
    unsafe {
        if let Some(air) = air {
            air.gather(b);
        }
        velocity.end(b, ended, then);
    }
}
