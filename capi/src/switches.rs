//! Pins, switches, rigid bodies put elsewhere, and rest shapes: changes without planning.

use crate::defs::{
    SEIDEL_THING_BODY, SEIDEL_THING_COLLIDER, SEIDEL_THING_JOINT, SEIDEL_THING_RIGID_BODY, SeidelSolver, SeidelThing,
};
use crate::plan::none;
use crate::pointers::{one, put};
use crate::solver::with;
use crate::status::{Failure, SeidelStatus};
use seidel::Pose;
use seidel::glam::{DQuat, DVec3};
use std::sync::Arc;

/// Pins a vertex where it is, and remembers its mass; one that is pinned stays so. An input may move it. Nothing is
/// planned.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_solver_pin(solver: *mut SeidelSolver, body: u32, vertex: u32) -> SeidelStatus {
    with(solver, |held| {
        let id = held.of.body(body)?;
        held.solver.pin(id, vertex).map_err(Failure::argument)
    })
}

/// Frees a pinned vertex, with the mass that it had; one that is free stays so. Nothing is planned.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_solver_unpin(solver: *mut SeidelSolver, body: u32, vertex: u32) -> SeidelStatus {
    with(solver, |held| {
        let id = held.of.body(body)?;
        held.solver.unpin(id, vertex).map_err(Failure::argument)
    })
}

/// Puts a body, collider or rigid body that waits outside of the scene back: bodies as the scene begins. Nothing is
/// planned.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_solver_enable(solver: *mut SeidelSolver, thing: SeidelThing, index: u32) -> SeidelStatus {
    switch(solver, thing, index, true)
}

/// Takes a body, collider or rigid body out of the scene, to wait there: it moves nothing, and nothing moves it.
/// Nothing is planned. What something else is joined to, fluids and obstacles cannot be taken out.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_solver_disable(solver: *mut SeidelSolver, thing: SeidelThing, index: u32) -> SeidelStatus {
    switch(solver, thing, index, false)
}

/// Writes the largest plastic strain of a body (`plastic` in its table): of lengths and tetrahedra a strain, of hinges
/// an angle in radians; 0 if nothing of it has yielded, or can.
///
/// # Safety
/// `strain` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_plastic_strain(
    solver: *const SeidelSolver,
    body: u32,
    strain: *mut f32,
) -> SeidelStatus {
    with(solver, |held| {
        let found = held.solver.plan().plastic_strain(held.solver.state(), held.of.body(body)?);
        // SAFETY: `put` refuses null; the header asks for a float that may be written.
        unsafe { put(strain, found, "the place for the strain") }
    })
}

/// Writes the largest plastic strain that a row of a body has accumulated, to and fro, where `plastic` in its table has
/// `fatigue` or `breaks`: of lengths and tetrahedra a strain, of hinges an angle in radians; 0 if nothing of it has
/// yielded, or softens or may break.
///
/// # Safety
/// `strain` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_accumulated_strain(
    solver: *const SeidelSolver,
    body: u32,
    strain: *mut f32,
) -> SeidelStatus {
    with(solver, |held| {
        let found = held.solver.plan().accumulated_strain(held.solver.state(), held.of.body(body)?);
        // SAFETY: `put` refuses null; the header asks for a float that may be written.
        unsafe { put(strain, found, "the place for the strain") }
    })
}

/// Writes how many rows of constraints of a body have broken, where `plastic` in its table has `breaks`.
///
/// # Safety
/// `rows` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_broken_rows(
    solver: *const SeidelSolver,
    body: u32,
    rows: *mut usize,
) -> SeidelStatus {
    with(solver, |held| {
        let found = held.solver.plan().broken_rows(held.solver.state(), held.of.body(body)?);
        // SAFETY: `put` refuses null; the header asks for a size_t that may be written.
        unsafe { put(rows, found, "the place for the number of rows") }
    })
}

/// Takes back what has yielded and broken of a body: its rest shape is again that with which the scene begins. Nothing
/// is planned.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_solver_restore_rest_shape(solver: *mut SeidelSolver, body: u32) -> SeidelStatus {
    with(solver, |held| {
        let id = held.of.body(body)?;
        let plan = Arc::clone(held.solver.plan());
        held.solver.state_mut().restore_rest_shape(&plan, id);
        Ok(())
    })
}

/// Puts a rigid body somewhere, with the velocities that it has: `position` is x, y, z, metres, `rotation` a unit
/// quaternion x, y, z, w; of its own frame, in which the scene describes it. Its contacts are forgotten, and of its
/// joints what they carried and their full turns. It wakes. Nothing is planned.
///
/// # Safety
/// `position` is null or points to three numbers, `rotation` to four.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_set_rigid_pose(
    solver: *mut SeidelSolver,
    rigid_body: u32,
    position: *const f64,
    rotation: *const f64,
) -> SeidelStatus {
    with(solver, |held| {
        let id = held.of.rigid(rigid_body)?;
        // SAFETY: `one` checks null and alignment; the caller promises three numbers and four.
        let (position, rotation) =
            unsafe { (*one(position.cast::<[f64; 3]>(), "position")?, *one(rotation.cast::<[f64; 4]>(), "rotation")?) };
        let pose = Pose::new(position, DQuat::from_array(rotation));
        if !pose.is_valid() || position.iter().any(|c| c.abs() > 1e6) {
            return Err(Failure::argument(format!(
                "the pose {position:?}, {rotation:?} is not within +-1e6 m with a unit quaternion"
            )));
        }
        let plan = Arc::clone(held.solver.plan());
        held.solver.state_mut().teleport_rigid(&plan, id, pose);
        Ok(())
    })
}

/// Sets the velocity of a rigid body's centre of mass, x, y, z, m/s, and its angular velocity, rad/s, both along the
/// world's axes and within +-1e6. It wakes; a fixed body keeps none.
///
/// # Safety
/// `linear` and `angular` are null or point to three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_solver_set_rigid_velocity(
    solver: *mut SeidelSolver,
    rigid_body: u32,
    linear: *const f64,
    angular: *const f64,
) -> SeidelStatus {
    with(solver, |held| {
        let id = held.of.rigid(rigid_body)?;
        // SAFETY: `one` checks null and alignment; the caller promises three numbers each.
        let both = unsafe {
            [*one(linear.cast::<[f64; 3]>(), "velocity")?, *one(angular.cast::<[f64; 3]>(), "angular velocity")?]
        };
        if both.iter().flatten().any(|c| c.is_nan() || c.abs() > 1e6) {
            return Err(Failure::argument(format!("the velocity {both:?} is not within +-1e6")));
        }
        let plan = Arc::clone(held.solver.plan());
        held.solver.state_mut().set_rigid_velocity(&plan, id, both.map(DVec3::from));
        Ok(())
    })
}

fn switch(solver: *mut SeidelSolver, thing: SeidelThing, index: u32, on: bool) -> SeidelStatus {
    with(solver, |held| {
        let (plan, solver) = (&held.of.plan, &mut held.solver);
        let switched = match thing {
            SEIDEL_THING_BODY => {
                let id = held.of.body(index)?;
                if on { solver.enable(id) } else { solver.disable(id) }
            }
            SEIDEL_THING_COLLIDER => {
                let id = plan.collider_ids().nth(index as usize);
                let id = id.ok_or_else(|| none("collider", index, plan.colliders().len()))?;
                if on {
                    solver.enable_collider(id)
                } else {
                    solver.disable_collider(id)
                }
                Ok(())
            }
            SEIDEL_THING_RIGID_BODY => {
                let id = held.of.rigid(index)?;
                if on { solver.enable_rigid(id) } else { solver.disable_rigid(id) }
            }
            SEIDEL_THING_JOINT => {
                return Err(Failure::argument("joints cannot be switched; a motor can: SeidelInput.motors"));
            }
            _ => return Err(Failure::argument(format!("there is no sort of things {thing}"))),
        };
        switched.map_err(Failure::argument)
    })
}
