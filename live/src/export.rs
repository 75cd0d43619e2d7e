//! A file of recorded frames, made in memory.

use crate::message::Reply;
use seidel_io::aside::Memory;
use seidel_io::frames::{FrameWriter, Header, RecordedFrame};
use seidel_io::writers::{self, Options};

/// A file that is being made.
pub(crate) struct Export {
    writer: Box<dyn FrameWriter + Send>,
    file: Memory,
    vertices: usize,
    poses: usize,
    /// Rigid bodies.
    rigid: usize,
    /// Particles of fluids.
    fluid: usize,
    /// Bytes that frames may still have.
    room: u64,
}

impl Export {
    /// Begins a file, whose frames may have so many bytes.
    pub(crate) fn new(name: &str, header: &Header, room: u64) -> Result<Export, String> {
        let (writer, file) = writers::in_memory(name, header, &Options::default()).map_err(|e| e.to_string())?;
        let (vertices, poses, fluid) = (header.inv_mass.len(), header.colliders.len(), header.fluid_particles());
        Ok(Export { writer, file, vertices, poses, rigid: header.rigid_names.len(), fluid, room })
    }

    /// Adds a frame: positions, velocities, poses of shapes and of rigid bodies, densities and numbers of births, one
    /// after another.
    pub(crate) fn frame(
        &mut self,
        (time, energy, max_stretch): (f64, [f64; 2], f32),
        bytes: &[u8],
    ) -> Result<(), String> {
        let (moving, poses, rigid) = (12 * self.vertices, 28 * self.poses, 28 * self.rigid);
        let fluid = 4 * self.fluid;
        let wanted = 2 * moving + poses + rigid + 2 * fluid;
        if bytes.len() != wanted {
            return Err(format!("a frame has {} bytes, and {wanted} are wanted", bytes.len()));
        }
        let left = self.room.checked_sub(bytes.len() as u64);
        self.room = left.ok_or("the file is too large for the memory that is left; export fewer frames")?;
        let numbers = |bytes: &[u8]| -> Vec<f32> { bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect() };
        let (positions, rest) = bytes.split_at(moving);
        let (velocities, rest) = rest.split_at(moving);
        let (poses, rest) = rest.split_at(poses);
        let (rigid, rest) = rest.split_at(rigid);
        let (densities, ids) = rest.split_at(fluid);
        let ids: Vec<u32> = ids.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        let [positions, velocities, poses, rigid, densities] =
            [positions, velocities, poses, rigid, densities].map(numbers);
        let mut frame = RecordedFrame::new(time, bytemuck::cast_slice(&positions));
        frame.velocities = bytemuck::cast_slice(&velocities);
        frame.poses = bytemuck::cast_slice(&poses);
        frame.rigid_poses = bytemuck::cast_slice(&rigid);
        (frame.energy, frame.max_stretch) = (energy, max_stretch);
        (frame.densities, frame.ids) = (&densities, &ids);
        self.writer.frame(&frame).map_err(|e| e.to_string())
    }

    /// Ends the file.
    pub(crate) fn end(self) -> Result<Reply, String> {
        self.writer.finish().map_err(|e| e.to_string())?;
        Ok(Reply::default().with("file", &self.file.take()))
    }
}

impl std::fmt::Debug for Export {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Export({} vertices)", self.vertices)
    }
}
