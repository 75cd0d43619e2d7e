//! Texture coordinates and normals of an OBJ file. The faces have been read; here each corner gets the `vt` and
//! the `vn` that it names. tobj would give them too, but moves those of a file in which some corners have none.

use crate::drawn::Drawn;
use crate::source::{Excerpt, join};
use seidel::mesh::Mesh;
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
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut uvs = List::<2> { what: "texture coordinate (`vt`)", numbers: Vec::new() };
    let mut normals = List::<3> { what: "normal (`vn`)", numbers: Vec::new() };
    let mut faces = Faces::new(mesh);
    let mut lines = bytes.split(|&b| b == b'\n');
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let mut continued = 0;
        let keyword = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
        if let Some(keyword @ (b"vt" | b"vn" | b"f")) = keyword {
            let line = join(line, &mut lines, &mut continued);
            let text = std::str::from_utf8(&line)
                .map_err(|_| format!("line {number}: not UTF-8 text; export the mesh again"))?;
            let text = text.split('#').next().unwrap_or_default();
            match keyword {
                b"vt" => uvs.push(text),
                b"vn" => normals.push(text),
                _ => faces.push(number, text, &uvs, &normals),
            }
            .map_err(|what| format!("line {number}: {what}"))?;
        }
        number += continued;
    }
    faces.finish(&uvs, &normals)
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
        let (drawn, named) = (Drawn::default(), Vec::new());
        Self { mesh, drawn, named, numbers: HashMap::new(), corners: Vec::new() }
    }

    fn push(&mut self, line: usize, text: &str, uvs: &List<2>, normals: &List<3>) -> Result<(), String> {
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
        Ok(())
    }

    /// Puts the numbers to what the corners name.
    fn finish(mut self, uvs: &List<2>, normals: &List<3>) -> Result<Drawn, String> {
        let [mut any_uv, mut any_normal] = [false; 2];
        for &([uv, normal], line) in &self.named {
            let of_line = |what: String| format!("line {line}: {what}");
            any_uv |= uv != NONE;
            any_normal |= normal != NONE;
            // glTF's v goes down from the top of the image, OBJ's up from the bottom.
            let [u, v] = uvs.get(uv).map_err(of_line)?;
            self.drawn.uvs.push([u, if uv == NONE { v } else { 1.0 - v }]);
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
