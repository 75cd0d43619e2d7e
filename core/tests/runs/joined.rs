//! A scene of everything that joints do.

use seidel::collider::Motion;
use seidel::{
    Cloth, Collide, Collider, GridPins, Joint, Mesh, Method, Obstacle, Pose, Rope, Scene, SoftBody, Stiffness,
};

/// Bodies of all layouts, sewn, hung and held by all kinds of joints, that stay near their pins; enough for workers.
/// They are solved by the scene's `method`, or by their `own`.
pub fn patchwork(method: Method, own: Option<Method>) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    scene.settings.iterations = 2;
    scene.settings.method = method;
    let by = own.unwrap_or(method);
    let sheet = |n: u32, x: f32| {
        let cloth = Cloth::grid([n, n], [0.6, 0.6]).placed(Pose::at([x, 0.6, 0.0]), 1.0).bend(1e3).thickness(0.003);
        cloth.damping(0.02).collide(Collide::Others).method(by)
    };
    let first = scene.add(sheet(48, -0.3).pin_grid(GridPins::FirstColumn).long_range(0.01));
    let second = scene.add(sheet(48, 0.3));
    let third = scene.add(sheet(31, 0.9));
    let ball = scene.add(Cloth::new(Mesh::ball(0.1, 3)).placed(Pose::at([0.9, 0.45, 0.0]), 1.0).bend(1e2).method(by));
    let bar = SoftBody::bar([0.3, 0.05, 0.05], [6, 1, 1]).placed(Pose::at([0.3, 0.5, 0.0]), 1.0).young(1e5);
    let bar = scene.add(bar.method(by));
    let path = Motion::Sinusoidal { amplitude: [0.0, 0.1, 0.0].into(), period: 0.5, phase: 0.0 };
    let hand = Obstacle::new(Mesh::cuboid([0.1, 0.02, 0.1], [2, 1, 2])).motion(path, [0.0; 3]);
    let hand = scene.add(hand);
    let rope = scene.add(Rope::new([-0.3, 0.6, 0.1], [-0.3, 0.2, 0.1], 12).method(by));
    scene.join(Joint::seam(first, second, 1e-3));
    scene.join(Joint::seam(third, second, 1e-3).compliance(1e-4).damped(1e-3));
    scene.join(Joint::near(ball, &(0..600).collect::<Vec<_>>(), third, 0.055).stiffness_by(Stiffness::pbd(0.4)));
    scene.join(Joint::ropes(bar, second, &[[0, 100], [27, 2000]]));
    scene.join(Joint::distances(bar, hand, &[[3, 0], [12, 4]]).compliance(vec![1e-3, 1e-4]));
    scene.join(Joint::near(rope, &[0], first, 0.02));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.3, 0.0]));
    scene
}
