//! A note about elastic solids that are asked to rebound by a coefficient.

use seidel_scenes::{SceneSpec, key};

/// A note for elastic solids that may meet a collider with restitution: their own elasticity throws them back.
pub(crate) fn note(spec: &SceneSpec) -> Option<String> {
    let names = spec.names();
    let is_one = |&number: &usize| {
        let Some((key::SOFT_BODY, at)) = spec.table_of(number) else { return false };
        let solid = &spec.soft_body[at];
        let elastic = solid.relaxation == 0.0 && solid.stiffness.is_none() && solid.plastic.is_none();
        let meets = |groups: u32, mask: u32| solid.groups & mask != 0 && groups & solid.mask != 0;
        let bounces = spec.collider.iter().any(|of| of.restitution > 0.0 && meets(of.groups, of.mask));
        elastic && solid.restitution > 0.0 && bounces
    };
    let solids: Vec<String> = (0..names.len()).filter(is_one).map(|number| format!("`{}`", names[number])).collect();
    let (what, throws) = match solids.len() {
        0 => return None,
        1 => ("body", "is elastic: its material throws it back"),
        _ => ("bodies", "are elastic: their material throws them back"),
    };
    Some(format!(
        "{what} {} {throws}, whatever the `restitution` of a collider that is met; `relaxation` (s) of a soft body, such as 0.01, is what makes it \
         rebound less: see docs/tuning.md, Restitution of what deforms",
        solids.join(", ")
    ))
}
