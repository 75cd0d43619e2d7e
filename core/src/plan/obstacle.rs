//! Obstacles: bodies that go where they are taken, vertex by vertex.
//!
//! Where a vertex is at the end of a step is given ([`crate::Input::vertices`]), or its [`Track`] says it, or it rests;
//! within the step
//! it goes there straight and evenly, and ends there to the bit.

use crate::describe::body::Body;
use crate::describe::pose::Pose;
use crate::describe::track::{Track, VertexAnimation};
use std::sync::Arc;

/// An obstacle of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Driven {
    pub(crate) body: usize,
    /// Its first vertex among those of all obstacles.
    pub(crate) first: usize,
    pub(crate) rest: Vec<[f32; 3]>,
    pub(crate) track: Track,
    /// Added to all places, metres ([`crate::Plan::with_origin`]).
    pub(crate) shift: [f64; 3],
}

impl Driven {
    /// A vertex at a time in seconds, `pose` being the track's then; metres.
    pub(crate) fn at(&self, pose: &Pose, vertex: usize, time: f64) -> [f32; 3] {
        let at = self.track.at(pose, vertex, self.rest[vertex], time);
        match self.shift {
            [0.0, 0.0, 0.0] => at,
            by => std::array::from_fn(|k| (f64::from(at[k]) + by[k]) as f32),
        }
    }
}

/// The obstacles of a plan: vertices that follow a prescribed path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obstacles {
    pub(crate) each: Vec<Driven>,
    /// Vertices of all.
    count: usize,
}

impl Obstacles {
    /// Those of all bodies.
    pub(crate) fn of(bodies: &[Arc<Body>]) -> Obstacles {
        let mut all = Obstacles::default();
        for (body, of) in bodies.iter().enumerate() {
            let Some(track) = &of.obstacle else { continue };
            let rest = of.positions.clone();
            all.each.push(Driven { body, first: all.count, rest, track: track.clone(), shift: [0.0; 3] });
            all.count += of.positions.len();
        }
        all
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
                let VertexAnimation { fps, positions, repeat } = &**frames;
                add(bytemuck::bytes_of(fps));
                add(bytemuck::bytes_of(&[u64::from(*repeat), positions.len() as u64]));
                positions.iter().for_each(|frame| add(bytemuck::cast_slice(frame)));
            }
        }
    }
}
