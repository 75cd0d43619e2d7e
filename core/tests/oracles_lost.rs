//! Oracle: what is lost takes no other's protection with it.

use crate::runs::{FRAME, G, scene, solver};
use glam::Vec3;
use seidel::{Cloth, Collide, Input, Intersections, NonFinite, Pose};

/// What flies off to infinity takes no other's protection with it.
#[test]
fn what_is_flung_away_leaves_the_others_apart() {
    let mut scene = scene(G as f32, 20);
    let sheet = |height: f32| {
        let cloth = Cloth::grid([16, 16], [0.5, 0.5]).placed(Pose::at([0.0, height, 0.0]), 1.0).thickness(0.004);
        cloth.collide(Collide::All)
    };
    scene.add(sheet(0.0).pin(&(0..256).collect::<Vec<_>>()));
    let above = scene.add(sheet(0.05));
    let mut solver = solver(&scene);
    let mut intersections = Intersections::new();
    for frame in 0..30 {
        let mut forces = vec![Vec3::ZERO; 256];
        if frame == 2 {
            forces[0].x = 1e38;
        }
        let report = solver.step(&Input::frame(FRAME).forces(above, &forces));
        assert!(report.rejected.is_none() && report.pairs.overflowed == 0, "{report:?}");
        let found = intersections.count(solver.plan(), solver.state()).expect("few boxes overlap");
        assert!(found.triangles == 0, "frame {frame}: {found:?}");
    }
}

/// A particle that is lost ends the substep where it starts: what comes at it faster than its thickness in a substep is
/// held.
#[test]
fn what_is_lost_is_not_gone_through() {
    for (force, lost_of) in [(f32::NAN, 0), (f32::INFINITY, 0), (f32::NAN, 1), (f32::INFINITY, 1)] {
        let mut scene = scene(0.0, 20);
        scene.settings.non_finite = NonFinite::Freeze;
        // A substep is 10 mm.
        let sheet = |height: f32, speed: f32| {
            let cloth = Cloth::grid([9, 9], [0.4, 0.4]).placed(Pose::at([0.013, height, 0.007]), 1.0).thickness(0.001);
            cloth.velocity([0.0, speed, 0.0]).collide(Collide::All)
        };
        let below = scene.add(Cloth::grid([9, 9], [0.4, 0.4]).thickness(0.001).collide(Collide::All));
        let above = scene.add(sheet(0.004, -12.0));
        let mut solver = solver(&scene);
        let mut intersections = Intersections::new();
        let mut forces = vec![Vec3::ZERO; 81];
        forces[40].x = force;
        for frame in 0..4 {
            let input = Input::frame(FRAME);
            let of = [below, above][lost_of];
            let report = solver.step(&if frame == 0 { input.forces(of, &forces) } else { input });
            assert!(report.rejected.is_none(), "{report:?}");
            assert_eq!(report.lost.map(|lost| lost.vertex), (frame == 0).then_some(40));
            let found = intersections.count(solver.plan(), solver.state()).expect("few boxes overlap");
            assert!(found.is_clean(), "{force} on {lost_of}, frame {frame}: {found:?}");
        }
    }
}
