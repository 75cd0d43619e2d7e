//! Rigid bodies of a plan: masses, principal axes, and their shapes in the frame of these.

mod hauled;
mod pieces;
mod solid;
mod surfaces;

use crate::describe::collider::{Collider, ConvexHull, Form, Motion as Path, Sdf, Shape};
use crate::describe::decomposition::Decomposition;
use crate::describe::error::{Error, range};
use crate::describe::filter::Filter;
use crate::describe::motor_path::MotorPath;
use crate::describe::pose::Pose;
use crate::describe::rigid::{RigidBody, RigidKind, Weight};
use crate::describe::rigid_joint::RigidJoint;
use crate::describe::scene::Scene;
use crate::geometry::vector::sub;
use crate::tuning::MIN_INERTIA_SHARE;
use seidel_rigid::joint::{self, Forest, Joint, JointFrame, Motor, Pattern, WORLD, crowding_of};
use seidel_rigid::motion::{Locks, Mass, Motion, Pull};
use seidel_rigid::surface::Surface;
use seidel_rigid::tuning::TAUT;
use seidel_rigid::{BodyRow, MassProperties, Polyhedron};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Rigid bodies of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Rigid {
    pub(crate) bodies: Vec<RigidBodyPlan>,
    /// Shapes of all bodies, those of a body one after another.
    pub(crate) shapes: Vec<PlacedShape>,
    /// The same as described, for pictures: body, shape, and its place in the frame of the centre of mass and the
    /// principal axes.
    pub(crate) shown: Vec<(u32, Shape, Pose)>,
    /// The colliders that they meet.
    pub(crate) colliders: Vec<PlacedCollider>,
    pub(crate) joints: Vec<RigidJointPlan>,
    /// How hard each joint may pull (passes/rigid/taut.rs).
    pub(crate) taut: Vec<TautPlan>,
    /// Joints whose locked coordinates are solved at once.
    pub(crate) forest: Forest,
    /// Joints that are asked to be solved so, and lock nothing.
    pub(crate) idle: Vec<u32>,
    /// Joints that share no body which moves, set after set.
    pub(crate) colors: Vec<Vec<u32>>,
    /// Pairs of bodies that a joint keeps from colliding, ascending, and the joint.
    pub(crate) joined: Vec<([u32; 2], u32)>,
    /// Whether the filter of a body lets it meet nobody: no other rigid body, and no collider.
    pub(crate) alone: Vec<bool>,
    /// Whether bodies at rest sleep.
    pub(crate) sleeps: bool,
    /// Whether a body tells of its contacts, and whether one is a sensor.
    pub(crate) tells: bool,
    pub(crate) senses: bool,
}

/// How hard a joint may pull before its bodies may need more inertia.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TautPlan {
    pub(crate) bodies: [u32; 2],
    /// The square of an impulse times a substep, kg^2 m^2; infinite of a gear, a rack, or a joint of a tree.
    pub(crate) most: f64,
}

/// A joint of a plan.
#[derive(Clone, Debug)]
pub(crate) struct RigidJointPlan {
    pub(crate) name: String,
    pub(crate) joint: Joint,
    /// Whether it is of a tree.
    pub(crate) in_tree: bool,
    /// Whether sixteen of its like are solved at once while its motor is off: a ball without limits that is of no tree.
    pub(crate) is_ball: bool,
    /// The pattern that it has while its motor is as it was planned: sixteen of one pattern are solved at once.
    pub(crate) pattern: Pattern,
    /// Targets of its motor in time.
    pub(crate) path: Option<MotorPath>,
}

/// A rigid body of a plan.
#[derive(Clone, Debug)]
pub(crate) struct RigidBodyPlan {
    pub(crate) name: String,
    pub(crate) kind: RigidKind,
    pub(crate) shapes: Range<usize>,
    /// 1/kg; 0 of what no force moves.
    pub(crate) inv_mass: f64,
    /// 1/(kg m^2) about the principal axes; 0 of what no force moves.
    pub(crate) inv_inertia: [f64; 3],
    /// kg m^2 about the principal axes, whatever moves it.
    pub(crate) inertia: [f64; 3],
    pub(crate) gravity_scale: f32,
    pub(crate) linear_damping: f32,
    pub(crate) angular_damping: f32,
    /// Where the centre of mass and the principal axes are at the start.
    pub(crate) pose: Pose,
    /// Where they go, if it is on a path.
    pub(crate) path: Option<RigidPath>,
    /// The body's own frame, in the frame of the centre of mass and the principal axes.
    pub(crate) own: Pose,
    /// Of the centre of mass, m/s.
    pub(crate) velocity: [f64; 3],
    /// About the world's axes, rad/s.
    pub(crate) angular_velocity: [f64; 3],
    pub(crate) filter: Filter,
    /// No point of it is farther from the centre of mass, metres.
    pub(crate) arm: f64,
    /// What nothing moves it along or about.
    pub(crate) locks: Locks,
    /// Whether it tells of its contacts, and whether it pushes nothing.
    pub(crate) contact_events: bool,
    pub(crate) sensor: bool,
}

/// A path of a kinematic body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RigidPath {
    /// Of the body's own frame.
    motion: Path,
    /// Where that frame is described to be.
    pub(crate) start: Pose,
    /// The centre of mass and the principal axes in it.
    principal: Pose,
}

impl RigidPath {
    /// Where the centre of mass and the principal axes are at a time, seconds.
    pub(crate) fn at(&self, time: f64) -> Pose {
        self.place(&self.frame(time))
    }

    /// Where the body's own frame is at a time, seconds.
    pub(crate) fn frame(&self, time: f64) -> Pose {
        self.motion.at(&self.start, time)
    }

    /// Where the centre of mass and the principal axes are, of where the body's own frame is.
    pub(crate) fn place(&self, frame: &Pose) -> Pose {
        frame.place(&self.principal)
    }
}

/// A shape of a rigid body.
#[derive(Clone, Debug)]
pub(crate) struct PlacedShape {
    pub(crate) body: u32,
    pub(crate) shape: seidel_rigid::Shape,
    /// In the frame of the centre of mass and the principal axes.
    pub(crate) pose: Pose,
    /// Radius of a ball about the shape's origin that holds it, and of one that it holds, metres.
    pub(crate) bound: f32,
    pub(crate) core: f32,
    /// At rest, and where it slides.
    pub(crate) friction: [f32; 2],
    pub(crate) restitution: f32,
    /// Against rolling and spinning, metres.
    pub(crate) resistance: [f32; 2],
}

/// A collider as rigid bodies meet it.
#[derive(Clone, Debug)]
pub(crate) struct PlacedCollider {
    pub(crate) collider: u32,
    /// In the collider's own frame.
    pub(crate) shape: seidel_rigid::Shape,
    /// Radius of a ball about its origin that holds it, infinite of a plane, and of one that it holds, metres.
    pub(crate) bound: f32,
    pub(crate) core: f32,
    /// At rest, and where it slides.
    pub(crate) friction: [f32; 2],
    pub(crate) restitution: f32,
}

/// A shape of 1 kg/m^3.
#[derive(Clone)]
struct Solid {
    /// One, or the pieces of what is not convex, and where the origin of each is in the frame of the described shape.
    /// Of hulls it is the centre of mass: so they are as precise as their sizes allow, and as small a ball as possible
    /// holds them.
    shapes: Vec<(seidel_rigid::Shape, [f64; 3])>,
    mass: MassProperties,
}

/// Hulls and fields that were planned, by the address of what they were made from: bodies share them as their
/// descriptions do.
#[derive(Default)]
struct ShapeCache {
    hulls: BTreeMap<*const ConvexHull, Solid>,
    /// With the limits of their pieces.
    fields: BTreeMap<(*const Sdf, [u64; 3]), Solid>,
    /// Those that colliders have: with the form, and half the thickness of a shell.
    surfaces: BTreeMap<(*const Sdf, [u32; 2]), Option<Arc<Surface>>>,
}

impl Rigid {
    /// Plans rigid bodies that have been checked; none if there are none.
    pub(super) fn of(scene: &Scene) -> Result<Option<Rigid>, Error> {
        let Scene { rigid: described, colliders, rigid_joints, settings, .. } = scene;
        let mut known = ShapeCache::default();
        // Without rigid bodies nothing meets them here.
        let met = if described.is_empty() { &[][..] } else { &colliders[..] };
        let colliders = met.iter().enumerate().filter_map(|(c, collider)| PlacedCollider::of(c, collider, &mut known));
        let colliders = colliders.collect();
        let (joints, colors, joined, shown) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let forest = Forest::default();
        let bodies = Vec::with_capacity(described.len());
        let sleeps = settings.sleep;
        let tells = described.iter().any(|body| body.contact_events);
        let senses = described.iter().any(|body| body.sensor);
        let mut rigid = Rigid {
            bodies,
            shapes: Vec::new(),
            shown,
            colliders,
            joints,
            taut: Vec::new(),
            forest,
            idle: Vec::new(),
            colors,
            joined,
            alone: Vec::new(),
            sleeps,
            tells,
            senses,
        };
        for body in described {
            let planned = rigid.body(body, &mut known)?;
            rigid.bodies.push(planned);
        }
        for joint in rigid_joints {
            if let Some(body) = joint.bodies.iter().flatten().find(|body| body.scene != scene.tag) {
                let of = format!("joint `{}`", joint.name);
                return Err(Error::ForeignId { of, what: "rigid body", index: body.index() });
            }
            joint.check(described.len())?;
            let planned = rigid.joint(joint)?;
            rigid.joints.push(planned);
        }
        rigid.grow(rigid_joints);
        rigid.crowd();
        rigid.haul();
        rigid.color();
        rigid.find_alone(met);
        Ok((!rigid.bodies.is_empty()).then_some(rigid))
    }

    /// Finds the bodies whose filters let them meet nobody.
    fn find_alone(&mut self, colliders: &[Collider]) {
        // The different filters, and how many bodies and colliders have each.
        let mut all: BTreeMap<[u32; 2], (Filter, u32)> = BTreeMap::new();
        for of in self.bodies.iter().map(|body| body.filter).chain(colliders.iter().map(|collider| collider.filter)) {
            all.entry([of.groups, of.mask]).or_insert((of, 0)).1 += 1;
        }
        let meets = |of: Filter| all.values().any(|(other, count)| of.meets(*other) && (of != *other || *count > 1));
        let alone: BTreeMap<[u32; 2], bool> = all.iter().map(|(key, (of, _))| (*key, !meets(*of))).collect();
        self.alone = self.bodies.iter().map(|body| alone[&[body.filter.groups, body.filter.mask]]).collect();
    }

    /// Plans a body and appends its shapes.
    fn body(&mut self, body: &RigidBody, known: &mut ShapeCache) -> Result<RigidBodyPlan, Error> {
        let (number, start) = (self.bodies.len() as u32, self.shapes.len());
        let mut solids = Vec::with_capacity(body.parts.len());
        for (i, (shape, pose)) in body.parts.iter().enumerate() {
            solids.push((Solid::of(shape, &body.decomposition, &|| body.called(Some(i)), known)?, *pose));
        }
        let placed: Vec<MassProperties> =
            solids.iter().map(|(solid, pose)| solid.mass.placed(pose.position, pose.rotation)).collect();
        let whole = match &body.solid {
            Some(surface) => solid::inside(surface, &|| body.called(None))?,
            None => MassProperties::sum(&placed),
        };
        let whole = match body.weight {
            Weight::Density(density) => whole.denser(density),
            Weight::Mass(mass) => whole.of_mass(mass),
        };
        let whole = match body.additional_mass {
            0.0 => whole,
            mass => {
                let point = MassProperties { mass, centre: body.additional_at.to_array(), inertia: [[0.0; 3]; 3] };
                MassProperties::sum(&[whole, point])
            }
        };
        body.check_mass(whole.mass)?;
        let (rotation, inertia) = whole.principal();
        let moved = body.kind == RigidKind::Dynamic;
        if moved {
            check_inertia(inertia, &|| body.called(None))?;
        }
        // The centre and the principal axes in the body's own frame.
        let principal = Pose { position: whole.centre, rotation };
        let seen = |(shape, pose): &(Shape, Pose)| (number, shape.clone(), pose.seen_from(&principal));
        self.shown.extend(body.parts.iter().map(seen));
        let each = solids.into_iter().flat_map(|(solid, pose)| solid.shapes.into_iter().map(move |of| (of, pose)));
        let shapes = each.map(|((shape, origin), pose)| PlacedShape {
            body: number,
            pose: pose.place(&Pose { position: origin, ..Pose::IDENTITY }).seen_from(&principal),
            bound: shape.bound(),
            core: shape.core(),
            shape,
            friction: [body.friction, body.friction_kinetic.unwrap_or(body.friction)],
            restitution: body.restitution,
            resistance: [body.rolling_resistance, body.spinning_resistance],
        });
        self.shapes.extend(shapes);
        let mut arm = 0.0;
        for shape in &self.shapes[start..] {
            let [x, y, z] = shape.pose.position;
            let out = f64::sqrt((x * x + y * y) + z * z) + f64::from(shape.bound);
            arm = if out > arm { out } else { arm };
        }
        let on_path = body.motion != Path::Fixed;
        let path = on_path.then(|| RigidPath { motion: body.motion.clone(), start: body.pose, principal });
        Ok(RigidBodyPlan {
            name: body.name.clone(),
            kind: body.kind,
            shapes: start..self.shapes.len(),
            inv_mass: if moved { 1.0 / whole.mass } else { 0.0 },
            inv_inertia: inertia.map(|moment| if moved { 1.0 / moment } else { 0.0 }),
            inertia,
            gravity_scale: body.gravity_scale,
            linear_damping: body.linear_damping,
            angular_damping: body.angular_damping,
            pose: path.as_ref().map_or_else(|| body.pose.place(&principal), |path| path.at(0.0)),
            path,
            own: Pose::IDENTITY.seen_from(&principal),
            velocity: body.velocity.to_array(),
            angular_velocity: body.angular_velocity.to_array(),
            filter: body.filter,
            arm,
            locks: if moved { body.locks() } else { Locks::NONE },
            contact_events: body.contact_events,
            sensor: body.sensor,
        })
    }

    /// Plans a joint.
    fn joint(&self, joint: &RigidJoint) -> Result<RigidJointPlan, Error> {
        let bodies = joint.bodies.map(|body| body.map_or(WORLD, |body| body.number));
        let moves = |body: &u32| self.bodies.get(*body as usize).is_some_and(|body| body.inv_mass > 0.0);
        if !bodies.iter().any(moves) {
            return Err(Error::JoinedFixed { of: format!("joint `{}`", joint.name) });
        }
        let frames = [0, 1].map(|k| {
            let pose = self.bodies.get(bodies[k] as usize).map_or(Pose::IDENTITY, |body| body.pose);
            let pose = joint::Pose { at: pose.position, rotation: pose.rotation };
            JointFrame::at(&pose, joint.anchors[k].to_array(), joint.axes.to_array())
        });
        let path = joint.path.clone();
        let name = joint.name.clone();
        let joint = Joint { bodies, frames, ..joint.joint };
        let is_ball = joint.with_motor(joint.driven_axis(), Motor::Off).is_ball();
        Ok(RigidJointPlan { name, pattern: joint.pattern(), joint, in_tree: false, is_ball, path })
    }

    /// Finds the trees of the joints that are to be solved at once.
    fn grow(&mut self, described: &[RigidJoint]) {
        let planned = (0..).zip(&self.joints).zip(described).filter(|(_, joint)| joint.direct);
        let (direct, idle): (Vec<_>, Vec<_>) = planned.map(|(of, _)| of).partition(|(_, of)| of.joint.locks());
        self.idle = idle.into_iter().map(|(number, _)| number).collect();
        let direct: Vec<_> = direct.into_iter().map(|(number, of)| (number, of.joint.bodies)).collect();
        self.forest = Forest::new(self.bodies.len(), &direct, |body| self.bodies[body as usize].inv_mass > 0.0);
        for joint in self.forest.trees.iter().flat_map(|tree| &tree.joints) {
            let joint = &mut self.joints[*joint as usize];
            (joint.in_tree, joint.is_ball) = (true, false);
        }
    }

    /// Where a body begins, and its row there, at rest; of the world if there is none of that number.
    pub(crate) fn begins(&self, body: u32) -> (joint::Pose, BodyRow) {
        match self.bodies.get(body as usize) {
            Some(of) => of.begins(),
            None => (joint::Pose::IDENTITY, BodyRow::FIXED),
        }
    }

    /// Finds how often joints that sweeps go over count: those of crowded bodies, and what they lock or limit not to
    /// what does not move. And how hard each may pull.
    fn crowd(&mut self) {
        let mut held: Vec<Vec<usize>> = vec![Vec::new(); self.bodies.len()];
        let moves = |body: u32| self.bodies.get(body as usize).is_some_and(|of| of.inv_mass > 0.0);
        for (number, RigidJointPlan { joint, in_tree, .. }) in self.joints.iter().enumerate() {
            for body in joint.bodies.into_iter().filter(|&body| !in_tree && moves(body)) {
                held[body as usize].push(number);
            }
        }
        let at = |body: u32| self.begins(body);
        let mut often = vec![[1.0f32; 2]; self.joints.len()];
        for numbers in &held {
            let joints: Vec<&Joint> = numbers.iter().map(|&number| &self.joints[number].joint).collect();
            let [holding, springs] = crowding_of(&joints, at);
            for (&number, joint) in numbers.iter().zip(joints) {
                let holding = if joint.bodies.into_iter().all(moves) { holding } else { 1.0 };
                for (often, of_body) in often[number].iter_mut().zip([holding, springs]) {
                    *often = if of_body > *often { of_body } else { *often };
                }
            }
        }
        self.joints.iter_mut().zip(often).for_each(|(joint, often)| joint.joint.crowding = often);
        let mut taut = vec![f64::INFINITY; self.joints.len()];
        for (number, (body, numbers)) in self.bodies.iter().zip(&held).enumerate() {
            for &at in numbers {
                let joint = &self.joints[at].joint;
                let side = joint.bodies.into_iter().position(|body| body as usize == number);
                let Some(side) = side.filter(|_| joint.pulls()) else { continue };
                for (lever, inertia) in joint.levers(side).into_iter().zip(body.inertia) {
                    let most = TAUT * inertia / (lever * numbers.len() as f64);
                    // Not where the lever is 0.
                    if most < taut[at] {
                        taut[at] = most;
                    }
                }
            }
        }
        let all = self.joints.iter().zip(taut);
        self.taut = all.map(|(of, most)| TautPlan { bodies: of.joint.bodies, most: most * most }).collect();
    }

    /// Gives joints the first color that none of their moving bodies has, and lists who does not collide.
    fn color(&mut self) {
        let mut next = vec![Vec::<bool>::new(); self.bodies.len()];
        for (number, RigidJointPlan { joint, .. }) in self.joints.iter().enumerate() {
            let moving = joint.bodies.iter().map(|&body| body as usize);
            let moving: Vec<usize> =
                moving.filter(|&body| self.bodies.get(body).is_some_and(|of| of.inv_mass > 0.0)).collect();
            let taken = |color: usize| moving.iter().any(|&body| next[body].get(color).copied().unwrap_or(false));
            let color = (0..).find(|&color| !taken(color)).unwrap_or(0);
            for &body in &moving {
                let least = next[body].len().max(color + 1);
                next[body].resize(least, false);
                next[body][color] = true;
            }
            if self.colors.len() <= color {
                self.colors.resize(color + 1, Vec::new());
            }
            self.colors[color].push(number as u32);
            let [a, b] = joint.bodies;
            if !joint.collide && a != WORLD && b != WORLD {
                self.joined.push((if a < b { [a, b] } else { [b, a] }, number as u32));
            }
        }
        self.joined.sort_unstable();
    }

    /// The row of a shape's body, or of a collider: bodies come first.
    pub(crate) fn row(&self, shape: u32) -> u32 {
        match self.shapes.get(shape as usize) {
            Some(shape) => shape.body,
            None => self.bodies.len() as u32 + self.colliders[shape as usize - self.shapes.len()].collider,
        }
    }

    /// Whether contacts of a body's or collider's row are told.
    pub(crate) fn tells_of(&self, row: u32) -> bool {
        self.bodies.get(row as usize).is_some_and(|body| body.contact_events)
    }

    /// Whether a shape pushes nothing.
    pub(crate) fn is_sensor(&self, shape: u32) -> bool {
        self.senses && self.shapes.get(shape as usize).is_some_and(|shape| self.bodies[shape.body as usize].sensor)
    }

    /// The shapes of a body as described, in `shown`.
    pub(crate) fn shown_of(&self, body: usize) -> Range<usize> {
        let first = |body: usize| self.shown.partition_point(|(of, ..)| (*of as usize) < body);
        first(body)..first(body + 1)
    }

    /// All that a state depends on, for the plan's fingerprint.
    pub(super) fn bytes(&self, add: &mut dyn FnMut(&[u8])) {
        let pose = |add: &mut dyn FnMut(&[u8]), pose: &Pose| {
            add(bytemuck::bytes_of(&pose.position));
            add(bytemuck::bytes_of(&pose.rotation));
        };
        for body in &self.bodies {
            add(body.name.as_bytes());
            add(&[body.kind as u8]);
            add(bytemuck::bytes_of(&[body.shapes.start as u64, body.shapes.end as u64]));
            add(bytemuck::bytes_of(&[[body.inv_mass; 3], body.inv_inertia, body.inertia]));
            add(bytemuck::bytes_of(&[body.gravity_scale, body.linear_damping, body.angular_damping]));
            pose(add, &body.pose);
            pose(add, &body.own);
            add(bytemuck::bytes_of(&[body.velocity, body.angular_velocity]));
            add(bytemuck::bytes_of(&[body.filter.groups, body.filter.mask]));
            let Locks { translation, rotation } = body.locks;
            let flags = translation.into_iter().chain(rotation).chain([body.contact_events, body.sensor]);
            flags.for_each(|flag| add(&[u8::from(flag)]));
            if let Some(RigidPath { motion, start, .. }) = &body.path {
                add(format!("{motion:?}").as_bytes());
                pose(add, start);
            }
        }
        for joint in &self.joints {
            add(format!("{joint:?}").as_bytes());
        }
        for shape in &self.shapes {
            add(&shape.body.to_le_bytes());
            add(format!("{:?}", shape.shape).as_bytes());
            pose(add, &shape.pose);
            let [at_rest, sliding] = shape.friction;
            add(bytemuck::bytes_of(&[shape.bound, at_rest, shape.restitution]));
            if sliding != at_rest {
                add(&sliding.to_le_bytes());
            }
            add(bytemuck::bytes_of(&shape.resistance));
        }
    }
}

impl RigidBodyPlan {
    /// Where it begins, and its row there, at rest.
    fn begins(&self) -> (joint::Pose, BodyRow) {
        let (position, rotation) = (self.pose.position, self.pose.rotation);
        self.row_at(&Motion { position, rotation, velocity: [0.0; 3], spin: [0.0; 3] })
    }

    /// Where it is, and its row there.
    pub(crate) fn row_at(&self, motion: &Motion) -> (joint::Pose, BodyRow) {
        let (mut motion, mut row) = (*motion, BodyRow::FIXED);
        let at = joint::Pose { at: motion.position, rotation: motion.rotation };
        let _ = motion.begin(&self.mass(), &Pull::default(), 0.0, &mut row);
        (at, row)
    }

    /// What it weighs.
    pub(crate) fn mass(&self) -> Mass {
        Mass { inv_mass: self.inv_mass, inertia: self.inertia, inv_inertia: self.inv_inertia, locks: self.locks }
    }

    /// A velocity without what is along locked axes, m/s.
    pub(crate) fn free(&self, velocity: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| if self.locks.translation[k] { 0.0 } else { velocity[k] })
    }
}

impl PlacedCollider {
    /// None of shapes that rigid bodies do not meet ([`Rigid::ignored`]).
    fn of(number: usize, collider: &Collider, known: &mut ShapeCache) -> Option<PlacedCollider> {
        let shape = match collider.shape {
            Shape::Plane => seidel_rigid::Shape::HalfSpace,
            Shape::Hull(ref hull) => {
                let surface = hull.surface();
                let hull = Polyhedron::new(&surface.positions, &surface.triangles)?;
                seidel_rigid::Shape::Hull(Arc::new(hull))
            }
            Shape::Sdf { ref sdf, form } => {
                let form = match form {
                    Form::Solid => [0, 0],
                    Form::Container => [1, 0],
                    Form::Shell(half) => [2, half.to_bits()],
                };
                let made = known.surfaces.entry((Arc::as_ptr(sdf), form));
                let made = made.or_insert_with(|| surfaces::of(&collider.shape).map(Arc::new));
                seidel_rigid::Shape::Surface(made.clone()?)
            }
            Shape::Torus { .. } | Shape::HeightField(_) => {
                seidel_rigid::Shape::Surface(Arc::new(surfaces::of(&collider.shape)?))
            }
            ref other => {
                Solid::of(other, &Decomposition::default(), &String::new, &mut ShapeCache::default())
                    .ok()?
                    .shapes
                    .pop()?
                    .0
            }
        };
        Some(PlacedCollider {
            collider: number as u32,
            bound: shape.bound(),
            core: shape.core(),
            shape,
            friction: [collider.friction_static, collider.friction_kinetic],
            restitution: collider.restitution,
        })
    }
}

impl Rigid {
    /// Numbers of the colliders that rigid bodies pass through.
    pub(crate) fn ignored(&self, colliders: usize) -> impl Iterator<Item = usize> {
        (0..colliders).filter(|&c| self.colliders.iter().all(|placed| placed.collider as usize != c))
    }
}

impl Solid {
    fn of(
        shape: &Shape,
        limits: &Decomposition,
        of: &dyn Fn() -> String,
        known: &mut ShapeCache,
    ) -> Result<Solid, Error> {
        let wide = f64::from;
        let about_origin = |shape, mass| Solid { shapes: vec![(shape, [0.0; 3])], mass };
        Ok(match *shape {
            Shape::Sphere { radius } => {
                about_origin(seidel_rigid::Shape::Sphere { radius }, MassProperties::sphere(wide(radius)))
            }
            Shape::Capsule { radius, half_length } => about_origin(
                seidel_rigid::Shape::Capsule { radius, half_length },
                MassProperties::capsule(wide(radius), wide(half_length)),
            ),
            Shape::Cuboid { half } => {
                let half = half.to_array();
                about_origin(seidel_rigid::Shape::Cuboid { half }, MassProperties::cuboid(half.map(wide)))
            }
            Shape::Cylinder { radius, half_height } => about_origin(
                seidel_rigid::Shape::Cylinder { radius, half_height },
                MassProperties::cylinder(wide(radius), wide(half_height)),
            ),
            Shape::Cone { radius, half_height } => about_origin(
                seidel_rigid::Shape::Cone { radius, half_height },
                MassProperties::cone(wide(radius), wide(half_height)),
            ),
            Shape::Hull(ref hull) => {
                let address = Arc::as_ptr(hull);
                let made = known.hulls.get(&address).cloned();
                let solid = made.or_else(|| Solid::hull(&hull.surface().positions, &hull.surface().triangles));
                let points = hull.surface().positions.len();
                let solid = solid.ok_or_else(|| Error::Flat { of: of(), points })?;
                known.hulls.entry(address).or_insert(solid).clone()
            }
            Shape::Torus { ring, tube } => {
                let (ring, tube) = (wide(ring), wide(tube));
                Solid::of_pieces(&pieces::of_ring(ring, tube), MassProperties::torus(ring, tube))
            }
            Shape::Sdf { ref sdf, form: Form::Solid } => {
                let Decomposition { pieces, vertices, concavity } = *limits;
                let key = (Arc::as_ptr(sdf), [pieces.into(), vertices.into(), concavity.to_bits()]);
                if let Some(made) = known.fields.get(&key) {
                    return Ok(made.clone());
                }
                let mass = solid::inside(sdf.surface(), of)?;
                let made = Solid::of_pieces(&pieces::of_mesh(sdf.surface(), limits), mass);
                if made.shapes.is_empty() {
                    return Err(Error::NoInside { of: of(), what: "is as good as flat".to_owned() });
                }
                known.fields.entry(key).or_insert(made).clone()
            }
            ref other => return Err(Error::NotRigid { of: of(), shape: other.name() }),
        })
    }

    /// Hulls that have a mass together; one that is as good as flat is left out.
    fn of_pieces(pieces: &[pieces::Piece], mass: MassProperties) -> Solid {
        let hull = |piece: &pieces::Piece| Solid::hull(&piece.points, &piece.triangles);
        // Where many points lie nearly in a plane, roundings may leave no polyhedron; fewer do.
        let fewer = |piece: &pieces::Piece| [26, 14, 8].into_iter().find_map(|count| hull(&piece.coarser(count)?));
        let hulls = pieces.iter().filter_map(|piece| hull(piece).or_else(|| fewer(piece)));
        Solid { shapes: hulls.flat_map(|hull| hull.shapes).collect(), mass }
    }

    /// None if the hull is as good as flat.
    fn hull(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Option<Solid> {
        let at = |v: u32| points[v as usize].map(f64::from);
        let corners: Vec<_> = triangles.iter().map(|t| t.map(at)).collect();
        let mass = MassProperties::mesh(&corners)?;
        let origin = mass.centre;
        let about: Vec<[f32; 3]> = points.iter().map(|x| sub(x.map(f64::from), origin).map(|c| c as f32)).collect();
        let hull = Polyhedron::new(&about, triangles)?;
        Some(Solid { shapes: vec![(seidel_rigid::Shape::Hull(Arc::new(hull)), origin)], mass })
    }
}

/// Whether moments are so far from 0 that they are no rounding.
fn check_inertia(inertia: [f64; 3], of: &dyn Fn() -> String) -> Result<(), Error> {
    let [mut least, mut most] = [inertia[0]; 2];
    for moment in inertia {
        least = if moment < least { moment } else { least };
        most = if moment > most { moment } else { most };
    }
    let share = least / most;
    let what = || "least moment of inertia, as a share of the largest,".to_owned();
    range(of, what, share, share >= MIN_INERTIA_SHARE, "1e-12 or more: the body is too thin for its length")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::cloth::Cloth;
    use crate::describe::pose::degrees;
    use crate::describe::scene::Scene;
    use crate::plan::Plan;

    fn planned(body: RigidBody) -> (RigidBodyPlan, Vec<PlacedShape>) {
        let mut scene = Scene::new();
        scene.add_rigid(body);
        let mut rigid = Plan::new(&scene).expect("it is sound").rigid.expect("a body");
        (rigid.bodies.remove(0), rigid.shapes)
    }

    fn near(a: [f64; 3], b: [f64; 3]) -> bool {
        (0..3).all(|k| (a[k] - b[k]).abs() < 1e-12)
    }

    #[test]
    fn bodies_that_meet_nobody_are_known() {
        let of = |filters: &[(u32, u32)], ground: Option<(u32, u32)>| {
            let mut scene = Scene::new();
            for &(groups, mask) in filters {
                scene.add_rigid(RigidBody::sphere(0.5).filter(Filter::new(groups, mask)));
            }
            if let Some((groups, mask)) = ground {
                scene.add_collider(Collider::new(Shape::Plane).filter(Filter::new(groups, mask)));
            }
            Plan::new(&scene).expect("it is sound").rigid.expect("bodies").alone
        };
        assert_eq!(of(&[(1, 0), (1, 0)], Some((1, !0))), [true, true]);
        assert_eq!(of(&[(1, 1), (1, 1), (2, 2)], None), [false, false, true], "the third has no like");
        assert_eq!(of(&[(1, 2), (2, 1), (4, !0)], None), [false, false, true]);
        assert_eq!(of(&[(1, 4)], Some((4, 1))), [false]);
        assert_eq!(of(&[(1, 4)], Some((4, 2))), [true]);
    }

    #[test]
    fn a_box_is_where_it_was_put() {
        let pose = Pose::at([1.0, 2.0, 3.0]).turned([0.0, 1.0, 0.0], degrees(30.0));
        let (body, shapes) = planned(RigidBody::cuboid([0.5, 1.0, 1.5]).density(500.0).placed(pose));
        assert_eq!((body.pose, body.own), (pose, Pose::IDENTITY));
        assert_eq!((shapes.len(), shapes[0].pose), (1, Pose::IDENTITY));
        assert!((body.inv_mass - 1.0 / 3000.0).abs() < 1e-18);
        assert!(near(body.inertia, [3250.0, 2500.0, 1250.0]), "{:?}", body.inertia);
        assert!((0..3).all(|k| body.inertia[k] * body.inv_inertia[k] == 1.0));
        assert!(f64::from(shapes[0].bound) >= 3.5f64.sqrt() && shapes[0].bound < 1.8709);
    }

    #[test]
    fn a_cylinder_and_a_cone_are_about_their_centres() {
        use std::f64::consts::PI;
        let (body, _) = planned(RigidBody::cylinder(0.5, 1.0).mass(6.0).at([1.0, 2.0, 3.0]));
        assert!(near(body.inertia, [2.375, 0.75, 2.375]), "{:?}", body.inertia);
        assert!(near(body.pose.position, [1.0, 2.0, 3.0]));
        let (body, shapes) = planned(RigidBody::cone(0.5, 1.0).density(12.0).at([1.0, 2.0, 3.0]));
        assert!((body.inv_mass * 2.0 * PI - 1.0).abs() < 1e-12, "{}", 1.0 / body.inv_mass);
        // The centre of mass is a quarter of the height above the base; the shape's origin is in the middle.
        assert!(near(body.pose.position, [1.0, 1.5, 3.0]) && near(shapes[0].pose.position, [0.0, 0.5, 0.0]));
    }

    #[test]
    fn a_compound_has_its_centre_and_axes_elsewhere() {
        // Two equal balls on a line that is along no axis; the frame's origin is the first.
        let ball = Shape::Sphere { radius: 0.1 };
        let apart = [0.3, 0.4, 0.0];
        let parts = [(ball.clone(), Pose::IDENTITY), (ball, Pose::at(apart.map(|c| c as f32)))];
        let (body, shapes) = planned(RigidBody::compound(parts).mass(2.0).at([10.0, 0.0, 0.0]));
        assert!(body.pose.position.iter().zip([10.15, 0.2, 0.0]).all(|(a, b)| (a - b).abs() < 1e-7));
        // Moments: 2/5 m r^2 of each along the line, and m (1/4)^2 of each across.
        let mut moments = body.inertia;
        moments.sort_by(f64::total_cmp);
        let want = [0.008, 0.133, 0.133];
        assert!((0..3).all(|k| (moments[k] - want[k]).abs() < 1e-7), "{moments:?}");
        // Its own frame and the shapes are where they were, seen from the world.
        let own = body.pose.place(&body.own);
        assert!(near(own.position, [10.0, 0.0, 0.0]) && (own.rotation[3] - 1.0).abs() < 1e-15, "{own:?}");
        let second = body.pose.place(&shapes[1].pose).position;
        assert!(near(second, [10.0 + f64::from(0.3f32), f64::from(0.4f32), 0.0]), "{second:?}");
        // The line is a principal axis, so each ball is on an axis.
        let along = shapes[1].pose.position.iter().filter(|c| c.abs() > 1e-7).count();
        assert_eq!(along, 1, "{:?}", shapes[1].pose.position);
    }

    fn boxed(low: [f32; 3], high: [f32; 3]) -> Arc<ConvexHull> {
        let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 1 { high[k] } else { low[k] });
        Arc::new(ConvexHull::new(&(0..8).map(corner).collect::<Vec<_>>()).expect("a box"))
    }

    #[test]
    fn a_hull_is_about_its_centre_wherever_its_points_are() {
        let (formula, _) = planned(RigidBody::cuboid([0.5, 1.0, 1.5]));
        for shift in [0.0, 100.0] {
            let hull = boxed([shift - 0.5, shift - 1.0, shift - 1.5], [shift + 0.5, shift + 1.0, shift + 1.5]);
            let (body, shapes) = planned(RigidBody::hull(hull).at([1.0, 0.0, 0.0]));
            let there = f64::from(shift);
            assert!(near(body.pose.position, [1.0 + there, there, there]), "{:?}", body.pose);
            assert!(near(shapes[0].pose.position, [0.0; 3]), "{:?}", shapes[0].pose);
            assert!((0..3).all(|k| (body.inertia[k] / formula.inertia[k] - 1.0).abs() < 1e-12), "{:?}", body.inertia);
            assert!((body.inv_mass / formula.inv_mass - 1.0).abs() < 1e-12);
            let seidel_rigid::Shape::Hull(hull) = &shapes[0].shape else { panic!("a hull") };
            let corners = hull.vertices().iter().map(|x| x.map(f32::abs)).collect::<Vec<_>>();
            assert_eq!(corners, vec![[0.5, 1.0, 1.5]; 8]);
            assert!(f64::from(shapes[0].bound) >= 3.5f64.sqrt() && shapes[0].bound < 1.8709);
        }
    }

    #[test]
    fn all_sorts_of_hulls_are_planned() {
        let mut state = 7u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let lattice: Vec<[f32; 3]> = (0..125).map(|i| [i % 5, i / 5 % 5, i / 25].map(|c| 0.1 * c as f32)).collect();
        let mut sorts = vec![lattice];
        for count in [4, 5, 8, 12, 20] {
            for scale in [[1.0; 3], [1e-4; 3], [1e4; 3], [1.0, 0.01, 1.0], [1.0, 1e-3, 1e-3]] {
                for _ in 0..20 {
                    sorts.push((0..count).map(|_| scale.map(|s| s * next())).collect());
                }
            }
        }
        for points in sorts {
            let Ok(hull) = ConvexHull::new(&points) else { continue };
            let (body, shapes) = planned(RigidBody::hull(Arc::new(hull)));
            let [a, b, c] = body.inertia;
            assert!(a > 0.0 && b > 0.0 && c > 0.0 && a + b + c > 1.999_999 * a && shapes[0].bound > 0.0);
        }
    }

    #[test]
    fn bodies_share_their_hulls() {
        let hull = boxed([0.0; 3], [1.0; 3]);
        let mut scene = Scene::new();
        for body in [RigidBody::hull(hull.clone()), RigidBody::hull(hull), RigidBody::hull(boxed([0.0; 3], [1.0; 3]))] {
            scene.add_rigid(body);
        }
        let shapes = Plan::new(&scene).unwrap().rigid.unwrap().shapes;
        let hulls: Vec<_> = shapes
            .iter()
            .map(|shape| match &shape.shape {
                seidel_rigid::Shape::Hull(hull) => hull,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(Arc::ptr_eq(hulls[0], hulls[1]) && !Arc::ptr_eq(hulls[0], hulls[2]) && hulls[0] == hulls[2]);
    }

    #[test]
    fn no_force_moves_what_is_fixed_or_kinematic() {
        for (body, kind) in [
            (RigidBody::sphere(1.0).fixed(), RigidKind::Fixed),
            (RigidBody::sphere(1.0).kinematic().velocity([1.0, 0.0, 0.0]), RigidKind::Kinematic),
        ] {
            let (body, _) = planned(body);
            assert_eq!((body.kind, body.inv_mass, body.inv_inertia), (kind, 0.0, [0.0; 3]));
            assert!(body.inertia[0] > 0.0);
        }
    }

    #[test]
    fn the_fingerprint_knows_every_rigid_body() {
        let scene = |bodies: &[RigidBody]| {
            let mut scene = Scene::new();
            scene.add(Cloth::grid([4, 4], [1.0, 1.0]));
            for body in bodies {
                scene.add_rigid(body.clone());
            }
            let plan = Plan::new(&scene).unwrap();
            assert_eq!(plan.rigid.is_some(), !bodies.is_empty());
            plan.id()
        };
        let ball = || RigidBody::sphere(1.0);
        let bodies = [
            ball(),
            ball().density(999.0),
            RigidBody::sphere(1.5),
            ball().at([0.0, 1.0, 0.0]),
            ball().friction(0.4),
            ball().restitution(0.1),
            ball().gravity_scale(0.0),
            ball().linear_damping(0.1),
            ball().angular_damping(0.1),
            ball().velocity([1.0, 0.0, 0.0]),
            ball().angular_velocity([1.0, 0.0, 0.0]),
            ball().kinematic(),
            ball().fixed(),
            ball().filter(Filter { groups: 2, mask: 1 }),
            ball().named("ball"),
            ball().lock_translation([true, false, false]),
            ball().lock_rotation([true, false, false]),
            ball().additional_mass(1.0, [0.0; 3]),
            ball().rolling_resistance(0.1),
            ball().spinning_resistance(0.1),
            ball().contact_events(),
            ball().sensor(),
        ];
        let mut ids: Vec<u64> = bodies.iter().map(|body| scene(std::slice::from_ref(body))).collect();
        ids.push(scene(&[]));
        ids.push(scene(&[ball(), ball()]));
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn bodies_that_cannot_be_are_refused() {
        let says = |bodies: &[RigidBody], text: &str| {
            let mut scene = Scene::new();
            for body in bodies {
                scene.add_rigid(body.clone());
            }
            let error = Plan::new(&scene).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        };
        let ball = || RigidBody::sphere(1.0);
        says(&[ball().named("it"), ball().named("it")], "two rigid bodies are called `it`");
        says(&[ball().density(-1.0)], "body `rigid-0`: density is -1, which is not within 1e-9 .. 1e9 kg/m^3");
        let dust = RigidBody::sphere(1e-6).density(1e-6);
        says(&[ball(), dust], "body `rigid-1`: mass is 4.1887");
        let thin = "least moment of inertia, as a share of the largest, is";
        says(&[RigidBody::cuboid([1e-6, 1e-6, 10.0])], thin);
        let speck = Shape::Sphere { radius: 1e-6 };
        let specks = [(speck.clone(), Pose::IDENTITY), (speck, Pose::at([0.0, 7e5, 7e5]))];
        says(&[RigidBody::compound(specks).mass(1.0)], thin);
        let needle = boxed([-1e-6, -1e-6, -1e6], [1e-6, 1e-6, 1e6]);
        says(&[RigidBody::hull(needle)], "body `rigid-0`: ");
        let mut scene = Scene::new();
        scene.settings.memory = 1000;
        scene.add_rigid(ball());
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert!(error.starts_with("1 rigid bodies make the scene need 6.3 kB of memory, and 1.0 kB"), "{error}");
    }
}
