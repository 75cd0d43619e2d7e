//! Rigid bodies that may press through sheets that lie on each other.

use super::carried::{Carrier, Loose, along, axes, both, by_particles, held_by_joints, pinned, place, reach, weight};
use crate::describe::body::Body;
use crate::describe::rigid::RigidKind;
use crate::describe::scene::Scene;
use crate::geometry::vector::{P, dot};
use crate::plan::joint::JointRows;
use crate::plan::rigid::Rigid;
use std::sync::Arc;

/// Of the height of a rigid body: what is so near to its lowest point stands on the ground with it.
const FOOT: f64 = 0.02;
/// Of a sheet's thickness: how far a substep may press it into what lies on it.
const PRESSED: f64 = 1.0 / 64.0;
/// Metres: of a sheet without a thickness.
const LEAST_THICKNESS: f64 = 1e-4;

/// A rigid body that may press through a sheet that is not pinned to what this lies on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pressed {
    /// Numbers of the sheet and of the rigid body.
    pub(crate) body: usize,
    pub(crate) rigid: usize,
    /// How many times it is as heavy as the sheet under it.
    pub(crate) ratio: f64,
    /// The longest substep that holds it, squared, s^2.
    pub(crate) longest: f64,
}

/// The rigid body that is most likely to press through a sheet, if one is above a sheet that lies on something else
/// that is deformable, or on a rigid body that moves. A ground that gives way to nothing is known to contacts
/// (`seidel_kernels::contact::coupling`). A sheet between a body of mass M and others that hold it, of which a mass m
/// is under the body, is pressed into the body by M / m g h^2 in each substep. Boxes of 100 to 1,000 times that mass,
/// on carpets of 11 x 11 to 41 x 41 vertices, went through where that was a twelfth of the thickness and more (from an
/// eighth on it counts as begun inside), and lay on them where it was 1/29 and less; those that fell by 5 mm and were
/// 2,000 times as heavy where it was 1/64.
pub(super) fn pressed(scene: &Scene, bodies: &[Arc<Body>], rigid: &Rigid, joints: &[JointRows]) -> Option<Pressed> {
    let gravity = scene.settings.gravity.to_array().map(f64::from);
    let size = dot(gravity, gravity).sqrt();
    if size == 0.0 || scene.colliders.is_empty() && rigid.bodies.iter().all(|body| body.kind == RigidKind::Dynamic) {
        return None;
    }
    let axes = axes(gravity.map(|c| -c / size));
    let pinned = pinned(bodies, joints);
    let is_sheet = |number: usize, body: &Body| {
        let held = pinned[number] || scene.particle_joints.iter().any(|joint| joint.body.index() == number);
        !held
            && !body.triangles.is_empty()
            && body.tets.is_empty()
            && body.volumes.is_empty()
            && body.obstacle.is_none()
    };
    let sheets = bodies.iter().enumerate().filter(|(number, body)| is_sheet(*number, body));
    let sheets: Vec<Carrier> = sheets.map(|(number, body)| Carrier::of(number, body, &axes)).collect();
    if sheets.is_empty() {
        return None;
    }
    let solids = bodies.iter().enumerate().filter(|(_, body)| body.fluid.is_none());
    let others: Vec<Carrier> = solids.map(|(number, body)| Carrier::of(number, body, &axes)).collect();
    let meet = |a: &Carrier, b: &Carrier| {
        a.body != b.body && a.filter.meets(b.filter) && a.collide.is_exact() && b.collide.is_exact()
    };
    let (joined_to, mut hangs) = held_by_joints(rigid);
    let by_particles = by_particles(scene, rigid).map(|joint| joint.rigid.index()).collect();
    reach(by_particles, &joined_to, &mut hangs);
    let dynamic = rigid.bodies.iter().enumerate().filter(|(_, body)| body.kind == RigidKind::Dynamic && !body.sensor);
    let movable: Vec<[P; 2]> = dynamic.filter_map(|(number, _)| rigid.boxes(number, &axes).reduce(both)).collect();
    let mut worst: Option<Pressed> = None;
    for (number, body) in rigid.bodies.iter().enumerate().filter(|(number, body)| !hangs[*number] && !body.sensor) {
        let weight = weight(body, size);
        let Some([low, high]) = rigid.boxes(number, &axes).reduce(both).filter(|_| weight > 0.0) else { continue };
        // It stands on what reaches lowest.
        let level = low[2] + FOOT * (high[2] - low[2]);
        let feet: Vec<[P; 2]> = rigid.boxes(number, &axes).filter(|[low, _]| low[2] <= level).collect();
        let area = |[low, high]: &[P; 2]| (high[0] - low[0]) * (high[1] - low[1]);
        let all: f64 = feet.iter().map(area).sum();
        for foot in &feet {
            let loose = Loose::rigid(*foot, weight * area(foot) / all, body.filter);
            let under: Vec<_> = sheets.iter().map(|sheet| (sheet, loose.on(sheet))).collect();
            let lies_on_others =
                |sheet: &Carrier| others.iter().any(|other| meet(sheet, other) && !loose.on(other).is_empty());
            let gives_way = |(sheet, of_sheet): &(&Carrier, Vec<u32>)| {
                let height = |&vertex: &u32| along(&axes, place(&bodies[sheet.body], vertex))[2];
                let lowest = of_sheet.iter().map(height).fold(f64::INFINITY, f64::min);
                let beside = |a: &[P; 2], k: usize| a[1][k] < foot[0][k] || a[0][k] > foot[1][k];
                let is_under = |body: &&[P; 2]| body[1][2] <= lowest && !beside(body, 0) && !beside(body, 1);
                !of_sheet.is_empty() && lies_on_others(sheet) || movable.iter().any(|body| is_under(&body))
            };
            for (sheet, under) in under.iter().filter(|of| gives_way(of)) {
                let of = &bodies[sheet.body];
                let mass: f64 = under.iter().map(|&vertex| 1.0 / f64::from(of.inv_mass[vertex as usize])).sum();
                let thickness =
                    under.iter().map(|&v| f64::from(of.thickness.get(v as usize))).fold(LEAST_THICKNESS, f64::max);
                let longest = PRESSED * thickness * mass / loose.weight;
                if mass > 0.0 && longest.is_finite() && worst.is_none_or(|worst| longest < worst.longest) {
                    let ratio = loose.weight / (size * mass);
                    worst = Some(Pressed { body: sheet.body, rigid: number, ratio, longest });
                }
            }
        }
    }
    worst
}
