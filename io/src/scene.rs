//! Scene files in TOML, named scenes, and changes to single keys (`cloth.resolution=256`).
//!
//! A named scene and a file are the same data: a table of keys. Changes are made in the table, so they reach every key
//! that a file can have, and an unknown key is refused wherever it comes from.

mod changes;
mod document;
mod keys;
mod place;
mod tables;
mod variants;
mod way;
mod words;

use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use seidel::Scene;
use seidel::mesh::VertexMaps;
use seidel_scenes as scenes;
use seidel_scenes::{Geometry, SceneSpec, SpecError, Watch, nearest};
use toml::de::DeTable;
use toml::{Table, Value};

use self::document::Document;
use self::place::Text;
use crate::pbd::{self, PbdScene};
use crate::room::{self, Purpose};
use crate::source::has_extension;
use crate::{Error, gltf, mesh, tets};

/// The scene that is read from standard input.
const STDIN: &str = "-";

/// Reads the description of a named scene, of a `.toml` file, of a `.json` file of the PositionBasedDynamics library,
/// or of standard input (`-`), with changes `key=value` made to it.
///
/// A key is a path such as `solver.substeps`, `cloth.resolution` (all cloths), `cloth.1.density` (the second) or
/// `collider.sphere.radius` (the one of that name). The value is TOML; `none` takes a key away. All changes are made
/// before any is checked; the numbers of a collider's path go with the path, and a grid's keys when a mesh takes its
/// place.
///
/// # Errors
/// If there is no such scene or file, the file is not TOML, a key or value is not one of a scene's, or a key means
/// nothing beside the others: the error names file, line, key and the nearest key that exists.
///
/// # Example
/// ```
/// let spec = seidel_io::scene::load("flag", &["cloth.resolution=16".to_owned()])?;
/// assert_eq!(spec.cloth[0].resolution, [16, 16]);
/// # Ok::<(), seidel_io::Error>(())
/// ```
pub fn load(scene: &str, changes: &[String]) -> Result<SceneSpec, Error> {
    load_noted(scene, changes).map(|(spec, _)| spec)
}

/// What a reader has to say of a file, beside what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remarks {
    /// Paths of keys that nobody knows.
    pub unknown_keys: Vec<String>,
    /// What is left out or different here, a sentence each.
    pub notes: Vec<String>,
    /// Rigid bodies of a file whose tables of them are other than this engine's: those that do not move are colliders
    /// here.
    pub rigid_bodies: Option<usize>,
}

/// [`load`], with what the reader of a `.json` file of the PositionBasedDynamics library ([`crate::pbd`]) has to say;
/// of other scenes that is nothing.
///
/// # Errors
/// As there.
pub fn load_noted(scene: &str, changes: &[String]) -> Result<(SceneSpec, Remarks), Error> {
    load_within(scene, changes, u64::MAX)
}

/// [`load_noted`], if reading the scene's file takes no more than `memory` bytes.
///
/// # Errors
/// As there, or [`Error::Memory`] if it takes more; then nothing of it has been taken but the text.
pub fn load_within(scene: &str, changes: &[String], memory: u64) -> Result<(SceneSpec, Remarks), Error> {
    if is_file(scene) {
        room::size_fits(Path::new(scene), memory)?;
    }
    if pbd::is_pbd(Path::new(scene)) {
        let PbdScene { mut spec, unknown_keys, notes, rigid_bodies } = pbd::read_within(Path::new(scene), memory)?;
        if !changes.is_empty() {
            spec = changes::made(&table_of(&spec)?, changes).map_err(Error::Scene)?;
        }
        return Ok((spec, Remarks { unknown_keys, notes, rigid_bodies: Some(rigid_bodies) }));
    }
    load_table(scene, changes, memory).map(|spec| (spec, Remarks::default()))
}

fn load_table(scene: &str, changes: &[String], memory: u64) -> Result<SceneSpec, Error> {
    let table = if is_file(scene) || scene == STDIN {
        let path = Path::new(shown(scene));
        let text = match scene {
            STDIN => room::read_text(path, std::io::stdin().lock(), memory)?,
            _ => {
                let file = File::open(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
                room::read_text(path, file, memory)?
            }
        };
        let text = std::str::from_utf8(&text).map_err(|e| {
            let line = 1 + text[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
            Error::Format {
                path: path.to_owned(),
                what: format!("line {line}: not UTF-8 text; a scene is a TOML file"),
            }
        })?;
        let read = Document::read(text).map_err(|what| Error::Format { path: path.to_owned(), what })?;
        if changes.is_empty() {
            return Ok(read.spec);
        }
        read.table
    } else {
        let spec = scenes::named(scene).ok_or_else(|| {
            let (path, what) = (Path::new(scene), "a scene is a name or a file that ends in .toml or .json");
            if path.is_dir() {
                return Error::Scene(format!("{scene} is a folder; name a .toml file in it"));
            }
            if path.is_file() {
                return Error::Scene(format!("{scene} is no scene: {what}"));
            }
            let near = nearest(scene, scenes::NAMES.iter().copied());
            Error::Scene(format!(
                "there is no scene `{scene}`{near}; scenes are {}, a .toml or .json file, or - for standard input",
                scenes::NAMES.join(", ")
            ))
        })?;
        table_of(&spec)?
    };
    changes::made(&table, changes).map_err(Error::Scene)
}

/// Parses a scene file; the name only stands in errors.
///
/// # Errors
/// If the text is not TOML, a key or value is not one of a scene's, or a key means nothing beside the others.
pub fn parse(name: &Path, text: &str) -> Result<SceneSpec, Error> {
    let read = Document::read(text).map_err(|what| Error::Format { path: name.to_owned(), what })?;
    Ok(read.spec)
}

/// [`parse`] with changes `key=value` made to it, as [`load`] makes them.
///
/// # Errors
/// As there.
///
/// # Example
/// ```
/// let text = "[[cloth]]\nresolution = 8";
/// let spec = seidel_io::scene::parse_changed("x.toml".as_ref(), text, &["cloth.resolution=16".to_owned()])?;
/// assert_eq!(spec.cloth[0].resolution, [16, 16]);
/// # Ok::<(), seidel_io::Error>(())
/// ```
pub fn parse_changed(name: &Path, text: &str, changes: &[String]) -> Result<SceneSpec, Error> {
    let read = Document::read(text).map_err(|what| Error::Format { path: name.to_owned(), what })?;
    if changes.is_empty() {
        return Ok(read.spec);
    }
    changes::made(&read.table, changes).map_err(Error::Scene)
}

/// [`parse_changed`], if that takes no more than `memory` bytes.
///
/// # Errors
/// As there, or [`Error::Memory`] if it takes more.
pub fn parse_within(name: &Path, text: &str, changes: &[String], memory: u64) -> Result<SceneSpec, Error> {
    room::text_fits(name, text.as_bytes(), memory)?;
    parse_changed(name, text, changes)
}

/// Makes the scene, reading its meshes; their names are relative to the scene file, if it is one.
///
/// # Errors
/// If a mesh cannot be read or keys contradict each other.
pub fn build(scene: &str, spec: &SceneSpec) -> Result<Scene, Error> {
    build_within(scene, spec, u64::MAX, &|_, _| {})
}

/// [`build`], if the scene needs no more than `memory` bytes; `watch` is told about what takes long, and the part of it
/// that is done ([`SceneSpec::build_within`]).
///
/// # Errors
/// As there, or if it needs more.
pub fn build_within(scene: &str, spec: &SceneSpec, memory: u64, watch: &Watch<'_>) -> Result<Scene, Error> {
    build_changed(scene, &[], spec, memory, watch)
}

/// [`build_within`] of a scene that was read with changes ([`located_changed`]).
///
/// # Errors
/// As there.
pub fn build_changed(
    scene: &str,
    changes: &[String],
    spec: &SceneSpec,
    memory: u64,
    watch: &Watch<'_>,
) -> Result<Scene, Error> {
    let built = spec.build_within(memory, watch, |file, left| geometry_within(scene, spec, file, left));
    built.map_err(|e| Error::Scene(located_changed(scene, changes, spec, &e.to_string())))
}

/// Reads a mesh that a scene names, beside the scene's file if it is one.
///
/// # Errors
/// If it cannot be read.
pub fn geometry_beside(scene: &str, spec: &SceneSpec, file: &str) -> Result<Geometry, Error> {
    let path = beside(scene, file);
    if tets::is_tets(&path) {
        return tets::read(path).map(Into::into);
    }
    // Groups and painted numbers are read only where keys name some.
    let (mesh, maps) = match spec.names_maps_of(file) {
        true => mesh::read_mapped(&path)?,
        false => (mesh::read(&path)?, VertexMaps::default()),
    };
    Ok(Geometry::Surface(mesh, maps))
}

/// [`geometry_beside`], if reading it takes no more than `memory` bytes.
///
/// # Errors
/// As there, or [`Error::Memory`].
pub fn geometry_within(scene: &str, spec: &SceneSpec, file: &str, memory: u64) -> Result<Geometry, Error> {
    let (path, purpose) = (beside(scene, file), purpose(spec, file));
    if memory < u64::MAX && room::is_piped(&path) {
        let bytes = |name: &str| room::read_piped(&beside(scene, name), purpose, memory);
        if !gltf::is_gltf(&path) {
            return geometry_from(spec, file, memory, bytes);
        }
        let (mesh, _, maps) = gltf::parse_beside(&path, &bytes(file)?, spec.names_maps_of(file))?;
        return Ok(Geometry::Surface(mesh, maps));
    }
    room::fits(&path, purpose, memory)?;
    geometry_beside(scene, spec, file)
}

/// What is done with a mesh that a scene names.
fn purpose(spec: &SceneSpec, file: &str) -> Purpose {
    let repaired = spec.surfaces().any(|(_, of, repair)| of == file && repair);
    if repaired { Purpose::Repair } else { Purpose::Read }
}

/// [`build_within`], where meshes are bytes that `bytes` gives for their names. What a glTF file names must be inside
/// of it.
///
/// # Errors
/// As there; the error does not name the scene ([`located_in`] does).
pub fn build_from<B: Deref<Target: AsRef<[u8]>>>(
    spec: &SceneSpec,
    memory: u64,
    watch: &Watch<'_>,
    mut bytes: impl FnMut(&str) -> Result<B, Error>,
) -> Result<Scene, SpecError<Error>> {
    spec.build_within(memory, watch, |file, left| geometry_from(spec, file, left, &mut bytes))
}

/// Reads a mesh that a scene names from the bytes that `bytes` gives for its name, if that takes no more than `memory`
/// bytes; for one of TetGen's files it is asked for both.
///
/// # Errors
/// If there are none, or they are no mesh; [`Error::Memory`] if it takes more.
pub fn geometry_from<B: Deref<Target: AsRef<[u8]>>>(
    spec: &SceneSpec,
    file: &str,
    memory: u64,
    mut bytes: impl FnMut(&str) -> Result<B, Error>,
) -> Result<Geometry, Error> {
    let (path, purpose, mut left) = (Path::new(file), purpose(spec, file), memory);
    let mut counted = |name: &Path| {
        let content = bytes(&name.to_string_lossy())?;
        left = room::bytes_fit(name, (*content).as_ref(), purpose, left)?;
        Ok::<B, Error>(content)
    };
    let content = counted(path)?;
    if let Some([node, ele]) = tets::pair(path) {
        let both = if path == node { [content, counted(&ele)?] } else { [counted(&node)?, content] };
        return tets::parse_tetgen([&node, &ele], both.each_ref().map(|bytes| (**bytes).as_ref())).map(Into::into);
    }
    let content = (*content).as_ref();
    if tets::is_tets(path) {
        return tets::parse_msh(path, content).map(Into::into);
    }
    let (mesh, maps) = match spec.names_maps_of(file) {
        true => mesh::parse_mapped(path, content)?,
        false => (mesh::parse(path, content)?, VertexMaps::default()),
    };
    Ok(Geometry::Surface(mesh, maps))
}

/// An error about a scene of this text, with the line if the error names what stands in it.
#[must_use]
pub fn located_in(text: &str, spec: &SceneSpec, error: &str) -> String {
    placed(Some(text), &[], spec, error)
}

/// An error about a scene, with its file and, if the error names what stands in the file, the line.
#[must_use]
pub fn located(scene: &str, spec: &SceneSpec, error: &str) -> String {
    located_changed(scene, &[], spec, error)
}

/// [`located`] of a scene that was read with changes: an error about a key that one of them has given names the change
/// instead of a line.
#[must_use]
pub fn located_changed(scene: &str, changes: &[String], spec: &SceneSpec, error: &str) -> String {
    // Not a pipe, which is read once.
    let there = is_file(scene) && std::fs::metadata(scene).is_ok_and(|there| there.is_file());
    let text = if there { std::fs::read_to_string(scene).ok() } else { None };
    format!("{}: {}", shown(scene), placed(text.as_deref(), changes, spec, error))
}

/// The error with the place in a text that it is about, or with the change.
fn placed(text: Option<&str>, changes: &[String], spec: &SceneSpec, error: &str) -> String {
    let read =
        text.and_then(|text| Some((DeTable::parse(text).ok()?, Document::read(text).ok()?.spec.to_keys().ok()?)));
    let text = read.as_ref().zip(text).map(|((keys, was), text)| Text { text, keys: keys.get_ref(), was });
    place::located(text.as_ref(), changes, spec, error)
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
    let exact = table_of(spec)?;
    let mut table = exact.clone();
    table.iter_mut().for_each(|(_, value)| shorten(value));
    let text = |table: &Table| toml::to_string(table).map_err(|e| Error::Scene(e.to_string()));
    let (short, exact) = (text(&table)?, text(&exact)?);
    // Where a key has the digits of an f64, they stay.
    let spec = |text: &str| Document::read(text).map(|read| read.spec);
    Ok(if spec(&short) == spec(&exact) { short } else { exact })
}

/// Numbers of f32 with as many digits as tell them from others of f32.
fn shorten(value: &mut Value) {
    match value {
        Value::Float(number) if f64::from(*number as f32) == *number => {
            *number = format!("{:?}", *number as f32).parse().unwrap_or(*number);
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| shorten(value)),
        _ => {}
    }
}

/// The keys of a description, without those that mean nothing beside others.
fn table_of(spec: &SceneSpec) -> Result<Table, Error> {
    let mut table = spec.to_keys().map_err(|e| Error::Scene(e.to_string()))?;
    variants::without_replaced(&mut table);
    Ok(table)
}

/// What errors call a scene.
fn shown(scene: &str) -> &str {
    if scene == STDIN { "standard input" } else { scene }
}

fn is_file(scene: &str) -> bool {
    let path = Path::new(scene);
    has_extension(path, "toml") || pbd::is_pbd(path)
}
