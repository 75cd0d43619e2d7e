//! Which particles joints hold together: what has them does not touch each other.

use super::JointRows;
use crate::plan::body::BodyPlan;
use seidel_kinds as kinds;

/// Particles that stand in one row of a joint. Those that attachments hold in one place count as one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joined {
    /// Particles of rows, ascending, and the first of those in one place with each.
    places: Vec<(u32, u32)>,
    /// Places that stand in one row, the smaller first, ascending.
    pairs: Vec<[u32; 2]>,
    /// Bodies with a row in common, the smaller first, ascending.
    bodies: Vec<[usize; 2]>,
}

impl Joined {
    /// Of all rows.
    pub(crate) fn of(joints: &[JointRows], plans: &[BodyPlan]) -> Joined {
        let particle = |rows: &JointRows, at: u32| {
            let (body, vertex) = rows.end(at);
            plans[body].particle(vertex)
        };
        let mut joined = Joined::default();
        for rows in joints {
            joined.places.extend(rows.constraints.at.iter().map(|&at| particle(rows, at)).map(|row| (row, row)));
        }
        joined.places.sort_unstable();
        joined.places.dedup();
        for rows in joints.iter().filter(|rows| rows.constraints.kind.is(&kinds::ATTACH)) {
            for at in rows.constraints.at.chunks_exact(2) {
                let [a, b] = [at[0], at[1]].map(|at| joined.root(particle(rows, at)));
                let at = joined.find(a.max(b)).expect("listed");
                joined.places[at].1 = a.min(b);
            }
        }
        for at in 0..joined.places.len() {
            joined.places[at].1 = joined.root(joined.places[at].0);
        }
        for rows in joints {
            for at in rows.constraints.at.chunks_exact(rows.constraints.kind.slots()) {
                for (i, &a) in at.iter().enumerate() {
                    for &b in &at[..i] {
                        let [p, q] = [a, b].map(|at| joined.place(particle(rows, at)));
                        let [c, d] = [a, b].map(|at| rows.end(at).0);
                        joined.pairs.push([p.min(q), p.max(q)]);
                        joined.bodies.push([c.min(d), c.max(d)]);
                    }
                }
            }
        }
        joined.pairs.sort_unstable();
        joined.pairs.dedup();
        joined.bodies.sort_unstable();
        joined.bodies.dedup();
        joined
    }

    fn find(&self, row: u32) -> Option<usize> {
        self.places.binary_search_by_key(&row, |(row, _)| *row).ok()
    }

    /// The end of the way from a particle to the first in its place. Halves the way, so that many of them stay short.
    fn root(&mut self, mut row: u32) -> u32 {
        while let Some(at) = self.find(row).filter(|&at| self.places[at].1 != row) {
            let next = self.places[at].1;
            row = self.find(next).map_or(next, |at| self.places[at].1);
            self.places[at].1 = row;
        }
        row
    }

    /// Whether there is no joint.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The first of the particles in one place with one.
    pub(crate) fn place(&self, row: u32) -> u32 {
        self.find(row).map_or(row, |at| self.places[at].1)
    }

    /// Particles that are held where another is, and the first in that place.
    pub(crate) fn apart(&self) -> impl Iterator<Item = (u32, u32)> {
        self.places.iter().copied().filter(|(row, first)| row != first)
    }

    /// Whether some particles, the first of one feature and the others of another, hang together.
    pub(crate) fn hold(&self, first: &[u32], others: &[u32]) -> bool {
        // Most are in no row.
        let known = |rows: &[u32]| rows.iter().any(|&row| self.find(row).is_some());
        known(first)
            && known(others)
            && first.iter().map(|&row| self.place(row)).any(|a| {
                let mut others = others.iter().map(|&row| self.place(row));
                others.any(|b| a == b || self.pairs.binary_search(&[a.min(b), a.max(b)]).is_ok())
            })
    }

    /// Whether two bodies have a row in common.
    pub(crate) fn bodies(&self, a: usize, b: usize) -> bool {
        self.bodies.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain, each hung on the one before: the first is the root of all, and each look at the last halves its way.
    #[test]
    fn ways_grow_shorter() {
        let n = 100_000;
        let places = (0..n).map(|row| (3 * row, 3 * row.max(1) - 3)).collect();
        let mut joined = Joined { places, ..Joined::default() };
        let steps = |joined: &Joined| {
            let (mut row, mut steps) = (3 * (n - 1), 0);
            while joined.place(row) != row {
                (row, steps) = (joined.place(row), steps + 1);
            }
            steps
        };
        let mut before = steps(&joined);
        assert_eq!(before, n - 1);
        while before > 1 {
            assert_eq!(joined.root(3 * (n - 1)), 0);
            let after = steps(&joined);
            assert_eq!(after, before.div_ceil(2));
            before = after;
        }
        assert!((0..n).all(|row| joined.root(3 * row) == 0));
        assert_eq!(joined.root(1), 1, "in no row");
    }
}
