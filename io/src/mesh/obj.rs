//! The lines of an OBJ file.

use crate::source::{Excerpt, join, limited};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Lines of an OBJ file that a backslash at their end continues.
pub(super) const CONTINUED: [&[u8]; 4] = [b"v", b"vt", b"vn", b"f"];

/// The `v` lines as read here, and the copy of the file that tobj reads.
pub(super) struct Scan {
    pub(super) positions: Vec<[f32; 3]>,
    /// Line for line as the file, so that tobj's place in it is a line number; `v` lines spell their number, `f` lines
    /// are as they were, others are empty.
    numbered: String,
}

impl Scan {
    pub(super) fn new(bytes: &[u8]) -> Result<Self, String> {
        let bytes = limited(bytes)?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut scan = Self { positions: Vec::new(), numbered: String::new() };
        let mut faces = 0usize;
        let mut lines = bytes.split(|&b| b == b'\n');
        let mut number = 0;
        while let Some(line) = lines.next() {
            number += 1;
            let keyword = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
            let mut continued = 0;
            let line = match keyword {
                Some(keyword) if CONTINUED.contains(&keyword) => join(line, &mut lines, &mut continued),
                _ => Cow::Borrowed(line),
            };
            if let Some(b"v" | b"f") = keyword {
                let text = std::str::from_utf8(&line)
                    .map_err(|_| format!("line {number}: not UTF-8 text; export the mesh again"))?;
                let text = text.split('#').next().unwrap_or_default().trim();
                if keyword == Some(b"v") {
                    scan.vertex(text)
                } else {
                    faces += 1;
                    scan.face(text)
                }
                .map_err(|what| format!("line {number}: {what} in `{}`", Excerpt(text)))?;
            }
            number += continued;
            scan.numbered.extend(std::iter::repeat_n('\n', 1 + continued));
        }
        match (scan.positions.len(), faces) {
            (0, _) => Err("no `v` line; it is empty, or not an OBJ file".to_owned()),
            (vertices, 0) => Err(format!("{vertices} vertices, but no `f` line; export the mesh with its faces")),
            _ => Ok(scan),
        }
    }

    fn vertex(&mut self, text: &str) -> Result<(), String> {
        let mut words = text.split_whitespace().skip(1);
        let mut position = [0.0; 3];
        for (axis, x) in ["x", "y", "z"].into_iter().zip(&mut position) {
            let word = words.next().ok_or_else(|| format!("no {axis} coordinate"))?;
            *x = word.parse().map_err(|_| format!("{axis} is not a number such as -1.5e-3"))?;
        }
        // Two halves: an f32 holds 24 bits of a number.
        let number = self.positions.len();
        let _ = write!(self.numbered, "v {} {} 0", number >> 16, number & 0xffff);
        self.positions.push(position);
        Ok(())
    }

    fn face(&mut self, text: &str) -> Result<(), String> {
        // tobj would make a triangle without area of it.
        if text.split_whitespace().count() < 4 {
            return Err("fewer than three corners (a line or a point is `l` or `p`)".to_owned());
        }
        self.numbered.push_str(text);
        Ok(())
    }

    /// The faces as triangles between the file's vertices.
    pub(super) fn triangles(&self) -> Result<Vec<[u32; 3]>, String> {
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let mut rest = self.numbered.as_bytes();
        let (models, _) = tobj::load_obj_buf(&mut rest, &options, |_| Ok(Default::default())).map_err(|error| {
            let read = &self.numbered[..self.numbered.len() - rest.len()];
            self.explain(error, read)
        })?;
        let mut triangles = Vec::new();
        for mesh in models.into_iter().map(|model| model.mesh) {
            let number = |k: u32| {
                let at = &mesh.positions[3 * k as usize..];
                (at[0] as u32) << 16 | at[1] as u32
            };
            triangles.extend(mesh.indices.chunks_exact(3).map(|corners| [0, 1, 2].map(|k| number(corners[k]))));
        }
        Ok(triangles)
    }

    /// Puts the line to an error of tobj, which stopped after `read`.
    fn explain(&self, error: tobj::LoadError, read: &str) -> String {
        if error == tobj::LoadError::FaceVertexOutOfBounds {
            return self.out_of_range().unwrap_or_else(|| error.to_string());
        }
        let line = read.lines().count();
        let text = Excerpt(read.lines().next_back().unwrap_or_default());
        format!("line {line}: {error} in `{text}`; a corner is an index such as 3, 3/1, 3//2, 3/1/2 or -1")
    }

    /// The first corner that names no vertex; tobj sees it at the end of the file, and does not say where it stood.
    fn out_of_range(&self) -> Option<String> {
        let count = self.positions.len() as i64;
        let mut so_far = 0;
        for (line, text) in (1..).zip(self.numbered.lines()) {
            if text.starts_with('v') {
                so_far += 1;
                continue;
            }
            for corner in text.split_whitespace().skip(1) {
                let index = corner.split('/').next().and_then(|index| index.parse::<i64>().ok());
                let found = index.is_some_and(|i| (1..=count).contains(&i) || (-so_far..0).contains(&i));
                if !found {
                    return Some(format!(
                        "line {line}: corner `{}` names no vertex: there are {count}, {so_far} of them above the line, and the first is 1",
                        Excerpt(corner)
                    ));
                }
            }
        }
        None
    }
}
