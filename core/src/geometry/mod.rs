//! Geometry without any engine: leaves that every storey may use.

pub(crate) mod boxes;
pub(crate) mod cells;
pub(crate) mod chance;
pub(crate) mod fans;
pub(crate) mod nearest;
pub(crate) mod shell;
pub(crate) mod vector;
