//! Solvers: a plan, its state, and the threads that step it.

use crate::defs::{
    SEIDEL_FIELD_ANGULAR_VELOCITIES, SEIDEL_FIELD_COLLIDER_POSE, SEIDEL_FIELD_INV_MASSES, SEIDEL_FIELD_JOINT,
    SEIDEL_FIELD_POSITIONS, SEIDEL_FIELD_RIGID_POSE, SEIDEL_FIELD_RIGID_VELOCITY, SEIDEL_FIELD_ROTATIONS,
    SEIDEL_FIELD_VELOCITIES, SEIDEL_FIELD_WORLD_POSITIONS, SeidelBodyInfo, SeidelExecution, SeidelField, SeidelInput,
    SeidelPlan, SeidelReport, SeidelSolver,
};
use crate::handles::Handles;
use crate::input;
use crate::plan::{PLANS, Planned, body_info, copy_triangles, none};
use crate::pointers::{maybe, one, put, slice, slice_mut, text};
use crate::status::{Failure, SeidelStatus, guard};
use seidel::glam::{Quat, Vec3};
use seidel::{BodyId, Execution, Isa, Plan, Pose, Report, Solver, State};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, TryLockError};

/// What a solver's handle stands for. Whoever holds it is its only user.
pub(crate) struct Held {
    pub(crate) of: Arc<Planned>,
    pub(crate) solver: Solver,
    /// For each body positions and velocities in the mesh's order, once they have been viewed.
    views: Vec<[Vec<Vec3>; 2]>,
    /// State bytes on their way out.
    pub(crate) bytes: Vec<u8>,
}

static SOLVERS: Handles<Mutex<Held>> = Handles::new("solver");

/// Runs what a function does with a solver, unless another thread uses it.
pub(crate) fn with(handle: *const SeidelSolver, run: impl FnOnce(&mut Held) -> Result<(), Failure>) -> SeidelStatus {
    guard(|| {
        let held = SOLVERS.get(handle)?;
        match held.try_lock() {
            Ok(mut held) => run(&mut held),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::new(SeidelStatus::Busy, "another thread is using the solver"))
            }
            Err(TryLockError::Poisoned(_)) => {
                Err(Failure::new(SeidelStatus::Panic, "the solver met a fault of the engine before: free it"))
            }
        }
    })
}

/// Makes a solver at the scene's start and writes a handle to `solver`. `execution` may be null. The plan's handle may
/// be freed before the solver's.
///
/// # Safety
/// Pointers are null or point to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_create(
    plan: *const SeidelPlan,
    execution: *const SeidelExecution,
    solver: *mut *mut SeidelSolver,
) -> SeidelStatus {
    guard(|| {
        // SAFETY: `put` checks null and alignment; the caller promises room for a handle.
        unsafe { put(solver, std::ptr::null_mut(), "the place for the solver") }?;
        let of = PLANS.get(plan)?;
        let mut how = Execution::default();
        // SAFETY: `maybe` checks null and alignment; the caller promises an execution as the header says.
        if let Some(given) = unsafe { maybe(execution, "the execution") }? {
            if given.threads > 1024 {
                return Err(Failure::argument(format!("{} threads, and at most 1024 can be", given.threads)));
            }
            if given.threads > 0 {
                how.threads = given.threads as usize;
            }
            if !given.isa.is_null() {
                // SAFETY: not null, as just checked; the caller promises that the name ends with a zero.
                let name = unsafe { text(given.isa, "the instruction set") }?;
                how.isa = name.parse::<Isa>().map_err(Failure::argument)?;
            }
        }
        let held = Held {
            solver: Solver::with(Arc::clone(&of.plan), how),
            views: vec![Default::default(); of.plan.bodies()],
            bytes: Vec::new(),
            of,
        };
        // SAFETY: `put` checks null and alignment; the caller promises room for a handle.
        unsafe { put(solver, SOLVERS.add(Mutex::new(held)), "the place for the solver") }
    })
}

/// Frees a solver's handle. Addresses from `seidel_solver_view` become invalid; a step that is running on another
/// thread still runs to its end. Null is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_solver_free(solver: *mut SeidelSolver) -> SeidelStatus {
    guard(|| if solver.is_null() { Ok(()) } else { SOLVERS.free(solver) })
}

/// Takes one step; writes to `report`, unless it is null, what happened. `SEIDEL_STATUS_REJECTED`: the input does not
/// fit, and the state is as it was. `SEIDEL_STATUS_STOPPED`: the state has stopped at a lost particle.
///
/// # Safety
/// Pointers are null or point to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_step(
    solver: *mut SeidelSolver,
    input: *const SeidelInput,
    report: *mut SeidelReport,
) -> SeidelStatus {
    with(solver, |held| {
        // SAFETY: `one` checks null and alignment; the caller promises an input as the header says.
        let input = unsafe { input::input(&held.of, one(input, "the input")?) }?;
        let happened = held.solver.step(&input);
        // SAFETY: `tell` checks null; the caller promises room for a report.
        unsafe { tell(&held.of.plan, &happened, report) }
    })
}

/// Brings the scene to rest before it starts: for `seconds` by kinetic damping, in steps of `input`.
///
/// # Safety
/// As `seidel_solver_step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_settle(
    solver: *mut SeidelSolver,
    input: *const SeidelInput,
    seconds: f64,
) -> SeidelStatus {
    with(solver, |held| {
        if !(0.0..=1e4).contains(&seconds) {
            return Err(Failure::argument(format!("{seconds} s, which is not within 0 .. 10000")));
        }
        // SAFETY: `one` checks null and alignment; the caller promises an input as the header says.
        let input = unsafe { input::input(&held.of, one(input, "the input")?) }?;
        match held.solver.settle(&input, seconds).failed {
            // SAFETY: null, so that no report is written.
            Some(failed) => unsafe { tell(&held.of.plan, &failed, std::ptr::null_mut()) },
            None => Ok(()),
        }
    })
}

/// # Safety
/// `report` is null or points to room for one.
unsafe fn tell(plan: &Plan, report: &Report, at: *mut SeidelReport) -> Result<(), Failure> {
    let lost_body = report.lost.as_ref().and_then(|lost| plan.body(&lost.body)).map(BodyId::index);
    let told = SeidelReport {
        contacts: report.contacts,
        pair_contacts: report.pairs.contacts,
        torn: report.torn.len() as u32,
        tears_refused: report.tears_refused,
        rigid_contacts: report.rigid_contacts.saturating_add(report.rigid_particle_contacts),
        lost: report.lost.is_some() || report.lost_rigid.is_some(),
        stopped: report.stopped,
        lost_body: lost_body.map_or(u32::MAX, |body| body as u32),
        lost_vertex: report.lost.as_ref().map_or(u32::MAX, |lost| lost.vertex),
        motion_seconds: report.times.motion.as_secs_f64(),
        constraint_seconds: report.times.constraints.as_secs_f64(),
        contact_seconds: report.times.contacts.as_secs_f64(),
    };
    if !at.is_null() {
        // SAFETY: not null, as just checked, and `put` checks alignment; the caller promises room for a report.
        unsafe { put(at, told, "the place for the report") }?;
    }
    match (&report.rejected, report.stopped) {
        (Some(error), _) => Err(Failure::new(SeidelStatus::Rejected, error)),
        (None, true) => Err(Failure::new(SeidelStatus::Stopped, "the state has stopped at a lost particle")),
        _ => Ok(()),
    }
}

/// Goes back to the scene's start.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_solver_reset(solver: *mut SeidelSolver) -> SeidelStatus {
    with(solver, |held| {
        held.solver.reset();
        Ok(())
    })
}

/// Writes the state's time, seconds.
///
/// # Safety
/// `time` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_time(solver: *const SeidelSolver, time: *mut f64) -> SeidelStatus {
    // SAFETY: `put` checks null and alignment; the caller promises room for a number.
    with(solver, |held| unsafe { put(time, held.solver.state().time(), "the place for the time") })
}

/// Writes where the zero of coordinates is in the world, x, y, z, metres: `origin` of the scene until it is moved, or a
/// state of another is loaded. Positions, poses and inputs are relative to it.
///
/// # Safety
/// `origin` is null or points to three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_origin(solver: *const SeidelSolver, origin: *mut f64) -> SeidelStatus {
    // SAFETY: `put` checks null and alignment; the caller promises room for three numbers.
    with(solver, |held| unsafe { put(origin.cast(), held.solver.origin(), "the place for the origin") })
}

/// Moves the zero of coordinates to another place of the world, x, y, z, metres. All stays where it is in the world and
/// goes on; positions, poses and inputs are relative to the new zero, also after `seidel_solver_reset`. Nothing is
/// planned. A state that was saved after it goes on with the same bits where the origin was moved to the same place.
///
/// # Safety
/// `origin` is null or points to three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_move_origin(solver: *mut SeidelSolver, origin: *const f64) -> SeidelStatus {
    with(solver, |held| {
        // SAFETY: `one` checks null and alignment; the caller promises three numbers.
        let origin = *unsafe { one(origin.cast::<[f64; 3]>(), "origin") }?;
        held.solver.move_origin(origin).map_err(Failure::argument)
    })
}

/// Writes the state's hash: equal bits, equal hash, on every machine.
///
/// # Safety
/// `hash` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_hash(solver: *const SeidelSolver, hash: *mut u64) -> SeidelStatus {
    // SAFETY: `put` checks null and alignment; the caller promises room for a number.
    with(solver, |held| unsafe { put(hash, held.solver.state().hash(), "the place for the hash") })
}

/// Copies a field of the body, collider, rigid body or joint `index` to `out`, which has `bytes` bytes: an element
/// begins every `stride` bytes, so that it can be a vertex buffer; a stride of 0 means one after another. Order is the
/// mesh's. Elements: see `SeidelField`.
///
/// # Safety
/// `out` is null or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_read(
    solver: *const SeidelSolver,
    field: SeidelField,
    index: u32,
    out: *mut c_void,
    bytes: usize,
    stride: usize,
) -> SeidelStatus {
    with(solver, |held| {
        let Held { of, solver, .. } = held;
        let (count, size) = extent((of, solver.plan()), field, index)?;
        let stride = fitting(count, size, bytes, stride)?;
        // SAFETY: `slice_mut` checks null and length; the caller promises `bytes` bytes that nobody else uses.
        let out = unsafe { slice_mut(out.cast::<u8>(), bytes, "the buffer") }?;
        if count > 0 {
            read((of, solver.plan()), solver.state(), (field, index), (out, stride))?;
        }
        Ok(())
    })
}

/// Elements of a field, and the bytes of one.
fn extent((of, plan): (&Planned, &Plan), field: SeidelField, index: u32) -> Result<(usize, usize), Failure> {
    let there = |what, count: usize| if (index as usize) < count { Ok(1) } else { Err(none(what, index, count)) };
    match field {
        SEIDEL_FIELD_POSITIONS | SEIDEL_FIELD_VELOCITIES => Ok((plan.vertices(of.body(index)?), 12)),
        SEIDEL_FIELD_WORLD_POSITIONS => Ok((plan.vertices(of.body(index)?), 24)),
        SEIDEL_FIELD_INV_MASSES => Ok((plan.vertices(of.body(index)?), 4)),
        SEIDEL_FIELD_ROTATIONS => Ok((plan.frames(of.body(index)?), 16)),
        SEIDEL_FIELD_ANGULAR_VELOCITIES => Ok((plan.frames(of.body(index)?), 12)),
        SEIDEL_FIELD_COLLIDER_POSE => Ok((there("collider", plan.colliders().len())?, 56)),
        SEIDEL_FIELD_RIGID_POSE => Ok((there("rigid body", plan.rigid_bodies())?, 56)),
        SEIDEL_FIELD_RIGID_VELOCITY => Ok((there("rigid body", plan.rigid_bodies())?, 48)),
        SEIDEL_FIELD_JOINT => Ok((there("joint", plan.rigid_joints())?, 80)),
        _ => Err(Failure::argument(format!("there is no field {field}"))),
    }
}

/// The stride, if so many elements fit.
fn fitting(count: usize, size: usize, bytes: usize, stride: usize) -> Result<usize, Failure> {
    let stride = if stride == 0 { size } else { stride };
    if stride < size {
        return Err(Failure::argument(format!("a stride of {stride} bytes, and an element has {size}")));
    }
    let need = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size));
    match need {
        Some(need) if need <= bytes => Ok(stride),
        _ => {
            Err(Failure::argument(format!("the buffer has {bytes} bytes, too few for {count} elements every {stride}")))
        }
    }
}

fn read(
    (of, plan): (&Planned, &Plan),
    state: &State,
    (field, index): (SeidelField, u32),
    (out, stride): (&mut [u8], usize),
) -> Result<(), Failure> {
    let doubles = |out: &mut [u8], numbers: &[f64]| {
        let bytes: &[u8] = bytemuck::cast_slice(numbers);
        out[..bytes.len()].copy_from_slice(bytes);
    };
    let of_pose = |pose: Pose| {
        let ([x, y, z], [i, j, k, w]) = (pose.position().to_array(), pose.rotation().to_array());
        [x, y, z, i, j, k, w]
    };
    match field {
        SEIDEL_FIELD_POSITIONS => state.read_positions_strided(plan, of.body(index)?, out, 0, stride),
        SEIDEL_FIELD_VELOCITIES => state.read_velocities_strided(plan, of.body(index)?, out, 0, stride),
        SEIDEL_FIELD_WORLD_POSITIONS => {
            let body = of.body(index)?;
            let mut each = vec![[0.0; 3]; plan.vertices(body)];
            state.read_world_positions(plan, body, &mut each);
            scatter(&each, out, stride);
        }
        SEIDEL_FIELD_INV_MASSES => {
            let body = of.body(index)?;
            let mut each = vec![0.0; plan.vertices(body)];
            state.read_inv_masses(plan, body, &mut each);
            scatter(&each, out, stride);
        }
        SEIDEL_FIELD_ROTATIONS => {
            let body = of.body(index)?;
            let mut each = vec![Quat::IDENTITY; plan.frames(body)];
            state.read_rotations(plan, body, &mut each);
            scatter(&each, out, stride);
        }
        SEIDEL_FIELD_ANGULAR_VELOCITIES => {
            let body = of.body(index)?;
            let mut each = vec![Vec3::ZERO; plan.frames(body)];
            state.read_angular_velocities(plan, body, &mut each);
            scatter(&each, out, stride);
        }
        SEIDEL_FIELD_COLLIDER_POSE => {
            let id = plan.collider_ids().nth(index as usize);
            let id = id.ok_or_else(|| none("collider", index, plan.colliders().len()))?;
            doubles(out, &of_pose(state.pose(id)));
        }
        SEIDEL_FIELD_RIGID_POSE => doubles(out, &of_pose(state.rigid_pose(plan, of.rigid(index)?))),
        SEIDEL_FIELD_JOINT => {
            let now = state.joint(plan, of.joint(index)?);
            let ([fx, fy, fz], [x, y, z]) = (now.force.to_array(), now.torque.to_array());
            let broken = f64::from(u8::from(now.broken));
            doubles(out, &[now.position, now.velocity, now.motor_load, fx, fy, fz, x, y, z, broken]);
        }
        _ => {
            let [linear, angular] = state.rigid_velocity(plan, of.rigid(index)?);
            doubles(out, &[linear.to_array(), angular.to_array()].concat());
        }
    }
    Ok(())
}

fn scatter<T: bytemuck::Pod>(each: &[T], out: &mut [u8], stride: usize) {
    for (element, out) in each.iter().zip(out.chunks_mut(stride)) {
        let bytes = bytemuck::bytes_of(element);
        out[..bytes.len()].copy_from_slice(bytes);
    }
}

/// Writes what a body has by now: what tears has more vertices than its plan says.
///
/// # Safety
/// `info` is null or points to room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_body(
    solver: *const SeidelSolver,
    body: u32,
    info: *mut SeidelBodyInfo,
) -> SeidelStatus {
    with(solver, |held| {
        let told = body_info(held.solver.plan(), held.of.body(body)?);
        // SAFETY: `put` checks null and alignment; the caller promises room for the answer.
        unsafe { put(info, told, "the place for the answer") }
    })
}

/// Copies a body's triangles as they are by now: three vertices each, as many triangles as `seidel_solver_body` says.
///
/// # Safety
/// `out` is null or points to `3 * count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_triangles(
    solver: *const SeidelSolver,
    body: u32,
    out: *mut u32,
    count: usize,
) -> SeidelStatus {
    with(solver, |held| {
        // SAFETY: the caller promises `3 * count` numbers that nobody else uses.
        unsafe { copy_triangles(held.solver.plan().triangles(held.of.body(body)?), out, count) }
    })
}

/// Sets positions, velocities or inverse masses of a body's vertices, in the mesh's order, one after another.
/// Positions: vertices are put there, and keep their velocities. Inverse masses: 0 pins a vertex where it is.
///
/// # Safety
/// `values` is null or points to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_write(
    solver: *mut SeidelSolver,
    field: SeidelField,
    body: u32,
    values: *const f32,
    count: usize,
) -> SeidelStatus {
    with(solver, |held| {
        let id = held.of.body(body)?;
        let plan = Arc::clone(held.solver.plan());
        let vertices = plan.vertices(id);
        let want = match field {
            SEIDEL_FIELD_POSITIONS | SEIDEL_FIELD_VELOCITIES => 3 * vertices,
            SEIDEL_FIELD_INV_MASSES => vertices,
            _ => return Err(Failure::argument(format!("field {field} cannot be written"))),
        };
        if count != want {
            return Err(Failure::argument(format!("{count} numbers, and the body takes {want}")));
        }
        // SAFETY: `slice` checks null, alignment and length; the caller promises `count` numbers.
        let values = unsafe { slice(values, count, "the values") }?;
        let vectors = || values.chunks_exact(3).map(Vec3::from_slice).collect::<Vec<_>>();
        let state = held.solver.state_mut();
        let written = match field {
            SEIDEL_FIELD_POSITIONS => state.write_positions(&plan, id, &vectors()),
            SEIDEL_FIELD_VELOCITIES => state.write_velocities(&plan, id, &vectors()),
            _ => state.write_inv_masses(&plan, id, values),
        };
        written.map_err(Failure::argument)
    })
}

/// Fills an array of the solver's own with positions or velocities of a body (x, y, z for each vertex, in the mesh's
/// order) and writes its address and the number of vertices. The address stays the same until the solver is freed or
/// the body tears; the next call fills the array anew.
///
/// # Safety
/// `data` and `vertices` are null or point to room for the answers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_view(
    solver: *mut SeidelSolver,
    field: SeidelField,
    body: u32,
    data: *mut *const f32,
    vertices: *mut usize,
) -> SeidelStatus {
    with(solver, |held| {
        let Held { of, solver, views, .. } = held;
        let id = of.body(body)?;
        if field > SEIDEL_FIELD_VELOCITIES {
            return Err(Failure::argument(format!("field {field} cannot be viewed")));
        }
        let view = &mut views[body as usize][field as usize];
        view.resize(solver.plan().vertices(id), Vec3::ZERO);
        match field {
            SEIDEL_FIELD_POSITIONS => solver.state().read_positions(solver.plan(), id, view),
            _ => solver.state().read_velocities(solver.plan(), id, view),
        }
        // SAFETY: `put` checks null and alignment; the caller promises room for both answers.
        unsafe {
            put(vertices, view.len(), "the place for the number")?;
            put(data, view.as_ptr().cast(), "the place for the address")
        }
    })
}
