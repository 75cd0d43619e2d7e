//! How much all blocks have found together, told while they find: so that too much ends the search before it fills the
//! memory.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a block has found of what all may find; it tells the others in steps.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    total: &'a AtomicUsize,
    most: usize,
    /// Of what this block has found, what the total holds.
    told: usize,
}

/// Found since the last telling: an addition that locks the bus for so many is not felt, and 4 MiB are not missed.
const STEP: usize = 1 << 19;

impl<'a> Tally<'a> {
    /// For a block; none if the total is above `most` already.
    pub(crate) fn new(total: &'a AtomicUsize, most: usize) -> Option<Self> {
        (total.load(Relaxed) <= most).then_some(Tally { total, most, told: 0 })
    }

    /// Whether more than `most` is known to be found, `found` of it by this block. Some block learns of it before there
    /// is a step more than `most` for each block at work; which one is open, that the total is above `most` in the end
    /// is not.
    #[inline(always)]
    pub(crate) fn is_over(&mut self, found: usize) -> bool {
        found - self.told >= STEP && self.tell(found) > self.most
    }

    /// Adds what was not told yet; the total.
    pub(crate) fn tell(&mut self, found: usize) -> usize {
        let more = found - std::mem::replace(&mut self.told, found);
        self.total.fetch_add(more, Relaxed) + more
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_known_while_it_is_found() {
        let (total, most) = (AtomicUsize::new(0), 3 * STEP);
        let [mut a, mut b] = [(); 2].map(|()| Tally::new(&total, most).unwrap());
        assert!(!a.is_over(STEP - 1) && total.load(Relaxed) == 0);
        assert!(!a.is_over(STEP) && !b.is_over(2 * STEP));
        assert!(!b.is_over(2 * STEP + 1) && b.is_over(3 * STEP) && a.is_over(2 * STEP));
        assert_eq!((a.tell(2 * STEP + 5), total.load(Relaxed)), (5 * STEP + 5, 5 * STEP + 5));
        assert!(Tally::new(&total, most).is_none());
    }
}
