//! Fans: the triangles around each vertex of a mesh, and how a vertex is split among them.

use std::collections::BTreeMap;

/// Triangles with the ones around each vertex, while vertices are split.
#[derive(Clone, Debug)]
pub(crate) struct Fans {
    triangles: Vec<[u32; 3]>,
    /// Triangles around each vertex of the mesh at first, ascending: those of v are `around[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// The same of vertices that were split, and of their copies.
    split: BTreeMap<u32, Vec<u32>>,
    count: u32,
}

impl Fans {
    /// Of triangles on so many vertices.
    pub(crate) fn new(triangles: Vec<[u32; 3]>, vertices: usize) -> Fans {
        let mut starts = vec![0u32; vertices + 1];
        triangles.as_flattened().iter().for_each(|&v| starts[v as usize + 1] += 1);
        (0..vertices).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        let mut around = vec![0; triangles.len() * 3];
        for (t, corners) in (0u32..).zip(&triangles) {
            for &v in corners {
                around[next[v as usize] as usize] = t;
                next[v as usize] += 1;
            }
        }
        Fans { triangles, starts, around, split: BTreeMap::new(), count: vertices as u32 }
    }

    /// The triangles as they are by now.
    pub(crate) fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The same, of which nothing else is asked.
    pub(crate) fn into_triangles(self) -> Vec<[u32; 3]> {
        self.triangles
    }

    /// How many vertices there are, copies among them.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The triangles around a vertex, ascending.
    pub(crate) fn around(&self, vertex: u32) -> &[u32] {
        let at = |v: usize| self.starts[v] as usize;
        match self.split.get(&vertex) {
            Some(own) => own,
            None => &self.around[at(vertex as usize)..at(vertex as usize + 1)],
        }
    }

    /// Other vertices of the triangles around a vertex, each with its triangle's place among them; ascending.
    fn beside(&self, vertex: u32) -> Vec<(u32, usize)> {
        let corners = self.around(vertex).iter().map(|&t| self.triangles[t as usize]).enumerate();
        let all = corners.flat_map(|(at, corners)| corners.map(|v| (v, at)));
        let mut all: Vec<(u32, usize)> = all.filter(|(v, _)| *v != vertex).collect();
        all.sort_unstable();
        all
    }

    /// Whether an edge of a vertex has one triangle alone.
    pub(crate) fn is_border(&self, vertex: u32) -> bool {
        self.beside(vertex).chunk_by(|a, b| a.0 == b.0).any(|same| same.len() == 1)
    }

    /// The triangles around a vertex in parts that hang together by edges of this vertex, where two triangles do. In
    /// the order of their first triangles.
    pub(crate) fn parts(&self, vertex: u32, hang_together: impl Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
        let own = self.around(vertex);
        // Of each triangle the first that it hangs together with.
        let mut first: Vec<usize> = (0..own.len()).collect();
        let root = |first: &[usize], mut at: usize| {
            while first[at] != at {
                at = first[at];
            }
            at
        };
        for same in self.beside(vertex).chunk_by(|a, b| a.0 == b.0) {
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

    /// Whether some triangles, ascending, are a part of those around a vertex, and not all of them.
    pub(crate) fn is_part(&self, vertex: u32, moved: &[u32]) -> bool {
        let own = if vertex < self.count { self.around(vertex) } else { &[] };
        let ascends = moved.windows(2).all(|two| two[0] < two[1]);
        ascends && (1..own.len()).contains(&moved.len()) && moved.iter().all(|t| own.binary_search(t).is_ok())
    }

    /// Gives some of the triangles around a vertex ([`Fans::is_part`]) a copy of it; returns the copy.
    pub(crate) fn part(&mut self, vertex: u32, moved: &[u32]) -> u32 {
        let copy = self.count;
        let stays = self.around(vertex).iter().copied().filter(|t| moved.binary_search(t).is_err()).collect();
        for &t in moved {
            let corners = &mut self.triangles[t as usize];
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
        Fans::new((0..6).map(|t| [0, 1 + t, 1 + (t + 1) % 6]).collect(), 7)
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
        assert_eq!(fans.triangles()[1], [7, 2, 3]);
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

    #[test]
    fn what_is_no_part_is_known() {
        let fans = wheel();
        for wrong in [&[][..], &[0, 1, 2, 3, 4, 5], &[1, 0], &[0, 0], &[6]] {
            assert!(!fans.is_part(0, wrong), "{wrong:?}");
        }
        assert!(!fans.is_part(7, &[0]) && !fans.is_part(2, &[4]));
    }
}
