//! PLY and STL files: what is read, what is refused and where, and any bytes without a panic.

use proptest::prelude::*;
use seidel::Mesh;
use seidel_io::mesh::{parse_ply, parse_stl, read, write};
use std::path::Path;

fn ply(bytes: impl AsRef<[u8]>) -> Result<Mesh, String> {
    let error = |e: seidel_io::Error| e.to_string().strip_prefix("t.ply: ").unwrap().to_owned();
    parse_ply(Path::new("t.ply"), bytes.as_ref()).map_err(error)
}

fn stl(bytes: impl AsRef<[u8]>) -> Result<Mesh, String> {
    let error = |e: seidel_io::Error| e.to_string().strip_prefix("t.stl: ").unwrap().to_owned();
    parse_stl(Path::new("t.stl"), bytes.as_ref()).map_err(error)
}

const HEADER: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                      element face 1\nproperty list uchar int vertex_indices\nend_header\n";

fn text(rows: &str) -> String {
    format!("ply\nformat ascii 1.0\ncomment made by hand\n{HEADER}{rows}")
}

fn square() -> Vec<[f32; 3]> {
    vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]]
}

const FOUR: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n";

#[test]
fn ply_in_three_encodings() {
    let expected = Mesh { positions: square(), triangles: vec![[3, 0, 1], [3, 1, 2]] };
    assert_eq!(ply(text(&format!("{FOUR}4 3 0 1 2\n"))).unwrap(), expected);
    assert_eq!(ply(text(&format!("{FOUR}4 3 0 1 2")).replace('\n', "\r\n")).unwrap(), expected);
    for big in [false, true] {
        let name = if big { "binary_big_endian" } else { "binary_little_endian" };
        let mut bytes = format!("ply\nformat {name} 1.0\n{HEADER}").into_bytes();
        let float = |c: &f32| if big { c.to_be_bytes() } else { c.to_le_bytes() };
        bytes.extend(square().as_flattened().iter().flat_map(float));
        bytes.push(4);
        bytes.extend([3i32, 0, 1, 2].iter().flat_map(|v| if big { v.to_be_bytes() } else { v.to_le_bytes() }));
        assert_eq!(ply(&bytes).unwrap(), expected, "{name}");
        let short = ply(&bytes[..bytes.len() - 1]).unwrap_err();
        assert!(short.starts_with("face 0 of 1: "), "{short}");
    }
}

#[test]
fn ply_of_other_types_and_with_more_in_it() {
    let more = "ply\nformat ascii 1.0\nelement face 1\nproperty uchar red\nproperty list uint8 uint16 vertex_index\n\
                element vertex 3\nproperty double z\nproperty int x\nproperty short y\nproperty list uchar float w\n\
                element edge 1\nproperty int vertex1\nend_header\n9 3 0 1 2\n0.5 1 2 0\n0.25 3 4 1 9\n1e-3 5 -6 2 9 9\n7\n";
    let mesh = ply(more).unwrap();
    assert_eq!(mesh.positions, [[1.0, 2.0, 0.5], [3.0, 4.0, 0.25], [5.0, -6.0, 1e-3]]);
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
}

#[test]
fn ply_refusals_name_the_row() {
    let refuse = |bytes: &str| ply(bytes).unwrap_err();
    assert_eq!(refuse(""), "it does not begin with `ply`; it is empty, or not a PLY file");
    assert_eq!(refuse("ply\nformat ascii 1.0\n"), "no line `end_header` in its first 21 bytes");
    assert_eq!(refuse("ply\nformat ascii 1.0\nelemnt x\nend_header\n"), "line 3: `elemnt x` is no line of a header");
    assert_eq!(
        refuse(&text(&format!("{FOUR}3 0 1 4\n"))),
        "face 0: corner 4 names no vertex: there are 4, and the first is 0"
    );
    assert_eq!(
        refuse(&text(&format!("{FOUR}3 0 1 -1\n"))),
        "line 15, face 0 of 1: a corner is negative, or no whole number"
    );
    assert_eq!(refuse(&text(&format!("{FOUR}2 0 1\n"))), "line 15, face 0 of 1: 2 corners; a face has three or more");
    assert_eq!(refuse(&text("0 0 0\n1 0\n")), "line 12, vertex 1 of 4: `1 0` is not 3 numbers or lists of numbers");
    assert_eq!(refuse(&text(FOUR)), "the header says 1 of `face`, and 0 bytes are left");
    let counts = text(FOUR).replace("vertex 4", "vertex 18446744073709551615");
    assert_eq!(refuse(&counts), "the header says 18446744073709551615 of `vertex`, and 26 bytes are left");
    let nothing = refuse("ply\nformat binary_little_endian 1.0\nelement a 9\nend_header\n123456789");
    assert!(nothing.starts_with("element `a`: "), "{nothing}");
    assert!(refuse(&text(FOUR).replace("float z", "float y")).contains("have the same name"));
    assert!(refuse(&text(FOUR).replace("property float z\n", "")).starts_with("element `vertex`: "));
    let none = text(FOUR).replace("face 1", "face 0");
    assert_eq!(refuse(&none), "4 vertices, but no faces; export the mesh with them");
}

fn binary_stl(triangles: &[[[f32; 3]; 3]], count: u32, head: &[u8]) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.resize(80, b' ');
    bytes.extend(count.to_le_bytes());
    for t in triangles {
        bytes.extend([0; 12]);
        bytes.extend(t.as_flattened().iter().flat_map(|c| c.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

const TEXT: &str = "solid\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 1 1 0\n endloop\nendfacet\n\
                    endsolid\n\nSOLID two\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX -0 0 0\nVERTEX 1 1 0\nVERTEX 0 1 5E-1\n\
                    ENDLOOP\nENDFACET\nENDSOLID two\n";

#[test]
fn stl_corners_at_one_place_are_one_vertex() {
    let expected = Mesh { positions: square(), triangles: vec![[0, 1, 2], [0, 2, 3]] };
    assert_eq!(stl(TEXT).unwrap(), expected);
    assert_eq!(stl(TEXT.replace('\n', "\r\n")).unwrap(), expected);
    let [a, b, c, d] = square()[..] else { panic!("four") };
    let triangles = [[a, b, c], [[-0.0, 0.0, 0.0], c, d]];
    for head in ["", "solid", "solid of a CAD program\n", "x"] {
        assert_eq!(stl(binary_stl(&triangles, 2, head.as_bytes())).unwrap(), expected, "{head:?}");
    }
    let longer = [binary_stl(&triangles, 2, b""), vec![0; 9]].concat();
    assert_eq!(stl(longer).unwrap(), expected);
}

#[test]
fn stl_refusals_name_the_line() {
    let refuse = |bytes: &[u8]| stl(bytes).unwrap_err();
    assert_eq!(refuse(b""), "it begins with no `solid` and has no 84 bytes; it is empty, or not an STL file");
    assert_eq!(refuse(b"solid a\nendsolid a\n"), "no triangles; export the mesh with them");
    let short = binary_stl(&[[[0.0; 3]; 3]], u32::MAX, b"");
    assert_eq!(
        refuse(&short),
        "a binary file of 4294967295 triangles has 214748364834 bytes, and this one 134; it is cut short"
    );
    let replaced = |from: &str, to: &str| refuse(TEXT.replacen(from, to, 1).as_bytes());
    assert!(
        replaced("vertex 1 0 0", "vertex 1 x 0").starts_with("line 5: "),
        "{}",
        replaced("vertex 1 0 0", "vertex 1 x 0")
    );
    assert!(replaced("VERTEX 1 1 0", "VERTEX 1 NAN 0").starts_with("line 15: expected finite"));
    assert_eq!(replaced("SOLID two", "two"), "line 11: `two` where `solid` should be");
    let cut = refuse(&TEXT.as_bytes()[..60]);
    assert!(cut.starts_with("line 5: "), "{cut}");
}

#[test]
fn files_are_known_by_their_extension_and_written_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.STL"), TEXT).unwrap();
    let mesh = read(path("a.STL")).unwrap();
    write(&path("b.PLY"), &mesh).unwrap();
    assert_eq!(read(path("b.PLY")).unwrap(), mesh);
    write(&path("c.obj"), &mesh).unwrap();
    assert_eq!(read(path("c.obj")).unwrap(), mesh);
    for name in ["d.stl", "d.node", "d.msh"] {
        let error = write(&path(name), &mesh).unwrap_err().to_string();
        assert!(
            error.ends_with(&format!("{name}: triangles are written as .obj or .ply; name such a file")),
            "{error}"
        );
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

/// What would be millions of words is refused before it is taken apart, and in no time.
#[test]
fn endless_lines() {
    let words = "1 ".repeat(1 << 22);
    let start = std::time::Instant::now();
    let told = ply(text(&format!("{FOUR}{words}\n"))).unwrap_err();
    assert_eq!(told, "line 15, face 0 of 1: longer than 1048576 bytes");
    assert_eq!(stl(format!("solid {words}\n{words}")).unwrap_err(), "line 2: longer than 65536 bytes");
    assert_eq!(stl(TEXT.replacen("solid", &format!("solid {words}"), 1)).unwrap().triangles.len(), 2);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..400, byte: u8) {
        let _ = (ply(&bytes), stl(&bytes));
        let _ = ply([b"ply\nformat ascii 1.0\n", &bytes[..]].concat());
        let _ = stl([b"solid ", &bytes[..]].concat());
        // One byte that is wrong.
        for mut good in [text(&format!("{FOUR}4 3 0 1 2\n")).into_bytes(), TEXT.into(), binary_stl(&[[[0.5; 3]; 3]; 3], 3, b"")] {
            let at = at % good.len();
            good[at] = byte;
            let _ = (ply(&good), stl(&good));
        }
    }

    #[test]
    fn ply_round_trip(
        positions in prop::collection::vec(prop::array::uniform3(any::<f32>()), 1..20),
        corners in prop::collection::vec(prop::array::uniform3(0usize..1000), 1..20),
    ) {
        let triangles = corners.iter().map(|t| t.map(|v| (v % positions.len()) as u32)).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.ply");
        let mesh = Mesh { positions, triangles };
        write(&path, &mesh).unwrap();
        let again = read(&path).unwrap();
        let bits = |m: &Mesh| m.positions.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!((bits(&again), &again.triangles), (bits(&mesh), &mesh.triangles));
    }
}

/// A strip turns every other triangle round; -1 and a corner twice begin anew.
#[test]
fn ply_strips_are_triangles() {
    let strips = |rows: &str, count: usize| {
        let vertices = "element vertex 5\nproperty float x\nproperty float y\nproperty float z\n";
        let list = "property list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 0 1\n1 0 1\n2 0 1\n";
        ply(format!("ply\nformat ascii 1.0\n{vertices}element tristrips {count}\n{list}{rows}"))
    };
    let mesh = strips("5 0 1 2 3 4\n", 1).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    assert_eq!(strips("7 0 1 2 -1 1 3 2\n", 1).unwrap().triangles, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(strips("6 0 1 2 2 3 4\n", 1).unwrap().triangles, [[0, 1, 2], [3, 2, 4]]);
    assert!(strips("3 0 1 -2\n", 1).unwrap_err().contains("negative"));
    assert!(strips("3 0 1 9\n", 1).unwrap_err().contains("names no vertex"));
}
