//! Cylinders and cones against all shapes: what is found is compared with solids of many vertices.

use super::*;

/// Vertices of a rim. They lie within this share of the radius of it: 1 - cos(pi / 512).
const RIM: usize = 512;
const SHARE: f64 = 1.9e-5;

fn frustum(kind: usize, random: &mut Lcg) -> Shape {
    let (radius, half_height) = (random.between(0.2, 0.8) as f32, random.between(0.1, 0.8) as f32);
    match kind {
        0 => Shape::Cylinder { radius, half_height },
        _ => Shape::Cone { radius, half_height },
    }
}

/// The vertices of a shape in the frame of A.
fn solid(shape: &Shape, pose: &Transform) -> Solid {
    let (radii, half) = match shape {
        Shape::Cylinder { radius, half_height } => ([*radius; 2], *half_height),
        Shape::Cone { radius, half_height } => ([*radius, 0.0], *half_height),
        other => return Solid::new(other, pose),
    };
    let mut vertices = vec![];
    for k in 0..RIM {
        let (s, c) = (k as f64 * std::f64::consts::TAU / RIM as f64).sin_cos();
        for (radius, y) in radii.into_iter().zip([-half, half]) {
            let r = f64::from(radius);
            let [x, y, z] = [c * r, f64::from(y), s * r];
            let [ax, ay, az] = pose.axes.map(wide);
            vertices.push(((ax * x + ay * y) + az * z) + wide(pose.at));
        }
    }
    Solid { vertices, normals: vec![], edges: vec![], radius: 0.0 }
}

fn each(seed: u64, count: usize, mut check: impl FnMut(&Shape, &Shape, &Transform, &mut Lcg)) {
    let mut random = Lcg(seed);
    for kind in 0..2 {
        for other in 0..KINDS + 2 {
            for _ in 0..count {
                let a = frustum(kind, &mut random);
                let b = if other < KINDS { shape(other, &mut random) } else { frustum(other - KINDS, &mut random) };
                let pose = transform(random.rotation(), random.vector(1.1));
                check(&a, &b, &pose, &mut random);
            }
        }
    }
}

#[test]
fn a_frustum_is_as_far_or_as_deep_as_its_vertices_say() {
    let (mut apart, mut deep) = (0, 0);
    each(11, 150, |a, b, pose, random| {
        let (of_a, of_b) = (solid(a, &HERE), solid(b, pose));
        let radius = of_a.radius + of_b.radius;
        let core = of_a.core_distance(&of_b);
        for manifold in both_ways(a, b, pose, 10.0) {
            assert!(manifold.count > 0, "{a:?} {b:?} {pose:?}");
            well_formed(&manifold, 10.0);
            let (found, n) = (least(&manifold), wide(manifold.normal));
            let along = of_a.separation(&of_b, n);
            if core > 2.0 * SHARE {
                let distance = core - radius;
                let slack = f64::from(near_gain(2.0));
                assert!(found <= distance + 2.0 * SHARE, "{found} of {distance}: {a:?} {b:?} {pose:?} {manifold:?}");
                assert!(along >= distance - slack, "{along} of {distance}: {a:?} {b:?} {pose:?} {manifold:?}");
                apart += 1;
            } else if core == 0.0 {
                // No direction is better by more than what a face may be worse.
                let slack = f64::from(near_gain(2.0));
                for _ in 0..200 {
                    let other = random.vector(1.0);
                    let other = other * (1.0 / other.length());
                    let separation = of_a.separation(&of_b, other);
                    assert!(separation <= along + slack, "{along}, {separation} along {other:?}: {a:?} {b:?} {pose:?}");
                }
                // Beside the normal that was found no other is better: a small turn of it.
                for _ in 0..50 {
                    let other = n + random.vector(0.02);
                    let other = other * (1.0 / other.length());
                    assert!(of_a.separation(&of_b, other) <= along + slack, "{a:?} {b:?} {pose:?} {manifold:?}");
                }
                deep += 1;
            }
        }
    });
    assert!(apart > 500 && deep > 500, "{apart} {deep}");
}

#[test]
fn a_half_space_holds_up_frustums() {
    let mut random = Lcg(12);
    for kind in [0, 1].repeat(200) {
        let b = frustum(kind, &mut random);
        let pose = transform(random.rotation(), random.vector(1.1));
        let manifold = collide(&Shape::HalfSpace, &b, &pose, 10.0);
        let lowest = solid(&b, &pose).vertices.iter().map(|v| v.y).fold(f64::INFINITY, f64::min);
        well_formed(&manifold, 10.0);
        assert!((least(&manifold) - lowest).abs() < 2.0 * SHARE, "{lowest}: {b:?} {pose:?} {manifold:?}");
    }
}

/// On its cap a cylinder has four points, on its side two, which roll with it; a cone likewise.
#[test]
fn points_of_what_lies_are_where_it_lies() {
    let cylinder = Shape::Cylinder { radius: 0.5, half_height: 1.0 };
    let table = Shape::Cuboid { half: [2.0; 3] };
    let quarter = Quat::exp(V3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    for (floor, top) in [(Shape::HalfSpace, 0.0), (table, 2.0)] {
        let standing = transform(Quat::exp(V3::zero()), V3::new(0.0, top + 0.999, 0.0));
        let manifold = collide(&floor, &cylinder, &standing, 0.01);
        assert_eq!(manifold.count, 4, "{manifold:?}");
        let up = V3::new(0.0, 1.0, 0.0);
        assert!((manifold.normal - up).length() == 0.0, "{manifold:?}");
        assert!(manifold.points().iter().all(|p| (p.separation + 0.001).abs() < 1e-6));
        assert!(manifold.rolls.iter().all(|roll| roll[1] < 1e-6), "{manifold:?}");
        let lying = transform(quarter, V3::new(0.0, top + 0.499, 0.0));
        let manifold = collide(&floor, &cylinder, &lying, 0.01);
        assert_eq!(manifold.count, 2, "{manifold:?}");
        assert!((manifold.normal - up).length() < 1e-6, "{manifold:?}");
        assert!(manifold.rolls[..2].iter().all(|roll| (roll[1] - 0.5).abs() < 1e-6), "{manifold:?}");
        // Half a right angle between cap and side: one point, below the axis as seen along the rim.
        let tilted = transform(Quat::exp(V3::new(0.8, 0.0, 0.0)), V3::new(0.0, top + 0.9, 0.0));
        assert_eq!(collide(&floor, &cylinder, &tilted, 0.3).count, 1);
    }
    let cone = Shape::Cone { radius: 0.5, half_height: 0.6 };
    // Turned until a line of its side is level.
    let slope = (0.5f64 / 1.2).atan();
    let lying = Quat::exp(V3::new(std::f64::consts::FRAC_PI_2 + slope, 0.0, 0.0));
    let lowest = solid(&cone, &transform(lying, V3::zero())).vertices.iter().map(|v| v.y).fold(f64::INFINITY, f64::min);
    let manifold = collide(&Shape::HalfSpace, &cone, &transform(lying, V3::new(0.0, -lowest, 0.0)), 0.01);
    assert_eq!(manifold.count, 2, "{manifold:?}");
    let mut rolls = [manifold.rolls[0][1], manifold.rolls[1][1]];
    rolls.sort_by(f32::total_cmp);
    assert!(rolls[0] == 0.0 && (f64::from(rolls[1]) - 0.5 / slope.cos()).abs() < 1e-4, "{rolls:?}");
}

/// Two logs along each other touch in two points, on their sides.
#[test]
fn a_log_lies_on_a_log() {
    let log = Shape::Cylinder { radius: 0.2, half_height: 1.0 };
    let manifold = collide(&log, &log, &transform(Quat::exp(V3::zero()), V3::new(0.399, 0.5, 0.0)), 0.01);
    assert_eq!(manifold.count, 2, "{manifold:?}");
    assert!((manifold.normal - V3::new(1.0, 0.0, 0.0)).length() < 1e-4, "{manifold:?}");
    let mut heights: Vec<f32> = manifold.points().iter().map(|p| p.a.y).collect();
    heights.sort_by(f32::total_cmp);
    assert!((heights[0] + 0.5).abs() < 1e-4 && (heights[1] - 1.0).abs() < 1e-4, "{heights:?}");
}

/// However it has turned, a wheel that touches a box has two points below its axis and the box's normal.
#[test]
fn a_wheel_on_a_box_has_its_normal_at_every_turn() {
    let wheel = Shape::Cylinder { radius: 0.4, half_height: 0.1 };
    let floor = Shape::Cuboid { half: [20.0, 0.5, 2.0] };
    let mut random = Lcg(13);
    for _ in 0..2000 {
        let side = Quat::exp(V3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
        let tremble = Quat::exp(random.vector(1e-4));
        let turn = Quat::exp(V3::new(0.0, 0.0, random.between(-4.0, 4.0))).times(tremble).times(side).normalised();
        let gap = random.between(-1e-3, 1e-3);
        let at = V3::new(random.between(-10.0, 10.0), 0.9 + gap, random.between(-1.0, 1.0));
        for manifold in both_ways(&floor, &wheel, &transform(turn, at), 0.1) {
            well_formed(&manifold, 0.1);
            let up = V3::new(0.0, 1.0, 0.0);
            assert!((manifold.normal - up).length() < 1e-6, "{gap} {manifold:?}");
            assert_eq!(manifold.count, 2, "{gap} {manifold:?}");
            assert!((least(&manifold) - gap).abs() < 2e-5, "{gap} {manifold:?}");
        }
    }
}
