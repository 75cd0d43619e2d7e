//! numpy's arrays: those that come in, as slices, and those that users hold, which are filled again in place.

use crate::error::Error;
use numpy::{Element, PyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict};

/// An array in C order with numbers of a type, made of whatever numpy takes for one; a copy only where it must be.
pub(crate) fn array<'py, T: Element>(
    any: &Bound<'py, PyAny>,
    dtype: &str,
    what: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = any.py();
    let make = MAKE.get_or_try_init(py, || py.import("numpy")?.getattr("ascontiguousarray").map(Bound::unbind))?;
    let wrong = |e: &dyn std::fmt::Display| Error::new_err(format!("{what}: no array of numbers: {e}"));
    let options: Bound<'_, PyDict> = [("dtype", dtype)].into_py_dict(py)?;
    let made = make.bind(py).call((any,), Some(&options)).map_err(|e| wrong(&e))?;
    Ok(made.cast_into::<PyArrayDyn<T>>().map_err(|e| wrong(&e))?.readonly())
}

/// Three numbers each, `(count, 3)`.
pub(crate) fn vectors(any: &Bound<'_, PyAny>, count: Option<usize>, what: &str) -> PyResult<Vec<[f32; 3]>> {
    let given = array::<f32>(any, "float32", what)?;
    let shape = given.shape();
    let is_so = shape.len() == 2 && shape[1] == 3 && count.is_none_or(|count| count == shape[0]);
    if !is_so {
        let want = count.map_or("n".to_owned(), |count| count.to_string());
        return Err(Error::new_err(format!("{what}: the shape is {shape:?}, and should be [{want}, 3]")));
    }
    Ok(given.as_slice()?.as_chunks().0.to_vec())
}

/// `N` numbers.
pub(crate) fn numbers<const N: usize>(any: &Bound<'_, PyAny>, what: &str) -> PyResult<[f64; N]> {
    let given = array::<f64>(any, "float64", what)?;
    let wrong = |_| Error::new_err(format!("{what}: the shape is {:?}, and should be [{N}]", given.shape()));
    given.as_slice()?.try_into().map_err(wrong)
}

/// Indices, `(n, 3)` or `(n, 4)`, and how many a row has.
pub(crate) fn indices(any: &Bound<'_, PyAny>, what: &str) -> PyResult<(Vec<u32>, usize)> {
    let given = array::<i64>(any, "int64", what)?;
    let shape = given.shape();
    let width = match shape {
        [_, width @ (3 | 4)] => *width,
        _ => return Err(Error::new_err(format!("{what}: the shape is {shape:?}, and should be [n, 3] or [n, 4]"))),
    };
    let each = given.as_slice()?.iter().enumerate().map(|(at, &index)| {
        let row = at / width;
        u32::try_from(index).map_err(|_| Error::new_err(format!("{what}: row {row} has the index {index}")))
    });
    Ok((each.collect::<PyResult<_>>()?, width))
}

/// An array that a user holds and cannot write. It is a view of one that is filled here again and again.
pub(crate) struct View<T: Element> {
    base: Py<PyArrayDyn<T>>,
    view: Py<PyAny>,
}

impl<T: Element + Copy + Default> View<T> {
    pub(crate) fn new(py: Python<'_>, shape: &[usize]) -> PyResult<View<T>> {
        let base = PyArray::<T, _>::zeros(py, shape, false);
        let view = base.call_method0("view")?;
        let options = [("write", false)].into_py_dict(py)?;
        view.call_method("setflags", (), Some(&options))?;
        Ok(View { base: base.unbind(), view: view.unbind() })
    }

    pub(crate) fn object(&self, py: Python<'_>) -> Py<PyAny> {
        self.view.clone_ref(py)
    }

    /// Fills it.
    pub(crate) fn fill(&self, py: Python<'_>, fill: impl FnOnce(&mut [T])) -> PyResult<()> {
        let mut to = self.base.bind(py).try_readwrite().map_err(|e| Error::new_err(e.to_string()))?;
        fill(to.as_slice_mut()?);
        Ok(())
    }
}

/// An array of its own.
pub(crate) fn copied<T: Element>(py: Python<'_>, numbers: Vec<T>, shape: &[usize]) -> PyResult<Py<PyAny>> {
    PyArray::from_vec(py, numbers).reshape(shape)?.into_py_any(py)
}
