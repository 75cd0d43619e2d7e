//! Joints of rigid bodies in a scene.

use crate::runs::FRAME;
use crate::runs::rigid::run;
use glam::DVec3;
use seidel::joint::{Motor, MotorPath, Spring};
use seidel::{Collider, Execution, Input, Isa, Plan, RigidBody, RigidJoint, Scene, Scratch, Solver, State, step};
use std::sync::Arc;

/// Turns are counted: a hinge stops after two full turns to either side, driven, and where it was thrown.
#[test]
fn limits_may_be_several_turns() {
    let two = 4.0 * std::f32::consts::PI;
    for (speed, limit) in [(5.0, 100.0), (-5.0, 100.0), (20.0, 0.0), (-20.0, 0.0)] {
        let mut scene = Scene::new();
        scene.settings.gravity = glam::Vec3::ZERO;
        let rod = RigidBody::cuboid([0.5, 0.05, 0.05]).angular_velocity([0.0, 0.0, f64::from(speed)]);
        let rod = scene.add_rigid(rod);
        let hinge = RigidJoint::hinge(None, rod, [0.0; 3], [0.0, 0.0, 1.0]).limits(-two, two);
        scene.join_rigid(hinge.motor(Motor::Velocity { target: speed, limit }));
        let mut solver = Solver::new(&scene).unwrap();
        let (mut turned, mut last) = (0.0f64, 0.0f64);
        for _ in 0..300 {
            assert!(solver.step(&Input::frame(FRAME)).lost_rigid.is_none());
            let q = solver.state().rigid_pose(solver.plan(), rod).rotation();
            let now = 2.0 * q.z.atan2(q.w);
            let step = now - last;
            turned += step - libm::round(step / std::f64::consts::TAU) * std::f64::consts::TAU;
            last = now;
        }
        let wanted = f64::from(two.copysign(speed));
        assert!((turned - wanted).abs() < 0.02, "{turned} for {wanted} rad at {speed} rad/s, {limit} N m");
    }
}

#[test]
fn a_door_swings_to_its_limit_and_a_motor_opens_it() {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    let door = scene.add_rigid(
        RigidBody::cuboid([0.5, 1.0, 0.02])
            .at([0.5, 1.0, 0.0])
            .angular_velocity([0.0, -1.0, 0.0])
            .velocity([0.0, 0.0, 0.5]),
    );
    let hinge = RigidJoint::hinge(None, door, [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]).limits(-0.8, 1.2);
    let hinge = scene.join_rigid(hinge);
    let mut solver = Solver::new(&scene).unwrap();
    let angle = |solver: &Solver| {
        let edge = solver.state().rigid_pose(solver.plan(), door).transform_point([0.5, 0.0, 0.0]);
        libm::atan2(-edge[2], edge[0])
    };
    let mut least = 0.0f64;
    for _ in 0..120 {
        run(&mut solver, FRAME);
        least = least.min(angle(&solver));
    }
    // Half a degree is allowed.
    assert!((least + 0.8).abs() < 0.0088, "{least} rad");
    let plan = Arc::clone(solver.plan());
    for _ in 0..180 {
        solver.step(&Input::frame(FRAME).motor(hinge, Motor::Position { target: 1.0, limit: 200.0 }));
    }
    assert!((angle(&solver) - 1.0).abs() < 1e-3, "{} rad", angle(&solver));
    // The state keeps the motor.
    solver.state_mut().set_rigid_velocity(&plan, door, [DVec3::ZERO, DVec3::new(0.0, -0.5, 0.0)]);
    run(&mut solver, 3.0);
    assert!((angle(&solver) - 1.0).abs() < 1e-3, "{} rad", angle(&solver));
}

#[test]
fn a_rope_breaks_once_at_its_force() {
    for (mass, breaks) in [(9.9, false), (10.4, true)] {
        let mut scene = Scene::new();
        let load = scene.add_rigid(RigidBody::sphere(0.1).mass(mass).at([0.0, -1.0, 0.0]));
        let ends = [DVec3::ZERO, DVec3::new(0.0, -0.9, 0.0)];
        let rope = RigidJoint::distance(None, load, ends, [0.0, 0.9]).breaking_at(100.0, f32::INFINITY).named("rope");
        let rope = scene.join_rigid(rope);
        let mut solver = Solver::new(&scene).unwrap();
        let mut broken = Vec::new();
        for _ in 0..120 {
            broken.extend(solver.step(&Input::frame(FRAME)).broken);
        }
        let names: Vec<&str> = broken.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, if breaks { vec!["rope"] } else { vec![] }, "{mass} kg");
        // Its weight, while it still stretches the rope a little; without a torque.
        let weight = 9.81 * mass;
        for joint in broken {
            assert!(
                (f64::from(joint.force) / weight - 1.0).abs() < 0.05 && joint.torque < 1e-3,
                "{joint:?} for {weight} N"
            );
        }
        assert_eq!(solver.state().is_broken(solver.plan(), rope), breaks);
        let y = solver.state().rigid_pose(solver.plan(), load).position()[1];
        assert_eq!(y < -2.0, breaks, "{mass} kg at {y}");
    }
}

/// A ball carries a weight by a force, an arm that is clamped at an end its torque, too; the sweeps and the direct
/// solver tell the same.
#[test]
fn a_joint_tells_what_broke_it() {
    for direct in [false, true] {
        let mut scene = Scene::new();
        let load = scene.add_rigid(RigidBody::sphere(0.1).mass(10.0).at([0.0, -0.5, 0.0]));
        let arm = scene.add_rigid(RigidBody::sphere(0.1).mass(2.0).at([6.0, 0.0, 0.0]));
        let ball = RigidJoint::ball(None, load, [0.0; 3]).breaking_at(50.0, f32::INFINITY).named("ball");
        let clamp = RigidJoint::fixed(None, arm, [5.0, 0.0, 0.0]).breaking_at(f32::INFINITY, 10.0).named("clamp");
        for joint in [ball, clamp] {
            scene.join_rigid(if direct { joint.direct() } else { joint });
        }
        let mut solver = Solver::new(&scene).unwrap();
        let broken = solver.step(&Input::frame(FRAME)).broken;
        for (joint, (name, force, torque)) in broken.iter().zip([("ball", 98.1, 0.0), ("clamp", 19.62, 19.62)]) {
            let near = |got: f32, want: f64| (f64::from(got) - want).abs() < 0.02 * want + 1e-3;
            assert!(
                joint.name == name && near(joint.force, force) && near(joint.torque, torque),
                "{direct}: {joint:?}"
            );
        }
        assert_eq!(broken.len(), 2, "{direct}");
        assert!(solver.step(&Input::frame(FRAME)).broken.is_empty());
    }
}

#[test]
fn chains_hang_and_their_links_do_not_push_each_other() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground().at([0.0, -30.0, 0.0]));
    let mut before = None;
    let mut links = Vec::new();
    for k in 0..10u8 {
        let x = 0.5 * f32::from(k);
        // Capsules that overlap at the joints.
        let link = scene
            .add_rigid(RigidBody::capsule(0.05, 0.25).turned([0.0, 0.0, 1.0], seidel::degrees(90.0)).at([x, 0.0, 0.0]));
        scene.join_rigid(RigidJoint::ball(before, link, [f64::from(x) - 0.25, 0.0, 0.0]));
        before = Some(link);
        links.push(link);
    }
    let mut solver = Solver::new(&scene).unwrap();
    let mut gap = 0.0f64;
    for _ in 0..240 {
        run(&mut solver, FRAME);
        for pair in links.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|id| solver.state().rigid_pose(solver.plan(), id));
            // Along y of a capsule that was turned by a quarter.
            let ends = [a.transform_point([0.0, -0.25, 0.0]), b.transform_point([0.0, 0.25, 0.0])];
            gap = gap.max((0..3).map(|k| (ends[0][k] - ends[1][k]).abs()).fold(0.0, f64::max));
        }
    }
    assert!(gap < 1e-3, "{gap} m");
}

#[test]
fn jointed_bodies_have_the_same_bits_everywhere() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground());
    for k in 0..70u8 {
        let (x, z) = (2.0 * f32::from(k % 10), 2.0 * f32::from(k / 10));
        let a = scene.add_rigid(RigidBody::cuboid([0.2, 0.1, 0.3]).at([x, 1.0, z]));
        let b = scene.add_rigid(RigidBody::sphere(0.2).at([x + 0.5, 1.2, z]).restitution(0.4));
        let at = [f64::from(x) + 0.3, 1.1, f64::from(z)];
        scene.join_rigid(match k % 4 {
            0 => RigidJoint::ball(a, b, at),
            1 => RigidJoint::hinge(a, b, at, [0.0, 1.0, 1.0]).motor(Motor::Velocity { target: 3.0, limit: 50.0 }),
            2 => RigidJoint::fixed(a, b, at).breaking_at(500.0, 50.0),
            _ => RigidJoint::slider(a, b, at, [1.0, 0.0, 0.0]).limits(-0.1, 0.2).sprung(Spring {
                stiffness: 500.0,
                damping: 5.0,
                rest: 0.0,
            }),
        });
    }
    let plan = Plan::new(&scene).unwrap();
    let hash = |isa, threads, poison| {
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(isa, threads)));
        for _ in 0..60 {
            if poison {
                scratch.poison();
            }
            assert!(step(&plan, &mut state, &Input::frame(FRAME), &mut scratch).rejected.is_none());
        }
        state.hash()
    };
    let first = hash(Isa::SCALAR, 1, false);
    for isa in Isa::available() {
        assert_eq!(hash(isa, 2, true), first, "{isa}");
    }
    assert_eq!(hash(Isa::detect(), 8, false), first);
}

#[test]
fn joints_that_cannot_be_are_refused() {
    let says = |make: &dyn Fn(&mut Scene) -> RigidJoint, text: &str| {
        let mut scene = Scene::new();
        let joint = make(&mut scene);
        scene.join_rigid(joint.named("it"));
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert!(error.starts_with("joint `it`") && error.contains(text), "{error}");
    };
    let ball = |scene: &mut Scene| scene.add_rigid(RigidBody::sphere(0.1));
    says(
        &|scene| {
            let a = ball(scene);
            RigidJoint::ball(a, a, [0.0; 3])
        },
        "joins a body to itself",
    );
    says(
        &|scene| {
            ball(scene);
            RigidJoint::ball(None, None, [0.0; 3])
        },
        "joins a body to itself, or the world",
    );
    says(
        &|scene| {
            let a = scene.add_rigid(RigidBody::sphere(0.1).fixed());
            RigidJoint::ball(None, a, [0.0; 3])
        },
        "neither of its bodies can move",
    );
    says(
        &|scene| {
            let a = ball(scene);
            RigidJoint::hinge(None, a, [0.0; 3], [0.0; 3])
        },
        "axis",
    );
    says(
        &|scene| {
            let a = ball(scene);
            RigidJoint::hinge(None, a, [f64::NAN, 0.0, 0.0], [1.0, 0.0, 0.0])
        },
        "anchor is NaN",
    );
    says(
        &|scene| {
            let a = ball(scene);
            RigidJoint::hinge(None, a, [0.0; 3], [1.0, 0.0, 0.0]).limits(1.0, -1.0)
        },
        "limit",
    );
    for limits in [[-1.0, 1.0], [-1.0, -1.0], [f32::NAN, 1.0]] {
        says(
            &|scene| {
                let a = ball(scene);
                RigidJoint::distance(None, a, [DVec3::ZERO, DVec3::X], limits)
            },
            &format!("least distance is {}, which is not 0 or more", limits[0]),
        );
    }
    says(
        &|scene| {
            let a = ball(scene);
            RigidJoint::hinge(None, a, [0.0; 3], [1.0, 0.0, 0.0])
                .motor(Motor::Velocity { target: 1.0, limit: f32::INFINITY })
        },
        "limit of its motor is inf",
    );
    says(
        &|_| {
            let mut other = Scene::new();
            let a = ball(&mut other);
            RigidJoint::ball(None, a, [0.0; 3])
        },
        "belongs to another scene",
    );
}

/// Joints are solved color by color: the second of a chain is of another color than its neighbours in the list.
#[test]
fn a_path_drives_its_own_joint() {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    let [a, b, c] = [0.0, 1.0, 5.0].map(|x| scene.add_rigid(RigidBody::cuboid([0.1, 0.1, 0.1]).at([x, 0.0, 0.0])));
    scene.join_rigid(RigidJoint::fixed(None, a, [0.0; 3]));
    let path = MotorPath::velocity(&[[0.0, 2.0], [1.0, 2.0]], 1e6);
    scene.join_rigid(RigidJoint::hinge(a, b, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]).motor_path(path));
    scene.join_rigid(RigidJoint::hinge(None, c, [5.0, 0.0, 0.0], [0.0, 0.0, 1.0]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 0.5);
    let [b, c] = [b, c].map(|body| solver.state().rigid_velocity(solver.plan(), body)[1].z);
    assert!((b - 2.0).abs() < 0.02 && c == 0.0, "{b} and {c}");
}

/// A motor's target goes to and fro, and an input takes its place.
#[test]
fn a_motor_follows_its_path_until_an_input_drives_it() {
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    let wheel = scene.add_rigid(RigidBody::cuboid([0.5, 0.1, 0.1]));
    let path = MotorPath::velocity(&[[0.0, 0.0], [1.0, 2.0], [2.0, -2.0]], 1e6);
    let joint = scene.join_rigid(RigidJoint::hinge(None, wheel, [0.0; 3], [0.0, 0.0, 1.0]).motor_path(path));
    let mut solver = Solver::new(&scene).unwrap();
    let spin = |solver: &Solver| solver.state().rigid_velocity(solver.plan(), wheel)[1].z;
    for (time, wanted) in [(0.5, 1.0), (1.0, 2.0), (1.5, 0.0), (2.0, -2.0), (3.0, -2.0)] {
        while solver.state().time() < time - 1e-6 {
            run(&mut solver, FRAME);
        }
        assert!((spin(&solver) - wanted).abs() < 0.02, "{time} s: {}", spin(&solver));
    }
    solver.step(&Input::frame(FRAME).motor(joint, Motor::Velocity { target: 7.0, limit: 1e6 }));
    run(&mut solver, 0.5);
    assert!((spin(&solver) - 7.0).abs() < 0.02, "{}", spin(&solver));
    let wrong = |keys: &[[f64; 2]], says: &str| {
        let mut scene = Scene::new();
        let wheel = scene.add_rigid(RigidBody::sphere(0.1));
        let path = MotorPath::position(keys, 1.0);
        scene.join_rigid(RigidJoint::slider(None, wheel, [0.0; 3], [1.0, 0.0, 0.0]).motor_path(path));
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert!(error.starts_with("joint `joint-0`") && error.contains(says), "{error}");
    };
    wrong(&[], "number of keys of its motor is 0");
    wrong(&[[0.0, f64::NAN]], "target of key 0 of its motor is NaN");
    wrong(&[[1.0, 0.0], [0.5, 0.0]], "time of key 1 of its motor is 0.5, which is not at least that of the key before");
    wrong(&[[f64::INFINITY, 0.0]], "time of key 0 of its motor is inf");
}

/// A position's motor is where its path is, whatever the substeps: it knows how fast that goes. (Going for the place
/// alone it was three substeps behind.)
#[test]
fn a_position_keeps_up_with_its_path() {
    for substeps in [1, 5, 20] {
        let mut scene = Scene::new();
        scene.settings.gravity = glam::Vec3::ZERO;
        scene.settings.substeps = substeps.into();
        let arm = scene.add_rigid(RigidBody::cuboid([0.5, 0.1, 0.1]));
        let path = MotorPath::position(&[[0.0, 0.0], [1.0, 2.0], [2.0, 0.0]], 1e6);
        scene.join_rigid(RigidJoint::hinge(None, arm, [0.0; 3], [0.0, 0.0, 1.0]).motor_path(path));
        let mut solver = Solver::new(&scene).unwrap();
        for (time, wanted) in [(0.5, 1.0), (1.5, 1.0), (2.5, 0.0)] {
            while solver.state().time() < time - 1e-6 {
                run(&mut solver, FRAME);
            }
            let x = solver.state().rigid_pose(solver.plan(), arm).transform_point([0.5, 0.0, 0.0]);
            let angle = libm::atan2(x[1], x[0]);
            assert!((angle - wanted).abs() < 1e-3, "{substeps} substeps, {time} s: {angle} of {wanted} rad");
        }
    }
}

/// A hub of 1 kg that is fixed to the world holds its arms: many as a few, and light ones beside them change nothing.
#[test]
fn a_hub_that_is_held_holds_its_arms() {
    for (heavy, mass, light) in [(4, 75.0, 0), (4, 75.0, 100), (50, 6.0, 0), (100, 3.0, 0)] {
        let mut scene = Scene::new();
        let hub = scene.add_rigid(RigidBody::sphere(0.1).mass(1.0));
        scene.join_rigid(RigidJoint::fixed(None, hub, [0.0; 3]));
        let mut all = vec![hub];
        for (count, mass) in [(heavy, mass), (light, 1e-4)] {
            for k in 0..count {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count);
                let way = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle)) * 0.3;
                let arm = RigidBody::sphere(0.05).mass(mass).at(way.as_vec3()).filter(seidel::Filter::new(2, 0));
                let arm = scene.add_rigid(arm);
                scene.join_rigid(RigidJoint::fixed(Some(hub), arm, way));
                all.push(arm);
            }
        }
        let mut solver = Solver::new(&scene).unwrap();
        let places = |solver: &Solver| -> Vec<DVec3> {
            all.iter().map(|body| solver.state().rigid_pose(solver.plan(), *body).position()).collect()
        };
        (0..180).for_each(|_| drop(solver.step(&Input::frame(FRAME))));
        let before = places(&solver);
        (0..6).for_each(|_| drop(solver.step(&Input::frame(FRAME))));
        let now = places(&solver);
        let speed = now.iter().zip(&before).map(|(a, b)| a.distance(*b) / 0.1).fold(0.0, f64::max);
        let lowest = now.iter().map(|at| at.y).fold(0.0, f64::min);
        let told = format!("{heavy} arms of {mass} kg and {light} tassels: {lowest} m, {speed} m/s");
        assert!(lowest > -0.02 && speed < 0.05, "{told}");
    }
}

/// Segments joined by E I / l bend as a beam: a force F at the end of n of them, clamped, lowers it by F l^3 / (E I) n
/// (n + 1) (2 n + 1) / 6.
#[test]
fn a_rod_of_segments_bends_as_its_stiffness_says() {
    let mut scene = Scene::new();
    // With fewer its springs count as softer.
    scene.settings.substeps = 100.into();
    let (length, stiffness, mass) = (0.1f64, 40.0, 0.002);
    let mut before = None;
    let mut last = None;
    for k in 0..8 {
        let x = length * (f64::from(k) + 0.5);
        let light = RigidBody::cuboid([0.05, 0.01, 0.01]).mass(if k == 7 { 0.1 } else { mass });
        let segment = scene.add_rigid(
            light.at([x as f32, 0.0, 0.0]).linear_damping(8.0).angular_damping(8.0).gravity_scale(if k == 7 {
                1.0
            } else {
                0.0
            }),
        );
        let spring = Spring { stiffness: stiffness as f32, damping: 0.05, rest: 0.0 };
        scene.join_rigid(RigidJoint::rod(
            before,
            segment,
            [length * f64::from(k), 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [spring; 2],
        ));
        (before, last) = (Some(segment), Some(segment));
    }
    let last = last.unwrap();
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 6.0);
    let sunk = -solver.state().rigid_pose(solver.plan(), last).position()[1];
    // The force is in the middle of the last segment: turns of M / k at each joint, M = F (x_end - x_joint), times the
    // same arm.
    let end = 7.5 * length;
    let wanted: f64 = (0..8).map(|k| end - length * f64::from(k)).map(|arm| 0.1 * 9.81 * arm * arm / stiffness).sum();
    assert!((sunk - wanted).abs() < 0.02 * wanted, "{sunk} for {wanted}");
}

/// Arms on a hub, at rest but for a slow turn of the hub: whatever holds them, and however heavy they are, they turn no
/// faster (with the hub counted once, six of its own mass had 9.8 m/s after ten seconds, and four heavy ones were
/// lost).
#[test]
fn a_hub_with_many_arms_stays_calm() {
    let ways = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
    type Kind = fn(seidel::RigidId, seidel::RigidId, DVec3, DVec3) -> RigidJoint;
    let kinds: [(&str, Kind); 3] = [
        ("fixed", |hub, arm, at, _| RigidJoint::fixed(Some(hub), arm, at)),
        ("ball", |hub, arm, at, _| RigidJoint::ball(Some(hub), arm, at)),
        ("hinge", |hub, arm, at, way| RigidJoint::hinge(Some(hub), arm, at, way.any_orthonormal_vector())),
    ];
    for (name, joint) in kinds {
        for (arms, density, far) in [(4, 1000.0, 0.6), (6, 1000.0, 0.3), (6, 10_000.0, 0.3), (6, 50.0, 0.5)] {
            let mut scene = Scene::new();
            scene.settings.gravity = glam::Vec3::ZERO;
            let hub = scene.add_rigid(RigidBody::cuboid([0.1; 3]).density(1000.0).angular_velocity([0.37, 0.1, 0.0]));
            let mut all = vec![hub];
            for way in &ways[..arms] {
                // As long as there is room.
                let half = (DVec3::splat(0.05) + way.abs() * (far - 0.16)).as_vec3();
                let arm = scene.add_rigid(RigidBody::cuboid(half).density(density).at((way * far).as_vec3()));
                scene.join_rigid(joint(hub, arm, *way * 0.1, *way));
                all.push(arm);
            }
            let mut solver = Solver::new(&scene).unwrap();
            let mut fastest: f64 = 0.0;
            for _ in 0..200 {
                assert!(solver.step(&Input::frame(FRAME)).lost.is_none(), "{name}, {arms} arms");
                let speed = |body: &seidel::RigidId| solver.state().rigid_velocity(solver.plan(), *body)[0].length();
                fastest = all.iter().map(speed).fold(fastest, f64::max);
            }
            assert!(fastest < 0.4 * far, "{name}, {arms} arms of {density} kg/m^3: {fastest} m/s");
        }
    }
}

/// Springs that sweeps solve one by one share a body: 30 of omega h = 0.5 between it and the world tripled its motion
/// in each substep, alone or on sliders, and 10 between a light hub and heavy arms flung all of them away.
#[test]
fn many_springs_on_a_body_stay_calm() {
    let h = Scene::new().settings.dt / 20.0;
    for (count, arm) in [(4, None), (30, None), (4, Some(1.0)), (10, Some(10.0))] {
        for turn in [0.1, 0.5, 1.0, 3.0, 100.0] {
            let mut scene = Scene::new();
            (scene.settings.gravity, scene.settings.substeps) = (glam::Vec3::ZERO, 20.into());
            let of = |at: [f32; 3], mass: f64| RigidBody::sphere(0.1).mass(mass).at(at);
            let body = scene.add_rigid(of([0.0; 3], 1.0).velocity([0.0, 1.0, 0.0]));
            let stiffness = (turn * turn / (h * h)) as f32;
            for i in 0..count {
                let x = f64::from(i) - 0.5 * f64::from(count);
                let other = arm.map(|mass| scene.add_rigid(of([x as f32, 2.0, 0.0], mass)));
                // From a ball's centre to a ball's centre, so that they only go to and fro.
                let anchors = [DVec3::new(x, 2.0, 0.0), DVec3::ZERO];
                let spring = Spring { stiffness, damping: 0.0, rest: anchors[0].length() as f32 };
                let on_slider = count == 30 && i % 2 == 0;
                scene.join_rigid(match on_slider {
                    true => {
                        RigidJoint::slider(None, body, [0.0; 3], [0.0, 1.0, 0.0]).sprung(Spring { rest: 0.0, ..spring })
                    }
                    false => RigidJoint::spring(other, body, anchors, spring),
                });
            }
            let mut solver = Solver::new(&scene).unwrap();
            let mut fastest: f64 = 0.0;
            for _ in 0..60 {
                assert!(solver.step(&Input::frame(FRAME)).lost.is_none(), "{count} springs, omega h {turn}");
                fastest = fastest.max(solver.state().rigid_velocity(solver.plan(), body)[0].length());
            }
            // It begins at 1 m/s.
            assert!(fastest < 1.05, "{count} springs, arms of {arm:?} kg, omega h {turn}: {fastest} m/s");
        }
    }
}

#[test]
fn a_spring_that_substeps_make_softer_is_told() {
    let notes_with = |stiffness: f32, substeps: u32| {
        let mut scene = Scene::new();
        scene.settings.substeps = substeps.into();
        let rod = scene.add_rigid(RigidBody::cuboid([0.15, 0.02, 0.02]).mass(0.75).at([0.15, 0.0, 0.0]));
        let hinge = RigidJoint::hinge(None, rod, [0.0; 3], [0.0, 0.0, 1.0]);
        scene.join_rigid(hinge.sprung(Spring { stiffness, damping: 0.0, rest: 0.0 }).named("lid"));
        Plan::new(&scene).unwrap().warnings()
    };
    let notes = |stiffness: f32| notes_with(stiffness, 20);
    assert_eq!(notes(1e4), [""; 0]);
    let told = notes(4e5);
    let [begin, mend] = ["joint `lid`: the stiffness of its spring, 400000 N m/rad, counts as ", " substeps carry it"];
    assert!(told.len() == 1 && told[0].starts_with(begin) && told[0].contains(mend), "{told:?}");
    // With as many as that none is softer.
    let (_, rest) = told[0].split_once("; ").unwrap();
    let needed: u32 = rest.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(notes_with(4e5, needed), [""; 0]);
    assert!(notes(1e18)[0].contains("1e18 N m/rad") && !notes(1e18)[0].contains(mend));
}

/// A load of 100 to 1,000 times a link's mass at few substeps, falling from a level chain: links are pulled across
/// harder than a substep is good for, and energy grew until bodies were lost. The chain gapes, and that is all.
#[test]
fn a_heavy_load_flings_no_link_away() {
    for (load, substeps) in [(100.0, 1), (100.0, 2), (1000.0, 2), (1000.0, 4), (1000.0, 8)] {
        let mut scene = Scene::new();
        scene.settings.substeps = substeps.into();
        let mut last = None;
        for k in 0..10u8 {
            let x = 0.2 * f32::from(k);
            let link = RigidBody::cuboid([0.1, 0.02, 0.02]).mass(1.0).at([x + 0.1, 0.0, 0.0]);
            let link = scene.add_rigid(link);
            scene.join_rigid(RigidJoint::ball(last, link, [f64::from(x), 0.0, 0.0]));
            last = Some(link);
        }
        let weight = scene.add_rigid(RigidBody::cuboid([0.3; 3]).mass(load).at([2.3, 0.0, 0.0]));
        scene.join_rigid(RigidJoint::ball(last, weight, [2.0, 0.0, 0.0]));
        let mut solver = Solver::new(&scene).unwrap();
        for frame in 0..180 {
            run(&mut solver, FRAME);
            let plan = solver.plan();
            let energy = |id| {
                let mass = if id == weight { load } else { 1.0 };
                mass * 9.81 * solver.state().rigid_pose(plan, id).position()[1]
            };
            let potential: f64 = plan.rigid_ids().map(energy).sum();
            let total = potential + solver.state().rigid_figures(plan).kinetic_energy;
            assert!(total < 1.0, "{total} J in frame {frame} with {load} kg and {substeps} substeps");
        }
    }
}
