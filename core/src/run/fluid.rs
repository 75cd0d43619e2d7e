//! What moves of a fluid, beside its particles.

use crate::describe::emitter::Outlet;
use crate::describe::snapshot::SnapshotError;
use crate::geometry::chance::uniform;
use crate::plan::Plan;
use crate::plan::fluid::FluidBody;
use crate::run::bytes::{Reader, set_words, write_words};

/// Multipliers of the last substep, and which particles exist.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FluidState {
    /// For each row: its multiplier over h^2, h being the substep; kg m^2 / s^2. A warm start: a share of it is taken
    /// up again. Empty without fluids.
    pub(crate) lambda: Vec<f32>,
    /// The length of the last substep, seconds; 0 before the first.
    pub(crate) h: f32,
    /// For each fluid: which particles have come and gone.
    pub(crate) bodies: Vec<Poured>,
}

/// A particle that an emitter gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Born {
    pub(crate) vertex: u32,
    pub(crate) emitter: u32,
    /// Its place in the layer, and the layer's number.
    pub(crate) place: u32,
    pub(crate) layer: u64,
}

/// What has come of a fluid, and gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Poured {
    /// For each vertex: the number of its birth; particles that exist at the start have their own.
    pub(crate) ids: Vec<u64>,
    /// How many were there at the start.
    pub(crate) filled: u64,
    /// The number of the next that is born.
    pub(crate) next: u64,
    /// How many particles emitters have given.
    pub(crate) born: u64,
    /// How many particles drains have taken.
    pub(crate) drained: u64,
    /// Particles that an emitter guides: those near its opening, and in a step those which will be born in it.
    pub(crate) guided: Vec<Born>,
    /// For each emitter: the layers that it has given, or left out because no particle was left to be born.
    pub(crate) layers: Vec<u64>,
}

impl FluidState {
    pub(crate) fn new(plan: &Plan) -> FluidState {
        let Some(fluids) = &plan.fluids else { return FluidState::default() };
        let of = |fluid: &FluidBody| {
            let body = &plan.bodies[fluid.body];
            let ids = (0..body.to_row.len() as u64).collect();
            let last = (0..body.to_row.len()).rfind(|&vertex| body.get(&plan.x, vertex)[3] > 0.0);
            let next = last.map_or(0, |vertex| vertex as u64 + 1);
            Poured {
                ids,
                filled: fluid.filled as u64,
                next,
                born: 0,
                drained: 0,
                guided: Vec::new(),
                layers: vec![0; fluid.emitters.len()],
            }
        };
        FluidState { lambda: vec![0.0; plan.x.len()], h: 0.0, bodies: fluids.bodies.iter().map(of).collect() }
    }

    /// Everything, as bytes.
    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        let FluidState { lambda, h, bodies } = self;
        lambda.iter().for_each(|l| add(&l.to_le_bytes()));
        if !bodies.is_empty() {
            add(&h.to_le_bytes());
        }
        for poured in bodies {
            poured.numbers(|number| add(&number.to_le_bytes()));
        }
    }
}

impl FluidState {
    /// Everything, as bytes of a snapshot.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let FluidState { lambda, h, bodies } = self;
        if bodies.is_empty() {
            return;
        }
        write_words(out, lambda);
        write_words(out, &[*h]);
        for poured in bodies {
            write_words(out, &[poured.guided.len() as u32]);
            poured.numbers(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
    }

    /// What `write` has written of a plan's fluids.
    pub(crate) fn read(plan: &Plan, from: &mut Reader<'_>) -> Result<FluidState, SnapshotError> {
        let mut state = FluidState::new(plan);
        if state.bodies.is_empty() {
            return Ok(state);
        }
        let bytes = 4 * state.lambda.len();
        set_words(&mut state.lambda, from.take(bytes)?);
        state.h = from.single()?;
        let sound = state.lambda.iter().all(|lambda| lambda.is_finite() && *lambda <= 0.0);
        if !sound || !state.h.is_finite() || state.h < 0.0 {
            return Err(SnapshotError::Value {
                what: "a fluid's multiplier is above 0 or not finite, or its substep is none",
            });
        }
        let fluids = plan.fluids.iter().flat_map(|fluids| &fluids.bodies);
        for (of, poured) in fluids.zip(&mut state.bodies) {
            let count = from.word()?;
            let Poured { ids, filled, next, born, drained, guided, layers } = poured;
            for number in ids.iter_mut().chain([filled, next, born, drained]).chain(layers) {
                *number = from.long()?;
            }
            let mut rest = Reader::new(from.many(count.into(), 32)?);
            for _ in 0..count {
                let born = Born {
                    vertex: rest.long()? as u32,
                    emitter: rest.long()? as u32,
                    place: rest.long()? as u32,
                    layer: rest.long()?,
                };
                let opening = of.openings.get(born.emitter as usize);
                let is_one = (born.vertex as usize) < ids.len()
                    && opening.is_some_and(|places| (born.place as usize) < places.len());
                if !is_one {
                    return Err(SnapshotError::Value { what: "a particle of a fluid was born of no emitter" });
                }
                guided.push(born);
            }
        }
        Ok(state)
    }

    /// Of another plan with as many emitters: each gives what is due from now on.
    pub(crate) fn meet(&mut self, plan: &Plan, time: f64) {
        for (of, poured) in plan.fluids.iter().flat_map(|of| &of.bodies).zip(&mut self.bodies) {
            let emitters = of.emitters.iter().zip(&of.gaps);
            poured.layers = emitters.map(|(emitter, gap)| emitter.due(*gap, time)).collect();
            poured.guided.clear();
        }
    }
}

impl Born {
    /// How far its layer has come from the opening by a time, metres.
    pub(crate) fn ahead(&self, fluid: &FluidBody, time: f64) -> f64 {
        let (emitter, gap) = (&fluid.emitters[self.emitter as usize], fluid.gaps[self.emitter as usize]);
        (time - emitter.from) * emitter.speed - self.layer as f64 * gap
    }

    /// Where it is so far from the opening, as its emitter says, metres.
    pub(crate) fn at(&self, fluid: &FluidBody, ahead: f64) -> [f64; 3] {
        let (emitter, spacing) = (&fluid.emitters[self.emitter as usize], f64::from(fluid.liquid.spacing));
        let Outlet { place: [x, y, z], along } = fluid.openings[self.emitter as usize][self.place as usize];
        let key = (u64::from(emitter.seed) << 32) ^ (self.layer.wrapping_mul(0x9e37_79b9) ^ u64::from(self.place));
        let aside =
            |k: u64| spacing * f64::from(emitter.jitter) * (2.0 * uniform(key.wrapping_mul(3).wrapping_add(k)) - 1.0);
        let way = along.map(|c| c * ahead);
        let local = [(x + way[0]) + aside(0), (y + way[1]) + aside(1), (z + way[2]) + aside(2)];
        let m = emitter.pose.matrix();
        std::array::from_fn(|k| {
            let along = (m[k][0] * local[0] + m[k][1] * local[1]) + m[k][2] * local[2];
            emitter.pose.position[k] + along
        })
    }

    /// Its velocity while its emitter guides it, m/s.
    pub(crate) fn velocity(&self, fluid: &FluidBody) -> [f32; 3] {
        let emitter = &fluid.emitters[self.emitter as usize];
        let [x, y, z] = fluid.openings[self.emitter as usize][self.place as usize].along;
        emitter.pose.matrix().map(|row| (((row[0] * x + row[1] * y) + row[2] * z) * emitter.speed) as f32)
    }
}

impl Poured {
    /// All its numbers.
    fn numbers(&self, add: impl FnMut(u64)) {
        let Poured { ids, filled, next, born, drained, guided, layers } = self;
        let counts = ids.iter().chain([filled, next, born, drained]).chain(layers).copied();
        let of_born = |Born { vertex, emitter, place, layer }: &Born| {
            [u64::from(*vertex), u64::from(*emitter), u64::from(*place), *layer]
        };
        counts.chain(guided.iter().flat_map(of_born)).for_each(add);
    }
}
