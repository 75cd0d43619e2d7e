//! Surfaces of fluids: triangles around a fluid's particles, made anew for each frame (`splashsurf_lib`). The number of
//! triangles changes, so each frame has a mesh of its own, in a node whose scale is 1 during that frame and 0
//! otherwise.
//!
//! The reconstruction runs on many threads, and its triangles may come in another order each time: nothing compares
//! such files bit by bit.

use crate::frames::{Header, RecordedFrame};
use crate::kept;
use std::io::{self, Read, Write};

/// What is said where surfaces are asked for, and the program cannot make them.
pub(crate) const NO_SURFACES: &str = "surfaces of fluids are made by programs that are built with the feature `surface`: cargo build --release -p seidel-cli --features surface";

/// A surface in a frame.
#[derive(Debug, Default)]
pub(super) struct Mesh {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// A fluid whose surface is written.
#[derive(Debug)]
pub(super) struct OfFluid {
    pub(super) name: String,
    /// Its vertices in a frame, and its densities.
    first: usize,
    count: usize,
    densities: usize,
    spacing: f32,
    /// Of each frame so far.
    pub(super) frames: Vec<Mesh>,
}

impl OfFluid {
    /// The fluids of a header, with the numbers of their bodies.
    pub(super) fn all(header: &Header) -> Vec<(usize, OfFluid)> {
        let fluids = header.fluids().filter(|(_, _, fluid, _)| !fluid.grains);
        let of = |(number, body, fluid, densities): (
            usize,
            &crate::frames::BodyHeader,
            crate::frames::FluidHeader,
            usize,
        )| {
            let (name, first, count) = (body.name.clone(), body.first as usize, body.count as usize);
            (number, OfFluid { name, first, count, densities, spacing: fluid.spacing, frames: Vec::new() })
        };
        fluids.map(of).collect()
    }

    /// Makes the surface of a frame.
    pub(super) fn frame(&mut self, frame: &RecordedFrame<'_>) -> Result<(), String> {
        let positions = &frame.positions[self.first..self.first + self.count];
        let densities = &frame.densities[self.densities..self.densities + self.count];
        let there = positions.iter().zip(densities).filter(|(_, density)| **density > 0.0);
        let points: Vec<[f32; 3]> = there.map(|(p, _)| *p).collect();
        let mesh = if points.is_empty() { Mesh::default() } else { reconstruct(&points, self.spacing)? };
        self.frames.push(mesh);
        Ok(())
    }

    /// Bytes of all frames so far.
    pub(super) fn bytes(&self) -> u64 {
        self.frames.iter().map(|mesh| 24 * mesh.positions.len() as u64 + 12 * mesh.triangles.len() as u64).sum()
    }

    pub(super) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        for mesh in &self.frames {
            kept::put(out, &mesh.positions)?;
            kept::put(out, &mesh.normals)?;
            kept::put(out, &mesh.triangles)?;
        }
        Ok(())
    }

    /// Reads so many frames.
    pub(super) fn load(&mut self, from: &mut dyn Read, frames: usize) -> io::Result<()> {
        self.frames.clear();
        for _ in 0..frames {
            let (positions, normals): (Vec<[f32; 3]>, Vec<[f32; 3]>) = (kept::take(from)?, kept::take(from)?);
            let triangles: Vec<[u32; 3]> = kept::take(from)?;
            let sound = triangles.as_flattened().iter().all(|&v| (v as usize) < positions.len());
            if !sound || normals.len() != positions.len() {
                return Err(kept::short());
            }
            self.frames.push(Mesh { positions, normals, triangles });
        }
        Ok(())
    }
}

/// Triangles around particles that are `spacing` apart at rest: a sphere of that size about a lone one.
#[cfg(feature = "surface")]
fn reconstruct(points: &[[f32; 3]], spacing: f32) -> Result<Mesh, String> {
    use splashsurf_lib::nalgebra::Vector3;
    let points: Vec<Vector3<f32>> = points.iter().map(|p| Vector3::new(p[0], p[1], p[2])).collect();
    // As its makers advise: a kernel of four radii, cells of one.
    let parameters = splashsurf_lib::Parameters::new(0.5 * spacing, 2.0 * spacing, 0.5 * spacing);
    let made = splashsurf_lib::reconstruct_surface::<i64, f32>(&points, &parameters).map_err(|e| e.to_string())?;
    let mesh = &made.mesh;
    let normals = mesh.vertex_normals();
    // A vertex without a triangle has no normal.
    let upright = |n: [f32; 3]| if n.iter().all(|c| c.is_finite()) && n != [0.0; 3] { n } else { [0.0, 1.0, 0.0] };
    Ok(Mesh {
        positions: mesh.vertices.iter().map(|p| [p.x, p.y, p.z]).collect(),
        normals: normals.iter().map(|n| upright([n.x, n.y, n.z])).collect(),
        triangles: mesh.triangles.iter().map(|t| t.map(|v| v as u32)).collect(),
    })
}

/// Nobody gets here: a writer with surfaces is refused without the feature.
#[cfg(not(feature = "surface"))]
fn reconstruct(_: &[[f32; 3]], _: f32) -> Result<Mesh, String> {
    Err(NO_SURFACES.to_owned())
}

#[cfg(all(test, feature = "surface"))]
mod tests {
    use super::*;
    use crate::frames::{BodyHeader, FluidHeader};
    use crate::writers::{Options, in_memory};

    /// Two frames of a cube of water, of which half is gone in the second: a closed surface each, half a spacing
    /// outside of the particles.
    #[test]
    fn a_fluid_is_a_mesh_for_each_frame() {
        let spacing = 0.05f32;
        let cube = |x: i32, y: i32, z: i32| [x, y, z].map(|k| (k as f32 + 0.5) * spacing);
        let positions: Vec<_> =
            (0..8).flat_map(|x| (0..8).flat_map(move |y| (0..8).map(move |z| cube(x, y, z)))).collect();
        let count = positions.len();
        let fluid = FluidHeader { spacing, density: 1000.0, grains: false };
        let body = BodyHeader {
            name: "water".to_owned(),
            count: count as u32,
            thickness: 0.5 * spacing,
            fluid: Some(fluid),
            ..BodyHeader::default()
        };
        let header = Header { fps: 60.0, bodies: vec![body], inv_mass: vec![1.0; count], ..Header::default() };
        let (mut writer, file) =
            in_memory("a.glb", &header, &Options { surfaces: true, ..Options::default() }).unwrap();
        for (k, there) in [count, count / 2].into_iter().enumerate() {
            let densities: Vec<f32> = (0..count).map(|i| if i < there { 1.0 } else { 0.0 }).collect();
            let (velocities, ids): (Vec<_>, Vec<_>) = (vec![[0.0; 3]; count], (0..count as u32).collect());
            let frame = RecordedFrame {
                time: k as f64 / 60.0,
                positions: &positions,
                velocities: &velocities,
                densities: &densities,
                ids: &ids,
                ..RecordedFrame::default()
            };
            writer.frame(&frame).unwrap();
        }
        writer.finish().unwrap();
        let bytes = file.take();
        let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).unwrap();
        let buffers = blob.unwrap();
        let names: Vec<_> =
            document.nodes().filter(|node| node.mesh().is_some()).map(|n| n.name().unwrap().to_owned()).collect();
        assert_eq!(names, ["water 0", "water 1"]);
        for (node, high) in document.nodes().filter(|node| node.mesh().is_some()).zip([0.4f32, 0.2]) {
            let mesh = node.mesh().unwrap();
            let primitive = mesh.primitives().next().unwrap();
            let words = |of: gltf::Accessor<'_>| -> Vec<[u8; 4]> {
                let view = of.view().unwrap();
                let bytes = &buffers[view.offset() + of.offset()..][..of.count() * of.size()];
                bytes.chunks_exact(4).map(|word| word.try_into().unwrap()).collect()
            };
            let points = words(primitive.get(&gltf::Semantic::Positions).unwrap());
            let points: Vec<f32> = points.into_iter().map(f32::from_le_bytes).collect();
            let points: Vec<[f32; 3]> = points.chunks_exact(3).map(|p| p.try_into().unwrap()).collect();
            let corners: Vec<u32> = words(primitive.indices().unwrap()).into_iter().map(u32::from_le_bytes).collect();
            let reach = |k: usize| points.iter().fold([f32::MAX, f32::MIN], |[a, b], p| [a.min(p[k]), b.max(p[k])]);
            let [low, top] = reach(0);
            assert!(low.abs() < spacing && (top - high).abs() < spacing, "{low} {top}");
            // Closed: each edge is there in both directions.
            let mut edges: Vec<[u32; 2]> =
                corners.chunks_exact(3).flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
            let mut back: Vec<[u32; 2]> = edges.iter().map(|[a, b]| [*b, *a]).collect();
            edges.sort_unstable();
            back.sort_unstable();
            assert!(!edges.is_empty() && edges == back);
            // Outward: the volume is that of the particles.
            let volume: f32 = corners
                .chunks_exact(3)
                .map(|t| {
                    let [a, b, c] = [t[0], t[1], t[2]].map(|v| glam::Vec3::from(points[v as usize]));
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            let filled = high * 0.4 * 0.4;
            assert!((volume / filled - 1.0).abs() < 0.25, "{volume} of {filled}");
        }
        let scales = document.animations().next().unwrap().channels().count();
        assert_eq!(scales, 2);
    }
}
