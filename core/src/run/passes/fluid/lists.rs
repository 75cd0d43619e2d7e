//! Which particles of fluids are near which, and in which order they are gone through.

use super::afloat::{BodyImpulse, Sums, Touch};
use super::fresh::{Fresh, sixteens};
use super::groups::{EMPTY, joined};
use super::inflow::Guided;
use super::side::SideScratch;
use super::skins::SkinScratch;
use super::walls::Wall;
use crate::describe::filter::Filter;
use crate::plan::fluid::Fluids as Plans;
use crate::run::passes::afloat::Afloat;
use crate::run::passes::{Alone, Common};
use crate::run::report::Phase;
use crate::tuning::{FLUID_LIST_MARGIN, FLUID_NEIGHBOURS, FLUID_THIN_LIST_MARGIN};
use seidel_hash::{Neighbours, POINTS_A_BLOCK, PointGrid};
use seidel_kernels::fluid::{FAR, GROUPS_A_LIST, Neighbourhood, Range3};
use seidel_kernels::{BATCH, Pack, Row, Rows};
use seidel_workers::{Crew, parts};

/// A block of lists that is found is a block of lists in lanes.
const _: () = assert!(POINTS_A_BLOCK == GROUPS_A_LIST * BATCH);

/// Slots that a worker takes at a time.
const SLOTS_A_BLOCK: usize = 4096;

/// The linear system of drag that a block of slots adds to a body (`drag.rs`): b and A (row by row), kg m and their
/// moments.
pub(super) type Asked = [f64; 42];

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct FluidScratch {
    /// The point that positions are relative to, metres, and a box about the fluids' particles when lists were made,
    /// relative to it.
    pub(super) origin: [f32; 3],
    pub(super) bounds: Range3,
    points: Vec<[f32; 3]>,
    /// Coordinates of all particles along one axis.
    along: Vec<f32>,
    /// For each point: its row, its fluid and its inverse mass, 1/kg.
    rows: Vec<(u32, u32, f32)>,
    grid: PointGrid,
    neighbours: Neighbours,
    slot_of: Vec<u32>,
    /// For each slot: its point; only where something lies beside the fluids.
    of_slot: Vec<u32>,
    /// For each slot: its row and its fluid.
    pub(super) row_of: Vec<u32>,
    pub(super) fluid_of: Vec<u32>,
    pub(super) lists: Neighbourhood,
    /// What lies beside the fluids.
    pub(super) side: SideScratch,
    pub(super) skins: SkinScratch,
    /// What rigid bodies and slots do to each other.
    pub(super) touches: Vec<Touch>,
    pub(super) pushed: Vec<BodyImpulse>,
    pub(super) asked: Vec<Asked>,
    pub(super) sums: Sums,
    /// Memory of a sweep's walls, empty between sweeps (`recycled`).
    pub(super) colliders: Vec<Wall<'static>>,
    pub(super) afloat: Vec<Afloat<'static>>,
    /// Particles that come from openings.
    pub(super) guided: Guided,
    /// For each fluid: XSPH's coefficient, what it meets, and a coefficient of the pass that runs.
    pub(super) xsph: Vec<f32>,
    pub(super) filters: Vec<Filter>,
    pub(super) coefficients: Vec<f32>,
    /// `at`: positions of slots. `listed`: their positions when lists were made. `pressed`: positions with multipliers.
    /// `at` and `pressed` have whole groups of 16, then one more group without particles; what lies behind it is left
    /// from when there were more.
    pub(super) at: Rows,
    pub(super) listed: Vec<Row>,
    pub(super) pressed: Rows,
    /// What walls do to slots; how far slots go in the substep.
    pub(super) walls: Rows,
    pub(super) ways: Rows,
    /// For each row: how far multipliers have moved it in this substep, [dx, 0]. Empty where vertices or rigid bodies
    /// stand beside the fluids.
    pub(super) moved: Vec<Row>,
    /// For each slot: where its surface faces, and its density, for surface tension; made where it acts.
    pub(super) normals: Rows,
    /// How much denser slots are than at rest.
    pub(super) excess: Vec<Pack<f32>>,
    /// For each group of 16 slots: a box about how far they have gone since lists were made.
    pub(super) gone: Vec<Range3>,
    /// Whether lists are still good.
    fresh: Fresh,
    /// By how much lists reach farther than the support, metres, and the substep in which they were made.
    margin: f32,
    made: u32,
    /// Whether lists are known.
    pub(super) known: bool,
    pub(super) overflowed: bool,
}

impl FluidScratch {
    pub(crate) fn poison(&mut self) {
        self.origin = [f32::NAN; 3];
        self.bounds = [[f32::NAN; 3]; 2];
        self.points.fill([f32::NAN; 3]);
        self.along.fill(f32::NAN);
        self.rows.fill((u32::MAX, u32::MAX, f32::NAN));
        self.slot_of.fill(u32::MAX);
        self.of_slot.fill(u32::MAX);
        self.row_of.fill(u32::MAX);
        self.fluid_of.fill(u32::MAX);
        self.lists.poison();
        self.side.poison();
        self.skins.poison();
        self.touches.fill((u32::MAX - 1, [f32::NAN; 4]));
        self.pushed.fill(BodyImpulse::default());
        self.asked.fill([f64::NAN; 42]);
        self.sums.poison();
        self.guided.poison();
        self.xsph.fill(f32::NAN);
        self.coefficients.fill(f32::NAN);
        for rows in [&mut self.at, &mut self.pressed, &mut self.walls, &mut self.ways, &mut self.normals] {
            rows.fill(f32::NAN);
        }
        self.listed.fill([f32::NAN; 4]);
        self.moved.fill([f32::NAN; 4]);
        self.excess.fill(Pack([f32::NAN; BATCH]));
        self.gone.fill([[f32::NAN; 3]; 2]);
        self.fresh.poison();
        (self.margin, self.made) = (f32::NAN, u32::MAX);
        self.known = true;
    }

    /// Number of groups of 16 slots.
    pub(super) fn groups(&self) -> usize {
        self.row_of.len().div_ceil(BATCH)
    }

    /// Whether there is no particle, or neighbours were too many to be found.
    pub(super) fn is_empty(&self) -> bool {
        self.row_of.is_empty()
    }

    /// Whether lists may lack a pair that is nearer than the support.
    pub(super) fn is_stale(&mut self, crew: &mut Crew<'_>, common: &Common<'_>, plan: &Plans) -> bool {
        let FluidScratch { gone, side, fresh, listed, margin, .. } = self;
        let (beside, support) = (side.listed(), plan.spiky.support);
        let gone = [&gone[..], side.gone()];
        if *margin < FLUID_LIST_MARGIN * support {
            return Fresh::most(gone) > *margin;
        }
        let fluid = listed.iter().map(|&[x, y, z, _]| [x, y, z]);
        let listed = sixteens(0, fluid).chain(sixteens(gone[0].len(), beside.iter().copied()));
        let stale = fresh.is_stale(crew, (support, *margin), gone, listed);
        common.laps.lap(Phase::FluidLists);
        stale
    }

    /// Finds the neighbours of all particles where they are now, in a substep; slots are in a new order, with their
    /// places known. `one`: positions are read once in a substep. If so, and the last lists were made in the substep
    /// before or in this one, the new lists reach by `FLUID_THIN_LIST_MARGIN` only: they will hardly last longer than a
    /// substep.
    pub(super) fn find(&mut self, crew: &mut Crew<'_>, common: &Common<'_>, plan: &Plans, (substep, one): (u32, bool)) {
        let lasted = !self.known || substep.wrapping_sub(self.made) > 1;
        let share = if one && !lasted { FLUID_THIN_LIST_MARGIN } else { FLUID_LIST_MARGIN };
        (self.margin, self.made) = (share * plan.spiky.support, substep);
        if std::mem::replace(&mut self.known, true) {
            self.points_of_slots(crew);
        } else {
            self.points(common, common.alone(crew), plan);
        }
        let fluids = self.points.len();
        self.side.points(common, common.alone(crew), plan, self.origin, &mut self.points);
        self.fresh.renew();
        let reach = plan.spiky.support + self.margin;
        let most = FLUID_NEIGHBOURS * self.points.len();
        let alone = fluids == self.points.len();
        let mut neighbours = std::mem::take(&mut self.neighbours).most(most).by_place(alone);
        let groups = fluids.div_ceil(BATCH);
        let rows = (groups + 1) * BATCH;
        let mut found = self.grid.build_with(crew, &self.points, reach);
        if alone && found.is_ok() {
            // Lists are turned as they are found: never are all of them in memory twice.
            let blocks = self.lists.begin((groups, rows));
            found = neighbours.visit_with(crew, (&self.grid, reach), blocks, |_, block, lists| {
                block.turn(common.isa, |group| lists.sixteen(group * BATCH));
            });
        } else if found.is_ok() {
            found = neighbours.find_with(crew, &self.grid, reach);
        }
        self.neighbours = neighbours;
        if found.is_err() {
            self.overflowed = true;
            self.row_of.clear();
            self.fluid_of.clear();
            self.side.none();
            self.skins.fans.clear();
            return;
        }
        // Arrays that are read together begin at different places of a page.
        self.at.grow(rows, 0);
        self.pressed.grow(rows, 8);
        self.walls.grow(rows, 24);
        self.ways.grow(rows, 40);
        self.of_slot.clear();
        if !alone {
            // Both kinds of points are in slots of their own, in the order of the grid.
            self.slot_of.resize(self.points.len(), 0);
            let mut sides = 0;
            for &point in self.grid.order() {
                let is_fluid = (point as usize) < fluids;
                self.slot_of[point as usize] = if is_fluid { self.of_slot.len() as u32 } else { sides };
                if is_fluid {
                    self.of_slot.push(point);
                } else {
                    sides += 1;
                }
            }
        }
        self.order(crew, fluids);
        self.at[fluids..rows].fill([FAR, FAR, FAR, 0.0]);
        self.fluid_of.resize(rows, 0);
        self.pressed[groups * BATCH..rows].fill([FAR, FAR, FAR, 0.0]);
        self.ways[groups * BATCH..rows].fill([0.0; 4]);
        self.excess.resize(groups, Pack([0.0; BATCH]));
        if alone {
            self.side.none();
            self.skins.fans.clear();
        } else {
            let (neighbours, slot_of, of_slot) = (&self.neighbours, &self.slot_of, &self.of_slot);
            let near = |slot: usize| {
                let near = of_slot.get(slot).map_or(&[][..], |&point| neighbours.of(point as usize));
                near.iter().filter(move |point| (**point as usize) < fluids).map(|&point| slot_of[point as usize])
            };
            self.lists.fill(crew, (groups, rows), |slot| near(slot).count(), near);
            let of = (&self.grid, &self.neighbours, &self.points[..]);
            self.side.list(crew, &plan.spiky, of, (&self.of_slot, rows, &self.slot_of), &mut self.skins);
        }
        common.laps.lap(Phase::FluidLists);
    }

    /// Puts what is known of particles into the grid's order.
    fn order(&mut self, crew: &mut Crew<'_>, fluids: usize) {
        let FluidScratch { grid, of_slot, row_of, fluid_of, listed, at, points, rows, .. } = self;
        row_of.resize(fluids, 0);
        fluid_of.resize(fluids, 0);
        listed.resize(fluids, [0.0; 4]);
        let of_slot = if of_slot.is_empty() { grid.order() } else { of_slot };
        let places = (&mut listed[..], &mut at[..fluids]);
        parts(crew, ((&mut row_of[..], &mut fluid_of[..]), places), SLOTS_A_BLOCK, |first, (names, places)| {
            let of = of_slot[first..].iter().zip(names.0).zip(names.1).zip(places.0).zip(places.1);
            for ((((&point, row_of), fluid_of), listed), at) in of {
                let (row, fluid, w) = rows[point as usize];
                let [x, y, z] = points[point as usize];
                (*row_of, *fluid_of, *listed, *at) = (row, fluid, [x, y, z, 0.0], [x, y, z, w]);
            }
        });
    }

    /// Where the particles of slots are, once slots and places are known.
    fn points_of_slots(&mut self, crew: &mut Crew<'_>) {
        let FluidScratch { row_of, fluid_of, at, points, rows, .. } = &mut *self;
        let at = &at[..row_of.len()];
        points.resize(at.len(), [0.0; 3]);
        rows.resize(at.len(), (0, 0, 0.0));
        parts(crew, (&mut points[..], &mut rows[..]), SLOTS_A_BLOCK, |first, (points, rows)| {
            let of = at[first..].iter().zip(&row_of[first..]).zip(&fluid_of[first..]).zip(points).zip(rows);
            for ((((&[x, y, z, w], &row), &fluid), point), of) in of {
                (*point, *of) = ([x, y, z], (row, fluid, w));
            }
        });
        // A lost particle has no neighbours.
        let is_there = |p: &[f32; 3]| p[0] < FAR;
        if !points.iter().all(is_there) {
            let mut there = points.iter().map(is_there);
            rows.retain(|_| there.next() == Some(true));
            points.retain(is_there);
        }
        self.bound();
    }

    fn bound(&mut self) {
        self.bounds = self.points.iter().fold(EMPTY, |all, p| joined(all, &[*p, *p]));
    }

    /// Where particles are now, relative to a point near them.
    fn points(&mut self, common: &Common<'_>, Alone { x, u, .. }: Alone<'_>, plan: &Plans) {
        self.points.clear();
        self.rows.clear();
        for (fluid, of) in plan.bodies.iter().enumerate() {
            let body = &common.plan.bodies[of.body];
            let own = body.start..body.start + body.rows;
            for (row, (x, u)) in x[own.clone()].iter().zip(&u[own]).enumerate() {
                let alive = x[3] > 0.0 && (0..3).all(|k| (x[k] + u[k]).is_finite());
                if alive && body.vertex(body.start + row).is_some() {
                    self.rows.push(((body.start + row) as u32, fluid as u32, x[3]));
                }
            }
        }
        let row = |row: u32| (x[row as usize], u[row as usize]);
        // The origin is the median along each axis, found once a step: a drop that has flown away does not shift it,
        // and it does not depend on the order of rows.
        let FluidScratch { along, rows, .. } = &mut *self;
        self.origin = std::array::from_fn(|k| {
            along.clear();
            along.extend(rows.iter().map(|&(of, ..)| row(of).0[k]));
            let middle = along.len() / 2;
            if along.is_empty() { 0.0 } else { *along.select_nth_unstable_by(middle, f32::total_cmp).1 }
        });
        let origin = self.origin;
        self.points.extend(self.rows.iter().map(|&(of, ..)| {
            let (x, u) = row(of);
            std::array::from_fn(|k| (x[k] - origin[k]) + u[k])
        }));
        self.bound();
    }
}
