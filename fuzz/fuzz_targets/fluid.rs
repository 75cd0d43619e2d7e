//! Any bytes as fluids; what is checked stands in `src/fluid.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::fluid(data));
