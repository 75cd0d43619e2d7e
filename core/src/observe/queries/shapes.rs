//! Where a convex shape on a straight way first meets a part.

use super::Queries;
use super::error::QueryError;
use super::hit::{Hit, Look};
use super::part::{Form, SurfacePoint, to_local, to_world};
use super::ray::{CHUNK, check_position, check_way, unit_way};
use super::reach::enters;
use super::triangles::{MeshTriangles, swept};
use crate::describe::collider::Shape;
use crate::describe::pose::Pose;
use crate::geometry::vector::{P, add, scale, sub};
use crate::tuning::MAX_COORDINATE;
use glam::DVec3;
use rayon::prelude::*;
use seidel_rigid::cast::{Impact, Placed, Solid};

/// A convex shape that goes straight on and does not turn.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShapeCast<'a> {
    /// A sphere, capsule, cuboid, cylinder, cone or hull.
    pub shape: &'a Shape,
    /// Where it begins.
    pub pose: Pose,
    /// Where it goes; any length above 0.
    pub direction: DVec3,
    /// How far it goes, metres, >= 0; may be infinite.
    pub most: f64,
}

impl<'a> ShapeCast<'a> {
    /// A shape that begins at a pose and goes in a direction of any length, so far, metres.
    #[must_use]
    pub fn new(shape: &'a Shape, pose: Pose, direction: impl Into<DVec3>, most: f64) -> ShapeCast<'a> {
        ShapeCast { shape, pose, direction: direction.into(), most }
    }
}

impl Queries {
    /// The first that a convex shape meets on its way. One that begins in something meets it at once, and its normal is
    /// the way out; within a mesh or height field that is a collider it meets their surface from inside. Whether it
    /// begins in a rigid body's mesh is told by the distance field there, which is off by up to 0.87 of its cells at
    /// edges and corners. Where a face meets a face or an edge, the position is any point that they share. The first
    /// cast at such a mesh makes an index of its triangles.
    ///
    /// # Errors
    /// If the shape is not convex, a size of it is 0 or not finite, its pose is none, or the way is none.
    ///
    /// # Example
    /// ```
    /// use seidel::collider::Shape;
    /// use seidel::glam::DVec3;
    /// use seidel::query::{Look, Queries, ShapeCast};
    /// use seidel::{Collider, Plan, Pose, Scene, State};
    /// let mut scene = Scene::new();
    /// scene.add_collider(Collider::cuboid([2.0, 0.5, 2.0]));
    /// let plan = Plan::new(&scene)?;
    /// let queries = Queries::new(&plan, &State::new(&plan))?;
    /// let shape = Shape::Capsule { radius: 0.25, half_length: 0.5 };
    /// let down = ShapeCast::new(&shape, Pose::at([0.0, 3.0, 0.0]), DVec3::NEG_Y, 10.0);
    /// let hit = queries.cast_shape(&down, &Look::default())?.expect("it is below");
    /// assert!((hit.distance - 1.75).abs() < 1e-9 && hit.normal.y > 0.999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_shape(&self, cast: &ShapeCast<'_>, look: &Look) -> Result<Option<Hit>, QueryError> {
        cast.check(0)?;
        Ok(self.first_of_shape(cast, look))
    }

    /// The first that each shape meets, on the threads of the rayon pool that the caller is in (rayon's global one
    /// outside of any).
    ///
    /// # Errors
    /// If a shape or a way is none, or there are more or fewer places than shapes; then nothing is written.
    pub fn cast_shapes(&self, casts: &[ShapeCast<'_>], look: &Look, out: &mut [Option<Hit>]) -> Result<(), QueryError> {
        if casts.len() != out.len() {
            return Err(QueryError::Places { rays: casts.len(), places: out.len() });
        }
        for (index, cast) in casts.iter().enumerate() {
            cast.check(index)?;
        }
        out.par_chunks_mut(CHUNK).zip(casts.par_chunks(CHUNK)).for_each(|(out, casts)| {
            for (out, cast) in out.iter_mut().zip(casts) {
                *out = self.first_of_shape(cast, look);
            }
        });
        Ok(())
    }

    /// All parts that a convex shape overlaps or touches, in the order bodies, rigid bodies, colliders; distances are
    /// 0, and normals the ways out.
    ///
    /// # Errors
    /// As [`Queries::cast_shape`].
    pub fn overlap_shape(&self, shape: &Shape, pose: &Pose, look: &Look) -> Result<Vec<Hit>, QueryError> {
        let cast = ShapeCast { shape, pose: *pose, direction: DVec3::Y, most: 0.0 };
        cast.check(0)?;
        let mut found = Vec::new();
        self.met_by_shape(&cast, look, |part, impact| {
            found.push((part, impact));
            0.0
        });
        found.sort_unstable_by_key(|(part, _)| *part);
        Ok(found.into_iter().map(|(part, impact)| self.impact(part, &impact)).collect())
    }

    fn first_of_shape(&self, cast: &ShapeCast<'_>, look: &Look) -> Option<Hit> {
        let mut best: Option<(u32, Impact)> = None;
        self.met_by_shape(cast, look, |part, impact| {
            let is_first = |(of, first): (u32, Impact)| impact.at < first.at || (impact.at == first.at && part < of);
            if best.is_none_or(is_first) {
                best = Some((part, impact));
            }
            best.map_or(cast.most, |(_, first)| first.at)
        });
        best.map(|(part, impact)| self.impact(part, &impact))
    }

    fn met_by_shape(&self, cast: &ShapeCast<'_>, look: &Look, mut found: impl FnMut(u32, Impact) -> f64) {
        let Some(placed) = cast.placed() else { return };
        let way = unit_way(cast.direction);
        let (line, half) = swept(&placed, way);
        let mut most = cast.most;
        let mut visit = |part: u32| {
            let entry = &self.entries[part as usize];
            if entry.is_seen(look)
                && !self.off[part as usize]
                && let Some(impact) = self.cast_at(part, cast, &placed, way, most)
            {
                most = found(part, impact);
            }
            most
        };
        for &part in &self.endless {
            visit(part);
        }
        self.tree.walk(cast.most, |bounds| enters(bounds, line, half, cast.most), visit);
    }

    /// Where a shape meets a part.
    fn cast_at(&self, part: u32, cast: &ShapeCast<'_>, placed: &Placed<'_>, way: P, most: f64) -> Option<Impact> {
        let entry = &self.entries[part as usize];
        let shape = entry.shape(&self.shapes);
        match (&self.forms[part as usize], shape) {
            (Form::Triangle(corners), _) => placed.cast(&Placed::here(Solid::Triangle(*corners)), way, most),
            (Form::Round(ends, radius), _) => {
                placed.cast(&Placed::here(Solid::Segment { ends: *ends, radius: *radius }), way, most)
            }
            (Form::Placed(turn, at), Some(Shape::Plane)) => {
                placed.cast_half_space(to_world(turn, [0.0, 1.0, 0.0]), *at, way, most)
            }
            (Form::Placed(turn, at), Some(&Shape::Torus { ring, tube })) => {
                placed.cast_ring([ring, tube].map(f64::from), (columns(turn), *at), way, most)
            }
            (form @ Form::Placed(turn, at), Some(shape @ Shape::Sdf { sdf, .. })) => {
                let middle = placed.inner();
                let near = form.near(Some(shape), middle);
                // All of it may be inside. The field tells, which is off by up to 0.87 of its cells at edges.
                if near.distance <= 0.0 {
                    return Some(Impact { at: 0.0, normal: near.normal, point: outside(middle, &near) });
                }
                let triangles = self.triangles[entry.shape_number()? as usize].as_ref()?;
                let triangles = triangles.get_or_init(|| MeshTriangles::of(sdf.surface()));
                let own = cast.pose.matrix();
                let axes = [0, 1, 2].map(|k| to_local(turn, own.map(|row| row[k])));
                let local = Placed::new(solid(cast.shape)?, axes, to_local(turn, sub(cast.pose.position, *at)));
                let met = triangles.cast(&local, to_local(turn, way), most)?;
                let normal = to_world(turn, met.normal);
                Some(Impact { at: met.at, normal, point: add(to_world(turn, met.point), *at) })
            }
            (Form::Placed(turn, at), Some(shape)) => {
                placed.cast(&Placed::new(solid(shape)?, columns(turn), *at), way, most)
            }
            (Form::Placed(..), None) => None,
        }
    }

    fn impact(&self, part: u32, impact: &Impact) -> Hit {
        let entry = &self.entries[part as usize];
        let shares = self.forms[part as usize].shares(impact.point);
        let (position, normal) = (DVec3::from(impact.point), DVec3::from(impact.normal));
        Hit { target: entry.target, part: entry.named(shares), position, normal, distance: impact.at }
    }
}

impl ShapeCast<'_> {
    fn placed(&self) -> Option<Placed<'_>> {
        let rows = self.pose.matrix();
        Some(Placed::new(solid(self.shape)?, [0, 1, 2].map(|k| rows.map(|row| row[k])), self.pose.position))
    }

    fn check(&self, index: usize) -> Result<(), QueryError> {
        if solid(self.shape).is_none() {
            return Err(QueryError::NotConvex { index, shape: self.shape.name() });
        }
        for (what, size, positive) in self.shape.named_lengths() {
            let value = f64::from(size);
            let least = if positive { f64::MIN_POSITIVE } else { 0.0 };
            if !(least..=f64::from(MAX_COORDINATE)).contains(&value) {
                return Err(QueryError::Size { index, what, value });
            }
        }
        check_position(index, self.pose.position.into())?;
        if !self.pose.is_valid() {
            return Err(QueryError::Rotation { index, rotation: self.pose.rotation() });
        }
        check_way(index, self.direction, self.most)
    }
}

/// A convex shape in its own frame.
fn solid(shape: &Shape) -> Option<Solid<'_>> {
    let wide = f64::from;
    Some(match shape {
        Shape::Sphere { radius } => Solid::Ball { radius: wide(*radius) },
        Shape::Capsule { radius, half_length } => {
            Solid::Capsule { radius: wide(*radius), half_length: wide(*half_length) }
        }
        Shape::Cuboid { half } => Solid::Cuboid { half: half.to_array().map(wide) },
        Shape::Cylinder { radius, half_height } => {
            Solid::Frustum { radii: [wide(*radius); 2], half_height: wide(*half_height) }
        }
        Shape::Cone { radius, half_height } => {
            Solid::Frustum { radii: [wide(*radius), 0.0], half_height: wide(*half_height) }
        }
        Shape::Hull(hull) => Solid::Hull(&hull.surface().positions),
        Shape::Plane | Shape::Torus { .. } | Shape::Sdf { .. } | Shape::HeightField(_) => return None,
    })
}

/// A matrix whose rows are given, by its columns.
fn columns(rows: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|k| rows.map(|row| row[k]))
}

/// The point of a surface that is nearest.
fn outside(x: P, near: &SurfacePoint) -> P {
    sub(x, scale(near.normal, near.distance))
}
