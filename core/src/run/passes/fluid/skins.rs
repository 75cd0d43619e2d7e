//! Particles of a fluid and the triangles beside them: none goes through, and both give way; or only as fast as a
//! porous sheet lets them.
//!
//! ```text
//!   C = (x - q).n - r >= 0,    q = sum b_k x_k: the triangle's point nearest to x,   n: from q to x; from x to q if x has come through
//!   dlambda = -C / W,    W = w + sum w_k b_k^2,    dx = w n dlambda,    dx_k = -w_k b_k n dlambda
//!
//!   porous, of permeance L:  v = L dp,  so a particle of volume V that goes d towards q, within r of it, is held back by
//!   dlambda = d / c,    c = r L / (h V):    a layer as thick as r and of area A holds A r / V particles
//!   d is what it goes with dlambda: (d without - W dlambda), or all of r if it is through all the same
//! ```
//! A particle has come through if it ends on the other side of q than it began. The side is the sign of (x - q).m, m
//! being the triangle's normal; on an edge or a corner it is the mean of the vertices' normals (each a sum over its
//! triangles) by b_k, so that a fold has no gap. If q is then on the mesh's border, there is no contact: the particle
//! went around the border.
//!
//! Which particles may touch which triangles is asked of all slots at once. Contacts are solved one after another in
//! the order of slots and triangles (Müller et al. 2007, section 4.4): each sees what those before it have done.

use super::groups::{block, blocks};
use crate::plan::fluid::{FluidTriangle, Fluids as Plans};
use crate::run::passes::Common;
use crate::run::report::Phase;
use crate::tuning::FLUID_SKIN_RADIUS;
use seidel_kernels::{BATCH, Layout, Row, Shared};
use seidel_workers::Crew;

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct SkinScratch {
    /// For each block of slots: the slots and triangles that may touch. What lies behind the last block only keeps its
    /// memory.
    near: Vec<NearTriangles>,
    /// For each slot of the fluid: the fans of the vertices near it (`Plans::fan`), and where they begin.
    pub(super) fans: Vec<u32>,
    pub(super) starts: Vec<u32>,
}

/// What a block of slots is near.
#[derive(Debug, Default)]
struct NearTriangles {
    pairs: Vec<[u32; 2]>,
    /// Triangles that one slot is near.
    triangles: Vec<u32>,
}

impl SkinScratch {
    pub(super) fn poison(&mut self) {
        for NearTriangles { pairs, triangles } in &mut self.near {
            pairs.fill([u32::MAX; 2]);
            triangles.fill(u32::MAX);
        }
        self.fans.fill(u32::MAX);
        self.starts.fill(u32::MAX);
    }
}

type P = [f32; 3];

fn sub(a: P, b: P) -> P {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: P, b: P) -> f32 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

fn larger(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Shares of the corners of the triangle's point nearest to the origin (Ericson 2005, "Real-Time Collision Detection",
/// section 5.1.5); and whether it is inside of the triangle.
fn nearest([a, b, c]: [P; 3]) -> ([f32; 3], bool) {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let (d1, d2) = (-dot(ab, a), -dot(ac, a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ([1.0, 0.0, 0.0], false);
    }
    let (d3, d4) = (-dot(ab, b), -dot(ac, b));
    if d3 >= 0.0 && d4 <= d3 {
        return ([0.0, 1.0, 0.0], false);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return ([1.0 - v, v, 0.0], false);
    }
    let (d5, d6) = (-dot(ab, c), -dot(ac, c));
    if d6 >= 0.0 && d5 <= d6 {
        return ([0.0, 0.0, 1.0], false);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return ([1.0 - w, 0.0, w], false);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return ([0.0, 1.0 - w, w], false);
    }
    let all = (va + vb) + vc;
    let (v, w) = (vb / all, vc / all);
    ([(1.0 - v) - w, v, w], true)
}

/// Rows of a step, some of them in use.
struct Rows<'a> {
    x: &'a [Row],
    r: &'a [Row],
    origin: P,
}

impl Rows<'_> {
    /// Where a particle starts the substep, relative to the origin; and its inverse mass.
    fn start(&self, layout: Layout, row: usize) -> (P, f32) {
        let (x, r) = (layout.read(self.x, row), layout.read(self.r, row));
        (std::array::from_fn(|k| (x[k] - self.origin[k]) + r[k]), x[3])
    }

    /// Where it ends it.
    fn end(&self, layout: Layout, row: usize, u: &[Row]) -> P {
        let (x, u) = (layout.read(self.x, row), layout.read(u, row));
        std::array::from_fn(|k| (x[k] - self.origin[k]) + u[k])
    }
}

impl SkinScratch {
    /// Keeps particles from going through triangles. `row_of` are the slots' rows.
    pub(super) fn run(
        &mut self,
        crew: &mut Crew<'_>,
        common: &Common<'_>,
        plan: &Plans,
        (row_of, origin, is_last): (&[u32], P, bool),
    ) {
        if plan.triangles.is_empty() || self.fans.is_empty() {
            return;
        }
        let (groups, motion) = (row_of.len().div_ceil(BATCH), common.motion);
        let spacing = plan.spiky.spacing;
        let volume = (spacing * spacing) * spacing;
        let radius = FLUID_SKIN_RADIUS * spacing;
        // The way of a whole substep is held back, when it is known.
        let seeps = |permeance: f32| is_last.then(|| radius * permeance / (common.h * volume));
        let SkinScratch { near, fans, starts } = self;
        if near.len() < blocks(groups) {
            near.resize_with(blocks(groups), NearTriangles::default);
        }
        let near = &mut near[..blocks(groups)];
        let (fans, starts) = (&*fans, &*starts);
        let lists = Shared::new(near);
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            // SAFETY: nobody writes rows in this stage; the block's list is this closure's alone.
            let (rows, u, NearTriangles { pairs, triangles }) = unsafe {
                let (x, r) = (motion.x.read(0, motion.x.len()), motion.r.read(0, motion.r.len()));
                (Rows { x, r, origin }, motion.u.read(0, motion.u.len()), &mut lists.part(b, 1)[0])
            };
            pairs.clear();
            for slot in of.start * BATCH..row_of.len().min(of.end * BATCH) {
                let of_slot = &fans[starts[slot] as usize..starts[slot + 1] as usize];
                if of_slot.is_empty() {
                    continue;
                }
                let row = row_of[slot] as usize;
                let (a, b) = (rows.start(Layout::Rows, row).0, rows.end(Layout::Rows, row, u));
                // Each near corner adds its triangles, so a triangle may be listed up to three times: remove
                // duplicates.
                triangles.clear();
                triangles.extend(of_slot.iter().flat_map(|&fan| plan.fan(fan)));
                triangles.sort_unstable();
                triangles.dedup();
                for &triangle in triangles.iter() {
                    let FluidTriangle { layout, corners, .. } = plan.triangles[triangle as usize];
                    let ends = corners.map(|corner| sub(rows.end(layout, corner as usize, u), b));
                    // How far the two come towards each other along each axis, at most.
                    let mut way = [0.0; 3];
                    for (corner, end) in corners.into_iter().zip(ends) {
                        let start = sub(rows.start(layout, corner as usize).0, b);
                        way = std::array::from_fn(|k| larger(way[k], (end[k] - start[k]).abs()));
                    }
                    let way: P = std::array::from_fn(|k| way[k] + (b[k] - a[k]).abs());
                    let reach = radius + dot(way, way).sqrt();
                    let [p, q, r] = ends;
                    let apart = |k: usize| {
                        (p[k] > reach && q[k] > reach && r[k] > reach)
                            || (p[k] < -reach && q[k] < -reach && r[k] < -reach)
                    };
                    if (0..3).any(apart) {
                        continue;
                    }
                    let to = mixed(nearest(ends).0, ends);
                    if dot(to, to) <= reach * reach {
                        pairs.push([slot as u32, triangle]);
                    }
                }
            }
        });
        let near = &*near;
        common.each(crew, Phase::Fluid, 1, |_| {
            // SAFETY: the stage has one block, so nobody else uses any row.
            let (rows, u) = unsafe {
                let (x, r) = (motion.x.read(0, motion.x.len()), motion.r.read(0, motion.r.len()));
                (Rows { x, r, origin }, motion.u.part(0, motion.u.len()))
            };
            for pairs in near.iter().map(|near| &near.pairs) {
                // Pairs are sorted by slots, and those of a slot by bodies.
                let body = |triangle: u32| plan.triangles[triangle as usize].body;
                for pairs in pairs.chunk_by(|a, b| a[0] == b[0] && body(a[1]) == body(b[1])) {
                    let row = row_of[pairs[0][0] as usize] as usize;
                    let permeance = plan.triangles[pairs[0][1] as usize].permeance;
                    if permeance == 0.0 {
                        pairs
                            .iter()
                            .for_each(|&[_, triangle]| Touch::new(&rows, u, row, plan, triangle).hold(u, radius));
                    } else if let Some(c) = seeps(permeance) {
                        // Of a porous sheet the nearest triangle alone holds back.
                        let all = pairs.iter().map(|&[_, triangle]| Touch::new(&rows, u, row, plan, triangle));
                        let nearest =
                            all.reduce(|best, touch| if touch.distance < best.distance { touch } else { best });
                        nearest.into_iter().for_each(|touch| touch.hold_back(u, radius, c));
                    }
                }
            }
        });
    }
}

/// The normal of a triangle, of the length of twice its area.
fn normal([a, b, c]: [P; 3]) -> P {
    cross(sub(b, a), sub(c, a))
}

fn mixed(shares: [f32; 3], of: [P; 3]) -> P {
    std::array::from_fn(|k| (shares[0] * of[0][k] + shares[1] * of[1][k]) + shares[2] * of[2][k])
}

/// A particle near a triangle.
struct Touch {
    /// Their rows, and their inverse masses; the particle first.
    rows: [(Layout, usize); 4],
    weights: [f32; 4],
    /// Of q, the triangle's point nearest to the particle, at the end of the substep.
    shares: [f32; 3],
    /// From q to the particle, and how far that is.
    d: P,
    distance: f32,
    /// From q to where the particle began, relative to where q began.
    from: P,
    /// The normals at q when the substep begins and when it ends, of any length.
    then: P,
    now: P,
    at_border: bool,
}

impl Touch {
    fn new(rows: &Rows<'_>, u: &[Row], row: usize, plan: &Plans, triangle: u32) -> Touch {
        let FluidTriangle { layout, corners, fans, border, .. } = plan.triangles[triangle as usize];
        let ((start, w), end) = (rows.start(Layout::Rows, row), rows.end(Layout::Rows, row, u));
        let before = corners.map(|corner| rows.start(layout, corner as usize));
        let after = corners.map(|corner| rows.end(layout, corner as usize, u));
        let (shares, inside) = nearest(after.map(|x| sub(x, end)));
        let d = sub(end, mixed(shares, after));
        let (mut then, mut now) = (normal(before.map(|(x, _)| x)), normal(after));
        if !inside {
            (then, now) = ([0.0; 3], [0.0; 3]);
            for (k, share) in shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0) {
                for &other in plan.fan(fans[k]) {
                    let FluidTriangle { layout, corners, .. } = plan.triangles[other as usize];
                    let starts = normal(corners.map(|corner| rows.start(layout, corner as usize).0));
                    let ends = normal(corners.map(|corner| rows.end(layout, corner as usize, u)));
                    then = std::array::from_fn(|i| then[i] + share * starts[i]);
                    now = std::array::from_fn(|i| now[i] + share * ends[i]);
                }
            }
        }
        let [a, b, c] = corners.map(|corner| (layout, corner as usize));
        Touch {
            rows: [(Layout::Rows, row), a, b, c],
            weights: [w, before[0].1, before[1].1, before[2].1],
            distance: dot(d, d).sqrt(),
            from: sub(start, mixed(shares, before.map(|(x, _)| x))),
            at_border: !inside && (0..3).all(|k| shares[k] == 0.0 || border[k]),
            shares,
            d,
            then,
            now,
        }
    }

    /// The side of q on which the particle began.
    fn began(&self) -> bool {
        dot(self.from, self.then) >= 0.0
    }

    /// Whether it has come through, or around the border.
    fn is_through(&self) -> bool {
        self.began() != (dot(self.d, self.now) >= 0.0)
    }

    /// Inverse mass of the distance.
    fn weight(&self) -> f32 {
        (0..3).fold(self.weights[0], |sum, k| sum + self.weights[k + 1] * (self.shares[k] * self.shares[k]))
    }

    /// Lets nothing through.
    fn hold(&self, u: &mut [Row], radius: f32) {
        let through = self.is_through();
        if through && self.at_border {
            return;
        }
        let (d, distance) = (self.d, self.distance);
        let (c, n) = if distance > 1e-3 * radius {
            let way = if through { -1.0 } else { 1.0 };
            (way * distance - radius, d.map(|d| way * d / distance))
        } else {
            let (size, way) = (dot(self.now, self.now).sqrt(), if self.began() { 1.0 } else { -1.0 });
            (-radius, self.now.map(|n| way * n / size))
        };
        let all = self.weight();
        if c < 0.0 && all > 0.0 {
            self.push(u, n, -c / all);
        }
    }

    /// Lets it through as fast as a porous sheet does.
    fn hold_back(&self, u: &mut [Row], radius: f32, c: f32) {
        if self.at_border {
            return;
        }
        // Along the normal of the side on which it began: where it began, and where it is.
        let way = if self.began() { 1.0 } else { -1.0 };
        let [size_then, size] = [self.then, self.now].map(|n| dot(n, n).sqrt());
        let n = self.now.map(|n| way * n / size);
        let began = way * dot(self.from, self.then) / size_then;
        let began = if began > radius { radius } else { larger(0.0, began) };
        let towards = began - dot(self.d, n);
        if began > 0.0 && towards > 0.0 {
            let (stopped, through) = (towards / (c + self.weight()), began / c);
            self.push(u, n, if through < stopped { through } else { stopped });
        }
    }

    /// Moves the particle along n and the corners against it, if that can be told.
    fn push(&self, u: &mut [Row], n: P, lambda: f32) {
        if !(lambda.is_finite() && n.iter().all(|n| n.is_finite())) {
            return;
        }
        let [b0, b1, b2] = self.shares;
        for (((layout, row), weight), share) in self.rows.into_iter().zip(self.weights).zip([1.0, -b0, -b1, -b2]) {
            let (mut of, by) = (layout.read(u, row), weight * share * lambda);
            (0..3).for_each(|k| of[k] += by * n[k]);
            layout.write(u, row, of);
        }
    }
}
