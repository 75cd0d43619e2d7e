//! `seidel page`: the engine and scenes in one file for a browser.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use seidel::Plan;
use seidel_io::aside::Target;
use seidel_io::room::{self, Purpose};
use seidel_io::scene;
use seidel_live::page::{MEMORY, Page};
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

/// Reads a scene argument and its changes: an error in them is met here and not in the browser.
pub(crate) fn shown(scene: Option<&str>, set: &[String]) -> Result<(Shown, Option<SceneSpec>), Box<dyn Error>> {
    let Some(scene) = scene else {
        return match set {
            [] => Ok((Shown::First, None)),
            _ => Err("--set changes a scene: name one, such as cloth-sphere".into()),
        };
    };
    let (spec, _) = memory::loaded(scene, set, memory::free())?;
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
    let files = match (&spec, args.scene.as_deref()) {
        (Some(spec), Some(scene)) => files(scene, &shown, spec)?,
        _ => Vec::new(),
    };
    let own = args.scene.iter().map(PathBuf::from).chain(args.engine.clone());
    let meshes = files.iter().map(|(name, _)| scene::beside(args.scene.as_deref().unwrap_or_default(), name));
    if let Some(read) = own.chain(meshes).find(|path| target.replaces(path)) {
        return Err(format!(
            "{} would replace {}, which is read; name another file",
            args.out.display(),
            read.display()
        )
        .into());
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

/// Names, as the scene has them, and bytes.
type Files = Vec<(String, Vec<u8>)>;

/// Plans the scene as the page will, and gives the files that this reads.
fn files(scene: &str, shown: &Shown, spec: &SceneSpec) -> Result<Files, Box<dyn Error>> {
    let mut files = BTreeMap::<String, Rc<Vec<u8>>>::new();
    let memory = memory::free().min(MEMORY);
    let read = |name: &str| {
        if let Some(there) = files.get(name) {
            return Ok(Rc::clone(there));
        }
        let path = scene::beside(scene, name);
        let kept: u64 = files.values().map(|file| file.len() as u64).sum();
        room::fits(&path, Purpose::Read, memory.saturating_sub(kept))?;
        let bytes = Rc::new(std::fs::read(&path).map_err(|source| seidel_io::Error::Read { path, source })?);
        files.insert(name.to_owned(), Rc::clone(&bytes));
        Ok(bytes)
    };
    let text = match shown {
        Shown::Text(_, text) => text,
        Shown::First | Shown::Named(_) => "",
    };
    let of = |error: &dyn Error| format!("{scene}: {}", scene::located_in(text, spec, &error.to_string()));
    let built = scene::build_from(spec, memory, &|_, _| {}, read).map_err(|e| of(&e))?;
    Plan::new(&built).map_err(|e| of(&e))?;
    Ok(files.into_iter().map(|(name, bytes)| (name, Rc::unwrap_or_clone(bytes))).collect())
}
