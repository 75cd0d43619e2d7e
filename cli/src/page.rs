//! `seidel page`: the engine and scenes in one file for a browser.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use seidel_io::aside::Target;
use seidel_io::scene;
use seidel_live::Session;
use seidel_live::page::Page;
use seidel_scenes::{NAMES, SceneSpec};

use crate::args::PageArgs;
use crate::{engine, memory, table};

/// A scene as a page takes it.
pub(crate) enum Shown {
    /// The one that pages open first.
    First,
    /// A name.
    Named(String),
    /// Name and text of a file, or of a scene with changes.
    Text(String, String),
}

/// What a scene argument and its changes say, once planned: an error is met here and not in the browser.
pub(crate) fn shown(scene: Option<&str>, set: &[String]) -> Result<(Shown, Option<SceneSpec>), Box<dyn Error>> {
    let Some(scene) = scene else {
        return match set {
            [] => Ok((Shown::First, None)),
            _ => Err("--set changes a scene: name one, such as cloth-sphere".into()),
        };
    };
    let spec = scene::load(scene, set)?;
    if set.is_empty() && NAMES.contains(&scene) {
        return Ok((Shown::Named(scene.to_owned()), Some(spec)));
    }
    let text = match set {
        // As it is written, with its comments.
        [] if scene != "-" => std::fs::read_to_string(scene).map_err(|e| format!("{scene}: cannot be read: {e}"))?,
        _ => scene::to_toml(&spec)?,
    };
    Ok((Shown::Text(scene.to_owned(), text), Some(spec)))
}

pub(crate) fn page(args: &PageArgs) -> Result<ExitCode, Box<dyn Error>> {
    let target = Target::new(&args.out)?;
    let (shown, spec) = shown(args.scene.as_deref(), &args.set)?;
    let mut files = Vec::new();
    if let (Some(spec), Some(scene)) = (&spec, args.scene.as_deref()) {
        let mut take = |name: &str| -> Result<(), Box<dyn Error>> {
            let path = scene::beside(scene, name);
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: cannot be read: {e}", path.display()))?;
            files.push((name.to_owned(), bytes));
            Ok(())
        };
        for name in spec.files() {
            take(name)?;
            if let Some(other) = partner(name) {
                take(&other)?;
            }
        }
        files.sort();
        files.dedup();
        check(&shown, &files)?;
    }
    let engine = engine::bytes(args.engine.as_deref())?;
    let mut page = Page { engine: Some(&engine), files: &files, ..Page::default() };
    match &shown {
        Shown::First => {}
        Shown::Named(name) => page.scene = Some(name),
        Shown::Text(name, text) => page.text = Some((name, text)),
    }
    target.persist(|out| page.write(out))?;
    table::print(&format!("{} is written: open it in a browser\n", args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// TetGen's other file.
fn partner(name: &str) -> Option<String> {
    let other = match Path::new(name).extension()?.to_str()? {
        "node" => "ele",
        "ele" => "node",
        _ => return None,
    };
    Path::new(name).with_extension(other).to_str().map(str::to_owned)
}

/// Opens the scene as the page will.
fn check(shown: &Shown, files: &[(String, Vec<u8>)]) -> Result<(), Box<dyn Error>> {
    let (name, request) = match shown {
        Shown::First => return Ok(()),
        Shown::Named(name) => (name, serde_json::json!({ "do": "open", "scene": name })),
        Shown::Text(name, text) => (name, serde_json::json!({ "do": "open", "text": text })),
    };
    let mut session = Session::in_memory(seidel::Execution::default()).within(memory::free());
    for (name, bytes) in files {
        session.answer(serde_json::json!({ "do": "file", "name": name }).to_string().as_bytes(), bytes);
    }
    match session.answer(request.to_string().as_bytes(), &[]).error_at_line() {
        Some(what) => Err(format!("{name}: {what}").into()),
        None => Ok(()),
    }
}
