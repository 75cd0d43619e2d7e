//! What can go wrong with a file.

use seidel::memory::shown;
use std::path::PathBuf;

/// An error that names the file, the place in it and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A run's frames would not fit on the disk.
    #[error(
        "{}: the run's frames need {} while they are written, and {} are free there: write fewer, as with --every, or elsewhere",
        path.display(), shown(*need), shown(*free)
    )]
    Room {
        /// The file.
        path: PathBuf,
        /// Bytes.
        need: u64,
        /// Bytes.
        free: u64,
    },
    /// A pipe has not ended yet, and reading it takes more memory than there may be.
    #[error("{}: to read it takes more than the {} of memory that are allowed: use a smaller file, or allow more", path.display(), shown(*limit))]
    MemoryOfPipe {
        /// Path.
        path: PathBuf,
        /// The limit, bytes.
        limit: u64,
    },
    /// To read the file takes more memory than there may be.
    #[error(
        "{}: to read it takes about {} of memory, and {} are allowed: use a smaller file, or allow more",
        path.display(), shown(*need), shown(*limit)
    )]
    Memory {
        /// The file.
        path: PathBuf,
        /// Bytes.
        need: u64,
        /// Bytes.
        limit: u64,
    },
    /// The file's content is not what its name says; `what` names the line and the remedy.
    #[error("{}: {what}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Line, cause, remedy.
        what: String,
    },
    /// A frame cannot be kept: it has other lengths than the header says, or a number that is not finite.
    #[error("{}: frame {frame}: {what}", path.display())]
    Frame {
        /// The file that was being written.
        path: PathBuf,
        /// Number of the frame, from 0.
        frame: usize,
        /// Cause, and the vertex or collider if there is one.
        what: String,
    },
    /// There is no such scene, or its description says what cannot be.
    #[error("{0}")]
    Scene(String),
}
