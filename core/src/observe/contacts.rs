//! Contacts of the last step, one by one: for whoever wants to know who touches what, and how hard.

use crate::describe::error::{Error, range};
use crate::describe::ids::{BodyId, ColliderId};
use crate::plan::Plan;
use crate::run::scratch::Scratch;
use crate::run::state::State;
use crate::tuning::MAX_HELD_CONTACTS;
use glam::Vec3;
use seidel_kernels::Rows;
pub use seidel_kernels::contact::pairs::Features;

/// A particle, or a point of a skin, that a collider pushed in the last substep of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contact {
    /// Its body.
    pub body: BodyId,
    /// Its vertex in the body's mesh, or in its skin ([`crate::SoftBody::skin`]) if it has one: of a point between
    /// vertices the nearest.
    pub vertex: u32,
    /// The collider or body that pushed it.
    pub collider: ColliderId,
    /// Where it is at the end of the step, less its body's and the collider's thickness along the normal, metres: on
    /// the surface, if
    /// nothing has moved it since and it is not a triangle of it that touches.
    pub point: Vec3,
    /// Unit normal of the last push, out of the collider.
    pub normal: Vec3,
    /// Normal impulse of the last substep, N s, > 0: over the substep's length it is the force in newtons.
    pub impulse: f32,
}

/// Two features, of one body or of two, that pushed each other apart in the last substep of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairContact {
    /// A point and a triangle, or two edges.
    pub features: Features,
    /// The bodies of the first feature and of the second.
    pub bodies: [BodyId; 2],
    /// Vertices in these bodies' meshes: the point and the triangle's three, or two of each edge.
    pub vertices: [u32; 4],
    /// Where on the features the nearest points were: 0 to 1, and of each feature the sum is 1.
    pub weights: [f32; 4],
    /// Half way between these two points at the end of the step, metres.
    pub point: Vec3,
    /// From the second point to the first at the end of the step, along the normal, metres.
    pub distance: f32,
    /// The smallest distance that the contact allows, metres.
    pub reach: f32,
    /// Unit normal of the push, from the second feature to the first.
    pub normal: Vec3,
    /// Impulse of the last substep along the normal on the first feature, and against it on the second, N s, > 0: over
    /// the substep's length it is the force in newtons. Where contacts were found anew between two iterations, only
    /// that of the later ones.
    pub impulse: f32,
}

impl Scratch {
    /// Records contacts with colliders from the next step on, for [`Scratch::contacts`], and those of bodies with
    /// themselves and each
    /// other, for [`Scratch::pair_contacts`]; or no longer. It takes 16 bytes a particle and collider, which are
    /// written in each step,
    /// and 32 bytes a pair that is about to touch; where it is off it takes nothing. The result of a step is the same.
    ///
    /// # Errors
    /// If particles (rounded up to 16 in each body) and points of skins times colliders are more than 2^26; then
    /// nothing is recorded.
    ///
    /// # Panics
    /// If it was made for another plan.
    pub fn record_contacts(&mut self, plan: &Plan, on: bool) -> Result<(), Error> {
        assert_eq!(self.plan, plan.stamp, "working memory of another plan");
        self.colliders.touches = Rows::default();
        self.colliders.skins.touches = Vec::new();
        self.touching.record(false);
        if on {
            let [count, points] = Scratch::check_recording(plan)?;
            self.colliders.touches = Rows::zeros(count, 64);
            self.colliders.skins.touches = vec![[0.0; 4]; points];
            self.touching.record(true);
        }
        Ok(())
    }

    /// How many contacts of particles, and of points of skins, would be recorded; an error if these are too many.
    pub(crate) fn check_recording(plan: &Plan) -> Result<[usize; 2], Error> {
        let counts = [plan.x.len(), plan.skins.vertices.len()];
        let [count, points] = counts.map(|count| count.saturating_mul(plan.colliders.len()));
        let all = count.saturating_add(points);
        let few = all as u64 <= MAX_HELD_CONTACTS;
        let what = || "particles x colliders to record".to_owned();
        range(|| "contacts".to_owned(), what, all as f64, few, "at most 67108864")?;
        Ok([count, points])
    }

    /// Particles that colliders pushed in the last substep of the last step, if [`Scratch::record_contacts`] was on: by
    /// collider, then
    /// by body, then in the order in which the plan keeps particles. `state` is the state after that step. The same on
    /// all lanes and threads.
    ///
    /// A contact of a triangle between its corners is listed with these, each with its share of the push. Of a body
    /// with a skin its points are listed in place of particles. Bodies that touch each other are in
    /// [`Scratch::pair_contacts`].
    ///
    /// # Panics
    /// If plan or state are another's.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Collider, Input, Pose, Scene, Solver};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([3, 3], [0.2, 0.2]).placed(Pose::at([0.0, 0.0021, 0.0]), 1.0));
    /// scene.add_collider(Collider::ground());
    /// let mut solver = Solver::new(&scene)?;
    /// solver.record_contacts(true)?;
    /// for _ in 0..30 {
    ///     solver.step(&Input::frame(1.0 / 60.0));
    /// }
    /// let h = 1.0 / 60.0 / 20.0;
    /// let weight: f32 = solver.contacts().map(|contact| contact.impulse / h).sum();
    /// assert!((weight / (0.2 * 0.2 * 0.2 * 9.81) - 1.0).abs() < 0.01, "{weight} N");
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn contacts<'a>(&'a self, plan: &'a Plan, state: &'a State) -> impl Iterator<Item = Contact> + use<'a> {
        assert!(self.plan == plan.stamp && state.plan == plan.id(), "plan, state and working memory belong together");
        let runs = self.colliders.touches.chunks_exact(plan.x.len()).zip(&plan.colliders);
        runs.enumerate().flat_map(move |(c, (rows, collider))| {
            plan.bodies.iter().enumerate().flat_map(move |(b, body)| {
                let h = self.h(body.substeps);
                let pushed = &self.colliders.skins.touches[c * plan.skins.vertices.len()..];
                let of_skin = plan.skins.of_body(b).flat_map(move |tile| {
                    (0..tile.points.points()).filter_map(move |i| {
                        let [nx, ny, nz, lambda] = pushed[tile.first + i];
                        let (place, _) = tile.place(i, body.layout, &state.x);
                        let normal = Vec3::new(nx, ny, nz);
                        let point =
                            Vec3::from(place.map(|c| c as f32)) - normal * (body.thickness + collider.thickness);
                        let (body, collider) = (plan.body_at()(b), plan.collider_at()(c));
                        let vertex = plan.skins.vertices[tile.first + i];
                        let (carriers, _) = tile.points.point(i);
                        let taken = state.past.taken(plan, carriers.into_iter().map(|row| row as usize), h);
                        let impulse = lambda / taken;
                        (lambda > 0.0).then_some(Contact { body, vertex, collider, point, normal, impulse })
                    })
                });
                let particles = (body.start..body.start + body.rows).filter_map(move |row| {
                    let [nx, ny, nz, way] = body.layout.read(rows, row);
                    let [x, y, z, w] = body.layout.read(&state.x, row);
                    let touches = way > 0.0 && w > 0.0;
                    let vertex = body.vertex(row).filter(|_| touches)? as u32;
                    let normal = Vec3::new(nx, ny, nz);
                    let point = Vec3::new(x, y, z) - normal * (body.thickness_of(&[vertex]) + collider.thickness);
                    let (body, collider) = (plan.body_at()(b), plan.collider_at()(c));
                    let taken = state.past.taken(plan, std::iter::once(row), h);
                    Some(Contact { body, vertex, collider, point, normal, impulse: way / w / taken })
                });
                particles.chain(of_skin)
            })
        })
    }
    /// Pairs of features that pushed each other apart in the last substep of the last step, if
    /// [`Scratch::record_contacts`] was on: in
    /// the order in which they are solved. `state` is the state after that step. The same on all lanes and threads.
    /// What the last substep
    /// held back pushes nothing, and is not among them; nor is anything where features were too crowded for contacts.
    ///
    /// # Panics
    /// If plan or state are another's.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Collide, Input, Pose, Scene, Solver};
    /// let mut scene = Scene::new();
    /// let sheet = |n, y| Cloth::grid([n, n], [0.2, 0.2]).placed(Pose::at([0.0, y, 0.0]), 1.0).collide(Collide::Others);
    /// let table = scene.add(sheet(4, 0.0).pin(&(0..16).collect::<Vec<_>>()));
    /// let cloth = scene.add(sheet(5, 0.0041));
    /// let mut solver = Solver::new(&scene)?;
    /// solver.record_contacts(true)?;
    /// for _ in 0..30 {
    ///     solver.step(&Input::frame(1.0 / 60.0));
    /// }
    /// let contact = solver.pair_contacts().next().expect("it lies on the table");
    /// assert!(contact.bodies.contains(&table) && contact.bodies.contains(&cloth));
    /// assert!((contact.distance - contact.reach).abs() < 1e-5 && contact.normal.y.abs() > 0.99);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn pair_contacts<'a>(
        &'a self,
        plan: &'a Plan,
        state: &'a State,
    ) -> impl Iterator<Item = PairContact> + use<'a> {
        assert!(self.plan == plan.stamp && state.plan == plan.id(), "plan, state and working memory belong together");
        self.touching.recorded().filter_map(move |(features, pair, [w0, w1, w2, w3, nx, ny, nz, lambda])| {
            let bodies = pair.rows.map(|row| plan.bodies.partition_point(|b| b.start + b.rows <= row as usize));
            let (mut vertices, mut places) = ([0; 4], [Vec3::ZERO; 4]);
            for (k, row) in pair.rows.into_iter().enumerate() {
                let body = &plan.bodies[bodies[k]];
                let [x, y, z, _] = body.layout.read(&state.x, row as usize);
                (vertices[k], places[k]) = (body.vertex(row as usize)? as u32, Vec3::new(x, y, z));
            }
            // Those of the second feature are negative.
            let first = if features == Features::PointTriangle { 1 } else { 2 };
            let weights = [w0, w1, w2, w3].map(f32::abs);
            let at = |of: std::ops::Range<usize>| of.map(|k| places[k] * weights[k]).sum::<Vec3>();
            let (p, q) = (at(0..first), at(first..4));
            let normal = Vec3::new(nx, ny, nz);
            let h = self.h(plan.bodies[bodies[0]].substeps);
            let movable = pair.rows.into_iter().map(|row| row as usize);
            Some(PairContact {
                features,
                bodies: [bodies[0], bodies[3]].map(plan.body_at()),
                vertices,
                weights,
                point: (p + q) * 0.5,
                distance: (p - q).dot(normal),
                reach: pair.reach,
                normal,
                impulse: lambda / state.past.taken(plan, movable, h),
            })
        })
    }
}
