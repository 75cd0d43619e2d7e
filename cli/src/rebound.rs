//! What is said of solids that are asked to rebound by a coefficient.

use seidel_scenes::SceneSpec;

/// A note for each elastic solid that meets a collider with restitution: its own elasticity throws it back.
pub(crate) fn notes(spec: &SceneSpec) -> Vec<String> {
    let notes = spec.soft_body.iter().enumerate().filter_map(|(number, solid)| {
        let bounces = solid.restitution > 0.0 && solid.relaxation == 0.0 && solid.plastic.is_none();
        let meets = |groups: u32, mask: u32| solid.groups & mask != 0 && groups & solid.mask != 0;
        let collider = spec.collider.iter().find(|of| of.restitution > 0.0 && meets(of.groups, of.mask))?;
        let name = if solid.name.is_empty() { format!("soft_body-{number}") } else { solid.name.clone() };
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
