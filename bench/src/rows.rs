//! Which vertices of a mesh a constraint holds: the same rows for this engine and its peers.

use seidel::Mesh;

/// Rows of a kind that takes so many points, one after the other; `side`: of a grid of n x n vertices.
#[must_use]
pub fn of(slots: usize, mesh: &Mesh, side: Option<u32>) -> Vec<u32> {
    let count = mesh.positions.len() as u32;
    match slots {
        1 => (0..count).collect(),
        2 => springs(mesh, side),
        3 => mesh.triangles.concat(),
        4 => hinges(mesh),
        // Neighbours in the mesh's order; each vertex is in two rows.
        n => (0..=count - n as u32).step_by(n / 2).flat_map(|first| first..first + n as u32).collect(),
    }
}

/// A grid's edges along x, along z, and both diagonals; a mesh's edges.
#[must_use]
pub fn springs(mesh: &Mesh, side: Option<u32>) -> Vec<u32> {
    let Some(n) = side else {
        return mesh.edges().iter().flat_map(|edge| edge.vertices).collect();
    };
    let mut at = Vec::new();
    for (width, height, from, to) in
        [(n - 1, n, 0, 1), (n, n - 1, 0, n), (n - 1, n - 1, 0, n + 1), (n - 1, n - 1, 1, n)]
    {
        at.extend((0..height).flat_map(|j| (0..width).flat_map(move |i| [j * n + i + from, j * n + i + to])));
    }
    at
}

/// [hinge, hinge, wing, wing] over every inner edge.
#[must_use]
pub fn hinges(mesh: &Mesh) -> Vec<u32> {
    let over = |edge: &seidel::mesh::Edge| match edge.opposite {
        [Some(a), Some(b)] => Some([edge.vertices[0], edge.vertices[1], a, b]),
        _ => None,
    };
    mesh.edges().iter().filter_map(over).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes;

    #[test]
    fn any_number_of_points_makes_rows() {
        let mesh = meshes::grid(8);
        for slots in 1..10 {
            let at = of(slots, &mesh, Some(8));
            assert!(at.len() > 10 * slots && at.len().is_multiple_of(slots) && at.iter().all(|&v| v < 64), "{slots}");
        }
    }
}
