//! Texture coordinates, normals and names of an OBJ file. The faces have been read; here each corner gets the `vt` and
//! the `vn` that it names, and each triangle its object, group and material. tobj would give them too, but moves those
//! of a file in which some corners have none.

use super::obj::CONTINUED;
use crate::drawn::{Drawn, Parts};
use crate::source::{Excerpt, join};
use seidel::mesh::Mesh;
use std::borrow::Cow;
use std::collections::HashMap;

/// Where a corner names none.
const NONE: u32 = u32::MAX;

/// A list of `vt` or `vn` lines, and how they are called.
struct List<const N: usize> {
    what: &'static str,
    numbers: Vec<[f32; N]>,
}

impl<const N: usize> List<N> {
    /// Reads a line; a number that is not there is 0.
    fn push(&mut self, text: &str) -> Result<(), String> {
        let mut numbers = [0.0; N];
        for (x, word) in numbers.iter_mut().zip(text.split_whitespace().skip(1)) {
            *x = word.parse().map_err(|_| format!("`{}` is not a number such as -1.5e-3", Excerpt(word)))?;
        }
        self.numbers.push(numbers);
        Ok(())
    }

    /// What a corner's word names: 1 is the first, -1 the last so far. Those that follow are looked for at the end.
    fn index(&self, word: Option<&str>) -> Result<u32, String> {
        let Some(word) = word.filter(|word| !word.is_empty()) else { return Ok(NONE) };
        let so_far = self.numbers.len() as i64;
        let index = match word.parse::<i64>() {
            Ok(i) if i > 0 => i - 1,
            Ok(i) if i < 0 && i >= -so_far => so_far + i,
            _ => -1,
        };
        u32::try_from(index).ok().filter(|&i| i != NONE).ok_or_else(|| self.missing(word))
    }

    fn missing(&self, word: &str) -> String {
        format!("`{}` names no {}; there are {}", Excerpt(word), self.what, self.numbers.len())
    }

    fn get(&self, index: u32) -> Result<[f32; N], String> {
        if index == NONE {
            return Ok([0.0; N]);
        }
        self.numbers.get(index as usize).copied().ok_or_else(|| self.missing(&(u64::from(index) + 1).to_string()))
    }
}

/// What is drawn of the mesh that was read from the same bytes.
pub(super) fn drawn(mesh: &Mesh, bytes: &[u8]) -> Result<Drawn, String> {
    let mut uvs = List::<2> { what: "texture coordinate (`vt`)", numbers: Vec::new() };
    let mut normals = List::<3> { what: "normal (`vn`)", numbers: Vec::new() };
    let (mut faces, mut parts, mut libraries) = (Faces::new(mesh), Parts::default(), Vec::new());
    each_line(bytes, &[b"vt", b"vn", b"f", b"o", b"g", b"usemtl", b"mtllib"], |number, keyword, line| {
        if let Some(which) = NAMES.iter().position(|name| *name == keyword) {
            parts.set(which, &argument(keyword, line));
            return Ok(());
        }
        if keyword == b"mtllib" {
            libraries.push(argument(keyword, line));
            return Ok(());
        }
        let text =
            std::str::from_utf8(line).map_err(|_| format!("line {number}: not UTF-8 text; export the mesh again"))?;
        let text = text.split('#').next().unwrap_or_default();
        match keyword {
            b"vt" => uvs.push(text),
            b"vn" => normals.push(text),
            _ => faces.push(number, text, &uvs, &normals).map(|triangles| parts.push(triangles)),
        }
        .map_err(|what| format!("line {number}: {what}"))
    })?;
    let mut drawn = faces.finish(&uvs, &normals)?;
    (drawn.parts, drawn.part) = parts.finish();
    drawn.libraries = libraries.into_iter().filter(|name| !name.is_empty()).collect();
    Ok(drawn.ordered(mesh.positions.len()))
}

/// The names alone, of a file that was read as a mesh.
pub(super) fn parts(bytes: &[u8]) -> Parts {
    let mut parts = Parts::default();
    let all = each_line(bytes, &[b"f", b"o", b"g", b"usemtl"], |_, keyword, line| {
        match NAMES.iter().position(|name| *name == keyword) {
            Some(which) => parts.set(which, &argument(keyword, line)),
            None => {
                let text = line.split(|&b| b == b'#').next().unwrap_or_default();
                let text = String::from_utf8_lossy(text);
                parts.push(text.split_whitespace().count().saturating_sub(3));
            }
        }
        Ok(())
    });
    // It refuses nothing.
    debug_assert!(all.is_ok());
    parts
}

/// What names an object, a group and a material.
const NAMES: [&[u8]; 3] = [b"o", b"g", b"usemtl"];

/// What follows a keyword, in one line. A name may have any bytes: what is no UTF-8 is replaced, since exporters write
/// other encodings.
fn argument(keyword: &[u8], line: &[u8]) -> String {
    let line = line.trim_ascii_start();
    let text = String::from_utf8_lossy(&line[keyword.len().min(line.len())..]);
    text.trim().chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

/// Hands the lines that begin with one of these words to `take`: the number of the line, the word, the line with those
/// that continue it, which only lines of numbers have.
fn each_line(
    bytes: &[u8],
    wanted: &[&[u8]],
    mut take: impl FnMut(usize, &[u8], &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|&b| b == b'\n');
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let mut continued = 0;
        let keyword = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
        let line = match CONTINUED.contains(&keyword) {
            true => join(line, &mut lines, &mut continued),
            false => Cow::Borrowed(line),
        };
        if wanted.contains(&keyword) {
            take(number, keyword, &line)?;
        }
        number += continued;
    }
    Ok(())
}

/// Faces one after another, as fans, beside the triangles of the mesh.
struct Faces<'a> {
    mesh: &'a Mesh,
    drawn: Drawn,
    /// `vt` and `vn` of each drawn vertex, and the line that first named them.
    named: Vec<([u32; 2], usize)>,
    numbers: HashMap<[u32; 3], u32>,
    corners: Vec<[u32; 2]>,
}

impl<'a> Faces<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let (drawn, named) = (Drawn { v_up: true, ..Drawn::default() }, Vec::new());
        Self { mesh, drawn, named, numbers: HashMap::new(), corners: Vec::new() }
    }

    /// Adds a face; the number of its triangles.
    fn push(&mut self, line: usize, text: &str, uvs: &List<2>, normals: &List<3>) -> Result<usize, String> {
        let before = self.drawn.triangles.len();
        self.corners.clear();
        for corner in text.split_whitespace().skip(1) {
            let mut words = corner.split('/').skip(1);
            self.corners.push([uvs.index(words.next())?, normals.index(words.next())?]);
        }
        for k in 2..self.corners.len() {
            // The mesh was read from the same faces, fan by fan.
            let Some(triangle) = self.mesh.triangles.get(self.drawn.triangles.len()) else {
                return Err("more triangles than the faces have".to_owned());
            };
            let mut drawn = [0; 3];
            for ((drawn, &vertex), corner) in drawn.iter_mut().zip(triangle).zip([0, k - 1, k]) {
                let named = self.corners[corner];
                *drawn = *self.numbers.entry([vertex, named[0], named[1]]).or_insert_with(|| {
                    self.drawn.vertex.push(vertex);
                    self.named.push((named, line));
                    self.named.len() as u32 - 1
                });
            }
            self.drawn.triangles.push(drawn);
        }
        Ok(self.drawn.triangles.len() - before)
    }

    /// Puts the numbers to what the corners name.
    fn finish(mut self, uvs: &List<2>, normals: &List<3>) -> Result<Drawn, String> {
        let [mut any_uv, mut any_normal] = [false; 2];
        for &([uv, normal], line) in &self.named {
            let of_line = |what: String| format!("line {line}: {what}");
            any_uv |= uv != NONE;
            any_normal |= normal != NONE;
            let given = uvs.get(uv).map_err(of_line)?;
            self.drawn.uvs.push(if uv == NONE { Drawn::NO_UV } else { Drawn::given(given) });
            self.drawn.normals.push(normals.get(normal).map_err(of_line)?);
        }
        if !any_uv {
            self.drawn.uvs.clear();
        }
        if !any_normal {
            self.drawn.normals.clear();
        }
        Ok(self.drawn)
    }
}
