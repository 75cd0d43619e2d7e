//! Rows that colliders carry along.
//!
//! The clamp takes back what colliders push, and a collider that moves goes on. Then a substep takes further sweeps
//! (`MOST_SWEEPS`), until what is near has made way. Some rows do not: neighbours in a sheet that is crumpled have no
//! contacts, only the clamp. In the frame of the collider they hardly move. So they go with its rigid motion, as what
//! lies on it does, and keep a share of their displacements relative to that. A row that would meet one that is carried
//! is carried, too.
//!
//! Where a row that one collider carries ends deeper in another, or would meet a row that another carries, both
//! colliders carry both rows: with the sum of their motions, in which a motion that both have in common counts once.
//! Colliders carry nothing if that leads into a collider all the same, or if something fixed is in the way. Then they
//! go into what they press, as they do where they leave no room.

use super::push::Field;
use crate::run::passes::colliders::moving::Moving;
use seidel_kernels::V3;

/// No collider.
pub(super) const NONE: u32 = u32::MAX;

/// How often ends are clamped in a substep before no further row is carried along.
const TRIES: u32 = 16;

/// The rows that colliders carry along in a substep.
#[derive(Debug, Default)]
pub(super) struct Carried {
    /// The rows that colliders press, with these colliders.
    rows: Vec<(u32, u32)>,
    /// For each collider, the first of those that carry together with it; `NONE` if it carries nothing. Empty in a
    /// substep in which none does.
    groups: Vec<u32>,
    /// Groups that are to carry nothing.
    refused: Vec<u32>,
    tries: u32,
}

impl Carried {
    /// Begins a substep.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.groups.clear();
        self.tries = 0;
    }

    /// Fills everything that no step may read before it writes it.
    pub(super) fn poison(&mut self) {
        self.rows.push((u32::MAX, u32::MAX));
        self.groups.push(0);
        self.tries = u32::MAX;
    }

    /// Begins to clamp ends: the motions of colliders that carry something.
    pub(super) fn begin(&self, carriers: &mut Carriers, moving: &[Moving]) {
        if !self.rows.is_empty() {
            carriers.motions.extend(moving.iter().map(Field::of_collider));
            carriers.groups.extend(&self.groups);
        }
    }

    /// The rows that colliders carry along, with the first collider of those that do.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rows.iter().map(|&(row, collider)| (row, self.groups[collider as usize]))
    }

    /// Whether anything is carried along.
    pub(super) fn is_some(&self) -> bool {
        !self.rows.is_empty()
    }

    /// After ends were clamped. Joins groups of colliders that are in conflict. If none are, groups that are in
    /// conflict with `NONE` carry nothing from now on. If there is no conflict, rows that are `held` go to the
    /// colliders that press them; `pressing` finds these among some. Returns whether anything has changed.
    pub(super) fn differs(
        &mut self,
        colliders: usize,
        conflicts: impl Iterator<Item = [u32; 2]>,
        held: impl Iterator<Item = u32>,
        pressing: impl Fn(u32, &dyn Fn(u32) -> bool) -> Option<u32>,
    ) -> bool {
        let Carried { rows, groups, refused, tries } = self;
        *tries += 1;
        refused.clear();
        let mut joins = false;
        let many = *tries > 2 * TRIES;
        for conflict in conflicts {
            let [a, b] = conflict.map(|of| groups.get(of as usize).map_or(NONE, |group| *group));
            if a == NONE || b == NONE || many {
                refused.extend([a, b].iter().filter(|&&group| group != NONE));
            } else if a != b {
                groups.iter_mut().filter(|group| **group == a.max(b)).for_each(|group| *group = a.min(b));
                joins = true;
            }
        }
        if joins {
            return true;
        }
        if !refused.is_empty() {
            groups.iter_mut().filter(|group| refused.contains(group)).for_each(|group| *group = NONE);
            rows.retain(|(_, collider)| groups[*collider as usize] != NONE);
            return true;
        }
        let before = rows.len();
        if *tries < TRIES {
            if groups.is_empty() {
                groups.extend(0..colliders as u32);
            }
            let may = |collider: u32| groups[collider as usize] != NONE;
            rows.extend(held.filter_map(|row| Some((row, pressing(row, &may)?))));
        }
        rows.len() != before
    }
}

/// The motions of colliders that carry something.
#[derive(Debug, Default)]
pub(super) struct Carriers {
    /// The rigid motions of all colliders; empty if none carries anything.
    pub(super) motions: Vec<Field>,
    /// As [`Carried::groups`].
    pub(super) groups: Vec<u32>,
}

impl Carriers {
    pub(super) fn clear(&mut self) {
        self.motions.clear();
        self.groups.clear();
    }

    /// Whether a collider is in a group.
    pub(super) fn are(&self, collider: u32, group: u32) -> bool {
        self.groups.get(collider as usize) == Some(&group)
    }

    /// Where a direction at `x` points when a collider has turned; None of a group of more than one.
    pub(super) fn turned(&self, group: u32, n: V3<f64>, x: V3<f64>) -> Option<V3<f64>> {
        let mut members = self.motions.iter().zip(&self.groups).filter(|(_, of)| **of == group);
        let (Some((motion, _)), None) = (members.next(), members.next()) else { return None };
        let n = n + (motion.at(x + n) - motion.at(x));
        Some(n * (1.0 / n.length()))
    }

    /// How far what starts at `x` goes with a group of colliders, metres.
    pub(super) fn way(&self, group: u32, x: V3<f64>) -> V3<f64> {
        let mut sum = V3::set([0.0; 3]);
        for (motion, _) in self.motions.iter().zip(&self.groups).filter(|(_, of)| **of == group) {
            let (way, length) = (motion.at(x), sum.length());
            if length == 0.0 {
                sum = way;
                continue;
            }
            let n = sum * (1.0 / length);
            let along = way.dot(n);
            sum = n * length.max(along) + (way - n * along);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::collider::Collider;
    use crate::describe::friction::CombineRule;
    use crate::describe::pose::Pose;

    /// Of two walls that move alike what they carry goes as far as one does; of walls at a corner, with both; of jaws
    /// that close, with the first.
    #[test]
    fn what_motions_have_in_common_counts_once() {
        let motion = |to: [f32; 3]| {
            let wall = Collider::cuboid([1.0, 1.0, 1.0]);
            Field::of_collider(&Moving::new(&wall, &Pose::default(), &Pose::at(to), CombineRule::default()))
        };
        for (second, sum) in [
            ([0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
            ([0.25, 0.0, 0.0], [0.5, 0.0, 0.0]),
            ([0.75, 0.0, 0.25], [0.75, 0.0, 0.25]),
            ([0.0, 0.0, 0.25], [0.5, 0.0, 0.25]),
            ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
        ] {
            let motions = vec![motion([0.5, 0.0, 0.0]), motion([9.0; 3]), motion(second)];
            let carriers = Carriers { motions, groups: vec![0, 1, 0] };
            let way = carriers.way(0, V3::new(3.0, 4.0, 5.0));
            let sum = V3::set(sum.map(f64::from));
            assert!((way - sum).length() < 1e-12, "{second:?}: {way:?}");
        }
    }
}
