//! Fields: gradients against differences in f64, the same bits on all lanes in both layouts, momentum.

use seidel_kernels::field::{Fit, Inflation, Match, NO_TURN, Rings, Shape, pressure};
use seidel_kernels::{BATCH, Isa, Layout, Pack, Row, Rows, Shared};

type P = [f64; 3];

/// splitmix64 (Steele, Lea, Flood 2014), in [-1, 1).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: P, b: P) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A closed mesh of a double fan: `n` corners around and two poles.
fn spindle(n: u32) -> (Vec<P>, Vec<[u32; 3]>) {
    let mut random = Random(u64::from(n));
    let mut points: Vec<P> = (0..n)
        .map(|i| {
            let a = f64::from(i) * std::f64::consts::TAU / f64::from(n);
            [a.cos() + 0.1 * random.unit(), 0.2 * random.unit(), a.sin() + 0.1 * random.unit()]
        })
        .collect();
    points.extend([[0.1, 0.8, 0.0], [0.0, -0.9, 0.1]]);
    let around = (0..n).flat_map(|i| [[i, n, (i + 1) % n], [(i + 1) % n, n + 1, i]]);
    (points, around.collect())
}

fn volume(points: &[P], triangles: &[[u32; 3]]) -> f64 {
    triangles.iter().map(|t| t.map(|v| points[v as usize])).map(|[a, b, c]| dot(a, cross(b, c))).sum::<f64>() / 6.0
}

/// Rows of some points in a layout, the first at a particle `from`, and where they are going.
fn rows(points: &[P], from: usize, layout: Layout, scale: f64, masses: impl Fn(usize) -> f32) -> (Rows, Rows) {
    let count = (from + points.len()).div_ceil(BATCH) * BATCH + BATCH;
    let (mut x, mut u, mut random) = (Rows::zeros(count, 0), Rows::zeros(count, 16), Random(5));
    for (i, p) in points.iter().enumerate() {
        layout.write(&mut x, from + i, [p[0] as f32, p[1] as f32, p[2] as f32, masses(i)]);
        let move_by: [f32; 3] = std::array::from_fn(|_| (scale * random.unit()) as f32);
        layout.write(&mut u, from + i, [move_by[0], move_by[1], move_by[2], 0.0]);
    }
    (x, u)
}

fn moved(x: &Rows, u: &Rows, from: usize, count: usize, layout: Layout) -> Vec<P> {
    let read = |i| {
        let (x, u) = (layout.read(x, from + i), layout.read(u, from + i));
        std::array::from_fn(|k| f64::from(x[k]) + f64::from(u[k]))
    };
    (0..count).map(read).collect()
}

fn bits(rows: &Rows, from: usize, count: usize, layout: Layout) -> Vec<[u32; 3]> {
    (0..count).map(|i| layout.read(rows, from + i)).map(|[x, y, z, _]| [x, y, z].map(f32::to_bits)).collect()
}

const LAYOUTS: [Layout; 2] = [Layout::Rows, Layout::Lanes];

/// C is the volume, its gradients are differences of it, they sum to nothing, and all lanes have the same bits.
#[test]
fn a_balloon_conforms() {
    for (n, from) in [(7, 0), (29, 3), (300, 16)] {
        let (points, triangles) = spindle(n);
        let count = points.len();
        let shifted: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v + from)).collect();
        let from = from as usize;
        let mut found = Vec::new();
        for (isa, layout) in Isa::available().into_iter().flat_map(|isa| LAYOUTS.map(|layout| (isa, layout))) {
            let (mut x, mut u) = rows(&points, from, layout, 0.1, |i| [0.5, 2.0, 0.0][i % 3]);
            let (mut p, mut g) = (Rows::zeros(x.len(), 0), Rows::zeros(x.len(), 0));
            p.fill(f32::NAN);
            g.fill(f32::NAN);
            let at = moved(&x, &u, from, count, layout);
            let before = u.clone();
            let rings = Rings::new(x.len(), layout, &shifted);
            let of = Inflation {
                rings: &rings,
                x: Shared::<Row>::new(&mut x),
                u: Shared::<Row>::new(&mut u),
                p: Shared::<Row>::new(&mut p),
                g: Shared::<Row>::new(&mut g),
            };
            let all = 0..rings.len();
            // SAFETY: all arrays are this test's own.
            let sums = unsafe {
                of.place(isa, all.clone());
                of.gradients(isa, all.clone())
            };
            let gradient = |i: usize| -> P {
                // SAFETY: all arrays are this test's own, and nothing writes them while `rows` is read.
                let rows = unsafe { of.g.read(0, of.g.len()) };
                layout.read(rows, from + i)[..3]
                    .iter()
                    .map(|c| f64::from(*c) / 6.0)
                    .collect::<Vec<_>>()
                    .try_into()
                    .unwrap()
            };
            let v = volume(&at, &triangles);
            assert!((sums[0] / 18.0 - v).abs() < 3e-6 * v, "{isa}, {layout:?}: {} and not {v}", sums[0] / 18.0);
            let mut total = [0.0; 3];
            for i in 0..count {
                let g = gradient(i);
                for k in 0..3 {
                    let step = |d: f64| {
                        let mut at = at.clone();
                        at[i][k] += d;
                        volume(&at, &triangles)
                    };
                    let difference = (step(1e-4) - step(-1e-4)) / 2e-4;
                    assert!(
                        (difference - g[k]).abs() < 2e-6,
                        "{isa}, {layout:?}, vertex {i}: {difference} and {}",
                        g[k]
                    );
                    total[k] += g[k];
                }
            }
            assert!(total.iter().all(|c| c.abs() < 1e-5), "{total:?}");
            let mut lambda = 0.0;
            let by = pressure(sums, 1.01 * v, [0.0, 1.0], &mut lambda).expect("it moves");
            // SAFETY: all arrays are this test's own, and it is one thread.
            unsafe { of.push(isa, all, by) };
            let after = volume(&moved(&x, &u, from, count, layout), &triangles);
            assert!((after / v - 1.01).abs() < 1e-3, "{isa}: {}", after / v);
            for i in 0..count {
                assert_eq!(layout.read(&u, from + i) == layout.read(&before, from + i), i % 3 == 2, "vertex {i}");
            }
            found.push((sums.map(f64::to_bits), bits(&u, from, count, layout)));
        }
        assert!(found.iter().all(|f| *f == found[0]), "{n}: lanes differ");
    }
}

/// XPBD: with a compliance, the change of the multiplier is eq. 18's; PBD: k' of C.
#[test]
fn pressure_follows_eq_18() {
    // C = 2, W = 4.
    let sums = [18.0 * 5.0, 36.0 * 4.0];
    let mut lambda = 0.5;
    let by = pressure(sums, 3.0, [0.25, 1.0], &mut lambda).unwrap();
    let delta = -(2.0 + 0.25 * 0.5) / 4.25;
    assert!((lambda - 0.5 - delta).abs() < 1e-15 && (f64::from(by) - delta / 6.0).abs() < 1e-7);
    assert_eq!(pressure(sums, 3.0, [0.0, 0.5], &mut 0.0), Some((-0.5 * 2.0 / 4.0 / 6.0) as f32));
    assert_eq!(pressure([1.0, 0.0], 3.0, [0.0, 1.0], &mut 0.0), None);
    assert_eq!(pressure([f64::NAN, 1.0], 3.0, [0.0, 1.0], &mut 0.0), None);
}

struct Cloud {
    points: Vec<P>,
    masses: Vec<f64>,
}

fn cloud(count: usize) -> Cloud {
    let mut random = Random(count as u64);
    let points = (0..count).map(|_| [2.0 * random.unit(), random.unit(), 0.7 * random.unit()]).collect();
    Cloud { points, masses: (0..count).map(|i| 0.5 + (i % 4) as f64).collect() }
}

/// What a shape does to displacements: u afterwards, and the rotation.
fn matched(isa: Isa, x: &mut Rows, u: &mut Rows, shape: &Shape, [a, k]: [f64; 2]) -> [f64; 4] {
    let mut p = vec![[Pack([f32::NAN; BATCH]); 4]; shape.len()];
    let of = Match { shape, x: Shared::<Row>::new(x), u: Shared::<Row>::new(u), p: Shared::new(&mut p) };
    let (all, mut q, mut lambda) = (0..shape.len(), NO_TURN, 0.0);
    // SAFETY: all arrays are the caller's own.
    unsafe {
        let fit = Fit::about(of.place(isa, all.clone()));
        let moments = of.moments(isa, all.clone(), &fit);
        let fit = shape.fit(fit, &moments, &mut q);
        let residual = of.residual(isa, all.clone(), &fit);
        if let Some(fit) = shape.push(fit, &residual, [a, k], &mut lambda) {
            of.push(isa, all, &fit);
        }
    }
    q
}

/// The same bits on all lanes and in both layouts; momentum and angular momentum stay, to roundings of what is moved.
#[test]
fn a_shape_conforms() {
    for (count, beta) in [(5, 0.0), (16, 0.0), (37, 0.5), (300, 1.0), (300, 0.0)] {
        let Cloud { points, masses } = cloud(count);
        let mut found = Vec::new();
        for (isa, layout) in Isa::available().into_iter().flat_map(|isa| LAYOUTS.map(|layout| (isa, layout))) {
            let (mut x, mut u) = rows(&points, 2, layout, 0.05, |i| (1.0 / masses[i]) as f32);
            let members: Vec<u32> = (0..count as u32).rev().map(|i| i + 2).collect();
            let weights: Vec<f64> = masses.iter().rev().copied().collect();
            let shape = Shape::new(&x, layout, &members, &weights, beta).expect("no plane");
            let (at, old) = (moved(&x, &u, 2, count, layout), u.clone());
            let q = matched(isa, &mut x, &mut u, &shape, [0.0, 1.0]);
            let (mut linear, mut angular, mut size) = ([0.0; 3], [0.0; 3], 0.0);
            for i in 0..count {
                let (now, then) = (layout.read(&u, 2 + i), layout.read(&old, 2 + i));
                let dx: P = std::array::from_fn(|k| f64::from(now[k]) - f64::from(then[k]));
                let (turn, m) = (cross(at[i], dx), masses[i]);
                for k in 0..3 {
                    linear[k] += m * dx[k];
                    angular[k] += m * turn[k];
                }
                size += m * dot(dx, dx).sqrt();
            }
            let lost = dot(linear, linear).sqrt().max(dot(angular, angular).sqrt()) / size;
            assert!(lost < 1e-6, "{count}, {isa}: {lost:.1e} of the momentum moved");
            found.push((q.map(f64::to_bits), bits(&u, 2, count, layout)));
        }
        assert!(found.iter().all(|f| *f == found[0]), "{count}: lanes differ");
    }
}

/// At rest nothing moves to the bit; turned rigidly, by any angle, nothing but roundings.
#[test]
fn what_is_in_its_shape_stays() {
    let Cloud { points, masses } = cloud(40);
    let members: Vec<u32> = (0..40).collect();
    for beta in [0.0, 0.7] {
        let (mut x, _) = rows(&points, 0, Layout::Rows, 0.0, |i| (1.0 / masses[i]) as f32);
        let shape = Shape::new(&x, Layout::Rows, &members, &masses, beta).expect("no plane");
        let mut u = Rows::zeros(x.len(), 16);
        for i in 0..40 {
            Layout::Rows.write(&mut u, i, [1e-3, -2e-3, 5e-4, 0.0]);
        }
        let before = u.clone();
        let q = matched(Isa::detect(), &mut x, &mut u, &shape, [0.0, 1.0]);
        assert_eq!(q, NO_TURN);
        if beta == 0.0 {
            assert_eq!(u, before);
        }
        for degrees in [1.0f64, 57.0, 120.0, 179.0, 180.0] {
            let (s, c) = degrees.to_radians().sin_cos();
            let turned: Vec<P> = points.iter().map(|[x, y, z]| [c * x - s * y, s * x + c * y, *z]).collect();
            let (mut x, mut u) = rows(&turned, 0, Layout::Rows, 0.0, |i| (1.0 / masses[i]) as f32);
            matched(Isa::detect(), &mut x, &mut u, &shape, [0.0, 1.0]);
            let most = u.iter().flatten().fold(0.0f32, |most, c| most.max(c.abs()));
            assert!(most < 2e-6, "{degrees} degrees, linear {beta}: {most}");
        }
    }
}

/// Rigid, it is in its shape afterwards; with a compliance C falls as eq. 18 says; what is fixed stays.
#[test]
fn it_goes_as_far_as_its_compliance_says() {
    let Cloud { points, masses } = cloud(60);
    let members: Vec<u32> = (0..60).collect();
    let distance = |a: f64, k: f64, fixed: bool| {
        let w = |i: usize| if fixed && i.is_multiple_of(7) { 0.0 } else { (1.0 / masses[i]) as f32 };
        let (mut x, mut u) = rows(&points, 0, Layout::Rows, 0.02, w);
        let shape = Shape::new(&x, Layout::Rows, &members, &masses, 0.0).expect("no plane");
        let start = u.clone();
        matched(Isa::detect(), &mut x, &mut u, &shape, [a, k]);
        for i in (0..60).filter(|i| w(*i) == 0.0) {
            assert_eq!(u[i], start[i]);
        }
        let length = |rows: &Rows| rows.iter().flatten().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
        let once = u.clone();
        matched(Isa::detect(), &mut x, &mut u, &shape, [0.0, 1.0]);
        let (mut left, mut whole) = (once.clone(), u.clone());
        for i in 0..60 {
            for k in 0..3 {
                left[i][k] -= u[i][k];
                whole[i][k] -= start[i][k];
            }
        }
        length(&left) / length(&whole)
    };
    let total: f64 = masses.iter().sum();
    assert!(distance(0.0, 1.0, false) < 1e-3);
    assert!((distance(0.0, 0.25, false) - 0.75).abs() < 1e-3);
    // 1 / W = the mass.
    assert!((distance(3.0 / total, 1.0, false) - 0.75).abs() < 1e-3);
    assert!(distance(0.0, 1.0, true).is_finite());
}

/// Flat shapes cannot be linear.
#[test]
fn a_plane_is_refused() {
    let flat: Vec<P> = cloud(20).points.into_iter().map(|[x, y, _]| [x, y, x + 2.0 * y]).collect();
    let (x, _) = rows(&flat, 0, Layout::Rows, 0.0, |_| 1.0);
    let members: Vec<u32> = (0..20).collect();
    assert!(Shape::new(&x, Layout::Rows, &members, &[1.0; 20], 0.1).is_none());
    assert!(Shape::new(&x, Layout::Rows, &members, &[1.0; 20], 0.0).is_some());
}
