//! Vertices as keys name them: by number, or as parts and sides of what has some.

use super::near::unknown;
use seidel::mesh::VertexMaps;
use seidel::{Balloon, Cloth, GridPins, Rod, Rope, ShapeMatched, Side, SoftBody};
use std::borrow::Cow;

/// A recipe whose vertices keys name.
pub(super) trait Vertices {
    /// What errors call it.
    const WHAT: &'static str;

    /// Whether it has sides.
    const SIDES: bool = false;

    /// Whether it is a rod, whose material has limits of its own.
    const IS_ROD: bool = false;

    /// Those of a part of a grid, if it is one.
    fn part(&self, _part: GridPins) -> Option<Vec<u32>> {
        None
    }

    /// Those on a side.
    fn on_side(&self, _side: Side) -> Vec<u32> {
        Vec::new()
    }

    /// Where they are at the start, metres.
    fn places(&self) -> Result<Cow<'_, [[f32; 3]]>, String>;
}

impl Vertices for Cloth {
    const WHAT: &'static str = "a mesh";

    fn part(&self, part: GridPins) -> Option<Vec<u32>> {
        self.is_grid().then(|| self.grid_part(part))
    }

    fn places(&self) -> Result<Cow<'_, [[f32; 3]]>, String> {
        Ok(Cow::Borrowed(&self.mesh().positions))
    }
}

impl Vertices for Rope {
    const WHAT: &'static str = "a rope";

    fn places(&self) -> Result<Cow<'_, [[f32; 3]]>, String> {
        Ok(Cow::Borrowed(self.points()))
    }
}

impl Vertices for Rod {
    const WHAT: &'static str = "a rod";

    const IS_ROD: bool = true;

    fn places(&self) -> Result<Cow<'_, [[f32; 3]]>, String> {
        Ok(Cow::Borrowed(self.points()))
    }
}

impl Vertices for Balloon {
    const WHAT: &'static str = "a balloon";

    fn places(&self) -> Result<Cow<'_, [[f32; 3]]>, String> {
        Ok(Cow::Borrowed(&self.mesh().positions))
    }
}

impl Vertices for ShapeMatched {
    const WHAT: &'static str = "a soft shape";

    fn places(&self) -> Result<Cow<'_, [[f32; 3]]>, String> {
        Ok(Cow::Borrowed(&self.mesh().positions))
    }
}

impl Vertices for SoftBody {
    const WHAT: &'static str = "a solid";

    const SIDES: bool = true;

    fn on_side(&self, side: Side) -> Vec<u32> {
        self.side(side)
    }

    fn places(&self) -> Result<Cow<'_, [[f32; 3]]>, String> {
        Ok(Cow::Owned(self.mesh().map_err(|e| e.to_string())?.positions))
    }
}

/// What a file tells of its vertices: their numbers after a repair, its groups and its painted attributes.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// New numbers of the file's vertices, None of those that were dropped; empty: they are as they were.
    pub(super) new: Vec<Option<u32>>,
    /// Of the body's vertices.
    pub(super) maps: VertexMaps,
    /// The file's name; empty if there is none.
    pub(super) file: String,
}

impl Numbers {
    /// Vertices by the numbers that the body has for them.
    pub(super) fn renumbered(&self, of: &str, vertices: &[u32]) -> Result<Vec<u32>, String> {
        if self.new.is_empty() {
            return Ok(vertices.to_vec());
        }
        let new = |&v: &u32| match self.new.get(v as usize) {
            Some(Some(new)) => Ok(*new),
            Some(None) => Err(format!("{of}: vertex {v} is named, and the repair dropped it")),
            None => Err(format!("{of}: vertex {v} does not exist; there are {}", self.new.len())),
        };
        vertices.iter().map(new).collect()
    }

    /// The vertices of a named group.
    pub(super) fn group(&self, of: &str, name: &str) -> Result<&[u32], String> {
        self.of_a_file(of, "group")?;
        let known = || self.maps.groups.iter().map(|(name, _)| &name[..]);
        self.maps.group(name).ok_or_else(|| unknown(of, "group", name, &self.file, known()))
    }

    /// The numbers of a painted attribute, one for each of `count` vertices.
    pub(super) fn attribute(&self, of: &str, name: &str, count: usize) -> Result<&[f32], String> {
        self.of_a_file(of, "attribute")?;
        let known = || self.maps.attributes.iter().map(|(name, _)| &name[..]);
        let numbers = self.maps.attribute(name).ok_or_else(|| unknown(of, "attribute", name, &self.file, known()))?;
        if numbers.len() == count {
            return Ok(numbers);
        }
        Err(format!("{of}: attribute `{name}` has {} numbers, and the body has {count} vertices", numbers.len()))
    }

    fn of_a_file(&self, of: &str, key: &str) -> Result<(), String> {
        if self.file.is_empty() {
            return Err(format!(
                "{of}: `{key}` names what the file of a surface has, and the vertices here are of none; name them by `box`, `ball` or `side`"
            ));
        }
        Ok(())
    }
}
