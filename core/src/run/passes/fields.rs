//! Fields: constraints over any number of particles, that is matched shapes and held volumes. Any worker may take any
//! block of a field. Each block writes sums of its own, and these are added in the order of the blocks.

use super::{At, Common};
use crate::plan::Plan;
use crate::plan::fields::{Color, FieldBlock, Fields as Plans};
use crate::run::input::Input;
use crate::run::report::Phase;
use seidel_kernels::field::{Fit, Inflation, Match, Residual, pressure};
use seidel_kernels::{BATCH, Pack, Row, Rows, Shared};
use seidel_workers::Crew;
use std::ops::Range;

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct FieldScratch {
    /// Positions relative to each volume's origin, and gradients, in rows.
    p: Rows,
    g: Rows,
    /// Sums of each block of a volume.
    volume_sums: Vec<[f64; 2]>,
    /// Push and multiplier of each volume.
    pushes: Vec<Option<f32>>,
    volume_lambda: Vec<f64>,
    /// Relative positions of all shapes' members.
    members: Vec<[Pack<f32>; 4]>,
    /// Sums of each block of a shape that is cut into blocks.
    shape_sums: Vec<[f64; 9]>,
    /// Fit and multiplier of each shape.
    fits: Vec<Option<Fit>>,
    shape_lambda: Vec<f64>,
}

impl FieldScratch {
    pub(crate) fn new(plan: &Plan) -> FieldScratch {
        let Some(fields) = &plan.fields else { return FieldScratch::default() };
        let rows = if fields.volumes.is_empty() { 0 } else { plan.x.len() };
        FieldScratch {
            p: Rows::zeros(rows, 24),
            g: Rows::zeros(rows, 48),
            volume_sums: vec![[0.0; 2]; fields.volume_blocks.len()],
            pushes: vec![None; fields.volumes.len()],
            volume_lambda: vec![0.0; fields.volumes.len()],
            members: vec![[Pack([0.0; BATCH]); 4]; fields.registers],
            shape_sums: vec![[0.0; 9]; fields.shape_blocks.len()],
            fits: vec![None; fields.shapes.len()],
            shape_lambda: vec![0.0; fields.shapes.len()],
        }
    }

    pub(crate) fn poison(&mut self) {
        self.p.fill(f32::NAN);
        self.g.fill(f32::NAN);
        self.volume_sums.fill([f64::NAN; 2]);
        self.pushes.fill(Some(f32::NAN));
        self.volume_lambda.fill(f64::NAN);
        self.members.fill([Pack([f32::NAN; BATCH]); 4]);
        self.shape_sums.fill([f64::NAN; 9]);
        self.fits.fill(Some(Fit::about([f64::NAN; 3])));
        self.shape_lambda.fill(f64::NAN);
    }
}

/// Shapes that are matched and volumes that are held.
pub(crate) struct Fields<'a> {
    common: &'a Common<'a>,
    plan: &'a Plans,
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
    input: &'a Input,
    /// The length that a substep has for constraints, seconds.
    effective: f32,
    /// Time at the start of the step, seconds.
    time: f64,
}

impl<'a> Fields<'a> {
    /// None if the plan has no fields.
    pub(crate) fn new(
        common: &'a Common<'a>,
        rows: &'a mut FieldScratch,
        rotations: &'a mut [[f64; 4]],
        (input, time): (&'a Input, f64),
    ) -> Option<Fields<'a>> {
        Some(Fields {
            common,
            plan: common.plan.fields.as_ref()?,
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
            input,
            effective: common.h,
            time,
        })
    }

    /// Tells that a substep begins.
    pub(crate) fn begin(&mut self, substep: u32) {
        self.effective = self.common.weights(substep).effective;
    }

    /// Solves shapes, then volumes.
    pub(crate) fn run(&self, crew: &mut Crew<'_>, at: At) {
        for color in &self.plan.colors {
            self.shapes(crew, color, at.is_first());
        }
        for round in &self.plan.rounds {
            self.volumes(crew, round, at);
        }
    }

    /// Solves volumes that share no row.
    fn volumes(&self, crew: &mut Crew<'_>, round: &Range<usize>, at: At) {
        let volumes = &self.plan.volumes;
        let start = volumes[round.start].blocks.start;
        let blocks = &self.plan.volume_blocks[start..volumes[round.end - 1].blocks.end];
        let waits = |volume: usize| self.common.off.bodies[volumes[volume].body];
        let of = |block: &FieldBlock| {
            let (rings, p, g) = (&volumes[block.of].rings, self.p, self.g);
            Inflation { rings, x: self.common.motion.x, u: self.common.motion.u, p, g }
        };
        self.common.each(crew, Phase::Constraints, blocks.len(), |b| {
            if waits(blocks[b].of) {
                return;
            }
            // SAFETY: the block's registers are this closure's alone: volumes of a round are of different bodies;
            // nobody writes positions or displacements in this stage.
            unsafe { of(&blocks[b]).place(self.common.isa, blocks[b].registers.clone()) };
        });
        self.common.each(crew, Phase::Constraints, blocks.len(), |b| {
            if waits(blocks[b].of) {
                return;
            }
            // SAFETY: nobody writes positions in this stage, relative or not; the block's gradients and sums are this
            // closure's alone.
            unsafe {
                let sums = of(&blocks[b]).gradients(self.common.isa, blocks[b].registers.clone());
                self.volume_sums.part(start + b, 1)[0] = sums;
            }
        });
        self.common.each(crew, Phase::Constraints, round.len(), |v| {
            let volume = &volumes[round.start + v];
            if waits(round.start + v) {
                // SAFETY: the volume's push is this closure's alone.
                unsafe { self.pushes.part(round.start + v, 1)[0] = None };
                return;
            }
            // SAFETY: sums are only read in this stage; the volume's multiplier and push are this closure's alone.
            unsafe {
                let mut sum = [0.0; 2];
                for sums in self.volume_sums.read(volume.blocks.start, volume.blocks.len()) {
                    sum = [sum[0] + sums[0], sum[1] + sums[1]];
                }
                let lambda = &mut self.volume_lambda.part(round.start + v, 1)[0];
                if at.is_first() {
                    *lambda = 0.0;
                }
                let end = self.input.after(self.time, self.common.share(at.substep));
                let k =
                    self.input.pressure_of(self.common.plan, volume.body).unwrap_or_else(|| volume.pressure.at(end));
                let push = pressure(sum, k * volume.volume, volume.soft.of(self.effective), lambda);
                self.pushes.part(round.start + v, 1)[0] = push;
            }
        });
        self.common.each(crew, Phase::Constraints, blocks.len(), |b| {
            // SAFETY: the block's registers are this closure's alone; nobody writes positions, gradients or pushes in
            // this stage.
            unsafe {
                if let Some(by) = self.pushes.read(blocks[b].of, 1)[0] {
                    of(&blocks[b]).push(self.common.isa, blocks[b].registers.clone(), by);
                }
            }
        });
    }

    /// Solves shapes that share no particle.
    fn shapes(&self, crew: &mut Crew<'_>, color: &Color, first: bool) {
        let blocks = &self.plan.shape_blocks[color.blocks.clone()];
        let of_block = |b: usize| (blocks[b].of, blocks[b].registers.clone(), color.blocks.start + b);
        // A shape that waits keeps its rotation.
        let waits = |shape: usize| self.common.off.bodies[self.plan.shapes[shape].body];
        self.common.each(crew, Phase::Constraints, color.whole.len() + blocks.len(), |i| {
            let Some(b) = i.checked_sub(color.whole.len()) else {
                if waits(color.whole.start + i) {
                    return;
                }
                // SAFETY: shapes of a color share no particle (`Fields` has colored them), and only this closure has
                // this one.
                return unsafe { self.whole(color.whole.start + i, first) };
            };
            let (of, registers, at) = of_block(b);
            if waits(of) {
                return;
            }
            // SAFETY: shapes of a color share no particle (`Fields` has colored them), and a block's registers and sums
            // are this closure's alone; nobody writes the first member of a shape that is cut in this stage.
            unsafe {
                let [x, y, z] = self.matched(of).place(self.common.isa, registers);
                self.shape_sums.part(at, 1)[0][..3].copy_from_slice(&[x, y, z]);
            }
        });
        if blocks.is_empty() {
            return;
        }
        self.common.each(crew, Phase::Constraints, color.cut.len(), |i| {
            // SAFETY: sums are only read in this stage; the shape's fit is this closure's alone.
            unsafe {
                let (of, sums) = self.folded::<3>(color.cut.start + i);
                self.fits.part(of, 1)[0] = (!waits(of)).then(|| Fit::about(sums));
            }
        });
        self.common.each(crew, Phase::Constraints, blocks.len(), |b| {
            let (of, registers, at) = of_block(b);
            // SAFETY: members and fits are only read in this stage; the block's sums are this closure's alone.
            unsafe {
                let Some(fit) = self.fits.read(of, 1)[0] else { return };
                let sums = self.matched(of).moments(self.common.isa, registers, &fit);
                self.shape_sums.part(at, 1)[0] = sums;
            }
        });
        self.common.each(crew, Phase::Constraints, color.cut.len(), |i| {
            // SAFETY: sums are only read in this stage; the shape's fit and rotation are this closure's alone.
            unsafe {
                let (of, sums) = self.folded::<9>(color.cut.start + i);
                let rotation = &mut self.rotations.part(of, 1)[0];
                let fit = &mut self.fits.part(of, 1)[0];
                *fit = fit.map(|fit| self.plan.shapes[of].shape.fit(fit, &sums, rotation));
            }
        });
        self.common.each(crew, Phase::Constraints, blocks.len(), |b| {
            let (of, registers, at) = of_block(b);
            // SAFETY: members and fits are only read in this stage; the block's sums are this closure's alone.
            unsafe {
                let Some(fit) = self.fits.read(of, 1)[0] else { return };
                let sums = self.matched(of).residual(self.common.isa, registers, &fit);
                self.shape_sums.part(at, 1)[0][..8].copy_from_slice(&sums);
            }
        });
        self.common.each(crew, Phase::Constraints, color.cut.len(), |i| {
            // SAFETY: sums are only read in this stage; the shape's fit and multiplier are this closure's alone.
            unsafe {
                let (of, sums) = self.folded::<8>(color.cut.start + i);
                let fit = &mut self.fits.part(of, 1)[0];
                *fit = fit.and_then(|fit| self.pushed(of, fit, &sums, first));
            }
        });
        self.common.each(crew, Phase::Constraints, blocks.len(), |b| {
            let (of, registers, _) = of_block(b);
            // SAFETY: shapes of a color share no particle, and a block's are this closure's alone; members and fits are
            // only read.
            unsafe {
                if let Some(fit) = self.fits.read(of, 1)[0] {
                    self.matched(of).push(self.common.isa, registers, &fit);
                }
            }
        });
    }

    /// Solves a shape that is not cut, all of it on one worker.
    ///
    /// # Safety
    /// Nobody else uses the shape, its members or its rotation meanwhile.
    unsafe fn whole(&self, of: usize, first: bool) {
        let shape = &self.plan.shapes[of].shape;
        let (matched, all) = (self.matched(of), 0..shape.len());
        // SAFETY: nobody else uses the shape, its members or its rotation, as the caller promises.
        unsafe {
            let fit = Fit::about(matched.place(self.common.isa, all.clone()));
            let moments = matched.moments(self.common.isa, all.clone(), &fit);
            let fit = shape.fit(fit, &moments, &mut self.rotations.part(of, 1)[0]);
            let residual = matched.residual(self.common.isa, all.clone(), &fit);
            if let Some(fit) = self.pushed(of, fit, &residual, first) {
                matched.push(self.common.isa, all, &fit);
            }
        }
    }

    /// The fit with the push of a shape, or None if nothing can move. One closure at a time calls it for each shape.
    ///
    /// # Safety
    /// Nobody else uses the shape's multiplier meanwhile.
    unsafe fn pushed(&self, of: usize, fit: Fit, residual: &Residual, first: bool) -> Option<Fit> {
        let matched = &self.plan.shapes[of];
        // SAFETY: nobody else uses the shape's multiplier, as the caller promises.
        let lambda = unsafe { &mut self.shape_lambda.part(of, 1)[0] };
        if first {
            *lambda = 0.0;
        }
        matched.shape.push(fit, residual, matched.soft.of(self.effective), lambda)
    }

    fn matched<'f>(&'f self, of: usize) -> Match<'f> {
        let matched = &self.plan.shapes[of];
        let p = self.members.within(matched.start, matched.shape.len());
        Match { shape: &matched.shape, x: self.common.motion.x, u: self.common.motion.u, p }
    }

    /// A cut shape's number, and its sums added in the order of its blocks.
    ///
    /// # Safety
    /// Nobody writes the sums of the shape's blocks meanwhile.
    unsafe fn folded<const N: usize>(&self, of: usize) -> (usize, [f64; N]) {
        let blocks = &self.plan.shapes[of].blocks;
        let mut all = [0.0; N];
        // SAFETY: nobody writes the sums, as the caller promises.
        for sums in unsafe { self.shape_sums.read(blocks.start, blocks.len()) } {
            all.iter_mut().zip(sums).for_each(|(sum, part)| *sum += part);
        }
        (of, all)
    }
}
