//! Joints of scene files.

use seidel_io::scene::{build, load, parse, to_toml};
use std::path::Path;

fn plan(text: &str) -> Result<seidel::Plan, String> {
    let spec = parse(Path::new("my.toml"), text).map_err(|e| e.to_string())?;
    assert_eq!(parse(Path::new("again"), &to_toml(&spec).unwrap()).unwrap(), spec, "its own text");
    let scene = build("my.toml", &spec).map_err(|e| e.to_string())?;
    seidel::Plan::new(&scene).map_err(|e| e.to_string())
}

const SHEETS: &str = "[[cloth]]\nname = \"left\"\nresolution = 5\n\
                      [[cloth]]\nname = \"right\"\nresolution = 5\nposition = [1, 0, 0]\n\
                      [[rope]]\nsegments = 4\n";

/// Number of rows of a kind.
fn rows(plan: &seidel::Plan, kind: &str) -> usize {
    plan.families().filter(|family| family.0 == kind).map(|family| family.1).sum()
}

#[test]
fn bodies_are_joined_by_name() {
    let plain = plan(SHEETS).expect("sound");
    for (join, kind, more) in [
        ("a = \"left\"\nb = \"right\"\nwithin = 0.001", "attach", 5),
        ("a = \"left\"\nb = \"right\"\nwithin = 0.001\nvertices = [4, 9, 0]\ndamping = 0.01", "attach", 2),
        ("a = \"left\"\nb = \"rope-0\"\npairs = [[12, 0]]\nstiffness = 0.5", "attach", 1),
        ("a = \"left\"\nb = \"right\"\npairs = [[0, 4], [1, 3]]\nhold = \"distance\"\ncompliance = 0.1", "distance", 2),
        ("a = \"right\"\nb = \"left\"\npairs = [[0, 4]]\nhold = \"rope\"", "rope", 1),
        // Two of its five points are further away.
        ("a = \"rope-0\"\nb = \"left\"\nwithin = 0.2", "attach", 3),
    ] {
        let joined = plan(&format!("{SHEETS}[[join]]\n{join}")).unwrap_or_else(|e| panic!("{join}: {e}"));
        assert_eq!(rows(&joined, kind), rows(&plain, kind) + more, "{join}");
        assert_ne!(joined.id(), plain.id());
    }
}

#[test]
fn what_cannot_be_joined_is_named() {
    for (join, says) in [
        (
            "a = \"left\"\nb = \"wrong\"\nwithin = 1",
            "join 0: `b`: there is no body `wrong`; names are `left`, `right`, `rope-0`",
        ),
        ("b = \"left\"\nwithin = 1", "join 0: `a`: there is no body ``"),
        ("a = \"left\"\nb = \"right\"", "join 0: it joins nothing; give it `pairs` or `within`"),
        ("a = \"left\"\nb = \"right\"\npairs = [[0, 0]]\nwithin = 1", "join 0: give it `pairs` or `within`, not both"),
        (
            "a = \"left\"\nb = \"right\"\npairs = [[0, 0]]\nvertices = [1]",
            "join 0: `vertices` means nothing without `within`",
        ),
        ("a = \"left\"\nb = \"right\"\nwithin = 1\nhold = \"rope\"", "join 0: `hold` is for `pairs`"),
        (
            "a = \"left\"\nb = \"right\"\npairs = [[0, 0]]\nhold = \"glue\"",
            "unknown value `glue`; known are together, distance, rope",
        ),
        (
            "a = \"left\"\nb = \"right\"\npairs = [[0, 0]]\ncompliance = 1\nstiffness = 1",
            "join 0: give compliance or stiffness, not both",
        ),
        (
            "a = \"left\"\nb = \"right\"\npairs = [[0, 25]]",
            "joint 0, kind `attach` row 0, body `right`: vertex 25 does not exist; there are 25",
        ),
        ("a = \"left\"\nb = \"left\"\nwithin = 1", "joint 0: body `left` is joined to itself"),
        (
            "a = \"right\"\nb = \"rope-0\"\nwithin = 0.01\nvertices = [4]",
            "no vertex of body `right` that it may join is within 0.01 m",
        ),
    ] {
        let error = plan(&format!("{SHEETS}[[join]]\n{join}")).expect_err(says);
        assert!(error.contains(says), "{join}: {error}");
    }
}

#[test]
fn changes_reach_joints() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, format!("{SHEETS}[[join]]\na = \"left\"\nb = \"right\"\nwithin = 0.001")).expect("a file");
    let load = |change: &str| load(path.to_str().expect("a name"), &[change.to_owned()]).map_err(|e| e.to_string());
    assert_eq!(load("join.compliance=0.25").unwrap().join[0].compliance, Some(0.25));
    assert_eq!(load("join.0.within=0.5").unwrap().join[0].within, Some(0.5));
    assert!(load("join.1.within=0.5").unwrap_err().contains("there is no join 1; the scene has 1"));
}
