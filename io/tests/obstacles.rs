//! Obstacles of scene files: meshes that take one shape after another, and what is attached to them.

use seidel::glam::Vec3;
use seidel::{Input, Solver};
use seidel_io::scene::{build, load, parse, to_toml};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A folder with meshes: two triangles at some heights, one of them with a vertex too many, one with other triangles.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, height: f32, more: &str, triangles: &str| {
        let mut text = String::new();
        for [x, z] in [[-1, -1], [-1, 1], [1, -1], [1, 1]] {
            writeln!(text, "v {x} {height} {z}").expect("text");
        }
        std::fs::write(folder.path().join(name), text + more + triangles).expect("a file");
    };
    let usual = "f 1 2 3\nf 3 2 4\n";
    write("a.obj", 0.0, "", usual);
    write("b.obj", 0.5, "", usual);
    write("more.obj", 0.0, "v 0 0 0\n", usual);
    write("other.obj", 0.0, "", "f 1 2 4\nf 1 4 3\n");
    folder
}

fn solver(folder: &Path, text: &str) -> Result<Solver, String> {
    let file: PathBuf = folder.join("my.toml");
    let spec = parse(&file, text).map_err(|e| e.to_string())?;
    assert_eq!(parse(Path::new("again"), &to_toml(&spec).unwrap()).unwrap(), spec, "its own text");
    let scene = build(file.to_str().expect("a path"), &spec).map_err(|e| e.to_string())?;
    Solver::new(&scene).map_err(|e| e.to_string())
}

const CLOTH: &str = "gravity = [0, 0, 0]\n[[cloth]]\nresolution = [3, 3]\nposition = [0, 0.25, 0]\n";
const TABLE: &str = "[[obstacle]]\nname = \"table\"\nmesh = \"a.obj\"\nframes = [\"b.obj\"]\nfps = 10\n";

/// Between its shapes it goes straight, and what is attached goes with it; after the last it rests.
#[test]
fn shapes_follow_one_another() {
    let folder = folder();
    let attach = "[[cloth.attach]]\nto = \"table\"\npin_vertices = [0, 2]\n";
    for (repeat, want) in [("", [0.25, 0.5, 0.5, 0.5]), ("repeat = true\n", [0.25, 0.5, 0.25, 0.0])] {
        let mut solver = solver(folder.path(), &format!("{CLOTH}{attach}{TABLE}{repeat}")).expect("a sound scene");
        let ids: Vec<_> = solver.plan().body_ids().collect();
        for (step, want) in want.into_iter().enumerate() {
            assert!(solver.step(&Input::frame(0.05)).rejected.is_none());
            let off = |x: Vec3, y: f32| (x.y - y).abs() < 1e-6;
            assert!(
                solver.positions(ids[1]).iter().all(|x| off(*x, want)),
                "step {step}: {:?}",
                solver.positions(ids[1])
            );
            let hung = [0, 2].map(|v: usize| solver.positions(ids[0])[v]);
            assert!(hung.iter().all(|x| off(*x, want + 0.25)), "step {step}: {hung:?}");
        }
    }
}

/// All vertices that are near enough are attached; tethers keep others near.
#[test]
fn what_is_within_a_distance_is_held() {
    let folder = folder();
    let held = |keys: &str| {
        let attach = format!("[[cloth.attach]]\nto = \"table\"\n{keys}\n");
        let solver = solver(folder.path(), &format!("{CLOTH}velocity = [0, 30, 0]\n{attach}{TABLE}"));
        let mut solver = solver.expect("a sound scene");
        solver.step(&Input::frame(0.05));
        let cloth = solver.plan().body("cloth-0").expect("a cloth");
        solver.positions(cloth).iter().filter(|x| x.y < 0.6).count()
    };
    assert_eq!((held("within = 0.3"), held("within = 0.3\npin = [\"first-row\"]\nmax_distance = 0.05")), (9, 3));
}

#[test]
fn what_makes_no_obstacle_is_refused() {
    let folder = folder();
    let table = |keys: &str| format!("{CLOTH}[[obstacle]]\nname = \"table\"\n{keys}");
    let attach = |keys: &str| format!("{CLOTH}[[cloth.attach]]\n{keys}\n{TABLE}");
    for (text, says) in [
        (table(""), "obstacle `table`: it has no shape; give it `mesh` or `limb`"),
        (
            table("mesh = \"a.obj\"\nlimb = {}"),
            "`limb` is for an obstacle without a file and means nothing beside `mesh`",
        ),
        (table("mesh = \"none.obj\""), "none.obj"),
        (
            table("mesh = \"a.obj\"\nframes = [\"more.obj\"]"),
            "frame 0, `more.obj`, has 5 vertices; `mesh` has 4 vertices",
        ),
        (table("mesh = \"a.obj\"\nframes = [\"other.obj\"]"), "frame 0, `other.obj`, has other triangles"),
        (
            table("mesh = \"a.obj\"\nframes = [\"b.obj\"]\nfps = 0"),
            "frames a second is 0, which is not within 0.001 .. 1e6",
        ),
        (table("limb = { bend = 200 }"), "limb.bend is 200, which is not within 0 .. 180.0 degrees"),
        (table("limb = { along = 2 }"), "limb.along is 2, which is not within 3 .. 4096"),
        (table("limb = {}\nframes = [\"b.obj\"]"), "`frames` is for a mesh of files and means nothing beside `limb`"),
        (attach("to = \"chair\""), "attach 0: there is no obstacle `chair`; names are `table`"),
        (
            attach("to = \"table\"\nwithin = 0.01"),
            "attach 0: it holds nothing; name other vertices, or a larger `within`",
        ),
        (attach("to = \"table\"\npin_vertices = [9]"), "attach 0: vertex 9 does not exist; there are 9"),
        (attach("to = \"table\"\nbackstop_radius = 1"), "`backstop_radius` means nothing without `backstop`"),
        (
            attach("to = \"table\"\nmax_distance = -1"),
            "tether 0: max distance of vertex 0 is -1, which is not 0 m or more",
        ),
    ] {
        let error = solver(folder.path(), &text).err().unwrap_or_else(|| panic!("{says}: it is taken"));
        assert!(error.contains(says), "{error} and not {says}");
    }
}

/// `--set` reaches an obstacle's keys.
#[test]
fn keys_of_an_obstacle_can_be_set() {
    let changes = ["obstacle.arm.limb.bend=45", "obstacle.friction=0.1", "cloth.attach.within=0.05"].map(str::to_owned);
    let spec = load("sleeve", &changes).expect("known keys");
    assert_eq!(spec.obstacle[0].limb.as_ref().map(|limb| limb.bend), Some(45.0));
    assert_eq!((spec.obstacle[0].friction, spec.cloth[0].attach[0].within), (0.1, Some(0.05)));
}

/// All shapes are counted before the second is read, and what is left is what the reader of the next may take.
#[test]
fn shapes_are_counted_before_they_are_read() {
    let frames = "\"a.obj\",".repeat(1000);
    let text = format!("[[cloth]]\nresolution = 3\n[[obstacle]]\nmesh = \"a.obj\"\nframes = [{frames}]\n");
    let spec = parse(Path::new("my.toml"), &text).unwrap();
    let ball = seidel::Mesh::ball(0.5, 3);
    let one = size_of_val(&*ball.positions) as u64;
    let read = |memory: u64| {
        let mut left = Vec::new();
        let built = spec.build_within(memory, &|_, _| {}, |_, bytes| {
            left.push(bytes);
            Ok::<_, String>(ball.clone().into())
        });
        (built.map_err(|e| e.to_string()), left)
    };
    let (error, left) = read(900 * one);
    assert!(error.unwrap_err().starts_with("obstacle 0: `frames` means that the scene needs "));
    assert_eq!(left, [900 * one]);
    let enough = read(u64::MAX).0.unwrap().need().bytes;
    let (built, left) = read(enough);
    // They are counted once.
    assert_eq!(built.unwrap().need().bytes, enough);
    assert_eq!((left.len(), left[0]), (1001, enough));
    assert!(left[1..].iter().all(|&bytes| bytes == enough - 1000 * one), "{:?}", &left[..3]);
}
