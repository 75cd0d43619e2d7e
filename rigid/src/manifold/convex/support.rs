//! Convex shapes by their support mappings, in f64: the farthest point along a direction, and the face, segment or
//! corner that is there.

use crate::manifold::faces::{BoxFaces, Faces};
use crate::manifold::point::Transform;
use crate::solid::Solid;
use crate::tuning::{CAP_TILT, FLAT_RIM, LIES_ALONG, RIM_POINTS};
use crate::vector::{V, unit};
use crate::{Polyhedron, Shape};
use seidel_kernels::V3;

/// Points of a feature at most.
pub(super) const MOST: usize = 32;

/// A rotation and a translation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideTransform {
    pub(crate) axes: [V; 3],
    pub(crate) at: V,
}

impl WideTransform {
    pub(crate) const HERE: WideTransform = WideTransform {
        axes: [V { x: 1.0, y: 0.0, z: 0.0 }, V { x: 0.0, y: 1.0, z: 0.0 }, V { x: 0.0, y: 0.0, z: 1.0 }],
        at: V { x: 0.0, y: 0.0, z: 0.0 },
    };

    pub(crate) fn of(transform: &Transform) -> WideTransform {
        WideTransform { axes: transform.axes.map(wide), at: wide(transform.at) }
    }

    pub(crate) fn turn(&self, v: V) -> V {
        (self.axes[0] * v.x + self.axes[1] * v.y) + self.axes[2] * v.z
    }

    pub(crate) fn turn_back(&self, v: V) -> V {
        V3::new(self.axes[0].dot(v), self.axes[1].dot(v), self.axes[2].dot(v))
    }

    pub(crate) fn point(&self, p: V) -> V {
        self.at + self.turn(p)
    }
}

pub(crate) fn wide(v: V3<f32>) -> V {
    V3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

pub(crate) fn narrow(v: V) -> V3<f32> {
    V3::new(v.x as f32, v.y as f32, v.z as f32)
}

/// What all points of a convex shape are within a radius of.
#[derive(Clone, Copy, Debug)]
enum Core<'a> {
    Point,
    /// Along y, half as long.
    Segment(f64),
    Cuboid([f64; 3]),
    Hull(&'a Polyhedron),
    /// The hull of points, by its support mapping alone.
    Points(&'a [[f32; 3]]),
    /// Between two discs about y, the first at -y, whose radii may be 0.
    Frustum {
        radii: [f64; 2],
        half: f64,
    },
    Triangle([V; 3]),
}

/// A convex shape somewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convex<'a> {
    core: Core<'a>,
    pub(crate) radius: f64,
    place: WideTransform,
}

/// The part of a shape that is farthest along a direction, in the common frame.
pub(super) struct Feature {
    points: [V; MOST],
    count: usize,
    /// Outward unit normal of a polygon; zero of what has no area.
    pub(super) normal: V,
    /// A number of its own among those of the shape, below 2^10.
    pub(super) name: u32,
}

impl Feature {
    fn new(name: u32) -> Feature {
        Feature { points: [V3::zero(); MOST], count: 0, normal: V3::zero(), name }
    }

    fn push(&mut self, p: V) {
        if self.count < MOST {
            self.points[self.count] = p;
            self.count += 1;
        }
    }

    pub(super) fn points(&self) -> &[V] {
        &self.points[..self.count]
    }
}

impl<'a> Convex<'a> {
    /// None of a shape that is not convex or has no end.
    pub(crate) fn new(shape: &'a Shape, place: WideTransform) -> Option<Convex<'a>> {
        let (core, radius) = match shape {
            Shape::Sphere { radius } => (Core::Point, *radius),
            Shape::Capsule { radius, half_length } => (Core::Segment(f64::from(*half_length)), *radius),
            Shape::Cuboid { half } => (Core::Cuboid(half.map(f64::from)), 0.0),
            Shape::Hull(hull) => (Core::Hull(hull), 0.0),
            Shape::Cylinder { radius, half_height } => {
                (Core::Frustum { radii: [f64::from(*radius); 2], half: f64::from(*half_height) }, 0.0)
            }
            Shape::Cone { radius, half_height } => {
                (Core::Frustum { radii: [f64::from(*radius), 0.0], half: f64::from(*half_height) }, 0.0)
            }
            Shape::HalfSpace | Shape::Surface(_) => return None,
        };
        Some(Convex { core, radius: f64::from(radius), place })
    }

    /// Of what is cast: by its support mapping alone.
    pub(crate) fn of(solid: Solid<'a>, place: WideTransform) -> Convex<'a> {
        let (core, radius) = match solid {
            Solid::Ball { radius } => (Core::Point, radius),
            Solid::Capsule { radius, half_length } => (Core::Segment(half_length), radius),
            Solid::Cuboid { half } => (Core::Cuboid(half), 0.0),
            Solid::Frustum { radii, half_height } => (Core::Frustum { radii, half: half_height }, 0.0),
            Solid::Hull(points) => (Core::Points(points), 0.0),
            Solid::Segment { ends: [a, b], radius } => (Core::Triangle([a, b, b].map(V3::set)), radius),
            Solid::Triangle(corners) => (Core::Triangle(corners.map(V3::set)), 0.0),
        };
        Convex { core, radius, place }
    }

    /// The same elsewhere.
    pub(crate) fn moved(mut self, by: V) -> Convex<'a> {
        self.place.at = self.place.at + by;
        self
    }

    pub(crate) fn triangle(corners: [V; 3]) -> Convex<'static> {
        Convex { core: Core::Triangle(corners), radius: 0.0, place: WideTransform::HERE }
    }

    /// The point of the core that is farthest along a direction.
    pub(crate) fn support(&self, along: V) -> V {
        let d = self.place.turn_back(along);
        let local = match self.core {
            Core::Point => V3::zero(),
            Core::Segment(half) => V3::new(0.0, if d.y < 0.0 { -half } else { half }, 0.0),
            Core::Cuboid([x, y, z]) => {
                let signed = |d: f64, half: f64| if d < 0.0 { -half } else { half };
                V3::new(signed(d.x, x), signed(d.y, y), signed(d.z, z))
            }
            Core::Hull(hull) => farthest(hull.parts.vertices.iter().map(|v| V3::set(v.map(f64::from))), d),
            Core::Points(points) => farthest(points.iter().map(|v| V3::set(v.map(f64::from))), d),
            Core::Frustum { radii, half } => {
                let s = (d.x * d.x + d.z * d.z).sqrt();
                let top = half * d.y + radii[1] * s > radii[0] * s - half * d.y;
                let (radius, y) = if top { (radii[1], half) } else { (radii[0], -half) };
                let share = if s > 0.0 { radius / s } else { 0.0 };
                V3::new(d.x * share, y, d.z * share)
            }
            Core::Triangle(corners) => farthest(corners.into_iter(), d),
        };
        self.place.point(local)
    }

    /// Outward unit normals of its flat faces.
    pub(super) fn normals(&self, mut see: impl FnMut(V)) {
        let mut along = |v: V| see(self.place.turn(v));
        match self.core {
            Core::Point | Core::Segment(_) | Core::Points(_) => {}
            Core::Cuboid(_) => {
                let axes: [V; 3] = [V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)];
                axes.into_iter().for_each(|axis| {
                    along(axis);
                    along(-axis);
                });
            }
            Core::Hull(hull) => {
                hull.parts.planes.iter().for_each(|&[x, y, z, _]| along(V3::set([x, y, z].map(f64::from))))
            }
            Core::Frustum { radii, .. } => {
                along(V3::new(0.0, -1.0, 0.0));
                if radii[1] > 0.0 {
                    along(V3::new(0.0, 1.0, 0.0));
                }
            }
            Core::Triangle(corners) => {
                if let Some(normal) = unit((corners[1] - corners[0]).cross(corners[2] - corners[0])) {
                    along(normal);
                    along(-normal);
                }
            }
        }
    }

    /// What of the core looks along a unit vector.
    pub(super) fn feature(&self, along: V) -> Feature {
        let d = self.place.turn_back(along);
        let mut found = match self.core {
            Core::Point => {
                let mut one = Feature::new(0);
                one.push(V3::zero());
                one
            }
            Core::Segment(half) => segment([V3::new(0.0, -half, 0.0), V3::new(0.0, half, 0.0)], d),
            Core::Cuboid(half) => polygon(BoxFaces::new(half.map(|h| h as f32)).faces(), d),
            Core::Hull(hull) => polygon(Faces::of(hull), d),
            Core::Points(points) => {
                let mut one = Feature::new(0);
                one.push(farthest(points.iter().map(|v| V3::set(v.map(f64::from))), d));
                one
            }
            Core::Frustum { radii, half } => frustum(radii, half, d),
            Core::Triangle(corners) => {
                let normal = unit((corners[1] - corners[0]).cross(corners[2] - corners[0])).unwrap_or(V3::zero());
                let back = normal.dot(d) < 0.0;
                let mut feature = Feature::new(u32::from(back));
                feature.normal = if back { -normal } else { normal };
                let order = if back { [0, 2, 1] } else { [0, 1, 2] };
                order.into_iter().for_each(|k| feature.push(corners[k]));
                feature
            }
        };
        for p in &mut found.points[..found.count] {
            *p = self.place.point(*p);
        }
        found.normal = self.place.turn(found.normal);
        found
    }

    /// How far along a normal inwards from a point of the surface lies what turns with the body, metres; the rest
    /// rolls: the contact of a cylinder stays below its axis. See [`crate::manifold::Manifold::rolls`].
    pub(super) fn rolls(&self, on: V, along: V) -> f32 {
        let Core::Frustum { .. } = self.core else { return 0.0 };
        let (p, d) = (self.place.turn_back(on - self.place.at), self.place.turn_back(along));
        roll(p, d)
    }
}

/// The same of a point on a frustum about y, with a unit normal: to the axis where the normal is across it, and less
/// and less as it turns to a cap.
pub(in crate::manifold) fn roll(p: V, normal: V) -> f32 {
    let s = (normal.x * normal.x + normal.z * normal.z).sqrt();
    if s <= 0.0 {
        return 0.0;
    }
    let out = (p.x * normal.x + p.z * normal.z) / s;
    let share = if s > CAP_TILT { 1.0 / s } else { s / (CAP_TILT * CAP_TILT) };
    if out > 0.0 { (out * share) as f32 } else { 0.0 }
}

/// Both ends, where a segment is level; else the higher one.
fn segment(ends: [V; 2], d: V) -> Feature {
    let axis = ends[1] - ends[0];
    let slope = axis.dot(d);
    let level = slope * slope <= f64::from(LIES_ALONG * LIES_ALONG) * axis.length_squared();
    let mut feature = Feature::new(if level { 2 } else { u32::from(slope > 0.0) });
    if level || slope <= 0.0 {
        feature.push(ends[0]);
    }
    if level || slope > 0.0 {
        feature.push(ends[1]);
    }
    feature
}

/// The face that looks most along a direction.
fn polygon(solid: Faces<'_>, d: V) -> Feature {
    let normal = |face: u32| wide(solid.plane(face).0);
    let mut best = (0, f64::NEG_INFINITY);
    for face in 0..solid.planes.len() as u32 {
        let along = normal(face).dot(d);
        if along > best.1 {
            best = (face, along);
        }
    }
    let mut feature = Feature::new(best.0 & 1023);
    feature.normal = normal(best.0);
    let first = solid.loop_of(best.0).first().copied().unwrap_or(0);
    solid.corners(best.0, first).for_each(|(_, vertex)| feature.push(wide(solid.vertex(vertex))));
    feature
}

/// Of a frustum a cap, a line along its side, or a point of a rim.
fn frustum(radii: [f64; 2], half: f64, d: V) -> Feature {
    let s = (d.x * d.x + d.z * d.z).sqrt();
    let across = if s > 0.0 { V3::new(d.x / s, 0.0, d.z / s) } else { V3::new(1.0, 0.0, 0.0) };
    let ends = [across * radii[0] - V3::new(0.0, half, 0.0), across * radii[1] + V3::new(0.0, half, 0.0)];
    let top = usize::from(d.y > 0.0);
    if s < CAP_TILT && radii[top] > 0.0 {
        return cap(radii[top], if top == 1 { half } else { -half }, across, s);
    }
    segment(ends, d)
}

/// Points around a rim, counter-clockwise seen from outside. The first is the farthest, unless all are as far: then
/// each keeps its place.
fn cap(radius: f64, y: f64, across: V, tilt: f64) -> Feature {
    let level = radius * tilt < FLAT_RIM;
    let from = if level { V3::new(1.0, 0.0, 0.0) } else { across };
    let up = if y > 0.0 { 1.0 } else { -1.0 };
    let mut feature = Feature::new(4 + 2 * u32::from(level) + u32::from(y > 0.0));
    feature.normal = V3::new(0.0, up, 0.0);
    let side = feature.normal.cross(from);
    for [c, s] in RIM_POINTS {
        feature.push((from * c + side * s) * radius + V3::new(0.0, y, 0.0));
    }
    feature
}

fn farthest(points: impl Iterator<Item = V>, d: V) -> V {
    let mut best = (V3::zero(), f64::NEG_INFINITY);
    for p in points {
        let along = d.dot(p);
        if along > best.1 {
            best = (p, along);
        }
    }
    best.0
}
