//! What of a plan can tear.

use super::kept::Kept;
use super::sweep::Order;
use crate::describe::body::{Body, Collide};
use crate::describe::cut::Cut;
use crate::describe::error::Error;
use crate::describe::scene::Scene;
use crate::describe::torn::sizes;
use crate::geometry::vector::{length, sub};
use std::sync::Arc;

/// A body that can tear.
#[derive(Clone, Debug)]
pub(crate) struct TearPlan {
    pub(crate) body: usize,
    /// Vertices that it begins with, and how many copies there may be.
    pub(crate) begins: usize,
    pub(crate) copies: usize,
    /// Whether it tears at a strain, and is not only cut.
    pub(crate) at_a_strain: bool,
    /// Of each cell the squared lengths at which its edges tear, m^2 (`Cells::edges`).
    pub(crate) longest: Vec<f32>,
    /// Cuts and their times, seconds.
    pub(crate) cuts: Vec<(f64, Cut)>,
    /// How large each cell is at rest, m^2 or m^3.
    pub(crate) sizes: Vec<f64>,
    /// Whether the body collides with itself.
    pub(crate) meets_itself: bool,
}

/// All that can tear, and what torn plans are made of.
#[derive(Debug)]
pub(crate) struct Tearable {
    pub(super) scene: Scene,
    pub(super) order: Order,
    pub(super) kept: Kept,
    pub(crate) bodies: Vec<TearPlan>,
}

impl TearPlan {
    fn of(number: usize, body: &Body) -> Option<TearPlan> {
        let tearing = body.tearing.as_ref()?;
        let at = |v: u32| body.positions[v as usize].map(f64::from);
        let most = |a: u32, b: u32| {
            let strain = 0.5 * [a, b].map(|v| f64::from(tearing.strain.get(v as usize))).iter().sum::<f64>();
            let most = length(sub(at(b), at(a))) * (1.0 + strain);
            (most * most) as f32
        };
        let cells = body.cells();
        let of_cell = |cell: &'_ [u32]| cells.edges().iter().map(|&[i, k]| most(cell[i], cell[k])).collect::<Vec<_>>();
        let longest: Vec<f32> = cells.each().flat_map(of_cell).collect();
        Some(TearPlan {
            at_a_strain: longest.iter().any(|most| most.is_finite()),
            body: number,
            begins: body.begins_with(),
            copies: body.most_copies(),
            longest,
            cuts: tearing.cuts.clone(),
            sizes: sizes(body),
            meets_itself: body.collide == Collide::All,
        })
    }
}

impl Tearable {
    /// None if nothing can tear.
    pub(super) fn of(scene: &Scene, order: Order, bodies: &[Arc<Body>], kept: &Kept) -> Option<Arc<Tearable>> {
        let bodies: Vec<TearPlan> =
            bodies.iter().enumerate().filter_map(|(number, body)| TearPlan::of(number, body)).collect();
        let of = || Tearable { scene: scene.clone(), order, kept: kept.clone(), bodies: bodies.clone() };
        (!bodies.is_empty()).then(|| Arc::new(of()))
    }

    /// What tells it from others, beside what lies in rows.
    pub(super) fn bytes(&self, add: &mut dyn FnMut(&[u8])) {
        for TearPlan { body, begins, copies, longest, cuts, .. } in &self.bodies {
            add(bytemuck::bytes_of(&[*body as u64, *begins as u64, *copies as u64]));
            add(bytemuck::cast_slice(&longest[..]));
            for (time, cut) in cuts {
                add(bytemuck::bytes_of(time));
                add(bytemuck::cast_slice(cut.numbers()));
            }
        }
    }
}

/// Where something tears nothing may yield: which rows a plan has, and in which order, is no part of a state.
pub(super) fn check_beside(bodies: &[Arc<Body>]) -> Result<(), Error> {
    if !bodies.iter().any(|body| body.tearing.is_some()) {
        return Ok(());
    }
    let yields = |body: &&Arc<Body>| body.constraints.iter().any(|rows| rows.plasticity.is_some());
    match bodies.iter().find(yields) {
        Some(body) => Err(Error::BesideTears { of: format!("body `{}`", body.name), what: "no rest shape may yield" }),
        None => Ok(()),
    }
}
