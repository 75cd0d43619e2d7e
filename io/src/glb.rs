//! Frames as one animated `.glb` file (glTF 2.0), for Blender, game engines and viewers on the web.
//!
//! Each body is a node with a mesh: triangles, or lines for a body that has none (a rope), or points. The mesh is the
//! first frame; each frame is a morph target of it, positions and normals as differences; and one animation has a key
//! for each frame, at which that frame's target has the weight 1 and all others 0. Colliders are nodes with a mesh
//! each, and move in the same animation; a plane is a square that is larger than the scene.
//!
//! A body whose header has a [`Drawn`](crate::Drawn) mesh is drawn with that, its vertices in their order: texture
//! coordinates as they were (from OBJ and PLY with v as 1 - v, since glTF's goes down), and the source's normals,
//! turned with the surface ([`BodyHeader::rest`](crate::frames::BodyHeader::rest)). It has a primitive for each
//! material, with a plain material of that name; all of them share the vertices. Triangles are in their order within a
//! primitive. Objects and groups are in the primitive's `extras`: `names`, the first of which is empty, and `runs` of
//! triangles, each as the index of the object's name, that of the group's, and a number of triangles.
//! [`crate::gltf::read`] reads them again.
//!
//! The first frame's positions are the frame's bits; those of
//! another are off by the rounding of a difference, less than 1e-7 of the largest coordinate.
//!
//! With [`GlbWriter::surfaces`] a fluid is not points but, for each frame, a node with the triangles of its surface,
//! which is scaled to nothing in all other frames: for short clips, since a file has the surfaces of all frames.
//!
//! Where the scene's origin is not zero, all nodes are children of one, `origin`, whose translation it is. glTF has
//! f32: a million metres away that is off by up to 0.03 m, and viewers that do not subtract the camera first make the
//! motion jump by as much. The node's `extras` have `origin` with all digits.
//!
//! A drawn vertex takes 24 bytes a frame, 12 without triangles, and a frame 4 bytes more for each frame of the run; a
//! GLB file has 4 GiB at most. Viewers load all of it: write fewer frames where that is much.

mod body;
mod document;
mod surfaces;
mod writer;

use crate::aside::Target;
use crate::frames::{FrameWriter, Header, RecordedFrame};
use crate::shape::{FrameShape, check_finite};
use crate::{Error, kept};
use body::Body;
use document::Document;
use std::io::{self, Read, Write};
use std::path::Path;
pub(crate) use surfaces::NO_SURFACES;
use surfaces::OfFluid;
pub use writer::{GlbWriter, Interpolation};

/// What the format's 32-bit lengths can say.
const MAX_BYTES: u64 = u32::MAX as u64;

/// Most materials of a body: each repeats the list of all frames' morph targets in the file's JSON.
const MAX_MATERIALS: usize = 256;

impl GlbWriter {
    /// Prepares a file at `path`; a file of that name stays as it is until `finish`.
    ///
    /// # Errors
    /// When no file can be made there, the header's arrays do not agree, or a body has more than 256 materials.
    pub fn new(path: &Path, header: &Header, interpolation: Interpolation) -> Result<Self, Error> {
        Self::to(Target::new(path)?, header, interpolation)
    }

    pub(crate) fn to(target: Target, header: &Header, interpolation: Interpolation) -> Result<Self, Error> {
        let shape = FrameShape::new(&target, header)?;
        let bodies = body::bodies(header);
        if let Some(body) = bodies.iter().find(|body| body.surfaces.len() > MAX_MATERIALS) {
            let (name, many) = (&body.name, body.surfaces.len());
            let what = format!(
                "body {name:?} has {many} materials, and a body of a GLB file {MAX_MATERIALS} at most; join materials of its mesh"
            );
            return Err(Error::Format { path: target.path().to_owned(), what });
        }
        Ok(Self {
            shape,
            header: header.clone(),
            interpolation,
            bodies,
            times: Vec::new(),
            poses: Vec::new(),
            targets: target.spool()?,
            reach: 0.0,
            surfaces: Vec::new(),
            target,
        })
    }

    /// Writes fluids as the triangles of their surfaces, in place of points. Not with the same bits each time.
    ///
    /// # Errors
    /// Without the feature `surface`.
    pub fn surfaces(mut self) -> Result<Self, Error> {
        if !cfg!(feature = "surface") {
            return Err(Error::Format { path: self.target.path().to_owned(), what: NO_SURFACES.to_owned() });
        }
        for (number, fluid) in OfFluid::all(&self.header) {
            self.bodies[number].vertex.clear();
            self.surfaces.push(fluid);
        }
        Ok(self)
    }

    /// Bytes of a frame's morph targets.
    fn frame_bytes(&self) -> u64 {
        self.bodies.iter().map(Body::target_bytes).sum()
    }

    fn refuse(&self, what: String) -> Result<(), Error> {
        Err(Error::Frame { path: self.target.path().to_owned(), frame: self.times.len(), what })
    }
}

impl FrameWriter for GlbWriter {
    fn room(&self, frames: u64) -> Result<(), Error> {
        let bytes = |frames: u64| frames.saturating_mul(self.frame_bytes()).saturating_add(4 * frames * frames);
        let need = bytes(frames);
        if need > MAX_BYTES {
            // What the rest takes is not known yet: a little less than the limit.
            let (mut fits, mut beyond) = (0, frames);
            while fits + 1 < beyond {
                let middle = fits.midpoint(beyond);
                *if bytes(middle) < MAX_BYTES / 100 * 99 { &mut fits } else { &mut beyond } = middle;
            }
            let every = frames.div_ceil(fits.max(1));
            return Err(Error::Format {
                path: self.target.path().to_owned(),
                what: format!(
                    "{frames} frames make {need} bytes, and a GLB file holds {MAX_BYTES} at most: {fits} frames; write one \
                     in {every} (`--every {every}`), or arrays (.npz)"
                ),
            });
        }
        self.target.room(2 * need)
    }

    fn frame(&mut self, frame: &RecordedFrame<'_>) -> Result<(), Error> {
        self.shape.check(&self.target, self.times.len(), frame)?;
        check_finite(&self.target, &self.header, self.times.len(), frame)?;
        let time = frame.time as f32;
        if let Some(last) = self.times.last().filter(|last| **last >= time) {
            return self.refuse(format!("its time {time} s is not after the last, {last} s, in 32 bits"));
        }
        let frames = self.times.len() as u64 + 1;
        // The rest, what is there once and the JSON, is counted at the end.
        let bytes = frames * self.frame_bytes() + 4 * frames * frames;
        if bytes > MAX_BYTES {
            return self.refuse(format!(
                "its morph targets would make {bytes} bytes, and a GLB file holds {MAX_BYTES} at most; write fewer frames, or arrays (.npz)"
            ));
        }
        if self.times.is_empty() {
            let coordinates = frame.positions.as_flattened().iter().chain(frame.poses.iter().flat_map(|p| &p[..3]));
            self.reach = coordinates.fold(0.0, |most: f32, x| if x.abs() > most { x.abs() } else { most });
        }
        for body in &mut self.bodies {
            body.frame(frame.positions, &mut self.targets).map_err(|e| self.target.error(e))?;
        }
        for number in 0..self.surfaces.len() {
            let surface = &mut self.surfaces[number];
            if let Err(why) = surface.frame(frame) {
                let what = format!("no surface can be made of body `{}`: {why}", surface.name);
                return self.refuse(what);
            }
        }
        let bytes = bytes + self.surfaces.iter().map(OfFluid::bytes).sum::<u64>();
        if bytes > MAX_BYTES {
            return self.refuse(format!(
                "surfaces make {bytes} bytes, and a GLB file holds {MAX_BYTES} at most; write fewer frames"
            ));
        }
        self.times.push(time);
        self.poses.push(frame.poses.to_vec());
        Ok(())
    }

    fn save(&mut self, out: &mut dyn Write) -> io::Result<()> {
        kept::put(out, &self.times)?;
        kept::put(out, &self.poses.concat())?;
        kept::put(out, &[self.reach])?;
        for body in &self.bodies {
            kept::put(out, &body.positions)?;
            kept::put(out, &body.normals)?;
            kept::put(out, body.bounds.as_flattened())?;
        }
        self.surfaces.iter().try_for_each(|surface| surface.save(out))?;
        self.targets.save(out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.times = kept::take(from)?;
        let poses: Vec<[f32; 7]> = kept::take(from)?;
        let colliders = self.shape.colliders;
        self.poses = (0..self.times.len())
            .map(|f| poses.iter().skip(f * colliders).take(colliders).copied().collect())
            .collect();
        self.reach = *kept::take(from)?.first().ok_or_else(kept::short)?;
        for body in &mut self.bodies {
            body.positions = kept::take(from)?;
            body.normals = kept::take(from)?;
            let bounds: Vec<[f32; 3]> = kept::take(from)?;
            body.bounds = bounds.chunks_exact(2).map(|two| [two[0], two[1]]).collect();
            let whole = body.bounds.len() == self.times.len() && body.positions.len() == body.vertices();
            if !whole || body.has_normals() && body.normals.len() != body.vertices() {
                return Err(kept::short());
            }
        }
        let frames = self.times.len();
        self.surfaces.iter_mut().try_for_each(|surface| surface.load(from, frames))?;
        if poses.len() != colliders * self.times.len() {
            return Err(kept::short());
        }
        let bytes = self.frame_bytes() * self.times.len() as u64;
        self.targets.load(from, bytes)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        let fail = |what: String| Error::Format { path: self.target.path().to_owned(), what };
        if self.times.is_empty() {
            return Err(fail("no frame was written; there is nothing to show".to_owned()));
        }
        let targets = self.times.len() as u64 * self.frame_bytes();
        let mut document = Document::new(&self.header.scene, targets);
        document.write(&self);
        let (mut json, rest) = document.finish().map_err(|e| fail(e.to_string()))?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let frames = self.times.len();
        let bin = targets + rest.len() as u64 + 4 * (frames * frames) as u64;
        let total = 12 + 8 + json.len() as u64 + 8 + bin;
        if total > MAX_BYTES {
            return Err(fail(format!(
                "{total} bytes, and a GLB file holds {MAX_BYTES} at most; write fewer frames, or arrays (.npz)"
            )));
        }
        let targets = &mut self.targets;
        self.target.persist(|out| {
            out.write_all(b"glTF")?;
            for number in [2, total as u32, json.len() as u32] {
                out.write_all(&number.to_le_bytes())?;
            }
            out.write_all(b"JSON")?;
            out.write_all(&json)?;
            out.write_all(&(bin as u32).to_le_bytes())?;
            out.write_all(b"BIN\0")?;
            io::copy(&mut targets.rewind()?, out)?;
            out.write_all(&rest)?;
            write_weights(out, frames)
        })
    }
}

/// One row a key: 1 for the frame's own target, 0 for all others.
fn write_weights(out: &mut impl Write, frames: usize) -> io::Result<()> {
    let mut row = vec![0; 4 * frames];
    for key in 0..frames {
        row[4 * key..][..4].copy_from_slice(&1f32.to_le_bytes());
        out.write_all(&row)?;
        row[4 * key..][..4].fill(0);
    }
    Ok(())
}
