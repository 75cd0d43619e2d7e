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
use crate::plan::Plan;
use crate::run::state::State;
use crate::tuning::MAX_BOX_PAIRS;
use exact::{meet, pierces};
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
}

impl Crossings {
    /// Whether everything was looked at and nothing intersects, but for obstacles among themselves.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let Crossings { triangles, edges, skipped, of_obstacles: _ } = *self;
        triangles + edges + skipped == 0
    }
}

/// Finds intersecting triangles, again and again in the same memory.
///
/// All triangles of all bodies are compared, of one body as of two, at the positions stored (f32, no rounding added to
/// them); for reports and tests, a step needs none of it. The answer is exact for all finite positions, and does not
/// depend on threads or lanes.
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
    plan: Option<(u64, SceneTag)>,
    bodies: Vec<BodyId>,
    /// Numbers of the triangles of obstacles: those of a body each, ascending.
    obstacles: Vec<Range<u32>>,
    /// Of each body, the numbers of its first vertex and triangle; behind the last, of all.
    starts: Vec<[usize; 2]>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    /// Vertices that a joint holds where another is, ascending, and the first of those in that place.
    places: Vec<(u32, u32)>,
}

/// Boxes of what is finite, and its numbers.
#[derive(Debug, Default)]
struct Boxes {
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
        self.count_rows(plan, &state.x, |body| state.off.bodies[body])
    }

    /// Of bodies where rows say, without those that are disabled.
    pub(super) fn count_rows(
        &mut self,
        plan: &Plan,
        x: &[Row],
        is_off: impl Fn(usize) -> bool,
    ) -> Result<Crossings, Error> {
        self.pairs.clear();
        self.pierced.clear();
        self.surfaces.of(plan);
        let all = &self.surfaces;
        self.points.clear();
        self.points.resize(all.starts.last().map_or(0, |start| start[0]), [0.0; 3]);
        for (number, (body, start)) in plan.bodies.iter().zip(&all.starts).enumerate() {
            // A disabled body intersects nothing.
            let (off, nowhere) = (is_off(number), [f32::NAN; 3]);
            let points = &mut self.points[start[0]..];
            body.each(x, |vertex, [x, y, z, _]| points[vertex] = if off { nowhere } else { [x, y, z] });
        }
        let mut of_obstacles = 0;
        let at = |vertex: u32| -> Point { self.points[vertex as usize].map(f64::from) };

        self.triangles.build(&self.points, &all.triangles)?;
        self.overlaps.among(&self.triangles.grid).map_err(crowded)?;
        for (i, &first) in self.triangles.numbers.iter().enumerate() {
            let a = all.triangles[first as usize];
            for &j in self.overlaps.of(i) {
                let second = self.triangles.numbers[j as usize];
                let b = all.triangles[second as usize];
                let (shared, a, b) = shared_first(a, b, |v| all.place(v));
                if !meet(a.map(at), b.map(at), shared) {
                    continue;
                }
                if all.is_of_obstacle(first) && all.is_of_obstacle(second) {
                    of_obstacles += 1;
                } else {
                    self.pairs.push([first, second]);
                }
            }
        }
        self.edges.build(&self.points, &all.edges)?;
        if !self.edges.numbers.is_empty() {
            self.overlaps.between(&self.edges.grid, &self.triangles.grid).map_err(crowded)?;
            for (i, &edge) in self.edges.numbers.iter().enumerate() {
                let segment = all.edges[edge as usize].map(at);
                let near = self.overlaps.of(i).iter().map(|&j| self.triangles.numbers[j as usize]);
                let ends = all.edges[edge as usize].map(|v| all.place(v));
                let apart = |t: u32| all.triangles[t as usize].iter().all(|&v| !ends.contains(&all.place(v)));
                let pierced = near.filter(|&t| apart(t) && pierces(segment, all.triangles[t as usize].map(at)));
                self.pierced.extend(pierced.map(|t| [edge, t]));
            }
        }
        let looked_at = self.triangles.numbers.len() + self.edges.numbers.len();
        Ok(Crossings {
            triangles: self.pairs.len(),
            edges: self.pierced.len(),
            skipped: all.triangles.len() + all.edges.len() - looked_at,
            of_obstacles,
        })
    }

    /// The intersecting triangles that were found, without those of obstacles among themselves: body and number in
    /// [`Plan::triangles`], the smaller first; ascending.
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
    /// Lists those of a plan, unless they are listed.
    fn of(&mut self, plan: &Plan) {
        let of = Some((plan.stamp, plan.scene));
        if self.plan == of {
            return;
        }
        *self = SceneSurfaces { plan: of, bodies: plan.body_ids().collect(), ..SceneSurfaces::default() };
        let mut vertices = 0;
        for (body, id) in plan.bodies.iter().zip(plan.body_ids()) {
            self.starts.push([vertices, self.triangles.len()]);
            let number = |vertex: u32| vertices as u32 + vertex;
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
            let body = plan.bodies.partition_point(|body| body.start + body.rows <= row as usize);
            (self.starts[body][0] as u32) + plan.bodies[body].number(row as usize)
        };
        self.places.extend(plan.joined.apart().map(|(row, first)| (number(row), number(first))));
        self.places.sort_unstable();
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
        for (number, vertices) in all.iter().enumerate() {
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
