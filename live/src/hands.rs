//! What a user does by hand: vertices that are drawn, colliders that are moved, wind that is blown, cloths that are
//! cut.

use crate::message::{Blade, Held, Hold, PullOf};
use seidel::{BodyId, Cut, Input, Plan, Pose, State};

/// Sag of a body that hangs from a hand, metres: what the hand's compliance makes of the body's weight.
const SAG: f64 = 0.01;
/// The weight that a hand is made for, if a body has none, newtons.
const LEAST_WEIGHT: f64 = 0.01;

/// The farthest that hands reach, and the fastest wind, metres and m/s: what inputs and scenes may have.
const FAR: f32 = 1e6;

/// Checks that what hands hold is there, and where they take it: a step would be refused, again and again.
pub(crate) fn check(hold: &Hold, plan: &Plan) -> Result<(), String> {
    let near = |what: &str, point: &[f32; 3]| match point.iter().find(|c| c.is_nan() || c.abs() > FAR) {
        Some(c) => Err(format!("{what} is {c}, which is not within +-{FAR:e}")),
        None => Ok(()),
    };
    hold.wind.iter().try_for_each(|wind| near("wind", wind))?;
    hold.colliders.iter().try_for_each(|held| near("position of a held collider", &held.position))?;
    for PullOf { body, vertex, target } in &hold.pulls {
        near("target of a pull", target)?;
        let vertices = plan.body_ids().nth(*body).map(|id| drawn(plan, id)).ok_or("there is no such body")?;
        if *vertex as usize >= vertices {
            return Err(format!("body {body} has no vertex {vertex}: there are {vertices}"));
        }
    }
    if !hold.cuts.is_empty() {
        let Some(id) = plan.body_ids().find(|id| plan.tears(*id)) else {
            return Err("nothing here can be cut: give a cloth or a soft body `tear = {}`".to_owned());
        };
        hold.cuts.iter().try_for_each(|blade| plan.check_cut(id, &blade.cut()).map_err(|e| e.to_string()))?;
    }
    match hold.colliders.iter().find(|held| held.collider >= plan.colliders().len()) {
        Some(held) => Err(format!("there is no collider {}: there are {}", held.collider, plan.colliders().len())),
        None => Ok(()),
    }
}

/// The input of a step.
pub(crate) fn input(mut input: Input, hold: &Hold, plan: &Plan, state: &State) -> Input {
    if let Some(wind) = hold.wind {
        input = input.wind(wind);
    }
    for PullOf { body, vertex, target } in &hold.pulls {
        if let Some(id) = plan.body_ids().nth(*body) {
            let masses = plan.inv_masses(id).into_iter().filter(|&w| w > 0.0).map(|w| 1.0 / f64::from(w));
            let weight = (9.81 * masses.sum::<f64>()).max(LEAST_WEIGHT);
            input = input.pull(id, vertex_of(plan, id, *vertex), *target, (SAG / weight) as f32);
        }
    }
    for Held { collider, position } in &hold.colliders {
        if let Some(id) = plan.collider_ids().nth(*collider) {
            input = input.pose(id, Pose::new(position.map(f64::from), state.pose(id).rotation()));
        }
    }
    for id in plan.body_ids().filter(|id| !hold.cuts.is_empty() && plan.tears(*id)) {
        input = hold.cuts.iter().fold(input, |input, blade| input.cut(id, blade.cut()));
    }
    input
}

impl Blade {
    fn cut(&self) -> Cut {
        Cut::blade(self.from, self.to)
    }
}

/// How many vertices are drawn of a body: of one that tears each triangle has its own.
pub(crate) fn drawn(plan: &Plan, body: BodyId) -> usize {
    match plan.tears(body) {
        true if plan.tets(body).is_empty() => 3 * plan.triangles(body).len(),
        true => 3 * 4 * plan.tets(body).len(),
        false => plan.vertices(body),
    }
}

/// The vertex of a body that is drawn as one of these.
pub(crate) fn vertex_of(plan: &Plan, body: BodyId, drawn: u32) -> u32 {
    match plan.tears(body) {
        true => plan.lasting_triangle(body, drawn as usize / 3)[drawn as usize % 3],
        false => drawn,
    }
}

/// The vertices as which those of a body that tears are drawn.
pub(crate) fn drawn_corners(plan: &Plan, body: BodyId) -> Vec<u32> {
    plan.lasting_triangles(body).into_iter().flat_map(|(corners, _)| corners).collect()
}

/// The vertex of a body that is nearest to a point.
pub(crate) fn nearest(positions: &[glam::Vec3], point: [f32; 3]) -> u32 {
    let distance = |v: &usize| positions[*v].distance_squared(point.into());
    (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0) as u32
}
