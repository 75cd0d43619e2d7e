//! Joints: rows of constraints on vertices of several bodies.

use crate::describe::ids::BodyId;
use crate::describe::memory::Need;
use crate::describe::stiffness::{Stiffness, Values};
use seidel_kernels::Kind;
use seidel_kinds as kinds;

/// Rows of one kind between bodies: [`crate::Scene::join`]. Rigid and without damping unless told.
///
/// Vertices that start apart are drawn together: rigidly within the first substep, at the speed that this takes. A
/// vertex of inverse mass 0, such as an obstacle's, goes where it is taken, and the others with it. Stiffness given by
/// an input is of bodies' rows, and of no joint's.
///
/// # Example
/// ```
/// use seidel::{Cloth, Joint, Pose, Scene, Solver};
/// let mut scene = Scene::new();
/// let left = scene.add(Cloth::grid([9, 9], [1.0, 1.0]));
/// let right = scene.add(Cloth::grid([9, 9], [1.0, 1.0]).placed(Pose::at([1.0, 0.0, 0.0]), 1.0));
/// scene.join(Joint::seam(left, right, 0.01));
/// assert!(Solver::new(&scene)?.plan().families().any(|family| family == ("attach", 9, 1)));
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Joint {
    pub(crate) hold: Hold,
    pub(crate) stiffness: Stiffness,
    pub(crate) damping: f32,
}

/// The vertices that are held.
#[derive(Clone, Debug)]
pub(crate) enum Hold {
    /// Rows that are named.
    Rows { kind: Kind, at: Vec<(BodyId, u32)>, rest: Vec<f32> },
    /// Vertices and what is nearest to them.
    Near(Near),
}

/// Pairs of vertices of two bodies, as rows name them.
fn between(a: BodyId, b: BodyId, pairs: &[[u32; 2]]) -> Vec<(BodyId, u32)> {
    pairs.iter().flat_map(|&[v, w]| [(a, v), (b, w)]).collect()
}

impl Joint {
    /// This need and that of the rows that are named; those of what is near depend on where bodies are.
    pub(crate) fn counted(need: Need, joint: &Joint) -> Need {
        match &joint.hold {
            Hold::Rows { kind, at, .. } => {
                let (slots, params) = (kind.slots(), kind.params().len());
                need.constraints((at.len() / slots.max(1)) as u64, (2 * slots + params) as u64)
            }
            Hold::Near(_) => need,
        }
    }

    /// Rows of any kind without frames: the body and number of each vertex, `kind.slots()` a row. Parameters are
    /// measured at the start; [`Joint::rest`] gives them.
    #[must_use]
    pub fn rows(kind: Kind, at: Vec<(BodyId, u32)>) -> Joint {
        Joint::of(Hold::Rows { kind, at, rest: Vec::new() })
    }

    /// A vertex of one body and one of another in one place, for each pair. Compliance in m/N.
    #[must_use]
    pub fn points(a: BodyId, b: BodyId, pairs: &[[u32; 2]]) -> Joint {
        Joint::rows(kinds::ATTACH, between(a, b, pairs))
    }

    /// The vertices of each pair as far from each other as at the start, which is more than nothing. Compliance in m/N.
    #[must_use]
    pub fn distances(a: BodyId, b: BodyId, pairs: &[[u32; 2]]) -> Joint {
        Joint::rows(kinds::DISTANCE, between(a, b, pairs))
    }

    /// The vertices of each pair no further from each other than at the start. Compliance in m/N.
    #[must_use]
    pub fn ropes(a: BodyId, b: BodyId, pairs: &[[u32; 2]]) -> Joint {
        Joint::rows(kinds::ROPE, between(a, b, pairs))
    }

    /// Vertices of one body, each in its place on a triangle of another, whose corners stand beside it: the foot of its
    /// height at the
    /// start, also outside of the triangle. A vertex above or below the plane is drawn into it. Compliance in m/N.
    #[must_use]
    pub fn triangles(a: BodyId, b: BodyId, rows: &[(u32, [u32; 3])]) -> Joint {
        let at = rows.iter().flat_map(|&(v, corners)| [(a, v), (b, corners[0]), (b, corners[1]), (b, corners[2])]);
        Joint::rows(kinds::ATTACH_TRIANGLE, at.collect())
    }

    /// Vertices of one body, those within a distance of another body at the start, metres: each in the place there that
    /// is nearest to it, a vertex or a triangle's. Of bodies without triangles, such as ropes, the nearest vertex.
    #[must_use]
    pub fn near(a: BodyId, vertices: &[u32], b: BodyId, within: f32) -> Joint {
        Joint::of(Hold::Near(Near { body: a, vertices: Some(vertices.to_vec()), to: b, within }))
    }

    /// The same of all vertices at the border of a body: of edges with one triangle; of a body without triangles, all.
    #[must_use]
    pub fn seam(a: BodyId, b: BodyId, within: f32) -> Joint {
        Joint::of(Hold::Near(Near { body: a, vertices: None, to: b, within }))
    }

    /// All bodies that it names, some more than once.
    pub(crate) fn bodies(&self) -> Box<dyn Iterator<Item = BodyId> + '_> {
        match &self.hold {
            Hold::Rows { at, .. } => Box::new(at.iter().map(|(body, _)| *body)),
            Hold::Near(near) => Box::new([near.body, near.to].into_iter()),
        }
    }

    fn of(hold: Hold) -> Joint {
        Joint { hold, stiffness: Stiffness::compliance(0.0), damping: 0.0 }
    }

    /// Parameters of named rows, `kind.params().len()` a row. Joints by nearness have none.
    #[must_use]
    pub fn rest(mut self, values: Vec<f32>) -> Joint {
        if let Hold::Rows { rest, .. } = &mut self.hold {
            *rest = values;
        }
        self
    }

    /// Compliance, in the kind's unit, >= 0; one for all, or one for each named row.
    #[must_use]
    pub fn compliance(self, values: impl Into<Values>) -> Joint {
        self.stiffness_by(Stiffness::compliance(values))
    }

    /// Stiffness, as compliance or as PBD's k.
    #[must_use]
    pub fn stiffness_by(mut self, stiffness: Stiffness) -> Joint {
        self.stiffness = stiffness;
        self
    }

    /// Relaxation time of XPBD's damping, seconds, >= 0.
    #[must_use]
    pub fn damped(mut self, seconds: f32) -> Joint {
        self.damping = seconds;
        self
    }
}

/// Vertices of a body that are near another.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    pub(crate) body: BodyId,
    /// All at its border without.
    pub(crate) vertices: Option<Vec<u32>>,
    pub(crate) to: BodyId,
    /// Metres.
    pub(crate) within: f32,
}
