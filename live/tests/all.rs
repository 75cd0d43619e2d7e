//! All tests of the crate as one program.

mod asked;
mod bytes;
mod errors;
mod exports;
mod hands;
mod pages;
mod references;
mod sessions;

/// A file that is not listed above would never run.
#[test]
fn every_file_is_listed() {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).expect("the tests' folder");
    for file in files.map(|file| file.expect("a file").path()) {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name in UTF-8").to_owned();
        let listed = include_str!("all.rs").lines().any(|line| line == format!("mod {name};"));
        assert!(listed || name == "all", "{name} is not in tests/all.rs");
    }
}
