//! Memory that reading a file takes at its peak, estimated before it is read.
//!
//! Measured as the peak of `seidel check` and `check --repair` over the file's bytes, of meshes of 250,000 vertices:
//! OBJ 5.8 to 7.8 and 7.6 to 9.7, binary PLY 7.1 and 9.7, binary STL 2.9 and 3.8, GLB 8.4 and 11.7, TetGen 2.6 and 3.6;
//! the factors here are 1.5 to 3.2 times as much, as shorter lines and narrower indices ask for. A scene of 3,000,000
//! rows took 280 bytes for each of its 9,000,000 values. Not counted: a glTF file whose nodes show one mesh many times.

use crate::error::Error;
use crate::source::{MAX_BYTES, has_extension};
use crate::{gltf, tets};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What is done with a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is read.
    Read,
    /// It is looked through for defects ([`crate::check::check`]).
    Check,
    /// It is read with all that is drawn, and repaired.
    Repair,
}

/// Bytes at the peak for each byte of a file that ends so: to read it, to check it, to repair it.
const FACTORS: [(&str, [u64; 3]); 9] = [
    ("obj", [10, 16, 24]),
    ("ply", [8, 12, 16]),
    ("stl", [4, 5, 6]),
    ("gltf", [12, 18, 24]),
    ("glb", [12, 18, 24]),
    ("bin", [12, 18, 24]),
    ("node", [3, 4, 6]),
    ("ele", [3, 4, 6]),
    ("msh", [4, 6, 8]),
];

/// Bytes for each byte of a scene's text, and for each of its values, entries of lists and tables.
const TEXT: u64 = 3;
const VALUE: u64 = 320;
/// A table of a list has a tree of its keys, and its description (20,000 rigid bodies took 7,000 bytes each).
const TABLE: u64 = 5000;

/// Bytes that reading a file of this name and size takes; none of a format that is not read.
#[must_use]
pub fn of_bytes(name: &Path, bytes: u64, purpose: Purpose) -> u64 {
    let factors = FACTORS.iter().find(|(ending, _)| has_extension(name, ending)).map(|(_, factors)| factors);
    factors.map_or(0, |factors| bytes.saturating_mul(factors[purpose as usize]))
}

/// The size of a file; none of what is missing or a pipe.
fn size(path: &Path) -> u64 {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map_or(0, |file| file.len())
}

/// Bytes that reading a mesh takes, with the files beside it that it names; none of what is missing or a pipe. To know
/// what a `.gltf` file names, it is read.
#[must_use]
pub fn of_file(path: &Path, purpose: Purpose) -> u64 {
    let one = |path: &Path| of_bytes(path, size(path), purpose);
    match tets::pair(path) {
        Some(both) => both.iter().map(|path| one(path)).fold(0, u64::saturating_add),
        // What comes through a pipe comes once, and is for the reader of the mesh.
        None if has_extension(path, "gltf") && path.is_file() => {
            let buffers = gltf::beside(path).into_iter().map(|path| of_bytes(Path::new("a.bin"), size(&path), purpose));
            buffers.fold(one(path), u64::saturating_add)
        }
        None => one(path),
    }
}

/// Refuses a mesh whose reading takes more than `limit` bytes.
///
/// # Errors
/// [`Error::Memory`], with both numbers.
pub fn fits(path: &Path, purpose: Purpose, limit: u64) -> Result<(), Error> {
    // What there is no end of is not looked at.
    if limit == u64::MAX {
        return Ok(());
    }
    // Alone first: what it names is read out of it.
    within(path, of_bytes(path, size(path), purpose), limit)?;
    within(path, of_file(path, purpose), limit)
}

/// Refuses bytes of a mesh that are there already, if their reading takes more than `limit` bytes; returns what is left
/// of these.
pub(crate) fn bytes_fit(name: &Path, bytes: &[u8], purpose: Purpose, limit: u64) -> Result<u64, Error> {
    let need = of_bytes(name, bytes.len() as u64, purpose);
    within(name, need, limit)?;
    Ok(limit - need)
}

/// Whether a path leads to what has no size, such as a pipe.
pub(crate) fn is_piped(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Reads what has no size to its end, or as far as `limit` bytes of memory allow to read a mesh out of it, and refuses
/// it then.
pub(crate) fn read_piped(path: &Path, purpose: Purpose, limit: u64) -> Result<Vec<u8>, Error> {
    let wrong = |source| Error::Read { path: path.to_owned(), source };
    let each = of_bytes(path, 1, purpose);
    if each == 0 {
        let what = "a pipe needs a name whose ending says what comes, such as .obj, .ply, .stl, .gltf, .glb or .msh";
        return Err(Error::Format { path: path.to_owned(), what: what.to_owned() });
    }
    let (mut read, most) = (Vec::new(), (limit / each).min(MAX_BYTES as u64));
    File::open(path).map_err(wrong)?.take(most.saturating_add(1)).read_to_end(&mut read).map_err(wrong)?;
    if read.len() as u64 > most && most < MAX_BYTES as u64 {
        return Err(Error::MemoryOfPipe { path: path.to_owned(), limit });
    }
    if has_extension(path, "gltf") {
        // A glTF names files beside it; they count with it.
        let beside =
            gltf::named(&read, path).into_iter().map(|path| of_bytes(Path::new("a.bin"), size(&path), purpose));
        within(path, beside.fold(of_bytes(path, read.len() as u64, purpose), u64::saturating_add), limit)?;
    }
    Ok(read)
}

/// Reads a scene's text, in TOML or JSON, to its end or as far as `limit` bytes of memory allow, and refuses it then.
/// This is for what has no size, such as a pipe.
pub(crate) fn read_text(path: &Path, text: impl Read, limit: u64) -> Result<Vec<u8>, Error> {
    let (mut read, most) = (Vec::new(), limit / TEXT);
    let ended = text.take(most.saturating_add(1)).read_to_end(&mut read);
    ended.map_err(|source| Error::Read { path: path.to_owned(), source })?;
    if read.len() as u64 > most {
        return Err(Error::MemoryOfPipe { path: path.to_owned(), limit });
    }
    text_fits(path, &read, limit)?;
    Ok(read)
}

/// Refuses a scene's text, in TOML or JSON, whose reading takes more than `limit` bytes.
pub(crate) fn text_fits(path: &Path, text: &[u8], limit: u64) -> Result<(), Error> {
    let values = text.iter().filter(|byte| matches!(byte, b',' | b'=' | b'[' | b'{' | b':')).count() as u64;
    // A name in brackets: rows of numbers begin with a bracket, too.
    let is_table = |line: &&[u8]| {
        let line = line.trim_ascii_start();
        line.starts_with(b"[") && line.iter().find(|byte| **byte != b'[').is_some_and(u8::is_ascii_alphabetic)
    };
    let tables = text.split(|&byte| byte == b'\n').filter(is_table).count() as u64;
    let need = [(text.len() as u64, TEXT), (values, VALUE), (tables, TABLE)];
    within(path, need.iter().fold(0, |sum, &(count, bytes)| count.saturating_mul(bytes).saturating_add(sum)), limit)
}

/// Refuses a scene's file for its size, before it is read.
pub(crate) fn size_fits(path: &Path, limit: u64) -> Result<(), Error> {
    within(path, size(path).saturating_mul(TEXT), limit)
}

fn within(path: &Path, need: u64, limit: u64) -> Result<(), Error> {
    if need <= limit { Ok(()) } else { Err(Error::Memory { path: path.to_owned(), need, limit }) }
}

#[cfg(test)]
mod tests {
    use super::{FACTORS, Purpose, of_bytes};
    use crate::{gltf, mesh, tets};
    use std::path::Path;

    /// A format without a factor would be read without a limit.
    #[test]
    fn every_ending_that_is_read_has_a_factor() {
        let endings: Vec<&str> = mesh::ENDINGS.into_iter().chain(gltf::ENDINGS).chain(tets::ENDINGS).collect();
        for ending in &endings {
            for purpose in [Purpose::Read, Purpose::Check, Purpose::Repair] {
                assert!(of_bytes(Path::new(&format!("a.{ending}")), 1, purpose) > 0, "{ending}");
            }
        }
        // And none is left that nothing reads, but for the buffers of a `.gltf` file.
        assert!(FACTORS.iter().all(|(ending, _)| endings.contains(ending) || *ending == "bin"));
    }
}
