//! Triangles of all bodies as rows for contacts, and the tiles of particles that bound them.

use super::patch::FamilyRows;
use crate::describe::body::Body;
use crate::describe::filter::Filter;
use crate::plan::body::BodyPlan;
use crate::tuning::SPARE_STRETCH;
use seidel_kernels::{Access, BATCH, Batches, Layout, NO_ROW, RowArrays, Rows};

/// Triangles packed like constraints; parameters [thickness, friction as contacts keep it, restitution].
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    pub(crate) batches: Batches,
    /// Tiles that hold a particle of batch b of `Access::Gathered`: `tiles[starts[b]..starts[b + 1]]`, ascending.
    pub(crate) tiles: Vec<u32>,
    pub(crate) starts: Vec<u32>,
    /// For each collider that does not meet all of them: the same batches, in which the others have no number for a thickness, so
    /// that they touch nothing.
    met: Vec<Option<Batches>>,
    /// Batches whose triangles all belong to bodies with a skin, which meets colliders in their place; empty without a skin.
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

/// Of every particle the largest `|q - x|^2` that a triangle at it can have for its point q nearest to a ball's centre, while its
/// edges are no longer than [`SPARE_STRETCH`] times their rest: a third of the longest edge's square. Rows [span, 0, 0, 0].
pub(crate) fn spans(bodies: &[Body], plans: &[BodyPlan], rows: usize) -> Rows {
    if bodies.iter().all(|body| body.triangles.is_empty()) {
        return Rows::default();
    }
    let mut spans = Rows::zeros(rows, 0);
    for (body, plan) in bodies.iter().zip(plans) {
        for t in &body.triangles {
            let x = t.map(|v| body.positions[v as usize].map(f64::from));
            let squared =
                |i: usize, j: usize| (0..3).fold(0.0, |sum, k| sum + (x[i][k] - x[j][k]) * (x[i][k] - x[j][k]));
            let longest = squared(0, 1).max(squared(1, 2)).max(squared(2, 0));
            let span = (longest * (SPARE_STRETCH * SPARE_STRETCH / 3.0)) as f32;
            for &v in t {
                let row = plan.get(&spans, v as usize);
                plan.set(&mut spans, v as usize, [row[0].max(span), 0.0, 0.0, 0.0]);
            }
        }
    }
    spans
}

/// The same while they are put in order.
pub(crate) struct Unpacked {
    at: Vec<u32>,
    rest: Vec<f32>,
    /// Of each triangle's body; None if the body's skin meets colliders in its place.
    filters: Vec<Option<Filter>>,
    bodies: Vec<u32>,
}

impl Unpacked {
    pub(crate) fn new(bodies: &[Body], plans: &[BodyPlan]) -> Unpacked {
        let (mut at, mut rest, mut filters, mut of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, (body, plan)) in bodies.iter().zip(plans).enumerate() {
            for t in &body.triangles {
                at.extend(t.map(|v| plan.particle(v)));
                rest.extend([plan.thickness_of(t), plan.friction_of(t), plan.restitution]);
                filters.push(Some(plan.filter).filter(|_| plan.skin.is_none()));
                of.push(number as u32);
            }
        }
        Unpacked { at, rest, filters, bodies: of }
    }

    /// Particles of all triangles.
    pub(crate) fn rows(&self) -> FamilyRows<'_> {
        FamilyRows { slots: 3, at: &self.at, shared: &[] }
    }

    /// `tile_of[p]` is the tile of particle p, for all particles of a body; `colliders` are those that they may meet.
    pub(crate) fn pack(
        self,
        lane_maps: &[[u32; BATCH]],
        layouts: &[Layout],
        tile_of: &[u32],
        colliders: &[Filter],
    ) -> Triangles {
        let soft = vec![0.0; self.at.len() / 3];
        let pack = |rest: &[f32]| {
            let arrays = RowArrays { slots: 3, params: 3, at: &self.at, rest, soft: &soft, shared: &[] };
            // Positions stand still while contacts are solved.
            Batches::pack(arrays, lane_maps, layouts, &[]).expect("bodies are checked and batches independent")
        };
        let met = |collider: &Filter| {
            let meets = |filter: &Option<Filter>| filter.is_some_and(|filter| filter.meets(*collider));
            if self.filters.iter().all(meets) || self.filters.iter().all(Option::is_none) {
                return None;
            }
            let mut rest = self.rest.clone();
            let others = self.filters.iter().zip(rest.chunks_exact_mut(3));
            others.filter(|(filter, _)| !meets(filter)).for_each(|(_, rest)| rest[0] = f32::NAN);
            Some(pack(&rest))
        };
        let (met, batches) = (colliders.iter().map(met).collect(), pack(&self.rest));
        let (mut tiles, mut starts) = (Vec::new(), vec![0]);
        for b in 0..batches.len() {
            if batches.reach(b) == Access::Gathered {
                let rows = batches.lane_map(b).iter().filter(|row| **row != NO_ROW);
                let particles = rows.flat_map(|&row| &self.at[row as usize * 3..][..3]);
                let mut of: Vec<u32> = particles.map(|&p| tile_of[p as usize]).collect();
                of.sort_unstable();
                of.dedup();
                tiles.extend(of);
            }
            starts.push(tiles.len() as u32);
        }
        let idles = |b: usize| {
            batches.lane_map(b).iter().filter(|row| **row != NO_ROW).all(|&row| self.filters[row as usize].is_none())
        };
        let body_of = |b: usize| {
            let mut of = batches.lane_map(b).iter().filter(|row| **row != NO_ROW).map(|&row| self.bodies[row as usize]);
            let first = of.next().unwrap_or(MIXED);
            if of.all(|body| body == first) { first } else { MIXED }
        };
        let bodies = (0..batches.len()).map(body_of).collect();
        let skinned = self.filters.iter().any(Option::is_none);
        let idle = (0..if skinned { batches.len() } else { 0 }).map(idles).collect();
        Triangles { batches, tiles, starts, met, idle, bodies }
    }
}
