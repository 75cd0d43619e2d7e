//! Fields: what any number of particles have to do with each other. Blocks of a field are taken by whoever comes; their sums stand one
//! beside the other and are folded in order.

use super::Step;
use crate::plan::fields::{Block, Color, Fields};
use crate::run::input::Input;
use crate::run::report::Phase;
use crate::run::scratch::FieldRows;
use crate::run::workers::Crew;
use seidel_kernels::damping::Moments;
use seidel_kernels::field::{Fit, Inflation, Match, Residual, pressure};
use seidel_kernels::{Pack, Row, Shared};
use std::ops::Range;

/// What all workers see of a step's fields.
pub(super) struct Solved<'a> {
    pub(super) plan: &'a Fields,
    p: Shared<'a, Row>,
    g: Shared<'a, Row>,
    volume_sums: Shared<'a, [f64; 2]>,
    pushes: Shared<'a, Option<f32>>,
    volume_lambda: Shared<'a, f64>,
    members: Shared<'a, [Pack<f32>; 4]>,
    shape_sums: Shared<'a, [f64; 9]>,
    fits: Shared<'a, Option<Fit>>,
    shape_lambda: Shared<'a, f64>,
    rotations: Shared<'a, [f64; 4]>,
    pub(super) pushed: Shared<'a, Moments>,
    input: &'a Input,
    /// At the start of the step, seconds.
    time: f64,
}

impl<'a> Solved<'a> {
    pub(super) fn new(
        plan: &'a Fields,
        rows: &'a mut FieldRows,
        rotations: &'a mut [[f64; 4]],
        input: &'a Input,
        time: f64,
    ) -> Solved<'a> {
        Solved {
            plan,
            p: Shared::new(&mut rows.p),
            g: Shared::new(&mut rows.g),
            volume_sums: Shared::new(&mut rows.volume_sums),
            pushes: Shared::new(&mut rows.pushes),
            volume_lambda: Shared::new(&mut rows.volume_lambda),
            members: Shared::new(&mut rows.members),
            shape_sums: Shared::new(&mut rows.shape_sums),
            fits: Shared::new(&mut rows.fits),
            shape_lambda: Shared::new(&mut rows.shape_lambda),
            rotations: Shared::new(rotations),
            pushed: Shared::new(&mut rows.pushed),
            input,
            time,
        }
    }
}

impl Step<'_> {
    /// Shapes, then volumes.
    pub(super) fn fields(&self, crew: &mut Crew<'_>, substep: u32, first: bool) {
        let Some(fields) = &self.fields else { return };
        for color in &fields.plan.colors {
            self.shapes(crew, fields, color, first);
        }
        for round in &fields.plan.rounds {
            self.volumes(crew, fields, round, (substep, first));
        }
        self.keep_momentum(crew, fields, first);
    }

    /// Volumes that share no row.
    fn volumes(&self, crew: &mut Crew<'_>, fields: &Solved<'_>, round: &Range<usize>, (substep, first): (u32, bool)) {
        let volumes = &fields.plan.volumes;
        let start = volumes[round.start].blocks.start;
        let blocks = &fields.plan.volume_blocks[start..volumes[round.end - 1].blocks.end];
        let of = |block: &Block| {
            let (rings, p, g) = (&volumes[block.of].rings, fields.p, fields.g);
            Inflation { rings, x: self.motion.x, u: self.motion.u, p, g }
        };
        self.each(crew, Phase::Constraints, blocks.len(), |b| {
            // SAFETY: the block's registers are this closure's alone: volumes of a round are of different bodies; nobody writes
            // positions or displacements in this stage.
            unsafe { of(&blocks[b]).place(self.isa, blocks[b].registers.clone()) };
        });
        self.each(crew, Phase::Constraints, blocks.len(), |b| {
            // SAFETY: nobody writes positions in this stage, relative or not; the block's gradients and sums are this closure's alone.
            unsafe {
                let sums = of(&blocks[b]).gradients(self.isa, blocks[b].registers.clone());
                fields.volume_sums.part(start + b, 1)[0] = sums;
            }
        });
        self.each(crew, Phase::Constraints, round.len(), |v| {
            let volume = &volumes[round.start + v];
            // SAFETY: sums are only read in this stage; the volume's multiplier and push are this closure's alone.
            unsafe {
                let mut sum = [0.0; 2];
                for sums in fields.volume_sums.read(volume.blocks.start, volume.blocks.len()) {
                    sum = [sum[0] + sums[0], sum[1] + sums[1]];
                }
                let lambda = &mut fields.volume_lambda.part(round.start + v, 1)[0];
                if first {
                    *lambda = 0.0;
                }
                let dt = f64::from(fields.input.dt());
                let end = fields.time + dt * (f64::from(substep + 1) / f64::from(self.plan.settings.substeps));
                let k = fields.input.pressure_of(volume.body).unwrap_or_else(|| volume.pressure.at(end));
                let push = pressure(sum, k * volume.volume, volume.soft.of(self.h), lambda);
                fields.pushes.part(round.start + v, 1)[0] = push;
            }
        });
        self.each(crew, Phase::Constraints, blocks.len(), |b| {
            // SAFETY: the block's registers are this closure's alone; nobody writes positions, gradients or pushes in this stage.
            unsafe {
                if let Some(by) = fields.pushes.read(blocks[b].of, 1)[0] {
                    of(&blocks[b]).push(self.isa, blocks[b].registers.clone(), by);
                }
            }
        });
    }

    /// Shapes that share no particle.
    fn shapes(&self, crew: &mut Crew<'_>, fields: &Solved<'_>, color: &Color, first: bool) {
        let blocks = &fields.plan.shape_blocks[color.blocks.clone()];
        let of_block = |b: usize| (blocks[b].of, blocks[b].registers.clone(), color.blocks.start + b);
        self.each(crew, Phase::Constraints, color.whole.len() + blocks.len(), |i| {
            let Some(b) = i.checked_sub(color.whole.len()) else {
                return self.whole(fields, color.whole.start + i, first);
            };
            let (of, registers, at) = of_block(b);
            // SAFETY: shapes of a color share no particle (`Fields` has colored them), and a block's registers and sums are this
            // closure's alone; nobody writes the first member of a shape that is cut in this stage.
            unsafe {
                let [x, y, z] = self.matched(fields, of).place(self.isa, registers);
                fields.shape_sums.part(at, 1)[0][..3].copy_from_slice(&[x, y, z]);
            }
        });
        if blocks.is_empty() {
            return;
        }
        self.each(crew, Phase::Constraints, color.cut.len(), |i| {
            let (of, sums) = self.folded::<3>(fields, color.cut.start + i);
            // SAFETY: the shape's fit is this closure's alone.
            unsafe { fields.fits.part(of, 1)[0] = Some(Fit::about(sums)) };
        });
        self.each(crew, Phase::Constraints, blocks.len(), |b| {
            let (of, registers, at) = of_block(b);
            // SAFETY: members and fits are only read in this stage; the block's sums are this closure's alone.
            unsafe {
                let Some(fit) = fields.fits.read(of, 1)[0] else { return };
                let sums = self.matched(fields, of).moments(self.isa, registers, &fit);
                fields.shape_sums.part(at, 1)[0] = sums;
            }
        });
        self.each(crew, Phase::Constraints, color.cut.len(), |i| {
            let (of, sums) = self.folded::<9>(fields, color.cut.start + i);
            // SAFETY: the shape's fit and rotation are this closure's alone.
            unsafe {
                let rotation = &mut fields.rotations.part(of, 1)[0];
                let fit = &mut fields.fits.part(of, 1)[0];
                *fit = fit.map(|fit| fields.plan.shapes[of].shape.fit(fit, &sums, rotation));
            }
        });
        self.each(crew, Phase::Constraints, blocks.len(), |b| {
            let (of, registers, at) = of_block(b);
            // SAFETY: members and fits are only read in this stage; the block's sums are this closure's alone.
            unsafe {
                let Some(fit) = fields.fits.read(of, 1)[0] else { return };
                let sums = self.matched(fields, of).residual(self.isa, registers, &fit);
                fields.shape_sums.part(at, 1)[0][..8].copy_from_slice(&sums);
            }
        });
        self.each(crew, Phase::Constraints, color.cut.len(), |i| {
            let (of, sums) = self.folded::<8>(fields, color.cut.start + i);
            // SAFETY: the shape's fit is this closure's alone.
            unsafe {
                let fit = &mut fields.fits.part(of, 1)[0];
                *fit = fit.and_then(|fit| self.pushed(fields, of, fit, &sums, first));
            }
        });
        self.each(crew, Phase::Constraints, blocks.len(), |b| {
            let (of, registers, _) = of_block(b);
            // SAFETY: shapes of a color share no particle, and a block's are this closure's alone; members and fits are only read.
            unsafe {
                if let Some(fit) = fields.fits.read(of, 1)[0] {
                    self.matched(fields, of).push(self.isa, registers, &fit);
                }
            }
        });
    }

    /// A shape from first to last.
    fn whole(&self, fields: &Solved<'_>, of: usize, first: bool) {
        let shape = &fields.plan.shapes[of].shape;
        let (matched, all) = (self.matched(fields, of), 0..shape.len());
        // SAFETY: shapes of a color share no particle (`Fields` has colored them): this one's, its members and its rotation are
        // this closure's alone.
        unsafe {
            let fit = Fit::about(matched.place(self.isa, all.clone()));
            let moments = matched.moments(self.isa, all.clone(), &fit);
            let fit = shape.fit(fit, &moments, &mut fields.rotations.part(of, 1)[0]);
            let residual = matched.residual(self.isa, all.clone(), &fit);
            if let Some(fit) = self.pushed(fields, of, fit, &residual, first) {
                matched.push(self.isa, all, &fit);
            }
        }
    }

    /// How far a shape pushes; called for each shape by one closure at a time.
    fn pushed(&self, fields: &Solved<'_>, of: usize, fit: Fit, residual: &Residual, first: bool) -> Option<Fit> {
        let matched = &fields.plan.shapes[of];
        // SAFETY: the shape's multiplier is the caller's alone.
        let lambda = unsafe { &mut fields.shape_lambda.part(of, 1)[0] };
        if first {
            *lambda = 0.0;
        }
        matched.shape.push(fit, residual, matched.soft.of(self.h), lambda)
    }

    fn matched<'f>(&'f self, fields: &'f Solved<'_>, of: usize) -> Match<'f> {
        let matched = &fields.plan.shapes[of];
        let p = fields.members.within(matched.start, matched.shape.len());
        Match { shape: &matched.shape, x: self.motion.x, u: self.motion.u, p }
    }

    /// A cut shape's sums, folded in order.
    fn folded<const N: usize>(&self, fields: &Solved<'_>, of: usize) -> (usize, [f64; N]) {
        let blocks = &fields.plan.shapes[of].blocks;
        let mut all = [0.0; N];
        // SAFETY: sums are only read in the stages that fold.
        for sums in unsafe { fields.shape_sums.read(blocks.start, blocks.len()) } {
            all.iter_mut().zip(sums).for_each(|(sum, part)| *sum += part);
        }
        (of, all)
    }
}
