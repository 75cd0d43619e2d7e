//! Many states of one scene, stepped at once: parallel environments.

use crate::arrays::{View, array, copied};
use crate::error::Error;
use crate::planned::Planned;
use crate::scene::Scene;
use crate::solver::{Field, execution, held};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use seidel::glam::{DQuat, DVec3, Vec3};
use seidel::joint::Motor;
use seidel::{BatchScratch, BodyId, ColliderId, Execution, Input, Plan, Pose, RigidId, RigidJointId, State, step_many};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Many states of one scene.
#[pyclass(frozen, module = "seidel")]
pub(crate) struct Batch {
    #[pyo3(get)]
    scene: Py<Scene>,
    of: Arc<Planned>,
    execution: Execution,
    plan: Arc<Plan>,
    count: usize,
    inner: Mutex<Inner>,
}

struct Inner {
    states: Vec<State>,
    /// Where `reset` goes back to, if `save` has kept it.
    saved: Vec<Option<State>>,
    start: State,
    scratch: BatchScratch,
    views: BTreeMap<(BodyId, Field), View<f32>>,
}

/// What happened in a step of a batch, an entry a state.
#[pyclass(frozen, module = "seidel", get_all)]
pub(crate) struct BatchReport {
    /// Contacts with colliders, of bodies with each other and of rigid bodies, (n,).
    contacts: Py<PyAny>,
    /// Whether a particle or a rigid body was lost, (n,).
    lost: Py<PyAny>,
    /// Whether the state has stopped, (n,).
    stopped: Py<PyAny>,
    /// Whether something has torn in the step, (n,).
    torn: Py<PyAny>,
}

/// What an array says to.
#[derive(Clone, Copy)]
enum To {
    Gravity,
    Wind,
    Forces(BodyId),
    Vertices(BodyId),
    Pin(BodyId, u32),
    Pull(BodyId, u32),
    Pressure(BodyId),
    Pose(ColliderId),
    Push(RigidId),
    Motor(RigidJointId, Motor),
}

/// Numbers for all states, or for each its own.
struct Given {
    to: To,
    numbers: Vec<f64>,
    width: usize,
}

impl Given {
    fn of(&self, state: usize) -> &[f64] {
        if self.is_each() { &self.numbers[state * self.width..][..self.width] } else { &self.numbers }
    }

    fn is_each(&self) -> bool {
        self.numbers.len() > self.width
    }

    fn add(&self, input: Input, state: usize) -> Input {
        let of = self.of(state);
        let vector = |at: usize| DVec3::from_slice(&of[at..at + 3]);
        let vectors = || of.chunks_exact(3).map(|v| DVec3::from_slice(v).as_vec3()).collect::<Vec<Vec3>>();
        match self.to {
            To::Gravity => input.gravity(vector(0).as_vec3()),
            To::Wind => input.wind(vector(0).as_vec3()),
            To::Forces(body) => input.forces(body, &vectors()),
            To::Vertices(body) => input.vertices(body, &vectors()),
            To::Pin(body, vertex) => input.pin(body, vertex, vector(0).as_vec3()),
            To::Pull(body, vertex) => input.pull(body, vertex, vector(0).as_vec3(), of[3] as f32),
            To::Pressure(body) => input.pressure(body, of[0] as f32),
            To::Pose(collider) => input.pose(collider, Pose::new(vector(0), DQuat::IDENTITY)),
            To::Push(body) => input.push(body, vector(0), vector(3)),
            To::Motor(joint, motor) => input.motor(joint, with_target(motor, of[0] as f32)),
        }
    }
}

/// A motor with another target.
fn with_target(motor: Motor, target: f32) -> Motor {
    match motor {
        Motor::Off => Motor::Off,
        Motor::Velocity { limit, .. } => Motor::Velocity { target, limit },
        Motor::Position { limit, .. } => Motor::Position { target, limit },
    }
}

impl Batch {
    fn given(&self, to: To, value: &Bound<'_, PyAny>, shape: &[usize], what: &str) -> PyResult<Given> {
        let array = array::<f64>(value, "float64", what)?;
        let got = array.shape();
        let each = [&[self.count], shape].concat();
        // One number alone comes as an array of one.
        let is_one = shape.is_empty() && got == [1];
        if got != shape && got != each && !is_one {
            return Err(Error::new_err(format!("{what}: the shape is {got:?}, and should be {shape:?} or {each:?}")));
        }
        // Of one state both are the same numbers.
        Ok(Given { to, numbers: array.as_slice()?.to_vec(), width: shape.iter().product() })
    }

    fn gather(&self, key: &str, value: &Bound<'_, PyAny>, all: &mut Vec<Given>) -> PyResult<()> {
        let (scene, plan) = (&*self.of, &self.plan);
        match key {
            "gravity" | "wind" => {
                let to = if key == "gravity" { To::Gravity } else { To::Wind };
                all.push(self.given(to, value, &[3], key)?);
                return Ok(());
            }
            "forces" | "vertices" | "pins" | "pulls" | "pressures" | "poses" | "pushes" | "motors" => {}
            _ => {
                let known = "gravity, wind, forces, vertices, pins, pulls, pressures, poses, pushes, motors";
                return Err(Error::new_err(format!("a step is given no `{key}`; known are {known}")));
            }
        }
        let table = value.cast::<PyDict>().map_err(|_| Error::new_err(format!("{key}: a dict by names is wanted")))?;
        for (name, value) in table.iter() {
            let name: String = name.extract()?;
            let what = format!("{key} of `{name}`");
            match key {
                "pushes" => all.push(self.given(To::Push(scene.rigid(&name)?), &value, &[6], &what)?),
                "motors" => {
                    let joint = scene.joint(&name)?;
                    let wrong = || {
                        let wanted = "(\"position\", targets, limit), (\"velocity\", targets, limit) or None is wanted";
                        Error::new_err(format!("{what}: {wanted}"))
                    };
                    if value.is_none() {
                        all.push(Given { to: To::Motor(joint, Motor::Off), numbers: vec![0.0], width: 1 });
                        continue;
                    }
                    let (drive, targets, limit): (String, Bound<'_, PyAny>, f32) =
                        value.extract().map_err(|_| wrong())?;
                    let motor = match drive.as_str() {
                        "position" => Motor::Position { target: 0.0, limit },
                        "velocity" => Motor::Velocity { target: 0.0, limit },
                        _ => return Err(wrong()),
                    };
                    all.push(self.given(To::Motor(joint, motor), &targets, &[], &what)?);
                }
                "poses" => {
                    all.push(self.given(To::Pose(scene.collider(&name)?), &value, &[3], &what)?);
                }
                "pins" | "pulls" => {
                    let body = scene.body(&name)?;
                    let table = value
                        .cast::<PyDict>()
                        .map_err(|_| Error::new_err(format!("{what}: a dict by vertices is wanted")))?;
                    for (vertex, value) in table.iter() {
                        let vertex: u32 = vertex.extract()?;
                        let what = format!("{what}: vertex {vertex}");
                        all.push(match key {
                            "pins" => self.given(To::Pin(body, vertex), &value, &[3], &what)?,
                            _ => self.given(To::Pull(body, vertex), &value, &[4], &what)?,
                        });
                    }
                }
                "pressures" => all.push(self.given(To::Pressure(scene.body(&name)?), &value, &[], &what)?),
                _ => {
                    let body = scene.body(&name)?;
                    let to = if key == "forces" { To::Forces(body) } else { To::Vertices(body) };
                    all.push(self.given(to, &value, &[plan.vertices(body), 3], &what)?);
                }
            }
        }
        Ok(())
    }

    fn refill(&self, py: Python<'_>, inner: &Inner) -> PyResult<()> {
        inner.views.iter().try_for_each(|((body, field), view)| self.fill(py, &inner.states, (*body, *field), view))
    }

    fn fill(&self, py: Python<'_>, states: &[State], (body, field): (BodyId, Field), view: &View<f32>) -> PyResult<()> {
        let size = field.shape(self.plan.vertices(body)).iter().product::<usize>();
        view.fill(py, |out| {
            for (out, state) in out.chunks_exact_mut(size.max(1)).zip(states) {
                field.read(&self.plan, state, body, out);
            }
        })
    }

    /// The states that a mask of booleans names; all without one.
    fn masked(&self, mask: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<usize>> {
        let Some(mask) = mask else { return Ok((0..self.count).collect()) };
        let mask = array::<bool>(mask, "bool", "mask")?;
        if mask.shape() != [self.count] {
            return Err(Error::new_err(format!(
                "mask: the shape is {:?}, and should be [{}]",
                mask.shape(),
                self.count
            )));
        }
        Ok(mask.as_slice()?.iter().enumerate().filter(|(_, is_set)| **is_set).map(|(at, _)| at).collect())
    }

    fn at(&self, index: usize) -> PyResult<usize> {
        let wrong =
            || pyo3::exceptions::PyIndexError::new_err(format!("there is no state {index}: there are {}", self.count));
        if index < self.count { Ok(index) } else { Err(wrong()) }
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (scene, n, *, threads=None, isa="auto"))]
    fn new(scene: Bound<'_, Scene>, n: usize, threads: Option<usize>, isa: &str) -> PyResult<Batch> {
        let (execution, plan) = (execution(threads, isa)?, Arc::clone(&scene.get().of.plan));
        let start = State::new(&plan);
        // 48 bytes a particle and more: what no memory holds is refused before it is asked for.
        let bytes = (n as u64).saturating_mul(64 * (1 + plan.particles() as u64));
        if n == 0 || bytes > 1 << 40 {
            let most = (1u64 << 40) / (64 * (1 + plan.particles() as u64));
            return Err(PyValueError::new_err(format!("n is {n}, which is not within 1 .. {most}")));
        }
        let inner = Inner {
            states: vec![start.clone(); n],
            saved: vec![None; n],
            start,
            scratch: BatchScratch::new(&plan, execution),
            views: BTreeMap::new(),
        };
        Ok(Batch {
            of: Arc::clone(&scene.get().of),
            scene: scene.unbind(),
            execution,
            plan,
            count: n,
            inner: Mutex::new(inner),
        })
    }

    /// An array of a body's positions, velocities (n, v, 3) or inv_masses (n, v) of all states, which each step and
    /// reset fills again.
    #[pyo3(signature = (body, field="positions"))]
    fn bind(&self, py: Python<'_>, body: &str, field: &str) -> PyResult<Py<PyAny>> {
        let (id, field) = (self.of.body(body)?, Field::named(field)?);
        let inner = &mut *held(&self.inner, "batch")?;
        if let Some(view) = inner.views.get(&(id, field)) {
            return Ok(view.object(py));
        }
        let shape = [&[self.count][..], &field.shape(self.plan.vertices(id))].concat();
        let view = View::new(py, &shape)?;
        self.fill(py, &inner.states, (id, field), &view)?;
        let object = view.object(py);
        inner.views.insert((id, field), view);
        Ok(object)
    }

    /// Takes a step of every state. What is given is one for all, or has a first axis of n.
    #[pyo3(
        signature = (dt=None, **given),
        text_signature = "($self, dt=None, *, gravity=None, wind=None, forces=None, vertices=None, pins=None, pulls=None, \
            pressures=None, poses=None, pushes=None, motors=None)"
    )]
    fn step(&self, py: Python<'_>, dt: Option<f64>, given: Option<&Bound<'_, PyDict>>) -> PyResult<BatchReport> {
        let base = Input::new(dt.unwrap_or(1.0 / self.of.spec.fps) as f32);
        let base = base.map_err(|e| Error::new_err(e.to_string()))?;
        let mut all = Vec::new();
        for (key, value) in given.iter().flat_map(|given| given.iter()) {
            if !value.is_none() {
                self.gather(&key.extract::<String>()?, &value, &mut all)?;
            }
        }
        let inner = &mut *held(&self.inner, "batch")?;
        let Inner { states, scratch, .. } = &mut *inner;
        let stepped = py.detach(|| {
            let count = if all.iter().any(Given::is_each) { self.count } else { 1 };
            let input = |state| all.iter().fold(base.clone(), |input, given| given.add(input, state));
            let inputs: Vec<Input> = (0..count).map(input).collect();
            let reports = step_many(&self.plan, states, &inputs, scratch)?;
            let contacts = |report: &seidel::Report| {
                let rigid = report.rigid_contacts.saturating_add(report.rigid_particle_contacts);
                report.contacts.saturating_add(report.pairs.contacts).saturating_add(rigid)
            };
            let first = reports.iter().position(|report| report.rejected.is_some());
            let rejected = first.and_then(|at| Some((at, reports[at].rejected.clone()?)));
            Ok::<_, seidel::Error>((
                rejected,
                reports.iter().map(contacts).collect::<Vec<u32>>(),
                reports
                    .iter()
                    .map(|report| report.lost.is_some() || report.lost_rigid.is_some())
                    .collect::<Vec<bool>>(),
                reports.iter().map(|report| report.stopped).collect::<Vec<bool>>(),
                reports.iter().map(|report| !report.torn.is_empty()).collect::<Vec<bool>>(),
            ))
        });
        let (rejected, contacts, lost, stopped, torn) = stepped.map_err(|e| Error::new_err(e.to_string()))?;
        self.refill(py, inner)?;
        if let Some((at, error)) = rejected {
            return Err(Error::new_err(format!("state {at}: {error}; it is as it was, and others have stepped")));
        }
        let shape = [self.count];
        Ok(BatchReport {
            contacts: copied(py, contacts, &shape)?,
            lost: copied(py, lost, &shape)?,
            stopped: copied(py, stopped, &shape)?,
            torn: copied(py, torn, &shape)?,
        })
    }

    /// Positions (v, 3), metres, and triangles (m, 3) of a body of a state as they are by now: of what has torn with
    /// the copies of its vertices.
    fn now(&self, py: Python<'_>, body: &str, index: usize) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let (id, at) = (self.of.body(body)?, self.at(index)?);
        let inner = &*held(&self.inner, "batch")?;
        let state = &inner.states[at];
        let planned = inner.scratch.plan(at).filter(|plan| plan.is_torn_as(state));
        let torn;
        let plan = match planned {
            Some(plan) => plan,
            None if self.plan.is_torn_as(state) => &*self.plan,
            None => {
                torn = self.plan.torn(state).map_err(|e| Error::new_err(e.to_string()))?;
                &torn
            }
        };
        let mut positions = vec![Vec3::ZERO; plan.vertices(id)];
        state.read_positions(plan, id, &mut positions);
        let (vertices, triangles) = (positions.len(), plan.triangles(id));
        let positions: Vec<f32> = positions.iter().flat_map(|p| p.to_array()).collect();
        let triangles = copied(py, triangles.as_flattened().to_vec(), &[triangles.len(), 3])?;
        Ok((copied(py, positions, &[vertices, 3])?, triangles))
    }

    /// Position, unit quaternion x, y, z, w, velocity and angular velocity of a rigid body in each state, (n, 13).
    fn rigid(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let id = self.of.rigid(name)?;
        let inner = held(&self.inner, "batch")?;
        let of = |state: &State| {
            let (pose, [linear, angular]) = (state.rigid_pose(&self.plan, id), state.rigid_velocity(&self.plan, id));
            let (position, rotation) = (pose.position().to_array(), pose.rotation().to_array());
            position.into_iter().chain(rotation).chain(linear.to_array()).chain(angular.to_array())
        };
        let all: Vec<f64> = inner.states.iter().flat_map(of).collect();
        copied(py, all, &[self.count, 13])
    }

    /// Position, velocity and motor's load of a joint of rigid bodies in each state, (n, 3).
    fn joint(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let id = self.of.joint(name)?;
        let inner = held(&self.inner, "batch")?;
        let of = |state: &State| {
            let now = state.joint(&self.plan, id);
            [now.position, now.velocity, now.motor_load]
        };
        let all: Vec<f64> = inner.states.iter().flat_map(of).collect();
        copied(py, all, &[self.count, 3])
    }

    /// States go back to where `save` has kept them, or to the scene's start: those of a mask (n,) of booleans, or all.
    #[pyo3(signature = (mask=None))]
    fn reset(&self, py: Python<'_>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let masked = self.masked(mask)?;
        let inner = &mut *held(&self.inner, "batch")?;
        for at in masked {
            inner.states[at] = inner.saved[at].as_ref().unwrap_or(&inner.start).clone();
        }
        self.refill(py, inner)
    }

    /// Keeps states as they are now for `reset`: those of a mask (n,) of booleans, or all.
    #[pyo3(signature = (mask=None))]
    fn save(&self, mask: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let masked = self.masked(mask)?;
        let inner = &mut *held(&self.inner, "batch")?;
        masked.into_iter().for_each(|at| inner.saved[at] = Some(inner.states[at].clone()));
        Ok(())
    }

    /// A state as bytes.
    fn state<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &held(&self.inner, "batch")?.states[self.at(index)?].to_bytes()))
    }

    /// A state goes on from bytes.
    fn load(&self, py: Python<'_>, index: usize, state: &[u8]) -> PyResult<()> {
        let inner = &mut *held(&self.inner, "batch")?;
        let place = &mut inner.states[self.at(index)?];
        place.restore(&self.plan, state).map_err(|e| Error::new_err(e.to_string()))?;
        self.refill(py, inner)
    }

    /// Seconds since the start of each state, (n,).
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let times = held(&self.inner, "batch")?.states.iter().map(State::time).collect();
        copied::<f64>(py, times, &[self.count])
    }

    /// The hash of each state, (n,).
    #[getter]
    fn hashes(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let hashes = held(&self.inner, "batch")?.states.iter().map(State::hash).collect();
        copied::<u64>(py, hashes, &[self.count])
    }

    /// Threads in use.
    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(held(&self.inner, "batch")?.scratch.threads())
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let inner = held(&self.inner, "batch")?;
        let bytes = |state: &State| PyBytes::new(py, &state.to_bytes()).unbind();
        let states: Vec<_> = inner.states.iter().map(bytes).collect();
        let saved: Vec<_> = inner.saved.iter().map(|saved| saved.as_ref().map(bytes)).collect();
        let make = py.import("seidel")?.getattr("_batch")?;
        Ok((make, (self.scene.clone_ref(py), self.execution.threads, states, saved).into_pyobject(py)?))
    }

    /// Of a copy: what `reset` goes back to.
    fn _keep(&self, saved: Vec<Option<Vec<u8>>>) -> PyResult<()> {
        let inner = &mut *held(&self.inner, "batch")?;
        for (place, saved) in inner.saved.iter_mut().zip(saved) {
            let read = saved.map(|bytes| State::from_bytes(&self.plan, &bytes)).transpose();
            *place = read.map_err(|e| Error::new_err(e.to_string()))?;
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("seidel.Batch({} states of {} particles)", self.count, self.plan.particles())
    }
}
