//! A body's mesh: what stays, and its frames as they come.

use crate::aside::Spool;
use crate::drawn::{Drawn, Runs, RunsOf};
use crate::frames::Header;
use crate::parts::{Cells, cells};
use glam::Vec3;
use seidel::render::Normals;
use std::collections::HashMap;
use std::io;

/// Least and largest coordinates.
pub(super) type Bounds = [[f32; 3]; 2];

/// Least and largest coordinates of points.
pub(super) fn bounds(points: &[[f32; 3]]) -> Bounds {
    points.iter().fold([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], |[mut least, mut most], p| {
        for k in 0..3 {
            least[k] = if p[k] < least[k] { p[k] } else { least[k] };
            most[k] = if p[k] > most[k] { p[k] } else { most[k] };
        }
        [least, most]
    })
}

/// A body, drawn.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) name: String,
    /// Place in a frame of each drawn vertex.
    pub(super) vertex: Vec<u32>,
    pub(super) cells: Cells,
    /// Its triangles by material, if it has some.
    pub(super) surfaces: Vec<Surface>,
    pub(super) uvs: Vec<[f32; 2]>,
    /// What has triangles has normals.
    shading: Option<Shading>,
    /// The first frame.
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    /// Of each frame's differences.
    pub(super) bounds: Vec<Bounds>,
    scratch: Vec<[f32; 3]>,
}

/// The triangles of one material, in their order.
#[derive(Debug, Default)]
pub(super) struct Surface {
    /// Name of the material; empty if it has none.
    pub(super) material: String,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Objects and groups, if a triangle of the body has one.
    pub(super) runs: Option<Runs>,
}

/// One for each material, in the order in which triangles first have it.
fn surfaces(drawn: &Drawn) -> Vec<Surface> {
    let mut surfaces: Vec<Surface> = Vec::new();
    let mut runs: Vec<RunsOf<'_>> = Vec::new();
    // The surface of each part.
    let mut places = vec![usize::MAX; drawn.parts.len()];
    let mut numbers = HashMap::new();
    for (triangle, &number) in drawn.triangles.iter().zip(&drawn.part) {
        let part = &drawn.parts[number as usize];
        let place = &mut places[number as usize];
        if *place == usize::MAX {
            *place = *numbers.entry(&part.material).or_insert_with(|| {
                surfaces.push(Surface { material: part.material.to_string(), ..Surface::default() });
                runs.push(RunsOf::default());
                surfaces.len() - 1
            });
        }
        surfaces[*place].triangles.push(*triangle);
        runs[*place].push(number, part);
    }
    if drawn.parts.iter().any(|part| !part.object.is_empty() || !part.group.is_empty()) {
        surfaces.iter_mut().zip(runs).for_each(|(surface, runs)| surface.runs = Some(runs.finish()));
    }
    surfaces
}

/// Drawn vertices of one place share a normal unless the source's differ: only triangles with that normal make it.
#[derive(Debug)]
struct Shading {
    normals: Normals,
    /// Place in a frame of each group.
    place: Vec<u32>,
    /// Group of each drawn vertex.
    group: Vec<u32>,
    at: Vec<Vec3>,
    out: Vec<Vec3>,
}

/// Texture coordinates as glTF has them; zeros where the source has none, or no finite ones, which the format forbids.
fn uvs(drawn: &Drawn) -> Vec<[f32; 2]> {
    let uv = |v: usize| drawn.uv(v, false).filter(|uv| uv.iter().all(|c| c.is_finite())).unwrap_or_default();
    (0..drawn.uvs.len()).map(uv).collect()
}

/// All bodies of a header whose arrays agree.
pub(super) fn bodies(header: &Header) -> Vec<Body> {
    header
        .bodies
        .iter()
        .zip(cells(header))
        .map(|(body, cells)| {
            let drawn = body.drawn.as_ref().filter(|drawn| !drawn.triangles.is_empty());
            let (vertex, uvs, rest_normals, cells) = match drawn {
                Some(d) => (d.vertex.clone(), uvs(d), &d.normals[..], Cells::Triangles(d.triangles.clone())),
                None => ((0..body.count).collect(), Vec::new(), &[][..], cells),
            };
            let vertex: Vec<u32> = vertex.iter().map(|v| body.first + v).collect();
            let shading = match &cells {
                Cells::Triangles(triangles) => Shading::new(&vertex, rest_normals, triangles),
                Cells::Lines(_) | Cells::Points => None,
            };
            Body {
                name: body.name.clone(),
                vertex,
                cells,
                surfaces: drawn.map(surfaces).unwrap_or_default(),
                uvs,
                shading,
                positions: Vec::new(),
                normals: Vec::new(),
                bounds: Vec::new(),
                scratch: Vec::new(),
            }
        })
        .collect()
}

impl Body {
    /// Number of drawn vertices; none means that there is nothing to draw.
    pub(super) fn vertices(&self) -> usize {
        self.vertex.len()
    }

    pub(super) fn has_normals(&self) -> bool {
        self.shading.is_some()
    }

    /// Bytes of one frame: positions, then normals.
    pub(super) fn target_bytes(&self) -> u64 {
        self.vertices() as u64 * if self.has_normals() { 24 } else { 12 }
    }

    /// Takes a frame: the first as it is, and each as its difference to the first.
    pub(super) fn frame(&mut self, positions: &[[f32; 3]], targets: &mut Spool) -> io::Result<()> {
        let Self { vertex, shading, scratch, .. } = self;
        scratch.clear();
        scratch.extend(vertex.iter().map(|&v| positions[v as usize]));
        if self.bounds.is_empty() {
            self.positions.clone_from(scratch);
        }
        subtract(scratch, &self.positions);
        self.bounds.push(bounds(scratch));
        targets.push(scratch.as_flattened())?;
        let Some(shading) = shading else { return Ok(()) };
        shading.read(positions, scratch);
        if self.normals.is_empty() {
            self.normals.clone_from(scratch);
        }
        subtract(scratch, &self.normals);
        targets.push(scratch.as_flattened())
    }
}

fn subtract(from: &mut [[f32; 3]], what: &[[f32; 3]]) {
    for (x, base) in from.as_flattened_mut().iter_mut().zip(what.as_flattened()) {
        *x -= base;
    }
}

impl Shading {
    /// None for indices that do not exist, which a header that was checked does not have.
    fn new(vertex: &[u32], rest_normals: &[[f32; 3]], triangles: &[[u32; 3]]) -> Option<Self> {
        let (mut place, mut numbers) = (Vec::new(), HashMap::new());
        let group: Vec<u32> = (0..)
            .zip(vertex)
            .map(|(drawn, &vertex): (usize, _)| {
                // Zeros of either sign are the same direction.
                let normal = rest_normals.get(drawn).copied().unwrap_or_default().map(|x| (x + 0.0).to_bits());
                *numbers.entry((vertex, normal)).or_insert_with(|| {
                    place.push(vertex);
                    place.len() as u32 - 1
                })
            })
            .collect();
        let of_groups: Vec<_> = triangles.iter().map(|t| t.map(|v| group[v as usize])).collect();
        let normals = Normals::of_mesh(place.len(), &of_groups).ok()?;
        let (at, out) = (vec![Vec3::ZERO; place.len()], vec![Vec3::ZERO; place.len()]);
        Some(Self { normals, place, group, at, out })
    }

    /// Normals of all drawn vertices; upwards where there is none.
    fn read(&mut self, positions: &[[f32; 3]], normals: &mut Vec<[f32; 3]>) {
        for (at, &place) in self.at.iter_mut().zip(&self.place) {
            *at = positions[place as usize].into();
        }
        self.normals.update(&self.at, &mut self.out);
        normals.clear();
        normals.extend(self.group.iter().map(|&group| {
            let normal = self.out[group as usize];
            if normal == Vec3::ZERO { [0.0, 1.0, 0.0] } else { normal.to_array() }
        }));
    }
}
