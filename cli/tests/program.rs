//! The program as a user meets it: what works, and what is refused in one clear line with nothing left behind.

use std::path::Path;
use std::process::{Command, Output};

fn seidel(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs in an empty folder and expects exit code `code`, `says` in one line of errors, and no new file.
fn refused(args: &[&str], code: i32, says: &str) {
    let folder = tempfile::tempdir().unwrap();
    refused_in(folder.path(), args, code, says);
}

fn refused_in(folder: &Path, args: &[&str], code: i32, says: &str) {
    let files = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    let before = files(folder);
    let output = seidel(folder, args);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {errors}");
    assert!(errors.contains(says), "{args:?}: {errors}");
    if code == 1 {
        assert_eq!(errors.lines().count(), 1, "{args:?}: {errors}");
    }
    assert_eq!(files(folder), before, "{args:?} left a file");
}

const SMALL: [&str; 4] = ["--set", "cloth.resolution=16", "--frames", "3"];

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["run"].into_iter().chain(SMALL).chain(more.iter().copied()).collect()
}

#[test]
fn a_run_prints_its_table_and_writes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let output = seidel(folder.path(), &run(&["--out", "a.html", "--out", "a.npz", "--stats", "s.json"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "quiet when piped: {}", text(&output.stderr));
    let table = text(&output.stdout);
    for word in
        ["particles", "256", "distance", "dihedral", "colors", "real-time factor", "stretch", "state hash", "p99"]
    {
        assert!(table.contains(word), "no {word} in\n{table}");
    }
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("s.json")).unwrap()).unwrap();
    for key in ["scene", "frames", "particles", "constraints", "colors", "threads", "isa", "plan_ms", "max_stretch"] {
        assert!(!stats[key].is_null(), "no {key} in {stats}");
    }
    assert_eq!(stats["frames"], 3);
    assert!(stats["stage_ms"]["contacts"]["p99"].is_f64() && stats["frame_ms"]["median"].is_f64());
    assert!(table.contains(stats["state_hash"].as_str().unwrap()));
    assert!(folder.path().join("a.html").exists() && folder.path().join("a.npz").exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

/// Bodies that go through each other at the end are named; the parts of contacts have their times.
#[test]
fn what_stays_tangled_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (scene, tangled) in [("tangled", 3), ("layers", 0)] {
        let output =
            seidel(folder.path(), &["run", scene, "--set", "cloth.resolution=12", "--frames", "3", "--stats", "-"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(stats["tangled"].as_array().map_or(0, Vec::len), tangled, "{stats}");
        let said = text(&output.stderr);
        let of = "warning: bodies `sheet-0` and `sheet-1` go through each other at the end";
        assert_eq!(said.contains(of), tangled > 0, "{said}");
        assert!(said.contains("    pair lists"), "{said}");
        // Parts that the scene has, and no others.
        let mut parts: Vec<_> = stats["contact_ms"].as_object().unwrap().keys().map(String::as_str).collect();
        parts.sort_unstable();
        let both = ["pair_clusters", "pair_lists", "pair_contacts", "pair_clamp", "collider_particles"];
        let balls = if scene == "layers" { &["collider_triangles"][..] } else { &[] };
        let mut expected = [&both[..], balls].concat();
        expected.sort_unstable();
        assert_eq!(parts, expected, "{scene}");
    }
}

#[test]
fn lanes_and_threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let hash = |more: &[&str]| {
        let output = seidel(folder.path(), &[&["run", "--set", "cloth.resolution=48", "--frames", "4"], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let table = text(&output.stdout);
        table.lines().find(|l| l.contains("state hash")).unwrap().split_whitespace().last().unwrap().to_owned()
    };
    let scalar = hash(&["--isa", "scalar", "--threads", "1"]);
    assert_eq!(hash(&["--isa", "portable", "--threads", "16"]), scalar);
    assert_eq!(hash(&[]), scalar);
}

/// The solver is named in table and figures; the key of one method does not hinder a comparison with the other.
#[test]
fn a_solver_is_chosen_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let stats = |more: &[&str]| -> (serde_json::Value, String) {
        let output = seidel(folder.path(), &run(&[&["curtain", "--stats", "-"], more].concat()));
        assert!(output.status.success(), "{}", text(&output.stderr));
        (serde_json::from_slice(&output.stdout).unwrap(), text(&output.stderr))
    };
    let (plain, table) = stats(&[]);
    assert_eq!((&plain["solver"], &plain["relaxation"]), (&"gauss-seidel".into(), &serde_json::Value::Null));
    assert!(table.contains("gauss-seidel, 40 substeps x 1 sweeps"), "{table}");
    let (jacobi, table) = stats(&["--solver", "jacobi", "--set", "solver.relaxation=1.25", "--iterations", "2"]);
    assert_eq!((&jacobi["solver"], &jacobi["relaxation"]), (&"jacobi".into(), &1.25.into()));
    assert_eq!((&jacobi["substeps"], &jacobi["iterations"]), (&40.into(), &2.into()));
    assert!(table.contains("jacobi, relaxation 1.25, 40 substeps x 2 sweeps"), "{table}");
    assert_ne!(jacobi["state_hash"], plain["state_hash"]);
    let jacobi = ["--set", "solver.method=jacobi", "--set", "solver.relaxation=1.25"];
    let (back, _) = stats(&[&jacobi[..], &["--solver", "gauss-seidel"]].concat());
    assert_eq!(back["state_hash"], plain["state_hash"]);
    refused(&run(&["--solver", "chebyshev"]), 2, "[possible values: gauss-seidel, jacobi]");
    refused(&run(&["--set", "solver.relaxation=1.25"]), 1, "`relaxation` is for the method jacobi");
    refused(&run(&["--solver", "jacobi", "--set", "solver.relaxation=2"]), 1, "relaxation is 2, which is not within");
}

#[test]
fn usage_errors_exit_with_2() {
    refused(&run(&["--substeps", "0"]), 2, "a whole number from 1 to 100000, or `auto`, is wanted");
    refused(&["run", "--frames", "0"], 2, "--frames");
    refused(&["run", "--frames", "1e3"], 2, "'--frames <FRAMES>': a whole number from 1 to 4294967295 is wanted");
    refused(&["run", "--fps", "x"], 2, "'--fps <FPS>': a number is wanted");
    refused(&["flag"], 2, "try `seidel run flag`");
    refused(&run(&["--iterations", "0"]), 2, "--iterations");
    refused(&run(&["--threads", "0"]), 2, "--threads");
    refused(&run(&["--isa", "mmx"]), 2, "`mmx` is no instruction set; take auto or one of scalar, portable");
    refused(&["ran"], 2, "ran");
    refused(&["check"], 2, "MESH");
}

#[test]
fn bad_input_exits_with_1_and_names_the_cause() {
    refused(&run(&["--fps", "-60"]), 1, "fps is -60");
    refused(&run(&["--fps", "nan"]), 1, "fps is NaN");
    refused(&["run", "nothere"], 1, "there is no scene `nothere`");
    refused(&["run", "clothsphere"], 1, "did you mean `cloth-sphere`?");
    refused(&["run", "nothere.toml"], 1, "nothere.toml: cannot be read");
    refused(&run(&["--set", "cloth.resolutoin=3"]), 1, "did you mean `resolution`?");
    refused(
        &["run", "--set", "cloth.resolution=1"],
        1,
        "body `cloth`: columns of the grid is 1, which is not 2 or more",
    );
    refused(&["run", "--set", "cloth.resolution=100000"], 1, "particles");
    refused(&run(&["--set", "cloth.density=-1"]), 1, "body `cloth`: density is -1");
    refused(&run(&["--set", "collider.sphere.radius=0"]), 1, "collider `sphere`: radius is 0");
    refused(&run(&["--set", "collider.sphere.motion.path=linear"]), 1, "missing field `velocity`");
    let mesh = ["run", "--set", "cloth.mesh=nothere.obj"];
    refused(&mesh, 1, "cloth-sphere: --set cloth.mesh=nothere.obj: cloth `cloth`: nothere.obj: cannot be read");
    refused(&run(&["--set", "cloth.mesh=a.obj"]), 1, "cloth `cloth`: `resolution` is for a grid");
    refused(&run(&["--set", "cloth.scale=0"]), 1, "cloth `cloth`: scale is 0, which is not above 0");
    refused(&run(&["--set", "cloth.size=[0, 1]"]), 1, "cloth `cloth`: size is 0, which is not above 0");
    refused(&["run", "--set", "frames=0"], 1, "frames is 0, which is not 1 or more");
    refused(&run(&["--set", "cloth.shirt.density=1"]), 1, "there is no cloth `shirt`; names are `cloth`");
    refused(&["run", "."], 1, ". is a folder; name a .toml file in it");
    for outputs in [["--out", "a.npz", "--out", "./a.npz"], ["--out", "a.html", "--stats", "a.html"]] {
        refused(&run(&outputs), 1, "two outputs go there");
    }
    let folder = tempfile::tempdir().unwrap();
    let text = "[[rope]]\n";
    std::fs::write(folder.path().join("own.toml"), text).unwrap();
    refused_in(folder.path(), &["run", "own.toml", "--stats", "./own.toml"], 1, "the scene is read from there");
    assert_eq!(std::fs::read_to_string(folder.path().join("own.toml")).unwrap(), text);
    refused(&run(&["--out", "nowhere/a.html"]), 1, "nowhere/a.html: cannot be written: there is no folder nowhere");
    refused(&run(&["--out", "a.gif"]), 1, "a.gif: no known ending");
    refused(&run(&["--stats", "nowhere/s.json"]), 1, "nowhere/s.json: cannot be written");
}

#[test]
fn bad_meshes_and_scenes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("empty.obj", b"");
    write("one.obj", b"v 0 0 0\n");
    write("random.obj", &(0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect::<Vec<_>>());
    write("twice.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 3\n");
    write("random.toml", &[0xff, 0x00, 0x13]);
    write("key.toml", b"[[cloth]]\nresolutoin = 4\n");
    for name in ["empty.obj", "one.obj", "random.obj"] {
        refused_in(folder.path(), &["check", name], 1, name);
        let mesh = format!("cloth.mesh={name}");
        refused_in(folder.path(), &["run", "--set", &mesh], 1, name);
    }
    let output = seidel(folder.path(), &["check", "twice.obj"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("duplicate"), "{}", text(&output.stdout));
    refused_in(folder.path(), &["run", "--set", "cloth.mesh=twice.obj"], 1, "duplicate");
    refused_in(folder.path(), &["run", "random.toml"], 1, "random.toml");
    refused_in(folder.path(), &["run", "key.toml"], 1, "key.toml: line 2: unknown key `resolutoin`");
    let json = seidel(folder.path(), &["check", "twice.obj", "--json"]);
    let reports: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(reports[0]["triangles"], 2);
}

#[test]
fn scenes_are_listed_and_printed_as_files() {
    let folder = tempfile::tempdir().unwrap();
    let list = text(&seidel(folder.path(), &["scenes"]).stdout);
    assert_eq!(list.lines().count(), seidel_scenes::NAMES.len());
    std::fs::write(folder.path().join("f.toml"), seidel(folder.path(), &["scenes", "flag"]).stdout).unwrap();
    let hash = |scene: &str| {
        let output = seidel(folder.path(), &["run", scene, "--set", "cloth.resolution=12", "--frames", "2"]);
        text(&output.stdout).lines().find(|l| l.contains("state hash")).unwrap().to_owned()
    };
    assert_eq!(hash("flag"), hash("f.toml"));
}

#[test]
fn a_scene_comes_from_a_pipe_and_figures_go_to_one() {
    use std::io::Write;
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_seidel"))
        .args(["run", "-", "--stats", "-", "--isa", "SCALAR"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"frames = 2\n[[rope]]\npin_vertices = [0]\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((stats["frames"].as_u64(), stats["isa"].as_str()), (Some(2), Some("scalar")));
    assert!(text(&output.stderr).contains("state hash"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_mesh_is_repaired_into_a_file_or_in_a_scene() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("bad.obj", "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0.1\nf 2 3 4\nf 2 3 4\n");
    write("bad.toml", "frames = 1\n[[cloth]]\nmesh = \"bad.obj\"\n");
    write("good.toml", "frames = 1\n[[cloth]]\nmesh = \"bad.obj\"\nrepair = true\npin_vertices = [1]\n");
    write("gone.toml", "frames = 1\n[[cloth]]\nmesh = \"bad.obj\"\nrepair = true\npin_vertices = [0]\n");
    refused_in(folder.path(), &["run", "bad.toml"], 1, "`seidel check bad.obj --repair OUT.obj` or `repair = true`");
    refused_in(folder.path(), &["run", "gone.toml"], 1, "cloth 0: vertex 0 is named, and the repair dropped it");
    assert!(seidel(folder.path(), &["run", "good.toml"]).status.success());
    let said = text(&seidel(folder.path(), &["check", "bad.obj"]).stdout);
    assert!(said.contains("seidel check bad.obj --repair OUT.obj"), "{said}");
    let output = seidel(folder.path(), &["check", "bad.obj", "--repair", "new.obj"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("new.obj is written: vertices merged: 0, dropped: 1; triangles dropped: 1"), "{said}");
    let new = std::fs::read_to_string(folder.path().join("new.obj")).unwrap();
    assert_eq!(new, "v 0 0 0\nv 1 0 0\nv 0 1 0.1\nf 1 2 3\n");
    refused_in(folder.path(), &["check", "bad.obj", "new.obj", "--repair", "a.obj"], 1, "--repair takes one mesh");
    refused_in(folder.path(), &["check", "bad.obj", "--repair", "./bad.obj"], 1, "would replace its source");
}

#[test]
fn a_repair_keeps_textures_normals_and_names() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let vertices = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0.1\nvt 0.1 0.2\nvt 1 0\nvn 0 0 1\n";
    write("bad.obj", &format!("mtllib a.mtl\no shirt\n{vertices}g hem\nusemtl silk\nf 2/1/1 3/2/1 4/1/1\nf 2 3 4\n"));
    let output = seidel(folder.path(), &["check", "bad.obj", "--repair", "new.obj"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    assert_eq!(
        read("new.obj"),
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0.1\nvt 0.1 0.2\nvt 1 0\nvn 0 0 1\no shirt\ng hem\nusemtl silk\nf 1/1/1 2/2/1 3/1/1\n"
    );
    let said = text(&seidel(folder.path(), &["check", "bad.obj", "--repair", "new.ply"]).stdout);
    assert!(said.contains("left out, since a file of this format has no place for them: groups, materials"), "{said}");
    let again = seidel(folder.path(), &["check", "new.ply", "--repair", "again.obj"]);
    assert!(again.status.success());
    assert_eq!(read("again.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0.1\nvt 0.1 0.2\nvt 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 3/1/1\n");
    // Data that is not read is told, too.
    let rows = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 7\n0 1\n";
    let head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                element face 1\nproperty list uchar int vertex_indices\nproperty int material_index\n\
                element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n";
    write("m.ply", &format!("{head}{rows}"));
    for name in ["m.obj", "n.ply"] {
        let said = text(&seidel(folder.path(), &["check", "m.ply", "--repair", name]).stdout);
        assert!(said.contains("left out, since it is not read: `material_index` of faces, 1 rows `edge`"), "{said}");
    }
    // From a model that a run has written.
    write("a.toml", "frames = 1\n[[cloth]]\nmesh = \"new.obj\"\npin_vertices = [0]\n");
    assert!(seidel(folder.path(), &["run", "a.toml", "--out", "a.glb"]).status.success());
    assert!(seidel(folder.path(), &["check", "a.glb", "--repair", "model.obj"]).status.success());
    assert!(read("model.obj").contains("o shirt\ng hem\nusemtl silk\nf 1/1/1 2/2/1 3/1/1\n"), "{}", read("model.obj"));
    // Texture coordinates are broken, and the mesh is not.
    write("bad.obj", &format!("{vertices}f 2/7 3/2 4/1\n"));
    let output = seidel(folder.path(), &["check", "bad.obj", "--repair", "new.obj"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.starts_with("warning: bad.obj: line 8: `7` names no texture coordinate (`vt`); there are 2; "),
        "{said}"
    );
    assert_eq!(read("new.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0.1\nf 1 2 3\n");
}

/// A tetrahedron the right way round, one that is inverted, a copy of the first, and a point that none uses.
#[test]
fn tetrahedra_are_checked_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("bad.node", "6 3 0 0\n1 0 0 0\n2 9 9 9\n3 1 0 0\n4 0 1 0\n5 0 0 1\n6 1 1 1\n");
    write("bad.ele", "3 4 0\n1 1 3 4 5\n2 3 4 6 5\n3 5 4 3 1\n");
    let output = seidel(folder.path(), &["check", "bad.ele"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for word in [
        "bad.ele: no body as it is",
        "inverted tetrahedron: 1, first: tetrahedron 1",
        "duplicate",
        "unused vertex: 1",
        "tetrahedra -0.333333 to 0.166667 m^3",
        "seidel check bad.ele --repair OUT.node",
    ] {
        assert!(said.contains(word), "no {word} in\n{said}");
    }
    refused_in(folder.path(), &["check", "bad.ele", "--repair", "bad.node"], 1, "would replace its source");
    refused_in(
        folder.path(),
        &["check", "bad.ele", "--repair", "new.obj"],
        1,
        "tetrahedra are written as .node and .ele",
    );
    std::fs::create_dir(folder.path().join("taken.ele")).unwrap();
    refused_in(folder.path(), &["check", "bad.ele", "--repair", "taken.node"], 1, "taken.ele: cannot be written");
    let output = seidel(folder.path(), &["check", "bad.ele", "--repair", "new.node"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("new.node is written: vertices dropped: 1; tetrahedra turned: 1, dropped: 1 (1 duplicate)"),
        "{said}"
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("new.node"), "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n");
    assert_eq!(read("new.ele"), "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n");
    write("bad.toml", "frames = 1\n[[soft_body]]\nmesh = \"bad.ele\"\n");
    let says = "body `soft_body-0`: inverted tetrahedron: 1, first: tetrahedron 1";
    refused_in(folder.path(), &["run", "bad.toml"], 1, says);
    let says = "[[soft_body]] 0 is of bad.ele: `seidel check bad.ele --repair OUT.node` may help";
    refused_in(folder.path(), &["run", "bad.toml"], 1, says);
    write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0.1\nf 1 2 3\n");
    write("open.toml", "frames = 1\n[[balloon]]\nmesh = \"open.obj\"\n");
    let says = "body `balloon-0`, volume 0: the mesh is not closed";
    refused_in(folder.path(), &["run", "open.toml"], 1, says);
    let says = "[[balloon]] 0 is of open.obj: close it where it was made; `seidel check open.obj`";
    refused_in(folder.path(), &["run", "open.toml"], 1, says);
    write("flat.node", "4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n");
    write("flat.ele", "1 4\n0 0 1 2 3\n");
    refused_in(folder.path(), &["check", "flat.ele", "--json", "--repair", "none.ele"], 1, "no tetrahedron is left");
    let json = seidel(folder.path(), &["check", "new.ele", "flat.node", "--json"]);
    let reports: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (&reports[0]["clean"], &reports[0]["tets"], &reports[1]["clean"]),
        (&true.into(), &2.into(), &false.into())
    );
}

#[test]
fn other_surfaces_are_checked_repaired_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0.1\nendloop\nendfacet\n";
    write("bad.stl", &format!("solid\n{facet}{facet}endsolid\n"));
    let said = text(&seidel(folder.path(), &["check", "bad.stl"]).stdout);
    assert!(said.contains("3 vertices") && said.contains("duplicate triangle: 1, first: triangles 0 and 1;"), "{said}");
    refused_in(folder.path(), &["check", "bad.stl", "--repair", "out.stl"], 1, "written as .obj or .ply");
    // A source need not be writable.
    let mut only = std::fs::metadata(folder.path().join("bad.stl")).unwrap().permissions();
    only.set_readonly(true);
    std::fs::set_permissions(folder.path().join("bad.stl"), only).unwrap();
    let output = seidel(folder.path(), &["check", "bad.stl", "--repair", "good.ply"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert!(
        said.contains("triangles dropped: 1 (1 duplicate)") && said.contains("good.ply: good for a cloth"),
        "{said}"
    );
    write("s.toml", "frames = 1\n[[cloth]]\nmesh = \"good.ply\"\npin_vertices = [0]\n");
    assert!(seidel(folder.path(), &["run", "s.toml"]).status.success());
    write("a.off", "OFF\n");
    refused_in(folder.path(), &["check", "a.off"], 1, "a.off: not a .obj, .ply, .stl, .gltf or .glb file");
    refused_in(
        folder.path(),
        &["check", "-"],
        1,
        "a mesh from standard input has no name whose ending says its format",
    );
    refused_in(folder.path(), &["run", "flag", "--memory", "lots"], 2, "a size is a number with a unit, such as 500MB");
}

#[test]
fn no_more_substeps_are_advised_for_what_tears() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = |tear: &str, name: &str| {
        format!(
            "[[cloth]]\nname = \"{name}\"\nresolution = 6\nstretch_compliance = 1e-6\npin = [\"first-row\"]\nlong_range = \"off\"\n{tear}"
        )
    };
    // Stretched by far more than a tenth by their weight, and one of them may be.
    let (torn, whole) = (sheet("tear.strain = 0.4\n", "torn"), sheet("", "whole"));
    for (bodies, hinted) in [(torn.clone(), false), (torn + &whole, true)] {
        let text = format!("gravity = [0, -900, 0]\nframes = 40\n[solver]\nsubsteps = 4\n{bodies}");
        std::fs::write(folder.path().join("a.toml"), text).unwrap();
        let said = self::text(&seidel(folder.path(), &["run", "a.toml"]).stderr);
        assert_eq!(said.contains("hint: a stretch of "), hinted, "{said}");
    }
}

/// Half a cut, and the point caches of one body and of two, are told as what they are.
#[test]
fn what_a_cut_lacks_and_where_points_are_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let said = |text: &str| {
        std::fs::write(folder.path().join("a.toml"), text).unwrap();
        let output = seidel(folder.path(), &["run", "a.toml", "--frames", "2", "--out", "a.pc2"]);
        assert!(output.status.success(), "{}", self::text(&output.stderr));
        self::text(&output.stdout) + &self::text(&output.stderr)
    };
    let cut = |copies: u32| {
        format!(
            "[[cloth]]\nresolution = 7\ntear = {{ copies = {copies} }}\n[[cloth.cut]]\ntime = 0\nplane = [[0, 0, 0], [1, 0, 0]]\n"
        )
    };
    let few = said(&cut(2));
    assert!(few.contains("hint: 5 of 7 splits were refused") && few.contains("`tear = { copies = 7 }`"), "{few}");
    assert!(few.contains("a.pc2 is written\n"), "{few}");
    let enough = said(&(cut(7) + "[[rope]]\n"));
    assert!(
        !enough.contains("refused") && enough.contains("a.pc2 is written, a file with the name of each body\n"),
        "{enough}"
    );
    assert!(folder.path().join("a-rope-0.pc2").exists());
}

#[test]
fn much_stretch_is_hinted_at() {
    let folder = tempfile::tempdir().unwrap();
    let output = seidel(folder.path(), &["run", "flag", "--substeps", "2", "--frames", "40"]);
    assert!(output.status.success());
    // Enough by the estimate that it falls with their square.
    let said = text(&output.stderr);
    let wanted = said.split_once("--substeps ").and_then(|(_, more)| more.split(';').next()?.parse::<u32>().ok());
    assert!(wanted.is_some_and(|wanted| (10..=200).contains(&wanted) && wanted % 10 == 0), "{said}");
    // No number of substeps takes away the stretch that the cloth's own compliance asks for.
    let soft = ["run", "flag", "--substeps", "20", "--frames", "40", "--set", "cloth.resolution=16"];
    let soft = [&soft[..], &["--set", "cloth.stretch_compliance=1", "--set", "air.wind=[0,0,0]"]].concat();
    let said = text(&seidel(folder.path(), &soft).stderr);
    assert!(said.contains("its compliance asks for it") && !said.contains("--substeps"), "{said}");
    // Elements have a stretch of their own.
    let elements = "[[cloth]]\nresolution = 8\nfabric = \"cotton\"\nmodel = \"fem\"\npin = [\"first-row-corners\"]\n";
    std::fs::write(folder.path().join("a.toml"), elements).unwrap();
    let said = text(&seidel(folder.path(), &["run", "a.toml", "--frames", "40", "--substeps", "1"]).stderr);
    assert!(said.contains("hint: a stretch of elements of ") && said.contains("more substeps: --substeps "), "{said}");
    // Nor does more help where substeps are chosen, and a swing passes.
    let swing = "[[cloth]]\nresolution = 12\npin = [\"first-row-corners\"]\nvelocity = [0, -12, 0]\n";
    std::fs::write(folder.path().join("a.toml"), swing).unwrap();
    let said = text(&seidel(folder.path(), &["run", "a.toml", "--frames", "2"]).stderr);
    assert!(
        said.contains("hint: a stretch of ") && said.contains("`settle = 5`") && !said.contains("--substeps"),
        "{said}"
    );
}

/// A plate goes through a sheet that pins hold in its way: more substeps are no help.
#[test]
fn what_is_pinned_in_a_colliders_way_has_no_room() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "frames = 12\n[[cloth]]\nresolution = 8\nsize = [0.6, 0.6]\nposition = [0, 1, 0]\ncollide = \"all\"\n\
                 pin = [\"first-row\", \"last-row\"]\n[[collider]]\nshape = \"cuboid\"\nhalf = [0.4, 0.02, 0.4]\n\
                 position = [0, 0.8, 0]\nmotion = { path = \"linear\", velocity = [0, 2, 0] }\n";
    std::fs::write(folder.path().join("a.toml"), scene).unwrap();
    let output = seidel(folder.path(), &["run", "a.toml", "--substeps", "5"]);
    let said = text(&output.stderr);
    assert!(said.contains("% at the end; pins, obstacles or colliders leave it no room"), "{said}");
}

/// A run in which a body gets into a collider says which, when and how deep: also if another, thicker one, is deeper in
/// its thickness, or one began inside; and not by roundings.
#[test]
fn what_gets_into_a_collider_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let ball = "[[collider]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\n";
    let sheet = |name: &str, at: [f32; 3], more: &str| {
        format!("[[cloth]]\nname = \"{name}\"\nresolution = 4\nsize = [0.4, 0.4]\nposition = {at:?}\n{more}\n")
    };
    let coarse = sheet("sheet", [0.0, 0.3, 0.0], "") + ball + "triangles = false\n";
    let far = "[[collider]]\nname = \"far\"\nshape = \"cuboid\"\nhalf = [0.5, 0.1, 0.5]\nposition = [5, 0, 0]\n";
    let thick = sheet("thick", [5.0, 0.11, 0.0], "thickness = 0.2\n") + far;
    let begins = sheet("begins", [5.0, 0.0, 0.0], "") + far;
    let rests = sheet("rests", [5.0, 0.1001, 0.0], "thickness = 0\n") + far;
    let cases = [
        (coarse.clone(), true),
        (thick + &coarse, true),
        (begins.clone() + &coarse, true),
        (begins, false),
        (rests, false),
    ];
    for (scene, hinted) in cases {
        std::fs::write(folder.path().join("a.toml"), format!("frames = 30\n{scene}")).unwrap();
        let output = seidel(folder.path(), &["run", "a.toml", "--stats", "s.json"]);
        let (said, stats) = (text(&output.stderr), std::fs::read_to_string(folder.path().join("s.json")).unwrap());
        let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
        let (named, deepest) = (said.contains(", thicknesses aside"), &stats["in_collider"]);
        assert!(output.status.success() && named == hinted && deepest.is_object() == hinted, "{scene}: {said}");
        if hinted {
            let (depth, frame) = (deepest["depth"].as_f64().unwrap(), deepest["frame"].as_u64().unwrap());
            assert!(depth > 0.005 && depth < stats["max_penetration"].as_f64().unwrap(), "{deepest}");
            let said_so =
                format!("hint: in frame {frame} body `sheet` was {:.2} mm inside collider `ball`", depth * 1e3);
            assert!((8..30).contains(&frame) && said.contains(&said_so), "{said}");
            assert!(said.contains("with `triangles = false` it meets particles only"), "{said}");
        }
    }
}

/// Two boxes close on a sheet and go through it: one of them has a vertex of it inside, and the figures say which.
#[test]
fn what_gets_into_a_rigid_body_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let press = |name: &str, y: f32| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = \"cuboid\"\nhalf = [0.3, 0.1, 0.3]\nposition = [0, {y}, 0]\n\
             velocity = [0, {}, 0]\nkind = \"kinematic\"\n",
            -2.0 * y
        )
    };
    let sheet = "frames = 30\ngravity = [0, 0, 0]\n[[cloth]]\nname = \"sheet\"\nresolution = 8\nsize = [0.4, 0.4]\n";
    let run = |scene: String| -> (serde_json::Value, String) {
        std::fs::write(folder.path().join("a.toml"), scene).unwrap();
        let output = seidel(folder.path(), &["run", "a.toml", "--stats", "s.json"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let stats = std::fs::read_to_string(folder.path().join("s.json")).unwrap();
        (serde_json::from_str(&stats).unwrap(), text(&output.stdout))
    };
    let (stats, table) = run(format!("{sheet}{}{}", press("upper", 0.3), press("lower", -0.3)));
    let (deepest, most) = (&stats["in_rigid"], stats["max_rigid_penetration"].as_f64().unwrap());
    let depth = deepest["depth"].as_f64().unwrap();
    assert!(depth > 0.02 && depth < 0.1001 && most > depth && most < depth + 0.01, "{deepest}, {most}");
    let (vertex, rigid) = (deepest["vertex"].as_u64().unwrap(), deepest["rigid"].as_str().unwrap());
    assert!(deepest["body"] == "sheet" && vertex < 64 && ["upper", "lower"].contains(&rigid), "{deepest}");
    assert!(deepest["frame"].as_u64().unwrap() > 10, "{deepest}");
    assert!(table.contains(&format!("(vertex {vertex} of `sheet` in `{rigid}`)")), "{table}");
    let (stats, table) = run(sheet.to_owned());
    assert!(stats["max_rigid_penetration"].is_null() && !table.contains("in rigid bodies"), "{table}");
}

/// Restitution does nothing to a solid that is thrown back by its own elasticity; the key that does is named.
#[test]
fn the_key_that_makes_a_solid_rebound_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let scene = |solid: &str, restitution: f32| {
        let text = format!(
            "frames = 10\n[[soft_body]]\nname = \"ball\"\ncells = [1, 1, 1]\n{solid}[[collider]]\nposition = [0, -0.12, 0]\nrestitution = {restitution}\n"
        );
        std::fs::write(folder.path().join("a.toml"), text).unwrap();
        self::text(&seidel(folder.path(), &["run", "a.toml"]).stderr).contains("note: body `ball` is elastic")
    };
    assert!(scene("", 0.5));
    assert!(!scene("position = [0, 9, 0]\n", 0.5), "nothing meets anything");
    for (solid, restitution) in
        [("", 0.0), ("relaxation = 0.01\n", 0.5), ("restitution = 0\n", 0.5), ("groups = 2\nmask = 2\n", 0.5)]
    {
        assert!(!scene(solid, restitution), "{solid}");
    }
}

/// A bar beside a cloth is stretched more than the cloth, and the table says so.
#[test]
fn stretch_of_solids_stands_in_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let bar = "[[cloth]]\nresolution = 6\nposition = [5, 0, 0]\n[[soft_body]]\ncells = [6, 1, 1]\nyoung = 1e3\npin_sides = [\"min-x\"]\n";
    std::fs::write(folder.path().join("a.toml"), bar).unwrap();
    let output = seidel(folder.path(), &["run", "a.toml", "--frames", "20", "--stats", "s.json"]);
    let table = text(&output.stdout);
    let row = table.lines().find(|line| line.trim().starts_with("of elements")).expect("a row");
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("s.json")).unwrap()).unwrap();
    let [rows, elements] = ["max_stretch", "max_element_stretch"].map(|key| stats[key].as_f64().unwrap());
    assert!(rows < 0.01 && elements > 0.05, "{rows} {elements}");
    assert!(row.contains(&format!("{:.2} %", elements * 100.0)), "{row}");
}

/// Rows that have broken by fatigue are counted in the table and the numbers; where none has, nothing is told.
#[test]
fn broken_rows_stand_in_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let wire = "gravity = [0, -50, 0]\n[[rope]]\nstretch_compliance = 1e-2\npin_vertices = [0]\nplastic = { yield = 0.01, breaks = 0.3 }\n";
    std::fs::write(folder.path().join("a.toml"), wire).unwrap();
    let broken = |more: &[&str]| {
        let args = [&["run", "a.toml", "--frames", "20", "--stats", "s.json"], more].concat();
        let output = seidel(folder.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let stats: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.path().join("s.json")).unwrap()).unwrap();
        let table = text(&output.stdout);
        let row = table.lines().find_map(|line| line.trim().strip_prefix("rows broken"));
        (stats["broken_rows"].as_u64(), row.map(|row| row.trim().parse::<u64>().unwrap()))
    };
    let (stats, table) = broken(&[]);
    assert!(stats == table && stats.is_some_and(|rows| rows > 0), "{stats:?} {table:?}");
    assert_eq!(broken(&["--set", "rope.plastic.breaks=none"]), (None, None));
}

/// Joints that break are told with the frame and what they carried, the first ten of a run each in a line of its own.
#[test]
fn joints_that_break_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let run = |loads: u32, breaks: f32| {
        let hung = |k: u32| {
            format!(
                "[[body]]\nname = \"load-{k}\"\nradius = 0.1\nmass = 10\nposition = [{k}, 0, 0]\n[[joint]]\nname = \"hook-{k}\"\n\
                 kind = \"fixed\"\nb = \"load-{k}\"\nposition = [{k}, 0.1, 0]\nbreak_force = {breaks}\n"
            )
        };
        let scene: String = (0..loads).map(hung).collect();
        std::fs::write(folder.path().join("a.toml"), format!("frames = 5\n{scene}")).unwrap();
        let output = seidel(folder.path(), &["run", "a.toml", "--stats", "s.json"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let stats = std::fs::read_to_string(folder.path().join("s.json")).unwrap();
        let row = text(&output.stdout)
            .lines()
            .find_map(|line| Some(line.trim().strip_prefix("joints broken")?.trim().to_owned()));
        (serde_json::from_str::<serde_json::Value>(&stats).unwrap(), text(&output.stderr), row)
    };
    let (stats, said, row) = run(12, 50.0);
    let (all, count) = (&stats["broken_joints"], &stats["broken_joint_count"]);
    assert!(*count == 12 && all.as_array().unwrap().len() == 12 && row.as_deref() == Some("12"), "{stats}");
    for (k, joint) in all.as_array().unwrap().iter().enumerate() {
        assert!(joint["name"] == format!("hook-{k}") && joint["frame"] == 0, "{joint}");
        assert!((joint["force"].as_f64().unwrap() - 98.1).abs() < 1.0 && joint["torque"].is_number(), "{joint}");
    }
    let lines = said.lines().filter(|line| line.starts_with("note: frame 0: joint `hook-")).count();
    assert!(lines == 10 && said.contains("note: frame 0: joint `hook-9` broke under 98."), "{said}");
    assert!(said.contains("note: 12 joints broke in all; `broken_joints` in `--stats` lists the first 1000"), "{said}");
    let (stats, said, row) = run(2, 150.0);
    assert!(stats["broken_joints"].is_null() && !said.contains("broke") && row.is_none(), "{said}");
}

/// Contacts and sensors of bodies that ask for them are counted, and those that begin and end are listed.
#[test]
fn contacts_and_sensors_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "frames = 90\n[[body]]\nname = \"ball\"\nradius = 0.1\nmass = 10\nposition = [0, 2, 0]\ncontact_events = true\n\
                 [[body]]\nname = \"gate\"\nshape = \"cuboid\"\nhalf = [0.5, 0.1, 0.5]\nposition = [0, 1, 0]\nkind = \"fixed\"\n\
                 sensor = true\n[[collider]]\nname = \"ground\"\n";
    let run = |scene: &str| {
        std::fs::write(folder.path().join("a.toml"), scene).unwrap();
        let output = seidel(folder.path(), &["run", "a.toml", "--stats", "s.json"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let stats = std::fs::read_to_string(folder.path().join("s.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&stats).unwrap()["events"].clone()
    };
    let events = run(scene);
    let (contacts, sensors) = (&events["contacts"], &events["sensors"]);
    assert!(contacts["begin"] == 1 && contacts["end"] == 0 && contacts["persist"].as_u64() > Some(30), "{events}");
    assert!(sensors["begin"] == 1 && sensors["end"] == 1 && events["dropped"] == 0, "{events}");
    let [enters, leaves, lands] = events["first"].as_array().unwrap().as_slice() else { panic!("{events}") };
    for (event, kind) in [(enters, "begin"), (leaves, "end")] {
        assert!(event["kind"] == kind && event["sensor"] == true && event["force"] == 0.0, "{event}");
        assert!(event["body"] == "ball" && event["rigid"] == "gate" && event["collider"].is_null(), "{event}");
    }
    assert!(lands["kind"] == "begin" && lands["sensor"] == false && lands["collider"] == "ground", "{lands}");
    // It falls by 1.9 m; the step that stops it takes all of its momentum.
    let (force, frame) = (lands["force"].as_f64().unwrap(), lands["frame"].as_u64().unwrap());
    let stops = 600.0 * (2.0f64 * 9.81 * 1.9).sqrt();
    assert!((force / stops - 1.0).abs() < 0.05 && (36..39).contains(&frame), "{force} for {stops} N, {frame}");
    let quiet = scene.replace("contact_events = true\n", "").replace("sensor = true\n", "mask = 2\n");
    assert!(run(&quiet).is_null());
}

/// Obstacles that cross themselves are told, and are no failure.
#[test]
fn crossings_of_obstacles_end_well() {
    let folder = tempfile::tempdir().unwrap();
    let tetrahedron = |x: f32, first: usize| {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let vertices: String = corners.iter().map(|c| format!("v {} {} {}\n", c[0] + x, c[1], c[2])).collect();
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|f| f.map(|v| (v + first).to_string()).join(" "));
        vertices + &faces.map(|face| format!("f {face}\n")).concat()
    };
    std::fs::write(folder.path().join("two.obj"), tetrahedron(0.0, 1) + &tetrahedron(0.3, 5)).unwrap();
    let scene =
        "[[cloth]]\nresolution = 4\nposition = [0, 3, 0]\ncollide = \"all\"\n[[obstacle]]\nmesh = \"two.obj\"\n";
    std::fs::write(folder.path().join("a.toml"), scene).unwrap();
    let output = seidel(folder.path(), &["run", "a.toml", "--frames", "2", "--check", "intersections"]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table} {}", text(&output.stderr));
    assert!(
        table.contains("none in 2 frames; up to ") && table.contains(" pairs of obstacles among themselves"),
        "{table}"
    );
}

/// The scene that runs without a word of the user's: at the impact it was stretched by 10.5 %.
#[test]
fn the_main_scene_stretches_by_less_than_five_percent() {
    let folder = tempfile::tempdir().unwrap();
    let output = seidel(folder.path(), &["run", "cloth-sphere", "--frames", "50", "--stats", "s.json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("s.json")).unwrap()).unwrap();
    let stretch = stats["max_stretch"].as_f64().unwrap();
    assert!((0.005..0.05).contains(&stretch) && stats["contacts"].as_u64().unwrap() > 0, "{stretch}");
}

#[test]
fn what_nothing_holds_while_it_settles_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let sheets = "frames = 1\nsettle = 2\n[[cloth]]\nname = \"held\"\nresolution = 6\npin = [\"corners\"]\n\
                  [[cloth]]\nname = \"loose\"\nresolution = 6\n";
    std::fs::write(folder.path().join("a.toml"), sheets).unwrap();
    let said = text(&seidel(folder.path(), &["run", "a.toml"]).stderr);
    assert!(said.contains("hint: nothing holds 36 vertices of body `loose`: they have fallen by "), "{said}");
    assert!(!said.contains("`held`"), "{said}");
    // A body that rests on something is held by it.
    let resting = format!("{sheets}position = [0, 0.1, 0]\n[[collider]]\nshape = \"plane\"\n");
    std::fs::write(folder.path().join("b.toml"), resting).unwrap();
    let said = text(&seidel(folder.path(), &["run", "b.toml"]).stderr);
    assert!(!said.contains("nothing holds") && said.contains("settled for 2 s"), "{said}");
}

/// Two sheets, the second `degrees` from level, and a rope beside them or through both.
fn two_sheets(degrees: u32, height: &str, rope_x: &str) -> String {
    format!(
        "frames = 3\ngravity = [0.0, 0.0, 0.0]\n\
         [[cloth]]\nresolution = 12\n\
         [[cloth]]\nresolution = 9\nposition = [0.01, {height}, 0.02]\nrotation = {{ axis = [1.0, 0.0, 0.0], degrees = {degrees}.0 }}\n\
         [[rope]]\nfrom = [{rope_x}, -0.33, 0.01]\nto = [{rope_x}, 0.34, 0.01]\nsegments = 5\n"
    )
}

#[test]
fn what_goes_through_is_counted_and_fails_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let run = |scene: String, more: &[&str]| {
        std::fs::write(folder.path().join("s.toml"), scene).unwrap();
        let output = seidel(folder.path(), &[&["run", "s.toml", "--stats", "s.json"], more].concat());
        let stats = std::fs::read(folder.path().join("s.json")).unwrap();
        let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr), stats)
    };
    let check = ["--check", "intersections"];
    let numbers = |value: &serde_json::Value| -> Vec<u64> {
        value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
    };

    let (code, table, errors, stats) = run(two_sheets(80, "0.013", "0.07"), &check);
    assert_eq!(code, Some(1), "{errors}");
    let found = &stats["intersections"];
    // Nothing moves: the line on which sheets of 11 and 8 cells meet is divided at 21 and 15 places.
    assert_eq!(numbers(&found["triangles"]), [1 + 21 + 15; 3], "{found}");
    assert_eq!((numbers(&found["edges"]), numbers(&found["skipped"])), (vec![2; 3], vec![0; 3]), "{found}");
    assert_eq!((&found["frames_with_any"], &found["worst_frame"]), (&3.into(), &0.into()));
    let told = "in 3 of 3 frames; most in frame 0: 37 pairs of triangles, 2 edges of ropes";
    assert!(table.contains(told) && errors.contains(told), "{table}{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");

    let (code, table, errors, stats) = run(two_sheets(0, "0.1", "0.9"), &check);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let found = &stats["intersections"];
    assert_eq!((numbers(&found["triangles"]), &found["frames_with_any"]), (vec![0; 3], &0.into()));
    assert!(found["worst_frame"].is_null() && table.contains("none in 3 frames"), "{table}");

    let (code, table, _, stats) = run(two_sheets(80, "0.013", "0.07"), &[]);
    assert!(code == Some(0) && stats["intersections"].is_null() && !table.contains("intersections"), "{table}");
    refused(&["run", "--check", "everything"], 2, "[possible values: intersections]");
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    // The first interrupt waits for the end of a frame, and this one takes minutes.
    let mut child = Command::new(env!("CARGO_BIN_EXE_seidel"))
        .args(["run", "--substeps", "100000", "--out", "a.npz", "--stats", "s.json"])
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    until_it_catches(2, &mut child);
    for _ in 0..2 {
        // It begins with the first frame; and two signals that come at once are one.
        std::thread::sleep(std::time::Duration::from_millis(1500));
        assert!(child.try_wait().unwrap().is_none());
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_finished() {
    interrupt(2, 130);
    interrupt(15, 143);
    // A terminal that is closed; a program that is told to ignore it (`nohup`) does.
    #[cfg(target_os = "linux")]
    if !is_in_mask("self", "SigIgn:", 1) {
        interrupt(1, 129);
    }
}

/// Whether a process has a signal in one of its masks.
#[cfg(unix)]
fn is_in_mask(process: &str, mask: &str, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(mask));
    mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1)
}

/// Waits until `child` catches `signal`: before, while it reads and plans, the signal ends it.
#[cfg(unix)]
fn until_it_catches(signal: u32, child: &mut std::process::Child) {
    if !std::path::Path::new("/proc/self/status").exists() {
        return std::thread::sleep(std::time::Duration::from_secs(5));
    }
    let end = std::time::Instant::now() + std::time::Duration::from_secs(120);
    while !is_in_mask(&child.id().to_string(), "SigCgt:", signal) {
        assert!(std::time::Instant::now() < end, "it does not catch signal {signal}");
        assert!(child.try_wait().unwrap().is_none(), "it has ended before it catches signal {signal}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[cfg(unix)]
fn interrupt(signal: u32, code: i32) {
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_seidel"))
        .args(["run", "chain", "--frames", "1000000", "--out", "a.npz", "--out", "a.html", "--stats", "s.json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until_it_catches(signal, &mut child);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    // As Ctrl-C does, or who ends a job.
    assert!(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(code));
    let said = text(&output.stderr);
    let frames = said.split_once("interrupted after ").and_then(|(_, rest)| rest.split_once(" of ")).expect(&said).0;
    // And the start.
    let frames = frames.parse::<u32>().unwrap() + 1;
    for file in ["a.npz", "a.html"] {
        assert!(said.contains(&format!("{file} is written, with {frames} frames")), "{said}");
        assert!(std::fs::metadata(folder.path().join(file)).unwrap().len() > 1000);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "and the file to go on from");
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("s.json")).unwrap()).unwrap();
    assert_eq!(stats["frames"], frames - 1, "{said}");
}

/// A full disk is an error, and so is a reader of numbers that has gone; one that has read enough of a list is not
/// worth a word.
#[cfg(target_os = "linux")]
#[test]
fn lost_output_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str], to: std::process::Stdio| {
        let program = Command::new(env!("CARGO_BIN_EXE_seidel"))
            .args(args)
            .current_dir(folder.path())
            .stdout(to)
            .stderr(std::process::Stdio::piped())
            .spawn();
        program.unwrap().wait_with_output().unwrap()
    };
    let gone = || std::process::Stdio::from(std::io::pipe().unwrap().1);
    let full = || std::process::Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let numbers = ["run", "chain", "--frames", "2", "--stats", "-"];
    for args in [&["scenes", "flag"][..], &numbers, &["run", "--help"], &["--version"]] {
        let output = run(args, full());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("standard output: ") && said.contains("No space left on device"), "{said}");
    }
    // What is said beside the numbers is lost, and the numbers are whole.
    let mut without = Command::new(env!("CARGO_BIN_EXE_seidel"));
    let output = without.args(numbers).current_dir(folder.path()).stderr(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).trim_end().ends_with('}'), "{}", text(&output.stdout));
    let output = run(&numbers, gone());
    assert_eq!((output.status.code(), text(&output.stderr).contains("error: --stats -: ")), (Some(1), true));
    for args in [&["scenes"][..], &["--help"]] {
        let output = run(args, gone());
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(141), ""));
    }
}

/// A file that can no longer be written ends the run, and takes nothing else with it; nor does memory that ends.
#[cfg(target_os = "linux")]
#[test]
fn what_ends_a_run_late_leaves_what_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let shell = |line: &str| {
        let mut program = Command::new("sh");
        program.args(["-c", line]).env("SEIDEL", env!("CARGO_BIN_EXE_seidel"));
        program.current_dir(folder.path()).output().unwrap()
    };
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names.join(" ")
    };
    // Blocks of 512 bytes: the state is a sixth of that, the positions of eleven frames are more.
    let output = shell(
        "ulimit -f 2000; exec \"$SEIDEL\" run flag --frames 100 --set cloth.resolution='[60,40]' --threads 1 --out a.npz \
         --stats s.json --save s.state",
    );
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(": a.npz: cannot be written: File too large") && said.contains(" of 100 frames"), "{said}");
    assert_eq!(names(), "a.npz.resume s.json s.state");
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("s.json")).unwrap()).unwrap();
    assert!(stats["frames"].as_u64().is_some_and(|frames| frames > 10 && frames < 100), "{stats}");
    // At the end.
    let output = shell(
        "rm s.* *.resume; ln -s /dev/full full.npz; exec \"$SEIDEL\" run chain --frames 2 --out full.npz --out b.html --stats s.json",
    );
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: full.npz: cannot be written: No space left on device"), "{said}");
    assert!(text(&output.stdout).contains("b.html is written"), "{}", text(&output.stdout));
    assert_eq!(names(), "b.html full.npz s.json");
    // Twelve sheets that lie on a heap.
    let sheet = |i: u32| {
        let place = f64::from(i) * 0.001;
        format!(
            "[[cloth]]\nresolution = 10\nsize = [0.1, 0.1]\nthickness = 0.01\ncollide = \"all\"\nposition = [0, {place}, 0]\n"
        )
    };
    let heap = (0..12).map(sheet).collect::<String>();
    std::fs::write(folder.path().join("heap.toml"), format!("frames = 3\n{heap}")).unwrap();
    let output =
        shell("rm *.html *.npz *.json; exec \"$SEIDEL\" run heap.toml --memory 7MB --out c.npz --save s.state");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("error: frame 0: ") && said.contains("do not fit into the 7.0 MB of memory that are allowed"),
        "{said}"
    );
    assert!(said.contains("c.npz is written, with 1 frames"), "{said}");
    assert_eq!(names(), "c.npz c.npz.resume heap.toml s.state");
    let output = shell("exec \"$SEIDEL\" run --resume c.npz.resume --memory 200MB");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(names(), "c.npz heap.toml s.state");
}

/// The runtime opens /dev/null in the place of a closed stream, as other programs do where nobody is to read: the one
/// is an error, before a run begins, the other is none.
#[cfg(target_os = "linux")]
#[test]
fn output_to_what_is_closed_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let shell = |words: &str, to: &str| {
        let line = format!("exec \"$SEIDEL\" {words} {to}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).env("SEIDEL", env!("CARGO_BIN_EXE_seidel")).current_dir(folder.path());
        shell.output().unwrap()
    };
    let closed = "standard output is closed, so what is asked for there would be lost";
    let numbers = "run chain --frames 2 --stats - --out a.npz";
    for (words, before) in [("scenes flag", ""), ("--version", "standard output: "), (numbers, "--stats -: ")] {
        let output = shell(words, ">&-");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words}: {said}");
        assert!(said.starts_with(&format!("error: {before}{closed}")), "{words}: {said}");
        // As a shell opens it, and as other programs do.
        for to in [">/dev/null", "1<>/dev/null"] {
            assert!(shell(words, to).status.success(), "{words} {to}");
            let _ = std::fs::remove_file(folder.path().join("a.npz"));
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a run that is refused leaves nothing");
    // What is written to files is not lost.
    let output = shell("run chain --frames 2 --out a.npz --stats a.json", ">&-");
    assert!(!output.status.success() && folder.path().join("a.npz").exists() && folder.path().join("a.json").exists());
}

#[test]
fn too_few_contacts_fail_a_whole_run() {
    let chain = |more: &[&'static str]| {
        let folder = tempfile::tempdir().unwrap();
        let args: Vec<&str> = ["run", "chain", "--set", "frames=6", "--set", "min_contacts=7"].into_iter().collect();
        seidel(folder.path(), &[&args[..], more].concat())
    };
    let output = chain(&[]);
    assert_eq!(output.status.code(), Some(1));
    let says = "error: 0 contacts in 6 frames, and the scene must have 7 or more: what it shows has not happened";
    assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("contacts, all frames"), "the table is printed all the same");
    assert!(chain(&["--set", "min_contacts=0"]).status.success());
    assert!(chain(&["--frames", "3"]).status.success(), "a part of a run has a part of its contacts");
    assert!(!chain(&["--frames", "7"]).status.success());
}

/// A box on the ground has no contacts but those of a rigid body, and they count.
#[test]
fn contacts_of_rigid_bodies_are_contacts_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "frames = 20\nmin_contacts = 10\n[[body]]\nshape = \"cuboid\"\nhalf = [0.5, 0.5, 0.5]\nposition = [0, 0.51, 0]\n[[collider]]\n";
    std::fs::write(folder.path().join("a.toml"), scene).unwrap();
    let output = seidel(folder.path(), &["run", "a.toml", "--stats", "-"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        stats["all_contacts"].as_u64().unwrap() >= 10 && stats["all_contacts"] == stats["rigid_contacts"],
        "{stats}"
    );
    let output = seidel(folder.path(), &run(&["--stats", "-"]));
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(stats.get("rigid_contacts").is_none(), "a cloth has none");
}

/// A scene that needs too much memory is refused before it takes any, with both numbers and the key.
#[test]
fn what_needs_more_memory_than_there_may_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("cloth.toml", "[[cloth]]\nresolution = 30\n");
    write("bar.toml", "[[soft_body]]\ncells = [4, 4, 4]\n");
    write("rope.toml", "[[rope]]\nsegments = 8\n");
    write("ball.toml", "[[cloth]]\n[[collider]]\nshape = \"mesh\"\nballs = [[0, 0, 0, 1]]\ncell = 0.1\n");
    let refused = |args: &[&str], says: &[&str]| {
        let start = std::time::Instant::now();
        let output = seidel(folder.path(), &[&["run"], args, &["--frames", "1"]].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(says.iter().all(|says| said.contains(says)) && said.lines().count() == 1, "{args:?}: {said}");
        assert!(start.elapsed().as_secs() < 20);
    };
    for resolution in ["1000", "5000", "60000", "4294967295"] {
        let set = format!("cloth.resolution={resolution}");
        let says = ["cloth 0: `resolution` makes ", " of memory; 200.0 MB are allowed: ", "--memory SIZE allows more"];
        refused(&["cloth.toml", "--memory", "200MB", "--set", &set], &says);
    }
    refused(&["bar.toml", "--memory", "200MB", "--set", "soft_body.cells=[200, 200, 200]"], &["`cells` makes "]);
    refused(
        &["rope.toml", "--memory", "200MB", "--set", "rope.segments=4000000000"],
        &["`segments` makes 4000000001 "],
    );
    refused(&["ball.toml", "--memory", "200MB", "--set", "collider.cell=0.01"], &["collider 0: `cell` means that "]);
    // What is made or filled is counted before it is.
    write("filled.toml", "[[soft_body]]\nballs = [[0, 0, 0, 1]]\ncell = 0.5\n");
    refused(&["filled.toml", "--memory", "50MB", "--set", "soft_body.cell=0.025"], &["soft_body 0: `cell` makes "]);
    // Of balls that overlap one number is told, whatever the limit.
    let balls: Vec<String> = (0..50).map(|i| format!("[{}, 0, 0, 0.3]", 0.01 * f64::from(i))).collect();
    write("balls.toml", &format!("[[soft_body]]\ncell = 0.03\nballs = [{}]\n", balls.join(", ")));
    for limit in ["1MB", "20MB", "60MB", "90MB"] {
        refused(
            &["balls.toml", "--memory", limit],
            &["`cell` makes 37721 particles, which means that the scene needs 105.1 MB "],
        );
    }
    write("shape.toml", "[[shape_matched]]\nhalf = [1, 1, 1]\ncells = [1000, 1000, 1000]\n");
    refused(&["shape.toml", "--memory", "50MB"], &["shape_matched 0: `cells` makes "]);
    write("detail.toml", "[[balloon]]\ndetail = 8\n");
    refused(&["detail.toml", "--memory", "50MB"], &["balloon 0: `detail` makes "]);
    write("limb.toml", "[[cloth]]\nresolution = 4\n[[obstacle]]\nlimb = { around = 500, along = 500, bend = 1 }\n");
    refused(&["limb.toml", "--memory", "50MB"], &["obstacle 0: `limb` makes "]);
    write("many.toml", &"[[body]]\nradius = 0.1\n".repeat(10_000));
    // All in one place, each touches all others.
    let says = [
        "line 2: body 0: its `position` is that of 1999 more, ",
        " needs 2.6 GB of memory; 500.0 MB are allowed: move them apart",
    ];
    write("same.toml", &"[[body]]\nposition = [0, 1, 0]\n".repeat(2000));
    refused(&["same.toml", "--memory", "500MB"], &says);
    let says = "10000 rigid bodies and 0 colliders need 63.0 MB of memory; 62.0 MB ";
    refused(&["many.toml", "--memory", "62MB"], &[says]);
    refused(&["many.toml", "--memory", "20MB"], &["many.toml: to read it takes about "]);
    // The largest numbers that a key takes.
    let most = "obstacle.limb={ around = 4294967295, along = 4294967295 }";
    refused(&["limb.toml", "--memory", "50MB", "--set", most], &["obstacle 0: `limb` makes 18446744065119617027 "]);
    // A mesh from a file is counted when the scene is planned.
    let sheet: String = (0..10_000).map(|i| format!("v {} 0 {}\n", i % 100, i / 100)).collect();
    let faces: String =
        (0..9_900).filter(|i| i % 100 < 99).map(|i| format!("f {} {} {}\n", i + 1, i + 101, i + 2)).collect();
    write("sheet.obj", &(sheet + &faces));
    write("mesh.toml", "[[cloth]]\nmesh = \"sheet.obj\"\n");
    refused(
        &["mesh.toml", "--memory", "4MB"],
        &["body `cloth-0`: the scene needs ", "this body of 10000 particles", "4.0 MB are allowed"],
    );
    // Before it is read, by its size.
    refused(&["mesh.toml", "--memory", "1MB"], &["sheet.obj: to read it takes about ", "1.0 MB are allowed"]);
    for repair in [&[][..], &["--repair", "mended.obj"]] {
        let output = seidel(folder.path(), &[&["check", "sheet.obj", "--memory", "1MB"], repair].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("sheet.obj: to read it takes about "), "{said}");
        assert!(said.ends_with("--memory SIZE allows more\n") && !folder.path().join("mended.obj").exists(), "{said}");
    }
    // To draw them they are read again.
    write(
        "used.obj",
        &format!("{}f 10000 9999 9900\n", std::fs::read_to_string(folder.path().join("sheet.obj")).unwrap()),
    );
    write("drawn.toml", "[[cloth]]\nmesh = \"used.obj\"\n");
    let drawn = ["drawn.toml", "--memory", "6MB"];
    refused(&[&drawn[..], &["--out", "a.glb"]].concat(), &["used.obj: to read it takes about ", " are allowed"]);
    assert!(!folder.path().join("a.glb").exists());
    // So are a scene's own lists.
    write(
        "rows.toml",
        &format!(
            "[[cloth]]\nresolution = 4\n[[cloth.constraint]]\nkind = \"distance\"\nat = [{}]\n",
            "[0,5],".repeat(50_000)
        ),
    );
    refused(
        &["rows.toml", "--memory", "20MB"],
        &["rows.toml: to read it takes about ", " of memory, and 20.0 MB are allowed"],
    );
    write("name.toml", &format!("[[cloth]]\nresolution = 10\nname = \"{}\"\n", "x".repeat(5_000_000)));
    refused(&["name.toml"], &["line 3: `name` has 5000000 bytes, and may have 1000"]);
    assert_eq!(
        seidel(folder.path(), &["run", "cloth.toml", "--frames", "1", "--memory", "200MB"]).status.code(),
        Some(0)
    );
}

/// Nothing of a file that is too large for a page is read, and what has no end is read as far as the limit goes: with
/// addresses for less than either, both end in one error.
#[cfg(unix)]
#[test]
fn what_a_page_or_standard_input_takes_is_measured_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.toml"), "[[cloth]]\nmesh = \"a.obj\"\n").unwrap();
    std::fs::File::create(folder.path().join("a.obj")).unwrap().set_len(900_000_000).unwrap();
    for (args, says) in [
        ("page a.toml --out a.html", "a.obj: to read it takes about 9.0 GB of memory, and "),
        (
            "run - --memory 10MB < /dev/zero",
            "standard input: to read it takes more than the 10.0 MB of memory that are allowed",
        ),
    ] {
        let script = format!("ulimit -v 1500000 && exec {} {args}", env!("CARGO_BIN_EXE_seidel"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(says) && said.lines().count() == 1, "{args}: {said}");
    }
    assert!(!folder.path().join("a.html").exists());
}

/// Addresses without memory behind them are allowed for: a run under `ulimit -v` ends well or is refused, and never
/// aborts. Which of the tight ones are refused depends on the machine's cores; 2 GB are enough on all.
#[cfg(unix)]
#[test]
fn a_limited_address_space_ends_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("fluid.toml", "frames = 1\n[[fluid]]\nspacing = 0.015\n[solver]\nsubsteps = 1\n");
    write("balls.toml", "frames = 1\n[[soft_body]]\nballs = [[0, 0, 0, 1]]\ncell = 0.025\n[solver]\nsubsteps = 1\n");
    write("few.toml", "frames = 1\n[[soft_body]]\nballs = [[0, 0, 0, 1]]\ncell = 0.1\n[solver]\nsubsteps = 1\n");
    let rows = |count: usize, row: &str| row.repeat(count);
    write("cloth.toml", "frames = 1\n[[cloth]]\nresolution = 250\n[solver]\nsubsteps = 1\n");
    write("rod.toml", "frames = 1\n[[rod]]\nsegments = 60000\n[solver]\nsubsteps = 1\n");
    write(
        "grains.toml",
        "frames = 1\n[[grains]]\nradius = 0.01\nfrom = [0, 0, 0]\nto = [0.5, 0.5, 0.5]\n[solver]\nsubsteps = 1\n",
    );
    let bodies: String = (0..5000).map(|i| format!("[[body]]\nradius = 0.1\nposition = [{i}, 0, 0]\n")).collect();
    write("bodies.toml", &bodies);
    write("field.toml", "[[rope]]\n[[collider]]\nshape = \"mesh\"\nballs = [[0, 0, 0, 1]]\ncell = 0.02\n");
    write(
        "maps.toml",
        &("[[cloth]]\nresolution = 100\n".to_owned() + &rows(500, "[[cloth.map]]\nkey = \"friction\"\nvalue = 0.3\n")),
    );
    let at = rows(30_000, "[0, 55],");
    write("rows.toml", &format!("[[cloth]]\nresolution = 8\n[[cloth.constraint]]\nkind = \"distance\"\nat = [{at}]\n"));
    // Little for each of them, and the most that they need: some of each are refused.
    let each = ["cloth", "rod", "grains", "bodies", "field", "maps", "rows"];
    let tight = each.into_iter().flat_map(|scene| [(60_000, scene), (110_000, scene)]);
    for (kilobytes, scene) in tight.chain([
        (150_000, "balls"),
        (300_000, "balls"),
        (2_000_000, "few"),
        (200_000, "fluid"),
        (300_000, "fluid"),
        (2_000_000, "fluid"),
    ]) {
        let script =
            format!("ulimit -v {kilobytes} && exec {} run {scene}.toml --threads 2", env!("CARGO_BIN_EXE_seidel"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        let said = text(&output.stderr);
        let refused = said.starts_with("error: ") && said.contains(" are allowed: ") && said.lines().count() == 1;
        let may_be_refused = kilobytes < 2_000_000 && output.status.code() == Some(1) && refused;
        assert!(output.status.success() || may_be_refused, "{kilobytes} {scene}: {said}");
    }
}

/// Errors name the line, the key and the number as it was written, also where they are found after the text was read.
#[test]
fn errors_name_line_key_and_number() {
    let folder = tempfile::tempdir().unwrap();
    for (text, says) in [
        (
            "[[cloth]]\nresolution = \"a\"\n",
            "line 2: `cloth.resolution`: neither a whole number up to 4294967295 nor two in brackets",
        ),
        (
            "frames = 1.5\n[[cloth]]\n",
            "line 1: `frames`: invalid type: floating point `1.5`, expected a whole number from 0 to 4294967295",
        ),
        ("[[cloth]]\ndensity = 1e40\n", "line 2: `cloth.density` is 1e40, and numbers go up to 3.4e38"),
        ("[[cloth]]\nposition = [0, 0,\n1e39]\n", "line 3: `cloth.position` is 1e39, "),
        (
            "gravity = [0, 1e30, 0]\n[[cloth]]\nresolution = 10\n",
            "line 1: settings: gravity is 1e30, which is not within",
        ),
        (
            "[[cloth]]\nresolution = 10\n[[cloth]]\nname = \"flag\"\nresolution = 10\nthickness = -1\n",
            "line 6: body `flag`: thickness is -1",
        ),
        (
            "[[cloth]]\nresolution = 10\n[[collider]]\nshape = \"sphere\"\nradius = -1\n",
            "line 5: collider `collider-0`: radius is -1",
        ),
        ("[[cloth]]\nresolution = 10\n[solver]\nsubsteps = 0\n", "line 4: settings: substeps is 0"),
        (
            "[[cloth]]\nstretch_compliance = 1\nstretch_stiffness = 1\n",
            "line 2: cloth 0: give stretch_compliance or stretch_stiffness",
        ),
    ] {
        std::fs::write(folder.path().join("a.toml"), text).unwrap();
        let said = self::text(&seidel(folder.path(), &["run", "a.toml", "--frames", "1"]).stderr);
        assert!(
            said.starts_with("error: a.toml: ") && said.contains(says) && said.lines().count() == 1,
            "{text}: {said}"
        );
    }
    // What the command line has given names itself, and all else keeps its line; keys are named that an error calls
    // something else.
    for (text, args, says) in [
        ("fps = 50\nsettle = -1\n[[cloth]]\n", &[][..], "line 2: settle is -1 s"),
        (
            "[[cloth]]\nresolution = 5\nthickness = -1\n",
            &["--set", "cloth.resolution=6"],
            "line 3: body `cloth-0`: thickness",
        ),
        (
            "[[cloth]]\nresolution = 5\ndamping = 0.1\n",
            &["--set", "cloth.damping=2"],
            "--set cloth.damping=2: body `cloth-0`: damping is 2",
        ),
        (
            "[[cloth]]\nname = \"a\"\nresolution = 5\n",
            &["--set", "cloth.a.damping=2"],
            "--set cloth.a.damping=2: body `a`: damping is 2",
        ),
        ("[[cloth]]\nresolution = 5\n", &["--fps", "-1"], "a.toml: --fps: fps is -1"),
        ("[[cloth]]\nresolution = 5\n", &["--set", "cloth.density=1e40"], "`cloth.density` is 1e40, and numbers"),
        ("[[rod]]\nsegments = 8\nyoung = 1e20\n", &[], "line 3: body `rod-0`: Young's modulus is 1e20, "),
        ("[[rod]]\nsegments = 8\nyoung = 1e20\n", &[], "(`young`)"),
        (
            "[[soft_body]]\ncells = [2, 2, 2]\npoisson = 0.7\n",
            &[],
            "line 3: body `soft_body-0`: Poisson's ratio is 0.7",
        ),
        ("[[cloth]]\nresolution = 4\npin_vertices = [99]\n", &[], "line 3: body `cloth-0`: pinned vertex 99"),
        ("[[rope]]\nname = \"r\"\nsegments = 0\n", &[], "line 3: body `r`: number of particles is 1"),
        (
            "[[cloth]]\nresolution = 4\n[[cloth.constraint]]\nkind = \"rope\"\nat = [[0, 9999]]\n",
            &[],
            "line 5: body `cloth-0`, kind `rope` row 0: vertex 9999",
        ),
        ("[[shape_matched]]\nclusters = -1\n", &[], "line 2: body `shape_matched-0`: radius of the clusters is -1"),
        ("[[cloth]]\n[[collider]]\nshape = \"blob\"\n", &[], "line 3: `collider.shape`: unknown value `blob`"),
        ("[[soft_body]]\nsize = [1, .2, .2]\n", &[], "line 2: `size`: a number has digits before and behind its point"),
        ("[[cloth]]\nresolution = 4\nvelocity = [1e30, 0, 0]\n", &[], "line 3: cloth 0: velocity has 1e30, "),
        ("[[soft_body]]\nballs = [[0, 0, 0, 1]]\ncell = -1e-30\n", &[], "line 3: soft_body 0: cell is -1e-30, "),
    ] {
        std::fs::write(folder.path().join("a.toml"), text).unwrap();
        let said = self::text(&seidel(folder.path(), &[&["run", "a.toml", "--frames", "1"], args].concat()).stderr);
        assert!(said.contains(says) && said.lines().count() == 1, "{text} {args:?}: {said}");
    }
    let obj = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";
    std::fs::write(folder.path().join("a.obj"), obj).unwrap();
    let said = self::text(&seidel(folder.path(), &["check", "a.obj", "--repair", "o.xyz"]).stderr);
    assert!(said.contains("o.xyz: triangles are written as .obj or .ply"), "{said}");
    let said = self::text(&seidel(folder.path(), &["check", "a.obj", "--repair", "o"]).stderr);
    assert!(said.contains("o: triangles are written as .obj or .ply"), "{said}");
    assert!(!folder.path().join("o.xyz").exists() && !folder.path().join("o").exists());
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_told() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"a\xffb.toml");
    let output = Command::new(env!("CARGO_BIN_EXE_seidel")).arg("run").arg(name).output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("b.toml` is not UTF-8"), "{said}");
    let output = Command::new(env!("CARGO_BIN_EXE_seidel")).args(["run", "--set"]).arg(name).output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("error: --set: `a") && !said.contains("scene"), "{said}");
}

/// Errors cut long words of a scene file, and name the key to change.
#[test]
fn errors_are_short() {
    let folder = tempfile::tempdir().unwrap();
    let said = |scene: &str, args: &[&str]| {
        std::fs::write(folder.path().join("s.toml"), scene).unwrap();
        text(&seidel(folder.path(), &[&["run", "s.toml"], args].concat()).stderr)
    };
    let long = "n".repeat(1_000_000);
    for key in ["mesh", "fabric"] {
        let said = said(&format!("[[cloth]]\n{key} = \"{long}\"\n"), &[]);
        assert!(said.starts_with("error: s.toml: line 2: ") && said.len() < 400, "{} bytes", said.len());
    }
    let said_of_name = said(&format!("[[cloth]]\nname = \"{long}\"\n"), &[]);
    assert!(said_of_name.contains("line 2: `name` has 1000000 bytes, and may have 1000"), "{said_of_name:.400}");
    let sheet = "[[cloth]]\nresolution = 100\ntear = { strain = 0.2 }\n";
    let near = said(sheet, &["--memory", "8MB"]);
    assert!(
        near.contains("line 2: body `cloth-0`") && near.contains("use a smaller `resolution`, or allow more"),
        "{near}"
    );
}

/// A file that is not as it was written is refused, wherever it has changed.
#[cfg(unix)]
#[test]
fn a_damaged_resume_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_seidel"))
        .args(["run", "chain", "--frames", "100000", "--out", "a.npz"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    until_it_catches(2, &mut child);
    std::thread::sleep(std::time::Duration::from_millis(1200));
    assert!(child.try_wait().unwrap().is_none());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let path = folder.path().join("a.npz.resume");
    let bytes = std::fs::read(&path).unwrap();
    let output = seidel(folder.path(), &["run", "--resume", "a.npz.resume", "--frames", "1"]);
    let said = text(&output.stderr);
    assert!(
        output.status.code() == Some(1) && said.contains("error: --frames 1: the run that is to go on has "),
        "{said}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "it can still be gone on with");
    let before = std::fs::read(folder.path().join("a.npz")).unwrap();
    for at in [3, 60, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let output = seidel(folder.path(), &["run", "--resume", "a.npz.resume"]);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("damaged") && said.lines().count() == 1, "{said}");
    }
    std::fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
    assert_eq!(seidel(folder.path(), &["run", "--resume", "a.npz.resume"]).status.code(), Some(1));
    assert_eq!(std::fs::read(folder.path().join("a.npz")).unwrap(), before);
}

/// A resumed run ends with the same files, to the byte, as one that was not interrupted: pictures, state and recording;
/// and with the same figures of all its frames, but for times.
#[cfg(unix)]
#[test]
fn a_resumed_run_ends_as_a_whole_one() {
    let [whole, parts, elsewhere] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let resume = parts.path().join("a.npz.resume");
    let outs = ["--out", "a.npz", "--out", "a.html", "--out", "a.glb", "--out", "a.pvd"];
    let others = ["--stats", "figures.json", "--save", "a.state", "--record", "a.record"];
    // Slow enough to be met on the way, whatever the machine; how far it comes decides how often the ball touches.
    let begin = ["run", "rope-bridge", "--every", "10", "--substeps", "200", "--set", "min_contacts=0", "--frames"];
    let mut frames: u32 = 0;
    for ends in [false, false, true] {
        let more = ["--frames".to_owned(), (frames + 25).to_string()];
        let start = match frames {
            0 => [&begin[..], &["100000"], &outs, &others].concat(),
            _ => vec!["run", "--resume", resume.to_str().unwrap()],
        };
        let mut child = Command::new(env!("CARGO_BIN_EXE_seidel"))
            .args(&start)
            .args(if ends { &more[..] } else { &[] })
            // From wherever it is gone on with: the files are where they were.
            .current_dir(if frames == 0 { parts.path() } else { elsewhere.path() })
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        if !ends {
            until_it_catches(2, &mut child);
            std::thread::sleep(std::time::Duration::from_millis(1500));
            assert!(child.try_wait().unwrap().is_none());
            assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        }
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(if ends { 0 } else { 130 }), "{said}");
        if !ends {
            assert!(said.contains("go on with: seidel run --resume ") && said.ends_with("a.npz.resume\n"), "{said}");
            let done =
                said.split_once("interrupted after ").and_then(|(_, rest)| rest.split_once(" of ")).expect(&said).0;
            assert!(done.parse::<u32>().unwrap() > frames, "{said}");
            frames = done.parse().unwrap();
        }
    }
    let count = (frames + 25).to_string();
    let output = seidel(whole.path(), &[&begin[..], &[count.as_str()], &outs, &others].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let replayed = seidel(parts.path(), &["replay", "a.record"]);
    assert!(text(&replayed.stdout).starts_with(&format!("{count} steps, the same bits")), "{}", text(&replayed.stderr));
    let figures = |folder: &Path| -> serde_json::Map<String, serde_json::Value> {
        let path = folder.join("figures.json");
        let all = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        std::fs::remove_file(path).unwrap();
        let serde_json::Value::Object(all) = all else { panic!("figures have names") };
        all.into_iter().filter(|(name, _)| !name.ends_with("_ms")).collect()
    };
    let of_whole = figures(whole.path());
    assert_eq!(of_whole["frames"], frames + 25);
    assert!(of_whole["all_contacts"].as_u64().unwrap() > 0, "the ball rolls on the bridge: {of_whole:?}");
    assert_eq!(of_whole, figures(parts.path()));
    let files = |folder: &std::path::Path| -> Vec<(String, Vec<u8>)> {
        let all = [folder.to_owned(), folder.join("a")].into_iter().flat_map(|f| std::fs::read_dir(f).unwrap());
        let files = all.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        let mut files: Vec<_> =
            files.map(|p| (p.file_name().unwrap().to_string_lossy().into(), std::fs::read(p).unwrap())).collect();
        files.sort();
        files
    };
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    let (whole, parts) = (files(whole.path()), files(parts.path()));
    assert_eq!(whole.iter().map(|f| &f.0).collect::<Vec<_>>(), parts.iter().map(|f| &f.0).collect::<Vec<_>>());
    assert!(whole.iter().zip(&parts).all(|(a, b)| a == b));
}

/// Steps of a recording come to the same bits on other lanes and threads; a file that is another does not.
#[test]
fn a_recording_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let run = seidel(folder.path(), &["run", "chain", "--frames", "6", "--record", "a.record"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    for with in [&[][..], &["--isa", "portable", "--threads", "1"]] {
        let replay = seidel(folder.path(), &[&["replay", "a.record"], with].concat());
        assert!(replay.status.success(), "{}", text(&replay.stderr));
        assert!(text(&replay.stdout).starts_with("6 steps, the same bits; state hash "), "{}", text(&replay.stdout));
    }
    let mut bytes = std::fs::read(folder.path().join("a.record")).unwrap();
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    std::fs::write(folder.path().join("b.record"), &bytes).unwrap();
    refused_in(folder.path(), &["replay", "b.record"], 1, "b.record: the recording is damaged");
    std::fs::write(folder.path().join("c.record"), "nothing").unwrap();
    refused_in(folder.path(), &["replay", "c.record"], 1, "c.record: it is no recording of a run");
    refused_in(folder.path(), &["replay", "none.record"], 1, "none.record: ");
}

/// A run that goes on from a saved state ends as one without a stop; other settings go on from it, and other bodies do
/// not.
#[test]
fn a_saved_state_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let hash = |args: &[&str]| {
        let output = seidel(folder.path(), &[&["run", "chain", "--substeps", "8"], args].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let table = text(&output.stdout);
        let line = table.lines().find(|line| line.contains("state hash")).expect("a hash").to_owned();
        (line, text(&output.stderr))
    };
    let whole = hash(&["--frames", "30"]);
    hash(&["--frames", "12", "--save", "a.state"]);
    assert_eq!(hash(&["--frames", "18", "--load", "a.state", "--save", "b.state"]), whole);
    let (other, said) = hash(&["--frames", "18", "--load", "a.state", "--set", "gravity=[0, -5, 0]"]);
    assert!(other != whole.0 && said.contains("other settings"), "{said}");
    // One link more is another body; and a file that is damaged, none, or there twice is refused.
    let load = ["run", "chain", "--load", "a.state"];
    refused_in(folder.path(), &[&load[..], &["--set", "rope.segments=61"]].concat(), 1, "other bodies");
    let mut bytes = std::fs::read(folder.path().join("a.state")).unwrap();
    bytes[99] ^= 1;
    std::fs::write(folder.path().join("a.state"), &bytes).unwrap();
    refused_in(folder.path(), &load, 1, "--load a.state: the state is damaged");
    refused_in(folder.path(), &["run", "chain", "--load", "none.state"], 1, "--load none.state: ");
    refused_in(folder.path(), &["run", "chain", "--save", "c.npz", "--out", "c.npz"], 1, "two outputs");
}

/// An origin changes no bit, is told in figures, and comes with a saved state: also into the files of another scene.
#[test]
fn a_scene_elsewhere_has_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let stats = |args: &[&str]| -> serde_json::Value {
        let base = ["run", "chain", "--substeps", "8", "--frames", "3", "--stats", "-"];
        let output = seidel(folder.path(), &[&base, args].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let away = ["--set", "origin=[1e4, 0, -7e9]"];
    let near = stats(&["--out", "near.npz"]);
    let far = stats(&[&away[..], &["--out", "far.npz", "--save", "a.state"]].concat());
    assert_eq!(near["state_hash"], far["state_hash"]);
    assert_eq!((&near["origin"], &far["origin"]), (&serde_json::Value::Null, &serde_json::json!([1e4, 0.0, -7e9])));
    let loaded = stats(&["--load", "a.state", "--out", "loaded.npz"]);
    assert_eq!(loaded["origin"], far["origin"]);
    let has_origin = |name: &str| {
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        bytes.windows(10).any(|part| part == b"origin.npy")
    };
    assert_eq!(["near.npz", "far.npz", "loaded.npz"].map(has_origin), [false, true, true]);
    let printed = seidel(folder.path(), &["scenes", "chain"]);
    assert!(!text(&printed.stdout).contains("origin"));
    refused(
        &["run", "chain", "--set", "origin=[0, 2e12, 0]"],
        1,
        "--set origin=[0, 2e12, 0]: scene: origin along y is",
    );
}

const CUBE: &str = "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n";

/// A scene of the PositionBasedDynamics library in a folder of its own, beside its models.
fn library_scene(folder: &Path, body: &str) {
    for name in ["scenes", "models"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("models/cube.obj"), CUBE).unwrap();
    let json = format!(
        r#"{{"Name": "two boxes", "Simulation": {{"wobble": 3, "contactStiffnessRigidBody": 1}}, "RigidBodies": [
        {{"id": 1, "geometryFile": "../models/cube.obj", "isDynamic": 0, "scale": [9, 1, 9], "collisionObjectType": 2, "collisionObjectScale": [9, 1, 9]}},
        {{"id": 2, "geometryFile": "../models/cube.obj", "translation": [0, 1.1, 0], "collisionObjectType": 2, {body}}},
        {{"id": 3, "geometryFile": "../models/cube.obj", "translation": [0, 2.2, 0], "collisionObjectType": 2}}],
        "HingeJoints": [{{"bodyID1": 2, "bodyID2": 3, "position": [0, 1.6, 0], "axis": [0, 1, 0]}}]}}"#
    );
    std::fs::write(folder.join("scenes/boxes.json"), json).unwrap();
}

#[test]
fn scenes_of_the_library_run_and_convert_to_scene_files_of_the_same_hash() {
    let folder = tempfile::tempdir().unwrap();
    library_scene(folder.path(), r#""density": 300, "colour": "red""#);
    let stats = |scene: &str, file: &str| {
        let output = seidel(folder.path(), &["run", scene, "--frames", "40", "--stats", file]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let stats = std::fs::read(folder.path().join(file)).unwrap();
        (serde_json::from_slice::<serde_json::Value>(&stats).unwrap(), text(&output.stderr))
    };
    let (first, said) = stats("scenes/boxes.json", "a.json");
    assert_eq!(first["unknown_keys"], serde_json::json!(["Simulation.wobble", "RigidBodies[1].colour"]));
    assert_eq!((&first["bodies"], &first["joints"]), (&serde_json::json!(3), &serde_json::json!({"hinge": 1})));
    assert!(said.contains("note: unknown key `RigidBodies[1].colour`") && said.lines().count() == 3, "{said}");
    // Into another folder: the model is named from there.
    std::fs::create_dir(folder.path().join("out")).unwrap();
    let output = seidel(folder.path(), &["convert", "scenes/boxes.json", "out/boxes.toml"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(folder.path().join("out/boxes.toml")).unwrap();
    assert!(written.contains("\"../models/cube.obj\""), "{written}");
    let (second, _) = stats("out/boxes.toml", "b.json");
    assert_eq!(first["state_hash"], second["state_hash"]);
    assert_eq!((&second["bodies"], &second["unknown_keys"]), (&serde_json::json!(2), &serde_json::json!([])));
    // With a change made, and from a named scene.
    let set = ["convert", "scenes/boxes.json", "fast.toml", "--set", "solver.substeps=40"];
    assert!(seidel(folder.path(), &set).status.success());
    assert!(std::fs::read_to_string(folder.path().join("fast.toml")).unwrap().contains("substeps = 40"));
    assert!(seidel(folder.path(), &["convert", "flag", "flag.toml"]).status.success());
}

#[test]
fn a_library_scene_that_cannot_be_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    library_scene(folder.path(), r#""density": 0"#);
    let says = "scenes/boxes.json: RigidBodies[1].density: is 0 kg/m^3, which is not within 1e-9 .. 1e9";
    refused_in(folder.path(), &["run", "scenes/boxes.json", "--stats", "s.json"], 1, says);
    refused_in(folder.path(), &["convert", "scenes/boxes.json", "boxes.toml"], 1, says);
    refused_in(folder.path(), &["convert", "flag", "flag.json"], 1, "a scene file ends in .toml");
    refused_in(folder.path(), &["convert", "nothing", "a.toml"], 1, "there is no scene `nothing`");
    refused_in(folder.path(), &["run", "gone.json"], 1, "gone.json: cannot be read");
    assert!(seidel(folder.path(), &["convert", "flag", "flag.toml"]).status.success());
    refused_in(folder.path(), &["convert", "flag.toml", "flag.toml"], 1, "would replace its source");
}
