//! The page: a template with the style, the viewer, what the viewer has to know, and the data blocks.

use std::io::{self, Write};

use serde::Serialize;

use super::block;
use super::density::{self, Differences};
use super::motion::{Bounds, Grid, Predictor};
use super::viewer::{SCRIPTS, STYLE};
use crate::frames::{BodyHeader, ColliderHeader, Header};

const TEMPLATE: &str = include_str!("viewer.html");
const VIEWER: &str = include_str!("viewer.js");
/// Bytes of one block of motion before deflate, about: the page inflates block by block and shows how far it is.
const BLOCK: usize = 4 << 20;

/// A whole run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'a> {
    pub(super) header: &'a Header,
    pub(super) bounds: Bounds,
    pub(super) series: &'a [[f32; 4]],
    pub(super) poses: &'a [[f32; 7]],
}

/// What the viewer has to know before the blocks; `html/README.md` says what each name means.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta<'a> {
    scene: &'a str,
    fps: f64,
    frames: usize,
    vertices: usize,
    origin: [f64; 3],
    step: f64,
    error: f64,
    low: [f32; 3],
    high: [f32; 3],
    blocks: Vec<usize>,
    /// Density over that at rest of each byte, if there are fluids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    density: Vec<f64>,
    bodies: Vec<Body<'a>>,
    colliders: Vec<Collider<'a>>,
}

#[derive(Serialize)]
struct Body<'a> {
    name: &'a str,
    first: u32,
    count: u32,
    thickness: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    fluid: Option<Fluid>,
}

#[derive(Serialize)]
struct Fluid {
    spacing: f32,
    /// Spheres at any time, not a surface.
    #[serde(skip_serializing_if = "is_off")]
    grains: bool,
}

fn is_off(flag: &bool) -> bool {
    !flag
}

#[derive(Serialize)]
struct Collider<'a> {
    name: &'a str,
    shape: &'static str,
    lengths: Vec<f32>,
    /// Points and triangles of its own surface in the blocks of all surfaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<[usize; 2]>,
    /// The number of its rigid body.
    #[serde(skip_serializing_if = "Option::is_none")]
    rigid: Option<u32>,
}

impl<'a> From<&'a BodyHeader> for Body<'a> {
    fn from(body: &'a BodyHeader) -> Self {
        let fluid = body.fluid.map(|fluid| Fluid { spacing: fluid.spacing, grains: fluid.grains });
        Self { name: &body.name, first: body.first, count: body.count, thickness: body.thickness, fluid }
    }
}

impl<'a> From<&'a ColliderHeader> for Collider<'a> {
    fn from(collider: &'a ColliderHeader) -> Self {
        let (shape, lengths) = (collider.shape.name(), collider.shape.lengths().collect());
        let surface = collider.shape.surface().map(|mesh| [mesh.positions.len(), mesh.triangles.len()]);
        Self { name: &collider.name, shape, lengths, surface, rigid: collider.rigid }
    }
}

impl Run<'_> {
    /// Writes the page; `next` gives the frames' positions, and bytes of fluids' densities, one after another.
    pub(super) fn write(
        &self,
        out: &mut impl Write,
        mut next: impl FnMut(&mut [[f32; 3]], &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let meta = self.meta();
        let grid = Grid { origin: meta.origin, step: meta.step };
        // Text and names in turn: the template has a name between two `@@`.
        for (i, piece) in TEMPLATE.split("@@").enumerate() {
            match piece {
                "style" if i % 2 == 1 => out.write_all(STYLE.as_bytes())?,
                "title" if i % 2 == 1 => out.write_all(escape(&self.header.scene).as_bytes())?,
                // `<` would end the script element early; JSON has another spelling for it.
                "meta" if i % 2 == 1 => {
                    let json = serde_json::to_string(&meta)?;
                    out.write_all(json.replace('<', "\\u003c").as_bytes())?;
                }
                "data" if i % 2 == 1 => {
                    self.write_scene(out)?;
                    self.write_motion(out, grid, &meta.blocks, &mut next)?;
                }
                "script" if i % 2 == 1 => {
                    for script in SCRIPTS.into_iter().chain([VIEWER]) {
                        out.write_all(script.as_bytes())?;
                    }
                }
                text => out.write_all(text.as_bytes())?,
            }
        }
        Ok(())
    }

    fn meta(&self) -> Meta<'_> {
        let header = self.header;
        let (vertices, frames) = (header.inv_mass.len(), self.series.len());
        let lengths = header.rest_lengths.iter().map(|&l| f64::from(l));
        let grid = match header.fluids().next() {
            Some((_, _, fluid, _)) if header.fluid_particles() == vertices => {
                Grid::of_fluids(self.bounds, f64::from(fluid.spacing))
            }
            _ => Grid::new(self.bounds, lengths.sum::<f64>() / header.rest_lengths.len().max(1) as f64),
        };
        let per_block = (BLOCK / (6 * vertices).max(1)).max(1);
        let blocks = (0..frames).step_by(per_block).map(|first| per_block.min(frames - first)).collect();
        let bounds = self.bounds.or_origin();
        Meta {
            scene: &header.scene,
            fps: if header.fps.is_finite() { header.fps } else { 0.0 },
            frames,
            vertices,
            origin: grid.origin,
            step: grid.step,
            error: grid.step / 2.0,
            low: bounds.low,
            high: bounds.high,
            blocks,
            density: if header.fluid_particles() > 0 { density::table() } else { Vec::new() },
            bodies: header.bodies.iter().map(Body::from).collect(),
            colliders: header.colliders.iter().map(Collider::from).collect(),
        }
    }

    /// What does not move, and the small things that do.
    fn write_scene(&self, out: &mut impl Write) -> io::Result<()> {
        let header = self.header;
        // What is fixed as a whole, an obstacle, hangs on nothing; of a fluid, particles without an inverse mass are
        // not there.
        let fixed = |v: &u32| header.inv_mass.get(*v as usize).is_some_and(|w| *w == 0.0);
        let bodies = header.bodies.iter().filter(|body| body.fluid.is_none());
        let held = bodies.map(|b| b.first..b.first + b.count).filter(|all| !all.clone().all(|v| fixed(&v)));
        let pinned: Vec<u32> = held.flatten().filter(fixed).collect();
        let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>().into_iter();
        block::write_words(out, "triangles", 3, header.triangles.as_flattened().iter().copied())?;
        block::write_words(out, "edges", 2, header.edges.as_flattened().iter().copied())?;
        block::write_words(out, "rest-lengths", 1, bits(&header.rest_lengths))?;
        block::write_words(out, "pinned", 1, pinned.into_iter())?;
        let surfaces: Vec<_> = header.colliders.iter().filter_map(|collider| collider.shape.surface()).collect();
        let points: Vec<f32> = surfaces.iter().flat_map(|mesh| mesh.positions.as_flattened()).copied().collect();
        let triangles: Vec<u32> = surfaces.iter().flat_map(|mesh| mesh.triangles.as_flattened()).copied().collect();
        block::write_words(out, "surface-points", 3, bits(&points))?;
        block::write_words(out, "surface-triangles", 3, triangles.into_iter())?;
        block::write_words(out, "poses", 7 * header.colliders.len(), bits(self.poses.as_flattened()))?;
        block::write_words(out, "series", 4, bits(self.series.as_flattened()))
    }

    fn write_motion(
        &self,
        out: &mut impl Write,
        grid: Grid,
        blocks: &[usize],
        next: &mut impl FnMut(&mut [[f32; 3]], &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let vertices = self.header.inv_mass.len();
        let mut frame = vec![[0.0; 3]; vertices];
        let mut predictor = Predictor::new(grid, vertices);
        let mut densities = vec![0; self.header.fluid_particles()];
        let mut differences = Differences::new(densities.len());
        // Where a vertex is in the densities, if it is a fluid's.
        let mut particle = vec![usize::MAX; if densities.is_empty() { 0 } else { vertices }];
        for (_, body, _, first) in self.header.fluids() {
            let of_body = &mut particle[body.first as usize..][..body.count as usize];
            of_body.iter_mut().enumerate().for_each(|(v, particle)| *particle = first + v);
        }
        let (mut bytes, mut density_bytes) = (Vec::new(), Vec::new());
        for (i, &frames) in blocks.iter().enumerate() {
            bytes.clear();
            density_bytes.clear();
            for _ in 0..frames {
                next(&mut frame, &mut densities)?;
                let of = |v: usize| particle.get(v).and_then(|&particle| densities.get(particle));
                predictor.push(&frame, |v| of(v).is_none_or(|&density| density > 0), &mut bytes);
                differences.push(&densities, &mut density_bytes);
            }
            block::write(out, &format!("motion-{i}"), &bytes)?;
            if !densities.is_empty() {
                block::write(out, &format!("density-{i}"), &density_bytes)?;
            }
        }
        Ok(())
    }
}

/// For text between tags.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
