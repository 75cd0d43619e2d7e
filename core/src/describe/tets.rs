//! Meshes of tetrahedra, as plain arrays.

mod count;
mod faces;
mod repair;
mod shape;

pub use super::defects::tets::{Defect, Defects, Found, Place};
use crate::describe::error::Error;
use faces::{by_face, sides};
pub use repair::Repairs;
use shape::has_distinct_corners;
use std::sync::Arc;

/// A mesh of tetrahedra in memory: what a reader returns and a recipe takes.
///
/// `positions`: n points in metres; `tets`: m corners [x0, x1, x2, x3], indices into `positions`, so that
/// (x1 - x0) x (x2 - x0) . (x3 - x0) > 0.
///
/// ```text
///        x3
///       /|\
///      / | \       seen from x3, x0 -> x1 -> x2 is counter-clockwise
///    x0--|--x2
///      \ | /
///       x1
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions, metres.
    pub positions: Vec<[f32; 3]>,
    /// Corner indices, four a tetrahedron.
    pub tets: Vec<[u32; 4]>,
}

/// The four sides of a tetrahedron, counter-clockwise seen from outside, by the corner that each leaves out.
pub(crate) fn tet_faces(tet: &[u32; 4]) -> [[u32; 3]; 4] {
    [0, 1, 2, 3].map(|corner| faces::face(*tet, corner))
}

/// A copy that recipes share. (A mesh that is moved into a recipe is not copied.)
impl From<&TetMesh> for Arc<TetMesh> {
    fn from(mesh: &TetMesh) -> Arc<TetMesh> {
        Arc::new(mesh.clone())
    }
}

impl TetMesh {
    /// `Ok` if a body can be made of it: [`TetMesh::defects`] finds no error.
    ///
    /// # Errors
    /// [`Error::TetMesh`] with the worst kind of defect, its first offender, and how many other kinds there are.
    ///
    /// # Example
    /// ```
    /// let mut one = seidel::TetMesh {
    ///     positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ///     tets: vec![[0, 1, 2, 3]],
    /// };
    /// assert!(one.check().is_ok());
    /// one.tets[0] = [1, 0, 2, 3];
    /// let error = one.check().unwrap_err().to_string();
    /// assert!(error.starts_with("tetrahedral mesh: inverted tetrahedron: 1, first: tetrahedron 0"));
    /// assert_eq!(one.repaired().0.tets, [[1, 0, 3, 2]]);
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        self.sound("tetrahedral mesh")
    }

    /// As `check`; `of` names the mesh in an error.
    pub(crate) fn sound(&self, of: &str) -> Result<(), Error> {
        let defects = self.defects();
        let mut errors = defects.errors();
        match errors.next() {
            None => Ok(()),
            Some(&found) => Err(Error::TetMesh { of: of.to_owned(), found: Box::new(found), more: errors.count() }),
        }
    }

    /// The faces that one tetrahedron has and no other, as triangles between the same vertices, counter-clockwise seen
    /// from outside of a tetrahedron that is not inverted. They stand in the order of the tetrahedra, and in one of
    /// these in that of the corners that they leave out. Two sorts: n log n.
    ///
    /// A tetrahedron with an index out of range or a repeated corner has no faces; all others have four, duplicates
    /// too.
    ///
    /// # Example
    /// ```
    /// let one = seidel::TetMesh { positions: vec![[0.0; 3]; 4], tets: vec![[0, 1, 2, 3]] };
    /// assert_eq!(one.surface(), [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]);
    /// ```
    #[must_use]
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let sides = sides(&self.tets, |t| self.has_faces(t));
        let mut alone: Vec<_> =
            by_face(&sides).filter(|run| run.len() == 1).map(|run| (run[0].tet, run[0].corner)).collect();
        alone.sort_unstable();
        alone.into_iter().map(|(t, corner)| faces::face(self.tets[t as usize], corner)).collect()
    }

    /// The edges, each once, its vertices ascending, in ascending order. One sort: n log n.
    ///
    /// A tetrahedron with an index out of range or a repeated corner has no edges.
    #[must_use]
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let sound = self.tets.iter().enumerate().filter(|(t, _)| self.has_faces(*t));
        let of = |&[a, b, c, d]: &[u32; 4]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
        let mut edges: Vec<[u32; 2]> = sound.flat_map(|(_, tet)| of(tet)).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The volume of each tetrahedron, m^3: negative of one that is inverted, NaN of one with an index out of range.
    #[must_use]
    pub fn volumes(&self) -> Vec<f64> {
        self.tets.iter().map(|&tet| shape::corners(tet, &self.positions).map_or(f64::NAN, shape::volume)).collect()
    }

    /// How near each tetrahedron is to a regular one: 6 sqrt(2) V / l^3 with the root mean square l of its edges. 1 is
    /// regular, 0 flat, negative inverted; NaN of one with an index out of range or without extent.
    ///
    /// # Source
    /// Parthasarathy, Graichen, Hathaway 1994, "A comparison of tetrahedron quality measures": the inverse of their
    /// gamma, scaled.
    #[must_use]
    pub fn qualities(&self) -> Vec<f64> {
        self.tets.iter().map(|&tet| shape::corners(tet, &self.positions).map_or(f64::NAN, shape::quality)).collect()
    }

    /// Whether there are more vertices or tetrahedra than ids; one value stays free.
    fn is_too_large(&self) -> bool {
        self.positions.len().max(self.tets.len()) >= u32::MAX as usize
    }

    /// Whether tetrahedron `t` has four distinct corners, all in range.
    fn has_faces(&self, t: usize) -> bool {
        let tet = self.tets[t];
        has_distinct_corners(tet) && tet.iter().all(|&v| (v as usize) < self.positions.len())
    }
}
