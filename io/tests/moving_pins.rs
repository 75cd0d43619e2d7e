//! Pins of scene files that follow paths.

use seidel_io::scene::{build, load, parse, to_toml};
use seidel_scenes::MotionSpec;
use std::path::Path;

fn plan(text: &str) -> Result<seidel::Plan, String> {
    let spec = parse(Path::new("my.toml"), text).map_err(|e| e.to_string())?;
    assert_eq!(parse(Path::new("again"), &to_toml(&spec).unwrap()).unwrap(), spec, "its own text");
    let scene = build("my.toml", &spec).map_err(|e| e.to_string())?;
    seidel::Plan::new(&scene).map_err(|e| e.to_string())
}

const STEADY: &str = "motion = { path = \"steady\", velocity = [1, 0, 0] }";

/// Both files move the same vertices along the same path: parts by name, and vertices by number.
#[test]
fn parts_and_vertices_follow_paths() {
    let end = |pins: &str| {
        let text = format!("[[cloth]]\nresolution = [4, 3]\n[[cloth.moving_pins]]\n{pins}\n{STEADY}");
        let mut solver = seidel::Solver::with(
            std::sync::Arc::new(plan(&text).expect("a sound scene")),
            seidel::Execution::default(),
        );
        for _ in 0..6 {
            solver.step(&seidel::Input::frame(1.0 / 60.0));
        }
        solver.state().hash()
    };
    let parts = end("pin = [\"first-column\", \"first-row\"]");
    assert_eq!(parts, end("pin_vertices = [0, 1, 2, 3, 4, 8]"));
    assert_ne!(parts, end("pin_vertices = [0, 1, 2, 3, 4]"));
}

#[test]
fn what_cannot_be_followed_is_named() {
    for (text, says) in [
        ("[[cloth.moving_pins]]\npin = [\"corners\"]", "cloth 0, moving_pins 0: its path is fixed"),
        (&format!("[[cloth.moving_pins]]\n{STEADY}"), "cloth 0, moving_pins 0: it moves nothing"),
        (
            "[[cloth.moving_pins]]\npin_vertices = [0]\nmotion = { path = \"steady\", turns = 1 }",
            "moving_pins 0: `motion`, each second, turns by 360 degrees about no axis",
        ),
        (
            "[[cloth.moving_pins]]\npin_vertices = [0]\nmotion = { path = \"key-frames\", keys = [] }",
            "moving_pins 0: `motion` goes by key-frames, and `keys` has none",
        ),
        (&format!("[[cloth.moving_pins]]\npin_vertices = [9999]\n{STEADY}"), "pinned vertex 9999 does not exist"),
        (
            &format!(
                "[[cloth.moving_pins]]\npin = [\"first-row\"]\n{STEADY}\n[[cloth.moving_pins]]\npin_vertices = [7]\n{STEADY}"
            ),
            "body `cloth-0`, moving pins 1: vertex 7 is named twice",
        ),
        (
            &format!("[[cloth.moving_pins]]\npin_vertices = [0]\nabout = [1e9, 0, 0]\n{STEADY}"),
            "moving pins 0: the point about which they turn is 1000000000, which is not within +-1e6 m",
        ),
        (
            "[[cloth.moving_pins]]\npin_vertices = [0]\nmotion = { path = \"steady\", start = 3, end = 2 }",
            "moving pins 0: end is 2, which is not from the start",
        ),
        (&format!("[[cloth.moving_pins]]\npins = [1]\n{STEADY}"), "unknown key `pins`; did you mean `pin`?"),
        (
            &format!("[[rope]]\n[[rope.moving_pins]]\npin = [\"corners\"]\n{STEADY}"),
            "rope 0, moving_pins 0: `pin` names parts of a grid; a rope is pinned by `pin_vertices`",
        ),
    ] {
        let error = plan(&format!("[[cloth]]\n{text}")).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn changes_reach_a_path_of_pins() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, format!("[[cloth]]\n[[cloth.moving_pins]]\npin_vertices = [0]\n{STEADY}")).expect("a file");
    let changed = |changes: &[&str]| {
        let changes: Vec<_> = changes.iter().map(|c| format!("cloth.moving_pins.motion.{c}")).collect();
        let spec = load(path.to_str().expect("a name"), &changes).map_err(|e| e.to_string())?;
        Ok::<_, String>(spec.cloth[0].moving_pins[0].motion.clone())
    };
    let MotionSpec::Steady { velocity, turns, .. } = changed(&["turns=2"]).unwrap() else { panic!("another path") };
    assert_eq!((velocity, turns), ([1.0, 0.0, 0.0], 2.0));
    // The old path's numbers go with it.
    let waves = MotionSpec::Sinusoidal { amplitude: [1.0, 0.0, 0.0], period: 2.0, phase: 0.0 };
    assert_eq!(changed(&["path=sinusoidal", "amplitude=[1,0,0]", "period=2"]), Ok(waves));
    assert!(changed(&["path=sinusoidal"]).unwrap_err().contains("missing field `amplitude`"));
}
