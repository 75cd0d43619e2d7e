//! Particles of fluids come and go.

use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::plan::fluid::FluidBody;
use crate::run::fluid::Born;
use crate::run::state::State;

/// What came and went in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Throughput {
    pub(crate) drained: u32,
    /// Particles that were not born because the fluid had no particle left.
    pub(crate) full: u32,
}

impl State {
    /// Finds a particle for each that emitters give in a step that ends at `time`, at its beginning: they wait in the
    /// opening, to be born if they find room (`passes::fluid::inflow`).
    pub(crate) fn emit(&mut self, plan: &Plan, time: f64) -> Throughput {
        let mut throughput = Throughput::default();
        for (number, fluid) in plan.fluids.iter().flat_map(|fluids| &fluids.bodies).enumerate() {
            let body = &plan.bodies[fluid.body];
            let mut guided = std::mem::take(&mut self.fluid.bodies[number].guided);
            // Those that have been lost.
            guided.retain(|born| body.get(&self.x, born.vertex as usize)[3] > 0.0);
            self.fluid.bodies[number].guided = guided;
            let mut free = 0;
            for e in 0..fluid.emitters.len() {
                self.emit_one(plan, (number, fluid), (e, time), &mut free, &mut throughput);
            }
        }
        throughput
    }

    /// Takes particles of fluids away, at the end of a step.
    pub(crate) fn drain(&mut self, plan: &Plan, throughput: &mut Throughput) {
        for (number, fluid) in plan.fluids.iter().flat_map(|fluids| &fluids.bodies).enumerate() {
            let body = &plan.bodies[fluid.body];
            for vertex in 0..if fluid.drains.is_empty() { 0 } else { body.to_row.len() } {
                let [x, y, z, w] = body.get(&self.x, vertex);
                if w > 0.0 && fluid.drains.iter().any(|drain| drain.contains([x, y, z])) {
                    let [x, y, z, _] = body.get(&plan.x, vertex);
                    self.set_particle(body, vertex, ([x, y, z, 0.0], [0.0; 3]));
                    let poured = &mut self.fluid.bodies[number];
                    poured.drained = poured.drained.saturating_add(1);
                    poured.guided.retain(|born| born.vertex as usize != vertex);
                    throughput.drained = throughput.drained.saturating_add(1);
                }
            }
        }
    }

    /// The layers of an emitter that are due by a time. `free` is a vertex before which all are there.
    fn emit_one(
        &mut self,
        plan: &Plan,
        (number, fluid): (usize, &FluidBody),
        (e, time): (usize, f64),
        free: &mut usize,
        throughput: &mut Throughput,
    ) {
        let body = &plan.bodies[fluid.body];
        let (due, places) = (fluid.emitters[e].due(fluid.gaps[e], time), fluid.openings[e].len());
        while self.fluid.bodies[number].layers[e] < due {
            let layer = self.fluid.bodies[number].layers[e];
            if *free == body.to_row.len() {
                // No particle is left for these layers.
                let missing = (due - layer).saturating_mul(places as u64);
                throughput.full = throughput.full.saturating_add(u32::try_from(missing).unwrap_or(u32::MAX));
                self.fluid.bodies[number].layers[e] = due;
                return;
            }
            self.fluid.bodies[number].layers[e] = layer + 1;
            for place in 0..places as u32 {
                let vertex = (*free..body.to_row.len()).find(|&vertex| body.get(&self.x, vertex)[3] == 0.0);
                let Some(vertex) = vertex else {
                    *free = body.to_row.len();
                    throughput.full = throughput.full.saturating_add(1);
                    continue;
                };
                *free = vertex + 1;
                let born = Born { vertex: vertex as u32, emitter: e as u32, place, layer };
                let [x, y, z] = born.at(fluid, 0.0).map(|c| c as f32);
                self.set_particle(body, vertex, ([x, y, z, 0.0], born.velocity(fluid)));
                self.fluid.bodies[number].guided.push(born);
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
        self.fluid.lambda[row] = 0.0;
    }
}
