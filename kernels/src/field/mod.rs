//! Fields: constraints on any number of particles. Their work is cut into fixed blocks of registers; sums are taken
//! lane by lane over a block, then over the lanes in fixed brackets, and the blocks' sums are folded in order by the
//! caller: the same bits on every instruction set and for any number of threads.

mod balloon;
mod rotation;
mod shape;

use crate::lanes::Lanes;
use crate::{BATCH, Chunk, InChunks};
pub use balloon::{Inflation, Rings, pressure};
pub use rotation::{NO_TURN, matrix, rotation};
pub use shape::{Fit, Match, Residual, Shape};

/// Lane sums of several quantities over some registers.
struct Sums<const N: usize>([[f32; BATCH]; N]);

impl<const N: usize> Sums<N> {
    fn new() -> Sums<N> {
        Sums([[0.0; BATCH]; N])
    }

    /// Keeps the sums of a chunk's lanes.
    #[inline(always)]
    fn put<L: Lanes<Elem = f32>>(&mut self, chunk: Chunk<L>, sums: [L; N]) {
        for (lanes, sum) in self.0.iter_mut().zip(sums) {
            lanes.store(chunk, sum);
        }
    }

    /// The sums of all lanes, in fixed brackets, in f64.
    #[inline(always)]
    fn fold(&self) -> [f64; N] {
        let mut all = [0.0; N];
        for (sum, lanes) in all.iter_mut().zip(&self.0) {
            let mut eight = [0.0f64; 8];
            for (i, s) in eight.iter_mut().enumerate() {
                *s = f64::from(lanes[i]) + f64::from(lanes[i + 8]);
            }
            let four = [eight[0] + eight[4], eight[1] + eight[5], eight[2] + eight[6], eight[3] + eight[7]];
            *sum = (four[0] + four[2]) + (four[1] + four[3]);
        }
        all
    }
}
