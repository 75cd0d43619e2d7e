//! Grains by keys.

use super::attach::Worn;
use super::body_table::BodyTable;
use super::check::{is_off, place};
use super::fluid::EmitterSpec;
use super::geometry::Files;
use super::keys::table;
use super::select::SelectSpec;
use super::variant::Variant;
use seidel::memory::Need;
use seidel::{Collide, Filter, Grains, Recipe};

table! {
    /// Grains: a box of them, or some at given places.
    GrainsSpec {
        /// Name, unique in the scene.
        name: String = String::new(),
        /// Lowest corner of the box, metres.
        from: [f32; 3] = [0.0; 3],
        /// Highest corner, metres.
        to: [f32; 3] = [0.5; 3],
        /// The share of the box that they fill at the start.
        fraction: f32 = 0.25,
        /// Of their places in the box.
        seed: u32 = 1,
        /// Where they are, metres; instead of a box.
        #[serde(skip_serializing_if = "Option::is_none")]
        points: Option<Vec<[f32; 3]>> = None,
        /// Metres.
        radius: f32 = 0.01,
        /// Of a grain, kg/m^3.
        density: f32 = 2600.0,
        /// Coefficient, with each other at rest, and at colliders and bodies.
        friction: f32 = 0.5,
        /// Coefficient of grains that slide along each other; the same if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        dynamic_friction: Option<f32> = None,
        /// Pa.
        cohesion: f32 = 0.0,
        /// 1/m.
        mass_scaling: f32 = 0.0,
        /// m/s.
        velocity: [f32; 3] = [0.0; 3],
        /// Of the velocity relative to the world, 1/s.
        linear_damping: f32 = 0.0,
        /// Openings from which they come.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        emitter: Vec<EmitterSpec> = Vec::new(),
        /// Parts of space that take them away.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        drain: Vec<SelectSpec> = Vec::new(),
        /// The most grains at a time; needed where an emitter has no end.
        #[serde(skip_serializing_if = "Option::is_none")]
        capacity: Option<u32> = None,
        /// None are there at the start.
        #[serde(skip_serializing_if = "is_off")]
        empty: bool = false,
        /// nothing or others.
        collide: Collide = Collide::Others,
        /// Groups that they are in, a bit each.
        groups: u32 = Filter::default().groups,
        /// Groups of others that they meet, a bit each.
        mask: u32 = Filter::default().mask,
    }
}

impl GrainsSpec {
    pub(super) const VARIANTS: &[Variant] =
        &[Variant { name: "a box", keys: &["from", "to", "fraction", "seed"], other: &["points"] }];
}

impl BodyTable for GrainsSpec {
    fn placed(&self) -> Option<(seidel::Pose, seidel::Scale)> {
        None
    }

    fn names_maps(&self) -> bool {
        false
    }

    fn need(&self) -> Option<(&'static str, Need)> {
        if let Some(capacity) = self.capacity {
            return Some(("capacity", Need::grains(u64::from(capacity), 1.0)));
        }
        if self.empty {
            return None;
        }
        if self.points.is_some() || self.radius.is_nan() || self.radius <= 0.0 {
            return None;
        }
        let side = |k: usize| f64::from((self.to[k] - self.from[k]) / self.radius).max(0.0);
        let of_one = 4.0 / 3.0 * std::f64::consts::PI;
        // Beyond what a number of grains may be the box is refused all the same.
        let count = f64::from(self.fraction) * (side(0) * side(1) * side(2)) / of_one;
        Some(("radius", Need::grains(count.min(1e15) as u64, self.fraction)))
    }

    fn build(&self, of: &str, files: &mut Files, _: &[Worn]) -> Result<Recipe, String> {
        if self.empty && self.emitter.is_empty() {
            return Err(format!("{of}: `empty` wants a [[grains.emitter]], from which they come"));
        }
        let grains = match &self.points {
            Some(_) if self.empty => return Err(format!("{of}: `empty` and `points` contradict each other")),
            None if self.empty => Grains::empty(),
            Some(points) if points.is_empty() => {
                return Err(format!("{of}: `points` is empty: give places, or leave it out for a box"));
            }
            Some(points) => Grains::points(points.clone()),
            None => {
                place(of, "from", self.from, " m")?;
                place(of, "to", self.to, " m")?;
                Grains::block(self.from, self.to).fraction(self.fraction).seed(self.seed)
            }
        };
        place(of, "velocity", self.velocity, " m/s")?;
        let mut grains = grains;
        for (i, emitter) in self.emitter.iter().enumerate() {
            grains = grains.emit(emitter.build(&format!("{of}, emitter {i}"), files)?);
        }
        for (i, drain) in self.drain.iter().enumerate() {
            grains = grains.drain(drain.region(&format!("{of}, drain {i}"))?);
        }
        if let Some(capacity) = self.capacity {
            grains = grains.capacity(capacity as usize);
        }
        let grains = match self.dynamic_friction {
            Some(coefficient) => grains.dynamic_friction(coefficient),
            None => grains,
        };
        let grains = grains
            .named(self.name.clone())
            .radius(self.radius)
            .density(self.density)
            .friction(self.friction)
            .cohesion(self.cohesion)
            .mass_scaling(self.mass_scaling)
            .velocity(self.velocity)
            .linear_damping(self.linear_damping)
            .collide(self.collide)
            .filter(Filter::new(self.groups, self.mask));
        Ok(grains.into())
    }
}
