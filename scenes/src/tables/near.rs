//! The nearest of some names.

use seidel::limits::MAX_NAME;
use seidel::{BodyId, Scene};

/// Names that things have in other programs, and here.
const OTHER_NAMES: [(&str, &str); 16] = [
    ("angle", "degrees"),
    ("ball", "sphere"),
    ("bounciness", "restitution"),
    ("box", "cuboid"),
    ("cube", "cuboid"),
    ("elasticity", "restitution"),
    ("extents", "half"),
    ("half_extents", "half"),
    ("half_height", "half_length"),
    ("height", "half_length"),
    ("mu", "friction"),
    ("orientation", "rotation"),
    ("poisson_ratio", "poisson"),
    ("translation", "position"),
    ("tube", "radius"),
    ("young_modulus", "young"),
];

/// `; did you mean ...?` if something is near enough, or called otherwise elsewhere.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    // What is long resembles nothing, and to find that out would take its length squared.
    if word.len() > MAX_NAME {
        return String::new();
    }
    let known: Vec<&str> = known.collect();
    if let Some((_, name)) = OTHER_NAMES.iter().find(|(other, name)| *other == word && known.contains(name)) {
        return format!("; did you mean `{name}`?");
    }
    let best = known.into_iter().map(|k| (strsim::damerau_levenshtein(word, k), k)).min();
    best.filter(|(d, k)| *d <= 2.max(k.len() / 3)).map_or_else(String::new, |(_, k)| format!("; did you mean `{k}`?"))
}

/// What errors say of a name that a file does not have.
pub(super) fn unknown<'a>(
    of: &str,
    what: &str,
    name: &str,
    file: &str,
    known: impl Iterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.collect();
    if known.is_empty() {
        return format!("{of}: there is no {what} `{name}`: {file} has none");
    }
    let near = nearest(name, known.iter().copied());
    let all = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    format!("{of}: {file} has no {what} `{name}`{near}; it has {all}")
}

/// The deformable body that a key names.
pub(super) fn body_of(of: &str, key: &str, name: &str, scene: &Scene) -> Result<BodyId, String> {
    scene.body(name).ok_or_else(|| {
        let names = scene.body_names().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let known = match names.is_empty() {
            true => "the scene has no deformable body".to_owned(),
            false => format!("names are {}", names.join(", ")),
        };
        format!("{of}: `{key}`: there is no body `{name}`; {known}")
    })
}
