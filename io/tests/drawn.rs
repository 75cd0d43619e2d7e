//! What is drawn of an OBJ file: texture coordinates and normals beside the vertices that are simulated.

use seidel_io::mesh::parse_obj_drawn as parse_obj;
use seidel_io::{Drawn, recording, scene};
use std::path::Path;

const SEAM: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 0.25\nvn 0 1 0\nvn 0 0 1\n";

fn drawn(faces: &str) -> Result<Drawn, String> {
    let text = format!("{SEAM}{faces}");
    parse_obj(Path::new("t.obj"), text.as_bytes()).map(|(_, drawn)| drawn).map_err(|e| e.to_string())
}

#[test]
fn corners_that_differ_are_drawn_apart() {
    let drawn = drawn("f 1/1/1 3/2/1 2/1/1\nf 1/1/2 4/2/1 \\\n3/2/1\n").unwrap();
    // The first copy of each vertex has its number.
    assert_eq!(drawn.triangles, [[0, 2, 1], [4, 3, 2]]);
    assert_eq!(drawn.vertex, [0, 1, 2, 3, 0]);
    assert!(drawn.v_up);
    assert_eq!(drawn.uvs, [[0.0, 0.0], [0.0, 0.0], [1.0, 0.25], [1.0, 0.25], [0.0, 0.0]]);
    assert_eq!(drawn.normals[4], [0.0, 0.0, 1.0]);
}

#[test]
fn what_the_source_lacks_is_empty_and_what_a_corner_lacks_is_zero() {
    let plain = drawn("f 1 3 2\nf 1 4 3\n").unwrap();
    assert!(plain.uvs.is_empty() && plain.normals.is_empty());
    assert_eq!(plain.triangles, [[0, 2, 1], [0, 3, 2]]);
    let some = drawn("f 1/2 3/-1 2\nf 1//2 4 3\n").unwrap();
    assert_eq!(some.uvs[..3], [[1.0, 0.25], [0.0, 0.0], [1.0, 0.25]]);
    assert_eq!(some.uvs[1].map(f32::to_bits), Drawn::NO_UV.map(f32::to_bits));
    assert_eq!(some.normals[4], [0.0, 0.0, 1.0]);
    assert_eq!(some.triangles, [[0, 2, 1], [4, 3, 5]]);
}

#[test]
fn a_corner_that_names_nothing_is_named() {
    for (faces, says) in [
        ("f 1/3 3/2 2/1\n", "t.obj: line 9: `3` names no texture coordinate (`vt`); there are 2"),
        ("f 1/0 3/2 2/1\n", "line 9: `0` names no texture"),
        ("f 1 3 2\nf 1//-3 4 3\n", "line 10: `-3` names no normal (`vn`); there are 2"),
        ("vn 1 x 0\nf 1 3 2\n", "line 9: `x` is not a number"),
    ] {
        let error = drawn(faces).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn a_repair_keeps_what_is_drawn_of_its_triangles() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // A vertex that nothing uses, a triangle without area, and one vertex twice.
    let text = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 1 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n\
                f 2/1 4/3 3/2\nf 2/1 2/1 3/2\nf 2/1 5/4 6/2\n";
    std::fs::write(at("a.obj"), text).unwrap();
    std::fs::write(at("a.toml"), "[[cloth]]\nmesh = \"a.obj\"\nrepair = true\n").unwrap();
    let name = at("a.toml").display().to_string();
    let spec = scene::load(&name, &[]).unwrap();
    let plan = seidel::Plan::new(&scene::build(&name, &spec).unwrap()).unwrap();
    let mut header = recording::header(&plan, "a", 60.0);
    recording::dress(&mut header, &name, &spec).unwrap();
    let drawn = header.bodies[0].drawn.as_ref().unwrap();
    assert_eq!(header.bodies[0].count, 4);
    assert_eq!(
        drawn.triangles.iter().map(|t| t.map(|v| drawn.vertex[v as usize])).collect::<Vec<_>>(),
        header.triangles
    );
    assert_eq!(drawn.uvs.len(), 5, "one vertex is drawn twice");
    std::fs::write(at("a.obj"), "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n").unwrap();
    let error = recording::dress(&mut header, &name, &spec).unwrap_err().to_string();
    assert!(error.contains("a.obj: has changed"), "{error}");
}
