//! `--record`, which keeps all inputs of a run and the hash after each step, and `seidel replay`, which takes the steps again.

use std::path::Path;
use std::process::ExitCode;

use seidel::{Execution, Plan, Recording};
use seidel_io::aside::Target;
use seidel_io::scene;
use seidel_scenes::SceneSpec;
use serde::{Deserialize, Serialize};

use crate::args::ReplayArgs;
use crate::{memory, run, table};

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

/// Takes the steps of a recording again; an error names the first that comes to another state.
pub(crate) fn replay(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let path = &args.file;
    let wrong = |what: String| format!("{}: {what}", path.display());
    let bytes = std::fs::read(path).map_err(|e| wrong(e.to_string()))?;
    let (about, recording) = parted(&bytes).ok_or_else(|| wrong("it is no recording of a run".to_owned()))?;
    let about: About = serde_json::from_slice(about).map_err(|e| wrong(e.to_string()))?;
    let recording = Recording::from_bytes(recording).map_err(|e| wrong(e.to_string()))?;
    let spec = scene::parse(path, &about.spec)?;
    let threads = args.threads.map_or_else(|| Execution::default().threads, usize::from);
    let memory = args.memory.map_or_else(memory::free, |given| given.as_u64());
    let plan = Plan::new(&run::made(&about.scene, &spec, memory)?)?;
    let execution = Execution { isa: args.isa, threads };
    let state = recording.replay(&plan, execution, |_, _| ()).map_err(|e| wrong(e.to_string()))?;
    table::print(&format!("{} steps, the same bits; state hash {:016x}\n", recording.steps(), state.hash()))?;
    Ok(ExitCode::SUCCESS)
}

/// The description and the recording.
fn parted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}
