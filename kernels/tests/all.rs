//! The kernels' tests.
//!
//! One program, because each that is linked costs seconds:
//! `cargo test --release -p seidel-kernels-tests --test all NAME` runs the tests whose path has the name, a file's for
//! instance.

mod batches;
mod fields;
mod history;
mod kinds;
mod render;
mod turn;

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
