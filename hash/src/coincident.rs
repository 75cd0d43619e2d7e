//! Points that stand at one place.

use crate::cells::{Cell, for_each_cell, hash, inside, number, reach, span};
use crate::error::{Error, countable};

/// For every point the id of the first point that stands where it stands: its own id, or a smaller one.
///
/// `tolerance`: 0 finds equal coordinates; above 0, in the points' unit, the points are taken in order, and each joins
/// the first representative in the closed ball about it, or becomes one. So representatives are further apart than
/// `tolerance`, two members of a group at most twice it, and a long chain of near points is not drawn into one.
/// A point that is not finite stands alone. Linear time, also if all points are equal.
///
/// # Errors
/// [`Error::Tolerance`] for one that is not finite and >= 0, [`Error::TooMany`] for `u32::MAX` points or more.
///
/// # Example
/// ```
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-0.0, 0.0, 0.0]];
/// assert_eq!(seidel_hash::coincident(&points, 0.0)?, [0, 1, 0]);
/// # Ok::<(), seidel_hash::Error>(())
/// ```
pub fn coincident(points: &[[f32; 3]], tolerance: f32) -> Result<Vec<u32>, Error> {
    const NONE: u32 = u32::MAX;
    if !(tolerance.is_finite() && tolerance >= 0.0) {
        return Err(Error::Tolerance { tolerance });
    }
    countable(points.len())?;
    let exact = tolerance == 0.0;
    let reach = reach(tolerance);
    // Twice the reach: a ball's box meets two cells an axis. And a cell holds few representatives, since those are
    // apart.
    let inv = 0.5 / reach;

    // Only representatives enter the table, as chains of ids: equal points do not lengthen a chain.
    let mask = points.len().next_power_of_two() - 1;
    let bucket = |cell: Cell| hash(cell.map(|c| c as u64)) as usize & mask;
    let mut heads = vec![NONE; mask + 1];
    let mut chain = vec![NONE; points.len()];
    let mut first: Vec<u32> = (0..points.len() as u32).collect();
    for (id, &p) in points.iter().enumerate() {
        if !p.iter().all(|x| x.is_finite()) {
            continue;
        }
        // Without a tolerance, a point is its own cell: equal coordinates have equal bits, but for the sign of zero.
        let own: Cell =
            if exact { p.map(|x| i64::from((x + 0.0).to_bits())) } else { p.map(|x| number(f64::from(x) * inv)) };
        let (lo, hi) = if exact { (own, own) } else { span(p, reach, inv) };
        let mut found = NONE;
        for_each_cell(lo, hi, |cell| {
            let mut at = heads[bucket(cell)];
            while at != NONE {
                let q = points[at as usize];
                if at < found && if exact { p == q } else { inside(p, q, tolerance) } {
                    found = at;
                }
                at = chain[at as usize];
            }
        });
        if found != NONE {
            first[id] = found;
            continue;
        }
        let head = &mut heads[bucket(own)];
        chain[id] = *head;
        *head = id as u32;
    }
    Ok(first)
}
