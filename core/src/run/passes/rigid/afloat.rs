//! Rigid bodies as a fluid meets them.

use super::Rigid;
use super::boxes::{around, joined, pose, solid};
use super::coupling::narrow;
use crate::describe::filter::Filter;
use crate::run::passes::afloat::Afloat;
use seidel_kernels::contact::{SignedDistance, Traced};
use seidel_rigid::motion::inverse_inertia;

impl<'a> Rigid<'a> {
    /// The shapes that a fluid of these filters meets, where they are now; relative to a point. Shapes without an end
    /// are left out: a plane that moves is a collider. They are added to `to`.
    pub(crate) fn afloat(&self, filters: &[Filter], origin: [f32; 3], to: &mut Vec<Afloat<'a>>) {
        let plan = self.plan;
        let relative = |p: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| p[k] - f64::from(origin[k])) };
        let narrowed = |p: &[f64; 3]| relative(p).map(|c| c as f32);
        let shown = plan
            .shown
            .iter()
            .filter(|(body, ..)| !self.common.off.rigid[*body as usize])
            .filter(|(body, ..)| filters.iter().any(|filter| filter.meets(plan.bodies[*body as usize].filter)));
        let of = |(number, shape, own): &'a (u32, crate::describe::collider::Shape, crate::describe::pose::Pose)| {
            let number = *number as usize;
            let solid = solid(shape)?;
            let half = solid.half()?;
            let (then, now) = (self.scratch.coupling.then(number), pose(&self.state.motions[number]));
            let (start, end) = (then.place(own), now.place(own));
            let bounds = joined(&around(&start, half), &around(&end, half));
            let mass = self.state.mass(plan, number);
            let still = self.scratch.still[number];
            let (inv_mass, inv_inertia) =
                if still { (0.0, [[0.0; 3]; 3]) } else { (mass.inv_mass, inverse_inertia(now.rotation, &mass)) };
            Some(Afloat {
                body: number,
                traced: Traced { shape: solid, start: narrow(start.matrix()), end: narrow(end.matrix()) },
                from: narrowed(&start.position),
                to: narrowed(&end.position),
                bounds: bounds.map(|corner| std::array::from_fn(|k| corner[k] - origin[k])),
                center: relative(&now.position),
                inv_mass,
                locked: mass.locks.translation,
                inv_inertia,
            })
        };
        to.extend(shown.filter_map(of));
    }

    /// Notes which bodies a fluid in a box may reach: they stay awake, or wake.
    pub(crate) fn wet(&mut self, shapes: &[Afloat<'_>], [low, high]: &[[f32; 3]; 2], reach: f32) {
        for Afloat { body, bounds: [least, most], .. } in shapes {
            if (0..3).all(|k| least[k] - reach <= high[k] && low[k] <= most[k] + reach) {
                self.scratch.coupling.wet(*body);
            }
        }
    }

    /// Moves bodies by what a fluid has done to their shapes: metres, and rotation vectors.
    pub(crate) fn float(&mut self, shapes: &[Afloat<'_>], by: &[[[f64; 3]; 2]]) {
        let h = f64::from(self.common.h);
        for (shape, &change) in shapes.iter().zip(by) {
            let number = shape.body;
            if shape.inv_mass > 0.0 && change.as_flattened().iter().all(|c| c.is_finite()) {
                let (start, row) = (&self.scratch.starts[number], &mut self.scratch.rows[number]);
                self.state.motions[number].nudge(change, [[0.0; 3]; 2], start, row, h);
            }
        }
    }
}
