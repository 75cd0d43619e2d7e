//! Where there are no files: meshes and scenes come from bytes, and files are made in memory. All is as it is with
//! files.

use seidel::collider::Shape;
use seidel::{Plan, State};
use seidel_io::frames::{BodyHeader, ColliderHeader, FrameWriter, Header, RecordedFrame};
use seidel_io::glb::Interpolation;
use seidel_io::scene::{build, build_from, located, located_in, parse, parse_changed};
use seidel_io::writers::{self, Options};
use seidel_io::{Error, mesh, tets};
use serde_json::json;
use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;

const OBJ: &str = "g left\nv 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\ng right\nf 1 3 4\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
    property float soft\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n\
    0 0 0 0\n1 0 0 1\n1 0 1 0.5\n0 0 1 0\n3 0 1 2\n3 0 2 3\n";
const STL: &str = "solid\nfacet normal 0 1 0\n outer loop\n  vertex 0 0 0\n  vertex 1 0 1\n  vertex 1 0 0\n endloop\nendfacet\n\
    facet normal 0 1 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 1 0 1\nendloop\nendfacet\nendsolid\n";
const NODE: &str = "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n";
const ELE: &str = "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n";
const MSH: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n7 0 0 1\n8 1 1 1\n$EndNodes\n\
    $Elements\n2\n3 4 2 7 1 10 20 30 7\n4 4 0 20 30 7 8\n$EndElements\n";

/// A triangle as a binary glTF file (Khronos, glTF 2.0, section 4.4); with `neighbour` its numbers are in another file.
fn glb(neighbour: bool) -> Vec<u8> {
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let data: Vec<u8> = corners.iter().flat_map(|c| c.to_le_bytes()).collect();
    let mut buffer = json!({ "byteLength": 36 });
    if neighbour {
        buffer["uri"] = "t.bin".into();
    }
    let text = json!({
        "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }], "buffers": [buffer],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "count": 3, "componentType": 5126, "type": "VEC3" }],
    });
    let mut text = text.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |n: usize| (n as u32).to_le_bytes();
    let mut all = [b"glTF", &word(2)[..], &word(12 + 8 + text.len() + 8 + data.len())].concat();
    all.extend([&word(text.len())[..], b"JSON", &text, &word(data.len()), b"BIN\0", &data].concat());
    all
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("s.obj", OBJ.into()),
        ("s.ply", PLY.into()),
        ("s.STL", STL.into()),
        ("s.glb", glb(false)),
        ("t.node", NODE.into()),
        ("t.ele", ELE.into()),
        ("T.NODE", NODE.into()),
        ("T.ELE", ELE.into()),
        ("t.msh", MSH.into()),
    ]
}

fn bytes_of(name: &str) -> Result<Vec<u8>, Error> {
    let found = files().into_iter().find(|(of, _)| *of == name).map(|(_, bytes)| bytes);
    found.ok_or_else(|| Error::Scene(format!("{name} is not there")))
}

#[test]
fn scenes_from_bytes_are_those_from_files() {
    let folder = tempfile::tempdir().unwrap();
    files().iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
    let scene = folder.path().join("my.toml");
    let scene = scene.to_str().unwrap();
    for (text, wanted) in [
        ("[[cloth]]\nmesh = \"s.obj\"\npin_where = [{ group = \"left\" }]", &["s.obj"][..]),
        (
            "[[cloth]]\nmesh = \"s.ply\"\n[[cloth.map]]\nkey = \"friction\"\nattribute = \"soft\"\nfrom = 0\nto = 1",
            &["s.ply"],
        ),
        ("[[cloth]]\nmesh = \"s.STL\"\npin_vertices = [0]", &["s.STL"]),
        ("[[cloth]]\nmesh = \"s.glb\"", &["s.glb"]),
        ("[[soft_body]]\nmesh = \"t.ele\"", &["t.ele", "t.node"]),
        ("[[soft_body]]\nmesh = \"t.node\"", &["t.node", "t.ele"]),
        ("[[soft_body]]\nmesh = \"T.NODE\"", &["T.NODE", "T.ELE"]),
        ("[[soft_body]]\nmesh = \"t.msh\"", &["t.msh"]),
    ] {
        let spec = parse(Path::new("my.toml"), text).unwrap();
        let asked = RefCell::new(Vec::new());
        let built = build_from(&spec, u64::MAX, &|_, _| {}, |name| {
            asked.borrow_mut().push(name.to_owned());
            bytes_of(name)
        });
        assert_eq!(asked.into_inner(), wanted, "{text}");
        let [one, other] = [built.unwrap(), build(scene, &spec).unwrap()].map(|scene| Plan::new(&scene).unwrap());
        // A state tells its plan.
        assert!(State::new(&one) == State::new(&other), "{text}");
    }
}

#[test]
fn meshes_from_bytes_are_those_from_files() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files() {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        if tets::is_tets(&path) {
            assert!(mesh::parse(&path, &bytes).is_err(), "{name}");
        } else {
            assert_eq!(mesh::parse(&path, &bytes).unwrap(), mesh::read(&path).unwrap(), "{name}");
            // Cut short, and of another format, as from a file.
            for bytes in [&bytes[..bytes.len() / 2], &bytes[..1], b""] {
                std::fs::write(&path, bytes).unwrap();
                let [own, from_file] =
                    [mesh::parse(&path, bytes), mesh::read(&path)].map(|read| read.map_err(|e| e.to_string()));
                assert_eq!(own, from_file, "{name}");
            }
        }
    }
    let error = mesh::parse(Path::new("a.xyz"), b"").unwrap_err().to_string();
    assert!(error.contains("a.xyz") && error.contains(".obj"), "{error}");
    // Nothing beside a file that has no folder.
    let error = mesh::parse(Path::new("s.glb"), &glb(true)).unwrap_err().to_string();
    assert!(error.contains("s.glb: buffer 0") && !error.contains('\n'), "{error}");
}

#[test]
fn errors_of_scenes_from_bytes_say_what_and_where() {
    let text = "fps = 60\n\n[[cloth]]\nname = \"sheet\"\nmesh = \"no.obj\"\n";
    let spec = parse(Path::new("my.toml"), text).unwrap();
    let error = build_from(&spec, u64::MAX, &|_, _| {}, bytes_of).unwrap_err().to_string();
    assert_eq!(error, "cloth `sheet`: no.obj is not there");
    assert_eq!(located_in(text, &spec, &error), format!("line 5: {error} (`mesh`)"));
    // Of another text the lines are others: none is named.
    assert_eq!(located_in("[[rope]]", &spec, &error), error);
    assert_eq!(located_in("[[", &spec, &error), error);
    // With a file, the same behind its name.
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("my.toml");
    std::fs::write(&scene, text).unwrap();
    let scene = scene.to_str().unwrap();
    assert_eq!(located(scene, &spec, &error), format!("{scene}: line 5: {error} (`mesh`)"));
    let beside = build(scene, &spec).unwrap_err().to_string();
    assert!(beside.starts_with(&format!("{scene}: line 5: cloth `sheet`: ")), "{beside}");
    assert!(beside.contains("no.obj: cannot be read"), "{beside}");
    // One of a pair.
    let solid = parse(Path::new("my.toml"), "[[soft_body]]\nmesh = \"t.ele\"").unwrap();
    let error = build_from(&solid, u64::MAX, &|_, _| {}, |name| match name {
        "t.ele" => bytes_of(name),
        _ => Err(Error::Scene(format!("{name} is not there"))),
    });
    assert!(error.unwrap_err().to_string().ends_with("t.node is not there"));
    // More than there is.
    let large = parse(Path::new("my.toml"), "[[cloth]]\nresolution = 3000").unwrap();
    assert!(build_from(&large, 1 << 20, &|_, _| {}, bytes_of).is_err());
}

#[test]
fn changes_of_a_text_are_those_of_a_file() {
    let text = "[[cloth]]\nresolution = 8\n";
    let changed =
        |change: &str| parse_changed(Path::new("x.toml"), text, &[change.to_owned()]).map_err(|e| e.to_string());
    assert_eq!(changed("cloth.density=2").unwrap().cloth[0].density, Some(2.0));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.toml");
    std::fs::write(&file, text).unwrap();
    for change in ["cloth.density=2", "cloth.densty=2", "cloth", "rope.slack=true", "cloth.resolution=none", "fps=x"] {
        let own = seidel_io::scene::load(file.to_str().unwrap(), &[change.to_owned()]).map_err(|e| e.to_string());
        assert_eq!(changed(change), own, "{change}");
    }
    let none = parse_changed(Path::new("x.toml"), "frames = -1", &[]).unwrap_err().to_string();
    assert!(none.starts_with("x.toml: line 1"), "{none}");
}

fn header() -> Header {
    made!(Header {
        scene: "two".into(),
        fps: 10.0,
        bodies: vec![
            made!(BodyHeader { name: "cloth".into(), first: 0, count: 4, ..BodyHeader::default() }),
            made!(BodyHeader { name: "rope".into(), first: 4, count: 3, ..BodyHeader::default() }),
        ],
        triangles: vec![[0, 2, 1], [0, 3, 2]],
        edges: vec![[0, 1], [4, 5], [5, 6]],
        tets: Vec::new(),
        rest_lengths: vec![1.0; 3],
        inv_mass: vec![1.0; 7],
        colliders: vec![ColliderHeader::new("ball", Shape::Sphere { radius: 0.25 })],
    })
}

/// Frames that move, of which GLB keeps some apart.
fn write(writer: &mut dyn FrameWriter, frames: Range<u16>) {
    for f in frames {
        let t = f32::from(f) * 0.1;
        let positions: Vec<_> = (0..7).map(|v| [v as f32 + t * t, t, 0.5]).collect();
        let velocities: Vec<_> = positions.iter().map(|p| p.map(|x| -2.0 * x)).collect();
        let frame = RecordedFrame {
            time: f64::from(f) / 10.0,
            positions: &positions,
            velocities: &velocities,
            poses: &[[t, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
            rigid_poses: &[],
            energy: [1.0, 2.0],
            max_stretch: t,
            densities: &[],
            ids: &[],
        };
        writer.frame(&frame).unwrap();
    }
}

#[test]
fn files_in_memory_have_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for interpolation in [Interpolation::Linear, Interpolation::Step] {
        for (name, frames) in [("a.npz", 0), ("a.npz", 5), ("a.glb", 1), ("a.GLB", 5)] {
            let options = Options::default().interpolation(interpolation);
            let path = folder.path().join(name);
            let mut to_file = writers::open(&path, &header(), &options).unwrap();
            write(&mut *to_file, 0..frames);
            to_file.finish().unwrap();
            let (mut writer, memory) = writers::in_memory(name, &header(), &options).unwrap();
            write(&mut *writer, 0..frames);
            assert!(memory.take().is_empty(), "nothing before the end");
            assert!(writer.room(1000).is_ok());
            writer.finish().unwrap();
            let bytes = memory.take();
            assert!(bytes == std::fs::read(&path).unwrap(), "{name}: {} bytes", bytes.len());
            assert!(memory.take().is_empty(), "taken");
        }
    }
    for name in ["a.html", "a.pvd", "a.pc2", "a", ""] {
        let error = writers::in_memory(name, &header(), &Options::default()).err().unwrap().to_string();
        assert!(error.contains("only .npz and .glb files can be made in memory"), "{error}");
    }
    // What a file would refuse.
    let mut wrong = header();
    wrong.rest_lengths.pop();
    for name in ["a.npz", "a.glb"] {
        let own = writers::in_memory(name, &wrong, &Options::default()).err().map(|e| e.to_string());
        let path = folder.path().join(name);
        let from_file = writers::open(&path, &wrong, &Options::default()).err().map(|e| e.to_string());
        assert_eq!(own.map(|own| own.replace(name, path.to_str().unwrap())), from_file);
    }
}

/// A writer that saves itself goes on from there, in memory as in a file.
#[test]
fn a_file_in_memory_is_kept_and_gone_on_with() {
    for name in ["a.npz", "a.glb"] {
        let of = || writers::in_memory(name, &header(), &Options::default()).unwrap();
        let (mut whole, whole_file) = of();
        write(&mut *whole, 0..4);
        let mut kept = Vec::new();
        whole.save(&mut kept).unwrap();
        let (mut other, other_file) = of();
        other.load(&mut kept.as_slice()).unwrap();
        for writer in [&mut whole, &mut other] {
            write(&mut **writer, 4..7);
        }
        whole.finish().unwrap();
        other.finish().unwrap();
        assert!(whole_file.take() == other_file.take(), "{name}");
        // Cut short.
        let (mut third, _) = of();
        assert!(third.load(&mut &kept[..kept.len() - 1]).is_err(), "{name}");
    }
}
