//! Scenes of bodies that are joined.

use super::parts::{cloth, ground, scene};
use crate::tables::{
    ClothSpec, JoinSpec, MotionSpec, MovingPinsSpec, RopeSpec, SceneSpec, ShapeMatchedSpec, SoftBodySpec, Turn,
};
use seidel::Collide;

/// Planks of the bridge.
const PLANKS: u32 = 14;

/// A bridge of planks that hang in two ropes.
pub(super) fn rope_bridge() -> SceneSpec {
    let (step, plank, width) = (0.2f64, 0.15f64, 0.7f64);
    let half = 0.5 * step * f64::from(PLANKS + 1);
    // Where it hangs at the start: a parabola, 12 % of half its span deep.
    let height = |x: f64| 1.0 - 0.12 * half * (1.0 - (x / half) * (x / half));
    let middle = |i: u32| step * (f64::from(i) - 0.5 * f64::from(PLANKS - 1));
    let slope = |i: u32| (height(middle(i) + 0.5 * plank) - height(middle(i) - 0.5 * plank)) / plank;
    // A point of each rope at both edges of each plank.
    let edge = |i: u32, way: f64| {
        let along = 0.5 * way * plank / f64::sqrt(1.0 + slope(i) * slope(i));
        [middle(i) + along, height(middle(i)) + along * slope(i)]
    };
    let rope = |name: &str, z: f64| {
        let edges = (0..PLANKS).flat_map(|i| [edge(i, -1.0), edge(i, 1.0)]);
        let points = std::iter::once([-half, height(half)]).chain(edges).chain([[half, height(half)]]);
        RopeSpec {
            name: name.to_owned(),
            points: points.map(|[x, y]| [x, y, z].map(|c| c as f32)).collect(),
            link_mass: 0.1,
            pin_vertices: vec![0, 2 * PLANKS + 1],
            damping: 0.02,
            ..RopeSpec::default()
        }
    };
    let board = |i: u32| SoftBodySpec {
        name: format!("plank-{i}"),
        size: [plank, 0.03, width].map(|c| c as f32),
        cells: [2, 1, 8],
        position: [middle(i) as f32, height(middle(i)) as f32, 0.0],
        rotation: Turn { axis: [0.0, 0.0, 1.0], degrees: libm::atan(slope(i)).to_degrees() },
        density: 500.0,
        young: Some(1e9),
        relaxation: 0.005,
        thickness: 0.01,
        friction: 0.6,
        damping: 0.02,
        collide: Collide::Others,
        ..SoftBodySpec::default()
    };
    let join = |i: u32, rope: &str| JoinSpec {
        a: rope.to_owned(),
        b: format!("plank-{i}"),
        vertices: vec![2 * i + 1, 2 * i + 2],
        within: Some(0.01),
        ..JoinSpec::default()
    };
    let ball = ShapeMatchedSpec {
        name: "ball".to_owned(),
        radius: 0.16,
        position: [middle(0) as f32, height(middle(0)) as f32 + 0.25, 0.05],
        velocity: [0.5, 0.0, 0.0],
        mass: 8.0,
        thickness: 0.01,
        friction: 0.6,
        collide: Collide::Others,
        ..ShapeMatchedSpec::default()
    };
    SceneSpec {
        min_contacts: 500,
        rope: vec![rope("left", -0.5 * width), rope("right", 0.5 * width)],
        soft_body: (0..PLANKS).map(board).collect(),
        shape_matched: vec![ball],
        join: (0..PLANKS).flat_map(|i| [join(i, "left"), join(i, "right")]).collect(),
        collider: vec![ground()],
        ..scene("rope-bridge", "a heavy ball rolls to and fro on a bridge of planks that hang in two ropes", 60)
    }
}

/// Hooks of the curtain.
const HOOKS: u32 = 9;

/// A curtain that is drawn aside.
pub(super) fn curtain_hooks() -> SceneSpec {
    let (size, rail, hang) = ([2.4f32, 1.8f32], 2.4f32, 0.06f32);
    let part = |i: u32| f64::from(i) / f64::from(HOOKS - 1);
    let hook = |i: u32| {
        let x = size[0] * (part(i) - 0.5) as f32;
        // To the left, until they are a fifth as far from each other.
        let velocity = [-0.8 * f64::from(size[0]) * part(i) / 2.5, 0.0, 0.0];
        RopeSpec {
            name: format!("hook-{i}"),
            from: [x, rail, 0.0],
            to: [x, rail - hang, 0.0],
            segments: 2,
            moving_pins: vec![MovingPinsSpec {
                pin_vertices: vec![0],
                motion: MotionSpec::Steady { velocity, axis: [0.0; 3], turns: 0.0, start: 0.5, end: Some(3.0) },
                ..MovingPinsSpec::default()
            }],
            ..RopeSpec::default()
        }
    };
    let curtain = ClothSpec {
        rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
        thickness: Some(0.004),
        friction: 0.2,
        drag: 1.2,
        bend_compliance: Some(2e2),
        ..cloth("curtain", [65, 48], size, rail - hang - 0.5 * size[1])
    };
    let join = |i: u32| JoinSpec {
        a: format!("hook-{i}"),
        b: "curtain".to_owned(),
        vertices: vec![2],
        within: Some(0.01),
        ..JoinSpec::default()
    };
    SceneSpec {
        frames: 270,
        min_contacts: 500,
        cloth: vec![curtain],
        rope: (0..HOOKS).map(hook).collect(),
        join: (0..HOOKS).map(join).collect(),
        collider: vec![ground()],
        ..scene("curtain-hooks", "a curtain hangs by nine hooks and is drawn aside", 80)
    }
}
