//! A session: one scene that runs, and answers messages.

use crate::export::Export;
use crate::hands;
use crate::message::{Reply, Request};
use crate::run::{Run, Stop, no_body};
use seidel::{Execution, Input, Plan, Solver, State};
use seidel_io::{Error, scene};
use seidel_scenes::{ColliderSpec, KeySpec, MotionSpec, NAMES, SceneSpec, ShapeSpec, named};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// States that are kept, at most; the oldest goes.
const SNAPSHOTS: usize = 16;
/// Seconds that a thrown ball flies.
const FLIGHT: f64 = 4.0;
/// Key frames a second of a thrown ball's path.
const FLIGHT_KEYS: f64 = 30.0;
/// Bytes that a state keeps of a particle: rows of 16 bytes.
const BYTES_A_PARTICLE: u64 = 5 * 16;

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

    /// Refuses scenes that need more than so many bytes; files, the frames of an export, and states that are kept, may
    /// have as many each.
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
        self.stop.clear();
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
                let (plan, positions) = (run.solver.plan(), run.solver.positions(id));
                let vertex = match plan.tears(id) {
                    true => {
                        let corners = hands::drawn_corners(plan, id);
                        let drawn: Vec<_> = corners.into_iter().map(|v| positions[v as usize]).collect();
                        hands::nearest(&drawn, point)
                    }
                    false => hands::nearest(positions, point),
                };
                Ok(Reply::of(json!({ "vertex": vertex })))
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
        // What a text without a name is called.
        let file = self.beside.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let (name, text) = match (scene, text) {
            (_, Some(text)) => (file.as_deref().unwrap_or("scene.toml"), text),
            (Some(scene), None) => {
                let spec = named(scene).ok_or_else(|| {
                    let near = seidel_scenes::nearest(scene, NAMES.iter().copied());
                    format!("there is no scene `{scene}`{near}; scenes are {}", NAMES.join(", "))
                })?;
                (scene, scene::to_toml(&spec).map_err(bare)?)
            }
            (None, None) => return Err("name a scene, or give the text of one".to_owned()),
        };
        let mut spec = scene::parse_within(Path::new(name), &text, set, self.memory).map_err(bare)?;
        if spec.name.is_empty() {
            name.clone_into(&mut spec.name);
        }
        let text = if set.is_empty() { text } else { scene::to_toml(&spec).map_err(bare)? };
        self.plan(spec, text, keep)
    }

    fn plan(&mut self, spec: SceneSpec, text: String, keep: bool) -> Result<Reply, String> {
        let line = |error: &dyn std::fmt::Display| scene::located_in(&text, &spec, &error.to_string());
        let built = spec.build_within(self.memory, &|_, _| {}, |name, left| match &self.beside {
            // A scene that is no file finds its meshes from the folder of the program.
            Some(path) if !self.files.contains_key(name) => {
                scene::geometry_within(&path.to_string_lossy(), &spec, name, left)
            }
            _ => scene::geometry_from(&spec, name, left, |name| {
                let missing = || Error::Scene(format!("the file {name} is not here: drop it on the page"));
                self.files.get(name).ok_or_else(missing)
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
                    run.solver.set_state(state).map_err(|e| e.to_string())?;
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
        run.solver.set_state(kept.state.clone()).map_err(|e| e.to_string())?;
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

/// An error without the name of the scene, which the page shows elsewhere.
fn bare(error: Error) -> String {
    match error {
        Error::Format { what, .. } => what,
        other => other.to_string(),
    }
}
