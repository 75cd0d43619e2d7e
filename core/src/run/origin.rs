//! Where a state is in the world: local coordinates and the origin, summed up in f64.

use crate::describe::ids::BodyId;
use crate::describe::pose::Pose;
use crate::plan::Plan;
use crate::run::state::State;

impl State {
    /// Where the zero of its coordinates is in the world, metres. That of the plan that it was made of
    /// ([`crate::Scene::origin`]); a snapshot brings its own.
    #[must_use]
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// A pose of this state in the world: of a collider ([`State::pose`]), a rigid body ([`State::rigid_pose`]) or a
    /// shape of one ([`State::rigid_shape_poses`]).
    ///
    /// # Example
    /// ```
    /// use seidel::{Plan, RigidBody, Scene, State};
    /// let mut scene = Scene::new();
    /// scene.origin = [0.0, 0.0, 1e6];
    /// let ball = scene.add_rigid(RigidBody::sphere(0.5).at([0.0, 1.5, 0.25]));
    /// let plan = Plan::new(&scene)?;
    /// let state = State::new(&plan);
    /// let pose = state.world_pose(state.rigid_pose(&plan, ball));
    /// assert_eq!(pose.position().to_array(), [0.0, 1.5, 1_000_000.25]);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    #[must_use]
    pub fn world_pose(&self, local: Pose) -> Pose {
        Pose { position: std::array::from_fn(|k| self.origin[k] + local.position[k]), ..local }
    }

    /// Copies where a body's vertices are in the world, metres, in the mesh's vertex order: origin + (x + r), x being
    /// what [`State::read_positions`] copies, and r the rounding that x could not hold.
    ///
    /// # Panics
    /// As [`State::read_positions`].
    pub fn read_world_positions(&self, plan: &Plan, body: BodyId, out: &mut [[f64; 3]]) {
        let b = self.part(plan, body, out.len());
        b.each(&self.x, |vertex, [x, y, z, _]| out[vertex] = [x, y, z].map(f64::from));
        b.each(&self.r, |vertex, r| {
            let at = &mut out[vertex];
            *at = std::array::from_fn(|k| self.origin[k] + (at[k] + f64::from(r[k])));
        });
    }
}
