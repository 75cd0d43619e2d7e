//! Colliders by name.

use super::pins::check_path;
use super::{Files, Geometry, SpecError, Turn, above_zero, is_off, turn};
use crate::collider::{Collider, ConvexHull, Form, HeightField, Motion, Sdf, Shape};
use crate::filter::Filter;
use crate::mesh::Mesh;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ColliderSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// plane (normal +y), sphere, capsule, cuboid, cylinder, torus, mesh, hull or height-field.
    pub shape: ShapeSpec,
    /// Metres; spheres, capsules and cylinders; a torus: of its tube.
    pub radius: f32,
    /// Half the length of a capsule's segment, or half a cylinder's height, along y; metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_length: Option<f32>,
    /// Half the sides of a cuboid; metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half: Option<[f32; 3]>,
    /// From a torus' centre to the middle of its tube, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring: Option<f32>,
    /// Mesh file of a mesh or hull, relative to the scene file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Balls [x, y, z, radius] that flow into one another, metres: a mesh instead of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balls: Option<Vec<[f32; 4]>>,
    /// Factor on the mesh of the file; 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f32>,
    /// Width of the cells of a mesh's signed distance field, or of a height field, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<f32>,
    /// Half the thickness of a mesh's shell, metres; solid if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hollow: Option<f32>,
    /// Whether a mesh is a container: solid outside.
    #[serde(skip_serializing_if = "is_off")]
    pub inverted: bool,
    /// Points of a hull, metres; instead of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<[f32; 3]>>,
    /// Rows of heights, metres: along x, one row after another along z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<Vec<f32>>>,
    /// Metres.
    pub position: [f32; 3],
    /// Turn about the position.
    pub rotation: Turn,
    /// Static and kinetic friction coefficient.
    pub friction: f32,
    /// Kinetic friction coefficient, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction_kinetic: Option<f32>,
    /// Part of the approach's speed with which what hits it comes back, 0..1.
    pub restitution: f32,
    /// Metres, beside the bodies' own.
    pub thickness: f32,
    /// Whether a plane keeps what is below it there.
    #[serde(skip_serializing_if = "is_off")]
    pub two_sided: bool,
    /// Groups that it is in, a bit each.
    pub groups: u32,
    /// Groups that it meets, a bit each.
    pub mask: u32,
    /// Path from there.
    pub motion: Motion,
}

/// Shapes by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeSpec {
    /// Half space below y = 0 of its frame.
    #[default]
    Plane,
    /// Ball of a radius.
    Sphere,
    /// Within a radius of a segment along y.
    Capsule,
    /// Box along the axes.
    Cuboid,
    /// Cylinder along y.
    Cylinder,
    /// Ring about y.
    Torus,
    /// Signed distance field of the closed mesh of a file.
    Mesh,
    /// Convex hull of points or of a file's vertices.
    Hull,
    /// All below heights on a grid.
    HeightField,
}

impl Default for ColliderSpec {
    fn default() -> Self {
        ColliderSpec {
            name: String::new(),
            shape: ShapeSpec::Plane,
            radius: 0.5,
            half_length: None,
            half: None,
            ring: None,
            file: None,
            balls: None,
            scale: None,
            cell: None,
            hollow: None,
            inverted: false,
            points: None,
            heights: None,
            position: [0.0; 3],
            rotation: Turn::default(),
            friction: 0.5,
            friction_kinetic: None,
            restitution: 0.0,
            thickness: 0.0,
            two_sided: false,
            groups: Filter::default().groups,
            mask: Filter::default().mask,
            motion: Motion::Fixed,
        }
    }
}

impl ColliderSpec {
    fn shape_name(&self) -> &'static str {
        match self.shape {
            ShapeSpec::Plane => "plane",
            ShapeSpec::Sphere => "sphere",
            ShapeSpec::Capsule => "capsule",
            ShapeSpec::Cuboid => "cuboid",
            ShapeSpec::Cylinder => "cylinder",
            ShapeSpec::Torus => "torus",
            ShapeSpec::Mesh => "mesh",
            ShapeSpec::Hull => "hull",
            ShapeSpec::HeightField => "height-field",
        }
    }

    /// No key is given that the shape does not have: it would do nothing.
    fn check_keys(&self, of: &str) -> Result<(), String> {
        let long = matches!(self.shape, ShapeSpec::Capsule | ShapeSpec::Cylinder);
        let (mesh, hull) = (self.shape == ShapeSpec::Mesh, self.shape == ShapeSpec::Hull);
        let heights = self.shape == ShapeSpec::HeightField;
        let keys = [
            ("half_length", self.half_length.is_some(), long),
            ("half", self.half.is_some(), self.shape == ShapeSpec::Cuboid),
            ("ring", self.ring.is_some(), self.shape == ShapeSpec::Torus),
            ("file", self.file.is_some(), mesh || hull),
            ("balls", self.balls.is_some(), mesh),
            ("scale", self.scale.is_some(), mesh || hull),
            ("cell", self.cell.is_some(), mesh || heights),
            ("hollow", self.hollow.is_some(), mesh),
            ("inverted", self.inverted, mesh),
            ("two_sided", self.two_sided, self.shape == ShapeSpec::Plane),
            ("points", self.points.is_some(), hull),
            ("heights", self.heights.is_some(), heights),
        ];
        match keys.into_iter().find(|(_, given, has)| *given && !has) {
            Some((key, ..)) => Err(format!("{of}: a {} has no `{key}`", self.shape_name())),
            None => Ok(()),
        }
    }

    /// The mesh of the file, scaled.
    fn mesh<E>(
        &self,
        of: &str,
        files: &mut Files<impl FnMut(&str) -> Result<Geometry, E>>,
    ) -> Result<Option<Mesh>, SpecError<E>> {
        let Some(file) = &self.file else {
            return match self.scale {
                Some(_) => Err(SpecError::Keys(format!("{of}: `scale` is for a file; there is no key `file`"))),
                None => Ok(None),
            };
        };
        let scale = self.scale.unwrap_or(1.0);
        above_zero(of, "scale", scale, "").map_err(SpecError::Keys)?;
        let mut mesh = files.surface(of, file)?;
        mesh.positions.iter_mut().for_each(|x| *x = x.map(|c| c * scale));
        Ok(Some(mesh))
    }

    /// The shape.
    fn shape<E>(
        &self,
        of: &str,
        files: &mut Files<impl FnMut(&str) -> Result<Geometry, E>>,
    ) -> Result<Shape, SpecError<E>> {
        let name = self.shape_name();
        let missing = |key: &str| SpecError::Keys(format!("{of}: a {name} needs `{key}`"));
        let file = self.file.as_deref().map_or_else(String::new, |file| format!(", {file}"));
        let wrong = |e: crate::Error| SpecError::Keys(format!("{of}{file}: {e}"));
        let mesh = self.mesh(of, files)?;
        Ok(match self.shape {
            ShapeSpec::Plane => Shape::Plane,
            ShapeSpec::Sphere => Shape::Sphere { radius: self.radius },
            ShapeSpec::Capsule => Shape::Capsule {
                radius: self.radius,
                half_length: self.half_length.ok_or_else(|| missing("half_length"))?,
            },
            ShapeSpec::Cuboid => Shape::Cuboid { half: self.half.ok_or_else(|| missing("half"))? },
            ShapeSpec::Cylinder => Shape::Cylinder {
                radius: self.radius,
                half_height: self.half_length.ok_or_else(|| missing("half_length"))?,
            },
            ShapeSpec::Torus => Shape::Torus { ring: self.ring.ok_or_else(|| missing("ring"))?, tube: self.radius },
            ShapeSpec::Mesh => {
                let cell = self.cell.ok_or_else(|| missing("cell"))?;
                let mesh = match (mesh, &self.balls) {
                    (Some(_), Some(_)) => {
                        return Err(SpecError::Keys(format!("{of}: give `file` or `balls`, not both")));
                    }
                    (Some(mesh), None) => mesh,
                    (None, Some(balls)) => Mesh::of_balls(balls, cell).map_err(wrong)?,
                    (None, None) => return Err(missing("file` or `balls")),
                };
                let form = match (self.hollow, self.inverted) {
                    (None, false) => Form::Solid,
                    (Some(half), false) => Form::Shell(half),
                    (None, true) => Form::Container,
                    (Some(_), true) => {
                        let what = "`hollow` and `inverted` contradict each other; leave one of them out";
                        return Err(SpecError::Keys(format!("{of}: {what}")));
                    }
                };
                Shape::Sdf { sdf: Arc::new(Sdf::from_mesh(&mesh, cell).map_err(wrong)?), form }
            }
            ShapeSpec::Hull => {
                let points = match (mesh, &self.points) {
                    (Some(_), Some(_)) => {
                        return Err(SpecError::Keys(format!("{of}: give `file` or `points`, not both")));
                    }
                    (Some(mesh), None) => mesh.positions,
                    (None, Some(points)) => points.clone(),
                    (None, None) => return Err(missing("points` or `file")),
                };
                Shape::Hull(Arc::new(ConvexHull::new(&points).map_err(wrong)?))
            }
            ShapeSpec::HeightField => {
                let rows = self.heights.as_ref().ok_or_else(|| missing("heights"))?;
                let cell = self.cell.ok_or_else(|| missing("cell"))?;
                let along = rows.first().map_or(0, Vec::len);
                if let Some(row) = rows.iter().position(|row| row.len() != along) {
                    let got = rows[row].len();
                    return Err(SpecError::Keys(format!("{of}: row {row} of `heights` has {got} and not {along}")));
                }
                let nodes = [along, rows.len()].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
                Shape::HeightField(Arc::new(HeightField::new(nodes, &rows.concat(), cell).map_err(wrong)?))
            }
        })
    }

    pub(super) fn build<E>(
        &self,
        of: &str,
        files: &mut Files<impl FnMut(&str) -> Result<Geometry, E>>,
    ) -> Result<Collider, SpecError<E>> {
        self.check(of).map_err(SpecError::Keys)?;
        Ok(Collider {
            friction_kinetic: self.friction_kinetic.unwrap_or(self.friction),
            friction_static: self.friction,
            restitution: self.restitution,
            thickness: self.thickness,
            two_sided: self.two_sided,
            filter: Filter { groups: self.groups, mask: self.mask },
            ..Collider::new(self.shape(of, files)?)
                .named(self.name.clone())
                .at(self.position)
                .turned(self.rotation.axis, self.rotation.degrees)
                .moving(self.motion.clone())
        })
    }

    fn check(&self, of: &str) -> Result<(), String> {
        turn(of, "rotation", self.rotation.axis, self.rotation.degrees)?;
        check_path(of, &self.motion)?;
        self.check_keys(of)
    }
}
