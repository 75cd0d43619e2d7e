//! What yields, beside the same that does not.

use super::parts::{ground, scene};
use crate::tables::{
    ClothSpec, ColliderSpec, KeySpec, MotionSpec, PlasticSpec, SceneSpec, SelectSpec, ShapeSpec, SoftBodySpec,
};
use seidel::{Collide, GridPins};

/// A punch dents a sheet of tin, strips are bent, balls fall.
pub(super) fn dents() -> SceneSpec {
    let yields = |yields: f32, limit: f32| {
        Some(PlasticSpec { yields, creep: None, limit: Some(limit), fatigue: None, breaks: None })
    };
    let sheet = |name: &str, x: f32, plastic: bool| ClothSpec {
        name: name.to_owned(),
        resolution: [29, 29],
        size: [0.8, 0.8],
        position: [x, 0.5, 0.0],
        density: Some(2.0),
        stretch_compliance: Some(if plastic { 1e-4 } else { 1e-3 }),
        shear_compliance: Some(if plastic { 1e-4 } else { 1e-3 }),
        bend_compliance: Some(3e-2),
        plastic: yields(0.004, 0.2).filter(|_| plastic),
        plastic_bend: yields(0.5, 60.0).filter(|_| plastic),
        pin: vec![GridPins::FirstRow, GridPins::LastRow, GridPins::FirstColumn, GridPins::LastColumn],
        linear_damping: 3.0,
        collide: Collide::All,
        ..ClothSpec::default()
    };
    let strip = |name: &str, x: f32, plastic: bool| ClothSpec {
        resolution: [21, 4],
        size: [0.6, 0.09],
        position: [x, 0.5, 0.7],
        density: Some(0.5),
        plastic_bend: yields(2.0, 60.0).filter(|_| plastic),
        pin: Vec::new(),
        // Two columns of the strip: it does not turn about its end.
        pin_where: vec![SelectSpec { side: Some([[x - 0.255, 0.0, 0.0], [-1.0, 0.0, 0.0]]), ..SelectSpec::default() }],
        bend_compliance: Some(3e-3),
        ..sheet(name, x, false)
    };
    let ball = |name: &str, x: f32, plastic: bool| SoftBodySpec {
        name: name.to_owned(),
        balls: vec![[0.0, 0.0, 0.0, 0.13]],
        cell: Some(0.045),
        position: [x, 0.8, -0.75],
        density: 1500.0,
        young: Some(4e5),
        poisson: 0.45,
        plastic: yields(0.04, 1.0).filter(|_| plastic),
        thickness: 0.002,
        friction: 0.8,
        ..SoftBodySpec::default()
    };
    // Down, up, and out of the way.
    let stamp = |name: &str, radius: f32, position: [f64; 3], depth: f64| {
        let key = |time, y| KeySpec { time, offset: [0.0, y, 0.0], ..KeySpec::default() };
        ColliderSpec {
            name: name.to_owned(),
            shape: ShapeSpec::Sphere,
            radius: Some(radius),
            position: position.map(|c| c as f32),
            friction: 0.0,
            motion: MotionSpec::KeyFrames {
                keys: vec![key(0.0, 0.0), key(1.2, -depth), key(1.4, -depth), key(2.4, 0.3)],
            },
            ..ColliderSpec::default()
        }
    };
    SceneSpec {
        frames: 240,
        min_contacts: 1000,
        cloth: vec![
            sheet("tin", -0.5, true),
            sheet("rubber", 0.5, false),
            strip("wire", -0.5, true),
            strip("spring", 0.5, false),
        ],
        soft_body: vec![ball("clay", -0.5, true), ball("jelly", 0.5, false)],
        collider: vec![
            ground(),
            stamp("punch", 0.2, [-0.5, 0.72, 0.0], 0.14),
            stamp("other punch", 0.2, [0.5, 0.72, 0.0], 0.14),
            stamp("finger", 0.06, [-0.3, 0.58, 0.7], 0.2),
            stamp("other finger", 0.06, [0.7, 0.58, 0.7], 0.2),
        ],
        ..scene("dents", "tin keeps its dent, a strip its bend and clay its shape; beside them the same of rubber", 60)
    }
}
