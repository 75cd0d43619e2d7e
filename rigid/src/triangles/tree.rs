//! A tree of boxes around triangles: halves by the middle triangle along the longest side (Ericson 2004, 6.2).

/// Triangles of a leaf at most.
const LEAF: usize = 4;

/// Boxes in the order in which they are met: that of the first half follows its parent's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Triangles, leaf after leaf.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    low: [f32; 3],
    high: [f32; 3],
    /// Where a leaf's triangles begin in `order`.
    first: u32,
    /// How many they are; 0 of a box that has two others.
    count: u32,
    /// The box after this one and all within it.
    next: u32,
}

impl Tree {
    pub(super) fn new(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Tree {
        let bounds: Vec<[[f32; 3]; 2]> = triangles.iter().map(|t| around(t.map(|v| vertices[v as usize]))).collect();
        let mut tree = Tree { nodes: Vec::new(), order: (0..triangles.len() as u32).collect() };
        tree.build(&bounds, 0, triangles.len());
        tree
    }

    fn build(&mut self, bounds: &[[[f32; 3]; 2]], start: usize, end: usize) {
        let of = |k: &u32| bounds[*k as usize];
        let [low, high] = self.order[start..end].iter().map(of).reduce(joined).unwrap_or([[0.0; 3]; 2]);
        let node = self.nodes.len();
        let leaf = end - start <= LEAF;
        self.nodes.push(Node {
            low,
            high,
            first: start as u32,
            count: if leaf { (end - start) as u32 } else { 0 },
            next: 0,
        });
        if !leaf {
            let size = [0, 1, 2].map(|k| high[k] - low[k]);
            let longest = (1..3).fold(0, |most, k| if size[k] > size[most] { k } else { most });
            let middle = start + (end - start) / 2;
            let centre = |k: &u32| of(k)[0][longest] + of(k)[1][longest];
            // No two are equal, so the halves are the same everywhere.
            self.order[start..end]
                .select_nth_unstable_by(middle - start, |a, b| centre(a).total_cmp(&centre(b)).then(a.cmp(b)));
            self.build(bounds, start, middle);
            self.build(bounds, middle, end);
        }
        self.nodes[node].next = self.nodes.len() as u32;
    }

    /// All triangles whose boxes meet one, leaf after leaf.
    pub(crate) fn within(&self, [low, high]: [[f64; 3]; 2], mut see: impl FnMut(u32)) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let meets = (0..3).all(|k| f64::from(node.low[k]) <= high[k] && f64::from(node.high[k]) >= low[k]);
            if meets {
                let (first, count) = (node.first as usize, node.count as usize);
                self.order[first..first + count].iter().for_each(|&triangle| see(triangle));
                at += 1;
            } else {
                at = node.next as usize;
            }
        }
    }

    /// How far all reach from the origin along each axis.
    pub(super) fn half(&self) -> [f32; 3] {
        let Node { low, high, .. } = self.nodes[0];
        [0, 1, 2].map(|k| if -low[k] > high[k] { -low[k] } else { high[k] })
    }
}

fn around(corners: [[f32; 3]; 3]) -> [[f32; 3]; 2] {
    corners[1..].iter().fold([corners[0]; 2], |both, &p| joined(both, [p; 2]))
}

fn joined([low, high]: [[f32; 3]; 2], [other_low, other_high]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
    let smaller = |a: f32, b: f32| if b < a { b } else { a };
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    [std::array::from_fn(|k| smaller(low[k], other_low[k])), std::array::from_fn(|k| larger(high[k], other_high[k]))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_find_what_a_look_at_all_finds() {
        let mut state = 5u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let vertices: Vec<[f32; 3]> = (0..300).map(|_| [next(), next(), next()]).collect();
        let triangles: Vec<[u32; 3]> = (0..298).map(|k| [k, k + 1, k + 2]).collect();
        let tree = Tree::new(&vertices, &triangles);
        for _ in 0..100 {
            let (at, size) = ([next(), next(), next()], 0.3 * next().abs());
            let asked = [at.map(|c| f64::from(c - size)), at.map(|c| f64::from(c + size))];
            let mut found = vec![];
            tree.within(asked, |k| found.push(k));
            found.sort_unstable();
            let meets = |t: &[u32; 3]| {
                let [low, high] = around(t.map(|v| vertices[v as usize]));
                (0..3).all(|k| f64::from(low[k]) <= asked[1][k] && f64::from(high[k]) >= asked[0][k])
            };
            let all: Vec<u32> = (0..298).filter(|&k| meets(&triangles[k as usize])).collect();
            // A leaf brings its other triangles along.
            assert!(all.iter().all(|k| found.binary_search(k).is_ok()) && found.len() <= all.len() * 4 + 40);
        }
    }
}
