//! Named groups and painted numbers of vertices.

use seidel::mesh::VertexMaps;
use seidel_io::{gltf, mesh};
use serde_json::json;
use std::path::Path;

fn obj(text: &str) -> Result<VertexMaps, String> {
    mesh::parse_maps(Path::new("t.obj"), text.as_bytes()).map_err(|e| e.to_string())
}

fn groups(all: &[(&str, &[u32])]) -> Vec<(String, Vec<u32>)> {
    all.iter().map(|&(name, vertices)| (name.to_owned(), vertices.to_vec())).collect()
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 5 5 5\n";

#[test]
fn groups_of_an_obj_file_are_the_vertices_of_its_faces() {
    let text = format!("{SQUARE}f 1 2 3\no Shirt one\ng left hem\nusemtl silk\nf 1 3 4\ng hem\nf 2 3 5\ng\nf 1 2 5\n");
    let maps = obj(&text).unwrap();
    let wanted: [(&str, &[u32]); 4] =
        [("Shirt one", &[0, 1, 2, 3, 4]), ("left", &[0, 2, 3]), ("hem", &[0, 1, 2, 3, 4]), ("silk", &[0, 1, 2, 3, 4])];
    assert_eq!(maps, VertexMaps { groups: groups(&wanted), attributes: Vec::new() });
    assert_eq!(obj(&format!("{SQUARE}f 1 2 3\n")).unwrap(), VertexMaps::default());
    // One name for two things is one group.
    let both = obj(&format!("{SQUARE}o a\ng a\nf 1 2 3 4\n")).unwrap();
    assert_eq!(both.groups, groups(&[("a", &[0, 1, 2, 3])]));
    let many: Vec<_> = (0..65).map(|k| format!("g{k}")).collect();
    let error = obj(&format!("{SQUARE}g {}\nf 1 2 3\n", many.join(" "))).unwrap_err();
    assert!(error.contains("t.obj: a `g` line with 65 names; 64 are read at most"), "{error}");
}

#[test]
fn a_broken_texture_coordinate_does_not_hide_the_groups() {
    let maps = obj(&format!("{SQUARE}g a\nf 1/9 2/9 3/9\n")).unwrap();
    assert_eq!(maps.groups, groups(&[("a", &[0, 1, 2])]));
}

#[test]
fn numbers_of_a_ply_file_are_attributes() {
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\n\
                property float ny\nproperty float nz\nproperty float s\nproperty float t\nproperty uchar red\nproperty ushort blue\n\
                property float stiff\nproperty float nx2\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
                0 0 0 0 1 0 0.1 0.2 255 7 0.5 9\n1 0 0 0 1 0 0.1 0.2 51 8 1.5 9\n0 0 1 0 1 0 0.1 0.2 0 9 2.5 9\n3 0 1 2\n";
    let maps = mesh::parse_maps(Path::new("t.ply"), text.as_bytes()).unwrap();
    let wanted = [
        ("red", [255.0 * (1.0 / 255.0), 51.0 * (1.0 / 255.0), 0.0]),
        ("blue", [7.0, 8.0, 9.0]),
        ("stiff", [0.5, 1.5, 2.5]),
        ("nx2", [9.0; 3]),
    ];
    let wanted = wanted.map(|(name, numbers)| (name.to_owned(), numbers.to_vec())).to_vec();
    assert_eq!(maps, VertexMaps { groups: Vec::new(), attributes: wanted });
    assert!((maps.attributes[0].1[0] - 1.0).abs() < 1e-6);
}

#[test]
fn a_gltf_file_has_attributes_colors_weights_and_names() {
    use base64::Engine as _;
    let mut buffer: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut add = |bytes: Vec<u8>, count: usize, component: u32, type_: &str, normalized: bool| {
        buffer.resize(buffer.len().next_multiple_of(4), 0);
        views.push(json!({ "buffer": 0, "byteOffset": buffer.len(), "byteLength": bytes.len() }));
        accessors.push(
            json!({ "bufferView": views.len() - 1, "count": count, "componentType": component, "type": type_, "normalized": normalized }),
        );
        buffer.extend(bytes);
    };
    let floats = |all: &[f32]| all.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    // Vertex 3 stands where vertex 0 stands.
    add(floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]), 5, 5126, "VEC3", false);
    add(vec![0, 2, 1], 3, 5121, "SCALAR", false);
    add(vec![3, 4, 2], 3, 5121, "SCALAR", false);
    add(floats(&[0.5, 1.5, 2.5, 3.5, 4.5]), 5, 5126, "SCALAR", false);
    add([[255, 0, 51, 0]; 5].concat(), 5, 5121, "VEC3", true);
    add([[1, 0, 0, 0]; 5].concat(), 5, 5121, "VEC4", false);
    add(floats(&[0.75, 0.25, 0.0, 0.0].repeat(5)), 5, 5126, "VEC4", false);
    let uri =
        format!("data:application/gltf-buffer;base64,{}", base64::engine::general_purpose::STANDARD.encode(&buffer));
    // Three bytes, four apart.
    views[4]["byteStride"] = 4.into();
    let attributes = json!({ "POSITION": 0, "_stiff": 3, "COLOR_0": 4, "JOINTS_0": 5, "WEIGHTS_0": 6 });
    let file = |joints: serde_json::Value| {
        json!({
            "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }],
            "nodes": [{ "name": "Shirt", "mesh": 0, "skin": 0 }, { "name": "arm" }, { "name": "hem" }],
            "skins": [{ "joints": joints }],
            "materials": [{ "name": "silk" }, {}],
            "meshes": [{ "name": "Weave", "primitives": [
                { "attributes": attributes, "indices": 1, "material": 0 }, { "attributes": attributes, "indices": 2, "material": 1 },
            ] }],
            "buffers": [{ "byteLength": buffer.len(), "uri": uri }], "bufferViews": views, "accessors": accessors,
        })
    };
    let parse = |file: serde_json::Value| gltf::parse_maps(Path::new("t.gltf"), file.to_string().as_bytes());
    let maps = parse(file(json!([1, 2]))).unwrap();
    // Four vertices in the accessor's order: 0 (and 3), 1, 2, 4.
    assert_eq!(
        maps.groups,
        groups(&[("Shirt", &[0, 1, 2, 3]), ("Weave", &[0, 1, 2, 3]), ("silk", &[0, 1, 2]), ("material-1", &[0, 2, 3])])
    );
    let mut attributes = maps.attributes.clone();
    attributes.sort_by(|a, b| a.0.cmp(&b.0));
    let wanted: [(&str, [f32; 4]); 6] = [
        ("_stiff", [0.5, 1.5, 2.5, 4.5]),
        ("arm", [0.25; 4]),
        ("color_b", [0.2; 4]),
        ("color_g", [0.0; 4]),
        ("color_r", [1.0; 4]),
        ("hem", [0.75; 4]),
    ];
    assert_eq!(attributes.len(), wanted.len(), "{attributes:?}");
    for ((name, numbers), (wanted, expected)) in attributes.iter().zip(wanted) {
        assert_eq!(name, wanted);
        assert!(numbers.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6), "{name}: {numbers:?}");
    }
    let error = parse(file(json!([1]))).unwrap_err().to_string();
    assert!(
        error.contains("t.gltf: node 0: mesh 0 \"Weave\", primitive 0: vertex 0 names joint 1; there are 1"),
        "{error}"
    );
}

#[test]
fn maps_are_read_from_files_by_their_endings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.OBJ");
    std::fs::write(&path, format!("{SQUARE}g a\nf 1 2 3\n")).unwrap();
    assert_eq!(mesh::read_maps(&path).unwrap().groups.len(), 1);
    let missing = mesh::read_maps(&folder.path().join("b.ply")).unwrap_err().to_string();
    assert!(missing.contains("b.ply: cannot be read"), "{missing}");
    std::fs::write(folder.path().join("c.off"), "OFF").unwrap();
    assert!(mesh::read_maps(&folder.path().join("c.off")).unwrap_err().to_string().contains("not a .obj"));
}

/// A glTF file of one triangle.
fn triangle() -> String {
    use base64::Engine as _;
    let numbers = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0].map(f32::to_le_bytes);
    let buffer = base64::engine::general_purpose::STANDARD.encode(numbers.concat());
    json!({
        "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "Shirt", "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "buffers": [{ "byteLength": 36, "uri": format!("data:application/octet-stream;base64,{buffer}") }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
    })
    .to_string()
}

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    property float stiff\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
    0 0 0 1\n1 0 0 2\n0 0 1 3\n3 0 1 2\n";

#[test]
fn a_mesh_and_its_maps_are_those_that_are_read_one_by_one() {
    let (obj, gltf) = (format!("{SQUARE}g a\nf 1 2 3\n"), triangle());
    for (name, text) in [("t.obj", obj.as_str()), ("t.ply", PLY), ("t.gltf", &gltf)] {
        let name = Path::new(name);
        let (mesh, maps) = mesh::parse_mapped(name, text.as_bytes()).unwrap();
        assert_eq!(mesh, mesh::parse(name, text.as_bytes()).unwrap());
        let alone = if name == Path::new("t.gltf") { gltf::parse_maps } else { mesh::parse_maps };
        assert_eq!(maps, alone(name, text.as_bytes()).unwrap());
        assert_eq!(maps.groups.len() + maps.attributes.len(), 1);
    }
}

/// A pipe gives its bytes once.
#[cfg(unix)]
#[test]
fn files_are_read_once_for_their_mesh_and_its_maps() {
    use std::sync::mpsc::channel;
    use std::time::Duration;
    let (folder, gltf) = (tempfile::tempdir().unwrap(), triangle());
    for (name, text) in [("t.ply", PLY.to_owned()), ("t.gltf", gltf)] {
        let path = folder.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (done, is_done) = channel();
        let to = path.clone();
        let writer = std::thread::spawn(move || {
            std::fs::write(&to, &text).unwrap();
            // Who reads again waits for a writer.
            let again = is_done.recv_timeout(Duration::from_secs(5)).is_err();
            if again {
                std::fs::write(&to, &text).unwrap();
            }
            again
        });
        let (mesh, _) = mesh::read_mapped(&path).unwrap();
        done.send(()).ok();
        assert!(mesh.triangles.len() == 1 && !writer.join().unwrap(), "{name} is read twice");
    }
}
