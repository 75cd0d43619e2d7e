//! Point caches, read back by the layout that the format has.

use seidel_io::frames::{BodyHeader, FrameWriter, Header, RecordedFrame};
use seidel_io::pc2::Pc2Writer;
use std::path::Path;

fn header(bodies: &[(&str, u32)]) -> Header {
    let mut first = 0;
    let bodies = bodies
        .iter()
        .map(|&(name, count)| {
            first += count;
            made!(BodyHeader {
                name: name.into(),
                first: first - count,
                count,
                thickness: 0.0,
                ..BodyHeader::default()
            })
        })
        .collect();
    made!(Header { bodies, inv_mass: vec![1.0; first as usize], ..Header::default() })
}

fn write(path: &Path, header: &Header, frames: usize) -> Result<(), seidel_io::Error> {
    let mut writer = Box::new(Pc2Writer::new(path, header)?);
    for frame in 0..frames {
        let positions: Vec<[f32; 3]> = (0..header.inv_mass.len()).map(|v| [v as f32, frame as f32, -1.5]).collect();
        let frame = RecordedFrame {
            time: frame as f64,
            positions: &positions,
            velocities: &positions,
            poses: &[],
            rigid_poses: &[],
            energy: [0.0; 2],
            max_stretch: 0.0,
            densities: &[],
            ids: &[],
        };
        writer.frame(&frame)?;
    }
    writer.finish()
}

/// Number of points, samples, and all coordinates.
fn read(path: &Path) -> (u32, u32, Vec<f32>) {
    let bytes = std::fs::read(path).unwrap();
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    assert_eq!((&bytes[..12], u32::from_le_bytes(word(12))), (&b"POINTCACHE2\0"[..], 1));
    assert_eq!([20, 24].map(|at| f32::from_le_bytes(word(at))), [0.0, 1.0]);
    let coordinates = bytes[32..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    (u32::from_le_bytes(word(16)), u32::from_le_bytes(word(28)), coordinates)
}

#[test]
fn a_body_has_its_own_points() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pc2");
    write(&path, &header(&[("flag", 2)]), 3).unwrap();
    let wanted = (0..3).flat_map(|f| [0.0, f as f32, -1.5, 1.0, f as f32, -1.5]).collect();
    assert_eq!(read(&path), (2, 3, wanted));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn several_bodies_have_files_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(&at("a.pc2"), &header(&[("flag", 2), ("a/b", 1)]), 2).unwrap();
    assert_eq!(read(&at("a-flag.pc2")).0, 2);
    assert_eq!(read(&at("a-a_b.pc2")), (1, 2, vec![2.0, 0.0, -1.5, 2.0, 1.0, -1.5]));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    let error = write(&at("b.pc2"), &header(&[("a/b", 1), ("a:b", 1)]), 1).unwrap_err().to_string();
    assert!(error.contains("the file of body `a:b` would be another's"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}
