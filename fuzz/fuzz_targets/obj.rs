//! Any bytes as an OBJ file; what is checked stands in `src/obj.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::obj(data));
