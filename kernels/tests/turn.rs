//! Frames through a substep: the same bits on every lane type, exact where nothing happens, lost ones lost alone.

use seidel_kernels::integrate::{Motion, OnLost, Run, Turning};
use seidel_kernels::{Isa, Layout, Row, Rows, Shared};

const COUNT: usize = 48;
const H: f32 = 1.0 / 1200.0;

/// x, v, r, u of frames: turned anyhow, every fifth one fixed.
#[derive(Clone)]
struct Frames([Rows; 4]);

fn frames() -> Frames {
    let mut rows = [(); 4].map(|()| Rows::zeros(COUNT, 0));
    let [x, v, r, u] = &mut rows;
    for (i, (((x, v), r), u)) in x.iter_mut().zip(v.iter_mut()).zip(r.iter_mut()).zip(u.iter_mut()).enumerate() {
        let (a, w) = (i as f32 * 0.37, if i % 5 == 0 { 0.0 } else { 1.0 + i as f32 });
        let q = [a.sin(), 0.3 * a.cos(), 0.5, 1.0 - 0.02 * i as f32];
        let length = q.iter().map(|c| c * c).sum::<f32>().sqrt();
        *x = q.map(|c| c / length);
        *v = if w > 0.0 { [a.cos(), 3.0 - a, 50.0 * a.sin(), 0.0] } else { [0.0; 4] };
        *r = [0.0, 0.0, 0.0, w];
        *u = [f32::NAN; 4];
    }
    Frames(rows)
}

impl Frames {
    fn turn(&mut self, isa: Isa, by: Turning) -> Option<usize> {
        let [x, v, r, u] = &mut self.0;
        let shared = |rows| Shared::<Row>::new(rows);
        let motion = Motion { x: shared(x), v: shared(v), r: shared(r), u: shared(u), force: Shared::new(&mut []) };
        // SAFETY: the rows are this function's.
        unsafe { motion.turn(isa, Run { start: 0, len: COUNT, layout: Layout::Rows }, by) }
    }

    fn predict(&mut self, isa: Isa) {
        assert_eq!(self.turn(isa, Turning { h: H, drift: true, ..Turning::default() }), None);
    }

    fn commit(&mut self, isa: Isa, on_lost: OnLost) -> Option<usize> {
        self.turn(isa, Turning { h: H, commit: Some(on_lost), ..Turning::default() })
    }

    fn bits(&self, arrays: usize) -> Vec<u32> {
        self.0[..arrays].iter().flat_map(|rows| rows.as_flattened().iter().map(|c| c.to_bits())).collect()
    }
}

#[test]
fn every_lane_type_turns_to_the_same_bits() {
    let mut all = Vec::new();
    for isa in Isa::available() {
        let mut frames = frames();
        for _ in 0..3 {
            frames.predict(isa);
            for (i, u) in frames.0[3].iter_mut().enumerate().filter(|(i, _)| i % 5 != 0) {
                u[i % 3] = 1e-3 * i as f32;
            }
            assert_eq!(frames.commit(isa, OnLost::Freeze), None);
            let pull = Some((0.25, [1.0, -2.0, 0.5]));
            assert_eq!(frames.turn(isa, Turning { h: H, pull, ..Turning::default() }), None);
        }
        let lengths = frames.0[0].iter().map(|q| q.iter().map(|c| c * c).sum::<f32>());
        assert!(lengths.into_iter().all(|squared| (squared - 1.0).abs() < 1e-6));
        all.push(frames.bits(4));
    }
    assert!(all.iter().all(|bits| *bits == all[0]));
}

#[test]
fn what_nothing_touches_keeps_its_velocity_and_what_rests_its_rotation() {
    let (before, mut frames) = (frames(), frames());
    for _ in 0..100 {
        frames.predict(Isa::detect());
        assert_eq!(frames.commit(Isa::detect(), OnLost::Freeze), None);
    }
    assert_eq!(frames.0[1], before.0[1]);
    for (i, (q, from)) in frames.0[0].iter().zip(before.0[0].iter()).enumerate() {
        assert_eq!(q == from, i % 5 == 0, "frame {i}");
    }
}

/// A damped share of what differs from a rigid motion's; fixed ones have no velocity of their own.
#[test]
fn damping_pulls_what_is_free() {
    let mut frames = frames();
    let pull = Some((1.0, [1.0, 2.0, 3.0]));
    assert_eq!(frames.turn(Isa::detect(), Turning { h: H, pull, ..Turning::default() }), None);
    for (i, v) in frames.0[1].iter().enumerate() {
        let want = if i % 5 == 0 { [0.0; 3] } else { [1.0, 2.0, 3.0] };
        assert!(v.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5), "frame {i}: {v:?}");
    }
}

#[test]
fn what_is_lost_is_lost_alone() {
    for (wrong, on_lost) in [(f32::NAN, OnLost::Freeze), (1e9, OnLost::Freeze), (f32::INFINITY, OnLost::Keep)] {
        let mut all = Vec::new();
        for isa in Isa::available() {
            let (mut good, before) = (frames(), frames());
            let mut frames = frames();
            for frames in [&mut good, &mut frames] {
                frames.predict(isa);
            }
            frames.0[3][21][1] = wrong;
            assert_eq!(good.commit(isa, on_lost), None);
            assert_eq!(frames.commit(isa, on_lost), Some(21));
            for i in (0..COUNT).filter(|i| *i != 21) {
                let same = frames.0.iter().zip(&good.0).take(3).all(|(a, b)| a[i] == b[i]);
                assert!(same, "frame {i}");
            }
            let near = |a: Row, b: Row| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
            let frozen =
                near(frames.0[0][21], before.0[0][21]) && frames.0[1][21] == [0.0; 4] && frames.0[2][21] == [0.0; 4];
            assert_eq!(frozen, on_lost == OnLost::Freeze);
            all.push(frames.bits(3));
        }
        assert!(all.iter().all(|bits| *bits == all[0]), "{wrong}");
    }
}
