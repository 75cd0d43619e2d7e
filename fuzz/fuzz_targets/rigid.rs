//! Any bytes as rigid bodies and joints; what is checked stands in `src/rigid.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::rigid(data));
