//! Tethers: cloth that stays near an animated surface, and in front of what is behind it.
//!
//! Each tethered vertex has a point: where it would be if it went with the triangle of the obstacle over which it was
//! at the start.

use crate::describe::body::Body;
use crate::describe::error::Error;
use crate::plan::attachment::{Over, places};
use crate::plan::blocks::RowBlock;
use crate::plan::body::BodyPlan;
use crate::plan::obstacle::Driven;
use std::ops::Range;
use std::sync::Arc;

/// A tethered vertex of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tethered {
    pub(crate) row: usize,
    /// Which of the points.
    pub(crate) point: usize,
    pub(crate) distance: f32,
    pub(crate) behind: f32,
    pub(crate) radius: f32,
}

/// Tethered vertices of a plan, in the order of their rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllTethers {
    pub(crate) each: Vec<Tethered>,
    /// Points on obstacles.
    pub(crate) places: Vec<Over>,
    /// Blocks of rows that have any, and theirs.
    pub(crate) blocks: Vec<(usize, Range<usize>)>,
}

impl AllTethers {
    /// Those of all bodies.
    pub(crate) fn of(
        bodies: &[Arc<Body>],
        obstacles: &[Driven],
        plans: &[BodyPlan],
        blocks: &[RowBlock],
    ) -> Result<AllTethers, Error> {
        let (mut each, mut all_places) = (Vec::new(), Vec::new());
        for (body, plan) in bodies.iter().zip(plans) {
            for (i, tether) in body.tethers.iter().enumerate() {
                let of = format!("body `{}`, tether {i}", body.name);
                let positions = tether.vertices.iter().map(|&v| body.positions[v as usize]);
                let places = places(&of, positions, tether.to, (bodies, obstacles))?;
                for (at, (place, &vertex)) in places.into_iter().zip(&tether.vertices).enumerate() {
                    let (behind, radius) = match &tether.backstop {
                        Some(of) => (of.distance.get(at), of.radius.get(at)),
                        None => (0.0, f32::NAN),
                    };
                    let (row, distance) = (plan.particle(vertex) as usize, tether.max_distance.get(at));
                    each.push(Tethered { row, point: all_places.len(), distance, behind, radius });
                    all_places.push(place);
                }
            }
        }
        Ok(AllTethers::in_blocks(each, all_places, blocks))
    }

    fn in_blocks(mut each: Vec<Tethered>, places: Vec<Over>, blocks: &[RowBlock]) -> AllTethers {
        each.sort_unstable_by_key(|tethered| tethered.row);
        let of = |run: &RowBlock| {
            let first = |row: usize| each.partition_point(|tethered: &Tethered| tethered.row < row);
            first(run.run.start)..first(run.run.start + run.run.len)
        };
        let blocks = blocks.iter().map(of).enumerate().filter(|(_, of)| !of.is_empty()).collect();
        AllTethers { each, places, blocks }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        add(format!("{:?} {:?}", self.each, self.places).as_bytes());
    }
}
