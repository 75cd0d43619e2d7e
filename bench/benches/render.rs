//! A frame of vertex normals and of a render mesh, on one thread: time a vertex, for every lane type.
//!
//! `normals` reads positions and writes normals of n x n vertices. `skin` does the same for a simulated mesh of n x n
//! and writes positions and normals of a render mesh of n x n; `bind` makes it, on all cores.

#![allow(missing_docs)] // criterion_group!

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use seidel::glam::Vec3;
use seidel::render::{Normals, Skin};
use seidel::{Isa, Mesh};
use seidel_bench::meshes::{grid, irregular};
use std::time::Duration;

/// Simulated mesh and render mesh: the render mesh is a smaller grid, 5 mm above and off the vertices.
fn meshes(name: &str, n: u32) -> (Mesh, Mesh) {
    let mut render = grid(n);
    for [x, y, z] in &mut render.positions {
        (*x, *y, *z) = (0.93 * *x, 0.005, 0.93 * *z);
    }
    (if name == "grid" { grid(n) } else { irregular(n) }, render)
}

fn frames(c: &mut Criterion) {
    for (name, n) in [("grid", 100), ("grid", 1000), ("irregular", 100), ("irregular", 1000)] {
        let (mesh, fine) = meshes(name, n);
        let count = mesh.positions.len();
        let x: Vec<Vec3> =
            mesh.positions.iter().map(|&[x, y, z]| Vec3::new(x, y + 0.05 * (9.0 * x).sin(), z)).collect();
        let mut normals = Normals::of_mesh(count, &mesh.triangles).expect("a sound mesh");
        let mut skin = Skin::bind_meshes(&mesh, &fine).expect("sound meshes");
        let (mut y, mut m) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
        let mut group = c.benchmark_group(format!("{name}-{n}"));
        group.throughput(Throughput::Elements(count as u64));
        for isa in Isa::available() {
            normals = normals.on(isa);
            group.bench_function(format!("normals/{isa}"), |b| b.iter(|| normals.update(&x, &mut m)));
            skin = skin.on(isa);
            group.bench_function(format!("skin/{isa}"), |b| b.iter(|| skin.update(&x, &mut y, &mut m)));
        }
        if n == 100 {
            group.bench_function("bind", |b| b.iter(|| Skin::bind_meshes(&mesh, &fine)));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = frames
}
criterion_main!(benches);
