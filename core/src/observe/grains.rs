//! Readings of grains: their material, and which touch.

use crate::describe::emitter::Emitter;
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
        let Some(grains) = &self.grains else { return };
        for LeftOut { body, count, place } in &grains.left_out {
            let (name, of) = (&self.bodies[*body].name, grains.bodies.iter().find(|of| of.body == *body));
            let left_out = grains.left_out.iter().filter(|of| of.body == *body).map(|of| of.count).sum::<usize>();
            let all = left_out + of.map_or(0, |of| of.filled);
            notes.push(format!("body `{name}`: {count} of its {all} grains began {place} and are left out"));
        }
        for of in &grains.bodies {
            // They are born where they are at the beginning of a step.
            let way = |emitter: &Emitter| emitter.speed * self.settings.dt / of.sources.spacing;
            let clearance = |emitter: &Emitter| (way(emitter).ceil() as u32).clamp(1, MOST_CLEARANCE);
            self.warn_of_emitters((of.body, &of.sources), (&clearance, "what comes may be born in it"), notes);
        }
    }
}

/// Spacings before an opening that are looked at.
const MOST_CLEARANCE: u32 = 50;

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
    /// The numbers of their births of a body's grains, in the order of its vertices: those at the start have their
    /// vertices' own. Of what is not there, the last that was born there. None where no grain comes or goes.
    ///
    /// # Panics
    /// If the body is of no grains of the plan.
    #[must_use]
    pub fn grain_ids(&self, plan: &Plan, body: BodyId) -> &[u64] {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let at = plan.grains().position(|(id, _)| id == body);
        let at = at.unwrap_or_else(|| panic!("body {} is of no grains of this plan", body.index()));
        &self.grains.bodies[at].ids
    }

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
