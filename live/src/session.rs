//! A session: one scene that runs, and answers messages.

use crate::export::Export;
use crate::hands;
use crate::message::{Hold, Reply, Request, spec};
use glam::Vec3;
use seidel::{Execution, Input, Plan, Report, Solver, State};
use seidel_io::frames::Header;
use seidel_io::recording::{self, Buffers, Plotted};
use seidel_io::{Error, scene};
use seidel_scenes::{ColliderSpec, KeySpec, MotionSpec, NAMES, SceneSpec, ShapeSpec, named};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Contacts that a frame comes with, at most: more than a picture shows.
const SHOWN_CONTACTS: usize = 20_000;
/// States that are kept, at most; the oldest goes.
const SNAPSHOTS: usize = 16;
/// Seconds that a thrown ball flies.
const FLIGHT: f64 = 4.0;
/// Key frames a second of a thrown ball's path.
const FLIGHT_KEYS: f64 = 30.0;
/// Frames that one request may ask for: a session does not hear another request before it has made them.
const MOST_FRAMES: u32 = 1000;
/// The answer to a request that [`Stop`] has ended.
const STOPPED: &str = "it was stopped";
/// Bytes that a state keeps of a particle: rows of 16 bytes.
const BYTES_A_PARTICLE: u64 = 5 * 16;

/// A scene that runs.
struct Run {
    spec: SceneSpec,
    text: String,
    /// Bytes that its plan needs, estimated.
    need: u64,
    header: Header,
    solver: Solver,
    input: Input,
    hold: Hold,
    frame: u64,
    /// Hands have moved something, or a change was made on the way: the scene alone does not lead to this state.
    touched: bool,
    contacts: bool,
    buffers: Buffers,
    /// What has been told of the last step.
    report: Report,
}

/// A state that was kept, and the scene that it belongs to.
struct Kept {
    spec: SceneSpec,
    text: String,
    need: u64,
    plan: Arc<Plan>,
    state: State,
    frame: u64,
    touched: bool,
}

/// One scene that runs.
pub struct Session {
    execution: Execution,
    memory: u64,
    /// Files that were sent, by the names that scenes have for them.
    files: BTreeMap<String, Vec<u8>>,
    /// Others are beside this scene file.
    beside: Option<PathBuf>,
    run: Option<Run>,
    kept: Vec<(usize, Kept)>,
    export: Option<Export>,
    stop: Stop,
}

/// Ends what a session is doing, from another thread: steps, and settling, between two frames.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends it. The next request is answered again.
    pub fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Not its arrays: nobody could read them.
impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({:?})", self.run.as_ref().map(|run| &run.solver))
    }
}

impl Session {
    /// Where there are no files: scenes find their meshes among those that were sent by [`Request::File`].
    #[must_use]
    pub fn in_memory(execution: Execution) -> Session {
        Session::new(execution, u64::MAX, None)
    }

    /// Where meshes are files: beside the file of a scene, if they were not sent. A scene may need `memory` bytes.
    #[must_use]
    pub fn beside(execution: Execution, memory: u64, scene: &Path) -> Session {
        Session::new(execution, memory, Some(scene.to_owned()))
    }

    /// Refuses scenes that need more than so many bytes; files, the frames of an export, and states that are kept, may have as many each.
    #[must_use]
    pub fn within(self, memory: u64) -> Session {
        Session { memory, ..self }
    }

    /// A session with the same files, in which nothing has been done: for whoever has caught a panic of this one.
    #[must_use]
    pub fn anew(&self) -> Session {
        let (files, stop) = (self.files.clone(), self.stop.clone());
        Session { files, stop, ..Session::new(self.execution, self.memory, self.beside.clone()) }
    }

    /// What ends a request that takes long.
    #[must_use]
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    fn new(execution: Execution, memory: u64, beside: Option<PathBuf>) -> Session {
        let (files, kept, stop) = (BTreeMap::new(), Vec::new(), Stop::default());
        Session { execution, memory, files, beside, run: None, kept, export: None, stop }
    }

    /// Does what a request asks. `request` is JSON; `bytes` are what comes with it.
    pub fn answer(&mut self, request: &[u8], bytes: &[u8]) -> Reply {
        let request = match serde_json::from_slice(request) {
            Ok(request) => request,
            Err(e) => return Reply::wrong(&format!("a request that is not understood: {e}")),
        };
        self.stop.0.store(false, Ordering::Relaxed);
        self.done(request, bytes).unwrap_or_else(|what| Reply::wrong(&what))
    }

    fn done(&mut self, request: Request, bytes: &[u8]) -> Result<Reply, String> {
        match request {
            Request::File { name } => {
                let others: u64 =
                    self.files.iter().filter(|(of, _)| **of != name).map(|(_, file)| file.len() as u64).sum();
                if others + bytes.len() as u64 > self.memory {
                    return Err(format!("the file {name} is not taken: there is no memory left for it"));
                }
                self.files.insert(name, bytes.to_vec());
                Ok(Reply::default())
            }
            Request::Open { scene, text, set, keep } => self.open(scene.as_deref(), text, &set, keep),
            Request::Step { count } => {
                let stop = self.stop.clone();
                self.running()?.steps(count, &stop)
            }
            Request::Reset => {
                let stop = self.stop.clone();
                let run = self.running()?;
                run.restart(&stop)?;
                Ok(run.shown())
            }
            Request::Hold(hold) => {
                let run = self.running()?;
                hands::check(&hold, run.solver.plan())?;
                run.hold = hold;
                Ok(Reply::default())
            }
            Request::Nearest { body, point } => {
                let run = self.running()?;
                let id = run.solver.plan().body_ids().nth(body).ok_or_else(|| no_body(body))?;
                Ok(Reply::of(json!({ "vertex": hands::nearest(run.solver.positions(id), point) })))
            }
            Request::Pin { body, vertex, on } => self.running()?.pin(body, vertex, on),
            Request::Throw { from, velocity, radius } => self.throw(from, velocity, radius),
            Request::Contacts { on } => {
                let run = self.running()?;
                run.solver.record_contacts(on).map_err(|e| e.to_string())?;
                run.contacts = on;
                Ok(Reply::default())
            }
            Request::Snapshot => self.snapshot(),
            Request::Restore { number } => self.restore(number),
            Request::Export { name } => {
                let room = self.memory;
                let export = Export::new(&name, &self.running()?.header, room)?;
                self.export = Some(export);
                Ok(Reply::default())
            }
            Request::ExportFrame { time, energy, stretch } => {
                let export = self.export.as_mut().ok_or("no file was begun")?;
                export.frame((time, energy, stretch), bytes)?;
                Ok(Reply::default())
            }
            Request::ExportEnd => self.export.take().ok_or("no file was begun")?.end(),
        }
    }

    fn running(&mut self) -> Result<&mut Run, String> {
        self.run.as_mut().ok_or_else(|| "no scene is open".to_owned())
    }

    /// Plans a scene; on an error the last one goes on.
    fn open(&mut self, scene: Option<&str>, text: Option<String>, set: &[String], keep: bool) -> Result<Reply, String> {
        let (name, text) = match (scene, text) {
            (_, Some(text)) => ("scene.toml", text),
            (Some(scene), None) => {
                let spec = named(scene).ok_or_else(|| {
                    let near = seidel_scenes::nearest(scene, NAMES.iter().copied());
                    format!("there is no scene `{scene}`{near}; scenes are {}", NAMES.join(", "))
                })?;
                (scene, scene::to_toml(&spec).map_err(bare)?)
            }
            (None, None) => return Err("name a scene, or give the text of one".to_owned()),
        };
        let mut spec = scene::parse_changed(Path::new(name), &text, set).map_err(bare)?;
        if spec.name.is_empty() {
            name.clone_into(&mut spec.name);
        }
        let text = if set.is_empty() { text } else { scene::to_toml(&spec).map_err(bare)? };
        self.plan(spec, text, keep)
    }

    fn plan(&mut self, spec: SceneSpec, text: String, keep: bool) -> Result<Reply, String> {
        let line = |error: &dyn std::fmt::Display| scene::located_in(&text, &spec, &error.to_string());
        let built = spec.build_within(self.memory, &|_, _| {}, |name| match &self.beside {
            // A scene that is no file finds its meshes from the folder of the program.
            Some(path) if !self.files.contains_key(name) => {
                scene::geometry_beside(&path.to_string_lossy(), &spec, name)
            }
            _ => scene::geometry_from(&spec, name, |name| {
                let missing = || Error::Scene(format!("the file {name} is not here: drop it on the page"));
                self.files.get(name).cloned().ok_or_else(missing)
            }),
        });
        let built = built.map_err(|e| line(&e))?;
        let need = built.need().bytes;
        let plan = Plan::new(&built).map_err(|e| line(&e))?;
        drop(built);
        let input = Input::new((1.0 / spec.fps) as f32).map_err(|e| e.to_string())?;
        let (plan, mut anew) = (Arc::new(plan), Value::Null);
        let mut run = Run::new(Solver::with(Arc::clone(&plan), self.execution), (spec, text, need), input);
        let last = self.run.as_ref().filter(|_| keep);
        match last.map(|last| (last, last.solver.state().carried(last.solver.plan(), &plan))) {
            Some((last, Ok(state))) => {
                // A scene that nothing has happened to begins where its changed text says.
                if last.frame == 0 && !last.touched {
                    run.settle(&self.stop)?;
                } else {
                    *run.solver.state_mut() = state;
                    (run.frame, run.touched) = (last.frame, true);
                }
                if hands::check(&last.hold, &plan).is_ok() {
                    run.hold = last.hold.clone();
                }
            }
            Some((_, Err(why))) => {
                anew = why.to_string().into();
                run.settle(&self.stop)?;
            }
            None => run.settle(&self.stop)?,
        }
        if self.run.as_ref().is_some_and(|last| last.contacts) {
            run.contacts = run.solver.record_contacts(true).is_ok();
        }
        let mut reply = run.shown();
        let carried = last.is_some() && anew.is_null();
        let Reply { json, arrays } = run.described();
        reply.json.extend(json);
        reply.json.insert("carried".to_owned(), carried.into());
        reply.json.insert("anew".to_owned(), anew);
        reply.arrays.extend(arrays);
        self.run = Some(run);
        Ok(reply)
    }

    fn throw(&mut self, from: [f32; 3], velocity: [f32; 3], radius: f32) -> Result<Reply, String> {
        let run = self.running()?;
        let mut spec = run.spec.clone();
        let is_free = |name: &String| spec.collider.iter().all(|collider| collider.name != *name);
        let name = (0..).map(|number| format!("ball-{number}")).find(is_free).unwrap_or_default();
        let (g, start) = (spec.gravity.map(f64::from), run.solver.state().time());
        let v = velocity.map(f64::from);
        let keys = (0..=(FLIGHT * FLIGHT_KEYS) as u32).map(|k| {
            let t = f64::from(k) / FLIGHT_KEYS;
            let offset = std::array::from_fn(|axis| v[axis] * t + 0.5 * g[axis] * t * t);
            KeySpec { time: start + t, offset, ..KeySpec::default() }
        });
        spec.collider.push(ColliderSpec {
            name,
            shape: ShapeSpec::Sphere,
            radius: Some(radius),
            position: from,
            motion: MotionSpec::KeyFrames { keys: keys.collect() },
            ..ColliderSpec::default()
        });
        let text = scene::to_toml(&spec).map_err(bare)?;
        self.plan(spec, text, true)
    }

    fn snapshot(&mut self) -> Result<Reply, String> {
        let run = self.running()?;
        let kept = Kept {
            spec: run.spec.clone(),
            text: run.text.clone(),
            need: run.need,
            plan: Arc::clone(run.solver.plan()),
            state: run.solver.state().clone(),
            frame: run.frame,
            touched: run.touched,
        };
        let number = self.kept.last().map_or(1, |(last, _)| last + 1);
        self.kept.push((number, kept));
        while self.kept.len() > SNAPSHOTS || self.kept.len() > 1 && self.kept_bytes() > self.memory {
            self.kept.remove(0);
        }
        let numbers: Vec<usize> = self.kept.iter().map(|(number, _)| *number).collect();
        Ok(Reply::of(json!({ "number": number, "kept": numbers })))
    }

    /// Bytes of the states that are kept, and of their plans, which those that follow one another may share; estimated.
    fn kept_bytes(&self) -> u64 {
        let mut last = self.run.as_ref().map(|run| run.solver.plan());
        let mut bytes = 0u64;
        for (_, kept) in self.kept.iter().rev() {
            let is_shared = last.replace(&kept.plan).is_some_and(|last| Arc::ptr_eq(last, &kept.plan));
            let plan = if is_shared { 0 } else { kept.need };
            bytes = bytes.saturating_add(plan).saturating_add(BYTES_A_PARTICLE * kept.plan.particles() as u64);
        }
        bytes
    }

    fn restore(&mut self, number: usize) -> Result<Reply, String> {
        let kept = self.kept.iter().find(|(of, _)| *of == number).map(|(_, kept)| kept);
        let kept = kept.ok_or_else(|| format!("there is no snapshot {number}"))?;
        let input = Input::new((1.0 / kept.spec.fps) as f32).map_err(|e| e.to_string())?;
        let solver = Solver::with(Arc::clone(&kept.plan), self.execution);
        let mut run = Run::new(solver, (kept.spec.clone(), kept.text.clone(), kept.need), input);
        *run.solver.state_mut() = kept.state.clone();
        (run.frame, run.touched) = (kept.frame, kept.touched);
        if self.run.as_ref().is_some_and(|last| last.contacts) {
            run.contacts = run.solver.record_contacts(true).is_ok();
        }
        let mut reply = run.shown();
        let Reply { json, arrays } = run.described();
        reply.json.extend(json);
        reply.json.insert("carried".to_owned(), true.into());
        reply.arrays.extend(arrays);
        self.run = Some(run);
        Ok(reply)
    }
}

impl Run {
    fn new(solver: Solver, (spec, text, need): (SceneSpec, String, u64), input: Input) -> Run {
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
    fn settle(&mut self, stop: &Stop) -> Result<(), String> {
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

    fn restart(&mut self, stop: &Stop) -> Result<(), String> {
        self.solver.reset();
        (self.frame, self.touched, self.hold, self.report) = (0, false, Hold::default(), Report::default());
        self.settle(stop)
    }

    fn steps(&mut self, count: u32, stop: &Stop) -> Result<Reply, String> {
        if count > MOST_FRAMES {
            return Err(format!("count is {count}, which is not 0 to {MOST_FRAMES}: ask again for more"));
        }
        for _ in 0..count {
            if stop.is_wanted() {
                return Err(STOPPED.to_owned());
            }
            let input = hands::input(self.input.clone(), &self.hold, self.solver.plan(), self.solver.state());
            self.touched |= self.hold != Hold::default();
            self.report = self.solver.step(&input);
            if let Some(error) = &self.report.rejected {
                return Err(error.to_string());
            }
            self.frame += 1;
        }
        Ok(self.shown())
    }

    fn pin(&mut self, body: usize, vertex: u32, on: bool) -> Result<Reply, String> {
        let plan = Arc::clone(self.solver.plan());
        let id = plan.body_ids().nth(body).ok_or_else(|| no_body(body))?;
        let mut masses = vec![0.0; plan.vertices(id)];
        let planned = plan.inv_masses(id);
        let at = vertex as usize;
        if at >= masses.len() {
            return Err(format!("body {body} has no vertex {vertex}: there are {}", masses.len()));
        }
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
    fn shown(&mut self) -> Reply {
        let (plan, state) = (Arc::clone(self.solver.plan()), self.solver.state());
        let stretch = plan.max_stretch(state).max(plan.max_element_stretch(state));
        let plotted = Plotted { energy: plan.energies(state), max_stretch: stretch };
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
    fn described(&self) -> Reply {
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
                "table": table.map(|(what, _)| what), "number": table.map(|(_, number)| number),
            })
        });
        let colliders = header.colliders.iter().map(|collider| {
            let surface = collider.shape.surface().map(|mesh| [mesh.positions.len(), mesh.triangles.len()]);
            let (shape, lengths) = (collider.shape.name(), collider.shape.lengths().collect::<Vec<_>>());
            json!({ "name": collider.name, "shape": shape, "lengths": lengths, "surface": surface })
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

/// Vertices of the picture that do not move; of bodies that are fixed as a whole none.
fn pinned(plan: &Plan, state: &State, header: &Header) -> Vec<u32> {
    let mut pinned = Vec::new();
    let mut masses = Vec::new();
    for (id, body) in plan.body_ids().zip(&header.bodies).filter(|(id, _)| plan.skin(*id).is_none()) {
        masses.resize(plan.vertices(id), 0.0);
        state.read_inv_masses(plan, id, &mut masses);
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

fn no_body(body: usize) -> String {
    format!("there is no body {body}")
}

/// An error without the name of the scene, which the page shows elsewhere.
fn bare(error: Error) -> String {
    match error {
        Error::Format { what, .. } => what,
        other => other.to_string(),
    }
}
