//! Colliders by name.

use super::check::{factors, is_off, is_on, place};
use super::geometry::Files;
use super::keys::table;
use super::motion::MotionSpec;
use super::turn::{Turn, rotation};
use super::variant::Variant;
use seidel::collider::{ConvexHull, Form, HeightField, Shape};
use seidel::{Collider, Filter, Mesh, Scale, degrees};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

table! {
    /// A collider.
    ColliderSpec {
        /// Name, unique in the scene.
        name: String = String::new(),
        /// plane (normal +y), sphere, capsule, cuboid, cylinder, cone, torus, mesh, hull or height-field.
        shape: ShapeSpec = ShapeSpec::Plane,
        /// Metres; spheres, capsules and cylinders; a cone: of its base; a torus: of its tube.
        #[serde(skip_serializing_if = "Option::is_none")]
        radius: Option<f32> = None,
        /// Half the length of a capsule's segment, or half the height of a cylinder or cone, along y; metres.
        #[serde(skip_serializing_if = "Option::is_none")]
        half_length: Option<f32> = None,
        /// Half the sides of a cuboid; metres.
        #[serde(skip_serializing_if = "Option::is_none")]
        half: Option<[f32; 3]> = None,
        /// From a torus' centre to the middle of its tube, metres.
        #[serde(skip_serializing_if = "Option::is_none")]
        ring: Option<f32> = None,
        /// Mesh file of a mesh or hull, relative to the scene file.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String> = None,
        /// Balls [x, y, z, radius] that flow into one another, metres: a mesh instead of a file.
        #[serde(skip_serializing_if = "Option::is_none")]
        balls: Option<Vec<[f32; 4]>> = None,
        /// Factor on the mesh of the file, or three, along x, y and z; 1 if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        scale: Option<Scale> = None,
        /// Width of the cells of a mesh's signed distance field, or of a height field, metres.
        #[serde(skip_serializing_if = "Option::is_none")]
        cell: Option<f32> = None,
        /// Half the thickness of a mesh's shell, metres; solid if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        hollow: Option<f32> = None,
        /// Whether a mesh is a container: solid outside.
        #[serde(skip_serializing_if = "is_off")]
        inverted: bool = false,
        /// Points of a hull, metres; instead of a file.
        #[serde(skip_serializing_if = "Option::is_none")]
        points: Option<Vec<[f32; 3]>> = None,
        /// Rows of heights, metres: along x, one row after another along z.
        #[serde(skip_serializing_if = "Option::is_none")]
        heights: Option<Vec<Vec<f32>>> = None,
        /// Metres.
        position: [f32; 3] = [0.0; 3],
        /// Turn about the position.
        rotation: Turn = Turn::default(),
        /// Static and kinetic friction coefficient.
        friction: f32 = 0.5,
        /// Kinetic friction coefficient, where it differs.
        #[serde(skip_serializing_if = "Option::is_none")]
        friction_kinetic: Option<f32> = None,
        /// Part of the approach's speed with which what hits it comes back, 0..1.
        restitution: f32 = 0.0,
        /// Metres, beside the bodies' own.
        thickness: f32 = 0.0,
        /// Whether triangles are kept out between their corners, too.
        #[serde(skip_serializing_if = "is_on")]
        triangles: bool = true,
        /// Whether a plane keeps what is below it there.
        #[serde(skip_serializing_if = "is_off")]
        two_sided: bool = false,
        /// Groups that it is in, a bit each.
        groups: u32 = Filter::default().groups,
        /// Groups that it meets, a bit each.
        mask: u32 = Filter::default().mask,
        /// Path from there.
        motion: MotionSpec = MotionSpec::Fixed,
    }
}

impl ColliderSpec {
    pub(super) const VARIANTS: &[Variant] =
        &[Variant { name: "a surface of balls", keys: &["balls"], other: &["file"] }];
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
    /// Cone along y, its tip at the top.
    Cone,
    /// Ring about y.
    Torus,
    /// Signed distance field of the closed mesh of a file.
    Mesh,
    /// Convex hull of points or of a file's vertices.
    Hull,
    /// All below heights on a grid.
    HeightField,
}

impl ColliderSpec {
    fn shape_name(&self) -> &'static str {
        match self.shape {
            ShapeSpec::Plane => "plane",
            ShapeSpec::Sphere => "sphere",
            ShapeSpec::Capsule => "capsule",
            ShapeSpec::Cuboid => "cuboid",
            ShapeSpec::Cylinder => "cylinder",
            ShapeSpec::Cone => "cone",
            ShapeSpec::Torus => "torus",
            ShapeSpec::Mesh => "mesh",
            ShapeSpec::Hull => "hull",
            ShapeSpec::HeightField => "height-field",
        }
    }

    /// No key is given that the shape does not have: it would do nothing.
    pub(super) fn check_keys(&self, of: &str) -> Result<(), String> {
        let long = matches!(self.shape, ShapeSpec::Capsule | ShapeSpec::Cylinder | ShapeSpec::Cone);
        let (mesh, hull) = (self.shape == ShapeSpec::Mesh, self.shape == ShapeSpec::Hull);
        let heights = self.shape == ShapeSpec::HeightField;
        let round = matches!(self.shape, ShapeSpec::Sphere | ShapeSpec::Torus) || long;
        let keys = [
            ("radius", self.radius.is_some(), round),
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
    fn mesh(&self, of: &str, files: &mut Files) -> Result<Option<Mesh>, String> {
        let Some(file) = &self.file else {
            return match self.scale {
                Some(_) => Err(format!("{of}: `scale` is for a file; there is no key `file`")),
                None => Ok(None),
            };
        };
        let scale = self.scale.unwrap_or_default();
        factors(of, "scale", scale)?;
        let mut mesh = files.surface(of, file)?;
        mesh.positions.iter_mut().for_each(|x| *x = std::array::from_fn(|k| x[k] * scale.0[k]));
        Ok(Some(mesh))
    }

    /// The shape.
    pub(super) fn shape(&self, of: &str, files: &mut Files) -> Result<Shape, String> {
        let name = self.shape_name();
        let missing = |key: &str| format!("{of}: a {name} needs `{key}`");
        let file = self.file.as_deref().map_or_else(String::new, |file| format!(", {file}"));
        let wrong = |e: seidel::Error| format!("{of}{file}: {e}");
        let mesh = self.mesh(of, files)?;
        let radius = self.radius.unwrap_or(0.5);
        Ok(match self.shape {
            ShapeSpec::Plane => Shape::Plane,
            ShapeSpec::Sphere => Shape::Sphere { radius },
            ShapeSpec::Capsule => {
                Shape::Capsule { radius, half_length: self.half_length.ok_or_else(|| missing("half_length"))? }
            }
            ShapeSpec::Cuboid => Shape::Cuboid { half: self.half.ok_or_else(|| missing("half"))?.into() },
            ShapeSpec::Cylinder => {
                Shape::Cylinder { radius, half_height: self.half_length.ok_or_else(|| missing("half_length"))? }
            }
            ShapeSpec::Cone => {
                Shape::Cone { radius, half_height: self.half_length.ok_or_else(|| missing("half_length"))? }
            }
            ShapeSpec::Torus => Shape::Torus { ring: self.ring.ok_or_else(|| missing("ring"))?, tube: radius },
            ShapeSpec::Mesh => {
                let cell = self.cell.ok_or_else(|| missing("cell"))?;
                let mesh = match (mesh, &self.balls) {
                    (Some(_), Some(_)) => {
                        return Err(format!("{of}: give `file` or `balls`, not both"));
                    }
                    (Some(mesh), None) => Arc::new(mesh),
                    (None, Some(balls)) => files.of_balls(of, balls, cell)?.map_err(wrong)?,
                    (None, None) => return Err(missing("file` or `balls")),
                };
                let form = match (self.hollow, self.inverted) {
                    (None, false) => Form::Solid,
                    (Some(half), false) => Form::Shell(half),
                    (None, true) => Form::Container,
                    (Some(_), true) => {
                        let what = "`hollow` and `inverted` contradict each other; leave one of them out";
                        return Err(format!("{of}: {what}"));
                    }
                };
                let sdf = files.field(of, &mesh, cell, wrong)?;
                if !matches!(form, Form::Shell(_)) {
                    sdf.check_inside().map_err(wrong)?;
                }
                Shape::Sdf { sdf, form }
            }
            ShapeSpec::Hull => {
                let points = match (mesh, &self.points) {
                    (Some(_), Some(_)) => {
                        return Err(format!("{of}: give `file` or `points`, not both"));
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
                    return Err(format!("{of}: row {row} of `heights` has {got} and not {along}"));
                }
                let nodes = [along, rows.len()].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
                Shape::HeightField(Arc::new(HeightField::new(nodes, &rows.concat(), cell).map_err(wrong)?))
            }
        })
    }

    pub(super) fn build(&self, of: &str, files: &mut Files) -> Result<Collider, String> {
        self.check(of)?;
        let motion = self.motion.build(of)?;
        Ok(Collider {
            friction_kinetic: self.friction_kinetic.unwrap_or(self.friction),
            friction_static: self.friction,
            restitution: self.restitution,
            thickness: self.thickness,
            triangles: self.triangles,
            two_sided: self.two_sided,
            filter: Filter::new(self.groups, self.mask),
            ..Collider::new(self.shape(of, files)?)
                .named(self.name.clone())
                .at(self.position)
                .turned(self.rotation.axis, degrees(self.rotation.degrees))
                .moving(motion)
        })
    }

    fn check(&self, of: &str) -> Result<(), String> {
        place(of, "position", self.position, " m")?;
        rotation(of, self.rotation)?;
        self.check_keys(of)
    }
}
