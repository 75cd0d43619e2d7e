//! Rows of constraints on a mesh that has torn: which copies of their vertices they have.
//!
//! ```text
//!       c                 c        A row lies in cells: a spring in those beside its edge, a hinge in the two that it bends.
//!     / | \             / | \      Where they still hang together, the row has the vertices that they have. A spring whose two
//!    a  |  b    ->     a  | |  b   cells were parted becomes two, one in each, with half of its stiffness; a hinge over the
//!     \ | /             \ | | /    edge between them is gone.
//!       d                 d e
//! ```
//!
//! Cells are triangles of a sheet or tetrahedra of a solid. A tetrahedron's own rows go with it.

use crate::describe::body::Constraints;
use crate::describe::stiffness::{Stiffness, Values};
use crate::geometry::cells::Cells;
use crate::geometry::fans::Fans;

/// A mesh before and after it has torn.
pub(super) struct Seams<'a> {
    before: Fans,
    after: Cells<'a>,
    /// Vertices of cells with one that was split: a row between two that were not may have lain over what has
    /// parted.
    is_near: Vec<bool>,
}

impl<'a> Seams<'a> {
    pub(super) fn new(before: Cells<'_>, after: Cells<'a>, vertices: usize) -> Seams<'a> {
        let (mut is_split, mut is_near) = (vec![false; vertices], vec![false; vertices]);
        let corners = before.corners().iter().zip(after.corners());
        corners.filter(|(old, new)| old != new).for_each(|(old, _)| is_split[*old as usize] = true);
        let parted = before.each().filter(|t| t.iter().any(|&v| is_split[v as usize]));
        parted.flatten().for_each(|&v| is_near[v as usize] = true);
        Seams { before: Fans::new(before, vertices), after, is_near }
    }

    /// The vertex that a cell now has in the place of one that it had.
    fn now(&self, cell: u32, vertex: u32) -> Option<u32> {
        let corner = self.before.cell(cell).iter().position(|v| *v == vertex)?;
        Some(self.after.get(cell)[corner])
    }

    /// The vertices that a row now has in the place of its own, if all cells that it lies in agree; otherwise none.
    fn of_cells(&self, at: &[u32], cells: &[u32]) -> Option<Vec<u32>> {
        let one = |&vertex: &u32| {
            let mut all = cells.iter().filter_map(|&t| self.now(t, vertex));
            let first = all.next()?;
            all.all(|other| other == first).then_some(first)
        };
        at.iter().map(one).collect()
    }

    /// Two cells that had a facet in common have it still.
    fn hang_together(&self, a: u32, b: u32) -> Option<bool> {
        let common = self.before.cell(a).iter().copied().filter(|&v| self.now(b, v).is_some());
        let (mut count, mut same) = (0, true);
        for vertex in common {
            count += 1;
            same &= self.now(a, vertex) == self.now(b, vertex);
        }
        (count + 1 >= self.after.size() && a != b).then_some(same)
    }

    /// The rows that one has become: none if what it held together has parted.
    fn parts(&self, at: &[u32]) -> Vec<Vec<u32>> {
        let has = |t: u32, vertex: u32| self.before.cell(t).contains(&vertex);
        let own = self.before.around(at[0]);
        // In one cell, or in each of several.
        let within: Vec<u32> = own.iter().copied().filter(|&t| at.iter().all(|&v| has(t, v))).collect();
        let mut found: Vec<Vec<u32>> = Vec::new();
        let mut add = |row: Option<Vec<u32>>| {
            if let Some(row) = row.filter(|row| !found.contains(row)) {
                found.push(row);
            }
        };
        if !within.is_empty() {
            within.iter().for_each(|&t| add(self.of_cells(at, &[t])));
            return found;
        }
        // In two that have a facet in common.
        let mut in_two = false;
        for &a in own {
            let others = self.before.cell(a).iter().flat_map(|&v| self.before.around(v));
            let mut others: Vec<u32> = others.copied().collect();
            others.sort_unstable();
            others.dedup();
            for b in others {
                let Some(together) = self.hang_together(a, b) else { continue };
                if at.iter().all(|&v| has(a, v) || has(b, v)) {
                    in_two = true;
                    add(self.of_cells(at, &[a, b]).filter(|_| together));
                }
            }
        }
        if in_two {
            return found;
        }
        // In more: all those that have two of its vertices. Where they are none, the row is on its own, and stays with
        // the vertices that it names.
        let around = at.iter().flat_map(|&v| self.before.around(v));
        let mut all: Vec<u32> = around.copied().filter(|&t| at.iter().filter(|&&v| has(t, v)).count() >= 2).collect();
        all.sort_unstable();
        all.dedup();
        if at.iter().all(|&v| all.iter().any(|&t| has(t, v))) {
            add(self.of_cells(at, &all));
            return found;
        }
        vec![at.to_vec()]
    }

    /// Divides rows among the copies of their vertices.
    pub(super) fn divide(&self, rows: &mut Constraints) {
        let slots = rows.kind.slots();
        if !rows.at.iter().any(|&v| self.is_near[v as usize]) {
            return;
        }
        let params = rows.kind.params();
        let (mut at, mut rest, mut stiff) = (Vec::new(), Vec::new(), Vec::new());
        let soft = rows.stiffness.is_compliance();
        for (row, own) in rows.at.chunks_exact(slots).enumerate() {
            let k = rows.stiffness.values().get(row);
            let own_rest = &rows.rest[row * params.len()..(row + 1) * params.len()];
            if !own.iter().any(|&v| self.is_near[v as usize]) {
                at.extend_from_slice(own);
                rest.extend_from_slice(own_rest);
                stiff.push(k);
                continue;
            }
            let parts = self.parts(own);
            // Springs side by side: compliances of each are as many times that of all.
            let shared = |value: f32| if soft { value * parts.len() as f32 } else { value };
            for part in &parts {
                at.extend_from_slice(part);
                rest.extend(own_rest.iter().zip(params).map(|(&v, p)| if p.soft { shared(v) } else { v }));
                stiff.push(shared(k));
            }
        }
        let values = Values::PerRow(stiff);
        rows.stiffness = if soft { Stiffness::Compliance(values) } else { Stiffness::Pbd(values) };
        (rows.at, rows.rest) = (at, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seidel_kinds as kinds;

    const BEFORE: [[u32; 3]; 2] = [[0, 1, 2], [2, 1, 3]];

    fn seams<'a>(before: &[[u32; 3]], after: &'a [[u32; 3]], vertices: usize) -> Seams<'a> {
        Seams::new(Cells::of(before, &[]), Cells::of(after, &[]), vertices)
    }

    /// Two triangles, of which the second got a copy of vertex 1.
    fn parted() -> Constraints {
        let rows = |at| Constraints::new(kinds::DISTANCE, at, vec![1.0; 5], Stiffness::compliance(vec![1.0; 5]));
        let mut rows = rows(vec![0, 1, 1, 2, 0, 2, 1, 3, 0, 3]);
        seams(&BEFORE, &[[0, 1, 2], [2, 4, 3]], 4).divide(&mut rows);
        rows
    }

    #[test]
    fn a_spring_along_the_crack_is_two_of_half_its_stiffness() {
        let rows = parted();
        // The last went from wing to wing, over the edge that has parted.
        assert_eq!(rows.at, [0, 1, 1, 2, 4, 2, 0, 2, 4, 3]);
        assert_eq!(rows.stiffness, Stiffness::compliance(vec![1.0, 2.0, 2.0, 1.0, 1.0]));
        assert_eq!(rows.rest, [1.0; 5]);
    }

    #[test]
    fn a_hinge_over_the_crack_is_gone_and_another_has_the_copy() {
        let before = [[0, 1, 2], [2, 1, 3], [2, 3, 4]];
        let hinge = |at: &[u32]| {
            let rest = vec![0.0; 2];
            let mut rows = Constraints::new(kinds::DIHEDRAL, at.to_vec(), rest, Stiffness::compliance(1.0));
            seams(&before, &[[0, 1, 5], [2, 1, 3], [2, 3, 4]], 5).divide(&mut rows);
            rows.at
        };
        assert_eq!(hinge(&[1, 2, 0, 3, 2, 3, 1, 4]), [2, 3, 1, 4]);
    }

    #[test]
    fn a_row_of_far_vertices_stays_with_those_that_it_names() {
        let before = [[0, 1, 2], [3, 4, 5]];
        let mut rows = Constraints::new(kinds::DISTANCE, vec![1, 4], vec![1.0], Stiffness::compliance(1.0));
        seams(&before, &[[0, 6, 2], [3, 4, 5]], 6).divide(&mut rows);
        assert_eq!((rows.at, rows.stiffness), (vec![1, 4], Stiffness::compliance(vec![1.0])));
    }

    /// Two tetrahedra whose common face opens at one of its corners: their own rows go with them, a spring to that
    /// corner is two, and one along the rest of the face stays one.
    #[test]
    fn rows_of_tetrahedra_go_with_them() {
        let (before, after) = ([[0, 1, 2, 3], [1, 2, 3, 4]], [[0, 1, 2, 3], [5, 2, 3, 4]]);
        let divided = |kind: &seidel_kernels::Kind, at: &[u32]| {
            let count = at.len() / kind.slots();
            let rest = vec![1.0; count * kind.params().len()];
            let mut rows = Constraints::new(*kind, at.to_vec(), rest, Stiffness::compliance(vec![1.0; count]));
            Seams::new(Cells::of(&[], &before), Cells::of(&[], &after), 5).divide(&mut rows);
            (rows.at, rows.stiffness)
        };
        let own = before.as_flattened();
        let stays = Stiffness::compliance(vec![1.0; 2]);
        assert_eq!(divided(&kinds::STABLE_NEO_HOOKEAN, own), (after.as_flattened().to_vec(), stays));
        let (at, stiffness) = divided(&kinds::DISTANCE, &[0, 1, 1, 2, 2, 3, 1, 4]);
        assert_eq!(at, [0, 1, 1, 2, 5, 2, 2, 3, 5, 4]);
        assert_eq!(stiffness, Stiffness::compliance(vec![1.0, 2.0, 2.0, 1.0, 1.0]));
    }
}
