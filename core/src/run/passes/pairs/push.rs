//! Separating planes that move, for pairs with particles that are kinematic or are pushed along.
//!
//! A plane moves linearly in a substep, as particles do. So a particle that is on its side of the plane at both ends is
//! on that side at all times between. Ranks tell which particle makes way: rank 0 is kinematic or fixed, rank 1 was
//! pushed by rank 0, rank 2 by rank 1, and so on.

use crate::run::passes::colliders::moving::Moving;
use seidel_kernels::V3;

/// Positions of a pair's particles along the direction between its features, metres.
pub(super) struct Sides {
    /// How many particles the first feature has: they are in front, the others behind.
    pub(super) first: usize,
    pub(super) ranks: [u8; 4],
    /// Where the particles start.
    pub(super) front: [f64; 4],
    /// Where the plane starts, and the distance from it that all particles keep.
    pub(super) plane: f64,
    pub(super) clearance: f64,
}

impl Sides {
    /// The least rank.
    pub(super) fn least(&self) -> u8 {
        self.ranks.iter().fold(u8::MAX, |least, rank| least.min(*rank))
    }

    /// On which side of the plane a particle is: 1 in front, -1 behind.
    pub(super) fn side(&self, k: usize) -> f64 {
        if k < self.first { 1.0 } else { -1.0 }
    }

    /// How far a particle may move towards the place where the plane starts, metres.
    pub(super) fn room(&self, k: usize) -> f64 {
        (self.side(k) * (self.front[k] - self.plane) - self.clearance).max(0.0)
    }

    /// The side, 1 or -1, that has particles of the least rank, if only one side has.
    pub(super) fn pusher(&self) -> Option<f64> {
        let leads = |side: f64| (0..4).any(|k| self.side(k) == side && self.ranks[k] == self.least());
        match (leads(1.0), leads(-1.0)) {
            (true, false) => Some(1.0),
            (false, true) => Some(-1.0),
            _ => None,
        }
    }

    /// How far the plane moves, metres, if the particles end at `end`. A feature whose particles all have rank 0 takes
    /// the plane along. Otherwise the plane moves only as far as the particles of the least rank need. If these need
    /// contrary ways, it goes half way between both.
    pub(super) fn way(&self, end: [f64; 4]) -> f64 {
        let least = self.least();
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for k in (0..4).filter(|&k| self.ranks[k] == least) {
            let to = end[k] - self.side(k) * self.clearance - self.plane;
            if k < self.first && end[k] < self.front[k] {
                high = high.min(to);
            }
            if k >= self.first && end[k] > self.front[k] {
                low = low.max(to);
            }
        }
        if low > high {
            return 0.5 * (low + high);
        }
        let of = |from: usize, to: usize, side: f64| {
            let nearest = |x: [f64; 4]| (from..to).fold(f64::INFINITY, |least, k| least.min(side * x[k])) * side;
            (self.ranks[from..to].iter().all(|rank| *rank == 0)).then(|| nearest(end) - nearest(self.front))
        };
        let wanted = of(self.first, 4, -1.0).or_else(|| of(0, self.first, 1.0)).unwrap_or(0.0);
        wanted.max(low).min(high)
    }
}

/// The rigid motion in a substep of a collider, or of neighbouring fixed or kinematic particles: a translation, and a
/// rotation about their middle (Müller et al. 2007, section 3.5, without masses).
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    middle: V3<f64>,
    way: V3<f64>,
    /// Rows of the matrix from an arm to how far its end goes by the rotation.
    turn: [V3<f64>; 3],
}

/// Part of the trace cubed: a matrix with a smaller determinant belongs to points on a line.
const ON_A_LINE: f64 = 1e-9;

impl Field {
    /// The rigid motion of points [start, end], metres.
    pub(super) fn of(points: impl Iterator<Item = [V3<f64>; 2]> + Clone) -> Field {
        let zero = V3::new(0.0, 0.0, 0.0);
        let (mut count, mut middle, mut way) = (0.0, zero, zero);
        for [start, end] in points.clone() {
            (count, middle, way) = (count + 1.0, middle + start, way + (end - start));
        }
        let share = if count > 0.0 { 1.0 / count } else { 0.0 };
        (middle, way) = (middle * share, way * share);
        let (mut l, mut xx, mut yy, mut zz, mut xy, mut yz, mut zx) = (zero, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for [start, end] in points {
            let r = start - middle;
            l = l + r.cross((end - start) - way);
            (xx, yy, zz) = (xx + r.x * r.x, yy + r.y * r.y, zz + r.z * r.z);
            (xy, yz, zx) = (xy + r.x * r.y, yz + r.y * r.z, zx + r.z * r.x);
        }
        // I turn = l with the columns a, b, c of I, by Cramer's rule.
        let (a, b, c) = (V3::new(yy + zz, -xy, -zx), V3::new(-xy, zz + xx, -yz), V3::new(-zx, -yz, xx + yy));
        let (det, trace) = (a.dot(b.cross(c)), 2.0 * (xx + yy + zz));
        let turn = V3::new(l.dot(b.cross(c)), a.dot(l.cross(c)), a.dot(b.cross(l))) * (1.0 / det);
        let sound = det > ON_A_LINE * trace * trace * trace && turn.length_squared().is_finite();
        let V3 { x, y, z } = if sound { turn } else { zero };
        Field { middle, way, turn: [V3::new(0.0, -z, y), V3::new(z, 0.0, -x), V3::new(-y, x, 0.0)] }
    }

    /// That of a collider.
    pub(super) fn of_collider(moving: &Moving) -> Field {
        let (way, turn) = moving.way();
        let (wide, end) = (|v: [f32; 3]| v.map(f64::from), moving.frame().position);
        let way = wide(way);
        let middle: [f64; 3] = std::array::from_fn(|k| end[k] - way[k]);
        // Of an arm where the substep ends, `turn` says what it has gone: (1 - R0 R1^T) d. Of one where it begins that is
        // (R1 R0^T - 1) d.
        let row = |k: usize| V3::new(-f64::from(turn[0][k]), -f64::from(turn[1][k]), -f64::from(turn[2][k]));
        Field { middle: V3::set(middle), way: V3::set(way), turn: [row(0), row(1), row(2)] }
    }

    /// The displacement of a point that is at `x` when the substep starts, metres.
    pub(super) fn at(&self, x: V3<f64>) -> V3<f64> {
        let arm = x - self.middle;
        self.way + V3::new(self.turn[0].dot(arm), self.turn[1].dot(arm), self.turn[2].dot(arm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: u8 = u8::MAX;

    fn edges(ranks: [u8; 4]) -> Sides {
        Sides { first: 2, ranks, front: [1.0, 2.0, -1.0, -3.0], plane: 0.0, clearance: 0.1 }
    }

    #[test]
    fn a_plane_goes_with_what_is_fixed() {
        // Forwards and backwards with the foremost particle of the second feature.
        let fixed = edges([FREE, FREE, 0, 0]);
        assert_eq!(fixed.way([1.0, 2.0, 4.0, -3.0]), 5.0);
        assert_eq!(fixed.way([1.0, 2.0, -2.0, -4.0]), -1.0);
        // With the hindmost of the first.
        assert_eq!(edges([0, 0, FREE, FREE]).way([-1.0, 0.0, -1.0, -3.0]), -2.0);
        // One fixed particle of a feature that bends needs some of it only.
        assert_eq!(edges([FREE, FREE, FREE, 0]).way([1.0, 2.0, -1.0, 2.9]), 3.0);
        assert_eq!(edges([FREE, FREE, FREE, 0]).way([1.0, 2.0, -1.0, -1.0]), 0.0);
        // Kinematic vertices give way to fixed ones.
        assert_eq!(edges([1, 1, 0, 0]).way([-5.0, -5.0, -1.0, -3.0]), 0.0);
    }

    #[test]
    fn between_two_that_do_not_give_way_it_is_in_the_middle() {
        assert!((edges([0, 0, 0, 0]).way([-4.0, 2.0, 2.0, -3.0]) - -1.0).abs() < 1e-12);
        // The first flees as fast as the second comes.
        assert_eq!(edges([0, 0, 0, 0]).way([6.0, 7.0, 4.0, 2.0]), 5.0);
    }

    #[test]
    fn who_leads_and_how_far() {
        assert_eq!(edges([FREE, FREE, 0, FREE]).pusher(), Some(-1.0));
        assert_eq!(edges([1, FREE, 2, FREE]).pusher(), Some(1.0));
        assert_eq!(edges([1, FREE, 2, 1]).pusher(), None);
        let sides = edges([0, 0, FREE, FREE]);
        assert!((sides.room(0) - 0.9).abs() < 1e-12 && (sides.room(3) - 2.9).abs() < 1e-12);
    }

    #[test]
    fn a_field_goes_on_as_a_rigid_body_does() {
        let at = |x: f64, y: f64, z: f64| V3::new(x, y, z);
        let (turn, way) = (at(0.01, -0.02, 0.005), at(0.3, -0.1, 0.2));
        let points = [at(1.0, 2.0, 3.0), at(1.5, 2.0, 3.0), at(1.0, 2.7, 3.1), at(0.9, 2.1, 3.4)];
        let end = |x: V3<f64>| x + way + turn.cross(x - points[0]);
        let field = Field::of(points.iter().map(|x| [*x, end(*x)]));
        let far = at(-3.0, 0.5, 7.0);
        assert!((field.at(far) - (end(far) - far)).length() < 1e-12);
        // Of one point, and of points on a line, only the translation is known.
        for few in [&points[..1], &points[..2]] {
            let field = Field::of(few.iter().map(|x| [*x, *x + way]));
            assert!((field.at(far) - way).length() < 1e-12);
        }
        assert_eq!(Field::of(points[..0].iter().map(|x| [*x, *x])).at(far).length(), 0.0);
    }
}
