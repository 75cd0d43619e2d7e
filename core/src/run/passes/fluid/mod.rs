//! Fluids: position based density (`seidel_kernels::fluid`).
//!
//! ```text
//!  once a step, and again when neighbours may have come nearer than the lists reach
//!    places --hash--> neighbours of each particle; slots in the order of the hash's cells
//!  every substep, before the first sweep
//!    viscosity
//!  every sweep
//!    read positions -> walls, density, multipliers -> push
//! ```

mod lists;

use super::colliders::moving::Moving;
use super::{At, Common};
use crate::describe::collider::{Collider, Shape};
use crate::plan::fluid::Fluids as Plans;
use crate::run::fluid::FluidState;
use crate::run::report::Phase;
use crate::tuning::{FLUID_RELAXATION, FLUID_RELAXATION_SUPPORT, FLUID_SKIN, FLUID_THIN, FLUID_WARM};
pub(crate) use lists::FluidScratch;
use seidel_kernels::contact::{Capsule, Solid};
use seidel_kernels::fluid::{Density, GROUPS_A_BLOCK, Gather, Push, Range3, Spiky, Viscosity, Walls};
use seidel_kernels::{BATCH, Isa, Lanes, Row, Shared};
use seidel_workers::Crew;
use std::ops::Range;

/// All fluids of a step.
pub(crate) struct Fluid<'a> {
    common: &'a Common<'a>,
    plan: &'a Plans,
    scratch: &'a mut FluidScratch,
    /// Multipliers of each row (`FluidState`).
    lambda: Shared<'a, f32>,
    /// Half of XSPH's coefficient of each fluid, and every how many substeps it acts, for as many at once.
    xsph: Vec<f32>,
    viscous: u32,
}

impl<'a> Fluid<'a> {
    /// None if there is none. Forgets what the last step has found.
    pub(crate) fn new(
        common: &'a Common<'a>,
        scratch: &'a mut FluidScratch,
        state: &'a mut FluidState,
    ) -> Option<Fluid<'a>> {
        let plan = common.plan.fluids.as_ref()?;
        scratch.known = false;
        scratch.overflowed = false;
        let most =
            plan.bodies.iter().map(|(_, liquid)| plan.xsph(liquid, f64::from(common.h))).fold(0.0, Lanes::larger);
        let viscous = match most {
            0.0 => 0,
            // Of thin fluids the velocities change so little that it is enough to draw them together once in a while.
            _ => ((FLUID_THIN / most) as u32).clamp(1, common.plan.substeps),
        };
        let half = |liquid| 0.5 * plan.xsph(liquid, f64::from(common.h) * f64::from(viscous));
        let xsph = plan.bodies.iter().map(|(_, liquid)| half(liquid)).collect();
        Some(Fluid { common, plan, scratch, lambda: Shared::new(&mut state.lambda), xsph, viscous })
    }

    /// Whether neighbours were too many to be found, so that the step has left the fluids' density alone.
    pub(crate) fn overflowed(&self) -> bool {
        self.scratch.overflowed
    }

    /// Draws particles towards the density of rest. `moving` are the colliders of this substep.
    pub(crate) fn run(&mut self, crew: &mut Crew<'_>, at: At, moving: &[Moving]) {
        self.place(crew);
        if self.scratch.is_empty() {
            return;
        }
        if at.is_first() && self.viscous > 0 && at.substep.is_multiple_of(self.viscous) {
            self.viscosity(crew);
            self.place(crew);
        }
        let walls = Wall::list(self.common, self.plan, moving, &self.scratch.origin);
        if at.is_first() {
            self.warm(crew, &walls);
            self.place(crew);
        }
        self.solve(crew, &walls, at);
    }

    /// Reads where particles are, and finds their neighbours if those that are known may not be all.
    fn place(&mut self, crew: &mut Crew<'_>) {
        if !self.scratch.known {
            self.scratch.find(crew, self.common, self.plan);
        }
        if self.scratch.is_empty() {
            return;
        }
        let gone = self.gather(crew);
        // Two have come nearer by no more than the diagonal of the box about all ways.
        let squared = (0..3).fold(0.0, |sum, k| {
            let range = gone[1][k] - gone[0][k];
            sum + range * range
        });
        let skin = FLUID_SKIN * self.plan.spiky.support;
        if squared > skin * skin {
            self.scratch.find(crew, self.common, self.plan);
            if !self.scratch.is_empty() {
                self.gather(crew);
            }
        }
    }

    /// Reads where particles are; the box about how far they have gone since lists were made.
    fn gather(&mut self, crew: &mut Crew<'_>) -> Range3 {
        let common = self.common;
        let FluidScratch { at, listed, row_of, origin, gone, .. } = &mut *self.scratch;
        let groups = row_of.len().div_ceil(BATCH);
        gone.clear();
        gone.resize(blocks(groups), [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]]);
        let (at, boxes) = (Shared::new(at), Shared::new(gone));
        let gather = Gather { motion: common.motion, row_of, origin: *origin, at, listed };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            // SAFETY: nobody writes rows in this stage; the block's slots and box are this closure's alone.
            unsafe { boxes.part(b, 1)[0] = gather.run(of.start * BATCH..of.end * BATCH) };
        });
        // Lowest and highest do not depend on the order.
        gone.iter().fold([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], |[low, high], [least, most]| {
            [
                std::array::from_fn(|k| Lanes::smaller(low[k], least[k])),
                std::array::from_fn(|k| Lanes::larger(high[k], most[k])),
            ]
        })
    }

    /// Draws velocities of neighbours together.
    fn viscosity(&mut self, crew: &mut Crew<'_>) {
        let (common, spiky, xsph) = (self.common, self.plan.spiky, &self.xsph);
        let FluidScratch { at, listed, row_of, origin, ways, fluid_of, lists, .. } = &mut *self.scratch;
        let groups = row_of.len().div_ceil(BATCH);
        let (at, ways) = (Shared::new(at), Shared::new(ways));
        let gather = Gather { motion: common.motion, row_of, origin: *origin, at, listed };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            let slots = of.start * BATCH..of.end * BATCH;
            // SAFETY: nobody writes rows in this stage; the block's slots are this closure's alone.
            unsafe {
                gather.ways(slots.clone(), ways);
                for (way, &fluid) in ways.part(slots.start, slots.len()).iter_mut().zip(&fluid_of[slots.start..]) {
                    way[3] = xsph[fluid as usize];
                }
            }
        });
        let pass = Viscosity { spiky, at, ways, lists: lists.lists(), row_of, u: common.motion.u };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            // SAFETY: nobody writes positions or ways in this stage; a slot's row is that slot's alone.
            unsafe { pass.run(common.isa, block(groups, b)) };
        });
    }

    /// Pushes particles by a share of what pushed them in the last substep.
    fn warm(&mut self, crew: &mut Crew<'_>, walls: &[Wall<'_>]) {
        let (common, spiky, lambda) = (self.common, self.plan.spiky, self.lambda);
        let FluidScratch { at, listed, pressed, walls: of_walls, row_of, origin, lists, .. } = &mut *self.scratch;
        let groups = row_of.len().div_ceil(BATCH);
        let (at, pressed, of_walls) = (Shared::new(at), Shared::new(pressed), Shared::new(of_walls));
        let gather = Gather { motion: common.motion, row_of, origin: *origin, at, listed };
        let share = FLUID_WARM * common.h * common.h;
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            // SAFETY: nobody writes positions or multipliers in this stage; what is written for a slot is its block's alone.
            unsafe {
                gather.warm(of.start * BATCH..of.end * BATCH, share, lambda, pressed);
                Wall::all(walls, (common.isa, spiky), of, at, of_walls);
            }
        });
        let walls = if walls.is_empty() { of_walls.within(0, 0) } else { of_walls };
        let (lists, u) = (lists.lists(), common.motion.u);
        let push = Push { spiky, at, pressed, lists, side: None, walls, row_of, u };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            // SAFETY: nobody writes positions, multipliers or walls in this stage; a slot's row is that slot's alone.
            unsafe { push.run(common.isa, block(groups, b)) };
        });
    }

    /// Finds densities and pushes particles.
    fn solve(&mut self, crew: &mut Crew<'_>, walls: &[Wall<'_>], sweep: At) {
        let (common, spiky, lambda) = (self.common, self.plan.spiky, self.lambda);
        let FluidScratch { at, listed, pressed, walls: of_walls, excess, row_of, origin, lists, .. } =
            &mut *self.scratch;
        let groups = row_of.len().div_ceil(BATCH);
        let (at, pressed) = (Shared::new(at), Shared::new(pressed));
        let (of_walls, excess) = (Shared::new(of_walls), Shared::new(excess));
        let walled = if walls.is_empty() { of_walls.within(0, 0) } else { of_walls };
        let density = Density {
            spiky,
            relaxation: relaxation(self.plan),
            at,
            lists: lists.lists(),
            side: None,
            walls: walled,
            pressed,
            excess,
        };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            // SAFETY: nobody writes positions in this stage; what is written for a slot is its block's alone.
            unsafe {
                Wall::all(walls, (common.isa, spiky), of.clone(), at, of_walls);
                density.run(common.isa, of);
            }
        });
        let share = [if sweep.is_first() { FLUID_WARM } else { 1.0 }, 1.0 / (common.h * common.h)];
        let gather = Gather { motion: common.motion, row_of, origin: *origin, at, listed };
        let push =
            Push { spiky, at, pressed, lists: lists.lists(), side: None, walls: walled, row_of, u: common.motion.u };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            // SAFETY: nobody writes positions, multipliers or walls in this stage; a slot's row is that slot's alone.
            unsafe {
                push.run(common.isa, of.clone());
                gather.keep(of.start * BATCH..of.end * BATCH, share, pressed, lambda);
            }
        });
    }
}

/// The share of a correction that a sweep makes.
pub(super) fn relaxation(plan: &Plans) -> f32 {
    let support = f64::from(plan.bodies[0].1.support) / FLUID_RELAXATION_SUPPORT;
    // 2.8 at two spacings, 4.2 at two and a half: as support^1.8.
    (FLUID_RELAXATION / libm::pow(support, 1.8).max(1.0)) as f32
}

/// A collider in a substep, as a fluid meets it.
struct Wall<'a> {
    origin: [f32; 3],
    turn: [[f32; 3]; 3],
    thickness: f32,
    shape: Option<Solid<'a>>,
}

impl<'a> Wall<'a> {
    /// Those that meet a fluid. A fluid that does not meet one that another meets is kept from it all the same in the density.
    fn list(common: &Common<'a>, plan: &Plans, moving: &[Moving], origin: &[f32; 3]) -> Vec<Wall<'a>> {
        let meets = |collider: &Collider| {
            plan.bodies.iter().any(|&(body, _)| common.plan.bodies[body].filter.meets(collider.filter))
        };
        let all = common.plan.colliders.iter().zip(moving).filter(|(collider, _)| meets(collider));
        all.map(|(collider, moving)| {
            let frame = moving.frame();
            let shape = match collider.shape {
                Shape::Plane => None,
                Shape::Sphere { radius } => Some(Solid::Capsule(Capsule { radius, half_length: 0.0 })),
                ref other => other.solid(),
            };
            Wall {
                origin: std::array::from_fn(|k| (frame.position[k] - f64::from(origin[k])) as f32),
                turn: frame.turn.map(|row| row.map(|v| v as f32)),
                thickness: collider.thickness,
                shape,
            }
        })
        .collect()
    }

    /// What all of them do to some sixteens of slots; nothing is written if there are none.
    ///
    /// # Safety
    /// Nobody writes positions, or uses these slots of `to`.
    unsafe fn all(
        walls: &[Wall<'_>],
        (isa, spiky): (Isa, Spiky),
        of: Range<usize>,
        at: Shared<'_, Row>,
        to: Shared<'_, Row>,
    ) {
        if walls.is_empty() {
            return;
        }
        // SAFETY: as the caller promises.
        unsafe {
            to.part(of.start * BATCH, of.len() * BATCH).fill([0.0; 4]);
            for wall in walls {
                wall.kernel(spiky, at, to).run(isa, of.clone());
            }
        }
    }

    fn kernel<'k>(&'k self, spiky: Spiky, at: Shared<'k, Row>, walls: Shared<'k, Row>) -> Walls<'k> {
        let Wall { origin, turn, thickness, shape } = *self;
        Walls { spiky, at, walls, origin, turn, thickness, shape }
    }
}

fn blocks(groups: usize) -> usize {
    groups.div_ceil(GROUPS_A_BLOCK)
}

fn block(groups: usize, number: usize) -> Range<usize> {
    number * GROUPS_A_BLOCK..groups.min((number + 1) * GROUPS_A_BLOCK)
}
