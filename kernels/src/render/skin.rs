//! A render mesh that follows the simulated one: barycentric coordinates and an offset along the interpolated normal.
//!
//! A vertex is bound to a triangle: y = sum b_i (x_i + d n_i) with sum b_i = 1, where n_i are the unit normals of the
//! triangle's vertices. On an edge both triangles give the same y, so that what is bound on either side stays together;
//! an offset along the face's own normal would tear it. d is a length: stretching a sheet does not thicken it.
//!
//! Normals follow the same map. With the columns J = [dy/db_1, dy/db_2, dy/dd] at rest and now, n = cof(J)
//! cof(J_rest)^-1 n_rest (Barr 1984: the inverse transpose of the Jacobian). n_rest may point anywhere: the inside of a
//! thick sheet keeps its own side.
//!
//! # Source
//! Production deformers bind so, under the names of wrap and mesh-to-mesh skinning; Barr 1984, "Global and local
//! deformations of solid primitives", for normals under a map.

use super::Vertex;
use super::access::{Indices, Sixteen, take};
use super::normals::{NormalSink, Normals, unit};
use crate::integrate::NAN;
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::tuning::MIN_SKIN_NORMAL;
use crate::{BATCH, Isa, Row, V3};

/// How a vertex hangs on a triangle of the simulated mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The triangle's vertices.
    pub corners: [u32; 3],
    /// Shares of the second and the third; the first has the rest. Below 0 or above 1 beyond a border.
    pub shares: [f32; 2],
    /// Along the interpolated normal, metres.
    pub offset: f32,
    /// cof(J_rest)^-1 n_rest: the normal at rest in the map's own coordinates. Zeros: no normal.
    pub normal: [f32; 3],
}

/// Bonds of a render mesh, and the memory that they need.
#[derive(Clone, Debug)]
pub struct Skin {
    vertices: usize,
    sources: usize,
    /// Sixteen vertices' first corners, then their second, then their third. An index is that of a position in `pairs`.
    at: Indices,
    /// Sixteen vertices' shares, offsets and normals, number after number.
    numbers: Vec<f32>,
    /// Of each source vertex its position and its normal.
    pairs: Vec<Row>,
}

/// Numbers of a bond.
const NUMBERS: usize = 6;

impl Skin {
    /// From the bonds of a render mesh's vertices to a mesh of `sources` vertices.
    ///
    /// # Errors
    /// The first vertex whose bond names a corner that does not exist, or is from 2^30 on.
    pub fn new(sources: usize, bonds: &[Bond]) -> Result<Skin, usize> {
        let exists = |bond: &Bond| bond.corners.iter().all(|&c| (c as usize) < sources && c < u32::MAX / 4);
        if let Some(vertex) = bonds.iter().position(|bond| !exists(bond)) {
            return Err(vertex);
        }
        let (mut at, mut numbers) = (Vec::new(), Vec::new());
        for bonds in bonds.chunks(BATCH) {
            let of = |lane: usize| &bonds[lane.min(bonds.len() - 1)];
            for corner in 0..3 {
                at.extend((0..BATCH).map(|lane| 2 * of(lane).corners[corner]));
            }
            for k in 0..NUMBERS {
                numbers.extend((0..BATCH).map(|lane| {
                    let Bond { shares: [b, c], offset, normal: [l, m, n], .. } = *of(lane);
                    [b, c, offset, l, m, n][k]
                }));
            }
        }
        let at = Indices::new(at, 2 * sources).expect("corners exist");
        Ok(Skin { vertices: bonds.len(), sources, at, numbers, pairs: vec![[0.0; 4]; 2 * sources + 1] })
    }

    /// Number of vertices of the render mesh.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Reads the simulated mesh: its positions, metres, and normals that have read the same.
    ///
    /// # Panics
    /// If there is not one position a vertex, or the normals are another mesh's.
    pub fn read(&mut self, isa: Isa, positions: &[Vertex], normals: &Normals) {
        assert_eq!(positions.len(), self.sources, "one position a simulated vertex");
        assert_eq!(normals.vertices(), self.sources, "one normal a simulated vertex");
        let (pairs, _) = self.pairs.as_chunks_mut::<2>();
        for (pair, &[x, y, z]) in pairs.iter_mut().zip(positions) {
            pair[0] = [x, y, z, 0.0];
        }
        normals.write_into(isa, 0, pairs);
    }

    /// Writes positions, metres, and unit normals of the render mesh's vertices from `first` on.
    ///
    /// A normal is [0, 0, 0] where the map has none any more: the triangle has shrunk to nothing, or is not finite. A
    /// position that is not a number becomes `integrate::NAN`.
    ///
    /// # Panics
    /// If there are not so many vertices, or the two differ in length.
    pub fn write(&self, isa: Isa, first: usize, positions: &mut [Vertex], normals: &mut [Vertex]) {
        assert_eq!(positions.len(), normals.len(), "one normal a position");
        assert!(first <= self.vertices && positions.len() <= self.vertices - first, "vertices that exist");
        isa.dispatch(Write { skin: self, first, positions, normals });
    }
}

impl NormalSink for [Row; 2] {
    #[inline(always)]
    fn put<L: Lanes<Elem = f32>>(places: &mut [[Row; 2]], normals: &Sixteen<L>, low: usize) {
        for (i, pair) in places.iter_mut().enumerate() {
            pair[1] = normals.row(low + i);
        }
    }
}

struct Write<'a> {
    skin: &'a Skin,
    first: usize,
    positions: &'a mut [Vertex],
    normals: &'a mut [Vertex],
}

impl Kernel for Write<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Self { skin, first, positions, normals } = self;
        let end = first + positions.len();
        let (mut y, mut n) = (Sixteen::<L>::new(), Sixteen::<L>::new());
        let mut base = first / BATCH * BATCH;
        while base < end {
            let (low, high) = (first.max(base) - base, (end - base).min(BATCH));
            let mut lane = low / L::WIDTH * L::WIDTH;
            while lane < high {
                let (position, normal) = follow::<L>(skin, base + lane);
                y.set(lane, position);
                n.set(lane, normal);
                lane += L::WIDTH;
            }
            let to = base + low - first..base + high - first;
            y.copy(low, &mut positions[to.clone()]);
            n.copy(low, &mut normals[to]);
            base += BATCH;
        }
    }
}

/// Position and normal of `WIDTH` vertices from `vertex` on, a multiple of it.
#[inline(always)]
fn follow<L: Lanes<Elem = f32>>(skin: &Skin, vertex: usize) -> (V3<L>, V3<L>) {
    let (block, lane) = (vertex / BATCH, vertex % BATCH);
    let (at, numbers) = (block * 3 * BATCH + lane, block * NUMBERS * BATCH + lane);
    let (x, n) = (&skin.pairs[..], &skin.pairs[1..]);
    let (x0, n0) = (skin.at.gather::<L>(at, x), skin.at.gather::<L>(at, n));
    let e1 = skin.at.gather::<L>(at + BATCH, x) - x0;
    let m1 = skin.at.gather::<L>(at + BATCH, n) - n0;
    let e2 = skin.at.gather::<L>(at + 2 * BATCH, x) - x0;
    let m2 = skin.at.gather::<L>(at + 2 * BATCH, n) - n0;
    let mut number = [L::zero(); NUMBERS];
    for (k, number) in number.iter_mut().enumerate() {
        *number = take(&skin.numbers, numbers + k * BATCH);
    }
    let [b, c, d, k1, k2, k3] = number;

    let up = n0 + (m1 * b + m2 * c);
    let y = x0 + (e1 * b + e2 * c + up * d);
    let (j1, j2) = (e1 + m1 * d, e2 + m2 * d);
    let normal = j2.cross(up) * k1 + up.cross(j1) * k2 + j1.cross(j2) * k3;
    (numbers_or_nan(y), unit(normal, MIN_SKIN_NORMAL))
}

/// Which NaN an operation gives differs between processors.
#[inline(always)]
fn numbers_or_nan<L: Lanes<Elem = f32>>(v: V3<L>) -> V3<L> {
    let nan = L::set(NAN);
    V3::new(
        L::select(v.x.equals(v.x), v.x, nan),
        L::select(v.y.equals(v.y), v.y, nan),
        L::select(v.z.equals(v.z), v.z, nan),
    )
}
