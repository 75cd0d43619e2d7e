//! `docs/scene.md` lists every key of a scene file, with its default.

use std::path::Path;

use seidel_io::scene::parse;
use seidel_scenes::{
    AttachSpec, BalloonSpec, ClothSpec, ColliderSpec, ConstraintSpec, EmitterSpec, FluidSpec, JoinSpec, LimbSpec,
    MapSpec, MovingPinsSpec, ObstacleSpec, PartSpec, RigidSpec, RodSpec, RopeSpec, SceneSpec, SelectSpec,
    ShapeMatchedSpec, SoftBodySpec, SolverSpec, Turn,
};
use toml::{Table, Value};

/// Sections of the reference, with a file that has the key `unknown` in the same place, and the defaults there.
fn sections() -> Vec<(&'static str, &'static str, Table)> {
    fn table(spec: impl serde::Serialize) -> Table {
        Table::try_from(spec).unwrap()
    }
    let defaults = |text: &str| text.parse::<Table>().unwrap();
    vec![
        ("## The scene", "unknown = 1", table(SceneSpec::default())),
        ("## [air]", "[air]\nunknown = 1", table(seidel_scenes::AirSpec::default())),
        ("## [solver]", "[solver]\nunknown = 1", table(SolverSpec::default())),
        ("## [[cloth]]", "[[cloth]]\nunknown = 1", table(ClothSpec::default())),
        ("## fabric", "[[cloth]]\nfabric.unknown = 1", Table::new()),
        ("## plasticity", "[[cloth]]\nplastic.unknown = 1", Table::new()),
        ("## [[balloon]]", "[[balloon]]\nunknown = 1", table(BalloonSpec::default())),
        ("## [[shape_matched]]", "[[shape_matched]]\nunknown = 1", table(ShapeMatchedSpec::default())),
        ("## [[soft_body]]", "[[soft_body]]\nunknown = 1", table(SoftBodySpec::default())),
        ("## [[fluid]]", "[[fluid]]\nunknown = 1", table(FluidSpec::default())),
        ("## [[fluid.emitter]]", "[[fluid]]\n[[fluid.emitter]]\nunknown = 1", table(EmitterSpec::default())),
        ("## [[rope]]", "[[rope]]\nunknown = 1", table(RopeSpec::default())),
        ("## [[rod]]", "[[rod]]\nunknown = 1", table(RodSpec::default())),
        ("## [[cloth.constraint]]", "[[cloth]]\n[[cloth.constraint]]\nunknown = 1", table(ConstraintSpec::default())),
        ("## [[cloth.moving_pins]]", "[[cloth]]\n[[cloth.moving_pins]]\nunknown = 1", table(MovingPinsSpec::default())),
        ("## [[cloth.attach]]", "[[cloth]]\n[[cloth.attach]]\nunknown = 1", table(AttachSpec::default())),
        ("## [[cloth.cut]]", "[[cloth]]\n[[cloth.cut]]\nunknown = 1", Table::new()),
        ("## [[cloth.map]]", "[[cloth]]\n[[cloth.map]]\nunknown = 1", table(MapSpec::default())),
        ("## selection", "[[cloth]]\npin_where = [{ unknown = 1 }]", table(SelectSpec::default())),
        ("## [[join]]", "[[join]]\nunknown = 1", table(JoinSpec::default())),
        ("## [[obstacle]]", "[[obstacle]]\nunknown = 1", table(ObstacleSpec::default())),
        ("## limb", "[[obstacle]]\nlimb.unknown = 1", table(LimbSpec::default())),
        ("## [[body]]", "[[body]]\nunknown = 1", table(RigidSpec::default())),
        ("## [[body.part]]", "[[body]]\n[[body.part]]\nunknown = 1", table(PartSpec::default())),
        ("## [[collider]]", "[[collider]]\nunknown = 1", table(ColliderSpec::default())),
        ("## rotation", "[[cloth]]\nrotation.unknown = 1", table(Turn::default())),
        (
            "## motion: path = \"linear\"",
            "[[collider]]\nmotion = { path = \"linear\", velocity = [0, 0, 0], unknown = 1 }",
            Table::new(),
        ),
        (
            "## motion: path = \"steady\"",
            "[[collider]]\nmotion = { path = \"steady\", unknown = 1 }",
            defaults("velocity = [0.0, 0.0, 0.0]\naxis = [0.0, 0.0, 0.0]\nturns = 0.0\nstart = 0.0"),
        ),
        (
            "## motion: path = \"sinusoidal\"",
            "[[collider]]\nmotion = { path = \"sinusoidal\", unknown = 1 }",
            defaults("phase = 0.0"),
        ),
        (
            "## motion: path = \"key-frames\"",
            "[[collider]]\nmotion = { path = \"key-frames\", unknown = 1 }",
            Table::new(),
        ),
        (
            "## keys",
            "[[collider]]\nmotion = { path = \"key-frames\", keys = [{ unknown = 1 }] }",
            defaults("axis = [0.0, 0.0, 0.0]\ndegrees = 0.0"),
        ),
    ]
}

/// Keys and defaults of a section's table.
fn listed(reference: &str, section: &str) -> Vec<(String, String)> {
    let from = reference.find(&format!("{section}\n")).unwrap_or_else(|| panic!("no section {section}"));
    let lines = reference[from..].lines().skip(1).take_while(|line| !line.starts_with("## "));
    let rows = lines.filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        (cells[1].trim_matches('`').to_owned(), cells[3].to_owned())
    })
    .collect()
}

/// The same but for the roundings of f32.
fn near(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => (a - b).abs() <= 1e-6 * b.abs(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b)),
        (Value::Table(a), Value::Table(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| near(a, b)))
        }
        _ => a == b,
    }
}

#[test]
fn the_reference_has_every_key_and_default() {
    let reference = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene.md")).unwrap();
    for (section, wrong, defaults) in sections() {
        let error = parse(Path::new("x"), wrong).unwrap_err().to_string();
        let mut known: Vec<&str> = match error.split_once("known are ") {
            Some((_, known)) => known.split(", ").collect(),
            // serde's wording for one key: unknown field `x`, expected `y`
            None => panic!("{section}: {error}"),
        };
        // Which path it is stands in the heading.
        if section.starts_with("## motion: ") {
            known.remove(known.iter().position(|key| *key == "path").expect("a path is among the keys"));
        }
        let listed = listed(&reference, section);
        let mut keys: Vec<&str> = listed.iter().map(|(key, _)| key.as_str()).collect();
        known.sort_unstable();
        keys.sort_unstable();
        assert_eq!(keys, known, "{section}");
        for (key, default) in &listed {
            match defaults.get(key) {
                Some(value) => {
                    let text = default.trim_matches('`');
                    let said =
                        format!("v = {text}").parse::<Table>().unwrap_or_else(|e| panic!("{key}: {default}: {e}"));
                    assert!(near(&said["v"], value), "{section}: `{key}` is {value} and not {default}");
                }
                None => assert!(default.starts_with("none"), "{section}: `{key}` has no default, but {default}"),
            }
        }
    }
}

#[test]
fn the_reference_has_every_kind() {
    let reference = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene.md")).unwrap();
    let mut missing = Vec::new();
    for kind in seidel::kinds::KINDS {
        let told = |p: &seidel::kernels::Parameter| match p.unit {
            "" => p.name.to_owned(),
            unit => format!("{} ({unit})", p.name),
        };
        let (shape, others): (Vec<_>, Vec<_>) = kind.params().iter().partition(|p| p.name.starts_with("Dm^-1"));
        let shape = (!shape.is_empty()).then(|| format!("{} of Dm^-1 (1/m)", shape.len()));
        let params: Vec<String> = shape.into_iter().chain(others.into_iter().map(told)).collect();
        let params = if params.is_empty() { "none".to_owned() } else { params.join(", ") };
        let frames = kind.slots() - kind.points();
        let slots = if frames > 0 { format!("{} + {frames}", kind.points()) } else { kind.points().to_string() };
        let row = format!("| `{}` | {slots} | {params} |", kind.name());
        if !reference.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "docs/scene.md lacks these:\n{}", missing.join("\n"));
}

/// What is no number names its line and key.
#[test]
fn nan_and_infinity_name_their_line() {
    for (value, says) in [
        ("nan", "is nan, which is no number"),
        ("-inf", "is -inf, and numbers go up to 3.4e38"),
        ("inf", "is inf, and"),
    ] {
        let text = format!("frames = 2\n[[cloth]]\nresolution = 8\ndensity = {value}\n");
        let error = seidel_io::scene::parse(std::path::Path::new("x.toml"), &text)
            .map(drop)
            .expect_err("a refusal")
            .to_string();
        assert!(error.contains(&format!("line 4: `cloth.density` {says}")), "{error}");
        let text = format!("frames = 2\ngravity = [0, {value}, 0]\n[[cloth]]\n");
        let error = seidel_io::scene::parse(std::path::Path::new("x.toml"), &text)
            .map(drop)
            .expect_err("a refusal")
            .to_string();
        assert!(error.contains("line 2: `gravity`"), "{error}");
    }
}

/// A plane at a time, and a blade that is no rectangle, as a scene's text says them; what it says wrongly names its
/// line.
#[test]
fn cloth_is_cut_when_its_time_comes() {
    let text = "gravity = [0, 0, 0]\n[[cloth]]\nname = \"a\"\nresolution = 3\nposition = [9, 0, 0]\n\
                [[cloth]]\nname = \"sheet\"\nresolution = 9\ntear = { copies = 20 }\n\
                [[cloth.cut]]\ntime = 0.08\nplane = [[0.01, 0, 0], [1, 0, 0]]\n\
                [[cloth.cut]]\ntime = 0.155\nblade = [[-9, -9, 0.01], [-9, 9, 0.01], [9, -1, 0.01], [9, 1, 0.01]]\n";
    let spec = parse(Path::new("cut.toml"), text).unwrap();
    let scene = spec.build(|file| Err::<seidel_scenes::Geometry, _>(file.to_owned())).unwrap();
    let mut solver = seidel::Solver::new(&scene).unwrap();
    let torn: Vec<usize> = (0..12).map(|_| solver.step(&seidel::Input::frame(1.0 / 60.0)).torn.len()).collect();
    // Nine vertices of a column; then ten of a row, of which one is two by now.
    assert_eq!((torn[4], torn[9], torn.iter().sum::<usize>()), (9, 10, 19), "{torn:?}");
    let both = text.replace(
        "plane = [[0.01, 0, 0], [1, 0, 0]]",
        "plane = [[0.01, 0, 0], [1, 0, 0]]\nblade = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]",
    );
    let error = parse(Path::new("cut.toml"), &both)
        .unwrap()
        .build(|file| Err::<seidel_scenes::Geometry, _>(file.to_owned()))
        .unwrap_err();
    assert!(error.to_string().contains("sheet`, cut 0: give it a `plane` or a `blade`"), "{error}");
}

/// A solid that is cut by the words of a scene: what is recorded of it has as many faces in each frame, and those that
/// are no points are the surface, which grows by both lips of the cut.
#[test]
fn a_solid_is_cut_when_its_time_comes() {
    let text = "gravity = [0, 0, 0]\n[[soft_body]]\nsize = [1, 0.5, 0.5]\ncells = [4, 2, 2]\n\
                [[soft_body.cut]]\ntime = 0.02\nplane = [[0.01, 0, 0], [1, 0, 0]]\n";
    let spec = parse(Path::new("cut.toml"), text).unwrap();
    let scene = spec.build(|file| Err::<seidel_scenes::Geometry, _>(file.to_owned())).unwrap();
    let mut solver = seidel::Solver::new(&scene).unwrap();
    let header = seidel_io::recording::picture(solver.plan(), "cut", 60.0);
    assert_eq!((header.triangles.len(), header.bodies[0].count), (4 * 6 * 16, 3 * 4 * 6 * 16));
    let mut buffers = seidel_io::recording::Buffers::of_picture();
    let mut drawn = |solver: &seidel::Solver| {
        let plotted = seidel_io::recording::Plotted::new([0.0; 2], 0.0);
        let x = buffers.read(solver.plan(), solver.state(), plotted).positions.to_vec();
        header.triangles.iter().filter(|t| x[t[0] as usize] != x[t[1] as usize]).count()
    };
    let mut counts = vec![drawn(&solver)];
    for _ in 0..3 {
        assert!(solver.step(&seidel::Input::frame(1.0 / 60.0)).rejected.is_none());
        counts.push(drawn(&solver));
    }
    // Sides of 2 x 2 cells have eight triangles, along the bar sixteen.
    assert_eq!(counts, [80, 80, 96, 96]);
}
