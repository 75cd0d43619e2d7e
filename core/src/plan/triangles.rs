//! Triangles of all bodies as rows for contacts, and the tiles of particles that bound them.

use super::patch::FamilyRows;
use crate::describe::body::Body;
use crate::describe::filter::Filter;
use crate::plan::body::BodyPlan;
use crate::tuning::SPHERE_STRETCH;
use seidel_kernels::{Access, BATCH, Batches, Layout, NO_ROW, RowArrays, Rows};
use std::ops::Range;
use std::sync::Arc;

/// Triangles packed like constraints; parameters [thickness, friction as contacts keep it, restitution].
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    pub(crate) batches: Arc<Batches>,
    /// Tiles that hold a particle of batch b of `Access::Gathered`: `tiles[starts[b]..starts[b + 1]]`, ascending.
    pub(crate) tiles: Vec<u32>,
    pub(crate) starts: Vec<u32>,
    /// For each collider that does not meet all of them: the same batches, in which the others have no number for a
    /// thickness, so that they touch nothing.
    met: Vec<Option<Batches>>,
    /// Batches whose triangles all belong to bodies with a skin, which meets colliders in their place; empty without a
    /// skin.
    idle: Vec<bool>,
    /// For each batch the body whose triangles it has, or `MIXED`.
    bodies: Vec<u32>,
}

/// Stands for the body of a batch that has triangles of several.
const MIXED: u32 = u32::MAX;

impl Triangles {
    /// As a collider meets them.
    pub(crate) fn met_by(&self, collider: usize) -> &Batches {
        self.met[collider].as_ref().unwrap_or(&self.batches)
    }

    /// Whether no triangle of a batch meets a collider.
    pub(crate) fn is_idle(&self, batch: usize) -> bool {
        !self.idle.is_empty() && self.idle[batch]
    }

    /// Whether all triangles of a batch are of one body for which `off` has true.
    pub(crate) fn is_off(&self, batch: usize, off: &[bool]) -> bool {
        off.get(self.bodies[batch] as usize).copied().unwrap_or(false)
    }

    /// Whether no triangle at all does.
    pub(crate) fn meet_nothing(&self) -> bool {
        self.batches.is_empty() || (!self.idle.is_empty() && self.idle.iter().all(|idle| *idle))
    }
}

/// Of every particle the largest `|q - x|^2` that a triangle at it can have for its point q nearest to a ball's centre,
/// while its edges are no longer than [`SPHERE_STRETCH`] times their rest: a third of the longest edge's square. Rows
/// [span, 0, 0, 0].
///
/// Those of bodies that are as they were are copied from a plan before, where `before` has it and the body's first row
/// there.
pub(crate) fn spans<'a>(
    bodies: &[Arc<Body>],
    plans: &[BodyPlan],
    rows: usize,
    before: impl Fn(usize) -> Option<(&'a Rows, usize)>,
) -> Rows {
    if bodies.iter().all(|body| body.triangles.is_empty()) {
        return Rows::default();
    }
    let mut spans = Rows::zeros(rows, 0);
    for (number, (body, plan)) in bodies.iter().zip(plans).enumerate() {
        if let Some((old, first)) = before(number).filter(|(old, _)| !old.is_empty()) {
            spans[plan.start..plan.start + plan.rows].copy_from_slice(&old[first..first + plan.rows]);
            continue;
        }
        for t in body.triangles.iter() {
            let x = t.map(|v| body.positions[v as usize].map(f64::from));
            let squared =
                |i: usize, j: usize| (0..3).fold(0.0, |sum, k| sum + (x[i][k] - x[j][k]) * (x[i][k] - x[j][k]));
            let longest = squared(0, 1).max(squared(1, 2)).max(squared(2, 0));
            let span = (longest * (SPHERE_STRETCH * SPHERE_STRETCH / 3.0)) as f32;
            for &v in t {
                let row = plan.get(&spans, v as usize);
                plan.set(&mut spans, v as usize, [row[0].max(span), 0.0, 0.0, 0.0]);
            }
        }
    }
    spans
}

/// A section's while they are put in order; particles, rows and bodies are counted from its first.
pub(crate) struct Unpacked {
    at: Vec<u32>,
    rest: Vec<f32>,
    /// Of each triangle its body, and whether the body's skin meets colliders in its place.
    bodies: Vec<(u32, bool)>,
}

/// The columns beside some batches of triangles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    tiles: Vec<u32>,
    /// Of each batch where its tiles end.
    ends: Vec<u32>,
    idle: Vec<bool>,
    bodies: Vec<u32>,
}

impl Unpacked {
    /// Of bodies whose first row is `first_row`.
    pub(crate) fn new(plans: &[BodyPlan], first_row: u32) -> Unpacked {
        let (mut at, mut rest, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
        for (number, plan) in plans.iter().enumerate() {
            for t in plan.triangles.iter() {
                at.extend(t.map(|v| plan.particle(v) - first_row));
                rest.extend([plan.thickness_of(t), plan.friction_of(t), plan.restitution]);
                bodies.push((number as u32, plan.skin.is_some()));
            }
        }
        Unpacked { at, rest, bodies }
    }

    /// Particles of all triangles.
    pub(crate) fn rows(&self) -> FamilyRows<'_> {
        FamilyRows { slots: 3, at: &self.at, shared: &[] }
    }

    /// `tile_of[p]` is the tile of particle p, for all particles of a body.
    pub(crate) fn pack(self, lane_maps: &[[u32; BATCH]], layouts: &[Layout], tile_of: &[u32]) -> (Batches, Beside) {
        let soft = vec![0.0; self.bodies.len()];
        let arrays = RowArrays { slots: 3, params: 3, at: &self.at, rest: &self.rest, soft: &soft, shared: &[] };
        // Positions stand still while contacts are solved.
        let batches =
            Batches::pack(arrays, lane_maps, layouts, &[]).expect("bodies are checked and batches independent");
        let mut beside = Beside::default();
        for b in 0..batches.len() {
            let rows = || batches.lane_map(b).iter().filter(|row| **row != NO_ROW).map(|&row| row as usize);
            if batches.reach(b) == Access::Gathered {
                let particles = rows().flat_map(|row| &self.at[row * 3..][..3]);
                let mut of: Vec<u32> = particles.map(|&p| tile_of[p as usize]).collect();
                of.sort_unstable();
                of.dedup();
                beside.tiles.extend(of);
            }
            beside.ends.push(beside.tiles.len() as u32);
            let mut of = rows().map(|row| self.bodies[row].0);
            let first = of.next().unwrap_or(MIXED);
            beside.bodies.push(if of.all(|body| body == first) { first } else { MIXED });
            beside.idle.push(rows().all(|row| self.bodies[row].1));
        }
        (batches, beside)
    }
}

impl Triangles {
    /// Of sections: each with its first tile and body. `colliders` are those that they may meet.
    pub(crate) fn of(
        batches: Arc<Batches>,
        sections: impl Iterator<Item = (Beside, u32, u32)>,
        plans: &[BodyPlan],
        colliders: &[Filter],
    ) -> Triangles {
        let (mut tiles, mut starts, mut idle, mut bodies) = (Vec::new(), vec![0], Vec::new(), Vec::new());
        for (beside, first_tile, first_body) in sections {
            let first = tiles.len() as u32;
            tiles.extend(beside.tiles.iter().map(|tile| tile + first_tile));
            starts.extend(beside.ends.iter().map(|end| end + first));
            idle.extend(beside.idle);
            bodies.extend(beside.bodies.iter().map(|&body| if body == MIXED { MIXED } else { body + first_body }));
        }
        // Bodies with triangles: their first rows, and what they meet, if their skins do not in their place.
        let (mut firsts, mut filters, mut row) = (Vec::new(), Vec::new(), 0);
        for plan in plans.iter().filter(|plan| !plan.triangles.is_empty()) {
            firsts.push(row);
            filters.push(Some(plan.filter).filter(|_| plan.skin.is_none()));
            row += plan.triangles.len();
        }
        let met = |collider: &Filter| {
            let meets = |filter: &Option<Filter>| filter.is_some_and(|filter| filter.meets(*collider));
            if filters.iter().all(meets) || filters.iter().all(Option::is_none) {
                return None;
            }
            let body = |row: usize| firsts.partition_point(|first| *first <= row) - 1;
            Some(batches.with_rest(0, |row| (!meets(&filters[body(row)])).then_some(f32::NAN)))
        };
        let met = colliders.iter().map(met).collect();
        if filters.iter().all(Option::is_some) {
            idle.clear();
        }
        Triangles { batches, tiles, starts, met, idle, bodies }
    }

    /// The columns beside some of its batches, those of a section with this first tile and body.
    pub(crate) fn beside(&self, of: Range<usize>, first_tile: u32, first_body: u32) -> Beside {
        let (start, end) = (self.starts[of.start], self.starts[of.end]);
        let body = |&body: &u32| if body == MIXED { MIXED } else { body - first_body };
        Beside {
            tiles: self.tiles[start as usize..end as usize].iter().map(|tile| tile - first_tile).collect(),
            ends: self.starts[of.start + 1..=of.end].iter().map(|end| end - start).collect(),
            idle: if self.idle.is_empty() { vec![false; of.len()] } else { self.idle[of.clone()].to_vec() },
            bodies: self.bodies[of].iter().map(body).collect(),
        }
    }
}
