//! Notes about elastic solids that are asked to rebound by a coefficient.

use seidel_scenes::{SceneSpec, key};

/// A note for each elastic solid that meets a collider with restitution: its own elasticity throws it back.
pub(crate) fn notes(spec: &SceneSpec) -> Vec<String> {
    let names = spec.names();
    let solids = (0..names.len()).filter_map(|number| match spec.table_of(number)? {
        (key::SOFT_BODY, at) => Some((&names[number], &spec.soft_body[at])),
        _ => None,
    });
    let notes = solids.filter_map(|(name, solid)| {
        let bounces = solid.restitution > 0.0 && solid.relaxation == 0.0 && solid.stiffness.is_none() && solid.plastic.is_none();
        let meets = |groups: u32, mask: u32| solid.groups & mask != 0 && groups & solid.mask != 0;
        let collider = spec.collider.iter().find(|of| of.restitution > 0.0 && meets(of.groups, of.mask))?;
        bounces.then(|| {
            format!(
                "body `{name}` is elastic: its material throws it back, whatever the `restitution` of {}; its `relaxation` (s) is what makes it \
                 rebound less: see docs/tuning.md, Restitution of what deforms",
                collider.restitution
            )
        })
    });
    notes.collect()
}
