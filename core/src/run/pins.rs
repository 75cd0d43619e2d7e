//! Vertices that are pinned and let go while a scene runs.

use crate::describe::error::Error;
use crate::describe::ids::BodyId;
use crate::plan::Plan;
use crate::run::state::State;

/// Without planning, and without asking for memory; but for the mass of a vertex that is not the plan's, which is
/// noted.
impl State {
    /// Pins a vertex where it is, and remembers its mass. An input may move it ([`crate::Input::pin`]). One that is
    /// pinned stays so. Frames of a rod turn on.
    ///
    /// # Errors
    /// If there is no such vertex, or the body is a fluid, of grains or disabled; then nothing has changed.
    ///
    /// # Panics
    /// If the plan is another's, or has no such body.
    pub fn pin(&mut self, plan: &Plan, body: BodyId, vertex: u32) -> Result<(), Error> {
        let place = self.vertex(plan, body, vertex)?;
        self.may_weigh(plan, place, vertex as usize, 0.0)?;
        let (b, at) = (&plan.bodies[place], vertex as usize);
        let [x, y, z, w] = b.get(&self.x, at);
        if w == 0.0 {
            return Ok(());
        }
        if b.free_mass(&plan.x, at).map(f32::to_bits) != Some(w.to_bits()) {
            let row = b.particle(vertex);
            let next = self.held.partition_point(|(of, _)| *of < row);
            self.held.insert(next, (row, w));
        }
        b.set(&mut self.x, at, [x, y, z, 0.0]);
        b.set(&mut self.v, at, [0.0; 4]);
        self.past.restart(b, b.particle(vertex) as usize, [0.0; 4]);
        Ok(())
    }

    /// Lets a pinned vertex go, with the mass that it had: when [`State::pin`] pinned it, or else as the scene has it,
    /// which knows the masses of vertices that recipes pin. One that is free stays so.
    ///
    /// # Errors
    /// If there is no such vertex, or the body is a fluid, of grains, an obstacle or disabled, or more than 64
    /// constraints rely on the pin, or nothing tells the mass ([`Error::NoMass`]: [`crate::Body`] without
    /// `free_masses`); then nothing has changed.
    ///
    /// # Panics
    /// As [`State::pin`].
    pub fn unpin(&mut self, plan: &Plan, body: BodyId, vertex: u32) -> Result<(), Error> {
        let place = self.vertex(plan, body, vertex)?;
        let (b, at) = (&plan.bodies[place], vertex as usize);
        let [x, y, z, w] = b.get(&self.x, at);
        if w != 0.0 {
            return Ok(());
        }
        let noted = self.held.binary_search_by_key(&b.particle(vertex), |(row, _)| *row);
        let mass = noted.ok().map(|noted| self.held[noted].1).or_else(|| b.free_mass(&plan.x, at));
        // What may have no mass at all says so first.
        self.may_weigh(plan, place, at, mass.unwrap_or(1.0))?;
        let Some(w) = mass else { return Err(Error::NoMass { of: format!("body `{}`", b.name), vertex }) };
        if let Ok(noted) = noted {
            self.held.remove(noted);
        }
        b.set(&mut self.x, at, [x, y, z, w]);
        b.set(&mut self.v, at, [0.0; 4]);
        self.past.restart(b, b.particle(vertex) as usize, [0.0; 4]);
        // It may have been taken into something.
        self.placed = true;
        Ok(())
    }

    /// Whether nothing but an input or a path moves a vertex.
    ///
    /// # Panics
    /// As [`State::pin`], or if there is no such vertex.
    #[must_use]
    pub fn is_pinned(&self, plan: &Plan, body: BodyId, vertex: u32) -> bool {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        plan.part(body).get(&self.x, vertex as usize)[3] == 0.0
    }

    /// The place of a body that has such a vertex.
    fn vertex(&self, plan: &Plan, body: BodyId, vertex: u32) -> Result<usize, Error> {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let place = plan.body_place(body);
        let (index, count) = (vertex as usize, plan.bodies[place].to_row.len());
        let of = || format!("body `{}`", plan.bodies[place].name);
        if index < count { Ok(place) } else { Err(Error::Missing { of: of(), what: "vertex", index, count }) }
    }
}
