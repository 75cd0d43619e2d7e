//! Tethers: cloth that stays near an animated surface, and in front of what is behind it.
//!
//! Each tethered vertex has a point: where it would be if it went with the triangle of the obstacle over which it was at the start.

use crate::attach::{Over, places};
use crate::body::{Body, Values};
use crate::error::{Error, range};
use crate::obstacle::Driven;
use crate::plan::{Block, BodyPlan};
use crate::scene::BodyId;
use seidel_kernels::contact::Tethers;
use seidel_kernels::integrate::Motion;
use seidel_kernels::{BATCH, Isa, Row};
use std::ops::Range;

/// Vertices that stay near their points on an obstacle. In every substep, after constraints and contacts between bodies and before
/// colliders, what is too far is put where it may be; where a max distance and a backstop exclude each other, the distance counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Tether {
    /// The obstacle.
    pub to: BodyId,
    /// The vertices.
    pub vertices: Vec<u32>,
    /// How far each may be from its point, metres, >= 0; infinite: as far as it likes.
    pub max_distance: Values,
    /// What each is kept in front of.
    pub backstop: Option<Backstop>,
}

/// A ball behind a point of a surface, whose normal is the triangle's, counter-clockwise seen from in front.
#[derive(Clone, Debug, PartialEq)]
pub struct Backstop {
    /// How far behind the point it begins, metres, >= 0.
    pub distance: Values,
    /// Radius, metres, > 0; infinite: a plane.
    pub radius: Values,
}

impl Tether {
    /// Vertices that stay within a distance of their points, metres.
    #[must_use]
    pub fn new(to: BodyId, vertices: Vec<u32>, max_distance: impl Into<Values>) -> Tether {
        Tether { to, vertices, max_distance: max_distance.into(), backstop: None }
    }

    /// Keeps them in front of a ball that begins `distance` metres behind the point.
    #[must_use]
    pub fn backstop(mut self, distance: impl Into<Values>, radius: impl Into<Values>) -> Tether {
        self.backstop = Some(Backstop { distance: distance.into(), radius: radius.into() });
        self
    }
}

impl Body {
    /// Tethers name vertices that exist, each once, and have numbers for each.
    pub(crate) fn check_tethers(&self) -> Result<(), Error> {
        let mut taken = vec![false; self.positions.len()];
        for (i, tether) in self.tethers.iter().enumerate() {
            let of = || format!("body `{}`, tether {i}", self.name);
            for &vertex in &tether.vertices {
                let (index, count) = (vertex as usize, self.positions.len());
                if index >= count {
                    return Err(Error::Missing { of: of(), what: "vertex", index, count });
                }
                if std::mem::replace(&mut taken[index], true) {
                    return Err(Error::Driven { of: of(), vertex });
                }
            }
            let check = |what: &str, values: &Values, good: fn(f32) -> bool, limit| {
                if let Values::PerRow(values) = values {
                    let (got, want) = (values.len(), tether.vertices.len());
                    if got != want {
                        return Err(Error::Length { of: of(), what: what.to_owned(), got, want });
                    }
                }
                for (row, vertex) in tether.vertices.iter().enumerate() {
                    let value = values.get(row);
                    range(of, || format!("{what} of vertex {vertex}"), f64::from(value), good(value), limit)?;
                }
                Ok(())
            };
            check("max distance", &tether.max_distance, |v| v >= 0.0, "0 m or more")?;
            if let Some(backstop) = &tether.backstop {
                let near = |v: f32| (0.0..=1e6).contains(&v);
                check("backstop distance", &backstop.distance, near, "within 0 .. 1e6 m")?;
                let good = |v: f32| v > 0.0 && (v <= 1e6 || v == f32::INFINITY);
                check("backstop radius", &backstop.radius, good, "above 0 and at most 1e6 m, or infinite")?;
            }
        }
        Ok(())
    }
}

/// A tethered vertex of a plan.
#[derive(Clone, Copy, Debug)]
struct Tethered {
    row: usize,
    /// Which of the points.
    point: usize,
    distance: f32,
    behind: f32,
    radius: f32,
}

/// Tethered vertices of a plan, in the order of their rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllTethers {
    each: Vec<Tethered>,
    /// Points on obstacles.
    places: Vec<Over>,
    /// Those of each block of rows.
    blocks: Vec<Range<usize>>,
}

/// A point and its normal where a step starts and where it ends.
pub(crate) type Span = [[[f32; 3]; 2]; 2];

impl AllTethers {
    /// Those of all bodies.
    pub(crate) fn of(
        bodies: &[Body],
        obstacles: &[Driven],
        plans: &[BodyPlan],
        blocks: &[Block],
    ) -> Result<AllTethers, Error> {
        let (mut each, mut all_places) = (Vec::new(), Vec::new());
        for (body, plan) in bodies.iter().zip(plans) {
            for (i, tether) in body.tethers.iter().enumerate() {
                let of = format!("body `{}`, tether {i}", body.name);
                let positions = tether.vertices.iter().map(|&v| body.positions[v as usize]);
                let places = places(&of, positions, tether.to, (bodies, obstacles))?;
                for (at, (place, &vertex)) in places.into_iter().zip(&tether.vertices).enumerate() {
                    let (behind, radius) = match &tether.backstop {
                        Some(of) => (of.distance.get(at), of.radius.get(at)),
                        None => (0.0, f32::NAN),
                    };
                    let (row, distance) = (plan.particle(vertex) as usize, tether.max_distance.get(at));
                    each.push(Tethered { row, point: all_places.len(), distance, behind, radius });
                    all_places.push(place);
                }
            }
        }
        Ok(AllTethers::in_blocks(each, all_places, blocks))
    }

    /// Rows that stay within a distance of a point, the number of which is given beside it, metres.
    pub(crate) fn near(all: impl Iterator<Item = (usize, usize, f32)>, blocks: &[Block]) -> AllTethers {
        let each = all.map(|(row, point, distance)| Tethered { row, point, distance, behind: 0.0, radius: f32::NAN });
        AllTethers::in_blocks(each.collect(), Vec::new(), blocks)
    }

    fn in_blocks(mut each: Vec<Tethered>, places: Vec<Over>, blocks: &[Block]) -> AllTethers {
        each.sort_unstable_by_key(|tethered| tethered.row);
        let of = |run: &Block| {
            let first = |row: usize| each.partition_point(|tethered: &Tethered| tethered.row < row);
            first(run.run.start)..first(run.run.start + run.run.len)
        };
        let blocks = if each.is_empty() { Vec::new() } else { blocks.iter().map(of).collect() };
        AllTethers { each, places, blocks }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        add(format!("{:?} {:?}", self.each, self.places).as_bytes());
    }

    /// Where points and normals are where a step starts, and where it ends.
    pub(crate) fn span(&self, starts: &[[f32; 3]], ends: &[[f32; 3]], spans: &mut Vec<Span>) {
        spans.clear();
        let narrow = |(place, n): ([f64; 3], [f64; 3])| [place.map(|c| c as f32), n.map(|c| c as f32)];
        spans.extend(self.places.iter().map(|place| [starts, ends].map(|at| narrow(place.place(at)))));
    }

    /// Keeps those of a block where they may be at the part `at` of the step.
    ///
    /// # Safety
    /// Nobody else uses the block's rows.
    pub(crate) unsafe fn keep(
        &self,
        isa: Isa,
        motion: Motion<'_>,
        spans: &[Span],
        (block, number): (&Block, usize),
        at: f32,
    ) {
        let Some(range) = self.blocks.get(number) else { return };
        let layout = block.run.layout;
        for first in range.clone().step_by(BATCH) {
            let sixteen = first..range.end.min(first + BATCH);
            let mut tethers = Tethers::NONE;
            // SAFETY: the caller's promise; a block's rows lie within its run.
            let (x, u) = unsafe {
                let Range { start, end } = block.run.start..block.run.start + block.run.len;
                (motion.x.read(start, end - start), motion.u.part(start, end - start))
            };
            let row = |rows: &[Row], row: usize| layout.read(rows, row - block.run.start);
            for (lane, of) in self.each[sixteen.clone()].iter().enumerate() {
                let (x, u) = (row(x, of.row), row(u, of.row));
                let [[p, n], [to, turned]] = &spans[of.point];
                for k in 0..3 {
                    tethers.d[k].0[lane] = (x[k] - between(p[k], to[k], at)) + u[k];
                    tethers.n[k].0[lane] = between(n[k], turned[k], at);
                }
                // What is fixed stays.
                tethers.distance.0[lane] = if x[3] > 0.0 { of.distance } else { f32::INFINITY };
                tethers.radius.0[lane] = if x[3] > 0.0 { of.radius } else { f32::NAN };
                tethers.behind.0[lane] = of.behind;
            }
            let before = tethers.d;
            tethers.keep(isa);
            for (lane, of) in self.each[sixteen].iter().enumerate() {
                let by: [f32; 3] = std::array::from_fn(|k| tethers.d[k].0[lane] - before[k].0[lane]);
                if by != [0.0; 3] && by.iter().all(|c| c.is_finite()) {
                    let mut to = row(u, of.row);
                    (0..3).for_each(|k| to[k] += by[k]);
                    layout.write(u, of.row - block.run.start, to);
                }
            }
        }
    }
}

fn between(a: f32, b: f32, at: f32) -> f32 {
    if at >= 1.0 { b } else { a + (b - a) * at }
}
