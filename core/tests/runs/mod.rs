//! Runs: short ways to build and step a scene, and to read what came out in f64.
#![allow(dead_code, unreachable_pub)] // Every test file takes a part of it.

pub mod joined;
pub mod meshes;
pub mod obstacles;
pub mod rigid;

use glam::Vec3;
use seidel::{Body, BodyId, Cloth, Constraints, Execution, Input, Isa, Plan, Pose, Scene, Solver, Stiffness, kinds};
use std::sync::Arc;

/// The frame of most tests, seconds.
pub const FRAME: f32 = 1.0 / 60.0;

/// Gravity of a scene, m/s^2.
pub const G: f64 = 9.81;

/// A point or vector.
pub type P = [f64; 3];

pub fn dot(a: P, b: P) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn sub(a: P, b: P) -> P {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn add(a: P, b: P) -> P {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn scale(a: P, s: f64) -> P {
    a.map(|v| v * s)
}

pub fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn norm(a: P) -> f64 {
    dot(a, a).sqrt()
}

/// splitmix64 (Steele, Lea, Flood 2014), in [-1, 1): the same cases on every machine.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn point(&mut self) -> P {
        [self.unit(), self.unit(), self.unit()]
    }
}

/// Points all around, evenly: a spiral on the unit sphere.
pub fn directions(count: usize) -> Vec<P> {
    let turn = std::f64::consts::PI * (3.0 - 5.0f64.sqrt());
    let of = |i: usize| {
        let y = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
        let (r, angle) = ((1.0 - y * y).sqrt(), turn * i as f64);
        [r * angle.cos(), y, r * angle.sin()]
    };
    (0..count).map(of).collect()
}

/// An empty scene: gravity along -y in m/s^2, substeps of one iteration.
pub fn scene(gravity: f32, substeps: u32) -> Scene {
    let mut scene = Scene::new();
    (scene.settings.gravity, scene.settings.substeps) = ([0.0, -gravity, 0.0].into(), substeps.into());
    scene
}

/// Particles at f64 points, of given masses in kg; an infinite mass does not move.
pub fn particles(points: &[P], masses: &[f64]) -> Body {
    let positions = points.iter().map(|p| p.map(|c| c as f32)).collect();
    Body::particles(positions, masses.iter().map(|m| (1.0 / m) as f32).collect())
}

/// Rigid distances between all pairs, measured where the particles are.
pub fn all_pairs(count: u32) -> Constraints {
    let at = (0..count).flat_map(|i| (i + 1..count).flat_map(move |j| [i, j])).collect();
    Constraints::measured(kinds::DISTANCE, at, Stiffness::compliance(0.0))
}

/// One thread, the widest lanes.
pub fn solver(scene: &Scene) -> Solver {
    solver_on(scene, Isa::detect(), 1)
}

pub fn solver_on(scene: &Scene, isa: Isa, threads: usize) -> Solver {
    let plan = Plan::new(scene).expect("the scene of a test is sound");
    Solver::with(Arc::new(plan), Execution::new(isa, threads))
}

/// Takes steps of `dt` seconds; nothing may be rejected or lost.
pub fn run(solver: &mut Solver, steps: u32, dt: f32) {
    for step in 0..steps {
        let report = solver.step(&Input::frame(dt));
        assert!(report.rejected.is_none() && report.lost.is_none(), "step {step}: {report:?}");
    }
}

/// Takes steps of [`FRAME`], each followed by a loss of a share `k` of all velocities.
pub fn run_with_drag(solver: &mut Solver, body: BodyId, steps: u32, dt: f32, k: f64) {
    for _ in 0..steps {
        run(solver, 1, dt);
        let slowed: Vec<P> = velocities(solver, body).into_iter().map(|v| scale(v, 1.0 - k)).collect();
        set_velocities(solver, body, &slowed);
    }
}

pub fn positions(solver: &Solver, body: BodyId) -> Vec<P> {
    let mut out = vec![Vec3::ZERO; solver.plan().vertices(body)];
    solver.state().read_positions(solver.plan(), body, &mut out);
    out.into_iter().map(wide).collect()
}

pub fn velocities(solver: &Solver, body: BodyId) -> Vec<P> {
    let mut out = vec![Vec3::ZERO; solver.plan().vertices(body)];
    solver.state().read_velocities(solver.plan(), body, &mut out);
    out.into_iter().map(wide).collect()
}

pub fn set_velocities(solver: &mut Solver, body: BodyId, velocities: &[P]) {
    let plan = Arc::clone(solver.plan());
    let velocities: Vec<Vec3> = velocities.iter().map(|v| narrow(*v)).collect();
    solver.state_mut().write_velocities(&plan, body, &velocities).expect("velocities in range");
}

/// Masses in kg of a body's free particles, infinite for fixed ones.
pub fn masses(solver: &Solver, body: BodyId) -> Vec<f64> {
    let mut out = vec![0.0; solver.plan().vertices(body)];
    solver.state().read_inv_masses(solver.plan(), body, &mut out);
    out.into_iter().map(|w| 1.0 / f64::from(w)).collect()
}

pub fn wide(v: Vec3) -> P {
    v.to_array().map(f64::from)
}

pub fn narrow(v: P) -> Vec3 {
    Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

/// Momentum of a body, kg m/s; all its particles are free.
pub fn momentum(solver: &Solver, body: BodyId) -> P {
    let parts = velocities(solver, body).into_iter().zip(masses(solver, body));
    parts.fold([0.0; 3], |sum, (v, m)| add(sum, scale(v, m)))
}

/// Angular momentum of a body about the origin, for positions `x`.
pub fn angular_momentum(x: &[P], v: &[P], m: &[f64]) -> P {
    x.iter().zip(v).zip(m).fold([0.0; 3], |sum, ((&x, &v), &m)| add(sum, scale(cross(x, v), m)))
}

/// The bits of a body's positions and velocities.
pub fn bits(solver: &Solver, body: BodyId) -> Vec<[u32; 3]> {
    let (plan, count) = (solver.plan(), solver.plan().vertices(body));
    let mut rows = vec![Vec3::ZERO; 2 * count];
    let (x, v) = rows.split_at_mut(count);
    solver.state().read_positions(plan, body, x);
    solver.state().read_velocities(plan, body, v);
    rows.into_iter().map(|row| row.to_array().map(f32::to_bits)).collect()
}

/// A square sheet of 0.8 m.
pub fn sheet(side: u32, at: [f32; 3]) -> Cloth {
    Cloth::grid([side, side], [0.8, 0.8]).placed(Pose::at(at), 1.0)
}
