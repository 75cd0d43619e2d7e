//! What happened in a step.

use crate::error::Error;
use pyo3::prelude::*;

/// What happened in a step.
#[pyclass(frozen, module = "seidel")]
pub(crate) struct Report(pub(crate) seidel::Report);

/// The report, or the reason why no step was taken.
pub(crate) fn told(report: seidel::Report) -> PyResult<Report> {
    match &report.rejected {
        Some(error) => Err(Error::new_err(error.to_string())),
        None => Ok(Report(report)),
    }
}

#[pymethods]
impl Report {
    /// Contacts with colliders that pushed.
    #[getter]
    fn contacts(&self) -> u32 {
        self.0.contacts
    }

    /// Contacts of bodies with themselves and each other.
    #[getter]
    fn pair_contacts(&self) -> u32 {
        self.0.pairs.contacts
    }

    /// Edges beyond their limit, and splits by cuts, that were refused because no copies of vertices were left.
    #[getter]
    fn tears_refused(&self) -> u32 {
        self.0.tears_refused
    }

    /// Vertices that were split where something tore: body, vertex and its copy.
    #[getter]
    fn torn(&self) -> Vec<(String, u32, u32)> {
        self.0.torn.iter().map(|torn| (torn.body.clone(), torn.vertex, torn.copy)).collect()
    }

    /// Contacts of rigid bodies.
    #[getter]
    fn rigid_contacts(&self) -> u32 {
        self.0.rigid_contacts.saturating_add(self.0.rigid_particle_contacts)
    }

    /// Joints of rigid bodies that broke in the step: name, and force, N, and torque, N m, that they carried.
    #[getter]
    fn broken(&self) -> Vec<(String, f32, f32)> {
        self.0.broken.iter().map(|of| (of.name.clone(), of.force, of.torque)).collect()
    }

    /// Body and vertex of the first particle that was lost, if one was.
    #[getter]
    fn lost(&self) -> Option<(String, u32)> {
        self.0.lost.as_ref().map(|lost| (lost.body.clone(), lost.vertex))
    }

    /// The first rigid body that was lost, if one was.
    #[getter]
    fn lost_rigid(&self) -> Option<String> {
        self.0.lost_rigid.clone()
    }

    /// Whether the state has stopped at a lost particle.
    #[getter]
    fn stopped(&self) -> bool {
        self.0.stopped
    }

    /// Seconds that motion, constraints and contacts took.
    #[getter]
    fn seconds(&self) -> (f64, f64, f64) {
        let times = &self.0.times;
        (times.motion.as_secs_f64(), times.constraints.as_secs_f64(), times.contacts.as_secs_f64())
    }

    fn __repr__(&self) -> String {
        let (a, b, c) = (self.contacts(), self.pair_contacts(), self.rigid_contacts());
        format!("seidel.Report({a} contacts, {b} of bodies, {c} of rigid bodies)")
    }
}
