//! Files of `--record`: all inputs of a run, and the hash after each step.

use std::path::Path;

use seidel::{Plan, Recording};
use seidel_io::aside::Target;
use seidel_io::scene;
use seidel_scenes::SceneSpec;
use serde::{Deserialize, Serialize};

type Failure = Box<dyn std::error::Error>;

/// The first bytes of a recording; the number is that of its form.
const MAGIC: &[u8; 16] = b"seidel record 1\n";

/// The scene of a recording.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    /// Where it was read from: meshes are beside it.
    scene: String,
    /// The scene with all changes, as the text of a scene file.
    spec: String,
}

/// Writes the recording of a run.
pub(crate) fn save(target: &Target, scene: &str, spec: &SceneSpec, recording: &Recording) -> Result<(), Failure> {
    let beside = Path::new(scene).is_file().then(|| std::path::absolute(scene)).transpose()?;
    let scene = beside.map_or_else(|| scene.to_owned(), |path| path.to_string_lossy().into_owned());
    let about = serde_json::to_vec(&About { scene, spec: scene::to_toml(spec)? })?;
    let length = (about.len() as u64).to_le_bytes();
    target.write(&[&MAGIC[..], &length, &about, &recording.to_bytes()].concat())?;
    Ok(())
}

/// The recording of a run that goes on after so many frames, from the file that its first part has written; without it,
/// a word of that, and the file stays as it is.
pub(crate) fn going_on(path: &Path, plan: &Plan, frames: u32) -> Option<Recording> {
    let of_part = match read(path) {
        Ok(Read { recording, .. }) if recording.plan() == plan.id() && recording.steps() == u64::from(frames) => {
            return Some(recording);
        }
        Ok(_) => format!("{}: it is not that of the first part", path.display()),
        Err(e) => e.to_string(),
    };
    note!("warning: the recording does not go on, and what is there stays as it is: {of_part}");
    None
}

/// A recording that was read.
pub(crate) struct Read {
    pub(crate) scene: String,
    pub(crate) spec: SceneSpec,
    pub(crate) recording: Recording,
}

/// Reads a recording.
pub(crate) fn read(path: &Path) -> Result<Read, Failure> {
    let wrong = |what: String| format!("{}: {what}", path.display());
    let bytes = std::fs::read(path).map_err(|e| wrong(e.to_string()))?;
    let (about, recording) = parted(&bytes).ok_or_else(|| wrong("it is no recording of a run".to_owned()))?;
    let about: About = serde_json::from_slice(about).map_err(|e| wrong(e.to_string()))?;
    let recording = Recording::from_bytes(recording).map_err(|e| wrong(e.to_string()))?;
    Ok(Read { scene: about.scene, spec: scene::parse(path, &about.spec)?, recording })
}

/// The description and the recording.
fn parted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}
