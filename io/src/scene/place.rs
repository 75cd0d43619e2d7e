//! What an error is about that was found after the scene was read: a line of its file, or a change or option of the command line.

use seidel_scenes::{SceneSpec, key};
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::document::{Document, line_at};

/// What engines call quantities whose keys have other names.
const WORDS: [(&str, &str); 26] = [
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
    ("its plasticity", key::PLASTIC),
    ("its tearing", key::TEAR),
    ("tensile stiffness", key::FABRIC),
    ("bending rigidity", key::FABRIC),
    ("shear stiffness", key::FABRIC),
    ("corner of the block", "from"),
    ("side of the block", "to"),
    ("bytes of the name", "name"),
    ("the point about which", "about"),
];

/// Options of the command line by the table and key that they give.
const OPTIONS: [([&str; 2], &str); 6] = [
    (["", "frames"], "--frames"),
    (["", "fps"], "--fps"),
    (["", "settle"], "--settle"),
    ([key::SOLVER, "substeps"], "--substeps"),
    ([key::SOLVER, "iterations"], "--iterations"),
    ([key::SOLVER, "method"], "--solver"),
];

/// The way to a table: keys, and numbers in lists with the name of the entry.
enum Step<'a> {
    Key(&'a str),
    Number(usize, Option<&'a str>),
}

/// The error with what it is about before it, if that can be told: `line 3: `, `--set cloth.density=-1: `, `--fps: `; behind it the key,
/// where the error calls it something else. It begins with the table (`cloth 0: ...`), the body or collider (``body `flag`: ...``), the
/// settings, or a key of the scene itself (`fps is ...`).
pub(super) fn located(text: Option<&str>, changes: &[String], spec: &SceneSpec, error: &str) -> String {
    let Ok(now) = spec.to_keys() else { return error.to_owned() };
    let read =
        text.and_then(|text| Some((DeTable::parse(text).ok()?, Document::read(text).ok()?.spec.to_keys().ok()?)));
    let (label, rest) = error.split_once(": ").unwrap_or(("", error));
    let (label, inner) = label.split_once(", ").map_or((label, None), |(label, inner)| (label, Some(inner)));
    let solver = [Step::Key(key::SOLVER)];
    let mut ways: Vec<Vec<Step<'_>>> = Vec::new();
    match label {
        "" => ways.push(Vec::new()),
        "settings" => ways.extend([solver.into(), Vec::new()]),
        _ if now.get(label).is_some_and(Value::is_table) => ways.push(vec![Step::Key(label)]),
        _ => {
            let Some((what, number)) = table_of(spec, label) else { return error.to_owned() };
            let entry = now.get(what).and_then(|list| list.get(number));
            let name = entry.and_then(|entry| entry.get("name")).and_then(Value::as_str);
            let deeper = inner.map(|inner| entries(entry, inner)).unwrap_or_default();
            ways.push([Step::Key(what), Step::Number(number, name)].into_iter().chain(deeper).collect());
        }
    }
    for way in &ways {
        let (given, span) = read.as_ref().and_then(|(keys, _)| table_at(keys.get_ref(), way)).unzip();
        let (was, is) = (read.as_ref().and_then(|(_, was)| value_at(was, way)), value_at(&now, way));
        let names = given.into_iter().flat_map(|table| table.keys().map(|key| key.get_ref().as_ref()));
        let names = names.chain(is.into_iter().flat_map(|is| is.keys().map(String::as_str)));
        let Some((key, called)) = named(names, rest) else { continue };
        let behind = if called { format!("{error} (`{key}`)") } else { error.to_owned() };
        let stands = given.and_then(|table| table.iter().find(|(name, _)| name.get_ref() == key));
        let same = was.is_some_and(|was| was.get(key) == is.and_then(|is| is.get(key)));
        if let (Some((name, _)), Some(text), true) = (stands, text, same) {
            return format!("line {}: {behind}", line_at(text, &name.span()));
        }
        if let Some(change) = changes.iter().rev().find(|change| gives(change, way, key)) {
            return format!("--set {change}: {behind}");
        }
        let table = match way.first() {
            Some(Step::Key(table)) => table,
            _ => "",
        };
        let option = OPTIONS.iter().find(|(of, _)| *of == [table, key]).filter(|_| was.is_some() && !same);
        if let Some((_, option)) = option {
            return format!("{option}: {behind}");
        }
        return match (span.flatten(), text) {
            (Some(span), Some(text)) => format!("line {}: {behind}", line_at(text, &span)),
            _ => behind,
        };
    }
    // No key: the table.
    let span = ways.iter().find_map(|way| table_at(read.as_ref()?.0.get_ref(), way)?.1);
    match (span, text) {
        (Some(span), Some(text)) => format!("line {}: {error}", line_at(text, &span)),
        _ => error.to_owned(),
    }
}

/// Whether a change `cloth.0.density=1` gives a key of a table, or the table with it.
fn gives(change: &str, way: &[Step<'_>], key: &str) -> bool {
    let Some((path, _)) = change.split_once('=') else { return false };
    let mut parts = path.split('.').map(str::trim).peekable();
    let mut last = "";
    for step in way {
        let Some(part) = parts.peek().copied() else { return !last.is_empty() };
        match step {
            Step::Key(table) if part == *table => last = table,
            Step::Key(_) => return false,
            // Without a number or name all entries are meant.
            Step::Number(number, name) => {
                let numbered = part.strip_prefix(last).and_then(|rest| rest.strip_prefix('-')).unwrap_or(part);
                let is_other = part.parse::<usize>().is_ok_and(|other| other != *number);
                if is_other {
                    return false;
                }
                if numbered.parse() == Ok(*number) || Some(part) == *name {
                    parts.next();
                }
                continue;
            }
        }
        parts.next();
    }
    parts.next().is_none_or(|part| part == key)
}

/// A table of a text, and where it stands; the scene's own keys stand nowhere.
type Found<'a> = (&'a DeTable<'a>, Option<std::ops::Range<usize>>);

fn table_at<'a>(keys: &'a DeTable<'a>, way: &[Step<'_>]) -> Option<Found<'a>> {
    let Some((first, rest)) = way.split_first() else { return Some((keys, None)) };
    let Step::Key(key) = first else { return None };
    let mut value = keys.get(*key)?;
    for step in rest {
        value = match (step, value.get_ref()) {
            (Step::Key(key), DeValue::Table(table)) => table.get(*key)?,
            (Step::Number(number, _), DeValue::Array(list)) => list.get(*number)?,
            _ => return None,
        };
    }
    match value.get_ref() {
        DeValue::Table(table) => Some((table, Some(value.span()))),
        _ => None,
    }
}

/// The same of a description's keys.
fn value_at<'a>(keys: &'a Table, way: &[Step<'_>]) -> Option<&'a Table> {
    let Some((first, rest)) = way.split_first() else { return Some(keys) };
    let Step::Key(key) = first else { return None };
    let value = rest.iter().try_fold(keys.get(*key)?, |value, step| match step {
        Step::Key(key) => value.get(*key),
        Step::Number(number, _) => value.get(*number),
    });
    value?.as_table()
}

/// The table that a label names, and its number among those of its key.
fn table_of(spec: &SceneSpec, label: &str) -> Option<(&'static str, usize)> {
    let quoted = label.split('`').nth(1);
    let body = |name: &str| spec.table_of(spec.names().iter().position(|of| of == name)?);
    let collider = |name: &str| {
        let named = spec.collider.iter().position(|collider| collider.name == name);
        named.or_else(|| name.strip_prefix("collider-")?.parse().ok()).map(|number| (key::COLLIDER, number))
    };
    let rigid = |name: &str| {
        let named = spec.body.iter().position(|body| body.name == name);
        named.or_else(|| name.strip_prefix("rigid-")?.parse().ok()).map(|number| (key::BODY, number))
    };
    let joint = |name: &str| {
        let named = spec.joint.iter().position(|joint| joint.name == name);
        named.or_else(|| name.strip_prefix("joint-")?.parse().ok()).map(|number| (key::JOINT, number))
    };
    match label.split([' ', '`']).next()? {
        key::JOINT if quoted.is_some() => joint(quoted?),
        key::BODY if quoted.is_some() => body(quoted?).or_else(|| rigid(quoted?)),
        key::COLLIDER if quoted.is_some() => collider(quoted?),
        word => {
            let what = SceneSpec::TABLES.iter().find(|table| **table == word)?;
            let number = label.split_whitespace().nth(1).and_then(|number| number.parse().ok());
            let by_name = || quoted.and_then(body).map(|(_, number)| number);
            Some((what, number.or_else(by_name)?))
        }
    }
}

/// The way to the entry of a list that a label such as `map 1` or `map 1, where 0` names, as far as there are such entries.
fn entries<'a>(mut table: Option<&'a Value>, label: &'a str) -> Vec<Step<'a>> {
    let mut way = Vec::new();
    for part in label.split(", ") {
        let Some((key, number)) = part.split_once(' ') else { break };
        // Rows are called by their kind: the first of it.
        let (key, number) = if key == "kind" {
            let rows = table.and_then(|table| table.get(key::CONSTRAINT)?.as_array());
            let is_it = |rows: &Value| rows.get(key).and_then(Value::as_str) == number.split('`').nth(1);
            (key::CONSTRAINT, rows.and_then(|rows| rows.iter().position(is_it)))
        } else {
            (key, number.parse::<usize>().ok())
        };
        let Some(number) = number else { break };
        table = table.and_then(|table| table.get(key)?.get(number));
        if table.is_none_or(|table| !table.is_table()) {
            break;
        }
        way.extend([Step::Key(key), Step::Number(number, None)]);
    }
    way
}

/// The key that a text names first, as it is spelt or in words, the longest of those; and whether the text spells it nowhere.
fn named<'a>(keys: impl Iterator<Item = &'a str>, text: &str) -> Option<(&'a str, bool)> {
    let found = keys.filter_map(|key| {
        let words = WORDS.iter().filter(|(_, of)| *of == key).map(|(words, _)| *words);
        let spaced = key.replace('_', " ");
        let all = words.chain([key, &spaced]).filter_map(|word| Some((place(text, word)?, word.len())));
        let (at, length) = all.min_by_key(|&(at, length)| (at, std::cmp::Reverse(length)))?;
        Some((at, std::cmp::Reverse(length), key))
    });
    let (.., key) = found.min()?;
    Some((key, place(text, key).is_none()))
}

/// Where a word stands by itself.
fn place(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|&at| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}
