//! Meshes of nodes, primitive by primitive, into one simulated and one drawn mesh.

use super::accessor::Accessors;
use super::buffers::Buffers;
use super::node::Transform;
use super::{MAX_ELEMENTS, called};
use crate::Drawn;
use ::gltf::json::accessor::Type;
use ::gltf::json::mesh::{Mode, Primitive, Semantic};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Index, Root};
use seidel::mesh::Mesh;

/// What has been read so far.
pub(super) struct Reader<'a> {
    accessors: Accessors<'a>,
    mesh: Mesh,
    drawn: Drawn,
    any_uv: bool,
    any_normal: bool,
    /// Vertices and corners that may still come.
    room: [usize; 2],
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Root, buffers: &'a Buffers<'a>) -> Self {
        Self {
            accessors: Accessors { root, buffers },
            mesh: Mesh::default(),
            drawn: Drawn::default(),
            any_uv: false,
            any_normal: false,
            room: [MAX_ELEMENTS; 2],
        }
    }

    /// Adds the mesh of a node.
    pub(super) fn node(&mut self, index: usize, transform: &Transform) -> Result<(), String> {
        let meshes = &self.accessors.root.meshes;
        let mesh = meshes.get(index).ok_or_else(|| format!("names mesh {index}; there are {}", meshes.len()))?;
        let first = self.drawn.vertex.len();
        // As in the file, until vertices at one place are joined.
        let mut local = Vec::new();
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            let of = |what| format!("{}, primitive {k}: {what}", called("mesh", index, mesh.name.as_ref()));
            self.primitive(primitive, transform, &mut local).map_err(of)?;
        }
        // Without a tolerance and within the limit there is nothing to refuse.
        let same = seidel_hash::coincident(&local, 0.0).map_err(|e| e.to_string())?;
        for (i, &same) in same.iter().enumerate() {
            let vertex = if same as usize == i {
                self.mesh.positions.push(transform.point(local[i]));
                self.mesh.positions.len() as u32 - 1
            } else {
                self.drawn.vertex[first + same as usize]
            };
            self.drawn.vertex.push(vertex);
        }
        for triangle in &self.drawn.triangles[self.mesh.triangles.len()..] {
            self.mesh.triangles.push(triangle.map(|v| self.drawn.vertex[v as usize]));
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> (Mesh, Drawn) {
        if !self.any_uv {
            self.drawn.uvs.clear();
        }
        if !self.any_normal {
            self.drawn.normals.clear();
        }
        (self.mesh, self.drawn)
    }

    /// Adds the triangles of a primitive, and the vertices that they use.
    fn primitive(&mut self, of: &Primitive, transform: &Transform, local: &mut Vec<[f32; 3]>) -> Result<(), String> {
        let Checked::Valid(mode) = of.mode else { return Err("an unknown mode".to_owned()) };
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(());
        }
        let attribute = |semantic| of.attributes.get(&Checked::Valid(semantic)).copied();
        let position = attribute(Semantic::Positions).ok_or("has no POSITION")?;
        self.accessors.position(position)?;
        let vertices = self.accessors.count(position)?;
        let corners = of.indices.map_or(Ok(vertices), |index| self.accessors.count(index))?;
        for ((room, more), what) in self.room.iter_mut().zip([vertices, corners]).zip(["vertices", "corners"]) {
            // An empty primitive counts too: many nodes may show many of them.
            let left = usize::try_from(more).ok().and_then(|more| room.checked_sub(more.max(1)));
            *room = left.ok_or_else(|| format!("more than {MAX_ELEMENTS} {what}, with those of the nodes before"))?;
        }
        let positions = self.accessors.vectors::<3>(position, Type::Vec3)?;
        let corners = match of.indices {
            Some(index) => self.accessors.indices(index)?,
            None => (0..positions.len() as u32).collect(),
        };
        if let Some(i) = corners.iter().position(|&v| v as usize >= positions.len()) {
            let (v, count) = (corners[i], positions.len());
            return Err(format!("corner {i} names vertex {v}; there are {count}"));
        }
        let uvs = self.beside::<2>(attribute(Semantic::TexCoords(0)), Type::Vec2, positions.len())?;
        let normals = self.beside::<3>(attribute(Semantic::Normals), Type::Vec3, positions.len())?;
        self.any_uv |= uvs.is_some();
        self.any_normal |= normals.is_some();
        let mut triangles = triangles(mode, &corners)?;

        const UNUSED: u32 = u32::MAX;
        let mut number = vec![UNUSED; positions.len()];
        for &v in triangles.iter().flatten() {
            number[v as usize] = 0;
        }
        for (i, number) in number.iter_mut().enumerate().filter(|(_, number)| **number != UNUSED) {
            *number = self.drawn.uvs.len() as u32;
            local.push(positions[i]);
            self.drawn.uvs.push(uvs.as_ref().map_or([0.0; 2], |uvs| uvs[i]));
            self.drawn.normals.push(normals.as_ref().map_or([0.0; 3], |normals| transform.normal(normals[i])));
        }
        if transform.mirrors() {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        self.drawn.triangles.extend(triangles.iter().map(|t| t.map(|v| number[v as usize])));
        Ok(())
    }

    /// An attribute that stands beside the positions.
    fn beside<const N: usize>(
        &self,
        index: Option<Index<::gltf::json::Accessor>>,
        type_: Type,
        count: usize,
    ) -> Result<Option<Vec<[f32; N]>>, String> {
        let Some(index) = index else { return Ok(None) };
        let got = self.accessors.count(index)?;
        if got != count as u64 {
            return Err(format!("accessor {index} has {got} elements for {count} vertices"));
        }
        self.accessors.vectors(index, type_).map(Some)
    }
}

fn triangles(mode: Mode, corners: &[u32]) -> Result<Vec<[u32; 3]>, String> {
    let all = match mode {
        Mode::TriangleStrip => {
            let strip = corners.windows(3).enumerate();
            let turned = strip.map(|(i, t)| if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[0], t[2], t[1]] });
            turned.filter(|[a, b, c]| a != b && b != c && c != a).collect()
        }
        Mode::TriangleFan => corners.windows(2).skip(1).map(|t| [t[0], t[1], corners[0]]).collect(),
        _ if !corners.len().is_multiple_of(3) => {
            return Err(format!("{} corners are no whole triangles", corners.len()));
        }
        _ => corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
    };
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans() {
        let strip = triangles(Mode::TriangleStrip, &[0, 1, 2, 3, 3, 4, 4, 5, 6]).unwrap();
        assert_eq!(strip, [[0, 1, 2], [1, 3, 2], [4, 5, 6]]);
        let fan = triangles(Mode::TriangleFan, &[7, 1, 2, 3]).unwrap();
        assert_eq!(fan, [[1, 2, 7], [2, 3, 7]]);
        assert_eq!(triangles(Mode::TriangleFan, &[7]).unwrap(), [[0; 3]; 0]);
        assert!(triangles(Mode::Triangles, &[1, 2]).is_err());
    }
}
