//! `[[body]]`: rigid bodies in scene files.

use seidel::collider::Shape;
use seidel::{Plan, Pose, RigidBody, RigidKind};
use seidel_io::recording;
use seidel_io::scene::{build, located_in, parse, to_toml};
use std::path::Path;

/// What is wrong with a file; none if it can be planned.
fn wrong(text: &str) -> Option<String> {
    let read = || -> Result<(), String> {
        let spec = parse(Path::new("my.toml"), text).map_err(|e| e.to_string())?;
        assert_eq!(parse(Path::new("again"), &to_toml(&spec).unwrap()).unwrap(), spec, "its own text");
        let scene = build("my.toml", &spec).map_err(|e| e.to_string())?;
        Plan::new(&scene).map(drop).map_err(|e| e.to_string())
    };
    read().err()
}

#[test]
fn a_scene_of_rigid_bodies_alone_is_one() {
    let text = r#"
        [[body]]
        [[body]]
        name = "crate"
        shape = "cuboid"
        half = [0.5, 0.4, 0.3]
        position = [0, 2, 0]
        rotation = { axis = [0, 1, 0], degrees = 30 }
        density = 700
        velocity = [0, -1, 0]
        angular_velocity = [0, 3, 0]
        friction = 0.8
        restitution = 0.2
        gravity_scale = 0.5
        linear_damping = 0.1
        angular_damping = 0.2
        groups = 2
        mask = 3
        [[body]]
        shape = "capsule"
        radius = 0.1
        half_length = 0.3
        mass = 4
        kind = "kinematic"
        [[body]]
        shape = "cylinder"
        radius = 0.2
        half_length = 0.3
        [[body]]
        shape = "cone"
        half_length = 0.3
        [[collider]]
        shape = "cone"
        half_length = 0.3
    "#;
    assert_eq!(wrong(text), None);
    let spec = parse(Path::new("my.toml"), text).unwrap();
    assert_eq!((spec.bodies(), spec.body.len(), spec.body[2].kind), (0, 5, RigidKind::Kinematic));
    let scene = build("my.toml", &spec).unwrap();
    assert_eq!(scene.rigid("crate").map(|id| id.index()), Some(1));
    assert_eq!(scene.rigid("rigid-2").map(|id| id.index()), Some(2));
}

#[test]
fn what_is_wrong_with_a_body_is_told() {
    let cube = "shape = \"cuboid\"\nhalf = [1, 1, 1]\n";
    for (text, says) in [
        ("shape = \"cuboid\"", "body 0: a cuboid needs `half`"),
        ("shape = \"capsule\"", "body 0: a capsule needs `half_length`"),
        ("shape = \"cylinder\"", "body 0: a cylinder needs `half_length`"),
        ("shape = \"cone\"\nhalf_length = 0", "body `rigid-0`: half_height is 0, which is not within 1e-6"),
        ("shape = \"hull\"", "body 0: a hull needs `points` or `file`"),
        ("shape = \"torus\"", "body 0: a torus needs `ring`"),
        ("shape = \"torus\"\nring = 0.4", "body `rigid-0`: ring is 0.4, which is not more than the tube's radius"),
        ("shape = \"mesh\"", "body 0: a mesh needs `file`"),
        ("shape = \"height-field\"", "unknown"),
        ("solid_scale = 2", "body 0: `solid_scale` is for a file"),
        ("solid = \"no.obj\"\nsolid_scale = [1, 0, 1]", "body 0: solid_scale is 0"),
        ("half = [1, 1, 1]", "body 0: a sphere has no `half`"),
        ("scale = 2", "body 0: a sphere has no `scale`"),
        ("pieces = 3", "body 0: without `shape = \"mesh\"`, so `pieces` means nothing"),
        ("density = 1\nmass = 1", "body 0: give `density` or `mass`, not both"),
        ("position = [0, 2e6, 0]", "body 0: position has 2000000"),
        ("rotation = { degrees = 3 }", "body 0: rotation turns by 3 degrees about no axis"),
        ("density = -1", "body `rigid-0`: density is -1, which is not within 1e-9 .. 1e9 kg/m^3"),
        ("mass = 0", "body `rigid-0`: mass is 0"),
        ("radius = 0", "body `rigid-0`: radius is 0"),
        ("kind = \"fixed\"\nvelocity = [1, 0, 0]", "body `rigid-0`: velocity along x is 1, which is not 0"),
        (
            "kind = \"fixed\"\nlock_rotation = [true, false, false]",
            "body 0: its kind is fixed and nothing moves it, so `lock_rotation` means nothing; leave it out",
        ),
        (
            "kind = \"kinematic\"\nlock_translation = [false, true, false]",
            "its kind is kinematic and nothing but its velocities or its motion moves it, so `lock_translation`",
        ),
        (
            "motion = { path = \"linear\", velocity = [0, 1, 0] }",
            "body 0: only a kinematic body has a `motion`, and this one is dynamic: add `kind = \"kinematic\"`",
        ),
        (
            "kind = \"kinematic\"\nvelocity = [0, 1, 0]\nmotion = { path = \"linear\", velocity = [0, 1, 0] }",
            "body `rigid-0`: velocity along y is 1, which is not 0, and its motion moves it: leave one of them out",
        ),
        (
            "kind = \"kinematic\"\nmotion = { path = \"key-frames\", keys = [] }",
            "body 0: `motion` goes by key-frames, and",
        ),
        ("motion = { path = \"fixed\", velocity = [0, 1, 0] }", "body 0: `velocity` means nothing to the path `fixed`"),
        ("part = []", "body 0: `part` is empty, and a body has a shape; give it one, or leave `part` out"),
        ("radius = 1\npart = [{}]", "body 0: `radius` is for a single shape and means nothing beside `part`"),
        ("part = [{}, { shape = \"cuboid\" }]", "body 0, part 1: a cuboid needs `half`"),
        ("part = [{}, { radius = 0 }]", "body `rigid-0`, part 1: radius is 0, which is not within 1e-6 .. 1e6 m"),
        ("part = [{ position = [0, 0, 2e6] }]", "body 0, part 0: position has 2000000, which is not within"),
        ("part = [{ half = [1, 1, 1] }]", "body 0, part 0: a sphere has no `half`"),
        ("pieces = 3\npart = [{}]", "body 0: without `shape = \"mesh\"`, so `pieces` means nothing"),
        ("part = [{ mass = 3 }]", "unknown"),
        (
            "kind = \"kinematic\"\nmotion = { path = \"steady\", speed = 3 }",
            "unknown key `speed`; known are path, velocity, axis, turns, start, end",
        ),
        ("kind = \"static\"", "unknown"),
        ("weight = 3", "unknown"),
    ] {
        let error = wrong(&format!("[[body]]\n{text}\n")).unwrap_or_else(|| panic!("{text}: nothing is wrong"));
        assert!(error.contains(says) || says == "unknown" && error.contains("known are"), "{text}: {error}");
    }
    let error = wrong(&format!("[[body]]\nname = \"a\"\n{cube}[[body]]\nname = \"a\"\n")).unwrap();
    assert!(error.contains("two rigid bodies are called `a`"), "{error}");
    let error = wrong("frames = 3").unwrap();
    assert!(error.contains("[[soft_body]], [[fluid]], [[grains]], [[body]]"), "{error}");
}

#[test]
fn a_mesh_in_pieces_and_a_joint_that_is_solved_at_once_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, faces: &str| {
        let path = folder.path().join(name);
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{faces}");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let scene = |file: &str, more: &str| {
        let body = format!("[[body]]\nname = \"it\"\nshape = \"mesh\"\ncell = 0.1\nfile = {file:?}\n");
        format!(
            "{body}pieces = 4\npiece_vertices = 12\npiece_concavity = 0.1\n{more}[[joint]]\nb = \"it\"\nsolver = \"direct\"\n"
        )
    };
    let good = file("good.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    assert_eq!(wrong(&scene(&good, "")), None);
    let spec = parse(Path::new("my.toml"), &scene(&good, "")).unwrap();
    assert!(to_toml(&spec).unwrap().contains("solver = \"direct\""));
    let error = wrong(&scene(&good, "piece_vertices = 3\n").replacen("piece_vertices = 12\n", "", 1)).unwrap();
    assert!(error.contains("body `it`: vertices of a piece is 3, which is not within 8 .. 98"), "{error}");
    let inwards = file("inwards.obj", "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n");
    let error = wrong(&scene(&inwards, "")).unwrap();
    assert!(error.contains("inwards.obj: its triangles look inwards"), "{error}");
    let open = file("open.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\n");
    let error = wrong(&scene(&open, "")).unwrap();
    assert!(error.contains("open.obj") && error.contains("is not closed"), "{error}");
}

/// A mesh in a plane has no inside, and one that crosses itself may have as much outside as inside.
#[test]
fn a_mesh_without_a_volume_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cube =
        "f 1 2 4\nf 1 4 3\nf 5 7 8\nf 5 8 6\nf 1 5 6\nf 1 6 2\nf 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n";
    let told = |place: &dyn Fn([f32; 3]) -> [f32; 3]| {
        let corner = |k: u8| [k >> 2 & 1, k >> 1 & 1, k & 1].map(f32::from);
        let corners = (0..8).map(|k| place(corner(k))).map(|[x, y, z]| format!("v {x} {y} {z}\n"));
        let path = folder.path().join("it.obj");
        std::fs::write(&path, corners.chain([cube.to_owned()]).collect::<String>()).unwrap();
        wrong(&format!("[[body]]\nshape = \"mesh\"\ncell = 0.1\nfile = {:?}\n", path.display().to_string()))
    };
    assert_eq!(told(&|x| x), None);
    let error = told(&|[x, y, _]| [x, y, 0.0]).unwrap();
    assert!(error.contains("the mesh lies in a plane, so that nothing is inside of it"), "{error}");
    let error = told(&|[x, y, z]| [x * (1.0 - 2.0 * y), y, z]).unwrap();
    assert!(error.contains("it.obj: as much of it looks inwards as outwards: it crosses itself"), "{error}");
}

/// A body of several shapes is the library's compound, and its own text makes it again.
#[test]
fn parts_are_one_body() {
    let text = r#"
        [[body]]
        name = "hammer"
        position = [0, 1, 0]
        mass = 1.2
        [[body.part]]
        shape = "cuboid"
        half = [0.1, 0.05, 0.05]
        position = [0, 0.3, 0]
        [[body.part]]
        shape = "capsule"
        radius = 0.02
        half_length = 0.28
        rotation = { axis = [1, 0, 0], degrees = 90 }
    "#;
    assert_eq!(wrong(text), None);
    let scene = build("my.toml", &parse(Path::new("my.toml"), text).unwrap()).unwrap();
    let head = (Shape::Cuboid { half: [0.1, 0.05, 0.05].into() }, Pose::at([0.0, 0.3, 0.0]));
    let turned = Pose::IDENTITY.turned([1.0, 0.0, 0.0], seidel::degrees(90.0));
    let handle = (Shape::Capsule { radius: 0.02, half_length: 0.28 }, turned);
    let hammer = RigidBody::compound([head, handle]).mass(1.2).at([0.0, 1.0, 0.0]).named("hammer");
    assert_eq!(scene.get_rigid(scene.rigid("hammer").unwrap()).unwrap(), &hammer);
    // Files of parts are the scene's.
    let text = "[[body]]\npart = [{ shape = \"hull\", file = \"a.obj\" }, { shape = \"hull\", file = \"b.obj\" }]\n";
    let mut spec = parse(Path::new("my.toml"), text).unwrap();
    spec.rename_files(|file| format!("in/{file}"));
    assert_eq!(spec.files().collect::<Vec<_>>(), ["in/a.obj", "in/b.obj"]);
    let text = "[[body]]\n[[body]]\n[[body.part]]\n[[body.part]]\nradius = -0.1\n";
    let (spec, error) = (parse(Path::new("my.toml"), text).unwrap(), wrong(text).unwrap());
    assert!(located_in(text, &spec, &error).contains("line 5"), "{}", located_in(text, &spec, &error));
}

/// A body of two parts has one pose, its own frame's, beside those of its parts.
#[test]
fn a_recording_has_the_poses_of_bodies() {
    let text = "gravity = [0, 0, 0]\n[[collider]]\n[[body]]\nname = \"hammer\"\nposition = [0.5, 3, 0.25]\n\
        rotation = { axis = [0, 1, 0], degrees = 90 }\n[[body.part]]\nradius = 0.2\nposition = [1, 0, 0]\n\
        [[body.part]]\nradius = 0.1\n[[body]]\nname = \"ball\"\nradius = 0.5\nposition = [3, 3, 0]\n";
    let scene = build("my.toml", &parse(Path::new("my.toml"), text).unwrap()).unwrap();
    let mut solver = seidel::Solver::new(&scene).unwrap();
    solver.step(&seidel::Input::frame(1.0 / 60.0));
    let header = recording::header(solver.plan(), "hammer", 60.0);
    let names: Vec<&str> = header.colliders.iter().map(|of| of.name.as_str()).collect();
    assert_eq!(
        (names, header.rigid_names),
        (vec!["collider-0", "hammer", "hammer", "ball"], vec!["hammer".into(), "ball".to_owned()])
    );
    let mut buffers = recording::Buffers::default();
    let frame = buffers.read(solver.plan(), solver.state(), recording::Plotted::default());
    let far = |a: [f32; 7], b: [f32; 7]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert_eq!((frame.rigid_poses.len(), frame.poses.len()), (2, 4));
    assert!(far(frame.rigid_poses[0], [0.5, 3.0, 0.25, 0.0, half, 0.0, half]) < 1e-6, "{:?}", frame.rigid_poses);
    assert!(far(frame.rigid_poses[1], [3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0]) < 1e-6, "{:?}", frame.rigid_poses);
    assert!(far(frame.poses[1], [0.5, 3.0, -0.75, 0.0, half, 0.0, half]) < 1e-6, "{:?}", frame.poses);
}

/// A kinematic body goes along the path that its table has, as a collider with the same keys.
#[test]
fn a_body_moves_as_its_table_says() {
    let motion = "motion = { path = \"steady\", velocity = [1, 0, 0], axis = [0, 1, 0], turns = 0.5 }\n";
    let text = format!("[[body]]\nkind = \"kinematic\"\n{motion}[[collider]]\nshape = \"sphere\"\n{motion}");
    assert_eq!(wrong(&text), None);
    let scene = build("my.toml", &parse(Path::new("my.toml"), &text).unwrap()).unwrap();
    let (body, collider) = (scene.rigid("rigid-0").unwrap(), scene.collider("collider-0").unwrap());
    let mut solver = seidel::Solver::new(&scene).unwrap();
    (0..60).for_each(|_| drop(solver.step(&seidel::Input::frame(1.0 / 60.0))));
    let (is, wanted) = (solver.state().rigid_pose(solver.plan(), body), solver.state().pose(collider));
    assert!((is.position() - wanted.position()).length() < 1e-12 && (wanted.position().x - 1.0).abs() < 1e-6, "{is:?}");
    assert!(is.rotation().dot(wanted.rotation()).abs() > 1.0 - 1e-12, "{is:?} and {wanted:?}");
    let [v, w] = solver.state().rigid_velocity(solver.plan(), body);
    assert!((v.x - 1.0).abs() < 1e-6 && (w.y - std::f64::consts::PI).abs() < 1e-5, "{v} {w}");
}

#[test]
fn an_error_names_its_line() {
    let text = "[[rope]]\n[[body]]\n[[body]]\nname = \"ball\"\nradius = 0.1\ndensity = -1\n";
    let spec = parse(Path::new("my.toml"), text).unwrap();
    let error = wrong(text).unwrap();
    assert!(located_in(text, &spec, &error).contains("line 6"), "{}", located_in(text, &spec, &error));
    let text = "[[rope]]\n[[body]]\n[[body]]\nradius = -0.1\n";
    let spec = parse(Path::new("my.toml"), text).unwrap();
    let error = wrong(text).unwrap();
    assert!(located_in(text, &spec, &error).contains("line 4"), "{}", located_in(text, &spec, &error));
}

/// Errors of joints and paths say what is wrong, and in which line.
#[test]
fn what_is_wrong_with_a_joint_is_told() {
    let joint = |keys: &str| format!("[[body]]\nname = \"a\"\n[[joint]]\nb = \"a\"\n{keys}");
    let hinge = |keys: &str| joint(&format!("kind = \"hinge\"\naxis = [0, 0, 1]\n{keys}"));
    for key in ["velocity_path", "position_path"] {
        let error = wrong(&hinge(&format!("motor = {{ {key} = [], limit = 3 }}\n"))).unwrap();
        assert!(
            error.contains("line 7") && error.contains(&format!("{key}`: the path is empty; give it pairs")),
            "{error}"
        );
    }
    // `position` is a key of the joint, too, and the error is about its motor.
    for motor in ["limit = 3", "position = 1, velocity = 2, limit = 3"] {
        let text = hinge(&format!("position = [0, 0, 0]\nmotor = {{ {motor} }}\n"));
        let says = "joint `joint-0`: `motor` has one of `velocity`, `position`, `velocity_path` and `position_path`";
        let spec = parse(Path::new("my.toml"), &text).unwrap();
        let error = build("my.toml", &spec).unwrap_err().to_string();
        let error = located_in(&text, &spec, error.strip_prefix("my.toml: ").unwrap());
        assert!(error.contains("line 8") && error.contains(says), "{error}");
    }
    // A table that is not closed is no part of the list above it.
    let error = wrong("[[body]]\nhalf = [1, 1, 1]\n\n[[body\nradius = 1\n").unwrap();
    assert!(error.contains("line 4: unclosed"), "{error}");
    let torque = "break_torque = 3\n";
    let mute = "whose torque is always 0, so `break_torque` means nothing; leave it out";
    for (keys, kind) in [
        ("", "ball"),
        ("kind = \"ball-on-line\"\naxis = [0, 0, 1]\n", "ball-on-line"),
        ("kind = \"distance\"\nlimits = [0, 2]\nposition_b = [0, 1, 0]\n", "distance"),
        ("kind = \"spring\"\nstiffness = 3\nposition_b = [0, 1, 0]\n", "spring"),
    ] {
        let error = wrong(&joint(&format!("{keys}{torque}"))).unwrap();
        assert!(error.contains(&format!("joint `joint-0`: it is a {kind} joint, {mute}")), "{error}");
    }
    for keys in ["cone = 0.5\naxis = [0, 0, 1]\n", "kind = \"fixed\"\n", "kind = \"hinge\"\naxis = [0, 0, 1]\n"] {
        assert_eq!(wrong(&joint(&format!("{keys}{torque}"))), None);
    }
    let error = wrong("[[body]]\nname = \"a\"\n[[particle_joint]]\nrigid = \"a\"\nbody = \"zz\"\nvertices = [0]\n");
    let says = "particle_joint 0: `body`: there is no body `zz`; the scene has no deformable body";
    assert!(error.is_some_and(|error| error.ends_with(says)));
}

#[test]
fn an_error_of_a_path_names_its_line() {
    let body = "[[body]]\nname = \"a\"\nkind = \"kinematic\"\n";
    for (motion, line, says) in [
        ("motion = { path = \"steady\", turns = 1 }\n", 4, "`motion`, each second, turns by 360 degrees about no axis"),
        ("[body.motion]\npath = \"steady\"\nturns = 1\n", 6, "`motion`, each second, turns by 360 degrees"),
        ("motion = { path = \"key-frames\", keys = [] }\n", 4, "`motion` goes by key-frames, and `keys` has none"),
        ("[body.motion]\npath = \"key-frames\"\nkeys = []\n", 6, "`motion` goes by key-frames, and `keys` has none"),
    ] {
        let text = format!("{body}{motion}");
        let (spec, error) = (parse(Path::new("my.toml"), &text).unwrap(), wrong(&text).unwrap());
        let told = located_in(&text, &spec, error.strip_prefix("my.toml: ").unwrap());
        assert!(told.contains(&format!("line {line}: body `a`: {says}")), "{told}");
    }
}
