//! Any bytes as moving features and small bodies; what is checked stands in `src/contact.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| seidel_fuzz::contact(data));
