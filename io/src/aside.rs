//! Files that appear whole or not at all: spooled without a name, assembled beside the target, renamed at the end.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::Error;

/// Where a file shall appear. Holds no file itself, so a run that is killed leaves nothing behind.
#[derive(Clone, Debug)]
pub struct Target {
    path: PathBuf,
}

impl Target {
    /// Checks at once that a file can be made at `path`, not after an hour of simulation.
    ///
    /// # Errors
    /// If it is a folder, or none can be made there.
    pub fn new(path: &Path) -> Result<Self, Error> {
        let target = Self { path: path.to_owned() };
        if path.is_dir() {
            return Err(target.error(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file in it")));
        }
        let folder = target.folder();
        if !folder.is_dir() {
            let what = format!("there is no folder {}", folder.display());
            return Err(target.error(io::Error::new(io::ErrorKind::NotFound, what)));
        }
        tempfile::tempfile_in(folder).map_err(|e| target.error(e))?;
        Ok(target)
    }

    /// Writes the whole file.
    ///
    /// # Errors
    /// If it cannot be written; then there is none, or the one that was there before.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        self.persist(|out| out.write_all(bytes))
    }

    /// The path, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// An unnamed file on the target's disk: that is where the user has chosen to have room.
    pub(crate) fn spool(&self) -> Result<Spool, Error> {
        let file = tempfile::tempfile_in(self.folder()).map_err(|e| self.error(e))?;
        Ok(Spool { file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Lets `fill` write a file beside the target and gives it the target's name; on any error it is removed.
    pub(crate) fn persist(&self, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<(), Error> {
        let inner = || -> io::Result<()> {
            let file = self.beside()?;
            let mut out = BufWriter::with_capacity(1 << 16, file.as_file());
            fill(&mut out)?;
            out.flush()?;
            drop(out);
            file.persist(&self.path).map_err(|e| e.error)?;
            Ok(())
        };
        inner().map_err(|e| self.error(e))
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
            .make_in(self.folder(), |path| File::options().read(true).write(true).create_new(true).open(path))?;
        let (file, path) = named.into_parts();
        Ok(NamedTempFile::from_parts(file, path))
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}

/// A first-in first-out file without a name; the system removes it when it is dropped.
#[derive(Debug)]
pub(crate) struct Spool {
    file: BufWriter<File>,
}

impl Spool {
    /// Appends numbers, little-endian on every host.
    pub(crate) fn push(&mut self, numbers: &[f32]) -> io::Result<()> {
        if cfg!(target_endian = "little") {
            return self.file.write_all(bytemuck::cast_slice(numbers));
        }
        numbers.iter().try_for_each(|v| self.file.write_all(&v.to_le_bytes()))
    }

    /// Reads from the start again.
    pub(crate) fn rewind(&mut self) -> io::Result<BufReader<&File>> {
        self.file.flush()?;
        let mut file = self.file.get_ref();
        file.rewind()?;
        Ok(BufReader::with_capacity(1 << 16, file))
    }
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
