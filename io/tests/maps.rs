//! Numbers by vertex in scene files: what maps say, what they refuse, and the same bits as plain keys where they say
//! one number.

use std::path::Path;

use seidel::{Input, Plan, Solver};
use seidel_io::scene::{build, load, parse, to_toml};

use super::selections::built;

/// The state of a scene after some frames.
fn hash(text: &str) -> u64 {
    let scene = built(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut solver = Solver::new(&scene).unwrap_or_else(|e| panic!("{text}: {e}"));
    let before = solver.state().hash();
    for _ in 0..10 {
        solver.step(&Input::frame(1.0 / 60.0));
    }
    assert_ne!(before, solver.state().hash(), "{text}: it stands still");
    solver.state().hash()
}

/// Each table with a key, and with a map that says the same of all vertices, behind a key that says something else.
#[test]
fn a_map_of_one_number_is_the_plain_key() {
    let ground = "[[collider]]\nposition = [0, -0.02, 0]\n";
    let cloth = "resolution = 6\nrotation = { axis = [1, 0, 0], degrees = 20 }\nfriction = 0.2\nstretch_compliance = 1e-4\n\
                 bend_compliance = 10\ncompress = 1e-3\nshear_compliance = 1e-3\nthickness = 0.004\ndensity = 0.3\n";
    let of_cloth =
        ["density", "stretch_compliance", "compress", "shear_compliance", "bend_compliance", "thickness", "friction"];
    let pbd =
        "resolution = 6\nstretch_stiffness = 0.7\nshear_stiffness = 0.1\nbend_stiffness = 0.02\npin = [\"corners\"]\n";
    let balloon =
        "detail = 2\nposition = [0, 0.2, 0]\npressure = 1.1\nstretch_compliance = 1e-3\nbend_compliance = 1\n";
    let solid = "size = [0.4, 0.2, 0.2]\ncells = [3, 2, 2]\nposition = [0, 0.1, 0]\nyoung = 3e4\n";
    let rope = "from = [0, 0, 0]\nto = [1, 0, 0]\nsegments = 8\npin_vertices = [0]\nstretch_compliance = 1e-3\n";
    let rod = "from = [0, 0, 0]\nto = [1, 0, 0]\nsegments = 8\nthickness = 0.01\nradius = 0.004\ndensity = 900\nyoung = 2e5\n";
    let woven = "resolution = 6\nfabric = \"silk\"\nmodel = \"strain\"\nrotation = { axis = [1, 0, 0], degrees = 20 }\n\
                 stretch_factor = 0.5\nshear_factor = 3\nbend_factor = 5\n";
    let cases: [(&str, &str, &[&str]); 8] = [
        ("cloth", woven, &["stretch_factor", "shear_factor", "bend_factor"]),
        ("cloth", cloth, &of_cloth),
        ("cloth", pbd, &["stretch_stiffness", "shear_stiffness", "bend_stiffness"]),
        ("balloon", balloon, &["density", "stretch_compliance", "bend_compliance", "thickness", "friction"]),
        ("soft_body", solid, &["density", "young", "thickness", "friction"]),
        ("rope", rope, &["stretch_compliance", "thickness", "friction"]),
        ("rod", rod, &["thickness", "friction", "radius", "density", "young"]),
        ("shape_matched", "detail = 1\nposition = [0, 0.2, 0]\n", &["thickness", "friction"]),
    ];
    for (table, keys, mapped) in cases {
        let plain = hash(&format!("{ground}[[{table}]]\n{keys}"));
        for key in mapped {
            let line = keys.lines().find(|line| line.starts_with(&format!("{key} = ")));
            let default = match (table, *key) {
                ("soft_body", "density") => "1000",
                (_, "density") => "0.2",
                (_, "friction") => "0.5",
                ("rope", "thickness") => "0.005",
                ("soft_body", "thickness") => "0.001",
                _ => "0.002",
            };
            let value = line.map_or(default, |line| line.split(" = ").nth(1).expect("a value"));
            let rest = keys.lines().filter(|other| Some(*other) != line).collect::<Vec<_>>().join("\n");
            let map = format!("[[{table}.map]]\nkey = \"{key}\"\nvalue = {value}\n");
            assert_eq!(hash(&format!("{ground}[[{table}]]\n{rest}\n{map}")), plain, "{table}: {key}");
            // Over all halves of space, above another number.
            let half = |side: &str| format!("{map}where = [{{ side = [[0.1, 0, 0], [{side}, 0, 0]] }}]\n");
            let halves = format!("{}{}", half("1"), half("-1"));
            assert_eq!(hash(&format!("{ground}[[{table}]]\n{rest}\n{halves}")), plain, "{table}: {key}, by halves");
        }
    }
}

#[test]
fn maps_lie_over_one_another_and_over_the_key() {
    // Of `strip`: x of vertices 0 and 1 is 0, of the next two 1, and so on; a vertex has a third of each square metre
    // beside it.
    let masses = |maps: &str| {
        let scene = built(&format!("[[cloth]]\nmesh = \"strip.obj\"\ndensity = 6\n{maps}")).unwrap();
        let plan = Plan::new(&scene).unwrap();
        let masses = plan.inv_masses(plan.body_ids().next().unwrap());
        masses.iter().map(|w| (1.0 / w * 100.0).round() / 100.0).collect::<Vec<f32>>()
    };
    assert_eq!(masses(""), [1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 2.0, 1.0]);
    let far = "[[cloth.map]]\nkey = \"density\"\nvalue = 12\nwhere = [{ group = \"far\" }]\n";
    assert_eq!(masses(far), [2.0, 2.0, 6.0, 3.0, 3.0, 3.0, 2.0, 1.0]);
    let middle = "[[cloth.map]]\nkey = \"density\"\nvalue = 18\nwhere = [{ group = \"middle\" }]\n";
    assert_eq!(masses(&format!("{far}{middle}")), [2.0, 2.0, 9.0, 9.0, 9.0, 3.0, 2.0, 1.0], "the last counts");
    let painted = "[[cloth.map]]\nkey = \"density\"\nattribute = \"x\"\nrange = [0.1, 0.2]\nfrom = 6\nto = 18\n";
    assert_eq!(masses(painted), [1.0, 2.0, 3.0, 3.0, 9.0, 9.0, 6.0, 3.0]);
    let log = "[[cloth.map]]\nkey = \"density\"\nattribute = \"x\"\nrange = [0, 0.2]\nfrom = 6\nto = 600\nlog = true\n";
    assert_eq!(masses(log), [1.0, 2.0, 30.0, 30.0, 300.0, 300.0, 200.0, 100.0]);
    let backwards = "[[cloth.map]]\nkey = \"density\"\nattribute = \"steep\"\nrange = [1, 0]\nfrom = 6\nto = 12\n";
    assert_eq!(masses(backwards), [2.0, 4.0, 6.0, 6.0, 3.0, 3.0, 2.0, 1.0]);
    let some =
        "[[cloth.map]]\nkey = \"density\"\nattribute = \"x\"\nfrom = 6\nto = 66\nwhere = [{ group = \"far\" }]\n";
    assert_eq!(masses(some), [1.0, 2.0, 6.0, 3.0, 3.0, 3.0, 2.0, 1.0], "a tenth of the way, in the group alone");
}

#[test]
fn maps_that_mean_nothing_are_refused() {
    let refused = |text: &str, wanted: &str| {
        let error = match built(text) {
            Ok(scene) => Plan::new(&scene).expect_err(text).to_string(),
            Err(error) => error,
        };
        assert!(error.contains(wanted), "{text}:\n{error}\nshould say: {wanted}");
    };
    let with =
        |keys: &str, map: &str| format!("[[cloth]]\nname = \"c\"\nmesh = \"strip.obj\"\n{keys}\n[[cloth.map]]\n{map}");
    refused(
        &with("", "key = \"densty\"\nvalue = 1"),
        "cloth `c`, map 0: `key` is `densty`; did you mean `density`?; maps are of",
    );
    refused(&with("", "value = 1"), "map 0: `key` is ``; maps are of `density`");
    refused(&with("", "key = \"shear_compliance\"\nvalue = 1"), "`key` is `shear_compliance`");
    refused(&with("", "key = \"density\""), "map 0: give it `value`, or `attribute` with `from` and `to`");
    refused(&with("", "key = \"density\"\nvalue = 1\nattribute = \"x\""), "give it `value` or `attribute`, not both");
    refused(&with("", "key = \"density\"\nvalue = 1\nfrom = 1"), "`from` means nothing without `attribute`");
    refused(&with("", "key = \"density\"\nvalue = 1\nlog = true"), "`log` means nothing without `attribute`");
    refused(&with("", "key = \"density\"\nattribute = \"x\"\nfrom = 1"), "`attribute` wants `from` and `to`");
    let painted = "key = \"density\"\nattribute = \"x\"\nfrom = 1\nto = 2\n";
    refused(&with("", &format!("{painted}range = [1, 1]")), "`range` is [1, 1], which are not two numbers apart");
    let log = "key = \"density\"\nattribute = \"x\"\nfrom = 1\nto = 0\nlog = true";
    refused(&with("", log), "`to` is 0, which is not above 0, as `log` wants it");
    refused(
        &with("", &painted.replace("\"x\"", "\"y\"")),
        "strip.obj has no attribute `y`; did you mean `x`?; it has `x`, `steep`",
    );
    let some = "value = 1\nwhere = [{ group = \"far\" }]\n";
    let left_out = "cloth `c`: its maps of `bend_compliance` leave out vertex 1; give the body a `bend_compliance`";
    refused(&with("", &format!("key = \"bend_compliance\"\n{some}")), left_out);
    refused(
        &with("", "key = \"density\"\nvalue = 1\nwhere = [{ group = \"fr\" }]"),
        "map 0, where 0: strip.obj has no group `fr`",
    );
    let twice = format!("key = \"stretch_stiffness\"\n{some}");
    refused(&with("stretch_compliance = 1e-6", &twice), "its maps of `stretch_stiffness` leave out vertex 1");
    let both = "key = \"stretch_stiffness\"\nvalue = 1";
    refused(&with("stretch_compliance = 1e-6", both), "give stretch_compliance or stretch_stiffness, not both");
    let fabric = format!("key = \"stretch_compliance\"\n{some}");
    refused(&with("fabric = \"denim\"\nstretch_compliance = 1e-6", &fabric), "its fabric says how stiff it is");
    refused(&with("fabric = \"denim\"", "key = \"bend_compliance\"\nvalue = 1"), "so `bend_compliance` means nothing");
    refused(
        &with("", "key = \"friction\"\nvalue = -1"),
        "cloth `c`, map 0: `friction` of vertex 0 is -1, which is not within 0 .. 1e6",
    );
    refused(
        "[[rope]]\n[[rope.map]]\nkey = \"density\"\nvalue = 1",
        "maps are of `stretch_compliance`, `stretch_stiffness`, `thickness`",
    );
    let solid = "[[soft_body]]\nstiffness = 0.5\n[[soft_body.map]]\nkey = \"young\"\nvalue = 1";
    refused(solid, "`stiffness` says how stiff it is, so `young` means nothing");
    refused("[[cloth]]\nmap = { key = \"density\" }", "`cloth.map` is a list: write [[cloth.map]]");
}

#[test]
fn maps_are_written_as_they_are_read() {
    let text = "[[cloth]]\nmesh = \"a.ply\"\npin_where = [{ group = \"g\", side = [[0, 0.1, 0], [0, 1, 0]] }, { ball = [0, 0, 0, 0.3] }]\n\
                [[cloth.map]]\nkey = \"density\"\nattribute = \"x\"\nfrom = 0.1\nto = 2\nlog = true\nrange = [0, 255]\n\
                where = [{ attribute = \"y\", above = 0.5 }, { box = [[0, 0, 0], [1, 1, 1]] }]\n[[cloth.map]]\nkey = \"friction\"\nvalue = 0.1\n";
    let spec = parse(Path::new("x"), text).unwrap();
    let written = to_toml(&spec).unwrap();
    assert_eq!(parse(Path::new("x"), &written).unwrap(), spec, "{written}");
    assert!(spec.names_maps_of("a.ply") && !spec.names_maps_of("b.ply"));
    let plain = parse(Path::new("x"), "[[cloth]]\nmesh = \"a.ply\"\npin_where = [{ ball = [0, 0, 0, 1] }]").unwrap();
    assert!(!plain.names_maps_of("a.ply"), "places need nothing of the file");
}

#[test]
fn errors_of_maps_name_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.toml");
    let path = path.to_str().unwrap();
    let line = |text: &str| {
        std::fs::write(path, text).unwrap();
        let error = build(path, &load(path, &[]).unwrap()).unwrap_err().to_string();
        let line =
            error.split("line ").nth(1).unwrap_or_else(|| panic!("{error}")).split(':').next().unwrap().to_owned();
        line.parse::<u32>().unwrap()
    };
    let cloth = "[[cloth]]\ndensity = 1\nresolution = 4\n";
    assert_eq!(
        line(&format!(
            "{cloth}[[cloth.map]]\nkey = \"density\"\nvalue = 1\n[[cloth.map]]\nvalue = 1\nkey = \"densty\"\n"
        )),
        9
    );
    assert_eq!(line(&format!("{cloth}pin_where = [\n{{ ball = [0, 0, 0, 1] }},\n{{ ball = [0, 9, 0, 1] }},\n]")), 6);
    let nowhere = "key = \"density\"\nvalue = 1\nwhere = [\n{ ball = [0, 9, 0, 1] }]";
    assert_eq!(line(&format!("{cloth}[[cloth.map]]\n{nowhere}")), 8);
}

/// Groups of an OBJ file and numbers painted in a PLY file pin and stiffen a cloth, also where a repair has dropped
/// vertices.
#[test]
fn files_pin_and_paint() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    // A strip of three squares; the first vertex is one that no face uses.
    let points = ["9 9 9", "0 0 0", "1 0 0", "2 0 0", "3 0 0", "0 0 1", "1 0 1", "2 0 1", "3 0 1"];
    let squares = [[1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 8, 4]];
    let mut obj: String = points.iter().map(|p| format!("v {p}\n")).collect();
    for (name, square) in ["left", "middle", "right"].iter().zip(squares) {
        obj += &format!("g {name}\nf {}\n", square.map(|v| (v + 1).to_string()).join(" "));
    }
    std::fs::write(at("strip.obj"), obj).expect("written");
    let mut ply = "ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nproperty float y\nproperty float z\nproperty float soft\n\
                   element face 3\nproperty list uchar uint vertex_indices\nend_header\n"
        .to_owned();
    ply.extend(points.iter().enumerate().map(|(v, p)| format!("{p} {}\n", if v % 4 == 1 { 0.0 } else { 1.0 })));
    ply.extend(squares.iter().map(|s| format!("4 {} {} {} {}\n", s[0], s[1], s[2], s[3])));
    std::fs::write(at("strip.ply"), ply).expect("written");
    let planned = |mesh: &str, keys: &str| {
        let text = format!("[[cloth]]\nmesh = \"{mesh}\"\nrepair = true\n{keys}\n");
        std::fs::write(at("scene.toml"), text).expect("written");
        let scene = at("scene.toml").to_string_lossy().into_owned();
        let spec = load(&scene, &[]).unwrap_or_else(|e| panic!("{e}"));
        build(&scene, &spec).map(|scene| Plan::new(&scene).expect("a sound scene")).map_err(|e| e.to_string())
    };
    let fixed = |plan: &Plan| {
        let masses = plan.inv_masses(plan.body_ids().next().expect("a body"));
        (0..masses.len()).filter(|&v| masses[v] == 0.0).collect::<Vec<_>>()
    };
    let plan = planned("strip.obj", "pin_where = [{ group = \"right\" }]").expect("pinned");
    assert_eq!(fixed(&plan), [2, 3, 6, 7], "as the repair has numbered them");
    let plan = planned("strip.ply", "pin_where = [{ attribute = \"soft\", above = 0.5 }]").expect("pinned");
    assert_eq!(fixed(&plan).len(), 6);
    let error = planned("strip.obj", "pin_where = [{ group = \"rihgt\" }]").expect_err("no such group");
    assert!(error.contains("rihgt") && error.contains("`right`"), "{error}");
}

/// Where maps leave vertices out, these have what the body has without a word of the key.
#[test]
fn a_default_counts_as_a_number() {
    let numbers = |more: &str, map: &str| {
        let scene = built(&format!("[[cloth]]\nmesh = \"strip.obj\"\n{more}\n[[cloth.map]]\n{map}"))
            .unwrap_or_else(|e| panic!("{e}"));
        let plan = seidel::Plan::new(&scene).expect("a sound scene");
        plan.inv_masses(plan.body_ids().next().expect("a body"))
    };
    let part = "where = [{ group = \"far\" }]";
    let plain = numbers("", &format!("key = \"thickness\"\nvalue = 0.01\n{part}"));
    let heavy = numbers("", &format!("key = \"density\"\nvalue = 0.4\n{part}"));
    assert!((0..8).all(|v| (heavy[v] - plain[v]).abs() < 1e-6 * plain[v] || v < 4), "{heavy:?} {plain:?}");
    assert!((2.0 * heavy[0] - plain[0]).abs() < 1e-4 * plain[0], "twice as heavy: {heavy:?} {plain:?}");
    let of_silk = numbers("fabric = \"silk\"", &format!("key = \"density\"\nvalue = 0.069\n{part}"));
    assert!((of_silk[7] / plain[7] - 0.2 / 0.069).abs() < 1e-3, "{of_silk:?}");
    numbers("", &format!("key = \"stretch_compliance\"\nvalue = 1e-3\n{part}"));
}

/// A number that a key cannot have is the map's, and of a line.
#[test]
fn a_maps_number_beyond_its_limits_names_the_map() {
    let of = |map: &str| {
        let text = format!(
            "[[cloth]]\nmesh = \"strip.obj\"\nfriction = 0.3\n[[cloth.map]]\nkey = \"friction\"\nvalue = 1\n[[cloth.map]]\n{map}"
        );
        built(&text).map(drop).expect_err("a refusal")
    };
    let error = of("key = \"density\"\nvalue = -1");
    assert!(error.contains(", map 1: `density` of vertex 0 is -1, which is not within 1e-9 .. 1e9"), "{error}");
    let error = of("key = \"friction\"\nattribute = \"x\"\nfrom = 0\nto = 1e7");
    assert!(error.contains(", map 1: `friction` of vertex 4 is ") && error.ends_with("not within 0 .. 1e6"), "{error}");
}

/// A scene of ten thousand maps would take what none of them takes.
#[test]
fn maps_count_in_memory() {
    let text = |maps: usize| {
        let map = "[[cloth.map]]\nkey = \"friction\"\nvalue = 0.3\n";
        format!("[[cloth]]\nresolution = 40\n{}", map.repeat(maps))
    };
    let built = |maps: usize, memory: u64| {
        let spec = seidel_io::scene::parse(Path::new("my.toml"), &text(maps)).unwrap();
        seidel_io::scene::build_within("my", &spec, memory, &|_, _| {}).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(built(2, 4_000_000), Ok(()));
    let error = built(200, 4_000_000).unwrap_err();
    assert!(error.contains("cloth 0: `map` means that the scene needs ") && error.contains("change `map`"), "{error}");
}

/// Many selections of many vertices are one set of pins; many that move, or are attached, are each a list.
#[test]
fn selections_count_in_memory() {
    let all = "pin_where = [{ ball = [0, 0, 0, 9] }]\n";
    let built = |text: &str, memory: u64| {
        let text = format!("[[cloth]]\nresolution = 40\n{text}");
        let spec = seidel_io::scene::parse(Path::new("my.toml"), &text).unwrap();
        seidel_io::scene::build_within("my", &spec, memory, &|_, _| {}).map(|_| ()).map_err(|e| e.to_string())
    };
    let pins = format!("pin_where = [{}]", "{ ball = [0, 0, 0, 9] }, ".repeat(1000));
    assert_eq!(built(&pins, 4_000_000), Ok(()));
    let moving = format!("[[cloth.moving_pins]]\n{all}motion = {{ path = \"linear\", velocity = [0, 2, 0] }}\n");
    let error = built(&moving.repeat(1000), 4_000_000).unwrap_err();
    assert!(error.contains("cloth 0: `moving_pins` means that the scene needs "), "{error}");
    let obstacle = "[[obstacle]]\nname = \"o\"\nlimb.radius = 0.05\n";
    let attached = format!("[[cloth.attach]]\nto = \"o\"\n{all}").repeat(1000);
    let error = built(&(attached + obstacle), 4_000_000).unwrap_err();
    assert!(error.contains("cloth 0: `attach` means that the scene needs "), "{error}");
}
