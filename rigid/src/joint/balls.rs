//! Sixteen ball joints that share no body which moves, in lanes: the same bits as [`Ball`] one by one, at a tenth of
//! the time.
//!
//! A net of 10,000 balls on 19,800 joints is 24 MB of [`super::JointRows`]; sweeps over these wait for memory. What a
//! ball needs is 2.5 kB a batch, and it is made without them.

use super::ball::Ball;
use super::measure::Anchors;
use super::pairs::{NO_VELOCITIES, Pairs, Velocities, store};
use super::{Joint, JointBatch, JointStage, JointState, Load, Pose};
use crate::contact::NONE;
use crate::{BodyRow, Softness};
use seidel_kernels::lanes::{Dispatch, Kernel};
use seidel_kernels::{Chunk, InChunks, Isa, Lanes, Pack, Shared, V3};

/// Up to sixteen ball joints without limits.
#[derive(Clone, Debug)]
pub struct Balls {
    pairs: Pairs,
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

impl Balls {
    /// None yet, for substeps of `h` seconds. `nobody` is a row of a body that does not move.
    #[must_use]
    pub fn new(nobody: u32, h: f32) -> Balls {
        Balls {
            pairs: Pairs::new(nobody),
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
}

impl JointBatch for Balls {
    /// Of joints for which [`Joint::is_ball`] is true.
    fn add(&mut self, number: u32, joint: &Joint, kept: &JointState, at: [&Pose; 2], moves: [bool; 2]) -> bool {
        let Some(lane) = self.pairs.add(number, joint, moves) else { return false };
        let Anchors { arms: [ra, rb], gap, .. } = Anchors::new(joint, at);
        self.crowding.0[lane] = joint.crowding[0];
        let [x, y, z, ..] = kept.hold;
        let of = [ra, rb, gap].map(|v| V3::new(v.x as f32, v.y as f32, v.z as f32));
        for (packs, v) in self.start.iter_mut().chain([&mut self.impulse]).zip(of.into_iter().chain([V3::new(x, y, z)]))
        {
            (packs[0].0[lane], packs[1].0[lane], packs[2].0[lane]) = (v.x, v.y, v.z);
        }
        true
    }

    fn numbers(&self) -> &[u32] {
        self.pairs.numbers()
    }

    unsafe fn sweep(&mut self, isa: Isa, bodies: Shared<'_, BodyRow>, still: &[bool], stage: JointStage) {
        if stage == JointStage::Warm {
            if self.substeps > 0 {
                for (sum, impulse) in self.sum.iter_mut().zip(&self.impulse) {
                    sum.0.iter_mut().zip(&impulse.0).for_each(|(sum, impulse)| *sum += impulse);
                }
            }
            self.substeps = self.substeps.saturating_add(1);
            self.pairs.begin(still);
        }
        self.pairs.claim(bodies);
        // The sweep with bias is the last before poses move.
        let refreshes = std::mem::replace(&mut self.stale, stage == JointStage::Biased);
        let mut out = NO_VELOCITIES;
        isa.dispatch(Swept { balls: self, bodies, stage, refreshes, out: &mut out });
        // SAFETY: the caller promises what `write` asks for.
        unsafe { self.pairs.write(bodies, &out) };
    }

    /// A force, and no torque.
    fn load(&self, lane: usize) -> Load {
        if self.substeps == 0 {
            return Load::default();
        }
        let of = |packs: &[Pack<f32>; 3]| V3::new(packs[0].0[lane], packs[1].0[lane], packs[2].0[lane]);
        let impulse: V3<f32> = of(&self.sum) + of(&self.impulse);
        Load::mean([impulse, V3::zero()], self.h * self.substeps as f32)
    }

    fn store(&self, lane: usize, joint: &Joint, kept: &JointState) -> JointState {
        let state = JointState { angle: kept.angle, turns: kept.turns, ..JointState::default() };
        if self.load(lane).breaks(joint) {
            return state.broken();
        }
        let [x, y, z] = self.impulse.each_ref().map(|pack| pack.0[lane]);
        JointState { hold: [x, y, z, 0.0, 0.0, 0.0], ..state }
    }
}

struct Swept<'a> {
    balls: &'a mut Balls,
    bodies: Shared<'a, BodyRow>,
    stage: JointStage,
    refreshes: bool,
    out: &'a mut Velocities,
}

impl Kernel for Swept<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Swept { balls, bodies, stage, refreshes, out } = self;
        for chunk in Chunk::<L>::all() {
            // SAFETY: `JointBatch::sweep` has claimed them, and its caller keeps others away.
            let [(mut a, moved_a), (mut b, moved_b)] = unsafe { balls.pairs.read(chunk, bodies) };
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
                ball.refresh([&a, &b], [moved_a.dx, moved_b.dx], [moved_a.turn, moved_b.turn]);
                for (packs, v) in balls.now.iter_mut().zip(ball.now) {
                    packs.store(chunk, v);
                }
                for (pack, x) in balls.factors.iter_mut().zip(ball.factors) {
                    pack.store(chunk, x);
                }
            }
            match stage {
                JointStage::Warm => ball.warm_start([&mut a, &mut b]),
                JointStage::Biased => ball.solve([&mut a, &mut b], balls.rigid),
                JointStage::Relaxed => ball.solve([&mut a, &mut b], balls.rigid.relaxed()),
            }
            balls.impulse.store(chunk, ball.impulse);
            store(chunk, out, [&a, &b]);
        }
    }
}
