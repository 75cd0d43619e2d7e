//! `Simulation`: steps, methods and stiffnesses.

use super::item::Item;
use super::log::Log;
use seidel::{CombineRule, Substeps, VelocityUpdate};
use seidel_scenes::SceneSpec;

/// Seconds that a scene lasts unless `pauseAt` says it; the library's go on until they are closed.
const LASTS: f64 = 5.0;

/// What `Simulation` says, with the library's own defaults.
#[derive(Clone, Debug)]
pub(super) struct Simulation {
    dt: f64,
    substeps: u64,
    pub(super) iterations: u64,
    second_order: bool,
    gravity: [f64; 3],
    frames: u32,
    pub(super) tolerance: f32,
    pub(super) cloth_method: u64,
    pub(super) bending_method: u64,
    pub(super) solid_method: u64,
    pub(super) cloth_stiffness: f64,
    pub(super) cloth_moduli: [f64; 3],
    pub(super) cloth_poisson: f64,
    pub(super) cloth_bending: f64,
    pub(super) solid_stiffness: f64,
    pub(super) solid_poisson: f64,
}

/// Keys of pictures, of files that the library writes, and of its window.
const PICTURES: [&str; 20] = [
    "pause",
    "numberOfStepsPerRenderUpdate",
    "renderTets",
    "renderTets0",
    "renderContacts",
    "renderAABB",
    "renderSDF",
    "renderBVH",
    "renderBVHDepthTets",
    "renderTriangleModels",
    "renderTetModels",
    "renderRigidBodies",
    "exportOBJ",
    "exportPLY",
    "exportFPS",
    "MayaExport",
    "MayaFPS",
    "comment",
    "cameraPosition",
    "cameraLookat",
];

/// Keys that had another name before: the newer one, and the older.
const RENAMED: [[&str; 2]; 5] = [
    ["maxIterations", "maxIter"],
    ["maxIterationsV", "maxIterVel"],
    ["clothSimulationMethod", "triangleModelSimulationMethod"],
    ["clothBendingMethod", "triangleModelBendingMethod"],
    ["solidSimulationMethod", "tetModelSimulationMethod"],
];

/// Keys whose number has no counterpart: the step of this engine is another.
const OTHERWISE: [(&str, &str); 8] = [
    ("contactStiffnessRigidBody", "contacts of rigid bodies are not penalties"),
    ("contactStiffnessParticleRigidBody", "contacts of particles and rigid bodies are not penalties"),
    ("solid_volumeStiffness", "volumes are as stiff as `solid_stiffness` says"),
    ("rod_stretchingStiffness", "rods are joints of rigid bodies"),
    ("rod_shearingStiffnessX", "rods are joints of rigid bodies"),
    ("rod_shearingStiffnessY", "rods are joints of rigid bodies"),
    ("rod_bendingStiffnessX", "rods are joints of rigid bodies"),
    ("rod_bendingStiffnessY", "rods are joints of rigid bodies"),
];

impl Simulation {
    pub(super) fn read(root: &Item<'_>, log: &mut Log) -> Result<Simulation, String> {
        let empty = serde_json::Value::Object(serde_json::Map::new());
        let item = match root.table("Simulation")? {
            Some(item) => item,
            None => Item::root(&empty)?,
        };
        item.known(&PICTURES);
        item.known(&["maxIterationsV", "maxIterVel", "rod_twistingStiffness"]);
        for [newer, older] in RENAMED {
            if item.has(older) {
                let what = match item.has(newer) {
                    true => format!("`Simulation.{older}` has no effect: `{newer}` is there, its newer name"),
                    // Velocities are not solved in iterations of their own.
                    false if newer == "maxIterationsV" => {
                        format!("`Simulation.{older}` is `{newer}`, its newer name, which has no effect")
                    }
                    false => format!("`Simulation.{older}` is taken as `{newer}`, its newer name"),
                };
                log.notes.push(what);
            }
        }
        // Strains are normalised, whatever these say.
        for key in ["cloth_normalizeStretch", "cloth_normalizeShear", "solid_normalizeStretch", "solid_normalizeShear"]
        {
            item.flag(key)?;
        }
        for (key, why) in OTHERWISE {
            if item.number_or_flag(key)? {
                log.notes.push(format!("`Simulation.{key}` has no effect: {why}"));
            }
        }
        let dt = item.number("timeStepSize")?.unwrap_or(0.005);
        if !(1e-6..=1e3).contains(&dt) {
            return item.wrong("timeStepSize", format!("is {dt} s, which is not within 1e-6 .. 1e3"));
        }
        let count = |keys: [&'static str; 2], usual: u64| -> Result<u64, String> {
            for key in keys {
                // Both names are known, and the first that is there counts.
                if let Some(count) = item.whole(key)? {
                    item.known(&keys);
                    if !(1..=100_000).contains(&count) {
                        return item.wrong(key, format!("is {count}, which is not within 1 .. 100000"));
                    }
                    return Ok(count);
                }
            }
            Ok(usual)
        };
        let substeps = count(["subSteps", "subSteps"], 5)?;
        let iterations = count(["maxIterations", "maxIter"], 1)?;
        if substeps * iterations > 100_000 {
            let what = format!("times maxIterations is {}, which is more than 100000", substeps * iterations);
            return item.wrong("subSteps", what);
        }
        let method = |keys: &[&'static str], most: u64| -> Result<u64, String> {
            item.known(keys);
            for key in keys {
                if let Some(method) = item.method(key, most)? {
                    return Ok(method);
                }
            }
            Ok(2)
        };
        let pause = item.number("pauseAt")?.filter(|pause| *pause > 0.0).unwrap_or(LASTS);
        let frames = (pause / dt).round().clamp(1.0, 1e6) as u32;
        let [down, old] = [item.place("gravitation")?, item.place("gravity")?];
        let factor = |key: &'static str, usual: f64| -> Result<f64, String> {
            Ok(item.within(key, 0.0..=1e12)?.unwrap_or(usual))
        };
        let (xy, yx) = (item.number("cloth_xyPoissonRatio")?, item.number("cloth_yxPoissonRatio")?);
        let cloth_moduli =
            [factor("cloth_xxStiffness", 1.0)?, factor("cloth_yyStiffness", 1.0)?, factor("cloth_xyStiffness", 1.0)?];
        let cloth_poisson = xy.unwrap_or(0.3);
        let cloth_method = method(&["clothSimulationMethod", "triangleModelSimulationMethod"], 4)?;
        if cloth_method == 2 {
            let [warp, weft] = [cloth_moduli[0].max(LEAST), cloth_moduli[1].max(LEAST)];
            let follows = cloth_poisson * weft / warp;
            if !(cloth_poisson.abs() < 1.0 && cloth_poisson * follows < 1.0) {
                let what = format!("is {cloth_poisson}, whose product with the other ratio, {follows}, is not below 1");
                return item.wrong("cloth_xyPoissonRatio", what);
            }
            if yx.is_some_and(|yx| (yx - follows).abs() > 1e-6) {
                let key = "Simulation.cloth_yxPoissonRatio";
                log.notes.push(format!("`{key}` has no effect: it follows from the other ratio and both moduli"));
            }
        }
        let solid_poisson = item.number("solid_poissonRatio")?.unwrap_or(0.3);
        if !(solid_poisson > -0.9999 && solid_poisson < 0.49995) {
            let what = format!("is {solid_poisson}, which is not above -0.9999 and below 0.49995");
            return item.wrong("solid_poissonRatio", what);
        }
        let simulation = Simulation {
            dt,
            substeps,
            iterations,
            second_order: item.method("velocityUpdateMethod", 1)? == Some(1),
            gravity: down.or(old).unwrap_or([0.0, -9.81, 0.0]),
            frames,
            tolerance: item.within("contactTolerance", 0.0..=1e6)?.unwrap_or(0.01) as f32,
            cloth_method,
            bending_method: method(&["clothBendingMethod", "triangleModelBendingMethod"], 3)?,
            solid_method: method(&["solidSimulationMethod", "tetModelSimulationMethod"], 6)?,
            cloth_stiffness: factor("cloth_stiffness", 1.0)?,
            cloth_moduli,
            cloth_poisson,
            cloth_bending: factor("cloth_bendingStiffness", 0.01)?,
            solid_stiffness: factor("solid_stiffness", 1.0)?,
            solid_poisson,
        };
        // PBD's k is a part; other methods take the same keys as moduli.
        let parts: [(&str, f64, bool); 6] = [
            ("cloth_stiffness", simulation.cloth_stiffness, cloth_method == 1),
            ("cloth_xxStiffness", cloth_moduli[0], cloth_method == 3),
            ("cloth_yyStiffness", cloth_moduli[1], cloth_method == 3),
            ("cloth_xyStiffness", cloth_moduli[2], cloth_method == 3),
            ("cloth_bendingStiffness", simulation.cloth_bending, matches!(simulation.bending_method, 1 | 2)),
            ("solid_stiffness", simulation.solid_stiffness, matches!(simulation.solid_method, 1 | 4 | 5)),
        ];
        if let Some((key, k, _)) = parts.into_iter().find(|(_, k, counts)| *counts && *k > 1.0) {
            return item.wrong(key, format!("is {k}, and as PBD's stiffness it is within 0 .. 1"));
        }
        item.finish(log);
        Ok(simulation)
    }

    /// What of it is the scene's own.
    pub(super) fn write(&self, spec: &mut SceneSpec) {
        spec.fps = 1.0 / self.dt;
        spec.frames = self.frames;
        spec.gravity = self.gravity.map(|c| c as f32);
        spec.solver.substeps = Substeps::Fixed(self.substeps as u32);
        spec.solver.iterations = self.iterations as u32;
        if self.second_order {
            spec.solver.velocity_update = VelocityUpdate::SecondOrder;
        }
        // The library adds the coefficients of both sides; the mean of twice each is that.
        spec.solver.friction_rule = CombineRule::Average;
    }

    /// PBD's k as this engine counts it, for all iterations of a substep together; the library takes its own in each.
    pub(super) fn k(&self, stiffness: f64) -> f32 {
        let mut left = 1.0;
        for _ in 0..self.iterations {
            left *= 1.0 - stiffness;
            if left == 0.0 {
                break;
            }
        }
        (1.0 - left) as f32
    }
}

/// Of a modulus: 0 is not allowed to a fabric.
pub(super) const LEAST: f64 = 1e-6;

impl Item<'_> {
    /// Whether a key without effect is there, as number or flag.
    fn number_or_flag(&self, key: &'static str) -> Result<bool, String> {
        if self.has(key) && self.flag(key).is_err() {
            self.number(key)?;
        }
        self.known(&[key]);
        Ok(self.has(key))
    }
}
