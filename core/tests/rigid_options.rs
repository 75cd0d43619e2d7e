//! Options of rigid bodies: locked axes, additional mass, resistance to rolling and spinning.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run, same_bits_everywhere};
use glam::DVec3;
use seidel::collider::{HeightField, Shape};
use seidel::joint::MotorPath;
use seidel::{
    Cloth, Collider, Execution, Input, Plan, Pose, RigidBody, RigidJoint, Scene, Scratch, Solver, State, step,
};

fn ground() -> Scene {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground().friction(0.6));
    scene
}

/// A ball of radius R that rolls: m a = f and I a / R = c N - f R, so a = 5/7 g c / R; it stops after v^2 / (2 a).
#[test]
fn a_ball_rolls_out() {
    let (radius, speed, arm) = (0.1f64, 1.5, 0.004f32);
    let mut scene = ground();
    let ball = RigidBody::sphere(radius as f32).friction(0.6).rolling_resistance(arm);
    let ball = ball.at([0.0, radius as f32, 0.0]).velocity([speed, 0.0, 0.0]);
    let id = scene.add_rigid(ball.angular_velocity([0.0, 0.0, -speed / radius]));
    let mut solver = Solver::new(&scene).unwrap();
    let slows = 5.0 / 7.0 * 9.81 * f64::from(arm) / radius;
    run(&mut solver, 2.0);
    let [v, _] = solver.state().rigid_velocity(solver.plan(), id);
    assert!((v.x / (speed - 2.0 * slows) - 1.0).abs() < 0.05, "{} for {}", v.x, speed - 2.0 * slows);
    run(&mut solver, 6.0);
    let ([v, w], x) = (solver.state().rigid_velocity(solver.plan(), id), pose(&solver, id).position()[0]);
    let want = speed * speed / (2.0 * slows);
    assert!((x / want - 1.0).abs() < 0.03, "{x} for {want} m");
    assert!(v.length() < 1e-4 && w.length() < 1e-3, "{v} m/s");
}

/// A ball stands on a slope of tan a < c / R, and rolls down a steeper one.
#[test]
fn a_ball_stands_on_a_slope() {
    for (share, stands) in [(0.9, true), (1.1, false)] {
        let mut scene = Scene::new();
        let angle = 0.05f64;
        scene.add_collider(Collider::ground().friction(0.6).turned([0.0, 0.0, 1.0], -angle));
        let (radius, arm) = (0.2, 0.2 * libm::tan(angle) / share);
        let at = [0.2 * libm::sin(angle) as f32, 0.2 * libm::cos(angle) as f32, 0.0];
        let id = scene.add_rigid(RigidBody::sphere(radius).rolling_resistance(arm as f32).at(at));
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 4.0);
        let gone = pose(&solver, id).position()[0] - f64::from(at[0]);
        // 5/7 g (sin a - c / R cos a) t^2 / 2 where it rolls.
        let want = 0.5 * 16.0 * 5.0 / 7.0 * 9.81 * (libm::sin(angle) - arm / 0.2 * libm::cos(angle));
        assert!(if stands { gone.abs() < 1e-3 } else { (gone / want - 1.0).abs() < 0.1 }, "{gone} for {want} m");
    }
}

/// A ball that spins about the vertical: I w' = -c N, so it loses 5/2 g c / R^2 a second.
#[test]
fn a_spinning_ball_slows_down() {
    let (radius, arm) = (0.1f64, 0.0008f32);
    let mut scene = ground();
    let ball = RigidBody::sphere(radius as f32).at([0.0, radius as f32, 0.0]).spinning_resistance(arm);
    let id = scene.add_rigid(ball.angular_velocity([0.0, 10.0, 0.0]));
    let free = RigidBody::sphere(radius as f32).at([3.0, radius as f32, 0.0]);
    let other = scene.add_rigid(free.angular_velocity([0.0, 10.0, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 3.0);
    let spin = |solver: &Solver, id| solver.state().rigid_velocity(solver.plan(), id)[1].y;
    let want = 10.0 - 3.0 * 2.5 * 9.81 * f64::from(arm) / (radius * radius);
    assert!((spin(&solver, id) / want - 1.0).abs() < 0.02, "{} for {want} rad/s", spin(&solver, id));
    assert!((spin(&solver, other) - 10.0).abs() < 1e-3, "without it spins on: {}", spin(&solver, other));
    run(&mut solver, 4.0);
    assert!(spin(&solver, id).abs() < 1e-3, "{}", spin(&solver, id));
}

/// Nothing moves a body out of its plane or turns it about locked axes: no contact, joint, force or cloth; all else is
/// as if it were free.
#[test]
fn locked_axes_keep_to_the_bit() {
    let mut scene = ground();
    let flat = |body: RigidBody| body.lock_translation([false, false, true]).lock_rotation([true, true, false]);
    let mut ids = Vec::new();
    for k in 0..132u8 {
        // Off each other's middles: free boxes would fall out of the plane.
        let at = [0.5 * f32::from(k % 33), 0.6 + 0.7 * f32::from(k / 33), 0.05 * f32::from(k % 4)];
        let body = match k % 3 {
            0 => RigidBody::cuboid([0.2, 0.3, 0.1]).turned([0.0, 0.0, 1.0], 0.4),
            1 => RigidBody::sphere(0.2),
            _ => RigidBody::capsule(0.1, 0.2),
        };
        ids.push((scene.add_rigid(flat(body).at(at).velocity([0.3, 0.0, 1.0])), f64::from(at[2])));
    }
    let ball = RigidBody::sphere(0.2).at([0.3, 1.0, 4.0]).velocity([0.0, 2.0, -8.0]);
    scene.add_rigid(ball.angular_velocity([5.0, 0.0, 3.0]));
    scene.join_rigid(RigidJoint::ball(ids[0].0, ids[1].0, [0.25, 0.6, 0.1]));
    scene.add(Cloth::grid([6, 6], [1.0, 1.0]).placed(Pose::at([0.3, 3.8, 0.3]), 1.0).thickness(0.02));
    let mut solver = Solver::new(&scene).unwrap();
    for _ in 0..120 {
        let push = Input::frame(FRAME).push(ids[5].0, [0.0, 0.0, 5.0], [3.0, 3.0, 0.0]);
        assert!(solver.step(&push).lost_rigid.is_none());
        for &(id, z) in &ids {
            let at = pose(&solver, id);
            let [v, w] = solver.state().rigid_velocity(solver.plan(), id);
            assert_eq!((at.position()[2], v.z, w.x, w.y), (z, 0.0, 0.0, 0.0));
            assert!(at.rotation().x.abs() < 1e-12 && at.rotation().y.abs() < 1e-12, "{at:?}");
            assert!(at.position()[1] > 0.05, "{at:?}");
        }
    }
    same_bits_everywhere(solver.plan(), 20);
}

/// I about the free axis is what turns it: a rod that is askew in the plane of two free axes, and one about a single
/// free axis.
#[test]
fn locked_rotations_leave_the_free_inertia() {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    let rod = || RigidBody::cuboid([0.5, 0.05, 0.05]).mass(12.0).turned([0.0, 0.0, 1.0], 0.5);
    let one = scene.add_rigid(rod().lock_rotation([true, false, true]));
    let two = scene.add_rigid(rod().at([0.0, 3.0, 0.0]).lock_rotation([false, false, true]));
    let none = scene.add_rigid(rod().at([0.0, 6.0, 0.0]).lock_rotation([true; 3]).angular_velocity([1.0; 3]));
    let mut solver = Solver::new(&scene).unwrap();
    let torque = DVec3::new(0.0, 1.0, 0.0);
    let input = [one, two, none].iter().fold(Input::frame(FRAME), |input, &id| input.push(id, DVec3::ZERO, torque));
    solver.step(&input);
    let (along, across) = (12.0 / 3.0 * 0.005, 12.0 / 3.0 * 0.2525);
    let (c, s) = (libm::cos(0.5), libm::sin(0.5));
    let (xx, xy, yy) = (along * c * c + across * s * s, (along - across) * s * c, along * s * s + across * c * c);
    let spins = |id| solver.state().rigid_velocity(solver.plan(), id)[1] / f64::from(FRAME);
    assert!((spins(one) * yy - DVec3::Y).length() < 1e-4, "{}", spins(one) * yy);
    let determinant = xx * yy - xy * xy;
    let want = DVec3::new(-xy, xx, 0.0) / determinant;
    assert!((spins(two) - want).length() < 1e-3 * want.length(), "{} for {want}", spins(two));
    assert_eq!(spins(none), DVec3::ZERO);
}

/// A ball with a load near its floor stands up again.
#[test]
fn a_keel_rights_a_ball() {
    let mut scene = ground();
    let ball = RigidBody::sphere(0.2).mass(1.0).additional_mass(3.0, [0.0, -0.15, 0.0]);
    let ball = ball.turned([0.0, 0.0, 1.0], 1.2).at([0.0, 0.2, 0.0]).angular_damping(2.0);
    let id = scene.add_rigid(ball);
    let stone = scene.add_rigid(
        RigidBody::new(Shape::Sphere { radius: 0.1 })
            .mass(1.0)
            .additional_mass(1.0, [0.3, 0.0, 0.0])
            .at([5.0, 0.1, 0.0]),
    );
    let plan = Plan::new(&scene).unwrap();
    // Its centre of mass is half way.
    let speed = [DVec3::ZERO, DVec3::new(0.0, 0.0, 1.0)];
    let mut solver = Solver::new(&scene).unwrap();
    solver.state_mut().set_rigid_velocity(&plan, stone, speed);
    let [kinetic, _] = plan.energies(solver.state());
    let inertia = 0.4 * 0.01 + 2.0 * 0.15 * 0.15;
    assert!((kinetic - 0.5 * inertia).abs() < 1e-6, "{kinetic} J");
    run(&mut solver, 8.0);
    let up = pose(&solver, id).transform_vector(DVec3::Y);
    assert!(up.y > 0.99, "it leans: {up}");
}

/// An edit makes a box lower, by less than the way for which a manifold is kept: the box on it comes down all the same.
#[test]
fn what_is_replaced_is_met_anew() {
    for of_body in [false, true] {
        let mut scene = Scene::new();
        let floor = |half: f32| Collider::cuboid([0.5, half, 0.5]);
        let collider = (!of_body).then(|| scene.add_collider(floor(0.2)));
        let table = |half: f32| RigidBody::cuboid([0.5, half, 0.5]).fixed();
        let body = of_body.then(|| scene.add_rigid(table(0.2)));
        let id = scene.add_rigid(RigidBody::cuboid([0.25; 3]).at([0.0, 0.45, 0.0]));
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 1.0);
        let before = pose(&solver, id).position()[1];
        let edit = |scene: &mut Scene| {
            if let Some(collider) = collider {
                scene.replace_collider(collider, floor(0.1995))?;
            }
            if let Some(body) = body {
                scene.replace_rigid(body, table(0.1995))?;
            }
            Ok(())
        };
        solver.edit(edit).unwrap();
        run(&mut solver, 1.0);
        let sunk = before - pose(&solver, id).position()[1];
        assert!((sunk - 5e-4).abs() < 5e-5, "{sunk} m");
    }
}

/// A cube that lands flat comes back level, as high as e^2 says: all its corners bounce at once.
#[test]
fn what_lands_flat_bounces_level() {
    for (half, e) in
        [([0.1f32, 0.1, 0.1], 0.5f32), ([0.1, 0.1, 0.1], 0.8), ([0.5, 0.05, 0.5], 0.5), ([0.2, 0.1, 0.1], 0.3)]
    {
        let mut scene = Scene::new();
        scene.add_collider(Collider::ground().restitution(1.0));
        let body = RigidBody::cuboid(half).restitution(e).at([0.0, 1.0 + half[1], 0.0]);
        let id = scene.add_rigid(body);
        let mut solver = Solver::new(&scene).unwrap();
        let fall = (2.0f64 / 9.81).sqrt();
        run(&mut solver, (fall * (1.0 + f64::from(e))) as f32);
        let top = pose(&solver, id);
        let (height, want) = (top.position()[1] - f64::from(half[1]), f64::from(e * e));
        assert!((height - want).abs() < 0.03 * want + 0.005, "{half:?}: {height} m for {want}");
        let tilt = (top.rotation() * DVec3::Y).angle_between(DVec3::Y);
        assert!(tilt < 0.01, "{half:?}: {tilt} rad");
    }
}

/// Gravity alone makes nothing fast: boxes of 1 cm stay on each other, as larger ones do. (A ball inside what is fast
/// takes the place of one of its four points.)
#[test]
fn small_boxes_stay_on_each_other() {
    let mut scene = ground();
    let ids: Vec<_> = (0..6)
        .map(|k| scene.add_rigid(RigidBody::cuboid([0.005; 3]).at([0.0, 0.005 + 0.01 * k as f32, 0.0])))
        .collect();
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 10.0);
    for (k, id) in ids.into_iter().enumerate() {
        let [x, y, z] = pose(&solver, id).position().to_array();
        let down = 0.005 + 0.01 * k as f64 - y;
        assert!(x.hypot(z) < 1e-4 && down.abs() < 1e-3, "box {k}: {x}, {z} m aside, {down} down");
    }
}

/// A body that a motor is to move later stays awake until then.
#[test]
fn a_motor_that_starts_later_finds_its_body_awake() {
    let mut scene = Scene::new();
    scene.settings.sleep = true;
    let arm = scene.add_rigid(RigidBody::cuboid([0.5, 0.05, 0.05]).at([0.5, 1.0, 0.0]));
    let path = MotorPath::position(&[[0.0, 0.0], [2.0, 0.0], [3.0, 1.0]], 1e4);
    let hinge = RigidJoint::hinge(None, arm, [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]).motor_path(path);
    scene.join_rigid(hinge);
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 3.5);
    let turned = 2.0 * pose(&solver, arm).rotation().y.asin();
    assert!((turned.abs() - 1.0).abs() < 0.01, "{turned} rad");
    // And sleeps when all is over.
    run(&mut solver, 2.0);
    assert_eq!(solver.state().rigid_figures(solver.plan()).asleep, 1);
}

/// Nothing of a step is left for the next one but the state: also where a body touches a surface in several places, and
/// where memory is another's.
#[test]
fn a_state_that_is_read_again_goes_on_alike() {
    let heights: Vec<f32> = (0..81).map(|k| 0.1 * ((k * 7 % 5) as f32)).collect();
    let hills = HeightField::new([9, 9], &heights, 0.5).unwrap();
    let mut scene = Scene::new();
    scene.add_collider(Collider::height_field(std::sync::Arc::new(hills)).at([2.0, 0.0, 2.0]));
    for k in 0..24u8 {
        let [x, y, z] = [k % 3, k / 9, k / 3 % 3].map(f32::from);
        let body = RigidBody::cuboid([0.12, 0.1, 0.15]).at([1.5 + 0.4 * x, 0.8 + 0.4 * y, 1.5 + 0.4 * z]);
        scene.add_rigid(body.angular_velocity([f64::from(x), 1.0, f64::from(z)]));
    }
    let plan = Plan::new(&scene).unwrap();
    let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::default()));
    for frame in 0..90 {
        let mut again = State::from_bytes(&plan, &state.to_bytes()).unwrap();
        let mut fresh = Scratch::new(&plan, Execution::default());
        let _ = step(&plan, &mut again, &Input::frame(FRAME), &mut fresh);
        let _ = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
        assert_eq!((again.hash(), &again), (state.hash(), &state), "frame {frame}");
    }
}

/// Thin rods that bounce off each other and off the ground: nothing is flung away.
#[test]
fn rods_that_bounce_gain_no_energy() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground().restitution(1.0).friction(0.5));
    for k in 0..12u8 {
        let [x, z] = [k % 3, k / 3].map(|c| f32::from(c) * 0.3);
        let pose = Pose::at([x, 1.0 + 0.05 * f32::from(k), z]).turned([1.0, 0.3, 0.7], 0.5 * f64::from(k));
        scene.add_rigid(RigidBody::cuboid([0.004, 0.004, 0.5]).restitution(0.5).placed(pose));
    }
    let mut solver = Solver::new(&scene).unwrap();
    for frame in 0..240 {
        run(&mut solver, FRAME);
        for id in solver.plan().rigid_ids() {
            let [v, _] = solver.state().rigid_velocity(solver.plan(), id);
            assert!(v.length() < 15.0, "frame {frame}: {} m/s", v.length());
        }
    }
}

/// A box slides v^2 / (2 mu g) far with the coefficient of sliding, the geometric mean of both.
#[test]
fn what_slides_has_its_own_friction() {
    let mut scene = Scene::new();
    scene.add_collider(Collider { friction_kinetic: 0.1, ..Collider::ground().friction(0.9) });
    let alone = RigidBody::cuboid([0.2, 0.1, 0.2]).friction(0.4).at([0.0, 0.1, 0.0]).velocity([3.0, 0.0, 0.0]);
    let both = alone.clone().friction_kinetic(0.225).at([0.0, 0.1, 1.0]);
    let ids = [(scene.add_rigid(alone), 0.2), (scene.add_rigid(both), 0.15)];
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 4.0);
    for (id, mu) in ids {
        let (way, want) = (pose(&solver, id).position()[0], 9.0 / (2.0 * mu * 9.81));
        assert!((way / want - 1.0).abs() < 0.01, "{way} m for {want}");
    }
}

/// On a slope between both coefficients a box at rest stays, and one that is pushed slides on, faster and faster.
#[test]
fn what_rests_needs_a_push_to_slide() {
    let mut scene = Scene::new();
    let angle = libm::atan(0.5);
    let slope = Collider::ground().friction(0.6).turned([0.0, 0.0, 1.0], -angle);
    scene.add_collider(Collider { friction_kinetic: 0.3, ..slope });
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let on = |z: f32| {
        let body = RigidBody::cuboid([0.2, 0.1, 0.2]).friction(0.6).friction_kinetic(0.3);
        body.at([(0.1 * s) as f32, (0.1 * c) as f32, z]).turned([0.0, 0.0, 1.0], -angle)
    };
    let rests = scene.add_rigid(on(0.0));
    let slides = scene.add_rigid(on(1.0).velocity([0.2 * c, -0.2 * s, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 2.0);
    let way = |id| pose(&solver, id).position()[0] / c - 0.1 * s / c;
    let want = 0.2 * 2.0 + 0.5 * 9.81 * (s - 0.3 * c) * 4.0;
    assert!(way(rests).abs() < 1e-3, "{} m", way(rests));
    assert!((way(slides) / want - 1.0).abs() < 0.02, "{} m for {want}", way(slides));
}
