//! Keeps clamped particles and their triangles out of colliders.
//!
//! Contacts have moved particles out of colliders, and the clamp takes a part of that back. If one corner of a triangle
//! is clamped and the others are not, the triangle may end inside a collider. Then the displacements of all its corners
//! are shortened until it ends outside; at worst it stays where it started. Displacements that are shortened further
//! stay on their side of the clamp's planes (clamp.rs). A collider that moves into what the clamp holds back has
//! further sweeps, and then carries it along (core/src/run/passes/pairs/carry.rs).
//!
//! Bodies with a skin are left out: the skin meets colliders, and their own particles may be inside of these. What the
//! clamp takes back of a push out of a collider, the contacts of the next substep push again.

use super::clamp::{DisplacementClamp, Displacements};
use crate::describe::collider::Collider;
use crate::geometry::vector::P;
use crate::plan::surfaces::Surfaces;
use crate::run::passes::colliders::gap::gap_below;
use crate::run::passes::colliders::moving::{Bounds, Moving};
use seidel_kernels::{Lanes, Row, V3};

/// The depth in a collider that is allowed, as a part of the thickness: contacts leave as much.
const SHALLOW: f64 = 1.0 / 2048.0;
/// Bisection steps to find the share of a displacement that may be kept.
const HALVES: u32 = 6;
/// Rows that may be looked at for each row that a pass has clamped. Those after that stay where they start if they end
/// inside.
const ROUNDS: usize = 8;

/// Triangles of each row.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// Where the triangles of each row begin in `triangles`, and the triangles of all rows.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

/// Colliders, and where they are when the substep ends.
#[derive(Clone, Copy)]
pub(crate) struct MovingColliders<'a> {
    pub(crate) colliders: &'a [Collider],
    pub(crate) moving: &'a [Moving],
}

impl Outside {
    /// The triangles of each of `rows` rows.
    pub(crate) fn new(surfaces: &Surfaces, rows: usize) -> Outside {
        let mut starts = vec![0; rows + 1];
        surfaces.triangles.as_flattened().iter().for_each(|&row| starts[row as usize + 1] += 1);
        (1..starts.len()).for_each(|row| starts[row] += starts[row - 1]);
        let mut next = starts.clone();
        let mut triangles = vec![0; surfaces.triangles.len() * 3];
        for (number, corners) in surfaces.triangles.iter().enumerate() {
            for &row in corners {
                triangles[next[row as usize] as usize] = number as u32;
                next[row as usize] += 1;
            }
        }
        Outside { starts, triangles }
    }

    /// Shortens displacements of clamped rows, and of the other corners of their triangles, until all end outside of
    /// all colliders.
    pub(crate) fn keep(
        &self,
        surfaces: &Surfaces,
        around: MovingColliders<'_>,
        clamp: &mut DisplacementClamp,
        displacements: &mut Displacements<'_>,
    ) {
        let most = clamp.now.len() * ROUNDS;
        let mut next = 0;
        // Rows that are shortened here are looked at in their turn.
        while let Some(&row) = clamp.now.get(next) {
            let (start, end) = (self.starts[row as usize] as usize, self.starts[row as usize + 1] as usize);
            let stay = next >= most;
            next += 1;
            // The row is in the list more than once, and no row has been shortened since its triangles were found
            // outside.
            if clamp.seen[row as usize] as usize == clamp.now.len() {
                continue;
            }
            let before = clamp.now.len();
            if start == end {
                shorten(surfaces, around, &[row], stay, clamp, displacements);
            }
            for &triangle in &self.triangles[start..end] {
                shorten(surfaces, around, &surfaces.triangles[triangle as usize], stay, clamp, displacements);
            }
            if clamp.now.len() == before {
                clamp.seen[row as usize] = before as u32;
            }
        }
    }
}

impl Outside {
    /// Whether a collider that moves presses one of the rows that were clamped in the last pass.
    pub(super) fn press_some(
        &self,
        surfaces: &Surfaces,
        around: MovingColliders<'_>,
        clamp: &DisplacementClamp,
        displacements: &Displacements<'_>,
    ) -> bool {
        let moves = |collider: u32| around.moving[collider as usize].moves();
        let presses = |row: &u32| self.pressing(surfaces, around, *row, clamp, displacements, moves).is_some();
        around.moving.iter().any(Moving::moves) && clamp.now.iter().any(presses)
    }

    /// The first of some colliders in which a row, or a triangle of it, ends deeper than it would without the clamp.
    pub(super) fn pressing(
        &self,
        surfaces: &Surfaces,
        around: MovingColliders<'_>,
        row: u32,
        clamp: &DisplacementClamp,
        displacements: &Displacements<'_>,
        of: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let (start, end) = (self.starts[row as usize] as usize, self.starts[row as usize + 1] as usize);
        let pressing = |rows: &[u32]| pressing(surfaces, around, rows, clamp, displacements, &of);
        let of_triangle = |&triangle: &u32| pressing(&surfaces.triangles[triangle as usize]);
        pressing(&[row]).or_else(|| self.triangles[start..end].iter().find_map(of_triangle))
    }
}

/// The first of some colliders in which a point or a triangle ends deeper than it would without the clamp.
fn pressing(
    surfaces: &Surfaces,
    around: MovingColliders<'_>,
    rows: &[u32],
    clamp: &DisplacementClamp,
    displacements: &Displacements<'_>,
    of: impl Fn(u32) -> bool,
) -> Option<u32> {
    let body = surfaces.bodies.iter().find(|body| body.rows.contains(&rows[0])).filter(|body| !body.skinned)?;
    let thickness = surfaces.thickness_of(body, rows);
    let corners: [u32; 3] = std::array::from_fn(|k| rows[k.min(rows.len() - 1)]);
    let ends = corners.map(|row| displacements.end[row as usize]);
    let bound = |of: fn(f32, f32) -> f32| std::array::from_fn(|k| ends.iter().fold(ends[0][k], |x, end| of(x, end[k])));
    let bounds: Bounds = [bound(Lanes::smaller), bound(Lanes::larger)];
    (0..around.colliders.len() as u32).filter(|&number| of(number)).find(|&number| {
        let (collider, moving) = (&around.colliders[number as usize], &around.moving[number as usize]);
        if !body.filter.meets(collider.filter) || matches!(moving, Moving::Off) {
            return false;
        }
        if !moving.reaches(collider, &bounds, thickness) {
            return false;
        }
        let frame = moving.frame();
        // The depth if it is above `least`; otherwise some number that is not.
        let depth = |ends: [Row; 3], least: f64| {
            let points = ends.map(|[x, y, z, _]| [x, y, z].map(f64::from));
            -gap_below(collider, &frame, &points[..rows.len()], thickness, -least)
        };
        let rounding = f64::from(displacements.least);
        let shallow = shallow(thickness, collider, rounding);
        let deep = depth(ends, shallow);
        let (free, by) = (|row: u32| clamp.full(row, displacements), deep - rounding);
        // A NaN is no depth.
        if deep.is_nan() || deep <= shallow || by <= depth(corners.map(free), by) {
            return false;
        }
        // Rows that are carried along and are no deeper in the collider than when the substep began are not pressed.
        let carried = clamp.carrier(rows).is_some();
        let rigid = |row: u32| {
            let [x, y, z, w] = displacements.start[row as usize];
            let x = V3::set([x, y, z].map(f64::from));
            let V3 { x, y, z } = x + clamp.carriers.motions[number as usize].at(x);
            [x as f32, y as f32, z as f32, w]
        };
        !carried || by > depth(corners.map(rigid), by)
    })
}

/// The depth in a collider that is allowed, metres.
fn shallow(thickness: f32, collider: &Collider, rounding: f64) -> f64 {
    f64::from(thickness + collider.thickness) * SHALLOW + rounding
}

/// Shortens the displacements of a point or of a triangle that ends inside a collider until it ends outside, or to zero
/// if `stay`.
fn shorten(
    surfaces: &Surfaces,
    around: MovingColliders<'_>,
    rows: &[u32],
    stay: bool,
    clamp: &mut DisplacementClamp,
    displacements: &mut Displacements<'_>,
) {
    let of = surfaces.bodies.iter().find(|body| body.rows.contains(&rows[0]));
    let Some(body) = of.filter(|body| !body.skinned) else { return };
    let thickness = surfaces.thickness_of(body, rows);
    let moves = |row: &u32| displacements.end[*row as usize][3] > 0.0 && clamp.share(*row) > 0.0;
    // Fixed rows and rows without a displacement cannot be shortened. Rows that are pushed along must not be.
    if !rows.iter().any(moves) || clamp.is_pushed(rows) {
        return;
    }
    // One corner goes with a collider, and the triangle gets into that: all corners go.
    let group = clamp.carrier(rows);
    let of_group = |collider: u32| group.is_some_and(|group| clamp.carriers.are(collider, group));
    if group.is_some()
        && pressing(surfaces, around, rows, clamp, displacements, of_group).is_some()
        && !clamp.join(rows, displacements)
    {
        return;
    }
    let moves = |row: &u32| displacements.end[*row as usize][3] > 0.0 && clamp.share(*row) > 0.0;
    let mut bases = [[0.0; 3]; 3];
    bases.iter_mut().zip(rows).for_each(|(base, row)| *base = clamp.base(*row, displacements));
    let mut part = 1.0;
    for (collider, moving) in around.colliders.iter().zip(around.moving) {
        if !body.filter.meets(collider.filter) || matches!(moving, Moving::Off) {
            continue;
        }
        let frame = moving.frame();
        let depth = |part: f64, least: f64| {
            let mut points = [[0.0; 3]; 3];
            for (k, (point, row)) in points.iter_mut().zip(rows).enumerate() {
                *point = along(displacements, *row, bases[k], if moves(row) { part } else { 1.0 });
            }
            -gap_below(collider, &frame, &points[..rows.len()], thickness, -least)
        };
        let shallow = shallow(thickness, collider, f64::from(displacements.least));
        let full = depth(part, shallow);
        // A NaN is no depth.
        if full.is_nan() || full <= shallow {
            continue;
        }
        // If it starts as deep as it ends, shortening does not help.
        if depth(0.0, full) >= full {
            continue;
        }
        let (mut low, mut high) = (0.0, part);
        for _ in 0..if stay { 0 } else { HALVES } {
            let middle = 0.5 * (low + high);
            if depth(middle, shallow) <= shallow {
                low = middle;
            } else {
                high = middle;
            }
        }
        part = low;
    }
    if part < 1.0 {
        for &row in rows {
            if clamp.share(row) > 0.0 {
                clamp.shorten(row, part, displacements);
            }
        }
    }
}

/// The position of a row with a part of its displacement, relative to the common motion `base`.
fn along(displacements: &Displacements<'_>, row: u32, base: [f32; 3], part: f64) -> P {
    let (start, end) = (displacements.start[row as usize], displacements.end[row as usize]);
    std::array::from_fn(|k| {
        let (start, common) = (f64::from(start[k]), f64::from(base[k]));
        start + (common + ((f64::from(end[k]) - start) - common) * part)
    })
}
