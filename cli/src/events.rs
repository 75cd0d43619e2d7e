//! Events of rigid bodies in a run: joints that break, contacts that begin and end, and who is in a sensor.

use seidel::{BrokenJoint, Plan, Report, RigidEventKind, RigidParty};
use seidel_scenes::SceneSpec;
use serde::{Deserialize, Serialize};

use crate::inside::Solid;

/// How many joints that broke, and how many events, `--stats` lists: the first of a run.
const LISTED: usize = 1000;

/// How many joints that broke are told while the scene runs.
const TOLD: u64 = 10;

/// A joint that broke, at which frame and under which load: N and N m.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Broken {
    name: String,
    frame: u32,
    force: f32,
    torque: f32,
}

/// The joints that broke in a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct BrokenJoints {
    pub(crate) first: Vec<Broken>,
    pub(crate) count: u64,
}

impl BrokenJoints {
    /// Adds those of a frame; returns lines that tell of them, until so many have been told.
    pub(crate) fn add(&mut self, frame: u32, report: &Report) -> Vec<String> {
        let mut lines = Vec::new();
        for BrokenJoint { name, force, torque, .. } in &report.broken {
            if self.count < TOLD {
                lines.push(format!("note: frame {frame}: joint `{name}` broke under {force:.4} N and {torque:.4} N m"));
            }
            if self.first.len() < LISTED {
                self.first.push(Broken { name: name.clone(), frame, force: *force, torque: *torque });
            }
            self.count += 1;
        }
        lines
    }
}

/// How many joints broke, if not all of them were told.
pub(crate) fn all_broken(count: u64) -> Option<String> {
    (count > TOLD)
        .then(|| format!("{count} joints broke in all; `broken_joints` in `--stats` lists the first {LISTED}"))
}

/// Contacts of bodies that tell of them, and overlaps with sensors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Events {
    contacts: Changes,
    sensors: Changes,
    /// Events that a step did not tell, because it had too many.
    dropped: u64,
    /// Those that began or ended.
    first: Vec<Event>,
}

/// How many began, went on for another frame, and ended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Changes {
    begin: u64,
    persist: u64,
    end: u64,
}

/// A contact or an overlap that began or ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Event {
    frame: u32,
    kind: Change,
    sensor: bool,
    body: String,
    #[serde(flatten)]
    with: Solid,
    /// Along the normals, N: the mean over the frame. 0 of sensors and of what has ended.
    force: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    Begin,
    End,
}

impl Events {
    /// Whether bodies of a scene ask for them.
    pub(crate) fn are_asked(spec: &SceneSpec) -> bool {
        spec.body.iter().any(|body| body.contact_events || body.sensor)
    }

    /// Adds those of a frame of `dt` seconds.
    pub(crate) fn add(&mut self, frame: u32, plan: &Plan, report: &Report, dt: f32) {
        self.dropped += u64::from(report.rigid_events_dropped);
        for event in &report.rigid_events {
            let of = if event.sensor { &mut self.sensors } else { &mut self.contacts };
            let (count, kind) = match event.kind {
                RigidEventKind::Begin => (&mut of.begin, Change::Begin),
                RigidEventKind::End => (&mut of.end, Change::End),
                _ => {
                    of.persist += 1;
                    continue;
                }
            };
            *count += 1;
            if self.first.len() < LISTED {
                let with = match event.other {
                    RigidParty::Body(other) => Solid::Rigid(plan.rigid_name(other).to_owned()),
                    RigidParty::Collider(other) => Solid::Collider(plan.collider_name(other).to_owned()),
                    // Of a later version of the library.
                    _ => continue,
                };
                let (body, sensor) = (plan.rigid_name(event.body).to_owned(), event.sensor);
                self.first.push(Event { frame, kind, sensor, body, with, force: event.impulse / dt });
            }
        }
    }
}
