//! Collision objects of the library: their shapes, about the origin of the body's mesh.

use super::files::Files;
use super::item::Item;
use super::log::Log;
use seidel::collider::ConvexHull;
use seidel::limits::{MAX_HULL_FACES, MAX_HULL_POINTS};
use seidel::{Mesh, Scale};
use std::rc::Rc;

/// Nodes along the longest side of a mesh that a distance field has at least, and in all at most.
const LEAST_NODES: f32 = 40.0;
const MOST_NODES: f32 = 1e6;

/// A shape of the library, in the frame of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PbdShape {
    None,
    Sphere(f32),
    Cuboid([f32; 3]),
    Cylinder { radius: f32, half: f32 },
    Torus { ring: f32, tube: f32 },
    Field { file: String, scale: Scale, cell: f32 },
    HollowSphere { radius: f32, half: f32 },
    HollowBox { half: [f32; 3], wall: f32 },
}

/// Reads the shape of a body.
pub(super) fn shape(
    item: &Item<'_>,
    files: &mut Files,
    (file, mesh): (&str, &Rc<Mesh>),
    (dynamic, log): (bool, &mut Log),
) -> Result<PbdShape, String> {
    let sizes = item.factors("collisionObjectScale")?;
    let wall = item.above_zero("thicknessSDF", 1e6)?.unwrap_or(0.1) as f32;
    let resolution = item.numbers("resolutionSDF")?;
    if let Some(resolution) = &resolution
        && (resolution.len() != 3 || resolution.iter().any(|n| !(*n >= 1.0 && *n <= 1e4)))
    {
        return item.wrong("resolutionSDF", "is not three numbers within 1 .. 10000");
    }
    let of_field = item.file("collisionObjectFileName")?;
    let kind = item.method("collisionObjectType", 7)?.unwrap_or(0);
    let half = sizes.map(|side| 0.5 * side);
    Ok(match kind {
        0 => PbdShape::None,
        1 => PbdShape::Sphere(sizes[0]),
        2 => PbdShape::Cuboid(half),
        3 => PbdShape::Cylinder { radius: sizes[0], half: half[1] },
        4 if sizes[1] < sizes[0] => PbdShape::Torus { ring: sizes[0], tube: sizes[1] },
        4 => {
            let what = format!("has a tube of radius {} in a ring of radius {}, which is not more", sizes[1], sizes[0]);
            return item.wrong("collisionObjectScale", what);
        }
        5 => {
            let (file, mesh) = match of_field {
                Some(other) if !other.to_ascii_lowercase().ends_with(".csdf") => {
                    let mesh = files.mesh_of(&other).or_else(|e| item.wrong("collisionObjectFileName", e))?;
                    (other, mesh)
                }
                Some(_) => {
                    let at = item.at("collisionObjectFileName");
                    log.notes.push(format!("`{at}`: fields are not read; it is made from `geometryFile`"));
                    (file.to_owned(), Rc::clone(mesh))
                }
                None => (file.to_owned(), Rc::clone(mesh)),
            };
            let scale = Scale::from(sizes);
            PbdShape::Field { cell: cell(&mesh, scale, resolution.as_deref()), file, scale }
        }
        6 => PbdShape::HollowSphere { radius: sizes[0], half: wall },
        _ => PbdShape::HollowBox { half, wall },
    })
    .inspect(|shape| {
        if dynamic && matches!(shape, PbdShape::HollowSphere { .. } | PbdShape::HollowBox { .. }) {
            let at = item.at("collisionObjectType");
            log.notes.push(format!("`{at}`: a hollow body that moves meets others as if it were filled"));
        }
    })
}

/// As fine as the library's field, which is cubic, or finer: half of its cells, or forty along the longest side.
pub(super) fn cell(mesh: &Mesh, scale: Scale, resolution: Option<&[f64]>) -> f32 {
    let sides = sides(mesh, scale);
    let longest = sides.into_iter().fold(0.0f32, |most, side| if side > most { side } else { most });
    let mut cell = longest / LEAST_NODES;
    for (k, side) in sides.into_iter().enumerate() {
        let count = resolution.map_or(10.0, |n| n[k] as f32);
        // The library's box is wider than the mesh by 0.1 on each side, before it is scaled.
        let theirs = 0.5 * (side + 0.2 * scale.0[k]) / count;
        cell = if theirs < cell { theirs } else { cell };
    }
    let nodes = |cell: f32| sides.into_iter().map(|side| side / cell + 7.0).product::<f32>();
    while nodes(cell) > MOST_NODES {
        cell *= 1.1;
    }
    cell.max(1e-6)
}

/// Sides of the box about a mesh, scaled.
pub(super) fn sides(mesh: &Mesh, scale: Scale) -> [f32; 3] {
    [0, 1, 2].map(|k| {
        let along = || mesh.positions.iter().map(|p| p[k]).filter(|c| c.is_finite());
        let low = along().fold(f32::INFINITY, |low, x| if x < low { x } else { low });
        let high = along().fold(f32::NEG_INFINITY, |high, x| if x > high { x } else { high });
        if high > low { (high - low) * scale.0[k] } else { 0.0 }
    })
}

impl PbdShape {
    /// Whether it can be a rigid body.
    pub(super) fn is_solid(&self) -> bool {
        !matches!(self, PbdShape::HollowSphere { .. } | PbdShape::HollowBox { .. })
    }
}

/// The points of a hull in place of a mesh that has too many faces; none where the mesh itself will do.
pub(super) fn hull(mesh: &Mesh, scale: Scale) -> Result<Option<Vec<[f32; 3]>>, String> {
    let points: Vec<[f32; 3]> = mesh.positions.iter().map(|x| std::array::from_fn(|k| x[k] * scale.0[k])).collect();
    if points.len() <= MAX_HULL_POINTS && ConvexHull::new(&points).is_ok_and(|hull| hull.faces() <= MAX_HULL_FACES) {
        return Ok(None);
    }
    // What is outermost in 26 directions.
    let mut outer: Vec<[f32; 3]> = Vec::new();
    for k in (0..27).filter(|k| *k != 13) {
        let direction = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1].map(|c: i32| c as f32);
        let along = |p: &[f32; 3]| (p[0] * direction[0] + p[1] * direction[1]) + p[2] * direction[2];
        let most = points.iter().reduce(|best, p| if along(p) > along(best) { p } else { best });
        if let Some(most) = most.filter(|most| !outer.contains(most)) {
            outer.push(*most);
        }
    }
    ConvexHull::new(&outer).map_err(|e| e.to_string())?;
    Ok(Some(outer))
}
