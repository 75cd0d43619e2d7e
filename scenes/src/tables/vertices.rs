//! Vertices as keys name them: by number, or as parts and sides of what has some.

use seidel::{Balloon, Cloth, GridPins, Rod, Rope, ShapeMatched, Side, SoftBody};
use std::borrow::Cow;

/// A recipe whose vertices keys name.
pub(super) trait Vertices {
    /// What errors call it.
    const WHAT: &'static str;

    /// Whether it has sides.
    const SIDES: bool = false;

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

/// Numbers of a file's vertices after its mesh was repaired, None of those that were dropped; empty: they are as they were.
#[derive(Debug, Default)]
pub(super) struct Numbers(pub(super) Vec<Option<u32>>);

impl Numbers {
    /// Vertices by the numbers that the body has for them.
    pub(super) fn renumbered(&self, of: &str, vertices: &[u32]) -> Result<Vec<u32>, String> {
        if self.0.is_empty() {
            return Ok(vertices.to_vec());
        }
        let new = |&v: &u32| match self.0.get(v as usize) {
            Some(Some(new)) => Ok(*new),
            Some(None) => Err(format!("{of}: vertex {v} is named, and the repair dropped it")),
            None => Err(format!("{of}: vertex {v} does not exist; there are {}", self.0.len())),
        };
        vertices.iter().map(new).collect()
    }
}
