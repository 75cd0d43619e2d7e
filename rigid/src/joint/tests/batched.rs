//! Joints in batches are what joints one by one are, to the bit, on all lanes.

use crate::BodyRow;
use crate::joint::{
    ABOUT, ALONG, Balls, Joint, JointBatch, JointFrame, JointRows, JointStage, JointState, Joints, Motor, Pose, Spring,
    WORLD,
};
use seidel_kernels::{BATCH, Isa, Shared};

#[test]
fn balls_in_batches_have_the_bits_of_balls_one_by_one() {
    let mut seed = 11u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / 8_388_608.0 - 1.0
    };
    // Two bodies a joint; the last row is nobody's.
    let nobody = 2 * BATCH;
    let mut rows = vec![BodyRow::FIXED; nobody + 1];
    let mut moved = Vec::new();
    for row in &mut rows[..nobody] {
        row.v = [random(), random(), random(), 1.0 + random().abs()];
        row.w = [random(), random(), random(), 0.0];
        row.diagonal = [2.0 + random(), 2.0 + random(), 2.0 + random(), 0.0];
        row.sides = [0.1 * random(), 0.1 * random(), 0.1 * random(), 0.0];
        let [x, y, z] = [0.1 * random(), 0.1 * random(), 0.1 * random()];
        let turn = [x, y, z, (1.0 - (x * x + y * y + z * z)).sqrt()];
        moved.push(([0.01 * random(), 0.01 * random(), 0.01 * random(), 0.0], turn));
    }
    // One is locked along y, one is frozen, one is lost, and one joint is the world's.
    rows[3].diagonal[3] = 1.0;
    let mut still = vec![false; nobody];
    still[5] = true;
    rows[8].v[0] = f32::NAN;
    let mut prepared = Vec::new();
    for lane in 0..BATCH as u32 {
        let bodies = [if lane == 9 { WORLD } else { lane }, BATCH as u32 + lane];
        let frames = [0, 1].map(|_| JointFrame { anchor: [random(), random(), random()], axes: [0.0, 0.0, 0.0, 1.0] });
        // Every third breaks if it carries much.
        let break_force = if lane % 3 == 0 { 300.0 } else { f32::INFINITY };
        let joint = Joint { break_force, ..Joint::ball(bodies, frames) };
        assert!(joint.is_ball());
        let pose = |x: f32| Pose { at: [f64::from(x); 3], ..Pose::IDENTITY };
        let kept = JointState { hold: [0.1, random(), 0.2, 0.0, 0.0, 0.0], ..JointState::default() };
        let poses = [pose(random()), pose(random())];
        prepared.push((joint.prepare(&kept, &poses[0], &poses[1], 1e-3), kept, poses));
    }
    let run = |isa: Option<Isa>| {
        let mut rows = rows.clone();
        let mut joints: Vec<_> = prepared.iter().map(|(joint, ..)| *joint).collect();
        let mut batch = Balls::new(nobody as u32, 1e-3);
        for (number, (JointRows { joint, .. }, kept, [a, b])) in prepared.iter().enumerate() {
            assert!(batch.add(number as u32, joint, kept, [a, b], [joint.bodies[0] != WORLD, true]));
        }
        assert_eq!(batch.numbers(), (0..BATCH as u32).collect::<Vec<_>>());
        let (first, kept, [a, b]) = &prepared[0];
        assert!(!batch.add(0, &first.joint, kept, [a, b], [true; 2]), "there is no room");
        let one_by_one = |rows: &mut Vec<BodyRow>, joints: &mut [JointRows], sweep: Option<bool>| {
            for joint in joints {
                let bodies = joint.joint.bodies;
                let [mut a, mut b] = bodies.map(|body| rows.get(body as usize).copied().unwrap_or(BodyRow::FIXED));
                match sweep {
                    None => joint.warm_start(&mut a, &mut b),
                    Some(biased) => joint.solve(&mut a, &mut b, biased),
                }
                for (body, row) in bodies.into_iter().zip([a, b]) {
                    if still.get(body as usize) == Some(&false) {
                        rows[body as usize] = row;
                    }
                }
            }
        };
        for substep in 0..2 {
            for sweep in [None, Some(true), Some(false), Some(false)] {
                if sweep == Some(true) && substep == 0 {
                    for (row, (dx, turn)) in rows.iter_mut().zip(&moved) {
                        (row.dx, row.turn) = (*dx, *turn);
                    }
                }
                let Some(isa) = isa else {
                    one_by_one(&mut rows, &mut joints, sweep);
                    continue;
                };
                let shared = Shared::new(&mut rows);
                // SAFETY: one thread, and no two joints have a body in common.
                unsafe {
                    batch.sweep(isa, shared, &still, stage(sweep));
                }
            }
        }
        let states: Vec<_> = joints
            .iter_mut()
            .zip(&prepared)
            .enumerate()
            .map(|(lane, (joint, (_, kept, _)))| {
                if isa.is_some() {
                    return batch.store(lane, &joint.joint, kept);
                }
                let [a, b] = joint.joint.bodies.map(|body| rows.get(body as usize).unwrap_or(&BodyRow::FIXED));
                joint.store(a, b)
            })
            .collect();
        let broken = states.iter().filter(|state| state.broken).count();
        assert!((1..BATCH / 3).contains(&broken), "{broken} broke");
        let bits = rows.iter().flat_map(|row| bytemuck::cast::<BodyRow, [u32; 32]>(*row)).collect::<Vec<_>>();
        (bits, format!("{states:?}"))
    };
    let expected = run(None);
    for isa in Isa::available() {
        assert!(run(Some(isa)) == expected, "{}", isa.name());
    }
}

/// Joints of one pattern, each with numbers of its own.
fn of_pattern(kind: usize, bodies: [u32; 2], frames: [JointFrame; 2], random: &mut impl FnMut() -> f32) -> Joint {
    let spring = |x: f32| Spring { stiffness: 50.0 * (1.5 + x), damping: 2.0 * (1.5 + x), rest: 0.1 * x };
    let limit = 1.0 + random().abs();
    match kind {
        0 => Joint::hinge(bodies, frames).with_limits(ABOUT, 0.2 * random() - 0.2, 0.2 * random() + 0.2),
        1 => Joint::hinge(bodies, frames)
            .with_motor(ABOUT, Motor::Position { target: 3.0 * random(), limit })
            .with_spring(ABOUT, spring(random())),
        2 => Joint::ball_in_cone(bodies, frames, 0.1 + 0.05 * random(), [-0.1, 0.1 + 0.05 * random()]),
        3 => Joint::slider(bodies, frames).with_spring(ALONG, spring(random())).with_limits(ALONG, -0.1, 0.1),
        4 => Joint::slider(bodies, frames).with_motor(ALONG, Motor::Velocity { target: random(), limit }),
        5 => Joint::fixed(bodies, frames).breaking_at(200.0 + 150.0 * random(), f32::INFINITY),
        6 => Joint::universal(bodies, frames),
        7 => Joint::distance(bodies, frames, 0.4, 0.9 + 0.2 * random()),
        8 => Joint::gear(bodies, frames, 1.5 + random()).breaking_at(f32::INFINITY, 100.0 + 50.0 * random()),
        9 => Joint::rack_and_pinion(bodies, frames, 1.5 + random()),
        _ => Joint::ball_on_line(bodies, frames),
    }
}

#[test]
fn joints_in_batches_have_the_bits_of_joints_one_by_one() {
    let mut seed = 5u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / 8_388_608.0 - 1.0
    };
    let bits = |state: &JointState| state.bits().collect::<Vec<_>>();
    let nobody = 2 * BATCH;
    for kind in 0..11 {
        let mut rows = vec![BodyRow::FIXED; nobody + 1];
        let mut moved = Vec::new();
        for row in &mut rows[..nobody] {
            row.v = [random(), random(), random(), 1.0 + random().abs()];
            row.w = [random(), random(), random(), 0.0];
            row.diagonal = [2.0 + random(), 2.0 + random(), 2.0 + random(), 0.0];
            row.sides = [0.1 * random(), 0.1 * random(), 0.1 * random(), 0.0];
            moved.push(([0.01 * random(), 0.01 * random(), 0.01 * random(), 0.0], turn(&mut random)));
        }
        // One is locked along y, one is frozen, one is lost, one joint is the world's, and a lane is empty.
        rows[3].diagonal[3] = 1.0;
        let mut still = vec![false; nobody];
        still[5] = true;
        rows[8].v[0] = f32::NAN;
        let prepared: Vec<_> = (0..BATCH as u32 - 1)
            .map(|lane| {
                let bodies = [if lane == 9 { WORLD } else { lane }, BATCH as u32 + lane];
                let frames = [0, 1].map(|_| JointFrame {
                    anchor: [random(), random(), random()].map(|x| 0.2 * x),
                    axes: turn(&mut random),
                });
                let joint = of_pattern(kind, bodies, frames, &mut random);
                let mut pose = || Pose {
                    at: [random(), random(), random()].map(|x| 0.2 * f64::from(x)),
                    rotation: turn(&mut random).map(f64::from),
                };
                let poses = [pose(), pose()];
                let kept = JointState {
                    hold: [0.01, random() * 0.01, 0.02, 0.01, 0.0, 0.01],
                    motor: [0.01; 6],
                    spring: [-0.01; 6],
                    angle: random(),
                    turns: i32::from(lane % 3 == 0),
                    broken: false,
                };
                (joint, kept, poses)
            })
            .collect();
        let h = 1e-3;
        let run = |isa: Option<Isa>| {
            let mut rows = rows.clone();
            let one = |(joint, kept, [a, b]): &(Joint, JointState, [Pose; 2])| joint.prepare(kept, a, b, h);
            let mut joints: Vec<_> = prepared.iter().map(one).collect();
            let mut batch = Joints::new(prepared[0].0.pattern(), nobody as u32, h);
            for (number, (joint, kept, [a, b])) in prepared.iter().enumerate() {
                assert!(batch.add(number as u32, joint, kept, [a, b], [joint.bodies[0] != WORLD, true]));
            }
            for substep in 0..3 {
                for sweep in [None, Some(true), Some(false), Some(false)] {
                    if sweep == Some(true) && substep < 2 {
                        for (row, (dx, turn)) in rows.iter_mut().zip(&moved) {
                            (row.dx, row.turn) = (dx.map(|x| x * (1.0 + substep as f32)), *turn);
                        }
                    }
                    let Some(isa) = isa else {
                        for joint in &mut joints {
                            let bodies = joint.joint.bodies;
                            let [mut a, mut b] =
                                bodies.map(|body| rows.get(body as usize).copied().unwrap_or(BodyRow::FIXED));
                            match sweep {
                                None => joint.warm_start(&mut a, &mut b),
                                Some(biased) => joint.solve(&mut a, &mut b, biased),
                            }
                            for (body, row) in bodies.into_iter().zip([a, b]) {
                                if still.get(body as usize) == Some(&false) {
                                    rows[body as usize] = row;
                                }
                            }
                        }
                        continue;
                    };
                    let shared = Shared::new(&mut rows);
                    // SAFETY: one thread, and no two joints have a body in common.
                    unsafe {
                        batch.sweep(isa, shared, &still, stage(sweep));
                    }
                }
            }
            let states: Vec<_> = joints
                .iter_mut()
                .zip(&prepared)
                .enumerate()
                .map(|(lane, (rows_of, (joint, ..)))| {
                    if isa.is_some() {
                        return batch.store(lane, joint, &JointState::default());
                    }
                    let [a, b] = joint.bodies.map(|body| rows.get(body as usize).unwrap_or(&BodyRow::FIXED));
                    rows_of.store(a, b)
                })
                .collect();
            let broken = states.iter().filter(|state| state.broken).count();
            assert_eq!([5, 8].contains(&kind), (1..BATCH - 2).contains(&broken), "{broken} of kind {kind} broke");
            let of_rows = rows.iter().flat_map(|row| bytemuck::cast::<BodyRow, [u32; 32]>(*row)).collect::<Vec<_>>();
            (of_rows, states.iter().flat_map(bits).collect::<Vec<_>>())
        };
        let expected = run(None);
        for isa in Isa::available() {
            assert!(run(Some(isa)) == expected, "kind {kind}, {}", isa.name());
        }
    }
}

/// What a sweep of a joint alone, with bias or without, is of a batch.
fn stage(sweep: Option<bool>) -> JointStage {
    match sweep {
        None => JointStage::Warm,
        Some(true) => JointStage::Biased,
        Some(false) => JointStage::Relaxed,
    }
}

/// A unit quaternion of less than a quarter of a turn.
fn turn(random: &mut impl FnMut() -> f32) -> [f32; 4] {
    let [x, y, z] = [0.1 * random(), 0.1 * random(), 0.1 * random()];
    [x, y, z, (1.0 - (x * x + y * y + z * z)).sqrt()]
}
