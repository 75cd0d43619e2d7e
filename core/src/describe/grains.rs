//! Grains: spheres that keep apart, with friction (Macklin, Müller, Chentanez, Kim 2014).

use crate::describe::body::{Body, Collide};
use crate::describe::emitter::Emitter;
use crate::describe::error::{Error, range};
use crate::describe::grain::Grain;
use crate::describe::loose::{FillBox, Loose};
use crate::describe::memory::Need;
use crate::describe::pouring::{Pouring, pours};
use crate::describe::stiffness::Values;
use crate::describe::traits::basic;
use crate::geometry::chance::uniform;
use crate::tuning::MAX_PARTICLES;
use glam::Vec3;

/// Where grains are at the start.
#[derive(Clone, Debug)]
enum Fill {
    Block(FillBox),
    Points(Vec<[f32; 3]>),
}

/// Cells of a grain's size over the root of 3, beyond its own, in which another may be too near.
const REACH_IN_CELLS: usize = 2;

/// Places that are tried for a grain, on the average.
const TRIES: u64 = 200;

/// Grains: sand, gravel, mud.
///
/// They keep apart and have friction, with each other, with colliders, with rigid bodies and with bodies that collide
/// ([`Collide::Others`], [`Collide::All`]). All of a body have one radius. They do not turn: a heap is steeper than one
/// of balls that roll.
///
/// # Source
/// Macklin, Müller, Chentanez, Kim 2014, "Unified Particle Physics for Real-Time Applications", section 6.1;
/// `kernels/src/contact/grains.rs` has the equations, and what is done in another way.
///
/// # Example
/// ```
/// use seidel::{Collider, Grains, Input, Scene, Solver};
/// let mut scene = Scene::new();
/// scene.add_collider(Collider::ground());
/// let sand = scene.add(Grains::block([0.0, 0.0, 0.0], [0.2, 0.2, 0.2]).radius(0.01).friction(0.3));
/// let mut solver = Solver::new(&scene)?;
/// solver.step(&Input::frame(1.0 / 60.0));
/// assert_eq!(solver.positions(sand).len(), 477);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grains {
    traits: Loose,
    fills: Vec<Fill>,
    grain: Grain,
    dynamic_friction: Option<f32>,
    fraction: f32,
    seed: u32,
    collide: Collide,
    pouring: Pouring,
}

basic!(Grains);
pours!(Grains);

impl Grains {
    fn of(fill: Fill) -> Grains {
        Grains {
            traits: Loose::default(),
            fills: vec![fill],
            grain: Grain::sand(0.01),
            dynamic_friction: None,
            fraction: 0.25,
            seed: 1,
            collide: Collide::Others,
            pouring: Pouring::default(),
        }
    }

    /// Sand in a box between two corners, metres: loose, at places that chance has chosen ([`Grains::fraction`],
    /// [`Grains::seed`]).
    #[must_use]
    pub fn block(low: impl Into<Vec3>, high: impl Into<Vec3>) -> Grains {
        Grains::of(Fill::Block(FillBox::new(low, high)))
    }

    /// Grains at given places, metres. They may be in each other by a tenth of their size at most.
    #[must_use]
    pub fn points(points: Vec<[f32; 3]>) -> Grains {
        Grains::of(Fill::Points(points))
    }

    /// Grains that are nowhere at the start: [`Grains::emit`] lets them come.
    #[must_use]
    pub fn empty() -> Grains {
        Grains { fills: Vec::new(), ..Grains::of(Fill::Points(Vec::new())) }
    }

    /// Lets more of them come from an opening: a quarter of area times speed, in m^3/s of grains without the gaps
    /// between them. They come at random: an emitter without a jitter gets one of half a spacing, for on a lattice
    /// grains would fall on each other and stand as columns.
    #[must_use]
    pub fn emit(mut self, mut emitter: Emitter) -> Grains {
        if emitter.jitter == 0.0 {
            emitter.jitter = 0.5;
        }
        self.pouring.emitters.push(emitter);
        self
    }

    /// The same grains in another box, too.
    #[must_use]
    pub fn and_block(mut self, low: impl Into<Vec3>, high: impl Into<Vec3>) -> Grains {
        self.fills.push(Fill::Block(FillBox::new(low, high)));
        self
    }

    /// Of a grain, metres, within 5e-5 .. 50; 1 cm unless told. No grain of a scene may be less than 0.4 of another in
    /// size.
    #[must_use]
    pub fn radius(mut self, radius: f32) -> Grains {
        self.grain.radius = radius;
        self
    }

    /// Of a grain, kg/m^3, within 1e-3 .. 1e5; that of quartz, 2600, unless told. A heap of them is about 0.6 times as
    /// dense.
    #[must_use]
    pub fn density(mut self, density: f32) -> Grains {
        self.grain.density = density;
        self
    }

    /// Coefficient of friction, 0 .. 1000; 0.5 unless told. At a collider or another body it is combined with the other
    /// side's.
    #[must_use]
    pub fn friction(mut self, coefficient: f32) -> Grains {
        self.grain.friction = coefficient;
        self
    }

    /// Coefficient of friction of grains that slide along each other, at most that at rest; the same unless told.
    /// Colliders and other bodies have one coefficient for both, with which that at rest is combined.
    #[must_use]
    pub fn dynamic_friction(mut self, coefficient: f32) -> Grains {
        self.dynamic_friction = Some(coefficient);
        self
    }

    /// Cohesion, which holds wet sand or clay together, Pa, 0 .. 1e9; 0 unless told. Two grains that touch draw each
    /// other with this times the square of the distance of their middles, and resist as much sliding without being
    /// pressed together; what lies farther apart than a twentieth of that distance is free. Sand castles have 1 kPa,
    /// soils some kPa.
    #[must_use]
    pub fn cohesion(mut self, cohesion: f32) -> Grains {
        self.grain.cohesion = cohesion;
        self
    }

    /// How fast grains count as lighter upwards, 1/m, where they push each other: their mass is taken times
    /// exp(-`mass_scaling` * height), height being against gravity (Macklin et al. 2014, section 5.2). High heaps are
    /// stiffer for it, and momentum is lost: 0 unless told.
    #[must_use]
    pub fn mass_scaling(mut self, per_metre: f32) -> Grains {
        self.grain.mass_scaling = per_metre;
        self
    }

    /// The share of a box that grains fill at the start, 0.02 .. 0.3; 0.25 unless told. What has fallen lies at about
    /// 0.6. Near 0.3 some find no room, and are left out.
    #[must_use]
    pub fn fraction(mut self, share: f32) -> Grains {
        self.fraction = share;
        self
    }

    /// Seed of the places in a box: the same gives the same places; 1 unless told.
    #[must_use]
    pub fn seed(mut self, seed: u32) -> Grains {
        self.seed = seed;
        self
    }

    /// With which bodies they collide: [`Collide::Others`] unless told, or [`Collide::Nothing`], with none but grains.
    #[must_use]
    pub fn collide(mut self, collide: Collide) -> Grains {
        self.collide = collide;
        self
    }

    /// Grains of a box, as a number that may be too large for any memory.
    fn count(&self, block: &FillBox) -> f64 {
        let side = |k| block.side(k);
        let r = f64::from(self.grain.radius);
        let of_one = (4.0 / 3.0 * std::f64::consts::PI) * ((r * r) * r);
        (f64::from(self.fraction) * ((side(0) * side(1)) * side(2)) / of_one).floor().max(1.0)
    }

    /// The grains of a body's box of that number: each where chance puts it, if it finds room there (Widom 1966, random
    /// sequential addition).
    fn fill(&self, number: u64, block: &FillBox, to: &mut Vec<[f32; 3]>) -> Result<(), Error> {
        let (of, r) = (|| self.traits.of(), f64::from(self.grain.radius));
        block.check(&of, 2.0 * r, "two radii or more")?;
        let FillBox { low, high } = *block;
        let (count, limit) = (self.count(block), f64::from(MAX_PARTICLES));
        if count > limit {
            return Err(Error::TooLarge { got: count as usize, limit: limit as usize });
        }
        // A cell's diagonal is two radii: it has one grain at most.
        let cell = 2.0 * r / 3f64.sqrt();
        let start: [f64; 3] = std::array::from_fn(|k| f64::from(low[k]) + r);
        let room: [f64; 3] = std::array::from_fn(|k| {
            let room = (f64::from(high[k]) - r) - start[k];
            if room > 0.0 { room } else { 0.0 }
        });
        let cells = room.map(|room| (room / cell) as usize + 1);
        let mut in_cell = vec![u32::MAX; cells.iter().product()];
        let (first, mut tried) = (to.len(), 0u64);
        while to.len() - first < count as usize && tried < TRIES * count as u64 {
            // The seed in the upper bits, those beyond the 24th in the lowest; boxes of a body differ between.
            let stream = u64::from(self.seed).rotate_left(40) ^ (number << 32);
            let chance = |k: u64| uniform(stream ^ (3 * tried + k));
            let at: [f64; 3] = std::array::from_fn(|k| start[k] + room[k] * chance(k as u64));
            tried += 1;
            // As it will be kept.
            let at = at.map(|c| c as f32);
            let own: [usize; 3] = std::array::from_fn(|k| {
                let along = ((f64::from(at[k]) - start[k]) / cell) as usize;
                along.min(cells[k] - 1)
            });
            let place = |[x, y, z]: [usize; 3]| (z * cells[1] + y) * cells[0] + x;
            let [xs, ys, zs] =
                [0, 1, 2].map(|k| own[k].saturating_sub(REACH_IN_CELLS)..(own[k] + REACH_IN_CELLS + 1).min(cells[k]));
            let is_free = |other: u32| {
                let d: [f64; 3] = std::array::from_fn(|k| f64::from(at[k]) - f64::from(to[other as usize][k]));
                (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] > 4.0 * r * r
            };
            let places = zs.flat_map(|z| {
                let xs = xs.clone();
                ys.clone().flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
            });
            let mut there = places.map(|at| in_cell[place(at)]).filter(|other| *other != u32::MAX);
            if there.all(is_free) {
                in_cell[place(own)] = to.len() as u32;
                to.push(at);
            }
        }
        Ok(())
    }

    pub(super) fn need(&self) -> Need {
        let count = |fill: &Fill| match fill {
            Fill::Block(block) => self.count(block),
            Fill::Points(points) => points.len() as f64,
        };
        let filled = self.fills.iter().map(count).sum::<f64>();
        let most = self.pouring.most(filled, self.grain.spacing());
        // A radius that is refused later must not ask for all memory.
        let whole = |count: f64| if count.is_finite() { count.clamp(0.0, 1e12) as u64 } else { 0 };
        Need::grains_in_boxes([most, filled].map(whole), self.fraction)
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        let of = || self.traits.of();
        let friction = self.grain.friction;
        let grain = Grain { dynamic_friction: self.dynamic_friction.unwrap_or(friction), ..self.grain };
        grain.check(&of)?;
        let within = |what: &str, value: f32, [least, most]: [f32; 2], limit: &'static str| {
            range(of, || what.to_owned(), f64::from(value), (least..=most).contains(&value), limit)
        };
        within("fraction", self.fraction, [0.02, 0.3], "within 0.02 .. 0.3")?;
        let mut positions = Vec::new();
        for (number, fill) in (0..).zip(&self.fills) {
            match fill {
                Fill::Points(points) => positions.extend_from_slice(points),
                Fill::Block(block) => self.fill(number & 0xff, block, &mut positions)?,
            }
            let (got, limit) = (positions.len(), MAX_PARTICLES as usize);
            if got > limit {
                return Err(Error::TooLarge { got, limit });
            }
        }
        let of_it = (grain.spacing(), "at least the grains at the start");
        let count = self.pouring.room(of, positions.len(), of_it)?;
        range(of, || "number of grains".to_owned(), count as f64, count > 0, "1 or more")?;
        let mut body = self.traits.given_to(self.pouring.body(positions, count, grain.mass()));
        body.thickness = Values::Uniform(grain.radius);
        body.friction = Values::Uniform(friction);
        (body.restitution, body.collide, body.grain) = (0.0, self.collide, Some(grain));
        Ok(body)
    }
}
