//! Where particles begin a substep and where they are, row after row.

use crate::integrate::rows::{columns, in_order, put_columns, put_in_order};
use crate::integrate::{Motion, Run};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::tuning::MAX_POSITION;
use crate::{Isa, Layout, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::Use;

/// Rows of particles for pairs.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// Where particles begin the substep [x, y, z, w], metres and 1/kg.
    pub start: Shared<'a, Row>,
    /// Where they are, [x, y, z, w]: x + u as it is rounded when the substep ends.
    pub end: Shared<'a, Row>,
}

impl Ends<'_> {
    /// Reads a run of rows.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn read(self, isa: Isa, motion: Motion<'_>, run: Run) {
        self.check(motion, run);
        isa.dispatch(Read { ends: self, motion, run, last: false });
    }

    /// The same where the substep ends. A row that is lost in it, for it would end nowhere or beyond [`MAX_POSITION`],
    /// ends where it starts, and nothing moves it: its inverse mass there is 0.
    ///
    /// # Safety
    /// As for [`Ends::read`].
    ///
    /// # Panics
    /// As there.
    pub unsafe fn read_last(self, isa: Isa, motion: Motion<'_>, run: Run) {
        self.check(motion, run);
        isa.dispatch(Read { ends: self, motion, run, last: true });
    }

    /// Adds to the displacements what the ends were moved by. A row that was not moved keeps its displacement to the
    /// bit.
    ///
    /// # Safety
    /// Nobody else uses these rows meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn give_back(self, isa: Isa, motion: Motion<'_>, run: Run) {
        self.check(motion, run);
        isa.dispatch(GiveBack { ends: self, motion, run });
    }

    fn check(&self, motion: Motion<'_>, run: Run) {
        motion.check(run);
        run.check([self.start.len(), self.end.len()]);
        [motion.u, self.start, self.end].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Write));
    }
}

struct Read<'a> {
    ends: Ends<'a>,
    motion: Motion<'a>,
    run: Run,
    last: bool,
}

impl Kernel for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl Read<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let Read { ends, motion, run, last } = self;
        let limit = L::splat(MAX_POSITION);
        for row in (run.start..run.start + run.len).step_by(L::WIDTH) {
            // SAFETY: `read` found the run in every array; WIDTH divides 16; its caller keeps others away.
            unsafe {
                let [x, y, z, w] = columns::<L>(motion.x.as_ptr(), run.layout, row);
                let [ux, uy, uz, _] = columns::<L>(motion.u.as_ptr(), run.layout, row);
                let (start, mut end) = ([x, y, z, w], [x + ux, y + uy, z + uz, w]);
                if last {
                    let [ex, ey, ez, _] = end;
                    let good = ex.abs().le(limit) & ey.abs().le(limit) & ez.abs().le(limit);
                    if !good.all() {
                        // What has been lost before is nowhere, and stays so.
                        let lost = !good & x.finite() & y.finite() & z.finite();
                        for k in 0..3 {
                            end[k] = L::select(lost, start[k], end[k]);
                        }
                        end[3] = w.or_zero(!lost);
                    }
                }
                // Lanes of `columns` are in the order of the rows only where the body lies in lanes.
                match run.layout {
                    Layout::Rows => {
                        put_columns(start, ends.start, Layout::Rows, row);
                        put_columns(end, ends.end, Layout::Rows, row);
                    }
                    Layout::Lanes => {
                        put_in_order(start, ends.start, row);
                        put_in_order(end, ends.end, row);
                    }
                }
            }
        }
    }
}

struct GiveBack<'a> {
    ends: Ends<'a>,
    motion: Motion<'a>,
    run: Run,
}

impl Kernel for GiveBack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl GiveBack<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let GiveBack { ends, motion, run } = self;
        for row in (run.start..run.start + run.len).step_by(L::WIDTH) {
            // SAFETY: `give_back` found the run in every array; WIDTH divides 16; its caller keeps others away.
            unsafe {
                let [x, y, z, _] = columns::<L>(motion.x.as_ptr(), run.layout, row);
                let [ux, uy, uz, rest] = columns::<L>(motion.u.as_ptr(), run.layout, row);
                let [px, py, pz, _] = match run.layout {
                    Layout::Rows => columns::<L>(ends.end.as_ptr(), Layout::Rows, row),
                    Layout::Lanes => in_order(ends.end.as_ptr(), Layout::Rows, row),
                };
                let u = V3::new(ux, uy, uz);
                let moved = V3::new(px - (x + ux), py - (y + uy), pz - (z + uz));
                let u = u + moved.or_zero(moved.length_squared().finite());
                put_columns([u.x, u.y, u.z, rest], motion.u, run.layout, row);
            }
        }
    }
}
