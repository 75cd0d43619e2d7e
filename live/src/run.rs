//! A scene that runs: steps, pins, and what a page is shown of it.

use crate::hands;
use crate::message::{Hold, Reply, spec};
use glam::Vec3;
use seidel::{Input, Plan, Report, Solver, State};
use seidel_io::frames::Header;
use seidel_io::recording::{self, Buffers, Plotted};
use seidel_scenes::SceneSpec;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Contacts that a frame comes with, at most: more than a picture shows.
const SHOWN_CONTACTS: usize = 20_000;
/// Frames that one request may ask for: a session does not hear another request before it has made them.
const MOST_FRAMES: u32 = 1000;
/// The answer to a request that [`Stop`] has ended.
const STOPPED: &str = "it was stopped";

/// A scene that runs.
pub(crate) struct Run {
    pub(crate) spec: SceneSpec,
    pub(crate) text: String,
    /// Bytes that its plan needs, estimated.
    pub(crate) need: u64,
    pub(crate) header: Header,
    pub(crate) solver: Solver,
    pub(crate) input: Input,
    pub(crate) hold: Hold,
    pub(crate) frame: u64,
    /// Hands have moved something, or a change was made on the way: the scene alone does not lead to this state.
    pub(crate) touched: bool,
    pub(crate) contacts: bool,
    pub(crate) buffers: Buffers,
    /// What has been told of the last step.
    pub(crate) report: Report,
}

/// Ends what a session is doing, from another thread: steps, and settling, between two frames.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends it. The next request is answered again.
    pub fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Begins anew.
    pub(crate) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Run {
    pub(crate) fn new(solver: Solver, (spec, text, need): (SceneSpec, String, u64), input: Input) -> Run {
        let header = recording::picture(solver.plan(), &spec.name, spec.fps);
        Run {
            spec,
            text,
            need,
            header,
            solver,
            input,
            hold: Hold::default(),
            frame: 0,
            touched: false,
            contacts: false,
            buffers: Buffers::of_picture(),
            report: Report::default(),
        }
    }

    /// Brings the scene to rest before its first frame, if it asks for that.
    pub(crate) fn settle(&mut self, stop: &Stop) -> Result<(), String> {
        if self.spec.settle > 0.0 {
            let settled = self.solver.settle_while(&self.input, self.spec.settle, |_| !stop.is_wanted());
            if stop.is_wanted() {
                return Err(STOPPED.to_owned());
            }
            if let Some(report) = settled.failed {
                return Err(format!("settle: step {}: {}", settled.steps, trouble(&report).unwrap_or_default()));
            }
        }
        Ok(())
    }

    pub(crate) fn restart(&mut self, stop: &Stop) -> Result<(), String> {
        self.solver.reset();
        (self.frame, self.touched, self.hold, self.report) = (0, false, Hold::default(), Report::default());
        self.settle(stop)
    }

    pub(crate) fn steps(&mut self, count: u32, stop: &Stop) -> Result<Reply, String> {
        if count > MOST_FRAMES {
            return Err(format!("count is {count}, which is not 0 to {MOST_FRAMES}: ask again for more"));
        }
        for _ in 0..count {
            if stop.is_wanted() {
                return Err(STOPPED.to_owned());
            }
            let input = hands::input(self.input.clone(), &self.hold, self.solver.plan(), self.solver.state());
            self.touched |= self.hold != Hold::default();
            self.hold.cuts.clear();
            self.report = self.solver.step(&input);
            if let Some(error) = &self.report.rejected {
                return Err(error.to_string());
            }
            self.frame += 1;
        }
        Ok(self.shown())
    }

    pub(crate) fn pin(&mut self, body: usize, vertex: u32, on: bool) -> Result<Reply, String> {
        let plan = Arc::clone(self.solver.plan());
        let id = plan.body_ids().nth(body).ok_or_else(|| no_body(body))?;
        let mut masses = vec![0.0; plan.vertices(id)];
        let planned = plan.inv_masses(id);
        let there = hands::drawn(&plan, id);
        if vertex as usize >= there {
            return Err(format!("body {body} has no vertex {vertex}: there are {there}"));
        }
        let at = hands::vertex_of(&plan, id, vertex) as usize;
        self.solver.state().read_inv_masses(&plan, id, &mut masses);
        // What was pinned from the start gets the mass of another.
        let other = || planned.iter().copied().find(|&w| w > 0.0).unwrap_or(1.0);
        masses[at] = match on {
            true => 0.0,
            false if planned[at] > 0.0 => planned[at],
            false => other(),
        };
        self.solver.state_mut().write_inv_masses(&plan, id, &masses).map_err(|e| e.to_string())?;
        self.touched = true;
        Ok(self.shown())
    }

    /// The present state: figures, and what is drawn.
    pub(crate) fn shown(&mut self) -> Reply {
        let (plan, state) = (Arc::clone(self.solver.plan()), self.solver.state());
        let stretch = plan.max_stretch(state).max(plan.max_element_stretch(state));
        let plotted = Plotted::new(plan.energies(state), stretch);
        let hash = format!("{:016x}", state.hash());
        let pinned = pinned(&plan, state, &self.header);
        let frame = self.buffers.read(&plan, state, plotted);
        let report = &self.report;
        let mut reply = Reply::of(json!({
            "frame": self.frame,
            "time": frame.time,
            "energy": frame.energy,
            "stretch": stretch,
            "contacts": u64::from(report.contacts) + u64::from(report.pairs.contacts),
            "unresolved": report.pairs.unresolved,
            "touched": self.touched,
            "hash": hash,
            "trouble": trouble(report),
        }))
        .with("positions", frame.positions)
        .with("velocities", frame.velocities)
        .with("poses", frame.poses)
        .with("densities", frame.densities)
        .with("ids", frame.ids)
        .with("rigid", frame.rigid_poses)
        .with("pinned", &pinned);
        if self.contacts {
            let of_colliders = self.solver.contacts().map(|c| [c.point, c.normal]);
            let of_pairs = self.solver.pair_contacts().map(|c| [c.point, c.normal]);
            let shown: Vec<Vec3> = of_colliders.chain(of_pairs).take(SHOWN_CONTACTS).flatten().collect();
            reply = reply.with::<[f32; 3]>("touching", bytemuck::cast_slice(&shown));
        }
        reply
    }

    /// What does not change from frame to frame.
    pub(crate) fn described(&self) -> Reply {
        let (plan, header) = (self.solver.plan(), &self.header);
        let mut order: Vec<[u32; 2]> = Vec::new();
        for id in plan.body_ids().filter(|&id| plan.skin(id).is_none()) {
            order.extend(plan.order_of_lengths(id));
        }
        // Pictures have other edges than rows, where a body is shown by its skin or has no lengths.
        if order.len() != header.edges.len() {
            order.clear();
        }
        let surfaces: Vec<_> = header.colliders.iter().filter_map(|c| c.shape.surface()).collect();
        let points: Vec<f32> = surfaces.iter().flat_map(|mesh| mesh.positions.as_flattened()).copied().collect();
        let corners: Vec<u32> = surfaces.iter().flat_map(|mesh| mesh.triangles.as_flattened()).copied().collect();
        let bodies = header.bodies.iter().enumerate().map(|(number, body)| {
            let table = self.spec.table_of(number);
            json!({
                "name": body.name, "first": body.first, "count": body.count, "thickness": body.thickness,
                "fluid": body.fluid.map(|fluid| json!({ "spacing": fluid.spacing, "grains": fluid.grains })),
                "table": table.map(|(what, _)| what), "number": table.map(|(_, number)| number),
            })
        });
        let colliders = header.colliders.iter().map(|collider| {
            let surface = collider.shape.surface().map(|mesh| [mesh.positions.len(), mesh.triangles.len()]);
            let (shape, lengths) = (collider.shape.name(), collider.shape.lengths().collect::<Vec<_>>());
            json!({ "name": collider.name, "shape": shape, "lengths": lengths, "surface": surface, "rigid": collider.rigid })
        });
        let rows: usize = plan.families().map(|(_, rows, _)| rows).sum();
        Reply::of(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "scene": self.spec.name,
            "about": self.spec.about,
            "fps": self.spec.fps,
            "frames": self.spec.frames,
            "vertices": header.inv_mass.len(),
            "particles": plan.particles(),
            "constraints": rows,
            "substeps": plan.substeps(),
            "threads": self.solver.scratch().threads(),
            "lanes": self.solver.scratch().isa().name(),
            "text": self.text,
            "spec": spec(&self.spec),
            "bodies": bodies.collect::<Vec<_>>(),
            "colliders": colliders.collect::<Vec<_>>(),
            "warnings": plan.warnings(),
        }))
        .with("triangles", &header.triangles)
        .with("edges", &header.edges)
        .with("rests", &header.rest_lengths)
        .with("order", &order)
        .with("surface-points", &points)
        .with("surface-triangles", &corners)
    }
}

/// Vertices of the picture that do not move; of bodies that are fixed as a whole none, and of fluids, whose particles
/// without an inverse mass are not there.
fn pinned(plan: &Plan, state: &State, header: &Header) -> Vec<u32> {
    let mut pinned = Vec::new();
    let mut masses = Vec::new();
    for (id, body) in plan.body_ids().zip(&header.bodies) {
        if plan.skin(id).is_some() || body.fluid.is_some() {
            continue;
        }
        masses.resize(plan.vertices(id), 0.0);
        state.read_inv_masses(plan, id, &mut masses);
        if plan.tears(id) {
            masses = hands::drawn_corners(plan, id).into_iter().map(|v| masses[v as usize]).collect();
        }
        if masses.iter().any(|&w| w > 0.0) {
            pinned.extend((0..).zip(&masses).filter(|(_, w)| **w == 0.0).map(|(v, _): (u32, _)| body.first + v));
        }
    }
    pinned
}

/// What went wrong in a step, if something did.
fn trouble(report: &Report) -> Option<String> {
    match (&report.rejected, &report.lost) {
        (Some(error), _) => Some(error.to_string()),
        (_, Some(lost)) => Some(format!("vertex {} of `{}` is lost (not finite)", lost.vertex, lost.body)),
        _ => report.stopped.then(|| "the scene has stopped at a lost vertex".to_owned()),
    }
}

pub(crate) fn no_body(body: usize) -> String {
    format!("there is no body {body}")
}
