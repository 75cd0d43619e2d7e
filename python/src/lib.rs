//! The seidel engine for Python: python/python/seidel/__init__.pyi says what there is.

#![forbid(unsafe_code)]

mod arrays;
mod batch;
mod error;
mod input;
mod joint;
mod planned;
mod report;
mod scene;
mod solver;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _seidel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add("SCENES", seidel_scenes::NAMES.to_vec())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<solver::Solver>()?;
    module.add_class::<solver::Body>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<joint::Joint>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<batch::BatchReport>()
}
