//! Bounces of rigid bodies, before a substep is swept.
//!
//! They see how fast bodies come, without what kept impulses, joints, forces and torques have just done to them: a
//! light ball that a jaw presses against a wall gets a hundred times its weight from both sides, and the difference is
//! no approach. With it, each substep threw the jaw back harder: 1 MJ from a motor of 100 N with 200 substeps.

use super::Rigid;
use super::scratch::{Held, RigidScratch};
use seidel_kernels::V3;
use seidel_rigid::motion::Pull;
use seidel_rigid::tuning::IMPACT_ROUNDS;
use seidel_workers::Crew;
use std::sync::atomic::{AtomicBool, Ordering};

impl Rigid<'_> {
    /// Lets bodies bounce that would meet in this substep.
    pub(super) fn bounce(&mut self, crew: &mut Crew<'_>) {
        if !self.scratch.search.bounces {
            return;
        }
        let (common, h) = (self.common, self.common.h);
        // A body at rest has the speed that gravity gives it in a substep, also where that is more than elsewhere.
        let scale = self.plan.bodies.iter().fold(1.0, |most: f32, body| most.max(body.gravity_scale.abs()));
        let least = 2.0 * scale * common.gravity.iter().map(|g| g * g).sum::<f32>().sqrt() * h;
        self.hold_back();
        for _ in 0..IMPACT_ROUNDS {
            let any = AtomicBool::new(false);
            self.sweep(crew, |batches, rows| {
                for batch in batches {
                    // SAFETY: batches of a color share no body that moves (`color` in batches.rs), and nobody writes
                    // the others.
                    if unsafe { batch.impact(common.isa, rows, h, least) } {
                        any.store(true, Ordering::Relaxed);
                    }
                }
            });
            if !any.into_inner() {
                break;
            }
        }
        self.let_go();
    }

    /// Takes away what has just been done to velocities, but by gravity.
    fn hold_back(&mut self) {
        let (plan, h, gravity) = (self.plan, f64::from(self.common.h), self.common.gravity.map(f64::from));
        let RigidScratch { rows, substeps, loads, awake, held, .. } = &mut *self.scratch;
        held.clear();
        for &body in &*awake {
            let (row, pull) = (&mut rows[body as usize], &loads[body as usize].pull);
            let Some(substep) = substeps[body as usize].as_ref().filter(|_| row.v[3] > 0.0) else { continue };
            let ([v, w], Pull { acceleration, torque, keep }) = (substep.velocities(), pull);
            let scale = f64::from(plan.bodies[body as usize].gravity_scale);
            let free = row.inv_masses();
            let free = [free.x, free.y, free.z].map(|inv_mass| inv_mass > 0.0);
            let pushed = |k: usize| (h * keep[0] * (acceleration[k] - gravity[k] * scale)) as f32;
            let v = [0, 1, 2].map(|k| if free[k] { v[k] - pushed(k) } else { v[k] });
            let [x, y, z] = torque.map(|torque| (h * keep[1] * torque) as f32);
            let spun = row.inverse_inertia(V3::new(x, y, z));
            let w = [w[0] - spun.x, w[1] - spun.y, w[2] - spun.z];
            let all = |[x, y, z, _]: [f32; 4]| [x, y, z];
            held.push(Held { body, before: [v, w], after: [all(row.v), all(row.w)] });
            row.v[..3].copy_from_slice(&v);
            row.w[..3].copy_from_slice(&w);
        }
    }

    /// Gives it back, beside what bounces have done.
    fn let_go(&mut self) {
        let RigidScratch { rows, held, .. } = &mut *self.scratch;
        for Held { body, before, after } in &*held {
            let row = &mut rows[*body as usize];
            for (now, (before, after)) in [&mut row.v, &mut row.w].into_iter().zip(before.iter().zip(after)) {
                for k in 0..3 {
                    now[k] = if now[k] == before[k] { after[k] } else { after[k] + (now[k] - before[k]) };
                }
            }
        }
    }
}
