//! Balloons and soft shapes by keys.

use super::{ConstraintSpec, Turn, above_zero, stiffness, turn};
use crate::body::Collide;
use crate::filter::Filter;
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::recipe::{Balloon, BendModel, SoftShape};
use serde::{Deserialize, Serialize};

/// A balloon: a ball, or the closed mesh of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BalloonSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// Mesh file, relative to the scene file; instead of a ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Metres.
    pub radius: f32,
    /// Halvings of the ball's edges.
    pub detail: u32,
    /// Metres.
    pub position: [f32; 3],
    /// Turn before it is moved.
    pub rotation: Turn,
    /// Factor before it is turned.
    pub scale: f32,
    /// m/s.
    pub velocity: [f32; 3],
    /// Multiple of the volume at rest.
    pub pressure: f32,
    /// Pairs [seconds, multiple]; instead of `pressure`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pressure_path: Vec<[f64; 2]>,
    /// m^3/Pa; rigid without it and `volume_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_stiffness: Option<f32>,
    /// kg/m^2.
    pub density: f32,
    /// m/N; instead of `stretch_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_stiffness: Option<f32>,
    /// m/N (or PBD's k beside `stretch_stiffness`), when compressed; as in stretch if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compress: Option<f32>,
    /// How it bends; dihedral if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<BendModel>,
    /// rad^2/J, isometric 1/J; no bending without this and `bend_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_stiffness: Option<f32>,
    /// Pinned vertices.
    pub pin_vertices: Vec<u32>,
    /// Metres.
    pub thickness: f32,
    /// Coefficient.
    pub friction: f32,
    /// Factor on that of colliders.
    pub restitution: f32,
    /// 0..1 a step.
    pub damping: f32,
    /// Coefficient in the air.
    pub drag: f32,
    /// Coefficient in the air.
    pub lift: f32,
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

/// Particles that keep their shape: a ball, a box, or the mesh of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SoftSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// Mesh file, relative to the scene file; instead of a ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Metres.
    pub radius: f32,
    /// Halvings of the ball's edges.
    pub detail: u32,
    /// Half the edges of a box, metres; instead of a ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half: Option<[f32; 3]>,
    /// Cells along the edges of a box; 8 each if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<[u32; 3]>,
    /// Metres.
    pub position: [f32; 3],
    /// Turn before it is moved.
    pub rotation: Turn,
    /// Factor before it is turned.
    pub scale: f32,
    /// m/s.
    pub velocity: [f32; 3],
    /// kg of all.
    pub mass: f32,
    /// m/N; rigid without it and `stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f32>,
    /// Share of the best linear map.
    pub linear: f32,
    /// Radius of clusters, metres; one shape without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<f32>,
    /// Pinned vertices.
    pub pin_vertices: Vec<u32>,
    /// Metres.
    pub thickness: f32,
    /// Coefficient.
    pub friction: f32,
    /// Factor on that of colliders.
    pub restitution: f32,
    /// 0..1 a step.
    pub damping: f32,
    /// Coefficient in the air.
    pub drag: f32,
    /// Coefficient in the air.
    pub lift: f32,
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

impl Default for BalloonSpec {
    fn default() -> Self {
        BalloonSpec {
            name: String::new(),
            mesh: None,
            radius: 0.2,
            detail: 3,
            position: [0.0; 3],
            rotation: Turn::default(),
            scale: 1.0,
            velocity: [0.0; 3],
            pressure: 1.0,
            pressure_path: Vec::new(),
            volume_compliance: None,
            volume_stiffness: None,
            density: 0.2,
            stretch_compliance: None,
            stretch_stiffness: None,
            compress: None,
            bend: None,
            bend_compliance: None,
            bend_stiffness: None,
            pin_vertices: Vec::new(),
            thickness: 0.002,
            friction: 0.5,
            restitution: 1.0,
            damping: 0.0,
            drag: 0.0,
            lift: 0.0,
            groups: Filter::default().groups,
            mask: Filter::default().mask,
            collide: Collide::Nothing,
            constraint: Vec::new(),
        }
    }
}

impl Default for SoftSpec {
    fn default() -> Self {
        SoftSpec {
            name: String::new(),
            mesh: None,
            radius: 0.2,
            detail: 3,
            half: None,
            cells: None,
            position: [0.0; 3],
            rotation: Turn::default(),
            scale: 1.0,
            velocity: [0.0; 3],
            mass: 1.0,
            compliance: None,
            stiffness: None,
            linear: 0.0,
            clusters: None,
            pin_vertices: Vec::new(),
            thickness: 0.002,
            friction: 0.5,
            restitution: 1.0,
            damping: 0.0,
            drag: 0.0,
            lift: 0.0,
            groups: Filter::default().groups,
            mask: Filter::default().mask,
            collide: Collide::Nothing,
            constraint: Vec::new(),
        }
    }
}

/// A ball of a radius.
fn ball(of: &str, radius: f32, detail: u32) -> Result<Mesh, String> {
    above_zero(of, "radius", radius, " m")?;
    if detail > 8 {
        return Err(format!("{of}: detail is {detail}, which is not within 0 .. 8"));
    }
    Ok(Mesh::ball(radius, detail))
}

impl BalloonSpec {
    pub(super) fn build(&self, of: &str, mesh: Option<Mesh>) -> Result<Balloon, String> {
        above_zero(of, "scale", self.scale, "")?;
        turn(of, "rotation", self.rotation.axis, self.rotation.degrees)?;
        let mesh = mesh.map_or_else(|| ball(of, self.radius, self.detail), Ok)?;
        let mut balloon = Balloon::new(&mesh).pressure(self.pressure);
        if !self.pressure_path.is_empty() {
            if self.pressure != 1.0 {
                return Err(format!("{of}: give pressure or pressure_path, not both"));
            }
            balloon = balloon.pressure_path(&self.pressure_path);
        }
        if let Some(s) = stiffness(of, "volume_", self.volume_compliance, self.volume_stiffness)? {
            balloon = balloon.volume_by(s);
        }
        if let Some(s) = stiffness(of, "stretch_", self.stretch_compliance, self.stretch_stiffness)? {
            balloon = balloon.stretch_by(s);
        }
        if let Some(s) = stiffness(of, "bend_", self.bend_compliance, self.bend_stiffness)? {
            balloon = balloon.bend_by(s).bend_model(self.bend.unwrap_or_default());
        } else if self.bend.is_some() {
            return Err(format!(
                "{of}: `bend` means nothing without bend_compliance or bend_stiffness; add one of them"
            ));
        }
        if let Some(number) = self.compress {
            balloon = balloon.compress(number);
        }
        for rows in &self.constraint {
            balloon = balloon.constrain(rows.build(of)?);
        }
        let pose = Pose::at(self.position).turned(self.rotation.axis, self.rotation.degrees);
        Ok(balloon
            .named(self.name.clone())
            .placed(pose, self.scale)
            .velocity(self.velocity)
            .density(self.density)
            .pin(&self.pin_vertices)
            .thickness(self.thickness)
            .friction(self.friction)
            .restitution(self.restitution)
            .damping(self.damping)
            .drag(self.drag)
            .lift(self.lift)
            .filter(Filter { groups: self.groups, mask: self.mask })
            .collide(self.collide))
    }
}

impl SoftSpec {
    pub(super) fn build(&self, of: &str, mesh: Option<Mesh>) -> Result<SoftShape, String> {
        above_zero(of, "scale", self.scale, "")?;
        turn(of, "rotation", self.rotation.axis, self.rotation.degrees)?;
        let mesh = match (mesh, self.half) {
            (Some(_), Some(_)) => return Err(format!("{of}: give mesh or half, not both")),
            (Some(mesh), None) => mesh,
            (None, Some(half)) => {
                half.iter().try_for_each(|&side| above_zero(of, "half", side, " m"))?;
                let cells = self.cells.unwrap_or([8; 3]);
                if let Some(n) = cells.iter().find(|n| !(1..=1000).contains(*n)) {
                    return Err(format!("{of}: cells has {n}, which is not within 1 .. 1000"));
                }
                Mesh::cuboid(half, cells)
            }
            (None, None) => ball(of, self.radius, self.detail)?,
        };
        if self.cells.is_some() && self.half.is_none() {
            return Err(format!("{of}: `cells` means nothing without half; leave it out or add it"));
        }
        let mut soft = SoftShape::new(&mesh);
        if let Some(s) = stiffness(of, "", self.compliance, self.stiffness)? {
            soft = soft.stiffness_by(s);
        }
        if let Some(radius) = self.clusters {
            soft = soft.clusters(radius);
        }
        for rows in &self.constraint {
            soft = soft.constrain(rows.build(of)?);
        }
        let pose = Pose::at(self.position).turned(self.rotation.axis, self.rotation.degrees);
        Ok(soft
            .named(self.name.clone())
            .placed(pose, self.scale)
            .velocity(self.velocity)
            .mass(self.mass)
            .linear(self.linear)
            .pin(&self.pin_vertices)
            .thickness(self.thickness)
            .friction(self.friction)
            .restitution(self.restitution)
            .damping(self.damping)
            .drag(self.drag)
            .lift(self.lift)
            .filter(Filter { groups: self.groups, mask: self.mask })
            .collide(self.collide))
    }
}
