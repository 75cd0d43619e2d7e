//! Oracle: free rows. Symplectic Euler to 5e-5 in f32, at any height; a velocity that nothing touches keeps its bits.

use crate::runs;
use crate::runs::{FRAME, G, add, norm, particles, positions, run, scale, scene, solver, sub};

/// After N substeps of h a falling particle has fallen g h^2 N (N + 1) / 2.
#[test]
fn free_fall() {
    for substeps in [1, 20] {
        for height in [0.0, 10.0, 100.0, 10_000.0] {
            let mut scene = scene(G as f32, substeps);
            let body = scene.add(particles(&[[0.0, height, 0.0]], &[1.0]));
            let mut solver = solver(&scene);
            let h = f64::from((f64::from(FRAME) / f64::from(substeps)) as f32);
            let g = f64::from(G as f32);
            let mut frames = 0;
            let mut worst = 0.0f64;
            for until in [60, 300, 600, 3_000, 12_000] {
                if until * substeps > 12_000 {
                    break;
                }
                run(&mut solver, until - frames, FRAME);
                frames = until;
                let n = f64::from(frames * substeps);
                let fallen = g * h * h * n * (n + 1.0) / 2.0;
                let y = positions(&solver, body)[0][1];
                // What a position cannot hold is no error of the fall: half a step of f32 there.
                let rounding = 0.5 * f64::from(f32::EPSILON) * y.abs();
                let error = ((y - (height - fallen)).abs() - rounding).max(0.0) / fallen;
                worst = worst.max(error);
                assert!(error < 5e-5, "{substeps} substeps from {height} m, {frames} frames: off by {error:.1e}");
            }
            println!("{substeps:>2} substeps from {height:>6} m: {worst:.1e}");
        }
    }
}

/// Half a metre a second is 0.4 mm a substep; the sum stays exact where positions are 1 mm apart.
#[test]
fn a_free_row_keeps_its_velocity_to_the_bit() {
    let v = [0.123_456_7, -7.7, 1e-4];
    for at in [[0.0; 3], [10_000.0, -3.0, 1e5]] {
        let mut scene = scene(0.0, 20);
        let body = scene.add(particles(&[at], &[0.37]));
        let mut solver = solver(&scene);
        runs::set_velocities(&mut solver, body, &[v]);
        let before = runs::velocities(&solver, body)[0];
        run(&mut solver, 200, FRAME);
        assert_eq!(runs::velocities(&solver, body)[0], before);
        let want = add(at, scale(before, 200.0 * f64::from(FRAME)));
        let off = norm(sub(positions(&solver, body)[0], want));
        let rounding = f64::from(f32::EPSILON) * norm(want);
        println!("at {at:?}: off by {off:.1e} m after {:.1} m", norm(before) * 200.0 / 60.0);
        assert!(off < rounding + 1e-5, "off by {off:.1e}");
    }
}

/// Colliders that are out of reach and bodies without constraints change nothing either.
#[test]
fn a_far_collider_touches_nothing() {
    let mut scene = scene(0.0, 20);
    let body = scene.add(particles(&[[0.0; 3]], &[1.0]));
    scene.add_collider(seidel::Collider::ground().at([0.0, -5.0, 0.0]));
    scene.add_collider(seidel::Collider::sphere(1.0).at([0.0, 3.0, 0.0]));
    let mut solver = solver(&scene);
    runs::set_velocities(&mut solver, body, &[[0.1, 0.2, 0.3]]);
    let before = runs::velocities(&solver, body);
    run(&mut solver, 60, FRAME);
    assert_eq!(runs::velocities(&solver, body), before);
}
