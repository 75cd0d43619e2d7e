//! Where particles lie: the numbers of each body's vertices, rows of all bodies, and what of them is taken at a time.

use super::body::NO_VERTEX;
use super::compared::Order;
use super::patch::{self, Cells};
use super::{Block, BodyPlan, Cell, lattice, order};
use crate::body::Body;
use crate::scene::Settings;
use crate::tuning::{ROWS_A_BLOCK, ROWS_A_TILE};
use seidel_kernels::integrate::Run;
use seidel_kernels::{BATCH, Layout, Rows};
use std::ops::Range;

/// Where a body's vertices are, counted from its first row.
pub(super) struct Numbers {
    pub(super) layout: Layout,
    pub(super) blocks: usize,
    to_row: Vec<u32>,
}

impl Numbers {
    /// In lanes, if the body's rows are those of a lattice; otherwise along a curve through space.
    pub(super) fn of(body: &Body, order: Order) -> Numbers {
        let vertices = body.positions.len();
        let triangles = (3, bytemuck::cast_slice(&body.triangles));
        let rows = body.constraints.iter().map(|c| (c.kind.slots(), &c.at[..])).chain([triangles]);
        let rows: Vec<lattice::VertexRows<'_>> = rows.collect();
        let mut to_row = vec![0; vertices];
        if let Some(blocks) = lattice::blocks(vertices, &rows).filter(|_| !order.by_index()) {
            // The first strip shows how blocks lie to each other.
            let order = order::by_halves(&body.positions[..blocks], patch::cells(blocks));
            let mut place = vec![0; blocks];
            for (at, &block) in order.iter().enumerate() {
                place[block as usize] = at;
            }
            for (vertex, row) in to_row.iter_mut().enumerate() {
                *row = (place[vertex % blocks] * BATCH + vertex / blocks) as u32;
            }
            return Numbers { layout: Layout::Lanes, blocks, to_row };
        }
        for (row, &vertex) in order::z_order(&body.positions).iter().enumerate() {
            to_row[vertex as usize] = row as u32;
        }
        Numbers { layout: Layout::Rows, blocks: vertices.div_ceil(BATCH), to_row }
    }
}

/// Rows of all bodies, one after another, each in its order.
pub(super) fn place(
    bodies: &[Body],
    numbers: Vec<Numbers>,
    total: usize,
    settings: &Settings,
) -> (Rows, Rows, Vec<BodyPlan>) {
    let (mut x, mut v) = (Rows::zeros(total, 0), Rows::zeros(total, 0));
    let mut plans = Vec::with_capacity(bodies.len());
    let mut start = 0;
    for (body, Numbers { layout, blocks, to_row }) in bodies.iter().zip(numbers) {
        let rows = blocks * BATCH;
        let mut to_vertex = vec![NO_VERTEX; rows];
        for (vertex, &row) in to_row.iter().enumerate() {
            to_vertex[row as usize] = vertex as u32;
        }
        let plan = BodyPlan {
            name: body.name.clone(),
            start,
            rows,
            layout,
            to_row,
            to_vertex,
            triangles: body.triangles.clone(),
            tets: body.tets.clone(),
            skin: None,
            thickness: body.thickness,
            friction: body.friction.sqrt(),
            filter: body.filter,
            restitution: body.restitution,
            blocks: 0..0,
            damping: damping_a_substep(body.damping, settings.substeps),
        };
        // Padding stands where vertex 0 stands, so that it widens no box before anything moves.
        for row in start..start + rows {
            let p = body.positions[0];
            layout.write(&mut x, row, [p[0], p[1], p[2], 0.0]);
        }
        for (vertex, (p, &w)) in body.positions.iter().zip(&body.inv_mass).enumerate() {
            plan.set(&mut x, vertex, [p[0], p[1], p[2], w]);
            if let Some(velocity) = body.velocities.get(vertex).filter(|_| w > 0.0) {
                plan.set(&mut v, vertex, [velocity[0], velocity[1], velocity[2], 0.0]);
            }
        }
        plans.push(plan);
        start += rows;
    }
    (x, v, plans)
}

/// k_s = 1 - (1 - k)^(1 / substeps): a step takes k away, however many substeps it has.
fn damping_a_substep(k: f32, substeps: u32) -> f32 {
    (1.0 - libm::pow(1.0 - f64::from(k), 1.0 / f64::from(substeps))) as f32
}

/// Blocks and tiles of each body's rows.
pub(super) fn divide(bodies: &mut [BodyPlan], cells: &Cells) -> (Vec<Block>, Vec<Run>) {
    const { assert!(ROWS_A_BLOCK.is_multiple_of(ROWS_A_TILE) && ROWS_A_TILE.is_multiple_of(16)) };
    let runs = |rows: Range<usize>, most: usize, layout: Layout| {
        let end = rows.end;
        rows.step_by(most).map(move |start| Run { start, len: most.min(end - start), layout })
    };
    let (mut blocks, mut tiles) = (Vec::new(), Vec::new());
    for (body, plan) in bodies.iter_mut().enumerate() {
        let first = blocks.len();
        for rows in cells.cut(plan.start..plan.start + plan.rows) {
            for run in runs(rows, ROWS_A_BLOCK, plan.layout) {
                let first = tiles.len();
                tiles.extend(runs(run.start..run.start + run.len, ROWS_A_TILE, plan.layout));
                blocks.push(Block { body, run, tiles: first..tiles.len() });
            }
        }
        plan.blocks = first..blocks.len();
    }
    (blocks, tiles)
}

/// Blocks and visits of each cell, and the cells of each patch; nothing where there are no visits by cell.
pub(super) fn solved_by_cell(
    blocks: &[Block],
    cells: &Cells,
    visits: Vec<Range<usize>>,
) -> (Vec<Cell>, Vec<Range<usize>>) {
    let mut first = 0;
    let of_cells = visits.into_iter().enumerate().map(|(cell, visits)| {
        let end = first + blocks[first..].partition_point(|block| block.run.start < cells.rows(cell).end);
        Cell { blocks: std::mem::replace(&mut first, end)..end, visits }
    });
    let of_cells: Vec<Cell> = of_cells.collect();
    let patches = if of_cells.is_empty() { Vec::new() } else { cells.patches() };
    (of_cells, patches)
}
