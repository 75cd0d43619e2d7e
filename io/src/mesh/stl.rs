//! STL files, text and binary, through stl_io.
//!
//! STL knows no vertices: every triangle has three corners of its own. Corners at exactly one place become one vertex,
//! numbered by its first use; without that no edge would have two triangles. Normals and attributes are not read.
//!
//! stl_io (0.11) takes a binary file whose first 80 bytes begin with "solid" for text, wants a blank behind that word
//! and small letters, and ends with the first of several solids. So it is handed a beginning of our own, and each solid
//! by itself.

use crate::source::{Excerpt, brief};
use seidel::mesh::Mesh;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes before the triangles of a binary file, the last four of them their number; and bytes of each.
const HEADER: usize = 84;
const TRIANGLE: u64 = 50;

/// Longest line of a text, bytes, but for that which names a solid: stl_io makes a string of every word.
const MAX_LINE: usize = 1 << 16;

/// A first line of 80 bytes that is no "solid".
const BINARY: &[u8; 80] = &{
    let mut head = [0; 80];
    head[0] = b'\n';
    head
};

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh, String> {
    let length = bytes.len() as u64;
    // u32 x 50 fits.
    let count =
        bytes.get(80..HEADER).and_then(|count| count.try_into().ok()).map(|count| u64::from(u32::from_le_bytes(count)));
    let whole = |count: u64| HEADER as u64 + TRIANGLE * count;
    let is_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let mut corners = Vec::new();
    match count {
        Some(count) if length == whole(count) || !is_text && length > whole(count) => {
            let mut source = Source { head: BINARY, rest: &bytes[80..], at: 0, line: 0, is_text: false };
            source.read(&mut corners).map_err(|error| brief(&error))?;
        }
        _ if is_text => solids(bytes, &mut corners)?,
        Some(count) => {
            let want = whole(count);
            return Err(format!(
                "a binary file of {count} triangles has {want} bytes, and this one {length}; it is cut short"
            ));
        }
        None => return Err("it begins with no `solid` and has no 84 bytes; it is empty, or not an STL file".to_owned()),
    }
    if corners.is_empty() {
        return Err("no triangles; export the mesh with them".to_owned());
    }
    merged(&corners)
}

/// All solids of a text, one after another.
fn solids(bytes: &[u8], corners: &mut Vec<[f32; 3]>) -> Result<(), String> {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        let line_of = |rest: &[u8]| 1 + bytes[..bytes.len() - rest.len()].iter().filter(|&&b| b == b'\n').count();
        if rest.is_empty() {
            return Ok(());
        }
        let first = rest.split(|&b| b == b'\n').next().unwrap_or_default();
        if !first.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
            let text = String::from_utf8_lossy(&first[..first.len().min(200)]).into_owned();
            return Err(format!("line {}: `{}` where `solid` should be", line_of(rest), Excerpt(text.trim_end())));
        }
        let after = &rest[(first.len() + 1).min(rest.len())..];
        let mut source = Source { head: b"solid \n", rest: after, at: 0, line: 0, is_text: true };
        let result = source.read(corners);
        let read = source.at.saturating_sub(source.head.len());
        rest = &after[read.min(after.len())..];
        // The line that is at fault was read.
        let line = line_of(rest).saturating_sub(usize::from(after[..read].ends_with(b"\n")));
        result.map_err(|error| format!("line {line}: {}", brief(&error)))?;
    }
}

/// A file with another beginning. In a text a read ends with the line, so that it is known how far stl_io has come.
struct Source<'a> {
    head: &'static [u8],
    rest: &'a [u8],
    at: usize,
    /// Bytes of the line that has been begun.
    line: usize,
    is_text: bool,
}

impl Source<'_> {
    fn read(&mut self, corners: &mut Vec<[f32; 3]>) -> io::Result<()> {
        for triangle in stl_io::create_stl_reader(self)? {
            corners.extend(triangle?.vertices.map(|v| v.0));
        }
        Ok(())
    }
}

impl Read for Source<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let from = match self.at.checked_sub(self.head.len()) {
            None => &self.head[self.at..],
            Some(at) => &self.rest[at..],
        };
        let from = &from[..from.len().min(out.len())];
        let end = if self.is_text { from.iter().position(|&b| b == b'\n').map(|end| end + 1) } else { None };
        let length = end.unwrap_or(from.len());
        self.line = if end.is_none() { self.line + length } else { 0 };
        if self.is_text && self.line > MAX_LINE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("longer than {MAX_LINE} bytes")));
        }
        out[..length].copy_from_slice(&from[..length]);
        if self.is_text {
            out[..length].make_ascii_lowercase();
        }
        self.at += length;
        Ok(length)
    }
}

impl Seek for Source<'_> {
    /// To the start only, which is what stl_io does once it has seen the first line.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if to != SeekFrom::Start(0) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        (self.at, self.line) = (0, 0);
        Ok(0)
    }
}

/// The mesh of these corners, three a triangle, with one vertex for all at a place.
fn merged(corners: &[[f32; 3]]) -> Result<Mesh, String> {
    let first = seidel_hash::coincident(corners, 0.0).map_err(|error| error.to_string())?;
    let mut mesh = Mesh::default();
    let mut number = Vec::with_capacity(first.len());
    for (corner, &first) in first.iter().enumerate() {
        if first as usize == corner {
            number.push(mesh.positions.len() as u32);
            mesh.positions.push(corners[corner]);
        } else {
            number.push(number[first as usize]);
        }
    }
    mesh.triangles = number.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Ok(mesh)
}
