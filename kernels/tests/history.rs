//! Particles through substeps of second order: the same bits on every lane type and in both layouts; what is lost is
//! lost alone.

use seidel_kernels::integrate::history::{Follow, History, Weights, When};
use seidel_kernels::integrate::{Kick, Motion, OnLost, Run};
use seidel_kernels::{Isa, Layout, Row, Rows, Shared};

const COUNT: usize = 48;
const H: f32 = 1.0 / 1200.0;

/// x, r, v, u, force, d, dv, met.
struct Particles([Rows; 8], Layout);

impl Particles {
    /// Anywhere, with any velocities; every fifth is fixed.
    fn new(layout: Layout) -> Particles {
        let mut rows = [(); 8].map(|()| Rows::zeros(COUNT, 0));
        for i in 0..COUNT {
            let (a, w) = (i as f32 * 0.37, if i % 5 == 0 { 0.0 } else { 1.0 + i as f32 });
            layout.write(&mut rows[0], i, [a.sin(), 3.0 - a, 0.1 * a, w]);
            layout.write(&mut rows[2], i, [a.cos(), -a, 5.0 * a.sin(), 0.0]);
            layout.write(&mut rows[4], i, [0.1, a, -1.0, 0.0]);
        }
        Particles(rows, layout)
    }

    fn with<T>(&mut self, work: impl FnOnce(Motion<'_>, History<'_>, Run) -> T) -> T {
        let [x, r, v, u, force, d, dv, met] = &mut self.0;
        let shared = |rows| Shared::<Row>::new(rows);
        let motion = Motion { x: shared(x), r: shared(r), v: shared(v), u: shared(u), force: shared(force) };
        let history = History { d: shared(d), dv: shared(dv), met: shared(met) };
        work(motion, history, Run { start: 0, len: COUNT, layout: self.1 })
    }

    /// One substep, in which constraints move some rows and contacts others.
    fn substep(&mut self, isa: Isa, number: usize, weights: Weights, on_lost: OnLost) -> Option<usize> {
        let kick = Some(Kick { gravity: [0.0, -9.81, 1.0], keep: 0.999, share: 0.9995 });
        // SAFETY: `with` borrows all rows for this call, on this thread alone.
        self.with(|motion, history, run| unsafe {
            let by = Follow { kick, drift: true, next: weights, ..Follow::default() };
            assert_eq!(motion.follow(isa, run, history, by), None);
        });
        let layout = self.1;
        let push = |particles: &mut Particles, every: usize, by: f32| {
            for i in (number % every..COUNT).step_by(every).filter(|i| i % 5 != 0) {
                let [x, y, z, _] = layout.read(&particles.0[3], i);
                layout.write(&mut particles.0[3], i, [x + by, y - by, z, 0.0]);
            }
        };
        push(self, 3, 1e-4);
        // SAFETY: `with` borrows all rows for this call, on this thread alone.
        self.with(|motion, history, run| unsafe { motion.note(isa, run, history.met, When::First) });
        push(self, 4, 2e-3);
        // SAFETY: `with` borrows all rows for this call, on this thread alone.
        self.with(|motion, history, run| unsafe {
            motion.note(isa, run, history.met, When::After);
            let by = Follow { commit: Some((on_lost, weights)), ..Follow::default() };
            motion.follow(isa, run, history, by)
        })
    }

    fn bits(&self) -> Vec<u32> {
        let rows = [0, 1, 2, 5, 6].map(|k| &self.0[k]);
        let of = |rows: &Rows| (0..COUNT).flat_map(|i| self.1.read(rows, i)).map(f32::to_bits).collect::<Vec<_>>();
        rows.into_iter().flat_map(of).collect()
    }
}

#[test]
fn every_lane_type_and_layout_goes_on_to_the_same_bits() {
    let mut all = Vec::new();
    for layout in [Layout::Rows, Layout::Lanes] {
        for isa in Isa::available() {
            let mut particles = Particles::new(layout);
            let mut before = 0.0;
            for (number, h) in [H, H, 0.7 * H, 1.2 * H, 3.0 * H, H].into_iter().enumerate() {
                let weights = Weights::second_order(h, before);
                assert_eq!(particles.substep(isa, number, weights, OnLost::Freeze), None);
                before = h;
            }
            all.push(particles.bits());
        }
    }
    assert!(all.iter().all(|bits| *bits == all[0]));
    assert!(all[0].iter().all(|bits| f32::from_bits(*bits).is_finite()));
}

#[test]
fn a_lost_row_is_lost_alone() {
    for layout in [Layout::Rows, Layout::Lanes] {
        for (lost, on_lost) in [(f32::NAN, OnLost::Freeze), (1e10, OnLost::Freeze), (f32::INFINITY, OnLost::Keep)] {
            let mut all = Vec::new();
            for isa in Isa::available() {
                let (mut particles, mut sound) = (Particles::new(layout), Particles::new(layout));
                layout.write(&mut particles.0[2], 17, [lost * 2e3, 0.0, 0.0, 0.0]);
                let weights = Weights::second_order(H, 0.0);
                assert_eq!(particles.substep(isa, 0, weights, on_lost), Some(17));
                assert_eq!(sound.substep(isa, 0, weights, on_lost), None);
                for k in [0, 1, 2, 5, 6] {
                    for i in (0..COUNT).filter(|i| *i != 17) {
                        let of = |of: &Particles| layout.read(&of.0[k], i).map(f32::to_bits);
                        assert_eq!(of(&particles), of(&sound), "array {k}, row {i}, {isa}");
                    }
                }
                if on_lost == OnLost::Freeze {
                    let none = [1, 2, 5, 6].map(|k| layout.read(&particles.0[k], 17));
                    assert_eq!((none, layout.read(&particles.0[0], 17)[3]), ([[0.0; 4]; 4], 0.0));
                }
                all.push(particles.bits());
            }
            assert!(all.iter().all(|bits| *bits == all[0]), "{lost}");
        }
    }
}

/// Hairer, Nørsett, Wanner: x_new = x + k d + h' v is exact for a motion with constant acceleration, whatever the
/// lengths.
#[test]
fn weights_are_those_of_bdf2() {
    let even = Weights::second_order(H, H);
    assert!((even.past - 1.0 / 3.0).abs() < 1e-7 && (even.effective - 2.0 / 3.0 * H).abs() < 1e-10);
    for q in [0.01, 0.5, 1.0, 1.7, 2.0] {
        let (h, before) = (H, H / q);
        let Weights { effective, past, .. } = Weights::second_order(h, before);
        let (h, before, effective, past) = (f64::from(h), f64::from(before), f64::from(effective), f64::from(past));
        // x = t^2 / 2, v = t, from t = 0 on.
        let (d, v) = (-before * before / 2.0, h);
        assert!((past * d + effective * v - h * h / 2.0).abs() < 1e-6 * h * h, "q {q}");
        assert!((past * before + effective - h).abs() < 1e-6 * h, "q {q}");
    }
    assert_eq!(Weights::second_order(H, 0.0), Weights::first_order(H));
    assert_eq!(Weights::second_order(H, 0.4 * H), Weights::first_order(H));
}
