//! Factors on a mesh: one, or one along each axis.

use crate::describe::pose::Pose;
use glam::{DVec3, Vec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Factors along x, y and z, before a mesh is turned. In files one number stands for three equal ones.
///
/// # Example
/// ```
/// use seidel::{Cloth, Pose};
/// let band = Cloth::grid([3, 3], [1.0, 1.0]).placed(Pose::IDENTITY, [2.0, 1.0, 0.5]);
/// assert_eq!(band.mesh().positions[8], [1.0, 0.0, 0.25]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale(pub Vec3);

impl Scale {
    /// None at all.
    pub const ONE: Scale = Scale(Vec3::ONE);

    /// The point of a mesh, scaled.
    #[must_use]
    pub fn apply(self, point: impl Into<Vec3>) -> DVec3 {
        point.into().as_dvec3() * self.0.as_dvec3()
    }

    /// Scales points of a mesh.
    pub fn scale_all(self, points: &mut [[f32; 3]]) {
        points.iter_mut().for_each(|point| *point = self.apply(*point).as_vec3().to_array());
    }

    /// Scales points of a mesh, then turns and moves them; what is between is not rounded to f32.
    pub fn place_all(self, points: &mut [[f32; 3]], pose: &Pose) {
        points.iter_mut().for_each(|point| *point = pose.transform_point(self.apply(*point)).as_vec3().to_array());
    }

    /// The one factor, if all three are equal.
    #[must_use]
    pub fn uniform(self) -> Option<f32> {
        let [x, y, z] = self.0.to_array();
        (x == y && y == z).then_some(x)
    }
}

impl Default for Scale {
    fn default() -> Scale {
        Scale::ONE
    }
}

impl From<f32> for Scale {
    fn from(factor: f32) -> Scale {
        Scale(Vec3::splat(factor))
    }
}

impl From<[f32; 3]> for Scale {
    fn from(factors: [f32; 3]) -> Scale {
        Scale(factors.into())
    }
}

impl From<Vec3> for Scale {
    fn from(factors: Vec3) -> Scale {
        Scale(factors)
    }
}

impl Serialize for Scale {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.uniform() {
            Some(factor) => factor.serialize(serializer),
            None => self.0.to_array().serialize(serializer),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "neither a number nor three in brackets")]
enum OneOrThree {
    One(f32),
    Three([f32; 3]),
}

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scale, D::Error> {
        Ok(match OneOrThree::deserialize(deserializer)? {
            OneOrThree::One(factor) => factor.into(),
            OneOrThree::Three(factors) => factors.into(),
        })
    }
}
