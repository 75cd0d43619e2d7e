//! Friction of a body and a point between particles.

use super::gathered::Gathered;
use super::ground::Stands;
use super::{Mover, P};
use crate::contact::{Held, friction};

/// Displacement of a contact by an impulse, over that which its inverse mass says: the least and the most with which it
/// is solved as usual. They differ where the arms at both ends of a long displacement do; rounds at 2 or more diverge.
pub(super) const LEAST_GAIN: f64 = 0.25;
const MOST_GAIN: f64 = 1.5;

/// The generalised inverse mass of a contact whose end goes by so much for an impulse of 1.
pub(super) fn damped(w: f64, at_its_end: f64) -> f64 {
    if at_its_end > MOST_GAIN * w { at_its_end } else { w }
}

/// Both sides of a contact, which rub on each other.
pub(super) struct Rubs<'a> {
    pub(super) body: &'a mut Mover,
    pub(super) rows: &'a mut Gathered,
    pub(super) shares: &'a [f64; 4],
    pub(super) n: P,
    pub(super) arm: P,
    /// Whether its impulses turn the body.
    pub(super) turns: bool,
}

impl Rubs<'_> {
    /// Friction up to mu, static and kinetic, times the impulses along the normal; with particles as they are or, of
    /// those that `stands` holds, as their grounds are. Its impulse so far has a part `beside` in it, without which its
    /// new one is returned, kg m.
    pub(super) fn rub(
        &mut self,
        [so_far, beside]: [P; 2],
        (normal, [mu_s, mu_k]): (f64, [f64; 2]),
        stands: Option<&Stands<'_>>,
    ) -> P {
        let Rubs { body, rows, shares, n, arm, turns } = self;
        let at_end = if *turns { body.arm(rows.weighted(shares, |of| of.x + of.u)) } else { P::zero() };
        let way = match stands {
            Some(stands) => rows.weighted_by(shares, |k, of| stands.way(k, of)),
            None => rows.weighted(shares, |of| of.u - of.r),
        };
        let slip = way - body.way(at_end);
        let slip = slip - *n * slip.dot(*n);
        let far = slip.length();
        let tau = so_far;
        // A sideways push needs a direction for its inverse mass; without a slip any does.
        let t = if far > 0.0 { slip * (1.0 / far) } else { *n };
        let free = stands.map_or_else(|| rows.inverse_mass(shares), |stands| stands.loose(rows, shares));
        let [sideways, at_its_end] = [body.inverse_mass(*arm, t), body.moved_by(at_end, *arm, t)].map(|w| free + w);
        let wanted = match at_its_end > LEAST_GAIN * sideways {
            true => friction(Held { tau, normal }, slip * (1.0 / damped(sideways, at_its_end)), mu_s, mu_k),
            // Its torque would make it slip farther.
            false => tau,
        };
        let dragged = wanted - tau;
        if !dragged.length_squared().is_finite() {
            return so_far - beside;
        }
        match stands {
            Some(stands) => stands.push_loose(rows, shares, dragged),
            None => rows.push(shares, dragged),
        }
        body.push(*arm, -dragged);
        wanted - beside
    }
}
