//! Any bytes as a PLY or STL file; what is checked stands in `src/surface.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::surface(data));
