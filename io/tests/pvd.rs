//! Frames for VTK: the list, its folder, and the numbers in it. `.ci/files` has VTK itself read them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use quick_xml::Reader;
use quick_xml::events::Event;
use seidel::collider::Shape;
use seidel_io::frames::{BodyHeader, ColliderHeader, FluidHeader, FrameWriter, Header, RecordedFrame};
use seidel_io::pvd::PvdWriter;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

fn header() -> Header {
    made!(Header {
        bodies: vec![
            made!(BodyHeader { name: "cloth".into(), first: 0, count: 3, thickness: 0.0, ..BodyHeader::default() }),
            made!(BodyHeader { name: "rope".into(), first: 3, count: 2, thickness: 0.0, ..BodyHeader::default() }),
            made!(BodyHeader { name: "grain".into(), first: 5, count: 1, thickness: 0.0, ..BodyHeader::default() }),
        ],
        triangles: vec![[0, 1, 2]],
        edges: vec![[0, 1], [3, 4]],
        tets: Vec::new(),
        rest_lengths: vec![1.0; 2],
        inv_mass: vec![1.0; 6],
        ..Header::default()
    })
}

fn positions(frame: u16) -> Vec<[f32; 3]> {
    (0..6).map(|v| [f32::from(frame), v as f32, -0.5]).collect()
}

fn write(path: &Path, frames: u16) -> Result<(), seidel_io::Error> {
    write_as(path, &header(), frames)
}

fn write_as(path: &Path, header: &Header, frames: u16) -> Result<(), seidel_io::Error> {
    let mut writer = Box::new(PvdWriter::new(path, header)?);
    for f in 0..frames {
        let (x, velocities) = (positions(f), vec![[0.0, f32::from(f), 0.0]; 6]);
        let time = f64::from(f + 1) / 60.0;
        writer.frame(&RecordedFrame {
            time,
            positions: &x,
            velocities: &velocities,
            poses: &[],
            rigid_poses: &[],
            energy: [0.0; 2],
            max_stretch: 0.0,
            densities: &[],
            ids: &[],
        })?;
    }
    writer.finish()
}

/// Attributes of all elements of a name, and the text in each.
fn elements(path: &Path, name: &str) -> Vec<(BTreeMap<String, String>, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut reader = Reader::from_str(&text);
    let (mut found, mut open) = (Vec::new(), false);
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return found,
            Event::Start(e) | Event::Empty(e) => {
                open = e.name().as_ref() == name;
                let attribute =
                    |a: quick_xml::events::attributes::Attribute<'_>| (a.key.as_ref().to_owned(), a.value.into_owned());
                if open {
                    found.push((e.attributes().map(|a| attribute(a.unwrap())).collect(), String::new()));
                }
            }
            Event::Text(text) if open => found.last_mut().unwrap().1.push_str(&text),
            _ => open = false,
        }
    }
}

/// The bytes of a compressed array.
fn bytes(path: &Path, name: &str) -> Vec<u8> {
    let all = elements(path, "DataArray");
    let (_, text) = all.iter().find(|(attributes, _)| attributes["Name"] == name).unwrap();
    let text = text.trim();
    let word = |head: &[u8], k: usize| u64::from_le_bytes(head[8 * k..8 * k + 8].try_into().unwrap()) as usize;
    // Eight bytes are in the first twelve characters.
    let blocks = word(&STANDARD.decode(&text[..12]).unwrap()[..8], 0);
    let length = (8 * (3 + blocks)).div_ceil(3) * 4;
    let (head, data) = (STANDARD.decode(&text[..length]).unwrap(), STANDARD.decode(&text[length..]).unwrap());
    let (mut all, mut from) = (Vec::new(), 0);
    for block in 0..blocks {
        let before = all.len();
        let size = word(&head, 3 + block);
        flate2::read::ZlibDecoder::new(&data[from..from + size]).read_to_end(&mut all).unwrap();
        from += size;
        let last = word(&head, 2);
        let expected = if block + 1 == blocks && last > 0 { last } else { word(&head, 1) };
        assert_eq!(all.len() - before, expected);
    }
    assert_eq!(from, data.len());
    all
}

fn words<T, const N: usize>(bytes: &[u8], from: fn([u8; N]) -> T) -> Vec<T> {
    bytes.chunks_exact(N).map(|b| from(b.try_into().unwrap())).collect()
}

#[test]
fn the_list_has_the_times_and_the_files_the_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a & b.pvd");
    write(&path, 3).unwrap();
    let list = elements(&path, "DataSet");
    assert_eq!(list.len(), 3);
    for (f, (attributes, _)) in (0..3u16).zip(&list) {
        assert_eq!(attributes["timestep"].parse::<f64>().unwrap(), f64::from(f + 1) / 60.0);
        assert_eq!(attributes["file"], format!("a &amp; b/a &amp; b_000{f}.vtu"));
        let file = folder.path().join(format!("a & b/a & b_000{f}.vtu"));
        assert_eq!(elements(&file, "Piece")[0].0["NumberOfPoints"], "6");
        assert_eq!(elements(&file, "Piece")[0].0["NumberOfCells"], "3");
        assert_eq!(words(&bytes(&file, "Points"), f32::from_le_bytes), *positions(f).as_flattened());
        assert_eq!(words(&bytes(&file, "velocity"), f32::from_le_bytes)[16], f32::from(f));
        assert_eq!(words(&bytes(&file, "TimeValue"), f64::from_le_bytes), [f64::from(f + 1) / 60.0]);
        assert_eq!(words(&bytes(&file, "connectivity"), i64::from_le_bytes), [0, 1, 2, 3, 4, 5]);
        assert_eq!(words(&bytes(&file, "offsets"), i64::from_le_bytes), [3, 5, 6]);
        assert_eq!(bytes(&file, "types"), [5, 3, 1]);
        assert_eq!(words(&bytes(&file, "body"), u32::from_le_bytes), [0, 1, 2]);
    }
}

/// Far from the world's zero points have the digits of f64, in all parts.
#[test]
fn points_are_in_the_world() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.pvd");
    let origin = [1e4, -3e5, 7e9];
    let mut ball = ColliderHeader::new("ball", Shape::Sphere { radius: 0.5 });
    ball.rigid = Some(0);
    let mut header = made!(Header { origin, colliders: vec![ball], ..header() });
    header.bodies[2].fluid = Some(FluidHeader::new(0.1, 1000.0));
    let mut writer = Box::new(PvdWriter::new(&path, &header).unwrap());
    let x = positions(1);
    let frame = RecordedFrame {
        poses: &[[0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
        velocities: &x,
        densities: &[1.0],
        ids: &[0],
        ..RecordedFrame::new(0.0, &x)
    };
    writer.frame(&frame).unwrap();
    writer.finish().unwrap();
    let points = |part: &str| {
        let file = folder.path().join(format!("far/far{part}_0000.vtu"));
        let arrays = elements(&file, "DataArray");
        let is_wide = arrays.iter().any(|(at, _)| at["Name"] == "Points" && at["type"] == "Float64");
        assert!(is_wide, "{part}");
        words(&bytes(&file, "Points"), f64::from_le_bytes)
    };
    let world = |x: &[f32; 3]| [0, 1, 2].map(|k| origin[k] + f64::from(x[k]));
    assert_eq!(points(""), x[..5].iter().flat_map(world).collect::<Vec<_>>());
    assert_eq!(points("_fluid"), world(&x[5]));
    let heights: Vec<f64> = points("_rigid").iter().skip(1).step_by(3).copied().collect();
    assert!(heights.iter().all(|y| (y - (origin[1] + 2.0)).abs() <= 0.5 + 1e-6) && heights.len() > 8);
}

/// Rigid bodies: a part of its own, whose vertices go with the poses; frames of a longer run are replaced in both
/// parts.
#[test]
fn rigid_bodies_are_the_second_part() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pvd");
    let collider = |name: &str, shape, rigid| {
        let mut collider = ColliderHeader::new(name, shape);
        collider.rigid = rigid;
        collider
    };
    let header = made!(Header {
        colliders: vec![
            collider("ground", Shape::Plane, None),
            collider("box", Shape::Cuboid { half: [1.0, 2.0, 3.0].into() }, Some(0)),
            collider("ball", Shape::Sphere { radius: 0.5 }, Some(1)),
        ],
        ..header()
    });
    let half = std::f32::consts::FRAC_1_SQRT_2;
    for frames in [3u16, 2] {
        let mut writer = Box::new(PvdWriter::new(&path, &header).unwrap());
        for f in 0..frames {
            let quarter = [10.0, f32::from(f), 0.0, 0.0, 0.0, half, half];
            let poses = [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], quarter, [0.0, 0.0, f32::from(f), 0.0, 0.0, 0.0, 1.0]];
            let frame = RecordedFrame {
                time: f64::from(f),
                positions: &positions(f),
                velocities: &positions(f),
                poses: &poses,
                rigid_poses: &[],
                energy: [0.0; 2],
                max_stretch: 0.0,
                densities: &[],
                ids: &[],
            };
            writer.frame(&frame).unwrap();
        }
        writer.finish().unwrap();
    }
    let parts: Vec<_> =
        elements(&path, "DataSet").into_iter().map(|(at, _)| (at["part"].clone(), at["file"].clone())).collect();
    let expected =
        [("0", "a/a_0000.vtu"), ("1", "a/a_rigid_0000.vtu"), ("0", "a/a_0001.vtu"), ("1", "a/a_rigid_0001.vtu")];
    assert_eq!(parts, expected.map(|(part, file)| (part.to_owned(), file.to_owned())));
    assert_eq!(std::fs::read_dir(folder.path().join("a")).unwrap().count(), 4, "frames of the longer run are gone");
    let file = folder.path().join("a/a_rigid_0001.vtu");
    let x = words(&bytes(&file, "Points"), f32::from_le_bytes);
    // A quarter turn about z takes x to y: the box reaches two metres along x and one along y.
    let about = |from: usize, count: usize, k: usize| {
        let of = x[3 * from..3 * (from + count)].iter().skip(k).step_by(3);
        of.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], &x| [low.min(x), high.max(x)])
    };
    let near = |[a, b]: [f32; 2], [c, d]: [f32; 2]| (a - c).abs() < 1e-5 && (b - d).abs() < 1e-5;
    assert!(near(about(0, 8, 0), [8.0, 12.0]) && near(about(0, 8, 1), [0.0, 2.0]) && near(about(0, 8, 2), [-3.0, 3.0]));
    let ball = x.len() / 3 - 8;
    assert!(near(about(8, ball, 1), [-0.5, 0.5]) && near(about(8, ball, 2), [0.5, 1.5]));
    let of = words(&bytes(&file, "body"), u32::from_le_bytes);
    assert!(of[..12] == [3; 12] && of[12..].iter().all(|&body| body == 4), "three bodies come before");
    assert!(elements(&file, "PointData").is_empty());
}

#[test]
fn large_arrays_are_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pvd");
    let positions: Vec<[f32; 3]> = (0..50_000).map(|v| [v as f32, 0.25, -1.0]).collect();
    let header = made!(Header { inv_mass: vec![1.0; positions.len()], ..Header::default() });
    let mut writer = Box::new(PvdWriter::new(&path, &header).unwrap());
    let frame = RecordedFrame {
        time: 0.0,
        positions: &positions,
        velocities: &positions,
        poses: &[],
        rigid_poses: &[],
        energy: [0.0; 2],
        max_stretch: 0.0,
        densities: &[],
        ids: &[],
    };
    writer.frame(&frame).unwrap();
    writer.finish().unwrap();
    let read = bytes(&folder.path().join("a/a_0000.vtu"), "Points");
    assert_eq!(words(&read, f32::from_le_bytes), *positions.as_flattened());
}

#[test]
fn other_files_stay_and_a_writer_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pvd");
    drop(PvdWriter::new(&path, &header()).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    std::fs::create_dir(folder.path().join("a")).unwrap();
    std::fs::write(folder.path().join("a/mine.txt"), "mine").unwrap();
    write(&path, 2).unwrap();
    write(&path, 1).unwrap();
    assert_eq!(elements(&path, "DataSet").len(), 1);
    let frames = std::fs::read_dir(folder.path().join("a")).unwrap().count();
    assert_eq!((frames, std::fs::read_dir(folder.path()).unwrap().count()), (2, 2), "the longer run's frames are gone");
    assert_eq!(std::fs::read(folder.path().join("a/mine.txt")).unwrap(), b"mine");
    std::fs::write(folder.path().join("b"), "a file").unwrap();
    let error = write(&folder.path().join("b.pvd"), 1).unwrap_err().to_string();
    assert!(error.contains("b.pvd: frames go into the folder") && error.contains("which is a file"), "{error}");
}

/// Runs that end at once: the list is of one of them, and so are all frames.
#[test]
fn runs_that_end_at_once_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pvd");
    for _ in 0..10 {
        std::thread::scope(|scope| {
            for frames in [1, 4, 7] {
                let path = &path;
                scope.spawn(move || write(path, frames).unwrap());
            }
        });
        let list = elements(&path, "DataSet").len();
        assert_eq!(std::fs::read_dir(folder.path().join("a")).unwrap().count(), list);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// A link to a folder stays one, and what else is in the folder stays there.
#[cfg(unix)]
#[test]
fn a_linked_folder_gets_the_frames() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("big")).unwrap();
    std::fs::write(at("big/a_.vtu"), "mine").unwrap();
    std::os::unix::fs::symlink("big", at("a")).unwrap();
    write(&at("a.pvd"), 3).unwrap();
    write(&at("a.pvd"), 2).unwrap();
    assert!(at("a").is_symlink());
    assert_eq!(std::fs::read(at("big/a_.vtu")).unwrap(), b"mine");
    assert_eq!(std::fs::read_dir(at("big")).unwrap().count(), 3);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}
