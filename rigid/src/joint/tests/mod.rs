//! A few bodies that are integrated as the engine does, with joints and gravity, and no contacts.

mod batched;
mod driven;
mod gaps;
mod held;
mod jacobians;
mod robust;
mod swinging;
mod trees;

use super::{Branches, Forest, Joint, JointFrame, JointRows, JointState, Load, Pose, Tree, WORLD};
use crate::BodyRow;
use seidel_kernels::{Quat, V3};

pub(super) const G: f64 = 9.81;

#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) pose: Pose,
    pub(super) row: BodyRow,
    /// Principal moments, kg m^2.
    pub(super) inertia: [f64; 3],
    pub(super) force: [f64; 3],
    pub(super) torque: [f64; 3],
}

pub(super) struct World {
    pub(super) bodies: Vec<Body>,
    pub(super) joints: Vec<Joint>,
    pub(super) states: Vec<JointState>,
    pub(super) loads: Vec<Load>,
    pub(super) gravity: [f64; 3],
    pub(super) substeps: usize,
    /// Joints whose locked coordinates are solved at once.
    pub(super) direct: Vec<bool>,
}

pub(super) const DT: f64 = 1.0 / 60.0;

pub(super) fn v3(a: [f64; 3]) -> V3<f64> {
    V3::set(a)
}

pub(super) fn array(a: V3<f64>) -> [f64; 3] {
    [a.x, a.y, a.z]
}

impl World {
    pub(super) fn new() -> World {
        World {
            bodies: vec![],
            joints: vec![],
            states: vec![],
            loads: vec![],
            gravity: [0.0, 0.0, -G],
            substeps: 20,
            direct: vec![],
        }
    }

    /// A box of these edges.
    pub(super) fn add_box(&mut self, mass: f64, [x, y, z]: [f64; 3], at: [f64; 3]) -> u32 {
        let m = mass / 12.0;
        self.add(mass, [m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y)], at)
    }

    pub(super) fn add(&mut self, mass: f64, inertia: [f64; 3], at: [f64; 3]) -> u32 {
        let mut row = BodyRow::FIXED;
        row.v[3] = (1.0 / mass) as f32;
        let pose = Pose { at, ..Pose::IDENTITY };
        let mut body = Body { pose, row, inertia, force: [0.0; 3], torque: [0.0; 3] };
        body.turn_inertia();
        self.bodies.push(body);
        self.bodies.len() as u32 - 1
    }

    pub(super) fn pose(&self, body: u32) -> Pose {
        self.bodies.get(body as usize).map_or(Pose::IDENTITY, |b| b.pose)
    }

    /// The frames of a joint that is here now, its first axis along `axis`.
    pub(super) fn frames(&self, bodies: [u32; 2], anchor: [f64; 3], axis: [f64; 3]) -> [JointFrame; 2] {
        let n = v3(axis) * (1.0 / v3(axis).length());
        // The shortest turn of x to n.
        let q = if n.x < -0.999 {
            [0.0, 0.0, 1.0, 0.0]
        } else {
            let q = Quat::new(v3([1.0, 0.0, 0.0]).cross(n), 1.0 + n.x).normalised();
            [q.v.x, q.v.y, q.v.z, q.w]
        };
        bodies.map(|b| JointFrame::at(&self.pose(b), anchor, q))
    }

    pub(super) fn join(&mut self, joint: Joint) -> usize {
        self.joints.push(joint);
        self.states.push(JointState::default());
        self.loads.push(Load::default());
        self.joints.len() - 1
    }

    pub(super) fn step(&mut self) {
        let h = DT / self.substeps as f64;
        for body in &mut self.bodies {
            (body.row.dx, body.row.turn) = ([0.0; 4], [0.0, 0.0, 0.0, 1.0]);
        }
        let mut rows = vec![];
        for (joint, state) in self.joints.iter().zip(&self.states) {
            let [a, b] = joint.bodies.map(|b| self.pose(b));
            rows.push(joint.prepare(state, &a, &b, h as f32));
        }
        let mut trees = self.trees(&mut rows);
        let starts: Vec<Pose> = self.bodies.iter().map(|b| b.pose).collect();
        for _ in 0..self.substeps {
            for body in &mut self.bodies {
                body.accelerate(self.gravity, h);
            }
            for (tree, bodies, _) in &mut trees {
                for (place, body) in bodies.iter().enumerate() {
                    let body = &self.bodies[*body as usize];
                    tree.begin_body(place, &body.row, body.torque.map(|c| c * h));
                }
            }
            for (joint, rows) in self.joints.iter().zip(&mut rows) {
                pair(&mut self.bodies, joint.bodies, |a, b| rows.warm_start(a, b));
            }
            self.solve_trees(&mut trees, &mut rows, None);
            for (joint, rows) in self.joints.iter().zip(&mut rows) {
                pair(&mut self.bodies, joint.bodies, |a, b| rows.solve(a, b, true));
            }
            self.solve_trees(&mut trees, &mut rows, Some(true));
            for (body, start) in self.bodies.iter_mut().zip(&starts) {
                body.travel(start, h);
            }
            for _ in 0..2 {
                for (joint, rows) in self.joints.iter().zip(&mut rows) {
                    pair(&mut self.bodies, joint.bodies, |a, b| rows.solve(a, b, false));
                }
                self.solve_trees(&mut trees, &mut rows, Some(false));
            }
        }
        for (i, (joint, rows)) in self.joints.iter().zip(&mut rows).enumerate() {
            pair(&mut self.bodies, joint.bodies, |a, b| self.states[i] = rows.store(a, b));
            self.loads[i] = rows.load();
        }
    }

    /// Trees of the joints that are solved at once, with their bodies and joints.
    fn trees(&self, rows: &mut [JointRows]) -> Vec<(Tree, Vec<u32>, Vec<u32>)> {
        let all = self.joints.iter().zip(0u32..).zip(&self.direct);
        let joints: Vec<_> = all.filter(|(_, direct)| **direct).map(|((joint, k), _)| (k, joint.bodies)).collect();
        let forest = Forest::new(self.bodies.len(), &joints, |body| self.bodies[body as usize].row.v[3] > 0.0);
        let mut trees = vec![];
        for Branches { bodies, joints, links } in forest.trees {
            joints.iter().for_each(|joint| rows[*joint as usize].leave_to_tree());
            trees.push((Tree::new(bodies.len(), links), bodies, joints));
        }
        trees
    }

    fn solve_trees(&mut self, trees: &mut [(Tree, Vec<u32>, Vec<u32>)], rows: &mut [JointRows], sweep: Option<bool>) {
        let biased = sweep == Some(true);
        for (tree, bodies, joints) in trees {
            if tree.is_stale() {
                for (place, body) in bodies.iter().enumerate() {
                    tree.weigh_body(place, &self.bodies[*body as usize].row);
                }
                joints.iter().enumerate().for_each(|(link, joint)| tree.take_pull(link, &rows[*joint as usize]));
                tree.stiffen();
            }
            if sweep.is_none() {
                for (place, body) in bodies.iter().enumerate() {
                    let row = &mut self.bodies[*body as usize].row;
                    *row = tree.settled(place, row);
                }
            }
            for (link, joint) in joints.iter().enumerate() {
                let rows = &rows[*joint as usize];
                pair(&mut self.bodies, rows.joint.bodies, |a, b| tree.take_joint(link, rows, [a, b], biased));
            }
            tree.solve(biased);
            if tree.is_finite() {
                for (place, body) in bodies.iter().enumerate() {
                    let row = &mut self.bodies[*body as usize].row;
                    *row = tree.changed(place, row);
                }
                for (link, joint) in joints.iter().enumerate() {
                    tree.give_joint(link, &mut rows[*joint as usize]);
                }
            }
        }
    }

    pub(super) fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / DT).round() as usize {
            self.step();
        }
    }

    /// Where a point of a body's frame is in the world.
    pub(super) fn point(&self, body: u32, local: [f32; 3]) -> V3<f64> {
        let pose = self.pose(body);
        v3(pose.at) + Quat::set(pose.rotation).rotate(v3(local.map(f64::from)))
    }

    /// The distance of a joint's anchors.
    pub(super) fn gap(&self, joint: usize) -> f64 {
        let j = &self.joints[joint];
        (self.point(j.bodies[1], j.frames[1].anchor) - self.point(j.bodies[0], j.frames[0].anchor)).length()
    }

    /// Momentum, and angular momentum about the common centre of mass.
    pub(super) fn momenta(&self) -> (V3<f64>, V3<f64>) {
        let mass = |body: &Body| 1.0 / f64::from(body.row.v[3]);
        let (mut p, mut l, mut moment, mut total) = (V3::zero(), V3::zero(), V3::zero(), 0.0);
        for body in &self.bodies {
            let (m, at) = (mass(body), v3(body.pose.at));
            let mv = v3(body.v()) * m;
            p = p + mv;
            l = l + at.cross(mv) + body.angular_momentum();
            (moment, total) = (moment + at * m, total + m);
        }
        (p, l - (moment * (1.0 / total)).cross(p))
    }

    /// Velocities are those of the middle of a substep, as in a leapfrog: so are heights here, as kinetic and potential
    /// energy would otherwise beat by omega h.
    pub(super) fn energy(&self) -> f64 {
        let back = 0.5 * DT / self.substeps as f64;
        let of = |body: &Body| {
            let (m, v, w) = (1.0 / f64::from(body.row.v[3]), v3(body.v()), v3(body.w()));
            0.5 * (m * v.length_squared() + w.dot(body.angular_momentum()))
                - m * v3(self.gravity).dot(v3(body.pose.at) - v * back)
        };
        self.bodies.iter().map(of).sum()
    }
}

impl Body {
    pub(super) fn v(&self) -> [f64; 3] {
        [0, 1, 2].map(|i| f64::from(self.row.v[i]))
    }

    pub(super) fn w(&self) -> [f64; 3] {
        [0, 1, 2].map(|i| f64::from(self.row.w[i]))
    }

    pub(super) fn set_v(&mut self, v: [f64; 3]) {
        self.row.v = [v[0] as f32, v[1] as f32, v[2] as f32, self.row.v[3]];
    }

    pub(super) fn set_w(&mut self, w: [f64; 3]) {
        self.row.w = [w[0] as f32, w[1] as f32, w[2] as f32, 0.0];
    }

    /// Turned about the world's axes.
    pub(super) fn turn(&mut self, by: [f64; 3]) {
        let q = exp(v3(by)).times(Quat::set(self.pose.rotation)).normalised();
        self.pose.rotation = [q.v.x, q.v.y, q.v.z, q.w];
        self.turn_inertia();
    }

    fn with_inertia(&self, a: V3<f64>, moments: [f64; 3]) -> V3<f64> {
        let q = Quat::set(self.pose.rotation);
        let l = q.conjugate().rotate(a);
        q.rotate(V3::new(l.x * moments[0], l.y * moments[1], l.z * moments[2]))
    }

    fn angular_momentum(&self) -> V3<f64> {
        self.with_inertia(v3(self.w()), self.inertia)
    }

    fn turn_inertia(&mut self) {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            .map(|n| self.with_inertia(v3(n), self.inertia.map(|i| 1.0 / i)));
        self.row.diagonal = [x.x as f32, y.y as f32, z.z as f32, 0.0];
        self.row.sides = [x.y as f32, y.z as f32, x.z as f32, 0.0];
    }

    fn accelerate(&mut self, gravity: [f64; 3], h: f64) {
        let inv_mass = f64::from(self.row.v[3]);
        let v = v3(self.v()) + (v3(gravity) + v3(self.force) * inv_mass) * h;
        let turned = self.with_inertia(v3(self.torque) * h, self.inertia.map(|i| 1.0 / i));
        let w = v3(self.w()) + turned;
        self.set_v(array(v));
        self.set_w(array(w));
    }

    fn travel(&mut self, start: &Pose, h: f64) {
        self.pose.at = array(v3(self.pose.at) + v3(self.v()) * h);
        let l = self.angular_momentum();
        self.turn(array(v3(self.w()) * h));
        self.set_w(array(self.with_inertia(l, self.inertia.map(|i| 1.0 / i))));
        let dx = v3(self.pose.at) - v3(start.at);
        let turn: Quat<f64> = Quat::set(self.pose.rotation).times(Quat::set(start.rotation).conjugate());
        self.row.dx = [dx.x as f32, dx.y as f32, dx.z as f32, 0.0];
        self.row.turn = [turn.v.x as f32, turn.v.y as f32, turn.v.z as f32, turn.w as f32];
    }
}

/// `Quat::exp` has f32's digits.
pub(super) fn exp(theta: V3<f64>) -> Quat<f64> {
    let half = theta.length() * 0.5;
    let share = if half > 1e-9 { half.sin() / half } else { 1.0 };
    Quat::new(theta * (share * 0.5), half.cos())
}

fn pair(bodies: &mut [Body], [i, j]: [u32; 2], work: impl FnOnce(&mut BodyRow, &mut BodyRow)) {
    let (mut a, mut b) = (BodyRow::FIXED, BodyRow::FIXED);
    if i != WORLD {
        a = bodies[i as usize].row;
    }
    if j != WORLD {
        b = bodies[j as usize].row;
    }
    work(&mut a, &mut b);
    if i != WORLD {
        bodies[i as usize].row = a;
    }
    if j != WORLD {
        bodies[j as usize].row = b;
    }
}
