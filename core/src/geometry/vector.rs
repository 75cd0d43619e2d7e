//! Vectors in f64 for what is planned and measured.

pub(crate) use seidel_kernels::vector::{P, add, cross, dot, length, scale, sub};
