//! Manifolds that no longer hold are found anew within a step, before the substep in which they are needed.
//!
//! ```text
//!  warm: stale lanes --> their pairs --> manifolds where bodies now are --> the same lanes
//! ```
//! Which pairs there are is found once a step, by how far bodies may go in it; so are colors and lanes.

use super::Rigid;
use super::batches::{BLOCK, NO_CONTACT};
use super::find::{ContactSearch, FoundContact, Origin, Placed, RigidSearch};
use super::scratch::{Renewal, RigidScratch};
use crate::describe::pose::Pose;
use crate::run::report::Phase;
use seidel_kernels::{BATCH, Shared, V3};
use seidel_rigid::BodyRow;
use seidel_rigid::contact::{Batch, Contact, Kept, matched};
use seidel_rigid::manifold::Manifold;
use seidel_rigid::surface::PATCHES;
use seidel_rigid::tuning::SAME_SIDE;
use seidel_workers::Crew;

/// Shapes that a worker takes at a time.
const SHAPES: usize = 128;

impl Rigid<'_> {
    /// Finds manifolds anew that no longer hold as a substep begins.
    pub(super) fn renew(&mut self, crew: &mut Crew<'_>, substep: u32) {
        if !std::mem::take(&mut self.scratch.any_stale) {
            return;
        }
        let scale = self.scale();
        let RigidScratch { from, to, pushes, search, renewal, rows, batches, .. } = &mut *self.scratch;
        let found = ContactSearch { common: self.common, plan: self.plan, state: self.state, from, to, pushes, scale };
        found.list_stale(search, renewal, batches);
        found.place_anew(crew, (search, renewal), f64::from(substep) / f64::from(self.common.substeps));
        let Renewal { pairs, firsts, todo, manifolds, origins, .. } = &mut *renewal;
        found.look(crew, (pairs, firsts, todo), (&search.placed, &[]), (manifolds, origins));
        found.align((search, renewal), rows, batches);
        found.refill(crew, (search, renewal), rows, batches);
    }
}

impl ContactSearch<'_> {
    /// Lists the lanes whose manifolds no longer hold, and their pairs. All patches of a surface go together.
    fn list_stale(&self, search: &RigidSearch, renewal: &mut Renewal, batches: &[Batch]) {
        let Renewal { stale, batches: of_any, pairs, contacts, firsts, todo, manifolds, origins, fresh, .. } = renewal;
        stale.clear();
        stale.extend(batches.iter().map(|batch| match batch.is_any_stale() {
            true => (0..BATCH).fold(0, |lanes, lane| lanes | u16::from(batch.is_stale(lane)) << lane),
            false => 0,
        }));
        pairs.clear();
        contacts.clear();
        firsts.clear();
        fresh.resize(search.contacts.len(), 0);
        let is_stale = |stale: &[u16], (batch, lane): (u32, u32)| stale[batch as usize] & 1 << lane != 0;
        let (mut start, mut count) = (0, 0);
        while let Some(first) = search.contacts.get(start) {
            let all = start..start + usize::from(first.patches);
            let places = &search.places[all.clone()];
            if places.iter().any(|&place| is_stale(stale, place)) {
                places.iter().for_each(|&(batch, lane)| stale[batch as usize] |= 1 << lane);
                pairs.push(first.shapes);
                contacts.push(start as u32);
                firsts.push(count);
                let [begin, end] = [0, 1].map(|k| search.firsts[first.pair as usize + k]);
                for (fresh, contact) in fresh[all.clone()].iter_mut().zip(&search.contacts[all.clone()]) {
                    *fresh = count + (contact.manifold - begin);
                }
                count += end - begin;
            }
            start = all.end;
        }
        firsts.push(count);
        todo.clear();
        todo.extend(0..pairs.len() as u32);
        manifolds.resize(count as usize, Manifold::NONE);
        origins.resize(count as usize, Origin::Passing);
        of_any.clear();
        of_any.extend((0..).zip(&*stale).filter(|(_, lanes)| **lanes != 0).map(|(batch, _)| batch));
    }

    /// Tells the shapes of these pairs where they are after a share of the step.
    fn place_anew(&self, crew: &mut Crew<'_>, (search, renewal): (&mut RigidSearch, &mut Renewal), share: f64) {
        let Renewal { pairs, shapes, .. } = renewal;
        shapes.clear();
        shapes.resize(search.placed.len(), false);
        pairs.iter().flatten().for_each(|&shape| shapes[shape as usize] = true);
        let first = self.plan.shapes.len();
        let (all, shapes) = (Shared::new(&mut search.placed), &*shapes);
        self.common.each(crew, Phase::RigidSearch, shapes.len().div_ceil(SHAPES), |block| {
            let some = shapes.iter().enumerate().skip(block * SHAPES).take(SHAPES);
            for (number, _) in some.filter(|(_, of_pair)| **of_pair) {
                // SAFETY: a block's shapes are this closure's alone.
                let placed: &mut Placed = unsafe { &mut all.part(number, 1)[0] };
                (placed.at, placed.centre) = match number.checked_sub(first) {
                    None => {
                        let of = &self.plan.shapes[number];
                        let motion = &self.state.motions[of.body as usize];
                        let pose = Pose { position: motion.position, rotation: motion.rotation };
                        (pose.place(&of.pose), motion.position)
                    }
                    Some(number) => {
                        let c = self.plan.colliders[number].collider as usize;
                        let at = self.from[c].between(&self.to[c], share);
                        (at, at.position)
                    }
                };
                placed.axes = placed.at.axes();
            }
        });
    }

    /// Puts what was found of surfaces to the contacts that go on with it: the two that are nearest, and so on.
    fn align(&self, (search, renewal): (&RigidSearch, &mut Renewal), rows: &[BodyRow], batches: &[Batch]) {
        for (&start, of_pair) in renewal.contacts.iter().zip(renewal.firsts.windows(2)) {
            let [first, end] = [of_pair[0] as usize, of_pair[1] as usize];
            if end - first == 1 {
                continue;
            }
            let mut found = [Manifold::NONE; PATCHES];
            found.copy_from_slice(&renewal.manifolds[first..end]);
            renewal.manifolds[first..end].fill(Manifold::NONE);
            let mut open = [true; PATCHES];
            let start = start as usize;
            let contacts = &search.contacts[start..start + usize::from(search.contacts[start].patches)];
            for _ in contacts {
                let mut best: Option<(usize, usize, f32)> = None;
                for (k, contact) in contacts.iter().enumerate().filter(|&(k, _)| open[k]) {
                    let (batch, lane) = search.places[start + k];
                    let [normal, middle] = batches[batch as usize].place(lane as usize);
                    for (of, manifold) in found.iter().enumerate().filter(|(_, manifold)| manifold.count > 0) {
                        let now = self.contact(contact, &search.placed, rows, (manifold, Kept::default()));
                        let share = 1.0 / manifold.count as f32;
                        let points = now.arms[..manifold.count].iter();
                        let at = points.fold(V3::zero(), |sum, [a, _]| sum + *a * share);
                        // A metre counts as a turn by 1 rad.
                        let away = (at - middle).length_squared() + (now.normal - normal).length_squared();
                        if best.is_none_or(|(_, _, least)| away < least) {
                            best = Some((k, of, away));
                        }
                    }
                }
                let Some((k, of, _)) = best else { break };
                open[k] = false;
                let to = renewal.fresh[start + k] as usize;
                renewal.manifolds[to] = std::mem::replace(&mut found[of], Manifold::NONE);
            }
        }
    }

    /// Puts them into the lanes of those that no longer hold.
    fn refill(
        &self,
        crew: &mut Crew<'_>,
        (search, renewal): (&mut RigidSearch, &Renewal),
        rows: &[BodyRow],
        batches: &mut [Batch],
    ) {
        let RigidSearch { placed, contacts, lanes, manifolds, origins, .. } = search;
        let (placed, contacts, lanes) = (&**placed, &**contacts, &**lanes);
        let (all, manifolds, origins) = (Shared::new(batches), Shared::new(manifolds), Shared::new(origins));
        self.common.each(crew, Phase::RigidSearch, renewal.batches.len().div_ceil(BLOCK), |block| {
            let mut near = [(FoundContact::NONE, Manifold::NONE, 0); BATCH];
            for &number in renewal.batches.iter().skip(block * BLOCK).take(BLOCK) {
                let number = number as usize;
                // SAFETY: a batch is once in the list, so it is this closure's alone.
                let batch = unsafe { &mut all.part(number, 1)[0] };
                batch.begin_renewal();
                let stale = renewal.stale[number];
                let there = || {
                    let of_batch = lanes[number].iter().map(|contact| *contact as usize).enumerate();
                    of_batch.filter(|&(lane, contact)| contact != NO_CONTACT as usize && stale & 1 << lane != 0)
                };
                // All that lies far away at once: one after the other, most of the time would be waiting for it.
                for (lane, contact) in there() {
                    let fresh = renewal.fresh[contact] as usize;
                    near[lane] = (contacts[contact], renewal.manifolds[fresh], fresh);
                }
                for (lane, _) in there() {
                    let (found, fresh, place) = &near[lane];
                    // Shapes that are out of reach now may come back before the step ends.
                    if fresh.count == 0 {
                        continue;
                    }
                    // SAFETY: a manifold is that of one contact, which is in one lane.
                    let (old, origin) = unsafe {
                        let at = found.manifold as usize;
                        (&mut manifolds.part(at, 1)[0], &mut origins.part(at, 1)[0])
                    };
                    let kept = matched(fresh, &batch.kept(lane, rows, old));
                    let contact = self.contact(found, placed, rows, (fresh, kept));
                    if goes_on(batch, lane, &contact) {
                        (*old, *origin) = (*fresh, renewal.origins[*place]);
                        batch.renew(lane, &contact, rows);
                    }
                }
                batch.weigh_renewed(self.common.isa, rows);
            }
        });
    }
}

/// Whether a contact goes on with another manifold: what is in each other has to part to the side where it was, or a
/// fast body would be pushed out behind what it hits.
fn goes_on(batch: &Batch, lane: usize, fresh: &Contact<'_>) -> bool {
    let [normal, _] = batch.place(lane);
    let apart = || fresh.manifold.points().iter().all(|point| point.separation > 0.0);
    normal.dot(fresh.normal) > SAME_SIDE || !batch.presses(lane) && apart()
}
