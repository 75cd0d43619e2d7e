//! Position based dynamics.
pub mod mesh;
pub mod tuning;
