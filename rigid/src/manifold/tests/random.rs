//! Random pairs of all shapes against the oracle.

use super::*;

#[test]
fn separations_are_at_most_the_distance_and_penetrations_are_the_least() {
    let (mut apart, mut touching) = (0, 0);
    pairs(1, 400, |a, b, pose, _| {
        let (solid_a, solid_b) = (Solid::new(a, &HERE), Solid::new(b, pose));
        let core = solid_a.core_distance(&solid_b);
        let distance = core - (solid_a.radius + solid_b.radius);
        let manifold = collide(a, b, pose, 10.0);
        assert!(manifold.count > 0, "{a:?} {b:?} {pose:?}");
        well_formed(&manifold, 10.0);
        let found = least(&manifold);
        if core > 0.0 {
            assert!(found <= distance + 1e-5, "{found} of {distance}: {a:?} {b:?} {pose:?} {manifold:?}");
            if solid_a.radius + solid_b.radius > 0.0 {
                assert!((found - distance).abs() < 1e-5, "{found}, not {distance}: {a:?} {b:?} {pose:?}");
            }
            apart += 1;
        } else {
            let (best, axis) = solid_a.best_axis(&solid_b);
            let n = wide(manifold.normal);
            let along = solid_a.separation(&solid_b, n);
            // A face is kept where an axis near it is better by little.
            let slack = if n.dot(axis) > 0.98 { f64::from(near_gain(2.0)) } else { 1e-4 };
            assert!(along <= best + 1e-5 && along >= best - slack, "{along} of {best}: {a:?} {b:?} {pose:?}");
            touching += 1;
        }
    });
    assert!(apart > 500 && touching > 500, "{apart} {touching}");
}

#[test]
fn nothing_is_found_beyond_reach_and_nothing_is_lost_within() {
    pairs(2, 200, |a, b, pose, random| {
        let (solid_a, solid_b) = (Solid::new(a, &HERE), Solid::new(b, pose));
        let distance = solid_a.core_distance(&solid_b) - (solid_a.radius + solid_b.radius);
        let reach = random.between(0.0, 1.0) as f32;
        let manifold = collide(a, b, pose, reach);
        if distance < f64::from(reach) - 1e-5 {
            assert!(manifold.count > 0, "{distance} {reach} {a:?} {b:?} {pose:?}");
        }
        let all = collide(a, b, pose, 10.0);
        if least(&all) > f64::from(reach) + 1e-4 {
            assert_eq!(manifold.count, 0, "{distance} {reach} {a:?} {b:?} {pose:?}");
        }
    });
}

#[test]
fn moving_b_out_along_the_normal_resolves_the_overlap() {
    pairs(3, 200, |a, b, pose, _| {
        let manifold = collide(a, b, pose, 0.0);
        if manifold.count == 0 {
            return;
        }
        let out = manifold.normal * (-least(&manifold) as f32);
        let moved = Transform { at: pose.at + out, ..*pose };
        let (solid_a, solid_b) = (Solid::new(a, &HERE), Solid::new(b, &moved));
        let (best, distance) = if solid_a.radius + solid_b.radius > 0.0 {
            let distance = solid_a.core_distance(&solid_b) - (solid_a.radius + solid_b.radius);
            (distance, distance)
        } else {
            (solid_a.best_axis(&solid_b).0, 0.0)
        };
        // Of more than four corners nearly as deep as the deepest that one may be left out.
        assert!(
            best > -2e-5 - f64::from(SAME_DEPTH) && distance < 1e-4,
            "{best} {distance}: {a:?} {b:?} {pose:?} {manifold:?}"
        );
    });
}

#[test]
fn swapped_shapes_give_the_opposite_normal() {
    pairs(4, 200, |a, b, pose, _| {
        let one = collide(a, b, pose, 10.0);
        let other = collide(b, a, &pose.inverse(), 10.0).swapped(pose);
        assert!((least(&one) - least(&other)).abs() < 2e-3, "{one:?} {other:?}");
        // Where two axes are as good as one another each order has its own.
        if (one.normal - other.normal).length() > 1e-4 {
            let (solid_a, solid_b) = (Solid::new(a, &HERE), Solid::new(b, pose));
            let [s, t] = [one.normal, other.normal].map(|n| solid_a.separation(&solid_b, wide(n)));
            assert!((s - t).abs() < 2e-3, "{s} {t} {a:?} {b:?} {pose:?}");
            return;
        }
        assert_eq!(one.count, other.count, "{a:?} {b:?} {pose:?} {one:?} {other:?}");
        let sorted = |m: &Manifold| {
            let mut all: Vec<f32> = m.points().iter().map(|p| p.separation).collect();
            all.sort_by(f32::total_cmp);
            all
        };
        for (s, t) in sorted(&one).into_iter().zip(sorted(&other)) {
            assert!((s - t).abs() < 1e-5, "{one:?} {other:?}");
        }
    });
}

#[test]
fn a_half_space_holds_up_what_lies_on_it() {
    pairs(7, 50, |_, b, pose, random| {
        let reach = random.between(0.0, 1.0) as f32;
        let manifold = collide(&Shape::HalfSpace, b, pose, reach);
        let solid = Solid::new(b, pose);
        let lowest = solid.vertices.iter().map(|v| v.y).fold(f64::INFINITY, f64::min) - solid.radius;
        assert_eq!(manifold.count > 0, lowest <= f64::from(reach));
        if manifold.count > 0 {
            well_formed(&manifold, reach);
            assert!((least(&manifold) - lowest).abs() < 1e-6, "{b:?} {pose:?} {manifold:?}");
        }
        let other = collide(b, &Shape::HalfSpace, &pose.inverse(), reach).swapped(pose);
        assert!((other.normal - manifold.normal).length() < 1e-5 || manifold.count == 0);
    });
    let flat = transform(Quat::exp(V3::new(0.0, 0.3, 0.0)), V3::new(5.0, 0.4, -3.0));
    assert_eq!(collide(&Shape::HalfSpace, &Shape::Cuboid { half: [0.7, 0.5, 0.3] }, &flat, 0.01).count, 4);
}

#[test]
fn points_lie_on_the_surfaces() {
    pairs(8, 200, |a, b, pose, _| {
        let manifold = collide(a, b, pose, 1.0);
        let inverse = pose.inverse();
        for p in manifold.points() {
            for (shape, at) in [(a, p.a), (b, inverse.point(p.b))] {
                let height = match shape {
                    Shape::Sphere { radius } => at.length() - radius,
                    Shape::Capsule { radius, half_length } => {
                        let y = at.y.clamp(-half_length, *half_length);
                        (at - V3::new(0.0, y, 0.0)).length() - radius
                    }
                    Shape::Cuboid { half } => highest(BoxFaces::new(*half).faces(), at),
                    Shape::Hull(hull) => highest(Faces::of(hull), at),
                    _ => at.y,
                };
                // As far outside as clipping lets corners be, more where a face is sharp. A capsule that is in a solid
                // up to its segment touches slantwise. One that lies along a face may slope by 9 degrees.
                let capsule = matches!(shape, Shape::Capsule { .. });
                let slanting = if capsule && least(&manifold) < -0.1 {
                    1.0
                } else if capsule {
                    4e-3
                } else {
                    2e-4
                };
                assert!(height < 1e-3 && height > -slanting, "{height} {a:?} {b:?} {pose:?} {manifold:?}");
            }
        }
    });
}

fn highest(faces: Faces<'_>, p: V3<f32>) -> f32 {
    (0..faces.planes.len() as u32).map(|f| faces.plane(f).0.dot(p) - faces.plane(f).1).fold(f32::MIN, f32::max)
}

#[test]
fn a_box_as_a_hull_touches_as_the_box_does() {
    let mut random = Lcg(9);
    let half = [0.5f32, 0.3, 0.4];
    let solid = BoxFaces::new(half);
    let mut triangles = vec![];
    for face in 0..6 {
        let ring = solid.faces().loop_of(face);
        triangles.extend([[ring[0], ring[1], ring[2]], [ring[0], ring[2], ring[3]]]);
    }
    let (as_box, as_hull) = (Shape::Cuboid { half }, hull(solid.faces().vertices, &triangles));
    for _ in 0..1000 {
        let pose = transform(random.rotation(), random.vector(0.8));
        let all = [&as_box, &as_hull].map(|a| [&as_box, &as_hull].map(|b| collide(a, b, &pose, 0.1)));
        let [expected, rest @ ..] = all.as_flattened() else { unreachable!() };
        for found in rest {
            // Of more than four corners that are nearly as deep others may be left out.
            let [s, t] = [least(expected), least(found)];
            assert!(expected.count == 0 || (s - t).abs() < f64::from(SAME_DEPTH) + 3e-5, "{expected:?} {found:?}");
            assert_eq!(found.count > 0, expected.count > 0);
        }
    }
}

#[test]
fn moving_both_changes_nothing() {
    pairs(12, 100, |a, b, _, random| {
        let (turn, at) = (random.rotation(), random.vector(1.0));
        let whole = (random.rotation(), random.vector(50.0));
        let pose_a = (whole.0, whole.1);
        let pose_b = (whole.0.times(turn), whole.1 + whole.0.rotate(at));
        let relative =
            transform(pose_a.0.conjugate().times(pose_b.0), pose_a.0.conjugate().rotate(pose_b.1 - pose_a.1));
        let (one, other) = (collide(a, b, &transform(turn, at), 10.0), collide(a, b, &relative, 10.0));
        assert!((least(&one) - least(&other)).abs() < 1e-5, "{one:?} {other:?}");
    });
}

/// Boxes that are taken together touch as each pair does alone, whatever the lanes, and however many they are.
#[test]
fn boxes_in_lanes_touch_as_one_by_one() {
    let mut random = Lcg(15);
    let mut of_boxes = CuboidPairs::default();
    for count in (0..400).map(|round| round % 17) {
        let half = |random: &mut Lcg| [0; 3].map(|_| random.between(0.05, 0.6) as f32);
        let mut all: Vec<_> = (0..count)
            .map(|_| {
                // Some lie along each other, as in stacks.
                let turn = if random.unit() < 0.3 { Quat::new(V3::zero(), 1.0) } else { random.rotation() };
                let pose = transform(turn, random.vector(1.2));
                ([half(&mut random), half(&mut random)], pose, random.between(0.0, 0.3) as f32)
            })
            .collect();
        if let Some((_, pose, _)) = all.get_mut(3) {
            pose.at.y = f32::NAN;
        }
        if let Some((half, ..)) = all.get_mut(5) {
            half[1][2] = f32::INFINITY;
        }
        for isa in Isa::available() {
            all.iter().for_each(|(half, pose, reach)| assert!(of_boxes.push(*half, pose, *reach)));
            assert!(count < 16 || !of_boxes.push([[1.0; 3]; 2], &HERE, 0.0));
            let mut found = Vec::new();
            of_boxes.collide(isa, |lane, manifold| found.push((lane, bits(manifold))));
            let alone = all.iter().map(|([a, b], pose, reach)| {
                let [a, b] = [a, b].map(|half| Shape::Cuboid { half: *half });
                bits(&super::super::collide(Isa::PORTABLE, &a, &b, pose, *reach))
            });
            assert_eq!(found, alone.enumerate().collect::<Vec<_>>(), "{isa:?}");
            assert_eq!(of_boxes.count(), 0);
        }
    }
}

#[test]
fn bits_are_the_same_on_every_machine() {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    // FNV-1a, a word at a time.
    let mut add = |word: u32| hash = (hash ^ u64::from(word)).wrapping_mul(0x100_0000_01b3);
    pairs(14, 20, |a, b, pose, _| {
        let manifold = collide(a, b, pose, 0.2);
        for p in manifold.points() {
            let numbers = [manifold.normal, p.a, p.b].map(|v| [v.x, v.y, v.z]);
            numbers.as_flattened().iter().for_each(|x| add(x.to_bits()));
            add(p.separation.to_bits());
            add(p.feature);
        }
    });
    assert_eq!(hash, 0xab35_5e16_471b_b1d2, "{hash:#x}");
}
