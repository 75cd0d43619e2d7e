//! What of a plan can tear, and the plan of what is left.
//!
//! A torn plan is made anew of the same scene, with bodies that have torn. Rows of what a body begins with stay where they were, and copies have those
//! behind them that the plan keeps free: so a state fits all plans that its scene can tear into, and so does what was read with one of them.

use super::kept::Kept;
use super::{Order, Plan};
use crate::describe::body::Body;
use crate::describe::error::Error;
use crate::describe::scene::Scene;
use crate::describe::tears::{Tears, areas};
use crate::geometry::fans::Fans;
use crate::geometry::vector::{length, sub};
use std::sync::Arc;

/// A body that can tear.
#[derive(Clone, Debug)]
pub(crate) struct TearPlan {
    pub(crate) body: usize,
    /// Vertices that it begins with, and how many copies there may be.
    pub(crate) begins: usize,
    pub(crate) copies: usize,
    /// Of each triangle the squared lengths at which its sides tear, m^2: from each corner to the next.
    pub(crate) longest: Vec<[f32; 3]>,
    /// Areas at rest, m^2.
    pub(crate) areas: Vec<f64>,
}

/// All that can tear, and what torn plans are made of.
#[derive(Debug)]
pub(crate) struct Tearable {
    scene: Scene,
    order: Order,
    kept: Kept,
    pub(crate) bodies: Vec<TearPlan>,
}

impl TearPlan {
    fn of(number: usize, body: &Body) -> Option<TearPlan> {
        let tearing = body.tearing.as_ref()?;
        let at = |v: u32| body.positions[v as usize].map(f64::from);
        let longest = |t: &[u32; 3]| {
            [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| {
                let strain = 0.5 * [a, b].map(|v| f64::from(tearing.strain.get(v as usize))).iter().sum::<f64>();
                let most = length(sub(at(b), at(a))) * (1.0 + strain);
                (most * most) as f32
            })
        };
        Some(TearPlan {
            body: number,
            begins: body.begins_with(),
            copies: body.most_copies(),
            longest: body.triangles.iter().map(longest).collect(),
            areas: areas(body),
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
        for TearPlan { body, begins, copies, longest, .. } in &self.bodies {
            add(bytemuck::bytes_of(&[*body as u64, *begins as u64, *copies as u64]));
            add(bytemuck::cast_slice(longest));
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

impl Plan {
    /// The plan in which nothing has torn.
    pub(crate) fn untorn(&self) -> &Plan {
        self.base.as_deref().unwrap_or(self)
    }

    /// Whether splits are of bodies that can tear, one after another, and not more than they may have.
    pub(crate) fn fits_tears(&self, tears: &Tears) -> bool {
        let bodies: &[TearPlan] = self.tearing.as_ref().map_or(&[], |tearing| &tearing.bodies);
        let triangles = |of: &TearPlan| self.untorn().bodies[of.body].triangles.to_vec();
        let mut fans: Vec<Option<Fans>> = vec![None; bodies.len()];
        tears.each().all(|(body, vertex, moved)| {
            let Some(at) = bodies.iter().position(|of| of.body == body as usize) else { return false };
            let of = &bodies[at];
            let fans = fans[at].get_or_insert_with(|| Fans::new(triangles(of), of.begins));
            let fits = (fans.count() as usize) < of.begins + of.copies && fans.is_part(vertex, moved);
            if fits {
                fans.part(vertex, moved);
            }
            fits
        })
    }

    /// The same plan after other splits.
    pub(crate) fn with_tears(&self, tears: &Tears) -> Result<Plan, Error> {
        if tears.is_empty() {
            return Ok(self.untorn().clone());
        }
        let of = || self.bodies.first().map_or_else(String::new, |body| format!("body `{}`", body.name));
        let base = self.base.clone().unwrap_or_else(|| Arc::new(self.clone()));
        let tearing = base.tearing.clone().ok_or_else(|| Error::ForeignTears { of: of() })?;
        let before = Some((self, &tearing.kept));
        Ok(Plan::make(&tearing.scene, tearing.order, before, Some((&base, tears)))?.0)
    }
}
