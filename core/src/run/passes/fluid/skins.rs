//! Particles of a fluid and the triangles beside them: none goes through, and both give way.
//!
//! ```text
//!   C = (x - q).n - r >= 0,    q = sum b_k x_k: the triangle's point nearest to x,   n: from q to x, or back to the side where x began the substep
//!   dlambda = -C / (w + sum w_k b_k^2),    dx = w n dlambda,    dx_k = -w_k b_k n dlambda
//! ```
//! Which particles may touch which triangles is asked of all slots at once. Contacts are solved one after another in the order of slots and triangles
//! (Müller et al. 2007, section 4.4): each sees what those before it have done.

use super::{block, blocks};
use crate::plan::fluid::{FluidTriangle, Fluids as Plans};
use crate::run::passes::Common;
use crate::run::report::Phase;
use seidel_kernels::{BATCH, Layout, Row, Shared};
use seidel_workers::Crew;

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct SkinScratch {
    /// Of each block of slots the slots and triangles that may touch.
    near: Vec<Vec<[u32; 2]>>,
    /// Of each slot of the fluid the fans of the vertices near it (`Plans::fans`), and where they begin.
    pub(super) fans: Vec<u32>,
    pub(super) starts: Vec<u32>,
}

impl SkinScratch {
    pub(super) fn poison(&mut self) {
        self.near.iter_mut().for_each(|near| near.fill([u32::MAX; 2]));
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

fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Shares of the corners of the triangle's point nearest to the origin (Ericson 2005, "Real-Time Collision Detection", section 5.1.5); and whether it is inside of the
/// triangle.
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
        (row_of, origin, radius): (&[u32], P, f32),
    ) {
        if plan.triangles.is_empty() || self.fans.is_empty() {
            return;
        }
        let (groups, motion) = (row_of.len().div_ceil(BATCH), common.motion);
        self.near.resize_with(blocks(groups), Vec::new);
        let SkinScratch { near, fans, starts } = self;
        let (fans, starts) = (&*fans, &*starts);
        let lists = Shared::new(near);
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            // SAFETY: nobody writes rows in this stage; the block's list is this closure's alone.
            let (rows, u, list) = unsafe {
                let (x, r) = (motion.x.read(0, motion.x.len()), motion.r.read(0, motion.r.len()));
                (Rows { x, r, origin }, motion.u.read(0, motion.u.len()), &mut lists.part(b, 1)[0])
            };
            list.clear();
            for slot in of.start * BATCH..row_of.len().min(of.end * BATCH) {
                let of_slot = &fans[starts[slot] as usize..starts[slot + 1] as usize];
                if of_slot.is_empty() {
                    continue;
                }
                let (first, row) = (list.len(), row_of[slot] as usize);
                let (a, b) = (rows.start(Layout::Rows, row).0, rows.end(Layout::Rows, row, u));
                for &triangle in of_slot.iter().flat_map(|&fan| plan.fan(fan)) {
                    let FluidTriangle { layout, corners } = plan.triangles[triangle as usize];
                    let ends = corners.map(|corner| rows.end(layout, corner as usize, u));
                    let (from_x, mut way) = (ends.map(|end| sub(end, b)), sub(b, a));
                    // How far the two come towards each other, at most: from the farthest corner's way.
                    let ways = corners.map(|corner| {
                        let row = corner as usize;
                        sub(rows.end(layout, row, u), rows.start(layout, row).0)
                    });
                    let longest = ways.into_iter().fold([0.0f32; 3], |most, way| {
                        std::array::from_fn(|k| if way[k].abs() > most[k] { way[k].abs() } else { most[k] })
                    });
                    way = std::array::from_fn(|k| way[k].abs() + longest[k]);
                    let (shares, _) = nearest(from_x);
                    let q: P = std::array::from_fn(|k| {
                        (shares[0] * from_x[0][k] + shares[1] * from_x[1][k]) + shares[2] * from_x[2][k]
                    });
                    let reach = radius + dot(way, way).sqrt();
                    if dot(q, q) <= reach * reach {
                        list.push([slot as u32, triangle]);
                    }
                }
                list[first..].sort_unstable();
                let mut kept = first;
                for at in first..list.len() {
                    if at == first || list[at] != list[kept - 1] {
                        list[kept] = list[at];
                        kept += 1;
                    }
                }
                list.truncate(kept);
            }
        });
        let near = &*near;
        common.each(crew, Phase::Fluid, 1, |_| {
            // SAFETY: the stage has one block, so nobody else uses any row.
            let (rows, u) = unsafe {
                let (x, r) = (motion.x.read(0, motion.x.len()), motion.r.read(0, motion.r.len()));
                (Rows { x, r, origin }, motion.u.part(0, motion.u.len()))
            };
            for &[slot, triangle] in near.iter().flatten() {
                touch(&rows, u, row_of[slot as usize] as usize, &plan.triangles[triangle as usize], radius);
            }
        });
    }
}

/// Solves one contact.
fn touch(rows: &Rows<'_>, u: &mut [Row], row: usize, triangle: &FluidTriangle, radius: f32) {
    let FluidTriangle { layout, corners } = *triangle;
    let ((start, w), end) = (rows.start(Layout::Rows, row), rows.end(Layout::Rows, row, u));
    let before = corners.map(|corner| rows.start(layout, corner as usize));
    let after = corners.map(|corner| rows.end(layout, corner as usize, u));
    let normal = |[a, b, c]: [P; 3]| cross(sub(b, a), sub(c, a));
    let side = if dot(normal(before.map(|(x, _)| x)), sub(start, before[0].0)) < 0.0 { -1.0 } else { 1.0 };
    let (shares, inside) = nearest(after.map(|x| sub(x, end)));
    let q: P = std::array::from_fn(|k| (shares[0] * after[0][k] + shares[1] * after[1][k]) + shares[2] * after[2][k]);
    let (d, m) = (sub(end, q), normal(after));
    let (distance, size) = (dot(d, d).sqrt(), dot(m, m).sqrt());
    let m: P = m.map(|m| side * m / size);
    let height = dot(sub(end, after[0]), m);
    let (c, n) = if height < 0.0 {
        // Behind the triangle: it has come through it; beside it, another triangle knows.
        if !inside {
            return;
        }
        (height - radius, m)
    } else if distance > 1e-3 * radius {
        (distance - radius, d.map(|d| d / distance))
    } else {
        (distance - radius, m)
    };
    let weights: [f32; 3] = std::array::from_fn(|k| before[k].1);
    let all = (0..3).fold(w, |sum, k| sum + weights[k] * (shares[k] * shares[k]));
    let lambda = -c / all;
    if !(c < 0.0 && all > 0.0 && lambda.is_finite() && n.iter().all(|n| n.is_finite())) {
        return;
    }
    let mut push = |layout: Layout, row: usize, by: f32| {
        let mut of = layout.read(u, row);
        (0..3).for_each(|k| of[k] += by * n[k]);
        layout.write(u, row, of);
    };
    push(Layout::Rows, row, w * lambda);
    for k in 0..3 {
        push(layout, corners[k] as usize, -(weights[k] * shares[k] * lambda));
    }
}
