//! A run that was interrupted, in a file: `--resume` goes on from it, bit for bit.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use seidel::{Plan, State};
use seidel_io::aside::Target;
use seidel_io::frames::FrameWriter;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

type Failure = Box<dyn std::error::Error>;

/// The first bytes of a .resume file; the number is that of its form. 2: `.npz` has poses of rigid bodies.
const MAGIC: &[u8; 16] = b"seidel resume 2\n";

/// Longest description, bytes: a scene's text and some names.
const MAX_ABOUT: u64 = 1 << 28;

/// The run that was interrupted, and how far it came.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// As on the command line: meshes are beside it.
    pub(crate) scene: String,
    /// The scene with all changes, as the text of a scene file.
    pub(crate) spec: String,
    pub(crate) out: Vec<PathBuf>,
    pub(crate) every: u32,
    pub(crate) step: bool,
    #[serde(default)]
    pub(crate) surface: bool,
    /// Other files that the run writes, and goes on with; `-` is standard output.
    #[serde(default)]
    pub(crate) stats: Option<PathBuf>,
    #[serde(default)]
    pub(crate) save: Option<PathBuf>,
    #[serde(default)]
    pub(crate) record: Option<PathBuf>,
    /// It has fewer frames than its scene, so no contacts are asked of it.
    #[serde(default)]
    pub(crate) part: bool,
    /// The checks that the run makes in each frame.
    #[serde(default)]
    pub(crate) check: Vec<crate::args::Watched>,
    /// Figures of the frames that are done ([`crate::stats::Record`]).
    #[serde(default)]
    pub(crate) figures: Option<serde_json::Value>,
    /// Frames that are done, and those that each file has got.
    pub(crate) frames: u32,
    pub(crate) written: Vec<u32>,
}

/// The file for a run that writes to `out` first.
pub(crate) fn path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".resume");
    name.into()
}

/// Writes the file.
pub(crate) fn save<'a>(
    path: &Path,
    about: &About,
    state: &State,
    mut writers: impl Iterator<Item = &'a mut Box<dyn FrameWriter>>,
) -> Result<(), Failure> {
    let (about, state) = (serde_json::to_vec(about)?, state.to_bytes());
    Target::new(path)?.persist(|out| {
        let mut out = Summed { out, sum: Xxh3::new() };
        out.write_all(MAGIC)?;
        for bytes in [&about, &state] {
            out.write_all(&(bytes.len() as u64).to_le_bytes())?;
            out.write_all(bytes)?;
        }
        writers.try_for_each(|writer| writer.save(&mut out))?;
        let sum = out.sum.digest();
        out.write_all(&sum.to_le_bytes())
    })?;
    Ok(())
}

/// A run to go on with: what it is, and what comes after that in its file.
pub(crate) struct Resumed {
    pub(crate) path: PathBuf,
    pub(crate) about: About,
    from: BufReader<File>,
}

impl Resumed {
    /// Opens the file and reads what was run.
    pub(crate) fn open(path: &Path) -> Result<Resumed, Failure> {
        let wrong = |what: String| format!("--resume {}: {what}", path.display());
        whole(path).map_err(|e| wrong(e.to_string()))?;
        let mut from = BufReader::new(File::open(path).map_err(|e| wrong(e.to_string()))?);
        let mut magic = [0; MAGIC.len()];
        let is_read = from.read_exact(&mut magic).is_ok();
        if is_read && magic != *MAGIC && magic.starts_with(&MAGIC[..14]) {
            return Err(wrong("another version of this program wrote it; begin the run again".to_owned()).into());
        }
        if !is_read || magic != *MAGIC {
            return Err(wrong("it is no file of an interrupted run; those end in .resume".to_owned()).into());
        }
        let about = bytes(&mut from, MAX_ABOUT).map_err(|e| wrong(e.to_string()))?;
        let about: About = serde_json::from_slice(&about).map_err(|e| wrong(e.to_string()))?;
        if about.every == 0 || about.written.len() != about.out.len() {
            return Err(wrong("it is no file of this program".to_owned()).into());
        }
        Ok(Resumed { path: path.to_owned(), about, from })
    }

    /// The state, and what each writer has got.
    pub(crate) fn load<'a>(
        mut self,
        plan: &Plan,
        mut writers: impl Iterator<Item = &'a mut Box<dyn FrameWriter>>,
    ) -> Result<State, Failure> {
        let wrong = |what: String| format!("--resume {}: {what}", self.path.display());
        let state = bytes(&mut self.from, u64::MAX).map_err(|e| wrong(e.to_string()))?;
        let changed = "; a mesh, or the program, may have changed since";
        if State::plan_of(&state).is_ok_and(|of| of != plan.id()) {
            return Err(wrong(format!("its scene is another now{changed}")).into());
        }
        let state = State::from_bytes(plan, &state).map_err(|e| wrong(format!("{e}{changed}")))?;
        writers.try_for_each(|writer| writer.load(&mut self.from)).map_err(|e| wrong(e.to_string()))?;
        Ok(state)
    }
}

/// Passes bytes on, and sums them up.
struct Summed<W> {
    out: W,
    sum: Xxh3,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Checks that a file is as it was written: its last eight bytes are the sum of the others.
fn whole(path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    let damaged = || io::Error::other("it is no file of an interrupted run, which end in .resume, or it is damaged");
    let length = file.metadata()?.len().checked_sub(8).ok_or_else(damaged)?;
    let mut sum = Summed { out: io::sink(), sum: Xxh3::new() };
    io::copy(&mut (&mut file).take(length), &mut sum)?;
    let mut last = [0; 8];
    file.read_exact(&mut last)?;
    if u64::from_le_bytes(last) == sum.sum.digest() { Ok(()) } else { Err(damaged()) }
}

/// Bytes and their length before them. Memory is taken as they come.
fn bytes(from: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let (length, mut bytes) = (u64::from_le_bytes(length), Vec::new());
    if length <= most {
        from.take(length).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::Error::other("it ends early")) }
}

#[cfg(test)]
mod tests {
    use super::{MAGIC, Resumed};
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn a_file_of_another_version_is_refused_by_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.resume");
        let said = |magic: &[u8; 16]| {
            std::fs::write(&path, [&magic[..], &xxh3_64(magic).to_le_bytes()].concat()).unwrap();
            Resumed::open(&path).map(drop).unwrap_err().to_string()
        };
        assert!(said(b"seidel resume 1\n").contains("another version of this program wrote it"));
        assert!(said(b"seidel record 1\n").contains("it is no file of an interrupted run"));
        assert!(!said(MAGIC).contains("version"));
    }
}
