//! Against a search through all parts, and against answers that are known.

use super::*;
use crate::{Cloth, Collider, Mesh, Pose, RigidBody, Rope, Scene};

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
    (flat.endless, flat.tree) = ((0..queries.entries.len() as u32).collect(), BoxTree::default());
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

fn hull() -> Shape {
    let points: Vec<[f32; 3]> =
        vec![[0.3, 0.0, 0.0], [-0.2, 0.1, 0.0], [0.0, 0.4, 0.1], [0.0, -0.1, 0.3], [0.1, 0.0, -0.3]];
    Shape::Hull(std::sync::Arc::new(crate::collider::ConvexHull::new(&points).unwrap()))
}

#[test]
fn casts_of_shapes_find_what_a_search_through_all_finds() {
    let mut scene = scene();
    let mesh = crate::Mesh::of_balls(&[[0.0, 0.0, 0.0, 0.2], [0.3, 0.1, 0.0, 0.15]], 0.05).unwrap();
    scene.add_rigid(RigidBody::mesh(&mesh, 0.05).unwrap().at([0.5, -0.6, 0.2]));
    let plan = Plan::new(&scene).unwrap();
    let queries = Queries::new(&plan, &State::new(&plan)).unwrap();
    let mut flat = queries.clone();
    (flat.endless, flat.tree) = ((0..queries.entries.len() as u32).collect(), BoxTree::default());
    let (look, mut next) = (Look::default(), points());
    let shapes = [
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.05, half_length: 0.2 },
        Shape::Cuboid { half: [0.1, 0.05, 0.2].into() },
        Shape::Cylinder { radius: 0.1, half_height: 0.1 },
        Shape::Cone { radius: 0.1, half_height: 0.2 },
        hull(),
    ];
    let casts: Vec<ShapeCast<'_>> = (0..240)
        .map(|i| {
            let pose = Pose { position: (next() * 2.0).to_array(), ..Pose::IDENTITY }.turned(next(), 3.0 * next().x);
            ShapeCast { shape: &shapes[i % 6], pose, direction: next(), most: 4.0 }
        })
        .collect();
    let mut batch = vec![None; casts.len()];
    queries.cast_shapes(&casts, &look, &mut batch).unwrap();
    for (cast, batch) in casts.iter().zip(&batch) {
        assert_eq!(*batch, flat.cast_shape(cast, &look).unwrap());
        assert_eq!(
            queries.overlap_shape(cast.shape, &cast.pose, &look),
            flat.overlap_shape(cast.shape, &cast.pose, &look)
        );
        // A ball has a cast of its own, by another way.
        if let Shape::Sphere { radius } = cast.shape {
            let ray = Ray { origin: cast.pose.position.into(), direction: cast.direction, most: cast.most };
            let ball = queries.sphere_cast(&ray, f64::from(*radius), &look).unwrap();
            assert_eq!(ball.is_some(), batch.is_some(), "{cast:?}");
            if let (Some(ball), Some(hit)) = (ball, batch) {
                let same = (ball.distance - hit.distance).abs();
                // The field of a mesh is not its triangles.
                let least = if plan.rigid_ids().last().map(Target::Rigid) == Some(hit.target) { 0.02 } else { 1e-7 };
                assert!(same < least, "{ball:?} {hit:?}");
            }
        }
    }
    let met: std::collections::BTreeSet<Target> = batch.iter().flatten().map(|hit| hit.target).collect();
    assert!(met.len() > 10 && batch.iter().flatten().count() > 100, "{met:?}");
}

/// A hull may be anywhere in its own frame: that frame's origin says nothing of whether it begins in a mesh.
#[test]
fn a_hull_beside_its_origin_meets_a_mesh_by_its_points() {
    let mut scene = Scene::new();
    let block = Mesh::cuboid([0.5; 3], [2; 3]);
    let bodies =
        [0.0, 5.0f32].map(|x| scene.add_rigid(RigidBody::mesh(&block, 0.1).unwrap().at([x, 0.0, 0.0]).fixed()));
    let plan = Plan::new(&scene).unwrap();
    let queries = Queries::new(&plan, &State::new(&plan)).unwrap();
    let (look, down) = (Look::default(), DVec3::NEG_Y);
    let corners: Vec<[f32; 3]> = (0..8u8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|c| 0.2 * f32::from(c))).collect();
    let high: Vec<[f32; 3]> = corners.iter().map(|[x, y, z]| [*x, y + 3.0, *z]).collect();
    let shape = Shape::Hull(std::sync::Arc::new(crate::collider::ConvexHull::new(&high).unwrap()));
    for (x, body) in [(0.0, bodies[0]), (5.0, bodies[1])] {
        // Its origin is in the mesh and its points above, then the other way round.
        let cast = |y: f32| ShapeCast { shape: &shape, pose: Pose::at([x, y, 0.0]), direction: down, most: 9.0 };
        let hit = queries.cast_shape(&cast(0.0), &look).unwrap().unwrap();
        assert!(hit.target == Target::Rigid(body) && (hit.distance - 2.5).abs() < 1e-6, "{hit:?}");
        let hit = queries.cast_shape(&cast(-3.1), &look).unwrap().unwrap();
        assert!(hit.target == Target::Rigid(body) && hit.distance == 0.0, "{hit:?}");
    }
}

#[test]
fn a_shape_that_is_cast_tells_what_it_meets_and_where() {
    let mut scene = Scene::new();
    let sheet = scene.add(Cloth::grid([4, 4], [1.0, 1.0]).placed(Pose::at([0.0, 1.0, 0.0]), 1.0));
    let ring = scene.add_collider(Collider::torus(1.0, 0.2).at([5.0, 0.0, 0.0]));
    let ground = scene.add_collider(Collider::ground().at([0.0, -1.0, 0.0]));
    let plan = Plan::new(&scene).unwrap();
    let queries = Queries::new(&plan, &State::new(&plan)).unwrap();
    let look = Look::default();
    let cube = Shape::Cuboid { half: [0.1; 3].into() };
    let fall =
        |x: f32, shape| ShapeCast { shape, pose: Pose::at([x, 3.0, 0.1]), direction: DVec3::NEG_Y * 7.0, most: 9.0 };
    let hit = queries.cast_shape(&fall(0.15, &cube), &look).unwrap().unwrap();
    assert!(hit.target == Target::Body(sheet) && (hit.distance - 1.9).abs() < 1e-6, "{hit:?}");
    let Part::Triangle(triangle, shares) = hit.part else { panic!("{hit:?}") };
    let corners = plan.triangles(sheet)[triangle as usize].map(|v| plan.positions(sheet)[v as usize]);
    let at = (0..3).fold(DVec3::ZERO, |at, k| at + DVec3::from(corners[k].map(f64::from)) * shares[k]);
    assert!(at.distance(hit.position) < 1e-9 && hit.normal.y > 0.999_999, "{hit:?}");
    // Through the ring's middle, and onto it.
    assert_eq!(queries.cast_shape(&fall(5.0, &cube), &look).unwrap().unwrap().target, Target::Collider(ground));
    let hit = queries.cast_shape(&fall(6.0, &Shape::Sphere { radius: 0.3 }), &look).unwrap().unwrap();
    assert!(hit.target == Target::Collider(ring), "{hit:?}");
    // 0.1 beside the ring's line along z: its middle line is at 1 from the middle.
    let beside = 1.01f64.sqrt() - 1.0;
    assert!((hit.distance - (3.0 - (0.25 - beside * beside).sqrt())).abs() < 1e-7, "{hit:?}");
    let wide = Shape::Cylinder { radius: 2.0, half_height: 0.5 };
    assert_eq!(queries.overlap_shape(&wide, &Pose::at([5.0, 0.5, 0.0]), &look).unwrap().len(), 1);
    let says = |cast: ShapeCast<'_>, text: &str| {
        let error = queries.cast_shape(&cast, &look).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    says(fall(0.0, &Shape::Torus { ring: 1.0, tube: 0.1 }), "shape 0: a torus is not convex; cast a sphere");
    says(fall(0.0, &Shape::Sphere { radius: 0.0 }), "radius is 0 m, which is not above 0");
    says(ShapeCast { direction: DVec3::ZERO, ..fall(0.0, &cube) }, "which is no direction");
    says(ShapeCast { most: -1.0, ..fall(0.0, &cube) }, "distance is -1 m");
    let askew = Pose { rotation: [0.0; 4], ..Pose::IDENTITY };
    says(ShapeCast { pose: askew, ..fall(0.0, &cube) }, "which is no unit quaternion");
    says(fall(f32::NAN, &cube), "position is");
    assert_eq!(
        queries.cast_shapes(&[fall(0.0, &cube)], &look, &mut []),
        Err(QueryError::Places { rays: 1, places: 0 })
    );
}
