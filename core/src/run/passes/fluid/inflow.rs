//! Particles that come from an opening go as their emitter says until they are two spacings from it, whatever they
//! meet: others give way to them, as to a piston. A particle is born in the substep in which it leaves the opening, at
//! its place at that time. Where a particle is already, that one goes on as the new one would; where the fluid cannot
//! give way, none is born (`room.rs`).

use super::room::{Found, Room};
use crate::geometry::vector::length;
use crate::plan::fluid::Fluids as Plans;
use crate::run::input::Input;
use crate::run::passes::Common;
use crate::run::poured::{Born, Poured};
use crate::tuning::MAX_COORDINATE;
use seidel_kernels::Row;

/// Spacings from the opening up to which particles are guided: as far as the next behind them reach.
const GUIDED: f64 = 2.0;

/// The openings in a step.
pub(super) struct Inflow<'a> {
    common: &'a Common<'a>,
    plan: &'a Plans,
    input: &'a Input,
    /// When the step begins, seconds.
    time: f64,
    poured: &'a mut [Poured],
    /// How many were born, and how many were not for want of room.
    pub(super) born: u32,
    pub(super) blocked: u32,
}

/// The particles that are guided in a step: working memory.
#[derive(Debug, Default)]
pub(super) struct Guided {
    /// For each fluid, for each of its guided particles: whether it is still to be born.
    waits: Vec<Vec<bool>>,
    /// Rows that are guided in this substep, and their slots.
    rows: Vec<u32>,
    slots: Vec<u32>,
    /// For each row: a bit, set if its particle is guided; empty if no particle is guided in the step.
    is_guided: Vec<u64>,
    room: Room,
    /// Rows that are guided when a substep begins, in order, with the numbers of their fluid and emitter.
    led: Vec<(u32, [u32; 2])>,
}

impl<'a> Inflow<'a> {
    pub(super) fn new(
        common: &'a Common<'a>,
        plan: &'a Plans,
        poured: &'a mut [Poured],
        (input, time): (&'a Input, f64),
        guided: &mut Guided,
    ) -> Inflow<'a> {
        let x = common.motion.x;
        let Guided { waits, rows, slots, is_guided, .. } = guided;
        waits.resize_with(plan.bodies.len().max(waits.len()), Vec::new);
        for ((fluid, poured), waits) in plan.bodies.iter().zip(&*poured).zip(waits) {
            let body = &common.plan.bodies[fluid.body];
            // SAFETY: no stage runs, so nobody writes rows.
            let is_waiting = |born: &Born| unsafe { x.read(body.particle(born.vertex) as usize, 1)[0][3] == 0.0 };
            waits.clear();
            waits.extend(poured.guided.iter().map(is_waiting));
        }
        rows.clear();
        slots.clear();
        let nobody = poured.iter().all(|poured| poured.guided.is_empty());
        is_guided.clear();
        is_guided.resize(if nobody { 0 } else { x.len().div_ceil(64) }, 0);
        Inflow { common, plan, input, time, poured, born: 0, blocked: 0 }
    }

    /// Guides particles in a substep. Returns whether one is born.
    pub(super) fn begin(&mut self, guided: &mut Guided, substep: u32) -> bool {
        let Guided { waits, rows, is_guided, room, led, .. } = guided;
        for &row in &*rows {
            is_guided[row as usize / 64] &= !(1 << (row % 64));
        }
        rows.clear();
        room.begin();
        led.clear();
        for (of, ((fluid, poured), waits)) in self.plan.bodies.iter().zip(&*self.poured).zip(&*waits).enumerate() {
            let guided = poured.guided.iter().zip(waits).filter(|(_, waits)| !**waits);
            let body = &self.common.plan.bodies[fluid.body];
            led.extend(guided.map(|(born, _)| (body.particle(born.vertex), [of as u32, born.emitter])));
        }
        led.sort_unstable();
        let (Common { plan, motion, substeps, .. }, mut is_born) = (self.common, false);
        let share = |substep: u32| f64::from(substep) / f64::from(*substeps);
        let [begin, end] = [substep, substep + 1].map(|substep| self.input.after(self.time, share(substep)));
        let is_last = self.common.is_last(substep);
        for (of, ((fluid, poured), waits)) in self.plan.bodies.iter().zip(&mut *self.poured).zip(waits).enumerate() {
            let (body, reach) = (&plan.bodies[fluid.body], GUIDED * f64::from(fluid.liquid.spacing));
            let w = (1.0 / fluid.liquid.mass()) as f32;
            let Poured { guided, ids, next, born: all_born, .. } = poured;
            // Of those before `number`, `kept` stay.
            let (mut number, mut kept) = (0, 0);
            guided.retain_mut(|born| {
                let waited = waits[number];
                number += 1;
                let [from, to] = [begin, end].map(|time| born.ahead(&fluid.sources, time));
                if waited && to < 0.0 && !is_last {
                    waits[kept] = true;
                    kept += 1;
                    return true;
                }
                if !waited && from > reach {
                    return false;
                }
                let rows_of = |vertex: u32| {
                    let row = body.particle(vertex) as usize;
                    // SAFETY: no stage runs, so nobody else uses rows.
                    (row, unsafe { [motion.x, motion.r, motion.u, motion.v].map(|of| &mut of.part(row, 1)[0]) })
                };
                let is_led = |row: usize| is_guided[row / 64] >> (row % 64) & 1 == 1;
                let found = match waited {
                    true => room.at(self.common, self.plan, (of, born), (to, led)),
                    false => Found::Nothing,
                };
                if found != Found::Nothing {
                    self.blocked = self.blocked.saturating_add(1);
                    // Who was to be born goes back to where it waited for that.
                    let (row, [x, r, u, v]) = rows_of(born.vertex);
                    let [px, py, pz, _] = plan.x[row];
                    (*x, *r, *u, *v) = ([px, py, pz, 0.0], [0.0; 4], [0.0; 4], [0.0; 4]);
                    match found {
                        Found::Row(row) if !is_led(row) && !is_led_at_begin(led, row) => {
                            let Some(vertex) = body.vertex(row) else { return false };
                            born.vertex = vertex as u32;
                        }
                        _ => return false,
                    }
                }
                let (row, [x, r, u, _]) = rows_of(born.vertex);
                let is_new = waited && found == Found::Nothing;
                if is_new {
                    // It begins in the opening, but for the fastest, which are not guided long enough to take up their
                    // speed: those behind it. Not out of the world, however long the step.
                    let sane = from.abs() < f64::from(MAX_COORDINATE);
                    let from = if sane && (to - from > reach || from > 0.0) { from } else { 0.0 };
                    let [px, py, pz] = born.at(&fluid.sources, from).map(|c| c as f32);
                    (*x, *r) = ([px, py, pz, w], [0.0; 4]);
                    ids[born.vertex as usize] = *next;
                    (*next, *all_born) = (next.saturating_add(1), all_born.saturating_add(1));
                    self.born = self.born.saturating_add(1);
                    is_born = true;
                } else if x[3] == 0.0 {
                    return false;
                }
                // A particle in another's place, or pushed aside, comes to its path as fast as it goes along it.
                let way = to - from;
                let (from, to) = (born.at(&fluid.sources, from), born.at(&fluid.sources, to));
                let beside: [f64; 3] = std::array::from_fn(|k| f64::from(x[k]) - from[k]);
                let far = length(beside);
                let left = if far > way && !is_new { 1.0 - way / far } else { 0.0 };
                (0..3).for_each(|k| u[k] = ((to[k] + left * beside[k]) - f64::from(x[k])) as f32);
                rows.push(row as u32);
                is_guided[row / 64] |= 1 << (row % 64);
                waits[kept] = false;
                kept += 1;
                true
            });
            waits.truncate(kept);
        }
        is_born
    }
}

/// Whether a row is among those that are guided when a substep begins.
fn is_led_at_begin(led: &[(u32, [u32; 2])], row: usize) -> bool {
    led.binary_search_by_key(&(row as u32), |(row, _)| *row).is_ok()
}

impl Guided {
    pub(super) fn poison(&mut self) {
        self.waits.iter_mut().for_each(|waits| waits.fill(true));
        self.rows.fill(u32::MAX);
        self.slots.fill(u32::MAX);
        self.led.fill((u32::MAX, [u32::MAX; 2]));
        self.room.poison();
        self.is_guided.fill(u64::MAX);
    }

    /// Finds the slots of those that are guided.
    pub(super) fn find(&mut self, row_of: &[u32]) {
        self.slots.clear();
        if self.rows.is_empty() {
            return;
        }
        let guided = |row: u32| self.is_guided[row as usize / 64] >> (row % 64) & 1 == 1;
        self.slots.extend((0..).zip(row_of).filter(|(_, row)| guided(**row)).map(|(slot, _)| slot as u32));
    }

    /// Nothing moves those that are guided.
    pub(super) fn hold(&self, at: &mut [Row]) {
        for &slot in &self.slots {
            at[slot as usize][3] = 0.0;
        }
    }
}
