//! Particles of fluids come and go.

use crate::describe::emitter::Emitter;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::plan::fluid::FluidBody;
use crate::run::state::State;

/// What came and went at the end of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) born: u32,
    pub(crate) drained: u32,
    /// Particles that were not born because nobody was left.
    pub(crate) full: u32,
}

impl State {
    /// Lets particles of fluids come and go, at the end of a step.
    pub(crate) fn pour(&mut self, plan: &Plan) -> Flow {
        let mut flow = Flow::default();
        for (number, fluid) in plan.fluids.iter().flat_map(|fluids| &fluids.bodies).enumerate() {
            if fluid.emitters.is_empty() && fluid.drains.is_empty() {
                continue;
            }
            let body = &plan.bodies[fluid.body];
            for vertex in 0..if fluid.drains.is_empty() { 0 } else { body.to_row.len() } {
                let [x, y, z, w] = body.get(&self.x, vertex);
                if w > 0.0 && fluid.drains.iter().any(|drain| drain.contains([x, y, z])) {
                    self.set_particle(plan, body, vertex, (body.get(&plan.x, vertex), [0.0; 3]));
                    self.put_away(body, vertex);
                    self.fluid.bodies[number].drained += 1;
                    flow.drained += 1;
                }
            }
            let mut free = 0;
            for (e, emitter) in fluid.emitters.iter().enumerate() {
                self.emit(plan, (number, fluid), (e, emitter), &mut free, &mut flow);
            }
        }
        flow
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
        let m = emitter.pose.matrix();
        let velocity = [0, 1, 2].map(|k| (m[k][1] * emitter.speed) as f32);
        loop {
            let layer = self.fluid.bodies[number].layers[e];
            let born = emitter.from + layer as f64 * spacing / emitter.speed;
            if born > self.time || born > emitter.until {
                return;
            }
            self.fluid.bodies[number].layers[e] += 1;
            // How far the layer has come by now.
            let ahead = (self.time - born) * emitter.speed;
            for (place, &[x, z]) in fluid.openings[e].iter().enumerate() {
                let vertex = (*free..body.to_row.len()).find(|&vertex| body.get(&self.x, vertex)[3] == 0.0);
                let Some(vertex) = vertex else {
                    *free = body.to_row.len();
                    flow.full += 1;
                    continue;
                };
                *free = vertex + 1;
                let key = (u64::from(emitter.seed) << 32) ^ (layer.wrapping_mul(0x9e37_79b9) ^ place as u64);
                let aside =
                    |k: u64| spacing * f64::from(emitter.jitter) * (2.0 * uniform(key.wrapping_mul(3) + k) - 1.0);
                let local = [x + aside(0), ahead + aside(1), z + aside(2)];
                let at: [f32; 3] = std::array::from_fn(|k| {
                    let along = (m[k][0] * local[0] + m[k][1] * local[1]) + m[k][2] * local[2];
                    (emitter.pose.position[k] + along) as f32
                });
                let w = (1.0 / fluid.liquid.mass()) as f32;
                self.set_particle(plan, body, vertex, ([at[0], at[1], at[2], w], velocity));
                let poured = &mut self.fluid.bodies[number];
                poured.ids[vertex] = poured.next;
                poured.next += 1;
                poured.born += 1;
                flow.born += 1;
            }
        }
    }

    /// Puts a particle somewhere, with a velocity and without a past.
    fn set_particle(&mut self, plan: &Plan, body: &BodyPlan, vertex: usize, (x, v): ([f32; 4], [f32; 3])) {
        let row = body.particle(vertex as u32) as usize;
        body.set(&mut self.x, vertex, x);
        body.set(&mut self.r, vertex, [0.0; 4]);
        body.set(&mut self.v, vertex, [v[0], v[1], v[2], 0.0]);
        self.past.restart(body, row, [v[0], v[1], v[2], 0.0]);
        self.fluid.lambda[row] = 0.0;
        debug_assert!(plan.fluids.is_some());
    }

    /// A particle is no longer there.
    fn put_away(&mut self, body: &BodyPlan, vertex: usize) {
        let [x, y, z, _] = body.get(&self.x, vertex);
        body.set(&mut self.x, vertex, [x, y, z, 0.0]);
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
