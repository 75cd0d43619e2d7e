//! Changes to single keys of a table (`cloth.resolution=256`).

use seidel_scenes::{SceneSpec, key, nearest};
use toml::{Table, Value};

use super::document::Document;
use super::keys::renamed;
use super::tables::{each_with, forget};
use super::variants;

/// Makes all changes, then checks: some keys need each other, as the name of a path and its numbers.
pub(super) fn made(base: &Table, changes: &[String]) -> Result<SceneSpec, String> {
    let change = |changes: &[&String]| -> Result<Table, String> {
        let mut table = base.clone();
        for change in changes {
            apply(&mut table, change).map_err(|what| format!("--set {change}: {what}"))?;
        }
        forget_old_paths(&mut table, base);
        variants::forget_replaced(&mut table, base);
        Ok(table)
    };
    let check = |table: Table| Document::of(&table).map(|read| read.spec);
    let all: Vec<&String> = changes.iter().collect();
    check(change(&all)?).map_err(|what| {
        let fail_so = |changes: &[&String]| change(changes).is_ok_and(|table| check(table).is_err_and(|e| e == what));
        // Named is one change that alone fails as all do, or else the few that do so together.
        let mut named = all.clone();
        if let Some(alone) = all.iter().find(|change| fail_so(&[change])) {
            named = vec![alone];
        }
        for change in &all {
            let rest: Vec<_> = named.iter().copied().filter(|other| other != change).collect();
            if fail_so(&rest) {
                named = rest;
            }
        }
        let named: Vec<_> = named.iter().map(|change| format!("--set {change}")).collect();
        format!("{}: {what}", named.join(" "))
    })
}

/// Makes one change.
fn apply(table: &mut Table, change: &str) -> Result<(), String> {
    let (path, value) = change.split_once('=').ok_or("a change is KEY=VALUE")?;
    let path: Vec<&str> = path.trim().split('.').map(str::trim).collect();
    if path.iter().any(|part| part.is_empty()) {
        return Err("a key is a path such as cloth.resolution".to_owned());
    }
    let value = value.trim();
    let parsed = match value {
        "none" => None,
        _ => {
            let parsed = format!("v = {value}").parse::<Table>().ok().and_then(|mut t| t.remove("v"));
            Some(parsed.unwrap_or_else(|| Value::String(value.to_owned())))
        }
    };
    set(table, &path, &parsed)
}

/// Where what follows a path takes another, the numbers of the old one go.
fn forget_old_paths(table: &mut Table, base: &Table) {
    for followers in [key::COLLIDER, key::OBSTACLE] {
        each_with(table, base, followers, forget_old_path);
    }
    for bodies in SceneSpec::BODIES {
        each_with(table, base, bodies, |new, old| each_with(new, old, key::MOVING_PINS, forget_old_path));
    }
}

fn forget_old_path(new: &mut Table, old: &Table) {
    if let (Some(Value::Table(new)), Some(Value::Table(old))) = (new.get_mut(key::MOTION), old.get(key::MOTION))
        && new.get("path") != old.get("path")
    {
        forget(new, old, |key| key != "path");
    }
}

fn set(table: &mut Table, path: &[&str], value: &Option<Value>) -> Result<(), String> {
    let (key, rest) = (path[0], &path[1..]);
    if rest.is_empty() {
        match value {
            Some(value) => drop(table.insert(key.to_owned(), value.clone())),
            None => drop(table.remove(key)),
        }
        return Ok(());
    }
    match table.get_mut(key) {
        Some(Value::Table(inner)) => set(inner, rest, value),
        Some(Value::Array(entries)) => set_entries(key, entries, rest, value),
        // A fabric that is a name becomes one like it.
        Some(fabric @ Value::String(_)) if key == key::FABRIC => {
            let mut inner = Table::from_iter([("like".to_owned(), fabric.clone())]);
            set(&mut inner, rest, value)?;
            *fabric = Value::Table(inner);
            Ok(())
        }
        Some(_) => Err(format!("`{key}` has no keys")),
        // A table that stands for its default, or an unknown key, which reading the result refuses.
        None if SceneSpec::INNER_TABLES.contains(&key) => {
            let mut inner = Table::new();
            set(&mut inner, rest, value)?;
            table.insert(key.to_owned(), Value::Table(inner));
            Ok(())
        }
        None if SceneSpec::TABLES.contains(&key) => Err(format!("the scene has no {key}")),
        None if renamed(key).is_some() => Err(format!("`{key}` is called `{}` now", renamed(key).unwrap_or_default())),
        None => {
            let keys = table.keys().map(String::as_str);
            Err(format!("there is no key `{key}`{}", nearest(key, keys)))
        }
    }
}

/// One entry by number or name, or all of them.
fn set_entries(key: &str, entries: &mut [Value], path: &[&str], value: &Option<Value>) -> Result<(), String> {
    let named = |entry: &Value| entry.get("name").and_then(Value::as_str).is_some_and(|name| name == path[0]);
    let chosen = match path[0].parse::<usize>() {
        Ok(i) if i >= entries.len() => return Err(format!("there is no {key} {i}; the scene has {}", entries.len())),
        Ok(i) => Some(i),
        Err(_) => entries.iter().position(named).or_else(|| {
            // As errors call those without a name.
            let number = path[0].strip_prefix(key)?.strip_prefix('-')?.parse().ok()?;
            entries
                .get(number)
                .filter(|entry: &&Value| entry.get("name").is_none_or(|n| n.as_str() == Some("")))
                .map(|_| number)
        }),
    };
    let is_key = |entry: &Value| entry.get(path[0]).is_some() || SceneSpec::INNER_TABLES.contains(&path[0]);
    if chosen.is_none() && path.len() > 1 && !entries.iter().any(is_key) {
        let names: Vec<&str> = entries.iter().filter_map(|entry| entry.get("name").and_then(Value::as_str)).collect();
        let known = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "none has a name".to_owned() } else { format!("names are {known}") };
        return Err(format!("there is no {key} `{}`{}; {known}", path[0], nearest(path[0], names.into_iter())));
    }
    let path = if chosen.is_some() { &path[1..] } else { path };
    if path.is_empty() {
        return Err(format!("name a key of the {key}, such as {key}.NAME.friction"));
    }
    if entries.is_empty() {
        return Err(format!("the scene has no {key}"));
    }
    for (i, entry) in entries.iter_mut().enumerate() {
        if chosen.is_none_or(|c| c == i) {
            match entry {
                Value::Table(entry) => set(entry, path, value)?,
                _ => return Err(format!("`{key}` has no keys")),
            }
        }
    }
    Ok(())
}
