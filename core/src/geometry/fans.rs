//! Fans: the cells around each vertex of a mesh, and how a vertex is split among them.

use super::cells::Cells;
use std::collections::BTreeMap;

/// Cells with the ones around each vertex, while vertices are split.
#[derive(Clone, Debug)]
pub(crate) struct Fans {
    corners: Vec<u32>,
    /// Corners of a cell.
    size: usize,
    /// Cells around each vertex of the mesh at first, ascending: those of v are `around[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// The same of vertices that were split, and of their copies.
    split: BTreeMap<u32, Vec<u32>>,
    count: u32,
}

impl Fans {
    /// Of cells on so many vertices.
    pub(crate) fn new(cells: Cells<'_>, vertices: usize) -> Fans {
        let mut starts = vec![0u32; vertices + 1];
        cells.corners().iter().for_each(|&v| starts[v as usize + 1] += 1);
        (0..vertices).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        let mut around = vec![0; cells.corners().len()];
        for (t, corners) in (0u32..).zip(cells.each()) {
            for &v in corners {
                around[next[v as usize] as usize] = t;
                next[v as usize] += 1;
            }
        }
        let (corners, size) = (cells.corners().to_vec(), cells.size());
        Fans { corners, size, starts, around, split: BTreeMap::new(), count: vertices as u32 }
    }

    /// The cells as they are by now.
    pub(crate) fn cells(&self) -> Cells<'_> {
        Cells::new(&self.corners, self.size)
    }

    /// The corners of a cell by now.
    pub(crate) fn cell(&self, cell: u32) -> &[u32] {
        self.cells().get(cell)
    }

    /// How many vertices there are, copies among them.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The cells around a vertex, ascending.
    pub(crate) fn around(&self, vertex: u32) -> &[u32] {
        let at = |v: usize| self.starts[v] as usize;
        match self.split.get(&vertex) {
            Some(own) => own,
            None => &self.around[at(vertex as usize)..at(vertex as usize + 1)],
        }
    }

    /// The facets of a vertex ([`Cells::facets`]), each with its cell's place among those around it; ascending.
    fn facets(&self, vertex: u32) -> Vec<([u32; 2], usize)> {
        let own = self.around(vertex).iter().enumerate();
        let mut all: Vec<([u32; 2], usize)> =
            own.flat_map(|(at, &t)| self.cells().facets(t, vertex).map(move |facet| (facet, at))).collect();
        all.sort_unstable();
        all
    }

    /// Cells around a vertex that have a facet of it in common, two by two, ascending.
    pub(crate) fn pairs(&self, vertex: u32) -> Vec<[u32; 2]> {
        let (facets, own) = (self.facets(vertex), self.around(vertex));
        let mut pairs = Vec::new();
        for same in facets.chunk_by(|a, b| a.0 == b.0) {
            for (i, &(_, a)) in same.iter().enumerate() {
                pairs.extend(same[i + 1..].iter().map(|&(_, b)| [own[a], own[b]]));
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// The facets of a vertex that have one cell alone, and that cell.
    pub(crate) fn borders(&self, vertex: u32) -> Vec<([u32; 2], u32)> {
        let (facets, own) = (self.facets(vertex), self.around(vertex));
        let alone = facets.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
        alone.map(|same| (same[0].0, own[same[0].1])).collect()
    }

    /// Whether a facet of a vertex has one cell alone.
    pub(crate) fn is_border(&self, vertex: u32) -> bool {
        !self.borders(vertex).is_empty()
    }

    /// The cells around a vertex in parts that hang together by facets of this vertex, where two cells do. In the order
    /// of their first cells.
    pub(crate) fn parts(&self, vertex: u32, hang_together: impl Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
        let own = self.around(vertex);
        // Of each cell the first that it hangs together with.
        let mut first: Vec<usize> = (0..own.len()).collect();
        let root = |first: &[usize], mut at: usize| {
            while first[at] != at {
                at = first[at];
            }
            at
        };
        for same in self.facets(vertex).chunk_by(|a, b| a.0 == b.0) {
            for (i, &(_, one)) in same.iter().enumerate() {
                for &(_, other) in same[i + 1..].iter().filter(|(_, other)| hang_together(own[one], own[*other])) {
                    let (a, b) = (root(&first, one), root(&first, other));
                    first[a.max(b)] = a.min(b);
                }
            }
        }
        let mut parts: Vec<Vec<u32>> = Vec::new();
        let mut part = vec![usize::MAX; own.len()];
        for (at, &t) in own.iter().enumerate() {
            let root = root(&first, at);
            if part[root] == usize::MAX {
                part[root] = parts.len();
                parts.push(Vec::new());
            }
            parts[part[root]].push(t);
        }
        parts
    }

    /// Whether some cells, ascending, are a part of those around a vertex, and not all of them.
    pub(crate) fn is_part(&self, vertex: u32, moved: &[u32]) -> bool {
        let own = if vertex < self.count { self.around(vertex) } else { &[] };
        let ascends = moved.windows(2).all(|two| two[0] < two[1]);
        ascends && (1..own.len()).contains(&moved.len()) && moved.iter().all(|t| own.binary_search(t).is_ok())
    }

    /// Gives some of the cells around a vertex ([`Fans::is_part`]) a copy of it; returns the copy.
    pub(crate) fn part(&mut self, vertex: u32, moved: &[u32]) -> u32 {
        let copy = self.count;
        let stays = self.around(vertex).iter().copied().filter(|t| moved.binary_search(t).is_err()).collect();
        for &t in moved {
            let corners = &mut self.corners[t as usize * self.size..][..self.size];
            corners.iter_mut().filter(|v| **v == vertex).for_each(|v| *v = copy);
        }
        self.split.insert(vertex, stays);
        self.split.insert(copy, moved.to_vec());
        self.count += 1;
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six triangles around vertex 0, between the vertices 1 to 6.
    fn wheel() -> Fans {
        let triangles: Vec<[u32; 3]> = (0..6).map(|t| [0, 1 + t, 1 + (t + 1) % 6]).collect();
        Fans::new(Cells::of(&triangles, &[]), 7)
    }

    #[test]
    fn a_fan_falls_into_two_sectors() {
        let mut fans = wheel();
        assert!(!fans.is_border(0) && fans.is_border(1));
        let parts = fans.parts(0, |a, b| (a < 2) == (b < 2));
        assert_eq!(parts, [vec![0, 1], vec![2, 3, 4, 5]]);
        assert!(fans.is_part(0, &parts[0]));
        assert_eq!((fans.part(0, &parts[0]), fans.count()), (7, 8));
        assert_eq!((fans.around(0), fans.around(7)), (&[2, 3, 4, 5][..], &[0, 1][..]));
        assert_eq!(fans.cell(1), [7, 2, 3]);
        // Vertex 3 had its two triangles on either side of a cut edge: they no longer hang together there.
        assert_eq!(fans.parts(3, |_, _| true), [vec![1], vec![2]]);
        assert_eq!(fans.parts(2, |_, _| true), [vec![0, 1]]);
        assert!(fans.is_border(0));
    }

    #[test]
    fn sides_that_alternate_have_a_part_each_time() {
        assert_eq!(wheel().parts(0, |a, b| (a % 3 == 0) == (b % 3 == 0)), [vec![0], vec![1, 2], vec![3], vec![4, 5]]);
        assert_eq!(wheel().parts(0, |_, _| true).len(), 1);
    }

    /// Around the edge 0, 1: four tetrahedra between the vertices 2 to 5. They hang together by faces, and not by the
    /// edge.
    #[test]
    fn tetrahedra_hang_together_by_faces() {
        let tets: Vec<[u32; 4]> = (0..4).map(|t| [0, 1, 2 + t, 2 + (t + 1) % 4]).collect();
        let mut fans = Fans::new(Cells::of(&[], &tets), 6);
        assert!(fans.is_border(0) && fans.is_border(3));
        assert_eq!(fans.parts(0, |_, _| true), [vec![0, 1, 2, 3]]);
        let parts = fans.parts(0, |a, b| (a % 2 == 0) == (b % 2 == 0));
        assert_eq!(parts, [vec![0], vec![1], vec![2], vec![3]]);
        let parts = fans.parts(0, |a, b| (a < 2) == (b < 2));
        assert_eq!(parts, [vec![0, 1], vec![2, 3]]);
        fans.part(0, &parts[1]);
        assert_eq!((fans.cell(2), fans.cell(1)), (&[6, 1, 4, 5][..], &[0, 1, 3, 4][..]));
        // The faces between both halves have two vertices in common still, and three no more.
        assert_eq!(fans.parts(1, |_, _| true), [vec![0, 1], vec![2, 3]]);
        assert_eq!(fans.parts(3, |_, _| true), [vec![0, 1]]);
    }

    #[test]
    fn what_is_no_part_is_known() {
        let fans = wheel();
        for wrong in [&[][..], &[0, 1, 2, 3, 4, 5], &[1, 0], &[0, 0], &[6]] {
            assert!(!fans.is_part(0, wrong), "{wrong:?}");
        }
        assert!(!fans.is_part(7, &[0]) && !fans.is_part(2, &[4]));
    }
}
