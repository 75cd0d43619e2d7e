//! Points of skins against all colliders of a substep: what is shown in place of tetrahedra meets colliders in their
//! place.
//!
//! In rounds, color by color, until one moves no point further than a rounding, or `SKIN_ROUNDS` are over. The first
//! round looks at all tiles: a body that is far from all colliders costs its box, a tile that is far its own. The
//! others solve the points that the first has found near, until pushes may have brought others near.

use super::contacts::Contacts;
use super::moving::{Bounds, Moving, traced};
use crate::plan::Plan;
use crate::run::passes::Common;
use crate::run::report::Phase;
use crate::tuning::SKIN_ROUNDS;
use seidel_kernels::contact::{Carriers, EmbeddedBounce, EmbeddedContacts, EmbeddedPushed, NO_COLLIDER, STAYS};
use seidel_kernels::{BATCH, Lanes, Row, Shared};
use seidel_workers::Crew;
use std::sync::atomic::{AtomicU32, Ordering};

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct SkinScratch {
    /// For each skin, whether it may reach a collider.
    near: Vec<bool>,
    /// For each tile, whether its multipliers are of this substep.
    live: Vec<bool>,
    /// For each tile the colliders that it may touch, a bit each: the first 63, and one for all others.
    colliders: Vec<u64>,
    /// For sixteen points each, those that may touch something, a bit each.
    points: Vec<u16>,
    /// For each point its multipliers, and the collider that they are of.
    held: Vec<Row>,
    of: Vec<u32>,
    /// The rebound of each point; empty if nothing bounces.
    bounces: Vec<Row>,
    /// Multipliers of the last substep, all points for each collider; empty if they are not recorded.
    pub(crate) touches: Vec<Row>,
}

impl SkinScratch {
    pub(crate) fn new(plan: &Plan) -> SkinScratch {
        let points = plan.skins.vertices.len();
        SkinScratch {
            near: vec![false; plan.skins.bodies.len()],
            live: vec![false; plan.skins.tiles.len()],
            colliders: vec![0; plan.skins.tiles.len()],
            points: vec![0; points / BATCH],
            held: vec![[0.0; 4]; points],
            of: vec![0; points],
            bounces: vec![[0.0; 4]; if plan.bounces() { points } else { 0 }],
            touches: Vec::new(),
        }
    }

    pub(crate) fn poison(&mut self) {
        self.near.fill(true);
        self.live.fill(true);
        self.colliders.fill(u64::MAX);
        self.points.fill(u16::MAX);
        self.held.fill([f32::NAN; 4]);
        self.of.fill(0);
        self.bounces.fill([f32::NAN; 4]);
        self.touches.fill([f32::NAN; 4]);
    }
}

/// Skins in a step.
#[derive(Debug)]
pub(super) struct Skins<'a> {
    near: Shared<'a, bool>,
    live: Shared<'a, bool>,
    colliders: Shared<'a, u64>,
    points: Shared<'a, u16>,
    held: Shared<'a, Row>,
    of: Shared<'a, u32>,
    bounces: Shared<'a, Row>,
    touches: Shared<'a, Row>,
    /// Whether any skin may reach a collider, and whether tiles were looked at in this substep.
    any: AtomicU32,
    begun: AtomicU32,
    /// In this round, the furthest that a contact has moved a point, in `SkinPlan::done`; and the furthest that a tile
    /// has moved a particle, in `SkinPlan::slack`; as the bits of f32s: bits of non-negative numbers have the order of
    /// the numbers.
    furthest: AtomicU32,
    pushed: AtomicU32,
}

/// A round of a sweep's contacts.
#[derive(Clone, Copy)]
struct Round<'a> {
    contacts: Contacts<'a>,
    /// Whether nothing is remembered of this substep yet.
    first: bool,
    last: bool,
    /// Whether it looks at all tiles.
    all: bool,
}

impl<'a> Skins<'a> {
    pub(super) fn new(scratch: &'a mut SkinScratch) -> Skins<'a> {
        scratch.bounces.fill([0.0, 0.0, 0.0, STAYS]);
        Skins {
            near: Shared::new(&mut scratch.near),
            live: Shared::new(&mut scratch.live),
            colliders: Shared::new(&mut scratch.colliders),
            points: Shared::new(&mut scratch.points),
            held: Shared::new(&mut scratch.held),
            of: Shared::new(&mut scratch.of),
            bounces: Shared::new(&mut scratch.bounces),
            touches: Shared::new(&mut scratch.touches),
            any: AtomicU32::new(0),
            begun: AtomicU32::new(0),
            furthest: AtomicU32::new(0),
            pushed: AtomicU32::new(0),
        }
    }

    /// Solves all skins against all colliders.
    pub(super) fn run(&self, crew: &mut Crew<'_>, common: &Common<'_>, contacts: Contacts<'_>) {
        let skins = &common.plan.skins;
        if contacts.first {
            self.begun.store(0, Ordering::Relaxed);
        }
        let stages = &skins.stages;
        // About how far particles were pushed since all tiles were looked at. A point that is missed in this sweep is
        // met in the next substep, whose path begins at most so deep.
        let mut spent = f32::INFINITY;
        for round in 0..SKIN_ROUNDS {
            // Also where it is no number.
            let all = spent >= 1.0 || spent.is_nan();
            if all {
                spent = 0.0;
                self.any.store(0, Ordering::Relaxed);
                common.each(crew, Phase::ColliderSkins, skins.bodies.len(), |skin| {
                    // SAFETY: the skin's entry is this closure's alone, and nobody writes rows in this stage.
                    unsafe { self.look(contacts, skin) };
                });
                if self.any.load(Ordering::Relaxed) == 0 {
                    return;
                }
            }
            [&self.furthest, &self.pushed].iter().for_each(|bits| bits.store(0, Ordering::Relaxed));
            let first = self.begun.swap(1, Ordering::Relaxed) == 0;
            let (count, last) = (contacts.count.filter(|_| round == 0), round + 1 == SKIN_ROUNDS);
            let round = Round { contacts: Contacts { count, ..contacts }, first, last, all };
            common.in_turn(crew, Phase::ColliderSkins, (stages.len(), |s| stages[s].len()), |s, block| {
                let mut carriers = Carriers::default();
                for tile in stages[s][block].clone() {
                    // SAFETY: tiles of a stage share no particle (`plan::skins::Skins::of` has colored them so), and
                    // each tile's points are its own.
                    unsafe { self.tile(round, tile, &mut carriers) };
                }
            });
            if f32::from_bits(self.furthest.load(Ordering::Relaxed)) <= 1.0 {
                return;
            }
            // A particle is in several tiles.
            spent += 2.0 * f32::from_bits(self.pushed.load(Ordering::Relaxed));
        }
    }

    /// Notes whether a skin may reach a collider.
    ///
    /// # Safety
    /// Nobody else uses its entry, and nobody writes rows meanwhile.
    unsafe fn look(&self, contacts: Contacts<'_>, number: usize) {
        let skin = &contacts.plan.skins.bodies[number];
        let body = &contacts.plan.bodies[skin.body];
        let mut bounds: Bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for block in &contacts.plan.blocks[body.blocks.clone()] {
            // SAFETY: the caller promises that nobody writes rows meanwhile.
            let [low, high] = unsafe { contacts.motion.bounds(contacts.isa, block.run) };
            for k in 0..3 {
                bounds[0][k] = Lanes::smaller(bounds[0][k], low[k]);
                bounds[1][k] = Lanes::larger(bounds[1][k], high[k]);
            }
        }
        let [low, high] = &mut bounds;
        for k in 0..3 {
            let more = Lanes::smaller(skin.overhang * (high[k] - low[k]), skin.out);
            (low[k], high[k]) = (low[k] - more, high[k] + more);
        }
        let near = contacts.colliders.iter().enumerate().any(|(c, collider)| {
            let own = &contacts.plan.colliders[c];
            let thickness = body.thickness + added(collider, own.thickness);
            !contacts.off.bodies[skin.body]
                && own.filter.meets(body.filter)
                && collider.reaches(own, &bounds, thickness + skin.slack)
        });
        // SAFETY: the caller promises that nobody else uses this entry.
        unsafe { self.near.part(number, 1)[0] = near };
        if near {
            self.any.store(1, Ordering::Relaxed);
        }
    }

    /// Solves a tile of points against all colliders.
    ///
    /// # Safety
    /// Nobody else uses the tile's particles and points meanwhile; nobody writes what `look` has noted.
    unsafe fn tile(&self, Round { contacts, first, last, all }: Round<'_>, number: usize, carriers: &mut Carriers) {
        let Contacts { plan, isa, motion, .. } = contacts;
        let tile = &plan.skins.tiles[number];
        let skin = &plan.skins.bodies[tile.skin];
        let body = &plan.bodies[skin.body];
        // SAFETY: the caller promises that the tile's entries are its alone, and that nobody writes what `look` has
        // noted.
        let (live, near) = unsafe { (&mut self.live.part(number, 1)[0], self.near.read(tile.skin, 1)[0]) };
        *live &= !first;
        if !near {
            return;
        }
        let sixteens = tile.points.points().div_ceil(BATCH);
        // SAFETY: the caller promises that nobody else uses the tile's points, whose entries these are.
        let (may_touch, points_near) =
            unsafe { (&mut self.colliders.part(number, 1)[0], self.points.part(tile.first / BATCH, sixteens)) };
        if all {
            *may_touch = 0;
            points_near.fill(0);
        } else if *may_touch == 0 {
            return;
        }
        // SAFETY: the caller promises that nobody else uses the tile's particles.
        let bounds = all.then(|| unsafe { tile.points.bounds(&motion) });
        let (mut copied, mut furthest, mut moved) = (false, 0.0f32, 0.0f32);
        for (c, collider) in contacts.colliders.iter().enumerate() {
            let (own, bit) = (&plan.colliders[c], 1u64 << c.min(63));
            let thickness = body.thickness + added(collider, own.thickness);
            if let Some(bounds) = &bounds {
                // Points that another collider has pushed may have left the box.
                let slack = skin.slack + moved * (1.0 + 2.0 * skin.overhang);
                if !own.filter.meets(body.filter) || !collider.reaches(own, bounds, thickness + slack) {
                    continue;
                }
                *may_touch |= bit;
            } else if *may_touch & bit == 0 || !own.filter.meets(body.filter) {
                continue;
            }
            if !copied {
                copied = true;
                // SAFETY: the caller promises that nobody else uses the tile's particles.
                unsafe { carriers.read(&motion, &tile.points) };
            }
            let (near, look) = (&mut *points_near, all.then_some(skin.slack));
            let points = tile.points.points();
            // SAFETY: the caller promises that nobody else uses the tile's points, whose entries these are.
            let (held, of) = unsafe { (self.held.part(tile.first, points), self.of.part(tile.first, points)) };
            if !*live {
                *live = true;
                of.fill(NO_COLLIDER);
            }
            let record = match contacts.record.is_empty() {
                true => &mut [],
                // SAFETY: the caller promises that nobody else uses the tile's points; each collider has entries for
                // all points.
                false => unsafe { self.touches.part(c * plan.skins.vertices.len() + tile.first, points) },
            };
            let restitution = own.restitution * body.restitution;
            let bounce = contacts.bounce.filter(|_| restitution > 0.0).map(|bounce| EmbeddedBounce {
                v: motion.v,
                // SAFETY: the caller promises that nobody else uses the tile's points, whose entries these are.
                rows: unsafe { self.bounces.part(tile.first, points) },
                restitution,
                h: bounce.h,
                least: bounce.least,
            });
            let (friction, leaving) = (body.friction, contacts.leaving);
            macro_rules! solve {
                ($surface:expr) => {{
                    let (surface, number) = ($surface, c as u32);
                    let contacts = EmbeddedContacts {
                        surface,
                        number,
                        thickness,
                        friction,
                        leaving,
                        first,
                        look,
                        near,
                        last,
                        held,
                        of,
                        record,
                        bounce,
                    };
                    // SAFETY: nobody writes velocities while contacts are solved.
                    unsafe { contacts.solve(isa, &tile.points, carriers) }
                }};
            }
            let pushed: EmbeddedPushed = match collider {
                Moving::Plane(surface) => solve!(*surface),
                Moving::Sphere(surface) => solve!(*surface),
                Moving::Solid(surface) => solve!(traced(own, surface)),
                Moving::Off => continue,
            };
            contacts.add(pushed.contacts);
            furthest = Lanes::larger(furthest, pushed.furthest);
            // SAFETY: the caller promises that nobody else uses the tile's particles; they were copied from this motion
            // above.
            moved += unsafe { carriers.write(&motion, &tile.points) };
        }
        self.pushed.fetch_max((moved / skin.slack).to_bits(), Ordering::Relaxed);
        self.furthest.fetch_max((furthest / skin.done).to_bits(), Ordering::Relaxed);
    }

    /// Applies restitution to points that have hit a collider.
    pub(super) fn bounce(&self, crew: &mut Crew<'_>, common: &Common<'_>) {
        if self.bounces.is_empty() {
            return;
        }
        let skins = &common.plan.skins;
        let stages = &skins.stages;
        common.in_turn(crew, Phase::ColliderSkins, (stages.len(), |s| stages[s].len()), |s, block| {
            for tile in &skins.tiles[stages[s][block].clone()] {
                // SAFETY: tiles of a stage share no particle, and each tile's points are its own.
                unsafe {
                    let rows = self.bounces.part(tile.first, tile.points.points());
                    tile.points.bounce(&common.motion, rows);
                }
            }
        });
    }
}

/// What a collider adds to a body's thickness, metres: a sphere's radius includes its own.
fn added(collider: &Moving, own: f32) -> f32 {
    if matches!(collider, Moving::Sphere(_)) { 0.0 } else { own }
}
