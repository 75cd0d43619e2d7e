//! Colliders by name.

use super::{Turn, turn};
use crate::collider::{Collider, Motion, Shape};
use serde::{Deserialize, Serialize};

/// A collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ColliderSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// plane (normal +y), sphere, capsule, cuboid, cylinder or torus.
    pub shape: ShapeSpec,
    /// Metres; spheres, capsules and cylinders; a torus: of its tube.
    pub radius: f32,
    /// Half the length of a capsule's segment, or half a cylinder's height, along y; metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_length: Option<f32>,
    /// Half the sides of a cuboid; metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half: Option<[f32; 3]>,
    /// From a torus' centre to the middle of its tube, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring: Option<f32>,
    /// Metres.
    pub position: [f32; 3],
    /// Turn about the position.
    pub rotation: Turn,
    /// Static and kinetic friction coefficient.
    pub friction: f32,
    /// Kinetic friction coefficient, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction_kinetic: Option<f32>,
    /// Path from there.
    pub motion: Motion,
}

/// Shapes by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeSpec {
    /// Half space below y = 0 of its frame.
    #[default]
    Plane,
    /// Ball of a radius.
    Sphere,
    /// Within a radius of a segment along y.
    Capsule,
    /// Box along the axes.
    Cuboid,
    /// Cylinder along y.
    Cylinder,
    /// Ring about y.
    Torus,
}

impl Default for ColliderSpec {
    fn default() -> Self {
        ColliderSpec {
            name: String::new(),
            shape: ShapeSpec::Plane,
            radius: 0.5,
            half_length: None,
            half: None,
            ring: None,
            position: [0.0; 3],
            rotation: Turn::default(),
            friction: 0.5,
            friction_kinetic: None,
            motion: Motion::Fixed,
        }
    }
}

impl ColliderSpec {
    fn shape_name(&self) -> &'static str {
        match self.shape {
            ShapeSpec::Plane => "plane",
            ShapeSpec::Sphere => "sphere",
            ShapeSpec::Capsule => "capsule",
            ShapeSpec::Cuboid => "cuboid",
            ShapeSpec::Cylinder => "cylinder",
            ShapeSpec::Torus => "torus",
        }
    }

    /// No key is given that the shape does not have: it would do nothing.
    fn check_keys(&self, of: &str) -> Result<(), String> {
        let long = matches!(self.shape, ShapeSpec::Capsule | ShapeSpec::Cylinder);
        let keys = [
            ("half_length", self.half_length.is_some(), long),
            ("half", self.half.is_some(), self.shape == ShapeSpec::Cuboid),
            ("ring", self.ring.is_some(), self.shape == ShapeSpec::Torus),
        ];
        match keys.into_iter().find(|(_, given, has)| *given && !has) {
            Some((key, ..)) => Err(format!("{of}: a {} has no `{key}`", self.shape_name())),
            None => Ok(()),
        }
    }

    pub(super) fn build(&self, of: &str) -> Result<Collider, String> {
        turn(of, "rotation", self.rotation.axis, self.rotation.degrees)?;
        if let Motion::KeyFrames { keys } = &self.motion {
            if keys.is_empty() {
                return Err(format!("{of}: its path is key-frames, and `keys` has none"));
            }
            for (i, key) in keys.iter().enumerate() {
                turn(of, &format!("key {i}"), key.axis, key.degrees)?;
            }
        }
        self.check_keys(of)?;
        let name = self.shape_name();
        fn missing(of: &str, name: &str, key: &str) -> String {
            format!("{of}: a {name} needs `{key}`")
        }
        let shape = match self.shape {
            ShapeSpec::Plane => Shape::Plane,
            ShapeSpec::Sphere => Shape::Sphere { radius: self.radius },
            ShapeSpec::Capsule => Shape::Capsule {
                radius: self.radius,
                half_length: self.half_length.ok_or_else(|| missing(of, name, "half_length"))?,
            },
            ShapeSpec::Cuboid => Shape::Cuboid { half: self.half.ok_or_else(|| missing(of, name, "half"))? },
            ShapeSpec::Cylinder => Shape::Cylinder {
                radius: self.radius,
                half_height: self.half_length.ok_or_else(|| missing(of, name, "half_length"))?,
            },
            ShapeSpec::Torus => {
                Shape::Torus { ring: self.ring.ok_or_else(|| missing(of, name, "ring"))?, tube: self.radius }
            }
        };
        Ok(Collider {
            friction_kinetic: self.friction_kinetic.unwrap_or(self.friction),
            friction_static: self.friction,
            ..Collider::new(shape)
                .named(self.name.clone())
                .at(self.position)
                .turned(self.rotation.axis, self.rotation.degrees)
                .moving(self.motion.clone())
        })
    }
}
