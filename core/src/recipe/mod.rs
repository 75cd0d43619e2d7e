//! Recipes: from what a user has (a mesh, a size, a density) to particles and rows of constraints.

mod cloth;
mod rope;

pub use cloth::{Cloth, GridPins};
pub use rope::Rope;

use crate::body::Body;
use crate::error::Error;

/// What a scene can hold as a body.
#[derive(Clone, Debug)]
pub enum Recipe {
    /// A triangle mesh that resists stretch, shear and bending.
    Cloth(Cloth),
    /// A chain of particles.
    Rope(Rope),
    /// Particles and constraints of the user's own.
    Body(Body),
}

impl Recipe {
    /// Particles and rows, all rest values filled in, everything checked.
    pub(crate) fn body(&self) -> Result<Body, Error> {
        let mut body = match self {
            Recipe::Cloth(cloth) => cloth.body()?,
            Recipe::Rope(rope) => rope.body()?,
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
            Recipe::Cloth(cloth) => cloth.name(),
            Recipe::Rope(rope) => rope.name(),
            Recipe::Body(body) => &body.name,
        }
    }

    pub(crate) fn rename(&mut self, name: String) {
        match self {
            Recipe::Cloth(cloth) => cloth.rename(name),
            Recipe::Rope(rope) => rope.rename(name),
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

impl From<Body> for Recipe {
    fn from(body: Body) -> Self {
        Recipe::Body(body)
    }
}
