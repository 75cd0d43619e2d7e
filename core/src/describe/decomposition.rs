//! How many convex pieces stand in for a shape that is not convex.

use super::error::{Error, range};

/// Limits of a convex decomposition, which is made when a scene is planned.
///
/// A mesh is cut in two, and its pieces are cut again, where they are most hollow. Rigid bodies and colliders meet the
/// hulls; mass and inertia, particles, queries and pictures have the mesh itself. Contacts cost time by pieces and by
/// vertices.
///
/// # Example
/// ```
/// use seidel::Decomposition;
/// let coarse = Decomposition::default().pieces(8).vertices(16);
/// assert_eq!(coarse.concavity, 0.001);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decomposition {
    /// Pieces at most, within 1 .. 256; 32 unless told. 1 is the convex hull.
    pub pieces: u32,
    /// Vertices of a piece at most, within 8 .. 98; 98 unless told.
    pub vertices: u32,
    /// A piece is cut if its hull holds more that is not the piece's than this share of the volume of the mesh's hull,
    /// within 0 .. 1; 0.001 unless told.
    pub concavity: f64,
}

impl Default for Decomposition {
    fn default() -> Decomposition {
        Decomposition { pieces: 32, vertices: MOST_VERTICES, concavity: 0.001 }
    }
}

/// Limits of [`Decomposition::pieces`] and [`Decomposition::vertices`].
const MOST_PIECES: u32 = 256;
const LEAST_VERTICES: u32 = 8;
pub(crate) const MOST_VERTICES: u32 = 98;

impl Decomposition {
    /// With so many pieces at most.
    #[must_use]
    pub fn pieces(mut self, most: u32) -> Decomposition {
        self.pieces = most;
        self
    }

    /// With so many vertices of a piece at most.
    #[must_use]
    pub fn vertices(mut self, most: u32) -> Decomposition {
        self.vertices = most;
        self
    }

    /// Cut until no piece is more hollow than this share.
    #[must_use]
    pub fn concavity(mut self, share: f64) -> Decomposition {
        self.concavity = share;
        self
    }

    pub(super) fn check(&self, of: &dyn Fn() -> String) -> Result<(), Error> {
        let Decomposition { pieces, vertices, concavity } = *self;
        let good = (1..=MOST_PIECES).contains(&pieces);
        range(of, || "pieces".to_owned(), f64::from(pieces), good, "within 1 .. 256")?;
        let good = (LEAST_VERTICES..=MOST_VERTICES).contains(&vertices);
        range(of, || "vertices of a piece".to_owned(), f64::from(vertices), good, "within 8 .. 98")?;
        range(of, || "concavity of a piece".to_owned(), concavity, (0.0..=1.0).contains(&concavity), "within 0 .. 1")
    }
}
