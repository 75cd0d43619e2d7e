//! One collider against a run of particles.

use super::{Begin, Bounce, Held, Shape, Surface, friction};
use crate::integrate::rows::{columns, put_columns};
use crate::integrate::{Motion, Run};
use crate::lanes::{Kernel, Lanes, Mask};
use crate::tuning::HOVER;
use crate::{Isa, Row, V3};
use seidel_workers::Shared;

/// Keeps particles out of a collider, with friction.
#[derive(Clone, Copy, Debug)]
pub struct ParticleContacts<'a, S> {
    /// The rows.
    pub motion: Motion<'a>,
    /// The collider in this substep.
    pub surface: Surface<S>,
    /// Particle radius, metres, with what the collider adds; at least that of each particle.
    pub thickness: f32,
    /// Square root of the body's friction coefficient.
    pub friction: f32,
    /// For each row of the motion [particle radius, square root of the friction coefficient, 0, 0], instead of those; empty if these are
    /// all particles'.
    pub grips: &'a [Row],
    /// What the collider adds to the radius of a row of `grips`, metres.
    pub added: f32,
    /// Substep, seconds, if particles may be inside at its start and are to leave without a velocity.
    pub leaving: Option<f32>,
    /// For each row of the motion [`Shape::contact`]'s span, m^2, and three zeros; empty if there are no triangles.
    pub spans: &'a [Row],
    /// Multipliers [tau, normal] of each row of the run, in metres; empty if they need not be kept (a single iteration).
    pub held: Shared<'a, Row>,
    /// True if nothing is held yet in this substep.
    pub first: bool,
    /// For each row of the run the last normal and the sum of the pushes along it, [n, metres], to which this adds; empty if nobody asks.
    pub record: Shared<'a, Row>,
    /// Where what is to bounce is written down; None if nothing does.
    pub bounce: Option<Bounce<'a>>,
}

impl<S: Shape> ParticleContacts<'_, S> {
    /// Solves the contacts of a run of rows and returns their number.
    ///
    /// # Safety
    /// Nobody else uses these rows, nor `held`, meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn solve(self, isa: Isa, run: Run) -> u32 {
        self.motion.check(run);
        assert!(self.spans.is_empty() || self.spans.len() >= run.start + run.len, "too few spans");
        assert!(self.grips.is_empty() || self.grips.len() >= run.start + run.len, "too few grips");
        assert!(self.held.is_empty() || self.held.len() >= run.len, "too few multipliers");
        assert!(self.record.is_empty() || self.record.len() >= run.len, "too few rows to record in");
        let bounces = self.bounce.map_or(usize::MAX, |bounce| bounce.rows.len());
        assert!(bounces >= run.start + run.len, "too few bounces");
        isa.dispatch(Solve { contacts: self, run })
    }
}

struct Solve<'a, S> {
    contacts: ParticleContacts<'a, S>,
    run: Run,
}

impl<S: Shape> Kernel for Solve<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> u32 {
        // There are more numbers than registers as it is.
        self.all::<L::One>()
    }
}

impl<S: Shape> Solve<'_, S> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> u32 {
        let Self { contacts, run } = self;
        let (motion, surface) = (contacts.motion, contacts.surface);
        let keep = !contacts.held.is_empty();
        let at = V3::<L>::set(surface.at);
        let (from, to) = (V3::set(surface.from), V3::set(surface.to));
        let mu_s = L::set(contacts.friction) * L::set(surface.friction_static);
        let mu_k = L::set(contacts.friction) * L::set(surface.friction_kinetic);
        let zero = L::zero();
        let thickness = L::set(contacts.thickness);
        let most = if contacts.spans.is_empty() { thickness } else { thickness * L::splat(1.0 + HOVER) };
        let mut count = 0;
        let mut offset = 0;
        while offset < run.len {
            let row = run.start + offset;
            // SAFETY: `solve` found the run inside every array; WIDTH divides 16; its caller keeps others away.
            unsafe {
                let [x, y, z, w] = columns::<L>(motion.x.as_ptr(), run.layout, row);
                let [ux, uy, uz, rest] = columns::<L>(motion.u.as_ptr(), run.layout, row);
                let [rx, ry, rz, zeros] = columns::<L>(motion.r.as_ptr(), run.layout, row);
                let (mut u, r) = (V3::new(ux, uy, uz), V3::new(rx, ry, rz));
                let near = V3::new(x, y, z) - at;
                let (b, a) = (near + (u - to), near + (r - from));
                let mut held = Held { tau: V3::zero(), normal: zero };
                if keep && !contacts.first {
                    let [tx, ty, tz, normal] = columns::<L>(contacts.held.as_ptr(), run.layout, offset);
                    held = Held { tau: V3::new(tx, ty, tz), normal };
                }
                let movable = w.gt(zero);
                // Also a mask: what is decided for a lane must not depend on its neighbours.
                let possible = movable & (surface.shape.near(a, b, most) | held.normal.gt(zero));
                let mut any = possible.any();
                if any {
                    let span = if contacts.spans.is_empty() {
                        zero
                    } else {
                        columns::<L>(contacts.spans.as_ptr(), run.layout, row)[0]
                    };
                    let (mut thickness, mut mu_s, mut mu_k) = (thickness, mu_s, mu_k);
                    if !contacts.grips.is_empty() {
                        let [own, grip, ..] = columns::<L>(contacts.grips.as_ptr(), run.layout, row);
                        thickness = own + L::set(contacts.added);
                        (mu_s, mu_k) =
                            (grip * L::set(surface.friction_static), grip * L::set(surface.friction_kinetic));
                    }
                    let (c, n, thickness) = surface.shape.contact(a, b, thickness, span);
                    let mut touches = possible & (c.lt(zero) | held.normal.gt(zero));
                    if let Some(h) = contacts.leaving {
                        let (depth, out) = surface.shape.inside(a, thickness);
                        let begin = Begin { depth, end: -c, at: a, thickness };
                        let inside = possible & begin.inside();
                        touches = touches & !inside;
                        let left = u + out * begin.leave(L::set(h), contacts.first);
                        u = V3::select(inside, left, u);
                        let r = V3::select(inside, left - surface.displacement(b), r);
                        put_columns([r.x, r.y, r.z, zeros], motion.r, run.layout, row);
                        put_columns([u.x, u.y, u.z, rest], motion.u, run.layout, row);
                    }
                    any = touches.any();
                    if any {
                        let normal = (held.normal - c).larger(zero);
                        let moved = u + n * (normal - held.normal);
                        let slip = moved - r - surface.displacement(b);
                        let slip = slip - n * slip.dot(n);
                        let tau = friction(Held { tau: held.tau, normal }, slip, mu_s, mu_k);
                        let mut moved = moved + (tau - held.tau);
                        if let Some(out) = surface.shape.settle(b + (moved - u), thickness) {
                            moved = moved + out;
                        }
                        let sane = touches & moved.length_squared().finite();
                        let u = V3::select(sane, moved, u);
                        if !contacts.record.is_empty() {
                            let [x, y, z, way] = columns::<L>(contacts.record.as_ptr(), run.layout, offset);
                            let n = V3::select(sane, n, V3::new(x, y, z));
                            let way = L::select(sane, way + (normal - held.normal), way);
                            put_columns([n.x, n.y, n.z, way], contacts.record, run.layout, offset);
                        }
                        held =
                            Held { tau: V3::select(sane, tau, held.tau), normal: L::select(sane, normal, held.normal) };
                        put_columns([u.x, u.y, u.z, rest], motion.u, run.layout, row);
                        if let Some(bounce) = &contacts.bounce {
                            let touches = sane & held.normal.gt(zero);
                            bounce.note(motion.v, (run.layout, row), touches, n, surface.displacement(b));
                        }
                        count += (sane & held.normal.gt(zero)).count();
                    }
                }
                if keep && (any || contacts.first) {
                    let held = [held.tau.x, held.tau.y, held.tau.z, held.normal];
                    put_columns(held, contacts.held, run.layout, offset);
                }
            }
            offset += L::WIDTH;
        }
        count
    }
}
