//! Disjoint sets of numbers.

/// Sets of `0..n` under union. The root of a set is its smallest member, so that no order of unions shows.
///
/// Tarjan 1975, "Efficiency of a Good But Not Linear Set Union Algorithm", with path halving.
pub(super) struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// Each number alone.
    pub(super) fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    /// The smallest number of the set of `a`.
    pub(super) fn root(&mut self, mut a: usize) -> usize {
        let Self(parent) = self;
        while parent[a] != a {
            parent[a] = parent[parent[a]];
            a = parent[a];
        }
        a
    }

    /// Makes the sets of `a` and `b` one.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
