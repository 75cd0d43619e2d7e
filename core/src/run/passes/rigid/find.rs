//! Who may touch in a step: boxes, pairs and manifolds.

use crate::describe::pose::{Pose, product};
use crate::geometry::vector::length;
use crate::plan::rigid::Rigid as Plans;
use crate::run::passes::Common;
use crate::run::passes::pairs::BroadPhase;
use crate::run::report::Phase;
use crate::run::rigid::{KeptContact, RigidState, moves_itself};
use crate::run::rigid_sleep::AWAKE;
use crate::tuning::{FAST, HALF_SPACE_ARM, PAIRS_A_SHAPE};
use seidel_kernels::{BATCH, Shared, V3};
use seidel_rigid::manifold::{CuboidPairs, Manifold, Transform, by_distance, collide, collide_into};
use seidel_rigid::surface::{PATCHES, SurfacePlace, meet};
use seidel_rigid::{BodyRow, Shape};
use seidel_workers::Crew;
use std::ops::Range;

/// Pairs that a worker takes at a time.
const PAIRS: usize = 32;
/// Shapes that a worker takes at a time.
const SHAPES: usize = 128;

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct RigidSearch {
    /// Shapes where the step begins, in the order of their numbers; where they now are, if a manifold of theirs was
    /// found anew.
    pub(super) placed: Vec<Placed>,
    boxes: Vec<[[f32; 3]; 2]>,
    broad: BroadPhase,
    pub(super) pairs: Vec<[u32; 2]>,
    /// Where the manifolds of each pair begin, and where the last one's end: of a surface of triangles there are
    /// several.
    pub(super) firsts: Vec<u32>,
    pub(super) manifolds: Vec<Manifold>,
    /// When each was found, if it has a point.
    pub(super) origins: Vec<Origin>,
    /// Those that touch, ascending by their shapes.
    pub(super) contacts: Vec<FoundContact>,
    /// Batch and lane of each contact.
    pub(super) places: Vec<(u32, u32)>,
    /// The contact of each lane of each batch.
    pub(super) lanes: Vec<[u32; BATCH]>,
    /// The batches of each color.
    pub(super) colors: Vec<Range<usize>>,
    pub(super) used: Vec<u64>,
    pub(super) next: Vec<u32>,
    /// Of each contact, with its kind.
    pub(super) color_of: Vec<(u32, usize)>,
    pub(super) filled: Vec<u32>,
    /// Whether there were too many pairs.
    pub(super) overflowed: bool,
    /// Whether a contact has restitution.
    pub(super) bounces: bool,
    /// Where bodies sleep: the island of each body, and whether each row moves or gives way. Otherwise empty.
    pub(super) islands: Vec<u32>,
    pub(super) movers: Vec<bool>,
    /// Pairs to look at, and those that were looked at.
    todo: Vec<u32>,
    looked_at: Vec<bool>,
    /// Bodies that wake in this step, ascending.
    pub(super) woken: Vec<u32>,
}

/// When a manifold was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// In this step, and it does not last.
    Passing,
    /// In this step, where B is in A.
    Now { b_in_a: Transform, reach: f32 },
    /// In an earlier one: it is the one that was kept.
    Earlier,
}

/// Two shapes that touch or may touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundContact {
    /// The lower number first.
    pub(super) shapes: [u32; 2],
    /// Its place among the pairs, and that of its manifold.
    pub(super) pair: u32,
    pub(super) manifold: u32,
    /// How many contacts the pair has: of a surface one for each patch. They follow each other.
    pub(super) patches: u8,
    /// Points of its manifold as the step begins.
    pub(super) points: u8,
    /// What was kept of it in the last step.
    pub(super) before: Option<u32>,
}

impl FoundContact {
    pub(super) const NONE: FoundContact =
        FoundContact { shapes: [u32::MAX; 2], pair: u32::MAX, manifold: u32::MAX, patches: 0, points: 0, before: None };
}

impl RigidSearch {
    /// Whether two shapes may touch in this step.
    pub(super) fn is_near(&self, contact: &FoundContact) -> bool {
        may_touch(&self.manifolds[contact.manifold as usize], contact.shapes, &self.placed)
    }

    pub(super) fn poison(&mut self) {
        self.placed.fill(Placed::NOWHERE);
        self.boxes.fill([[f32::NAN; 3]; 2]);
        self.pairs.fill([u32::MAX; 2]);
        self.firsts.clear();
        let nan = V3 { x: f32::NAN, y: f32::NAN, z: f32::NAN };
        self.origins.fill(Origin::Now { b_in_a: Transform { axes: [nan; 3], at: nan }, reach: f32::NAN });
        self.contacts.clear();
        self.places.fill((u32::MAX, u32::MAX));
        self.lanes.fill([u32::MAX; BATCH]);
        self.colors.clear();
        self.bounces = true;
        self.islands.fill(u32::MAX);
        self.movers.fill(true);
        self.todo.fill(u32::MAX);
        self.looked_at.fill(true);
        self.woken.fill(u32::MAX);
    }
}

/// Whether shapes may touch in the step, by how far each may go.
fn may_touch(manifold: &Manifold, shapes: [u32; 2], placed: &[Placed]) -> bool {
    let ways = shapes.iter().map(|&shape| placed[shape as usize].way).sum::<f64>() as f32;
    manifold.points().iter().any(|point| point.separation <= ways)
}

/// A search at the start of a step.
pub(super) struct ContactSearch<'a> {
    pub(super) common: &'a Common<'a>,
    pub(super) plan: &'a Plans,
    pub(super) state: &'a RigidState,
    /// Poses of colliders as the step begins.
    pub(super) from: &'a [Pose],
    /// At its end.
    pub(super) to: &'a [Pose],
    /// Forces and torques on bodies.
    pub(super) pushes: &'a [[[f64; 3]; 2]],
    /// Length of this step's substeps over that of the last one's.
    pub(super) scale: f32,
}

/// A shape of a body or collider, where it is, and how fast it may go in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Row of its body.
    pub(super) row: u32,
    /// In the world.
    pub(super) at: Pose,
    /// Its axes there.
    pub(super) axes: [V3<f32>; 3],
    /// The centre of its body.
    pub(super) centre: [f64; 3],
    /// Radii of balls about its origin: the least that holds it, and the greatest that it holds, metres.
    pub(super) balls: [f32; 2],
    /// How far any of its points may go in the step, metres, and without gravity: what rests is not fast.
    pub(super) way: f64,
    pub(super) thrown: f64,
    pub(super) friction: [f32; 2],
    pub(super) restitution: f32,
    pub(super) resistance: [f32; 2],
}

impl Placed {
    const NOWHERE: Placed = Placed {
        row: u32::MAX,
        at: Pose { position: [f64::NAN; 3], rotation: [f64::NAN; 4] },
        axes: [V3 { x: f32::NAN, y: f32::NAN, z: f32::NAN }; 3],
        centre: [f64::NAN; 3],
        balls: [f32::NAN; 2],
        way: f64::NAN,
        thrown: f64::NAN,
        friction: [f32::NAN; 2],
        restitution: f32::NAN,
        resistance: [f32::NAN; 2],
    };
}

impl ContactSearch<'_> {
    /// Finds who touches, and who wakes by that.
    pub(super) fn search(&self, crew: &mut Crew<'_>, search: &mut RigidSearch, rows: &[BodyRow]) {
        search.woken.clear();
        search.islands.clear();
        search.movers.clear();
        if self.state.sleep.count() > 0 {
            search.islands.extend_from_slice(&self.state.sleep.islands);
            let (bodies, all) = (self.plan.bodies.len(), self.plan.bodies.len() + self.common.plan.colliders.len());
            search.movers.extend((0..all).map(|row| match row.checked_sub(bodies) {
                Some(c) => self.from[c] != self.to[c],
                None => {
                    let gives = self.plan.bodies[row].inv_mass > 0.0 && !self.state.frozen[row];
                    (gives && search.islands[row] == AWAKE) || moves_itself(self.plan, self.state, row)
                }
            }));
        }
        self.pairs(crew, search, rows);
        self.manifolds(crew, search);
        self.common.laps.lap(Phase::RigidSearch);
    }

    /// Number of shapes, those of colliders included.
    fn count(&self) -> usize {
        self.plan.shapes.len() + self.plan.colliders.len()
    }

    /// A shape by its number: bodies' shapes, then those colliders' that bodies meet.
    fn placed(&self, number: usize, rows: &[BodyRow]) -> Placed {
        let (common, first) = (self.common, self.plan.shapes.len());
        let dt = f64::from(common.h) * f64::from(common.substeps);
        let speeds =
            |row: &BodyRow| [row.v, row.w].map(|v| f64::from((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()));
        if number < first {
            let placed = &self.plan.shapes[number];
            let (body, row) = (placed.body as usize, &rows[placed.body as usize]);
            let motion = &self.state.motions[body];
            let pose = Pose { position: motion.position, rotation: motion.rotation };
            let [v, w] = speeds(row);
            let of = &self.plan.bodies[body];
            let g = length(common.gravity.map(f64::from)) * f64::from(of.gravity_scale).abs();
            let [force, torque] = self.pushes[body].map(length);
            let least = of.inertia.iter().fold(f64::INFINITY, |least, &i| smaller(least, i));
            let pulls = of.inv_mass > 0.0;
            let pull = |acceleration: f64| if pulls { acceleration * dt } else { 0.0 };
            let push = force * of.inv_mass;
            let w = w + torque / least * dt;
            let arm = length(placed.pose.position) + f64::from(placed.bound);
            // A turn takes no point farther than across its circle.
            let turn = smaller(w * dt * arm, 2.0 * arm);
            let at = pose.place(&placed.pose);
            return Placed {
                row: placed.body,
                at,
                axes: at.axes(),
                centre: motion.position,
                balls: [placed.bound, placed.core],
                way: (v + pull(g + push)) * dt + turn,
                thrown: (v + pull(push)) * dt + turn,
                friction: placed.friction,
                restitution: placed.restitution,
                resistance: placed.resistance,
            };
        }
        let placed = &self.plan.colliders[number - first];
        let c = placed.collider as usize;
        let at = self.from[c];
        let end = self.to[c];
        let moved = length([0, 1, 2].map(|k| end.position[k] - at.position[k]));
        let [x, y, z, w] = product(end.rotation, [-at.rotation[0], -at.rotation[1], -at.rotation[2], at.rotation[3]]);
        let angle = 2.0 * libm::atan2(length([x, y, z]), w.abs());
        let turned = match end.rotation == at.rotation {
            true => 0.0,
            // A half space turns about its position: what is near that comes near it.
            false if placed.bound.is_infinite() => angle * HALF_SPACE_ARM,
            false => smaller(angle, 2.0) * f64::from(placed.bound),
        };
        Placed {
            row: (self.plan.bodies.len() + c) as u32,
            at,
            axes: at.axes(),
            centre: at.position,
            balls: [placed.bound, placed.core],
            way: moved + turned,
            thrown: moved + turned,
            friction: placed.friction,
            restitution: placed.restitution,
            resistance: [0.0; 2],
        }
    }

    /// A shape by its number.
    pub(super) fn shape(&self, number: u32) -> &Shape {
        let first = self.plan.shapes.len();
        match self.plan.shapes.get(number as usize) {
            Some(placed) => &placed.shape,
            None => &self.plan.colliders[number as usize - first].shape,
        }
    }

    /// Pairs of shapes whose boxes meet.
    fn pairs(&self, crew: &mut Crew<'_>, search: &mut RigidSearch, rows: &[BodyRow]) {
        let RigidSearch { placed: all, boxes, broad, pairs, overflowed, movers, islands, .. } = search;
        let quiet = !islands.is_empty();
        boxes.clear();
        pairs.clear();
        all.clear();
        if quiet && !movers.contains(&true) {
            *overflowed = false;
            return;
        }
        // What sleeps is left out where nothing that moves comes near any of it.
        let asleep = |number: usize| {
            let body = self.plan.shapes.get(number).map(|shape| shape.body as usize);
            body.is_some_and(|body| quiet && islands[body] != AWAKE)
        };
        let stirred = quiet && self.stirs_sleepers(rows, movers, &asleep);
        let is_alone = |number: usize| self.plan.shapes.get(number).is_some_and(|s| self.plan.alone[s.body as usize]);
        all.resize(self.count(), Placed::NOWHERE);
        boxes.resize(self.count(), NO_BOX);
        let both = (Shared::new(all), Shared::new(boxes));
        self.common.each(crew, Phase::RigidSearch, self.count().div_ceil(SHAPES), |block| {
            for number in (block * SHAPES..self.count()).take(SHAPES).filter(|&number| stirred || !asleep(number)) {
                // SAFETY: a block's shapes are this closure's alone.
                let (placed, bound) = unsafe { (&mut both.0.part(number, 1)[0], &mut both.1.part(number, 1)[0]) };
                *placed = self.placed(number, rows);
                let shape = self.shape(number as u32);
                // A surface may be so wide that all cells of the hash are in it.
                if !matches!(shape, Shape::Surface(_)) && !is_alone(number) {
                    *bound = bounds(shape, placed);
                }
            }
        });
        let all = &*all;
        let mut add = |a: u32, b: u32| {
            if a != b && self.meet(a, b) {
                pairs.push([a, b]);
            }
        };
        // Too many pairs to hold: in this step bodies meet half spaces only.
        let full = broad.search(crew, boxes, PAIRS_A_SHAPE * boxes.len(), |[a, b]| add(a, b)).is_err();
        *overflowed = full;
        // Half spaces have no box, and surfaces are few.
        for (b, placed) in all.iter().enumerate().skip(self.plan.shapes.len()) {
            let shape = self.shape(b as u32);
            if matches!(shape, Shape::Surface(_)) {
                let [low, high] = bounds(shape, placed);
                for (a, of_a) in boxes.iter().enumerate().take(self.plan.shapes.len()) {
                    if asleep(a) && !stirred {
                        continue;
                    }
                    // Also where a number is none.
                    let apart = (0..3).any(|k| of_a[0][k] > high[k] || of_a[1][k] < low[k]);
                    if !apart {
                        add(a as u32, b as u32);
                    }
                }
            }
            if matches!(shape, Shape::HalfSpace) {
                let up = placed.at.matrix().map(|row| row[1]);
                for (a, [low, high]) in boxes.iter().enumerate().take(self.plan.shapes.len()) {
                    if is_alone(a) || asleep(a) && !stirred {
                        continue;
                    }
                    let mut above = -placed.way;
                    for k in 0..3 {
                        let corner = if up[k] > 0.0 { low[k] } else { high[k] };
                        above += up[k] * (f64::from(corner) - placed.at.position[k]);
                    }
                    // Also where a number is none.
                    if above <= 0.0 || above.is_nan() {
                        add(a as u32, b as u32);
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
    }

    /// Whether anything that moves may come near a body that sleeps: near the box about all that moves.
    fn stirs_sleepers(&self, rows: &[BodyRow], movers: &[bool], asleep: &impl Fn(usize) -> bool) -> bool {
        let [mut low, mut high] = NO_BOX;
        for number in 0..self.count() {
            let row = self.row(number as u32) as usize;
            if !movers[row] {
                continue;
            }
            let shape = self.shape(number as u32);
            if matches!(shape, Shape::HalfSpace) {
                return true;
            }
            let [least, most] = bounds(shape, &self.placed(number, rows));
            for k in 0..3 {
                // What is no number meets nothing.
                low[k] = if least[k] < low[k] { least[k] } else { low[k] };
                high[k] = if most[k] > high[k] { most[k] } else { high[k] };
            }
        }
        (0..self.plan.shapes.len()).filter(|&number| asleep(number)).any(|number| {
            let placed = &self.plan.shapes[number];
            let body = &self.state.motions[placed.body as usize];
            // Twice its margin holds all of `bounds` of what begins at rest.
            let arm = length(placed.pose.position) + f64::from(placed.bound) + self.begins(placed.body as usize);
            let out = |k: usize| arm + f64::from(seidel_rigid::tuning::MARGIN) + 1e-6 * body.position[k].abs();
            (0..3).all(|k| {
                body.position[k] - out(k) <= f64::from(high[k]) && body.position[k] + out(k) >= f64::from(low[k])
            })
        })
    }

    /// How far a body may go in the step that is at rest at its start, metres.
    fn begins(&self, body: usize) -> f64 {
        let dt = f64::from(self.common.h) * f64::from(self.common.substeps);
        let g = length(self.common.gravity.map(f64::from)) * f64::from(self.plan.bodies[body].gravity_scale).abs();
        g * dt * dt
    }

    /// Whether two shapes may push each other at all; the first is a body's.
    fn meet(&self, a: u32, b: u32) -> bool {
        let shapes = &self.plan.shapes;
        let Some(first) = shapes.get(a as usize) else { return false };
        let off = self.common.off;
        if off.rigid[first.body as usize] {
            return false;
        }
        let one = &self.plan.bodies[first.body as usize];
        match shapes.get(b as usize) {
            Some(second) => {
                let other = &self.plan.bodies[second.body as usize];
                let (a, b) = (first.body, second.body);
                let is_off = off.rigid[b as usize];
                a != b
                    && !(is_off || one.sensor && other.sensor)
                    && !self.are_joined([a, b])
                    && one.filter.meets(other.filter)
                    && (one.inv_mass > 0.0 || other.inv_mass > 0.0)
            }
            None => {
                let collider = self.plan.colliders[b as usize - shapes.len()].collider;
                one.inv_mass > 0.0
                    && !off.colliders[collider as usize]
                    && one.filter.meets(self.common.plan.colliders[collider as usize].filter)
            }
        }
    }

    /// Whether a joint that has not broken keeps two bodies from colliding.
    fn are_joined(&self, bodies: [u32; 2]) -> bool {
        let joined = &self.plan.joined;
        let first = joined.partition_point(|(of, _)| *of < bodies);
        let of_both = joined[first..].iter().take_while(|(of, _)| *of == bodies);
        of_both.into_iter().any(|&(_, joint)| !self.state.joints[joint as usize].broken)
    }

    /// Where the shapes of each pair touch.
    fn manifolds(&self, crew: &mut Crew<'_>, search: &mut RigidSearch) {
        let RigidSearch { placed, pairs, firsts, manifolds, origins, islands, movers, todo, looked_at, woken, .. } =
            search;
        let known = (&**placed, &self.state.contacts[..]);
        let placed = &**placed;
        firsts.clear();
        firsts.push(0);
        let mut count = 0;
        for &[_, b] in &*pairs {
            count += if matches!(self.shape(b), Shape::Surface(_)) { PATCHES as u32 } else { 1 };
            firsts.push(count);
        }
        origins.resize(count as usize, Origin::Passing);
        if islands.is_empty() {
            manifolds.resize(count as usize, Manifold::NONE);
            todo.clear();
            todo.extend(0..pairs.len() as u32);
            self.look(crew, (pairs, firsts, todo), known, (manifolds, origins));
            return;
        }
        manifolds.clear();
        manifolds.resize(count as usize, Manifold::NONE);
        looked_at.clear();
        looked_at.resize(pairs.len(), false);
        // Pairs with something that moves; whom these wake, and its pairs; and so on.
        loop {
            todo.clear();
            for (pair, &[a, b]) in pairs.iter().enumerate() {
                if !looked_at[pair] && (movers[self.row(a) as usize] || movers[self.row(b) as usize]) {
                    looked_at[pair] = true;
                    todo.push(pair as u32);
                }
            }
            self.look(crew, (pairs, firsts, todo), known, (manifolds, origins));
            let awake = woken.len();
            for &pair in &*todo {
                let shapes = pairs[pair as usize];
                let of_pair = &manifolds[firsts[pair as usize] as usize..firsts[pair as usize + 1] as usize];
                let bodies = shapes.map(|shape| self.row(shape) as usize);
                let sleeps = |islands: &[u32], row: usize| islands.get(row).is_some_and(|island| *island != AWAKE);
                let Some(sleeper) = bodies.into_iter().find(|&row| sleeps(islands, row)) else { continue };
                if of_pair.iter().any(|manifold| may_touch(manifold, shapes, placed)) {
                    let island = islands[sleeper];
                    for (body, of) in islands.iter_mut().enumerate().filter(|(_, of)| **of == island) {
                        (*of, movers[body]) = (AWAKE, true);
                        woken.push(body as u32);
                    }
                }
            }
            if woken.len() == awake {
                break;
            }
        }
        woken.sort_unstable();
    }

    /// Finds where the shapes of some pairs touch, which ascend. `before` has manifolds that may last.
    pub(super) fn look(
        &self,
        crew: &mut Crew<'_>,
        (pairs, firsts, todo): (&[[u32; 2]], &[u32], &[u32]),
        (placed, before): (&[Placed], &[KeptContact]),
        (manifolds, origins): (&mut [Manifold], &mut [Origin]),
    ) {
        let (all, origins) = (Shared::new(manifolds), Shared::new(origins));
        self.common.each(crew, Phase::RigidSearch, todo.len().div_ceil(PAIRS), |block| {
            // SAFETY: a pair is once in the list, so its manifolds are this closure's alone.
            let of_pair = |pair: usize| unsafe {
                let (first, end) = (firsts[pair] as usize, firsts[pair + 1] as usize);
                all.part(first, end - first)
            };
            // SAFETY: as above.
            let origins_of = |pair: usize| unsafe {
                let (first, end) = (firsts[pair] as usize, firsts[pair + 1] as usize);
                origins.part(first, end - first)
            };
            // Boxes wait until there are sixteen pairs.
            let (mut boxes, mut waiting) = (CuboidPairs::default(), [0; BATCH]);
            let take = |boxes: &mut CuboidPairs, waiting: &[usize; BATCH]| {
                boxes.collide(self.common.isa, |lane, manifold| {
                    let pair = waiting[lane];
                    let to = &mut of_pair(pair)[0];
                    let mut manifold = *manifold;
                    self.by_distance(pairs[pair], placed, &mut manifold);
                    let manifold = &manifold;
                    match self.with_core(pairs[pair], placed, manifold) {
                        Some(with_core) => *to = with_core,
                        None => *to = *manifold,
                    }
                });
            };
            let some = &todo[block * PAIRS..];
            let mut at = before.partition_point(|kept| kept.shapes < pairs[some[0] as usize]);
            for pair in some.iter().take(PAIRS).map(|&pair| pair as usize) {
                let shapes = pairs[pair];
                origins_of(pair).fill(Origin::Passing);
                if shapes.iter().any(|&shape| self.plan.is_sensor(shape)) {
                    of_pair(pair).iter_mut().for_each(Manifold::clear);
                    continue;
                }
                let [a, b] = shapes.map(|number| &placed[number as usize]);
                let [shape_a, shape_b] = shapes.map(|number| self.shape(number));
                let reach = (a.way + b.way) as f32 + seidel_rigid::tuning::MARGIN;
                // Boxes meet more often than the balls about shapes that are as wide as they are long.
                if are_apart(a, b, reach) {
                    of_pair(pair).iter_mut().for_each(Manifold::clear);
                    continue;
                }
                if let Shape::Surface(surface) = shape_b {
                    let place = seen(&a.at, &b.at);
                    let mut found = meet(shape_a, surface, &place, reach);
                    let core = a.balls[1];
                    // A ball is its own core.
                    let ball = matches!(shape_a, Shape::Sphere { .. });
                    if core > 0.0 && !ball && a.thrown + b.thrown > FAST * f64::from(core) {
                        let of_core = meet(&Shape::Sphere { radius: core }, surface, &place, reach);
                        for manifold in &mut found {
                            *manifold = of_core.iter().fold(*manifold, |with, core| with.with_core(core, false));
                        }
                    }
                    of_pair(pair).copy_from_slice(&found);
                    continue;
                }
                let b_in_a = within(&a.at, &b.at);
                if shape_a.is_polyhedron() && shape_b.is_polyhedron() && self.fast_core(shapes, placed).is_none() {
                    while before.get(at).is_some_and(|kept| kept.shapes < shapes) {
                        at += 1;
                    }
                    let balls = [a.balls, b.balls];
                    let kept = before.get(at).filter(|kept| kept.shapes == shapes);
                    if let Some(manifold) =
                        kept.and_then(|kept| kept.lasting.manifold(kept.points.places(), &b_in_a, balls, reach))
                    {
                        (of_pair(pair)[0], origins_of(pair)[0]) = (manifold, Origin::Earlier);
                        continue;
                    }
                    origins_of(pair)[0] = Origin::Now { b_in_a, reach };
                }
                if let (Shape::Cuboid { half: half_a }, Shape::Cuboid { half: half_b }) = (shape_a, shape_b) {
                    waiting[boxes.count()] = pair;
                    let full = !boxes.push([*half_a, *half_b], &b_in_a, reach) || boxes.count() == BATCH;
                    if full {
                        take(&mut boxes, &waiting);
                    }
                    continue;
                }
                let to = &mut of_pair(pair)[0];
                collide_into(to, self.common.isa, [shape_a, shape_b], &b_in_a, reach);
                self.by_distance(shapes, placed, to);
                if let Some(with_core) = self.with_core(shapes, placed, to) {
                    *to = with_core;
                }
            }
            take(&mut boxes, &waiting);
        });
    }

    /// Solids of faces that pass each other: by their closest points. A pair that hardly moves needs none: nothing would
    /// stop it in front of what it does not touch.
    fn by_distance(&self, shapes: [u32; 2], placed: &[Placed], manifold: &mut Manifold) {
        let [a, b] = shapes.map(|number| &placed[number as usize]);
        let [shape_a, shape_b] = shapes.map(|number| self.shape(number));
        let (ways, margin) = ((a.way + b.way) as f32, seidel_rigid::tuning::MARGIN);
        if ways > margin && shape_a.is_polyhedron() && shape_b.is_polyhedron() {
            // A pair that is farther is found anew before it is near (`Lasts::passes`).
            let near = 4.0 * ways / self.common.substeps as f32;
            by_distance(manifold, [shape_a, shape_b], &within(&a.at, &b.at), [ways + margin, near]);
        }
    }

    /// A manifold with a point for the ball inside the faster shape, where that is fast.
    fn with_core(&self, shapes: [u32; 2], placed: &[Placed], manifold: &Manifold) -> Option<Manifold> {
        if manifold.count == 0 {
            return None;
        }
        let (core, second) = self.fast_core(shapes, placed)?;
        let [a, b] = shapes.map(|number| &placed[number as usize]);
        let [shape_a, shape_b] = shapes.map(|number| self.shape(number));
        let (ball, b_in_a) = (Shape::Sphere { radius: core }, within(&a.at, &b.at));
        let reach = (a.way + b.way) as f32 + seidel_rigid::tuning::MARGIN;
        let [one, other] = if second { [shape_a, &ball] } else { [&ball, shape_b] };
        Some(manifold.with_core(&collide(self.common.isa, one, other, &b_in_a, reach), second))
    }

    /// The radius of the ball inside the faster of two shapes, and whether that is the second; none where neither goes
    /// farther in the step than [`FAST`] radii of its ball.
    fn fast_core(&self, shapes: [u32; 2], placed: &[Placed]) -> Option<(f32, bool)> {
        let ways = shapes.map(|number| placed[number as usize].thrown);
        let cores = shapes.map(|number| placed[number as usize].balls[1]);
        // How far each goes, in radii of the ball inside it.
        let speed = |way: f64, core: f32| if core > 0.0 { way / f64::from(core) } else { 0.0 };
        let speeds = [speed(ways[0], cores[0]), speed(ways[1], cores[1])];
        let second = speeds[1] > speeds[0];
        let core = cores[usize::from(second)];
        // A ball is its own core.
        let is_ball = matches!(self.shape(shapes[usize::from(second)]), Shape::Sphere { .. });
        (core > 0.0 && !is_ball && speeds[usize::from(second)] > FAST).then_some((core, second))
    }

    /// The row of a shape's body or collider.
    pub(super) fn row(&self, number: u32) -> u32 {
        self.plan.row(number)
    }

    /// Whether two shapes share a point where they now are.
    pub(super) fn overlap(&self, shapes: [u32; 2], rows: &[BodyRow]) -> bool {
        let [a, b] = shapes.map(|number| self.placed(number as usize, rows));
        let [shape_a, shape_b] = shapes.map(|number| self.shape(number));
        let touches = |manifold: &Manifold| manifold.points().iter().any(|point| point.separation <= 0.0);
        match shape_b {
            Shape::Surface(surface) => meet(shape_a, surface, &seen(&a.at, &b.at), 0.0).iter().any(touches),
            shape => touches(&collide(self.common.isa, shape_a, shape, &within(&a.at, &b.at), 0.0)),
        }
    }

    /// Rows of both bodies of a contact.
    pub(super) fn bodies(&self, shapes: [u32; 2]) -> [u32; 2] {
        shapes.map(|number| self.row(number))
    }
}

/// A box that meets none.
const NO_BOX: [[f32; 3]; 2] = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];

/// A box around all places that a shape may come to in this step; empty of a half space.
fn bounds(shape: &Shape, placed: &Placed) -> [[f32; 3]; 2] {
    let Some(extent) = shape.extent(&placed.axes) else {
        return NO_BOX;
    };
    let at = placed.at.position;
    // Half of the margin each, and roundings of coordinates that are large.
    let pad = |k: usize| {
        f64::from(extent[k]) + placed.way + 0.5 * f64::from(seidel_rigid::tuning::MARGIN) + 1e-6 * at[k].abs()
    };
    [[0, 1, 2].map(|k| (at[k] - pad(k)) as f32), [0, 1, 2].map(|k| (at[k] + pad(k)) as f32)]
}

/// Where a frame is in another.
pub(crate) fn within(a: &Pose, b: &Pose) -> Transform {
    let rows = a.matrix();
    let d: [f64; 3] = std::array::from_fn(|k| b.position[k] - a.position[k]);
    let at = [0, 1, 2].map(|j| ((rows[0][j] * d[0] + rows[1][j] * d[1]) + rows[2][j] * d[2]) as f32);
    let [x, y, z, w] = a.rotation;
    let turned = Pose { position: [0.0; 3], rotation: product([-x, -y, -z, w], b.rotation) };
    Transform { axes: turned.axes(), at: V3::new(at[0], at[1], at[2]) }
}

/// Where a frame is in another, in f64.
pub(crate) fn seen(a: &Pose, b: &Pose) -> SurfacePlace {
    let relative = b.seen_from(a);
    let rows = relative.matrix();
    SurfacePlace::new([0, 1, 2].map(|k| rows.map(|row| row[k])), relative.position)
}

/// Whether the balls about two shapes are farther apart than `reach`; false where a number is none.
fn are_apart(a: &Placed, b: &Placed, reach: f32) -> bool {
    let near = f64::from(a.balls[0]) + f64::from(b.balls[0]) + f64::from(reach);
    let d: [f64; 3] = std::array::from_fn(|k| b.at.position[k] - a.at.position[k]);
    (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] > near * near * (1.0 + 1e-6)
}

fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}
