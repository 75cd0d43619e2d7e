//! Working memory of contacts between rigid bodies and all that is deformable: which shapes and clusters may meet, and
//! the bodies' colors.

use super::boxes::pose;
use super::floors::FloorScratch;
use crate::describe::pose::Pose;
use crate::plan::coupling::Coupling as Plans;
use crate::run::passes::colliders::moving::Bounds;
use seidel_kernels::contact::coupling::Touches;
use seidel_rigid::motion::Motion;
use std::ops::Range;

/// Colors that a body is given before it has to come after all others.
pub(super) const COLORS: u32 = 64;

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct CouplingScratch {
    /// Where bodies were when the substep began.
    pub(super) before: Vec<Pose>,
    /// The box about each cluster's paths in this substep, and the longest of them; the same of shapes.
    pub(super) clusters: Vec<(Bounds, f32)>,
    pub(super) shapes: Vec<(Bounds, f32)>,
    /// The boxes in which clusters are expected, and shapes.
    pub(super) cluster_places: Vec<Bounds>,
    pub(super) shape_places: Vec<Bounds>,
    /// Boxes about sixteen clusters' places.
    pub(super) groups: Vec<Bounds>,
    /// Shapes and clusters that may meet, body after body, and where those of each body begin.
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) starts: Vec<u32>,
    /// Bodies that meet something, color by color, and each color's.
    pub(super) order: Vec<u32>,
    pub(super) colors: Vec<Range<usize>>,
    pub(super) color_of: Vec<(u32, u32)>,
    pub(super) used: Vec<u64>,
    pub(super) next: Vec<u32>,
    /// Bodies that a fluid may reach in this step.
    pub(super) wet: Vec<bool>,
    pub(super) touches: Vec<Touches>,
    pub(super) floors: FloorScratch,
    /// Whether all that is known.
    pub(super) known: bool,
    pub(super) overflowed: bool,
    pub(super) contacts: u32,
}

pub(super) const NOWHERE: Bounds = [[f32::NAN; 3]; 2];

pub(super) const EMPTY: Bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];

impl CouplingScratch {
    pub(super) fn poison(&mut self) {
        self.before.fill(Pose { position: [f64::NAN; 3], rotation: [f64::NAN; 4] });
        for boxes in [&mut self.clusters, &mut self.shapes] {
            boxes.fill((NOWHERE, f32::NAN));
        }
        for boxes in [&mut self.cluster_places, &mut self.shape_places, &mut self.groups] {
            boxes.fill(NOWHERE);
        }
        self.pairs.fill([u32::MAX; 2]);
        self.starts.fill(u32::MAX);
        self.floors.poison();
        self.known = true;
    }

    /// Forgets what the last step has found.
    pub(super) fn forget(&mut self) {
        (self.known, self.overflowed, self.contacts) = (false, false, 0);
        self.wet.clear();
        self.starts.clear();
    }

    /// Notes where bodies are as a substep begins.
    pub(super) fn note(&mut self, motions: &[Motion]) {
        self.before.clear();
        self.before.extend(motions.iter().map(pose));
    }

    /// Where a body was when the substep began.
    pub(super) fn then(&self, body: usize) -> &Pose {
        &self.before[body]
    }

    /// Contacts that pushed in the last sweep, and whether pairs were too many.
    pub(super) fn counts(&self) -> (u32, bool) {
        (self.contacts, self.overflowed)
    }

    /// Whether something deformable may come near a body in this step or, of one that sleeps, the next.
    pub(super) fn is_near(&self, body: usize) -> bool {
        self.wet.get(body).is_some_and(|wet| *wet)
            || self.starts.get(body + 1).is_some_and(|end| self.starts[body] < *end)
    }

    /// A fluid may reach a body.
    pub(super) fn wet(&mut self, body: usize) {
        if self.wet.len() <= body {
            self.wet.resize(body + 1, false);
        }
        self.wet[body] = true;
    }

    /// Whether something has left the box in which it was expected.
    pub(super) fn strayed(&self) -> bool {
        let inside = |((bounds, _), place): (&(Bounds, f32), &Bounds)| {
            let ([low, high], [least, most]) = (bounds, place);
            // A box that is nowhere is inside.
            (0..3).all(|k| least[k] <= low[k] && high[k] <= most[k]) || low[0] > high[0]
        };
        !self.clusters.iter().zip(&self.cluster_places).all(inside)
            || !self.shapes.iter().zip(&self.shape_places).all(inside)
    }
}

impl CouplingScratch {
    /// Gives bodies that meet something the first color that none has which meets particles of the same clusters.
    pub(super) fn color(&mut self, plan: &Plans, bodies: usize) {
        let CouplingScratch { pairs, starts, order, colors, color_of, used, next, .. } = self;
        used.clear();
        used.resize(plan.clusters.len(), 0);
        next.clear();
        next.resize(plan.clusters.len(), COLORS);
        color_of.clear();
        for body in 0..bodies {
            let of_body = &pairs[starts[body] as usize..starts[body + 1] as usize];
            if of_body.is_empty() {
                continue;
            }
            let shares =
                || of_body.iter().flat_map(|pair| &plan.shares[pair[1] as usize]).map(|&cluster| cluster as usize);
            let taken = shares().fold(0, |taken, cluster| taken | used[cluster]);
            let color = if taken == u64::MAX {
                let color = shares().fold(COLORS, |color, cluster| color.max(next[cluster]));
                shares().for_each(|cluster| next[cluster] = color + 1);
                color
            } else {
                let color = taken.trailing_ones();
                shares().for_each(|cluster| used[cluster] |= 1 << color);
                color
            };
            color_of.push((color, body as u32));
        }
        color_of.sort_unstable();
        order.clear();
        order.extend(color_of.iter().map(|(_, body)| *body));
        colors.clear();
        for of in color_of.chunk_by(|a, b| a.0 == b.0) {
            let start = colors.last().map_or(0, |last| last.end);
            colors.push(start..start + of.len());
        }
    }
}
