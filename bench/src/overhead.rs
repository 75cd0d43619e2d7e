//! What a step costs beside its work: its fixed part, and a worker that has to be woken.

use crate::entry::Entry;
use seidel::{Cloth, Execution, Input, Isa, Plan, Rope, Scene, Scratch, State, step};
use std::time::{Duration, Instant};

/// So long nobody steps before a worker is woken: it has parked long before.
const PAUSE: Duration = Duration::from_millis(1);
/// Length of a step, s.
const DT: f32 = 1e-3;

/// A scene that is stepped on so many threads, one substep a step.
struct Stepped {
    plan: Plan,
    state: State,
    scratch: Scratch,
}

impl Stepped {
    fn new(mut scene: Scene, threads: usize) -> Stepped {
        scene.settings.substeps = 1.into();
        let plan = Plan::new(&scene).expect("a rope or a grid is sound");
        let scratch = Scratch::new(&plan, Execution::new(Isa::detect(), threads));
        Stepped { state: State::new(&plan), plan, scratch }
    }

    /// Microseconds of so many steps after a pause, the middle of many.
    fn median(&mut self, steps: u32, pause: Duration, rounds: usize) -> f64 {
        let input = Input::frame(DT);
        let mut times: Vec<f64> = (0..rounds.max(1))
            .map(|_| {
                std::thread::sleep(pause);
                let begin = Instant::now();
                for _ in 0..steps {
                    step(&self.plan, &mut self.state, &input, &mut self.scratch);
                }
                begin.elapsed().as_secs_f64() * 1e6 / f64::from(steps)
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }
}

/// Microseconds of a step, the middle of many: of a rope of two particles; of a cloth of 64 x 64 that the caller steps
/// alone after a pause, with a worker that is ready, and with one that parks and is woken.
#[must_use]
pub fn overhead(quick: bool) -> Vec<Entry> {
    let rounds = if quick { 50 } else { 500 };
    let rope = || {
        let mut scene = Scene::new();
        scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 2));
        scene
    };
    let cloth = || {
        let mut scene = Scene::new();
        scene.add(Cloth::grid([64, 64], [1.0, 1.0]).bend(1e3));
        scene
    };
    let entry = |work: &str, threads, us: f64| {
        println!("    {work:<26} {threads} median {us:9.3} us of {rounds}");
        Entry::here(work, Isa::detect().name(), threads, us, "us").median(us)
    };
    vec![
        entry("step-of-two-particles", 1, Stepped::new(rope(), 1).median(100, Duration::ZERO, rounds)),
        entry("grid-64-after-a-pause", 1, Stepped::new(cloth(), 1).median(1, PAUSE, rounds)),
        entry("grid-64-worker-ready", 2, Stepped::new(cloth(), 2).median(20, Duration::ZERO, rounds)),
        entry("grid-64-worker-parked", 2, Stepped::new(cloth(), 2).median(1, PAUSE, rounds)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_takes_time() {
        let entries = overhead(true);
        let of = |work: &str, threads| {
            let found = entries.iter().find(|e| e.work == work && e.threads == threads);
            found.unwrap_or_else(|| panic!("{work} on {threads}: {entries:?}"))
        };
        assert_eq!(entries.len(), 4);
        assert!(entries.iter().all(|e| e.value.is_finite() && e.unit == "us"), "{entries:?}");
        for (work, threads) in [
            ("step-of-two-particles", 1),
            ("grid-64-after-a-pause", 1),
            ("grid-64-worker-ready", 2),
            ("grid-64-worker-parked", 2),
        ] {
            assert!(of(work, threads).value > 0.0, "{entries:?}");
        }
    }
}
