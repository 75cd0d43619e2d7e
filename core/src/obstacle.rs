//! Obstacles: bodies that go where they are taken, vertex by vertex.
//!
//! Where a vertex is at the end of a step is given ([`crate::Input::vertices`]), or its [`Track`] says it, or it rests; within the step
//! it goes there straight and evenly, and ends there to the bit.

use crate::attach::Attachment;
use crate::body::Body;
use crate::collider::Motion;
use crate::error::{Error, range};
use crate::input::Input;
use crate::plan::{BodyPlan, Plan};
use crate::pose::Pose;
use crate::scene::BodyId;
use crate::state::State;
use crate::tether::Span;
use crate::tuning::MAX_COORDINATE;
use std::sync::Arc;

/// Shapes of a mesh in time: linear between frames, as the first before it and as the last after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Frames a second, within 1e-3 .. 1e6.
    pub fps: f64,
    /// Positions of all vertices in each frame, metres; the first frame is that of the start.
    pub positions: Vec<Vec<[f32; 3]>>,
    /// Whether the first follows the last, again and again.
    pub repeat: bool,
}

impl Frames {
    /// A vertex at a time in seconds.
    fn at(&self, vertex: usize, time: f64) -> [f64; 3] {
        let count = self.positions.len();
        let mut at = if time > 0.0 { time * self.fps } else { 0.0 };
        if self.repeat {
            at -= (at / count as f64).floor() * count as f64;
        }
        let last = count - 1;
        let from = if at < count as f64 { at as usize } else { last };
        let to = if self.repeat { (from + 1) % count } else { (from + 1).min(last) };
        let (share, [a, b]) = (at - from as f64, [from, to].map(|frame| self.positions[frame][vertex].map(f64::from)));
        // Beyond the last both are the same.
        std::array::from_fn(|k| if a[k] == b[k] { a[k] } else { a[k] + (b[k] - a[k]) * share })
    }
}

/// Where an obstacle's vertices go if nothing else is given: the shape that it has then, moved along a path.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Track {
    /// Its shapes; without, that of its mesh. Scenes and plans share them.
    pub frames: Option<Arc<Frames>>,
    /// The point about which the path turns, metres.
    pub about: [f64; 3],
    /// The path; turns are about axes of the world.
    pub motion: Motion,
}

impl Track {
    /// Whether nothing moves.
    fn rests(&self) -> bool {
        self.frames.is_none() && self.motion == Motion::Fixed
    }

    /// A vertex, which lies at `rest` in the mesh, at a time in seconds.
    pub(crate) fn at(&self, pose: &Pose, vertex: usize, rest: [f32; 3], time: f64) -> [f32; 3] {
        let x = self.frames.as_ref().map_or(rest.map(f64::from), |frames| frames.at(vertex, time));
        if self.motion == Motion::Fixed {
            return x.map(|c| c as f32);
        }
        pose.apply(std::array::from_fn(|k| x[k] - self.about[k])).map(|c| c as f32)
    }

    /// How it is turned and moved at a time, about `about`.
    pub(crate) fn pose(&self, time: f64) -> Pose {
        self.motion.at(&Pose { position: self.about, ..Pose::IDENTITY }, time)
    }
}

impl Body {
    /// An obstacle's vertices are fixed, and its track can be followed.
    pub(crate) fn check_track(&self) -> Result<(), Error> {
        let Some(track) = &self.obstacle else { return Ok(()) };
        let of = || format!("body `{}`", self.name);
        for (v, &w) in self.inv_mass.iter().enumerate() {
            let what = || format!("inverse mass of vertex {v}");
            range(of, what, f64::from(w), w == 0.0, "0: an obstacle goes where it is taken")?;
        }
        for c in track.about {
            range(of, || "the point about which it turns".to_owned(), c, c.abs() <= 1e6, "within +-1e6 m")?;
        }
        track.motion.check(&of)?;
        let Some(frames) = &track.frames else { return Ok(()) };
        let good = (1e-3..=1e6).contains(&frames.fps);
        range(of, || "frames a second".to_owned(), frames.fps, good, "within 0.001 .. 1e6")?;
        let count = frames.positions.len();
        range(of, || "number of frames".to_owned(), count as f64, count > 0, "1 or more")?;
        for (number, frame) in frames.positions.iter().enumerate() {
            let (got, want) = (frame.len(), self.positions.len());
            if got != want {
                return Err(Error::Length { of: of(), what: format!("frame {number} (vertices)"), got, want });
            }
            for (v, c) in frame.iter().enumerate().flat_map(|(v, p)| p.iter().map(move |c| (v, c))) {
                let what = || format!("position of vertex {v} in frame {number}");
                range(of, what, f64::from(*c), c.abs() <= MAX_COORDINATE, "within +-1e6 m")?;
            }
        }
        Ok(())
    }
}

/// An obstacle of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Driven {
    pub(crate) body: usize,
    /// Its first vertex among those of all obstacles.
    pub(crate) first: usize,
    rest: Vec<[f32; 3]>,
    track: Track,
}

/// What goes where it is taken, of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obstacles {
    pub(crate) each: Vec<Driven>,
    pub(crate) attached: Vec<Attachment>,
    /// Vertices of all.
    count: usize,
}

impl Obstacles {
    /// Those of all bodies, and what is attached to them.
    ///
    /// # Errors
    /// If something is attached to what is no obstacle.
    pub(crate) fn of(bodies: &[Body]) -> Result<Obstacles, Error> {
        let mut all = Obstacles::default();
        for (body, of) in bodies.iter().enumerate() {
            let Some(track) = &of.obstacle else { continue };
            let rest = of.positions.clone();
            all.each.push(Driven { body, first: all.count, rest, track: track.clone() });
            all.count += of.positions.len();
        }
        all.attached = Attachment::of(bodies, &all.each)?;
        Ok(all)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        for Driven { body, track: Track { frames, about, motion }, .. } in &self.each {
            add(format!("{body} {about:?} {motion:?}").as_bytes());
            if let Some(frames) = frames {
                let Frames { fps, positions, repeat } = &**frames;
                add(bytemuck::bytes_of(fps));
                add(bytemuck::bytes_of(&[u64::from(*repeat), positions.len() as u64]));
                positions.iter().for_each(|frame| add(bytemuck::cast_slice(frame)));
            }
        }
        add(format!("{:?}", self.attached).as_bytes());
    }

    /// Where the vertices of all obstacles are at the end of a step, metres.
    fn ends(&self, plan: &Plan, state: &State, input: &Input, ends: &mut Vec<[f32; 3]>) {
        ends.clear();
        let time = state.time + f64::from(input.dt);
        for of in &self.each {
            let body = &plan.bodies[of.body];
            let given = input.vertices.iter().rfind(|(id, _)| id.index() == of.body);
            if let Some((_, given)) = given {
                ends.extend_from_slice(given);
            } else if of.track.rests() {
                ends.extend((0..of.rest.len()).map(|v| first_three(body.get(&state.x, v))));
            } else {
                let pose = of.track.pose(time);
                ends.extend(of.rest.iter().enumerate().map(|(v, x)| of.track.at(&pose, v, *x, time)));
            }
        }
        // What is given for a vertex of its own goes before, and what follows the obstacle follows that.
        for &(body, vertex, target) in &input.pins {
            if let Some(of) = self.each.iter().find(|of| of.body == body.index()) {
                ends[of.first + vertex as usize] = target;
            }
        }
    }
}

fn first_three([x, y, z, _]: [f32; 4]) -> [f32; 3] {
    [x, y, z]
}

/// A vertex that goes somewhere in a step, metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    body: usize,
    vertex: usize,
    to: [f32; 3],
}

/// Working memory for obstacles.
#[derive(Debug, Default)]
pub(crate) struct Taking {
    starts: Vec<[f32; 3]>,
    ends: Vec<[f32; 3]>,
    /// Points of tethered vertices.
    pub(crate) spans: Vec<Span>,
    /// Pinned vertices that others stay near.
    pub(crate) anchors: Vec<Span>,
    targets: Vec<Target>,
}

impl Taking {
    /// Gives everything that is taken somewhere the velocity with which it comes there.
    pub(crate) fn begin(&mut self, plan: &Plan, state: &mut State, input: &Input) {
        self.targets.clear();
        let all = &plan.obstacles;
        if all.is_empty() {
            return;
        }
        all.ends(plan, state, input, &mut self.ends);
        for of in &all.each {
            let ends = &self.ends[of.first..of.first + of.rest.len()];
            self.targets.extend(ends.iter().enumerate().map(|(vertex, &to)| Target { body: of.body, vertex, to }));
        }
        if !plan.tethers.is_empty() {
            self.starts.clear();
            for of in &all.each {
                let body = &plan.bodies[of.body];
                self.starts.extend((0..of.rest.len()).map(|v| first_three(body.get(&state.x, v))));
            }
            plan.tethers.span(&self.starts, &self.ends, &mut self.spans);
        }
        let pinned =
            |of: &Attachment| input.pins.iter().any(|&(body, v, _)| body.index() == of.body && v as usize == of.vertex);
        let (ends, attached) = (&self.ends, all.attached.iter().filter(|of| !pinned(of)));
        self.targets.extend(attached.map(|of| Target { body: of.body, vertex: of.vertex, to: of.place.at(ends) }));
        for target in &self.targets {
            drive(&plan.bodies[target.body], state, target.vertex, target.to, input.dt);
        }
    }

    /// Fills everything that no step may read before it writes it.
    pub(crate) fn poison(&mut self) {
        self.starts.fill([f32::NAN; 3]);
        self.ends.fill([f32::NAN; 3]);
        self.spans.fill([[[f32::NAN; 3]; 2]; 2]);
        self.anchors.fill([[[f32::NAN; 3]; 2]; 2]);
        let nowhere = Target { body: usize::MAX, vertex: usize::MAX, to: [f32::NAN; 3] };
        self.targets.fill(nowhere);
    }

    /// A step is over: all is where it was taken, to the bit.
    pub(crate) fn end(&self, plan: &Plan, state: &mut State) {
        for &Target { body, vertex, to } in &self.targets {
            let body = &plan.bodies[body];
            let [.., w] = body.get(&state.x, vertex);
            if w == 0.0 {
                body.set(&mut state.x, vertex, [to[0], to[1], to[2], w]);
                body.set(&mut state.r, vertex, [0.0; 4]);
            }
        }
    }
}

/// Gives a vertex of inverse mass 0 the velocity that takes it somewhere within `dt` seconds.
pub(crate) fn drive(body: &BodyPlan, state: &mut State, vertex: usize, to: [f32; 3], dt: f32) {
    let (x, r) = (body.get(&state.x, vertex), body.get(&state.r, vertex));
    if x[3] == 0.0 {
        let v: [f32; 3] = std::array::from_fn(|k| (to[k] - x[k] - r[k]) / dt);
        body.set(&mut state.v, vertex, [v[0], v[1], v[2], 0.0]);
    }
}

/// Whether vertices may be given for a body, and so many, and such.
pub(crate) fn check_given(plan: &Plan, id: BodyId, given: &[[f32; 3]]) -> Result<(), Error> {
    let of = || "input".to_owned();
    let name = plan.body_name(id);
    if !plan.obstacles.each.iter().any(|of| of.body == id.index()) {
        return Err(Error::NoObstacle { of: of(), body: name.to_owned() });
    }
    let (got, want) = (given.len(), plan.vertices(id));
    if got != want {
        return Err(Error::Length { of: of(), what: format!("vertices of body `{name}`"), got, want });
    }
    for (v, c) in given.iter().enumerate().flat_map(|(v, p)| p.iter().map(move |c| (v, c))) {
        let what = || format!("position of vertex {v} of body `{name}`");
        range(of, what, f64::from(*c), c.abs() <= MAX_COORDINATE, "within +-1e6 m")?;
    }
    Ok(())
}
