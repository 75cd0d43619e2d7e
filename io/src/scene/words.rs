//! What an error's text says of a scene's keys: names of keys, as they are spelt or in other words, and the number that
//! is refused.

use seidel_scenes::key;

/// What engines call quantities whose keys have other names.
const WORDS: [(&str, &str); 45] = [
    ("Young's modulus", "young"),
    ("Poisson's ratio", "poisson"),
    ("pinned vertex", "pin_vertices"),
    ("number of particles", "segments"),
    ("length of the rope", "to"),
    ("inner radius", "tube"),
    ("outer radius", "tube"),
    ("columns of the grid", "resolution"),
    ("rows of the grid", "resolution"),
    ("radius of the clusters", "clusters"),
    ("number of clusters", "clusters"),
    ("concavity of a piece", "piece_concavity"),
    ("vertices of a piece", "piece_vertices"),
    ("frames a second", "fps"),
    ("turn of key", key::MOTION),
    ("time of key", key::MOTION),
    ("position of key", key::MOTION),
    ("of a key", key::MOTION),
    ("key", "keys"),
    ("its plasticity", key::PLASTIC),
    ("breaking strain", "breaks"),
    ("its tearing", key::TEAR),
    ("cut's normal", "plane"),
    ("point of a cut", key::CUT),
    ("tensile stiffness", key::FABRIC),
    ("bending rigidity", key::FABRIC),
    ("shear stiffness", key::FABRIC),
    ("corner of the block", "from"),
    ("side of the block", "to"),
    ("bytes of the name", "name"),
    ("the point about", "about"),
    ("attachment", key::ATTACH),
    ("vertices and not", "at"),
    ("cells of", "cell"),
    ("number of points", "segments"),
    ("half the shell", "hollow"),
    ("half the opening", "radius"),
    ("half the opening", "half"),
    ("end is", "until"),
    ("tube is", "radius"),
    ("lower limit", "limits"),
    ("upper limit", "limits"),
    ("grain", "points"),
    ("rest shapes that yield", key::PLASTIC),
    ("rest shapes that yield", key::PLASTIC_BEND),
];

/// The key that a text names first, as it is spelt or in words, the longest of those; and whether the text spells it
/// nowhere.
pub(super) fn named<'a>(keys: impl Iterator<Item = &'a str>, text: &str) -> Option<(&'a str, bool)> {
    let found = keys.filter_map(|key| {
        let (at, length) = first(key, text)?;
        Some((at, std::cmp::Reverse(length), key))
    });
    let (.., key) = found.min()?;
    Some((key, place(text, key).is_none()))
}

/// The key that a text names first in quotes.
pub(super) fn quoted<'a>(keys: impl Iterator<Item = &'a str>, text: &str) -> Option<&'a str> {
    let found = keys.filter_map(|key| Some((text.find(&format!("`{key}`"))?, key)));
    found.min().map(|(_, key)| key)
}

/// Whether a text names a key.
pub(super) fn names(key: &str, text: &str) -> bool {
    first(key, text).is_some()
}

/// How many of the words that a key is made of a text has.
pub(super) fn parts(key: &str, text: &str) -> usize {
    key.split('_').filter(|part| place(text, part).is_some()).count()
}

/// Where a text names a key first, and the length of the longest name there.
fn first(key: &str, text: &str) -> Option<(usize, usize)> {
    let words = WORDS.iter().filter(|(_, of)| *of == key).map(|(words, _)| *words);
    let (spaced, marked) = (key.replace('_', " "), format!("`{key}`"));
    // These are words of any text.
    let own = if ["at", "to"].contains(&key) { [marked.as_str(); 2] } else { [key, spaced.as_str()] };
    let all = words.chain(own).filter_map(|word| Some((place(text, word)?, word.len())));
    all.min_by_key(|&(at, length)| (at, std::cmp::Reverse(length)))
}

/// Where a word stands by itself.
pub(super) fn place(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|&at| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// The number that a text refuses: `is -1, which is not ...`, or a vertex.
pub(super) fn refused(text: &str) -> Option<f64> {
    let after = |marker: &str, end: &str| {
        let of = |(at, _): (usize, &str)| {
            let (number, _) = text[at + marker.len()..].split_once(end)?;
            Some((at, number.parse::<f64>().ok().filter(|number| number.is_finite())?))
        };
        text.match_indices(marker).find_map(of)
    };
    let told = [after(" is ", ", which "), after(" has ", ", which "), after(" turns by ", " degrees")];
    let first = told.into_iter().flatten().min_by_key(|&(at, _)| at);
    first.or_else(|| after("vertex ", " ")).map(|(_, number)| number)
}

/// The numbers that a text gives to rows, entries of lists and the like: `row 3`, `map 1`.
pub(super) fn counted(text: &str) -> Vec<usize> {
    let words: Vec<&str> = text.split([' ', ',', ':']).collect();
    let counts = |word: &str| {
        word.ends_with(char::is_alphabetic) && !matches!(word, "is" | "has" | "by" | "within" | "above" | "most")
    };
    let numbers = words.windows(2).filter(|pair| counts(pair[0]));
    numbers.filter_map(|pair| pair[1].parse().ok()).collect()
}
