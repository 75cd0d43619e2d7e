//! Frames as NumPy arrays in one `.npz` archive.
//!
//! | array | type | shape |
//! |---|---|---|
//! | `positions`, `velocities` | f4, metres and m/s | frames, vertices, 3 |
//! | `time` | f8, seconds | frames |
//! | `rigid_poses`, of rigid bodies' own frames | f4: x, y, z and the quaternion x, y, z, w | frames, rigid bodies, 7 |
//! | `collider_poses`, of colliders and then of rigid bodies' shapes | the same | frames, shapes, 7 |
//! | `collider_names`: of a rigid body's shape the body's | unicode | shapes |
//! | `rigid_names`, `body_names` | unicode | rigid bodies; deformable bodies |
//! | `body_first` | u4, a body's first vertex | bodies |
//! | `triangles`, `tetrahedra`, `edges` | u4 | triangles, 3; tetrahedra, 4; edges, 2 |
//! | `rest_lengths` | f4, metres | edges |
//! | `inv_mass` | f4, 1/kg | vertices |
//! | `origin`, where it is not zero | f8, metres | 3 |
//! | `NAME_vertex_map`, of each body that was made of a mesh file | i4, indices into `positions` | vertices of the file |
//! | `NAME_skin_tetrahedron`, of each body with a skin | i4, indices into `tetrahedra` | vertices of the skin's file |
//! | `NAME_skin_weights` | f4, barycentric coordinates | vertices of the skin's file, 4 |
//!
//! Positions and poses are relative to the scene's `origin`: `run["positions"] + run["origin"]` are in the world, in f64.
//!
//! A scene with fluids has these, too. `positions[f][fluid_particles[fluid_alive[f]]]` are the places of all particles
//! that are there in frame f:
//!
//! | array | type | shape |
//! |---|---|---|
//! | `fluid_body` | u4, its number among the bodies | fluids |
//! | `fluid_spacing`, `fluid_rest_density` | f4, metres and kg/m^3 | fluids |
//! | `fluid_particles` | u4, indices into `positions` | particles |
//! | `fluid_particle_fluid` | u4, the number of its fluid among the fluids | particles |
//! | `fluid_ids` | u4, its number, which no other of the scene has: birth in its fluid * fluids + number of its fluid. A vertex is another particle once its number is another | frames, particles |
//! | `fluid_alive` | bool, whether it is there; if not, its position is another's | frames, particles |
//! | `fluid_density` | f4, kg/m^3, with what walls add; 0 of what is not there | frames, particles |
//!
//! `positions[f][cloth_vertex_map]` are the places in frame f of the vertices of the file that the body `cloth` was
//! made of, in the file's order. Vertices that a repair has made one have the same index, and one that it has dropped
//! has -1. Of a glTF file the vertices are those that triangles use, primitive after primitive. A body without a file
//! has none, nor has a solid that fills the surface of a file with tetrahedra. Of a solid that is filled or has a skin,
//! `NAME_skin_tetrahedron` and `NAME_skin_weights` say where its tetrahedra carry the vertices of the surface's file,
//! or of the surface itself if it has no file, such as one of balls. In NAME, characters other than letters, digits,
//! `-`, `_` and `.` are `_`; of bodies whose names are the same then, the later ones get `_` and their number among the
//! bodies.
//!
//! Numbers are little-endian on every host. Entries are stored, not deflated: float noise gives little, and a stored
//! array can be mapped. Each entry has the 64-bit sizes of zip64, so that more than 4 GiB fit.

use std::collections::HashSet;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use npyz::{DType, WriteOptions, WriterBuilder};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::aside::{Spool, Target, plain};
use crate::frames::{FrameWriter, Header, RecordedFrame, SkinHeader};
use crate::shape::FrameShape;
use crate::{Error, kept};

/// Writes a `.npz` archive.
#[derive(Debug)]
pub struct NpzWriter {
    target: Target,
    shape: FrameShape,
    header: Header,
    time: Vec<f64>,
    positions: Spool,
    velocities: Spool,
    poses: Spool,
    rigid_poses: Spool,
    densities: Spool,
    ids: Spool,
}

impl NpzWriter {
    /// Prepares an archive at `path`; a file of that name stays as it is until `finish`.
    ///
    /// # Errors
    /// When no file can be made there, or the header's arrays do not agree.
    pub fn new(path: &Path, header: &Header) -> Result<Self, Error> {
        Self::to(Target::new(path)?, header)
    }

    pub(crate) fn to(target: Target, header: &Header) -> Result<Self, Error> {
        Ok(Self {
            shape: FrameShape::new(&target, header)?,
            header: header.clone(),
            time: Vec::new(),
            positions: target.spool()?,
            velocities: target.spool()?,
            poses: target.spool()?,
            rigid_poses: target.spool()?,
            densities: target.spool()?,
            ids: target.spool()?,
            target,
        })
    }
}

impl FrameWriter for NpzWriter {
    fn room(&self, frames: u64) -> Result<(), Error> {
        // What is spooled stands in the file, too, before the spool goes.
        let FrameShape { vertices, colliders, rigid, fluid } = self.shape;
        let poses = (colliders + rigid) as u64;
        self.target.room(2 * frames * (vertices as u64 * 24 + poses * 28 + fluid as u64 * 9))
    }

    fn frame(&mut self, frame: &RecordedFrame<'_>) -> Result<(), Error> {
        self.shape.check(&self.target, self.time.len(), frame)?;
        self.time.push(frame.time);
        self.positions
            .push(frame.positions.as_flattened())
            .and_then(|()| self.velocities.push(frame.velocities.as_flattened()))
            .and_then(|()| self.poses.push(frame.poses.as_flattened()))
            .and_then(|()| self.rigid_poses.push(frame.rigid_poses.as_flattened()))
            .and_then(|()| self.densities.push(frame.densities))
            .and_then(|()| self.ids.push_words(frame.ids))
            .map_err(|e| self.target.error(e))
    }

    fn save(&mut self, out: &mut dyn Write) -> io::Result<()> {
        kept::put(out, &self.time)?;
        let moving = [&mut self.positions, &mut self.velocities, &mut self.poses, &mut self.rigid_poses];
        let fluids = [&mut self.densities, &mut self.ids];
        moving.into_iter().chain(fluids).try_for_each(|spool| spool.save(out))
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.time = kept::take(from)?;
        let frames = self.time.len() as u64;
        let moving = frames * self.shape.vertices as u64 * 12;
        self.positions.load(from, moving)?;
        self.velocities.load(from, moving)?;
        self.poses.load(from, frames * self.shape.colliders as u64 * 28)?;
        self.rigid_poses.load(from, frames * self.shape.rigid as u64 * 28)?;
        self.densities.load(from, frames * self.shape.fluid as u64 * 4)?;
        self.ids.load(from, frames * self.shape.fluid as u64 * 4)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        let (frames, header) = (self.time.len() as u64, &self.header);
        let moving = [frames, self.shape.vertices as u64, 3];
        let bodies = || header.bodies.iter();
        self.target.persist(|out| {
            let mut zip = Archive(ZipWriter::new(out));
            zip.stream("positions", "<f4", &moving, self.positions.rewind()?)?;
            zip.stream("velocities", "<f4", &moving, self.velocities.rewind()?)?;
            zip.array("time", "<f8", &[frames], self.time.iter().map(|v| v.to_le_bytes()))?;
            zip.stream("collider_poses", "<f4", &[frames, self.shape.colliders as u64, 7], self.poses.rewind()?)?;
            zip.names("collider_names", header.colliders.iter().map(|c| c.name.as_str()))?;
            zip.stream("rigid_poses", "<f4", &[frames, self.shape.rigid as u64, 7], self.rigid_poses.rewind()?)?;
            zip.names("rigid_names", header.rigid_names.iter().map(String::as_str))?;
            zip.names("body_names", bodies().map(|b| b.name.as_str()))?;
            zip.u32s("body_first", &[bodies().len()], bodies().map(|b| b.first))?;
            zip.u32s("triangles", &[header.triangles.len(), 3], header.triangles.as_flattened().iter().copied())?;
            zip.u32s("tetrahedra", &[header.tets.len(), 4], header.tets.as_flattened().iter().copied())?;
            zip.u32s("edges", &[header.edges.len(), 2], header.edges.as_flattened().iter().copied())?;
            zip.f32s("rest_lengths", &header.rest_lengths)?;
            zip.f32s("inv_mass", &header.inv_mass)?;
            if header.is_away() {
                zip.array("origin", "<f8", &[3], header.origin.iter().map(|v| v.to_le_bytes()))?;
            }
            if self.shape.fluid > 0 {
                zip.stream("fluid_ids", "<u4", &[frames, self.shape.fluid as u64], self.ids.rewind()?)?;
                write_fluids(&mut zip, header, frames, &mut self.densities)?;
            }
            for (name, body) in map_names(header).iter().zip(&header.bodies) {
                if let Some(source) = &body.source {
                    let index = |v: Option<u32>| v.map_or(-1, |v| (body.first + v) as i32);
                    let indices = source.vertex.iter().map(|&v| index(v).to_le_bytes());
                    zip.array(&format!("{name}_vertex_map"), "<i4", &[source.vertex.len() as u64], indices)?;
                }
                if let Some(skin) = &body.skin {
                    write_skin(&mut zip, name, skin)?;
                }
            }
            zip.0.finish()?;
            Ok(())
        })
    }
}

/// Writes where a skin's vertices are in tetrahedra, in the order of its file.
fn write_skin<W: Write + Seek>(zip: &mut Archive<W>, name: &str, skin: &SkinHeader) -> io::Result<()> {
    let own = || (0..skin.tets.len() as u32).map(Some).collect();
    let vertices: Vec<Option<u32>> = skin.source.as_ref().map_or_else(own, |source| source.vertex.clone());
    let tet = |v: Option<u32>| v.map_or(-1, |v| skin.tets[v as usize] as i32);
    let count = vertices.len() as u64;
    let tets = vertices.iter().map(|&v| tet(v).to_le_bytes());
    zip.array(&format!("{name}_skin_tetrahedron"), "<i4", &[count], tets)?;
    let weights = vertices.iter().flat_map(|v| v.map_or([0.0; 4], |v| skin.weights[v as usize]));
    zip.array(&format!("{name}_skin_weights"), "<f4", &[count, 4], weights.map(f32::to_le_bytes))
}

/// Writes the arrays of fluids.
fn write_fluids<W: Write + Seek>(
    zip: &mut Archive<W>,
    header: &Header,
    frames: u64,
    densities: &mut Spool,
) -> io::Result<()> {
    let fluids: Vec<_> = header.fluids().collect();
    let particles = header.fluid_particles();
    let each =
        || (0..).zip(&fluids).flat_map(|(fluid, &(_, body, of, _))| (0..body.count).map(move |v| (fluid, body, of, v)));
    zip.u32s("fluid_body", &[fluids.len()], fluids.iter().map(|&(number, ..)| number as u32))?;
    zip.f32s("fluid_spacing", &fluids.iter().map(|(_, _, of, _)| of.spacing).collect::<Vec<_>>())?;
    zip.f32s("fluid_rest_density", &fluids.iter().map(|(_, _, of, _)| of.density).collect::<Vec<_>>())?;
    zip.u32s("fluid_particles", &[particles], each().map(|(_, body, _, v)| body.first + v))?;
    zip.u32s("fluid_particle_fluid", &[particles], each().map(|(fluid, ..)| fluid))?;
    let rest: Vec<f32> = each().map(|(_, _, of, _)| of.density).collect();
    let shape = [frames, particles as u64];
    let mut frame = vec![0u8; 4 * particles];
    let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
    let (mut from, out) = (densities.rewind()?, zip.start("fluid_alive", "|b1", &shape)?);
    for _ in 0..frames {
        from.read_exact(&mut frame)?;
        let there: Vec<u8> = frame.as_chunks().0.iter().map(|bytes| u8::from(number(bytes) > 0.0)).collect();
        out.write_all(&there)?;
    }
    let (mut from, out) = (densities.rewind()?, zip.start("fluid_density", "<f4", &shape)?);
    for _ in 0..frames {
        from.read_exact(&mut frame)?;
        for (bytes, rest) in frame.as_chunks_mut::<4>().0.iter_mut().zip(&rest) {
            *bytes = (number(bytes) * rest).to_le_bytes();
        }
        out.write_all(&frame)?;
    }
    Ok(())
}

/// A name for each body, of characters that a file's name may have: each once, so that no two arrays have the same.
fn map_names(header: &Header) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::new();
    for (number, body) in header.bodies.iter().enumerate() {
        let mut name = plain(&body.name);
        // Another body may be called so, too.
        while !taken.insert(name.clone()) {
            name = format!("{name}_{number}");
        }
        names.push(name);
    }
    names
}

/// A zip archive of arrays.
struct Archive<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Archive<W> {
    /// Writes the entry's header; the elements follow as they are.
    fn start(&mut self, name: &str, dtype: &str, shape: &[u64]) -> io::Result<&mut ZipWriter<W>> {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            // The zip format's own first day: equal input gives equal bytes.
            .last_modified_time(zip::DateTime::default())
            .large_file(true);
        self.0.start_file(npyz::npz::file_name_from_array_name(name), options)?;
        let dtype = DType::Plain(dtype.parse().map_err(io::Error::other)?);
        WriteOptions::new_header_only().dtype(dtype).shape(shape).writer(&mut self.0).write_header_only()
    }

    fn stream(&mut self, name: &str, dtype: &str, shape: &[u64], mut bytes: impl Read) -> io::Result<()> {
        io::copy(&mut bytes, self.start(name, dtype, shape)?).map(drop)
    }

    fn array<const N: usize>(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[u64],
        elements: impl Iterator<Item = [u8; N]>,
    ) -> io::Result<()> {
        let bytes: Vec<u8> = elements.flatten().collect();
        self.start(name, dtype, shape)?.write_all(&bytes)
    }

    fn u32s(&mut self, name: &str, shape: &[usize], numbers: impl Iterator<Item = u32>) -> io::Result<()> {
        let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
        self.array(name, "<u4", &shape, numbers.map(u32::to_le_bytes))
    }

    fn f32s(&mut self, name: &str, numbers: &[f32]) -> io::Result<()> {
        self.array(name, "<f4", &[numbers.len() as u64], numbers.iter().map(|v| v.to_le_bytes()))
    }

    /// A fixed-width array of unicode, which NumPy loads without pickle.
    fn names<'a>(&mut self, name: &str, names: impl Iterator<Item = &'a str> + Clone) -> io::Result<()> {
        // NumPy itself never writes a width of zero.
        let width = names.clone().map(|s| s.chars().count()).max().unwrap_or(0).max(1);
        let shape = [names.clone().count() as u64];
        let padded = names.flat_map(|s| s.chars().map(u32::from).chain(std::iter::repeat(0)).take(width));
        self.array(name, &format!("<U{width}"), &shape, padded.map(u32::to_le_bytes))
    }
}
