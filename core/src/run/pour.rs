//! Particles of fluids come and go.

use crate::describe::emitter::Emitter;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::plan::fluid::FluidBody;
use crate::run::fluid::Born;
use crate::run::state::State;

/// What came and went at the end of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) born: u32,
    pub(crate) drained: u32,
    /// Particles that were not born because nobody was left.
    pub(crate) full: u32,
}

/// Where a layer's particle is by now as its emitter says, and its velocity.
fn prescribed(fluid: &FluidBody, of: &Born, time: f64) -> ([f32; 3], [f32; 3]) {
    let (emitter, spacing) = (&fluid.emitters[of.emitter as usize], f64::from(fluid.liquid.spacing));
    let [x, z] = fluid.openings[of.emitter as usize][of.place as usize];
    let key = (u64::from(emitter.seed) << 32) ^ (of.layer.wrapping_mul(0x9e37_79b9) ^ u64::from(of.place));
    let aside =
        |k: u64| spacing * f64::from(emitter.jitter) * (2.0 * uniform(key.wrapping_mul(3).wrapping_add(k)) - 1.0);
    let local = [x + aside(0), ahead(fluid, of, time) + aside(1), z + aside(2)];
    let m = emitter.pose.matrix();
    let at = std::array::from_fn(|k| {
        let along = (m[k][0] * local[0] + m[k][1] * local[1]) + m[k][2] * local[2];
        (emitter.pose.position[k] + along) as f32
    });
    (at, [0, 1, 2].map(|k| (m[k][1] * emitter.speed) as f32))
}

/// How far a layer has come by now, metres.
fn ahead(fluid: &FluidBody, of: &Born, time: f64) -> f64 {
    let emitter = &fluid.emitters[of.emitter as usize];
    (time - emitter.from) * emitter.speed - of.layer as f64 * f64::from(fluid.liquid.spacing)
}

impl State {
    /// Lets particles of fluids come and go, at the end of a step of `dt` seconds.
    pub(crate) fn pour(&mut self, plan: &Plan, dt: f64) -> Flow {
        let mut flow = Flow::default();
        for (number, fluid) in plan.fluids.iter().flat_map(|fluids| &fluids.bodies).enumerate() {
            if fluid.emitters.is_empty() && fluid.drains.is_empty() {
                continue;
            }
            let body = &plan.bodies[fluid.body];
            self.guide(plan, (number, fluid), dt);
            for vertex in 0..if fluid.drains.is_empty() { 0 } else { body.to_row.len() } {
                let [x, y, z, w] = body.get(&self.x, vertex);
                if w > 0.0 && fluid.drains.iter().any(|drain| drain.contains([x, y, z])) {
                    let [x, y, z, _] = body.get(&plan.x, vertex);
                    self.set_particle(body, vertex, ([x, y, z, 0.0], [0.0; 3]));
                    let poured = &mut self.fluid.bodies[number];
                    poured.drained = poured.drained.saturating_add(1);
                    poured.guided.retain(|born| born.vertex as usize != vertex);
                    flow.drained = flow.drained.saturating_add(1);
                }
            }
            let mut free = 0;
            for (e, emitter) in fluid.emitters.iter().enumerate() {
                self.emit(plan, (number, fluid), (e, emitter), &mut free, &mut flow);
            }
        }
        flow
    }

    /// Particles that were born in the last step, or are within two spacings of their opening, are where it says: nothing behind them holds them, and
    /// pressed back they would meet the next that are born.
    fn guide(&mut self, plan: &Plan, (number, fluid): (usize, &FluidBody), dt: f64) {
        let (body, time) = (&plan.bodies[fluid.body], self.time);
        let mut guided = std::mem::take(&mut self.fluid.bodies[number].guided);
        guided.retain(|born| {
            let emitter = &fluid.emitters[born.emitter as usize];
            let near = emitter.speed * dt + 2.0 * f64::from(fluid.liquid.spacing);
            let w = body.get(&self.x, born.vertex as usize)[3];
            if w == 0.0 || ahead(fluid, born, time) > near {
                return false;
            }
            let ([x, y, z], v) = prescribed(fluid, born, time);
            self.set_particle(body, born.vertex as usize, ([x, y, z, w], v));
            true
        });
        self.fluid.bodies[number].guided = guided;
    }

    /// The layers of an emitter that have been due since the last step. `free` is a vertex before which all are there.
    fn emit(
        &mut self,
        plan: &Plan,
        (number, fluid): (usize, &FluidBody),
        (e, emitter): (usize, &Emitter),
        free: &mut usize,
        flow: &mut Flow,
    ) {
        let (body, spacing) = (&plan.bodies[fluid.body], f64::from(fluid.liquid.spacing));
        let (due, places) = (emitter.due(spacing, self.time), fluid.openings[e].len());
        while self.fluid.bodies[number].layers[e] < due {
            let layer = self.fluid.bodies[number].layers[e];
            if *free == body.to_row.len() {
                // Nobody is left for these layers.
                let missing = (due - layer).saturating_mul(places as u64);
                flow.full = flow.full.saturating_add(u32::try_from(missing).unwrap_or(u32::MAX));
                self.fluid.bodies[number].layers[e] = due;
                return;
            }
            self.fluid.bodies[number].layers[e] = layer + 1;
            for place in 0..places as u32 {
                let vertex = (*free..body.to_row.len()).find(|&vertex| body.get(&self.x, vertex)[3] == 0.0);
                let Some(vertex) = vertex else {
                    *free = body.to_row.len();
                    flow.full = flow.full.saturating_add(1);
                    continue;
                };
                *free = vertex + 1;
                let born = Born { vertex: vertex as u32, emitter: e as u32, place, layer };
                let ([x, y, z], v) = prescribed(fluid, &born, self.time);
                let w = (1.0 / fluid.liquid.mass()) as f32;
                self.set_particle(body, vertex, ([x, y, z, w], v));
                let poured = &mut self.fluid.bodies[number];
                poured.guided.push(born);
                poured.ids[vertex] = poured.next;
                poured.next = poured.next.saturating_add(1);
                poured.born = poured.born.saturating_add(1);
                flow.born = flow.born.saturating_add(1);
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

/// A number within 0 .. 1 that looks like chance: of the same key the same.
fn uniform(key: u64) -> f64 {
    // SplitMix64's finalizer (Steele, Lea, Flood 2014).
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}
