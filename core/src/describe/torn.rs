//! What has torn: splits of vertices in their order, and the body that they leave.

mod rows;

use crate::describe::body::Body;
use crate::describe::tets::TetMesh;
use crate::describe::values::Values;
use crate::geometry::cells::Cells;
use crate::geometry::fans::Fans;
use crate::geometry::vector::{cross, dot, length, sub};
use crate::tuning::{LEAST_SHARE, MAX_INV_MASS};
use rows::Seams;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Splits of the vertices of a plan's bodies, in the order in which they happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tears {
    splits: Vec<Split>,
    /// The cells, triangles or tetrahedra, that got the copies; ascending in each split.
    moved: Vec<u32>,
    /// Facets that were cut and are not open yet, for all their corners still hang together: body and both cells,
    /// ascending. Plans do not look at them.
    slits: Vec<[u32; 3]>,
}

/// As plans have it: the same splits.
impl PartialEq for Tears {
    fn eq(&self, other: &Tears) -> bool {
        (&self.splits, &self.moved) == (&other.splits, &other.moved)
    }
}

/// A vertex of a body that was split, and how many cells have its copy since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Split {
    body: u32,
    vertex: u32,
    cells: u32,
}

impl Tears {
    pub(crate) fn is_empty(&self) -> bool {
        self.splits.is_empty()
    }

    /// How many splits there are.
    pub(crate) fn len(&self) -> usize {
        self.splits.len()
    }

    /// Notes one more.
    pub(crate) fn push(&mut self, body: u32, vertex: u32, moved: &[u32]) {
        self.splits.push(Split { body, vertex, cells: moved.len() as u32 });
        self.moved.extend_from_slice(moved);
    }

    /// All of them: body, vertex, and the cells that got the copy.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, u32, &[u32])> {
        let mut rest = &self.moved[..];
        self.splits.iter().map(move |&Split { body, vertex, cells }| {
            let (moved, behind) = rest.split_at(cells as usize);
            rest = behind;
            (body, vertex, moved)
        })
    }

    /// Those of a body.
    pub(crate) fn of(&self, body: usize) -> impl Iterator<Item = (u32, &[u32])> {
        self.each().filter(move |(of, ..)| *of as usize == body).map(|(_, vertex, moved)| (vertex, moved))
    }

    /// Facets that were cut and are not open yet.
    pub(crate) fn slits(&self) -> &[[u32; 3]] {
        &self.slits
    }

    /// The cells beside those of a body, ascending.
    pub(crate) fn slits_of(&self, body: u32) -> impl Iterator<Item = [u32; 2]> {
        self.slits.iter().filter(move |[of, ..]| *of == body).map(|&[_, a, b]| [a, b])
    }

    /// Sets those of a body, ascending.
    pub(crate) fn set_slits(&mut self, body: u32, all: impl Iterator<Item = [u32; 2]>) {
        self.slits.retain(|[of, ..]| *of != body);
        self.slits.extend(all.map(|[a, b]| [body, a, b]));
        self.slits.sort_unstable();
    }

    /// Sets all of them to those of others.
    pub(crate) fn take_slits(&mut self, others: &Tears) {
        self.slits.clone_from(&others.slits);
    }

    /// Forgets those of a body.
    pub(crate) fn forget(&mut self, body: usize) {
        self.set_slits(body as u32, std::iter::empty());
        if self.of(body).next().is_none() {
            return;
        }
        let mut left = Tears::default();
        self.each()
            .filter(|(of, ..)| *of as usize != body)
            .for_each(|(of, vertex, moved)| left.push(of, vertex, moved));
        left.slits = std::mem::take(&mut self.slits);
        *self = left;
    }

    /// Those of bodies that another plan has; `before` tells of each of its bodies where it stood.
    pub(crate) fn carried(&self, before: &[Option<usize>]) -> Tears {
        let mut tears = Tears::default();
        for (body, vertex, moved) in self.each() {
            if let Some(new) = before.iter().position(|old| *old == Some(body as usize)) {
                tears.push(new as u32, vertex, moved);
            }
        }
        for &[body, a, b] in &self.slits {
            if let Some(new) = before.iter().position(|old| *old == Some(body as usize)) {
                tears.slits.push([new as u32, a, b]);
            }
        }
        tears.slits.sort_unstable();
        tears
    }

    /// Another number for a plan that these have torn.
    pub(crate) fn stamp(&self, plan: u64) -> u64 {
        if self.is_empty() {
            return plan;
        }
        let mut hash = Xxh3::new();
        hash.update(&plan.to_le_bytes());
        self.words(|word| hash.update(&word.to_le_bytes()));
        hash.digest()
    }

    /// All of it as words: the splits, then their cells.
    pub(crate) fn words(&self, mut add: impl FnMut(u32)) {
        add(self.splits.len() as u32);
        add(self.moved.len() as u32);
        self.splits.iter().for_each(|split| [split.body, split.vertex, split.cells].into_iter().for_each(&mut add));
        self.moved.iter().copied().for_each(add);
    }

    /// What [`Tears::words`] wrote behind both counts; none if counts contradict each other.
    pub(crate) fn from_words(splits: &[[u32; 3]], moved: &[u32]) -> Option<Tears> {
        let of = |&[body, vertex, cells]: &[u32; 3]| Split { body, vertex, cells };
        let tears = Tears { splits: splits.iter().map(of).collect(), moved: moved.to_vec(), slits: Vec::new() };
        let count = splits.iter().map(|&[.., cells]| u64::from(cells)).sum::<u64>();
        (count == moved.len() as u64).then_some(tears)
    }
}

/// Inverse masses of a vertex of inverse mass `w` that stays with a part of what is around it and leaves `goes` of
/// `all` to a copy, and of that copy. A part without extent gets a thousandth.
pub(crate) fn shared(w: f32, goes: f64, all: f64) -> [f32; 2] {
    let share = goes / all;
    let share = if share > LEAST_SHARE { share } else { LEAST_SHARE };
    let share = if share < 1.0 - LEAST_SHARE { share } else { 1.0 - LEAST_SHARE };
    [1.0 - share, share].map(|share| {
        let w = (f64::from(w) / share) as f32;
        if w < MAX_INV_MASS { w } else { MAX_INV_MASS }
    })
}

/// How large cells are at rest: areas of triangles, m^2, or volumes of tetrahedra, m^3.
pub(crate) fn sizes(body: &Body) -> Vec<f64> {
    let size = |cell: &[u32]| {
        let at = |corner: usize| body.positions[cell[corner] as usize].map(f64::from);
        let [b, c] = [1, 2].map(|corner| sub(at(corner), at(0)));
        match cell.len() {
            3 => 0.5 * length(cross(b, c)),
            _ => dot(cross(b, c), sub(at(3), at(0))).abs() / 6.0,
        }
    };
    body.cells().each().map(size).collect()
}

/// The sum of the sizes of some cells, in their order.
pub(crate) fn sum(sizes: &[f64], cells: &[u32]) -> f64 {
    cells.iter().fold(0.0, |sum, &t| sum + sizes[t as usize])
}

impl Body {
    /// This body, as it is described, after splits. Copies lie behind its vertices, where these are at rest. None where
    /// a split is not one of this body, or there are more than it may have.
    pub(crate) fn torn<'a>(&self, splits: impl Iterator<Item = (u32, &'a [u32])>) -> Option<Body> {
        let mut body = self.clone();
        let (begins, most) = (self.positions.len(), self.most_copies());
        let mut fans = Fans::new(self.cells(), begins);
        let sizes = sizes(self);
        for (vertex, moved) in splits {
            if fans.count() as usize - begins >= most || !fans.is_part(vertex, moved) {
                return None;
            }
            let (goes, all) = (sum(&sizes, moved), sum(&sizes, fans.around(vertex)));
            fans.part(vertex, moved);
            body.copy(vertex, goes, all);
        }
        let seams = Seams::new(self.cells(), fans.cells(), begins);
        for rows in &mut body.constraints {
            seams.divide(rows);
        }
        body.take_cells(fans.cells());
        Some(body)
    }

    /// The cells that tear apart: its tetrahedra; if it has none, its triangles.
    pub(crate) fn cells(&self) -> Cells<'_> {
        Cells::of(&self.triangles, &self.tets)
    }

    /// Sets what [`Body::cells`] gives. The triangles of a solid are its surface, cracks and all.
    fn take_cells(&mut self, cells: Cells<'_>) {
        if self.tets.is_empty() {
            self.triangles = Arc::new(bytemuck::cast_slice(cells.corners()).to_vec());
            return;
        }
        let mesh = TetMesh { positions: self.positions.clone(), tets: bytemuck::cast_slice(cells.corners()).to_vec() };
        (self.triangles, self.tets) = (mesh.surface().into(), mesh.tets.into());
    }

    /// Adds a copy of a vertex, which has so much of what is around both.
    fn copy(&mut self, vertex: u32, goes: f64, all: f64) {
        let (of, copy) = (vertex as usize, self.positions.len() as u32);
        self.positions.push(self.positions[of]);
        if !self.velocities.is_empty() {
            self.velocities.push(self.velocities[of]);
        }
        let [stays, goes_on] = shared(self.inv_mass[of], goes, all);
        self.inv_mass[of] = stays;
        self.inv_mass.push(goes_on);
        if let Some((_, w)) = self.free_masses.iter_mut().find(|(of, _)| *of == vertex) {
            let [stays, goes_on] = shared(*w, goes, all);
            *w = stays;
            self.free_masses.push((copy, goes_on));
        }
        self.thickness.extend(of);
        self.friction.extend(of);
        for tether in &mut self.tethers {
            let Some(at) = tether.vertices.iter().position(|v| *v == vertex) else { continue };
            tether.vertices.push(copy);
            let backstop = tether.backstop.iter_mut().flat_map(|ball| [&mut ball.distance, &mut ball.radius]);
            std::iter::once(&mut tether.max_distance).chain(backstop).for_each(|values| values.extend(at));
        }
        if let Some(tearing) = &mut self.tearing {
            tearing.copied(of);
        }
    }
}

impl Values {
    /// One more, like another; nothing where there is one for all.
    pub(super) fn extend(&mut self, like: usize) {
        if let Values::PerRow(values) | Values::PerVertex(values) = self {
            values.push(values[like]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::cloth::Cloth;
    use crate::describe::recipe::Recipe;
    use crate::describe::tearing::Tearing;

    #[test]
    fn words_come_back_unless_they_contradict_each_other() {
        let mut tears = Tears::default();
        tears.push(0, 4, &[1, 2]);
        tears.push(1, 9, &[7]);
        let mut words = Vec::new();
        tears.words(|word| words.push(word));
        assert_eq!(words, [2, 3, 0, 4, 2, 1, 9, 1, 1, 2, 7]);
        let heads = [[0, 4, 2], [1, 9, 1]];
        assert_eq!(Tears::from_words(&heads, &words[8..]), Some(tears.clone()));
        assert_eq!(Tears::from_words(&heads, &words[9..]), None);
        assert_eq!(Tears::from_words(&[[0, 4, u32::MAX], [1, 9, 4]], &words[8..]), None);
        assert_eq!(tears.of(1).collect::<Vec<_>>(), [(9, &[7u32][..])]);
        assert_eq!(tears.carried(&[None, Some(1)]).each().collect::<Vec<_>>(), [(1, 9, &[7u32][..])]);
        tears.forget(1);
        assert_eq!(tears.len(), 1);
        assert_eq!((tears.stamp(5) == 5, Tears::default().stamp(5)), (false, 5));
    }

    #[test]
    fn masses_are_shared_by_area_and_none_is_endless() {
        let of = |w: f32, goes: f64, all: f64| shared(w, goes, all).map(|w| if w > 0.0 { 1.0 / w } else { 0.0 });
        assert_eq!(of(0.5, 1.0, 4.0), [1.5, 0.5]);
        assert_eq!(of(0.0, 1.0, 4.0), [0.0, 0.0]);
        for (goes, all) in [(0.0, 1.0), (1.0, 1.0), (0.0, 0.0)] {
            let [stays, goes] = of(1.0, goes, all);
            assert!(stays >= 0.9e-3 && goes >= 0.9e-3 && (stays + goes - 1.0).abs() < 1e-6, "{stays} {goes}");
        }
        assert_eq!(shared(MAX_INV_MASS, 1.0, 2.0), [MAX_INV_MASS; 2]);
    }

    #[test]
    fn splits_that_are_not_of_the_mesh_leave_no_body() {
        let cloth = Cloth::grid([3, 3], [1.0, 1.0]).tear(Tearing::new(0.1).capacity(1));
        let body = Recipe::from(cloth).body().unwrap();
        let around: Vec<u32> = (0..8).filter(|&t| body.triangles[t as usize].contains(&4)).collect();
        let torn = |splits: &[(u32, &[u32])]| body.torn(splits.iter().copied());
        let left = torn(&[(4, &around[..2])]).unwrap();
        assert_eq!((left.positions.len(), left.begins_with(), left.most_copies()), (10, 9, 1));
        let mass = |body: &Body| body.inv_mass.iter().map(|w| 1.0 / f64::from(*w)).sum::<f64>();
        assert!((mass(&left) - mass(&body)).abs() < 1e-6);
        assert!(torn(&[(4, &around[..2]), (4, &around[2..3])]).is_none(), "there is room for one");
        for wrong in [&[][..], &around, &[99]] {
            assert!(torn(&[(4, wrong)]).is_none());
        }
        assert!(torn(&[(12, &around[..2])]).is_none());
    }
}
