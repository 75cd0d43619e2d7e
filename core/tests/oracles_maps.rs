//! Oracle: numbers by vertex. Springs in series, masses that add up, friction and thickness that neighbours do not
//! share; and the same bits where all vertices have one number.

use crate::runs;
use crate::runs::{FRAME, G, particles, positions, run};
use seidel::mesh::{Mesh, VertexMaps};
use seidel::{
    Balloon, Cloth, Collide, Collider, Error, GridPins, Input, Joint, Obstacle, Plan, Pose, Rod, Rope, Scene, SoftBody,
    SolidModel, Solver, Stiffness, Tether, Values,
};

/// Numbers for a grid of two columns whose first rows have the first of two, and the others the second.
fn halves(rows: usize, first: usize, numbers: [f32; 2]) -> Vec<f32> {
    (0..2 * rows).map(|v| numbers[usize::from(v / 2 >= first)]).collect()
}

/// A strip hangs from its first row with a heavy hem. One half is 100 times as soft as the other: each stretches as a
/// spring of its own under the weight below it, and the link between the halves has the mean of both compliances.
#[test]
fn a_strip_of_two_halves_stretches_as_springs_in_series() {
    const ROWS: usize = 9;
    let compliance = [2e-3, 0.2];
    let mut density = vec![0.5; 2 * ROWS];
    density[2 * ROWS - 2..].fill(4.0);
    let strip =
        Cloth::grid([2, ROWS as u32], [0.1, 0.8]).pin_grid(GridPins::FirstRow).density(density).linear_damping(10.0);
    let strip = strip.stretch(Values::PerVertex(halves(ROWS, 4, compliance))).shear(1e9);
    let mut scene = Scene::new();
    (scene.settings.gravity, scene.settings.substeps) = ([0.0, 0.0, G as f32].into(), 100.into());
    let id = scene.add(strip);
    let mut solver = Solver::new(&scene).unwrap();
    let masses: Vec<f64> =
        solver.plan().inv_masses(id).iter().map(|w| if *w > 0.0 { 1.0 / f64::from(*w) } else { 0.0 }).collect();
    run(&mut solver, 240, FRAME);
    let x = positions(&solver, id);
    for v in 0..2 * (ROWS - 1) {
        // Nothing but the columns bears weight, each its own.
        let force = masses[v + 2..].iter().step_by(2).sum::<f64>() * G;
        let ends = [v, v + 2].map(|v| f64::from(compliance[usize::from(v / 2 >= 4)]));
        let wanted = force * (ends[0] + ends[1]) / 2.0;
        let stretched = x[v + 2][2] - x[v][2] - 0.1;
        assert!((stretched / wanted - 1.0).abs() < 0.02, "link {v} is {stretched} m longer, and should be {wanted}");
    }
}

/// Between a first and a last row that are too near to each other, the row in the middle divides the compression as the
/// compliances of its two links, which are means of their vertices'.
#[test]
fn compression_by_vertex_is_that_of_the_row() {
    let shares = |compress: Values| {
        let mut scene = Scene::new();
        (scene.settings.gravity, scene.settings.substeps) = ([0.0; 3].into(), 200.into());
        let strip = Cloth::grid([2, 3], [0.1, 0.2]).pin_grid(GridPins::FirstRow).pin_grid(GridPins::LastRow);
        let id = scene.add(strip.stretch(1e-7).compress(compress).shear(1e9).linear_damping(100.0));
        let mut solver = Solver::new(&scene).unwrap();
        let mut x: Vec<_> = solver.positions(id).to_vec();
        x[4..].iter_mut().for_each(|x| x.z -= 0.02);
        let plan = solver.plan().clone();
        solver.state_mut().write_positions(&plan, id, &x).unwrap();
        run(&mut solver, 60, FRAME);
        let x = positions(&solver, id);
        [0, 2].map(|v| 0.1 - (x[v + 2][2] - x[v][2]))
    };
    let [stiff, soft] = shares(Values::PerVertex(halves(3, 2, [0.01, 0.03])));
    assert!((soft / stiff - 2.0).abs() < 0.01 && (stiff + soft - 0.02).abs() < 1e-6, "{stiff} and {soft} m");
    let [one, other] = shares(vec![0.01, 0.01, 0.01, 0.02, 0.02, 0.04, 0.04].into());
    assert!((other / one - 2.0).abs() < 0.01, "{one} and {other} m, by row");
}

#[test]
fn masses_by_vertex_add_up() {
    let mass = |plan: &Plan| {
        let masses = plan.inv_masses(plan.body_ids().next().unwrap());
        masses.iter().map(|w| 1.0 / f64::from(*w)).sum::<f64>()
    };
    let planned = |recipe: seidel::Recipe| {
        let mut scene = Scene::new();
        scene.add(recipe);
        Plan::new(&scene).unwrap()
    };
    let mesh = Mesh::ball(0.3, 2);
    let density: Vec<f32> = mesh.positions.iter().map(|p| 1.0 + p[0] + 2.0 * p[1] * p[1]).collect();
    let mean =
        |corners: &[u32]| corners.iter().map(|&v| f64::from(density[v as usize])).sum::<f64>() / corners.len() as f64;
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize].map(f64::from));
        let (e, f) = (crate::runs::sub(b, a), crate::runs::sub(c, a));
        0.5 * crate::runs::norm(crate::runs::cross(e, f))
    };
    let wanted: f64 = mesh.triangles.iter().map(|t| area(t) * mean(t)).sum();
    for recipe in
        [Cloth::new(&mesh).density(density.clone()).into(), Balloon::new(&mesh).density(density.clone()).into()]
    {
        let got = mass(&planned(recipe));
        assert!((got / wanted - 1.0).abs() < 1e-6, "{got} kg and not {wanted}");
    }
    let solid = SoftBody::bar([1.0, 0.2, 0.2], [5, 1, 1]);
    let tets = solid.mesh().unwrap();
    let density: Vec<f32> = tets.positions.iter().map(|p| 1000.0 + 900.0 * p[0]).collect();
    let wanted: f64 = tets
        .tets
        .iter()
        .zip(tets.volumes())
        .map(|(t, volume)| volume * t.iter().map(|&v| f64::from(density[v as usize])).sum::<f64>() / 4.0)
        .sum();
    let got = mass(&planned(solid.density(density).into()));
    assert!((got / wanted - 1.0).abs() < 1e-6, "{got} kg and not {wanted}");
}

/// A plane that is tilted by 30 degrees about z, with a friction of 1: what has a friction of 1 rests on it.
fn slope() -> Collider {
    Collider::ground().friction(1.0).turned([0.0, 0.0, 1.0], seidel::degrees(-30.0))
}

/// Of two particles on a slope the one without friction slides by g sin(t) t^2 / 2, and its neighbour stays.
#[test]
fn a_vertex_without_friction_slides_and_its_neighbour_sticks() {
    let mut scene = Scene::new();
    let mut body = particles(&[[0.0; 3], [0.0, 0.0, 0.1]], &[1.0, 1.0]);
    body.friction = vec![0.0, 1.0].into();
    let id = scene.add(body);
    scene.add_collider(slope());
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 30, FRAME);
    let x = positions(&solver, id);
    let way = |v: usize| crate::runs::norm([x[v][0], x[v][1], 0.0]);
    let wanted = G * 0.5 * 0.25 / 2.0;
    assert!((way(0) / wanted - 1.0).abs() < 0.02, "it slides by {} m, and should by {wanted}", way(0));
    assert!(way(1) < 1e-5, "its neighbour slides by {} m", way(1));
}

/// Particles on a plane, which has a thickness of its own beside theirs.
#[test]
fn particles_rest_at_their_own_thickness() {
    let mut scene = Scene::new();
    let mut body = particles(&[[0.0, 0.2, 0.0], [0.5, 0.2, 0.0], [1.0, 0.2, 0.0]], &[1.0; 3]);
    body.thickness = vec![0.0, 0.02, 0.05].into();
    let id = scene.add(body);
    scene.add_collider(Collider::ground().thickness(0.01));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 60, FRAME);
    for (x, wanted) in positions(&solver, id).iter().zip([0.01, 0.03, 0.06]) {
        assert!((x[1] - wanted).abs() < 1e-5, "it rests at {} m, and should at {wanted}", x[1]);
    }
    assert!(solver.plan().max_penetration(solver.state()) < 1e-5);
    solver.record_contacts(true).unwrap();
    solver.step(&Input::frame(FRAME));
    let touched: Vec<f32> = solver.contacts().map(|contact| contact.point.y).collect();
    assert!(touched.len() == 3 && touched.iter().all(|y| y.abs() < 1e-5), "{touched:?}");
    assert_eq!(solver.plan().thickness(id), 0.05, "the largest");
}

/// Triangles keep the mean of their corners' thicknesses from a ball.
#[test]
fn triangles_keep_the_mean_thickness() {
    let mut scene = Scene::new();
    let mut body = particles(&[[-1.0, 0.4, -0.7], [1.0, 0.4, -0.7], [0.0, 0.4, 1.4]], &[1.0; 3]);
    (body.triangles, body.thickness) = (vec![[0, 1, 2]].into(), vec![0.01, 0.02, 0.06].into());
    body.constraints = vec![crate::runs::all_pairs(3)];
    let id = scene.add(body);
    scene.add_collider(Collider::sphere(0.2).friction(0.0));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 40, FRAME);
    let height = positions(&solver, id).iter().map(|x| x[1]).sum::<f64>() / 3.0;
    assert!((height - 0.23).abs() < 2e-3, "its middle is {height} m high, and should be 0.23");
}

/// Two triangles of one body lie on a tilted obstacle: one has no friction and slides, the other has some and stays.
#[test]
fn friction_by_vertex_is_that_between_bodies() {
    let mut scene = Scene::new();
    let turn = |p: [f32; 3]| {
        let pose = Pose::default().turned([0.0, 0.0, 1.0], seidel::degrees(-30.0));
        pose.transform_point(p.map(f64::from)).as_vec3().to_array()
    };
    let board = [[-2.0, 0.0, -2.0], [-2.0, 0.0, 2.0], [2.0, 0.0, -2.0], [2.0, 0.0, 2.0]].map(turn).to_vec();
    let board = Mesh { positions: board, triangles: vec![[0, 1, 2], [2, 1, 3]] };
    scene.add(Obstacle::new(&board).friction(1.0).named("board"));
    let triangle =
        |z: f32| [[0.0, 0.011, z], [0.0, 0.011, z + 0.2], [0.2, 0.011, z]].map(turn).map(|p| p.map(f64::from));
    let points = [triangle(-0.5), triangle(0.3)].concat();
    let mut body = particles(&points, &[1.0; 6]);
    body.triangles = vec![[0, 1, 2], [3, 4, 5]].into();
    body.constraints = vec![crate::runs::all_pairs(3)];
    let mut other = crate::runs::all_pairs(3);
    other.at.iter_mut().for_each(|v| *v += 3);
    body.constraints.push(other);
    (body.thickness, body.collide) = (0.01_f32.into(), Collide::Others);
    body.friction = vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0].into();
    let id = scene.add(body);
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 30, FRAME);
    let x = positions(&solver, id);
    let way = |v: usize| crate::runs::norm(crate::runs::sub(x[v], points[v]));
    assert!((0.4..0.65).contains(&way(0)), "without friction it slides by {} m", way(0));
    assert!(way(3) < 0.01, "with friction it slides by {} m", way(3));
}

/// A cloth over a ball and on itself, by numbers for all and by the same numbers for each vertex.
#[test]
fn one_number_for_each_vertex_is_one_for_all() {
    fn hash(scene: &Scene, iterations: u32) -> u64 {
        let mut scene = scene.clone();
        scene.settings.iterations = iterations;
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 20, FRAME);
        solver.state().hash()
    }
    let ball = || Collider::sphere(0.2).at([0.0, -0.25, 0.03]).friction(0.4);
    let cloth = |of: &dyn Fn(f32) -> Values, thickness: Values, collide: Collide| {
        let mut scene = Scene::new();
        let cloth = Cloth::grid([14, 14], [0.6, 0.6]).density(of(0.3)).stretch(of(1e-5)).compress(of(1e-3));
        let cloth = cloth.shear(of(3e-4)).bend(of(700.0)).friction(of(0.37)).thickness(thickness).collide(collide);
        scene.add(cloth.pin_grid(GridPins::FirstRowCorners));
        scene.add_collider(ball());
        scene.add_collider(Collider::ground().at([0.0, -0.5, 0.0]));
        scene.add_collider(Collider::capsule(0.05, 0.2).at([0.3, -0.2, 0.1]));
        scene
    };
    let each = |value: f32| Values::PerVertex(vec![value; 14 * 14]);
    for collide in [Collide::Nothing, Collide::All] {
        for iterations in [1, 2] {
            let plain = hash(&cloth(&Values::Uniform, 0.007.into(), collide), iterations);
            assert_eq!(hash(&cloth(&each, each(0.007), collide), iterations), plain, "{collide:?}, {iterations}");
        }
    }
    for model in [SolidModel::StableNeoHookean, SolidModel::Strain, SolidModel::Springs] {
        let solid = |of: &dyn Fn(f32) -> Values| {
            let mut scene = Scene::new();
            let bar = SoftBody::bar([0.4, 0.2, 0.2], [4, 2, 2]).model(model).young(of(3e4)).density(of(700.0));
            scene.add(bar.friction(of(0.3)).thickness(of(0.004)));
            scene.add_collider(Collider::ground().at([0.0, -0.11, 0.0]));
            scene
        };
        let count = SoftBody::bar([0.4, 0.2, 0.2], [4, 2, 2]).mesh().unwrap().positions.len();
        let each = |value: f32| Values::PerVertex(vec![value; count]);
        assert_eq!(hash(&solid(&each), 1), hash(&solid(&Values::Uniform), 1), "{model:?}");
    }
}

#[test]
fn painted_numbers_are_those_between_two() {
    let linear = Values::painted(&[-1.0, 0.0, 0.25, 1.0, 7.0], 2.0, 6.0);
    assert_eq!(linear, Values::PerVertex(vec![2.0, 2.0, 3.0, 6.0, 6.0]));
    let Values::PerVertex(log) = Values::painted_log(&[0.0, 0.5, 1.0], 1e-6, 1e-2) else { panic!("one a vertex") };
    assert!(
        (log[0] / 1e-6 - 1.0).abs() < 1e-6 && (log[1] / 1e-4 - 1.0).abs() < 1e-6 && (log[2] / 1e-2 - 1.0).abs() < 1e-6
    );
}

#[test]
fn maps_follow_a_repair() {
    // Vertex 1 is where vertex 0 is, and nothing uses vertex 3.
    let positions = vec![[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0], [5.0; 3], [0.0, 1.0, 0.0]];
    let mesh = Mesh { positions, triangles: vec![[1, 2, 4]] };
    let maps = VertexMaps {
        groups: vec![("all".to_owned(), vec![0, 1, 3, 4]), ("gone".to_owned(), vec![3])],
        attributes: vec![("w".to_owned(), vec![1.0, 2.0, 3.0, 4.0, 5.0])],
    };
    let (_, repairs) = mesh.repaired();
    let repaired = maps.repaired(&repairs);
    assert_eq!(repaired.group("all"), Some(&[0, 2][..]));
    assert_eq!(repaired.group("gone"), Some(&[][..]));
    assert_eq!(repaired.attribute("w"), Some(&[1.0, 3.0, 5.0][..]));
}

#[test]
fn numbers_that_fit_nothing_are_refused() {
    let refused = |recipe: seidel::Recipe, wanted: &str| {
        let mut scene = Scene::new();
        scene.add(recipe);
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}\nshould say: {wanted}");
    };
    let cloth = || Cloth::grid([2, 2], [1.0, 1.0]).named("c");
    let three = || Values::PerVertex(vec![0.5; 3]);
    refused(cloth().density(three()).into(), "body `c`: density has 3 entries and should have 4");
    refused(cloth().density(vec![1.0, 1.0, -1.0, 1.0]).into(), "body `c`: density of vertex 2 is -1");
    refused(cloth().friction(three()).into(), "body `c`: friction has 3 entries and should have 4");
    refused(cloth().thickness(vec![0.0, f32::NAN, 0.0, 0.0]).into(), "thickness of vertex 1 is NaN");
    refused(cloth().stretch(three()).into(), "stiffness by vertex has 3 entries and should have 4");
    refused(cloth().compress(three()).into(), "compression by vertex has 3 entries and should have 4");
    refused(cloth().compress(vec![0.1; 9]).into(), "compression has 9 entries and should have 6");
    let negative = Values::PerVertex(vec![0.0, -1.0, 0.0, 0.0]);
    refused(cloth().bend(negative).into(), "compliance of vertex 1 is -1, which is not within 0 .. 1e18");
    let pbd = Stiffness::pbd(Values::PerVertex(vec![0.0, 1.0, 2.0, 0.0]));
    refused(cloth().stretch_by(pbd).into(), "stiffness of vertex 2 is 2, which is not within 0 .. 1");
    let bar = SoftBody::bar([1.0; 3], [1, 1, 1]).named("s");
    refused(bar.clone().young(three()).into(), "body `s`: Young's modulus has 3 entries and should have 8");
    refused(bar.density(three()).into(), "body `s`: density has 3 entries and should have 8");
    // Where there is no vertex to take a number of.
    let mut scene = Scene::new();
    let [a, b] = ["a", "b"].map(|name| scene.add(cloth().named(name)));
    let obstacle = scene.add(Obstacle::new(cloth().mesh()).named("o"));
    let mut joined = scene.clone();
    joined.join(Joint::points(a, b, &[[0, 0]]).stiffness_by(Stiffness::compliance(three())));
    assert!(matches!(Plan::new(&joined), Err(Error::ByVertex { .. })), "{:?}", Plan::new(&joined).err());
    let volume = Balloon::new(Mesh::ball(0.1, 1)).volume_by(Stiffness::compliance(three()));
    refused(volume.into(), "stiffness is given for each vertex");
    let mut solver = Solver::new(&scene).unwrap();
    let input = Input::frame(FRAME).stiffness(a, &seidel::kinds::DISTANCE, Stiffness::compliance(three()));
    let rejected = solver.step(&input).rejected;
    assert!(matches!(rejected, Some(Error::ByVertex { .. })), "{rejected:?}");
    let mut tethered = scene.clone();
    tethered.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 2).tether(Tether::new(obstacle, vec![0], three())));
    assert!(matches!(Plan::new(&tethered), Err(Error::ByVertex { .. })), "{:?}", Plan::new(&tethered).err());
}

/// A rod that is clamped in its middle hangs to both sides: under a small weight by w L^4 / (8 E I), w the weight of a
/// length. Each side has the numbers of its points; the two differ by what their w and E I do.
#[test]
fn a_rod_of_two_halves_bends_as_two_rods() {
    const FREE: usize = 9;
    const COUNT: usize = 2 * FREE + 4;
    let sides = |a: f32, b: f32| -> Vec<f32> { (0..COUNT).map(|v| if v < COUNT / 2 { a } else { b }).collect() };
    let clamp: Vec<u32> = (FREE as u32..FREE as u32 + 4).collect();
    let hang = |rod: Rod| {
        let mut scene = crate::runs::scene(0.0, 60);
        scene.settings.gravity = [0.0, -0.01, 0.0].into();
        let id = scene.add(rod.pin(&clamp).linear_damping(4.0));
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, 600, FRAME);
        let x = positions(&solver, id);
        [-x[0][1], -x[COUNT - 1][1]]
    };
    let rod = || Rod::new([0.0; 3], [0.05 * (COUNT - 1) as f32, 0.0, 0.0], COUNT as u32 - 1);
    let wider = 1.2f64 * 1.2;
    for (what, rod, wanted) in [
        ("density", rod().density(sides(1000.0, 500.0)), 2.0),
        ("modulus", rod().young(sides(1e6, 2e6)), 2.0),
        ("radius", rod().radius(sides(0.005, 0.006)), wider),
    ] {
        let [one, other] = hang(rod);
        println!("{what}: {one} m and {other} m, {} times", one / other);
        assert!(one > 1e-3 && (one / other / wanted - 1.0).abs() < 0.02, "{what}: {one} m and {other} m");
    }
    let same = rod().density(sides(1000.0, 1000.0)).young(sides(1e6, 1e6)).radius(sides(0.005, 0.005));
    assert_eq!(hang(same.thickness(0.005)), hang(rod()), "one number for each is one for all");
}

/// Its mass is that of its segments, each as wide and dense as the mean of its ends, and half of it at either end; for
/// contacts it is as thick as its section.
#[test]
fn a_rod_that_tapers_weighs_what_its_segments_do() {
    let (radius, density) = (vec![0.01, 0.008, 0.004, 0.002], vec![1000.0, 2000.0, 500.0, 800.0]);
    let rod = Rod::new([0.0; 3], [0.3, 0.0, 0.0], 3).radius(radius.clone()).density(density.clone()).named("taper");
    let plan = |rod: Rod| {
        let mut scene = Scene::new();
        scene.add(rod);
        Plan::new(&scene)
    };
    let made = plan(rod.clone()).unwrap();
    let id = made.body_ids().next().unwrap();
    let mean = |of: &[f32], i: usize| (f64::from(of[i]) + f64::from(of[i + 1])) / 2.0;
    let segment = |i: usize| mean(&density, i) * std::f64::consts::PI * mean(&radius, i).powi(2) * 0.1;
    for (v, wanted) in [segment(0), segment(0) + segment(1), segment(1) + segment(2), segment(2)].iter().enumerate() {
        let got = 1.0 / f64::from(made.inv_masses(id)[v]);
        assert!((got / (wanted / 2.0) - 1.0).abs() < 1e-6, "point {v} has {got} kg");
    }
    assert_eq!(made.thickness(id), 0.01, "the largest");
    assert!(plan(rod.clone().collide(Collide::Others)).is_ok(), "one that collides has its thickest point's");
    for (rod, wanted) in [
        (rod.clone().radius(vec![0.01; 3]), "body `taper`: radius has 3 entries and should have 4"),
        (rod.clone().radius(vec![0.01, 0.0, 0.01, 0.01]), "body `taper`: radius of vertex 1 is 0"),
        (rod.young(0.5), "body `taper`: Young's modulus is 0.5, which is not within 1 .. 1e13 Pa"),
    ] {
        let error = plan(rod).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

/// Bodies keep the thickness that they have where they touch: of a sheet that is thin on one side and thick on the
/// other each strip that lies on it keeps its own.
#[test]
fn bodies_keep_the_thickness_of_where_they_touch() {
    const SIDE: u32 = 25;
    let mut scene = runs::scene(9.81, 20);
    let bed = Cloth::grid([SIDE, SIDE], [1.2, 1.2]);
    let thick: Vec<f32> = bed.mesh().positions.iter().map(|x| if x[0] > 0.0 { 0.02 } else { 0.002 }).collect();
    let all: Vec<u32> = (0..SIDE * SIDE).collect();
    scene.add(bed.thickness(thick).collide(Collide::Others).pin(&all));
    let strips = [-0.3, 0.3].map(|x| {
        let strip = Cloth::grid([5, 5], [0.2, 0.2]).thickness(0.001).collide(Collide::Others).linear_damping(5.0);
        scene.add(strip.placed(Pose::at([x, 0.03, 0.0]), 1.0))
    });
    let mut solver = runs::solver(&scene);
    run(&mut solver, 60, FRAME);
    let heights = strips.map(|strip| runs::positions(&solver, strip).into_iter().map(|x| x[1]));
    for (height, kept) in heights.into_iter().zip([0.003, 0.021]) {
        let [least, most] = height.fold([f64::INFINITY, 0.0], |[least, most], y| [least.min(y), most.max(y)]);
        println!("{least:.5} to {most:.5} m, and {kept} m are kept");
        assert!(least > 0.95 * kept && most < 1.1 * kept, "{least} to {most}, not {kept}");
    }
}
