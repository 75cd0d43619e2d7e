//! Frames as one page with a viewer: a single `.html` file that needs no server and no network.
//!
//! Positions lie on a grid over the scene's box, which is known only at the end: frames are spooled, and `finish` takes
//! a second pass. The page states the grid's error. `html/README.md` has the format of the data blocks.

mod block;
mod density;
mod motion;
mod page;
mod viewer;

use std::io::{self, Read, Write};
use std::path::Path;

use crate::aside::{Spool, Target};
use crate::frames::{FrameWriter, Header, RecordedFrame};
use crate::shape::{FrameShape, check_finite};
use crate::{Error, kept};
use motion::Bounds;
pub use viewer::{SCRIPTS, STYLE};

/// Writes a data block of a page: base64 of a zlib stream in a script element of this id, which `inflate` of
/// [`SCRIPTS`] unpacks.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_block(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    const SMALLEST: u32 = 9;
    block::write_smaller(out, id, bytes, SMALLEST)
}

/// Writes a page with a viewer.
#[derive(Debug)]
pub struct HtmlWriter {
    target: Target,
    shape: FrameShape,
    header: Header,
    bounds: Bounds,
    /// Time, the three energies and the largest stretch of each frame: what the page plots.
    series: Vec<[f32; 4]>,
    positions: Spool,
    densities: Spool,
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
            shape: FrameShape::new(&target, header)?,
            header: header.clone(),
            bounds: Bounds::EMPTY,
            series: Vec::new(),
            positions: target.spool()?,
            densities: target.spool()?,
            poses: Vec::new(),
            target,
        })
    }
}

impl FrameWriter for HtmlWriter {
    fn room(&self, frames: u64) -> Result<(), Error> {
        // Positions in the spool, and at most two thirds of them, as text, in the page.
        self.target.room(frames * (self.shape.vertices as u64 * 20 + self.shape.fluid as u64 * 6))
    }

    fn frame(&mut self, frame: &RecordedFrame<'_>) -> Result<(), Error> {
        self.shape.check(&self.target, self.series.len(), frame)?;
        check_finite(&self.target, &self.header, self.series.len(), frame)?;
        self.positions.push(frame.positions.as_flattened()).map_err(|e| self.target.error(e))?;
        self.densities.push(frame.densities).map_err(|e| self.target.error(e))?;
        self.bounds.add(frame.positions);
        self.poses.extend_from_slice(frame.poses);
        let [kinetic, potential] = frame.energy.map(|e| e as f32);
        self.series.push([frame.time as f32, kinetic, potential, frame.max_stretch]);
        Ok(())
    }

    fn save(&mut self, out: &mut dyn Write) -> io::Result<()> {
        kept::put(out, &self.series)?;
        kept::put(out, &self.poses)?;
        kept::put(out, &[self.bounds.low, self.bounds.high])?;
        self.positions.save(out)?;
        self.densities.save(out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.series = kept::take(from)?;
        self.poses = kept::take(from)?;
        let bounds: Vec<[f32; 3]> = kept::take(from)?;
        let [low, high] = bounds[..] else { return Err(kept::short()) };
        self.bounds = Bounds { low, high };
        let frames = self.series.len();
        if self.poses.len() != frames * self.shape.colliders {
            return Err(kept::short());
        }
        self.positions.load(from, (frames * self.shape.vertices) as u64 * 12)?;
        self.densities.load(from, (frames * self.shape.fluid) as u64 * 4)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        let run = page::Run { header: &self.header, bounds: self.bounds, series: &self.series, poses: &self.poses };
        let (positions, densities) = (&mut self.positions, &mut self.densities);
        self.target.persist(|out| {
            let (mut spool, mut densities) = (positions.rewind()?, densities.rewind()?);
            run.write(out, |frame, bytes| {
                read_floats(&mut spool, frame.as_flattened_mut())?;
                let mut density = [0.0];
                for byte in bytes {
                    read_floats(&mut densities, &mut density)?;
                    *byte = density::byte(density[0]);
                }
                Ok(())
            })
        })
    }
}

/// Takes the spool's next numbers.
fn read_floats(spool: &mut impl Read, numbers: &mut [f32]) -> io::Result<()> {
    for x in numbers {
        let mut bytes = [0; 4];
        spool.read_exact(&mut bytes)?;
        *x = f32::from_le_bytes(bytes);
    }
    Ok(())
}
