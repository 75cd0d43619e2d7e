//! rapier3d, with the parameters that it has by default but for the number of substeps, which it calls solver
//! iterations.

use super::work::{Body, DENSITY, DT, Engine, FRICTION, Form, JointKind, Moves, Place, Setting, Work};
use rapier3d::prelude::*;

pub(super) struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

fn vector(v: [f64; 3]) -> Vector {
    Vector::from_array(v.map(|c| c as f32))
}

fn pose(place: &Place) -> Pose {
    let [x, y, z, w] = place.turn.map(|c| c as f32);
    Pose::from_parts(vector(place.at), Rotation::from_xyzw(x, y, z, w))
}

/// Half the thickness of a wall, and half its extent, metres.
const WALL: [f32; 2] = [1.0, 250.0];

/// The shapes of a scene at given places; `moves` says what moves the bodies, or nothing does.
pub(super) fn world(
    work: &Work,
    places: &[Place],
    still: bool,
) -> Result<(PhysicsWorld, Vec<RigidBodyHandle>), String> {
    let mut world = PhysicsWorld::new();
    let mut bodies = Vec::new();
    let groups = if work.touch { InteractionGroups::all() } else { InteractionGroups::none() };
    for (Body { parts, moves, .. }, place) in work.bodies.iter().zip(places) {
        let builder = match moves {
            Moves::Freely => RigidBodyBuilder::dynamic().can_sleep(false),
            Moves::Never => RigidBodyBuilder::fixed(),
            Moves::Turning(w) if !still => RigidBodyBuilder::kinematic_velocity_based().angvel(vector(*w)),
            Moves::Turning(_) => RigidBodyBuilder::kinematic_velocity_based(),
        };
        let body = world.insert_body(builder.pose(pose(place)));
        for (form, place) in parts {
            let builder = match form {
                Form::Sphere { radius } => ColliderBuilder::ball(*radius),
                Form::Capsule { radius, half_length } => ColliderBuilder::capsule_y(*half_length, *radius),
                Form::Cuboid { half: [x, y, z] } => ColliderBuilder::cuboid(*x, *y, *z),
                Form::Hull(points) => {
                    let points: Vec<Vector> = points.iter().map(|&p| Vector::from_array(p)).collect();
                    ColliderBuilder::convex_hull(&points).ok_or("a hull without volume")?
                }
            };
            let builder = builder.density(DENSITY).friction(FRICTION).collision_groups(groups);
            world.insert_collider(builder.position(pose(place)), Some(body));
        }
        bodies.push(body);
    }
    for &(at, normal) in &work.walls {
        let half: [f32; 3] = std::array::from_fn(|k| if normal[k] == 0.0 { WALL[1] } else { WALL[0] });
        let middle = std::array::from_fn(|k| at[k] - normal[k] * f64::from(WALL[0]));
        let builder = ColliderBuilder::cuboid(half[0], half[1], half[2]).friction(FRICTION);
        world.insert_collider(builder.translation(vector(middle)), None);
    }
    Ok((world, bodies))
}

pub(super) fn build(work: &Work, setting: Setting) -> Result<Rapier, String> {
    let places: Vec<Place> = work.bodies.iter().map(|body| body.place).collect();
    let (mut world, bodies) = world(work, &places, false)?;
    world.integration_parameters.dt = DT as f32;
    world.integration_parameters.num_solver_iterations = setting.substeps;
    world.configure_thread_pool(setting.threads).map_err(|e| e.to_string())?;
    for joint in &work.joints {
        let frame = |body: usize, axis: Option<[f64; 3]>| {
            let place = &places[body];
            let anchor = vector(place.local(joint.anchor));
            let Some(axis) = axis else { return Pose::from_translation(anchor) };
            let along = place.local(std::array::from_fn(|k| place.at[k] + axis[k]));
            Pose::from_parts(anchor, Rotation::from_rotation_arc(Vector::X, vector(along).normalize()))
        };
        let builder = match joint.kind {
            JointKind::Ball => GenericJointBuilder::new(JointAxesMask::LOCKED_SPHERICAL_AXES)
                .local_frame1(frame(joint.bodies[0], None))
                .local_frame2(frame(joint.bodies[1], None)),
            JointKind::Hinge { axis, limits } => {
                let first = frame(joint.bodies[0], Some(axis));
                // The angle is none as the scene begins.
                let [a, b] = joint.bodies.map(|body| pose(&places[body]));
                let second = b.inverse() * (a * first);
                GenericJointBuilder::new(JointAxesMask::LOCKED_REVOLUTE_AXES)
                    .local_frame1(first)
                    .local_frame2(second)
                    .limits(JointAxis::AngX, limits)
            }
        };
        let [a, b] = joint.bodies.map(|body| bodies[body]);
        world.insert_impulse_joint(a, b, builder.contacts_enabled(false).build());
    }
    Ok(Rapier { world, bodies })
}

impl Engine for Rapier {
    fn step(&mut self) {
        self.world.step();
    }

    fn places(&self) -> Vec<Place> {
        let of = |&body: &RigidBodyHandle| {
            let pose = self.world.bodies[body].position();
            let (t, r) = (pose.translation.to_array(), pose.rotation.to_array());
            Place { at: t.map(f64::from), turn: r.map(f64::from) }
        };
        self.bodies.iter().map(of).collect()
    }

    fn velocities(&self) -> Vec<[f64; 3]> {
        self.bodies.iter().map(|&body| self.world.bodies[body].linvel().to_array().map(f64::from)).collect()
    }
}
