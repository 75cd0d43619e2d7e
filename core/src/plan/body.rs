//! A body in a plan: which row of the arrays each of its vertices has.

use crate::describe::body::Body;
use crate::describe::error::Error;
use crate::describe::filter::Filter;
use crate::describe::friction::CombineRule;
use crate::describe::settings::Method;
use crate::describe::tets::TetMesh;
use crate::describe::values::mean;
use crate::geometry::cells::Cells;
use crate::geometry::shell::Shell;
use crate::plan::embedding::{Bond, Embedding};
use crate::plan::frame::FramePlan;
use crate::plan::samples::samples;
use seidel_kernels::{BATCH, Layout, Row};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::Xxh3;

/// A body's part of the plan.
#[derive(Clone, Debug)]
pub(crate) struct BodyPlan {
    pub(crate) name: String,
    /// First row, and their number, a multiple of 16: rows without a vertex are fixed copies of vertex 0.
    pub(crate) start: usize,
    pub(crate) rows: usize,
    pub(crate) layout: Layout,
    /// Blocks that patches do not divide (`Lattice`).
    pub(super) slab: usize,
    /// Particle of each vertex, counted from `start`.
    pub(crate) to_row: Arc<Vec<u32>>,
    /// Vertex of each row, or `NO_VERTEX`.
    pub(super) to_vertex: Arc<Vec<u32>>,
    /// Its frames, whose rows have no vertex.
    pub(crate) frames: Arc<FramePlan>,
    /// Fixed vertices, ascending, and the inverse masses that they have when they are free.
    pub(super) free_masses: Vec<(u32, f32)>,
    /// Whether a joint holds it to others.
    pub(crate) joined: bool,
    pub(crate) triangles: Arc<Vec<[u32; 3]>>,
    pub(crate) tets: Arc<Vec<[u32; 4]>>,
    pub(crate) skin: Option<Arc<Embedding>>,
    /// What is shown of it, if that closes: once it has been asked for.
    pub(crate) shell: OnceLock<Option<Arc<Shell>>>,
    /// Points between the vertices of a coarse skin that meet colliders, too, and the vertex that each is near.
    pub(super) samples: Arc<Vec<(Bond, u32)>>,
    /// Particle radius, metres; the largest, where vertices have their own.
    pub(crate) thickness: f32,
    /// How friction is combined.
    pub(crate) friction_rule: CombineRule,
    /// Friction as contacts keep it (`CombineRule::grip`); the largest, where vertices have their own.
    pub(crate) friction: f32,
    /// Particle radius and friction coefficient of each vertex, if they have their own.
    pub(crate) by_vertex: Option<Arc<Vec<[f32; 2]>>>,
    pub(crate) filter: Filter,
    /// Factor on the colliders' restitution.
    pub(crate) restitution: f32,
    /// Of its rows at the start, and of what lies on them: of all of it that settings do not say.
    pub(super) hash: u64,
    /// Its blocks.
    pub(crate) blocks: Range<usize>,
    /// Substeps that it takes in a step.
    pub(crate) substeps: u32,
    /// How a sweep goes over its constraints.
    pub(crate) method: Method,
    /// Share of the relative velocity that a substep takes away.
    pub(crate) damping: f32,
    /// Damping of the velocity relative to the world, 1/s.
    pub(crate) linear_damping: f32,
}

impl BodyPlan {
    /// The cells that tear apart, as of a described body.
    pub(crate) fn cells(&self) -> Cells<'_> {
        Cells::of(&self.triangles, &self.tets)
    }

    /// The row of a frame.
    pub(crate) fn frame(&self, frame: usize) -> usize {
        self.start + self.frames.to_row[frame] as usize
    }

    /// Hashes what a body alone has told; `rows` are its rows of arrays.
    pub(super) fn fingerprint(&mut self, rows: &[&[Row]]) {
        let mut hash = Xxh3::new();
        let mut add = |bytes: &[u8]| hash.update(bytes);
        rows.iter().for_each(|rows| add(bytemuck::cast_slice(rows)));
        add(self.name.as_bytes());
        add(bytemuck::cast_slice(&self.to_row));
        add(bytemuck::cast_slice(&self.triangles));
        for bond in self.skin.iter().flat_map(|skin| skin.bonds()).chain(self.samples.iter().map(|(bond, _)| bond)) {
            add(bytemuck::bytes_of(&bond.corners));
            add(bytemuck::bytes_of(&bond.shares));
        }
        self.hash = hash.digest();
    }

    /// Binds a body's skin to its tetrahedra, if it is not bound.
    pub(super) fn bind(&mut self, body: &Body) -> Result<(), Error> {
        if let Some(skin) = body.skin.as_ref().filter(|_| self.skin.is_none()) {
            let solid = TetMesh { positions: body.positions.clone(), tets: body.tets.to_vec() };
            let of = format!("skin of body `{}`", self.name);
            solid.sound(&of)?;
            let (points, vertices): (Vec<_>, Vec<_>) = samples(&solid, skin).into_iter().unzip();
            let (embedding, bonds) = Embedding::with(&of, &solid, skin, &points)?;
            self.samples = Arc::new(bonds.into_iter().zip(vertices).collect());
            self.skin = Some(Arc::new(embedding));
        }
        Ok(())
    }

    /// The particle radius of a vertex, or the mean of a triangle's, metres.
    pub(crate) fn thickness_of(&self, vertices: &[u32]) -> f32 {
        self.by_vertex.as_ref().map_or(self.thickness, |each| mean(vertices.iter().map(|&v| each[v as usize][0])))
    }

    /// The friction of a vertex, or of the mean of a triangle's, as contacts keep it.
    pub(crate) fn friction_of(&self, vertices: &[u32]) -> f32 {
        let of =
            |each: &Arc<Vec<[f32; 2]>>| self.friction_rule.grip(mean(vertices.iter().map(|&v| each[v as usize][1])));
        self.by_vertex.as_ref().map_or(self.friction, of)
    }

    /// The row of a vertex.
    pub(crate) fn particle(&self, vertex: u32) -> u32 {
        self.start as u32 + self.to_row[vertex as usize]
    }

    /// The inverse mass of a vertex when it is free, if that is known; `x` are the plan's positions.
    pub(crate) fn free_mass(&self, x: &[Row], vertex: usize) -> Option<f32> {
        let known = || self.free_masses.binary_search_by_key(&(vertex as u32), |(of, _)| *of).ok();
        match self.get(x, vertex)[3] {
            0.0 => known().map(|at| self.free_masses[at].1),
            w => Some(w),
        }
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

    /// The row of a slot's number: a vertex, or a frame.
    pub(crate) fn row(&self, number: u32, is_frame: bool) -> u32 {
        if is_frame { self.frame(number as usize) as u32 } else { self.particle(number) }
    }

    /// The vertex of a row, or the frame's.
    pub(crate) fn number(&self, row: usize) -> u32 {
        let row = row - self.start;
        self.frames.at(row).map_or(self.to_vertex[row], |frame| frame as u32)
    }

    /// Some of its rows, cut where those of particles and of frames meet, and whether they are frames.
    pub(super) fn apart(&self, rows: Range<usize>) -> Vec<(Range<usize>, bool)> {
        let (mut cut, mut at) = (Vec::new(), rows.start);
        for run in &self.frames.runs {
            let run = (self.start + run.start).clamp(at, rows.end)..(self.start + run.end).clamp(at, rows.end);
            cut.extend([(at..run.start, false), (run.clone(), true)]);
            at = run.end;
        }
        cut.push((at..rows.end, false));
        cut.retain(|(rows, _)| !rows.is_empty());
        cut
    }

    /// Every vertex with its row of an array, in the order of the rows: in that of the vertices, each would have cache
    /// lines of its own fetched where a body lies in lanes (a million positions: 20 ms, and 3 in this order).
    #[inline]
    pub(crate) fn each(&self, rows: &[Row], mut batch_range: impl FnMut(usize, Row)) {
        let blocks = rows[self.start..self.start + self.rows].chunks_exact(BATCH);
        for (block, vertices) in blocks.zip(self.to_vertex.chunks_exact(BATCH)) {
            for (lane, &vertex) in vertices.iter().enumerate() {
                if vertex != NO_VERTEX {
                    batch_range(vertex as usize, self.layout.read(block, lane));
                }
            }
        }
    }
}

/// Stands for the vertex of a row that has none.
pub(super) const NO_VERTEX: u32 = u32::MAX;
