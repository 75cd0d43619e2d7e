//! Which particles of a fluid, or grains, have come from emitters and gone into drains.

use crate::describe::emitter::Outlet;
use crate::describe::snapshot::SnapshotError;
use crate::geometry::chance::uniform;
use crate::plan::Plan;
use crate::plan::sources::Sources;
use crate::run::bytes::{Reader, write_words};

/// A particle that an emitter gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Born {
    pub(crate) vertex: u32,
    pub(crate) emitter: u32,
    /// Its place in the layer, and the layer's number.
    pub(crate) place: u32,
    pub(crate) layer: u64,
}

/// Which particles of a body have come, and gone.
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
    /// Particles that an emitter guides: those near its opening, and in a step those which will be born in it. None of
    /// grains.
    pub(crate) guided: Vec<Born>,
    /// For each emitter: the layers that it has given, or left out because no particle was left to be born.
    pub(crate) layers: Vec<u64>,
}

impl Born {
    /// How far its layer has come from the opening by a time, metres.
    pub(crate) fn ahead(&self, sources: &Sources, time: f64) -> f64 {
        let (emitter, gap) = (&sources.emitters[self.emitter as usize], sources.gaps[self.emitter as usize]);
        (time - emitter.from) * emitter.speed - self.layer as f64 * gap
    }

    /// Where it is so far from the opening, as its emitter says, metres.
    pub(crate) fn at(&self, sources: &Sources, ahead: f64) -> [f64; 3] {
        self.at_again(sources, ahead, 0)
    }

    /// The same with another jitter: the first is number 0.
    pub(crate) fn at_again(&self, sources: &Sources, ahead: f64, attempt: u32) -> [f64; 3] {
        let (emitter, spacing) = (&sources.emitters[self.emitter as usize], sources.spacing);
        let Outlet { place: [x, y, z], along } = sources.openings[self.emitter as usize][self.place as usize];
        let key = (u64::from(emitter.seed) << 32) ^ (self.layer.wrapping_mul(0x9e37_79b9) ^ u64::from(self.place));
        let key = key ^ (u64::from(attempt) << 58);
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

    /// Its velocity at the opening, m/s.
    pub(crate) fn velocity(&self, sources: &Sources) -> [f32; 3] {
        let emitter = &sources.emitters[self.emitter as usize];
        let [x, y, z] = sources.openings[self.emitter as usize][self.place as usize].along;
        emitter.pose.matrix().map(|row| (((row[0] * x + row[1] * y) + row[2] * z) * emitter.speed) as f32)
    }
}

impl Poured {
    /// At the start, of a body by its number, which has so many particles there.
    pub(crate) fn new(plan: &Plan, body: usize, (filled, sources): (usize, &Sources)) -> Poured {
        let body = &plan.bodies[body];
        let ids = (0..body.to_row.len() as u64).collect();
        let last = (0..body.to_row.len()).rfind(|&vertex| body.get(&plan.x, vertex)[3] > 0.0);
        let next = last.map_or(0, |vertex| vertex as u64 + 1);
        let layers = vec![0; sources.emitters.len()];
        Poured { ids, filled: filled as u64, next, born: 0, drained: 0, guided: Vec::new(), layers }
    }

    /// Of another plan with as many emitters: each gives what is due from now on.
    pub(crate) fn meet(&mut self, sources: &Sources, time: f64) {
        self.layers = sources.due(time);
        self.guided.clear();
    }

    /// What the body of another plan goes on with, whose sources were `old`: an emitter that is another gives what is
    /// due from now on.
    pub(crate) fn carried(&self, old: &Sources, new: &Sources, time: f64) -> Poured {
        let mut poured = self.clone();
        poured.layers = new.due(time);
        for (e, layers) in poured.layers.iter_mut().enumerate() {
            if old.spacing == new.spacing && old.emitters.get(e) == Some(&new.emitters[e]) {
                *layers = self.layers[e];
            }
        }
        if old.emitters != new.emitters || old.spacing != new.spacing {
            poured.guided.clear();
        }
        poured
    }

    /// Whether particles may come or go.
    pub(crate) fn flows(&self) -> bool {
        !self.ids.is_empty()
    }

    /// All its numbers; none of what does not flow.
    pub(crate) fn numbers(&self, add: impl FnMut(u64)) {
        if !self.flows() {
            return;
        }
        let Poured { ids, filled, next, born, drained, guided, layers } = self;
        let counts = ids.iter().chain([filled, next, born, drained]).chain(layers).copied();
        let of_born = |Born { vertex, emitter, place, layer }: &Born| {
            [u64::from(*vertex), u64::from(*emitter), u64::from(*place), *layer]
        };
        counts.chain(guided.iter().flat_map(of_born)).for_each(add);
    }

    /// Everything, as bytes of a snapshot.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_words(out, &[self.guided.len() as u32]);
        self.numbers(|number| out.extend_from_slice(&number.to_le_bytes()));
    }

    /// Reads the bytes that `write` has written.
    pub(crate) fn read(&mut self, sources: &Sources, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let count = from.word()?;
        let Poured { ids, filled, next, born, drained, guided, layers } = self;
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
            let opening = sources.openings.get(born.emitter as usize);
            let is_one = (born.vertex as usize) < ids.len()
                && opening.is_some_and(|places| (born.place as usize) < places.len());
            if !is_one {
                return Err(SnapshotError::Value { what: "a particle was born of no emitter" });
            }
            guided.push(born);
        }
        Ok(())
    }
}
