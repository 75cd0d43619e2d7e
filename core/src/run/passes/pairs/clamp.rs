//! Displacement clamp: shortens displacements that lead through another feature.
//!
//! A pair that may meet gets a plane between its features. The plane stands still or moves with the common motion. Each
//! of the pair's particles stays on its side of the plane: its displacement is shortened until it ends there, whatever
//! the others do. Shortening keeps a particle on its side of all its planes: its start, moved by the common motion, is
//! on that side, and so is the whole line from there to an end on that side. So one pass is enough for the pairs that
//! have a plane. A pair that was shown to stay apart may not be so after one of its particles was clamped; it is looked
//! at again, and gets a plane if needed. In the end every pair has a plane, or was shown to stay apart with the
//! displacements that its particles really make.
//!
//! Rows that a collider carries along go with its rigid motion, and so do the planes between them: what is said above
//! of a common motion holds for them in the collider's frame (core/src/run/passes/pairs/carry.rs).
//!
//! Kinematic rows (an obstacle's vertices, moving pins) carry their planes with them
//! (core/src/run/passes/pairs/push.rs), and push along particles that would end behind such a plane.

use super::cache::PairCache;
use super::carry::{Carriers, NONE};
use super::push::{Field, Sides};
use crate::plan::surfaces::Surfaces;
use seidel_kernels::contact::pairs::sure::{self, Four};
use seidel_kernels::contact::pairs::{Features, Nearest, Pair};
use seidel_kernels::{Row, V3};

/// Particles whose displacements are shortened or lengthened at the end of a substep.
#[derive(Debug, Default)]
pub(crate) struct DisplacementClamp {
    /// For each row, the share of its displacement that it keeps; 1 if it is not clamped.
    share: Vec<f32>,
    /// For each clamped row, where it would have ended.
    full: Vec<Row>,
    /// The clamped rows.
    rows: Vec<u32>,
    /// Rows clamped in the last pass; a row may stand there twice.
    pub(crate) now: Vec<u32>,
    /// For each row, the number of clamped rows when its triangles were last found to be outside of colliders: while
    /// that number is the same, nothing near the row has changed.
    pub(crate) seen: Vec<u32>,
    /// For each row, what pushes it along.
    pushed: Vec<KinematicPush>,
    /// The rigid motion of the fixed particles of some clusters.
    fields: Vec<(u32, Field)>,
    /// Pairs with a kinematic feature that were not proved apart when they were last looked at; a pair may stand there
    /// twice.
    pushed_pairs: Vec<(Features, Pair)>,
    /// The same of pairs that are carried along.
    carried_pairs: Vec<(Features, Pair)>,
    /// For each row, the group of colliders that carries it along; `NONE` if none does.
    carrier: Vec<u32>,
    pub(super) carriers: Carriers,
    /// Groups of colliders that would have to carry the same, or, beside `NONE`, what cannot be carried.
    conflicts: Vec<[u32; 2]>,
    /// For each row, the share of its displacement that it kept in the last substep, and the rows of which that is less
    /// than 1.
    kept: Vec<f32>,
    kept_rows: Vec<u32>,
}

/// How a row is pushed along.
#[derive(Clone, Copy, Debug, PartialEq)]
struct KinematicPush {
    /// 1 if a fixed row pushes it, 2 if a row of rank 1 does, and so on; `FREE` if nothing pushes it.
    rank: u8,
    /// One of the fixed rows that push it, directly or through others.
    leader: Option<u32>,
    /// Whether it moves with the rigid motion of the leader and its fixed neighbours, not only as far as it must.
    along: bool,
}

const FREE: u8 = u8::MAX;
const UNSEEN: u32 = u32::MAX;
const NOT_PUSHED: KinematicPush = KinematicPush { rank: FREE, leader: None, along: false };

/// After `PASSES` passes every pair in doubt gets a plane. After `LAST` passes particles that would cross it keep only
/// the common motion.
const PASSES: u32 = 8;
const LAST: u32 = 32;
/// After `STOP` passes nothing is pushed along any more.
const STOP: u32 = 64;
/// Part of the gap between two features that a plane leaves free.
const CLEARANCE: f64 = 0.1;
/// How much farther than needed particles are pushed, as a part of the least distance.
const ROUNDINGS: f64 = 0.1;
/// Part of a pair's reach: features that are nearer than this come no nearer.
const LEAST: f32 = 0.01;

/// Displacements of particles in a substep.
pub(crate) struct Displacements<'a> {
    pub(crate) start: &'a [Row],
    pub(crate) end: &'a mut [Row],
    /// The translation that all of them share, metres.
    pub(crate) common: [f32; 3],
    /// The least distance of two features, metres: the rounding of coordinates.
    pub(crate) least: f32,
}

impl Displacements<'_> {
    /// Whether a row is kinematic: its inverse mass is 0, and it moves.
    fn is_kinematic(&self, row: u32) -> bool {
        let (start, end) = (self.start[row as usize], self.end[row as usize]);
        start[3] <= 0.0 && start[..3] != end[..3]
    }
}

impl DisplacementClamp {
    /// Begins the clamping of a substep with `rows` rows, of which none is clamped.
    pub(crate) fn begin(&mut self, rows: usize) {
        for row in self.rows.drain(..) {
            self.share[row as usize] = 1.0;
            self.pushed[row as usize] = NOT_PUSHED;
            self.seen[row as usize] = UNSEEN;
            self.carrier[row as usize] = NONE;
        }
        self.share.resize(rows, 1.0);
        self.full.resize(rows, [0.0; 4]);
        self.pushed.resize(rows, NOT_PUSHED);
        self.seen.resize(rows, UNSEEN);
        self.carrier.resize(rows, NONE);
        self.now.clear();
        self.fields.clear();
        self.pushed_pairs.clear();
        self.carried_pairs.clear();
        self.carriers.clear();
        self.conflicts.clear();
        self.kept.resize(rows, 1.0);
    }

    /// Ends a substep: keeps the shares of clamped rows for the next.
    pub(super) fn keep(&mut self) {
        self.forget();
        let DisplacementClamp { share, rows, kept, kept_rows, .. } = self;
        kept_rows.extend(rows.iter().filter(|&&row| share[row as usize] < 1.0));
        kept_rows.iter().for_each(|&row| kept[row as usize] = share[row as usize]);
    }

    /// Forgets what was clamped in the last substep.
    pub(super) fn forget(&mut self) {
        self.kept_rows.drain(..).for_each(|row| self.kept[row as usize] = 1.0);
    }

    /// Fills everything that no step may read before it writes it, as if every row had been clamped.
    pub(crate) fn poison(&mut self) {
        self.rows.clear();
        self.rows.extend(0..self.share.len() as u32);
        self.share.fill(f32::NAN);
        self.full.fill([f32::NAN; 4]);
        self.pushed.fill(KinematicPush { rank: 0, leader: Some(u32::MAX), along: true });
        self.now.resize(self.rows.len(), u32::MAX);
        self.seen.fill(0);
        self.carrier.fill(0);
        self.conflicts.push([0, NONE]);
        self.kept.fill(f32::NAN);
        self.kept_rows.clear();
        self.kept_rows.extend(0..self.kept.len() as u32);
        let still = V3::new(f64::NAN, f64::NAN, f64::NAN);
        self.fields.push((0, Field::of([[still; 2]].into_iter())));
    }

    /// Takes the rows that were clamped in the last pass. Pairs with one of them are looked at again.
    pub(crate) fn moved(&mut self) -> impl Iterator<Item = u32> {
        let DisplacementClamp { now, pushed_pairs: pushed, carried_pairs: carried, seen, .. } = self;
        now.iter().for_each(|&row| seen[row as usize] = UNSEEN);
        if !pushed.is_empty() || !carried.is_empty() {
            now.sort_unstable();
            let stays = |(_, pair): &(Features, Pair)| pair.rows.iter().all(|row| now.binary_search(row).is_err());
            pushed.retain(stays);
            carried.retain(stays);
        }
        now.drain(..)
    }

    /// Number of pairs with a kinematic row, or one that is pushed along, whose features pass through each other with
    /// the ends as they are now.
    pub(crate) fn crossed(&mut self, displacements: &Displacements<'_>) -> usize {
        let mut pushed = std::mem::take(&mut self.pushed_pairs);
        let key = |(features, pair): &(Features, Pair)| (*features, pair.rows);
        pushed.sort_unstable_by_key(key);
        pushed.dedup_by_key(|of| key(of));
        let count = pushed.iter().filter(|(features, pair)| self.goes_through(*pair, *features, displacements)).count();
        self.pushed_pairs = pushed;
        count
    }

    /// Looks at the pairs in doubt of a cache, and moves the ends of those that must be clamped.
    pub(crate) fn look(
        &mut self,
        cache: &mut PairCache,
        surfaces: &Surfaces,
        pass: u32,
        displacements: &mut Displacements<'_>,
    ) {
        for batch in 0..cache.lists.doubtful.len() {
            let mut lanes = cache.lists.doubtful[batch];
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let has_plane = cache.lists.planes[batch] >> lane & 1 != 0;
                let (pair, features) = (cache.lists.batches.pair(batch, lane), cache.lists.batches.features(batch));
                // A kinematic row may have left its side of a plane; a row that was shortened since may have left its
                // side of a moving plane.
                let moves = pair.rows.iter().any(|&row| displacements.is_kinematic(row))
                    || self.is_pushed(&pair.rows)
                    || self.is_carried(&pair.rows);
                if has_plane && (pass > STOP || !moves) {
                    if self.is_carried(&pair.rows) {
                        self.carried_pairs.push((features, pair));
                    }
                    continue;
                }
                if self.part(pair, features, surfaces, pass, displacements) {
                    cache.lists.planes[batch] |= 1 << lane;
                }
            }
        }
    }

    /// The share of its displacement, relative to the common motion, that a row keeps.
    pub(crate) fn share(&self, row: u32) -> f32 {
        self.share[row as usize]
    }

    /// The clamped rows, and the share of its displacement, relative to the common motion, that each keeps.
    pub(crate) fn shares(&self) -> impl ExactSizeIterator<Item = (usize, f32)> {
        self.rows.iter().map(|&row| (row as usize, self.share[row as usize]))
    }

    /// The share of its displacement that each row kept in the last substep: 1 of those that were pushed along. Empty
    /// if none was clamped.
    pub(super) fn kept(&self) -> &[f32] {
        if self.kept_rows.is_empty() { &[] } else { &self.kept }
    }

    /// Whether one of some rows is pushed along.
    pub(crate) fn is_pushed(&self, rows: &[u32]) -> bool {
        rows.iter().any(|&row| self.pushed[row as usize].rank < FREE)
    }

    /// Lets colliders carry a row along.
    pub(super) fn carry(&mut self, (row, carrier): (u32, u32), displacements: &Displacements<'_>) {
        self.note(row, displacements);
        self.carrier[row as usize] = carrier;
    }

    /// Whether one of some rows is carried along.
    fn is_carried(&self, rows: &[u32]) -> bool {
        self.carrier(rows).is_some()
    }

    /// The group of colliders that carries one of some rows along.
    pub(super) fn carrier(&self, rows: &[u32]) -> Option<u32> {
        if self.carriers.motions.is_empty() {
            return None;
        }
        rows.iter().map(|&row| self.carrier[row as usize]).find(|&collider| collider != NONE)
    }

    /// The rows that are carried along, with what carries them.
    pub(super) fn all_carried(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rows.iter().map(|&row| (row, self.carrier[row as usize])).filter(|(_, collider)| *collider != NONE)
    }

    /// Groups of colliders that would have to carry the same, or, beside `NONE`, what is fixed or what an obstacle
    /// pushes, or what would meet.
    pub(super) fn conflicts(&self, displacements: &Displacements<'_>) -> impl Iterator<Item = [u32; 2]> {
        self.conflicts.iter().copied().chain(self.meeting(displacements).map(|carrier| [carrier, NONE]))
    }

    /// The clamped rows that are neither pushed nor carried along.
    pub(super) fn all_held(&self) -> impl Iterator<Item = u32> {
        let held = |row: &u32| self.pushed[*row as usize].rank == FREE && self.carrier[*row as usize] == NONE;
        self.rows.iter().copied().filter(held)
    }

    /// The groups of colliders whose carried pairs may meet.
    fn meeting(&self, displacements: &Displacements<'_>) -> impl Iterator<Item = u32> {
        let meets = |&&(features, pair): &&(Features, Pair)| {
            let a = sure::four(pair.rows.map(|row| displacements.start[row as usize]));
            let b = sure::four(pair.rows.map(|row| displacements.end[row as usize]));
            let near = Nearest::of(a, features);
            // Rows that go with one collider and do nothing else do not meet: only roundings may be in doubt.
            let is_rigid = pair.rows.iter().all(|&row| self.share(row) <= 0.0);
            let turned = || self.carriers.turned(self.carrier[pair.rows[0] as usize], near.n, a[0]);
            let is_apart = || turned().is_some_and(|n| sure::clearance(b, n, features) > 0.0);
            let least = f64::from(displacements.least).min(near.distance * CLEARANCE);
            !(stay_apart(a, b, features, least) || (is_rigid && is_apart()))
        };
        let carriers = |(_, pair): &(Features, Pair)| pair.rows.map(|row| self.carrier[row as usize]);
        self.carried_pairs.iter().filter(meets).flat_map(carriers).filter(|collider| *collider != NONE)
    }

    /// The displacement that a row has in common with what is around it, metres: that of the collider that carries it.
    pub(super) fn base(&self, row: u32, displacements: &Displacements<'_>) -> [f32; 3] {
        let carrier = self.carrier[row as usize];
        if carrier == NONE {
            return displacements.common;
        }
        let [x, y, z, _] = displacements.start[row as usize];
        let V3 { x, y, z } = self.carriers.way(carrier, V3::set([x, y, z].map(f64::from)));
        [x, y, z].map(|x| x as f32)
    }

    /// Lets all of some rows be carried along by what carries one of them. Returns whether that can be.
    pub(super) fn join(&mut self, rows: &[u32], displacements: &mut Displacements<'_>) -> bool {
        let carriers = || rows.iter().map(|&row| self.carrier[row as usize]).filter(|&carrier| carrier != NONE);
        let Some(carrier) = carriers().min() else { return false };
        let fixed = |&row: &u32| displacements.end[row as usize][3] <= 0.0 || self.pushed[row as usize] != NOT_PUSHED;
        let conflict = carriers().find(|&other| other != carrier).or(rows.iter().any(fixed).then_some(NONE));
        if let Some(other) = conflict {
            if !self.conflicts.contains(&[carrier, other]) {
                self.conflicts.push([carrier, other]);
            }
            return false;
        }
        for &row in rows {
            if self.carrier[row as usize] == carrier {
                continue;
            }
            self.note(row, displacements);
            self.carrier[row as usize] = carrier;
            if self.share[row as usize] < 1.0 {
                self.place(row, displacements);
            }
        }
        true
    }

    /// The rows that are pushed along.
    pub(super) fn all_pushed(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().copied().filter(|&row| self.pushed[row as usize].rank < FREE)
    }

    /// Where a row would end without the clamp.
    pub(super) fn full(&self, row: u32, displacements: &Displacements<'_>) -> Row {
        if self.is_free(row) { displacements.end[row as usize] } else { self.full[row as usize] }
    }

    /// Whether nothing is done to a row.
    fn is_free(&self, row: u32) -> bool {
        let at = row as usize;
        self.share[at] == 1.0 && self.pushed[at] == NOT_PUSHED && self.carrier[at] == NONE
    }

    /// How far the clamp has moved the end of a row, metres, if the row is pushed or carried along.
    pub(crate) fn further(&self, row: usize, end: &[Row]) -> Option<[f32; 3]> {
        (self.pushed[row].rank < FREE || self.carrier[row] != NONE)
            .then(|| std::array::from_fn(|k| end[row][k] - self.full[row][k]))
    }

    /// Puts a plane between a pair's features unless these surely stay apart. Returns whether it has.
    fn part(
        &mut self,
        pair: Pair,
        features: Features,
        surfaces: &Surfaces,
        pass: u32,
        displacements: &mut Displacements<'_>,
    ) -> bool {
        let a = sure::four(pair.rows.map(|row| displacements.start[row as usize]));
        let b = sure::four(pair.rows.map(|row| displacements.end[row as usize]));
        let finite = |x: &Four| x.iter().all(|x| x.length_squared().is_finite());
        if !finite(&a) || !finite(&b) {
            return false;
        }
        let carried = self.is_carried(&pair.rows);
        let near = Nearest::of(a, features);
        // Features that are nearer than a rounding come no nearer: a pair may stay apart by less than it did, substep
        // after substep, and the roundings of positions would end that below zero.
        let least = f64::from(displacements.least).min(near.distance);
        let pushed = self.is_pushed(&pair.rows) || pair.rows.iter().any(|&row| displacements.is_kinematic(row));
        if (pass < PASSES || pushed || carried) && stay_apart(a, b, features, least) {
            return false;
        }
        let mut b = b;
        if carried {
            self.carried_pairs.push((features, pair));
            if !self.join(&pair.rows, displacements) {
                return true;
            }
            // Rows that have joined may end elsewhere.
            b = sure::four(pair.rows.map(|row| displacements.end[row as usize]));
        } else if pushed {
            self.pushed_pairs.push((features, pair));
            if pass < STOP {
                let sides = self.sides(pair, features, (a, near.n), displacements);
                self.push_along(&PushedPair { rows: pair.rows, near, a, b, sides }, surfaces, pass, displacements);
            }
            return true;
        }
        let Sides { first, front, plane, clearance, .. } = self.sides(pair, features, (a, near.n), displacements);
        let mut shortened = false;
        for k in 0..4 {
            let side = if k < first { 1.0 } else { -1.0 };
            let room = (side * (front[k] - plane) - clearance).max(0.0);
            let base = V3::set(self.base(pair.rows[k], displacements).map(f64::from));
            let approach = -side * ((b[k] - a[k]) - base).dot(near.n);
            if approach > room && !(carried && self.share(pair.rows[k]) <= 0.0) {
                self.shorten(pair.rows[k], if pass < LAST { room / approach } else { 0.0 }, displacements);
                shortened = true;
            }
        }
        // The plane of a pair that is carried along turns with it.
        for row in pair.rows.into_iter().filter(|_| carried && !shortened) {
            if self.share(row) > 0.0 {
                self.shorten(row, if pass < PASSES { 0.5 } else { 0.0 }, displacements);
            }
        }
        true
    }

    /// A pair's positions along `n`, with the plane half way between the hindmost particle of the first feature and the
    /// foremost of the second.
    fn sides(
        &self,
        pair: Pair,
        features: Features,
        (a, n): (Four, V3<f64>),
        displacements: &Displacements<'_>,
    ) -> Sides {
        let first = if features == Features::PointTriangle { 1 } else { 2 };
        let front = a.map(|x| x.dot(n));
        let foremost = (first..4).fold(f64::NEG_INFINITY, |most, k| front[k].max(most));
        let hindmost = (0..first).fold(f64::INFINITY, |least, k| front[k].min(least));
        let plane = 0.5 * (foremost + hindmost);
        // Features that nearly touch come no nearer: halving the gap again and again would end below a rounding.
        let gap = (hindmost - foremost).max(0.0);
        let clearance = 0.5
            * (CLEARANCE * gap).max(gap.min(f64::from(LEAST) * f64::from(pair.reach) + f64::from(displacements.least)));
        let rank =
            |row: u32| if displacements.start[row as usize][3] <= 0.0 { 0 } else { self.pushed[row as usize].rank };
        Sides { first, ranks: pair.rows.map(rank), front, plane, clearance }
    }

    /// Whether a pair with a kinematic row, or one that is pushed along, meets after all: it is not sure to stay apart,
    /// and the plane between its features does not separate them at the end.
    fn goes_through(&self, pair: Pair, features: Features, displacements: &Displacements<'_>) -> bool {
        let a = sure::four(pair.rows.map(|row| displacements.start[row as usize]));
        let b = sure::four(pair.rows.map(|row| displacements.end[row as usize]));
        let near = Nearest::of(a, features);
        if stay_apart(a, b, features, f64::from(displacements.least).min(near.distance * CLEARANCE)) {
            return false;
        }
        let sides = Sides { clearance: 0.0, ..self.sides(pair, features, (a, near.n), displacements) };
        let way = sides.way(b.map(|x| x.dot(near.n)));
        // A fixed row lies where the plane is, up to rounding.
        let rounding = f64::from(displacements.least) * ROUNDINGS;
        let behind = |k: usize| sides.side(k) * (way - (b[k] - a[k]).dot(near.n)) - sides.room(k);
        (0..4).any(|k| behind(k) > rounding)
    }

    /// Moves a pair's plane with the rows that drive it, and moves the free particles of the pair to their side of it.
    fn push_along(&mut self, pair: &PushedPair, surfaces: &Surfaces, pass: u32, displacements: &mut Displacements<'_>) {
        let PushedPair { rows, near, a, b, sides } = pair;
        let way = sides.way(b.map(|x| x.dot(near.n)));
        let pusher = sides.pusher();
        // The rows whose leader the particles follow if pushing has not been enough.
        let leads = (0..4).filter(|&k| pusher.is_none_or(|side| side == sides.side(k)) && sides.ranks[k] < FREE);
        let lead = leads.min_by_key(|&k| sides.ranks[k]);
        let leader =
            lead.and_then(|k| if sides.ranks[k] == 0 { Some(rows[k]) } else { self.pushed[rows[k] as usize].leader });
        for k in 0..4 {
            let at = rows[k] as usize;
            if displacements.end[at][3] <= 0.0 {
                continue;
            }
            let (side, room) = (sides.side(k), sides.room(k));
            let behind = |end: V3<f64>| side * (way - (end - a[k]).dot(near.n)) - room;
            if behind(b[k]) <= 0.0 && pass < LAST {
                continue;
            }
            if pass < PASSES && sides.ranks[k] == FREE && side * way <= room {
                // The plane does not reach the particle's start: a part of the displacement is enough.
                let rest = room - side * way;
                self.shorten(rows[k], rest / (behind(b[k]) + rest), displacements);
                continue;
            }
            let KinematicPush { rank, leader: own, along } = self.pushed[at];
            let (rank, leader) = (rank.min((sides.least() + 1).min(FREE - 1)), own.or(leader));
            // Pushed again and again: it moves with the leader's neighbours, from `LAST` on without any further push.
            let goes = leader.filter(|_| pass >= LAST || (pass >= PASSES && !along));
            let end = goes.map_or(b[k], |leader| a[k] + self.field(leader, surfaces, displacements).at(a[k]));
            let push =
                if pass < LAST { behind(end).max(0.0) + f64::from(displacements.least) * ROUNDINGS } else { 0.0 };
            let along = along || goes.is_some();
            self.push(rows[k], end + near.n * (side * push), KinematicPush { rank, leader, along }, displacements);
        }
    }

    /// The rigid motion of a fixed row and its fixed neighbours.
    fn field(&mut self, row: u32, surfaces: &Surfaces, displacements: &Displacements<'_>) -> Field {
        let clusters = surfaces.clusters_of(row);
        let known = self.fields.iter().find(|(cluster, _)| clusters.first() == Some(cluster));
        if let Some((_, field)) = known {
            return *field;
        }
        let rows = clusters.first().map_or(&[][..], |&first| surfaces.rows(&surfaces.clusters[first as usize]));
        let fixed = rows.iter().map(|&row| row as usize).filter(|&row| displacements.start[row][3] <= 0.0);
        let place = |[x, y, z, _]: Row| V3::new(f64::from(x), f64::from(y), f64::from(z));
        let field = Field::of(fixed.map(|row| [place(displacements.start[row]), place(displacements.end[row])]));
        self.fields.extend(clusters.first().map(|&first| (first, field)));
        field
    }

    /// Moves the end of a row that is pushed along to `end`.
    fn push(&mut self, row: u32, end: V3<f64>, taken: KinematicPush, displacements: &mut Displacements<'_>) {
        let at = row as usize;
        let [x, y, z] = [end.x, end.y, end.z].map(|c| c as f32);
        // Ends that are not finite in f32 are left alone.
        if !(x.is_finite() && y.is_finite() && z.is_finite()) {
            return;
        }
        self.note(row, displacements);
        self.pushed[at] = taken;
        self.now.push(row);
        displacements.end[at][..3].copy_from_slice(&[x, y, z]);
    }

    /// Shortens a row's displacement, relative to the common motion, to `part` of what it was. Kinematic rows follow
    /// their path.
    pub(crate) fn shorten(&mut self, row: u32, part: f64, displacements: &mut Displacements<'_>) {
        let at = row as usize;
        if displacements.end[at][3] <= 0.0 {
            return;
        }
        self.note(row, displacements);
        // Rounded towards the start.
        let share = (f64::from(self.share[at]) * part) as f32 * (1.0 - 2.0 * f32::EPSILON);
        self.share[at] = share.max(0.0);
        self.place(row, displacements);
    }

    /// Notes where a row would end if nothing is done to it so far.
    fn note(&mut self, row: u32, displacements: &Displacements<'_>) {
        if self.is_free(row) {
            self.rows.push(row);
            self.full[row as usize] = displacements.end[row as usize];
        }
    }

    /// Moves the end of a row to where its share of its displacement leads.
    fn place(&mut self, row: u32, displacements: &mut Displacements<'_>) {
        let at = row as usize;
        let (start, full, base, share) =
            (displacements.start[at], self.full[at], self.base(row, displacements), self.share[at]);
        self.now.push(row);
        for k in 0..3 {
            displacements.end[at][k] = start[k] + (base[k] + ((full[k] - start[k]) - base[k]) * share);
        }
    }
}

/// A pair with a kinematic row, or one that is pushed along.
struct PushedPair {
    rows: [u32; 4],
    near: Nearest<f64>,
    a: Four,
    b: Four,
    sides: Sides,
}

/// Whether two features surely stay apart: along the direction of the nearest points at the end, or by conservative
/// advancement.
fn stay_apart(a: Four, b: Four, features: Features, least: f64) -> bool {
    let n = Nearest::of(b, features).n;
    let along = sure::clearance(a, n, features).min(sure::clearance(b, n, features));
    along > least || !sure::meet(a, b, features, least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cloth, Collide, Plan, Scene};

    /// A point is pressed against a triangle in one substep after another. It once came nearer by a tenth of what was
    /// left each time, until the roundings of positions took it through: `layers` with 100 vertices a side had six
    /// pairs of crossing triangles.
    #[test]
    fn what_is_pressed_stays_farther_apart_than_roundings() {
        let mut scene = Scene::new();
        scene.add(Cloth::grid([2, 2], [1.0, 1.0]).collide(Collide::All));
        let plan = Plan::new(&scene).expect("a sound scene");
        let surfaces = plan.surfaces.as_ref().expect("it touches itself");
        let pair = Pair { rows: [0, 1, 2, 3], reach: 0.008, friction: 0.0 };
        let least: f32 = 3e-6;
        let mut start: Vec<Row> =
            vec![[0.3, 1e-4, 0.3, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]];
        let mut clamp = DisplacementClamp::default();
        for pass in [1e-3, 0.9, 0.99, 0.999, 0.9, 0.99].into_iter().cycle().take(60) {
            let mut end = start.clone();
            // Down, by so much of what is left or more.
            end[0][1] -= (start[0][1] * pass).max(1e-9);
            clamp.begin(start.len());
            let mut displacements = Displacements { start: &start, end: &mut end, common: [0.0; 3], least };
            clamp.part(pair, Features::PointTriangle, surfaces, 0, &mut displacements);
            start = end;
        }
        assert!(start[0][1] > 0.9 * least, "{} m are left", start[0][1]);
    }
}
