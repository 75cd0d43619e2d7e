//! Fluids in recordings: where their particles are, which of them are there, and how dense they are.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use npyz::{Deserialize, NpyFile};
use seidel::{Collider, Fluid, Plan, Scene, State};
use seidel_io::frames::{BodyHeader, FluidHeader, Header, RecordedFrame};
use seidel_io::recording::{self, Buffers};
use seidel_io::writers;

/// Water, a triangle, oil.
fn header() -> Header {
    let body = |name: &str, first, count, density: Option<f32>| {
        made!(BodyHeader {
            name: name.into(),
            first,
            count,
            fluid: density.map(|density| FluidHeader::new(0.5, density)),
            ..BodyHeader::default()
        })
    };
    made!(Header {
        fps: 10.0,
        bodies: vec![body("water", 0, 2, Some(1000.0)), body("cloth", 2, 3, None), body("oil", 5, 3, Some(800.0))],
        triangles: vec![[2, 3, 4]],
        edges: vec![[2, 3]],
        rest_lengths: vec![1.0],
        // The second particle of the oil is yet to come: it is no pin.
        inv_mass: vec![1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0],
        ..Header::default()
    })
}

const DENSITIES: [[f32; 5]; 3] = [[1.0, 0.5, 1.1, 0.0, 0.9], [1.25, 0.0, 1.2, 0.0, 0.9], [1.0, 0.0, 1.0, 0.75, 0.9]];

fn positions(frame: usize) -> Vec<[f32; 3]> {
    (0..8).map(|v| [frame as f32, v as f32, 0.25]).collect()
}

fn write(path: &Path, header: &Header) {
    let mut writer = writers::open(path, header, &Default::default()).unwrap();
    writer.room(3).unwrap();
    for (f, densities) in DENSITIES.iter().enumerate() {
        let frame = RecordedFrame {
            time: f as f64 / 10.0,
            positions: &positions(f),
            velocities: &[[3.0, 0.0, 4.0]; 8],
            densities,
            // The water's second place has another particle from the second frame on.
            ids: &[0, if f > 0 { 7 } else { 1 }, 0, 1, 2],
            ..RecordedFrame::default()
        };
        writer.frame(&frame).unwrap();
    }
    writer.finish().unwrap();
}

fn array<T: Deserialize>(path: &Path, name: &str) -> (Vec<u64>, Vec<T>) {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let array = NpyFile::new(zip.by_name(&format!("{name}.npy")).unwrap()).unwrap();
    (array.shape().to_vec(), array.into_vec().unwrap())
}

#[test]
fn arrays_say_what_is_there_and_how_dense_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    write(&path, &header());
    assert_eq!(array::<u32>(&path, "fluid_body").1, [0, 2]);
    assert_eq!(array::<f32>(&path, "fluid_spacing").1, [0.5, 0.5]);
    assert_eq!(array::<f32>(&path, "fluid_rest_density").1, [1000.0, 800.0]);
    assert_eq!(array::<u32>(&path, "fluid_particles").1, [0, 1, 5, 6, 7]);
    assert_eq!(array::<u32>(&path, "fluid_particle_fluid").1, [0, 0, 1, 1, 1]);
    assert_eq!(array::<u32>(&path, "fluid_ids"), (vec![3, 5], vec![0, 1, 0, 1, 2, 0, 7, 0, 1, 2, 0, 7, 0, 1, 2]));
    let (shape, alive) = array::<bool>(&path, "fluid_alive");
    assert_eq!(shape, [3, 5]);
    let there: Vec<bool> = DENSITIES.as_flattened().iter().map(|&density| density > 0.0).collect();
    assert_eq!(alive, there);
    let (shape, density) = array::<f32>(&path, "fluid_density");
    assert_eq!((shape, &density[..5]), (vec![3, 5], &[1000.0, 500.0, 1.1 * 800.0, 0.0, 0.9 * 800.0][..]));
    assert_eq!(array::<f32>(&path, "positions").0, [3, 8, 3]);
    // A scene without fluids has none of these.
    let none = folder.path().join("b.npz");
    writers::open(&none, &Header::default(), &Default::default()).unwrap().finish().unwrap();
    let zip = zip::ZipArchive::new(std::fs::File::open(&none).unwrap()).unwrap();
    assert!(zip.file_names().all(|name| !name.starts_with("fluid")));
}

/// Attributes and texts of the elements `DataArray` and `Piece` of a small file, by the arrays' names.
fn arrays(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut found = BTreeMap::new();
    for part in text.split("<DataArray ").skip(1) {
        let (head, rest) = part.split_once('>').unwrap();
        let name = head.split("Name=\"").nth(1).unwrap().split('"').next().unwrap();
        let data = rest.split_once('<').unwrap().0.trim();
        // One block: four words of head, then the deflated bytes; of nothing, three words.
        let bytes = data.get(44..).map_or(Vec::new(), |data| STANDARD.decode(data).unwrap());
        let mut all = Vec::new();
        if !bytes.is_empty() {
            flate2::read::ZlibDecoder::new(&bytes[..]).read_to_end(&mut all).unwrap();
        }
        found.insert(name.to_owned(), all);
    }
    found
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

#[test]
fn points_of_vtk_are_a_part_without_what_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pvd");
    write(&path, &header());
    let list = std::fs::read_to_string(&path).unwrap();
    let files: Vec<_> = list.split("file=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(files[..3], ["a/a_0000.vtu", "a/a_fluid_0000.vtu", "a/a_0001.vtu"]);
    let others = arrays(&folder.path().join("a/a_0001.vtu"));
    assert_eq!(floats(&others["Points"]), positions(1)[2..5].as_flattened());
    assert_eq!((&others["types"][..], words(&others["body"])), (&[5u8][..], vec![1]));
    assert_eq!(others["connectivity"].len(), 3 * 8);
    assert_eq!(others["connectivity"][8], 1, "numbers without the water's");
    let fluid = arrays(&folder.path().join("a/a_fluid_0001.vtu"));
    let at = positions(1);
    assert_eq!(floats(&fluid["Points"]), [at[0], at[5], at[7]].as_flattened());
    assert_eq!(floats(&fluid["speed"]), [5.0; 3]);
    assert_eq!(floats(&fluid["density"]), [1250.0, 1.2 * 800.0, 0.9 * 800.0]);
    assert_eq!((words(&fluid["id"]), words(&fluid["fluid"])), (vec![0, 0, 2], vec![0, 2, 2]));
    assert_eq!(fluid["types"], [1; 3]);
    assert_eq!(floats(&fluid["velocity"]).len(), 9);
}

#[test]
fn a_scene_of_fluids_alone_is_that_part_also_when_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pvd");
    let fluid = Some(FluidHeader::new(0.5, 1000.0));
    let body = made!(BodyHeader { name: "water".into(), count: 1, fluid, ..BodyHeader::default() });
    let header = made!(Header { bodies: vec![body], inv_mass: vec![1.0], ..Header::default() });
    for density in [1.0, 0.0] {
        let mut writer = writers::open(&path, &header, &Default::default()).unwrap();
        let frame = RecordedFrame {
            positions: &[[1.0; 3]],
            velocities: &[[0.0; 3]],
            densities: &[density],
            ids: &[0],
            ..RecordedFrame::default()
        };
        writer.frame(&frame).unwrap();
        writer.finish().unwrap();
        let files: Vec<_> = std::fs::read_dir(folder.path().join("a")).unwrap().collect();
        assert_eq!(files.len(), 1);
        let points = &arrays(&folder.path().join("a/a_fluid_0000.vtu"))["Points"];
        assert_eq!(points.len(), if density > 0.0 { 12 } else { 0 });
    }
}

#[test]
fn a_page_has_a_byte_a_particle_and_no_pins_among_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.html");
    write(&path, &header());
    let page = std::fs::read_to_string(&path).unwrap();
    let element = |id: &str| {
        let tail = page.split_once(&format!(" id=\"{id}\">")).unwrap().1;
        tail.split_once("</script>").unwrap().0
    };
    let bytes = |id: &str| {
        let mut bytes = Vec::new();
        let zlib = STANDARD.decode(element(id)).unwrap();
        flate2::read::ZlibDecoder::new(&zlib[..]).read_to_end(&mut bytes).unwrap();
        bytes
    };
    let meta: serde_json::Value = serde_json::from_str(element("meta")).unwrap();
    assert_eq!(meta["bodies"][2]["fluid"]["spacing"], 0.5);
    assert!(meta["bodies"][1].get("fluid").is_none());
    let table: Vec<f64> = meta["density"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let (differences, mut last) = (bytes("density-0"), [0u8; 5]);
    assert_eq!(differences.len(), 15);
    for (f, frame) in differences.chunks(5).enumerate() {
        for p in 0..5 {
            let before = if f > 0 {
                last[p]
            } else if p > 0 {
                last[p - 1]
            } else {
                0
            };
            last[p] = before.wrapping_add(frame[p]);
            let (got, want) = (table[usize::from(last[p])], f64::from(DENSITIES[f][p]));
            assert!(
                (got - want).abs() < 1e-3 || want == 0.75 && (got - want).abs() < 6e-3,
                "{f}, {p}: {got} of {want}"
            );
            assert_eq!(last[p] == 0, want == 0.0);
        }
    }
    // Four planes of one word: the cloth's vertex, folded.
    assert_eq!(bytes("pinned"), [4, 0, 0, 0]);
    // The oil's second particle stays where it was while it is not there: no difference in its y, predicted by that of
    // the first frame.
    let motion = bytes("motion-0");
    assert_eq!(motion.len(), 3 * 6 * 8);
    let low_y = |frame: usize, vertex: usize| motion[frame * 48 + 16 + vertex];
    assert_eq!([low_y(0, 6), low_y(1, 6)], [0, 0]);
}

#[test]
fn models_have_points() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    write(&path, &header());
    let bytes = std::fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let primitive = &json["meshes"][2]["primitives"][0];
    assert_eq!((&primitive["mode"], primitive["targets"].as_array().unwrap().len()), (&0.into(), 3));
    assert_eq!(json["accessors"][primitive["attributes"]["POSITION"].as_u64().unwrap() as usize]["count"], 3);
    write(&folder.path().join("a.pc2"), &header());
    assert_eq!(std::fs::metadata(folder.path().join("a-oil.pc2")).unwrap().len(), 32 + 3 * 3 * 12);
}

#[test]
fn densities_of_another_number_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writers::open(&folder.path().join("a.npz"), &header(), &Default::default()).unwrap();
    let frame = RecordedFrame {
        positions: &positions(0),
        velocities: &positions(0),
        densities: &[1.0; 4],
        ..Default::default()
    };
    let error = writer.frame(&frame).unwrap_err().to_string();
    assert!(error.ends_with("frame 0: 4 densities where the header says 5"), "{error}");
}

/// What the engine says of a particle that is not there reaches a recording, whose places are finite all the same.
#[test]
fn what_is_not_there_has_no_density_and_the_place_of_another() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::ground());
    // Two corners begin inside of these, and are left out.
    scene.add_collider(Collider::sphere(0.01).at([0.05; 3]));
    scene.add_collider(Collider::sphere(0.01).at([0.25; 3]));
    scene.add(Fluid::block([0.0; 3], [0.3; 3]).spacing(0.1).density(900.0));
    let plan = Plan::new(&scene).unwrap();
    let header = recording::header(&plan, "a", 60.0);
    assert_eq!(header.bodies[0].fluid, Some(FluidHeader::new(0.1, 900.0)));
    assert_eq!((header.fluid_particles(), header.fluids().count()), (27, 1));
    let state = State::new(&plan);
    let mut buffers = Buffers::default();
    let frame = buffers.read(&plan, &state, Default::default());
    assert_eq!(frame.densities.len(), 27);
    let gone: Vec<usize> = (0..27).filter(|&v| frame.densities[v] == 0.0).collect();
    assert_eq!(gone, [0, 26]);
    assert_eq!((frame.positions[0], frame.positions[26]), (frame.positions[1], frame.positions[1]));
    assert!(frame.densities[13] > 0.9, "the middle has {}", frame.densities[13]);
}

/// A slip length is a number or a word, is written as it was read, and wants a viscosity, which the error says where it
/// stands.
#[test]
fn a_slip_length_is_a_number_or_a_word() {
    use seidel_io::scene::{parse, to_toml};
    let plan = |line: &str| {
        let text = format!("[[fluid]]\nspacing = 0.1\nslip_length = {line}\n");
        let spec = parse(std::path::Path::new("x"), &text).map_err(|e| e.to_string())?;
        let written = to_toml(&spec).map_err(|e| e.to_string())?;
        assert_eq!(parse(std::path::Path::new("x"), &written).map_err(|e| e.to_string())?, spec, "{written}");
        let built = seidel_io::scene::build("x", &spec).map_err(|e| e.to_string())?;
        Plan::new(&built).map(|plan| plan.id()).map_err(|e| e.to_string())
    };
    let free = plan("\"free\"").unwrap();
    assert_eq!(plan("\"free\"\nviscosity = 1e-6").unwrap(), free);
    assert_ne!(plan("0.01").unwrap(), free);
    assert!(plan("\"free\"\nviscosity = 0").is_ok());
    let error = plan("0.01\nviscosity = 0").unwrap_err();
    assert!(error.contains("slip_length is 0.01, which is not infinite: without a viscosity"), "{error}");
    let error = plan("\"much\"").unwrap_err();
    assert!(
        error.contains("line 3") && error.contains("slip_length") && error.contains("neither a number nor \"free\""),
        "{error}"
    );
}
