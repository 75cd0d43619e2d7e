//! Tethers and long range attachments: projects vertices to within their max distance of a point on an obstacle or of a
//! pin, and in front of their backstop.

use super::Common;
use crate::plan::Plan;
use crate::plan::blocks::RowBlock;
use crate::plan::tether::AllTethers;
use crate::run::long_range::{Anchors, between};
use crate::run::report::Phase;
use seidel_kernels::contact::Tethers as Kernel;
use seidel_kernels::integrate::Motion;
use seidel_kernels::{BATCH, Isa, Row};
use seidel_workers::Crew;
use std::ops::Range;

/// All tethers and long range attachments.
pub(crate) struct Tethers<'a> {
    common: &'a Common<'a>,
    /// Points on obstacles near which tethered vertices stay.
    spans: &'a [Span],
    /// Pins near which vertices with long range attachments stay.
    anchors: &'a mut Anchors,
}

impl<'a> Tethers<'a> {
    /// None where nothing is tethered.
    pub(crate) fn new(common: &'a Common<'a>, spans: &'a [Span], anchors: &'a mut Anchors) -> Option<Tethers<'a>> {
        let Plan { tethers, long_range, .. } = common.plan;
        let any = !tethers.is_empty() || !long_range.is_empty();
        any.then_some(Tethers { common, spans, anchors })
    }

    /// Projects vertices that are too far from their pin or their point on an obstacle, for the points at the end of
    /// the substep.
    pub(crate) fn run(&mut self, crew: &mut Crew<'_>, substep: u32) {
        let Common { plan, isa, motion, .. } = *self.common;
        let (at, held) = (self.common.share(substep) as f32, &plan.long_range);
        let points = self.anchors.at(at);
        self.common.each(crew, Phase::Tethers, held.blocks.len(), |b| {
            if self.common.waits(held.blocks[b]) {
                return;
            }
            // SAFETY: `Attachments::of` lists a block once, and the plan gives each row to one block (`place::divide`).
            unsafe { held.held.keep(isa, motion, plan.blocks[held.blocks[b]].run, points) };
        });
        self.common.each(crew, Phase::Tethers, plan.tethers.blocks.len(), |b| {
            let (block, of) = &plan.tethers.blocks[b];
            if self.common.waits(*block) {
                return;
            }
            // SAFETY: `AllTethers::in_blocks` lists a block once, and the plan gives each row to one block
            // (`place::divide`).
            unsafe { plan.tethers.keep(isa, motion, self.spans, (&plan.blocks[*block], of), at) };
        });
    }
}

/// [start, end] of a step; at each a point, metres, and its normal.
pub(crate) type Span = [[[f32; 3]; 2]; 2];

impl AllTethers {
    /// Writes points and normals at the start and at the end of a step to `spans`.
    pub(crate) fn span(&self, starts: &[[f32; 3]], ends: &[[f32; 3]], spans: &mut Vec<Span>) {
        spans.clear();
        let narrow = |(place, n): ([f64; 3], [f64; 3])| [place.map(|c| c as f32), n.map(|c| c as f32)];
        spans.extend(self.places.iter().map(|place| [starts, ends].map(|at| narrow(place.place(at)))));
    }

    /// Projects tethered vertices of a block (`range` of them), for the points at the share `at` of the step, 0 to 1.
    ///
    /// # Safety
    /// Nobody else uses the block's rows.
    pub(crate) unsafe fn keep(
        &self,
        isa: Isa,
        motion: Motion<'_>,
        spans: &[Span],
        (block, range): (&RowBlock, &Range<usize>),
        at: f32,
    ) {
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
                // Fixed particles have neither a max distance nor a backstop.
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
