//! Counts of contacts of bodies with themselves and each other.

/// Counts of a step. Of several steps: the sums, but for `candidates` the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Pairs of features that were pushed apart in the last sweep of the last substep.
    pub contacts: u32,
    /// How many of these contacts are of two edges; the others are of a point and a triangle.
    pub edges: u32,
    /// Pairs of features that were near enough to be looked at in every substep: the most at a time.
    pub candidates: u32,
    /// Broad phases: how often pairs of clusters were searched.
    pub lists: u32,
    /// How often the contacts were colored.
    pub colored: u32,
    /// Particles whose displacement was clamped at the end of a substep because it led through something: the sum over
    /// substeps. Particles that something kinematic pushed or carried along count, too.
    pub clamped: u32,
    /// Contacts that stay violated because there is no room: pairs of features that an obstacle or a pin passed through,
    /// particles that it pushed into a collider, and particles that moving colliders press. The sum over substeps.
    pub unresolved: u32,
    /// How often all pairs were dropped because there were too many: so many features lay on one heap. Contacts are
    /// missing until the next search for pairs.
    pub overflowed: u32,
    /// How often that was because their lists do not fit into [`crate::Execution::memory`]. The state is then not what
    /// it is with more memory: whoever sets that limit ends there, or goes back to the state before.
    pub beyond_memory: u32,
}

impl Counts {
    /// Adds the counts of the next step.
    pub(crate) fn add(&mut self, next: Counts) {
        let Counts { contacts, edges, candidates, lists, colored, clamped, unresolved, overflowed, beyond_memory } =
            next;
        self.candidates = self.candidates.max(candidates);
        for (sum, next) in [
            (&mut self.contacts, contacts),
            (&mut self.edges, edges),
            (&mut self.lists, lists),
            (&mut self.colored, colored),
            (&mut self.clamped, clamped),
            (&mut self.unresolved, unresolved),
            (&mut self.overflowed, overflowed),
            (&mut self.beyond_memory, beyond_memory),
        ] {
            *sum = sum.saturating_add(next);
        }
    }
}
