//! Point caches (PC2): the animation of a mesh that another program has, such as Blender's modifier Mesh Cache.
//!
//! A file is `POINTCACHE2\0`, then little-endian: version 1 (i32), number of points (i32), first frame (f32, 0), frames
//! a sample (f32, 1), number of samples (i32); then x, y and z (f32, metres) of all points, sample after sample.
//!
//! Points are the vertices of the mesh file in its order, also where it was repaired: those that became one move as
//! one, and one that was dropped stays at its place at rest. Of a glTF file they are the vertices that triangles use,
//! primitive after primitive, as Blender imports them; their places are the scene's, so a transform of the file's node
//! is to be applied there first.
//!
//! Places are relative to the scene's origin: f32 has no digits for one that is far away.
//!
//! Of several bodies each has a file of its own: `NAME-BODY.pc2`. The axes are the scene's: y points up unless gravity
//! says otherwise, so the modifier is told so.

use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::aside::{Spool, Target, plain};
use crate::frames::{BodyHeader, FileVertices, FrameWriter, Header, RecordedFrame};
use crate::shape::{FrameShape, check_finite};
use crate::{Error, kept};

/// Writes a `.pc2` file, or one for each body.
#[derive(Debug)]
pub struct Pc2Writer {
    target: Target,
    /// Where each body goes.
    bodies: Vec<Target>,
    shape: FrameShape,
    header: Header,
    frames: u64,
    positions: Spool,
}

impl Pc2Writer {
    /// Prepares files at `path`, or beside it under the names of the bodies; files of that name stay as they are until
    /// `finish`.
    ///
    /// # Errors
    /// When no file can be made there, the header's arrays do not agree, there is no body whose vertices a file could
    /// have, or two bodies would have the same file.
    pub fn new(path: &Path, header: &Header) -> Result<Self, Error> {
        let target = Target::new(path)?;
        if header.bodies.is_empty() {
            let what =
                "a point cache has the vertices of a deformable body, and the scene has none; use .glb, .npz, .html \
                        or .pvd for rigid bodies"
                    .to_owned();
            return Err(Error::Format { path: path.to_owned(), what });
        }
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
            shape: FrameShape::new(&target, header)?,
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
    path.with_file_name(format!("{stem}-{}.pc2", plain(body)))
}

/// Number of points of a body.
fn points(body: &BodyHeader) -> usize {
    body.source.as_ref().map_or(body.count as usize, |source| source.vertex.len())
}

/// Writes the points of one sample; `vertices` are the body's, x, y and z of each.
fn write_points(out: &mut impl Write, source: &FileVertices, vertices: &[u8]) -> io::Result<()> {
    let mut dropped = source.dropped.iter();
    for vertex in &source.vertex {
        match vertex {
            Some(vertex) => out.write_all(&vertices[12 * *vertex as usize..][..12])?,
            None => {
                let place = dropped.next().copied().unwrap_or_default();
                place.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
            }
        }
    }
    Ok(())
}

impl FrameWriter for Pc2Writer {
    fn room(&self, frames: u64) -> Result<(), Error> {
        if frames > i32::MAX as u64 {
            let what = format!("{frames} frames, and a point cache holds {} at most; write fewer", i32::MAX);
            return Err(Error::Format { path: self.target.path().to_owned(), what });
        }
        let points: usize = self.header.bodies.iter().map(points).sum();
        self.target.room(frames * (self.shape.vertices + points) as u64 * 12)
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
                out.write_all(&(points(body) as u32).to_le_bytes())?;
                out.write_all(&0f32.to_le_bytes())?;
                out.write_all(&1f32.to_le_bytes())?;
                out.write_all(&(frames as u32).to_le_bytes())?;
                let mut from = positions.rewind()?;
                let mut vertices = Vec::new();
                for frame in 0..frames {
                    from.seek(SeekFrom::Start(frame * frame_bytes + u64::from(body.first) * 12))?;
                    let mut of_body = (&mut from).take(u64::from(body.count) * 12);
                    let Some(source) = &body.source else {
                        io::copy(&mut of_body, out)?;
                        continue;
                    };
                    vertices.clear();
                    of_body.read_to_end(&mut vertices)?;
                    write_points(out, source, &vertices)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
