//! A constraint type as data: what a table, a plan and a harness hold of it.

mod adapters;
mod parameter;

use crate::project::{Bound, Equality, Reference};
use crate::{
    AsymmetricCompliance, BATCH, Batches, Constraint, CoupledConstraint, Framed, Isa, NO_ROW, Pack, Particles, Project,
    Projected, Slots, Solved, Sweep, solve,
};
use adapters::{
    at_rest, block_at_rest, block_references, block_softnesses, framed_at_rest, framed_references, nothing, references,
    softnesses, untold,
};
pub use parameter::Parameter;
use std::any::TypeId;
use std::fmt;
use std::ops::Range;

/// Values and gradients for checks: positions and parameters in, C and dC/dx out, of all constraints of a row.
type References = fn(&[[f64; 3]], &[f64]) -> Vec<Reference>;

/// How soft each is: the row's number, 1 / h^2 and parameters in, a and k of [`crate::Softness`] out.
type Softnesses = fn(f64, f64, &[f64]) -> Vec<[f64; 2]>;

/// Parameters of a row at rest: positions in, what is not soft out; whether that is all.
type Told = fn(&[Parameter], &[[f32; 3]], &mut [f32]) -> bool;

/// The same of rows with frames: points and rotations in.
type ReferencesFramed = fn(&[[f64; 3]], &[[f64; 4]], &[f64]) -> Vec<Reference>;

/// C of a range of batches with these parameters: a pack a batch out.
type Measured = fn(&Batches, Range<usize>, &[Pack<f32>], Particles<'_, f32>, &mut [Pack<f32>]);

/// Parameters of a row with frames at rest.
type ToldFramed = fn(&[Parameter], &[[f32; 3]], &[[f32; 4]], &mut [f32]);

/// A constraint type: its name, the shape of its rows and its code on every instruction set.
///
/// The built-in ones stand in the table of kinds; a user makes his own with [`Kind::of`] and gets the same treatment:
/// all lanes, all threads, and the conformance harness.
#[derive(Clone, Copy)]
pub struct Kind {
    name: &'static str,
    slots: usize,
    points: usize,
    framed: Option<(ReferencesFramed, ToldFramed)>,
    params: &'static [Parameter],
    multipliers: usize,
    type_id: fn() -> TypeId,
    references: References,
    softnesses: Softnesses,
    at_rest: Told,
    holds: fn(f64) -> bool,
    solve: unsafe fn(Isa, &Batches, Range<usize>, Sweep<'_>),
    measure: Measured,
}

/// As [`Kind::is`].
impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.is(other)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").field("name", &self.name).field("slots", &self.slots).finish_non_exhaustive()
    }
}

impl Kind {
    /// A kind whose projection is the adapter's, with C = 0.
    ///
    /// Positions are relative to the first point, so C must not change when all are moved alike, and one point is too
    /// few:
    /// ```compile_fail
    /// use seidel_kernels::{Constraint, Kind, Lanes, V3};
    /// struct Height;
    /// impl Constraint<1, 0> for Height {
    ///     fn eval<L: Lanes>([x]: [V3<L>; 1], []: [L; 0]) -> (L, [V3<L>; 1]) {
    ///         (x.y, [V3::new(L::zero(), L::splat(1.0), L::zero())])
    ///     }
    /// }
    /// const HEIGHT: Kind = Kind::of::<Height, 1, 0>("height", &[]);
    /// println!("{HEIGHT:?}");
    /// ```
    #[must_use]
    pub const fn of<K, const N: usize, const P: usize>(name: &'static str, params: &'static [Parameter]) -> Kind
    where
        K: Constraint<N, P>,
    {
        Kind::bounded::<K, Equality, N, P>(name, params)
    }

    /// A kind whose projection is the adapter's, with C <= 0 or C >= 0.
    #[must_use]
    pub const fn bounded<K, B, const N: usize, const P: usize>(name: &'static str, params: &'static [Parameter]) -> Kind
    where
        K: Constraint<N, P>,
        B: Bound,
    {
        Kind::build::<K, Projected<K, B, N>, N, P, P, 1>(name, params, B::holds)
    }

    /// A kind that writes its own projection; the harness compares it with the adapter's.
    #[must_use]
    pub const fn projecting<K, const N: usize, const P: usize>(name: &'static str, params: &'static [Parameter]) -> Kind
    where
        K: Constraint<N, P> + Project<P, 1>,
    {
        Kind::build::<K, K, N, P, P, 1>(name, params, Equality::holds)
    }

    /// A kind that writes its own projection, of M numbers that are zero where it is solved, each with a multiplier; C
    /// is their length, and all have the same compliance.
    #[must_use]
    pub const fn vector<K, const N: usize, const P: usize, const M: usize>(
        name: &'static str,
        params: &'static [Parameter],
    ) -> Kind
    where
        K: Constraint<N, P> + Project<P, M>,
    {
        Kind::build::<K, K, N, P, P, M>(name, params, Equality::holds)
    }

    /// A kind with one compliance for C > 0, the row's own, and another for C < 0, its second parameter.
    #[must_use]
    pub const fn asymmetric<K, const N: usize>(name: &'static str, params: &'static [Parameter]) -> Kind
    where
        K: Constraint<N, 1>,
    {
        Kind::build::<K, AsymmetricCompliance<K, N>, N, 1, 2, 1>(name, params, Equality::holds)
    }

    /// A kind of several constraints that are solved at once, each with a multiplier.
    #[must_use]
    pub const fn coupled<K, const N: usize, const P: usize, const M: usize>(
        name: &'static str,
        params: &'static [Parameter],
    ) -> Kind
    where
        K: CoupledConstraint<N, P, M>,
    {
        Kind {
            references: block_references::<K, N, P, M>,
            softnesses: block_softnesses::<K, N, P, M>,
            at_rest: block_at_rest::<K, N, P, M>,
            ..Kind::runs::<Solved<K, N>, P, M>(name, params)
        }
    }

    /// A kind with frames, which writes its own projection.
    #[must_use]
    pub const fn framed<K, const P: usize, const M: usize>(name: &'static str, params: &'static [Parameter]) -> Kind
    where
        K: Framed<P, M>,
    {
        Kind {
            framed: Some((framed_references::<K, P, M>, framed_at_rest::<K, P, M>)),
            ..Kind::runs::<K, P, M>(name, params)
        }
    }

    /// `P` parameters go to `K::eval`, `Q` stand in a row; `M` multipliers.
    const fn build<K, R, const N: usize, const P: usize, const Q: usize, const M: usize>(
        name: &'static str,
        params: &'static [Parameter],
        holds: fn(f64) -> bool,
    ) -> Kind
    where
        K: Constraint<N, P>,
        R: Project<Q, M>,
    {
        const {
            assert!(
                N > 1,
                "a kind has two points or more: positions are relative to the first, so one alone is always at 0"
            );
        }
        Kind {
            references: references::<K, N, P>,
            at_rest: at_rest::<K, N, P>,
            holds,
            ..Kind::runs::<R, Q, M>(name, params)
        }
    }

    /// What a projection tells of a kind.
    const fn runs<R, const Q: usize, const M: usize>(name: &'static str, params: &'static [Parameter]) -> Kind
    where
        R: Project<Q, M>,
    {
        const {
            assert!(
                <R::Slots<f32> as Slots<f32>>::COUNT > 1,
                "a kind has two points or more: positions are relative to the first, so one alone is always at 0"
            );
        }
        assert!(params.len() == Q, "describe every parameter");
        Kind {
            name,
            slots: <R::Slots<f32> as Slots<f32>>::COUNT,
            points: <R::Slots<f32> as Slots<f32>>::POINTS,
            framed: None,
            params,
            multipliers: M,
            type_id: TypeId::of::<R>,
            references: nothing,
            softnesses,
            at_rest: untold,
            holds: Equality::holds,
            solve: solve::solve::<R, Q, M>,
            measure: solve::measure::<R, Q, M>,
        }
    }

    /// True if both have the same code and name.
    #[must_use]
    pub fn is(&self, other: &Kind) -> bool {
        self.name == other.name && (self.type_id)() == (other.type_id)()
    }

    /// Name in scene files, tables and messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Particles and frames in a row.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// So many of the slots, the first, are particles; those behind them are frames.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// Whether a row has frames.
    #[must_use]
    pub fn has_frames(&self) -> bool {
        self.points < self.slots
    }

    /// C and gradients of all constraints of a row with frames, in f64: from positions, rotations [x, y, z, w] and
    /// parameters. The gradients are those of the points, then those with respect to rotation vectors of the frames in
    /// the world. Empty if the kind has no frames.
    #[must_use]
    pub fn references_framed(&self, x: &[[f64; 3]], q: &[[f64; 4]], rest: &[f64]) -> Vec<Reference> {
        self.framed.map_or_else(Vec::new, |(references, _)| references(x, q, rest))
    }

    /// Writes the parameters of a row that is at rest with these positions (metres) and rotations, as
    /// [`Kind::at_rest`]; false if the kind has no frames.
    #[must_use]
    pub fn at_rest_framed(&self, x: &[[f32; 3]], q: &[[f32; 4]], rest: &mut [f32]) -> bool {
        if let Some((_, at_rest)) = self.framed {
            at_rest(self.params, x, q, rest);
        }
        self.framed.is_some()
    }

    /// Parameters of a row.
    #[must_use]
    pub fn params(&self) -> &'static [Parameter] {
        self.params
    }

    /// Multipliers of a row.
    #[must_use]
    pub fn multipliers(&self) -> usize {
        self.multipliers
    }

    /// C and its gradients in f64, from positions and parameters; of several constraints those of the first.
    #[must_use]
    pub fn reference(&self, x: &[[f64; 3]], rest: &[f64]) -> Reference {
        (self.references)(x, rest).swap_remove(0)
    }

    /// The same of all constraints of a row.
    #[must_use]
    pub fn references(&self, x: &[[f64; 3]], rest: &[f64]) -> Vec<Reference> {
        (self.references)(x, rest)
    }

    /// How soft each of them is, in f64: [a, k] of [`crate::Softness`] from the row's compliance (PBD: k'), 1 / h^2
    /// (PBD: 0) and its parameters.
    #[must_use]
    pub fn softnesses(&self, soft: f64, inv_h2: f64, rest: &[f64]) -> Vec<[f64; 2]> {
        (self.softnesses)(soft, inv_h2, rest)
    }

    /// Writes the parameters of a row that is at rest in these positions (metres): what [`Constraint::AT_REST`] says of
    /// them, or the value of C as the first. Soft parameters, the material's, and what neither tells, stay as they are.
    ///
    /// Returns false if that leaves a parameter that is none of those. What is written is not finite where the
    /// positions are no rest shape, as a triangle without area.
    ///
    /// # Panics
    /// If there are fewer positions than slots, or fewer places than parameters.
    ///
    /// # Example
    /// ```
    /// use seidel_kernels::{Kind, Parameter};
    /// use seidel_kinds::Distance;
    /// const DISTANCE: Kind = Kind::of::<Distance, 2, 1>("distance", &[Parameter::rest("length", "m", 0.0, 1e6)]);
    /// let mut rest = [0.0];
    /// assert!(DISTANCE.at_rest(&[[1.0, 0.0, 0.0], [1.0, 2.0, 0.0]], &mut rest));
    /// assert_eq!(rest, [2.0]);
    /// ```
    #[must_use]
    pub fn at_rest(&self, x: &[[f32; 3]], rest: &mut [f32]) -> bool {
        (self.at_rest)(self.params, x, rest)
    }

    /// Whether this value of C needs no correction.
    #[must_use]
    pub fn holds(&self, c: f64) -> bool {
        (self.holds)(c)
    }

    /// Solves a range of batches on the chosen lanes.
    ///
    /// # Safety
    /// No particle and no multiplier of these batches is used by anybody else meanwhile, and nobody writes parameters
    /// that the sweep has.
    ///
    /// # Panics
    /// If the batches are another kind's or another plan's.
    pub unsafe fn solve(&self, isa: Isa, batches: &Batches, range: Range<usize>, sweep: Sweep<'_>) {
        // SAFETY: the caller promises what the callee demands: nobody else uses the particles and multipliers of these
        // batches.
        unsafe { (self.solve)(isa, batches, range, sweep) }
    }

    /// Solves all batches in order on this thread.
    ///
    /// # Panics
    /// If the batches are another kind's or the particles are too few.
    pub fn solve_all(&self, isa: Isa, batches: &Batches, x: &[[f32; 4]], u: &mut [[f32; 4]], inv_h2: f32) {
        let lambda = seidel_workers::Shared::new(&mut []);
        let particles = Particles::new(x, u);
        let rest = lambda;
        let sweep = Sweep { particles, lambda, first: true, inv_h2, soft: &[], rest };
        // SAFETY: `x` and `u` are borrowed for this call, on this thread alone.
        unsafe { self.solve(isa, batches, 0..batches.len(), sweep) }
    }

    /// Writes C of every row into `values`, in the order of the rows that were packed.
    ///
    /// # Panics
    /// If the batches are another kind's, or the lengths do not fit.
    pub fn measure(&self, batches: &Batches, particles: Particles<'_, f32>, values: &mut [f32]) {
        self.measure_with(batches, batches.rests(0..batches.len()), particles, values);
    }

    /// The same with other parameters than the batches': as many packs.
    ///
    /// # Panics
    /// As [`Kind::measure`].
    pub fn measure_with(
        &self,
        batches: &Batches,
        rest: &[Pack<f32>],
        particles: Particles<'_, f32>,
        values: &mut [f32],
    ) {
        assert_eq!(values.len(), batches.rows(), "one value a row");
        assert_eq!(rest.len(), batches.len() * batches.params(), "parameters of other batches");
        let mut packs = [Pack([0.0; BATCH]); AT_ONCE];
        for first in (0..batches.len()).step_by(AT_ONCE) {
            let range = first..batches.len().min(first + AT_ONCE);
            let rest = &rest[range.start * batches.params()..range.end * batches.params()];
            let packs = &mut packs[..range.len()];
            (self.measure)(batches, range.clone(), rest, particles, packs);
            for (batch, pack) in range.zip(packs) {
                let rows = batches.lane_map(batch).iter().zip(pack.0);
                rows.filter(|(row, _)| **row != NO_ROW).for_each(|(&row, value)| values[row as usize] = value);
            }
        }
    }

    /// Writes C of every lane of a range of batches whose parameters are `rest`, a pack a batch; of lanes without a row
    /// anything.
    ///
    /// # Panics
    /// If the batches are another kind's, or the lengths do not fit.
    pub fn measure_batches(
        &self,
        batches: &Batches,
        range: Range<usize>,
        rest: &[Pack<f32>],
        particles: Particles<'_, f32>,
        values: &mut [Pack<f32>],
    ) {
        (self.measure)(batches, range, rest, particles, values);
    }
}

/// Batches that are measured at once: as much as lies on the stack.
const AT_ONCE: usize = 64;
