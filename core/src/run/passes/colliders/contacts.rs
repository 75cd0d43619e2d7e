//! Blocks of particles, and batches of triangles, against all colliders of a substep.

use super::moving::{Bounds, Moving, traced};
use super::slacks::Slacks;
use crate::describe::collider::{Collider, Shape};
use crate::plan::Plan;
use crate::plan::blocks::RowBlock;
use crate::run::off::Off;
use crate::tuning::{HARD_PUSH, SOLID_PUSH};
use seidel_kernels::contact::{
    Back, Bounce, ParticleContacts, Pushed, SignedDistance, TriangleBounce, TriangleContacts, TriangleSolidContacts,
};
use seidel_kernels::integrate::Motion;
use seidel_kernels::tuning::HOVER;
use seidel_kernels::{Access, Isa, Lanes, Layout, Pack, Row, Shared};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bits that passes set: a triangle was pushed; a triangle or a particle was pushed far; a triangle is in a solid all
/// the same.
pub(super) const PUSHED: u32 = 1;
pub(super) const PUSHED_FAR: u32 = 2;
pub(super) const GONE_IN: u32 = 4;

/// Everything the contacts of a substep need.
#[derive(Clone, Copy)]
pub(super) struct Contacts<'a> {
    pub(super) plan: &'a Plan,
    pub(super) isa: Isa,
    pub(super) motion: Motion<'a>,
    /// Length of the substep, seconds, if something may be inside a collider at its start.
    pub(super) leaving: Option<f32>,
    pub(super) colliders: &'a [Moving],
    pub(super) boxes: Shared<'a, Bounds>,
    /// For each stage of triangles, a bound on how far contacts have pushed a corner, metres, as the bits of an f32:
    /// bits of non-negative numbers have the order of the numbers.
    pub(super) pushes: &'a [AtomicU32],
    /// Multipliers of particles, all rows for each collider; empty with a single iteration.
    pub(super) held: Shared<'a, Row>,
    /// Multipliers of triangles, four packs a batch for each collider; empty with a single iteration.
    pub(super) held_triangles: Shared<'a, Pack<f32>>,
    /// For each collider and each tile (or batch), whether its multipliers are of this substep.
    pub(super) live: Shared<'a, bool>,
    pub(super) live_triangles: Shared<'a, bool>,
    pub(super) first: bool,
    /// How far a particle has to be pushed to have taken a triangle into the thinnest solid, metres.
    pub(super) far: f32,
    /// Triangles go back that have gone into a solid, in place of being pushed.
    pub(super) back: Option<Back>,
    /// How far everything is from everything.
    pub(super) slacks: Slacks<'a>,
    pub(super) substep: usize,
    /// Where `PUSHED`, `PUSHED_FAR` and `GONE_IN` are noted.
    pub(super) pushed: &'a AtomicU32,
    /// Where pushes are recorded, all rows for each collider; empty if they are not.
    pub(super) record: Shared<'a, Row>,
    /// Where rebounds are noted, if anything bounces. Each contact sets its own restitution coefficient.
    pub(super) bounce: Option<Bounce<'a>>,
    /// The same of triangles.
    pub(super) triangle_bounce: Option<TriangleBounce<'a>>,
    /// Where contacts are counted, if they are.
    pub(super) count: Option<&'a AtomicU32>,
    pub(super) off: &'a Off,
    /// Whether any body is.
    pub(super) some_off: bool,
}

impl Contacts<'_> {
    /// Boxes around the paths of a block's tiles.
    ///
    /// # Safety
    /// Nobody else uses the block's rows and boxes meanwhile.
    pub(super) unsafe fn bound(&self, block: &RowBlock) {
        for tile in block.tiles.clone().filter(|_| block.run.layout == Layout::Rows) {
            // SAFETY: the caller promises that nobody else uses the block's rows and boxes meanwhile; tiles are of this
            // block alone.
            unsafe { self.boxes.part(tile, 1)[0] = self.motion.bounds(self.isa, self.plan.tiles[tile]) };
        }
    }

    /// Solves a patch of a stage, which is one or several cells of batches of triangles, against all colliders but
    /// planes.
    ///
    /// The kernel tests batches of whole registers itself. Gathered batches are tested by their boxes first. A push may
    /// move a triangle out of a box that was made before it, perhaps into another collider. So the search distance
    /// grows by the pushes so far: no contact is missed, and without pushes the test costs nothing more.
    ///
    /// # Safety
    /// Nobody else uses the rows of these triangles or their multipliers meanwhile; all boxes are there.
    pub(super) unsafe fn triangles(&self, stage: usize, patch: impl Iterator<Item = Range<usize>>) {
        let before =
            self.pushes[..stage].iter().fold(0.0, |sum, push| sum + f32::from_bits(push.load(Ordering::Relaxed)));
        let mut pushed = 0.0;
        for batches in patch {
            // SAFETY: the caller promises that nobody else uses the rows of these triangles or their multipliers, and
            // that all boxes are there.
            pushed += unsafe { self.triangles_of_cell(batches, before + pushed) };
        }
        self.pushes[stage].fetch_max(pushed.to_bits(), Ordering::Relaxed);
    }

    /// The batches of a cell, whose corners have been pushed by up to `before` metres out of their boxes. Returns a
    /// bound on how far this call has pushed one.
    ///
    /// # Safety
    /// As for `triangles`.
    unsafe fn triangles_of_cell(&self, batches: Range<usize>, before: f32) -> f32 {
        let all = &self.plan.triangles.batches;
        let is_idle = |b: usize| {
            self.plan.triangles.is_idle(b) || (self.some_off && self.plan.triangles.is_off(b, &self.off.bodies))
        };
        let mut pushed = 0.0;
        let mut start = batches.start;
        while start < batches.end {
            if is_idle(start) {
                start += 1;
                continue;
            }
            let boxed = all.reach(start) == Access::Gathered;
            let end = match boxed {
                true => start + 1,
                false => {
                    let ends = |b: &usize| all.reach(*b) == Access::Gathered || is_idle(*b);
                    (start..batches.end).find(ends).unwrap_or(batches.end)
                }
            };
            // SAFETY: all boxes are there, as the caller promises, and nobody writes them in a stage of triangles.
            let bounds = boxed.then(|| unsafe { self.bounds(start) });
            // SAFETY: the caller promises that nobody else uses the rows of these triangles or their multipliers
            // meanwhile; all boxes are there.
            pushed += unsafe { self.triangle_batches(start..end, bounds, before + pushed) };
            start = end;
        }
        pushed
    }

    /// A box around the paths of a batch's triangles, as they were when boxes were made.
    ///
    /// # Safety
    /// Nobody writes the tiles' boxes meanwhile.
    unsafe fn bounds(&self, batch: usize) -> Bounds {
        let triangles = &self.plan.triangles;
        let tiles = &triangles.tiles[triangles.starts[batch] as usize..triangles.starts[batch + 1] as usize];
        let mut bounds: Bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for &tile in tiles {
            // SAFETY: nobody writes boxes, as the caller promises.
            let [low, high] = unsafe { self.boxes.read(tile as usize, 1)[0] };
            for k in 0..3 {
                bounds[0][k] = Lanes::smaller(bounds[0][k], low[k]);
                bounds[1][k] = Lanes::larger(bounds[1][k], high[k]);
            }
        }
        bounds
    }

    /// Solves batches of triangles that contacts may have pushed `before` metres out of their boxes. Returns a bound on
    /// how far this call has pushed a corner, metres.
    ///
    /// # Safety
    /// As for `triangles`.
    unsafe fn triangle_batches(&self, batches: Range<usize>, bounds: Option<Bounds>, before: f32) -> f32 {
        let count = self.plan.triangles.batches.len();
        let mut total = 0.0;
        for (c, collider) in self.colliders.iter().enumerate() {
            // Against a plane, the vertices of a triangle are enough.
            if !meets_triangles(&self.plan.colliders[c]) || matches!(collider, Moving::Off) {
                continue;
            }
            let (triangles, own) = (self.plan.triangles.met_by(c), self.plan.colliders[c].thickness);
            let added = if matches!(collider, Moving::Sphere(_)) { 0.0 } else { own };
            let mut first = self.first;
            // SAFETY: the batches and their multipliers are this caller's.
            unsafe {
                if let Some(bounds) = &bounds {
                    let entry = c * count + batches.start;
                    first = self.first_visit(self.live_triangles, entry);
                    let thickness = triangles.rest(batches.start)[0].0.iter().fold(0.0f32, |a, &b| Lanes::larger(a, b));
                    if !collider.reaches(&self.plan.colliders[c], bounds, (thickness + added) + (before + total)) {
                        continue;
                    }
                    self.mark(self.live_triangles, entry);
                }
                let held = match self.held_triangles.is_empty() {
                    true => self.held_triangles,
                    false => self.held_triangles.within(c * count * 4, count * 4),
                };
                let record = match self.record.is_empty() {
                    true => self.record,
                    false => self.record.within(c * self.motion.x.len(), self.motion.x.len()),
                };
                let (motion, leaving) = (self.motion, self.leaving);
                let slack = self.slacks.of_triangles((self.substep, c), collider);
                let e = self.plan.colliders[c].restitution;
                let bounce =
                    self.triangle_bounce.filter(|_| e > 0.0).map(|bounce| TriangleBounce { restitution: e, ..bounce });
                let (pushed, hard) = match collider {
                    Moving::Plane(_) | Moving::Off => continue,
                    // Its centre goes through nothing, and tells the way out.
                    Moving::Sphere(_) if self.back.is_some() => continue,
                    Moving::Sphere(surface) => {
                        let contacts =
                            TriangleContacts { motion, surface: *surface, leaving, held, first, record, slack, bounce };
                        (contacts.solve(self.isa, triangles, batches.clone()), HARD_PUSH * surface.shape.radius)
                    }
                    Moving::Solid(surface) => {
                        let surface = traced(&self.plan.colliders[c], surface);
                        let hard = SOLID_PUSH * surface.shape.shape.girth();
                        let contacts = TriangleSolidContacts {
                            motion,
                            surface,
                            thickness: added,
                            leaving,
                            held,
                            first,
                            record,
                            slack,
                            bounce,
                            back: self.back,
                        };
                        (contacts.solve(self.isa, triangles, batches.clone()), hard)
                    }
                };
                self.add(pushed.contacts);
                total += pushed.total;
                let was = if pushed.total > 0.0 { PUSHED } else { 0 };
                let far = if pushed.longest > hard { PUSHED_FAR } else { 0 };
                let gone_in = if pushed.gone_in { GONE_IN } else { 0 };
                if was | far | gone_in != 0 {
                    self.pushed.fetch_or(was | far | gone_in, Ordering::Relaxed);
                }
            }
        }
        total
    }

    /// Solves a block of particles against all colliders.
    ///
    /// # Safety
    /// Nobody else uses the block's rows, boxes and multipliers meanwhile.
    pub(super) unsafe fn particles(&self, block: &RowBlock) {
        let body = &self.plan.bodies[block.body];
        // The skin meets colliders in their place.
        if body.skin.is_some() || self.off.bodies[block.body] {
            return;
        }
        if !block.frames && !self.slacks.ways.is_empty() {
            // SAFETY: nobody else uses the block's rows, as the caller promises.
            unsafe { self.motion.note_ways(self.isa, block.run, self.slacks.ways, false) };
        }
        // In lanes, a tile is spread over the whole body, so its box culls nothing: the block counts as one tile.
        let as_one = block.run.layout == Layout::Lanes;
        let tiles = if as_one { block.tiles.start..block.tiles.start + 1 } else { block.tiles.clone() };
        for tile in tiles {
            let run = if as_one { block.run } else { self.plan.tiles[tile] };
            for (c, collider) in self.colliders.iter().enumerate() {
                let (tiles, own) = (self.plan.tiles.len(), &self.plan.colliders[c]);
                if !own.filter.meets(body.filter) || matches!(collider, Moving::Off) {
                    continue;
                }
                // A sphere's radius includes its thickness.
                let added = if matches!(collider, Moving::Sphere(_)) { 0.0 } else { own.thickness };
                let thickness = body.thickness + added;
                let grips = if body.by_vertex.is_some() { &self.plan.grips[..] } else { &[] };
                // SAFETY: the tile, its box and its multipliers are this caller's.
                unsafe {
                    // Contacts of triangles have moved particles since the boxes were made, so the bounds are found
                    // anew below.
                    let first = self.first_visit(self.live, c * tiles + tile);
                    if !as_one {
                        let bounds = self.motion.bounds(self.isa, run);
                        let reach = thickness * (1.0 + HOVER as f32);
                        if !collider.reaches(&self.plan.colliders[c], &bounds, reach) {
                            continue;
                        }
                    }
                    self.mark(self.live, c * tiles + tile);
                    let held = match self.held.is_empty() {
                        true => self.held,
                        false => self.held.within(c * self.motion.x.len() + run.start, run.len),
                    };
                    let record = match self.record.is_empty() {
                        true => self.record,
                        false => self.record.within(c * self.motion.x.len() + run.start, run.len),
                    };
                    let slack = self.slacks.of_rows((self.substep, c), collider, (run.start, run.len));
                    let friction = body.friction;
                    let restitution = own.restitution * body.restitution;
                    let bounce =
                        self.bounce.filter(|_| restitution > 0.0).map(|bounce| Bounce { restitution, ..bounce });
                    macro_rules! solve {
                        ($surface:expr) => {{
                            let surface = $surface;
                            let (motion, leaving, spans) = (self.motion, self.leaving, &*self.plan.spans);
                            let contacts = ParticleContacts {
                                motion,
                                surface,
                                thickness,
                                friction,
                                grips,
                                added,
                                leaving,
                                spans,
                                held,
                                first,
                                record,
                                slack,
                                bounce,
                            };
                            contacts.solve(self.isa, run)
                        }};
                    }
                    let pushed: Pushed = match collider {
                        Moving::Plane(surface) => solve!(*surface),
                        Moving::Sphere(surface) => solve!(*surface),
                        Moving::Solid(surface) => solve!(traced(&self.plan.colliders[c], surface)),
                        Moving::Off => continue,
                    };
                    self.add(pushed.contacts);
                    if pushed.longest > self.far {
                        self.pushed.fetch_or(PUSHED_FAR, Ordering::Relaxed);
                    }
                }
            }
        }
    }

    /// Whether a tile or batch has no multipliers of this substep yet. The first pass of a substep resets the entry.
    ///
    /// # Safety
    /// Nobody else uses this entry meanwhile.
    unsafe fn first_visit(&self, live: Shared<'_, bool>, entry: usize) -> bool {
        // No multipliers are kept, but a particle leaves a collider by one step a substep: only in its first pass.
        if live.is_empty() {
            return self.first;
        }
        // SAFETY: the caller promises that nobody else uses this entry meanwhile.
        let live = unsafe { &mut live.part(entry, 1)[0] };
        if self.first {
            *live = false;
        }
        !*live
    }

    /// # Safety
    /// Nobody else uses this entry meanwhile.
    unsafe fn mark(&self, live: Shared<'_, bool>, entry: usize) {
        if !live.is_empty() {
            // SAFETY: the caller promises that nobody else uses this entry meanwhile.
            unsafe { live.part(entry, 1)[0] = true };
        }
    }

    pub(super) fn add(&self, contacts: u32) {
        // Whole numbers: the order of the additions does not matter.
        if let Some(count) = self.count.filter(|_| contacts > 0) {
            count.fetch_add(contacts, Ordering::Relaxed);
        }
    }
}

/// Whether a collider is asked about triangles. Against a plane, their corners are enough.
pub(super) fn meets_triangles(collider: &Collider) -> bool {
    collider.triangles && collider.shape != Shape::Plane
}
