//! The scene's nodes, and where they put their meshes. In f64 and in a fixed order: a mesh read anywhere has the same
//! bits.

use super::index::get;
use ::gltf::json::{Node, Root};

/// x -> m x + t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transform {
    /// Columns.
    m: [[f64; 3]; 3],
    t: [f64; 3],
}

impl Transform {
    const NONE: Self = Self { m: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], t: [0.0; 3] };

    fn of(node: &Node) -> Self {
        if let Some(a) = node.matrix {
            let column = |k: usize| [a[4 * k], a[4 * k + 1], a[4 * k + 2]].map(f64::from);
            return Self { m: [column(0), column(1), column(2)], t: column(3) };
        }
        let [x, y, z, w] = node.rotation.unwrap_or_default().0.map(f64::from);
        let [sx, sy, sz] = node.scale.unwrap_or([1.0; 3]).map(f64::from);
        let m = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)].map(|c| c * sx),
            [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)].map(|c| c * sy),
            [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)].map(|c| c * sz),
        ];
        Self { m, t: node.translation.unwrap_or_default().map(f64::from) }
    }

    fn turn(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k: usize| self.m[0][k] * x + self.m[1][k] * y + self.m[2][k] * z)
    }

    fn place(&self, x: [f64; 3]) -> [f64; 3] {
        let x = self.turn(x);
        [0, 1, 2].map(|k: usize| x[k] + self.t[k])
    }

    /// First `inner`, then this.
    fn after(&self, inner: &Self) -> Self {
        Self { m: inner.m.map(|column| self.turn(column)), t: self.place(inner.t) }
    }

    /// Moves a point; one that stays keeps its bits.
    pub(super) fn point(&self, x: [f32; 3]) -> [f32; 3] {
        if *self == Self::NONE { x } else { self.place(x.map(f64::from)).map(|c| c as f32) }
    }

    /// Turns a normal, by the matrix of cofactors, to length 1; one that vanishes is zero.
    pub(super) fn normal(&self, n: [f32; 3]) -> [f32; 3] {
        if *self == Self::NONE {
            return n;
        }
        let [a, b, c] = self.m;
        let sign = if self.mirrors() { -1.0 } else { 1.0 };
        let [x, y, z] = n.map(f64::from);
        let [p, q, r] = [cross(b, c), cross(c, a), cross(a, b)];
        let n = [0, 1, 2].map(|k: usize| sign * (p[k] * x + q[k] * y + r[k] * z));
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        if length > 0.0 && length.is_finite() { n.map(|c| (c / length) as f32) } else { [0.0; 3] }
    }

    /// Whether it makes left of right.
    pub(super) fn mirrors(&self) -> bool {
        let [a, b, c] = self.m;
        let n = cross(a, b);
        n[0] * c[0] + n[1] * c[1] + n[2] * c[2] < 0.0
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// All nodes of the default scene, or of the first, parents before children, each with its transform to the scene.
pub(super) fn walk(root: &Root) -> Result<Vec<(usize, Transform)>, String> {
    let scene = match root.scene {
        Some(index) => get(&root.scenes, index, "scene")?,
        None => root.scenes.first().ok_or("no scene; export the mesh in one")?,
    };
    let mut seen = vec![false; root.nodes.len()];
    let mut found = Vec::new();
    // A stack, not recursion: a chain of nodes may be as long as the file.
    let mut next: Vec<_> = scene.nodes.iter().rev().map(|&node| (node, Transform::NONE)).collect();
    while let Some((index, parent)) = next.pop() {
        let node = get(&root.nodes, index, "node")?;
        if std::mem::replace(&mut seen[index.value()], true) {
            return Err(format!("node {index} is reached twice; nodes are a tree"));
        }
        let transform = parent.after(&Transform::of(node));
        found.push((index.value(), transform));
        next.extend(node.children.iter().flatten().rev().map(|&child| (child, transform)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_stays_at_right_angles_and_outside() {
        // Stretched along x and mirrored: a slope's normal leans the other way.
        let matrix = [-2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 5.0, 0.0, 0.0, 1.0];
        let at = Transform::of(&Node { matrix: Some(matrix), ..Node::default() });
        assert!(at.mirrors());
        assert_eq!(at.point([1.0, 2.0, 3.0]), [3.0, 2.0, 3.0]);
        let h = std::f32::consts::FRAC_1_SQRT_2;
        let [x, y, z] = at.normal([h, h, 0.0]);
        // The tangent (1, -1, 0) became (-2, -1, 0).
        assert!((-2.0 * x - y).abs() < 1e-6 && y > 0.8 && z == 0.0, "{x} {y} {z}");
    }
}
