//! Plans: scenes that are read, checked and planned once.

use crate::defs::{
    SEIDEL_THING_BODY, SEIDEL_THING_COLLIDER, SEIDEL_THING_JOINT, SEIDEL_THING_RIGID_BODY, SeidelBodyInfo, SeidelMesh,
    SeidelPlan, SeidelPlanInfo, SeidelSceneDef, SeidelThing,
};
use crate::handles::Handles;
use crate::pointers::{copy_out, one, put, slice, slice_mut, text};
use crate::status::{Failure, SeidelStatus, guard};
use seidel::mesh::VertexMaps;
use seidel::{BodyId, Mesh, Plan, RigidId, RigidJointId, TetMesh};
use seidel_io::scene;
use seidel_scenes::{Geometry, SceneSpec};
use std::collections::BTreeMap;
use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;

/// A plan, and what its text says beside it.
pub(crate) struct Planned {
    pub(crate) plan: Arc<Plan>,
    pub(crate) bodies: Vec<BodyId>,
    rigid_bodies: Vec<RigidId>,
    joints: Vec<RigidJointId>,
    spec: SceneSpec,
}

pub(crate) static PLANS: Handles<Planned> = Handles::new("plan");

impl Planned {
    pub(crate) fn body(&self, index: u32) -> Result<BodyId, Failure> {
        self.bodies.get(index as usize).copied().ok_or_else(|| none("body", index, self.bodies.len()))
    }

    pub(crate) fn rigid(&self, index: u32) -> Result<RigidId, Failure> {
        let id = self.rigid_bodies.get(index as usize).copied();
        id.ok_or_else(|| none("rigid body", index, self.rigid_bodies.len()))
    }

    pub(crate) fn joint(&self, index: u32) -> Result<RigidJointId, Failure> {
        self.joints.get(index as usize).copied().ok_or_else(|| none("joint", index, self.joints.len()))
    }
}

/// There is no such thing.
pub(crate) fn none(what: &str, index: u32, count: usize) -> Failure {
    Failure::argument(format!("there is no {what} {index}: there are {count}"))
}

/// Reads a scene, plans it, and writes a handle to `plan`. Everything that can be wrong with a scene is reported here,
/// by `SEIDEL_STATUS_SCENE` and a text that names the table, the key, the value and its limit. The arrays are copied.
/// Free the handle with `seidel_plan_free`; solvers keep what they need of it.
///
/// # Safety
/// Pointers are null or point to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_plan_create(def: *const SeidelSceneDef, plan: *mut *mut SeidelPlan) -> SeidelStatus {
    guard(|| {
        // SAFETY: `put` and `one` check null and alignment; the caller promises room for a handle, and a scene as the
        // header says.
        let made = unsafe {
            put(plan, std::ptr::null_mut(), "the place for the plan")?;
            planned(one(def, "the scene")?)?
        };
        // SAFETY: `put` checks null and alignment; the caller promises room for a handle.
        unsafe { put(plan, PLANS.add(made), "the place for the plan") }
    })
}

/// # Safety
/// As `seidel_plan_create`.
unsafe fn planned(def: &SeidelSceneDef) -> Result<Planned, Failure> {
    let wrong = |what: String| Failure::new(SeidelStatus::Scene, what);
    // SAFETY: `text` and `slice` check null and length; the caller promises a text of `toml_length` bytes, or one that
    // ends with a zero.
    let toml = unsafe {
        match def.toml_length {
            0 => text(def.toml, "the scene's text")?,
            length => std::str::from_utf8(slice(def.toml.cast(), length, "the scene's text")?)
                .map_err(|_| Failure::argument("the scene's text is not UTF-8"))?,
        }
    };
    let mut meshes = BTreeMap::new();
    // SAFETY: `slice` checks null, alignment and length; the caller promises `mesh_count` meshes.
    for (number, mesh) in unsafe { slice(def.meshes, def.mesh_count, "the meshes") }?.iter().enumerate() {
        // SAFETY: the caller promises that the mesh's pointers hold what the header says.
        let (name, geometry) = unsafe { geometry(mesh, number) }?;
        if meshes.insert(name, geometry).is_some() {
            return Err(Failure::argument(format!("two meshes are called `{name}`")));
        }
    }
    let spec = scene::parse(Path::new("scene"), toml).map_err(|e| wrong(e.to_string()))?;
    let built = spec.build_within(def.memory, &|_, _| {}, |name, _| {
        meshes.get(name).cloned().ok_or_else(|| format!("there is no mesh `{name}` among those that were given"))
    });
    let located = |what: String| wrong(scene::located_in(toml, &spec, &what));
    let built = built.map_err(|e| located(e.to_string()))?;
    let plan = Arc::new(Plan::new(&built).map_err(|e| located(e.to_string()))?);
    let (bodies, rigid_bodies) = (plan.body_ids().collect(), plan.rigid_ids().collect());
    Ok(Planned { bodies, rigid_bodies, joints: plan.rigid_joint_ids().collect(), plan, spec })
}

/// # Safety
/// As `seidel_plan_create`.
unsafe fn geometry(mesh: &SeidelMesh, number: usize) -> Result<(&str, Geometry), Failure> {
    let name = format!("mesh {number}");
    // SAFETY: `slice` checks null, alignment and length; the caller promises as many numbers as the mesh says.
    let (positions, triangles, tets) = unsafe {
        (
            slice(mesh.positions.cast::<[f32; 3]>(), mesh.vertex_count, &format!("{name}: positions"))?.to_vec(),
            slice(mesh.triangles.cast::<[u32; 3]>(), mesh.triangle_count, &format!("{name}: triangles"))?,
            slice(mesh.tets.cast::<[u32; 4]>(), mesh.tet_count, &format!("{name}: tets"))?,
        )
    };
    let geometry = match tets {
        [] => Geometry::Surface(Mesh { positions, triangles: triangles.to_vec() }, VertexMaps::default()),
        tets => Geometry::Solid(TetMesh { positions, tets: tets.to_vec() }),
    };
    // SAFETY: `text` checks null; the caller promises that the name ends with a zero.
    Ok((unsafe { text(mesh.name, &format!("{name}: name")) }?, geometry))
}

/// Frees a plan's handle. Null is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_plan_free(plan: *mut SeidelPlan) -> SeidelStatus {
    guard(|| if plan.is_null() { Ok(()) } else { PLANS.free(plan) })
}

/// Writes what a plan holds.
///
/// # Safety
/// `info` is null or points to room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_plan_info(plan: *const SeidelPlan, info: *mut SeidelPlanInfo) -> SeidelStatus {
    guard(|| {
        let Planned { plan, spec, .. } = &*PLANS.get(plan)?;
        let told = SeidelPlanInfo {
            bodies: plan.bodies() as u32,
            colliders: plan.colliders().len() as u32,
            rigid_bodies: plan.rigid_bodies() as u32,
            joints: plan.rigid_joints() as u32,
            substeps: plan.substeps(),
            particles: plan.particles(),
            dt: 1.0 / spec.fps,
            frames: spec.frames,
            settle: spec.settle,
            id: plan.id(),
            layout_id: plan.layout_id(),
        };
        // SAFETY: `put` checks null and alignment; the caller promises room for the answer.
        unsafe { put(info, told, "the place for the answer") }
    })
}

/// Writes what a body has.
///
/// # Safety
/// `info` is null or points to room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_plan_body(
    plan: *const SeidelPlan,
    body: u32,
    info: *mut SeidelBodyInfo,
) -> SeidelStatus {
    guard(|| {
        let planned = PLANS.get(plan)?;
        let told = body_info(&planned.plan, planned.body(body)?);
        // SAFETY: `put` checks null and alignment; the caller promises room for the answer.
        unsafe { put(info, told, "the place for the answer") }
    })
}

/// Copies a body's triangles: three vertices each, as many triangles as `seidel_plan_body` says.
///
/// # Safety
/// `out` is null or points to `3 * count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_plan_triangles(
    plan: *const SeidelPlan,
    body: u32,
    out: *mut u32,
    count: usize,
) -> SeidelStatus {
    guard(|| {
        let planned = PLANS.get(plan)?;
        // SAFETY: the caller promises `3 * count` numbers that nobody else uses.
        unsafe { copy_triangles(planned.plan.triangles(planned.body(body)?), out, count) }
    })
}

pub(crate) fn body_info(plan: &Plan, id: BodyId) -> SeidelBodyInfo {
    SeidelBodyInfo {
        vertices: plan.vertices(id),
        triangles: plan.triangles(id).len(),
        tets: plan.tets(id).len(),
        frames: plan.frames(id),
    }
}

/// # Safety
/// `out` is null or points to `3 * count` numbers that nobody else uses.
pub(crate) unsafe fn copy_triangles(triangles: &[[u32; 3]], out: *mut u32, count: usize) -> Result<(), Failure> {
    if count != triangles.len() {
        return Err(Failure::argument(format!("{count} triangles are wanted, and there are {}", triangles.len())));
    }
    // SAFETY: `slice_mut` checks null, alignment and length; the caller promises `3 * count` numbers that nobody else
    // uses.
    unsafe { slice_mut(out.cast::<[u32; 3]>(), count, "the place for triangles") }?.copy_from_slice(triangles);
    Ok(())
}

/// Copies the zero-terminated name of a body, collider, rigid body or joint into `out`, which has `room` bytes. If
/// `need` is not null, writes the number of bytes needed, with the zero, to it. If `room` is too small, nothing is
/// copied and `SEIDEL_STATUS_SMALL` is returned.
///
/// # Safety
/// `out` is null or points to `room` bytes, `need` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_plan_name(
    plan: *const SeidelPlan,
    thing: SeidelThing,
    index: u32,
    out: *mut c_char,
    room: usize,
    need: *mut usize,
) -> SeidelStatus {
    guard(|| {
        let planned = PLANS.get(plan)?;
        let names = names(&planned.plan, thing)?;
        let name = names.get(index as usize).ok_or_else(|| none("thing of this sort", index, names.len()))?;
        let bytes = [name.as_bytes(), &[0]].concat();
        // SAFETY: `copy_out` checks null and room; the caller promises `room` bytes at `out`, and a number at `need`.
        unsafe { copy_out(&bytes, out.cast(), room, need) }
    })
}

/// Writes the number of the thing that has a name.
///
/// # Safety
/// `name` is null or text that ends with a zero, `index` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seidel_plan_find(
    plan: *const SeidelPlan,
    thing: SeidelThing,
    name: *const c_char,
    index: *mut u32,
) -> SeidelStatus {
    guard(|| {
        let planned = PLANS.get(plan)?;
        let names = names(&planned.plan, thing)?;
        // SAFETY: `text` checks null; the caller promises that the name ends with a zero.
        let name = unsafe { text(name, "the name") }?;
        let Some(at) = names.iter().position(|of| *of == name) else {
            return Err(Failure::argument(format!("nothing is called `{name}`; there are: {}", names.join(", "))));
        };
        // SAFETY: `put` checks null and alignment; the caller promises room for a number.
        unsafe { put(index, at as u32, "the place for the number") }
    })
}

fn names(plan: &Plan, thing: SeidelThing) -> Result<Vec<&str>, Failure> {
    match thing {
        SEIDEL_THING_BODY => Ok(plan.body_ids().map(|id| plan.body_name(id)).collect()),
        SEIDEL_THING_COLLIDER => Ok(plan.colliders().iter().map(|collider| collider.name.as_str()).collect()),
        SEIDEL_THING_RIGID_BODY => Ok(plan.rigid_ids().map(|id| plan.rigid_name(id)).collect()),
        SEIDEL_THING_JOINT => Ok(plan.rigid_joint_ids().map(|id| plan.rigid_joint_name(id)).collect()),
        _ => Err(Failure::argument(format!("there is no sort of things {thing}"))),
    }
}
