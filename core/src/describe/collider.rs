//! Colliders: shapes that bodies are kept out of, at rest or moving on a prescribed path.

mod bends;
mod heights;
mod hull;
mod motion;
mod sdf;

pub use heights::HeightField;
pub use hull::ConvexHull;
pub(crate) use hull::hull_triangles;
pub use motion::{Key, Motion};
pub use sdf::Sdf;
pub(crate) use sdf::{Grid, bounds};
/// Which side of a signed distance field's surface is solid.
pub use seidel_kernels::contact::Form;

use crate::describe::error::{Error, range};
use crate::describe::filter::Filter;
use crate::describe::mesh::Mesh;
use crate::describe::pose::Pose;
use glam::{DVec3, Vec3};
use seidel_kernels::contact::{Capsule, Cone, Cuboid, Cylinder, Solid, Torus};
use std::borrow::Cow;
use std::sync::Arc;

/// A collider of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Name, unique in a scene.
    pub name: String,
    /// Shape in its own frame.
    pub shape: Shape,
    /// Where it is at time 0.
    pub pose: Pose,
    /// How it moves from there.
    pub motion: Motion,
    /// Static friction coefficient, >= 0. A contact's is the geometric mean of the collider's and the body's, or what
    /// else [`crate::Settings::friction_rule`] says.
    pub friction_static: f32,
    /// Kinetic friction coefficient, >= 0.
    pub friction_kinetic: f32,
    /// Part of the approach's speed with which what hits it comes back, 0..=1; times the body's.
    pub restitution: f32,
    /// Distance that bodies keep from its surface beside their own thickness, metres, >= 0.
    pub thickness: f32,
    /// Whether triangles are kept out between their corners, too.
    pub triangles: bool,
    /// Only a plane: what is below it is kept there, too, instead of being inside.
    pub two_sided: bool,
    /// Which bodies it meets.
    pub filter: Filter,
}

/// Shapes of colliders.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// The half space below the plane through the pose's position whose normal is the pose's +y.
    Plane,
    /// A ball about the pose's position.
    Sphere {
        /// Radius, metres, > 0.
        radius: f32,
    },
    /// Everything within a radius of a segment along the pose's y, about its position.
    Capsule {
        /// Radius, metres, > 0.
        radius: f32,
        /// Half the segment, metres, >= 0.
        half_length: f32,
    },
    /// A box along the pose's axes, about its position.
    Cuboid {
        /// Half its sides, metres, > 0.
        half: Vec3,
    },
    /// A cylinder with flat ends about the pose's y.
    Cylinder {
        /// Radius, metres, > 0.
        radius: f32,
        /// Half its height, metres, > 0.
        half_height: f32,
    },
    /// A cone about the pose's y: its tip is above the pose's position and its base below, each half its height away.
    Cone {
        /// Radius of its base, metres, > 0.
        radius: f32,
        /// Half its height, metres, > 0.
        half_height: f32,
    },
    /// A ring about the pose's y.
    Torus {
        /// From the centre to the middle of the tube, metres, more than the tube's radius.
        ring: f32,
        /// Radius of the tube, metres, > 0.
        tube: f32,
    },
    /// A signed distance field, shared by all that use it.
    Sdf {
        /// The field.
        sdf: Arc<Sdf>,
        /// Its inside, a shell about its surface, or all outside of it.
        form: Form,
    },
    /// The convex hull of points.
    Hull(Arc<ConvexHull>),
    /// All below a height field.
    ///
    /// Triangles of cloths are kept a sixteenth of their thickness farther off, their corners up to an eighth.
    HeightField(Arc<HeightField>),
}

impl Shape {
    /// Its name, as scene files and pages have it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Plane => "plane",
            Shape::Sphere { .. } => "sphere",
            Shape::Capsule { .. } => "capsule",
            Shape::Cuboid { .. } => "cuboid",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Cone { .. } => "cone",
            Shape::Torus { .. } => "torus",
            Shape::Sdf { .. } => "mesh",
            Shape::Hull(_) => "hull",
            Shape::HeightField(_) => "height-field",
        }
    }

    /// Its lengths in metres, in the order in which its fields stand.
    pub fn lengths(&self) -> impl Iterator<Item = f32> {
        self.named_lengths().into_iter().map(|(_, length, _)| length)
    }

    /// By its distance; none for what has a kernel of its own.
    pub(crate) fn solid(&self) -> Option<Solid<'_>> {
        Some(match *self {
            Shape::Plane | Shape::Sphere { .. } => return None,
            Shape::Capsule { radius, half_length } => Solid::Capsule(Capsule { radius, half_length }),
            Shape::Cuboid { half } => Solid::Cuboid(Cuboid { half: half.to_array() }),
            Shape::Cylinder { radius, half_height } => Solid::Cylinder(Cylinder { radius, half_height }),
            Shape::Cone { radius, half_height } => Solid::Cone(Cone { radius, half_height }),
            Shape::Torus { ring, tube } => Solid::Torus(Torus { ring, tube }),
            Shape::Sdf { ref sdf, form } => Solid::Sdf(sdf.grid(form)),
            Shape::Hull(ref hull) => Solid::Hull(hull.hull()),
            Shape::HeightField(ref field) => Solid::Heights(field.heights()),
        })
    }

    /// Its surface as a mesh in its own frame, where lengths do not tell it.
    #[must_use]
    pub fn surface(&self) -> Option<Cow<'_, Mesh>> {
        match self {
            // Its triangles look at what is free.
            Shape::Sdf { sdf, form: Form::Container } => Some(Cow::Owned(turned_over(sdf.surface()))),
            Shape::Sdf { sdf, .. } => Some(Cow::Borrowed(sdf.surface())),
            Shape::Hull(hull) => Some(Cow::Borrowed(hull.surface())),
            Shape::HeightField(field) => Some(Cow::Owned(field.surface())),
            _ => None,
        }
    }

    /// Its lengths by name, each to be above 0 if so marked.
    pub(crate) fn named_lengths(&self) -> Vec<(&'static str, f32, bool)> {
        match *self {
            Shape::Plane => Vec::new(),
            Shape::Sphere { radius } => vec![("radius", radius, true)],
            Shape::Capsule { radius, half_length } => {
                vec![("radius", radius, true), ("half_length", half_length, false)]
            }
            Shape::Cuboid { half: Vec3 { x, y, z } } => {
                vec![("half along x", x, true), ("half along y", y, true), ("half along z", z, true)]
            }
            Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
                vec![("radius", radius, true), ("half_height", half_height, true)]
            }
            Shape::Torus { ring, tube } => vec![("ring", ring, true), ("tube", tube, true)],
            Shape::Sdf { form: Form::Shell(half), .. } => vec![("half the shell", half, true)],
            Shape::Sdf { .. } | Shape::Hull(_) | Shape::HeightField(_) => Vec::new(),
        }
    }
}

fn turned_over(mesh: &Mesh) -> Mesh {
    Mesh { positions: mesh.positions.clone(), triangles: mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect() }
}

impl Collider {
    /// The ground: the half space below y = 0.
    #[must_use]
    pub fn ground() -> Collider {
        Collider::new(Shape::Plane)
    }

    /// A ball about the origin, radius in metres.
    #[must_use]
    pub fn sphere(radius: f32) -> Collider {
        Collider::new(Shape::Sphere { radius })
    }

    /// A capsule about the origin: within a radius of a segment along y, half as long as given; metres.
    #[must_use]
    pub fn capsule(radius: f32, half_length: f32) -> Collider {
        Collider::new(Shape::Capsule { radius, half_length })
    }

    /// A box about the origin, half its sides in metres.
    #[must_use]
    pub fn cuboid(half: impl Into<Vec3>) -> Collider {
        Collider::new(Shape::Cuboid { half: half.into() })
    }

    /// A cylinder about the origin along y, half as high as given; metres.
    #[must_use]
    pub fn cylinder(radius: f32, half_height: f32) -> Collider {
        Collider::new(Shape::Cylinder { radius, half_height })
    }

    /// A cone about the origin along y, its tip above and its base below, each half its height away; metres.
    #[must_use]
    pub fn cone(radius: f32, half_height: f32) -> Collider {
        Collider::new(Shape::Cone { radius, half_height })
    }

    /// A ring about the origin in the plane y = 0: radius of its middle line, and of its tube; metres.
    ///
    /// Triangles of cloths are kept a sixteenth of their thickness farther off, their corners up to an eighth.
    #[must_use]
    pub fn torus(ring: f32, tube: f32) -> Collider {
        Collider::new(Shape::Torus { ring, tube })
    }

    /// The inside of a signed distance field.
    ///
    /// Triangles of cloths are kept a sixteenth of their thickness farther off, their corners up to an eighth.
    #[must_use]
    pub fn sdf(sdf: Arc<Sdf>) -> Collider {
        Collider::new(Shape::Sdf { sdf, form: Form::Solid })
    }

    /// A shell about the surface of a signed distance field, half as thick as given, metres, > 0: free within and
    /// without.
    ///
    /// Triangles of cloths are kept a sixteenth of their thickness farther off, their corners up to an eighth.
    #[must_use]
    pub fn shell(sdf: Arc<Sdf>, half: f32) -> Collider {
        Collider::new(Shape::Sdf { sdf, form: Form::Shell(half) })
    }

    /// All that is outside of a signed distance field: what is inside stays there.
    ///
    /// Triangles of cloths are kept a sixteenth of their thickness farther off, their corners up to an eighth.
    #[must_use]
    pub fn container(sdf: Arc<Sdf>) -> Collider {
        Collider::new(Shape::Sdf { sdf, form: Form::Container })
    }

    /// A convex hull.
    #[must_use]
    pub fn hull(hull: Arc<ConvexHull>) -> Collider {
        Collider::new(Shape::Hull(hull))
    }

    /// All below a height field.
    ///
    /// Triangles of cloths are kept a sixteenth of their thickness farther off, their corners up to an eighth.
    #[must_use]
    pub fn height_field(field: Arc<HeightField>) -> Collider {
        Collider::new(Shape::HeightField(field))
    }

    /// A shape at the origin, at rest, with friction 0.5, from which nothing bounces; named by its number in the scene
    /// unless it is given a name.
    #[must_use]
    pub fn new(shape: Shape) -> Collider {
        Collider {
            name: String::new(),
            shape,
            pose: Pose::IDENTITY,
            motion: Motion::Fixed,
            friction_static: 0.5,
            friction_kinetic: 0.5,
            restitution: 0.0,
            thickness: 0.0,
            triangles: true,
            two_sided: false,
            filter: Filter::default(),
        }
    }

    /// Gives it a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Collider {
        self.name = name.into();
        self
    }

    /// Puts it at a position, metres.
    #[must_use]
    pub fn at(mut self, position: impl Into<glam::Vec3>) -> Collider {
        self.pose.position = Pose::at(position).position;
        self
    }

    /// Turns it about its position by an angle in radians about an axis of the world, after what turned it before.
    #[must_use]
    pub fn turned(mut self, axis: impl Into<DVec3>, angle: f64) -> Collider {
        self.pose = self.pose.turned(axis, angle);
        self
    }

    /// Sends it on a path.
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> Collider {
        self.motion = motion;
        self
    }

    /// Static and kinetic friction coefficient, both the same.
    #[must_use]
    pub fn friction(mut self, coefficient: f32) -> Collider {
        self.friction_static = coefficient;
        self.friction_kinetic = coefficient;
        self
    }

    /// Part of the approach's speed with which what hits it comes back, 0..=1; times the body's, which is 1 unless
    /// told. A ball dropped from H comes back to e^2 H; of a triangle the point that is hit. What comes slower than
    /// 2 |g| h, h a substep, does not. A body that deforms comes back with what its material gives back, whatever this
    /// is (docs/tuning.md).
    #[must_use]
    pub fn restitution(mut self, coefficient: f32) -> Collider {
        self.restitution = coefficient;
        self
    }

    /// Distance that bodies keep from its surface beside their own thickness, metres, >= 0.
    #[must_use]
    pub fn thickness(mut self, thickness: f32) -> Collider {
        self.thickness = thickness;
        self
    }

    /// Keeps only particles out, not what lies between them: faster, and corners of the collider may come through where
    /// they are finer than the mesh.
    #[must_use]
    pub fn particles_only(mut self) -> Collider {
        self.triangles = false;
        self
    }

    /// Of a plane: a thin wall that keeps everything on the side where it is, instead of a half space. A mesh that is
    /// to do so is a [`Collider::shell`]; other shapes are refused when the scene is planned.
    #[must_use]
    pub fn two_sided(mut self) -> Collider {
        self.two_sided = true;
        self
    }

    /// Which bodies it meets; all unless told.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Collider {
        self.filter = filter;
        self
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let of = || format!("collider `{}`", self.name);
        for (name, length, positive) in self.shape.named_lengths() {
            let (least, limit) = match positive {
                true => (length > 0.0, "above 0 m and at most 1e6 m"),
                false => (length >= 0.0, "within 0 .. 1e6 m"),
            };
            let good = least && length <= crate::tuning::MAX_COORDINATE;
            range(of, || name.to_owned(), f64::from(length), good, limit)?;
        }
        if let Shape::Torus { ring, tube } = self.shape {
            range(of, || "ring".to_owned(), f64::from(ring), ring > tube, "more than the radius of the tube")?;
        }
        let reach = f64::from(crate::tuning::MAX_COORDINATE);
        for p in self.pose.position {
            range(of, || "position".to_owned(), p, p.abs() <= reach, "within +-1e6 m")?;
        }
        let length: f64 = self.pose.rotation.iter().map(|q| q * q).sum();
        range(of, || "rotation (squared length)".to_owned(), length, self.pose.is_valid(), "1")?;
        for (name, f) in [("static friction", self.friction_static), ("kinetic friction", self.friction_kinetic)] {
            range(of, || name.to_owned(), f64::from(f), (0.0..=1e6).contains(&f), "within 0 .. 1e6")?;
        }
        let (thickness, most) = (self.thickness, crate::tuning::MAX_COORDINATE);
        let good = (0.0..=most).contains(&thickness);
        range(of, || "thickness".to_owned(), f64::from(thickness), good, "within 0 .. 1e6 m")?;
        if self.two_sided && self.shape != Shape::Plane {
            return Err(Error::OneSided { of: of(), shape: self.shape.name() });
        }
        let e = self.restitution;
        range(of, || "restitution".to_owned(), f64::from(e), (0.0..=1.0).contains(&e), "within 0 .. 1")?;
        self.motion.check(&of)
    }
}
