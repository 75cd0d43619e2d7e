//! A small world of boxes and balls on a plane, each contact in a batch of its own.

use super::*;
use crate::manifold::{Transform, collide};
use crate::motion::{Locks, Mass, Motion, Pull, Start};
use crate::{Shape, Softness, tuning::MARGIN};

struct World {
    bodies: Vec<(Shape, Mass, Motion)>,
    kept: Vec<([usize; 2], Kept)>,
    friction: f32,
    restitution: f32,
}

const DT: f64 = 1.0 / 60.0;
const GRAVITY: f64 = 9.81;

impl World {
    /// Body 0 is the ground.
    fn new(friction: f32, restitution: f32) -> World {
        let fixed = Mass { inv_mass: 0.0, inertia: [1.0; 3], inv_inertia: [0.0; 3], locks: Locks::NONE };
        let ground = (Shape::HalfSpace, fixed, at([0.0; 3]));
        World { bodies: vec![ground], kept: Vec::new(), friction, restitution }
    }

    fn cuboid(&mut self, half: [f32; 3], density: f64, position: [f64; 3]) -> usize {
        let [a, b, c] = half.map(f64::from);
        let m = density * 8.0 * a * b * c;
        let inertia = [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| m * sum / 3.0);
        let mass = Mass { inv_mass: 1.0 / m, inertia, inv_inertia: inertia.map(|i| 1.0 / i), locks: Locks::NONE };
        self.bodies.push((Shape::Cuboid { half }, mass, at(position)));
        self.bodies.len() - 1
    }

    fn ball(&mut self, radius: f32, density: f64, position: [f64; 3]) -> usize {
        let r = f64::from(radius);
        let m = density * 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let i = 0.4 * m * r * r;
        let mass = Mass { inv_mass: 1.0 / m, inertia: [i; 3], inv_inertia: [1.0 / i; 3], locks: Locks::NONE };
        self.bodies.push((Shape::Sphere { radius }, mass, at(position)));
        self.bodies.len() - 1
    }

    fn step(&mut self, substeps: u32, gravity: [f64; 3]) {
        let count = self.bodies.len();
        let h = DT / f64::from(substeps);
        let pull = Pull { acceleration: gravity, torque: [0.0; 3], keep: [1.0; 2] };
        let starts: Vec<Start> =
            self.bodies.iter().map(|b| Start { position: b.2.position, rotation: b.2.rotation }).collect();
        let mut rows: Vec<BodyRow> = Vec::new();
        let begin = |bodies: &mut Vec<(Shape, Mass, Motion)>, rows: &mut Vec<BodyRow>| {
            rows.resize(count + 2, BodyRow::FIXED);
            bodies.iter_mut().zip(rows).map(|(b, row)| b.2.begin(&b.1, &pull, h, row)).collect::<Vec<_>>()
        };
        let mut begun = begin(&mut self.bodies, &mut rows);
        let mut contacts = Vec::new();
        for a in 0..count {
            for b in a + 1..count {
                let speed = [a, b].map(|k| {
                    let v = self.bodies[k].2.velocity;
                    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
                });
                let reach = MARGIN + ((speed[0] + speed[1]) * DT) as f32;
                // The ground has the higher number in the engine, too: bodies come first.
                let (first, second) = if a == 0 { (b, a) } else { (a, b) };
                let (one, other) = (&self.bodies[first], &self.bodies[second]);
                let placed = within(&one.2, &other.2);
                let mut manifold = collide(Isa::detect(), &one.0, &other.0, &placed, reach);
                let cores = [one.0.core(), other.0.core()];
                let fast = |k: usize| (speed[if first == a { k } else { 1 - k }] * DT) as f32 > 0.5 * cores[k];
                if cores[0] > 0.0 && fast(0) {
                    let core = collide(Isa::detect(), &Shape::Sphere { radius: cores[0] }, &other.0, &placed, reach);
                    manifold = manifold.with_core(&core, false);
                } else if cores[1] > 0.0 && fast(1) {
                    let core = collide(Isa::detect(), &one.0, &Shape::Sphere { radius: cores[1] }, &placed, reach);
                    manifold = manifold.with_core(&core, true);
                }
                if manifold.count > 0 {
                    contacts.push(([first, second], manifold));
                }
            }
        }
        let [nobody, nowhere] = [count as u32, count as u32 + 1];
        let mut batches: Vec<Batch> = contacts
            .iter()
            .map(|(bodies, manifold)| {
                let none = Kept::default();
                let kept = self.kept.iter().find(|(of, _)| of == bodies).map_or(&none, |(_, kept)| kept);
                let [a, b] = bodies.map(|k| &self.bodies[k].2);
                let axes = crate::contact::tests::axes(a.rotation);
                let world = |p: V3<f32>| (axes[0] * p.x + axes[1] * p.y) + axes[2] * p.z;
                let d = [0, 1, 2].map(|k| (a.position[k] - b.position[k]) as f32);
                let d = V3::new(d[0], d[1], d[2]);
                let contact = Contact {
                    bodies: bodies.map(|k| k as u32),
                    normal: world(manifold.normal),
                    arms: manifold.points.map(|p| [world(p.a), d + world(p.b)]),
                    offset: -d,
                    manifold,
                    kept: matched(manifold, kept),
                    radii: [first_shape(&self.bodies, bodies[0]), first_shape(&self.bodies, bodies[1])],
                    friction: [self.friction; 2],
                    restitution: self.restitution,
                    resistance: [0.0; 2],
                    counted: false,
                    lasts: Lasts::FOREVER,
                    segments: None,
                };
                let mut batch = Batch::new(nobody, nowhere);
                batch.set(3, &contact, &rows);
                batch.weigh(Isa::PORTABLE, &rows);
                batch
            })
            .collect();
        let (isa, softness) = (Isa::PORTABLE, Softness::rigid(h as f32));
        for substep in 0..substeps {
            if substep > 0 {
                begun = begin(&mut self.bodies, &mut rows);
            }
            let shared = Shared::new(&mut rows);
            for batch in &mut batches {
                // SAFETY: `rows` are borrowed on this thread alone, which solves one batch after another.
                unsafe { batch.warm(isa, shared) };
            }
            for _ in 0..crate::tuning::IMPACT_ROUNDS {
                let mut any = false;
                for batch in &mut batches {
                    // SAFETY: `rows` are borrowed on this thread alone, which solves one batch after another.
                    any |= unsafe { batch.impact(isa, shared, h as f32, (2.0 * GRAVITY * h) as f32) };
                }
                if !any {
                    break;
                }
            }
            for batch in &mut batches {
                // SAFETY: `rows` are borrowed on this thread alone, which solves one batch after another.
                unsafe { Batch::solve(std::slice::from_mut(batch), isa, shared, &softness, true) };
            }
            for (k, (body, start)) in self.bodies.iter_mut().zip(&starts).enumerate() {
                body.2.advance(&body.1, &begun[k], start, &mut rows[k], h);
            }
            let shared = Shared::new(&mut rows);
            for _ in 0..2 {
                for batch in &mut batches {
                    // SAFETY: `rows` are borrowed on this thread alone, which solves one batch after another.
                    unsafe { Batch::solve(std::slice::from_mut(batch), isa, shared, &softness, false) };
                }
            }
            for (k, body) in self.bodies.iter_mut().enumerate() {
                body.2.end(&body.1, &begun[k], &rows[k]);
            }
        }
        self.kept = contacts
            .iter()
            .zip(&batches)
            .map(|((bodies, manifold), batch)| (*bodies, batch.kept(3, &rows, manifold)))
            .collect();
    }

    fn run(&mut self, seconds: f64, substeps: u32) {
        for _ in 0..(seconds / DT).round() as usize {
            self.step(substeps, [0.0, -GRAVITY, 0.0]);
        }
    }

    fn position(&self, body: usize) -> [f64; 3] {
        self.bodies[body].2.position
    }

    fn speed(&self, body: usize) -> f64 {
        let v = self.bodies[body].2.velocity;
        (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
    }
}

/// A body that moves along a wall by many times its size in a step, or turns by more than a turn, gains no energy by
/// the arms and masses of the step's start: the ball had four times as much after a tenth of a second, or was lost.
#[test]
fn what_is_fast_gains_no_energy() {
    for speed in [100.0, 1e3, 1e4, 1e5] {
        for round in [true, false] {
            let mut world = World::new(0.5, 0.0);
            let body = match round {
                true => world.ball(0.1, 1000.0, [0.0, 0.3, 0.0]),
                false => world.cuboid([0.05, 0.1, 0.2], 1000.0, [0.0, 0.3, 0.0]),
            };
            let (_, mass, motion) = &mut world.bodies[body];
            motion.velocity = [speed, -0.3 * speed, 0.2 * speed];
            let (mass, mut least) = (*mass, motion.energy(mass));
            for step in 0..30 {
                world.step(20, [0.0; 3]);
                let now = world.bodies[body].2.energy(&mass);
                assert!(now <= least * 1.01 + 1.0, "{now} J of {least} in step {step} at {speed} m/s, round: {round}");
                least = least.min(now);
            }
        }
    }
}

/// A body that is lost takes no other with it, where they bounce: neither the one that it touches nor others.
#[test]
fn what_is_lost_bounces_off_nobody() {
    for half in [[0.5; 3], [0.3, 0.5, 0.4]] {
        let mut world = World::new(0.5, 0.8);
        let [lost, other, third] =
            [[0.0, 0.5, 0.0], [0.0, 1.5, 0.0], [3.0, 0.5, 0.0]].map(|at| world.cuboid(half, 1000.0, at));
        for body in [other, third] {
            world.bodies[body].2.velocity = [0.0, -5.0, 0.0];
        }
        world.bodies[lost].2.velocity = [0.0, 3e38, 0.0];
        world.step(4, [0.0; 3]);
        for body in [other, third] {
            let Motion { position, velocity, .. } = world.bodies[body].2;
            assert!(position.iter().chain(&velocity).all(|c| c.is_finite()), "{half:?}: {velocity:?}");
        }
    }
}

fn first_shape(bodies: &[(Shape, Mass, Motion)], body: usize) -> f32 {
    bodies[body].0.rounding()
}

fn at(position: [f64; 3]) -> Motion {
    Motion { position, rotation: [0.0, 0.0, 0.0, 1.0], velocity: [0.0; 3], spin: [0.0; 3] }
}

fn axes([x, y, z, w]: [f64; 4]) -> [V3<f32>; 3] {
    seidel_kernels::Quat::<f32>::set([x, y, z, w].map(|c| c as f32)).axes()
}

fn within(a: &Motion, b: &Motion) -> Transform {
    let (ma, mb) = (axes(a.rotation), axes(b.rotation));
    let d = [0, 1, 2].map(|k| (b.position[k] - a.position[k]) as f32);
    let back = |v: V3<f32>| V3::new(ma[0].dot(v), ma[1].dot(v), ma[2].dot(v));
    Transform { axes: mb.map(back), at: back(V3::new(d[0], d[1], d[2])) }
}

/// Boxes of 1 m and 1,000 kg, each 2 cm beside the last. Sideways, sunk, speed: mm and mm/s.
fn stack(count: usize, seconds: f64, substeps: u32) -> [f64; 3] {
    let mut world = World::new(0.6, 0.0);
    let starts: Vec<[f64; 3]> =
        (0..count).map(|k| [if k % 2 == 0 { 0.0 } else { 0.02 }, 0.5 + k as f64, 0.0]).collect();
    starts.iter().for_each(|&start| _ = world.cuboid([0.5; 3], 1000.0, start));
    world.run(seconds, substeps);
    let mut found = [0.0f64; 3];
    for (k, start) in starts.iter().enumerate() {
        let end = world.position(k + 1);
        let aside = ((end[0] - start[0]).powi(2) + (end[2] - start[2]).powi(2)).sqrt();
        found[0] = found[0].max(1e3 * aside);
        found[1] = found[1].max(1e3 * (start[1] - end[1]));
        found[2] = found[2].max(1e3 * world.speed(k + 1));
    }
    found
}

#[test]
fn ten_boxes_stand() {
    let [aside, sunk, speed] = stack(10, 20.0, 20);
    assert!(aside < 1.0 && sunk < 1.0 && speed < 1.0, "{aside} mm aside, {sunk} mm down, {speed} mm/s");
}

#[test]
#[ignore = "prints a table"]
fn stacks() {
    for (count, substeps) in [(10, 20), (20, 20), (50, 20), (10, 8), (20, 8), (10, 4)] {
        println!("{count} boxes, {substeps} substeps: {:.3?}", stack(count, 60.0, substeps));
    }
}

#[test]
fn friction_holds_a_box_on_a_slope_and_lets_it_slide() {
    for (share, slides) in [(0.95, false), (1.05, true)] {
        let mu = 0.5f32;
        let mut world = World::new(mu, 0.0);
        let body = world.cuboid([0.5; 3], 1000.0, [0.0, 0.5, 0.0]);
        let angle = (f64::from(mu) * share).atan();
        let gravity = [GRAVITY * angle.sin(), -GRAVITY * angle.cos(), 0.0];
        for _ in 0..120 {
            world.step(20, gravity);
        }
        let gone = world.position(body)[0];
        let want = 0.5 * (gravity[0] + f64::from(mu) * gravity[1]) * 4.0;
        match slides {
            false => assert!(gone.abs() < 1e-3, "it has crept by {gone} m"),
            true => assert!((gone / want - 1.0).abs() < 0.02, "{gone} for {want} m"),
        }
    }
}

#[test]
fn a_ball_rolls_down_a_slope() {
    let mut world = World::new(0.6, 0.0);
    let ball = world.ball(0.5, 1000.0, [0.0, 0.5, 0.0]);
    let (sin, cos) = 0.3f64.sin_cos();
    for _ in 0..120 {
        world.step(20, [GRAVITY * sin, -GRAVITY * cos, 0.0]);
    }
    let (gone, want) = (world.position(ball)[0], 0.5 * 5.0 / 7.0 * GRAVITY * sin * 4.0);
    assert!((gone / want - 1.0).abs() < 0.01, "{gone} for {want} m");
}

#[test]
fn a_ball_comes_back_to_e_squared_of_its_height() {
    for (height, e) in [(1.0, 0.8f32), (1.0, 0.5), (0.1, 0.8)] {
        let mut world = World::new(0.6, e);
        let ball = world.ball(0.1, 1000.0, [0.0, 0.1 + height, 0.0]);
        let (mut low, mut back) = (false, 0.0f64);
        for _ in 0..240 {
            world.step(20, [0.0, -GRAVITY, 0.0]);
            let [_, vy, _] = world.bodies[ball].2.velocity;
            low |= vy > 0.0;
            if low && vy <= 0.0 {
                break;
            }
            if low {
                back = back.max(world.position(ball)[1] - 0.1);
            }
        }
        let want = f64::from(e * e) * height;
        assert!((back / want - 1.0).abs() < 0.02, "{back} for {want} m");
    }
}

#[test]
fn newtons_cradle_hands_the_momentum_on() {
    let mut world = World::new(0.0, 1.0);
    let balls: Vec<usize> = (0..5).map(|k| world.ball(0.5, 1000.0, [1.0001 * f64::from(k), 2.0, 0.0])).collect();
    world.bodies[balls[0]].2.position[0] -= 0.5;
    world.bodies[balls[0]].2.velocity[0] = 2.0;
    for _ in 0..60 {
        world.step(20, [0.0; 3]);
    }
    let speeds: Vec<f64> = balls.iter().map(|&b| world.bodies[b].2.velocity[0]).collect();
    assert!(speeds[4] > 1.96 && speeds[..4].iter().all(|v| v.abs() < 0.04), "{speeds:?}");
}

#[test]
fn heavy_rests_on_light() {
    let mut world = World::new(0.6, 0.0);
    world.cuboid([0.5; 3], 1.0, [0.0, 0.5, 0.0]);
    let heavy = world.cuboid([0.5; 3], 1000.0, [0.0, 1.5, 0.0]);
    world.run(20.0, 20);
    let h = DT / 20.0;
    let (sunk, most) = (1.5 - world.position(heavy)[1], 1.2 * 1000.0 * GRAVITY * h * h);
    assert!(sunk < most && world.speed(heavy) < 1e-3, "sunk by {sunk}, {} m/s", world.speed(heavy));
}

#[test]
fn a_collision_keeps_the_momenta() {
    let mut world = World::new(0.5, 0.3);
    let (a, b) =
        (world.cuboid([0.3, 0.2, 0.1], 700.0, [0.0, 3.0, 0.0]), world.cuboid([0.2; 3], 900.0, [0.6, 3.1, 0.05]));
    world.bodies[a].2.velocity = [3.0, 0.4, 0.0];
    world.bodies[a].2.spin = [1.0, 2.0, 0.5];
    let sums = |world: &World| {
        let (mut p, mut l) = ([0.0; 3], [0.0; 3]);
        for &k in &[a, b] {
            let (_, mass, motion) = &world.bodies[k];
            let m = motion.velocity.map(|v| v / mass.inv_mass);
            let x = motion.position;
            let turn = [x[1] * m[2] - x[2] * m[1], x[2] * m[0] - x[0] * m[2], x[0] * m[1] - x[1] * m[0]];
            for k in 0..3 {
                p[k] += m[k];
                l[k] += turn[k] + motion.spin[k];
            }
        }
        (p, l)
    };
    let (p0, l0) = sums(&world);
    let before = world.bodies[b].2.velocity;
    for _ in 0..60 {
        world.step(20, [0.0; 3]);
    }
    assert_ne!(world.bodies[b].2.velocity, before, "they have not met");
    let (p1, l1) = sums(&world);
    let size = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
    let change = |a: [f64; 3], b: [f64; 3]| size([0, 1, 2].map(|k| a[k] - b[k])) / size(a);
    assert!(change(p0, p1) < 1e-6, "momentum {p0:?} {p1:?}");
    assert!(change(l0, l1) < 1e-5, "angular momentum {l0:?} {l1:?}");
}

/// Fifteen contacts of all sorts between bodies, which are all alike about all axes if they are `round`.
fn fifteen(round: bool) -> (Vec<BodyRow>, Batch) {
    let mut rows = vec![BodyRow::FIXED; 36];
    let mut seed = 7u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / 8_388_608.0 - 1.0
    };
    for row in &mut rows[..32] {
        row.v = [random(), random(), random(), 1.0 + random().abs()];
        row.w = [random(), random(), random(), 0.0];
        row.diagonal = [2.0 + random(), 2.0 + random(), 2.0 + random(), 0.0];
        row.sides = [0.1 * random(), 0.1 * random(), 0.1 * random(), 0.0];
        row.dx = [0.01 * random(), 0.01 * random(), 0.01 * random(), 0.0];
        if round {
            let [x, ..] = row.diagonal;
            (row.diagonal, row.sides) = ([x, x, x, 0.0], [0.0; 4]);
        }
    }
    let mut batch = Batch::new(34, 35);
    for lane in 0..15 {
        let mut manifold = Manifold::NONE;
        manifold.count = 1 + lane % 4;
        manifold.points.iter_mut().for_each(|p| p.separation = 0.01 * random());
        let n = V3::new(random(), random(), random());
        let contact = Contact {
            bodies: [lane as u32, if lane == 5 { 33 } else { 16 + lane as u32 }],
            normal: n * (1.0 / n.length()),
            arms: [[V3::new(random(), random(), random()); 2]; crate::manifold::POINTS],
            manifold: &manifold,
            offset: V3::new(random(), random(), random()),
            kept: Kept {
                points: [KeptPoint { normal: 0.1, ..KeptPoint::default() }; 4],
                friction: [random(), 0.1, 0.0],
                twist: 0.01,
                ..Kept::default()
            },
            radii: [0.0, 0.1],
            friction: [0.5; 2],
            restitution: if lane % 2 == 0 { 0.5 } else { 0.0 },
            resistance: [0.01 * (lane % 3) as f32, 0.02],
            counted: lane % 2 == 0,
            lasts: Lasts::FOREVER,
            segments: (lane % 4 == 0).then(|| [0.3, 0.5].map(|radius| segment(&mut random, radius))),
        };
        batch.set(lane, &contact, &rows);
    }
    (rows, batch)
}

fn segment(random: &mut impl FnMut() -> f32, radius: f32) -> Segment {
    let [at, half] = [0.2, 0.4].map(|size| V3::new(random(), random(), random()) * size);
    Segment { at, half, radius }
}

/// The bodies after two sweeps.
fn swept(isa: Isa, rows: &[BodyRow], batch: &Batch) -> Vec<BodyRow> {
    let (mut rows, mut batch) = (rows.to_vec(), batch.clone());
    batch.weigh(isa, &rows);
    weighs_as_scalars_do(&batch, &rows);
    let shared = Shared::new(&mut rows);
    // SAFETY: one thread; no two lanes have a body in common.
    unsafe {
        batch.warm(isa, shared);
        batch.impact(isa, shared, 1e-3, 0.01);
        Batch::solve(std::slice::from_mut(&mut batch), isa, shared, &Softness::rigid(1e-3), true);
        Batch::solve(std::slice::from_mut(&mut batch), isa, shared, &Softness::rigid(1e-3), false);
    }
    // Where bodies have moved on.
    for (row, k) in rows[..32].iter_mut().zip(0..) {
        row.dx = [0.01 * k as f32, 0.02, -0.005 * (k % 7) as f32, 0.0];
        row.turn = [0.6 * (k % 2) as f32, 0.48 * (1 - k % 2) as f32, 0.64 * (1 - k % 2) as f32, 0.0];
        row.turn[3] = (1.0 - row.turn.iter().map(|c| c * c).sum::<f32>()).sqrt();
    }
    let shared = Shared::new(&mut rows);
    // SAFETY: as above.
    unsafe {
        batch.warm(isa, shared);
        Batch::solve(std::slice::from_mut(&mut batch), isa, shared, &Softness::rigid(1e-3), true);
    }
    rows.truncate(34);
    rows
}

/// Round bodies have a shorter way through the sweeps, with the same numbers: 0 and -0 are alike.
#[test]
fn round_bodies_move_as_others_do() {
    let (rows, batch) = fifteen(true);
    let mut any = batch.clone();
    assert_eq!(std::mem::replace(&mut any.bodies, ANY), ROUND);
    for isa in Isa::available() {
        assert_eq!(swept(isa, &rows, &batch), swept(isa, &rows, &any), "{isa:?}");
    }
}

#[test]
fn every_lane_type_gives_the_same_bits() {
    let (mut rows, batch) = fifteen(false);
    assert_eq!(batch.bodies, ANY);
    let mut locked = batch.clone();
    (rows[1].w[3], rows[20].diagonal[3], rows[6].sides[3]) = (1.0, 1.0, 1.0);
    locked.bodies = LOCKED;
    for isa in Isa::available() {
        locked.weigh(isa, &rows);
        weighs_as_scalars_do(&locked, &rows);
    }
    rows.iter_mut().for_each(|row| (row.w[3], row.diagonal[3], row.sides[3]) = (0.0, 0.0, 0.0));
    let mut all = Isa::available().into_iter().map(|isa| {
        let rows = swept(isa, &rows, &batch);
        rows.iter().flat_map(|row| bytemuck::cast::<BodyRow, [u32; 32]>(*row)).collect::<Vec<u32>>()
    });
    let first = all.next().unwrap();
    assert!(first.iter().all(|bits| f32::from_bits(*bits).is_finite()));
    all.for_each(|other| assert!(other == first));
}

/// A body whose numbers are none, whichever it is of the two, leaves the other one as it is.
#[test]
fn what_is_lost_takes_no_other_with_it() {
    for (lost, whole) in [(0, 1), (1, 0)] {
        for spoil in [|row: &mut BodyRow| row.turn = [f32::NAN; 4], |row: &mut BodyRow| row.dx = [f32::INFINITY; 4]] {
            let moving = BodyRow { v: [0.1, -0.2, 0.3, 1.0], diagonal: [2.0, 3.0, 4.0, 0.0], ..BodyRow::FIXED };
            let mut rows = vec![moving, moving, BodyRow::FIXED, BodyRow::FIXED];
            let mut manifold = Manifold::NONE;
            manifold.count = 4;
            let contact = Contact {
                bodies: [0, 1],
                normal: V3::new(0.0, 1.0, 0.0),
                arms: [[V3::new(0.1, 0.5, 0.2), V3::new(0.1, -0.5, 0.2)]; crate::manifold::POINTS],
                offset: V3::new(0.0, 1.0, 0.0),
                manifold: &manifold,
                kept: Kept::default(),
                radii: [0.0; 2],
                friction: [0.5; 2],
                restitution: 0.5,
                resistance: [0.0; 2],
                counted: false,
                lasts: Lasts::FOREVER,
                segments: None,
            };
            let mut batch = Batch::new(2, 3);
            batch.set(0, &contact, &rows);
            batch.weigh(Isa::PORTABLE, &rows);
            spoil(&mut rows[lost]);
            let shared = Shared::new(&mut rows);
            // SAFETY: one thread; one contact.
            unsafe {
                batch.warm(Isa::PORTABLE, shared);
                batch.impact(Isa::PORTABLE, shared, 1e-3, 0.01);
                Batch::solve(std::slice::from_mut(&mut batch), Isa::PORTABLE, shared, &Softness::rigid(1e-3), true);
                Batch::solve(std::slice::from_mut(&mut batch), Isa::PORTABLE, shared, &Softness::rigid(1e-3), false);
            }
            let all = rows[whole].v.iter().chain(&rows[whole].w);
            assert!(all.clone().all(|x| x.is_finite()), "{:?}", rows[whole]);
        }
    }
}

#[test]
fn a_belt_carries_a_box() {
    let mut world = World::new(0.6, 0.0);
    let belt = world.cuboid([2.0, 0.5, 2.0], 1.0, [0.0, 4.5, 0.0]);
    world.bodies[belt].1 = Mass { inv_mass: 0.0, inertia: [1.0; 3], inv_inertia: [0.0; 3], locks: Locks::NONE };
    world.bodies[belt].2.velocity = [1.0, 0.0, 0.0];
    let body = world.cuboid([0.5; 3], 1000.0, [0.0, 5.5, 0.0]);
    for _ in 0..120 {
        world.step(20, [0.0, -GRAVITY, 0.0]);
    }
    let ([x, y, _], [vx, ..]) = (world.position(body), world.bodies[body].2.velocity);
    let want = 2.0 - 0.5 / (0.6 * GRAVITY);
    assert!(
        (x - want).abs() < 0.01 && (y - 5.5).abs() < 1e-3 && (vx - 1.0).abs() < 1e-3,
        "{x} for {want}, {y}, {vx} m/s"
    );
}

#[test]
fn a_fast_box_does_not_pass_through_a_thin_plate() {
    for plate_first in [true, false] {
        let mut world = World::new(0.5, 0.0);
        world.bodies[0].2.position[1] = -100.0;
        let plate = |world: &mut World| {
            let plate = world.cuboid([5.0, 0.005, 5.0], 1.0, [0.0; 3]);
            world.bodies[plate].1 =
                Mass { inv_mass: 0.0, inertia: [1.0; 3], inv_inertia: [0.0; 3], locks: Locks::NONE };
        };
        if plate_first {
            plate(&mut world);
        }
        let body = world.cuboid([0.05; 3], 1000.0, [0.1, 3.0, 0.2]);
        let (s, c) = (0.35f64.sin() / 2.09f64.sqrt(), 0.35f64.cos());
        world.bodies[body].2.rotation = [s, s, 0.3 * s, c];
        world.bodies[body].2.velocity = [0.0, -100.0, 0.0];
        if !plate_first {
            plate(&mut world);
        }
        for step in 0..30 {
            world.step(20, [0.0; 3]);
            assert!(world.position(body)[1] > 0.0, "it has passed in step {step}");
        }
    }
}

/// The masses that impulses see, reckoned lane by lane.
fn weighs_as_scalars_do(batch: &Batch, rows: &[BodyRow]) {
    for lane in 0..BATCH {
        let [a, b] = [0, 1].map(|k| rows[(batch.read[k][lane] / PAIRS) as usize]);
        let along = |m: V3<f32>, n: V3<f32>, arms: [V3<f32>; 2]| {
            let of = |row: &BodyRow, r: V3<f32>| {
                let masses = row.inv_masses();
                let linear = match row.is_locked() {
                    true => m.dot(V3::new(masses.x * n.x, masses.y * n.y, masses.z * n.z)),
                    false => row.v[3] * m.dot(n),
                };
                linear + r.cross(m).dot(row.inverse_inertia(r.cross(n)))
            };
            of(&a, arms[0]) + of(&b, arms[1])
        };
        let inverse = |weight: f32| if weight > 0.0 { 1.0 / weight } else { 0.0 };
        let (n, t) = (get(&batch.normal, lane), batch.tangents.each_ref().map(|t| get(t, lane)));
        let count = batch.points_of.0[lane] as usize;
        let offset = get(&batch.offset, lane);
        let both = |begun: &[Pack<f32>; 3]| [get(begun, lane), get(begun, lane) - offset];
        let middle = both(&batch.friction.begun);
        for (k, points) in batch.points.iter().enumerate() {
            let arms = both(&points.begun);
            let across = arms[0] - middle[0];
            let expected = match k < count {
                true => [inverse(along(n, n, arms)), (across - n * n.dot(across)).length()],
                false => [0.0; 2],
            };
            assert_eq!([points.mass.0[lane], points.lever.0[lane]], expected, "lane {lane}, point {k}");
        }
        if count > 0 {
            let k = [[0, 0], [0, 1], [1, 1]].map(|[i, j]| along(t[i], t[j], middle));
            assert_eq!(batch.friction.masses.each_ref().map(|m| m.0[lane]), inverted(k), "lane {lane}");
            let about = n.dot(a.inverse_inertia(n)) + n.dot(b.inverse_inertia(n));
            assert_eq!(batch.friction.inertia.0[lane], inverse(about), "lane {lane}");
        }
    }
}
