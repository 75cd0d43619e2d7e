//! PLY files (Turk 1994, "The PLY Polygon File Format"), text and binary, row by row through ply-rs-bw.
//!
//! Of vertices x, y and z are read, of faces and triangle strips `vertex_indices` or `vertex_index`; everything else is passed over. The header
//! and its counts are looked at before a row is read: a row takes a byte at least, and memory is taken as rows come.

use super::{Excerpt, brief, fan};
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType};
use seidel::mesh::Mesh;
use std::io::{self, Write};

/// Longest header, bytes: what is longer holds comments, or is no header.
const MAX_HEADER: usize = 1 << 20;

/// Longest row of a text, bytes: a polygon of some 100,000 corners.
const MAX_ROW: usize = 1 << 20;

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh, String> {
    let (header, rest) = header(bytes)?;
    let mut body = Body { rest, line: 1 + bytes[..bytes.len() - rest.len()].iter().filter(|b| **b == b'\n').count() };
    let (mut positions, mut faces) = (Vec::new(), Faces::default());
    for (name, def) in &header.elements {
        if def.count > body.rest.len() {
            let left = body.rest.len();
            return Err(format!("the header says {} of `{}`, and {left} bytes are left", def.count, Excerpt(name)));
        }
        match name.as_str() {
            "vertex" => body.rows(&header, def, |_, Point(x)| {
                positions.push(x);
                Ok(())
            })?,
            "face" => body.rows(&header, def, |at, Face(corners)| faces.add(at, corners))?,
            "tristrips" => body.rows(&header, def, |at, Strip(corners)| faces.add_strip(at, corners))?,
            _ => body.rows(&header, def, |_, Other| Ok(()))?,
        }
    }
    match (positions.len(), faces.triangles.len()) {
        (0, _) => Err("no vertices; export the mesh with them".to_owned()),
        (vertices, 0) => Err(format!("{vertices} vertices, but no faces; export the mesh with them")),
        _ => faces.mesh(positions),
    }
}

/// Writes a binary file. Coordinates keep every bit.
pub(super) fn write(out: &mut impl Write, mesh: &Mesh) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", mesh.positions.len())?;
    writeln!(out, "property float x\nproperty float y\nproperty float z\nelement face {}", mesh.triangles.len())?;
    writeln!(out, "property list uchar uint vertex_indices\nend_header")?;
    mesh.positions.as_flattened().iter().try_for_each(|c| out.write_all(&c.to_le_bytes()))?;
    mesh.triangles.iter().try_for_each(|t| {
        out.write_all(&[3])?;
        t.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
    })
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
struct Body<'a> {
    rest: &'a [u8],
    line: usize,
}

impl Body<'_> {
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

/// A vertex.
struct Point([f32; 3]);

impl PropertyAccess for Point {
    fn new() -> Self {
        Self([0.0; 3])
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        let axis = ["x", "y", "z"].iter().position(|axis| *axis == name);
        if let (Some(axis), Some(value)) = (axis, value.to_f32_lossy()) {
            self.0[axis] = value;
        }
        PropertyAccessResult::Set
    }
}

/// What lists of corners are called.
const LISTS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// A face by its corners; none if one of them is negative or no whole number.
struct Face(Option<Vec<u32>>);

impl PropertyAccess for Face {
    fn new() -> Self {
        Self(None)
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        if LISTS.contains(&name) {
            self.0 = value.to_u32_list();
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
struct Faces {
    triangles: Vec<[u32; 3]>,
    /// The first of the largest indices, and its face.
    largest: Option<(u32, usize)>,
}

impl Faces {
    /// Each corner from the third on makes a triangle with the two before it; every other one the other way round. Triangles with a
    /// corner twice only lead from one part of a strip to the next.
    fn add_strip(&mut self, at: usize, corners: Option<Vec<i32>>) -> Result<(), String> {
        let corners = corners.ok_or("a corner is no whole number")?;
        for strip in corners.split(|&corner| corner == -1) {
            for (i, three) in strip.windows(3).enumerate() {
                let [a, b, c] = [three[0], three[1], three[2]].map(u32::try_from);
                let (Ok(a), Ok(b), Ok(c)) = (a, b, c) else {
                    return Err("a corner is negative, and not -1".to_owned());
                };
                if a != b && b != c && a != c {
                    self.add(at, Some(if i % 2 == 0 { vec![a, b, c] } else { vec![b, a, c] }))?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, at: usize, corners: Option<Vec<u32>>) -> Result<(), String> {
        let corners = corners.ok_or("a corner is negative, or no whole number")?;
        if corners.len() < 3 {
            return Err(format!("{} corners; a face has three or more", corners.len()));
        }
        if let Some(&most) = corners.iter().max()
            && self.largest.is_none_or(|(largest, _)| most > largest)
        {
            self.largest = Some((most, at));
        }
        self.triangles.extend(fan(&corners));
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
