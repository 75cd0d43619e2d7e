//! What is kept of a run until its document is written.

use super::body::Body;
use super::surfaces::OfFluid;
use crate::aside::{Spool, Target};
use crate::frames::Header;
use crate::shape::FrameShape;

/// How the time between two frames is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interpolation {
    /// From one frame to the next in a straight line.
    #[default]
    Linear,
    /// The frame stays until the next.
    Step,
}

/// Writes a `.glb` file.
#[derive(Debug)]
pub struct GlbWriter {
    pub(super) target: Target,
    pub(super) shape: FrameShape,
    pub(super) header: Header,
    pub(super) interpolation: Interpolation,
    pub(super) bodies: Vec<Body>,
    pub(super) times: Vec<f32>,
    pub(super) poses: Vec<Vec<[f32; 7]>>,
    pub(super) targets: Spool,
    /// How far the first frame goes from the origin along any axis, metres.
    pub(super) reach: f32,
    /// Fluids whose surfaces are written.
    pub(super) surfaces: Vec<OfFluid>,
}
