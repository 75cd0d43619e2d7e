//! Oracle: what is shown of a filled solid meets colliders.

use crate::runs::{self, FRAME, G, run, scene, solver};
use seidel::{Collider, Mesh, Pose, SoftBody};

#[test]
fn probe() {
    for (name, cell, level, young) in [("ball 4", 0.1f32, 4u32, 1e5f32), ("coarse", 0.2, 3, 1e5), ("soft", 0.1, 4, 1e4)] {
        let mut scene = scene(G as f32, 20);
        scene.add_collider(Collider::ground());
        let ball = Mesh::ball(0.3, level);
        let body = scene.add(SoftBody::filled(&ball, cell).young(young).placed(Pose::at([0.0, 0.35, 0.0]), 1.0));
        let mut solver = solver(&scene);
        for second in 0..3 {
            let start = std::time::Instant::now();
            let (mut most, mut shown) = (0.0f32, 0.0f32);
            for _ in 0..60 {
                run(&mut solver, 1, FRAME);
                let plan = solver.plan().clone();
                most = most.max(plan.max_penetration(solver.state()));
                shown = shown.max(plan.max_shown_penetration(solver.state()).unwrap());
            }
            let v = runs::velocities(&solver, body).into_iter().map(runs::norm).fold(0.0, f64::max);
            println!("{name} {second}: {most} {shown}, fastest {v}, {:?}", start.elapsed());
        }
    }
}
