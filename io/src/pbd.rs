//! Scene files of the PositionBasedDynamics library (Bender et al.), in JSON: read into the tables of this engine's own
//! scene files.
//!
//! docs/pbd-scenes.md says what each key becomes. What follows from a file is a [`SceneSpec`] like any other;
//! [`crate::scene::to_toml`] writes it as a scene file. Keys that the format does not have are listed and stop nothing;
//! a value that cannot be is an error that names file, path and limit.
//!
//! # Source
//! The format: the library's documentation of scene files and its public scenes. Formulas behind its keys: Bender,
//! Müller, Macklin 2017, "A Survey on Position Based Dynamics".

mod deformable;
mod files;
mod item;
mod joints;
mod log;
mod rigid;
mod rods;
mod shapes;
mod simulation;

use crate::Error;
use crate::room;
use crate::source::{MAX_BYTES, has_extension, open};
use deformable::Particles;
use files::Files;
use item::Item;
use log::Log;
use seidel_scenes::SceneSpec;
use serde_json::Value;
use simulation::Simulation;
use std::io::Read as _;
use std::path::Path;

/// What a file of the library says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PbdScene {
    /// The same in tables of this engine.
    pub spec: SceneSpec,
    /// Paths of keys that the format does not have, such as `RigidBodies[0].colour`; in the order of the file's tables.
    pub unknown_keys: Vec<String>,
    /// What is left out or different here, a sentence each.
    pub notes: Vec<String>,
    /// Number of its `RigidBodies`.
    pub rigid_bodies: usize,
}

/// Whether the name is that of such a file: it ends in `.json`.
#[must_use]
pub fn is_pbd(path: &Path) -> bool {
    has_extension(path, "json")
}

/// Reads a scene; files that it names are beside it.
///
/// # Errors
/// [`Error::Read`] if it cannot be read; [`Error::Format`] if it is no JSON, or a value or a file that it names cannot
/// be: then the path of the key is named, such as `RigidBodies[2].density`, and what is allowed.
pub fn read(path: &Path) -> Result<PbdScene, Error> {
    read_within(path, u64::MAX)
}

/// [`read`], if that takes no more than `memory` bytes.
pub(crate) fn read_within(path: &Path, memory: u64) -> Result<PbdScene, Error> {
    let file = open(path, "name a .json file in it").map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let bytes = room::read_text(path, file.take(MAX_BYTES as u64 + 1), memory)?;
    parse_within(path, &bytes, memory)
}

/// The same from the bytes of a file. Files that it names are read, beside it.
///
/// # Errors
/// As [`read`]. Any bytes are allowed; it does not panic.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<PbdScene, Error> {
    parse_within(path, bytes, u64::MAX)
}

/// [`parse`], if to read the files that it names takes no more than `memory` bytes.
fn parse_within(path: &Path, bytes: &[u8], memory: u64) -> Result<PbdScene, Error> {
    let format = |what: String| Error::Format { path: path.to_owned(), what };
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // As the library does: of a key that stands twice in a table the last counts.
    let value: Value = serde_json::from_slice(text).map_err(|e| format(at_line(&e)))?;
    let mut files = Files::beside(path, memory);
    scene(&value, &mut files).map_err(format)
}

/// The line before what is wrong, as everywhere else.
fn at_line(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or_default().to_owned();
    format!("line {line}, column {column}: {what}; a scene of the PositionBasedDynamics library is JSON")
}

/// Tables that say how things look, are written or are animated by hand; this engine has other means for these.
const LEFT_OUT: [&str; 4] = ["Rods", "RodAnimators", "SkinningMeshes", "CompactTreeModels"];

fn scene(value: &Value, files: &mut Files) -> Result<PbdScene, String> {
    let mut log = Log::default();
    let root = Item::root(value)?;
    let mut spec = SceneSpec { name: root.text("Name")?.unwrap_or_default(), ..SceneSpec::default() };
    root.known(&["cameraPosition", "cameraLookat", "comment"]);
    let simulation = Simulation::read(&root, &mut log)?;
    simulation.write(&mut spec);
    let mut particles = Particles::default();
    deformable::triangle_models(&root, &simulation, files, (&mut spec, &mut particles, &mut log))?;
    deformable::tet_models(&root, &simulation, files, (&mut spec, &mut particles, &mut log))?;
    let named = [&joints::joined(&root)?, &rods::clamped(&root)?];
    let bodies = rigid::bodies(&root, named, files, (&mut spec, &mut log))?;
    joints::joints(&root, &bodies, (&mut spec, &mut log))?;
    joints::particle_joints(&root, &bodies, &particles, (&mut spec, &mut log))?;
    rods::rods(&root, &bodies, (&mut spec, &mut log))?;
    for key in LEFT_OUT {
        if !root.list(key)?.is_empty() {
            log.notes.push(format!("`{key}` is left out"));
        }
    }
    root.finish(&mut log);
    if spec.bodies() == 0 && spec.body.is_empty() {
        return Err(
            "nothing in it can move: add TriangleModels, TetModels, or RigidBodies of which one is dynamic".to_owned()
        );
    }
    Ok(PbdScene { spec, unknown_keys: log.unknown_keys, notes: log.notes, rigid_bodies: bodies.count })
}
