//! Any bytes as a glTF file, and meshes there and back; what is checked stands in `src/gltf.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::gltf(data));
