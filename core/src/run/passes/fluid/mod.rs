//! Fluids: position based density (`seidel_kernels::fluid`).
//!
//! ```text
//!  once a step, and again when neighbours may have come nearer than the lists reach
//!    places --hash--> neighbours of each particle; slots in the order of the hash's cells
//!  every substep, before the first sweep
//!    viscosity, in the fluid and against what is beside it; surface tension and vorticity confinement; a share of the last multipliers
//!  every sweep
//!    read positions -> walls, density, multipliers -> push: the fluid, vertices beside it, rigid bodies
//!    push particles back to their side of triangles, then out of rigid bodies; triangles and rigid bodies are pushed the
//!    opposite way
//! ```

mod afloat;
mod drag;
pub(super) mod fresh;
pub(super) mod groups;
mod inflow;
mod lists;
mod room;
mod side;
mod skins;
mod tension;
mod vorticity;
mod walls;

use super::colliders::moving::Moving;
use super::rigid::Rigid;
use super::{At, Common};
use crate::plan::fluid::Fluids as Plans;
use crate::run::fluid::FluidState;
use crate::run::input::Input;
use crate::run::report::Phase;
use crate::tuning::{FLUID_RELAXATION, FLUID_RELAXATION_SUPPORT, FLUID_THIN, FLUID_WARM};
use afloat::{BodyImpulse, Slots};
use groups::{EMPTY, block, blocks};
use inflow::Inflow;
pub(crate) use lists::FluidScratch;
use seidel_kernels::fluid::{Density, Displace, Find, Gather, Places, Push, Spiky, Viscosity};
use seidel_kernels::{BATCH, Lanes, Shared};
use seidel_workers::Crew;
use std::mem::take;
use walls::{Walls, recycled};

/// All fluids of a step.
pub(crate) struct Fluid<'a> {
    common: &'a Common<'a>,
    plan: &'a Plans,
    scratch: &'a mut FluidScratch,
    /// Multipliers of each row (`FluidState`).
    lambda: Shared<'a, f32>,
    /// The part of them that a substep takes up again, times h^2.
    warm: f32,
    /// Viscosity acts once in so many substeps, and the coefficient covers all of them; 0: never.
    viscous: u32,
    /// The substep, and whether positions are read once in it.
    now: (u32, bool),
    inflow: Inflow<'a>,
}

impl<'a> Fluid<'a> {
    /// None if there is none. Forgets what the last step has found.
    pub(crate) fn new(
        common: &'a Common<'a>,
        scratch: &'a mut FluidScratch,
        state: &'a mut FluidState,
        now: (&'a Input, f64),
    ) -> Option<Fluid<'a>> {
        let plan = common.plan.fluids.as_ref()?;
        (scratch.known, scratch.overflowed) = (false, false);
        let h = f64::from(common.h);
        let most = plan.bodies.iter().map(|fluid| plan.xsph(&fluid.liquid, h)).fold(0.0, Lanes::larger);
        let viscous = match most {
            0.0 => 0,
            // Of thin fluids the velocities change so little that it is enough to draw them together once in a while.
            _ => ((FLUID_THIN / most) as u32).clamp(1, common.substeps),
        };
        scratch.xsph.clear();
        scratch.xsph.extend(plan.bodies.iter().map(|fluid| plan.xsph(&fluid.liquid, h * f64::from(viscous))));
        scratch.filters.clear();
        scratch.filters.extend(plan.bodies.iter().map(|fluid| common.plan.bodies[fluid.body].filter));
        // Multipliers scale with h^2 in a resting fluid and with a lower power of h in a compressed one. Taking the
        // smaller h of this step and the last keeps them from growing when steps become longer.
        let h = if common.h < state.h { common.h } else { state.h };
        state.h = common.h;
        let (lambda, warm) = (Shared::new(&mut state.lambda), FLUID_WARM * h * h);
        // Vertices and rigid bodies beside them would have to be moved on by as much.
        let is_alone = plan.beside.is_empty() && common.plan.rigid.is_none();
        scratch.moved.clear();
        scratch.moved.resize(if is_alone { common.plan.x.len() } else { 0 }, [0.0; 4]);
        let inflow = Inflow::new(common, plan, &mut state.bodies, now, &mut scratch.guided);
        let now = (
            0,
            is_alone && viscous != 1 && plan.tense.is_none() && !plan.whirls && common.plan.settings.iterations == 1,
        );
        Some(Fluid { common, plan, scratch, lambda, warm, viscous, now, inflow })
    }

    /// 1 if neighbours were too many to be found, so that the step has left the fluids' density alone.
    pub(crate) fn overflowed(&self) -> u32 {
        u32::from(self.scratch.overflowed)
    }

    /// How many particles emitters gave in the step, and how many they did not for want of room.
    pub(crate) fn gave(&self) -> (u32, u32) {
        (self.inflow.born, self.inflow.blocked)
    }

    /// Draws particles towards the density of rest. `moving` are the colliders of this substep.
    pub(crate) fn run(&mut self, crew: &mut Crew<'_>, at: At, moving: &[Moving], mut rigid: Option<&mut Rigid<'a>>) {
        self.now.0 = at.substep;
        if at.is_first() && at.substep > 0 {
            self.warm = FLUID_WARM * self.common.h * self.common.h;
        }
        if at.is_first() {
            // A new particle is in no list yet: make the lists anew.
            let FluidScratch { guided, known, row_of, .. } = &mut *self.scratch;
            let is_born = self.inflow.begin(guided, at.substep);
            *known &= !is_born;
            guided.find(if *known { &row_of[..] } else { &[] });
        }
        let is_stirred = at.is_first() && self.viscous > 0 && at.substep.is_multiple_of(self.viscous);
        let carries = at.is_first() && at.substep > 0 && !self.scratch.moved.is_empty();
        let tense = self.plan.tense.filter(|_| at.is_first());
        let whirls = self.plan.whirls && at.is_first();
        let acts = is_stirred || tense.is_some() || whirls;
        self.place(crew, carries && !acts);
        if self.scratch.is_empty() {
            return;
        }
        if is_stirred || whirls {
            self.gather_ways(crew);
        }
        if is_stirred {
            self.viscosity(crew);
        }
        if whirls {
            self.confine(crew);
        }
        if is_stirred && self.plan.clings {
            self.drag(crew, moving, &mut rigid);
        }
        if let Some(spiky) = tense {
            self.tension(crew, spiky, moving, &mut rigid);
        }
        if acts {
            self.place(crew, carries);
        }
        if at.is_first() && !carries && !self.scratch.is_empty() {
            self.warm(crew, moving, &mut rigid);
            self.place(crew, false);
        }
        if self.scratch.is_empty() {
            return;
        }
        self.solve(crew, at, moving, &mut rigid);
        let FluidScratch { skins, row_of, origin, .. } = &mut *self.scratch;
        let is_last = at.iteration + 1 == self.common.plan.settings.iterations;
        skins.run(crew, self.common, self.plan, (row_of, *origin, is_last));
        if let Some(rigid) = rigid {
            self.keep_out(crew, rigid);
        }
    }

    /// Reads where particles are, and finds their neighbours if the known lists may lack a pair. `carries`: first moves
    /// particles by a share of the displacements that the last substep's multipliers gave them.
    fn place(&mut self, crew: &mut Crew<'_>, carries: bool) {
        if !self.scratch.known {
            self.find(crew);
            if !carries {
                return;
            }
        }
        if self.scratch.is_empty() {
            return;
        }
        self.gather(crew, carries);
        if self.scratch.is_stale(crew, self.common, self.plan) {
            self.find(crew);
        }
    }

    /// Finds the neighbours of all particles where they are now.
    fn find(&mut self, crew: &mut Crew<'_>) {
        self.scratch.find(crew, self.common, self.plan, self.now);
        let FluidScratch { guided, row_of, side, origin, at, .. } = &mut *self.scratch;
        guided.find(row_of);
        if !row_of.is_empty() {
            side.gather(crew, self.common, &self.plan.spiky, *origin);
            guided.hold(at);
        }
    }

    /// Reads where particles are, and what lies beside them, and how far they have gone since lists were made.
    fn gather(&mut self, crew: &mut Crew<'_>, carries: bool) {
        let (common, groups) = (self.common, self.scratch.groups());
        let FluidScratch { at: places, listed, row_of, origin, gone, side, moved, guided, .. } = &mut *self.scratch;
        gone.resize(groups, EMPTY);
        let (at, boxes, moved) = (Shared::new(places), Shared::new(gone), Shared::new(moved));
        let gather = Gather { motion: common.motion, row_of, origin: *origin, at, listed };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            for group in block(groups, b) {
                let slots = group * BATCH..(group + 1) * BATCH;
                // SAFETY: nobody else uses these slots' rows in this stage; the sixteen's slots and box are this
                // closure's alone.
                unsafe {
                    boxes.part(group, 1)[0] =
                        if carries { gather.carry(slots, FLUID_WARM, moved) } else { gather.run(slots) };
                }
            }
        });
        side.gather(crew, common, &self.plan.spiky, *origin);
        guided.hold(places);
    }

    /// Reads how far particles go in this substep.
    fn gather_ways(&mut self, crew: &mut Crew<'_>) {
        let (common, groups) = (self.common, self.scratch.groups());
        let FluidScratch { at, listed, row_of, origin, ways, fluid_of, xsph, .. } = &mut *self.scratch;
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
    }

    /// Draws velocities of neighbours together. How far particles go is known.
    fn viscosity(&mut self, crew: &mut Crew<'_>) {
        let (common, spiky, groups) = (self.common, self.plan.spiky, self.scratch.groups());
        let FluidScratch { at, ways, row_of, lists, .. } = &mut *self.scratch;
        let (at, ways) = (Shared::new(at), Shared::new(ways));
        let pass = Viscosity { spiky, at, ways, lists: lists.lists(), row_of, u: common.motion.u };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            // SAFETY: nobody writes positions or ways in this stage; a slot's row is that slot's alone.
            unsafe { pass.run(common.isa, block(groups, b)) };
        });
    }

    /// The walls where they are now. Their memory is the scratch's, and goes back there (`Walls::end`).
    fn walls(&mut self, moving: &[Moving], rigid: Option<&Rigid<'a>>) -> Walls<'a> {
        let FluidScratch { origin, filters, colliders, afloat, .. } = &mut *self.scratch;
        let (colliders, mut afloat) = (recycled(take(colliders)), recycled(take(afloat)));
        if let Some(rigid) = rigid {
            rigid.afloat(filters, *origin, &mut afloat);
        }
        Walls::new(self.common, self.plan, moving, *origin, (colliders, afloat))
    }

    /// Pushes by a share of the multipliers of the last substep.
    fn warm(&mut self, crew: &mut Crew<'_>, moving: &[Moving], rigid: &mut Option<&mut Rigid<'a>>) {
        let walls = self.walls(moving, rigid.as_deref());
        let (common, spiky, lambda, groups) = (self.common, self.plan.spiky, self.lambda, self.scratch.groups());
        let FluidScratch { at, listed, pressed, walls: of_walls, row_of, origin, .. } = &mut *self.scratch;
        let (at, pressed, of_walls) = (Shared::new(at), Shared::new(pressed), Shared::new(of_walls));
        let gather = Gather { motion: common.motion, row_of, origin: *origin, at, listed };
        let share = self.warm;
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            // SAFETY: nobody writes positions or kept multipliers in this stage; what is written for a slot is its
            // block's alone.
            unsafe {
                gather.warm(of.start * BATCH..of.end * BATCH, share, lambda, pressed);
                walls.fill((common.isa, spiky), of, at, of_walls);
            }
        });
        self.push(crew, &walls, rigid);
        (self.scratch.colliders, self.scratch.afloat) = walls.end();
    }

    /// Finds multipliers, keeps them, and pushes by them.
    fn solve(&mut self, crew: &mut Crew<'_>, sweep: At, moving: &[Moving], rigid: &mut Option<&mut Rigid<'a>>) {
        let walls = self.walls(moving, rigid.as_deref());
        let (common, spiky, lambda, groups) = (self.common, self.plan.spiky, self.lambda, self.scratch.groups());
        let relaxation = relaxation(self.plan);
        let FluidScratch { at, listed, pressed, walls: of_walls, excess, row_of, origin, lists, side, .. } =
            &mut *self.scratch;
        let (at, pressed) = (Shared::new(at), Shared::new(pressed));
        let (of_walls, excess) = (Shared::new(of_walls), Shared::new(excess));
        let gather = Gather { motion: common.motion, row_of, origin: *origin, at, listed };
        let walled = if walls.is_empty() { of_walls.within(0, 0) } else { of_walls };
        let (lists, side) = (lists.lists(), side.side());
        let density = Density { spiky, relaxation, at, lists, side, walls: walled, pressed, excess };
        let unit = 1.0 / (common.h * common.h);
        let so_far = if sweep.is_first() { self.warm } else { common.h * common.h };
        let share = [so_far * unit, unit];
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            // SAFETY: nobody writes positions in this stage; what is written for a slot, and for its row, is its
            // block's alone.
            unsafe {
                walls.fill((common.isa, spiky), of.clone(), at, of_walls);
                gather.warm(of.start * BATCH..of.end * BATCH, so_far, lambda, pressed);
                density.run(common.isa, of.clone());
                gather.keep(of.start * BATCH..of.end * BATCH, share, pressed, lambda);
            }
        });
        self.push(crew, &walls, rigid);
        (self.scratch.colliders, self.scratch.afloat) = walls.end();
    }

    /// Pushes particles, what lies beside them and rigid bodies by the multipliers that there are.
    fn push(&mut self, crew: &mut Crew<'_>, walls: &Walls<'a>, rigid: &mut Option<&mut Rigid<'a>>) {
        let (common, spiky, groups) = (self.common, self.plan.spiky, self.scratch.groups());
        let FluidScratch { at, pressed, walls: of_walls, row_of, lists, side, moved, .. } = &mut *self.scratch;
        let (at, pressed, of_walls) = (Shared::new(at), Shared::new(pressed), Shared::new(of_walls));
        let walled = if walls.is_empty() { of_walls.within(0, 0) } else { of_walls };
        let (lists, places, u) = (lists.lists(), Places::Rows(row_of, Shared::new(moved)), common.motion.u);
        let push = Push { spiky, scale: at, own: pressed, pressed, lists, side: side.side(), walls: walled, places, u };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            // SAFETY: nobody writes positions, multipliers or walls in this stage; a slot's row is that slot's alone.
            unsafe { push.run(common.isa, block(groups, b)) };
        });
        side.push(crew, common, spiky, pressed);
        if let Some(rigid) = rigid.as_deref_mut().filter(|_| !walls.afloat.is_empty()) {
            rigid.wet(&walls.afloat, &self.scratch.bounds, 2.0 * spiky.support);
            // An excess of the warm start that is taken back is a pull. Where nothing else draws, it is left out.
            let both = self.plan.tense.is_some() || self.plan.clings;
            let mut slots = self.slots(walls.afloat.len(), spiky);
            let by = slots.pressure(crew, common, &walls.afloat, |x| both && x[3] != 0.0 || x[3] < 0.0);
            rigid.float(&walls.afloat, by);
        }
    }

    /// Pushes particles out of rigid bodies, and these the opposite way.
    fn keep_out(&mut self, crew: &mut Crew<'_>, rigid: &mut Rigid<'a>) {
        self.place(crew, false);
        if self.scratch.is_empty() {
            return;
        }
        let mut afloat = recycled(take(&mut self.scratch.afloat));
        rigid.afloat(&self.scratch.filters, self.scratch.origin, &mut afloat);
        if !afloat.is_empty() {
            self.gather_ways(crew);
            let common = self.common;
            let mut slots = self.slots(afloat.len(), self.plan.spiky);
            let by = slots.contact(crew, common, &afloat);
            rigid.float(&afloat, by);
        }
        self.scratch.afloat = recycled(afloat);
    }

    /// Slots as passes over so many shapes of rigid bodies see them.
    fn slots(&mut self, shapes: usize, spiky: Spiky) -> Slots<'_> {
        let groups = self.scratch.groups();
        let FluidScratch { at, ways, pressed, walls, row_of, touches, pushed, sums, .. } = &mut *self.scratch;
        touches.resize(groups * BATCH, afloat::NOTHING);
        pushed.clear();
        pushed.resize(blocks(groups) * shapes, BodyImpulse::default());
        Slots {
            spiky,
            at,
            ways,
            pressed,
            walls,
            row_of,
            touches: Shared::new(touches),
            pushed,
            sums,
            radius: 0.5 * spiky.spacing,
        }
    }
}

/// The share of a correction that a sweep makes.
fn relaxation(plan: &Plans) -> f32 {
    let support = f64::from(plan.bodies[0].liquid.support) / FLUID_RELAXATION_SUPPORT;
    // The largest eigenvalue is 2.8 at two spacings and 4.2 at two and a half: it grows as support^1.8.
    let grown = libm::pow(support, 1.8);
    (FLUID_RELAXATION / if grown > 1.0 { grown } else { 1.0 }) as f32
}
