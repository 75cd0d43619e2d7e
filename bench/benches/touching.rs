//! One frame of what touches itself, with that and without, on one thread and two.

#![allow(missing_docs)] // criterion_group!

use criterion::{Criterion, criterion_group, criterion_main};
use seidel_bench::Line;
use seidel_bench::touching::Touched;
use seidel_kernels::Isa;
use std::time::Duration;

fn touching(c: &mut Criterion) {
    for name in ["twist-100", "layers-100"] {
        let touched = Touched::parse(name).expect("a scene that touches itself");
        for with in [true, false] {
            let work = touched.steps(with);
            let runs = [1, 2].map(|threads| (Isa::detect(), threads));
            Line::print(&runs.map(|(isa, threads)| work.line(isa, threads)));
            let mut group = c.benchmark_group(work.name());
            for (isa, threads) in runs {
                let mut run = work.run(isa, threads);
                group.bench_function(format!("{isa}/{threads}"), |b| b.iter_custom(|frames| run.timed(frames)));
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(5));
    targets = touching
}
criterion_main!(benches);
