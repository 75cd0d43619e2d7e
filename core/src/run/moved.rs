//! A state goes on with another zero of coordinates, where it is in the world.

use crate::describe::error::{Error, range};
use crate::plan::Plan;
use crate::plan::moved::moved;
use crate::run::state::State;
use crate::tuning::{MAX_COORDINATE, MAX_ORIGIN};

impl State {
    /// This state of a plan as one of the same plan with another shift ([`Plan::with_origin`]). Its origin is then
    /// there, metres.
    ///
    /// # Errors
    /// If a vertex or a body would be more than 1e6 m from the zero.
    pub(crate) fn moved_into(&self, plan: &Plan, origin: [f64; 3]) -> Result<State, Error> {
        let mut state = self.clone();
        state.put_into(plan);
        state.origin = origin;
        state.check_places(plan)?;
        Ok(state)
    }

    /// Makes it one of a plan that differs in its shift alone.
    pub(crate) fn put_into(&mut self, plan: &Plan) {
        let by: [f64; 3] = std::array::from_fn(|k| plan.shift[k] - self.shift[k]);
        (self.plan, self.shift) = (plan.id, plan.shift);
        if by == [0.0; 3] {
            return;
        }
        self.origin = std::array::from_fn(|k| self.origin[k] - by[k]);
        for body in &plan.bodies {
            body.moved([&mut self.x, &mut self.r], by);
        }
        self.poses.iter_mut().for_each(|pose| moved(pose, by));
        for motion in &mut self.rigid.motions {
            motion.position = std::array::from_fn(|k| motion.position[k] + by[k]);
        }
        // A body that rests on a path does so to the bit, and wakes nobody.
        let bodies = plan.rigid.iter().flat_map(|rigid| &rigid.bodies);
        for (motion, of) in self.rigid.motions.iter_mut().zip(bodies) {
            let Some(to) = of.path.as_ref().map(|path| path.at(self.time)) else { continue };
            let near = |k: usize| (motion.position[k] - to.position[k]).abs() <= 1e-12 * (1.0 + by[k].abs());
            if (0..3).all(near) {
                motion.position = to.position;
            }
        }
        for [x, y, z, ..] in &mut self.rigid.sleep.marks {
            (*x, *y, *z) = (*x + by[0], *y + by[1], *z + by[2]);
        }
    }

    fn check_places(&self, plan: &Plan) -> Result<(), Error> {
        let limit = "within +-1e6 m: take an origin that is nearer";
        let near = |c: f64| c.abs() <= f64::from(MAX_COORDINATE) || !c.is_finite();
        let check = |of: &dyn Fn() -> String, at: [f64; 3]| {
            at.into_iter().try_for_each(|c| range(of, || "a coordinate from the origin".to_owned(), c, near(c), limit))
        };
        let is_known = self.origin.iter().all(|c| c.abs() <= MAX_ORIGIN);
        range(|| "origin".to_owned(), || "a coordinate".to_owned(), self.origin[0], is_known, "within +-1e12 m")?;
        for body in &plan.bodies {
            for vertex in 0..body.to_row.len() {
                let [x, y, z, _] = body.get(&self.x, vertex);
                check(&|| format!("body `{}`", body.name), [x, y, z].map(f64::from))?;
            }
        }
        for (motion, of) in self.rigid.motions.iter().zip(plan.rigid.iter().flat_map(|rigid| &rigid.bodies)) {
            check(&|| format!("rigid body `{}`", of.name), motion.position)?;
        }
        for (pose, of) in self.poses.iter().zip(&plan.colliders) {
            check(&|| format!("collider `{}`", of.name), pose.position)?;
        }
        Ok(())
    }
}
