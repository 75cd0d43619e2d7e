//! The line of a scene file that an error is about, when it was found after the text was read.

use seidel_scenes::SceneSpec;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::line_at;

/// Whether two descriptions differ at most in what the command line has options for.
pub(super) fn are_alike(a: &SceneSpec, b: &SceneSpec) -> bool {
    let same_run = SceneSpec { name: b.name.clone(), frames: b.frames, fps: b.fps, settle: b.settle, ..a.clone() };
    same_run == *b
}

/// Whether they also agree in that.
pub(super) fn run_alike(a: &SceneSpec, b: &SceneSpec) -> bool {
    (a.frames, a.fps, a.settle) == (b.frames, b.fps, b.settle)
}

/// The line of the key that an error names, or of its table; `error` begins with the table (`cloth 0: ...`), the body or collider
/// (``body `flag`: ...``), the settings, or a key of the scene itself (`fps is ...`).
pub(super) fn line_of(text: &str, spec: &SceneSpec, error: &str) -> Option<usize> {
    let keys = DeTable::parse(text).ok()?;
    let line = |value: std::ops::Range<usize>| line_at(text, &value);
    let Some((label, rest)) = error.split_once(": ") else {
        let (key, _) = error.split_once(" is ")?;
        return keys.get_ref().iter().find(|(name, _)| name.get_ref() == key).map(|(name, _)| line(name.span()));
    };
    let (label, inner) = label.split_once(", ").map_or((label, None), |(label, inner)| (label, Some(inner)));
    if let Some(table) = keys.get_ref().get(label).and_then(as_table) {
        return named(table, rest).map(line);
    }
    if label == "settings" {
        let solver = keys.get_ref().get("solver").and_then(|solver| named(as_table(solver)?, rest));
        return solver.or_else(|| named(keys.get_ref(), rest)).map(line);
    }
    let (what, number) = table_of(spec, label)?;
    let table = keys.get_ref().get(what)?;
    let DeValue::Array(tables) = table.get_ref() else { return None };
    let table = tables.get(number)?;
    if let Some(inner) = inner.and_then(|inner| entry(as_table(table)?, inner)) {
        let key = as_table(inner).and_then(|table| named(table, rest));
        return Some(line(key.unwrap_or_else(|| inner.span())));
    }
    named(as_table(table)?, rest).or_else(|| Some(table.span())).map(line)
}

/// The table that a label names, and its number among those of its key.
fn table_of(spec: &SceneSpec, label: &str) -> Option<(&'static str, usize)> {
    let quoted = label.split('`').nth(1);
    let body = |name: &str| spec.table_of(spec.names().iter().position(|of| of == name)?);
    let collider = |name: &str| {
        let named = spec.collider.iter().position(|collider| collider.name == name);
        named.or_else(|| name.strip_prefix("collider-")?.parse().ok()).map(|number| ("collider", number))
    };
    let rigid = |name: &str| {
        let named = spec.body.iter().position(|body| body.name == name);
        named.or_else(|| name.strip_prefix("rigid-")?.parse().ok()).map(|number| ("body", number))
    };
    let joint = |name: &str| {
        let named = spec.joint.iter().position(|joint| joint.name == name);
        named.or_else(|| name.strip_prefix("joint-")?.parse().ok()).map(|number| ("joint", number))
    };
    match label.split([' ', '`']).next()? {
        "joint" if quoted.is_some() => joint(quoted?),
        "body" if quoted.is_some() => body(quoted?).or_else(|| rigid(quoted?)),
        "collider" if quoted.is_some() => collider(quoted?),
        word => {
            let what = SceneSpec::TABLES.iter().find(|table| **table == word)?;
            let number = label.split_whitespace().nth(1).and_then(|number| number.parse().ok());
            let by_name = || quoted.and_then(body).map(|(_, number)| number);
            Some((what, number.or_else(by_name)?))
        }
    }
}

/// The entry of a list in a table that a label such as `map 1` or `map 1, where 0` names; the list's own, if that is the last that is found.
fn entry<'a>(table: &'a DeTable<'a>, label: &str) -> Option<&'a Spanned<DeValue<'a>>> {
    let (first, others) = label.split_once(", ").map_or((label, None), |(first, others)| (first, Some(others)));
    let (key, number) = first.split_once(' ')?;
    let DeValue::Array(list) = table.get(key)?.get_ref() else { return None };
    let found = list.get(number.parse::<usize>().ok()?)?;
    let deeper = others.and_then(|others| entry(as_table(found)?, others));
    Some(deeper.unwrap_or(found))
}

/// Where the key stands that a text names first, as it is spelt or in words.
fn named(table: &DeTable<'_>, text: &str) -> Option<std::ops::Range<usize>> {
    let found = table.iter().filter_map(|(key, _)| {
        let name = key.get_ref().as_ref();
        let at = place(text, name).or_else(|| place(text, &name.replace('_', " ")))?;
        Some((at, key.span()))
    });
    found.min_by_key(|(at, span)| (*at, span.start)).map(|(_, span)| span)
}

/// Where a word stands by itself.
fn place(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|&at| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

fn as_table<'a>(value: &'a Spanned<DeValue<'a>>) -> Option<&'a DeTable<'a>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}
