//! Meshes of the workloads.

use crate::random::Random;
use seidel::{Cloth, Mesh, SoftBody, TetMesh};

/// A square metre of n x n vertices in rows; the triangles lie on one diagonal.
#[must_use]
pub fn grid(n: u32) -> Mesh {
    Cloth::grid([n, n], [1.0, 1.0]).mesh().clone()
}

/// A square metre of n x n vertices that stand off their places by up to 0.24 of the spacing (less than the quarter
/// that could make a cell concave), each cell cut along a random diagonal. Vertices are numbered at random, as in a
/// file.
#[must_use]
pub fn irregular(n: u32) -> Mesh {
    let mut random = Random(0x5e1d_e100);
    let mut mesh = grid(n);
    let reach = 0.24 / (n - 1) as f32;
    for p in &mut mesh.positions {
        *p = [p[0] + reach * random.signed(), p[1], p[2] + reach * random.signed()];
    }
    // A grid's triangles come in pairs (a, b, c), (c, b, d) that share the diagonal b c.
    for cell in mesh.triangles.chunks_exact_mut(2) {
        if random.bits() & 1 == 1 {
            let ([a, b, c], d) = (cell[0], cell[1][2]);
            cell.copy_from_slice(&[[a, b, d], [a, d, c]]);
        }
    }
    let order = random.shuffled(mesh.positions.len());
    renumbered(&mesh, &order)
}

/// A cubic metre of n x n x n cells, each of six tetrahedra.
///
/// # Panics
/// If there are no cells, or too many.
#[must_use]
pub fn solid(n: u32) -> TetMesh {
    SoftBody::bar([1.0; 3], [n; 3]).mesh().expect("there are cells")
}

/// The same with vertices that stand off their places by up to a tenth of the spacing, numbered at random.
#[must_use]
pub fn scattered(n: u32) -> TetMesh {
    let mut random = Random(0x5e1d_e101);
    let mut mesh = solid(n);
    let reach = 0.1 / n as f32;
    mesh.positions.iter_mut().for_each(|p| *p = p.map(|c| c + reach * random.signed()));
    let order = random.shuffled(mesh.positions.len());
    let mut to = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| to[old as usize] = new as u32);
    TetMesh {
        positions: order.iter().map(|&old| mesh.positions[old as usize]).collect(),
        tets: mesh.tets.iter().map(|tet| tet.map(|v| to[v as usize])).collect(),
    }
}

/// Vertex i of the result is vertex `order[i]` of the mesh.
fn renumbered(mesh: &Mesh, order: &[u32]) -> Mesh {
    let mut to = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        to[old as usize] = new as u32;
    }
    Mesh {
        positions: order.iter().map(|&v| mesh.positions[v as usize]).collect(),
        triangles: mesh.triangles.iter().map(|t| t.map(|v| to[v as usize])).collect(),
    }
}
