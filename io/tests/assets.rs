//! Texture coordinates, normals, names and the order of vertices, from file to file: through a repair and through a
//! simulation.

use gltf::json::Value;
use seidel::mesh::Mesh;
use seidel_io::frames::Header;
use seidel_io::mesh::{read_drawn, read_maps, write_drawn};
use seidel_io::{Drawn, recording, scene, writers};
use std::path::Path;

/// A cube of six squares, each with texture coordinates and a normal of its own; the top is of another material. Vertex
/// 1 is used by nothing, vertex 10 is vertex 3 again, and one face has no area.
const CUBE: &str = "\
# a comment
mtllib cube.mtl
o cube
v 9 9 9
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
v 1 0 0
vt 0.1 0.2
vt 0.3 0.2
vt 0.3 0.7
vt 0.1 0.7
vn 0 0 -1
vn 0 0 1
vn 0 -1 0
vn 0 1 0
vn -1 0 0
vn 1 0 0
g sides walls
usemtl wood
f 2/1/1 5/4/1 4/3/1 10/2/1
f 6/1/2 7/2/2 8/3/2 9/4/2
f 2/1/3 3/2/3 7/3/3 6/4/3
f 3/1/3 10/1/3 7/3/3
g lid
usemtl red paint
f 5/1/4 9/2/4 8/3/4 4/4/4
g sides walls
usemtl wood
f 2/1/5 6/2/5 9/3/5 5/4/5
f 3/1/6 4/2/6 8/3/6 7/4/6
";

/// A triangle's corners: bits of place, texture coordinates with v going up, and normal; and its names.
type Corners = ([([u32; 3], [u32; 2], [u32; 3]); 3], [String; 3]);

fn corners(mesh: &Mesh, drawn: &Drawn) -> Vec<Corners> {
    let corner = |v: u32| {
        let v = v as usize;
        let at = mesh.positions[drawn.vertex[v] as usize];
        let uv = drawn.uvs.get(v).map_or([0.0; 2], |uv| [uv[0], if drawn.v_up { uv[1] } else { 1.0 - uv[1] }]);
        let normal = drawn.normals.get(v).copied().unwrap_or_default();
        (at.map(f32::to_bits), uv.map(f32::to_bits), normal.map(f32::to_bits))
    };
    let names = |t: usize| {
        let part = drawn.part.get(t).map(|&part| &drawn.parts[part as usize]);
        part.map_or_else(Default::default, |part| part.names().map(ToString::to_string))
    };
    drawn.triangles.iter().enumerate().map(|(t, triangle)| (triangle.map(corner), names(t))).collect()
}

/// The cube's eleven triangles that are left, as the file has them.
fn cube_left(mesh: &Mesh, drawn: &Drawn) -> Vec<Corners> {
    let all = corners(mesh, drawn);
    assert_eq!(all.len(), 13);
    all.into_iter().enumerate().filter(|(t, _)| *t != 6).map(|(_, corners)| corners).collect()
}

fn repaired(mesh: &Mesh, drawn: &Drawn) -> (Mesh, Drawn) {
    let (left, repairs) = mesh.repaired();
    let drawn = drawn.repaired(&repairs.vertex_map, &left.triangles).unwrap();
    (left, drawn)
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = Self::new();
        std::fs::write(folder.at(name), content).unwrap();
        folder
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// Runs a scene of one cloth for some frames, into a file of each of these endings; the header of the arrays.
    fn run(&self, keys: &str, endings: &[&str]) -> Header {
        self.run_scene(&format!("[[cloth]]\nname = \"cube\"\n{keys}\n"), endings)
    }

    fn run_scene(&self, scene: &str, endings: &[&str]) -> Header {
        std::fs::write(self.at("a.toml"), scene).unwrap();
        let name = self.at("a.toml").display().to_string();
        let spec = scene::load(&name, &[]).unwrap();
        let mut solver = seidel::Solver::new(&scene::build(&name, &spec).unwrap()).unwrap();
        let mut headers = [recording::header(solver.plan(), "a", 60.0), recording::picture(solver.plan(), "a", 60.0)];
        recording::dress(&mut headers[1], &name, &spec).unwrap();
        for (header, picture) in headers.iter_mut().zip([false, true]) {
            recording::trace(header, solver.plan(), &name, &spec, picture).unwrap();
        }
        // Those of a header that `dress` has not read the meshes for.
        let mut plain = recording::picture(solver.plan(), "a", 60.0);
        recording::trace(&mut plain, solver.plan(), &name, &spec, true).unwrap();
        let sources = |header: &Header| header.bodies.iter().map(|body| body.source.clone()).collect::<Vec<_>>();
        assert_eq!(sources(&plain), sources(&headers[1]));
        let mut buffers = [recording::Buffers::default(), recording::Buffers::of_picture()];
        let mut files: Vec<_> = (endings.iter())
            .map(|ending| {
                let path = self.at(&format!("out.{ending}"));
                let picture = usize::from(writers::pictures(&path));
                (writers::open(&path, &headers[picture], &Default::default()).unwrap(), picture)
            })
            .collect();
        for frame in 0..3 {
            for (file, picture) in &mut files {
                let (plan, state) = (solver.plan(), solver.state());
                file.frame(&buffers[*picture].read(plan, state, Default::default())).unwrap();
            }
            if frame < 2 {
                solver.step(&seidel::Input::frame(1.0 / 60.0));
            }
        }
        files.into_iter().for_each(|(file, _)| file.finish().unwrap());
        let [header, _] = headers;
        header
    }
}

#[test]
fn a_cube_comes_back_from_obj_with_all_that_it_had() {
    let folder = Folder::with("a.obj", CUBE);
    let (mesh, drawn) = read_drawn(folder.at("a.obj")).unwrap();
    assert_eq!(drawn.vertex[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "the file's order");
    let (left, kept) = repaired(&mesh, &drawn);
    assert_eq!(left.positions, mesh.positions[1..9], "the file's order, without what was dropped");
    assert!(write_drawn(&folder.at("b.obj"), &left, &kept, &[]).unwrap().is_empty());
    let text = std::fs::read_to_string(folder.at("b.obj")).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("mtllib")).collect::<Vec<_>>(), ["mtllib cube.mtl"]);
    let named = |keyword: &str| text.lines().filter(|line| line.split(' ').next() == Some(keyword)).count();
    assert_eq!([named("v"), named("vt"), named("vn"), named("o"), named("g"), named("usemtl")], [8, 4, 6, 1, 3, 3]);
    let (again, again_drawn) = read_drawn(folder.at("b.obj")).unwrap();
    assert_eq!(again, left);
    assert_eq!(corners(&again, &again_drawn), cube_left(&mesh, &drawn));
    assert_eq!(again_drawn.libraries, ["cube.mtl"]);
    let names = corners(&again, &again_drawn)[6].1.clone();
    assert_eq!(names, ["cube", "lid", "red paint"].map(str::to_owned));
}

#[test]
fn a_ply_file_has_the_seams_at_its_faces_and_says_what_it_lacks() {
    let folder = Folder::with("a.obj", CUBE);
    let (mesh, drawn) = read_drawn(folder.at("a.obj")).unwrap();
    let (left, kept) = repaired(&mesh, &drawn);
    let left_out = write_drawn(&folder.at("b.ply"), &left, &kept, &[]).unwrap();
    assert_eq!(left_out, ["normals, of which a vertex has several", "groups", "materials"]);
    let (again, again_drawn) = read_drawn(folder.at("b.ply")).unwrap();
    assert_eq!(again, left);
    let uvs = |all: &[Corners]| all.iter().map(|(corners, _)| corners.map(|(_, uv, _)| uv)).collect::<Vec<_>>();
    assert_eq!(uvs(&corners(&again, &again_drawn)), uvs(&cube_left(&mesh, &drawn)));
    assert_eq!(again_drawn.vertex[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// A square of two triangles with numbers for each vertex, and a vertex that nothing uses in between; binary would do
/// as well.
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                   property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty float stiff\nproperty float u\n\
                   property float v\nproperty list uchar int more\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n\
                   0 0 0 0 1 0 255 0.5 0.1 0.2 0\n1 0 0 0 1 0 0 1.5 0.9 0.2 1 7\n5 5 5 0 0 1 51 2.5 0.4 0.4 0\n1 0 1 0 1 0 0 3.5 0.9 0.7 0\n\
                   0 0 1 0 1 0 0 4.5 0.1 0.7 0\n3 4 3 1\n3 4 1 0\n";

#[test]
fn a_ply_file_keeps_coordinates_normals_and_order() {
    let folder = Folder::with("a.ply", PLY);
    let (mesh, drawn) = read_drawn(folder.at("a.ply")).unwrap();
    assert_eq!(drawn.vertex, [0, 1, 2, 3, 4]);
    assert_eq!((drawn.uvs[3], drawn.normals[2], drawn.v_up), ([0.9, 0.7], [0.0, 0.0, 1.0], true));
    let (left, kept) = repaired(&mesh, &drawn);
    assert_eq!(kept.vertex, [0, 1, 2, 3]);
    for name in ["b.ply", "b.obj"] {
        assert!(write_drawn(&folder.at(name), &left, &kept, &[]).unwrap().is_empty(), "{name}");
        let (again, again_drawn) = read_drawn(folder.at(name)).unwrap();
        assert_eq!(again, left, "{name}");
        assert_eq!(corners(&again, &again_drawn), corners(&mesh, &drawn), "{name}");
    }
    // Painted numbers, too: of vertex 2, which is dropped, none.
    let maps = read_maps(folder.at("a.ply").as_ref()).unwrap().repaired(&mesh.repaired().1);
    assert_eq!(maps.attributes[1], ("stiff".to_owned(), vec![0.5, 1.5, 3.5, 4.5]));
    let mut attributes = maps.attributes.clone();
    attributes.push(("s".to_owned(), vec![7.0; 4]));
    assert!(write_drawn(&folder.at("b.ply"), &left, &kept, &attributes).unwrap().is_empty());
    attributes[2].0 = "s_".to_owned();
    assert_eq!(read_maps(&folder.at("b.ply")).unwrap().attributes, attributes);
    assert_eq!(write_drawn(&folder.at("b.obj"), &left, &kept, &attributes).unwrap(), ["painted numbers"]);
    attributes[0].1.pop();
    let error = write_drawn(&folder.at("b.ply"), &left, &kept, &attributes).unwrap_err().to_string();
    assert!(error.contains("attribute \"red\" has 3 numbers for 4 vertices"), "{error}");
    // A vertex has its own numbers again, without a list at the faces.
    let text = std::fs::read(folder.at("b.ply")).unwrap();
    let head = String::from_utf8_lossy(&text);
    assert!(head.contains("property float s\nproperty float t\nproperty uchar red\nproperty float stiff\n"), "{head}");
    assert!(!head.contains("texcoord"), "{head}");
}

/// The same with a face at that vertex: a cloth has no vertex that nothing uses.
fn whole_ply() -> String {
    PLY.replace("element face 2", "element face 3") + "3 1 3 2\n"
}

/// A file's JSON, and the numbers of an accessor.
struct Glb {
    json: Value,
    bin: Vec<u8>,
}

impl Glb {
    fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let glb = gltf::Glb::from_slice(&bytes).unwrap();
        Self { json: serde_json::from_slice(&glb.json).unwrap(), bin: glb.bin.unwrap().into_owned() }
    }

    fn floats<const N: usize>(&self, accessor: &Value) -> Vec<[f32; N]> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let from = view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
        let count = accessor["count"].as_u64().unwrap() as usize;
        let bytes = &self.bin[from as usize..][..4 * N * count];
        let numbers: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        numbers.chunks_exact(N).map(|all| all.try_into().unwrap()).collect()
    }
}

#[test]
fn a_model_of_a_ply_file_has_its_vertices_in_their_order() {
    let folder = Folder::with("a.ply", whole_ply());
    folder.run("mesh = \"a.ply\"\npin_vertices = [0, 1]", &["glb"]);
    let model = Glb::open(&folder.at("out.glb"));
    let primitives = model.json["meshes"][0]["primitives"].as_array().unwrap();
    assert_eq!(primitives.len(), 1);
    let attributes = &primitives[0]["attributes"];
    let (mesh, drawn) = read_drawn(folder.at("a.ply")).unwrap();
    assert_eq!(model.floats::<3>(&attributes["POSITION"]), mesh.positions);
    let uvs: Vec<_> = drawn.uvs.iter().map(|uv| [uv[0], 1.0 - uv[1]]).collect();
    assert_eq!(model.floats::<2>(&attributes["TEXCOORD_0"]), uvs);
    assert_eq!(model.floats::<3>(&attributes["NORMAL"]).len(), 5);
    assert_eq!(model.json["materials"][0]["name"], "body");
}

#[test]
fn a_model_of_a_repaired_cube_has_a_primitive_for_each_material_and_reads_back() {
    let folder = Folder::with("a.obj", CUBE);
    folder.run("mesh = \"a.obj\"\nrepair = true\npin_vertices = [1, 2]", &["glb"]);
    let model = Glb::open(&folder.at("out.glb"));
    let primitives = model.json["meshes"][0]["primitives"].as_array().unwrap();
    let material = |k: usize| {
        let material = primitives[k]["material"].as_u64().unwrap() as usize;
        model.json["materials"][material]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!((primitives.len(), material(0), material(1)), (2, "wood".into(), "red paint".into()));
    assert_eq!(primitives[0]["attributes"], primitives[1]["attributes"], "they share vertices");
    assert_eq!(primitives[0]["targets"], primitives[1]["targets"]);
    assert_eq!(model.json["materials"].as_array().unwrap().len(), 2, "no material is unused");
    let (mesh, drawn) = read_drawn(folder.at("a.obj")).unwrap();
    let places = model.floats::<3>(&primitives[0]["attributes"]["POSITION"]);
    assert_eq!(places[..8], mesh.positions[1..9], "the file's order; copies follow");
    assert!(places[8..].iter().all(|place| places[..8].contains(place)));

    // Read as a mesh again: triangles by material, vertices in the order of the source.
    let (again, again_drawn) = read_drawn(folder.at("out.glb")).unwrap();
    assert_eq!(again.positions, mesh.positions[1..9]);
    let by_material = |all: Vec<Corners>| {
        let (wood, red): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, names)| names[2] == "wood");
        let all: Vec<_> = wood.into_iter().chain(red).collect();
        let place = |(at, [u, v], _): ([u32; 3], [u32; 2], [u32; 3])| {
            // v is turned over twice, with a rounding.
            (at, u, (f32::from_bits(v) * 1e6).round() as i64)
        };
        all.into_iter().map(|(corners, names)| (corners.map(place), names)).collect::<Vec<_>>()
    };
    assert_eq!(by_material(corners(&again, &again_drawn)), by_material(cube_left(&mesh, &drawn)));

    // And from there, repaired, to an OBJ file: nothing is lost.
    let (left, kept) = repaired(&again, &again_drawn);
    assert!(write_drawn(&folder.at("c.obj"), &left, &kept, &[]).unwrap().is_empty());
    let (third, third_drawn) = read_drawn(folder.at("c.obj")).unwrap();
    assert_eq!(third, again);
    assert_eq!(by_material(corners(&third, &third_drawn)), by_material(cube_left(&mesh, &drawn)));
    assert_eq!(
        write_drawn(&folder.at("c.ply"), &left, &kept, &[]).unwrap(),
        ["normals, of which a vertex has several", "groups", "materials"]
    );
}

/// Flat, 3 x 3 vertices, with normals that lean outwards and have other lengths than 1.
fn bent() -> String {
    let mut text = String::new();
    for (i, j) in (0..3).flat_map(|j| (0..3).map(move |i| (f32::from(i - 1i8), f32::from(j - 1i8)))) {
        text += &format!("v {} 0 {}\nvn {} 1 {}\n", 0.5 * i, 0.5 * j, 0.8 * i, 0.6 * j);
    }
    for a in [1, 2, 4, 5] {
        let [b, c, d] = [a + 3, a + 1, a + 4];
        text += &format!("f {a}//{a} {b}//{b} {d}//{d} {c}//{c}\n");
    }
    text
}

fn unit(n: [f32; 3]) -> [f32; 3] {
    let long = n.iter().map(|x| x * x).sum::<f32>().sqrt();
    n.map(|x| x / long)
}

/// At rest, placed as the scene says: normals across what is stretched lean less.
#[test]
fn bent_normals_stay_from_all_formats_to_models() {
    let folder = Folder::with("a.obj", bent());
    let (mesh, drawn) = read_drawn(folder.at("a.obj")).unwrap();
    assert!(write_drawn(&folder.at("a.ply"), &mesh, &drawn, &[]).unwrap().is_empty());
    folder.run("mesh = \"a.obj\"\npin_vertices = [4]", &["glb"]);
    std::fs::rename(folder.at("out.glb"), folder.at("a.glb")).unwrap();
    for name in ["a.obj", "a.ply", "a.glb"] {
        let keys = "pin_vertices = [4]\nposition = [1, 2, 3]\nrotation = { axis = [0, 1, 0], degrees = 90 }";
        for scale in [[1.0, 1.0, 1.0], [3.0, 3.0, 3.0], [2.0, 1.0, 0.5]] {
            folder.run(&format!("mesh = \"{name}\"\n{keys}\nscale = {scale:?}"), &["glb"]);
            let model = Glb::open(&folder.at("out.glb"));
            let primitive = &model.json["meshes"][0]["primitives"][0];
            let got = model.floats::<3>(&primitive["attributes"]["NORMAL"]);
            assert_eq!(got.len(), 9);
            for (got, n) in got.iter().zip(&drawn.normals) {
                let [x, y, z] = std::array::from_fn(|k| n[k] / scale[k]);
                let expected = unit([z, y, -x]);
                assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{name}: {got:?} {expected:?}");
            }
            // In the last frame it has fallen on all sides of its middle.
            let last = model.floats::<3>(&primitive["targets"][2]["NORMAL"]);
            assert!(last.iter().flatten().any(|x| x.abs() > 1e-5), "they move");
        }
    }
}

/// The surface of a solid is carried by its tetrahedra.
#[test]
fn bent_normals_stay_on_a_filled_solid() {
    let corners = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
    let mut text = String::new();
    for [x, y, z] in corners {
        text += &format!("v {x} {y} {z}\nvn {} {} {}\n", x + y, y + z, z - x);
    }
    for (x, y, z) in [(1, 3, 5), (2, 5, 3), (1, 5, 4), (2, 4, 5), (1, 6, 3), (2, 3, 6), (1, 4, 6), (2, 6, 4)] {
        text += &format!("f {x}//{x} {y}//{y} {z}//{z}\n");
    }
    let folder = Folder::with("a.obj", text);
    let turn = "rotation = { axis = [0, 1, 0], degrees = 90 }";
    folder.run_scene(&format!("[[soft_body]]\nmesh = \"a.obj\"\ncell = 0.5\nposition = [5, 6, 7]\n{turn}\n"), &["glb"]);
    let model = Glb::open(&folder.at("out.glb"));
    let got = model.floats::<3>(&model.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"]);
    let (_, drawn) = read_drawn(folder.at("a.obj")).unwrap();
    assert_eq!(got.len(), 6);
    for (got, &[x, y, z]) in got.iter().zip(&drawn.normals) {
        let expected = unit([z, y, -x]);
        assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{got:?} {expected:?}");
    }
}

#[test]
fn arrays_say_which_vertex_each_of_the_file_is_and_a_point_cache_fits_the_file() {
    let folder = Folder::with("a.obj", CUBE);
    let keys = "mesh = \"a.obj\"\nrepair = true\npin_vertices = [1, 2]\nposition = [0.0, 2.0, 0.0]\nscale = 2.0\n\
                rotation = { axis = [0.0, 1.0, 0.0], degrees = 90.0 }";
    let header = folder.run(keys, &["npz", "pc2"]);
    assert_eq!(header.bodies[0].count, 8);
    let mut zip = zip::ZipArchive::new(std::fs::File::open(folder.at("out.npz")).unwrap()).unwrap();
    let array = npyz::NpyFile::new(zip.by_name("cube_vertex_map.npy").unwrap()).unwrap();
    assert_eq!((array.shape(), array.dtype().descr()), (&[10u64][..], "'<i4'".to_owned()));
    let map: Vec<i32> = array.into_vec().unwrap();
    assert_eq!(map, [-1, 0, 1, 2, 3, 4, 5, 6, 7, 1]);
    let positions: Vec<f32> = npyz::NpyFile::new(zip.by_name("positions.npy").unwrap()).unwrap().into_vec().unwrap();
    let bytes = std::fs::read(folder.at("out.pc2")).unwrap();
    assert_eq!(bytes[16..20], 10u32.to_le_bytes());
    let points: Vec<f32> = bytes[32..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(points.len(), 3 * 10 * 3);
    for frame in 0..3 {
        for (point, &vertex) in map.iter().enumerate() {
            let got = &points[3 * (10 * frame + point)..][..3];
            match usize::try_from(vertex) {
                Ok(vertex) => assert_eq!(*got, positions[3 * (8 * frame + vertex)..][..3]),
                // (9, 9, 9), twice as large, turned a quarter about y, moved up by 2.
                Err(_) => assert!(got.iter().zip([18.0f32, 20.0, -18.0]).all(|(x, y)| (x - y).abs() < 1e-5), "{got:?}"),
            }
        }
    }
}

#[test]
fn a_map_without_a_repair_is_the_identity_and_of_copies_it_names_the_one_vertex() {
    let folder = Folder::with("a.ply", whole_ply());
    let header = folder.run("mesh = \"a.ply\"\npin_vertices = [0, 1]", &["glb"]);
    let source = header.bodies[0].source.as_ref().unwrap();
    assert_eq!((&source.vertex[..], source.dropped.len()), (&[0, 1, 2, 3, 4].map(Some)[..], 0));
    // The cube's model stores each corner of a face; what is simulated are eight vertices.
    let folder = Folder::with("a.obj", CUBE);
    folder.run("mesh = \"a.obj\"\nrepair = true\npin_vertices = [1, 2]", &["glb"]);
    std::fs::rename(folder.at("out.glb"), folder.at("b.glb")).unwrap();
    let header = folder.run("mesh = \"b.glb\"\npin_vertices = [1, 2]", &["pc2"]);
    let source = header.bodies[0].source.as_ref().unwrap();
    let (_, drawn) = read_drawn(folder.at("b.glb")).unwrap();
    assert!(drawn.vertex.len() > 8);
    assert!(source.vertex.iter().copied().eq(drawn.vertex.iter().copied().map(Some)));
    let bytes = std::fs::read(folder.at("out.pc2")).unwrap();
    assert_eq!(bytes[16..20], (drawn.vertex.len() as u32).to_le_bytes());
    // The same with a repair that finds nothing to do.
    let again = folder.run("mesh = \"b.glb\"\nrepair = true\npin_vertices = [1, 2]", &["pc2", "glb"]);
    assert_eq!(again.bodies[0].source.as_ref(), Some(source));
    assert_eq!(std::fs::read(folder.at("out.pc2")).unwrap(), bytes);
    let (_, third) = read_drawn(folder.at("out.glb")).unwrap();
    assert_eq!((&third.vertex, &third.triangles, &third.uvs), (&drawn.vertex, &drawn.triangles, &drawn.uvs));
}

#[test]
fn names_that_no_line_can_hold_are_changed_and_too_many_materials_are_refused() {
    let folder = Folder::with("a.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nusemtl \u{1}a\\\nf 1 2 3\n");
    let (mesh, mut drawn) = read_drawn(folder.at("a.obj")).unwrap();
    assert_eq!(&*drawn.parts[0].material, "_a\\");
    write_drawn(&folder.at("b.obj"), &mesh, &drawn, &[]).unwrap();
    let (again, again_drawn) = read_drawn(folder.at("b.obj")).unwrap();
    assert_eq!((again, &*again_drawn.parts[0].material), (mesh.clone(), "_a"));
    drawn.part = vec![1];
    let error = write_drawn(&folder.at("b.obj"), &mesh, &drawn, &[]).unwrap_err().to_string();
    assert!(error.contains("a drawn triangle names part 1; there are 1"), "{error}");
    drawn.part = vec![0];
    drawn.triangles[0].swap(0, 1);
    let error = write_drawn(&folder.at("b.obj"), &mesh, &drawn, &[]).unwrap_err().to_string();
    assert!(error.contains("not those of the mesh"), "{error}");

    let mut many = "v 0 0 0\nv 1 0 0\nv 1 0 1\n".to_owned();
    (0..257).for_each(|k| many += &format!("usemtl m{k}\nf 1 2 3\n"));
    std::fs::write(folder.at("many.obj"), many).unwrap();
    let (mesh, drawn) = read_drawn(folder.at("many.obj")).unwrap();
    let body = made!(BodyHeader { name: "b".into(), count: 3, drawn: Some(drawn), ..Default::default() });
    let header =
        made!(Header { bodies: vec![body], inv_mass: vec![1.0; 3], triangles: mesh.triangles, ..Header::default() });
    let error = writers::open(&folder.at("a.glb"), &header, &Default::default()).err().unwrap().to_string();
    assert!(error.contains("body \"b\" has 257 materials, and a body of a GLB file 256 at most"), "{error}");
}

/// The mesh that was sent, carried by the arrays, is what the point cache and the model show.
#[test]
fn arrays_carry_the_file_of_a_filled_solid() {
    let cube = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 8\n\
                f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    let folder = Folder::with("a.obj", cube);
    let keys = "mesh = \"a.obj\"\ncell = 0.4\nposition = [0.0, 2.0, 0.0]\nyoung = 1e3\npin_vertices = [0]";
    let bar = "[[soft_body]]\nname = \"bar\"\nskin = \"a.obj\"\nmesh = \"t.node\"\n";
    std::fs::write(folder.at("t.node"), "4 3 0 0\n0 -1 -1 -1\n1 5 -1 -1\n2 -1 5 -1\n3 -1 -1 5\n").unwrap();
    std::fs::write(folder.at("t.ele"), "1 4 0\n0 0 1 2 3\n").unwrap();
    let header = folder.run_scene(&format!("[[soft_body]]\nname = \"cube\"\n{keys}\n{bar}"), &["npz", "pc2"]);
    let file = std::fs::File::open(folder.at("out.npz")).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    fn array<T: npyz::Deserialize>(zip: &mut zip::ZipArchive<std::fs::File>, name: &str) -> Vec<T> {
        npyz::NpyFile::new(zip.by_name(&format!("{name}.npy")).unwrap()).unwrap().into_vec().unwrap()
    }
    assert!(zip.by_name("cube_vertex_map.npy").is_err(), "its vertices are not the file's");
    let (positions, tets): (Vec<f32>, Vec<u32>) = (array(&mut zip, "positions"), array(&mut zip, "tetrahedra"));
    let vertices: usize = header.bodies.iter().map(|body| body.count as usize).sum();
    for name in ["cube", "bar"] {
        let bytes = std::fs::read(folder.at(&format!("out-{name}.pc2"))).unwrap();
        let shown: Vec<f32> = bytes[32..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(shown.len(), 3 * 8 * 3);
        let of: Vec<i32> = array(&mut zip, &format!("{name}_skin_tetrahedron"));
        let weights: Vec<f32> = array(&mut zip, &format!("{name}_skin_weights"));
        assert_eq!((of.len(), weights.len()), (8, 32));
        for frame in 0..3 {
            for (v, &tet) in of.iter().enumerate() {
                for k in 0..3 {
                    let corner = |c: usize| positions[3 * (vertices * frame + tets[4 * tet as usize + c] as usize) + k];
                    let carried: f32 = (0..4).map(|c| weights[4 * v + c] * corner(c)).sum();
                    let want = shown[3 * (8 * frame + v) + k];
                    assert!((carried - want).abs() < 2e-6, "{name}, frame {frame}, vertex {v}: {carried} {want}");
                }
            }
        }
        let moved = |v: usize| (shown[3 * (16 + v) + 1] - shown[3 * v + 1]).abs();
        assert!((0..8).any(|v| moved(v) > 1e-3), "nothing moved");
    }
}
