//! The fuzz targets over the committed corpus, without a fuzzer: every case that was ever thought of or found.

// `pub` there is for the fuzz targets.
#[path = "../../fuzz/src/lib.rs"]
#[allow(unreachable_pub)]
mod fuzz;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Runs a target over its corpus; names each file at which it failed.
fn each(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20, "{} of {}", files.len(), folder.display());
    let failed: Vec<_> = files
        .iter()
        .filter(|file| catch_unwind(AssertUnwindSafe(|| run(&fs::read(file).unwrap()))).is_err())
        .filter_map(|file| file.file_name())
        .collect();
    assert!(failed.is_empty(), "{target}: {failed:?}");
}

#[test]
fn obj_files_end_in_an_error_or_in_a_finite_state() {
    each("obj", fuzz::obj);
}

#[test]
fn ply_and_stl_files_end_in_an_error_or_can_be_repaired() {
    each("surface", fuzz::surface);
}

#[test]
fn rigid_bodies_end_in_an_error_or_in_a_finite_state() {
    each("rigid", fuzz::rigid);
}

#[test]
fn fluids_end_in_an_error_or_in_a_finite_state() {
    each("fluid", fuzz::fluid);
}

#[test]
fn snapshots_end_in_an_error_or_in_a_state_that_goes_on() {
    each("snapshot", fuzz::snapshot);
}

#[test]
fn tetrahedra_end_in_an_error_or_can_be_repaired() {
    each("tets", fuzz::tets);
}

#[test]
fn gltf_files_end_in_an_error_or_in_a_mesh_and_come_back_as_written() {
    each("gltf", fuzz::gltf);
}

#[test]
fn scenes_end_in_an_error_or_in_a_finite_state() {
    each("mesh", fuzz::mesh);
}

#[test]
fn the_hash_finds_what_the_definition_says() {
    each("hash", fuzz::hash);
}

#[test]
fn what_is_free_of_intersections_stays_so() {
    each("contact", fuzz::contact);
}
