//! Against a search through all parts, and against answers that are known.

use super::*;
use crate::{Cloth, Collider, Pose, RigidBody, Rope, Scene};

fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.add(Cloth::grid([12, 12], [1.0, 1.0]).placed(Pose::at([0.0, 1.0, 0.0]), 1.0));
    scene.add(Rope::new([-1.0, 0.0, 0.0], [1.0, 0.2, 0.4], 8));
    for i in 0..6 {
        let at = Pose::at([i as f32 * 0.4 - 1.0, 0.5, 0.3]).turned([1.0, 0.5, 0.2], f64::from(i));
        scene.add_rigid(RigidBody::cuboid([0.1, 0.15, 0.12]).placed(at));
    }
    scene.add_collider(Collider::torus(0.5, 0.1).at([0.0, -0.5, 0.0]));
    scene.add_collider(Collider::cylinder(0.2, 0.3).at([1.0, 0.2, -0.5]));
    scene.add_collider(Collider::capsule(0.1, 0.3).at([-1.0, 0.2, -0.5]));
    scene.add_collider(Collider::ground().at([0.0, -2.0, 0.0]));
    scene
}

fn points() -> impl FnMut() -> DVec3 {
    let mut random = 7u32;
    let mut next = move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(random >> 8) / 8_388_608.0 - 1.0
    };
    move || DVec3::new(next(), next(), next())
}

#[test]
fn the_tree_finds_what_a_search_through_all_finds() {
    let plan = Plan::new(&scene()).unwrap();
    let queries = Queries::new(&plan, &State::new(&plan)).unwrap();
    let mut flat = queries.clone();
    (flat.endless, flat.tree) = ((0..queries.entries.len() as u32).collect(), Tree::default());
    let (look, mut next) = (Look::default(), points());
    let rays: Vec<Ray> =
        (0..400).map(|_| Ray { origin: next() * 2.0, direction: next(), most: f64::INFINITY }).collect();
    let mut batch = vec![None; rays.len()];
    queries.rays(&rays, &look, &mut batch).unwrap();
    for (ray, batch) in rays.iter().zip(&batch) {
        assert_eq!(*batch, flat.ray(ray, &look).unwrap());
        assert_eq!(queries.all(ray, &look).unwrap(), flat.all(ray, &look).unwrap());
        assert_eq!(queries.sphere_cast(ray, 0.05, &look), flat.sphere_cast(ray, 0.05, &look));
        assert_eq!(queries.nearest(ray.origin, 9.0, &look), flat.nearest(ray.origin, 9.0, &look));
        assert_eq!(queries.overlap(ray.origin, 0.4, &look), flat.overlap(ray.origin, 0.4, &look));
    }
    assert!(batch.iter().flatten().count() > 100);
}

#[test]
fn no_ray_slips_between_triangles() {
    let plan = Plan::new(&scene()).unwrap();
    let queries = Queries::new(&plan, &State::new(&plan)).unwrap();
    for x in plan.positions(plan.body_ids().next().unwrap()) {
        // Vertices on the border may be missed by rounding.
        if x[0].abs() < 0.49 && x[2].abs() < 0.49 {
            let x = DVec3::from(x.map(f64::from));
            let ray = Ray { origin: x + DVec3::new(0.3, 1.0, 0.1), direction: DVec3::new(-0.3, -1.0, -0.1), most: 5.0 };
            let hit = queries.ray(&ray, &Look::default()).unwrap().unwrap();
            assert!(hit.position.distance(x) < 1e-9 && hit.normal.y > 0.999, "{hit:?}");
        }
    }
}

#[test]
fn what_is_no_ray_is_refused() {
    let plan = Plan::new(&scene()).unwrap();
    let queries = Queries::new(&plan, &State::new(&plan)).unwrap();
    let (good, look) = (Ray { origin: DVec3::ZERO, direction: DVec3::X, most: 1.0 }, Look::default());
    for direction in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY] {
        assert!(matches!(queries.ray(&Ray { direction, ..good }, &look), Err(QueryError::Direction { .. })));
    }
    for most in [-1.0, f64::NAN] {
        assert!(matches!(queries.ray(&Ray { most, ..good }, &look), Err(QueryError::Length { .. })));
    }
    assert!(matches!(queries.nearest(DVec3::NAN, 1.0, &look), Err(QueryError::Position { .. })));
    assert_eq!(queries.rays(&[good], &look, &mut []), Err(QueryError::Places { rays: 1, places: 0 }));
}
