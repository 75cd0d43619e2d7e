//! What the named scenes promise: nothing goes through anything, and what they show happens.

use glam::Vec3;
use seidel::{Cloth, Collide, Error, Input, Intersections, Plan, Pose, Rope, Scene, Solver, State};
use seidel_scenes as scenes;
use seidel_scenes::SceneSpec;
use std::sync::Arc;

fn named(name: &str) -> SceneSpec {
    scenes::named(name).expect("a named scene")
}

fn solver(spec: &SceneSpec) -> Solver {
    Solver::new(&spec.build(|_| Err(())).expect("named scenes are sound")).expect("named scenes are sound")
}

fn positions(solver: &Solver, body: seidel::BodyId) -> Vec<Vec3> {
    let mut positions = vec![Vec3::ZERO; solver.plan().vertices(body)];
    solver.state().read_positions(solver.plan(), body, &mut positions);
    positions
}

/// A thousandth of what is thinnest, metres, and roundings of f32: no frame of a scene has anything deeper in a
/// collider than this.
fn shallow(spec: &SceneSpec) -> f32 {
    let all = spec.cloth.iter().filter_map(|cloth| cloth.thickness).chain(spec.rope.iter().map(|rope| rope.thickness));
    let fields = spec
        .balloon
        .iter()
        .map(|balloon| balloon.thickness)
        .chain(spec.shape_matched.iter().map(|soft| soft.thickness));
    let all = all.chain(fields);
    all.fold(f32::INFINITY, f32::min) * 1e-3 + 1e-6
}

/// Runs a scene whose sheets have `part` of their vertices along each side; every frame is free of intersections,
/// nothing is deeper in a collider than `shallow`, and there are as many contacts as the scene wants, for its number of
/// vertices.
fn runs_free(name: &str, part: f64) {
    let mut spec = named(name);
    for cloth in &mut spec.cloth {
        cloth.resolution = cloth.resolution.map(|n| (f64::from(n) * part).round() as u32);
    }
    let mut solver = solver(&spec);
    let plan = Arc::clone(solver.plan());
    let (mut search, mut contacts) = (Intersections::new(), 0u64);
    for frame in 0..spec.frames {
        let report = solver.step(&Input::frame((1.0 / spec.fps) as f32));
        assert!(report.rejected.is_none() && report.lost.is_none(), "{name}, frame {frame}: {report:?}");
        assert_eq!(report.pairs.overflowed, 0, "{name}, frame {frame}");
        contacts += u64::from(report.contacts) + u64::from(report.pairs.contacts);
        let found = search.count(&plan, solver.state()).expect("few boxes overlap");
        assert!(found.is_clean(), "{name}, frame {frame}: {found:?}");
        let (depth, most) = (plan.max_penetration(solver.state()), shallow(&spec));
        assert!(depth <= most, "{name}, frame {frame}: {depth} m deep in a collider, at most {most} m are wanted");
    }
    assert!(spec.min_contacts > 0, "{name} wants contacts");
    let least = f64::from(spec.min_contacts) * part * part / 2.0;
    assert!(contacts as f64 >= least, "{name}: {contacts} contacts, at least {least} are wanted");
}

#[test]
fn folds_and_twist_stay_free() {
    runs_free("folds", 0.5);
    runs_free("twist", 0.6);
}

#[test]
fn layers_and_funnel_stay_free() {
    runs_free("layers", 0.5);
    runs_free("funnel", 0.5);
}

#[test]
fn bullet_and_bunny_stay_free() {
    runs_free("bullet", 0.3);
    runs_free("drape-bunny", 0.15);
}

#[test]
fn the_sleeve_stays_free() {
    runs_free("sleeve", 0.6);
}

#[test]
fn flags_of_fabrics_stay_free() {
    runs_free("flag-materials", 0.6);
}

#[test]
fn balloons_and_soft_shapes_stay_free() {
    runs_free("balloons", 0.7);
    runs_free("soft-heap", 0.7);
}

/// No sheet or rope that touches itself is thicker than half its shortest edge.
#[test]
fn bodies_are_thin_beside_their_edges() {
    for name in scenes::NAMES {
        let spec = named(name);
        let plan = Plan::new(&spec.build(|_| Err(())).expect("sound")).expect("sound");
        let thickness = spec.cloth.iter().map(|cloth| (cloth.thickness.unwrap_or(0.002), cloth.collide));
        let ropes = spec.rope.iter().map(|rope| (rope.thickness, rope.collide));
        let all = thickness.chain(ropes).chain(spec.rod.iter().map(|rod| (rod.radius, rod.collide)));
        for (body, (thickness, collide)) in plan.body_ids().zip(all) {
            let lengths = plan.lengths(body);
            let shortest = lengths.iter().fold(f32::INFINITY, |least, (_, length)| least.min(*length));
            let thin = thickness <= 0.5 * shortest;
            assert!(thin || collide == Collide::Nothing, "{name}: {thickness} m beside edges of {shortest} m");
        }
    }
}

/// Contacts are wanted of every scene whose particles have something to touch.
#[test]
fn scenes_want_contacts() {
    let without: Vec<_> = scenes::NAMES
        .iter()
        .filter(|name| named(name).min_contacts == 0 && named(name).body.is_empty() && named(name).fluid.is_empty())
        .collect();
    assert_eq!(without, [&"flag", &"bar-bend", &"orthotropic"], "what hangs above the ground");
}

/// The determinant of a long knot, seen along an axis near -z, its ends joined far outside: of the matrix whose rows
/// say 2 a = b + c of the arc above and those below at each crossing (Fox). 1 of a rope without a knot, 3 of an
/// overhand knot.
fn determinant(rope: &[Vec3]) -> i64 {
    // A view in which no crossing is at a vertex.
    let turn = glam::DMat3::from_rotation_y(0.0123) * glam::DMat3::from_rotation_x(0.0234);
    let x: Vec<_> = rope.iter().map(|x| turn * x.as_dvec3()).collect();
    // Places along the rope where it passes below, each with the place above.
    let mut crossings = Vec::new();
    for i in 0..x.len() - 1 {
        for j in i + 2..x.len() - 1 {
            let (p, d, q, e) = (x[i], x[i + 1] - x[i], x[j], x[j + 1] - x[j]);
            let cross = |a: glam::DVec3, b: glam::DVec3| a.x * b.y - a.y * b.x;
            let (s, t) = (cross(q - p, e) / cross(d, e), cross(q - p, d) / cross(d, e));
            if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
                let (first, second) = (i as f64 + s, j as f64 + t);
                let first_is_above = p.z + d.z * s > q.z + e.z * t;
                crossings.push(if first_is_above { (second, first) } else { (first, second) });
            }
        }
    }
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = crossings.len();
    let mut rows = vec![vec![0.0f64; n]; n];
    for (k, (_, above)) in crossings.iter().enumerate() {
        let arc = crossings.partition_point(|(below, _)| below < above) % n;
        rows[k][arc] += 2.0;
        rows[k][k] -= 1.0;
        rows[k][(k + 1) % n] -= 1.0;
    }
    // The determinant of what is left without the last row and column.
    let (mut product, size) = (1.0f64, n.saturating_sub(1));
    for k in 0..size {
        let pivot = (k..size).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs())).expect("rows");
        rows.swap(k, pivot);
        product *= rows[k][k];
        for below in k + 1..size {
            let factor = rows[below][k] / rows[k][k];
            let above = rows[k].clone();
            rows[below].iter_mut().zip(above).skip(k).for_each(|(number, above)| *number -= factor * above);
        }
    }
    product.abs().round() as i64
}

#[test]
fn a_loop_is_no_knot() {
    // A helix of three turns crosses itself and is no knot.
    let at = |i: i32| (i as f32 * 0.2, i as f32 * 0.05);
    let helix: Vec<_> = (0..95).map(at).map(|(a, x)| Vec3::new(x + 1.5 * a.cos(), a.sin(), 0.1 * a)).collect();
    assert_eq!(determinant(&helix), 1);
}

/// The rope is pulled tight around itself, and never goes through itself: what was an overhand knot is one.
#[test]
fn a_knot_stays_a_knot() {
    let spec = named("knot");
    let mut solver = solver(&spec);
    let body = solver.plan().body_ids().next().expect("a rope");
    let mut contacts = 0;
    for frame in 0..spec.frames {
        if frame % 10 == 0 {
            assert_eq!(determinant(&positions(&solver, body)), 3, "frame {frame}");
        }
        let report = solver.step(&Input::frame((1.0 / spec.fps) as f32));
        assert!(report.lost.is_none() && report.pairs.overflowed == 0, "frame {frame}: {report:?}");
        contacts += report.pairs.contacts;
    }
    assert_eq!(determinant(&positions(&solver, body)), 3);
    assert!(contacts >= spec.min_contacts, "{contacts} contacts");
    // Its ends are nearer than the rope is long by what the knot takes.
    let rope = positions(&solver, body);
    let length: f32 = rope.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let ends = rope[0].distance(rope[rope.len() - 1]);
    assert!(ends < length - 0.1 && ends > 0.8 * length, "{ends} m of {length} m");
}

/// The least distance of two segments of a line that are `apart` segments from one another or more, sampled.
fn nearest(line: &[Vec3], apart: usize) -> f32 {
    const SAMPLES: usize = 8;
    let along = |i: usize| (0..SAMPLES).map(move |k| (i, k as f32 / SAMPLES as f32));
    let points: Vec<(usize, Vec3)> =
        (0..line.len() - 1).flat_map(along).map(|(i, t)| (i, line[i].lerp(line[i + 1], t))).collect();
    let others = |&(i, x): &(usize, Vec3)| {
        let far = points.iter().filter(move |(j, _)| i + apart <= *j);
        far.map(move |(_, y)| x.distance(*y)).fold(f32::INFINITY, f32::min)
    };
    points.iter().map(others).fold(f32::INFINITY, f32::min)
}

/// The rod gives way, winds around itself, and never goes through itself: it has no knot, and its windings lie side by
/// side.
#[test]
fn a_twisted_rod_winds_around_itself() {
    let spec = named("rod-twist");
    let mut solver = solver(&spec);
    let body = solver.plan().body_ids().next().expect("a rod");
    let (radius, mut contacts) = (spec.rod[0].radius, 0);
    for frame in 0..spec.frames {
        let report = solver.step(&Input::frame((1.0 / spec.fps) as f32));
        assert!(report.lost.is_none() && report.pairs.overflowed == 0, "frame {frame}: {report:?}");
        contacts += report.pairs.contacts;
        if frame % 10 == 0 {
            let rod = positions(&solver, body);
            assert_eq!(determinant(&rod), 1, "frame {frame}");
            let least = nearest(&rod, 6);
            assert!(least > 1.8 * radius, "frame {frame}: {least} m from itself");
        }
    }
    assert!(contacts >= spec.min_contacts, "{contacts} contacts");
    let rod = positions(&solver, body);
    let near = (0..rod.len() - 7).filter(|&i| nearest(&rod[i..], 6) < 2.5 * radius).count();
    assert!(near > 20, "{near} points with windings behind them");
    let length: f32 = rod.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    assert!((length - 1.2).abs() < 0.01, "{length} m long");
}

/// What begins within one another stays slow, whole, and no more entangled than it was.
#[test]
fn a_tangle_does_not_explode() {
    let spec = named("tangled");
    let free = solver(&named("layers"));
    assert_eq!(free.plan().warnings(), [""; 0]);
    assert_eq!(free.plan().tangles(free.state()), Ok(Vec::new()));
    let mut solver = solver(&spec);
    let plan = Arc::clone(solver.plan());
    let mut search = Intersections::new();
    let first = search.count(&plan, solver.state()).expect("few boxes overlap").triangles;
    assert!(first > 100, "{first} pairs at the start");
    let notes = plan.warnings();
    let said = |note: &String| note.contains("starts through body") && note.contains("and stays so");
    assert!(notes.iter().any(said), "{notes:?}");
    let (mut contacts, mut fastest, mut widest, mut slowest) = (0, 0.0f32, 0.0f32, f32::INFINITY);
    for frame in 0..spec.frames {
        let report = solver.step(&Input::frame((1.0 / spec.fps) as f32));
        assert!(report.lost.is_none() && report.rejected.is_none(), "frame {frame}: {report:?}");
        contacts += report.contacts + report.pairs.contacts;
        let mut now = 0.0f32;
        for body in plan.body_ids() {
            let mut velocities = vec![Vec3::ZERO; plan.vertices(body)];
            solver.state().read_velocities(&plan, body, &mut velocities);
            now = velocities.iter().fold(now, |most, v| most.max(v.length()));
            widest = positions(&solver, body).iter().fold(widest, |most, x| most.max(x.length()));
        }
        fastest = fastest.max(now);
        // The slowest of the last frames' fastest.
        slowest = if frame + 20 < spec.frames { slowest } else { slowest.min(now) };
    }
    let last = search.count(&plan, solver.state()).expect("few boxes overlap").triangles;
    assert!(contacts >= spec.min_contacts, "{contacts} contacts");
    // A fall from its height ends with 4 m/s; what is pressed apart where it begins is faster for a moment, and does
    // not go far.
    assert!(fastest < 40.0, "{fastest} m/s");
    assert!(slowest < 4.0, "{slowest} m/s at the end");
    assert!(widest < 2.5, "{widest} m from the origin");
    assert!(last <= first, "{last} pairs at the end, {first} at the start");
    // All that is left is told, by the bodies' names.
    let tangles = plan.tangles(solver.state()).expect("few boxes overlap");
    assert_eq!(tangles.iter().map(|tangle| tangle.triangles).sum::<usize>(), last, "{tangles:?}");
    let bodies: Vec<_> = plan.body_ids().collect();
    assert!(tangles.iter().any(|tangle| tangle.bodies == [bodies[0], bodies[1]]), "{tangles:?}");
    assert!(tangles.windows(2).all(|two| two[0].bodies.map(|b| b.index()) < two[1].bodies.map(|b| b.index())));
}

/// A body that goes through itself, an edge of a rope through a triangle, and what does not collide.
#[test]
fn tangles_are_those_of_bodies_that_collide() {
    let sheet = |collide| Cloth::grid([4, 4], [1.0, 1.0]).collide(collide);
    let upright = Pose::at([0.0; 3]).turned([1.0, 0.0, 0.0], seidel::degrees(90.0));
    for (collide, found) in [(Collide::All, true), (Collide::Nothing, false), (Collide::Spheres, false)] {
        let mut scene = Scene::new();
        let lying = scene.add(sheet(collide));
        let standing = scene.add(sheet(collide).placed(upright, 1.0));
        let rope = scene.add(Rope::new([0.21, -0.3, 0.3], [0.21, 0.3, 0.3], 4).collide(collide));
        let plan = Plan::new(&scene).expect("a sound scene");
        let tangles = plan.tangles(&State::new(&plan)).expect("few boxes overlap");
        let bodies: Vec<_> = tangles.iter().map(|tangle| tangle.bodies).collect();
        let expected = if found { vec![[lying, standing], [lying, rope]] } else { Vec::new() };
        assert_eq!(bodies, expected, "{collide:?}: {tangles:?}");
        assert!(tangles.iter().all(|tangle| (tangle.edges > 0) == (tangle.bodies[1] == rope)), "{tangles:?}");
        let other = Plan::new(&named("layers").build(|_| Err(())).expect("sound")).expect("sound");
        assert!(matches!(plan.tangles(&State::new(&other)), Err(Error::OtherPlan { .. })), "{collide:?}");
    }
}

/// The ball stays on the bridge, rolls over most of it and back, and nothing comes apart.
#[test]
fn the_bridge_carries_its_ball() {
    let spec = named("rope-bridge");
    let mut solver = solver(&spec);
    let plan = Arc::clone(solver.plan());
    let ball = plan.body("ball").expect("a ball");
    let (mut contacts, mut furthest) = (0, [f32::INFINITY, f32::NEG_INFINITY]);
    for frame in 0..spec.frames {
        let report = solver.step(&Input::frame((1.0 / spec.fps) as f32));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
        contacts += report.pairs.contacts;
        let x = positions(&solver, ball);
        let middle = x.iter().sum::<Vec3>() / x.len() as f32;
        furthest = [furthest[0].min(middle.x), furthest[1].max(middle.x)];
        assert!(middle.y > 0.6 && middle.z.abs() < 0.35, "frame {frame}: the ball is at {middle}");
    }
    assert!(furthest[1] - furthest[0] > 1.5, "it has rolled between {furthest:?}");
    assert!(contacts >= spec.min_contacts, "{contacts} contacts");
    let gap = solver.measure().max_stretch;
    assert!(gap < 0.05, "a rope is stretched by {gap}");
}

/// The curtain comes with its hooks, and does not go through itself.
#[test]
fn the_curtain_is_drawn_aside() {
    let mut spec = named("curtain-hooks");
    for cloth in &mut spec.cloth {
        cloth.resolution = [41, 30];
    }
    let mut solver = solver(&spec);
    let plan = Arc::clone(solver.plan());
    let mut search = Intersections::new();
    for frame in 0..spec.frames {
        let report = solver.step(&Input::frame((1.0 / spec.fps) as f32));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
        let found = search.count(&plan, solver.state()).expect("few boxes overlap");
        assert_eq!(found.triangles, 0, "frame {frame}: {found:?}");
    }
    let curtain = positions(&solver, plan.body("curtain").expect("a curtain"));
    let hook = |i: u32| positions(&solver, plan.body(&format!("hook-{i}")).expect("a hook"))[2];
    for i in 0..9 {
        let off = curtain[..41].iter().map(|x| (*x - hook(i)).length()).fold(f32::INFINITY, f32::min);
        assert!(off < 1e-3, "hook {i} is {off} m from the curtain");
    }
    let width = curtain[..41].iter().map(|x| x.x).fold(f32::NEG_INFINITY, f32::max) - curtain[0].x;
    assert!(width < 0.8, "its upper edge is {width} m wide, of 2.4 m");
}
