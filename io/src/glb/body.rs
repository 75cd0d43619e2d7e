//! A body's mesh: what stays, and its frames as they come.

use crate::aside::Spool;
use crate::drawn::{Drawn, Runs, RunsOf};
use crate::frames::Header;
use crate::parts::{Cells, cells};
use glam::{DMat3, DVec3, Vec3};
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
    /// What is known of each group's normal beside that, if the source has normals and the shape that they are of is
    /// known.
    kept: Vec<Option<Kept>>,
    at: Vec<Vec3>,
    out: Vec<Vec3>,
}

/// The source's normal of a group in a frame of its vertex: the normal that its triangles make, and an edge in the
/// plane across that.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Group at the edge's other end.
    other: u32,
    /// Along the edge, across both, along the normal; of length 1.
    shares: DVec3,
    /// The frame at rest, and the normal there, of length 1: it comes back to the bit.
    rest: (DMat3, Vec3),
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
                Cells::Triangles(triangles) => {
                    let mut shading = Shading::new(&vertex, rest_normals, triangles);
                    if let Some(shading) = shading.as_mut().filter(|_| !body.rest.is_empty()) {
                        shading
                            .keep(rest_normals, triangles, |vertex| body.rest[(vertex - body.first) as usize].into());
                    }
                    shading
                }
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
        Some(Self { normals, place, group, kept: Vec::new(), at, out })
    }

    /// Keeps the source's normals, which are those of the vertices at `rest`. Where a group's triangles make no normal
    /// there, or the source has none, its normal is that of each frame's triangles.
    fn keep(&mut self, rest_normals: &[[f32; 3]], triangles: &[[u32; 3]], rest: impl Fn(u32) -> Vec3) {
        self.update(rest);
        // Of each group the edge that is longest across its normal, the first of equals.
        let mut longest = vec![(0.0, 0); self.place.len()];
        for triangle in triangles {
            let groups = triangle.map(|v| self.group[v as usize]);
            for (k, &group) in groups.iter().enumerate() {
                for other in [groups[(k + 1) % 3], groups[(k + 2) % 3]] {
                    let long = self.across(group, other).length_squared();
                    let best = &mut longest[group as usize];
                    if long > best.0 {
                        *best = (long, other);
                    }
                }
            }
        }
        let mut kept = vec![None; self.place.len()];
        for (&group, normal) in self.group.iter().zip(rest_normals) {
            let (_, other) = longest[group as usize];
            let normal = DVec3::from(normal.map(f64::from)).try_normalize();
            kept[group as usize] = self.frame(group, other).zip(normal).map(|(frame, normal)| {
                let rest = (frame, normal.as_vec3());
                Kept { other, shares: frame.transpose() * normal, rest }
            });
        }
        self.kept = kept;
    }

    /// Takes the places of vertices, and computes the groups' normals there.
    fn update(&mut self, places: impl Fn(u32) -> Vec3) {
        for (at, &place) in self.at.iter_mut().zip(&self.place) {
            *at = places(place);
        }
        self.normals.update(&self.at, &mut self.out);
    }

    /// The way from a group to another, without what of it is along the first one's normal.
    fn across(&self, group: u32, other: u32) -> DVec3 {
        let [from, to] = [group, other].map(|group| self.at[group as usize].as_dvec3());
        let normal = self.out[group as usize].as_dvec3();
        (to - from) - normal * normal.dot(to - from)
    }

    /// Unit vectors along an edge, across it and the normal, and along the normal; none where it has no normal, or the
    /// edge no direction.
    fn frame(&self, group: u32, other: u32) -> Option<DMat3> {
        let normal = self.out[group as usize].as_dvec3().try_normalize()?;
        let along = self.across(group, other).try_normalize()?;
        Some(DMat3::from_cols(along, normal.cross(along), normal))
    }

    /// Normals of all drawn vertices; upwards where there is none.
    fn read(&mut self, positions: &[[f32; 3]], normals: &mut Vec<[f32; 3]>) {
        self.update(|place| positions[place as usize].into());
        normals.clear();
        normals.extend(self.group.iter().map(|&group| {
            let kept = self.kept.get(group as usize).copied().flatten();
            let turned = kept.and_then(|Kept { other, shares, rest: (at_rest, normal) }| {
                let frame = self.frame(group, other)?;
                if frame == at_rest { Some(normal) } else { Some(frame.mul_vec3(shares).try_normalize()?.as_vec3()) }
            });
            let normal = turned.unwrap_or(self.out[group as usize]);
            if normal == Vec3::ZERO { [0.0, 1.0, 0.0] } else { normal.to_array() }
        }));
    }
}
