//! Oracle: bodies that go where they are taken. Nothing goes through them, however fast; what is attached is where they
//! are.

use crate::runs;
use crate::runs::{FRAME, G, P, add, cross, dot, momentum, norm, positions, scale, scene, solver, solver_on, sub};
use glam::Vec3;
use seidel::collider::Motion;
use seidel::{
    BodyId, Cloth, Collide, Input, Intersections, Isa, Mesh, Obstacle, Pose, Rope, Solver, Tether, VertexAnimation,
};

/// A box of triangles with some cells a side, half as long along each axis as told.
fn cuboid(half: [f32; 3], cells: u32) -> Mesh {
    let n = cells as i32;
    let (mut mesh, mut known) = (Mesh::default(), std::collections::BTreeMap::new());
    for (axis, side) in [(0, 0), (0, n), (1, 0), (1, n), (2, 0), (2, n)] {
        let mut at = |i: i32, j: i32| {
            let mut place = [0; 3];
            (place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3]) = (side, i, j);
            *known.entry(place).or_insert_with(|| {
                let along = |k: usize| half[k] * (2.0 * place[k] as f32 / n as f32 - 1.0);
                mesh.positions.push([along(0), along(1), along(2)]);
                mesh.positions.len() as u32 - 1
            })
        };
        let mut corners = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            corners.push([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        for [a, b, c, d] in corners {
            mesh.triangles.extend(if side == n { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    mesh
}

/// Its vertices, turned and moved.
fn placed(mesh: &Mesh, pose: &Pose) -> Vec<Vec3> {
    mesh.positions.iter().map(|x| pose.transform_point(x.map(f64::from)).as_vec3()).collect()
}

fn step(solver: &mut Solver, input: &Input, intersections: &mut Intersections, what: &str) -> seidel::Report {
    let report = solver.step(input);
    assert!(report.rejected.is_none() && report.lost.is_none(), "{what}: {report:?}");
    assert_eq!((report.pairs.overflowed, report.pairs.unresolved), (0, 0), "{what}");
    let found = intersections.count(solver.plan(), solver.state()).expect("few boxes overlap");
    assert!(found.is_clean(), "{what}: {found:?}");
    report
}

/// A box that turns flies into a sheet that nothing holds; at 120 m/s a substep is 10 cm, 25 times what the sheet
/// keeps.
#[test]
fn a_free_sheet_is_never_crossed() {
    let cases = [(0.3, 0.0, 1), (20.0, -3.0, 2), (60.0, 2.0, 1), (10.0, -1.0, 3), (120.0, 0.0, 1)];
    // Also in steps of one substep: in none of these is the box faster than it is thick, so it crosses nothing unseen.
    for ((speed, turns, layers), steps) in cases.map(|case| (case, 1)).into_iter().chain([(cases[4], 20)]) {
        let mesh = cuboid([0.12, 0.08, 0.1], 3);
        let mut scene = scene(0.0, 20 / steps);
        let at = |t: f64| {
            Pose::at([0.013, (-0.2 + speed * t) as f32, 0.007])
                .turned([0.3, 1.0, 0.4], seidel::degrees(360.0 * turns * t))
        };
        let obstacle = scene.add(Obstacle::new(&Mesh {
            positions: placed(&mesh, &at(0.0)).iter().map(Vec3::to_array).collect(),
            ..mesh.clone()
        }));
        let sheets: Vec<BodyId> = (0..layers)
            .map(|layer| {
                let pose = Pose::at([0.0, 0.01 * layer as f32, 0.0])
                    .turned([0.0, 1.0, 0.0], seidel::degrees(11.0 * f64::from(layer)));
                let sheet = Cloth::grid([16, 16], [0.5, 0.5]).thickness(0.002).placed(pose, 1.0).bend(1e2);
                scene.add(sheet.collide(Collide::All))
            })
            .collect();
        let (mut solver, mut intersections) = (solver(&scene), Intersections::new());
        let (mut held, mut contacts) = (0, 0);
        let dt = FRAME / steps as f32;
        for step_number in 1..=20 * steps {
            let what = format!("{speed} m/s, {turns} turns a second, step {step_number} of {dt} s");
            let target = placed(&mesh, &at(f64::from(step_number) * f64::from(dt)));
            let input = Input::frame(dt).vertices(obstacle, &target);
            let report = step(&mut solver, &input, &mut intersections, &what);
            (held, contacts) = (held + report.pairs.clamped, contacts + report.pairs.contacts);
            assert_eq!(solver.positions(obstacle), target, "{what}");
        }
        let lowest = sheets.iter().map(|&sheet| {
            let all = positions(&solver, sheet);
            all.iter().map(|x| x[1]).sum::<f64>() / all.len() as f64
        });
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        println!("{speed} m/s: {contacts} contacts, {held} held, the lowest sheet is at {lowest:.3} m");
        assert!(speed < 1.0 || contacts > 0, "{speed} m/s: it has met nothing");
        // Before the box, not behind it. From 90 to 140 m/s parts of a sheet slip off the box and are left behind: its
        // middle goes 0.25 to 0.85 of the box's way, and little decides which.
        assert!(speed < 1.0 || lowest > 0.25 * speed * 0.33, "{speed} m/s: at {lowest} m");
    }
}

/// A cylinder of triangles along x, bent by an angle along an arc: rings of points about an axis that begins at the
/// origin.
fn arm(radius: f32, length: f32, angle: f32) -> Mesh {
    let (around, along) = (12u32, 16u32);
    let mut mesh = Mesh::default();
    for i in 0..=along {
        let s = i as f32 / along as f32;
        let (sin, cos) = (angle * s).sin_cos();
        let axis = if angle.abs() < 1e-6 { [s, 0.0] } else { [sin / angle, (1.0 - cos) / angle] };
        for j in 0..around {
            let (up, side) = (j as f32 * std::f32::consts::TAU / around as f32).sin_cos();
            let out = radius * up;
            mesh.positions.push([axis[0] * length - out * sin, axis[1] * length + out * cos, radius * side]);
        }
    }
    for (i, j) in (0..along).flat_map(|i| (0..around).map(move |j| (i, j))) {
        let at = |i: u32, j: u32| i * around + j % around;
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh
}

/// The corners of the triangle of a mesh nearest to a point, in f64, and where over it the point is: two shares and a
/// height.
fn over(mesh: &Mesh, point: P) -> ([u32; 3], P) {
    let corners = |t: &[u32; 3]| t.map(|v| mesh.positions[v as usize].map(f64::from));
    // By a fine raster of each triangle: slow and simple.
    let nearest = |t: &[u32; 3]| {
        let [a, b, c] = corners(t);
        let places = (0..=20).flat_map(|i| (0..=20 - i).map(move |j| (f64::from(i) / 20.0, f64::from(j) / 20.0)));
        let at = |(s, t): (f64, f64)| add(a, add(scale(sub(b, a), s), scale(sub(c, a), t)));
        places.map(|place| norm(sub(at(place), point))).fold(f64::INFINITY, f64::min)
    };
    let each = mesh.triangles.iter().map(|t| (nearest(t), t));
    let (_, best) = each.min_by(|a, b| a.0.total_cmp(&b.0)).expect("triangles");
    let [a, b, c] = corners(best);
    let (e, f, from) = (sub(b, a), sub(c, a), sub(point, a));
    let n = cross(e, f);
    let n = scale(n, 1.0 / norm(n));
    // Barycentric by areas.
    let whole = dot(cross(e, f), n);
    (*best, [dot(cross(from, f), n) / whole, dot(cross(e, from), n) / whole, dot(from, n)])
}

/// Where a place over a triangle is now.
fn place(vertices: &[P], (t, at): &([u32; 3], P)) -> P {
    let [a, b, c] = t.map(|v| vertices[v as usize]);
    let (e, f) = (sub(b, a), sub(c, a));
    let n = cross(e, f);
    add(a, add(add(scale(e, at[0]), scale(f, at[1])), scale(n, at[2] / norm(n))))
}

/// A sheet that hangs on an arm which bends and swings: its rim is where the arm is at the end of every step.
#[test]
fn what_is_attached_is_where_the_obstacle_is() {
    let fps = 60.0;
    let shapes: Vec<Mesh> = (0..40).map(|i| arm(0.05, 0.6, 0.9 * (i as f32 * 0.25).sin())).collect();
    let frames = VertexAnimation::new(fps, shapes.iter().map(|mesh| mesh.positions.clone()).collect());
    let mut scene = scene(G as f32, 20);
    let obstacle = scene.add(Obstacle::new(&shapes[0]).frames(frames).named("arm"));
    let sheet = Cloth::grid([9, 9], [0.4, 0.4]).placed(Pose::at([0.3, -0.06, 0.2]), 1.0).collide(Collide::All);
    let rim: Vec<u32> = (0..9).collect();
    let hung: Vec<(_, P)> =
        rim.iter().map(|&v| over(&shapes[0], sheet.mesh().positions[v as usize].map(f64::from))).collect();
    let cloth = scene.add(sheet.attach(obstacle, &rim));
    let (mut solver, mut intersections) = (solver(&scene), Intersections::new());
    let mut off = 0.0f64;
    for (frame, shape) in shapes.iter().enumerate().skip(1) {
        step(&mut solver, &Input::frame(FRAME), &mut intersections, &format!("frame {frame}"));
        let arm = positions(&solver, obstacle);
        for (x, want) in arm.iter().zip(&shape.positions) {
            assert!(norm(sub(*x, want.map(f64::from))) < 1e-6, "frame {frame}: {x:?} and not {want:?}");
        }
        let now = positions(&solver, cloth);
        for (&v, over) in rim.iter().zip(&hung) {
            off = off.max(norm(sub(now[v as usize], place(&arm, over))));
        }
    }
    println!("attached particles are off by {off:.1e} m at most");
    assert!(off < 2e-7, "{off:.1e} m");
}

/// What an obstacle does not touch moves to the bit as if it were not there.
#[test]
fn what_is_not_touched_is_not_moved() {
    let mesh = cuboid([0.1; 3], 2);
    let mut momenta = Vec::new();
    for far in [Some(0.0f32), Some(30.0), None] {
        let mut scene = scene(0.0, 20);
        let sheet = Cloth::grid([12, 12], [0.4, 0.4]).bend(10.0).velocity([0.2, 0.7, -0.4]).collide(Collide::All);
        let body = scene.add(sheet);
        let at = |t: f64| {
            Pose::at([2.0 + far.unwrap_or_default(), (5.0 * t) as f32, 0.0])
                .turned([1.0, 0.0, 0.0], seidel::degrees(90.0 * t))
        };
        let shape = Obstacle::new(&Mesh {
            positions: placed(&mesh, &at(0.0)).iter().map(Vec3::to_array).collect(),
            ..mesh.clone()
        });
        let obstacle = far.map(|_| scene.add(shape));
        let (mut solver, mut intersections) = (solver(&scene), Intersections::new());
        let before = momentum(&solver, body);
        for frame in 1..=20u32 {
            let target = placed(&mesh, &at(f64::from(frame) * f64::from(FRAME)));
            let input = Input::frame(FRAME);
            let input = obstacle.map_or(input.clone(), |obstacle| input.vertices(obstacle, &target));
            step(&mut solver, &input, &mut intersections, &format!("frame {frame}"));
        }
        let drift = norm(sub(momentum(&solver, body), before)) / norm(before);
        assert!(drift < 1e-5, "{drift:.1e}");
        momenta.push(positions(&solver, body));
    }
    assert_eq!(momenta[0], momenta[1]);
    assert_eq!(momenta[0], momenta[2], "beside no obstacle");
}

/// Lanes and threads change no bit: a box that is taken into a crumpled stack.
#[test]
fn lanes_and_threads_change_nothing() {
    let mesh = cuboid([0.12, 0.08, 0.1], 3);
    let mut scene = scene(G as f32, 20);
    let at = |t: f64| Pose::at([0.0, (-0.1 + 8.0 * t) as f32, 0.0]).turned([0.3, 1.0, 0.4], seidel::degrees(60.0 * t));
    let obstacle = scene.add(Obstacle::new(&Mesh {
        positions: placed(&mesh, &at(0.0)).iter().map(Vec3::to_array).collect(),
        ..mesh.clone()
    }));
    let hung: Vec<u32> = (0..3).collect();
    for layer in 0..2 {
        let pose =
            Pose::at([0.0, 0.01 * layer as f32, 0.0]).turned([0.0, 1.0, 0.0], seidel::degrees(20.0 * f64::from(layer)));
        let sheet = Cloth::grid([34, 34], [0.6, 0.6]).placed(pose, 1.0).collide(Collide::All);
        let near = Tether::new(obstacle, (100..200).collect(), 0.3).backstop(0.02, 0.5);
        scene.add(if layer == 0 { sheet.attach(obstacle, &hung).tether(near) } else { sheet });
    }
    let mut wanted = None;
    for (isa, threads) in Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 3)]) {
        let mut solver = solver_on(&scene, isa, threads);
        let mut held = 0;
        for frame in 1..=2u32 {
            let target = placed(&mesh, &at(f64::from(frame) * f64::from(FRAME)));
            held += solver.step(&Input::frame(FRAME).vertices(obstacle, &target)).pairs.clamped;
        }
        let hash = (solver.state().hash(), held);
        assert_eq!(*wanted.get_or_insert(hash), hash, "{isa:?}, {threads} threads");
        assert!(held > 0, "nothing was held");
    }
}

/// What cannot be followed is refused, with what and the limit.
#[test]
fn what_cannot_be_followed_is_refused() {
    let mesh = cuboid([0.1; 3], 1);
    let frames = |positions| VertexAnimation::new(30.0, positions);
    let named = || Obstacle::new(&mesh).named("box");
    let mut bad = mesh.positions.clone();
    bad[5][1] = f32::NAN;
    let plan = |obstacle: Obstacle| {
        let mut scene = scene(0.0, 2);
        scene.add(obstacle);
        seidel::Plan::new(&scene).unwrap_err().to_string()
    };
    for (obstacle, says) in [
        (named().frames(frames(Vec::new())), "body `box`: number of frames is 0, which is not 1 or more"),
        (
            named().frames(frames(vec![mesh.positions.clone(), vec![[0.0; 3]; 7]])),
            "body `box`: frame 1 (vertices) has 7 entries and should have 8",
        ),
        (
            named().frames(frames(vec![mesh.positions.clone(), bad])),
            "body `box`: position of vertex 5 in frame 1 is NaN, which is not within +-1e6 m",
        ),
        (
            named().frames(VertexAnimation::new(0.0, vec![mesh.positions.clone()])),
            "body `box`: frames a second is 0, which is not within 0.001 .. 1e6",
        ),
    ] {
        assert_eq!(plan(obstacle), says);
    }
    let mut scene = scene(0.0, 2);
    let obstacle = scene.add(named());
    let free = scene.add(Cloth::grid([3, 3], [1.0, 1.0]).named("sheet").placed(Pose::at([0.0, 1.0, 0.0]), 1.0));
    let mut one = solver(&scene);
    let before = one.state().hash();
    let mut far = vec![Vec3::ZERO; 8];
    far[2].z = f32::INFINITY;
    for (input, says) in [
        (Input::frame(FRAME).vertices(free, &[Vec3::ZERO; 9]), "input: body `sheet` is no obstacle"),
        (
            Input::frame(FRAME).vertices(obstacle, &[Vec3::ZERO; 3]),
            "input: vertices of body `box` has 3 entries and should have 8",
        ),
        (
            Input::frame(FRAME).vertices(obstacle, &far),
            "input: position of vertex 2 of body `box` is inf, which is not within +-1e6 m",
        ),
    ] {
        assert_eq!(one.step(&input).rejected.expect("it does not fit").to_string(), says);
    }
    assert_eq!(one.state().hash(), before);
    let plan = std::sync::Arc::clone(one.plan());
    let error = one.state_mut().write_inv_masses(&plan, obstacle, &[1.0; 8]).unwrap_err().to_string();
    assert_eq!(error, "body `box`: inverse mass of vertex 0 is 1, which is not 0: an obstacle goes where it is taken");
    scene.add(Rope::new([0.0, 0.0, 1.0], [1.0, 0.0, 1.0], 3).named("rope").attach(free, &[0]));
    assert_eq!(
        seidel::Plan::new(&scene).unwrap_err().to_string(),
        "body `rope`, attachment 0: body `sheet` is no obstacle"
    );
}

/// Sheets that fall and swing past an arm that bends stay within their distances of their points, and in front of what
/// is behind.
#[test]
fn max_distance_and_backstop_hold() {
    let shapes: Vec<Mesh> = (0..50).map(|i| arm(0.05, 0.6, 0.9 * (i as f32 * 0.2).sin())).collect();
    for (collide, radius) in [(Collide::Nothing, 0.1f32), (Collide::Nothing, f32::INFINITY), (Collide::All, 0.2)] {
        let positions_of = shapes.iter().map(|mesh| mesh.positions.clone()).collect();
        let frames = VertexAnimation::new(60.0, positions_of);
        let mut scene = scene(G as f32, 20);
        let obstacle = scene.add(Obstacle::new(&shapes[0]).frames(frames));
        let sheet = Cloth::grid([8, 8], [0.3, 0.3]).placed(Pose::at([0.3, 0.08, 0.0]), 1.0).collide(collide);
        // Those over the inside of a triangle: on an edge, either would do.
        let over_it = |v: u32| (v, over(&shapes[0], sheet.mesh().positions[v as usize].map(f64::from)));
        let inside = |[s, t, _]: P| s > 1e-3 && t > 1e-3 && s + t < 1.0 - 1e-3;
        let (vertices, points): (Vec<u32>, Vec<_>) = (0..64).map(over_it).filter(|(_, over)| inside(over.1)).unzip();
        let most: Vec<f32> = vertices.iter().map(|v| 0.002 * (v % 8) as f32 + 0.02).collect();
        let behind = 0.008f32;
        let tether = Tether::new(obstacle, vertices.clone(), most.clone()).backstop(behind, radius);
        let cloth = scene.add(sheet.velocity([0.0, -1.0, 0.5]).tether(tether));
        let mut solver = solver(&scene);
        let (mut far, mut deep, mut at_limits) = (0.0f64, 0.0f64, 0);
        for frame in 1..50 {
            let report = solver.step(&Input::frame(FRAME));
            assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
            // Nothing goes through for the sake of a distance.
            let found = Intersections::new().count(solver.plan(), solver.state()).expect("few boxes overlap");
            assert!(collide == Collide::Nothing || found.is_clean(), "frame {frame}: {found:?}");
            let (arm, now) = (positions(&solver, obstacle), positions(&solver, cloth));
            for ((x, over), most) in vertices.iter().map(|&v| now[v as usize]).zip(&points).zip(&most) {
                assert!(over.1[2] > 0.0);
                let d = sub(x, place(&arm, over));
                let [a, b, c] = over.0.map(|v| arm[v as usize]);
                let n = cross(sub(b, a), sub(c, a));
                let n = scale(n, 1.0 / norm(n));
                let (r, b) = (f64::from(radius), f64::from(behind));
                let depth = if radius.is_finite() { r - norm(add(d, scale(n, r + b))) } else { -b - dot(n, d) };
                (far, deep) = (far.max(norm(d) - f64::from(*most)), deep.max(depth));
                at_limits += usize::from(norm(d) - f64::from(*most) > -1e-6) + usize::from(depth > -1e-6);
            }
        }
        println!("radius {radius}: {far:.1e} m too far, {deep:.1e} m too deep, {at_limits} at their limits");
        assert!(far < 2e-7 && deep < 2e-7 && at_limits > 200, "radius {radius}: {far} m, {deep} m, {at_limits}");
    }
}

/// An obstacle without anything is in nobody's way.
#[test]
fn nothing_is_no_obstacle() {
    let mut scene = scene(G as f32, 20);
    scene.add(Obstacle::new(Mesh::default()));
    let sheet = scene.add(Cloth::grid([8, 8], [0.5, 0.5]).collide(seidel::Collide::All));
    let mut solver = solver(&scene);
    runs::run(&mut solver, 10, FRAME);
    assert!(
        positions(&solver, sheet).iter().all(|x| (x[1] + 0.5 * G * (10.0 * f64::from(FRAME)).powi(2)).abs() < 0.02)
    );
}

/// A path that has begun before the scene has taken the mesh along once, not twice.
#[test]
fn a_path_is_gone_once() {
    let mut scene = scene(0.0, 20);
    let (mesh, velocity) = (cuboid([0.1; 3], 2), [1.0, 0.0, 0.0]);
    let motion =
        Motion::Steady { velocity: velocity.into(), axis: [0.0; 3].into(), turns: 0.0, start: -1.0, end: None };
    let obstacle = scene.add(Obstacle::new(&mesh).motion(motion, [0.0; 3]));
    let mut solver = solver(&scene);
    for step in 0..3 {
        let shift = 1.0 + f64::from(step) * f64::from(FRAME);
        for (x, rest) in positions(&solver, obstacle).iter().zip(&mesh.positions) {
            assert!((x[0] - f64::from(rest[0]) - shift).abs() < 1e-5, "step {step}: {x:?} and {rest:?}");
        }
        runs::run(&mut solver, 1, FRAME);
    }
}
