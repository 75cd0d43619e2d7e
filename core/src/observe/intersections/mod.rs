//! Which triangles of a state go through each other: boxes by the hash, then an exact test of every pair whose boxes
//! overlap.

mod apart;
#[cfg(test)]
mod brute_force;
mod exact;
mod flat;
#[cfg(test)]
mod oracle;
mod orient;

use crate::describe::error::Error;
use crate::describe::ids::{BodyId, SceneTag};
use crate::plan::embedding::Embedding;
use crate::plan::{BodyPlan, Plan};
use crate::run::state::State;
use crate::tuning::MAX_BOX_PAIRS;
use exact::{meet, pierces};
use glam::Vec3;
use orient::Point;
use seidel_hash::{Aabb, BoxGrid, Pairs};
use seidel_kernels::Row;
use std::ops::Range;

/// How many things of a state intersect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Crossings {
    /// Pairs of triangles.
    pub triangles: usize,
    /// Pairs of a rope's edge and a triangle.
    pub edges: usize,
    /// Triangles and edges that were left out: a coordinate is NaN or infinite.
    pub skipped: usize,
    /// Pairs of triangles of obstacles, with each other and with themselves: they are where they were put, so these are
    /// not in `triangles`, and a state with them is clean.
    pub of_obstacles: usize,
    /// Pairs of triangles of a skin that intersect in its mesh at rest, too: its file has them, so these are not in
    /// `triangles`, and a state with them is clean.
    pub of_skins: usize,
}

impl Crossings {
    /// Whether everything was looked at and nothing intersects, but for obstacles among themselves and skins that do so
    /// at rest.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let Crossings { triangles, edges, skipped, of_obstacles: _, of_skins: _ } = *self;
        triangles + edges + skipped == 0
    }
}

/// Finds intersecting triangles, again and again in the same memory.
///
/// All triangles that are shown are compared, of one body as of two, at the positions stored (f32, no rounding added to
/// them); for reports and tests, a step needs none of it. Of a body with a skin ([`crate::SoftBody::skin`]; one that is
/// filled has one) these are the skin's, where its tetrahedra carry them, and vertices at one place at rest are one.
/// The answer is exact for all finite positions, and does not depend on threads or lanes.
///
/// Closed triangles intersect if they have a common point that shared vertices do not explain:
///
/// | shared | they intersect if they have in common |
/// |---|---|
/// | no vertex | any point: they cross, touch, or overlap in a plane |
/// | one vertex | a point beside it: the edge opposite to it, of one, meets the other |
/// | an edge | a point beside it: they are folded onto each other, into one plane |
/// | all three | never |
///
/// Vertices are shared by their numbers, within a body; of two bodies those that a joint holds in one place, and no
/// others, wherever they lie. A triangle that has lost its area counts as the segment or point that it is. Of bodies
/// without triangles (ropes) the edges count, rows of two particles with a rest length: where one meets a triangle,
/// ends included. Two ropes have no inside and never intersect.
///
/// # Example
/// ```
/// use seidel::{Cloth, Intersections, Plan, Pose, Scene, State};
/// let mut scene = Scene::new();
/// let sheet = scene.add(Cloth::grid([2, 2], [1.0, 1.0]));
/// let upright = Pose::at([0.0; 3]).turned([1.0, 0.0, 0.0], seidel::degrees(90.0));
/// let other = scene.add(Cloth::grid([2, 2], [1.0, 1.0]).placed(upright, 1.0));
/// let plan = Plan::new(&scene)?;
/// let mut intersections = Intersections::new();
/// assert_eq!(intersections.count(&plan, &State::new(&plan))?.triangles, 4);
/// assert_eq!(intersections.pairs().next(), Some([(sheet, 0), (other, 0)]));
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Debug)]
pub struct Intersections {
    surfaces: SceneSurfaces,
    /// Of all vertices.
    points: Vec<[f32; 3]>,
    triangles: Boxes,
    edges: Boxes,
    overlaps: Pairs,
    /// Intersecting triangles, and edges with triangles.
    pairs: Vec<[u32; 2]>,
    pierced: Vec<[u32; 2]>,
}

/// A plan's triangles and ropes' edges. Vertices and triangles are numbered through all bodies.
#[derive(Debug, Default)]
struct SceneSurfaces {
    /// The plan, and whether skins stand for the bodies that have one.
    plan: Option<(u64, SceneTag, bool)>,
    bodies: Vec<BodyId>,
    /// Numbers of the triangles of obstacles: those of a body each, ascending.
    obstacles: Vec<Range<u32>>,
    /// Of each body, the numbers of its first vertex and triangle; behind the last, of all.
    starts: Vec<[usize; 2]>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    /// Vertices that a joint holds where another is, ascending, and the first of those in that place.
    places: Vec<(u32, u32)>,
    /// Pairs of triangles of a skin that intersect at rest, ascending.
    at_rest: Vec<[u32; 2]>,
}

/// Boxes of what is finite, and its numbers.
#[derive(Debug, Default)]
struct Boxes {
    /// Number of triangles whose corners are one in places: of a skin, two vertices of it at one place.
    without_corners: usize,
    boxes: Vec<Aabb>,
    numbers: Vec<u32>,
    grid: BoxGrid,
}

impl Default for Intersections {
    fn default() -> Self {
        Intersections {
            surfaces: SceneSurfaces::default(),
            points: Vec::new(),
            triangles: Boxes::default(),
            edges: Boxes::default(),
            overlaps: Pairs::new().most(MAX_BOX_PAIRS),
            pairs: Vec::new(),
            pierced: Vec::new(),
        }
    }
}

impl Intersections {
    /// Nothing found yet.
    #[must_use]
    pub fn new() -> Self {
        Intersections::default()
    }

    /// Finds what intersects in a state, and counts it. One thread, except for boxes inside a rayon pool.
    ///
    /// # Errors
    /// If the state is another plan's, or more than 2^26 pairs of boxes overlap, as in a heap where all is in one place
    /// (each takes about 20 bytes); then nothing is found.
    pub fn count(&mut self, plan: &Plan, state: &State) -> Result<Crossings, Error> {
        if state.plan != plan.id {
            self.pairs.clear();
            self.pierced.clear();
            return Err(Error::OtherPlan { what: "state" });
        }
        self.count_in(plan, &state.x, |body| state.off.bodies[body], true)
    }

    /// Of bodies where rows say, without those that are disabled: of their own triangles, which bodies meet.
    pub(super) fn count_rows(
        &mut self,
        plan: &Plan,
        x: &[Row],
        is_off: impl Fn(usize) -> bool,
    ) -> Result<Crossings, Error> {
        self.count_in(plan, x, is_off, false)
    }

    fn count_in(
        &mut self,
        plan: &Plan,
        x: &[Row],
        is_off: impl Fn(usize) -> bool,
        shown: bool,
    ) -> Result<Crossings, Error> {
        self.pairs.clear();
        self.pierced.clear();
        self.list(plan, shown)?;
        let all = &self.surfaces;
        self.points.clear();
        self.points.resize(all.starts.last().map_or(0, |start| start[0]), [0.0; 3]);
        for (number, (body, start)) in plan.bodies.iter().zip(&all.starts).enumerate() {
            // A disabled body intersects nothing.
            let (off, nowhere) = (is_off(number), [f32::NAN; 3]);
            let points = &mut self.points[start[0]..];
            let Some(skin) = skin_of(body, shown) else {
                body.each(x, |vertex, [x, y, z, _]| points[vertex] = if off { nowhere } else { [x, y, z] });
                continue;
            };
            let points = &mut points[..skin.mesh().positions.len()];
            if off {
                points.fill(nowhere);
            } else {
                let mut own = vec![Vec3::ZERO; body.to_row.len()];
                body.each(x, |vertex, [x, y, z, _]| own[vertex] = Vec3::new(x, y, z));
                skin.update(&own, bytemuck::cast_slice_mut(points));
            }
        }
        let (mut of_obstacles, mut of_skins) = (0, 0);
        all.crossing(&self.points, (&mut self.triangles, &mut self.overlaps), |pair| {
            if pair.iter().all(|&triangle| all.is_of_obstacle(triangle)) {
                of_obstacles += 1;
            } else if all.at_rest.binary_search(&pair).is_ok() {
                of_skins += 1;
            } else if !(shown && all.is_held(plan, pair)) {
                self.pairs.push(pair);
            }
        })?;
        let at = |vertex: u32| -> Point { self.points[vertex as usize].map(f64::from) };
        self.edges.build(&self.points, &all.edges)?;
        if !self.edges.numbers.is_empty() {
            self.overlaps.between(&self.edges.grid, &self.triangles.grid).map_err(crowded)?;
            for (i, &edge) in self.edges.numbers.iter().enumerate() {
                let segment = all.edges[edge as usize].map(at);
                let near = self.overlaps.of(i).iter().map(|&j| self.triangles.numbers[j as usize]);
                let ends = all.edges[edge as usize].map(|v| all.place(v));
                let apart = |t: u32| all.triangles[t as usize].iter().all(|&v| !ends.contains(&all.place(v)));
                let pierced = near.filter(|&t| apart(t) && pierces(segment, all.triangles[t as usize].map(at)));
                let pierced = pierced.filter(|&t| !(shown && all.is_edge_held(plan, edge, t)));
                self.pierced.extend(pierced.map(|t| [edge, t]));
            }
        }
        let looked_at = self.triangles.numbers.len() + self.edges.numbers.len();
        let looked_at = looked_at + self.triangles.without_corners + self.edges.without_corners;
        Ok(Crossings {
            triangles: self.pairs.len(),
            edges: self.pierced.len(),
            skipped: all.triangles.len() + all.edges.len() - looked_at,
            of_obstacles,
            of_skins,
        })
    }

    /// Lists the surfaces of a plan, unless they are listed, and what of its skins intersects at rest.
    fn list(&mut self, plan: &Plan, shown: bool) -> Result<(), Error> {
        if !self.surfaces.of(plan, shown) {
            return Ok(());
        }
        let all = &self.surfaces;
        self.points.clear();
        for (body, start) in plan.bodies.iter().zip(&all.starts) {
            let Some(skin) = skin_of(body, shown) else { continue };
            // A body without a skin has no points here, so it intersects nothing.
            self.points.resize(start[0], [f32::NAN; 3]);
            self.points.extend_from_slice(&skin.mesh().positions);
        }
        if self.points.is_empty() {
            return Ok(());
        }
        self.points.resize(all.starts.last().map_or(0, |start| start[0]), [f32::NAN; 3]);
        let mut at_rest = Vec::new();
        let found = all.crossing(&self.points, (&mut self.triangles, &mut self.overlaps), |pair| {
            let [a, b] = pair.map(|triangle| all.body(1, triangle).0);
            if a == b {
                at_rest.push(pair);
            }
        });
        match found {
            Ok(()) => self.surfaces.at_rest = at_rest,
            // The next search lists them once more.
            Err(_) => self.surfaces.plan = None,
        }
        found
    }

    /// The intersecting triangles that were found, without those of obstacles among themselves and of skins at rest:
    /// body and number in [`Plan::triangles`], or of a body with a skin in the skin's mesh, the smaller first;
    /// ascending.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [(BodyId, usize); 2]> + '_ {
        self.pairs.iter().map(|pair| pair.map(|triangle| self.surfaces.triangle(triangle)))
    }

    /// The edges that go through triangles: body and vertices, the smaller first; body and number of the triangle.
    /// Ascending.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = ((BodyId, [u32; 2]), (BodyId, usize))> + '_ {
        self.pierced.iter().map(|&[edge, triangle]| (self.surfaces.edge(edge), self.surfaces.triangle(triangle)))
    }
}

impl SceneSurfaces {
    /// Lists those of a plan, unless they are listed; whether they were not.
    fn of(&mut self, plan: &Plan, shown: bool) -> bool {
        let of = Some((plan.stamp, plan.scene, shown));
        if self.plan == of {
            return false;
        }
        *self = SceneSurfaces { plan: of, bodies: plan.body_ids().collect(), ..SceneSurfaces::default() };
        let mut vertices = 0;
        for (body, id) in plan.bodies.iter().zip(plan.body_ids()) {
            self.starts.push([vertices, self.triangles.len()]);
            let number = |vertex: u32| vertices as u32 + vertex;
            if let Some(skin) = skin_of(body, shown) {
                self.triangles.extend(skin.mesh().merged_corners().map(|t| t.map(number)));
                vertices += skin.mesh().positions.len();
                continue;
            }
            self.triangles.extend(body.triangles.iter().map(|t| t.map(number)));
            if body.triangles.is_empty() {
                let first = self.edges.len();
                let ordered = |[a, b]: [u32; 2]| [number(a.min(b)), number(a.max(b))];
                self.edges.extend(plan.lengths(id).into_iter().map(|(edge, _)| ordered(edge)));
                // A tether may lie over a link.
                self.edges[first..].sort_unstable();
            }
            vertices += body.to_row.len();
        }
        self.edges.dedup();
        self.starts.push([vertices, self.triangles.len()]);
        let of_body = |body: usize| self.starts[body][1] as u32..self.starts[body + 1][1] as u32;
        self.obstacles = plan.obstacles.each.iter().map(|obstacle| of_body(obstacle.body)).collect();
        self.obstacles.sort_unstable_by_key(|range| range.start);
        let number = |row: u32| {
            let body = plan.body_of(row);
            let is_there = skin_of(&plan.bodies[body], shown).is_none();
            is_there.then(|| self.starts[body][0] as u32 + plan.bodies[body].number(row as usize))
        };
        self.places.extend(plan.joined.apart().filter_map(|(row, first)| Some((number(row)?, number(first)?))));
        self.places.sort_unstable();
        true
    }

    /// Finds the triangles that intersect where points are, ascending.
    fn crossing(
        &self,
        points: &[[f32; 3]],
        (triangles, overlaps): (&mut Boxes, &mut Pairs),
        mut found: impl FnMut([u32; 2]),
    ) -> Result<(), Error> {
        let at = |vertex: u32| -> Point { points[vertex as usize].map(f64::from) };
        triangles.build(points, &self.triangles)?;
        overlaps.among(&triangles.grid).map_err(crowded)?;
        for (i, &first) in triangles.numbers.iter().enumerate() {
            let a = self.triangles[first as usize];
            for &j in overlaps.of(i) {
                let second = triangles.numbers[j as usize];
                let b = self.triangles[second as usize];
                let (shared, a, b) = shared_first(a, b, |v| self.place(v));
                if meet(a.map(at), b.map(at), shared) {
                    found([first, second]);
                }
            }
        }
        Ok(())
    }

    /// Whether a joint holds two triangles together of which one is a skin's: by the tetrahedra that carry it.
    fn is_held(&self, plan: &Plan, pair: [u32; 2]) -> bool {
        let number = |triangle: u32| self.starts.partition_point(|start| start[1] <= triangle as usize) - 1;
        let [a, b] = pair.map(number);
        if a == b || [a, b].iter().all(|&body| plan.bodies[body].skin.is_none()) {
            return false;
        }
        let [first, second] = [0, 1].map(|k| self.particles(plan, [a, b][k], pair[k]));
        plan.joined.hold(&first, &second)
    }

    /// The same of an edge and a triangle of a skin.
    fn is_edge_held(&self, plan: &Plan, edge: u32, triangle: u32) -> bool {
        let number = self.starts.partition_point(|start| start[1] <= triangle as usize) - 1;
        if plan.bodies[number].skin.is_none() {
            return false;
        }
        let ends = self.edges[edge as usize].map(|vertex| {
            let body = self.starts.partition_point(|start| start[0] <= vertex as usize) - 1;
            plan.bodies[body].particle(vertex - self.starts[body][0] as u32)
        });
        plan.joined.hold(&ends, &self.particles(plan, number, triangle))
    }

    /// The particles on which the corners of a body's shown triangle depend.
    fn particles(&self, plan: &Plan, number: usize, triangle: u32) -> Vec<u32> {
        let (body, first) = (&plan.bodies[number], self.starts[number][0] as u32);
        let of = |corner: u32| match &body.skin {
            Some(skin) => skin.bonds()[(corner - first) as usize].corners.to_vec(),
            None => vec![corner - first],
        };
        let vertices = self.triangles[triangle as usize].into_iter().flat_map(of);
        vertices.map(|vertex| body.particle(vertex)).collect()
    }

    /// Whether a triangle is an obstacle's.
    fn is_of_obstacle(&self, triangle: u32) -> bool {
        let after = self.obstacles.partition_point(|range| range.start <= triangle);
        after.checked_sub(1).is_some_and(|at| self.obstacles[at].contains(&triangle))
    }

    /// The first vertex in the place of one.
    fn place(&self, vertex: u32) -> u32 {
        let found = self.places.binary_search_by_key(&vertex, |(vertex, _)| *vertex);
        found.map_or(vertex, |at| self.places[at].1)
    }

    /// The body of a vertex (kind 0) or triangle (1), and its first ones.
    fn body(&self, kind: usize, number: u32) -> (BodyId, [usize; 2]) {
        let body = self.starts.partition_point(|start| start[kind] <= number as usize) - 1;
        (self.bodies[body], self.starts[body])
    }

    fn triangle(&self, number: u32) -> (BodyId, usize) {
        let (body, [_, first]) = self.body(1, number);
        (body, number as usize - first)
    }

    fn edge(&self, number: u32) -> (BodyId, [u32; 2]) {
        let edge = self.edges[number as usize];
        let (body, [first, _]) = self.body(0, edge[0]);
        (body, edge.map(|vertex| vertex - first as u32))
    }
}

impl Boxes {
    /// Sorts the boxes around what is finite.
    fn build<const N: usize>(&mut self, points: &[[f32; 3]], all: &[[u32; N]]) -> Result<(), Error> {
        self.boxes.clear();
        self.numbers.clear();
        self.without_corners = 0;
        for (number, vertices) in all.iter().enumerate() {
            if (1..N).any(|i| vertices[..i].contains(&vertices[i])) {
                self.without_corners += 1;
                continue;
            }
            let corners = vertices.map(|v| points[v as usize]);
            if corners.as_flattened().iter().any(|c| !c.is_finite()) {
                continue;
            }
            let bound = |chosen: fn(f32, f32) -> bool| {
                [0, 1, 2].map(|k| corners.iter().fold(corners[0][k], |at, p| if chosen(p[k], at) { p[k] } else { at }))
            };
            let bounds = Aabb { low: bound(|a, b| a < b), high: bound(|a, b| a > b) };
            self.boxes.push(bounds);
            self.numbers.push(number as u32);
        }
        self.grid.build(&self.boxes).map_err(crowded)
    }
}

/// The skin of a body, which is shown in place of its own triangles, if `shown` asks for it.
fn skin_of(body: &BodyPlan, shown: bool) -> Option<&Embedding> {
    body.skin.as_deref().filter(|_| shown)
}

/// The hash refuses only too many entries here: boxes are finite, and their number fits into its ids.
fn crowded(_: seidel_hash::Error) -> Error {
    Error::Crowded { limit: MAX_BOX_PAIRS }
}

/// How many vertices two triangles share, first by number and then as `place` sees them, and both with those first, in
/// the same order; a
/// shared vertex is the first triangle's in both.
fn shared_first(a: [u32; 3], b: [u32; 3], place: impl Fn(u32) -> u32) -> (usize, [u32; 3], [u32; 3]) {
    let (mut a, mut b, mut shared) = (a, b, 0);
    let mut pair = |same: &dyn Fn(u32, u32) -> bool| {
        let first = shared;
        for i in first..3 {
            if let Some(j) = (shared..3).find(|&j| same(a[i], b[j])) {
                a.swap(shared, i);
                b.swap(shared, j);
                b[shared] = a[shared];
                shared += 1;
            }
        }
    };
    // Two vertices that are joined count as one vertex.
    pair(&|a, b| a == b);
    pair(&|a, b| place(a) == place(b));
    (shared, a, b)
}
