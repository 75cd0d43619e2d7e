//! Boxes that overlap, each of some against each of others.

use crate::lanes::{Kernel, Lanes};
use crate::{BATCH, Isa, Pack};

/// Sixteen boxes; a lane without one has nothing inside.
#[derive(Clone, Copy, Debug)]
pub struct Boxes {
    /// The least x, y and z, metres.
    pub low: [Pack<f32>; 3],
    /// The largest.
    pub high: [Pack<f32>; 3],
}

impl Boxes {
    /// None.
    pub const NONE: Boxes = Boxes { low: [Pack([f32::NAN; BATCH]); 3], high: [Pack([f32::NAN; BATCH]); 3] };

    /// Sets one of the sixteen.
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn set(&mut self, lane: usize, low: [f32; 3], high: [f32; 3]) {
        for k in 0..3 {
            (self.low[k].0[lane], self.high[k].0[lane]) = (low[k], high[k]);
        }
    }

    /// One of the sixteen.
    fn get(&self, lane: usize) -> ([f32; 3], [f32; 3]) {
        (std::array::from_fn(|k| self.low[k].0[lane]), std::array::from_fn(|k| self.high[k].0[lane]))
    }
}

/// Boxes against boxes.
#[derive(Clone, Copy, Debug)]
pub struct Overlap<'a> {
    /// Some boxes, and their number.
    pub first: (&'a [Boxes], usize),
    /// Others.
    pub second: &'a [Boxes],
    /// A box around all of the second: [low, high].
    pub around: [[f32; 3]; 2],
    /// How far two boxes may be apart in x, y and z and still count, metres.
    pub spread: f32,
}

impl Overlap<'_> {
    /// Adds the numbers of two boxes that overlap, ascending.
    pub fn find(self, isa: Isa, found: &mut Vec<[u16; 2]>) {
        isa.dispatch(Find { overlap: self, found });
    }
}

struct Find<'a> {
    overlap: Overlap<'a>,
    found: &'a mut Vec<[u16; 2]>,
}

impl Kernel for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl Find<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let Overlap { first: (first, count), second, around: [floor, roof], spread } = self.overlap;
        for number in 0..count {
            let (mut low, mut high) = first[number / BATCH].get(number % BATCH);
            let mut inside = true;
            for k in 0..3 {
                (low[k], high[k]) = (low[k] - spread, high[k] + spread);
                inside &= low[k] <= roof[k] && floor[k] <= high[k];
            }
            if !inside {
                continue;
            }
            for (pack, boxes) in second.iter().enumerate() {
                // SAFETY: a pack has BATCH numbers, of which lanes take WIDTH at a time.
                let mut lanes = unsafe { overlapping::<L>(low, high, boxes) };
                while lanes != 0 {
                    let lane = lanes.trailing_zeros() as usize;
                    self.found.push([number as u16, (pack * BATCH + lane) as u16]);
                    lanes &= lanes - 1;
                }
            }
        }
    }
}

/// The lanes of boxes that overlap one.
///
/// # Safety
/// WIDTH divides BATCH.
#[inline(always)]
unsafe fn overlapping<L: Lanes<Elem = f32>>(low: [f32; 3], high: [f32; 3], boxes: &Boxes) -> u16 {
    let (mut lanes, mut at) = (0, 0);
    while at < BATCH {
        // SAFETY: `at + WIDTH <= BATCH`.
        unsafe {
            let low_of = |k: usize| boxes.low[k].0.as_ptr().add(at);
            let high_of = |k: usize| boxes.high[k].0.as_ptr().add(at);
            let x = L::set(low[0]).le(L::load(high_of(0))) & L::load(low_of(0)).le(L::set(high[0]));
            let y = L::set(low[1]).le(L::load(high_of(1))) & L::load(low_of(1)).le(L::set(high[1]));
            let z = L::set(low[2]).le(L::load(high_of(2))) & L::load(low_of(2)).le(L::set(high[2]));
            lanes |= super::bits::<L>(x & y & z) << at;
        }
        at += L::WIDTH;
    }
    lanes
}
