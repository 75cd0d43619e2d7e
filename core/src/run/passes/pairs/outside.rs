//! Keeps clamped particles and their triangles out of colliders.
//!
//! Contacts have moved particles out of colliders, and the clamp takes a part of that back. If one corner of a triangle
//! is clamped and the others are not, the triangle may end inside a collider. Then the displacements of all its corners
//! are shortened until it ends outside; at worst it stays where it started. Displacements that are shortened further
//! stay on their side of the clamp's planes (clamp.rs). A collider that moves into something without a way out is not
//! stopped.
//!
//! Bodies with a skin are left out: the skin meets colliders, and their own particles may be inside of these. What the
//! clamp takes back of a push out of a collider, the contacts of the next substep push again.

use super::clamp::{DisplacementClamp, Displacements};
use crate::describe::collider::Collider;
use crate::geometry::vector::P;
use crate::plan::surfaces::Surfaces;
use crate::run::passes::colliders::gap::gap;
use crate::run::passes::colliders::moving::Moving;
use seidel_kernels::Row;

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
    /// Whether a row that is pushed along, or a triangle of it, ends in a collider, deeper than it would without the
    /// clamp.
    pub(super) fn is_pressed(
        &self,
        surfaces: &Surfaces,
        around: MovingColliders<'_>,
        row: u32,
        clamp: &DisplacementClamp,
        displacements: &Displacements<'_>,
    ) -> bool {
        let (start, end) = (self.starts[row as usize] as usize, self.starts[row as usize + 1] as usize);
        let presses = |rows: &[u32]| presses(surfaces, around, rows, clamp, displacements);
        presses(&[row])
            || self.triangles[start..end].iter().any(|&triangle| presses(&surfaces.triangles[triangle as usize]))
    }
}

/// Whether a point or a triangle ends in a collider, deeper than it would without the clamp.
fn presses(
    surfaces: &Surfaces,
    around: MovingColliders<'_>,
    rows: &[u32],
    clamp: &DisplacementClamp,
    displacements: &Displacements<'_>,
) -> bool {
    let of = surfaces.bodies.iter().find(|body| body.rows.contains(&rows[0]));
    let Some(body) = of.filter(|body| !body.skinned) else { return false };
    let thickness = surfaces.thickness_of(body, rows);
    let colliders = around.colliders.iter().zip(around.moving);
    let met =
        |collider: &Collider, moving: &Moving| body.filter.meets(collider.filter) && !matches!(moving, Moving::Off);
    colliders.filter(|(collider, moving)| met(collider, moving)).any(|(collider, moving)| {
        let frame = moving.frame();
        let depth = |ends: [Row; 3]| {
            let points = ends.map(|[x, y, z, _]| [x, y, z].map(f64::from));
            -gap(collider, &frame, &points[..rows.len()], thickness)
        };
        let corners: [u32; 3] = std::array::from_fn(|k| rows[k.min(rows.len() - 1)]);
        let deep = depth(corners.map(|row| displacements.end[row as usize]));
        let free = |row: u32| clamp.full(row, displacements);
        let rounding = f64::from(displacements.least);
        deep > shallow(thickness, collider, rounding) && deep > depth(corners.map(free)) + rounding
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
    let mut part = 1.0;
    for (collider, moving) in around.colliders.iter().zip(around.moving) {
        if !body.filter.meets(collider.filter) || matches!(moving, Moving::Off) {
            continue;
        }
        let frame = moving.frame();
        let depth = |part: f64| {
            let mut points = [[0.0; 3]; 3];
            for (point, row) in points.iter_mut().zip(rows) {
                *point = along(displacements, *row, if moves(row) { part } else { 1.0 });
            }
            -gap(collider, &frame, &points[..rows.len()], thickness)
        };
        let shallow = shallow(thickness, collider, f64::from(displacements.least));
        let full = depth(part);
        // A NaN is no depth.
        if full.is_nan() || full <= shallow {
            continue;
        }
        // If it starts as deep as it ends, shortening does not help.
        let least = depth(0.0);
        if least >= full {
            continue;
        }
        let (mut low, mut high) = (0.0, part);
        for _ in 0..if stay { 0 } else { HALVES } {
            let middle = 0.5 * (low + high);
            if depth(middle) <= shallow {
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

/// The position of a row with a part of its displacement, relative to the common motion.
fn along(displacements: &Displacements<'_>, row: u32, part: f64) -> P {
    let (start, end) = (displacements.start[row as usize], displacements.end[row as usize]);
    std::array::from_fn(|k| {
        let (start, common) = (f64::from(start[k]), f64::from(displacements.common[k]));
        start + (common + ((f64::from(end[k]) - start) - common) * part)
    })
}
