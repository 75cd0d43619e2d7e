//! The list of contacts: who touches what, where, and how hard.

use crate::runs;
use crate::runs::{FRAME, G, meshes, particles, scene, solver};
use seidel::collider::{ConvexHull, HeightField, Motion, Sdf};
use seidel::{
    Cloth, Collide, Collider, Contact, Execution, Features, Input, Isa, PairContact, Plan, Pose, Rope, Scene, Scratch,
    State, step,
};
use std::sync::Arc;

/// Weights on a slope with friction, on a ball, and in the air: each pushed by what it is on, with its weight's part
/// along the normal.
#[test]
fn a_contact_says_who_where_and_how_hard() {
    for iterations in [1, 4] {
        let degrees = 20.0f64;
        let mut scene = scene(G as f32, 20);
        scene.settings.iterations = iterations;
        let turn = degrees.to_radians();
        let on_slope = [-turn.sin() * 0.003, turn.cos() * 0.003, 0.0];
        let mut body = particles(&[[0.0, 5.0, 9.0], on_slope, [-3.0, 0.503, 0.0]], &[1.0, 2.0, 0.5]);
        (body.thickness, body.friction) = (0.002_f32.into(), 1.0_f32.into());
        let body = scene.add(body);
        let slope = scene.add_collider(
            Collider::ground().turned([0.0, 0.0, 1.0], seidel::degrees(degrees)).thickness(0.001).friction(1.0),
        );
        let ball = scene.add_collider(Collider::sphere(0.5).at([-3.0, 0.0, 0.0]).thickness(0.001));
        scene.add_collider(Collider::cuboid([0.1; 3]).at([0.0, 8.0, 0.0]));
        // The ball stands over the lower part of the slope.
        let mut solver = solver(&scene);
        solver.record_contacts(true).expect("few enough");
        runs::run(&mut solver, 30, FRAME);
        let contacts: Vec<Contact> = solver.contacts().collect();
        let h = f64::from(FRAME) / 20.0;
        let newtons = |c: &Contact| f64::from(c.impulse) / h;
        assert_eq!(contacts.len(), 2, "{contacts:?}");
        let [first, second] = [contacts[0], contacts[1]];
        assert_eq!((first.body, first.vertex, first.collider), (body, 1, slope));
        assert_eq!((second.body, second.vertex, second.collider), (body, 2, ball));
        for (contact, normal, point, weight) in [
            (first, [-turn.sin(), turn.cos(), 0.0], [0.0; 3], 2.0 * G * turn.cos()),
            (second, [0.0, 1.0, 0.0], [-3.0, 0.5, 0.0], 0.5 * G),
        ] {
            assert!(runs::norm(runs::sub(runs::wide(contact.normal), normal)) < 1e-4, "{contact:?}");
            assert!(runs::norm(runs::sub(runs::wide(contact.point), point)) < 1e-4, "{contact:?}");
            assert!((newtons(&contact) / weight - 1.0).abs() < 0.01, "{} N and not {weight}", newtons(&contact));
        }
        solver.record_contacts(false).expect("nothing to record");
        runs::run(&mut solver, 1, FRAME);
        assert_eq!(solver.contacts().count(), 0);
    }
}

/// Cloths that hang over solids touch these with triangles, too: the list carries what friction does not.
#[test]
fn the_list_carries_a_cloth() {
    let flat = HeightField::new([9, 9], &[0.0; 81], 0.02).expect("a field");
    let field = Sdf::from_mesh(&meshes::ball(0.12, 4), 0.02).expect("a closed mesh");
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 0 { 0.1f32 } else { -0.1 });
    let hull = ConvexHull::new(&(0..8).map(corner).collect::<Vec<_>>()).expect("a hull");
    let solids = [
        ("plane", Collider::ground(), 0.0),
        ("sphere", Collider::sphere(0.12), 0.12),
        ("cuboid", Collider::cuboid([0.1; 3]), 0.1),
        ("hull", Collider::hull(Arc::new(hull)), 0.1),
        ("capsule", Collider::capsule(0.1, 0.05).turned([1.0, 0.0, 0.0], seidel::degrees(90.0)), 0.1),
        ("torus", Collider::torus(0.1, 0.05), 0.05),
        ("heights", Collider::height_field(Arc::new(flat)), 0.0),
        ("field", Collider::sdf(Arc::new(field)), 0.12),
    ];
    for (name, collider, y) in solids {
        for iterations in [1, 3] {
            let mut scene = scene(G as f32, 20);
            scene.settings.iterations = iterations;
            let cloth = Cloth::grid([16, 16], [0.3, 0.3]).density(0.5).bend(1.0).damping(0.2).friction(0.3);
            scene.add(cloth.placed(Pose::at([0.0, y + 0.002, 0.0]), 1.0));
            scene.add_collider(collider.clone().friction(0.3));
            let mut solver = solver(&scene);
            solver.record_contacts(true).expect("few enough");
            runs::run(&mut solver, 120, FRAME);
            let (h, mut lift) = (f64::from(FRAME) / 20.0, 0.0);
            for _ in 0..30 {
                runs::run(&mut solver, 1, FRAME);
                lift += solver.contacts().map(|c| f64::from(c.impulse * c.normal.y) / h).sum::<f64>() / 30.0;
            }
            let part = lift / (0.5 * 0.3 * 0.3 * G);
            assert!((0.95..1.02).contains(&part), "{name}, {iterations} iterations: {part} of the weight");
        }
    }
}

/// A sheet that lies on a fixed one: what pushes it up is its weight.
#[test]
fn pairs_carry_what_lies_on_them() {
    for iterations in [1, 4] {
        let mut scene = scene(G as f32, 20);
        scene.settings.iterations = iterations;
        let sheet = |n: u32, y: f32| {
            let cloth = Cloth::grid([n, n], [0.5, 0.5]).placed(Pose::at([0.0, y, 0.0]), 1.0);
            cloth.thickness(0.002).collide(Collide::Others)
        };
        let below = scene.add(sheet(12, 0.0).pin(&(0..144).collect::<Vec<_>>()));
        let above = scene.add(sheet(9, 0.0041).density(0.4));
        let mut solver = solver(&scene);
        runs::run(&mut solver, 60, FRAME);
        assert_eq!(solver.pair_contacts().count(), 0, "nobody asked");
        solver.record_contacts(true).expect("few enough");
        let h = f64::from(FRAME) / 20.0;
        let (mut up, mut aside, mut listed) = (0.0, [0.0; 2], 0);
        for _ in 0..30 {
            runs::run(&mut solver, 1, FRAME);
            for contact in solver.pair_contacts() {
                let side = if contact.bodies == [above, below] { 1.0 } else { -1.0 };
                assert!(side > 0.0 || contact.bodies == [below, above], "{contact:?}");
                let [x, y, z] = runs::wide(contact.normal).map(|n| side * n * f64::from(contact.impulse) / h / 30.0);
                (up, aside, listed) = (up + y, [aside[0] + x, aside[1] + z], listed + 1);
                is_sound(&contact);
                assert!((contact.distance - contact.reach).abs() < 1e-5, "{contact:?}");
                let vertices = |body| if body == below { 144 } else { 81 };
                let of =
                    |k: usize| contact.bodies[usize::from(k > 1 || k == 1 && contact.features != Features::EdgeEdge)];
                assert!((0..4).all(|k| contact.vertices[k] < vertices(of(k))), "{contact:?}");
            }
        }
        let weight = 0.4 * 0.25 * G;
        assert!(listed > 30 * 81, "{listed} contacts");
        assert!((up / weight - 1.0).abs() < 0.02, "{iterations} iterations: {up} N and not {weight}");
        assert!(aside.iter().all(|f| f.abs() < 0.02 * weight), "{aside:?} N aside");
    }
}

/// Weights within the features, a normal of length 1, and a push.
fn is_sound(contact: &PairContact) {
    let first = if contact.features == Features::PointTriangle { 1 } else { 2 };
    for part in [&contact.weights[..first], &contact.weights[first..]] {
        let sum: f32 = part.iter().sum();
        assert!(part.iter().all(|w| (0.0..=1.000_01).contains(w)) && (sum - 1.0).abs() < 1e-5, "{contact:?}");
    }
    assert!((contact.normal.length() - 1.0).abs() < 1e-5 && contact.impulse > 0.0, "{contact:?}");
    // Constraints may have drawn a pair further apart after it was pushed, or others' contacts have slid a point past
    // the triangle's edge.
    assert!(contact.reach > 0.0 && contact.distance > -0.1 * contact.reach, "{contact:?}");
}

fn heap() -> Scene {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (4.into(), 2);
    let cloth = Cloth::grid([48, 48], [1.0, 1.0])
        .placed(Pose::at([0.0, 0.32, 0.0]).turned([1.0, 0.0, 0.2], seidel::degrees(6.0)), 1.0);
    scene.add(cloth.thickness(0.004).collide(Collide::All));
    scene.add(Rope::new([-0.5, 0.4, 0.2], [0.5, 0.4, 0.2], 40).collide(Collide::Others));
    scene.add_collider(Collider::ground().restitution(0.4));
    let motion = Motion::Sinusoidal { amplitude: [0.1, 0.0, 0.0].into(), period: 1.0, phase: 0.0 };
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.1, 0.0]).moving(motion));
    scene.add_collider(Collider::capsule(0.1, 0.2).at([0.3, 0.2, 0.1]));
    scene
}

/// On all lanes and threads the same list; a list changes nothing; and nothing in it is left from another step.
#[test]
fn the_list_is_the_same_everywhere() {
    let plan = Plan::new(&heap()).expect("a sound scene");
    let run = |isa: Isa, threads: usize, record: bool| {
        let mut state = State::new(&plan);
        let mut scratch = Scratch::new(&plan, Execution::new(isa, threads));
        scratch.record_contacts(&plan, record).expect("few enough");
        let (mut kinds, mut crossings) = ([0; 2], seidel::Intersections::new());
        for _ in 0..16 {
            scratch.poison();
            let pairs = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch).pairs;
            assert!(pairs.edges <= pairs.contacts);
            assert!(crossings.count(&plan, &state).expect("few enough").is_clean());
            kinds = [kinds[0] + pairs.edges, kinds[1] + pairs.contacts - pairs.edges];
        }
        let contacts: Vec<Contact> = scratch.contacts(&plan, &state).collect();
        let pairs: Vec<PairContact> = scratch.pair_contacts(&plan, &state).collect();
        (state.hash(), contacts, pairs, kinds)
    };
    let (hash, contacts, pairs, kinds) = run(Isa::detect(), 1, true);
    assert!(pairs.len() > 50, "{} pairs", pairs.len());
    pairs.iter().for_each(is_sound);
    assert!(contacts.len() > 100 && kinds[0] > 0 && kinds[1] > 0, "{} contacts, {kinds:?}", contacts.len());
    let place = |c: &Contact| (c.collider.index(), c.body.index());
    assert!(contacts.windows(2).all(|pair| place(&pair[0]) <= place(&pair[1])));
    for contact in &contacts {
        assert!((contact.normal.length() - 1.0).abs() < 1e-5 && contact.impulse > 0.0, "{contact:?}");
    }
    for isa in Isa::available() {
        assert_eq!(run(isa, 3, true), (hash, contacts.clone(), pairs.clone(), kinds), "{isa}");
    }
    assert_eq!(run(Isa::detect(), 1, false), (hash, Vec::new(), Vec::new(), kinds));
}
