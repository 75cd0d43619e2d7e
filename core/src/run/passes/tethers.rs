//! Tethers: vertices that stay near an obstacle or a pin, put where they may be.

use super::Common;
use crate::plan::Plan;
use crate::plan::blocks::Block;
use crate::plan::tether::AllTethers;
use crate::run::report::Phase;
use seidel_kernels::contact::Tethers as Kernel;
use seidel_kernels::integrate::Motion;
use seidel_kernels::{BATCH, Isa, Row};
use seidel_workers::Crew;
use std::ops::Range;

/// All tethers and long range attachments.
pub(crate) struct Tethers<'a> {
    common: &'a Common<'a>,
    /// Points near which tethered vertices stay.
    spans: &'a [Span],
    /// Pins that others stay near.
    anchors: &'a [Span],
}

impl<'a> Tethers<'a> {
    /// None where nothing is tethered.
    pub(crate) fn new(common: &'a Common<'a>, spans: &'a [Span], anchors: &'a [Span]) -> Option<Tethers<'a>> {
        let Plan { tethers, long_range, .. } = common.plan;
        let any = !tethers.is_empty() || !long_range.held.is_empty();
        any.then_some(Tethers { common, spans, anchors })
    }

    /// Puts what is too far from a pin, or from an obstacle, where it may be at the end of a substep.
    pub(crate) fn run(&self, crew: &mut Crew<'_>, substep: u32) {
        let Common { plan, isa, motion, .. } = *self.common;
        let at = self.common.share(substep) as f32;
        self.common.each_block(crew, Phase::Contacts, |b| {
            let block = (&plan.blocks[b], b);
            // SAFETY: the block's rows are this closure's alone.
            unsafe {
                plan.long_range.held.keep(isa, motion, self.anchors, block, at);
                plan.tethers.keep(isa, motion, self.spans, block, at);
            }
        });
    }
}

/// A point and its normal where a step starts and where it ends.
pub(crate) type Span = [[[f32; 3]; 2]; 2];

impl AllTethers {
    /// Where points and normals are where a step starts, and where it ends.
    pub(crate) fn span(&self, starts: &[[f32; 3]], ends: &[[f32; 3]], spans: &mut Vec<Span>) {
        spans.clear();
        let narrow = |(place, n): ([f64; 3], [f64; 3])| [place.map(|c| c as f32), n.map(|c| c as f32)];
        spans.extend(self.places.iter().map(|place| [starts, ends].map(|at| narrow(place.place(at)))));
    }

    /// Keeps those of a block where they may be at the part `at` of the step.
    ///
    /// # Safety
    /// Nobody else uses the block's rows.
    pub(crate) unsafe fn keep(
        &self,
        isa: Isa,
        motion: Motion<'_>,
        spans: &[Span],
        (block, number): (&Block, usize),
        at: f32,
    ) {
        let Some(range) = self.blocks.get(number) else { return };
        let layout = block.run.layout;
        for first in range.clone().step_by(BATCH) {
            let sixteen = first..range.end.min(first + BATCH);
            let mut tethers = Kernel::NONE;
            // SAFETY: the caller promises that nobody else uses the block's rows; a block's rows lie within its run.
            let (x, u) = unsafe {
                let Range { start, end } = block.run.start..block.run.start + block.run.len;
                (motion.x.read(start, end - start), motion.u.part(start, end - start))
            };
            let row = |rows: &[Row], row: usize| layout.read(rows, row - block.run.start);
            for (lane, of) in self.each[sixteen.clone()].iter().enumerate() {
                let (x, u) = (row(x, of.row), row(u, of.row));
                let [[p, n], [to, turned]] = &spans[of.point];
                for k in 0..3 {
                    tethers.d[k].0[lane] = (x[k] - between(p[k], to[k], at)) + u[k];
                    tethers.n[k].0[lane] = between(n[k], turned[k], at);
                }
                // Fixed particles stay.
                tethers.distance.0[lane] = if x[3] > 0.0 { of.distance } else { f32::INFINITY };
                tethers.radius.0[lane] = if x[3] > 0.0 { of.radius } else { f32::NAN };
                tethers.behind.0[lane] = of.behind;
            }
            let before = tethers.d;
            tethers.keep(isa);
            for (lane, of) in self.each[sixteen].iter().enumerate() {
                let by: [f32; 3] = std::array::from_fn(|k| tethers.d[k].0[lane] - before[k].0[lane]);
                if by != [0.0; 3] && by.iter().all(|c| c.is_finite()) {
                    let mut to = row(u, of.row);
                    (0..3).for_each(|k| to[k] += by[k]);
                    layout.write(u, of.row - block.run.start, to);
                }
            }
        }
    }
}

fn between(a: f32, b: f32, at: f32) -> f32 {
    if at >= 1.0 { b } else { a + (b - a) * at }
}
