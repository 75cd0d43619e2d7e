//! Attachments: vertices that are kept where they lie over a triangle of an obstacle.
//!
//! A place over a triangle a b c of normal n is a + s (b - a) + t (c - a) + height n. The attached vertex follows the
//! obstacle in every
//! substep, not in the one before: both go the straight way from one end of a step to the other.

use crate::describe::body::Body;
use crate::describe::error::Error;
use crate::describe::ids::BodyId;
use crate::geometry::nearest::{Nearest, Tree};
use crate::geometry::vector::{P, dot, sub};
use crate::plan::obstacle::Driven;
use std::sync::Arc;

/// A place over a triangle that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    /// Corners, among the vertices of all obstacles.
    corners: [u32; 3],
    /// s, t and the height, metres.
    at: [f64; 3],
}

/// Two sides of a triangle and its normal: of length 1, or zero if it has no area.
fn sides([a, b, c]: [P; 3]) -> [P; 3] {
    let (e, f) = (sub(b, a), sub(c, a));
    let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let length = f64::sqrt(dot(n, n));
    [e, f, if length > 0.0 { n.map(|n| n / length) } else { [0.0; 3] }]
}

impl Over {
    /// The place of a point over a triangle with an area.
    fn new(corners: [u32; 3], triangle: [P; 3], point: P) -> Over {
        let [e, f, n] = sides(triangle);
        let from = sub(point, triangle[0]);
        let (ee, ff, ef) = (dot(e, e), dot(f, f), dot(e, f));
        let (ep, fp) = (dot(e, from), dot(f, from));
        let det = ee * ff - ef * ef;
        let at = [(ep * ff - fp * ef) / det, (fp * ee - ep * ef) / det, dot(n, from)];
        Over { corners, at }
    }

    /// Where it is, in f64, and the triangle's normal.
    pub(crate) fn place(&self, vertices: &[[f32; 3]]) -> (P, P) {
        let triangle = self.corners.map(|v| vertices[v as usize].map(f64::from));
        let ([e, f, n], [s, t, height]) = (sides(triangle), self.at);
        (std::array::from_fn(|k| triangle[0][k] + ((e[k] * s + f[k] * t) + n[k] * height)), n)
    }

    /// Where it is, metres.
    pub(crate) fn at(&self, vertices: &[[f32; 3]]) -> [f32; 3] {
        self.place(vertices).0.map(|c| c as f32)
    }
}

/// The places of vertices over an obstacle at the start.
///
/// # Errors
/// If `to` is no obstacle, or has no triangle with an area.
pub(crate) fn places(
    of: &str,
    positions: impl Iterator<Item = [f32; 3]>,
    to: BodyId,
    (bodies, obstacles): (&[Arc<Body>], &[Driven]),
) -> Result<Vec<Over>, Error> {
    let Some(obstacle) = bodies.get(to.index()) else {
        return Err(Error::Missing { of: of.to_owned(), what: "body", index: to.index(), count: bodies.len() });
    };
    let Some(driven) = obstacles.iter().find(|driven| driven.body == to.index()) else {
        return Err(Error::NoObstacle { of: of.to_owned(), body: obstacle.name.clone() });
    };
    let corners = |t: u32| obstacle.triangles[t as usize].map(|v| obstacle.positions[v as usize].map(f64::from));
    let has_area = |t: &u32| sides(corners(*t))[2] != [0.0; 3];
    let with_area: Vec<u32> = (0..obstacle.triangles.len() as u32).filter(has_area).collect();
    let tree = Tree::new((&obstacle.positions[..], &obstacle.triangles[..]), with_area);
    let place = |x: [f32; 3]| {
        let x = x.map(f64::from);
        let Nearest { triangle, .. } =
            tree.nearest(x).ok_or_else(|| Error::NoTriangles { of: format!("body `{}`", obstacle.name) })?;
        let rows = obstacle.triangles[triangle as usize].map(|v| driven.first as u32 + v);
        Ok(Over::new(rows, corners(triangle), x))
    };
    positions.map(place).collect()
}

/// An attached vertex of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attachment {
    pub(crate) body: usize,
    pub(crate) vertex: usize,
    pub(crate) place: Over,
}

impl Attachment {
    /// Those of all bodies.
    pub(crate) fn of(bodies: &[Arc<Body>], obstacles: &[Driven]) -> Result<Vec<Attachment>, Error> {
        let mut all = Vec::new();
        for (body, of) in bodies.iter().enumerate() {
            for (i, attached) in of.attached.iter().enumerate() {
                let name = format!("body `{}`, attachment {i}", of.name);
                let positions = attached.vertices.iter().map(|&v| of.positions[v as usize]);
                let places = places(&name, positions, attached.to, (bodies, obstacles))?;
                let vertices = attached.vertices.iter().map(|&v| v as usize);
                all.extend(vertices.zip(places).map(|(vertex, place)| Attachment { body, vertex, place }));
            }
        }
        Ok(all)
    }
}
