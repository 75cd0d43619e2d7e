//! A step's input, from the struct that C fills.

use crate::defs::{
    SEIDEL_DRIVE_OFF, SEIDEL_DRIVE_POSITION, SEIDEL_DRIVE_VELOCITY, SeidelCut, SeidelForces, SeidelInput, SeidelMotor,
    SeidelPin, SeidelPose, SeidelPressure, SeidelPull, SeidelPush, SeidelVertices,
};
use crate::plan::{Planned, none};
use crate::pointers::slice;
use crate::status::{Failure, SeidelStatus};
use seidel::glam::{DQuat, Vec3};
use seidel::joint::Motor;
use seidel::{Cut, Input, Pose};

/// The input. Numbers are checked by the step.
///
/// # Safety
/// Pointers are null or point to what the header says.
pub(crate) unsafe fn input(of: &Planned, def: &SeidelInput) -> Result<Input, Failure> {
    let made = Input::new(def.dt).map_err(|e| Failure::new(SeidelStatus::Rejected, e))?;
    let mut input = if def.held { made.held() } else { made };
    // SAFETY: `slice` checks null, alignment and length; the caller promises that pointers hold what the header says.
    unsafe {
        if !def.gravity.is_null() {
            input = input.gravity(Vec3::from_slice(slice(def.gravity, 3, "gravity")?));
        }
        if !def.wind.is_null() {
            input = input.wind(Vec3::from_slice(slice(def.wind, 3, "wind")?));
        }
        for SeidelPose { collider, position, rotation } in slice(def.poses, def.pose_count, "poses")? {
            let count = of.plan.colliders().len();
            let id =
                of.plan.collider_ids().nth(*collider as usize).ok_or_else(|| none("collider", *collider, count))?;
            input = input.pose(id, Pose::new(*position, DQuat::from_array(*rotation)));
        }
        for SeidelForces { body, forces, count } in slice(def.forces, def.force_count, "forces")? {
            input = input.forces(of.body(*body)?, vectors(*forces, *count, "forces of a body")?);
        }
        for SeidelVertices { body, positions, count } in slice(def.vertices, def.vertices_count, "vertices")? {
            input = input.vertices(of.body(*body)?, vectors(*positions, *count, "vertices of a body")?);
        }
        for SeidelPin { body, vertex, target } in slice(def.pins, def.pin_count, "pins")? {
            input = input.pin(of.body(*body)?, *vertex, *target);
        }
        for SeidelPull { body, vertex, target, compliance } in slice(def.pulls, def.pull_count, "pulls")? {
            input = input.pull(of.body(*body)?, *vertex, *target, *compliance);
        }
        for SeidelPressure { body, k } in slice(def.pressures, def.pressure_count, "pressures")? {
            input = input.pressure(of.body(*body)?, *k);
        }
        for SeidelPush { rigid_body, force, torque } in slice(def.pushes, def.push_count, "pushes")? {
            input = input.push(of.rigid(*rigid_body)?, *force, *torque);
        }
        for &SeidelCut { body, by_blade, points: [a, b, c, d] } in slice(def.cuts, def.cut_count, "cuts")? {
            let cut = if by_blade { Cut::blade([a, b], [c, d]) } else { Cut::plane(a, b) };
            input = input.cut(of.body(body)?, cut);
        }
        for &SeidelMotor { joint, drive, target, limit } in slice(def.motors, def.motor_count, "motors")? {
            let motor = match drive {
                SEIDEL_DRIVE_OFF => Motor::Off,
                SEIDEL_DRIVE_VELOCITY => Motor::Velocity { target, limit },
                SEIDEL_DRIVE_POSITION => Motor::Position { target, limit },
                _ => return Err(Failure::argument(format!("there is no drive {drive}"))),
            };
            input = input.motor(of.joint(joint)?, motor);
        }
    }
    Ok(input)
}

/// # Safety
/// Unless it is null, `at` points to three numbers for each.
unsafe fn vectors<'a>(at: *const f32, count: usize, what: &str) -> Result<&'a [Vec3], Failure> {
    // SAFETY: `slice` checks null, alignment and length; the caller promises three numbers for each.
    unsafe { slice(at.cast::<[f32; 3]>(), count, what) }.map(bytemuck::cast_slice)
}
