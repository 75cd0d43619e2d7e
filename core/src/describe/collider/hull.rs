//! Convex hulls of points.
//!
//! Point by point (Preparata, Shamos 1985, "Computational Geometry", section 3.4.1): what a point sees of the hull
//! goes, and the rim is joined to it. Which faces it sees is decided exactly (Shewchuk 1997, "Adaptive Precision
//! Floating-Point Arithmetic"), so the rim is always one loop; coplanar points need no tolerance until faces are
//! counted.

use crate::describe::error::{Error, range};
use crate::describe::mesh::Mesh;
use crate::geometry::vector::{P, cross, dot, sub};
use crate::tuning::{MAX_COORDINATE, MAX_HULL_FACES, MAX_HULL_POINTS, SAME_FACE};
use robust::{Coord3D, orient3d};
use seidel_kernels::contact::Hull;

/// The smallest convex solid that holds some points.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexHull {
    planes: Vec<[f32; 4]>,
    bound: f32,
    girth: f32,
    surface: Mesh,
}

impl ConvexHull {
    /// Makes the hull of points in metres, at most 8,192; it may have 64 faces at most, coplanar ones counted once.
    ///
    /// # Errors
    /// If a coordinate is no number within 1e6 m, the points lie in a plane, or there are too many of them or of its
    /// faces.
    ///
    /// # Example
    /// ```
    /// use seidel::collider::ConvexHull;
    /// let corners: Vec<[f32; 3]> = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|c| c as f32)).collect();
    /// assert_eq!(ConvexHull::new(&corners)?.faces(), 6);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn new(points: &[[f32; 3]]) -> Result<ConvexHull, Error> {
        let of = || "convex hull".to_owned();
        let few = points.len() <= MAX_HULL_POINTS;
        range(of, || "the number of points".to_owned(), points.len() as f64, few, "at most 8192")?;
        for (i, x) in points.iter().enumerate() {
            for &c in x {
                let good = c.abs() <= MAX_COORDINATE;
                range(of, || format!("coordinate of point {i}"), f64::from(c), good, "within +-1e6 m")?;
            }
        }
        let x: Vec<P> = points.iter().map(|p| p.map(f64::from)).collect();
        let triangles = triangles(&x).ok_or_else(|| Error::Flat { of: of(), points: points.len() })?;
        let planes = planes(&x, &triangles);
        if planes.len() > MAX_HULL_FACES {
            return Err(Error::TooManyFaces { of: of(), faces: planes.len(), limit: MAX_HULL_FACES });
        }
        let bound = x.iter().map(|&x| dot(x, x)).fold(0.0, f64::max).sqrt() * (1.0 + 1e-6);
        let wide = |n: &[f32; 4]| {
            let n = [n[0], n[1], n[2]].map(f64::from);
            let along = |most: f64, x: &P| most.max(-dot(n, *x));
            x.iter().fold(f64::NEG_INFINITY, along)
        };
        let girth = planes.iter().map(|n| 0.5 * (f64::from(n[3]) + wide(n))).fold(f64::INFINITY, f64::min);
        let triangles = triangles.into_iter().map(|t| t.map(|v| v as u32)).collect();
        let surface = Mesh { positions: points.to_vec(), triangles };
        Ok(ConvexHull { planes, bound: bound as f32, girth: girth as f32, surface })
    }

    /// Number of faces; coplanar ones are one.
    #[must_use]
    pub fn faces(&self) -> usize {
        self.planes.len()
    }

    /// All points, and the triangles of the hull, counter-clockwise seen from outside.
    #[must_use]
    pub fn surface(&self) -> &Mesh {
        &self.surface
    }

    /// The least distance between two parallel planes that hold it and one of which is a face's, metres.
    pub(crate) fn width(&self) -> f32 {
        2.0 * self.girth
    }

    pub(super) fn hull(&self) -> Hull<'_> {
        Hull::new(&self.planes, self.bound, self.girth)
    }
}

/// Triangles of the hull of points, counter-clockwise seen from outside; none if these lie in a plane. Coordinates are
/// finite.
pub(crate) fn hull_triangles(points: &[[f32; 3]]) -> Option<Vec<[u32; 3]>> {
    let x: Vec<P> = points.iter().map(|p| p.map(f64::from)).collect();
    Some(triangles(&x)?.into_iter().map(|t| t.map(|v| v as u32)).collect())
}

/// Above 0 if d is above the plane of a, b, c, seen from where these turn counter-clockwise; the sign is exact.
fn above([a, b, c, d]: [P; 4]) -> f64 {
    let at = |[x, y, z]: P| Coord3D { x, y, z };
    -orient3d(at(a), at(b), at(c), at(d))
}

/// The number whose value is largest, the first of several.
fn largest(count: usize, value: impl Fn(usize) -> f64) -> Option<usize> {
    (0..count).reduce(|best, i| if value(i) > value(best) { i } else { best })
}

/// Four points that are in no plane, positively oriented.
fn corners(x: &[P]) -> Option<[usize; 4]> {
    let away = |from: usize| move |i: usize| dot(sub(x[i], x[from]), sub(x[i], x[from]));
    let a = largest(x.len(), |i| -x[i][0])?;
    let b = largest(x.len(), away(a))?;
    let area = |i: usize| {
        let n = cross(sub(x[b], x[a]), sub(x[i], x[a]));
        dot(n, n)
    };
    let c = largest(x.len(), area)?;
    let d = largest(x.len(), |i| above([x[a], x[b], x[c], x[i]]).abs())?;
    let side = above([x[a], x[b], x[c], x[d]]);
    match side {
        s if s > 0.0 => Some([a, c, b, d]),
        s if s < 0.0 => Some([a, b, c, d]),
        _ => None,
    }
}

/// Triangles of the hull, none if the points are in a plane.
fn triangles(x: &[P]) -> Option<Vec<[usize; 3]>> {
    let first @ [a, b, c, d] = corners(x)?;
    let mut faces = vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
    let (mut sides, mut kept) = (Vec::new(), Vec::new());
    for p in (0..x.len()).filter(|p| !first.contains(p)) {
        sides.clear();
        kept.clear();
        for &[a, b, c] in &faces {
            if above([x[a], x[b], x[c], x[p]]) > 0.0 {
                sides.extend([[a, b], [b, c], [c, a]]);
            } else {
                kept.push([a, b, c]);
            }
        }
        sides.sort_unstable();
        let rim = sides.iter().filter(|[a, b]| sides.binary_search(&[*b, *a]).is_err());
        kept.extend(rim.map(|&[a, b]| [a, b, p]));
        std::mem::swap(&mut faces, &mut kept);
    }
    Some(faces)
}

/// Planes of the faces; the largest first, so that slivers count as the faces beside them.
fn planes(x: &[P], triangles: &[[usize; 3]]) -> Vec<[f32; 4]> {
    let size = x.iter().flatten().fold(0.0f64, |size, c| size.max(c.abs()));
    let mut faces: Vec<(f64, P, &[usize; 3])> = triangles
        .iter()
        .map(|t| {
            let n = cross(sub(x[t[1]], x[t[0]]), sub(x[t[2]], x[t[0]]));
            let area = dot(n, n).sqrt();
            (area, n.map(|n| n / area), t)
        })
        .filter(|(area, ..)| *area > 0.0)
        .collect();
    faces.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(b.2)));
    let mut planes: Vec<(P, f64)> = Vec::new();
    for (_, n, t) in faces {
        let of =
            |&(m, d): &(P, f64)| dot(n, m) > 0.0 && t.iter().all(|&v| (dot(m, x[v]) - d).abs() <= SAME_FACE * size);
        if !planes.iter().any(of) {
            // Nothing of it is outside.
            let d = x.iter().map(|&x| dot(n, x)).fold(f64::NEG_INFINITY, f64::max);
            planes.push((n, d));
        }
    }
    planes.into_iter().map(|(n, d)| [n[0] as f32, n[1] as f32, n[2] as f32, d as f32]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(count: usize, scale: f32) -> Vec<[f32; 3]> {
        let mut random = 5u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((random >> 8) as f32 / 8_388_608.0 - 1.0) * scale
        };
        (0..count).map(|_| std::array::from_fn(|_| next())).collect()
    }

    #[test]
    fn all_points_are_within_and_every_side_has_two_triangles() {
        for count in [4, 5, 20, 60] {
            let points = random(count, 1.0);
            let x: Vec<P> = points.iter().map(|p| p.map(f64::from)).collect();
            let faces = triangles(&x).unwrap();
            for &[a, b, c] in &faces {
                assert!(x.iter().all(|&p| above([x[a], x[b], x[c], p]) <= 0.0));
            }
            let mesh = Mesh { positions: points, triangles: faces.iter().map(|t| t.map(|v| v as u32)).collect() };
            mesh.closed("hull").unwrap();
            // Euler: a triangulated sphere of v vertices has 2 v - 4 triangles.
            let mut used: Vec<_> = faces.concat();
            used.sort_unstable();
            used.dedup();
            assert_eq!(faces.len(), 2 * used.len() - 4);
        }
    }

    #[test]
    fn coplanar_points_make_one_face() {
        // A lattice: most of its points lie on faces and edges.
        let lattice: Vec<[f32; 3]> = (0..125).map(|i| [i % 5, i / 5 % 5, i / 25].map(|c| 0.1 * c as f32)).collect();
        let hull = ConvexHull::new(&lattice).unwrap();
        assert_eq!(hull.faces(), 6);
        // A prism of 20 sides: two faces more.
        let prism: Vec<[f32; 3]> = (0..40)
            .map(|i| {
                let a = f64::from(i % 20) / 20.0 * std::f64::consts::TAU;
                [a.cos() as f32, if i < 20 { -0.3 } else { 0.3 }, a.sin() as f32]
            })
            .collect();
        assert_eq!(ConvexHull::new(&prism).unwrap().faces(), 22);
    }

    #[test]
    fn what_has_no_hull_is_refused() {
        let flat: Vec<[f32; 3]> = random(50, 1.0).into_iter().map(|[x, y, _]| [x, y, x + y]).collect();
        let says = |points: &[[f32; 3]], text: &str| {
            let error = ConvexHull::new(points).unwrap_err().to_string();
            assert!(error.starts_with("convex hull") && error.contains(text), "{error}");
        };
        says(&[], "0 points lie in a plane");
        says(&[[0.0; 3]; 9], "9 points lie in a plane");
        says(&flat.iter().map(|p| [p[0], 0.0, p[1]]).collect::<Vec<_>>(), "50 points lie in a plane");
        let round: Vec<_> = random(500, 1.0)
            .into_iter()
            .map(|p| {
                let length = p.iter().map(|c| c * c).sum::<f32>().sqrt();
                p.map(|c| c / length)
            })
            .collect();
        says(&round, "faces; at most 64");
        says(&[[0.0, f32::NAN, 0.0]], "coordinate of point 0 is NaN");
        says(&vec![[0.0; 3]; 10_000], "10000, which is not at most 8192");
    }
}
