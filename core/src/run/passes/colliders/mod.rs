//! Contacts with colliders: of bodies with a skin its points, of all others particles, then triangles.
//!
//! Particles are solved first: where they stay far enough outside, triangles, which cost more, need no push. If
//! triangles were pushed, particles are solved again, so at the end of a substep no particle is inside a collider.
//! Pushing a particle out of a sphere pushes its triangles further out.

mod contacts;
pub(crate) mod gap;
mod inside;
pub(crate) mod moving;
mod skins;
mod slacks;

use super::{At, Common};
use crate::describe::collider::Collider;
use crate::describe::pose::Pose;
use crate::plan::Plan;
use crate::run::report::Phase;
use crate::tuning::{MAX_BACK, MAX_REPEATS, SOLID_PUSH};
use contacts::{Contacts, GONE_IN, PUSHED, PUSHED_FAR, meets_triangles};
use moving::{Bounds, Moving, solid};
use seidel_kernels::contact::{Back, Bounce, NOTED, STAYS, SignedDistance, TriangleBounce};
use seidel_kernels::{BATCH, Lanes, Pack, Row, Rows, Shared};
use seidel_workers::Crew;
use skins::{SkinScratch, Skins};
pub(crate) use slacks::keeps;
use slacks::{SlackScratch, Slacks};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct ColliderScratch {
    /// The pose of every collider where the step begins and where it ends, and every collider in every substep.
    pub(crate) starts: Vec<Pose>,
    pub(crate) targets: Vec<Pose>,
    pub(crate) moving: Vec<Moving>,
    /// Pushes of the last substep, all rows for each collider; empty if they are not recorded.
    pub(crate) touches: Rows,
    boxes: Vec<Bounds>,
    /// For each stage of triangles, a bound on how far contacts have pushed a corner, metres, as the bits of an f32.
    pushes: Vec<AtomicU32>,
    held: Rows,
    /// The rebound of each particle; empty if nothing bounces.
    bounces: Rows,
    /// The same of each triangle, `NOTED` packs a batch; empty if none bounces.
    triangle_bounces: Vec<Pack<f32>>,
    held_triangles: Vec<Pack<f32>>,
    live: Vec<bool>,
    live_triangles: Vec<bool>,
    slacks: SlackScratch,
    pub(crate) skins: SkinScratch,
}

impl ColliderScratch {
    pub(crate) fn new(plan: &Plan) -> ColliderScratch {
        let (rows, colliders, triangles) = (plan.x.len(), plan.colliders.len(), plan.triangles.batches.len());
        // Multipliers are kept only with more than one iteration. `Plan::new` has checked that they are few enough.
        let held = if plan.settings.iterations > 1 { colliders } else { 0 };
        ColliderScratch {
            starts: Vec::with_capacity(colliders),
            targets: Vec::with_capacity(colliders),
            moving: Vec::with_capacity(colliders * plan.most_substeps() as usize),
            touches: Rows::default(),
            boxes: vec![Bounds::default(); plan.tiles.len()],
            pushes: plan.stages.iter().map(|_| AtomicU32::new(0)).collect(),
            held: Rows::zeros(rows * held, 24),
            bounces: Rows::zeros(if plan.bounces() { rows } else { 0 }, 56),
            triangle_bounces: vec![Pack([STAYS; BATCH]); if throws_triangles(plan) { triangles * NOTED } else { 0 }],
            held_triangles: vec![Pack([0.0; BATCH]); triangles * 4 * held],
            live: vec![false; plan.tiles.len() * held],
            live_triangles: vec![false; triangles * held],
            slacks: SlackScratch::new(plan),
            skins: SkinScratch::new(plan),
        }
    }

    /// Forgets the pushes of the last step.
    pub(crate) fn forget_touches(&mut self) {
        self.touches.fill(0.0);
        self.skins.touches.fill([0.0; 4]);
    }

    pub(crate) fn poison(&mut self) {
        for poses in [&mut self.starts, &mut self.targets] {
            poses.fill(Pose { position: [f64::NAN; 3], rotation: [f64::NAN; 4] });
        }
        self.touches.fill(f32::NAN);
        self.boxes.fill([[f32::NAN; 3]; 2]);
        self.pushes.iter_mut().for_each(|push| *push.get_mut() = f32::NAN.to_bits());
        self.held.fill(f32::NAN);
        self.bounces.fill(f32::NAN);
        self.triangle_bounces.fill(Pack([f32::NAN; BATCH]));
        self.held_triangles.fill(Pack([f32::NAN; BATCH]));
        self.live.fill(true);
        self.live_triangles.fill(true);
        self.slacks.poison();
        self.skins.poison();
    }
}

/// The least push that counts as far of these and one more collider, metres.
fn least_push(least: f32, (moving, collider): (&Moving, &Collider)) -> f32 {
    match moving {
        Moving::Solid(_) if collider.triangles => Lanes::smaller(least, SOLID_PUSH * solid(&collider.shape).girth()),
        _ => least,
    }
}

/// Whether a triangle can bounce.
fn throws_triangles(plan: &Plan) -> bool {
    plan.bounces() && plan.colliders.iter().any(|collider| meets_triangles(collider) && collider.restitution > 0.0)
}

/// All bodies against all colliders.
pub(crate) struct Colliders<'a> {
    common: &'a Common<'a>,
    /// Every collider in every substep.
    moving: &'a [Moving],
    /// Whether a particle or triangle may be inside a collider at the start of a substep.
    leaving: bool,
    boxes: Shared<'a, Bounds>,
    pushes: &'a [AtomicU32],
    held: Shared<'a, Row>,
    held_triangles: Shared<'a, Pack<f32>>,
    live: Shared<'a, bool>,
    live_triangles: Shared<'a, bool>,
    slacks: Slacks<'a>,
    touches: Shared<'a, Row>,
    bounces: Shared<'a, Row>,
    triangle_bounces: Shared<'a, Pack<f32>>,
    /// Surfaces that are shown in place of tetrahedra; None if there are none.
    skins: Option<Skins<'a>>,
    /// The bits that the last pass over triangles, and that over particles behind it, have noted.
    pushed: AtomicU32,
    /// Contacts that pushed in the first sweep of the last substep.
    count: AtomicU32,
}

impl<'a> Colliders<'a> {
    /// None if the scene has no collider. `move_colliders` has written their motion into the scratch.
    pub(crate) fn new(
        common: &'a Common<'a>,
        scratch: &'a mut ColliderScratch,
        leaving: bool,
    ) -> Option<Colliders<'a>> {
        scratch.bounces.fill(STAYS);
        scratch.triangle_bounces.fill(Pack([STAYS; BATCH]));
        let some = !common.plan.colliders.is_empty();
        some.then_some(Colliders {
            common,
            moving: &scratch.moving,
            leaving,
            boxes: Shared::new(&mut scratch.boxes),
            pushes: &scratch.pushes,
            held: Shared::new(&mut scratch.held),
            held_triangles: Shared::new(&mut scratch.held_triangles),
            live: Shared::new(&mut scratch.live),
            live_triangles: Shared::new(&mut scratch.live_triangles),
            slacks: Slacks::new(common, &scratch.moving, &mut scratch.slacks),
            touches: Shared::new(&mut scratch.touches),
            bounces: Shared::new(&mut scratch.bounces),
            triangle_bounces: Shared::new(&mut scratch.triangle_bounces),
            skins: (!common.plan.skins.tiles.is_empty()).then(|| Skins::new(&mut scratch.skins)),
            pushed: AtomicU32::new(0),
            count: AtomicU32::new(0),
        })
    }

    /// Solves skins; then particles, then triangles, then particles again if a triangle was pushed. Goes on with
    /// triangles while one or a particle was pushed far, at most `MAX_REPEATS` times.
    pub(crate) fn run(&self, crew: &mut Crew<'_>, at: At) {
        let plan = self.common.plan;
        let contacts = self.contacts(at);
        if let Some(skins) = &self.skins {
            skins.run(crew, self.common, contacts);
        }
        self.particles(crew, contacts);
        if plan.triangles.meet_nothing() || !plan.colliders.iter().any(meets_triangles) {
            return;
        }
        for pass in 0..=MAX_REPEATS {
            self.pushed.store(0, Ordering::Relaxed);
            self.triangles(
                crew,
                Contacts { first: at.is_first() && pass == 0, count: contacts.count.filter(|_| pass == 0), ..contacts },
            );
            if self.pushed.load(Ordering::Relaxed) & PUSHED != 0 {
                self.particles(crew, Contacts { first: false, count: None, ..contacts });
            }
            let pushed = self.pushed.load(Ordering::Relaxed);
            if pushed & PUSHED_FAR == 0 {
                if pushed & GONE_IN != 0 {
                    break;
                }
                return;
            }
        }
        self.go_back(crew, contacts);
    }

    /// Triangles that are in a solid after all rounds go back, and their neighbours, until none is, or `MAX_BACK` times.
    fn go_back(&self, crew: &mut Crew<'_>, contacts: Contacts<'_>) {
        for round in 0..MAX_BACK {
            let back = Some(if round < MAX_BACK / 2 { Back::Outside } else { Back::ToBegin });
            self.pushed.store(0, Ordering::Relaxed);
            self.triangles(crew, Contacts { first: false, back, count: None, ..contacts });
            if self.pushed.load(Ordering::Relaxed) == 0 {
                return;
            }
            self.particles(crew, Contacts { first: false, count: None, ..contacts });
        }
    }

    /// Colliders in a substep.
    pub(crate) fn moving(&self, substep: u32) -> &'a [Moving] {
        let count = self.common.plan.colliders.len();
        &self.moving[substep as usize * count..][..count]
    }

    /// Colliders in a substep, and where pushes are recorded in it, all rows for each collider; empty if they are not.
    pub(crate) fn met(&self, substep: u32) -> (&'a [Moving], Shared<'a, Row>) {
        let recorded = self.common.is_last(substep);
        (self.moving(substep), if recorded { self.touches } else { self.touches.within(0, 0) })
    }

    /// Contacts that were counted.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    /// The contacts of a sweep.
    fn contacts(&self, at: At) -> Contacts<'_> {
        let Common { plan, isa, h, gravity, motion, .. } = *self.common;
        let last = self.common.is_last(at.substep);
        let (colliders, record) = self.met(at.substep);
        let least = 2.0 * gravity.iter().map(|g| g * g).sum::<f32>().sqrt() * h;
        let bounce = (!self.bounces.is_empty()).then_some(Bounce { rows: self.bounces, restitution: 0.0, h, least });
        let of_triangles = TriangleBounce { packs: self.triangle_bounces, restitution: 0.0, h, least };
        Contacts {
            plan,
            isa,
            motion,
            leaving: self.leaving.then_some(h),
            colliders,
            boxes: self.boxes,
            pushes: self.pushes,
            held: self.held,
            held_triangles: self.held_triangles,
            live: self.live,
            live_triangles: self.live_triangles,
            slacks: self.slacks,
            substep: at.substep as usize,
            first: at.is_first(),
            far: self.moving(at.substep).iter().zip(&plan.colliders).fold(f32::INFINITY, least_push),
            back: None,
            record,
            bounce,
            triangle_bounce: (!self.triangle_bounces.is_empty()).then_some(of_triangles),
            pushed: &self.pushed,
            count: Some(&self.count).filter(|_| last && at.is_first()),
            off: self.common.off,
            some_off: self.common.off.bodies.contains(&true),
        }
    }

    /// Solves all particles against all colliders.
    fn particles(&self, crew: &mut Crew<'_>, contacts: Contacts<'_>) {
        self.common.each_block(crew, Phase::ColliderParticles, |b| {
            // SAFETY: the block's rows and multipliers are this closure's alone.
            unsafe { contacts.particles(&self.common.plan.blocks[b]) };
        });
    }

    /// Solves all triangles against the colliders: patches, then interfaces.
    fn triangles(&self, crew: &mut Crew<'_>, contacts: Contacts<'_>) {
        let plan = self.common.plan;
        self.pushes.iter().for_each(|push| push.store(0, Ordering::Relaxed));
        self.common.each_block(crew, Phase::ColliderTriangles, |b| {
            // SAFETY: the block's rows and boxes are this closure's alone.
            unsafe { contacts.bound(&plan.blocks[b]) };
        });
        // SAFETY: patches of a stage share no block (`Schedule` has proved it).
        self.each_triangles(crew, |stage, patch| unsafe { contacts.triangles(stage, patch) });
    }

    /// Calls a function with each stage and the batches of triangles of its patches; those of a stage share no
    /// particle, and are taken at once.
    fn each_triangles(
        &self,
        crew: &mut Crew<'_>,
        visit: impl Fn(usize, &mut dyn Iterator<Item = Range<usize>>) + Sync,
    ) {
        let (plan, stages) = (self.common.plan, &self.common.plan.stages);
        self.common.in_turn(crew, Phase::ColliderTriangles, (stages.len(), |s| stages[s].len()), |s, patch| {
            let batch_ranges = plan.batch_ranges[stages[s][patch].clone()].iter();
            let of_triangles = batch_ranges.filter(|batch_range| batch_range.family == plan.families.len());
            visit(s, &mut of_triangles.map(|batch_range| batch_range.batches.clone()));
        });
    }

    /// Applies restitution to particles, then triangles, that have hit a collider.
    pub(crate) fn bounce(&self, crew: &mut Crew<'_>) {
        let Common { plan, isa, motion, .. } = *self.common;
        if self.bounces.is_empty() {
            return;
        }
        if let Some(skins) = &self.skins {
            skins.bounce(crew, self.common);
        }
        self.common.each_block(crew, Phase::ColliderParticles, |b| {
            if !plan.blocks[b].frames && !self.common.waits(b) {
                // SAFETY: the stage runs each block once, and the plan gives each row to one block (`place::divide`).
                unsafe { motion.bounce(isa, plan.blocks[b].run, self.bounces) };
            }
        });
        if self.triangle_bounces.is_empty() {
            return;
        }
        self.each_triangles(crew, |_, patch| {
            for batches in patch {
                // SAFETY: patches of a stage share no block (`Schedule` has proved it).
                unsafe { motion.bounce_triangles(&plan.triangles.batches, batches, self.triangle_bounces) };
            }
        });
    }
}
