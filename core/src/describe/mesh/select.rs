//! Vertices of named groups and painted attributes, before and after a repair.

use super::Repairs;
use super::maps::VertexMaps;

impl VertexMaps {
    /// The vertices of a group, in rising order; None if no group has this name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&[u32]> {
        self.groups.iter().find(|(of, _)| of == name).map(|(_, vertices)| &vertices[..])
    }

    /// The numbers of a painted attribute, one a vertex; None if no attribute has this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&[f32]> {
        self.attributes.iter().find(|(of, _)| of == name).map(|(_, numbers)| &numbers[..])
    }

    /// The vertices whose number of a painted attribute is above a threshold, in rising order; None if no attribute has
    /// this name.
    ///
    /// # Example
    /// ```
    /// let maps = seidel::mesh::VertexMaps { attributes: vec![("stiff".to_owned(), vec![0.0, 0.7, 0.5])], ..Default::default() };
    /// assert_eq!(maps.above("stiff", 0.5).unwrap(), [1]);
    /// assert!(maps.above("soft", 0.5).is_none());
    /// ```
    #[must_use]
    pub fn above(&self, name: &str, threshold: f32) -> Option<Vec<u32>> {
        let numbers = self.attribute(name)?;
        Some((0..).zip(numbers).filter(|(_, number)| **number > threshold).map(|(vertex, _)| vertex).collect())
    }

    /// The same of the mesh that a repair has made. Where it has merged vertices, a group keeps the merged one if it
    /// had any of them, and an attribute has the number of the first.
    #[must_use]
    pub fn repaired(&self, repairs: &Repairs) -> VertexMaps {
        let map = &repairs.vertex_map;
        // A mesh that is too large comes back as it was.
        if map.is_empty() {
            return self.clone();
        }
        let new = |old: usize| map.get(old).copied().flatten();
        let group = |(name, vertices): &(String, Vec<u32>)| {
            let mut vertices: Vec<u32> = vertices.iter().filter_map(|&v| new(v as usize)).collect();
            vertices.sort_unstable();
            vertices.dedup();
            (name.clone(), vertices)
        };
        let count = map.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        let attribute = |(name, numbers): &(String, Vec<f32>)| {
            let mut kept = vec![0.0; count];
            // Backwards, so that the first of what was merged is written last.
            for (old, &number) in numbers.iter().enumerate().rev() {
                if let Some(new) = new(old) {
                    kept[new as usize] = number;
                }
            }
            (name.clone(), kept)
        };
        VertexMaps {
            groups: self.groups.iter().map(group).collect(),
            attributes: self.attributes.iter().map(attribute).collect(),
        }
    }
}
