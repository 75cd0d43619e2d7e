//! Features of a cluster in lanes, and where they are.

use crate::lanes::Lanes;
use crate::{BATCH, Chunk, InChunks, Pack, Row};

/// Points, triangles and edges of a cluster by the rows of their corners.
#[derive(Clone, Debug, Default)]
pub struct Corners {
    /// All corners, each once.
    pub(super) all: Sixteens<1>,
    pub(super) points: Sixteens<1>,
    pub(super) triangles: Sixteens<3>,
    pub(super) edges: Sixteens<2>,
    /// Rows that there must be.
    pub(super) rows: usize,
}

/// Features of N corners, sixteen and sixteen.
#[derive(Clone, Debug, Default)]
pub(super) struct Sixteens<const N: usize> {
    /// The rows' first numbers, counted in pairs of numbers; behind the last feature, the last one's again.
    pub(super) at: Vec<[Pack<u32>; N]>,
    /// Number of features.
    pub(super) count: usize,
}

/// Where a cluster's features are; filled again and again in the same memory.
#[derive(Clone, Debug, Default)]
pub struct FeatureBoxes {
    pub(super) points: Vec<Boxes>,
    pub(super) triangles: Vec<Boxes>,
    pub(super) edges: Vec<Boxes>,
}

/// Of sixteen features: the least and the largest x, y and z of their corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes {
    pub(super) low: [Pack<f32>; 3],
    pub(super) high: [Pack<f32>; 3],
}

impl Corners {
    /// Of features given by their rows.
    #[must_use]
    pub fn new(points: &[u32], triangles: &[[u32; 3]], edges: &[[u32; 2]]) -> Corners {
        let points: Vec<[u32; 1]> = points.iter().map(|&row| [row]).collect();
        let all = points.as_flattened().iter().chain(triangles.as_flattened()).chain(edges.as_flattened());
        let mut all: Vec<[u32; 1]> = all.map(|&row| [row]).collect();
        all.sort_unstable();
        all.dedup();
        let rows = all.last().map_or(0, |[row]| *row as usize + 1);
        Corners {
            all: Sixteens::new(&all),
            points: Sixteens::new(&points),
            triangles: Sixteens::new(triangles),
            edges: Sixteens::new(edges),
            rows,
        }
    }
}

impl Corners {
    /// The rows of all corners, ascending.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        (0..self.all.count).map(|corner| self.all.corners(corner)[0])
    }

    /// Whether two have a corner in common.
    #[must_use]
    pub fn share_with(&self, other: &Corners) -> bool {
        // Both are ascending.
        let (mut i, mut j) = (0, 0);
        while i < self.all.count && j < other.all.count {
            let (a, b) = (self.all.corners(i), other.all.corners(j));
            if a == b {
                return true;
            }
            if a < b { i += 1 } else { j += 1 }
        }
        false
    }
}

impl<const N: usize> Sixteens<N> {
    fn new(features: &[[u32; N]]) -> Self {
        let of = |sixteen: &[[u32; N]], corner: usize| {
            Pack(std::array::from_fn(|lane| sixteen[lane.min(sixteen.len() - 1)][corner] * 2))
        };
        let at = features.chunks(BATCH).map(|sixteen| std::array::from_fn(|corner| of(sixteen, corner))).collect();
        Sixteens { at, count: features.len() }
    }

    /// The lanes of a sixteen that have a feature: bit i for lane i.
    #[inline(always)]
    pub(super) fn lanes(&self, sixteen: usize) -> u16 {
        let left = self.count - sixteen * BATCH;
        if left >= BATCH { u16::MAX } else { (1 << left) - 1 }
    }

    /// The rows of a feature's corners.
    #[inline(always)]
    pub(super) fn corners(&self, number: usize) -> [u32; N] {
        let mut rows = [0; N];
        for (row, pack) in rows.iter_mut().zip(&self.at[number / BATCH]) {
            *row = pack.0[number % BATCH] / 2;
        }
        rows
    }
}

impl FeatureBoxes {
    /// Takes over where a cluster's features are.
    ///
    /// # Safety
    /// `x` is valid for reading the rows of the cluster.
    #[inline(always)]
    pub(super) unsafe fn gather<L: Lanes<Elem = f32>>(&mut self, of: &Corners, x: *const Row, edges: bool) {
        // SAFETY: the caller promises that `x` is valid for reading the rows of the cluster.
        unsafe {
            place::<L, 1>(&mut self.points, &of.points, x);
            place::<L, 3>(&mut self.triangles, &of.triangles, x);
            if edges {
                place::<L, 2>(&mut self.edges, &of.edges, x);
            }
        }
    }
}

/// # Safety
/// As for [`FeatureBoxes::gather`].
#[inline(always)]
unsafe fn place<L: Lanes<Elem = f32>, const N: usize>(to: &mut Vec<Boxes>, of: &Sixteens<N>, x: *const Row) {
    let nowhere = Pack([0.0; BATCH]);
    to.resize(of.at.len(), Boxes { low: [nowhere; 3], high: [nowhere; 3] });
    for (boxes, at) in to.iter_mut().zip(&of.at) {
        for chunk in Chunk::<L>::all() {
            let (mut low, mut high) = ([L::zero(); 3], [L::zero(); 3]);
            for (corner, at) in at.iter().enumerate() {
                // SAFETY: the caller promises that `x` may be read at the cluster's rows.
                let columns = L::transpose(unsafe { L::load_rows(x.cast(), chunk.of(&at.0)) });
                for k in 0..3 {
                    // A position that is no number is nowhere, whatever its box.
                    low[k] = if corner == 0 { columns[k] } else { low[k].smaller(columns[k]) };
                    high[k] = if corner == 0 { columns[k] } else { high[k].larger(columns[k]) };
                }
            }
            for k in 0..3 {
                boxes.low[k].store(chunk, low[k]);
                boxes.high[k].store(chunk, high[k]);
            }
        }
    }
}
