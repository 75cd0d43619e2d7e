//! The box round the paths of some particles, and how long these are.

use super::motion::{Motion, Run};
use super::rows::{columns, numbers, put, put_columns};
use crate::lanes::{Kernel, Lanes};
use crate::v3::at_most;
use crate::{BATCH, Layout, Row, V3};
use seidel_workers::Shared;

pub(super) struct Bounds<'a> {
    pub(super) motion: Motion<'a>,
    pub(super) run: Run,
}

impl Kernel for Bounds<'_> {
    type Output = [[f32; 3]; 2];

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> [[f32; 3]; 2] {
        let layout = self.run.layout;
        let (mut low, mut high) = ([L::set(f32::INFINITY); 4], [L::set(f32::NEG_INFINITY); 4]);
        let mut row = self.run.start;
        while row < self.run.start + self.run.len {
            // SAFETY: `check` found the run inside every array; WIDTH divides 16; the caller keeps writers away.
            unsafe {
                let of = |rows: Shared<'_, Row>| numbers::<L>(rows.as_ptr(), layout, row);
                let (x, r, u) = (of(self.motion.x), of(self.motion.r), of(self.motion.u));
                for k in 0..4 {
                    let (a, p) = (x[k] + r[k], x[k] + u[k]);
                    low[k] = low[k].smaller(a).smaller(p);
                    high[k] = high[k].larger(a).larger(p);
                }
            }
            row += L::WIDTH;
        }
        // A minimum does not depend on the order in which its numbers come.
        let mut rows = [[[0.0f32; 4]; BATCH]; 2];
        let [lows, highs] = &mut rows;
        // SAFETY: WIDTH <= 16 rows of four numbers fit.
        unsafe {
            put(low, Shared::new(lows), layout, 0);
            put(high, Shared::new(highs), layout, 0);
        }
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for particle in 0..L::WIDTH {
            let (low, high) = (layout.read(lows, particle), layout.read(highs, particle));
            for k in 0..3 {
                bounds[0][k] = Lanes::smaller(bounds[0][k], low[k]);
                bounds[1][k] = Lanes::larger(bounds[1][k], high[k]);
            }
        }
        bounds
    }
}

pub(super) struct Ways<'a> {
    pub(super) motion: Motion<'a>,
    pub(super) run: Run,
    pub(super) ways: Shared<'a, Row>,
    pub(super) ends: bool,
}

impl Kernel for Ways<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Run { start, len, layout } = self.run;
        let mut row = start;
        while row < start + len {
            // SAFETY: `note_ways` found the run inside every array; WIDTH divides 16; its caller keeps others away.
            unsafe {
                let [ux, uy, uz, _] = columns::<L>(self.motion.u.as_ptr(), layout, row);
                let u = V3::new(ux, uy, uz).length();
                let [gone, reach, unsure, rest] = columns::<L>(self.ways.as_ptr(), layout, row);
                if !self.ends {
                    let reach = gone + (u + unsure);
                    match layout {
                        Layout::Lanes => reach.store(self.ways.as_ptr().cast::<f32>().add(layout.offset(row) + BATCH)),
                        Layout::Rows => put_columns([gone, reach, unsure, rest], self.ways, layout, row),
                    }
                    row += L::WIDTH;
                    continue;
                }
                let [x, y, z, _] = columns::<L>(self.motion.x.as_ptr(), layout, row);
                let [rx, ry, rz, _] = columns::<L>(self.motion.r.as_ptr(), layout, row);
                // A position's rounding, and what has become of it: twice that, for it may grow until the next is
                // noted.
                let unsure = at_most(V3::new(x, y, z) + V3::new(ux, uy, uz)) * L::splat(4e-7);
                let gone = gone + (u + (at_most(V3::new(rx, ry, rz)) + unsure));
                put_columns([gone, reach, unsure, rest], self.ways, layout, row);
            }
            row += L::WIDTH;
        }
    }
}
