//! What is drawn of a mesh, beside what is simulated: corners at one place that differ in texture coordinates or
//! normals, and the names of groups and materials.

mod groups;
mod parts;

pub(crate) use groups::groups;
pub use parts::Part;
pub(crate) use parts::{Parts, Runs, RunsOf};
use seidel::mesh::Mesh;
use std::collections::HashMap;

/// The drawn mesh of a simulated one: where a seam of the texture or a hard edge runs, one physics vertex is drawn as
/// several. As [`crate::mesh::read_drawn`] returns it, its triangles are those of the simulated mesh, one by one and
/// corner by corner.
///
/// Of OBJ, PLY and STL files drawn vertex v is the first copy of physics vertex v, which is the file's vertex v;
/// further copies follow after all of these. A mesh without seams is drawn with the file's vertices in the file's
/// order. Of glTF files, which store the copies, drawn vertices are those that the file stores and its triangles use,
/// in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Physics vertex of each drawn vertex.
    pub vertex: Vec<u32>,
    /// Corners, drawn vertices, three a triangle; counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates of each drawn vertex, as the source has them; [`Drawn::NO_UV`] where it has none. Empty if
    /// it has none at all.
    pub uvs: Vec<[f32; 2]>,
    /// Whether v of `uvs` goes up from the lower edge of the image, as in OBJ and PLY files, and not down from its
    /// upper edge, as in glTF.
    pub v_up: bool,
    /// The source's normals of each drawn vertex, in the shape at rest; zeros where it has none. Empty if it has none
    /// at all.
    pub normals: Vec<[f32; 3]>,
    /// Names of objects, groups and materials. Empty if the source has none.
    pub parts: Vec<Part>,
    /// For each triangle an index into `parts`; empty if there are none.
    pub part: Vec<u32>,
    /// What the `mtllib` lines of an OBJ file name, one entry a line; these files are not read.
    pub libraries: Vec<String>,
    /// Data of the source that is not read, in words: of a PLY file numbers of faces, and rows of other elements.
    pub unread: Vec<String>,
}

impl Drawn {
    /// Texture coordinates of a corner that has none: negative zeros, which no reader here returns for a corner that
    /// has some.
    pub const NO_UV: [f32; 2] = [-0.0, -0.0];

    /// A mesh that is drawn as it is simulated.
    #[must_use]
    pub fn plain(mesh: &Mesh) -> Self {
        let vertex = (0..mesh.positions.len() as u32).collect();
        Self { vertex, triangles: mesh.triangles.clone(), ..Self::default() }
    }

    /// Texture coordinates as a source has them, none of which is [`Drawn::NO_UV`].
    pub(crate) fn given(uv: [f32; 2]) -> [f32; 2] {
        uv.map(|c| c + 0.0)
    }

    /// The texture coordinates of a drawn vertex with v going up or down; None where the source has none.
    pub(crate) fn uv(&self, drawn: usize, v_up: bool) -> Option<[f32; 2]> {
        let uv = self.uvs.get(drawn).filter(|uv| uv.map(f32::to_bits) != Self::NO_UV.map(f32::to_bits))?;
        Some([uv[0], if self.v_up == v_up { uv[1] } else { 1.0 - uv[1] }])
    }

    /// The source's normal of a drawn vertex; None where it has none.
    pub(crate) fn normal(&self, drawn: usize) -> Option<[f32; 3]> {
        self.normals.get(drawn).copied().filter(|normal| *normal != [0.0; 3])
    }

    /// The part of a triangle.
    pub(crate) fn part_of(&self, triangle: usize) -> Option<&Part> {
        self.parts.get(*self.part.get(triangle)? as usize)
    }

    /// The same with drawn vertex v as the first copy of physics vertex v, for each v below `vertices`, also one that
    /// no triangle uses; then the other copies in the order that they had. Copies that agree in everything become one.
    pub(crate) fn ordered(self, vertices: usize) -> Self {
        const NONE: usize = usize::MAX;
        let key = |drawn: usize| {
            let uv = self.uvs.get(drawn).map(|uv| uv.map(f32::to_bits));
            (self.vertex[drawn], uv, self.normals.get(drawn).map(|normal| normal.map(f32::to_bits)))
        };
        let mut first = vec![NONE; vertices];
        let mut source: Vec<usize> = Vec::new();
        let mut numbers = HashMap::new();
        let new: Vec<u32> = (0..self.vertex.len())
            .map(|drawn| {
                let vertex = self.vertex[drawn] as usize;
                match first[vertex] {
                    NONE => {
                        first[vertex] = drawn;
                        vertex as u32
                    }
                    other if key(other) == key(drawn) => vertex as u32,
                    _ => *numbers.entry(key(drawn)).or_insert_with(|| {
                        source.push(drawn);
                        (vertices + source.len() - 1) as u32
                    }),
                }
            })
            .collect();
        let all = || first.iter().chain(&source).map(|&drawn| (drawn != NONE).then_some(drawn));
        let uvs = all().map(|drawn| drawn.map_or(Self::NO_UV, |drawn| self.uvs[drawn]));
        let normals = all().map(|drawn| drawn.map_or([0.0; 3], |drawn| self.normals[drawn]));
        Self {
            vertex: (0..vertices as u32).chain(source.iter().map(|&drawn| self.vertex[drawn])).collect(),
            triangles: self.triangles.iter().map(|t| t.map(|drawn| new[drawn as usize])).collect(),
            uvs: if self.uvs.is_empty() { Vec::new() } else { uvs.collect() },
            normals: if self.normals.is_empty() { Vec::new() } else { normals.collect() },
            v_up: self.v_up,
            parts: self.parts,
            part: self.part,
            libraries: self.libraries,
            unread: self.unread,
        }
    }

    /// What is left of it after a repair ([`Mesh::repaired`]): `vertex_map` has the new number of each physics vertex,
    /// and `triangles` are those that were kept, in their order. Drawn vertices stay in their order. None if the
    /// triangles are not a part of this mesh's, or if the arrays do not fit together.
    #[must_use]
    pub fn repaired(&self, vertex_map: &[Option<u32>], triangles: &[[u32; 3]]) -> Option<Self> {
        if self.fault(vertex_map.len()).is_some() {
            return None;
        }
        let new = |&drawn: &u32| vertex_map.get(*self.vertex.get(drawn as usize)? as usize).copied().flatten();
        let mut left = triangles.iter().peekable();
        let mut kept = Self { v_up: self.v_up, libraries: self.libraries.clone(), ..Self::default() };
        kept.unread.clone_from(&self.unread);
        kept.parts.clone_from(&self.parts);
        for (at, triangle) in self.triangles.iter().enumerate() {
            let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|k: usize| new(&triangle[k])) else { continue };
            if left.next_if(|next| **next == [a, b, c]).is_some() {
                kept.triangles.push(*triangle);
                kept.part.extend(self.part.get(at));
            }
        }
        if left.next().is_some() {
            return None;
        }
        const UNUSED: u32 = u32::MAX;
        let mut numbers = vec![UNUSED; self.vertex.len()];
        kept.triangles.iter().flatten().for_each(|&drawn| numbers[drawn as usize] = 0);
        for (drawn, number) in numbers.iter_mut().enumerate().filter(|(_, number)| **number != UNUSED) {
            *number = kept.vertex.len() as u32;
            // It is a corner of a triangle all of whose vertices are there.
            kept.vertex.push(new(&(drawn as u32))?);
            kept.uvs.extend(self.uvs.get(drawn));
            kept.normals.extend(self.normals.get(drawn));
        }
        kept.triangles.iter_mut().flatten().for_each(|drawn| *drawn = numbers[*drawn as usize]);
        let in_order = (0..vertex_map.len() as u32).eq(self.vertex.iter().copied().take(vertex_map.len()));
        let vertices = kept.vertex.iter().max().map_or(0, |&last| last as usize + 1);
        Some(if in_order { kept.ordered(vertices) } else { kept })
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
        let (triangles, parts) = (self.triangles.len(), self.parts.len());
        if ![0, triangles].contains(&self.part.len()) {
            return Some(format!("{triangles} drawn triangles have {} parts", self.part.len()));
        }
        if let Some(part) = self.part.iter().find(|&&part| part as usize >= parts) {
            return Some(format!("a drawn triangle names part {part}; there are {parts}"));
        }
        let outside = |t: &&[u32; 3]| t.iter().any(|&v| v as usize >= count);
        self.triangles.iter().find(outside).map(|t| format!("the drawn triangle {t:?} ends past the last of {count}"))
    }
}
