//! Balloon: a closed mesh holds a multiple of the volume that it has at rest.
//!
//! C(x) = V(x) - k V0, V = 1/6 sum of p1 . (p2 x p3) over the triangles, dV/dp_i = g_i / 6, g_i = sum of p_j x p_k
//! Müller et al. 2007, "Position Based Dynamics", section 4.4, eq. 14-15 (there without the sixths). Compliance in
//! m^3/Pa: the pressure inside is (k V0 - V) / compliance above that outside.
//!
//! ```text
//!       j2 ---- j1         g_i sums over the triangles (i, j, k) around vertex i, counter-clockwise seen from outside: its ring
//!      /  \    /  \        j0 j1 j2 ... j0 is gone through once, each neighbour read once, and no vertex is written by two.
//!    j3 --- i --- j0       V is homogeneous, so sum p_i . g_i = 18 V, of the same pass.
//!      \  /    \  /
//!       j4 ---- j5
//! ```
//! p is relative to one vertex of the mesh, the origin, (x_i - x_o) + (u_i - u_o): absolute coordinates would cancel
//! badly. That vertex is at zero exactly, so its products vanish: it fills rings that are shorter than their
//! neighbours' in the register, and stands between the rings of a vertex that has several.

use super::Sums;
use crate::integrate::rows::{columns, in_order, numbers, put, put_columns, put_in_order};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::tuning::{MAX_CORRECTION, MIN_DENOMINATOR};
use crate::{BATCH, Chunk, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::Use;
use std::ops::Range;

/// The vertices of a closed mesh, sixteen at a time, and the rings around them. Made once; what is gathered by index is
/// proved here.
#[derive(Clone, Debug)]
pub struct Rings {
    layout: Layout,
    /// Particles that there are.
    particles: usize,
    origin: usize,
    /// First particle of each register, ascending.
    registers: Vec<u32>,
    /// Rings of register b: `around[starts[b]..starts[b + 1]]`, as [`Lanes::load_rows`] counts.
    starts: Vec<u32>,
    around: Vec<[u32; BATCH]>,
}

impl Rings {
    /// Of triangles, counter-clockwise seen from outside, by their particles; there are `particles`, a multiple of
    /// sixteen. Of a mesh that does not close nothing is proved but that it can be gone through.
    ///
    /// # Panics
    /// If there is no triangle, or a particle that does not exist.
    #[must_use]
    pub fn new(particles: usize, layout: Layout, triangles: &[[u32; 3]]) -> Rings {
        assert!(
            particles.is_multiple_of(BATCH) && particles <= u32::MAX as usize / 2,
            "particles are numbered in sixteens"
        );
        let corners = triangles.as_flattened();
        assert!(
            !corners.is_empty() && corners.iter().all(|&p| (p as usize) < particles),
            "triangles of other particles"
        );
        let origin = corners[0];
        // Sides that lie across from each vertex, in the order of the triangles.
        let mut sides: Vec<[u32; 3]> =
            triangles.iter().flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]).collect();
        sides.sort_by_key(|side| side[0]);
        let mut rings = Rings {
            layout,
            particles,
            origin: origin as usize,
            registers: Vec::new(),
            starts: vec![0],
            around: Vec::new(),
        };
        for register in sides.chunk_by(|a, b| a[0] as usize / BATCH == b[0] as usize / BATCH) {
            let mut of_lane = vec![Vec::new(); BATCH];
            for of_vertex in register.chunk_by(|a, b| a[0] == b[0]) {
                of_lane[of_vertex[0][0] as usize % BATCH] = ring(of_vertex, origin);
            }
            let most = of_lane.iter().map(Vec::len).max().unwrap_or(0);
            let entry = |k: usize| std::array::from_fn(|lane| 2 * of_lane[lane].get(k).copied().unwrap_or(origin));
            rings.registers.push(register[0][0] / BATCH as u32 * BATCH as u32);
            rings.around.extend((0..most).map(entry));
            rings.starts.push(rings.around.len() as u32);
        }
        rings
    }

    /// Number of registers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.registers.len()
    }

    /// Never: there would be no triangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty()
    }

    /// Everything, as bytes.
    pub fn bytes(&self, mut add: impl FnMut(&[u8])) {
        add(bytemuck::cast_slice(&self.registers));
        add(bytemuck::cast_slice(&self.starts));
        add(bytemuck::cast_slice(&self.around));
    }
}

/// The neighbours of a vertex in the order of its ring, from sides [vertex, from, to]; the origin stands between
/// several rings.
fn ring(sides: &[[u32; 3]], origin: u32) -> Vec<u32> {
    // By where they begin, and in their order: of those that begin alike the first that is left is taken.
    let mut sorted: Vec<(u32, usize)> = sides.iter().enumerate().map(|(i, side)| (side[1], i)).collect();
    sorted.sort_unstable();
    let (mut taken, mut gone) = (vec![0; sorted.len()], vec![false; sides.len()]);
    let mut ring = Vec::new();
    for begin in 0..sides.len() {
        if gone[begin] {
            continue;
        }
        if !ring.is_empty() {
            ring.push(origin);
        }
        let mut from = sides[begin][1];
        ring.push(from);
        loop {
            let first = sorted.partition_point(|&(of, _)| of < from);
            let Some(&(_, next)) = sorted.get(first + taken.get(first).unwrap_or(&0)).filter(|(of, _)| *of == from)
            else {
                break;
            };
            taken[first] += 1;
            gone[next] = true;
            from = sides[next][2];
            ring.push(from);
        }
    }
    ring
}

/// Rows of a balloon in a step.
#[derive(Clone, Copy, Debug)]
pub struct Inflation<'a> {
    /// The volume that the rings belong to.
    pub rings: &'a Rings,
    /// Positions and inverse masses [x, y, z, w].
    pub x: Shared<'a, Row>,
    /// Displacements [ux, uy, uz, 0].
    pub u: Shared<'a, Row>,
    /// Positions relative to the origin, in rows whatever the layout; as many as particles.
    pub p: Shared<'a, Row>,
    /// Gradients g_i, which lie as the particles do; as many.
    pub g: Shared<'a, Row>,
}

impl Inflation<'_> {
    /// Finds the relative positions of some registers' particles.
    ///
    /// # Safety
    /// Nobody writes positions or displacements of these or of the origin meanwhile, nor uses `p` of these.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn place(self, isa: Isa, registers: Range<usize>) {
        self.check(&registers);
        isa.dispatch(Relate { of: self, registers });
    }

    /// Finds the gradients of some registers' particles: the sums of p . g and of w |g|^2.
    ///
    /// # Safety
    /// Nobody writes positions or `p` of any particle meanwhile, nor uses `g` of these.
    ///
    /// # Panics
    /// If an array is too short.
    #[must_use]
    pub unsafe fn gradients(self, isa: Isa, registers: Range<usize>) -> [f64; 2] {
        self.check(&registers);
        isa.dispatch(Gradients { of: self, registers })
    }

    /// u += w g `by`.
    ///
    /// # Safety
    /// Nobody else uses these registers' displacements, nor writes their positions or `g`.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn push(self, isa: Isa, registers: Range<usize>, by: f32) {
        self.check(&registers);
        for &start in &self.rings.registers[registers.clone()] {
            self.u.claim(start as usize, BATCH, Use::Write);
        }
        isa.dispatch(Push { of: self, registers, by });
    }

    /// Every array has all particles, so that kernels may go through them unchecked.
    fn check(&self, registers: &Range<usize>) {
        assert!(registers.end <= self.rings.len(), "registers of another mesh");
        let lens = [self.x.len(), self.u.len(), self.p.len(), self.g.len()];
        assert!(lens.into_iter().all(|len| self.rings.particles <= len), "too few rows");
    }
}

struct Relate<'a> {
    of: Inflation<'a>,
    registers: Range<usize>,
}

impl Kernel for Relate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Inflation { rings: &Rings { layout, origin, ref registers, .. }, x, u, p, .. } = self.of;
        // SAFETY: `check` found the origin within the rows, and nobody writes it.
        let (xo, uo) = unsafe { (row(x, layout, origin), row(u, layout, origin)) };
        // The origin over and over, as whole rows lie in registers; the inverse masses stay.
        let (mut of_x, mut of_u) = ([[0.0; 4]; BATCH], [[0.0; 4]; BATCH]);
        of_x.fill([xo[0], xo[1], xo[2], 0.0]);
        of_u.fill([uo[0], uo[1], uo[2], 0.0]);
        for &start in &registers[self.registers] {
            let mut at = start as usize;
            while at < start as usize + BATCH {
                // SAFETY: `check` found all rows; WIDTH divides 16; the caller keeps others away.
                unsafe {
                    let (mut xs, us) = (numbers::<L>(x.as_ptr(), layout, at), numbers::<L>(u.as_ptr(), layout, at));
                    match layout {
                        Layout::Rows => {
                            let xo = numbers::<L>(of_x.as_ptr(), layout, 0);
                            let uo = numbers::<L>(of_u.as_ptr(), layout, 0);
                            for k in 0..4 {
                                xs[k] = (xs[k] - xo[k]) + (us[k] - uo[k]);
                            }
                            put(xs, p, layout, at);
                        }
                        Layout::Lanes => {
                            for k in 0..3 {
                                xs[k] = (xs[k] - L::set(xo[k])) + (us[k] - L::set(uo[k]));
                            }
                            put_in_order(xs, p, at);
                        }
                    }
                }
                at += L::WIDTH;
            }
        }
    }
}

/// A particle's four numbers.
///
/// # Safety
/// There is such a row, and nobody writes it.
unsafe fn row(rows: Shared<'_, Row>, layout: Layout, particle: usize) -> Row {
    let from = rows.as_ptr().cast::<f32>().wrapping_add(layout.offset(particle));
    let mut row = [0.0; 4];
    for (k, number) in row.iter_mut().enumerate() {
        // SAFETY: the caller promises that there is such a row, and nobody writes it.
        *number = unsafe { from.add(k * layout.stride()).read() };
    }
    row
}

struct Gradients<'a> {
    of: Inflation<'a>,
    registers: Range<usize>,
}

impl Kernel for Gradients<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> [f64; 2] {
        let Inflation { rings: Rings { layout, registers, starts, around, .. }, p, g, .. } = self.of;
        let mut lanes = Sums::new();
        for chunk in Chunk::<L>::all() {
            let (mut volume, mut weighted) = (L::zero(), L::zero());
            for register in self.registers.clone() {
                let at = registers[register] as usize + chunk.first();
                let ring = &around[starts[register] as usize..starts[register + 1] as usize];
                // SAFETY: `check` found all rows, and `Rings::new` its indices among them; WIDTH divides 16; the caller
                // keeps writers
                // away.
                unsafe {
                    let [x, y, z, w] = in_order::<L>(p.as_ptr(), Layout::Rows, at);
                    let (mut sum, mut from) = (V3::zero(), neighbour(p, &ring[0], chunk));
                    for entry in &ring[1..] {
                        let to = neighbour(p, entry, chunk);
                        sum = sum + from.cross(to);
                        from = to;
                    }
                    volume = volume + V3::new(x, y, z).dot(sum);
                    weighted = weighted + w * sum.length_squared();
                    let sum = [sum.x, sum.y, sum.z, L::zero()];
                    match layout {
                        Layout::Rows => put_in_order(sum, g, at),
                        Layout::Lanes => put(sum, g, *layout, at),
                    }
                }
            }
            lanes.put(chunk, [volume, weighted]);
        }
        lanes.fold()
    }
}

/// Relative positions of the particles in a chunk of an entry of rings.
///
/// # Safety
/// The entry's rows exist, and nobody writes them.
#[inline(always)]
unsafe fn neighbour<L: Lanes<Elem = f32>>(p: Shared<'_, Row>, entry: &[u32; BATCH], chunk: Chunk<L>) -> V3<L> {
    // SAFETY: the caller promises that the entry's rows exist, and nobody writes them.
    let [x, y, z, _] = L::transpose(unsafe { L::load_rows(p.as_ptr().cast(), chunk.of(entry)) });
    V3::new(x, y, z)
}

struct Push<'a> {
    of: Inflation<'a>,
    registers: Range<usize>,
    by: f32,
}

impl Kernel for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Inflation { rings: &Rings { layout, ref registers, .. }, x, u, g, .. } = self.of;
        for &start in &registers[self.registers] {
            let mut at = start as usize;
            while at < start as usize + BATCH {
                // SAFETY: `check` found all rows; WIDTH divides 16; the caller keeps others away.
                unsafe {
                    let [.., w] = columns::<L>(x.as_ptr(), layout, at);
                    let [gx, gy, gz, _] = columns::<L>(g.as_ptr(), layout, at);
                    let [ux, uy, uz, rest] = columns::<L>(u.as_ptr(), layout, at);
                    let dx = V3::new(gx, gy, gz) * (w * L::set(self.by));
                    let size = (dx.x.abs() + dx.y.abs()) + dx.z.abs();
                    let dx = dx.or_zero(size.lt(L::splat(MAX_CORRECTION)));
                    put_columns([ux + dx.x, uy + dx.y, uz + dx.z, rest], u, layout, at);
                }
                at += L::WIDTH;
            }
        }
    }
}

/// How far the gradients push, for the sums of all blocks of [`Inflation::gradients`]: XPBD eq. 18 or PBD's k', as
/// [`crate::Softness`] has them; `volume` is k V0. None if nothing can move. The multiplier, Pa s^2, is kept over
/// iterations.
#[must_use]
pub fn pressure([volume_18, weighted_36]: [f64; 2], volume: f64, [a, k]: [f64; 2], lambda: &mut f64) -> Option<f32> {
    let (c, weighted) = (volume_18 / 18.0 - volume, weighted_36 / 36.0);
    let delta = -((c + a * *lambda) * k) / (weighted + a);
    if !(weighted > MIN_DENOMINATOR && delta.is_finite()) {
        return None;
    }
    *lambda += delta;
    Some((delta / 6.0) as f32)
}
