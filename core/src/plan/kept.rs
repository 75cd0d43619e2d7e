//! What planning has made of each body by itself: kept by who will plan the scene again after an edit.

use crate::describe::body::Body;
use crate::describe::recipe::Recipe;
use crate::describe::scene::Scene;
use crate::plan::Plan;
use crate::plan::hanging::Hung;
use std::sync::Arc;

/// Bodies of a scene as they were planned, in its order.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(super) recipes: Vec<Arc<Recipe>>,
    /// As their recipes make them.
    pub(super) bodies: Vec<Arc<Body>>,
    /// None of those that joints hold.
    pub(super) hung: Vec<Option<Hung>>,
}

/// The plan before, and what was kept of its bodies.
#[derive(Clone, Copy)]
pub(super) struct Past<'a> {
    pub(super) plan: &'a Plan,
    pub(super) kept: &'a Kept,
}

impl Past<'_> {
    /// Where each body of a scene stood that has the recipe that it had.
    pub(super) fn same(&self, scene: &Scene) -> Vec<Option<usize>> {
        let there = |(number, recipe): (u32, &Arc<Recipe>)| {
            let place = self.plan.numbers.bodies.place(number)?;
            Arc::ptr_eq(self.kept.recipes.get(place)?, recipe).then_some(place)
        };
        match scene.tag == self.plan.scene {
            true => scene.numbers.bodies.each().zip(&scene.bodies).map(there).collect(),
            false => vec![None; scene.bodies.len()],
        }
    }
}
