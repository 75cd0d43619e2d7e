//! Results of planning each body by itself: kept by who will plan the scene again after an edit.

use crate::describe::body::Body;
use crate::describe::ids::Numbers;
use crate::describe::recipe::Recipe;
use crate::describe::scene::Scene;
use crate::plan::hanging::Hung;
use std::sync::Arc;

/// Bodies of a scene as they were planned, in its order.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(super) recipes: Vec<Arc<Recipe>>,
    /// As their recipes make them.
    pub(super) bodies: Vec<Arc<Body>>,
    /// None of those that joints hold.
    pub(super) hung: Vec<Option<Hung>>,
}

impl Kept {
    /// Where each body of an edited scene stood that has the recipe that it had; `numbers` are those of the bodies
    /// then.
    pub(super) fn same(&self, scene: &Scene, numbers: &Numbers) -> Vec<Option<usize>> {
        let there = |(number, recipe): (u32, &Arc<Recipe>)| {
            let place = numbers.place(number)?;
            Arc::ptr_eq(self.recipes.get(place)?, recipe).then_some(place)
        };
        scene.numbers.bodies.each().zip(&scene.bodies).map(there).collect()
    }
}
