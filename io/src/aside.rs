//! Files that appear whole or not at all: spooled without a name, assembled beside the target, renamed at the end. A
//! symbolic link stays one: what it leads to is written. A pipe or a terminal stays one too: it is written into. Where
//! there are no files (in a browser), a file is bytes in memory.

mod spool;

use std::fs::{self, File};
use std::io::{self, BufWriter, Cursor, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tempfile::NamedTempFile;

use crate::Error;
pub use spool::Sink;
pub(crate) use spool::Spool;

/// Links that are followed to a file that is not there yet, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Files that are being assembled at this moment.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the files and folders that are being assembled: for a program that ends without waiting for them.
pub fn discard_parts() {
    for part in PARTS.lock().iter().flat_map(|parts| parts.iter()) {
        // One that has just got its name, or is in use where that forbids it, stays.
        let _ = fs::remove_file(part).or_else(|_| fs::remove_dir_all(part));
    }
}

/// A file or folder in `PARTS`, as long as this lives.
pub(crate) struct PendingFile(PathBuf);

impl PendingFile {
    pub(crate) fn new(path: &Path) -> Self {
        if let Ok(mut parts) = PARTS.lock() {
            parts.push(path.to_owned());
        }
        Self(path.to_owned())
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if let Ok(mut parts) = PARTS.lock() {
            parts.retain(|part| *part != self.0);
        }
    }
}

/// Where a file shall appear. Holds no file itself, so a run that is killed leaves nothing behind.
#[derive(Clone, Debug)]
pub struct Target {
    /// As it was named.
    path: PathBuf,
    /// What `path` leads to, from the root.
    place: PathBuf,
    /// Whether something is there that is written into and not replaced: a pipe, a terminal.
    stream: bool,
    /// Where its bytes go, if it is no file.
    memory: Option<Memory>,
}

/// A file in memory: what a finished writer has written.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    /// Takes the bytes; none before the writer has finished.
    #[must_use]
    pub fn take(&self) -> Vec<u8> {
        self.0.lock().map(|mut bytes| std::mem::take(&mut *bytes)).unwrap_or_default()
    }
}

impl Target {
    /// Checks at once that a file can be made at `path`, not after an hour of simulation.
    ///
    /// # Errors
    /// If it is a folder, a disk or a socket, is read-only, or no file can be made there.
    pub fn new(path: &Path) -> Result<Self, Error> {
        let (place, stream) = again(|| find(path)).map_err(|source| Error::Write { path: path.to_owned(), source })?;
        let target = Self { path: path.to_owned(), place, stream, memory: None };
        again(|| tempfile::tempfile_in(target.workshop())).map_err(|e| target.error(e))?;
        Ok(target)
    }

    /// A file in memory, which has this name in messages.
    #[must_use]
    pub fn in_memory(name: &str) -> (Self, Memory) {
        let (path, memory) = (PathBuf::from(name), Memory::default());
        (Self { place: path.clone(), path, stream: false, memory: Some(memory.clone()) }, memory)
    }

    /// Whether both would be written to one place.
    #[must_use]
    pub fn is_same(&self, other: &Target) -> bool {
        self.place == other.place
    }

    /// Whether it would replace this file, which may be read-only.
    #[must_use]
    pub fn replaces(&self, path: &Path) -> bool {
        fs::canonicalize(path).is_ok_and(|place| place == self.place)
    }

    /// Writes the whole file.
    ///
    /// # Errors
    /// If it cannot be written; then there is none, or the one that was there before.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        self.persist(|out| out.write_all(bytes))
    }

    /// Whether it is written into, a pipe or a terminal.
    pub(crate) fn is_stream(&self) -> bool {
        self.stream
    }

    /// The path, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// An unnamed file on the target's disk: that is where the user has chosen to have room. For a target in memory,
    /// memory.
    pub(crate) fn spool(&self) -> Result<Spool, Error> {
        if self.memory.is_some() {
            return Ok(Spool::Memory(Cursor::default()));
        }
        let file = again(|| tempfile::tempfile_in(self.workshop())).map_err(|e| self.error(e))?;
        Ok(Spool::File(BufWriter::with_capacity(1 << 16, file)))
    }

    /// Lets `fill` write a file beside the target and gives it the target's name; on any error it is removed. A stream
    /// gets the bytes when all are there.
    pub fn persist(&self, fill: impl FnOnce(&mut Sink<'_>) -> io::Result<()>) -> Result<(), Error> {
        self.prepare(fill).and_then(|ready| self.finish(ready)).map_err(|e| self.error(e))
    }

    /// Writes all that the target will hold, elsewhere.
    fn prepare(&self, fill: impl FnOnce(&mut Sink<'_>) -> io::Result<()>) -> io::Result<Ready> {
        if let Some(memory) = &self.memory {
            let mut out = Sink::Memory(Cursor::default());
            fill(&mut out)?;
            return Ok(Ready::Memory(memory.clone(), out.into_bytes()));
        }
        if self.stream {
            let mut file = again(|| tempfile::tempfile_in(self.workshop()))?;
            fill_all(&file, fill)?;
            file.rewind()?;
            return Ok(Ready::Stream(file));
        }
        let file = again(|| self.beside())?;
        let part = PendingFile::new(file.path());
        fill_all(file.as_file(), fill)?;
        if let Ok(there) = fs::metadata(&self.place) {
            file.as_file().set_permissions(there.permissions())?;
        }
        Ok(Ready::File(file, part))
    }

    /// Gives what was prepared the target's name.
    fn finish(&self, ready: Ready) -> io::Result<()> {
        match ready {
            Ready::Memory(memory, bytes) => {
                *memory.0.lock().map_err(|_| io::Error::other("a writer has panicked"))? = bytes;
                Ok(())
            }
            Ready::Stream(mut file) => {
                io::copy(&mut file, &mut File::options().write(true).open(&self.path)?).map(drop)
            }
            Ready::File(mut file, _part) => loop {
                match file.persist(&self.place) {
                    // A signal: some file systems give up a change of names then.
                    Err(e) if e.error.kind() == io::ErrorKind::Interrupted => file = e.file,
                    done => return done.map(drop).map_err(|e| e.error),
                }
            },
        }
    }

    /// Names the target in an error.
    pub(crate) fn error(&self, source: io::Error) -> Error {
        Error::Write { path: self.path.clone(), source }
    }

    /// Made by `File::create_new`: tempfile's own choice is readable by its owner only, and rename would keep that.
    fn beside(&self) -> io::Result<NamedTempFile> {
        let named = tempfile::Builder::new()
            .prefix(".seidel-")
            .suffix(".part")
            .make_in(self.workshop(), |path| File::options().read(true).write(true).create_new(true).open(path))?;
        let (file, path) = named.into_parts();
        Ok(NamedTempFile::from_parts(file, path))
    }

    /// Refuses what does not fit on its disk.
    pub(crate) fn room(&self, need: u64) -> Result<(), Error> {
        if self.memory.is_some() {
            return Ok(());
        }
        match free(&self.workshop()) {
            Some(free) if free < need => Err(Error::Room { path: self.path.clone(), need, free }),
            _ => Ok(()),
        }
    }

    /// The folder for unfinished work: the target's own, unless that holds devices.
    fn workshop(&self) -> PathBuf {
        if self.stream { std::env::temp_dir() } else { folder(&self.place).to_owned() }
    }
}

/// A file that is complete and has no name yet.
enum Ready {
    Memory(Memory, Vec<u8>),
    Stream(File),
    File(NamedTempFile, PendingFile),
}

/// Writes two files that belong together. Neither gets its name before both are complete; if the second then cannot
/// have its own, the first is removed again, unless it has replaced another.
pub(crate) fn persist_both(
    [first, second]: [&Target; 2],
    fill_first: impl FnOnce(&mut Sink<'_>) -> io::Result<()>,
    fill_second: impl FnOnce(&mut Sink<'_>) -> io::Result<()>,
) -> Result<(), Error> {
    let ready = first.prepare(fill_first).map_err(|e| first.error(e))?;
    let other = second.prepare(fill_second).map_err(|e| second.error(e))?;
    let is_new = !first.place.exists();
    first.finish(ready).map_err(|e| first.error(e))?;
    second.finish(other).map_err(|e| {
        if is_new {
            // The error is the news, whatever becomes of this.
            let _ = fs::remove_file(&first.place);
        }
        second.error(e)
    })
}

/// Free bytes of the disk that a folder is on. A file system that does not tell has room until it has none.
fn free(folder: &Path) -> Option<u64> {
    #[cfg(not(target_family = "wasm"))]
    return fs4::available_space(folder).ok();
    #[cfg(target_family = "wasm")]
    return folder.parent().and(None);
}

/// Does it until no signal comes between.
fn again<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// What a path leads to, and whether that is a stream.
fn find(path: &Path) -> io::Result<(PathBuf, bool)> {
    if let Ok(there) = fs::metadata(path) {
        if there.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file in it"));
        }
        if !there.is_file() {
            if !is_stream(there.file_type()) {
                return Err(io::Error::other("it is no file, no pipe and no terminal"));
            }
            // A pipe that is reached through /proc has a name that leads nowhere.
            return Ok((fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()), true));
        }
        if there.permissions().readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
    }
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(to) = fs::read_link(&place) {
            place = folder(&place).join(to);
            continue;
        }
        let name = place.file_name().ok_or_else(|| io::Error::other("it names no file"))?;
        let folder = folder(&place);
        if !folder.is_dir() {
            let what = format!("there is no folder {}", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        return Ok((fs::canonicalize(folder)?.join(name), false));
    }
    Err(io::Error::other("its symbolic links go in a circle"))
}

/// Whether bytes can be poured into it one after another.
#[cfg(unix)]
fn is_stream(kind: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_char_device()
}

/// Whether bytes can be poured into it one after another.
#[cfg(not(unix))]
fn is_stream(_: fs::FileType) -> bool {
    false
}

fn fill_all(file: &File, fill: impl FnOnce(&mut Sink<'_>) -> io::Result<()>) -> io::Result<()> {
    let mut out = Sink::File(BufWriter::with_capacity(1 << 16, file));
    fill(&mut out)?;
    out.flush()
}

/// A name as a part of a file's name: what is no letter, digit, `-`, `_` or `.` becomes `_`.
pub(crate) fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn entries(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let target = Target::new(&path).unwrap();
        let mut spool = target.spool().unwrap();
        spool.push(&[1.0, -2.5]).unwrap();
        assert_eq!(entries(folder.path()), 0, "neither the probe nor the spool has a name");

        let failed = target.persist(|out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("a.bin: cannot be written: disk full"));
        assert_eq!(entries(folder.path()), 0);

        for _ in 0..2 {
            target.persist(|out| io::copy(&mut spool.rewind()?, out).map(drop)).unwrap();
            let mut bytes = Vec::new();
            File::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, [1f32.to_le_bytes(), (-2.5f32).to_le_bytes()].concat());
            assert_eq!(entries(folder.path()), 1);
        }
    }

    #[test]
    fn a_signal_changes_nothing() {
        let mut signals = 3;
        let done = again(|| {
            signals -= 1;
            if signals > 0 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(signals) }
        });
        assert_eq!(done.unwrap(), 0);
        let full = again(|| Err::<(), _>(io::Error::other("disk full")));
        assert_eq!(full.unwrap_err().to_string(), "disk full");
    }

    #[test]
    fn two_files_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = |name: &str| Target::new(&folder.path().join(name)).unwrap();
        let [a, b] = ["a", "b"].map(target);
        let full = || Err(io::Error::other("disk full"));
        let failed = persist_both([&a, &b], |out| out.write_all(b"1"), |_| full()).unwrap_err();
        assert!(failed.to_string().ends_with("b: cannot be written: disk full"));
        assert_eq!(entries(folder.path()), 0);
        assert!(persist_both([&a, &b], |_| full(), |out| out.write_all(b"2")).is_err());
        assert_eq!(entries(folder.path()), 0);
        // One whose name a folder has taken in the meantime.
        fs::create_dir(folder.path().join("b")).unwrap();
        assert!(persist_both([&a, &b], |out| out.write_all(b"1"), |out| out.write_all(b"2")).is_err());
        assert_eq!(entries(folder.path()), 1);
        fs::remove_dir(folder.path().join("b")).unwrap();
        persist_both([&a, &b], |out| out.write_all(b"1"), |out| out.write_all(b"2")).unwrap();
        assert_eq!(["a", "b"].map(|name| fs::read(folder.path().join(name)).unwrap()), [b"1", b"2"]);
        assert_eq!(entries(folder.path()), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far")).unwrap();
        symlink("far/there", at("link")).unwrap();
        symlink("far/new", at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();
        fs::write(at("far/there"), "old").unwrap();
        for (link, real) in [("link", "far/there"), ("dangling", "far/new")] {
            let target = Target::new(&at(link)).unwrap();
            assert!(target.is_same(&Target::new(&at(real)).unwrap()));
            assert_eq!(target.replaces(&at(real)), at(real).exists());
            target.write(b"new").unwrap();
            assert!(at(link).is_symlink());
            assert_eq!(fs::read(at(real)).unwrap(), b"new");
        }
        assert!(Target::new(&at("circle")).unwrap_err().to_string().contains("circle: cannot be written"));
        assert_eq!(entries(&at("far")), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_into() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).unwrap()
        });
        let target = Target::new(&path).unwrap();
        target.persist(|out| out.write_all(b"all").and_then(|()| out.write_all(b" of it"))).unwrap();
        assert_eq!(reader.join().unwrap(), b"all of it");
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn a_target_that_cannot_be_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let message = |path: &Path| Target::new(path).unwrap_err().to_string();
        assert!(message(folder.path()).contains("it is a folder"));
        let missing = message(&folder.path().join("missing").join("a.npz"));
        assert!(missing.contains("there is no folder") && !missing.contains('\n'), "{missing}");
        let file = folder.path().join("file");
        File::create(&file).unwrap();
        assert!(message(&file.join("a.npz")).contains("there is no folder"));
    }
}
