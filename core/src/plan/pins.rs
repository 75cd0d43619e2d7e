//! Pins that move: vertices that follow a path instead of resting.
//!
//! Where they are at the end of a step is the path's pose then, in f64, rounded once; within the step they go there
//! evenly, as [`crate::Input::pin`] moves them.

use crate::describe::body::Body;
use crate::describe::collider::Motion;
use crate::describe::frame::{MaterialFrame, normalised};
use crate::describe::pose::{Pose, product};
use std::sync::Arc;

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
    pub(crate) fn of(bodies: &[Arc<Body>]) -> Vec<DrivenPins> {
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
            let follows = |(_, frame): &(usize, &MaterialFrame)| {
                frame.inv_inertia == 0.0 && frame.between.iter().all(|vertex| moved.binary_search(vertex).is_ok())
            };
            let all = of.frames.iter().enumerate().filter(follows);
            let frames =
                all.map(|(f, frame)| (f as u32, normalised(frame.rotation.to_array()).map(f64::from))).collect();
            let start = Pose { position: pins.about.to_array(), ..Pose::IDENTITY };
            DrivenPins { body, vertices, frames, start, motion: pins.motion.clone() }
        })
        .collect()
    }

    /// Moves the path, metres.
    pub(crate) fn moved(&mut self, by: [f64; 3]) {
        self.start.position = std::array::from_fn(|k| self.start.position[k] + by[k]);
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
