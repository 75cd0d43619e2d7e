//! The search: every kind in one pass over the array that shows it.

use super::faces::{by_face, sides};
use super::shape::{duplicates, fault, is_finite};
use super::{Defect, Defects, Place, TetMesh};
use crate::describe::defects::tets::Counts;
use crate::tuning::MAX_COORDINATE;

impl TetMesh {
    /// Finds all defects. Any content is allowed; n log n time, and memory in proportion to the mesh.
    ///
    /// # Example
    /// ```
    /// use seidel::TetMesh;
    /// use seidel::tets::{Defect, Place};
    /// let mesh = TetMesh {
    ///     positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
    ///     tets: vec![[0, 1, 2, 3], [0, 1, 4, 2]],
    /// };
    /// let defects = mesh.defects();
    /// let flat = defects.errors().next().unwrap();
    /// assert_eq!((flat.defect, flat.first), (Defect::Flat, Place::Tet(1)));
    /// assert_eq!((defects.faces, defects.surface), (7, 6));
    /// ```
    #[must_use]
    pub fn defects(&self) -> Defects {
        let Self { positions, tets } = self;
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
        let faults: Vec<Option<Defect>> = tets.iter().map(|&tet| fault(tet, positions)).collect();
        for (t, fault) in (0..).zip(&faults) {
            // A tetrahedron at a vertex that is not finite is that vertex's fault, which is counted already.
            if let Some(defect) = fault.filter(|&d| d != Defect::NonFinite) {
                tally.counts.add(defect, Place::Tet(t));
            }
        }
        let mut counts: Vec<bool> = (0..tets.len()).map(|t| self.has_faces(t)).collect();
        for pair in duplicates(tets, |t| counts[t]) {
            tally.counts.add(Defect::Duplicate, Place::Tets(pair));
            counts[pair[1] as usize] = false;
        }
        let sides = sides(tets, |t| counts[t]);
        for run in by_face(&sides) {
            tally.faces += 1;
            match run {
                [_] => tally.surface += 1,
                [a, b] => {
                    let has_side = |t: u32| faults[t as usize].is_none();
                    if has_side(a.tet) && has_side(b.tet) && a.ascends(tets) == b.ascends(tets) {
                        tally.counts.add(Defect::FoldedFace, Place::Face(a.vertices));
                    }
                }
                more => tally.counts.add(Defect::CrowdedFace, Place::Face(more[0].vertices)),
            }
        }
        let mut used = vec![false; positions.len()];
        for (tet, _) in tets.iter().zip(&counts).filter(|(_, counts)| **counts) {
            for &v in tet {
                used[v as usize] = true;
            }
        }
        for (v, _) in (0..).zip(&used).filter(|(_, used)| !**used) {
            tally.counts.add(Defect::UnusedVertex, Place::Vertex(v));
        }
        tally.into_defects()
    }
}

/// The output of the passes.
#[derive(Default)]
struct Tally {
    counts: Counts,
    faces: usize,
    surface: usize,
}

impl Tally {
    fn into_defects(self) -> Defects {
        let found = self.counts.found();
        Defects { found, faces: self.faces, surface: self.surface }
    }
}
