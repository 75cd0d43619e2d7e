//! Recipes: from what a user has (a mesh, a size, a density) to particles and rows of constraints.

use crate::describe::balloon::Balloon;
use crate::describe::body::Body;
use crate::describe::cloth::Cloth;
use crate::describe::error::Error;
use crate::describe::fluid::Fluid;
use crate::describe::grains::Grains;
use crate::describe::memory::Need;
use crate::describe::obstacle::Obstacle;
use crate::describe::rod::Rod;
use crate::describe::rope::Rope;
use crate::describe::shape_matched::ShapeMatched;
use crate::describe::soft_body::SoftBody;
use crate::describe::stiffness::Values;

/// The kinds of recipes, a line each.
macro_rules! recipes {
    ($($(#[$doc:meta])* $recipe:ident,)*) => {
        /// The recipes that a scene accepts as a body.
        #[derive(Clone, Debug)]
        pub enum Recipe {
            $($(#[$doc])* $recipe($recipe),)*
        }

        impl Recipe {
            fn unmeasured(&self) -> Result<Body, Error> {
                match self {
                    $(Recipe::$recipe(recipe) => recipe.body(),)*
                }
            }

            /// The memory that it needs when it is planned, estimated.
            #[must_use]
            pub fn need(&self) -> Need {
                match self {
                    $(Recipe::$recipe(recipe) => recipe.need(),)*
                }
            }

            /// Its name; empty if it has none.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Recipe::$recipe(recipe) => recipe.name(),)*
                }
            }

            /// Gives it a name.
            pub fn rename(&mut self, name: String) {
                match self {
                    $(Recipe::$recipe(recipe) => recipe.rename(name),)*
                }
            }
        }

        $(impl From<$recipe> for Recipe {
            fn from(recipe: $recipe) -> Self {
                Recipe::$recipe(recipe)
            }
        })*
    };
}

recipes! {
    /// A triangle mesh that resists stretch, shear and bending.
    Cloth,
    /// A chain of particles.
    Rope,
    /// A round elastic rod.
    Rod,
    /// A solid of tetrahedra.
    SoftBody,
    /// A closed skin around a volume.
    Balloon,
    /// Particles that keep their shape.
    ShapeMatched,
    /// Particles that keep their density.
    Fluid,
    /// Spheres that keep apart, with friction.
    Grains,
    /// A mesh that goes where it is taken.
    Obstacle,
    /// Particles and constraints of the user's own.
    Body,
}

impl Recipe {
    /// Rows of the user's own.
    fn own_rows(&self) -> u64 {
        let rows = match self {
            Recipe::Cloth(recipe) => recipe.own_rows(),
            Recipe::Rope(recipe) => recipe.own_rows(),
            Recipe::Rod(recipe) => recipe.own_rows(),
            Recipe::SoftBody(recipe) => recipe.own_rows(),
            Recipe::Balloon(recipe) => recipe.own_rows(),
            Recipe::ShapeMatched(recipe) => recipe.own_rows(),
            Recipe::Body(body) => &body.constraints,
            Recipe::Fluid(_) | Recipe::Grains(_) | Recipe::Obstacle(_) => return 0,
        };
        rows.iter().map(|rows| rows.rows() as u64).sum()
    }

    /// What makes it need less memory.
    #[must_use]
    pub fn needs_less_with(&self) -> &'static str {
        match self {
            Recipe::Fluid(_) => "a larger spacing, a smaller capacity or emitters that give less",
            Recipe::Grains(_) => "a larger radius",
            Recipe::ShapeMatched(shape) if shape.has_clusters() => "a coarser mesh or smaller clusters",
            _ if self.own_rows() > self.need().particles => "fewer rows of constraints",
            Recipe::Cloth(cloth) if cloth.is_grid() => "a smaller `resolution`",
            Recipe::Rope(_) | Recipe::Rod(_) => "fewer `segments`",
            _ => "a coarser mesh",
        }
    }

    /// Particles and rows, all rest values filled in, everything checked.
    pub(crate) fn body(&self) -> Result<Body, Error> {
        let mut body = self.unmeasured()?;
        let unmeasured =
            body.constraints.iter().any(|c| c.rest.is_empty() && !c.at.is_empty() && !c.kind.params().is_empty());
        let by_vertex = body.constraints.iter().any(|c| matches!(c.stiffness.values(), Values::PerVertex(_)));
        if unmeasured || by_vertex {
            // Rows are checked before they are measured: a measurement indexes.
            body.check_rows()?;
            body.measure_rest()?;
        }
        body.check()?;
        Ok(body)
    }
}

impl Body {
    fn body(&self) -> Result<Body, Error> {
        Ok(self.clone())
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn rename(&mut self, name: String) {
        self.name = name;
    }
}
