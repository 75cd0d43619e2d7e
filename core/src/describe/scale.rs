//! Factors on a mesh: one, or one along each axis.

use glam::Vec3;
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
pub struct Scale(pub [f32; 3]);

impl Scale {
    /// None at all.
    pub const ONE: Scale = Scale([1.0; 3]);

    /// The point of a mesh, scaled.
    #[must_use]
    pub fn apply(self, p: [f32; 3]) -> [f64; 3] {
        std::array::from_fn(|k| f64::from(p[k]) * f64::from(self.0[k]))
    }

    /// The one factor, if all three are equal.
    #[must_use]
    pub fn uniform(self) -> Option<f32> {
        let [x, y, z] = self.0;
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
        Scale([factor; 3])
    }
}

impl From<[f32; 3]> for Scale {
    fn from(factors: [f32; 3]) -> Scale {
        Scale(factors)
    }
}

impl From<Vec3> for Scale {
    fn from(factors: Vec3) -> Scale {
        Scale(factors.to_array())
    }
}

impl Serialize for Scale {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.uniform() {
            Some(factor) => factor.serialize(serializer),
            None => self.0.serialize(serializer),
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
