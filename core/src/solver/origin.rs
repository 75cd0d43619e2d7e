//! Where a solver is in the world, and its origin that may move with it.

use super::Solver;
use crate::describe::error::Error;
use crate::describe::ids::BodyId;
use std::sync::Arc;

impl Solver {
    /// Where the zero of coordinates is in the world, metres: [`crate::State::origin`].
    #[must_use]
    pub fn origin(&self) -> [f64; 3] {
        self.state.origin()
    }

    /// Moves the zero of coordinates to another place of the world, metres: a floating origin, for scenes whose middle
    /// goes far from where they were described. All stays where it is in the world, to 1e-12 m for each kilometre and
    /// the roundings of f64, and goes on; coordinates are others, and so are those of inputs from now on.
    ///
    /// What the scene describes stays relative to [`crate::Scene::origin`], also in edits; [`Solver::plan`] and states
    /// are relative to the new origin. Nothing is planned: the plan is copied with its places shifted, with another id
    /// ([`crate::Plan::with_origin`]). Bytes of states of before are restored where they were in the world
    /// ([`crate::State::from_bytes`]); a clone of one is another plan's. Recorded contacts are forgotten until the next
    /// step. Rounded as f32 does where they are (6e-5 m at 1 km) are contacts, pins and emitters on paths, obstacles
    /// that move, drains, and rigid joints to the world: move the origin to where things are, not away from it. Grains
    /// with a mass scaling count heights from the new zero, as potential energies do.
    ///
    /// # Errors
    /// If the origin is not within +-1e12 m, or anything would be more than 1e6 m from it, or it is more than 1e6 m
    /// from the scene's; then nothing has changed.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Input, Scene, Solver};
    /// let mut scene = Scene::new();
    /// let sail = scene.add(Cloth::grid([8, 8], [1.0, 1.0]).velocity([50.0, 0.0, 0.0]));
    /// let mut solver = Solver::new(&scene)?;
    /// (0..60).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
    /// solver.move_origin([50.0, 0.0, 0.0])?;
    /// assert!(solver.positions(sail)[0].x.abs() < 1.0);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn move_origin(&mut self, to: impl Into<[f64; 3]>) -> Result<(), Error> {
        let to = to.into();
        self.follow()?;
        // A state may have come from elsewhere.
        let (state, plan) = (self.state.origin(), self.plan.origin());
        let plan = Arc::new(self.plan.with_origin(std::array::from_fn(|k| to[k] - (state[k] - plan[k])))?);
        let state = self.state.moved_into(&plan, to)?;
        self.scratch = self.scratch.for_plan(&plan);
        (self.plan, self.state) = (plan, state);
        self.forget();
        self.scratch.record_contacts(&self.plan, self.recording)
    }

    /// Fills `out` with where a body's vertices are in the world, metres, in the mesh's vertex order:
    /// [`crate::State::read_world_positions`]. Its memory is kept.
    ///
    /// # Panics
    /// As [`Solver::positions`].
    pub fn world_positions(&self, body: BodyId, out: &mut Vec<[f64; 3]>) {
        out.resize(self.plan.vertices(body), [0.0; 3]);
        self.state.read_world_positions(&self.plan, body, out);
    }
}
