//! Numbers that a glTF file has for vertices: attributes of its own, colors, weights of a skin's joints.

use crate::Drawn;
use crate::drawn::{Part, groups};
use seidel::mesh::{Mesh, VertexMaps};
use std::collections::HashMap;

/// Most numbers of all attributes together: many primitives may share one accessor.
const MAX_NUMBERS: usize = 1 << 26;

/// Attributes in the order in which they come, each with the drawn vertices that have a number.
#[derive(Debug, Default)]
pub(super) struct Paint {
    places: HashMap<String, usize>,
    attributes: Vec<(String, Vec<(u32, f32)>)>,
    count: usize,
}

impl Paint {
    /// Adds numbers of drawn vertices.
    pub(super) fn add(&mut self, name: &str, numbers: impl ExactSizeIterator<Item = (u32, f32)>) -> Result<(), String> {
        self.room(numbers.len())?;
        self.attribute(name).extend(numbers);
        Ok(())
    }

    /// Adds a color's channels.
    pub(super) fn colors<const N: usize>(&mut self, colors: &[[f32; N]], used: &[(usize, u32)]) -> Result<(), String> {
        let channels = ["color_r", "color_g", "color_b", "color_a"];
        channels
            .into_iter()
            .take(N)
            .enumerate()
            .try_for_each(|(channel, name)| self.add(name, used.iter().map(|&(i, drawn)| (drawn, colors[i][channel]))))
    }

    /// Adds the weights of four joints for each vertex; those without a weight are passed over.
    pub(super) fn weights(
        &mut self,
        names: &[String],
        joints: &[[f32; 4]],
        weights: &[[f32; 4]],
        used: &[(usize, u32)],
    ) -> Result<(), String> {
        for &(i, drawn) in used {
            for (&joint, &weight) in joints[i].iter().zip(&weights[i]).filter(|(_, weight)| **weight != 0.0) {
                let name = names.get(joint as usize);
                let name = name.ok_or_else(|| format!("vertex {i} names joint {joint}; there are {}", names.len()))?;
                self.room(1)?;
                self.attribute(name).push((drawn, weight));
            }
        }
        Ok(())
    }

    fn room(&mut self, more: usize) -> Result<(), String> {
        self.count = self.count.saturating_add(more);
        if self.count > MAX_NUMBERS { Err(too_many()) } else { Ok(()) }
    }

    fn attribute(&mut self, name: &str) -> &mut Vec<(u32, f32)> {
        let place = match self.places.get(name) {
            Some(&place) => place,
            None => {
                self.places.insert(name.to_owned(), self.attributes.len());
                self.attributes.push((name.to_owned(), Vec::new()));
                self.attributes.len() - 1
            }
        };
        &mut self.attributes[place].1
    }

    /// A number for each vertex of the mesh: the first that one of its drawn vertices has, or 0.
    pub(super) fn finish(self, mesh: &Mesh, drawn: &Drawn) -> Result<VertexMaps, String> {
        if self.attributes.len().saturating_mul(mesh.positions.len()) > MAX_NUMBERS {
            return Err(too_many());
        }
        let of_vertices = |numbers: Vec<(u32, f32)>| {
            let mut all = vec![0.0; mesh.positions.len()];
            for (drawn_vertex, number) in numbers.into_iter().rev() {
                all[drawn.vertex[drawn_vertex as usize] as usize] = number;
            }
            all
        };
        let attributes = self.attributes.into_iter().map(|(name, numbers)| (name, of_vertices(numbers))).collect();
        let names = |part: &Part| part.names().map(ToString::to_string).to_vec();
        Ok(VertexMaps { groups: groups(&drawn.parts, &drawn.part, &mesh.triangles, names), attributes })
    }
}

fn too_many() -> String {
    format!("more than {MAX_NUMBERS} numbers of attributes; export fewer attributes or joints")
}
