//! Oracle: what is shown of a filled solid meets colliders.

use crate::runs::{self, FRAME, G, run, scene, solver};
use seidel::{Collider, Mesh, Pose, SoftBody};

fn cube(half: f32, parts: u32) -> Mesh {
    // A cube of parts^2 squares a face.
    let mut mesh = Mesh { positions: vec![], triangles: vec![] };
    let mut at = std::collections::BTreeMap::new();
    let n = parts as i32;
    for axis in 0..3 {
        for side in [0, n] {
            for i in 0..n {
                for j in 0..n {
                    let mut corner = |i: i32, j: i32| {
                        let mut c = [0; 3];
                        c[axis] = side;
                        c[(axis + 1) % 3] = i;
                        c[(axis + 2) % 3] = j;
                        *at.entry(c).or_insert_with(|| {
                            mesh.positions.push(c.map(|c| (c as f32 / n as f32 * 2.0 - 1.0) * half));
                            mesh.positions.len() as u32 - 1
                        })
                    };
                    let (a, b, c, d) = (corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1));
                    let t = [[a, b, c], [a, c, d]];
                    mesh.triangles.extend(t.map(|[a, b, c]| if side == 0 { [a, c, b] } else { [a, b, c] }));
                }
            }
        }
    }
    mesh
}

#[test]
fn probe() {
    for (name, cell, parts, young) in
        [("box", 0.1f32, 12u32, 1e5f32), ("off", 0.13, 12, 1e5), ("8 vertices", 0.13, 1, 1e5), ("stiff", 0.13, 12, 1e7)]
    {
        for lattice in [true, false] {
            let mut scene = scene(G as f32, 20);
            scene.add_collider(Collider::ground());
            let ball = cube(0.3, parts);
            let filled = SoftBody::filled(&ball, cell);
            let filled = if lattice { SoftBody::new(filled.mesh().unwrap()) } else { filled };
            let body = scene.add(filled.young(young).relaxation(0.02).placed(Pose::at([0.0, 0.305, 0.0]), 1.0));
            let mut solver = solver(&scene);
            for second in 0..4 {
                let start = std::time::Instant::now();
                let (mut most, mut shown) = (0.0f32, 0.0f32);
                for _ in 0..60 {
                    run(&mut solver, 1, FRAME);
                }
                let time = start.elapsed();
                let plan = solver.plan().clone();
                most = most.max(plan.max_penetration(solver.state()));
                shown = shown.max(plan.max_shown_penetration(solver.state()).unwrap_or(9.0));
                let v = runs::velocities(&solver, body).into_iter().map(runs::norm).fold(0.0, f64::max);
                let lowest = runs::positions(&solver, body).into_iter().map(|p| p[1]).fold(9.0, f64::min);
                println!(
                    "{name} lattice {lattice} {second}: {most} {shown}, fastest {v:.2e}, kinetic {:.2e}, lowest {lowest:.2e} {time:?}",
                    plan.energies(solver.state())[0]
                );
            }
        }
    }
}
