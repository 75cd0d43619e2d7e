//! What lies on something has the points that it rests on, and keeps them.

use super::*;

#[test]
fn a_box_at_rest_on_a_box_has_four_points_at_its_rim() {
    let (table, solid) = (Shape::Cuboid { half: [1.0, 0.5, 1.0] }, Shape::Cuboid { half: [0.5, 0.25, 0.4] });
    let mut random = Lcg(5);
    for step in 0..360 {
        let turn = Quat::exp(V3::new(0.0, f64::from(step) * std::f64::consts::TAU / 360.0, 0.0));
        let at = V3::new(0.02, 0.75 - 1e-3, -0.02);
        let manifold = collide(&table, &solid, &transform(turn, at), 0.01);
        well_formed(&manifold, 0.01);
        assert_eq!(manifold.count, 4, "{step} {manifold:?}");
        let ids = |m: &Manifold| m.points.map(|p| p.feature);
        for p in manifold.points() {
            assert!((p.separation + 1e-3).abs() < 1e-6, "{step} {manifold:?}");
            let b = turn.conjugate().rotate(wide(p.b) - at);
            assert!((b.x.abs() - 0.5).abs() < 1e-5 && (b.z.abs() - 0.4).abs() < 1e-5, "{step} {manifold:?}");
        }
        for _ in 0..10 {
            let shaken = Quat::exp(random.vector(1e-4)).times(turn);
            let moved = collide(&table, &solid, &transform(shaken, at + random.vector(1e-4)), 0.01);
            assert_eq!(ids(&manifold), ids(&moved), "{step} {manifold:?} {moved:?}");
        }
    }
}

#[test]
fn equal_boxes_in_a_stack_keep_their_points() {
    let solid = Shape::Cuboid { half: [0.5; 3] };
    let mut random = Lcg(6);
    let mut changed = 0;
    for step in 0..90 {
        let turn = Quat::exp(V3::new(0.0, f64::from(step) * std::f64::consts::FRAC_PI_2 / 90.0, 0.0));
        let at = V3::new(0.02, 0.9995, 0.013);
        let manifold = collide(&solid, &solid, &transform(turn, at), 0.01);
        assert_eq!(manifold.count, 4, "{step} {manifold:?}");
        assert_eq!(manifold.normal.y, 1.0);
        for _ in 0..10 {
            let shaken = Quat::exp(random.vector(1e-4)).times(turn);
            let moved = collide(&solid, &solid, &transform(shaken, at + random.vector(1e-4)), 0.01);
            changed += usize::from(manifold.points.map(|p| p.feature) != moved.points.map(|p| p.feature));
        }
    }
    // Where edges cross corners or four of eight corners are as good as others, some pose is between two choices.
    assert!(changed < 18, "{changed} of 900");
}

#[test]
fn a_capsule_along_a_face_or_a_capsule_has_two_points() {
    let capsule = Shape::Capsule { radius: 0.1, half_length: 0.4 };
    let floors = [Shape::Cuboid { half: [1.0, 0.5, 1.0] }, prism(7, 1.0, 0.5), Shape::HalfSpace];
    let lying = Quat::exp(V3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
    let mut random = Lcg(10);
    for step in 0..100 {
        // Over the rim, deep, and tilted by little.
        let turn = Quat::exp(V3::new(0.0, f64::from(step) * 0.1, 0.0)).times(lying);
        let turn = Quat::exp(random.vector(5e-3)).times(turn);
        for floor in &floors {
            let top = if *floor == Shape::HalfSpace { 0.0 } else { 0.5 };
            let (x, y) = (random.between(-0.9, 0.9), random.between(-0.13, 0.1));
            for found in both_ways(floor, &capsule, &transform(turn, V3::new(x, top + y, 0.0)), 0.05) {
                well_formed(&found, 0.05);
                assert!(found.count == 2 && found.normal.y > 0.99, "{step} {floor:?} {x} {y} {found:?}");
                let long = (found.points[0].b - found.points[1].b).length();
                assert!(long > 0.2, "{step} {floor:?} {x} {y} {found:?}");
            }
        }
        let small = Quat::exp(random.vector(0.02));
        for y in [0.0, 0.5, -0.5] {
            for found in both_ways(&capsule, &capsule, &transform(small, V3::new(0.15, y, 0.1)), 0.05) {
                well_formed(&found, 0.05);
                assert_eq!(found.count, 2, "{found:?}");
            }
        }
    }
}

#[test]
fn prisms_stand_on_four_points_and_keep_them() {
    let mut random = Lcg(11);
    let table = Shape::Cuboid { half: [1.0, 0.5, 1.0] };
    for sides in [3, 5, 6, 12, 31, 32, 33, 64, 150] {
        let solid = prism(sides, 0.4, 0.25);
        for base in [&table, &solid] {
            let top = if base == &table { 0.5 } else { 0.25 };
            let turn = Quat::exp(V3::new(0.0, 0.1, 0.0));
            let at = V3::new(0.02, top + 0.2499, 0.01);
            let [found, other] = both_ways(base, &solid, &transform(turn, at), 0.01);
            well_formed(&found, 0.01);
            assert_eq!((found.count, other.count), (if sides == 3 && base == &table { 3 } else { 4 }, found.count));
            assert_eq!(found.normal.y, 1.0, "{found:?}");
            for p in found.points() {
                assert!((p.separation + 1e-4).abs() < 1e-6, "{found:?}");
            }
            // Four points that hold the middle between them.
            let spread = found.points().iter().fold(V3::zero(), |sum, p| sum + p.b) * (1.0 / found.count as f32);
            assert!(V3::new(spread.x, 0.0, spread.z).length() < 0.12, "{sides} {found:?}");
            for _ in 0..20 {
                let shaken = Quat::exp(random.vector(1e-4)).times(turn);
                let moved = collide(base, &solid, &transform(shaken, at + random.vector(1e-4)), 0.01);
                let ids = |m: &Manifold| m.points.map(|p| p.feature);
                if sides < 7 {
                    assert_eq!(ids(&found), ids(&moved), "{sides} {found:?} {moved:?}");
                }
            }
            let ground = collide(&Shape::HalfSpace, &solid, &transform(turn, V3::new(0.0, 0.2499, 0.0)), 0.01);
            assert_eq!(ground.count, if sides == 3 { 3 } else { 4 }, "{ground:?}");
        }
    }
}

#[test]
fn a_small_box_on_a_wide_slab_keeps_its_four_points() {
    let (slab, solid) = (Shape::Cuboid { half: [500.0, 0.5, 500.0] }, Shape::Cuboid { half: [0.5; 3] });
    let mut random = Lcg(13);
    for step in 0..2000 {
        // Edges that are nearly parallel have a normal of few digits.
        let turn = Quat::exp(V3::new(0.0, f64::from(step) * 1e-5, 0.0));
        let turn = Quat::exp(random.vector(1e-4)).times(turn);
        let at = V3::new(random.between(-400.0, 400.0), 0.9999, random.between(-400.0, 400.0));
        for found in both_ways(&slab, &solid, &transform(turn, at), 0.01) {
            assert_eq!(found.count, 4, "{step} {found:?}");
            assert!(found.normal.y > 0.999 && least(&found).abs() < 1e-3, "{step} {found:?}");
        }
    }
}
