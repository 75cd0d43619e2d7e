//! Rods as trees of rigid segments.

use super::Log;
use super::item::Item;
use super::joints;
use super::rigid::Bodies;
use seidel_scenes::{RigidJointKindSpec, RigidJointSpec, SceneSpec};

pub(super) fn rods(root: &Item<'_>, bodies: &Bodies, (spec, log): (&mut SceneSpec, &mut Log)) -> Result<(), String> {
    for item in root.list("CosseratJoints")? {
        item.known(&["comment", "id", "stiffnessModifier"]);
        let [a, b] = joints::ends(&item, bodies)?;
        let position = item.required("position", item.place("position")?)?.map(|c| c as f32);
        let (a, b) = (a.name.clone(), b.name.clone());
        spec.joint.push(RigidJointSpec { kind: RigidJointKindSpec::Fixed, a, b, position, ..RigidJointSpec::default() });
        item.finish(log);
    }
    for item in root.list("TreeModels")? {
        item.finish(log);
    }
    Ok(())
}
