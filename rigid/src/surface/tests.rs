//! Bodies on surfaces of triangles.

use super::*;
use crate::Shape;
use crate::manifold::Manifold;
use crate::vector::{V, unit};
use seidel_kernels::V3;
use std::sync::Arc;

/// A grid of cells of a width, with heights; its middle at the origin.
fn grid(cells: u32, width: f32, height: impl Fn(f32, f32) -> f32) -> Surface {
    let n = cells + 1;
    let at = |i: u32| width * (i as f32 - 0.5 * cells as f32);
    let vertices: Vec<[f32; 3]> = (0..n * n).map(|k| [at(k % n), height(at(k % n), at(k / n)), at(k / n)]).collect();
    let corners = (0..cells * cells).map(|k| k / cells * n + k % cells);
    let triangles: Vec<[u32; 3]> = corners.flat_map(|k| [[k, k + n, k + 1], [k + 1, k + n, k + n + 1]]).collect();
    Surface::new(&vertices, &triangles).unwrap()
}

/// The surface seen from a body that is at a place and turned about an axis of length 1.
fn place(at: [f64; 3], axis: [f64; 3], angle: f64) -> SurfacePlace {
    let turn = seidel_kernels::Quat::<f64>::exp(V3::set(axis) * -angle);
    let axes = turn.axes();
    let back = (axes[0] * -at[0] + axes[1] * -at[1]) + axes[2] * -at[2];
    SurfacePlace::new(axes.map(|v| [v.x, v.y, v.z]), [back.x, back.y, back.z])
}

fn found(manifolds: &[Manifold]) -> Vec<&Manifold> {
    manifolds.iter().filter(|m| m.count > 0).collect()
}

fn shapes() -> Vec<(&'static str, Shape, f64)> {
    let tetrahedron = [[0.5, -0.2, 0.5], [-0.5, -0.2, 0.5], [0.0, -0.2, -0.5], [0.0, 0.5, 0.0]];
    let hull = crate::polyhedron::tests::hull_of(&tetrahedron).unwrap();
    vec![
        ("ball", Shape::Sphere { radius: 0.3 }, 0.3),
        ("capsule", Shape::Capsule { radius: 0.2, half_length: 0.3 }, 0.5),
        ("box", Shape::Cuboid { half: [0.4, 0.3, 0.5] }, 0.3),
        ("cylinder", Shape::Cylinder { radius: 0.4, half_height: 0.3 }, 0.3),
        ("cone", Shape::Cone { radius: 0.4, half_height: 0.3 }, 0.3),
        ("hull", Shape::Hull(Arc::new(hull)), 0.2),
    ]
}

/// Wherever a body lies on a level grid, it has one contact, whose normal is that of the grid and whose depth is how
/// deep it is.
#[test]
fn no_edge_of_a_level_grid_is_felt() {
    let floor = grid(20, 0.25, |_, _| 0.0);
    let mut state = 3u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / 8_388_608.0 - 1.0
    };
    for (what, shape, height) in shapes() {
        for k in 0..300 {
            // Also exactly on vertices and edges.
            let [x, z] = if k % 5 == 0 { [0.25 * f64::from(k / 5 % 4), 0.0] } else { [next(), next()] };
            let gap = 0.002 * next();
            let seen = place([x, height + gap, z], [0.0, 1.0, 0.0], 3.0 * next());
            let all = meet(&shape, &floor, &seen, 0.01);
            let contacts = found(&all);
            assert_eq!(contacts.len(), 1, "{what} at {x}, {z}: {contacts:?}");
            let (normal, count) = (contacts[0].normal, contacts[0].count);
            assert!((normal.y + 1.0).abs() < 1e-7 && normal.x.abs() + normal.z.abs() < 1e-6, "{what}: {normal:?}");
            // A fourth point of a face with three corners is on one of its sides.
            let want = match what {
                "ball" | "capsule" => 1..=1,
                "hull" => 3..=4,
                _ => 4..=4,
            };
            assert!(want.contains(&count), "{what} at {x}, {z}: {contacts:?}");
            // They are the corners, or as far out as these: 0.9 of a rim's diameter apart.
            let wide = contacts[0].points().iter().fold(0.0f32, |wide, p| {
                contacts[0]
                    .points()
                    .iter()
                    .fold(wide, |wide, q| if (p.a - q.a).length() > wide { (p.a - q.a).length() } else { wide })
            });
            let least = match what {
                "ball" | "capsule" => 0.0,
                "hull" => 1.1,
                "box" => 1.28,
                _ => 0.72,
            };
            assert!(wide >= least, "{what} at {x}, {z}: {wide} {contacts:?}");
            for point in contacts[0].points() {
                assert!((f64::from(point.separation) - gap).abs() < 1e-5, "{what} at {x}, {z}: {gap} {point:?}");
            }
        }
    }
}

/// On a ridge a ball is pushed away from the ridge's line, and in a valley from both sides.
#[test]
fn ridges_and_valleys_have_the_normals_they_should() {
    let ball = Shape::Sphere { radius: 0.3 };
    let roof = grid(10, 0.5, |x, _| -0.5 * x.abs());
    for aside in [-0.05, 0.0, 0.05] {
        let all = meet(&ball, &roof, &place([aside, 0.299, 0.13], [0.0, 1.0, 0.0], 0.0), 0.05);
        let contacts = found(&all);
        assert_eq!(contacts.len(), 1, "{contacts:?}");
        let away: f64 = aside.hypot(0.299);
        let n = contacts[0].normal;
        assert!((f64::from(n.x) + aside / away).abs() < 1e-5 && (f64::from(n.y) + 0.299 / away).abs() < 1e-5, "{n:?}");
        assert!((f64::from(contacts[0].points[0].separation) - (away - 0.3)).abs() < 1e-6);
    }
    let valley = grid(10, 0.5, |x, _| x.abs());
    let all = meet(&ball, &valley, &place([0.0, 0.3 * 2f64.sqrt() - 0.001, 0.13], [0.0, 1.0, 0.0], 0.0), 0.05);
    let contacts = found(&all);
    assert_eq!(contacts.len(), 2, "{contacts:?}");
    assert!(contacts.iter().all(|m| (f64::from(m.normal.y) + 0.5f64.sqrt()).abs() < 1e-6), "{contacts:?}");
}

/// A flat box on the edge of a step is held up, and not pushed off it by the step's upright.
#[test]
fn a_step_holds_what_lies_over_its_edge() {
    let y = [0.0, 0.0, 1.0, 1.0, 0.0];
    let x = [-3.0, -1.0, -1.0, 1.0, 1.0];
    let vertices: Vec<[f32; 3]> = (0..5).flat_map(|k| [[x[k], y[k], -2.0], [x[k], y[k], 2.0]]).collect();
    let triangles: Vec<[u32; 3]> = (0..4)
        .flat_map(|k| [2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3])
        .collect::<Vec<u32>>()
        .chunks(4)
        .flat_map(|c| [[c[0], c[1], c[2]], [c[2], c[1], c[3]]])
        .collect();
    let steps = Surface::new(&vertices, &triangles).unwrap();
    for (what, shape, height) in shapes() {
        for x in [-1.1, -0.95, -0.8, 0.0, 0.9, 1.1] {
            let at = [x, 1.0 + height - 0.0004, 0.3];
            let all = meet(&shape, &steps, &place(at, [0.0, 1.0, 0.0], 0.4), 0.005);
            for manifold in found(&all) {
                let deepest =
                    manifold.points().iter().fold(0.0f32, |d, p| if p.separation < d { p.separation } else { d });
                assert!(deepest > -6e-4, "{what} at {x}: {manifold:?}");
                let level = manifold.normal.y < -0.99;
                let rolls_off = (what == "ball" || what == "capsule") && x.abs() > 1.0;
                assert!(level || deepest > -1e-4 || rolls_off, "{what} at {x}: {manifold:?}");
            }
            if x.abs() < 1.0 {
                assert!(!found(&all).is_empty(), "{what} at {x} falls through");
            }
        }
    }
}

/// A closed box of triangles is met as the box is.
#[test]
fn a_box_of_triangles_is_met_as_a_box() {
    use crate::manifold::collide;
    use seidel_kernels::Isa;
    let corner = |k: u32| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 0.5 } else { -0.5 });
    let vertices: Vec<[f32; 3]> = (0..8).map(corner).collect();
    let mut triangles = vec![];
    for axis in 0..3u32 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let high = 1 << axis;
        triangles.extend([[high, high | u, high | u | v], [high, high | u | v, high | v]]);
        triangles.extend([[0, u | v, u], [0, v, u | v]]);
    }
    let mesh = Surface::new(&vertices, &triangles).unwrap();
    let solid = Shape::Cuboid { half: [0.5; 3] };
    let mut state = 9u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / 8_388_608.0 - 1.0
    };
    let mut compared = 0;
    for (what, shape, _) in shapes() {
        for _ in 0..400 {
            let at = [1.1 * next(), 1.1 * next(), 1.1 * next()];
            let axis = V3::<f64>::new(next(), next(), next());
            let Some(axis) = unit(axis) else { continue };
            let (axis, angle) = ([axis.x, axis.y, axis.z], 3.0 * next());
            let seen = place(at, axis, angle);
            let turn = seidel_kernels::Quat::<f64>::exp(V3::set(axis) * -angle);
            let axes = turn.axes();
            let back = (axes[0] * -at[0] + axes[1] * -at[1]) + axes[2] * -at[2];
            let narrow = |v: V| V3::new(v.x as f32, v.y as f32, v.z as f32);
            let b_in_a = crate::manifold::Transform { axes: axes.map(narrow), at: narrow(back) };
            let one = collide(Isa::detect(), &shape, &solid, &b_in_a, 0.05);
            let least = |m: &Manifold| {
                m.points().iter().fold(f32::INFINITY, |d, p| if p.separation < d { p.separation } else { d })
            };
            // Deep ones have several ways out.
            if one.count == 0 || least(&one) < -0.03 {
                continue;
            }
            let all = meet(&shape, &mesh, &seen, 0.05);
            // Polyhedra that are apart have an axis that separates, which need not be that of the distance.
            let alike = |m: &&Manifold| {
                let near = least(&one) > 0.0 || m.normal.dot(one.normal) > 0.99;
                near && (least(m) - least(&one)).abs() < 5e-3
            };
            let same = found(&all).iter().any(alike);
            assert!(same, "{what} at {at:?} about {axis:?} by {angle}: {one:?} {:?}", found(&all));
            let deepest = found(&all).into_iter().fold(f32::INFINITY, |d, m| if least(m) < d { least(m) } else { d });
            assert!(deepest > least(&one) - 5e-3, "{what} at {at:?}: {one:?} {:?}", found(&all));
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn bad_triangles_are_left_out_or_refused() {
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert!(Surface::new(&flat, &[[0, 1, 2]]).is_none() && Surface::new(&flat, &[]).is_none());
    assert!(Surface::new(&flat, &[[0, 1, 9]]).is_none());
    assert!(Surface::new(&[[f32::NAN; 3]; 3], &[[0, 1, 2]]).is_none());
    let surface = Surface::new(&flat, &[[0, 1, 2], [0, 3, 1]]).unwrap();
    assert_eq!(surface.triangles.len(), 1);
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let seen = SurfacePlace::new([[1.0, 0.0, 0.0], [0.0, bad, 0.0], [0.0, 0.0, 1.0]], [0.0, bad, 0.0]);
        for (_, shape, _) in shapes() {
            assert!(meet(&shape, &surface, &seen, 0.01).iter().all(Manifold::is_finite));
        }
    }
}

/// A ball has its own way to a triangle: the same contacts as those of a capsule without a length, which goes the way of
/// all others.
#[test]
fn a_ball_is_met_as_other_shapes_are() {
    let hills = grid(12, 0.25, |x, z| 0.3 * (3.0 * x).sin() * (2.0 * z).cos());
    let (ball, capsule) = (Shape::Sphere { radius: 0.2 }, Shape::Capsule { radius: 0.2, half_length: 0.0 });
    let mut state = 9u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / 8_388_608.0 - 1.0
    };
    let mut contacts = 0;
    for surface in [hills.clone(), hills.clone().deep(), hills.offset(0.01)] {
        for _ in 0..500 {
            let seen = place([next(), 0.2 + 0.3 * next(), next()], [0.0, 1.0, 0.0], 3.0 * next());
            let (one, other) = (meet(&ball, &surface, &seen, 0.02), meet(&capsule, &surface, &seen, 0.02));
            let (one, other) = (found(&one), found(&other));
            assert_eq!(one.len(), other.len(), "{one:?} {other:?}");
            for (a, b) in one.into_iter().zip(other) {
                contacts += 1;
                let deepest = |m: &Manifold| m.points().iter().fold(f32::INFINITY, |d, p| d.min(p.separation));
                assert!((a.normal - b.normal).length() < 1e-5, "{a:?} {b:?}");
                assert!((deepest(a) - deepest(b)).abs() < 1e-5, "{a:?} {b:?}");
            }
        }
    }
    assert!(contacts > 500, "{contacts}");
}

/// On rough ground, whose nodes are saddles as often as not, what is nearest to a ball or capsule has a contact, and
/// what overlaps has one whatever its shape.
#[test]
fn nothing_is_missed_on_rough_ground() {
    let mut state = 21u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / 8_388_608.0 - 1.0
    };
    let mut overlaps = [0; 6];
    for roughness in [0.03, 0.1, 0.2] {
        let heights: Vec<f32> = (0..13 * 13).map(|_| (roughness * next()) as f32).collect();
        let cell = |c: f32| ((c / 0.25) as i32 + 6) as usize;
        let ground = grid(12, 0.25, |x, z| heights[13 * cell(z) + cell(x)]);
        for ground in [ground.clone(), ground.deep()] {
            for (k, (what, shape, height)) in shapes().into_iter().enumerate() {
                for _ in 0..200 {
                    let at = [0.8 * next(), height + 0.7 * roughness + 0.15 * height * next(), 0.8 * next()];
                    let seen = place(at, [0.0, 1.0, 0.0], 3.0 * next());
                    overlaps[k] += met(what, &shape, &ground, &seen);
                }
            }
        }
    }
    assert!(overlaps.iter().all(|&count| count > 100), "{overlaps:?}");
}

/// Nor on a rough ring: a closed mesh that has saddles all along its inside.
#[test]
fn nothing_is_missed_on_a_rough_ring() {
    const AROUND: u32 = 30;
    const ACROSS: u32 = 16;
    let mut state = 22u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / 8_388_608.0 - 1.0
    };
    let place_of = |around: f64, across: f64, far: f64| {
        let out = 2.5 + far * across.cos();
        [out * around.cos(), far * across.sin(), out * around.sin()]
    };
    let angle = |k: u32, of: u32| std::f64::consts::TAU * f64::from(k) / f64::from(of);
    let number = |i: u32, j: u32| i % AROUND * ACROSS + j % ACROSS;
    let mut overlaps = [0; 6];
    for roughness in [0.02, 0.06, 0.12] {
        let vertices: Vec<[f32; 3]> = (0..AROUND * ACROSS)
            .map(|k| {
                let far = 1.0 + roughness * next();
                place_of(angle(k / ACROSS, AROUND), angle(k % ACROSS, ACROSS), far).map(|c| c as f32)
            })
            .collect();
        let cells = (0..AROUND).flat_map(|i| (0..ACROSS).map(move |j| [i, j]));
        let triangles: Vec<[u32; 3]> = cells
            .flat_map(|[i, j]| {
                let [a, b, c, d] = [[i, j], [i, j + 1], [i + 1, j], [i + 1, j + 1]].map(|[i, j]| number(i, j));
                [[a, b, d], [a, d, c]]
            })
            .collect();
        let ring = Surface::new(&vertices, &triangles).unwrap();
        for ring in [ring.clone(), ring.deep()] {
            for (k, (what, shape, height)) in shapes().into_iter().enumerate() {
                for _ in 0..300 {
                    let far = 1.0 + height + 0.7 * roughness + 0.15 * height * next();
                    let (around, across) = (3.2 * next(), 3.2 * next());
                    let axis = unit(V3::new(next(), next(), next())).unwrap();
                    let seen = place(place_of(around, across, far), [axis.x, axis.y, axis.z], 3.0 * next());
                    overlaps[k] += met(what, &shape, &ring, &seen);
                }
            }
        }
    }
    assert!(overlaps.iter().all(|&count| count > 15), "{overlaps:?}");
}

/// 1 for a body that overlaps a surface by more than 5 mm, 0 otherwise. It must have a contact then.
fn met(what: &str, shape: &Shape, surface: &Surface, place: &SurfacePlace) -> u32 {
    let Some(nearest) = least_separation(shape, surface, place).filter(|nearest| *nearest < -0.005) else { return 0 };
    let all = meet(shape, surface, place, 0.01);
    let deepest = found(&all)
        .into_iter()
        .flat_map(Manifold::points)
        .fold(f64::INFINITY, |least, p| least.min(f64::from(p.separation)));
    // Edges that bend by less than a degree are none.
    let most = if matches!(what, "ball" | "capsule") { nearest + 1e-3 } else { -1e-4 };
    assert!(deepest <= most, "{what} at {place:?}: {nearest} {:?}", found(&all));
    1
}

/// How near a shape is to the nearest triangle, whatever lies beside this one, metres.
fn least_separation(shape: &Shape, surface: &Surface, place: &SurfacePlace) -> Option<f64> {
    use crate::manifold::convex::{Convex, WideTransform, touch};
    let body = Convex::new(shape, WideTransform::HERE)?;
    let near = |t: &[u32; 3]| {
        let face = t.map(|v| place.0.point(surface.vertex(v)));
        let found = touch(&body, &Convex::triangle(face), (face[0] + face[1] + face[2]) * (1.0 / 3.0), 0.05)?;
        found.points().iter().map(|p| p.separation).reduce(f64::min)
    };
    surface.triangles.iter().filter_map(near).reduce(f64::min)
}
