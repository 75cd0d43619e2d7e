//! glTF files: what is read, how vertices are joined, and what is refused by name.

use base64::Engine as _;
use seidel::mesh::Mesh;
use seidel_io::{Drawn, gltf};
use serde_json::{Value, json};
use std::path::Path;

const SQUARE: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]];

fn bytes<const N: usize>(all: &[[f32; N]]) -> Vec<u8> {
    all.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn words(all: &[u16]) -> Vec<u8> {
    all.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A file whose accessors, in order, have these bytes; `rest` is the nodes and meshes.
fn file(accessors: &[(Vec<u8>, Value)], rest: Value) -> Value {
    let mut all = json!({ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }] });
    let (mut buffer, mut views, mut described) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (data, accessor)) in accessors.iter().enumerate() {
        views.push(json!({ "buffer": 0, "byteOffset": buffer.len(), "byteLength": data.len() }));
        let mut accessor = accessor.clone();
        accessor["bufferView"] = i.into();
        described.push(accessor);
        buffer.extend(data);
    }
    let uri =
        format!("data:application/gltf-buffer;base64,{}", base64::engine::general_purpose::STANDARD.encode(&buffer));
    all["buffers"] = json!([{ "byteLength": buffer.len(), "uri": uri }]);
    (all["bufferViews"], all["accessors"]) = (views.into(), described.into());
    rest.as_object().unwrap().iter().for_each(|(key, value)| all[key] = value.clone());
    all
}

fn vec3(all: &[[f32; 3]]) -> (Vec<u8>, Value) {
    (bytes(all), json!({ "count": all.len(), "componentType": 5126, "type": "VEC3" }))
}

fn corners(all: &[u16]) -> (Vec<u8>, Value) {
    (words(all), json!({ "count": all.len(), "componentType": 5123, "type": "SCALAR" }))
}

fn one_node(primitive: Value) -> Value {
    json!({ "nodes": [{ "mesh": 0 }], "meshes": [{ "primitives": [primitive] }] })
}

fn square(rest: Value) -> Value {
    file(&[vec3(&SQUARE), corners(&[0, 2, 1, 0, 3, 2])], rest)
}

fn plain() -> Value {
    one_node(json!({ "attributes": { "POSITION": 0 }, "indices": 1 }))
}

fn parse(file: &Value) -> Result<(Mesh, Drawn), String> {
    gltf::parse(Path::new("t.gltf"), file.to_string().as_bytes()).map_err(|e| e.to_string())
}

fn read(file: &Value) -> (Mesh, Drawn) {
    parse(file).unwrap()
}

#[test]
fn a_square_is_read_as_it_stands() {
    let (mesh, drawn) = read(&square(plain()));
    assert_eq!(mesh.positions, SQUARE);
    assert_eq!(mesh.triangles, [[0, 2, 1], [0, 3, 2]]);
    assert_eq!(drawn, Drawn::plain(&mesh));
}

#[test]
fn vertices_that_a_seam_split_are_one_and_are_drawn_as_several() {
    let places = [SQUARE[0], SQUARE[1], SQUARE[2], SQUARE[0], SQUARE[2], SQUARE[3], [9.0; 3]];
    let uvs: Vec<[f32; 2]> = (0..7).map(|i| [i as f32, 0.5]).collect();
    let uvs = (bytes(&uvs), json!({ "count": 7, "componentType": 5126, "type": "VEC2" }));
    let normals: Vec<[f32; 3]> = (0..7).map(|i| if i < 3 { [0.0, 1.0, 0.0] } else { [0.0, 0.8, 0.6] }).collect();
    let primitive = json!({ "attributes": { "POSITION": 0, "TEXCOORD_0": 2, "NORMAL": 3 }, "indices": 1 });
    let all = [vec3(&places), corners(&[0, 2, 1, 3, 5, 4]), uvs, vec3(&normals)];
    let (mesh, drawn) = read(&file(&all, one_node(primitive)));
    assert_eq!(mesh.positions, SQUARE);
    assert_eq!(mesh.triangles, [[0, 2, 1], [0, 3, 2]]);
    assert_eq!(drawn.vertex, [0, 1, 2, 0, 2, 3], "the seventh is used by no triangle");
    assert_eq!(drawn.triangles, [[0, 2, 1], [3, 5, 4]]);
    assert_eq!(drawn.uvs[3], [3.0, 0.5]);
    assert_eq!(drawn.normals, normals[..6]);
}

#[test]
fn primitives_of_a_node_are_joined_and_nodes_are_not() {
    let two =
        json!([{ "attributes": { "POSITION": 0 }, "indices": 1 }, { "attributes": { "POSITION": 0 }, "indices": 2 }]);
    let rest = json!({ "nodes": [{ "mesh": 0, "children": [1] }, { "mesh": 0, "translation": [0, 0, 0] }],
                       "meshes": [{ "primitives": two }] });
    let (mesh, _) = read(&file(&[vec3(&SQUARE), corners(&[0, 2, 1]), corners(&[0, 3, 2])], rest));
    assert_eq!(mesh.positions, [SQUARE, SQUARE].concat());
    assert_eq!(mesh.triangles, [[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]]);
}

#[test]
fn nodes_move_turn_and_mirror_what_is_below_them() {
    let h = std::f32::consts::FRAC_1_SQRT_2;
    // A quarter turn about y takes x to -z.
    let rest = json!({ "nodes": [{ "translation": [10, 0, 0], "children": [1] },
                                 { "rotation": [0, h, 0, h], "scale": [2, 1, 1], "mesh": 0 }],
                       "meshes": plain()["meshes"] });
    let (mesh, _) = read(&square(rest));
    let expected = [[10.0, 0.0, 0.0], [10.0, 0.0, -2.0], [11.0, 0.0, -2.0], [11.0, 0.0, 0.0]];
    for (got, expected) in mesh.positions.iter().zip(expected) {
        assert!(got.iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6), "{got:?} {expected:?}");
    }
    let mut mirrored = plain();
    mirrored["nodes"][0]["scale"] = json!([1, 1, -1]);
    let (mesh, _) = read(&square(mirrored));
    assert_eq!(mesh.positions[2], [1.0, 0.0, -1.0]);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]], "they look up still");
}

#[test]
fn strips_fans_and_corners_without_indices() {
    let of = |mode: u32, places: &[[f32; 3]]| {
        read(&file(&[vec3(places)], one_node(json!({ "attributes": { "POSITION": 0 }, "mode": mode })))).0.triangles
    };
    let zigzag = [SQUARE[0], SQUARE[3], SQUARE[1], SQUARE[2]];
    assert_eq!(of(5, &zigzag), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(of(6, &SQUARE), [[1, 2, 0], [2, 3, 0]]);
    assert_eq!(of(4, &SQUARE[..3]), [[0, 1, 2]]);
}

#[test]
fn small_numbers_and_sparse_ones() {
    let shorts: Vec<u8> =
        [[0i16, 0, 0], [32767, 0, 0], [32767, 0, -32768]].as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    let accessor = json!({ "count": 3, "componentType": 5122, "type": "VEC3", "normalized": true });
    let mut rest = one_node(json!({ "attributes": { "POSITION": 0 } }));
    rest["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let (mesh, _) = read(&file(&[(shorts.clone(), accessor)], rest.clone()));
    assert_eq!(mesh.positions[2], [1.0, 0.0, -1.0]);
    let accessor = json!({ "count": 3, "componentType": 5122, "type": "VEC3" });
    assert_eq!(read(&file(&[(shorts, accessor)], rest)).0.positions[2], [32767.0, 0.0, -32768.0]);

    // Of a file that does not say so, or of four bytes.
    let accessor = json!({ "count": 3, "componentType": 5122, "type": "VEC3" });
    let unsaid = file(&[(vec![0; 18], accessor)], one_node(json!({ "attributes": { "POSITION": 0 } })));
    let error = parse(&unsaid).unwrap_err();
    assert!(error.contains("accessor 0: POSITION is I16 (5122), which is not F32 (5126)"), "{error}");
    let mut used = unsaid;
    used["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    assert!(parse(&used).is_ok());
    used["accessors"][0]["componentType"] = json!(5125);
    let error = parse(&used).unwrap_err();
    assert!(error.contains("accessor 0: POSITION is U32 (5125), which is not F32 (5126)"), "{error}");

    let mut all = file(&[vec3(&SQUARE), corners(&[0, 2, 1, 0, 3, 2]), corners(&[3]), vec3(&[[7.0; 3]])], plain());
    all["accessors"][0]["sparse"] =
        json!({ "count": 1, "indices": { "bufferView": 2, "componentType": 5123 }, "values": { "bufferView": 3 } });
    assert_eq!(read(&all).0.positions[3], [7.0; 3]);
    all["accessors"][0]["sparse"]["count"] = 5.into();
    let error = parse(&all).unwrap_err();
    assert!(error.contains("accessor 0: sparse: a count of 5, which is above the accessor's 4"), "{error}");
}

#[test]
fn buffers_beside_the_file_and_none_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("in");
    std::fs::create_dir_all(inner.join("data")).unwrap();
    let data = [bytes(&SQUARE), words(&[0, 2, 1, 0, 3, 2])].concat();
    for at in ["in/data/a b.bin", "out.bin"] {
        std::fs::write(folder.path().join(at), &data).unwrap();
    }
    let path = inner.join("t.gltf");
    let named = |uri: &str| {
        let mut file = square(plain());
        file["buffers"][0]["uri"] = uri.into();
        std::fs::write(&path, file.to_string()).unwrap();
        seidel_io::mesh::read(&path).map_err(|e| e.to_string())
    };
    assert_eq!(named("data/a%20b.bin").unwrap().positions, SQUARE);
    for uri in ["../out.bin", "data/../../out.bin", "%2e%2e/out.bin", "/etc/passwd", "http://a.b/c.bin", ""] {
        let error = named(uri).unwrap_err();
        assert!(error.contains("t.gltf: buffer 0: ") && error.contains("not in the folder"), "{uri}: {error}");
    }
    assert!(named("missing.bin").unwrap_err().contains("missing.bin cannot be read"));
    assert!(named("data").unwrap_err().contains("data is no file"));
    let missing = seidel_io::mesh::read(folder.path().join("no.glb")).unwrap_err().to_string();
    assert!(missing.contains("no.glb: cannot be read"), "{missing}");
}

#[test]
fn what_is_wrong_is_named() {
    let with = |path: &str, value: Value| {
        let mut file = square(plain());
        // A key that is not there yet is made.
        let (parent, key) = path.rsplit_once('/').unwrap();
        file.pointer_mut(parent).unwrap()[key] = value;
        parse(&file).unwrap_err()
    };
    for (path, value, says) in [
        ("/asset/version", json!("1.0"), "version \"1.0\""),
        ("/extensionsRequired", json!(["KHR_draco_mesh_compression"]), "\"KHR_draco_mesh_compression\""),
        ("/scenes", json!([]), "no scene"),
        ("/scene", json!(4), "names scene 4; there are 1"),
        ("/nodes", json!([{ "children": [1] }, { "children": [0], "mesh": 0 }]), "node 0 is reached twice"),
        ("/nodes", json!([{ "children": [5] }]), "names node 5; there are 1"),
        ("/nodes", json!([{ "mesh": 2 }]), "node 0: names mesh 2; there are 1"),
        ("/nodes", json!([{}]), "no triangles"),
        ("/accessors/0/count", json!(5), "accessor 0: 5 elements of 12 bytes, 12 apart, from 0 on; there are 48 bytes"),
        ("/accessors/0/count", json!(1u64 << 40), "more than 33554432 vertices"),
        ("/accessors/1/count", json!(1u64 << 40), "more than 33554432 corners"),
        ("/accessors/0/type", json!("VEC2"), "accessor 0: is no Vec3"),
        ("/accessors/0/bufferView", json!(8), "names bufferView 8"),
        ("/accessors/0/bufferView", Value::Null, "accessor 0: has no bufferView"),
        ("/accessors/1/componentType", json!(5126), "accessor 1: indices are whole numbers"),
        ("/accessors/1/count", json!(5), "5 corners are no whole triangles"),
        (
            "/bufferViews/0/byteLength",
            json!(1u64 << 50),
            "bufferView 0: 1125899906842624 bytes from 0 on; its buffer has 60",
        ),
        ("/bufferViews/0/byteStride", json!(0), "a byteStride of 0"),
        ("/buffers/0/byteLength", json!(100), "buffer 0: says it has 100 bytes; there are 60"),
        ("/buffers/0/uri", json!("data:;base64,?"), "base64 text is broken"),
        ("/buffers/0/uri", json!("a.bin"), "only embedded ones"),
        ("/meshes/0/primitives/0/mode", json!(12), "mesh 0, primitive 0: an unknown mode"),
    ] {
        let error = with(path, value);
        assert!(error.starts_with("t.gltf: ") && error.contains(says), "{path}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
    let beyond = file(&[vec3(&SQUARE), corners(&[0, 2, 4])], plain());
    assert!(parse(&beyond).unwrap_err().contains("corner 2 names vertex 4; there are 4"));
}

#[test]
fn a_small_file_that_shows_a_mesh_many_times_is_refused() {
    const SIDE: u32 = 1 << 16;
    let places: Vec<[f32; 3]> = (0..SIDE).map(|i| [i as f32, 0.0, 0.0]).collect();
    let mut file = file(&[vec3(&places), corners(&[0, 1, 2])], plain());
    (file["nodes"], file["scenes"][0]["nodes"]) = (vec![json!({ "mesh": 0 }); 513].into(), (0..513).collect());
    let error = parse(&file).unwrap_err();
    assert!(error.contains("node 512: mesh 0, primitive 0: more than 33554432 vertices"), "{error}");
}
