//! A state goes on in another plan of the same bodies: their materials, the colliders or the settings have changed.

use crate::describe::error::Error;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::state::State;

impl State {
    /// This state of the plan `from` as a state of `to`, which has the same bodies: as many, and each with as many vertices and frames.
    /// Their materials, joints and pins, the colliders and the settings may be others.
    ///
    /// Positions, rotations, velocities and the time stay. An inverse mass is that of `to`, unless
    /// [`State::write_inv_masses`] or a loss has changed it: then it stays. A collider of `from` that `to` has under the same name, at
    /// the same place, stays where it is; all others are where `to` has them at this time. Stiffnesses that inputs have set are lost, and a
    /// velocity update of second order begins anew.
    ///
    /// # Errors
    /// If the state is not one of `from`, or the bodies are others.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Input, Plan, Scene, Solver, State};
    /// let scene = |compliance| {
    ///     let mut scene = Scene::new();
    ///     scene.add(Cloth::grid([8, 8], [1.0, 1.0]).stretch(compliance));
    ///     scene
    /// };
    /// let mut solver = Solver::new(&scene(1e-7))?;
    /// (0..10).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
    /// let softer = Plan::new(&scene(1e-3))?;
    /// let state = solver.state().carried(solver.plan(), &softer)?;
    /// assert_eq!(state.time(), solver.state().time());
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn carried(&self, from: &Plan, to: &Plan) -> Result<State, Error> {
        if self.plan != from.id {
            return Err(Error::OtherPlan { what: "state" });
        }
        let of = || "carried state".to_owned();
        let same = |what: String, got: usize, want: usize| match got == want {
            true => Ok(()),
            false => Err(Error::Length { of: of(), what, got, want }),
        };
        same("bodies".to_owned(), from.bodies.len(), to.bodies.len())?;
        for (a, b) in from.bodies.iter().zip(&to.bodies) {
            same(format!("vertices of body `{}`", b.name), a.to_row.len(), b.to_row.len())?;
            same(format!("frames of body `{}`", b.name), a.frames.to_row.len(), b.frames.to_row.len())?;
        }
        let mut state = State::new(to);
        for (a, b) in from.bodies.iter().zip(&to.bodies) {
            self.carry(from, to, (a, b), &mut state);
        }
        for ((collider, pose), planned) in to.colliders.iter().zip(&mut state.poses).zip(&to.colliders) {
            let there = from.colliders.iter().position(|c| c.name == collider.name && c.pose == collider.pose);
            *pose = there.map_or_else(|| planned.motion.at(&planned.pose, self.time), |c| self.poses[c]);
        }
        if self.rotations.len() == state.rotations.len() {
            state.rotations.clone_from(&self.rotations);
        }
        (state.time, state.stopped) = (self.time, self.stopped);
        (state.placed, state.driven) = (true, true);
        Ok(state)
    }

    fn carry(&self, from: &Plan, to: &Plan, (a, b): (&BodyPlan, &BodyPlan), state: &mut State) {
        for vertex in 0..a.to_row.len() {
            let [x, y, z, w] = a.get(&self.x, vertex);
            let (before, after) = (a.get(&from.x, vertex)[3], b.get(&to.x, vertex)[3]);
            // Rows that are solved at once may rely on a fixed particle.
            let stays_fixed = to.shared.binary_search(&b.particle(vertex as u32)).is_ok();
            let w = if w.to_bits() == before.to_bits() || stays_fixed { after } else { w };
            b.set(&mut state.x, vertex, [x, y, z, w]);
            b.set(&mut state.r, vertex, a.get(&self.r, vertex));
            b.set(&mut state.v, vertex, a.get(&self.v, vertex));
        }
        for frame in 0..a.frames.to_row.len() {
            let (old, new) = (a.frame(frame), b.frame(frame));
            state.x[new] = self.x[old];
            state.v[new] = self.v[old];
        }
    }
}
