//! Keys that the tables of all bodies share do the same in each.

use seidel::{Input, Method, Solver};
use seidel_io::scene::{build, load, parse, to_toml};
use seidel_scenes::SceneSpec;
use std::path::Path;

/// Tables of each kind of body with their keys, small.
const BODIES: [(&str, &str); 6] = [
    ("cloth", "resolution = 4\n"),
    ("rope", "segments = 6\n"),
    ("rod", "segments = 6\n"),
    ("balloon", "detail = 1\n"),
    ("shape_matched", "detail = 1\n"),
    ("soft_body", "cells = [4, 1, 1]\n"),
];

fn solver(text: &str) -> Result<Solver, String> {
    let spec = parse(Path::new("my.toml"), text).map_err(|e| e.to_string())?;
    assert_eq!(parse(Path::new("again"), &to_toml(&spec).unwrap()).unwrap(), spec, "its own text");
    let scene = build("my.toml", &spec).map_err(|e| e.to_string())?;
    Solver::new(&scene).map_err(|e| e.to_string())
}

/// Where the first body's vertices are after a tenth of a second, and where they were.
fn moved(text: &str) -> Vec<([f32; 3], [f32; 3])> {
    let mut solver = solver(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let body = solver.plan().body_ids().next().expect("a body");
    let before: Vec<_> = solver.positions(body).iter().map(|x| x.to_array()).collect();
    for _ in 0..6 {
        assert!(solver.step(&Input::frame(1.0 / 60.0)).rejected.is_none());
    }
    before.into_iter().zip(solver.positions(body).iter().map(|x| x.to_array())).collect()
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-4
}

/// Each key of plasticity lets something flow, with its own units; what cannot is named.
#[test]
fn bodies_yield_by_keys() {
    let strain = |text: &str| -> Result<f32, String> {
        let mut solver = solver(&format!("gravity = [0, -50, 0]\nsolver.substeps = 10\n{text}"))?;
        (0..30).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
        let body = solver.plan().body_ids().next().expect("a body");
        Ok(solver.plan().plastic_strain(solver.state(), body))
    };
    let cloth = "[[cloth]]\nresolution = 7\nsize = [0.3, 0.3]\npin = [\"first-row\"]\n";
    let rope = "[[rope]]\nsegments = 6\npin_vertices = [0]\nstretch_compliance = 1e-2\n";
    let solid = "[[soft_body]]\ncells = [4, 1, 1]\nyoung = 2e4\npin_sides = [\"min-x\"]\n";
    let row = "[[cloth.constraint]]\nkind = \"rope\"\nat = [[24, 0]]\nrest = [0.1]\ncompliance = 1e-2\n";
    for (text, most) in [
        (format!("{cloth}stretch_compliance = 1e-2\nplastic = {{ yield = 0.01 }}"), 2.0),
        (format!("{cloth}bend_compliance = 1e2\nplastic_bend = {{ yield = 1, limit = 20 }}"), 0.3491),
        (format!("{rope}plastic = {{ yield = 0.01, creep = 5, limit = 0.2 }}"), 0.2001),
        (format!("{solid}plastic = {{ yield = 0.01, creep = 5 }}"), 2.0),
        (format!("{solid}model = \"springs\"\nplastic = {{ yield = 0.01 }}"), 2.0),
        (format!("{cloth}{row}plastic = {{ yield = 0.1 }}"), 2.0),
        (format!("{rope}plastic = {{ yield = 0.03, fatigue = 10 }}"), 2.0),
    ] {
        let strain = strain(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(strain > 0.005 && strain <= most, "{text}: {strain}");
    }
    for (text, says) in [
        (format!("{rope}plastic = {{ creep = 5 }}"), "missing field `yield`"),
        (format!("{rope}plastic = {{ yield = 3 }}"), "yield point of its plasticity is 3, which is not within 0 .. 2"),
        (format!("{rope}plastic = {{ yield = 0.1, creep = 0 }}"), "creep of its plasticity is 0, which is not above 0"),
        (
            format!("{rope}plastic = {{ yield = 0.1, fatigue = -1 }}"),
            "fatigue of its plasticity is -1, which is not finite",
        ),
        (
            format!("{rope}plastic = {{ yield = 0.1, breaks = 0 }}"),
            "breaking strain of its plasticity is 0, which is not above 0",
        ),
        (format!("{cloth}bend_compliance = 1\nplastic_bend = {{ yield = 200 }}"), "is not within 0 .. pi rad"),
        (format!("{cloth}plastic_bend = {{ yield = 20 }}"), "there is no bending"),
        (
            format!("{cloth}bend = \"isometric\"\nbend_compliance = 1\nplastic_bend = {{ yield = 20 }}"),
            "`isometric`: it has no rest",
        ),
        (
            format!("{cloth}fabric = \"cotton\"\nmodel = \"fem\"\nplastic = {{ yield = 0.1 }}"),
            "`fem-triangle`: it has no rest",
        ),
        (format!("{solid}model = \"strain\"\nplastic = {{ yield = 0.1 }}"), "`strain-tet`: it has no rest"),
    ] {
        let error = strain(&text).expect_err("a refusal");
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn the_list_of_tables_is_that_of_scenes() {
    // Fluids and grains have no vertices that could be pinned, attached or joined.
    let (others, flowing) = SceneSpec::BODIES.split_at(SceneSpec::BODIES.len() - 2);
    assert_eq!((&BODIES.map(|(what, _)| what)[..], &["fluid", "grains"][..]), (others, flowing));
    let known = parse(Path::new("x"), "unknown = 1").unwrap_err().to_string();
    let known = known.split_once("known are ").expect("a list of keys").1.to_owned();
    let arrays: Vec<_> = known.split(", ").filter(|key| parse(Path::new("x"), &format!("[[{key}]]")).is_ok()).collect();
    let mut tables = SceneSpec::TABLES.to_vec();
    tables.sort_unstable();
    let mut sorted = arrays.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, tables);
    for table in SceneSpec::TABLES.iter().filter(|table| !["cloth", "collider"].contains(table)) {
        let error = load("flag", &[format!("{table}.name=x")]).unwrap_err().to_string();
        assert!(error.ends_with(&format!("the scene has no {table}")), "{error}");
    }
}

#[test]
fn all_bodies_have_a_velocity() {
    for (what, keys) in BODIES {
        for (before, after) in moved(&format!("gravity = [0, 0, 0]\n[[{what}]]\n{keys}velocity = [0, 0, 3]")) {
            let way: [f32; 3] = std::array::from_fn(|k| after[k] - before[k]);
            assert!(near(way[0], 0.0) && near(way[1], 0.0) && near(way[2], 0.3), "{what}: {way:?}");
        }
    }
}

#[test]
fn pins_of_all_bodies_follow_paths() {
    for (what, keys) in BODIES {
        let pins = format!(
            "[[{what}.moving_pins]]\npin_vertices = [0]\nmotion = {{ path = \"linear\", velocity = [0, 2, 0] }}\n"
        );
        let way = moved(&format!("[[{what}]]\n{keys}{pins}"));
        assert!(near(way[0].1[1] - way[0].0[1], 0.2), "{what}: {:?}", way[0]);
        let error =
            solver(&format!("[[{what}]]\n{keys}{}", pins.replace("pin_vertices = [0]", "pin_sides = [\"min-x\"]")));
        match what {
            "soft_body" => assert!(error.is_ok()),
            _ => {
                let error = error.err().unwrap_or_else(|| panic!("{what} has no sides"));
                let says =
                    format!("{what} 0, moving_pins 0: `pin_sides` names sides of a solid; give it `pin_vertices`");
                assert!(error.ends_with(&says), "{error}");
            }
        }
    }
}

#[test]
fn all_bodies_are_attached_to_obstacles() {
    let limb = "[[obstacle]]\nname = \"arm\"\nlimb = { bend = 0 }\nposition = [0, -2, 0]\n\
                motion = { path = \"linear\", velocity = [0, 2, 0] }\n";
    for (what, keys) in BODIES {
        let table = |named: &str| format!("[[{what}]]\n{keys}[[{what}.attach]]\nto = \"arm\"\n{named}\n{limb}");
        let way = moved(&table("pin_vertices = [1]"));
        assert!(near(way[1].1[1] - way[1].0[1], 0.2), "{what}: {:?}", way[1]);
        let tethered = solver(&table("pin_vertices = [1]\nmax_distance = 0.01"));
        assert!(tethered.is_ok(), "{what}: {:?}", tethered.err());
        let error = solver(&table("pin = [\"corners\"]"));
        match what {
            "cloth" => assert!(error.is_ok()),
            _ => {
                let error = error.err().unwrap_or_else(|| panic!("{what} has no corners"));
                assert!(error.contains(&format!("{what} 0, attach 0: `pin` names parts of a grid; a")), "{error}");
                assert!(error.ends_with("is attached by `pin_vertices`"), "{error}");
            }
        }
    }
}

#[test]
fn the_air_drags_at_what_has_triangles() {
    for (what, keys) in BODIES {
        let text = format!("gravity = [0, 0, 0]\nair.wind = [0, 0, 20]\n[[{what}]]\n{keys}drag = 1.2\nlift = 1\n");
        if ["rope", "rod"].contains(&what) {
            let error = solver(&text).err().unwrap_or_else(|| panic!("{what}: it has no triangles"));
            assert!(error.contains("unknown key `drag`"), "{error}");
            continue;
        }
        let text = text + "rotation = { axis = [1, 0, 0], degrees = 60 }";
        let way = moved(&text);
        let mean = way.iter().map(|(before, after)| after[2] - before[2]).sum::<f32>() / way.len() as f32;
        assert!(mean > 1e-4, "{what}: {mean}");
    }
}

#[test]
fn rows_of_any_kind_go_on_all_bodies() {
    for (what, keys) in BODIES {
        let springs = |rows: &str| -> usize {
            let solver = solver(&format!("[[{what}]]\n{keys}{rows}")).unwrap_or_else(|e| panic!("{what}: {e}"));
            solver.plan().families().filter(|family| family.0 == "distance").map(|family| family.1).sum()
        };
        let rows = format!("[[{what}.constraint]]\nkind = \"distance\"\nat = [[0, 5]]\nrest = [0.25]\n");
        assert_eq!(springs(&rows), springs("") + 1, "{what}");
    }
}

#[test]
fn wrong_types_are_named_with_their_key() {
    for (text, says) in [
        (
            "fps = 3\n\n[[rope]]\nfriction = \"much\"",
            "line 4: `rope.friction`: invalid type: string \"much\", expected a number",
        ),
        ("[solver]\nsubsteps = -1", "line 2: `solver.substeps`: neither a whole number up to 4294967295 nor \"auto\""),
        (
            "[[soft_body]]\n[[soft_body.attach]]\npin_vertices = 3",
            "line 3: `soft_body.attach.pin_vertices`: invalid type",
        ),
        ("[[cloth]\n", "line 1: "),
    ] {
        let error = parse(Path::new("my.toml"), text).unwrap_err().to_string();
        assert!(error.contains(says), "{error} and not {says}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let error = load("flag", &["cloth.density=heavy".to_owned()]).unwrap_err().to_string();
    assert!(error.contains("--set cloth.density=heavy: `cloth.density`: invalid type"), "{error}");
}

/// A change to points takes the line's keys away.
#[test]
fn points_take_the_place_of_a_line() {
    let spec = load("chain", &["rope.points=[[0, 0, 0], [1, 0, 0]]".to_owned()]).expect("known keys");
    assert_eq!(spec.rope[0].points.len(), 2);
    let text = to_toml(&spec).expect("text");
    assert!(!text.contains("segments") && !text.contains("from"), "{text}");
}

/// Names that nobody gave are those of tables; one that another body has is not taken.
#[test]
fn bodies_without_names_have_those_of_their_tables() {
    let of = |text: &str| {
        solver(text).map(|solver| {
            let plan = solver.plan();
            plan.body_ids().map(|body| plan.body_name(body).to_owned()).collect::<Vec<_>>()
        })
    };
    let cloth = "[[cloth]]\nresolution = 3\n";
    let text = format!("{cloth}{cloth}name = \"flag\"\n{cloth}[[rope]]\nsegments = 3\n");
    assert_eq!(of(&text).unwrap(), ["cloth-0", "flag", "cloth-2", "rope-0"]);
    let text = format!("{text}name = \"cloth-2\"\n[[shape_matched]]\ndetail = 1\n");
    assert_eq!(of(&text).unwrap(), ["cloth-0", "flag", "body-2", "cloth-2", "shape_matched-0"]);
    let joined = format!("{text}[[join]]\na = \"cloth-0\"\nb = \"shape_matched-0\"\npairs = [[0, 0]]\n");
    assert!(of(&joined).is_ok());
}

/// What is no place, turn or velocity is said of the key, not of a mesh.
#[test]
fn keys_that_are_no_places_are_named() {
    for (what, keys) in BODIES {
        let placed = !["rope", "rod"].contains(&what);
        for (key, says) in [
            ("position = [0, 0, 2e6]", "position has 2000000, which is not within +-1e6 m"),
            ("velocity = [2e6, 0, 0]", "velocity has 2000000, which is not within +-1e6 m/s"),
        ] {
            if placed || key.starts_with("velocity") {
                let spec = parse(Path::new("my.toml"), &format!("[[{what}]]\n{keys}{key}")).expect("its keys exist");
                let error = build("my.toml", &spec).unwrap_err().to_string();
                assert!(error.contains(&format!("{what} 0: {says}")), "{error}");
            }
        }
        for (key, says) in [
            ("position = [0, nan, 0]", "position` is nan, which is no number"),
            ("position = [-inf, 0, 0]", "position` is -inf, and numbers go up to 3.4e38"),
            ("rotation = { axis = [0, nan, 1], degrees = 1 }", "rotation.axis` is nan, which is no number"),
            ("rotation = { axis = [0, 0, 1], degrees = inf }", "rotation.degrees` is inf, and numbers go up to 3.4e38"),
            ("velocity = [0, 0, nan]", "velocity` is nan, which is no number"),
        ] {
            if placed || key.starts_with("velocity") {
                let error = parse(Path::new("my.toml"), &format!("[[{what}]]\n{keys}{key}")).unwrap_err().to_string();
                assert!(error.contains(&format!("`{what}.{says}")), "{error}");
            }
        }
    }
}

#[test]
fn a_table_in_place_of_a_list_is_named() {
    let refused = |text: &str| parse(Path::new("my.toml"), text).unwrap_err().to_string();
    assert_eq!(refused("[cloth]\nresolution = 3"), "my.toml: line 1: `cloth` is a list: write [[cloth]]");
    let error = refused("[[rope]]\nsegments = -4");
    assert!(error.starts_with("my.toml: line 2: `rope.segments`"), "{error}");
}

/// A table's own method stands before the scene's.
#[test]
fn bodies_have_methods_of_their_own() {
    let jacobi = |relaxation| Method::Jacobi { relaxation };
    for table in ["cloth", "rope", "soft_body", "shape_matched", "balloon"] {
        for (scene, own, want) in [
            ("", "", Method::GaussSeidel),
            ("", "method = \"jacobi\"", jacobi(1.0)),
            ("", "method = \"jacobi\"\nmethod_relaxation = 1.3", jacobi(1.3)),
            ("solver.method = \"jacobi\"\nsolver.relaxation = 1.2\n", "", jacobi(1.2)),
            ("solver.method = \"jacobi\"\n", "method = \"gauss-seidel\"", Method::GaussSeidel),
        ] {
            let solver =
                solver(&format!("{scene}[[{table}]]\n{own}")).unwrap_or_else(|e| panic!("{table}, {own}: {e}"));
            let body = solver.plan().body_ids().next().expect("a body");
            assert_eq!(solver.plan().method_of(body), want, "{table}, {scene}{own}");
        }
    }
    for (text, says) in [
        ("[[rope]]\nmethod_relaxation = 1.3", "`method_relaxation` is for the method jacobi"),
        (
            "[[rope]]\nmethod = \"gauss-seidel\"\nmethod_relaxation = 1.3",
            "`method_relaxation` is for the method jacobi",
        ),
        ("[[rope]]\nmethod = \"jacobi\"\nmethod_relaxation = 2", "relaxation is 2, which is not within 0.01 .. 1.99"),
        ("[[rope]]\nmethod = \"newton\"", "line 2: `rope.method`: unknown value `newton`"),
        ("[[rod]]\nmethod = \"jacobi\"", "has frames, which the method jacobi cannot solve: use gauss-seidel"),
    ] {
        let error = solver(text).err().unwrap_or_default();
        assert!(error.contains(says), "{text}: {error}");
    }
}
