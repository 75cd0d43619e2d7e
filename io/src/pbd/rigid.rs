//! `RigidBodies`: those that move become rigid bodies, those that do not colliders, or fixed bodies where a joint names
//! them.

use super::deformable::{friction, rotation};
use super::files::Files;
use super::item::Item;
use super::log::Log;
use super::shapes::{PbdShape, cell, hull, shape, sides};
use seidel::{Filter, Mesh, Plan, RigidBody, RigidKind, Scale, Scene};
use seidel_scenes::{ColliderSpec, RigidShapeSpec, RigidSpec, SceneSpec, ShapeSpec, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// Bodies by their ids.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    by_id: BTreeMap<u64, BodyMotion>,
    /// Of all, with an id or without.
    pub(super) count: usize,
}

/// What a joint knows of a body.
#[derive(Clone, Debug)]
pub(super) struct BodyMotion {
    /// Its name among the rigid bodies; none of a collider, which to a joint is the world.
    pub(super) name: Option<String>,
    pub(super) dynamic: bool,
    pub(super) position: [f64; 3],
    /// Sides of the box about its mesh, before it is turned, metres.
    pub(super) sides: [f32; 3],
    /// kg/m^3.
    pub(super) density: f64,
    /// Where it stands in the file.
    path: String,
}

impl Bodies {
    /// The body that a key names.
    pub(super) fn find(&self, item: &Item<'_>, key: &'static str) -> Result<&BodyMotion, String> {
        let id = item.required(key, item.whole(key)?)?;
        match self.by_id.get(&id) {
            Some(body) => Ok(body),
            None => item.wrong(key, format!("is {id}, and no rigid body has this id; {}", self.ids())),
        }
    }

    /// The body of an id.
    pub(super) fn get(&self, id: u64) -> Option<&BodyMotion> {
        self.by_id.get(&id)
    }

    fn ids(&self) -> String {
        let ids: Vec<String> = self.by_id.keys().take(20).map(u64::to_string).collect();
        match ids.is_empty() {
            true => "none has one".to_owned(),
            false => format!("ids are {}{}", ids.join(", "), if self.by_id.len() > 20 { ", ..." } else { "" }),
        }
    }
}

/// Group of bodies whose own vertices are not tested against others (`testMesh`): two of them do not meet.
const UNTESTED: u32 = 8;

/// Reads them. `joined` are ids that joints name, and `clamped` those of segments of rods that do not move.
pub(super) fn bodies(
    root: &Item<'_>,
    [joined, clamped]: [&BTreeSet<u64>; 2],
    files: &mut Files,
    (spec, log): (&mut SceneSpec, &mut Log),
) -> Result<Bodies, String> {
    let mut bodies = Bodies::default();
    for item in root.list("RigidBodies")? {
        item.known(&["comment", "flatShading"]);
        let (file, mesh) = files.mesh(&item, "geometryFile")?;
        // Without an id it has the id 0, as in the library; but nothing can name several of those.
        let given = item.whole("id")?;
        let id = given.unwrap_or(0);
        if let Some(other) = bodies.get(id).filter(|_| given.is_some()) {
            return item.wrong("id", format!("is {id}, and {} has this id, too; ids are unique", other.path));
        }
        let position = item.place("translation")?.unwrap_or_default();
        let put = Put {
            position: position.map(|c| c as f32),
            rotation: rotation(&item)?,
            scale: item.factors("scale")?.into(),
            friction: friction(&item, 0.2)?,
            restitution: item.within("restitution", 0.0..=1.0)?.unwrap_or(0.6) as f32,
            filter: filter(&item)?,
        };
        let dynamic = item.flag("isDynamic")?.unwrap_or(true) && !(given.is_some() && clamped.contains(&id));
        let inverted = item.flag("invertSDF")? == Some(true);
        let shape = shape(&item, files, (&file, &mesh), (dynamic, log))?;
        let [velocity, spins] =
            [item.place("velocity")?.unwrap_or_default(), item.place("angularVelocity")?.unwrap_or_default()];
        let density = item.number("density")?.unwrap_or(1.0);
        let name = given.map(|id| format!("body-{id}"));
        let name = name.unwrap_or_else(|| format!("body-at-{}", spec.body.len() + spec.collider.len()));
        let as_body = dynamic || (given.is_some() && joined.contains(&id) && shape.is_solid() && !inverted);
        if as_body {
            if inverted {
                log.notes.push(format!("`{}` has no effect on a body that moves", item.at("invertSDF")));
            }
            let body = body(&item, (&shape, log), (&file, &mesh), &put)?;
            let mut body = RigidSpec { name: name.clone(), ..body };
            if dynamic {
                if !(1e-9..=1e9).contains(&density) {
                    return item.wrong("density", format!("is {density} kg/m^3, which is not within 1e-9 .. 1e9"));
                }
                (body.density, body.velocity, body.angular_velocity) = (Some(density), velocity, spins);
                match weighs(&mesh, put.scale) {
                    Ok(()) => (body.solid, body.solid_scale) = (Some(file.clone()), Some(put.scale)),
                    Err(why) if shape != PbdShape::None => {
                        let at = item.at("geometryFile");
                        log.notes.push(format!("`{at}`: {why}; its collision object tells its mass"));
                    }
                    Err(why) => return item.wrong("geometryFile", why),
                }
            } else {
                body.kind = RigidKind::Fixed;
            }
            spec.body.push(body);
        } else {
            if density < 0.0 {
                return item.wrong("density", format!("is {density} kg/m^3, which is below 0"));
            }
            colliders(&shape, inverted, (&file, &mesh), (&name, &put), spec);
        }
        let known = BodyMotion {
            name: as_body.then_some(name),
            dynamic,
            position,
            sides: sides(&mesh, put.scale),
            density,
            path: item.at("id"),
        };
        bodies.by_id.entry(id).or_insert(known);
        bodies.count += 1;
        item.finish(log);
    }
    Ok(bodies)
}

/// How a body is put, and what its surface is like.
struct Put {
    position: [f32; 3],
    rotation: Turn,
    scale: Scale,
    friction: f32,
    restitution: f32,
    filter: Filter,
}

/// Bits of category and mask; or what follows from `testMesh`.
fn filter(item: &Item<'_>) -> Result<Filter, String> {
    let bits = |key: &'static str| -> Result<Option<u32>, String> {
        match item.number(key)? {
            None => Ok(None),
            Some(bits) if bits.trunc() == bits && (-32768.0..=4_294_967_295.0).contains(&bits) => {
                // The library keeps 16 bits with a sign.
                Ok(Some((bits as i64 & 0xffff_ffff) as u32))
            }
            Some(bits) => item.wrong(key, format!("is {bits}, and bits within -32768 .. 4294967295 are needed")),
        }
    };
    let (groups, mask) = (bits("collisionCategoryBits")?, bits("collisionFilterMaskBits")?);
    let tested = item.flag("testMesh")?.unwrap_or(true);
    let usual = Filter::default();
    Ok(match (groups, mask) {
        (None, None) if !tested => Filter::new(UNTESTED, !UNTESTED),
        (groups, mask) => Filter::new(groups.unwrap_or(usual.groups), mask.unwrap_or(usual.mask)),
    })
}

/// A rigid body of a shape; one without meets nothing and is shown as its hull.
fn body(
    item: &Item<'_>,
    (shape, _): (&PbdShape, &mut Log),
    (file, mesh): (&str, &Mesh),
    put: &Put,
) -> Result<RigidSpec, String> {
    let mut body = RigidSpec {
        position: put.position,
        rotation: put.rotation,
        friction: put.friction,
        restitution: put.restitution,
        groups: put.filter.groups,
        mask: put.filter.mask,
        ..RigidSpec::default()
    };
    match *shape {
        PbdShape::None => {
            body.shape = RigidShapeSpec::Hull;
            (body.groups, body.mask) = (0, 0);
            match hull(mesh, put.scale).or_else(|e| item.wrong("geometryFile", e))? {
                None => (body.file, body.scale) = (Some(file.to_owned()), Some(put.scale)),
                points => body.points = points,
            }
        }
        PbdShape::Sphere(radius) | PbdShape::HollowSphere { radius, .. } => {
            (body.shape, body.radius) = (RigidShapeSpec::Sphere, Some(radius));
        }
        PbdShape::Cuboid(half) | PbdShape::HollowBox { half, .. } => {
            (body.shape, body.half) = (RigidShapeSpec::Cuboid, Some(half));
        }
        PbdShape::Cylinder { radius, half } => {
            (body.shape, body.radius, body.half_length) = (RigidShapeSpec::Cylinder, Some(radius), Some(half));
        }
        PbdShape::Torus { ring, tube } => {
            (body.shape, body.ring, body.radius) = (RigidShapeSpec::Torus, Some(ring), Some(tube));
        }
        PbdShape::Field { ref file, scale, cell } => {
            (body.shape, body.file) = (RigidShapeSpec::Mesh, Some(file.clone()));
            (body.scale, body.cell) = (Some(scale), Some(cell));
        }
    }
    Ok(body)
}

/// Whether a surface has an inside that can be weighed.
fn weighs(mesh: &Mesh, scale: Scale) -> Result<(), String> {
    let mut scaled = mesh.clone();
    scale.scale_all(&mut scaled.positions);
    let mut scene = Scene::new();
    scene.add_rigid(RigidBody::sphere(1.0).density(1.0).solid(scaled).named("body"));
    match Plan::new(&scene) {
        Ok(_) => Ok(()),
        Err(e) => Err(e.to_string().trim_start_matches("body `body`: ").to_owned()),
    }
}

/// Colliders of a body that does not move.
fn colliders(
    shape: &PbdShape,
    inverted: bool,
    (file, mesh): (&str, &Mesh),
    (name, put): (&str, &Put),
    spec: &mut SceneSpec,
) {
    let collider = ColliderSpec {
        name: name.to_owned(),
        position: put.position,
        rotation: put.rotation,
        friction: put.friction,
        restitution: put.restitution,
        groups: put.filter.groups,
        mask: put.filter.mask,
        ..ColliderSpec::default()
    };
    // What is inverted is free within: the field of its mesh, scaled alike.
    let field = |file: &str, scale: Scale, cell: f32| ColliderSpec {
        shape: ShapeSpec::Mesh,
        file: Some(file.to_owned()),
        scale: Some(scale),
        cell: Some(cell),
        inverted,
        ..collider.clone()
    };
    let own = || field(file, put.scale, cell(mesh, put.scale, None));
    match *shape {
        PbdShape::None => {}
        PbdShape::Field { ref file, scale, cell } => spec.collider.push(field(file, scale, cell)),
        PbdShape::HollowBox { half, wall } => spec.collider.extend(walls(&collider, half, wall)),
        PbdShape::HollowSphere { radius, half } => {
            let cell = (half).min(radius / 12.0).max(radius / 45.0);
            spec.collider.push(ColliderSpec {
                shape: ShapeSpec::Mesh,
                balls: Some(vec![[0.0, 0.0, 0.0, radius]]),
                cell: Some(cell),
                hollow: Some(half),
                ..collider
            });
        }
        _ if inverted => spec.collider.push(own()),
        PbdShape::Sphere(radius) => {
            spec.collider.push(ColliderSpec { shape: ShapeSpec::Sphere, radius: Some(radius), ..collider });
        }
        PbdShape::Cuboid(half) => {
            spec.collider.push(ColliderSpec { shape: ShapeSpec::Cuboid, half: Some(half), ..collider });
        }
        PbdShape::Cylinder { radius, half } => spec.collider.push(ColliderSpec {
            shape: ShapeSpec::Cylinder,
            radius: Some(radius),
            half_length: Some(half),
            ..collider
        }),
        PbdShape::Torus { ring, tube } => spec.collider.push(ColliderSpec {
            shape: ShapeSpec::Torus,
            ring: Some(ring),
            radius: Some(tube),
            ..collider
        }),
    }
}

/// Six boxes about the sides of a box, each as thick as a wall to both sides of it.
fn walls(collider: &ColliderSpec, half: [f32; 3], wall: f32) -> Vec<ColliderSpec> {
    let turn = collider.rotation;
    let pose = seidel::Pose::at(collider.position).turned(turn.axis, seidel::degrees(turn.degrees));
    let sides = (0..3).flat_map(|axis| [(axis, -1.0f32), (axis, 1.0)]);
    let each = sides.enumerate().map(|(number, (axis, side))| {
        let mut middle = [0.0f64; 3];
        middle[axis] = f64::from(side * half[axis]);
        let mut size = half.map(|h| h + wall);
        size[axis] = wall;
        ColliderSpec {
            name: format!("{}-wall-{number}", collider.name),
            shape: ShapeSpec::Cuboid,
            half: Some(size),
            position: pose.transform_point(middle).as_vec3().to_array(),
            ..collider.clone()
        }
    });
    each.collect()
}
