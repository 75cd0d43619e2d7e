//! Features that move in any way, and small bodies of degenerate triangles that fly into themselves and each other.
//!
//! The continuous test says so wherever a sample of the way is too near, and says the contrary where all are well
//! apart. A state that begins free of intersections, by the exact count and by more than roundings, is free of them
//! after every step, unless something fixed was taken through what could not get out of its way, and counted; and it
//! does not depend on the lanes. One of the bodies may be an obstacle, what is fixed may be moved, and there may be a
//! collider. Bodies may meet as spheres: then all is as finite, and as independent of lanes.

use super::bytes::Bytes;
use seidel::glam::Vec3;
use seidel::{
    Body, BodyId, Collide, Collider, Execution, Input, Intersections, Isa, Plan, Scene, Scratch, State, Track, step,
};
use seidel_kernels::V3;
use seidel_kernels::contact::pairs::{Features, sure};
use std::sync::Arc;

/// Samples of a way, and of each feature along each of its parameters.
const TIMES: u32 = 96;
const PLACES: u32 = 12;

/// The least part of the way that a step of the continuous test is sure to take where features stay well apart.
const STEP: f64 = 1.0 / 48.0;

const STEPS: usize = 3;

/// Part of the largest coordinate: some hundred roundings of f32. What begins nearer than that may be anywhere beside
/// each other.
const APART: f64 = 2e-5;

pub fn contact(data: &[u8]) {
    let mut bytes = Bytes(data);
    if bytes.flag() {
        ways(&mut bytes);
    } else {
        bodies(&mut bytes);
    }
}

/// Mostly on a coarse grid, where features are flat, parallel, without extent, or meet at a corner; always within a
/// kilometre.
fn coordinate(bytes: &mut Bytes) -> f32 {
    let x = match bytes.byte() {
        tag @ 0..160 => (f32::from(tag % 9) - 4.0) * 0.25,
        _ => bytes.number(),
    };
    if x.abs() <= 1e3 { x } else { 0.0 }
}

fn point(bytes: &mut Bytes) -> [f32; 3] {
    [coordinate(bytes), coordinate(bytes), coordinate(bytes)]
}

type Four = [V3<f64>; 4];

fn ways(bytes: &mut Bytes) {
    for _ in 0..4 {
        let features = if bytes.flag() { Features::EdgeEdge } else { Features::PointTriangle };
        let mut four = || -> Four { std::array::from_fn(|_| V3::set(point(bytes).map(f64::from))) };
        let (a, b) = (four(), four());
        let least = f64::from(bytes.mostly(0.5)).abs();
        let least = if least <= 10.0 { least } else { 0.0 };
        look(a, b, features, least);
        if bytes.is_empty() {
            return;
        }
    }
}

/// Compares the continuous test with samples.
fn look(a: Four, b: Four, features: Features, least: f64) {
    let way: Four = std::array::from_fn(|k| b[k] - a[k]);
    let at = |t: f64| -> Four { std::array::from_fn(|k| a[k] + way[k] * t) };
    let samples = (0..=TIMES).map(|k| sampled(at(f64::from(k) / f64::from(TIMES)), features));
    let nearest = samples.fold(f64::INFINITY, f64::min);
    let size = a.iter().chain(&b).fold(0.0, |most: f64, x| most.max(x.length()));
    let meets = sure::meet(a, b, features, least);
    // A sample is of the features: no nearer than they are, but for rounding.
    assert!(meets || nearest >= least - 1e-9 * size, "{nearest} is nearer than {least}: {features:?} {a:?} {b:?}");
    // Between samples they are nearer by what moves, and what lies, between two of them.
    let mean = (way[0] + way[1] + way[2] + way[3]) * 0.25;
    let speed = 2.0 * way.iter().fold(0.0, |most: f64, way| most.max((*way - mean).length()));
    let sides =
        |x: &Four| (1..4).fold(0.0, |most: f64, k| most.max((x[k] - x[0]).length()).max((x[k] - x[1]).length()));
    let between = speed / f64::from(TIMES) + 2.0 * (sides(&a) + sides(&b)) / f64::from(PLACES);
    let spare = nearest - between - least;
    assert!(!meets || spare <= STEP * speed + 1e-9 * size, "{spare} apart from {least}: {features:?} {a:?} {b:?}");
}

/// The least distance of many points of both features: no less than theirs.
fn sampled(x: Four, features: Features) -> f64 {
    let part = |k: u32| f64::from(k) / f64::from(PLACES);
    let mut least = f64::INFINITY;
    for i in 0..=PLACES {
        for j in 0..=PLACES {
            let (s, t) = (part(i), part(j));
            let gap = match features {
                Features::PointTriangle if i + j <= PLACES => x[0] - (x[1] * (1.0 - s - t) + x[2] * s + x[3] * t),
                Features::PointTriangle => continue,
                Features::EdgeEdge => (x[0] * (1.0 - s) + x[1] * s) - (x[2] * (1.0 - t) + x[3] * t),
            };
            least = least.min(gap.length());
        }
    }
    least
}

fn bodies(bytes: &mut Bytes) {
    let mut scene = Scene::new();
    scene.settings.substeps = (1 + bytes.below(6) as u32).into();
    scene.settings.iterations = 1 + bytes.below(2) as u32;
    scene.settings.gravity[1] = -bytes.mostly(20.0).clamp(0.0, 1e3);
    let mut bodies: Vec<Body> = (0..1 + bytes.below(3)).map(|_| body(bytes)).collect();
    let moves = Moves::of(bytes, &mut bodies, &mut scene);
    // Last, so that what was found before means the same.
    let as_spheres = bytes.below(4) == 1;
    if as_spheres {
        bodies.iter_mut().filter(|body| body.obstacle.is_none()).for_each(|body| body.collide = Collide::Spheres);
    }
    let ids: Vec<BodyId> = bodies.iter().map(|body| scene.add(body.clone())).collect();
    let Ok(plan) = Plan::new(&scene) else { return };
    let mut search = Intersections::new();
    let begins_free = search.count(&plan, &State::new(&plan)).is_ok_and(|found| found.is_clean()) && are_apart(&plan);
    // Spheres promise finite numbers and the same bits, no more.
    let begins_free = begins_free && !as_spheres;
    let mut expected = Vec::new();
    for isa in Isa::available() {
        let mut state = State::new(&plan);
        let mut scratch = Scratch::new(&plan, Execution::new(isa, 1));
        let mut unresolved = 0;
        for at in 0..STEPS {
            scratch.poison();
            let report = step(&plan, &mut state, &moves.input(&bodies, &ids, at), &mut scratch);
            assert!(report.rejected.is_none(), "{report:?}");
            unresolved += report.pairs.unresolved;
            if expected.len() == at {
                expected.push(state.hash());
            }
            assert_eq!(state.hash(), expected[at], "step {at} differs on {isa}");
            let found = search.count(&plan, &state).expect("few boxes overlap");
            assert_eq!(found.skipped, 0, "step {at}: {report:?}");
            assert!(!begins_free || unresolved > 0 || found.is_clean(), "step {at}: {found:?}, {report:?}");
        }
    }
}

/// Where what is fixed goes: how far in each step, metres.
#[derive(Default)]
struct Moves {
    obstacle: Option<[f32; 3]>,
    pins: Option<[f32; 3]>,
}

impl Moves {
    /// Makes the last body an obstacle, or moves what is fixed of all; and puts a collider into the scene. Nothing of
    /// it where the bytes have come to their end.
    fn of(bytes: &mut Bytes, bodies: &mut [Body], scene: &mut Scene) -> Moves {
        let mut moves = Moves::default();
        let way = |bytes: &mut Bytes| point(bytes).map(|c| c.clamp(-4.0, 4.0) * [0.01, 0.1, 1.0][bytes.below(3)]);
        match bytes.below(4) {
            1 => {
                // What is fixed on both sides is not looked at where one is an obstacle.
                for w in bodies.iter_mut().flat_map(|body| &mut body.inv_mass).filter(|w| **w == 0.0) {
                    *w = 1.0;
                }
                if let Some(body) = bodies.last_mut() {
                    body.inv_mass.fill(0.0);
                    body.velocities.fill([0.0; 3]);
                    (body.collide, body.obstacle) = (Collide::Others, Some(Track::default()));
                    moves.obstacle = Some(way(bytes));
                }
            }
            2 => moves.pins = Some(way(bytes)),
            _ => {}
        }
        match bytes.below(4) {
            1 => _ = scene.add_collider(Collider::ground().at(point(bytes))),
            2 => _ = scene.add_collider(Collider::sphere(0.5).at(point(bytes))),
            3 => _ = scene.add_collider(Collider::cuboid([0.25; 3]).at(point(bytes))),
            _ => {}
        }
        moves
    }

    /// That of a step.
    fn input(&self, bodies: &[Body], ids: &[BodyId], at: usize) -> Input {
        let mut input = Input::frame(1.0 / 60.0);
        let to = |x: [f32; 3], way: [f32; 3]| {
            Vec3::from(std::array::from_fn::<f32, 3, _>(|k| x[k] + way[k] * (at + 1) as f32))
        };
        if let (Some(way), Some(body), Some(&id)) = (self.obstacle, bodies.last(), ids.last()) {
            let all: Vec<Vec3> = body.positions.iter().map(|x| to(*x, way)).collect();
            input = input.vertices(id, &all);
        }
        if let Some(way) = self.pins {
            for (body, &id) in bodies.iter().zip(ids) {
                for v in (0..body.positions.len()).filter(|&v| body.inv_mass[v] == 0.0) {
                    input = input.pin(id, v as u32, to(body.positions[v], way));
                }
            }
        }
        input
    }
}

/// Whether all points and triangles, edges and edges that share no particle begin apart by more than roundings.
fn are_apart(plan: &Plan) -> bool {
    let (mut x, mut triangles, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let state = State::new(plan);
    for body in plan.body_ids() {
        let first = x.len();
        let mut positions = vec![Vec3::ZERO; plan.vertices(body)];
        state.read_positions(plan, body, &mut positions);
        x.extend(positions.iter().map(|p| V3::set(p.to_array().map(f64::from))));
        let all = plan.triangles(body).iter().map(|t| t.map(|v| v as usize + first));
        triangles.extend(all.clone());
        edges.extend(all.flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]));
        edges.extend(plan.lengths(body).into_iter().map(|(edge, _)| edge.map(|v| v as usize + first)));
    }
    let least = APART * x.iter().fold(0.0, |most: f64, x: &V3<f64>| most.max(x.length()));
    let apart = |features, of: [usize; 4]| {
        let four = of.map(|v| x[v]);
        !sure::meet(four, four, features, least)
    };
    let points = (0..x.len()).all(|p| {
        triangles.iter().all(|&[a, b, c]| [a, b, c].contains(&p) || apart(Features::PointTriangle, [p, a, b, c]))
    });
    points
        && edges.iter().enumerate().all(|(k, &[a, b])| {
            let others = edges[..k].iter().filter(|other| !other.contains(&a) && !other.contains(&b));
            others.into_iter().all(|&[c, d]| apart(Features::EdgeEdge, [a, b, c, d]))
        })
}

/// A few points, and triangles and edges between any of them.
fn body(bytes: &mut Bytes) -> Body {
    let n = 2 + bytes.below(9);
    let positions: Vec<[f32; 3]> = (0..n).map(|_| point(bytes)).collect();
    let inv_mass =
        (0..n).map(|_| if bytes.below(16) == 0 { 0.0 } else { 0.5 + f32::from(bytes.byte()) / 16.0 }).collect();
    let mut body = Body::particles(positions, inv_mass);
    // What is fixed rests: nothing is promised of what it would be taken through.
    body.velocities = (0..n)
        .map(|v| {
            let fast = [1.0, 10.0, 200.0][bytes.below(3)];
            let velocity = point(bytes).map(|v| v.clamp(-4.0, 4.0) * fast);
            if body.inv_mass[v] > 0.0 { velocity } else { [0.0; 3] }
        })
        .collect();
    let mut corners = |count: usize| -> Vec<u32> { (0..count).map(|_| bytes.below(n) as u32).collect() };
    for t in corners(3 * 5).chunks_exact(3) {
        if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
            Arc::make_mut(&mut body.triangles).push([t[0], t[1], t[2]]);
        }
    }
    for e in corners(2 * 3).chunks_exact(2) {
        if e[0] != e[1] {
            body.edges.push([e[0], e[1]]);
        }
    }
    body.thickness = bytes.mostly(0.1).clamp(0.0, 1.0).into();
    body.friction = bytes.mostly(1.0).clamp(0.0, 10.0).into();
    body.collide = Collide::All;
    body
}
