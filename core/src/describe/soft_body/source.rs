//! Where a solid's tetrahedra come from.

use super::fill::fill;
use super::lattice::{Lattice, TETS};
use crate::describe::error::{Error, range};
use crate::describe::mesh::{BallsExtent, Mesh};
use crate::describe::tets::TetMesh;
use seidel_kernels::V3;
use std::sync::{Arc, OnceLock};

#[derive(Clone, Debug)]
pub(super) enum Source {
    Mesh(Arc<TetMesh>),
    /// With the tetrahedra and the part of them that is material, once they have been asked for: copies share them.
    Filled {
        surface: Arc<Mesh>,
        cell: f32,
        made: Arc<OnceLock<(TetMesh, f64)>>,
    },
    Bar {
        size: [f32; 3],
        cells: [u32; 3],
    },
    Tube {
        length: f32,
        outer: f32,
        inner: f32,
        cells: [u32; 3],
    },
}

impl Source {
    /// About how many vertices and tetrahedra it makes.
    pub(super) fn count(&self) -> (u64, u64) {
        let cells = match self {
            Source::Mesh(mesh) => return (mesh.positions.len() as u64, mesh.tets.len() as u64),
            Source::Bar { cells, .. } | Source::Tube { cells, .. } => {
                cells.iter().fold(1, |count: u64, &cells| count.saturating_mul(u64::from(cells)))
            }
            Source::Filled { surface, cell, .. } => {
                let (volume, area) = volume_and_area(surface);
                return filled(volume, area, *cell);
            }
        };
        (cells.saturating_mul(2), cells.saturating_mul(TETS as u64))
    }

    /// Cells of the box that is looked through where a surface is filled.
    pub(super) fn box_cells(&self) -> u64 {
        let Source::Filled { surface, cell, .. } = self else { return 0 };
        let side = |k: usize| {
            let of =
                |from: f64, to: fn(f64, f64) -> f64| surface.positions.iter().fold(from, |a, p| to(a, f64::from(p[k])));
            of(f64::NEG_INFINITY, f64::max) - of(f64::INFINITY, f64::min)
        };
        box_cells(std::array::from_fn(side), *cell)
    }

    /// The tetrahedra, not placed, and the part of their volume that has the density and the modulus: of a lattice that
    /// reaches beyond its surface less than all. `of` names the body.
    pub(super) fn mesh(&self, of: &dyn Fn() -> String) -> Result<(TetMesh, f64), Error> {
        let above = |what: &str, value: f32| {
            range(of, || what.to_owned(), f64::from(value), (1e-6..=1e6).contains(&value), "within 1e-6 .. 1e6 m")
        };
        match self {
            Source::Mesh(mesh) => Ok((TetMesh::clone(mesh), 1.0)),
            Source::Filled { surface, cell, made } => {
                if let Some(made) = made.get() {
                    return Ok(made.clone());
                }
                above("cell", *cell)?;
                let filled = fill(&of(), surface, *cell)?;
                Ok(made.get_or_init(|| filled).clone())
            }
            &Source::Bar { size, cells } => {
                size.iter().try_for_each(|&side| above("size", side))?;
                let lattice = Lattice { cells, ring: false };
                lattice.check(of)?;
                let along = |axis: usize, i: u32| (i as f32 / cells[axis] as f32 - 0.5) * size[axis];
                Ok((lattice.mesh(|at| std::array::from_fn(|axis| along(axis, at[axis]))), 1.0))
            }
            &Source::Tube { length, outer, inner, cells } => {
                above("length", length)?;
                above("inner radius", inner)?;
                let thick = outer > inner && outer <= 1e6;
                range(of, || "outer radius".to_owned(), f64::from(outer), thick, "above the inner one, at most 1e6 m")?;
                let lattice = Lattice { cells, ring: true };
                lattice.check(of)?;
                let place = |[i, j, k]: [u32; 3]| {
                    let share = |n: u32, of: u32| f64::from(n) / f64::from(of);
                    let angle = share(k, cells[2]) * std::f64::consts::TAU;
                    let radius = f64::from(inner) + share(j, cells[1]) * f64::from(outer - inner);
                    let x = (share(i, cells[0]) - 0.5) * f64::from(length);
                    [x, radius * libm::cos(angle), radius * libm::sin(angle)].map(|c| c as f32)
                };
                Ok((lattice.mesh(place), 1.0))
            }
        }
    }
}

/// Vertices and tetrahedra of balls that are filled, the vertices of a surface of so wide triangles about them, and the
/// cells of the box that is looked through; told before the surface is made.
pub(super) fn count_balls(balls: &[[f32; 4]], cell: f32, width: f32) -> ([u64; 2], u64, u64) {
    let extent = BallsExtent::of(balls, cell);
    let (vertices, tets) = filled(extent.volume * BallsExtent::SURE, extent.area * BallsExtent::SURE, cell);
    ([vertices, tets], extent.vertices(width), box_cells(extent.sides, cell))
}

/// About how many vertices and tetrahedra cells make of a volume, m^3, within an area, m^2. Of balls of 1 to 15 cells
/// and rows of them 1.15 to 2.1 vertices and 2 to 4.3 tetrahedra were counted for each square of the surface, beside
/// those of the volume.
fn filled(volume: f64, area: f64, cell: f32) -> (u64, u64) {
    let cell = f64::from(cell);
    let (inside, along) = (volume / (cell * cell * cell), area / (cell * cell));
    ((inside + 1.7 * along) as u64, (TETS as f64 * inside + 4.5 * along) as u64)
}

/// Cells of a box, its sides in metres.
fn box_cells(sides: [f64; 3], cell: f32) -> u64 {
    let [x, y, z] = sides.map(|side| (side / f64::from(cell)).ceil().max(0.0) + 1.0);
    (x * y * z) as u64
}

/// The volume that a surface encloses, m^3, and its area, m^2.
fn volume_and_area(surface: &Mesh) -> (f64, f64) {
    let parts = surface.triangles.iter().filter_map(|t| {
        let [a, b, c] =
            [t[0], t[1], t[2]].map(|v| surface.positions.get(v as usize).map(|p| V3::<f64>::set(p.map(f64::from))));
        let (a, b, c) = (a?, b?, c?);
        Some((a.dot(b.cross(c)) / 6.0, (b - a).cross(c - a).length() / 2.0))
    });
    let (volume, area) = parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    (volume.abs(), area)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies of a solid are filled once.
    #[test]
    fn copies_share_what_fills_them() {
        let source = Source::Filled { surface: Arc::new(Mesh::ball(0.5, 2)), cell: 0.3, made: Arc::default() };
        let Source::Filled { made, .. } = source.clone() else { unreachable!("it is filled") };
        let (mesh, part) = source.mesh(&String::new).unwrap();
        assert!(!mesh.tets.is_empty() && made.get() == Some(&(mesh, part)));
    }
}
