//! The box round the paths of some particles.

use super::rows::{numbers, put};
use super::{Motion, Run};
use crate::lanes::{Kernel, Lanes};
use crate::{BATCH, Row};
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
