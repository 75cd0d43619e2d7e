//! Meshes to OBJ and PLY files, with what is drawn of them.

use super::ply;
use crate::Error;
use crate::aside::Target;
use crate::drawn::{Drawn, Part};
use crate::source::has_extension;
use seidel::mesh::Mesh;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

/// Writes a mesh: as PLY, binary, if the name ends in `.ply`, else as OBJ. Coordinates keep every bit.
///
/// # Errors
/// [`Error::Write`] if it cannot be written; then there is none, or the one that was there before. [`Error::Format`] if
/// the name is that of a format which is read only.
pub fn write(path: &Path, mesh: &Mesh) -> Result<(), Error> {
    write_drawn(path, mesh, &Drawn::plain(mesh), &[]).map(drop)
}

/// Writes a mesh with its texture coordinates and normals, which keep every bit, and to an OBJ file with the names of
/// its objects, groups and materials; vertices and triangles in their order. A PLY file gets the painted `attributes`,
/// too, a name and a number for each vertex ([`seidel::mesh::VertexMaps`]).
///
/// Returns what a file of that format has no place for, if the mesh has it: of several normals at one vertex a PLY file
/// could keep one, and gets none.
///
/// # Errors
/// As [`write()`]; [`Error::Format`] also if `drawn` or an attribute is not of this mesh.
pub fn write_drawn(
    path: &Path,
    mesh: &Mesh,
    drawn: &Drawn,
    attributes: &[(String, Vec<f32>)],
) -> Result<Vec<&'static str>, Error> {
    let fail = |what: String| Err(Error::Format { path: path.to_owned(), what });
    let is_ply = has_extension(path, "ply");
    let target = Target::new(path)?;
    // What has no ending is no file of a format: a pipe.
    let is_pipe = path.extension().is_none() && (target.is_stream() || path.starts_with("/dev"));
    if !is_pipe && !is_ply && !has_extension(path, "obj") {
        return fail("triangles are written as .obj or .ply; name such a file".to_owned());
    }
    if let Some(what) = drawn.fault(mesh.positions.len()) {
        return fail(what);
    }
    let corners = drawn.triangles.iter().map(|t| t.map(|v| drawn.vertex[v as usize]));
    if !corners.eq(mesh.triangles.iter().copied()) {
        return fail("the drawn triangles are not those of the mesh".to_owned());
    }
    let vertices = mesh.positions.len();
    if let Some((name, numbers)) = attributes.iter().find(|(_, numbers)| numbers.len() != vertices) {
        return fail(format!("attribute {name:?} has {} numbers for {vertices} vertices", numbers.len()));
    }
    if is_ply {
        let layout = ply::Layout::new(mesh, drawn, attributes);
        target.persist(|out| layout.write(out, mesh, drawn))?;
        return Ok(layout.left_out(drawn));
    }
    target.persist(|out| obj(out, mesh, drawn))?;
    Ok(if attributes.is_empty() { Vec::new() } else { vec!["painted numbers"] })
}

/// Numbers lines by their content: each is written once.
struct Lines<const N: usize>(HashMap<[u32; N], u64>);

impl<const N: usize> Lines<N> {
    /// The number of the line, from 1 on, after writing it if it is new.
    fn number(&mut self, out: &mut impl Write, keyword: &str, numbers: [f32; N]) -> io::Result<u64> {
        let (next, bits) = (self.0.len() as u64 + 1, numbers.map(f32::to_bits));
        if let Some(&number) = self.0.get(&bits) {
            return Ok(number);
        }
        write!(out, "{keyword}")?;
        numbers.iter().try_for_each(|x| write!(out, " {x}"))?;
        writeln!(out)?;
        self.0.insert(bits, next);
        Ok(next)
    }
}

fn obj(out: &mut impl Write, mesh: &Mesh, drawn: &Drawn) -> io::Result<()> {
    for library in &drawn.libraries {
        writeln!(out, "mtllib {}", unbroken(library))?;
    }
    for [x, y, z] in &mesh.positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    let (mut uvs, mut normals) = (Lines(HashMap::new()), Lines(HashMap::new()));
    // A corner's `/vt/vn`, for each drawn vertex that a triangle uses.
    let mut used = vec![false; drawn.vertex.len()];
    drawn.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    let mut named = vec![[0; 2]; drawn.vertex.len()];
    for v in (0..drawn.vertex.len()).filter(|&v| used[v]) {
        if let Some(uv) = drawn.uv(v, true) {
            named[v][0] = uvs.number(out, "vt", uv)?;
        }
    }
    for v in (0..drawn.vertex.len()).filter(|&v| used[v]) {
        if let Some(normal) = drawn.normal(v) {
            named[v][1] = normals.number(out, "vn", normal)?;
        }
    }
    let nameless = Part::default();
    let mut now = &nameless;
    for (t, triangle) in drawn.triangles.iter().enumerate() {
        let part = drawn.part_of(t).unwrap_or(&nameless);
        for ((keyword, name), before) in ["o", "g", "usemtl"].into_iter().zip(part.names()).zip(now.names()) {
            if name != before {
                // A line without a name is an error to some readers.
                let name = if name.is_empty() { "none" } else { name };
                writeln!(out, "{keyword} {}", unbroken(name))?;
            }
        }
        now = part;
        write!(out, "f")?;
        for &v in triangle {
            let (vertex, [uv, normal]) = (u64::from(drawn.vertex[v as usize]) + 1, named[v as usize]);
            match (uv, normal) {
                (0, 0) => write!(out, " {vertex}")?,
                (uv, 0) => write!(out, " {vertex}/{uv}")?,
                (0, normal) => write!(out, " {vertex}//{normal}")?,
                (uv, normal) => write!(out, " {vertex}/{uv}/{normal}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A name that no reader goes on with in the next line.
fn unbroken(name: &str) -> String {
    let name = name.trim_end_matches('\\');
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}
