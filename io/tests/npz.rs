//! An archive read back by another reader has the numbers that went in.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use npyz::{Deserialize, NpyFile};
use seidel::collider::Shape;
use seidel_io::frames::{BodyHeader, ColliderHeader, FrameWriter, Header, RecordedFrame};
use seidel_io::npz::NpzWriter;

fn header() -> Header {
    made!(Header {
        scene: "two bodies".into(),
        fps: 60.0,
        bodies: vec![
            made!(BodyHeader { name: "tuch".into(), first: 0, count: 3, thickness: 0.0, ..BodyHeader::default() }),
            made!(BodyHeader {
                name: "Ärmel ✂".into(), first: 3, count: 1, thickness: 0.0, ..BodyHeader::default()
            }),
        ],
        triangles: vec![[0, 1, 2]],
        tets: vec![[2, 1, 0, 3]],
        edges: vec![[0, 1], [2, 3]],
        rest_lengths: vec![1.0, 0.5],
        inv_mass: vec![0.0, 1.0, 1.0, 2.0],
        colliders: vec![ColliderHeader::new("ground", Shape::Plane)],
        rigid_names: vec!["crate".into(), "hammer".into()],
    })
}

fn write(path: &Path, header: &Header, frames: u16) {
    let mut writer = NpzWriter::new(path, header).unwrap();
    add(&mut writer, header, 0..frames);
    Box::new(writer).finish().unwrap();
}

fn add(writer: &mut NpzWriter, header: &Header, frames: Range<u16>) {
    let (n, k) = (header.inv_mass.len(), header.colliders.len());
    for f in frames {
        let positions: Vec<_> = (0..n).map(|v| [f32::from(f), v as f32, -0.5]).collect();
        let velocities: Vec<_> = positions.iter().map(|p| p.map(|x| -2.0 * x)).collect();
        writer
            .frame(&RecordedFrame {
                time: f64::from(f) / 60.0,
                positions: &positions,
                velocities: &velocities,
                poses: &vec![[0.0, f32::from(f), 0.0, 0.0, 0.0, 0.0, 1.0]; k],
                rigid_poses: &vec![[-1.0, f32::from(f), 0.5, 0.0, 0.0, 0.0, 1.0]; header.rigid_names.len()],
                energy: [0.0; 2],
                max_stretch: 0.0,
                densities: &[],
                ids: &[],
            })
            .unwrap();
    }
}

fn read<T: Deserialize>(path: &Path, name: &str) -> (Vec<u64>, String, Vec<T>) {
    let mut zip = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let array = NpyFile::new(zip.by_name(&format!("{name}.npy")).unwrap()).unwrap();
    (array.shape().to_vec(), array.dtype().descr(), array.into_vec().unwrap())
}

#[test]
fn numbers_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    write(&path, &header(), 5);

    let (shape, dtype, positions) = read::<f32>(&path, "positions");
    assert_eq!((shape, dtype.as_str()), (vec![5, 4, 3], "'<f4'"));
    assert_eq!(positions[4 * 12 + 9..], [4.0, 3.0, -0.5]);
    let (shape, _, velocities) = read::<f32>(&path, "velocities");
    assert_eq!((shape, velocities[12..15].to_vec()), (vec![5, 4, 3], vec![-2.0, 0.0, 1.0]));
    let (shape, _, poses) = read::<f32>(&path, "collider_poses");
    assert_eq!((shape, poses[4 * 7 + 1]), (vec![5, 1, 7], 4.0));
    let (shape, dtype, poses) = read::<f32>(&path, "rigid_poses");
    assert_eq!((shape, dtype.as_str()), (vec![5, 2, 7], "'<f4'"));
    assert_eq!(poses[9 * 7..], [-1.0, 4.0, 0.5, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(read::<String>(&path, "rigid_names").2, ["crate", "hammer"]);
    assert_eq!(read::<f64>(&path, "time").2[3], 0.05);
    assert_eq!(read::<u32>(&path, "tetrahedra"), (vec![1, 4], "'<u4'".into(), vec![2, 1, 0, 3]));
    assert_eq!(read::<u32>(&path, "triangles"), (vec![1, 3], "'<u4'".into(), vec![0, 1, 2]));
    assert_eq!(read::<u32>(&path, "edges"), (vec![2, 2], "'<u4'".into(), vec![0, 1, 2, 3]));
    assert_eq!(read::<f32>(&path, "rest_lengths").2, [1.0, 0.5]);
    assert_eq!(read::<f32>(&path, "inv_mass").2, [0.0, 1.0, 1.0, 2.0]);
    assert_eq!(read::<u32>(&path, "body_first").2, [0, 3]);
    assert_eq!(read::<String>(&path, "body_names"), (vec![2], "'<U7'".into(), vec!["tuch".into(), "Ärmel ✂".into()]));
    assert_eq!(read::<String>(&path, "collider_names").2, ["ground"]);
}

#[test]
fn nothing_at_all_is_a_good_archive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.npz");
    write(&path, &Header::default(), 0);
    assert_eq!(read::<f32>(&path, "positions").0, [0, 0, 3]);
    assert_eq!(read::<String>(&path, "body_names").0, [0]);
}

#[test]
fn equal_frames_give_equal_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["a.npz", "b.npz"].map(|name| folder.path().join(name));
    write(&a, &header(), 2);
    write(&b, &header(), 2);
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
}

/// A recording that goes on from what another writer has saved is the whole one.
#[test]
fn what_goes_on_is_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole.npz", "parts.npz"].map(|name| folder.path().join(name));
    write(&whole, &header(), 5);
    let (mut first, mut kept) = (NpzWriter::new(&parts, &header()).unwrap(), Vec::new());
    add(&mut first, &header(), 0..3);
    first.save(&mut kept).unwrap();
    drop(first);
    let mut second = Box::new(NpzWriter::new(&parts, &header()).unwrap());
    second.load(&mut &kept[..]).unwrap();
    add(&mut second, &header(), 3..5);
    second.finish().unwrap();
    assert!(std::fs::read(whole).unwrap() == std::fs::read(parts).unwrap());
}

#[test]
fn a_writer_dropped_before_its_end_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let mut writer = NpzWriter::new(&path, &header()).unwrap();
    let short = RecordedFrame {
        time: 0.0,
        positions: &[[0.0; 3]; 3],
        velocities: &[[0.0; 3]; 4],
        poses: &[[0.0; 7]],
        rigid_poses: &[[0.0; 7]; 2],
        energy: [0.0; 2],
        max_stretch: 0.0,
        densities: &[],
        ids: &[],
    };
    let error = writer.frame(&short).unwrap_err().to_string();
    assert!(error.ends_with("frame 0: 3 positions where the header says 4"), "{error}");
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// 4.5 GiB of zeros: more than an archive without zip64 can hold. Slow, so run by name.
#[test]
#[ignore = "writes 9 GiB"]
fn more_than_four_gib() {
    let folder = tempfile::tempdir_in(std::env::var_os("SEIDEL_BIG_DIR").unwrap_or(".".into())).unwrap();
    let path = folder.path().join("big.npz");
    let header = made!(Header { inv_mass: vec![1.0; 1 << 22], ..Header::default() });
    let mut writer = NpzWriter::new(&path, &header).unwrap();
    let still = vec![[0.0; 3]; 1 << 22];
    for _ in 0..90 {
        let frame = RecordedFrame {
            time: 0.0,
            positions: &still,
            velocities: &still,
            poses: &[],
            rigid_poses: &[],
            energy: [0.0; 2],
            max_stretch: 0.0,
            densities: &[],
            ids: &[],
        };
        writer.frame(&frame).unwrap();
    }
    Box::new(writer).finish().unwrap();
    if let Some(copy) = std::env::var_os("SEIDEL_BIG_KEEP") {
        std::fs::rename(&path, copy).unwrap();
        return;
    }
    let mut zip = zip::ZipArchive::new(File::open(&path).unwrap()).unwrap();
    let array = NpyFile::new(zip.by_name("positions.npy").unwrap()).unwrap();
    assert_eq!(array.shape(), [90, 1 << 22, 3]);
}

#[test]
fn an_origin_is_an_array_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let [near, far] = ["near.npz", "far.npz"].map(|name| folder.path().join(name));
    write(&near, &header(), 2);
    let mut header = header();
    header.origin = [1e4, -3e5, 7e9 + 0.125];
    write(&far, &header, 2);
    assert_eq!(read::<f64>(&far, "origin"), (vec![3], "'<f8'".into(), vec![1e4, -3e5, 7e9 + 0.125]));
    assert_eq!(read::<f32>(&far, "positions"), read::<f32>(&near, "positions"));
    let names = |path| {
        let zip = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
        zip.file_names().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(&near).len() + 1, names(&far).len());
    assert!(!names(&near).contains(&"origin.npy".to_owned()));
}
