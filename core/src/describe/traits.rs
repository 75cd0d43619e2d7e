//! Properties that all recipes share: a name, pins, contacts, and the methods that set them, written once.

use crate::describe::attachment::Attached;
use crate::describe::body::{Body, Collide, Constraints};
use crate::describe::error::Error;
use crate::describe::filter::Filter;
use crate::describe::long_range::LongRange;
use crate::describe::memory::Need;
use crate::describe::pins::MovingPins;
use crate::describe::settings::Method;
use crate::describe::stiffness::Values;
use crate::describe::tether::Tether;

/// Properties of all recipes. They go to the body unchanged.
#[derive(Clone, Debug)]
pub(super) struct Traits {
    pub(super) name: String,
    pub(super) pins: Vec<u32>,
    pub(super) moving_pins: Vec<MovingPins>,
    pub(super) attached: Vec<Attached>,
    pub(super) tethers: Vec<Tether>,
    pub(super) long_range: LongRange,
    pub(super) velocity: [f32; 3],
    pub(super) thickness: Values,
    pub(super) friction: Values,
    pub(super) restitution: f32,
    pub(super) damping: f32,
    pub(super) linear_damping: f32,
    pub(super) substeps: Option<u32>,
    pub(super) method: Option<Method>,
    pub(super) drag: f32,
    pub(super) lift: f32,
    pub(super) collide: Collide,
    pub(super) filter: Filter,
    /// The user's own.
    pub(super) rows: Vec<Constraints>,
}

impl Traits {
    pub(super) fn new(thickness: f32) -> Traits {
        Traits {
            name: String::new(),
            pins: Vec::new(),
            moving_pins: Vec::new(),
            attached: Vec::new(),
            tethers: Vec::new(),
            long_range: LongRange::Off,
            velocity: [0.0; 3],
            thickness: thickness.into(),
            friction: Values::Uniform(0.5),
            restitution: 1.0,
            damping: 0.0,
            linear_damping: 0.0,
            substeps: None,
            method: None,
            drag: 0.0,
            lift: 0.0,
            collide: Collide::Nothing,
            filter: Filter::default(),
            rows: Vec::new(),
        }
    }

    /// Whether it collides with bodies.
    pub(super) fn collides(&self) -> bool {
        self.collide != Collide::Nothing
    }

    /// This need and what of these takes memory beside the recipe's own rows and vertices.
    pub(super) fn counted(&self, need: Need) -> Need {
        let moving = self.moving_pins.iter().map(|pins| pins.vertices.len());
        let attached = self.attached.iter().map(|attached| attached.vertices.len());
        let tethered = self.tethers.iter().map(|tether| tether.vertices.len());
        let named = self.pins.len() + moving.chain(attached).chain(tethered).sum::<usize>();
        let need = need.colliding(self.collides()).named(named as u64);
        self.rows.iter().fold(need, Constraints::counted)
    }

    /// The body in messages.
    pub(super) fn of(&self) -> String {
        format!("body `{}`", self.name)
    }

    /// The body with these; pinned vertices do not move.
    pub(super) fn given_to(&self, mut body: Body) -> Result<Body, Error> {
        let count = body.inv_mass.len();
        let moving = self.moving_pins.iter().flat_map(|pins| &pins.vertices);
        let attached = self.attached.iter().flat_map(|attached| &attached.vertices);
        for &pin in self.pins.iter().chain(moving).chain(attached) {
            let index = pin as usize;
            let missing = || Error::Missing { of: self.of(), what: "pinned vertex", index, count };
            let w = std::mem::replace(body.inv_mass.get_mut(index).ok_or_else(missing)?, 0.0);
            if w > 0.0 {
                body.free_masses.push((pin, w));
            }
        }
        if self.velocity != [0.0; 3] {
            body.velocities = vec![self.velocity; count];
        }
        body.name.clone_from(&self.name);
        body.moving_pins.clone_from(&self.moving_pins);
        body.attached.clone_from(&self.attached);
        body.tethers.clone_from(&self.tethers);
        body.long_range = self.long_range;
        body.constraints.extend_from_slice(&self.rows);
        body.thickness.clone_from(&self.thickness);
        body.friction.clone_from(&self.friction);
        (body.damping, body.restitution, body.linear_damping) = (self.damping, self.restitution, self.linear_damping);
        (body.drag, body.lift) = (self.drag, self.lift);
        (body.collide, body.filter) = (self.collide, self.filter);
        (body.substeps, body.method) = (self.substeps, self.method);
        Ok(body)
    }
}

/// The methods of any recipe, whose field `traits` holds `name`, `velocity`, `linear_damping` and `filter`.
macro_rules! basic {
    ($recipe:ty) => {
        impl $recipe {
            pub(super) fn name(&self) -> &str {
                &self.traits.name
            }

            pub(super) fn rename(&mut self, name: String) {
                self.traits.name = name;
            }

            /// Gives it a name.
            #[must_use]
            pub fn named(mut self, name: impl Into<String>) -> Self {
                self.traits.name = name.into();
                self
            }

            /// Velocity at the start, m/s.
            #[must_use]
            pub fn velocity(mut self, velocity: impl Into<glam::Vec3>) -> Self {
                self.traits.velocity = velocity.into().to_array();
                self
            }

            /// Which colliders and other bodies it meets; all unless told.
            #[must_use]
            pub fn filter(mut self, filter: $crate::describe::filter::Filter) -> Self {
                self.traits.filter = filter;
                self
            }

            /// Damping of the velocity relative to the world, 1/s, >= 0; 0 unless told. Without forces a velocity falls
            /// by 1/e in 1 / `rate` seconds, whatever the time step.
            #[must_use]
            pub fn linear_damping(mut self, rate: f32) -> Self {
                self.traits.linear_damping = rate;
                self
            }
        }
    };
}

/// The methods of a recipe whose field `traits` holds [`Traits`].
macro_rules! shared {
    ($recipe:ty) => {
        $crate::describe::traits::basic!($recipe);

        impl $recipe {
            /// Fixes vertices where they are; a rope's are its points. Between two of a rod's that follow one another
            /// it is clamped.
            #[must_use]
            pub fn pin(mut self, vertices: &[u32]) -> Self {
                self.traits.pins.extend_from_slice(vertices);
                self
            }

            /// Fixes vertices to a path that they follow together.
            #[must_use]
            pub fn move_pins(mut self, pins: $crate::describe::pins::MovingPins) -> Self {
                self.traits.moving_pins.push(pins);
                self
            }

            /// Keeps vertices near an obstacle, and in front of what is behind its surface.
            #[must_use]
            pub fn tether(mut self, tether: $crate::describe::tether::Tether) -> Self {
                self.traits.tethers.push(tether);
                self
            }

            /// Keeps vertices where they lie over the nearest triangles of an obstacle at the start, in every substep.
            #[must_use]
            pub fn attach(mut self, obstacle: $crate::describe::ids::BodyId, vertices: &[u32]) -> Self {
                self.traits
                    .attached
                    .push($crate::describe::attachment::Attached { to: obstacle, vertices: vertices.to_vec() });
                self
            }

            /// Particle radius, metres, >= 0: the distance that is kept from colliders; one, or one for each vertex, of
            /// which a triangle has the mean. A body that collides with bodies has one.
            #[must_use]
            pub fn thickness(mut self, thickness: impl Into<$crate::describe::stiffness::Values>) -> Self {
                self.traits.thickness = thickness.into();
                self
            }

            /// With which bodies it collides, beside colliders: none unless told.
            #[must_use]
            pub fn collide(mut self, with: $crate::describe::body::Collide) -> Self {
                self.traits.collide = with;
                self
            }

            /// Friction coefficient, >= 0: one, or one for each vertex, of which edges and triangles have the mean.
            #[must_use]
            pub fn friction(mut self, coefficient: impl Into<$crate::describe::stiffness::Values>) -> Self {
                self.traits.friction = coefficient.into();
                self
            }

            /// Factor on the restitution of colliders, 0..=1; 1 unless told.
            #[must_use]
            pub fn restitution(mut self, factor: f32) -> Self {
                self.traits.restitution = factor;
                self
            }

            /// Share of the velocity relative to the rigid motion that a step takes away, 0..=1.
            #[must_use]
            pub fn damping(mut self, k: f32) -> Self {
                self.traits.damping = k;
                self
            }

            /// Substeps that it takes in a step, 1 to 100,000, in place of the scene's: a level of detail of its own. A
            /// body that is far from the camera does with few. It moves as it would in a scene of so many substeps.
            ///
            /// Planning refuses what would meet or hold a body of other substeps: give both as many, or filters that
            /// keep them apart ([`crate::Error::SubstepsDiffer`]). Rigid bodies, fluids and grains have the scene's.
            /// Velocities of second order take one number for all.
            ///
            /// # Example
            /// ```
            /// use seidel::{Cloth, Input, Pose, Scene, Solver};
            /// let mut scene = Scene::new();
            /// scene.settings.substeps = 40.into();
            /// let near = scene.add(Cloth::grid([16, 16], [1.0, 1.0]).pin(&[0, 15]));
            /// let there = Pose::at([0.0, 0.0, -50.0]);
            /// let far = scene.add(Cloth::grid([16, 16], [1.0, 1.0]).pin(&[0, 15]).placed(there, 1.0).substeps(4));
            /// let mut solver = Solver::new(&scene)?;
            /// assert!(solver.step(&Input::frame(1.0 / 60.0)).rejected.is_none());
            /// assert_eq!([near, far].map(|body| solver.plan().substeps_of(body)), [40, 4]);
            /// # Ok::<(), seidel::Error>(())
            /// ```
            #[must_use]
            pub fn substeps(mut self, count: u32) -> Self {
                self.traits.substeps = Some(count);
                self
            }

            /// How a sweep goes over its constraints, in place of the scene's [`crate::Settings::method`]. It may touch
            /// bodies of any method; joints hold bodies of one method and relaxation together
            /// ([`crate::Error::MethodsDiffer`]). Rods can do with [`crate::Method::GaussSeidel`] alone.
            #[must_use]
            pub fn method(mut self, method: $crate::Method) -> Self {
                self.traits.method = Some(method);
                self
            }

            /// Coefficient of drag in the air, >= 0; 0 unless told. The force is rho/2 Cd A |v|^2 cos(theta) along the
            /// flow: v is the air's velocity relative to a triangle, theta the angle between it and the normal, rho the
            /// density of the scene's [`crate::Air`]. A square plate has 1.2, a long one 2.
            #[must_use]
            pub fn drag(mut self, coefficient: f32) -> Self {
                self.traits.drag = coefficient;
                self
            }

            /// Coefficient of lift, >= 0; 0 unless told. The force is rho/2 Cl A |v|^2 sin(theta) cos(theta) across the
            /// flow, to the lee side; at small angles of attack a thin plate has 2 pi, a fluttering cloth, which
            /// stalls, 1 or 2.
            #[must_use]
            pub fn lift(mut self, coefficient: f32) -> Self {
                self.traits.lift = coefficient;
                self
            }

            /// Rows that were added to its own.
            pub(super) fn own_rows(&self) -> &[$crate::describe::body::Constraints] {
                &self.traits.rows
            }

            /// Adds rows of any kind on its vertices, which stand behind the recipe's own.
            #[must_use]
            pub fn constrain(mut self, rows: $crate::describe::body::Constraints) -> Self {
                self.traits.rows.push(rows);
                self
            }
        }
    };
}

pub(super) use {basic, shared};
