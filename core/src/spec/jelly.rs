//! Solids by keys.

use super::obstacle::{AttachSpec, Hung, Worn};
use super::{ConstraintSpec, Geometry, MovingPinsSpec, Turn, above_zero, is_zero, turn};
use crate::body::Collide;
use crate::filter::Filter;
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::recipe::{Jelly, Side, SolidModel};
use serde::{Deserialize, Serialize};

/// A solid: a bar, a tube, tetrahedra of a file, or a closed surface that is filled with some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JellySpec {
    /// Name, unique in the scene.
    pub name: String,
    /// File of tetrahedra or of a closed surface, relative to the scene file; instead of a bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Balls [x, y, z, radius] that flow into one another, metres: a closed surface, instead of a bar.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub balls: Vec<[f32; 4]>,
    /// Width of the cells that a closed surface is filled with, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<f32>,
    /// File of a surface that goes with tetrahedra of a file and is shown instead of theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<String>,
    /// Metres along x, y and z.
    pub size: [f32; 3],
    /// Outer and inner radius of a tube about x, metres, as long as the first of `size`; instead of a bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tube: Option<[f32; 2]>,
    /// Cells along x, y and z; of a tube along it, through its wall and around it.
    pub cells: [u32; 3],
    /// Metres.
    pub position: [f32; 3],
    /// Turn before it is moved.
    pub rotation: Turn,
    /// Factor before it is turned.
    pub scale: f32,
    /// m/s.
    pub velocity: [f32; 3],
    /// kg/m^3.
    pub density: f32,
    /// Pa.
    pub young: f32,
    /// Ratio.
    pub poisson: f32,
    /// How it resists strain.
    pub model: SolidModel,
    /// PBD's k, 0..1; instead of `young`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f32>,
    /// Relaxation time, s.
    #[serde(skip_serializing_if = "is_zero")]
    pub relaxation: f32,
    /// Sides whose vertices are pinned.
    pub pin_sides: Vec<Side>,
    /// Pinned vertices.
    pub pin_vertices: Vec<u32>,
    /// Pins that follow paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moving_pins: Vec<MovingPinsSpec>,
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

impl Default for JellySpec {
    fn default() -> Self {
        JellySpec {
            name: String::new(),
            mesh: None,
            balls: Vec::new(),
            cell: None,
            skin: None,
            size: [1.0, 0.2, 0.2],
            tube: None,
            cells: [20, 4, 4],
            position: [0.0; 3],
            rotation: Turn::default(),
            scale: 1.0,
            velocity: [0.0; 3],
            density: 1000.0,
            young: 1e5,
            poisson: 0.3,
            model: SolidModel::default(),
            stiffness: None,
            relaxation: 0.0,
            pin_sides: Vec::new(),
            pin_vertices: Vec::new(),
            moving_pins: Vec::new(),
            attach: Vec::new(),
            thickness: 0.001,
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

/// Triangles of balls are so wide, of the cells that they are filled with.
const FINE: f32 = 0.35;

impl JellySpec {
    fn source(&self, of: &str, mesh: Option<Geometry>) -> Result<Jelly, String> {
        let surface = |surface: &Mesh| {
            let cell = self.cell.ok_or_else(|| {
                format!(
                    "{of}: a surface is filled with cells, and `cell` is not given; add it, such as cell = 0.05 (m)"
                )
            })?;
            above_zero(of, "cell", cell, " m")?;
            Ok::<_, String>(Jelly::filled(surface, cell))
        };
        let only = [self.mesh.is_some(), !self.balls.is_empty(), self.tube.is_some()];
        if only.iter().filter(|given| **given).count() > 1 {
            return Err(format!("{of}: give one of `mesh`, `balls` and `tube`"));
        }
        let filled = matches!(&mesh, Some(Geometry::Surface(_))) || !self.balls.is_empty();
        if self.cell.is_some() && !filled {
            return Err(format!("{of}: `cell` is for a surface that is filled, and there is none"));
        }
        match mesh {
            Some(Geometry::Solid(solid)) => Ok(Jelly::new(&solid)),
            Some(Geometry::Surface(mesh)) => surface(&mesh),
            None if filled => {
                let fine = self.cell.unwrap_or(1.0) * FINE;
                above_zero(of, "cell", fine, " m")?;
                surface(&Mesh::of_balls(&self.balls, fine).map_err(|e| format!("{of}: {e}"))?)
            }
            None => Ok(match self.tube {
                Some(radii) => Jelly::tube(self.size[0], radii, self.cells),
                None => Jelly::bar(self.size, self.cells),
            }),
        }
    }

    pub(super) fn build(
        &self,
        of: &str,
        mesh: Option<Geometry>,
        skin: Option<Mesh>,
        worn: &[Worn],
    ) -> Result<Jelly, String> {
        above_zero(of, "scale", self.scale, "")?;
        turn(of, "rotation", self.rotation.axis, self.rotation.degrees)?;
        let mut jelly = self.source(of, mesh)?;
        if let Some(skin) = skin {
            jelly = jelly.skin(&skin);
        }
        if let Some(k) = self.stiffness {
            jelly = jelly.pbd(k);
        }
        for &side in &self.pin_sides {
            jelly = jelly.pin_side(side);
        }
        for (i, pins) in self.moving_pins.iter().enumerate() {
            let of = format!("{of}, moving_pins {i}");
            let part =
                |_| Err(format!("{of}: `pin` names parts of a grid; a solid has `pin_sides` and `pin_vertices`"));
            let sides = pins.pin_sides.iter().flat_map(|side| jelly.side(*side));
            let pin_vertices = pins.pin_vertices.iter().copied().chain(sides).collect();
            let pins = MovingPinsSpec { pin_vertices, pin_sides: Vec::new(), ..pins.clone() };
            jelly = jelly.move_pins(pins.build(&of, part, |vertices| Ok(vertices.to_vec()))?);
        }
        for rows in &self.constraint {
            jelly = jelly.constrain(rows.build(of)?);
        }
        let pose = Pose::at(self.position).turned(self.rotation.axis, self.rotation.degrees);
        jelly = jelly
            .named(self.name.clone())
            .placed(pose, self.scale)
            .velocity(self.velocity)
            .density(self.density)
            .young(self.young)
            .poisson(self.poisson)
            .model(self.model)
            .relaxation(self.relaxation)
            .pin(&self.pin_vertices)
            .thickness(self.thickness)
            .friction(self.friction)
            .restitution(self.restitution)
            .damping(self.damping)
            .filter(Filter { groups: self.groups, mask: self.mask })
            .collide(self.collide);
        if self.attach.is_empty() {
            return Ok(jelly);
        }
        let placed = jelly.mesh().map_err(|e| e.to_string())?.positions;
        for (i, attach) in self.attach.iter().enumerate() {
            let of = format!("{of}, attach {i}");
            let part = |_| Err(format!("{of}: `pin` names parts of a grid; a solid is attached by `pin_vertices`"));
            jelly = match attach.build(&of, &placed, worn, part, |vertices| Ok(vertices.to_vec()))? {
                Hung::Attached(to, vertices) => jelly.attach(to, &vertices),
                Hung::Tethered(tether) => jelly.tether(tether),
            };
        }
        Ok(jelly)
    }
}
