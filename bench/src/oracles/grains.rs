//! Grains: the flow through an opening, and how far a column runs out. Their friction is 0.25, with which they lie at
//! about 26 degrees.

use super::Row;
use glam::{Vec2, Vec3};
use seidel::collider::Sdf;
use seidel::{BodyId, Collider, Grains, Input, Mesh, Pose, Scene, Solver, degrees};
use std::f64::consts::{FRAC_PI_6, TAU};
use std::sync::Arc;

const G: f64 = 9.81;
const DT: f64 = 1.0 / 60.0;
/// Size and radius of a grain, m.
const SIZE: f64 = 0.01;
const RADIUS: f32 = 0.005;
const FRICTION: f32 = 0.25;
/// How much farther apart grains are put than they lay at rest: there they are pressed into each other, at the bottom
/// of a high column by more than a tenth of their size, which is refused at the start.
const APART: f32 = 1.02;

/// All of them. It takes some twenty seconds on one thread.
///
/// # Panics
/// If a scene cannot be planned or stepped, which is a fault of this program.
#[must_use]
pub fn all() -> Vec<Row> {
    let mut rows = openings().to_vec();
    rows.push(bridge());
    rows.extend(columns());
    rows
}

/// So many grains, as a length in m.
fn sizes(count: f64) -> f32 {
    (SIZE * count) as f32
}

fn scene(substeps: u32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = substeps.into();
    scene
}

/// Walls at two places along x, and at z = -z and z.
fn walls(scene: &mut Scene, x: [f32; 2], z: f32, friction: f32) {
    for (at, axis, angle) in [
        ([x[0], 0.0, 0.0], [0.0, 0.0, 1.0], -90.0),
        ([x[1], 0.0, 0.0], [0.0, 0.0, 1.0], 90.0),
        ([0.0, 0.0, -z], [1.0, 0.0, 0.0], 90.0),
        ([0.0, 0.0, z], [1.0, 0.0, 0.0], -90.0),
    ] {
        let pose = Pose::at(at).turned(axis, degrees(angle));
        scene.add_collider(Collider { pose, ..Collider::ground().friction(friction) });
    }
}

fn run(solver: &mut Solver, seconds: f64) {
    for _ in 0..(seconds / DT).round() as u32 {
        let report = solver.step(&Input::frame(DT as f32));
        assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
    }
}

fn sand(scene: &mut Scene, at: Vec<[f32; 3]>) -> BodyId {
    scene.add(Grains::points(at).radius(RADIUS).friction(FRICTION))
}

/// Grains that have fallen into a box, at rest: half its width, and how high they were before.
fn settled(half: f32, high: f32, substeps: u32) -> Vec<[f32; 3]> {
    let mut scene = scene(substeps);
    scene.add_collider(Collider::ground().friction(FRICTION));
    walls(&mut scene, [-half, half], half, FRICTION);
    let block = Grains::block([-half, 0.0, -half], [half, high, half]).radius(RADIUS).friction(FRICTION).fraction(0.3);
    let sand = scene.add(block);
    let mut solver = Solver::new(&scene).expect("a sound scene");
    run(&mut solver, 0.5 + (2.0 * f64::from(high) / G).sqrt());
    solver.positions(sand).iter().map(|p| (APART * *p).to_array()).collect()
}

/// A floor whose top is y = 0, a grain thick, with a round opening.
fn floor(half: f32, opening: f64) -> Collider {
    const SIDES: u32 = 64;
    let mut mesh = Mesh { positions: Vec::new(), triangles: Vec::new() };
    for i in 0..SIDES {
        let angle = TAU * f64::from(i) / f64::from(SIDES);
        let to = Vec2::new(angle.cos() as f32, angle.sin() as f32);
        for reach in [sizes(0.5 * opening), half / to.abs().max_element()] {
            mesh.positions.extend([0.0, -2.0 * RADIUS].map(|y| [reach * to.x, y, reach * to.y]));
        }
        // Vertices: inside above, inside below, outside above, outside below.
        let (here, next) = (4 * i, 4 * ((i + 1) % SIDES));
        for [a, b] in [[0, 2], [2, 3], [3, 1], [1, 0]] {
            mesh.triangles.extend([[here + a, next + b, here + b], [here + a, next + a, next + b]]);
        }
    }
    Collider::sdf(Arc::new(Sdf::from_mesh(&mesh, sizes(0.4)).expect("a closed surface")))
}

/// How many grains have passed the floor of a box after each step of 1.2 s.
fn passed(grains: &[[f32; 3]], half: f32, opening: f64, substeps: u32) -> Vec<f64> {
    let mut scene = scene(substeps);
    scene.add_collider(floor(half + sizes(2.0), opening).friction(FRICTION));
    walls(&mut scene, [-half, half], half, FRICTION);
    scene.add_collider(Collider::ground().at([0.0, sizes(-20.0), 0.0]).friction(0.0));
    let sand = sand(&mut scene, grains.to_vec());
    let mut solver = Solver::new(&scene).expect("a sound scene");
    let after = |_| {
        run(&mut solver, DT);
        solver.positions(sand).iter().filter(|p| p.y < -2.0 * RADIUS).count() as f64
    };
    (0..72).map(after).collect()
}

/// Grains a second, when they have begun to flow.
fn rate(passed: &[f64]) -> f64 {
    let (first, last) = (30, passed.len() - 1);
    (passed[last] - passed[first]) / ((last - first) as f64 * DT)
}

/// Slope of the line through points, and where it is zero.
fn line(points: &[[f64; 2]]) -> [f64; 2] {
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let (xx, xy) =
        points.iter().fold((0.0, 0.0), |(xx, xy), p| (xx + (p[0] - x).powi(2), xy + (p[0] - x) * (p[1] - y)));
    [xy / xx, x - y * xx / xy]
}

/// Beverloo, Leniger, van de Velde 1961, "The flow of granular solids through orifices":
/// W = C rho sqrt(g) (D - k d)^(5/2), C = 0.58, k = 1.4 of most grains; W does not depend on the height above.
fn openings() -> [Row; 2] {
    let half = sizes(8.0);
    let grains = settled(half, sizes(42.0), 20);
    // The share of space that they fill, away from the floor and the top.
    let within = [6.0, 16.0].map(sizes);
    let count = grains.iter().filter(|p| p[1] > within[0] && p[1] < within[1]).count() as f64;
    let volume = 4.0 * f64::from(half * half * (within[1] - within[0]));
    let filled = count * FRAC_PI_6 * SIZE.powi(3) / volume;
    let flows = [4.5, 5.0, 6.0, 7.0].map(|opening| [opening, rate(&passed(&grains, half, opening, 20))]);
    // (D - k d)^(5/2) to the power of 2/5 is a line in D.
    let [slope, k] = line(&flows.map(|[opening, flow]| [opening, flow.powf(0.4)]));
    let law = |opening: f64| (slope * (opening - k)).powf(2.5);
    let off = flows.iter().map(|[opening, flow]| (flow / law(*opening) - 1.0).abs()).fold(0.0, f64::max);
    // A flow of volume in sizes of a grain, and times of sqrt(d / g).
    let c = slope.powf(2.5) * FRAC_PI_6 * (SIZE / G).sqrt() / filled;
    let lower: Vec<_> = grains.iter().filter(|p| p[1] < sizes(12.0)).copied().collect();
    let high = grains.iter().map(|p| f64::from(p[1]) / SIZE).fold(0.0, f64::max);
    let change = rate(&passed(&lower, half, 5.0, 20)) / flows[1][1] - 1.0;
    [
        Row {
            oracle: "flow through round openings D of 4.5 to 7 grains d (Beverloo)",
            bar: "(D - k d)^2.5 within 15 %",
            reached: format!("{c:.2} rho sqrt(g) (D - {k:.2} d)^2.5 within {:.1} %", 100.0 * off),
            good: off < 0.15,
        },
        Row {
            oracle: "the same of 5 grains, filled 12 grains high",
            bar: "within 15 % of the flow of the full box",
            reached: format!("{:+.1} % of that of {high:.0}", 100.0 * change),
            good: change.abs() < 0.15,
        },
    ]
}

/// Grains bridge an opening that is narrower than some of them.
fn bridge() -> Row {
    let half = sizes(6.0);
    let leaks = |substeps: u32| rate(&passed(&settled(half, sizes(20.0), substeps), half, 3.0, substeps));
    let (few, many) = (leaks(20), leaks(60));
    Row {
        oracle: "an opening of 3 grains, 60 substeps",
        bar: "bridged",
        reached: format!("{many:.0} grains a second; with 20 substeps {few:.0}"),
        good: many == 0.0,
    }
}

/// How far the farthest hundredth of grains has run, in parts of the column's radius or width.
fn run_out(mut reached: Vec<f64>, column: f32) -> f64 {
    reached.sort_by(f64::total_cmp);
    reached[reached.len() * 99 / 100] / f64::from(column) - 1.0
}

fn fallen(scene: &mut Scene, grains: Vec<[f32; 3]>) -> Vec<Vec3> {
    scene.add_collider(Collider::ground().friction(FRICTION));
    let sand = sand(scene, grains);
    let mut solver = Solver::new(scene).expect("a sound scene");
    run(&mut solver, 1.5);
    solver.positions(sand).to_vec()
}

/// Lube, Huppert, Sparks, Hallworth 2004, "Axisymmetric collapses of granular columns": (R - r) / r is 1.24 a below
/// a = h / r = 1.7, then 1.6 sqrt(a). Lajeunesse, Mangeney-Castelnau, Vilotte 2004, "Spreading of a granular mass on a
/// horizontal plane": 1.35 a, then 2 sqrt(a). Between planes: Lube et al. 2005, a^(2/3).
fn columns() -> [Row; 3] {
    let radius = sizes(8.0);
    let half = 1.05 * radius;
    let grains = settled(half, 17.6 * radius, 30);
    let round = |aspect: f64| {
        let high = aspect as f32 * radius;
        let is_in = |p: &&[f32; 3]| p[0].hypot(p[2]) + RADIUS < radius && p[1] + RADIUS < high;
        let fallen = fallen(&mut scene(30), grains.iter().filter(is_in).copied().collect());
        run_out(fallen.iter().map(|p| f64::from(p.x.hypot(p.z) + RADIUS)).collect(), radius)
    };
    let plane = |aspect: f64| {
        let (high, deep) = (aspect as f32 * radius, sizes(2.5));
        let mut scene = scene(30);
        walls(&mut scene, [0.0, 1e3 * radius], deep, 0.0);
        let is_in = |p: &[f32; 3]| {
            p[0] > RADIUS && p[0] + RADIUS < radius && p[2].abs() + RADIUS < deep && p[1] + RADIUS < high
        };
        let fallen = fallen(&mut scene, grains.iter().copied().filter(is_in).collect());
        run_out(fallen.iter().map(|p| f64::from(p.x + RADIUS)).collect(), radius)
    };
    let list = |points: &[[f64; 2]]| {
        let all: Vec<_> = points.iter().map(|[_, far]| format!("{far:.2}")).collect();
        all.join(", ")
    };
    let exponent = |points: &[[f64; 2]]| line(&points.iter().map(|p| p.map(f64::ln)).collect::<Vec<_>>())[0];
    let of_round = [0.5, 1.0, 2.0, 4.0, 8.0].map(|aspect| [aspect, round(aspect)]);
    let of_plane = [2.0, 4.0, 8.0].map(|aspect| [aspect, plane(aspect)]);
    let (low, tall) = of_round.split_at(2);
    let (by_round, by_plane) = (exponent(tall), exponent(&of_plane));
    [
        Row {
            oracle: "run-out of a round column, height a = 0.5, 1 radii (Lube et al.)",
            bar: "0.62, 1.24 (none was set)",
            reached: list(low),
            good: true,
        },
        Row {
            oracle: "the same, a = 2, 4, 8: 2.26, 3.20, 4.53",
            bar: "a^0.52 within 0.1",
            reached: format!("a^{by_round:.2}: {}", list(tall)),
            good: (by_round - 0.52).abs() < 0.1,
        },
        Row {
            oracle: "of a column between planes, a = 2, 4, 8",
            bar: "a^0.65 within 0.1",
            reached: format!("a^{by_plane:.2}: {}", list(&of_plane)),
            good: (by_plane - 0.65).abs() < 0.1,
        },
    ]
}
