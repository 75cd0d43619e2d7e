//! Scene files of the PositionBasedDynamics library: what each key becomes, and what the scenes do.

use seidel::{BodyId, ClothModel, Collide, Execution, Input, Plan, RigidId, RigidKind, Scale, Solver, Substeps};
use seidel_io::pbd::{self, PbdScene};
use seidel_io::scene;
use seidel_scenes::{RigidJointKindSpec, RigidShapeSpec, ShapeSpec};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A cube of side 1 about the origin.
pub(crate) const CUBE: &str = "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n";

/// Four triangles about a middle, in the plane y = 0; vertex 4 is the middle.
const SHEET: &str = "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv 0 0 0\nf 5 2 1\nf 5 3 2\nf 5 4 3\nf 5 1 4\n";

/// Files in a folder: a scene beside its models.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("cube.obj", CUBE);
        write("sheet.obj", SHEET);
        // A box without a lid.
        write("open.obj", CUBE.trim_end().rsplit_once('\n').unwrap().0);
        write("two.node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n");
        write("two.ele", "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n");
        write("other.ele", "1 4 0\n0 0 1 2 3\n");
        let sphere = seidel::Mesh::ball(1.0, 2);
        seidel_io::mesh::write(&folder.path().join("sphere.obj"), &sphere).unwrap();
        Folder(folder)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("scene.json")
    }

    pub(crate) fn read(&self, json: &str) -> Result<PbdScene, String> {
        pbd::parse(&self.path(), json.as_bytes()).map_err(|e| e.to_string())
    }

    fn plan(&self, spec: &seidel_scenes::SceneSpec) -> Plan {
        let path = self.path();
        let scene = scene::build(path.to_str().unwrap(), spec).unwrap();
        Plan::new(&scene).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Some frames of a scene.
    fn run(&self, json: &str, frames: u32) -> (PbdScene, Solver) {
        let read = self.read(json).unwrap_or_else(|e| panic!("{e}"));
        let plan = Arc::new(self.plan(&read.spec));
        let mut solver = Solver::with(plan, Execution::default().threads(1));
        let input = Input::new((1.0 / read.spec.fps) as f32).unwrap();
        for _ in 0..frames {
            let report = solver.step(&input);
            assert!(report.rejected.is_none() && report.lost.is_none() && report.lost_rigid.is_none(), "{json}");
        }
        (read, solver)
    }
}

fn rigid(solver: &Solver, name: &str) -> RigidId {
    let plan = solver.plan();
    plan.rigid_ids().find(|body| plan.rigid_name(*body) == name).unwrap_or_else(|| panic!("no body {name}"))
}

fn at(solver: &Solver, name: &str) -> [f64; 3] {
    solver.state().rigid_pose(solver.plan(), rigid(solver, name)).position().to_array()
}

fn spin(solver: &Solver, name: &str) -> [f64; 3] {
    solver.state().rigid_velocity(solver.plan(), rigid(solver, name))[1].to_array()
}

fn near(a: f64, b: f64, by: f64) -> bool {
    (a - b).abs() <= by
}

#[test]
fn every_key_of_the_simulation() {
    let folder = Folder::new();
    let body = r#""RigidBodies": [{"geometryFile": "cube.obj", "collisionObjectType": 2}]"#;
    let read = |simulation: &str| folder.read(&format!(r#"{{"Simulation": {{{simulation}}}, {body}}}"#)).unwrap();
    let PbdScene { spec, unknown_keys, notes, rigid_bodies, .. } = read("");
    assert_eq!((spec.fps, spec.frames, spec.gravity), (200.0, 1000, [0.0, -9.81, 0.0]));
    assert_eq!((spec.solver.substeps, spec.solver.iterations), (Substeps::Fixed(5), 1));
    assert!(unknown_keys.is_empty() && notes.is_empty() && rigid_bodies == 1, "{unknown_keys:?} {notes:?}");
    let all = r#""timeStepSize": 0.01, "subSteps": 3, "maxIterations": 4, "maxIterationsV": 9, "velocityUpdateMethod": 1,
        "gravitation": [1, -2, 3.5], "contactTolerance": 0.02, "pause": true, "pauseAt": 2.0, "numberOfStepsPerRenderUpdate": 4,
        "clothSimulationMethod": 1, "clothBendingMethod": 1, "solidSimulationMethod": 1, "cloth_stiffness": 0.5,
        "cloth_xxStiffness": 1, "cloth_yyStiffness": 1, "cloth_xyStiffness": 1, "cloth_xyPoissonRatio": 0.3, "cloth_yxPoissonRatio": 0.3,
        "cloth_bendingStiffness": 0.01, "cloth_normalizeStretch": 0, "cloth_normalizeShear": false, "solid_stiffness": 1.0,
        "solid_poissonRatio": 0.2, "solid_normalizeStretch": 0, "solid_normalizeShear": 0, "exportFPS": 25, "exportOBJ": false,
        "exportPLY": false, "renderTets": false, "renderBVH": -1, "MayaExport": 0, "MayaFPS": 25, "comment": "none""#;
    let PbdScene { spec, unknown_keys, notes, .. } = read(all);
    assert_eq!((spec.fps, spec.frames, spec.gravity), (100.0, 200, [1.0, -2.0, 3.5]));
    assert_eq!((spec.solver.substeps, spec.solver.iterations), (Substeps::Fixed(3), 4));
    assert_eq!(spec.solver.velocity_update, seidel::VelocityUpdate::SecondOrder);
    assert!(unknown_keys.is_empty() && notes.is_empty(), "{unknown_keys:?} {notes:?}");
    // Names that the library had before.
    let old = read(
        r#""maxIter": 7, "maxIterVel": 5, "gravity": [0, -2, 0], "tetModelSimulationMethod": 3,
        "triangleModelSimulationMethod": 1, "triangleModelBendingMethod": 0"#,
    );
    assert_eq!((old.spec.solver.iterations, old.spec.gravity[1]), (7, -2.0));
    assert!(old.unknown_keys.is_empty());
    let taken = [
        ("maxIter", "maxIterations"),
        ("triangleModelSimulationMethod", "clothSimulationMethod"),
        ("triangleModelBendingMethod", "clothBendingMethod"),
        ("tetModelSimulationMethod", "solidSimulationMethod"),
    ];
    let taken = taken.map(|(older, newer)| format!("`Simulation.{older}` is taken as `{newer}`, its newer name"));
    let without_effect = "`Simulation.maxIterVel` is `maxIterationsV`, its newer name, which has no effect";
    assert_eq!(
        (&old.notes[..1], &old.notes[1], &old.notes[2..]),
        (&taken[..1], &without_effect.to_owned(), &taken[1..])
    );
    // Of a name and its older one the newer counts.
    let both = read(r#""maxIter": 7, "maxIterations": 2"#);
    assert_eq!(both.spec.solver.iterations, 2);
    assert_eq!(both.notes, ["`Simulation.maxIter` has no effect: `maxIterations` is there, its newer name"]);
    let stiff = read(
        r#""contactStiffnessRigidBody": 1.0, "contactStiffnessParticleRigidBody": 100, "solid_volumeStiffness": 1"#,
    );
    assert!(stiff.unknown_keys.is_empty() && stiff.notes.len() == 3, "{:?}", stiff.notes);
}

#[test]
fn unknown_keys_are_named_with_their_path_and_stop_nothing() {
    let folder = Folder::new();
    let read = folder.read(
        r#"{"Name": "n", "Weather": 3, "cameraPosition": [1, 2, 3], "Simulation": {"wobble": 1},
        "RigidBodies": [{"geometryFile": "cube.obj", "id": 1, "collisionObjectType": 2, "mood": "good", "comment": "a", "comment": "b"},
                        {"geometryFile": "cube.obj", "id": 2, "isDynamic": 0, "collisionObjectType": 1, "x": [], "density": 3, "density": 4}],
        "TriangleModels": [{"geometryFile": "sheet.obj", "weight": 4}], "TetModels": [{"nodeFile": "two.node", "eleFile": "two.ele", "t": 1}],
        "BallJoints": [{"bodyID1": 1, "bodyID2": 2, "position": [0, 0, 0], "strength": 4}]}"#,
    );
    let read = read.unwrap();
    assert_eq!(
        read.unknown_keys,
        [
            "Simulation.wobble",
            "TriangleModels[0].weight",
            "TetModels[0].t",
            "RigidBodies[0].mood",
            "RigidBodies[1].x",
            "BallJoints[0].strength",
            "Weather"
        ]
    );
    assert_eq!((read.spec.name.as_str(), read.rigid_bodies), ("n", 2));
}

#[test]
fn of_a_key_that_stands_twice_the_last_counts() {
    let folder = Folder::new();
    let read = folder.read(
        r#"{"RigidBodies": [{"geometryFile": "no.obj", "geometryFile": "cube.obj", "density": 0, "density": 7}]}"#,
    );
    assert_eq!(read.unwrap().spec.body[0].density, Some(7.0));
}

#[test]
fn every_key_of_a_triangle_model() {
    let folder = Folder::new();
    let json = r#"{"TriangleModels": [{"id": 3, "geometryFile": "sheet.obj", "translation": [1, 2, 3], "scale": [2, 1, 0.5],
        "rotationAxis": [0, 0, 2], "rotationAngle": 1.5707963267948966, "staticParticles": [0, 4], "restitution": 0.3, "friction": 0.25,
        "comment": "c", "flatShading": 1}], "Simulation": {"contactTolerance": 0.02}}"#;
    let (read, solver) = folder.run(json, 2);
    let cloth = &read.spec.cloth[0];
    assert_eq!((cloth.name.as_str(), cloth.thickness, cloth.restitution), ("cloth-3", Some(0.02), 0.3));
    // Coefficients are added, and the mean of twice both is that.
    assert_eq!((cloth.friction, read.spec.solver.friction_rule), (0.5, seidel::CombineRule::Average));
    assert_eq!((cloth.scale, cloth.collide), (Scale::from([2.0, 1.0, 0.5]), Collide::Nothing));
    let plan = solver.plan();
    let body: BodyId = plan.body_ids().next().unwrap();
    let start = seidel::State::new(plan);
    let mut x = vec![seidel::glam::Vec3::ZERO; 5];
    start.read_positions(plan, body, &mut x);
    // (1, 0, 1) is scaled to (2, 0, 0.5), turned to (0, 2, 0.5), and moved.
    assert!((x[2] - seidel::glam::Vec3::new(1.0, 4.0, 3.5)).length() < 1e-5, "{x:?}");
    let mut w = vec![0.0; 5];
    start.read_inv_masses(plan, body, &mut w);
    assert_eq!(w, [0.0, 1.0, 1.0, 1.0, 0.0], "a kilogram each, and two that stay");
    assert!(read.unknown_keys.is_empty());
}

#[test]
fn every_method_for_cloths_holds_one() {
    let folder = Folder::new();
    for (method, bending) in (0..5).flat_map(|method| (0..4).map(move |bending| (method, bending))) {
        let json = format!(
            r#"{{"Simulation": {{"clothSimulationMethod": {method}, "clothBendingMethod": {bending}, "cloth_stiffness": {}}},
            "TriangleModels": [{{"geometryFile": "sheet.obj", "staticParticles": [0, 1, 2, 3]}}]}}"#,
            if method == 4 { 1e6 } else { 0.9 }
        );
        let (read, solver) = folder.run(&json, 40);
        let body = solver.plan().body_ids().next().unwrap();
        let low = solver.positions(body).iter().map(|x| x.y).fold(0.0, f32::min);
        // In a fifth of a second something free falls by 0.2 m; what is held by a method falls less.
        let falls = low < -0.15;
        // A hundredth of a joule is next to nothing beside a kilogram.
        assert_eq!(falls, method == 0 && matches!(bending, 0 | 3), "method {method}, bending {bending}: {low}");
        let kinds: Vec<_> = solver.plan().families().map(|(kind, ..)| kind.to_owned()).collect();
        let bends = ["", "dihedral", "isometric", "isometric"][bending];
        assert_eq!(kinds.iter().any(|kind| !bends.is_empty() && kind == bends), bending > 0, "{kinds:?}");
        let stretches = ["distance", "distance", "orthotropic", "strain-triangle", "distance"][method];
        assert!(kinds.iter().any(|kind| kind == stretches), "{kinds:?}");
        let model = read.spec.cloth[0].model;
        assert_eq!(model, [None, None, Some(ClothModel::Orthotropic), Some(ClothModel::Strain), None][method]);
    }
}

#[test]
fn every_key_of_a_tet_model() {
    let folder = Folder::new();
    let json = r#"{"TetModels": [{"id": 0, "nodeFile": "two.node", "eleFile": "two.ele", "visFile": "cube.obj", "translation": [0, 2, 0],
        "scale": [2, 2, 1], "rotationAxis": [1, 0, 0], "rotationAngle": 0.0, "staticParticles": [4], "restitution": 0.2, "friction": 0.1,
        "collisionObjectType": 5, "collisionObjectFileName": "", "collisionObjectScale": [1, 1, 1], "testMesh": 1, "invertSDF": 0,
        "thicknessSDF": 0.1, "resolutionSDF": [10, 10, 10]},
        {"nodeFile": "two.node", "eleFile": "two.ele", "visFile": "gone.obj", "collisionObjectType": 1, "testMesh": 0, "translation": [5, 0, 0]}]}"#;
    let (read, solver) = folder.run(json, 2);
    assert!(read.unknown_keys.is_empty(), "{:?}", read.unknown_keys);
    assert!(read.notes.len() == 1 && read.notes[0].contains("`TetModels[1].visFile`: there is no file gone.obj"));
    let [a, b] = &read.spec.soft_body[..] else { panic!("two solids") };
    assert_eq!(
        (a.name.as_str(), a.skin.as_deref(), a.pin_vertices.as_slice()),
        ("solid-0", Some("cube.obj"), &[4][..])
    );
    assert_eq!((a.collide, b.collide, a.scale), (Collide::Others, Collide::Others, Scale::from([2.0, 2.0, 1.0])));
    let meets = |a: (u32, u32), b: (u32, u32)| a.0 & b.1 != 0 && b.0 & a.1 != 0;
    // What is not tested meets solids that are, and no rigid body.
    assert!(meets((a.groups, a.mask), (b.groups, b.mask)) && !meets((b.groups, b.mask), (1, u32::MAX)));
    assert!(meets((a.groups, a.mask), (1, u32::MAX)) && !meets((b.groups, b.mask), (b.groups, b.mask)));
    assert_eq!(solver.plan().particles(), 10);
}

#[test]
fn every_method_for_solids_holds_one() {
    let folder = Folder::new();
    let names = ["stable-neo-hookean", "volume", "hooke", "neo-hookean", "strain-tet", "hooke", "distance"];
    for (method, name) in names.into_iter().enumerate() {
        let json = format!(
            r#"{{"Simulation": {{"solidSimulationMethod": {method}, "solid_stiffness": {}}},
            "TetModels": [{{"nodeFile": "two.node", "eleFile": "two.ele", "staticParticles": [0, 1, 3]}}]}}"#,
            if matches!(method, 3 | 6) { 1e6 } else { 1.0 }
        );
        let (_, solver) = folder.run(&json, 40);
        let body = solver.plan().body_ids().next().unwrap();
        let fallen = 1.0 - solver.positions(body)[2].y;
        assert_eq!(fallen > 0.15, method == 0, "method {method}: {fallen}");
        assert!(solver.plan().families().any(|(kind, ..)| kind == name), "{method}");
    }
}

/// A ground of which the top is at 0, and one body over it.
fn over_ground(body: &str) -> String {
    format!(
        r#"{{"RigidBodies": [{{"id": 1, "geometryFile": "cube.obj", "isDynamic": 0, "scale": [50, 1, 50], "collisionObjectType": 2,
        "collisionObjectScale": [50, 1, 50], "translation": [0, -0.5, 0]}}, {{"id": 2, {body}}}]}}"#
    )
}

#[test]
fn every_key_of_a_rigid_body() {
    let folder = Folder::new();
    let json = over_ground(
        r#""geometryFile": "cube.obj", "isDynamic": true, "density": 200, "translation": [1, 5, 0], "rotationAxis": [0, 1, 0],
        "rotationAngle": 0.5, "scale": [1, 2, 3], "velocity": [1, 0, 0], "angularVelocity": [0, 2, 0], "restitution": 0.4, "friction": 0.3,
        "collisionObjectType": 2, "collisionObjectScale": [1, 2, 3], "collisionObjectFileName": "", "testMesh": true, "invertSDF": false,
        "thicknessSDF": 0.1, "resolutionSDF": [20, 20, 20], "flatShading": true, "comment": "c", "collisionCategoryBits": 1,
        "collisionFilterMaskBits": -1"#,
    );
    let (read, solver) = folder.run(&json, 10);
    assert!(read.unknown_keys.is_empty() && read.notes.is_empty(), "{:?} {:?}", read.unknown_keys, read.notes);
    let body = &read.spec.body[0];
    assert_eq!((body.name.as_str(), body.shape, body.half), ("body-2", RigidShapeSpec::Cuboid, Some([0.5, 1.0, 1.5])));
    assert_eq!((body.density, body.friction, body.restitution), (Some(200.0), 0.6, 0.4));
    assert_eq!((body.groups, body.mask), (1, u32::MAX));
    let x = at(&solver, "body-2");
    assert!(near(x[0], 1.05, 1e-6) && x[1] < 5.0, "{x:?}");
    // 6 m^3 of 200 kg/m^3: nothing loses energy in so short a fall.
    let energy = solver.plan().energies(solver.state());
    assert!(near(energy[0], 600.0 * (1.0 + (9.81f64 * 0.05).powi(2)) + 0.5 * 1000.0 * 4.0, 1.0), "{energy:?}");
}

#[test]
fn a_body_rests_on_its_collision_object() {
    let folder = Folder::new();
    // Each falls 0.1 m upon its lowest point.
    let cases = [
        (1, "[0.5, 9, 9]", 0.5, RigidShapeSpec::Sphere),
        (2, "[1, 1.2, 1]", 0.6, RigidShapeSpec::Cuboid),
        (3, "[0.5, 1.4, 9]", 0.7, RigidShapeSpec::Cylinder),
        (4, "[0.6, 0.2, 9]", 0.2, RigidShapeSpec::Torus),
        (5, "[1, 1.6, 1]", 0.8, RigidShapeSpec::Mesh),
        (6, "[0.5, 9, 9]", 0.5, RigidShapeSpec::Sphere),
        (7, "[1, 1.2, 1]", 0.6, RigidShapeSpec::Cuboid),
    ];
    for (kind, scale, height, shape) in cases {
        let json = over_ground(&format!(
            r#""geometryFile": "cube.obj", "density": 100, "translation": [0, {}, 0], "restitution": 0, "collisionObjectType": {kind},
            "collisionObjectScale": {scale}"#,
            height + 0.1
        ));
        let (read, solver) = folder.run(&json, 200);
        assert_eq!(read.spec.body[0].shape, shape);
        let x = at(&solver, "body-2");
        assert!(near(x[1], height, 0.01), "type {kind}: {x:?}");
        assert_eq!(read.notes.len(), usize::from(kind > 5), "{:?}", read.notes);
    }
}

#[test]
fn a_body_without_collision_object_falls_through_and_has_the_mass_of_its_mesh() {
    let folder = Folder::new();
    let (read, solver) =
        folder.run(&over_ground(r#""geometryFile": "sphere.obj", "density": 100, "translation": [0, 0.1, 0]"#), 100);
    assert_eq!((read.spec.body[0].groups, read.spec.body[0].mask), (0, 0));
    assert!(near(at(&solver, "body-2")[1], 0.1 - 0.5 * 9.81 * 0.25, 0.02), "{:?}", at(&solver, "body-2"));
    // A hull of the mesh's own points would have too many faces.
    assert!(read.spec.body[0].points.as_ref().is_some_and(|points| points.len() <= 26));
}

#[test]
fn bodies_that_do_not_move_are_colliders() {
    let folder = Folder::new();
    let cases = [
        (1, "", ShapeSpec::Sphere, 1),
        (2, "", ShapeSpec::Cuboid, 1),
        (3, "", ShapeSpec::Cylinder, 1),
        (4, "", ShapeSpec::Torus, 1),
        (5, r#", "resolutionSDF": [10, 10, 10], "collisionObjectFileName": "gone.csdf""#, ShapeSpec::Mesh, 1),
        (5, r#", "collisionObjectFileName": "sphere.obj""#, ShapeSpec::Mesh, 1),
        (6, r#", "thicknessSDF": 0.1"#, ShapeSpec::Mesh, 1),
        (7, r#", "thicknessSDF": 0.1"#, ShapeSpec::Cuboid, 6),
        (2, r#", "invertSDF": 1"#, ShapeSpec::Mesh, 1),
        (0, "", ShapeSpec::Plane, 0),
    ];
    for (kind, more, shape, count) in cases {
        let json = format!(
            r#"{{"RigidBodies": [{{"geometryFile": "cube.obj", "isDynamic": 0, "density": 0, "collisionObjectType": {kind},
            "collisionObjectScale": [1, 0.4, 1], "friction": 0.2, "restitution": 0.5 {more}}},
            {{"geometryFile": "cube.obj", "translation": [9, 0, 0], "collisionObjectType": 2}}]}}"#
        );
        let (read, _) = folder.run(&json, 1);
        let colliders = &read.spec.collider;
        assert!(colliders.len() == count && colliders.iter().all(|c| c.shape == shape), "type {kind}: {colliders:?}");
        assert!(
            colliders
                .iter()
                .all(|c| c.friction == 0.4 && c.restitution == 0.5 && c.inverted == more.contains("invert"))
        );
    }
}

#[test]
fn a_hollow_box_holds_what_is_in_it() {
    let folder = Folder::new();
    let json = r#"{"RigidBodies": [{"geometryFile": "cube.obj", "isDynamic": false, "scale": [4, 4, 4], "collisionObjectType": 7,
        "collisionObjectScale": [4, 4, 4], "thicknessSDF": 0.1, "rotationAxis": [0, 1, 0], "rotationAngle": 0.3, "restitution": 0},
        {"id": 5, "geometryFile": "cube.obj", "density": 100, "collisionObjectType": 2, "restitution": 0}]}"#;
    let (_, solver) = folder.run(json, 400);
    let x = at(&solver, "body-5");
    assert!(near(x[1], -2.0 + 0.1 + 0.5, 0.01), "{x:?}");
}

/// Body 1 does not move and body 2 does, at (1, 0, 0); both are cubes that meet nothing.
fn joined(list: &str, joint: &str) -> String {
    format!(
        r#"{{"Simulation": {{"timeStepSize": 0.005, "subSteps": 8}},
        "RigidBodies": [{{"id": 1, "geometryFile": "cube.obj", "isDynamic": 0}},
        {{"id": 2, "geometryFile": "cube.obj", "density": 12, "translation": [1, 0, 0]}}],
        "{list}": [{{"bodyID1": 1, "bodyID2": 2, {joint}}}]}}"#
    )
}

#[test]
fn joints_hold_what_they_say() {
    let folder = Folder::new();
    let length = |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt();
    let after = |list: &str, joint: &str, frames: u32| {
        let (read, solver) = folder.run(&joined(list, joint), frames);
        assert!(read.unknown_keys.is_empty() && read.spec.body[0].kind == RigidKind::Fixed, "{list}");
        (read, solver)
    };
    // The middle of the body stays as far from the ball as at the start.
    let (read, solver) = after("BallJoints", r#""position": [0, 0, 0]"#, 100);
    assert_eq!(read.spec.joint[0].kind, RigidJointKindSpec::Ball);
    let x = at(&solver, "body-2");
    assert!(near(length(x), 1.0, 2e-3) && x[1] < -0.5, "{x:?}");
    // A point of it stays on the line, which is level.
    let (_, solver) = after("BallOnLineJoints", r#""position": [1, 0, 0], "axis": [1, 0, 0]"#, 100);
    let x = at(&solver, "body-2");
    assert!(near(x[1], 0.0, 2e-3) && near(x[2], 0.0, 2e-3), "{x:?}");
    // About an axis that is level the body swings, and about an upright one not.
    let (_, solver) = after("HingeJoints", r#""position": [0, 0, 0], "axis": [0, 0, 1]"#, 100);
    let x = at(&solver, "body-2");
    assert!(near(length(x), 1.0, 2e-3) && x[1] < -0.5 && near(x[2], 0.0, 1e-3), "{x:?}");
    let (_, solver) = after("HingeJoints", r#""position": [0, 0, 0], "axis": [0, 2, 0]"#, 100);
    assert!(near(at(&solver, "body-2")[1], 0.0, 2e-3));
    let (read, solver) =
        after("UniversalJoints", r#""position": [0, 0, 0], "axis1": [0, 1, 0], "axis2": [0, 0, 1]"#, 100);
    assert_eq!((read.spec.joint[0].axis, read.spec.joint[0].axis_b), (Some([0.0, 1.0, 0.0]), Some([0.0, 0.0, 1.0])));
    let x = at(&solver, "body-2");
    assert!(near(length(x), 1.0, 2e-3) && x[1] < -0.5, "{x:?}");
    // It slides down an axis, with the part of gravity along it.
    let (_, solver) = after("SliderJoints", r#""axis": [1, -1, 0]"#, 100);
    let (x, way) = (at(&solver, "body-2"), 0.5 * 9.81 * 0.25 / 2.0);
    assert!(near(x[0], 1.0 + way, 0.02) && near(x[1], -way, 0.02), "{x:?}");
    let (read, solver) = after("DistanceJoints", r#""position1": [0, 0, 0], "position2": [1, 0, 0]"#, 100);
    assert_eq!(read.spec.joint[0].limits, Some([1.0; 2]));
    let x = at(&solver, "body-2");
    assert!(near(length(x), 1.0, 2e-3) && x[1] < -0.5, "{x:?}");
}

#[test]
fn springs_have_their_stiffness() {
    let folder = Folder::new();
    // 12 kg at 1200 N/m: 10 rad/s, so a quarter of a period after 0.157 s it is in the middle of its swing, 2 g /
    // omega^2 wide.
    let hung = |list: &str, joint: &str| {
        let json = joined(list, joint).replace("[1, 0, 0]}]", "[0, -1, 0]}]");
        let (read, solver) = folder.run(&json, 31);
        (read, at(&solver, "body-2"))
    };
    let sag = 9.81 / 100.0 * (1.0 - (10.0f64 * 0.155).cos());
    let (read, x) = hung("RigidBodySprings", r#""position1": [0, 0, 0], "position2": [0, -1, 0], "stiffness": 1200"#);
    assert_eq!(read.spec.joint[0].kind, RigidJointKindSpec::Spring);
    assert!(near(x[1], -1.0 - sag, 0.003), "{x:?}, {sag}");
    let (read, x) = hung("DamperJoints", r#""axis": [0, 1, 0], "stiffness": 1200"#);
    assert_eq!((read.spec.joint[0].kind, read.spec.joint[0].stiffness), (RigidJointKindSpec::Slider, Some(1200.0)));
    assert!(near(x[1], -1.0 - sag, 0.003), "{x:?}, {sag}");
}

#[test]
fn motors_drive_the_second_body_and_follow_their_sequences() {
    let folder = Folder::new();
    let hinge = r#""position": [1, 0, 0], "axis": [0, 0, 1]"#;
    let slider = r#""axis": [0, 1, 0]"#;
    let angle = |solver: &Solver| {
        let q = solver.state().rigid_pose(solver.plan(), rigid(solver, "body-2")).rotation();
        2.0 * q.z.atan2(q.w)
    };
    let run = |list: &str, joint: String, frames: u32| folder.run(&joined(list, &joint), frames).1;
    let solver = run("TargetVelocityMotorHingeJoints", format!(r#"{hinge}, "target": 3"#), 40);
    assert!(near(spin(&solver, "body-2")[2], 3.0, 0.01), "{:?}", spin(&solver, "body-2"));
    let solver = run("TargetAngleMotorHingeJoints", format!(r#"{hinge}, "target": 0.5"#), 100);
    assert!(near(angle(&solver), 0.5, 2e-3), "{}", angle(&solver));
    let solver = run("TargetVelocityMotorSliderJoints", format!(r#"{slider}, "target": 2.0"#), 100);
    assert!(near(at(&solver, "body-2")[1], 1.0, 0.02), "{:?}", at(&solver, "body-2"));
    let solver = run("TargetPositionMotorSliderJoints", format!(r#"{slider}, "target": -0.25"#), 100);
    assert!(near(at(&solver, "body-2")[1], -0.25, 2e-3), "{:?}", at(&solver, "body-2"));
    // Up to 0.4 in 0.2 s, and down to 0 in as long again; then again, if it repeats. An odd number at the end is lost.
    let sequence = r#""targetSequence": [0, 0, 0.2, 0.4, 0.4, 0, 9], "repeatSequence""#;
    for (frames, once, again) in [(20, 0.2, 0.2), (40, 0.4, 0.4), (60, 0.2, 0.2), (100, 0.0, 0.2), (120, 0.0, 0.4)] {
        for (repeat, wanted) in [("false", once), ("1", again)] {
            let joint = format!(r#"{hinge}, {sequence}: {repeat}"#);
            let solver = run("TargetAngleMotorHingeJoints", joint, frames);
            assert!(near(angle(&solver), wanted, 0.01), "{frames} frames, {repeat}: {}", angle(&solver));
        }
    }
    let notes = |list: &str, joint: &str| folder.read(&joined(list, joint)).unwrap().notes;
    let of = |list: &str, what: &str| format!("`{list}[0].targetSequence` {what}");
    let (list, hinged) = ("TargetAngleMotorHingeJoints", format!("{hinge}, {sequence}: true"));
    let odd = of(list, "has 7 numbers, and they are pairs: the last, 9, is left out");
    assert_eq!(notes(list, &hinged), std::slice::from_ref(&odd));
    assert_eq!(notes(list, &format!(r#"{hinged}, "target": 1"#)), [odd, of(list, "has no effect: `target` is there")]);
    let joint = format!(r#"{slider}, "targetSequence": [0, 0, 0.5, 1], "repeatSequence": false"#);
    assert!(notes("TargetVelocityMotorSliderJoints", &joint).is_empty());
    let none = "is not there, and no pair of `targetSequence`: its motor's target is 0";
    assert_eq!(notes(list, hinge), [format!("`{list}[0].target` {none}")]);
    let solver = run("TargetVelocityMotorSliderJoints", joint, 200);
    // 0.25 m while it speeds up, and half a second of 1 m/s.
    assert!(near(at(&solver, "body-2")[1], 0.75, 0.01), "{:?}", at(&solver, "body-2"));
    // A target goes before a sequence.
    let joint = format!(r#"{hinge}, "target": 0.25, {sequence}: true"#);
    assert!(near(angle(&run("TargetAngleMotorHingeJoints", joint, 100)), 0.25, 2e-3));
}

#[test]
fn particles_are_counted_over_triangle_models_and_then_tet_models() {
    let folder = Folder::new();
    let json = r#"{"TriangleModels": [{"geometryFile": "sheet.obj"}, {"geometryFile": "sheet.obj", "staticParticles": [0, 1, 2, 3]}],
        "TetModels": [{"nodeFile": "two.node", "eleFile": "two.ele"}],
        "RigidBodies": [{"id": 7, "geometryFile": "cube.obj", "density": 2, "translation": [0, -1, 0]},
                        {"id": 8, "geometryFile": "cube.obj", "isDynamic": 0, "translation": [1, 1, 1]}],
        "RigidBodyParticleBallJoints": [{"rbID": 7, "particleID": 9, "position": [0, 0, 0]}, {"rbID": 8, "particleID": 14}]}"#;
    let (read, solver) = folder.run(json, 200);
    let [a, b] = &read.spec.particle_joint[..] else { panic!("two joints") };
    assert_eq!((a.rigid.as_str(), a.body.as_str(), a.vertices.as_slice()), ("body-7", "cloth-1", &[4][..]));
    assert_eq!((b.rigid.as_str(), b.body.as_str(), b.vertices.as_slice()), ("body-8", "soft_body-0", &[4][..]));
    // The cube hangs at the middle of the second sheet, and the solid at the cube that stays.
    let [first, second, solid] = solver.plan().body_ids().collect::<Vec<_>>()[..] else { panic!("three bodies") };
    let (middle, cube) = (solver.positions(second)[4], at(&solver, "body-7"));
    assert!(near(f64::from(middle.y) - cube[1], 1.0, 0.01) && middle.y > -0.6, "{middle} {cube:?}");
    let held = solver.positions(solid)[4];
    assert!((held - seidel::glam::Vec3::ONE).length() < 1e-3, "{held}");
    assert!(solver.positions(first)[4].y < -4.0, "nothing holds the first");
}

#[test]
fn a_car_drives_and_steers() {
    let folder = Folder::new();
    let body = |id: u32, x: f32, y: f32, z: f32, scale: &str, more: &str| {
        format!(
            r#"{{"id": {id}, "geometryFile": "{}", "translation": [{x}, {y}, {z}], "scale": {scale}, {more}}}"#,
            if more.contains("Type\": 1") { "sphere.obj" } else { "cube.obj" }
        )
    };
    let mut bodies = vec![
        body(
            1,
            0.0,
            -0.5,
            0.0,
            "[200, 1, 200]",
            r#""isDynamic": 0, "collisionObjectType": 2, "collisionObjectScale": [200, 1, 200], "friction": 0.3"#,
        ),
        body(2, 0.0, 0.5, 0.0, "[2.5, 0.2, 0.8]", r#""density": 200"#),
    ];
    let mut motors = Vec::new();
    for (k, (x, z)) in [(1.0, 0.6), (1.0, -0.6), (-1.0, 0.6), (-1.0, -0.6f32)].into_iter().enumerate() {
        let id = 3 + k as u32;
        bodies.push(body(id, x, 0.3, z, "[0.3, 0.3, 0.3]", r#""density": 600, "collisionObjectType": 1, "collisionObjectScale": [0.3, 0.3, 0.3], "friction": 0.4, "restitution": 0.1"#));
        motors.push(format!(
            r#"{{"bodyID1": 2, "bodyID2": {id}, "position": [{x}, 0.3, {z}], "axis": [0, 0, 1], "target": -5}}"#
        ));
    }
    let json = format!(
        r#"{{"Simulation": {{"timeStepSize": 0.005, "maxIter": 1, "subSteps": 4}}, "RigidBodies": [{}], "TargetVelocityMotorHingeJoints": [{}]}}"#,
        bodies.join(","),
        motors.join(",")
    );
    let (_, solver) = folder.run(&json, 400);
    let x = at(&solver, "body-2");
    // Wheels of 0.3 m at 5 rad/s: 1.5 m/s once they grip, for two seconds.
    assert!(x[0] > 2.2 && x[0] < 3.1 && near(x[1], 0.5, 0.02), "{x:?}");
}

#[test]
fn the_scene_file_that_it_is_converted_to_gives_the_same_state() {
    let folder = Folder::new();
    let json = r#"{"Name": "all", "TriangleModels": [{"id": 0, "geometryFile": "sheet.obj", "translation": [0, 2, 0], "scale": [1, 1, 0.7],
        "rotationAxis": [1, 2, 3], "rotationAngle": 0.3}], "TetModels": [{"nodeFile": "two.node", "eleFile": "two.ele", "translation": [0, 3, 0]}],
        "RigidBodies": [{"id": 1, "geometryFile": "cube.obj", "isDynamic": 0, "scale": [9, 1, 9], "collisionObjectType": 2, "collisionObjectScale": [9, 1, 9]},
        {"id": 2, "geometryFile": "cube.obj", "translation": [0, 1.2, 0], "collisionObjectType": 5, "density": 50},
        {"id": 3, "geometryFile": "sphere.obj", "translation": [1, 1.6, 0.1], "collisionObjectType": 4, "collisionObjectScale": [0.5, 0.2, 1]}],
        "TargetAngleMotorHingeJoints": [{"bodyID1": 2, "bodyID2": 3, "position": [0.4, 1.4, 0.1], "axis": [0.1, 1, 0.7],
        "targetSequence": [0, 0, 0.1, 0.123456789, 0.3, -0.2], "repeatSequence": true}],
        "RigidBodyParticleBallJoints": [{"rbID": 2, "particleID": 3}]}"#;
    let (read, solver) = folder.run(json, 30);
    let text = scene::to_toml(&read.spec).unwrap();
    let spec = scene::parse(Path::new("converted.toml"), &text).unwrap();
    assert_eq!(spec, read.spec);
    let again = scene::build(folder.path().with_extension("toml").to_str().unwrap(), &spec).unwrap();
    let mut other = Solver::with(Arc::new(Plan::new(&again).unwrap()), Execution::default().threads(2));
    for _ in 0..30 {
        other.step(&Input::new((1.0 / spec.fps) as f32).unwrap());
    }
    assert_eq!(other.state().hash(), solver.state().hash());
}

/// The library's own scenes, where they are.
#[test]
fn scenes_of_the_library_run_and_come_to_rest_where_they_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/pbd/scenes");
    for (name, bodies) in [("ClothCollisionScene", 4), ("DeformableSolidCollisionScene", 4), ("ClothOnBunny", 2)] {
        let path = folder.join(name).with_extension("json");
        if !path.is_file() {
            eprintln!("{} is not there", path.display());
            continue;
        }
        let read = pbd::read(&path).unwrap();
        assert!(read.unknown_keys.is_empty() && read.rigid_bodies == bodies, "{:?}", read.unknown_keys);
        let scene = scene::build(path.to_str().unwrap(), &read.spec).unwrap();
        let mut solver = Solver::new(&scene).unwrap();
        let input = Input::new((1.0 / read.spec.fps) as f32).unwrap();
        for _ in 0..260 {
            let report = solver.step(&input);
            assert!(report.lost.is_none() && report.lost_rigid.is_none(), "{name}");
        }
        // The ground's top is at 0.5.
        for body in solver.plan().body_ids() {
            let low = solver.positions(body).iter().map(|x| x.y).fold(f32::INFINITY, f32::min);
            let high = solver.positions(body).iter().map(|x| x.length()).fold(0.0, f32::max);
            assert!(low > 0.5 && high < 30.0, "{name}: {low} {high}");
        }
        if name == "ClothCollisionScene" {
            // A ring of a tube of 0.75 m, on the ground.
            assert!(near(at(&solver, "body-4")[1], 1.25, 0.05), "{:?}", at(&solver, "body-4"));
        }
    }
}

/// Segments of which the first is clamped, and which swing about where their weight bends them to.
#[test]
fn a_rod_is_a_tree_of_segments_that_resist_bending() {
    let folder = Folder::new();
    let (count, length, radius, young) = (8, 0.1f64, 0.005f64, 2e9);
    let list = |of: &dyn Fn(usize) -> String, count: usize| (0..count).map(of).collect::<Vec<_>>().join(",");
    let middle = |k: usize| length * (k as f64 + 0.5);
    let segment = |k: usize| {
        format!(
            r#"{{"id": {k}, "geometryFile": "cube.obj", "density": 1000, "translation": [{}, 0, 0], "rotationAxis": [0, 0, 1],
            "rotationAngle": -1.5707963267948966, "scale": [0.01, 0.1, 0.01]}}"#,
            middle(k)
        )
    };
    let joint = |k: usize| {
        let (id, next, at) = (90 + k, k + 1, length * (k as f64 + 1.0));
        format!(
            r#"{{"id": {id}, "bodyID1": {k}, "bodyID2": {next}, "position": [{at}, 0, 0], "stiffnessModifier": [1, 1, 1]}}"#
        )
    };
    let ids = |first: usize, count: usize| list(&|k| (first + k).to_string(), count);
    let json = format!(
        r#"{{"Simulation": {{"subSteps": 10}}, "RigidBodies": [{}], "CosseratJoints": [{}], "TreeModels": [{{"id": 0, "rbIds": [{}],
        "jIds": [{}], "youngsModulus": {young}, "torsionModulus": 1e9, "staticSegments": [0], "solverType": 12}}]}}"#,
        list(&segment, count),
        list(&joint, count - 1),
        ids(0, count),
        ids(90, count - 1),
    );
    let (read, mut solver) = folder.run(&json, 0);
    assert!(read.unknown_keys.is_empty() && read.notes.len() == 1, "{:?} {:?}", read.unknown_keys, read.notes);
    // So short and light segments want more substeps.
    assert!(matches!(read.spec.solver.substeps, Substeps::Fixed(11..100)), "{:?}", read.spec.solver.substeps);
    assert_eq!((read.spec.joint.len(), read.spec.body[0].kind), (count - 1, RigidKind::Fixed));
    let rod = &read.spec.joint[0];
    let stiff = young * std::f64::consts::PI * radius.powi(4) / 4.0 / length;
    let axis = rod.axis.unwrap();
    assert!(rod.kind == RigidJointKindSpec::Rod && near(axis[0], 0.1, 1e-9) && axis[1..] == [0.0, 0.0], "{rod:?}");
    // Moduli of twist and bending are as 1 to 2, and so are both moments.
    assert!(near(f64::from(rod.stiffness.unwrap()), stiff, 1e-3 * stiff), "{:?} {stiff}", rod.stiffness);
    assert!(near(f64::from(rod.twist.unwrap()), stiff, 1e-3 * stiff), "{:?}", rod.twist);
    // At each joint M / k, M of all weights beyond it, lowers the end by its arm.
    let turns = (1..count).map(|k| {
        let moment: f64 = (k..count).map(|s| 0.01 * 9.81 * (middle(s) - length * k as f64)).sum();
        moment / stiff * (middle(count - 1) - length * k as f64)
    });
    let at_rest: f64 = turns.sum();
    let (mut lowest, mut mean) = (0.0f64, 0.0);
    let input = Input::new(0.005).unwrap();
    for _ in 0..400 {
        solver.step(&input);
        let y = at(&solver, "body-7")[1];
        (lowest, mean) = (lowest.min(y), mean + y / 400.0);
    }
    assert!(near(-mean, at_rest, 0.1 * at_rest), "{mean} for {at_rest}");
    assert!(-lowest > 1.2 * at_rest && -lowest < 2.3 * at_rest, "{lowest} for {at_rest}");
    // A rod of steel, whose stiffness some hundreds of substeps do not carry, does not fly apart.
    let steel = json.replace("2000000000", "2e13");
    let (read, solver) = folder.run(&steel, 20);
    assert!(read.spec.solver.substeps == Substeps::Fixed(400) && read.notes.len() == 2, "{:?}", read.notes);
    assert!(read.spec.joint[0].stiffness.unwrap() < 2e13 * 4e-9, "{:?}", read.spec.joint[0].stiffness);
    assert!(at(&solver, "body-7")[1].abs() < 0.02, "{:?}", at(&solver, "body-7"));
    let error = folder.read(&json.replace("\"jIds\": [90", "\"jIds\": [9")).unwrap_err();
    assert!(error.contains("TreeModels[0].jIds: number 0 is 9, and no CosseratJoints has this id"), "{error}");
    let error = folder.read(&json.replace("\"staticSegments\": [0]", "\"staticSegments\": [77]")).unwrap_err();
    assert!(error.contains("TreeModels[0].staticSegments: number 0 is 77, and no rigid body has this id"), "{error}");
}
