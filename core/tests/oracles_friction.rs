//! Oracle: Coulomb friction, near the zero of coordinates and far from it. Blocks and cloth patches on slopes and
//! floors.

use crate::runs;
use crate::runs::{FRAME, G, P, add, cross, norm, particles, positions, run, scale, scene, solver, sub};
use glam::DQuat;
use seidel::{Body, Cloth, Collide, Collider, CombineRule, Pose, Scene, Stiffness, collider::Motion};

const MU: f64 = 0.5;

/// Where the slope's foot is, metres: f32 positions are 1e-7, 2e-6 and 1e-3 apart there.
const PLACES: [P; 3] = [[0.0; 3], [30.0, 30.0, -30.0], [10_000.0, 0.0, 10_000.0]];

/// A slope that falls towards +x by an angle, through `at`: unit vectors up from it and down along it.
struct Slope {
    degrees: f64,
    at: P,
    normal: P,
    down: P,
}

impl Slope {
    fn new(tangent: f64, at: P) -> Slope {
        let angle = tangent.atan();
        let (sin, cos) = angle.sin_cos();
        Slope { degrees: -angle.to_degrees(), at, normal: [sin, cos, 0.0], down: [cos, -sin, 0.0] }
    }

    /// Along x of the slope, up from it, along z.
    fn point(&self, local: P) -> P {
        let flat = add(scale(self.down, local[0]), scale(self.normal, local[1]));
        add(self.at, add(flat, [0.0, 0.0, local[2]]))
    }

    fn plane(&self) -> Collider {
        let plane = Collider::ground().at(runs::narrow(self.at)).turned([0.0, 0.0, 1.0], seidel::degrees(self.degrees));
        plane.friction(MU as f32)
    }
}

/// A block of 2 x 2 x 2 particles, 20 cm long and 10 cm high, rigid.
fn block(slope: &Slope) -> Body {
    let corner = |i: u32| [0.2 * f64::from(i & 1), 0.1 * f64::from(i >> 1 & 1), 0.2 * f64::from(i >> 2)];
    let points: Vec<P> = (0..8).map(|i| slope.point(corner(i))).collect();
    let mut body = particles(&points, &[0.1; 8]);
    body.constraints = vec![runs::all_pairs(8)];
    body.friction = (MU as f32).into();
    body
}

/// A cloth patch of 6 x 6 vertices, 25 cm wide.
fn patch(slope: &Slope) -> Cloth {
    let pose = Pose::new(slope.point([0.0, 0.001, 0.0]), DQuat::IDENTITY);
    let cloth =
        Cloth::grid([6, 6], [0.25, 0.25]).placed(pose.turned([0.0, 0.0, 1.0], seidel::degrees(slope.degrees)), 1.0);
    cloth.thickness(0.001).friction(MU as f32).stretch_by(Stiffness::compliance(1e-7)).bend(10.0)
}

/// How far a body's mean has gone down a slope in a time.
fn slides(scene: &Scene, body: seidel::BodyId, slope: &Slope, frames: u32) -> f64 {
    let mut solver = solver(scene);
    let mean = |solver: &_| {
        let x = positions(solver, body);
        x.iter().map(|p| runs::dot(sub(*p, slope.at), slope.down)).sum::<f64>() / x.len() as f64
    };
    // The first frames settle it: far out it starts as much as a millimetre off the plane.
    run(&mut solver, 30, FRAME);
    let before = mean(&solver);
    run(&mut solver, frames, FRAME);
    mean(&solver) - before
}

#[test]
fn bodies_rest_below_the_angle_of_friction_and_slide_above() {
    for at in PLACES {
        for (share, resting) in [(0.95, true), (1.05, false)] {
            let slope = Slope::new(share * MU, at);
            for cloth in [false, true] {
                let mut scene = scene(G as f32, 20);
                scene.add_collider(slope.plane());
                let body = if cloth { scene.add(patch(&slope)) } else { scene.add(block(&slope)) };
                let gone = slides(&scene, body, &slope, 120);
                // Two seconds of what gravity has more than friction, after the half second in which it settled.
                let (sin, cos) = (share * MU).atan().sin_cos();
                let want = 0.5 * G * (sin - MU * cos) * (2.5f64.powi(2) - 0.5f64.powi(2));
                let name = if cloth { "cloth" } else { "block" };
                println!(
                    "{name} at {:>6} m, {share} mu: {gone:+.2e} m{}",
                    at[0],
                    if resting { String::new() } else { format!(" of {want:.3}") }
                );
                if resting {
                    assert!(gone.abs() < 1e-6, "{name} at {at:?} slides {gone} m at {share} mu");
                } else {
                    // Far out it starts off the plane and has fallen by a part of a millimetre before it slides.
                    let most = if at[0] > 1e3 { 1.25 } else { 1.02 };
                    let slid = gone / want;
                    assert!(slid > 0.98 && slid < most, "{name} at {at:?}, {share} mu: {gone} m and not {want} m");
                }
            }
        }
    }
}

/// Thrown along the floor, a body stops after v^2 / (2 mu g).
#[test]
fn sliding_distance() {
    for at in PLACES {
        for cloth in [false, true] {
            let slope = Slope::new(0.0, at);
            let mut scene = scene(G as f32, 20);
            scene.add_collider(slope.plane());
            let v: P = [2.4, 0.0, 1.0];
            let body = if cloth {
                scene.add(patch(&slope).velocity(v.map(|v| v as f32)))
            } else {
                let mut block = block(&slope);
                block.velocities = vec![v.map(|v| v as f32); 8];
                scene.add(block)
            };
            let mut solver = solver(&scene);
            let mean = |solver: &_| {
                let x = positions(solver, body);
                scale(x.iter().fold([0.0; 3], |sum, p| add(sum, sub(*p, at))), 1.0 / x.len() as f64)
            };
            let before = mean(&solver);
            run(&mut solver, 90, FRAME);
            let gone = sub(mean(&solver), before);
            let want = runs::dot(v, v) / (2.0 * MU * G);
            let error = norm(gone) / want - 1.0;
            let name = if cloth { "cloth" } else { "block" };
            println!("{name} at {:>6} m: off by {:+.2} %", at[0], error * 100.0);
            assert!(error.abs() < 0.02, "{name} at {at:?}: {} m and not {want} m", norm(gone));
            assert!(norm(cross(gone, v)) < 0.02 * want * norm(v), "it turns aside: {gone:?}");
        }
    }
}

/// A plane that moves sideways takes along what rests on it: without slip below mu g, with mu g above.
#[test]
fn a_moving_plane_drags() {
    for (velocity, frames) in [(0.5, 60), (3.0, 20)] {
        let slope = Slope::new(0.0, [0.0; 3]);
        let mut scene = scene(G as f32, 20);
        scene.add_collider(slope.plane().moving(Motion::Linear { velocity: [velocity, 0.0, 0.0].into() }));
        let body = scene.add(particles(&[[0.0; 3], [1.0, 0.0, 0.0]], &[1.0, 2.0]));
        let mut solver = solver(&scene);
        run(&mut solver, frames, FRAME);
        let t = f64::from(frames) * f64::from(FRAME);
        let rising = velocity / (MU * G);
        // Dragged at mu g until it has the plane's velocity, then with it.
        let want = if t < rising { 0.5 * MU * G * t * t } else { velocity * (t - 0.5 * rising) };
        for (v, start) in [(0, 0.0), (1, 1.0)] {
            let gone = positions(&solver, body)[v][0] - start;
            println!("plane at {velocity} m/s: {gone:.4} m, wanted {want:.4} m");
            assert!((gone / want - 1.0).abs() < 0.02, "{gone} m and not {want} m");
        }
    }
}

/// A sheet and a block, slippery on a rough slope: each rule's coefficient decides whether they rest, 5 % to each side
/// of it.
#[test]
fn the_rule_decides_the_coefficient_of_a_contact() {
    let (own, of_slope) = (0.2f32, 0.8f32);
    let rules = [
        (CombineRule::GeometricMean, 0.4),
        (CombineRule::Average, 0.5),
        (CombineRule::Minimum, 0.2),
        (CombineRule::Multiply, 0.16),
        (CombineRule::Maximum, 0.8),
    ];
    for (rule, mu) in rules {
        for (share, resting) in [(0.95, true), (1.05, false)] {
            let slope = Slope::new(share * mu, [0.0; 3]);
            // Particles on a plane, triangles on a box that is between corners, bodies on a body.
            for way in ["plane", "box", "body"] {
                let mut scene = scene(G as f32, 20);
                scene.settings.friction_rule = rule;
                let mut upper = patch(&slope).friction(own);
                match way {
                    "plane" => _ = scene.add_collider(slope.plane().friction(of_slope)),
                    "box" => {
                        let at = slope.point([0.0, -0.1, 0.0]);
                        let turned = Pose::IDENTITY.turned([0.0, 0.0, 1.0], seidel::degrees(slope.degrees));
                        let pose = Pose::new(at, turned.rotation());
                        let solid = Collider { pose, ..Collider::cuboid([3.0, 0.1, 1.0]) };
                        scene.add_collider(solid.friction(of_slope));
                    }
                    _ => {
                        let turned = Pose::IDENTITY.turned([0.0, 0.0, 1.0], seidel::degrees(slope.degrees));
                        let pose = Pose::new(slope.point([0.5, -0.001, 0.0]), turned.rotation());
                        let all: Vec<u32> = (0..31 * 11).collect();
                        let under = Cloth::grid([31, 11], [3.0, 1.0]).placed(pose, 1.0).pin(&all).thickness(0.001);
                        scene.add(under.friction(of_slope).collide(Collide::Others));
                        upper = upper.collide(Collide::Others);
                    }
                }
                let body = scene.add(upper);
                let gone = slides(&scene, body, &slope, 60);
                let (sin, cos) = (share * mu).atan().sin_cos();
                let want = 0.5 * G * (sin - mu * cos) * (1.5f64.powi(2) - 0.5f64.powi(2));
                println!("{rule:?} on a {way}, {share} mu: {gone:+.2e} m of {want:.3}");
                if resting {
                    assert!(gone.abs() < 1e-4, "{rule:?} on a {way} slides {gone} m at {share} mu");
                } else {
                    assert!((gone / want - 1.0).abs() < 0.05, "{rule:?} on a {way}: {gone} m and not {want} m");
                }
            }
        }
    }
}

/// A plane that turns about its normal carries a particle round; one that rises, up.
#[test]
fn turning_and_rising_planes_carry() {
    let key = |time, offset: [f64; 3], degrees| seidel::collider::Key {
        time,
        offset: offset.into(),
        axis: [0.0, 1.0, 0.0].into(),
        angle: seidel::degrees(degrees),
    };
    let mut scene = scene(G as f32, 20);
    let keys = (0..=6).map(|i| key(f64::from(i) * 0.5, [0.0; 3], f64::from(i) * 15.0)).collect();
    scene.add_collider(Collider::ground().friction(1.0).moving(Motion::KeyFrames { keys }));
    let mut made = particles(&[[0.5, 0.0, 0.0]], &[1.0]);
    made.friction = 1.0_f32.into();
    let body = scene.add(made);
    let mut turned = solver(&scene);
    run(&mut turned, 180, FRAME);
    let x = positions(&turned, body)[0];
    println!("turned by a quarter, 0.5 m from the axis: {x:?}");
    assert!(x[0].abs() < 5e-3 && (x[2] + 0.5).abs() < 5e-3, "{x:?}");

    let mut scene = runs::scene(G as f32, 20);
    scene.add_collider(Collider::ground().moving(Motion::Linear { velocity: [0.0, 0.7, 0.0].into() }));
    let body = scene.add(particles(&[[0.0; 3]], &[1.0]));
    let mut lifted = solver(&scene);
    run(&mut lifted, 60, FRAME);
    let y = positions(&lifted, body)[0][1];
    assert!((y - 0.7).abs() < 1e-5, "{y}");
}
