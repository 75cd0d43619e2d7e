//! Ropes by keys.

use super::obstacle::{AttachSpec, Hung, Worn};
use super::{ConstraintSpec, MovingPinsSpec, stiffness};
use crate::body::Collide;
use crate::filter::Filter;
use crate::recipe::Rope;
use serde::{Deserialize, Serialize};

/// A rope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RopeSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// First particle, metres.
    pub from: [f32; 3],
    /// Last particle, metres.
    pub to: [f32; 3],
    /// Number of links.
    pub segments: u32,
    /// All particles, metres; instead of `from`, `to` and `segments`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<[f32; 3]>,
    /// kg of each particle.
    pub link_mass: f32,
    /// kg of the last particle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_mass: Option<f32>,
    /// m/N; instead of `stretch_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_stiffness: Option<f32>,
    /// Links pull and never push.
    pub slack: bool,
    /// Pinned particles.
    pub pin_vertices: Vec<u32>,
    /// Pins that follow paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moving_pins: Vec<MovingPinsSpec>,
    /// Share of its way at rest by which each vertex may be further from its nearest pin; any distance if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_range: Option<f32>,
    /// Vertices that go with obstacles, or stay near them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<AttachSpec>,
    /// Metres.
    pub thickness: f32,
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

impl Default for RopeSpec {
    fn default() -> Self {
        RopeSpec {
            name: String::new(),
            from: [0.0; 3],
            to: [1.0, 0.0, 0.0],
            segments: 32,
            points: Vec::new(),
            link_mass: 0.01,
            end_mass: None,
            stretch_compliance: None,
            stretch_stiffness: None,
            slack: false,
            pin_vertices: Vec::new(),
            moving_pins: Vec::new(),
            long_range: None,
            attach: Vec::new(),
            thickness: 0.005,
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

impl RopeSpec {
    pub(super) fn build(&self, of: &str, worn: &[Worn]) -> Result<Rope, String> {
        let mut rope = match self.points.is_empty() {
            true => Rope::new(self.from, self.to, self.segments),
            false => Rope::through(self.points.clone()),
        };
        if let Some(s) = stiffness(of, "stretch_", self.stretch_compliance, self.stretch_stiffness)? {
            rope = rope.stretch_by(s);
        }
        if let Some(mass) = self.end_mass {
            rope = rope.end_mass(mass);
        }
        for (i, pins) in self.moving_pins.iter().enumerate() {
            let of = format!("{of}, moving_pins {i}");
            let part = |_| Err(format!("{of}: `pin` names parts of a grid; a rope is pinned by `pin_vertices`"));
            rope = rope.move_pins(pins.build(&of, part, |vertices| Ok(vertices.to_vec()))?);
        }
        for rows in &self.constraint {
            rope = rope.constrain(rows.build(of)?);
        }
        if let Some(slack) = self.long_range {
            rope = rope.long_range(slack);
        }
        for (i, attach) in self.attach.iter().enumerate() {
            let of = format!("{of}, attach {i}");
            let part = |_| Err(format!("{of}: `pin` names parts of a grid; a rope is attached by `pin_vertices`"));
            rope = match attach.build(&of, rope.points(), worn, part, |vertices| Ok(vertices.to_vec()))? {
                Hung::Attached(to, vertices) => rope.attach(to, &vertices),
                Hung::Tethered(tether) => rope.tether(tether),
            };
        }
        Ok(rope
            .named(self.name.clone())
            .link_mass(self.link_mass)
            .slack(self.slack)
            .pin(&self.pin_vertices)
            .thickness(self.thickness)
            .friction(self.friction)
            .restitution(self.restitution)
            .damping(self.damping)
            .filter(Filter { groups: self.groups, mask: self.mask })
            .collide(self.collide))
    }
}
