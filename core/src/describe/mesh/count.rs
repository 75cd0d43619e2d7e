//! The search: every kind in one pass over the array that shows it.

use super::sets::DisjointSets;
use super::{Defect, Defects, Found, Place};
use crate::describe::defects::triangles::Counts;
use crate::describe::mesh::Mesh;
use crate::describe::mesh::edges::{by_edge, half_edges};
use crate::describe::mesh::triangles::{duplicates, fault, is_finite};
use crate::tuning::MAX_COORDINATE;

impl Mesh {
    /// Finds all defects. Any content is allowed; n log n time, and memory in proportion to the mesh.
    ///
    /// # Example
    /// ```
    /// use seidel::mesh::{Defect, Mesh, Place};
    /// let mesh = Mesh {
    ///     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [9.0, 9.0, 9.0]],
    ///     triangles: vec![[0, 1, 2]],
    /// };
    /// let defects = mesh.defects();
    /// let isolated = defects.errors().next().unwrap();
    /// assert_eq!((isolated.defect, isolated.first), (Defect::IsolatedVertex, Place::Vertex(3)));
    /// assert_eq!(defects.count(Defect::BoundaryEdge), 3);
    /// ```
    #[must_use]
    pub fn defects(&self) -> Defects {
        let Self { positions, triangles } = self;
        let mut tally = Tally::default();
        if self.is_too_large() {
            tally.counts.add(Defect::TooLarge, Place::Mesh);
            return tally.into_defects();
        }

        for (v, &p) in (0..).zip(positions) {
            if !is_finite(p) {
                tally.counts.add(Defect::NonFinite, Place::Vertex(v));
            } else if p.iter().any(|x| x.abs() > MAX_COORDINATE) {
                tally.counts.add(Defect::TooFar, Place::Vertex(v));
            }
        }
        for (t, &triangle) in (0..).zip(triangles) {
            // A triangle at a vertex that is not finite is that vertex's fault, which is counted already.
            if let Some(defect) = fault(triangle, positions).filter(|&d| d != Defect::NonFinite) {
                tally.counts.add(defect, Place::Triangle(t));
            }
        }

        let mut counts: Vec<bool> = (0..triangles.len()).map(|t| self.has_edges(t)).collect();
        for pair in duplicates(triangles, |t| counts[t]) {
            tally.counts.add(Defect::Duplicate, Place::Triangles(pair));
            counts[pair[1] as usize] = false;
        }
        self.count_edges(&counts, &mut tally);
        self.count_vertices(&counts, &mut tally);
        tally.into_defects()
    }

    /// Edges of the triangles that count.
    fn count_edges(&self, counts: &[bool], tally: &mut Tally) {
        let half_edges = half_edges(&self.triangles, |t| counts[t]);
        let mut fans = DisjointSets::new(3 * self.triangles.len());
        for run in by_edge(&half_edges) {
            let place = Place::Edge(run[0].vertices);
            tally.edges += 1;
            let [first, second] = run[0].corners(&self.triangles);
            for [a, b] in run[1..].iter().map(|half| half.corners(&self.triangles)) {
                fans.join(first, a);
                fans.join(second, b);
            }
            match run {
                [_] => tally.counts.add(Defect::BoundaryEdge, place),
                [a, b] if a.ascends(&self.triangles) == b.ascends(&self.triangles) => {
                    tally.counts.add(Defect::InconsistentOrientation, place);
                }
                [_, _] => {}
                _ => tally.counts.add(Defect::NonManifoldEdge, place),
            }
        }
        tally.triangles = counts.iter().filter(|&&counts| counts).count();
        self.count_fans(fans, counts, tally);
    }

    /// Vertices with several fans; `fans` joins the corners that share an edge.
    fn count_fans(&self, mut fans: DisjointSets, counts: &[bool], tally: &mut Tally) {
        let mut fans_at = vec![0u32; self.positions.len()];
        for (corner, &v) in self.triangles.iter().flatten().enumerate() {
            if counts[corner / 3] && fans.root(corner) == corner {
                fans_at[v as usize] += 1;
            }
        }
        for (v, _) in (0..).zip(&fans_at).filter(|(_, fans)| **fans > 1) {
            tally.counts.add(Defect::PinchedVertex, Place::Vertex(v));
        }
    }

    /// Use, pieces and places of the vertices.
    fn count_vertices(&self, counts: &[bool], tally: &mut Tally) {
        let mut pieces = DisjointSets::new(self.positions.len());
        let mut used = vec![false; self.positions.len()];
        for (&[a, b, c], _) in self.triangles.iter().zip(counts).filter(|(_, counts)| **counts) {
            pieces.join(a as usize, b as usize);
            pieces.join(a as usize, c as usize);
            for v in [a, b, c] {
                used[v as usize] = true;
            }
        }
        let mut second_piece = None;
        for (v, first) in (0..).zip(self.first_at_place()) {
            if first != v {
                tally.counts.add(Defect::CoincidentVertices, Place::Vertices([first, v]));
            }
            if !used[v as usize] {
                tally.counts.add(Defect::IsolatedVertex, Place::Vertex(v));
                continue;
            }
            tally.vertices += 1;
            if pieces.root(v as usize) == v as usize {
                tally.pieces += 1;
                if tally.pieces == 2 {
                    second_piece = Some(v);
                }
            }
        }
        if let Some(v) = second_piece {
            // Each piece counts; the second is named.
            (0..tally.pieces).for_each(|_| tally.counts.add(Defect::SeveralPieces, Place::Vertex(v)));
        }
    }
}

/// The output of the passes.
#[derive(Default)]
struct Tally {
    counts: Counts,
    /// Vertices in use.
    vertices: usize,
    edges: usize,
    /// Triangles that count.
    triangles: usize,
    pieces: usize,
}

impl Tally {
    fn into_defects(self) -> Defects {
        let found = self.counts.found();
        let open = |f: &Found| matches!(f.defect, Defect::BoundaryEdge | Defect::NonManifoldEdge);
        Defects {
            closed: self.triangles > 0 && !found.iter().any(open),
            found,
            edges: self.edges,
            pieces: self.pieces,
            euler: self.vertices as i64 - self.edges as i64 + self.triangles as i64,
        }
    }
}
