//! A body in a plan: which row of the arrays each of its vertices has.

use crate::body::Body;
use crate::error::Error;
use crate::filter::Filter;
use crate::render::Embedding;
use crate::tets::TetMesh;
use seidel_kernels::{BATCH, Layout, Row};
use std::ops::Range;
use std::sync::Arc;

/// A body's part of the plan.
#[derive(Clone, Debug)]
pub(crate) struct BodyPlan {
    pub(crate) name: String,
    /// First row, and their number, a multiple of 16: rows without a vertex are fixed copies of vertex 0.
    pub(crate) start: usize,
    pub(crate) rows: usize,
    pub(crate) layout: Layout,
    /// Particle of each vertex, counted from `start`.
    pub(crate) to_row: Vec<u32>,
    /// Vertex of each row, or `NO_VERTEX`.
    pub(super) to_vertex: Vec<u32>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) tets: Vec<[u32; 4]>,
    pub(crate) skin: Option<Arc<Embedding>>,
    pub(crate) thickness: f32,
    /// Square root of the friction coefficient.
    pub(crate) friction: f32,
    pub(crate) filter: Filter,
    /// Factor on the colliders' restitution.
    pub(crate) restitution: f32,
    /// Its blocks.
    pub(crate) blocks: Range<usize>,
    /// Share of the relative velocity that a substep takes away.
    pub(crate) damping: f32,
}

impl BodyPlan {
    /// Binds a body's skin to its tetrahedra.
    pub(super) fn bind(&mut self, body: &Body) -> Result<(), Error> {
        if let Some(skin) = &body.skin {
            let solid = TetMesh { positions: body.positions.clone(), tets: body.tets.clone() };
            let of = format!("skin of body `{}`", self.name);
            self.skin = Some(Arc::new(Embedding::of(&of, &solid, skin)?));
        }
        Ok(())
    }

    /// The row of a vertex.
    pub(crate) fn particle(&self, vertex: u32) -> u32 {
        self.start as u32 + self.to_row[vertex as usize]
    }

    /// A vertex's row of an array.
    pub(crate) fn get(&self, rows: &[Row], vertex: usize) -> Row {
        self.layout.read(rows, self.start + self.to_row[vertex] as usize)
    }

    /// Sets a vertex's row of an array.
    pub(crate) fn set(&self, rows: &mut [Row], vertex: usize, row: Row) {
        self.layout.write(rows, self.start + self.to_row[vertex] as usize, row);
    }

    /// The vertex of a row.
    pub(crate) fn vertex(&self, row: usize) -> Option<usize> {
        let vertex = *self.to_vertex.get(row.checked_sub(self.start)?)?;
        (vertex != NO_VERTEX).then_some(vertex as usize)
    }

    /// Every vertex with its row of an array, in the order of the rows: in that of the vertices, each would have cache lines of its
    /// own fetched where a body lies in lanes (a million positions: 20 ms, and 3 in this order).
    #[inline]
    pub(crate) fn each(&self, rows: &[Row], mut visit: impl FnMut(usize, Row)) {
        let blocks = rows[self.start..self.start + self.rows].chunks_exact(BATCH);
        for (block, vertices) in blocks.zip(self.to_vertex.chunks_exact(BATCH)) {
            for (lane, &vertex) in vertices.iter().enumerate() {
                if vertex != NO_VERTEX {
                    visit(vertex as usize, self.layout.read(block, lane));
                }
            }
        }
    }
}

/// What stands for the vertex of a row that has none.
pub(super) const NO_VERTEX: u32 = u32::MAX;
