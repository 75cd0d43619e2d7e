//! Sections: bodies whose rows are put in order by themselves.
//!
//! No row leaves its section, and in which order its rows are solved does not depend on where the section lies. So a
//! plan of an edited scene takes the sections over in which nothing has changed: batches are copied, with their numbers
//! moved on.

use super::patch::{BatchRange, Cells, FamilyRows, Patch, Schedule};
use super::sweep::Order;
use super::triangles::{Beside, Triangles, Unpacked};
use crate::describe::body::Body;
use crate::describe::settings::Method;
use crate::plan::blocks::Cell;
use crate::plan::body::BodyPlan;
use crate::plan::family::{self, Family, Key};
use crate::plan::joint::JointRows;
use seidel_kernels::integrate::Run;
use seidel_kernels::{BATCH, Batches, Layout, Piece, Row};
use std::ops::Range;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// A run of bodies: those that share a cell, and those that joints hold together with all between them.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(super) bodies: Range<usize>,
    pub(super) blocks: Range<usize>,
    /// Whether joints hold bodies of it.
    joined: bool,
    /// Of each family, and last of triangles.
    families: Vec<OfFamily>,
    batch_ranges: Range<usize>,
    /// None where an order has no patches that are solved at once.
    cells: Range<usize>,
    /// Its patches in each stage.
    stages: Vec<Range<usize>>,
    /// Its particles among those that rows share.
    shared: Range<usize>,
}

/// A section's part of a family.
#[derive(Clone, Debug, Default)]
struct OfFamily {
    rows: Range<usize>,
    batches: Range<usize>,
    /// Colors, or wavefronts, in the cell that has most.
    colors: usize,
    /// Of what solving depends on, by the section's own numbers.
    hash: u64,
}

impl Section {
    /// Its bodies, and its batch ranges.
    pub(crate) fn extent(&self) -> [Range<usize>; 2] {
        [self.bodies.clone(), self.batch_ranges.clone()]
    }

    /// Its batches of a family.
    pub(super) fn batches(&self, family: usize) -> Range<usize> {
        self.families[family].batches.clone()
    }

    /// Its patches in each stage.
    pub(super) fn patches(&self) -> impl Iterator<Item = Range<usize>> {
        self.stages.iter().cloned()
    }

    /// Where it lies and what solving it depends on, as bytes: for a plan's fingerprint.
    pub(super) fn bytes(&self, add: &mut dyn FnMut(&[u8])) {
        add(&(self.blocks.start as u64).to_le_bytes());
        self.families.iter().for_each(|family| add(&family.hash.to_le_bytes()));
    }
}

/// Where sections begin and end, and all cells.
pub(super) struct Cut {
    pub(super) cells: Cells,
    pub(super) sections: Vec<Extent>,
}

/// A section's bodies and blocks, and whether joints hold some of the bodies.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    pub(super) bodies: Range<usize>,
    blocks: Range<usize>,
    pub(super) joined: bool,
}

impl Cut {
    /// There is always a section. Orders other than the engine's own have one.
    pub(super) fn of(plans: &[BodyPlan], joints: &[JointRows], order: Order) -> Cut {
        let (mut cells, mut is_first) = (Cells::default(), vec![true; plans.len()]);
        for (plan, is_first) in plans.iter().zip(&mut is_first) {
            *is_first = cells.add(plan.rows / BATCH, plan.slab);
        }
        let mut is_joined = vec![false; plans.len()];
        for rows in joints {
            let bodies = || rows.ends().map(|(body, _)| body);
            let (Some(low), Some(high)) = (bodies().min(), bodies().max()) else { continue };
            is_first[low + 1..=high].fill(false);
            is_joined[low..=high].fill(true);
        }
        if order != Order::Patches {
            is_first.fill(false);
        }
        let mut sections: Vec<Extent> = Vec::new();
        let mut block = 0;
        for (body, plan) in plans.iter().enumerate() {
            if is_first[body] || sections.is_empty() {
                sections.push(Extent { bodies: body..body, blocks: block..block, joined: false });
            }
            block += plan.rows / BATCH;
            if let Some(Extent { bodies, blocks, joined }) = sections.last_mut() {
                (bodies.end, blocks.end) = (body + 1, block);
                *joined |= is_joined[body];
            }
        }
        if sections.is_empty() {
            sections.push(Extent { bodies: 0..0, blocks: 0..0, joined: false });
        }
        Cut { cells, sections }
    }
}

/// The method of a joint's rows: that of its bodies, which have one (`check_joined`); obstacles are not solved.
pub(super) fn joint_method(rows: &JointRows, bodies: &[Arc<Body>], plans: &[BodyPlan]) -> Method {
    let mut solved = rows.ends().filter(|&(body, _)| bodies[body].obstacle.is_none());
    solved.next().map_or_else(Method::default, |(body, _)| plans[body].method)
}

/// The bodies and joints of a scene, as sections see them.
pub(super) struct Whole<'a> {
    pub(super) bodies: &'a [Arc<Body>],
    pub(super) plans: &'a [BodyPlan],
    pub(super) joints: &'a [JointRows],
    pub(super) x: &'a [Row],
    pub(super) tiles: &'a [Run],
    pub(super) layouts: &'a [Layout],
    pub(super) keys: &'a [Key],
    pub(super) iterations: u32,
    pub(super) order: Order,
    /// The fixed particles that many rows may have in common, ascending, where not all may: of what has torn, those of
    /// the plan before it tore, for masses are written by that plan.
    pub(super) may_share: Option<&'a [u32]>,
}

/// A plan's rows in order, as the plan has them.
#[derive(Clone, Copy)]
pub(super) struct Laid<'a> {
    pub(super) sections: &'a [Section],
    pub(super) families: &'a [Family],
    pub(super) triangles: &'a Triangles,
    pub(super) tiles: &'a [Run],
    pub(super) shared: &'a [u32],
    pub(super) batch_ranges: &'a [BatchRange],
    pub(super) stages: &'a [Vec<Patch>],
    pub(super) cells: &'a [Cell],
}

/// The rows of a section in order, by numbers of its own: its particles, rows, batches and bodies are counted from its
/// first.
pub(super) enum Ordered<'a> {
    /// Put in order now.
    New(Box<New>),
    /// Of a plan before, where no body of the section was another; with the family there of each family now.
    Old(Laid<'a>, &'a Section, Vec<Option<usize>>),
}

/// A section that was put in order.
pub(super) struct New {
    /// Of each family the batches, the colors and a hash; None without a row.
    families: Vec<Option<(Batches, usize, u64)>>,
    /// Of each family the rows of each body.
    parts: Vec<Vec<(usize, Range<usize>)>>,
    triangles: (Batches, Beside, usize),
    shared: Vec<u32>,
    batch_ranges: Vec<BatchRange>,
    stages: Vec<Vec<Patch>>,
    cells: Vec<Range<usize>>,
}

impl New {
    /// Puts the rows of a section in order.
    pub(super) fn of(whole: &Whole<'_>, section: &Extent) -> New {
        let Whole { bodies, plans, joints, x, tiles, layouts, keys, iterations, order, may_share } = *whole;
        let Extent { bodies: of_bodies, blocks: of_blocks, .. } = section;
        let first_row = (of_blocks.start * BATCH) as u32;
        let own = &plans[of_bodies.clone()];
        let mut families: Vec<family::Unpacked> = keys.iter().map(family::Unpacked::new).collect();
        for (number, (body, plan)) in bodies[of_bodies.clone()].iter().zip(own).enumerate() {
            let row_of = |number, is_frame| plan.row(number, is_frame) - first_row;
            for c in body.constraints.iter().filter(|c| !c.at.is_empty()) {
                let key = Key::of_body(c, plan.method);
                let family = keys.iter().position(|other| other.is(&key)).expect("keys of all bodies");
                families[family].add(Some(number), c, &row_of, iterations);
            }
        }
        for rows in joints.iter().filter(|rows| rows.ends().any(|(body, _)| of_bodies.contains(&body))) {
            let row_of = |at, _| {
                let (body, vertex) = rows.end(at);
                plans[body].particle(vertex) - first_row
            };
            let key = Key::of_joint(&rows.constraints, joint_method(rows, bodies, plans));
            let family = keys.iter().position(|other| other.is(&key)).expect("keys of all joints");
            families[family].add(None, &rows.constraints, &row_of, iterations);
        }
        let is_fixed = |row: u32| {
            let may = may_share.is_none_or(|shared| shared.binary_search(&(row + first_row)).is_ok());
            let row = (row + first_row) as usize;
            let body = &own[own.partition_point(|body| body.start + body.rows <= row)];
            may && body.vertex(row).is_some() && body.layout.read(x, row)[3] == 0.0
        };
        families.iter_mut().for_each(|family| family.share(is_fixed));
        let mut shared: Vec<u32> = families.iter().flat_map(|family| family.shared.iter().copied()).collect();
        shared.sort_unstable();
        shared.dedup();

        let mut cells = Cells::default();
        for plan in own {
            cells.add(plan.rows / BATCH, plan.slab);
        }
        let triangles = Unpacked::new(own, first_row);
        let rows: Vec<FamilyRows<'_>> = families.iter().map(family::Unpacked::rows).chain([triangles.rows()]).collect();
        // Registers that begin inside of the last block end behind it; what lies there is another section's, and may be
        // written meanwhile.
        let layouts: Vec<Layout> = layouts[of_blocks.clone()].iter().copied().chain([Layout::Rows]).collect();
        let mut borders = cells.borders();
        borders.extend(of_blocks.len().checked_sub(1).map(|last| last as u32));
        let Schedule { lane_maps, colors, batch_ranges, stages, cells } = Schedule::new(&rows, &cells, &layouts, order);
        let first_tile = tiles.partition_point(|run| run.start < of_blocks.start * BATCH);
        let mut tile_of = vec![0; of_blocks.len() * BATCH];
        for (t, run) in tiles[first_tile..].iter().take_while(|run| run.start < of_blocks.end * BATCH).enumerate() {
            tile_of[run.start - first_row as usize..][..run.len].fill(t as u32);
        }
        let triangles = triangles.pack(&lane_maps[families.len()], &layouts, &tile_of);
        let parts = families.iter().map(|family| family.parts.clone()).collect();
        let packed = families.into_iter().zip(lane_maps.iter().zip(&colors)).map(|(family, (lane_maps, &colors))| {
            (!lane_maps.is_empty()).then(|| {
                let (batches, mut hash) = (family.pack(lane_maps, &layouts, &borders), Xxh3::new());
                batches.bytes(|bytes| hash.update(bytes));
                (batches, colors, hash.digest())
            })
        });
        let families: Vec<_> = packed.collect();
        let triangles = (triangles.0, triangles.1, colors[families.len()]);
        New { families, parts, triangles, shared, batch_ranges, stages, cells }
    }
}

/// Ranges that were counted from `from` on, counted from `to` on.
fn counted(range: &Range<usize>, from: usize, to: usize) -> Range<usize> {
    range.start - from + to..range.end - from + to
}

impl<'a> Ordered<'a> {
    /// The section of a plan before that has the same bodies, if its families stand in the same order among `keys`.
    /// `before` tells where bodies that are as they were stood.
    pub(super) fn before(
        plan: Laid<'a>,
        bodies: &Range<usize>,
        before: &[Option<usize>],
        keys: &[Key],
    ) -> Option<Ordered<'a>> {
        let first = before.get(bodies.start).copied().flatten()?;
        let at = plan.sections.binary_search_by_key(&first, |section| section.bodies.start).ok()?;
        let section = &plan.sections[at];
        let same = section.bodies.len() == bodies.len()
            && bodies.clone().zip(section.bodies.clone()).all(|(new, old)| before[new] == Some(old));
        if section.joined || !same {
            return None;
        }
        let mut families = vec![None; keys.len()];
        let mut last = None;
        for (old, family) in plan.families.iter().enumerate().filter(|(f, _)| !section.families[*f].rows.is_empty()) {
            let key = family.key();
            let new = keys.iter().position(|other| other.is(&key))?;
            if last.is_some_and(|last| new < last) {
                return None;
            }
            (last, families[new]) = (Some(new), Some(old));
        }
        Some(Ordered::Old(plan, section, families))
    }

    /// Its batches of a family (last: of triangles), the colors, and a hash (of triangles there is none); `first` is
    /// the section's first block. None without a row.
    fn piece(&self, family: usize, first: usize) -> Option<(Piece<'_>, usize, u64)> {
        let blocks = |before: usize| first as i64 - before as i64;
        match self {
            Ordered::New(new) => {
                let (of, colors, hash) = match new.families.get(family) {
                    Some(family) => family.as_ref().map(|(batches, colors, hash)| (batches, *colors, *hash))?,
                    None => (&new.triangles.0, new.triangles.2, 0),
                };
                Some((Piece { of, batches: 0..of.len(), rows: 0..of.rows(), blocks: blocks(0) }, colors, hash))
            }
            Ordered::Old(plan, section, families) => {
                let (of, own) = match families.get(family) {
                    Some(family) => (&*plan.families[(*family)?].batches, &section.families[(*family)?]),
                    None => (&*plan.triangles.batches, section.families.last()?),
                };
                let OfFamily { rows, batches, colors, hash } = own.clone();
                Some((Piece { of, batches, rows, blocks: blocks(section.blocks.start) }, colors, hash))
            }
        }
    }

    /// Of triangles what stands beside their batches.
    pub(super) fn beside(&self) -> Beside {
        match self {
            Ordered::New(new) => new.triangles.1.clone(),
            Ordered::Old(plan, section, _) => {
                let tiles = plan.tiles.partition_point(|run| run.start < section.blocks.start * BATCH);
                let batches = section.families.last().map_or(0..0, |own| own.batches.clone());
                plan.triangles.beside(batches, tiles as u32, section.bodies.start as u32)
            }
        }
    }

    /// The rows of each body in a family.
    fn parts(&self, family: usize) -> Vec<(usize, Range<usize>)> {
        match self {
            Ordered::New(new) => new.parts[family].clone(),
            Ordered::Old(plan, section, families) => {
                let Some(old) = families[family] else { return Vec::new() };
                let parts = &plan.families[old].parts;
                let own = parts.partition_point(|(body, _)| *body < section.bodies.start)
                    ..parts.partition_point(|(body, _)| *body < section.bodies.end);
                let first = section.families[old].rows.start;
                parts[own].iter().map(|(body, rows)| (body - section.bodies.start, counted(rows, first, 0))).collect()
            }
        }
    }

    fn shared(&self) -> Vec<u32> {
        match self {
            Ordered::New(new) => new.shared.clone(),
            Ordered::Old(plan, section, _) => {
                let first = (section.blocks.start * BATCH) as u32;
                plan.shared[section.shared.clone()].iter().map(|row| row - first).collect()
            }
        }
    }

    fn batch_ranges(&self) -> Vec<BatchRange> {
        match self {
            Ordered::New(new) => new.batch_ranges.clone(),
            Ordered::Old(plan, section, families) => {
                let moved = |range: &BatchRange| {
                    let new = families.iter().position(|old| *old == Some(range.family)).unwrap_or(families.len());
                    let first = section.families[range.family].batches.start;
                    BatchRange { family: new, batches: counted(&range.batches, first, 0) }
                };
                plan.batch_ranges[section.batch_ranges.clone()].iter().map(moved).collect()
            }
        }
    }

    fn stages(&self) -> Vec<Vec<Patch>> {
        match self {
            Ordered::New(new) => new.stages.clone(),
            Ordered::Old(plan, section, _) => {
                let first = section.batch_ranges.start;
                let moved = |(stage, own): (&Vec<Patch>, &Range<usize>)| {
                    stage[own.clone()].iter().map(|patch| counted(patch, first, 0)).collect()
                };
                plan.stages.iter().zip(&section.stages).map(moved).collect()
            }
        }
    }

    fn cells(&self) -> Vec<Range<usize>> {
        match self {
            Ordered::New(new) => new.cells.clone(),
            Ordered::Old(plan, section, _) => {
                let first = section.batch_ranges.start;
                let cells = plan.cells[section.cells.clone()].iter();
                // One without a row has none, wherever that is.
                let moved = |range: &Range<usize>| if range.is_empty() { 0..0 } else { counted(range, first, 0) };
                cells.map(|cell| moved(&cell.batch_ranges)).collect()
            }
        }
    }
}

/// The batches of a family in the plan before, if the pieces are all of them, where they were; last: of triangles.
fn unchanged(ordered: &[Ordered<'_>], family: usize, pieces: &[Piece<'_>], blocks: usize) -> Option<Arc<Batches>> {
    let whole = ordered.iter().find_map(|of| match of {
        Ordered::New(_) => None,
        Ordered::Old(plan, _, families) => match families.get(family) {
            Some(old) => old.map(|old| &plan.families[old].batches),
            None => Some(&plan.triangles.batches),
        },
    })?;
    let (mut batch, mut row) = (0, 0);
    for piece in pieces {
        let follows = (piece.batches.start, piece.rows.start) == (batch, row);
        if !std::ptr::eq(piece.of, &**whole) || !follows || piece.blocks != 0 {
            return None;
        }
        (batch, row) = (piece.batches.end, piece.rows.end);
    }
    let all = (batch, row) == (whole.len(), whole.rows()) && whole.particles() == blocks * BATCH;
    all.then(|| Arc::clone(whole))
}

/// All sections in order.
pub(super) struct InOrder {
    pub(super) families: Vec<Family>,
    pub(super) triangles: Arc<Batches>,
    pub(super) shared: Vec<u32>,
    pub(super) batch_ranges: Vec<BatchRange>,
    pub(super) stages: Vec<Vec<Patch>>,
    pub(super) cells: Vec<Range<usize>>,
    pub(super) sections: Vec<Section>,
}

impl InOrder {
    /// Puts sections behind one another.
    ///
    /// The step's unsafe code relies on what `Schedule` proves of each: patches of a stage share no block. Sections
    /// share none, so it holds of all. That batches stay within their particles, `Batches::joined` proves anew.
    pub(super) fn of(cut: &Cut, ordered: &[Ordered<'_>], keys: &[Key], layouts: &[Layout]) -> InOrder {
        let mut borders = cut.cells.borders();
        // Behind the last section, too: so it is as if another followed.
        borders.extend(layouts.len().checked_sub(2).map(|last| last as u32));
        borders.dedup();
        let (mut shared, mut batch_ranges, mut cells) = (Vec::new(), Vec::new(), Vec::new());
        let mut stages: Vec<Vec<Patch>> = Vec::new();
        let mut sections: Vec<Section> = Vec::with_capacity(ordered.len());
        for (Extent { bodies, blocks, joined }, of) in cut.sections.iter().zip(ordered) {
            let (first_range, first_cell, first_shared) = (batch_ranges.len(), cells.len(), shared.len());
            shared.extend(of.shared().iter().map(|row| row + (blocks.start * BATCH) as u32));
            batch_ranges.extend(of.batch_ranges());
            let moved = |range: Range<usize>| {
                if range.is_empty() { 0..0 } else { counted(&range, 0, first_range) }
            };
            cells.extend(of.cells().into_iter().map(moved));
            let own = of.stages();
            if stages.len() < own.len() {
                stages.resize(own.len(), Vec::new());
            }
            let mut of_stages = Vec::with_capacity(own.len());
            for (stage, own) in stages.iter_mut().zip(own) {
                let first = stage.len();
                stage.extend(own.iter().map(|patch| counted(patch, 0, first_range)));
                of_stages.push(first..stage.len());
            }
            sections.push(Section {
                bodies: bodies.clone(),
                blocks: blocks.clone(),
                joined: *joined,
                families: vec![OfFamily::default(); keys.len() + 1],
                batch_ranges: first_range..batch_ranges.len(),
                cells: first_cell..cells.len(),
                stages: of_stages,
                shared: first_shared..shared.len(),
            });
        }
        let (mut kept, mut before) = (0, [0; 2]);
        let mut join = |family: usize, [slots, params]: [usize; 2]| {
            let (mut pieces, mut row, mut batch, mut most) = (Vec::with_capacity(ordered.len()), 0, 0, 0);
            for (section, of) in sections.iter_mut().zip(ordered) {
                let (mut rows, mut batches, mut colors, mut hash) = (row..row, batch..batch, 0, 0);
                if let Some((piece, own, of_piece)) = of.piece(family, section.blocks.start) {
                    (rows.end, batches.end) = (row + piece.rows.len(), batch + piece.batches.len());
                    (colors, hash) = (own, of_piece);
                    pieces.push(piece);
                }
                (row, batch, most) = (rows.end, batches.end, most.max(colors));
                section.families[family] = OfFamily { rows, batches, colors, hash };
            }
            if let Some(whole) = unchanged(ordered, family, &pieces, layouts.len()) {
                return (whole, most);
            }
            let borders = if family < keys.len() { &borders[..] } else { &[] };
            let joined = Batches::joined([slots, params], &pieces, layouts, borders);
            (Arc::new(joined.expect("each section is packed")), most)
        };
        let joined: Vec<_> = keys.iter().enumerate().map(|(number, key)| join(number, key.shape())).collect();
        let (triangles, _) = join(keys.len(), [3, 3]);
        for range in sections.iter().flat_map(|section| section.batch_ranges.clone().map(move |r| (section, r))) {
            let (section, range) = (range.0, &mut batch_ranges[range.1]);
            range.batches = counted(&range.batches, 0, section.families[range.family].batches.start);
        }
        let families = keys.iter().zip(joined).enumerate().map(|(number, (key, (batches, colors)))| {
            let parts = sections.iter().zip(ordered).flat_map(|(section, of)| {
                let first = section.families[number].rows.start;
                let moved =
                    move |(body, rows): (usize, Range<usize>)| (section.bodies.start + body, counted(&rows, 0, first));
                of.parts(number).into_iter().map(moved)
            });
            let packs = if key.xpbd { batches.len() * key.kind.multipliers() } else { 0 };
            kept += packs;
            let family = Family::new(key, batches, parts.collect(), (colors, kept - packs..kept), before);
            before = [family.flowed.end, family.accumulated.end];
            family
        });
        let families = families.collect();
        InOrder { families, triangles, shared, batch_ranges, stages, cells, sections }
    }
}
