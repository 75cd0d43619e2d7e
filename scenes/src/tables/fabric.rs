//! Fabrics by keys: the name of a preset, or a table of numbers, which may change a preset's.

use seidel::Fabric;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A fabric: `"denim"`, or `{ like = "denim", density = 0.4 }`, or all numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FabricSpec {
    /// The preset whose numbers it has where no other is given.
    pub like: Option<String>,
    /// kg/m^2.
    pub density: Option<f32>,
    /// Metres.
    pub thickness: Option<f32>,
    /// Tensile stiffness along warp and weft, N/m.
    pub stretch: Option<[f32; 2]>,
    /// Shear stiffness, N/m.
    pub shear: Option<f32>,
    /// Contraction of the weft for a strain along the warp.
    pub poisson: Option<f32>,
    /// Bending rigidity along warp and weft, N m.
    pub bend: Option<[f32; 2]>,
}

/// The table, as it is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    density: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thickness: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stretch: Option<[f32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shear: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    poisson: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bend: Option<[f32; 2]>,
}

impl FabricSpec {
    /// A preset.
    #[must_use]
    pub fn like(name: &str) -> FabricSpec {
        FabricSpec { like: Some(name.to_owned()), ..FabricSpec::default() }
    }

    /// The numbers; the error says what is missing.
    pub(super) fn build(&self, of: &str) -> Result<Fabric, String> {
        let base = match &self.like {
            None => None,
            Some(name) => Some(Fabric::by_name(name).ok_or_else(|| {
                let known = Fabric::NAMED.map(|(name, _)| name).join(", ");
                format!("{of}: there is no fabric `{name}`; fabrics are {known}")
            })?),
        };
        let missing =
            |key: &str| format!("{of}: its fabric has no `{key}`; give it, or a preset such as like = \"cotton\"");
        let number = |key: &str, value: Option<f32>, preset: fn(&Fabric) -> f32| {
            value.or(base.as_ref().map(preset)).ok_or_else(|| missing(key))
        };
        let pair = |key: &str, value: Option<[f32; 2]>, preset: fn(&Fabric) -> [f32; 2]| {
            value.or(base.as_ref().map(preset)).ok_or_else(|| missing(key))
        };
        Ok(Fabric {
            density: number("density", self.density, |fabric| fabric.density)?,
            thickness: number("thickness", self.thickness, |fabric| fabric.thickness)?,
            stretch: pair("stretch", self.stretch, |fabric| fabric.stretch)?,
            shear: number("shear", self.shear, |fabric| fabric.shear)?,
            poisson: number("poisson", self.poisson, |fabric| fabric.poisson)?,
            bend: pair("bend", self.bend, |fabric| fabric.bend)?,
        })
    }

    fn keys(self) -> Keys {
        let FabricSpec { like, density, thickness, stretch, shear, poisson, bend } = self;
        Keys { like, density, thickness, stretch, shear, poisson, bend }
    }
}

impl Serialize for FabricSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.like {
            Some(name) if *self == FabricSpec::like(name) => serializer.serialize_str(name),
            _ => self.clone().keys().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for FabricSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;

        impl<'de> Visitor<'de> for NameOrTable {
            type Value = FabricSpec;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the name of a fabric, or a table of its numbers")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<FabricSpec, E> {
                Ok(FabricSpec::like(name))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FabricSpec, A::Error> {
                let Keys { like, density, thickness, stretch, shear, poisson, bend } =
                    Keys::deserialize(MapAccessDeserializer::new(map))?;
                Ok(FabricSpec { like, density, thickness, stretch, shear, poisson, bend })
            }
        }

        deserializer.deserialize_any(NameOrTable)
    }
}
