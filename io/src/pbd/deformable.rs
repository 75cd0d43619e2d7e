//! `TriangleModels` become cloths, and `TetModels` solids.

use super::files::Files;
use super::item::Item;
use super::log::Log;
use super::simulation::{LEAST, Simulation};
use seidel::{BendModel, ClothModel, Collide, Mesh, Scale, SolidModel, TetMesh};
use seidel_scenes::{ClothSpec, FabricSpec, LongRangeSpec, LongRangeWord, SceneSpec, SoftBodySpec, Turn};

/// A compliance that resists nothing, m/N.
const NOTHING: f32 = 1e18;

/// Groups of solids whose own vertices are tested against others (`testMesh`), and of those whose are not: these meet
/// the former alone.
const TESTED: u32 = 2;
const UNTESTED: u32 = 4;

/// Vertices of all models, as `particleID` counts them: those of the triangle models, then those of the solids.
#[derive(Debug, Default)]
pub(super) struct Particles {
    /// Of each body of the spec in the order of `SceneSpec::names`: cloths, then solids.
    counts: Vec<u64>,
}

impl Particles {
    /// The number of a body among cloths and solids, and of its vertex.
    pub(super) fn find(&self, particle: u64) -> Option<(usize, u32)> {
        let mut before = 0;
        for (body, count) in self.counts.iter().enumerate() {
            if particle < before + count {
                return Some((body, (particle - before) as u32));
            }
            before += count;
        }
        None
    }

    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// What is written to.
type Out<'a> = (&'a mut SceneSpec, &'a mut Particles, &'a mut Log);

/// How a model is put.
struct ModelPose {
    position: [f32; 3],
    rotation: Turn,
    scale: Scale,
}

/// A rotation by axis and angle; both are needed, as in the library.
pub(super) fn rotation(item: &Item<'_>) -> Result<Turn, String> {
    let (axis, angle) = (item.place("rotationAxis")?, item.within("rotationAngle", -1e6..=1e6)?);
    match (axis, angle) {
        (Some(_), Some(angle)) if angle != 0.0 => {
            Ok(Turn { axis: item.axis("rotationAxis")?, degrees: angle.to_degrees() })
        }
        _ => Ok(Turn::default()),
    }
}

fn place(item: &Item<'_>) -> Result<ModelPose, String> {
    Ok(ModelPose {
        position: item.place("translation")?.unwrap_or_default().map(|c| c as f32),
        rotation: rotation(item)?,
        scale: item.factors("scale")?.into(),
    })
}

/// Friction coefficients are added in the library, and here the mean is taken.
pub(super) fn friction(item: &Item<'_>, usual: f64) -> Result<f32, String> {
    Ok((2.0 * item.within("friction", 0.0..=5e5)?.unwrap_or(usual)) as f32)
}

fn pins(item: &Item<'_>, count: usize) -> Result<Vec<u32>, String> {
    let pins = item.wholes("staticParticles")?;
    match pins.iter().position(|&pin| pin >= count as u64) {
        Some(i) => item
            .wrong("staticParticles", format!("number {i} is {}, and the model has {count} vertices, from 0", pins[i])),
        None => Ok(pins.into_iter().map(|pin| pin as u32).collect()),
    }
}

/// A name by the id, unless another has it.
fn name<'a>(what: &str, item: &Item<'_>, mut others: impl Iterator<Item = &'a str>) -> Result<String, String> {
    let name = item.whole("id")?.map(|id| format!("{what}-{id}"));
    Ok(name.filter(|name| others.all(|other| other != name)).unwrap_or_default())
}

/// Keys of models that say how they look.
const LOOKS: [&str; 2] = ["comment", "flatShading"];

pub(super) fn triangle_models(
    root: &Item<'_>,
    simulation: &Simulation,
    files: &mut Files,
    (spec, particles, log): Out<'_>,
) -> Result<(), String> {
    for item in root.list("TriangleModels")? {
        item.known(&LOOKS);
        let (file, mesh) = files.mesh(&item, "geometryFile")?;
        let ModelPose { position, rotation, scale } = place(&item)?;
        let mut cloth = ClothSpec {
            name: name("cloth", &item, spec.cloth.iter().map(|cloth| cloth.name.as_str()))?,
            mesh: Some(file.clone()),
            position,
            rotation,
            scale,
            pin_vertices: pins(&item, mesh.positions.len())?,
            restitution: item.within("restitution", 0.0..=1.0)?.unwrap_or(0.1) as f32,
            friction: friction(&item, 0.2)?,
            thickness: Some(simulation.tolerance),
            vertex_mass: Some(1.0),
            long_range: Some(LongRangeSpec::Word(LongRangeWord::Off)),
            ..ClothSpec::default()
        };
        if mesh.defects().errors().next().is_some() {
            cloth.repair = true;
            let at = item.at("geometryFile");
            log.notes.push(format!("`{at}`: {file} is repaired (`seidel check` says what is wrong with it)"));
        }
        stretch(&mut cloth, simulation, &mesh);
        bend(&mut cloth, simulation);
        particles.counts.push(mesh.positions.len() as u64);
        spec.cloth.push(cloth);
        item.finish(log);
    }
    Ok(())
}

/// A fabric that tells how stiff directions are beside each other.
fn fabric([warp, weft]: [f64; 2], shear: f64, poisson: f64) -> FabricSpec {
    FabricSpec {
        density: Some(1.0),
        thickness: Some(1e-3),
        stretch: Some([warp, weft].map(|k| k.max(LEAST) as f32)),
        shear: Some(shear.max(LEAST) as f32),
        poisson: Some(poisson as f32),
        bend: Some([0.0; 2]),
        ..FabricSpec::default()
    }
}

fn stretch(cloth: &mut ClothSpec, simulation: &Simulation, mesh: &Mesh) {
    let [xx, yy, xy] = simulation.cloth_moduli;
    match simulation.cloth_method {
        0 => cloth.stretch_compliance = Some(NOTHING),
        1 => cloth.stretch_stiffness = Some(simulation.k(simulation.cloth_stiffness)),
        // C = A Psi: a full projection takes half of the strain, whatever the moduli are.
        2 => {
            cloth.fabric = Some(fabric([xx, yy], 0.5 * xy, simulation.cloth_poisson));
            cloth.model = Some(ClothModel::Orthotropic);
            cloth.stretch_stiffness = Some(simulation.k(0.5));
        }
        3 => {
            let [xx, yy, xy] = [xx, yy, xy].map(|k| f64::from(simulation.k(k)));
            cloth.fabric = Some(fabric([xx, yy], xy, 0.0));
            cloth.model = Some(ClothModel::Strain);
            cloth.stretch_stiffness = Some(xx as f32);
        }
        _ => cloth.stretch_compliance = Some(compliance(simulation.cloth_stiffness)),
    }
    if cloth.fabric.is_some() {
        cloth.warp = Some(warp(mesh, cloth.scale));
    }
}

/// 1 / k; of 0, one that resists nothing.
fn compliance(k: f64) -> f32 {
    if k > 1e-18 { (1.0 / k) as f32 } else { NOTHING }
}

/// The direction that is farthest from upright on any triangle: x if no triangle is across it, as in the library each
/// has axes of its own.
fn warp(mesh: &Mesh, scale: Scale) -> [f64; 3] {
    let normals: Vec<[f64; 3]> = mesh
        .triangles
        .iter()
        .filter_map(|t| {
            let at = |v: u32| mesh.positions.get(v as usize).map(|x| scale.apply(*x).to_array());
            let (a, b, c) = (at(t[0])?, at(t[1])?, at(t[2])?);
            let (e, f): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
            let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let length = f64::sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
            (length > 0.0).then(|| n.map(|c| c / length))
        })
        .collect();
    let upright = |d: &[f64; 3]| {
        let length = f64::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
        let along = |n: &[f64; 3]| ((n[0] * d[0] + n[1] * d[1]) + n[2] * d[2]).abs() / length;
        normals.iter().map(along).fold(0.0, |most, share| if share > most { share } else { most })
    };
    let candidates =
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.37, 0.61], [-0.43, 1.0, 0.29], [0.53, -0.71, 1.0]];
    let clear = candidates.iter().find(|d| upright(d) < 0.9);
    let least = || candidates.iter().reduce(|best, d| if upright(d) < upright(best) { d } else { best });
    clear.or_else(least).copied().unwrap_or([1.0, 0.0, 0.0])
}

fn bend(cloth: &mut ClothSpec, simulation: &Simulation) {
    let k = simulation.cloth_bending;
    if k == 0.0 {
        return;
    }
    match simulation.bending_method {
        0 => {}
        1 => (cloth.bend, cloth.bend_stiffness) = (Some(BendModel::Dihedral), Some(simulation.k(k))),
        // C = x^T Q x / 2: half, as above.
        2 => (cloth.bend, cloth.bend_stiffness) = (Some(BendModel::Isometric), Some(simulation.k(0.5 * k))),
        _ => {
            cloth.bend = Some(BendModel::Isometric);
            match &mut cloth.fabric {
                Some(fabric) => fabric.bend = Some([(3.0 * k).clamp(1e-15, 1e6) as f32; 2]),
                None => cloth.bend_compliance = Some(compliance(k)),
            }
        }
    }
}

pub(super) fn tet_models(
    root: &Item<'_>,
    simulation: &Simulation,
    files: &mut Files,
    (spec, particles, log): Out<'_>,
) -> Result<(), String> {
    let items = root.list("TetModels")?;
    let mut colliding = 0;
    let first = spec.soft_body.len();
    for item in items {
        item.known(&LOOKS);
        // What its distance field is made of: solids meet by their own surface.
        item.known(&["collisionObjectFileName"]);
        item.factors("collisionObjectScale")?;
        item.numbers("resolutionSDF")?;
        item.number("thicknessSDF")?;
        let (file, mesh) = files.solid(&item)?;
        let ModelPose { position, rotation, scale } = place(&item)?;
        let mut solid = SoftBodySpec {
            name: name("solid", &item, spec.soft_body.iter().map(|solid| solid.name.as_str()))?,
            mesh: Some(file),
            position,
            rotation,
            scale,
            pin_vertices: pins(&item, mesh.positions.len())?,
            restitution: item.within("restitution", 0.0..=1.0)?.unwrap_or(0.1) as f32,
            friction: friction(&item, 0.2)?,
            thickness: simulation.tolerance,
            vertex_mass: Some(1.0),
            poisson: simulation.solid_poisson as f32,
            ..SoftBodySpec::default()
        };
        check(&item, &mesh)?;
        if let Some(skin) = item.file("visFile")? {
            if files.exists(&skin) {
                files.mesh_of(&skin).or_else(|e| item.wrong("visFile", e))?;
                solid.skin = Some(skin);
            } else {
                let at = item.at("visFile");
                log.notes.push(format!("`{at}`: there is no file {skin}; the tetrahedra's own surface is shown"));
            }
        }
        if item.flag("invertSDF")? == Some(true) {
            log.notes.push(format!("`{}` has no effect: solids meet by their own surface", item.at("invertSDF")));
        }
        if item.flag("testMesh")? == Some(false) {
            (solid.groups, solid.mask) = (UNTESTED, TESTED);
        }
        if item.method("collisionObjectType", 7)?.unwrap_or(0) != 0 {
            solid.collide = Collide::Others;
            colliding += 1;
        }
        strain(&mut solid, simulation);
        particles.counts.push(mesh.positions.len() as u64);
        spec.soft_body.push(solid);
        item.finish(log);
    }
    let solids = &mut spec.soft_body[first..];
    let untested = solids.iter().any(|solid| solid.groups == UNTESTED);
    for solid in solids {
        // One has no other to meet, and cloths meet none in the library.
        if colliding < 2 {
            solid.collide = Collide::Nothing;
        } else if untested && solid.groups != UNTESTED {
            solid.groups |= TESTED;
        }
    }
    Ok(())
}

/// What forbids making a body of tetrahedra is about the file, so its key is named.
fn check(item: &Item<'_>, mesh: &TetMesh) -> Result<(), String> {
    match mesh.defects().errors().next() {
        Some(found) => item.wrong("eleFile", format!("{found}; `seidel check --repair` mends what can be mended")),
        None => Ok(()),
    }
}

fn strain(solid: &mut SoftBodySpec, simulation: &Simulation) {
    let k = simulation.solid_stiffness;
    match simulation.solid_method {
        0 => solid.young = Some(1e-6),
        1 => {
            solid.model = SolidModel::Springs;
            solid.stiffness = Some(simulation.k(k));
            // Above 1/4 springs have volumes beside them, which have PBD's k, too.
            solid.poisson = 0.4;
        }
        // C = V Psi: half of the strain, as of triangles.
        2 => {
            solid.model = SolidModel::Hooke;
            solid.stiffness = Some(simulation.k(0.5));
        }
        3 => {
            solid.model = SolidModel::NeoHookean;
            solid.young = Some(k.clamp(1e-6, 1e15) as f32);
        }
        4 => {
            solid.model = SolidModel::Strain;
            solid.stiffness = Some(simulation.k(k));
        }
        // A shape matched in every tetrahedron is corotated strain.
        5 => {
            solid.model = SolidModel::Hooke;
            solid.poisson = 0.0;
            solid.stiffness = Some(simulation.k(k));
        }
        _ => {
            solid.model = SolidModel::Springs;
            solid.young = Some(k.clamp(1e-6, 1e15) as f32);
        }
    }
}
