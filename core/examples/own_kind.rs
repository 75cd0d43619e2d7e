//! A constraint of one's own: a triangle keeps its area. One `impl` is all that it takes; PBD, XPBD, all lanes and all
//! threads come from the engine. Prints the state's hash on every instruction set: they are the same.
//!
//! cargo run --release -p seidel --example own_kind

use seidel::kernels::{Constraint, Kind, Lanes, Parameter, V3, conformance, trig};
use seidel::{Body, Constraints, Execution, Input, Isa, Plan, Scene, Solver, Stiffness};
use std::sync::Arc;

/// C(x) = |N| / 2 - A,   N = e x f,   e = x1 - x0,   f = x2 - x0,   n = N / |N|
/// dC/dx1 = f x n / 2,   dC/dx2 = n x e / 2,   dC/dx0 = -dC/dx1 - dC/dx2
struct Area;

impl Constraint<3, 1> for Area {
    #[inline(always)]
    fn eval<L: Lanes>([x0, x1, x2]: [V3<L>; 3], [rest]: [L; 1]) -> (L, [V3<L>; 3]) {
        let (e, f) = (x1 - x0, x2 - x0);
        let normal = e.cross(f);
        let len = normal.length();
        // A triangle without an area has no normal: give none, and C moves nothing.
        let n = (normal * (L::splat(1.0) / len)).or_zero(len.gt(L::splat(1e-12)));
        let half = L::splat(0.5);
        let (g1, g2) = (f.cross(n) * half, n.cross(e) * half);
        (len * half - rest, [-(g1 + g2), g1, g2])
    }
}

/// The engine's word for it: a name, and what its parameter may be.
const AREA: Kind = Kind::of::<Area, 3, 1>("area", &[Parameter::rest("area", "m^2", 0.0, 1e6)]);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The harness of the built-in kinds: gradients by differences, every lane type bit for bit, degenerate rows.
    conformance::check(&AREA)?;

    // A fan of triangles about a fixed centre, falling and keeping its areas.
    let rim = 24;
    let mut points = vec![[0.0, 1.0, 0.0]];
    points.extend((0..rim).map(|i| {
        // The engine's sine: std's differs from machine to machine.
        let (sin, cos) = trig::sin_cos(i as f32 / rim as f32 * std::f32::consts::TAU);
        [cos, 1.0, sin]
    }));
    let triangles: Vec<[u32; 3]> = (0..rim).map(|i| [0, 1 + i, 1 + (i + 1) % rim]).collect();
    let mut inv_mass = vec![10.0; points.len()];
    inv_mass[0] = 0.0;
    let mut body = Body::particles(points, inv_mass);
    // Rest values are measured in the shape as it is.
    body.constraints = vec![Constraints::measured(AREA, triangles.concat(), Stiffness::compliance(0.0))];
    body.triangles = triangles.into();

    let mut scene = Scene::new();
    scene.add(body);
    let plan = Arc::new(Plan::new(&scene)?);
    let mut hashes = Vec::new();
    for isa in Isa::available() {
        let mut solver = Solver::with(Arc::clone(&plan), Execution::new(isa, 2));
        for _ in 0..60 {
            solver.step(&Input::new(1.0 / 60.0)?);
        }
        println!("{isa:>8}  {:016x}", solver.state().hash());
        hashes.push(solver.state().hash());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]));
    Ok(())
}
