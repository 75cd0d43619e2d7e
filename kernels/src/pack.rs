//! Sixteen numbers on a cache line: what a batch is made of.

use bytemuck::{Pod, Zeroable};

/// Constraints in a batch, on every instruction set; narrower lanes take several passes.
pub const BATCH: usize = 16;

/// One number for each constraint of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Pack<T>(pub [T; BATCH]);

// SAFETY: sixteen numbers of four bytes fill the 64 bytes of alignment: no padding; any bits are a value.
unsafe impl Zeroable for Pack<f32> {}
// SAFETY: as above.
unsafe impl Pod for Pack<f32> {}
// SAFETY: as above.
unsafe impl Zeroable for Pack<u32> {}
// SAFETY: as above.
unsafe impl Pod for Pack<u32> {}

/// Four numbers of a particle: x, y, z and one more (the inverse mass beside a position, nothing elsewhere).
pub type Row = [f32; 4];

/// Four rows on a cache line: the unit in which rows are allocated, so that they are aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line(pub [Row; 4]);

/// Rows as the particles' owner keeps them: aligned to cache lines.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    lines: Vec<Line>,
    skip: usize,
}

impl Rows {
    /// `count` rows of zeros; `count` is a multiple of 4. With `skew` the first row lies that many cache lines into its
    /// allocation.
    ///
    /// Two large arrays begin at the same place of a page; a load from one then waits for a store to the other at the
    /// same offset. Arrays that a kernel reads and writes together have different skews (measured on Zen 5, distance
    /// constraints on 100 x 100 particles, AVX2: 4.3 ns without, 2.8 ns with).
    #[must_use]
    pub fn zeros(count: usize, skew: usize) -> Rows {
        debug_assert!(count.is_multiple_of(4));
        Rows { lines: vec![Line::default(); count.div_ceil(4) + skew], skip: skew }
    }

    /// Sets every number.
    pub fn fill(&mut self, value: f32) {
        self.lines.fill(Line([[value; 4]; 4]));
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Rows) -> bool {
        **self == **other
    }
}

impl std::ops::Deref for Rows {
    type Target = [Row];
    fn deref(&self) -> &[Row] {
        bytemuck::cast_slice(&self.lines[self.skip..])
    }
}

impl std::ops::DerefMut for Rows {
    fn deref_mut(&mut self) -> &mut [Row] {
        bytemuck::cast_slice_mut(&mut self.lines[self.skip..])
    }
}
