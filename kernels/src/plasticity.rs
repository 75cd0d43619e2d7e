//! Plastic flow: rest shapes that follow a strain beyond the yield point.
//!
//! ```text
//!   elastic strain e of the rest shape as it is now;  where |e| > yield:
//!   plastic strain += share (|e| - yield) e / |e|,   share = 1 - exp(-creep h);   |plastic strain| <= limit
//! ```
//! Müller, Gross 2004, "Interactive Virtual Materials", section 5: yield, creep and a largest plastic strain. Their
//! flow is h creep e; this one is of what is above the yield point alone and exact over a substep, so that it begins
//! gently and does not depend on the substep (a Bingham solid). With an infinite creep it is the return mapping of a
//! perfectly plastic material.
//!
//! Of tetrahedra the strain is Hencky's, without its volumetric part, and the flow multiplicative: F = Fe Fp, det Fp =
//! 1 (Irving, Teran, Fedkiw 2004, "Invertible Finite Elements For Robust Simulation of Large Deformation"). Its size is
//! von Mises' equivalent strain, sqrt(2/3) |dev e|: of a bar that is pulled without a change of volume its longitudinal
//! strain.
//!
//! The accumulated plastic strain p is the sum of the sizes of all flow, to and fro. A material that softens has the
//! yield point yield exp(-softening p), with the p that a substep begins with: Chaboche 1986, "Time-independent
//! constitutive theories for cyclic plasticity", isotropic hardening dR = b (Q - R) dp, with b = softening and Q =
//! -yield. A row whose p reaches `breaks` gives way for good: its parameters are NaN from then on, as those of a lane
//! without a row.

use crate::solve::edges;
use crate::tuning::{FLOW_SWEEPS, LEAST_OF_LENGTH};
use crate::vector::{cross, dot};
use crate::{BATCH, Batches, Kind, NO_ROW, Pack, Parameter, Particles};
use std::f64::consts::PI;
use std::ops::Range;

/// What flows of a kind's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flows {
    /// The first parameter, a length; strains are relative to it.
    Length,
    /// The first parameter, an angle in radians; strains are angles.
    Angle,
    /// The first six parameters, a tetrahedron's turned Dm^-1.
    Tetrahedron,
}

impl Flows {
    /// So many of the first parameters.
    #[must_use]
    pub fn params(self) -> usize {
        match self {
            Flows::Length | Flows::Angle => 1,
            Flows::Tetrahedron => 6,
        }
    }
}

/// How rows flow in a substep.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// What of them.
    pub of: Flows,
    /// The elastic strain from which on they flow, >= 0: no unit, of angles rad.
    pub yields: f64,
    /// The share of what is above it that flows, 0 to 1, no unit.
    pub share: f64,
    /// The largest plastic strain, > 0: no unit, of angles rad. A parameter stays within its own limits, too.
    pub limit: f64,
    /// By how much the logarithm of the yield point falls, per accumulated plastic strain, >= 0: no unit, of angles
    /// 1/rad.
    pub softening: f64,
    /// The accumulated plastic strain at which a row breaks, > 0: no unit, of angles rad; infinite: never.
    pub breaks: f64,
}

/// Parameters that have flowed, in a range of batches: all parameters of these batches, and what f32 could not hold of
/// them.
#[derive(Debug)]
pub struct Flowed<'a> {
    /// Packs as [`Batches::rests`] has them.
    pub rest: &'a mut [Pack<f32>],
    /// As many.
    pub rounding: &'a mut [Pack<f32>],
    /// The accumulated plastic strain of each row: of each batch a pack, and one of what f32 could not hold of it.
    /// Empty where nothing softens or breaks.
    pub accumulated: &'a mut [Pack<f32>],
}

/// Whether a row has broken, from its first parameter.
#[must_use]
pub fn is_broken(rest: f32) -> bool {
    rest.is_nan()
}

impl Flow {
    /// Lets the rows of a range of batches flow; `waits` tells of a row's first particle whether it does not.
    ///
    /// # Panics
    /// If the batches are another kind's, or the lengths do not fit.
    pub fn run(
        &self,
        kind: &Kind,
        (batches, range): (&Batches, Range<usize>),
        particles: Particles<'_, f32>,
        flowed: Flowed<'_>,
        waits: impl Fn(u32) -> bool,
    ) {
        let params = batches.params();
        let Flowed { rest, rounding, accumulated } = flowed;
        assert_eq!((rest.len(), rounding.len()), (range.len() * params, range.len() * params), "parameters of others");
        assert!(accumulated.is_empty() || accumulated.len() == 2 * range.len(), "accumulated strains of others");
        let mut sums = accumulated.chunks_exact_mut(2);
        let each = range.clone().zip(rest.chunks_exact_mut(params).zip(rounding.chunks_exact_mut(params)));
        for (batch, (rest, rounding)) in each {
            let mut sums = sums.next();
            let before = sums.as_ref().map_or(Pack([0.0; BATCH]), |sums| sums[0]);
            let (first, rows) = (batches.rest(batch), batches.lane_map(batch));
            let goes = |lane: usize| rows[lane] != NO_ROW && !waits(batches.particle(batch, 0, lane));
            if self.of == Flows::Tetrahedron {
                let edges = edges(batches, batch, rest, particles);
                // Most are known to be elastic by f32 alone; not so of NaN, which does not flow.
                let square = |flow: &Flow| flow.within() * flow.within() - STRAIN_ROUNDING;
                let fresh = square(self);
                let strained = |lane: &usize| {
                    let p = before.0[*lane];
                    f64::from(edges[9].0[*lane]) > if p > 0.0 { square(&self.softened_at_most(p)) } else { fresh }
                };
                for lane in (0..BATCH).filter(strained).filter(|&lane| goes(lane)) {
                    let now = std::array::from_fn(|p| whole(rest[p].0[lane], rounding[p].0[lane]));
                    let begin = std::array::from_fn(|p| f64::from(first[p].0[lane]));
                    let along = std::array::from_fn(|k| f64::from(edges[k].0[lane]));
                    let flow = self.softened(sums.as_deref(), lane);
                    if let Some(new) = flow.tetrahedron(now, begin, along).filter(|new| is_allowed(new, kind)) {
                        for (p, new) in new.into_iter().enumerate() {
                            (rest[p].0[lane], rounding[p].0[lane]) = parts(new);
                        }
                        if let Some(sums) = &mut sums {
                            let by = plastic_of(new, now).map_or(0.0, |(_, equivalent, _)| equivalent);
                            self.tire(sums, lane, by, [&mut *rest, &mut *rounding]);
                        }
                    }
                }
                continue;
            }
            let mut values = [Pack([0.0; BATCH])];
            kind.measure_batches(batches, batch..batch + 1, rest, particles, &mut values);
            // Likewise: with a yield point that is lower by more than a rounding.
            let above = |flow: &Flow| flow.yields as f32 * (1.0 - 1e-6);
            let fresh = above(self);
            let yields = |lane: usize| {
                let p = before.0[lane];
                if p > 0.0 { above(&self.softened_at_most(p)) } else { fresh }
            };
            let scale = |lane: usize| if self.of == Flows::Angle { 1.0 } else { first[0].0[lane] };
            // What a row may be told, it may become.
            let [least, most] = [kind.params()[0].min, kind.params()[0].max].map(f64::from);
            let strained = |lane: &usize| values[0].0[*lane].abs() > yields(*lane) * scale(*lane);
            for lane in (0..BATCH).filter(strained).filter(|&lane| goes(lane)) {
                let c = f64::from(values[0].0[lane]);
                let now = whole(rest[0].0[lane], rounding[0].0[lane]);
                let flow = self.softened(sums.as_deref(), lane);
                if let Some(new) = flow.value(now, f64::from(first[0].0[lane]), c).filter(|_| !kind.holds(c)) {
                    let new = new.max(least).min(most);
                    (rest[0].0[lane], rounding[0].0[lane]) = parts(new);
                    if let Some(sums) = &mut sums {
                        let by = (new - now).abs() / f64::from(scale(lane));
                        self.tire(sums, lane, by, [&mut *rest, &mut *rounding]);
                    }
                }
            }
        }
    }

    /// The flow of a row with the yield point that it has by now.
    fn softened(&self, sums: Option<&[Pack<f32>]>, lane: usize) -> Flow {
        let p = sums.map_or(0.0, |sums| whole(sums[0].0[lane], sums[1].0[lane]));
        if p > 0.0 { Flow { yields: self.yields * libm::exp(-self.softening * p), ..*self } } else { *self }
    }

    /// The same without an exponential: with a yield point that is not higher. exp(-x) >= (1 - x / 8)^8 up to 8.
    fn softened_at_most(&self, p: f32) -> Flow {
        let factor = (1.0 - self.softening * f64::from(p) / 8.0).max(0.0);
        let square = factor * factor;
        Flow { yields: self.yields * (square * square) * (square * square), ..*self }
    }

    /// Adds what has flowed of a row to its accumulated strain, and breaks it if that is too much.
    fn tire(&self, sums: &mut [Pack<f32>], lane: usize, by: f64, [rest, rounding]: [&mut [Pack<f32>]; 2]) {
        let p = whole(sums[0].0[lane], sums[1].0[lane]) + by;
        (sums[0].0[lane], sums[1].0[lane]) = parts(p);
        if p >= self.breaks {
            rest.iter_mut().for_each(|pack| pack.0[lane] = f32::NAN);
            rounding.iter_mut().for_each(|pack| pack.0[lane] = 0.0);
        }
    }

    /// A rest value that flows, if it does: from what it is, what it was at the start, and C.
    fn value(&self, now: f64, first: f64, c: f64) -> Option<f64> {
        let (scale, least) = match self.of {
            Flows::Angle => (1.0, -PI),
            _ => (first, LEAST_OF_LENGTH - 1.0),
        };
        let (elastic, plastic) = (c / scale, (now - first) / scale);
        let above = elastic.abs() - self.yields;
        // Not so of NaN, nor where there is no length.
        if !(above > 0.0 && scale > 0.0 && above < f64::INFINITY) {
            return None;
        }
        let plastic = plastic + self.share * above.copysign(elastic);
        let new = first + scale * plastic.clamp((-self.limit).max(least), self.limit);
        Some(if self.of == Flows::Angle { new.clamp(-PI, PI) } else { new })
    }

    /// X = |C / s - 1| up to which a tetrahedron is elastic for sure.
    fn within(&self) -> f64 {
        let bound = 2.0 * EQUIVALENT * self.yields;
        bound / (1.0 + bound)
    }

    /// Dm^-1 of a tetrahedron that flows, if it does: from what it is, what it was at the start, and the edges from the
    /// first corner.
    fn tetrahedron(&self, now: InverseRest, first: InverseRest, edges: [f64; 9]) -> Option<InverseRest> {
        let [b00, b01, b11, b02, b12, b22] = now;
        let e = |i: usize, k: usize| edges[3 * i + k];
        let f: [[f64; 3]; 3] = [
            std::array::from_fn(|k| e(0, k) * b00),
            std::array::from_fn(|k| e(0, k) * b01 + e(1, k) * b11),
            std::array::from_fn(|k| (e(0, k) * b02 + e(1, k) * b12) + e(2, k) * b22),
        ];
        let c = [dot(f[0], f[0]), dot(f[1], f[1]), dot(f[2], f[2]), dot(f[0], f[1]), dot(f[1], f[2]), dot(f[0], f[2])];
        // With X = C / s - 1 of no trace, |dev ln C / 2| <= |X| / 2 / (1 - |X|): most tetrahedra are known to be
        // elastic by this alone.
        let s = (c[0] + c[1] + c[2]) / 3.0;
        let square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + 2.0 * (c[3] * c[3] + c[4] * c[4] + c[5] * c[5]);
        let x = square / (s * s) - 3.0;
        let within = self.within();
        // Not so of NaN. What is mirrored or flat is no state of a material: it is turned back first.
        let upright = dot(f[0], cross(f[1], f[2])) > 0.0;
        if !(upright && x > within * within && x < f64::INFINITY) {
            return None;
        }
        let (squares, axes) = eigen(c);
        let (strain, equivalent) = deviator(squares)?;
        let above = equivalent - self.yields;
        if above <= 0.0 {
            return None;
        }
        let flow = strain.map(|e| libm::exp(-2.0 * self.share * above / equivalent * e));
        // B M^2 B^T, M taking the flow off: its triangular root is the new B, turned.
        let new = root(sandwiched(now, composed(flow, axes)), now)?;
        if is_within(stretches_of(new, first), self.limit) {
            return Some(new);
        }
        let (plastic, equivalent, axes) = plastic_of(new, first)?;
        if equivalent <= self.limit {
            return Some(new);
        }
        let most = plastic.map(|e| libm::exp(-2.0 * self.limit / equivalent * e));
        root(sandwiched(first, composed(most, axes)), now)
    }
}

/// How large the plastic strain of a row is, from its parameters and those at the start.
///
/// # Panics
/// If there are fewer than [`Flows::params`].
#[must_use]
pub fn plastic_strain(of: Flows, now: &[f32], first: &[f32]) -> f32 {
    let strain = match of {
        Flows::Angle => f64::from(now[0]) - f64::from(first[0]),
        Flows::Length if first[0] > 0.0 => (f64::from(now[0]) - f64::from(first[0])) / f64::from(first[0]),
        Flows::Length => 0.0,
        Flows::Tetrahedron => {
            let shape = |of: &[f32]| std::array::from_fn(|p| f64::from(of[p]));
            plastic_of(shape(now), shape(first)).map_or(0.0, |(_, equivalent, _)| equivalent)
        }
    };
    strain.abs() as f32
}

/// Whether parameters are within their limits.
fn is_allowed(new: &[f64], kind: &Kind) -> bool {
    let within = |(new, of): (&f64, &Parameter)| (f64::from(of.min)..=f64::from(of.max)).contains(new);
    new.iter().zip(kind.params()).all(within)
}

/// No unit: by how much f32 may be wrong about X^2.
const STRAIN_ROUNDING: f64 = 4e-6;

/// sqrt(3/2): the norm of a deviator over its equivalent.
const EQUIVALENT: f64 = 1.224_744_871_391_589;

/// Dm^-1, upper triangular: [b00, b01, b11, b02, b12, b22].
type InverseRest = [f64; 6];

/// Of a symmetric matrix [xx, yy, zz, xy, yz, xz].
type Six = [f64; 6];

/// A number and its rounding.
fn whole(value: f32, rounding: f32) -> f64 {
    f64::from(value) + f64::from(rounding)
}

/// A number as f32, and what is left of it.
fn parts(value: f64) -> (f32, f32) {
    let near = value as f32;
    (near, (value - f64::from(near)) as f32)
}

/// Half the logarithms of squared stretches without their mean, and the equivalent strain. None if one is not above 0.
fn deviator(squares: [f64; 3]) -> Option<([f64; 3], f64)> {
    if !squares.iter().all(|&c| c > 0.0 && c < f64::INFINITY) {
        return None;
    }
    let logs = squares.map(|c| 0.5 * libm::log(c));
    let mean = (logs[0] + logs[1] + logs[2]) / 3.0;
    let strain = logs.map(|e| e - mean);
    Some((strain, dot(strain, strain).sqrt() / EQUIVALENT))
}

/// Whether a strain of these squared stretches is within a limit for sure, by the bound that tells what is elastic.
fn is_within(c: Six, limit: f64) -> bool {
    let s = (c[0] + c[1] + c[2]) / 3.0;
    let square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + 2.0 * (c[3] * c[3] + c[4] * c[4] + c[5] * c[5]);
    let bound = 2.0 * EQUIVALENT * limit;
    let within = bound / (1.0 + bound);
    square / (s * s) - 3.0 < within * within
}

/// The right Cauchy-Green tensor of what has flowed between two shapes. With B = B0 Fp^-1 Q it is B0^T (B B^T)^-1 B0.
fn stretches_of(now: InverseRest, first: InverseRest) -> Six {
    // G = B^-1 B0, both upper triangular.
    let [b00, b01, b11, b02, b12, b22] = now;
    let [a00, a01, a11, a02, a12, a22] = first;
    let (g11, g22) = (a11 / b11, a22 / b22);
    let g12 = (a12 - b12 * g22) / b11;
    let (g00, g01) = (a00 / b00, (a01 - b01 * g11) / b00);
    let g02 = ((a02 - b01 * g12) - b02 * g22) / b00;
    let columns = [[g00, 0.0, 0.0], [g01, g11, 0.0], [g02, g12, g22]];
    let of = |a: usize, b: usize| dot(columns[a], columns[b]);
    [of(0, 0), of(1, 1), of(2, 2), of(0, 1), of(1, 2), of(0, 2)]
}

/// The plastic strain between two shapes: along its axes, its equivalent, and the axes.
fn plastic_of(now: InverseRest, first: InverseRest) -> Option<([f64; 3], f64, [[f64; 3]; 3])> {
    let (squares, axes) = eigen(stretches_of(now, first));
    let (strain, equivalent) = deviator(squares)?;
    Some((strain, equivalent, axes))
}

/// sum of d a a^T over values d and axes a.
fn composed(values: [f64; 3], axes: [[f64; 3]; 3]) -> Six {
    let of = |i: usize, j: usize| {
        (values[0] * axes[0][i] * axes[0][j] + values[1] * axes[1][i] * axes[1][j])
            + values[2] * axes[2][i] * axes[2][j]
    };
    [of(0, 0), of(1, 1), of(2, 2), of(0, 1), of(1, 2), of(0, 2)]
}

/// B S B^T of an upper triangular B.
fn sandwiched([b00, b01, b11, b02, b12, b22]: InverseRest, [xx, yy, zz, xy, yz, xz]: Six) -> Six {
    let rows = [[b00, b01, b02], [0.0, b11, b12], [0.0, 0.0, b22]];
    let s = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let of = |i: usize, j: usize| dot(rows[i], [dot(s[0], rows[j]), dot(s[1], rows[j]), dot(s[2], rows[j])]);
    [of(0, 0), of(1, 1), of(2, 2), of(0, 1), of(1, 2), of(0, 2)]
}

/// The upper triangular B with B B^T = S, with the signs on its diagonal that another has. None if S is not positive
/// definite.
fn root([xx, yy, zz, xy, yz, xz]: Six, signs: InverseRest) -> Option<InverseRest> {
    let b22 = zz.sqrt().copysign(signs[5]);
    let (b12, b02) = (yz / b22, xz / b22);
    let b11 = (yy - b12 * b12).sqrt().copysign(signs[2]);
    let b01 = (xy - b02 * b12) / b11;
    let b00 = ((xx - b01 * b01) - b02 * b02).sqrt().copysign(signs[0]);
    let root = [b00, b01, b11, b02, b12, b22];
    let regular = b00 != 0.0 && b11 != 0.0 && b22 != 0.0;
    (regular && root.iter().all(|b| b.is_finite())).then_some(root)
}

/// Eigenvalues and unit eigenvectors of a symmetric matrix: sweeps of Jacobi's rotations, until what is beside the
/// diagonal is below the rounding.
fn eigen([xx, yy, zz, xy, yz, xz]: Six) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..FLOW_SWEEPS {
        let beside = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if beside <= f64::EPSILON * 0.25 * (a[0][0].abs() + a[1][1].abs() + a[2][2].abs()) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = 1.0f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let (app, aqq, apq) = (a[p][p], a[q][q], a[p][q]);
            (a[p][p], a[q][q]) = (app - t * apq, aqq + t * apq);
            (a[p][q], a[q][p]) = (0.0, 0.0);
            let r = 3 - p - q;
            let (arp, arq) = (a[r][p], a[r][q]);
            (a[r][p], a[r][q]) = (c * arp - s * arq, s * arp + c * arq);
            (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
            let (vp, vq) = (axes[p], axes[q]);
            axes[p] = std::array::from_fn(|k| c * vp[k] - s * vq[k]);
            axes[q] = std::array::from_fn(|k| s * vp[k] + c * vq[k]);
        }
    }
    ([a[0][0], a[1][1], a[2][2]], axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PULLED: Flow =
        Flow { of: Flows::Tetrahedron, yields: 0.02, share: 1.0, limit: 1.0, softening: 0.0, breaks: f64::INFINITY };

    /// Of a corner [1, 0, 0], [0, 1, 0], [0, 0, 1].
    const CORNER: InverseRest = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];

    #[test]
    fn a_stretch_that_flows_leaves_the_yield_point() {
        let (long, wide) = (1.2, 1.0 / f64::sqrt(1.2));
        let edges = [0.0, long, 0.0, 0.0, 0.0, wide, wide, 0.0, 0.0];
        let new = PULLED.tetrahedron(CORNER, CORNER, edges).unwrap();
        let (_, plastic, _) = plastic_of(new, CORNER).unwrap();
        assert!((plastic - (libm::log(1.2) - 0.02)).abs() < 1e-12, "{plastic}");
        // Its volume stays, and it has now yielded to the end.
        assert!((new[0] * new[2] * new[5] - 1.0).abs() < 1e-12);
        let again = PULLED.tetrahedron(new, CORNER, edges);
        let more = again.and_then(|new| plastic_of(new, CORNER)).map_or(0.0, |(_, more, _)| more - plastic);
        assert!(more.abs() < 1e-12, "{more}");
        let limited = Flow { limit: 0.05, ..PULLED }.tetrahedron(CORNER, CORNER, edges).unwrap();
        let (_, plastic, _) = plastic_of(limited, CORNER).unwrap();
        assert!((plastic - 0.05).abs() < 1e-12, "{plastic}");
    }

    #[test]
    fn what_turns_grows_alike_or_is_mirrored_does_not_flow() {
        let (s, c) = (0.6, 0.8);
        for factor in [0.3, 1.0, 4.0] {
            let edges = [c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0].map(|e: f64| e * factor);
            assert_eq!(PULLED.tetrahedron(CORNER, CORNER, edges), None);
        }
        assert_eq!(PULLED.tetrahedron(CORNER, CORNER, [-2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), None);
        assert_eq!(PULLED.tetrahedron(CORNER, CORNER, [f64::NAN; 9]), None);
        assert_eq!(PULLED.tetrahedron(CORNER, CORNER, [0.0; 9]), None);
    }

    /// The bound that leaves most out leaves out none that flows: shears and stretches just above the yield point.
    #[test]
    fn nothing_above_the_yield_point_is_left_out() {
        for i in 0..200 {
            let (a, b) = (f64::from(i) * 0.37, f64::from(i % 7) * 0.1 - 0.3);
            let strain = [libm::cos(a), libm::cos(a + 2.0), libm::cos(a + 4.0)];
            let (_, unit) = deviator(strain.map(|e| libm::exp(2.0 * e))).unwrap();
            let logs = strain.map(|e| e / unit * 0.0201 + b);
            let edges = [libm::exp(logs[0]), 0.0, 0.0, 0.0, libm::exp(logs[1]), 0.0, 0.0, 0.0, libm::exp(logs[2])];
            assert!(PULLED.tetrahedron(CORNER, CORNER, edges).is_some(), "{i}: {logs:?}");
        }
    }

    /// Nor does the bound that spares the exponential leave out what has softened, and a sum keeps small flow.
    #[test]
    fn what_softens_is_bounded_and_what_it_adds_is_kept() {
        let flow = Flow { softening: 4.0, breaks: 2.0, ..PULLED };
        for i in 0..400 {
            let p = i as f32 * 0.01;
            let sums = [Pack([p; BATCH]), Pack([0.0; BATCH])];
            let (yields, at_most) = (flow.softened(Some(&sums), 3).yields, flow.softened_at_most(p).yields);
            assert!((yields - 0.02 * libm::exp(-4.0 * f64::from(p))).abs() < 1e-15, "{p}");
            assert!(at_most <= yields * (1.0 + 1e-12) && at_most >= 0.0, "{p}: {at_most} {yields}");
        }
        let mut sums = [Pack([1.0; BATCH]), Pack([0.0; BATCH])];
        let (mut rest, mut rounding) = ([Pack([0.5; BATCH]); 2], [Pack([1e-9; BATCH]); 2]);
        let mut add = |by: f64| {
            flow.tire(&mut sums, 3, by, [&mut rest, &mut rounding]);
            (whole(sums[0].0[3], sums[1].0[3]), rest.map(|pack| pack.0[3]), rounding.map(|pack| pack.0[3]))
        };
        // A tenth of what f32 can add to 1.
        let sum = (0..1000).fold(0.0, |_, _| add(6e-9).0);
        assert!((sum - 1.000_006).abs() < 1e-11, "{sum}");
        let (_, rest, rounding) = add(1.0);
        assert!(rest.iter().all(|rest| is_broken(*rest)) && rounding == [0.0; 2]);
    }

    #[test]
    fn a_length_flows_as_the_bingham_solid_does() {
        let of = |share, limit| Flow { of: Flows::Length, share, limit, ..PULLED };
        let near = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-12, "{a:?} {b}");
        near(of(1.0, 1.0).value(2.0, 2.0, 0.2), 2.16);
        near(of(0.5, 1.0).value(2.0, 2.0, -0.2), 1.92);
        near(of(1.0, 0.03).value(2.0, 2.0, 0.2), 2.06);
        near(of(1.0, 5.0).value(2.0, 2.0, -1.99), 0.2);
        for c in [0.04, -0.04, 0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(of(1.0, 1.0).value(2.0, 2.0, c), None);
        }
        assert_eq!(of(1.0, 1.0).value(0.0, 0.0, 1.0), None);
    }
}
