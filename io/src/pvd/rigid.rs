//! Rigid bodies as a part of their own: the surfaces of their shapes, at their poses.

use super::grid::{Arrays, CellKind, FrameGrid};
use crate::frames::{Header, RecordedFrame};
use crate::solid::surface;
use glam::{DQuat, DVec3};
use std::io;

/// Bytes of a pose.
const POSE: usize = 28;

#[derive(Debug)]
pub(super) struct Rigid {
    pub(super) grid: FrameGrid,
    /// Of each shape the number of its pose in a frame, and its vertices in its own frame.
    shapes: Vec<(usize, Vec<[f32; 3]>)>,
}

impl Rigid {
    /// None where a scene has none. The number of a cell's `body` goes on where the others' end.
    pub(super) fn new(header: &Header) -> io::Result<Option<Self>> {
        let (mut arrays, mut shapes, mut first) = (Arrays::at(header.origin), Vec::new(), 0);
        for (pose, collider) in header.colliders.iter().enumerate() {
            let Some(rigid) = collider.rigid else { continue };
            // No body is a plane, which would need an end.
            let surface = surface(&collider.shape, 0.0);
            arrays.push(header.bodies.len() as u32 + rigid, first, CellKind::Triangle, &surface.triangles);
            first += surface.positions.len() as u32;
            shapes.push((pose, surface.positions));
        }
        if shapes.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { grid: arrays.grid(first as usize)?, shapes }))
    }

    /// Bytes of the poses of a frame, and of a frame's vertices.
    pub(super) fn bytes(&self) -> [usize; 2] {
        [self.shapes.len() * POSE, self.shapes.iter().map(|(_, vertices)| vertices.len() * 12).sum()]
    }

    /// The poses of its shapes.
    pub(super) fn poses(&self, frame: &RecordedFrame<'_>) -> Vec<[f32; 7]> {
        self.shapes.iter().map(|&(pose, _)| frame.poses[pose]).collect()
    }

    /// The vertices of all shapes at these poses; both little-endian f32.
    pub(super) fn place(&self, poses: &[u8]) -> Vec<u8> {
        let mut placed = Vec::with_capacity(self.bytes()[1]);
        for ((_, vertices), pose) in self.shapes.iter().zip(poses.chunks_exact(POSE)) {
            let (numbers, _) = pose.as_chunks::<4>();
            let of = |k: usize| f64::from(f32::from_le_bytes(numbers[k]));
            let (at, turn) = (DVec3::new(of(0), of(1), of(2)), DQuat::from_xyzw(of(3), of(4), of(5), of(6)));
            for &vertex in vertices {
                let x = at + turn * DVec3::from_array(vertex.map(f64::from));
                placed.extend(x.to_array().iter().flat_map(|&x| (x as f32).to_le_bytes()));
            }
        }
        placed
    }
}
