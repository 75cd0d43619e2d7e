//! A mesh as a binary PLY file.

use super::names::escaped;
use super::painted::{BYTE, COLORS, NORMAL, UVS};
use crate::drawn::Drawn;
use seidel::mesh::Mesh;
use std::collections::HashSet;
use std::io::{self, Write};

/// What stands where in the file. The format has one row a vertex; texture coordinates may stand at the corners of
/// faces instead, in the list `texcoord` that MeshLab and others read, but normals may not.
pub(in crate::mesh) struct Layout<'a> {
    /// For each vertex a drawn vertex, if all drawn vertices of a vertex have the same texture coordinates; and if all
    /// have the same normal.
    uvs: Option<Vec<usize>>,
    normals: Option<Vec<usize>>,
    at_corners: bool,
    columns: Vec<Column<'a>>,
}

/// A painted number of every vertex.
struct Column<'a> {
    name: String,
    numbers: &'a [f32],
    /// Colors that were bytes are bytes again.
    is_byte: bool,
}

/// The byte that is read as this part of 1, if there is one.
fn byte(number: f32) -> Option<u8> {
    let byte = (number * 255.0).round() as u8;
    (f32::from(byte) * BYTE == number).then_some(byte)
}

/// Columns under names that the format allows, none of which is taken.
fn columns(attributes: &[(String, Vec<f32>)]) -> Vec<Column<'_>> {
    let mut taken: HashSet<String> =
        ["x", "y", "z"].into_iter().chain(NORMAL).chain(UVS.concat()).map(str::to_owned).collect();
    let column = |(name, numbers): &'_ (String, Vec<f32>)| {
        let is_byte = COLORS.contains(&name.as_str()) && numbers.iter().all(|&number| byte(number).is_some());
        let mut name = escaped(name);
        while name.is_empty() || !taken.insert(name.clone()) {
            name.push('_');
        }
        (name, is_byte)
    };
    let named: Vec<_> = attributes.iter().map(column).collect();
    let all = named.into_iter().zip(attributes);
    all.map(|((name, is_byte), (_, numbers))| Column { name, numbers, is_byte }).collect()
}

impl<'a> Layout<'a> {
    pub(in crate::mesh) fn new(mesh: &Mesh, drawn: &Drawn, attributes: &'a [(String, Vec<f32>)]) -> Self {
        let mut used = vec![false; drawn.vertex.len()];
        drawn.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
        let has_uvs = used.iter().enumerate().any(|(v, used)| *used && drawn.uv(v, true).is_some());
        let uvs = single(mesh, drawn, &used, |v| drawn.uv(v, true).map(|uv| uv.map(f32::to_bits)));
        let normals = single(mesh, drawn, &used, |v| drawn.normals.get(v).map(|normal| normal.map(f32::to_bits)));
        // A vertex has no way to say that it has none; a corner neither, but that is rare.
        let at_corners = has_uvs && uvs.is_none();
        Self {
            uvs: uvs.filter(|_| has_uvs),
            normals: normals.filter(|_| !drawn.normals.is_empty()),
            at_corners,
            columns: columns(attributes),
        }
    }

    /// What the file has no place for.
    pub(in crate::mesh) fn left_out(&self, drawn: &Drawn) -> Vec<&'static str> {
        let named = |which: usize| drawn.parts.iter().any(|part| !part.names()[which].is_empty());
        let all = [
            (!drawn.normals.is_empty() && self.normals.is_none(), "normals, of which a vertex has several"),
            (named(0) || named(1), "groups"),
            (named(2), "materials"),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, what)| what).collect()
    }

    /// Writes the file. All numbers keep every bit.
    pub(in crate::mesh) fn write(&self, out: &mut impl Write, mesh: &Mesh, drawn: &Drawn) -> io::Result<()> {
        writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", mesh.positions.len())?;
        writeln!(out, "property float x\nproperty float y\nproperty float z")?;
        if self.normals.is_some() {
            writeln!(out, "property float nx\nproperty float ny\nproperty float nz")?;
        }
        if self.uvs.is_some() {
            writeln!(out, "property float s\nproperty float t")?;
        }
        for Column { name, is_byte, .. } in &self.columns {
            writeln!(out, "property {} {name}", if *is_byte { "uchar" } else { "float" })?;
        }
        writeln!(out, "element face {}\nproperty list uchar uint vertex_indices", mesh.triangles.len())?;
        if self.at_corners {
            writeln!(out, "property list uchar float texcoord")?;
        }
        writeln!(out, "end_header")?;
        for (v, position) in mesh.positions.iter().enumerate() {
            floats(out, position)?;
            if let Some(normals) = &self.normals {
                floats(out, &drawn.normals.get(normals[v]).copied().unwrap_or_default())?;
            }
            if let Some(uvs) = &self.uvs {
                floats(out, &drawn.uv(uvs[v], true).unwrap_or_default())?;
            }
            for column in &self.columns {
                match byte(column.numbers[v]).filter(|_| column.is_byte) {
                    Some(byte) => out.write_all(&[byte])?,
                    None => floats(out, &[column.numbers[v]])?,
                }
            }
        }
        for (triangle, corners) in mesh.triangles.iter().zip(&drawn.triangles) {
            out.write_all(&[3])?;
            triangle.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
            if self.at_corners {
                let uvs = corners.map(|v| drawn.uv(v as usize, true));
                // A face without texture coordinates has an empty list.
                let uvs = if uvs.iter().all(Option::is_none) { &[][..] } else { &uvs[..] };
                out.write_all(&[2 * uvs.len() as u8])?;
                uvs.iter().try_for_each(|uv| floats(out, &uv.unwrap_or_default()))?;
            }
        }
        Ok(())
    }
}

/// For each vertex a drawn vertex of it, a number past the last for none; None if two that are used differ in what
/// `value` says.
fn single<T: PartialEq>(mesh: &Mesh, drawn: &Drawn, used: &[bool], value: impl Fn(usize) -> T) -> Option<Vec<usize>> {
    let mut first = vec![usize::MAX; mesh.positions.len()];
    // Those that no triangle uses come last: they count where there is no other.
    for is_used in [true, false] {
        for (v, &vertex) in drawn.vertex.iter().enumerate().filter(|(v, _)| used[*v] == is_used) {
            let first = &mut first[vertex as usize];
            if *first == usize::MAX {
                *first = v;
            } else if is_used && value(*first) != value(v) {
                return None;
            }
        }
    }
    Some(first)
}

fn floats(out: &mut impl Write, numbers: &[f32]) -> io::Result<()> {
    numbers.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))
}
