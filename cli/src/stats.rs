//! Figures of a run: what the table shows and `--stats` writes.

use std::fmt;
use std::time::Duration;

use seidel::kernels::Kind;
use seidel::{
    Error, FluidFigures, FluidLook, GrainFigures, Method, PairCounts, Plan, Report, RigidJointId, State, Substeps,
    Tangle, kinds,
};
use serde::{Deserialize, Serialize, Serializer};

use crate::events::{Broken, BrokenJoints, Events};
use crate::inside::{Deepest, Inside, Solid, TOLD_DEPTH};
use crate::intersections::Check;
use crate::motors::Motors;
use crate::overlaps::{self, DEEP_OVERLAP};

/// Figures of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Stats {
    pub(crate) scene: String,
    pub(crate) frames: u32,
    pub(crate) particles: usize,
    /// Where the zero of coordinates is in the world, metres, if it is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<[f64; 3]>,
    /// Rigid bodies; of a file of the PositionBasedDynamics library all of its `RigidBodies`.
    pub(crate) bodies: usize,
    /// Joints of rigid bodies by their kinds; `particle` with a vertex.
    #[serde(serialize_with = "as_map")]
    pub(crate) joints: Vec<(String, usize)>,
    /// Paths of keys of the scene's file that nobody knows.
    pub(crate) unknown_keys: Vec<String>,
    #[serde(serialize_with = "as_map")]
    pub(crate) constraints: Vec<(String, usize)>,
    /// Sets of independent constraints that follow one another: colors, or in lattices wavefronts.
    #[serde(serialize_with = "as_map")]
    pub(crate) colors: Vec<(String, usize)>,
    /// gauss-seidel or jacobi, and the factor on Jacobi's averages.
    pub(crate) solver: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) relaxation: Option<f32>,
    pub(crate) substeps: u32,
    /// Those that bodies take of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) own_substeps: Vec<u32>,
    /// Whether they were chosen when the scene was planned.
    pub(crate) auto_substeps: bool,
    pub(crate) iterations: u32,
    pub(crate) threads: usize,
    pub(crate) isa: String,
    /// To make the scene: meshes, distance fields.
    pub(crate) build_ms: f64,
    pub(crate) plan_ms: f64,
    /// To settle before the first frame.
    pub(crate) settle_ms: f64,
    /// To look for what begins wrong (warnings), and for bodies that go through each other at the end.
    pub(crate) warnings_ms: f64,
    pub(crate) tangled_ms: f64,
    pub(crate) frame_ms: Spread,
    #[serde(serialize_with = "as_map")]
    pub(crate) stage_ms: Vec<(String, Spread)>,
    /// The parts of contacts that took any time.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub(crate) contact_ms: Vec<(String, Spread)>,
    /// The parts of fluids, if there are any.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub(crate) fluid_ms: Vec<(String, Spread)>,
    /// Measuring a frame: stretch, penetration, energies for a plot, intersections if they are checked. No part of
    /// `frame_ms`.
    pub(crate) measure_ms: Spread,
    /// Writing a frame, if there are files. No part of `frame_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) write_ms: Option<Spread>,
    /// Seconds that a frame stands for.
    pub(crate) frame_s: f64,
    pub(crate) max_stretch: Option<f32>,
    /// In the last frame.
    pub(crate) end_stretch: Option<f32>,
    /// The same of the edges of elements, which have no rows with lengths: of solids and of continuous fabrics, if
    /// there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_element_stretch: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_element_stretch: Option<f32>,
    pub(crate) max_penetration: f32,
    /// The body that was deepest in a collider's surface, thicknesses aside, of those that were deeper than at the
    /// start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) in_collider: Option<Inside>,
    /// Of vertices of deformable bodies in rigid bodies, if there are both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_rigid_penetration: Option<f32>,
    /// The vertex that was deepest in a rigid body's surface, thicknesses aside, of bodies that were deeper than at the
    /// start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) in_rigid: Option<Inside>,
    /// Of surfaces that are shown in place of tetrahedra, if there are any: in colliders and in other bodies, and other
    /// bodies in them.
    pub(crate) shown_penetration: Option<f32>,
    /// Contacts with colliders in the last substep of the last frame.
    pub(crate) contacts: u32,
    /// Of the last substep of every frame: with colliders, of bodies with themselves and each other, of rigid bodies
    /// and of grains, all together.
    pub(crate) all_contacts: u64,
    /// Those of them that are rigid bodies': with each other and with colliders, and with what is deformable.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) rigid_contacts: u64,
    /// Frames in which a particle or a rigid body was lost (not finite), and whether that ended the run.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) lost_frames: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stopped: bool,
    /// Vertices that were split where cloth tore or was cut, and what was refused because no copies were left.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) torn: u64,
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) tears_refused: u64,
    /// Rows of constraints that have broken by fatigue, in the last frame.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) broken_rows: u64,
    /// Joints of rigid bodies that broke: how many, and the first of them.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) broken_joint_count: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) broken_joints: Vec<Broken>,
    /// Contacts and sensors of rigid bodies, where a body asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) events: Option<Events>,
    /// Of bodies with themselves and each other, where they collide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pairs: Option<Pairs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fluid: Option<FluidStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) grains: Option<GrainStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rigid: Option<RigidStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) intersections: Option<Check>,
    /// Bodies that collide and go through each other at the end, if any do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tangled: Vec<Tangled>,
    pub(crate) state_hash: String,
}

/// How fluids were doing: in the last frame, and frame by frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FluidStats {
    /// Particles that are there.
    pub(crate) particles: usize,
    /// By how much they are denser than at rest, a share of it: on the average of all, and the most.
    pub(crate) density_error_mean: f64,
    pub(crate) density_error_max: f64,
    /// Particles whose numbers were not finite.
    pub(crate) lost: usize,
    /// Joules.
    pub(crate) kinetic_energy: f64,
    /// Of the whole run: particles that emitters gave, and that drains took.
    #[serde(default)]
    pub(crate) born: u64,
    #[serde(default)]
    pub(crate) drained: u64,
    /// Those that emitters could not give: all of the fluid's were there already, or there was no room.
    #[serde(default)]
    pub(crate) full: u64,
    #[serde(default)]
    pub(crate) blocked: u64,
    pub(crate) by_frame: FluidFrames,
}

/// The same of every frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FluidFrames {
    particles: Vec<usize>,
    pub(crate) density_error_mean: Vec<f64>,
    pub(crate) density_error_max: Vec<f64>,
    kinetic_energy: Vec<f64>,
}

impl FluidStats {
    fn add(&mut self, of: &FluidFigures) {
        (self.particles, self.lost) = (of.particles, of.lost);
        (self.density_error_mean, self.density_error_max) = (of.density_error_mean, of.density_error_max);
        self.kinetic_energy = of.kinetic_energy;
        let frames = &mut self.by_frame;
        frames.particles.push(of.particles);
        frames.density_error_mean.push(of.density_error_mean);
        frames.density_error_max.push(of.density_error_max);
        frames.kinetic_energy.push(of.kinetic_energy);
    }
}

/// How grains were doing: in the last frame, and frame by frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct GrainStats {
    /// Grains that are there.
    pub(crate) particles: usize,
    /// Pairs that touch.
    pub(crate) contacts: usize,
    /// Joules.
    pub(crate) kinetic_energy: f64,
    /// Metres.
    pub(crate) deepest_overlap: f64,
    /// As of fluids.
    #[serde(default)]
    pub(crate) born: u64,
    #[serde(default)]
    pub(crate) drained: u64,
    #[serde(default)]
    pub(crate) full: u64,
    #[serde(default)]
    pub(crate) blocked: u64,
    pub(crate) by_frame: GrainFrames,
}

/// The same of every frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct GrainFrames {
    particles: Vec<usize>,
    contacts: Vec<usize>,
    kinetic_energy: Vec<f64>,
    pub(crate) deepest_overlap: Vec<f64>,
}

impl GrainStats {
    fn add(&mut self, of: &GrainFigures) {
        (self.particles, self.contacts) = (of.particles, of.contacts);
        (self.kinetic_energy, self.deepest_overlap) = (of.kinetic_energy, of.deepest_overlap);
        let frames = &mut self.by_frame;
        frames.particles.push(of.particles);
        frames.contacts.push(of.contacts);
        frames.kinetic_energy.push(of.kinetic_energy);
        frames.deepest_overlap.push(of.deepest_overlap);
    }
}

/// Of the least side of a body: what is as deep in it may come out on the other side.
const THROUGH: f64 = 0.8;

/// Rigid bodies ([`seidel::RigidFigures`]) in the last frame, and frame by frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RigidStats {
    pub(crate) bodies: usize,
    pub(crate) asleep: usize,
    pub(crate) lost: usize,
    pub(crate) contacts: usize,
    pub(crate) joints: usize,
    /// Metres.
    pub(crate) deepest_overlap: f64,
    pub(crate) joint_gap: f64,
    /// The number and the name of the joint that has it.
    #[serde(skip)]
    pub(crate) widest: Option<usize>,
    pub(crate) widest_joint: Option<String>,
    /// Rad.
    pub(crate) joint_bend: f64,
    /// The number and the name of the joint that has it.
    #[serde(skip)]
    pub(crate) most_bent: Option<usize>,
    pub(crate) most_bent_joint: Option<String>,
    /// The widest joint of the last frame before the first body was lost, and its position error then.
    #[serde(skip)]
    pub(crate) flung: Option<(String, f64)>,
    /// The deepest overlap of a frame that is nearly all of the thinner body.
    #[serde(skip)]
    pub(crate) sunk: Option<Sunk>,
    /// Joules.
    kinetic_energy: f64,
    #[serde(default, skip_serializing_if = "Motors::is_empty")]
    pub(crate) motors: Motors,
    pub(crate) by_frame: RigidFrames,
}

/// Two bodies, or a body and a collider, that were in each other: who, in which frame, metres, and the share of the
/// least side of the thinner.
#[derive(Clone, Debug)]
pub(crate) struct Sunk {
    pub(crate) pair: String,
    pub(crate) frame: usize,
    pub(crate) depth: f64,
    pub(crate) share: f64,
}

/// The same of every frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RigidFrames {
    bodies: Vec<usize>,
    asleep: Vec<usize>,
    contacts: Vec<usize>,
    joints: Vec<usize>,
    pub(crate) deepest_overlap: Vec<f64>,
    pub(crate) joint_gap: Vec<f64>,
    pub(crate) joint_bend: Vec<f64>,
    kinetic_energy: Vec<f64>,
}

impl RigidStats {
    fn add(&mut self, plan: &Plan, state: &State) {
        let of = &state.rigid_figures(plan);
        self.motors.add(plan, state);
        if of.lost > 0 && self.lost == 0 {
            self.flung = self.widest_joint.take().map(|name| (name, self.joint_gap));
        }
        (self.bodies, self.asleep, self.lost) = (of.bodies, of.asleep, of.lost);
        (self.contacts, self.joints) = (of.contacts, of.joints);
        (self.deepest_overlap, self.joint_gap) = (of.deepest_overlap, of.joint_gap);
        self.widest = of.widest_joint.map(RigidJointId::index);
        self.widest_joint = of.widest_joint.map(|joint| plan.rigid_joint_name(joint).to_owned());
        self.joint_bend = of.joint_bend;
        self.most_bent = of.most_bent_joint.map(RigidJointId::index);
        self.most_bent_joint = of.most_bent_joint.map(|joint| plan.rigid_joint_name(joint).to_owned());
        self.kinetic_energy = of.kinetic_energy;
        let frames = &mut self.by_frame;
        let before = self.sunk.as_ref().map_or(DEEP_OVERLAP, |sunk| sunk.depth);
        if of.deepest_overlap > before
            && let Some(deepest) = overlaps::deepest_overlap(plan, state, THROUGH)
            && deepest.depth > before
        {
            let (depth, share, frame) = (deepest.depth, deepest.share, frames.bodies.len() + 1);
            self.sunk = overlaps::pair(plan, &deepest).map(|pair| Sunk { pair, frame, depth, share });
        }
        frames.bodies.push(of.bodies);
        frames.asleep.push(of.asleep);
        frames.contacts.push(of.contacts);
        frames.joints.push(of.joints);
        frames.deepest_overlap.push(of.deepest_overlap);
        frames.joint_gap.push(of.joint_gap);
        frames.joint_bend.push(of.joint_bend);
        frames.kinetic_energy.push(of.kinetic_energy);
    }
}

/// Two bodies that go through each other.
#[derive(Debug, Serialize)]
pub(crate) struct Tangled {
    pub(crate) bodies: [String; 2],
    /// Pairs of triangles, and of a rope's edge and a triangle.
    pub(crate) triangles: usize,
    pub(crate) edges: usize,
}

impl Tangled {
    /// Those of a state.
    ///
    /// # Errors
    /// If there are too many to look for.
    pub(crate) fn all(plan: &Plan, state: &State) -> Result<Vec<Tangled>, Error> {
        let of = |tangle: Tangle| Tangled {
            bodies: tangle.bodies.map(|body| plan.body_name(body).to_owned()),
            triangles: tangle.triangles,
            edges: tangle.edges,
        };
        Ok(plan.tangles(state)?.into_iter().map(of).collect())
    }
}

impl fmt::Display for Tangled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b], pairs) = (&self.bodies, self.triangles + self.edges);
        match a == b {
            true => write!(f, "parts of body `{a}` go through each other at the end")?,
            false => write!(f, "bodies `{a}` and `{b}` go through each other at the end")?,
        }
        write!(f, " ({pairs} pairs of triangles or edges)")
    }
}

/// Pairs of features that touch.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pairs {
    /// Contacts in the last sweep of the last frame, and the most of any frame's.
    pub(crate) contacts: u32,
    pub(crate) most_contacts: u32,
    /// Those of the last sweep by kind.
    pub(crate) point_triangle: u32,
    pub(crate) edge_edge: u32,
    /// Pairs that were watched at a time: the most.
    pub(crate) most_candidates: u32,
    /// Lists of pairs made, clamped particles, and searches that overflowed: sums over frames.
    pub(crate) lists: u64,
    pub(crate) clamped: u64,
    /// Contacts that an obstacle or pin left violated: pairs that crossed, and particles pressed into colliders.
    pub(crate) unresolved: u64,
    pub(crate) overflowed: u64,
}

impl Pairs {
    fn add(&mut self, of: &PairCounts) {
        self.contacts = of.contacts;
        (self.point_triangle, self.edge_edge) = (of.contacts - of.edges, of.edges);
        self.most_contacts = self.most_contacts.max(of.contacts);
        self.most_candidates = self.most_candidates.max(of.candidates);
        self.lists += u64::from(of.lists);
        self.clamped += u64::from(of.clamped);
        self.unresolved += u64::from(of.unresolved);
        self.overflowed += u64::from(of.overflowed);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_none(contacts: &u64) -> bool {
    *contacts == 0
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Smallest, middle, 99th percentile and largest of some times, ms.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        // The nearest rank: the smallest value that this share of all does not exceed.
        let rank = |share: f64| values[((share * values.len() as f64).ceil() as usize).clamp(1, values.len()) - 1];
        if values.is_empty() {
            return Spread::default();
        }
        Spread { min: rank(0.0), median: rank(0.5), p99: rank(0.99), max: rank(1.0) }
    }
}

fn as_map<S: Serializer, T: Serialize>(entries: &[(String, T)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(k, v)| (k, v)))
}

/// Figures frame by frame; in the file of a run that was interrupted, too.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    frames: Vec<f64>,
    stages: [Vec<f64>; 3],
    fluids: [Vec<f64>; 2],
    #[serde(skip)]
    look: FluidLook,
    fluid: FluidStats,
    grains: GrainStats,
    rigid: RigidStats,
    /// Of the parts of contacts, by their names.
    parts: Vec<(String, Vec<f64>)>,
    measuring: Vec<f64>,
    writing: Vec<f64>,
    pub(crate) max_stretch: f32,
    pub(crate) end_stretch: f32,
    /// Of edges of elements: the most, and in the last frame.
    #[serde(default)]
    element_stretch: [f32; 2],
    pub(crate) max_penetration: f32,
    /// In the surfaces of colliders and of rigid bodies; of the latter the deepest with its thickness, too.
    #[serde(default)]
    in_colliders: Deepest,
    #[serde(default)]
    in_rigids: Deepest,
    #[serde(default)]
    max_rigid_penetration: Option<f32>,
    shown_penetration: Option<f32>,
    pub(crate) contacts: u32,
    all_contacts: u64,
    rigid_contacts: u64,
    lost_frames: u64,
    stopped: bool,
    torn: u64,
    tears_refused: u64,
    #[serde(default)]
    broken_rows: u64,
    #[serde(default)]
    pub(crate) broken_joints: BrokenJoints,
    /// If a body asks for them.
    #[serde(default)]
    pub(crate) events: Option<Events>,
    pairs: Pairs,
    pub(crate) intersections: Option<Check>,
}

/// The stages that have parts.
pub(crate) const CONTACTS: &str = "contacts";
pub(crate) const FLUIDS: &str = "fluids";
const STAGES: [&str; 3] = ["motion", "constraints", CONTACTS];

impl Record {
    /// The figures of a run that was interrupted after so many frames, if they can be read.
    pub(crate) fn of_interrupted(figures: Option<&serde_json::Value>, frames: u32) -> Option<Record> {
        let record: Record = serde_json::from_value(figures?.clone()).ok()?;
        (record.count() == frames).then_some(record)
    }

    /// Looks for intersections in each frame that comes; those before it were looked at, too, if they are known.
    pub(crate) fn and_looking(&mut self) {
        self.intersections.get_or_insert_default();
    }

    /// Adds a step: its times and contacts.
    pub(crate) fn step(&mut self, whole: Duration, report: &Report) {
        self.frames.push(ms(whole));
        let times = &report.times;
        let stages = [times.motion, times.constraints, times.contacts];
        for (all, time) in self.stages.iter_mut().zip(stages) {
            all.push(ms(time));
        }
        for (all, time) in self.fluids.iter_mut().zip([times.fluids, times.fluid_lists]) {
            all.push(ms(time));
        }
        let parts = times.contact_parts;
        if self.parts.is_empty() {
            self.parts.extend(parts.parts().map(|(name, _)| (name.to_owned(), Vec::new())));
        }
        for ((_, all), (_, time)) in self.parts.iter_mut().zip(parts.parts()) {
            all.push(ms(time));
        }
        self.contacts = report.contacts;
        let rigid = u64::from(report.rigid_contacts) + u64::from(report.rigid_particle_contacts);
        let others = [report.contacts, report.pairs.contacts, report.grain_contacts].map(u64::from);
        self.rigid_contacts += rigid;
        self.lost_frames += u64::from(report.lost.is_some() || report.lost_rigid.is_some());
        self.stopped |= report.stopped;
        self.all_contacts += rigid + others.iter().sum::<u64>();
        self.torn += report.torn.len() as u64;
        self.tears_refused += u64::from(report.tears_refused);
        self.fluid.born += u64::from(report.fluid_born);
        self.fluid.drained += u64::from(report.fluid_drained);
        self.fluid.full += u64::from(report.fluid_full);
        self.fluid.blocked += u64::from(report.fluid_blocked);
        self.grains.born += u64::from(report.grain_born);
        self.grains.drained += u64::from(report.grain_drained);
        self.grains.full += u64::from(report.grain_full);
        self.grains.blocked += u64::from(report.grain_blocked);
        self.pairs.add(&report.pairs);
    }

    /// Adds the time of a frame's measurements.
    pub(crate) fn measuring(&mut self, time: Duration) {
        self.measuring.push(ms(time));
    }

    /// Adds the time of writing a frame into all files.
    pub(crate) fn writing(&mut self, time: Duration) {
        self.writing.push(ms(time));
    }

    /// Number of frames so far.
    pub(crate) fn count(&self) -> u32 {
        self.frames.len() as u32
    }

    /// Takes how deep the shown surfaces of a frame are.
    pub(crate) fn shown(&mut self, penetration: Option<f32>) {
        self.shown_penetration = penetration.map(|depth| depth.max(self.shown_penetration.unwrap_or(0.0)));
    }

    /// Adds measurements of the state after a step.
    pub(crate) fn measured(&mut self, plan: &Plan, state: &State) {
        let (stretch, penetration) = (plan.max_stretch(state), plan.max_penetration(state));
        self.max_stretch = self.max_stretch.max(stretch);
        self.end_stretch = stretch;
        self.max_penetration = self.max_penetration.max(penetration);
        self.measured_in_rigid(plan, state);
        if penetration < TOLD_DEPTH {
            return;
        }
        self.in_colliders.add(self.all_in_colliders(plan, state));
    }

    /// Adds how deep vertices are in rigid bodies.
    fn measured_in_rigid(&mut self, plan: &Plan, state: &State) {
        let Some(depth) = plan.max_rigid_penetration(state) else { return };
        self.max_rigid_penetration = Some(depth.max(self.max_rigid_penetration.unwrap_or(0.0)));
        if depth < TOLD_DEPTH {
            return;
        }
        self.in_rigids.add(self.all_in_rigids(plan, state));
    }

    /// Takes how deep bodies begin in colliders, and in rigid bodies.
    pub(crate) fn begins(&mut self, plan: &Plan, state: &State) {
        self.in_colliders.begins = self.all_in_colliders(plan, state);
        self.in_rigids.begins = self.all_in_rigids(plan, state);
    }

    fn all_in_rigids(&self, plan: &Plan, state: &State) -> Vec<Inside> {
        let found = plan.rigid_penetrations(state).into_iter().map(|found| Inside {
            frame: self.count().saturating_sub(1),
            depth: found.depth,
            body: plan.body_name(found.body).to_owned(),
            vertex: Some(found.vertex),
            solid: Solid::Rigid(plan.rigid_name(found.rigid).to_owned()),
        });
        found.collect()
    }

    fn all_in_colliders(&self, plan: &Plan, state: &State) -> Vec<Inside> {
        let found = plan.penetrations(state).into_iter().map(|found| Inside {
            frame: self.count().saturating_sub(1),
            depth: found.depth,
            body: plan.body_name(found.body).to_owned(),
            vertex: None,
            solid: Solid::Collider(plan.collider_name(found.collider).to_owned()),
        });
        found.collect()
    }

    /// Adds the stretch of elements' edges after a step; 0 where there are none.
    pub(crate) fn elements(&mut self, stretch: f32) {
        self.element_stretch = [self.element_stretch[0].max(stretch), stretch];
    }

    /// Takes how fluids, grains and rigid bodies are doing, if there are any, and what has broken.
    pub(crate) fn flowing(&mut self, plan: &Plan, state: &State) {
        self.broken_rows = plan.broken_rows(state, None) as u64;
        if plan.grains().next().is_some() {
            self.grains.add(&state.grain_figures(plan));
        }
        if plan.rigid_bodies() > 0 {
            self.rigid.add(plan, state);
        }
        if plan.fluids().next().is_some() {
            let figures = self.look(plan, state).figures(plan, state);
            self.fluid.add(&figures);
        }
    }

    /// Searches the neighbours of fluids, if there are any; [`Record::looked`] has them from then on.
    pub(crate) fn look(&mut self, plan: &Plan, state: &State) -> &FluidLook {
        if plan.fluids().next().is_some() {
            self.look.read(plan, state);
        }
        &self.look
    }

    /// The neighbours that the last search has found.
    pub(crate) fn looked(&self) -> &FluidLook {
        &self.look
    }

    /// Everything together.
    pub(crate) fn stats(self, plan: &Plan) -> Stats {
        // Families of one kind in PBD and XPBD count together.
        let mut constraints: Vec<(String, usize)> = Vec::new();
        let mut colors: Vec<(String, usize)> = Vec::new();
        for (kind, rows, n) in plan.families() {
            for (list, count) in [(&mut constraints, rows), (&mut colors, n)] {
                match list.iter_mut().find(|(name, _)| name == kind) {
                    Some((_, sum)) => *sum += count,
                    None => list.push((kind.to_owned(), count)),
                }
            }
        }
        // What `Plan::max_stretch` finds a stretch of.
        let has_length =
            |of: &Kind| of.params().first().is_some_and(|p| p.name == "length") || of.is(&kinds::STRETCH_SHEAR);
        let lengths = plan.families().any(|(name, ..)| kinds::KINDS.iter().any(|k| k.name() == name && has_length(k)));
        let settings = plan.settings();
        let relaxation = match settings.method {
            Method::Jacobi { relaxation } => Some(relaxation),
            _ => None,
        };
        let has_fluids = plan.fluids().next().is_some();
        let mut stages: Vec<_> = STAGES.iter().map(|s| (*s).to_owned()).zip(self.stages.map(Spread::of)).collect();
        let [fluids, lists] = self.fluids.map(Spread::of);
        let mut fluid_parts = Vec::new();
        if has_fluids {
            stages.push((FLUIDS.to_owned(), fluids));
            fluid_parts.push(("fluid_lists".to_owned(), lists));
        }
        let parts = self.parts.into_iter().map(|(name, times)| (name, Spread::of(times)));
        Stats {
            scene: String::new(),
            frames: self.frames.len() as u32,
            particles: plan.particles(),
            origin: None,
            bodies: 0,
            joints: Vec::new(),
            unknown_keys: Vec::new(),
            constraints,
            colors,
            solver: settings.method.name(),
            relaxation,
            substeps: plan.substeps(),
            own_substeps: plan.levels().iter().copied().filter(|&own| own != plan.substeps()).collect(),
            auto_substeps: settings.substeps == Substeps::Auto,
            iterations: settings.iterations,
            threads: 1,
            isa: String::new(),
            build_ms: 0.0,
            plan_ms: 0.0,
            settle_ms: 0.0,
            warnings_ms: 0.0,
            tangled_ms: 0.0,
            frame_ms: Spread::of(self.frames),
            stage_ms: stages,
            contact_ms: parts.filter(|(_, spread)| spread.max > 0.0).collect(),
            fluid_ms: fluid_parts,
            measure_ms: Spread::of(self.measuring),
            write_ms: Some(self.writing).filter(|times| !times.is_empty()).map(Spread::of),
            frame_s: 0.0,
            max_stretch: lengths.then_some(self.max_stretch),
            end_stretch: lengths.then_some(self.end_stretch),
            max_element_stretch: Some(self.element_stretch[0]).filter(|most| *most > 0.0),
            end_element_stretch: Some(self.element_stretch[1]).filter(|_| self.element_stretch[0] > 0.0),
            max_penetration: self.max_penetration,
            in_collider: self.in_colliders.found,
            max_rigid_penetration: self.max_rigid_penetration,
            in_rigid: self.in_rigids.found,
            shown_penetration: self.shown_penetration,
            contacts: self.contacts,
            all_contacts: self.all_contacts,
            rigid_contacts: self.rigid_contacts,
            lost_frames: self.lost_frames,
            stopped: self.stopped,
            torn: self.torn,
            tears_refused: self.tears_refused,
            broken_rows: self.broken_rows,
            broken_joint_count: self.broken_joints.count,
            broken_joints: self.broken_joints.first,
            events: self.events,
            pairs: Some(self.pairs).filter(|pairs| pairs.lists > 0 || pairs.overflowed > 0),
            fluid: has_fluids.then_some(self.fluid),
            grains: plan.grains().next().is_some().then_some(self.grains),
            rigid: (plan.rigid_bodies() > 0).then_some(self.rigid),
            intersections: self.intersections,
            tangled: Vec::new(),
            state_hash: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of a run that is interrupted are read as they were written, with the keys that `--stats` has.
    #[test]
    fn what_is_inside_reads_as_it_is_written() {
        let all = [(None, Solid::Collider("ball".to_owned())), (Some(7), Solid::Rigid("box".to_owned()))];
        for (vertex, solid) in all {
            let inside = Inside { frame: 3, depth: 0.1, body: "sheet".to_owned(), vertex, solid };
            let record = Record { in_rigids: Deepest { begins: Vec::new(), found: Some(inside) }, ..Record::default() };
            let value = serde_json::to_value(&record).unwrap();
            let key = if vertex.is_some() { "rigid" } else { "collider" };
            let found = &value["in_rigids"]["found"];
            assert!(found[key].is_string() && found["vertex"].as_u64() == vertex.map(u64::from), "{found}");
            let read = Record::of_interrupted(Some(&value), 0).unwrap().in_rigids.found.unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), *found);
        }
    }

    #[test]
    fn ranks_are_the_nearest() {
        let s = Spread::of((1..=100).rev().map(f64::from).collect());
        assert_eq!((s.min, s.median, s.p99, s.max), (1.0, 50.0, 99.0, 100.0));
        let one = Spread::of(vec![3.0]);
        assert_eq!((one.min, one.p99), (3.0, 3.0));
        assert_eq!(Spread::of(Vec::new()).max, 0.0);
    }
}
