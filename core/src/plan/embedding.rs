//! A surface that goes with the tetrahedra in which it lies.
//!
//! ```text
//!   y = b0 x0 + b1 x1 + b2 x2 + b3 x3,  b0 + b1 + b2 + b3 = 1: barycentric coordinates in a tetrahedron at rest
//! ```
//! A point outside of all of them is bound to the one behind the nearest triangle of their surface, with coordinates
//! beyond 0 .. 1.

use crate::describe::error::Error;
use crate::describe::mesh::Mesh;
use crate::describe::positions::{check_positions, plain, plain_mut};
use crate::describe::tets::TetMesh;
use crate::geometry::nearest::Tree;
use crate::geometry::vector::{P, cross, dot, sub};
use glam::Vec3;

/// A coordinate so little below 0 is inside: a point on a face will do for both of its tetrahedra.
const INSIDE: f64 = -1e-6;

/// Pairs of cells and tetrahedra, 8 bytes each, for each tetrahedron on average; but some millions of bytes are always
/// there.
const PAIRS_A_TET: usize = 64;
const LEAST_PAIRS: usize = 1 << 20;

/// Points of a mesh bound to tetrahedra: a fine surface in a coarse solid.
///
/// # Example
/// ```
/// use seidel::{SoftBody, Mesh, render::Embedding, glam::Vec3};
/// let (solid, ball) = (SoftBody::filled(&Mesh::ball(1.0, 3), 0.5), Mesh::ball(1.0, 3));
/// let solid = solid.mesh()?;
/// let embedding = Embedding::bind(&solid, &ball)?;
/// let stretched: Vec<Vec3> = solid.positions.iter().map(|p| Vec3::from(*p) * Vec3::new(2.0, 1.0, 1.0)).collect();
/// let mut surface = vec![Vec3::ZERO; ball.positions.len()];
/// embedding.update(&stretched, &mut surface);
/// assert!(surface.iter().zip(&ball.positions).all(|(y, x)| (y.x - 2.0 * x[0]).abs() < 1e-5));
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    mesh: Mesh,
    bonds: Vec<Bond>,
    vertices: usize,
}

/// A point in a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bond {
    pub(crate) corners: [u32; 4],
    /// Of corners 1 to 3; corner 0 has the rest.
    pub(crate) shares: [f32; 3],
}

impl Embedding {
    /// Binds a mesh to tetrahedra, both at rest.
    ///
    /// # Errors
    /// If the tetrahedra have defects ([`TetMesh::check`]) or there are none, or a position of the mesh is not
    /// within +-1e6 m.
    pub fn bind(solid: &TetMesh, mesh: &Mesh) -> Result<Embedding, Error> {
        Embedding::of("embedded mesh", solid, mesh)
    }

    /// As [`Embedding::bind`]; `of` names it in an error.
    pub(crate) fn of(of: &str, solid: &TetMesh, mesh: &Mesh) -> Result<Embedding, Error> {
        Embedding::with(of, solid, mesh, &[]).map(|(embedding, _)| embedding)
    }

    /// The same, and how more points at rest are bound.
    pub(crate) fn with(
        of: &str,
        solid: &TetMesh,
        mesh: &Mesh,
        more: &[[f32; 3]],
    ) -> Result<(Embedding, Vec<Bond>), Error> {
        solid.sound(of)?;
        check_positions(of, &mesh.positions)?;
        if let Some(&index) = mesh.triangles.as_flattened().iter().find(|&&v| v as usize >= mesh.positions.len()) {
            let (of, count) = (of.to_owned(), mesh.positions.len());
            return Err(Error::Missing { of, what: "vertex", index: index as usize, count });
        }
        let surface = solid.surface();
        if surface.is_empty() {
            return Err(Error::Missing { of: of.to_owned(), what: "tetrahedron", index: 0, count: 0 });
        }
        let found = Buckets::new(solid);
        let tree = Tree::new((&solid.positions[..], &surface[..]), (0..surface.len() as u32).collect());
        let mut faces: Vec<([u32; 3], u32)> = Vec::new();
        for (t, &[a, b, c, d]) in (0..).zip(&solid.tets) {
            faces.extend([[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|face| (sorted(face), t)));
        }
        faces.sort_unstable();
        let bond = |point: &[f32; 3]| {
            let x = point.map(f64::from);
            let tet = found.tet(solid, x).unwrap_or_else(|| {
                let near = tree.nearest(x).expect("the surface is not empty");
                let face = sorted(surface[near.triangle as usize]);
                faces[faces.partition_point(|(other, _)| *other < face)].1
            });
            let [_, b1, b2, b3] = barycentric(solid, tet, x);
            Bond { corners: solid.tets[tet as usize], shares: [b1, b2, b3].map(|b| b as f32) }
        };
        let bonds = mesh.positions.iter().map(bond).collect();
        let embedding = Embedding { mesh: mesh.clone(), bonds, vertices: solid.positions.len() };
        Ok((embedding, more.iter().map(bond).collect()))
    }

    /// The mesh that is bound, at rest.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Of each of the mesh's vertices the corners of the tetrahedron that carries it, and its barycentric coordinates
    /// there: it is where the corners are, each times its own. Their sum is 1; beside the tetrahedra some are below 0.
    pub fn weights(&self) -> impl ExactSizeIterator<Item = ([u32; 4], [f32; 4])> + '_ {
        self.bonds.iter().map(|Bond { corners, shares: [b1, b2, b3] }| {
            let first = ((1.0 - f64::from(*b1)) - f64::from(*b2)) - f64::from(*b3);
            (*corners, [first as f32, *b1, *b2, *b3])
        })
    }

    /// The tetrahedron of each of the mesh's vertices, and its place in it.
    pub(crate) fn bonds(&self) -> &[Bond] {
        &self.bonds
    }

    /// Writes where the mesh's vertices are for these positions of the tetrahedra's, metres; of velocities, how fast
    /// they are. Normals are those of the mesh where it is then ([`crate::render::Normals`]).
    ///
    /// # Panics
    /// If there is not one position a vertex of the tetrahedra, or not one output a vertex of the mesh.
    pub fn update(&self, simulated: &[Vec3], out: &mut [Vec3]) {
        assert_eq!(simulated.len(), self.vertices, "one position a vertex of the tetrahedra");
        assert_eq!(out.len(), self.bonds.len(), "one output a vertex of the mesh");
        let x = plain(simulated);
        for (out, Bond { corners, shares }) in plain_mut(out).iter_mut().zip(&self.bonds) {
            let [x0, x1, x2, x3] = corners.map(|v| x[v as usize]);
            *out = std::array::from_fn(|k| {
                // From the first corner, so that a body far from the origin keeps its digits.
                let along = shares[0] * (x1[k] - x0[k]) + shares[1] * (x2[k] - x0[k]);
                x0[k] + (along + shares[2] * (x3[k] - x0[k]))
            });
        }
    }
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}

/// Coordinates of a point in a tetrahedron that has a volume.
fn barycentric(solid: &TetMesh, tet: u32, x: P) -> [f64; 4] {
    let [a, b, c, d] = solid.tets[tet as usize].map(|v| solid.positions[v as usize].map(f64::from));
    let (e1, e2, e3, y) = (sub(b, a), sub(c, a), sub(d, a), sub(x, a));
    let six = dot(e1, cross(e2, e3));
    let (b1, b2, b3) = (dot(y, cross(e2, e3)) / six, dot(y, cross(e3, e1)) / six, dot(y, cross(e1, e2)) / six);
    [((1.0 - b1) - b2) - b3, b1, b2, b3]
}

/// Which tetrahedra's boxes reach into each cell of a regular grid.
pub(crate) struct Buckets {
    low: P,
    cell: f64,
    count: [usize; 3],
    /// (cell, tetrahedron), ascending.
    pairs: Vec<(u32, u32)>,
}

impl Buckets {
    /// About as many cells as tetrahedra; fewer where these are long and thin, so that not too many of their boxes
    /// reach into each.
    pub(crate) fn new(solid: &TetMesh) -> Buckets {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in &solid.positions {
            for k in 0..3 {
                (low[k], high[k]) = (low[k].min(f64::from(p[k])), high[k].max(f64::from(p[k])));
            }
        }
        let size: P = sub(high, low);
        let longest = size[0].max(size[1]).max(size[2]);
        // A flat box does not make cells without number.
        let volume = size.iter().fold(1.0, |volume, side| volume * side.max(longest * 1e-2));
        let cell = libm::cbrt(volume / solid.tets.len().max(1) as f64);
        let most = (PAIRS_A_TET * solid.tets.len()).max(LEAST_PAIRS);
        let mut buckets = Buckets { low, cell, count: [0; 3], pairs: Vec::new() };
        loop {
            buckets.count = size.map(|side| (side / buckets.cell) as usize + 1);
            // In a single cell there are as many as tetrahedra.
            let cells = |(first, last): ([usize; 3], [usize; 3])| (0..3).map(|k| last[k] - first[k] + 1).product();
            let pairs = solid.tets.iter().map(|tet| cells(buckets.span(solid, tet)));
            if pairs.fold(0, usize::saturating_add) <= most {
                break;
            }
            buckets.cell *= 2.0;
        }
        let mut pairs = Vec::new();
        for (t, tet) in (0..).zip(&solid.tets) {
            let (first, last) = buckets.span(solid, tet);
            for k in first[2]..=last[2] {
                for j in first[1]..=last[1] {
                    pairs.extend((first[0]..=last[0]).map(|i| (buckets.number([i, j, k]), t)));
                }
            }
        }
        pairs.sort_unstable();
        buckets.pairs = pairs;
        buckets
    }

    /// The first and the last of the cells that a tetrahedron's box reaches into, along each axis.
    fn span(&self, solid: &TetMesh, tet: &[u32; 4]) -> ([usize; 3], [usize; 3]) {
        let x = tet.map(|v| solid.positions[v as usize].map(f64::from));
        let least = std::array::from_fn(|k| x.iter().fold(f64::INFINITY, |least, x| least.min(x[k])));
        let most = std::array::from_fn(|k| x.iter().fold(f64::NEG_INFINITY, |most, x| most.max(x[k])));
        (self.at(least), self.at(most))
    }

    fn at(&self, x: P) -> [usize; 3] {
        std::array::from_fn(|k| (((x[k] - self.low[k]) / self.cell).max(0.0) as usize).min(self.count[k] - 1))
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> u32 {
        ((k * self.count[1] + j) * self.count[0] + i) as u32
    }

    /// The tetrahedron that a point lies in, deepest and first.
    pub(crate) fn tet(&self, solid: &TetMesh, x: P) -> Option<u32> {
        let cell = self.number(self.at(x));
        let first = self.pairs.partition_point(|(of, _)| *of < cell);
        let here = self.pairs[first..].iter().take_while(|(of, _)| *of == cell);
        let mut best = (INSIDE, None);
        for &(_, t) in here {
            let least = barycentric(solid, t, x).into_iter().fold(f64::INFINITY, f64::min);
            // In a tetrahedron without volume no coordinate is a number.
            if least > best.0 && least.is_finite() {
                best = (least, Some(t));
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SoftBody;

    /// At rest every vertex is where it was, inside and outside of the lattice.
    #[test]
    fn at_rest_nothing_moves() {
        let ball = Mesh::ball(1.3, 4);
        for cell in [2.0, 0.7, 0.2] {
            let solid = SoftBody::filled(&ball, cell).mesh().unwrap();
            let x: Vec<Vec3> = solid.positions.iter().map(|p| Vec3::from(*p)).collect();
            let mut out = vec![Vec3::ZERO; ball.positions.len()];
            Embedding::bind(&solid, &ball).unwrap().update(&x, &mut out);
            let far = out.iter().zip(&ball.positions).map(|(y, x)| (*y - Vec3::from(*x)).length()).fold(0.0, f32::max);
            assert!(far < 1e-5, "cells of {cell} m: {far} m");
        }
    }

    /// Needles across a cube: each one's box is nearly the cube, and all are found in a coarser grid.
    #[test]
    fn needles_do_not_fill_the_grid() {
        let (mut solid, count) = (TetMesh::default(), 30_000u32);
        for i in 0..count {
            let y = |step: f64| (f64::from(i) * step).fract() as f32;
            let (a, b) = ([y(0.37), y(0.61), y(0.83)], [1.0 - y(0.37), 1.0 - y(0.61), 1.0 - y(0.83)]);
            let v = 4 * i;
            solid.positions.extend([a, [a[0] + 1e-3, a[1], a[2]], [a[0], a[1] + 1e-3, a[2]], b]);
            solid.tets.push([v, v + 1, v + 2, v + 3]);
        }
        let buckets = Buckets::new(&solid);
        assert!(buckets.pairs.len() <= 64 * count as usize, "{}", buckets.pairs.len());
        for t in (0..count).step_by(997) {
            let corners = solid.tets[t as usize].map(|v| solid.positions[v as usize].map(f64::from));
            let middle = std::array::from_fn(|k| corners.iter().map(|x| x[k]).sum::<f64>() / 4.0);
            let found = buckets.tet(&solid, middle).expect("inside of one");
            assert!(barycentric(&solid, found, middle).into_iter().all(|share| share > 0.0));
        }
    }

    /// The grid finds the tetrahedron that all are asked for.
    #[test]
    fn the_tetrahedron_is_found() {
        let solid = SoftBody::tube(1.0, [0.5, 0.3], [4, 1, 9]).mesh().unwrap();
        let buckets = Buckets::new(&solid);
        let mut found = 0;
        for i in 0..4000 {
            let x: P = [0.37, 0.61, 0.83].map(|step| (f64::from(i) * step).fract() * 1.2 - 0.6);
            let least = |t: u32| barycentric(&solid, t, x).into_iter().fold(f64::INFINITY, f64::min);
            let inside = (0..solid.tets.len() as u32).any(|t| least(t) > INSIDE);
            let got = buckets.tet(&solid, x);
            assert_eq!(got.is_some(), inside, "{x:?}");
            assert!(got.is_none_or(|t| least(t) > INSIDE));
            found += usize::from(inside);
        }
        assert!(found > 300);
    }
}
