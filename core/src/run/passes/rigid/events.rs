//! Contacts that begin, go on and end, and who is in a sensor: of bodies that ask for it.

use super::Rigid;
use super::find::{ContactSearch, RigidSearch};
use super::scratch::RigidScratch;
use crate::run::report::Phase;
use crate::run::rigid_events::{RigidEvent, RigidEventKind};
use crate::tuning::MAX_RIGID_EVENTS;
use std::cmp::Ordering;

impl Rigid<'_> {
    /// Tells what has changed since the last step.
    pub(super) fn tell(&mut self) {
        if self.plan.tells {
            self.touching();
            let before = std::mem::take(&mut self.state.touching);
            self.state.touching = self.compare(before, false);
        }
        if self.plan.senses {
            self.overlaps();
            let before = std::mem::take(&mut self.state.overlaps);
            self.state.overlaps = self.compare(before, true);
        }
        self.common.laps.lap(Phase::RigidContacts);
    }

    /// Lists who has touched in this step.
    fn touching(&mut self) {
        let (plan, scratch) = (self.plan, &mut *self.scratch);
        let RigidSearch { contacts, places, .. } = &scratch.search;
        let touching = &mut scratch.events.touching;
        touching.clear();
        for (found, &(batch, lane)) in contacts.iter().zip(places) {
            if let Some(total) = scratch.batches[batch as usize].total(lane as usize).filter(|total| *total > 0.0) {
                let [a, b] = found.shapes.map(|shape| plan.row(shape));
                touching.push((if a < b { [a, b] } else { [b, a] }, total));
            }
        }
        // A stable sort: impulses are added in the order of shapes.
        touching.sort_by_key(|(rows, _)| *rows);
        touching.dedup_by(|next, sum| {
            let same = next.0 == sum.0;
            sum.1 += if same { next.1 } else { 0.0 };
            same
        });
    }

    /// Lists who is in a sensor at the end of the step.
    fn overlaps(&mut self) {
        let RigidScratch { to, pushes, search, rows, events, .. } = &mut *self.scratch;
        let found =
            ContactSearch { common: self.common, plan: self.plan, state: self.state, from: to, to, pushes, scale: 1.0 };
        events.touching.clear();
        for &shapes in search.pairs.iter().filter(|shapes| shapes.iter().any(|&shape| self.plan.is_sensor(shape))) {
            if found.overlap(shapes, rows) {
                let [a, b] = shapes.map(|shape| self.plan.row(shape));
                events.touching.push((if a < b { [a, b] } else { [b, a] }, 0.0));
            }
        }
        events.touching.sort_by_key(|(rows, _)| *rows);
        events.touching.dedup_by_key(|(rows, _)| *rows);
    }

    /// Compares with who touched before; returns who touches now.
    fn compare(&mut self, before: Vec<[u32; 2]>, sensor: bool) -> Vec<[u32; 2]> {
        let now = std::mem::take(&mut self.scratch.events.touching);
        let mut touching = Vec::with_capacity(now.len());
        let (mut old, mut new) = (before.iter().copied().peekable(), now.iter().copied().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some((b, _))) => a.cmp(b),
            };
            let gone = if order == Ordering::Greater { None } else { old.next() };
            let here = if order == Ordering::Less { None } else { new.next() };
            match (gone, here) {
                // What sleeps was not looked at.
                (Some(rows), None) if !self.looked_at(rows) => touching.push(rows),
                (Some(rows), None) => self.event(RigidEventKind::End, rows, sensor, 0.0),
                (None, Some((rows, impulse))) => {
                    touching.push(rows);
                    self.event(RigidEventKind::Begin, rows, sensor, impulse);
                }
                (_, Some((rows, impulse))) => {
                    touching.push(rows);
                    self.event(RigidEventKind::Persist, rows, sensor, impulse);
                }
                (None, None) => {}
            }
        }
        self.scratch.events.touching = now;
        touching
    }

    /// Whether contacts of two rows were looked for.
    fn looked_at(&self, rows: [u32; 2]) -> bool {
        let movers = &self.scratch.search.movers;
        movers.is_empty() || rows.iter().any(|&row| movers[row as usize])
    }

    /// Notes an event.
    fn event(&mut self, kind: RigidEventKind, rows: [u32; 2], sensor: bool, impulse: f32) {
        if self.events.len() >= MAX_RIGID_EVENTS {
            self.events_dropped = self.events_dropped.saturating_add(1);
            return;
        }
        self.events.push(RigidEvent::of(self.common.plan, kind, rows, sensor, impulse));
    }
}
