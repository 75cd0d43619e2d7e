//! Sixteen ball joints that share no body which moves, in lanes: the same bits as [`Ball`] one by one, at a tenth of
//! the time.
//!
//! A net of 10,000 balls on 19,800 joints is 24 MB of [`super::JointRows`]; sweeps over these wait for memory. What a
//! ball needs is 2.5 kB a batch, and it is made without them.

use super::ball::{Ball, BodyLanes};
use super::measure::Anchors;
use super::{Joint, JointState, Load, Pose, WORLD};
use crate::contact::lanes::{DIAGONAL, DX, SIDES, TURN, V, W, columns};
use crate::contact::{NONE, PAIRS};
use crate::{BodyRow, Softness};
use seidel_kernels::claims::Use;
use seidel_kernels::lanes::{Dispatch, Kernel};
use seidel_kernels::{BATCH, Chunk, InChunks, Isa, Lanes, Pack, Quat, Shared, Symmetric, V3};

/// Up to sixteen ball joints without limits.
#[derive(Clone, Debug)]
pub struct Balls {
    /// The numbers that the caller gave them.
    numbers: [u32; BATCH],
    /// Where both bodies' rows begin, in pairs of numbers.
    read: [[u32; BATCH]; 2],
    /// The lanes whose bodies move, and of these those that give way in this substep: bit i for lane i.
    moves: [u16; 2],
    free: [u16; 2],
    count: usize,
    /// The last row that it takes.
    last: u32,
    /// See [`Ball`].
    start: [[Pack<f32>; 3]; 3],
    now: [[Pack<f32>; 3]; 3],
    factors: [Pack<f32>; 6],
    impulse: [Pack<f32>; 3],
    crowding: Pack<f32>,
    /// Impulses of the substeps so far but the last.
    sum: [Pack<f32>; 3],
    substeps: u32,
    /// Seconds of a substep.
    h: f32,
    rigid: Softness,
    /// Poses have moved since.
    stale: bool,
}

/// The kinds of sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sweep {
    WarmStart,
    Biased,
    Relaxing,
}

impl Balls {
    /// None yet, for substeps of `h` seconds. `nobody` is a row of a body that does not move.
    #[must_use]
    pub fn new(nobody: u32, h: f32) -> Balls {
        Balls {
            numbers: [u32::MAX; BATCH],
            read: [[nobody * PAIRS; BATCH]; 2],
            moves: [0; 2],
            free: [0; 2],
            count: 0,
            last: nobody,
            start: [[NONE; 3]; 3],
            now: [[NONE; 3]; 3],
            factors: [NONE; 6],
            impulse: [NONE; 3],
            crowding: NONE,
            sum: [NONE; 3],
            substeps: 0,
            h,
            rigid: Softness::rigid(h),
            stale: true,
        }
    }

    /// Adds a joint ([`Joint::is_ball`]) where its bodies are as the step begins. None of these that moves is another's
    /// here. Returns whether there was room.
    pub fn add(&mut self, number: u32, joint: &Joint, kept: &JointState, at: [&Pose; 2], moves: [bool; 2]) -> bool {
        if self.count == BATCH {
            return false;
        }
        let lane = self.count;
        self.count += 1;
        self.numbers[lane] = number;
        for (k, body) in joint.bodies.into_iter().enumerate().filter(|(_, body)| *body != WORLD) {
            self.read[k][lane] = body * PAIRS;
            self.moves[k] |= u16::from(moves[k]) << lane;
            self.last = self.last.max(body);
        }
        let Anchors { arms: [ra, rb], gap, .. } = Anchors::new(joint, at);
        self.crowding.0[lane] = joint.crowding;
        let [x, y, z, ..] = kept.hold;
        let of = [ra, rb, gap].map(|v| V3::new(v.x as f32, v.y as f32, v.z as f32));
        for (packs, v) in self.start.iter_mut().chain([&mut self.impulse]).zip(of.into_iter().chain([V3::new(x, y, z)]))
        {
            (packs[0].0[lane], packs[1].0[lane], packs[2].0[lane]) = (v.x, v.y, v.z);
        }
        true
    }

    /// How many there are, and the number of each.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.numbers[..self.count]
    }

    /// Begins a substep: the last one's impulses again. `still` are bodies that give way to nothing, whatever was said
    /// when they were added.
    ///
    /// # Safety
    /// Nobody else uses the rows of these joints' bodies that move, nor writes those of the others; and no body that
    /// moves is in two of them.
    pub unsafe fn warm_start(&mut self, isa: Isa, bodies: Shared<'_, BodyRow>, still: &[bool]) {
        if self.substeps > 0 {
            for (sum, impulse) in self.sum.iter_mut().zip(&self.impulse) {
                sum.0.iter_mut().zip(&impulse.0).for_each(|(sum, impulse)| *sum += impulse);
            }
        }
        self.substeps = self.substeps.saturating_add(1);
        for (k, moves) in self.moves.into_iter().enumerate() {
            let gives = |lane: &usize| still.get((self.read[k][*lane] / PAIRS) as usize).is_some_and(|still| !*still);
            let free = (0..self.count).filter(|lane| moves >> lane & 1 != 0).filter(gives);
            self.free[k] = free.fold(0, |free, lane| free | 1 << lane);
        }
        self.sweep(isa, bodies, Sweep::WarmStart);
    }

    /// One sweep, with bias before poses move, without it after. Bodies that were still in [`Balls::warm_start`] are so
    /// here.
    ///
    /// # Safety
    /// As for [`Balls::warm_start`].
    pub unsafe fn solve(&mut self, isa: Isa, bodies: Shared<'_, BodyRow>, biased: bool) {
        self.sweep(isa, bodies, if biased { Sweep::Biased } else { Sweep::Relaxing });
        self.stale = biased;
    }

    /// Ends the step for one of them: what is kept, and whether the joint broke. `kept` as for [`Balls::add`].
    #[must_use]
    pub fn store(&self, lane: usize, joint: &Joint, kept: &JointState) -> JointState {
        let state = JointState { angle: kept.angle, turns: kept.turns, ..JointState::default() };
        if self.load(lane).lengths()[0] > joint.break_force {
            return JointState { broken: true, ..state };
        }
        let [x, y, z] = self.impulse.each_ref().map(|pack| pack.0[lane]);
        JointState { hold: [x, y, z, 0.0, 0.0, 0.0], ..state }
    }

    /// What one of them carried in this step: a force, and no torque.
    #[must_use]
    pub fn load(&self, lane: usize) -> Load {
        if self.substeps == 0 {
            return Load::default();
        }
        let per_second = 1.0 / (self.h * self.substeps as f32);
        let force = [0, 1, 2].map(|k| (self.sum[k].0[lane] + self.impulse[k].0[lane]) * per_second);
        Load { force, torque: [0.0; 3] }
    }

    fn sweep(&mut self, isa: Isa, bodies: Shared<'_, BodyRow>, sweep: Sweep) {
        assert!((self.last as usize) < bodies.len(), "joints of other bodies");
        let free = self.free;
        if cfg!(debug_assertions) {
            for (k, lane) in (0..2).flat_map(|k| (0..BATCH).map(move |lane| (k, lane))) {
                let of = if free[k] >> lane & 1 != 0 { Use::Write } else { Use::Read };
                bodies.claim((self.read[k][lane] / PAIRS) as usize, 1, of);
            }
        }
        let refreshes = std::mem::take(&mut self.stale);
        let mut out = [[[NONE; 3]; 2]; 2];
        isa.dispatch(Swept { balls: self, bodies, sweep, refreshes, out: &mut out });
        for (k, [v, w]) in out.iter().enumerate() {
            let mut lanes = free[k];
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                // SAFETY: the index is below the length, as was checked above, and the caller promises that nobody else
                // uses this row.
                let row = unsafe { &mut bodies.part((self.read[k][lane] / PAIRS) as usize, 1)[0] };
                row.v = [v[0].0[lane], v[1].0[lane], v[2].0[lane], row.v[3]];
                row.w = [w[0].0[lane], w[1].0[lane], w[2].0[lane], row.w[3]];
            }
        }
    }
}

struct Swept<'a> {
    balls: &'a mut Balls,
    bodies: Shared<'a, BodyRow>,
    sweep: Sweep,
    refreshes: bool,
    /// Velocities and angular velocities of both bodies.
    out: &'a mut [[[Pack<f32>; 3]; 2]; 2],
}

/// A body in lanes, and where it has gone since the step began.
///
/// # Safety
/// As for `columns`.
#[inline(always)]
unsafe fn body<L: Lanes<Elem = f32>>(bodies: *const BodyRow, at: *const u32) -> (BodyLanes<L>, V3<L>, Quat<L>) {
    // SAFETY: the caller promises WIDTH numbers of rows at `at` that are among the bodies, which nobody else uses.
    unsafe {
        let ([vx, vy, vz, m], [wx, wy, wz, lx]) = (columns::<L>(bodies, V, at), columns::<L>(bodies, W, at));
        let ([dx, dy, dz, _], [qx, qy, qz, qw]) = (columns::<L>(bodies, DX, at), columns::<L>(bodies, TURN, at));
        let ([xx, yy, zz, ly], [xy, yz, xz, lz]) =
            (columns::<L>(bodies, DIAGONAL, at), columns::<L>(bodies, SIDES, at));
        let zero = L::zero();
        let inv_mass = V3::new(m.or_zero(lx.le(zero)), m.or_zero(ly.le(zero)), m.or_zero(lz.le(zero)));
        let (v, w) = (V3::new(vx, vy, vz), V3::new(wx, wy, wz));
        let inv_inertia = Symmetric { xx, yy, zz, xy, yz, xz };
        let turn = Quat::new(V3::new(qx, qy, qz), qw);
        (BodyLanes { v, w, inv_mass, inv_inertia }, V3::new(dx, dy, dz), turn)
    }
}

impl Kernel for Swept<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Swept { balls, bodies, sweep, refreshes, out } = self;
        for chunk in Chunk::<L>::all() {
            let [read_a, read_b] = [chunk.of(&balls.read[0]), chunk.of(&balls.read[1])];
            // SAFETY: indices are of rows, as `sweep` has checked; its caller keeps others away.
            let [(mut a, dxa, turn_a), (mut b, dxb, turn_b)] =
                unsafe { [body::<L>(bodies.as_ptr(), read_a), body::<L>(bodies.as_ptr(), read_b)] };
            let mut ball = Ball {
                start: [balls.start[0].load(chunk), balls.start[1].load(chunk), balls.start[2].load(chunk)],
                now: [balls.now[0].load(chunk), balls.now[1].load(chunk), balls.now[2].load(chunk)],
                factors: [
                    balls.factors[0].load(chunk),
                    balls.factors[1].load(chunk),
                    balls.factors[2].load(chunk),
                    balls.factors[3].load(chunk),
                    balls.factors[4].load(chunk),
                    balls.factors[5].load(chunk),
                ],
                impulse: balls.impulse.load(chunk),
                crowding: balls.crowding.load(chunk),
            };
            if refreshes {
                ball.refresh([&a, &b], [dxa, dxb], [turn_a, turn_b]);
                for (packs, v) in balls.now.iter_mut().zip(ball.now) {
                    packs.store(chunk, v);
                }
                for (pack, x) in balls.factors.iter_mut().zip(ball.factors) {
                    pack.store(chunk, x);
                }
            }
            match sweep {
                Sweep::WarmStart => ball.warm_start([&mut a, &mut b]),
                Sweep::Biased => ball.solve([&mut a, &mut b], balls.rigid),
                Sweep::Relaxing => ball.solve([&mut a, &mut b], balls.rigid.relaxed()),
            }
            balls.impulse.store(chunk, ball.impulse);
            let [[va, wa], [vb, wb]] = out;
            va.store(chunk, a.v);
            wa.store(chunk, a.w);
            vb.store(chunk, b.v);
            wb.store(chunk, b.w);
        }
    }
}
