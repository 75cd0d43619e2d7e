//! What lies beside a fluid: vertices of cloths, ropes and solids are its neighbours, with volumes of their own (Akinci
//! et al. 2012; Macklin et al. 2014, section 7): V_b = 1 / sum W_bk over the vertices near it.

use super::groups::{EMPTY, block, blocks};
use super::skins::SkinScratch;
use crate::plan::fluid::Fluids as Plans;
use crate::run::passes::{Alone, Common};
use crate::run::report::Phase;
use seidel_hash::{Neighbours, PointGrid};
use seidel_kernels::fluid::{Cling, Displace, FAR, Neighbourhood, Places, Push, Range3, Side, Spiky};
use seidel_kernels::{BATCH, Lanes, Layout, Row, Rows, Shared};
use seidel_workers::Crew;

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct SideScratch {
    /// For each point: its row and its layout, its fan (`Plans::fan`), and whether its body is porous.
    rows: Vec<(u32, Layout)>,
    fans: Vec<u32>,
    is_porous: Vec<bool>,
    /// For each slot: its point, its row and its layout, and where its numbers stand.
    of_slot: Vec<u32>,
    slots: Vec<(u32, Layout)>,
    places: Vec<[u32; 2]>,
    /// For each slot: its volume, m^3; and whether it takes no room in the fluid.
    volumes: Vec<f32>,
    takes_none: Vec<bool>,
    /// Where slots are, relative: [x, y, z, V]; [w V^2, 0, 0, 0]; [x, y, z, 0]; [0, 0, 0, w V / V of a fluid particle].
    at: Rows,
    weight: Rows,
    own: Rows,
    scale: Rows,
    /// How far they go in a substep, [d, w]; made where the fluid drags.
    ways: Rows,
    /// Where they were when lists were made.
    listed: Vec<[f32; 3]>,
    gone: Vec<Range3>,
    /// For each slot of the fluid: the vertices near it. For each vertex: the slots of the fluid near it.
    of_fluid: Neighbourhood,
    of_side: Neighbourhood,
}

impl SideScratch {
    pub(super) fn poison(&mut self) {
        self.rows.fill((u32::MAX, Layout::Rows));
        self.of_slot.fill(u32::MAX);
        self.fans.fill(u32::MAX);
        self.is_porous.fill(true);
        self.takes_none.fill(true);
        self.slots.fill((u32::MAX, Layout::Rows));
        self.places.fill([u32::MAX; 2]);
        self.volumes.fill(f32::NAN);
        for rows in [&mut self.at, &mut self.weight, &mut self.own, &mut self.scale, &mut self.ways] {
            rows.fill(f32::NAN);
        }
        self.listed.fill([f32::NAN; 3]);
        self.gone.fill([[f32::NAN; 3]; 2]);
        self.of_fluid.poison();
        self.of_side.poison();
    }

    /// Forgets all slots.
    pub(super) fn none(&mut self) {
        self.of_slot.clear();
        self.slots.clear();
        self.places.clear();
        self.listed.clear();
    }

    /// Adds the vertices beside the fluid to the points among which neighbours are searched.
    pub(super) fn points(
        &mut self,
        common: &Common<'_>,
        Alone { x, u, .. }: Alone<'_>,
        plan: &Plans,
        origin: [f32; 3],
        points: &mut Vec<[f32; 3]>,
    ) {
        self.rows.clear();
        self.fans.clear();
        self.is_porous.clear();
        let mut before = 0;
        for (&number, &permeance) in plan.beside.iter().zip(&plan.permeances) {
            let body = &common.plan.bodies[number];
            let there = if common.off.bodies[number] { 0 } else { body.to_row.len() };
            for vertex in 0..there {
                let row = body.particle(vertex as u32);
                let (x, u) = (body.layout.read(x, row as usize), body.layout.read(u, row as usize));
                let at: [f32; 3] = std::array::from_fn(|k| (x[k] - origin[k]) + u[k]);
                if at.iter().all(|c| c.is_finite()) {
                    points.push(at);
                    self.rows.push((row, body.layout));
                    self.fans.push(before + vertex as u32);
                    self.is_porous.push(permeance > 0.0);
                }
            }
            before += body.to_row.len() as u32;
        }
    }

    /// Fills the lists in both directions: vertices near each fluid slot, fluid slots near each vertex. `points`: all
    /// points, the fluid's first. `fluid`, `fluid_rows`: the point of each fluid slot, and the number of fluid rows.
    /// `slot_of`: for each point, its slot among points of its kind.
    pub(super) fn list(
        &mut self,
        crew: &mut Crew<'_>,
        spiky: &Spiky,
        (grid, neighbours, points): (&PointGrid, &Neighbours, &[[f32; 3]]),
        (fluid, fluid_rows, slot_of): (&[u32], usize, &[u32]),
        skins: &mut SkinScratch,
    ) {
        let fluids = fluid.len();
        let is_here = |point: &&u32| **point as usize >= fluids;
        self.none();
        self.listed.clear();
        self.volumes.clear();
        self.takes_none.clear();
        let own = f64::from(spiky.of_itself());
        for &point in grid.order().iter().filter(is_here) {
            let (row, layout) = self.rows[point as usize - fluids];
            self.of_slot.push(point);
            self.slots.push((row, layout));
            self.places.push([layout.offset(row as usize) as u32, layout.stride() as u32]);
            let at = points[point as usize];
            self.listed.push(at);
            // Vertices of porous sheets are no neighbours of others, whose room they do not share.
            let porous = |point: u32| self.is_porous[point as usize - fluids];
            let near = neighbours.of(point as usize).iter().filter(is_here);
            let near = near.filter(|other| porous(**other) == porous(point));
            // `between` returns V W with V of a fluid particle, so V_b = V / sum (V W).
            let sum = near.fold(own, |sum, &other| sum + spiky.between(at, points[other as usize]));
            self.volumes.push((f64::from(spiky.volume) / sum) as f32);
            self.takes_none.push(self.is_porous[point as usize - fluids]);
        }
        let groups = self.slots.len().div_ceil(BATCH);
        let rows = (groups + 1) * BATCH;
        self.at.grow(rows, 16);
        self.weight.grow(rows, 32);
        self.own.grow(rows, 48);
        self.scale.grow(rows, 56);
        for slot in self.slots.len()..rows {
            self.at[slot] = [FAR, FAR, FAR, 0.0];
            self.own[slot] = [FAR, FAR, FAR, 0.0];
            (self.weight[slot], self.scale[slot]) = ([0.0; 4], [0.0; 4]);
        }
        let near = |of: &[u32], slot: usize| of.get(slot).map_or(&[][..], |&point| neighbours.of(point as usize));
        let fluid_groups = fluids.div_ceil(BATCH);
        let beside = |slot: usize| {
            let near = near(fluid, slot).iter().filter(move |point| **point as usize >= fluids);
            near.map(|&point| slot_of[point as usize])
        };
        self.of_fluid.fill(crew, (fluid_groups, rows), |slot| beside(slot).count(), beside);
        skins.starts.clear();
        skins.fans.clear();
        for slot in 0..fluids {
            skins.starts.push(skins.fans.len() as u32);
            let beside = near(fluid, slot).iter().filter(is_here);
            skins.fans.extend(beside.map(|&point| self.fans[point as usize - fluids]));
        }
        skins.starts.push(skins.fans.len() as u32);
        let of_slot = &self.of_slot;
        let of_fluid = |slot: usize| {
            let near = near(of_slot, slot).iter().filter(move |point| (**point as usize) < fluids);
            near.map(|&point| slot_of[point as usize])
        };
        self.of_side.fill(crew, (groups, fluid_rows), |slot| of_fluid(slot).count(), of_fluid);
    }

    /// Where slots were when lists were made.
    pub(super) fn listed(&self) -> &[[f32; 3]] {
        &self.listed
    }

    /// For each group of 16 slots: a box about how far they have gone since.
    pub(super) fn gone(&self) -> &[Range3] {
        &self.gone
    }

    /// Reads where vertices are, and how far they have gone since lists were made.
    pub(super) fn gather(&mut self, crew: &mut Crew<'_>, common: &Common<'_>, spiky: &Spiky, origin: [f32; 3]) {
        let SideScratch { slots, volumes, takes_none, at, weight, own, scale, listed, gone, .. } = self;
        let groups = slots.len().div_ceil(BATCH);
        gone.clear();
        gone.resize(groups, EMPTY);
        let [at, weight, own, scale] = [at, weight, own, scale].map(|rows| Shared::new(rows));
        let (boxes, motion) = (Shared::new(gone), common.motion);
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            let (first, end) = (of.start * BATCH, slots.len().min(of.end * BATCH));
            // SAFETY: nobody writes positions in this stage; the block's slots and box are this closure's alone.
            unsafe {
                let (xs, us) = (motion.x.read(0, motion.x.len()), motion.u.read(0, motion.u.len()));
                let [at, weight, own, scale] = [at, weight, own, scale].map(|rows| rows.part(first, end - first));
                let gone = boxes.part(of.start, of.len());
                for slot in first..end {
                    let (row, layout) = slots[slot];
                    let (x, u) = (layout.read(xs, row as usize), layout.read(us, row as usize));
                    let mut p: [f32; 3] = std::array::from_fn(|k| (x[k] - origin[k]) + u[k]);
                    let (mut v, mut w) = (volumes[slot], x[3]);
                    if p.iter().all(|c| c.is_finite()) {
                        let gone = &mut gone[slot / BATCH - of.start];
                        for k in 0..3 {
                            let way = p[k] - listed[slot][k];
                            gone[0][k] = Lanes::smaller(way, gone[0][k]);
                            gone[1][k] = Lanes::larger(way, gone[1][k]);
                        }
                    } else {
                        // A lost vertex touches nothing.
                        (p, v, w) = ([FAR; 3], 0.0, 0.0);
                    }
                    if takes_none[slot] {
                        v = 0.0;
                    }
                    let i = slot - first;
                    at[i] = [p[0], p[1], p[2], v];
                    weight[i] = [w * (v * v), 0.0, 0.0, 0.0];
                    own[i] = [p[0], p[1], p[2], 0.0];
                    scale[i] = [0.0, 0.0, 0.0, w * (v / spiky.volume)];
                }
            }
        });
    }

    /// What kernels need of it; none without vertices.
    pub(super) fn side(&mut self) -> Option<Side<'_>> {
        let SideScratch { slots, at, weight, of_fluid, .. } = self;
        let is_there = !slots.is_empty();
        is_there.then(|| Side { lists: of_fluid.lists(), at: Shared::new(at), weight: Shared::new(weight) })
    }

    /// Pushes vertices by the multipliers of the fluid near them.
    pub(super) fn push(&mut self, crew: &mut Crew<'_>, common: &Common<'_>, spiky: Spiky, pressed: Shared<'_, Row>) {
        let SideScratch { slots, places, own, scale, of_side, .. } = self;
        let groups = slots.len().div_ceil(BATCH);
        let (own, scale) = (Shared::new(own), Shared::new(scale));
        let push = Push {
            spiky,
            scale,
            own,
            pressed,
            lists: of_side.lists(),
            side: None,
            walls: pressed.within(0, 0),
            places: Places::Spread(places),
            u: common.motion.u,
        };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            // SAFETY: nobody writes positions or multipliers in this stage; a vertex is one slot's alone.
            unsafe { push.run(common.isa, block(groups, b)) };
        });
    }

    /// Drags the fluid along with vertices, and these with the fluid, whose slots have places and ways, and rows.
    pub(super) fn cling(
        &mut self,
        crew: &mut Crew<'_>,
        common: &Common<'_>,
        spiky: Spiky,
        (fluid, row_of): ([Shared<'_, Row>; 2], &[u32]),
    ) {
        if self.slots.is_empty() {
            return;
        }
        self.ways.grow(self.at.len(), 40);
        let SideScratch { slots, places, at, ways, of_fluid, of_side, volumes, takes_none, .. } = self;
        let (motion, Alone { x, u, r }) = (common.motion, common.alone(crew));
        // Porous sheets drag as others do.
        let porous = || takes_none.iter().enumerate().filter(|(_, none)| **none).map(|(slot, _)| slot);
        porous().for_each(|slot| at[slot][3] = volumes[slot]);
        for (slot, way) in ways.iter_mut().enumerate() {
            *way = [0.0; 4];
            if let Some(&(row, layout)) = slots.get(slot) {
                let [x, u, r] = [x, u, r].map(|rows| layout.read(rows, row as usize));
                let d: [f32; 3] = std::array::from_fn(|k| u[k] - r[k]);
                if d.iter().all(|c| c.is_finite()) {
                    *way = [d[0], d[1], d[2], x[3]];
                }
            }
        }
        let (groups, fluid_groups) = (slots.len().div_ceil(BATCH), row_of.len().div_ceil(BATCH));
        let side = [Shared::new(&mut *at), Shared::new(ways)];
        let (rows, u) = (Places::Rows(row_of, motion.u.within(0, 0)), motion.u);
        let dragged = Cling { spiky, fluid: true, own: fluid, others: side, lists: of_fluid.lists(), places: rows, u };
        common.each(crew, Phase::Fluid, blocks(fluid_groups), |b| {
            // SAFETY: nobody writes positions or ways in this stage; a slot's row is that slot's alone.
            unsafe { dragged.run(common.isa, block(fluid_groups, b)) };
        });
        let places = Places::Spread(places);
        let drags = Cling { spiky, fluid: false, own: side, others: fluid, lists: of_side.lists(), places, u };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            // SAFETY: nobody writes positions or ways in this stage; a vertex is one slot's alone.
            unsafe { drags.run(common.isa, block(groups, b)) };
        });
        porous().for_each(|slot| at[slot][3] = 0.0);
    }
}
