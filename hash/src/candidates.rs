//! What may be near: points side by side for lanes, and the test that keeps those that are.

use crate::lanes::{BLOCK, Lanes};
use crate::table::Runs;

/// Numbers more than items in every array that lanes read, so that whole blocks can be read from any item on.
pub(crate) const SLACK: usize = BLOCK;

/// Points in the order of a grid, an array a coordinate, each [`SLACK`] longer than there are points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) z: Vec<f32>,
    pub(crate) ids: Vec<u32>,
}

/// Points to be tested: `len` of them, and then [`SLACK`] numbers of any value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested<'a> {
    pub(crate) x: &'a [f32],
    pub(crate) y: &'a [f32],
    pub(crate) z: &'a [f32],
    pub(crate) ids: &'a [u32],
    pub(crate) len: usize,
}

impl Points {
    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.ids.len().saturating_sub(SLACK)
    }

    pub(crate) fn resize(&mut self, len: usize) {
        for column in [&mut self.x, &mut self.y, &mut self.z] {
            column.resize(len + SLACK, 0.0);
        }
        self.ids.resize(len + SLACK, 0);
    }

    /// The point in a slot.
    #[inline(always)]
    pub(crate) fn at(&self, slot: usize) -> [f32; 3] {
        [self.x[slot], self.y[slot], self.z[slot]]
    }

    /// Those in slots `from..to`, called by their `names`.
    #[inline(always)]
    pub(crate) fn tested<'a>(&'a self, names: &'a [u32], from: usize, to: usize) -> Tested<'a> {
        let end = to + SLACK;
        Tested {
            x: &self.x[from..end],
            y: &self.y[from..end],
            z: &self.z[from..end],
            ids: &names[from..end],
            len: to - from,
        }
    }
}

/// Writes the ids of the tested points in the closed ball to `out`, in their order; how many. `out` has room for all of
/// them and [`SLACK`] more; what lies behind those that count is of no value. The `own`-th is left out.
#[inline(always)]
pub(crate) fn near<L: Lanes>(tested: Tested<'_>, p: [f32; 3], square: f32, own: usize, out: &mut [u32]) -> usize {
    let blocks = tested.len.div_ceil(BLOCK);
    let x = &tested.x.as_chunks::<BLOCK>().0[..blocks];
    let y = &tested.y.as_chunks::<BLOCK>().0[..blocks];
    let z = &tested.z.as_chunks::<BLOCK>().0[..blocks];
    let ids = &tested.ids.as_chunks::<BLOCK>().0[..blocks];
    let [px, py, pz] = [L::set(p[0]), L::set(p[1]), L::set(p[2])];
    let square = L::set(square);
    let last = last(tested.len);
    let (own_block, others) = (own / BLOCK, !(1 << (own % BLOCK)));
    let mut found = 0;
    for k in 0..blocks {
        // All lanes but those behind the end, and the own one.
        let valid = if k + 1 == blocks { last } else { ALL } & if k == own_block { others } else { ALL };
        let mut part = 0;
        while part * L::WIDTH < BLOCK {
            let dx = L::load(&x[k], part).minus(px);
            let dy = L::load(&y[k], part).minus(py);
            let dz = L::load(&z[k], part).minus(pz);
            let d = dx.times(dx).plus(dy.times(dy)).plus(dz.times(dz));
            let bits = d.le(square) & (valid >> (part * L::WIDTH));
            L::keep(&ids[k], part, bits, &mut out[found..]);
            found += (bits & (ALL >> (BLOCK - L::WIDTH))).count_ones() as usize;
            part += 1;
        }
    }
    found
}

/// A bit for each number of a block.
pub(crate) const ALL: u32 = (1 << BLOCK) - 1;

/// A bit for each number of the last block of `len` numbers.
#[inline(always)]
pub(crate) fn last(len: usize) -> u32 {
    ALL >> (len.wrapping_neg() % BLOCK)
}

/// No point is left out.
pub(crate) const NOBODY: usize = usize::MAX;

/// Most points that are copied side by side: they stay in the first-level cache.
const ROOM: usize = 1024;

/// The points of a few runs, side by side: fewer partly filled blocks, for many queries. Blocks are aligned to a cache
/// line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Gathered {
    x: [f32; ROOM + SLACK],
    y: [f32; ROOM + SLACK],
    z: [f32; ROOM + SLACK],
    ids: [u32; ROOM + SLACK],
    len: usize,
}

impl Gathered {
    pub(crate) fn new() -> Gathered {
        let none = [0.0; ROOM + SLACK];
        Gathered { x: none, y: none, z: none, ids: [0; ROOM + SLACK], len: 0 }
    }

    /// Copies the points in the runs of slots, with their `names`; false if they are too many.
    #[inline(always)]
    pub(crate) fn fill(&mut self, points: &Points, names: &[u32], runs: &Runs) -> bool {
        self.len = 0;
        if runs.items() > ROOM {
            return false;
        }
        for &[from, to] in runs.get() {
            // Whole blocks; what is too much is overwritten by the next run, or is slack.
            let (mut slot, mut at) = (from as usize, self.len);
            while slot < to as usize {
                let [s, t] = [slot..slot + BLOCK, at..at + BLOCK];
                self.x[t.clone()].copy_from_slice(&points.x[s.clone()]);
                self.y[t.clone()].copy_from_slice(&points.y[s.clone()]);
                self.z[t.clone()].copy_from_slice(&points.z[s.clone()]);
                self.ids[t].copy_from_slice(&names[s]);
                (slot, at) = (slot + BLOCK, at + BLOCK);
            }
            self.len += (to - from) as usize;
        }
        true
    }

    #[inline(always)]
    pub(crate) fn tested(&self) -> Tested<'_> {
        Tested { x: &self.x, y: &self.y, z: &self.z, ids: &self.ids, len: self.len }
    }
}

/// How many points of the runs lie before that in `slot`, which one of them holds.
#[inline(always)]
pub(crate) fn before(runs: &Runs, slot: usize) -> usize {
    let mut count = 0;
    for &[from, to] in runs.get() {
        if slot < to as usize {
            return count + slot - from as usize;
        }
        count += (to - from) as usize;
    }
    count
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Isa;
    use crate::lanes::{Job, dispatch};

    struct Near<'a>(Tested<'a>, usize, &'a mut Vec<u32>);

    impl Job for Near<'_> {
        type Output = usize;
        #[inline(always)]
        fn run<L: Lanes>(self) -> usize {
            near::<L>(self.0, [0.0; 3], 1.0, self.1, self.2)
        }
    }

    #[test]
    fn all_lanes_keep_the_same_at_every_length_and_leave_out_the_own() {
        for len in 0..70 {
            let mut points = Points::default();
            points.resize(len);
            // The slack would be near.
            for k in 0..len {
                points.x[k] = [0.5, 1.0, 1.000_000_1, f32::NAN, 3.0][k * 7 % 5];
                points.ids[k] = 100 + k as u32;
            }
            for own in [NOBODY, 0, 15, 16, len] {
                let naive: Vec<u32> =
                    (0..len).filter(|&k| k != own && points.x[k] <= 1.0).map(|k| 100 + k as u32).collect();
                for isa in Isa::available() {
                    let mut out = vec![7; len + SLACK];
                    let found = dispatch(isa, Near(points.tested(&points.ids, 0, len), own, &mut out));
                    assert_eq!(out[..found], naive, "{isa} {len}");
                }
            }
        }
    }
}
