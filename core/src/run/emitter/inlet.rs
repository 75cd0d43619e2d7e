//! Whether grains, colliders or rigid bodies lie where grains are to come.

use crate::describe::collider::Shape;
use crate::describe::pose::Pose;
use crate::geometry::vector::{dot, sub};
use crate::plan::Plan;
use crate::plan::carve::distance;
use crate::plan::grains::GrainBody;
use crate::plan::sources::Sources;
use crate::run::poured::Born;
use crate::run::state::State;
use crate::tuning::{GRAIN_ROOM, GRAIN_TRIES};

/// A grain near an opening.
#[derive(Clone, Copy, Debug)]
struct Near {
    at: [f32; 3],
    /// How near one that comes may be, metres.
    apart: f32,
    /// The one before in the same chain, plus 1; 0 if there is none.
    before: u32,
}

/// The grains near an opening, in chains by the cells that they are in: working memory.
#[derive(Debug, Default)]
pub(crate) struct Inlet {
    near: Vec<Near>,
    /// For each chain its last grain, plus 1; a power of two of them.
    last: Vec<u32>,
    /// Colliders and shapes of rigid bodies near the opening, and where they are.
    solids: Vec<(Solid, Pose)>,
    /// The width of a cell, and how near two of those that come may be, metres.
    width: f32,
    own: f32,
}

/// A collider, or a shape of a rigid body, by its number.
#[derive(Clone, Copy, Debug)]
enum Solid {
    Collider(usize),
    Rigid(usize),
}

impl Solid {
    fn shape(self, plan: &Plan) -> Option<&Shape> {
        match self {
            Solid::Collider(number) => plan.colliders.get(number).map(|collider| &collider.shape),
            Solid::Rigid(number) => plan.rigid.as_ref()?.shown.get(number).map(|(_, shape, _)| shape),
        }
    }
}

/// Grains in a chain, about.
const A_CHAIN: usize = 2;

impl Inlet {
    pub(crate) fn poison(&mut self) {
        self.near.fill(Near { at: [f32::NAN; 3], apart: f32::NAN, before: u32::MAX });
        self.last.fill(u32::MAX);
        self.solids.clear();
        (self.width, self.own) = (f32::NAN, f32::NAN);
    }

    /// Finds what is near the layers of an emitter from one on that have left their opening by a time.
    pub(super) fn look(
        &mut self,
        state: &State,
        plan: &Plan,
        (number, grains): (usize, &GrainBody),
        (emitter, layer, time): (usize, u64, f64),
    ) {
        self.near.clear();
        let Some(all) = &plan.grains else { return };
        (self.width, self.own) = (all.reach, GRAIN_ROOM * all.contact(number, number).0);
        let sources = &grains.sources;
        let reach = f64::from(all.reach) + sources.spacing;
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for place in 0..sources.openings[emitter].len() as u32 {
            let born = Born { vertex: 0, emitter: emitter as u32, place, layer };
            for way in [0.0, born.ahead(sources, time)] {
                let at = born.at(sources, way);
                low = std::array::from_fn(|k| low[k].min(at[k] - reach));
                high = std::array::from_fn(|k| high[k].max(at[k] + reach));
            }
        }
        self.solids.clear();
        let (middle, half) = ([0, 1, 2].map(|k| 0.5 * (low[k] + high[k])), sub(high, low).map(|side| 0.5 * side));
        let is_near = |shape: &Shape, pose: &Pose| distance(shape, pose, middle) < dot(half, half).sqrt();
        let filter = plan.bodies[grains.body].filter;
        for (number, (collider, pose)) in plan.colliders.iter().zip(&state.poses).enumerate() {
            if collider.filter.meets(filter) && !state.off.colliders[number] && is_near(&collider.shape, pose) {
                self.solids.push((Solid::Collider(number), *pose));
            }
        }
        let rigid = plan.rigid.iter().flat_map(|rigid| rigid.shown.iter().map(|shown| (&rigid.bodies, shown)));
        for (number, (bodies, (body, shape, own))) in rigid.enumerate() {
            let (of, motion) = (&bodies[*body as usize], &state.rigid.motions[*body as usize]);
            let pose = Pose { position: motion.position, rotation: motion.rotation }.place(own);
            let meets = of.filter.meets(filter) && !of.sensor && !state.off.rigid[*body as usize];
            if meets && is_near(shape, &pose) {
                self.solids.push((Solid::Rigid(number), pose));
            }
        }
        let room = sources.openings[emitter].len() / A_CHAIN;
        self.last.clear();
        self.last.resize(room.next_power_of_two().max(64), 0);
        for (other, of) in all.bodies.iter().enumerate().filter(|(_, of)| !state.off.bodies[of.body]) {
            let (body, apart) = (&plan.bodies[of.body], GRAIN_ROOM * all.contact(number, other).0);
            let is_there = |[x, y, z, w]: [f32; 4]| {
                w > 0.0 && [x, y, z].iter().enumerate().all(|(k, &c)| (low[k]..=high[k]).contains(&f64::from(c)))
            };
            for x in (0..body.to_row.len()).map(|vertex| body.get(&state.x, vertex)).filter(|x| is_there(*x)) {
                self.add([x[0], x[1], x[2]], apart);
            }
        }
    }

    /// Takes a place for one that comes, about where its emitter has it, if there is room.
    pub(super) fn take(&mut self, plan: &Plan, sources: &Sources, (born, time): (&Born, f64)) -> Option<[f32; 3]> {
        let ahead = born.ahead(sources, time);
        let place = |attempt: u32| born.at_again(sources, ahead, attempt).map(|c| c as f32);
        let at = (0..GRAIN_TRIES).map(place).find(|at| self.is_free(*at) && self.is_outside(plan, *at))?;
        self.add(at, self.own);
        Some(at)
    }

    /// Whether a grain there would not be in something solid.
    fn is_outside(&self, plan: &Plan, at: [f32; 3]) -> bool {
        let at = at.map(f64::from);
        let is_in =
            |(solid, pose): &(Solid, Pose)| solid.shape(plan).is_some_and(|shape| distance(shape, pose, at) < 0.0);
        !self.solids.iter().any(is_in)
    }

    fn is_free(&self, at: [f32; 3]) -> bool {
        let [x, y, z] = cell(at, self.width);
        let cells = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [x + i, y + j, z + k])));
        let chains = cells.map(|cell| self.last[self.chain(cell)]);
        chains.into_iter().all(|mut number| {
            while let Some(near) = number.checked_sub(1).map(|k| self.near[k as usize]) {
                let d: [f32; 3] = std::array::from_fn(|k| near.at[k] - at[k]);
                if (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] < near.apart * near.apart {
                    return false;
                }
                number = near.before;
            }
            true
        })
    }

    fn add(&mut self, at: [f32; 3], apart: f32) {
        let chain = self.chain(cell(at, self.width));
        self.near.push(Near { at, apart, before: self.last[chain] });
        self.last[chain] = self.near.len() as u32;
    }

    fn chain(&self, [x, y, z]: [i64; 3]) -> usize {
        let mixed = [x, y, z].into_iter().fold(0u64, |sum, c| (sum ^ c as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (mixed >> 32) as usize & (self.last.len() - 1)
    }
}

fn cell(at: [f32; 3], width: f32) -> [i64; 3] {
    at.map(|c| (c / width).floor() as i64)
}
