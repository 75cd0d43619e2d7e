//! Rods as trees of rigid segments (Deul, Kugelstadt, Weiler, Bender 2018, "Direct Position-Based Solver for Stiff
//! Rods"): each two segments are held together in a point, and resist bending by E I / l and twist by G J / l, l
//! between their middles. Sections are round, as wide as the segments' meshes: I = pi r^4 / 4, J = 2 I.

use super::item::Item;
use super::joints;
use super::log::Log;
use super::rigid::{Bodies, BodyMotion};
use seidel::Substeps;
use seidel_scenes::{RigidJointKindSpec, RigidJointSpec, SceneSpec};
use std::collections::{BTreeMap, BTreeSet};

/// Of k h^2 (1/I_a + 1/I_b): what springs of bending, and of twist, may have without breaking away in a long rod; found
/// by trying.
const CARRIED: [f64; 2] = [0.06, 1.8];

/// Substeps that rods are given at most; what is stiffer is made as soft as these carry.
const MOST_SUBSTEPS: u32 = 400;

/// Ids of segments that trees clamp.
pub(super) fn clamped(root: &Item<'_>) -> Result<BTreeSet<u64>, String> {
    let mut ids = BTreeSet::new();
    for tree in root.list("TreeModels")? {
        ids.extend(tree.wholes("staticSegments")?);
    }
    Ok(ids)
}

/// Young's modulus and the modulus of twist, Pa.
type Moduli = [f64; 2];

fn moduli(item: &Item<'_>) -> Result<[Option<f64>; 2], String> {
    Ok([item.within("youngsModulus", 0.0..=1e18)?, item.within("torsionModulus", 0.0..=1e18)?])
}

pub(super) fn rods(root: &Item<'_>, bodies: &Bodies, (spec, log): (&mut SceneSpec, &mut Log)) -> Result<(), String> {
    let items = root.list("CosseratJoints")?;
    let mut ids = BTreeSet::new();
    for item in &items {
        ids.extend(item.whole("id")?);
    }
    let mut of_trees: BTreeMap<u64, Moduli> = BTreeMap::new();
    for tree in root.list("TreeModels")? {
        tree.known(&["comment", "id", "solverType"]);
        // Segments stand where they are in the world.
        tree.known(&["translation", "rotationAxis", "rotationAngle"]);
        let own = moduli(&tree)?.map(Option::unwrap_or_default);
        for joint in numbered(&tree, "jIds", |id| ids.contains(&id), "CosseratJoints has this id")? {
            of_trees.insert(joint, own);
        }
        for key in ["rbIds", "staticSegments"] {
            numbered(&tree, key, |id| bodies.get(id).is_some(), "rigid body has this id")?;
        }
        tree.finish(log);
    }
    let first = spec.joint.len();
    let (mut soft, mut quickest) = (0, 0.0f64);
    for item in items {
        item.known(&["comment"]);
        let [a, b] = joints::ends(&item, bodies)?;
        let position = item.required("position", item.place("position")?)?.map(|c| c as f32);
        let tree = item.whole("id")?.and_then(|id| of_trees.get(&id)).copied().unwrap_or_default();
        let own = moduli(&item)?;
        let [young, shear] = [own[0].unwrap_or(tree[0]), own[1].unwrap_or(tree[1])];
        let share = item.vector("stiffnessModifier")?.unwrap_or([1.0; 3]);
        if let Some(c) = share.iter().find(|c| !(0.0..=1e9).contains(*c)) {
            return item.wrong("stiffnessModifier", format!("has {c}, which is not within 0 .. 1e9"));
        }
        let way: [f64; 3] = std::array::from_fn(|k| b.position[k] - a.position[k]);
        let length = f64::sqrt((way[0] * way[0] + way[1] * way[1]) + way[2] * way[2]);
        if length < 1e-9 {
            return item.wrong("bodyID2", "names a segment in the same place as that of bodyID1: a rod has a length");
        }
        let r = 0.5 * (radius(a) + radius(b));
        let moment = 0.25 * std::f64::consts::PI * (r * r) * (r * r);
        // Segments lie along y, so the second number is of twist.
        let bend = young * moment / length * (0.5 * (share[0] + share[2]));
        let twist = 2.0 * shear * moment / length * share[1];
        soft += u32::from(bend == 0.0);
        for (k, stiffness) in [bend, twist].into_iter().enumerate() {
            let squared = stiffness * (a.inv_inertia(k) + b.inv_inertia(k)) / CARRIED[k];
            quickest = if squared > quickest { squared } else { quickest };
        }
        let stiff = |k: f64| Some(k.clamp(0.0, 1e18) as f32);
        spec.joint.push(RigidJointSpec {
            kind: RigidJointKindSpec::Rod,
            a: a.name.clone(),
            b: b.name.clone(),
            position,
            axis: Some(way),
            stiffness: stiff(bend),
            twist: stiff(twist),
            ..RigidJointSpec::default()
        });
        item.finish(log);
    }
    carry(spec, first, f64::sqrt(quickest), log);
    if soft > 0 {
        log.notes.push(format!("{soft} of `CosseratJoints` resist no bending: no tree says their Young's modulus"));
    }
    Ok(())
}

/// Ids in a list, each of which has to be known.
fn numbered(item: &Item<'_>, key: &'static str, known: impl Fn(u64) -> bool, what: &str) -> Result<Vec<u64>, String> {
    let ids = item.wholes(key)?;
    match ids.iter().position(|id| !known(*id)) {
        Some(i) => item.wrong(key, format!("number {i} is {}, and no {what}", ids[i])),
        None => Ok(ids),
    }
}

/// Gives the scene the substeps that its rods need, 1/s; or makes the rods softer, if these would be too many.
fn carry(spec: &mut SceneSpec, first: usize, needed: f64, log: &mut Log) {
    let Substeps::Fixed(given) = spec.solver.substeps else { return };
    let wanted = libm::ceil(needed / spec.fps);
    if wanted <= f64::from(given) {
        return;
    }
    let substeps = if wanted < f64::from(MOST_SUBSTEPS) { wanted as u32 } else { MOST_SUBSTEPS.max(given) };
    spec.solver.substeps = Substeps::Fixed(substeps);
    log.notes.push(format!("`CosseratJoints`: {substeps} substeps, not {given}, carry rods as stiff as these"));
    let share = f64::from(substeps) / wanted;
    if share < 1.0 {
        let by = share * share;
        for joint in &mut spec.joint[first..] {
            for k in [&mut joint.stiffness, &mut joint.twist] {
                *k = k.map(|k| (f64::from(k) * by) as f32);
            }
        }
        log.notes.push(format!("`CosseratJoints` have {by:.1e} of their stiffness: so much these substeps carry"));
    }
}

impl BodyMotion {
    /// 1 / (kg m^2) of a round segment, across it and about its axis; 0 of one that does not move.
    fn inv_inertia(&self, about: usize) -> f64 {
        let [x, y, z] = self.sides.map(f64::from);
        let (r, length) = (
            radius(self),
            if x >= y && x >= z {
                x
            } else if y >= z {
                y
            } else {
                z
            },
        );
        let mass = self.density * std::f64::consts::PI * r * r * length;
        let inertia = if about == 0 { mass * (3.0 * r * r + length * length) / 12.0 } else { 0.5 * mass * r * r };
        if self.dynamic && inertia > 0.0 { 1.0 / inertia } else { 0.0 }
    }
}

/// Of the section: half the mean of the two shorter sides.
fn radius(segment: &BodyMotion) -> f64 {
    let [x, y, z] = segment.sides.map(f64::from);
    let longest = if x >= y && x >= z {
        x
    } else if y >= z {
        y
    } else {
        z
    };
    0.25 * (x + y + z - longest)
}
