//! The functions of capi/include/seidel.h as C calls them: what works, and how what is wrong is told.

use seidel_c::*;
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

const SCENE: &str = r#"
fps = 60
[solver]
substeps = 4
[[cloth]]
name = "flag"
resolution = 8
position = [0, 1, 0]
pin = ["first-row"]
[[cloth]]
name = "shirt"
mesh = "shirt.obj"
position = [0, 2, 0]
[[collider]]
name = "ball"
shape = "sphere"
radius = 0.2
position = [0, 0.5, 0.3]
[[body]]
name = "box"
shape = "cuboid"
half = [0.1, 0.1, 0.1]
position = [2, 1, 0]
"#;

const SHIRT: [f32; 12] = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.5];
const TRIANGLES: [u32; 6] = [0, 2, 1, 1, 2, 3];

fn said() -> String {
    // SAFETY: the text ends with a zero, and no call comes between.
    unsafe { CStr::from_ptr(seidel_last_error()) }.to_str().unwrap().to_owned()
}

/// The status that is expected, and what the text has in it.
fn refused(got: SeidelStatus, status: SeidelStatus, text: &str) {
    let said = said();
    assert_eq!(got, status, "{said}");
    assert!(said.contains(text), "{said}");
}

fn good(status: SeidelStatus) {
    assert_eq!(status, SeidelStatus::Ok, "{}", said());
}

fn plan_of(text: &str, mesh: Option<SeidelMesh>) -> (SeidelStatus, *mut SeidelPlan) {
    let (text, mut plan) = (CString::new(text).unwrap(), null_mut());
    let mesh_count = usize::from(mesh.is_some());
    let meshes = mesh.as_ref().map_or(null(), std::ptr::from_ref);
    let def = SeidelSceneDef { toml: text.as_ptr(), meshes, mesh_count, ..seidel_default_scene_def() };
    // SAFETY: text and mesh are there until the call has ended.
    let status = unsafe { seidel_plan_create(&raw const def, &raw mut plan) };
    (status, plan)
}

fn shirt() -> SeidelMesh {
    SeidelMesh {
        name: c"shirt.obj".as_ptr(),
        positions: SHIRT.as_ptr(),
        vertex_count: 4,
        triangles: TRIANGLES.as_ptr(),
        triangle_count: 2,
        ..seidel_default_mesh()
    }
}

fn solver_of(plan: *mut SeidelPlan) -> *mut SeidelSolver {
    let how = SeidelExecution { threads: 1, ..seidel_default_execution() };
    let mut solver = null_mut();
    // SAFETY: the caller's plan is alive; `how` and `solver` are there until the call has ended.
    good(unsafe { seidel_solver_create(plan, &raw const how, &raw mut solver) });
    solver
}

fn solver() -> *mut SeidelSolver {
    let (status, plan) = plan_of(SCENE, Some(shirt()));
    good(status);
    let solver = solver_of(plan);
    // The solver keeps what it needs.
    good(seidel_plan_free(plan));
    solver
}

fn step(solver: *mut SeidelSolver, input: &SeidelInput) -> SeidelStatus {
    // SAFETY: the input's arrays are the callers', who hold them.
    unsafe { seidel_solver_step(solver, input, null_mut()) }
}

fn hash(solver: *mut SeidelSolver) -> u64 {
    let mut hash = 0;
    // SAFETY: `hash` is there until the call has ended.
    good(unsafe { seidel_solver_hash(solver, &raw mut hash) });
    hash
}

fn read<T: Copy>(solver: *mut SeidelSolver, field: SeidelField, index: u32, out: &mut [T]) -> SeidelStatus {
    let bytes = size_of_val(out);
    // SAFETY: so many bytes are there, and any bits are numbers of T.
    unsafe { seidel_solver_read(solver, field, index, out.as_mut_ptr().cast(), bytes, 0) }
}

#[test]
fn a_scene_elsewhere_has_the_same_bits_and_places_in_the_world() {
    let far = format!("origin = [1e4, 0, -7e9]\n{SCENE}");
    let (status, plan) = plan_of(&far, Some(shirt()));
    good(status);
    let (near, far) = (solver(), solver_of(plan));
    good(seidel_plan_free(plan));
    for solver in [near, far] {
        good(step(solver, &seidel_default_input(1.0 / 60.0)));
    }
    assert_eq!(hash(far), hash(near));
    let mut origin = [9.0f64; 3];
    // SAFETY: three numbers are there.
    good(unsafe { seidel_solver_origin(far, origin.as_mut_ptr()) });
    assert_eq!(origin, [1e4, 0.0, -7e9]);
    let (mut local, mut world) = ([[0.0f32; 3]; 64], [[0.0f64; 3]; 64]);
    good(read(far, SEIDEL_FIELD_POSITIONS, 0, &mut local));
    good(read(far, SEIDEL_FIELD_WORLD_POSITIONS, 0, &mut world));
    let off = |k: usize, v: usize| (world[v][k] - origin[k] - f64::from(local[v][k])).abs();
    assert!((0..64).all(|v| off(0, v) < 1e-7 && off(1, v) < 1e-7 && off(2, v) < 1e-6));
    let to = [1e4 + 50.0, 0.25, -7e9];
    // SAFETY: three numbers are there.
    good(unsafe { seidel_solver_move_origin(far, to.as_ptr()) });
    // SAFETY: as above.
    good(unsafe { seidel_solver_origin(far, origin.as_mut_ptr()) });
    assert_eq!(origin, to);
    let (mut moved, mut there) = ([[0.0f32; 3]; 64], [[0.0f64; 3]; 64]);
    good(read(far, SEIDEL_FIELD_POSITIONS, 0, &mut moved));
    good(read(far, SEIDEL_FIELD_WORLD_POSITIONS, 0, &mut there));
    assert!(
        (0..64).all(|v| (moved[v][0] - (local[v][0] - 50.0)).abs() < 1e-5 && (there[v][0] - world[v][0]).abs() < 1e-8)
    );
    good(step(far, &seidel_default_input(1.0 / 60.0)));
    // SAFETY: three numbers are there; null is refused.
    unsafe {
        refused(seidel_solver_move_origin(far, [0.0; 3].as_ptr()), SeidelStatus::Argument, "1e6");
        refused(seidel_solver_move_origin(far, std::ptr::null()), SeidelStatus::Null, "origin is null");
        refused(seidel_solver_origin(far, null_mut()), SeidelStatus::Null, "origin is null");
    }
    [near, far].into_iter().for_each(|solver| good(seidel_solver_free(solver)));
}

#[test]
fn steps_have_the_bits_of_the_engine() {
    let solver = solver();
    let spec = seidel_io::scene::parse("x".as_ref(), SCENE).unwrap();
    let mesh = seidel::Mesh { positions: SHIRT.as_chunks().0.to_vec(), triangles: TRIANGLES.as_chunks().0.to_vec() };
    let scene = spec.build(|_| Ok::<_, String>(mesh.clone().into())).unwrap();
    let mut twin = seidel::Solver::new(&scene).unwrap();
    let (flag, force) = (twin.plan().body("flag").unwrap(), [[0.0f32, 0.001, 0.002]; 64]);
    let ball = SeidelPose { collider: 0, position: [0.0, 0.5, f64::from(0.2f32)], rotation: [0.0, 0.0, 0.0, 1.0] };
    let forces = SeidelForces { body: 0, forces: force.as_ptr().cast(), count: 64 };
    let pin = SeidelPin { body: 0, vertex: 0, target: [-0.5, 1.1, -0.5] };
    let gravity = [0.0f32, -5.0, 1.0];
    let input = SeidelInput {
        gravity: gravity.as_ptr(),
        poses: &raw const ball,
        pose_count: 1,
        forces: &raw const forces,
        force_count: 1,
        pins: &raw const pin,
        pin_count: 1,
        ..seidel_default_input(1.0 / 60.0)
    };
    let same = seidel::Input::frame(1.0 / 60.0)
        .gravity(gravity)
        .pose(twin.plan().collider("ball").unwrap(), seidel::Pose::at([0.0, 0.5, 0.2]))
        .forces(flag, bytemuck_vectors(&force))
        .pin(flag, 0, [-0.5, 1.1, -0.5]);
    for _ in 0..5 {
        good(step(solver, &input));
        assert!(twin.step(&same).rejected.is_none());
        assert_eq!(hash(solver), twin.state().hash());
    }
    // Read, viewed, in a vertex buffer.
    let positions = twin.positions(flag);
    let mut out = [[0.0f32; 3]; 64];
    good(read(solver, SEIDEL_FIELD_POSITIONS, 0, &mut out));
    assert!(out.iter().zip(positions).all(|(a, b)| *a == b.to_array()));
    let mut wide = [[0.0f32; 5]; 64];
    // SAFETY: `wide` has 64 * 20 bytes.
    good(unsafe { seidel_solver_read(solver, SEIDEL_FIELD_POSITIONS, 0, wide.as_mut_ptr().cast(), 64 * 20 - 8, 20) });
    assert!(wide.iter().zip(&out).all(|(a, b)| a[..3] == b[..] && a[3..] == [0.0; 2]));
    let (mut data, mut count) = (null(), 0);
    // SAFETY: `data` and `count` are there until the call has ended.
    good(unsafe { seidel_solver_view(solver, SEIDEL_FIELD_POSITIONS, 0, &raw mut data, &raw mut count) });
    // SAFETY: the view has so many vertices until the solver is freed.
    let view = unsafe { std::slice::from_raw_parts(data.cast::<[f32; 3]>(), count) };
    assert_eq!(view, out);
    let mut pose = [0.0f64; 7];
    good(read(solver, SEIDEL_FIELD_RIGID_POSE, 0, &mut pose));
    assert!(pose[1] < 1.0 && pose[6] == 1.0, "{pose:?}");
    good(read(solver, SEIDEL_FIELD_COLLIDER_POSE, 0, &mut pose));
    assert_eq!(pose, [0.0, 0.5, f64::from(0.2f32), 0.0, 0.0, 0.0, 1.0]);
    good(seidel_solver_free(solver));
}

fn bytemuck_vectors(of: &[[f32; 3]]) -> &[seidel::glam::Vec3] {
    bytemuck::cast_slice(of)
}

#[test]
fn states_are_saved_and_loaded() {
    let solver = solver();
    let input = seidel_default_input(1.0 / 60.0);
    good(step(solver, &input));
    let mut need = 0;
    // SAFETY: no room is none; then so many bytes are there.
    let saved = unsafe {
        refused(seidel_state_save(solver, null_mut(), 0, &raw mut need), SeidelStatus::Small, "0 bytes");
        let mut bytes = vec![0u8; need];
        good(seidel_state_save(solver, bytes.as_mut_ptr().cast(), bytes.len(), null_mut()));
        bytes
    };
    let before = hash(solver);
    good(step(solver, &input));
    let after = hash(solver);
    let load = |bytes: &[u8]| {
        // SAFETY: `bytes` has as many as its length.
        unsafe { seidel_state_load(solver, bytes.as_ptr().cast(), bytes.len()) }
    };
    good(load(&saved));
    assert_eq!(hash(solver), before);
    good(step(solver, &input));
    assert_eq!(hash(solver), after);
    refused(load(&saved[..100]), SeidelStatus::Snapshot, "should have");
    refused(load(b"nonsense"), SeidelStatus::Snapshot, "no state");
    let (status, plan) = plan_of("[[cloth]]\nresolution = 4", None);
    good(status);
    let other = solver_of(plan);
    // SAFETY: `saved` has as many bytes as its length.
    let status = unsafe { seidel_state_load(other, saved.as_ptr().cast(), saved.len()) };
    refused(status, SeidelStatus::Snapshot, "other bodies");
    assert_eq!(hash(solver), after, "what is refused changes nothing");
    good(seidel_solver_reset(solver));
    assert_ne!(hash(solver), after);
    for solver in [solver, other] {
        good(seidel_solver_free(solver));
    }
    good(seidel_plan_free(plan));
}

#[test]
fn pins_and_switches() {
    let solver = solver();
    let input = seidel_default_input(1.0 / 60.0);
    let flag = || {
        let mut x = [[0.0f32; 3]; 64];
        good(read(solver, SEIDEL_FIELD_POSITIONS, 0, &mut x));
        x
    };
    let begin = flag();
    good(seidel_solver_unpin(solver, 0, 0));
    good(seidel_solver_pin(solver, 0, 63));
    good(step(solver, &input));
    assert!(flag()[63] == begin[63] && flag()[0][1] < begin[0][1]);
    refused(seidel_solver_pin(solver, 0, 64), SeidelStatus::Argument, "64");
    refused(seidel_solver_unpin(solver, 9, 0), SeidelStatus::Argument, "no body 9");
    let things = [SEIDEL_THING_BODY, SEIDEL_THING_COLLIDER, SEIDEL_THING_RIGID_BODY];
    for thing in things {
        good(seidel_solver_disable(solver, thing, 0));
        refused(seidel_solver_disable(solver, thing, 9), SeidelStatus::Argument, "9");
    }
    let waits = flag();
    good(step(solver, &input));
    assert_eq!(flag(), waits);
    for thing in things {
        good(seidel_solver_enable(solver, thing, 0));
    }
    assert_eq!(flag(), begin, "as the scene begins");
    good(step(solver, &input));
    assert!(flag()[20][1] < begin[20][1]);
    refused(seidel_solver_enable(solver, 7, 0), SeidelStatus::Argument, "no sort of things 7");
    refused(seidel_solver_enable(solver, SEIDEL_THING_JOINT, 0), SeidelStatus::Argument, "joints cannot be switched");
    good(seidel_solver_free(solver));
}

#[test]
fn what_yields_is_measured_and_taken_back() {
    let text = "gravity = [0, -50, 0]\n[[rope]]\nname = \"wire\"\nstretch_compliance = 1e-2\npin_vertices = [0]\nplastic = { yield = 0.01, fatigue = 10, breaks = 0.6 }";
    let (status, plan) = plan_of(text, None);
    assert_eq!(status, SeidelStatus::Ok);
    let solver = solver_of(plan);
    let mut strain = -1.0f32;
    // SAFETY: `strain` is there until the call has ended.
    let mut measure = |body: u32| unsafe { (seidel_solver_plastic_strain(solver, body, &raw mut strain), strain) };
    assert_eq!(measure(0), (SeidelStatus::Ok, 0.0));
    (0..20).for_each(|_| good(step(solver, &seidel_default_input(1.0 / 60.0))));
    let (status, strain) = measure(0);
    assert!(status == SeidelStatus::Ok && strain > 0.02, "{strain}");
    let (mut accumulated, mut rows) = (-1.0f32, usize::MAX);
    let mut worn = |body: u32| {
        // SAFETY: both numbers are there until the calls have ended.
        let statuses = unsafe {
            let strain = seidel_solver_accumulated_strain(solver, body, &raw mut accumulated);
            [strain, seidel_solver_broken_rows(solver, body, &raw mut rows)]
        };
        (statuses, accumulated, rows)
    };
    let (statuses, accumulated, rows) = worn(0);
    assert_eq!(statuses, [SeidelStatus::Ok; 2]);
    assert!(accumulated >= 0.6 && (1..19).contains(&rows), "{accumulated} {rows}");
    good(seidel_solver_restore_rest_shape(solver, 0));
    assert_eq!(measure(0), (SeidelStatus::Ok, 0.0));
    assert_eq!(worn(0), ([SeidelStatus::Ok; 2], 0.0, 0));
    assert_eq!(worn(7).0, [SeidelStatus::Argument; 2]);
    refused(measure(7).0, SeidelStatus::Argument, "no body 7");
    refused(seidel_solver_restore_rest_shape(solver, 7), SeidelStatus::Argument, "no body 7");
    // SAFETY: the calls look for null first; all other pointers are to what this test holds.
    refused(unsafe { seidel_solver_plastic_strain(solver, 0, std::ptr::null_mut()) }, SeidelStatus::Null, "strain");
    good(seidel_solver_free(solver));
}

#[test]
fn cloth_is_cut_and_tells_of_its_copies() {
    let text = "gravity = [0, 0, 0]\n[[cloth]]\nname = \"sheet\"\nresolution = 9\ntear = { strain = 100, copies = 12 }\n\
                [[cloth]]\nname = \"whole\"\nresolution = 3\nposition = [5, 0, 0]";
    let (status, plan) = plan_of(text, None);
    assert_eq!(status, SeidelStatus::Ok, "{}", said());
    let solver = solver_of(plan);
    let plane = [[0.01, 0.0, 0.0], [1.0, 0.0, 0.0], [f64::NAN; 3], [f64::NAN; 3]];
    let cut = |body: u32, by_blade: bool, points: [[f64; 3]; 4]| {
        let cut = SeidelCut { body, by_blade, points };
        let input = SeidelInput { cuts: &raw const cut, cut_count: 1, ..seidel_default_input(1.0 / 60.0) };
        let mut report = std::mem::MaybeUninit::<SeidelReport>::zeroed();
        // SAFETY: input and report are there until the call has ended; zeros are a report.
        unsafe {
            let status = seidel_solver_step(solver, &raw const input, report.as_mut_ptr());
            (status, report.assume_init())
        }
    };
    let info = || {
        let mut info = SeidelBodyInfo { vertices: 0, triangles: 0, tets: 0, frames: 0 };
        // SAFETY: there is room for the answer.
        good(unsafe { seidel_solver_body(solver, 0, &raw mut info) });
        (info.vertices, info.triangles)
    };
    assert_eq!(info(), (81, 128));
    let (status, report) = cut(0, false, plane);
    good(status);
    assert_eq!((report.torn, report.tears_refused, info()), (9, 0, (90, 128)));
    let mut x = [[0.0f32; 3]; 90];
    refused(read(solver, SEIDEL_FIELD_POSITIONS, 0, &mut x[..81]), SeidelStatus::Argument, "90 elements");
    good(read(solver, SEIDEL_FIELD_POSITIONS, 0, &mut x));
    let mut triangles = [0u32; 3 * 128];
    // SAFETY: there is room for 128 triangles.
    unsafe {
        good(seidel_solver_triangles(solver, 0, triangles.as_mut_ptr(), 128));
        refused(seidel_solver_triangles(solver, 0, triangles.as_mut_ptr(), 127), SeidelStatus::Argument, "128");
    }
    // No triangle has corners on both sides.
    let side = |v: &u32| x[*v as usize][0];
    let parted = |t: &[u32]| t.iter().all(|v| side(v) <= 0.01) || t.iter().all(|v| side(v) >= -0.01);
    assert!(triangles.contains(&89) && triangles.chunks_exact(3).all(parted));
    let [from, to] = [[-1.0, -1.0, 0.01], [-1.0, 1.0, 0.01]].map(|p: [f64; 3]| [p, [1.0, p[1], p[2]]]);
    let (status, report) = cut(0, true, [from[0], to[0], from[1], to[1]]);
    good(status);
    assert_eq!((report.torn, report.tears_refused), (3, 7));
    // A state that is loaded has its own tears at once.
    let mut saved = vec![0u8; 1 << 20];
    let mut need = 0;
    // SAFETY: `saved` has as many bytes as its length, and `need` is there until the call has ended.
    good(unsafe { seidel_state_save(solver, saved.as_mut_ptr().cast(), saved.len(), &raw mut need) });
    good(seidel_solver_reset(solver));
    assert_eq!(info(), (81, 128));
    // SAFETY: `saved` has a megabyte, of which `seidel_state_save` has filled `need`.
    good(unsafe { seidel_state_load(solver, saved.as_ptr().cast(), need) });
    assert_eq!(info(), (93, 128));
    refused(cut(1, false, plane).0, SeidelStatus::Rejected, "`whole` cannot be cut");
    refused(cut(0, true, plane).0, SeidelStatus::Rejected, "point of a cut");
    good(seidel_solver_free(solver));
}

#[test]
fn what_is_wrong_is_told() {
    // Scenes.
    let no_plan = |text: &str, says: &str| {
        let (status, plan) = plan_of(text, None);
        refused(status, SeidelStatus::Scene, says);
        assert!(plan.is_null());
    };
    no_plan("[[cloth]]\nresolutoin = 3", "line 2: unknown key `resolutoin`");
    no_plan("[[cloth]]\nname = \"a\"\ndensity = -1", "line 3: body `a`: density is -1");
    no_plan(SCENE, "no mesh `shirt.obj`");
    no_plan("", "no body");
    let bad = [0, 1, 9];
    let mesh = SeidelMesh { triangles: bad.as_ptr(), triangle_count: 1, ..shirt() };
    refused(plan_of(SCENE, Some(mesh)).0, SeidelStatus::Scene, "shirt");
    refused(plan_of(SCENE, Some(SeidelMesh { name: null(), ..shirt() })).0, SeidelStatus::Null, "mesh 0: name is null");
    let mesh = SeidelMesh { positions: null(), ..shirt() };
    refused(plan_of(SCENE, Some(mesh)).0, SeidelStatus::Null, "mesh 0: positions is null");
    let huge = SeidelMesh { vertex_count: usize::MAX, ..shirt() };
    refused(plan_of(SCENE, Some(huge)).0, SeidelStatus::Argument, "more than fit into memory");
    // Null.
    let input = seidel_default_input(1.0 / 60.0);
    let mut place = null_mut();
    // SAFETY: the calls look for null first; all other pointers are to what this test holds.
    unsafe {
        refused(seidel_plan_create(null(), null_mut()), SeidelStatus::Null, "place for the plan is null");
        refused(seidel_solver_create(null(), null(), &raw mut place), SeidelStatus::Null, "the plan is null");
        refused(seidel_solver_step(null_mut(), &raw const input, null_mut()), SeidelStatus::Null, "solver is null");
    }
    let solver = solver();
    // SAFETY: the calls look for null first; all other pointers are to what this test holds.
    unsafe {
        refused(seidel_solver_step(solver, null(), null_mut()), SeidelStatus::Null, "input is null");
        refused(seidel_solver_hash(solver, null_mut()), SeidelStatus::Null, "hash is null");
        refused(seidel_state_load(solver, null(), 5), SeidelStatus::Null, "state is null");
    }
    // Inputs.
    let begin = hash(solver);
    let forces = [0.0f32; 9];
    let forces = SeidelForces { body: 0, forces: forces.as_ptr(), count: 3 };
    let short = SeidelInput { forces: &raw const forces, force_count: 1, ..input };
    refused(step(solver, &short), SeidelStatus::Rejected, "3");
    let other = SeidelForces { body: 9, ..forces };
    let other = SeidelInput { forces: &raw const other, force_count: 1, ..input };
    refused(step(solver, &other), SeidelStatus::Argument, "there is no body 9: there are 2");
    let nan = [f32::NAN, 0.0, 0.0];
    refused(step(solver, &SeidelInput { gravity: nan.as_ptr(), ..input }), SeidelStatus::Rejected, "gravity is NaN");
    refused(step(solver, &seidel_default_input(f32::NAN)), SeidelStatus::Rejected, "time step is NaN");
    let free = SeidelPin { body: 0, vertex: 63, target: [0.0; 3] };
    let free = SeidelInput { pins: &raw const free, pin_count: 1, ..input };
    refused(step(solver, &free), SeidelStatus::Rejected, "pin it first");
    assert_eq!(hash(solver), begin, "what is refused changes nothing");
    // Reads and writes.
    let mut few = [0.0f32; 5];
    refused(read(solver, SEIDEL_FIELD_POSITIONS, 0, &mut few), SeidelStatus::Argument, "20 bytes, too few for 64");
    refused(read(solver, 77, 0, &mut few), SeidelStatus::Argument, "no field 77");
    refused(read(solver, SEIDEL_FIELD_RIGID_POSE, 1, &mut few), SeidelStatus::Argument, "no rigid body 1: there are 1");
    // SAFETY: five numbers are there.
    let status = unsafe { seidel_solver_write(solver, SEIDEL_FIELD_POSITIONS, 0, few.as_ptr(), 5) };
    refused(status, SeidelStatus::Argument, "5 numbers, and the body takes 192");
    let nans = [f32::NAN; 192];
    // SAFETY: 192 numbers are there.
    let status = unsafe { seidel_solver_write(solver, SEIDEL_FIELD_POSITIONS, 0, nans.as_ptr(), 192) };
    refused(status, SeidelStatus::Argument, "position of vertex 0 is NaN");
    // Handles that are freed, or none.
    good(seidel_solver_free(solver));
    refused(seidel_solver_free(solver), SeidelStatus::Handle, "solver was freed");
    refused(step(solver, &input), SeidelStatus::Handle, "solver was freed");
    let none = std::ptr::without_provenance_mut(1234);
    refused(step(none, &input), SeidelStatus::Handle, "or is none");
    good(seidel_solver_free(null_mut()));
}

const ARM: &str = r#"
[solver]
substeps = 20
[[body]]
name = "arm"
shape = "cuboid"
half = [0.5, 0.05, 0.05]
mass = 2
position = [0.5, 0, 0]
[[joint]]
name = "elbow"
kind = "hinge"
b = "arm"
axis = [0, 0, 1]
"#;

/// A motor is driven, and its joint read; a body is put elsewhere and thrown.
#[test]
fn joints_are_driven_and_read() {
    let (status, plan) = plan_of(ARM, None);
    good(status);
    let solver = solver_of(plan);
    let mut info = std::mem::MaybeUninit::uninit();
    let mut elbow = 9;
    // SAFETY: all are there, and filled where the call is good.
    let info: SeidelPlanInfo = unsafe {
        good(seidel_plan_find(plan, SEIDEL_THING_JOINT, c"elbow".as_ptr(), &raw mut elbow));
        good(seidel_plan_info(plan, info.as_mut_ptr()));
        info.assume_init()
    };
    assert_eq!((elbow, info.joints), (0, 1));
    let motor = SeidelMotor { joint: elbow, drive: SEIDEL_DRIVE_POSITION, target: 0.5, limit: 100.0 };
    let input = seidel_default_input(1.0 / 60.0);
    let driven = SeidelInput { motors: &raw const motor, motor_count: 1, ..input };
    (0..120).for_each(|_| good(step(solver, &driven)));
    let mut now = [0.0f64; 10];
    good(read(solver, SEIDEL_FIELD_JOINT, 0, &mut now));
    let load = 2.0 * 9.81 * 0.5 * 0.5f64.cos();
    assert!((now[0] - 0.5).abs() < 1e-3 && now[1].abs() < 1e-2 && (now[2] - load).abs() < 0.1, "{now:?}");
    assert!((now[4] - 2.0 * 9.81).abs() < 0.2 && now[9] == 0.0, "{now:?}");
    // The state keeps it; off, the arm falls.
    good(step(solver, &input));
    let off = SeidelMotor { drive: SEIDEL_DRIVE_OFF, ..motor };
    (0..10).for_each(|_| good(step(solver, &SeidelInput { motors: &raw const off, ..driven })));
    good(read(solver, SEIDEL_FIELD_JOINT, 0, &mut now));
    assert!(now[0] < 0.45 && now[1] < -1.0 && now[2] == 0.0, "{now:?}");
    // Put back and thrown.
    let (at, turn, still, spin) = ([0.5, 0.0, 0.0f64], [0.0, 0.0, 0.0, 1.0f64], [0.0f64; 3], [0.0, 0.0, 3.0f64]);
    let put = |at: &[f64; 3], turn: &[f64; 4]| {
        // SAFETY: three numbers and four are there.
        unsafe { seidel_solver_set_rigid_pose(solver, 0, at.as_ptr(), turn.as_ptr()) }
    };
    good(put(&at, &turn));
    let throw = |body: u32, spin: &[f64; 3]| {
        // SAFETY: three numbers each are there.
        unsafe { seidel_solver_set_rigid_velocity(solver, body, still.as_ptr(), spin.as_ptr()) }
    };
    good(throw(0, &spin));
    good(read(solver, SEIDEL_FIELD_JOINT, 0, &mut now));
    assert!(now[0].abs() < 1e-9 && (now[1] - 3.0).abs() < 1e-9, "{now:?}");
    let begin = hash(solver);
    refused(put(&[f64::NAN, 0.0, 0.0], &turn), SeidelStatus::Argument, "is not within +-1e6 m with a unit quaternion");
    refused(put(&at, &[0.0; 4]), SeidelStatus::Argument, "unit quaternion");
    refused(throw(0, &[0.0, 2e6, 0.0]), SeidelStatus::Argument, "is not within +-1e6");
    refused(throw(1, &spin), SeidelStatus::Argument, "no rigid body 1: there are 1");
    let strange = |motor: SeidelMotor| step(solver, &SeidelInput { motors: &raw const motor, ..driven });
    refused(strange(SeidelMotor { drive: 7, ..motor }), SeidelStatus::Argument, "there is no drive 7");
    refused(strange(SeidelMotor { joint: 1, ..motor }), SeidelStatus::Argument, "there is no joint 1: there are 1");
    refused(strange(SeidelMotor { limit: -1.0, ..motor }), SeidelStatus::Rejected, "limit of its motor is -1");
    refused(read(solver, SEIDEL_FIELD_JOINT, 1, &mut now), SeidelStatus::Argument, "no joint 1: there are 1");
    refused(read(solver, SEIDEL_FIELD_JOINT, 0, &mut now[..9]), SeidelStatus::Argument, "72 bytes, too few");
    assert_eq!(hash(solver), begin, "what is refused changes nothing");
}

#[test]
fn names_and_counts() {
    let (status, plan) = plan_of(SCENE, Some(shirt()));
    good(status);
    let mut index = 9;
    let (mut info, mut body) = (std::mem::MaybeUninit::uninit(), std::mem::MaybeUninit::uninit());
    let (mut name, mut need, mut triangles) = ([0u8; 6], 0, [0; 6]);
    // SAFETY: all are there, and filled where the call is good.
    unsafe {
        good(seidel_plan_info(plan, info.as_mut_ptr()));
        let info: SeidelPlanInfo = info.assume_init();
        assert_eq!((info.bodies, info.colliders, info.rigid_bodies, info.substeps), (2, 1, 1, 4));
        good(seidel_plan_find(plan, SEIDEL_THING_BODY, c"shirt".as_ptr(), &raw mut index));
        assert_eq!(index, 1);
        let status = seidel_plan_find(plan, SEIDEL_THING_COLLIDER, c"shirt".as_ptr(), &raw mut index);
        refused(status, SeidelStatus::Argument, "there are: ball");
        good(seidel_plan_body(plan, 1, body.as_mut_ptr()));
        let body: SeidelBodyInfo = body.assume_init();
        assert_eq!((body.vertices, body.triangles), (4, 2));
        good(seidel_plan_triangles(plan, 1, triangles.as_mut_ptr(), 2));
        assert_eq!(triangles, TRIANGLES);
        good(seidel_plan_name(plan, SEIDEL_THING_BODY, 1, name.as_mut_ptr().cast(), 6, &raw mut need));
        assert_eq!((&name, need), (b"shirt\0", 6));
        let status = seidel_plan_name(plan, SEIDEL_THING_BODY, 1, name.as_mut_ptr().cast(), 5, &raw mut need);
        refused(status, SeidelStatus::Small, "6 are needed");
        assert_eq!(CStr::from_ptr(seidel_status_name(SeidelStatus::Busy as u32)), c"busy");
        assert_eq!(CStr::from_ptr(seidel_status_name(99)), c"unknown");
    }
    // Where a struct changes, so does the version: a program with an older header would read and write beside it.
    let sizes = [
        size_of::<SeidelInput>(),
        size_of::<SeidelReport>(),
        size_of::<SeidelPlanInfo>(),
        size_of::<SeidelBodyInfo>(),
        size_of::<SeidelSceneDef>(),
        size_of::<SeidelMesh>(),
        size_of::<SeidelExecution>(),
        size_of::<SeidelMotor>(),
        size_of::<SeidelPush>(),
        size_of::<SeidelCut>(),
    ];
    if cfg!(target_pointer_width = "64") {
        assert_eq!((SEIDEL_ABI_VERSION, sizes), (3, [168, 56, 72, 32, 40, 56, 16, 16, 56, 104]));
    }
    assert_eq!(seidel_abi_version(), SEIDEL_ABI_VERSION);
    good(seidel_plan_free(plan));
    refused(seidel_plan_free(plan), SeidelStatus::Handle, "plan was freed");
}

#[test]
fn a_solver_that_another_thread_uses_says_so() {
    let (status, plan) = plan_of("[solver]\nsubsteps = 400\n[[cloth]]\nresolution = 40", None);
    good(status);
    let solver = solver_of(plan).addr();
    let handle = move || std::ptr::without_provenance_mut::<SeidelSolver>(solver);
    let busy = std::thread::scope(|scope| {
        let steps = scope.spawn(move || {
            let end = std::time::Instant::now() + std::time::Duration::from_millis(300);
            while std::time::Instant::now() < end {
                // The other's hash may come between.
                let status = step(handle(), &seidel_default_input(1.0 / 60.0));
                assert!(matches!(status, SeidelStatus::Ok | SeidelStatus::Busy), "{}", said());
            }
        });
        let mut busy = 0;
        while !steps.is_finished() {
            // Or the other would find it in use again and again.
            std::thread::sleep(std::time::Duration::from_millis(1));
            let mut hash = 0;
            // SAFETY: `hash` is there until the call has ended.
            match unsafe { seidel_solver_hash(handle(), &raw mut hash) } {
                SeidelStatus::Ok => {}
                status => {
                    refused(status, SeidelStatus::Busy, "another thread");
                    busy += 1;
                }
            }
        }
        busy
    });
    assert!(busy > 0, "never busy");
    good(seidel_solver_free(handle()));
    good(seidel_plan_free(plan));
}

/// The header names each function that the library has, and no other. That it says the same of them is checked where
/// cbindgen is (`.ci/capi`).
#[test]
fn the_header_has_all_functions() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |text: &str, before: &str| -> Vec<String> {
        let mut names: Vec<String> = text
            .match_indices(before)
            .map(|(at, _)| text[at + before.len() - "seidel_".len()..].split('(').next().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    let code: String = std::fs::read_dir(root.join("src"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    let functions = names(&code, "extern \"C\" fn seidel_");
    let header = std::fs::read_to_string(root.join("include/seidel.h")).unwrap();
    let code = header.lines().filter(|line| !line.starts_with(['/', ' ', '#']));
    let function = |line: &str| Some(format!("seidel_{}", line.split_once("seidel_")?.1.split_once('(')?.0));
    let mut declared: Vec<String> = code.filter_map(function).collect();
    declared.sort();
    assert_eq!(functions, declared);
    assert!(functions.len() > 20);
}
