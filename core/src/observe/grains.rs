//! Readings of grains: their material, and which touch.

use crate::describe::grain::Grain;
use crate::describe::ids::BodyId;
use crate::plan::Plan;
use crate::plan::fluid::LeftOut;
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

impl State {
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
