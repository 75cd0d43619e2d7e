//! The plan of what is left.
//!
//! A torn plan is made anew of the same scene, with bodies that have torn. Rows of what a body begins with stay where
//! they were, and copies have those behind them that the plan keeps free: so a state fits all plans that its scene can
//! tear into, and so does what was read with one of them.

use super::Plan;
use super::tearing::TearPlan;
use crate::describe::error::Error;
use crate::describe::torn::Tears;
use crate::geometry::fans::Fans;
use std::sync::Arc;

impl Plan {
    /// The plan in which nothing has torn.
    pub(crate) fn untorn(&self) -> &Plan {
        self.base.as_deref().unwrap_or(self)
    }

    /// Whether splits are of bodies that can tear, one after another, and not more than they may have.
    pub(crate) fn fits_tears(&self, tears: &Tears) -> bool {
        let bodies: &[TearPlan] = self.tearing.as_ref().map_or(&[], |tearing| &tearing.bodies);
        let cells = |of: &TearPlan| self.untorn().bodies[of.body].cells();
        let mut fans: Vec<Option<Fans>> = vec![None; bodies.len()];
        tears.each().all(|(body, vertex, moved)| {
            let Some(at) = bodies.iter().position(|of| of.body == body as usize) else { return false };
            let of = &bodies[at];
            let fans = fans[at].get_or_insert_with(|| Fans::new(cells(of), of.begins));
            let fits = (fans.count() as usize) < of.begins + of.copies && fans.is_part(vertex, moved);
            if fits {
                fans.part(vertex, moved);
            }
            fits
        })
    }

    /// Whether facets between cells, [body, cell, cell], are of bodies that can tear.
    pub(crate) fn fits_slits(&self, slits: &[[u32; 3]]) -> bool {
        slits.iter().all(|&[body, a, b]| {
            let body = self.tearing.iter().flat_map(|all| &all.bodies).find(|of| of.body == body as usize);
            body.is_some_and(|of| a < b && (b as usize) < of.sizes.len())
        })
    }

    /// Whether nothing has torn in it.
    pub(crate) fn is_untorn(&self) -> bool {
        self.base.is_none()
    }

    /// Whether both are plans of one scene with the same things in it: states, ids and inputs of the one are those of
    /// the other.
    pub(crate) fn is_interchangeable(&self, other: &Plan) -> bool {
        let same = Arc::ptr_eq(&self.numbers, &other.numbers) || self.numbers == other.numbers;
        same && (self.id, self.scene, self.stamp) == (other.id, other.scene, other.stamp)
            && (self.origin, self.shift) == (other.origin, other.shift)
    }

    /// The same plan after other splits.
    pub(crate) fn with_tears(&self, tears: &Tears) -> Result<Plan, Error> {
        if self.shift != [0.0; 3] {
            let plan = self.described().with_tears(tears)?.shifted(self.shift)?;
            return Ok(Plan { origin: self.origin, ..plan });
        }
        if tears.is_empty() {
            return Ok(self.untorn().clone());
        }
        let base = self.base.clone().unwrap_or_else(|| Arc::new(self.clone()));
        self.with_tears_of(base, tears)
    }

    /// The plan after splits of `base`, in which nothing has torn.
    pub(crate) fn with_tears_of(&self, base: Arc<Plan>, tears: &Tears) -> Result<Plan, Error> {
        let of = || self.bodies.first().map_or_else(String::new, |body| format!("body `{}`", body.name));
        let tearing = base.tearing.clone().ok_or_else(|| Error::ForeignTears { of: of() })?;
        let before = Some((self, &tearing.kept));
        Ok(Plan::make(&tearing.scene, tearing.order, before, Some((&base, tears)))?.0)
    }
}
