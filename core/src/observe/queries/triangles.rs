//! The triangles of meshes at which shapes are cast.

use super::part::around;
use super::reach::{enters, over};
use crate::describe::collider::Shape;
use crate::describe::mesh::Mesh;
use crate::geometry::boxes::{Box3, BoxTree};
use crate::geometry::vector::{P, add, scale, sub};
use seidel_rigid::cast::{Impact, Placed, Solid};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Triangles of a mesh in its own frame.
#[derive(Clone, Debug)]
pub(super) struct MeshTriangles {
    corners: Vec<[P; 3]>,
    tree: BoxTree,
}

/// Those of a shape, of what is no mesh none. They are made when a shape is first cast at it; shapes of the same mesh
/// share them.
pub(super) type Shared = Option<Arc<OnceLock<MeshTriangles>>>;

/// Places for the triangles of all shapes.
pub(super) fn shared(shapes: &[Shape]) -> Vec<Shared> {
    // By addresses, of which nothing but equality counts.
    let mut known = BTreeMap::<_, Arc<OnceLock<MeshTriangles>>>::new();
    let place = |shape: &Shape| match shape {
        Shape::Sdf { sdf, .. } => Some(Arc::clone(known.entry(Arc::as_ptr(sdf)).or_default())),
        _ => None,
    };
    shapes.iter().map(place).collect()
}

impl MeshTriangles {
    pub(super) fn of(mesh: &Mesh) -> MeshTriangles {
        let corners: Vec<[P; 3]> =
            mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize].map(f64::from))).collect();
        let boxes: Vec<Box3> = corners.iter().map(|of| around(of.iter().copied(), 0.0)).collect();
        let tree = over(&boxes, (0..corners.len() as u32).collect());
        MeshTriangles { corners, tree }
    }

    /// Which is met first, and where; of several at once the first of them.
    pub(super) fn cast(&self, placed: &Placed<'_>, way: P, most: f64) -> Option<Impact> {
        let (line, half) = swept(placed, way);
        let mut best: Option<(Impact, u32)> = None;
        self.tree.walk(
            most,
            |bounds| enters(bounds, line, half, most),
            |triangle| {
                let reach = best.map_or(most, |(impact, _)| impact.at);
                let of = Placed::here(Solid::Triangle(self.corners[triangle as usize]));
                if let Some(impact) = placed.cast(&of, way, reach)
                    && best.is_none_or(|(first, of)| (impact.at, triangle) < (first.at, of))
                {
                    best = Some((impact, triangle));
                }
                best.map_or(most, |(impact, _)| impact.at)
            },
        );
        best.map(|(impact, _)| impact)
    }
}

/// The way of the middle of a shape's box, and half of the box.
pub(super) fn swept(placed: &Placed<'_>, way: P) -> ((P, P), P) {
    let [low, high] = placed.bounds();
    let middle = scale(add(low, high), 0.5);
    ((middle, way), scale(sub(high, low), 0.5))
}
