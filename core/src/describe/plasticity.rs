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
/// A row that is bent to and fro may soften ([`Plasticity::fatigue`]) and break ([`Plasticity::breaks`]), by the
/// plastic strain that it has accumulated. [`crate::Plan::accumulated_strain`] and [`crate::Plan::broken_rows`]
/// measure it.
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
#[non_exhaustive]
pub struct Plasticity {
    /// Elastic strain from which on rows flow, >= 0; 0 flows at once.
    pub yield_point: f32,
    /// Share of the strain above the yield point that flows in a second, as the rate of a decay: after a time t, 1 -
    /// exp(-creep t) of it has. 1/s, > 0; infinite: all of it at once.
    pub creep: f32,
    /// Largest plastic strain, > 0: beyond it rows are elastic again. Up to 2, of angles pi; infinite: that.
    pub limit: f32,
    /// By how much the logarithm of the yield point falls, per accumulated plastic strain, >= 0: no unit, of angles
    /// 1/rad. 0 softens nothing.
    pub fatigue: f32,
    /// Accumulated plastic strain at which a row breaks, > 0: no unit, of angles rad; infinite: none does.
    pub breaks: f32,
}

/// The largest that a plastic strain may be.
const MAX_STRAIN: f32 = 2.0;

impl Plasticity {
    /// With a yield point: a strain, or of hinges an angle in radians. Flows at once, up to a strain of 2 or an angle
    /// of pi.
    #[must_use]
    pub const fn new(yield_point: f32) -> Plasticity {
        Plasticity { yield_point, creep: f32::INFINITY, limit: f32::INFINITY, fatigue: 0.0, breaks: f32::INFINITY }
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

    /// Softens as it flows, to and fro: the yield point of a row is `yield_point * exp(-softening * p)`, p being its
    /// accumulated plastic strain, the sum of the sizes of all its flow, which never falls. `softening` is finite and
    /// >= 0, per strain (of angles per rad); 0, the default, changes nothing.
    ///
    /// That is cyclic softening, as of metal that was hardened by drawing or rolling. A wire that is bent to and fro
    /// yields earlier each time, and most where it has yielded most, so that the bend gathers in one place. With a
    /// softening of 0.7 / p the yield point is half after an accumulated strain of p. Where its product with the yield
    /// point is above 1, a row loses its strength at once as it begins to yield.
    ///
    /// # Source
    /// Chaboche 1986, "Time-independent constitutive theories for cyclic plasticity", International Journal of
    /// Plasticity 2: isotropic hardening dR = b (Q - R) dp, with b = `softening` and Q = -`yield_point`. His kinematic
    /// hardening is left out: a row yields alike in both directions.
    #[must_use]
    pub const fn fatigue(mut self, softening: f32) -> Plasticity {
        self.fatigue = softening;
        self
    }

    /// Breaks when its accumulated plastic strain is as much, > 0 (of angles rad): the row gives way for good, and
    /// neither pulls nor pushes from then on. Infinite, the default: it never does.
    ///
    /// A paper clip: a row that is strained by a to one side and by a to the other in turn, beyond a yield point y,
    /// flows by a - y at first and by 2 (a - y) each time after it. So it breaks the n-th time with the first n at
    /// which (2 n - 1) (a - y) >= `at`; sooner, if it softens. This is Coffin's and Manson's law with an exponent of
    /// -1. For metals the exponent is -0.5 to -0.7: fit `at` for the strain that matters, for they bear more cycles of
    /// a smaller one than this tells.
    ///
    /// Vertices, triangles and tetrahedra stay as they are: they collide, are drawn and have their mass. For a rip
    /// whose sides come apart see [`crate::Tearing`]. Attachments that a scene asks for ([`crate::LongRange`]) go on
    /// holding what has broken off. [`crate::State::restore_rest_shape`] mends it.
    #[must_use]
    pub const fn breaks(mut self, at: f32) -> Plasticity {
        self.breaks = at;
        self
    }

    /// Whether something of it depends on the accumulated strain: the state has that.
    pub(crate) fn accumulates(&self) -> bool {
        self.fatigue > 0.0 || self.breaks < f32::INFINITY
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
        number("limit", self.limit, good, limit)?;
        let good = self.fatigue >= 0.0 && self.fatigue < f32::INFINITY;
        number("fatigue", self.fatigue, good, "finite and 0 or more")?;
        number("breaking strain", self.breaks, self.breaks > 0.0, "above 0, or infinite")
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
