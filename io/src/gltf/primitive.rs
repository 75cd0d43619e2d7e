//! Meshes of nodes, primitive by primitive, into one simulated and one drawn mesh.

use super::accessor::Accessors;
use super::buffers::Buffers;
use super::index::called;
use super::maps::Paint;
use super::node::Transform;
use crate::Drawn;
use crate::drawn::{Parts, Runs};
use ::gltf::json::accessor::{Accessor, Type};
use ::gltf::json::mesh::{Mode, Primitive, Semantic};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Index, Node, Root};
use seidel::mesh::{Mesh, VertexMaps};
use std::collections::HashMap;

/// Most vertices, and most corners of triangles, of all nodes together: a small file may show a mesh many times.
const MAX_ELEMENTS: usize = 1 << 25;

/// What has been read so far.
pub(super) struct Reader<'a> {
    accessors: Accessors<'a>,
    mesh: Mesh,
    drawn: Drawn,
    any_uv: bool,
    any_normal: bool,
    parts: Parts,
    /// Numbers of vertices, if they are wanted.
    paint: Option<Paint>,
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
            parts: Parts::default(),
            paint: None,
            room: [MAX_ELEMENTS; 2],
        }
    }

    /// Reads numbers of vertices, too.
    pub(super) fn painted(self) -> Self {
        Self { paint: Some(Paint::default()), ..self }
    }

    /// Adds the mesh of a node, if it has one.
    pub(super) fn node(&mut self, node: &Node, transform: &Transform) -> Result<(), String> {
        let root = self.accessors.root;
        let Some(index) = node.mesh.map(|mesh| mesh.value()) else { return Ok(()) };
        let meshes = &root.meshes;
        let mesh = meshes.get(index).ok_or_else(|| format!("names mesh {index}; there are {}", meshes.len()))?;
        let first = self.drawn.vertex.len();
        let names = [&node.name, &mesh.name].map(|name| name.as_deref().unwrap_or_default());
        // As in the file, until vertices at one place are joined.
        let mut local = Local::default();
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            let of = |what| format!("{}, primitive {k}: {what}", called("mesh", index, mesh.name.as_ref()));
            let before = self.drawn.triangles.len();
            self.primitive(primitive, node, transform, &mut local).map_err(of)?;
            self.name(primitive, names, self.drawn.triangles.len() - before);
        }
        // Without a tolerance and within the limit there is nothing to refuse.
        let same = seidel_hash::coincident(&local.positions, 0.0).map_err(|e| e.to_string())?;
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; same.len()];
        for i in local.in_order() {
            let number = &mut numbers[same[i] as usize];
            if *number == NONE {
                *number = self.mesh.positions.len() as u32;
                self.mesh.positions.push(transform.point(local.positions[same[i] as usize]));
            }
        }
        debug_assert_eq!(first, self.drawn.vertex.len());
        self.drawn.vertex.extend(same.iter().map(|&same| numbers[same as usize]));
        for triangle in &self.drawn.triangles[self.mesh.triangles.len()..] {
            self.mesh.triangles.push(triangle.map(|v| self.drawn.vertex[v as usize]));
        }
        Ok(())
    }

    /// Names the triangles of a primitive: as its `extras` say if this program has written them, or for the node, the
    /// mesh and the material.
    fn name(&mut self, of: &Primitive, [node, mesh]: [&str; 2], triangles: usize) {
        let material = of.material.and_then(|index| Some((index, self.accessors.root.materials.get(index.value())?)));
        let unnamed = |index: usize| format!("material-{index}");
        let material =
            material.map(|(index, material)| material.name.clone().unwrap_or_else(|| unnamed(index.value())));
        self.parts.set(2, &material.unwrap_or_default());
        let runs = of.extras.as_ref().and_then(|extras| Runs::read(extras.get(), triangles));
        if let Some(runs) = runs {
            for (object, group, triangles) in runs.iter() {
                self.parts.set(0, object);
                self.parts.set(1, group);
                self.parts.push(triangles);
            }
            return;
        }
        self.parts.set(0, if node.is_empty() { mesh } else { node });
        self.parts.set(1, if node.is_empty() || mesh == node { "" } else { mesh });
        self.parts.push(triangles);
    }

    pub(super) fn finish(mut self) -> Result<(Mesh, Drawn, VertexMaps), String> {
        if !self.any_uv {
            self.drawn.uvs.clear();
        }
        if !self.any_normal {
            self.drawn.normals.clear();
        }
        (self.drawn.parts, self.drawn.part) = self.parts.finish();
        let maps = match self.paint {
            Some(paint) => paint.finish(&self.mesh, &self.drawn)?,
            None => VertexMaps::default(),
        };
        Ok((self.mesh, self.drawn, maps))
    }

    /// Adds the triangles of a primitive, and the vertices that they use.
    fn primitive(
        &mut self,
        of: &Primitive,
        node: &Node,
        transform: &Transform,
        local: &mut Local,
    ) -> Result<(), String> {
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
            local.push(position.value(), i, positions[i]);
            self.drawn.uvs.push(uvs.as_ref().map_or(Drawn::NO_UV, |uvs| Drawn::given(uvs[i])));
            self.drawn.normals.push(normals.as_ref().map_or([0.0; 3], |normals| transform.normal(normals[i])));
        }
        if let Some(mut paint) = self.paint.take() {
            let used = number.iter().enumerate().filter(|(_, number)| **number != UNUSED);
            let used: Vec<(usize, u32)> = used.map(|(i, number)| (i, *number)).collect();
            self.paint_with(&mut paint, of, node, &used, positions.len())?;
            self.paint = Some(paint);
        }
        if transform.mirrors() {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        self.drawn.triangles.extend(triangles.iter().map(|t| t.map(|v| number[v as usize])));
        Ok(())
    }

    /// The numbers of a primitive's vertices: those that are used, by their elements, and how they are drawn.
    fn paint_with(
        &self,
        paint: &mut Paint,
        of: &Primitive,
        node: &Node,
        used: &[(usize, u32)],
        count: usize,
    ) -> Result<(), String> {
        let has_four = |index: Index<Accessor>| {
            let accessor = self.accessors.root.accessors.get(index.value());
            accessor.is_some_and(|accessor| matches!(accessor.type_, Checked::Valid(Type::Vec4)))
        };
        let attribute = |semantic| of.attributes.get(&Checked::Valid(semantic)).copied();
        for (semantic, &index) in &of.attributes {
            let accessor = self.accessors.root.accessors.get(index.value());
            match semantic {
                Checked::Valid(Semantic::Extras(name))
                    if accessor.is_some_and(|accessor| matches!(accessor.type_, Checked::Valid(Type::Scalar))) =>
                {
                    let numbers = self.beside::<1>(Some(index), Type::Scalar, count)?.unwrap_or_default();
                    paint.add(&format!("_{name}"), used.iter().map(|&(i, drawn)| (drawn, numbers[i][0])))?;
                }
                Checked::Valid(Semantic::Colors(0)) if has_four(index) => {
                    let colors = self.beside::<4>(Some(index), Type::Vec4, count)?.unwrap_or_default();
                    paint.colors(&colors, used)?;
                }
                Checked::Valid(Semantic::Colors(0)) => {
                    let colors = self.beside::<3>(Some(index), Type::Vec3, count)?.unwrap_or_default();
                    paint.colors(&colors, used)?;
                }
                _ => {}
            }
        }
        let skin = node.skin.and_then(|skin| self.accessors.root.skins.get(skin.value()));
        let set = (attribute(Semantic::Joints(0)), attribute(Semantic::Weights(0)));
        let (Some(skin), (Some(joints), Some(weights))) = (skin, set) else { return Ok(()) };
        let joints = self.beside::<4>(Some(joints), Type::Vec4, count)?.unwrap_or_default();
        let weights = self.beside::<4>(Some(weights), Type::Vec4, count)?.unwrap_or_default();
        let nodes = &self.accessors.root.nodes;
        let names: Vec<_> = (skin.joints.iter())
            .map(|joint| match nodes.get(joint.value()).and_then(|node| node.name.clone()) {
                Some(name) => name,
                None => format!("node-{}", joint.value()),
            })
            .collect();
        paint.weights(&names, &joints, &weights, used)
    }

    /// An attribute that stands beside the positions.
    fn beside<const N: usize>(
        &self,
        index: Option<Index<Accessor>>,
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

/// Vertices of a node: those that a primitive uses, primitive after primitive.
#[derive(Default)]
struct Local {
    positions: Vec<[f32; 3]>,
    /// For each the first that came of its accessor, and its element.
    keys: Vec<(u32, u32)>,
    first: HashMap<usize, u32>,
}

impl Local {
    fn push(&mut self, accessor: usize, element: usize, position: [f32; 3]) {
        let first = *self.first.entry(accessor).or_insert(self.positions.len() as u32);
        self.keys.push((first, element as u32));
        self.positions.push(position);
    }

    /// Accessor after accessor, element after element: several primitives may use one accessor, each a part of it.
    fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_by_key(|&i| self.keys[i]);
        order
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
