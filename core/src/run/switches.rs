//! What is enabled and disabled while a scene runs: colliders, bodies and rigid bodies that are planned and wait.

use crate::describe::error::Error;
use crate::describe::ids::{BodyId, ColliderId, RigidId};
use crate::plan::Plan;
use crate::run::rigid::RigidState;
use crate::run::state::State;
use seidel_kernels::field::NO_TURN;

/// Without planning, and without asking for memory. What is disabled is as if it were not there: nothing meets it,
/// nothing measures it or hits it, and it stays where it is; whatever else there is goes on with the same bits wherever
/// it lies. A body that waits takes at most about a fifth of its time: one that meets bodies is still read in each
/// substep, and with velocities of second order it is still predicted. Files and pages still show it.
impl State {
    /// Takes a collider out of the scene. Paths and inputs move it on. Rigid bodies wake.
    ///
    /// # Panics
    /// If the plan is another's, or has no such collider.
    pub fn disable_collider(&mut self, plan: &Plan, collider: ColliderId) {
        self.switch_collider(plan, collider, true);
    }

    /// Puts a collider back. What is inside of it then gets out gently, as at a scene's start. Rigid bodies wake.
    ///
    /// # Panics
    /// As [`State::disable_collider`].
    pub fn enable_collider(&mut self, plan: &Plan, collider: ColliderId) {
        self.switch_collider(plan, collider, false);
    }

    fn switch_collider(&mut self, plan: &Plan, collider: ColliderId, off: bool) {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let place = plan.collider_place(collider);
        if std::mem::replace(&mut self.off.colliders[place], off) != off {
            self.placed = true;
            self.rigid.sleep.wake_all();
        }
    }

    /// Whether a collider is in the scene.
    ///
    /// # Panics
    /// As [`State::disable_collider`].
    #[must_use]
    pub fn is_collider_enabled(&self, plan: &Plan, collider: ColliderId) -> bool {
        !self.off.colliders[plan.collider_place(collider)]
    }

    /// Takes a body out of the scene. Masses that were written, and pins, are forgotten.
    ///
    /// # Errors
    /// If it is a fluid, of grains that come or go, or an obstacle, or a joint holds it to others
    /// ([`Error::NotAlone`]); then nothing has changed.
    ///
    /// # Panics
    /// If the plan is another's, or has no such body.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Input, Pose, Scene, Solver};
    /// let mut scene = Scene::new();
    /// let pool: Vec<_> = (0..3).map(|_| scene.add(Cloth::grid([8, 8], [1.0, 1.0]))).collect();
    /// let mut solver = Solver::new(&scene)?;
    /// pool.iter().try_for_each(|&sheet| solver.disable(sheet))?;
    /// solver.step(&Input::frame(0.1));
    /// assert_eq!(solver.positions(pool[1])[0].y, 0.0);
    /// solver.enable(pool[1])?;
    /// solver.step(&Input::frame(0.1));
    /// assert!(solver.positions(pool[1])[0].y < 0.0);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn disable(&mut self, plan: &Plan, body: BodyId) -> Result<(), Error> {
        let place = self.switched(plan, body)?;
        if !std::mem::replace(&mut self.off.bodies[place], true) {
            self.hold_body(plan, place);
        }
        Ok(())
    }

    /// Puts a body back, as the scene begins: with the positions, velocities, rotations, masses and rest shape of its
    /// recipe. Write others then, to have it elsewhere ([`State::write_positions`]). One that is enabled goes on.
    ///
    /// # Errors
    /// As [`State::disable`].
    ///
    /// # Panics
    /// As there.
    pub fn enable(&mut self, plan: &Plan, body: BodyId) -> Result<(), Error> {
        let place = self.switched(plan, body)?;
        if !std::mem::replace(&mut self.off.bodies[place], false) {
            return Ok(());
        }
        // What has torn of it is whole again.
        let plan = plan.untorn();
        self.tears.forget(place);
        let b = &plan.bodies[place];
        let rows = b.start..b.start + b.rows;
        self.x[rows.clone()].copy_from_slice(&plan.x[rows.clone()]);
        self.v[rows.clone()].copy_from_slice(&plan.v[rows.clone()]);
        match plan.r.is_empty() {
            true => self.r[rows.clone()].fill([0.0; 4]),
            false => self.r[rows.clone()].copy_from_slice(&plan.r[rows.clone()]),
        }
        for row in rows {
            let v = b.layout.read(&plan.v, row);
            self.past.restart(b, row, v);
        }
        for (i, matched) in plan.fields.iter().flat_map(|fields| fields.shapes.iter().enumerate()) {
            if matched.body == place {
                self.rotations[i] = NO_TURN;
            }
        }
        self.plasticity.restart(plan, place);
        (self.placed, self.driven) = (true, true);
        self.rigid.sleep.wake_all();
        Ok(())
    }

    /// Whether a body is in the scene.
    ///
    /// # Panics
    /// As [`State::disable`].
    #[must_use]
    pub fn is_enabled(&self, plan: &Plan, body: BodyId) -> bool {
        !self.off.bodies[plan.body_place(body)]
    }

    /// Takes a rigid body out of the scene. All others wake.
    ///
    /// # Errors
    /// If a joint holds it ([`Error::NotAlone`]); then nothing has changed.
    ///
    /// # Panics
    /// If the plan is another's, or has no such body.
    pub fn disable_rigid(&mut self, plan: &Plan, body: RigidId) -> Result<(), Error> {
        let place = self.switched_rigid(plan, body)?;
        if !std::mem::replace(&mut self.off.rigid[place], true) {
            let motion = &mut self.rigid.motions[place];
            (motion.velocity, motion.spin) = ([0.0; 3], [0.0; 3]);
            self.rigid.frozen[place] = true;
            let (_, number) = plan.rigid_body(body);
            let of = |shape: &u32| plan.rigid.as_ref().and_then(|all| all.shapes.get(*shape as usize)).map(|s| s.body);
            self.rigid.contacts.retain(|contact| contact.shapes.iter().all(|shape| of(shape) != Some(number as u32)));
            self.rigid.sleep.wake_all();
        }
        Ok(())
    }

    /// Puts a rigid body back, as the scene begins: with the pose and the velocities of its description, or where its
    /// path is by now. Set others then, to have it elsewhere ([`State::teleport_rigid`],
    /// [`State::set_rigid_velocity`]). All others wake. One that is enabled goes on.
    ///
    /// # Errors
    /// As [`State::disable_rigid`].
    ///
    /// # Panics
    /// As there.
    pub fn enable_rigid(&mut self, plan: &Plan, body: RigidId) -> Result<(), Error> {
        let place = self.switched_rigid(plan, body)?;
        if std::mem::replace(&mut self.off.rigid[place], false) {
            self.rigid.motions[place] = RigidState::begins(plan.rigid_body(body).0, self.time);
            self.rigid.frozen[place] = false;
            self.rigid.sleep.wake_all();
        }
        Ok(())
    }

    /// Whether a rigid body is in the scene.
    ///
    /// # Panics
    /// As [`State::disable_rigid`].
    #[must_use]
    pub fn is_rigid_enabled(&self, plan: &Plan, body: RigidId) -> bool {
        !self.off.rigid[plan.rigid_place(body)]
    }

    pub(crate) fn switched(&self, plan: &Plan, body: BodyId) -> Result<usize, Error> {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let place = plan.body_place(body);
        let b = &plan.bodies[place];
        let refused = |why| Err(Error::NotAlone { of: format!("body `{}`", b.name), why });
        if plan.fluids.iter().flat_map(|fluids| &fluids.bodies).any(|fluid| fluid.body == place) {
            return refused("emitters and drains say which particles of a fluid are there");
        }
        let mut grains = plan.grains.iter().flat_map(|grains| &grains.bodies);
        if grains.any(|of| of.body == place && !of.sources.is_empty()) {
            return refused("emitters and drains say which of its grains are there");
        }
        if plan.obstacles.each.iter().any(|obstacle| obstacle.body == place) {
            return refused("others may be attached to an obstacle");
        }
        if b.joined { refused("a joint holds it") } else { Ok(place) }
    }

    pub(crate) fn switched_rigid(&self, plan: &Plan, body: RigidId) -> Result<usize, Error> {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let (planned, place) = plan.rigid_body(body);
        let joints = plan.rigid.iter().flat_map(|rigid| &rigid.joints);
        let joined = joints.into_iter().any(|joint| joint.joint.bodies.contains(&(place as u32)))
            || plan.particle_joints.each.iter().any(|joint| joint.rigid as usize == place);
        match joined {
            true => Err(Error::NotAlone { of: format!("rigid body `{}`", planned.name), why: "a joint holds it" }),
            false => Ok(place),
        }
    }
}
