//! The JSON of a GLB file, and the bytes that stand once in it.

use super::body::{Body, Bounds, bounds};
use super::surfaces::Mesh as Surface;
use super::writer::{GlbWriter, Interpolation};
use crate::drawn::Runs;
use crate::parts::Cells;
use crate::solid::surface;
use gltf::json::accessor::{ComponentType, GenericComponentType, Type};
use gltf::json::animation::{Channel, Property, Sampler, Target};
use gltf::json::buffer::{self, Stride};
use gltf::json::material::{PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf::json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf::json::scene::UnitQuaternion;
use gltf::json::validation::Checked::Valid;
use gltf::json::{
    Accessor, Animation, Asset, Buffer, Error, Index, Material, Mesh, Node, Root, Scene, Value, validation::USize64,
};
use std::collections::{BTreeMap, HashMap};

/// Colors of bodies and of colliders, linear, and what their material is called if the source gives it no name.
const BODY: (&str, [f32; 4]) = ("body", [0.42, 0.58, 0.75, 1.0]);
const COLLIDER: (&str, [f32; 4]) = ("collider", [0.5, 0.48, 0.45, 1.0]);

/// A document being made. Its buffer has the frames' morph targets, then what is there once, then the weights.
pub(super) struct Document {
    root: Root,
    animation: Animation,
    rest: Vec<u8>,
    /// Bytes of all morph targets.
    targets: u64,
    /// Times of the keys, made when the first channel needs them.
    keys: Option<Index<Accessor>>,
    weights: Option<Index<Accessor>>,
    /// Materials of bodies by their names.
    materials: HashMap<String, Index<Material>>,
    of_colliders: Option<Index<Material>>,
}

/// Elements in a view of the buffer.
struct Elements {
    view: Index<buffer::View>,
    offset: u64,
    count: usize,
    type_: Type,
    component: ComponentType,
}

impl Document {
    pub(super) fn new(scene: &str, targets: u64) -> Self {
        let root = Root {
            asset: Asset {
                generator: Some(concat!("seidel ", env!("CARGO_PKG_VERSION")).to_owned()),
                ..Asset::default()
            },
            scene: Some(Index::new(0)),
            scenes: vec![Scene { extensions: None, extras: None, name: Some(scene.to_owned()), nodes: Vec::new() }],
            ..Root::default()
        };
        let (channels, samplers, name) = (Vec::new(), Vec::new(), Some("run".to_owned()));
        let animation = Animation { extensions: None, extras: None, channels, name, samplers };
        Self {
            root,
            animation,
            rest: Vec::new(),
            targets,
            keys: None,
            weights: None,
            materials: HashMap::new(),
            of_colliders: None,
        }
    }

    /// Takes all that the writer has.
    pub(super) fn write(&mut self, run: &GlbWriter) {
        let mut offset = 0;
        for body in &run.bodies {
            self.body(body, run, offset);
            offset += body.target_bytes();
        }
        for (k, collider) in run.header.colliders.iter().enumerate() {
            let surface = surface(&collider.shape, 2.0 * run.reach + 1.0);
            let mut attributes = BTreeMap::new();
            self.attribute(&mut attributes, Semantic::Positions, &surface.positions);
            if !surface.normals.is_empty() {
                self.attribute(&mut attributes, Semantic::Normals, &surface.normals);
            }
            let indices = self.words(surface.triangles.as_flattened());
            let material = self.collider_material();
            let primitive = primitive(attributes, Some(indices), Mode::Triangles, material, None);
            let primitives = if surface.triangles.is_empty() { Vec::new() } else { vec![primitive] };
            let node = self.node(&collider.name, primitives);
            self.poses(node, run, k);
        }
        for surface in &run.surfaces {
            for (frame, mesh) in surface.frames.iter().enumerate().filter(|(_, mesh)| !mesh.triangles.is_empty()) {
                self.surface(&format!("{} {frame}", surface.name), mesh, run, frame);
            }
        }
        if run.header.is_away() {
            self.put_at(run.header.origin);
        }
        // The last of the buffer; the writer has the numbers.
        if let Some(weights) = self.weights {
            let bytes = 4 * (run.times.len() as u64).pow(2);
            self.root.buffer_views.push(view(self.targets + self.rest.len() as u64, bytes, None));
            let last = self.root.buffer_views.len() as u32 - 1;
            self.root.accessors[weights.value()].buffer_view = Some(Index::new(last));
        }
    }

    /// Puts all nodes below one at the scene's origin. Its translation is f32, as all numbers of the format;
    /// `extras.origin` has all digits.
    fn put_at(&mut self, origin: [f64; 3]) {
        let children = std::mem::take(&mut self.root.scenes[0].nodes);
        let extras = serde_json::value::to_raw_value(&serde_json::json!({ "origin": origin })).ok();
        let node = self.node("origin", Vec::new());
        let root = &mut self.root.nodes[node.value()];
        root.translation = Some(origin.map(|x| x as f32));
        (root.children, root.extras) = (Some(children).filter(|children| !children.is_empty()), extras);
    }

    /// JSON, and the bytes that follow those of the frames.
    pub(super) fn finish(mut self) -> Result<(Vec<u8>, Vec<u8>), Error> {
        if !self.animation.channels.is_empty() {
            self.root.animations.push(self.animation);
        }
        let length = self.root.buffer_views.iter().map(|v| v.byte_offset.unwrap_or_default().0 + v.byte_length.0).max();
        if let Some(length) = length {
            self.root.buffers.push(Buffer {
                byte_length: USize64(length),
                name: None,
                uri: None,
                extensions: None,
                extras: None,
            });
        }
        Ok((self.root.to_vec()?, self.rest))
    }

    /// A body with its morph targets, the first of which is `offset` bytes from the start of a frame.
    fn body(&mut self, body: &Body, run: &GlbWriter, offset: u64) {
        if body.vertices() == 0 {
            self.node(&body.name, Vec::new());
            return;
        }
        let mut attributes = BTreeMap::new();
        self.attribute(&mut attributes, Semantic::Positions, &body.positions);
        if body.has_normals() {
            self.attribute(&mut attributes, Semantic::Normals, &body.normals);
        }
        if !body.uvs.is_empty() {
            self.attribute(&mut attributes, Semantic::TexCoords(0), &body.uvs);
        }
        let (bytes, count) = (body.target_bytes(), body.vertices());
        let mut targets = Vec::new();
        for (frame, bounds) in body.bounds.iter().enumerate() {
            self.root.buffer_views.push(view(frame as u64 * run.frame_bytes() + offset, bytes, Some(12)));
            let view = Index::new(self.root.buffer_views.len() as u32 - 1);
            let (type_, component) = (Type::Vec3, ComponentType::F32);
            let positions = Elements { view, offset: 0, count, type_, component };
            let positions = Some(self.accessor(positions, Some(bounds)));
            let normals = Elements { view, offset: 12 * count as u64, count, type_, component };
            let normals = body.has_normals().then(|| self.accessor(normals, None));
            targets.push(MorphTarget { positions, normals, tangents: None });
        }
        let mut primitives = Vec::new();
        for surface in &body.surfaces {
            let indices = Some(self.words(surface.triangles.as_flattened()));
            let material = self.body_material(&surface.material);
            let (attributes, targets) = (attributes.clone(), Some(targets.clone()));
            let mut primitive = primitive(attributes, indices, Mode::Triangles, material, targets);
            primitive.extras = surface.runs.as_ref().and_then(Runs::to_extras);
            primitives.push(primitive);
        }
        if primitives.is_empty() {
            let (mode, indices) = match &body.cells {
                Cells::Triangles(triangles) => (Mode::Triangles, Some(self.words(triangles.as_flattened()))),
                Cells::Lines(lines) => (Mode::Lines, Some(self.words(lines.as_flattened()))),
                Cells::Points => (Mode::Points, None),
            };
            let material = self.body_material("");
            primitives.push(primitive(attributes, indices, mode, material, Some(targets)));
        }
        let node = self.node(&body.name, primitives);
        let weights = *self.weights.get_or_insert_with(|| {
            let count = run.times.len().pow(2);
            // Its view is made at the end.
            let elements =
                Elements { view: Index::new(0), offset: 0, count, type_: Type::Scalar, component: ComponentType::F32 };
            self.root.accessors.push(accessor(elements, None));
            Index::new(self.root.accessors.len() as u32 - 1)
        });
        self.channel(node, Property::MorphTargetWeights, weights, run);
    }

    /// A fluid's surface in a frame, which is there from that frame's time to the next one's.
    fn surface(&mut self, name: &str, mesh: &Surface, run: &GlbWriter, frame: usize) {
        let mut attributes = BTreeMap::new();
        self.attribute(&mut attributes, Semantic::Positions, &mesh.positions);
        self.attribute(&mut attributes, Semantic::Normals, &mesh.normals);
        let indices = Some(self.words(mesh.triangles.as_flattened()));
        let material = self.body_material("fluid");
        let node = self.node(name, vec![primitive(attributes, indices, Mode::Triangles, material, None)]);
        let mut keys = vec![([run.times[0]], [f32::from(u8::from(frame == 0)); 3])];
        if frame > 0 {
            keys.push(([run.times[frame]], [1.0; 3]));
        }
        if let Some(next) = run.times.get(frame + 1) {
            keys.push(([*next], [0.0; 3]));
        }
        self.root.nodes[node.value()].scale = Some(keys[0].1);
        if keys.len() > 1 {
            let (times, scales): (Vec<[f32; 1]>, Vec<[f32; 3]>) = keys.into_iter().unzip();
            let input = self.keys(&times);
            let output = self.floats(&scales, None);
            let interpolation = Valid(gltf::json::animation::Interpolation::Step);
            self.animation.samplers.push(Sampler { extensions: None, extras: None, input, interpolation, output });
            self.animation.channels.push(Channel {
                sampler: Index::new(self.animation.samplers.len() as u32 - 1),
                target: Target { extensions: None, extras: None, node, path: Valid(Property::Scale) },
                extensions: None,
                extras: None,
            });
        }
    }

    /// Times of keys, ascending.
    fn keys(&mut self, times: &[[f32; 1]]) -> Index<Accessor> {
        let index = self.floats(times, None);
        let accessor = &mut self.root.accessors[index.value()];
        accessor.min = times.first().map(|first| numbers(first));
        accessor.max = times.last().map(|last| numbers(last));
        index
    }

    /// Where a collider is, and its way if it moves.
    fn poses(&mut self, node: Index<Node>, run: &GlbWriter, collider: usize) {
        let poses: Vec<[f32; 7]> = run.poses.iter().map(|frame| frame[collider]).collect();
        let turns: Vec<_> = poses.iter().map(|&[_, _, _, x, y, z, w]| [x, y, z, w]).collect();
        let places: Vec<_> = poses.iter().map(|&[x, y, z, ..]| [x, y, z]).collect();
        let at = &mut self.root.nodes[node.value()];
        at.translation = Some(places[0]);
        at.rotation = Some(UnitQuaternion(turns[0]));
        if places.iter().any(|place| *place != places[0]) {
            let places = self.floats(&places, None);
            self.channel(node, Property::Translation, places, run);
        }
        if turns.iter().any(|turn| *turn != turns[0]) {
            let turns = self.floats(&turns, None);
            self.channel(node, Property::Rotation, turns, run);
        }
    }

    fn channel(&mut self, node: Index<Node>, path: Property, output: Index<Accessor>, run: &GlbWriter) {
        let input = match self.keys {
            Some(keys) => keys,
            None => {
                let keys: Vec<_> = run.times.iter().map(|&t| [t]).collect();
                let index = self.keys(&keys);
                *self.keys.insert(index)
            }
        };
        let interpolation = match run.interpolation {
            Interpolation::Linear => gltf::json::animation::Interpolation::Linear,
            Interpolation::Step => gltf::json::animation::Interpolation::Step,
        };
        // All bodies have the same weights, and so one sampler.
        let samplers = &mut self.animation.samplers;
        let sampler = samplers.iter().position(|sampler| sampler.output == output).unwrap_or_else(|| {
            let interpolation = Valid(interpolation);
            samplers.push(Sampler { extensions: None, extras: None, input, interpolation, output });
            samplers.len() - 1
        });
        self.animation.channels.push(Channel {
            sampler: Index::new(sampler as u32),
            target: Target { extensions: None, extras: None, node, path: Valid(path) },
            extensions: None,
            extras: None,
        });
    }

    fn body_material(&mut self, name: &str) -> Index<Material> {
        let name = if name.is_empty() { BODY.0 } else { name };
        if let Some(&known) = self.materials.get(name) {
            return known;
        }
        let made = self.root.push(material(name, BODY.1));
        self.materials.insert(name.to_owned(), made);
        made
    }

    fn collider_material(&mut self) -> Index<Material> {
        let root = &mut self.root;
        *self.of_colliders.get_or_insert_with(|| root.push(material(COLLIDER.0, COLLIDER.1)))
    }

    fn node(&mut self, name: &str, primitives: Vec<Primitive>) -> Index<Node> {
        let name = Some(name.to_owned());
        let mesh = (!primitives.is_empty()).then(|| {
            let weights = primitives[0].targets.as_ref().map(|targets| vec![0.0; targets.len()]);
            let name = name.clone();
            self.root.push(Mesh { extensions: None, extras: None, name, primitives, weights })
        });
        let node = self.root.push(Node { name, mesh, ..Node::default() });
        self.root.scenes[0].nodes.push(node);
        node
    }

    fn attribute<const N: usize>(
        &mut self,
        attributes: &mut BTreeMap<gltf::json::validation::Checked<Semantic>, Index<Accessor>>,
        semantic: Semantic,
        all: &[[f32; N]],
    ) {
        let index = self.floats(all, Some(buffer::Target::ArrayBuffer));
        if semantic == Semantic::Positions {
            let points: Vec<_> = all.iter().map(|x| [x[0], x[1], x[2]]).collect();
            let [least, most] = bounds(&points);
            let accessor = &mut self.root.accessors[index.value()];
            (accessor.min, accessor.max) = (Some(numbers(&least)), Some(numbers(&most)));
        }
        attributes.insert(Valid(semantic), index);
    }

    fn floats<const N: usize>(&mut self, all: &[[f32; N]], target: Option<buffer::Target>) -> Index<Accessor> {
        let bytes = all.as_flattened().iter().flat_map(|x| x.to_le_bytes());
        let type_ = [Type::Scalar, Type::Vec2, Type::Vec3, Type::Vec4][N - 1];
        self.store(bytes, all.len(), type_, ComponentType::F32, target)
    }

    /// Corners.
    fn words(&mut self, all: &[u32]) -> Index<Accessor> {
        let bytes = all.iter().flat_map(|x| x.to_le_bytes());
        self.store(bytes, all.len(), Type::Scalar, ComponentType::U32, Some(buffer::Target::ElementArrayBuffer))
    }

    fn store(
        &mut self,
        bytes: impl Iterator<Item = u8>,
        count: usize,
        type_: Type,
        component: ComponentType,
        target: Option<buffer::Target>,
    ) -> Index<Accessor> {
        let from = self.rest.len();
        self.rest.extend(bytes);
        let length = (self.rest.len() - from) as u64;
        let mut view = view(self.targets + from as u64, length, None);
        view.target = target.map(Valid);
        let view = Index::push(&mut self.root.buffer_views, view);
        self.accessor(Elements { view, offset: 0, count, type_, component }, None)
    }

    fn accessor(&mut self, elements: Elements, bounds: Option<&Bounds>) -> Index<Accessor> {
        Index::push(&mut self.root.accessors, accessor(elements, bounds))
    }
}

fn accessor(elements: Elements, bounds: Option<&Bounds>) -> Accessor {
    Accessor {
        buffer_view: Some(elements.view),
        byte_offset: (elements.offset > 0).then_some(USize64(elements.offset)),
        count: elements.count.into(),
        component_type: Valid(GenericComponentType(elements.component)),
        extensions: None,
        extras: None,
        type_: Valid(elements.type_),
        min: bounds.map(|[least, _]| numbers(least)),
        max: bounds.map(|[_, most]| numbers(most)),
        name: None,
        normalized: false,
        sparse: None,
    }
}

/// A plain color: textures are for the user to choose.
fn material(name: &str, color: [f32; 4]) -> Material {
    Material {
        name: Some(name.to_owned()),
        double_sided: true,
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor(color),
            metallic_factor: StrengthFactor(0.0),
            roughness_factor: StrengthFactor(0.8),
            ..PbrMetallicRoughness::default()
        },
        ..Material::default()
    }
}

fn numbers(numbers: &[f32]) -> Value {
    Value::from(numbers.to_vec())
}

/// Of vertices, which have a stride, or of anything.
fn view(from: u64, length: u64, stride: Option<usize>) -> buffer::View {
    buffer::View {
        buffer: Index::new(0),
        byte_length: USize64(length),
        byte_offset: (from > 0).then_some(USize64(from)),
        byte_stride: stride.map(Stride),
        name: None,
        target: stride.map(|_| Valid(buffer::Target::ArrayBuffer)),
        extensions: None,
        extras: None,
    }
}

fn primitive(
    attributes: BTreeMap<gltf::json::validation::Checked<Semantic>, Index<Accessor>>,
    indices: Option<Index<Accessor>>,
    mode: Mode,
    material: Index<Material>,
    targets: Option<Vec<MorphTarget>>,
) -> Primitive {
    let (extensions, extras, material) = (None, None, Some(material));
    Primitive { attributes, extensions, extras, indices, material, mode: Valid(mode), targets }
}
