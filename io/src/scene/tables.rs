//! Arrays of tables, and what changes leave of them.

use toml::{Table, Value};

/// The tables of an array of them.
pub(super) fn tables(array: Option<&mut Value>) -> impl Iterator<Item = &mut Table> {
    array.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_table_mut)
}

/// The same, to be read only.
pub(super) fn entries(array: Option<&Value>) -> impl Iterator<Item = &Table> {
    array.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}

/// Calls it for each table of an array, beside what that was.
pub(super) fn each_with(table: &mut Table, base: &Table, what: &str, change: impl Fn(&mut Table, &Table)) {
    for (new, old) in tables(table.get_mut(what)).zip(entries(base.get(what))) {
        change(new, old);
    }
}

/// Takes away those of some keys that are as they were.
pub(super) fn forget(new: &mut Table, old: &Table, goes: impl Fn(&str) -> bool) {
    new.retain(|key, value| !goes(key) || old.get(key) != Some(value));
}
