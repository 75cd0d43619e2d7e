//! This engine.

use super::work::{Body, DENSITY, DT, Engine, FRICTION, Form, JointKind, Moves, Place, Setting, Work};
use seidel::collider::{ConvexHull, Shape};
use seidel::glam::DQuat;
use seidel::{Collider, Execution, Filter, Input, Isa, Pose, RigidBody, RigidId, RigidJoint, Scene, Solver};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

pub(super) struct Ours {
    solver: Solver,
    bodies: Vec<RigidId>,
    input: Input,
}

fn pose(place: &Place) -> Pose {
    Pose::new(place.at, DQuat::from_array(place.turn))
}

pub(super) fn build(work: &Work, setting: Setting) -> Result<Ours, String> {
    let mut scene = Scene::new();
    scene.settings.substeps = (setting.substeps as u32).into();
    scene.settings.dt = DT;
    // Hulls that are the same are made once.
    let mut hulls: BTreeMap<*const Vec<[f32; 3]>, Arc<ConvexHull>> = BTreeMap::new();
    let mut bodies = Vec::new();
    for Body { parts, place, moves } in &work.bodies {
        let mut shapes = Vec::new();
        for (form, place) in parts {
            let shape = match form {
                Form::Sphere { radius } => Shape::Sphere { radius: *radius },
                Form::Capsule { radius, half_length } => Shape::Capsule { radius: *radius, half_length: *half_length },
                Form::Cuboid { half } => Shape::Cuboid { half: (*half).into() },
                Form::Hull(points) => {
                    let key = Rc::as_ptr(points);
                    if let std::collections::btree_map::Entry::Vacant(entry) = hulls.entry(key) {
                        entry.insert(Arc::new(ConvexHull::new(points).map_err(|e| e.to_string())?));
                    }
                    Shape::Hull(hulls[&key].clone())
                }
            };
            shapes.push((shape, pose(place)));
        }
        let body = RigidBody::compound(shapes).placed(pose(place)).density(f64::from(DENSITY)).friction(FRICTION);
        let body = match moves {
            Moves::Freely => body,
            Moves::Never => body.fixed(),
            Moves::Turning(w) => body.kinematic().angular_velocity(*w),
        };
        let filter = if work.touch { Filter::default() } else { Filter::new(1, 0) };
        bodies.push(scene.add_rigid(body.filter(filter)));
    }
    for joint in &work.joints {
        let [a, b] = joint.bodies.map(|body| bodies[body]);
        scene.join_rigid(match joint.kind {
            JointKind::Ball => RigidJoint::ball(a, b, joint.anchor),
            JointKind::Hinge { axis, limits: [least, most] } => {
                RigidJoint::hinge(a, b, joint.anchor, axis).limits(least, most)
            }
        });
    }
    for &(at, normal) in &work.walls {
        // From y to the normal, which is along an axis.
        let wall = Collider::new(Shape::Plane).at(at.map(|c| c as f32)).friction(FRICTION);
        scene.add_collider(if normal[1] > 0.0 {
            wall
        } else {
            wall.turned([normal[2], 0.0, -normal[0]], std::f64::consts::FRAC_PI_2)
        });
    }
    let execution = Execution::new(Isa::detect(), setting.threads);
    let solver = Solver::on(&scene, execution).map_err(|e| e.to_string())?;
    Ok(Ours { solver, bodies, input: Input::frame(DT as f32) })
}

impl Engine for Ours {
    fn step(&mut self) {
        let report = self.solver.step(&self.input);
        debug_assert!(report.rejected.is_none());
    }

    fn places(&self) -> Vec<Place> {
        let (state, plan) = (self.solver.state(), self.solver.plan());
        let place = |pose: Pose| Place { at: pose.position().to_array(), turn: pose.rotation().to_array() };
        self.bodies.iter().map(|&body| place(state.rigid_pose(plan, body))).collect()
    }

    fn velocities(&self) -> Vec<[f64; 3]> {
        let (state, plan) = (self.solver.state(), self.solver.plan());
        self.bodies.iter().map(|&body| state.rigid_velocity(plan, body)[0].to_array()).collect()
    }
}
