//! Solids in scene files: tetrahedra and surfaces of files, what is shown of them, and what is refused.

use seidel::{Mesh, Plan, SoftBody, Solver};
use seidel_io::pvd::PvdWriter;
use seidel_io::scene::{build, load};
use seidel_io::{frames::FrameWriter, mesh, recording, tets};
use seidel_scenes::SceneSpec;
use std::path::Path;

/// A folder with a cube of tetrahedra, and a ball's surface.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cube = SoftBody::bar([1.0; 3], [2; 3]).mesh().unwrap();
    tets::write(&folder.path().join("cube.node"), &cube).unwrap();
    mesh::write(&folder.path().join("ball.ply"), &Mesh::ball(0.5, 3)).unwrap();
    folder
}

fn planned(folder: &Path, text: &str) -> Result<(SceneSpec, Plan), String> {
    let file = folder.join("scene.toml");
    std::fs::write(&file, format!("[[soft_body]]\n{text}")).unwrap();
    let name = file.to_str().unwrap();
    let spec = load(name, &[]).map_err(|e| e.to_string())?;
    let scene = build(name, &spec).map_err(|e| e.to_string())?;
    Ok((spec, Plan::new(&scene).map_err(|e| e.to_string())?))
}

#[test]
fn files_of_tetrahedra_and_surfaces_become_solids() {
    let folder = folder();
    let (_, plan) = planned(folder.path(), "mesh = \"cube.node\"\nposition = [0, 2, 0]").unwrap();
    let cube = plan.body_ids().next().unwrap();
    assert_eq!((plan.vertices(cube), plan.tets(cube).len(), plan.skin(cube).is_none()), (27, 48, true));
    let (_, plan) = planned(folder.path(), "mesh = \"ball.ply\"\ncell = 0.25\nscale = 2").unwrap();
    let ball = plan.body_ids().next().unwrap();
    assert!(plan.tets(ball).len() > 100 && plan.skin(ball).unwrap().mesh().positions.len() == 642);
    let (_, plan) = planned(folder.path(), "mesh = \"cube.node\"\nskin = \"ball.ply\"").unwrap();
    assert_eq!(plan.skin(plan.body_ids().next().unwrap()).unwrap().mesh().triangles.len(), 1280);
}

/// Pictures have the surface, which goes with the tetrahedra; arrays and VTK have these.
#[test]
fn pictures_show_the_surface() {
    let folder = folder();
    let (_, plan) = planned(folder.path(), "mesh = \"ball.ply\"\ncell = 0.2\nposition = [0, 3, 0]").unwrap();
    let (header, picture) = (recording::header(&plan, "s", 60.0), recording::picture(&plan, "s", 60.0));
    assert_eq!((picture.inv_mass.len(), picture.triangles.len(), picture.tets.len()), (642, 1280, 0));
    let solid = plan.body_ids().next().unwrap();
    assert_eq!((header.inv_mass.len(), header.tets.len()), (plan.vertices(solid), plan.tets(solid).len()));
    assert!(picture.rest_lengths.iter().all(|l| *l > 0.05 && *l < 0.2) && picture.edges.len() == 1920);
    let mut solver = Solver::new(
        &build(
            folder.path().join("scene.toml").to_str().unwrap(),
            &load(folder.path().join("scene.toml").to_str().unwrap(), &[]).unwrap(),
        )
        .unwrap(),
    )
    .unwrap();
    let input = seidel::Input::frame(0.1);
    assert!(solver.step(&input).rejected.is_none());
    let plotted = seidel_io::recording::Plotted::default();
    let mut buffers = recording::Buffers::of_picture();
    let frame = buffers.read(solver.plan(), solver.state(), plotted);
    // It has fallen as one: 20 substeps of 5 ms make 0.0515 m.
    for (now, rest) in frame.positions.iter().zip(&Mesh::ball(0.5, 3).positions) {
        let fallen = 3.0 + rest[1] - now[1];
        assert!((fallen - 0.0515).abs() < 1e-4 && (now[0] - rest[0]).abs() < 1e-5, "{fallen}");
    }
    assert!(frame.velocities.iter().all(|v| (v[1] + 0.981).abs() < 1e-4));
    let path = folder.path().join("s.pvd");
    let mut writer = Box::new(PvdWriter::new(&path, &header).unwrap());
    let mut buffers = recording::Buffers::default();
    writer.frame(&buffers.read(solver.plan(), solver.state(), plotted)).unwrap();
    writer.finish().unwrap();
    let text = std::fs::read_to_string(folder.path().join("s/s_0000.vtu")).unwrap();
    assert!(text.contains(&format!("NumberOfCells=\"{}\"", header.tets.len())), "tetrahedra, and no triangles");
}

#[test]
fn what_makes_no_solid_is_refused() {
    let folder = folder();
    let mut open = Mesh::ball(0.5, 1);
    open.triangles.pop();
    mesh::write(&folder.path().join("open.ply"), &open).unwrap();
    let mut flat = SoftBody::bar([1.0; 3], [1; 3]).mesh().unwrap();
    flat.positions.iter_mut().for_each(|p| p[1] = 0.0);
    tets::write(&folder.path().join("flat.node"), &flat).unwrap();
    let mut turned = SoftBody::bar([1.0; 3], [1; 3]).mesh().unwrap();
    turned.tets[2].swap(0, 1);
    tets::write(&folder.path().join("turned.node"), &turned).unwrap();
    for (text, says) in [
        ("mesh = \"ball.ply\"", "soft_body 0: a surface is filled with cells, and `cell` is not given"),
        ("mesh = \"open.ply\"\ncell = 0.1", "the mesh is not closed: edge "),
        ("mesh = \"ball.ply\"\ncell = 0.0001", "cells of 0.0001 m make "),
        ("mesh = \"ball.ply\"\ncell = 50", "cells of 50 m are too wide for what is to be found; make them "),
        ("balls = [[0, 0, 0, 0.3]]\ncell = 5", "cells of 5 m are too wide"),
        ("balls = [[0, 0, 0, 0.3]]", "`cell` is not given"),
        ("[[soft_body.constraint]]\nkind = \"distance\"", "kind `distance`: it has no rows; give the vertices"),
        ("mesh = \"ball.ply\"\ncell = -1", "soft_body 0: cell is -1, which is not above 0"),
        ("mesh = \"flat.node\"", "body `soft_body-0`: flat tetrahedron: 6, first: tetrahedron 0"),
        ("mesh = \"turned.node\"", "inverted tetrahedron: 1, first: tetrahedron 2"),
        ("mesh = \"cube.node\"\ncell = 0.1", "`cell` is for a surface that is filled"),
        ("mesh = \"none.node\"", "none.node: cannot be read"),
        ("mesh = \"cube.node\"\nsize = [1, 1, 1]", "`size` is for a bar or tube and means nothing beside `mesh`"),
        ("tube = [0.1, 0.2]", "outer radius is 0.1"),
        ("cells = [0, 1, 1]", "cells along axis 0 is 0"),
        ("size = [0, 1, 1]", "size is 0"),
        ("poisson = 0.5", "Poisson's ratio is 0.5, which is not above -0.9999 and below 0.49995"),
        ("poisson = -1", "Poisson's ratio is -1"),
        ("young = -1e5", "Young's modulus is -100000"),
        ("density = 0", "density is 0"),
        ("stiffness = 2", "stiffness of row 0 is 2"),
        ("relaxation = -1", "damping is -1"),
        ("balls = [[0, 0, 0, 1]]\ntube = [0.2, 0.1]", "`tube` is for a bar or tube and means nothing beside `balls`"),
        ("[[soft_body.moving_pins]]\npin = [\"corners\"]", "`pin` names parts of a grid; a solid has `pin_sides`"),
    ] {
        let text = text.replace(
            "[[soft_body.moving_pins]]\n",
            "[[soft_body.moving_pins]]\nmotion = { path = \"linear\", velocity = [1, 0, 0] }\n",
        );
        let error = planned(folder.path(), &text).err().unwrap_or_else(|| panic!("{text} is taken"));
        assert!(error.contains(says), "{text}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

/// A solid of a file takes the place of a scene's own.
#[test]
fn changes_put_another_solid_in_its_place() {
    let folder = folder();
    for (file, tets) in [("cube.node", true), ("ball.ply", false)] {
        let path = folder.path().join(file);
        let change = format!("soft_body.bunny.mesh={:?}", path.to_str().unwrap());
        let spec = load("jelly-drop", &[change]).unwrap();
        assert!(spec.soft_body[0].balls.is_empty() && spec.soft_body[0].cell.is_none() == tets);
        let plan = Plan::new(&build("jelly-drop", &spec).unwrap()).unwrap();
        assert!(plan.tets(plan.body("bunny").unwrap()).len() >= 48);
    }
}
