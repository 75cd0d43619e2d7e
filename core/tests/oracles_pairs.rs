//! Oracle: bodies against themselves and each other. Nothing goes through, momentum is kept, friction is Coulomb's.

use crate::runs::{FRAME, G, P, add, momentum, norm, particles, positions, run, scale, scene, solver, sub, velocities};
use seidel::{
    Body, BodyId, Cloth, Collide, Collider, Constraints, Execution, Input, Intersections, Pose, Rope, Scene, Solver,
    Stiffness, kinds,
};

/// Side of the sheets here, metres.
const SIDE: f32 = 0.5;

fn sheet(n: u32, thickness: f32) -> Cloth {
    Cloth::grid([n, n], [SIDE; 2]).thickness(thickness).collide(Collide::All)
}

fn mean(points: &[P]) -> P {
    scale(points.iter().fold([0.0; 3], |sum, x| add(sum, *x)), 1.0 / points.len() as f64)
}

/// Steps, and counts intersections after each; the most contacts of a step.
fn run_free(solver: &mut Solver, frames: u32) -> u32 {
    let (mut intersections, mut most) = (Intersections::new(), 0);
    let plan = std::sync::Arc::clone(solver.plan());
    for frame in 0..frames {
        let report = solver.step(&Input::frame(FRAME));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
        assert_eq!(report.pairs.overflowed, 0, "frame {frame}");
        most = most.max(report.pairs.contacts);
        let found = intersections.count(&plan, solver.state()).expect("few boxes overlap");
        assert!(found.is_clean(), "frame {frame}: {found:?}");
    }
    most
}

/// Two sheets fly into each other, turned against each other, with friction: their momentum stays what it was.
#[test]
fn sheets_that_meet_keep_their_momentum() {
    let mut scene = scene(0.0, 20);
    let first = scene.add(sheet(16, 0.004).friction(0.6).velocity([0.0, 1.5, 0.3]));
    let pose = Pose::at([0.02, 0.05, 0.01]).turned([0.3, 1.0, 0.1], seidel::degrees(25.0));
    let second = scene.add(sheet(12, 0.006).density(0.5).placed(pose, 1.0).velocity([0.4, -1.0, 0.0]));
    let mut solver = solver(&scene);
    let total = |solver: &Solver| add(momentum(solver, first), momentum(solver, second));
    let (before, alone) = (total(&solver), momentum(&solver, first));
    let size = norm(momentum(&solver, first)) + norm(momentum(&solver, second));
    let most = run_free(&mut solver, 40);
    let drift = norm(sub(total(&solver), before)) / size;
    let given = norm(sub(momentum(&solver, first), alone)) / size;
    println!("drift {drift:.1e} of the momenta, {given:.2} of them were exchanged, {most} contacts at most");
    assert!(drift < 1e-5, "drift {drift:.1e}");
    assert!(given > 0.1 && most > 20, "they have hardly met: {given} {most}");
}

/// A small sheet that lies on a fixed slope: with mu above the slope it stays, below it slides with g (sin - mu cos).
#[test]
fn friction_between_layers_is_coulombs() {
    for (friction, degrees) in [(0.6f32, 20.0f64), (0.2, 20.0), (0.0, 20.0)] {
        let mut scene = scene(G as f32, 20);
        let pose = Pose::at([0.0; 3]).turned([0.0, 0.0, 1.0], seidel::degrees(degrees));
        let all: Vec<u32> = (0..41 * 11).collect();
        let slope = Cloth::grid([41, 11], [4.0, 1.0]).placed(pose, 1.0).thickness(0.01).friction(friction).pin(&all);
        scene.add(slope.collide(Collide::Others));
        let (sin, cos) = degrees.to_radians().sin_cos();
        // On the slope, near its upper end, as far from it as both keep.
        let along = |s: f64| [s * cos, s * sin];
        let at = [along(1.2)[0] - 0.02 * sin, along(1.2)[1] + 0.02 * cos, 0.013];
        let pose = Pose::new(at, pose.rotation());
        let upper = Cloth::grid([6, 6], [0.3, 0.3]).placed(pose, 1.0).thickness(0.01).friction(friction).bend(1e-2);
        let body = scene.add(upper.collide(Collide::Others));
        let mut solver = solver(&scene);
        let before = mean(&positions(&solver, body));
        let most = run_free(&mut solver, 40);
        let t = 40.0 * f64::from(FRAME);
        let gone = sub(mean(&positions(&solver, body)), before);
        let down = -(gone[0] * cos + gone[1] * sin);
        let want = 0.5 * G * (sin - f64::from(friction) * cos).max(0.0) * t * t;
        println!("mu {friction}: {down:.4} m down, wanted {want:.4}; {most} contacts");
        assert!((down - want).abs() < 0.02 * want + 0.002, "mu {friction}: {down} m and not {want} m");
        assert!(most >= 6, "it has not lain on anything: {most}");
    }
}

/// A small sheet at 100 m/s into one that is held at its corners: a step of it is 1.7 m, a substep 8 cm.
#[test]
fn nothing_passes_a_cloth_at_100_metres_a_second() {
    for (turn, side) in [(0.0, 0.1), (90.0, 0.1), (35.0, 0.02)] {
        let mut scene = scene(0.0, 20);
        let target = scene.add(sheet(24, 0.002).pin_grid(seidel::GridPins::Corners));
        let pose = Pose::at([0.012, 0.4, -0.007]).turned([1.0, 0.0, 0.4], seidel::degrees(turn));
        let bullet = Cloth::grid([5, 5], [side; 2]).placed(pose, 1.0).density(2.0).thickness(0.002);
        let bullet = scene.add(bullet.velocity([0.0, -100.0, 0.0]).collide(Collide::All));
        let mut solver = solver(&scene);
        let most = run_free(&mut solver, 30);
        let (middle, held) = (mean(&positions(&solver, bullet)), positions(&solver, target));
        println!("turned by {turn}: at {middle:?}, {most} contacts at most");
        // What went through would be 50 m below.
        assert!(middle[1] > -1.0 && most > 0, "turned by {turn}: {middle:?}, {most} contacts");
        assert!(held.iter().all(|x| norm(*x) < 2.0), "the sheet has followed");
    }
}

/// A sheet that falls on its edge and folds up on itself, on the ground.
#[test]
fn a_sheet_folds_up_without_going_through_itself() {
    let mut scene = scene(G as f32, 20);
    let pose = Pose::at([0.0, 0.27, 0.0]).turned([1.0, 0.0, 0.03], seidel::degrees(89.0));
    let cloth = sheet(24, 0.004).placed(pose, 1.0).stretch(1e-5).shear(1e-2).bend(1e3).damping(0.02);
    let body = scene.add(cloth.friction(0.3));
    scene.add_collider(Collider::ground());
    let mut solver = solver(&scene);
    let most = run_free(&mut solver, 60);
    let lowest = positions(&solver, body).iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
    println!("{most} contacts at most, lowest particle at {lowest:.5} m");
    assert!(most > 50, "{most} contacts");
    // The ground keeps all of it out, but for rounding.
    assert!(lowest > 0.004 - 1e-5, "{lowest}");
}

/// Sheets that rest on one that is fixed come to rest.
#[test]
fn layers_come_to_rest() {
    let mut scene = scene(G as f32, 20);
    let all: Vec<u32> = (0..20 * 20).collect();
    scene.add(sheet(20, 0.003).pin(&all));
    let layers: Vec<BodyId> = (1..=3u32)
        .map(|k| {
            let at = [0.011 * k as f32, 0.0065 * k as f32, -0.007 * k as f32];
            scene.add(sheet(16, 0.003).placed(Pose::at(at), 0.8).bend(1e2).damping(0.05))
        })
        .collect();
    let mut solver = solver(&scene);
    let most = run_free(&mut solver, 40);
    assert!(most > 100, "{most} contacts");
    for (k, &layer) in layers.iter().enumerate() {
        let fastest = velocities(&solver, layer).iter().fold(0.0, |most: f64, v| most.max(norm(*v)));
        let heights: Vec<f64> = positions(&solver, layer).iter().map(|x| x[1]).collect();
        let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let want = 0.006 * (k + 1) as f64;
        println!("layer {k}: fastest {fastest:.4} m/s, lowest {lowest:.5} m of {want:.5}");
        assert!(fastest < 0.02, "layer {k}: {fastest} m/s");
        assert!((lowest - want).abs() < 0.0005, "layer {k}: {lowest} m and not {want} m");
    }
}

/// How far one rope is above another where they cross, seen from above.
fn heights_at_crossings(upper: &[P], lower: &[P]) -> Vec<f64> {
    let mut heights = Vec::new();
    for a in upper.windows(2) {
        for b in lower.windows(2) {
            let (u, v, r) = (sub(a[1], a[0]), sub(b[1], b[0]), sub(b[0], a[0]));
            let flat = |p: P, q: P| p[0] * q[2] - p[2] * q[0];
            let det = flat(u, v);
            let (s, t) = (flat(r, v) / det, flat(r, u) / det);
            if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                heights.push(a[0][1] + s * u[1] - (b[0][1] + t * v[1]));
            }
        }
    }
    heights
}

/// A rope falls across another that is held at its ends, and over a sheet.
#[test]
fn ropes_stay_above_what_they_fall_on() {
    let mut scene = scene(G as f32, 20);
    let rope = |from, to| Rope::new(from, to, 40).thickness(0.005).collide(Collide::All);
    let held = scene.add(rope([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]).pin(&[0, 40]));
    let falling = scene.add(rope([0.01, 0.1, -0.4], [0.013, 0.12, 0.4]));
    let cloth = scene.add(sheet(20, 0.005).placed(Pose::at([0.0, -0.2, 0.0]), 1.0).pin_grid(seidel::GridPins::Corners));
    let mut solver = solver(&scene);
    // Later its ends swing through below the other.
    let most = run_free(&mut solver, 20);
    // Where the ropes cross, seen from above, the one that fell is above.
    let above = heights_at_crossings(&positions(&solver, falling), &positions(&solver, held));
    assert!(!above.is_empty() && above.iter().all(|height| *height > 0.009), "{above:?} m above");
    assert!(most > 0);
    run_free(&mut solver, 60);
    let lowest = positions(&solver, cloth).iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
    assert!(lowest > -0.5, "{lowest}");
}

/// A disc of 700 triangles around one particle falls on another that is fixed.
#[test]
fn a_hub_of_many_triangles_is_kept_apart() {
    const SPOKES: u32 = 700;
    let disc = |y: f64, turn: f64, inv_mass: f32| {
        let rim = (0..SPOKES).map(|k| std::f64::consts::TAU * (f64::from(k) + turn) / f64::from(SPOKES));
        let mut at = vec![[0.02, y as f32, 0.01]];
        at.extend(rim.map(|a| [(0.3 * a.cos()) as f32, y as f32, (0.3 * a.sin()) as f32]));
        let mut body = Body::particles(at, vec![inv_mass; SPOKES as usize + 1]);
        body.triangles = (0..SPOKES).map(|k| [0, 1 + k, 1 + (k + 1) % SPOKES]).collect::<Vec<_>>().into();
        (body.thickness, body.collide) = (0.0005_f32.into(), Collide::Others);
        body
    };
    let mut scene = scene(G as f32, 4);
    scene.add(disc(0.0, 0.0, 0.0));
    let falling = scene.add(disc(0.01, 0.4, 1.0));
    let mut solver = solver(&scene);
    let most = run_free(&mut solver, 8);
    assert!(most > 100, "{most} contacts");
    let lowest = positions(&solver, falling).iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
    assert!(lowest > 0.0009 && lowest < 0.002, "{lowest} m above");
}

/// Others' features are kept apart only where both bodies want it.
#[test]
fn bodies_collide_if_both_want_it() {
    for (first, second, meets) in [
        (Collide::Others, Collide::Others, true),
        (Collide::All, Collide::Others, true),
        (Collide::Nothing, Collide::All, false),
    ] {
        let mut scene = scene(G as f32, 10);
        let all: Vec<u32> = (0..100).collect();
        scene.add(Cloth::grid([10, 10], [SIDE; 2]).pin(&all).thickness(0.005).collide(first));
        let upper = Cloth::grid([8, 8], [0.3; 2]).placed(Pose::at([0.0, 0.02, 0.0]), 1.0).thickness(0.005);
        let body = scene.add(upper.collide(second));
        let mut solver = solver(&scene);
        run(&mut solver, 20, FRAME);
        let height = mean(&positions(&solver, body))[1];
        assert_eq!(height > 0.0, meets, "{first:?} {second:?}: {height}");
    }
}

/// What begins tangled is not flung: two sheets that cross each other, two in one place, a sheet turned inside out.
#[test]
fn what_begins_tangled_does_not_explode() {
    let crossing = Pose::at([0.03, 0.0, 0.02]).turned([1.0, 0.0, 0.2], seidel::degrees(80.0));
    for pose in [crossing, Pose::at([0.0; 3]), Pose::at([0.0; 3]).turned([0.0, 1.0, 0.0], seidel::degrees(30.0))] {
        let mut scene = scene(0.0, 20);
        let first = scene.add(sheet(16, 0.004));
        let second = scene.add(sheet(16, 0.004).placed(pose, 1.0));
        let mut solver = solver(&scene);
        for frame in 0..60 {
            let report = solver.step(&Input::frame(FRAME));
            assert!(report.lost.is_none() && report.rejected.is_none(), "frame {frame}: {report:?}");
            for body in [first, second] {
                let fastest = velocities(&solver, body).iter().fold(0.0, |most: f64, v| most.max(norm(*v)));
                assert!(fastest < 5.0, "frame {frame}: {fastest} m/s");
            }
        }
    }
}

/// Thousands of edges in one point: their pairs are cut off, and the step is taken.
#[test]
fn a_heap_in_one_point_is_survived() {
    let n = 8000u32;
    let points: Vec<P> = (0..n).map(|i| [f64::from(i % 2) * 1e-4, 0.0, 0.0]).collect();
    let mut body: Body = particles(&points, &vec![1e-3; n as usize]);
    body.edges = (0..n / 2).map(|i| [2 * i, 2 * i + 1]).collect();
    body.constraints = vec![Constraints::measured(kinds::DISTANCE, body.edges.concat(), Stiffness::compliance(1e-6))];
    (body.thickness, body.collide) = (0.01_f32.into(), Collide::All);
    let mut scene: Scene = scene(G as f32, 2);
    let body = scene.add(body);
    let mut solver = solver(&scene);
    let report = solver.step(&Input::frame(FRAME));
    assert!(report.lost.is_none() && report.pairs.overflowed > 0, "{report:?}");
    // It falls as anything does.
    let fallen = mean(&positions(&solver, body))[1];
    assert!(fallen < -1e-3 && fallen > -0.1, "{fallen}");
}

/// Sheets on a heap have more pairs than were counted before: where memory ends, a step says so.
#[test]
fn lists_end_where_memory_does() {
    let mut scene = Scene::new();
    for i in 0..12 {
        let pose = Pose::at([0.0, 0.001 * i as f32, 0.0]);
        scene.add(Cloth::grid([10, 10], [0.1; 2]).thickness(0.01).collide(Collide::All).placed(pose, 1.0));
    }
    let beyond = |memory: u64| {
        let execution = Execution::default().memory(memory);
        let counts = Solver::on(&scene, execution).expect("a sound scene").step(&Input::frame(1.0 / 60.0)).pairs;
        assert!(counts.candidates > 0 || counts.beyond_memory > 0, "{counts:?}");
        (counts.beyond_memory > 0, counts.overflowed > 0)
    };
    let need = scene.need().bytes;
    assert_eq!(beyond(u64::MAX), (false, false), "without a limit");
    assert_eq!(beyond(need), (true, true), "with what was counted");
    assert_eq!(beyond(need + 200_000_000), (false, false), "with enough");
}
