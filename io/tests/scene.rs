//! Scene files and changes: what is refused is named, what is set is reached.

use std::collections::BTreeSet;
use std::path::Path;

use seidel::{Input, Solver};
use seidel_io::scene::{build, build_within, load, located_in, parse, to_toml};

fn refused(text: &str) -> String {
    parse(Path::new("my.toml"), text).unwrap_err().to_string()
}

fn change(scene: &str, change: &str) -> Result<seidel_scenes::SceneSpec, String> {
    load(scene, &[change.to_owned()]).map_err(|e| e.to_string())
}

#[test]
fn every_named_scene_survives_its_own_text() {
    for name in seidel_scenes::NAMES {
        let spec = load(name, &[]).unwrap();
        assert_eq!(parse(Path::new(name), &to_toml(&spec).unwrap()).unwrap(), spec);
        assert!(seidel::Plan::new(&build(name, &spec).unwrap()).is_ok(), "{name}");
    }
}

#[test]
fn an_unknown_key_names_line_and_nearest() {
    let error = refused("[solver]\nsubsteps = 3\n\n[[cloth]]\nresolutoin = 3\n");
    assert!(error.starts_with("my.toml: line 5: unknown key `resolutoin`; did you mean `resolution`?"), "{error}");
    let error = refused("[[collider]]\nshape = \"spere\"\n");
    assert!(error.contains("line 2: `collider.shape`: unknown value `spere`; did you mean `sphere`?"), "{error}");
    // By the name that it has elsewhere.
    let error = refused("[[collider]]\nshape = \"box\"\n");
    assert!(error.contains("unknown value `box`; did you mean `cuboid`?"), "{error}");
    let error = refused("[[collider]]\nshape = \"sphere\"\nradius = 1\nrotation = { axis = [0, 1, 0], angle = 90 }\n");
    assert!(error.contains("unknown key `angle`; did you mean `degrees`?"), "{error}");
    assert!(refused("frames = \n").starts_with("my.toml: line 1: `frames`: "));
    // A list that goes on is its key's, one that is closed is not.
    assert!(refused("[[rope]]\nfrom = [0,\n0,\n.5]\n").starts_with("my.toml: line 4: `from`: a number has digits"));
    assert!(!refused("[[rope]]\nfrom = [0, 0, 0]\nto from\n").contains("`from`"));
    assert!(refused("frames = -3\n").contains("line 1"));
}

#[test]
fn changes_reach_all_or_one() {
    assert_eq!(change("cloth-sphere", "cloth.resolution=256").unwrap().cloth[0].resolution, [256, 256]);
    assert_eq!(change("cloth-sphere", "cloth.resolution=[8, 9]").unwrap().cloth[0].resolution, [8, 9]);
    let spec = change("cloth-sphere", "collider.sphere.radius=0.25").unwrap();
    assert_eq!((spec.collider[0].radius, spec.collider[1].radius), (None, Some(0.25)));
    assert_eq!(change("cloth-sphere", "collider.friction=0.1").unwrap().collider[0].friction, 0.1);
    assert_eq!(change("cloth-sphere", "collider.0.friction=0.1").unwrap().collider[0].friction, 0.1);
    assert_eq!(change("flag", "cloth.bend_compliance=none").unwrap().cloth[0].bend_compliance, None);
    assert_eq!(change("flag", "cloth.rotation.degrees=5").unwrap().cloth[0].rotation.degrees, 5.0);
    assert_eq!(change("flag", "solver.non_finite=stop").unwrap().solver.non_finite, seidel::NonFinite::Stop);
}

#[test]
fn changes_that_need_each_other_are_checked_together() {
    let changes = |more: &[&str]| {
        let linear = ["velocity=[1, 0, 0]", "path=linear"].map(|change| format!("collider.sphere.motion.{change}"));
        let all: Vec<String> = linear.into_iter().chain(more.iter().map(|c| (*c).to_owned())).collect();
        load("cloth-sphere", &all).map_err(|e| e.to_string())
    };
    let linear = seidel_scenes::MotionSpec::Linear { velocity: [1.0, 0.0, 0.0] };
    assert_eq!(changes(&[]).unwrap().collider[1].motion, linear);
    // The one that is wrong is named, wherever it stands; of keys that need each other, those that do not agree.
    for (more, says) in [
        (&["fps=30", "cloth.resolutoin=3", "frames=3"][..], "--set cloth.resolutoin=3: unknown key"),
        (&["collider.sphere.radios=3"], "--set collider.sphere.radios=3: unknown key"),
        (&["cloth.resolutoin=3", "cloth.resolutoin=4"], "--set cloth.resolutoin=3: unknown key"),
        (&["frames=x", "fps=y"], "--set fps=y: `fps`: invalid type"),
        (&["fps=30", "cloth"], "--set cloth: a change is KEY=VALUE"),
        (
            &["collider.sphere.motion.velocity=none"],
            "--set collider.sphere.motion.path=linear: `collider.motion`: missing field `velocity`",
        ),
        (&["collider.sphere.motion.period=3"], "motion.path=linear --set collider.sphere.motion.period=3: unknown key"),
    ] {
        let error = changes(more).unwrap_err();
        assert!(error.contains(says), "{more:?}: {error}");
        assert_eq!((error.lines().count(), error.contains("fps=30")), (1, false), "{error}");
    }
    let error = change("cloth-sphere", "collider.sphere.motion.path=linear").unwrap_err();
    assert!(
        error.starts_with("--set collider.sphere.motion.path=linear: `collider.motion`: missing field `velocity`"),
        "{error}"
    );
}

/// Kinds and numbers of rows of a body with further rows.
fn made(of: &str, text: &str) -> Result<Vec<(&'static str, usize)>, String> {
    let spec = parse(Path::new("my.toml"), &format!("[[{of}]]\n[[{of}.constraint]]\n{text}")).unwrap();
    assert_eq!(parse(Path::new("again"), &to_toml(&spec).unwrap()).unwrap(), spec);
    let plan = seidel::Plan::new(&build("my.toml", &spec).map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    Ok(plan.families().map(|(kind, rows, _)| (kind, rows)).collect())
}

#[test]
fn rows_of_rods_name_frames_behind_points() {
    let rod = made("rod", "kind = \"bend-twist\"\nat = [[0, 2], [3, 31]]\ncompliance = 0.5").unwrap();
    assert_eq!(rod, [("stretch-shear", 32), ("bend-twist", 33)]);
    let rod = made("rod", "kind = \"stretch-shear\"\nat = [[0, 3, 1]]\nrest = [0.1, 0]").unwrap();
    assert_eq!(rod, [("stretch-shear", 33), ("bend-twist", 31)]);
    let error = made("rod", "kind = \"bend-twist\"\nat = [[0, 32]]").unwrap_err();
    assert!(error.contains("kind `bend-twist` row 0: frame 32 does not exist; there are 32"), "{error}");
}

#[test]
fn rows_of_a_listed_kind_are_named_in_a_file() {
    let rope = made("rope", "kind = \"rope\"\nat = [[0, 32], [0, 16]]\nrest = [1, 0.5]").unwrap();
    assert_eq!(rope, [("distance", 32), ("rope", 2)]);
    let cloth = made("cloth", "kind = \"dihedral\"\nat = [[0, 65, 1, 64]]\nstiffness = 0.5").unwrap();
    assert_eq!(cloth.last(), Some(&("dihedral", 1)));
    for kind in seidel::kinds::KINDS.iter().filter(|kind| !kind.has_frames()) {
        let measured = format!("kind = \"{}\"\nat = [{:?}]", kind.name(), &[0, 65, 1, 64][..kind.slots()]);
        // The cloth is flat: it measures no tetrahedron.
        match made("cloth", &measured) {
            Ok(rows) => assert!(rows.iter().any(|(name, _)| *name == kind.name())),
            Err(e) => assert!(kind.slots() == 4 && e.ends_with("not finite: an element without area or volume"), "{e}"),
        }
        let at: Vec<u32> = (0..kind.slots() as u32).collect();
        let text = format!("kind = \"{}\"\nat = [{at:?}]\nrest = {:?}", kind.name(), vec![0.5; kind.params().len()]);
        assert!(made("rope", &text).unwrap().iter().any(|(name, _)| *name == kind.name()));
    }
    for (text, says) in [
        ("kind = \"roap\"\nat = [[0, 1]]", "cloth 0: there is no kind `roap`; kinds are distance, rope, stretch"),
        ("kind = \"rope\"\nat = [[0, 1], [2]]", "cloth 0, kind `rope`: row 1 has 1 vertices and not 2"),
        ("kind = \"rope\"\nat = [[0, 9999]]", "kind `rope` row 0: vertex 9999 does not exist"),
        ("kind = \"rope\"\nat = [[0, 1]]\ncompliance = 0\nstiffness = 1", "give compliance or stiffness, not both"),
        (
            "kind = \"isometric\"\nat = [[0, 1, 2, 3]]",
            "kind `isometric`: coefficient of the second point in the rest shape of row 0 is inf, which is not finite",
        ),
        ("kind = \"stretch\"\nat = [[0, 1]]\nrest = [1]", "kind `stretch`: rest has 1 entries and should have 2"),
    ] {
        let error = made("cloth", text).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn wrong_changes_say_what_is_wrong() {
    for (scene, wrong, says) in [
        ("flag", "cloth.resolutoin=3", "did you mean `resolution`?"),
        ("flag", "clith.resolution=3", "there is no key `clith`; did you mean `cloth`?"),
        ("flag", "rope.slack=true", "the scene has no rope"),
        ("flag", "cloth.7.density=3", "there is no cloth 7; the scene has 1"),
        ("flag", "cloth", "a change is KEY=VALUE"),
        ("flag", "cloth..x=1", "a key is a path"),
        ("flag", "fps.x=1", "`fps` has no keys"),
        ("flag", "cloth.density=heavy", "--set cloth.density=heavy"),
        (
            "flag",
            "cloth.bend=isometrc",
            "unknown value `isometrc`; did you mean `isometric`?; known are dihedral, isometric",
        ),
        ("flog", "a=1", "did you mean `flag`?"),
        ("nowhere.toml", "a=1", "nowhere.toml: cannot be read"),
    ] {
        let error = change(scene, wrong).unwrap_err();
        assert!(error.contains(says), "{wrong}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn contradictions_are_refused() {
    let spec = change("flag", "cloth.stretch_stiffness=0.5").unwrap();
    let error = build("flag", &spec).unwrap_err().to_string();
    assert_eq!(error, "flag: cloth `flag`: give stretch_compliance or stretch_stiffness, not both");
}

#[test]
fn keys_without_a_meaning_are_refused() {
    let refusal = |text: &str| match parse(Path::new("my.toml"), text) {
        Ok(spec) => build("my.toml", &spec).unwrap_err().to_string(),
        Err(e) => e.to_string(),
    };
    for (text, says) in [
        ("[[cloth]]\nmesh = \"a.obj\"\nsize = [1, 1]", "cloth 0: `size` is for a grid and means nothing beside `mesh`"),
        (
            "[[rope]]\npoints = [[0, 0, 0], [1, 0, 0]]\nsegments = 3",
            "rope 0: `segments` is for a line and means nothing beside `points`",
        ),
        ("[[cloth]]\nrepair = true", "cloth 0: `repair` is for a mesh"),
        ("[[cloth]]\nmesh = \"a.obj\"\ntube = true", "cloth 0: `tube` is for a grid and means nothing beside `mesh`"),
        (
            "[[cloth]]\nbend = \"isometric\"",
            "cloth 0: `bend` means nothing without bend_compliance, bend_stiffness or a fabric",
        ),
        ("[[cloth]]\nrotation = { degrees = 90 }", "cloth 0: rotation turns by 90 degrees about no axis"),
        ("[[rope]]\n[[collider]]\nrotation.degrees = 9", "collider 0: rotation turns by 9 degrees about no axis"),
        ("[[collider]]\nmotion = { path = \"fixed\", period = 2 }", "collider 0: `period` means nothing to the path"),
        (
            "[[rope]]\n[[collider]]\nmotion = { path = \"key-frames\", keys = [] }",
            "collider 0: `motion` goes by key-frames",
        ),
        ("frames = 3", "the scene has no body"),
    ] {
        let error = refusal(text);
        assert!(error.starts_with("my.toml: ") && error.contains(says), "{text}: {error}");
    }
}

#[test]
fn a_file_takes_the_place_of_balls() {
    let obstacle = |change: &str| change_of("drape-bunny", change).collider[1].clone();
    let file = obstacle("collider.obstacle.file=a.obj");
    assert_eq!((file.file.as_deref(), file.balls), (Some("a.obj"), None));
    assert!(obstacle("collider.obstacle.cell=0.1").balls.is_some());
}

fn change_of(scene: &str, changed: &str) -> seidel_scenes::SceneSpec {
    change(scene, changed).expect("a sound change")
}

/// Named scenes are printed with the digits that were written, and are the same when they are read again.
#[test]
fn printed_scenes_have_short_numbers() {
    for name in seidel_scenes::NAMES {
        let spec = load(name, &[]).unwrap();
        let text = to_toml(&spec).unwrap();
        assert_eq!(seidel_io::scene::parse(Path::new("printed.toml"), &text).unwrap(), spec, "{name}");
        let short = |name: &str| name != "flag" || text.contains("gravity = [0.0, -9.81, 0.0]");
        assert!(short(name), "{name}: {text}");
    }
}

/// Errors about values as other programs have them say what is wanted.
#[test]
fn values_of_the_wrong_kind_are_told_what_is_wanted() {
    let cases = [
        (
            "collide = true",
            "line 2: `cloth.collide` is true, and has to be \"nothing\" or \"others\" or \"all\" or \"spheres\"",
        ),
        (
            "rotation = [0, 20, 0]",
            "line 2: `cloth.rotation`: invalid type: sequence, expected a table such as { axis = [0, 1, 0], degrees = 90 }",
        ),
        ("rotation = { axis = [0, 1, 0] }", "line 2: `cloth.rotation`: an axis alone turns nothing; add `degrees`"),
        ("rotation = { axis = [0, 1, 0], angle = 3 }", "`degrees`"),
    ];
    for (key, what) in cases {
        let error = refused(&format!("[[cloth]]\n{key}\n"));
        assert!(error.contains(what), "{key}: {error}");
    }
    let long = format!("[[cloth]]\ncollide = [\"{}\"]\n", "x".repeat(3000));
    let error = refused(&long);
    assert!(error.contains("`cloth.collide` is another value, and has to be") && error.len() < 200, "{error}");
    // A plane meets only particles as it is.
    assert!(change("shapes", "collider.triangles=false").is_ok());
}

#[test]
fn lists_that_are_too_long_are_refused() {
    let cases = [
        ("points = [[0, 0, 0, 5], [1, 0, 0]]", "line 2: `rope.points` has 4 entries, and 3 are wanted"),
        ("from = [0, 0, 0, 1]", "line 2: `rope.from` has 4 entries, and 3 are wanted"),
        ("points = [[0, 0], [1, 0, 0]]", "line 2: `rope.points`: invalid length 2, expected an array of length 3"),
    ];
    for (list, what) in cases {
        let error = refused(&format!("[[rope]]\n{list}\n"));
        assert!(error.contains(what), "{list}: {error}");
    }
    let error = change("chain", "gravity=[0, 0, 0, 1]").unwrap_err();
    assert!(error.contains("--set gravity=[0, 0, 0, 1]: `gravity` has 4 entries, and 3 are wanted"), "{error}");
}

/// What something else takes the place of goes with one change.
#[test]
fn a_change_of_form_takes_the_keys_of_the_old_one_away() {
    let spec = change("jelly-drop", "soft_body.mesh=a.node").expect("tetrahedra for balls and for a tube");
    assert!(spec.soft_body.iter().all(|jelly| jelly.balls.is_empty() && jelly.tube.is_none()), "{:?}", spec.soft_body);
    let spec = change("bar-bend", "soft_body.stiffness=0.9").expect("a stiffness for a modulus");
    assert!(
        spec.soft_body.iter().all(|jelly| jelly.young.is_none() && jelly.stiffness == Some(0.9)),
        "{:?}",
        spec.soft_body
    );
    let spec = change("soft-heap", "shape_matched.mesh=a.obj").expect("meshes for balls and boxes");
    assert!(spec.shape_matched.iter().all(|soft| soft.half.is_none()), "{:?}", spec.shape_matched);
    let spec = change("sleeve", "obstacle.mesh=a.obj").expect("a mesh for a limb");
    assert!(spec.obstacle.iter().all(|obstacle| obstacle.limb.is_none()), "{:?}", spec.obstacle);
}

#[test]
fn a_mesh_takes_the_place_of_a_grid() {
    let spec = change("cloth-sphere", "cloth.mesh=a.obj").unwrap();
    assert_eq!((spec.cloth[0].shear_compliance, spec.cloth[0].density), (None, None));
    let text = to_toml(&spec).unwrap();
    assert!(!text.contains("resolution") && text.contains("mesh = \"a.obj\""), "{text}");
    let sleeve = &change("sleeve", "cloth.mesh=a.obj").unwrap().cloth[0];
    assert_eq!((sleeve.tube, sleeve.thickness), (false, Some(0.003)));
    assert_eq!(parse(Path::new("again"), &text).unwrap(), spec);
}

/// Keys and values that have got another name say which.
#[test]
fn an_old_name_leads_to_the_new_one() {
    let parse = |text: &str| seidel_io::scene::parse("old.toml".as_ref(), text).unwrap_err().to_string();
    assert_eq!(parse("[[jelly]]\nyoung = 1e4"), "old.toml: line 1: the key `jelly` is called `soft_body` now");
    assert_eq!(parse("frames = 2\n[[soft]]"), "old.toml: line 2: the key `soft` is called `shape_matched` now");
    let value = parse("[solver]\nnon_finite = \"go-on\"");
    assert_eq!(value, "old.toml: line 2: `solver.non_finite`: the value `go-on` is called `ignore` now");
    let change = change("jelly-drop", "jelly.young=2e4").unwrap_err();
    assert!(change.ends_with("`jelly` is called `soft_body` now"), "{change}");
}

/// A sheet that a file says nothing of lies on a ball without being stretched at rest, because it shears.
#[test]
fn a_plain_sheet_lies_on_a_ball() {
    let stretch = |keys: &str| {
        let text = format!(
            "[[cloth]]\nresolution = 16\nposition = [0, 0.4, 0]\n{keys}[[collider]]\nshape = \"sphere\"\nradius = 0.3\n"
        );
        let spec = parse(Path::new("my.toml"), &text).unwrap();
        let mut solver = Solver::new(&build("my.toml", &spec).unwrap()).unwrap();
        for _ in 0..100 {
            assert!(solver.step(&Input::frame(1.0 / 60.0)).rejected.is_none());
        }
        solver.plan().max_stretch(solver.state())
    };
    let [plain, rigid] = ["", "shear_compliance = 0\n"].map(stretch);
    assert!(plain < 0.02 && rigid > 1.3 * plain, "{plain}, with rigid diagonals {rigid}");
}

/// What a map says of stiffness is not overruled by what is usual.
#[test]
fn maps_of_stiffness_tell_diagonals_too() {
    let map = |key: &str, base: &str| {
        let text = format!(
            "[[cloth]]\nresolution = 4\nstretch_stiffness = 0.5\n{base}[[cloth.map]]\nkey = \"{key}\"\nvalue = 0.3\n"
        );
        let spec = parse(Path::new("my.toml"), &text).unwrap();
        build("my.toml", &spec).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(map("stretch_stiffness", ""), Ok(()));
    assert_eq!(map("shear_stiffness", "shear_stiffness = 0.2\n"), Ok(()));
    assert_eq!(map("shear_stiffness", ""), Ok(()));
}

#[test]
fn what_is_endless_is_refused_at_once() {
    let long = "x".repeat(3_000_000);
    let refused = |text: &str| parse(Path::new("my.toml"), text).unwrap_err().to_string();
    assert_eq!(
        refused(&format!("frames = 2\nname = \"{long}\"")),
        "my.toml: line 2: `name` has 3000000 bytes, and may have 1000"
    );
    assert_eq!(
        refused(&format!("[[cloth]]\n{long} = 1")),
        "my.toml: line 2: a key has 3000000 bytes, and may have 1000"
    );
}

#[test]
fn errors_of_the_scene_s_own_keys_name_their_lines() {
    for (keys, want) in [
        ("settle = -3", "line 2: settle is -3 s, which is not within 0 .. 10000"),
        ("fps = 0", "line 2: fps is 0, which is not within 0.001 .. 1e6"),
        ("frames = 0", "line 2: frames is 0, which is not 1 or more"),
        ("[air]\ndensity = -1", "line 3: air: density is -1, which is not within 0 .. 1e6 kg/m^3"),
    ] {
        let text = format!("about = \"wrong\"\n{keys}\n[[cloth]]\nresolution = 3\n");
        let spec = parse(Path::new("my.toml"), &text).unwrap();
        let error = match build("my.toml", &spec) {
            Err(e) => e.to_string(),
            Ok(scene) => Solver::new(&scene).map(|_| ()).unwrap_err().to_string(),
        };
        let error = error.strip_prefix("my.toml: ").unwrap_or(&error);
        assert_eq!(located_in(&text, &spec, error), want);
    }
}

/// Four colliders of one mesh have one field, and no thread makes it but those that are given; whether a second one
/// takes a part is up to the machine.
#[test]
fn a_field_is_made_once_and_on_the_threads_that_are_given() {
    let collider = "[[collider]]\nshape = \"mesh\"\nfile = \"ball.obj\"\ncell = 0.02\n";
    let text = format!("[[cloth]]\nresolution = 3\n{}", collider.repeat(4));
    let spec = parse(Path::new("my.toml"), &text).unwrap();
    let told = std::sync::Mutex::new((BTreeSet::new(), BTreeSet::new()));
    let watch = |what: &str, _: f64| {
        let mut told = told.lock().unwrap();
        told.0.insert(what.to_owned());
        told.1.insert(seidel::rayon::current_thread_index());
    };
    let pool = seidel::rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let ball = || Ok::<_, String>(seidel::Mesh::ball(0.5, 4).into());
    pool.install(|| spec.build_within(u64::MAX, &watch, |_, _| ball())).unwrap();
    let (of, threads) = told.into_inner().unwrap();
    assert_eq!(of, BTreeSet::from(["collider 0".to_owned()]));
    assert!(!threads.is_empty() && threads.is_subset(&BTreeSet::from([Some(0), Some(1)])), "{threads:?}");
}

/// The body that needs most is named, not the one that happens to come last.
#[test]
fn the_largest_body_is_named_where_memory_ends() {
    let large = "[[cloth]]\nresolution = 60\nname = \"large\"\n";
    for (last, key) in [("[[rope]]\nsegments = 10\n", false), ("[[cloth]]\nresolution = 90\n", true)] {
        let spec = parse(Path::new("my.toml"), &format!("{large}{last}")).unwrap();
        let need = build("my.toml", &spec).unwrap().need().bytes;
        let limit = if key { need / 4 * 3 } else { need - 1 };
        let error = build_within("my.toml", &spec, limit, &|_, _| {}).unwrap_err().to_string();
        let says = match key {
            true => "cloth 1: `resolution` makes 8100 particles",
            false => "body `large`: the scene needs ",
        };
        assert!(error.contains(says) && error.ends_with(", or allow more"), "{error}");
        assert!(key || error.contains(", most for this body of 3600 particles, and "), "{error}");
    }
}

/// A `.gltf` file that is too large itself is not searched for names of others; a pipe is left to its reader.
#[test]
fn a_file_is_measured_before_it_is_opened() {
    use seidel_io::room::{Purpose, fits, of_bytes};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gltf");
    let root = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":40000,\"uri\":\"b.bin\"}]}";
    std::fs::write(&path, root).unwrap();
    std::fs::write(folder.path().join("b.bin"), [0; 40_000]).unwrap();
    let alone = of_bytes(&path, root.len() as u64, Purpose::Read);
    for (limit, whole) in [(alone - 1, false), (alone, true)] {
        let seidel_io::Error::Memory { need, .. } = fits(&path, Purpose::Read, limit).unwrap_err() else { panic!() };
        assert_eq!(need > alone, whole, "{need}");
    }
    // As long as a mesh of 900 MB would be, and nothing of it is there to be read.
    std::fs::File::create(&path).unwrap().set_len(900_000_000).unwrap();
    assert!(fits(&path, Purpose::Read, 50_000_000).is_err());
}

/// A pipe has no size: no more of it is read than memory allows.
#[cfg(unix)]
#[test]
fn meshes_from_pipes_end_where_memory_does() {
    use seidel_io::check::{check_tets_within, check_within};
    use seidel_io::scene::geometry_within;
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let pipe = |name: &str, text: &str, endless: bool| {
        let path = folder.path().join(name);
        if !path.exists() {
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        }
        let (of, text) = (path.clone(), text.to_owned());
        // It ends where nobody reads on.
        std::thread::spawn(move || {
            let mut file = std::fs::File::options().write(true).open(of).unwrap();
            while file.write_all(text.as_bytes()).is_ok() && endless {}
        });
        path
    };
    let memory = |error: seidel_io::Error| {
        assert!(matches!(error, seidel_io::Error::MemoryOfPipe { limit: 1_000_000, .. }), "{error}");
        assert!(error.to_string().contains("takes more than the 1.0 MB of memory that are allowed"), "{error}");
    };
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";
    let spec = parse(Path::new("my.toml"), "[[cloth]]\nmesh = \"a.obj\"\n").unwrap();
    let scene = folder.path().join("my.toml");
    let within = |limit| geometry_within(scene.to_str().unwrap(), &spec, "a.obj", limit);
    pipe("a.obj", triangle, false);
    assert!(within(10_000).is_ok());
    pipe("a.obj", triangle, true);
    memory(within(1_000_000).unwrap_err());
    memory(check_within(pipe("b.glb", "glTF", true), 1_000_000).unwrap_err());
    memory(check_tets_within(pipe("c.msh", "$Nodes\n", true), 1_000_000).unwrap_err());
    assert_eq!(check_within(pipe("d.obj", triangle, false), 1_000_000).unwrap().vertices, 3);
    // Nothing is read of what no ending tells.
    let error = check_within(Path::new("/dev/zero"), 1 << 40).unwrap_err().to_string();
    assert!(error.starts_with("/dev/zero: a pipe needs a name whose ending says what comes"), "{error}");
    // Files beside a pipe count with it.
    let root = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":40000,\"uri\":\"e.bin\"}]}";
    std::fs::write(folder.path().join("e.bin"), [0; 40_000]).unwrap();
    let error = check_within(pipe("e.gltf", root, false), 700_000).unwrap_err();
    assert!(matches!(error, seidel_io::Error::Memory { need, .. } if need > 18 * 40_000), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_of_gltf_is_read_once() {
    use base64::Engine as _;
    use seidel_io::room::{Purpose, fits};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gltf");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let corners: Vec<u8> = [0.0f32, 0., 0., 1., 0., 0., 0., 0., 1.].into_iter().flat_map(f32::to_le_bytes).collect();
    let data = base64::engine::general_purpose::STANDARD.encode(corners);
    let root = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{{\"mesh\":0}}],\"scenes\":[{{\"nodes\":[0]}}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":36}}],\
         \"buffers\":[{{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,{data}\"}}]}}"
    );
    let (send, receive) = std::sync::mpsc::channel();
    let of = path.clone();
    std::thread::spawn(move || std::fs::write(of, root));
    std::thread::spawn(move || {
        let read = fits(&path, Purpose::Read, 1 << 30).and_then(|()| seidel_io::mesh::read(&path));
        send.send(read.map(|mesh| mesh.positions.len()).map_err(|e| e.to_string()))
    });
    let read = receive.recv_timeout(std::time::Duration::from_secs(20)).expect("it waits for a second writer");
    assert_eq!(read, Ok(3));
}

/// What reading a mesh takes is told by the size of all its files.
#[test]
fn files_beside_a_mesh_are_counted() {
    use seidel_io::room::{Purpose, fits, of_file};
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let root = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":40000,\"uri\":\"a%20b.bin\"}]}";
    std::fs::write(path("a.gltf"), root).unwrap();
    let alone = of_file(&path("a.gltf"), Purpose::Read);
    std::fs::write(path("a b.bin"), [0; 40_000]).unwrap();
    assert!(alone > 0 && of_file(&path("a.gltf"), Purpose::Read) >= alone + 40_000);
    std::fs::write(path("a.node"), "1 3 0 0\n").unwrap();
    std::fs::write(path("a.ele"), [b' '; 5000]).unwrap();
    assert!(of_file(&path("a.node"), Purpose::Check) > 5000);
    let error = fits(&path("a.ele"), Purpose::Repair, 1000).unwrap_err().to_string();
    assert!(error.contains("a.ele: to read it takes about ") && error.contains("1.0 kB are allowed"), "{error}");
    assert!(fits(&path("none.obj"), Purpose::Read, 0).is_ok(), "what is missing is told when it is read");
}

#[test]
fn an_origin_is_read_written_and_refused() {
    let text = "origin = [1e4, -3, 7e9]\n[[cloth]]\nresolution = 3\n";
    let spec = parse(Path::new("a"), text).unwrap();
    let scene = build("a", &spec).unwrap();
    assert_eq!((spec.origin, scene.origin), ([1e4, -3.0, 7e9], [1e4, -3.0, 7e9]));
    assert_eq!(parse(Path::new("a"), &to_toml(&spec).unwrap()).unwrap(), spec);
    let spec = parse(Path::new("a"), "[[cloth]]\nresolution = 3\n").unwrap();
    assert!(!to_toml(&spec).unwrap().contains("origin"), "zero is not written");
    let text = "fps = 60\norigin = [0, 0, -2e12]\n[[cloth]]\nresolution = 3\n";
    let spec = parse(Path::new("a"), text).unwrap();
    let error = seidel::Plan::new(&build("a", &spec).unwrap()).unwrap_err();
    let told = located_in(text, &spec, &error.to_string());
    assert!(
        told.starts_with("line 2: scene: origin along z is -2000000000000, which is not within +-1e12 m"),
        "{told}"
    );
}
