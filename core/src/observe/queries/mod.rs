//! Queries of a state: rays, balls and convex shapes on a straight way, nearest points and overlaps, against all that a
//! scene holds.
//!
//! All in f64, scalar, in a fixed order; of equally near parts the first in the order bodies, rigid bodies, colliders
//! counts. So answers are the same on any number of threads.

mod cast;
mod error;
mod gather;
mod hit;
mod part;
mod ray;
mod reach;
mod shapes;
#[cfg(test)]
mod tests;
mod triangles;

use crate::describe::collider::Shape;
use crate::geometry::boxes::{Box3, BoxTree};
use crate::geometry::vector::{P, scale, sub};
use crate::plan::Plan;
use crate::run::state::State;
pub use error::QueryError;
use gather::Entry;
use glam::DVec3;
pub use hit::{Hit, Look, Part, Target};
use part::{Form, SurfacePoint};
pub use ray::Ray;
use ray::{CHUNK, check_length, check_position};
use rayon::prelude::*;
use reach::{away, enters, over};
pub use shapes::ShapeCast;

/// An index of all that can be hit in a state. Cloths, solids' surfaces and obstacles are their triangles, without
/// thickness; ropes and rods capsules of theirs, other particles balls; rigid bodies and colliders their shapes.
///
/// # Example
/// ```
/// use seidel::glam::DVec3;
/// use seidel::query::{Look, Queries, Ray, Target};
/// use seidel::{Collider, Plan, Scene, State};
/// let mut scene = Scene::new();
/// let ball = scene.add_collider(Collider::sphere(0.5).at([0.0, 1.0, 0.0]));
/// let plan = Plan::new(&scene)?;
/// let queries = Queries::new(&plan, &State::new(&plan))?;
/// let down = Ray::new(DVec3::new(0.0, 3.0, 0.0), DVec3::NEG_Y, 10.0);
/// let hit = queries.ray(&down, &Look::default())?.expect("it is below");
/// assert_eq!(hit.target, Target::Collider(ball));
/// assert!((hit.distance - 1.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Queries {
    plan: u64,
    entries: Vec<Entry>,
    shapes: Vec<Shape>,
    /// Of shapes that are meshes.
    triangles: Vec<triangles::Shared>,
    forms: Vec<Form>,
    boxes: Vec<Box3>,
    /// Parts without an end: planes.
    endless: Vec<u32>,
    tree: BoxTree,
    /// Whether each part's body or collider is disabled.
    off: Vec<bool>,
}

impl Queries {
    /// An index of a state.
    ///
    /// # Errors
    /// If the state is another plan's.
    pub fn new(plan: &Plan, state: &State) -> Result<Queries, QueryError> {
        let (entries, shapes) = gather::entries(plan);
        let none = (Vec::new(), Vec::new(), Vec::new());
        let mut queries = Queries {
            plan: plan.stamp,
            entries,
            triangles: triangles::shared(&shapes),
            shapes,
            forms: none.0,
            boxes: none.1,
            endless: none.2,
            tree: BoxTree::default(),
            off: Vec::new(),
        };
        queries.update(plan, state)?;
        let is_endless = |part: &u32| queries.boxes[*part as usize][1][0] == f64::INFINITY;
        let (endless, order) = (0..queries.entries.len() as u32).partition(is_endless);
        queries.endless = endless;
        queries.tree = over(&queries.boxes, order);
        Ok(queries)
    }

    /// Follows what has moved, without asking for memory. Where things have gone far from their neighbours, a new index
    /// is faster.
    ///
    /// # Errors
    /// If plan or state are others'.
    pub fn update(&mut self, plan: &Plan, state: &State) -> Result<(), QueryError> {
        if plan.stamp != self.plan || state.plan != plan.id || !plan.is_torn_as(state) {
            return Err(QueryError::Foreign);
        }
        gather::place(plan, state, &self.entries, &self.shapes, &mut self.forms, &mut self.boxes);
        self.tree.refit(|part| self.boxes[part as usize]);
        self.off.clear();
        self.off.extend(self.entries.iter().map(|entry| match entry.target {
            Target::Body(body) => state.off.bodies[plan.body_place(body)],
            Target::Collider(collider) => state.off.colliders[plan.collider_place(collider)],
            Target::Rigid(body) => state.off.rigid[plan.rigid_place(body)],
        }));
        Ok(())
    }

    /// The first that a ray meets. One that begins within a solid meets it at once.
    ///
    /// # Errors
    /// If the ray is none.
    pub fn ray(&self, ray: &Ray, look: &Look) -> Result<Option<Hit>, QueryError> {
        self.sphere_cast(ray, 0.0, look)
    }

    /// The first that each ray meets, on the threads of the rayon pool that the caller is in (rayon's global one
    /// outside of any).
    ///
    /// # Errors
    /// If a ray is none, or there are more or fewer places than rays; then nothing is written.
    pub fn rays(&self, rays: &[Ray], look: &Look, out: &mut [Option<Hit>]) -> Result<(), QueryError> {
        if rays.len() != out.len() {
            return Err(QueryError::Places { rays: rays.len(), places: out.len() });
        }
        for (index, ray) in rays.iter().enumerate() {
            ray.check(index)?;
        }
        out.par_chunks_mut(CHUNK).zip(rays.par_chunks(CHUNK)).for_each(|(out, rays)| {
            for (out, ray) in out.iter_mut().zip(rays) {
                *out = self.first(ray, 0.0, look);
            }
        });
        Ok(())
    }

    /// All parts that a ray meets, by distance.
    ///
    /// # Errors
    /// If the ray is none.
    pub fn all(&self, ray: &Ray, look: &Look) -> Result<Vec<Hit>, QueryError> {
        ray.check(0)?;
        let mut found = Vec::new();
        self.met(ray, 0.0, look, |part, at, near| {
            found.push((at, part, near));
            ray.most
        });
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Ok(found.into_iter().map(|(at, part, near)| self.hit(part, ray.at(at), at, near)).collect())
    }

    /// The first that a ball on a straight way meets; the distance is that of its centre.
    ///
    /// # Errors
    /// If the ray is none, or the radius is below 0 or not finite.
    pub fn sphere_cast(&self, ray: &Ray, radius: f64, look: &Look) -> Result<Option<Hit>, QueryError> {
        ray.check(0)?;
        check_length("radius", radius, radius < f64::INFINITY)?;
        Ok(self.first(ray, radius, look))
    }

    /// The nearest surface, not farther than `most`; within a solid the distance is negative.
    ///
    /// # Errors
    /// If the point is not within +-1e9 m, or `most` below 0.
    pub fn nearest(&self, point: DVec3, most: f64, look: &Look) -> Result<Option<Hit>, QueryError> {
        let mut best: Option<(f64, u32, SurfacePoint)> = None;
        self.about(point, most, look, |part, near| {
            let nearer = |b: &(f64, u32, SurfacePoint)| near.distance < b.0 || (near.distance == b.0 && part < b.1);
            if best.as_ref().is_none_or(nearer) {
                best = Some((near.distance, part, near));
            }
            best.map_or(most, |b| if b.0 > 0.0 { b.0 } else { 0.0 })
        })?;
        Ok(best.map(|(distance, part, near)| self.hit(part, point.to_array(), distance, near)))
    }

    /// All that a ball overlaps, one point for each part, by distance; of radius 0 all solids that a point is in.
    ///
    /// # Errors
    /// As [`Queries::nearest`].
    pub fn overlap(&self, centre: DVec3, radius: f64, look: &Look) -> Result<Vec<Hit>, QueryError> {
        let mut found = Vec::new();
        self.about(centre, radius, look, |part, near| {
            found.push((part, near));
            radius
        })?;
        found.sort_unstable_by(|a, b| a.1.distance.total_cmp(&b.1.distance).then(a.0.cmp(&b.0)));
        Ok(found.into_iter().map(|(part, near)| self.hit(part, centre.to_array(), near.distance, near)).collect())
    }

    fn about(
        &self,
        point: DVec3,
        most: f64,
        look: &Look,
        mut found: impl FnMut(u32, SurfacePoint) -> f64,
    ) -> Result<(), QueryError> {
        check_position(0, point)?;
        check_length("distance", most, true)?;
        let (x, mut limit) = (point.to_array(), most);
        let mut visit = |part: u32| {
            let entry = &self.entries[part as usize];
            if entry.is_seen(look) && !self.off[part as usize] {
                let near = self.forms[part as usize].near(entry.shape(&self.shapes), x);
                if near.distance <= limit {
                    limit = found(part, near);
                }
            }
            limit
        };
        for &part in &self.endless {
            visit(part);
        }
        self.tree.walk(most, |bounds| Some(away(bounds, x) * (1.0 - 1e-12)), visit);
        Ok(())
    }

    fn first(&self, ray: &Ray, radius: f64, look: &Look) -> Option<Hit> {
        let mut best: Option<(f64, u32, SurfacePoint)> = None;
        self.met(ray, radius, look, |part, at, near| {
            if best.as_ref().is_none_or(|b| at < b.0 || (at == b.0 && part < b.1)) {
                best = Some((at, part, near));
            }
            best.map_or(ray.most, |b| b.0)
        });
        best.map(|(at, part, near)| self.hit(part, ray.at(at), at, near))
    }

    fn met(&self, ray: &Ray, radius: f64, look: &Look, mut found: impl FnMut(u32, f64, SurfacePoint) -> f64) {
        let (line, mut most) = (ray.line(), ray.most);
        let mut visit = |part: u32| {
            let entry = &self.entries[part as usize];
            if entry.is_seen(look) && !self.off[part as usize] {
                let form = &self.forms[part as usize];
                if let Some((at, near)) = cast::cast(form, entry.shape(&self.shapes), line, radius, most) {
                    most = found(part, at, near);
                }
            }
            most
        };
        for &part in &self.endless {
            visit(part);
        }
        self.tree.walk(ray.most, |bounds| enters(bounds, line, [radius; 3], ray.most), visit);
    }

    fn hit(&self, part: u32, from: P, distance: f64, near: SurfacePoint) -> Hit {
        let entry = &self.entries[part as usize];
        let position = sub(from, scale(near.normal, near.distance));
        let (position, normal) = (DVec3::from(position), DVec3::from(near.normal));
        Hit { target: entry.target, part: entry.named(near.shares), position, normal, distance }
    }
}
