//! Edits of a scene: what is removed or replaced, and what goes with it.

use crate::describe::collider::Collider;
use crate::describe::error::Error;
use crate::describe::ids::{BodyId, ColliderId, JointId, Numbers, ParticleJointId, RigidId, RigidJointId, SceneTag};
use crate::describe::joint::{Hold, Joint};
use crate::describe::particle_joint::ParticleJoint;
use crate::describe::recipe::Recipe;
use crate::describe::rigid::RigidBody;
use crate::describe::rigid_joint::RigidJoint;
use crate::describe::scene::Scene;
use std::sync::Arc;

/// An id as its parts: what it names, the scene, the number.
type Parts = (&'static str, SceneTag, u32);

fn body_parts(id: BodyId) -> Parts {
    ("body", id.scene, id.number)
}

fn rigid_parts(id: RigidId) -> Parts {
    ("rigid body", id.scene, id.number)
}

/// Edits. Each takes an id of this scene; one of what was removed is refused ([`Error::Removed`]), and so is another
/// scene's ([`Error::ForeignId`]). Nothing has changed then. A scene that runs is edited with [`crate::Solver::edit`].
impl Scene {
    /// Removes a body, with the joints that name it ([`Scene::join`], [`Scene::join_particle`]). What other bodies
    /// attach or tether to it is no longer planned: [`Error::Removed`] says which.
    ///
    /// # Errors
    /// If there is no such body.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Error, Scene};
    /// let mut scene = Scene::new();
    /// let [first, second] = [(); 2].map(|()| scene.add(Cloth::grid([3, 3], [1.0, 1.0])));
    /// scene.remove(first)?;
    /// assert_eq!(scene.get(second)?.name(), "body-1");
    /// assert_eq!(scene.remove(first).unwrap_err().to_string(), "scene: body 0 was removed from the scene");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn remove(&mut self, body: BodyId) -> Result<Recipe, Error> {
        let place = self.place(body_parts(body), &self.numbers.bodies)?;
        self.numbers.bodies.remove(place);
        let names = |joint: &Joint| joint.bodies().any(|of| of == body);
        retain(&mut self.joints, &mut self.numbers.joints, |joint| !names(joint));
        retain(&mut self.particle_joints, &mut self.numbers.particle_joints, |joint| joint.body != body);
        Ok(Arc::unwrap_or_clone(self.bodies.remove(place)))
    }

    /// Removes a collider.
    ///
    /// # Errors
    /// If there is no such collider.
    pub fn remove_collider(&mut self, collider: ColliderId) -> Result<Collider, Error> {
        let place = self.place(("collider", collider.scene, collider.number), &self.numbers.colliders)?;
        self.numbers.colliders.remove(place);
        Ok(self.colliders.remove(place))
    }

    /// Removes a rigid body, with the joints that name it ([`Scene::join_rigid`], [`Scene::join_particle`]).
    ///
    /// # Errors
    /// If there is no such body.
    pub fn remove_rigid(&mut self, body: RigidId) -> Result<RigidBody, Error> {
        let place = self.place(rigid_parts(body), &self.numbers.rigid)?;
        self.numbers.rigid.remove(place);
        let names = |joint: &RigidJoint| joint.bodies.contains(&Some(body));
        retain(&mut self.rigid_joints, &mut self.numbers.rigid_joints, |joint| !names(joint));
        retain(&mut self.particle_joints, &mut self.numbers.particle_joints, |joint| joint.rigid != body);
        Ok(self.rigid.remove(place))
    }

    /// Removes a joint of bodies.
    ///
    /// # Errors
    /// If there is no such joint.
    pub fn remove_joint(&mut self, joint: JointId) -> Result<Joint, Error> {
        let place = self.place(("joint", joint.scene, joint.number), &self.numbers.joints)?;
        self.numbers.joints.remove(place);
        Ok(self.joints.remove(place))
    }

    /// Removes a joint of rigid bodies.
    ///
    /// # Errors
    /// If there is no such joint.
    pub fn remove_rigid_joint(&mut self, joint: RigidJointId) -> Result<RigidJoint, Error> {
        let place = self.place(("joint", joint.scene, joint.number), &self.numbers.rigid_joints)?;
        self.numbers.rigid_joints.remove(place);
        Ok(self.rigid_joints.remove(place))
    }

    /// Removes a joint of a vertex and a rigid body.
    ///
    /// # Errors
    /// If there is no such joint.
    pub fn remove_particle_joint(&mut self, joint: ParticleJointId) -> Result<ParticleJoint, Error> {
        let place = self.place(("particle joint", joint.scene, joint.number), &self.numbers.particle_joints)?;
        self.numbers.particle_joints.remove(place);
        Ok(self.particle_joints.remove(place))
    }

    /// A body, as it was added.
    ///
    /// # Errors
    /// If there is no such body.
    pub fn get(&self, body: BodyId) -> Result<&Recipe, Error> {
        Ok(&self.bodies[self.place(body_parts(body), &self.numbers.bodies)?])
    }

    /// A collider, as it was added.
    ///
    /// # Errors
    /// If there is no such collider.
    pub fn get_collider(&self, collider: ColliderId) -> Result<&Collider, Error> {
        Ok(&self.colliders[self.place(("collider", collider.scene, collider.number), &self.numbers.colliders)?])
    }

    /// A rigid body, as it was added.
    ///
    /// # Errors
    /// If there is no such body.
    pub fn get_rigid(&self, body: RigidId) -> Result<&RigidBody, Error> {
        Ok(&self.rigid[self.place(rigid_parts(body), &self.numbers.rigid)?])
    }

    /// A joint of rigid bodies, as it was added.
    ///
    /// # Errors
    /// If there is no such joint.
    pub fn get_rigid_joint(&self, joint: RigidJointId) -> Result<&RigidJoint, Error> {
        Ok(&self.rigid_joints[self.place(("joint", joint.scene, joint.number), &self.numbers.rigid_joints)?])
    }

    /// Puts another recipe in a body's place: other materials, masses, pins, attachments or constraints. One without a
    /// name keeps the old one. A state is carried over only if it has as many vertices and frames, and the same
    /// triangles and tetrahedra.
    ///
    /// # Errors
    /// If there is no such body.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Error, Recipe, Scene};
    /// let mut scene = Scene::new();
    /// let sheet = scene.add(Cloth::grid([3, 3], [1.0, 1.0]).named("sheet"));
    /// if let Recipe::Cloth(cloth) = scene.get(sheet)? {
    ///     let softer = cloth.clone().stretch(1e-4).pin(&[0]);
    ///     scene.replace(sheet, softer)?;
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn replace(&mut self, body: BodyId, by: impl Into<Recipe>) -> Result<Recipe, Error> {
        let place = self.place(body_parts(body), &self.numbers.bodies)?;
        let mut by = by.into();
        if by.name().is_empty() {
            by.rename(self.bodies[place].name().to_owned());
        }
        Ok(Arc::unwrap_or_clone(std::mem::replace(&mut self.bodies[place], Arc::new(by))))
    }

    /// Puts another collider in a collider's place. One without a name keeps the old one.
    ///
    /// # Errors
    /// If there is no such collider.
    pub fn replace_collider(&mut self, collider: ColliderId, mut by: Collider) -> Result<Collider, Error> {
        let place = self.place(("collider", collider.scene, collider.number), &self.numbers.colliders)?;
        if by.name.is_empty() {
            by.name.clone_from(&self.colliders[place].name);
        }
        Ok(std::mem::replace(&mut self.colliders[place], by))
    }

    /// Puts another rigid body in a rigid body's place. One without a name keeps the old one.
    ///
    /// # Errors
    /// If there is no such body.
    pub fn replace_rigid(&mut self, body: RigidId, mut by: RigidBody) -> Result<RigidBody, Error> {
        let place = self.place(rigid_parts(body), &self.numbers.rigid)?;
        if by.name.is_empty() {
            by.name.clone_from(&self.rigid[place].name);
        }
        Ok(std::mem::replace(&mut self.rigid[place], by))
    }

    /// Puts another joint in the place of a joint of rigid bodies. One without a name keeps the old one.
    ///
    /// # Errors
    /// If there is no such joint.
    pub fn replace_rigid_joint(&mut self, joint: RigidJointId, mut by: RigidJoint) -> Result<RigidJoint, Error> {
        let place = self.place(("joint", joint.scene, joint.number), &self.numbers.rigid_joints)?;
        if by.name.is_empty() {
            by.name.clone_from(&self.rigid_joints[place].name);
        }
        Ok(std::mem::replace(&mut self.rigid_joints[place], by))
    }

    fn place(&self, (what, scene, number): Parts, numbers: &Numbers) -> Result<usize, Error> {
        let of = || "scene".to_owned();
        match scene == self.tag {
            true => numbers.find(of, what, number),
            false => Err(Error::ForeignId { of: of(), what, index: number as usize }),
        }
    }

    /// The scene without its bodies, in which ids are places: what was removed has left no gap. None if nothing was
    /// removed.
    pub(crate) fn by_places(&self) -> Result<Option<Scene>, Error> {
        if !self.numbers.have_gaps() {
            return Ok(None);
        }
        let mut placed = self.without_bodies();
        for (i, joint) in placed.joints.iter_mut().enumerate() {
            let of = || format!("joint {i}");
            match &mut joint.hold {
                Hold::Rows { at, .. } => at.iter_mut().try_for_each(|(body, _)| self.put_in_place(body, of))?,
                Hold::Near(near) => {
                    self.put_in_place(&mut near.body, of)?;
                    self.put_in_place(&mut near.to, of)?;
                }
            }
        }
        for joint in &mut placed.rigid_joints {
            let name = &joint.name;
            let of = || format!("joint `{name}`");
            joint.bodies.iter_mut().flatten().try_for_each(|body| self.put_rigid_in_place(body, of))?;
        }
        for (i, joint) in placed.particle_joints.iter_mut().enumerate() {
            let of = || format!("particle joint {i}");
            self.put_in_place(&mut joint.body, of)?;
            self.put_rigid_in_place(&mut joint.rigid, of)?;
        }
        Ok(Some(placed))
    }

    /// Makes a body's id its place. Another scene's stays as it is, and is refused by those who read it.
    pub(crate) fn put_in_place(&self, id: &mut BodyId, of: impl FnOnce() -> String) -> Result<(), Error> {
        if id.scene == self.tag {
            id.number = self.numbers.bodies.find(of, "body", id.number)? as u32;
        }
        Ok(())
    }

    fn put_rigid_in_place(&self, id: &mut RigidId, of: impl FnOnce() -> String) -> Result<(), Error> {
        if id.scene == self.tag {
            id.number = self.numbers.rigid.find(of, "rigid body", id.number)? as u32;
        }
        Ok(())
    }

    fn without_bodies(&self) -> Scene {
        Scene {
            settings: self.settings,
            origin: self.origin,
            tag: self.tag,
            numbers: self.numbers.clone(),
            bodies: Vec::new(),
            joints: self.joints.clone(),
            colliders: self.colliders.clone(),
            rigid: self.rigid.clone(),
            rigid_joints: self.rigid_joints.clone(),
            particle_joints: self.particle_joints.clone(),
        }
    }
}

/// Keeps some things, and their numbers.
fn retain<T>(all: &mut Vec<T>, numbers: &mut Numbers, keep: impl Fn(&T) -> bool) {
    for place in (0..all.len()).rev() {
        if !keep(&all[place]) {
            all.remove(place);
            numbers.remove(place);
        }
    }
}
