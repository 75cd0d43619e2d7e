//! A joint of rigid bodies between two steps.

use crate::arrays::copied;
use pyo3::prelude::*;
use seidel::JointReading;

/// A joint of rigid bodies between two steps.
#[pyclass(frozen, module = "seidel", get_all)]
pub(crate) struct Joint {
    /// Its way along the axis or its distance, m, or its turn, rad.
    position: f64,
    /// How fast that changes, m/s or rad/s.
    velocity: f64,
    /// Force or torque of its motor in the last substep, N or N m.
    motor_load: f64,
    /// Force of the first body on the second, N, world, (3,).
    force: Py<PyAny>,
    /// Torque about the joint, N m, world, (3,).
    torque: Py<PyAny>,
    /// Whether it is broken.
    broken: bool,
}

impl Joint {
    pub(crate) fn of(py: Python<'_>, now: &JointReading) -> PyResult<Joint> {
        Ok(Joint {
            position: now.position,
            velocity: now.velocity,
            motor_load: now.motor_load,
            force: copied(py, now.force.to_array().to_vec(), &[3])?,
            torque: copied(py, now.torque.to_array().to_vec(), &[3])?,
            broken: now.broken,
        })
    }
}

#[pymethods]
impl Joint {
    fn __repr__(&self) -> String {
        format!("seidel.Joint(position={}, velocity={}, motor_load={})", self.position, self.velocity, self.motor_load)
    }
}
