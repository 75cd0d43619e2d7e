//! Against times of impact that are known, and against distances along the way.

use super::*;

const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn numbers() -> impl FnMut() -> f64 {
    let mut random = 11u32;
    move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(random >> 8) / 8_388_608.0 - 1.0
    }
}

fn unit(x: [f64; 3]) -> [f64; 3] {
    array(crate::vector::unit(v(x)).unwrap_or(v([1.0, 0.0, 0.0])))
}

/// Any axes from three numbers: a turn by a quaternion.
fn turned(next: &mut impl FnMut() -> f64) -> [[f64; 3]; 3] {
    let q = seidel_kernels::Quat::<f64>::set([next(), next(), next(), 1.0 + next()]);
    let length = (q.v.length_squared() + q.w * q.w).sqrt();
    let q = seidel_kernels::Quat::<f64>::set([q.v.x, q.v.y, q.v.z, q.w].map(|c| c / length));
    AXES.map(|axis| array(q.rotate(v(axis))))
}

#[test]
fn balls_meet_when_they_should() {
    let mut next = numbers();
    let mut hits = 0;
    for _ in 0..1000 {
        let from = [3.0 * next(), 3.0 * next(), 3.0 * next()];
        let way = unit([next(), next(), next()]);
        let radii = [0.6 + 0.5 * next(), 0.6 + 0.5 * next()];
        let ball = |radius, at| Placed::new(Solid::Ball { radius }, AXES, at);
        let met = ball(radii[0], from).cast(&ball(radii[1], [0.0; 3]), way, 10.0);
        let (b, r) = (v(from).dot(v(way)), radii[0] + radii[1]);
        let c = v(from).length_squared() - r * r;
        let root = b * b - c;
        let want = if c <= 0.0 { Some(0.0) } else { (root >= 0.0 && b < 0.0).then(|| -b - root.sqrt()) };
        assert_eq!(met.is_some(), want.is_some(), "{from:?} {way:?}");
        if let (Some(met), Some(want)) = (met, want) {
            assert!((met.at - want).abs() < 1e-8, "{met:?}, {want}");
            let out = (v(met.point).length() - radii[1]).abs();
            assert!(out < 1e-8 && (v(met.normal) - v(met.point) * (1.0 / radii[1])).length() < 1e-6, "{met:?}");
            hits += 1;
        }
    }
    assert!(hits > 80, "{hits}");
}

#[test]
fn corners_edges_and_faces_meet_when_they_should() {
    let root = 0.5f64.sqrt();
    let down = [0.0, -1.0, 0.0];
    let slab = Placed::here(Solid::Cuboid { half: [5.0, 0.5, 5.0] });
    let about_z = [[root, root, 0.0], [-root, root, 0.0], [0.0, 0.0, 1.0]];
    let about_x = [[1.0, 0.0, 0.0], [0.0, root, root], [0.0, -root, root]];
    let cube = Solid::Cuboid { half: [1.0; 3] };
    let cone = Solid::Frustum { radii: [0.7, 0.0], half_height: 0.6 };
    let tip_down = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
    let capsule = Solid::Capsule { radius: 0.25, half_length: 0.5 };
    let cylinder = Solid::Frustum { radii: [0.5; 2], half_height: 1.0 };
    for (solid, axes, low) in [
        (cube, AXES, 1.0),
        (cube, about_z, 2.0 * root),
        (cone, AXES, 0.6),
        (cone, tip_down, 0.6),
        (capsule, AXES, 0.75),
        (capsule, about_z, 0.5 * root + 0.25),
        (cylinder, about_x, root * 1.5),
    ] {
        let met = Placed::new(solid, axes, [0.3, 5.0, 0.2]).cast(&slab, down, 10.0).expect("it is below");
        assert!((met.at - (4.5 - low)).abs() < 1e-9, "{solid:?}: {met:?}, {}", 4.5 - low);
        assert!((met.normal[1] - 1.0).abs() < 1e-9 && (met.point[1] - 0.5).abs() < 1e-9, "{met:?}");
        let plane =
            Placed::new(solid, axes, [0.3, 5.0, 0.2]).cast_half_space([0.0, 1.0, 0.0], [9.0, 0.5, 9.0], down, 10.0);
        assert!((plane.expect("it is below").at - (4.5 - low)).abs() < 1e-12);
        // Along it the fall is 0, or -0, and never ends.
        for way in [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
            let above = Placed::new(solid, axes, [0.3, 5.0, 0.2]);
            assert_eq!(above.cast_half_space([0.0, 1.0, 0.0], [9.0, 0.5, 9.0], way, f64::INFINITY), None);
            assert_eq!(above.cast_half_space([-0.0, 1.0, -0.0], [9.0, 0.5, 9.0], way, f64::INFINITY), None);
        }
    }
    // Edge on edge, crossed: the normal is up, and both edges are 2^0.5 from their middles.
    let edge = Placed::new(cube, about_z, [0.0, 6.0, 0.0]);
    let other = Placed::new(cube, about_x, [0.0; 3]);
    let met = edge.cast(&other, down, 10.0).expect("it is below");
    assert!((met.at - (6.0 - 4.0 * root)).abs() < 1e-9 && (met.normal[1] - 1.0).abs() < 1e-6, "{met:?}");
    // Sideways past it, and not so far.
    assert_eq!(edge.cast(&other, [1.0, 0.0, 0.0], 99.0), None);
    assert_eq!(edge.cast(&other, down, 3.0), None);
    // A face that slides along a face, just apart, and one that begins in it.
    let beside = |y: f64| Placed::new(cube, AXES, [0.0, y, 0.0]);
    assert_eq!(beside(1.5 + 1e-6).cast(&slab, [1.0, 0.0, 0.0], 99.0), None);
    let inside = beside(1.4).cast(&slab, [1.0, 0.0, 0.0], 99.0).expect("it begins there");
    assert!(inside.at == 0.0 && inside.normal[1] > 0.999, "{inside:?}");
}

#[test]
fn a_triangle_is_met_on_its_face_its_edge_and_its_corner() {
    let triangle = Placed::here(Solid::Triangle([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]));
    let fall = |x: f64, z: f64| {
        Placed::new(Solid::Ball { radius: 0.5 }, AXES, [x, 2.0, z]).cast(&triangle, [0.0, -1.0, 0.0], 9.0)
    };
    let at = |x: f64, z: f64| fall(x, z).expect("it is below").at;
    assert!((at(0.2, 0.2) - 1.5).abs() < 1e-9);
    // 0.3 beside an edge, and 0.5^0.5 * 0.4 beside a corner.
    assert!((at(0.5, -0.3) - (2.0 - 0.16f64.sqrt())).abs() < 1e-9);
    assert!((at(-0.2, -0.2) - (2.0 - 0.17f64.sqrt())).abs() < 1e-9);
    assert_eq!(fall(0.5, -0.51), None);
}

#[test]
fn a_ring_lets_through_what_fits_into_its_hole() {
    let mut next = numbers();
    for _ in 0..20 {
        let axes = turned(&mut next);
        let at = [next(), next(), next()];
        let along = |x: [f64; 3]| array((v(axes[0]) * x[0] + v(axes[1]) * x[1]) + v(axes[2]) * x[2]);
        let place = |x: [f64; 3]| array(v(at) + v(along(x)));
        let ball = |radius: f64, from: [f64; 3]| Placed::new(Solid::Ball { radius }, AXES, place(from));
        let met = |ball: &Placed<'_>, way: [f64; 3]| ball.cast_ring([1.0, 0.2], (axes, at), along(way), 10.0);
        let down = [0.0, -1.0, 0.0];
        assert_eq!(met(&ball(0.79, [0.0, 3.0, 0.0]), down), None);
        // On the axis it touches all around at once, where its middle is (r + 0.2)^2 - 1 above, squared.
        let got = met(&ball(0.9, [0.0, 3.0, 0.0]), down).expect("it does not fit").at;
        assert!((got - (3.0 - (1.21f64 - 1.0).sqrt())).abs() < 1e-8, "{got}");
        // From outside, at any angle.
        let (s, c) = (7.0 * next()).sin_cos();
        let side = met(&ball(0.3, [4.0 * c, 0.0, 4.0 * s]), [-c, 0.0, -s]).expect("it is there");
        assert!((side.at - 2.5).abs() < 1e-8, "{side:?}");
        let normal = v(side.normal) - v(along([c, 0.0, s]));
        assert!(normal.length() < 1e-5, "{side:?}");
        // A plate lies down on it.
        let plate = Placed::new(Solid::Cuboid { half: [2.0, 0.1, 2.0] }, axes, place([0.0, 3.0, 0.0]));
        let flat = met(&plate, down).expect("it is below").at;
        assert!((flat - 2.7).abs() < 1e-8, "{flat}");
    }
}

/// A plate that slides over a ring meets the capsules of all its arcs and none of the arcs.
#[test]
fn what_slides_just_above_a_ring_misses_it() {
    let slide = |above: f64| {
        let plate = Placed::new(Solid::Cuboid { half: [2.0, 0.1, 2.0] }, AXES, [0.0, 0.3 + above, 0.0]);
        plate.cast_ring([1.0, 0.2], (AXES, [0.0; 3]), [1.0, 0.0, 0.0], 10.0)
    };
    assert_eq!(slide(1e-5), None);
    assert_eq!(slide(-1e-5).expect("it is in it").at, 0.0);
}

/// Before the impact they are apart, at it they touch, and what meets nothing is apart all along.
#[test]
fn all_pairs_agree_with_distances_along_the_way() {
    let points: Vec<[f32; 3]> = {
        let mut next = numbers();
        (0..12).map(|_| [0.6 * next() as f32, 0.8 * next() as f32, 0.5 * next() as f32]).collect()
    };
    let solids = [
        Solid::Ball { radius: 0.5 },
        Solid::Capsule { radius: 0.2, half_length: 0.6 },
        Solid::Cuboid { half: [0.5, 0.3, 0.7] },
        Solid::Frustum { radii: [0.4; 2], half_height: 0.5 },
        Solid::Frustum { radii: [0.5, 0.0], half_height: 0.5 },
        Solid::Hull(&points),
        Solid::Segment { ends: [[-0.4, 0.1, 0.0], [0.5, -0.2, 0.3]], radius: 0.1 },
        Solid::Triangle([[-0.5, 0.0, 0.1], [0.6, 0.2, 0.0], [0.0, -0.3, 0.6]]),
    ];
    let mut next = numbers();
    let (mut hits, mut misses) = (0, 0);
    for (i, first) in solids.iter().enumerate() {
        for second in &solids {
            for _ in 0..12 {
                let far = unit([next(), next(), next()]).map(|c| 2.5 * c);
                let a = Placed::new(*first, turned(&mut next), far);
                let b = Placed::new(*second, turned(&mut next), [0.0; 3]);
                let aim = [0.5 * next() - far[0], 0.5 * next() - far[1], 0.5 * next() - far[2]];
                let way = unit(if i % 2 == 0 { aim } else { [next(), next(), next()] });
                let apart = |t: f64| {
                    let pair = nearest(&a.at(v(way), t), &b.convex, V3::new(1.0, 0.0, 0.0), f64::INFINITY);
                    pair.expect("it is near").separation - (a.convex.radius + b.convex.radius)
                };
                let met = a.cast(&b, way, 6.0);
                let end = met.map_or(6.0, |met| met.at);
                for k in 0..60 {
                    let t = end * f64::from(k) / 60.0;
                    assert!(apart(t) > 0.0, "{first:?} {second:?}: {met:?}, {t}");
                }
                match met {
                    Some(met) => {
                        assert!(apart(met.at).abs() < 1e-6, "{first:?} {second:?}: {met:?}, {}", apart(met.at));
                        assert!(
                            (v(met.normal).length() - 1.0).abs() < 1e-9 && v(met.normal).dot(v(way)) < 0.0,
                            "{met:?}"
                        );
                        hits += 1;
                    }
                    None => misses += 1,
                }
            }
        }
    }
    assert!(hits > 200 && misses > 100, "{hits} {misses}");
}

#[test]
fn what_is_no_number_meets_nothing() {
    let ball = |at| Placed::new(Solid::Ball { radius: 0.5 }, AXES, at);
    let here = ball([0.0; 3]);
    assert_eq!(ball([f64::NAN, 0.0, 0.0]).cast(&here, [1.0, 0.0, 0.0], 9.0), None);
    assert_eq!(ball([-3.0, 0.0, 0.0]).cast(&here, [f64::NAN, 0.0, 0.0], 9.0), None);
    assert_eq!(ball([-3.0, 0.0, 0.0]).cast(&here, [1.0, 0.0, 0.0], f64::NAN), None);
}
