//! Repair: the mesh without what forbids a body, and a report of what changed.

use super::faces::{by_face, sides};
use super::shape::{duplicates, fault};
use super::{Defect, TetMesh};
use serde::Serialize;
use std::fmt;

/// The changes that a repair made. `Display` is one line for a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Repairs {
    /// Tetrahedra of negative volume, whose last two corners were swapped.
    pub turned: usize,
    /// Vertices that are gone, since no tetrahedron that was kept uses them.
    pub dropped_vertices: usize,
    /// Tetrahedra dropped for an index that no vertex has.
    pub out_of_range: usize,
    /// Tetrahedra dropped for a vertex that is not finite.
    pub non_finite: usize,
    /// Tetrahedra dropped because they have no volume, or name a vertex twice.
    pub flat: usize,
    /// Tetrahedra dropped because an earlier one has the same vertices.
    pub duplicate: usize,
    /// Tetrahedra dropped because one of their faces had two tetrahedra already.
    pub crowded: usize,
    /// For every old vertex its new index; `None` if it is gone.
    pub vertex_map: Vec<Option<u32>>,
}

impl Repairs {
    /// Tetrahedra dropped for any reason.
    #[must_use]
    pub fn dropped_tets(&self) -> usize {
        self.out_of_range + self.non_finite + self.flat + self.duplicate + self.crowded
    }

    /// Whether the mesh came back as it was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.turned + self.dropped_vertices + self.dropped_tets() == 0
    }
}

impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing to repair");
        }
        write!(f, "vertices dropped: {}; tetrahedra turned: {}, ", self.dropped_vertices, self.turned)?;
        write!(f, "dropped: {}", self.dropped_tets())?;
        let reasons = [
            (self.out_of_range, "index out of range"),
            (self.non_finite, "not finite"),
            (self.flat, "flat"),
            (self.duplicate, "duplicate"),
            (self.crowded, "crowded face"),
        ];
        let mut separator = " (";
        for (count, reason) in reasons.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {reason}")?;
            separator = ", ";
        }
        f.write_str(if separator == ", " { ")" } else { "" })
    }
}

impl TetMesh {
    /// Returns the mesh without the defects that forbid a body, and what that took; n log n time.
    ///
    /// In this order: tetrahedra out of range, not finite or flat are dropped, inverted ones turned round; repeated
    /// ones dropped; tetrahedra are kept in order as long as no face gets a third; vertices that nothing uses are
    /// dropped. What stays keeps its order. Dropping tetrahedra may open a hole.
    ///
    /// Not repaired: [`Defect::TooFar`], which is a question of units, and [`Defect::TooLarge`], which comes back as it
    /// is with an empty map.
    #[must_use]
    pub fn repaired(&self) -> (Self, Repairs) {
        let mut repairs = Repairs::default();
        if self.is_too_large() {
            return (self.clone(), repairs);
        }
        let kept = self.sound_tets(&mut repairs);
        let kept = uncrowded(kept, &mut repairs);
        repairs.turned = kept.iter().filter(|kept| kept.turned).count();
        let tets = kept.into_iter().map(|kept| kept.tet).collect();
        (self.compact(tets, &mut repairs), repairs)
    }

    /// The tetrahedra that are sound by themselves, the right way round, each once.
    fn sound_tets(&self, repairs: &mut Repairs) -> Vec<KeptTet> {
        let mut kept = Vec::with_capacity(self.tets.len());
        for &tet in &self.tets {
            let [a, b, c, d] = tet;
            match fault(tet, &self.positions) {
                None => kept.push(KeptTet { tet, turned: false }),
                Some(Defect::Inverted) => kept.push(KeptTet { tet: [a, b, d, c], turned: true }),
                Some(Defect::IndexOutOfRange) => repairs.out_of_range += 1,
                Some(Defect::NonFinite) => repairs.non_finite += 1,
                Some(_) => repairs.flat += 1,
            }
        }
        let mut keep = vec![true; kept.len()];
        for [_, later] in duplicates(&corners(&kept), |_| true) {
            keep[later as usize] = false;
            repairs.duplicate += 1;
        }
        retain(kept, &keep)
    }

    /// The mesh of the tetrahedra that were kept, numbered without gaps.
    fn compact(&self, mut tets: Vec<[u32; 4]>, repairs: &mut Repairs) -> Self {
        let mut used = vec![false; self.positions.len()];
        for &v in tets.iter().flatten() {
            used[v as usize] = true;
        }
        let mut positions = Vec::new();
        for (&p, used) in self.positions.iter().zip(used) {
            repairs.vertex_map.push(used.then_some(positions.len() as u32));
            if used {
                positions.push(p);
            }
        }
        for v in tets.iter_mut().flatten() {
            *v = repairs.vertex_map[*v as usize].unwrap_or(u32::MAX);
        }
        repairs.dropped_vertices = self.positions.len() - positions.len();
        Self { positions, tets }
    }
}

/// A tetrahedron that stays, and whether it was inverted.
#[derive(Clone, Copy)]
struct KeptTet {
    tet: [u32; 4],
    turned: bool,
}

fn corners(kept: &[KeptTet]) -> Vec<[u32; 4]> {
    kept.iter().map(|kept| kept.tet).collect()
}

/// The tetrahedra in order, without those that would be the third at a face.
fn uncrowded(kept: Vec<KeptTet>, repairs: &mut Repairs) -> Vec<KeptTet> {
    let sides = sides(&corners(&kept), |_| true);
    let mut faces = vec![[0; 4]; kept.len()];
    let mut taken = Vec::new();
    for (face, run) in by_face(&sides).enumerate() {
        taken.push(0u8);
        for side in run {
            faces[side.tet as usize][side.corner as usize] = face;
        }
    }
    // Not simply the third at each face: one that is dropped for one face makes room at its three others.
    let keep: Vec<bool> = faces
        .iter()
        .map(|faces| {
            let room = faces.iter().all(|&face| taken[face] < 2);
            for &face in faces {
                taken[face] += u8::from(room);
            }
            repairs.crowded += usize::from(!room);
            room
        })
        .collect();
    retain(kept, &keep)
}

fn retain(kept: Vec<KeptTet>, keep: &[bool]) -> Vec<KeptTet> {
    kept.into_iter().zip(keep).filter(|(_, keep)| **keep).map(|(kept, _)| kept).collect()
}
