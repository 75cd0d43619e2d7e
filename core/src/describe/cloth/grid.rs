//! Rectangular grid of vertices, row by row: its triangles, its springs, and the parts of it that have names. Of a
//! tube, the first row follows the last.
//!
//! ```text
//!   grid, row by row       + --- + --- +     structural: along rows and columns
//!                          | \ / | \ / |     shear: both diagonals, also the one that no triangle has
//!                          | / \ | / \ |     bend: over each inner edge of the triangles, which lie on one diagonal
//!                          + --- + --- +
//! ```

use crate::describe::error::{Error, range};
use crate::describe::mesh::Mesh;
use crate::tuning::MAX_PARTICLES;
use serde::{Deserialize, Serialize};

/// Vertices along x and z, or around a tube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) columns: u32,
    pub(super) rows: u32,
    pub(super) closed: bool,
}

/// Parts of a grid that can be pinned by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GridPins {
    /// The four corners: the ends of the first and of the last row, which on a tube lie side by side.
    Corners,
    /// The two corners of the first row; on a tube its ends.
    FirstRowCorners,
    /// All vertices with the smallest z; of a tube, with the largest y.
    FirstRow,
    /// All vertices with the largest z; of a tube, those before the first row.
    LastRow,
    /// All vertices with the smallest x.
    FirstColumn,
    /// All vertices with the largest x.
    LastColumn,
    /// The four corners of the cell in the middle.
    Middle,
}

impl Grid {
    /// In the plane y = 0 about the origin, or about the axis x; none of fewer than 2 x 2 vertices, of a tube 2 x 3.
    pub(super) fn mesh(self, size: [f32; 2]) -> Mesh {
        let Grid { columns, rows, closed } = self;
        let mut mesh = Mesh::default();
        // A count beyond the limit is refused when planned; here it must not fill the memory.
        let drawn = u64::from(columns) * u64::from(rows) <= u64::from(MAX_PARTICLES);
        if columns >= 2 && rows >= self.least_rows() && drawn {
            let along = |i: u32, n: u32, size: f32| (i as f32 / (n - 1) as f32 - 0.5) * size;
            // Of the circle on which the corners of so many edges lie that are the girth together.
            let radius =
                f64::from(size[1]) / (2.0 * f64::from(rows) * libm::sin(std::f64::consts::PI / f64::from(rows)));
            for j in 0..rows {
                let angle = f64::from(j) / f64::from(rows) * std::f64::consts::TAU;
                let [y, z] = match closed {
                    true => [radius * libm::cos(angle), radius * libm::sin(angle)].map(|c| c as f32),
                    false => [0.0, along(j, rows, size[1])],
                };
                for i in 0..columns {
                    mesh.positions.push([along(i, columns, size[0]), y, z]);
                }
            }
            let at = |i: u32, j: u32| j % rows * columns + i;
            for j in 0..self.steps(1) {
                for i in 0..columns - 1 {
                    mesh.triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
                    mesh.triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
                }
            }
        }
        mesh
    }

    /// Rows without which it has no triangle.
    fn least_rows(self) -> u32 {
        if self.closed { 3 } else { 2 }
    }

    /// Rows from which one goes so many rows on.
    fn steps(self, on: u32) -> u32 {
        if self.closed { self.rows } else { self.rows - on }
    }

    /// Whether it can be drawn at all; `of` names its body.
    pub(super) fn check(self, of: impl Fn() -> String) -> Result<(), Error> {
        let Grid { columns, rows, closed } = self;
        range(&of, || "columns of the grid".to_owned(), f64::from(columns), columns >= 2, "2 or more")?;
        range(
            &of,
            || "rows of the grid".to_owned(),
            f64::from(rows),
            rows >= self.least_rows(),
            if closed { "3 or more, of a tube" } else { "2 or more" },
        )?;
        let got = (columns as usize).saturating_mul(rows as usize);
        if got > MAX_PARTICLES as usize {
            return Err(Error::TooLarge { got, limit: MAX_PARTICLES as usize });
        }
        Ok(())
    }

    /// The vertices of a part.
    pub(super) fn part(self, part: GridPins) -> Vec<u32> {
        let Grid { columns, rows, .. } = self;
        let last = (rows - 1) * columns;
        match part {
            GridPins::Corners => vec![0, columns - 1, last, last + columns - 1],
            GridPins::FirstRowCorners => vec![0, columns - 1],
            GridPins::FirstRow => (0..columns).collect(),
            GridPins::LastRow => (last..last + columns).collect(),
            GridPins::FirstColumn => (0..rows).map(|j| j * columns).collect(),
            GridPins::Middle => {
                let first = (rows - 1) / 2 * columns + (columns - 1) / 2;
                vec![first, first + 1, first + columns, first + columns + 1]
            }
            GridPins::LastColumn => (0..rows).map(|j| j * columns + columns - 1).collect(),
        }
    }

    /// Edges along x, then z; then both diagonals. Rows of one direction share few particles, so they need few colors,
    /// or waves.
    pub(super) fn springs(self) -> (Vec<[u32; 2]>, Vec<[u32; 2]>) {
        let Grid { columns, rows, .. } = self;
        let at = |i: u32, j: u32| j % rows * columns + i;
        let family = |di: u32, dj: u32, spring: &dyn Fn(u32, u32) -> [u32; 2]| {
            let cells = (0..self.steps(dj)).flat_map(|j| (0..columns - di).map(move |i| (i, j)));
            cells.map(|(i, j)| spring(i, j)).collect::<Vec<_>>()
        };
        let edges = [family(1, 0, &|i, j| [at(i, j), at(i + 1, j)]), family(0, 1, &|i, j| [at(i, j), at(i, j + 1)])];
        let diagonals =
            [family(1, 1, &|i, j| [at(i, j), at(i + 1, j + 1)]), family(1, 1, &|i, j| [at(i + 1, j), at(i, j + 1)])];
        (edges.concat(), diagonals.concat())
    }

    /// Hinges [hinge, hinge, wing, wing], and whether over a side of a cell: two over each that has a cell on both
    /// sides, with the wings of the one diagonal and of the other; then one over each diagonal of the triangles.
    pub(super) fn hinges(self) -> Vec<([u32; 4], bool)> {
        let Grid { columns, rows, closed } = self;
        let at = |i: u32, j: u32| j % rows * columns + i;
        let mut hinges = Vec::new();
        for wings in [[0, 1], [1, 0]] {
            let [near, far] = wings;
            for j in if closed { 0..rows } else { 1..rows - 1 } {
                let before = j + rows - 1;
                for i in 0..columns - 1 {
                    hinges.push(([at(i, j), at(i + 1, j), at(i + near, j + 1), at(i + far, before)], true));
                }
            }
        }
        for wings in [[0, 1], [1, 0]] {
            let [near, far] = wings;
            for j in 0..self.steps(1) {
                for i in 1..columns - 1 {
                    hinges.push(([at(i, j), at(i, j + 1), at(i + 1, j + near), at(i - 1, j + far)], true));
                }
            }
        }
        for j in 0..self.steps(1) {
            for i in 0..columns - 1 {
                hinges.push(([at(i, j + 1), at(i + 1, j), at(i, j), at(i + 1, j + 1)], false));
            }
        }
        hinges
    }
}
