//! Contacts of the last step, one by one: for whoever wants to know who touches what, and how hard.

use crate::error::{Error, range};
use crate::plan::Plan;
use crate::scene::{BodyId, ColliderId};
use crate::scratch::Scratch;
use crate::state::State;
use crate::tuning::MAX_HELD_CONTACTS;
use glam::Vec3;
use seidel_kernels::Rows;

/// A particle that a collider pushed in the last substep of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Its body.
    pub body: BodyId,
    /// Its vertex in the body's mesh.
    pub vertex: u32,
    /// What pushed it.
    pub collider: ColliderId,
    /// Where it is at the end of the step, less its body's and the collider's thickness along the normal, metres: on the surface, if
    /// nothing has moved it since.
    pub point: Vec3,
    /// Unit normal of the last push, out of the collider.
    pub normal: Vec3,
    /// Multiplier of the normal, summed over the substep's iterations, kg m, > 0: over the square of the substep's length it is the
    /// force in newtons.
    pub lambda: f32,
}

impl Scratch {
    /// Records contacts with colliders from the next step on, for [`Scratch::contacts`]; or no longer. It takes 16 bytes a particle and
    /// collider, which are written in each step; where it is off it takes nothing. The result of a step is the same.
    ///
    /// # Errors
    /// If particles (rounded up to 16 in each body) times colliders are more than 2^26; then nothing is recorded.
    ///
    /// # Panics
    /// If it was made for another plan.
    pub fn record_contacts(&mut self, plan: &Plan, on: bool) -> Result<(), Error> {
        assert_eq!(self.plan, plan.id(), "working memory of another plan");
        self.touches = Rows::default();
        if on {
            let count = plan.x.len().saturating_mul(plan.colliders.len());
            let few = count as u64 <= MAX_HELD_CONTACTS;
            let what = || "particles x colliders to record".to_owned();
            range(|| "contacts".to_owned(), what, count as f64, few, "at most 67108864")?;
            self.touches = Rows::zeros(count, 64);
        }
        Ok(())
    }

    /// Particles that colliders pushed in the last substep of the last step, if [`Scratch::record_contacts`] was on: by collider, then
    /// by body, then in the order in which the plan keeps particles. `state` is what that step left. The same on all lanes and threads.
    ///
    /// What only a triangle touches, between its corners, and bodies that touch each other are not among them.
    ///
    /// # Panics
    /// If plan or state are another's.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Collider, Input, Pose, Scene, Solver};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([3, 3], [0.2, 0.2]).placed(Pose::at([0.0, 0.0021, 0.0]), 1.0));
    /// scene.collide(Collider::ground());
    /// let mut solver = Solver::new(&scene)?;
    /// solver.record_contacts(true)?;
    /// for _ in 0..30 {
    ///     solver.step(&Input::frame(1.0 / 60.0));
    /// }
    /// let h = 1.0 / 60.0 / 20.0;
    /// let weight: f32 = solver.contacts().map(|contact| contact.lambda / (h * h)).sum();
    /// assert!((weight / (0.2 * 0.2 * 0.2 * 9.81) - 1.0).abs() < 0.01, "{weight} N");
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn contacts<'a>(&'a self, plan: &'a Plan, state: &'a State) -> impl Iterator<Item = Contact> + use<'a> {
        assert!(self.plan == plan.id() && state.plan == plan.id(), "plan, state and working memory belong together");
        let runs = self.touches.chunks_exact(plan.x.len()).zip(&plan.colliders);
        runs.enumerate().flat_map(move |(c, (rows, collider))| {
            plan.bodies.iter().enumerate().flat_map(move |(b, body)| {
                (body.start..body.start + body.rows).filter_map(move |row| {
                    let [nx, ny, nz, way] = body.layout.read(rows, row);
                    let [x, y, z, w] = body.layout.read(&state.x, row);
                    let touches = way > 0.0 && w > 0.0;
                    let vertex = body.vertex(row).filter(|_| touches)? as u32;
                    let normal = Vec3::new(nx, ny, nz);
                    let point = Vec3::new(x, y, z) - normal * (body.thickness + collider.thickness);
                    let (body, collider) = (BodyId(b as u32), ColliderId(c as u32));
                    Some(Contact { body, vertex, collider, point, normal, lambda: way / w })
                })
            })
        })
    }
}
