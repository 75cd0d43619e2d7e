//! Intersecting triangles of a sheet in ten layers, 3 mm apart: the whole count, boxes included, on one thread.

#![allow(missing_docs)] // criterion_group!

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use seidel::glam::Vec3;
use seidel::{Cloth, Intersections, Plan, Scene, State};
use std::time::Duration;

const LAYERS: f32 = 10.0;
const GAP: f32 = 0.003;

/// A sheet of 3 m in a zigzag, with ripples, lying or on a slope: there boxes of layers overlap.
fn folded(side: u32, slope: f32) -> (Plan, State) {
    let mut scene = Scene::new();
    let sheet = scene.add(Cloth::grid([side, side], [3.0, 3.0]));
    let plan = Plan::new(&scene).expect("a sound scene");
    let mut state = State::new(&plan);
    let mut x = vec![Vec3::ZERO; plan.vertices(sheet)];
    state.read_positions(&plan, sheet, &mut x);
    for p in &mut x {
        let along = (p.z / 3.0 + 0.5) * (LAYERS - 0.3);
        let (layer, t) = (along.floor(), along.fract());
        let y = GAP * (layer + t * t * t) + 0.01 * (9.0 * p.x).sin();
        let z = if layer % 2.0 == 0.0 { t } else { 1.0 - t } * 3.0 / LAYERS;
        *p = Vec3::new(p.x + slope * y, y + slope * (p.x + 0.5 * z), z);
    }
    state.write_positions(&plan, sheet, &x).expect("within the world");
    (plan, state)
}

fn layers(c: &mut Criterion) {
    let mut group = c.benchmark_group("intersections");
    for side in [100, 708] {
        for (name, slope) in [("lying", 0.0), ("sloping", 0.4)] {
            let (plan, state) = folded(side, slope);
            let triangles: usize = plan.body_ids().map(|body| plan.triangles(body).len()).sum();
            let mut search = Intersections::new();
            let found = search.count(&plan, &state).expect("not crowded");
            println!("{name} {triangles} triangles {found:?} {:016x}", state.hash());
            group.throughput(Throughput::Elements(triangles as u64));
            group.bench_function(format!("{name}/{triangles}"), |b| b.iter(|| search.count(&plan, &state)));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = layers
}
criterion_main!(benches);
