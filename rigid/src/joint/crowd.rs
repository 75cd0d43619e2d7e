//! Bodies that many joints hold, where sweeps would break away.
//!
//! A sweep solves joints one after another, each with K of its own two bodies. With D of these blocks and A = J M^-1
//! J^T of all joints of a body, the largest eigenvalue of D^-1 A says how far they take from each other what they have
//! just set: 1 + (n - 1) m / (m + m_hub) for n arms of mass m on a hub. With impulses that are kept from substep to
//! substep, sweeps converge while it is below 3.1; a hub with six arms of its own mass turns faster and faster, from
//! rest. There K counts half as often as that eigenvalue says, except of joints to what does not move: the eigenvalue is
//! 2 then, as in a chain. Two and three joints never get there. Springs have an eigenvalue of their own, and count so
//! wherever they end, since it makes none softer that is not stiff: of thirty between a body and the world, with
//! omega h = 0.5 each, the motion tripled in a substep.

use super::ball::BodyLanes;
use super::block::Block;
use super::row::Row;
use super::rows::{JointRows, ones};
use super::{Joint, JointState, Pattern, Pose};
use crate::BodyRow;
use crate::tuning::{CROWD_ROUNDS, MOST_CROWDED};
use seidel_kernels::V3;
use std::collections::BTreeMap;

/// The locked coordinates of a joint, whatever it is; if it has none, those that have limits. Or those with springs.
struct Held {
    rows: Vec<Row<f32>>,
    responses: Vec<Row<f32>>,
    block: Block<f32>,
    bodies: [u32; 2],
}

impl Held {
    fn new(joint: &Joint, [a, b]: [(Pose, BodyRow); 2], of_springs: bool) -> Held {
        let mut all: JointRows = joint.prepare(&JointState::default(), &a.0, &b.0, 1.0);
        all.leave_to_tree();
        all.refresh(&a.1, &b.1);
        let Pattern { locked, limited, springs, .. } = all.pattern;
        let rows = ones(match of_springs {
            true => springs,
            false if locked == 0 => limited,
            false => locked,
        });
        let rows: Vec<Row<f32>> = rows.map(|i| all.found.coordinates[i].row).collect();
        let bodies = [&BodyLanes::of(&a.1), &BodyLanes::of(&b.1)];
        let responses: Vec<Row<f32>> = rows.iter().map(|row| row.response(bodies)).collect();
        let mut matrix = [[0.0; 6]; 6];
        for (numbers, row) in matrix.iter_mut().zip(&rows) {
            numbers.iter_mut().zip(&responses).for_each(|(k, response)| *k = row.inverse_mass(response));
        }
        Held { block: Block::factored(&matrix, rows.len()), rows, responses, bodies: joint.bodies }
    }
}

/// How often the joints of a body count, what they lock or limit and their springs: 1, or more where there would be no
/// rest. `at` tells where a body is, and its row.
#[must_use]
pub fn crowding_of(joints: &[&Joint], at: impl Fn(u32) -> (Pose, BodyRow)) -> [f32; 2] {
    [false, true].map(|of_springs| {
        if joints.len() <= 3 {
            return 1.0;
        }
        let held = joints.iter().map(|joint| Held::new(joint, joint.bodies.map(&at), of_springs));
        let held: Vec<Held> = held.filter(|held| !held.rows.is_empty()).collect();
        let most = largest(&held);
        if most > MOST_CROWDED { 0.5 * most } else { 1.0 }
    })
}

/// The largest eigenvalue of D^-1 A, by as many rounds of the power method.
fn largest(held: &[Held]) -> f32 {
    // No direction is a likely eigenvector of another.
    let begin = |j: usize, n: usize| ((7 * j + 3 * n) % 11) as f32 - 4.7;
    let mut x: Vec<[f32; 6]> = (0..held.len())
        .map(|j| std::array::from_fn(|n| if n < held[j].rows.len() { begin(j, n) } else { 0.0 }))
        .collect();
    let mut most = 0.0;
    for _ in 0..CROWD_ROUNDS {
        // M^-1 J^T x.
        let mut moved: BTreeMap<u32, [V3<f32>; 2]> = BTreeMap::new();
        for (of, x) in held.iter().zip(&x) {
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let [v, w] = moved.entry(of.bodies[side]).or_insert([V3::zero(); 2]);
                for (response, x) in of.responses.iter().zip(x) {
                    *v = *v + response.linear[side] * (sign * x);
                    *w = *w + response.angular[side] * (sign * x);
                }
            }
        }
        most = 0.0;
        for (of, x) in held.iter().zip(&mut x) {
            let [[va, wa], [vb, wb]] = of.bodies.map(|body| moved[&body]);
            let mut rates = [0.0; 6];
            for (rate, row) in rates.iter_mut().zip(&of.rows) {
                *rate = row.rate([va, vb], [wa, wb]);
            }
            *x = of.block.solve(rates);
            x.iter().for_each(|x| most = if x.abs() > most { x.abs() } else { most });
        }
        if !(most > 0.0 && most < f32::INFINITY) {
            return 0.0;
        }
        x.iter_mut().flatten().for_each(|x| *x /= most);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::super::JointFrame;
    use super::*;
    use crate::motion::{Locks, Mass, Motion, Pull};

    /// Balls without extent of a mass in the middle of `count` arms of another, fixed in one place: one coordinate is
    /// as good as another, and the eigenvalue is that of a star.
    fn of_star(count: u32, hub: f64, arm: f64) -> (f32, f32) {
        let joints: Vec<Joint> = (1..=count)
            .map(|body| Joint::fixed([0, body], [JointFrame { anchor: [0.0; 3], axes: [0.0, 0.0, 0.0, 1.0] }; 2]))
            .collect();
        let at = |body: u32| {
            let mass = if body == 0 { hub } else { arm };
            let mass = Mass {
                inv_mass: 1.0 / mass,
                inertia: [mass; 3],
                inv_inertia: [1.0 / mass; 3],
                locks: Locks::default(),
            };
            let mut motion =
                Motion { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], velocity: [0.0; 3], spin: [0.0; 3] };
            let mut row = BodyRow::FIXED;
            let _ = motion.begin(&mass, &Pull::default(), 0.0, &mut row);
            (Pose::IDENTITY, row)
        };
        let held: Vec<Held> = joints.iter().map(|joint| Held::new(joint, joint.bodies.map(at), false)).collect();
        let all: Vec<&Joint> = joints.iter().collect();
        (largest(&held), crowding_of(&all, at)[0])
    }

    #[test]
    fn a_star_has_the_eigenvalue_that_it_has() {
        for (count, hub, arm) in [
            (2, 1.0, 1.0),
            (3, 1.0, 1e4),
            (4, 1.0, 1.0),
            (4, 1.0, 10.0),
            (6, 1.0, 1.0),
            (20, 10.0, 1.0),
            (50, 1.0, 2.0),
        ] {
            let want = 1.0 + f64::from(count - 1) * arm / (arm + hub);
            let (got, often) = of_star(count, hub, arm);
            let got = f64::from(got);
            // Stars that rest without it are not crowded.
            let rests = [(2, 1.0), (3, 1e4), (4, 1.0), (20, 1.0)].contains(&(count, arm));
            assert_eq!(f64::from(often), if rests { 1.0 } else { 0.5 * got }, "{count} arms, {hub} and {arm} kg");
            assert!((got / want - 1.0).abs() < 1e-3, "{count} arms, {hub} and {arm} kg: {got}, {want}");
        }
    }
}
