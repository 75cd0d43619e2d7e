//! Contacts with colliders: born each substep, on one particle or one triangle, never stored in a plan.
//!
//! C = (p - q).n - thickness >= 0 with q and n of the surface where the path x -> p enters it, or of the closest point
//! where it begins inside (Müller et al. 2007, section 3.4). Friction at position level, bounded by mu times the
//! normal multiplier of this substep (FORMULAS: Macklin, Müller 2013's form with the surface's own displacement).
//!
//! What lies inside when a substep begins was not pressed in by it, so getting out must give no velocity (`Begin`).
//! Such a particle goes where constraints and a small step outwards take it. Along its way out it has the collider's
//! velocity, along the surface its own, less friction: the rest goes to the rounding r, for the velocity is taken from
//! u - r. To a triangle with no corner inside, the
//! ball is smaller by its depth; it is moved out by the same step.

mod bends;
mod bounce;
mod combine;
pub mod coupling;
mod deepest;
mod distance;
mod embedded;
mod grains;
mod heights;
mod hull;
mod long_range;
pub mod pairs;
mod particles;
mod plane;
#[cfg(test)]
mod sampled;
mod sdf;
mod shapes;
mod signed;
mod slack;
mod sphere;
mod spheres;
mod tether;
mod touch;
mod traced;
mod triangle_solids;
mod triangles;

use distance::each;

pub use bends::{Bend, Over};
pub use bounce::{Bounce, NOTED, STAYS, TriangleBounce};
pub use combine::Combine;
pub use distance::Solid;
pub use embedded::{CARRIERS, Carriers, EmbeddedBounce, EmbeddedContacts, EmbeddedPushed, EmbeddedTile, NO_COLLIDER};
pub use grains::{BlocksOfLanes, GrainChains, GrainContacts, GrainPair, Grip};
pub use heights::Heights;
pub use hull::Hull;
pub use long_range::LongRange;
pub use particles::ParticleContacts;
pub use plane::Plane;
pub use sdf::{BEND, Form, SdfGrid};
pub use shapes::{Capsule, Cone, Cuboid, Cylinder, Torus};
pub use signed::SignedDistance;
pub use slack::Slack;
pub use sphere::Sphere;
pub use spheres::{SphereBox, SphereCluster, SphereContacts, SpherePlaces, Touching};
pub use tether::Tethers;
pub use traced::Traced;
pub use triangle_solids::{Back, TriangleSolidContacts};
pub use triangles::{Pushed, TriangleContacts};

use crate::lanes::Lanes;
use crate::tuning::{BEGINS_INSIDE, INSIDE_ROUNDING, LEAVING_SPEED};
use crate::v3::at_most;
use crate::{Chunk, InChunks, Pack, V3};
use seidel_workers::Shared;

/// A collider during one substep.
///
/// Its centre moves from `at + from` to `at + to`: the large part apart, so that small motions keep their digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface<S> {
    /// The shape, turned as at the substep's end.
    pub shape: S,
    /// The centre, rounded, metres.
    pub at: [f32; 3],
    /// The rest of the centre at the substep's start, metres.
    pub from: [f32; 3],
    /// The rest of the centre at the substep's end, metres.
    pub to: [f32; 3],
    /// A material point at d from the centre has moved by `to - from + turn d` in this substep (rows of a matrix).
    pub turn: [[f32; 3]; 3],
    /// How both surfaces' friction is combined.
    pub combine: Combine,
    /// Static friction: the coefficient, or of the geometric mean its square root. The other number is the body's.
    pub friction_static: f32,
    /// The same of kinetic friction.
    pub friction_kinetic: f32,
}

/// What a shape has to tell: where a path from `a` to `b`, both relative to the centre, ends up.
pub trait Shape: Copy {
    /// Whether a look is so cheap that it is not worth keeping what it tells.
    const CHEAP: bool = false;

    /// False only if the path surely stays away; a cheap test before `contact`.
    fn near<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>, thickness: L) -> L::Mask;

    /// Radius of a ball about `b` from which the shape at the substep's end, with `thickness` about it, stays away,
    /// without roundings; metres. Negative infinity of a shape that is looked at each time.
    #[inline(always)]
    fn room<L: Lanes<Elem = f32>>(&self, _b: V3<L>, _thickness: L) -> L {
        L::set(f32::NEG_INFINITY)
    }

    /// C at `b` (negative: to be pushed out) and the unit normal, for a body of this thickness; and the thickness that
    /// C is about, which keeps a particle's triangles out, too, as far as it may: at most `tuning::HOVER` of it more.
    ///
    /// `span` is at least |q - x|^2 for a triangle's corner x and the point q nearest to it, 0 for a lone particle;
    /// what begins the substep lower is not lifted.
    fn contact<L: Lanes<Elem = f32>>(&self, a: V3<L>, b: V3<L>, thickness: L, span: L) -> (L, V3<L>, L);

    /// The way out for what friction has moved to `b` along the surface; none where that never leads inside, as about
    /// convex shapes.
    #[inline(always)]
    fn settle<L: Lanes<Elem = f32>>(&self, _b: V3<L>, _thickness: L) -> Option<V3<L>> {
        None
    }

    /// How far inside a point is (negative: outside) and the shortest way out.
    fn inside<L: Lanes<Elem = f32>>(&self, x: V3<L>, thickness: L) -> (L, V3<L>);
}

/// How deep what rests on a surface may be, at `x` from the collider's centre.
#[inline(always)]
pub(crate) fn resting<L: Lanes>(x: V3<L>, thickness: L) -> L {
    thickness * L::splat(BEGINS_INSIDE) + at_most(x) * L::splat(INSIDE_ROUNDING)
}

/// A contact whose path may begin inside.
pub(crate) struct Begin<L> {
    /// Depth at the path's start, metres.
    pub(crate) depth: L,
    /// Depth at its end, metres.
    pub(crate) end: L,
    /// Where the start is, from the collider's centre.
    pub(crate) at: V3<L>,
    pub(crate) thickness: L,
}

impl<L: Lanes> Begin<L> {
    /// Whether it does.
    #[inline(always)]
    pub(crate) fn inside(&self) -> L::Mask {
        self.end.gt(L::zero()) & self.depth.gt(resting(self.at, self.thickness)) & self.depth.finite()
    }

    /// How far it is moved out in a substep of `h` seconds.
    #[inline(always)]
    pub(crate) fn leave(&self, h: L, first: bool) -> L {
        // Only once a substep.
        let most = if first { L::splat(LEAVING_SPEED) * h } else { L::zero() };
        self.depth.smaller(most).smaller(self.end)
    }
}

impl<S> Surface<S> {
    /// Displacement in this substep of the material point at `d` from the centre.
    #[inline(always)]
    fn displacement<L: Lanes<Elem = f32>>(&self, d: V3<L>) -> V3<L> {
        let travel = V3::<L>::set([self.to[0] - self.from[0], self.to[1] - self.from[1], self.to[2] - self.from[2]]);
        let row = |k: usize| V3::<L>::set(self.turn[k]).dot(d);
        travel + V3::new(row(0), row(1), row(2))
    }
}

/// Normal and friction multipliers of a contact, accumulated over the iterations of a substep; of a lone particle times
/// its inverse mass, which is its way in metres: where one mass moves, none matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held<L> {
    pub(crate) tau: V3<L>,
    pub(crate) normal: L,
}

impl<L: Lanes<Elem = f32>> Held<L> {
    /// Of contacts that hold nothing yet.
    #[inline(always)]
    pub(crate) fn none() -> Held<L> {
        Held { tau: V3::zero(), normal: L::zero() }
    }

    /// Those of a chunk of a batch's contacts, of which `kept` has four packs a batch; none where nothing is kept.
    ///
    /// # Safety
    /// `kept` is empty or has the batch's packs, which nobody writes meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn load(kept: Shared<'_, Pack<f32>>, batch: usize, chunk: Chunk<L>) -> Held<L> {
        if kept.is_empty() {
            return Held::none();
        }
        // SAFETY: the caller promises the packs, and that nobody writes them.
        let pack = |k: usize| unsafe { (*kept.as_ptr().add(batch * 4 + k)).load(chunk) };
        Held { tau: V3::new(pack(0), pack(1), pack(2)), normal: pack(3) }
    }

    /// Keeps them, where anything is kept.
    ///
    /// # Safety
    /// As for `load`, and nobody reads them either.
    #[inline(always)]
    pub(crate) unsafe fn store(self, kept: Shared<'_, Pack<f32>>, batch: usize, chunk: Chunk<L>) {
        if !kept.is_empty() {
            for (k, value) in [self.tau.x, self.tau.y, self.tau.z, self.normal].into_iter().enumerate() {
                // SAFETY: the caller promises the packs, and that nobody else uses them.
                unsafe { (*kept.as_ptr().add(batch * 4 + k)).store(chunk, value) };
            }
        }
    }
}

/// The friction multiplier's change: sticks up to mu_s times the normal multiplier, slides with mu_k times it.
///
/// `slip` is the contact's tangential displacement in this substep over its generalised inverse mass; or the
/// displacement itself, where the multipliers are metres, too.
#[inline(always)]
pub(crate) fn friction<L: Lanes>(held: Held<L>, slip: V3<L>, mu_s: L, mu_k: L) -> V3<L> {
    let wanted = held.tau - slip;
    let size = wanted.length();
    let slides = size.gt(mu_s * held.normal);
    // Never thrown back, also where the kinetic coefficient is the larger.
    let slide = (mu_k * held.normal / size).or_zero(size.gt(L::zero())).smaller(L::splat(1.0));
    let scale = L::select(slides, slide, L::splat(1.0));
    wanted * scale
}

/// Whether what may be `slack` away from `x` may be closer than `reach` to the origin. Never false by rounding.
#[inline(always)]
pub(crate) fn within<L: Lanes>(x: V3<L>, reach: L, slack: L) -> L::Mask {
    let far = (reach + slack) * L::splat(1.000_01);
    x.length_squared().le(far * far)
}
