//! What of a plan was in the plan before.

use crate::describe::error::Error;
use crate::describe::ids::Numbers;
use crate::plan::Plan;

/// For each thing of a plan its place in the plan before, if it was there.
pub(crate) struct Before {
    pub(crate) bodies: Vec<Option<usize>>,
    /// Colliders that are where they were planned to be, and move alike.
    pub(crate) colliders: Vec<Option<usize>>,
    /// All colliders, by their ids or names; and whether nothing about them is another.
    pub(crate) all_colliders: Vec<Option<usize>>,
    pub(crate) alike: Vec<bool>,
    pub(crate) rigid: Vec<Option<usize>>,
    pub(crate) rigid_joints: Vec<Option<usize>>,
}

impl Before {
    /// In a plan of the same scene ids tell. Of another scene, bodies stand in the same order, and colliders have the
    /// same names.
    pub(crate) fn of(from: &Plan, to: &Plan) -> Result<Before, Error> {
        let of = || "carried state".to_owned();
        if from.scene == to.scene {
            let places = |from: &Numbers, to: &Numbers| to.each().map(|number| from.place(number)).collect();
            let (a, b) = (&*from.numbers, &*to.numbers);
            let all_colliders: Vec<Option<usize>> = places(&a.colliders, &b.colliders);
            let mut colliders = all_colliders.clone();
            for (there, collider) in colliders.iter_mut().zip(&to.colliders) {
                let goes_alike = |&c: &usize| {
                    (&from.colliders[c].pose, &from.colliders[c].motion) == (&collider.pose, &collider.motion)
                };
                *there = there.filter(goes_alike);
            }
            return Ok(Before {
                bodies: places(&a.bodies, &b.bodies),
                colliders,
                alike: alike(from, to, &all_colliders),
                all_colliders,
                rigid: places(&a.rigid, &b.rigid),
                rigid_joints: places(&a.rigid_joints, &b.rigid_joints),
            });
        }
        let same = |what: &str, got: usize, want: usize| match got == want {
            true => Ok((0..got).map(Some).collect::<Vec<_>>()),
            false => Err(Error::Length { of: of(), what: what.to_owned(), got, want }),
        };
        let named = to.colliders.iter().map(|collider| {
            from.colliders
                .iter()
                .position(|c| (&c.name, &c.pose, &c.motion) == (&collider.name, &collider.pose, &collider.motion))
        });
        let by_name = to.colliders.iter().map(|collider| from.colliders.iter().position(|c| c.name == collider.name));
        let (all_colliders, colliders): (Vec<_>, Vec<_>) = (by_name.collect(), named.collect());
        Ok(Before {
            alike: alike(from, to, &colliders),
            all_colliders,
            colliders,
            bodies: same("bodies", from.bodies.len(), to.bodies.len())?,
            rigid: same("rigid bodies", from.rigid_bodies(), to.rigid_bodies())?,
            rigid_joints: same("joints of rigid bodies", from.rigid_joints(), to.rigid_joints())?,
        })
    }
}

/// Whether each collider is what it was.
fn alike(from: &Plan, to: &Plan, before: &[Option<usize>]) -> Vec<bool> {
    let is_same = |(there, collider): (&Option<usize>, _)| there.is_some_and(|c| &from.colliders[c] == collider);
    before.iter().zip(&to.colliders).map(is_same).collect()
}
