//! Files of tetrahedra: what is read, what is refused and where, what is written, and what is said of a real one.

use proptest::prelude::*;
use seidel::TetMesh;
use seidel::tets::Defect;
use seidel_io::tets::{check, is_tets, parse_msh, parse_tetgen, read, report, write};
use std::path::Path;

fn tetgen(node: impl AsRef<[u8]>, ele: impl AsRef<[u8]>) -> Result<TetMesh, String> {
    let names = [Path::new("t.node"), Path::new("t.ele")];
    parse_tetgen(names, [node.as_ref(), ele.as_ref()]).map_err(|e| e.to_string())
}

fn msh(bytes: impl AsRef<[u8]>) -> Result<TetMesh, String> {
    let error = |e: seidel_io::Error| e.to_string().strip_prefix("t.msh: ").unwrap().to_owned();
    parse_msh(Path::new("t.msh"), bytes.as_ref()).map_err(error)
}

fn two() -> TetMesh {
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]];
    TetMesh { positions, tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]] }
}

const NODE: &str = "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n";
const ELE: &str = "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n";

#[test]
fn tetgen_in_all_its_forms() {
    assert_eq!(tetgen(NODE, ELE).unwrap(), two());
    assert_eq!(tetgen(NODE.replace('\n', "\r\n"), format!("\u{feff}{ELE}").trim_end()).unwrap(), two());
    let from_1 = ("5\n 1 0 0 0\n 2 1 0 0\n 3 0 1 0\n 4 0 0 1\n 5 1 1 1\n", "2\n1 1 2 3 4\n2 2 3 4 5\n");
    assert_eq!(tetgen(from_1.0, from_1.1).unwrap(), two());
    let comments = b"# made by hand\n\n5 3 2 1 # counts\n0 0 0 0 .5 7 1\n# \xe9\n1 1 0 0 .5 7 0\n\t2 0 1 0 .5 7 0\n3 0 0 1 .5 7 0\n4 1 1 1 .5 7 -1\n#\n";
    let numbers = "2 4 1\n0 0 1 2 3 9\n1 1 2 3 4 9\n# end";
    assert_eq!(tetgen(&comments[..], numbers).unwrap(), two());
}

#[test]
fn tetgen_refusals_name_file_and_row() {
    let node = |from: &str, to: &str| tetgen(NODE.replacen(from, to, 1), ELE).unwrap_err();
    let ele = |from: &str, to: &str| tetgen(NODE, ELE.replacen(from, to, 1)).unwrap_err();
    assert_eq!(
        tetgen("# \n", ELE).unwrap_err(),
        "t.node: empty; it begins with <points> <dimension> <attributes> <markers>, such as `8 3 0 0`"
    );
    assert_eq!(
        tetgen(NODE, "").unwrap_err(),
        "t.ele: empty; it begins with <tetrahedra> <points of each> <attributes>, such as `5 4 0`"
    );
    assert_eq!(node("5 3", "5 2"), "t.node: line 1: 2 dimensions; 3 are read in `5 2 0 0`");
    assert!(node("5 3", "0 3").starts_with("t.node: line 1: no points"));
    assert!(node("5 3", "-5 3").starts_with("t.node: line 1: a count of the first row: `-5` is not a whole number"));
    assert_eq!(node("5 3", "6 3"), "t.node: the first row says 6 points, and there are 5; the file is cut short");
    assert_eq!(node("5 3", "4 3"), "t.node: line 6: the first row says 4 points, and here is one more in `4 1 1 1`");
    assert!(node("5 3", "18446744073709551615 3").ends_with("there are 5; the file is cut short"));
    assert_eq!(node("5 3 0", "5 3 1"), "t.node: line 2: 4 columns, where the first row asks for 5 in `0 0 0 0`");
    assert!(node("5 3 0", "5 3 18446744073709551615").contains("4 columns, where"));
    assert!(node("2 0 1 0", "2 0 1,0 0").starts_with("t.node: line 4: y: `1,0` is not a number such as -1.5e-3"));
    assert_eq!(
        node("3 0 0 1", "4 0 0 1"),
        "t.node: line 5: numbered 4, and should be 3: points are numbered one after another in `4 0 0 1`"
    );
    assert!(node("0 0 0 0\n", "2 0 0 0\n").starts_with("t.node: line 2: numbered 2, and should be 0 or 1"));
    assert_eq!(
        ele("2 3 4", "2 3 5"),
        "t.ele: line 3: corner 5 names no point: they are numbered from 0 to 4 in `1 1 2 3 5`"
    );
    assert!(ele("2 3 4", "2 3 -1").contains("corner -1 names no point"));
    assert!(ele("2 3 4", "2 3").starts_with("t.ele: line 3: 4 columns, where the first row asks for 5"));
    assert!(ele("2 4 0", "2 5 0").starts_with("t.ele: line 1: 5 points each; tetrahedra have 4 in"));
    assert!(ele("2 4 0", "2 10 0").starts_with("t.ele: line 1: 10 points each: tetrahedra of the second order"));
    assert!(ele("2 4 0", "0 4 0").starts_with("t.ele: line 1: no tetrahedra"));
    let from_1 = tetgen(
        NODE.replace("0 0 0 0\n1 ", "1 0 0 0\n2 ")
            .replace("\n2 0 1", "\n3 0 1")
            .replace("\n3 0 0", "\n4 0 0")
            .replace("\n4 1 1", "\n5 1 1"),
        ELE,
    );
    assert_eq!(
        from_1.unwrap_err(),
        "t.ele: line 2: corner 0 names no point: they are numbered from 1 to 5 in `0 0 1 2 3`"
    );
    assert_eq!(tetgen(b"1 3\n0 0 \xff 0\n", ELE).unwrap_err(), "t.node: line 2: not UTF-8 text; export the mesh again");
}

const MSH_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"a b\"\n$EndPhysicalNames\n\
    $Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n7 0 0 1\n8 1 1 1\n$EndNodes\n\
    $Elements\n4\n1 15 2 0 1 10\n2 2 2 0 1 10 20 30\n3 4 2 7 1 10 20 30 7\n4 4 0 20 30 7 8\n$EndElements\n";

const MSH_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n$EndEntities\n\
    $Nodes\n2 5 7 30\n2 1 1 3\n10\n20\n30\n0 0 0 0.5 0.5\n1 0 0 0.5 0.5\n0 1 0 0.5 0.5\n3 1 0 2\n7\n8\n0 0 1\n1 1 1\n$EndNodes\n\
    $Elements\n2 3 1 3\n2 1 2 1\n1 10 20 30\n3 1 4 2\n2 10 20 30 7\n3 20 30 7 8\n$EndElements\n";

#[test]
fn gmsh_in_text() {
    assert_eq!(msh(MSH_2).unwrap(), two());
    assert_eq!(msh(MSH_4).unwrap(), two());
    assert_eq!(msh(MSH_4.replace('\n', "\r\n")).unwrap(), two());
    // Elements before the nodes that they name.
    let (head, rest) = MSH_2.split_at(MSH_2.find("$Nodes").unwrap());
    let (nodes, elements) = rest.split_at(rest.find("$Elements").unwrap());
    assert_eq!(msh(format!("{head}{elements}{nodes}")).unwrap(), two());
    // Of the second order: four corners of ten nodes.
    let order_2 = MSH_2.replace("3 4 2 7 1 10 20 30 7\n", "3 11 2 7 1 10 20 30 7 8 8 8 8 8 8\n");
    assert_eq!(msh(order_2).unwrap(), two());
}

/// The same mesh in version 2 or 4.1, in binary.
fn binary(version: &str, big: bool) -> Vec<u8> {
    let int = |v: i32| if big { v.to_be_bytes() } else { v.to_le_bytes() }.to_vec();
    let size = |v: u64| if big { v.to_be_bytes() } else { v.to_le_bytes() }.to_vec();
    let double = |v: f32| if big { f64::from(v).to_be_bytes() } else { f64::from(v).to_le_bytes() }.to_vec();
    let names = [10, 20, 30, 7, 8];
    let places: Vec<Vec<u8>> = two().positions.iter().map(|p| p.iter().flat_map(|&c| double(c)).collect()).collect();
    let corners: Vec<[i32; 4]> = two().tets.iter().map(|t| t.map(|v| names[v as usize])).collect();
    let ints = |values: &[i32]| values.iter().flat_map(|&v| int(v)).collect::<Vec<_>>();
    let sizes = |values: &[u64]| values.iter().flat_map(|&v| size(v)).collect::<Vec<_>>();
    let mut bytes = format!("$MeshFormat\n{version} 1 8\n").into_bytes();
    bytes.extend([int(1), b"\n$EndMeshFormat\n$Nodes\n".to_vec()].concat());
    if version == "4.1" {
        bytes.extend([sizes(&[1, 5, 7, 30]), ints(&[3, 1, 0]), sizes(&[5]), sizes(&names.map(|n| n as u64))].concat());
        bytes.extend(places.concat());
        bytes.extend(b"\n$EndNodes\n$Elements\n");
        bytes.extend([sizes(&[2, 3, 1, 3]), ints(&[2, 1, 2]), sizes(&[1, 1, 10, 20, 30])].concat());
        bytes.extend([ints(&[3, 1, 4]), sizes(&[2])].concat());
        for (t, tet) in (2..).zip(&corners) {
            bytes.extend([sizes(&[t]), sizes(&tet.map(|v| v as u64))].concat());
        }
    } else {
        bytes.extend(b"5\n");
        for (name, place) in names.iter().zip(&places) {
            bytes.extend([int(*name), place.clone()].concat());
        }
        bytes.extend(b"\n$EndNodes\n$Elements\n3\n");
        bytes.extend(ints(&[2, 1, 1, 1, 99, 10, 20, 30]));
        bytes.extend(ints(&[4, 2, 2]));
        for (t, tet) in (2..).zip(&corners) {
            bytes.extend([ints(&[t, 0, 1]), ints(tet)].concat());
        }
    }
    bytes.extend(b"\n$EndElements\n");
    bytes
}

#[test]
fn gmsh_in_binary() {
    for version in ["2.2", "4.1"] {
        for big in [false, true] {
            let bytes = binary(version, big);
            assert_eq!(msh(&bytes).unwrap(), two(), "{version} {big}");
            // Cut short anywhere: an error, but for the last line's end.
            for length in 0..bytes.len() - 1 {
                assert!(msh(&bytes[..length]).is_err(), "{version} {big} {length}");
            }
        }
    }
}

#[test]
fn gmsh_refusals_name_the_line() {
    let refuse = |from: &str, to: &str| msh(MSH_2.replacen(from, to, 1)).unwrap_err();
    let four = |from: &str, to: &str| msh(MSH_4.replacen(from, to, 1)).unwrap_err();
    assert!(msh("").unwrap_err().starts_with("it does not begin with $MeshFormat"));
    assert_eq!(refuse("2.2", "4"), "line 2: version `4`; 2 and 4.1 are read: export as one of them");
    assert_eq!(refuse("2.2 0 8", "2.2 0 4"), "line 2: file type 0 with numbers of 4 bytes; 0 or 1 with 8 are read");
    assert_eq!(refuse("7 0 0 1", "7 0 x 1"), "line 13: y: `x` is not a number such as -1.5e-3");
    assert_eq!(
        refuse("3 4 2 7 1 10", "3 5 2 7 1 10"),
        "line 20: a hexahedron; tetrahedra alone are read: mesh the volume with them"
    );
    assert_eq!(
        refuse("3 4 2 7 1 10", "3 77 2 7 1 10"),
        "line 20: an element of type 77, which is not known; 1 to 31 are"
    );
    assert_eq!(refuse("20 30 7 8", "20 30 7 9"), "tetrahedron 2 of the file names a node 9, and there is none");
    assert_eq!(refuse("7 0 0 1", "10 0 0 1"), "two nodes have the name 10");
    assert_eq!(refuse("$EndPhysicalNames", "$End"), "section $PhysicalNames has no end; the file is cut short");
    assert_eq!(refuse("$Nodes\n5", "$Nodes\n4"), "line 14: `8` where $EndNodes should be");
    assert_eq!(
        refuse("$Nodes\n5", "$Nodes\n18446744073709551615"),
        "line 15: the name of a node: `$EndNodes` is not a whole number"
    );
    assert!(four("2 5 7 30", "2 6 7 30").ends_with("5 nodes, where the section says 6"));
    // The names run on into the places, and those into the section's end.
    let endless = four("3 1 0 2", "3 1 0 18446744073709551615");
    assert!(endless.ends_with("the name of a node: `$EndNodes` is not a whole number"), "{endless}");
    assert!(four("2 1 1 3", "2 1 9 3").contains("a block of dimension 2, parametric 9"));
    let surface = "$Elements\n1\n2 2 2 0 1 10 20 30\n$EndElements\n";
    let surface = format!("{}{surface}", &MSH_2[..MSH_2.find("$Elements").unwrap()]);
    assert!(msh(surface).unwrap_err().starts_with("5 nodes, but no tetrahedra; mesh the volume"));
    let twice = format!("{MSH_2}{}", &MSH_2[MSH_2.find("$Nodes").unwrap()..]);
    assert_eq!(msh(twice).unwrap_err(), "line 23: a second section $Nodes");
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.NODE"), NODE).unwrap();
    let missing = read(path("a.NODE")).unwrap_err().to_string();
    assert!(missing.contains("a.ELE: cannot be read"), "{missing}");
    std::fs::write(path("a.ELE"), ELE).unwrap();
    assert_eq!(read(path("a.NODE")).unwrap(), two());
    assert_eq!(read(path("a.ELE")).unwrap(), two());
    std::fs::write(path("b.msh"), MSH_4).unwrap();
    assert_eq!(read(path("b.msh")).unwrap(), two());
    std::fs::write(path("c.vtk"), "").unwrap();
    let other = read(path("c.vtk")).unwrap_err().to_string();
    assert!(other.ends_with("c.vtk: not a .node, .ele or .msh file; convert the mesh to one of TetGen or Gmsh"));
    assert!(["a.node", "a.ELE", "a.msh"].iter().all(|name| is_tets(Path::new(name))));
    assert!(["a.obj", "node", "a"].iter().all(|name| !is_tets(Path::new(name))));

    write(&path("d.ele"), &two()).unwrap();
    assert_eq!(read(path("d.node")).unwrap(), two());
    let error = write(&path("d.msh"), &two()).unwrap_err().to_string();
    assert!(error.ends_with("d.msh: tetrahedra are written as .node and .ele; name one of the two"), "{error}");
    // Where the second cannot be, the first is not either.
    std::fs::create_dir(path("e.ele")).unwrap();
    assert!(
        write(&path("e.node"), &two()).unwrap_err().to_string().contains("e.ele: cannot be written: it is a folder")
    );
    assert!(!path("e.node").exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 7);
}

#[test]
fn text_and_json_of_a_report() {
    let mut mesh = two();
    mesh.tets[1].swap(0, 1);
    mesh.positions.push([7.0; 3]);
    let report = report("a.msh".to_owned(), &mesh);
    let lines: Vec<String> = report.to_string().lines().map(str::to_owned).collect();
    assert_eq!(
        lines,
        [
            "a.msh: no body as it is",
            "  counts  6 vertices, 9 edges, 2 tetrahedra, 6 triangles of surface",
            "  box     [0.0, 0.0, 0.0] to [7.0, 7.0, 7.0] m",
            "  size    volume -0.166667 m^3, tetrahedra -0.333333 to 0.166667 m^3",
            "  quality -1 or more, mean -0.115 (1 is regular), least: tetrahedron 1",
            "  error   inverted tetrahedron: 1, first: tetrahedron 1 (vertices 2, 1, 3, 4); swap two corners of each, or repair the mesh: that does so",
            "  error   unused vertex: 1, first: vertex 5; delete these vertices, or repair the mesh: they would have no mass",
            "  repair  seidel check a.msh --repair OUT.node",
        ]
    );
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["clean"], &json["tets"], &json["worst"]), (&false.into(), &2.into(), &1.into()));
    assert_eq!(json["defects"][0]["name"], "inverted tetrahedron");
    assert_eq!(json["defects"][0]["first"], serde_json::json!({"tet": 1}));
}

/// A real mesh of TetGen, where there is one.
#[test]
fn armadillo() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/pbd/models/armadillo_4k.ele");
    if !path.exists() {
        println!("skipped: no {}", path.display());
        return;
    }
    let report = check(&path).unwrap();
    println!("{report}");
    assert!(report.clean && report.defects.is_empty());
    assert_eq!((report.vertices, report.tets, report.edges, report.surface), (1180, 3717, 5947, 2102));
    assert!((report.volume - 1.8596).abs() < 1e-4);
    assert!((report.smallest_volume.unwrap() / 9.52456e-7 - 1.0).abs() < 1e-4);
    let mesh = read(&path).unwrap();
    let surface = seidel::Mesh { positions: mesh.positions.clone(), triangles: mesh.surface() }.defects();
    assert!(surface.closed && surface.count(seidel::mesh::Defect::InconsistentOrientation) == 0);
    assert!(mesh.repaired().1.is_empty());
    assert_eq!(mesh.defects().count(Defect::FoldedFace), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..1000, byte: u8) {
        let _ = (tetgen(&bytes, ELE), tetgen(NODE, &bytes), msh(&bytes));
        // One byte that is wrong.
        for good in [MSH_2.as_bytes().to_vec(), MSH_4.into(), binary("2.2", false), binary("4.1", true)] {
            let mut bad = good;
            let at = at % bad.len();
            bad[at] = byte;
            if let Ok(mesh) = msh(&bad) {
                prop_assert!(mesh.tets.as_flattened().iter().all(|&v| (v as usize) < mesh.positions.len()));
            }
        }
        let mut bad = [NODE.as_bytes().to_vec(), ELE.into()];
        let file = at % 2;
        let at = at / 2 % bad[file].len();
        bad[file][at] = byte;
        if let Ok(mesh) = tetgen(&bad[0], &bad[1]) {
            prop_assert!(mesh.tets.as_flattened().iter().all(|&v| (v as usize) < mesh.positions.len()));
        }
    }

    /// Written and read again, a mesh is the same, bit for bit.
    #[test]
    fn round_trip(
        positions in prop::collection::vec(prop::array::uniform3(any::<f32>().prop_filter("a number", |x| !x.is_nan())), 1..20),
        corners in prop::collection::vec(prop::array::uniform4(0usize..1000), 1..20),
    ) {
        let tets = corners.iter().map(|t| t.map(|v| (v % positions.len()) as u32)).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.node");
        let mesh = TetMesh { positions, tets };
        write(&path, &mesh).unwrap();
        let again = read(&path).unwrap();
        let bits = |m: &TetMesh| m.positions.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!((bits(&again), &again.tets), (bits(&mesh), &mesh.tets));
    }
}
