//! Rigid bodies: shapes that move as one and are pushed by contacts.

use crate::describe::collider::{ConvexHull, Form, Motion, Sdf, Shape};
use crate::describe::decomposition::Decomposition;
use crate::describe::error::{Error, range};
use crate::describe::filter::Filter;
use crate::describe::memory::Need;
use crate::describe::mesh::Mesh;
use crate::describe::pose::Pose;
use crate::tuning::{MAX_COORDINATE, MIN_RIGID_SIZE, RIGID_MASS};
use glam::{DVec3, Vec3};
use seidel_rigid::motion::Locks;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What moves a rigid body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RigidKind {
    /// Forces, contacts and joints.
    #[default]
    Dynamic,
    /// Its velocities alone, or a path: it pushes others as if its mass were infinite.
    Kinematic,
    /// Nothing.
    Fixed,
}

impl RigidKind {
    /// Its name, as scene files have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RigidKind::Dynamic => "dynamic",
            RigidKind::Kinematic => "kinematic",
            RigidKind::Fixed => "fixed",
        }
    }
}

/// How heavy a rigid body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// kg/m^3, within 1e-9 .. 1e9, the same everywhere in it. The mass that it makes is within 1e-18 .. 1e24 kg.
    Density(f64),
    /// kg, within 1e-18 .. 1e24, for all of it: every part has the same density.
    Mass(f64),
}

/// A rigid body of a scene: one shape or several. Centre of mass and inertia follow from them when it is planned.
///
/// # Example
/// ```
/// use seidel::{Pose, RigidBody, Scene, collider::Shape};
/// let mut scene = Scene::new();
/// scene.add_rigid(RigidBody::cuboid([0.5; 3]).at([0.0, 1.0, 0.0]).density(700.0));
/// let head = (Shape::Cuboid { half: [0.1, 0.05, 0.05].into() }, Pose::at([0.0, 0.3, 0.0]));
/// let handle = (Shape::Capsule { radius: 0.02, half_length: 0.28 }, Pose::IDENTITY);
/// let hammer = scene.add_rigid(RigidBody::compound([head, handle]).mass(1.2).named("hammer"));
/// assert_eq!(scene.rigid("hammer"), Some(hammer));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    /// Name, unique among the rigid bodies of a scene.
    pub name: String,
    /// Its shapes, each with its place in the body's own frame. Where they overlap, their masses add. Spheres,
    /// capsules, cuboids, cylinders, cones, hulls, rings and insides of distance fields; sizes are within 1e-6 .. 1e6
    /// m. Rigid bodies and colliders meet the last two by convex pieces (docs/contacts.md), particles and triangles of
    /// others as they are.
    pub parts: Vec<(Shape, Pose)>,
    /// Where its own frame is at the start.
    pub pose: Pose,
    /// What moves it.
    pub kind: RigidKind,
    /// A path of its own frame from `pose`, if it is kinematic; [`Motion::Fixed`]: it goes as its velocities say.
    pub motion: Motion,
    /// How heavy it is.
    pub weight: Weight,
    /// A closed surface in the body's own frame, whose inside has its mass in place of its shapes; counter-clockwise
    /// seen from outside.
    pub solid: Option<Arc<Mesh>>,
    /// Velocity of the centre of mass at the start, m/s, within +-1e6 along each axis.
    pub velocity: DVec3,
    /// Angular velocity at the start about the world's axes, rad/s, within +-1e6 about each.
    pub angular_velocity: DVec3,
    /// Friction coefficient, >= 0. A contact's is the geometric mean of the two bodies', or what else
    /// [`crate::Settings::friction_rule`] says.
    pub friction: f32,
    /// Where it slides, >= 0; None: the same. A contact's is combined alike.
    pub friction_kinetic: Option<f32>,
    /// Part of the approach's speed with which it comes back from what it hits, 0..=1; times the other's, and a
    /// collider's is 0 unless told.
    pub restitution: f32,
    /// Factor on gravity; below 0 it rises.
    pub gravity_scale: f32,
    /// Damping of its velocity, 1/s, >= 0: without forces a velocity falls by 1/e in 1 / `linear_damping` seconds.
    pub linear_damping: f32,
    /// Damping of its angular velocity, 1/s, >= 0, alike.
    pub angular_damping: f32,
    /// Which bodies and colliders it meets.
    pub filter: Filter,
    /// Axes of the world along which nothing moves it: x, y, z.
    pub locked_translation: [bool; 3],
    /// Axes of the world about which nothing turns it.
    pub locked_rotation: [bool; 3],
    /// A point mass beside that of its shapes, kg, 0 or within 1e-18 .. 1e24.
    pub additional_mass: f64,
    /// Where it is in the body's own frame, metres, within +-1e6.
    pub additional_at: DVec3,
    /// Resistance to rolling: the most torque over the force along the normal, metres, >= 0. A ball of radius R rolls
    /// out with (5/7) g c / R. A contact has the larger of the two bodies'.
    pub rolling_resistance: f32,
    /// The same of spinning about the normal, metres, beside what friction gives a contact with an area.
    pub spinning_resistance: f32,
    /// Whether reports tell of its contacts with bodies and colliders ([`crate::Report::rigid_events`]).
    pub contact_events: bool,
    /// Whether it pushes nothing, and reports tell which bodies and colliders it overlaps; one of the two has to be
    /// moved by forces.
    pub sensor: bool,
    /// Into how many convex pieces insides of distance fields are cut.
    pub decomposition: Decomposition,
}

impl RigidBody {
    /// A ball about the origin, radius in metres.
    #[must_use]
    pub fn sphere(radius: f32) -> RigidBody {
        RigidBody::new(Shape::Sphere { radius })
    }

    /// A capsule about the origin: within a radius of a segment along y, half as long as given; metres.
    #[must_use]
    pub fn capsule(radius: f32, half_length: f32) -> RigidBody {
        RigidBody::new(Shape::Capsule { radius, half_length })
    }

    /// A box about the origin, half its sides in metres.
    #[must_use]
    pub fn cuboid(half: impl Into<Vec3>) -> RigidBody {
        RigidBody::new(Shape::Cuboid { half: half.into() })
    }

    /// A cylinder about the origin along y, half as high as given; metres.
    #[must_use]
    pub fn cylinder(radius: f32, half_height: f32) -> RigidBody {
        RigidBody::new(Shape::Cylinder { radius, half_height })
    }

    /// A cone about the origin along y, its tip above and its base below, each half its height away; metres.
    #[must_use]
    pub fn cone(radius: f32, half_height: f32) -> RigidBody {
        RigidBody::new(Shape::Cone { radius, half_height })
    }

    /// A convex hull.
    #[must_use]
    pub fn hull(hull: Arc<ConvexHull>) -> RigidBody {
        RigidBody::new(Shape::Hull(hull))
    }

    /// A ring about the origin in the plane y = 0: radius of its middle line, and of its tube; metres.
    #[must_use]
    pub fn torus(ring: f32, tube: f32) -> RigidBody {
        RigidBody::new(Shape::Torus { ring, tube })
    }

    /// The inside of a closed mesh, convex or not: its distance field in cells of a width in metres
    /// ([`Sdf::from_mesh`]), which is what deformable bodies meet. Rigid bodies and colliders meet convex pieces of it
    /// ([`Decomposition`]). Triangles are counter-clockwise seen from outside.
    ///
    /// # Errors
    /// As [`Sdf::from_mesh`], and if the cells are so wide that the field has no inside.
    ///
    /// # Example
    /// ```
    /// use seidel::{Mesh, RigidBody, Scene};
    /// // Two balls that flow into one another.
    /// let mesh = Mesh::of_balls(&[[0.0, 0.0, 0.0, 0.3], [0.5, 0.0, 0.0, 0.3]], 0.05)?;
    /// Scene::new().add_rigid(RigidBody::mesh(&mesh, 0.05)?.density(700.0));
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn mesh(mesh: &Mesh, cell: f32) -> Result<RigidBody, Error> {
        let sdf = Sdf::from_mesh(mesh, cell)?;
        sdf.check_inside()?;
        Ok(RigidBody::sdf(Arc::new(sdf)))
    }

    /// The inside of a signed distance field.
    #[must_use]
    pub fn sdf(sdf: Arc<Sdf>) -> RigidBody {
        RigidBody::new(Shape::Sdf { sdf, form: Form::Solid })
    }

    /// A shape at the origin.
    #[must_use]
    pub fn new(shape: Shape) -> RigidBody {
        RigidBody::compound([(shape, Pose::IDENTITY)])
    }

    /// Shapes that move as one, each with its place in the body's frame; none is refused when the scene is planned.
    ///
    /// It is at the origin, at rest, moved by forces, of 1000 kg/m^3, with friction 0.5, restitution 0 and no damping;
    /// named by its number in the scene unless it is given a name.
    #[must_use]
    pub fn compound(parts: impl IntoIterator<Item = (Shape, Pose)>) -> RigidBody {
        RigidBody {
            name: String::new(),
            parts: parts.into_iter().collect(),
            pose: Pose::IDENTITY,
            kind: RigidKind::Dynamic,
            motion: Motion::Fixed,
            weight: Weight::Density(1000.0),
            solid: None,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            friction: 0.5,
            friction_kinetic: None,
            restitution: 0.0,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            filter: Filter::default(),
            locked_translation: [false; 3],
            locked_rotation: [false; 3],
            additional_mass: 0.0,
            additional_at: DVec3::ZERO,
            rolling_resistance: 0.0,
            spinning_resistance: 0.0,
            contact_events: false,
            sensor: false,
            decomposition: Decomposition::default(),
        }
    }

    /// Gives it a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> RigidBody {
        self.name = name.into();
        self
    }

    /// Puts the origin of its frame at a position, metres.
    #[must_use]
    pub fn at(mut self, position: impl Into<Vec3>) -> RigidBody {
        self.pose.position = Pose::at(position).position;
        self
    }

    /// Puts its frame somewhere.
    #[must_use]
    pub fn placed(mut self, pose: Pose) -> RigidBody {
        self.pose = pose;
        self
    }

    /// Turns it about the origin of its frame by an angle in radians about an axis of the world, after what turned it
    /// before.
    #[must_use]
    pub fn turned(mut self, axis: impl Into<DVec3>, angle: f64) -> RigidBody {
        self.pose = self.pose.turned(axis, angle);
        self
    }

    /// Its density, kg/m^3, within 1e-9 .. 1e9; 1000 unless told. It takes the place of a mass.
    #[must_use]
    pub fn density(mut self, density: f64) -> RigidBody {
        self.weight = Weight::Density(density);
        self
    }

    /// Its mass, kg, within 1e-18 .. 1e24. It takes the place of a density.
    #[must_use]
    pub fn mass(mut self, mass: f64) -> RigidBody {
        self.weight = Weight::Mass(mass);
        self
    }

    /// Where its mass is: in a closed surface in its own frame, evenly, whatever its shapes are. Mass, centre and
    /// inertia follow from its volume; the shapes are what others meet. Triangles are counter-clockwise seen from
    /// outside; one that is open or has no inside is refused when the scene is planned.
    #[must_use]
    pub fn solid(mut self, surface: impl Into<Arc<Mesh>>) -> RigidBody {
        self.solid = Some(surface.into());
        self
    }

    /// Velocity of the centre of mass at the start, m/s.
    #[must_use]
    pub fn velocity(mut self, velocity: impl Into<DVec3>) -> RigidBody {
        self.velocity = velocity.into();
        self
    }

    /// Angular velocity at the start about the world's axes, rad/s.
    #[must_use]
    pub fn angular_velocity(mut self, velocity: impl Into<DVec3>) -> RigidBody {
        self.angular_velocity = velocity.into();
        self
    }

    /// Friction coefficient, >= 0; 0.5 unless told.
    #[must_use]
    pub fn friction(mut self, coefficient: f32) -> RigidBody {
        self.friction = coefficient;
        self
    }

    /// Friction coefficient where it slides, >= 0; that of [`RigidBody::friction`] unless told.
    #[must_use]
    pub fn friction_kinetic(mut self, coefficient: f32) -> RigidBody {
        self.friction_kinetic = Some(coefficient);
        self
    }

    /// Part of the approach's speed with which it comes back from what it hits, 0..=1; 0 unless told.
    #[must_use]
    pub fn restitution(mut self, coefficient: f32) -> RigidBody {
        self.restitution = coefficient;
        self
    }

    /// Factor on gravity; 1 unless told.
    #[must_use]
    pub fn gravity_scale(mut self, scale: f32) -> RigidBody {
        self.gravity_scale = scale;
        self
    }

    /// Damping of its velocity, 1/s, >= 0.
    #[must_use]
    pub fn linear_damping(mut self, damping: f32) -> RigidBody {
        self.linear_damping = damping;
        self
    }

    /// Damping of its angular velocity, 1/s, >= 0.
    #[must_use]
    pub fn angular_damping(mut self, damping: f32) -> RigidBody {
        self.angular_damping = damping;
        self
    }

    /// Which bodies and colliders it meets; all unless told.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> RigidBody {
        self.filter = filter;
        self
    }

    /// Axes of the world (x, y, z) along which nothing moves it: neither forces nor contacts or joints. A body of a
    /// flat scene has [false, false, true], and its rotations about x and y locked. Kinematic bodies go as their
    /// velocities say.
    #[must_use]
    pub fn lock_translation(mut self, axes: [bool; 3]) -> RigidBody {
        self.locked_translation = axes;
        self
    }

    /// Axes of the world about which nothing turns it.
    #[must_use]
    pub fn lock_rotation(mut self, axes: [bool; 3]) -> RigidBody {
        self.locked_rotation = axes;
        self
    }

    /// A point mass beside that of its shapes, kg, at a place in its own frame, metres: a keel, a load.
    #[must_use]
    pub fn additional_mass(mut self, mass: f64, at: impl Into<DVec3>) -> RigidBody {
        (self.additional_mass, self.additional_at) = (mass, at.into());
        self
    }

    /// Resistance to rolling, metres, >= 0; 0 unless told.
    #[must_use]
    pub fn rolling_resistance(mut self, arm: f32) -> RigidBody {
        self.rolling_resistance = arm;
        self
    }

    /// Resistance to spinning about the normal of a contact, metres, >= 0; 0 unless told.
    #[must_use]
    pub fn spinning_resistance(mut self, arm: f32) -> RigidBody {
        self.spinning_resistance = arm;
        self
    }

    /// Reports tell when its contacts begin, go on and end, and their impulses ([`crate::Report::rigid_events`]).
    #[must_use]
    pub fn contact_events(mut self) -> RigidBody {
        self.contact_events = true;
        self
    }

    /// It pushes nothing, and reports tell who begins and ends to overlap it ([`crate::Report::rigid_events`]), as it
    /// is at the end of each step. Sensors do not see each other, nor anything deformable. One that is kinematic or
    /// fixed sees dynamic bodies only, and no collider.
    #[must_use]
    pub fn sensor(mut self) -> RigidBody {
        self.sensor = true;
        self
    }

    /// Limits of the convex pieces that stand in for a mesh.
    #[must_use]
    pub fn decomposition(mut self, limits: Decomposition) -> RigidBody {
        self.decomposition = limits;
        self
    }

    /// What nothing moves it along or about.
    pub(crate) fn locks(&self) -> Locks {
        Locks { translation: self.locked_translation, rotation: self.locked_rotation }
    }

    /// Only its velocities move it, and it pushes what is in its way.
    #[must_use]
    pub fn kinematic(mut self) -> RigidBody {
        self.kind = RigidKind::Kinematic;
        self
    }

    /// Sends it on a path, which moves its own frame from where it is described; it is kinematic then. It has the
    /// velocities that take it there within each step, evenly and by the shorter way: contacts and joints feel them.
    /// A teleport, or other velocities that it is given, hold until the next step begins. Its velocities at the start
    /// have to be 0.
    ///
    /// # Example
    /// ```
    /// use seidel::{Input, RigidBody, Scene, Solver, collider::Motion};
    /// let mut scene = Scene::new();
    /// let up = Motion::Linear { velocity: [0.0, 2.0, 0.0].into() };
    /// let lift = scene.add_rigid(RigidBody::cuboid([1.0, 0.1, 1.0]).moving(up));
    /// let mut solver = Solver::new(&scene)?;
    /// solver.step(&Input::frame(0.25));
    /// assert_eq!(solver.state().rigid_pose(solver.plan(), lift).position().y, 0.5);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> RigidBody {
        (self.kind, self.motion) = (RigidKind::Kinematic, motion);
        self
    }

    /// Nothing moves it. Its velocities have to be 0.
    #[must_use]
    pub fn fixed(mut self) -> RigidBody {
        self.kind = RigidKind::Fixed;
        self
    }

    /// Its distance fields, which others may have, too.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Arc<Sdf>> {
        self.parts.iter().filter_map(|(shape, _)| match shape {
            Shape::Sdf { sdf, .. } => Some(sdf),
            _ => None,
        })
    }

    /// The memory that it needs itself, without what its fields need, estimated.
    pub(crate) fn need(&self) -> Need {
        Need::rigid(self.parts.len() as u64)
    }

    /// How errors call it, and one of its parts if it has several.
    pub(crate) fn called(&self, part: Option<usize>) -> String {
        match part.filter(|_| self.parts.len() > 1) {
            Some(part) => format!("body `{}`, part {part}", self.name),
            None => format!("body `{}`", self.name),
        }
    }

    /// All that can be told without its volume.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let of = || self.called(None);
        if self.parts.is_empty() {
            return Err(Error::NoShape { of: of() });
        }
        for (i, (shape, pose)) in self.parts.iter().enumerate() {
            check_shape(shape, &|| self.called(Some(i)))?;
            check_pose(pose, &|| self.called(Some(i)))?;
        }
        check_pose(&self.pose, &of)?;
        self.decomposition.check(&of)?;
        match self.weight {
            Weight::Density(density) => {
                let good = (1e-9..=1e9).contains(&density);
                range(of, || "density".to_owned(), density, good, "within 1e-9 .. 1e9 kg/m^3")?;
            }
            Weight::Mass(mass) => self.check_mass(mass)?,
        }
        let (fixed, on_path) = (self.kind == RigidKind::Fixed, self.motion != Motion::Fixed);
        if on_path && self.kind != RigidKind::Kinematic {
            return Err(Error::NoPath { of: of(), kind: self.kind.name() });
        }
        self.motion.check(&of)?;
        let speeds = [
            ("velocity", self.velocity, "within +-1e6 m/s"),
            ("angular velocity", self.angular_velocity, "within +-1e6 rad/s"),
        ];
        for (what, speed, limit) in speeds {
            for (v, axis) in speed.to_array().into_iter().zip(["x", "y", "z"]) {
                let what = || format!("{what} along {axis}");
                range(of, what, v, v.abs() <= f64::from(MAX_COORDINATE), limit)?;
                range(of, what, v, !fixed || v == 0.0, "0, and the body is fixed")?;
                range(of, what, v, !on_path || v == 0.0, "0, and its motion moves it: leave one of them out")?;
            }
        }
        let (f, e, g) = (self.friction, self.restitution, self.gravity_scale);
        range(of, || "friction".to_owned(), f64::from(f), (0.0..=1e6).contains(&f), "within 0 .. 1e6")?;
        let k = self.friction_kinetic.unwrap_or(f);
        range(of, || "friction_kinetic".to_owned(), f64::from(k), (0.0..=1e6).contains(&k), "within 0 .. 1e6")?;
        range(of, || "restitution".to_owned(), f64::from(e), (0.0..=1.0).contains(&e), "within 0 .. 1")?;
        range(of, || "gravity_scale".to_owned(), f64::from(g), g.abs() <= 1e6, "within +-1e6")?;
        for (what, c) in
            [("rolling_resistance", self.rolling_resistance), ("spinning_resistance", self.spinning_resistance)]
        {
            range(of, || what.to_owned(), f64::from(c), (0.0..=1e6).contains(&c), "within 0 .. 1e6 m")?;
        }
        let mass = self.additional_mass;
        let good = mass == 0.0 || (RIGID_MASS[0]..=RIGID_MASS[1]).contains(&mass);
        range(of, || "additional_mass".to_owned(), mass, good, "0 or within 1e-18 .. 1e24 kg")?;
        for c in self.additional_at.to_array() {
            let good = c.abs() <= f64::from(MAX_COORDINATE);
            range(of, || "place of the additional mass".to_owned(), c, good, "within +-1e6 m")?;
        }
        for (what, c) in [("linear_damping", self.linear_damping), ("angular_damping", self.angular_damping)] {
            range(of, || what.to_owned(), f64::from(c), (0.0..=1e6).contains(&c), "within 0 .. 1e6 per s")?;
        }
        Ok(())
    }

    /// Whether it may have a mass in kg, given or found.
    pub(crate) fn check_mass(&self, mass: f64) -> Result<(), Error> {
        let good = (RIGID_MASS[0]..=RIGID_MASS[1]).contains(&mass);
        range(|| self.called(None), || "mass".to_owned(), mass, good, "within 1e-18 .. 1e24 kg")
    }
}

/// Whether rigid bodies have the shape, and its sizes.
fn check_shape(shape: &Shape, of: &dyn Fn() -> String) -> Result<(), Error> {
    match shape {
        Shape::Sphere { .. }
        | Shape::Capsule { .. }
        | Shape::Cuboid { .. }
        | Shape::Cylinder { .. }
        | Shape::Cone { .. } => {}
        Shape::Torus { ring, tube } => {
            let good = ring > tube;
            range(of, || "ring".to_owned(), f64::from(*ring), good, "more than the tube's radius")?;
        }
        Shape::Sdf { form: Form::Solid, .. } => {}
        Shape::Hull(hull) => {
            let width = hull.width();
            let good = width >= MIN_RIGID_SIZE;
            range(of, || "width of the hull".to_owned(), f64::from(width), good, "1e-6 m or more")?;
        }
        other => return Err(Error::NotRigid { of: of(), shape: other.name() }),
    }
    for (name, length, positive) in shape.named_lengths() {
        let (least, limit) = match positive {
            true => (MIN_RIGID_SIZE, "within 1e-6 .. 1e6 m"),
            false => (0.0, "within 0 .. 1e6 m"),
        };
        let good = (least..=MAX_COORDINATE).contains(&length);
        range(of, || name.to_owned(), f64::from(length), good, limit)?;
    }
    Ok(())
}

fn check_pose(pose: &Pose, of: &dyn Fn() -> String) -> Result<(), Error> {
    for p in pose.position {
        range(of, || "position".to_owned(), p, p.abs() <= f64::from(MAX_COORDINATE), "within +-1e6 m")?;
    }
    let length: f64 = pose.rotation.iter().map(|q| q * q).sum();
    range(of, || "rotation (squared length)".to_owned(), length, pose.is_valid(), "1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::collider::HeightField;
    use crate::describe::scene::Scene;

    fn says(body: RigidBody, text: &str) {
        let error = body.named("it").check().unwrap_err().to_string();
        assert!(error.starts_with("body `it`") && error.contains(text), "{error}");
    }

    #[test]
    fn numbers_out_of_their_ranges_are_named() {
        let cube = || RigidBody::cuboid([0.5; 3]);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            says(cube().density(bad), "which is not within 1e-9 .. 1e9 kg/m^3");
            says(cube().mass(bad), "which is not within 1e-18 .. 1e24 kg");
            says(RigidBody::sphere(bad as f32), "which is not within 1e-6 .. 1e6 m");
        }
        says(cube().density(-1.0), "body `it`: density is -1, which is not within");
        says(RigidBody::sphere(1e-7), "radius is 1e-7");
        says(RigidBody::sphere(2e6), "radius is 2000000");
        says(RigidBody::capsule(1.0, -0.1), "half_length is -0.1, which is not within 0 .. 1e6 m");
        says(RigidBody::cuboid([1.0, 0.0, 1.0]), "half along y is 0");
        says(cube().velocity([0.0, 2e6, 0.0]), "velocity along y is 2000000, which is not within +-1e6 m/s");
        says(cube().angular_velocity([f64::NAN, 0.0, 0.0]), "angular velocity along x is NaN");
        says(cube().fixed().velocity([0.0, 0.0, 1.0]), "velocity along z is 1, which is not 0, and the body is fixed");
        says(cube().at([0.0, 1e7, 0.0]), "position is 10000000");
        says(cube().friction(-0.1), "friction is -0.1");
        says(cube().friction_kinetic(-0.1), "friction_kinetic is -0.1");
        says(cube().restitution(1.1), "restitution is 1.1");
        says(cube().gravity_scale(f32::NAN), "gravity_scale is NaN");
        says(cube().linear_damping(-1.0), "linear_damping is -1");
        says(cube().rolling_resistance(-1.0), "rolling_resistance is -1, which is not within 0 .. 1e6 m");
        says(cube().spinning_resistance(f32::NAN), "spinning_resistance is NaN");
        says(cube().additional_mass(-1.0, [0.0; 3]), "additional_mass is -1, which is not 0 or within");
        says(cube().additional_mass(1.0, [0.0, 1e7, 0.0]), "place of the additional mass is 10000000");
        says(cube().angular_damping(f32::INFINITY), "angular_damping is inf");
        let askew = Pose { rotation: [0.0, 0.0, 0.0, 0.5], ..Pose::IDENTITY };
        says(cube().placed(askew), "rotation (squared length) is 0.25, which is not 1");
        RigidBody::capsule(1e-6, 0.0).velocity([1e6; 3]).check().expect("at the limits");
    }

    #[test]
    fn only_kinematic_bodies_have_paths() {
        let up = || Motion::Linear { velocity: DVec3::Y };
        let cube = || RigidBody::cuboid([0.5; 3]).moving(up());
        cube().check().expect("it is kinematic");
        let text = "only a kinematic body has a motion, and this one is";
        says(cube().fixed(), &format!("{text} fixed: make it kinematic, or leave its motion out"));
        says(RigidBody { kind: RigidKind::Dynamic, ..cube() }, &format!("{text} dynamic: "));
        says(cube().velocity([0.0, 1.0, 0.0]), "velocity along y is 1, which is not 0, and its motion moves it");
        says(cube().angular_velocity([0.0, 1.0, 0.0]), "angular velocity along y is 1, which is not 0, and its motion");
        says(RigidBody::sphere(1.0).moving(Motion::Linear { velocity: DVec3::NAN }), "velocity is NaN");
    }

    #[test]
    fn a_shape_that_no_rigid_body_has_is_named_with_its_part() {
        says(RigidBody::compound([]), "a compound needs a shape");
        let error = "a rigid body cannot be a plane; it can be a sphere, a capsule, a cuboid, a cylinder, a cone, a hull, a torus";
        says(RigidBody::new(Shape::Plane), error);
        let heights = Arc::new(HeightField::new([2, 2], &[0.0; 4], 1.0).expect("a square"));
        says(RigidBody::torus(1.0, 1.0), "ring is 1, which is not more than the tube's radius");
        let ball = Shape::Sphere { radius: 1.0 };
        says(
            RigidBody::compound([(ball.clone(), Pose::IDENTITY), (Shape::HeightField(heights), Pose::IDENTITY)]),
            "body `it`, part 1: a rigid body cannot be a height-field",
        );
        let far = Pose::at([0.0, 0.0, 2e6]);
        says(RigidBody::compound([(ball.clone(), Pose::IDENTITY), (ball, far)]), "part 1: position is 2000000");
        let thin: Vec<[f32; 3]> = boxed([1.0, 1.0, 1e-7]);
        let hull = Arc::new(ConvexHull::new(&thin).expect("not flat"));
        says(RigidBody::hull(hull), "width of the hull is");
    }

    fn boxed(half: [f32; 3]) -> Vec<[f32; 3]> {
        (0..8).map(|i| std::array::from_fn(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] })).collect()
    }

    #[test]
    fn a_scene_names_its_rigid_bodies() {
        let mut scene = Scene::new();
        let empty = scene.need().bytes;
        let first = scene.add_rigid(RigidBody::sphere(1.0));
        let second = scene.add_rigid(RigidBody::sphere(1.0).named("ball"));
        assert_eq!((scene.rigid("rigid-0"), scene.rigid("ball")), (Some(first), Some(second)));
        assert_eq!((scene.rigid("rigid-1"), second.index()), (None, 1));
        assert!(scene.need().bytes > empty + 1000);
    }
}
