//! Shapes of rigid bodies: how they roll, stand and lie.

use crate::runs::FRAME;
use crate::runs::rigid::{pose, run};
use glam::{DVec3, Vec3};
use seidel::query::{Look, Queries, Ray, Target};
use seidel::{Collider, Decomposition, Mesh, RigidBody, Scene, Solver};

/// A slope by tilted gravity, so that the floor stays level: it goes down along x.
fn slope(floor: Collider, angle: f32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.gravity = 9.81 * Vec3::new(angle.sin(), -angle.cos(), 0.0);
    scene.add_collider(floor.friction(0.8));
    scene
}

/// About x by a right angle: what is about y is about z then.
fn on_its_side(body: RigidBody) -> RigidBody {
    body.turned([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2)
}

/// A cylinder has I = m r^2 / 2: it rolls with g sin a / (1 + 1/2).
#[test]
fn a_cylinder_rolls_down_a_slope() {
    let angle = 0.2f32;
    let want = f64::from(9.81 * angle.sin()) / 1.5;
    let slab = Collider::cuboid([60.0, 0.5, 5.0]).at([0.0, -0.5, 0.0]);
    for (what, floor) in [("a half space", Collider::ground()), ("a box", slab)] {
        for (radius, half_height) in [(0.5, 0.4), (0.05, 1.0), (1.0, 0.05)] {
            let mut scene = slope(floor.clone(), angle);
            let body = on_its_side(RigidBody::cylinder(radius, half_height)).friction(0.8).at([0.0, radius, 0.0]);
            let id = scene.add_rigid(body);
            let mut solver = Solver::new(&scene).unwrap();
            run(&mut solver, 2.0);
            let [x, y, z] = pose(&solver, id).position().to_array();
            let [v, w] = solver.state().rigid_velocity(solver.plan(), id);
            let off = x / (0.5 * want * 4.0) - 1.0;
            assert!(off.abs() < 2e-3, "on {what}, radius {radius}: off by {off}");
            assert!((v.x / (want * 2.0) - 1.0).abs() < 1e-3, "{what}, {radius}: {v}");
            assert!((v.x + w.z * f64::from(radius)).abs() < 1e-3 * v.x, "{what}, {radius}: slips, {v} {w}");
            assert!((y - f64::from(radius)).abs() < 1e-4 && z.abs() < 1e-3, "{what}, {radius}: {y}, {z}");
        }
    }
}

/// Neither its height nor its speed changes.
#[test]
fn a_cylinder_does_not_bump_while_it_rolls() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::cuboid([20.0, 0.5, 2.0]).at([0.0, -0.5, 0.0]).friction(0.8));
    let wheel = on_its_side(RigidBody::cylinder(0.4, 0.1)).friction(0.8).at([-5.0, 0.4, 0.0]);
    let id = scene.add_rigid(wheel.velocity([4.0, 0.0, 0.0]).angular_velocity([0.0, 0.0, -10.0]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 0.5);
    for _ in 0..90 {
        run(&mut solver, FRAME);
        let [v, _] = solver.state().rigid_velocity(solver.plan(), id);
        let y = pose(&solver, id).position()[1];
        assert!(v.y.abs() < 2e-3 && (y - 0.4).abs() < 2e-4, "{v}, {y}");
        assert!((v.x - 4.0).abs() < 4e-3, "{v}");
    }
}

/// On a cap, on a side, and a cone on its base.
#[test]
fn what_stands_or_lies_keeps_still() {
    let slab = Collider::cuboid([5.0, 0.5, 5.0]).at([0.0, -0.5, 0.0]);
    for (what, floor) in [("a half space", Collider::ground()), ("a box", slab)] {
        let mut scene = Scene::new();
        scene.add_collider(floor.friction(0.6));
        let bodies = [
            ("a cylinder on its cap", RigidBody::cylinder(0.3, 0.5).at([0.0, 0.5, 0.0])),
            ("a coin on its cap", RigidBody::cylinder(0.3, 0.02).at([-2.0, 0.02, 0.0])),
            ("a cylinder on its side", on_its_side(RigidBody::cylinder(0.3, 0.5)).at([2.0, 0.3, 0.0])),
            ("a cone on its base", RigidBody::cone(0.3, 0.4).at([0.0, 0.4, 2.0])),
            ("a cylinder on a cylinder", RigidBody::cylinder(0.3, 0.2).at([0.02, 1.2, 0.01])),
        ];
        let ids: Vec<_> = bodies.iter().map(|(_, body)| scene.add_rigid(body.clone().friction(0.6))).collect();
        let mut solver = Solver::new(&scene).unwrap();
        let starts: Vec<_> = ids.iter().map(|&id| pose(&solver, id)).collect();
        run(&mut solver, 10.0);
        for ((&id, start), (body, _)) in ids.iter().zip(&starts).zip(&bodies) {
            let end = pose(&solver, id);
            let [v, w] = solver.state().rigid_velocity(solver.plan(), id);
            assert!(v.length() < 1e-3 && w.length() < 5e-3, "{body} on {what}: {v} m/s, {w} rad/s");
            for k in 0..3 {
                assert!((end.position()[k] - start.position()[k]).abs() < 1e-3, "{body} on {what}: {end:?}");
            }
        }
    }
}

/// A cone that lies on its side rolls in a circle about its tip: without slipping and with little loss, the axis goes
/// round with w r / (l cos a), w its spin.
#[test]
fn a_cone_rolls_about_its_tip() {
    let (radius, half_height) = (0.3f64, 0.5f64);
    let half_angle = (radius / (2.0 * half_height)).atan();
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground().friction(2.0));
    // The tip at the origin, the axis along -x, raised until the side is level; the side's line along x.
    let slant = radius.hypot(2.0 * half_height);
    let angle = std::f64::consts::FRAC_PI_2 + half_angle;
    let body = RigidBody::cone(radius as f32, half_height as f32).turned([0.0, 0.0, 1.0], angle).friction(2.0);
    let axis = [-half_angle.cos(), -half_angle.sin()];
    let centre = [-axis[0] * half_height, -axis[1] * half_height];
    // Turning about the vertical through the tip with W, and about the line of contact with -W / tan a: that line does
    // not move.
    let turn = 1.0;
    let spin = -turn / half_angle.tan();
    let body = body.at([centre[0] as f32, centre[1] as f32, 0.0]);
    let body = body.angular_velocity([spin, 0.0, 0.0]);
    let mass_centre = [-axis[0] * 1.5 * half_height, -axis[1] * 1.5 * half_height];
    // v = w x r, w along x.
    let body = body.velocity([0.0, 0.0, spin * mass_centre[1]]);
    let id = scene.add_rigid(body);
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 1.0);
    let end = pose(&solver, id);
    let [x, _, z] = end.position().to_array();
    let gone = (-z).atan2(x).abs();
    assert!((gone / turn - 1.0).abs() < 0.03, "{gone} rad for {turn}");
    let [x, y, z, w] = end.rotation().to_array();
    let up = [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)];
    let tip: [f64; 3] = std::array::from_fn(|k| end.position()[k] + half_height * up[k]);
    assert!(tip.iter().all(|c| c.abs() < 0.01 * slant), "the tip has gone to {tip:?}");
}

/// Cylinders and cones among all other shapes come to rest.
#[test]
fn cylinders_and_cones_come_to_rest_in_a_heap() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground().friction(0.6));
    for [x, z] in [[2.1f32, 0.0], [-2.1, 0.0], [0.0, 2.1], [0.0, -2.1]] {
        let half = if x != 0.0 { [0.1, 2.0, 2.0] } else { [2.0, 2.0, 0.1] };
        scene.add_collider(Collider::cuboid(half).at([x, 2.0, z]));
    }
    scene.add_collider(Collider::cone(0.4, 0.4).at([0.5, 0.4, 0.5]));
    scene.add_collider(Collider::cylinder(0.3, 0.3).at([-0.6, 0.3, -0.4]));
    let mut ids = Vec::new();
    for k in 0..48u8 {
        let body = match k % 6 {
            0 => RigidBody::cylinder(0.25, 0.15),
            1 => RigidBody::cone(0.25, 0.25),
            2 => RigidBody::cylinder(0.12, 0.4),
            3 => RigidBody::sphere(0.2),
            4 => RigidBody::cuboid([0.2, 0.15, 0.25]),
            _ => RigidBody::capsule(0.12, 0.2),
        };
        let (column, level) = (k % 9, k / 9);
        let at = [f32::from(column % 3) - 1.0, 1.2 + 0.7 * f32::from(level), f32::from(column / 3) - 1.0];
        ids.push(scene.add_rigid(body.turned([1.0, 0.3, 0.2], f64::from(k)).at(at).friction(0.6).angular_damping(0.5)));
    }
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 12.0);
    let mut rattle = 0;
    for (k, &id) in ids.iter().enumerate() {
        let [x, y, z] = pose(&solver, id).position().to_array();
        let [v, _] = solver.state().rigid_velocity(solver.plan(), id);
        // A ball that was hit last rolls on; a cone or cylinder that leans on three others may rattle for a while.
        assert!(x.abs() < 2.0 && z.abs() < 2.0 && y > 0.05 && v.length() < 0.3, "{k}: {x}, {y}, {z}, {v}");
        rattle += usize::from(v.length() > 0.1);
    }
    assert!(rattle <= 2, "{rattle} of {}", ids.len());
}

/// A ring rests on its tube, flat and on its rim, and a ball passes through it.
#[test]
fn a_ring_rests_on_its_tube_and_is_open_in_the_middle() {
    let mut scene = Scene::new();
    scene.add_collider(seidel::Collider::ground());
    let flat = scene.add_rigid(RigidBody::torus(0.5, 0.1).at([0.0, 0.15, 0.0]));
    let ball = scene.add_rigid(RigidBody::sphere(0.3).at([0.0, 1.0, 0.0]).density(10.0));
    let large = scene.add_rigid(RigidBody::sphere(0.8).at([5.0, 1.5, 0.0]).density(10.0));
    let under = scene.add_rigid(RigidBody::torus(0.5, 0.1).at([5.0, 0.15, 0.0]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 3.0);
    let height = |body| solver.state().rigid_pose(solver.plan(), body).position()[1];
    assert!(
        (height(flat) - 0.1).abs() < 2e-3 && (height(under) - 0.1).abs() < 2e-3,
        "{} {}",
        height(flat),
        height(under)
    );
    assert!((height(ball) - 0.3).abs() < 2e-3, "{}", height(ball));
    // On the ring: the square of its height above its middle is (0.8 + 0.1)^2 - 0.5^2.
    let on = 0.1 + (0.81f64 - 0.25).sqrt();
    assert!((height(large) - on).abs() < 0.02, "{} for {on}", height(large));
    let [v, w] = solver.state().rigid_velocity(solver.plan(), large);
    assert!(v.length() < 0.02 && w.length() < 0.1, "{v} {w}");
}

/// An L stands in an L: what is in its corner is outside of it.
#[test]
fn the_inside_of_a_mesh_is_met_by_convex_pieces() {
    let rim = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0f32]];
    let positions: Vec<[f32; 3]> = [-0.5, 0.5f32].iter().flat_map(|&z| rim.map(|[x, y]| [x, y, z])).collect();
    let cap = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5u32]];
    let mut triangles: Vec<[u32; 3]> = cap.iter().map(|&[a, b, c]| [a, c, b]).collect();
    triangles.extend(cap.map(|t| t.map(|v| v + 6)));
    for k in 0..6 {
        let n = (k + 1) % 6;
        triangles.extend([[k, n, n + 6], [k, n + 6, k + 6]]);
    }
    let mesh = seidel::Mesh { positions, triangles };
    let sdf = std::sync::Arc::new(seidel::collider::Sdf::from_mesh(&mesh, 0.1).unwrap());
    let mut scene = Scene::new();
    scene.add_collider(seidel::Collider::ground());
    let angle = scene.add_rigid(RigidBody::sdf(sdf).at([0.0, 0.02, 0.0]).mass(100.0));
    let ball = scene.add_rigid(RigidBody::sphere(0.3).at([1.6, 2.0, 0.0]).mass(1.0));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 3.0);
    let at = |body| solver.state().rigid_pose(solver.plan(), body).position();
    // On the lower arm, whose top is at 1.
    assert!((at(ball)[1] - 1.3).abs() < 0.01, "{:?}", at(ball));
    assert!(at(angle).abs().max_element() < 0.01, "{:?}", at(angle));
}

/// A closed surface about y of a closed outline [radius, height], counter-clockwise with the radius to the right and
/// the height up.
fn turned(outline: &[[f64; 2]], around: u32) -> Mesh {
    let point = |i: u32, [r, y]: [f64; 2]| {
        let (s, c) = (f64::from(i % around) / f64::from(around) * std::f64::consts::TAU).sin_cos();
        [r * c, y, -r * s].map(|x| x as f32)
    };
    let count = outline.len() as u32;
    // All points of the axis are one, or its triangles would have no area.
    let place = |i: u32, k: u32| {
        if outline[(k % count) as usize][0] == 0.0 { k % count } else { i % around * count + k % count }
    };
    let positions = (0..around).flat_map(|i| outline.iter().map(move |&at| point(i, at))).collect();
    let mut triangles = Vec::new();
    for (i, k) in (0..around).flat_map(|i| (0..count).map(move |k| (i, k))) {
        let [a, b, c, d] = [place(i, k), place(i + 1, k), place(i + 1, k + 1), place(i, k + 1)];
        triangles.extend([[a, b, c], [a, c, d]].into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
    }
    Mesh { positions, triangles }
}

/// A bowl of half a metre with walls of 6 cm.
fn bowl() -> Mesh {
    let arc = |radius: f64, k: u32| {
        let (s, c) = (f64::from(k) / 12.0 * std::f64::consts::FRAC_PI_2).sin_cos();
        [radius * s, -radius * c]
    };
    let outer = (0..=12).map(|k| arc(0.5, k));
    let inner = (0..=12).rev().map(|k| arc(0.44, k));
    let outline: Vec<[f64; 2]> = outer.chain(inner).map(|[r, y]| [if r < 1e-9 { 0.0 } else { r }, y]).collect();
    turned(&outline, 32)
}

/// A bowl has the mass of its wall, not of its pieces; balls that fall into it stay there, above its wall.
#[test]
fn balls_fall_into_a_bowl() {
    let mesh = bowl();
    let mut scene = Scene::new();
    // It stands in a ring.
    scene.add_collider(Collider::torus(0.4, 0.1).friction(0.8));
    let body = RigidBody::mesh(&mesh, 0.02).unwrap().friction(0.8);
    let bowl = scene.add_rigid(body.clone().at([0.0, 0.45, 0.0]));
    // What rolls rolls on.
    let ball = RigidBody::sphere(0.1).angular_damping(1.0);
    let balls: Vec<_> =
        (0..3).map(|k| scene.add_rigid(ball.clone().at([0.05 * k as f32, 0.5 + 0.25 * k as f32, 0.02]))).collect();
    // 2/3 pi (0.5^3 - 0.44^3) m^3, less what 32 sides and 12 segments lack.
    let mut alone = Scene::new();
    alone.settings.gravity = Vec3::ZERO;
    alone.add_rigid(body.clone().velocity([1.0, 0.0, 0.0]));
    let alone = Solver::new(&alone).unwrap();
    let mass = 2.0 * alone.plan().energies(alone.state())[0];
    let want = 2000.0 / 3.0 * std::f64::consts::PI * (0.5f64.powi(3) - 0.44f64.powi(3));
    assert!((mass / want - 1.0).abs() < 0.02, "{mass} of {want}");
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 4.0);
    let at = |body| pose(&solver, body);
    let tilt = at(bowl).transform_vector(DVec3::Y).y;
    assert!(tilt > 0.98, "{:?}", at(bowl));
    for ball in balls {
        // At most 0.44 - 0.1 from the bowl's middle, and below its rim.
        let x = at(ball).position() - at(bowl).position();
        let out = x.length();
        assert!(out < 0.36 && x[1] < 0.0, "{x:?}, {out}");
        let [v, _] = solver.state().rigid_velocity(solver.plan(), ball);
        assert!(v.length() < 0.05, "{v}");
    }
    // Pictures and queries have the mesh: down the middle is the inner wall.
    let queries = Queries::new(solver.plan(), solver.state()).unwrap();
    let look = Look::default();
    let down = Ray::new([0.0, 3.0, 0.25], [0.0, -1.0, 0.0], 9.0);
    let hit = queries.ray(&down, &look).unwrap().unwrap();
    assert_eq!(hit.target, Target::Rigid(bowl));
}

/// A ring of triangles hangs on a peg that goes through it.
#[test]
fn a_ring_hangs_on_a_peg() {
    let circle: Vec<[f64; 2]> = (0..12)
        .map(|k| {
            let (s, c) = (f64::from(k) / 12.0 * std::f64::consts::TAU).sin_cos();
            [0.5 + 0.1 * c, 0.1 * s]
        })
        .collect();
    for pieces in [32, 64] {
        let mut scene = Scene::new();
        let peg = Collider::cuboid([0.05, 0.05, 1.0]).friction(0.8);
        scene.add_collider(peg);
        let limits = Decomposition::default().pieces(pieces);
        let body = RigidBody::mesh(&turned(&circle, 32), 0.04).unwrap().decomposition(limits).friction(0.8);
        let upright = body.turned([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2).at([0.0, -0.3, 0.0]);
        let ring = scene.add_rigid(upright.angular_damping(0.5));
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 4.0);
        // Its inner radius is 0.4, and the peg's top at 0.05.
        let [x, y, z] = pose(&solver, ring).position().to_array();
        assert!((y + 0.35).abs() < 0.03 && x.abs() < 0.05 && z.abs() < 0.05, "{pieces} pieces: {x}, {y}, {z}");
    }
}

/// Pieces and their vertices are within their limits, which are checked.
#[test]
fn a_decomposition_has_its_limits() {
    let plan = |limits: Decomposition| {
        let mut scene = Scene::new();
        scene.add_rigid(RigidBody::mesh(&bowl(), 0.02).unwrap().decomposition(limits).named("bowl"));
        seidel::Plan::new(&scene)
    };
    let limits = Decomposition::default();
    for (limits, text) in [
        (limits.pieces(0), "body `bowl`: pieces is 0, which is not within 1 .. 256"),
        (limits.vertices(7), "vertices of a piece is 7, which is not within 8 .. 98"),
        (limits.concavity(f64::NAN), "concavity of a piece is NaN, which is not within 0 .. 1"),
    ] {
        let error = plan(limits).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    let ids = [limits, limits.pieces(4), limits.vertices(8)].map(|limits| plan(limits).unwrap().id());
    assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2]);
    let coarse = RigidBody::mesh(&Mesh::of_balls(&[[0.0, 0.0, 0.0, 0.2]], 0.05).unwrap(), 5.0).unwrap_err().to_string();
    assert!(coarse.contains("cells of 5 m are too wide"), "{coarse}");
}

/// Mass, centre and inertia of a mesh, whatever the shape is.
#[test]
fn a_body_has_the_mass_of_its_solid_and_the_contacts_of_its_shape() {
    let cube = |half: f32| {
        let hull: Vec<[f32; 3]> =
            (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|c| (2.0 * c as f32 - 1.0) * half)).collect();
        seidel::collider::ConvexHull::new(&hull).unwrap().surface().clone()
    };
    let mut scene = Scene::new();
    scene.settings.gravity = glam::Vec3::ZERO;
    let ball = RigidBody::sphere(0.2).solid(cube(0.5)).density(6.0).velocity([1.0, 0.0, 0.0]);
    scene.add_rigid(ball.clone().angular_velocity([0.0, 2.0, 0.0]));
    let solver = Solver::new(&scene).unwrap();
    // 6 kg, 1 kg m^2: not those of the ball.
    let kinetic = solver.plan().energies(solver.state())[0];
    assert!((kinetic - (3.0 + 2.0)).abs() < 1e-9, "{kinetic}");
    let says = |mesh: seidel::Mesh, text: &str| {
        let mut scene = Scene::new();
        scene.add_rigid(ball.clone().solid(mesh).named("it"));
        let error = seidel::Plan::new(&scene).unwrap_err().to_string();
        assert!(error.starts_with("body `it`: the surface that has its mass") && error.contains(text), "{error}");
    };
    let mut open = cube(0.5);
    open.triangles.pop();
    says(open, "is open");
    let mut inwards = cube(0.5);
    inwards.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    says(inwards, "has no volume");
    let mut nan = cube(0.5);
    nan.positions[3][1] = f32::NAN;
    says(nan, "vertex 3");
    let mut beyond = cube(0.5);
    beyond.triangles[0][0] = 99;
    says(beyond, "a vertex 99");
    says(seidel::Mesh { positions: Vec::new(), triangles: Vec::new() }, "has no volume");
}
