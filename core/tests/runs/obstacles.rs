//! A scene with all that an obstacle brings.

use seidel::collider::Motion;
use seidel::{Cloth, Collide, Collider, Obstacle, Pose, Scene, Tether};

/// A plate that goes up and down, 1 cm a substep at its fastest, under two sheets and a ball. One sheet is attached to
/// it at a rim and tethered to it elsewhere, the other lies on that.
pub fn dressed(iterations: u32) -> Scene {
    let mut scene = super::scene(9.81, 5);
    scene.settings.iterations = iterations;
    let motion = Motion::Sinusoidal { amplitude: [0.0, 0.1, 0.0].into(), period: 0.2, phase: 0.0 };
    let plate = Cloth::grid([7, 7], [0.7, 0.7]);
    let plate = scene.add(Obstacle::new(plate.mesh()).motion(motion, [0.0; 3]).friction(0.3).named("plate"));
    let sheet = |y: f32, degrees: f64| {
        let pose = Pose::at([0.01, y, 0.02]).turned([0.1, 1.0, 0.0], seidel::degrees(degrees));
        Cloth::grid([14, 14], [0.4, 0.4]).placed(pose, 1.0).thickness(0.003).bend(10.0).collide(Collide::All)
    };
    let near = Tether::new(plate, (100..140).collect(), 0.05).backstop(0.02, 0.5);
    scene.add(sheet(0.015, 0.0).attach(plate, &(0..14).collect::<Vec<_>>()).tether(near));
    scene.add(sheet(0.03, 30.0));
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.33, 0.0]));
    scene
}
