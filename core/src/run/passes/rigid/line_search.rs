//! How much of the kept impulses a substep begins with, where something heavy has hit something light.
//!
//! Impulses of the substep before are a guess of this one's. Of what rests it is right. Of what is being stopped it is
//! too large, and contacts, which cannot pull, take it back only sweep by sweep: a body of 200 kg that fell onto one of
//! 10 kg on the ground came back with half of its speed. So each small group of bodies that push each other gets the
//! share of the guess that leaves it the least energy: an exact line search along the guess (Nocedal and Wright 2006,
//! 3.1). With velocities u, and D what the impulses p have done to them,
//!
//! ```text
//! share = -(p . C u) / (p . C D) = -(m D . u) / (m D . D),  in [0, 1]
//! ```
//!
//! One number says little of a large group, and a pile whose every support is scaled falls: large groups go on as they
//! are. So do those with joints: a joint that leads its body round a curve does no work, yet all of it is needed.
//!
//! ```text
//! once a step      bodies that may touch --> candidates, their contacts
//! every substep    is any of them pushed hard?  bodies that push each other --> groups --> shares
//! ```

use super::Rigid;
use super::scratch::{LineSearch, RigidScratch};
use crate::tuning::{GROUP_BODIES, GUESS_SHARE, GUESS_SPEED, NEAR_BODIES};
use seidel_kernels::BATCH;
use seidel_rigid::BodyRow;
use seidel_rigid::joint::JointBatch;
use seidel_rigid::motion::Substep;

/// A body whose group is left alone.
const ALONE: u32 = u32::MAX;

/// The substep of a body that impulses move.
fn moving<'a>(rows: &[BodyRow], substeps: &'a [Option<Substep>], row: u32) -> Option<&'a Substep> {
    let substep = substeps.get(row as usize)?.as_ref()?;
    (rows[row as usize].v[3] > 0.0).then_some(substep)
}

impl Rigid<'_> {
    /// Lists the bodies of a step of which groups may be made, and their contacts.
    pub(super) fn list_candidates(&mut self) {
        let plan = self.plan;
        let RigidScratch { rows, substeps, awake, batches, joints, line, .. } = &mut *self.scratch;
        let LineSearch { sets, sizes, jointed, bodies, contacts, .. } = line;
        let moves = |row: u32| moving(rows, substeps, row).is_some();
        sets.begin(plan.bodies.len());
        for batch in &*batches {
            for both in (0..BATCH).map(|lane| batch.moving(lane)) {
                if let [Some(a), Some(b)] = both {
                    sets.unite(a, b);
                }
            }
        }
        sizes.clear();
        sizes.resize(plan.bodies.len(), 0);
        awake.iter().filter(|&&body| moves(body)).for_each(|&body| sizes[sets.root(body) as usize] += 1);
        let mut is_candidate = |body: u32| moves(body) && (2..=NEAR_BODIES).contains(&sizes[sets.root(body) as usize]);
        bodies.clear();
        bodies.extend(awake.iter().copied().filter(|&body| is_candidate(body)));
        contacts.clear();
        if bodies.is_empty() {
            return;
        }
        for (number, batch) in (0..).zip(&*batches) {
            let lanes = (0..BATCH as u32)
                .filter(|&lane| batch.moving(lane as usize).into_iter().flatten().any(&mut is_candidate));
            contacts.extend(lanes.map(|lane| [number, lane]));
        }
        jointed.clear();
        jointed.resize(plan.bodies.len(), false);
        let numbers = joints.balls.iter().flat_map(JointBatch::numbers);
        for &number in numbers.chain(joints.batches.iter().flat_map(JointBatch::numbers)).chain(&joints.order) {
            for body in plan.joints[number as usize].joint.bodies.into_iter().filter(|&body| moves(body)) {
                jointed[body as usize] = true;
            }
        }
    }

    /// Leaves each group that is pushed hard the share of its kept impulses that takes most of its energy away.
    pub(super) fn search_line(&mut self) {
        let h = f64::from(self.common.h);
        let RigidScratch { rows, substeps, loads, batches, line, .. } = &mut *self.scratch;
        let LineSearch { sets, sizes, jointed, bodies, contacts, pushed, work, shares, .. } = line;
        let is_hit = |&body: &u32| {
            let Some(substep) = &substeps[body as usize] else { return false };
            let pushed = f64::from(substep.pushed(&rows[body as usize]));
            // A body at rest is not asked which forces pull at it.
            pushed > GUESS_SPEED * GUESS_SPEED && {
                let [x, y, z] = loads[body as usize].pull.acceleration;
                let least = GUESS_SPEED + 2.0 * h * (x * x + y * y + z * z).sqrt();
                pushed > least * least
            }
        };
        if !bodies.iter().any(is_hit) {
            return;
        }
        let count = substeps.len();
        sets.begin(count);
        let moves = |row: u32| moving(rows, substeps, row).is_some();
        for &[number, lane] in &*contacts {
            let (batch, lane) = (&batches[number as usize], lane as usize);
            if let ([Some(a), Some(b)], true) = (batch.moving(lane), batch.pushes(lane)) {
                sets.unite(a, b);
            }
        }
        // Of the lowest body of each group.
        sizes.clear();
        sizes.resize(count, 0);
        pushed.clear();
        pushed.resize(count, false);
        work.clear();
        work.resize(count, [0.0; 2]);
        for &body in &*bodies {
            let Some(substep) = moving(rows, substeps, body) else { continue };
            let root = sets.root(body) as usize;
            let [takes, gives] = substep.work(&loads[body as usize].mass, &rows[body as usize]);
            work[root] = [work[root][0] + takes, work[root][1] + gives];
            sizes[root] = if jointed[body as usize] { ALONE } else { sizes[root].saturating_add(1) };
            pushed[root] |= is_hit(&body);
        }
        // A collider, or a body on a path, has its own velocity, against which others are pushed. One that turns leads
        // them round a curve.
        for &[number, lane] in &*contacts {
            let (batch, lane) = (&batches[number as usize], lane as usize);
            let bodies = batch.bodies(lane);
            let led = bodies.map(|row| if moves(row) { &BodyRow::FIXED } else { &rows[row as usize] });
            let Some(&free) = bodies.iter().find(|&&row| moves(row)) else { continue };
            let root = sets.root(free) as usize;
            if led.iter().any(|row| row.w[..3] != [0.0; 3]) {
                sizes[root] = ALONE;
            } else if led.iter().any(|row| row.v[..3] != [0.0; 3]) {
                work[root][0] -= batch.work(lane, led);
            }
        }
        let share = |root: usize| {
            let [takes, gives] = work[root];
            let grouped = pushed[root] && (2..=GROUP_BODIES).contains(&sizes[root]);
            let less = grouped && takes.is_finite() && gives.is_finite() && gives > 0.0 && takes < GUESS_SHARE * gives;
            if less { (takes / gives).max(0.0) as f32 } else { 1.0 }
        };
        shares.clear();
        shares.resize(count, 1.0);
        for &body in &*bodies {
            shares[body as usize] = share(sets.root(body) as usize);
        }
        for &[number, lane] in &*contacts {
            let (batch, lane) = (&mut batches[number as usize], lane as usize);
            // Both bodies of one that pushes are of one group.
            let shares = batch.bodies(lane).into_iter().filter_map(|row| shares.get(row as usize));
            let share = shares.fold(1.0, |least: f32, &share| least.min(share));
            if share < 1.0 && batch.pushes(lane) {
                batch.scale(lane, share);
            }
        }
        for body in bodies.iter().map(|&body| body as usize).filter(|&body| shares[body] < 1.0) {
            if let Some(substep) = &substeps[body] {
                substep.scale(shares[body], &mut rows[body]);
            }
        }
    }
}
