//! Any bytes as a scene; what is checked stands in `src/mesh.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::mesh(data));
