//! Rigid bodies on sheets that lie on a floor: load and friction go through the sheet to the floor.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run, same_bits_everywhere};
use glam::{DVec3, Vec3};
use seidel::collider::Shape;
use seidel::{BodyId, Cloth, Collider, Input, Plan, Pose, RigidBody, RigidId, Scene, Solver};

const G: f64 = 9.81;
/// Half a box's side, metres.
const HALF: f32 = 0.1;
/// kg.
const MASS: f64 = 2.0;
/// Metres.
const THICKNESS: f32 = 0.005;

/// A box on a carpet on a slope about the z axis; its friction is with the carpet, the floor's is the carpet's with the
/// floor. The floor is a collider, or a body.
fn slope(degrees: f64, [friction, floors]: [f32; 2], is_body: bool) -> (Scene, BodyId, RigidId) {
    let mut scene = Scene::new();
    scene.settings.substeps = 20.into();
    let turn = |at: [f64; 3]| {
        let turned = Pose::IDENTITY.turned([0.0, 0.0, 1.0], -degrees.to_radians());
        Pose::new(turned.rotation() * DVec3::from(at), turned.rotation())
    };
    // A contact's friction is the geometric mean of both, and the carpet has 1.
    let floor = if is_body {
        let half = DVec3::new(9.0, 0.5, 9.0);
        let body = RigidBody::cuboid(half.as_vec3()).fixed().friction(floors * floors);
        scene.add_rigid(body.placed(turn([0.0, -half.y, 0.0])));
        None
    } else {
        Some(Collider { pose: turn([0.0; 3]), ..Collider::ground().friction(floors * floors) })
    };
    floor.into_iter().for_each(|floor| {
        scene.add_collider(floor);
    });
    let high = f64::from(THICKNESS);
    let carpet = Cloth::grid([19; 2], [1.5, 1.0]).density(0.5).thickness(THICKNESS).friction(1.0);
    let carpet = scene.add(carpet.placed(turn([0.0, high, 0.0]), 1.0));
    let body = RigidBody::cuboid([HALF; 3]).mass(MASS).friction(friction * friction);
    let body = scene.add_rigid(body.placed(turn([-0.2, 2.0 * high + f64::from(HALF), 0.0])));
    (scene, carpet, body)
}

fn at(solver: &Solver, body: RigidId) -> DVec3 {
    pose(solver, body).position()
}

/// 15 degrees: the tangent is 0.27.
#[test]
fn what_friction_holds_stays_on_a_slope() {
    for is_body in [false, true] {
        for frictions in [[0.5, 0.5], [0.9, 0.4], [0.4, 0.9]] {
            let (scene, _, body) = slope(15.0, frictions, is_body);
            let mut solver = Solver::new(&scene).unwrap();
            run(&mut solver, 1.0);
            let begins = at(&solver, body);
            run(&mut solver, 1.5);
            let way = (at(&solver, body) - begins).length();
            assert!(way < 1e-3, "{frictions:?}, body: {is_body}: it creeps by {} mm a second", 1e3 * way / 1.5);
        }
    }
}

/// The lesser friction decides: the box slides on the carpet, or takes it along.
#[test]
fn what_friction_does_not_hold_slides() {
    for (frictions, mu) in [([0.3, 0.8], 0.3), ([0.8, 0.3], 0.3)] {
        let (scene, _, body) = slope(30.0, frictions, false);
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 0.2);
        let before = solver.state().rigid_velocity(solver.plan(), body)[0].length();
        run(&mut solver, 0.4);
        let after = solver.state().rigid_velocity(solver.plan(), body)[0].length();
        let (sin, cos) = (30.0f64.to_radians().sin(), 30.0f64.to_radians().cos());
        let (gained, wanted) = ((after - before) / 0.4, G * (sin - mu * cos));
        assert!((gained / wanted - 1.0).abs() < 0.1, "{frictions:?}: {gained} m/s^2 for {wanted}");
    }
}

/// On the level a box of a hundred times the mass under it lies on the carpet with few substeps, and the floor tells of
/// its weight.
#[test]
fn a_floor_bears_what_lies_on_a_carpet() {
    let (scene, carpet, body) = slope(0.0, [0.5, 0.5], false);
    let mut solver = Solver::new(&scene).unwrap();
    solver.record_contacts(true).unwrap();
    run(&mut solver, 2.0);
    let sunk = 2.0 * f64::from(THICKNESS + 0.5 * HALF) - at(&solver, body).y;
    assert!(sunk.abs() < 1e-3, "sunk by {sunk} m");
    let (mut weight, frames) = (0.0, 30);
    for _ in 0..frames {
        solver.step(&Input::frame(FRAME));
        let h = f64::from(FRAME) / 20.0;
        weight += solver.contacts().map(|contact| f64::from(contact.impulse) / h).sum::<f64>() / f64::from(frames);
    }
    let count = solver.plan().vertices(carpet);
    let mut inv_masses = vec![0.0f32; count];
    solver.state().read_inv_masses(solver.plan(), carpet, &mut inv_masses);
    let all = MASS + inv_masses.iter().map(|w| 1.0 / f64::from(*w)).sum::<f64>();
    assert!((weight / (G * all) - 1.0).abs() < 0.05, "{weight} N for {} N", G * all);
}

/// A carpet that is drawn away slowly takes the box along; one that is snatched away leaves it behind.
#[test]
fn a_carpet_is_drawn_from_under_a_box() {
    for (speed, most) in [(0.1f32, [0.9, 1.05]), (8.0, [-0.02, 0.25])] {
        let (mut scene, carpet, body) = slope(0.0, [0.5, 0.3], false);
        scene.settings.substeps = 40.into();
        let plan = Plan::new(&scene).unwrap();
        let places = (0..plan.vertices(carpet) as u32).collect::<Vec<u32>>();
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 0.5);
        let rests: Vec<Vec3> = solver.positions(carpet).to_vec();
        let edge: Vec<u32> = places.into_iter().filter(|&v| rests[v as usize].x > 0.74).collect();
        assert_eq!(edge.len(), 19);
        let begins = at(&solver, body).x;
        for &v in &edge {
            solver.pin(carpet, v).unwrap();
        }
        let (way, frames) = (0.8, (0.8 / speed / FRAME).round() as u32);
        for frame in 1..=frames {
            let gone = way * frame as f32 / frames as f32;
            let input = edge
                .iter()
                .fold(Input::frame(FRAME), |input, &v| input.pin(carpet, v, rests[v as usize] + Vec3::X * gone));
            solver.step(&input);
        }
        let share = (at(&solver, body).x - begins) / f64::from(way);
        assert!(share > most[0] && share < most[1], "at {speed} m/s the box went {share} of the carpet's way");
    }
}

/// A sheet that slides along the floor into a box takes it along, and loses as much momentum; no matter how the box's
/// side leans by a rounding.
#[test]
fn a_sheet_slides_into_a_box() {
    let after = |lean: f64| {
        let mut scene = Scene::new();
        scene.settings.substeps = 20.into();
        scene.add_collider(Collider::ground().friction(0.0));
        let sheet = Cloth::grid([9; 2], [0.4, 0.4]).density(2.0).thickness(THICKNESS).friction(0.0);
        let sheet = scene.add(sheet.placed(Pose::at([-0.25, THICKNESS, 0.0]), 1.0).velocity([1.0, 0.0, 0.0]));
        let body = RigidBody::cuboid([0.04; 3]).mass(0.3).friction(0.0).at([0.0, 0.04, 0.0]);
        let body = scene.add_rigid(body.turned([0.0, 0.0, 1.0], lean));
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 0.5);
        let count = solver.plan().vertices(sheet);
        let (mut v, mut w) = (vec![Vec3::ZERO; count], vec![0.0; count]);
        solver.state().read_velocities(solver.plan(), sheet, &mut v);
        solver.state().read_inv_masses(solver.plan(), sheet, &mut w);
        let of_sheet: f64 = v.iter().zip(&w).map(|(v, w)| f64::from(v.x / w)).sum();
        let of_body = 0.3 * solver.state().rigid_velocity(solver.plan(), body)[0].x;
        [of_sheet, of_body]
    };
    for lean in [0.0, 1e-6, -1e-6, 1e-2, -1e-2] {
        let [of_sheet, of_body] = after(lean);
        let all = 2.0 * 0.16;
        assert!((of_sheet + of_body - all).abs() < 0.02 * all, "{lean}: {of_sheet} and {of_body} of {all}");
        assert!(of_body > 0.2 * all, "{lean}: {of_body} of {all}");
    }
}

/// A sheet that an input holds, just above a floor, is what carries a box: the floor is not asked.
#[test]
fn a_pinned_sheet_carries_a_box_over_a_floor() {
    let mut scene = Scene::new();
    scene.settings.substeps = 20.into();
    scene.add_collider(Collider::cuboid([1.0, 0.5, 1.0]).at([0.0, -0.5, 0.0]));
    let all: Vec<u32> = (0..81).collect();
    let sheet = Cloth::grid([9; 2], [0.4, 0.4]).thickness(THICKNESS).pin(&all);
    let sheet = scene.add(sheet.placed(Pose::at([0.0, THICKNESS, 0.0]), 1.0));
    let body = scene.add_rigid(RigidBody::cuboid([HALF; 3]).mass(MASS).at([0.0, 2.0 * THICKNESS + HALF, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    let rests: Vec<Vec3> = solver.positions(sheet).to_vec();
    let mut fastest = 0.0f64;
    for frame in 1..=60u8 {
        let high = 0.05 * FRAME * f32::from(frame);
        let input =
            (0..81).fold(Input::frame(FRAME), |input, v| input.pin(sheet, v, rests[v as usize] + Vec3::Y * high));
        solver.step(&input);
        fastest = fastest.max(solver.state().rigid_velocity(solver.plan(), body)[0].y);
    }
    let risen = at(&solver, body).y - f64::from(2.0 * THICKNESS + HALF);
    assert!((risen - 0.05).abs() < 1e-3 && fastest < 0.1, "it has risen by {risen} m, at {fastest} m/s");
}

/// A box that falls onto a carpet: the floor tells of the momentum that it takes.
#[test]
fn a_floor_takes_the_momentum_of_a_box() {
    let (mut scene, ..) = slope(0.0, [0.5, 0.5], false);
    scene.settings.substeps = 1.into();
    let falls = RigidBody::cuboid([HALF; 3]).mass(MASS).at([0.3, 0.3, 0.0]).velocity([0.0, -1.0, 0.0]);
    let body = scene.add_rigid(falls);
    let mut solver = Solver::new(&scene).unwrap();
    solver.record_contacts(true).unwrap();
    let (h, mut taken, mut seconds) = (1.0f32 / 1200.0, 0.0, 0.0);
    for _ in 0..480 {
        solver.step(&Input::frame(h));
        taken += solver.contacts().map(|contact| f64::from(contact.impulse)).sum::<f64>();
        seconds += f64::from(h);
    }
    let all = 2.0 * MASS + 0.5 * 1.5;
    let wanted = all * G * seconds + MASS;
    let v = solver.state().rigid_velocity(solver.plan(), body)[0].length();
    assert!(v < 0.02 && (taken / wanted - 1.0).abs() < 0.05, "{taken} N s for {wanted}, {v} m/s");
}

/// A table of 10 kg on a rug of 3 mm, its feet 800 times as heavy as the rug under them; and 500 kg on a carpet.
#[test]
fn few_substeps_hold_heavy_bodies_on_a_carpet() {
    let part = |half: [f32; 3], at: [f32; 3]| (Shape::Cuboid { half: half.into() }, Pose::at(at));
    let legs = [[0.35, 0.35], [-0.35, 0.35], [0.35, -0.35], [-0.35, -0.35]];
    let legs = legs.map(|[x, z]| part([0.03, 0.19, 0.03], [x, -0.19, z]));
    let table = RigidBody::compound(legs.into_iter().chain([part([0.4, 0.02, 0.4], [0.0, 0.02, 0.0])]));
    for (what, body, (mass, high), thickness) in
        [("table", table, (10.0, 0.38), 0.003f32), ("block", RigidBody::cuboid([HALF; 3]), (500.0, HALF), THICKNESS)]
    {
        let mut scene = Scene::new();
        scene.settings.substeps = 20.into();
        scene.add_collider(Collider::ground());
        let rug = Cloth::grid([31; 2], [1.6, 1.6]).density(0.5).thickness(thickness);
        scene.add(rug.placed(Pose::at([0.0, thickness, 0.0]), 1.0));
        let body = scene.add_rigid(body.mass(mass).at([0.0, high + 2.0 * thickness + 0.05, 0.0]));
        let mut solver = Solver::new(&scene).unwrap();
        assert_eq!(solver.plan().warnings(), [""; 0], "{what}");
        run(&mut solver, 1.5);
        let sunk = f64::from(high + 2.0 * thickness) - at(&solver, body).y;
        assert!(sunk.abs() < 5e-4, "{what}: sunk by {sunk} m");
    }
}

#[test]
fn lanes_threads_and_old_memory_change_no_bit() {
    for is_body in [false, true] {
        let (mut scene, ..) = slope(10.0, [0.5, 0.4], is_body);
        scene.settings.substeps = 10.into();
        // So large that threads share it.
        let large = Cloth::grid([46; 2], [2.0, 2.0]).density(0.5).thickness(THICKNESS);
        scene.add(large.placed(Pose::at([0.0, 0.6, 0.0]), 1.0));
        for k in 0..4u8 {
            scene.add_rigid(RigidBody::sphere(0.06).mass(1.0).at([0.15 * f32::from(k), 0.9, 0.2]));
        }
        same_bits_everywhere(&Plan::new(&scene).unwrap(), 12);
    }
}
