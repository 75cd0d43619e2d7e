//! A state goes on in another plan: of the same scene after an edit, or of the same bodies in another scene.

use crate::describe::error::Error;
use crate::describe::torn::Tears;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::plan::family::Family;
use crate::run::before::Before;
use crate::run::rigid_events::RigidEvent;
use crate::run::state::State;
use seidel_kernels::Rows;
use std::ops::Range;

impl State {
    /// This state of the plan `from` as a state of `to`.
    ///
    /// Plans of one scene, or of a scene and a clone of it that was edited: what has the same id goes on, and what is
    /// new begins as its recipe says. Plans of two scenes: all bodies, rigid bodies and their joints go on, each as the
    /// one that stands in its place, and there are as many; a collider of `from` that `to` has under the same name, at
    /// the same pose and with the same motion, stays where it is. Either way a body that goes on has as many vertices
    /// and frames, and the same triangles and tetrahedra. Its material, its joints and pins, the colliders and the
    /// settings may be others.
    ///
    /// Positions, rotations, velocities, what rounding left of them, the time, fluids, contacts of grains, rigid bodies
    /// with their contacts and sleep, and the last substep of a velocity update of second order stay. An inverse mass,
    /// a stiffness and a motor are those of `to`, unless the state's own was changed by a hand, an input or a loss:
    /// then it stays, where `to` allows that. What has flowed of a rest shape stays where rows of the same kind and
    /// vertices yield in `to`, a length's as its strain; it is lost where they no longer do. A collider whose pose or
    /// motion has been edited is where `to` has it at this time. Where plans have the same origin, the state's own
    /// stays; otherwise it is that of `to`, and all that has local coordinates goes with it. Islands of rigid bodies
    /// sleep on, unless one of them, or what they touch, is another or gone.
    ///
    /// Where `to` is a plan of the same scene, the state goes on with the same bits. Something new that is inside of
    /// something is let out as at a scene's start, and the hash says so until a step finds all outside.
    ///
    /// # Errors
    /// If the state is not one of `from`, or a body that goes on has other vertices or elements.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Input, Plan, Scene, Solver, State};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([8, 8], [1.0, 1.0]));
    /// let mut solver = Solver::new(&scene)?;
    /// (0..10).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
    /// scene.add(Cloth::grid([4, 4], [1.0, 1.0]));
    /// let more = Plan::new(&scene)?;
    /// let state = solver.state().carried(solver.plan(), &more)?;
    /// assert_eq!(state.time(), solver.state().time());
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn carried(&self, from: &Plan, to: &Plan) -> Result<State, Error> {
        if let Some(beside) = to.beside(from)? {
            let mut state = self.carried(from, &beside)?;
            state.put_into(to);
            return Ok(state);
        }
        let tears = self.tears_in(from, to)?;
        match to.tears == tears {
            true => self.carried_into(from, to),
            false => self.carried_into(from, &to.with_tears(&tears)?),
        }
    }

    /// What has torn of the bodies that another plan has, in it.
    pub(crate) fn tears_in(&self, from: &Plan, to: &Plan) -> Result<Tears, Error> {
        let of = || "carried state".to_owned();
        if self.plan != from.id {
            return Err(Error::OtherPlan { what: "state" });
        }
        if self.tears.is_empty() && self.tears.slits().is_empty() {
            return Ok(Tears::default());
        }
        if !from.is_torn_as(self) {
            return Err(Error::OtherTears { of: of() });
        }
        let before = Before::of(from, to)?;
        // What has torn belongs to a mesh.
        for (new, old) in before.bodies.iter().enumerate() {
            let torn =
                |old: &usize| self.tears.of(*old).next().is_some() || self.tears.slits_of(*old as u32).next().is_some();
            let Some(old) = old.filter(torn) else { continue };
            let (a, b) = (&from.untorn().bodies[old], &to.untorn().bodies[new]);
            if a.triangles != b.triangles {
                return Err(Error::OtherElements { of: of(), body: b.name.clone() });
            }
        }
        Ok(self.tears.carried(&before.bodies))
    }

    /// [`State::carried`] where `to` has torn as the state has.
    pub(crate) fn carried_into(&self, from: &Plan, to: &Plan) -> Result<State, Error> {
        if self.plan != from.id {
            return Err(Error::OtherPlan { what: "state" });
        }
        if !from.is_torn_as(self) {
            return Err(Error::OtherTears { of: "carried state".to_owned() });
        }
        let of = || "carried state".to_owned();
        let same = |what: String, got: usize, want: usize| match got == want {
            true => Ok(()),
            false => Err(Error::Length { of: of(), what, got, want }),
        };
        let before = Before::of(from, to)?;
        // The body before and the body, with their places.
        let pairs = || {
            let kept = before.bodies.iter().enumerate().filter_map(|(new, old)| Some(((*old)?, new)));
            kept.map(|(old, new)| ((old, &from.bodies[old]), (new, &to.bodies[new])))
        };
        for ((_, a), (_, b)) in pairs() {
            same(format!("vertices of body `{}`", b.name), a.to_row.len(), b.to_row.len())?;
            same(format!("frames of body `{}`", b.name), a.frames.to_row.len(), b.frames.to_row.len())?;
            if a.triangles != b.triangles || a.tets != b.tets {
                return Err(Error::OtherElements { of: of(), body: b.name.clone() });
            }
        }
        let mut state = State::new(to);
        if !to.tears.is_empty() {
            // Masses and copies are those that are left.
            state.x.copy_from_slice(&to.x);
            state.v.copy_from_slice(&to.v);
            state.tears.clone_from(&to.tears);
        }
        state.tears.take_slits(&self.tears.carried(&before.bodies));
        state.ended.clone_from(&self.ended);
        if let Some(a) = &from.rigid {
            let ends;
            (state.rigid, ends) = self.rigid.carried(a, to.rigid.as_ref(), &before, self.time);
            state.ended.extend(ends.into_iter().map(|(rows, sensor)| RigidEvent::ended(from, rows, sensor)));
        }
        if self.past.is_kept() && state.past.is_kept() {
            state.past.h = self.past.h;
        }
        for ((_, a), (number, b)) in pairs() {
            let is_obstacle = to.obstacles.each.iter().any(|of| of.body == number);
            // Rows that are solved at once may rely on a fixed particle, and an obstacle goes where it is taken.
            let is_planned = |vertex: u32| is_obstacle || to.untorn().shared.binary_search(&b.particle(vertex)).is_ok();
            self.carry(from, to, (a, b), (is_obstacle, is_planned), &mut state);
        }
        for ((there, pose), planned) in before.colliders.iter().zip(&mut state.poses).zip(&to.colliders) {
            *pose = there.map_or_else(|| planned.motion.at(&planned.pose, self.time), |c| self.poses[c]);
        }
        for ((old, _), (new, _)) in pairs() {
            // They are where a search begins, no more: shapes of the same number of particles may have each other's.
            let (old, new) = (shapes(from, old), shapes(to, new));
            let sizes = |plan: &Plan, of: &[usize]| -> Vec<usize> {
                of.iter().flat_map(|&i| plan.fields.iter().map(move |all| all.shapes[i].shape.len())).collect()
            };
            if sizes(from, &old) == sizes(to, &new) {
                old.iter().zip(&new).for_each(|(&old, &new)| state.rotations[new] = self.rotations[old]);
            }
        }
        (state.time, state.stopped) = (self.time, self.stopped);
        if to.origin == from.origin {
            state.origin = self.origin;
        }
        // New obstacles are where their paths are by now.
        for of in to.obstacles.each.iter().filter(|of| before.bodies[of.body].is_none() && !of.track.rests()) {
            let (body, pose) = (&to.bodies[of.body], of.track.pose(self.time));
            for vertex in 0..of.rest.len() {
                let ([.., w], [x, y, z]) = (body.get(&state.x, vertex), of.at(&pose, vertex, self.time));
                body.set(&mut state.x, vertex, [x, y, z, w]);
                body.set(&mut state.r, vertex, [0.0; 4]);
            }
        }
        self.carry_switches(from, to, &before, &mut state);
        // Where something tears, stiffness stays as it is planned.
        if to.tearing.is_none() {
            self.carry_stiffness(from, to, &before, &mut state);
        }
        state.plasticity = self.plasticity.carried(from, to, &before);
        self.carry_fluids(from, to, &before, &mut state);
        self.carry_grains(from, to, &before, &mut state);
        // What was outside of what it meets still is.
        let meets_as_before = |body: usize, collider: usize| {
            let (Some(a), Some(c)) = (before.bodies[body], before.colliders[collider]) else { return false };
            let waits_alike =
                self.off.bodies[a] == state.off.bodies[body] && self.off.colliders[c] == state.off.colliders[collider];
            waits_alike && meets_alike(&from.bodies[a], &to.bodies[body]) && before.alike[collider]
        };
        state.placed = self.placed || to.any_inside(&state, |body, collider| !meets_as_before(body, collider));
        state.driven = true;
        Ok(state)
    }

    /// What is disabled, where it still may be, and the masses of pins.
    fn carry_switches(&self, from: &Plan, to: &Plan, before: &Before, state: &mut State) {
        for (new, old) in before.bodies.iter().enumerate() {
            let Some(old) = *old else { continue };
            let (a, b) = (&from.bodies[old], &to.bodies[new]);
            let rows = a.start as u32..(a.start + a.rows) as u32;
            for &(row, mass) in self.held.iter().filter(|(row, _)| rows.contains(row)) {
                let Some(vertex) = a.vertex(row as usize) else { continue };
                if b.get(&state.x, vertex)[3] == 0.0 {
                    state.held.push((b.particle(vertex as u32), mass));
                }
            }
            if !self.off.bodies[old] {
                continue;
            }
            if state.switched(to, to.body_at()(new)).is_ok() {
                state.off.bodies[new] = true;
                state.hold_body(to, new);
                continue;
            }
            // It takes part again, where it waited.
            for vertex in 0..b.to_row.len() {
                let [x, y, z, _] = b.get(&state.x, vertex);
                b.set(&mut state.x, vertex, [x, y, z, b.get(&to.x, vertex)[3]]);
            }
            (0..b.frames.to_row.len()).map(|frame| b.frame(frame)).for_each(|row| state.r[row] = to.r[row]);
        }
        state.held.sort_unstable_by_key(|(row, _)| *row);
        for (new, old) in before.all_colliders.iter().enumerate() {
            state.off.colliders[new] = old.is_some_and(|old| self.off.colliders[old]);
        }
        for (new, old) in before.rigid.iter().enumerate() {
            let is_off = old.is_some_and(|old| self.off.rigid[old]);
            state.off.rigid[new] = is_off && state.switched_rigid(to, to.rigid_at()(new)).is_ok();
            if is_off && !state.off.rigid[new] {
                state.rigid.frozen[new] = false;
            }
        }
    }

    /// Stiffnesses that inputs have set: of each row that goes on, where it is another than its plan's.
    fn carry_stiffness(&self, from: &Plan, to: &Plan, before: &Before, state: &mut State) {
        if self.soft.iter().all(Vec::is_empty) {
            return;
        }
        // Of each family of the plan before, the rows that were set.
        let set = |number: usize| {
            let (family, soft) = (&from.families[number], &self.soft[number]);
            let mut rows = vec![None; if soft.is_empty() { 0 } else { family.batches.rows() }];
            for (batch, lane, row) in family.batches.each().filter(|_| !soft.is_empty()) {
                let value = soft[batch].0[lane];
                let is_set = value.to_bits() != family.batches.soft(batch).0[lane].to_bits();
                rows[row] = is_set.then_some(value);
            }
            rows
        };
        let set: Vec<Vec<Option<f32>>> = (0..from.families.len()).map(set).collect();
        let iterations = [from, to].map(|plan| plan.settings.iterations);
        for (number, family) in to.families.iter().enumerate() {
            let mut rows = vec![None; family.batches.rows()];
            for (body, own) in &family.parts {
                let Some(old) = before.bodies[*body] else { continue };
                let there = rows_before(&from.families, old, (to, number, *body));
                let Some((of, old)) = there.filter(|(_, rows)| rows.len() == own.len()) else { continue };
                let values = set[of].get(old).unwrap_or(&[]);
                own.clone().zip(values).for_each(|(row, value)| rows[row] = *value);
            }
            if rows.iter().all(Option::is_none) {
                continue;
            }
            let mut soft = family.soft();
            for (batch, lane, row) in family.batches.each() {
                if let Some(value) = rows[row] {
                    soft[batch].0[lane] = if family.xpbd { value } else { another(value, iterations) };
                }
            }
            state.soft[number] = soft;
        }
    }

    /// Fluids: who is there stays, with the mass of the new plan; an emitter that is another gives what is due from now
    /// on.
    fn carry_fluids(&self, from: &Plan, to: &Plan, before: &Before, state: &mut State) {
        let of = |plan: &'_ Plan| plan.fluids.iter().flat_map(|of| &of.bodies).cloned().collect::<Vec<_>>();
        let (old, new) = (of(from), of(to));
        if !new.is_empty() {
            state.fluid.h = self.fluid.h;
        }
        for (number, fluid) in new.iter().enumerate() {
            let there = before.bodies[fluid.body].and_then(|body| old.iter().position(|of| of.body == body));
            let Some(place) = there else {
                state.fluid.bodies[number].layers = fluid.sources.due(self.time);
                continue;
            };
            let (a, b) = (&from.bodies[old[place].body], &to.bodies[fluid.body]);
            let w = (1.0 / fluid.liquid.mass()) as f32;
            for vertex in 0..b.to_row.len() {
                let [x, y, z, there] = a.get(&self.x, vertex);
                b.set(&mut state.x, vertex, [x, y, z, if there > 0.0 { w } else { 0.0 }]);
                let (was, is) = (a.particle(vertex as u32) as usize, b.particle(vertex as u32) as usize);
                state.fluid.lambda[is] = self.fluid.lambda[was];
            }
            let poured = self.fluid.bodies[place].carried(&old[place].sources, &fluid.sources, self.time);
            state.fluid.bodies[number] = poured;
        }
    }

    /// Grains: who is there stays, with the mass of the new plan, whatever is now where it began; and contacts of
    /// grains that both plans have.
    fn carry_grains(&self, from: &Plan, to: &Plan, before: &Before, state: &mut State) {
        let old_bodies = || from.grains.iter().flat_map(|of| &of.bodies);
        for (number, grains) in to.grains.iter().flat_map(|grains| &grains.bodies).enumerate() {
            let was = before.bodies[grains.body];
            let place = was.and_then(|body| old_bodies().position(|of| of.body == body));
            let poured = &mut state.grains.bodies[number];
            let old = place.filter(|&place| self.grains.bodies[place].flows());
            match old.and_then(|place| Some((place, old_bodies().nth(place)?))) {
                Some((place, old)) if poured.flows() => {
                    *poured = self.grains.bodies[place].carried(&old.sources, &grains.sources, self.time);
                }
                _ => poured.layers = grains.sources.due(self.time),
            }
            let Some(old) = was.filter(|&old| !self.off.bodies[old]) else { continue };
            let (a, b) = (&from.bodies[old], &to.bodies[grains.body]);
            let w = (1.0 / grains.grain.mass()) as f32;
            for vertex in 0..b.to_row.len() {
                let [x, y, z, there] = a.get(&self.x, vertex);
                b.set(&mut state.x, vertex, [x, y, z, if there > 0.0 { w } else { 0.0 }]);
            }
            // Numbers of births are not those of who is there.
            let there = |vertex: &usize| b.get(&state.x, *vertex)[3] > 0.0;
            let ids = (0..b.to_row.len()).filter(there).filter_map(|v| poured.ids.get(v).copied());
            if let Some(last) = ids.max() {
                poured.next = if poured.next > last { poured.next } else { last.saturating_add(1) };
            }
        }
        let new_row = |row: u32| {
            let old = from.bodies.iter().position(|body| body.vertex(row as usize).is_some())?;
            let vertex = from.bodies[old].vertex(row as usize)?;
            let grains = to.grains.iter().flat_map(|grains| &grains.bodies);
            let new = grains.map(|grains| grains.body).find(|&body| before.bodies[body] == Some(old))?;
            (vertex < to.bodies[new].to_row.len()).then(|| to.bodies[new].particle(vertex as u32))
        };
        let each = self.grains.pairs.iter().zip(&self.grains.held);
        let mut kept: Vec<([u32; 2], [f32; 3])> = each
            .filter_map(|(&[a, b], &held)| {
                let (a, b) = (new_row(a)?, new_row(b)?);
                Some(if a < b { ([a, b], held) } else { ([b, a], held.map(|c| -c)) })
            })
            .collect();
        kept.sort_unstable_by_key(|(rows, _)| *rows);
        (state.grains.pairs, state.grains.held) = kept.into_iter().unzip();
    }

    fn carry(
        &self,
        from: &Plan,
        to: &Plan,
        (a, b): (&BodyPlan, &BodyPlan),
        (is_obstacle, is_planned): (bool, impl Fn(u32) -> bool),
        state: &mut State,
    ) {
        let has_past = self.past.is_kept() && state.past.is_kept();
        if !is_obstacle && lies_alike(from, to, (a, b)) {
            // Rows as they are: whatever mass there is differs from the plan's before as it does from the new one's.
            let (old, new) = (a.start..a.start + a.rows, b.start..b.start + b.rows);
            let copy = |to: &mut Rows, from: &Rows| to[new.clone()].copy_from_slice(&from[old.clone()]);
            copy(&mut state.x, &self.x);
            copy(&mut state.r, &self.r);
            copy(&mut state.v, &self.v);
            if has_past {
                copy(&mut state.past.d, &self.past.d);
                copy(&mut state.past.dv, &self.past.dv);
            }
            return;
        }
        for vertex in 0..a.to_row.len() {
            let [x, y, z, w] = a.get(&self.x, vertex);
            let (before, after) = (a.get(&from.x, vertex)[3], b.get(&to.x, vertex)[3]);
            let w = if w.to_bits() == before.to_bits() || is_planned(vertex as u32) { after } else { w };
            b.set(&mut state.x, vertex, [x, y, z, w]);
            b.set(&mut state.r, vertex, a.get(&self.r, vertex));
            b.set(&mut state.v, vertex, a.get(&self.v, vertex));
            if has_past {
                b.set(&mut state.past.d, vertex, a.get(&self.past.d, vertex));
                b.set(&mut state.past.dv, vertex, a.get(&self.past.dv, vertex));
            }
        }
        for frame in 0..a.frames.to_row.len() {
            let (old, new) = (a.frame(frame), b.frame(frame));
            state.x[new] = self.x[old];
            state.v[new] = self.v[old];
            if has_past {
                state.past.d[new] = self.past.d[old];
                state.past.dv[new] = self.past.dv[old];
            }
        }
    }
}

/// Whether a body lies in memory as it did, and begins where it did with the same masses, of which none has to be the
/// plan's.
fn lies_alike(from: &Plan, to: &Plan, (a, b): (&BodyPlan, &BodyPlan)) -> bool {
    let own = |plan: &Plan, body: &BodyPlan| {
        let end = (body.start + body.rows) as u32;
        let of = |row: &&u32| (body.start as u32..end).contains(row);
        plan.shared.iter().filter(of).map(|row| row - body.start as u32).collect::<Vec<_>>()
    };
    (a.layout, a.rows, &a.to_row, &a.frames.to_row) == (b.layout, b.rows, &b.to_row, &b.frames.to_row)
        && own(from, a) == own(to, b)
        && bits(&from.x, a) == bits(&to.x, b)
        && bits(&from.r, a) == bits(&to.r, b)
}

/// A body's rows of an array, which may be empty.
fn bits<'a>(all: &'a Rows, body: &BodyPlan) -> &'a [u32] {
    bytemuck::cast_slice(all.get(body.start..body.start + body.rows).unwrap_or(&[]))
}

/// The matched shapes of a body.
fn shapes(plan: &Plan, body: usize) -> Vec<usize> {
    let all = plan.fields.iter().flat_map(|fields| fields.shapes.iter().enumerate());
    all.filter(|(_, matched)| matched.body == body).map(|(i, _)| i).collect()
}

/// Where a body's rows were that now are in one of the plan's families: in that of their kind and mode which is, among
/// those that have rows of the body, as many families behind the first.
fn rows_before(
    from: &[Family],
    old: usize,
    (to, number, body): (&Plan, usize, usize),
) -> Option<(usize, Range<usize>)> {
    let family = &to.families[number];
    let alike = |of: &&Family| of.kind.is(&family.kind) && of.xpbd == family.xpbd;
    let nth = to.families[..number].iter().filter(alike).filter(|of| of.rows_of(body).is_some()).count();
    let there = from.iter().enumerate().filter(|(_, of)| alike(of));
    there.filter_map(|(i, of)| Some((i, of.rows_of(old)?))).nth(nth)
}

/// The k' of so many iterations as that of others.
fn another(k: f32, [from, to]: [u32; 2]) -> f32 {
    let n = f64::from(from) / f64::from(to);
    if from == to { k } else { (1.0 - libm::pow(1.0 - f64::from(k), n)) as f32 }
}

/// Whether a body is as near to colliders as another.
fn meets_alike(a: &BodyPlan, b: &BodyPlan) -> bool {
    let is_skinned = |body: &BodyPlan| body.skin.is_some();
    (a.thickness, a.filter, &a.by_vertex, is_skinned(a)) == (b.thickness, b.filter, &b.by_vertex, is_skinned(b))
}
