//! Vertices that rigid bodies hold.

use crate::runs::rigid::{run, same_bits_everywhere};
use glam::{DVec3, Vec3};
use seidel::{BodyId, Cloth, ParticleJoint, Plan, Pose, RigidBody, RigidId, Rope, Scene, SoftBody, Solver};

fn end(solver: &Solver, body: RigidId, at: [f64; 3]) -> DVec3 {
    solver.state().rigid_pose(solver.plan(), body).transform_point(at)
}

fn vertex(solver: &Solver, body: BodyId, vertex: usize) -> DVec3 {
    solver.positions(body)[vertex].as_dvec3()
}

/// Both ends give way by one impulse at one place: linear and angular momentum stay, whatever weighs more.
#[test]
fn a_spinning_box_and_the_rope_at_its_corner_keep_all_momentum() {
    for (mass, link) in [(2.0, 0.01f32), (0.02, 1.0)] {
        let mut scene = Scene::new();
        (scene.settings.gravity, scene.settings.substeps) = (Vec3::ZERO, 20.into());
        // A link that resists nothing: rows of a rope keep angular momentum to some 1e-3 only.
        let rope = Rope::new([0.3, 0.2, 0.1], [0.8, 0.2, 0.1], 1).link_mass(link).velocity([0.0, 1.0, -2.0]);
        let rope = scene.add(rope.stretch(1e9));
        let half = [0.3, 0.2, 0.1];
        let cube = RigidBody::cuboid(half).mass(mass).angular_velocity([3.0, -5.0, 2.0]).velocity([0.5, 0.0, 0.0]);
        let cube = scene.add_rigid(cube);
        scene.join_particle(ParticleJoint::new(cube, rope, 0));
        let mut solver = Solver::new(&scene).unwrap();
        let inertia = [[1, 2], [2, 0], [0, 1]].map(|[a, b]| {
            mass / 3.0 * (f64::from(half[a]) * f64::from(half[a]) + f64::from(half[b]) * f64::from(half[b]))
        });
        let all = |solver: &Solver| {
            let (plan, state) = (solver.plan(), solver.state());
            let [v, w] = state.rigid_velocity(plan, cube);
            let pose = state.rigid_pose(plan, cube);
            // L = R diag R^T w.
            let turn = pose.rotation();
            let spin = turn * (DVec3::from(inertia) * (turn.conjugate() * w));
            let (mut p, mut l) = (v * mass, pose.position().cross(v) * mass + spin);
            let (mut x, mut u) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
            state.read_positions(plan, rope, &mut x);
            state.read_velocities(plan, rope, &mut u);
            for k in 0..2 {
                let push = u[k].as_dvec3() * f64::from(link);
                (p, l) = (p + push, l + x[k].as_dvec3().cross(push));
            }
            [p, l]
        };
        let [p0, l0] = all(&solver);
        run(&mut solver, 1.0);
        let [p1, l1] = all(&solver);
        assert!((p1 - p0).length() < 1e-5 * p0.length(), "{mass} kg: {p1} for {p0}");
        assert!((l1 - l0).length() < 1e-5 * l0.length(), "{mass} kg: {l1} for {l0}");
        let gap = (end(&solver, cube, half.map(f64::from)) - vertex(&solver, rope, 0)).length();
        assert!(gap < 2e-3, "{mass} kg: {gap} m");
    }
}

#[test]
fn a_box_hangs_on_a_sheet_where_it_is_joined() {
    let mut scene = Scene::new();
    let sheet = scene.add(Cloth::grid([9, 9], [1.0, 1.0]).pin(&[0, 8, 72, 80]).linear_damping(2.0).density(1.0));
    let load = RigidBody::cuboid([0.1; 3]).mass(1.0).at([0.0, -0.3, 0.0]).linear_damping(2.0).angular_damping(2.0);
    let load = scene.add_rigid(load);
    scene.join_particle(ParticleJoint::new(load, sheet, 40));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 5.0);
    let gap = (end(&solver, load, [0.0, 0.3, 0.0]) - vertex(&solver, sheet, 40)).length();
    let speed = solver.state().rigid_velocity(solver.plan(), load)[0].length();
    // It sinks by M/m g h^2 at rest, here a tenth of a millimetre.
    assert!(gap < 1e-3 && speed < 0.02, "{gap} m, {speed} m/s");
    let at = end(&solver, load, [0.0; 3]);
    assert!(at.y < -0.31 && at.y > -0.6 && at.x.abs() < 0.02 && at.z.abs() < 0.02, "{at}");
}

/// A joint of compliance c stretches by c M g.
#[test]
fn a_compliance_is_metres_a_newton() {
    let mut scene = Scene::new();
    let rope = scene.add(Rope::new([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 1).pin(&[0, 1]));
    let load = scene.add_rigid(RigidBody::sphere(0.05).mass(2.0).at([0.0, -0.2, 0.0]).linear_damping(3.0));
    scene.join_particle(ParticleJoint::new(load, rope, 0).compliance(1e-3));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 5.0);
    let sunk = -0.2 - end(&solver, load, [0.0; 3]).y;
    assert!((sunk - 2.0 * 9.81e-3).abs() < 2e-4, "{sunk} m");
}

#[test]
fn a_body_does_not_push_what_it_holds() {
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    // The vertex is inside of the ball, and others are far from it.
    let rope = scene.add(Rope::new([0.0, 0.1, 0.0], [0.0, 2.0, 0.0], 1).thickness(0.05));
    let ball = scene.add_rigid(RigidBody::sphere(0.5).mass(1.0));
    scene.join_particle(ParticleJoint::new(ball, rope, 0));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 1.0);
    assert!(end(&solver, ball, [0.0; 3]).length() < 1e-6, "{}", end(&solver, ball, [0.0; 3]));
    assert!((vertex(&solver, rope, 0) - DVec3::new(0.0, 0.1, 0.0)).length() < 1e-6);
}

#[test]
fn a_fixed_body_holds_and_a_pinned_vertex_carries() {
    let mut scene = Scene::new();
    let solid = scene.add(SoftBody::bar([0.4, 0.1, 0.1], [4, 1, 1]).young(1e6).placed(Pose::at([0.0, 1.0, 0.0]), 1.0));
    let wall = scene.add_rigid(RigidBody::cuboid([0.1; 3]).fixed().at([-0.3, 1.0, 0.0]));
    let rope = scene.add(Rope::new([2.0, 1.0, 0.0], [3.0, 1.0, 0.0], 1).pin(&[0, 1]));
    let load = scene.add_rigid(RigidBody::sphere(0.1).at([2.0, 0.5, 0.0]));
    let mut first = Solver::new(&scene).unwrap();
    let sides: Vec<u32> = (0..20).filter(|&v| first.positions(solid)[v as usize].x < -0.19).collect();
    for &v in &sides {
        scene.join_particle(ParticleJoint::new(wall, solid, v));
    }
    scene.join_particle(ParticleJoint::new(load, rope, 0));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 1.0);
    assert_eq!(sides.len(), 4);
    for v in sides {
        let moved = vertex(&solver, solid, v as usize) - vertex(&first, solid, v as usize);
        assert!(moved.length() < 1e-4, "{moved}");
    }
    assert!((end(&solver, load, [0.0, 0.5, 0.0]) - DVec3::new(2.0, 1.0, 0.0)).length() < 1e-4);
    run(&mut first, 1.0);
    assert!(vertex(&first, solid, 0).y < -2.0, "without joints it falls");
}

#[test]
fn joints_that_cannot_be_are_named() {
    let mut scene = Scene::new();
    let rope = scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 1).pin(&[0]));
    let wall = scene.add_rigid(RigidBody::sphere(0.1).fixed());
    let ball = scene.add_rigid(RigidBody::sphere(0.1).at([5.0, 0.0, 0.0]));
    let says = |joint: ParticleJoint, text: &str| {
        let mut scene = scene.clone();
        scene.join_particle(ParticleJoint::new(ball, rope, 1));
        scene.join_particle(joint);
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert!(error.starts_with("particle joint 1") && error.contains(text), "{error}");
    };
    says(ParticleJoint::new(ball, rope, 2), "vertex 2");
    says(ParticleJoint::new(wall, rope, 0), "neither of its bodies can move");
    for wrong in [-1.0, f32::NAN, f32::INFINITY] {
        says(ParticleJoint::new(ball, rope, 0).compliance(wrong), "which is not within 0 .. 1e18 m/N");
    }
    let mut other = Scene::new();
    let stranger = other.add_rigid(RigidBody::sphere(1.0));
    says(ParticleJoint::new(stranger, rope, 0), "another scene");
}

#[test]
fn lanes_and_threads_change_no_bit_of_joints() {
    let mut scene = Scene::new();
    scene.settings.iterations = 2;
    let sheet = scene.add(Cloth::grid([46, 46], [2.0, 2.0]).pin(&[0, 45]));
    for k in 0..5u8 {
        let x = 0.4 * f32::from(k) - 0.8;
        let load = scene.add_rigid(RigidBody::cuboid([0.05, 0.04, 0.03]).mass(0.1).at([x, -0.1, 1.0]));
        scene.join_particle(ParticleJoint::new(load, sheet, 2074 + 9 * u32::from(k)));
    }
    same_bits_everywhere(&Plan::new(&scene).unwrap(), 10);
}
