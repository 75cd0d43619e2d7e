//! Solvers, and the bodies in them.

use crate::arrays::{View, array, copied, numbers, vectors};
use crate::error::Error;
use crate::input::input;
use crate::joint::Joint;
use crate::planned::Planned;
use crate::report::{Report, told};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use seidel::glam::{DQuat, DVec3, Vec3};
use seidel::{BodyId, Execution, Isa, Plan, Pose, State};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// A plan, its state, and the threads that step it.
#[pyclass(frozen, module = "seidel")]
pub(crate) struct Solver {
    #[pyo3(get)]
    scene: Py<PyAny>,
    of: Arc<Planned>,
    execution: Execution,
    inner: Mutex<Inner>,
}

struct Inner {
    solver: seidel::Solver,
    /// The solver's plan before anything tears: arrays keep the vertices that bodies begin with.
    plan: Arc<Plan>,
    /// What users hold, by body and field.
    views: BTreeMap<(BodyId, Field), View<f32>>,
}

/// What of a body's vertices can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Positions,
    Velocities,
    InvMasses,
}

impl Field {
    pub(crate) fn named(name: &str) -> PyResult<Field> {
        match name {
            "positions" => Ok(Field::Positions),
            "velocities" => Ok(Field::Velocities),
            "inv_masses" => Ok(Field::InvMasses),
            _ => {
                Err(Error::new_err(format!("there is no field `{name}`; fields are positions, velocities, inv_masses")))
            }
        }
    }

    /// The shape of a body's.
    pub(crate) fn shape(self, vertices: usize) -> Vec<usize> {
        if self == Field::InvMasses { vec![vertices] } else { vec![vertices, 3] }
    }

    /// Copies it.
    pub(crate) fn read(self, plan: &Plan, state: &State, body: BodyId, out: &mut [f32]) {
        match self {
            Field::Positions | Field::Velocities => {
                let (count, rest) = (out.len() / 3, out.len() % 3);
                debug_assert_eq!((count, rest), (plan.vertices(body), 0));
                let bytes = bytes_of(out);
                match self {
                    Field::Positions => state.read_positions_strided(plan, body, bytes, 0, 12),
                    _ => state.read_velocities_strided(plan, body, bytes, 0, 12),
                }
            }
            Field::InvMasses => state.read_inv_masses(plan, body, out),
        }
    }
}

fn bytes_of(numbers: &mut [f32]) -> &mut [u8] {
    bytemuck::cast_slice_mut(numbers)
}

/// Lanes and threads by what a user says.
pub(crate) fn execution(threads: Option<usize>, isa: &str) -> PyResult<Execution> {
    let isa = isa.parse::<Isa>().map_err(|e| Error::new_err(e.to_string()))?;
    let threads = threads.unwrap_or(Execution::default().threads);
    match threads {
        1..=1024 => Ok(Execution::new(isa, threads)),
        _ => Err(Error::new_err(format!("{threads} threads; there may be 1 to 1024"))),
    }
}

/// A lock that is taken at once or not at all: a call on another thread has it, without the interpreter.
pub(crate) fn held<'a, T>(of: &'a Mutex<T>, what: &str) -> PyResult<MutexGuard<'a, T>> {
    of.try_lock().map_err(|e| {
        let text = match e {
            TryLockError::WouldBlock => format!("another thread is using the {what}"),
            TryLockError::Poisoned(_) => format!("the {what} met a fault of the engine before"),
        };
        pyo3::exceptions::PyRuntimeError::new_err(text)
    })
}

impl Solver {
    pub(crate) fn new(scene: Py<PyAny>, of: Arc<Planned>, threads: Option<usize>, isa: &str) -> PyResult<Solver> {
        let (execution, plan) = (execution(threads, isa)?, Arc::clone(&of.plan));
        let solver = seidel::Solver::with(Arc::clone(&plan), execution);
        Ok(Solver { scene, of, execution, inner: Mutex::new(Inner { solver, plan, views: BTreeMap::new() }) })
    }

    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        held(&self.inner, "solver")
    }

    /// Fills what users hold.
    fn refill(&self, py: Python<'_>, inner: &Inner) -> PyResult<()> {
        let state = inner.solver.state();
        inner
            .views
            .iter()
            .try_for_each(|((body, field), view)| view.fill(py, |out| field.read(&inner.plan, state, *body, out)))
    }

    fn view(&self, py: Python<'_>, body: BodyId, field: Field) -> PyResult<Py<PyAny>> {
        let inner = &mut *self.inner()?;
        if let Some(view) = inner.views.get(&(body, field)) {
            return Ok(view.object(py));
        }
        let view = View::new(py, &field.shape(inner.plan.vertices(body)))?;
        view.fill(py, |out| field.read(&inner.plan, inner.solver.state(), body, out))?;
        let object = view.object(py);
        inner.views.insert((body, field), view);
        Ok(object)
    }

    fn write(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&Plan, &mut State) -> Result<(), seidel::Error>,
    ) -> PyResult<()> {
        let inner = &mut *self.inner()?;
        write(&inner.plan, inner.solver.state_mut()).map_err(|e| Error::new_err(e.to_string()))?;
        self.refill(py, inner)
    }
}

#[pymethods]
impl Solver {
    /// Takes a step of `dt` seconds (the scene's frame, unless given) and fills again what was taken of bodies. Other
    /// threads of Python run meanwhile.
    #[pyo3(
        signature = (dt=None, **given),
        text_signature = "($self, dt=None, *, held=False, gravity=None, wind=None, forces=None, vertices=None, poses=None, pins=None, \
            pulls=None, pressures=None, pushes=None, motors=None, cuts=None)"
    )]
    fn step(&self, py: Python<'_>, dt: Option<f64>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Report> {
        let input = input(&self.of, dt, given)?;
        let inner = &mut *self.inner()?;
        let report = told(py.detach(|| inner.solver.step(&input)))?;
        self.refill(py, inner)?;
        Ok(report)
    }

    /// Brings the scene to rest before it starts, by kinetic damping for `seconds`.
    #[pyo3(signature = (seconds, dt=None, **given), text_signature = "($self, seconds, dt=None, *, gravity=None)")]
    fn settle(&self, py: Python<'_>, seconds: f64, dt: Option<f64>, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        if !(0.0..=1e4).contains(&seconds) {
            return Err(PyValueError::new_err(format!("seconds is {seconds}, which is not within 0 .. 10000")));
        }
        let input = input(&self.of, dt, given)?;
        let inner = &mut *self.inner()?;
        let settled = py.detach(|| inner.solver.settle(&input, seconds));
        self.refill(py, inner)?;
        settled.failed.map_or(Ok(()), |failed| told(failed).map(drop))
    }

    /// Goes back to the scene's start.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let inner = &mut *self.inner()?;
        inner.solver.reset();
        self.refill(py, inner)
    }

    /// The state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.inner()?.solver.state().to_bytes()))
    }

    /// Goes on from a state that `save` made, for a scene of the same layout.
    fn load(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let inner = &mut *self.inner()?;
        inner.solver.restore(state).map_err(|e| Error::new_err(e.to_string()))?;
        self.refill(py, inner)
    }

    /// Seconds since the start.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.inner()?.solver.state().time())
    }

    /// The state's hash: equal bits, equal hash, on every machine.
    #[getter]
    fn hash(&self) -> PyResult<u64> {
        Ok(self.inner()?.solver.state().hash())
    }

    /// Where the zero of coordinates is in the world, (3,), metres: the scene's `origin` until it is moved, or a state
    /// of another is loaded.
    #[getter]
    fn origin(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        copied(py, self.inner()?.solver.origin().to_vec(), &[3])
    }

    /// Moves the zero of coordinates to another place of the world, (3,), metres. All stays where it is in the world;
    /// positions, poses and inputs are relative to the new zero. It stays so after `reset`.
    fn move_origin(&self, py: Python<'_>, to: &Bound<'_, PyAny>) -> PyResult<()> {
        let to = numbers::<3>(to, "the origin")?;
        let inner = &mut *self.inner()?;
        inner.solver.move_origin(to).map_err(|e| Error::new_err(e.to_string()))?;
        // Of the same shift, so that states of the one are states of the other.
        let plan = self.of.plan.with_origin(inner.solver.plan().origin());
        inner.plan = Arc::new(plan.map_err(|e| Error::new_err(e.to_string()))?);
        self.refill(py, inner)
    }

    /// Threads in use.
    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(self.inner()?.solver.scratch().threads())
    }

    /// Kinetic and potential energy, J.
    #[getter]
    fn energies(&self) -> PyResult<(f64, f64)> {
        let solver = &self.inner()?.solver;
        let [kinetic, potential] = solver.plan().energies(solver.state());
        Ok((kinetic, potential))
    }

    /// The largest stretch of a length, part of it at rest.
    #[getter]
    fn max_stretch(&self) -> PyResult<f32> {
        let solver = &self.inner()?.solver;
        Ok(solver.plan().max_stretch(solver.state()))
    }

    fn __getitem__(slf: Bound<'_, Solver>, name: &str) -> PyResult<Body> {
        let id = slf.get().of.body(name)?;
        Ok(Body { solver: slf.unbind(), id })
    }

    /// Position (3) and unit quaternion x, y, z, w (4) of a collider.
    fn collider_pose(&self, py: Python<'_>, name: &str) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let id = self.of.collider(name)?;
        arrays_of(py, self.inner()?.solver.state().pose(id))
    }

    /// Position (3) and unit quaternion x, y, z, w (4) of a rigid body.
    fn rigid_pose(&self, py: Python<'_>, name: &str) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let id = self.of.rigid(name)?;
        let inner = self.inner()?;
        arrays_of(py, inner.solver.state().rigid_pose(&inner.plan, id))
    }

    /// Velocity of a rigid body's centre of mass, m/s, and angular velocity, rad/s.
    fn rigid_velocity(&self, py: Python<'_>, name: &str) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let id = self.of.rigid(name)?;
        let inner = self.inner()?;
        let [linear, angular] = inner.solver.state().rigid_velocity(&inner.plan, id);
        Ok((copied(py, linear.to_array().to_vec(), &[3])?, copied(py, angular.to_array().to_vec(), &[3])?))
    }

    /// Puts a rigid body somewhere, with the velocities that it has: a position (3), and a unit quaternion x, y, z, w.
    fn set_rigid_pose(&self, name: &str, position: &Bound<'_, PyAny>, rotation: &Bound<'_, PyAny>) -> PyResult<()> {
        let id = self.of.rigid(name)?;
        let (position, rotation) = (numbers::<3>(position, "position")?, numbers::<4>(rotation, "rotation")?);
        let pose = Pose::new(position, DQuat::from_array(rotation));
        if !pose.is_valid() || position.iter().any(|c| c.abs() > 1e6) {
            let what = format!("{position:?}, {rotation:?}");
            return Err(Error::new_err(format!(
                "pose of `{name}`: {what} is not within +-1e6 m with a unit quaternion"
            )));
        }
        let inner = &mut *self.inner()?;
        inner.solver.state_mut().teleport_rigid(&inner.plan, id, pose);
        Ok(())
    }

    /// Where a joint of rigid bodies is, and what it carried in the last substep.
    fn joint(&self, py: Python<'_>, name: &str) -> PyResult<Joint> {
        let id = self.of.joint(name)?;
        let inner = self.inner()?;
        Joint::of(py, &inner.solver.state().joint(&inner.plan, id))
    }

    /// Sets both.
    fn set_rigid_velocity(&self, name: &str, linear: &Bound<'_, PyAny>, angular: &Bound<'_, PyAny>) -> PyResult<()> {
        let id = self.of.rigid(name)?;
        let [linear, angular] = [numbers::<3>(linear, "velocity")?, numbers::<3>(angular, "angular velocity")?];
        if linear.iter().chain(&angular).any(|c| c.is_nan() || c.abs() > 1e6) {
            return Err(Error::new_err("a velocity is not within +-1e6"));
        }
        let both = [DVec3::from(linear), DVec3::from(angular)];
        let inner = &mut *self.inner()?;
        inner.solver.state_mut().set_rigid_velocity(&inner.plan, id, both);
        Ok(())
    }

    /// Takes a rigid body out of the scene to wait there, or puts it back as the scene begins; nothing is planned.
    fn set_rigid_enabled(&self, name: &str, enabled: bool) -> PyResult<()> {
        let (id, solver) = (self.of.rigid(name)?, &mut self.inner()?.solver);
        let switched = if enabled { solver.enable_rigid(id) } else { solver.disable_rigid(id) };
        switched.map_err(|e| Error::new_err(e.to_string()))
    }

    /// Takes a collider out of the scene, or puts it back; nothing is planned.
    fn set_collider_enabled(&self, name: &str, enabled: bool) -> PyResult<()> {
        let (id, solver) = (self.of.collider(name)?, &mut self.inner()?.solver);
        if enabled {
            solver.enable_collider(id)
        } else {
            solver.disable_collider(id)
        }
        Ok(())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("seidel")?.getattr("_solver")?;
        let origin = self.inner()?.plan.origin().to_vec();
        let parts = (self.scene.clone_ref(py), self.execution.threads, self.save(py)?, origin);
        Ok((make, parts.into_pyobject(py)?))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("seidel.Solver({} particles, {} s)", self.of.plan.particles(), self.time()?))
    }
}

fn arrays_of(py: Python<'_>, pose: Pose) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let (position, rotation) = (pose.position().to_array(), pose.rotation().to_array());
    Ok((copied(py, position.to_vec(), &[3])?, copied(py, rotation.to_vec(), &[4])?))
}

/// A body of a solver. Its arrays are in the mesh's order; they are filled again by each step, and cannot be written.
#[pyclass(frozen, module = "seidel")]
pub(crate) struct Body {
    solver: Py<Solver>,
    id: BodyId,
}

#[pymethods]
impl Body {
    /// Its name.
    #[getter]
    fn name(&self) -> String {
        self.solver.get().of.plan.body_name(self.id).to_owned()
    }

    /// Positions, (n, 3), metres.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.solver.get().view(py, self.id, Field::Positions)
    }

    /// Velocities, (n, 3), m/s.
    #[getter]
    fn velocities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.solver.get().view(py, self.id, Field::Velocities)
    }

    /// Inverse masses, (n,), 1/kg; 0 does not move.
    #[getter]
    fn inv_masses(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.solver.get().view(py, self.id, Field::InvMasses)
    }

    /// Triangles, (m, 3).
    #[getter]
    fn triangles(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let triangles = self.solver.get().of.plan.triangles(self.id);
        copied(py, triangles.as_flattened().to_vec(), &[triangles.len(), 3])
    }

    /// Positions (n, 3), metres, and triangles (m, 3) as they are by now: of what has torn or was cut with the copies
    /// of its vertices.
    fn now(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let solver = &self.solver.get().inner()?.solver;
        let triangles = solver.plan().triangles(self.id);
        let positions: Vec<f32> = solver.positions(self.id).iter().flat_map(|p| p.to_array()).collect();
        let vertices = positions.len() / 3;
        let triangles = copied(py, triangles.as_flattened().to_vec(), &[triangles.len(), 3])?;
        Ok((copied(py, positions, &[vertices, 3])?, triangles))
    }

    /// Positions in the world, (n, 3), float64, metres, as they are by now: the origin and the position, with the
    /// digits that float32 lacks.
    fn world_positions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut each = Vec::new();
        self.solver.get().inner()?.solver.world_positions(self.id, &mut each);
        let vertices = each.len();
        copied(py, each.into_flattened(), &[vertices, 3])
    }

    /// Puts the vertices somewhere else.
    #[setter]
    fn set_positions(&self, py: Python<'_>, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let each = self.vectors(positions, "positions")?;
        self.write(py, |plan, state, id| state.write_positions(plan, id, &each))
    }

    /// Gives the vertices velocities.
    #[setter]
    fn set_velocities(&self, py: Python<'_>, velocities: &Bound<'_, PyAny>) -> PyResult<()> {
        let each = self.vectors(velocities, "velocities")?;
        self.write(py, |plan, state, id| state.write_velocities(plan, id, &each))
    }

    /// Gives the vertices inverse masses; 0 pins one where it is.
    #[setter]
    fn set_inv_masses(&self, py: Python<'_>, inv_masses: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = array::<f32>(inv_masses, "float32", "inv_masses")?;
        let count = self.solver.get().of.plan.vertices(self.id);
        if given.shape() != [count] {
            return Err(Error::new_err(format!(
                "inv_masses: the shape is {:?}, and should be [{count}]",
                given.shape()
            )));
        }
        let each = given.as_slice()?.to_vec();
        self.write(py, |plan, state, id| state.write_inv_masses(plan, id, &each))
    }

    /// Pins a vertex where it is, and remembers its mass; nothing is planned.
    fn pin(&self, py: Python<'_>, vertex: u32) -> PyResult<()> {
        self.change(py, |solver, id| solver.pin(id, vertex))
    }

    /// Frees a pinned vertex, with the mass that it had; nothing is planned.
    fn unpin(&self, py: Python<'_>, vertex: u32) -> PyResult<()> {
        self.change(py, |solver, id| solver.unpin(id, vertex))
    }

    /// Whether it takes part in the scene. Set it to take it out, or to put it back as the scene begins; nothing is
    /// planned.
    #[getter]
    fn enabled(&self) -> PyResult<bool> {
        let inner = self.solver.get().inner()?;
        Ok(inner.solver.state().is_enabled(&inner.plan, self.id))
    }

    #[setter]
    fn set_enabled(&self, py: Python<'_>, enabled: bool) -> PyResult<()> {
        self.change(py, |solver, id| if enabled { solver.enable(id) } else { solver.disable(id) })
    }

    /// The largest plastic strain: of lengths and tetrahedra a strain, of hinges rad; 0 if nothing has yielded, or can.
    #[getter]
    fn plastic_strain(&self) -> PyResult<f32> {
        let inner = self.solver.get().inner()?;
        Ok(inner.plan.plastic_strain(inner.solver.state(), self.id))
    }

    /// The largest plastic strain that has accumulated, to and fro, where `plastic` has `fatigue` or `breaks`;
    /// otherwise
    /// 0. Of hinges rad.
    #[getter]
    fn accumulated_strain(&self) -> PyResult<f32> {
        let inner = self.solver.get().inner()?;
        Ok(inner.plan.accumulated_strain(inner.solver.state(), self.id))
    }

    /// Rows of constraints that have broken.
    #[getter]
    fn broken_rows(&self) -> PyResult<usize> {
        let inner = self.solver.get().inner()?;
        Ok(inner.plan.broken_rows(inner.solver.state(), self.id))
    }

    /// Takes back what has yielded and broken; nothing is planned.
    fn restore_rest_shape(&self, py: Python<'_>) -> PyResult<()> {
        self.write(py, |plan, state, id| {
            state.restore_rest_shape(plan, id);
            Ok(())
        })
    }

    fn __len__(&self) -> usize {
        self.solver.get().of.plan.vertices(self.id)
    }

    fn __repr__(&self) -> String {
        format!("seidel.Body({}, {} vertices)", self.name(), self.__len__())
    }
}

impl Body {
    fn vectors(&self, given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Vec3>> {
        let count = self.solver.get().of.plan.vertices(self.id);
        Ok(vectors(given, Some(count), what)?.into_iter().map(Vec3::from_array).collect())
    }

    fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut seidel::Solver, BodyId) -> Result<(), seidel::Error>,
    ) -> PyResult<()> {
        let solver = self.solver.get();
        let inner = &mut *solver.inner()?;
        change(&mut inner.solver, self.id).map_err(|e| Error::new_err(e.to_string()))?;
        solver.refill(py, inner)
    }

    fn write(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&Plan, &mut State, BodyId) -> Result<(), seidel::Error>,
    ) -> PyResult<()> {
        self.solver.get().write(py, |plan, state| write(plan, state, self.id))
    }
}
