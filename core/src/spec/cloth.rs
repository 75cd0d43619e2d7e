//! Cloths by keys, and rows of any kind.

use super::obstacle::{AttachSpec, Hung, Worn};
use super::{FabricSpec, MovingPinsSpec, Turn, above_zero, is_off, is_zero, stiffness, turn};
use crate::body::{Collide, Constraints, Stiffness};
use crate::filter::Filter;
use crate::kinds;
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::recipe::{BendModel, Cloth, ClothModel, GridPins};
use serde::{Deserialize, Serialize};

/// A cloth: a grid of `resolution` and `size`, flat or rolled into a tube, or the mesh of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClothSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// Mesh file, relative to the scene file; instead of a grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Repair the mesh before it is used; vertices keep the numbers of the file in the keys of this cloth.
    #[serde(skip_serializing_if = "is_off")]
    pub repair: bool,
    /// Vertices along x and z: one number for both, or two.
    #[serde(with = "one_or_two")]
    pub resolution: [u32; 2],
    /// Metres along x and z.
    pub size: [f32; 2],
    /// The grid is a tube about x: its first row follows its last, and the second of `size` is its girth.
    #[serde(skip_serializing_if = "is_off")]
    pub tube: bool,
    /// Metres.
    pub position: [f32; 3],
    /// Turn before it is moved.
    pub rotation: Turn,
    /// Factor before it is turned.
    pub scale: f32,
    /// m/s.
    pub velocity: [f32; 3],
    /// kg/m^2; of the fabric, if there is one and this is the default.
    pub density: f32,
    /// What it is made of, instead of the compliances and stiffnesses below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fabric: Option<FabricSpec>,
    /// How its fabric resists stretch; springs if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ClothModel>,
    /// Direction of its fabric's warp before it is turned; along x if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warp: Option<[f64; 3]>,
    /// m/N; instead of `stretch_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_stiffness: Option<f32>,
    /// m/N (or PBD's k beside `stretch_stiffness`), when compressed; as in stretch if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compress: Option<f32>,
    /// m/N of a grid's diagonals; as in stretch without this and `shear_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_stiffness: Option<f32>,
    /// How it bends; dihedral if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<BendModel>,
    /// rad^2/J, isometric 1/J; no bending without this and `bend_stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_stiffness: Option<f32>,
    /// Pinned parts of a grid.
    pub pin: Vec<GridPins>,
    /// Pinned vertices.
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

/// Rows of a kind on the vertices of a cloth or rope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConstraintSpec {
    /// Name in the table of kinds: distance, rope, ...
    pub kind: String,
    /// Vertices of each row, as many as the kind has.
    pub at: Vec<Vec<u32>>,
    /// Parameters, row after row; without them they are measured in the shape at rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<f32>,
    /// Values of the parameters that are the material's, the same for all rows that are measured; the usual ones if absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<f32>,
    /// Relaxation time, s.
    #[serde(skip_serializing_if = "is_zero")]
    pub damping: f32,
    /// In the kind's unit; instead of `stiffness`. Rigid without both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f32>,
    /// PBD's k, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f32>,
}

/// The default of `density`, kg/m^2.
const DENSITY: f32 = 0.2;

/// The default of `thickness`, m.
const THICKNESS: f32 = 0.002;

impl Default for ClothSpec {
    fn default() -> Self {
        ClothSpec {
            name: String::new(),
            mesh: None,
            repair: false,
            resolution: [64, 64],
            size: [1.0, 1.0],
            tube: false,
            position: [0.0; 3],
            rotation: Turn::default(),
            scale: 1.0,
            velocity: [0.0; 3],
            density: DENSITY,
            fabric: None,
            model: None,
            warp: None,
            stretch_compliance: None,
            stretch_stiffness: None,
            compress: None,
            shear_compliance: None,
            shear_stiffness: None,
            bend: None,
            bend_compliance: None,
            bend_stiffness: None,
            pin: Vec::new(),
            pin_vertices: Vec::new(),
            moving_pins: Vec::new(),
            long_range: None,
            attach: Vec::new(),
            thickness: THICKNESS,
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

impl ClothSpec {
    pub(super) fn build(&self, of: &str, mesh: Option<Mesh>, worn: &[Worn]) -> Result<Cloth, String> {
        above_zero(of, "scale", self.scale, "")?;
        turn(of, "rotation", self.rotation.axis, self.rotation.degrees)?;
        let mut numbers = None;
        let mut cloth = match mesh {
            Some(_) if !self.pin.is_empty() => {
                return Err(format!("{of}: `pin` names parts of a grid; a mesh is pinned by `pin_vertices`"));
            }
            Some(mesh) if self.repair => {
                let (mesh, repairs) = mesh.repaired();
                numbers = Some(repairs.vertex_map);
                Cloth::new(&mesh)
            }
            Some(mesh) => Cloth::new(&mesh),
            None if self.repair => return Err(format!("{of}: `repair` is for a mesh; there is no key `mesh`")),
            None => {
                self.size.iter().try_for_each(|&side| above_zero(of, "size", side, " m"))?;
                let cloth = if self.tube { Cloth::tube } else { Cloth::grid };
                cloth(self.resolution, self.size)
            }
        };
        let renumber = |vertices: &[u32]| -> Result<Vec<u32>, String> {
            let Some(numbers) = numbers.as_deref().filter(|numbers| !numbers.is_empty()) else {
                return Ok(vertices.to_vec());
            };
            let new = |&v: &u32| match numbers.get(v as usize) {
                Some(Some(new)) => Ok(*new),
                Some(None) => Err(format!("{of}: vertex {v} is named, and the repair dropped it")),
                None => Err(format!("{of}: vertex {v} does not exist; there are {}", numbers.len())),
            };
            vertices.iter().map(new).collect()
        };
        for &part in &self.pin {
            cloth = cloth.pin_grid(part);
        }
        for (i, pins) in self.moving_pins.iter().enumerate() {
            let of = format!("{of}, moving_pins {i}");
            let part = |part| match self.mesh {
                Some(_) => Err(format!("{of}: `pin` names parts of a grid; a mesh is pinned by `pin_vertices`")),
                None => Ok(cloth.grid_part(part)),
            };
            let pins = pins.build(&of, part, renumber)?;
            cloth = cloth.move_pins(pins);
        }
        if let Some(s) = stiffness(of, "stretch_", self.stretch_compliance, self.stretch_stiffness)? {
            cloth = cloth.stretch_by(s);
        }
        if let Some(s) = stiffness(of, "shear_", self.shear_compliance, self.shear_stiffness)? {
            cloth = cloth.shear_by(s);
        }
        if let Some(s) = stiffness(of, "bend_", self.bend_compliance, self.bend_stiffness)? {
            cloth = cloth.bend_by(s).bend_model(self.bend.unwrap_or_default());
        } else if let Some(model) = self.bend {
            if self.fabric.is_none() {
                return Err(format!(
                    "{of}: `bend` means nothing without bend_compliance, bend_stiffness or a fabric; add one of them"
                ));
            }
            cloth = cloth.bend_model(model);
        }
        if let Some(warp) = self.warp {
            cloth = cloth.warp(warp);
        }
        if let Some(number) = self.compress {
            cloth = cloth.compress(number);
        }
        for rows in &self.constraint {
            let rows = rows.build(of)?;
            cloth = cloth.constrain(Constraints { at: renumber(&rows.at)?, ..rows });
        }
        let pose = Pose::at(self.position).turned(self.rotation.axis, self.rotation.degrees);
        cloth = cloth
            .named(self.name.clone())
            .placed(pose, self.scale)
            .velocity(self.velocity)
            .thickness(self.thickness)
            .pin(&renumber(&self.pin_vertices)?)
            .friction(self.friction)
            .restitution(self.restitution)
            .damping(self.damping)
            .drag(self.drag)
            .lift(self.lift)
            .filter(Filter { groups: self.groups, mask: self.mask })
            .collide(self.collide);
        cloth = self.woven(of, cloth)?;
        if let Some(slack) = self.long_range {
            cloth = cloth.long_range(slack);
        }
        for (i, attach) in self.attach.iter().enumerate() {
            let of = format!("{of}, attach {i}");
            let part = |part| match self.mesh {
                Some(_) => Err(format!("{of}: `pin` names parts of a grid; a mesh is attached by `pin_vertices`")),
                None => Ok(cloth.grid_part(part)),
            };
            cloth = match attach.build(&of, &cloth.mesh().positions, worn, part, renumber)? {
                Hung::Attached(to, vertices) => cloth.attach(to, &vertices),
                Hung::Tethered(tether) => cloth.tether(tether),
            };
        }
        Ok(cloth)
    }

    /// Of its fabric, whose density and thickness the cloth's own keys change.
    fn woven(&self, of: &str, cloth: Cloth) -> Result<Cloth, String> {
        let Some(fabric) = &self.fabric else {
            let told = [("model", self.model.is_some()), ("warp", self.warp.is_some())];
            return match told.into_iter().find(|(_, told)| *told) {
                Some((key, _)) => Err(format!("{of}: `{key}` means nothing without a fabric; add `fabric`")),
                None => Ok(cloth.density(self.density)),
            };
        };
        let told = [
            ("stretch_compliance", self.stretch_compliance.is_some()),
            ("stretch_stiffness", self.stretch_stiffness.is_some()),
            ("compress", self.compress.is_some()),
            ("shear_compliance", self.shear_compliance.is_some()),
            ("shear_stiffness", self.shear_stiffness.is_some()),
            ("bend_compliance", self.bend_compliance.is_some()),
            ("bend_stiffness", self.bend_stiffness.is_some()),
        ];
        if let Some((key, _)) = told.into_iter().find(|(_, told)| *told) {
            return Err(format!(
                "{of}: its fabric says how stiff it is, so `{key}` means nothing; leave one of them out"
            ));
        }
        let cloth = cloth.fabric(fabric.build(of)?).model(self.model.unwrap_or_default());
        Ok(if self.density == DENSITY { cloth } else { cloth.density(self.density) })
    }
}

impl ConstraintSpec {
    pub(super) fn build(&self, of: &str) -> Result<Constraints, String> {
        let kind = *kinds::by_name(&self.kind).ok_or_else(|| {
            let known: Vec<_> = kinds::KINDS.iter().map(|kind| kind.name()).collect();
            format!("{of}: there is no kind `{}`; kinds are {}", self.kind, known.join(", "))
        })?;
        let of = format!("{of}, kind `{}`", self.kind);
        if let Some(row) = self.at.iter().position(|row| row.len() != kind.slots()) {
            let (got, want) = (self.at[row].len(), kind.slots());
            return Err(format!("{of}: row {row} has {got} vertices and not {want}"));
        }
        let stiffness = stiffness(&of, "", self.compliance, self.stiffness)?;
        let stiffness = stiffness.unwrap_or_else(|| Stiffness::compliance(0.0));
        let rows = Constraints::new(kind, self.at.concat(), self.rest.clone(), stiffness);
        Ok(rows.of_material(self.material.clone()).damped(self.damping))
    }
}

/// `128`, or `[128, 64]`.
mod one_or_two {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a whole number, or two in brackets")]
    enum OneOrTwo {
        One(u32),
        Two([u32; 2]),
    }

    pub(super) fn serialize<S: Serializer>(value: &[u32; 2], serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u32; 2], D::Error> {
        Ok(match OneOrTwo::deserialize(deserializer)? {
            OneOrTwo::One(n) => [n, n],
            OneOrTwo::Two(n) => n,
        })
    }
}
