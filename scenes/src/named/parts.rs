//! What many named scenes begin with.

use crate::tables::{ClothSpec, ColliderSpec, SceneSpec, ShapeSpec, SolverSpec};
use seidel::{Collide, Substeps};

pub(super) fn scene(name: &str, about: &str, substeps: impl Into<Substeps>) -> SceneSpec {
    let solver = SolverSpec { substeps: substeps.into(), ..SolverSpec::default() };
    SceneSpec { name: name.to_owned(), about: about.to_owned(), solver, ..SceneSpec::default() }
}

/// A cloth that stretches little, shears easily enough to lie on a ball, and does not go through itself.
pub(super) fn cloth(name: &str, resolution: [u32; 2], size: [f32; 2], height: f32) -> ClothSpec {
    ClothSpec {
        name: name.to_owned(),
        resolution,
        size,
        position: [0.0, height, 0.0],
        stretch_compliance: Some(1e-4),
        shear_compliance: Some(0.1),
        bend_compliance: Some(2e3),
        damping: 0.02,
        collide: Collide::All,
        ..ClothSpec::default()
    }
}

pub(super) fn ground() -> ColliderSpec {
    ColliderSpec { name: "ground".to_owned(), ..ColliderSpec::default() }
}

pub(super) fn sphere(radius: f32, position: [f32; 3]) -> ColliderSpec {
    ColliderSpec {
        name: "sphere".to_owned(),
        shape: ShapeSpec::Sphere,
        radius: Some(radius),
        position,
        ..ColliderSpec::default()
    }
}
