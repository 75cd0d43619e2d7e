//! What is drawn of a mesh, beside what is simulated: corners at one place that differ in texture coordinates or normals.

use seidel::mesh::Mesh;

/// The drawn mesh of a simulated one: where a seam of the texture or a hard edge runs, one physics vertex is drawn as
/// several. As [`crate::mesh::read_drawn`] returns it, its triangles are those of the simulated mesh, one by one and corner by corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Physics vertex of each drawn vertex.
    pub vertex: Vec<u32>,
    /// Corners, drawn vertices, three a triangle; counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates of each drawn vertex, from the upper left corner of the image as in glTF; [0, 0] where the source
    /// has none. Empty if it has none at all.
    pub uvs: Vec<[f32; 2]>,
    /// The source's normals of each drawn vertex, in the shape at rest; zeros where it has none. Empty if it has none at all.
    pub normals: Vec<[f32; 3]>,
}

impl Drawn {
    /// A mesh that is drawn as it is simulated.
    #[must_use]
    pub fn plain(mesh: &Mesh) -> Self {
        let vertex = (0..mesh.positions.len() as u32).collect();
        Self { vertex, triangles: mesh.triangles.clone(), ..Self::default() }
    }

    /// What is left of it after a repair ([`Mesh::repaired`]): `vertex_map` has the new number of each physics vertex, and
    /// `triangles` are those that were kept, in their order. None if they are not a part of this mesh's.
    #[must_use]
    pub fn repaired(&self, vertex_map: &[Option<u32>], triangles: &[[u32; 3]]) -> Option<Self> {
        let new = |&drawn: &u32| vertex_map.get(*self.vertex.get(drawn as usize)? as usize).copied().flatten();
        let mut left = triangles.iter().peekable();
        let mut kept = Self::default();
        let mut numbers = vec![None; self.vertex.len()];
        for triangle in &self.triangles {
            let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|k: usize| new(&triangle[k])) else { continue };
            if left.next_if(|next| **next == [a, b, c]).is_none() {
                continue;
            }
            let mut corners = [0; 3];
            for ((corner, &drawn), vertex) in corners.iter_mut().zip(triangle).zip([a, b, c]) {
                let drawn = drawn as usize;
                *corner = *numbers[drawn].get_or_insert_with(|| {
                    kept.vertex.push(vertex);
                    kept.uvs.extend(self.uvs.get(drawn));
                    kept.normals.extend(self.normals.get(drawn));
                    kept.vertex.len() as u32 - 1
                });
            }
            kept.triangles.push(corners);
        }
        left.next().is_none().then_some(kept)
    }

    /// Says what does not fit together, or to a body of `vertices` vertices.
    pub(crate) fn fault(&self, vertices: usize) -> Option<String> {
        let count = self.vertex.len();
        let lengths = [("texture coordinates", self.uvs.len()), ("normals", self.normals.len())];
        if let Some((what, got)) = lengths.into_iter().find(|&(_, got)| got != 0 && got != count) {
            return Some(format!("{count} drawn vertices have {got} {what}"));
        }
        if let Some(v) = self.vertex.iter().find(|&&v| v as usize >= vertices) {
            return Some(format!("a drawn vertex names vertex {v}; there are {vertices}"));
        }
        let outside = |t: &&[u32; 3]| t.iter().any(|&v| v as usize >= count);
        self.triangles.iter().find(outside).map(|t| format!("the drawn triangle {t:?} ends past the last of {count}"))
    }
}
