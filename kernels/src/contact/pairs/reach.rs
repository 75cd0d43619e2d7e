//! How far groups of particles reach and go.

use super::Ends;
use crate::lanes::{Kernel, Lanes};
use crate::{BATCH, Isa, Pack};

/// Sixteen groups of particles, one in a lane.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The rows of one particle of each, twice; of groups with fewer, the first one's again.
    at: Vec<Pack<u32>>,
    rows: usize,
}

/// Where groups' particles are on their ways, and how far these go. Of a group whose particles are all nowhere, the least is above
/// the most.
#[derive(Clone, Copy, Debug)]
pub struct Reaches {
    /// Least and largest x, y and z, metres.
    pub low: [Pack<f32>; 3],
    /// See `low`.
    pub high: [Pack<f32>; 3],
    /// Least and largest x, y and z of end - start, metres.
    pub least: [Pack<f32>; 3],
    /// See `least`.
    pub most: [Pack<f32>; 3],
    /// The least inverse mass, 1/kg.
    pub lightest: Pack<f32>,
}

impl Group {
    /// Of the rows of one to sixteen groups.
    ///
    /// # Panics
    /// If there is none, there are more, or one has no row.
    #[must_use]
    pub fn new(groups: &[&[u32]]) -> Group {
        assert!((1..=BATCH).contains(&groups.len()), "one to sixteen groups");
        let length = groups.iter().map(|rows| rows.len()).max().unwrap_or(0);
        let of = |lane: usize, k: usize| {
            let rows = groups[lane.min(groups.len() - 1)];
            rows[if k < rows.len() { k } else { 0 }]
        };
        let at = (0..length).map(|k| Pack(std::array::from_fn(|lane| of(lane, k) * 2))).collect();
        let last = groups.iter().flat_map(|rows| rows.iter()).max().map_or(0, |row| *row as usize + 1);
        Group { at, rows: last }
    }

    /// Looks at all of them.
    ///
    /// # Safety
    /// Nobody writes these rows meanwhile.
    ///
    /// # Panics
    /// If a row is not there.
    #[must_use]
    pub unsafe fn look(&self, isa: Isa, ends: Ends<'_>) -> Reaches {
        assert!(self.rows <= ends.start.len().min(ends.end.len()), "groups of other rows");
        isa.dispatch(Look { group: self, ends })
    }
}

struct Look<'a> {
    group: &'a Group,
    ends: Ends<'a>,
}

impl Kernel for Look<'_> {
    type Output = Reaches;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Reaches {
        self.all::<L::One>()
    }
}

impl Look<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Reaches {
        let (up, down) = (Pack([f32::INFINITY; BATCH]), Pack([f32::NEG_INFINITY; BATCH]));
        let mut reaches = Reaches { low: [up; 3], high: [down; 3], least: [up; 3], most: [down; 3], lightest: up };
        let mut first = 0;
        while first < BATCH {
            let (mut low, mut high) = ([L::splat(f64::INFINITY); 3], [L::splat(f64::NEG_INFINITY); 3]);
            let (mut least, mut most, mut lightest) = (low, high, low[0]);
            for at in &self.group.at {
                // SAFETY: `look` checked the rows, which nobody writes; `first + WIDTH <= BATCH`.
                let (a, b) = unsafe {
                    let at = at.0.as_ptr().add(first);
                    (
                        L::transpose(L::load_rows(self.ends.start.as_ptr().cast(), at)),
                        L::transpose(L::load_rows(self.ends.end.as_ptr().cast(), at)),
                    )
                };
                for k in 0..3 {
                    let way = b[k] - a[k];
                    // What is no number is passed over.
                    low[k] = low[k].smaller(a[k]).smaller(b[k]);
                    high[k] = high[k].larger(a[k]).larger(b[k]);
                    least[k] = least[k].smaller(way);
                    most[k] = most[k].larger(way);
                }
                lightest = lightest.smaller(b[3]);
            }
            for k in 0..3 {
                // SAFETY: a pack has BATCH numbers.
                unsafe {
                    low[k].store(reaches.low[k].0.as_mut_ptr().add(first));
                    high[k].store(reaches.high[k].0.as_mut_ptr().add(first));
                    least[k].store(reaches.least[k].0.as_mut_ptr().add(first));
                    most[k].store(reaches.most[k].0.as_mut_ptr().add(first));
                }
            }
            // SAFETY: as above.
            unsafe { lightest.store(reaches.lightest.0.as_mut_ptr().add(first)) };
            first += L::WIDTH;
        }
        reaches
    }
}
