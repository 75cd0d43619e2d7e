//! Any bytes as tetrahedra; what is checked stands in `src/tets.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::tets(data));
