//! What is counted.

/// What bodies have done to themselves and each other in a step; of several steps, sums and the longest list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of features that were pushed apart in the last sweep of the last substep.
    pub contacts: u32,
    /// Those of them that are of two edges; the others are of a point and a triangle.
    pub edges: u32,
    /// Pairs of features that were near enough to be watched: the most at a time.
    pub watched: u32,
    /// How often pairs of clusters were found.
    pub lists: u32,
    /// How often those that are about to touch were colored.
    pub colored: u32,
    /// Particles that were held back because they would have gone through something, or were taken along by what is fixed and
    /// would have gone through them: the sum over substeps.
    pub held: u32,
    /// What could not get out of the way of something fixed that is taken somewhere: pairs of features that it was taken through, and
    /// particles that it took along into a collider, or the corners of whose triangles it did. The sum over substeps.
    pub squeezed: u32,
    /// Substeps without contacts, for features lay on such a heap that their pairs would not fit into memory.
    pub crowded: u32,
}

impl Counts {
    /// Adds what the next step counts.
    pub(crate) fn add(&mut self, next: Counts) {
        let Counts { contacts, edges, watched, lists, colored, held, squeezed, crowded } = next;
        self.watched = self.watched.max(watched);
        for (sum, next) in [
            (&mut self.contacts, contacts),
            (&mut self.edges, edges),
            (&mut self.lists, lists),
            (&mut self.colored, colored),
            (&mut self.held, held),
            (&mut self.squeezed, squeezed),
            (&mut self.crowded, crowded),
        ] {
            *sum = sum.saturating_add(next);
        }
    }
}
