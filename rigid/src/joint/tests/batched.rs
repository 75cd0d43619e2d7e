//! Balls in batches are what balls one by one are, to the bit, on all lanes.

use crate::BodyRow;
use crate::joint::{Balls, Joint, JointFrame, JointRows, JointState, Pose, WORLD};
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
                    match sweep {
                        None => batch.warm_start(isa, shared, &still),
                        Some(biased) => batch.solve(isa, shared, biased),
                    }
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
