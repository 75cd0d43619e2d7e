//! Points that tetrahedra carry, against a collider: a fine surface in a coarse solid.
//!
//! ```text
//!   p = b0 x0 + b1 x1 + b2 x2 + b3 x3,  b0 + b1 + b2 + b3 = 1, beyond 0 .. 1 outside of the tetrahedron
//!   C = C(p) of the collider along the path of p,  dC/dx_i = b_i n
//!   dlambda = -C / sum_i w_i b_i^2,  dx_i = w_i b_i (n dlambda + dtau)
//! ```
//! Müller et al. 2007, section 3.3, with the barycentric coordinates of a hard binding (Sifakis, Shinar, Irving, Fedkiw
//! 2007, "Hybrid Simulation of Deformable Solids", section 3). The impulses on the four particles sum to the contact's,
//! because the b_i sum to 1.
//!
//! Many points share a tetrahedron, so their contacts are solved one after another, in rounds (projected Gauss-Seidel):
//! a multiplier may shrink again in a later round, when other points hold the tetrahedron up. In the last round none
//! shrinks. Lanes look which of sixteen points are near; the few that are near are solved one at a time, as triangles
//! at solids are.

use super::{Begin, Held, Shape, Surface, friction};
use crate::integrate::Motion;
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::{BATCH, Chunk, InChunks, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::{Use, is_watched};

/// Particles that carry the points of a tile, at most. More, and boxes are larger; fewer, and there are more of them.
pub const CARRIERS: usize = 32;

/// Stands for the collider that a point remembers no multiplier of.
pub const NO_COLLIDER: u32 = u32::MAX;

/// Points under one box, and the particles that carry them. Made by [`EmbeddedTile::new`], which checks it.
#[derive(Clone, Debug)]
pub struct EmbeddedTile {
    layout: Layout,
    /// Distinct.
    carriers: Vec<u32>,
    /// Above all carriers; of rows in lanes whole blocks.
    rows: usize,
    sixteens: Vec<Sixteen>,
    points: usize,
    overhang: f32,
}

/// Sixteen points; those behind the last repeat the first.
#[derive(Clone, Copy, Debug)]
struct Sixteen {
    /// Twice the number of each corner among the carriers: rows are reached by pairs of numbers.
    at: [[u32; BATCH]; 4],
    /// Of corners 1 to 3; corner 0 has the rest.
    shares: [[f32; BATCH]; 3],
}

impl EmbeddedTile {
    /// Points by the particles that carry them, and the shares of corners 1 to 3. None if there is no point, there are
    /// more than [`CARRIERS`] particles, or a share is not finite.
    #[must_use]
    pub fn new(layout: Layout, corners: &[[u32; 4]], shares: &[[f32; 3]]) -> Option<EmbeddedTile> {
        let mut carriers: Vec<u32> = corners.as_flattened().to_vec();
        carriers.sort_unstable();
        carriers.dedup();
        let finite = shares.as_flattened().iter().all(|share| share.is_finite());
        if corners.is_empty() || carriers.len() > CARRIERS || corners.len() != shares.len() || !finite {
            return None;
        }
        let number = |row: u32| carriers.partition_point(|&carrier| carrier < row) as u32;
        let sixteens = corners.chunks(BATCH).zip(shares.chunks(BATCH)).map(|(corners, shares)| {
            let of = |lane: usize| if lane < corners.len() { lane } else { 0 };
            Sixteen {
                at: std::array::from_fn(|slot| std::array::from_fn(|lane| 2 * number(corners[of(lane)][slot]))),
                shares: std::array::from_fn(|slot| std::array::from_fn(|lane| shares[of(lane)][slot])),
            }
        });
        // sum |b| is 1 + 2 (sum of the negative ones' sizes).
        let below = |[b1, b2, b3]: &[f32; 3]| {
            [((1.0 - b1) - b2) - b3, *b1, *b2, *b3].iter().fold(0.0, |sum, &b| if b < 0.0 { sum - b } else { sum })
        };
        let rows = *carriers.last()? as usize + 1;
        Some(EmbeddedTile {
            layout,
            rows: if layout == Layout::Lanes { rows.next_multiple_of(BATCH) } else { rows },
            sixteens: sixteens.collect(),
            points: corners.len(),
            overhang: shares.iter().map(below).fold(0.0, Lanes::larger),
            carriers,
        })
    }

    /// Number of points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// The particles that carry its points, ascending.
    #[must_use]
    pub fn carriers(&self) -> &[u32] {
        &self.carriers
    }

    /// The largest sum of a point's shares below 0, as a number above: how far points stick out of their tetrahedra.
    #[must_use]
    pub fn overhang(&self) -> f32 {
        self.overhang
    }

    /// The particles that carry a point, and their shares of it.
    ///
    /// # Panics
    /// If there is no such point.
    #[must_use]
    pub fn point(&self, number: usize) -> ([u32; 4], [f32; 4]) {
        assert!(number < self.points, "point {number} of {}", self.points);
        let (sixteen, lane) = (&self.sixteens[number / BATCH], number % BATCH);
        (sixteen.at(lane).map(|at| self.carriers[at]), sixteen.shares(lane))
    }
}

impl Sixteen {
    #[inline(always)]
    fn at(&self, lane: usize) -> [usize; 4] {
        self.at.map(|slot| slot[lane] as usize / 2)
    }

    #[inline(always)]
    fn shares(&self, lane: usize) -> [f32; 4] {
        let [b1, b2, b3] = self.shares.map(|slot| slot[lane]);
        [((1.0 - b1) - b2) - b3, b1, b2, b3]
    }
}

/// A tile's particles, copied: contacts work on the copy, which stays in the first-level cache.
#[derive(Debug)]
pub struct Carriers {
    x: [Row; CARRIERS],
    u: [Row; CARRIERS],
    r: [Row; CARRIERS],
    count: usize,
    /// Whether u, and r, is to be written back.
    moved: bool,
    left: bool,
    paths: Paths,
}

impl Default for Carriers {
    /// Of no tile.
    fn default() -> Carriers {
        let none = [[0.0; 4]; CARRIERS];
        let paths = Paths { start: none, end: none };
        Carriers { x: none, u: none, r: none, count: 0, moved: false, left: false, paths }
    }
}

/// A particle's numbers.
///
/// # Safety
/// There is such a row, and nobody writes it.
#[inline(always)]
unsafe fn read(rows: Shared<'_, Row>, layout: Layout, row: u32) -> Row {
    if layout == Layout::Rows {
        // SAFETY: the caller promises that there is such a row, and nobody writes it.
        return unsafe { rows.as_ptr().add(row as usize).read() };
    }
    let (from, at, stride) = (rows.as_ptr().cast::<f32>(), layout.offset(row as usize), layout.stride());
    // SAFETY: the caller promises that there is such a row, and nobody writes it.
    std::array::from_fn(|k| unsafe { from.add(at + k * stride).read() })
}

/// Sets a particle's first three numbers.
///
/// # Safety
/// There is such a row, and nobody else uses it.
#[inline(always)]
unsafe fn write(rows: Shared<'_, Row>, layout: Layout, row: u32, [x, y, z, _]: Row) {
    let (to, at, stride) = (rows.as_ptr().cast::<f32>(), layout.offset(row as usize), layout.stride());
    for (k, value) in [x, y, z].into_iter().enumerate() {
        // SAFETY: the caller promises that there is such a row, and nobody else uses it.
        unsafe { to.add(at + k * stride).write(value) };
    }
}

fn claim(rows: Shared<'_, Row>, tile: &EmbeddedTile, of: Use) {
    if !is_watched() {
        return;
    }
    for &row in &tile.carriers {
        for k in 0..3 {
            let at = tile.layout.offset(row as usize) + k * tile.layout.stride();
            seidel_workers::claims::claim(rows.as_ptr().cast::<f32>().wrapping_add(at), 1, of);
        }
    }
}

impl Carriers {
    /// Copies a tile's particles.
    ///
    /// # Safety
    /// Nobody writes their rows meanwhile.
    ///
    /// # Panics
    /// If the tile is another plan's.
    pub unsafe fn read(&mut self, motion: &Motion<'_>, tile: &EmbeddedTile) {
        let Motion { x, u, r, .. } = *motion;
        tile.check(motion);
        (self.count, self.moved, self.left) = (tile.carriers.len(), false, false);
        for (k, &row) in tile.carriers.iter().enumerate() {
            // SAFETY: `new` has found all carriers below `rows`; the caller keeps writers away.
            unsafe {
                self.x[k] = read(x, tile.layout, row);
                self.u[k] = read(u, tile.layout, row);
                self.r[k] = read(r, tile.layout, row);
            }
        }
    }

    /// Writes back what contacts have moved, and returns a bound on how far they have moved a particle, metres.
    ///
    /// # Safety
    /// Nobody else uses the tile's particles; the copy is of this tile and this motion.
    pub unsafe fn write(&mut self, motion: &Motion<'_>, tile: &EmbeddedTile) -> f32 {
        let mut furthest = 0.0f32;
        for (rows, copy, changed) in [(motion.u, &self.u, self.moved), (motion.r, &self.r, self.left)] {
            if changed {
                claim(rows, tile, Use::Write);
                for (&row, numbers) in tile.carriers.iter().zip(copy) {
                    // SAFETY: `read` has found all carriers within the rows; the caller keeps others away.
                    let before = unsafe {
                        let before = read(rows, tile.layout, row);
                        write(rows, tile.layout, row, *numbers);
                        before
                    };
                    let way = (0..3).fold(0.0, |sum, k| sum + (numbers[k] - before[k]).abs());
                    furthest = furthest.larger(way);
                }
            }
        }
        (self.moved, self.left) = (false, false);
        furthest
    }
}

impl EmbeddedTile {
    /// The motion is of a plan that has these particles.
    fn check(&self, motion: &Motion<'_>) {
        let Motion { x, u, r, .. } = *motion;
        assert!([x.len(), u.len(), r.len()].iter().all(|len| self.rows <= *len), "points of another plan");
        [x, u, r].iter().for_each(|rows| claim(*rows, self, Use::Read));
    }

    /// Lowest and highest coordinates of the paths of its points: along each axis the box of their particles, grown by
    /// the shares that are below 0.
    ///
    /// # Safety
    /// Nobody writes the particles' rows meanwhile.
    ///
    /// # Panics
    /// If it is another plan's.
    #[must_use]
    pub unsafe fn bounds(&self, motion: &Motion<'_>) -> [[f32; 3]; 2] {
        let Motion { x, u, r, .. } = *motion;
        self.check(motion);
        // All four numbers of a row at once.
        let (mut low, mut high) = ([f32::INFINITY; 4], [f32::NEG_INFINITY; 4]);
        for &row in &self.carriers {
            // SAFETY: `new` has found all carriers below `rows`; the caller keeps writers away.
            let [x, u, r] = unsafe { [x, u, r].map(|rows| read(rows, self.layout, row)) };
            let a: Row = std::array::from_fn(|k| x[k] + r[k]);
            let b: Row = std::array::from_fn(|k| x[k] + u[k]);
            low = std::array::from_fn(|k| if a[k] < low[k] { a[k] } else { low[k] });
            low = std::array::from_fn(|k| if b[k] < low[k] { b[k] } else { low[k] });
            high = std::array::from_fn(|k| if a[k] > high[k] { a[k] } else { high[k] });
            high = std::array::from_fn(|k| if b[k] > high[k] { b[k] } else { high[k] });
        }
        let more: [f32; 3] = std::array::from_fn(|k| self.overhang * (high[k] - low[k]));
        [std::array::from_fn(|k| low[k] - more[k]), std::array::from_fn(|k| high[k] + more[k])]
    }
}

/// Keeps the points of a tile out of a collider, with friction.
#[derive(Debug)]
pub struct EmbeddedContacts<'a, S> {
    /// The collider in this substep.
    pub surface: Surface<S>,
    /// Its number.
    pub number: u32,
    /// Distance that points keep from it, metres.
    pub thickness: f32,
    /// The body's friction, as `Surface::combine` takes it.
    pub friction: f32,
    /// Substep, seconds, if points may be inside at its start and are to leave without a velocity.
    pub leaving: Option<f32>,
    /// True in the first round of a substep.
    pub first: bool,
    /// In a round that looks which points are near: those that are no farther than so much beyond the thickness,
    /// metres. None in rounds that solve the points that are known to be near.
    pub look: Option<f32>,
    /// The points that are near, bit i of a number for point i of sixteen: a look adds to them.
    pub near: &'a mut [u16],
    /// True in the last round: no multiplier shrinks.
    pub last: bool,
    /// Multipliers [tau, normal] of each point, kg m, and the collider that they are of, or [`NO_COLLIDER`]. A point
    /// that touches two colliders remembers the first.
    pub held: &'a mut [Row],
    /// See `held`.
    pub of: &'a mut [u32],
    /// For each point the last normal and the sum of the multipliers along it, [n, kg m], to which this adds; empty if
    /// nobody asks.
    pub record: &'a mut [Row],
    /// Where what is to bounce is written down; None if nothing does.
    pub bounce: Option<EmbeddedBounce<'a>>,
}

/// What [`super::Bounce`] is for particles.
#[derive(Debug)]
pub struct EmbeddedBounce<'a> {
    /// Velocities of all particles.
    pub v: Shared<'a, Row>,
    /// For each point [n, way]: a unit normal, and how far along it the point is to go in a substep, metres, or
    /// [`super::STAYS`].
    pub rows: &'a mut [Row],
    /// Coefficient e of the two, 0..=1.
    pub restitution: f32,
    /// Substep, s.
    pub h: f32,
    /// What comes slower than this does not bounce, m/s.
    pub least: f32,
}

/// What contacts have done to points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EmbeddedPushed {
    /// Number of contacts that hold a point.
    pub contacts: u32,
    /// The furthest that a contact has moved its point, metres.
    pub furthest: f32,
}

impl<S: Shape> EmbeddedContacts<'_, S> {
    /// Solves the contacts of a tile's points, one after another.
    ///
    /// # Safety
    /// If something bounces, nobody writes the velocities of the tile's particles meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn solve(mut self, isa: Isa, tile: &EmbeddedTile, carriers: &mut Carriers) -> EmbeddedPushed {
        assert_eq!(carriers.count, tile.carriers.len(), "particles of another tile");
        assert!(self.held.len() >= tile.points && self.of.len() >= tile.points, "too few multipliers");
        assert!(self.record.is_empty() || self.record.len() >= tile.points, "too few rows to record in");
        assert!(self.near.len() >= tile.sixteens.len(), "too few numbers for what is near");
        if let Some(bounce) = &self.bounce {
            assert!(bounce.rows.len() >= tile.points && bounce.v.len() >= tile.rows, "too few bounces");
        }
        (0..carriers.count).for_each(|k| carriers.follow(k, &self.surface));
        let mut pushed = EmbeddedPushed::default();
        for (s, sixteen) in tile.sixteens.iter().enumerate() {
            if let Some(slack) = self.look {
                let look =
                    Look { surface: &self.surface, reach: self.thickness + slack, paths: &carriers.paths, sixteen };
                self.near[s] |= isa.dispatch(look) as u16 | self.holds(s, tile.points);
            }
            let mut near = self.near[s];
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                if s * BATCH + lane < tile.points {
                    // SAFETY: the caller keeps writers of velocities away.
                    unsafe { self.one(tile, (sixteen, lane), s * BATCH + lane, carriers, &mut pushed) };
                }
            }
        }
        pushed
    }

    /// Which of sixteen points this collider holds already.
    fn holds(&self, s: usize, points: usize) -> u16 {
        if self.first {
            return 0;
        }
        let holds = |point: usize| self.of[point] == self.number && self.held[point][3] > 0.0;
        (s * BATCH..points.min((s + 1) * BATCH)).filter(|&p| holds(p)).fold(0, |near, p| near | 1 << (p % BATCH))
    }

    /// # Safety
    /// As for `solve`.
    #[inline(always)]
    unsafe fn one(
        &mut self,
        tile: &EmbeddedTile,
        (sixteen, lane): (&Sixteen, usize),
        point: usize,
        carriers: &mut Carriers,
        pushed: &mut EmbeddedPushed,
    ) {
        let surface = &self.surface;
        let (at, b) = (sixteen.at(lane), sixteen.shares(lane));
        let by = carriers.masses(at, b);
        let weight = (b[0] * by[0] + b[1] * by[1]) + (b[2] * by[2] + b[3] * by[3]);
        let is_free = weight > 0.0 && weight.is_finite();
        if !is_free {
            return;
        }
        let remembered = self.of[point] == self.number;
        let held = if remembered { self.held[point] } else { [0.0; 4] };
        let held = Held { tau: V3::new(held[0], held[1], held[2]), normal: held[3] };
        let (mut thickness, chunk) = (self.thickness, Chunk::<f32>::new(lane));
        // SAFETY: `EmbeddedTile::new` has made the sixteen's indices; the paths are of its tile.
        let [mut start, mut end] = unsafe { carriers.paths.of(sixteen, chunk) };
        let mut leaving = self.leaving;
        let (c, n) = loop {
            let (c, n, _) = surface.shape.contact(start, end, thickness, 0.0);
            let Some(h) = leaving.take() else { break (c, n) };
            let (depth, out) = surface.shape.inside(start, thickness);
            let begin = Begin { depth, end: -c, at: start, thickness };
            if !begin.inside() {
                break (c, n);
            }
            // It goes no deeper, and out by a step without a velocity: the rounding goes with it.
            let shift = begin.leave(h, self.first);
            if shift > 0.0 {
                let shift = out * (shift / weight);
                carriers.add(at, by, shift, true);
                at.iter().for_each(|&k| carriers.follow(k, surface));
                // SAFETY: `EmbeddedTile::new` has made the sixteen's indices; the paths are of its tile.
                [start, end] = unsafe { carriers.paths.of(sixteen, chunk) };
            }
            thickness -= depth - shift;
        };
        let touches = c < 0.0 || held.normal > 0.0;
        if !touches {
            return;
        }
        let mut normal = (held.normal - c / weight).larger(0.0);
        if self.last {
            normal = normal.larger(held.normal);
        }
        let push = n * (normal - held.normal);
        let moved = carriers.path(at, b) + push * weight;
        let slip = moved - surface.displacement(end);
        let slip = slip - n * slip.dot(n);
        let mu_s = surface.combine.of(self.friction, surface.friction_static);
        let mu_k = surface.combine.of(self.friction, surface.friction_kinetic);
        let tau = friction(Held { tau: held.tau, normal }, slip * (1.0 / weight), mu_s, mu_k);
        let mut change = push + (tau - held.tau);
        if let Some(out) = surface.shape.settle(end + change * weight, thickness) {
            change = change + out * (1.0 / weight);
        }
        if !change.length_squared().finite() {
            return;
        }
        carriers.add(at, by, change, false);
        at.iter().for_each(|&k| carriers.follow(k, surface));
        pushed.furthest = pushed.furthest.larger(change.length() * weight);
        if remembered || (normal > 0.0 && self.of[point] == NO_COLLIDER) {
            self.of[point] = self.number;
            self.held[point] = [tau.x, tau.y, tau.z, normal];
        }
        if !self.record.is_empty() {
            self.record[point] = [n.x, n.y, n.z, self.record[point][3] + (normal - held.normal)];
        }
        if normal > 0.0 {
            pushed.contacts += 1;
            if let Some(bounce) = &mut self.bounce {
                // SAFETY: `solve` has found the tile's rows within the velocities; its caller keeps writers away.
                unsafe { bounce.note(tile, (at, b), point, n, surface.displacement(end).dot(n)) };
            }
        }
    }
}

impl EmbeddedBounce<'_> {
    /// Notes a point that touches a surface along `n` which moves by `moves` along it in this substep.
    ///
    /// # Safety
    /// The tile's rows are within the velocities, and nobody writes them.
    unsafe fn note(
        &mut self,
        tile: &EmbeddedTile,
        (at, b): ([usize; 4], [f32; 4]),
        point: usize,
        n: V3<f32>,
        moves: f32,
    ) {
        // SAFETY: the caller promises that the tile's rows are within the velocities, and nobody writes them.
        let v = at.map(|k| unsafe { read(self.v, tile.layout, tile.carriers[k]) });
        let comes = self.h * blend(v, b).dot(n) - moves;
        let thrown = moves - self.restitution * comes;
        if comes < -(self.h * self.least) && thrown > self.rows[point][3] {
            self.rows[point] = [n.x, n.y, n.z, thrown];
        }
    }
}

impl EmbeddedTile {
    /// Throws off the points that contacts have noted in `rows`, and forgets it: r is changed, as [`Motion::bounce`]
    /// does it.
    ///
    /// # Safety
    /// Nobody else uses the tile's particles meanwhile.
    ///
    /// # Panics
    /// If there are too few rows, or the tile is another plan's.
    pub unsafe fn bounce(&self, motion: &Motion<'_>, rows: &mut [Row]) {
        if rows[..self.points].iter().all(|row| row[3] <= super::STAYS) {
            return;
        }
        let mut carriers = Carriers::default();
        // SAFETY: the caller promises that nobody else uses the tile's particles; `read` checks that they are there.
        unsafe { carriers.read(motion, self) };
        for (point, row) in rows[..self.points].iter_mut().enumerate() {
            let [nx, ny, nz, way] = *row;
            if way > super::STAYS {
                let (sixteen, lane) = (&self.sixteens[point / BATCH], point % BATCH);
                let (at, b) = (sixteen.at(lane), sixteen.shares(lane));
                let by = carriers.masses(at, b);
                let weight = (b[0] * by[0] + b[1] * by[1]) + (b[2] * by[2] + b[3] * by[3]);
                let n = V3::new(nx, ny, nz);
                let short = (way - carriers.path(at, b).dot(n)).larger(0.0);
                let change = n * (-short / weight);
                if change.length_squared().finite() {
                    carriers.throw(at, by, change);
                }
                row[3] = super::STAYS;
            }
        }
        // SAFETY: the caller promises that nobody else uses the tile's particles; the copy is of this tile and this
        // motion.
        unsafe { carriers.write(motion, self) };
    }
}

/// sum b_k x_k, from the first corner, so that what is far from the origin keeps its digits.
#[inline(always)]
fn blend(x: [Row; 4], b: [f32; 4]) -> V3<f32> {
    let [x0, x1, x2, x3] = x.map(|[x, y, z, _]| V3::new(x, y, z));
    x0 + ((x1 - x0) * b[1] + (x2 - x0) * b[2] + (x3 - x0) * b[3])
}

impl Carriers {
    /// Takes a particle's path anew.
    #[inline(always)]
    fn follow<S>(&mut self, k: usize, surface: &Surface<S>) {
        for axis in 0..3 {
            let near = self.x[k][axis] - surface.at[axis];
            self.paths.start[k][axis] = near + (self.r[k][axis] - surface.from[axis]);
            self.paths.end[k][axis] = near + (self.u[k][axis] - surface.to[axis]);
        }
    }

    /// w_i b_i
    #[inline(always)]
    fn masses(&self, at: [usize; 4], b: [f32; 4]) -> [f32; 4] {
        std::array::from_fn(|slot| self.x[at[slot]][3] * b[slot])
    }

    /// How far a point has gone in this substep.
    #[inline(always)]
    fn path(&self, at: [usize; 4], b: [f32; 4]) -> V3<f32> {
        let way = |k: usize| std::array::from_fn(|axis| self.u[k][axis] - self.r[k][axis]);
        blend(at.map(way), b)
    }

    /// Moves a point's particles by `by` times `change` each; with their roundings, it gives them no velocity.
    #[inline(always)]
    fn add(&mut self, at: [usize; 4], by: [f32; 4], change: V3<f32>, with_rounding: bool) {
        for (&k, by) in at.iter().zip(by) {
            let d = change * by;
            let more = |[x, y, z, w]: Row| [x + d.x, y + d.y, z + d.z, w];
            self.u[k] = more(self.u[k]);
            if with_rounding {
                self.r[k] = more(self.r[k]);
            }
        }
        self.moved = true;
        self.left |= with_rounding;
    }

    /// Changes roundings alone: velocities.
    #[inline(always)]
    fn throw(&mut self, at: [usize; 4], by: [f32; 4], change: V3<f32>) {
        for (&k, by) in at.iter().zip(by) {
            let ([x, y, z, w], d) = (self.r[k], change * by);
            self.r[k] = [x + d.x, y + d.y, z + d.z, w];
        }
        self.left = true;
    }
}

/// Where the paths of a tile's particles begin and end, from the collider's centre there.
#[derive(Debug)]
struct Paths {
    start: [Row; CARRIERS],
    end: [Row; CARRIERS],
}

impl Paths {
    /// Start and end of the paths of `WIDTH` points from a lane on.
    ///
    /// # Safety
    /// The sixteen's tile has no more than [`CARRIERS`] particles.
    #[inline(always)]
    unsafe fn of<L: Lanes<Elem = f32>>(&self, sixteen: &Sixteen, chunk: Chunk<L>) -> [V3<L>; 2] {
        let mut ends = [V3::zero(); 2];
        for (rows, end) in [&self.start, &self.end].into_iter().zip(&mut ends) {
            let mut x = [V3::zero(); 4];
            for (slot, x) in x.iter_mut().enumerate() {
                // SAFETY: `EmbeddedTile::new` has made indices of its particles, of which there are `CARRIERS` rows.
                let rows = unsafe { L::load_rows(rows.as_ptr().cast(), chunk.of(&sixteen.at[slot])) };
                let [px, py, pz, _] = L::transpose(rows);
                *x = V3::new(px, py, pz);
            }
            let b: V3<L> = sixteen.shares.load(chunk);
            *end = x[0] + ((x[1] - x[0]) * b.x + (x[2] - x[0]) * b.y + (x[3] - x[0]) * b.z);
        }
        ends
    }
}

/// Which of sixteen points may be near: bit i is that of point i.
struct Look<'a, S> {
    surface: &'a Surface<S>,
    reach: f32,
    paths: &'a Paths,
    sixteen: &'a Sixteen,
}

impl<S: Shape> Kernel for Look<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> u32 {
        self.all::<L::One>()
    }
}

impl<S: Shape> Look<'_, S> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> u32 {
        let mut near = 0;
        for chunk in Chunk::<L>::all() {
            // SAFETY: the paths are of the sixteen's tile.
            let [start, end] = unsafe { self.paths.of(self.sixteen, chunk) };
            near |= self.surface.shape.near(start, end, L::set(self.reach)).bits() << chunk.first();
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rows;

    /// Eight particles on a cube's corners, which move; points within one tetrahedron of them and outside of it.
    #[test]
    fn the_box_of_a_tile_holds_all_of_its_points() {
        for layout in [Layout::Rows, Layout::Lanes] {
            let corners = [[3, 5, 6, 9], [9, 12, 5, 1]];
            let shares = [[0.2, 0.3, 0.4], [1.7, -0.4, 0.2]];
            let tile = EmbeddedTile::new(layout, &corners, &shares).expect("few particles");
            assert_eq!(tile.carriers(), [1, 3, 5, 6, 9, 12]);
            let below = -(((1.0f32 - 1.7) + 0.4) - 0.2) + 0.4;
            assert!((tile.overhang() - below).abs() < 1e-6, "{}", tile.overhang());
            let [mut x, mut u, mut r, mut v] = [0, 8, 16, 24].map(|skew| Rows::zeros(16, skew));
            let mut random = 5u32;
            for row in 0..16 {
                let mut next = || {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (random >> 8) as f32 / 8_388_608.0 - 1.0
                };
                layout.write(&mut x, row, [next(), next(), next(), 1.0]);
                layout.write(&mut u, row, [next(), next(), next(), 0.0]);
            }
            let (positions, ways) = (x.clone(), u.clone());
            let motion = Motion {
                x: Shared::new(&mut x),
                u: Shared::new(&mut u),
                r: Shared::new(&mut r),
                v: Shared::new(&mut v),
                force: Shared::new(&mut []),
            };
            // SAFETY: all rows are this test's own.
            let [low, high] = unsafe { tile.bounds(&motion) };
            for point in 0..2 {
                let (at, b) = tile.point(point);
                for part in [0.0, 1.0] {
                    let place = |row: u32, k: usize| {
                        layout.read(&positions, row as usize)[k] + part * layout.read(&ways, row as usize)[k]
                    };
                    for k in 0..3 {
                        let p: f32 = at.iter().zip(b).map(|(&row, b)| b * place(row, k)).sum();
                        assert!(low[k] - 1e-6 <= p && p <= high[k] + 1e-6, "{layout:?}: {p} of {low:?} .. {high:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_tile_has_few_particles_and_finite_shares() {
        let many: Vec<[u32; 4]> = (0..9).map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]).collect();
        assert!(EmbeddedTile::new(Layout::Rows, &many, &[[0.25; 3]; 9]).is_none());
        assert!(EmbeddedTile::new(Layout::Rows, &many[..8], &[[0.25; 3]; 8]).is_some());
        assert!(EmbeddedTile::new(Layout::Rows, &many[..1], &[[f32::NAN; 3]]).is_none());
        assert!(EmbeddedTile::new(Layout::Rows, &[], &[]).is_none());
    }
}
