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
// SAFETY: sixteen numbers of four bytes fill the 64 bytes of alignment: no padding; any bits are a value.
unsafe impl Pod for Pack<f32> {}
// SAFETY: sixteen numbers of four bytes fill the 64 bytes of alignment: no padding; any bits are a value.
unsafe impl Zeroable for Pack<u32> {}
// SAFETY: sixteen numbers of four bytes fill the 64 bytes of alignment: no padding; any bits are a value.
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

    /// Makes room for `count` rows, a multiple of 4. If there are fewer, all are made anew, zeros, a quarter more than asked for, so that what
    /// grows slowly seldom grows.
    pub fn grow(&mut self, count: usize, skew: usize) {
        if self.len() < count {
            *self = Rows::zeros((count + count / 4).next_multiple_of(4), skew);
        }
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

/// How the sixteen particles of a block lie in its 64 numbers. Particle p is one of block p / 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Particle after particle, [x, y, z, w] sixteen times: for particles that are reached one by one.
    Rows,
    /// Component after component, sixteen x, then y, z, w: for particles that are reached sixteen at a time.
    Lanes,
}

impl Layout {
    /// Where a particle's first number stands in an array of rows, seen as numbers.
    #[inline(always)]
    #[must_use]
    pub const fn offset(self, particle: usize) -> usize {
        match self {
            Layout::Rows => particle * 4,
            Layout::Lanes => particle / BATCH * (4 * BATCH) + particle % BATCH,
        }
    }

    /// How far a particle's numbers stand apart.
    #[inline(always)]
    #[must_use]
    pub const fn stride(self) -> usize {
        match self {
            Layout::Rows => 1,
            Layout::Lanes => BATCH,
        }
    }

    /// A particle's four numbers.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline(always)]
    #[must_use]
    pub fn read(self, rows: &[Row], particle: usize) -> Row {
        let (numbers, at): (&[f32], _) = (bytemuck::cast_slice(rows), self.offset(particle));
        std::array::from_fn(|k| numbers[at + k * self.stride()])
    }

    /// Sets a particle's four numbers.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline(always)]
    pub fn write(self, rows: &mut [Row], particle: usize, row: Row) {
        let (numbers, at): (&mut [f32], _) = (bytemuck::cast_slice_mut(rows), self.offset(particle));
        for (k, value) in row.into_iter().enumerate() {
            numbers[at + k * self.stride()] = value;
        }
    }
}
