//! Rigid bodies.

use super::check::{factors, is_off, is_zero, needless, place};
use super::collider::{ColliderSpec, ShapeSpec};
use super::geometry::Files;
use super::keys::table;
use super::motion::MotionSpec;
use super::turn::{Turn, rotation};
use super::variant::Variant;
use seidel::collider::Shape;
use seidel::{Decomposition, Filter, Mesh, Pose, RigidBody, RigidKind, Scale, degrees};
use serde::{Deserialize, Serialize};

/// Declares a table with a shape: the keys in braces, then `shape` and what says how large it is, then its own; and
/// `solid`.
macro_rules! shaped {
    ($(#[$about:meta])* $Spec:ident { { $($first:tt)* } $($own:tt)* }) => {
        table! { $(#[$about])* $Spec {
            $($first)*
            /// sphere, capsule, cuboid, cylinder, cone, torus, mesh or hull.
            shape: RigidShapeSpec = RigidShapeSpec::Sphere,
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
            /// Width of the cells of a mesh's signed distance field, metres.
            #[serde(skip_serializing_if = "Option::is_none")]
            cell: Option<f32> = None,
            /// Mesh file of a mesh, or whose vertices a hull holds, relative to the scene file.
            #[serde(skip_serializing_if = "Option::is_none")]
            file: Option<String> = None,
            /// Factor on the mesh of the file, or three, along x, y and z; 1 if absent.
            #[serde(skip_serializing_if = "Option::is_none")]
            scale: Option<Scale> = None,
            /// Points of a hull, metres; instead of a file.
            #[serde(skip_serializing_if = "Option::is_none")]
            points: Option<Vec<[f32; 3]>> = None,
            $($own)*
        } }

        impl $Spec {
            /// A collider of the same shape, which knows what keys it needs.
            fn solid(&self) -> ColliderSpec {
                ColliderSpec {
                    shape: self.shape.of_collider(),
                    radius: self.radius,
                    half_length: self.half_length,
                    half: self.half,
                    ring: self.ring,
                    cell: self.cell,
                    file: self.file.clone(),
                    scale: self.scale,
                    points: self.points.clone(),
                    ..ColliderSpec::default()
                }
            }
        }
    };
}

shaped! {
    /// A rigid body.
    RigidSpec {
        {
            /// Name, unique among the rigid bodies of the scene.
            name: String = String::new(),
        }
        /// Several shapes instead of one.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<Vec<PartSpec>> = None,
        /// Convex pieces of a mesh at most.
        #[serde(skip_serializing_if = "Option::is_none")]
        pieces: Option<u32> = None,
        /// Vertices of a piece at most.
        #[serde(skip_serializing_if = "Option::is_none")]
        piece_vertices: Option<u32> = None,
        /// What a piece's hull may hold that is not the piece's, as a share of the volume of the mesh's hull.
        #[serde(skip_serializing_if = "Option::is_none")]
        piece_concavity: Option<f64> = None,
        /// Where the origin of its frame is, metres.
        position: [f32; 3] = [0.0; 3],
        /// Turn about the position.
        rotation: Turn = Turn::default(),
        /// dynamic, kinematic or fixed.
        kind: RigidKind = RigidKind::Dynamic,
        /// Path from there, of a kinematic body.
        #[serde(skip_serializing_if = "MotionSpec::is_fixed")]
        motion: MotionSpec = MotionSpec::Fixed,
        /// kg/m^3; 1000 if it and `mass` are absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        density: Option<f64> = None,
        /// kg; instead of a density.
        #[serde(skip_serializing_if = "Option::is_none")]
        mass: Option<f64> = None,
        /// Mesh file of a closed surface in whose inside its mass is, relative to the scene file; the shape's inside if
        /// absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        solid: Option<String> = None,
        /// Factor on that mesh, or three, along x, y and z; 1 if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        solid_scale: Option<Scale> = None,
        /// Of the centre of mass, m/s.
        velocity: [f64; 3] = [0.0; 3],
        /// About the world's axes, rad/s.
        angular_velocity: [f64; 3] = [0.0; 3],
        /// Coefficient.
        friction: f32 = 0.5,
        /// Where it slides; the same if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        friction_kinetic: Option<f32> = None,
        /// Part of the approach's speed with which it comes back from what it hits, 0..1.
        restitution: f32 = 0.0,
        /// Factor on gravity.
        gravity_scale: f32 = 1.0,
        /// Of its velocity, 1/s.
        linear_damping: f32 = 0.0,
        /// Of its angular velocity, 1/s.
        angular_damping: f32 = 0.0,
        /// Groups that it is in, a bit each.
        groups: u32 = Filter::default().groups,
        /// Groups that it meets, a bit each.
        mask: u32 = Filter::default().mask,
        /// Axes of the world along which nothing moves it.
        #[serde(skip_serializing_if = "is_free")]
        lock_translation: [bool; 3] = [false; 3],
        /// Axes of the world about which nothing turns it.
        #[serde(skip_serializing_if = "is_free")]
        lock_rotation: [bool; 3] = [false; 3],
        /// A point mass beside that of its shape, kg.
        #[serde(skip_serializing_if = "Option::is_none")]
        additional_mass: Option<f64> = None,
        /// Where it is in the body's frame, metres.
        #[serde(skip_serializing_if = "Option::is_none")]
        additional_at: Option<[f64; 3]> = None,
        /// Torque against rolling over the force along the normal, metres.
        #[serde(skip_serializing_if = "is_zero")]
        rolling_resistance: f32 = 0.0,
        /// Torque against spinning over the force along the normal, metres.
        #[serde(skip_serializing_if = "is_zero")]
        spinning_resistance: f32 = 0.0,
        /// Whether reports tell of its contacts.
        #[serde(skip_serializing_if = "is_off")]
        contact_events: bool = false,
        /// Whether it pushes nothing, and reports tell who is in it.
        #[serde(skip_serializing_if = "is_off")]
        sensor: bool = false,
    }
}

shaped! {
    /// One of several shapes of a rigid body.
    PartSpec {
        {}
        /// Where its origin is in the body's frame, metres.
        position: [f32; 3] = [0.0; 3],
        /// Turn about that, in the body's frame.
        rotation: Turn = Turn::default(),
    }
}

/// For a key that is left out of files where it says nothing.
fn is_free(axes: &[bool; 3]) -> bool {
    *axes == [false; 3]
}

/// Shapes of rigid bodies by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RigidShapeSpec {
    /// Ball of a radius.
    #[default]
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
    /// Inside of the closed mesh of a file.
    Mesh,
    /// Convex hull of points or of a file's vertices.
    Hull,
}

impl RigidShapeSpec {
    /// The same of a collider.
    fn of_collider(self) -> ShapeSpec {
        match self {
            RigidShapeSpec::Sphere => ShapeSpec::Sphere,
            RigidShapeSpec::Capsule => ShapeSpec::Capsule,
            RigidShapeSpec::Cuboid => ShapeSpec::Cuboid,
            RigidShapeSpec::Cylinder => ShapeSpec::Cylinder,
            RigidShapeSpec::Cone => ShapeSpec::Cone,
            RigidShapeSpec::Torus => ShapeSpec::Torus,
            RigidShapeSpec::Mesh => ShapeSpec::Mesh,
            RigidShapeSpec::Hull => ShapeSpec::Hull,
        }
    }
}

impl PartSpec {
    /// The shape, and where it is in the body's frame.
    fn build(&self, of: &str, files: &mut Files) -> Result<(Shape, Pose), String> {
        place(of, "position", self.position, " m")?;
        rotation(of, self.rotation)?;
        let Turn { axis, degrees: angle } = self.rotation;
        Ok((shape(of, &self.solid(), files)?, Pose::at(self.position).turned(axis, degrees(angle))))
    }
}

/// The shape of a rigid body, or of one of its parts.
fn shape(of: &str, solid: &ColliderSpec, files: &mut Files) -> Result<Shape, String> {
    solid.check_keys(of)?;
    // Balls are for colliders.
    if matches!(solid.shape, ShapeSpec::Mesh) && solid.file.is_none() {
        return Err(format!("{of}: a mesh needs `file`"));
    }
    let shape = solid.shape(of, files)?;
    if let Shape::Sdf { sdf, .. } = &shape {
        let (file, inside) = (solid.file.as_deref().unwrap_or_default(), volume(sdf.surface()));
        if inside.abs() <= ROUNDING * boxed(sdf.surface()) {
            return Err(format!(
                "{of}, {file}: as much of it looks inwards as outwards: it crosses itself; give a mesh that does not"
            ));
        }
        if inside < 0.0 {
            return Err(format!("{of}, {file}: its triangles look inwards: turn them over"));
        }
    }
    Ok(shape)
}

impl RigidSpec {
    pub(super) const VARIANTS: &[Variant] = &[Variant {
        name: "a single shape",
        keys: &["shape", "radius", "half_length", "half", "ring", "cell", "file", "scale", "points"],
        other: &["part"],
    }];

    /// All mesh files that it names.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let parts = self.part.iter().flatten().map(|part| &part.file);
        [&self.file, &self.solid].into_iter().chain(parts).filter_map(|file| file.as_deref())
    }

    /// The same, to be changed.
    pub(super) fn files_mut(&mut self) -> impl Iterator<Item = &mut Option<String>> {
        let parts = self.part.iter_mut().flatten().map(|part| &mut part.file);
        [&mut self.file, &mut self.solid].into_iter().chain(parts)
    }

    /// Its shapes, each with its place in its frame.
    fn parts(&self, of: &str, files: &mut Files) -> Result<Vec<(Shape, Pose)>, String> {
        let Some(parts) = &self.part else { return Ok(vec![(shape(of, &self.solid(), files)?, Pose::IDENTITY)]) };
        if self.solid() != RigidSpec::default().solid() {
            return Err(format!(
                "{of}: its shapes are those of `part`; leave out `shape` and what says how large it is"
            ));
        }
        if parts.is_empty() {
            return Err(format!("{of}: `part` is empty, and a body has a shape; give it one, or leave `part` out"));
        }
        parts.iter().enumerate().map(|(i, part)| part.build(&format!("{of}, part {i}"), files)).collect()
    }

    pub(super) fn build(&self, of: &str, files: &mut Files) -> Result<RigidBody, String> {
        place(of, "position", self.position, " m")?;
        rotation(of, self.rotation)?;
        needless(
            of,
            "without `additional_mass`",
            &[("additional_at", self.additional_at.is_some() && self.additional_mass.is_none())],
        )?;
        if self.kind != RigidKind::Dynamic {
            let why = match self.kind {
                RigidKind::Kinematic => "its kind is kinematic and nothing but its velocities or its motion moves it",
                _ => "its kind is fixed and nothing moves it",
            };
            let keys = [("lock_translation", self.lock_translation), ("lock_rotation", self.lock_rotation)];
            needless(of, why, &keys.map(|(key, axes)| (key, !is_free(&axes))))?;
        }
        if self.motion != MotionSpec::Fixed && self.kind != RigidKind::Kinematic {
            let kind = self.kind.name();
            return Err(format!(
                "{of}: only a kinematic body has a `motion`, and this one is {kind}: add `kind = \"kinematic\"`, or \
                 leave `motion` out"
            ));
        }
        let motion = self.motion.build(of)?;
        let parts = self.parts(of, files)?;
        let body = RigidBody {
            kind: self.kind,
            motion,
            friction: self.friction,
            friction_kinetic: self.friction_kinetic,
            restitution: self.restitution,
            gravity_scale: self.gravity_scale,
            linear_damping: self.linear_damping,
            angular_damping: self.angular_damping,
            filter: Filter::new(self.groups, self.mask),
            locked_translation: self.lock_translation,
            locked_rotation: self.lock_rotation,
            additional_mass: self.additional_mass.unwrap_or(0.0),
            additional_at: self.additional_at.unwrap_or_default().into(),
            rolling_resistance: self.rolling_resistance,
            spinning_resistance: self.spinning_resistance,
            contact_events: self.contact_events,
            sensor: self.sensor,
            decomposition: self.decomposition(of)?,
            ..RigidBody::compound(parts)
        };
        let body = match (self.density, self.mass) {
            (Some(_), Some(_)) => return Err(format!("{of}: give `density` or `mass`, not both")),
            (Some(density), None) => body.density(density),
            (None, Some(mass)) => body.mass(mass),
            (None, None) => body,
        };
        let body = match (&self.solid, self.solid_scale) {
            (Some(file), scale) => {
                let scale = scale.unwrap_or_default();
                factors(of, "solid_scale", scale)?;
                let mut mesh = files.surface(of, file)?;
                scale.scale_all(&mut mesh.positions);
                body.solid(mesh)
            }
            (None, Some(_)) => return Err(format!("{of}: `solid_scale` is for a file; there is no key `solid`")),
            (None, None) => body,
        };
        Ok(body
            .named(self.name.clone())
            .at(self.position)
            .turned(self.rotation.axis, degrees(self.rotation.degrees))
            .velocity(self.velocity)
            .angular_velocity(self.angular_velocity))
    }

    fn decomposition(&self, of: &str) -> Result<Decomposition, String> {
        let (pieces, vertices, concavity) = (self.pieces, self.piece_vertices, self.piece_concavity);
        let keys = [
            ("pieces", pieces.is_some()),
            ("piece_vertices", vertices.is_some()),
            ("piece_concavity", concavity.is_some()),
        ];
        let mut shapes = self.part.iter().flatten().map(|part| part.shape).chain([self.shape]);
        if !shapes.any(|shape| shape == RigidShapeSpec::Mesh) {
            needless(of, "without `shape = \"mesh\"`", &keys)?;
        }
        let unless_told = Decomposition::default();
        let limits = unless_told.pieces(pieces.unwrap_or(unless_told.pieces));
        let limits = limits.vertices(vertices.unwrap_or(unless_told.vertices));
        Ok(limits.concavity(concavity.unwrap_or(unless_told.concavity)))
    }
}

/// What of the volume of a mesh's box is no volume of the mesh: its coordinates are f32.
const ROUNDING: f64 = 1e-6;

/// Volume of the box about a mesh, cubic metres.
fn boxed(mesh: &Mesh) -> f64 {
    let side = |k: usize| {
        let along = mesh.positions.iter().map(|x| f64::from(x[k]));
        along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
    };
    side(0) * side(1) * side(2)
}

/// Of a closed surface, cubic metres; below 0 if it looks inwards.
fn volume(mesh: &Mesh) -> f64 {
    let of = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|v| mesh.positions[v as usize].map(f64::from));
        let normal = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        (a[0] * normal[0] + a[1] * normal[1]) + a[2] * normal[2]
    };
    mesh.triangles.iter().map(of).sum::<f64>() / 6.0
}
