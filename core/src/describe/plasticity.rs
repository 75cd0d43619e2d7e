//! Plasticity: when a rest shape gives way, how fast, and how far.

use crate::describe::error::{Error, range};
use seidel_kernels::Kind;
use seidel_kernels::plasticity::Flows;
use seidel_kinds as kinds;
use std::f32::consts::PI;

/// How the rest shape of rows yields: a strain beyond the yield point stays, in part or all of it (Müller, Gross 2004,
/// "Interactive Virtual Materials", section 5).
///
/// The state holds the rest shape then ([`crate::State`]): dents and creases are in snapshots and go on through edits.
/// [`crate::Plan::plastic_strain`] measures them.
///
/// - Lengths ([`crate::kinds::DISTANCE`], `ROPE`, `STRETCH`, `SHEAR`, `BEND_DISTANCE`, and one's own kinds whose first
///   parameter is a length in metres that C subtracts): strains are relative to the length at the start. A rope's flow
///   when they pull. None becomes shorter than a tenth.
/// - Angles ([`crate::kinds::DIHEDRAL`], and one's own in rad): strains are angles, in radians. A finer mesh shares a
///   bend among more hinges.
/// - Tetrahedra (`HOOKE`, `STVK`, `NEO_HOOKEAN`, `STABLE_NEO_HOOKEAN`, `STABLE_ENERGY`): von Mises' equivalent of
///   Hencky's (logarithmic) strain, which is the strain of a bar that is pulled. They keep their volume as they flow.
///
/// Nor does a parameter leave its own limits ([`crate::kernels::Parameter`]). Other kinds are refused. Stretch that too
/// few substeps leave (`Measurements::max_stretch`) yields as any other.
///
/// # Example
/// ```
/// use seidel::{Cloth, Plan, Plasticity, Scene};
/// let foil = Cloth::grid([20, 20], [0.3, 0.3]).bend(1.0).plastic_bend(Plasticity::new(0.1).limit(2.5));
/// let mut scene = Scene::new();
/// let foil = scene.add(foil);
/// let plan = Plan::new(&scene)?;
/// assert_eq!(plan.plastic_strain(&seidel::State::new(&plan), foil), 0.0);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plasticity {
    /// Elastic strain from which on rows flow, >= 0; 0 flows at once.
    pub yield_point: f32,
    /// Share of the strain above the yield point that flows in a second, as the rate of a decay: after a time t, 1 -
    /// exp(-creep t) of it has. 1/s, > 0; infinite: all of it at once.
    pub creep: f32,
    /// Largest plastic strain, > 0: beyond it rows are elastic again. Up to 2, of angles pi; infinite: that.
    pub limit: f32,
}

/// The largest that a plastic strain may be.
const MAX_STRAIN: f32 = 2.0;

impl Plasticity {
    /// With a yield point: a strain, or of hinges an angle in radians. Flows at once, up to a strain of 2 or an angle
    /// of pi.
    #[must_use]
    pub const fn new(yield_point: f32) -> Plasticity {
        Plasticity { yield_point, creep: f32::INFINITY, limit: f32::INFINITY }
    }

    /// Flows slowly: [`Plasticity::creep`], 1/s.
    #[must_use]
    pub const fn creep(mut self, per_second: f32) -> Plasticity {
        self.creep = per_second;
        self
    }

    /// Flows no further: [`Plasticity::limit`].
    #[must_use]
    pub const fn limit(mut self, most: f32) -> Plasticity {
        self.limit = most;
        self
    }

    /// Whether numbers are in their ranges, and a kind has what flows.
    pub(crate) fn check(&self, of: &dyn Fn() -> String, kind: &Kind) -> Result<(), Error> {
        let Some(flows) = flows(kind) else { return Err(Error::DoesNotYield { of: of() }) };
        let number = |what: &str, value: f32, good: bool, limit: &'static str| {
            range(of, || format!("{what} of its plasticity"), f64::from(value), good, limit)
        };
        let most = most(flows);
        let (yields, limit) = match flows {
            Flows::Angle => ("within 0 .. pi rad", "above 0, up to pi rad, or infinite"),
            _ => ("within 0 .. 2", "above 0, up to 2, or infinite"),
        };
        number("yield point", self.yield_point, (0.0..=most).contains(&self.yield_point), yields)?;
        number("creep", self.creep, self.creep > 0.0, "above 0 per s")?;
        let good = self.limit > 0.0 && (self.limit <= most || self.limit == f32::INFINITY);
        number("limit", self.limit, good, limit)
    }

    /// The limit, where there is none the largest.
    pub(crate) fn furthest(&self, flows: Flows) -> f32 {
        if self.limit < most(flows) { self.limit } else { most(flows) }
    }
}

fn most(flows: Flows) -> f32 {
    if flows == Flows::Angle { PI } else { MAX_STRAIN }
}

/// The rest parameter of a kind that flows: a length, an angle or a tetrahedron's shape; none if the kind cannot yield.
pub(crate) fn flows(kind: &Kind) -> Option<Flows> {
    let shapes = [kinds::HOOKE, kinds::STVK, kinds::NEO_HOOKEAN, kinds::STABLE_NEO_HOOKEAN, kinds::STABLE_ENERGY];
    if shapes.iter().any(|shape| kind.is(shape)) {
        return Some(Flows::Tetrahedron);
    }
    let first = kind.params().first().filter(|first| first.is_shape() && kind.multipliers() == 1)?;
    match first.unit {
        _ if kind.has_frames() => None,
        "m" if first.min >= 0.0 => Some(Flows::Length),
        "rad" => Some(Flows::Angle),
        _ => None,
    }
}
