//! Rigid bodies that begin in each other or in colliders are told, with the deepest pair.

use seidel::glam::DVec3;
use seidel::joint::{Axis, Spring};
use seidel::{Cloth, Collider, Filter, Plan, Pose, RigidBody, RigidId, RigidJoint, Scene};

fn warnings(scene: &Scene) -> Vec<String> {
    Plan::new(scene).expect("a sound scene").warnings()
}

fn cube(name: &str, x: f32) -> RigidBody {
    RigidBody::cuboid([0.5; 3]).at([x, 0.5, 0.0]).named(name)
}

#[test]
fn the_deepest_of_all_pairs_is_named() {
    let mut scene = Scene::new();
    for (name, x) in [("a", 0.0), ("b", 0.9), ("c", 1.6), ("far", 9.0)] {
        scene.add_rigid(cube(name, x));
    }
    let mend = "they are pushed out at up to 3 m/s; move them apart, or let them pass through each other by `groups` \
                and `mask` or by a joint with `collide = false`";
    let told =
        format!("rigid bodies `b` and `c` start 0.3 m in each other, the deepest of 2 pairs that overlap: {mend}");
    assert_eq!(warnings(&scene), [told]);
    // A collider is met by all: the deepest is of it.
    scene.add_collider(Collider::ground().at([0.0, 0.4, 0.0]).named("ground"));
    let told = "rigid body `a` starts 0.4 m inside collider `ground`, the deepest of 6 pairs that overlap: ";
    let all = warnings(&scene);
    assert!(all.len() == 1 && all[0].starts_with(told), "{all:?}");
}

#[test]
fn one_pair_is_not_counted() {
    let mut scene = Scene::new();
    scene.add_rigid(RigidBody::sphere(0.5).named("a"));
    scene.add_rigid(RigidBody::sphere(0.5).at([0.0, 0.75, 0.0]).named("b"));
    let all = warnings(&scene);
    let told = "rigid bodies `a` and `b` start 0.25 m in each other: they are";
    assert!(all.len() == 1 && all[0].starts_with(told), "{all:?}");
    // In one place.
    let mut scene = Scene::new();
    for name in ["a", "b"] {
        scene.add_rigid(cube(name, 3.0));
    }
    let all = warnings(&scene);
    assert!(all.len() == 1 && all[0].starts_with("rigid bodies `a` and `b` start 1 m in each other: "), "{all:?}");
}

/// Touching, also with roundings far from the origin, and 0.9 % of a side in each other.
#[test]
fn what_touches_is_not_told() {
    for (far, gap) in [(0.0, 0.0), (0.0, 0.01), (0.0, -0.009), (1000.1, 0.0)] {
        let mut scene = Scene::new();
        scene.add_collider(Collider::ground());
        for k in 0..5u8 {
            scene.add_rigid(cube(&format!("{k}"), far + f32::from(k) * (1.0 + gap)));
        }
        assert_eq!(warnings(&scene), [""; 0], "{far} {gap}");
    }
}

#[test]
fn what_does_not_push_is_not_told() {
    let pair = |a: RigidBody, b: RigidBody| {
        let mut scene = Scene::new();
        let ids = [scene.add_rigid(a.named("a")), scene.add_rigid(b.named("b"))];
        (scene, ids)
    };
    let (a, b) = (cube("", 0.0), cube("", 0.5));
    assert_eq!(warnings(&pair(a.clone(), b.clone()).0).len(), 1);
    let apart = Filter::new(2, !2);
    for (a, b) in [
        (a.clone().sensor(), b.clone()),
        (a.clone().filter(apart), b.clone().filter(apart)),
        (a.clone().fixed(), b.clone().fixed()),
    ] {
        assert_eq!(warnings(&pair(a, b).0), [""; 0]);
    }
    // A joint keeps its bodies from colliding, unless it says otherwise.
    for (collide, count) in [(false, 0), (true, 1)] {
        let (mut scene, [a, b]) = pair(a.clone(), b.clone());
        let joint = RigidJoint::ball(a, b, [0.25, 0.5, 0.0]);
        scene.join_rigid(if collide { joint.colliding() } else { joint });
        assert_eq!(warnings(&scene).len(), count);
    }
    // Of a fixed body a collider is no concern, and neither is a cloth.
    let mut scene = Scene::new();
    scene.add_rigid(cube("a", 0.0).fixed());
    scene.add_collider(Collider::ground().at([0.0, 0.4, 0.0]));
    scene.add(Cloth::grid([4, 4], [1.0, 1.0]).placed(Pose::at([0.0, 2.0, 0.0]), 1.0));
    assert_eq!(warnings(&scene), [""; 0]);
}

#[test]
fn a_surface_of_triangles_is_looked_at() {
    use seidel::collider::HeightField;
    let field = std::sync::Arc::new(HeightField::new([3, 3], &[0.0; 9], 2.0).unwrap());
    for (y, count) in [(0.5, 0), (0.45, 1)] {
        let mut scene = Scene::new();
        scene.add_collider(Collider::height_field(field.clone()).named("field"));
        scene.add_rigid(RigidBody::sphere(0.5).at([0.3, y, 0.2]).named("ball"));
        let all = warnings(&scene);
        assert_eq!(all.len(), count, "{all:?}");
        assert!(all.iter().all(|told| told.starts_with("rigid body `ball` starts 0.05 m inside collider `field`: ")));
    }
}

/// Ten thousand balls, of which one is in its neighbour.
#[test]
fn one_of_many_bodies_is_found() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground());
    for k in 0..10_000u16 {
        let [x, y, z] = [k % 20, k / 20 % 25, k / 500].map(f32::from);
        let y = if k == 7777 { y - 0.25 } else { y };
        scene.add_rigid(RigidBody::sphere(0.5).at([x, y + 0.5, z]).named(format!("{k}")));
    }
    let plan = Plan::new(&scene).unwrap();
    let all = plan.warnings();
    assert!(all.len() == 1 && all[0].starts_with("rigid bodies `7757` and `7777` start 0.25 m"), "{all:?}");
}

/// A gear needs something that holds each of its bodies that can move on its axis.
#[test]
fn a_gear_whose_body_nothing_holds_is_told() {
    let told = |hinged: [bool; 2], body: &dyn Fn(&str, f32) -> RigidBody| {
        let mut scene = Scene::new();
        let ids = [scene.add_rigid(body("a", 0.0)), scene.add_rigid(body("b", 1.2))];
        scene.join_rigid(RigidJoint::gear(ids[0], ids[1], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0], -2.0).named("gear"));
        for (k, id) in ids.into_iter().enumerate().filter(|(k, _)| hinged[*k]) {
            scene.join_rigid(RigidJoint::hinge(None, id, [1.2 * k as f64, 0.5, 0.0], [0.0, 1.0, 0.0]));
        }
        warnings(&scene)
    };
    let text = |body: &str| {
        format!(
            "joint `gear` is a gear, and nothing holds body `{body}` on its axis: give it a hinge along the gear's axis"
        )
    };
    assert_eq!(told([false, false], &cube), [text("a")]);
    assert_eq!(told([true, false], &cube), [text("b")]);
    assert_eq!(told([true, true], &cube), [""; 0]);
    assert_eq!(told([false, false], &|name, x| cube(name, x).lock_rotation([true, false, true])), [""; 0]);
}

/// Limits that exclude where a joint starts: of ways and turns those without 0, of a distance those without it.
#[test]
fn a_joint_that_starts_outside_of_its_limits_is_told() {
    let (at, y) = ([0.0, 0.5, 0.0], [0.0, 1.0, 0.0]);
    let told = |joint: &dyn Fn(RigidId) -> RigidJoint| {
        let mut scene = Scene::new();
        let body = scene.add_rigid(cube("a", 0.0));
        scene.join_rigid(joint(body).named("first"));
        warnings(&scene)
    };
    let starts = |wanted: &str, joint: &dyn Fn(RigidId) -> RigidJoint| {
        let all = told(joint);
        assert!(all.len() == 1 && all[0].starts_with(&format!("joint `first` starts {wanted}")), "{all:?}");
    };
    let slides = |limits: [f32; 2]| move |b| RigidJoint::slider(None, b, at, y).limits(limits[0], limits[1]);
    let hinged = |limits: [f32; 2]| move |b| RigidJoint::hinge(None, b, at, y).limits(limits[0], limits[1]);
    let way = |limits| move |b| RigidJoint::distance(None, b, [[0.0, 4.5, 0.0], at].map(Into::into), limits);
    starts("1 m outside of its limits, 1 to 2 m: its way is counted from where it starts", &slides([1.0, 2.0]));
    starts("0.5 m outside of its limits, up to -0.5 m: ", &slides([f32::NEG_INFINITY, -0.5]));
    starts("0.25 rad outside of its limits, from 0.25 rad on: its turn is counted", &hinged([0.25, f32::INFINITY]));
    starts("1 m outside of its limits, 2 to 3 m: its points are 4 m apart. ", &way([2.0, 3.0]));
    starts("1 m outside of its limits, 5 m: its points are 4 m apart. ", &way([5.0, 5.0]));
    let axes = [Axis::LOCKED, Axis::FREE, Axis::LOCKED, Axis::LOCKED, Axis::LOCKED, Axis::limited(0.1, 0.2)];
    starts("0.1 rad outside of its limits, 0.1 to 0.2 rad: ", &|b| RigidJoint::six_dof(None, b, at, axes));
    // The limits hold the start, or nearly.
    for within in [[0.0, 2.0], [-1.0, 0.0], [f32::NEG_INFINITY, f32::INFINITY]] {
        assert_eq!([told(&slides(within)), told(&hinged(within))].concat(), [""; 0]);
    }
    for within in [[2.0, 4.0], [0.0, 4.0], [4.0, 4.0], [4.01, 4.02]] {
        assert_eq!(told(&way(within)), [""; 0]);
    }
    assert_eq!(told(&|b| RigidJoint::ball_in_cone(None, b, at, y, [0.3, 0.2])), [""; 0]);
    // Of several the first, and how many more.
    let mut scene = Scene::new();
    let body = scene.add_rigid(cube("a", 0.0));
    for (number, limits) in [[-1.0, 1.0], [1.0, 2.0], [3.0, 4.0]].into_iter().enumerate() {
        let at = [number as f64, 0.5, 0.0];
        scene.join_rigid(RigidJoint::slider(None, body, at, y).limits(limits[0], limits[1]).named(format!("{number}")));
    }
    let all = warnings(&scene);
    assert!(all[0].starts_with("joint `1` starts 1 m outside of its limits, 1 to 2 m, and so does another joint: "));
}

/// Two joints of a kind between the same bodies in one place, in any order of the bodies; other places, kinds and springs
/// are no copies.
#[test]
fn a_joint_that_is_there_twice_is_told() {
    let at = [0.5, 0.5, 0.0];
    let told = |joints: &dyn Fn([RigidId; 2]) -> [RigidJoint; 2]| {
        let mut scene = Scene::new();
        let ids = [scene.add_rigid(cube("a", 0.0)), scene.add_rigid(cube("b", 1.2))];
        for joint in joints(ids) {
            scene.join_rigid(joint);
        }
        warnings(&scene)
    };
    let text =
        "joints `joint-0` and `joint-1` hold the same bodies in the same place in the same way: leave one of them out";
    assert_eq!(told(&|[a, b]| [RigidJoint::ball(a, b, at), RigidJoint::ball(a, b, at)]), [text]);
    assert_eq!(told(&|[a, b]| [RigidJoint::ball(a, b, at), RigidJoint::ball(b, a, at)]), [text]);
    assert_eq!(told(&|[a, b]| [RigidJoint::ball(a, b, at), RigidJoint::ball(a, b, [0.5, 0.6, 0.0])]), [""; 0]);
    let hinge = |a, b| RigidJoint::hinge(a, b, at, [0.0, 1.0, 0.0]);
    assert_eq!(told(&|[a, b]| [RigidJoint::ball(a, b, at), hinge(a, b)]), [""; 0]);
    let ends = [DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.7, 0.5, 0.0)];
    let spring = |a, b| RigidJoint::spring(a, b, ends, Spring { stiffness: 10.0, damping: 0.0, rest: 0.0 });
    assert_eq!(told(&|[a, b]| [spring(a, b), spring(a, b)]), [""; 0]);
}
