//! Fans: the triangles around each vertex as chains of neighbours.
//!
//! ```text
//!      c --- b       the chain a b c d: triangles v a b, v b c, v c d; a closed fan ends with the vertex it began with;
//!     / \   / \      a second chain follows after v itself
//!    d --- v --- a
//! ```
//! Two neighbours that follow one another are a triangle with v; with v between them they make a triangle of no area,
//! so a kernel needs to know nothing of chains. A neighbour inside a chain is loaded once for two triangles.

use std::fmt;

/// A triangle that names a vertex which does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The triangle.
    pub triangle: usize,
    /// The vertex.
    pub vertex: u32,
    /// How many there are.
    pub vertices: usize,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing { triangle, vertex, vertices } = self;
        write!(f, "triangle {triangle} names vertex {vertex}, which does not exist: there are {vertices}")
    }
}

impl std::error::Error for Missing {}

/// The chains of every vertex: of vertex v `neighbours[starts[v]..starts[v + 1]]`.
#[derive(Debug)]
pub(super) struct Fans {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Fans {
    /// Chains of a mesh's triangles, whatever these look like: those that name a vertex twice have no area and are left
    /// out.
    ///
    /// Chains with a beginning come first; each goes on with the first triangle left, in ascending order of vertices.
    /// So vertices whose neighbours have numbers at the same offsets have the same chains, but for the offset.
    pub(super) fn new(vertices: usize, triangles: &[[u32; 3]]) -> Result<Fans, Missing> {
        let mut starts = vec![0usize; vertices + 1];
        for (triangle, &corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(Missing { triangle, vertex, vertices });
            }
            if has_area(corners) {
                corners.iter().for_each(|&v| starts[v as usize + 1] += 1);
            }
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        // Around each vertex, its triangles' other corners.
        let mut next = starts.clone();
        let mut pairs = vec![[0u32; 2]; starts[vertices]];
        for &[a, b, c] in triangles.iter().filter(|&&t| has_area(t)) {
            for [v, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
                pairs[next[v as usize]] = [from, to];
                next[v as usize] += 1;
            }
        }
        let (mut ends, mut used, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let mut fans = Fans { starts: vec![0], neighbours: Vec::with_capacity(pairs.len() + vertices) };
        for v in 0..vertices {
            let pairs = &mut pairs[starts[v]..starts[v + 1]];
            pairs.sort_unstable();
            ends.clear();
            ends.extend(pairs.iter().map(|pair| pair[1]));
            ends.sort_unstable();
            used.clear();
            used.resize(pairs.len(), false);
            // Of the pairs that begin alike, where the first unused may be: kept with the first of them.
            left.clear();
            left.extend(0..pairs.len());
            let begins = |i: &usize| ends.binary_search(&pairs[*i][0]).is_err();
            let order = (0..pairs.len()).filter(begins).chain(0..pairs.len());
            let first = fans.neighbours.len();
            for i in order {
                if used[i] {
                    continue;
                }
                if fans.neighbours.len() > first {
                    fans.neighbours.push(v as u32);
                }
                fans.neighbours.push(pairs[i][0]);
                let mut go_on = Some(i);
                while let Some(i) = go_on {
                    used[i] = true;
                    let to = pairs[i][1];
                    fans.neighbours.push(to);
                    let alike = pairs.partition_point(|pair| pair[0] < to);
                    let goes_on = |j: usize| pairs.get(j).is_some_and(|pair| pair[0] == to);
                    go_on = None;
                    if goes_on(alike) {
                        while goes_on(left[alike]) && used[left[alike]] {
                            left[alike] += 1;
                        }
                        go_on = Some(left[alike]).filter(|&j| goes_on(j));
                    }
                }
            }
            fans.starts.push(fans.neighbours.len());
        }
        Ok(fans)
    }

    /// A vertex's chains.
    pub(super) fn of(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// How many vertices from `vertex` on, at most `most`, have the same chains moved on by one number each.
    pub(super) fn run(&self, vertex: usize, most: usize) -> usize {
        let same = |&v: &usize| {
            let (a, b) = (self.of(v - 1), self.of(v));
            a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a + 1 == b)
        };
        let end = (self.starts.len() - 1).min(vertex + most);
        1 + (vertex + 1..end).take_while(same).count()
    }
}

fn has_area([a, b, c]: [u32; 3]) -> bool {
    a != b && b != c && c != a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_as_in_the_figure() {
        // v = 0; a closed fan of four, an open one of two, two that meet in v only, one that is there twice.
        let closed = Fans::new(5, &[[0, 3, 4], [0, 1, 2], [4, 1, 0], [3, 0, 2]]).expect("all vertices exist");
        assert_eq!(closed.of(0), [1, 2, 3, 4, 1]);
        let open = Fans::new(4, &[[0, 1, 2], [0, 3, 1]]).expect("all vertices exist");
        assert_eq!((open.of(0), open.of(2)), (&[3, 1, 2][..], &[0, 1][..]));
        let two = Fans::new(6, &[[0, 3, 4], [0, 1, 2], [0, 1, 1]]).expect("all vertices exist");
        assert_eq!((two.of(0), two.of(5)), (&[1, 2, 0, 3, 4][..], &[][..]));
        let twice = Fans::new(3, &[[0, 1, 2], [0, 1, 2]]).expect("all vertices exist");
        assert_eq!(twice.of(0), [1, 2, 0, 1, 2]);
        let missing = Fans::new(3, &[[0, 1, 2], [0, 7, 2]]).expect_err("there is no 7");
        assert_eq!(missing.to_string(), "triangle 1 names vertex 7, which does not exist: there are 3");
    }

    /// 200,000 triangles around one vertex, as a rim that is there twice, and as two triangles again and again: a
    /// search from the first each time would take hours.
    #[test]
    fn a_vertex_of_many_triangles() {
        let n = 200_000;
        let mut rim: Vec<_> = (1..=n).map(|i| [0, i, i % n + 1]).collect();
        rim.extend_from_within(..);
        let fans = Fans::new(n as usize + 1, &rim).expect("all vertices exist");
        assert_eq!(fans.of(0).len(), 2 * n as usize + 1);
        let again: Vec<_> = (0..n).map(|i| [0, 1 + i % 2, 2 - i % 2]).collect();
        let fans = Fans::new(3, &again).expect("all vertices exist");
        assert_eq!(fans.of(0).len(), n as usize + 1);
    }
}
