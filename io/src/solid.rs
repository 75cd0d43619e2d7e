//! Colliders' surfaces as triangles, in the collider's own frame. Without normals, viewers draw faces as flat.

use glam::Vec3;
use seidel::collider::Shape;
use seidel::mesh::Mesh;
use seidel::render::Normals;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Points around, and rings from pole to pole or around a tube.
const AROUND: usize = 48;
const ALONG: usize = 24;

/// A surface.
#[derive(Debug, Default)]
pub(crate) struct Surface {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// The surface of a shape; a plane reaches so far, metres.
pub(crate) fn surface(shape: &Shape, reach: f32) -> Surface {
    match *shape {
        Shape::Plane => Surface {
            positions: vec![[-reach, 0.0, -reach], [-reach, 0.0, reach], [reach, 0.0, reach], [reach, 0.0, -reach]],
            normals: vec![[0.0, 1.0, 0.0]; 4],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        },
        Shape::Sphere { radius } => lathe(&round(f64::from(radius), 0.0)),
        Shape::Capsule { radius, half_length } => lathe(&round(f64::from(radius), f64::from(half_length))),
        Shape::Cylinder { radius, half_height } => {
            let (r, h) = (f64::from(radius), f64::from(half_height));
            let rings = [[0.0, -h, 0.0, -1.0], [r, -h, 0.0, -1.0], [r, -h, 1.0, 0.0], [r, h, 1.0, 0.0]];
            lathe(&[&rings[..], &[[r, h, 0.0, 1.0], [0.0, h, 0.0, 1.0]]].concat())
        }
        Shape::Cone { radius, half_height } => {
            let (r, h) = (f64::from(radius), f64::from(half_height));
            let slant = f64::sqrt(r * r + 4.0 * h * h);
            let (out, up) = (2.0 * h / slant, r / slant);
            lathe(&[[0.0, -h, 0.0, -1.0], [r, -h, 0.0, -1.0], [r, -h, out, up], [0.0, h, out, up]])
        }
        Shape::Torus { ring, tube } => {
            let rings: Vec<_> = (0..=ALONG)
                .map(|i| {
                    let (y, x) = libm::sincos(i as f64 / ALONG as f64 * TAU);
                    [f64::from(ring) + f64::from(tube) * x, f64::from(tube) * y, x, y]
                })
                .collect();
            lathe(&rings)
        }
        Shape::Cuboid { half } => cuboid(half.to_array()),
        _ => shape.surface().map_or_else(Surface::default, |mesh| given(&mesh, matches!(shape, Shape::Hull(_)))),
    }
}

/// Half circles at both ends of a segment along y: distance from the axis, height, and the normal's two.
fn round(radius: f64, half_length: f64) -> Vec<[f64; 4]> {
    let half = |from: f64, y: f64| {
        (0..=ALONG / 2).map(move |i| {
            let (up, out) = libm::sincos(from + i as f64 / (ALONG / 2) as f64 * FRAC_PI_2);
            // The poles lie on the axis.
            let out = if out < 1e-12 { 0.0 } else { out };
            [radius * out, y + radius * up, out, up]
        })
    };
    // Of a ball's two halves, the equator is there once.
    let upper = half(0.0, half_length).skip(usize::from(half_length == 0.0));
    half(-FRAC_PI_2, -half_length).chain(upper).collect()
}

/// Turns a profile, from below to above, about the y axis.
fn lathe(profile: &[[f64; 4]]) -> Surface {
    let mut surface = Surface::default();
    for &[r, y, out, up] in profile {
        for j in 0..=AROUND {
            let (s, c) = libm::sincos((j % AROUND) as f64 / AROUND as f64 * TAU);
            surface.positions.push([r * c, y, -r * s].map(|x| x as f32));
            surface.normals.push([out * c, up, -out * s].map(|x| x as f32));
        }
    }
    let across = AROUND as u32 + 1;
    // Two rings at one place are a hard edge: their normals differ.
    let apart = |rings: &[[f64; 4]]| rings[0][..2] != rings[1][..2];
    for (i, rings) in (0..).zip(profile.windows(2)).filter(|(_, rings)| apart(rings)) {
        for j in 0..AROUND as u32 {
            let a = i * across + j;
            let (b, c, d) = (a + 1, a + across, a + across + 1);
            // At a pole one of the two has no area.
            if rings[0][0] > 0.0 {
                surface.triangles.push([a, b, d]);
            }
            if rings[1][0] > 0.0 {
                surface.triangles.push([a, d, c]);
            }
        }
    }
    surface
}

/// Bit k of a corner's number says on which side along axis k it is.
fn cuboid(half: [f32; 3]) -> Surface {
    let corner = |i: u32| [0, 1, 2].map(|k: usize| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let mut triangles = Vec::new();
    for axis in 0..3u32 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let high = 1 << axis;
        triangles.extend([[high, high | u, high | u | v], [high, high | u | v, high | v]]);
        triangles.extend([[0, u | v, u], [0, v, u | v]]);
    }
    Surface { positions: (0..8).map(corner).collect(), normals: Vec::new(), triangles }
}

/// A mesh that the shape brings with it.
fn given(mesh: &Mesh, flat: bool) -> Surface {
    let (positions, triangles) = (mesh.positions.clone(), mesh.triangles.clone());
    let mut normals = Vec::new();
    if !flat && let Ok(mut of_mesh) = Normals::of_mesh(positions.len(), &triangles) {
        let at: Vec<Vec3> = positions.iter().map(|&p| p.into()).collect();
        let mut out = vec![Vec3::ZERO; at.len()];
        of_mesh.update(&at, &mut out);
        normals = out.iter().map(|&n| if n == Vec3::ZERO { [0.0, 1.0, 0.0] } else { n.to_array() }).collect();
    }
    Surface { positions, normals, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cubic metres; negative if it looks inwards.
    fn volume(surface: &Surface) -> f32 {
        let at = |v: u32| Vec3::from(surface.positions[v as usize]);
        surface.triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c)))).sum::<f32>() / 6.0
    }

    #[test]
    fn surfaces_look_outwards_and_hold_what_the_shape_does() {
        let pi = std::f32::consts::PI;
        let shapes = [
            (Shape::Sphere { radius: 0.5 }, pi / 6.0),
            (Shape::Capsule { radius: 0.5, half_length: 0.25 }, pi / 6.0 + pi / 8.0),
            (Shape::Cylinder { radius: 0.5, half_height: 1.0 }, pi / 2.0),
            (Shape::Cone { radius: 0.5, half_height: 1.0 }, pi / 6.0),
            (Shape::Torus { ring: 1.0, tube: 0.25 }, pi * pi / 8.0),
            (Shape::Cuboid { half: [0.5, 1.0, 1.5].into() }, 6.0),
        ];
        for (shape, expected) in shapes {
            let surface = surface(&shape, 1.0);
            let got = volume(&surface);
            assert!(got <= expected * 1.00001 && got > expected * 0.97, "{shape:?}: {got} of {expected}");
            for &[a, b, c] in surface.triangles.iter().filter(|_| !surface.normals.is_empty()) {
                let [x, y, z] = [a, b, c].map(|v| Vec3::from(surface.positions[v as usize]));
                let face = (y - x).cross(z - x);
                assert!(face.length() > 0.0, "{shape:?} has a triangle without area");
                let normals: Vec3 = [a, b, c].map(|v| Vec3::from(surface.normals[v as usize])).iter().sum();
                assert!(face.dot(normals) > 0.0, "{shape:?} has a normal that looks inwards");
            }
            assert!(surface.normals.iter().all(|&n| (Vec3::from(n).length() - 1.0).abs() < 1e-6));
        }
    }
}
