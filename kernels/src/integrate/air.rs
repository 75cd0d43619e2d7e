//! Air: drag and lift of triangles.
//!
//! ```text
//!   v ---->   /            v: the air's velocity relative to the triangle's mean velocity; n: its normal, to the lee side
//!        ---> / --> n      theta: between v and n; A: area, rho: density of the air
//!            /             drag = rho/2 Cd A |v|^2 cos(theta) v^                                 along the flow
//!      lift: across v      lift = rho/2 Cl A |v|^2 cos(theta) (n - cos(theta) v^)                across it, to n's side
//! ```
//! Keckeisen, Kimmerle, Thomaszewski, Wacker 2004, "Modelling Effects of Wind Fields in Cloth Animations", and, with a
//! density of its own, most cloth engines since. The lift's direction is not scaled to length 1 here: where the flow is
//! along the normal it has none, and what is left, sin(theta) cos(theta), is the lift of a flat plate that stalls
//! nowhere. So Cl = 2 is a thin plate's.
//!
//! With N = 2 A n, both have rho/4 for a factor: |N.v| Cd v and (N.v) / (|N| |v|) Cl (|v|^2 N - (N.v) v); nothing has
//! to know n's side.
//!
//! **Never more than the air's own velocity.** Of dv/dt = -c v^2 the velocity after h is v / (1 + h c v), so a
//! substep's impulse is explicit Euler's over 1 + h c v: a cloth of any lightness comes to move with any wind and never
//! overshoots it. c v is |F| / |v| over the triangle's mass; at each corner that is the part of the particle's mass
//! which is this triangle's part of the area there, so that all triangles of a particle together do not overshoot
//! either.

use super::motion::{Motion, Run};
use super::rows::{in_order, put, put_in_order};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::slots::Place;
use crate::{BATCH, Batches, Isa, Layout, Pack, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::Use;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Velocity of the air, m/s, at a place.
pub trait AirFlow: Copy {
    /// At `x`, metres.
    fn at<L: Lanes<Elem = f32>>(&self, x: V3<L>) -> V3<L>;
}

/// The same everywhere, m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform(pub [f32; 3]);

impl AirFlow for Uniform {
    #[inline(always)]
    fn at<L: Lanes<Elem = f32>>(&self, _x: V3<L>) -> V3<L> {
        V3::set(self.0)
    }
}

/// What the air does to a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AeroCoefficients {
    /// Coefficient of drag, >= 0.
    pub drag: f32,
    /// Coefficient of lift, >= 0.
    pub lift: f32,
    /// For each corner: the area of all triangles there over three times this one's. Times the corner's inverse mass it
    /// is the inverse of the triangle's mass.
    pub shares: [f32; 3],
}

/// Triangles that the air pushes, and of each particle those that it belongs to. Made once; what is gathered by index
/// is proved here.
#[derive(Clone, Debug)]
pub struct AeroTriangles {
    /// Batches of triangles, and their numbers: drag, lift, shares.
    batches: Vec<u32>,
    numbers: Vec<[Pack<f32>; 5]>,
    /// Of all batches.
    triangles: usize,
    /// Rows of pushes around each block of sixteen particles: `around[starts[b]..starts[b + 1]]`, as
    /// [`Lanes::load_rows`] counts.
    starts: Vec<u32>,
    around: Vec<[u32; BATCH]>,
}

impl AeroTriangles {
    /// Of those triangles of whose row there are `coefficients`; None if there are none.
    ///
    /// # Panics
    /// If the rows are no triangles.
    pub fn new(triangles: &Batches, coefficients: impl Fn(usize) -> Option<AeroCoefficients>) -> Option<AeroTriangles> {
        assert_eq!(triangles.slots(), 3, "batches of another kind");
        let mut aero = AeroTriangles {
            batches: Vec::new(),
            numbers: Vec::new(),
            triangles: triangles.len(),
            starts: vec![0],
            around: Vec::new(),
        };
        let mut fans = vec![Vec::new(); triangles.particles()];
        for (batch, lane, row) in triangles.each() {
            let Some(AeroCoefficients { drag, lift, shares: [a, b, c] }) = coefficients(row) else { continue };
            if aero.batches.last() != Some(&(batch as u32)) {
                aero.batches.push(batch as u32);
                aero.numbers.push([Pack([0.0; BATCH]); 5]);
            }
            let numbers = aero.numbers.last_mut().expect("just pushed");
            numbers.iter_mut().zip([drag, lift, a, b, c]).for_each(|(pack, number)| pack.0[lane] = number);
            let at = ((aero.batches.len() - 1) * BATCH + lane) as u32;
            for slot in 0..3 {
                fans[triangles.particle(batch, slot, lane) as usize].push(at);
            }
        }
        if aero.batches.is_empty() {
            return None;
        }
        let none = (aero.batches.len() * BATCH) as u32;
        for block in fans.chunks(BATCH) {
            let most = block.iter().map(Vec::len).max().unwrap_or(0);
            let slot = |s: usize| std::array::from_fn(|lane| 2 * block[lane].get(s).copied().unwrap_or(none));
            aero.around.extend((0..most).map(slot));
            aero.starts.push(aero.around.len() as u32);
        }
        Some(aero)
    }

    /// Number of batches that are pushed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    /// The numbers of these batches among all batches of triangles.
    #[must_use]
    pub fn batches(&self) -> &[u32] {
        &self.batches
    }

    /// Never: there would be none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Rows that pushes take: one a lane of each batch, and one that stays zero, behind them.
    #[must_use]
    pub fn pushes(&self) -> usize {
        (self.batches.len() + 1) * BATCH
    }

    /// Everything, as bytes.
    pub fn bytes(&self, mut add: impl FnMut(&[u8])) {
        add(bytemuck::cast_slice(&self.batches));
        for numbers in &self.numbers {
            add(bytemuck::cast_slice(numbers));
        }
    }
}

/// The air in a substep.
#[derive(Clone, Copy, Debug)]
pub struct Air<'a, F> {
    /// Its velocity.
    pub flow: F,
    /// kg/m^3.
    pub density: f32,
    /// Length of a substep, s.
    pub h: f32,
    /// The rows that it pushes; of these `force` is written by [`Air::gather`].
    pub motion: Motion<'a>,
    /// What is pushed.
    pub aero: &'a AeroTriangles,
    /// A third of the force on each triangle [x, y, z, 0], newtons, [`AeroTriangles::pushes`] rows; the last sixteen
    /// are zero.
    pub pushes: Shared<'a, Row>,
}

impl<F: AirFlow> Air<'_, F> {
    /// Finds the forces on batches of triangles, by their place among those that are pushed.
    ///
    /// # Safety
    /// Nobody writes positions or velocities meanwhile, nor uses the pushes of these batches.
    ///
    /// # Panics
    /// If these are batches of another plan.
    pub unsafe fn push(self, isa: Isa, triangles: &Batches, batches: Range<usize>) {
        assert!(triangles.slots() == 3 && triangles.len() == self.aero.triangles, "batches of another plan");
        assert!(batches.end <= self.aero.len() && self.pushes.len() == self.aero.pushes(), "too few pushes");
        let rows = [self.motion.x.len(), self.motion.v.len()];
        assert!(rows.into_iter().all(|len| triangles.particles() <= len), "batches of another plan");
        isa.dispatch(Push { air: self, triangles, batches });
    }

    /// Adds up the pushes on each particle of a run, and what `outer` has for it, into the forces.
    ///
    /// # Safety
    /// Nobody writes pushes meanwhile, nor uses the forces of these rows.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn gather(self, isa: Isa, run: Run, outer: Shared<'_, Row>) {
        let outer_rows = if outer.is_empty() { usize::MAX } else { outer.len() };
        run.check([self.motion.force.len(), outer_rows, (self.aero.starts.len() - 1) * BATCH]);
        assert_eq!(self.pushes.len(), self.aero.pushes(), "pushes of another plan");
        self.motion.force.claim(run.start, run.len, Use::Write);
        isa.dispatch(Gather { air: self, run, outer });
    }
}

struct Push<'a, F> {
    air: Air<'a, F>,
    triangles: &'a Batches,
    batches: Range<usize>,
}

/// Force on a triangle, newtons: its edges from one corner, and the air's velocity relative to it.
#[inline(always)]
fn force<L: Lanes>(edges: [V3<L>; 2], air: V3<L>, [drag, lift]: [L; 2], density: L) -> V3<L> {
    let n = edges[0].cross(edges[1]);
    let (through, square) = (n.dot(air), air.length_squared());
    let size = (n.length_squared() * square).sqrt();
    let across = (n * square - air * through) * (lift * through / size);
    let along = air * (drag * through.abs());
    // Without an area or a flow there is no lift; `size` is zero then.
    (along + across.or_zero(size.gt(L::zero()))) * (density * L::splat(0.25))
}

impl<F: AirFlow> Kernel for Push<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl<F: AirFlow> Push<'_, F> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let Self { air, triangles, batches } = self;
        for at in batches {
            let batch = air.aero.batches[at] as usize;
            // By `Chunk` the same instructions come in another order, which takes a flag 6 % longer on two threads of
            // one core.
            let mut first = 0;
            while first < triangles.lanes(batch) {
                // SAFETY: `push` checked the arrays, `Batches` its indices; its caller keeps others away.
                unsafe { pass::<L, F>(&air, triangles, at, first) };
                first += L::WIDTH;
            }
        }
    }
}

/// `WIDTH` triangles of a batch.
///
/// # Safety
/// As for [`Air::push`]; `first + WIDTH <= BATCH`.
#[inline(always)]
unsafe fn pass<L: Lanes<Elem = f32>, F: AirFlow>(air: &Air<'_, F>, triangles: &Batches, at: usize, first: usize) {
    let place = Place::new(triangles, air.aero.batches[at] as usize, first);
    let numbers = &air.aero.numbers[at];
    let (mut x, mut v, mut w) = ([V3::zero(); 3], V3::zero(), L::zero());
    // SAFETY: the caller promises that nobody writes positions or velocities, nor uses the pushes of these batches;
    // lanes lie within packs.
    unsafe {
        for (k, corner) in x.iter_mut().enumerate() {
            let (mut of_x, mut of_v) = (MaybeUninit::uninit(), MaybeUninit::uninit());
            let from = place.registers::<L>(air.motion.x.as_ptr(), k, &mut of_x);
            *corner = V3::new(L::load(from), L::load(from.add(BATCH)), L::load(from.add(2 * BATCH)));
            let share = L::load(numbers[2 + k].0.as_ptr().add(first));
            w = w.larger(L::load(from.add(3 * BATCH)) * share);
            let from = place.registers::<L>(air.motion.v.as_ptr(), k, &mut of_v);
            v = v + V3::new(L::load(from), L::load(from.add(BATCH)), L::load(from.add(2 * BATCH)));
        }
        let third = L::splat(1.0 / 3.0);
        let (drag, lift) = (L::load(numbers[0].0.as_ptr().add(first)), L::load(numbers[1].0.as_ptr().add(first)));
        let flow = air.flow.at((x[0] + x[1] + x[2]) * third) - v * third;
        let force = force([x[1] - x[0], x[2] - x[0]], flow, [drag, lift], L::set(air.density));
        let rate = (force.length_squared() / flow.length_squared()).sqrt() * w;
        let push = force * (third / (L::splat(1.0) + L::set(air.h) * rate));
        // What is lost, or overflows, is not spread; and where the air stands still to the triangle, nothing is left.
        let push = push.or_zero(push.length_squared().finite());
        put_in_order([push.x, push.y, push.z, L::zero()], air.pushes, at * BATCH + first);
    }
}

struct Gather<'a, F> {
    air: Air<'a, F>,
    run: Run,
    outer: Shared<'a, Row>,
}

impl<F: AirFlow> Kernel for Gather<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

impl<F: AirFlow> Gather<'_, F> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let Self { air: Air { motion, aero, pushes, .. }, run, outer } = self;
        let mut row = run.start;
        while row < run.start + run.len {
            let around = aero.starts[row / BATCH] as usize..aero.starts[row / BATCH + 1] as usize;
            let lane = row % BATCH;
            let mut sum = V3::<L>::zero();
            // SAFETY: `gather` checked the arrays, `AeroTriangles::new` its indices: below `pushes` rows; its caller
            // keeps others away.
            unsafe {
                if !outer.is_empty() {
                    let [x, y, z, _] = in_order(outer.as_ptr(), run.layout, row);
                    sum = V3::new(x, y, z);
                }
                for at in &aero.around[around] {
                    let rows = L::load_rows(pushes.as_ptr().cast(), at.as_ptr().add(lane));
                    let [x, y, z, _] = L::transpose(rows);
                    sum = sum + V3::new(x, y, z);
                }
                let sum = [sum.x, sum.y, sum.z, L::zero()];
                match run.layout {
                    Layout::Lanes => put(sum, motion.force, run.layout, row),
                    Layout::Rows => put_in_order(sum, motion.force, row),
                }
            }
            row += L::WIDTH;
        }
    }
}
