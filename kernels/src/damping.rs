//! Damping that keeps rigid motion (Müller et al. 2007, section 3.5), for each body.
//!
//! x_cm = sum m x / M, v_cm = sum m v / M, L = sum r x m v, I = sum m (|r|^2 1 - r r^T), omega = I^-1 L,
//! v_i += k (v_cm + omega x r_i - v_i). Particles of inverse mass 0, and those that are being lost, stay out. Sums in
//! f32 over a run, in f64 over the runs, folded in order.

use crate::integrate::history::{History, Weights, expected};
use crate::integrate::rows::{columns, in_order, put_columns};
use crate::integrate::{Motion, RigidMotion, Run};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::tuning::{LINE_INERTIA, MAX_POSITION, POINT_INERTIA};
use crate::vector::cross;
use crate::{BATCH, Chunk, InChunks, Isa, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::Use;

/// Moments of some particles about a point of their body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    mass: f64,
    /// sum m d
    first: [f64; 3],
    /// sum m v
    momentum: [f64; 3],
    /// sum d x m v
    angular: [f64; 3],
    /// sum m d d^T: xx, yy, zz, xy, yz, zx
    second: [f64; 6],
    /// Particles.
    count: f64,
}

struct Sum<'a> {
    motion: Motion<'a>,
    run: Run,
    about: [f32; 3],
    /// In place of velocities how far particles have been pushed in a substep with these weights, metres: u - (r + h
    /// v), or with a history what differs from what was expected.
    pushed: Option<(Weights, Option<History<'a>>)>,
}

impl Kernel for Sum<'_> {
    type Output = Moments;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Moments {
        let Self { motion, run, about, pushed } = self;
        // Lane by lane over the blocks of sixteen, then over the lanes: the same order on every instruction set.
        let mut lanes = [[0.0f32; BATCH]; 17];
        for chunk in Chunk::<L>::all() {
            let mut sums = [L::zero(); 17];
            let mut row = run.start + chunk.first();
            while row < run.start + run.len {
                // SAFETY: `Motion::moments` or `pushes` has checked the run, and its caller keeps writers away; WIDTH
                // divides 16.
                let ([x, y, z, w], [vx, vy, vz, _]) = unsafe {
                    (
                        in_order::<L>(motion.x.as_ptr(), run.layout, row),
                        in_order::<L>(motion.v.as_ptr(), run.layout, row),
                    )
                };
                let (x, mut v) = (V3::new(x, y, z), V3::new(vx, vy, vz));
                if let Some((weights, history)) = pushed {
                    // SAFETY: `pushes` has checked the run, and its caller keeps writers away; WIDTH divides 16.
                    let ([rx, ry, rz, _], [ux, uy, uz, _]) = unsafe {
                        (
                            in_order::<L>(motion.r.as_ptr(), run.layout, row),
                            in_order::<L>(motion.u.as_ptr(), run.layout, row),
                        )
                    };
                    let r = V3::new(rx, ry, rz);
                    let way = match history {
                        None => r + v * L::set(weights.h),
                        Some(history) => {
                            // SAFETY: `pushes` has checked the run in the history, too.
                            let [dx, dy, dz, _] = unsafe { in_order::<L>(history.d.as_ptr(), run.layout, row) };
                            expected(w.gt(L::zero()), [r, V3::new(dx, dy, dz), v], weights)
                        }
                    };
                    v = V3::new(ux, uy, uz) - way;
                }
                let counts = w.gt(L::zero()) & sane(x) & sane(v);
                // One particle that is no number (or overflows f32, 1e9 m or m/s and beyond) would make all others so.
                let m = (L::splat(1.0) / w).or_zero(counts);
                let d = (x - V3::set(about)).or_zero(counts);
                let p = v.or_zero(counts) * m;
                let (turn, f) = (d.cross(p), d * m);
                let terms = [
                    m,
                    f.x,
                    f.y,
                    f.z,
                    p.x,
                    p.y,
                    p.z,
                    turn.x,
                    turn.y,
                    turn.z,
                    f.x * d.x,
                    f.y * d.y,
                    f.z * d.z,
                    f.x * d.y,
                    f.y * d.z,
                    f.z * d.x,
                    L::splat(1.0).or_zero(counts),
                ];
                for (sum, term) in sums.iter_mut().zip(terms) {
                    *sum = *sum + term;
                }
                row += BATCH;
            }
            for (lanes, sum) in lanes.iter_mut().zip(sums) {
                lanes.store(chunk, sum);
            }
        }
        let sum = |k: usize| lanes[k].iter().fold(0.0, |sum, &term| sum + f64::from(term));
        let three = |k: usize| [sum(k), sum(k + 1), sum(k + 2)];
        let second = std::array::from_fn(|k| sum(10 + k));
        Moments { mass: sum(0), first: three(1), momentum: three(4), angular: three(7), second, count: sum(16) }
    }
}

/// Neither lost nor about to overflow.
#[inline(always)]
fn sane<L: Lanes>(v: V3<L>) -> L::Mask {
    let limit = L::splat(MAX_POSITION);
    v.x.abs().le(limit) & v.y.abs().le(limit) & v.z.abs().le(limit)
}

struct AddRigid<'a> {
    motion: Motion<'a>,
    to: To,
    run: Run,
    k: f32,
    rigid: RigidMotion,
    /// With a substep of second order: velocities before forces, to which the same is added.
    before: Option<Shared<'a, Row>>,
}

/// To what a rigid motion is added.
#[derive(PartialEq)]
enum To {
    /// Velocities, less what they are: they move towards it.
    Velocities,
    /// Displacements.
    Displacements,
}

impl Kernel for AddRigid<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Self { motion, to, run, k, rigid: RigidMotion { center, velocity, omega }, before } = self;
        let (center, velocity, omega) = (V3::<L>::set(center), V3::set(velocity), V3::set(omega));
        let towards = to == To::Velocities;
        let rows = if towards { motion.v } else { motion.u };
        let mut row = run.start;
        while row < run.start + run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps others away.
            unsafe {
                let [x, y, z, w] = columns::<L>(motion.x.as_ptr(), run.layout, row);
                let [vx, vy, vz, rest] = columns::<L>(rows.as_ptr(), run.layout, row);
                let v = V3::new(vx, vy, vz);
                let rigid = velocity + omega.cross(V3::new(x, y, z) - center);
                let dv = if towards { rigid - v } else { rigid };
                let dv = (dv * L::set(k)).or_zero(w.gt(L::zero()));
                let v = v + dv;
                put_columns([v.x, v.y, v.z, rest], rows, run.layout, row);
                if let Some(before) = before {
                    // Damping is no force that goes on.
                    let [bx, by, bz, rest] = columns::<L>(before.as_ptr(), run.layout, row);
                    put_columns([bx + dv.x, by + dv.y, bz + dv.z, rest], before, run.layout, row);
                }
            }
            row += L::WIDTH;
        }
    }
}

impl Motion<'_> {
    /// Moments of a run of rows about a point near them. Rows of inverse mass 0, and those that are being lost, stay
    /// out.
    ///
    /// # Panics
    /// If the run is not within the rows.
    ///
    /// # Safety
    /// Nobody writes these rows meanwhile.
    #[must_use]
    pub unsafe fn moments(self, isa: Isa, run: Run, about: [f32; 3]) -> Moments {
        self.check(run);
        isa.dispatch(Sum { motion: self, run, about, pushed: None })
    }

    /// The same of how far a substep has pushed them so far in place of velocities, metres: u - (r + h v), or with a
    /// history what differs from what was expected.
    ///
    /// # Panics
    /// If the run is not within the rows.
    ///
    /// # Safety
    /// Nobody writes these rows meanwhile.
    #[must_use]
    pub unsafe fn pushes(
        self,
        isa: Isa,
        run: Run,
        about: [f32; 3],
        (weights, history): (Weights, Option<History<'_>>),
    ) -> Moments {
        self.check(run);
        if let Some(history) = history {
            run.check([history.d.len()]);
        }
        isa.dispatch(Sum { motion: self, run, about, pushed: Some((weights, history)) })
    }

    /// Takes a rigid push (m, rad) off displacements: `u -= v_cm + omega x (x - center)` where w > 0.
    ///
    /// # Panics
    /// If the run is not within the rows.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn take_off(self, isa: Isa, run: Run, rigid: RigidMotion) {
        self.check(run);
        self.u.claim(run.start, run.len, Use::Write);
        isa.dispatch(AddRigid { motion: self, to: To::Displacements, run, k: -1.0, rigid, before: None });
    }

    /// Moves velocities towards a rigid motion: `v += k (v_cm + omega x (x - center) - v)` where w > 0. With a substep
    /// of second order the same is added to the velocities before forces ([`History::dv`]).
    ///
    /// # Panics
    /// If the run is not within the rows.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    pub unsafe fn damp(self, isa: Isa, run: Run, (k, rigid): (f32, RigidMotion), before: Option<Shared<'_, Row>>) {
        self.check(run);
        if let Some(before) = before {
            run.check([before.len()]);
        }
        self.v.claim(run.start, run.len, Use::Write);
        isa.dispatch(AddRigid { motion: self, to: To::Velocities, run, k, rigid, before });
    }
}

impl Moments {
    /// None that has been found.
    pub const UNKNOWN: Moments = Moments {
        mass: f64::NAN,
        first: [f64::NAN; 3],
        momentum: [f64::NAN; 3],
        angular: [f64::NAN; 3],
        second: [f64::NAN; 6],
        count: f64::NAN,
    };

    /// Adds the next block.
    pub fn add(&mut self, other: &Moments) {
        self.mass += other.mass;
        self.count += other.count;
        for k in 0..3 {
            self.first[k] += other.first[k];
            self.momentum[k] += other.momentum[k];
            self.angular[k] += other.angular[k];
        }
        for k in 0..6 {
            self.second[k] += other.second[k];
        }
    }

    /// Number of particles that count: neither of inverse mass 0 nor being lost.
    #[must_use]
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Without what moved them before, of the same particles.
    #[must_use]
    pub fn since(mut self, before: &Moments) -> Moments {
        for k in 0..3 {
            self.momentum[k] -= before.momentum[k];
            self.angular[k] -= before.angular[k];
        }
        self
    }

    /// The rigid motion with the same momentum and angular momentum. A line does not turn about itself, nor a point at
    /// all.
    #[must_use]
    pub fn rigid(&self, about: [f32; 3]) -> RigidMotion {
        if self.mass <= 0.0 {
            return RigidMotion::default();
        }
        let d = self.first.map(|f| f / self.mass);
        let v = self.momentum.map(|p| p / self.mass);
        let lost = cross(d, self.momentum);
        let l: [f64; 3] = std::array::from_fn(|k| self.angular[k] - lost[k]);
        // sum m r r^T = sum m d d^T - M d d^T, then I = trace 1 - it.
        let s: [f64; 6] = std::array::from_fn(|k| {
            let (a, b) = if k < 3 { (k, k) } else { (k - 3, (k - 2) % 3) };
            self.second[k] - self.mass * d[a] * d[b]
        });
        let trace = s[0] + s[1] + s[2];
        let (a, b, c) = (trace - s[0], trace - s[1], trace - s[2]);
        let (xy, yz, zx) = (-s[3], -s[4], -s[5]);
        // Cofactors of the symmetric I.
        let co =
            [b * c - yz * yz, zx * yz - xy * c, xy * yz - b * zx, a * c - zx * zx, xy * zx - a * yz, a * b - xy * xy];
        let det = a * co[0] + xy * co[1] + zx * co[2];
        let singular = det <= LINE_INERTIA * trace * trace * trace;
        let omega = if singular {
            // Of a line sum m r r^T = trace d d^T: about all axes across it I is the trace. Of a point rounding is
            // left.
            let far = trace > POINT_INERTIA * (self.second[0] + self.second[1] + self.second[2]);
            l.map(|l| if far { l / trace } else { 0.0 })
        } else {
            [
                (co[0] * l[0] + co[1] * l[1] + co[2] * l[2]) / det,
                (co[1] * l[0] + co[3] * l[1] + co[4] * l[2]) / det,
                (co[2] * l[0] + co[4] * l[1] + co[5] * l[2]) / det,
            ]
        };
        RigidMotion {
            center: std::array::from_fn(|k| (f64::from(about[k]) + d[k]) as f32),
            velocity: v.map(|v| v as f32),
            omega: omega.map(|o| o as f32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Row, Rows};
    use seidel_workers::Shared;

    fn of(x: &[Row], v: &[Row], about: [f32; 3]) -> Moments {
        let all = |layout: Layout| {
            let mut rows = [Rows::zeros(16, 0), Rows::zeros(16, 0), Rows::zeros(16, 0), Rows::zeros(16, 0)];
            for (i, (x, v)) in x.iter().zip(v).enumerate() {
                layout.write(&mut rows[0], i, *x);
                layout.write(&mut rows[1], i, *v);
            }
            let [x, v, r, u] = &mut rows;
            let shared = |rows| Shared::<Row>::new(rows);
            let motion = Motion { x: shared(x), v: shared(v), r: shared(r), u: shared(u), force: Shared::new(&mut []) };
            let run = Run { start: 0, len: 16, layout };
            // SAFETY: the rows are this function's.
            let moments = Isa::available().into_iter().map(|isa| unsafe { motion.moments(isa, run, about) });
            moments.collect::<Vec<_>>()
        };
        let found = [all(Layout::Rows), all(Layout::Lanes)].concat();
        let bits = |m: &Moments| [m.mass, m.first[0], m.momentum[1], m.angular[2], m.second[5]].map(f64::to_bits);
        assert!(found.iter().all(|m| bits(m) == bits(&found[0])), "{found:?}");
        found[0]
    }

    #[test]
    fn a_rigid_motion_is_found_again() {
        let (velocity, omega) = ([1.0f32, -2.0, 0.5], [0.3f32, 0.7, -1.1]);
        let x: Vec<Row> =
            (0..7).map(|i| [(i * i) as f32 * 0.1, (i % 3) as f32, (i % 2) as f32, 0.5 + i as f32]).collect();
        let mut still = of(&x, &[[0.0; 4]; 7], [0.0; 3]).rigid([0.0; 3]);
        assert_eq!((still.velocity, still.omega), ([0.0; 3], [0.0; 3]));
        (still.velocity, still.omega) = (velocity, omega);
        let v: Vec<Row> = x
            .iter()
            .map(|x| {
                let r: [f32; 3] = std::array::from_fn(|k| x[k] - still.center[k]);
                let turn = [
                    omega[1] * r[2] - omega[2] * r[1],
                    omega[2] * r[0] - omega[0] * r[2],
                    omega[0] * r[1] - omega[1] * r[0],
                ];
                [velocity[0] + turn[0], velocity[1] + turn[1], velocity[2] + turn[2], 0.0]
            })
            .collect();
        let found = of(&x, &v, [5.0, 1.0, 2.0]).rigid([5.0, 1.0, 2.0]);
        for k in 0..3 {
            assert!((found.velocity[k] - velocity[k]).abs() < 1e-5, "{found:?}");
            assert!((found.omega[k] - omega[k]).abs() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn a_line_turns_across_itself_and_a_point_does_not() {
        let v = [[0.0, 1.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]];
        let line = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
        assert_eq!(of(&line, &v, [0.0; 3]).rigid([0.0; 3]).omega, [0.0, 0.0, -2.0]);
        let point = [[1.0, 0.0, 0.0, 1.0]; 2];
        assert_eq!(of(&point, &v, [0.0; 3]).rigid([0.0; 3]).omega, [0.0; 3]);
    }
}
