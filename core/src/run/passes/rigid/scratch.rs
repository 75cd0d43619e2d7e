//! Working memory of rigid bodies.

use super::coupled::CouplingScratch;
use super::find::{Origin, RigidSearch};
use super::paths::Sent;
use crate::describe::pose::Pose;
use crate::plan::rigid::Rigid as Plans;
use crate::run::passes::Drag;
use crate::run::rigid::{KeptContact, RigidState};
use seidel_kernels::BATCH;
use seidel_rigid::BodyRow;
use seidel_rigid::contact::Batch;
use seidel_rigid::joint::{Balls, Branches, JointRows, Joints, Motor, Pattern, Tree};
use seidel_rigid::manifold::Manifold;
use seidel_rigid::motion::{Locks, Mass, Pull, Start, Substep};
use std::ops::Range;

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct RigidScratch {
    pub(super) search: RigidSearch,
    pub(super) renewal: Renewal,
    /// Whether a manifold no longer holds.
    pub(super) any_stale: bool,
    /// Those that were kept in the step before.
    pub(super) contacts: Vec<KeptContact>,
    /// Bodies, then colliders, then one that does not move, then as many that nobody reads as blocks are solved at
    /// once.
    pub(super) rows: Vec<BodyRow>,
    /// Bodies on paths, ascending.
    pub(super) sent: Vec<Sent>,
    pub(super) starts: Vec<Start>,
    /// None of bodies that are frozen.
    pub(super) substeps: Vec<Option<Substep>>,
    /// The poses of colliders at the start of the step, and at its end.
    pub(crate) from: Vec<Pose>,
    pub(crate) to: Vec<Pose>,
    pub(super) batches: Vec<Batch>,
    pub(super) joints: JointScratch,
    pub(super) line: LineSearch,
    /// Bodies while they bounce.
    pub(super) held: Vec<Held>,
    /// Joints that the input gives a motor, ascending, with its place in the input, and the motors that they had.
    pub(crate) goals: Vec<(u32, u32, Motor)>,
    /// Whether each joint was led in the step before.
    pub(crate) was_led: Vec<bool>,
    /// Those of them whose targets go evenly.
    pub(super) aims: Vec<Aim>,
    pub(super) pushes: Vec<[[f64; 3]; 2]>,
    pub(super) loads: Vec<Load>,
    /// Inertia that bodies get beside their own, about principal axes; empty where none gets any.
    pub(super) taut: Vec<[f64; 3]>,
    /// Whether a joint pulls hard at each body; empty where none does.
    pub(super) is_taut: Vec<bool>,
    /// Whether a body was found to be no longer finite.
    pub(super) any_lost: bool,
    pub(super) drags: Vec<[Drag; 2]>,
    pub(super) coupling: CouplingScratch,
    /// Bodies that do not sleep, ascending.
    pub(super) awake: Vec<u32>,
    /// Whether a body gives way to nothing in this step: it sleeps or is frozen.
    pub(super) still: Vec<bool>,
    pub(super) islands: SleepScratch,
    pub(super) trees: TreeScratch,
    pub(super) events: EventScratch,
    /// Impulses of joints with particles in this substep, times the substep, kg m.
    pub(super) holds: Vec<[f64; 3]>,
}

impl RigidScratch {
    pub(crate) fn poison(&mut self) {
        let nan = [f32::NAN; 4];
        self.rows.fill(BodyRow { v: nan, w: nan, dx: nan, turn: nan, diagonal: nan, sides: nan, ..BodyRow::FIXED });
        self.starts.fill(Start { position: [f64::NAN; 3], rotation: [f64::NAN; 4] });
        self.substeps.fill(None);
        let nowhere = Pose { position: [f64::NAN; 3], rotation: [f64::NAN; 4] };
        self.sent.fill(Sent { body: u32::MAX, from: nowhere, way: [[f64::NAN; 3]; 2], end: nowhere });
        self.from.fill(nowhere);
        self.to.fill(nowhere);
        self.pushes.fill([[f64::NAN; 3]; 2]);
        self.loads.fill(Load::NOTHING);
        self.taut.fill([f64::NAN; 3]);
        self.is_taut.fill(true);
        self.any_lost = true;
        self.drags.fill([Drag { keep: f32::NAN, share: f32::NAN }; 2]);
        self.joints.poison();
        self.line.poison();
        let nowhere = [[f32::NAN; 3]; 2];
        self.held.fill(Held { body: u32::MAX, before: nowhere, after: nowhere });
        self.goals.fill((u32::MAX, u32::MAX, Motor::Off));
        self.was_led.fill(true);
        self.aims.clear();
        self.awake.fill(u32::MAX);
        self.still.fill(true);
        self.islands.poison();
        self.trees.poison();
        self.events.poison();
        self.holds.fill([f64::NAN; 3]);
        self.search.poison();
        self.renewal.poison();
        self.batches.iter_mut().for_each(Batch::poison);
        self.any_stale = true;
        self.contacts.clear();
        self.coupling.poison();
    }
}

/// Manifolds that are found anew.
#[derive(Debug, Default)]
pub(super) struct Renewal {
    /// For each batch which lanes, and those that have any.
    pub(super) stale: Vec<u16>,
    pub(super) batches: Vec<u32>,
    /// The shapes of these lanes' pairs, ascending, the first contact of each, and where its manifolds begin, with the
    /// last one's end; and the numbers of all.
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) contacts: Vec<u32>,
    pub(super) firsts: Vec<u32>,
    pub(super) todo: Vec<u32>,
    /// Whether each shape is of one.
    pub(super) shapes: Vec<bool>,
    /// Manifolds that were found; and for each contact of the step the place of its own, if it is listed.
    pub(super) manifolds: Vec<Manifold>,
    pub(super) origins: Vec<Origin>,
    pub(super) fresh: Vec<u32>,
}

impl Renewal {
    pub(super) fn poison(&mut self) {
        self.stale.fill(u16::MAX);
        self.batches.fill(u32::MAX);
        self.pairs.fill([u32::MAX; 2]);
        self.contacts.fill(u32::MAX);
        self.firsts.clear();
        self.todo.fill(u32::MAX);
        self.shapes.fill(true);
        self.manifolds.clear();
        self.origins.clear();
        self.fresh.fill(u32::MAX);
    }
}

/// The mass of a body in a step, and the forces and torques on it. Each substep reads those of all bodies, so they lie
/// together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) mass: Mass,
    pub(super) pull: Pull,
}

impl Load {
    pub(super) const NOTHING: Load = Load {
        mass: Mass {
            inv_mass: f64::NAN,
            inertia: [f64::NAN; 3],
            inv_inertia: [f64::NAN; 3],
            locks: Locks { translation: [true; 3], rotation: [true; 3] },
        },
        pull: Pull { acceleration: [f64::NAN; 3], torque: [f64::NAN; 3], keep: [f64::NAN; 2] },
    };
}

/// A motor whose target goes evenly through the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    pub(super) joint: u32,
    pub(super) from: f32,
    pub(super) to: f32,
    pub(super) limit: f32,
}

impl Aim {
    /// The motor as a substep ends, and how fast its target goes.
    pub(super) fn at(&self, substep: u32, (h, substeps): (f32, u32)) -> (Motor, f32) {
        let (way, share) = (self.to - self.from, (substep + 1) as f32 / substeps as f32);
        let target = if substep + 1 == substeps { self.to } else { self.from + way * share };
        (Motor::Position { target, limit: self.limit }, way / (h * substeps as f32))
    }
}

/// Pairs of rows that touch, ascending, and their impulses.
#[derive(Debug, Default)]
pub(super) struct EventScratch {
    pub(super) touching: Vec<([u32; 2], f32)>,
}

impl EventScratch {
    pub(super) fn poison(&mut self) {
        self.touching.fill(([u32::MAX; 2], f32::NAN));
    }
}

/// Joints that are awake, color after color.
#[derive(Debug, Default)]
pub(super) struct JointScratch {
    /// Balls without limits.
    pub(super) balls: Vec<Balls>,
    pub(super) of_balls: Listed<()>,
    /// All others that sweeps go over.
    pub(super) batches: Vec<Joints>,
    pub(super) of_batches: Listed<Pattern>,
    /// Numbers of those that are of trees, and where each color's are.
    pub(super) order: Vec<u32>,
    pub(super) of_others: Vec<Range<usize>>,
    /// In that order.
    pub(super) rows: Vec<JointRows>,
}

/// Numbers of joints, sixteen a batch, each batch of one kind.
#[derive(Debug, Default)]
pub(super) struct Listed<K> {
    pub(super) lanes: Vec<(K, [u32; BATCH])>,
    pub(super) of_color: Vec<Range<usize>>,
    /// The last batch of each kind in this color, and how many it has.
    open: Vec<(K, usize, usize)>,
}

/// A lane without a joint.
pub(super) const NO_JOINT: u32 = u32::MAX;

impl<K: Copy + PartialEq> Listed<K> {
    fn clear(&mut self) {
        self.lanes.clear();
        self.of_color.clear();
        self.open.clear();
    }

    fn add(&mut self, kind: K, number: u32) {
        let place = self.open.iter().position(|open| open.0 == kind).unwrap_or_else(|| {
            self.open.push((kind, 0, BATCH));
            self.open.len() - 1
        });
        let (_, batch, count) = &mut self.open[place];
        if *count == BATCH {
            (*batch, *count) = (self.lanes.len(), 0);
            self.lanes.push((kind, [NO_JOINT; BATCH]));
        }
        self.lanes[*batch].1[*count] = number;
        *count += 1;
    }

    fn end_color(&mut self) {
        self.open.clear();
        let first = self.of_color.last().map_or(0, |range| range.end);
        self.of_color.push(first..self.lanes.len());
    }
}

impl JointScratch {
    pub(super) fn poison(&mut self) {
        self.balls.clear();
        self.batches.clear();
        self.of_balls.clear();
        self.of_batches.clear();
        self.order.fill(u32::MAX);
        self.of_others.clear();
        self.rows.clear();
    }

    /// Lists joints whose bodies are awake, but for those that broke: of these only a tree knows. Joints of a color
    /// share no body that moves, so nobody sees in which order they are solved.
    pub(super) fn list(&mut self, plan: &Plans, state: &RigidState) {
        self.order.clear();
        self.of_balls.clear();
        self.of_batches.clear();
        self.of_others.clear();
        for of_color in &plan.colors {
            let first_other = self.order.len();
            for &number in of_color {
                let of = &plan.joints[number as usize];
                if of.joint.bodies.iter().any(|&body| state.sleep.is_asleep(body as usize)) {
                    continue;
                }
                if of.in_tree {
                    self.order.push(number);
                    continue;
                }
                if state.joints[number as usize].broken {
                    continue;
                }
                let (axis, motor) = (of.joint.driven_axis(), state.motors[number as usize]);
                if of.is_ball && motor == Motor::Off {
                    self.of_balls.add((), number);
                } else if motor == of.joint.axes[axis].motor {
                    self.of_batches.add(of.pattern, number);
                } else {
                    self.of_batches.add(of.joint.with_motor(axis, motor).pattern(), number);
                }
            }
            self.of_balls.end_color();
            self.of_batches.end_color();
            self.of_others.push(first_other..self.order.len());
        }
    }
}

/// Sets of bodies, while they are united.
#[derive(Debug, Default)]
pub(super) struct Sets {
    /// A body of the same set with a lower number, or itself.
    parents: Vec<u32>,
}

impl Sets {
    fn poison(&mut self) {
        self.parents.fill(u32::MAX);
    }

    /// Each of so many bodies is one.
    pub(super) fn begin(&mut self, bodies: usize) {
        self.parents.clear();
        self.parents.extend(0..bodies as u32);
    }

    /// The lowest body of a set.
    pub(super) fn root(&mut self, mut body: u32) -> u32 {
        while self.parents[body as usize] != body {
            let above = self.parents[self.parents[body as usize] as usize];
            self.parents[body as usize] = above;
            body = above;
        }
        body
    }

    pub(super) fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.parents[high as usize] = low;
    }
}

/// Islands that may sleep.
#[derive(Debug, Default)]
pub(super) struct SleepScratch {
    pub(super) sets: Sets,
    /// Of the lowest body of an island: whether something holds it, and whether something keeps it awake.
    pub(super) held: Vec<bool>,
    pub(super) busy: Vec<bool>,
}

impl SleepScratch {
    pub(super) fn poison(&mut self) {
        self.sets.poison();
        self.held.fill(true);
        self.busy.fill(true);
    }
}

/// A body's velocities, linear and angular, without what was done to it in this substep, and with it (bounces.rs).
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) body: u32,
    pub(super) before: [[f32; 3]; 2],
    pub(super) after: [[f32; 3]; 2],
}

/// Groups of bodies that push each other (line_search.rs).
#[derive(Debug, Default)]
pub(super) struct LineSearch {
    pub(super) sets: Sets,
    /// Of the lowest body of each set how many it has.
    pub(super) sizes: Vec<u32>,
    /// Of each body whether a joint holds it.
    pub(super) jointed: Vec<bool>,
    /// Bodies of which groups may be made, ascending, and their contacts: batch and lane.
    pub(super) bodies: Vec<u32>,
    pub(super) contacts: Vec<[u32; 2]>,
    /// Of the lowest body of each group: whether any of it is pushed hard; what impulses take of its motion, and twice
    /// the energy that they have given it, J.
    pub(super) pushed: Vec<bool>,
    pub(super) work: Vec<[f64; 2]>,
    /// Of each body that of its group.
    pub(super) shares: Vec<f32>,
}

impl LineSearch {
    pub(super) fn poison(&mut self) {
        self.sets.poison();
        self.sizes.fill(u32::MAX);
        self.jointed.fill(false);
        self.bodies.fill(u32::MAX);
        self.contacts.fill([u32::MAX; 2]);
        self.pushed.fill(true);
        self.work.fill([f64::NAN; 2]);
        self.shares.fill(f32::NAN);
    }
}

/// A joint that sleeps.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Trees of joints.
#[derive(Debug, Default)]
pub(super) struct TreeScratch {
    pub(super) trees: Vec<Tree>,
    /// Where each joint of the plan is among those that are awake.
    pub(super) places: Vec<u32>,
}

impl TreeScratch {
    pub(super) fn poison(&mut self) {
        self.trees.iter_mut().for_each(Tree::poison);
        self.places.fill(NOWHERE);
    }

    /// Begins a step with the joints that are awake, in their order.
    pub(super) fn prepare(&mut self, plan: &Plans, order: &[u32], joints: &mut [JointRows]) {
        let forest = &plan.forest.trees;
        if forest.is_empty() {
            return;
        }
        let known = |(tree, of): (&Tree, &Branches)| tree.is_of(of.bodies.len(), &of.links);
        if self.trees.len() != forest.len() || !self.trees.iter().zip(forest).all(known) {
            self.trees = forest.iter().map(|of| Tree::new(of.bodies.len(), of.links.clone())).collect();
        }
        self.places.clear();
        self.places.resize(plan.joints.len(), NOWHERE);
        for (at, (&number, joint)) in order.iter().zip(joints).enumerate() {
            self.places[number as usize] = at as u32;
            if plan.joints[number as usize].in_tree {
                joint.leave_to_tree();
            }
        }
    }
}
