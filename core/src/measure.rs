//! Measurements of a state: energy, stretch, penetration. For reports and tests; a step needs none of them.

use crate::collider::{Collider, Shape};
use crate::contact::{Frame, solid};
use crate::intersections::Intersections;
use crate::kinds;
use crate::plan::Plan;
use crate::pose::Pose;
use crate::scene::{BodyId, Method};
use crate::state::State;
use rayon::prelude::*;
use seidel_kernels::contact::{Distance, Solid};
use seidel_kernels::tuning::{BEGINS_INSIDE, INSIDE_ROUNDING};
use seidel_kernels::{Particles, Row, Rows, V3};

/// Energies in joules, stretch, and penetration in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measurements {
    /// sum m v^2 / 2, and of frames sum I omega^2 / 2
    pub kinetic: f64,
    /// -sum m g.x
    pub potential: f64,
    /// Constraint error as an energy: sum C^2 / (2 alpha) over rows with a compliance above 0, as the plan or an
    /// [`crate::Input::stiffness`] has it. Of kinds that are several numbers a row (fabrics, rods, tetrahedra in blocks), C is their
    /// length and alpha the first compliance; what others the row has among its parameters is left out. It is the elastic energy only
    /// where constraints have converged. Where they are stiffer than a substep can solve it is far above what could ever come
    /// back (thousands of joules for a cloth that fell one metre), so it is no part of an energy balance: do not add it to the
    /// other two.
    pub constraint_error: f64,
    /// Largest (length - rest) / rest over rows whose first parameter is a length above 0, and that can move, and over a rod's
    /// segments. Elements have no length and are not in it.
    pub max_stretch: f32,
    /// How far the deepest particle or triangle is inside a collider's surface plus its own thickness; 0 if none is.
    /// Pinned particles, and triangles of three of them, do not count.
    pub max_penetration: f32,
}

impl Plan {
    /// Measures a state.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn measure(&self, state: &State) -> Measurements {
        assert_eq!(state.plan, self.id, "the state is another plan's");
        let mut m = Measurements { max_penetration: self.penetration(state), ..Measurements::default() };
        let rows = self.bodies.iter().flat_map(|body| {
            (body.start..body.start + body.rows)
                .filter(|row| body.vertex(*row).is_some())
                .map(|row| (body.layout.read(&state.x, row), body.layout.read(&state.v, row)))
        });
        for (x, v) in rows.filter(|(x, _)| x[3] > 0.0) {
            let mass = 1.0 / f64::from(x[3]);
            let dot = |a: &[f32], b: &[f32]| (0..3).map(|k| f64::from(a[k]) * f64::from(b[k])).sum::<f64>();
            m.kinetic += 0.5 * mass * dot(&v, &v);
            m.potential -= mass * dot(&self.settings.gravity, &x);
        }
        for row in self.bodies.iter().flat_map(|body| (0..body.frames.to_row.len()).map(|frame| body.frame(frame))) {
            let ([x, y, z, _], [.., w]) = (state.v[row].map(f64::from), state.r[row]);
            if w > 0.0 {
                m.kinetic += 0.5 / f64::from(w) * (x * x + y * y + z * z);
            }
        }
        // The rounding of positions counts: it is a tenth of a stiff spring's extension.
        let mut u = Rows::zeros(state.x.len(), 16);
        u.copy_from_slice(&state.r);
        let mut values = Vec::new();
        for (family, given) in self.families.iter().zip(&state.soft) {
            let rows = family.batches.rows();
            values.resize(rows, 0.0);
            family.kind.measure(&family.batches, Particles::new(&state.x, &mut u), &mut values);
            let params = family.kind.params();
            let segment = family.kind.is(&kinds::STRETCH_SHEAR);
            let pair = segment || family.is_length() && family.kind.slots() == 2;
            for (batch, lane, row) in family.batches.each() {
                // Nothing can be done about two pins.
                let pinned = |slot| self.inv_mass(state, family.batches.particle(batch, slot, lane)) == 0.0;
                if pair && pinned(0) && pinned(1) {
                    continue;
                }
                let (c, number) = (values[row], |p: usize| family.batches.rest(batch)[p].0[lane]);
                let rest = params.first().map_or(0.0, |_| number(0));
                if segment {
                    let [a, b] = [0, 1].map(|slot| self.row(state, family.batches.particle(batch, slot, lane)));
                    let length = V3::<f32>::set([b[0] - a[0], b[1] - a[1], b[2] - a[2]]).length();
                    m.max_stretch = m.max_stretch.max((length - rest) / rest);
                } else if family.is_length() && rest > 0.0 {
                    m.max_stretch = m.max_stretch.max(c / rest);
                }
                let soft = params.iter().position(|p| p.soft).filter(|_| c < 0.0);
                let own = || given.get(batch).unwrap_or_else(|| family.batches.soft(batch)).0[lane];
                let alpha = f64::from(soft.map_or_else(own, number));
                let c = f64::from(c);
                if family.xpbd && alpha > 0.0 && !family.kind.holds(c) {
                    m.constraint_error += c * c / (2.0 * alpha);
                }
            }
        }
        m
    }

    fn inv_mass(&self, state: &State, particle: u32) -> f32 {
        self.row(state, particle)[3]
    }

    fn row(&self, state: &State, particle: u32) -> Row {
        let body = self.bodies.partition_point(|body| body.start + body.rows <= particle as usize);
        self.bodies[body].layout.read(&state.x, particle as usize)
    }

    /// Whether a free particle or triangle is inside a collider, beyond what counts as resting on it. Allocates nothing.
    pub(crate) fn begins_inside(&self, state: &State) -> bool {
        self.colliders.iter().zip(&state.poses).any(|(collider, pose)| {
            let frame = Frame::of(pose);
            self.bodies.iter().filter(|body| body.filter.meets(collider.filter)).any(|body| {
                let thickness = body.thickness + collider.thickness;
                let row = |vertex: usize| body.get(&state.x, vertex);
                let deep = |rows: &[Row]| {
                    let mut points = [[0.0; 3]; 3];
                    points.iter_mut().zip(rows).for_each(|(to, row)| *to = point(row));
                    let points = &points[..rows.len()];
                    let far = points.iter().map(|p| length(&sub(p, &frame.position))).fold(0.0, f64::max);
                    let rests = BEGINS_INSIDE * f64::from(thickness) + INSIDE_ROUNDING * far;
                    rows.iter().any(|x| x[3] > 0.0) && -gap(collider, &frame, points, body.thickness) > rests
                };
                // A plane's vertices say all about its triangles.
                let plane = matches!(collider.shape, Shape::Plane);
                let triangles = if plane { &[] } else { &body.triangles[..] };
                (0..body.to_row.len()).any(|vertex| deep(&[row(vertex)]))
                    || triangles.iter().any(|t| deep(&t.map(|v| row(v as usize))))
            })
        })
    }

    /// Tells what is probably not meant.
    ///
    /// A Jacobi relaxation that may shake chains; bodies that begin inside a collider, the deepest vertex of each: they get out
    /// slowly, at 1 m/s, and are not flung. Bodies that collide and begin through themselves or each other, the first two triangles: they
    /// stay so.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Collider, Plan, Pose, Scene};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([8, 8], [1.0, 1.0]).placed(Pose::at([0.0, -1.0, 0.0]), 1.0).thickness(0.0).named("sheet"));
    /// scene.collide(Collider::ground().named("ground"));
    /// let notes = Plan::new(&scene)?.notes();
    /// assert_eq!(notes, ["body `sheet` starts 1 m inside collider `ground` (vertex 0)"]);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let (true, Method::Jacobi { relaxation }) = (self.settings.shakes(), self.settings.method) {
            let n = self.settings.iterations;
            notes.push(format!("chains may shake at a relaxation of {relaxation} and {n} sweeps a substep"));
        }
        for body in &self.bodies {
            for collider in self.colliders.iter().filter(|collider| collider.filter.meets(body.filter)) {
                let thickness = body.thickness + collider.thickness;
                let frame = Frame::of(&collider.motion.at(&collider.pose, 0.0));
                let mut deepest = (0.0, 0);
                for vertex in 0..body.to_row.len() {
                    let x = body.get(&self.x, vertex);
                    let depth = -gap(collider, &frame, &[point(&x)], body.thickness);
                    let rests = BEGINS_INSIDE * f64::from(thickness)
                        + INSIDE_ROUNDING * length(&sub(&point(&x), &frame.position));
                    if x[3] > 0.0 && depth > rests && depth > deepest.0 {
                        deepest = (depth, vertex);
                    }
                }
                if deepest.0 > 0.0 {
                    let ((depth, vertex), name, of) = (deepest, &body.name, &collider.name);
                    let depth = depth as f32;
                    notes.push(format!("body `{name}` starts {depth} m inside collider `{of}` (vertex {vertex})"));
                }
            }
        }
        notes.extend(self.tangled());
        notes
    }

    /// What begins through something that it collides with, if anything does.
    fn tangled(&self) -> Option<String> {
        let surfaces = self.surfaces.as_ref()?;
        let mut search = Intersections::new();
        search.count(self, &State::new(self)).ok()?;
        let of = |body: BodyId| &self.bodies[body.0 as usize];
        let meet = |a: BodyId, b: BodyId| surfaces.collide(of(a).start as u32, of(b).start as u32);
        let said = |a: BodyId, b: BodyId, what: String, others: usize| {
            let (a, b) = (&of(a).name, &of(b).name);
            Some(format!("body `{a}` starts through body `{b}` ({what}; {others} more) and stays so"))
        };
        let apart = |rows: &[u32], others: &[u32]| !self.joined.hold(rows, others);
        let corners = |(body, t): (BodyId, usize)| of(body).triangles[t].map(|v| of(body).particle(v));
        let ends = |body: BodyId, edge: [u32; 2]| edge.map(|v| of(body).particle(v));
        let mut pairs = search.pairs().filter(|[a, b]| meet(a.0, b.0) && apart(&corners(*a), &corners(*b)));
        if let Some([(a, i), (b, j)]) = pairs.next() {
            return said(a, b, format!("triangles {i} and {j}"), pairs.count());
        }
        let mut edges = search.edges().filter(|((a, edge), b)| meet(*a, b.0) && apart(&ends(*a, *edge), &corners(*b)));
        let ((a, [i, j]), (b, k)) = edges.next()?;
        said(a, b, format!("edge {i}-{j} and triangle {k}"), edges.count())
    }

    /// Depth of the deepest particle or triangle.
    fn penetration(&self, state: &State) -> f32 {
        let deepest = |a: f64, b: f64| a.max(b);
        let depth = |(collider, pose): (&Collider, &Pose)| {
            let frame = Frame::of(pose);
            let met = || self.bodies.par_iter().filter(|body| body.filter.meets(collider.filter));
            let particles = met().map(|body| {
                let rows = (0..body.to_row.len()).map(|vertex| body.get(&state.x, vertex));
                let free = rows.filter(|x| x[3] > 0.0);
                free.map(|x| -gap(collider, &frame, &[point(&x)], body.thickness)).fold(0.0, deepest)
            });
            let triangles = met().map(|body| {
                let inside = |t: &[u32; 3]| {
                    let rows = t.map(|v| body.get(&state.x, v as usize));
                    let free = rows.iter().any(|x| x[3] > 0.0);
                    if free { -gap(collider, &frame, &rows.each_ref().map(point), body.thickness) } else { 0.0 }
                };
                body.triangles.iter().map(inside).fold(0.0, deepest)
            });
            particles.chain(triangles).reduce(|| 0.0, deepest)
        };
        self.colliders.iter().zip(&state.poses).map(depth).fold(0.0, deepest) as f32
    }
}

fn point(row: &Row) -> [f64; 3] {
    std::array::from_fn(|k| f64::from(row[k]))
}

/// Distance of a point or triangle from a collider, less both thicknesses.
pub(crate) fn gap(collider: &Collider, frame: &Frame, points: &[[f64; 3]], thickness: f32) -> f64 {
    let local = |p: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| p[k] - frame.position[k]) };
    let thickness = f64::from(thickness) + f64::from(collider.thickness);
    let distance = match collider.shape {
        Shape::Plane => {
            let m = &frame.turn;
            let height = |p: &[f64; 3]| m[0][1] * p[0] + m[1][1] * p[1] + m[2][1] * p[2];
            let lowest = points.iter().map(|p| height(&local(p))).fold(f64::INFINITY, f64::min);
            let highest = points.iter().map(|p| height(&local(p))).fold(f64::NEG_INFINITY, f64::max);
            // A wall: what reaches through it has the shorter of two ways out.
            if collider.two_sided { lowest.max(-highest) } else { lowest }
        }
        Shape::Sphere { radius } => {
            let reach = f64::from(radius) + thickness;
            let bound = points.iter().map(|p| length(&local(p))).fold(f64::INFINITY, f64::min);
            let span = points.iter().map(|p| length(&sub(p, &points[0]))).fold(0.0, f64::max);
            let closest = match points {
                // Far enough that no point between the corners can be near.
                [a, b, c] if bound - span < reach => length(&closest_on_triangle(local(a), local(b), local(c))),
                _ => bound,
            };
            closest - f64::from(radius)
        }
        _ => nearest(&solid(&collider.shape), frame, points, thickness),
    };
    distance - thickness
}

/// Distance of a point or of a triangle's nearest point from a shape; of a triangle that is further away than the thickness, any
/// number above that.
fn nearest(shape: &Solid<'_>, frame: &Frame, points: &[[f64; 3]], thickness: f64) -> f64 {
    let m = &frame.turn;
    let local = |p: &[f64; 3]| -> [f64; 3] {
        let d = sub(p, &frame.position);
        std::array::from_fn(|k| m[0][k] * d[0] + m[1][k] * d[1] + m[2][k] * d[2])
    };
    let of = |p: [f64; 3]| shape.distance(V3::<f64>::set(p)).0;
    let corners = points.iter().map(|p| of(local(p))).fold(f64::INFINITY, f64::min);
    let [a, b, c] = points else { return corners };
    let [a, b, c] = [local(a), local(b), local(c)];
    // No point is further from its nearest corner than the longest edge over the root of 3.
    let longest = length(&sub(&b, &a)).max(length(&sub(&c, &b))).max(length(&sub(&a, &c)));
    if corners - f64::from(shape.slope()) * longest * 0.578 > thickness {
        return corners;
    }
    let at = |s: f64, t: f64| of(std::array::from_fn(|k| a[k] + (b[k] - a[k]) * s + (c[k] - a[k]) * t));
    if shape.convex() {
        return lowest(at).min(corners);
    }
    // So fine, as far as it goes, that nothing of the shape is between two samples.
    let parts = (SAMPLES * longest / f64::from(shape.girth())).ceil().max(f64::from(PARTS)).min(MOST_PARTS as f64);
    lowest_of_all(at, parts as usize, f64::from(shape.slope()) * longest / parts).min(corners)
}

/// Parts of a triangle's edges between samples; of a shape that is not convex, samples over half of what it is thin; at most so many parts.
const PARTS: u32 = 6;
const SAMPLES: f64 = 4.0;
const MOST_PARTS: usize = 48;

/// The least value of a function that has several low points: samples that are lower than those beside them are followed, unless
/// another is lower by more than the function falls from a sample to the next.
fn lowest_of_all(at: impl Fn(f64, f64) -> f64, parts: usize, falls: f64) -> f64 {
    // Of those that are alike side by side one is followed.
    const BEFORE: [(isize, isize); 3] = [(-1, 0), (0, -1), (1, -1)];
    const AFTER: [(isize, isize); 3] = [(1, 0), (0, 1), (-1, 1)];
    let mut values = [[f64::INFINITY; MOST_PARTS + 1]; MOST_PARTS + 1];
    let part = 1.0 / parts as f64;
    for (i, row) in values.iter_mut().enumerate().take(parts + 1) {
        for (j, value) in row.iter_mut().enumerate().take(parts + 1 - i) {
            *value = at(i as f64 * part, j as f64 * part);
        }
    }
    let sample = |i: isize, j: isize| {
        let row = usize::try_from(i).ok().and_then(|i| values.get(i));
        row.zip(usize::try_from(j).ok()).and_then(|(row, j)| row.get(j)).copied().unwrap_or(f64::INFINITY)
    };
    let mut least = values.as_flattened().iter().fold(f64::INFINITY, |a, &b| a.min(b));
    for (i, row) in values.iter().enumerate().take(parts + 1) {
        for (j, &value) in row.iter().enumerate().take(parts + 1 - i) {
            let beside = |&(di, dj): &(isize, isize)| sample(i as isize + di, j as isize + dj);
            let low = BEFORE.iter().all(|at| value < beside(at)) && AFTER.iter().all(|at| value <= beside(at));
            if low && value - falls < least {
                least = least.min(followed(&at, (value, [i as f64 * part, j as f64 * part]), 0.5 * part));
            }
        }
    }
    least
}

/// The least value of a function of the barycentric coordinates (s, t) of a triangle, by looking closer and closer about the least so
/// far. Another way than the kernel's, so that one checks the other.
fn lowest(at: impl Fn(f64, f64) -> f64) -> f64 {
    let mut best = (f64::INFINITY, [0.0; 2]);
    for (i, j) in (0..=PARTS).flat_map(|i| (0..=PARTS - i).map(move |j| (i, j))) {
        let [s, t] = [f64::from(i) / f64::from(PARTS), f64::from(j) / f64::from(PARTS)];
        let value = at(s, t);
        if value < best.0 {
            best = (value, [s, t]);
        }
    }
    followed(&at, best, 0.5 / f64::from(PARTS))
}

/// The least value about a point and its value, from so far on.
fn followed(at: &impl Fn(f64, f64) -> f64, mut best: (f64, [f64; 2]), mut reach: f64) -> f64 {
    const AROUND: [f64; 3] = [-1.0, 0.0, 1.0];
    for _ in 0..22 {
        let [s0, t0] = best.1;
        for (ds, dt) in AROUND.into_iter().flat_map(|ds| AROUND.map(|dt| (ds, dt))) {
            let s = (s0 + reach * ds).clamp(0.0, 1.0);
            let t = (t0 + reach * dt).clamp(0.0, 1.0 - s);
            let value = at(s, t);
            if value < best.0 {
                best = (value, [s, t]);
            }
        }
        reach *= 0.65;
    }
    best.0
}

fn sub(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: &[f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// Point of a triangle that is closest to the origin: over its inside if the projection is there, else over its edges.
/// Another way than the kernel's, so that one checks the other.
fn closest_on_triangle(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [f64; 3] {
    let (e, f) = (sub(&b, &a), sub(&c, &a));
    let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let nn = dot(&n, &n);
    let side = |p: &[f64; 3], q: &[f64; 3]| {
        let cross = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
        dot(&cross, &n)
    };
    if nn > 0.0 && side(&a, &b) >= 0.0 && side(&b, &c) >= 0.0 && side(&c, &a) >= 0.0 {
        let t = dot(&a, &n) / nn;
        return n.map(|n| n * t);
    }
    let on_edge = |p: &[f64; 3], q: &[f64; 3]| -> [f64; 3] {
        let d = sub(q, p);
        let dd = dot(&d, &d);
        let t = if dd > 0.0 { (-dot(p, &d) / dd).clamp(0.0, 1.0) } else { 0.0 };
        std::array::from_fn(|k| p[k] + d[k] * t)
    };
    let edges = [on_edge(&a, &b), on_edge(&b, &c), on_edge(&c, &a)];
    edges.into_iter().min_by(|p, q| length(p).total_cmp(&length(q))).unwrap_or(a)
}
