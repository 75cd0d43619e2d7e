//! What breaks.

use super::parts::{ground, scene};
use crate::tables::{CutSpec, RigidSpec, SceneSpec, SoftBodySpec, TearSpec};
use seidel::{Collide, Side};

/// A beam that is held at both ends breaks under a ball, and a loaf beside it is cut into three slices.
pub(super) fn fracture() -> SceneSpec {
    let solid = SoftBodySpec { thickness: 0.004, collide: Collide::All, friction: 0.4, ..SoftBodySpec::default() };
    let beam = SoftBodySpec {
        name: "beam".to_owned(),
        size: [1.2, 0.15, 0.15],
        cells: [24, 3, 3],
        position: [0.0, 0.7, -0.3],
        young: Some(2e6),
        pin_sides: vec![Side::MinX, Side::MaxX],
        tear: Some(TearSpec { strain: Some(0.06), copies: None }),
        linear_damping: 0.5,
        ..solid.clone()
    };
    let slice = |time, x, lean| CutSpec { time, plane: Some([[x, 0.0, 0.0], [1.0, lean, 0.0]]), blade: None };
    let loaf = SoftBodySpec {
        name: "loaf".to_owned(),
        size: [0.6, 0.2, 0.25],
        cells: [12, 4, 5],
        position: [0.0, 0.11, 0.4],
        young: Some(3e4),
        relaxation: 0.003,
        cut: vec![slice(0.5, -0.12, -0.4), slice(1.0, 0.12, 0.4)],
        ..solid
    };
    let ball = RigidSpec {
        name: "ball".to_owned(),
        radius: Some(0.1),
        mass: Some(30.0),
        position: [0.03, 1.3, -0.3],
        ..RigidSpec::default()
    };
    SceneSpec {
        frames: 180,
        min_contacts: 100,
        soft_body: vec![beam, loaf],
        body: vec![ball],
        collider: vec![ground()],
        ..scene("fracture", "a beam breaks under a ball, and a loaf is cut into three slices", 20)
    }
}
