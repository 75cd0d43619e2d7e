//! Where an obstacle goes if nothing else is given: its shapes in time, moved along a path.

use crate::describe::collider::Motion;
use crate::describe::error::{Error, range};
use crate::describe::pose::Pose;
use crate::tuning::MAX_COORDINATE;
use glam::DVec3;
use std::sync::Arc;

/// Shapes of a mesh in time: linear between frames, as the first before it and as the last after it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VertexAnimation {
    /// Frames a second, within 1e-3 .. 1e6.
    pub fps: f64,
    /// Positions of all vertices in each frame, metres; the first frame is that of the start.
    pub positions: Vec<Vec<[f32; 3]>>,
    /// Whether the first follows the last, again and again.
    pub repeat: bool,
}

impl VertexAnimation {
    /// The positions of all vertices in each frame, metres, so many frames a second; once.
    #[must_use]
    pub fn new(fps: f64, positions: Vec<Vec<[f32; 3]>>) -> VertexAnimation {
        VertexAnimation { fps, positions, repeat: false }
    }

    /// Again and again, or once.
    #[must_use]
    pub fn repeat(mut self, repeat: bool) -> VertexAnimation {
        self.repeat = repeat;
        self
    }

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
#[non_exhaustive]
pub struct Track {
    /// Its shapes; without, that of its mesh. Scenes and plans share them.
    pub frames: Option<Arc<VertexAnimation>>,
    /// The point about which the path turns, metres.
    pub about: DVec3,
    /// The path; turns are about axes of the world.
    pub motion: Motion,
}

impl Track {
    /// Whether nothing moves.
    pub(crate) fn rests(&self) -> bool {
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
        self.motion.at(&Pose { position: self.about.to_array(), ..Pose::IDENTITY }, time)
    }
}

impl Track {
    /// Whether an obstacle's vertices are fixed, and its track can be followed.
    pub(crate) fn check(&self, body: &str, inv_mass: &[f32]) -> Result<(), Error> {
        let (track, of) = (self, || format!("body `{body}`"));
        for (v, &w) in inv_mass.iter().enumerate() {
            let what = || format!("inverse mass of vertex {v}");
            range(of, what, f64::from(w), w == 0.0, "0: an obstacle goes where it is taken")?;
        }
        for c in track.about.to_array() {
            range(of, || "the point about which it turns".to_owned(), c, c.abs() <= 1e6, "within +-1e6 m")?;
        }
        track.motion.check(&of)?;
        let Some(frames) = &track.frames else { return Ok(()) };
        let good = (1e-3..=1e6).contains(&frames.fps);
        range(of, || "frames a second".to_owned(), frames.fps, good, "within 0.001 .. 1e6")?;
        let count = frames.positions.len();
        range(of, || "number of frames".to_owned(), count as f64, count > 0, "1 or more")?;
        for (number, frame) in frames.positions.iter().enumerate() {
            let (got, want) = (frame.len(), inv_mass.len());
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
