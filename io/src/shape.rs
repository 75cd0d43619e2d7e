//! The lengths that a header promises; checked once for the header and once for each frame.

use crate::Error;
use crate::aside::Target;
use crate::frames::{Frame, Header};

/// What every frame has to agree with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Vertices of all bodies.
    pub(crate) vertices: usize,
    /// Colliders.
    pub(crate) colliders: usize,
}

impl Shape {
    /// Checks that a header's arrays agree with one another.
    pub(crate) fn new(target: &Target, header: &Header) -> Result<Self, Error> {
        let vertices = header.inv_mass.len();
        let fail = |what: String| Err(Error::Format { path: target.path().to_owned(), what });
        if u32::try_from(vertices).is_err() {
            return fail(format!("{vertices} vertices are more than an index of 32 bits can name"));
        }
        if header.edges.len() != header.rest_lengths.len() {
            return fail(format!("{} edges have {} rest lengths", header.edges.len(), header.rest_lengths.len()));
        }
        for body in &header.bodies {
            if body.first as usize + body.count as usize > vertices {
                return fail(format!("body {:?} ends past the last of {vertices} vertices", body.name));
            }
        }
        let outside = |corners: &[u32]| corners.iter().any(|&v| v as usize >= vertices);
        if let Some(t) = header.triangles.iter().position(|t| outside(t)) {
            return fail(format!("triangle {t} {:?} names a vertex past the last of {vertices}", header.triangles[t]));
        }
        if let Some(e) = header.edges.iter().position(|e| outside(e)) {
            return fail(format!("edge {e} {:?} names a vertex past the last of {vertices}", header.edges[e]));
        }
        Ok(Self { vertices, colliders: header.colliders.len() })
    }

    /// Checks that frame number `index` has the lengths that the header says.
    pub(crate) fn check(&self, target: &Target, index: usize, frame: &Frame<'_>) -> Result<(), Error> {
        let lengths = [
            ("positions", frame.positions.len(), self.vertices),
            ("velocities", frame.velocities.len(), self.vertices),
            ("poses", frame.poses.len(), self.colliders),
        ];
        match lengths.into_iter().find(|(_, got, want)| got != want) {
            None => Ok(()),
            Some((name, got, want)) => Err(Error::Frame {
                path: target.path().to_owned(),
                frame: index,
                what: format!("{got} {name} where the header says {want}"),
            }),
        }
    }
}
