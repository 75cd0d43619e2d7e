//! The clock.

use std::time::{Duration, Instant};

/// Time of a number of runs, without that of going back to the start before each.
pub(crate) fn timed<W>(work: &mut W, runs: u64, restore: impl Fn(&mut W), run: impl Fn(&mut W)) -> Duration {
    let mut time = Duration::ZERO;
    for _ in 0..runs {
        restore(work);
        let start = Instant::now();
        run(work);
        time += start.elapsed();
    }
    time
}
