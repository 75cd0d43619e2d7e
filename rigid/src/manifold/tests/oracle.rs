//! What manifolds are compared with: solids as vertices in f64, distance by GJK with all subsets of a simplex,
//! penetration by all axes.

use crate::Shape;
use crate::manifold::Transform;
use crate::manifold::faces::{BoxFaces, Faces};
use seidel_kernels::{Quat, V3};

pub(in crate::manifold) type Vector = V3<f64>;

/// Numbers from 0 to 1 in an order that is always the same (Knuth's multiplier).
pub(in crate::manifold) struct Lcg(pub u64);

impl Lcg {
    pub(in crate::manifold) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    pub(in crate::manifold) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub(in crate::manifold) fn vector(&mut self, size: f64) -> Vector {
        V3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    pub(in crate::manifold) fn rotation(&mut self) -> Quat<f64> {
        Quat::exp(self.vector(3.0)).normalised()
    }
}

pub(in crate::manifold) fn narrow(v: Vector) -> V3<f32> {
    V3::new(v.x as f32, v.y as f32, v.z as f32)
}

pub(in crate::manifold) fn wide(v: V3<f32>) -> Vector {
    V3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

pub(in crate::manifold) fn transform(turn: Quat<f64>, at: Vector) -> Transform {
    Transform { axes: turn.axes().map(narrow), at: narrow(at) }
}

/// A shape in the frame of A: all within `radius` of the hull of the vertices.
pub(super) struct Solid {
    pub vertices: Vec<Vector>,
    pub normals: Vec<Vector>,
    pub edges: Vec<Vector>,
    pub radius: f64,
}

impl Solid {
    pub(super) fn new(shape: &Shape, pose: &Transform) -> Self {
        let [x, y, z] = pose.axes.map(wide);
        let turn = |v: V3<f32>| {
            let v = wide(v);
            (x * v.x + y * v.y) + z * v.z
        };
        let at = |v: V3<f32>| turn(v) + wide(pose.at);
        let solid = |faces: Faces<'_>| Solid {
            vertices: faces.vertices.iter().map(|v| at(V3::set(*v))).collect(),
            normals: (0..faces.planes.len()).map(|f| turn(faces.plane(f as u32).0)).collect(),
            edges: faces.edges.iter().map(|e| at(faces.vertex(e[1])) - at(faces.vertex(e[0]))).collect(),
            radius: 0.0,
        };
        let round = |vertices: Vec<Vector>, radius: f32| Solid {
            vertices,
            normals: vec![],
            edges: vec![],
            radius: f64::from(radius),
        };
        match shape {
            Shape::HalfSpace | Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Surface(_) => {
                unreachable!("has no vertices")
            }
            Shape::Sphere { radius } => round(vec![at(V3::zero())], *radius),
            Shape::Capsule { radius, half_length } => {
                let end = V3::new(0.0, *half_length, 0.0);
                let mut solid = round(vec![at(end), at(-end)], *radius);
                solid.edges = vec![turn(end)];
                solid
            }
            Shape::Cuboid { half } => solid(BoxFaces::new(*half).faces()),
            Shape::Hull(hull) => solid(Faces::of(hull)),
        }
    }

    fn highest(&self, along: Vector) -> Vector {
        let mut best = self.vertices[0];
        for v in &self.vertices {
            if along.dot(*v) > along.dot(best) {
                best = *v;
            }
        }
        best
    }

    /// By how much the other is above this along a unit vector; less than 0 where they overlap.
    pub(super) fn separation(&self, other: &Solid, n: Vector) -> f64 {
        n.dot(other.highest(-n) - self.highest(n)) - (self.radius + other.radius)
    }

    /// The largest separation along all axes of faces and pairs of edges of polyhedra, and that axis.
    pub(super) fn best_axis(&self, other: &Solid) -> (f64, Vector) {
        let mut axes = [&self.normals[..], &other.normals[..]].concat();
        for e in &self.edges {
            axes.extend(other.edges.iter().map(|f| e.cross(*f)));
        }
        let mut best = (f64::NEG_INFINITY, V3::zero());
        for axis in axes {
            if axis.length() < 1e-9 {
                continue;
            }
            let axis = axis * (1.0 / axis.length());
            for n in [axis, -axis] {
                let separation = self.separation(other, n);
                if separation > best.0 {
                    best = (separation, n);
                }
            }
        }
        best
    }

    /// The distance of the hulls of the vertices (Gilbert, Johnson and Keerthi 1988); 0 where they overlap.
    pub(super) fn core_distance(&self, other: &Solid) -> f64 {
        let mut simplex = vec![other.vertices[0] - self.vertices[0]];
        let mut closest = simplex[0];
        for _ in 0..200 {
            let next = other.highest(-closest) - self.highest(closest);
            if closest.length_squared() - closest.dot(next) <= 1e-13 * (1.0 + closest.length_squared()) {
                break;
            }
            simplex.push(next);
            (closest, simplex) = nearest(&simplex);
            if closest.length() < 1e-9 || simplex.len() == 4 {
                return 0.0;
            }
        }
        closest.length()
    }
}

/// The point of a simplex that is nearest to the origin, and the vertices it is made of: all subsets are tried.
fn nearest(simplex: &[Vector]) -> (Vector, Vec<Vector>) {
    let mut best = (V3::set([f64::MAX.sqrt() / 4.0; 3]), vec![]);
    for subset in 1u32..1 << simplex.len() {
        let part: Vec<Vector> = (0..simplex.len()).filter(|i| subset & (1 << i) != 0).map(|i| simplex[i]).collect();
        let Some(point) = inside(&part) else { continue };
        if point.length_squared() < best.0.length_squared() {
            best = (point, part);
        }
    }
    best
}

/// The origin's foot on the span of a simplex, if that is within it.
fn inside(part: &[Vector]) -> Option<Vector> {
    let p = part[0];
    match *part {
        [_] => Some(p),
        [_, q] => {
            let d = q - p;
            let t = -p.dot(d) / d.dot(d);
            (t > 0.0 && t < 1.0).then(|| p + d * t)
        }
        [_, q, r] => {
            let n = (q - p).cross(r - p);
            let foot = n * (p.dot(n) / n.dot(n));
            let within = |a: Vector, b: Vector| (b - a).cross(foot - a).dot(n) > 0.0;
            (within(p, q) && within(q, r) && within(r, p)).then_some(foot)
        }
        [_, q, r, s] => {
            // The origin is on the same side of each face as the vertex that is not in it.
            let same = |a: Vector, b: Vector, c: Vector, d: Vector| {
                let n = (b - a).cross(c - a);
                n.dot(a) * n.dot(a - d) > 0.0
            };
            (same(p, q, r, s) && same(q, r, s, p) && same(r, s, p, q) && same(s, p, q, r)).then(V3::zero)
        }
        _ => None,
    }
}
