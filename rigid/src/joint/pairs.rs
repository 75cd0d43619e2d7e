//! The bodies of up to sixteen joints that share none that moves.

use super::ball::BodyLanes;
use super::measure::Moved;
use super::{Joint, WORLD};
use crate::BodyRow;
use crate::contact::lanes::{DIAGONAL, DX, SIDES, TURN, V, W, columns};
use crate::contact::{NONE, PAIRS};
use seidel_kernels::claims::Use;
use seidel_kernels::{BATCH, Chunk, InChunks, Lanes, Pack, Quat, Shared, Symmetric, V3};

/// Velocities and angular velocities of both bodies, as a sweep leaves them.
pub(super) type Velocities = [[[Pack<f32>; 3]; 2]; 2];

/// The numbers of joints, and where their bodies' rows are.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// The numbers that the caller gave them.
    numbers: [u32; BATCH],
    /// Where both bodies' rows begin, in pairs of numbers.
    read: [[u32; BATCH]; 2],
    /// The lanes whose bodies move, and of these those that give way in this substep: bit i for lane i.
    moves: [u16; 2],
    free: [u16; 2],
    count: usize,
    /// The last row that they take.
    last: u32,
}

impl Pairs {
    /// None yet. `nobody` is a row of a body that does not move.
    pub(super) fn new(nobody: u32) -> Pairs {
        Pairs {
            numbers: [u32::MAX; BATCH],
            read: [[nobody * PAIRS; BATCH]; 2],
            moves: [0; 2],
            free: [0; 2],
            count: 0,
            last: nobody,
        }
    }

    /// Adds those of a joint, and returns its lane, if there is room.
    pub(super) fn add(&mut self, number: u32, joint: &Joint, moves: [bool; 2]) -> Option<usize> {
        if self.count == BATCH {
            return None;
        }
        let lane = self.count;
        self.count += 1;
        self.numbers[lane] = number;
        for (k, body) in joint.bodies.into_iter().enumerate().filter(|(_, body)| *body != WORLD) {
            self.read[k][lane] = body * PAIRS;
            self.moves[k] |= u16::from(moves[k]) << lane;
            self.last = self.last.max(body);
        }
        Some(lane)
    }

    /// How many there are, and the number of each.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers[..self.count]
    }

    /// Begins a substep: `still` are bodies that give way to nothing, whatever was said when they were added.
    pub(super) fn begin(&mut self, still: &[bool]) {
        for (k, moves) in self.moves.into_iter().enumerate() {
            let gives = |lane: &usize| still.get((self.read[k][*lane] / PAIRS) as usize).is_some_and(|still| !*still);
            let free = (0..self.count).filter(|lane| moves >> lane & 1 != 0).filter(gives);
            self.free[k] = free.fold(0, |free, lane| free | 1 << lane);
        }
    }

    /// Checks that the rows of a sweep are there: [`Pairs::read`] relies on it.
    pub(super) fn claim(&self, bodies: Shared<'_, BodyRow>) {
        assert!((self.last as usize) < bodies.len(), "joints of other bodies");
        if cfg!(debug_assertions) {
            for (k, lane) in (0..2).flat_map(|k| (0..BATCH).map(move |lane| (k, lane))) {
                let of = if self.free[k] >> lane & 1 != 0 { Use::Write } else { Use::Read };
                bodies.claim((self.read[k][lane] / PAIRS) as usize, 1, of);
            }
        }
    }

    /// Both bodies in lanes, and where they have gone since the step began.
    ///
    /// # Safety
    /// [`Pairs::claim`] was called with these bodies, and nobody else writes their rows.
    #[inline(always)]
    pub(super) unsafe fn read<L: Lanes<Elem = f32>>(
        &self,
        chunk: Chunk<L>,
        bodies: Shared<'_, BodyRow>,
    ) -> [(BodyLanes<L>, Moved<L>); 2] {
        // SAFETY: indices are of rows, as `claim` has checked; the caller keeps others away.
        unsafe {
            [body::<L>(bodies.as_ptr(), chunk.of(&self.read[0])), body::<L>(bodies.as_ptr(), chunk.of(&self.read[1]))]
        }
    }

    /// Writes the velocities of bodies that give way.
    ///
    /// # Safety
    /// Nobody else uses the rows of these joints' bodies that move, and no body that moves is in two of them.
    pub(super) unsafe fn write(&self, bodies: Shared<'_, BodyRow>, velocities: &Velocities) {
        assert!((self.last as usize) < bodies.len(), "joints of other bodies");
        for (k, [v, w]) in velocities.iter().enumerate() {
            let mut lanes = self.free[k];
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                // SAFETY: the index is below the length, as was checked above, and the caller promises that nobody else
                // uses this row.
                let row = unsafe { &mut bodies.part((self.read[k][lane] / PAIRS) as usize, 1)[0] };
                row.v = [v[0].0[lane], v[1].0[lane], v[2].0[lane], row.v[3]];
                row.w = [w[0].0[lane], w[1].0[lane], w[2].0[lane], row.w[3]];
            }
        }
    }
}

/// No velocities yet.
pub(super) const NO_VELOCITIES: Velocities = [[[NONE; 3]; 2]; 2];

/// Takes down what a sweep has made of both bodies.
#[inline(always)]
pub(super) fn store<L: Lanes<Elem = f32>>(chunk: Chunk<L>, out: &mut Velocities, [a, b]: [&BodyLanes<L>; 2]) {
    let [[va, wa], [vb, wb]] = out;
    va.store(chunk, a.v);
    wa.store(chunk, a.w);
    vb.store(chunk, b.v);
    wb.store(chunk, b.w);
}

/// A body in lanes, and where it has gone since the step began.
///
/// # Safety
/// As for `columns`.
#[inline(always)]
unsafe fn body<L: Lanes<Elem = f32>>(bodies: *const BodyRow, at: *const u32) -> (BodyLanes<L>, Moved<L>) {
    // SAFETY: the caller promises WIDTH numbers of rows at `at` that are among the bodies, which nobody else uses.
    unsafe {
        let ([vx, vy, vz, m], [wx, wy, wz, lx]) = (columns::<L>(bodies, V, at), columns::<L>(bodies, W, at));
        let ([dx, dy, dz, _], [qx, qy, qz, qw]) = (columns::<L>(bodies, DX, at), columns::<L>(bodies, TURN, at));
        let ([xx, yy, zz, ly], [xy, yz, xz, lz]) =
            (columns::<L>(bodies, DIAGONAL, at), columns::<L>(bodies, SIDES, at));
        let zero = L::zero();
        let inv_mass = V3::new(m.or_zero(lx.le(zero)), m.or_zero(ly.le(zero)), m.or_zero(lz.le(zero)));
        let (v, w) = (V3::new(vx, vy, vz), V3::new(wx, wy, wz));
        let inv_inertia = Symmetric { xx, yy, zz, xy, yz, xz };
        let turn = Quat::new(V3::new(qx, qy, qz), qw);
        (BodyLanes { v, w, inv_mass, inv_inertia }, Moved { dx: V3::new(dx, dy, dz), turn })
    }
}
