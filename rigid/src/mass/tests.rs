//! Meshes against formulas, and axes against what they were made of.

use super::*;

type Triangles = Vec<[P; 3]>;

fn boxed(half: P) -> Triangles {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    triangles.map(|t| t.map(corner)).collect()
}

/// A solid of revolution about y: its outline from the lowest point to the highest as [radius, y].
fn turned(outline: &[[f64; 2]], around: usize) -> Triangles {
    let at = |[r, y]: [f64; 2], k: usize| {
        let angle = 2.0 * PI * (k % around) as f64 / around as f64;
        [r * libm::sin(angle), y, r * libm::cos(angle)]
    };
    let mut triangles = Vec::new();
    for pair in outline.windows(2) {
        for k in 0..around {
            let [a, b, c, d] = [at(pair[0], k), at(pair[0], k + 1), at(pair[1], k + 1), at(pair[1], k)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    triangles
}

/// A quarter of a circle from angle to angle, in quarters, about a height.
fn arc(radius: f64, y: f64, [from, to]: [f64; 2], parts: usize) -> impl Iterator<Item = [f64; 2]> {
    (0..=parts).map(move |i| {
        let angle = 0.5 * PI * (from + (to - from) * i as f64 / parts as f64);
        [radius * libm::cos(angle), y + radius * libm::sin(angle)]
    })
}

fn moved(triangles: &[[P; 3]], by: P) -> Triangles {
    triangles.iter().map(|t| t.map(|x| add(x, by))).collect()
}

/// The largest difference of the numbers, as part of the mass, of a length, and of the largest moment.
fn apart(a: &MassProperties, b: &MassProperties, length: f64) -> f64 {
    let most = b.inertia.as_flattened().iter().fold(0.0, |most: f64, i| most.max(i.abs()));
    let moments = a.inertia.as_flattened().iter().zip(b.inertia.as_flattened()).map(|(a, b)| (a - b).abs() / most);
    let centre = (0..3).map(|k| (a.centre[k] - b.centre[k]).abs() / length);
    moments.chain(centre).chain([(a.mass / b.mass - 1.0).abs()]).fold(0.0, f64::max)
}

fn random(seed: u32) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / 8_388_608.0 - 1.0
    }
}

/// R D R^T.
fn tensor(q: [f64; 4], moments: P) -> M {
    let r = matrix(q);
    symmetric(|i, j| (0..3).map(|k| r[i][k] * moments[k] * r[j][k]).sum())
}

#[test]
fn a_box_is_its_formula() {
    for half in [[0.5; 3], [1.0, 2.0, 3.0], [1e-3, 1.0, 0.2], [1e-6, 1e-6, 1e-6], [1e6, 1.0, 1e3]] {
        let (mesh, formula) = (MassProperties::mesh(&boxed(half)).unwrap(), MassProperties::cuboid(half));
        let off = apart(&mesh, &formula, half[0]);
        assert!(off < 1e-9, "{half:?}: {off:e}");
    }
    assert_eq!(MassProperties::cuboid([0.5; 3]).inertia[1], [0.0, 1.0 / 6.0, 0.0]);
}

#[test]
fn nothing_depends_on_where_the_mesh_is() {
    let (triangles, by) = (boxed([0.3, 0.1, 0.2]), [100.0, -70.0, 40.0]);
    let here = MassProperties::mesh(&triangles).unwrap();
    let mut there = MassProperties::mesh(&moved(&triangles, by)).unwrap();
    there.centre = sub(there.centre, by);
    let off = apart(&there, &here, 0.1);
    assert!(off < 1e-9, "{off:e}");
}

#[test]
fn moments_grow_with_the_fifth_power() {
    let triangles = turned(&[[0.0, -0.4], [0.3, -0.1], [0.1, 0.5], [0.0, 0.6]], 7);
    let small = MassProperties::mesh(&triangles).unwrap();
    for k in [1e-4, 3.7, 1e5] {
        let large: Triangles = triangles.iter().map(|t| t.map(|x| x.map(|c| c * k))).collect();
        let large = MassProperties::mesh(&large).unwrap();
        let grown = MassProperties {
            mass: small.mass * (k * k * k),
            centre: small.centre.map(|c| c * k),
            inertia: small.inertia.map(|row| row.map(|i| i * (k * k * k * k * k))),
        };
        let off = apart(&large, &grown, k);
        assert!(off < 1e-12, "{k}: {off:e}");
    }
}

#[test]
fn round_shapes_are_what_their_meshes_converge_to() {
    let (r, h, ends) = (0.7, 0.4, 0.0);
    let shapes = |n: usize| {
        let ball: Vec<_> = arc(r, 0.0, [-1.0, 1.0], 2 * n).collect();
        let pill: Vec<_> = arc(r, -h, [-1.0, 0.0], n).chain(arc(r, h, [0.0, 1.0], n)).collect();
        [
            (ball, MassProperties::sphere(r)),
            (pill, MassProperties::capsule(r, h)),
            (vec![[ends, -h], [r, -h], [r, h], [ends, h]], MassProperties::cylinder(r, h)),
            (vec![[ends, -h], [r, -h], [ends, h]], MassProperties::cone(r, h)),
        ]
    };
    let off = |n: usize| {
        shapes(n).map(|(outline, formula)| apart(&MassProperties::mesh(&turned(&outline, 4 * n)).unwrap(), &formula, r))
    };
    let (coarse, fine) = (off(8), off(16));
    for shape in 0..4 {
        // The error is that of a polygon: a fourth with twice the corners.
        let ratio = coarse[shape] / fine[shape];
        assert!(fine[shape] < 0.01 && (3.8..4.2).contains(&ratio), "shape {shape}: {coarse:?} {fine:?}");
    }
}

#[test]
fn what_has_no_inside_has_no_mass() {
    let inverted: Triangles = boxed([1.0; 3]).into_iter().map(|[a, b, c]| [a, c, b]).collect();
    assert_eq!(MassProperties::mesh(&inverted), None);
    assert_eq!(MassProperties::mesh(&[]), None);
    // Four points of a plane that no coordinate is along.
    let plane = |x: f64, y: f64| [x + 7.1, y - 3.3, 0.3 * x + 0.7 * y + 0.1];
    let [a, b, c, d] = [plane(0.1, 0.2), plane(1.3, 0.1), plane(0.4, 1.7), plane(-0.9, 0.6)];
    assert_eq!(MassProperties::mesh(&[[a, b, c], [a, c, d], [b, a, d], [c, b, d]]), None);
    let mut broken = boxed([1.0; 3]);
    broken[3][1][2] = f64::NAN;
    assert_eq!(MassProperties::mesh(&broken), None);
    assert!(MassProperties::mesh(&boxed([0.5, 1e-6, 1e-6])).is_some(), "a needle");
}

#[test]
fn a_box_is_the_sum_of_its_parts_however_they_are_placed() {
    let whole = MassProperties::cuboid([2.0, 1.0, 0.5]);
    let half = MassProperties::cuboid([1.0, 1.0, 0.5]);
    let sum = |parts: &[MassProperties]| MassProperties::sum(parts);
    let identity = [0.0, 0.0, 0.0, 1.0];
    let both = sum(&[half.placed([-1.0, 0.0, 0.0], identity), half.placed([1.0, 0.0, 0.0], identity)]);
    assert!(apart(&both, &whole, 1.0) < 1e-15, "{both:?}");
    // A quarter of a turn about z, and then about any axis.
    let turn = [0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt()];
    let (on, at) = ([0.1, -0.5, 0.3, 0.7], [100.0, 20.0, -3.0]);
    let upright = MassProperties::cuboid([1.0, 2.0, 0.5]);
    assert!(apart(&whole.placed([0.0; 3], turn), &upright, 1.0) < 1e-15);
    let parts = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]].map(|x| half.placed(x, identity).placed(at, on));
    assert!(apart(&sum(&parts), &whole.placed(at, on), 1.0) < 1e-12);
    assert_eq!(sum(&[]), MassProperties::NONE);
    let heavy = whole.of_mass(3.0);
    assert!(heavy.mass == 3.0 && (heavy.inertia[1][1] / whole.inertia[1][1] - 3.0 / 8.0).abs() < 1e-15);
}

#[test]
fn principal_axes_give_back_the_inertia() {
    let mut next = random(3);
    for case in 0..300 {
        let turn = [next(), next(), next(), next()];
        // A few with two or three equal moments.
        let moments = match case % 4 {
            0 => [2.0, 2.0, 2.0],
            1 => [2.0, 1.5 + next(), 2.0],
            2 => [1e-6, 1.0, 1.0 + 1e-7 * next()],
            _ => [1.5 + next(), 1.5 + next(), 1.5 + next()],
        };
        let body = MassProperties { inertia: tensor(turn, moments), ..MassProperties::NONE };
        let (q, found) = body.principal();
        assert!((q.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-15 && q[3] >= 0.0);
        let again = tensor(q, found);
        for (a, b) in again.as_flattened().iter().zip(body.inertia.as_flattened()) {
            assert!((a - b).abs() < 1e-13, "{case}: {again:?} for {:?}", body.inertia);
        }
        let sorted = |mut m: P| {
            m.sort_by(f64::total_cmp);
            m
        };
        for (a, b) in sorted(found).iter().zip(sorted(moments)) {
            assert!((a - b).abs() < 1e-13, "{case}: {found:?} for {moments:?}");
        }
    }
}

#[test]
fn axes_that_are_principal_stay() {
    for moments in [[3.0, 1.0, 2.0], [1.0; 3], [2.0, 2.0, 5.0], [0.0; 3]] {
        let body =
            MassProperties { inertia: symmetric(|i, j| if i == j { moments[i] } else { 0.0 }), ..MassProperties::NONE };
        assert_eq!(body.principal(), ([0.0, 0.0, 0.0, 1.0], moments));
    }
    // Nor does rounding turn a cube.
    let cube = MassProperties::mesh(&moved(&boxed([0.5; 3]), [0.1, 0.7, 0.3])).unwrap();
    assert_eq!(cube.principal().0, [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn no_moment_is_more_than_the_two_others() {
    let mut next = random(9);
    for _ in 0..200 {
        let mut length = || 1.001 + next();
        let shapes = [
            MassProperties::sphere(length()),
            MassProperties::capsule(length(), length()),
            MassProperties::cuboid([length(), length(), length()]),
            MassProperties::cylinder(length(), 1e-3 * length()),
            MassProperties::cone(length(), length()),
        ];
        let placed = shapes.map(|shape| shape.placed([next(), next(), next()], [next(), next(), next(), next()]));
        for body in shapes.iter().chain(&placed).chain([&MassProperties::sum(&placed)]) {
            let [a, b, c] = body.principal().1;
            let room = 1e-12 * (a + b + c);
            assert!(a + b > c - room && b + c > a - room && c + a > b - room && a > 0.0, "{body:?}");
        }
    }
}
