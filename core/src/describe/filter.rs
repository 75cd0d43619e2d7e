//! Filters: who meets whom.

/// Groups that a collider or body belongs to, and those that it meets: a bit each. Two meet if each is in a group that
/// the other meets. A body and itself always do.
///
/// # Example
/// ```
/// use seidel::Filter;
/// let (skirt, leg) = (Filter::new(0b01, 0b10), Filter::new(0b10, !0));
/// assert!(skirt.meets(leg) && !skirt.meets(skirt));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// Groups that it is in.
    pub groups: u32,
    /// Groups that it meets.
    pub mask: u32,
}

impl Default for Filter {
    /// In the first group, and meets all.
    fn default() -> Self {
        Filter { groups: 1, mask: u32::MAX }
    }
}

impl Filter {
    /// In these groups, and meets those of the mask.
    #[must_use]
    pub const fn new(groups: u32, mask: u32) -> Filter {
        Filter { groups, mask }
    }

    /// Whether the two meet.
    #[must_use]
    pub fn meets(self, other: Filter) -> bool {
        self.groups & other.mask != 0 && other.groups & self.mask != 0
    }
}
