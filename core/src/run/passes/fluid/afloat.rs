//! Rigid bodies in a fluid: each is a wall that moves, and what it does to a particle the particle does to it.
//!
//! ```text
//!  pressure   p = -lambda_i grad F_i                  F_i: what the body adds to the particle's density
//!  contact    C = (x_i - q).n - r >= 0,  dlambda = -C / (w_i + N W)
//!             W = 1/M + (a x n).I^-1 (a x n),  a: from the body's centre to the particle;  N: particles that touch the body
//!             dx_i = w_i n dlambda,  p = -n dlambda
//!  both       dX = p / M,  dtheta = I^-1 (a x p)
//! ```
//! All particles see the same body, and it sees all of them at once (Jacobi): with N in the denominator they do not
//! push it farther than one of them would. Sums are taken block by block and added in the order of the blocks.

use super::groups::{block, slots_of};
use crate::geometry::vector::{cross, dot};
use crate::run::passes::Common;
use crate::run::passes::afloat::Afloat;
use crate::run::report::Phase;
use seidel_kernels::contact::{Shape, SignedDistance};
use seidel_kernels::fluid::Spiky;
use seidel_kernels::{BATCH, Lanes, Row, Shared, V3};
use seidel_workers::Crew;

/// What a block of slots does to a body: impulses times the substep, kg m, and their moments, kg m^2; and how many
/// touch it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyImpulse {
    force: [f64; 3],
    torque: [f64; 3],
    count: u32,
}

/// Sums over slots, for each shape.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// How many slots touch the shape, and any shape of its body.
    touching: Vec<u32>,
    counts: Vec<f64>,
    /// How drag changes the body's displacement and rotation.
    pub(super) changes: Vec<[f64; 6]>,
    /// How the body moves: metres, and a rotation vector.
    moved: Vec<[[f64; 3]; 2]>,
}

impl Sums {
    pub(super) fn poison(&mut self) {
        self.touching.fill(u32::MAX);
        self.counts.fill(f64::NAN);
        self.changes.fill([f64::NAN; 6]);
        self.moved.fill([[f64::NAN; 3]; 2]);
    }
}

/// Which shape a slot touches deepest, with n and C.
pub(super) type Touch = (u32, [f32; 4]);

pub(super) const NOTHING: Touch = (u32::MAX, [0.0; 4]);

impl BodyImpulse {
    pub(super) fn add(&mut self, arm: [f64; 3], force: [f64; 3]) {
        let torque = cross(arm, force);
        for k in 0..3 {
            self.force[k] += force[k];
            self.torque[k] += torque[k];
        }
    }

    fn and(mut self, other: &BodyImpulse) -> BodyImpulse {
        for k in 0..3 {
            self.force[k] += other.force[k];
            self.torque[k] += other.torque[k];
        }
        self.count += other.count;
        self
    }
}

impl Afloat<'_> {
    /// Whether a point may be within `reach` of it.
    pub(super) fn is_near(&self, x: &Row, reach: f32) -> bool {
        let [low, high] = &self.bounds;
        (0..3).all(|k| low[k] - reach <= x[k] && x[k] <= high[k] + reach)
    }

    /// What it adds to the density at a point, and the gradient of that; none if it is too far away.
    fn wall(&self, spiky: &Spiky, x: &Row) -> Option<(f32, [f32; 3])> {
        if !self.is_near(x, spiky.support) {
            return None;
        }
        let m = &self.traced.end;
        let d: [f32; 3] = std::array::from_fn(|k| x[k] - self.to[k]);
        let local = [0, 1, 2].map(|k| (m[0][k] * d[0] + m[1][k] * d[1]) + m[2][k] * d[2]);
        let (distance, n) = self.traced.shape.distance(V3::<f32>::set(local));
        let (value, slope) = spiky.beside(distance)?;
        let n = [0, 1, 2].map(|k| (m[k][0] * n.x + m[k][1] * n.y) + m[k][2] * n.z);
        Some((value, n.map(|n| -slope * n)))
    }

    pub(super) fn arm(&self, x: &Row) -> [f64; 3] {
        std::array::from_fn(|k| f64::from(x[k]) - self.center[k])
    }

    /// Generalised inverse mass of a point along a unit vector, 1/kg.
    fn inverse_mass(&self, arm: [f64; 3], n: [f64; 3]) -> f64 {
        let turn = cross(arm, n);
        let free: [f64; 3] = std::array::from_fn(|k| if self.locked[k] { 0.0 } else { n[k] });
        self.inv_mass * dot(free, n) + dot(turn, self.inv_inertia.map(|row| dot(row, turn)))
    }

    /// How a push moves the body: metres, and a rotation vector.
    fn moved(&self, by: &BodyImpulse) -> [[f64; 3]; 2] {
        let moved = std::array::from_fn(|k| if self.locked[k] { 0.0 } else { by.force[k] * self.inv_mass });
        [moved, self.inv_inertia.map(|row| dot(row, by.torque))]
    }
}

/// Adds what bodies do to the density of a block's slots.
pub(super) fn walls(bodies: &[Afloat<'_>], spiky: &Spiky, at: &[Row], walls: &mut [Row]) {
    for body in bodies {
        for (x, wall) in at.iter().zip(&mut *walls) {
            if let Some((value, gradient)) = body.wall(spiky, x) {
                let free = 1.0 - wall[3];
                for k in 0..3 {
                    wall[k] = wall[k] * (1.0 - value) + gradient[k] * free;
                }
                wall[3] += value * free;
            }
        }
    }
}

/// Slots as a pass over rigid bodies sees them.
pub(super) struct Slots<'a> {
    pub(super) spiky: Spiky,
    /// Where slots are, relative, and their inverse masses.
    pub(super) at: &'a [Row],
    /// How far they have gone in the substep.
    pub(super) ways: &'a [Row],
    pub(super) pressed: &'a [Row],
    pub(super) walls: &'a [Row],
    pub(super) row_of: &'a [u32],
    pub(super) touches: Shared<'a, Touch>,
    /// For each block what it does to each body.
    pub(super) pushed: &'a mut [BodyImpulse],
    pub(super) sums: &'a mut Sums,
    /// Distance that particles keep, metres.
    pub(super) radius: f32,
}

impl Slots<'_> {
    /// How the pressure of those slots that press, or draw, moves each of the shapes' bodies.
    pub(super) fn pressure(
        &mut self,
        crew: &mut Crew<'_>,
        common: &Common<'_>,
        bodies: &[Afloat<'_>],
        acts: impl Fn(&Row) -> bool + Sync,
    ) -> &[[[f64; 3]; 2]] {
        let (groups, count) = (self.row_of.len().div_ceil(BATCH), bodies.len());
        let Slots { spiky, pressed, walls, pushed, .. } = self;
        common.parts(crew, Phase::Fluid, (&mut pushed[..], count), |first, pushed| {
            let of = slots_of(block(groups, first / count));
            for (body, pushed) in bodies.iter().zip(pushed) {
                *pushed = BodyImpulse::default();
                for (x, all) in pressed[of.clone()].iter().zip(&walls[of.clone()]).filter(|(x, _)| acts(x)) {
                    let Some((value, gradient)) = body.wall(spiky, x) else { continue };
                    let share = f64::from((1.0 - all[3]) / (1.0 - value));
                    pushed.add(body.arm(x), gradient.map(|g| -f64::from(x[3]) * f64::from(g) * share));
                }
            }
        });
        self.moved(bodies)
    }

    /// Pushes particles out of rigid bodies, and returns the motion of each body.
    pub(super) fn contact(
        &mut self,
        crew: &mut Crew<'_>,
        common: &Common<'_>,
        bodies: &[Afloat<'_>],
    ) -> &[[[f64; 3]; 2]] {
        let (groups, count) = (self.row_of.len().div_ceil(BATCH), bodies.len());
        let Slots { at, ways, row_of, touches, pushed, radius, .. } = self;
        let (radius, all_touches) = (*radius, *touches);
        common.parts(crew, Phase::Fluid, (&mut pushed[..], count), |first, pushed| {
            let of = slots_of(block(groups, first / count));
            // SAFETY: the stage runs each block once, and a slot is in one (`block`): nobody else uses its touch.
            let touches = unsafe { all_touches.part(of.start, of.len()) };
            let (at, ways) = (&at[of.clone()], &ways[of]);
            pushed.fill(BodyImpulse::default());
            touches.fill(NOTHING);
            for (number, body) in bodies.iter().enumerate() {
                let from = |x: &Row, to: &[f32; 3], way: &Row| -> [f32; 3] {
                    std::array::from_fn(|k| (x[k] - to[k]) - way[k])
                };
                for ((x, way), touch) in at.iter().zip(ways).zip(&mut *touches) {
                    let length = Lanes::larger(Lanes::larger(way[0].abs(), way[1].abs()), way[2].abs());
                    if !body.is_near(x, radius + length) {
                        continue;
                    }
                    let (a, b) =
                        (V3::<f32>::set(from(x, &body.from, way)), V3::<f32>::set(from(x, &body.to, &[0.0; 4])));
                    if !body.traced.near(a, b, radius) {
                        continue;
                    }
                    let (c, n, _) = body.traced.contact(a, b, radius, 0.0f32);
                    if c < touch.1[3] {
                        *touch = (number as u32, [n.x, n.y, n.z, c]);
                    }
                }
            }
            for touch in touches.iter().filter(|touch| touch.0 != u32::MAX) {
                pushed[touch.0 as usize].count += 1;
            }
        });
        // Particles that touch any shape of a shape's body.
        let of_shape = |shape: usize| pushed.iter().skip(shape).step_by(count).map(|pushed| pushed.count).sum::<u32>();
        let Sums { touching, counts, .. } = &mut *self.sums;
        touching.clear();
        touching.extend((0..count).map(of_shape));
        let of_body = |body: &Afloat<'_>| {
            let own = bodies.iter().zip(&*touching).filter(|(other, _)| other.body == body.body);
            f64::from(own.map(|(_, touches)| touches).sum::<u32>())
        };
        counts.clear();
        counts.extend(bodies.iter().map(of_body));
        let counts = &*counts;
        common.parts(crew, Phase::Fluid, (&mut pushed[..], count), |first, pushed| {
            let of = slots_of(block(groups, first / count));
            // SAFETY: nobody writes touches in this stage.
            let touches = unsafe { all_touches.read(of.start, of.len()) };
            for (slot, (x, &(number, [nx, ny, nz, c]))) in of.clone().zip(at[of].iter().zip(touches)) {
                let Some((body, pushed)) = bodies.get(number as usize).zip(pushed.get_mut(number as usize)) else {
                    continue;
                };
                let (n, arm, w) = ([nx, ny, nz].map(f64::from), body.arm(x), f64::from(x[3]));
                let all = w + counts[number as usize] * body.inverse_mass(arm, n);
                let lambda = if all > 0.0 { -f64::from(c) / all } else { 0.0 };
                if lambda.is_finite() {
                    // SAFETY: a row has one slot, which is of this block alone.
                    let u = unsafe { &mut common.motion.u.part(row_of[slot] as usize, 1)[0] };
                    (0..3).for_each(|k| u[k] += (w * n[k] * lambda) as f32);
                    pushed.add(arm, n.map(|n| -n * lambda));
                }
            }
        });
        self.moved(bodies)
    }

    /// Sums of all blocks, in their order.
    pub(super) fn moved(&mut self, bodies: &[Afloat<'_>]) -> &[[[f64; 3]; 2]] {
        let (pushed, count) = (&*self.pushed, bodies.len());
        let of = |(number, body): (usize, &Afloat<'_>)| {
            let all = pushed.iter().skip(number).step_by(count).fold(BodyImpulse::default(), BodyImpulse::and);
            body.moved(&all)
        };
        self.sums.moved.clear();
        self.sums.moved.extend(bodies.iter().enumerate().map(of));
        &self.sums.moved
    }
}
