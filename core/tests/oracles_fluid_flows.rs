//! Oracles: how fluids flow. Waves in a tank, water that runs out, a bucket that turns, layers of different density.

use crate::runs::FRAME;
use glam::Vec3;
use seidel::collider::Shape;
use seidel::{BodyId, Collider, Fluid, FluidLook, Input, Pose, Scene, Solver, degrees};
use std::f64::consts::PI;

const G: f64 = 9.81;

fn scene(substeps: u32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.substeps = substeps.into();
    scene
}

/// A plane through a point that faces along a horizontal direction, degrees from +x towards +z, without friction.
fn wall(scene: &mut Scene, at: [f32; 3], towards: f64) {
    let pose = Pose::at(at).turned([0.0, 0.0, 1.0], degrees(-90.0)).turned([0.0, 1.0, 0.0], degrees(-towards));
    let mut wall = Collider::new(Shape::Plane).friction(0.0);
    wall.pose = pose;
    scene.add_collider(wall);
}

/// A tank with walls at x = 0 and `x`, z = 0 and `z`, on the ground.
fn tank(scene: &mut Scene, x: f32, z: f32) {
    scene.add_collider(Collider::ground().friction(0.0));
    wall(scene, [0.0; 3], 0.0);
    wall(scene, [x, 0.0, 0.0], 180.0);
    wall(scene, [0.0; 3], 90.0);
    wall(scene, [0.0, 0.0, z], -90.0);
}

fn run(solver: &mut Solver, frames: u32) {
    for frame in 0..frames {
        let report = solver.step(&Input::frame(FRAME));
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
        assert_eq!(report.fluid_overflowed, 0, "frame {frame}");
    }
}

fn positions(solver: &Solver, fluid: BodyId) -> Vec<Vec3> {
    let mut p = vec![Vec3::ZERO; solver.plan().vertices(fluid)];
    solver.state().read_positions(solver.plan(), fluid, &mut p);
    p
}

fn velocities(solver: &Solver, fluid: BodyId) -> Vec<Vec3> {
    let mut v = vec![Vec3::ZERO; solver.plan().vertices(fluid)];
    solver.state().read_velocities(solver.plan(), fluid, &mut v);
    v
}

/// Times at which values, a frame apart, go through zero, seconds.
fn crossings(values: &[f64]) -> Vec<f64> {
    let pairs = values.windows(2).enumerate().filter(|(_, v)| v[0] * v[1] < 0.0);
    pairs.map(|(k, v)| (k as f64 + v[0] / (v[0] - v[1])) * f64::from(FRAME)).collect()
}

/// The longest wave in a tank: omega^2 = g k tanh(k depth), within 5 %.
#[test]
fn water_sloshes_in_its_time() {
    let (length, depth) = (0.6f32, 0.2f32);
    let mut scene = scene(20);
    tank(&mut scene, length, 0.08);
    let water = scene.add(Fluid::block([0.0; 3], [length, depth, 0.08]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 30);
    // It begins level, with the velocity that a wave has then.
    let (k, h) = (PI / f64::from(length), f64::from(depth));
    let wave = |p: &Vec3| {
        let (x, y) = (k * f64::from(p.x), k * f64::from(p.y));
        let size = 0.25 / (k * h).sinh();
        Vec3::new((size * x.sin() * y.cosh()) as f32, (-size * x.cos() * y.sinh()) as f32, 0.0)
    };
    let v: Vec<Vec3> = positions(&solver, water).iter().map(wave).collect();
    let plan = solver.plan().clone();
    solver.state_mut().write_velocities(&plan, water, &v).unwrap();
    let middle = |solver: &Solver| {
        let p = positions(solver, water);
        p.iter().map(|p| f64::from(p.x)).sum::<f64>() / p.len() as f64 - 0.5 * f64::from(length)
    };
    let mut values = Vec::new();
    for _ in 0..150 {
        run(&mut solver, 1);
        values.push(middle(&solver));
    }
    let times = crossings(&values);
    let found = PI * (times.len() - 1) as f64 / (times[times.len() - 1] - times[0]);
    let wanted = (G * k * (k * h).tanh()).sqrt();
    println!("omega {found:.3}, {wanted:.3} wanted; crossings {times:.3?}");
    assert!(times.len() >= 3 && (found / wanted - 1.0).abs() < 0.05, "{found} {wanted}");
}

/// What runs out of a slot in the floor of a tank has sqrt(2 g H), H being the depth above it, within 10 %.
#[test]
fn water_runs_out_as_torricelli_says() {
    let mut scene = scene(20);
    let (half, slot) = (0.2f32, 0.04f32);
    // Two slabs, between which the slot is, and walls above them; along z all of it is between two planes.
    let slab = |scene: &mut Scene, x: f32, half: [f32; 3], y: f32| {
        scene.add_collider(Collider::new(Shape::Cuboid { half: half.into() }).at([x, y, 0.04]).friction(0.0));
    };
    let wide = 0.5 * (half - slot);
    for side in [-1.0, 1.0] {
        slab(&mut scene, side * (slot + wide), [wide, 0.05, 0.2], -0.05);
        slab(&mut scene, side * (half + 0.05), [0.05, 0.5, 0.2], 0.3);
    }
    wall(&mut scene, [0.0, 0.0, 0.0], 90.0);
    wall(&mut scene, [0.0, 0.0, 0.08], -90.0);
    let water = scene.add(Fluid::block([-half, 0.0, 0.0], [half, 0.5, 0.08]));
    let mut solver = Solver::new(&scene).unwrap();
    run(&mut solver, 12);
    let mut ratios = Vec::new();
    for _ in 0..12 {
        run(&mut solver, 1);
        let (p, v) = (positions(&solver, water), velocities(&solver, water));
        // The surface away from the slot: the mean height of a column of water is half of it.
        let side: Vec<f64> = p.iter().filter(|p| p.y > 0.0 && p.x.abs() > 0.1).map(|p| f64::from(p.y)).collect();
        let level = 2.0 * side.iter().sum::<f64>() / side.len() as f64;
        for (p, v) in p.iter().zip(&v).filter(|(p, _)| p.y < -0.12 && p.y > -0.3 && p.x.abs() < slot) {
            let fallen = level - f64::from(p.y);
            ratios.push(f64::from(-v.y) / (2.0 * G * fallen).sqrt());
        }
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    println!("{mean:.3} of what was wanted, of {} particles", ratios.len());
    assert!(ratios.len() > 200 && (mean - 1.0).abs() < 0.1, "{mean} of {}", ratios.len());
}

/// A bucket of water that turns with it: its surface rises by omega^2 r^2 / 2 g, within a spacing.
#[test]
fn turning_water_is_a_paraboloid() {
    let (radius, omega, dx) = (0.2f32, 7.0f32, 0.02f32);
    let mut scene = scene(20);
    scene.add_collider(Collider::ground().friction(0.0));
    for k in 0..32 {
        let angle = 2.0 * PI * f64::from(k) / 32.0;
        let at = [-(radius * angle.cos() as f32), 0.0, -(radius * angle.sin() as f32)];
        wall(&mut scene, at, angle.to_degrees());
    }
    let mut points = Vec::new();
    for j in 0..10 {
        for i in -10..10 {
            for l in -10..10 {
                let at = [(i as f32 + 0.5) * dx, (j as f32 + 0.5) * dx, (l as f32 + 0.5) * dx];
                if at[0].hypot(at[2]) < radius - 0.4 * dx {
                    points.push(at);
                }
            }
        }
    }
    let water = scene.add(Fluid::points(points));
    let mut solver = Solver::new(&scene).unwrap();
    let turning: Vec<Vec3> =
        positions(&solver, water).iter().map(|p| Vec3::new(omega * p.z, 0.0, -omega * p.x)).collect();
    let plan = solver.plan().clone();
    solver.state_mut().write_velocities(&plan, water, &turning).unwrap();
    run(&mut solver, 120);
    let (p, v) = (positions(&solver, water), velocities(&solver, water));
    let spin = p.iter().zip(&v).map(|(p, v)| f64::from(v.x * p.z - v.z * p.x)).sum::<f64>()
        / p.iter().map(|p| f64::from(p.x * p.x + p.z * p.z)).sum::<f64>();
    // Half a spacing above the highest particle within half a spacing of a radius.
    let level = |r: f32| {
        let near = p.iter().filter(|p| (p.x.hypot(p.z) - r).abs() < 0.5 * dx);
        f64::from(near.map(|p| p.y).fold(0.0, f32::max) + 0.5 * dx)
    };
    let base = level(0.03);
    for r in [0.06f32, 0.1, 0.14, 0.18] {
        let wanted = spin * spin * f64::from(r * r - 0.03 * 0.03) / (2.0 * G);
        println!("r {r}: {:.4}, {wanted:.4} wanted, at {spin:.2} rad/s", level(r) - base);
        assert!((level(r) - base - wanted).abs() < f64::from(dx), "at {r}: {} {wanted}", level(r) - base);
    }
}

/// Oil on water stays there; water on oil comes down.
#[test]
fn layers_stay_where_the_lighter_is_above() {
    let middle = |above: f32, below: f32, frames: u32| {
        let mut scene = scene(20);
        tank(&mut scene, 0.24, 0.08);
        let low = scene.add(Fluid::block([0.0; 3], [0.24, 0.12, 0.08]).density(below));
        let high = scene.add(Fluid::block([0.0, 0.12, 0.0], [0.24, 0.24, 0.08]).density(above));
        let mut solver = Solver::new(&scene).unwrap();
        run(&mut solver, frames);
        let mean = |fluid| {
            let p = positions(&solver, fluid);
            p.iter().map(|p| f64::from(p.y)).sum::<f64>() / p.len() as f64
        };
        (mean(low), mean(high))
    };
    let (low, high) = middle(500.0, 1000.0, 120);
    println!("the lighter above: {low:.4} and {high:.4}");
    assert!((low - 0.06).abs() < 0.005 && (high - 0.18).abs() < 0.01, "{low} {high}");
    let (low, high) = middle(1000.0, 500.0, 120);
    println!("the lighter below: {low:.4} and {high:.4}");
    assert!(low > high + 0.02, "{low} {high}");
}

/// A hundred times the density: the lighter one stays above; below, it has as many substeps as what lies on it wants,
/// is pressed out, and no energy is gained.
#[test]
fn a_fluid_a_hundred_times_as_dense_is_carried_and_falls() {
    let layers = |above: f32, below: f32| {
        let mut scene = Scene::new();
        tank(&mut scene, 0.16, 0.08);
        scene.add(Fluid::block([0.0; 3], [0.16, 0.08, 0.08]).density(below));
        scene.add(Fluid::block([0.0, 0.08, 0.0], [0.16, 0.16, 0.08]).density(above));
        let mut solver = Solver::new(&scene).unwrap();
        assert_eq!(solver.plan().warnings(), [""; 0]);
        let mut look = FluidLook::default();
        let (mut energies, mut dense, mut fast) = (Vec::new(), 0.0f64, 0.0f32);
        for _ in 0..60 {
            look.read(solver.plan(), solver.state());
            let found = look.figures(solver.plan(), solver.state());
            let (mut energy, plan) = (found.kinetic_energy, solver.plan());
            for (fluid, liquid) in plan.fluids() {
                let high = positions(&solver, fluid).iter().map(|p| f64::from(p.y)).sum::<f64>();
                energy += G * liquid.mass() * high;
                fast = velocities(&solver, fluid).iter().map(|v| v.length()).fold(fast, f32::max);
            }
            energies.push(energy);
            dense = dense.max(found.density_error_max);
            run(&mut solver, 1);
        }
        let gained = energies.iter().map(|e| e / energies[0] - 1.0).fold(0.0, f64::max);
        println!(
            "{above} on {below}, {} substeps: at most {dense:.3} too dense, {fast:.2} m/s, {gained:.1e} gained",
            solver.plan().substeps()
        );
        assert!(gained < 5e-3 && dense < 0.1, "{gained} {dense}");
        fast
    };
    assert!(layers(10.0, 1000.0) < 1.0);
    // sqrt(2 p / density), p being what lies on it.
    assert!(layers(1000.0, 10.0) < 1.5 * 12.5);
}

/// A ripple between a heavy layer and a lighter one below it grows as exp(t sqrt(A g k tanh)), A being the difference
/// of their densities over the sum (Rayleigh, Taylor), within 20 %.
#[test]
fn a_heavy_layer_comes_down_as_fast_as_it_should() {
    let (dx, length, depth) = (0.02f64, 0.64f64, 0.32f64);
    let k = 2.0 * PI / length;
    let mut scene = scene(20);
    tank(&mut scene, length as f32, 0.08);
    // No lid is needed: the surface of the upper layer stays level.
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for i in 0..32 {
        for j in 0..32 {
            for l in 0..4 {
                let at = [(f64::from(i) + 0.5) * dx, (f64::from(j) + 0.5) * dx, (f64::from(l) + 0.5) * dx];
                let below = at[1] < depth;
                if below { low.push(at.map(|c| c as f32)) } else { high.push(at.map(|c| c as f32)) }
            }
        }
    }
    let heavy = scene.add(Fluid::points(high).density(1000.0).viscosity(0.0));
    let light = scene.add(Fluid::points(low).density(500.0).viscosity(0.0));
    let mut solver = Solver::new(&scene).unwrap();
    let rate = (500.0 / 1500.0 * G * k * (k * depth).tanh()).sqrt();
    // The eigenmode: its velocity is that of the growing wave.
    let plan = solver.plan().clone();
    let amplitude = 0.01;
    for fluid in [heavy, light] {
        let v: Vec<Vec3> = positions(&solver, fluid)
            .iter()
            .map(|p| {
                let (x, z) = (f64::from(p.x), f64::from(p.y) - depth);
                let away = z.abs();
                let fall = (k * (depth - away)).sinh() / (k * depth).sinh();
                let side = (k * (depth - away)).cosh() / (k * depth).sinh() * if z > 0.0 { 1.0 } else { -1.0 };
                let speed = amplitude * rate;
                Vec3::new((speed * side * (k * x).sin()) as f32, (speed * fall * (k * x).cos()) as f32, 0.0)
            })
            .collect();
        solver.state_mut().write_velocities(&plan, fluid, &v).unwrap();
    }
    // The amplitude of the mode, by the velocities of both.
    let mode = |solver: &Solver| {
        let mut sum = 0.0;
        for fluid in [heavy, light] {
            for (p, v) in positions(solver, fluid).iter().zip(velocities(solver, fluid)) {
                let near = (f64::from(p.y) - depth).abs() < 0.1;
                sum += if near { f64::from(v.y) * (k * f64::from(p.x)).cos() } else { 0.0 };
            }
        }
        sum
    };
    let mut values = vec![mode(&solver)];
    for _ in 0..25 {
        run(&mut solver, 1);
        values.push(mode(&solver));
    }
    // First the lattice settles; later the ripple is as high as long / 2 pi.
    let (from, to) = (10usize, 25usize);
    let found = (values[to] / values[from]).ln() / ((to - from) as f64 * f64::from(FRAME));
    println!("rate {found:.2}, {rate:.2} wanted");
    assert!((found / rate - 1.0).abs() < 0.2, "{found} {rate}");
}
