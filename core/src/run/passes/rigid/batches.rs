//! Contacts that a search has found: in colors, sixteen a batch.

use super::find::{ContactSearch, FoundContact, Placed, RigidSearch};
use crate::run::report::Phase;
use crate::tuning::MOST_PATCHES;
use seidel_kernels::{BATCH, Lanes, Shared, V3};
use seidel_rigid::contact::{Batch, Contact, Kept, Lasts, Meeting, Segment, matched};
use seidel_rigid::manifold::{Manifold, POINTS};
use seidel_rigid::surface::PATCHES;
use seidel_rigid::{BodyRow, Shape};
use seidel_workers::Crew;

/// Batches that a worker takes at a time.
pub(super) const BLOCK: usize = 4;

/// Kinds of contacts ([`kind`]).
const KINDS: usize = 6;

/// A lane without a contact.
pub(super) const NO_CONTACT: u32 = u32::MAX;

impl ContactSearch<'_> {
    /// Lists the contacts, and fills the batches.
    pub(super) fn fill_batches(
        &self,
        crew: &mut Crew<'_>,
        search: &mut RigidSearch,
        rows: &mut Vec<BodyRow>,
        batches: &mut Vec<Batch>,
    ) {
        self.contacts(search, rows);
        let nobody = rows.len() as u32 - 1;
        let most = search.colors.iter().map(|color| color.len().div_ceil(BLOCK)).max().unwrap_or(0);
        rows.resize(rows.len() + most, BodyRow::FIXED);
        self.common.laps.lap(Phase::RigidSearch);
        self.fill(crew, search, rows, batches, nobody);
    }

    /// Lists those that touch, with what was kept of them, and gives each a color and a lane.
    fn contacts(&self, search: &mut RigidSearch, rows: &[BodyRow]) {
        let RigidSearch { pairs, firsts, manifolds, contacts, bounces, islands, .. } = search;
        contacts.clear();
        *bounces = false;
        let (before, mut at) = (&self.state.contacts, 0);
        for (pair, (&shapes, of_pair)) in (0..).zip(pairs.iter().zip(firsts.windows(2))) {
            let (first, end) = (of_pair[0] as usize, of_pair[1] as usize);
            if manifolds[first..end].iter().all(|manifold| manifold.count == 0) {
                continue;
            }
            // What moves by itself may touch what sleeps on, where it is not close: nobody gives way.
            if !islands.is_empty() && !shapes.iter().any(|&shape| rows[self.row(shape) as usize].v[3] > 0.0) {
                continue;
            }
            while before.get(at).is_some_and(|kept| kept.shapes < shapes) {
                at += 1;
            }
            let known = before[at..].iter().take_while(|kept| kept.shapes == shapes).count();
            if end - first == 1 {
                let kept = (known > 0).then_some(at as u32);
                let points = manifolds[first].count as u8;
                contacts.push(FoundContact { shapes, pair, manifold: first as u32, patches: 1, points, before: kept });
                continue;
            }
            // Each patch goes on with what was kept nearest to it.
            let mut taken = [false; PATCHES];
            let patches = manifolds[first..end].iter().filter(|manifold| manifold.count > 0).count() as u8;
            for (number, manifold) in manifolds[first..end].iter().enumerate().filter(|(_, m)| m.count > 0) {
                let mut best: Option<(usize, f32)> = None;
                for k in (0..known.min(PATCHES)).filter(|&k| !taken[k]) {
                    let places = before[at + k].points.places();
                    let away = apart(manifold, places.map(|([x, y, z], _)| V3::new(x, y, z)));
                    if best.is_none_or(|(_, least)| away < least) {
                        best = Some((k, away));
                    }
                }
                if let Some((k, _)) = best {
                    taken[k] = true;
                }
                let kept = best.map(|(k, _)| (at + k) as u32);
                let (points, manifold) = (manifold.count as u8, (first + number) as u32);
                contacts.push(FoundContact { shapes, pair, manifold, patches, points, before: kept });
            }
        }
        self.color(search, rows);
    }

    /// Colors: contacts of one share no body that moves. The first free color, in the order of the contacts; what finds
    /// none of 64 comes after all other contacts of its bodies.
    fn color(&self, search: &mut RigidSearch, rows: &[BodyRow]) {
        let RigidSearch { contacts, places, lanes, colors, used, next, color_of, filled, .. } = search;
        used.clear();
        used.resize(rows.len(), 0);
        next.clear();
        next.resize(rows.len(), 0);
        color_of.clear();
        let moves = |row: &u32| rows[*row as usize].v[3] > 0.0;
        let mut count = 0;
        for contact in &*contacts {
            let bodies = self.bodies(contact.shapes);
            let taken = bodies.iter().filter(|row| moves(row)).fold(0, |taken, &row| taken | used[row as usize]);
            let color = if taken == u64::MAX {
                let color =
                    bodies.iter().filter(|row| moves(row)).fold(64, |color: u32, &row| color.max(next[row as usize]));
                bodies.iter().filter(|row| moves(row)).for_each(|&row| next[row as usize] = color + 1);
                color
            } else {
                let color = taken.trailing_ones();
                bodies.iter().filter(|row| moves(row)).for_each(|&row| used[row as usize] |= 1 << color);
                color
            };
            count = count.max(color + 1);
            color_of.push((color, kind(contact.points, bodies.map(|row| &rows[row as usize]))));
        }
        // Contacts of each color and kind, then the first lane of each.
        filled.clear();
        filled.resize(count as usize * KINDS, 0);
        color_of.iter().for_each(|&(color, kind)| filled[color as usize * KINDS + kind] += 1);
        colors.clear();
        let mut batches = 0;
        for of_color in filled.chunks_exact_mut(KINDS) {
            let mut lane = 0;
            for of_kind in of_color {
                lane += std::mem::replace(of_kind, lane);
            }
            let end = batches + (lane as usize).div_ceil(BATCH);
            colors.push(batches..end);
            batches = end;
        }
        lanes.clear();
        lanes.resize(batches, [NO_CONTACT; BATCH]);
        places.clear();
        for (number, &(color, kind)) in color_of.iter().enumerate() {
            let next = &mut filled[color as usize * KINDS + kind];
            let at = *next as usize;
            *next += 1;
            let (batch, lane) = (colors[color as usize].start + at / BATCH, at % BATCH);
            lanes[batch][lane] = number as u32;
            places.push((batch as u32, lane as u32));
        }
    }

    /// Writes the batches.
    fn fill(
        &self,
        crew: &mut Crew<'_>,
        search: &mut RigidSearch,
        rows: &[BodyRow],
        batches: &mut Vec<Batch>,
        nobody: u32,
    ) {
        let RigidSearch { placed, lanes, colors, contacts, manifolds, bounces, .. } = search;
        batches.resize(lanes.len(), Batch::new(nobody, nobody + 1));
        let (all, placed, lanes, contacts) = (Shared::new(batches), &**placed, &*lanes, &*contacts);
        let manifolds = &*manifolds;
        self.common.in_turn(
            crew,
            Phase::RigidSearch,
            (colors.len(), |c| colors[c].len().div_ceil(BLOCK)),
            |c, block| {
                let nowhere = nobody + 1 + block as u32;
                let start = colors[c].start + block * BLOCK;
                let end = colors[c].end.min(start + BLOCK);
                let mut near = [(FoundContact::NONE, Manifold::NONE); BATCH];
                let mut before = [Kept::default(); BATCH];
                for (number, of_batch) in lanes.iter().enumerate().take(end).skip(start) {
                    // SAFETY: a block's batches are this closure's alone.
                    let batch = unsafe { &mut all.part(number, 1)[0] };
                    batch.reset(nobody, nowhere);
                    // All that lies far away at once: one after the other, most of the time would be waiting for it.
                    let there = || of_batch.iter().enumerate().filter(|(_, contact)| **contact != NO_CONTACT);
                    for (lane, &contact) in there() {
                        let found = contacts[contact as usize];
                        near[lane] = (found, manifolds[found.manifold as usize]);
                        if let Some(at) = found.before {
                            before[lane] = self.state.contacts[at as usize].points;
                        }
                    }
                    for (lane, _) in there() {
                        let (found, manifold) = &near[lane];
                        let kept = match found.before {
                            Some(_) => matched(manifold, &before[lane]).scaled(self.scale),
                            None => Kept::default(),
                        };
                        let contact = self.contact(found, placed, rows, (manifold, kept));
                        batch.set(lane, &contact, rows);
                    }
                    batch.weigh(self.common.isa, rows);
                }
            },
        );
        *bounces = batches.iter().any(Batch::bounces);
    }

    /// A contact of two shapes where they are placed: its manifold, and what was kept of it.
    pub(super) fn contact<'m>(
        &self,
        &FoundContact { shapes, patches, .. }: &FoundContact,
        placed: &[Placed],
        rows: &[BodyRow],
        (manifold, kept): (&'m Manifold, Kept),
    ) -> Contact<'m> {
        let [a, b] = shapes.map(|number| &placed[number as usize]);
        let [shape_a, shape_b] = shapes.map(|number| self.shape(number));
        let axes = &a.axes;
        let world = |p: V3<f32>| (axes[0] * p.x + axes[1] * p.y) + axes[2] * p.z;
        let way = |to: [f64; 3], from: [f64; 3]| {
            let [x, y, z] = [0, 1, 2].map(|k| (to[k] - from[k]) as f32);
            V3::new(x, y, z)
        };
        let (to_a, to_b) = (way(a.at.position, a.centre), way(a.at.position, b.centre));
        let mut arms = [[V3::zero(); 2]; POINTS];
        for (arms, point) in arms.iter_mut().zip(manifold.points()) {
            *arms = [to_a + world(point.a), to_b + world(point.b)];
        }
        let rule = self.common.plan.settings.friction_rule;
        let friction = [0, 1].map(|k| rule.of_grips().of(rule.grip(a.friction[k]), rule.grip(b.friction[k])));
        let normal = world(manifold.normal);
        // One point alone: capsules that lie along each other have two.
        let segments = match ((shape_a.segment(), shape_b.segment()), manifold.count) {
            ((Some(segment_a), Some(segment_b)), 1) => Some([
                Segment { at: to_a, half: axes[1] * segment_a[1], radius: segment_a[0] },
                Segment { at: way(b.at.position, b.centre), half: b.axes[1] * segment_b[1], radius: segment_b[0] },
            ]),
            _ => None,
        };
        let lasts = match patches {
            ..=MOST_PATCHES => Lasts::of(&Meeting {
                shapes: [shape_a, shape_b],
                balls: [a.balls, b.balls],
                origins: [to_a, way(b.at.position, a.centre)],
                offset: to_a - to_b,
                normal,
                points: manifold.count,
                aside: manifold.aside,
                still: b.way == 0.0,
                rows: [a.row, b.row].map(|row| &rows[row as usize]),
                h: self.common.h,
            }),
            _ => Lasts::FOREVER,
        };
        Contact {
            bodies: [a.row, b.row],
            normal,
            arms,
            offset: to_a - to_b,
            radii: match shape_b {
                // Its points know what rolls on it.
                Shape::Surface(_) => [0.0; 2],
                _ => [shape_a.rounding(), shape_b.rounding()],
            },
            manifold,
            kept,
            friction,
            restitution: a.restitution * b.restitution,
            resistance: [0, 1].map(|k| a.resistance[k].larger(b.resistance[k])),
            counted: self.plan.tells && [a, b].iter().any(|shape| self.plan.tells_of(shape.row)),
            lasts,
            segments,
        }
    }
}

/// The kind of a contact, by what its batch costs: all lanes have as many points as the one that has most, and read as
/// much of their bodies.
fn kind(points: u8, bodies: [&BodyRow; 2]) -> usize {
    let of_points = match points {
        ..=1 => 0,
        2 => 1,
        _ => 2,
    };
    2 * of_points + usize::from(!bodies.iter().all(|row| row.is_round()))
}

/// How far the points of a manifold are from others: the mean of what each is from the nearest, squared metres.
fn apart(manifold: &Manifold, others: impl Iterator<Item = V3<f32>> + Clone) -> f32 {
    let nearest = |p: V3<f32>| {
        others.clone().fold(f32::INFINITY, |least, other| {
            let away = (p - other).length_squared();
            if away < least { away } else { least }
        })
    };
    manifold.points().iter().fold(0.0, |sum, point| sum + nearest(point.a)) / manifold.count as f32
}
