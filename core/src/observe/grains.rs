//! Readings of grains: their material, and which touch.

use crate::describe::grain::Grain;
use crate::describe::ids::BodyId;
use crate::plan::Plan;
use crate::plan::carve::LeftOut;
use crate::plan::grains::GrainBody;
use crate::run::state::State;

impl Plan {
    /// The bodies of grains, with what each is made of.
    pub fn grains(&self) -> impl Iterator<Item = (BodyId, Grain)> + '_ {
        let id = self.body_at();
        let of = move |of: &GrainBody| (id(of.body), of.grain);
        self.grains.iter().flat_map(|grains| &grains.bodies).map(of)
    }

    /// Warnings about grains.
    pub(super) fn warn_of_grains(&self, notes: &mut Vec<String>) {
        for LeftOut { body, count, within } in self.grains.iter().flat_map(|grains| &grains.left_out) {
            let (name, all) = (&self.bodies[*body].name, self.bodies[*body].to_row.len());
            notes.push(format!("body `{name}`: {count} of its {all} grains began inside {within} and are left out"));
        }
    }
}

/// How all grains of a scene are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GrainFigures {
    /// Grains that are there.
    pub particles: usize,
    /// Pairs that touched at the end of the last step.
    pub contacts: usize,
    /// The deepest overlap of those pairs, metres.
    pub deepest_overlap: f64,
    /// Joules.
    pub kinetic_energy: f64,
}

impl State {
    /// How all grains are doing.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn grain_figures(&self, plan: &Plan) -> GrainFigures {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let mut figures = GrainFigures { contacts: self.grains.pairs.len(), ..GrainFigures::default() };
        let Some(grains) = &plan.grains else { return figures };
        for of in &grains.bodies {
            let body = &plan.bodies[of.body];
            for vertex in 0..body.to_row.len() {
                let (x, v) = (body.get(&self.x, vertex), body.get(&self.v, vertex));
                if x[3] > 0.0 && x.iter().chain(&v).all(|c| c.is_finite()) {
                    figures.particles += 1;
                    let squared = (0..3).fold(0.0, |sum, k| sum + f64::from(v[k]) * f64::from(v[k]));
                    figures.kinetic_energy += 0.5 * squared / f64::from(x[3]);
                }
            }
        }
        let of = |row: u32| {
            let place = |of: &GrainBody| Some((plan.bodies[of.body].vertex(row as usize)?, of.body));
            let found = grains.bodies.iter().enumerate().find_map(|(number, of)| Some((number, place(of)?)));
            found.map(|(number, (vertex, body))| (number, plan.bodies[body].get(&self.x, vertex)))
        };
        for [one, other] in &self.grains.pairs {
            let (Some((a, p)), Some((b, q))) = (of(*one), of(*other)) else { continue };
            let d: [f64; 3] = std::array::from_fn(|k| f64::from(p[k]) - f64::from(q[k]));
            let squared = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
            let overlap = f64::from(grains.contact(a, b).0) - squared.sqrt();
            figures.deepest_overlap = if overlap > figures.deepest_overlap { overlap } else { figures.deepest_overlap };
        }
        figures
    }

    /// Grains that touched each other at the end of the last step, each pair once: their bodies and vertices.
    ///
    /// # Panics
    /// If the state is another plan's.
    pub fn grain_contacts<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = [(BodyId, u32); 2]> + 'a {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let id = plan.body_at();
        self.grains.pairs.iter().filter_map(move |rows| {
            let of = |row: u32| {
                let grains = plan.grains.iter().flat_map(|grains| &grains.bodies);
                let found = grains.filter_map(|of| Some((of.body, plan.bodies[of.body].vertex(row as usize)?))).next();
                found.map(|(body, vertex)| (id(body), vertex as u32))
            };
            Some([of(rows[0])?, of(rows[1])?])
        })
    }
}
