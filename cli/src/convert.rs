//! `seidel convert`: a scene as a scene file of this engine.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use seidel_io::aside::Target;
use seidel_io::scene;

use crate::memory;

type Failure = Box<dyn std::error::Error>;

/// Writes what the scene says, with the meshes that it names where they are; says what of the file is left out.
pub(crate) fn convert(scene: &str, out: &Path, changes: &[String]) -> Result<ExitCode, Failure> {
    if !out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
        return Err(format!("{}: a scene file ends in .toml", out.display()).into());
    }
    let (mut spec, remarks) = memory::loaded(scene, changes, memory::free())?;
    let target = Target::new(out)?;
    let sources = spec.files().map(|file| scene::beside(scene, file)).chain([PathBuf::from(scene)]);
    for source in sources.filter(|file| file.is_file()) {
        if target.replaces(&source) {
            return Err(format!("{}: the scene file would replace its source; name another", out.display()).into());
        }
    }
    let folder = std::path::absolute(out)?.parent().map(Path::to_owned).unwrap_or_default();
    spec.rename_files(|file| {
        let file = scene::beside(scene, file);
        std::path::absolute(&file).map_or(file, |file| seen_from(&folder, &file)).to_string_lossy().replace('\\', "/")
    });
    // What the tables ask of each other is asked now, so what is written can be read.
    let text = scene::to_toml(&spec)?;
    scene::parse(out, &text)?;
    target.write(text.as_bytes())?;
    tell(&remarks);
    Ok(ExitCode::SUCCESS)
}

/// Says what of a file is left out.
pub(crate) fn tell(remarks: &scene::Remarks) {
    for key in &remarks.unknown_keys {
        note!("note: unknown key `{key}` is left out");
    }
    for note in &remarks.notes {
        note!("note: {note}");
    }
}

/// A path from a folder; as it is where they have nothing in common. Both are absolute.
fn seen_from(folder: &Path, file: &Path) -> PathBuf {
    let (folder, file) = (plain(folder), plain(file));
    let common = folder.iter().zip(&file).take_while(|(a, b)| a == b).count();
    // A root, or a drive.
    if common == 0 {
        return file.iter().collect();
    }
    let up = folder[common..].iter().map(|_| Component::ParentDir);
    up.chain(file[common..].iter().copied()).collect()
}

/// Its components, without those that go back up.
fn plain(path: &Path) -> Vec<Component<'_>> {
    let mut plain = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.last(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_is_named_from_the_folder_of_the_scene() {
        let from = |folder: &str, file: &str| seen_from(Path::new(folder), Path::new(file));
        assert_eq!(from("/a/b", "/a/b/m.obj"), Path::new("m.obj"));
        assert_eq!(from("/a/b", "/a/c/../models/m.obj"), Path::new("../models/m.obj"));
        assert_eq!(from("/a/b/../c", "/a/m.obj"), Path::new("../m.obj"));
    }
}
