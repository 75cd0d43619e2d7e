//! Queries: what a user may ask a plan about its bodies.

use super::{Plan, Section};
use crate::describe::collider::Shape;
use crate::describe::error::Error;
use crate::describe::ids::{AnyId, BodyId, ColliderId, Numbers, RigidId, RigidJointId};
use crate::describe::scene::Scene;
use crate::describe::settings::Method;
use crate::describe::tets::tet_faces;
use crate::plan::body::BodyPlan;
use crate::plan::embedding::Embedding;
use crate::plan::patch::BatchRange;
use crate::plan::rigid::RigidBodyPlan;
use seidel_kernels::Kind;
use std::ops::Range;
use std::sync::Arc;

impl Plan {
    /// The numbers of substeps that bodies take, in the order in which a step takes them: those that bodies have of
    /// their own ([`crate::Cloth::substeps`]), smallest first, then the scene's. The latter is left out if all bodies
    /// have their own and nothing is rigid.
    #[must_use]
    pub fn levels(&self) -> &[u32] {
        &self.levels
    }

    /// Substeps of a body in a step: its own, or the scene's.
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn substeps_of(&self, body: BodyId) -> u32 {
        self.bodies[self.body_place(body)].substeps
    }

    /// How a sweep goes over the constraints of a body: its own method, or the scene's.
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn method_of(&self, body: BodyId) -> Method {
        self.bodies[self.body_place(body)].method
    }

    /// The most that a body takes, or the scene.
    pub(crate) fn most_substeps(&self) -> u32 {
        self.levels.iter().fold(self.substeps, |most, &substeps| most.max(substeps))
    }

    /// Whether it may be a scene's: it is of that scene or a clone, with as many things of the same ids.
    pub(crate) fn is_of(&self, scene: &Scene) -> bool {
        self.scene == scene.tag && *self.numbers == scene.numbers
    }

    /// Whether multipliers are kept from sweep to sweep: a substep may have more than one. It takes more than its
    /// iterations where colliders press what other bodies hold back.
    pub(crate) fn keeps_multipliers(&self) -> bool {
        self.settings.iterations > 1 || (self.surfaces.is_some() && !self.colliders.is_empty())
    }

    /// Whether contacts keep two bodies from going through each other, or one from going through itself
    /// ([`crate::Collide::All`], [`crate::Collide::Others`], filters). Obstacles among themselves are not kept apart.
    ///
    /// # Panics
    /// If the plan has no such body.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Collide, Plan, Pose, Scene};
    /// let mut scene = Scene::new();
    /// let sheet = scene.add(Cloth::grid([4, 4], [1.0, 1.0]).collide(Collide::Others));
    /// let above = Pose::at([0.0, 1.0, 0.0]);
    /// let other = scene.add(Cloth::grid([4, 4], [1.0, 1.0]).placed(above, 1.0).collide(Collide::All));
    /// let plan = Plan::new(&scene)?;
    /// assert!(plan.keeps_apart(sheet, other) && plan.keeps_apart(other, other) && !plan.keeps_apart(sheet, sheet));
    /// # Ok::<(), seidel::Error>(())
    /// ```
    #[must_use]
    pub fn keeps_apart(&self, a: BodyId, b: BodyId) -> bool {
        let [a, b] = [a, b].map(|body| self.part(body).start as u32);
        self.surfaces.as_ref().is_some_and(|surfaces| surfaces.collide(a, b))
    }

    /// Number of rigid bodies.
    #[must_use]
    pub fn rigid_bodies(&self) -> usize {
        self.rigid.as_ref().map_or(0, |rigid| rigid.bodies.len())
    }

    /// A rigid body's name.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn rigid_name(&self, body: RigidId) -> &str {
        &self.rigid_body(body).0.name
    }

    /// The rigid bodies' ids.
    pub fn rigid_ids(&self) -> impl Iterator<Item = RigidId> + use<> {
        (0..self.rigid_bodies()).map(self.rigid_at())
    }

    /// The shapes of all rigid bodies, for pictures: the number of the body, and the shape in a frame of its own.
    /// [`crate::State::rigid_shape_poses`] says where these are.
    pub fn rigid_shapes(&self) -> impl Iterator<Item = (usize, &Shape)> {
        let shown = self.rigid.iter().flat_map(|rigid| &rigid.shown);
        shown.map(|(body, shape, _)| (*body as usize, shape))
    }

    /// Number of joints of rigid bodies.
    #[must_use]
    pub fn rigid_joints(&self) -> usize {
        self.rigid.as_ref().map_or(0, |rigid| rigid.joints.len())
    }

    /// The name of a joint of rigid bodies.
    ///
    /// # Panics
    /// If the joint is another scene's, or was removed.
    #[must_use]
    pub fn rigid_joint_name(&self, joint: RigidJointId) -> &str {
        let place = self.rigid_joint_place(joint);
        self.rigid.as_ref().map_or("", |rigid| &rigid.joints[place].name)
    }

    /// The ids of joints of rigid bodies.
    pub fn rigid_joint_ids(&self) -> impl Iterator<Item = RigidJointId> + use<> {
        (0..self.rigid_joints()).map(self.rigid_joint_at())
    }

    /// Names of joints that are to be solved at once with others ([`crate::RigidJoint::direct`]) and close a loop of
    /// them: the sweeps solve these.
    pub fn joint_loops(&self) -> impl Iterator<Item = &str> {
        let rigid = self.rigid.iter();
        rigid.flat_map(|rigid| rigid.forest.loops.iter().map(|&joint| rigid.joints[joint as usize].name.as_str()))
    }

    /// A rigid body and its number.
    pub(crate) fn rigid_body(&self, body: RigidId) -> (&RigidBodyPlan, usize) {
        let all = self.rigid.as_ref().map_or(&[][..], |rigid| &rigid.bodies);
        let place = self.rigid_place(body);
        (&all[place], place)
    }

    /// Number of particles.
    #[must_use]
    pub fn particles(&self) -> usize {
        self.bodies.iter().map(|b| b.to_row.len()).sum()
    }

    /// Number of bodies.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies.len()
    }

    /// The bodies' ids.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len()).map(self.body_at())
    }

    /// The body of a name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(self.body_at())
    }

    /// The collider of a name.
    #[must_use]
    pub fn collider(&self, name: &str) -> Option<ColliderId> {
        self.colliders.iter().position(|c| c.name == name).map(self.collider_at())
    }

    /// Distance that a body keeps from others, metres: a particle's radius; the largest, where vertices have their own.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn thickness(&self, body: BodyId) -> f32 {
        self.part(body).thickness
    }

    /// Positions of a body's vertices at the start, metres, in the mesh's order.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn positions(&self, body: BodyId) -> Vec<[f32; 3]> {
        let mut out = vec![[0.0; 3]; self.vertices(body)];
        self.part(body).each(&self.x, |vertex, [x, y, z, _]| out[vertex] = [x, y, z]);
        out
    }

    /// A body's inverse masses at the start, 1/kg, in the mesh's vertex order; 0 does not move.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn inv_masses(&self, body: BodyId) -> Vec<f32> {
        let body = self.part(body);
        let mut masses = vec![0.0; body.to_row.len()];
        body.each(&self.x, |vertex, [.., w]| masses[vertex] = w);
        masses
    }

    /// A body's name.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn body_name(&self, body: BodyId) -> &str {
        &self.part(body).name
    }

    /// A collider's name.
    ///
    /// # Panics
    /// If the collider is another scene's, or was removed.
    #[must_use]
    pub fn collider_name(&self, collider: ColliderId) -> &str {
        &self.colliders[self.collider_place(collider)].name
    }

    /// Ids of bodies by their places.
    pub(crate) fn body_at(&self) -> impl Fn(usize) -> BodyId + use<> {
        let (scene, numbers) = (self.scene, Arc::clone(&self.numbers));
        move |place| BodyId { scene, number: numbers.bodies.at(place) }
    }

    /// Ids of colliders by their places.
    pub(crate) fn collider_at(&self) -> impl Fn(usize) -> ColliderId + use<> {
        let (scene, numbers) = (self.scene, Arc::clone(&self.numbers));
        move |place| ColliderId { scene, number: numbers.colliders.at(place) }
    }

    /// Ids of rigid bodies by their places.
    pub(crate) fn rigid_at(&self) -> impl Fn(usize) -> RigidId + use<> {
        let (scene, numbers) = (self.scene, Arc::clone(&self.numbers));
        move |place| RigidId { scene, number: numbers.rigid.at(place) }
    }

    /// Ids of joints of rigid bodies by their places.
    pub(crate) fn rigid_joint_at(&self) -> impl Fn(usize) -> RigidJointId + use<> {
        let (scene, numbers) = (self.scene, Arc::clone(&self.numbers));
        move |place| RigidJointId { scene, number: numbers.rigid_joints.at(place) }
    }

    /// Whether an id is one of this plan's, for ids that may have come from elsewhere, or be of what was removed. What
    /// takes an id without an error panics for such a one, as an index out of range does.
    ///
    /// # Errors
    /// [`Error::ForeignId`] of another scene's, [`Error::Removed`], [`Error::Missing`].
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Error, Plan, Scene};
    /// let mut scene = Scene::new();
    /// let cloth = scene.add(Cloth::grid([8, 8], [1.0, 1.0]));
    /// let strange = Scene::new().add(Cloth::grid([8, 8], [1.0, 1.0]));
    /// let plan = Plan::new(&scene).unwrap();
    /// assert!(plan.check_id(cloth).is_ok());
    /// assert!(matches!(plan.check_id(strange), Err(Error::ForeignId { .. })));
    /// ```
    pub fn check_id(&self, id: impl Into<AnyId>) -> Result<(), Error> {
        let (what, number, scene, numbers) = id.into().parts(&self.numbers);
        let of = || "plan".to_owned();
        match scene == self.scene {
            true => numbers.find(of, what, number).map(drop),
            false => Err(Error::ForeignId { of: of(), what, index: number as usize }),
        }
    }

    /// A body's place among the bodies.
    #[track_caller]
    pub(crate) fn body_place(&self, body: BodyId) -> usize {
        place(("body", body.index(), body.scene == self.scene), &self.numbers.bodies)
    }

    /// A collider's place among the colliders.
    #[track_caller]
    pub(crate) fn collider_place(&self, collider: ColliderId) -> usize {
        place(("collider", collider.index(), collider.scene == self.scene), &self.numbers.colliders)
    }

    /// A rigid body's place among the rigid bodies.
    #[track_caller]
    pub(crate) fn rigid_place(&self, body: RigidId) -> usize {
        place(("rigid body", body.index(), body.scene == self.scene), &self.numbers.rigid)
    }

    /// The place of a joint of rigid bodies among them.
    #[track_caller]
    pub(crate) fn rigid_joint_place(&self, joint: RigidJointId) -> usize {
        place(("joint", joint.index(), joint.scene == self.scene), &self.numbers.rigid_joints)
    }

    /// A body's part.
    #[track_caller]
    pub(crate) fn part(&self, body: BodyId) -> &BodyPlan {
        &self.bodies[self.body_place(body)]
    }

    /// Number of vertices of a body.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn vertices(&self, body: BodyId) -> usize {
        self.part(body).to_row.len()
    }

    /// Number of frames of a body.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn frames(&self, body: BodyId) -> usize {
        self.part(body).frames.to_row.len()
    }

    /// Triangles of a body, in its own vertex numbers.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn triangles(&self, body: BodyId) -> &[[u32; 3]] {
        &self.part(body).triangles
    }

    /// The triangles of a body that there are whatever tears, in its own vertex numbers, each with whether it is on the
    /// surface: what recordings have, whose arrays do not grow. Those of a sheet all are. Of a solid that tears they
    /// are the four faces of each tetrahedron, in its order.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn lasting_triangles(&self, body: BodyId) -> Vec<([u32; 3], bool)> {
        let part = self.part(body);
        if part.tets.is_empty() || !self.tears(body) {
            return part.triangles.iter().map(|&t| (t, true)).collect();
        }
        // The surface has its faces in that order, too.
        let mut surface = part.triangles.iter().peekable();
        part.tets.iter().flat_map(tet_faces).map(|face| (face, surface.next_if_eq(&&face).is_some())).collect()
    }

    /// The corners of one of [`Plan::lasting_triangles`].
    ///
    /// # Panics
    /// If the body is another scene's, or was removed, or there is no such triangle.
    #[must_use]
    pub fn lasting_triangle(&self, body: BodyId, number: usize) -> [u32; 3] {
        let part = self.part(body);
        match part.tets.is_empty() || !self.tears(body) {
            true => part.triangles[number],
            false => tet_faces(&part.tets[number / 4])[number % 4],
        }
    }

    /// Tetrahedra of a body, in its own vertex numbers.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn tets(&self, body: BodyId) -> &[[u32; 4]] {
        &self.part(body).tets
    }

    /// The surface that goes with a body's tetrahedra, if it has one: what pictures show instead of its triangles.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn skin(&self, body: BodyId) -> Option<&Embedding> {
        self.part(body).skin.as_deref()
    }

    /// The colliders' ids.
    pub fn collider_ids(&self) -> impl Iterator<Item = ColliderId> + use<> {
        (0..self.colliders.len()).map(self.collider_at())
    }

    /// Pairs of a body's vertices that are kept at, or within, a length, and that length in metres: for pictures.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn lengths(&self, body: BodyId) -> Vec<([u32; 2], f32)> {
        let part = self.part(body);
        let edges =
            self.edges(body).map(|(.., (row, edge, length))| (row, edge.map(|p| part.number(p as usize)), length));
        let mut lengths: Vec<_> = edges.collect();
        lengths.sort_unstable_by_key(|(row, edge, _)| (*row, *edge));
        lengths.into_iter().map(|(_, edge, rest)| (edge, rest)).collect()
    }

    /// The section that a body is in.
    fn section(&self, body: BodyId) -> &Section {
        let place = self.body_place(body);
        &self.sections[self.sections.partition_point(|section| section.bodies.end <= place)]
    }

    /// Family, batch, row, both particles and length of the pairs of a body.
    fn edges(&self, body: BodyId) -> impl Iterator<Item = (usize, usize, (usize, [u32; 2], f32))> {
        let (part, section) = (self.part(body), self.section(body));
        let own = part.start as u32..(part.start + part.rows) as u32;
        let of_section = self.families.iter().enumerate().flat_map(move |(number, family)| {
            family.edges(section.batches(number)).map(move |(batch, edge)| (number, batch, edge))
        });
        of_section.filter(move |(.., (_, edge, _))| edge.iter().all(|row| own.contains(row)))
    }

    /// For each pair of [`Plan::lengths`], where its row stands in the order of solving: the number of its patch,
    /// counted through all stages, and the number of its batch in that patch. Patches of a stage are solved at once,
    /// the batches of a patch one after another, and the rows of a batch at once: for pictures. Gauss-Seidel's rows of
    /// a batch share no particle that moves; those of [`crate::Method::Jacobi`] may.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn order_of_lengths(&self, body: BodyId) -> Vec<[u32; 2]> {
        let part = self.part(body);
        // Of each family its ranges of batches, with the patch and the number in it of the first batch.
        let mut places = vec![Vec::new(); self.families.len()];
        let mut before = 0;
        for (stage, own) in self.stages.iter().zip(self.section(body).patches()) {
            for (patch, ranges) in own.clone().zip(&stage[own]) {
                let mut first = 0;
                for BatchRange { family, batches } in &self.batch_ranges[ranges.clone()] {
                    if let Some(places) = places.get_mut(*family) {
                        places.push((batches.clone(), (before + patch) as u32, first));
                    }
                    first += batches.len() as u32;
                }
            }
            before += stage.len();
        }
        places.iter_mut().for_each(|places| places.sort_unstable_by_key(|(batches, ..)| batches.start));
        let order = self.edges(body).map(|(family, batch, (row, edge, _))| {
            let at = places[family].partition_point(|(batches, ..)| batches.end <= batch);
            let (batches, patch, first) = &places[family][at];
            (row, edge.map(|p| part.number(p as usize)), [*patch, first + (batch - batches.start) as u32])
        });
        let mut order: Vec<_> = order.collect();
        order.sort_unstable_by_key(|(row, edge, _)| (*row, *edge));
        order.into_iter().map(|(.., place)| place).collect()
    }

    /// Vertices of a body's rows of a kind, and behind them frames, `kind.slots()` a row, in the order of
    /// [`crate::Input::stiffness`]:
    /// first those with compliances, then those with PBD's k.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    #[must_use]
    pub fn rows(&self, body: BodyId, kind: &Kind) -> Vec<u32> {
        let part = self.part(body);
        let mut at = Vec::new();
        let of_mode = |xpbd| self.stiff(body, kind, xpbd);
        for (family, rows) in of_mode(true).chain(of_mode(false)) {
            let batches = &self.families[family].batches;
            let first = at.len();
            at.resize(first + rows.len() * kind.slots(), 0);
            let own = self.section(body).batches(family);
            for (batch, lane, row) in batches.each_in(own).filter(|(.., row)| rows.contains(row)) {
                for slot in 0..kind.slots() {
                    let particle = batches.particle(batch, slot, lane) as usize;
                    at[first + (row - rows.start) * kind.slots() + slot] = part.number(particle);
                }
            }
        }
        at
    }

    /// The families that a body's rows of a kind and mode are in, and which of their rows they are.
    pub(crate) fn stiff(&self, body: BodyId, kind: &Kind, xpbd: bool) -> impl Iterator<Item = (usize, Range<usize>)> {
        let place = self.body_place(body);
        let of_kind = self.families.iter().enumerate().filter(move |(_, f)| f.kind.is(kind) && f.xpbd == xpbd);
        of_kind.filter_map(move |(family, f)| Some(family).zip(f.rows_of(place)))
    }
}

/// Where a thing of a scene's stands.
#[track_caller]
fn place((what, index, is_own): (&str, usize, bool), numbers: &Numbers) -> usize {
    assert!(is_own, "{what} {index} is another scene's: here are {}", numbers.count());
    numbers.sure(what, index as u32)
}
