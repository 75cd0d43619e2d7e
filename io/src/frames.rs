//! What a simulation hands to the writers of frames: a header once, then frames.

use crate::{Drawn, Error};
use seidel::collider::Shape;
use std::io::{Read, Write};

/// What a writer has to know before the first frame. Vertices are in the order of the meshes, body after body.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Header {
    /// Name of the scene.
    pub scene: String,
    /// Frames a second.
    pub fps: f64,
    /// Bodies, in order; their vertices and triangles follow one another in the arrays below.
    pub bodies: Vec<BodyHeader>,
    /// Triangles of all bodies, indices into the frame's positions.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra of all bodies, likewise.
    pub tets: Vec<[u32; 4]>,
    /// Pairs of vertices with a rest length, for coloring by stretch and for drawing what has no triangles.
    pub edges: Vec<[u32; 2]>,
    /// Rest length of each edge, metres.
    pub rest_lengths: Vec<f32>,
    /// Inverse masses at the start, 1/kg; 0 does not move.
    pub inv_mass: Vec<f32>,
    /// Colliders, then shapes of rigid bodies; a frame has one pose for each.
    pub colliders: Vec<ColliderHeader>,
    /// Names of rigid bodies; a frame has one pose for each.
    pub rigid_names: Vec<String>,
    /// Where the zero of positions and poses is in the world, metres ([`seidel::State::origin`]). Frames are local:
    /// writers say what they make of it.
    pub origin: [f64; 3],
}

/// One body's part of the arrays.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BodyHeader {
    /// Name, unique in a scene.
    pub name: String,
    /// First vertex.
    pub first: u32,
    /// Number of vertices.
    pub count: u32,
    /// Distance that is kept around vertices, metres: how thick a body without triangles is drawn.
    pub thickness: f32,
    /// What is drawn of it, vertices from 0 on, if that is not what is simulated ([`crate::recording::dress`]).
    pub drawn: Option<Drawn>,
    /// Where its vertices are in the shape that the normals of `drawn` are of, metres. A model keeps these normals, and
    /// turns them with the surface from there on. Empty if it is not known: then they only say which edges are hard.
    pub rest: Vec<[f32; 3]>,
    /// The vertices of the file that it was made of, if it was made of one ([`crate::recording::trace`]).
    pub source: Option<FileVertices>,
    /// What is shown in place of its tetrahedra, if its vertices are theirs.
    pub skin: Option<SkinHeader>,
    /// What a fluid is made of, or grains are; its vertices are particles, without triangles and edges.
    pub fluid: Option<FluidHeader>,
}

/// Vertices of a surface that a body's tetrahedra carry.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SkinHeader {
    /// Of each the number of its tetrahedron in [`Header::tets`].
    pub tets: Vec<u32>,
    /// Of each its barycentric coordinates there.
    pub weights: Vec<[f32; 4]>,
    /// The vertices of the file that the surface comes from, if it comes from one ([`crate::recording::trace`]).
    pub source: Option<FileVertices>,
}

/// What a body of a fluid's particles is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FluidHeader {
    /// Distance of neighbours at rest, metres.
    pub spacing: f32,
    /// At rest, kg/m^3; of grains that of a grain.
    pub density: f32,
    /// Whether it is grains: their size is the spacing, and 1 the density of each that is there.
    pub grains: bool,
}

/// Vertices of a mesh file, in its order, and what became of them. Of a glTF file they are those that triangles use,
/// primitive after primitive: what [`crate::gltf`] draws.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FileVertices {
    /// For each the vertex of the body, from 0 on: several may have become one. None if the repair has dropped it.
    pub vertex: Vec<Option<u32>>,
    /// Where those that were dropped would be before the first step, in their order, metres.
    pub dropped: Vec<[f32; 3]>,
}

impl BodyHeader {
    /// A body of this name whose vertices are `count` from `first` on; all else is unknown or nothing.
    #[must_use]
    pub fn new(name: impl Into<String>, first: u32, count: u32) -> Self {
        Self { name: name.into(), first, count, ..Self::default() }
    }
}

impl FluidHeader {
    /// Of a fluid: the distance of neighbours at rest, metres, and the density there, kg/m^3.
    #[must_use]
    pub fn new(spacing: f32, density: f32) -> Self {
        Self { spacing, density, grains: false }
    }
}

impl FileVertices {
    /// What became of a file's vertices, and where those that were dropped would be, metres.
    #[must_use]
    pub fn new(vertex: Vec<Option<u32>>, dropped: Vec<[f32; 3]>) -> Self {
        Self { vertex, dropped }
    }

    /// Of a file whose vertices are the body's.
    #[must_use]
    pub fn unchanged(count: u32) -> Self {
        Self { vertex: (0..count).map(Some).collect(), dropped: Vec::new() }
    }
}

impl Header {
    /// Of a scene of this name with so many frames a second, without bodies and colliders.
    ///
    /// # Example
    /// ```
    /// use seidel_io::frames::{BodyHeader, Header};
    /// let mut header = Header::new("flag", 60.0);
    /// header.bodies.push(BodyHeader::new("cloth", 0, 3));
    /// header.inv_mass = vec![1.0; 3];
    /// assert_eq!(header.fluid_particles(), 0);
    /// ```
    #[must_use]
    pub fn new(scene: impl Into<String>, fps: f64) -> Self {
        Self { scene: scene.into(), fps, ..Self::default() }
    }

    /// Whether the zero of positions is not the world's.
    pub(crate) fn is_away(&self) -> bool {
        self.origin != [0.0; 3]
    }

    /// The fluids: the number of the body, the body, what it is made of, and where its particles begin in
    /// [`RecordedFrame::densities`].
    pub fn fluids(&self) -> impl Iterator<Item = (usize, &BodyHeader, FluidHeader, usize)> {
        let mut next = 0;
        let fluids = self.bodies.iter().enumerate().filter_map(|(number, body)| Some((number, body, body.fluid?)));
        fluids.map(move |(number, body, fluid)| {
            let first = next;
            next += body.count as usize;
            (number, body, fluid, first)
        })
    }

    /// Particles of all fluids, those that are not there among them.
    #[must_use]
    pub fn fluid_particles(&self) -> usize {
        self.fluids().map(|(_, body, ..)| body.count as usize).sum()
    }
}

/// A collider, or a shape of a rigid body, as a picture needs it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderHeader {
    /// Name, unique in a scene; of a rigid body's shape the body's.
    pub name: String,
    /// Shape in its own frame.
    pub shape: Shape,
    /// The number of its rigid body, if it is a shape of one.
    pub rigid: Option<u32>,
}

impl ColliderHeader {
    /// A collider of this name and shape, which is no rigid body's.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        Self { name: name.into(), shape, rigid: None }
    }
}

/// The state at one time.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordedFrame<'a> {
    /// Seconds since the start.
    pub time: f64,
    /// Positions, metres.
    pub positions: &'a [[f32; 3]],
    /// Velocities, m/s.
    pub velocities: &'a [[f32; 3]],
    /// Poses of colliders, then of rigid bodies' shapes: x, y, z and the unit quaternion x, y, z, w.
    pub poses: &'a [[f32; 7]],
    /// Poses of rigid bodies' own frames, likewise.
    pub rigid_poses: &'a [[f32; 7]],
    /// Kinetic and gravitational energy (zero at y = 0 along gravity), joules.
    pub energy: [f64; 2],
    /// Largest stretch of an edge, (length - rest) / rest.
    pub max_stretch: f32,
    /// Of the particles of all fluids, body after body: density over that at rest, with what walls add to it; 0 of a
    /// particle that is not there, whose position is that of another and says nothing.
    pub densities: &'a [f32],
    /// Of the same particles: a number that no other of the scene has, birth in its fluid
    /// ([`seidel::State::fluid_ids`]) * fluids + number of its fluid, of which the lowest 32 bits are kept.
    pub ids: &'a [u32],
}

impl<'a> RecordedFrame<'a> {
    /// Positions at a time, metres and seconds; all else is nothing.
    #[must_use]
    pub fn new(time: f64, positions: &'a [[f32; 3]]) -> Self {
        Self { time, positions, ..Self::default() }
    }
}

/// Something that frames are written to. A file appears only when `finish` returns; dropped before, it leaves nothing.
pub trait FrameWriter {
    /// Refuses a run of so many frames that its file could not hold, or that would not fit on the disk: before the
    /// first frame, not after the last that fits.
    ///
    /// # Errors
    /// One line with both numbers, and what to do.
    fn room(&self, frames: u64) -> Result<(), Error>;

    /// Takes one more frame.
    ///
    /// # Errors
    /// When the frame cannot be kept (disk full, arrays of other lengths than the header says).
    fn frame(&mut self, frame: &RecordedFrame<'_>) -> Result<(), Error>;

    /// Writes down what it has got so far, so that [`FrameWriter::load`] goes on from there. Not for reading on another
    /// machine.
    ///
    /// # Errors
    /// When it cannot be written.
    fn save(&mut self, out: &mut dyn Write) -> std::io::Result<()>;

    /// Takes what a writer with the same header has saved; it has no frame yet.
    ///
    /// # Errors
    /// When it cannot be read, or ends early.
    fn load(&mut self, from: &mut dyn Read) -> std::io::Result<()>;

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the file cannot be written; then none is left.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}
