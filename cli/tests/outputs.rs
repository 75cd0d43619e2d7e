//! Files for other programs, as a user asks for them.

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_seidel"));
    command.args(["run", "flag", "--set", "cloth.resolution=8"]).args(args).current_dir(folder).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The JSON of a GLB file.
fn json(path: &Path) -> serde_json::Value {
    let bytes = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

#[test]
fn every_other_frame_as_a_model_and_for_paraview() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let output = run(
        folder.path(),
        &["--frames", "7", "--every", "2", "--interpolation", "step", "--out", "a.glb", "--out", "b.PVD"],
    );
    assert!(output.status.success(), "{}", errors(&output));
    let model = json(&at("a.glb"));
    assert_eq!(model["meshes"][0]["primitives"][0]["targets"].as_array().unwrap().len(), 4);
    assert_eq!(model["animations"][0]["samplers"][0]["interpolation"], "STEP");
    let list = std::fs::read_to_string(at("b.PVD")).unwrap();
    let time = |frame: u32| format!("timestep=\"{}\"", f64::from(frame) * f64::from(1.0f32 / 60.0));
    // The start is the first.
    for (frame, there) in [(0, true), (1, false), (2, true), (4, true), (6, true), (7, false)] {
        assert_eq!(list.contains(&time(frame)), there, "{} in {list}", time(frame));
    }
    assert_eq!(std::fs::read_dir(at("b")).unwrap().count(), 4);
}

#[test]
fn a_texture_reaches_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let obj = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 4/4 3/3\nf 1/2 3/4 2/3\n";
    std::fs::write(at("a.obj"), obj).unwrap();
    std::fs::write(at("a.toml"), "[[cloth]]\nmesh = \"a.obj\"\npin_vertices = [0]\n").unwrap();
    let seidel = |scene: &str| {
        let args = ["run", scene, "--frames", "2", "--out", "a.glb"];
        Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder.path()).output().unwrap()
    };
    let output = seidel("a.toml");
    assert!(output.status.success(), "{}", errors(&output));
    let model = json(&at("a.glb"));
    let uvs = model["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"].as_u64().unwrap() as usize;
    assert_eq!(model["accessors"][uvs]["count"], 6, "four vertices, two of them drawn twice");
    // The model is a mesh again.
    std::fs::rename(at("a.glb"), at("b.glb")).unwrap();
    std::fs::write(at("b.toml"), "[[cloth]]\nmesh = \"b.glb\"\npin_vertices = [0]\n").unwrap();
    let own = Command::new(env!("CARGO_BIN_EXE_seidel"))
        .args(["run", "b.toml", "--out", "b.glb"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(errors(&own).contains("b.glb: the scene is read from there"), "{}", errors(&own));
    let output = seidel("b.toml");
    assert!(output.status.success(), "{}", errors(&output));
    let again = json(&at("a.glb"));
    assert_eq!(again["accessors"][uvs]["count"], 6);
}

/// A scene of a fluid alone: every file, figures of the fluid, and no lines about what it does not have.
#[test]
fn a_fluid_goes_into_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut args = vec!["run", "dam-break", "--set", "fluid.spacing=0.1", "--frames", "3", "--stats", "s.json"];
    args.extend(["a.html", "a.npz", "a.glb", "a.pvd", "a.pc2"].iter().flat_map(|name| ["--out", name]));
    let output = Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", errors(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    for says in
        ["fluid particles", "density error", "  fluids ", "    fluid lists", "a.glb is written; fluids are points"]
    {
        assert!(table.contains(says), "no {says} in\n{table}");
    }
    for other in ["stretch", "colors", "  constraints, "] {
        assert!(!table.contains(other), "{other} in\n{table}");
    }
    let stats: serde_json::Value = serde_json::from_slice(&std::fs::read(at("s.json")).unwrap()).unwrap();
    let fluid = &stats["fluid"];
    assert_eq!((&fluid["particles"], &fluid["lost"]), (&100.into(), &0.into()));
    let [mean, max] = ["density_error_mean", "density_error_max"].map(|key| fluid[key].as_f64().unwrap());
    assert!(0.0 < mean && mean <= max && max < 0.1, "{fluid}");
    assert!(fluid["kinetic_energy"].as_f64().unwrap() > 0.0);
    let frames = fluid["by_frame"]["density_error_max"].as_array().unwrap();
    assert_eq!((frames.len(), frames[2].as_f64()), (3, Some(max)));
    assert!(stats["fluid_ms"]["fluid_lists"]["median"].is_f64() && stats["stage_ms"]["fluids"]["median"].is_f64());
    assert_eq!(json(&at("a.glb"))["meshes"][0]["primitives"][0]["mode"], 0);
    assert_eq!(std::fs::read_dir(at("a")).unwrap().count(), 4);
    // Surfaces want a feature, and an error says which.
    let surface = ["run", "dam-break", "--set", "fluid.spacing=0.1", "--frames", "1", "--surface", "--out", "s.glb"];
    let output = Command::new(env!("CARGO_BIN_EXE_seidel")).args(surface).current_dir(folder.path()).output().unwrap();
    match cfg!(feature = "surface") {
        true => assert_eq!(json(&at("s.glb"))["meshes"][0]["primitives"][0]["mode"], 4),
        false => {
            assert!(errors(&output).contains("--features surface") && !at("s.glb").exists(), "{}", errors(&output))
        }
    }
    // Without fluids there are no figures of them.
    let output = run(folder.path(), &["--frames", "1", "--stats", "-"]);
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(stats.get("fluid").is_none() && stats["stage_ms"].get("fluids").is_none());
}

/// Rigid bodies alone: a point cache would have no points, and the run said that it was written.
#[test]
fn a_point_cache_needs_a_deformable_body() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("b.toml"), "[[body]]\nposition = [0, 1, 0]\n[[collider]]\n").unwrap();
    let seidel = |outs: &[&str]| {
        let args = ["run", "b.toml", "--frames", "2"].into_iter().chain(outs.iter().flat_map(|out| ["--out", out]));
        Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder.path()).output().unwrap()
    };
    let output = seidel(&["q.npz", "q.pc2"]);
    let said = errors(&output);
    assert!(!output.status.success() && output.stdout.is_empty(), "{said}");
    assert!(
        said.contains("q.pc2: a point cache has the vertices of a deformable body, and the scene has none"),
        "{said}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    // The other formats have rigid bodies.
    let all = ["q.npz", "q.glb", "q.html", "q.pvd"];
    let output = seidel(&all);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(all.iter().all(|name| at(name).exists()) && std::fs::read_dir(at("q")).unwrap().count() > 0);
}

#[test]
fn what_cannot_be_written_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (args, says) in [
        (
            &["--out", "a.fbx"][..],
            "use .npz (arrays), .html (a page with a viewer), .glb (an animated model), .pvd (for ParaView) or .pc2",
        ),
        (&["--frames", "5", "--every", "6", "--out", "a.glb"], "--every 6: the run has 5 frames"),
        (&["--every", "0"], "a whole number from 1 to 4294967295 is wanted"),
        // Weights of the morph targets grow with the square of the frames.
        (&["--frames", "40000", "--out", "a.glb"], "and a GLB file holds 4294967295 at most: "),
        (&["--frames", "4000000000", "--every", "3", "--out", "a.npz"], "a.npz: the run's frames need "),
        (&["--frames", "4000000000", "--out", "a.html"], "free there: write fewer, as with --every, or elsewhere"),
        (&["--interpolation", "cubic"], "possible values: linear, step"),
        (&["--surface", "--out", "a.npz"], "--surface: surfaces are written into .glb files, and no --out is one"),
        (&["--surface", "--out", "a.glb"], " has no fluid"),
    ] {
        let output = run(folder.path(), args);
        assert!(!output.status.success() && errors(&output).contains(says), "{args:?}: {}", errors(&output));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

/// A crate that is pressed together, by a plate that leaves it no room or by a load of 1e5 times its mass, is named
/// with what it is in; so is one through which something falls. A press that leaves it room, and a crate that is a
/// sensor, say nothing.
#[test]
fn bodies_that_end_deep_in_each_other_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let crate_on_floor = "[[collider]]\nname = \"floor\"\n\
        [[body]]\nname = \"crate\"\nshape = \"cuboid\"\nhalf = [0.2, 0.2, 0.2]\nposition = [0, 0.2, 0]\n";
    let above = "[[body]]\nname = \"plate\"\nshape = \"cuboid\"\nhalf = [1, 0.1, 1]\nposition = [0, 0.5, 0]\n";
    let press = |way: f32| {
        let keys = format!("[{{ time = 0, offset = [0, 0, 0] }}, {{ time = 0.2, offset = [0, -{way}, 0] }}]");
        format!("{above}kind = \"kinematic\"\nmotion = {{ path = \"key-frames\", keys = {keys} }}\n")
    };
    let load = format!("{above}mass = 1e7\n");
    // It comes through the crate, and is apart from it in the end.
    let falls = "# fallen\n[[collider]]\nname = \"floor\"\n\
        [[body]]\nname = \"crate\"\nshape = \"cuboid\"\nhalf = [0.2, 0.1, 0.2]\nposition = [0, 0.1, 0]\nmass = 0.05\n\
        [[body]]\nname = \"plate\"\nshape = \"cuboid\"\nhalf = [0.15, 0.15, 0.15]\nposition = [0, 0.65, 0]\nmass = 100\n";
    for (scene, is_told) in [
        (format!("{crate_on_floor}{}", press(0.2)), true),
        (format!("{crate_on_floor}{load}"), true),
        (falls.to_owned(), true),
        (format!("{crate_on_floor}{}", press(0.0)), false),
        (format!("{crate_on_floor}sensor = true\n{}", press(0.2)), false),
    ] {
        std::fs::write(folder.path().join("press.toml"), &scene).unwrap();
        let args = ["run", "press.toml", "--frames", "60"];
        let output = Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder.path()).output().unwrap();
        let said = errors(&output);
        let hint = said.lines().find(|line| line.contains("% of the least side of the thinner"));
        assert_eq!(hint.is_some(), is_told, "{scene}: {said}");
        let names = ["hint: rigid bodies `crate` and `plate` ", "hint: rigid body `crate` and collider `floor` "];
        let told = if scene.contains("fallen") { "were " } else { "end " };
        let begins = |hint: &str| names.iter().any(|name| hint.strip_prefix(name).is_some_and(|s| s.starts_with(told)));
        assert!(hint.is_none_or(begins), "{said}");
    }
}

/// Rigid bodies have figures of their own, in `--stats` and in the table, which has no rows of particles then; a joint
/// that stays open is told, with what helps.
#[test]
fn rigid_bodies_have_figures() {
    let folder = tempfile::tempdir().unwrap();
    let run = |scene: &str, more: &[&str]| {
        let args = ["run", scene, "--frames", "30"].into_iter().chain(more.iter().copied());
        let output = Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder.path()).output().unwrap();
        let printed = String::from_utf8(output.stdout.clone()).unwrap();
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (stats["rigid"].clone(), printed, errors(&output))
    };
    let few = ["--substeps", "8", "--stats", "-"];
    let (rigid, _, said) = run("chain-1000", &few);
    let gaps = rigid["by_frame"]["joint_gap"].as_array().unwrap();
    assert_eq!((rigid["bodies"].as_u64(), rigid["joints"].as_u64(), gaps.len()), (Some(11), Some(11), 30));
    assert!(gaps.iter().all(|gap| gap.as_f64().unwrap() < 1e-3) && !said.contains("stays open"), "{gaps:?}, {said}");
    let (rigid, _, said) = run("chain-1000", &[&few[..], &["--set", "joint.solver=sweeps"]].concat());
    let (open, name) = (rigid["joint_gap"].as_f64().unwrap(), rigid["widest_joint"].as_str().unwrap());
    let hint = format!("hint: joint `{name}` stays open, by {:.0} mm at the end: `solver = \"direct\"`", open * 1e3);
    assert!(open > 0.01 && said.contains(&hint), "{open}, {said}");
    let (rigid, _, said) = run("chain-1000", &["--substeps", "5", "--stats", "-", "--set", "joint.solver=sweeps"]);
    assert!(rigid["lost"] == 0 && said.contains("stays open"), "{rigid}, {said}");
    // A level beam of light links, welded to each other.
    let links = (0..10).map(|i| {
        let x = 0.1 * f64::from(i);
        let (a, at) = (if i > 0 { format!("a = \"rigid-{}\"\n", i - 1) } else { String::new() }, x + 0.05);
        format!(
            "[[body]]\nshape = \"cuboid\"\nhalf = [0.045, 0.015, 0.015]\nmass = 0.02\nposition = [{at}, 0, 0]\n\
             [[joint]]\nkind = \"fixed\"\n{a}b = \"rigid-{i}\"\nposition = [{x}, 0, 0]\n"
        )
    });
    std::fs::write(folder.path().join("beam.toml"), links.collect::<String>()).unwrap();
    let (rigid, _, said) = run("beam.toml", &few);
    let (bend, name) = (rigid["joint_bend"].as_f64().unwrap(), rigid["most_bent_joint"].as_str().unwrap());
    let hint = format!("hint: joint `{name}` stays bent where it should be rigid, by {:.0} degrees", bend.to_degrees());
    assert!(bend > 0.1 && said.contains(&hint), "{bend}, {said}");
    let (_, printed, _) = run("beam.toml", &few[..2]);
    assert!(printed.contains("joints bent by"), "{printed}");
    let (rigid, printed, said) = run("beam.toml", &["--set", "joint.solver=direct"]);
    assert!(!said.contains("stays bent") && !printed.contains("joints bent by"), "{rigid}, {said}");
    // Motors: what they do, frame by frame, and one that is too weak.
    let arm = |limit: f64| {
        let text = format!(
            "[[body]]\nname = \"arm\"\nshape = \"cuboid\"\nhalf = [0.5, 0.05, 0.05]\nmass = 2\nposition = [0.5, 0, 0]\n\
             [[joint]]\nname = \"elbow\"\nkind = \"hinge\"\nb = \"arm\"\naxis = [0, 0, 1]\n\
             motor = {{ position = 0.5, limit = {limit} }}\n"
        );
        std::fs::write(folder.path().join("arm.toml"), text).unwrap();
        run("arm.toml", &["--substeps", "20", "--stats", "-"])
    };
    let (rigid, _, said) = arm(80.0);
    let motor = &rigid["motors"][0];
    assert!(motor["joint"] == "elbow" && motor["drives"] == "position" && motor["limit"] == 80.0, "{motor}");
    assert!((motor["position"].as_f64().unwrap() - 0.5).abs() < 1e-3, "{motor}");
    let load = 2.0 * 9.81 * 0.5 * 0.5f64.cos();
    assert!((motor["load"].as_f64().unwrap() - load).abs() < 0.1, "{motor}");
    assert_eq!(motor["by_frame"]["position"].as_array().map(Vec::len), Some(30));
    assert!(!said.contains("the motor of"), "{said}");
    let (rigid, _, said) = arm(5.0);
    let ends = format!("{:.3}", rigid["motors"][0]["position"].as_f64().unwrap());
    let hint =
        format!("hint: the motor of joint `elbow` ends at {ends} in place of 0.500 (m or rad): all of its limit, 5");
    assert!(said.contains(&hint), "{said}");
    // Beyond 1e9 m, with a joint that cannot hold that.
    let flung = "gravity = [0, -1000, 0]\nfps = 10\n[[body]]\nname = \"a\"\ngravity_scale = 1e6\n[[body]]\nname = \"b\"\nposition = [0, -2, 0]\n\
                 [[joint]]\nname = \"weld\"\na = \"a\"\nb = \"b\"\nposition = [0, -1, 0]\n[solver]\nsubsteps = 1\n";
    std::fs::write(folder.path().join("flung.toml"), flung).unwrap();
    let (_, _, said) = run("flung.toml", &[]);
    assert!(said.contains("is lost") && said.contains("(before, joint `weld` was open by "), "{said}");
    assert!(said.contains("`solver = \"direct\"` of these joints carries it"), "{said}");
    // A body that gravity moves by much of its size in a substep is told, a larger one is not.
    for (half, is_told) in [(1e-5, true), (0.1, false)] {
        let small =
            format!("[[collider]]\n[[body]]\nshape = \"cuboid\"\nhalf = [{half}, 1, 1]\nposition = [0, 1, 0]\n");
        std::fs::write(folder.path().join("small.toml"), small).unwrap();
        let (_, _, said) = run("small.toml", &[]);
        assert_eq!(said.contains("hint: gravity moves rigid body `rigid-0` by"), is_told, "{said}");
    }

    let (rigid, _, said) = run("stack", &few);
    let (overlap, contacts) = (rigid["deepest_overlap"].as_f64().unwrap(), rigid["contacts"].as_u64().unwrap());
    assert!((1e-5..1e-2).contains(&overlap) && contacts >= 10 && !said.contains("open"), "{rigid}, {said}");
    let (_, table, _) = run("stack", &[]);
    let row = |name: &str| table.lines().any(|line| line.trim_start().starts_with(name));
    assert!(row("rigid bodies ") && row("deepest overlap ") && !row("joints open by"), "{table}");
    assert!(!row("particles ") && !row("largest stretch") && !row("deepest penetration"), "{table}");
    let (_, table, _) = run("hammock", &["--set", "cloth.resolution=8"]);
    let row = |name: &str| table.lines().position(|line| line.trim_start().starts_with(name));
    assert!(row("particles ").is_some() && row("deepest penetration") < row("rigid bodies "), "{table}");
}

/// Frames that lose a body are counted, and with `non_finite = "stop"` the loss ends the run with an error.
#[test]
fn losses_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    // Beyond 1e9 m after some frames.
    let falls = "gravity = [0, -1000, 0]\n[[body]]\ngravity_scale = 1e6\n[solver]\nsubsteps = 1\n";
    std::fs::write(folder.path().join("a.toml"), falls).unwrap();
    let run = |policy: &str, more: &[&str]| {
        let set = format!("solver.non_finite={policy}");
        let args = [&["run", "a.toml", "--frames", "120", "--stats", "-", "--set", &set], more].concat();
        let output = Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder.path()).output().unwrap();
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.success(), stats, errors(&output))
    };
    let (is_fine, stats, said) = run("freeze", &[]);
    assert!(is_fine && stats["lost_frames"] == 1 && stats["rigid"]["lost"] == 1, "{stats}, {said}");
    let (is_fine, _, said) = run("freeze", &["--check", "intersections"]);
    assert!(!is_fine && said.contains("something was lost (not finite) in 1 of 120 frames"), "{said}");
    let (is_fine, stats, said) = run("stop", &[]);
    assert!(!is_fine && stats["stopped"] == true && stats["frames"].as_u64().unwrap() < 120, "{stats}");
    let last = format!("error: frame {}: `non_finite = \"stop\"` ends the run", stats["frames"].as_u64().unwrap() - 1);
    assert!(said.contains(&last), "{said}");
}

/// Grains have figures of their own, and an empty list of places is refused where it stands.
#[test]
fn grains_have_figures() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "sand-pile", "--set", "grains.radius=0.04", "--frames", "40", "--stats", "-"];
    let output = Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder.path()).output().unwrap();
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let (grains, all) = (&stats["grains"], &stats["grains"]["by_frame"]);
    assert_eq!(grains["particles"], stats["particles"]);
    assert!(grains["contacts"].as_u64().unwrap() > 0 && grains["kinetic_energy"].as_f64().unwrap() > 0.0, "{grains}");
    let overlaps = all["deepest_overlap"].as_array().unwrap();
    let deepest = overlaps.iter().map(|depth| depth.as_f64().unwrap()).fold(0.0, f64::max);
    assert!(overlaps.len() == 40 && deepest > 0.0 && deepest < 0.04, "{deepest}");
    std::fs::write(folder.path().join("a.toml"), "[[grains]]\npoints = []\n").unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_seidel")).args(["run", "a.toml"]).current_dir(folder.path()).output().unwrap();
    assert!(errors(&output).contains("line 2: grains 0: `points` is empty: give places"), "{}", errors(&output));
}
