//! PLY files (Turk 1994, "The PLY Polygon File Format"), text and binary, row by row through ply-rs-bw.
//!
//! Of vertices all numbers are read, of faces `vertex_indices` or `vertex_index` and, if it is there, `texcoord`: two
//! numbers a corner; of triangle strips the former. Everything else is passed over. The header and its counts are
//! looked at before a row is read: a row takes a byte at least, and memory is taken as rows come.

mod layout;
mod names;
mod painted;

use crate::drawn::Drawn;
use crate::source::{Excerpt, brief};
pub(super) use layout::Layout;
use painted::Painted;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType};
use seidel::mesh::Mesh;

/// Longest header, bytes: what is longer holds comments, or is no header.
const MAX_HEADER: usize = 1 << 20;

/// Longest row of a text, bytes: a polygon of some 100,000 corners.
const MAX_ROW: usize = 1 << 20;

/// The mesh, and what the file has beside it.
pub(super) fn parse(bytes: &[u8]) -> Result<(Mesh, Painted), String> {
    let (header, rest) = header(bytes)?;
    let mut body =
        PlyBody { rest, line: 1 + bytes[..bytes.len() - rest.len()].iter().filter(|b| **b == b'\n').count() };
    let (mut positions, mut faces, mut painted) = (Vec::new(), PlyFaces::default(), Painted::default());
    for (name, def) in &header.elements {
        if def.count > body.rest.len() {
            let left = body.rest.len();
            return Err(format!("the header says {} of `{}`, and {left} bytes are left", def.count, Excerpt(name)));
        }
        match name.as_str() {
            "vertex" => {
                painted.begin(def);
                body.rows(&header, def, |_, Point { at, more }| {
                    positions.push(at);
                    painted.rows.extend(more);
                    Ok(())
                })?;
            }
            "face" => {
                let passed = |name: &&String| !LISTS.contains(&name.as_str()) && *name != "texcoord";
                let passed = def.properties.keys().filter(passed);
                painted.unread.extend(passed.map(|name| format!("`{}` of faces", Excerpt(name))));
                body.rows(&header, def, |at, Face { corners, uvs }| faces.add(at, corners, &uvs))?;
            }
            "tristrips" => body.rows(&header, def, |at, Strip(corners)| faces.add_strip(at, corners))?,
            _ => {
                if def.count > 0 {
                    painted.unread.push(format!("{} rows `{}`", def.count, Excerpt(name)));
                }
                body.rows(&header, def, |_, Other| Ok(()))?;
            }
        }
    }
    match (positions.len(), faces.triangles.len()) {
        (0, _) => Err("no vertices; export the mesh with them".to_owned()),
        (vertices, 0) => Err(format!("{vertices} vertices, but no faces; export the mesh with them")),
        _ => {
            (painted.corners, painted.any_corner) = (std::mem::take(&mut faces.uvs), faces.any_uv);
            faces.mesh(positions).map(|mesh| (mesh, painted))
        }
    }
}

/// The header, and what follows it.
fn header(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    const END: &[u8] = b"\nend_header";
    if !bytes.starts_with(b"ply") {
        return Err("it does not begin with `ply`; it is empty, or not a PLY file".to_owned());
    }
    let head = &bytes[..bytes.len().min(MAX_HEADER)];
    let end = head.windows(END.len()).position(|window| window == END).map(|at| at + END.len());
    let end = end.and_then(|end| Some(end + head[end..].iter().position(|&b| b == b'\n')? + 1));
    let Some(end) = end else {
        return Err(format!("no line `end_header` in its first {} bytes", head.len()));
    };
    let (head, rest) = bytes.split_at(end);
    let header = Parser::<Other>::new().read_header(&mut Reader::new(head)).map_err(|error| {
        let line = error.line().unwrap_or(1);
        let text = head.split(|&b| b == b'\n').nth(line - 1).map(String::from_utf8_lossy).unwrap_or_default();
        format!("line {line}: `{}` is no line of a header", Excerpt(text.trim_end()))
    })?;
    // What stands twice would be read once.
    let lines = |word: &[u8]| head.split(|&b| b == b'\n').filter(|line| line.starts_with(word)).count();
    let properties = header.elements.values().map(|def| def.properties.len()).sum::<usize>();
    if (lines(b"element"), lines(b"property")) != (header.elements.len(), properties) {
        return Err("two elements, or two properties of one, have the same name".to_owned());
    }
    for def in header.elements.values() {
        let has = |name: &str, is_list: bool| {
            def.properties.get(name).is_some_and(|p| is_list == matches!(p.data_type, PropertyType::List(..)))
        };
        let good = match def.name.as_str() {
            "vertex" => ["x", "y", "z"].iter().all(|name| has(name, false)),
            "face" | "tristrips" => LISTS.iter().filter(|name| has(name, true)).count() == 1,
            _ => !def.properties.is_empty(),
        };
        if !good && def.count > 0 {
            let what =
                "a vertex has the numbers x, y and z, a face or strip a list `vertex_indices`, and anything a property";
            return Err(format!("element `{}`: {what}", Excerpt(&def.name)));
        }
    }
    Ok((header, rest))
}

/// What is left to be read, and in a text the number of its line.
struct PlyBody<'a> {
    rest: &'a [u8],
    line: usize,
}

impl PlyBody<'_> {
    /// Reads all rows of an element, and hands each to `take` with its number.
    fn rows<E: PropertyAccess>(
        &mut self,
        header: &Header,
        def: &ElementDef,
        mut take: impl FnMut(usize, E) -> Result<(), String>,
    ) -> Result<(), String> {
        let parser = Parser::<E>::new();
        for at in 0..def.count {
            let row = match header.encoding {
                Encoding::Ascii => self.text_row(&parser, def),
                Encoding::BinaryBigEndian => parser.read_big_endian_element(&mut self.rest, def).map_err(|e| brief(&e)),
                Encoding::BinaryLittleEndian => {
                    parser.read_little_endian_element(&mut self.rest, def).map_err(|e| brief(&e))
                }
            };
            row.and_then(|row| take(at, row)).map_err(|what| {
                let line =
                    if header.encoding == Encoding::Ascii { format!("line {}, ", self.line) } else { String::new() };
                format!("{line}{} {at} of {}: {what}", Excerpt(&def.name), def.count)
            })?;
            self.line += 1;
        }
        Ok(())
    }

    fn text_row<E: PropertyAccess>(&mut self, parser: &Parser<E>, def: &ElementDef) -> Result<E, String> {
        if self.rest.is_empty() {
            return Err("the file ends here".to_owned());
        }
        let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
        let (line, rest) = (&self.rest[..end], self.rest.get(end + 1..).unwrap_or_default());
        if line.len() > MAX_ROW {
            return Err(format!("longer than {MAX_ROW} bytes"));
        }
        self.rest = rest;
        let text = std::str::from_utf8(line).map_err(|_| "not UTF-8 text; export the mesh again".to_owned())?;
        parser.read_ascii_element(text, def).map_err(|_| {
            format!("`{}` is not {} numbers or lists of numbers", Excerpt(text.trim()), def.properties.len())
        })
    }
}

/// A row of an element that nobody asks for.
struct Other;

impl PropertyAccess for Other {
    fn new() -> Self {
        Self
    }
}

/// A vertex: its coordinates, and its other numbers in the order of the header.
struct Point {
    at: [f32; 3],
    more: Vec<f32>,
}

impl PropertyAccess for Point {
    fn new() -> Self {
        Self { at: [0.0; 3], more: Vec::new() }
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        let axis = ["x", "y", "z"].iter().position(|axis| *axis == name);
        match (axis, value.to_f32_lossy()) {
            (Some(axis), Some(value)) => self.at[axis] = value,
            (None, Some(value)) => self.more.push(value),
            (_, None) => {}
        }
        PropertyAccessResult::Set
    }
}

/// What lists of corners are called.
const LISTS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// A face by its corners, none if one of them is negative or no whole number; and their texture coordinates, empty
/// without.
struct Face {
    corners: Option<Vec<u32>>,
    uvs: Vec<f32>,
}

impl PropertyAccess for Face {
    fn new() -> Self {
        Self { corners: None, uvs: Vec::new() }
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        if LISTS.contains(&name) {
            self.corners = value.to_u32_list();
        } else if name == "texcoord" {
            self.uvs = match value {
                Property::ListFloat(uvs) => uvs,
                Property::ListDouble(uvs) => uvs.into_iter().map(|x| x as f32).collect(),
                _ => Vec::new(),
            };
        }
        PropertyAccessResult::Set
    }
}

/// Triangle strips one after another, with -1 between two; none if a corner is no whole number.
struct Strip(Option<Vec<i32>>);

impl PropertyAccess for Strip {
    fn new() -> Self {
        Self(None)
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        if LISTS.contains(&name) {
            self.0 = match value {
                Property::ListChar(corners) => Some(corners.into_iter().map(i32::from).collect()),
                Property::ListShort(corners) => Some(corners.into_iter().map(i32::from).collect()),
                Property::ListInt(corners) => Some(corners),
                unsigned => unsigned.to_u32_list().map(|corners| corners.into_iter().map(|c| c as i32).collect()),
            };
        }
        PropertyAccessResult::Set
    }
}

/// The faces as triangles, and which face each corner's largest index is of: faces may come before the vertices.
#[derive(Default)]
struct PlyFaces {
    triangles: Vec<[u32; 3]>,
    /// Texture coordinates of their corners; empty as long as no face has any.
    uvs: Vec<[[f32; 2]; 3]>,
    any_uv: bool,
    /// The first of the largest indices, and its face.
    largest: Option<(u32, usize)>,
}

impl PlyFaces {
    /// Each corner from the third on makes a triangle with the two before it; every other one the other way round.
    /// Triangles with a corner twice only lead from one part of a strip to the next.
    fn add_strip(&mut self, at: usize, corners: Option<Vec<i32>>) -> Result<(), String> {
        let corners = corners.ok_or("a corner is no whole number")?;
        for strip in corners.split(|&corner| corner == -1) {
            for (i, three) in strip.windows(3).enumerate() {
                let [a, b, c] = [three[0], three[1], three[2]].map(u32::try_from);
                let (Ok(a), Ok(b), Ok(c)) = (a, b, c) else {
                    return Err("a corner is negative, and not -1".to_owned());
                };
                if a != b && b != c && a != c {
                    self.add(at, Some(if i % 2 == 0 { vec![a, b, c] } else { vec![b, a, c] }), &[])?;
                }
            }
        }
        Ok(())
    }

    /// Texture coordinates of another number than two a corner are none.
    fn add(&mut self, at: usize, corners: Option<Vec<u32>>, uvs: &[f32]) -> Result<(), String> {
        let corners = corners.ok_or("a corner is negative, or no whole number")?;
        if corners.len() < 3 {
            return Err(format!("{} corners; a face has three or more", corners.len()));
        }
        if let Some(&most) = corners.iter().max()
            && self.largest.is_none_or(|(largest, _)| most > largest)
        {
            self.largest = Some((most, at));
        }
        let before = self.triangles.len();
        self.triangles.extend(fan(&corners));
        if uvs.len() == 2 * corners.len() {
            self.any_uv = true;
            self.uvs.resize(before, [Drawn::NO_UV; 3]);
            let uv = |corner: usize| Drawn::given([uvs[2 * corner], uvs[2 * corner + 1]]);
            self.uvs.extend((2..corners.len()).map(|k| [0, k - 1, k].map(uv)));
        } else if self.any_uv {
            self.uvs.resize(self.triangles.len(), [Drawn::NO_UV; 3]);
        }
        Ok(())
    }

    fn mesh(self, positions: Vec<[f32; 3]>) -> Result<Mesh, String> {
        match self.largest.filter(|(index, _)| *index as usize >= positions.len()) {
            None => Ok(Mesh { positions, triangles: self.triangles }),
            Some((index, face)) => {
                let count = positions.len();
                Err(format!("face {face}: corner {index} names no vertex: there are {count}, and the first is 0"))
            }
        }
    }
}

/// A polygon as triangles about its first corner.
fn fan(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    corners.windows(2).skip(1).map(|side| [corners[0], side[0], side[1]])
}
