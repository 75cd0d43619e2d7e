//! The spatial hash: all neighbours of a cloud, the sort alone, and pairs of boxes.

#![allow(missing_docs)] // criterion_group!

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use seidel_bench::neighbours::{Cloud, NeighboursRun};
use seidel_hash::{Aabb, BoxGrid, Isa, Pairs};
use std::time::Duration;

fn neighbours(c: &mut Criterion) {
    for cloud in [Cloud::Random(100), Cloud::Block(100)] {
        let mut group = c.benchmark_group(format!("neighbours-{}", cloud.name()));
        let mut runs: Vec<(Isa, usize)> = Isa::available().into_iter().map(|isa| (isa, 1)).collect();
        runs.push((Isa::detect(), 2));
        for (isa, threads) in runs {
            let mut run = NeighboursRun::new(cloud, isa, threads);
            run.timed(1);
            println!("{} {isa} {threads} {:.1} neighbours {:016x}", cloud.name(), run.mean(), run.hash());
            group.throughput(Throughput::Elements(run.points() as u64));
            group.bench_function(format!("{isa}/{threads}"), |b| b.iter_custom(|rounds| run.timed(rounds)));
            if isa == Isa::detect() {
                group.bench_function(format!("sort/{threads}"), |b| b.iter_custom(|rounds| run.timed_build(rounds)));
            }
        }
    }
}

fn pairs(c: &mut Criterion) {
    let (points, radius) = Cloud::Random(100).points();
    // Boxes as of the triangles of a mesh that is about as fine.
    let boxes: Vec<Aabb> = points.iter().map(|&p| Aabb { low: p, high: p.map(|x| x + 0.5 * radius) }).collect();
    let mut group = c.benchmark_group("pairs-random-100k");
    group.throughput(Throughput::Elements(boxes.len() as u64));
    for isa in Isa::available() {
        let (mut grid, mut pairs) = (BoxGrid::default().on(isa), Pairs::new());
        group.bench_function(format!("{isa}/1"), |b| {
            b.iter(|| {
                grid.build(&boxes).expect("sound boxes");
                pairs.among(&grid).expect("not crowded");
            });
        });
        println!("pairs-random-100k {isa} {} pairs", pairs.len());
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = neighbours, pairs
}
criterion_main!(benches);
