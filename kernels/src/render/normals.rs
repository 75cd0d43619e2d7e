//! Normals of vertices: the sum of the triangles' around them, weighted by area.
//!
//! n = sum over the fan of (a - x) x (b - x), scaled to length 1. The cross product is twice the area times the normal,
//! so the weight comes free, depends smoothly on the positions, and lets a triangle that degenerates go quietly. Angles
//! as weights (Thürmer, Wüthrich 1998) do not depend on how a surface is cut into triangles, but need an arc cosine a
//! corner, and the angle of a sliver is noise. Max 1999 and Jin, Lewis, West 2005 compare these and others; the more
//! evenly a mesh is cut, the less it matters, and simulated ones are cut evenly.
//!
//! Each vertex gathers its fan: nothing is added up in memory, so nothing depends on threads. The other way, a normal a
//! triangle first and sums a vertex then, computes a third and moves more. Tried, nanoseconds a vertex, fans and
//! triangles: 100^2 in rows, AVX-512 2.2 and 3.4, AVX2 2.8 and 3.4, SSE2 4.8 and 4.6, one lane 11 and 7; with diagonals
//! at random 3.4 and 3.9, 4.4 and 4.0, 8.0 and 4.8, 16 and 8. Beyond the caches the triangles' rows cost more: at
//! 1000^2, AVX2, 2.9 and 6.5.

use super::Vertex;
use super::access::{Indices, Sixteen, take};
use super::fan::{Fans, Missing};
use super::groups::{Group, Groups};
use crate::lanes::{Dispatch, Kernel, Lanes};
use crate::tuning::MIN_AREA;
use crate::{BATCH, Isa, Row, V3};

/// Vertex normals of a mesh, and the memory that they need.
#[derive(Clone, Debug)]
pub struct Normals {
    vertices: usize,
    groups: Vec<Group>,
    near: Indices,
    positions: Positions,
}

/// Positions as the groups load them.
#[derive(Clone, Debug)]
enum Positions {
    /// Of a mesh that mostly has runs: all x, all y, all z, each with room for a register behind the last.
    Lanes([Vec<f32>; 3]),
    /// Of any other.
    Rows(Vec<Row>),
}

impl Normals {
    /// Plans for a mesh of `vertices` vertices; `triangles`: m corners. Any mesh will do.
    ///
    /// # Errors
    /// If a triangle names a vertex that does not exist.
    ///
    /// # Panics
    /// If triangles name vertices from 2^31 on.
    pub fn new(vertices: usize, triangles: &[[u32; 3]]) -> Result<Normals, Missing> {
        let fans = Fans::new(vertices, triangles)?;
        let Groups { groups, near, lattice } = Groups::new(&fans, vertices);
        let column = || vec![0.0; vertices + BATCH];
        let positions = if lattice {
            Positions::Lanes([column(), column(), column()])
        } else {
            Positions::Rows(vec![[0.0; 4]; vertices])
        };
        let near = Indices::new(near, vertices).expect("fans name vertices that exist");
        Ok(Normals { vertices, groups, near, positions })
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Reads the mesh's positions, metres.
    ///
    /// # Panics
    /// If there is not one a vertex.
    pub fn read(&mut self, isa: Isa, positions: &[Vertex]) {
        assert_eq!(positions.len(), self.vertices, "one position a vertex");
        isa.dispatch(Read { to: &mut self.positions, positions });
    }

    /// Writes the unit normals of the vertices from `first` on, counter-clockwise seen from outside.
    ///
    /// [0, 0, 0] where there is none: no triangle, none with an area (|n| above `tuning::MIN_AREA`), or positions that
    /// are not finite or more than 1e9 m apart.
    ///
    /// # Panics
    /// If there are not so many vertices.
    pub fn write(&self, isa: Isa, first: usize, out: &mut [Vertex]) {
        self.write_into(isa, first, out);
    }

    pub(super) fn write_into<T: NormalSink>(&self, isa: Isa, first: usize, out: &mut [T]) {
        assert!(first <= self.vertices && out.len() <= self.vertices - first, "normals of vertices that exist");
        isa.dispatch(Write { normals: self, first, out });
    }
}

/// Where normals are put.
pub(super) trait NormalSink: Sized {
    /// From `low` on, as many as there are places.
    fn put<L: Lanes<Elem = f32>>(places: &mut [Self], normals: &Sixteen<L>, low: usize);
}

impl NormalSink for Vertex {
    #[inline(always)]
    fn put<L: Lanes<Elem = f32>>(places: &mut [Vertex], normals: &Sixteen<L>, low: usize) {
        normals.copy(low, places);
    }
}

struct Read<'a> {
    to: &'a mut Positions,
    positions: &'a [Vertex],
}

impl Kernel for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        match self.to {
            Positions::Lanes([x, y, z]) => {
                for (((p, x), y), z) in self.positions.iter().zip(x).zip(y).zip(z) {
                    (*x, *y, *z) = (p[0], p[1], p[2]);
                }
            }
            Positions::Rows(rows) => {
                for (p, row) in self.positions.iter().zip(rows) {
                    *row = [p[0], p[1], p[2], 0.0];
                }
            }
        }
    }
}

struct Write<'a, T> {
    normals: &'a Normals,
    first: usize,
    out: &'a mut [T],
}

impl<T: NormalSink> Kernel for Write<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Self { normals, first, out } = self;
        let end = first + out.len();
        let groups = &normals.groups;
        let mut sixteen = Sixteen::<L>::new();
        let start = groups.partition_point(|g| (g.first + g.lanes) as usize <= first);
        for &group in &groups[start..] {
            let base = group.first as usize;
            if base >= end {
                break;
            }
            let (low, high) = (first.max(base) - base, (end - base).min(group.lanes as usize));
            match &normals.positions {
                Positions::Lanes(columns) if !group.unit => {
                    for lane in low..high {
                        sixteen.set_one(lane, unit(around_one(normals, group, lane, columns), MIN_AREA));
                    }
                }
                positions => {
                    let mut lane = low / L::WIDTH * L::WIDTH;
                    while lane < high {
                        let n = match positions {
                            Positions::Rows(rows) => around_rows::<L>(normals, group, lane, rows),
                            Positions::Lanes(columns) => around_unit::<L>(normals, group, lane, columns),
                        };
                        sixteen.set(lane, unit(n, MIN_AREA));
                        lane += L::WIDTH;
                    }
                }
            }
            T::put(&mut out[base + low - first..base + high - first], &sixteen, low);
        }
    }
}

/// Length 1, or zero where it is not above `least`, or overflows: there is no direction.
#[inline(always)]
pub(super) fn unit<L: Lanes>(n: V3<L>, least: f64) -> V3<L> {
    let square = n.length_squared();
    let shaped = square.gt(L::splat(least * least)) & square.finite();
    (n * (L::splat(1.0) / square.sqrt())).or_zero(shaped)
}

/// The registers of a vertex number and those that follow it.
#[inline(always)]
fn load<L: Lanes<Elem = f32>>([x, y, z]: &[Vec<f32>; 3], at: usize) -> V3<L> {
    V3::new(take(x, at), take(y, at), take(z, at))
}

/// Neighbours as whole registers.
#[inline(always)]
fn around_unit<L: Lanes<Elem = f32>>(normals: &Normals, group: Group, lane: usize, columns: &[Vec<f32>; 3]) -> V3<L> {
    let x = load::<L>(columns, group.first as usize + lane);
    let (mut n, mut before) = (V3::zero(), V3::zero());
    for slot in 0..group.slots as usize {
        let r = load::<L>(columns, normals.near.row(group.at + slot) + lane) - x;
        n = n + before.cross(r);
        before = r;
    }
    n
}

/// Neighbours by row.
#[inline(always)]
fn around_rows<L: Lanes<Elem = f32>>(normals: &Normals, group: Group, lane: usize, rows: &[Row]) -> V3<L> {
    let at = group.at + lane;
    let x = normals.near.gather::<L>(at, rows);
    let (mut n, mut before) = (V3::zero(), V3::zero());
    for slot in 1..=group.slots as usize {
        let r = normals.near.gather::<L>(at + slot * BATCH, rows) - x;
        n = n + before.cross(r);
        before = r;
    }
    n
}

/// One vertex of a lattice that is in no run: one lane, whatever the others are.
#[inline(always)]
fn around_one(normals: &Normals, group: Group, lane: usize, columns: &[Vec<f32>; 3]) -> V3<f32> {
    let x = load(columns, group.first as usize + lane);
    let (mut n, mut before) = (V3::zero(), V3::zero());
    for slot in 1..=group.slots as usize {
        let r = load(columns, normals.near.row(group.at + slot * BATCH + lane)) - x;
        n = n + before.cross(r);
        before = r;
    }
    n
}
