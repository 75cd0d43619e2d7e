//! Which particles of fluids are near which, and in which order they are gone through.

use super::afloat::{Pushed, Touch};
use super::side::SideScratch;
use super::skins::SkinScratch;
use crate::plan::fluid::Fluids as Plans;
use crate::run::passes::Common;
use crate::run::report::Phase;
use crate::tuning::{FLUID_NEIGHBOURS, FLUID_SKIN};
use seidel_hash::{Neighbours, PointGrid};
use seidel_kernels::fluid::{FAR, Neighbourhood, Range3};
use seidel_kernels::{BATCH, Pack, Row, Rows};
use seidel_workers::Crew;

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct FluidScratch {
    /// The point that positions are relative to, metres, and a box about the fluids' particles when lists were made, relative to it.
    pub(super) origin: [f32; 3],
    pub(super) bounds: Range3,
    points: Vec<[f32; 3]>,
    /// Of each point its row and its fluid.
    rows: Vec<(u32, u32)>,
    grid: PointGrid,
    neighbours: Neighbours,
    slot_of: Vec<u32>,
    /// Of each slot its point; only where something lies beside the fluids.
    of_slot: Vec<u32>,
    /// Of each slot its row and its fluid.
    pub(super) row_of: Vec<u32>,
    pub(super) fluid_of: Vec<u32>,
    pub(super) lists: Neighbourhood,
    /// What lies beside the fluids.
    pub(super) side: SideScratch,
    pub(super) skins: SkinScratch,
    /// What rigid bodies and slots do to each other.
    pub(super) touches: Vec<Touch>,
    pub(super) pushed: Vec<Pushed>,
    /// Where slots are, where they were when lists were made, and with multipliers; whole sixteens, and one sixteen of nobody's behind them.
    pub(super) at: Rows,
    pub(super) listed: Vec<Row>,
    pub(super) pressed: Rows,
    /// What walls do to slots; how far slots go in the substep.
    pub(super) walls: Rows,
    pub(super) ways: Rows,
    /// How much denser slots are than at rest.
    pub(super) excess: Vec<Pack<f32>>,
    /// Of each block, a box about how far its slots have gone.
    pub(super) gone: Vec<Range3>,
    /// Whether lists are known.
    pub(super) known: bool,
    pub(super) overflowed: bool,
}

impl FluidScratch {
    pub(crate) fn poison(&mut self) {
        self.origin = [f32::NAN; 3];
        self.bounds = [[f32::NAN; 3]; 2];
        self.points.fill([f32::NAN; 3]);
        self.rows.fill((u32::MAX, u32::MAX));
        self.slot_of.fill(u32::MAX);
        self.of_slot.fill(u32::MAX);
        self.row_of.fill(u32::MAX);
        self.fluid_of.fill(u32::MAX);
        self.lists.poison();
        self.side.poison();
        self.skins.poison();
        self.touches.fill((u32::MAX - 1, [f32::NAN; 4]));
        self.pushed.fill(Pushed::default());
        for rows in [&mut self.at, &mut self.pressed, &mut self.walls, &mut self.ways] {
            rows.fill(f32::NAN);
        }
        self.listed.fill([f32::NAN; 4]);
        self.excess.fill(Pack([f32::NAN; BATCH]));
        self.gone.fill([[f32::NAN; 3]; 2]);
        self.known = true;
    }

    /// Sixteens of slots.
    pub(super) fn groups(&self) -> usize {
        self.row_of.len().div_ceil(BATCH)
    }

    /// Whether there is nobody, or neighbours were too many to be found.
    pub(super) fn is_empty(&self) -> bool {
        self.row_of.is_empty()
    }

    /// Finds the neighbours of all particles where they are now.
    pub(super) fn find(&mut self, crew: &mut Crew<'_>, common: &Common<'_>, plan: &Plans) {
        let placed = std::mem::replace(&mut self.known, true);
        self.points(common, plan, placed);
        let fluids = self.points.len();
        self.side.points(common, plan, self.origin, &mut self.points);
        self.row_of.clear();
        self.fluid_of.clear();
        let reach = plan.spiky.support * (1.0 + FLUID_SKIN);
        let most = FLUID_NEIGHBOURS * self.points.len();
        let mut neighbours = std::mem::take(&mut self.neighbours).most(most);
        let found = self
            .grid
            .build_with(crew, &self.points, reach)
            .and_then(|()| neighbours.find_with(crew, &self.grid, reach));
        self.neighbours = neighbours;
        if found.is_err() {
            self.overflowed = true;
            self.side.none();
            self.skins.fans.clear();
            return;
        }
        self.slot_of.resize(self.points.len(), 0);
        self.listed.clear();
        // Both kinds of points are in slots of their own, in the order of the grid.
        let mut sides = 0;
        for &point in self.grid.order() {
            if (point as usize) < fluids {
                self.slot_of[point as usize] = self.row_of.len() as u32;
                let (row, fluid) = self.rows[point as usize];
                self.row_of.push(row);
                self.fluid_of.push(fluid);
                let [x, y, z] = self.points[point as usize];
                self.listed.push([x, y, z, 0.0]);
            } else {
                self.slot_of[point as usize] = sides;
                sides += 1;
            }
        }
        let groups = fluids.div_ceil(BATCH);
        let rows = (groups + 1) * BATCH;
        self.fluid_of.resize(rows, 0);
        if self.at.len() != rows {
            // Arrays that are read together begin at different places of a page.
            self.at = Rows::zeros(rows, 0);
            self.pressed = Rows::zeros(rows, 8);
            self.walls = Rows::zeros(rows, 24);
            self.ways = Rows::zeros(rows, 40);
        }
        for array in [&mut self.at, &mut self.pressed] {
            array[groups * BATCH..].fill([FAR, FAR, FAR, 0.0]);
        }
        self.ways[groups * BATCH..].fill([0.0; 4]);
        self.excess.resize(groups, Pack([0.0; BATCH]));
        if sides == 0 {
            self.side.none();
            self.skins.fans.clear();
            let (neighbours, slot_of) = (&self.neighbours, &self.slot_of);
            self.lists.fill(crew, (groups, rows), |slot| {
                let near = if slot < fluids { neighbours.in_slot(slot) } else { &[] };
                near.iter().map(|&point| slot_of[point as usize])
            });
        } else {
            self.of_slot.clear();
            self.of_slot.extend(self.grid.order().iter().filter(|point| (**point as usize) < fluids));
            let (neighbours, slot_of, of_slot) = (&self.neighbours, &self.slot_of, &self.of_slot);
            self.lists.fill(crew, (groups, rows), |slot| {
                let near = of_slot.get(slot).map_or(&[][..], |&point| neighbours.of(point as usize));
                near.iter().filter(move |point| (**point as usize) < fluids).map(|&point| slot_of[point as usize])
            });
            let of = (&self.grid, &self.neighbours, &self.points[..]);
            self.side.list(crew, &plan.spiky, of, (&self.of_slot, rows, &self.slot_of), &mut self.skins);
        }
        common.laps.lap(Phase::FluidLists);
    }

    /// Where particles are now, relative to a point near them.
    fn points(&mut self, common: &Common<'_>, plan: &Plans, placed: bool) {
        self.points.clear();
        self.rows.clear();
        let motion = common.motion;
        for (fluid, of) in plan.bodies.iter().enumerate() {
            let body = &common.plan.bodies[of.body];
            // SAFETY: no stage runs, so nobody writes rows.
            let (x, u) = unsafe { (motion.x.read(body.start, body.rows), motion.u.read(body.start, body.rows)) };
            for (row, (x, u)) in x.iter().zip(u).enumerate() {
                let alive = x[3] > 0.0 && (0..3).all(|k| (x[k] + u[k]).is_finite());
                if alive && body.vertex(body.start + row).is_some() {
                    self.rows.push(((body.start + row) as u32, fluid as u32));
                }
            }
        }
        // SAFETY: as above.
        let row = |row: u32| unsafe { (motion.x.read(row as usize, 1)[0], motion.u.read(row as usize, 1)[0]) };
        if !placed {
            // The median along each axis, once a step: a drop that has flown away does not draw it along. No order of rows matters.
            let mut along: Vec<f32> = Vec::with_capacity(self.rows.len());
            self.origin = std::array::from_fn(|k| {
                along.clear();
                along.extend(self.rows.iter().map(|&(of, _)| row(of).0[k]));
                let middle = along.len() / 2;
                if along.is_empty() { 0.0 } else { *along.select_nth_unstable_by(middle, f32::total_cmp).1 }
            });
        }
        let origin = self.origin;
        self.points.extend(self.rows.iter().map(|&(of, _)| {
            let (x, u) = row(of);
            std::array::from_fn(|k| (x[k] - origin[k]) + u[k])
        }));
        let nothing = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        self.bounds = self.points.iter().fold(nothing, |all, p| super::joined(all, &[*p, *p]));
    }
}
