//! OBJ files: what is read, what is refused and where, and any bytes without a panic.

use proptest::prelude::*;
use seidel::mesh::Mesh;
use seidel_io::{Error, mesh};
use std::path::Path;

fn parse(text: &str) -> Mesh {
    mesh::parse_obj(Path::new("t.obj"), text.as_bytes()).unwrap()
}

fn refuse(bytes: impl AsRef<[u8]>) -> String {
    let error = mesh::parse_obj(Path::new("t.obj"), bytes.as_ref()).unwrap_err().to_string();
    error.strip_prefix("t.obj: ").unwrap().to_owned()
}

const FOUR: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn vertices_keep_their_order_and_their_number() {
    let mesh = parse("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 0 0\nv 0 1 0\nf 5 3 2\n");
    assert_eq!(mesh.positions[0], [9.0; 3]);
    assert_eq!(mesh.positions.len(), 5);
    assert_eq!(mesh.triangles, [[4, 2, 1]]);
}

#[test]
fn objects_and_groups_are_one_mesh() {
    let mesh = parse(
        "mtllib none.mtl\no a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\ns off\nf 3 1 2\n\
         g b\nf 1 4 2\no c\nv 2 2 2\nf -1 -3 -2\n",
    );
    assert_eq!(mesh.positions.len(), 4);
    assert_eq!(mesh.triangles, [[2, 0, 1], [0, 3, 1], [3, 1, 2]]);
}

#[test]
fn polygons_are_fans() {
    let pentagon = format!("{FOUR}v 0 0 1\nf 2 3 4 5 1\n");
    assert_eq!(parse(&pentagon).triangles, [[1, 2, 3], [1, 3, 4], [1, 4, 0]]);
    assert_eq!(parse(&format!("{FOUR}f 1 2 3 4")).triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn every_form_of_a_corner() {
    for face in ["f 1 2 3", "f 1/1 2/1 3/1", "f 1//1 2//1 3//1", "f 1/1/1 2/1/1 3/1/1", "f -4 -3 -2"] {
        for lines in ["", "vt 0 0\nvn 0 0 1\n"] {
            assert_eq!(parse(&format!("{FOUR}{lines}{face}\n")).triangles, [[0, 1, 2]]);
        }
    }
    // Nothing is asked of texture coordinates and normals that are not there.
    assert_eq!(parse(&format!("{FOUR}vt 0 0\nf 1/-9223372036854775807 2/9 3/7\n")).triangles.len(), 1);
}

#[test]
fn lines_points_curves_and_comments_are_passed_over() {
    let rest = "#no space\n# l\nl 1 2 3\np 1\nvp 0.1 0.2\ncurv 0 1 1 2\n\nfoo\nf 1 2 3 # a face\n";
    assert_eq!(parse(&format!("{FOUR}{rest}")).triangles, [[0, 1, 2]]);
    let mut latin = b"# cr\xe9\xe9 par\no caf\xe9\n".to_vec();
    latin.extend(format!("{FOUR}f 1 2 3").bytes());
    assert!(mesh::parse_obj(Path::new("t.obj"), &latin).is_ok());
}

#[test]
fn line_ends() {
    let unix = format!("{FOUR}f 1 2 3\n");
    let expected = parse(&unix);
    assert_eq!(parse(&unix.replace('\n', "\r\n")), expected);
    assert_eq!(parse(unix.trim_end()), expected);
    assert_eq!(parse(&format!("\u{feff}{unix}")), expected);
    assert_eq!(parse(&unix.replace(' ', "\t ")), expected);
    assert_eq!(parse(&unix.replace("f 1", "f 1 \\\n  ").replace("v 1", "v \\\r\n1")), expected);
    // A backslash that ends a comment continues nothing.
    assert_eq!(parse(&format!("# C:\\meshes\\\n{unix}")), expected);
}

#[test]
fn numbers() {
    let mesh = parse("v nan inf -Infinity\nv 1e400 .5 -5.\nv +1 1E-50 3 0.5\nv 0 0 0 1 0.5 0\nf 1 2 3");
    assert!(mesh.positions[0][0].is_nan());
    assert_eq!(mesh.positions[0][1..], [f32::INFINITY, f32::NEG_INFINITY]);
    assert_eq!(mesh.positions[1], [f32::INFINITY, 0.5, -5.0]);
    // A weight does not scale, a color is no place.
    assert_eq!(mesh.positions[2..], [[1.0, 0.0, 3.0], [0.0; 3]]);
}

#[test]
fn vertex_numbers_beyond_one_half() {
    let mut text = String::from("f 1 65536 65537\nf 70000 65538 131\n");
    for k in 0..70_000 {
        text += &format!("v {k} 0 0\n");
    }
    assert_eq!(parse(&text).triangles, [[0, 65535, 65536], [69_999, 65537, 130]]);
}

#[test]
fn refusals_name_line_and_remedy() {
    assert_eq!(refuse(""), "no `v` line; it is empty, or not an OBJ file");
    assert_eq!(refuse("ply\nformat ascii 1.0\n"), "no `v` line; it is empty, or not an OBJ file");
    assert_eq!(refuse(FOUR), "4 vertices, but no `f` line; export the mesh with its faces");
    assert_eq!(refuse("v 0 0 0\nv 1,5 0 0\n"), "line 2: x is not a number such as -1.5e-3 in `v 1,5 0 0`");
    assert_eq!(refuse("\n\nv 0 0\n"), "line 3: no z coordinate in `v 0 0`");
    assert!(refuse(format!("{FOUR}f 1 2\n")).starts_with("line 5: fewer than three corners"));
    assert!(refuse(format!("{FOUR}\n\nf 1 2 x\nf 1 2 3\n")).starts_with("line 7: face parse error in `f 1 2 x`"));
    assert!(refuse(format!("{FOUR}f 1 2 99999999999999999999")).starts_with("line 5: face parse error"));
    assert_eq!(
        refuse(format!("f 1 2 3\n{FOUR}f 1 \\\n2 3\nf 2 3 5/1\n")),
        "line 8: corner `5/1` names no vertex: there are 4, 4 of them above the line, and the first is 1"
    );
    for corner in ["0", "-5", "9223372036854775807", "-9223372036854775808", "4294967297", "/1"] {
        let what = refuse(format!("{FOUR}f 1 2 {corner}\n"));
        assert!(what.starts_with(&format!("line 5: corner `{corner}` names no vertex")), "{what}");
    }
    assert_eq!(refuse(b"v 0 0 0\nv 0 \xff 0\n"), "line 2: not UTF-8 text; export the mesh again");
    // A line of megabytes, or with control characters, does not flood the terminal.
    let long = format!("v {}\x1b[31m", "\u{1b}x ".repeat(100_000));
    assert!(refuse(long).len() < 400);
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let missing = mesh::read(path("none.obj")).unwrap_err();
    assert!(matches!(missing, Error::Read { .. }) && missing.to_string().contains("none.obj: cannot be read"));
    let directory = mesh::read(folder.path()).unwrap_err();
    assert!(
        directory
            .to_string()
            .ends_with("cannot be read: it is a directory; name a .obj, .ply, .stl, .gltf or .glb file in it")
    );
    for name in ["a.off", "a"] {
        std::fs::write(path(name), "OFF").unwrap();
        let other = mesh::read(path(name)).unwrap_err().to_string();
        assert!(other.ends_with(&format!(
            "{name}: not a .obj, .ply, .stl, .gltf or .glb file of triangles, nor a .node, .ele or .msh file of tetrahedra; \
             convert the mesh to one of them"
        )));
    }
    std::fs::write(path("A.OBJ"), format!("{FOUR}f 1 2 3")).unwrap();
    assert_eq!(mesh::read(path("A.OBJ")).unwrap().triangles.len(), 1);
    std::fs::write(path("b.obj"), "").unwrap();
    assert!(mesh::read(path("b.obj")).unwrap_err().to_string().contains("b.obj: no `v` line"));
}

/// Lines near enough to OBJ to get far.
fn nearly_obj() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "-?[0-9]{1,2}",
        2 => "-?[0-9]{0,2}/-?[0-9]{0,20}(/-?[0-9]{0,2})?",
        1 => "-?[0-9]{17,20}",
        1 => "[a-z/\\\\#.é-]{0,3}",
    ];
    let keyword = prop::sample::select(vec![
        "v", "v", "v", "f", "f", "vt", "vn", "l", "p", "o", "g", "#", "mtllib", "usemtl", "",
    ]);
    let line = (keyword, prop::collection::vec(word, 0..6)).prop_map(|(k, words)| format!("{k} {}", words.join(" ")));
    prop::collection::vec(line, 0..20).prop_map(|lines| format!("v 1 2 3\nv 3 2 1\n{}", lines.join("\n")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = mesh::parse_obj(Path::new("t.obj"), &bytes);
    }

    #[test]
    fn any_lines(text in nearly_obj()) {
        if let Ok(mesh) = mesh::parse_obj(Path::new("t.obj"), text.as_bytes()) {
            let n = mesh.positions.len() as u32;
            prop_assert!(mesh.triangles.iter().flatten().all(|&v| v < n));
            let _ = mesh.defects();
        }
    }

    /// Written and read again, a mesh is the same, bit for bit.
    #[test]
    fn round_trip(
        positions in prop::collection::vec(prop::array::uniform3(any::<f32>().prop_filter("a number", |x| !x.is_nan())), 1..20),
        corners in prop::collection::vec(prop::array::uniform3(0usize..1000), 1..20),
    ) {
        let triangles: Vec<_> = corners.iter().map(|t| t.map(|v| (v % positions.len()) as u32)).collect();
        let mut text = String::new();
        for [x, y, z] in &positions {
            text += &format!("v {x} {y} {z}\n");
        }
        for [a, b, c] in triangles.iter().map(|t| t.map(|v| v + 1)) {
            text += &format!("f {a} {b} {c}\n");
        }
        prop_assert_eq!(parse(&text), Mesh { positions, triangles });
    }
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.obj");
    let positions = vec![[0.1, -1.0e-30, 3.0], [1.0e6, f32::MIN_POSITIVE, -0.0], [1.0 / 3.0, 2.0, 7.0e5]];
    let mesh = seidel::Mesh { positions, triangles: vec![[0, 1, 2], [2, 1, 0]] };
    seidel_io::mesh::write(&path, &mesh).unwrap();
    let again = seidel_io::mesh::read(&path).unwrap();
    let bits = |m: &seidel::Mesh| m.positions.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!((bits(&again), &again.triangles), (bits(&mesh), &mesh.triangles));
}
