//! Errors of a state: leaning, sinking, penetration, open joints and speed, from the places of its bodies alone: the
//! same code for every engine.

use super::rapier::world;
use super::work::{Engine, Moves, Place, Work};
use serde::{Deserialize, Serialize};

/// Figures of a scene's state; millimetres and mm/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Truth {
    /// How deep bodies are in each other and in walls, all pairs that touch but a thousandth, and on average; none
    /// where nothing does.
    pub(crate) deepest: Option<f64>,
    pub(crate) depth: Option<f64>,
    /// How far the two anchors of a joint are apart, at most and on average.
    pub(crate) widest: Option<f64>,
    pub(crate) gap: Option<f64>,
    /// How far a body has gone sideways since the scene began, and how far down, at most.
    pub(crate) aside: f64,
    pub(crate) down: f64,
    /// Root of the mean square of velocities, and the greatest.
    pub(crate) speed: f64,
    pub(crate) fastest: f64,
    /// Bodies that are where no wall should let them, or are lost.
    pub(crate) lost: usize,
}

pub(super) fn measure(work: &Work, engine: &dyn Engine) -> Result<Truth, String> {
    let places = engine.places();
    let mut truth = Truth::default();
    if work.touch {
        let depths = depths(work, &places)?;
        let mut touching: Vec<f64> = depths.into_iter().filter(|depth| *depth > 0.0).collect();
        touching.sort_by(f64::total_cmp);
        // Not the deepest of all: now and then the measure itself is wrong by metres.
        truth.deepest = Some(touching.get((touching.len() * 999) / 1000).copied().unwrap_or(0.0));
        truth.depth = Some(touching.iter().sum::<f64>() / touching.len().max(1) as f64);
    }
    if !work.joints.is_empty() {
        let gaps: Vec<f64> = work
            .joints
            .iter()
            .map(|joint| {
                let [a, b] = joint.bodies.map(|body| places[body].point(work.bodies[body].place.local(joint.anchor)));
                1e3 * length(std::array::from_fn(|k| a[k] - b[k]))
            })
            .collect();
        truth.widest = Some(gaps.iter().fold(0.0, |most, gap| gap.max(most)));
        truth.gap = Some(gaps.iter().sum::<f64>() / gaps.len() as f64);
    }
    let free = || work.bodies.iter().zip(&places).filter(|(body, _)| body.moves == Moves::Freely);
    for (body, place) in free() {
        let way: [f64; 3] = std::array::from_fn(|k| 1e3 * (place.at[k] - body.place.at[k]));
        truth.aside = truth.aside.max(way[0].hypot(way[2]));
        truth.down = truth.down.max(-way[1]);
        let out =
            |&(at, normal): &([f64; 3], [f64; 3])| (0..3).map(|k| normal[k] * (place.at[k] - at[k])).sum::<f64>() < 0.0;
        truth.lost += usize::from(!place.at.iter().all(|c| c.is_finite()) || work.walls.iter().any(out));
    }
    let speeds: Vec<f64> = engine.velocities().into_iter().map(|v| 1e3 * length(v)).collect();
    let count = free().count().max(1) as f64;
    let moving = || work.bodies.iter().zip(&speeds).filter(|(body, _)| body.moves == Moves::Freely).map(|(_, v)| *v);
    truth.speed = (moving().map(|v| v * v).sum::<f64>() / count).sqrt();
    truth.fastest = moving().fold(0.0, f64::max);
    Ok(truth)
}

/// How deep each pair that may touch is, millimetres; negative where it is apart.
fn depths(work: &Work, places: &[Place]) -> Result<Vec<f64>, String> {
    let (mut world, _) = world(work, places, true)?;
    world.detect_collisions(&(), &());
    let mut depths = Vec::new();
    for pair in world.contact_pairs() {
        if let rapier3d::prelude::PairContacts::Rigid(contacts) = &pair.contacts {
            let points = contacts.manifolds.iter().flat_map(|manifold| &manifold.points);
            let least = points.map(|point| f64::from(point.dist)).fold(f64::INFINITY, f64::min);
            depths.push(-1e3 * least);
        }
    }
    depths.retain(|depth| depth.is_finite());
    Ok(depths)
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}
