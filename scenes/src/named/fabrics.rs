//! Fabrics beside each other.

use super::parts::{ground, scene};
use crate::tables::{AirSpec, ClothSpec, FabricSpec, SceneSpec, Turn};
use seidel::{ClothModel, Collide, GridPins};

/// A sheet in the plane z = 0, its first row uppermost.
fn hung(name: &str, size: [f32; 2], resolution: [u32; 2], position: [f32; 3]) -> ClothSpec {
    ClothSpec {
        name: name.to_owned(),
        resolution,
        size,
        position,
        rotation: Turn { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
        damping: 0.01,
        collide: Collide::All,
        ..ClothSpec::default()
    }
}

/// Five flags on their poles in the same light wind, from the lightest fabric to the heaviest.
pub(super) fn flag_materials() -> SceneSpec {
    let flag = |(i, name): (usize, &str)| {
        // Side by side across the wind, and one behind the other along it, so that none is in another's way.
        let (x, z) = (0.6 * i as f32 - 1.2, 1.1 - 0.55 * i as f32);
        ClothSpec {
            fabric: Some(FabricSpec::like(name)),
            model: Some(ClothModel::Strain),
            pin: vec![GridPins::FirstColumn],
            drag: 1.2,
            lift: 1.5,
            thickness: Some(0.003),
            ..hung(name, [0.9, 0.6], [36, 24], [x, 1.2, z])
        }
    };
    SceneSpec {
        min_contacts: 500,
        air: AirSpec { wind: [2.8, 0.0, 0.5], gusts: 0.3, ..AirSpec::default() },
        cloth: ["silk", "cotton", "denim", "leather", "rubber"].into_iter().enumerate().map(flag).collect(),
        collider: vec![ground()],
        ..scene("flag-materials", "flags of silk, cotton, denim, leather and rubber in a wind of 2.8 m/s", 40)
    }
}

/// Three sheets of one loose and heavy weave, cut along the warp, on the bias and along the weft: the one on the bias
/// is longest. Beside its yarns it shears so easily that finite elements want many substeps.
pub(super) fn orthotropic() -> SceneSpec {
    let loose =
        FabricSpec { density: Some(0.5), shear: Some(11.0), bend: Some([5e-5; 2]), ..FabricSpec::like("cotton") };
    let sheet = |(i, (name, warp)): (usize, (&str, [f64; 3]))| ClothSpec {
        fabric: Some(loose.clone()),
        model: Some(ClothModel::Orthotropic),
        warp: Some(warp),
        damping: 0.03,
        pin: vec![GridPins::FirstRow],
        ..hung(name, [0.6, 1.2], [24, 48], [0.9 * i as f32 - 0.9, 1.2, 0.0])
    };
    let cuts = [("warp", [0.0, 0.0, 1.0]), ("bias", [1.0, 0.0, 1.0]), ("weft", [1.0, 0.0, 0.0])];
    SceneSpec {
        cloth: cuts.into_iter().enumerate().map(sheet).collect(),
        collider: vec![ground()],
        ..scene("orthotropic", "sheets of a loose weave hang by the warp, on the bias and by the weft", 120)
    }
}
