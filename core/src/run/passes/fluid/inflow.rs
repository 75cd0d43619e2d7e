//! Particles that come from an opening go as their emitter says until they are two spacings from it, whatever they
//! meet: others give way to them, as to a piston. A particle is born in the substep in which it leaves the opening, at
//! its place at that time. Fluid that has drifted in front of the opening is pushed away by the guided particles ahead,
//! so no particle is born inside another.

use crate::plan::fluid::Fluids as Plans;
use crate::run::fluid::{Born, Poured};
use crate::run::input::Input;
use crate::run::passes::Common;
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
        let Guided { waits, rows, slots, is_guided } = guided;
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
        Inflow { common, plan, input, time, poured }
    }

    /// Guides particles in a substep. Returns whether one is born.
    pub(super) fn begin(&mut self, guided: &mut Guided, substep: u32) -> bool {
        let Guided { waits, rows, is_guided, .. } = guided;
        for &row in &*rows {
            is_guided[row as usize / 64] &= !(1 << (row % 64));
        }
        rows.clear();
        let (Common { plan, motion, substeps, .. }, mut is_born) = (self.common, false);
        let share = |substep: u32| f64::from(substep) / f64::from(*substeps);
        let [begin, end] = [substep, substep + 1].map(|substep| self.input.after(self.time, share(substep)));
        let is_last = self.common.is_last(substep);
        for ((fluid, poured), waits) in self.plan.bodies.iter().zip(&mut *self.poured).zip(waits) {
            let (body, reach) = (&plan.bodies[fluid.body], GUIDED * f64::from(fluid.liquid.spacing));
            let w = (1.0 / fluid.liquid.mass()) as f32;
            // Of those before `number`, `kept` stay.
            let (mut number, mut kept) = (0, 0);
            poured.guided.retain(|born| {
                let waited = waits[number];
                number += 1;
                let [from, to] = [begin, end].map(|time| born.ahead(fluid, time));
                if waited && to < 0.0 && !is_last {
                    waits[kept] = true;
                    kept += 1;
                    return true;
                }
                if !waited && from > reach {
                    return false;
                }
                let row = body.particle(born.vertex) as usize;
                // SAFETY: no stage runs, so nobody else uses rows.
                let [x, r, u] = unsafe { [motion.x, motion.r, motion.u].map(|rows| &mut rows.part(row, 1)[0]) };
                if waited {
                    // It begins in the opening, but for the fastest, which are not guided long enough to take up their
                    // speed: those behind it. Not out of the world, however long the step.
                    let sane = from.abs() < f64::from(MAX_COORDINATE);
                    let from = if sane && (to - from > reach || from > 0.0) { from } else { 0.0 };
                    let [px, py, pz] = born.at(fluid, from).map(|c| c as f32);
                    (*x, *r) = ([px, py, pz, w], [0.0; 4]);
                    is_born = true;
                } else if x[3] == 0.0 {
                    return false;
                }
                let to = born.at(fluid, to);
                (0..3).for_each(|k| u[k] = (to[k] - f64::from(x[k])) as f32);
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

impl Guided {
    pub(super) fn poison(&mut self) {
        self.waits.iter_mut().for_each(|waits| waits.fill(true));
        self.rows.fill(u32::MAX);
        self.slots.fill(u32::MAX);
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
