//! Motion bounds of clusters.

use seidel_kernels::contact::pairs::Reaches;
use seidel_kernels::{Lanes, Pack};

/// The motion bound of a cluster in a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MotionBound {
    /// The middle of the box around its particles' displacements, metres.
    pub(crate) mean: [f32; 3],
    /// No particle's displacement differs from `mean` by more, metres.
    radius: f32,
    /// The translation and rotation that fit the displacements, and a bound on the difference.
    turning: Turning,
    /// Unit vector along which the cluster is thinnest at the start of the substep; zero if there is none.
    normal: [f32; 3],
    /// The box around the paths of all its particles, metres. `low` is above `high` if no particle has a finite position.
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
    /// Whether a particle has a finite position, and whether one is fixed.
    pub(crate) somewhere: bool,
    pub(crate) fixed: bool,
}

/// |displacement(x) - (shift + turn cross (x - middle))| <= left, for |x - middle| <= extent. Metres; `turn` in radians.
#[derive(Clone, Copy, Debug, Default)]
struct Turning {
    middle: [f32; 3],
    shift: [f32; 3],
    turn: [f32; 3],
    extent: f32,
    left: f32,
}

/// Allowances for f32 rounding: a factor on sums, and a part of the terms that cancel in them.
const OUTWARDS: f32 = 1.0 + 1e-5;
const CANCELS: f32 = 1e-6;

fn length(a: [f32; 3]) -> f32 {
    ((a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]).sqrt()
}

fn less(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl MotionBound {
    /// Fills the bound with NaN, which nobody may read.
    pub(crate) fn poison(&mut self) {
        let (nowhere, left) = ([f32::NAN; 3], f32::NAN);
        let turning = Turning { middle: nowhere, shift: nowhere, turn: nowhere, extent: left, left };
        *self = MotionBound {
            mean: nowhere,
            radius: left,
            turning,
            normal: nowhere,
            low: nowhere,
            high: nowhere,
            somewhere: true,
            fixed: true,
        };
    }

    /// Sets the bound from a lane of `reaches`.
    pub(crate) fn set(&mut self, reaches: &Reaches, lane: usize) {
        let of = |packs: &[Pack<f32>; 3]| -> [f32; 3] { std::array::from_fn(|k| packs[k].0[lane]) };
        let (least, most) = (of(&reaches.least), of(&reaches.most));
        let half: [f32; 3] = std::array::from_fn(|k| (most[k] - least[k]) * 0.5);
        self.mean = std::array::from_fn(|k| (most[k] + least[k]) * 0.5);
        self.radius = length(half) * OUTWARDS;
        (self.low, self.high) = (of(&reaches.low), of(&reaches.high));
        self.fixed = reaches.lightest.0[lane] <= 0.0;
        self.somewhere = least[0] <= most[0];
        let (middle, shift, turn) = (of(&reaches.middle), of(&reaches.shift), of(&reaches.turn));
        let (extent, left) = (reaches.extent.0[lane], reaches.left.0[lane]);
        self.turning = Turning { middle, shift, turn, extent, left };
        self.normal = of(&reaches.normal);
        if !self.somewhere {
            (self.mean, self.radius, self.turning) = ([0.0; 3], 0.0, Turning::default());
        } else if !(length(middle) + length(shift)).is_finite() {
            // The fit is not finite: a particle has no finite position.
            self.turning = Turning { left: f32::INFINITY, ..Turning::default() };
        }
    }

    /// A bound on how much nearer particles of two clusters come to each other in this substep, metres.
    pub(crate) fn travel(&self, other: &MotionBound) -> f32 {
        let shifted = (length(less(self.mean, other.mean)) + (self.radius + other.radius)) * OUTWARDS;
        Lanes::smaller(shifted, self.turning.beside(&other.turning))
    }

    /// Unit vectors along which two clusters may be apart: the normal of each, and the direction from one middle to the other.
    pub(crate) fn across(&self, other: &MotionBound) -> [[f32; 3]; 3] {
        let off = less(self.turning.middle, other.turning.middle);
        let share = 1.0 / length(off);
        [self.normal, other.normal, off.map(|off| off * share)]
    }

    /// Two clusters that turn by t1 and t2 (radians) in a substep, and back, shrink distances by a share of less than
    /// |t1|^2 + |t2|^2. Returns this sum.
    pub(crate) fn turned(&self, other: &MotionBound) -> f32 {
        let squared = |t: &Turning| length(t.turn) * length(t.turn);
        squared(&self.turning) + squared(&other.turning)
    }

    /// A bound on how far one of its particles moves in this substep, relative to a motion by `way`, metres.
    pub(crate) fn from(&self, way: [f32; 3]) -> f32 {
        (length(less(self.mean, way)) + self.radius) * OUTWARDS
    }
}

impl Turning {
    /// A bound on how much nearer two clusters come to each other, metres. For a particle p of the first and q of the second:
    ///
    /// ```text
    ///   way(p) - way(q) = e + turn2 cross (p - q),  |(p - q) + turn2 cross (p - q)| >= |p - q|
    ///   e = (shift1 - shift2) - turn2 cross (middle1 - middle2) + (turn1 - turn2) cross (p - middle1) + what is left
    /// ```
    fn beside(&self, other: &Turning) -> f32 {
        let (off, shift) = (less(self.middle, other.middle), less(self.shift, other.shift));
        let twist = length(less(self.turn, other.turn));
        let first = length(less(shift, cross(other.turn, off))) + twist * self.extent;
        let second = length(less(shift, cross(self.turn, off))) + twist * other.extent;
        let cancels =
            (length(self.shift) + length(other.shift)) + (length(self.turn) + length(other.turn)) * length(off);
        let e = Lanes::smaller(first, second) + (self.left + other.left);
        let e = e * OUTWARDS + cancels * CANCELS;
        // An overflow gives no bound.
        if e.is_nan() { f32::INFINITY } else { e }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use seidel_kernels::contact::pairs::{Ends, Group};
    use seidel_kernels::{Isa, Row, Shared};

    /// Two groups of eight particles each.
    fn bounds(start: &mut [Row], end: &mut [Row]) -> [MotionBound; 2] {
        let rows: Vec<u32> = (0..16).collect();
        let group = Group::new(&[&rows[..8], &rows[8..]]);
        let ends = Ends { start: Shared::new(start), end: Shared::new(end) };
        let mut bounds = [MotionBound::default(); 2];
        // SAFETY: nobody else is at work.
        let reaches = unsafe { group.look(Isa::detect(), ends) };
        bounds.iter_mut().enumerate().for_each(|(lane, bound)| bound.set(&reaches, lane));
        bounds
    }

    fn distance(a: Row, b: Row) -> f64 {
        (0..3).map(|k| (f64::from(a[k]) - f64::from(b[k])).powi(2)).sum::<f64>().sqrt()
    }

    fn turned(p: [f32; 3], angle: f32, by: [f32; 3]) -> Row {
        let (s, c) = angle.sin_cos();
        [p[0] * c - p[1] * s + by[0], p[0] * s + p[1] * c + by[1], p[2] + by[2], 1.0]
    }

    proptest! {
        #[test]
        fn no_two_come_nearer_than_they_travel(
            x in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 16),
            noise in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 16),
            (angle, jitter, by, far) in (-1.0f32..1.0, 0.0f32..0.1, prop::array::uniform3(-1.0f32..1.0), 0.0f32..1000.0),
        ) {
            let mut start: Vec<Row> = x.iter().map(|p| [p[0] + far, p[1], p[2], 1.0]).collect();
            let mut end: Vec<Row> = x.iter().zip(&noise).map(|(&p, n)| {
                let q = turned(p, angle, by);
                [q[0] + far + n[0] * jitter, q[1] + n[1] * jitter, q[2] + n[2] * jitter, 1.0]
            }).collect();
            let [a, b] = bounds(&mut start, &mut end);
            let travel = f64::from(a.travel(&b));
            let (round, back) = (4e-7 * f64::from(1.0 + far), f64::from(a.turned(&b)));
            for i in 0..8 {
                for j in 8..16 {
                    let (from, to) = (distance(start[i], start[j]), distance(end[i], end[j]));
                    prop_assert!(to >= from - travel - round, "{from} {to} {travel}");
                    // And back.
                    prop_assert!(from >= to - travel - back * to - round, "{from} {to} {travel} {back}");
                }
            }
        }
    }

    #[test]
    fn what_turns_together_stays_as_it_is() {
        let x: Vec<[f32; 3]> =
            (0..16).map(|i| [(i % 4) as f32 * 0.1, (i / 4 % 4) as f32 * 0.1, (i % 3) as f32 * 0.02]).collect();
        let mut start: Vec<Row> = x.iter().map(|&p| turned(p, 0.0, [0.0; 3])).collect();
        let mut end: Vec<Row> = x.iter().map(|&p| turned(p, 0.02, [0.3, 0.0, 0.1])).collect();
        let [a, b] = bounds(&mut start, &mut end);
        // The chord of 0.02 rad, and the regularisation's thousandth, of 0.3 m; particles go 6 mm against each other.
        assert!(a.travel(&b) < 4e-4, "{}", a.travel(&b));
    }

    /// A displacement that is infinite, or whose square overflows f32, affects only its own particle. Its neighbours' bounds are
    /// those of their own motion.
    #[test]
    fn what_flies_off_takes_no_cluster_with_it() {
        let mut start: Vec<Row> = (0..16).map(|i| [i as f32, 0.0, 0.0, 1.0]).collect();
        for far in [f32::INFINITY, 1e38, -1e30] {
            let mut end = start.clone();
            end[2] = [far, far, 0.0, 1.0];
            end[3][1] = 2.0;
            let [a, b] = bounds(&mut start, &mut end);
            assert_eq!((a.low, a.high), ([0.0; 3], [7.0, 2.0, 0.0]), "{far}");
            assert!(a.somewhere && a.from([0.0; 3]) < 2.1, "{far}: {a:?}");
            assert!(a.travel(&b) < 2.1, "{far}: {}", a.travel(&b));
        }
    }

    #[test]
    fn what_is_nowhere_is_no_reason_to_rest() {
        let mut start: Vec<Row> = (0..16).map(|i| [i as f32, 0.0, 0.0, 1.0]).collect();
        let mut end = start.clone();
        end[3][1] = 2.0;
        start[0][0] = f32::NAN;
        let [a, b] = bounds(&mut start, &mut end);
        assert!(a.travel(&b) >= 2.0);
    }
}
