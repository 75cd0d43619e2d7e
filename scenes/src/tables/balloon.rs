//! Balloons by keys.

use super::attach::Worn;
use super::body_table::BodyTable;
use super::check::{above_zero, stiffness};
use super::geometry::Files;
use super::keys::table;
use super::variant::Variant;
use super::vertices::Numbers;
use seidel::memory::Need;
use seidel::{Balloon, BendModel, Collide, Mesh, Recipe};

table! {
    /// A balloon: a ball, or the closed mesh of a file.
    BalloonSpec of Balloon: met, placed, blown, body {
        /// Mesh file, relative to the scene file; instead of a ball.
        #[serde(skip_serializing_if = "Option::is_none")]
        mesh: Option<String> = None,
        /// Metres.
        radius: f32 = 0.2,
        /// Halvings of the ball's edges.
        detail: u32 = 3,
        /// Multiple of the volume at rest.
        pressure: f32 = 1.0,
        /// Pairs [seconds, multiple]; instead of `pressure`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pressure_path: Vec<[f64; 2]> = Vec::new(),
        /// m^3/Pa; rigid without it and `volume_stiffness`.
        #[serde(skip_serializing_if = "Option::is_none")]
        volume_compliance: Option<f32> = None,
        /// PBD's k, 0..1.
        #[serde(skip_serializing_if = "Option::is_none")]
        volume_stiffness: Option<f32> = None,
        /// kg/m^2.
        density: f32 = 0.2,
        /// m/N; instead of `stretch_stiffness`.
        #[serde(skip_serializing_if = "Option::is_none")]
        stretch_compliance: Option<f32> = None,
        /// PBD's k, 0..1.
        #[serde(skip_serializing_if = "Option::is_none")]
        stretch_stiffness: Option<f32> = None,
        /// m/N (or PBD's k beside `stretch_stiffness`), when compressed; as in stretch if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        compress: Option<f32> = None,
        /// How it bends; dihedral if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        bend: Option<BendModel> = None,
        /// rad^2/J, isometric 1/J; no bending without this and `bend_stiffness`.
        #[serde(skip_serializing_if = "Option::is_none")]
        bend_compliance: Option<f32> = None,
        /// PBD's k, 0..1.
        #[serde(skip_serializing_if = "Option::is_none")]
        bend_stiffness: Option<f32> = None,
        /// Metres.
        thickness: f32 = 0.002,
    }
}

impl BalloonSpec {
    pub(super) const VARIANTS: &[Variant] =
        &[Variant { name: "a ball", keys: &["radius", "detail"], other: &["mesh"] }];
}

/// A ball of a radius.
pub(super) fn ball(of: &str, radius: f32, detail: u32) -> Result<Mesh, String> {
    above_zero(of, "radius", radius, " m")?;
    if detail > 8 {
        return Err(format!("{of}: detail is {detail}, which is not within 0 .. 8"));
    }
    Ok(Mesh::ball(radius, detail))
}

/// Vertices and triangles of a ball.
pub(super) fn ball_counts(detail: u32) -> [u64; 2] {
    let faces = 4u64.saturating_pow(detail);
    [faces.saturating_mul(10).saturating_add(2), faces.saturating_mul(20)]
}

/// m/N, of a skin's edges unless told, as [`Balloon::new`] has it.
const USUAL_STRETCH: f32 = 1e-3;

/// Keys of which there are maps.
const MAPPED: &[&str] =
    &["density", "stretch_compliance", "stretch_stiffness", "compress", "bend_compliance", "bend_stiffness"];

impl BodyTable for BalloonSpec {
    fn surface(&self) -> Option<(&str, bool)> {
        self.mesh.as_deref().map(|file| (file, false))
    }

    fn placed(&self) -> Option<(seidel::Pose, seidel::Scale)> {
        Some(self.placement())
    }

    fn names_maps(&self) -> bool {
        self.names_maps()
    }

    fn need(&self) -> Option<(&'static str, Need)> {
        let [vertices, triangles] = ball_counts(self.detail);
        let bends = self.bend_compliance.is_some() || self.bend_stiffness.is_some();
        let need = Need::sheet(vertices, triangles, bends).colliding(self.collide != Collide::Nothing);
        self.mesh.is_none().then_some(("detail", need))
    }

    fn build(&self, of: &str, files: &mut Files, worn: &[Worn]) -> Result<Recipe, String> {
        let pose = self.pose(of)?;
        let (mesh, numbers) = match self.mesh.as_deref() {
            Some(file) => files.mapped(of, file)?,
            None => (ball(of, self.radius, self.detail)?, Numbers::default()),
        };
        let mut balloon = Balloon::new(mesh).pressure(self.pressure);
        if !self.pressure_path.is_empty() {
            if self.pressure != 1.0 {
                return Err(format!("{of}: give pressure or pressure_path, not both"));
            }
            balloon = balloon.pressure_path(&self.pressure_path);
        }
        if let Some(s) = stiffness(of, "volume_", self.volume_compliance, self.volume_stiffness)? {
            balloon = balloon.volume_by(s);
        }
        let mut balloon = balloon.placed(pose, self.scale);
        let maps = self.maps(of, files, MAPPED, &balloon, &numbers)?;
        let stiff = |what: &str, compliance: Option<f32>, pbd: Option<f32>| {
            let usual = (what == "stretch_" && pbd.is_none()).then_some(USUAL_STRETCH);
            let compliance = maps.over_usual(&format!("{what}compliance"), compliance, usual)?;
            stiffness(of, what, compliance, maps.over(&format!("{what}stiffness"), pbd)?)
        };
        if let Some(s) = stiff("stretch_", self.stretch_compliance, self.stretch_stiffness)? {
            balloon = balloon.stretch_by(s);
        }
        if let Some(s) = stiff("bend_", self.bend_compliance, self.bend_stiffness)? {
            balloon = balloon.bend_by(s).bend_model(self.bend.unwrap_or_default());
        } else if self.bend.is_some() {
            return Err(format!(
                "{of}: `bend` means nothing without bend_compliance or bend_stiffness; add one of them"
            ));
        }
        if let Some(numbers) = maps.over("compress", self.compress)? {
            balloon = balloon.compress(numbers);
        }
        if let Some(thickness) = maps.over("thickness", Some(self.thickness))? {
            balloon = balloon.thickness(thickness);
        }
        if let Some(density) = maps.over("density", Some(self.density))? {
            balloon = balloon.density(density);
        }
        Ok(self.bodily(of, self.blown(balloon), worn, (&maps, &numbers))?.into())
    }
}
