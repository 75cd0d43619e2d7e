//! Scene files in TOML, named scenes, and changes to single keys (`cloth.resolution=256`).
//!
//! A named scene and a file are the same data: a table of keys. Changes are made in the table, so they reach every key
//! that a file can have, and an unknown key is refused wherever it comes from.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use seidel::Scene;
use seidel::scenes;
use seidel::spec::{Geometry, SceneSpec};
use toml::{Table, Value};

use crate::{Error, mesh, tets};

/// The scene that is read from standard input.
const STDIN: &str = "-";

/// Keys that are tables of their own.
const TABLES: [&str; 5] = ["solver", "rotation", "motion", "limb", "fabric"];

/// Keys of a rope that say something of a line only.
const LINE_KEYS: [&str; 3] = ["from", "to", "segments"];

/// Keys of a cloth that say something of a grid only. (`pin` too; the scene refuses it when it is built.)
const GRID_KEYS: [&str; 5] = ["resolution", "size", "tube", "shear_compliance", "shear_stiffness"];

/// Keys of a solid that say something of a bar or tube only.
const BAR_KEYS: [&str; 2] = ["size", "cells"];

/// Keys of a balloon or soft shape that say something of a ball only.
const BALL_KEYS: [&str; 2] = ["radius", "detail"];

/// Reads the description of a named scene, of a `.toml` file, or of standard input (`-`), with changes `key=value` made to it.
///
/// A key is a path such as `solver.substeps`, `cloth.resolution` (all cloths), `cloth.1.density` (the second) or
/// `collider.sphere.radius` (the one of that name). The value is TOML; `none` takes a key away. All changes are made
/// before any is checked; the numbers of a collider's path go with the path, and a grid's keys when a mesh takes its place.
///
/// # Errors
/// If there is no such scene or file, the file is not TOML, a key or value is not one of a scene's, or a key means nothing
/// beside the others: the error names file, line, key and the nearest key that exists.
///
/// # Example
/// ```
/// let spec = seidel_io::scene::load("flag", &["cloth.resolution=16".to_owned()])?;
/// assert_eq!(spec.cloth[0].resolution, [16, 16]);
/// # Ok::<(), seidel_io::Error>(())
/// ```
pub fn load(scene: &str, changes: &[String]) -> Result<SceneSpec, Error> {
    let table = if is_file(scene) || scene == STDIN {
        let path = Path::new(shown(scene));
        let text = read(scene).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let text = std::str::from_utf8(&text).map_err(|e| {
            let line = 1 + text[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
            Error::Format {
                path: path.to_owned(),
                what: format!("line {line}: not UTF-8 text; a scene is a TOML file"),
            }
        })?;
        let spec = parse(path, text)?;
        if changes.is_empty() {
            return Ok(spec);
        }
        text.parse::<Table>().map_err(|e| format_error(path, text, &e))?
    } else {
        let spec = scenes::named(scene).ok_or_else(|| {
            let (path, what) = (Path::new(scene), "a scene is a name or a file that ends in .toml");
            if path.is_dir() {
                return Error::Scene(format!("{scene} is a folder; name a .toml file in it"));
            }
            if path.is_file() {
                return Error::Scene(format!("{scene} is no scene: {what}"));
            }
            let near = nearest(scene, scenes::NAMES.iter().copied());
            Error::Scene(format!(
                "there is no scene `{scene}`{near}; scenes are {}, a .toml file, or - for standard input",
                scenes::NAMES.join(", ")
            ))
        })?;
        table_of(&spec)?
    };
    change(&table, changes).map_err(Error::Scene)
}

/// Makes all changes, then checks: some keys need each other, as the name of a path and its numbers.
fn change(base: &Table, changes: &[String]) -> Result<SceneSpec, String> {
    let made = |changes: &[&String]| -> Result<Table, String> {
        let mut table = base.clone();
        for change in changes {
            apply(&mut table, change).map_err(|what| format!("--set {change}: {what}"))?;
        }
        forget_old_paths(&mut table, base);
        forget_old_grids(&mut table, base);
        forget_old_balls(&mut table, base);
        forget_old_spheres(&mut table, base);
        forget_old_bars(&mut table, base);
        Ok(table)
    };
    let check = |table: Table| {
        let meaning = has_meaning(&table);
        let spec = table.try_into::<SceneSpec>().map_err(|e| message(&e))?;
        meaning.map(|()| spec)
    };
    let all: Vec<&String> = changes.iter().collect();
    check(made(&all)?).map_err(|what| {
        let fail_so = |changes: &[&String]| made(changes).is_ok_and(|table| check(table).is_err_and(|e| e == what));
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

/// Parses a scene file; the name only stands in errors.
///
/// # Errors
/// If the text is not TOML, a key or value is not one of a scene's, or a key means nothing beside the others.
pub fn parse(name: &Path, text: &str) -> Result<SceneSpec, Error> {
    let spec = toml::from_str(text).map_err(|e| format_error(name, text, &e))?;
    let table = text.parse::<Table>().map_err(|e| format_error(name, text, &e))?;
    has_meaning(&table).map_err(|what| Error::Format { path: name.to_owned(), what })?;
    Ok(spec)
}

/// Makes the scene, reading its meshes; their names are relative to the scene file, if it is one.
///
/// # Errors
/// If a mesh cannot be read or keys contradict each other.
pub fn build(scene: &str, spec: &SceneSpec) -> Result<Scene, Error> {
    let read = |file: &str| -> Result<Geometry, Error> {
        let path = beside(scene, file);
        if tets::is_tets(&path) { tets::read(path).map(Into::into) } else { mesh::read(path).map(Into::into) }
    };
    spec.build(read).map_err(|e| Error::Scene(format!("{}: {e}", shown(scene))))
}

/// Where a file that a scene names is: beside the scene's own, if it is one.
#[must_use]
pub fn beside(scene: &str, file: &str) -> PathBuf {
    let folder = if is_file(scene) { Path::new(scene).parent() } else { None };
    folder.map_or_else(|| Path::new(file).to_owned(), |folder| folder.join(file))
}

/// A description as the text of a scene file.
///
/// # Errors
/// None for descriptions that come from a file or a name.
pub fn to_toml(spec: &SceneSpec) -> Result<String, Error> {
    toml::to_string(&table_of(spec)?).map_err(|e| Error::Scene(e.to_string()))
}

/// The keys of a description, without those that mean nothing beside others.
fn table_of(spec: &SceneSpec) -> Result<Table, Error> {
    let mut table = Table::try_from(spec).map_err(|e| Error::Scene(e.to_string()))?;
    for cloth in tables(table.get_mut("cloth")).filter(|cloth| cloth.contains_key("mesh")) {
        cloth.retain(|key, _| !GRID_KEYS.contains(&key));
    }
    for rope in tables(table.get_mut("rope")).filter(|rope| rope.contains_key("points")) {
        rope.retain(|key, _| !LINE_KEYS.contains(&key));
    }
    for jelly in tables(table.get_mut("jelly")).filter(|jelly| is_no_bar(jelly)) {
        jelly.retain(|key, _| !BAR_KEYS.contains(&key));
    }
    for what in ["balloon", "soft"] {
        for ball in tables(table.get_mut(what)).filter(|ball| ball.contains_key("mesh") || ball.contains_key("half")) {
            ball.retain(|key, _| !BALL_KEYS.contains(&key));
        }
    }
    Ok(table)
}

/// Whether a solid is of a file or of balls.
fn is_no_bar(jelly: &Table) -> bool {
    ["mesh", "balls"].into_iter().any(|key| jelly.contains_key(key))
}

/// What errors call a scene.
fn shown(scene: &str) -> &str {
    if scene == STDIN { "standard input" } else { scene }
}

fn read(scene: &str) -> std::io::Result<Vec<u8>> {
    if scene != STDIN {
        return std::fs::read(scene);
    }
    let mut text = Vec::new();
    std::io::stdin().lock().read_to_end(&mut text)?;
    Ok(text)
}

/// The tables of an array of them.
fn tables(array: Option<&mut Value>) -> impl Iterator<Item = &mut Table> {
    let entries = array.and_then(Value::as_array_mut).into_iter().flatten();
    entries.filter_map(Value::as_table_mut)
}

/// The same, to be read only.
fn entries(array: Option<&Value>) -> impl Iterator<Item = &Table> {
    array.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}

/// Refuses known keys that would be ignored beside the others.
fn has_meaning(table: &Table) -> Result<(), String> {
    let entries = |what: &str| {
        let entries = table.get(what).and_then(Value::as_array).into_iter().flatten().enumerate();
        entries.filter_map(|(i, entry)| Some((i, entry.as_table()?))).collect::<Vec<_>>()
    };
    let of = |what: &str, i: usize, entry: &Table| match entry.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => format!("{what} `{name}`"),
        _ => format!("{what} {i}"),
    };
    for (i, cloth) in entries("cloth") {
        if let Some(key) = GRID_KEYS.iter().find(|key| cloth.contains_key("mesh") && cloth.contains_key(**key)) {
            let of = of("cloth", i, cloth);
            return Err(format!("{of}: `{key}` is for a grid and means nothing beside `mesh`; leave one of them out"));
        }
    }
    for (i, rope) in entries("rope") {
        if let Some(key) = LINE_KEYS.iter().find(|key| rope.contains_key("points") && rope.contains_key(**key)) {
            let of = of("rope", i, rope);
            return Err(format!(
                "{of}: `{key}` is for a line and means nothing beside `points`; leave one of them out"
            ));
        }
    }
    for (i, jelly) in entries("jelly") {
        if let Some(key) = BAR_KEYS.iter().find(|key| is_no_bar(jelly) && jelly.contains_key(**key)) {
            let of = of("jelly", i, jelly);
            return Err(format!(
                "{of}: `{key}` is for a bar or tube and means nothing beside `mesh` or `balls`; leave one of them out"
            ));
        }
    }
    for (what, (i, ball)) in
        ["balloon", "soft"].into_iter().flat_map(|what| entries(what).into_iter().map(move |e| (what, e)))
    {
        let other = ["mesh", "half"].into_iter().find(|other| ball.contains_key(*other));
        if let Some((other, key)) = other.zip(BALL_KEYS.iter().find(|key| ball.contains_key(**key))) {
            let of = of(what, i, ball);
            return Err(format!(
                "{of}: `{key}` is for a ball and means nothing beside `{other}`; leave one of them out"
            ));
        }
    }
    for (i, collider) in entries("collider") {
        let Some(motion) = collider.get("motion").and_then(Value::as_table) else { continue };
        let fixed = motion.get("path").and_then(Value::as_str) == Some("fixed");
        if let Some(key) = motion.keys().find(|key| fixed && *key != "path") {
            let of = of("collider", i, collider);
            return Err(format!("{of}: `{key}` means nothing to the path `fixed`; leave one of them out"));
        }
    }
    Ok(())
}

fn is_file(scene: &str) -> bool {
    Path::new(scene).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
}

fn format_error(path: &Path, text: &str, e: &toml::de::Error) -> Error {
    let mut what = String::new();
    if let Some(span) = e.span() {
        let before = &text.as_bytes()[..span.start.min(text.len())];
        let _ = write!(what, "line {}: ", 1 + before.iter().filter(|&&b| b == b'\n').count());
    }
    Error::Format { path: path.to_owned(), what: what + &message(e) }
}

/// The error in one line; an unknown key with the nearest known one.
fn message(e: &toml::de::Error) -> String {
    let message = e.message().lines().collect::<Vec<_>>().join("; ");
    // serde's wording: unknown field `x`, expected one of `a`, `b`
    let mut quoted = message.split('`').skip(1).step_by(2);
    let known_form = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let Some(unknown) = quoted.next().filter(|_| known_form) else { return message };
    let known: Vec<&str> = quoted.collect();
    let what = if message.starts_with("unknown field") { "key" } else { "value" };
    format!("unknown {what} `{unknown}`{}; known are {}", nearest(unknown, known.iter().copied()), known.join(", "))
}

/// `; did you mean ...?` if something is near enough.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let best = known.map(|k| (strsim::damerau_levenshtein(word, k), k)).min();
    best.filter(|(d, k)| *d <= 2.max(k.len() / 3)).map_or_else(String::new, |(_, k)| format!("; did you mean `{k}`?"))
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

/// Where colliders and moving pins take other paths, the numbers of the old ones go.
fn forget_old_paths(table: &mut Table, base: &Table) {
    for followers in ["collider", "obstacle"] {
        for (new, old) in tables(table.get_mut(followers)).zip(entries(base.get(followers))) {
            forget_old_path(new, old);
        }
    }
    for bodies in ["cloth", "rope", "jelly"] {
        for (new, old) in tables(table.get_mut(bodies)).zip(entries(base.get(bodies))) {
            for (new, old) in tables(new.get_mut("moving_pins")).zip(entries(old.get("moving_pins"))) {
                forget_old_path(new, old);
            }
        }
    }
}

fn forget_old_path(new: &mut Table, old: &Table) {
    if let (Some(Value::Table(new)), Some(Value::Table(old))) = (new.get_mut("motion"), old.get("motion"))
        && new.get("path") != old.get("path")
    {
        new.retain(|key, value| key == "path" || old.get(key) != Some(value));
    }
}

/// Where a file takes the place of balls, they go.
fn forget_old_balls(table: &mut Table, base: &Table) {
    for (new, old) in tables(table.get_mut("collider")).zip(entries(base.get("collider"))) {
        if new.contains_key("file") && old.get("file").is_none() && new.get("balls") == old.get("balls") {
            new.remove("balls");
        }
    }
}

/// Where a mesh takes the place of a grid, the grid's keys go.
fn forget_old_grids(table: &mut Table, base: &Table) {
    for (new, old) in tables(table.get_mut("cloth")).zip(entries(base.get("cloth"))) {
        if new.contains_key("mesh") && old.get("mesh").is_none() {
            new.retain(|key, value| !GRID_KEYS.contains(&key) || old.get(key) != Some(value));
        }
    }
}

/// Where a mesh or balls take the place of a bar, or a mesh that of balls, the keys of those go.
fn forget_old_bars(table: &mut Table, base: &Table) {
    for (new, old) in tables(table.get_mut("jelly")).zip(entries(base.get("jelly"))) {
        if is_no_bar(new) && !is_no_bar(old) {
            new.retain(|key, value| !BAR_KEYS.contains(&key) || old.get(key) != Some(value));
        }
        let solid = new.get("mesh").and_then(Value::as_str).map(|file| tets::is_tets(Path::new(file)));
        if let Some(solid) = solid.filter(|_| old.get("mesh").is_none()) {
            new.retain(|key, value| key != "balls" && !(solid && key == "cell") || old.get(key) != Some(value));
        }
    }
}

/// Where a mesh or a box takes the place of a ball, the ball's keys go.
fn forget_old_spheres(table: &mut Table, base: &Table) {
    for what in ["balloon", "soft"] {
        for (new, old) in tables(table.get_mut(what)).zip(entries(base.get(what))) {
            if ["mesh", "half"].into_iter().any(|key| new.contains_key(key) && old.get(key).is_none()) {
                new.retain(|key, value| !BALL_KEYS.contains(&key) || old.get(key) != Some(value));
            }
        }
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
        Some(fabric @ Value::String(_)) if key == "fabric" => {
            let mut inner = Table::from_iter([("like".to_owned(), fabric.clone())]);
            set(&mut inner, rest, value)?;
            *fabric = Value::Table(inner);
            Ok(())
        }
        Some(_) => Err(format!("`{key}` has no keys")),
        // A table that stands for its default, or an unknown key, which reading the result refuses.
        None if TABLES.contains(&key) => {
            let mut inner = Table::new();
            set(&mut inner, rest, value)?;
            table.insert(key.to_owned(), Value::Table(inner));
            Ok(())
        }
        None if ["cloth", "rope", "balloon", "soft", "jelly", "obstacle", "join", "collider"].contains(&key) => {
            Err(format!("the scene has no {key}"))
        }
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
        Err(_) => entries.iter().position(named),
    };
    let is_key = |entry: &Value| entry.get(path[0]).is_some() || TABLES.contains(&path[0]);
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
