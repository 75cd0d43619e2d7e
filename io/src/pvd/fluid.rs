//! Fluids as a part of their own: the particles that are there, as points.

use super::grid::{Arrays, CellKind, FrameGrid, PointArray, VtkArray};
use crate::frames::Header;
use std::io::{self, Write};
use std::ops::Range;

/// Bytes of a position or a velocity, and of another number.
const VECTOR: usize = 12;
const NUMBER: usize = 4;

#[derive(Debug)]
pub(super) struct Fluids {
    of: Vec<Of>,
    particles: usize,
    origin: [f64; 3],
}

/// A fluid's particles.
#[derive(Debug)]
struct Of {
    body: u32,
    /// Its vertices among all, and where its densities begin.
    vertices: Range<usize>,
    first: usize,
    rest_density: f32,
}

impl Fluids {
    /// None where a scene has none.
    pub(super) fn new(header: &Header) -> Option<Self> {
        let of = header.fluids().map(|(body, header, fluid, first)| Of {
            body: body as u32,
            vertices: header.first as usize..(header.first + header.count) as usize,
            first,
            rest_density: fluid.density,
        });
        let of: Vec<Of> = of.collect();
        (!of.is_empty()).then(|| Self { of, particles: header.fluid_particles(), origin: header.origin })
    }

    /// Bytes of a frame's densities, and of its numbers.
    pub(super) fn bytes(&self) -> usize {
        NUMBER * self.particles
    }

    /// Bytes that a frame has at most in its file: six arrays of points, four of cells, as text.
    pub(super) fn file_bytes(&self) -> u64 {
        const OF_A_PARTICLE: u64 = (2 * VECTOR + 4 * NUMBER + 21) as u64 / 3 * 4;
        OF_A_PARTICLE * self.particles as u64
    }

    /// What is left of an array of vectors of all vertices without those of fluids.
    pub(super) fn others(&self, mut vectors: Vec<u8>) -> Vec<u8> {
        for of in self.of.iter().rev() {
            vectors.drain(of.vertices.start * VECTOR..of.vertices.end * VECTOR);
        }
        vectors
    }

    /// Writes a frame: positions and velocities of all vertices, and densities over those at rest; all are
    /// little-endian f32. The numbers of births are u32.
    pub(super) fn write(
        &self,
        out: impl Write,
        time: f64,
        (positions, velocities): (&[u8], &[u8]),
        (densities, births): (&[u8], &[u8]),
    ) -> io::Result<()> {
        let number =
            |bytes: &[u8], at: usize| f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (mut cells, mut count) = (Arrays::at(self.origin), 0);
        let (mut places, mut moves, mut speeds) = (Vec::new(), Vec::new(), Vec::new());
        let (mut dense, mut ids, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
        for of in &self.of {
            for (v, vertex) in of.vertices.clone().enumerate() {
                let at = NUMBER * (of.first + v);
                let density = number(densities, at);
                // Also what is not a number is not there.
                if density.is_nan() || density <= 0.0 {
                    continue;
                }
                let vector = vertex * VECTOR..(vertex + 1) * VECTOR;
                places.extend(&positions[vector.clone()]);
                moves.extend(&velocities[vector.clone()]);
                let squared = (0..3).fold(0.0, |sum, k| {
                    let v = f64::from(number(velocities, vector.start + NUMBER * k));
                    sum + v * v
                });
                speeds.extend((squared.sqrt() as f32).to_le_bytes());
                dense.extend((density * of.rest_density).to_le_bytes());
                ids.extend(&births[at..at + NUMBER]);
                bodies.extend(of.body.to_le_bytes());
                cells.push(of.body, 0, CellKind::Vertex, &[[count]]);
                count += 1;
            }
        }
        let array = |name, numbers| PointArray { name, numbers };
        let data = [
            array("velocity", VtkArray::Vectors(&moves)),
            array("speed", VtkArray::Floats(&speeds)),
            array("density", VtkArray::Floats(&dense)),
            array("id", VtkArray::Words(&ids)),
            array("fluid", VtkArray::Words(&bodies)),
        ];
        let grid: FrameGrid = cells.grid(count as usize)?;
        grid.write(out, time, &places, &data)
    }
}
