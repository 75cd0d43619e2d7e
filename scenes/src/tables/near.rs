//! The nearest of some names.

/// `; did you mean ...?` if something is near enough.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let best = known.map(|k| (strsim::damerau_levenshtein(word, k), k)).min();
    best.filter(|(d, k)| *d <= 2.max(k.len() / 3)).map_or_else(String::new, |(_, k)| format!("; did you mean `{k}`?"))
}
