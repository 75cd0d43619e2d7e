//! Rigid bodies against particles, points of skins and triangles: both sides give way.
//!
//! ```text
//!   C = (x - q).n - thickness >= 0      x = sum b_k x_k: a particle, a point carried by a tetrahedron, the deepest point of a triangle;
//!                                       q, n: of the body's surface, where the path of x enters it (`Shape::contact`)
//!   w = sum w_k b_k^2  +  1/M + (r x n).I^-1 (r x n)                                r: from the body's centre of mass to x
//!   dlambda = max(-C / w, -lambda)
//!   dx_k = w_k b_k n dlambda,           dX = -n dlambda / M,           dtheta = -I^-1 (r x n) dlambda
//! ```
//! One impulse on both sides and at one point: linear and angular momentum stay, to roundings. Friction is Coulomb's,
//! likewise. Where a contact presses particles against a ground ([`Ground`]), momentum goes there, too.
//!
//! Source: Müller, Macklin, Chentanez, Jeschke, Kim 2020, "Detailed Rigid Body Simulation with Extended Position Based
//! Dynamics", section 3.3.1 (generalised inverse masses); Müller et al. 2007, section 4.4 (a point between particles).
//!
//! A body's contacts are solved one after another, in the order of its shapes, clusters and features, in rounds until
//! one pushes nothing far: the sum of what many light particles hold back is found in one round, because each sees what
//! those before it have done; the next correct where particles are heavy beside the body, and where triangles share
//! them. All of it is scalar, so lanes have no part in it.

mod far;
mod gathered;
mod ground;
mod hold;
mod mover;
mod rows;
mod rubs;
mod solve;

pub use ground::{Ground, Grounds};
pub use hold::Hold;
pub use mover::Mover;
pub use rows::{CoupledCluster, Feature};
pub use solve::{Coupling, Touches};

use super::{Solid, Traced};
use crate::V3;

/// Rounds over a body's contacts in a sweep, at most.
const ROUNDS: usize = 16;

type P = V3<f64>;

/// A shape of a rigid body in a substep.
#[derive(Clone, Copy, Debug)]
pub struct CoupledShape<'a> {
    /// The shape, turned as at the substep's start and end.
    pub traced: Traced<Solid<'a>>,
    /// Its origin at the start, metres.
    pub from: [f64; 3],
    /// Its origin at the end, before contacts move it, metres.
    pub to: [f64; 3],
    /// Friction, as [`super::Combine`] takes it.
    pub friction: f32,
}
