//! Ropes by keys.

use super::attach::Worn;
use super::body_table::BodyTable;
use super::check::stiffness;
use super::geometry::Files;
use super::keys::table;
use super::variant::Variant;
use super::vertices::Numbers;
use super::{LongRangeSpec, PlasticSpec};
use seidel::memory::Need;
use seidel::{Collide, Recipe, Rope};

table! {
    /// A rope.
    RopeSpec of Rope: met, body {
        /// First particle, metres.
        from: [f32; 3] = [0.0; 3],
        /// Last particle, metres.
        to: [f32; 3] = [1.0, 0.0, 0.0],
        /// Number of links.
        segments: u32 = 32,
        /// All particles, metres; instead of `from`, `to` and `segments`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        points: Vec<[f32; 3]> = Vec::new(),
        /// kg of each particle.
        link_mass: f32 = 0.01,
        /// kg of the last particle.
        #[serde(skip_serializing_if = "Option::is_none")]
        end_mass: Option<f32> = None,
        /// m/N; instead of `stretch_stiffness`.
        #[serde(skip_serializing_if = "Option::is_none")]
        stretch_compliance: Option<f32> = None,
        /// PBD's k, 0..1.
        #[serde(skip_serializing_if = "Option::is_none")]
        stretch_stiffness: Option<f32> = None,
        /// Links pull and never push.
        slack: bool = false,
        /// Links stay stretched beyond a strain.
        #[serde(skip_serializing_if = "Option::is_none")]
        plastic: Option<PlasticSpec> = None,
        /// Share of its way at rest by which each vertex may be further from its nearest pin; any distance if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        long_range: Option<LongRangeSpec> = None,
        /// Metres.
        thickness: f32 = 0.005,
    }
}

impl RopeSpec {
    pub(super) const VARIANTS: &[Variant] =
        &[Variant { name: "a line", keys: &["from", "to", "segments"], other: &["points"] }];
}

/// Keys of which there are maps.
const MAPPED: &[&str] = &["stretch_compliance", "stretch_stiffness"];

impl BodyTable for RopeSpec {
    fn placed(&self) -> Option<(seidel::Pose, seidel::Scale)> {
        None
    }

    fn names_maps(&self) -> bool {
        self.names_maps()
    }

    fn need(&self) -> Option<(&'static str, Need)> {
        let need = Need::rope(u64::from(self.segments) + 1).colliding(self.collide != Collide::Nothing);
        self.points.is_empty().then_some(("segments", need))
    }

    fn build(&self, of: &str, files: &mut Files, worn: &[Worn]) -> Result<Recipe, String> {
        let mut rope = match self.points.is_empty() {
            true => Rope::new(self.from, self.to, self.segments),
            false => Rope::through(self.points.clone()),
        };
        let maps = self.maps(of, files, MAPPED, &rope, &Numbers::default())?;
        // Links are rigid unless something is said.
        let usual = self.stretch_stiffness.is_none().then_some(0.0);
        let compliance = maps.over_usual("stretch_compliance", self.stretch_compliance, usual)?;
        let pbd = maps.over("stretch_stiffness", self.stretch_stiffness)?;
        if let Some(s) = stiffness(of, "stretch_", compliance, pbd)? {
            rope = rope.stretch_by(s);
        }
        if let Some(mass) = self.end_mass {
            rope = rope.end_mass(mass);
        }
        if let Some(plastic) = self.plastic {
            rope = rope.plastic(plastic.build());
        }
        if let Some(slack) = self.long_range {
            rope = rope.long_range(slack.build());
        }
        if let Some(thickness) = maps.over("thickness", Some(self.thickness))? {
            rope = rope.thickness(thickness);
        }
        let rope = rope.link_mass(self.link_mass).slack(self.slack);
        Ok(self.bodily(of, rope, worn, (&maps, &Numbers::default()))?.into())
    }
}
