//! Repair: the mesh without what forbids planning, and a report of what changed.

use super::edges::{by_edge, half_edges};
use super::triangles::{duplicates, fault, is_finite};
use super::{Defect, Mesh};
use serde::Serialize;
use std::fmt;

/// The changes that a repair made. `Display` is one line for a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Repairs {
    /// Vertices that became one with an earlier vertex at the same place.
    pub merged_vertices: usize,
    /// Vertices that are gone, since no triangle that was kept uses them.
    pub dropped_vertices: usize,
    /// Triangles dropped for an index that no vertex has.
    pub out_of_range: usize,
    /// Triangles dropped for a vertex that is not finite.
    pub non_finite: usize,
    /// Triangles dropped because they have no area, or because a merge left them less than three vertices.
    pub degenerate: usize,
    /// Triangles dropped because an earlier one has the same vertices.
    pub duplicate: usize,
    /// Triangles dropped because one of their edges had two triangles already.
    pub non_manifold: usize,
    /// For every old vertex its new index; `None` if it is gone.
    pub vertex_map: Vec<Option<u32>>,
}

impl Repairs {
    /// Triangles dropped for any reason.
    #[must_use]
    pub fn dropped_triangles(&self) -> usize {
        self.out_of_range + self.non_finite + self.degenerate + self.duplicate + self.non_manifold
    }

    /// Whether the mesh came back as it was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.merged_vertices + self.dropped_vertices + self.dropped_triangles() == 0
    }
}

impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing to repair");
        }
        write!(f, "vertices merged: {}, dropped: {}; ", self.merged_vertices, self.dropped_vertices)?;
        write!(f, "triangles dropped: {}", self.dropped_triangles())?;
        let reasons = [
            (self.out_of_range, "index out of range"),
            (self.non_finite, "not finite"),
            (self.degenerate, "degenerate"),
            (self.duplicate, "duplicate"),
            (self.non_manifold, "non-manifold"),
        ];
        let mut separator = " (";
        for (count, reason) in reasons.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {reason}")?;
            separator = ", ";
        }
        f.write_str(if separator == ", " { ")" } else { "" })
    }
}

impl Mesh {
    /// Returns the mesh without the defects that forbid planning, and what that took; n log n time.
    ///
    /// In this order: vertices at the same place become the first of them; triangles out of range, not finite, without
    /// area or repeated are dropped; triangles are kept in order as long as no edge gets a third; vertices that nothing
    /// uses are dropped. Triangles and vertices that stay keep their order. Dropping triangles may open a boundary.
    ///
    /// Not repaired: [`Defect::TooFar`], which is a question of units, and [`Defect::TooLarge`], which comes back as it
    /// is with an empty map.
    #[must_use]
    pub fn repaired(&self) -> (Self, Repairs) {
        let mut repairs = Repairs::default();
        if self.is_too_large() {
            return (self.clone(), repairs);
        }
        let first = self.first_at_place();
        let kept = self.sound_triangles(&first, &mut repairs);
        let kept = manifold_triangles(kept, &mut repairs);
        (self.compact(&first, kept, &mut repairs), repairs)
    }

    /// The triangles, between the first vertices of each place, that are sound by themselves.
    fn sound_triangles(&self, first: &[u32], repairs: &mut Repairs) -> Vec<[u32; 3]> {
        let mut kept = Vec::with_capacity(self.triangles.len());
        for &triangle in &self.triangles {
            let merged = triangle.map(|v| first.get(v as usize).copied().unwrap_or(u32::MAX));
            match fault(merged, &self.positions) {
                None => kept.push(merged),
                Some(Defect::IndexOutOfRange) => repairs.out_of_range += 1,
                Some(Defect::NonFinite) => repairs.non_finite += 1,
                Some(_) => repairs.degenerate += 1,
            }
        }
        let mut keep = vec![true; kept.len()];
        for [_, later] in duplicates(&kept, |_| true) {
            keep[later as usize] = false;
            repairs.duplicate += 1;
        }
        retain(kept, &keep)
    }

    /// The mesh of the triangles that were kept, numbered without gaps.
    fn compact(&self, first: &[u32], mut triangles: Vec<[u32; 3]>, repairs: &mut Repairs) -> Self {
        const UNUSED: u32 = u32::MAX;
        const USED: u32 = 0;
        let mut new = vec![UNUSED; self.positions.len()];
        for &v in triangles.iter().flatten() {
            new[v as usize] = USED;
        }
        let mut positions = Vec::new();
        for (new, &p) in new.iter_mut().zip(&self.positions).filter(|(new, _)| **new == USED) {
            debug_assert!(is_finite(p));
            *new = positions.len() as u32;
            positions.push(p);
        }
        for v in triangles.iter_mut().flatten() {
            *v = new[*v as usize];
        }
        for (v, &first) in (0..).zip(first) {
            let to = new[first as usize];
            let gone = to == UNUSED;
            repairs.dropped_vertices += usize::from(gone);
            repairs.merged_vertices += usize::from(!gone && first != v);
            repairs.vertex_map.push((!gone).then_some(to));
        }
        Self { positions, triangles }
    }
}

/// The triangles in order, without those that would be the third at an edge.
fn manifold_triangles(triangles: Vec<[u32; 3]>, repairs: &mut Repairs) -> Vec<[u32; 3]> {
    let half_edges = half_edges(&triangles, |_| true);
    let mut edges = vec![[0; 3]; triangles.len()];
    let mut taken = Vec::new();
    for (edge, run) in by_edge(&half_edges).enumerate() {
        taken.push(0u8);
        for half in run {
            edges[half.triangle as usize][half.corner as usize] = edge;
        }
    }
    // Not simply the third at each edge: one that is dropped for one edge makes room at its two others.
    let keep: Vec<bool> = edges
        .iter()
        .map(|edges| {
            let room = edges.iter().all(|&edge| taken[edge] < 2);
            for &edge in edges {
                taken[edge] += u8::from(room);
            }
            repairs.non_manifold += usize::from(!room);
            room
        })
        .collect();
    retain(triangles, &keep)
}

fn retain(triangles: Vec<[u32; 3]>, keep: &[bool]) -> Vec<[u32; 3]> {
    let kept = triangles.into_iter().zip(keep).filter(|(_, keep)| **keep);
    kept.map(|(triangle, _)| triangle).collect()
}
