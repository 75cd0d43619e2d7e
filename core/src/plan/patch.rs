//! Patches: which rows are solved together, in which order, and by one worker.
//!
//! Particles lie in blocks of sixteen, blocks in cells that fit the first-level cache, cells in patches. A patch is
//! solved by one worker: cell after cell, family after family, batch after batch. Patches share no particle, so all are
//! solved at once; what reaches over the border of patches comes after them, interface by interface, interfaces that
//! share nothing at once. The order is the plan's alone.

use super::color::Coloring;
use super::sweep::Order;
use crate::tuning::{CELL_BLOCKS, MAX_PATCHES, MIN_PATCH_SLABS, MIN_UNIT_ROWS, MIN_WAVEFRONT, MOST_TURNS};
use seidel_kernels::{BATCH, Layout, NO_ROW};
use std::ops::Range;

/// Batches of one family that follow one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchRange {
    pub(crate) family: usize,
    pub(crate) batches: Range<usize>,
}

/// The batch ranges that one worker solves, in order.
pub(crate) type Patch = Range<usize>;

/// Rows of one family on particles.
pub(crate) struct FamilyRows<'a> {
    pub(crate) slots: usize,
    pub(crate) at: &'a [u32],
    /// Fixed particles, ascending, that rows of a batch may share.
    pub(crate) shared: &'a [u32],
}

/// The order of all rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    /// Batches of each family, in the order in which they are solved.
    pub(crate) lane_maps: Vec<Vec<[u32; BATCH]>>,
    /// Colors, or wavefronts, of each family in the cell that has most.
    pub(crate) colors: Vec<usize>,
    /// Visits of all patches and interfaces.
    pub(crate) batch_ranges: Vec<BatchRange>,
    /// Stages: patches, then interfaces of each color. Those of a stage share no block.
    pub(crate) stages: Vec<Vec<Patch>>,
    /// The batch ranges of each cell, where patches are solved at once. They touch no cell behind it and no other
    /// patch.
    pub(crate) cells: Vec<Range<usize>>,
}

/// Cells of blocks, and the patch of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// First block of each cell, ascending; the last entry is the end.
    starts: Vec<usize>,
    /// Patch of each cell, ascending.
    patch: Vec<u32>,
}

impl Cells {
    /// Adds a body's blocks, cut into as many cells as [`cells`] tells, or patches of whole slabs into as many. A small
    /// body joins the
    /// last cell. Whether it has cells of its own.
    pub(crate) fn add(&mut self, blocks: usize, slab: usize) -> bool {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let (start, cells) = (self.starts[self.patch.len()], cells(blocks));
        let last = self.patch.len().checked_sub(1).map(|cell| self.starts[cell]);
        if last.is_some_and(|last| start - last + blocks <= CELL_BLOCKS) {
            self.starts[self.patch.len()] = start + blocks;
            return false;
        }
        let first = self.patch.last().map_or(0, |last| last + 1);
        if slab > 1 {
            for (patch, slabs) in patches_of_slabs(blocks / slab, slab).enumerate() {
                let (from, blocks) = (start + slabs.start * slab, slabs.len() * slab);
                let cells = self::cells(blocks);
                for cell in 0..cells {
                    self.starts.push(from + blocks * (cell + 1) / cells);
                    self.patch.push(first + patch as u32);
                }
            }
            return true;
        }
        let patches = cells.clamp(1, MAX_PATCHES);
        for cell in 0..cells {
            self.starts.push(start + blocks * (cell + 1) / cells);
            self.patch.push(first + (cell * patches / cells) as u32);
        }
        true
    }

    /// A cell's rows.
    pub(crate) fn rows(&self, cell: usize) -> Range<usize> {
        self.starts[cell] * BATCH..self.starts[cell + 1] * BATCH
    }

    /// A run of rows, cut where cells end.
    pub(crate) fn cut(&self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.starts.partition_point(|&start| start * BATCH <= rows.start).saturating_sub(1);
        let of_cells = (first..self.patch.len()).map(|cell| self.rows(cell));
        let within = of_cells.take_while({
            let end = rows.end;
            move |cell| cell.start < end
        });
        within.map(move |cell| cell.start.max(rows.start)..cell.end.min(rows.end))
    }

    /// The cells of each patch.
    pub(crate) fn patches(&self) -> Vec<Range<usize>> {
        let mut first = 0;
        let of = self.patch.chunk_by(|a, b| a == b).map(|patch| {
            first += patch.len();
            first - patch.len()..first
        });
        of.collect()
    }

    /// The last block of each patch that another follows. Patches move on from substep to substep each for itself.
    pub(crate) fn borders(&self) -> Vec<u32> {
        let ends = self.starts.iter().skip(1);
        let borders = self.patch.windows(2).zip(ends).filter(|(patch, _)| patch[0] != patch[1]);
        borders.map(|(_, &end)| end as u32 - 1).collect()
    }

    /// All blocks in one cell.
    fn as_one(&self) -> Cells {
        let end = self.starts.last().copied().unwrap_or(0);
        Cells { starts: vec![0, end], patch: vec![0] }
    }

    /// The cell of each block.
    fn of_blocks(&self) -> Vec<u32> {
        let mut cells = Vec::with_capacity(self.starts.last().copied().unwrap_or(0));
        for (cell, range) in self.starts.windows(2).enumerate() {
            cells.resize(cells.len() + (range[1] - range[0]), cell as u32);
        }
        cells
    }
}

/// Number of cells that a body's blocks are cut into.
pub(crate) fn cells(blocks: usize) -> usize {
    blocks.div_ceil(CELL_BLOCKS)
}

/// The slabs of each patch of a body that is cut into some: see [`super::lattice::Lattice`].
pub(crate) fn patches_of_slabs(slabs: usize, slab: usize) -> impl Iterator<Item = Range<usize>> {
    let patches = cells(slabs * slab).min(MAX_PATCHES).min(slabs / MIN_PATCH_SLABS).max(1);
    (0..patches).map(move |patch| slabs * patch / patches..slabs * (patch + 1) / patches)
}

/// Where a row goes: cells of patches first, in their order; then interfaces, by the patches that they join.
type Bucket = (bool, u32, u32);

impl Schedule {
    /// Puts the rows of all families in order.
    pub(crate) fn new(families: &[FamilyRows<'_>], cells: &Cells, layouts: &[Layout], order: Order) -> Schedule {
        let schedule = match order {
            Order::Greedy | Order::Listed => Schedule::unbroken(families, layouts.len() * BATCH, order),
            Order::Registers => Schedule::patched(families, &cells.as_one(), layouts, order),
            Order::Patches | Order::ColoredPatches => Schedule::patched(families, cells, layouts, order),
        };
        schedule.prove(families, cells, layouts.len());
        schedule
    }

    /// Patch by patch; what reaches over a border of patches follows in interfaces, or stands in the last patch that it
    /// touches.
    fn patched(families: &[FamilyRows<'_>], cells: &Cells, layouts: &[Layout], order: Order) -> Schedule {
        let with_interfaces = order == Order::Patches;
        let cell_of = cells.of_blocks();
        let mut schedule = Schedule {
            lane_maps: vec![Vec::new(); families.len()],
            colors: vec![0; families.len()],
            ..Schedule::default()
        };
        // Rows of every family by bucket: those of cells are counted out, the few of interfaces sorted.
        let count = cells.patch.len();
        let mut interfaces: Vec<(Bucket, u32, u32)> = Vec::new();
        let mut inner: Vec<(u32, u32, u32)> = Vec::new();
        for (family, rows) in families.iter().enumerate() {
            for (row, at) in rows.at.chunks_exact(rows.slots).enumerate() {
                let (mut low, mut high) = (u32::MAX, 0);
                for &p in at {
                    let cell = cell_of[p as usize / BATCH];
                    low = low.min(cell);
                    high = high.max(cell);
                }
                let (first, last) = (cells.patch[low as usize], cells.patch[high as usize]);
                if first == last || !with_interfaces {
                    inner.push((high, family as u32, row as u32));
                } else {
                    interfaces.push(((true, first, last), family as u32, row as u32));
                }
            }
        }
        if with_interfaces {
            schedule.cells = vec![0..0; count];
        }
        let mut next = vec![0; count + 1];
        inner.iter().for_each(|(cell, ..)| next[*cell as usize + 1] += 1);
        (0..count).for_each(|cell| next[cell + 1] += next[cell]);
        let mut buckets = vec![((false, 0, 0), 0, 0); inner.len()];
        for (cell, family, row) in inner {
            buckets[next[cell as usize]] = ((false, cell, 0), family, row);
            next[cell as usize] += 1;
        }
        interfaces.sort_unstable();
        buckets.extend(interfaces);
        let mut coloring = Coloring::new(layouts.len() * BATCH);
        // Visits of each patch, and of each interface.
        let mut patches: Vec<(u32, Patch)> = Vec::new();
        let mut interfaces: Vec<Patch> = Vec::new();
        for of_bucket in buckets.chunk_by(|a, b| a.0 == b.0) {
            let first = schedule.batch_ranges.len();
            for of_family in of_bucket.chunk_by(|a, b| a.1 == b.1) {
                let family = of_family[0].1 as usize;
                let rows: Vec<u32> = of_family.iter().map(|(_, _, row)| *row).collect();
                let lane_maps = &mut schedule.lane_maps[family];
                let start = lane_maps.len();
                let (of_rows, colors) =
                    line_up(&families[family], &rows, layouts, &mut coloring, order != Order::Registers);
                lane_maps.extend(of_rows);
                schedule.colors[family] = schedule.colors[family].max(colors);
                schedule.batch_ranges.push(BatchRange { family, batches: start..lane_maps.len() });
            }
            let batch_ranges = first..schedule.batch_ranges.len();
            let (interface, cell, _) = of_bucket[0].0;
            if interface {
                interfaces.push(batch_ranges);
                continue;
            }
            if with_interfaces {
                schedule.cells[cell as usize] = batch_ranges.clone();
            }
            let patch = cells.patch[cell as usize];
            match patches.last_mut() {
                Some((last, of)) if *last == patch => of.end = batch_ranges.end,
                _ => patches.push((patch, batch_ranges)),
            }
        }
        let patches = patches.into_iter().map(|(_, batch_ranges)| batch_ranges).collect();
        if with_interfaces {
            schedule.stages.push(patches);
            schedule.color_stages(families, interfaces, &mut coloring);
        } else {
            schedule.color_stages(families, patches, &mut coloring);
        }
        schedule
    }

    /// Sorts interfaces or patches into further stages, in which none meets another.
    fn color_stages(&mut self, families: &[FamilyRows<'_>], interfaces: Vec<Patch>, coloring: &mut Coloring) {
        let before = self.stages.len();
        let blocks_of: Vec<Vec<u32>> = interfaces
            .iter()
            .map(|interface| {
                let mut blocks = Vec::new();
                self.each_block(families, interface, |block| blocks.push(block as u32));
                blocks.sort_unstable();
                blocks.dedup();
                blocks
            })
            .collect();
        let colors = coloring.of(blocks_of.iter().map(|blocks| blocks.iter().copied()));
        for (interface, color) in interfaces.into_iter().zip(colors) {
            let stage = before + color as usize;
            if self.stages.len() <= stage {
                self.stages.resize(stage + 1, Vec::new());
            }
            self.stages[stage].push(interface);
        }
    }

    fn each_block(&self, families: &[FamilyRows<'_>], patch: &Patch, mut batch_range: impl FnMut(usize)) {
        for BatchRange { family, batches } in &self.batch_ranges[patch.clone()] {
            let FamilyRows { slots, at, .. } = families[*family];
            for &row in self.lane_maps[*family][batches.clone()].iter().flatten().filter(|row| **row != NO_ROW) {
                at[row as usize * slots..][..slots].iter().for_each(|&p| batch_range(p as usize / BATCH));
            }
        }
    }

    /// The step's unsafe code relies on this: patches of a stage share no block, no batch range stands in two of them,
    /// and those of a
    /// cell touch only what its patch has up to it.
    fn prove(&self, families: &[FamilyRows<'_>], cells: &Cells, blocks: usize) {
        for (cell, batch_ranges) in self.cells.iter().enumerate() {
            let first = cells.patch.partition_point(|&patch| patch < cells.patch[cell]);
            let own = cells.starts[first]..cells.starts[cell + 1];
            self.each_block(families, batch_ranges, |block| assert!(own.contains(&block), "a cell leaves its patch"));
        }
        let mut owner = vec![u32::MAX; blocks];
        let mut visited = vec![false; self.batch_ranges.len()];
        let mut this = 0;
        for stage in &self.stages {
            let begin = this;
            for patch in stage {
                visited[patch.clone()]
                    .iter_mut()
                    .for_each(|seen| assert!(!std::mem::replace(seen, true), "visited twice"));
                self.each_block(families, patch, |block| {
                    let last = std::mem::replace(&mut owner[block], this);
                    assert!(last == this || last == u32::MAX || last < begin, "two patches of a stage share a block");
                });
                this += 1;
            }
        }
    }
}

/// Batches of rows of one family that one worker solves, and the number of sets of independent ones that follow one
/// another: colors, or wavefronts where `in_wavefronts` and it pays.
fn line_up(
    family: &FamilyRows<'_>,
    rows: &[u32],
    layouts: &[Layout],
    coloring: &mut Coloring,
    in_wavefronts: bool,
) -> (Vec<[u32; BATCH]>, usize) {
    let FamilyRows { slots, at, shared } = *family;
    let of = |row: u32| &at[row as usize * slots..][..slots];
    let in_lanes = |row: u32| of(row).iter().all(|&p| layouts[p as usize / BATCH] == Layout::Lanes);
    let (mut lanes, mut others): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| in_lanes(row));

    // Rows of the same blocks, as many lanes apart: a register each. The lane of a row is that of its lowest particle.
    let lane = |row: u32| of(row).iter().map(|p| p % BATCH as u32).min().unwrap_or(0);
    let key = |row: u32| of(row).iter().map(move |&p| (p / BATCH as u32, p % BATCH as u32 - lane(row)));
    // Sorted by a number made of the key: what has the same key stands together, and nearly always alone.
    let mix = |row: u32| {
        key(row).fold(0, |sum: u64, (block, shift)| {
            (sum.rotate_left(5) ^ u64::from(block * BATCH as u32 + shift)).wrapping_mul(0x517c_c1b7_2722_0a95)
        })
    };
    let mut mixed: Vec<(u64, u32)> = lanes.iter().map(|&row| (mix(row), row)).collect();
    mixed.sort_unstable();
    lanes.iter_mut().zip(mixed).for_each(|(row, (_, of))| *row = of);
    let mut unit: Vec<(u32, [u32; BATCH])> = Vec::new();
    for group in lanes.chunk_by(|&a, &b| key(a).eq(key(b))) {
        let blocks: Vec<u32> = key(group[0]).map(|(block, _)| block).collect();
        let repeats = (1..slots).any(|i| blocks[..i].contains(&blocks[i]));
        if repeats || group.len() < MIN_UNIT_ROWS {
            others.extend_from_slice(group);
            continue;
        }
        let mut lane_map = [NO_ROW; BATCH];
        let mut first = u32::MAX;
        for &row in group {
            let place = &mut lane_map[lane(row) as usize];
            // The same row twice: not in one batch.
            if *place == NO_ROW {
                *place = row;
                first = first.min(row);
            } else {
                others.push(row);
            }
        }
        unit.push((first, lane_map));
    }
    // In the rows' own order, so that a grid is solved direction by direction.
    unit.sort_unstable_by_key(|(first, _)| *first);
    let blocks = |lane_map: &[u32; BATCH]| {
        let row = lane_map.iter().copied().find(|&row| row != NO_ROW).expect("a batch has a row");
        of(row).iter().map(|p| p / BATCH as u32)
    };
    // Lengths pass on what they are pulled by: wavefront by wavefront along the mesh that reaches further in a sweep
    // than color by color. But one wavefront over rows of all directions turns what it passes on, always the same way
    // round, and a sheet that hangs gains energy from it.
    let blocks_of = unit.iter().map(|(_, lane_map)| blocks(lane_map));
    let along = blocks_of
        .clone()
        .map(|mut of| (of.next(), of.next()))
        .map(|(a, b)| b.unwrap_or(0).wrapping_sub(a.unwrap_or(0)));
    let turns = along.clone().zip(along.skip(1)).filter(|(this, next)| this != next).count();
    let by_direction = turns as f64 <= MOST_TURNS * unit.len() as f64;
    let wavefronts =
        if in_wavefronts && slots == 2 && by_direction { coloring.wavefronts(blocks_of.clone()) } else { Vec::new() };
    let wide = wavefronts.iter().max().is_some_and(|last| (*last as usize + 1) * MIN_WAVEFRONT <= wavefronts.len());
    let colors = if wide { wavefronts } else { coloring.of(blocks_of) };
    let count = |colors: &[u32]| colors.iter().max().map_or(0, |most| *most as usize + 1);
    let of_unit = count(&colors);
    let lowest = |lane_map: &[u32; BATCH]| blocks(lane_map).min();
    let mut order: Vec<usize> = (0..unit.len()).collect();
    order.sort_by_key(|&i| (colors[i], lowest(&unit[i].1)));
    let mut lane_maps: Vec<_> = order.into_iter().map(|i| unit[i].1).collect();

    others.sort_unstable();
    let moved = |p: &u32| shared.binary_search(p).is_err();
    let colors = coloring.of(others.iter().map(|&row| of(row).iter().copied().filter(moved)));
    let mut order: Vec<usize> = (0..others.len()).collect();
    order.sort_by_key(|&i| (colors[i], of(others[i]).iter().copied().min(), i));
    for color in order.chunk_by(|&a, &b| colors[a] == colors[b]) {
        let rows: Vec<u32> = color.iter().map(|&i| others[i]).collect();
        lane_maps.extend(seidel_kernels::in_sixteens(&rows));
    }
    (lane_maps, of_unit + count(&colors))
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;
    use crate::{Cloth, Scene, SoftBody};
    use seidel_kernels::{Access, BATCH, NO_ROW};

    /// Patches of whole slabs of a solid: all of them at once, and then all interfaces at once.
    #[test]
    fn a_solid_in_slabs_has_two_stages() {
        let mut scene = Scene::new();
        scene.add(SoftBody::bar([1.0; 3], [24; 3]));
        let plan = Plan::new(&scene).unwrap();
        let stages: Vec<usize> = plan.stages.iter().map(Vec::len).collect();
        assert_eq!((plan.patches.len(), stages), (12, vec![12, 11]));
    }

    /// A register that begins inside of a block ends in the next: its worker's own, or nobody writes it while this one
    /// is solved.
    #[test]
    fn no_register_ends_in_another_patch() {
        let (mut reach_over, mut by_number) = (0, 0);
        for side in [70, 100, 130] {
            let mut scene = Scene::new();
            scene.add(Cloth::grid([side, side], [1.0, 1.0]).bend(1e3));
            scene.add(Cloth::grid([side, side / 2], [1.0, 1.0]).bend(1e3));
            let plan = Plan::new(&scene).unwrap();
            let mut patch_of = vec![usize::MAX; plan.x.len() / BATCH];
            for (patch, cells) in plan.patches.iter().enumerate() {
                for block in plan.cells[cells.clone()].iter().flat_map(|cell| &plan.blocks[cell.blocks.clone()]) {
                    patch_of[block.run.start / BATCH..][..block.run.len / BATCH].fill(patch);
                }
            }
            for family in &plan.families {
                let batches = &family.batches;
                for batch in 0..batches.len() {
                    by_number += usize::from(batches.reach(batch) == Access::Mixed);
                    let lane = batches.lane_map(batch).iter().position(|&row| row != NO_ROW).unwrap();
                    for slot in (0..batches.slots()).filter(|_| batches.reach(batch) == Access::Contiguous) {
                        let particle = batches.particle(batch, slot, lane) as usize;
                        let (block, inside) = (particle / BATCH, particle % BATCH > lane);
                        reach_over += usize::from(inside);
                        let next = patch_of[block + 1];
                        assert!(!inside || next == patch_of[block] || next == usize::MAX, "{side}: block {block}");
                    }
                }
            }
        }
        assert!(reach_over > 0 && by_number > 0, "{reach_over} {by_number}");
    }
}
