//! The tests of files and scene files.
//!
//! One program, because each that is linked costs seconds: `cargo test --release -p seidel-io-tests --test all NAME`
//! runs the tests whose path has the name, a file's for instance.

/// A header with these fields, others as in a base or by default; as a literal would be, if what may grow had any
/// outside its crate.
macro_rules! made {
    (@set $all:ident $field:ident) => { $all.$field = $field; };
    (@set $all:ident $field:ident $value:expr) => { $all.$field = $value; };
    ($Type:ident { $($field:ident $(: $value:expr)?,)* ..$base:expr }) => {{
        let mut all: seidel_io::frames::$Type = $base;
        $(made!(@set all $field $($value)?);)*
        all
    }};
    ($Type:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {
        made!($Type { $($field $(: $value)?,)* ..Default::default() })
    };
}

mod assets;
mod check;
mod corpus;
mod drawn;
mod fabric_keys;
mod fluids;
mod formats;
mod glb;
mod gltf;
mod html;
mod in_memory;
mod joins;
mod lines;
mod maps;
mod mesh;
mod mesh_maps;
mod moving_pins;
mod npz;
mod obstacles;
mod pbd;
mod pbd_errors;
mod pc2;
mod pvd;
mod scene;
mod scene_bodies;
mod scene_keys;
mod scene_rigid;
mod scene_solids;
mod selections;
mod solids;
mod tets;

/// A file that is not listed above would never run.
#[test]
fn every_file_is_listed() {
    let apart: &[&str] = &[];
    let files = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the tests' folder");
    for file in files.map(|file| file.expect("a file").path()) {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name in UTF-8").to_owned();
        let listed = include_str!("all.rs").lines().any(|line| line == format!("mod {name};"));
        let is_rust = file.is_dir() || file.extension().is_some_and(|ending| ending == "rs");
        assert!(listed || !is_rust || name == "all" || apart.contains(&name.as_str()), "{name} is not in tests/all.rs");
    }
}
