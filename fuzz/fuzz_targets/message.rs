//! Any bytes as messages to a session of the live page; what is checked stands in `src/message.rs`.
#![no_main]

// Not a part of `seidel_fuzz`, which a test of `seidel-io` compiles, too: that crate stands below this one.
#[path = "../src/message.rs"]
mod message;

libfuzzer_sys::fuzz_target!(|data: &[u8]| message::message(data));
