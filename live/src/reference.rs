//! What the keys of scene files mean: units, limits and texts, as docs/scene.md has them. A test holds that document
//! complete, so a page that shows these keys has all of them.

use seidel_scenes::key;
use serde::Serialize;
use std::collections::BTreeMap;

/// The reference of scene files.
const REFERENCE: &str = include_str!("../../docs/scene.md");

/// A key of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Of what it is measured in; may be empty.
    pub unit: &'static str,
    /// What it is if a file does not give it, as text.
    pub default: &'static str,
    /// What it may be.
    pub limits: &'static str,
    /// What it is.
    pub what: &'static str,
}

/// The keys of each table, by the table's name: `scene`, `air`, `solver`, `cloth`, ...
///
/// # Example
/// ```
/// let keys = seidel_live::reference::keys();
/// let density = keys["cloth"].iter().find(|key| key.name == "density").unwrap();
/// assert_eq!((density.unit, density.limits), ("kg/m^2", "1e-9 to 1e9"));
/// ```
#[must_use]
pub fn keys() -> BTreeMap<&'static str, Vec<Key>> {
    let mut tables = BTreeMap::new();
    let mut table = None;
    for line in REFERENCE.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            // `## The scene`, `## [air]`, `## [[cloth]]`; other sections are parts of these.
            table = match title {
                "The scene" => Some("scene"),
                _ => {
                    title.strip_prefix('[').map(|name| name.trim_matches(['[', ']'])).filter(|name| !name.contains('.'))
                }
            };
            continue;
        }
        let Some(table) = table.filter(|_| line.starts_with("| `")) else { continue };
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &[_, name, unit, default, limits, what, ..] = cells.as_slice() else { continue };
        let key = Key { name: name.trim_matches('`'), unit, default, limits, what };
        tables.entry(table).or_insert_with(Vec::new).push(key);
    }
    tables
}

/// Keys that a page shows first, in this order; others follow. `*` stands for the tables of bodies.
pub const FIRST: &[(&str, &[&str])] = &[
    ("scene", &["gravity", "fps", "settle"]),
    (key::SOLVER, &["substeps", "iterations", "method", "velocity_update", "friction_rule"]),
    (key::AIR, &["wind", "gusts"]),
    (
        "*",
        &[
            "resolution",
            "size",
            "segments",
            "density",
            key::FABRIC,
            "young",
            "poisson",
            "stretch_compliance",
            "stretch_stiffness",
            "shear_compliance",
            "bend_compliance",
            "bend_stiffness",
            "pressure",
            "collide",
            "thickness",
            "friction",
            "damping",
            "linear_damping",
            "long_range",
        ],
    ),
    (key::COLLIDER, &["position", "radius", "friction", "restitution"]),
];

/// Keys that say how a body begins: a change of one starts the scene anew.
pub const STARTS: &[&str] =
    &["position", key::ROTATION, "velocity", "angular_velocity", "from", "to", "points", "settle"];
