//! Rods by keys.

use super::obstacle::{AttachSpec, Hung, Worn};
use super::{ConstraintSpec, MovingPinsSpec};
use crate::body::Collide;
use crate::filter::Filter;
use crate::recipe::Rod;
use serde::{Deserialize, Serialize};

/// A rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RodSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// First point, metres.
    pub from: [f32; 3],
    /// Last point, metres.
    pub to: [f32; 3],
    /// Number of segments.
    pub segments: u32,
    /// All points, metres; instead of `from`, `to` and `segments`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<[f32; 3]>,
    /// Of its section, metres.
    pub radius: f32,
    /// kg/m^3.
    pub density: f32,
    /// Young's modulus, Pa.
    pub young: f32,
    /// Poisson's ratio.
    pub poisson: f32,
    /// Pa; instead of what Poisson's ratio gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_modulus: Option<f32>,
    /// Correction of shear, instead of a round section's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_correction: Option<f32>,
    /// kg beside its own at the first and the last point.
    pub end_masses: [f32; 2],
    /// Relaxation time of its damping, seconds.
    pub relaxation: f32,
    /// Pinned points; a segment between two of them is clamped.
    pub pin_vertices: Vec<u32>,
    /// Pins that follow paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moving_pins: Vec<MovingPinsSpec>,
    /// Vertices that go with obstacles, or stay near them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<AttachSpec>,
    /// Metres, for contacts; its radius if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f32>,
    /// Coefficient.
    pub friction: f32,
    /// Factor on that of colliders.
    pub restitution: f32,
    /// 0..1 a step.
    pub damping: f32,
    /// Groups that it is in, a bit each.
    pub groups: u32,
    /// Groups of colliders and other bodies that it meets, a bit each.
    pub mask: u32,
    /// With which bodies, beside colliders.
    pub collide: Collide,
    /// Rows of any kind, beside its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraint: Vec<ConstraintSpec>,
}

impl Default for RodSpec {
    fn default() -> Self {
        RodSpec {
            name: String::new(),
            from: [0.0; 3],
            to: [1.0, 0.0, 0.0],
            segments: 32,
            points: Vec::new(),
            radius: 0.005,
            density: 1000.0,
            young: 1e6,
            poisson: 0.3,
            shear_modulus: None,
            shear_correction: None,
            end_masses: [0.0; 2],
            relaxation: 0.0,
            pin_vertices: Vec::new(),
            moving_pins: Vec::new(),
            attach: Vec::new(),
            thickness: None,
            friction: 0.5,
            restitution: 1.0,
            damping: 0.0,
            groups: Filter::default().groups,
            mask: Filter::default().mask,
            collide: Collide::Nothing,
            constraint: Vec::new(),
        }
    }
}

impl RodSpec {
    pub(super) fn build(&self, of: &str, worn: &[Worn]) -> Result<Rod, String> {
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
        if let Some(thickness) = self.thickness {
            rod = rod.thickness(thickness);
        }
        for (i, pins) in self.moving_pins.iter().enumerate() {
            let of = format!("{of}, moving_pins {i}");
            let part = |_| Err(format!("{of}: `pin` names parts of a grid; a rod is pinned by `pin_vertices`"));
            rod = rod.move_pins(pins.build(&of, part, |vertices| Ok(vertices.to_vec()))?);
        }
        for rows in &self.constraint {
            rod = rod.constrain(rows.build(of)?);
        }
        for (i, attach) in self.attach.iter().enumerate() {
            let of = format!("{of}, attach {i}");
            let part = |_| Err(format!("{of}: `pin` names parts of a grid; a rod is attached by `pin_vertices`"));
            rod = match attach.build(&of, rod.points(), worn, part, |vertices| Ok(vertices.to_vec()))? {
                Hung::Attached(to, vertices) => rod.attach(to, &vertices),
                Hung::Tethered(tether) => rod.tether(tether),
            };
        }
        Ok(rod
            .named(self.name.clone())
            .radius(self.radius)
            .density(self.density)
            .young(self.young)
            .poisson(self.poisson)
            .end_masses(self.end_masses)
            .relaxation(self.relaxation)
            .pin(&self.pin_vertices)
            .friction(self.friction)
            .restitution(self.restitution)
            .damping(self.damping)
            .filter(Filter { groups: self.groups, mask: self.mask })
            .collide(self.collide))
    }
}
