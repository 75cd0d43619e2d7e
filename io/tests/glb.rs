//! Animated models: what is written is read again, and shows each frame at its time.

use gltf::json::{Root, Value};
use seidel::collider::Shape;
use seidel_io::frames::{BodyHeader, ColliderHeader, FrameWriter, Header, RecordedFrame};
use seidel_io::glb::{GlbWriter, Interpolation};
use seidel_io::{Drawn, Error};
use std::path::Path;

/// A square with a seam along its diagonal, and a rope of two edges; a ball that moves and a ground that does not.
fn header() -> Header {
    let drawn = Drawn {
        vertex: vec![0, 1, 2, 0, 2, 3],
        triangles: vec![[0, 2, 1], [3, 5, 4]],
        uvs: vec![[0.0, 0.0], [0.25, 0.0], [0.25, 0.5], [0.5, 0.5], [0.75, 1.0], [1.0, 1.0]],
        normals: vec![
            [0.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
        ],
        ..Drawn::default()
    };
    made!(Header {
        scene: "two".into(),
        fps: 10.0,
        bodies: vec![
            made!(BodyHeader {
                name: "cloth".into(),
                first: 0,
                count: 4,
                thickness: 0.0,
                drawn: Some(drawn),
                ..BodyHeader::default()
            }),
            made!(BodyHeader { name: "rope".into(), first: 4, count: 3, thickness: 0.0, ..BodyHeader::default() }),
        ],
        triangles: vec![[0, 2, 1], [0, 3, 2]],
        edges: vec![[0, 1], [4, 5], [5, 6]],
        tets: Vec::new(),
        rest_lengths: vec![1.0; 3],
        inv_mass: vec![1.0; 7],
        colliders: vec![
            ColliderHeader::new("ball", Shape::Sphere { radius: 0.25 }),
            ColliderHeader::new("ground", Shape::Plane),
        ],
    })
}

fn positions(frame: u16) -> Vec<[f32; 3]> {
    let t = f32::from(frame) * 0.1;
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, t, 1.0]];
    let rope = [[3.0, t, 0.1], [3.0, 1.0, 0.1], [3.3, 2.0, t * t]];
    square.into_iter().chain(rope).map(|[x, y, z]| [x + 0.7 * t, y - 3.3 * t, z]).collect()
}

fn frame(time: f64, x: &[[f32; 3]], poses: &[[f32; 7]]) -> Result<(), Error> {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.glb"), &header(), &[(time, x.to_vec(), poses.to_vec())])
}

/// Time, positions and poses of a frame.
type Shown = (f64, Vec<[f32; 3]>, Vec<[f32; 7]>);

fn write(path: &Path, header: &Header, frames: &[Shown]) -> Result<(), Error> {
    let mut writer = Box::new(GlbWriter::new(path, header, Interpolation::Linear)?);
    for (time, x, poses) in frames {
        let velocities = vec![[0.0; 3]; x.len()];
        writer.frame(&RecordedFrame {
            time: *time,
            positions: x,
            velocities: &velocities,
            poses,
            rigid_poses: &[],
            energy: [0.0; 2],
            max_stretch: 0.0,
            densities: &[],
            ids: &[],
        })?;
    }
    writer.finish()
}

fn poses(frame: u16) -> Vec<[f32; 7]> {
    vec![[f32::from(frame), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0]]
}

fn run(path: &Path, frames: u16) {
    let all: Vec<_> = (0..frames).map(|f| (f64::from(f + 1) * 0.1, positions(f), poses(f))).collect();
    write(path, &header(), &all).unwrap();
}

/// A file's JSON, and its numbers.
struct File {
    root: Root,
    bin: Vec<u8>,
}

impl File {
    fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let glb = gltf::Glb::from_slice(&bytes).unwrap();
        assert_eq!(glb.header.length as usize, bytes.len());
        Self { root: Root::from_slice(&glb.json).unwrap(), bin: glb.bin.unwrap().into_owned() }
    }

    fn floats(&self, accessor: usize) -> Vec<f32> {
        let accessor = &self.root.accessors[accessor];
        let view = &self.root.buffer_views[accessor.buffer_view.unwrap().value()];
        let from = view.byte_offset.unwrap_or_default().0 + accessor.byte_offset.unwrap_or_default().0;
        let gltf::json::validation::Checked::Valid(type_) = accessor.type_ else { panic!() };
        let count = accessor.count.0 as usize * type_.multiplicity();
        self.bin[from as usize..][..4 * count]
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
            .collect()
    }

    /// The positions of a mesh with each key's weights.
    fn shown(&self, mesh: usize, key: usize) -> Vec<f32> {
        self.shown_as("POSITION", mesh, key)
    }

    fn shown_as(&self, what: &str, mesh: usize, key: usize) -> Vec<f32> {
        let primitive = serde_json::to_value(&self.root.meshes[mesh].primitives[0]).unwrap();
        let accessor = |value: &Value| value.as_u64().unwrap() as usize;
        let mut shown = self.floats(accessor(&primitive["attributes"][what]));
        let targets = primitive["targets"].as_array().unwrap();
        let weights = self.floats(self.root.animations[0].samplers[0].output.value());
        let row = &weights[key * targets.len()..][..targets.len()];
        assert_eq!(row.iter().filter(|&&w| w == 1.0).count(), 1);
        assert_eq!(row.iter().filter(|&&w| w == 0.0).count(), targets.len() - 1);
        for (target, weight) in targets.iter().zip(row) {
            for (x, delta) in shown.iter_mut().zip(self.floats(accessor(&target[what]))) {
                *x += weight * delta;
            }
        }
        shown
    }
}

#[test]
fn the_first_frame_comes_back_with_its_seams() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut alone = header();
    alone.colliders.clear();
    write(&path, &alone, &[(0.0, positions(3), Vec::new())]).unwrap();
    let (mesh, drawn) = seidel_io::gltf::read(&path).unwrap();
    assert_eq!(mesh.positions, positions(3)[..4]);
    assert_eq!(mesh.triangles, header().triangles);
    let expected = header().bodies[0].drawn.clone().unwrap();
    assert_eq!((&drawn.vertex, &drawn.triangles, &drawn.uvs), (&expected.vertex, &expected.triangles, &expected.uvs));
    // The source's normals differ along the diagonal, and so do the frame's.
    assert_eq!(drawn.normals[0], [0.0, 1.0, 0.0]);
    assert_eq!(drawn.normals[0], drawn.normals[2]);
    assert_eq!(drawn.normals[3], drawn.normals[4]);
    assert!(drawn.normals[3][0] > 0.1 && drawn.normals[3][1] > 0.1, "{:?}", drawn.normals[3]);
}

/// A square lies still, is turned a quarter about z, vanishes, and lies in a fold along its diagonal.
#[test]
fn normals_of_the_source_turn_with_the_surface() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut bent = header();
    let flat = positions(0)[..4].to_vec();
    // Leaning to all sides, two of them not of length 1, one along the surface, and one that the source does not have.
    let leaning = [[0.6, 0.8, 0.0], [0.0, 3.0, 4.0], [0.0; 3], [0.0, 0.6, -0.8], [1.0, 0.0, 0.0], [-0.3, 0.0, -0.4]];
    bent.bodies[0].rest.clone_from(&flat);
    bent.bodies[0].drawn.as_mut().unwrap().normals = leaning.to_vec();
    let shown = |cloth: Vec<[f32; 3]>| [cloth, positions(0)[4..].to_vec()].concat();
    let turned = flat.iter().map(|&[x, y, z]| [-y, x, z]).collect();
    let folded = vec![flat[0], [0.5, 0.5f32.sqrt(), 0.5], flat[2], flat[3]];
    let frames = [flat.clone(), turned, vec![[0.5, 1.0, 0.25]; 4], folded];
    let frames: Vec<_> = (0u8..).zip(frames).map(|(k, cloth)| (f64::from(k), shown(cloth), poses(0))).collect();
    write(&path, &bent, &frames).unwrap();
    let file = File::open(&path);
    let at_rest = leaning.map(|n| {
        let long = n.iter().map(|x| x * x).sum::<f32>().sqrt();
        if long > 0.0 { n.map(|x| x / long) } else { [0.0, 1.0, 0.0] }
    });
    // The second triangle does not move in the fold; the first is upright, and turned a quarter about the diagonal.
    let half = 0.5f32.sqrt();
    let mut in_fold = at_rest;
    for n in &mut in_fold[..3] {
        let [along, up, across] = [(n[0] + n[2]) * half, n[1], (n[0] - n[2]) * half];
        let (up, across) = (across, -up);
        *n = [(along + across) * half, up, (along - across) * half];
    }
    for (key, expected) in
        [at_rest, at_rest.map(|[x, y, z]| [-y, x, z]), [[0.0, 1.0, 0.0]; 6], in_fold].iter().enumerate()
    {
        let got = file.shown_as("NORMAL", 0, key);
        for (v, (got, expected)) in got.chunks_exact(3).zip(expected).enumerate() {
            let off = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 1e-6, "key {key}, vertex {v}: {got:?} {expected:?}");
        }
    }
    bent.bodies[0].rest.pop();
    let error = write(&path, &bent, &[]).unwrap_err().to_string();
    assert!(error.contains("body \"cloth\": its 4 vertices have 3 places at rest"), "{error}");
}

#[test]
fn each_key_shows_its_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    run(&path, 5);
    let file = File::open(&path);
    let keys = file.floats(file.root.animations[0].samplers[0].input.value());
    assert_eq!(keys, [0.1, 0.2, 0.3, 0.4, 0.5]);
    let drawn = header().bodies[0].drawn.clone().unwrap();
    for (key, frame) in (0..5).enumerate() {
        let x = positions(frame);
        let cloth: Vec<_> = drawn.vertex.iter().flat_map(|&v| x[v as usize]).collect();
        let rope: Vec<_> = x[4..].as_flattened().to_vec();
        for (mesh, expected) in [cloth, rope].iter().enumerate() {
            for (got, expected) in file.shown(mesh, key).iter().zip(expected) {
                let off = (got - expected).abs();
                assert!(off < 4e-7 && (key > 0 || off == 0.0), "mesh {mesh}, key {key}: {got} {expected}");
            }
        }
    }
}

#[test]
fn the_model_shows_what_the_arrays_hold() {
    let spec = seidel_io::scene::load("flag", &["cloth.resolution=12".to_owned()]).unwrap();
    let mut solver = seidel::Solver::new(&seidel_io::scene::build("flag", &spec).unwrap()).unwrap();
    let header = seidel_io::recording::header(solver.plan(), "flag", spec.fps);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut writers: Vec<_> = ["a.npz", "a.glb"]
        .iter()
        .map(|name| seidel_io::writers::open(&at(name), &header, &Default::default()).unwrap())
        .collect();
    let mut buffers = seidel_io::recording::Buffers::default();
    for _ in 0..12 {
        solver.step(&seidel::Input::frame(1.0 / 60.0));
        let plotted = seidel_io::recording::Plotted::default();
        let frame = buffers.read(solver.plan(), solver.state(), plotted);
        writers.iter_mut().for_each(|writer| writer.frame(&frame).unwrap());
    }
    writers.into_iter().for_each(|writer| writer.finish().unwrap());
    let mut zip = zip::ZipArchive::new(std::fs::File::open(at("a.npz")).unwrap()).unwrap();
    let array = npyz::NpyFile::new(zip.by_name("positions.npy").unwrap()).unwrap();
    let positions: Vec<f32> = array.into_vec().unwrap();
    let file = File::open(&at("a.glb"));
    let size = 144 * 3;
    assert_eq!(positions.len(), 12 * size);
    assert_eq!(file.shown(0, 0), positions[..size]);
    let largest = positions.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let last = &positions[11 * size..];
    assert!(last.iter().zip(&positions[..size]).any(|(a, b)| (a - b).abs() > 1e-3), "it moves");
    for (got, expected) in file.shown(0, 11).iter().zip(last) {
        assert!((got - expected).abs() <= 1e-7 * largest, "{got} {expected}");
    }
}

#[test]
fn bounds_names_colliders_and_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    run(&path, 3);
    let file = File::open(&path);
    let root: Value = serde_json::to_value(&file.root).unwrap();
    let names: Vec<_> = root["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["cloth", "rope", "ball", "ground"]);
    assert_eq!(root["meshes"][1]["primitives"][0]["mode"], 1, "a rope is lines");
    let channels = root["animations"][0]["channels"].as_array().unwrap();
    let paths: Vec<_> = channels
        .iter()
        .map(|c| (c["target"]["node"].as_u64().unwrap(), c["target"]["path"].as_str().unwrap()))
        .collect();
    assert_eq!(paths, [(0, "weights"), (1, "weights"), (2, "translation")]);
    let mut bounded = 0;
    for (i, accessor) in file.root.accessors.iter().enumerate() {
        let (Some(least), Some(most)) = (&accessor.min, &accessor.max) else { continue };
        let all = file.floats(i);
        let (least, most): (Vec<f32>, Vec<f32>) = (from(least), from(most));
        for (k, (least, most)) in least.iter().zip(&most).enumerate() {
            let column = || all.iter().skip(k).step_by(most_len(&accessor.max)).copied();
            assert_eq!(
                (column().fold(f32::INFINITY, f32::min), column().fold(f32::NEG_INFINITY, f32::max)),
                (*least, *most)
            );
            bounded += 1;
        }
    }
    assert!(bounded > 3 * (2 + 6 + 2), "{bounded}");
}

/// Everything is below one node there; without an origin no node is added.
#[test]
fn an_origin_is_a_node_above_all() {
    let folder = tempfile::tempdir().unwrap();
    let [near, far] = ["near.glb", "far.glb"].map(|name| folder.path().join(name));
    run(&near, 2);
    let mut header = header();
    header.origin = [1e4, 0.0, 7e9 + 1.0];
    let all: Vec<_> = (0..2u16).map(|f| (f64::from(f + 1) * 0.1, positions(f), poses(f))).collect();
    write(&far, &header, &all).unwrap();
    let [near, far] = [near, far].map(|path| File::open(&path));
    assert_eq!((near.root.nodes.len(), near.root.scenes[0].nodes.len()), (4, 4));
    let root: Value = serde_json::to_value(&far.root).unwrap();
    assert_eq!(root["scenes"][0]["nodes"], serde_json::json!([4]));
    let node = &root["nodes"][4];
    assert_eq!((&node["name"], &node["children"]), (&"origin".into(), &serde_json::json!([0, 1, 2, 3])));
    assert_eq!(from(&node["translation"]), [1e4, 0.0, 7e9]);
    assert_eq!(node["extras"]["origin"], serde_json::json!([1e4, 0.0, 7e9 + 1.0]));
    assert_eq!(far.shown(0, 1), near.shown(0, 1));
}

fn from(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
}

fn most_len(value: &Option<Value>) -> usize {
    value.as_ref().unwrap().as_array().unwrap().len()
}

#[test]
fn steps_stay_until_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut writer = Box::new(GlbWriter::new(&path, &header(), Interpolation::Step).unwrap());
    let velocities = [[0.0; 3]; 7];
    let (x, poses) = (positions(0), poses(0));
    writer
        .frame(&RecordedFrame {
            time: 0.0,
            positions: &x,
            velocities: &velocities,
            poses: &poses,
            rigid_poses: &[],
            energy: [0.0; 2],
            max_stretch: 0.0,
            densities: &[],
            ids: &[],
        })
        .unwrap();
    writer.finish().unwrap();
    let root: Value = serde_json::to_value(File::open(&path).root).unwrap();
    assert_eq!(root["animations"][0]["samplers"][0]["interpolation"], "STEP");
}

#[test]
fn what_cannot_be_shown_is_refused_and_leaves_nothing() {
    let mut lost = positions(0);
    lost[5][1] = f32::NAN;
    let error = frame(0.0, &lost, &poses(0)).unwrap_err().to_string();
    assert!(error.contains("frame 0: vertex 5 (body \"rope\", its vertex 1)"), "{error}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let twice = [(0.5, positions(0), poses(0)), (0.5, positions(1), poses(1))];
    let error = write(&path, &header(), &twice).unwrap_err().to_string();
    assert!(error.contains("frame 1: its time 0.5 s is not after the last"), "{error}");
    assert!(write(&path, &header(), &[]).unwrap_err().to_string().contains("no frame was written"));
    let mut wrong = header();
    wrong.bodies[0].drawn.as_mut().unwrap().vertex[2] = 4;
    assert!(
        write(&path, &wrong, &[])
            .unwrap_err()
            .to_string()
            .contains("body \"cloth\": a drawn vertex names vertex 4; there are 4")
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
