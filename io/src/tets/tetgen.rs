//! TetGen's `.node` and `.ele` files (Si 2015, "TetGen, a Delaunay-Based Quality Tetrahedral Mesh Generator"; its
//! manual, section 5.2).
//!
//! Both begin with a row of counts. Rows end with their line; `#` begins a comment, and empty rows are none.

use crate::source::Excerpt;
use seidel::TetMesh;
use std::fmt::Display;
use std::io::{self, Write};

/// The points of a `.node` file.
pub(super) struct Points {
    pub(super) positions: Vec<[f32; 3]>,
    /// The number of the first: 0 or 1.
    first: u32,
}

/// Reads a `.node` file: `<points> <dimension> <attributes> <markers>`, then `<number> <x> <y> <z> ...`.
pub(super) fn points(bytes: &[u8]) -> Result<Points, String> {
    let mut rows = Rows::new(bytes);
    let header = rows.header("<points> <dimension> <attributes> <markers>, such as `8 3 0 0`")?;
    let [count, dimension, attributes, markers] = header.counts([None, Some(3), Some(0), Some(0)])?;
    if dimension != 3 {
        return Err(header.error(&format!("{dimension} dimensions; 3 are read")));
    }
    if markers > 1 {
        return Err(header.error("more than one boundary marker a point"));
    }
    if count == 0 {
        return Err(header.error("no points; a .poly file keeps them elsewhere, export a .node file"));
    }
    let columns = attributes.saturating_add(4 + markers);
    let mut points = Points { positions: Vec::new(), first: 0 };
    rows.each(count, "points", |row| {
        row.has(columns)?;
        let number: u64 = row.number(0, "the number of a point", "a whole number")?;
        let at = points.positions.len() as u64;
        if at == 0 {
            points.first = number.min(2) as u32;
        }
        if points.first > 1 || number != at + u64::from(points.first) {
            let wanted = if at == 0 { "0 or 1".to_owned() } else { (at + u64::from(points.first)).to_string() };
            return Err(format!("numbered {number}, and should be {wanted}: points are numbered one after another"));
        }
        let coordinate = |k: usize, axis: &str| row.number(k, axis, "a number such as -1.5e-3");
        points.positions.push([coordinate(1, "x")?, coordinate(2, "y")?, coordinate(3, "z")?]);
        Ok(())
    })?;
    Ok(points)
}

/// Reads an `.ele` file: `<tetrahedra> <points of each> <attributes>`, then
/// `<number> <point> <point> <point> <point> ...`.
pub(super) fn tets(bytes: &[u8], points: &Points) -> Result<Vec<[u32; 4]>, String> {
    let mut rows = Rows::new(bytes);
    let header = rows.header("<tetrahedra> <points of each> <attributes>, such as `5 4 0`")?;
    let [count, nodes, attributes] = header.counts([None, Some(4), Some(0)])?;
    if nodes == 10 {
        return Err(header.error(
            "10 points each: tetrahedra of the second order, and those of the first are read; export 4 each (TetGen without -o2)",
        ));
    }
    if nodes != 4 {
        return Err(header.error(&format!("{nodes} points each; tetrahedra have 4")));
    }
    if count == 0 {
        return Err(header.error("no tetrahedra; export the mesh with them"));
    }
    let last = points.first as usize + points.positions.len() - 1;
    let mut tets = Vec::new();
    rows.each(count, "tetrahedra", |row| {
        row.has((1 + nodes).saturating_add(attributes))?;
        let _: u64 = row.number(0, "the number of a tetrahedron", "a whole number")?;
        let mut tet = [0; 4];
        for (k, vertex) in tet.iter_mut().enumerate() {
            let index: i64 = row.number(1 + k, "a corner", "the number of a point")?;
            let first = points.first;
            let found = u32::try_from(index).ok().and_then(|index| index.checked_sub(first));
            *vertex = found
                .filter(|v| (*v as usize) < points.positions.len())
                .ok_or_else(|| format!("corner {index} names no point: they are numbered from {first} to {last}"))?;
        }
        tets.push(tet);
        Ok(())
    })?;
    Ok(tets)
}

/// Writes a `.node` file.
pub(super) fn write_points(out: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    writeln!(out, "{} 3 0 0", mesh.positions.len())?;
    (0..).zip(&mesh.positions).try_for_each(|(v, [x, y, z]): (usize, _)| writeln!(out, "{v} {x} {y} {z}"))
}

/// Writes an `.ele` file.
pub(super) fn write_tets(out: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    writeln!(out, "{} 4 0", mesh.tets.len())?;
    (0..).zip(&mesh.tets).try_for_each(|(t, [a, b, c, d]): (usize, _)| writeln!(out, "{t} {a} {b} {c} {d}"))
}

/// The rows of a file that are neither empty nor a comment.
struct Rows<'a> {
    rest: &'a [u8],
    /// The number of the line before.
    line: usize,
}

/// A row by its words, and the number of its line.
struct Row<'a> {
    line: usize,
    text: &'a str,
    words: Vec<&'a str>,
}

/// Words that are kept of a row: all that are read, and those of a header.
const WORDS: usize = 8;

impl<'a> Rows<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self { rest: bytes, line: 0 }
    }

    fn next(&mut self) -> Result<Option<Row<'a>>, String> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
            let bytes = self.rest[..end].split(|&b| b == b'#').next().unwrap_or_default();
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            self.line += 1;
            let line = self.line;
            let text = std::str::from_utf8(bytes)
                .map_err(|_| format!("line {line}: not UTF-8 text; export the mesh again"))?;
            let text = text.trim();
            if !text.is_empty() {
                return Ok(Some(Row { line, text, words: text.split_whitespace().take(WORDS).collect() }));
            }
        }
        Ok(None)
    }

    fn header(&mut self, what: &str) -> Result<Row<'a>, String> {
        self.next()?.ok_or_else(|| format!("empty; it begins with {what}"))
    }

    /// Calls `read` for each of the `count` rows that have to be there; what `count` says is believed when they are.
    fn each(
        &mut self,
        count: usize,
        what: &str,
        mut read: impl FnMut(&Row<'a>) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut so_far = 0;
        while let Some(row) = self.next()? {
            if so_far == count {
                return Err(row.error(&format!("the first row says {count} {what}, and here is one more")));
            }
            read(&row).map_err(|what| row.error(&what))?;
            so_far += 1;
        }
        if so_far < count {
            return Err(format!("the first row says {count} {what}, and there are {so_far}; the file is cut short"));
        }
        Ok(())
    }
}

impl Row<'_> {
    fn error(&self, what: &str) -> String {
        format!("line {}: {what} in `{}`", self.line, Excerpt(self.text))
    }

    /// The counts of a header; those that are missing have a default.
    fn counts<const N: usize>(&self, defaults: [Option<usize>; N]) -> Result<[usize; N], String> {
        let mut counts = [0; N];
        for (k, (count, default)) in counts.iter_mut().zip(defaults).enumerate() {
            *count = match (self.words.get(k), default) {
                (None, Some(default)) => default,
                _ => self.number(k, "a count of the first row", "a whole number").map_err(|what| self.error(&what))?,
            };
        }
        Ok(counts)
    }

    /// Whether there are so many columns.
    fn has(&self, columns: usize) -> Result<(), String> {
        let found =
            if columns <= WORDS { self.words.len() } else { self.text.split_whitespace().take(columns).count() };
        if found < columns {
            return Err(format!("{found} columns, where the first row asks for {columns}"));
        }
        Ok(())
    }

    fn number<T: std::str::FromStr>(&self, k: usize, what: &str, such: impl Display) -> Result<T, String> {
        let word = self.words.get(k).ok_or_else(|| format!("{what} is missing"))?;
        word.parse().map_err(|_| format!("{what}: `{}` is not {such}", Excerpt(word)))
    }
}
