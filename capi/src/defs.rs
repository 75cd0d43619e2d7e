//! The plain structs of the C interface. Scene, mesh, execution and input have a function that returns their default.

use std::ffi::c_char;
use std::ptr::null;

/// Changes when a struct, a number or the meaning of a function does. Compare it with `seidel_abi_version()`.
pub const SEIDEL_ABI_VERSION: u32 = 3;

/// A mesh that a scene names: triangles, or tetrahedra for a solid.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelMesh {
    /// The name that stands in the scene's text, such as "shirt.obj"; ends with a zero.
    pub name: *const c_char,
    /// x, y, z of each vertex, metres.
    pub positions: *const f32,
    /// Number of vertices.
    pub vertex_count: usize,
    /// Three vertices of each triangle.
    pub triangles: *const u32,
    /// Number of triangles.
    pub triangle_count: usize,
    /// Four vertices of each tetrahedron. A mesh with tetrahedra is a solid, and its triangles are not looked at.
    pub tets: *const u32,
    /// Number of tetrahedra.
    pub tet_count: usize,
}

/// A scene: the text of a scene file, and the meshes that it names.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelSceneDef {
    /// TOML, UTF-8.
    pub toml: *const c_char,
    /// Its bytes, or 0 if it ends with a zero.
    pub toml_length: usize,
    /// Meshes.
    pub meshes: *const SeidelMesh,
    /// Number of meshes.
    pub mesh_count: usize,
    /// Bytes of memory that the scene may need; UINT64_MAX: any number.
    pub memory: u64,
}

/// Which lanes and how many threads. Neither changes a bit of the result.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelExecution {
    /// Threads, the caller's included; 0: all cores.
    pub threads: u32,
    /// Instruction set: "scalar", "portable", "avx2", "avx512"; null or "auto": the widest.
    pub isa: *const c_char,
}

/// A pose of a collider at the end of a step.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelPose {
    /// The collider.
    pub collider: u32,
    /// Metres.
    pub position: [f64; 3],
    /// Unit quaternion x, y, z, w, body to world.
    pub rotation: [f64; 4],
}

/// External forces on all vertices of a body.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelForces {
    /// The body.
    pub body: u32,
    /// x, y, z for each vertex in the mesh's order, newtons.
    pub forces: *const f32,
    /// Number of vertices.
    pub count: usize,
}

/// Positions of all vertices of an obstacle at the end of a step.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelVertices {
    /// The body, an obstacle.
    pub body: u32,
    /// x, y, z for each vertex in the mesh's order, metres.
    pub positions: *const f32,
    /// Number of vertices.
    pub count: usize,
}

/// Where a vertex of inverse mass 0 is at the end of a step.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelPin {
    /// The body.
    pub body: u32,
    /// Its vertex.
    pub vertex: u32,
    /// Metres.
    pub target: [f32; 3],
}

/// Draws a vertex towards a point during a step.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelPull {
    /// The body.
    pub body: u32,
    /// Its vertex.
    pub vertex: u32,
    /// Metres.
    pub target: [f32; 3],
    /// m/N, >= 0.
    pub compliance: f32,
}

/// The volume that a body holds during a step.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelPressure {
    /// The body.
    pub body: u32,
    /// A multiple of its volume at rest, 0 to 1e6.
    pub k: f32,
}

/// Pushes a rigid body during a step.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelPush {
    /// The rigid body.
    pub rigid_body: u32,
    /// On its centre of mass, N.
    pub force: [f64; 3],
    /// About the world's axes, N m.
    pub torque: [f64; 3],
}

/// Sets the motor of a joint of rigid bodies, from this step on: the state keeps it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelMotor {
    /// The joint.
    pub joint: u32,
    /// The quantity that is driven to the target.
    pub drive: SeidelDrive,
    /// m/s or rad/s, m or rad, within +-1e6. Ways and turns are 0 at the start, of the second body as seen from the
    /// first.
    pub target: f32,
    /// The most force or torque that it has, N or N m, 0 to 1e18.
    pub limit: f32,
}

/// Cuts a body that can tear, where it is at the end of a step: along a plane, or along what a segment sweeps over.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelCut {
    /// The body.
    pub body: u32,
    /// Whether by a blade; else along a plane.
    pub by_blade: bool,
    /// x, y, z each, metres. Of a plane: a point on it, its normal of any length, and two that are not read. Of a
    /// blade: the two ends of a segment, then in the same order where they have moved to.
    pub points: [[f64; 3]; 4],
}

/// Everything that is prescribed for one step. What is null or 0 is left to the scene.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelInput {
    /// Length of the step, seconds, 1e-9 to 1e3.
    pub dt: f32,
    /// Whether time stands still for all that has a path.
    pub held: bool,
    /// Three numbers, m/s^2, in place of the scene's.
    pub gravity: *const f32,
    /// Three numbers, m/s, in place of the scene's, without gusts.
    pub wind: *const f32,
    /// Poses of colliders.
    pub poses: *const SeidelPose,
    /// Their number.
    pub pose_count: usize,
    /// Forces on bodies.
    pub forces: *const SeidelForces,
    /// Their number.
    pub force_count: usize,
    /// Vertices of obstacles.
    pub vertices: *const SeidelVertices,
    /// Their number.
    pub vertices_count: usize,
    /// Targets of pins.
    pub pins: *const SeidelPin,
    /// Their number.
    pub pin_count: usize,
    /// Pulls at vertices.
    pub pulls: *const SeidelPull,
    /// Their number.
    pub pull_count: usize,
    /// Volumes of bodies.
    pub pressures: *const SeidelPressure,
    /// Their number.
    pub pressure_count: usize,
    /// Pushes of rigid bodies.
    pub pushes: *const SeidelPush,
    /// Their number.
    pub push_count: usize,
    /// Cuts of cloths.
    pub cuts: *const SeidelCut,
    /// Their number.
    pub cut_count: usize,
    /// Motors of joints.
    pub motors: *const SeidelMotor,
    /// Their number.
    pub motor_count: usize,
}

/// What happened in a step.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelReport {
    /// Contacts with colliders that pushed.
    pub contacts: u32,
    /// Contacts of bodies with themselves and each other.
    pub pair_contacts: u32,
    /// Contacts of rigid bodies.
    pub rigid_contacts: u32,
    /// Vertices that were split, where a body tore or was cut: the bodies' vertices and triangles are others since
    /// (`seidel_solver_body`).
    pub torn: u32,
    /// Splits that were refused because a body has no more copies of vertices.
    pub tears_refused: u32,
    /// Whether a particle or a rigid body was lost: its numbers are no longer finite, or beyond 1e9 m.
    pub lost: bool,
    /// Whether the state has stopped.
    pub stopped: bool,
    /// The body of the first particle that was lost, or UINT32_MAX.
    pub lost_body: u32,
    /// Its vertex, or UINT32_MAX.
    pub lost_vertex: u32,
    /// Seconds that motion took.
    pub motion_seconds: f64,
    /// Seconds that constraints took.
    pub constraint_seconds: f64,
    /// Seconds that contacts took.
    pub contact_seconds: f64,
}

/// What a plan holds.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelPlanInfo {
    /// Bodies that are deformable, and obstacles.
    pub bodies: u32,
    /// Colliders.
    pub colliders: u32,
    /// Rigid bodies.
    pub rigid_bodies: u32,
    /// Joints of rigid bodies.
    pub joints: u32,
    /// Substeps in a step.
    pub substeps: u32,
    /// Vertices and frames of all bodies.
    pub particles: usize,
    /// The length of a frame, seconds: 1 / fps.
    pub dt: f64,
    /// Frames that the scene's text asks for.
    pub frames: u32,
    /// Seconds in which the scene should come to rest first: `seidel_solver_settle`.
    pub settle: f64,
    /// A fingerprint of the whole plan.
    pub id: u64,
    /// Fingerprint of the layout of states. Plans with the same `layout_id` can load each other's saved states.
    pub layout_id: u64,
}

/// What a body of a plan has.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SeidelBodyInfo {
    /// Vertices of its mesh.
    pub vertices: usize,
    /// Triangles of its mesh.
    pub triangles: usize,
    /// Tetrahedra of its mesh.
    pub tets: usize,
    /// Frames: rotations of a rod's segments.
    pub frames: usize,
}

/// Sorts of things that have names and numbers, each from 0.
pub type SeidelThing = u32;
/// Deformable bodies and obstacles.
pub const SEIDEL_THING_BODY: SeidelThing = 0;
/// Colliders.
pub const SEIDEL_THING_COLLIDER: SeidelThing = 1;
/// Rigid bodies.
pub const SEIDEL_THING_RIGID_BODY: SeidelThing = 2;
/// Joints of rigid bodies.
pub const SEIDEL_THING_JOINT: SeidelThing = 3;

/// The quantity that a motor drives to its target.
pub type SeidelDrive = u32;
/// None: it is switched off.
pub const SEIDEL_DRIVE_OFF: SeidelDrive = 0;
/// The velocity of a joint.
pub const SEIDEL_DRIVE_VELOCITY: SeidelDrive = 1;
/// Its displacement along its axis, or its turn.
pub const SEIDEL_DRIVE_POSITION: SeidelDrive = 2;

/// What can be read of a state.
pub type SeidelField = u32;
/// Of a body: x, y, z for each vertex, float, metres.
pub const SEIDEL_FIELD_POSITIONS: SeidelField = 0;
/// Of a body: x, y, z for each vertex, float, m/s.
pub const SEIDEL_FIELD_VELOCITIES: SeidelField = 1;
/// Of a body: one float for each vertex, 1/kg; 0 does not move.
pub const SEIDEL_FIELD_INV_MASSES: SeidelField = 2;
/// Of a body: unit quaternion x, y, z, w for each frame, float, body to world.
pub const SEIDEL_FIELD_ROTATIONS: SeidelField = 3;
/// Of a body: x, y, z for each frame, float, rad/s, world.
pub const SEIDEL_FIELD_ANGULAR_VELOCITIES: SeidelField = 4;
/// Of a collider: position (3) and unit quaternion x, y, z, w, double.
pub const SEIDEL_FIELD_COLLIDER_POSE: SeidelField = 5;
/// Of a rigid body: position (3) and unit quaternion x, y, z, w, double.
pub const SEIDEL_FIELD_RIGID_POSE: SeidelField = 6;
/// Of a rigid body: velocity of the centre of mass (3, m/s) and angular velocity (3, rad/s), double.
pub const SEIDEL_FIELD_RIGID_VELOCITY: SeidelField = 7;
/// Of a body: x, y, z for each vertex, double, metres, in the world: the origin (`seidel_solver_origin`) and the
/// position, with the digits that float lacks.
pub const SEIDEL_FIELD_WORLD_POSITIONS: SeidelField = 8;
/// Of a joint of rigid bodies, double: its displacement, turn or distance (m or rad), how fast that changes, the force
/// or torque of its motor (N or N m), force (3) and torque (3) of the first body on the second in the world, and 1 if
/// it is broken, else 0. Forces are those of the last substep.
pub const SEIDEL_FIELD_JOINT: SeidelField = 9;

/// A plan. Its pointer is a handle, which must not be dereferenced.
#[derive(Debug)]
pub struct SeidelPlan(());

/// A solver. Its pointer is a handle, which must not be dereferenced.
#[derive(Debug)]
pub struct SeidelSolver(());

/// The version of the library's interface.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_abi_version() -> u32 {
    SEIDEL_ABI_VERSION
}

/// The version of the engine, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn seidel_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// An empty definition of a scene, with any number of bytes of memory.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_default_scene_def() -> SeidelSceneDef {
    SeidelSceneDef { toml: null(), toml_length: 0, meshes: null(), mesh_count: 0, memory: u64::MAX }
}

/// A mesh without a name and without vertices.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_default_mesh() -> SeidelMesh {
    SeidelMesh {
        name: null(),
        positions: null(),
        vertex_count: 0,
        triangles: null(),
        triangle_count: 0,
        tets: null(),
        tet_count: 0,
    }
}

/// All cores, the widest lanes.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_default_execution() -> SeidelExecution {
    SeidelExecution { threads: 0, isa: null() }
}

/// A step of `dt` seconds that prescribes nothing else.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_default_input(dt: f32) -> SeidelInput {
    SeidelInput {
        dt,
        held: false,
        gravity: null(),
        wind: null(),
        poses: null(),
        pose_count: 0,
        forces: null(),
        force_count: 0,
        vertices: null(),
        vertices_count: 0,
        pins: null(),
        pin_count: 0,
        pulls: null(),
        pull_count: 0,
        pressures: null(),
        pressure_count: 0,
        pushes: null(),
        push_count: 0,
        cuts: null(),
        cut_count: 0,
        motors: null(),
        motor_count: 0,
    }
}
