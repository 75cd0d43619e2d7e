//! Joints by nearness: for vertices of one body, the nearest places on another, to which they are joined.

use crate::describe::body::Body;
use crate::describe::error::{Error, range};
use crate::describe::ids::BodyId;
use crate::describe::joint::Near;
use crate::describe::mesh::edges_of;
use crate::geometry::nearest::{Nearest, Tree};
use crate::tuning::AT_CORNER;
use seidel_kernels::Kind;
use seidel_kinds as kinds;
use std::sync::Arc;

/// Rows of a kind: the body and vertex of each slot, and parameters.
type KindRows = (Kind, Vec<(BodyId, u32)>, Vec<f32>);

impl Near {
    /// Rows to vertices, and rows to triangles; one at least.
    ///
    /// # Errors
    /// If a body or a vertex does not exist, both bodies are the same, or nothing is near.
    pub(super) fn rows(&self, of: &str, bodies: &[Arc<Body>]) -> Result<Vec<KindRows>, Error> {
        let find = |id: BodyId| {
            let (index, count) = (id.index(), bodies.len());
            bodies.get(index).ok_or_else(|| Error::Missing { of: of.to_owned(), what: "body", index, count })
        };
        let (body, to) = (find(self.body)?, find(self.to)?);
        if self.body == self.to {
            return Err(Error::JoinedToItself { of: of.to_owned(), body: body.name.clone() });
        }
        let within = f64::from(self.within);
        range(
            || of.to_owned(),
            || "the distance".to_owned(),
            within,
            (0.0..=1e6).contains(&within),
            "within 0 .. 1e6 m",
        )?;
        let mut vertices = self.vertices.clone().unwrap_or_else(|| border(body));
        vertices.sort_unstable();
        vertices.dedup();
        let (mut points, mut on) = (Vec::new(), (Vec::new(), Vec::new()));
        let triangles = surface(to);
        let tree = Tree::new((&to.positions[..], &triangles[..]), (0..triangles.len() as u32).collect());
        for vertex in vertices {
            let (index, count) = (vertex as usize, body.positions.len());
            let missing = || Error::Missing { of: format!("{of}, body `{}`", body.name), what: "vertex", index, count };
            let x = body.positions.get(index).ok_or_else(missing)?.map(f64::from);
            let Some(Nearest { triangle, shares, .. }) = tree.nearest(x) else { continue };
            let corners = triangles[triangle as usize];
            let off: [f64; 3] = std::array::from_fn(|k| {
                let at = |corner: usize| f64::from(to.positions[corners[corner] as usize][k]);
                ((shares[0] * at(0) + shares[1] * at(1)) + shares[2] * at(2)) - x[k]
            });
            if (off[0] * off[0] + off[1] * off[1]) + off[2] * off[2] > within * within {
                continue;
            }
            if let Some(corner) = (0..3).find(|&k| shares[k] >= 1.0 - AT_CORNER) {
                points.extend([(self.body, vertex), (self.to, corners[corner])]);
                continue;
            }
            on.0.push((self.body, vertex));
            on.0.extend(corners.map(|corner| (self.to, corner)));
            on.1.extend([shares[1] as f32, shares[2] as f32]);
        }
        if points.is_empty() && on.0.is_empty() {
            let (body, to) = (body.name.clone(), to.name.clone());
            return Err(Error::NothingNear { of: of.to_owned(), body, to, within: self.within });
        }
        let rows = [(kinds::ATTACH, points, Vec::new()), (kinds::ATTACH_TRIANGLE, on.0, on.1)];
        Ok(rows.into_iter().filter(|(_, at, _)| !at.is_empty()).collect())
    }
}

/// Vertices of edges with one triangle, ascending; all of a body without triangles.
fn border(body: &Body) -> Vec<u32> {
    if body.triangles.is_empty() {
        return (0..body.positions.len() as u32).collect();
    }
    let edges = edges_of(&body.triangles, body.positions.len());
    let mut vertices: Vec<u32> =
        edges.iter().filter(|edge| edge.triangles == 1).flat_map(|edge| edge.vertices).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// Triangles with an area; of a body that has none, its vertices as triangles.
fn surface(body: &Body) -> Vec<[u32; 3]> {
    let has_area = |t: &&[u32; 3]| {
        let [a, b, c] = t.map(|v| body.positions[v as usize].map(f64::from));
        let (e, f): ([f64; 3], [f64; 3]) = (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
        [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]] != [0.0; 3]
    };
    let all: Vec<[u32; 3]> = body.triangles.iter().filter(has_area).copied().collect();
    if all.is_empty() { (0..body.positions.len() as u32).map(|v| [v; 3]).collect() } else { all }
}
