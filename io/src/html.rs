//! Frames as one page with a viewer: a single `.html` file that needs no server and no network.
//!
//! Positions lie on a grid over the scene's box, which is known only at the end: frames are spooled, and `finish` takes
//! a second pass. The page states the grid's error. `html/README.md` has the format of the data blocks.

mod block;
mod motion;
mod page;

use std::io::{self, Read};
use std::path::Path;

use crate::Error;
use crate::aside::{Spool, Target};
use crate::frames::{Frame, FrameWriter, Header};
use crate::shape::Shape;
use motion::Bounds;

/// Writes a page with a viewer.
#[derive(Debug)]
pub struct HtmlWriter {
    target: Target,
    shape: Shape,
    header: Header,
    bounds: Bounds,
    /// Time, the three energies and the largest stretch of each frame: what the page plots.
    series: Vec<[f32; 4]>,
    positions: Spool,
    poses: Vec<[f32; 7]>,
}

impl HtmlWriter {
    /// Prepares a page at `path`; a file of that name stays as it is until `finish`.
    ///
    /// # Errors
    /// When no file can be made there, or the header's arrays do not agree.
    pub fn new(path: &Path, header: &Header) -> Result<Self, Error> {
        let target = Target::new(path)?;
        Ok(Self {
            shape: Shape::new(&target, header)?,
            header: header.clone(),
            bounds: Bounds::EMPTY,
            series: Vec::new(),
            positions: target.spool()?,
            poses: Vec::new(),
            target,
        })
    }

    /// Names the first vertex or collider that is not at a finite place.
    fn check_finite(&self, frame: &Frame<'_>) -> Result<(), Error> {
        let finite = |numbers: &[f32]| numbers.iter().all(|x| x.is_finite());
        let fail = |what| {
            let (path, frame) = (self.target.path().to_owned(), self.series.len());
            Err(Error::Frame { path, frame, what })
        };
        if let Some(v) = frame.positions.iter().position(|p| !finite(p)) {
            let at = frame.positions[v];
            let id = v as u32;
            let body = self.header.bodies.iter().find(|b| (b.first..b.first + b.count).contains(&id));
            let body = body.map_or(String::new(), |b| format!(" (body {:?}, its vertex {})", b.name, id - b.first));
            return fail(format!("vertex {v}{body} is at {at:?}; the simulation has diverged, try a smaller step"));
        }
        if let Some(c) = frame.poses.iter().position(|p| !finite(p)) {
            let (name, pose) = (&self.header.colliders[c].name, frame.poses[c]);
            return fail(format!("collider {name:?} has the pose {pose:?}"));
        }
        Ok(())
    }
}

impl FrameWriter for HtmlWriter {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        self.shape.check(&self.target, self.series.len(), frame)?;
        self.check_finite(frame)?;
        self.positions.push(frame.positions.as_flattened()).map_err(|e| self.target.error(e))?;
        self.bounds.add(frame.positions);
        self.poses.extend_from_slice(frame.poses);
        let [kinetic, potential] = frame.energy.map(|e| e as f32);
        self.series.push([frame.time as f32, kinetic, potential, frame.max_stretch]);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        let run = page::Run { header: &self.header, bounds: self.bounds, series: &self.series, poses: &self.poses };
        let positions = &mut self.positions;
        self.target.persist(|out| {
            let mut spool = positions.rewind()?;
            run.write(out, |frame| read_frame(&mut spool, frame))
        })
    }
}

/// Takes the spool's next frame.
fn read_frame(spool: &mut impl Read, frame: &mut [[f32; 3]]) -> io::Result<()> {
    for x in frame.as_flattened_mut() {
        let mut bytes = [0; 4];
        spool.read_exact(&mut bytes)?;
        *x = f32::from_le_bytes(bytes);
    }
    Ok(())
}
