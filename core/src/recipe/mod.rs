//! Recipes: from what a user has (a mesh, a size, a density) to particles and rows of constraints.

mod cloth;
mod grid;
mod obstacle;
mod rope;

pub use cloth::{BendModel, Cloth};
pub use grid::GridPins;
pub use obstacle::Obstacle;
pub use rope::Rope;

use crate::attach::Attached;
use crate::body::{Body, Collide, Constraints};
use crate::error::Error;
use crate::filter::Filter;
use crate::pins::MovingPins;
use crate::tether::Tether;

/// What all recipes have: it goes to the body as it is.
#[derive(Clone, Debug)]
struct Traits {
    name: String,
    pins: Vec<u32>,
    moving_pins: Vec<MovingPins>,
    attached: Vec<Attached>,
    tethers: Vec<Tether>,
    thickness: f32,
    friction: f32,
    restitution: f32,
    damping: f32,
    drag: f32,
    lift: f32,
    collide: Collide,
    filter: Filter,
    /// The user's own.
    rows: Vec<Constraints>,
}

impl Traits {
    fn new(thickness: f32) -> Traits {
        Traits {
            name: String::new(),
            pins: Vec::new(),
            moving_pins: Vec::new(),
            attached: Vec::new(),
            tethers: Vec::new(),
            thickness,
            friction: 0.5,
            restitution: 1.0,
            damping: 0.0,
            drag: 0.0,
            lift: 0.0,
            collide: Collide::Nothing,
            filter: Filter::default(),
            rows: Vec::new(),
        }
    }

    /// The body in messages.
    fn of(&self) -> String {
        format!("body `{}`", self.name)
    }

    /// The body with these; pinned vertices do not move.
    fn given_to(&self, mut body: Body) -> Result<Body, Error> {
        let count = body.inv_mass.len();
        let moving = self.moving_pins.iter().flat_map(|pins| &pins.vertices);
        let attached = self.attached.iter().flat_map(|attached| &attached.vertices);
        for &pin in self.pins.iter().chain(moving).chain(attached) {
            let index = pin as usize;
            let missing = || Error::Missing { of: self.of(), what: "pinned vertex", index, count };
            *body.inv_mass.get_mut(index).ok_or_else(missing)? = 0.0;
        }
        body.name.clone_from(&self.name);
        body.moving_pins.clone_from(&self.moving_pins);
        body.attached.clone_from(&self.attached);
        body.tethers.clone_from(&self.tethers);
        body.constraints.extend_from_slice(&self.rows);
        (body.thickness, body.friction, body.damping) = (self.thickness, self.friction, self.damping);
        body.restitution = self.restitution;
        (body.drag, body.lift) = (self.drag, self.lift);
        (body.collide, body.filter) = (self.collide, self.filter);
        Ok(body)
    }
}

/// What a scene can hold as a body.
#[derive(Clone, Debug)]
pub enum Recipe {
    /// A triangle mesh that resists stretch, shear and bending.
    Cloth(Cloth),
    /// A chain of particles.
    Rope(Rope),
    /// A mesh that goes where it is taken.
    Obstacle(Obstacle),
    /// Particles and constraints of the user's own.
    Body(Body),
}

impl Recipe {
    /// Particles and rows, all rest values filled in, everything checked.
    pub(crate) fn body(&self) -> Result<Body, Error> {
        let mut body = match self {
            Recipe::Cloth(cloth) => cloth.body()?,
            Recipe::Rope(rope) => rope.body()?,
            Recipe::Obstacle(obstacle) => obstacle.body()?,
            Recipe::Body(body) => body.clone(),
        };
        let unmeasured =
            body.constraints.iter().any(|c| c.rest.is_empty() && !c.at.is_empty() && !c.kind.params().is_empty());
        if unmeasured {
            // Rows are checked before they are measured: a measurement indexes.
            body.check_rows()?;
            body.measure_rest()?;
        }
        body.check()?;
        Ok(body)
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Recipe::Cloth(cloth) => &cloth.traits.name,
            Recipe::Rope(rope) => &rope.traits.name,
            Recipe::Obstacle(obstacle) => &obstacle.name,
            Recipe::Body(body) => &body.name,
        }
    }

    pub(crate) fn rename(&mut self, name: String) {
        match self {
            Recipe::Cloth(cloth) => cloth.traits.name = name,
            Recipe::Rope(rope) => rope.traits.name = name,
            Recipe::Obstacle(obstacle) => obstacle.name = name,
            Recipe::Body(body) => body.name = name,
        }
    }
}

impl From<Cloth> for Recipe {
    fn from(cloth: Cloth) -> Self {
        Recipe::Cloth(cloth)
    }
}

impl From<Rope> for Recipe {
    fn from(rope: Rope) -> Self {
        Recipe::Rope(rope)
    }
}

impl From<Obstacle> for Recipe {
    fn from(obstacle: Obstacle) -> Self {
        Recipe::Obstacle(obstacle)
    }
}

impl From<Body> for Recipe {
    fn from(body: Body) -> Self {
        Recipe::Body(body)
    }
}
