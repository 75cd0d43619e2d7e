//! The text of a scene: TOML that is read once, into a description and the table of its keys.

use std::ops::Range;

use seidel::limits::MAX_NAME;
use seidel_scenes::{SceneSpec, key};
use serde::Deserialize;
use toml::de::{DeTable, DeValue, Deserializer};
use toml::{Spanned, Table, Value};

use super::keys::renamed;
use super::place::{self, Text};
use super::variants;
use super::way::line_at;
use seidel_scenes::nearest;

/// A scene's description, and the keys that its text gives.
pub(super) struct Document {
    pub(super) spec: SceneSpec,
    pub(super) table: Table,
}

impl Document {
    /// Reads a text; the error is one line, and says which line of the text it is about where that is known.
    pub(super) fn read(text: &str) -> Result<Document, String> {
        let wrong = |e: toml::de::Error| match e.span() {
            Some(span) => format!("line {}: {}", line_at(text, &span), one_of(text, &span, &e).unwrap_or(message(&e))),
            None => message(&e),
        };
        // What is not TOML is of no key yet.
        let keys = DeTable::parse(text).map_err(|e| {
            let Some((span, key)) = e.span().and_then(|span| key_before(text, span.start).map(|key| (span, key)))
            else {
                return wrong(e);
            };
            format!("line {}: `{key}`: {}", line_at(text, &span), message(&e))
        })?;
        // Before anything is looked for that resembles them, and before they are shown in a table.
        if let Some((what, count, span)) = long(keys.get_ref()) {
            let line = line_at(text, &span);
            return Err(format!("line {line}: {what} has {count} bytes, and may have {MAX_NAME}"));
        }
        if let Some((key, number, span)) = beyond(keys.get_ref(), "") {
            let line = line_at(text, &span);
            return Err(match number.trim_start_matches(['+', '-']) {
                "nan" => format!("line {line}: `{key}` is {number}, which is no number"),
                _ => format!("line {line}: `{key}` is {number}, and numbers go up to 3.4e38"),
            });
        }
        let table = Table::deserialize(Deserializer::from(keys.clone())).map_err(wrong)?;
        let spec = SceneSpec::of_keys(keys.clone()).map_err(|e| match inside(keys.get_ref(), &e) {
            Some((key, span)) => {
                let (line, said) = (line_at(text, &span), message(&e));
                let said = key_of(&e).map_or_else(
                    || said.clone(),
                    |of| said.replacen(&format!("`{of}`"), &format!("`{of}`, `{key}`"), 1),
                );
                format!("line {line}: {said}")
            }
            None => wrong(e),
        })?;
        // Numbers beyond an array's length are left out without a word: the description has fewer of them.
        let read = spec.to_keys().map_err(|e| e.to_string())?;
        variants::has_meaning(&table)
            .map_err(|e| place::located(Some(&Text { text, keys: keys.get_ref(), was: &read }), &[], &spec, &e))?;
        match in_table(keys.get_ref(), &read, "") {
            Some(long) => {
                let (line, Longer { key, got, want, .. }) = (line_at(text, &long.span), long);
                Err(format!("line {line}: `{key}` has {got} entries, and {want} are wanted"))
            }
            None => Ok(Document { spec, table }),
        }
    }

    /// Reads a table that was put together here: errors name no line.
    pub(super) fn of(table: &Table) -> Result<Document, String> {
        let text = toml::to_string(table).map_err(|e| e.to_string())?;
        Document::read(&text).map_err(|what| match what.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
            Some((_, what)) => what.to_owned(),
            None => what,
        })
    }
}

/// An array that has more entries than were read.
struct Longer {
    key: String,
    got: usize,
    want: usize,
    span: Range<usize>,
}

/// The first array of a table that has more entries than were read.
fn in_table(given: &DeTable<'_>, read: &Table, path: &str) -> Option<Longer> {
    given.iter().find_map(|(key, given)| {
        let name = key.get_ref();
        let key = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        in_value(given, read.get(name.as_ref())?, &key)
    })
}

fn in_value(given: &Spanned<DeValue<'_>>, read: &Value, key: &str) -> Option<Longer> {
    match (given.get_ref(), read) {
        (DeValue::Table(given), Value::Table(read)) => in_table(given, read, key),
        (DeValue::Array(given_all), Value::Array(read)) if given_all.len() > read.len() => {
            Some(Longer { key: key.to_owned(), got: given_all.len(), want: read.len(), span: given.span() })
        }
        (DeValue::Array(given), Value::Array(read)) => {
            given.iter().zip(read).find_map(|(given, read)| in_value(given, read, key))
        }
        _ => None,
    }
}

/// The first key, or name, that is too long.
fn long(table: &DeTable<'_>) -> Option<(&'static str, usize, Range<usize>)> {
    table.iter().find_map(|(key, value)| match value.get_ref() {
        _ if key.get_ref().len() > MAX_NAME => Some(("a key", key.get_ref().len(), key.span())),
        DeValue::String(text) if key.get_ref() == "name" && text.len() > MAX_NAME => {
            Some(("`name`", text.len(), value.span()))
        }
        DeValue::Table(table) => long(table),
        DeValue::Array(values) => values.iter().find_map(|value| match value.get_ref() {
            DeValue::Table(table) => long(table),
            _ => None,
        }),
        _ => None,
    })
}

/// The first number that is none or that 32 bits cannot hold, and its key.
fn beyond(table: &DeTable<'_>, path: &str) -> Option<(String, String, Range<usize>)> {
    table.iter().find_map(|(key, value)| {
        let name = key.get_ref();
        let key = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        beyond_in(value, &key)
    })
}

fn beyond_in(value: &Spanned<DeValue<'_>>, key: &str) -> Option<(String, String, Range<usize>)> {
    match value.get_ref() {
        DeValue::Table(table) => beyond(table, key),
        DeValue::Array(values) => values.iter().find_map(|value| beyond_in(value, key)),
        DeValue::Float(number) => {
            let text = number.as_str();
            let number: f64 = text.replace('_', "").parse().ok()?;
            let is_beyond = !(number as f32).is_finite();
            // A table that was put together here spells all digits.
            let shown = if text.len() > 30 && number.is_finite() { format!("{number:e}") } else { text.to_owned() };
            is_beyond.then(|| (key.to_owned(), shown, value.span()))
        }
        _ => None,
    }
}

/// The key and place of what an error is about inside of a value, where one whole table is all that serde tells: the
/// only list of the length, the only key of the name or the only text that it does not take.
fn inside<'a>(keys: &'a DeTable<'_>, e: &toml::de::Error) -> Option<(&'a str, Range<usize>)> {
    let (said, whole) = (e.message(), e.span()?);
    let between = |before: &str, after: &str| Some(said.strip_prefix(before)?.split_once(after)?.0.to_owned());
    let length: Option<usize> = between("invalid length ", ", ").and_then(|length| length.parse().ok());
    let (unknown, text) = (between("unknown field `", "`"), between("invalid type: string \"", "\""));
    let mut found = Vec::new();
    each_inside(keys, &mut |key, name, value| {
        let span = value.span();
        let is_in = whole.start <= span.start && span.end <= whole.end && span != whole;
        let is_it = match value.get_ref() {
            _ if unknown.as_deref() == Some(key) => true,
            // Of numbers.
            DeValue::Array(values) => {
                let first = values.first().map(|first| first.get_ref());
                length == Some(values.len()) && matches!(first, Some(DeValue::Integer(_) | DeValue::Float(_)))
            }
            DeValue::String(of) => text.as_deref() == Some(of.as_ref()),
            _ => false,
        };
        if is_in && is_it {
            found.push((key, if unknown.is_some() { name } else { span }));
        }
    });
    let [(key, span)] = &found[..] else { return None };
    Some((key, span.clone()))
}

/// Visits all values of a table with the key that each is of, and the place of that key.
fn each_inside<'a>(table: &'a DeTable<'_>, visit: &mut impl FnMut(&'a str, Range<usize>, &Spanned<DeValue<'_>>)) {
    for (key, value) in table {
        each_in_value(key.get_ref(), key.span(), value, visit);
    }
}

fn each_in_value<'a>(
    key: &'a str,
    name: Range<usize>,
    value: &'a Spanned<DeValue<'_>>,
    visit: &mut impl FnMut(&'a str, Range<usize>, &Spanned<DeValue<'_>>),
) {
    visit(key, name.clone(), value);
    match value.get_ref() {
        DeValue::Table(table) => each_inside(table, visit),
        DeValue::Array(values) => values.iter().for_each(|value| each_in_value(key, name.clone(), value, visit)),
        _ => {}
    }
}

/// serde's words for what is expected, in words of a scene file.
fn in_plain_words(message: &str) -> String {
    let Some((got, wanted)) = message.split_once(", expected ") else { return message.to_owned() };
    let wanted = match wanted {
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0",
        "i64" | "i32" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list in [ ]",
        "variant identifier" => "a name in quotes",
        other if other.starts_with("struct ") || other.contains("tagged enum ") => "a table in { }",
        other => other,
    };
    format!("{got}, expected {wanted}")
}

/// The error in one line: an unknown key with the nearest known one, or the key that has no such value.
fn message(e: &toml::de::Error) -> String {
    let message = e.message().lines().collect::<Vec<_>>().join("; ");
    // serde's wording: unknown field `x`, expected one of `a`, `b`
    let mut quoted = message.split('`').skip(1).step_by(2);
    let known_form = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let Some(unknown) = quoted.next().filter(|_| known_form) else {
        // serde's wording: invalid type, value or length
        return match key_of(e) {
            Some(key) if message.starts_with("invalid type: map, expected a sequence") => {
                match key
                    .rsplit('.')
                    .next()
                    .is_some_and(|last| SceneSpec::INNER_LISTS.contains(&last) || SceneSpec::TABLES.contains(&last))
                {
                    true => format!("`{key}` is a list: write [[{key}]]"),
                    false => format!("`{key}` is a list: write it in [ ]"),
                }
            }
            Some(key) => format!("`{key}`: {}", in_plain_words(&message)),
            None if message.starts_with("invalid mantissa") => {
                "a number has digits before and behind its point, such as 0.2 and 1.0".to_owned()
            }
            None => message,
        };
    };
    let mut known: Vec<&str> = quoted.collect();
    let is_key = message.starts_with("unknown field");
    // serde tells a path's keys without the one that says which path it is; those of its key frames have a time.
    let is_of_motion = |key: String| key.rsplit('.').take(2).any(|part| part == key::MOTION);
    if is_key && !known.contains(&"time") && key_of(e).is_some_and(is_of_motion) {
        known.insert(0, "path");
    }
    let what = if is_key { "key" } else { "value" };
    let of = key_of(e).filter(|_| !is_key).map_or_else(String::new, |key| format!("`{key}`: "));
    if let Some(now) = renamed(unknown) {
        return format!("{of}the {what} `{unknown}` is called `{now}` now");
    }
    format!("{of}unknown {what} `{unknown}`{}; known are {}", nearest(unknown, known.iter().copied()), known.join(", "))
}

/// The error where a value is no text and has to be one of several names, with these: serde tells them only to a text.
fn one_of(text: &str, at: &Range<usize>, e: &toml::de::Error) -> Option<String> {
    let (before, got, after) = (text.get(..at.start)?, text.get(at.clone())?, text.get(at.end..)?);
    let asked = SceneSpec::of_keys(DeTable::parse(&format!("{before}\"?\"{after}")).ok()?).err()?;
    let known: Vec<String> = asked.message().split('`').skip(3).step_by(2).map(|name| format!("\"{name}\"")).collect();
    let key =
        key_of(e).filter(|_| asked.message().starts_with("unknown variant `?`") && !got.starts_with(['"', '\'']))?;
    let got = got.split_whitespace().collect::<Vec<_>>().join(" ");
    let got = if got.chars().count() > LONGEST_SHOWN { "another value" } else { &got };
    Some(format!("`{key}` is {got}, and has to be {}", known.join(" or ")))
}

/// Characters of a value that an error repeats.
const LONGEST_SHOWN: usize = 40;

/// The key in whose value a place of a text is: the last that begins in its own line, or in one before it if a bracket
/// is still open.
fn key_before(text: &str, at: usize) -> Option<&str> {
    let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at))?;
    let mut end = at;
    loop {
        let start = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..end].trim_start();
        // The name of a table, behind which its keys begin.
        if line.trim_start_matches('[').starts_with(char::is_alphabetic) && line.starts_with('[') {
            return None;
        }
        if let Some((key, _)) = line.split_once('=')
            && !key.trim().is_empty()
            && key.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        {
            let value = &text[start..at];
            let count = |brackets: [char; 2]| value.matches(brackets).count();
            return Some(key.trim()).filter(|_| end == at || count(['[', '{']) > count([']', '}']));
        }
        end = start.checked_sub(1)?;
    }
}

/// The key whose value an error is about, such as `cloth.density`; none of text that is not TOML.
fn key_of(e: &toml::de::Error) -> Option<String> {
    // The error has it in the last line of its text, if it has no document to show.
    let mut bare = e.clone();
    bare.set_input(None);
    let text = bare.to_string();
    Some(text.lines().last()?.strip_prefix("in `")?.strip_suffix('`')?.to_owned())
}
