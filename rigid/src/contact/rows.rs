//! Rows of sixteen contacts in lanes, and how they yield.

use crate::manifold::POINTS;
use seidel_kernels::{BATCH, Pack};

/// The bodies of a batch: only such as turn alike about all axes (balls and cubes, of which half as much is read); any;
/// or some with locked axes, too.
pub(super) type Bodies = u8;
pub(super) const ROUND: Bodies = 0;
pub(super) const ANY: Bodies = 1;
pub(super) const LOCKED: Bodies = 2;

/// A point of up to sixteen manifolds. A lane without one has masses of 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points {
    /// From A's centre to the middle between both surfaces when the manifold was found, metres, world; the separation
    /// then. From B's it is less by [`Batch::offset`].
    pub(super) begun: [Pack<f32>; 3],
    pub(super) separation: Pack<f32>,
    /// How far along the normal what is round lies from what turns, for each body, metres.
    pub(super) round: [Pack<f32>; 2],
    /// Which part of the way from A's point to B's across the normal lies between A's and the place where the impulse acts:
    /// half of it, but what rolls keeps it below its axis.
    pub(super) lean: Pack<f32>,
    /// The same in this substep; from B's centre it is less by [`Batch::offset_now`]: one place in the world, so that
    /// no impulse turns both.
    pub(super) arm: [Pack<f32>; 3],
    pub(super) gap: Pack<f32>,
    /// Inverse of the mass that an impulse along the normal sees, kg, and that impulse, N s.
    pub(super) mass: Pack<f32>,
    pub(super) normal: Pack<f32>,
    /// From the middle of all points, metres.
    pub(super) lever: Pack<f32>,
}

/// Friction of up to sixteen contacts, at the middle of their points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Friction {
    /// As for points.
    pub(super) begun: [Pack<f32>; 3],
    pub(super) round: [Pack<f32>; 2],
    pub(super) lean: Pack<f32>,
    pub(super) arm: [Pack<f32>; 3],
    /// Inverse of the 2 x 2 matrix of masses along both tangents, kg; of the inertia about the normal, kg m^2.
    pub(super) masses: [Pack<f32>; 3],
    pub(super) inertia: Pack<f32>,
    /// Impulses along both tangents, N s, and about the normal, N m s.
    pub(super) impulse: [Pack<f32>; 2],
    pub(super) twist: Pack<f32>,
    /// Drift along both tangents when the manifold was found, metres, about the normal, rad; and in this substep.
    pub(super) drift: [Pack<f32>; 2],
    pub(super) turn: Pack<f32>,
    pub(super) drifted: [Pack<f32>; 2],
    pub(super) turned: Pack<f32>,
    /// 1 where it has slipped in the last sweep without bias: along, about.
    pub(super) slips: [Pack<f32>; 2],
}

pub(crate) const NONE: Pack<f32> = Pack([0.0; BATCH]);

pub(super) const NO_POINTS: Points = Points {
    begun: [NONE; 3],
    separation: NONE,
    round: [NONE; 2],
    lean: NONE,
    arm: [NONE; 3],
    gap: NONE,
    mass: NONE,
    normal: NONE,
    lever: NONE,
};

pub(super) const NO_FRICTION: Friction = Friction {
    begun: [NONE; 3],
    round: [NONE; 2],
    lean: NONE,
    arm: [NONE; 3],
    masses: [NONE; 3],
    inertia: NONE,
    impulse: [NONE; 2],
    twist: NONE,
    drift: [NONE; 2],
    turn: NONE,
    drifted: [NONE; 2],
    turned: NONE,
    slips: [NONE; 2],
};

/// Resistance to rolling and spinning of up to sixteen contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resistance {
    /// Most torque over the force along the normal, metres: about both tangents, and about the normal.
    pub(super) rolling: Pack<f32>,
    pub(super) spinning: Pack<f32>,
    /// Inverse of the 2 x 2 matrix of inertia about both tangents, kg m^2.
    pub(super) inertia: [Pack<f32>; 3],
    /// Impulses about both tangents, N m s.
    pub(super) impulse: [Pack<f32>; 2],
}

pub(super) const NO_RESISTANCE: Resistance =
    Resistance { rolling: NONE, spinning: NONE, inertia: [NONE; 3], impulse: [NONE; 2] };

/// How long manifolds of up to sixteen contacts hold (age.rs).
#[derive(Clone, Copy, Debug)]
pub(super) struct Age {
    pub(super) slides: Pack<f32>,
    pub(super) radius: Pack<f32>,
    pub(super) most: Pack<f32>,
    pub(super) near: Pack<f32>,
    /// 1 where [`super::Lasts`] says so.
    pub(super) passes: Pack<f32>,
    /// How far they had moved a substep before, and the least gap then.
    pub(super) moved: Pack<f32>,
    pub(super) gap: Pack<f32>,
    /// 1 where the manifold no longer holds; once some are found anew, of these.
    pub(super) stale: Pack<f32>,
}

/// How far a body has gone since the step began, metres, and the rotation since then.
pub(super) type Since<T> = ([T; 3], [T; 4]);

/// Of both bodies, before any manifold is found anew.
pub(super) const START: [Since<Pack<f32>>; 2] = [([NONE; 3], [NONE, NONE, NONE, Pack([1.0; BATCH])]); 2];

impl Age {
    pub(super) const NONE: Age =
        Age { slides: NONE, radius: NONE, most: NONE, near: NONE, passes: NONE, moved: NONE, gap: NONE, stale: NONE };
}

/// Of balls and capsules what is inside (follow.rs), of up to sixteen contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segments {
    /// As [`super::Segment`], of both bodies.
    pub(super) at: [[Pack<f32>; 3]; 2],
    pub(super) half: [[Pack<f32>; 3]; 2],
    pub(super) radius: [Pack<f32>; 2],
    /// 1 where both bodies have one.
    pub(super) known: Pack<f32>,
}

pub(super) const NO_SEGMENTS: Segments =
    Segments { at: [[NONE; 3]; 2], half: [[NONE; 3]; 2], radius: [NONE; 2], known: NONE };

/// Sixteen contacts that share no body which moves.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Where both bodies' rows begin, to read, and to write: bodies that nothing moves are read by all, and written to
    /// a row that nobody reads.
    pub(super) read: [[u32; BATCH]; 2],
    pub(super) write: [[u32; BATCH]; 2],
    /// Inverse inertia of both bodies, 1/(kg m^2), if all are round.
    pub(super) inertia: [Pack<f32>; 2],
    pub(super) normal: [Pack<f32>; 3],
    pub(super) tangents: [[Pack<f32>; 3]; 2],
    /// From A's centre to B's when the manifold was found, metres, and in this substep.
    pub(super) offset: [Pack<f32>; 3],
    pub(super) offset_now: [Pack<f32>; 3],
    /// Friction at rest; and where it slides, if that is another anywhere.
    pub(super) mu: Pack<f32>,
    pub(super) sliding: Pack<f32>,
    pub(super) eases: bool,
    pub(super) restitution: Pack<f32>,
    pub(super) points: [Points; POINTS],
    pub(super) friction: Friction,
    pub(super) resistance: Resistance,
    /// Impulses along the normal of the substeps so far, N s, and where they are added up.
    pub(super) total: Pack<f32>,
    pub(super) counted: [bool; BATCH],
    pub(super) counts: bool,
    /// A row that nobody reads, and the last row that it takes.
    pub(super) nowhere: u32,
    pub(super) last: u32,
    /// Points of the manifolds.
    pub(super) points_of: Pack<f32>,
    /// How long manifolds hold; whether one no longer does; and whether one was found anew within the step.
    pub(super) age: Age,
    /// Where both bodies were, as their rows tell it, when the manifold was found, or followed them last. Read only if
    /// one was found anew, or follows.
    pub(super) since: [Since<Pack<f32>>; 2],
    pub(super) stales: bool,
    pub(super) renewed: bool,
    /// Of balls and capsules; whether there are any, and whether a substep has begun.
    pub(super) segments: Segments,
    pub(super) follows: bool,
    pub(super) warmed: bool,
    /// Points of the manifold that has most, whether any bounces, whether any resists rolling or spinning, and what
    /// bodies there are: kernels know in advance, since a mass along each axis takes 1.5 % of the time of all.
    pub(super) count: usize,
    pub(super) bounces: bool,
    pub(super) resists: bool,
    pub(super) bodies: Bodies,
}
