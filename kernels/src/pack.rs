//! Sixteen numbers on a cache line: what a batch is made of.

use crate::{Lanes, V3};
use bytemuck::{Pod, Zeroable};
use std::marker::PhantomData;

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

/// Index of a register's first number in an array of `N`: a multiple of `WIDTH` below `N`. Every constructor checks
/// this, so that reading and writing there needs no check.
///
/// # Example
/// ```
/// use seidel_kernels::{Chunk, InChunks, Lanes, Pack};
/// fn doubled<L: Lanes<Elem = f32>>(pack: &mut Pack<f32>) {
///     for chunk in Chunk::<L>::all() {
///         let x = pack.load(chunk);
///         pack.store(chunk, x + x);
///     }
/// }
/// let mut pack = Pack([1.0; 16]);
/// doubled::<f32>(&mut pack);
/// assert_eq!(pack.0, [2.0; 16]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Chunk<L, const N: usize = BATCH> {
    first: usize,
    lanes: PhantomData<L>,
}

impl<L: Lanes, const N: usize> Chunk<L, N> {
    /// The first chunk.
    pub const FIRST: Self = {
        assert!(N >= L::WIDTH && N.is_multiple_of(L::WIDTH), "numbers that lanes do not fill");
        Chunk { first: 0, lanes: PhantomData }
    };

    /// The chunk that begins at number `first`.
    ///
    /// # Panics
    /// If `first` is no multiple of `WIDTH` below `N`.
    #[inline(always)]
    #[must_use]
    pub fn new(first: usize) -> Self {
        assert!(first < N && first.is_multiple_of(L::WIDTH), "no chunk begins there");
        Chunk { first, ..Self::FIRST }
    }

    /// All chunks, in order.
    #[inline(always)]
    #[must_use]
    pub fn all() -> Chunks<L, N> {
        Chunks { next: Self::FIRST.first, end: N, lanes: PhantomData }
    }

    /// The chunks that hold the first `count` numbers.
    #[inline(always)]
    #[must_use]
    pub fn holding(count: usize) -> Chunks<L, N> {
        Chunks { next: Self::FIRST.first, end: if count < N { count } else { N }, lanes: PhantomData }
    }

    /// Index of its first number.
    #[inline(always)]
    #[must_use]
    pub fn first(self) -> usize {
        self.first
    }

    /// Where its first number is: `WIDTH` may be read from there on while `numbers` lives.
    #[inline(always)]
    #[must_use]
    pub fn of<T>(self, numbers: &[T; N]) -> *const T {
        // SAFETY: a chunk begins below N, and WIDTH divides N (`Chunk::FIRST`): WIDTH numbers follow.
        unsafe { numbers.as_ptr().add(self.first) }
    }
}

/// Chunks, in order.
#[derive(Clone, Debug)]
pub struct Chunks<L, const N: usize = BATCH> {
    /// A multiple of WIDTH.
    next: usize,
    /// At most N.
    end: usize,
    lanes: PhantomData<L>,
}

impl<L: Lanes, const N: usize> Iterator for Chunks<L, N> {
    type Item = Chunk<L, N>;

    #[inline(always)]
    fn next(&mut self) -> Option<Chunk<L, N>> {
        // Below N, which WIDTH divides (`Chunk::FIRST`): a whole chunk is left.
        if self.next >= self.end {
            return None;
        }
        let first = self.next;
        self.next += L::WIDTH;
        Some(Chunk { first, lanes: PhantomData })
    }
}

/// Numbers that lanes read and write chunk by chunk.
pub trait InChunks<L: Lanes, const N: usize = BATCH> {
    /// What is read of a chunk: lanes, or three of them.
    type Value;

    /// Reads a chunk.
    fn load(&self, chunk: Chunk<L, N>) -> Self::Value;

    /// Writes a chunk.
    fn store(&mut self, chunk: Chunk<L, N>, value: Self::Value);
}

impl<L: Lanes, const N: usize> InChunks<L, N> for [L::Elem; N] {
    type Value = L;

    #[inline(always)]
    fn load(&self, chunk: Chunk<L, N>) -> L {
        // SAFETY: a chunk is a multiple of WIDTH below N, which WIDTH divides (`Chunk::FIRST`, `Chunks::next`): its
        // numbers are there.
        unsafe { L::load(self.as_ptr().add(chunk.first)) }
    }

    #[inline(always)]
    fn store(&mut self, chunk: Chunk<L, N>, value: L) {
        // SAFETY: as for `load`: a chunk's numbers are there.
        unsafe { value.store(self.as_mut_ptr().add(chunk.first)) }
    }
}

impl<L: Lanes> InChunks<L> for Pack<L::Elem> {
    type Value = L;

    #[inline(always)]
    fn load(&self, chunk: Chunk<L>) -> L {
        self.0.load(chunk)
    }

    #[inline(always)]
    fn store(&mut self, chunk: Chunk<L>, value: L) {
        self.0.store(chunk, value);
    }
}

impl<L: Lanes, P: InChunks<L, Value = L>> InChunks<L> for [P; 3] {
    type Value = V3<L>;

    #[inline(always)]
    fn load(&self, chunk: Chunk<L>) -> V3<L> {
        let [x, y, z] = self;
        V3::new(x.load(chunk), y.load(chunk), z.load(chunk))
    }

    #[inline(always)]
    fn store(&mut self, chunk: Chunk<L>, value: V3<L>) {
        let [x, y, z] = self;
        x.store(chunk, value.x);
        y.store(chunk, value.y);
        z.store(chunk, value.z);
    }
}

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

    /// Makes room for `count` rows, a multiple of 4. If there are fewer, all are made anew, zeros, a quarter more than
    /// asked for, so that what grows slowly seldom grows.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;
    use crate::lanes::{Dispatch, Kernel};

    /// Where the chunks that hold so many numbers begin, and the numbers that they add 1 to.
    struct Visit(usize);

    impl Kernel for Visit {
        type Output = (usize, Vec<usize>, [f32; BATCH]);

        fn run<L: Lanes<Elem = f32>>(self) -> Self::Output {
            let (mut firsts, mut numbers) = (Vec::new(), [0.0; BATCH]);
            for chunk in Chunk::<L>::holding(self.0) {
                firsts.push(chunk.first());
                let x: L = numbers.load(chunk);
                numbers.store(chunk, x + L::splat(1.0));
            }
            (L::WIDTH, firsts, numbers)
        }
    }

    #[test]
    fn chunks_take_each_number_once() {
        for isa in Isa::available() {
            for count in [0, 1, 5, 9, BATCH, BATCH + 1, usize::MAX] {
                let (width, firsts, numbers) = isa.dispatch(Visit(count));
                let chunks = count.min(BATCH).div_ceil(width);
                assert_eq!(firsts, (0..chunks).map(|k| k * width).collect::<Vec<_>>());
                let taken = |lane: usize| if lane < chunks * width { 1.0 } else { 0.0 };
                assert_eq!(numbers, std::array::from_fn(taken));
            }
        }
        assert_eq!(Chunk::<f32, 32>::all().count(), 32);
    }

    #[test]
    #[should_panic(expected = "no chunk begins there")]
    fn no_chunk_begins_behind_the_last_number() {
        let _ = Chunk::<f32>::new(BATCH);
    }
}
