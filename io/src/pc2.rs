//! Point caches (PC2): the animation of a mesh that another program has, such as Blender's modifier Mesh Cache.
//!
//! A file is `POINTCACHE2\0`, then little-endian: version 1 (i32), number of points (i32), first frame (f32, 0), frames a sample (f32,
//! 1), number of samples (i32); then x, y and z (f32, metres) of all points, sample after sample. Points are in the order of the mesh
//! file. Of several bodies each has a file of its own: `NAME-BODY.pc2`. The axes are the scene's: y points up unless gravity says
//! otherwise, so the modifier is told so.

use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::aside::{Spool, Target};
use crate::frames::{FrameWriter, Header, RecordedFrame};
use crate::shape::{Shape, check_finite};
use crate::{Error, kept};

/// Writes a `.pc2` file, or one for each body.
#[derive(Debug)]
pub struct Pc2Writer {
    target: Target,
    /// Where each body goes.
    bodies: Vec<Target>,
    shape: Shape,
    header: Header,
    frames: u64,
    positions: Spool,
}

impl Pc2Writer {
    /// Prepares files at `path`, or beside it under the names of the bodies; files of that name stay as they are until `finish`.
    ///
    /// # Errors
    /// When no file can be made there, the header's arrays do not agree, or two bodies would have the same file.
    pub fn new(path: &Path, header: &Header) -> Result<Self, Error> {
        let target = Target::new(path)?;
        let bodies = match &header.bodies[..] {
            [_] => vec![target.clone()],
            several => several.iter().map(|body| Target::new(&beside(path, &body.name))).collect::<Result<_, _>>()?,
        };
        let mut names = HashSet::new();
        if let Some(body) = header.bodies.iter().find(|body| !names.insert(beside(path, &body.name))) {
            let what =
                format!("the file of body `{}` would be another's; give bodies names of letters and digits", body.name);
            return Err(Error::Format { path: path.to_owned(), what });
        }
        Ok(Self {
            shape: Shape::new(&target, header)?,
            header: header.clone(),
            frames: 0,
            positions: target.spool()?,
            bodies,
            target,
        })
    }
}

/// The file of a body, among several.
fn beside(path: &Path, body: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    path.with_file_name(format!("{stem}-{}.pc2", body.chars().map(plain).collect::<String>()))
}

impl FrameWriter for Pc2Writer {
    fn room(&self, frames: u64) -> Result<(), Error> {
        if frames > i32::MAX as u64 {
            let what = format!("{frames} frames, and a point cache holds {} at most; write fewer", i32::MAX);
            return Err(Error::Format { path: self.target.path().to_owned(), what });
        }
        self.target.room(2 * frames * self.shape.vertices as u64 * 12)
    }

    fn frame(&mut self, frame: &RecordedFrame<'_>) -> Result<(), Error> {
        self.shape.check(&self.target, self.frames as usize, frame)?;
        check_finite(&self.target, &self.header, self.frames as usize, frame)?;
        self.frames += 1;
        self.positions.push(frame.positions.as_flattened()).map_err(|e| self.target.error(e))
    }

    fn save(&mut self, out: &mut dyn Write) -> io::Result<()> {
        kept::put(out, &[self.frames])?;
        self.positions.save(out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.frames = *kept::take(from)?.first().ok_or_else(kept::short)?;
        let bytes = self.frames.checked_mul(self.shape.vertices as u64 * 12).ok_or_else(kept::short)?;
        self.positions.load(from, bytes)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        let frame_bytes = self.shape.vertices as u64 * 12;
        for (body, target) in self.header.bodies.iter().zip(&self.bodies) {
            let (frames, positions) = (self.frames, &mut self.positions);
            target.persist(|out| {
                out.write_all(b"POINTCACHE2\0")?;
                out.write_all(&1i32.to_le_bytes())?;
                out.write_all(&body.count.to_le_bytes())?;
                out.write_all(&0f32.to_le_bytes())?;
                out.write_all(&1f32.to_le_bytes())?;
                out.write_all(&(frames as u32).to_le_bytes())?;
                let mut from = positions.rewind()?;
                for frame in 0..frames {
                    from.seek(SeekFrom::Start(frame * frame_bytes + u64::from(body.first) * 12))?;
                    io::copy(&mut (&mut from).take(u64::from(body.count) * 12), out)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
