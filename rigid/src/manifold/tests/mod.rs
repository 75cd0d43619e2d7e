//! What the tests of manifolds share: shapes, random pairs of them, and what holds of every manifold.

mod degenerate;
mod frustums;
mod lasting;
pub(super) mod oracle;
mod random;
mod resting;

use super::{BoxFaces, CuboidPairs, Faces, Manifold, Transform};
use crate::polyhedron::tests::hull_of;
use crate::tuning::{SAME_DEPTH, near_gain};
use crate::{Polyhedron, Shape};
use oracle::{Lcg, Solid, Vector, narrow, transform, wide};
use seidel_kernels::{Isa, Quat, V3};
use std::sync::Arc;

/// The contact, which is the same on all lanes: asked in every eighth random place.
fn collide(a: &Shape, b: &Shape, b_in_a: &Transform, reach: f32) -> Manifold {
    let found = super::collide(Isa::PORTABLE, a, b, b_in_a, reach);
    let asked = b_in_a.at.x.to_bits().is_multiple_of(8);
    for isa in Isa::available().into_iter().filter(|_| asked) {
        let other = super::collide(isa, a, b, b_in_a, reach);
        assert_eq!(bits(&other), bits(&found), "{isa:?}: {a:?} {b:?} {b_in_a:?} {reach}");
    }
    found
}

fn bits(manifold: &Manifold) -> Vec<u32> {
    let vector = |v: V3<f32>| [v.x, v.y, v.z];
    let of_points = manifold.points().iter().flat_map(|point| {
        let numbers = vector(point.a).into_iter().chain(vector(point.b)).chain([point.separation]);
        numbers.map(f32::to_bits).chain([point.feature])
    });
    let others = vector(manifold.normal).into_iter().chain(manifold.rolls.into_iter().flatten()).map(f32::to_bits);
    others.chain(of_points).collect()
}

const HERE: Transform = Transform {
    axes: [V3 { x: 1.0, y: 0.0, z: 0.0 }, V3 { x: 0.0, y: 1.0, z: 0.0 }, V3 { x: 0.0, y: 0.0, z: 1.0 }],
    at: V3 { x: 0.0, y: 0.0, z: 0.0 },
};

fn shape(kind: usize, random: &mut Lcg) -> Shape {
    let mut size = |low, high| random.between(low, high) as f32;
    match kind {
        0 => Shape::Sphere { radius: size(0.2, 0.8) },
        1 => Shape::Cuboid { half: [size(0.2, 0.8), size(0.2, 0.8), size(0.2, 0.8)] },
        2 => Shape::Cuboid { half: [size(0.1, 0.3), size(0.1, 0.3), size(1.0, 2.0)] },
        3 => Shape::Capsule { radius: size(0.1, 0.3), half_length: size(0.2, 1.0) },
        _ => {
            let count = 5 + (random.unit() * 8.0) as usize;
            let points: Vec<[f32; 3]> = (0..count)
                .map(|_| {
                    let p = random.vector(1.0);
                    let p = narrow(p * (0.7 / p.length()));
                    [p.x, p.y, p.z]
                })
                .collect();
            Shape::Hull(Arc::new(hull_of(&points).unwrap()))
        }
    }
}
const KINDS: usize = 5;

/// Random pairs of all kinds, near each other.
fn pairs(seed: u64, each: usize, mut check: impl FnMut(&Shape, &Shape, &Transform, &mut Lcg)) {
    let mut random = Lcg(seed);
    for kind in 0..KINDS * KINDS {
        for _ in 0..each {
            let (a, b) = (shape(kind / KINDS, &mut random), shape(kind % KINDS, &mut random));
            let pose = transform(random.rotation(), random.vector(1.2));
            check(&a, &b, &pose, &mut random);
        }
    }
}

fn hull(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Shape {
    Shape::Hull(Arc::new(Polyhedron::new(vertices, triangles).unwrap()))
}

/// A prism about y of a ring of vertices: one of many sides is a cylinder.
fn prism(sides: u32, radius: f64, half_height: f64) -> Shape {
    let mut vertices = vec![];
    for k in 0..sides {
        let turn = Quat::exp(V3::new(0.0, f64::from(k) * std::f64::consts::TAU / f64::from(sides), 0.0));
        for y in [-half_height, half_height] {
            let p = narrow(turn.rotate(V3::new(radius, y, 0.0)));
            vertices.push([p.x, p.y, p.z]);
        }
    }
    let mut triangles = vec![];
    for k in 0..sides {
        let (low, high, next) = (2 * k, 2 * k + 1, 2 * ((k + 1) % sides));
        triangles.extend([[low, next, high], [high, next, next + 1]]);
        if k > 1 {
            triangles.extend([[0, low, low - 2], [1, high - 2, high]]);
        }
    }
    hull(&vertices, &triangles)
}

fn least(manifold: &Manifold) -> f64 {
    manifold.points().iter().map(|p| f64::from(p.separation)).fold(f64::INFINITY, f64::min)
}

/// A normal of length 1, points whose separation is n.(b - a) and within reach, and no feature twice.
fn well_formed(manifold: &Manifold, reach: f32) {
    let n = manifold.normal;
    assert!((n.length() - 1.0).abs() < 1e-5, "{manifold:?}");
    for (k, p) in manifold.points().iter().enumerate() {
        assert!((n.dot(p.b - p.a) - p.separation).abs() < 2e-6, "{manifold:?}");
        assert!(p.separation <= reach, "{manifold:?}");
        assert!(manifold.points()[..k].iter().all(|q| q.feature != p.feature), "{manifold:?}");
    }
}

/// Both ways about, with points on the surfaces.
fn both_ways(a: &Shape, b: &Shape, pose: &Transform, reach: f32) -> [Manifold; 2] {
    [collide(a, b, pose, reach), collide(b, a, &pose.inverse(), reach).swapped(pose)]
}
