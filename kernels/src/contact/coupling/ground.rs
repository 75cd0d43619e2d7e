//! Particles that a contact presses against a ground, which gives way to nothing.
//!
//! ```text
//!   s_k = -n.m > 0                       m: the ground's normal at the particle, n: the contact's, towards it
//!   dx_k = w_k b_k (n - m m.n) dlambda   a push into the ground does not move the particle
//!   w = sum w_k b_k^2 (1 - s_k^2)        of the point
//!
//!   lambda = lambda_v + lambda_x         lambda_v: what stops the body's way towards the ground, of which it gets a
//!                                        velocity; lambda_x lifts it out of particles that the ground has lifted
//!   |tau_g| <= mu_g sum s_k b_k lambda_v friction that the sheet hands on from the body to the ground: the particle
//!                                        counts as a part of the ground
//!   |tau_g + tau| <= mu lambda_v         tau: what else body and particle give each other
//!   mu_g s_k b_k lambda_v - b_k |tau_g|  what the ground has left to hold the particle itself
//! ```
//! All of it grows from nothing with s_k. Without it a body on a sheet that lies on a floor would press light particles
//! away, the floor would bring them back, and each substep would stop no more of the body's way, and hold no more of
//! its slip, than their share of both masses: a box of 2 kg on a carpet of 0.5 kg/m^2 crept down a slope by 4 cm a
//! second. Momentum goes to the ground, as by a collider.

use super::P;
use super::gathered::Gathered;
use super::rows::{Carrier, check};
use crate::Row;
use crate::lanes::Lanes;
use seidel_workers::Shared;
use seidel_workers::claims::{Use, claim};

/// The ground under a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Unit normal, out of the ground; zero if there is none.
    pub normal: [f64; 3],
    /// How far it comes in the substep there, metres.
    pub way: [f64; 3],
    /// Coefficients of friction with the particle: static, kinetic.
    pub friction: [f64; 2],
    /// The first row of the collider's record ([`super::Coupling::record`]); `u32::MAX` if it has none.
    pub record: u32,
}

impl Ground {
    pub(super) const NONE: Ground = Ground { normal: [0.0; 3], way: [0.0; 3], friction: [0.0; 2], record: u32::MAX };
}

/// Tells which ground particles are on.
pub trait Grounds {
    /// Whether a cluster may be on any, by its number.
    fn near(&self, cluster: u32) -> bool;

    /// The ground under a particle of a deformable body, whose way begins and ends at two places, metres; with the
    /// particle's thickness, metres, and its friction, as [`crate::contact::Combine`] takes it.
    fn under(&self, body: u32, way: [[f64; 3]; 2], thickness: f32, friction: f32) -> Option<Ground>;
}

/// The grounds under the particles of a contact's feature, and the impulses that they have given.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) grounds: [Ground; 4],
    pub(super) given: Given,
}

/// Impulses of a contact that stands, times the substep, kg m.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// Those along the normal that stop the body's way to the ground; the others give it no velocity.
    pub(super) stopped: f64,
    /// Friction that goes on to grounds, and what these give to particles beside it.
    pub(super) through: [f64; 3],
    spent: [f64; 4],
}

/// The grounds against which a contact presses the particles of its feature.
pub(super) struct Stands<'a> {
    grounds: &'a [Ground; 4],
    /// n.m of those that are pressed, otherwise 0.
    pressed: [f64; 4],
}

impl Given {
    /// Of all impulses along the normal, which were `before` and are `now`, those that stop the body, if `more` would
    /// stop it, and of the rest a `share`. Impulses that give no velocity are the first to be taken back.
    pub(super) fn stops(&self, [before, now]: [f64; 2], more: f64, share: f64) -> f64 {
        let added = now - before;
        if added > 0.0 {
            let stops = more.larger(0.0).smaller(added);
            self.stopped + (stops + share * (added - stops))
        } else {
            self.stopped.smaller(now)
        }
    }
}

impl Stands<'_> {
    /// Of a contact with this normal.
    pub(super) fn new(grounds: &[Ground; 4], n: P) -> Stands<'_> {
        let along = |ground: &Ground| n.dot(P::set(ground.normal));
        Stands { grounds, pressed: [0, 1, 2, 3].map(|k| along(&grounds[k]).smaller(0.0)) }
    }

    /// Whether a ground holds one of the point's particles.
    pub(super) fn any(&self, shares: &[f64; 4]) -> bool {
        self.pressed.iter().zip(shares).any(|(&pressed, &share)| pressed < 0.0 && share > 0.0)
    }

    /// The part of a push on a particle that its ground does not hold back.
    fn free(&self, k: usize, push: P) -> P {
        match self.holds(k) {
            true => {
                let m = P::set(self.grounds[k].normal);
                push - m * m.dot(push)
            }
            false => push,
        }
    }

    /// sum w_k b_k^2 (1 - s_k^2), 1/kg.
    pub(super) fn inverse_mass(&self, rows: &Gathered, shares: &[f64; 4]) -> f64 {
        let each = rows.all[..rows.count].iter().zip(shares).enumerate();
        each.fold(0.0, |sum, (k, (carrier, share))| sum + carrier.w * (share * share) * self.share(k))
    }

    /// Moves the particles by impulses times the substep at the point with these shares; by the second they get no
    /// velocity.
    pub(super) fn push(&self, rows: &mut Gathered, shares: &[f64; 4], [pushed, lifted]: [P; 2]) {
        for (k, (carrier, &share)) in rows.all[..rows.count].iter_mut().zip(shares).enumerate() {
            let [by, only] = [pushed, lifted].map(|impulse| self.free(k, impulse) * (carrier.w * share));
            carrier.u = carrier.u + (by + only);
            carrier.r = carrier.r + only;
        }
    }

    /// Moves those that no ground holds.
    pub(super) fn push_loose(&self, rows: &mut Gathered, shares: &[f64; 4], impulse: P) {
        for (k, (carrier, &share)) in rows.all[..rows.count].iter_mut().zip(shares).enumerate() {
            if !self.holds(k) {
                carrier.u = carrier.u + impulse * (carrier.w * share);
            }
        }
    }

    /// Of a particle's inverse mass along the contact's normal the share that is left.
    fn share(&self, k: usize) -> f64 {
        1.0 - self.pressed[k] * self.pressed[k]
    }

    /// The impulse that presses a particle against its ground, of so much at the point, both kg m.
    fn load(&self, k: usize, share: f64, normal: f64) -> f64 {
        -self.pressed[k] * share * normal
    }

    /// How far a particle slips along its ground, metres.
    fn slip(&self, k: usize, of: &Carrier) -> P {
        self.free(k, (of.u - of.r) - P::set(self.grounds[k].way))
    }

    /// Whether a ground holds a particle.
    pub(super) fn holds(&self, k: usize) -> bool {
        self.pressed[k] < 0.0
    }

    /// sum b_k s_k^2: 1 where the ground holds all that the contact presses.
    pub(super) fn strength(&self, shares: &[f64; 4]) -> f64 {
        let each = self.pressed.iter().zip(shares);
        each.fold(0.0, |sum, (pressed, share)| sum + (pressed * pressed) * share).larger(0.0).smaller(1.0)
    }

    /// The numbers of the particles that the contact presses against a ground.
    fn held<'a>(&'a self, shares: &'a [f64; 4], count: usize) -> impl Iterator<Item = usize> + 'a {
        (0..count).filter(|&k| self.holds(k) && shares[k] > 0.0)
    }

    /// How far a point comes whose particles go along their grounds as they do, and with these otherwise, metres.
    pub(super) fn along(&self, rows: &Gathered, shares: &[f64; 4]) -> P {
        rows.weighted_by(shares, |k, of| {
            if self.holds(k) { P::set(self.grounds[k].way) + self.slip(k, of) } else { of.u - of.r }
        })
    }

    /// How far a particle comes, or its ground where that holds it, metres.
    pub(super) fn way(&self, k: usize, of: &Carrier) -> P {
        if self.holds(k) { P::set(self.grounds[k].way) } else { of.u - of.r }
    }

    /// Friction of the grounds on particles that the contact presses against them with so much, less what the body has
    /// of it, `through`, and what they have given in this sweep so far, all kg m. Returns how far one was moved, m.
    pub(super) fn drag(
        &self,
        rows: &mut Gathered,
        shares: &[f64; 4],
        [normal, through]: [f64; 2],
        Given { spent, .. }: &mut Given,
    ) -> f64 {
        let mut longest = 0.0f64;
        for k in self.held(shares, rows.count) {
            let of = &mut rows.all[k];
            let slip = self.slip(k, of);
            let far = slip.length();
            let load = self.load(k, shares[k], normal);
            // All of it, if static friction holds that, otherwise what kinetic friction takes.
            let left = |mu: f64| of.w * (mu * load - shares[k] * through - spent[k]);
            let [most, kinetic] = self.grounds[k].friction.map(left);
            let by = if far <= most { far } else { kinetic };
            let by = if by < far { by } else { far };
            if by > 0.0 {
                of.u = of.u - slip * (by / far);
                spent[k] += by / of.w;
                longest = longest.larger(by);
            }
        }
        longest
    }

    /// The least static and kinetic friction of the grounds that hold the point's particles, as shares of the contact's
    /// normal impulse, `most` at most.
    pub(super) fn grip(&self, shares: &[f64; 4], count: usize, most: f64) -> [f64; 2] {
        self.held(shares, count).fold([most; 2], |least, k| {
            let grips = self.grounds[k].friction.map(|mu| -self.pressed[k] * mu);
            [0, 1].map(|kind| if grips[kind] < least[kind] { grips[kind] } else { least[kind] })
        })
    }

    /// sum w_k b_k^2 of the particles that no ground holds, 1/kg.
    pub(super) fn loose(&self, rows: &Gathered, shares: &[f64; 4]) -> f64 {
        let each = rows.all[..rows.count].iter().zip(shares).zip(&self.pressed);
        each.fold(0.0, |sum, ((of, share), &pressed)| if pressed < 0.0 { sum } else { sum + of.w * (share * share) })
    }

    /// Adds to a record with what an impulse along the contact's normal presses particles against their grounds.
    ///
    /// # Safety
    /// Nobody else uses the records of these particles meanwhile.
    pub(super) unsafe fn record(
        &self,
        (record, each): (Shared<'_, Row>, usize),
        (at, stride): (&[u32; 4], u32),
        (rows, shares, normal): (&Gathered, &[f64; 4], f64),
    ) {
        for k in self.held(shares, rows.count).filter(|&k| self.grounds[k].record != u32::MAX) {
            let ground = &self.grounds[k];
            let of_collider = record.within(ground.record as usize, each);
            check(of_collider, at[k], stride);
            let first = of_collider.as_ptr().cast::<f32>().wrapping_add(at[k] as usize);
            claim(first, 1, Use::Write);
            let way = self.load(k, shares[k], normal) * rows.all[k].w;
            // SAFETY: within the rows, as just checked; the row is the caller's.
            unsafe {
                for (c, n) in ground.normal.into_iter().enumerate() {
                    first.add(c * stride as usize).write(n as f32);
                }
                let sum = first.add(3 * stride as usize);
                sum.write(sum.read() + way as f32);
            }
        }
    }
}
