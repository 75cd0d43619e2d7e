//! Scenes: a text with its meshes, planned.

use crate::arrays::{copied, indices, vectors};
use crate::error::Error;
use crate::planned::Planned;
use crate::solver::Solver;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use seidel::mesh::VertexMaps;
use seidel::{Mesh, Plan, TetMesh};
use seidel_io::scene;
use seidel_scenes::Geometry;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A scene that is read, checked and planned.
#[pyclass(frozen, module = "seidel")]
pub(crate) struct Scene {
    pub(crate) of: Arc<Planned>,
    /// As they were given, for a copy elsewhere.
    meshes: Option<Py<PyDict>>,
}

#[pymethods]
impl Scene {
    /// Reads a scene file's text. `meshes` has for each name in the text its vertices (n, 3), metres, and faces (m, 3),
    /// or tetrahedra (m, 4).
    #[staticmethod]
    #[pyo3(signature = (text, meshes=None, *, set=Vec::new(), memory=u64::MAX))]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        meshes: Option<Bound<'_, PyDict>>,
        set: Vec<String>,
        memory: u64,
    ) -> PyResult<Scene> {
        let wrong = |e: &dyn std::fmt::Display| Error::new_err(e.to_string());
        let mut given = BTreeMap::new();
        for (name, mesh) in meshes.iter().flat_map(|meshes| meshes.iter()) {
            let name: String = name.extract()?;
            let geometry = geometry(&name, &mesh)?;
            given.insert(name, geometry);
        }
        let spec = scene::parse_changed(Path::new("scene"), text, &set).map_err(|e| wrong(&e))?;
        let text = if set.is_empty() { text.to_owned() } else { scene::to_toml(&spec).map_err(|e| wrong(&e))? };
        let planned = py.detach(|| {
            let built = spec.build_within(memory, &|_, _| {}, |name, _| {
                let there = || format!("there is no mesh `{name}` in `meshes`");
                given.get(name).cloned().ok_or_else(there)
            });
            let built = built.map_err(|e| scene::located_in(&text, &spec, &e.to_string()))?;
            Plan::new(&built).map_err(|e| scene::located_in(&text, &spec, &e.to_string()))
        });
        let plan = Arc::new(planned.map_err(|e| wrong(&e))?);
        // Whoever gave them may write to them later.
        let copy = |meshes: Bound<'_, PyDict>| -> PyResult<_> {
            let copied = py.import("copy")?.getattr("deepcopy")?.call1((meshes,))?;
            Ok(copied.cast_into::<PyDict>()?.unbind())
        };
        let meshes = meshes.map(copy).transpose()?;
        Ok(Scene { of: Arc::new(Planned { plan, spec, text }), meshes })
    }

    /// A named scene of the engine, such as "flag", with changes such as "cloth.resolution=16".
    #[staticmethod]
    #[pyo3(signature = (name, *, set=Vec::new()))]
    fn named(py: Python<'_>, name: &str, set: Vec<String>) -> PyResult<Scene> {
        let names = seidel_scenes::NAMES.join(", ");
        let spec = seidel_scenes::named(name)
            .ok_or_else(|| Error::new_err(format!("there is no scene `{name}`; scenes are {names}")))?;
        let text = scene::to_toml(&spec).map_err(|e| Error::new_err(e.to_string()))?;
        Scene::from_toml(py, &text, None, set, u64::MAX)
    }

    /// A solver at the scene's start.
    #[pyo3(signature = (*, threads=None, isa="auto"))]
    fn solver(slf: Bound<'_, Scene>, threads: Option<usize>, isa: &str) -> PyResult<Solver> {
        let of = Arc::clone(&slf.get().of);
        Solver::new(slf.into_any().unbind(), of, threads, isa)
    }

    /// The scene file's text.
    #[getter]
    fn text(&self) -> &str {
        &self.of.text
    }

    /// The length of a frame, seconds.
    #[getter]
    fn dt(&self) -> f64 {
        1.0 / self.of.spec.fps
    }

    /// Frames that the text asks for.
    #[getter]
    fn frames(&self) -> u32 {
        self.of.spec.frames
    }

    /// Seconds in which the scene should come to rest first: `Solver.settle`.
    #[getter]
    fn settle(&self) -> f64 {
        self.of.spec.settle
    }

    /// Names of the bodies.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.of.bodies()
    }

    /// Names of the rigid bodies.
    #[getter]
    fn rigid_bodies(&self) -> Vec<String> {
        self.of.plan.rigid_ids().map(|id| self.of.plan.rigid_name(id).to_owned()).collect()
    }

    /// Names of the joints of rigid bodies.
    #[getter]
    fn joints(&self) -> Vec<String> {
        self.of.joints()
    }

    /// Names of the colliders.
    #[getter]
    fn colliders(&self) -> Vec<String> {
        self.of.plan.colliders().iter().map(|collider| collider.name.clone()).collect()
    }

    /// Number of particles.
    #[getter]
    fn particles(&self) -> usize {
        self.of.plan.particles()
    }

    /// Substeps in a step.
    #[getter]
    fn substeps(&self) -> u32 {
        self.of.plan.substeps()
    }

    /// A fingerprint of the whole plan.
    #[getter]
    fn id(&self) -> u64 {
        self.of.plan.id()
    }

    /// What states belong to.
    #[getter]
    fn layout_id(&self) -> u64 {
        self.of.plan.layout_id()
    }

    /// What the planner warns of.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.of.plan.warnings()
    }

    /// Triangles of a body, (m, 3).
    fn triangles(&self, py: Python<'_>, body: &str) -> PyResult<Py<PyAny>> {
        let triangles = self.of.plan.triangles(self.of.body(body)?);
        copied(py, triangles.as_flattened().to_vec(), &[triangles.len(), 3])
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.get_type::<Scene>().getattr("from_toml")?;
        let meshes = self.meshes.as_ref().map(|meshes| meshes.bind(py).clone());
        Ok((make, (self.of.text.clone(), meshes).into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        let (bodies, rigid) = (self.of.plan.bodies(), self.of.plan.rigid_bodies());
        format!("seidel.Scene({bodies} bodies, {} particles, {rigid} rigid bodies)", self.of.plan.particles())
    }
}

fn geometry(name: &str, mesh: &Bound<'_, PyAny>) -> PyResult<Geometry> {
    let pair: (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        mesh.extract().map_err(|_| Error::new_err(format!("mesh `{name}`: a pair of vertices and faces is wanted")))?;
    let positions = vectors(&pair.0, None, &format!("mesh `{name}`: vertices"))?;
    let (indices, width) = indices(&pair.1, &format!("mesh `{name}`: faces"))?;
    Ok(match width {
        3 => {
            let triangles = indices.as_chunks().0.to_vec();
            Geometry::Surface(Mesh { positions, triangles }, VertexMaps::default())
        }
        _ => Geometry::Solid(TetMesh { positions, tets: indices.as_chunks().0.to_vec() }),
    })
}
