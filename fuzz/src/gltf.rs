//! glTF: any bytes as a file; a document of any numbers, whose parts mostly exist; and a small mesh written and read
//! back. The property: a typed error, or a mesh and a drawn mesh that agree with each other.

use super::bytes::Bytes;
use super::obj::{fits, names_vertices};
use seidel::mesh::Mesh;
use seidel_io::Drawn;
use seidel_io::drawn::Part;
use seidel_io::frames::{BodyHeader, FrameWriter, Header, RecordedFrame};
use seidel_io::glb::{GlbWriter, Interpolation};
use std::path::Path;
use std::sync::Arc;

/// Larger files are slow and show no more.
const MAX_BYTES: usize = 1 << 14;

pub fn gltf(data: &[u8]) {
    if data.len() > MAX_BYTES {
        return;
    }
    let Some((&tag, rest)) = data.split_first() else { return };
    match tag % 3 {
        0 => reads(rest),
        1 => reads(&document(&mut Bytes(rest))),
        _ => comes_back(&mut Bytes(rest)),
    }
}

fn reads(file: &[u8]) {
    let (mesh, drawn) = match seidel_io::gltf::parse(Path::new("fuzz.glb"), file) {
        Ok(both) => both,
        Err(error) => return assert!(error.to_string().starts_with("fuzz.glb: ")),
    };
    fits(&mesh, &drawn);
    match seidel_io::gltf::parse_maps(Path::new("fuzz.glb"), file) {
        Ok(maps) => names_vertices(&maps, mesh.positions.len()),
        Err(error) => assert!(error.to_string().starts_with("fuzz.glb: ")),
    }
    assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < mesh.positions.len()));
    let mut used = vec![false; mesh.positions.len()];
    mesh.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    assert!(used.iter().all(|&used| used), "a vertex that no triangle uses");
    // Whatever came of it can be judged.
    let _ = mesh.defects();
}

/// Mostly small, one time in eight any.
fn size(bytes: &mut Bytes) -> u64 {
    match bytes.byte() {
        255 => u64::MAX,
        254 => 1 << 32,
        253 => u64::from(u32::MAX),
        252 => 1 << 40,
        tag @ 224..252 => u64::from(tag) << bytes.below(64),
        tag => u64::from(tag % 56),
    }
}

/// A key with a number, or nothing.
fn maybe(bytes: &mut Bytes, key: &str, value: impl FnOnce(&mut Bytes) -> String) -> String {
    if bytes.flag() { format!(",\"{key}\":{}", value(bytes)) } else { String::new() }
}

fn list(bytes: &mut Bytes, most: usize, mut each: impl FnMut(&mut Bytes) -> String) -> String {
    let count = bytes.below(most + 1);
    (0..count).map(|_| each(bytes)).collect::<Vec<_>>().join(",")
}

fn numbers(bytes: &mut Bytes, count: usize) -> String {
    let all: Vec<_> = (0..count).map(|_| format!("{:e}", bytes.number())).collect();
    format!("[{}]", all.join(","))
}

const COMPONENTS: [u32; 7] = [5126, 5125, 5123, 5121, 5122, 5120, 1];
const TYPES: [&str; 5] = ["VEC3", "SCALAR", "VEC2", "VEC4", "MAT4"];
const PARTS: usize = 6;

/// A GLB file; what is left of the bytes is its buffer.
fn document(bytes: &mut Bytes) -> Vec<u8> {
    let views = list(bytes, PARTS, |b| {
        let (offset, length) = (size(b), size(b).saturating_mul(8));
        let stride = maybe(b, "byteStride", |b| size(b).to_string());
        format!("{{\"buffer\":{},\"byteOffset\":{offset},\"byteLength\":{length}{stride}}}", b.byte() / 250)
    });
    let accessors = list(bytes, PARTS, |b| {
        let (count, offset) = (size(b), size(b));
        let (component, type_) = (COMPONENTS[b.below(COMPONENTS.len())], TYPES[b.below(TYPES.len())]);
        let view = maybe(b, "bufferView", |b| b.index(PARTS).to_string());
        let sparse = maybe(b, "sparse", |b| {
            let (count, ids, values) = (size(b), b.index(PARTS), b.index(PARTS));
            let component = COMPONENTS[b.below(COMPONENTS.len())];
            format!(
                "{{\"count\":{count},\"indices\":{{\"bufferView\":{ids},\"componentType\":{component}}},\"values\":{{\"bufferView\":{values}}}}}"
            )
        });
        let normalized = b.flag();
        format!(
            "{{\"count\":{count},\"byteOffset\":{offset},\"componentType\":{component},\"type\":\"{type_}\",\"normalized\":{normalized}{view}{sparse}}}"
        )
    });
    let meshes = list(bytes, 3, |b| {
        let primitives = list(b, 3, |b| {
            let position = b.index(PARTS);
            let normal = maybe(b, "NORMAL", |b| b.index(PARTS).to_string());
            let uv = maybe(b, "TEXCOORD_0", |b| b.index(PARTS).to_string());
            let indices = maybe(b, "indices", |b| b.index(PARTS).to_string());
            let mode = maybe(b, "mode", |b| (4 + b.below(5)).to_string());
            let own = ["_A", "_B", "COLOR_0", "JOINTS_0", "WEIGHTS_0"];
            let own: String = own.map(|name| maybe(b, name, |b| b.index(PARTS).to_string())).concat();
            let material = maybe(b, "material", |b| b.index(3).to_string());
            let extras = maybe(b, "extras", |b| {
                let runs = list(b, 3, |b| format!("[{},{},{}]", b.below(4), b.below(4), b.below(4)));
                format!("{{\"names\":[\"\",\"a\",\"b\"],\"runs\":[{runs}]}}")
            });
            format!("{{\"attributes\":{{\"POSITION\":{position}{normal}{uv}{own}}}{indices}{mode}{material}{extras}}}")
        });
        let name = maybe(b, "name", |b| format!("\"mesh {}\"", b.below(3)));
        format!("{{\"primitives\":[{primitives}]{name}}}")
    });
    let nodes = list(bytes, PARTS, |b| {
        let mesh = maybe(b, "mesh", |b| b.index(3).to_string());
        let children = maybe(b, "children", |b| format!("[{}]", list(b, 3, |b| b.index(PARTS).to_string())));
        let matrix = maybe(b, "matrix", |b| numbers(b, 16));
        let scale = maybe(b, "scale", |b| numbers(b, 3));
        let rotation = maybe(b, "rotation", |b| numbers(b, 4));
        let skin = maybe(b, "skin", |b| b.index(2).to_string());
        format!("{{\"name\":\"node\"{mesh}{children}{matrix}{scale}{rotation}{skin}}}")
    });
    let skins = list(bytes, 2, |b| format!("{{\"joints\":[{}]}}", list(b, 3, |b| b.index(PARTS).to_string())));
    let roots = list(bytes, 3, |b| b.index(PARTS).to_string());
    let json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{roots}]}}],\"nodes\":[{nodes}],\"meshes\":[{meshes}],\
         \"skins\":[{skins}],\"materials\":[{{}},{{\"name\":\"silk\"}}],\
         \"accessors\":[{accessors}],\"bufferViews\":[{views}],\"buffers\":[{{\"byteLength\":{}}}]}}",
        bytes.0.len()
    );
    let mut file = b"glTF\x02\0\0\0".to_vec();
    let total = 12 + 8 + json.len() + 8 + bytes.0.len();
    for part in [&(total as u32).to_le_bytes(), &(json.len() as u32).to_le_bytes(), b"JSON"] {
        file.extend_from_slice(part);
    }
    file.extend_from_slice(json.as_bytes());
    file.extend_from_slice(&(bytes.0.len() as u32).to_le_bytes());
    file.extend_from_slice(b"BIN\0");
    file.extend_from_slice(bytes.0);
    file
}

/// A mesh of a few vertices, drawn with seams, as the first of two frames.
fn comes_back(bytes: &mut Bytes) {
    let vertices = 1 + bytes.below(12);
    let positions: Vec<[f32; 3]> = (0..vertices).map(|_| bytes.point()).collect();
    let drawn_vertices = 1 + bytes.below(20);
    let any_uv = bytes.flag();
    let mut drawn = Drawn::default();
    for _ in 0..drawn_vertices {
        drawn.vertex.push(bytes.below(vertices) as u32);
        if any_uv {
            drawn.uvs.push([bytes.number(), bytes.number()]);
        }
        drawn.normals.push(bytes.point());
    }
    let corner = |b: &mut Bytes| b.below(drawn_vertices) as u32;
    drawn.triangles = (0..1 + bytes.below(16)).map(|_| [corner(bytes), corner(bytes), corner(bytes)]).collect();
    if bytes.flag() {
        let name = |b: &mut Bytes| Arc::from(["", "silk", "red paint"][b.below(3)]);
        drawn.parts = (0..4).map(|_| Part { object: name(bytes), group: name(bytes), material: name(bytes) }).collect();
        drawn.part = drawn.triangles.iter().map(|_| bytes.below(4) as u32).collect();
    }
    let mut body = BodyHeader::new("body", 0, vertices as u32);
    body.drawn = Some(drawn.clone());
    body.rest = if drawn_vertices.is_multiple_of(2) { positions.clone() } else { Vec::new() };
    let mut header = Header::new("fuzz", 0.0);
    (header.bodies, header.inv_mass) = (vec![body], vec![1.0; vertices]);
    // A name of this process: two may fuzz at once.
    let path = std::env::temp_dir().join(format!("seidel-fuzz-{}.glb", std::process::id()));
    let mut writer = Box::new(GlbWriter::new(&path, &header, Interpolation::Linear).unwrap());
    let still = vec![[0.0; 3]; vertices];
    for (time, x) in [(0.0, &positions), (1.0, &still)] {
        let mut frame = RecordedFrame::new(time, x);
        frame.velocities = &still;
        if let Err(error) = writer.frame(&frame) {
            let bad = positions.iter().flatten().any(|x| !x.is_finite());
            return assert!(bad && error.to_string().contains("diverged"), "{error}");
        }
    }
    writer.finish().unwrap();
    let back = seidel_io::mesh::read_drawn(&path);
    // What becomes of it shows no fault of the engine.
    let _ = std::fs::remove_file(&path);
    let (mesh, read) = back.unwrap();
    by_material(&mut drawn);
    same(&positions, &drawn, &mesh, &read);
}

/// Triangles by their material, in the order in which it is first used, as a file has them.
fn by_material(drawn: &mut Drawn) {
    let material = |t: usize| drawn.part.get(t).map(|&part| drawn.parts[part as usize].material.clone());
    let mut order: Vec<usize> = (0..drawn.triangles.len()).collect();
    let first = |of: usize| (0..=of).find(|&t| material(t) == material(of));
    order.sort_by_key(|&t| first(t));
    drawn.triangles = order.iter().map(|&t| drawn.triangles[t]).collect();
    drawn.part = order.iter().filter_map(|&t| drawn.part.get(t).copied()).collect();
}

/// Corner for corner the same places and texture coordinates, bit by bit but for the sign of zero.
fn same(positions: &[[f32; 3]], drawn: &Drawn, mesh: &Mesh, read: &Drawn) {
    assert_eq!(read.triangles.len(), drawn.triangles.len());
    for (ours, theirs) in drawn.part.iter().zip(&read.part) {
        let (ours, theirs) = (&drawn.parts[*ours as usize], &read.parts[*theirs as usize]);
        // Without any object or group, the body is the object.
        let named = drawn.parts.iter().any(|part| !part.object.is_empty() || !part.group.is_empty());
        let material = if ours.material.is_empty() { "body" } else { &ours.material };
        assert_eq!(&*theirs.material, material);
        assert!(!named || (&ours.object, &ours.group) == (&theirs.object, &theirs.group));
    }
    let key = |x: f32| (x + 0.0).to_bits();
    for (ours, theirs) in drawn.triangles.iter().flatten().zip(read.triangles.iter().flatten()) {
        let (ours, theirs) = (*ours as usize, *theirs as usize);
        let at = mesh.positions[read.vertex[theirs] as usize];
        assert_eq!(positions[drawn.vertex[ours] as usize].map(key), at.map(key));
        if let Some(uv) = drawn.uvs.get(ours) {
            // Only finite ones can be written.
            let uv = if uv.iter().all(|x| x.is_finite()) { *uv } else { [0.0; 2] };
            assert_eq!(read.uvs[theirs].map(key), uv.map(key));
        }
    }
}
