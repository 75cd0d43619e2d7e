//! `docs/scene.md` lists every key of a scene file, with its default.

use std::path::Path;

use seidel::spec::{ClothSpec, ColliderSpec, ConstraintSpec, MovingPinsSpec, RopeSpec, SceneSpec, SolverSpec, Turn};
use seidel_io::scene::parse;
use toml::Table;

/// Sections of the reference, with a file that has the key `unknown` in the same place, and the defaults there.
fn sections() -> Vec<(&'static str, &'static str, Table)> {
    fn table(spec: impl serde::Serialize) -> Table {
        Table::try_from(spec).unwrap()
    }
    let defaults = |text: &str| text.parse::<Table>().unwrap();
    vec![
        ("## The scene", "unknown = 1", table(SceneSpec::default())),
        ("## [solver]", "[solver]\nunknown = 1", table(SolverSpec::default())),
        ("## [[cloth]]", "[[cloth]]\nunknown = 1", table(ClothSpec::default())),
        ("## [[rope]]", "[[rope]]\nunknown = 1", table(RopeSpec::default())),
        (
            "## [[cloth.constraint]], [[rope.constraint]]",
            "[[cloth]]\n[[cloth.constraint]]\nunknown = 1",
            table(ConstraintSpec::default()),
        ),
        (
            "## [[cloth.moving_pins]], [[rope.moving_pins]]",
            "[[cloth]]\n[[cloth.moving_pins]]\nunknown = 1",
            table(MovingPinsSpec::default()),
        ),
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

#[test]
fn the_reference_has_every_key_and_default() {
    let reference = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/scene.md")).unwrap();
    for (section, wrong, defaults) in sections() {
        let error = parse(Path::new("x"), wrong).unwrap_err().to_string();
        let mut known: Vec<&str> = match error.split_once("known are ") {
            Some((_, known)) => known.split(", ").collect(),
            // serde's wording for one key: unknown field `x`, expected `y`
            None => panic!("{section}: {error}"),
        };
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
                    let near = |a: &toml::Value, b: &toml::Value| match (a.as_float(), b.as_float()) {
                        (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * b.abs(),
                        _ => a == b,
                    };
                    let same = match (said["v"].as_array(), value.as_array()) {
                        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b)),
                        _ => near(&said["v"], value),
                    };
                    assert!(same, "{section}: `{key}` is {value} and not {default}");
                }
                None => assert!(default.starts_with("none"), "{section}: `{key}` has no default, but {default}"),
            }
        }
    }
}
