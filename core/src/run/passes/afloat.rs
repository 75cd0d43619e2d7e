//! A rigid body as a fluid meets it.

use super::colliders::moving::Bounds;
use seidel_kernels::contact::{Solid, Traced};

/// A shape of a rigid body during a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Afloat<'a> {
    /// The body's number.
    pub(crate) body: usize,
    /// The shape with its rotations at the start and the end.
    pub(crate) traced: Traced<Solid<'a>>,
    /// Its origin at the start, and at the end, metres, relative as slots are.
    pub(crate) from: [f32; 3],
    pub(crate) to: [f32; 3],
    /// A box about its path, relative.
    pub(crate) bounds: Bounds,
    /// The body's centre of mass at the end, relative.
    pub(crate) center: [f64; 3],
    /// 1/kg, and 1/(kg m^2) in the world's axes.
    pub(crate) inv_mass: f64,
    /// Axes of the world along which nothing moves it.
    pub(crate) locked: [bool; 3],
    pub(crate) inv_inertia: [[f64; 3]; 3],
}
