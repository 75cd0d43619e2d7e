//! Ways through a scene's keys: to a table, to a key of it, or to an entry of a list.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// A step of a way: a key, or a number in a list with the name of the entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Number(usize, Option<&'a str>),
}

/// Where the steps of a way stand in a text, as far as it goes there: keys, and entries of lists.
pub(super) fn spans(keys: &DeTable<'_>, way: &[Step<'_>]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut value = None;
    for step in way {
        let table = if spans.is_empty() { Some(keys) } else { value.and_then(DeValue::as_table) };
        let next = match step {
            Step::Key(key) => table.and_then(|table| table.get_key_value(*key)).map(|(key, value)| (key.span(), value)),
            Step::Number(number, _) => {
                value.and_then(DeValue::as_array).and_then(|list| list.get(*number)).map(|value| (value.span(), value))
            }
        };
        let Some((span, next)) = next else { break };
        spans.push(span);
        value = Some(next.get_ref());
    }
    spans
}

/// The keys of a text's table; of no steps all keys.
pub(super) fn keys_in<'a>(keys: &'a DeTable<'a>, way: &[Step<'_>]) -> Option<&'a DeTable<'a>> {
    let Some((Step::Key(key), rest)) = way.split_first() else { return Some(keys) };
    let value = rest.iter().try_fold(keys.get(*key)?.get_ref(), |value, step| {
        let next = match step {
            Step::Key(key) => value.as_table()?.get(*key),
            Step::Number(number, _) => value.as_array()?.get(*number),
        };
        next.map(|next| next.get_ref())
    });
    value?.as_table()
}

/// A value of a description.
pub(super) fn value_at<'a>(keys: &'a Table, way: &[Step<'_>]) -> Option<&'a Value> {
    let Some((Step::Key(key), rest)) = way.split_first() else { return None };
    rest.iter().try_fold(keys.get(*key)?, |value, step| match step {
        Step::Key(key) => value.get(*key),
        Step::Number(number, _) => value.get(*number),
    })
}

/// The same, if it is a table; of no steps all keys.
pub(super) fn table_at<'a>(keys: &'a Table, way: &[Step<'_>]) -> Option<&'a Table> {
    if way.is_empty() { Some(keys) } else { value_at(keys, way)?.as_table() }
}

/// The line in which a place of a text is.
pub(super) fn line_at(text: &str, span: &Range<usize>) -> usize {
    let before = &text.as_bytes()[..span.start.min(text.len())];
    1 + before.iter().filter(|&&b| b == b'\n').count()
}
