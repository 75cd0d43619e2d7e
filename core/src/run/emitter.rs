//! Particles of fluids, and grains, come and go.

mod inlet;

use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::plan::grains::GrainBody;
use crate::plan::sources::Sources;
use crate::run::poured::{Born, Poured};
use crate::run::state::State;
pub(crate) use inlet::Inlet;

/// What came and went in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Throughput {
    /// Of fluids 0: particles are born within the step, and their pass tells of it (`passes::fluid`).
    pub(crate) born: u32,
    /// Those that were not born because something lay there; likewise.
    pub(crate) blocked: u32,
    pub(crate) drained: u32,
    /// Those that were not born because their body had none left.
    pub(crate) full: u32,
}

/// The same of fluids and of grains.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Throughputs {
    pub(crate) fluids: Throughput,
    pub(crate) grains: Throughput,
}

/// Which of a body's particles come next.
struct Next {
    /// Number of the emitter.
    emitter: usize,
    /// All vertices before this one are there.
    free: usize,
}

impl State {
    /// At the beginning of a step of which `begin` and `end` are the times: grains come that have left their opening;
    /// of fluids particles are found for what is due in the step. These wait in the opening, to be born if they find
    /// room (`passes::fluid::inflow`).
    pub(crate) fn emit(&mut self, plan: &Plan, [begin, end]: [f64; 2], inlet: &mut Inlet) -> Throughputs {
        let mut throughput = Throughputs::default();
        for (number, fluid) in plan.fluids.iter().flat_map(|fluids| &fluids.bodies).enumerate() {
            let body = &plan.bodies[fluid.body];
            let mut poured = std::mem::take(&mut self.fluid.bodies[number]);
            // Those that have been lost.
            poured.guided.retain(|born| body.get(&self.x, born.vertex as usize)[3] > 0.0);
            let mut next = Next { emitter: 0, free: 0 };
            for e in 0..fluid.sources.emitters.len() {
                next.emitter = e;
                let give = &mut |state: &mut State, poured: &mut Poured, born: Born| {
                    let [x, y, z] = born.at(&fluid.sources, 0.0).map(|c| c as f32);
                    state.set_particle(body, born.vertex as usize, ([x, y, z, 0.0], born.velocity(&fluid.sources)));
                    poured.guided.push(born);
                    true
                };
                self.emit_one((body, &fluid.sources, &mut poured), (&mut next, end), give, &mut throughput.fluids);
            }
            self.fluid.bodies[number] = poured;
        }
        for (number, grains) in plan.grains.iter().flat_map(|grains| &grains.bodies).enumerate() {
            self.emit_grains(plan, (number, grains), begin, inlet, &mut throughput.grains);
        }
        throughput
    }

    /// Lets grains of a body come that have left their opening by a time, where no others are.
    fn emit_grains(
        &mut self,
        plan: &Plan,
        (number, grains): (usize, &GrainBody),
        time: f64,
        inlet: &mut Inlet,
        throughput: &mut Throughput,
    ) {
        if grains.sources.emitters.is_empty() || self.off.bodies[grains.body] {
            return;
        }
        let (body, sources, w) = (&plan.bodies[grains.body], &grains.sources, (1.0 / grains.grain.mass()) as f32);
        let mut poured = std::mem::take(&mut self.grains.bodies[number]);
        let (mut next, mut born_now, mut blocked) = (Next { emitter: 0, free: 0 }, 0u32, 0u32);
        for e in 0..sources.emitters.len() {
            next.emitter = e;
            // In a long step of a fast emitter more may be due than there are grains: the last come.
            let (due, places) = (sources.emitters[e].due(sources.gaps[e], time), sources.openings[e].len());
            let most = (body.to_row.len() / places.max(1)) as u64 + 1;
            if let Some(first) = due.checked_sub(most).filter(|first| *first > poured.layers[e]) {
                let missing = (first - poured.layers[e]).saturating_mul(places as u64);
                throughput.full = throughput.full.saturating_add(u32::try_from(missing).unwrap_or(u32::MAX));
                poured.layers[e] = first;
            }
            if poured.layers[e] < due {
                inlet.look(self, plan, (number, grains), (e, poured.layers[e], time));
            }
            let give = &mut |state: &mut State, poured: &mut Poured, born: Born| {
                let Some(at) = inlet.take(plan, sources, (&born, time)) else {
                    blocked = blocked.saturating_add(1);
                    return false;
                };
                state.set_particle(body, born.vertex as usize, ([at[0], at[1], at[2], w], born.velocity(sources)));
                poured.ids[born.vertex as usize] = poured.next;
                (poured.next, poured.born) = (poured.next.saturating_add(1), poured.born.saturating_add(1));
                born_now = born_now.saturating_add(1);
                true
            };
            self.emit_one((body, sources, &mut poured), (&mut next, time), give, throughput);
        }
        self.grains.bodies[number] = poured;
        throughput.born = throughput.born.saturating_add(born_now);
        throughput.blocked = throughput.blocked.saturating_add(blocked);
    }

    /// Takes particles away, at the end of a step.
    pub(crate) fn drain(&mut self, plan: &Plan, throughput: &mut Throughputs) {
        for (number, fluid) in plan.fluids.iter().flat_map(|fluids| &fluids.bodies).enumerate() {
            let mut poured = std::mem::take(&mut self.fluid.bodies[number]);
            self.drain_one(plan, (fluid.body, &fluid.sources, &mut poured), &mut throughput.fluids);
            self.fluid.bodies[number] = poured;
        }
        for (number, grains) in plan.grains.iter().flat_map(|grains| &grains.bodies).enumerate() {
            let mut poured = std::mem::take(&mut self.grains.bodies[number]);
            self.drain_one(plan, (grains.body, &grains.sources, &mut poured), &mut throughput.grains);
            self.grains.bodies[number] = poured;
        }
        if throughput.grains.drained > 0 {
            let x = &self.x;
            self.grains.forget(|row| x[row as usize][3] == 0.0);
        }
    }

    fn drain_one(
        &mut self,
        plan: &Plan,
        (number, sources, poured): (usize, &Sources, &mut Poured),
        throughput: &mut Throughput,
    ) {
        let body = &plan.bodies[number];
        for vertex in 0..if sources.drains.is_empty() { 0 } else { body.to_row.len() } {
            let [x, y, z, w] = body.get(&self.x, vertex);
            if w > 0.0 && sources.drains.iter().any(|drain| drain.contains([x, y, z])) {
                let [x, y, z, _] = body.get(&plan.x, vertex);
                self.set_particle(body, vertex, ([x, y, z, 0.0], [0.0; 3]));
                poured.drained = poured.drained.saturating_add(1);
                poured.guided.retain(|born| born.vertex as usize != vertex);
                throughput.drained = throughput.drained.saturating_add(1);
            }
        }
    }

    /// The layers of an emitter that are due by a time. `give` returns whether a particle has taken its vertex.
    fn emit_one(
        &mut self,
        (body, sources, poured): (&BodyPlan, &Sources, &mut Poured),
        (Next { emitter: e, free }, time): (&mut Next, f64),
        give: &mut dyn FnMut(&mut State, &mut Poured, Born) -> bool,
        throughput: &mut Throughput,
    ) {
        let (e, places) = (*e, sources.openings[*e].len());
        let due = sources.emitters[e].due(sources.gaps[e], time);
        while poured.layers[e] < due {
            let layer = poured.layers[e];
            if *free == body.to_row.len() {
                // No particle is left for these layers.
                let missing = (due - layer).saturating_mul(places as u64);
                throughput.full = throughput.full.saturating_add(u32::try_from(missing).unwrap_or(u32::MAX));
                poured.layers[e] = due;
                return;
            }
            poured.layers[e] = layer + 1;
            for place in 0..places as u32 {
                let vertex = (*free..body.to_row.len()).find(|&vertex| body.get(&self.x, vertex)[3] == 0.0);
                let Some(vertex) = vertex else {
                    *free = body.to_row.len();
                    throughput.full = throughput.full.saturating_add(1);
                    continue;
                };
                let born = Born { vertex: vertex as u32, emitter: e as u32, place, layer };
                *free = if give(self, poured, born) { vertex + 1 } else { vertex };
            }
        }
    }

    /// Puts a particle somewhere, with a velocity and without a past.
    fn set_particle(&mut self, body: &BodyPlan, vertex: usize, (x, v): ([f32; 4], [f32; 3])) {
        let row = body.particle(vertex as u32) as usize;
        body.set(&mut self.x, vertex, x);
        body.set(&mut self.r, vertex, [0.0; 4]);
        body.set(&mut self.v, vertex, [v[0], v[1], v[2], 0.0]);
        self.past.restart(body, row, [v[0], v[1], v[2], 0.0]);
        if let Some(lambda) = self.fluid.lambda.get_mut(row) {
            *lambda = 0.0;
        }
    }
}
