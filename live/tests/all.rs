//! All tests of the crate as one program.
