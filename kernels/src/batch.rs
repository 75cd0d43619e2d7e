//! Batches: a family's rows, colored and packed sixteen at a time; checked here once, so that solving cannot go wrong.

use crate::{BATCH, Pack};
use std::fmt;
use std::ops::Range;

/// One kind's rows in the order in which they are solved. Immutable; made by [`Batches::pack`], which proves it.
///
/// Every index is below `particles()`; inside a color no particle stands twice. Lanes of a batch that have no row repeat
/// the indices of its first row: they are read, never written.
#[derive(Clone, Debug)]
pub struct Batches {
    slots: usize,
    params: usize,
    particles: usize,
    at: Vec<Pack<u32>>,
    rest: Vec<Pack<f32>>,
    soft: Vec<Pack<f32>>,
    lanes: Vec<u8>,
    colors: Vec<Range<usize>>,
    rows: Vec<u32>,
}

/// A family's rows as a plan lists them: flat arrays, row after row.
#[derive(Clone, Copy, Debug)]
pub struct RowArrays<'a> {
    /// Particles in a row.
    pub slots: usize,
    /// Parameters in a row.
    pub params: usize,
    /// Particle indices, `slots` a row.
    pub at: &'a [u32],
    /// Parameters, `params` a row.
    pub rest: &'a [f32],
    /// Compliance (XPBD) or k' (PBD), one a row.
    pub soft: &'a [f32],
}

/// Why rows cannot be packed. The plan checks before, so a user sees its errors, which know names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackError {
    /// The arrays do not have as many entries as the rows ask for.
    Lengths,
    /// A row names a particle that does not exist.
    OutOfRange {
        /// The row.
        row: u32,
        /// The particle.
        particle: u32,
    },
    /// A particle stands twice in a color, or a row is missing or stands twice in the colors.
    NotIndependent {
        /// The row.
        row: u32,
    },
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::Lengths => f.write_str("the row arrays differ in length"),
            PackError::OutOfRange { row, particle } => {
                write!(f, "row {row} names particle {particle}, which does not exist")
            }
            PackError::NotIndependent { row } => write!(f, "row {row} meets another of its color"),
        }
    }
}

impl std::error::Error for PackError {}

impl Batches {
    /// Packs rows color by color: `colors[c]` lists the rows of color c in the order in which they are to be solved.
    ///
    /// # Errors
    /// If an array is too short, an index is not below `particles`, or a color is not independent.
    pub fn pack(arrays: RowArrays<'_>, colors: &[Vec<u32>], particles: usize) -> Result<Batches, PackError> {
        let RowArrays { slots, params, at, rest, soft } = arrays;
        let count = soft.len();
        if at.len() != count * slots || rest.len() != count * params {
            return Err(PackError::Lengths);
        }
        if let Some(i) = at.iter().position(|&p| p as usize >= particles) {
            return Err(PackError::OutOfRange { row: (i / slots) as u32, particle: at[i] });
        }
        let mut batches = Batches {
            slots,
            params,
            particles,
            at: Vec::new(),
            rest: Vec::new(),
            soft: Vec::new(),
            lanes: Vec::new(),
            colors: Vec::new(),
            rows: Vec::with_capacity(count),
        };
        // The color that last used a particle, plus one; a row's too, so that none is packed twice.
        let mut used = vec![0u32; particles];
        let mut packed = vec![false; count];
        for (color, rows) in colors.iter().enumerate() {
            let start = batches.lanes.len();
            for &row in rows {
                let r = row as usize;
                if r >= count || std::mem::replace(&mut packed[r], true) {
                    return Err(PackError::NotIndependent { row });
                }
                for &p in &at[r * slots..(r + 1) * slots] {
                    if std::mem::replace(&mut used[p as usize], color as u32 + 1) == color as u32 + 1 {
                        return Err(PackError::NotIndependent { row });
                    }
                }
            }
            for chunk in rows.chunks(BATCH) {
                batches.push(arrays, chunk);
            }
            batches.colors.push(start..batches.lanes.len());
        }
        match packed.iter().position(|&p| !p) {
            Some(row) => Err(PackError::NotIndependent { row: row as u32 }),
            None => Ok(batches),
        }
    }

    fn push(&mut self, arrays: RowArrays<'_>, chunk: &[u32]) {
        let row = |lane: usize| chunk[if lane < chunk.len() { lane } else { 0 }] as usize;
        for slot in 0..self.slots {
            self.at.push(Pack(std::array::from_fn(|lane| arrays.at[row(lane) * self.slots + slot])));
        }
        for param in 0..self.params {
            self.rest.push(Pack(std::array::from_fn(|lane| arrays.rest[row(lane) * self.params + param])));
        }
        self.soft.push(Pack(std::array::from_fn(|lane| arrays.soft[row(lane)])));
        self.lanes.push(chunk.len() as u8);
        self.rows.extend_from_slice(chunk);
    }

    /// Number of constraints.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Number of batches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    /// True if there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Every index is below this.
    #[must_use]
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// The batches of each color.
    #[must_use]
    pub fn colors(&self) -> &[Range<usize>] {
        &self.colors
    }

    /// The rows in the order in which they are solved, as numbers in the arrays that were packed.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.rows
    }

    /// Particle indices of a batch, a pack for each slot.
    #[must_use]
    #[inline(always)]
    pub fn at(&self, batch: usize) -> &[Pack<u32>] {
        &self.at[batch * self.slots..(batch + 1) * self.slots]
    }

    /// Parameters of a batch, a pack for each.
    #[must_use]
    #[inline(always)]
    pub fn rest(&self, batch: usize) -> &[Pack<f32>] {
        &self.rest[batch * self.params..(batch + 1) * self.params]
    }

    /// Compliance or k' of a batch.
    #[must_use]
    #[inline(always)]
    pub fn soft(&self, batch: usize) -> &Pack<f32> {
        &self.soft[batch]
    }

    /// Rows in a batch, 1 to 16.
    #[must_use]
    #[inline(always)]
    pub fn lanes(&self, batch: usize) -> usize {
        usize::from(self.lanes[batch])
    }

    /// Particles in a row.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Parameters in a row.
    #[must_use]
    pub fn params(&self) -> usize {
        self.params
    }
}
