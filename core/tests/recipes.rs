//! Recipes: what is too large is refused, also where usize has 32 bits; what is pinned or added reaches the body.

use seidel::{
    Balloon, Body, Cloth, Collider, Constraints, Error, GridPins, Input, Joint, Mesh, Method, Plan, Pressure, Recipe,
    Rod, Rope, Scene, ShapeMatched, ShapeMatching, SoftBody, Solver, Stiffness, TetMesh, VolumeConstraint, kinds,
    limits,
};

fn plan(recipe: impl Into<Recipe>) -> Result<Plan, Error> {
    let mut scene = Scene::new();
    scene.add(recipe);
    Plan::new(&scene)
}

#[test]
fn too_many_particles_are_refused() {
    let limit = limits::MAX_PARTICLES as usize;
    // The second's product and the last's sum are 0 in 32 bits.
    let cloths = [[20_000, 20_000], [65_536, 65_536], [u32::MAX, u32::MAX]].map(|n| plan(Cloth::grid(n, [1.0, 1.0])));
    let ropes = [limits::MAX_PARTICLES, u32::MAX].map(|n| plan(Rope::new([0.0; 3], [1.0, 0.0, 0.0], n)));
    for refused in cloths.into_iter().chain(ropes) {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::TooLarge { got, limit: l } if got > limit && l == limit), "{error}");
    }
}

/// A field in whose mesh no node lies would keep nothing out; what is least is within the limits.
#[test]
fn a_field_that_finds_nothing_is_refused() {
    let made = |cell: f32| {
        let mut spec = seidel_scenes::SceneSpec::default();
        spec.rope.push(seidel_scenes::RopeSpec::default());
        let file = Some("cube.obj".to_owned());
        let shape = seidel_scenes::ShapeSpec::Mesh;
        spec.collider.push(seidel_scenes::ColliderSpec { shape, file, cell: Some(cell), ..Default::default() });
        spec.build(|_| Ok::<seidel_scenes::Geometry, String>(Mesh::cuboid([0.21, 0.31, 0.11], [2; 3]).into()))
            .map(|_| ())
    };
    let error = made(1.0).unwrap_err().to_string();
    assert!(error.contains("cells of 1 m are too wide") && error.contains("1.10e-1 m wide or less"), "{error}");
    assert_eq!(made(0.11).map_err(|e| e.to_string()), Ok(()));
    let sheet = || Cloth::grid([3, 3], [1.0, 1.0]);
    assert!(plan(sheet().density(1e-9)).is_ok() && plan(sheet().density(9.9e-10)).is_err());
}

/// Of a bar and of a tube it is the tetrahedra that are counted: long before there are too many particles.
#[test]
fn too_many_tetrahedra_are_refused() {
    let jellies = [
        (SoftBody::bar([1.0; 3], [141, 141, 141]), "16819326"),
        (SoftBody::bar([1.0; 3], [u32::MAX; 3]), "1.8446744e19"),
        (SoftBody::tube(1.0, [0.5, 0.4], [1 << 21, 1, 3]), "37748736"),
    ];
    for (jelly, count) in jellies {
        let error = jelly.named("it").mesh().unwrap_err().to_string();
        let want =
            format!("body `it`: number of tetrahedra is {count}, which is not at most 16777216: take fewer cells");
        assert_eq!(error, want);
    }
}

#[test]
fn pins_beyond_the_last_are_named() {
    for (recipe, says) in [
        (Recipe::from(Cloth::grid([2, 2], [1.0, 1.0]).named("a").pin(&[4])), "body `a`: pinned vertex 4 does not"),
        (Recipe::from(Rope::new([0.0; 3], [1.0; 3], 3).named("b").pin(&[9])), "body `b`: pinned vertex 9 does not"),
    ] {
        let error = plan(recipe).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (recipe, says) in [
        (
            Recipe::from(Cloth::new(Cloth::grid([3, 3], [1.0, 1.0]).mesh()).named("a").pin_grid(GridPins::Corners)),
            "body `a`: `pin_grid` names a part of a grid",
        ),
        (
            Recipe::from(Rope::new([1.0; 3], [1.0; 3], 3).named("b")),
            "body `b`: length of the rope is 0, which is not above",
        ),
    ] {
        let error = plan(recipe).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// A tube has a spring wherever two of its vertices are neighbours, also over the seam, and its rims are columns.
#[test]
fn a_tube_is_closed_around() {
    let (columns, rows) = (5, 7);
    let tube = Cloth::tube([columns, rows], [0.4, 0.6]).shear(0.1).bend(1e3);
    let families = |cloth: Cloth| plan(cloth).unwrap().families().map(|(kind, n, _)| (kind, n)).collect::<Vec<_>>();
    let around = columns * rows + (columns - 1) * rows;
    // Hinges: edges along x, inner edges around, one diagonal a cell.
    let hinges = (columns - 1) * rows + (columns - 2) * rows + (columns - 1) * rows;
    let all = [("distance", around), ("shear", 2 * (columns - 1) * rows), ("dihedral", hinges)];
    assert_eq!(families(tube.clone()), all.map(|(kind, n)| (kind, n as usize)));
    let rim: Vec<_> =
        tube.grid_part(GridPins::FirstColumn).iter().map(|v| tube.mesh().positions[*v as usize]).collect();
    assert_eq!(rim.len(), rows as usize);
    // Its edges are the girth together, all as long.
    let next = |k: usize| rim[(k + 1) % rim.len()];
    let edges = rim.iter().enumerate().map(|(k, [_, y, z])| (next(k)[1] - y).hypot(next(k)[2] - z));
    assert!(edges.clone().all(|edge| (edge - 0.6 / rows as f32).abs() < 1e-6), "{:?}", edges.collect::<Vec<_>>());
    assert!(rim.iter().all(|[x, ..]| *x == -0.2) && rim[0][1] > 0.0 && rim[0][2] == 0.0, "{rim:?}");
    let error = plan(Cloth::tube([5, 2], [0.4, 0.6]).named("a")).unwrap_err().to_string();
    assert!(error.contains("rows of the grid is 2, which is not 3 or more, of a tube"), "{error}");
}

/// A row between two pins that are moved apart cannot be helped; rows that are not solved hold no energy to count on.
#[test]
fn pins_are_not_stretched() {
    let mut scene = Scene::new();
    let rope = scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 4).stretch(1e-3).pin(&[0, 1]));
    scene.settings.gravity = [0.0; 3].into();
    let mut solver = Solver::new(&scene).unwrap();
    solver.step(&Input::frame(1e-3).pin(rope, 0, [-1.0, 0.0, 0.0]));
    let measured = solver.measure();
    assert!(measured.max_stretch < 1e-6 && measured.constraint_error < 1e-9, "{measured:?}");
}

/// A game may begin with nothing in its world, or with the ground alone.
#[test]
fn a_scene_without_bodies_is_stepped() {
    let mut scenes = [Scene::new(), Scene::new(), Scene::new()];
    scenes[1].add_collider(Collider::ground());
    scenes[2].add_collider(Collider::sphere(0.5));
    scenes[2].settings.iterations = 3;
    scenes[2].settings.method = Method::JACOBI;
    for scene in &scenes {
        let mut solver = Solver::new(scene).unwrap();
        for _ in 0..3 {
            let report = solver.step(&Input::frame(1.0 / 60.0));
            assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
        }
        assert!((solver.state().time() - 0.05).abs() < 1e-6);
        let measured = solver.measure();
        assert_eq!((solver.plan().particles(), measured.kinetic), (0, 0.0), "{measured:?}");
        assert_eq!(solver.plan().families().count(), 0);
    }
}

/// What a recipe is made of may turn out to be nothing.
#[test]
fn recipes_of_nothing_are_refused() {
    let (mesh, solid) = (Mesh::default(), TetMesh::default());
    let points = Mesh { positions: vec![[0.0; 3]; 3], triangles: Vec::new() };
    let cases = [
        (plan(Cloth::new(&mesh)), "body `body-0`: number of triangles is 0, which is not 1 or more"),
        (plan(Cloth::new(&points)), "body `body-0`: number of triangles is 0, which is not 1 or more"),
        (plan(Balloon::new(&mesh)), "body `body-0`: number of triangles is 0, which is not 1 or more"),
        (plan(ShapeMatched::new(&mesh)), "body `body-0`: number of vertices is 0, which is not 1 or more"),
        (plan(SoftBody::new(&solid)), "body `body-0`: number of tetrahedra is 0, which is not 1 or more"),
        (
            plan(SoftBody::bar([1.0; 3], [1; 3]).skin(&mesh)),
            "body `body-0`: number of triangles of the skin is 0, which is not 1 or more",
        ),
    ];
    for (planned, says) in cases {
        assert_eq!(planned.unwrap_err().to_string(), says);
    }
}

#[test]
fn rows_of_one_s_own_join_a_recipe_s() {
    let tether = |at| Constraints::measured(kinds::ROPE, at, Stiffness::compliance(0.0));
    let families = |plan: &Plan| plan.families().map(|(kind, rows, _)| (kind, rows)).collect::<Vec<_>>();
    let cloth = plan(Cloth::grid([3, 3], [1.0, 1.0]).constrain(tether(vec![0, 8, 2, 6]))).unwrap();
    assert_eq!(families(&cloth), [("distance", 20), ("rope", 2)]);
    let rope = plan(Rope::new([0.0; 3], [1.0; 3], 4).constrain(tether(vec![0, 4]))).unwrap();
    assert_eq!(families(&rope), [("distance", 4), ("rope", 1)]);
    let error = plan(Rope::new([0.0; 3], [1.0; 3], 4).constrain(tether(vec![0, 5]))).unwrap_err().to_string();
    assert!(error.contains("kind `rope` row 0: vertex 5 does not exist"), "{error}");
}

/// Rows of the user's own, pinned vertices and joints count in what a scene needs; it is refused before a row of it is
/// planned.
#[test]
fn rows_pins_and_joints_need_memory() {
    const COUNT: usize = 100_000;
    let rows = || Constraints::new(kinds::DISTANCE, [0, 5].repeat(COUNT), vec![0.1; COUNT], Stiffness::compliance(0.0));
    let ball = || Mesh::ball(0.2, 1);
    let (from, to) = ([0.0; 3], [1.0, 0.0, 0.0]);
    let both: [[Recipe; 2]; 6] = [
        [Cloth::grid([4, 4], [1.0, 1.0]).into(), Cloth::grid([4, 4], [1.0, 1.0]).constrain(rows()).into()],
        [Rope::new(from, to, 8).into(), Rope::new(from, to, 8).constrain(rows()).into()],
        [Rod::new(from, to, 8).into(), Rod::new(from, to, 8).constrain(rows()).into()],
        [SoftBody::bar([1.0; 3], [2; 3]).into(), SoftBody::bar([1.0; 3], [2; 3]).constrain(rows()).into()],
        [Balloon::new(ball()).into(), Balloon::new(ball()).constrain(rows()).into()],
        [ShapeMatched::new(ball()).into(), ShapeMatched::new(ball()).constrain(rows()).into()],
    ];
    for [without, with] in both {
        let more = with.need().bytes - without.need().bytes;
        assert!(more >= 50 * COUNT as u64, "{}: {more}", without.name());
        let mut scene = Scene::new();
        scene.settings.memory = 3_000_000;
        scene.add(with);
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert!(error.contains("3.0 MB are allowed: use fewer rows of constraints, or allow more"), "{error}");
    }
    let mut scene = Scene::new();
    let [a, b] = [(); 2].map(|()| scene.add(Cloth::grid([4, 4], [1.0, 1.0]).pin(&[3; 1000])));
    let before = scene.need().bytes;
    scene.join(Joint::points(a, b, &[[0, 0]; 1000]));
    assert!(scene.need().bytes >= before + 50_000);
}

/// Tetrahedra, matched shapes and volumes of a body that is put together by hand count as those of a recipe's do.
#[test]
fn tetrahedra_and_shapes_of_a_bare_body_need_memory() {
    const COUNT: usize = 10_000;
    let points = || Body::particles(vec![[0.0; 3]; 16], vec![1.0; 16]);
    let before = Recipe::from(points()).need().bytes;
    let more = |body: Body| Recipe::from(body).need().bytes - before;
    let mut solid = points();
    solid.tets = vec![[0, 1, 2, 3]; COUNT].into();
    assert!(more(solid) >= 32 * COUNT as u64);
    let mut matched = points();
    matched.matched_shapes =
        vec![ShapeMatching::new((0..16).collect(), vec![1.0; 16], Stiffness::compliance(0.0)); COUNT];
    assert!(more(matched) >= 16 * 12 * COUNT as u64);
    let mut held = points();
    let triangles = vec![[0, 1, 2]; COUNT];
    held.volumes = vec![VolumeConstraint::new(triangles, Stiffness::compliance(0.0), Pressure::constant(1.0))];
    assert!(more(held) >= 12 * COUNT as u64);
}
