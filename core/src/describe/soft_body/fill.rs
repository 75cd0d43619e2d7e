//! Tetrahedra in a closed surface: those of a regular lattice, six a cell, that it reaches into, and what sticks out
//! drawn in to the
//! surface as far as the tetrahedra allow.
//!
//! Any closed surface is filled: walls thinner than a cell are one cell thick, and pieces may overlap. The surface
//! itself is no border of the lattice; it goes with it ([`crate::render::Embedding`]).

use super::lattice::{TETS, along};
use crate::describe::collider::{Grid, bounds};
use crate::describe::error::{Error, advised, range};
use crate::describe::mesh::{Closed, Mesh};
use crate::describe::tets::TetMesh;
use crate::geometry::nearest::{Nearest, Tree};
use crate::geometry::vector::{P, cross, dot, sub};
use crate::tuning::{FILL_PASSES, MAX_FILL_NODES, MIN_FILL_SHARE};

/// The parts of the way to the surface that are tried.
const WAYS: [f64; 4] = [1.0, 0.75, 0.5, 0.25];

/// A tetrahedron is reached if the surface comes so far into it, of its size: one whose side it only touches is not.
const TOUCH: f64 = 1e-5;

/// So far, and it is kept: one that has only a corner in the solid would stick out.
const DEEP: f64 = 0.25;

/// Stands for a lattice point that is no vertex.
const NONE: u32 = u32::MAX;

/// Fills a surface with cells of a width; also tells the surface's volume, as a part of the tetrahedra's.
pub(super) fn fill(of: &str, surface: &Mesh, cell: f32) -> Result<(TetMesh, f64), Error> {
    let closed = surface.closed(of)?;
    let volume = volume(&closed).abs();
    let lattice = CellBox::about(of, &closed, cell)?;
    let kept = lattice.reached(&closed);
    let mut mesh = lattice.tets(&kept);
    if mesh.tets.is_empty() {
        let what = || "volume".to_owned();
        range(|| of.to_owned(), what, volume, false, "above 0 m^3: there is nothing to fill")?;
    }
    draw_in(&mut mesh, surface, f64::from(cell));
    let filled: f64 = mesh.volumes().iter().sum();
    let part = volume / filled;
    range(|| of.to_owned(), || "volume within the surface".to_owned(), volume, part > 1e-6, "above 1e-6 of its cells")?;
    Ok((mesh, part))
}

fn volume(closed: &Closed) -> f64 {
    let origin = closed.triangles[0][0];
    let six = |[a, b, c]: &[P; 3]| dot(sub(*a, origin), cross(sub(*b, *a), sub(*c, *a)));
    closed.triangles.iter().map(six).sum::<f64>() / 6.0
}

/// A box of cells.
struct CellBox {
    count: [usize; 3],
    low: P,
    cell: f64,
}

impl CellBox {
    /// As few as hold the surface, in its middle.
    fn about(of: &str, closed: &Closed, cell: f32) -> Result<CellBox, Error> {
        let (low, high) = bounds(closed);
        let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        if f64::from(cell) * (1.0 - TOUCH) > extent {
            // Two cells across and more.
            return Err(Error::TooCoarse { of: of.to_owned(), cell, most: (0.5 * extent) as f32 });
        }
        let sides_of = |cell: f32| -> [f64; 3] {
            std::array::from_fn(|k| ((high[k] - low[k]) / f64::from(cell) - TOUCH).ceil().max(1.0))
        };
        let nodes_of = |cell: f32| {
            let sides = sides_of(cell);
            ((sides[0] + 1.0) * (sides[1] + 1.0)) * (sides[2] + 1.0)
        };
        let (nodes, limit) = (nodes_of(cell), MAX_FILL_NODES);
        if nodes > limit as f64 {
            let about = f64::from(cell) * libm::cbrt(nodes / limit as f64);
            let least = advised(about, |cell| nodes_of(cell) <= limit as f64);
            return Err(Error::TooFine { of: of.to_owned(), cell, nodes: nodes as u64, limit, least });
        }
        let (sides, cell) = (sides_of(cell), f64::from(cell));
        let low = std::array::from_fn(|k| 0.5 * (low[k] + high[k]) - 0.5 * sides[k] * cell);
        Ok(CellBox { count: sides.map(|side| side as usize), low, cell })
    }

    /// A cell's number.
    fn at(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.count[1] + j) * self.count[0] + i
    }

    /// A corner of cells, or with halves a cell's middle.
    fn place(&self, at: [f64; 3]) -> P {
        std::array::from_fn(|k| self.low[k] + at[k] * self.cell)
    }

    /// Whether each tetrahedron of each way through a cell is in the solid: its middle is, or the surface comes into
    /// it.
    fn reached(&self, closed: &Closed) -> [Vec<bool>; TETS] {
        let mut reached = std::array::from_fn(|way| {
            let corners = along(way, |step| step.map(f64::from));
            let middle = std::array::from_fn(|k| corners.iter().map(|corner| corner[k]).sum::<f64>() / 4.0);
            let (nodes, low) = (self.count.map(|n| n as u32), self.place(middle).map(|c| c as f32));
            let grid = Grid { nodes, low, cell: self.cell as f32 };
            grid.winding(closed).iter().map(|&turns| turns != 0).collect::<Vec<bool>>()
        });
        let mut touched = Vec::new();
        for t in &closed.triangles {
            self.each_touched(t, |way, cell, deep| reached[way][cell] |= deep, &mut touched);
        }
        // A thin part between the cores of tetrahedra, such as a plate in a lattice plane, counts for every tetrahedron
        // that it touches.
        for t in &closed.triangles {
            self.each_touched(t, |_, _, _| (), &mut touched);
            if !touched.iter().any(|&(way, cell)| reached[way][cell]) {
                touched.iter().for_each(|&(way, cell)| reached[way][cell] = true);
            }
        }
        reached
    }

    /// Visits the tetrahedra that a triangle touches (way, cell), and says whether it comes deep into each; `touched`
    /// lists them.
    fn each_touched(
        &self,
        t: &[P; 3],
        mut batch_range: impl FnMut(usize, usize, bool),
        touched: &mut Vec<(usize, usize)>,
    ) {
        touched.clear();
        let range = |k: usize| {
            let (least, most) = (t[0][k].min(t[1][k]).min(t[2][k]), t[0][k].max(t[1][k]).max(t[2][k]));
            let of = |x: f64| (((x - self.low[k]) / self.cell).floor().max(0.0) as usize).min(self.count[k] - 1);
            of(least)..=of(most)
        };
        for k in range(2) {
            for j in range(1) {
                for i in range(0) {
                    let (cell, place) = (self.at([i, j, k]), [i, j, k].map(|n| n as f64));
                    for way in (0..TETS).filter(|&way| overlap(t, &self.tet(way, place, TOUCH))) {
                        touched.push((way, cell));
                        batch_range(way, cell, overlap(t, &self.tet(way, place, DEEP)));
                    }
                }
            }
        }
    }

    /// The corners of a cell's tetrahedron, drawn together by a part.
    fn tet(&self, way: usize, cell: [f64; 3], part: f64) -> [P; 4] {
        let corners = along(way, |step| self.place(std::array::from_fn(|k| cell[k] + f64::from(step[k]))));
        let middle: P = std::array::from_fn(|k| corners.iter().map(|corner| corner[k]).sum::<f64>() / 4.0);
        corners.map(|corner| std::array::from_fn(|k| corner[k] + part * (middle[k] - corner[k])))
    }

    /// The tetrahedra that are kept, all of one way through a cell after another, so that rows are solved way by way.
    fn tets(&self, kept: &[Vec<bool>; TETS]) -> TetMesh {
        let [nx, ny, nz] = self.count;
        let cells: Vec<[usize; 3]> =
            (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k]))).collect();
        let corner = |[i, j, k]: [usize; 3], step: [u32; 3]| {
            let [a, b, c] = step.map(|n| n as usize);
            ((i + a) * (ny + 1) + j + b) * (nz + 1) + k + c
        };
        let mut tets = Vec::new();
        for (way, kept) in kept.iter().enumerate() {
            let here = cells.iter().filter(|&&cell| kept[self.at(cell)]);
            tets.extend(here.map(|&cell| along(way, |step| corner(cell, step) as u32)));
        }
        // Corners that are used, in the order of the lattice.
        let mut vertex = vec![NONE; (nx + 1) * (ny + 1) * (nz + 1)];
        tets.as_flattened().iter().for_each(|&v| vertex[v as usize] = 0);
        let mut positions = Vec::new();
        for (at, vertex) in vertex.iter_mut().enumerate().filter(|(_, vertex)| **vertex != NONE) {
            *vertex = positions.len() as u32;
            let place = [at / ((ny + 1) * (nz + 1)), at / (nz + 1) % (ny + 1), at % (nz + 1)];
            positions.push(self.place(place.map(|n| n as f64)).map(|c| c as f32));
        }
        tets.as_flattened_mut().iter_mut().for_each(|v| *v = vertex[*v as usize]);
        TetMesh { positions, tets }
    }
}

/// Whether a triangle and a tetrahedron overlap: no plane along a side of one of them, or along an edge of each, has
/// one on either side (Gottschalk, Lin, Manocha 1996, theorem 1).
fn overlap(t: &[P; 3], tet: &[P; 4]) -> bool {
    let part = |axis: P| {
        let (a, b) = (t.map(|x| dot(sub(x, tet[0]), axis)), tet.map(|x| dot(sub(x, tet[0]), axis)));
        let low = |along: &[f64]| along.iter().copied().fold(f64::INFINITY, f64::min);
        let high = |along: &[f64]| along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        low(&a) > high(&b) || low(&b) > high(&a)
    };
    let edge = |&[i, j]: &[usize; 2]| sub(tet[j], tet[i]);
    let [ab, ac, ad, bc, bd, cd] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|ends| edge(&ends));
    let sides = [cross(ab, ac), cross(ab, ad), cross(ac, ad), cross(bc, bd)];
    let edges = [sub(t[1], t[0]), sub(t[2], t[1]), sub(t[0], t[2])];
    let across = || [ab, ac, ad, bc, bd, cd].iter().any(|&e| edges.iter().any(|&f| part(cross(e, f))));
    !(sides.into_iter().any(part) || part(cross(edges[0], edges[1])) || across())
}

/// Moves the lattice's outer vertices to the surface, one after another, as far as no tetrahedron becomes too small.
fn draw_in(mesh: &mut TetMesh, surface: &Mesh, cell: f64) {
    let mut outer = mesh.surface().concat();
    outer.sort_unstable();
    outer.dedup();
    let mut around: Vec<(u32, u32)> = Vec::new();
    for (t, tet) in mesh.tets.iter().enumerate() {
        around.extend(tet.iter().filter(|v| outer.binary_search(v).is_ok()).map(|&v| (v, t as u32)));
    }
    around.sort_unstable();
    let all = (0..surface.triangles.len() as u32).collect();
    let tree = Tree::new((&surface.positions[..], &surface.triangles[..]), all);
    let targets: Vec<P> = outer
        .iter()
        .map(|&v| {
            let x = mesh.positions[v as usize].map(f64::from);
            let Nearest { triangle: t, shares, .. } = tree.nearest(x).expect("a closed surface has triangles");
            let [a, b, c] = surface.triangles[t as usize].map(|v| surface.positions[v as usize].map(f64::from));
            std::array::from_fn(|k| (a[k] * shares[0] + b[k] * shares[1]) + c[k] * shares[2])
        })
        .collect();
    let least = MIN_FILL_SHARE * cell * cell * cell;
    for _ in 0..FILL_PASSES {
        for (&v, target) in outer.iter().zip(&targets) {
            let from = mesh.positions[v as usize];
            let first = around.partition_point(|(of, _)| *of < v);
            let of_vertex = || around[first..].iter().take_while(move |(of, _)| *of == v);
            for way in WAYS {
                let start = from.map(f64::from);
                let to: P = std::array::from_fn(|k| start[k] + way * (target[k] - start[k]));
                mesh.positions[v as usize] = to.map(|c| c as f32);
                if of_vertex().all(|&(_, t)| six_volumes(mesh, t) >= least) {
                    break;
                }
                mesh.positions[v as usize] = from;
            }
        }
    }
}

fn six_volumes(mesh: &TetMesh, t: u32) -> f64 {
    let [a, b, c, d] = mesh.tets[t as usize].map(|v| mesh.positions[v as usize].map(f64::from));
    dot(sub(d, a), cross(sub(b, a), sub(c, a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(surface: &Mesh, cell: f32) -> (TetMesh, f64) {
        let (mesh, part) = fill("it", surface, cell).unwrap();
        let defects = mesh.defects();
        assert!(defects.errors().next().is_none(), "{:?}", defects.errors().collect::<Vec<_>>());
        let least = MIN_FILL_SHARE * f64::from(cell).powi(3) / 6.0;
        assert!(mesh.volumes().iter().all(|v| *v > 0.99 * least));
        (mesh, part)
    }

    /// Cells that fit a box fill it exactly, and none beside it.
    #[test]
    fn a_box_of_whole_cells_is_filled_exactly() {
        let (mesh, part) = checked(&Mesh::cuboid([0.5, 0.25, 0.75], [1; 3]), 0.25);
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (5 * 3 * 7, 4 * 2 * 6 * 6));
        assert!((part - 1.0).abs() < 1e-6);
    }

    /// A ball's lattice is drawn in to within a part of a cell.
    #[test]
    fn a_ball_is_filled_to_its_surface() {
        let ball = Mesh::ball(1.0, 4);
        for cell in [0.5, 0.2, 0.13] {
            let (mesh, part) = checked(&ball, cell);
            let outer = mesh.surface().concat();
            let radius = |v: &u32| {
                f64::sqrt(dot(mesh.positions[*v as usize].map(f64::from), mesh.positions[*v as usize].map(f64::from)))
            };
            let most = outer.iter().map(radius).fold(0.0, f64::max);
            let mean = outer.iter().map(radius).sum::<f64>() / outer.len() as f64;
            println!("cell {cell}: {} tetrahedra, most {most:.3}, mean {mean:.3}, part {part:.3}", mesh.tets.len());
            assert!(most < 1.0 + 0.7 * f64::from(cell) && mean < 1.0 + 0.1 * f64::from(cell));
        }
    }

    /// A part thinner than a cell becomes one cell thick; it stays in one piece and keeps its mass.
    #[test]
    fn a_thin_plate_is_filled() {
        let plate = Mesh::cuboid([1.0, 0.01, 1.0], [8, 1, 8]);
        let (mesh, part) = checked(&plate, 0.25);
        assert_eq!(mesh.tets.len(), 8 * 8 * 6, "the plate cuts all that a cell is cut into");
        let volume: f64 = mesh.volumes().iter().sum();
        assert!((volume * part / (4.0 * 0.02) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn what_cannot_be_filled_is_refused() {
        let mut open = Mesh::ball(1.0, 1);
        open.triangles.pop();
        assert!(fill("it", &open, 0.1).unwrap_err().to_string().starts_with("it: the mesh is not closed"));
        let closed = Mesh::ball(1.0, 1).closed("it").unwrap();
        for cell in [1e-30, 1e-4, 1e-3, 3e-3] {
            let error = CellBox::about("it", &closed, cell).err().expect("too many nodes");
            assert!(error.to_string().contains(&format!("cells of {cell} m")), "{error}");
            assert_eq!(error.to_string().contains("make too many nodes"), cell == 1e-30, "{error}");
            let Error::TooFine { least, .. } = error else { panic!("{error}") };
            assert!(least < 0.02 && CellBox::about("it", &closed, least).is_ok(), "{least}");
        }
    }
}
