//! Rods by keys.

use super::attach::Worn;
use super::body_table::BodyTable;
use super::geometry::Files;
use super::keys::table;
use super::variant::Variant;
use super::vertices::Numbers;
use seidel::memory::Need;
use seidel::{Collide, Recipe, Rod};

table! {
    /// A rod.
    RodSpec of Rod: met, body {
        /// First point, metres.
        from: [f32; 3] = [0.0; 3],
        /// Last point, metres.
        to: [f32; 3] = [1.0, 0.0, 0.0],
        /// Number of segments.
        segments: u32 = 32,
        /// All points, metres; instead of `from`, `to` and `segments`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        points: Vec<[f32; 3]> = Vec::new(),
        /// Of its section, metres.
        radius: f32 = 0.005,
        /// kg/m^3.
        density: f32 = 1000.0,
        /// Young's modulus, Pa.
        young: f32 = 1e6,
        /// Poisson's ratio.
        poisson: f32 = 0.3,
        /// Pa; instead of what Poisson's ratio gives.
        #[serde(skip_serializing_if = "Option::is_none")]
        shear_modulus: Option<f32> = None,
        /// Correction of shear, instead of a round section's.
        #[serde(skip_serializing_if = "Option::is_none")]
        shear_correction: Option<f32> = None,
        /// kg beside its own at the first and the last point.
        end_masses: [f32; 2] = [0.0; 2],
        /// Relaxation time of its damping, seconds.
        relaxation: f32 = 0.0,
        /// Metres, for contacts; its radius if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        thickness: Option<f32> = None,
    }
}

impl RodSpec {
    pub(super) const VARIANTS: &[Variant] =
        &[Variant { name: "a line", keys: &["from", "to", "segments"], other: &["points"] }];
}

/// Keys of which there are maps.
const MAPPED: &[&str] = &["radius", "density", "young"];

impl BodyTable for RodSpec {
    fn placed(&self) -> Option<(seidel::Pose, seidel::Scale)> {
        None
    }

    fn names_maps(&self) -> bool {
        self.names_maps()
    }

    fn need(&self) -> Option<(&'static str, Need)> {
        let need = Need::rod(u64::from(self.segments) + 1).colliding(self.collide != Collide::Nothing);
        self.points.is_empty().then_some(("segments", need))
    }

    fn build(&self, of: &str, files: &mut Files, worn: &[Worn]) -> Result<Recipe, String> {
        let mut rod = match self.points.is_empty() {
            true => Rod::new(self.from, self.to, self.segments),
            false => Rod::through(self.points.clone()),
        };
        if let Some(modulus) = self.shear_modulus {
            rod = rod.shear_modulus(modulus);
        }
        if let Some(kappa) = self.shear_correction {
            rod = rod.shear_correction(kappa);
        }
        let maps = self.maps(of, files, MAPPED, &rod, &Numbers::default())?;
        let radius = maps.over("radius", Some(self.radius))?.unwrap_or(self.radius.into());
        if let Some(density) = maps.over("density", Some(self.density))? {
            rod = rod.density(density);
        }
        if let Some(modulus) = maps.over("young", Some(self.young))? {
            rod = rod.young(modulus);
        }
        if maps.has("thickness") {
            // Where nothing else is said of it, that of the section.
            let usual = (0..rod.points().len()).map(|v| Some(self.thickness.unwrap_or(radius.get(v)))).collect();
            rod = rod.thickness(maps.over_each("thickness", usual)?);
        } else if let Some(thickness) = self.thickness {
            rod = rod.thickness(thickness);
        }
        let rod = rod.radius(radius).poisson(self.poisson).end_masses(self.end_masses).relaxation(self.relaxation);
        Ok(self.bodily(of, rod, worn, (&maps, &Numbers::default()))?.into())
    }
}
