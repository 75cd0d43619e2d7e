//! The bodies that wait while those of a level take their substeps: disabled ones, and those of other levels.

use crate::plan::Plan;
use crate::run::off::Off;
use crate::run::state::State;
use seidel_kernels::Rows;

/// A body of another level waits as a disabled one does: its inverse masses are 0 meanwhile, nothing meets it, and its
/// rows are passed over. What it has of a state stays to the bit.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// Whatever is not there for this level.
    pub(crate) off: Off,
    /// For each of the plan's batch ranges, whether it has rows of waiting bodies alone; empty if nothing waits.
    pub(crate) idle: Vec<bool>,
    /// Inverse masses of bodies of other levels, and inverse inertias of their frames; empty if there is one level.
    inv_masses: Vec<f32>,
}

impl Waiting {
    pub(crate) fn new(plan: &Plan) -> Waiting {
        let rows = if plan.levels().len() > 1 { plan.x.len() } else { 0 };
        let idle = Vec::with_capacity(plan.batch_ranges.len());
        Waiting { off: Off::new(plan), idle, inv_masses: vec![f32::NAN; rows] }
    }

    pub(crate) fn poison(&mut self) {
        for flags in [&mut self.off.bodies, &mut self.off.colliders, &mut self.off.rigid, &mut self.idle] {
            flags.fill(true);
        }
        self.inv_masses.fill(f32::NAN);
    }

    /// Lets all bodies wait that are disabled or take other `substeps`. Their displacements `u` are 0.
    pub(crate) fn hold(&mut self, plan: &Plan, state: &mut State, u: &mut Rows, substeps: u32) {
        self.off.copy(&state.off);
        for (number, body) in plan.bodies.iter().enumerate() {
            if body.substeps != substeps && !state.off.bodies[number] {
                self.off.bodies[number] = true;
                self.each(plan, state, number, |own, kept| *kept = std::mem::replace(own, 0.0));
            }
            if self.off.bodies[number] {
                u[body.start..body.start + body.rows].fill([0.0; 4]);
            }
        }
        self.idle.clear();
        if self.off.bodies.contains(&true) {
            self.idle.resize(plan.batch_ranges.len(), false);
            for section in &plan.sections {
                let [bodies, batch_ranges] = section.extent();
                let waits = self.off.bodies[bodies].iter().all(|off| *off);
                self.idle[batch_ranges].fill(waits);
            }
        }
    }

    /// Ends the waiting of bodies of other levels.
    pub(crate) fn release(&mut self, plan: &Plan, state: &mut State, substeps: u32) {
        for (number, body) in plan.bodies.iter().enumerate() {
            if body.substeps != substeps && !state.off.bodies[number] {
                self.each(plan, state, number, |own, kept| *own = *kept);
            }
        }
    }

    /// Calls a function with the inverse mass, or inertia, of each row of a body, and where it is kept.
    fn each(&mut self, plan: &Plan, state: &mut State, body: usize, mut with: impl FnMut(&mut f32, &mut f32)) {
        let body = &plan.bodies[body];
        let numbers: &mut [f32] = bytemuck::cast_slice_mut(&mut state.x[..]);
        let fourth = 3 * body.layout.stride();
        let rows = body.start..body.start + body.rows;
        for (row, kept) in rows.clone().zip(&mut self.inv_masses[rows]) {
            match body.frames.at(row - body.start) {
                Some(_) => with(&mut state.r[row][3], kept),
                None => with(&mut numbers[body.layout.offset(row) + fourth], kept),
            }
        }
    }
}
