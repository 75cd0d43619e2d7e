//! Pins that move: vertices that follow a path instead of resting.
//!
//! Where they are at the end of a step is the path's pose then, in f64, rounded once; within the step they go there evenly, as
//! [`crate::Input::pin`] moves them.

use crate::body::Body;
use crate::collider::Motion;
use crate::error::{Error, range};
use crate::frames::{Frame, normalised};
use crate::pose::{Pose, product};

/// Pinned vertices that move together on a path, as a rigid body does.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingPins {
    /// The vertices; each has inverse mass 0 and is in one path alone.
    pub vertices: Vec<u32>,
    /// The point about which the path turns, metres.
    pub about: [f64; 3],
    /// The path, from where they are at the start; turns are about axes of the world.
    pub motion: Motion,
}

impl MovingPins {
    /// Vertices that follow a path, which turns about the origin.
    #[must_use]
    pub fn new(vertices: Vec<u32>, motion: Motion) -> MovingPins {
        MovingPins { vertices, about: [0.0; 3], motion }
    }

    /// The point about which the path turns, metres.
    #[must_use]
    pub fn about(mut self, point: [f64; 3]) -> MovingPins {
        self.about = point;
        self
    }
}

impl Body {
    /// Moving pins and attachments name vertices that exist and are fixed, each once, and can be followed.
    pub(crate) fn check_moving_pins(&self) -> Result<(), Error> {
        let mut taken = vec![false; self.positions.len()];
        let mut take = |of: &dyn Fn() -> String, vertex: u32| {
            let (index, count) = (vertex as usize, self.positions.len());
            if index >= count {
                return Err(Error::Missing { of: of(), what: "vertex", index, count });
            }
            let w = self.inv_mass[index];
            let what = || format!("inverse mass of vertex {vertex}");
            range(of, what, f64::from(w), w == 0.0, "0: what is moved is fixed")?;
            let again = std::mem::replace(&mut taken[index], true);
            if again { Err(Error::Driven { of: of(), vertex }) } else { Ok(()) }
        };
        for (i, pins) in self.moving_pins.iter().enumerate() {
            let of = || format!("body `{}`, moving pins {i}", self.name);
            pins.vertices.iter().try_for_each(|&vertex| take(&of, vertex))?;
            for c in pins.about {
                range(of, || "the point about which they turn".to_owned(), c, c.abs() <= 1e6, "within +-1e6 m")?;
            }
            pins.motion.check(&of)?;
        }
        for (i, attached) in self.attached.iter().enumerate() {
            let of = || format!("body `{}`, attachment {i}", self.name);
            attached.vertices.iter().try_for_each(|&vertex| take(&of, vertex))?;
        }
        Ok(())
    }
}

/// Moving pins of a plan.
#[derive(Clone, Debug)]
pub(crate) struct DrivenPins {
    pub(crate) body: usize,
    /// Each vertex with its place at the start, from the point about which the path turns.
    vertices: Vec<(u32, [f64; 3])>,
    /// Each frame between two of them that does not turn by itself, with its rotation at the start.
    frames: Vec<(u32, [f64; 4])>,
    start: Pose,
    motion: Motion,
}

impl DrivenPins {
    /// Those of all bodies.
    pub(crate) fn of(bodies: &[Body]) -> Vec<DrivenPins> {
        let all =
            bodies.iter().enumerate().flat_map(|(body, of)| of.moving_pins.iter().map(move |pins| (body, of, pins)));
        all.map(|(body, of, pins)| {
            let from = |&vertex: &u32| {
                let x = of.positions[vertex as usize];
                (vertex, std::array::from_fn(|k| f64::from(x[k]) - pins.about[k]))
            };
            let vertices = pins.vertices.iter().map(from).collect();
            let mut moved = pins.vertices.clone();
            moved.sort_unstable();
            let follows = |(_, frame): &(usize, &Frame)| {
                frame.inv_inertia == 0.0 && frame.between.iter().all(|vertex| moved.binary_search(vertex).is_ok())
            };
            let all = of.frames.iter().enumerate().filter(follows);
            let frames = all.map(|(f, frame)| (f as u32, normalised(frame.rotation).map(f64::from))).collect();
            let start = Pose { position: pins.about, ..Pose::IDENTITY };
            DrivenPins { body, vertices, frames, start, motion: pins.motion.clone() }
        })
        .collect()
    }

    /// Where each vertex is at a time, metres.
    pub(crate) fn at(&self, time: f64) -> impl Iterator<Item = (u32, [f32; 3])> {
        let pose = self.motion.at(&self.start, time);
        self.vertices.iter().map(move |(vertex, from)| (*vertex, pose.apply(*from).map(|c| c as f32)))
    }

    /// The rotation of each frame at a time.
    pub(crate) fn turned(&self, time: f64) -> impl Iterator<Item = (u32, [f64; 4])> {
        let by = self.motion.at(&self.start, time).rotation;
        self.frames.iter().map(move |(frame, from)| (*frame, product(by, *from)))
    }
}
