//! What of a plan was in the plan before.

use crate::describe::error::Error;
use crate::describe::ids::Numbers;
use crate::plan::Plan;

/// For each thing of a plan its place in the plan before, if it was there.
pub(crate) struct Before {
    pub(crate) bodies: Vec<Option<usize>>,
    /// Colliders that are where they were planned to be, and move alike.
    pub(crate) colliders: Vec<Option<usize>>,
    pub(crate) rigid: Vec<Option<usize>>,
    pub(crate) rigid_joints: Vec<Option<usize>>,
}

impl Before {
    /// In a plan of the same scene ids tell. Of another scene, bodies stand in the same order, and colliders have the same names.
    pub(crate) fn of(from: &Plan, to: &Plan) -> Result<Before, Error> {
        let of = || "carried state".to_owned();
        if from.scene == to.scene {
            let places = |from: &Numbers, to: &Numbers| to.each().map(|number| from.place(number)).collect();
            let (a, b) = (&*from.numbers, &*to.numbers);
            let mut colliders: Vec<Option<usize>> = places(&a.colliders, &b.colliders);
            for (there, collider) in colliders.iter_mut().zip(&to.colliders) {
                let goes_alike = |&c: &usize| {
                    (&from.colliders[c].pose, &from.colliders[c].motion) == (&collider.pose, &collider.motion)
                };
                *there = there.filter(goes_alike);
            }
            return Ok(Before {
                bodies: places(&a.bodies, &b.bodies),
                colliders,
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
        Ok(Before {
            bodies: same("bodies", from.bodies.len(), to.bodies.len())?,
            colliders: named.collect(),
            rigid: same("rigid bodies", from.rigid_bodies(), to.rigid_bodies())?,
            rigid_joints: same("joints of rigid bodies", from.rigid_joints(), to.rigid_joints())?,
        })
    }
}
