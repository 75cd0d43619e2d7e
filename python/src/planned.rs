//! A scene that is read and planned, as all classes share it.

use crate::error::Error;
use pyo3::prelude::*;
use seidel::{BodyId, ColliderId, Plan, RigidId, RigidJointId};
use seidel_scenes::SceneSpec;
use std::sync::Arc;

/// A plan, and what its text says beside it.
pub(crate) struct Planned {
    pub(crate) plan: Arc<Plan>,
    pub(crate) spec: SceneSpec,
    pub(crate) text: String,
}

impl Planned {
    /// Names of the bodies.
    pub(crate) fn bodies(&self) -> Vec<String> {
        self.plan.body_ids().map(|id| self.plan.body_name(id).to_owned()).collect()
    }

    /// The body of a name.
    pub(crate) fn body(&self, name: &str) -> PyResult<BodyId> {
        let there = || format!("there is no body `{name}`; bodies are {}", self.bodies().join(", "));
        self.plan.body(name).ok_or_else(|| Error::new_err(there()))
    }

    /// The collider of a name.
    pub(crate) fn collider(&self, name: &str) -> PyResult<ColliderId> {
        self.plan.collider(name).ok_or_else(|| Error::new_err(format!("there is no collider `{name}`")))
    }

    /// The rigid body of a name.
    pub(crate) fn rigid(&self, name: &str) -> PyResult<RigidId> {
        let of = |id: &RigidId| self.plan.rigid_name(*id) == name;
        self.plan.rigid_ids().find(of).ok_or_else(|| Error::new_err(format!("there is no rigid body `{name}`")))
    }

    /// Names of the joints of rigid bodies.
    pub(crate) fn joints(&self) -> Vec<String> {
        self.plan.rigid_joint_ids().map(|id| self.plan.rigid_joint_name(id).to_owned()).collect()
    }

    /// The joint of rigid bodies of a name.
    pub(crate) fn joint(&self, name: &str) -> PyResult<RigidJointId> {
        let of = |id: &RigidJointId| self.plan.rigid_joint_name(*id) == name;
        let there = || format!("there is no joint `{name}`; joints are {}", self.joints().join(", "));
        self.plan.rigid_joint_ids().find(of).ok_or_else(|| Error::new_err(there()))
    }
}
