//! Parts of a sheet that lie flat enough that nothing in them can touch.
//!
//! A sheet that is plane at rest has rest coordinates p; where it is now is a map f(p), and on a triangle f' = F (3 x
//! 2). With two tangents Q (3 x 2, orthonormal), wherever all triangles of a region that is convex in p have
//!
//! ```text
//!   sym(Q^T F) >= mu I      then, along the straight line from q to p,
//!   (p - q) . Q^T (f(p) - f(q)) = integral of (p - q)^T sym(Q^T F) (p - q) >= mu |p - q|^2,  so  |f(p) - f(q)| >= mu |p - q|
//! ```
//! Two features that keep no more than mu of their distance at rest cannot touch. F is linear in the positions: what
//! holds at both ends of straight ways with the same Q holds between.

use super::gather;
use crate::integrate::rows::put_in_order;
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::{BATCH, Chunk, InChunks, Isa, Pack, Row, V3};
use seidel_workers::Shared;

/// Sixteen triangles.
#[derive(Clone, Copy, Debug)]
pub struct Triangles {
    at: [Pack<u32>; 4],
    /// (p1 - p0, p2 - p0)^-1 by rows, 1/m.
    inverse: [Pack<f32>; 4],
    /// The largest row.
    last: usize,
}

impl Triangles {
    /// Of one to sixteen triangles: rows, and the inverse of (p1 - p0, p2 - p0) by rows in 1/m.
    ///
    /// # Panics
    /// If there are none, or more.
    #[must_use]
    pub fn new(triangles: &[([u32; 3], [f32; 4])]) -> Triangles {
        assert!((1..=BATCH).contains(&triangles.len()), "one to sixteen triangles");
        let of = |lane: usize| triangles[lane.min(triangles.len() - 1)];
        let lanes = |f: &dyn Fn(usize) -> u32| Pack(std::array::from_fn(f));
        Triangles {
            at: std::array::from_fn(|slot| lanes(&|lane| of(lane).0[slot.min(2)] * 2)),
            inverse: std::array::from_fn(|k| Pack(std::array::from_fn(|lane| of(lane).1[k]))),
            last: triangles.iter().flat_map(|t| t.0).fold(0, u32::max) as usize,
        }
    }
}

/// Deformation gradients of triangles at where particles are.
#[derive(Clone, Copy, Debug)]
pub struct Gradients<'a> {
    /// Where the particles are.
    pub x: &'a [Row],
    /// The triangles.
    pub triangles: &'a [Triangles],
}

/// What [`Gradients`] writes, sixteen rows for sixteen triangles.
#[derive(Debug)]
pub struct Deformed<'a> {
    /// [F00, F10, F20, F01] of each triangle.
    pub first: &'a mut [Row],
    /// [F11, F21, -, -].
    pub second: &'a mut [Row],
    /// How much F has changed from `before`: the root of the sum of its squares.
    pub change: &'a mut [Pack<f32>],
}

impl Gradients<'_> {
    /// Finds the gradients of all its triangles. `before` has both rows of gradients before.
    ///
    /// # Panics
    /// If a row is not there, or an array is too short.
    pub fn find(self, isa: Isa, before: [&[Row]; 2], deformed: Deformed<'_>) {
        let rows = self.triangles.iter().map(|triangles| triangles.last).max().map_or(0, |last| last + 1);
        assert!(rows <= self.x.len(), "triangles of other rows");
        let short = before.iter().map(|rows| rows.len()).chain([deformed.first.len(), deformed.second.len()]).min();
        assert!(short >= Some(self.triangles.len() * BATCH), "too few rows for gradients");
        assert!(deformed.change.len() >= self.triangles.len(), "too few packs for changes");
        isa.dispatch(Find { gradients: self, before, deformed });
    }
}

struct Find<'a> {
    gradients: Gradients<'a>,
    before: [&'a [Row]; 2],
    deformed: Deformed<'a>,
}

impl Kernel for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        self.all::<L::One>();
    }
}

/// Of rows one after another.
const NEXT: Pack<u32> = Pack([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]);

impl Find<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) {
        let Find { gradients, before: [first, second], deformed } = self;
        let out = [Shared::new(deformed.first), Shared::new(deformed.second)];
        for (number, triangles) in gradients.triangles.iter().enumerate() {
            for chunk in Chunk::<L>::all() {
                let row = number * BATCH + chunk.first();
                // SAFETY: `find` checked the rows and lengths.
                unsafe {
                    let (x, _) = gather::<L>(gradients.x.as_ptr(), &triangles.at, chunk);
                    let m = |k: usize| triangles.inverse[k].load(chunk);
                    let (a, b) = (x[1], x[2]);
                    let (f, g) = (a * m(0) + b * m(2), a * m(1) + b * m(3));
                    let old = |rows: &[Row]| L::transpose(L::load_rows(rows.as_ptr().add(row).cast(), NEXT.0.as_ptr()));
                    let ([fx, fy, fz, gx], [gy, gz, _, _]) = (old(first), old(second));
                    let change =
                        (f - V3::new(fx, fy, fz)).length_squared() + (g - V3::new(gx, gy, gz)).length_squared();
                    deformed.change[number].store(chunk, change.sqrt());
                    put_in_order([f.x, f.y, f.z, g.x], out[0], row);
                    put_in_order([g.y, g.z, L::zero(), L::zero()], out[1], row);
                }
            }
        }
    }
}

/// A region of a sheet.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    /// Its triangles' numbers, twice each; the last ones may be there again.
    pub triangles: &'a [Pack<u32>],
    /// Both rows of the gradients of all triangles.
    pub gradients: [&'a [Row]; 2],
}

impl Region<'_> {
    /// The least eigenvalue of sym(Q^T F) of all its triangles, Q being two tangents; -1 if a gradient is no number.
    ///
    /// # Panics
    /// If a triangle is not there.
    #[must_use]
    pub fn least(self, isa: Isa, q: [[f32; 3]; 2]) -> f32 {
        let mut last = [0; BATCH];
        for at in self.triangles {
            for (last, at) in last.iter_mut().zip(at.0) {
                *last = at.max(*last);
            }
        }
        let last = last.into_iter().fold(0, u32::max) as usize / 2;
        assert!(self.gradients.iter().all(|rows| last < rows.len()), "a triangle that is not there");
        isa.dispatch(Least { region: self, q })
    }
}

struct Least<'a> {
    region: Region<'a>,
    q: [[f32; 3]; 2],
}

impl Kernel for Least<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> f32 {
        self.all::<L::One>()
    }
}

impl Least<'_> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> f32 {
        let [[ux, uy, uz], [vx, vy, vz]] = self.q;
        let u = V3::new(L::set(ux), L::set(uy), L::set(uz));
        let v = V3::new(L::set(vx), L::set(vy), L::set(vz));
        let [first, second] = self.region.gradients;
        let (mut least, half) = (L::splat(f64::INFINITY), L::splat(0.5));
        for numbers in self.region.triangles {
            for chunk in Chunk::<L>::all() {
                // SAFETY: `least` checked the numbers.
                let rows = |of: &[Row]| unsafe { L::load_rows(of.as_ptr().cast(), chunk.of(&numbers.0)) };
                let ([fx, fy, fz, gx], [gy, gz, _, _]) = (L::transpose(rows(first)), L::transpose(rows(second)));
                let (f, g) = (V3::new(fx, fy, fz), V3::new(gx, gy, gz));
                let (a, c, b) = (u.dot(f), v.dot(g), (u.dot(g) + v.dot(f)) * half);
                let (middle, off) = ((a + c) * half, (a - c) * half);
                let eigen = middle - (off * off + b * b).sqrt();
                least = least.smaller(L::select(eigen.finite(), eigen, L::splat(-1.0)));
            }
        }
        super::least(least, least.le(least))
    }
}
