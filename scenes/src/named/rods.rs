//! Rods.

use super::parts::scene;
use crate::tables::{MotionSpec, MovingPinsSpec, RodSpec, SceneSpec};
use seidel::Collide;
use std::f64::consts::PI;

/// A rod that is twisted until it gives way sideways, and winds around itself.
pub(super) fn rod_twist() -> SceneSpec {
    const SEGMENTS: u32 = 60;
    // Not quite straight, or it would not know where to.
    let points = (0..=SEGMENTS).map(|i| {
        let t = f64::from(i) / f64::from(SEGMENTS);
        let bow = libm::sin(PI * t);
        [(1.2 * t - 0.6) as f32, 1.0, (0.01 * bow * bow) as f32]
    });
    let turning = MotionSpec::Steady {
        velocity: [-0.1, 0.0, 0.0],
        axis: [1.0, 0.0, 0.0],
        turns: 0.9,
        start: 0.0,
        end: Some(6.0),
    };
    let end = MovingPinsSpec {
        pin_vertices: vec![SEGMENTS - 1, SEGMENTS],
        about: [0.6, 1.0, 0.0],
        motion: turning,
        ..MovingPinsSpec::default()
    };
    let rod = RodSpec {
        name: "rod".to_owned(),
        points: points.collect(),
        radius: 0.008,
        young: 5e6,
        relaxation: 2e-3,
        pin_vertices: vec![0, 1],
        moving_pins: vec![end],
        friction: 0.1,
        damping: 0.02,
        collide: Collide::All,
        ..RodSpec::default()
    };
    SceneSpec {
        frames: 420,
        min_contacts: 800,
        gravity: [0.0; 3],
        rod: vec![rod],
        ..scene("rod-twist", "a rod is twisted until it gives way sideways and winds around itself", 100)
    }
}
