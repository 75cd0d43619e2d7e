//! A plan with another zero of coordinates: the same world, seen from elsewhere.
//!
//! A scene's description stays relative to [`Scene::origin`](crate::Scene::origin). A moved plan is the described one
//! with all that has a place in the world shifted, in f64: so rest shapes, masses, rows and their order are the same
//! bits, and only roundings of places differ. Colliders and emitters, paths of pins and cuts are kept in f64; vertices
//! as position and remainder, as in a state. Kept in f32, so rounded once where they are: drains, and the anchors of
//! rigid joints in the world.

use super::Plan;
use super::body::BodyPlan;
use super::check::check_origin;
use super::tearing::Tearable;
use crate::describe::error::{Error, range};
use crate::describe::pose::Pose;
use crate::tuning::MAX_COORDINATE;
use seidel_kernels::{Row, Rows};
use seidel_rigid::joint::WORLD;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Moves a pose.
pub(crate) fn moved(pose: &mut Pose, by: [f64; 3]) {
    pose.position = std::array::from_fn(|k| pose.position[k] + by[k]);
}

/// A position and what rounding left of it, moved.
fn moved_row([x, r]: [Row; 2], by: [f64; 3]) -> [Row; 2] {
    let at: [f64; 3] = std::array::from_fn(|k| (f64::from(x[k]) + f64::from(r[k])) + by[k]);
    let near = at.map(|c| c as f32);
    let rest: [f32; 3] = std::array::from_fn(|k| (at[k] - f64::from(near[k])) as f32);
    [[near[0], near[1], near[2], x[3]], [rest[0], rest[1], rest[2], r[3]]]
}

impl BodyPlan {
    /// Moves its rows of positions and of what rounding left of them; frames have none.
    pub(crate) fn moved(&self, [x, r]: [&mut Rows; 2], by: [f64; 3]) {
        let is_frame = |row: usize| self.frames.runs.iter().any(|run| run.contains(&(row - self.start)));
        for row in (self.start..self.start + self.rows).filter(|&row| !is_frame(row)) {
            let [x_row, r_row] = moved_row([self.layout.read(x, row), self.layout.read(r, row)], by);
            self.layout.write(x, row, x_row);
            self.layout.write(r, row, r_row);
        }
    }
}

impl Plan {
    /// The same plan with the zero of its coordinates at another place of the world, metres: states of it have small
    /// numbers near that. What the scene describes stays where it is in the world. [`crate::Solver::move_origin`] goes
    /// on in it.
    ///
    /// # Errors
    /// If that is more than 1e6 m from where the scene was described, or not within +-1e12 m.
    pub fn with_origin(&self, to: [f64; 3]) -> Result<Plan, Error> {
        check_origin(to)?;
        let from = self.described().origin;
        let plan = self.shifted(std::array::from_fn(|k| from[k] - to[k]))?;
        Ok(Plan { origin: to, ..plan })
    }

    /// The plan as the scene describes it.
    pub(crate) fn described(&self) -> &Plan {
        self.home.as_deref().unwrap_or(self)
    }

    /// Its id, if it had another shift.
    pub(crate) fn id_with(&self, shift: [f64; 3]) -> u64 {
        let id = self.described().id;
        if shift == [0.0; 3] {
            return id;
        }
        let mut hash = Xxh3::new();
        hash.update(&id.to_le_bytes());
        shift.iter().for_each(|c| hash.update(&c.to_le_bytes()));
        hash.digest()
    }

    /// The same plan whose coordinates are the described ones and `shift`, metres.
    pub(crate) fn shifted(&self, shift: [f64; 3]) -> Result<Plan, Error> {
        for (axis, by) in ["x", "y", "z"].into_iter().zip(shift) {
            let limit = "within +-1e6 m: describe a scene there with that origin";
            let what = || format!("distance of the origin from the scene's along {axis}");
            range(|| "origin".to_owned(), what, by, by.abs() <= f64::from(MAX_COORDINATE), limit)?;
        }
        Ok(match shift {
            [0.0, 0.0, 0.0] => self.described().clone(),
            _ => self.described().moved_by(shift),
        })
    }

    /// The same plan with the shift of another, if that is another.
    pub(crate) fn beside(&self, other: &Plan) -> Result<Option<Plan>, Error> {
        if self.shift == other.shift {
            return Ok(None);
        }
        let plan = self.shifted(other.shift)?;
        let is_same = self.described().origin == other.described().origin;
        Ok(Some(if is_same { Plan { origin: other.origin, ..plan } } else { plan }))
    }

    fn moved_by(&self, by: [f64; 3]) -> Plan {
        let mut plan = self.clone();
        plan.home = Some(Arc::new(self.clone()));
        plan.base = self.base.as_ref().map(|base| Arc::new(base.moved_by(by)));
        plan.shift = by;
        plan.origin = std::array::from_fn(|k| self.origin[k] - by[k]);
        plan.id = self.id_with(by);
        plan.stamp = plan.tears.stamp(plan.id);
        if plan.r.is_empty() {
            plan.r = Rows::zeros(plan.x.len(), 8);
        }
        for body in &plan.bodies {
            body.moved([&mut plan.x, &mut plan.r], by);
        }
        plan.colliders.iter_mut().for_each(|collider| moved(&mut collider.pose, by));
        plan.moving_pins.iter_mut().for_each(|pins| pins.moved(by));
        plan.obstacles.each.iter_mut().for_each(|obstacle| obstacle.shift = by);
        if let Some(rigid) = &mut plan.rigid {
            for body in &mut rigid.bodies {
                moved(&mut body.pose, by);
                body.path.iter_mut().for_each(|path| moved(&mut path.start, by));
            }
            for joint in rigid.joints.iter_mut().map(|planned| &mut planned.joint) {
                for (frame, _) in joint.frames.iter_mut().zip(joint.bodies).filter(|(_, body)| *body == WORLD) {
                    frame.anchor = std::array::from_fn(|k| (f64::from(frame.anchor[k]) + by[k]) as f32);
                }
            }
        }
        let of_fluids = plan.fluids.iter_mut().flat_map(|fluids| &mut fluids.bodies).map(|of| &mut of.sources);
        let of_grains = plan.grains.iter_mut().flat_map(|grains| &mut grains.bodies).map(|of| &mut of.sources);
        for sources in of_fluids.chain(of_grains) {
            sources.emitters.iter_mut().for_each(|emitter| moved(&mut emitter.pose, by));
            sources.drains.iter_mut().for_each(|drain| *drain = drain.moved(by));
        }
        plan.tearing = self.tearing.as_ref().map(|tearing| {
            let mut bodies = tearing.bodies.clone();
            let cuts = bodies.iter_mut().flat_map(|body| &mut body.cuts);
            cuts.for_each(|(_, cut)| *cut = cut.moved(by));
            Arc::new(Tearable { scene: tearing.scene.clone(), kept: tearing.kept.clone(), bodies, ..**tearing })
        });
        plan
    }
}
