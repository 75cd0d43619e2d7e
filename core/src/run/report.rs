//! Report: what happened in a step.

use crate::describe::error::Error;
use crate::plan::Plan;
use crate::run::counts::Counts;
use crate::run::rigid_events::{BrokenJoint, RigidEvent};
use crate::tuning::CELLS_A_SAMPLE;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The events of a step, or of several that [`crate::Solver::advance`] took.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Contacts with colliders that pushed in the first iteration of the last substep; of several steps, their sum.
    pub contacts: u32,
    /// Contacts of bodies with themselves and each other.
    pub pairs: Counts,
    /// The first particle that was lost, if one was. A step takes levels one after another, in the order of
    /// [`crate::Plan::levels`]: this is the first of the first level that lost one.
    pub lost: Option<NonFiniteParticle>,
    /// The name of the first rigid body that was lost, if one was: its numbers are no longer finite, or beyond 1e9 m.
    pub lost_rigid: Option<String>,
    /// Contacts of rigid bodies, with each other and with colliders, that push at the end of the step; of several
    /// steps, their sum.
    pub rigid_contacts: u32,
    /// Contacts of rigid bodies with particles, points of skins and triangles, that push at the end of the step; of
    /// several steps, their sum.
    pub rigid_particle_contacts: u32,
    /// Steps in which so many rigid shapes lay in one place that only their contacts with planes were looked at, or so
    /// many particles that these were passed through.
    pub rigid_overflowed: u32,
    /// Steps in which so many particles of fluids lay in one place that their neighbours could not be listed: nothing
    /// kept their density.
    pub fluid_overflowed: u32,
    /// Particles of fluids that emitters let come; of several steps, their sum.
    pub fluid_born: u32,
    /// Those that drains took away.
    pub fluid_drained: u32,
    /// Those that could not come because all of a fluid's were there.
    pub fluid_full: u32,
    /// Those that could not come because their places were taken, or the fluid before the opening could not give way;
    /// of several steps, their sum.
    pub fluid_blocked: u32,
    /// Grains that emitters let come; of several steps, their sum.
    pub grain_born: u32,
    /// Those that drains took away.
    pub grain_drained: u32,
    /// Those that could not come because all of a body's were there.
    pub grain_full: u32,
    /// Those that could not come because others lay at their places; of several steps, their sum.
    pub grain_blocked: u32,
    /// Contacts of grains with each other that pushed in the last sweep; of several steps, their sum.
    pub grain_contacts: u32,
    /// Steps in which so many grains lay in one place that they could not be told apart: they were left in each other.
    pub grain_overflowed: u32,
    /// Rigid bodies that sleep at the end of the step; of several steps, of the last.
    pub rigid_asleep: u32,
    /// Contacts of rigid bodies that tell of them, and overlaps with sensors: contacts first, each by the numbers of
    /// both. 65,536 a step at most. Contacts with what is deformable are not told.
    pub rigid_events: Vec<RigidEvent>,
    /// Events beyond that.
    pub rigid_events_dropped: u32,
    /// The joints of rigid bodies that broke, by their numbers, with what broke them.
    pub broken: Vec<BrokenJoint>,
    /// Vertices that were split where something tore or was cut, in the order in which that happened
    /// ([`crate::Tearing`]).
    pub torn: Vec<Torn>,
    /// Edges beyond their limit, and splits by cuts, that were refused because all copies of vertices were used; of
    /// several steps, their sum.
    pub tears_refused: u32,
    /// The first particles that later levels of the step lost, and later steps if there were several. Each particle is
    /// named once.
    pub lost_later: Vec<NonFiniteParticle>,
    /// Why the step was not taken, if it was not: an input that does not fit the plan, or a state that is another's.
    /// The state is as it was.
    pub rejected: Option<Error>,
    /// True if an earlier step had stopped the state, or this one did.
    pub stopped: bool,
    /// Where the time went; of several steps, the sums.
    pub times: StageTimes,
}

impl Report {
    /// Adds what the next step reports: sums of contacts and times, every particle lost, the first reason to take no
    /// step.
    pub(crate) fn add(&mut self, next: Report) {
        self.contacts = self.contacts.saturating_add(next.contacts);
        self.pairs.add(next.pairs);
        for lost in next.lost.into_iter().chain(next.lost_later) {
            let known = |other: &NonFiniteParticle| other.body == lost.body && other.vertex == lost.vertex;
            match &self.lost {
                None => self.lost = Some(lost),
                Some(first) if known(first) || self.lost_later.iter().any(known) => {}
                Some(_) => self.lost_later.push(lost),
            }
        }
        self.lost_rigid = self.lost_rigid.take().or(next.lost_rigid);
        self.broken.extend(next.broken);
        self.torn.extend(next.torn);
        self.tears_refused = self.tears_refused.saturating_add(next.tears_refused);
        self.rigid_contacts = self.rigid_contacts.saturating_add(next.rigid_contacts);
        self.rigid_particle_contacts = self.rigid_particle_contacts.saturating_add(next.rigid_particle_contacts);
        self.rigid_overflowed += next.rigid_overflowed;
        self.fluid_overflowed += next.fluid_overflowed;
        self.fluid_born = self.fluid_born.saturating_add(next.fluid_born);
        self.fluid_drained = self.fluid_drained.saturating_add(next.fluid_drained);
        self.fluid_full = self.fluid_full.saturating_add(next.fluid_full);
        self.fluid_blocked = self.fluid_blocked.saturating_add(next.fluid_blocked);
        self.grain_born = self.grain_born.saturating_add(next.grain_born);
        self.grain_drained = self.grain_drained.saturating_add(next.grain_drained);
        self.grain_full = self.grain_full.saturating_add(next.grain_full);
        self.grain_blocked = self.grain_blocked.saturating_add(next.grain_blocked);
        self.grain_contacts = self.grain_contacts.saturating_add(next.grain_contacts);
        self.grain_overflowed += next.grain_overflowed;
        self.rigid_asleep = next.rigid_asleep;
        self.rigid_events.extend(next.rigid_events);
        self.rigid_events_dropped = self.rigid_events_dropped.saturating_add(next.rigid_events_dropped);
        self.rejected = self.rejected.take().or(next.rejected);
        self.stopped |= next.stopped;
        self.times.motion += next.times.motion;
        self.times.constraints += next.times.constraints;
        self.times.contacts += next.times.contacts;
        self.times.fluids += next.times.fluids;
        self.times.fluid_lists += next.times.fluid_lists;
    }
}

/// A vertex that was split.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Torn {
    /// The name of its body.
    pub body: String,
    /// The edge that was too long or was cut, by its vertices before it tore, ascending; of a solid's face that was cut
    /// its first two.
    pub edge: [u32; 2],
    /// The vertex, which the larger part of the triangles or tetrahedra around it keeps: an end of the edge, another
    /// corner of the face, or one beside it where the crack has met the border.
    pub vertex: u32,
    /// The vertex that another part has since.
    pub copy: u32,
}

/// A particle whose position or velocity is no longer a number, or is beyond 1e9 m.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NonFiniteParticle {
    /// Its body's name.
    pub body: String,
    /// Its vertex in the body's mesh.
    pub vertex: u32,
    /// The substep of its step, from 0.
    pub substep: u32,
}

impl NonFiniteParticle {
    /// Of a substep and a row that was lost in it; of a frame's, the first of its points.
    pub(crate) fn of(plan: &Plan, lost: Option<(u32, usize)>) -> Option<NonFiniteParticle> {
        let (substep, row) = lost?;
        let body = plan.bodies.iter().find(|b| (b.start..b.start + b.rows).contains(&row))?;
        let frame = || body.frames.at(row - body.start).map(|frame| body.frames.vertex[frame] as usize);
        let vertex = body.vertex(row).or_else(frame)?;
        Some(NonFiniteParticle { body: body.name.clone(), vertex: vertex as u32, substep })
    }
}

/// Wall-clock time of a step's stages, not the sum over workers. Where motion and constraints alternate cell by cell,
/// the time of both is divided in the proportion that a sample of cells had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageTimes {
    /// Forces, damping, prediction; positions and velocities from displacements.
    pub motion: Duration,
    /// Constraints of the plan.
    pub constraints: Duration,
    /// Contacts with colliders and of bodies with themselves and each other; tethers. The sum of `contact_parts`.
    pub contacts: Duration,
    /// The same by its parts.
    pub contact_parts: ContactTimes,
    /// Fluids, all of it.
    pub fluids: Duration,
    /// Of that, finding neighbours.
    pub fluid_lists: Duration,
}

/// Wall-clock time of the parts of a step's contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContactTimes {
    /// Tethers, and long-range attachments.
    pub tethers: Duration,
    /// Where clusters of points, edges and triangles are, and which of them may come near each other.
    pub pair_clusters: Duration,
    /// Which pairs of features in near clusters are about to touch, and their colors; after contacts, which may have
    /// met.
    pub pair_lists: Duration,
    /// Contacts of points and triangles, edges and edges.
    pub pair_contacts: Duration,
    /// Holding back what would go through, with the searches that this takes.
    pub pair_clamp: Duration,
    /// Which clusters of spheres (`Collide::Spheres`) may come near each other, and which spheres touch.
    pub sphere_search: Duration,
    /// Contacts of spheres.
    pub sphere_contacts: Duration,
    /// Which grains may touch.
    pub grain_search: Duration,
    /// Contacts of grains with each other.
    pub grain_contacts: Duration,
    /// Shown surfaces of embedded bodies against colliders.
    pub collider_skins: Duration,
    /// Particles against colliders.
    pub collider_particles: Duration,
    /// Triangles against colliders.
    pub collider_triangles: Duration,
    /// Which rigid bodies touch, and where.
    pub rigid_search: Duration,
    /// Contacts and joints of rigid bodies.
    pub rigid_contacts: Duration,
    /// Contacts of rigid bodies with all that is deformable.
    pub rigid_particles: Duration,
}

impl ContactTimes {
    /// The parts with their names, in the order of the step.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (&'static str, Duration)> + use<> {
        let parts = [
            ("tethers", self.tethers),
            ("pair_clusters", self.pair_clusters),
            ("pair_lists", self.pair_lists),
            ("pair_contacts", self.pair_contacts),
            ("pair_clamp", self.pair_clamp),
            ("sphere_search", self.sphere_search),
            ("sphere_contacts", self.sphere_contacts),
            ("grain_search", self.grain_search),
            ("grain_contacts", self.grain_contacts),
            ("collider_skins", self.collider_skins),
            ("collider_particles", self.collider_particles),
            ("collider_triangles", self.collider_triangles),
            ("rigid_search", self.rigid_search),
            ("rigid_contacts", self.rigid_contacts),
            ("rigid_particles", self.rigid_particles),
        ];
        parts.into_iter()
    }
}

/// The phase that a moment of a step belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase {
    Motion,
    Constraints,
    Tethers,
    PairClusters,
    PairLists,
    PairContacts,
    PairClamp,
    SphereSearch,
    SphereContacts,
    GrainSearch,
    GrainContacts,
    ColliderSkins,
    ColliderParticles,
    ColliderTriangles,
    RigidMotion,
    RigidSearch,
    RigidContacts,
    RigidParticles,
    FluidLists,
    Fluid,
}

const PHASES: usize = Phase::Fluid as usize + 1;

/// Adds up the time of each phase. One worker at a time marks the end of a stage; the next stage sees it.
#[derive(Debug)]
pub(crate) struct Laps {
    clock: Clock,
    last: AtomicU64,
    sums: [AtomicU64; PHASES],
    /// For stages with both: the time that sampled cells have spent with motion, and with constraints, nanoseconds.
    samples: [AtomicU64; 2],
}

impl Laps {
    pub(crate) fn start() -> Laps {
        Laps { clock: Clock::start(), last: AtomicU64::new(0), sums: Default::default(), samples: Default::default() }
    }

    fn now(&self) -> u64 {
        self.clock.elapsed().as_nanos() as u64
    }

    /// Time since the last lap.
    fn since(&self) -> u64 {
        let now = self.now();
        now.saturating_sub(self.last.swap(now, Ordering::Relaxed))
    }

    fn add(&self, phase: Phase, time: u64) {
        self.sums[phase as usize].fetch_add(time, Ordering::Relaxed);
    }

    /// Adds the time since the last lap to a phase.
    pub(crate) fn lap(&self, phase: Phase) {
        self.add(phase, self.since());
    }

    /// If a cell that begins with motion is sampled, returns the time, nanoseconds.
    pub(crate) fn watch(&self, cell: usize) -> Option<u64> {
        // Multiples of the golden ratio: samples are spread evenly over all cells, even if cells repeat at a fixed
        // distance.
        let at = (cell as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (at < u64::MAX / CELLS_A_SAMPLE).then(|| self.now())
    }

    /// Ends a phase of a sampled cell that began at `began`; returns the time now, nanoseconds.
    pub(crate) fn sample(&self, phase: Phase, began: u64) -> u64 {
        let now = self.now();
        self.samples[phase as usize].fetch_add(now.saturating_sub(began), Ordering::Relaxed);
        now
    }

    /// Divides the time since the last lap between motion and constraints, in the sampled cells' proportion.
    pub(crate) fn lap_of_both(&self) {
        let [motion, constraints] = self.samples.each_ref().map(|sample| sample.swap(0, Ordering::Relaxed) as f64);
        let time = self.since();
        let of_motion = if motion + constraints > 0.0 { time as f64 * (motion / (motion + constraints)) } else { 0.0 };
        self.add(Phase::Motion, of_motion as u64);
        self.add(Phase::Constraints, time - of_motion as u64);
    }

    pub(crate) fn times(&self) -> StageTimes {
        let sum = |phase: Phase| Duration::from_nanos(self.sums[phase as usize].load(Ordering::Relaxed));
        let contact_parts = ContactTimes {
            tethers: sum(Phase::Tethers),
            pair_clusters: sum(Phase::PairClusters),
            pair_lists: sum(Phase::PairLists),
            pair_contacts: sum(Phase::PairContacts),
            pair_clamp: sum(Phase::PairClamp),
            sphere_search: sum(Phase::SphereSearch),
            sphere_contacts: sum(Phase::SphereContacts),
            grain_search: sum(Phase::GrainSearch),
            grain_contacts: sum(Phase::GrainContacts),
            collider_skins: sum(Phase::ColliderSkins),
            collider_particles: sum(Phase::ColliderParticles),
            collider_triangles: sum(Phase::ColliderTriangles),
            rigid_search: sum(Phase::RigidSearch),
            rigid_contacts: sum(Phase::RigidContacts),
            rigid_particles: sum(Phase::RigidParticles),
        };
        let contacts = contact_parts.parts().map(|(_, time)| time).sum();
        StageTimes {
            motion: sum(Phase::Motion) + sum(Phase::RigidMotion),
            constraints: sum(Phase::Constraints),
            contacts,
            contact_parts,
            fluids: sum(Phase::FluidLists) + sum(Phase::Fluid),
            fluid_lists: sum(Phase::FluidLists),
        }
    }
}

/// A clock; without one (wasm) all times are zero.
#[derive(Clone, Copy, Debug)]
struct Clock(#[cfg(not(target_family = "wasm"))] std::time::Instant);

impl Clock {
    fn start() -> Clock {
        Clock(
            #[cfg(not(target_family = "wasm"))]
            std::time::Instant::now(),
        )
    }

    fn elapsed(&self) -> Duration {
        #[cfg(not(target_family = "wasm"))]
        {
            self.0.elapsed()
        }
        #[cfg(target_family = "wasm")]
        Duration::ZERO
    }
}
