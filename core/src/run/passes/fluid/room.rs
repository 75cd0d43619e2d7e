//! Whether an opening has room for what comes from it.
//!
//! ```text
//!       q q q q q      a place from whose q, a layer ahead, the fluids cannot give way gets no particle
//!     - p-p-p-p-p -    p: the places of a layer when it is born; one that a particle is at gets none of its own
//!        opening
//! ```

use crate::geometry::vector::{dot, sub};
use crate::plan::fluid::Fluids as Plans;
use crate::run::passes::Common;
use crate::run::poured::Born;
use crate::tuning::{FLUID_BLOCKED, FLUID_TAKEN};
use std::ops::Range;

/// A particle near an opening.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// The cell that it is in, z first, as large as the support.
    cell: [i64; 3],
    /// Numbers of its fluid and its row.
    fluid: usize,
    row: usize,
    /// Whether the opening itself guides it.
    is_own: bool,
    /// Where it is at the end of the substep, as far as it is known, metres.
    at: [f32; 3],
}

/// The particles near openings in a substep: working memory.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Of each emitter in `of`, in the order of cells.
    near: Vec<Near>,
    /// For each emitter that gives something in the substep, by the numbers of its fluid and its own: its particles in
    /// `near`.
    of: Vec<([u32; 2], Range<usize>)>,
}

/// What a place finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    /// Room.
    Nothing,
    /// No room: nothing is born there.
    Blocked,
    /// A particle of this row and the same fluid, which goes on in its place.
    Row(usize),
}

impl Room {
    pub(super) fn begin(&mut self) {
        self.near.clear();
        self.of.clear();
    }

    pub(super) fn poison(&mut self) {
        self.near.fill(Near {
            cell: [i64::MAX; 3],
            fluid: usize::MAX,
            row: usize::MAX,
            is_own: true,
            at: [f32::NAN; 3],
        });
        self.of.clear();
    }

    /// Finds who is at the place of one that is born `ahead` metres from its opening. `number` is its fluid's; `led` are the
    /// rows that emitters guide, with the numbers of fluid and emitter: an emitter's own do not take its places.
    pub(super) fn at(
        &mut self,
        common: &Common<'_>,
        plan: &Plans,
        (number, born): (usize, &Born),
        (ahead, led): (f64, &[(u32, [u32; 2])]),
    ) -> Found {
        let (fluid, key) = (&plan.bodies[number], [number as u32, born.emitter]);
        let known = self.of.iter().position(|(of, _)| *of == key);
        let known = known.unwrap_or_else(|| self.look(common, plan, (key, born), (ahead, led)));
        let (spiky, near) = (&plan.spiky, &self.near[self.of[known].1.clone()]);
        let place = born.at(&fluid.sources, ahead);
        let least = FLUID_TAKEN * f64::from(spiky.spacing);
        let mut found = (least * least, Found::Nothing);
        for near in about(near, place, spiky.support).filter(|near| !near.is_own) {
            let way = sub(near.at.map(f64::from), place);
            if dot(way, way) < found.0 {
                let what = if near.fluid == number { Found::Row(near.row) } else { Found::Blocked };
                found = (dot(way, way), what);
            }
        }
        let front = born.at(&fluid.sources, ahead + fluid.sources.gaps[born.emitter as usize]);
        let of = |near: &Near| spiky.between(front.map(|c| c as f32), near.at);
        let density: f64 = about(near, front, spiky.support).map(of).sum();
        if density > 1.0 + FLUID_BLOCKED { Found::Blocked } else { found.1 }
    }

    /// Finds what is near an opening, of which a layer is `ahead` and no other farther. Returns the emitter's place in
    /// `of`.
    fn look(
        &mut self,
        common: &Common<'_>,
        plan: &Plans,
        (key, born): ([u32; 2], &Born),
        (ahead, led): (f64, &[(u32, [u32; 2])]),
    ) -> usize {
        let [number, emitter] = key.map(|number| number as usize);
        let (fluid, spiky, first) = (&plan.bodies[number], &plan.spiky, self.near.len());
        let reach = f64::from(spiky.support) + f64::from(spiky.spacing);
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for place in 0..fluid.sources.openings[emitter].len() as u32 {
            for way in [0.0, ahead, ahead + fluid.sources.gaps[emitter]] {
                let at = Born { place, ..*born }.at(&fluid.sources, way);
                low = std::array::from_fn(|k| low[k].min(at[k] - reach));
                high = std::array::from_fn(|k| high[k].max(at[k] + reach));
            }
        }
        for (of, other) in plan.bodies.iter().enumerate() {
            let body = &common.plan.bodies[other.body];
            // SAFETY: no stage runs, so nobody writes rows.
            let [x, u] = unsafe { [common.motion.x, common.motion.u].map(|rows| rows.read(body.start, body.rows)) };
            for (row, (x, u)) in (body.start..).zip(x.iter().zip(u)) {
                let at: [f32; 3] = std::array::from_fn(|k| x[k] + u[k]);
                let is_near = (0..3).all(|k| (low[k]..=high[k]).contains(&f64::from(at[k])));
                if x[3] > 0.0 && is_near && body.vertex(row).is_some() {
                    let is_own = led.binary_search(&(row as u32, key)).is_ok();
                    let cell = cell(at.map(f64::from), spiky.support);
                    self.near.push(Near { cell, fluid: of, row, is_own, at });
                }
            }
        }
        self.near[first..].sort_unstable_by_key(|near| (near.cell, near.row));
        self.of.push((key, first..self.near.len()));
        self.of.len() - 1
    }
}

fn cell([x, y, z]: [f64; 3], width: f32) -> [i64; 3] {
    [z, y, x].map(|c| (c / f64::from(width)).floor() as i64)
}

/// Those of some particles, which are in the order of their cells, that are in the cells about a place.
fn about(near: &[Near], place: [f64; 3], width: f32) -> impl Iterator<Item = &Near> {
    let [z, y, x] = cell(place, width);
    let rows = (-1..=1).flat_map(move |k| (-1..=1).map(move |j| [z + k, y + j]));
    rows.flat_map(move |[z, y]| {
        let first = near.partition_point(|near| near.cell < [z, y, x - 1]);
        let count = near[first..].partition_point(|near| near.cell <= [z, y, x + 1]);
        &near[first..first + count]
    })
}
