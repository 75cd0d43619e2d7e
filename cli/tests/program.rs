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

#[test]
fn usage_errors_exit_with_2() {
    refused(&run(&["--substeps", "0"]), 2, "--substeps");
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
    refused(&run(&["--set", "cloth.mesh=nothere.obj"]), 1, "nothere.obj: cannot be read");
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
    assert_eq!(list.lines().count(), seidel::scenes::NAMES.len());
    std::fs::write(folder.path().join("f.toml"), seidel(folder.path(), &["scenes", "flag"]).stdout).unwrap();
    let hash = |scene: &str| {
        let output = seidel(folder.path(), &["run", scene, "--set", "cloth.resolution=12", "--frames", "2"]);
        text(&output.stdout).lines().find(|l| l.contains("state hash")).unwrap().to_owned()
    };
    assert_eq!(hash("flag"), hash("f.toml"));
}
