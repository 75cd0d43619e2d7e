//! The target that `SEIDEL_FUZZ` names: one program to build in place of eleven (`.ci/fuzz`).
#![no_main]

use std::sync::LazyLock;

// As in message.rs.
#[path = "../src/message.rs"]
mod message;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| match std::env::var("SEIDEL_FUZZ").as_deref() {
    Ok("obj") => seidel_fuzz::obj,
    Ok("surface") => seidel_fuzz::surface,
    Ok("tets") => seidel_fuzz::tets,
    Ok("gltf") => seidel_fuzz::gltf,
    Ok("mesh") => seidel_fuzz::mesh,
    Ok("hash") => seidel_fuzz::hash,
    Ok("contact") => seidel_fuzz::contact,
    Ok("message") => message::message,
    Ok("rigid") => seidel_fuzz::rigid,
    Ok("fluid") => seidel_fuzz::fluid,
    Ok("snapshot") => seidel_fuzz::snapshot,
    name => panic!("SEIDEL_FUZZ is {name:?}, which is no fuzz target"),
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
