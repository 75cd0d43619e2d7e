//! Position based dynamics.
pub mod mesh;
