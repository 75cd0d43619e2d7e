//! A state goes on in another plan of the same bodies: their materials, the colliders or the settings have changed.

use crate::describe::collider::Collider;
use crate::describe::emitter::Emitter;
use crate::describe::error::Error;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::state::State;

impl State {
    /// This state of the plan `from` as a state of `to`, which has the same bodies: as many, each with as many vertices and frames, and
    /// with the same triangles and tetrahedra. Their materials, joints and pins, the colliders and the settings may be others.
    ///
    /// Positions, rotations, velocities, the time and the last substep of a velocity update of second order stay. An inverse mass is that
    /// of `to`, unless [`State::write_inv_masses`] or a loss has changed it: then it stays, where `to` allows that. A collider of `from`
    /// that `to` has under the same name, at the same pose and with the same motion, stays where it is; all others are where `to` has
    /// them at this time. Stiffnesses that inputs have set are lost.
    ///
    /// Where `to` is a plan of the same scene and no input has set stiffnesses, the state goes on with the same bits. Where colliders or
    /// thicknesses are others, particles may be inside of colliders now, as after [`State::write_positions`], and the hash says so until
    /// a step finds them outside.
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
            if a.triangles != b.triangles || a.tets != b.tets {
                return Err(Error::OtherElements { of: of(), body: b.name.clone() });
            }
        }
        same("rigid bodies".to_owned(), from.rigid_bodies(), to.rigid_bodies())?;
        same("joints of rigid bodies".to_owned(), from.rigid_joints(), to.rigid_joints())?;
        let mut state = State::new(to);
        if let (Some(a), Some(b)) = (&from.rigid, &to.rigid) {
            state.rigid = self.rigid.carried(a, b);
        }
        if self.past.is_kept() && state.past.is_kept() {
            state.past.h = self.past.h;
        }
        for (number, (a, b)) in from.bodies.iter().zip(&to.bodies).enumerate() {
            let is_obstacle = to.obstacles.each.iter().any(|of| of.body == number);
            // Rows that are solved at once may rely on a fixed particle, and an obstacle goes where it is taken.
            let is_planned = |vertex: u32| is_obstacle || to.shared.binary_search(&b.particle(vertex)).is_ok();
            self.carry(from, to, (a, b), is_planned, &mut state);
        }
        for ((collider, pose), planned) in to.colliders.iter().zip(&mut state.poses).zip(&to.colliders) {
            let is_same =
                |c: &Collider| (&c.name, &c.pose, &c.motion) == (&collider.name, &collider.pose, &collider.motion);
            let there = from.colliders.iter().position(is_same);
            *pose = there.map_or_else(|| planned.motion.at(&planned.pose, self.time), |c| self.poses[c]);
        }
        // They are where a search begins, no more: shapes of the same number of particles may have each other's.
        if shapes(from).eq(shapes(to)) {
            state.rotations.clone_from(&self.rotations);
        }
        (state.time, state.stopped) = (self.time, self.stopped);
        self.carry_fluids(from, to, &mut state);
        let meet_alike = from.colliders == to.colliders && from.bodies.iter().zip(&to.bodies).all(meets_alike);
        (state.placed, state.driven) = (self.placed || !meet_alike, true);
        Ok(state)
    }

    /// Fluids: who is there stays, with the mass of the new plan; an emitter that is another gives what is due from now on.
    fn carry_fluids(&self, from: &Plan, to: &Plan, state: &mut State) {
        let of = |plan: &'_ Plan| plan.fluids.iter().flat_map(|of| &of.bodies).cloned().collect::<Vec<_>>();
        let (old, new) = (of(from), of(to));
        state.fluid.h = self.fluid.h;
        for (number, fluid) in new.iter().enumerate() {
            let Some(before) = old.iter().position(|before| before.body == fluid.body) else { continue };
            let (a, b) = (&from.bodies[fluid.body], &to.bodies[fluid.body]);
            let w = (1.0 / fluid.liquid.mass()) as f32;
            for vertex in 0..b.to_row.len() {
                let [x, y, z, there] = a.get(&self.x, vertex);
                b.set(&mut state.x, vertex, [x, y, z, if there > 0.0 { w } else { 0.0 }]);
                let (was, is) = (a.particle(vertex as u32) as usize, b.particle(vertex as u32) as usize);
                state.fluid.lambda[is] = self.fluid.lambda[was];
            }
            let mut poured = self.fluid.bodies[before].clone();
            let spacing = f64::from(fluid.liquid.spacing);
            let due = |(e, emitter): (usize, &Emitter)| match old[before].emitters.get(e) {
                Some(same) if same == emitter && old[before].liquid.spacing == fluid.liquid.spacing => poured.layers[e],
                _ => emitter.due(spacing, self.time),
            };
            poured.layers = fluid.emitters.iter().enumerate().map(due).collect();
            if old[before].emitters != fluid.emitters || old[before].liquid.spacing != fluid.liquid.spacing {
                poured.guided.clear();
            }
            state.fluid.bodies[number] = poured;
        }
    }

    fn carry(
        &self,
        from: &Plan,
        to: &Plan,
        (a, b): (&BodyPlan, &BodyPlan),
        is_planned: impl Fn(u32) -> bool,
        state: &mut State,
    ) {
        let has_past = self.past.is_kept() && state.past.is_kept();
        for vertex in 0..a.to_row.len() {
            let [x, y, z, w] = a.get(&self.x, vertex);
            let (before, after) = (a.get(&from.x, vertex)[3], b.get(&to.x, vertex)[3]);
            let w = if w.to_bits() == before.to_bits() || is_planned(vertex as u32) { after } else { w };
            b.set(&mut state.x, vertex, [x, y, z, w]);
            b.set(&mut state.r, vertex, a.get(&self.r, vertex));
            b.set(&mut state.v, vertex, a.get(&self.v, vertex));
            if has_past {
                b.set(&mut state.past.d, vertex, a.get(&self.past.d, vertex));
                b.set(&mut state.past.dv, vertex, a.get(&self.past.dv, vertex));
            }
        }
        for frame in 0..a.frames.to_row.len() {
            let (old, new) = (a.frame(frame), b.frame(frame));
            state.x[new] = self.x[old];
            state.v[new] = self.v[old];
            if has_past {
                state.past.d[new] = self.past.d[old];
                state.past.dv[new] = self.past.dv[old];
            }
        }
    }
}

/// The size of each matched shape.
fn shapes(plan: &Plan) -> impl Iterator<Item = usize> {
    plan.fields.iter().flat_map(|fields| &fields.shapes).map(|matched| matched.shape.len())
}

/// Whether bodies of a plan are as near to colliders as those of another.
fn meets_alike((a, b): (&BodyPlan, &BodyPlan)) -> bool {
    let is_skinned = |body: &BodyPlan| body.skin.is_some();
    (a.thickness, a.filter, &a.by_vertex, is_skinned(a)) == (b.thickness, b.filter, &b.by_vertex, is_skinned(b))
}
