//! The scenes. Names and sizes are those of box3d's benchmarks, as far as these are known; everything else is said
//! here.

use super::work::{Body, Form, Joint, JointKind, Moves, Place, Work};
use std::f64::consts::PI;
use std::rc::Rc;

/// All scenes, in the order in which they are measured.
pub(crate) const NAMES: [&str; 6] = ["large_pyramid", "joint_grid", "convex_pile", "junkyard", "washer", "rain"];

/// Up, at the height 0.
const GROUND: ([f64; 3], [f64; 3]) = ([0.0; 3], [0.0, 1.0, 0.0]);

pub(super) fn find(name: &str) -> Option<Work> {
    Some(match name {
        "large_pyramid" => pyramid("large_pyramid", 100),
        // Not among `NAMES`: to see how time grows with size, where what is read no longer fits into a cache.
        "pyramid_20" => pyramid("pyramid_20", 20),
        "pyramid_50" => pyramid("pyramid_50", 50),
        "pyramid_200" => pyramid("pyramid_200", 200),
        "joint_grid" => joint_grid(),
        "convex_pile" => convex_pile(),
        "junkyard" => junkyard(),
        "washer" => washer(),
        "rain" => rain(),
        _ => return None,
    })
}

fn body(form: Form, place: Place) -> Body {
    Body { parts: vec![(form, Place::at([0.0; 3]))], place, moves: Moves::Freely }
}

fn work(name: &'static str) -> Work {
    Work { name, touch: true, walls: vec![GROUND], steps: [180, 40], ..Work::default() }
}

/// Four walls about the middle, facing it, and the ground.
fn pit(half: f64) -> Vec<([f64; 3], [f64; 3])> {
    let sides = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
    let wall = |[x, z]: [f64; 2]| ([-half * x, 0.0, -half * z], [x, 0.0, z]);
    std::iter::once(GROUND).chain(sides.map(wall)).collect()
}

/// Numbers within 0 .. 1 that look random: xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// A place turned at random.
    fn turned(&mut self, at: [f64; 3]) -> Place {
        let (y, about) = (self.between(-1.0, 1.0), self.between(0.0, 2.0 * PI));
        let r = (1.0 - y * y).sqrt();
        Place::turned(at, [r * about.cos(), y, r * about.sin()], self.between(0.0, 2.0 * PI))
    }

    /// Fourteen points near a sphere.
    fn hull(&mut self, radius: f64) -> Form {
        let golden = PI * (3.0 - 5f64.sqrt());
        let points = (0..14).map(|i| {
            let y = 1.0 - (f64::from(i) + 0.5) / 7.0;
            let (r, angle) = ((1.0 - y * y).sqrt(), golden * f64::from(i));
            let long = radius * self.between(0.8, 1.0);
            [r * angle.cos() * long, y * long, r * angle.sin() * long].map(|c| c as f32)
        });
        Form::Hull(Rc::new(points.collect()))
    }
}

/// Ten boxes of 1 m, each 2 cm beside the last.
pub(super) fn stack() -> Work {
    let of = |i: u32| {
        let at = [if i % 2 == 0 { 0.0 } else { 0.02 }, f64::from(i) + 0.5, 0.0];
        body(Form::Cuboid { half: [0.5; 3] }, Place::at(at))
    };
    Work { bodies: (0..10).map(of).collect(), ..work("stack") }
}

/// Boxes of 1 m that touch, as high as the base is wide.
fn pyramid(name: &'static str, base: u32) -> Work {
    let row = |y: u32| {
        let count = base - y;
        (0..count).map(move |i| {
            let at = [f64::from(i) - 0.5 * f64::from(count - 1), f64::from(y) + 0.5, 0.0];
            body(Form::Cuboid { half: [0.5; 3] }, Place::at(at))
        })
    };
    Work { bodies: (0..base).flat_map(row).collect(), steps: [180, 60], ..work(name) }
}

/// Spheres of 0.4 m on a grid of 1 m, each joined to the next below and to the right, halfway; the seven in the middle
/// of the top stay.
fn joint_grid() -> Work {
    const SIDE: usize = 100;
    let mut bodies = Vec::new();
    let mut joints = Vec::new();
    for k in 0..SIDE {
        for i in 0..SIDE {
            let at = [k as f64, -(i as f64), 0.0];
            let moves = if (SIDE / 2 - 3..=SIDE / 2 + 3).contains(&k) && i == 0 { Moves::Never } else { Moves::Freely };
            bodies.push(Body { moves, ..body(Form::Sphere { radius: 0.4 }, Place::at(at)) });
            let this = k * SIDE + i;
            let mut join = |other: usize, anchor| {
                // Six would hold what stays anyway.
                if bodies[other].moves == Moves::Freely || moves == Moves::Freely {
                    joints.push(Joint { kind: JointKind::Ball, bodies: [other, this], anchor });
                }
            };
            if i > 0 {
                join(this - 1, [at[0], at[1] + 0.5, 0.0]);
            }
            if k > 0 {
                join(this - SIDE, [at[0] - 0.5, at[1], 0.0]);
            }
        }
    }
    Work { bodies, joints, walls: Vec::new(), touch: false, steps: [120, 60], ..work("joint_grid") }
}

/// Hulls of fourteen points and half a metre fall into a pit of 18 m.
fn convex_pile() -> Work {
    let mut random = Random(0x5eed);
    let hulls: Vec<Form> = (0..16).map(|_| random.hull(0.5)).collect();
    let of = |i: usize| {
        let [x, z, y] = [i % 16, i / 16 % 16, i / 256].map(|c| c as f64);
        let at = [1.1 * (x - 7.5), 0.6 + 1.1 * y, 1.1 * (z - 7.5)];
        body(hulls[i % hulls.len()].clone(), random.turned(at))
    };
    Work { bodies: (0..5120).map(of).collect(), walls: pit(9.0), ..work("convex_pile") }
}

/// Boxes, planks, capsules, spheres and hulls fall into a yard of 26 m, where a beam turns.
fn junkyard() -> Work {
    let mut random = Random(0x1a0b);
    let hulls: Vec<Form> = (0..8).map(|_| random.hull(0.5)).collect();
    let mut bodies = Vec::new();
    for i in 0..9600usize {
        let [x, z, y] = [i % 20, i / 20 % 20, i / 400].map(|c| c as f64);
        let at = [1.2 * (x - 9.5), 1.9 + 1.2 * y, 1.2 * (z - 9.5)];
        let form = match i % 5 {
            0 => Form::Cuboid { half: [0.4; 3] },
            1 => Form::Cuboid { half: [0.5, 0.12, 0.3] },
            2 => Form::Capsule { radius: 0.25, half_length: 0.25 },
            3 => Form::Sphere { radius: 0.4 },
            _ => hulls[i % hulls.len()].clone(),
        };
        bodies.push(body(form, random.turned(at)));
    }
    let beam = body(Form::Cuboid { half: [10.0, 0.5, 0.5] }, Place::at([0.0, 0.6, 0.0]));
    bodies.push(Body { moves: Moves::Turning([0.0, 0.5, 0.0]), ..beam });
    Work { bodies, walls: pit(13.0), ..work("junkyard") }
}

/// Boxes in a drum of 32 staves that turns about z, between two walls.
fn washer() -> Work {
    const STAVES: u32 = 32;
    const RADIUS: f64 = 10.0;
    let mut random = Random(0x3a54);
    let mut bodies = Vec::new();
    for i in 0..8000usize {
        let [x, y, z] = [i % 20, i / 20 % 20, i / 400].map(|c| c as f64);
        let at = [0.6 * (x - 9.5), RADIUS + 0.6 * (y - 9.5), 0.6 * (z - 9.5)];
        bodies.push(body(Form::Cuboid { half: [0.2; 3] }, random.turned(at)));
    }
    let staves = (0..STAVES).map(|i| {
        let angle = 2.0 * PI * f64::from(i) / f64::from(STAVES);
        let at = [(RADIUS + 0.25) * angle.cos(), (RADIUS + 0.25) * angle.sin(), 0.0];
        (Form::Cuboid { half: [0.25, 1.05, 6.5] }, Place::turned(at, [0.0, 0.0, 1.0], angle))
    });
    let drum = Body {
        parts: staves.collect(),
        place: Place::at([0.0, RADIUS, 0.0]),
        moves: Moves::Turning([0.0, 0.0, 25.0 * PI / 180.0]),
    };
    bodies.push(drum);
    let walls = vec![([0.0, 0.0, -6.2], [0.0, 0.0, 1.0]), ([0.0, 0.0, 6.2], [0.0, 0.0, -1.0])];
    Work { bodies, walls, ..work("washer") }
}

/// Three hundred dolls of eleven capsules and ten joints fall on a heap: five ball joints, and hinges at the neck,
/// elbows and knees with limits.
fn rain() -> Work {
    let mut random = Random(0x7a14);
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for i in 0..300usize {
        let [x, z, y] = [i % 5, i / 5 % 5, i / 25].map(|c| c as f64);
        let at = [1.8 * (x - 2.0), 0.5 + 2.0 * y, 1.8 * (z - 2.0)];
        doll(at, random.between(0.0, 2.0 * PI), &mut bodies, &mut joints);
    }
    Work { bodies, joints, walls: pit(6.0), ..work("rain") }
}

fn doll(at: [f64; 3], turn: f64, bodies: &mut Vec<Body>, joints: &mut Vec<Joint>) {
    let stands = Place::turned(at, [0.0, 1.0, 0.0], turn);
    let first = bodies.len();
    // Along x or y of the doll.
    let mut part = |radius: f64, middle: [f64; 3], half: f64, along_x: bool| {
        let form = Form::Capsule { radius: radius as f32, half_length: half as f32 };
        let (s, c) = (0.5 * turn).sin_cos();
        let place = if along_x {
            // A quarter of a turn about z, then about y.
            let q = std::f64::consts::FRAC_1_SQRT_2;
            Place { at: stands.point(middle), turn: [s * q, s * q, c * q, c * q] }
        } else {
            Place { at: stands.point(middle), turn: [0.0, s, 0.0, c] }
        };
        bodies.push(body(form, place));
    };
    part(0.11, [0.0, 0.95, 0.0], 0.07, true);
    part(0.13, [0.0, 1.27, 0.0], 0.06, true);
    part(0.1, [0.0, 1.61, 0.0], 0.03, false);
    for x in [-1.0, 1.0] {
        part(0.05, [0.365 * x, 1.33, 0.0], 0.105, true);
        part(0.045, [0.69 * x, 1.33, 0.0], 0.11, true);
        part(0.075, [0.1 * x, 0.68, 0.0], 0.1, false);
        part(0.06, [0.1 * x, 0.265, 0.0], 0.165, false);
    }
    let origin = stands.point([0.0; 3]);
    let axis = |axis: [f64; 3]| {
        let to = stands.point(axis);
        std::array::from_fn(|k| to[k] - origin[k])
    };
    let mut join = |kind: JointKind, [a, b]: [usize; 2], p: [f64; 3]| {
        joints.push(Joint { kind, bodies: [first + a, first + b], anchor: stands.point(p) });
    };
    let (pelvis, chest, head) = (0, 1, 2);
    join(JointKind::Ball, [pelvis, chest], [0.0, 1.1, 0.0]);
    join(JointKind::Hinge { axis: axis([1.0, 0.0, 0.0]), limits: [-0.6, 0.6] }, [chest, head], [0.0, 1.46, 0.0]);
    for (side, x) in [(0, -1.0), (1, 1.0)] {
        let [arm, hand, thigh, shin] = [3, 4, 5, 6].map(|part| part + 4 * side);
        join(JointKind::Ball, [chest, arm], [0.2 * x, 1.33, 0.0]);
        let elbow = if side == 1 { [-2.2, 0.05] } else { [-0.05, 2.2] };
        join(JointKind::Hinge { axis: axis([0.0, 1.0, 0.0]), limits: elbow }, [arm, hand], [0.53 * x, 1.33, 0.0]);
        join(JointKind::Ball, [pelvis, thigh], [0.1 * x, 0.86, 0.0]);
        join(
            JointKind::Hinge { axis: axis([1.0, 0.0, 0.0]), limits: [-0.05, 2.2] },
            [thigh, shin],
            [0.1 * x, 0.5, 0.0],
        );
    }
}
