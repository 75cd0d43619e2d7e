//! Where particles lie: the numbers of each body's vertices, rows of all bodies, and what of them is taken at a time.

use super::body::NO_VERTEX;
use super::lattice::Lattice;
use super::patch::Cells;
use super::sweep::Order;
use super::{lattice, order};
use crate::describe::body::Body;
use crate::describe::frame::normalised;
use crate::describe::friction::CombineRule;
use crate::describe::settings::{Method, Settings};
use crate::plan::blocks::{Cell, RowBlock};
use crate::plan::body::BodyPlan;
use crate::plan::frame::FramePlan;
use crate::plan::patch;
use crate::tuning::{ROWS_A_BLOCK, ROWS_A_TILE};
use seidel_kernels::integrate::Run;
use seidel_kernels::{BATCH, Layout, Rows};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Where a body's vertices are, counted from its first row.
struct Numbers {
    layout: Layout,
    blocks: usize,
    /// Blocks that patches do not divide; see [`Lattice`].
    slab: usize,
    to_row: Vec<u32>,
    frames: FramePlan,
}

impl Numbers {
    /// In lanes, if the body's rows are those of a lattice; otherwise along a curve through space. With frames always
    /// so: they are reached one by one.
    fn of(body: &Body, order: Order) -> Numbers {
        let vertices = body.positions.len();
        if !body.frames.is_empty() {
            return Numbers::with_frames(body);
        }
        if body.tearing.is_some() {
            return Numbers::with_copies(body);
        }
        // Particles of a fluid, and grains, are reached one by one.
        let order = if body.fluid.is_some() || body.grain.is_some() { Order::Greedy } else { order };
        let triangles = (3, bytemuck::cast_slice(&body.triangles));
        let rows = body.constraints.iter().map(|c| (c.kind.slots(), &c.at[..])).chain([triangles]);
        let rows: Vec<lattice::VertexRows<'_>> = rows.collect();
        let mut to_row = vec![0; vertices];
        if let Some(Lattice { blocks, slab }) = lattice::lattice(vertices, &rows).filter(|_| !order.by_index()) {
            let mut place = vec![0; blocks];
            if slab > 1 {
                // A cell has something of all slabs of its patch.
                let slabs = blocks / slab;
                for of_patch in patch::patches_of_slabs(slabs, slab) {
                    let (first, width) = (of_patch.start * slab, of_patch.len());
                    for (at, s) in of_patch.enumerate() {
                        (0..slab).for_each(|depth| place[depth * slabs + s] = first + depth * width + at);
                    }
                }
            } else {
                // The first strip shows how blocks lie to each other.
                let order = order::by_halves(&body.positions[..blocks], patch::cells(blocks));
                order.iter().enumerate().for_each(|(at, &block)| place[block as usize] = at);
            }
            for (vertex, row) in to_row.iter_mut().enumerate() {
                *row = (place[vertex % blocks] * BATCH + vertex / blocks) as u32;
            }
            return Numbers { layout: Layout::Lanes, blocks, slab, to_row, frames: FramePlan::default() };
        }
        for (row, &vertex) in order::z_order(&body.positions).iter().enumerate() {
            to_row[vertex as usize] = row as u32;
        }
        let blocks = vertices.div_ceil(BATCH);
        Numbers { layout: Layout::Rows, blocks, slab: 1, to_row, frames: FramePlan::default() }
    }

    /// Along the curve, and behind it rows for copies of vertices, those that there are first: a vertex has the same
    /// row whatever has torn.
    fn with_copies(body: &Body) -> Numbers {
        let (begins, vertices) = (body.begins_with(), body.positions.len());
        let mut to_row: Vec<u32> = (0..vertices as u32).collect();
        for (row, &vertex) in order::z_order(&body.positions[..begins]).iter().enumerate() {
            to_row[vertex as usize] = row as u32;
        }
        let blocks = (begins + body.most_copies()).div_ceil(BATCH);
        Numbers { layout: Layout::Rows, blocks, slab: 1, to_row, frames: FramePlan::default() }
    }

    /// Along the curve, some points and then the frames that lie between them, so that rows which need both have them
    /// in one cell.
    fn with_frames(body: &Body) -> Numbers {
        let order = order::z_order(&body.positions);
        let mut to_row = vec![0; order.len()];
        // Each frame with the place of the first of its points along the curve.
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &vertex)| place[vertex as usize] = at);
        let first = |f: u32| body.frames[f as usize].between.map(|v| place[v as usize]).into_iter().min().unwrap_or(0);
        let mut by_place: Vec<(usize, u32)> = (0..body.frames.len() as u32).map(|f| (first(f), f)).collect();
        by_place.sort_unstable();
        let vertex = body.frames.iter().map(|frame| frame.between[0]).collect();
        let mut frames = FramePlan { to_row: vec![0; body.frames.len()], vertex, ..FramePlan::default() };
        let (mut row, mut next) = (0, 0);
        for (chunk, points) in order.chunks(ROWS_A_BLOCK).enumerate() {
            for (at, &vertex) in points.iter().enumerate() {
                to_row[vertex as usize] = (row + at) as u32;
            }
            row += points.len().next_multiple_of(BATCH);
            let end = by_place.partition_point(|(place, _)| *place < (chunk + 1) * ROWS_A_BLOCK);
            let own = &by_place[next..end];
            for (at, &(_, frame)) in own.iter().enumerate() {
                frames.to_row[frame as usize] = (row + at) as u32;
            }
            let run = row..row + own.len().next_multiple_of(BATCH);
            (row, next) = (run.end, end);
            if !run.is_empty() {
                frames.runs.push(run);
            }
        }
        frames.of_row = vec![u32::MAX; row];
        frames.to_row.iter().enumerate().for_each(|(frame, &row)| frames.of_row[row as usize] = frame as u32);
        Numbers { layout: Layout::Rows, blocks: row / BATCH, slab: 1, to_row, frames }
    }
}

impl BodyPlan {
    /// What a body alone tells: all but its place among others, and what settings say.
    pub(super) fn alone(body: &Body, order: Order) -> BodyPlan {
        let Numbers { layout, blocks, slab, to_row, frames } = Numbers::of(body, order);
        let rows = blocks * BATCH;
        let mut to_vertex = vec![NO_VERTEX; rows];
        for (vertex, &row) in to_row.iter().enumerate() {
            to_vertex[row as usize] = vertex as u32;
        }
        let mut free_masses = body.free_masses.clone();
        free_masses.sort_by_key(|(vertex, _)| *vertex);
        free_masses.dedup_by_key(|(vertex, _)| *vertex);
        BodyPlan {
            name: body.name.clone(),
            start: 0,
            rows,
            layout,
            slab,
            to_row: Arc::new(to_row),
            to_vertex: Arc::new(to_vertex),
            frames: Arc::new(frames),
            free_masses,
            joined: false,
            triangles: Arc::clone(&body.triangles),
            tets: Arc::clone(&body.tets),
            skin: None,
            shell: OnceLock::new(),
            samples: Arc::default(),
            thickness: body.thickness.largest(body.positions.len()),
            friction_rule: CombineRule::default(),
            friction: 0.0,
            by_vertex: by_vertex(body).map(Arc::new),
            filter: body.filter,
            restitution: body.restitution,
            hash: 0,
            blocks: 0..0,
            substeps: 0,
            method: Method::GaussSeidel,
            damping: 0.0,
            linear_damping: body.linear_damping,
        }
    }

    /// What settings say of it.
    fn settle(&mut self, body: &Body, substeps: u32, settings: &Settings) {
        self.friction_rule = settings.friction_rule;
        self.friction = self.friction_rule.grip(body.friction.largest(body.positions.len()));
        self.substeps = body.substeps.unwrap_or(substeps);
        self.method = body.method.unwrap_or(settings.method);
        self.damping = damping_a_substep(body.damping, self.substeps);
        self.joined = false;
    }
}

/// Rows of all bodies where they start, one after another, each in its order.
pub(super) struct StartRows {
    pub(super) x: Rows,
    pub(super) v: Rows,
    /// Inverse inertias of frames; empty if there is none.
    pub(super) r: Rows,
}

/// Places all bodies. Rows of those that are as they were in a plan before, where their own plans still say they are,
/// are copied from its x, v and r.
pub(super) fn place(
    bodies: &[Arc<Body>],
    plans: &mut [BodyPlan],
    total: usize,
    (substeps, settings): (u32, &Settings),
    before: &[Option<[&Rows; 3]>],
) -> StartRows {
    let (mut x, mut v) = (Rows::zeros(total, 0), Rows::zeros(total, 0));
    let framed = bodies.iter().any(|body| !body.frames.is_empty());
    let mut r = Rows::zeros(if framed { total } else { 0 }, 8);
    let mut start = 0;
    for ((body, plan), before) in bodies.iter().zip(plans).zip(before) {
        let (old, own) = (plan.start..plan.start + plan.rows, start..start + plan.rows);
        plan.start = start;
        plan.settle(body, substeps, settings);
        start += plan.rows;
        if let Some([old_x, old_v, old_r]) = before {
            x[own.clone()].copy_from_slice(&old_x[old.clone()]);
            v[own.clone()].copy_from_slice(&old_v[old.clone()]);
            if !plan.frames.to_row.is_empty() {
                r[own].copy_from_slice(&old_r[old]);
            }
            continue;
        }
        // Padding stands where vertex 0 stands, so that it widens no box before anything moves.
        for row in own {
            let p = body.positions[0];
            plan.layout.write(&mut x, row, [p[0], p[1], p[2], 0.0]);
        }
        for (vertex, (p, &w)) in body.positions.iter().zip(&body.inv_mass).enumerate() {
            plan.set(&mut x, vertex, [p[0], p[1], p[2], w]);
            if let Some(velocity) = body.velocities.get(vertex).filter(|_| w > 0.0) {
                plan.set(&mut v, vertex, [velocity[0], velocity[1], velocity[2], 0.0]);
            }
        }
        for run in &plan.frames.runs {
            x[plan.start + run.start..plan.start + run.end].fill([0.0, 0.0, 0.0, 1.0]);
        }
        for (number, frame) in body.frames.iter().enumerate() {
            let row = plan.frame(number);
            (x[row], r[row]) = (normalised(frame.rotation.to_array()), [0.0, 0.0, 0.0, frame.inv_inertia]);
        }
    }
    StartRows { x, v, r }
}

/// Particle radius and friction coefficient of each vertex, if any have their own.
fn by_vertex(body: &Body) -> Option<Vec<[f32; 2]>> {
    let (thickness, friction) = (&body.thickness, &body.friction);
    let own = thickness.count().is_some() || friction.count().is_some();
    own.then(|| (0..body.positions.len()).map(|v| [thickness.get(v), friction.get(v)]).collect())
}

/// Of every particle [radius, friction, 0, 0], as contacts with colliders have them; empty if all bodies
/// have one of each for all their vertices.
pub(super) fn grips(plans: &[BodyPlan], total: usize) -> Rows {
    if plans.iter().all(|plan| plan.by_vertex.is_none()) {
        return Rows::default();
    }
    let mut grips = Rows::zeros(total, 0);
    for plan in plans {
        for vertex in 0..plan.to_row.len() {
            let own = [vertex as u32];
            plan.set(&mut grips, vertex, [plan.thickness_of(&own), plan.friction_of(&own), 0.0, 0.0]);
        }
    }
    grips
}

/// k_s = 1 - (1 - k)^(1 / substeps): a step takes k away, however many substeps it has.
fn damping_a_substep(k: f32, substeps: u32) -> f32 {
    (1.0 - libm::pow(1.0 - f64::from(k), 1.0 / f64::from(substeps))) as f32
}

/// Blocks and tiles of each body's rows.
pub(super) fn divide(bodies: &mut [BodyPlan], cells: &Cells) -> (Vec<RowBlock>, Vec<Run>) {
    const { assert!(ROWS_A_BLOCK.is_multiple_of(ROWS_A_TILE) && ROWS_A_TILE.is_multiple_of(16)) };
    let runs = |rows: Range<usize>, most: usize, layout: Layout| {
        let end = rows.end;
        rows.step_by(most).map(move |start| Run { start, len: most.min(end - start), layout })
    };
    let (mut blocks, mut tiles) = (Vec::new(), Vec::new());
    for (body, plan) in bodies.iter_mut().enumerate() {
        let first = blocks.len();
        for rows in cells.cut(plan.start..plan.start + plan.rows) {
            for (rows, frames) in plan.apart(rows) {
                for run in runs(rows, ROWS_A_BLOCK, plan.layout) {
                    let first = tiles.len();
                    if !frames {
                        tiles.extend(runs(run.start..run.start + run.len, ROWS_A_TILE, plan.layout));
                    }
                    blocks.push(RowBlock { body, run, tiles: first..tiles.len(), frames });
                }
            }
        }
        plan.blocks = first..blocks.len();
    }
    (blocks, tiles)
}

/// Blocks and batch ranges of each cell, and the cells of each patch; nothing where there are no batch ranges by cell.
pub(super) fn solved_by_cell(
    blocks: &[RowBlock],
    cells: &Cells,
    batch_ranges: Vec<Range<usize>>,
) -> (Vec<Cell>, Vec<Range<usize>>) {
    let mut first = 0;
    let of_cells = batch_ranges.into_iter().enumerate().map(|(cell, batch_ranges)| {
        let end = first + blocks[first..].partition_point(|block| block.run.start < cells.rows(cell).end);
        Cell { blocks: std::mem::replace(&mut first, end)..end, batch_ranges }
    });
    let of_cells: Vec<Cell> = of_cells.collect();
    let patches = if of_cells.is_empty() { Vec::new() } else { cells.patches() };
    (of_cells, patches)
}
