//! Viscosity against what is beside a fluid (`seidel_kernels::fluid::{Drag, Cling}`): colliders, rigid bodies, and
//! vertices of cloths, ropes and solids.
//!
//! ```text
//!  rigid body   j_i = m_i k_i P (d_i - d_b),  k_i = c F (d + z) / (d + b);   du_i = -j_i / m_i,   the body gets j_i at x_i
//! ```
//! d_b is how far the body goes when it has got all of them (implicit in the body, or a light one would shake): with
//! J = [1, -[a]x], a being the arm of a particle, the change D of the body's displacement and rotation solves (1 + W A)
//! D = W b, A = sum m k J^T P J, b = sum m k J^T P (d_i - d_b before), W = diag(1 / M, I^-1).

use super::Fluid;
use super::afloat::{BodyImpulse, Slots};
use super::groups::{block, blocks, slots_of};
use super::lists::{Asked, FluidScratch};
use crate::run::passes::Common;
use crate::run::passes::afloat::Afloat;
use crate::run::passes::colliders::moving::Moving;
use crate::run::passes::rigid::Rigid;
use crate::run::report::Phase;
use seidel_kernels::contact::SignedDistance;
use seidel_kernels::fluid::Spiky;
use seidel_kernels::{BATCH, Row, Shared, V3};
use seidel_workers::Crew;

impl<'a> Fluid<'a> {
    /// Drags the fluid along with what is beside it, and that with the fluid. How far particles go is known, with
    /// XSPH's coefficients.
    pub(super) fn drag(&mut self, crew: &mut Crew<'_>, moving: &[Moving], rigid: &mut Option<&mut Rigid<'a>>) {
        let walls = self.walls(moving, rigid.as_deref());
        let (common, plan, groups) = (self.common, self.plan, self.scratch.groups());
        let spiky = plan.spiky;
        // `pressed` and `walls` are written anew before they are used otherwise.
        let scratch = &mut *self.scratch;
        scratch.coefficients.clear();
        scratch.coefficients.extend(plan.bodies.iter().map(|fluid| fluid.liquid.slip_length));
        let (fluid_of, xsph, slips) = (&scratch.fluid_of, &scratch.xsph, &scratch.coefficients);
        let (at, ways) = (Shared::new(&mut scratch.at), Shared::new(&mut scratch.ways));
        let (clings, dragged) = (Shared::new(&mut scratch.pressed), Shared::new(&mut scratch.walls));
        let (row_of, u) = (&scratch.row_of, common.motion.u);
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            let (first, len) = (of.start * BATCH, of.len() * BATCH);
            // SAFETY: nobody writes positions in this stage; what is written for a slot, and its row, is its block's
            // alone.
            unsafe {
                for (to, &fluid) in clings.part(first, len).iter_mut().zip(&fluid_of[first..]) {
                    *to = [xsph[fluid as usize], slips[fluid as usize], 0.0, 0.0];
                }
                walls.drag((common.isa, spiky), of, [at, ways, clings], dragged);
                for (du, &row) in dragged.read(first, len).iter().zip(&row_of[first..]) {
                    let u = &mut u.part(row as usize, 1)[0];
                    (0..3).for_each(|k| u[k] += du[k]);
                }
                // Vertices lie in the surface.
                for (way, &fluid) in ways.part(first, len).iter_mut().zip(&fluid_of[first..]) {
                    let fluid = fluid as usize;
                    way[3] = xsph[fluid] * (spiky.spacing / (spiky.spacing + slips[fluid]));
                }
            }
        });
        let FluidScratch { at, ways, row_of, side, .. } = &mut *self.scratch;
        let fluid = [Shared::new(at), Shared::new(ways)];
        side.cling(crew, common, spiky, (fluid, row_of));
        if let Some(rigid) = rigid.as_deref_mut().filter(|_| !walls.afloat.is_empty()) {
            self.scratch.asked.clear();
            self.scratch.asked.resize(blocks(groups) * walls.afloat.len(), [0.0; 42]);
            let mut asked = std::mem::take(&mut self.scratch.asked);
            let mut slots = self.slots(walls.afloat.len(), spiky);
            let by = slots.drag(crew, common, &walls.afloat, &mut asked);
            rigid.float(&walls.afloat, by);
            self.scratch.asked = asked;
        }
        (self.scratch.colliders, self.scratch.afloat) = walls.end();
    }
}

/// A particle beside a body: m k, the normal, the arm, and how far it goes more than the body does there.
struct BesideBody {
    weight: f64,
    k: f64,
    normal: [f64; 3],
    arm: [f64; 3],
    away: [f64; 3],
}

impl Afloat<'_> {
    /// A particle at `x` that goes along `way`, if the body drags it; `[c, b]`: XSPH's coefficient and the slip length.
    fn beside(&self, spiky: &Spiky, x: &Row, way: &Row, [c, slip]: [f32; 2]) -> Option<BesideBody> {
        if !(c > 0.0 && x[3] > 0.0 && self.is_near(x, spiky.support)) {
            return None;
        }
        let (m, then) = (&self.traced.end, &self.traced.start);
        let d: [f32; 3] = std::array::from_fn(|k| x[k] - self.to[k]);
        let local = [0, 1, 2].map(|k| (m[0][k] * d[0] + m[1][k] * d[1]) + m[2][k] * d[2]);
        let (distance, n) = self.traced.shape.distance(V3::<f32>::set(local));
        let k = f64::from(c * spiky.drags(distance, slip)?);
        let n = [n.x, n.y, n.z];
        let normal = [0, 1, 2].map(|i| f64::from((m[i][0] * n[0] + m[i][1] * n[1]) + m[i][2] * n[2]));
        // Where the body's point was.
        let was = [0, 1, 2].map(|i| (then[i][0] * local[0] + then[i][1] * local[1]) + then[i][2] * local[2]);
        let away = [0, 1, 2].map(|i| f64::from(way[i]) - f64::from((self.to[i] - self.from[i]) + (d[i] - was[i])));
        let finite = k.is_finite() && normal.iter().chain(&away).all(|c| c.is_finite());
        finite.then(|| BesideBody { weight: k / f64::from(x[3]), k, normal, arm: self.arm(x), away })
    }
}

impl BesideBody {
    /// What lies along the surface of a vector.
    fn along(&self, v: [f64; 3]) -> [f64; 3] {
        let n = &self.normal;
        let out = (n[0] * v[0] + n[1] * v[1]) + n[2] * v[2];
        [0, 1, 2].map(|i| v[i] - out * n[i])
    }

    /// J^T of a vector: itself, and its moment.
    fn moment(&self, v: [f64; 3]) -> [f64; 6] {
        let a = &self.arm;
        [v[0], v[1], v[2], a[1] * v[2] - a[2] * v[1], a[2] * v[0] - a[0] * v[2], a[0] * v[1] - a[1] * v[0]]
    }

    /// J of a change of the body: how far its point beside the particle goes.
    fn point(&self, by: &[f64; 6]) -> [f64; 3] {
        let a = &self.arm;
        let [t, u, v] = [by[3], by[4], by[5]];
        [by[0] + (u * a[2] - v * a[1]), by[1] + (v * a[0] - t * a[2]), by[2] + (t * a[1] - u * a[0])]
    }

    fn ask(&self, to: &mut Asked) {
        let b = self.moment(self.along(self.away));
        for i in 0..6 {
            to[i] += self.weight * b[i];
        }
        for j in 0..6 {
            let mut unit = [0.0; 6];
            unit[j] = 1.0;
            let column = self.moment(self.along(self.point(&unit)));
            for i in 0..6 {
                to[6 + 6 * i + j] += self.weight * column[i];
            }
        }
    }
}

impl Slots<'_> {
    /// Drags particles along with rigid bodies, and returns the motion of each body.
    fn drag(
        &mut self,
        crew: &mut Crew<'_>,
        common: &Common<'_>,
        bodies: &[Afloat<'_>],
        asked: &mut [Asked],
    ) -> &[[[f64; 3]; 2]] {
        let (groups, count) = (self.row_of.len().div_ceil(BATCH), bodies.len());
        // Calls `with` for each of a block's slots and shapes that drag each other.
        let Slots { spiky, at, ways, pressed: clings, row_of, pushed, sums, .. } = self;
        let each = |b: usize, with: &mut dyn FnMut(usize, usize, &Row, &BesideBody)| {
            for slot in slots_of(block(groups, b)) {
                let (x, way, [c, slip, ..]) = (&at[slot], &ways[slot], clings[slot]);
                for (number, body) in bodies.iter().enumerate() {
                    if let Some(beside) = body.beside(spiky, x, way, [c, slip]) {
                        with(slot, number, x, &beside);
                    }
                }
            }
        };
        common.parts(crew, Phase::Fluid, (&mut asked[..], count), |first, asked| {
            each(first / count, &mut |_, number, _, beside| beside.ask(&mut asked[number]));
        });
        let changes = &mut sums.changes;
        changes.clear();
        changes.extend(bodies.iter().map(|body| {
            let mut all = [0.0; 42];
            let own = asked.iter().enumerate().filter(|(at, _)| bodies[at % count].body == body.body);
            own.for_each(|(_, of)| (0..42).for_each(|k| all[k] += of[k]));
            body.dragged(&all)
        }));
        let changes = &*changes;
        common.parts(crew, Phase::Fluid, (&mut pushed[..], count), |first, pushed| {
            pushed.fill(BodyImpulse::default());
            each(first / count, &mut |slot, number, x, beside| {
                let point = beside.point(&changes[number]);
                let along = beside.along([0, 1, 2].map(|k| beside.away[k] - point[k]));
                let du = along.map(|v| (-beside.k * v) as f32);
                // SAFETY: a slot's row is that slot's alone, and its block's in this stage.
                let u = unsafe { &mut common.motion.u.part(row_of[slot] as usize, 1)[0] };
                (0..3).for_each(|k| u[k] += du[k]);
                pushed[number].add(beside.arm, du.map(|v| -f64::from(v) / f64::from(x[3])));
            });
        });
        self.moved(bodies)
    }
}

impl Afloat<'_> {
    /// Solves (1 + W A) D = W b; nothing if the body does not move.
    fn dragged(&self, asked: &Asked) -> [f64; 6] {
        let times = |v: [f64; 6]| -> [f64; 6] {
            let moved: [f64; 3] = std::array::from_fn(|k| if self.locked[k] { 0.0 } else { v[k] * self.inv_mass });
            let turned = self.inv_inertia.map(|row| (row[0] * v[3] + row[1] * v[4]) + row[2] * v[5]);
            [moved[0], moved[1], moved[2], turned[0], turned[1], turned[2]]
        };
        let mut right = times(std::array::from_fn(|i| asked[i]));
        let mut rows = [[0.0; 6]; 6];
        for j in 0..6 {
            let column = times(std::array::from_fn(|i| asked[6 + 6 * i + j]));
            (0..6).for_each(|i| rows[i][j] = column[i] + if i == j { 1.0 } else { 0.0 });
        }
        // Gauss, with the largest of each column first.
        for k in 0..6 {
            let best = (k..6).fold(k, |best, i| if rows[i][k].abs() > rows[best][k].abs() { i } else { best });
            rows.swap(k, best);
            right.swap(k, best);
            if rows[k][k] == 0.0 {
                return [0.0; 6];
            }
            for i in k + 1..6 {
                let share = rows[i][k] / rows[k][k];
                let of = rows[k];
                (k..6).for_each(|j| rows[i][j] -= share * of[j]);
                right[i] -= share * right[k];
            }
        }
        for k in (0..6).rev() {
            let known = (k + 1..6).fold(0.0, |sum, j| sum + rows[k][j] * right[j]);
            right[k] = (right[k] - known) / rows[k][k];
        }
        if right.iter().all(|c| c.is_finite()) { right } else { [0.0; 6] }
    }
}
