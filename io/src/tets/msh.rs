//! Gmsh's `.msh` files, versions 2 and 4.1, text and binary (Geuzaine, Remacle 2009, "Gmsh: a 3-D finite element mesh
//! generator"; its manual, "MSH file format").
//!
//! Not read: version 4.0 and 1; files with solids other than tetrahedra, since what is left of such a mesh would have
//! holes.

use super::numbers::{Encoding, Numbers};
use crate::source::Excerpt;
use seidel::TetMesh;

/// Number of nodes by the number of an element's type; 0 is no type.
const NODES: [usize; 32] =
    [0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20, 35, 56];

/// The types of tetrahedra, of first to fifth order: their first four nodes are the corners.
const TETS: [i32; 5] = [4, 11, 29, 30, 31];

/// The types of other solids, by name.
const SOLIDS: [(i32, &str); 11] = [
    (5, "hexahedron"),
    (6, "prism"),
    (7, "pyramid"),
    (12, "hexahedron"),
    (13, "prism"),
    (14, "pyramid"),
    (17, "hexahedron"),
    (18, "prism"),
    (19, "pyramid"),
    (92, "hexahedron"),
    (93, "hexahedron"),
];

/// The two versions that are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    FourOne,
}

/// What was read so far; nodes have names, which any numbers may be.
#[derive(Default)]
struct MshParts {
    /// A node's name, and its place among them.
    names: Vec<(u64, u32)>,
    positions: Vec<[f32; 3]>,
    tets: Vec<[u64; 4]>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<TetMesh, String> {
    let mut numbers = Numbers::new(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    if numbers.word() != Some("$MeshFormat") {
        return Err("it does not begin with $MeshFormat; it is empty, or not a .msh file of Gmsh".to_owned());
    }
    let (version, encoding) = format(&mut numbers)?;
    let mut parts = MshParts::default();
    while let Some(word) = numbers.word() {
        let section = word.strip_prefix('$').filter(|name| !name.starts_with("End"));
        let Some(section) = section else {
            return Err(numbers.error(&format!("`{}` where a section such as $Nodes should begin", Excerpt(word))));
        };
        let is_nodes = section == "Nodes";
        if is_nodes || section == "Elements" {
            if is_nodes && !parts.names.is_empty() {
                return Err(numbers.error("a second section $Nodes"));
            }
            numbers.end_line();
            numbers.encoding = encoding;
            match (is_nodes, version) {
                (true, Version::Two) => parts.nodes_2(&mut numbers)?,
                (true, Version::FourOne) => parts.nodes_4(&mut numbers)?,
                (false, Version::Two) => parts.elements_2(&mut numbers)?,
                (false, Version::FourOne) => parts.elements_4(&mut numbers)?,
            }
            numbers.encoding = Encoding::Text;
            let end = numbers.word().unwrap_or_default();
            if end.strip_prefix("$End") != Some(section) {
                let what = format!("`{}` where $End{section} should be", Excerpt(end));
                return Err(numbers.error(&what));
            }
        } else if !numbers.skip_to(&format!("$End{section}")) {
            return Err(format!("section ${} has no end; the file is cut short", Excerpt(section)));
        }
    }
    parts.mesh()
}

/// The section that says how all others are written.
fn format(numbers: &mut Numbers<'_>) -> Result<(Version, Encoding), String> {
    let version = match numbers.word().unwrap_or_default() {
        "2" | "2.0" | "2.1" | "2.2" => Version::Two,
        "4.1" => Version::FourOne,
        other => {
            let what = format!("version `{}`; 2 and 4.1 are read: export as one of them", Excerpt(other));
            return Err(numbers.error(&what));
        }
    };
    let is_binary = numbers.int("the file type")?;
    let size = numbers.int("the size of numbers")?;
    if !(0..=1).contains(&is_binary) || size != 8 {
        return Err(
            numbers.error(&format!("file type {is_binary} with numbers of {size} bytes; 0 or 1 with 8 are read"))
        );
    }
    let mut encoding = Encoding::Text;
    if is_binary == 1 {
        numbers.end_line();
        numbers.encoding = Encoding::Little;
        encoding = match numbers.int("the number 1")?.to_le_bytes() {
            [1, 0, 0, 0] => Encoding::Little,
            [0, 0, 0, 1] => Encoding::Big,
            _ => return Err(numbers.error("the number that tells the order of bytes is not 1")),
        };
        numbers.encoding = Encoding::Text;
    }
    if numbers.word() != Some("$EndMeshFormat") {
        return Err(numbers.error("no $EndMeshFormat behind the version"));
    }
    Ok((version, encoding))
}

/// The number of nodes of a type of elements, if it is known and no solid that cannot be read.
fn nodes(kind: i32, numbers: &Numbers<'_>) -> Result<usize, String> {
    if let Some((_, name)) = SOLIDS.iter().find(|(solid, _)| *solid == kind) {
        return Err(numbers.error(&format!("a {name}; tetrahedra alone are read: mesh the volume with them")));
    }
    let known = usize::try_from(kind).ok().and_then(|kind| NODES.get(kind)).filter(|nodes| **nodes > 0);
    known.copied().ok_or_else(|| numbers.error(&format!("an element of type {kind}, which is not known; 1 to 31 are")))
}

impl MshParts {
    fn node(&mut self, name: u64, numbers: &mut Numbers<'_>) -> Result<(), String> {
        self.names.push((name, self.positions.len() as u32));
        self.place(numbers)
    }

    fn place(&mut self, numbers: &mut Numbers<'_>) -> Result<(), String> {
        self.positions.push([numbers.double("x")?, numbers.double("y")?, numbers.double("z")?]);
        Ok(())
    }

    /// `count`, then `name x y z` each.
    fn nodes_2(&mut self, numbers: &mut Numbers<'_>) -> Result<(), String> {
        let count = in_text(numbers, |numbers| numbers.size("the number of nodes"))?;
        for _ in 0..count {
            let name = unsigned(numbers, "the name of a node")?;
            self.node(name, numbers)?;
        }
        Ok(())
    }

    /// `blocks nodes least greatest`, then blocks of `dimension entity parametric count`, names, and places.
    fn nodes_4(&mut self, numbers: &mut Numbers<'_>) -> Result<(), String> {
        let blocks = numbers.size("the number of blocks")?;
        let count = numbers.size("the number of nodes")?;
        for what in ["the least name", "the greatest name"] {
            numbers.size(what)?;
        }
        for _ in 0..blocks {
            let dimension = numbers.int("the dimension of an entity")?;
            numbers.int("the name of an entity")?;
            let parametric = numbers.int("whether there are parameters")?;
            if !(0..=3).contains(&dimension) || !(0..=1).contains(&parametric) {
                let what =
                    format!("a block of dimension {dimension}, parametric {parametric}; 0 to 3 and 0 or 1 are meant");
                return Err(numbers.error(&what));
            }
            let here = numbers.size("the number of nodes of a block")?;
            for _ in 0..here {
                self.names.push((numbers.size("the name of a node")?, self.names.len() as u32));
            }
            for _ in 0..here {
                self.place(numbers)?;
                for _ in 0..parametric * dimension {
                    numbers.double("a parameter")?;
                }
            }
        }
        if count != self.positions.len() as u64 {
            let what = format!("{} nodes, where the section says {count}", self.positions.len());
            return Err(numbers.error(&what));
        }
        Ok(())
    }

    /// `count`; then each `name type tags tag... node...`, in binary files by blocks of `type count tags`.
    fn elements_2(&mut self, numbers: &mut Numbers<'_>) -> Result<(), String> {
        let mut left = in_text(numbers, |numbers| numbers.size("the number of elements"))?;
        while left > 0 {
            let is_text = numbers.encoding == Encoding::Text;
            if is_text {
                numbers.int("the name of an element")?;
            }
            let kind = numbers.int("the type of an element")?;
            let nodes = nodes(kind, numbers)?;
            let here = if is_text { 1 } else { unsigned(numbers, "the number of elements of a block")? };
            let tags = unsigned(numbers, "the number of tags")?;
            if here == 0 || here > left {
                return Err(numbers.error(&format!("a block of {here} elements, where {left} are left")));
            }
            left -= here;
            for _ in 0..here {
                if !is_text {
                    numbers.int("the name of an element")?;
                }
                for _ in 0..tags {
                    numbers.int("a tag")?;
                }
                self.element(kind, nodes, numbers, |numbers| unsigned(numbers, "a node of an element"))?;
            }
        }
        Ok(())
    }

    /// `blocks elements least greatest`, then blocks of `dimension entity type count` and `name node...` each.
    fn elements_4(&mut self, numbers: &mut Numbers<'_>) -> Result<(), String> {
        let blocks = numbers.size("the number of blocks")?;
        for what in ["the number of elements", "the least name", "the greatest name"] {
            numbers.size(what)?;
        }
        for _ in 0..blocks {
            for what in ["the dimension of an entity", "the name of an entity"] {
                numbers.int(what)?;
            }
            let kind = numbers.int("the type of elements")?;
            let nodes = nodes(kind, numbers)?;
            for _ in 0..numbers.size("the number of elements of a block")? {
                numbers.size("the name of an element")?;
                self.element(kind, nodes, numbers, |numbers| numbers.size("a node of an element"))?;
            }
        }
        Ok(())
    }

    fn element(
        &mut self,
        kind: i32,
        nodes: usize,
        numbers: &mut Numbers<'_>,
        mut next: impl FnMut(&mut Numbers<'_>) -> Result<u64, String>,
    ) -> Result<(), String> {
        let mut corners = [0; 4];
        for k in 0..nodes {
            let node = next(numbers)?;
            if let Some(corner) = corners.get_mut(k) {
                *corner = node;
            }
        }
        if TETS.contains(&kind) {
            self.tets.push(corners);
        }
        Ok(())
    }

    /// The mesh, with places for names.
    fn mesh(mut self) -> Result<TetMesh, String> {
        if self.names.is_empty() {
            return Err("no nodes; export the mesh with them".to_owned());
        }
        if self.tets.is_empty() {
            let nodes = self.names.len();
            return Err(format!(
                "{nodes} nodes, but no tetrahedra; mesh the volume, not its surface alone, and export that"
            ));
        }
        self.names.sort_unstable();
        if let Some(pair) = self.names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("two nodes have the name {}", pair[0].0));
        }
        let place = |t: usize, name: u64| {
            let at = self.names.binary_search_by_key(&name, |(name, _)| *name);
            at.map(|at| self.names[at].1)
                .map_err(|_| format!("tetrahedron {} of the file names a node {name}, and there is none", t + 1))
        };
        let mut tets = Vec::with_capacity(self.tets.len());
        for (t, &[a, b, c, d]) in self.tets.iter().enumerate() {
            tets.push([place(t, a)?, place(t, b)?, place(t, c)?, place(t, d)?]);
        }
        Ok(TetMesh { positions: self.positions, tets })
    }
}

/// Counts of version 2 are text in binary files, too, on a line of their own.
fn in_text(
    numbers: &mut Numbers<'_>,
    read: impl FnOnce(&mut Numbers<'_>) -> Result<u64, String>,
) -> Result<u64, String> {
    let encoding = std::mem::replace(&mut numbers.encoding, Encoding::Text);
    let count = read(numbers)?;
    if encoding != Encoding::Text {
        numbers.end_line();
    }
    numbers.encoding = encoding;
    Ok(count)
}

/// An integer that is a count or a name.
fn unsigned(numbers: &mut Numbers<'_>, what: &str) -> Result<u64, String> {
    let value = numbers.int(what)?;
    u64::try_from(value).map_err(|_| numbers.error(&format!("{what} is {value}")))
}
