//! What of a state is disabled: as if it were not there.

use crate::describe::snapshot::SnapshotError;
use crate::plan::Plan;
use crate::run::bytes::Reader;

/// A flag for each body, collider and rigid body of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Off {
    pub(crate) bodies: Vec<bool>,
    pub(crate) colliders: Vec<bool>,
    pub(crate) rigid: Vec<bool>,
}

impl Off {
    /// Nothing is.
    pub(crate) fn new(plan: &Plan) -> Off {
        let none = |count: usize| vec![false; count];
        Off { bodies: none(plan.bodies.len()), colliders: none(plan.colliders.len()), rigid: none(plan.rigid_bodies()) }
    }

    /// The same as another of its plan, without asking for memory.
    pub(crate) fn copy(&mut self, other: &Off) {
        self.bodies.clone_from(&other.bodies);
        self.colliders.clone_from(&other.colliders);
        self.rigid.clone_from(&other.rigid);
    }

    fn each(&self) -> impl Iterator<Item = bool> {
        let Off { bodies, colliders, rigid } = self;
        bodies.iter().chain(colliders).chain(rigid).copied()
    }

    /// Whether anything is.
    pub(crate) fn any(&self) -> bool {
        self.each().any(|off| off)
    }

    /// As bytes of a hash or a snapshot.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        self.each().for_each(|off| add(&[u8::from(off)]));
    }

    /// What `bytes` has given.
    pub(crate) fn read(plan: &Plan, from: &mut Reader<'_>) -> Result<Off, SnapshotError> {
        let mut off = Off::new(plan);
        let Off { bodies, colliders, rigid } = &mut off;
        for flag in bodies.iter_mut().chain(colliders).chain(rigid) {
            *flag = match from.array()? {
                [0] => false,
                [1] => true,
                _ => return Err(SnapshotError::Value { what: "something is neither disabled nor not" }),
            };
        }
        Ok(off)
    }
}
