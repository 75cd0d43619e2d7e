//! Vertices, planes and edges of a polyhedron in packs of sixteen, for what is asked of all of them at once.

use seidel_kernels::{BATCH, Pack};

/// Sixteen vertices: x, y, z. Behind the last one the first is repeated.
pub(crate) type Vertices = [Pack<f32>; 3];
/// The planes of sixteen faces: [nx, ny, nz, d]. Behind the last one come planes that everything is below.
pub(crate) type Planes = [Pack<f32>; 4];
/// The planes of both faces beside sixteen edges. Behind the last one as for faces.
pub(crate) type EdgePlanes = [Planes; 2];

/// A plane that no finite point is above.
pub(crate) const FAR_PLANE: [f32; 4] = [0.0, 0.0, 0.0, f32::INFINITY];

/// A polyhedron in packs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Packed {
    pub(crate) vertices: Vec<Vertices>,
    pub(crate) planes: Vec<Planes>,
    pub(crate) edges: Vec<EdgePlanes>,
}

impl Packed {
    /// Of vertices, of faces' planes, and of edges [vertex, vertex, face, face].
    pub(crate) fn of(vertices: &[[f32; 3]], planes: &[[f32; 4]], edges: &[[u32; 4]]) -> Packed {
        Packed {
            vertices: vertices.chunks(BATCH).map(|some| pack(some, vertices[0])).collect(),
            planes: planes.chunks(BATCH).map(|some| pack(some, FAR_PLANE)).collect(),
            edges: edges.chunks(BATCH).map(|some| edge_planes(some, planes)).collect(),
        }
    }
}

/// At most sixteen rows as columns; `other` stands behind the last one.
pub(crate) fn pack<const N: usize>(rows: &[[f32; N]], other: [f32; N]) -> [Pack<f32>; N] {
    std::array::from_fn(|k| Pack(std::array::from_fn(|lane| rows.get(lane).unwrap_or(&other)[k])))
}

/// The planes beside at most sixteen edges. A face that is not there has zeros.
pub(crate) fn edge_planes(edges: &[[u32; 4]], planes: &[[f32; 4]]) -> EdgePlanes {
    [2, 3].map(|side| {
        let plane = |lane: usize| match edges.get(lane) {
            Some(edge) => planes.get(edge[side] as usize).unwrap_or(&[0.0; 4]),
            None => &FAR_PLANE,
        };
        std::array::from_fn(|k| Pack(std::array::from_fn(|lane| plane(lane)[k])))
    })
}
