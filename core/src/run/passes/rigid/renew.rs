//! Manifolds that no longer hold are found anew within a step, before the substep in which they are needed.
//!
//! ```text
//!  warm: stale lanes --> their pairs --> manifolds where bodies now are --> the same lanes
//! ```
//! Which pairs there are is found once a step, by how far bodies may go in it; so are colors and lanes.

use super::Rigid;
use super::batches::{BLOCK, NO_CONTACT, apart};
use super::find::{ContactSearch, FoundContact, Origin, Placed, RigidSearch};
use super::scratch::RigidScratch;
use crate::describe::pose::Pose;
use crate::run::report::Phase;
use crate::tuning::SAME_SIDE;
use seidel_kernels::{BATCH, Shared};
use seidel_rigid::BodyRow;
use seidel_rigid::contact::{Batch, matched};
use seidel_rigid::manifold::Manifold;
use seidel_rigid::surface::PATCHES;
use seidel_workers::Crew;

/// Shapes that a worker takes at a time.
const SHAPES: usize = 128;

/// Patches of a surface at most that are found anew: what three or four normals hold is wedged, and other four that are
/// as good (a ball in a ring has any four) would shake it.
const MOST_PATCHES: usize = 2;

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct Renewal {
    /// For each batch which lanes, and those that have any.
    stale: Vec<u16>,
    batches: Vec<u32>,
    /// The pairs of these lanes, ascending, and whether each shape is of one.
    pairs: Vec<u32>,
    shapes: Vec<bool>,
    /// What was found: at the places of the manifolds of the step's start.
    manifolds: Vec<Manifold>,
    origins: Vec<Origin>,
}

impl Renewal {
    pub(super) fn poison(&mut self) {
        self.stale.fill(u16::MAX);
        self.batches.fill(u32::MAX);
        self.pairs.fill(u32::MAX);
        self.shapes.fill(true);
        self.manifolds.clear();
        self.origins.fill(Origin::Passing);
    }
}

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
        let RigidSearch { placed, pairs, firsts, .. } = &*search;
        found.look(crew, (pairs, firsts, &renewal.pairs), placed, (&mut renewal.manifolds, &mut renewal.origins));
        found.align(search, renewal);
        found.refill(crew, (search, renewal), rows, batches);
    }
}

impl ContactSearch<'_> {
    /// Lists the lanes whose manifolds no longer hold, and their pairs. All patches of a surface go together.
    fn list_stale(&self, search: &RigidSearch, renewal: &mut Renewal, batches: &[Batch]) {
        let Renewal { stale, batches: of_any, pairs, manifolds, origins, .. } = renewal;
        stale.clear();
        stale.extend(batches.iter().map(|batch| match batch.is_any_stale() {
            true => (0..BATCH).fold(0, |lanes, lane| lanes | u16::from(batch.is_stale(lane)) << lane),
            false => 0,
        }));
        pairs.clear();
        let mut start = 0;
        let is_stale = |stale: &[u16], (batch, lane): (u32, u32)| stale[batch as usize] & 1 << lane != 0;
        while let Some(first) = search.contacts.get(start) {
            let of_pair = search.contacts[start..].iter().take_while(|next| next.pair == first.pair).count();
            let places = &search.places[start..start + of_pair];
            if of_pair <= MOST_PATCHES && places.iter().any(|&place| is_stale(stale, place)) {
                places.iter().for_each(|&(batch, lane)| stale[batch as usize] |= 1 << lane);
                pairs.push(first.pair);
            } else {
                places.iter().for_each(|&(batch, lane)| stale[batch as usize] &= !(1 << lane));
            }
            start += of_pair;
        }
        of_any.clear();
        of_any.extend((0..).zip(&*stale).filter(|(_, lanes)| **lanes != 0).map(|(batch, _)| batch));
        if manifolds.len() < search.manifolds.len() {
            manifolds.resize(search.manifolds.len(), Manifold::NONE);
            origins.resize(search.manifolds.len(), Origin::Passing);
        }
    }

    /// Tells the shapes of these pairs where they are after a share of the step.
    fn place_anew(&self, crew: &mut Crew<'_>, (search, renewal): (&mut RigidSearch, &mut Renewal), share: f64) {
        let Renewal { pairs, shapes, .. } = renewal;
        shapes.clear();
        shapes.resize(search.placed.len(), false);
        for &pair in &*pairs {
            search.pairs[pair as usize].iter().for_each(|&shape| shapes[shape as usize] = true);
        }
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

    /// Puts what was found of surfaces to the contacts that they go on with: the nearest.
    fn align(&self, search: &RigidSearch, renewal: &mut Renewal) {
        for &pair in &renewal.pairs {
            let [first, end] = [0, 1].map(|k| search.firsts[pair as usize + k] as usize);
            if end - first == 1 {
                continue;
            }
            let mut found = [Manifold::NONE; PATCHES];
            found.copy_from_slice(&renewal.manifolds[first..end]);
            let fresh = &mut renewal.manifolds[first..end];
            fresh.fill(Manifold::NONE);
            for (to, old) in fresh.iter_mut().zip(&search.manifolds[first..end]).filter(|(_, old)| old.count > 0) {
                let mut best: Option<(usize, f32)> = None;
                for (k, of) in found.iter().enumerate().filter(|(_, of)| of.count > 0) {
                    let away = apart(of, old.points().iter().map(|point| point.a));
                    if best.is_none_or(|(_, least)| away < least) {
                        best = Some((k, away));
                    }
                }
                if let Some((k, _)) = best {
                    *to = std::mem::replace(&mut found[k], Manifold::NONE);
                }
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
        let RigidSearch { placed, firsts, contacts, lanes, manifolds, origins, .. } = search;
        let (placed, firsts, contacts, lanes) = (&**placed, &**firsts, &**contacts, &**lanes);
        let (all, manifolds, origins) = (Shared::new(batches), Shared::new(manifolds), Shared::new(origins));
        self.common.each(crew, Phase::RigidSearch, renewal.batches.len().div_ceil(BLOCK), |block| {
            for &number in renewal.batches.iter().skip(block * BLOCK).take(BLOCK) {
                let number = number as usize;
                // SAFETY: a batch is once in the list, so it is this closure's alone.
                let batch = unsafe { &mut all.part(number, 1)[0] };
                for (lane, &contact) in lanes[number].iter().enumerate() {
                    if contact == NO_CONTACT || renewal.stale[number] & 1 << lane == 0 {
                        continue;
                    }
                    let FoundContact { shapes, pair, manifold: at, .. } = contacts[contact as usize];
                    let fresh = &renewal.manifolds[at as usize];
                    // SAFETY: a manifold is that of one contact, which is in one lane.
                    let (old, origin) =
                        unsafe { (&mut manifolds.part(at as usize, 1)[0], &mut origins.part(at as usize, 1)[0]) };
                    // A patch that no other follows stays: it may come back before the step ends.
                    let is_patch = firsts[pair as usize + 1] - firsts[pair as usize] > 1;
                    if !goes_on(old, fresh) || is_patch && fresh.count == 0 {
                        continue;
                    }
                    let kept = batch.kept(lane, rows, old);
                    (*old, *origin) = (*fresh, renewal.origins[at as usize]);
                    if fresh.count == 0 {
                        batch.leave(lane);
                        continue;
                    }
                    let contact = self.contact(shapes, placed, rows, (fresh, matched(fresh, &kept)));
                    batch.renew(lane, &contact, rows);
                }
                batch.weigh_stale(self.common.isa, rows);
            }
        });
    }
}

/// Whether a manifold goes on with another: what is in each other has to part to the side where it was, or a fast body
/// would be pushed out behind what it hits.
fn goes_on(old: &Manifold, fresh: &Manifold) -> bool {
    old.normal.dot(fresh.normal) > SAME_SIDE || fresh.points().iter().all(|point| point.separation > 0.0)
}
