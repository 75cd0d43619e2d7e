//! Colliders of scene files that hold data: meshes, hulls, height fields.

use seidel::collider::{Form, Shape};
use seidel_io::scene::{build, load, parse};
use std::path::Path;

/// A tetrahedron; the second half of the file closes it.
const OBJ: [&str; 2] = ["v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n", "f 2 3 4\nf 1 4 3\n"];

fn scene(collider: &str) -> Result<seidel::Scene, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("solid.obj"), OBJ.concat()).expect("a file");
    std::fs::write(folder.path().join("open.obj"), OBJ[0]).expect("a file");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, format!("[[cloth]]\n[[collider]]\nname = \"it\"\n{collider}")).expect("a file");
    let path = path.to_str().expect("a name");
    let spec = load(path, &[]).map_err(|e| e.to_string())?;
    build(path, &spec).map_err(|e| e.to_string())
}

fn shape(collider: &str) -> Shape {
    let plan = seidel::Plan::new(&scene(collider).unwrap()).expect("a sound scene");
    plan.colliders()[0].shape.clone()
}

#[test]
fn meshes_hulls_and_heights_are_made() {
    let Shape::Sdf { sdf, form: Form::Solid } = shape("shape = \"mesh\"\nfile = \"solid.obj\"\ncell = 0.1\nscale = 2")
    else {
        panic!("no field")
    };
    assert!((sdf.distance([0.0, -0.1, 0.0]) - 0.1).abs() < 1e-6 && sdf.distance([0.4, 0.4, 0.4]) < -0.1);
    let shell = shape("shape = \"mesh\"\nfile = \"solid.obj\"\ncell = 0.1\nhollow = 0.02");
    assert!(matches!(shell, Shape::Sdf { form: Form::Shell(half), .. } if half == 0.02));
    let container = shape("shape = \"mesh\"\nfile = \"solid.obj\"\ncell = 0.1\ninverted = true");
    assert!(matches!(container, Shape::Sdf { form: Form::Container, .. }));
    for points in ["file = \"solid.obj\"", "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"] {
        let Shape::Hull(hull) = shape(&format!("shape = \"hull\"\n{points}")) else { panic!("no hull") };
        assert_eq!(hull.faces(), 4);
    }
    let heights = shape("shape = \"height-field\"\ncell = 0.5\nheights = [[0, 1, 0], [0, 1, 0]]");
    let Shape::HeightField(field) = heights else { panic!("no field") };
    assert_eq!(field.nodes(), [3, 2]);
}

#[test]
fn what_makes_none_is_named() {
    let says = |collider: &str, texts: &[&str]| {
        let error = scene(collider).unwrap_err();
        assert!(texts.iter().all(|text| error.contains(text)), "{error}");
    };
    says("shape = \"mesh\"\ncell = 0.1", &["collider `it`: a mesh needs `file` or `balls`"]);
    says("shape = \"mesh\"\ncell = 0.1\nballs = []", &["mesh of balls: number of balls is 0"]);
    says("shape = \"mesh\"\ncell = 0.1\nballs = [[0, 0, 0, -1]]", &["collider `it`: mesh of balls: radius of ball 0"]);
    // Two of them span a box that is inside out.
    let two = "[[0, 0, 0, -1], [0, 0, 5, -1]]";
    says(&format!("shape = \"mesh\"\ncell = 0.1\nballs = {two}"), &["radius of ball 0"]);
    says(&format!("shape = \"sphere\"\n[[soft_body]]\ncell = 0.1\nballs = {two}"), &["radius of ball 0"]);
    says(
        "shape = \"mesh\"\ncell = 0.1\nfile = \"solid.obj\"\nballs = [[0, 0, 0, 1]]",
        &["`balls` is for a surface of balls and means nothing beside `file`"],
    );
    says("shape = \"sphere\"\nballs = [[0, 0, 0, 1]]", &["a sphere has no `balls`"]);
    says("shape = \"mesh\"\nfile = \"solid.obj\"", &["a mesh needs `cell`"]);
    says("shape = \"mesh\"\nfile = \"open.obj\"\ncell = 0.1", &["collider `it`, open.obj", "not closed: edge 0-2"]);
    says("shape = \"mesh\"\nfile = \"solid.obj\"\ncell = 1e-5", &["solid.obj", "at most 33554432"]);
    says("shape = \"mesh\"\nfile = \"none.obj\"\ncell = 0.1", &["collider `it`", "none.obj"]);
    says("shape = \"mesh\"\nfile = \"solid.obj\"\ncell = 0.1\nscale = 0", &["scale is 0"]);
    says("shape = \"mesh\"\nfile = \"solid.obj\"\ncell = 0.1\nhollow = 0.1\ninverted = true", &["contradict"]);
    says("shape = \"sphere\"\ncell = 0.1", &["a sphere has no `cell`"]);
    says("shape = \"hull\"", &["a hull needs `points` or `file`"]);
    says("shape = \"hull\"\nfile = \"solid.obj\"\npoints = [[0, 0, 0]]", &["`file` or `points`"]);
    says("shape = \"hull\"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", &["3 points lie in a plane"]);
    says("shape = \"hull\"\nscale = 2", &["`scale` is for a file"]);
    says("shape = \"height-field\"\ncell = 1", &["needs `heights`"]);
    says("shape = \"height-field\"\ncell = 1\nheights = [[1, 2], [3]]", &["row 1 of `heights` has 1 and not 2"]);
    says("shape = \"height-field\"\ncell = 1\nheights = [[1, 2]]", &["nodes along z is 1"]);
    assert!(parse(Path::new("x"), "[[collider]]\nshape = \"meash\"").unwrap_err().to_string().contains("`mesh`"));
}
