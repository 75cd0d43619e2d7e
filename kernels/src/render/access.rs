//! Lanes from slices and back, checked: all that is unsafe in rendering.

use super::Vertex;
use crate::{BATCH, Lanes, Row, V3};
use std::marker::PhantomData;

/// `WIDTH` numbers from `at` on.
#[inline(always)]
pub(super) fn take<L: Lanes<Elem = f32>>(from: &[f32], at: usize) -> L {
    let from = &from[at..at + L::WIDTH];
    // SAFETY: the slice has WIDTH numbers.
    unsafe { L::load(from.as_ptr()) }
}

/// Vectors on their way from lanes to memory: rows [x, y, z, 0], stored as whole registers.
#[derive(Debug)]
pub(super) struct Sixteen<L>([Row; BATCH], PhantomData<L>);

impl<L: Lanes<Elem = f32>> Sixteen<L> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Sixteen([[0.0; 4]; BATCH], PhantomData)
    }

    /// Where a lane's row is: register k of a transposition has the rows of lanes k, k + 4, ...
    #[inline(always)]
    fn place(lane: usize) -> usize {
        let (pass, lane) = (lane / L::WIDTH * L::WIDTH, lane % L::WIDTH);
        pass + if L::WIDTH < 4 { lane } else { lane % 4 * (L::WIDTH / 4) + lane / 4 }
    }

    /// A lane's row.
    #[inline(always)]
    pub(super) fn row(&self, lane: usize) -> Row {
        self.0[Self::place(lane)]
    }

    /// Sets `WIDTH` of them from `lane` on, a multiple of it.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, v: V3<L>) {
        let to = &mut self.0[lane..lane + L::WIDTH];
        // SAFETY: the slice has WIDTH rows.
        unsafe { L::store_lines(L::transpose([v.x, v.y, v.z, L::zero()]), to.as_mut_ptr()) };
    }

    /// Sets one.
    #[inline(always)]
    pub(super) fn set_one(&mut self, lane: usize, v: V3<f32>) {
        self.0[Self::place(lane)] = [v.x, v.y, v.z, 0.0];
    }

    /// Copies those from `low` on, as many as there is room for.
    #[inline(always)]
    pub(super) fn copy(&self, low: usize, to: &mut [Vertex]) {
        match <&mut [Vertex; BATCH]>::try_from(&mut *to) {
            Ok(to) => self.pack(to.as_flattened_mut()),
            Err(_) => {
                for (i, to) in to.iter_mut().enumerate() {
                    let [x, y, z, _] = self.row(low + i);
                    *to = [x, y, z];
                }
            }
        }
    }

    /// A row is stored whole and the next over its fourth number: half the stores of three numbers each.
    #[inline(always)]
    fn pack(&self, to: &mut [f32]) {
        let to = &mut to[..3 * BATCH];
        for i in 0..BATCH - 1 {
            to[3 * i..3 * i + 4].copy_from_slice(&self.row(i));
        }
        to[3 * BATCH - 3..].copy_from_slice(&self.row(BATCH - 1)[..3]);
    }
}

/// Indices of rows that are known to be below a limit.
#[derive(Clone, Debug)]
pub(super) struct Indices {
    /// As [`Lanes::load_rows`] counts: two a row.
    at: Vec<u32>,
    limit: usize,
}

impl Indices {
    /// The first index that is not below the limit, or not below 2^31, is an error.
    pub(super) fn new(mut at: Vec<u32>, limit: usize) -> Result<Indices, usize> {
        if let Some(bad) = at.iter().position(|&i| i as usize >= limit || i > u32::MAX / 2) {
            return Err(bad);
        }
        at.iter_mut().for_each(|i| *i *= 2);
        Ok(Indices { at, limit })
    }

    /// One of them.
    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> usize {
        self.at[i] as usize / 2
    }

    /// The first three numbers of the rows that the `WIDTH` indices from `first` on name.
    #[inline(always)]
    pub(super) fn gather<L: Lanes<Elem = f32>>(&self, first: usize, rows: &[Row]) -> V3<L> {
        let at = &self.at[first..first + L::WIDTH];
        assert!(rows.len() >= self.limit, "as many rows as the indices may name");
        // SAFETY: there are WIDTH indices; `new` has checked that each is below the limit, so its row exists.
        let [x, y, z, _] = L::transpose(unsafe { L::load_rows(rows.as_ptr().cast(), at.as_ptr()) });
        V3::new(x, y, z)
    }
}
