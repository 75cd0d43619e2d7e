//! The page's blocks, decoded as `src/html/README.md` says, have the numbers that went in.

use std::io::Read;
use std::path::Path;

use base64::Engine as _;
use seidel::collider::{ConvexHull, Shape};
use seidel_io::frames::{BodyHeader, ColliderHeader, FrameWriter, Header, RecordedFrame};
use seidel_io::html::HtmlWriter;

type Positions = Vec<[f32; 3]>;

fn header(side: u32) -> Header {
    let id = |i: u32, j: u32| j * side + i;
    let cells = || (1..side).flat_map(move |j| (1..side).map(move |i| (i, j)));
    let edges: Vec<_> = cells().map(|(i, j)| [id(i - 1, j), id(i, j)]).collect();
    made!(Header {
        scene: "a </script> & <b>".into(),
        fps: 50.0,
        bodies: vec![made!(BodyHeader {
            name: "cloth".into(),
            first: 0,
            count: side * side,
            thickness: 0.0,
            ..BodyHeader::default()
        })],
        triangles: cells().map(|(i, j)| [id(i - 1, j - 1), id(i, j - 1), id(i, j)]).collect(),
        tets: Vec::new(),
        rest_lengths: edges.iter().map(|e| 0.01 + e[0] as f32 * 1e-5).collect(),
        edges,
        inv_mass: (0..side * side).map(|v| if v % 7 == 3 { 0.0 } else { 1.0 }).collect(),
        colliders: vec![
            ColliderHeader::new("ground", Shape::Plane),
            ColliderHeader::new("ball", Shape::Sphere { radius: 0.25 }),
            ColliderHeader::new("hull", Shape::Hull(hull())),
        ],
    })
}

fn hull() -> std::sync::Arc<ConvexHull> {
    let corners = [[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.125]];
    std::sync::Arc::new(ConvexHull::new(&corners).unwrap())
}

/// A wave with a jump in it: residuals of all sizes.
fn wave(header: &Header, frame: usize) -> Positions {
    let t = frame as f32 * 0.02;
    let jump = if frame == 5 { 1.5 } else { 0.0 };
    (0..header.inv_mass.len())
        .map(|v| {
            let v = v as f32;
            [(v % 9.0) * 0.1, (3.0 * t + 0.3 * v).sin() - jump, -(v / 9.0).floor() * 0.1 + t * t]
        })
        .collect()
}

fn pose(frame: usize) -> [[f32; 7]; 3] {
    let still = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    [still, [frame as f32, 0.5, -0.1, 0.0, 0.6, 0.0, 0.8], still]
}

fn write(path: &Path, header: &Header, frames: &[Positions]) {
    let mut writer = HtmlWriter::new(path, header).unwrap();
    for (f, positions) in frames.iter().enumerate() {
        let frame = RecordedFrame {
            time: f as f64 / 50.0,
            positions,
            velocities: positions,
            poses: &pose(f)[..header.colliders.len()],
            rigid_poses: &[],
            energy: [1.0, -2.0],
            max_stretch: 0.125,
            densities: &[],
            ids: &[],
        };
        writer.frame(&frame).unwrap();
    }
    Box::new(writer).finish().unwrap();
}

/// A page, taken apart.
struct Page(String);

impl Page {
    fn read(path: &Path) -> Self {
        Self(std::fs::read_to_string(path).unwrap())
    }

    fn element(&self, id: &str) -> &str {
        let tail = self.0.split_once(&format!(" id=\"{id}\">")).unwrap().1;
        tail.split_once("</script>").unwrap().0
    }

    fn meta(&self) -> serde_json::Value {
        serde_json::from_str(self.element("meta")).unwrap()
    }

    fn bytes(&self, id: &str) -> Vec<u8> {
        let zlib = base64::engine::general_purpose::STANDARD.decode(self.element(id)).unwrap();
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(&zlib[..]).read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn words(&self, id: &str, stride: usize) -> Vec<u32> {
        let bytes = self.bytes(id);
        let n = bytes.len() / 4;
        let mut words: Vec<u32> = Vec::new();
        for i in 0..n {
            let folded = u32::from_le_bytes([0, 1, 2, 3].map(|plane| bytes[plane * n + i]));
            let difference = (folded >> 1) ^ (folded & 1).wrapping_neg();
            let before = if i >= stride { words[i - stride] } else { 0 };
            words.push(before.wrapping_add(difference));
        }
        words
    }

    fn floats(&self, id: &str, stride: usize) -> Vec<f32> {
        self.words(id, stride).into_iter().map(f32::from_bits).collect()
    }

    fn motion(&self) -> Vec<Vec<[f64; 3]>> {
        let meta = self.meta();
        let n = meta["vertices"].as_u64().unwrap() as usize;
        let step = meta["step"].as_f64().unwrap();
        let blocks = meta["blocks"].as_array().unwrap().len();
        let bytes: Vec<u8> = (0..blocks).flat_map(|b| self.bytes(&format!("motion-{b}"))).collect();
        let mut places: Vec<Vec<u16>> = Vec::new();
        for frame in bytes.chunks_exact((6 * n).max(1)) {
            let mut place = vec![0u16; 3 * n];
            for i in 0..3 * n {
                let (axis, v) = (i / n, i % n);
                let folded = u16::from_le_bytes([frame[2 * n * axis + v], frame[2 * n * axis + n + v]]);
                let residual = (folded >> 1) ^ (folded & 1).wrapping_neg();
                let guess = match &places[..] {
                    [] if v == 0 => 0,
                    [] => place[i - 1],
                    [last] => last[i],
                    [.., before, last] => last[i].wrapping_mul(2).wrapping_sub(before[i]),
                };
                place[i] = guess.wrapping_add(residual);
            }
            places.push(place);
        }
        let origin = |axis: usize| meta["origin"][axis].as_f64().unwrap();
        let position = |place: &[u16], v| [0, 1, 2].map(|a| origin(a) + step * f64::from(place[a * n + v]));
        places.iter().map(|place| (0..n).map(|v| position(place, v)).collect()).collect()
    }
}

#[test]
fn positions_come_back_within_the_stated_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.html");
    // Some 80 frames make several blocks of motion.
    let header = header(100);
    let frames: Vec<_> = (0..150).map(|f| wave(&header, f)).collect();
    write(&path, &header, &frames);
    let page = Page::read(&path);
    let error = page.meta()["error"].as_f64().unwrap();
    assert!(page.meta()["blocks"].as_array().unwrap().len() > 1);
    assert!(error > 0.0 && error < 3e-3, "{error}");
    let motion = page.motion();
    assert_eq!(motion.len(), frames.len());
    let pairs = motion.iter().flatten().zip(frames.iter().flatten());
    let worst =
        pairs.flat_map(|(got, want)| [0, 1, 2].map(|a| (got[a] - f64::from(want[a])).abs())).fold(0.0, f64::max);
    assert!(worst <= error * (1.0 + 1e-9), "{worst} where {error} is promised");
    assert!(worst > 0.5 * error, "the promise is not vain");
}

#[test]
fn the_scene_comes_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.html");
    let header = header(9);
    write(&path, &header, &[wave(&header, 0), wave(&header, 1), wave(&header, 2)]);
    let page = Page::read(&path);
    assert_eq!(page.words("triangles", 3), header.triangles.as_flattened());
    assert_eq!(page.words("edges", 2), header.edges.as_flattened());
    assert_eq!(page.floats("rest-lengths", 1), header.rest_lengths);
    assert_eq!(page.words("pinned", 1), (0..81).filter(|v| v % 7 == 3).collect::<Vec<_>>());
    assert_eq!(page.floats("poses", 21), [pose(0), pose(1), pose(2)].as_flattened().as_flattened());
    assert_eq!(page.floats("series", 4)[4..8], [0.02, 1.0, -2.0, 0.125]);
    let surface = hull().surface().clone();
    assert_eq!(page.floats("surface-points", 3), surface.positions.as_flattened());
    assert_eq!(page.words("surface-triangles", 3), surface.triangles.as_flattened());
    let meta = page.meta();
    assert_eq!(meta["colliders"][2]["surface"], serde_json::json!([4, 4]));
    assert!(meta["colliders"][1].get("surface").is_none());
    assert_eq!(meta["scene"], "a </script> & <b>");
    assert_eq!(meta["colliders"][1]["shape"], "sphere");
    assert!(page.0.contains("<title>a &lt;/script&gt; &amp; &lt;b&gt; · seidel</title>"));
    assert!(
        !page.0.contains("http://")
            || page.0.matches("http://").count() == page.0.matches("http://www.w3.org/2000/svg").count()
    );
}

#[test]
fn equal_frames_give_equal_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["a.html", "b.html"].map(|name| folder.path().join(name));
    let header = header(9);
    for path in [&a, &b] {
        write(path, &header, &[wave(&header, 0), wave(&header, 1)]);
    }
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
}

#[test]
fn nothing_at_all_is_a_good_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.html");
    write(&path, &Header::default(), &[]);
    let page = Page::read(&path);
    assert_eq!((page.meta()["frames"].as_u64(), page.motion().len()), (Some(0), 0));
    assert!(page.words("triangles", 3).is_empty());
    // Frames of nothing are frames.
    write(&path, &Header::default(), &[vec![], vec![]]);
    assert_eq!(Page::read(&path).meta()["frames"], 2);
}

#[test]
fn a_vertex_that_is_nowhere_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut header = header(3);
    header.bodies = vec![
        made!(BodyHeader { name: "left".into(), first: 0, count: 4, thickness: 0.0, ..BodyHeader::default() }),
        made!(BodyHeader { name: "right".into(), first: 4, count: 5, thickness: 0.0, ..BodyHeader::default() }),
    ];
    let mut writer = HtmlWriter::new(&folder.path().join("a.html"), &header).unwrap();
    let mut positions = wave(&header, 0);
    positions[6][1] = f32::NAN;
    let frame = RecordedFrame {
        time: 0.0,
        positions: &positions,
        velocities: &positions,
        poses: &pose(0),
        rigid_poses: &[],
        energy: [f64::NAN; 2],
        max_stretch: f32::NAN,
        densities: &[],
        ids: &[],
    };
    let error = writer.frame(&frame).unwrap_err().to_string();
    assert!(error.contains("frame 0: vertex 6 (body \"right\", its vertex 2) is at ["), "{error}");
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn endings_choose_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let open =
        |name: &str| seidel_io::writers::open(&folder.path().join(name), &Header::default(), &Default::default());
    for name in ["a.npz", "b.HTML", "e.Pvd"] {
        open(name).unwrap().finish().unwrap();
        assert!(folder.path().join(name).is_file());
    }
    let error = open("c.mp4").err().unwrap().to_string();
    assert!([".npz", ".html", ".glb", ".pvd", "c.mp4"].iter().all(|known| error.contains(known)), "{error}");
    let header = made!(Header { triangles: vec![[0, 1, 2]], inv_mass: vec![1.0; 2], ..Header::default() });
    let error = seidel_io::writers::open(&folder.path().join("d.html"), &header, &Default::default())
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("triangle 0 [0, 1, 2]"), "{error}");
}
