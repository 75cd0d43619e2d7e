//! Any bytes as a state; what is checked stands in `src/snapshot.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::snapshot(data));
