//! The exception.
#![allow(missing_docs)]

pyo3::create_exception!(
    seidel,
    Error,
    pyo3::exceptions::PyValueError,
    "What is wrong with a scene, an input or a state."
);
