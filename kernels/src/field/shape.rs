//! Shape matching: particles go back to the shape that they have at rest, wherever that lies best among them.
//!
//! Goals t_i = c + T r_i, r_i = X_i - C at rest, c, C: centres weighted by mass, A = sum m_i (p_i - c) r_i^T T = R, the
//! rotation in A; or beta A Q^-1 / cbrt(det) + (1 - beta) R with Q = sum m_i r_i r_i^T, which lets the shape be
//! stretched and sheared and keeps its volume. Müller, Heidelberger, Teschner, Gross 2005, "Meshless Deformations Based
//! on Shape Matching", sections 3.3 and 4.2; R by rotation.rs.
//!
//! As a constraint: C = sqrt(sum mu_i |p_i - t_i|^2), metres, mu_i = m_i / M. T and c make it least, so its gradient is
//! mu_i (p_i - t_i) / C; rigid it takes all particles to their goals, and a compliance is in m/N. Sums of gradients and
//! of their moments vanish: momentum and angular momentum stay. So that they do so in f32 too, where the rounding of c
//! and T would be an acceleration of some cm/s^2 at 20 substeps, what the differences p_i - t_i add up to is taken off
//! them: their mean, and the turn that makes their moment.
//!
//! Masses m_i are those of the recipe. A particle of inverse mass 0 weighs with its mass in c and A, does not move, and
//! is not counted in C: the others come as near to the shape as they can, and no nearer.

mod matrix;
mod rest;
mod sweep;

use super::rotation::{Turning, matrix, rotation};
use crate::lanes::Dispatch;
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Isa, Layout, Pack, Row};
use matrix::{cube_root, determinant, inverse, product};
pub use rest::{Fit, Match, Residual, Shape};
use seidel_workers::Shared;
use seidel_workers::claims::{Use, claim, is_watched};
use std::ops::Range;
use sweep::{Differ, Moments, PlaceMembers, Push};

/// Part of its volume at rest. A shape that is flatter, or inside out, returns as if its matching were not linear: the
/// cube root would stretch it beyond all measure.
const MIN_VOLUME: f64 = 0.01;

impl Shape {
    /// Of members, none twice, of `x.len()` particles, a multiple of sixteen; where they are in `x` they are at rest.
    /// With beta above 0
    /// it is linear: None if it is then flat. Masses in kg.
    ///
    /// # Panics
    /// If there is no member, one that does not exist or one that stands twice, or a mass is not positive and finite.
    #[must_use]
    pub fn new(x: &[Row], layout: Layout, members: &[u32], masses: &[f64], beta: f64) -> Option<Shape> {
        let (particles, count) = (x.len(), members.len());
        assert!(
            particles.is_multiple_of(BATCH) && particles <= u32::MAX as usize / 4,
            "particles are numbered in sixteens"
        );
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        assert!(count > 0 && (sorted[count - 1] as usize) < particles, "members that do not exist");
        assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]), "a member stands twice");
        let mass = masses.iter().sum::<f64>();
        assert!(masses.len() == count && masses.iter().all(|m| *m > 0.0) && mass.is_finite(), "masses");
        let place = |&p: &u32| match layout {
            Layout::Rows => 2 * p,
            Layout::Lanes => layout.offset(p as usize) as u32,
        };
        let (mut at, mut rest) = (Vec::new(), Vec::new());
        for (members, masses) in members.chunks(BATCH).zip(masses.chunks(BATCH)) {
            at.push(std::array::from_fn(|lane| place(members.get(lane).unwrap_or(&members[0]))));
            let mu = std::array::from_fn(|lane| masses.get(lane).map_or(0.0, |m| (m / mass) as f32));
            rest.push([Pack([0.0; BATCH]), Pack([0.0; BATCH]), Pack([0.0; BATCH]), Pack(mu)]);
        }
        let mut shape = Shape { layout, particles, count, at, rest, mass, linear: None };
        shape.measure(x);
        if beta > 0.0 {
            shape.linear = Some((inverse(&shape.second())?, beta));
        }
        Some(shape)
    }

    /// Finds r with the roundings of a step, so that what is at rest stays there to the bit.
    fn measure(&mut self, x: &[Row]) {
        let (mut x, mut u) = (x.to_vec(), vec![[0.0; 4]; x.len()]);
        let mut p = vec![[Pack([0.0; BATCH]); 4]; self.len()];
        let (x, u) = (Shared::new(&mut x), Shared::new(&mut u));
        // SAFETY: all arrays are this function's own.
        let sum = unsafe { Match { shape: self, x, u, p: Shared::new(&mut p) }.place(Isa::PORTABLE, 0..self.len()) };
        let c = sum.map(|v| v as f32);
        for (register, p) in p.iter().enumerate() {
            for lane in 0..self.count.saturating_sub(register * BATCH).min(BATCH) {
                for k in 0..3 {
                    self.rest[register][k].0[lane] = p[k].0[lane] - c[k];
                }
            }
        }
    }

    /// sum mu r r^T
    fn second(&self) -> [[f64; 3]; 3] {
        let mut q = [[0.0; 3]; 3];
        for [x, y, z, mu] in &self.rest {
            for lane in 0..BATCH {
                let r = [x.0[lane], y.0[lane], z.0[lane]].map(f64::from);
                for (i, row) in q.iter_mut().enumerate() {
                    for (j, entry) in row.iter_mut().enumerate() {
                        *entry += f64::from(mu.0[lane]) * r[i] * r[j];
                    }
                }
            }
        }
        q
    }

    /// Number of registers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Never: there would be no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Everything, as bytes.
    pub fn bytes(&self, mut add: impl FnMut(&[u8])) {
        add(bytemuck::cast_slice(&self.at));
        add(bytemuck::bytes_of(&[self.mass, self.linear.map_or(0.0, |(_, beta)| beta)]));
        for rest in &self.rest {
            add(bytemuck::cast_slice(rest));
        }
    }

    /// T, for the sums of all blocks of [`Match::moments`]; `q`, the rotation a sweep ago, becomes this sweep's.
    #[must_use]
    pub fn fit(&self, about: Fit, a: &[f64; 9], q: &mut [f64; 4]) -> Fit {
        let a: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| a[3 * i + j]));
        *q = rotation(&a, *q);
        let mut t = matrix(*q);
        if let Some((inverse, beta)) = &self.linear {
            let linear = product(&a, inverse);
            let volume = determinant(&linear);
            if volume > MIN_VOLUME {
                let scale = beta / cube_root(volume);
                for (row, linear) in t.iter_mut().zip(linear) {
                    for (entry, l) in row.iter_mut().zip(linear) {
                        *entry = (1.0 - beta) * *entry + scale * l;
                    }
                }
            }
        }
        Fit { t: t.map(|row| row.map(|v| v as f32)), a, ..about }
    }

    /// The part that is subtracted from the differences, and how far they push, from the sums of all blocks of
    /// [`Match::residual`]: XPBD eq. 18
    /// or PBD's k'. None if nothing can move. The multiplier is kept over iterations.
    #[must_use]
    pub fn push(&self, mut fit: Fit, r: &Residual, [a, k]: [f64; 2], lambda: &mut f64) -> Option<Fit> {
        let square = r[6];
        let c = square.sqrt();
        if !(c > MIN_LENGTH && r[7] > 0.0 && r[7].is_finite()) {
            return None;
        }
        let delta = -((c + a * *lambda) * k) / (r[7] / square + a);
        if !delta.is_finite() {
            return None;
        }
        *lambda += delta;
        fit.by = (delta / c) as f32;
        // Turning the goals by it takes the moment away: (tr(N) 1 - N) turn = moment, N = A T^T.
        let t = fit.t.map(|row| row.map(f64::from));
        let size = fit.a.as_flattened().iter().fold(0.0f64, |sum, v| sum + v * v).sqrt();
        if let Ok(turn) = Turning::of(&fit.a, &t).newton([r[3], r[4], r[5]], size) {
            fit.turn = turn.map(|v| v as f32);
        }
        fit.mean = [r[0], r[1], r[2]].map(|v| v as f32);
        Some(fit)
    }
}

impl Match<'_> {
    /// Finds the relative positions of some registers' members: the sum of mu p.
    ///
    /// # Safety
    /// Nobody writes positions or displacements of these or of the first member meanwhile, nor uses `p` of these.
    ///
    /// # Panics
    /// If an array is too short.
    #[must_use]
    pub unsafe fn place(self, isa: Isa, registers: Range<usize>) -> [f64; 3] {
        self.check(&registers);
        isa.dispatch(PlaceMembers { of: self, registers })
    }

    /// The sum of mu (p - c) r^T over some registers, row by row.
    ///
    /// # Safety
    /// Nobody writes `p` of these meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    #[must_use]
    pub unsafe fn moments(self, isa: Isa, registers: Range<usize>, about: &Fit) -> [f64; 9] {
        self.check(&registers);
        isa.dispatch(Moments { of: self, registers, c: about.c })
    }

    /// Differences of some registers' members from their goals.
    ///
    /// # Safety
    /// Nobody writes `p` of these meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    #[must_use]
    pub unsafe fn residual(self, isa: Isa, registers: Range<usize>, fit: &Fit) -> Residual {
        self.check(&registers);
        isa.dispatch(Differ { of: self, registers, fit })
    }

    /// Takes some registers' members towards their goals.
    ///
    /// # Safety
    /// Nobody else uses the displacements of these, nor writes `p` of them.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn push(self, isa: Isa, registers: Range<usize>, fit: &Fit) {
        self.check(&registers);
        if is_watched() {
            let Shape { at, count, layout, .. } = self.shape;
            let unit = if *layout == Layout::Rows { 2 } else { 1 };
            for &at in at[..registers.end].as_flattened().iter().take(*count).skip(registers.start * BATCH) {
                claim(self.u.as_ptr().cast::<f32>().wrapping_add(unit * at as usize), 1, Use::Write);
            }
        }
        isa.dispatch(Push { of: self, registers, fit });
    }

    /// Every array has all particles and registers, so that kernels may go through them unchecked.
    fn check(&self, registers: &Range<usize>) {
        assert!(registers.end <= self.shape.len() && self.shape.len() <= self.p.len(), "registers of another shape");
        assert!(self.shape.particles <= self.x.len() && self.shape.particles <= self.u.len(), "too few rows");
    }
}
