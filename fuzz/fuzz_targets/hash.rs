//! Any bytes as points and boxes; what is checked stands in `src/hash.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::hash(data));
