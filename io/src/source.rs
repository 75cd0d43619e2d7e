//! Files as bytes, within a limit, and pieces of them in errors.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Largest file, bytes. A vertex takes 8 bytes at least and a corner 2, so that all ids fit in 32 bits; and a broken
/// file does not take all memory.
pub(crate) const MAX_BYTES: usize = 1 << 30;

/// Whether the name ends so, in capitals or not.
pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// The bytes, unless there are too many.
pub(crate) fn limited(bytes: &[u8]) -> Result<&[u8], String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!("larger than {MAX_BYTES} bytes; split or simplify the mesh"));
    }
    Ok(bytes)
}

/// Opens a file; `hint` is said of a directory.
pub(crate) fn open(path: &Path, hint: &str) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        let what = format!("it is a directory; {hint}");
        return Err(io::Error::new(io::ErrorKind::IsADirectory, what));
    }
    Ok(file)
}

/// All bytes of a file, at most one more than is allowed; `hint` is said of a directory.
pub(crate) fn read_bytes(path: &Path, hint: &str) -> io::Result<Vec<u8>> {
    let file = open(path, hint)?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells that it is too large, also of a file that has no size, such as a pipe.
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A line with those that continue it after a backslash; counts them.
pub(crate) fn join<'a>(
    line: &'a [u8],
    lines: &mut impl Iterator<Item = &'a [u8]>,
    continued: &mut usize,
) -> Cow<'a, [u8]> {
    let mut line = Cow::Borrowed(line);
    while let Some(head) = line.trim_ascii_end().strip_suffix(b"\\").map(<[u8]>::len) {
        let line = line.to_mut();
        line.truncate(head);
        let Some(more) = lines.next() else { break };
        *continued += 1;
        line.push(b' ');
        line.extend_from_slice(more);
    }
    line
}

/// The beginning of a text, for an error.
pub(crate) struct Excerpt<'a>(pub(crate) &'a str);

impl std::fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const LENGTH: usize = 40;
        for c in self.0.chars().take(LENGTH) {
            write!(f, "{}", c.escape_debug())?;
        }
        f.write_str(if self.0.chars().nth(LENGTH).is_some() { "..." } else { "" })
    }
}

/// The first line of another crate's error, which may have a file's content in it.
pub(crate) fn brief(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).take(100).collect()
}
