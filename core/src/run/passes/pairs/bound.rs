//! ClusterMotion bounds of clusters.

use seidel_kernels::contact::pairs::{ClusterMotion, Reaches};
use seidel_kernels::tuning::MAX_POSITION;
use seidel_kernels::{Pack, Row};

/// The motion bound of a cluster in a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MotionBound {
    /// Unit vector along which the cluster is thinnest at the start of the substep; zero if there is none.
    normal: [f32; 3],
    /// The box around the paths of all its particles, metres. `low` is above `high` if no particle has a finite
    /// position.
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
    /// Whether a particle has a finite position, and whether one is fixed.
    pub(crate) somewhere: bool,
    pub(crate) fixed: bool,
}

/// Allowance for f32 rounding: a factor on sums.
const OUTWARDS: f32 = 1.0 + 1e-5;

fn length(a: [f32; 3]) -> f32 {
    ((a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]).sqrt()
}

fn less(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn xyz([x, y, z, _]: Row) -> [f32; 3] {
    [x, y, z]
}

impl MotionBound {
    /// Fills the bound with NaN, which nobody may read.
    pub(crate) fn poison(&mut self) {
        let nowhere = [f32::NAN; 3];
        *self = MotionBound { normal: nowhere, low: nowhere, high: nowhere, somewhere: true, fixed: true };
    }

    /// Of a cluster whose body is disabled: no particle of it is anywhere.
    pub(crate) fn nowhere() -> (MotionBound, ClusterMotion) {
        let (low, high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let bound = MotionBound { normal: [0.0; 3], low, high, somewhere: false, fixed: false };
        (bound, ClusterMotion::default())
    }

    /// Whether a particle is so far away that it counts as lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.low.iter().chain(&self.high).any(|c| c.abs() > MAX_POSITION as f32)
    }

    /// The bound, and the motion, from a lane of `reaches`.
    pub(crate) fn of(reaches: &Reaches, lane: usize) -> (MotionBound, ClusterMotion) {
        let of = |packs: &[Pack<f32>; 3]| -> [f32; 3] { std::array::from_fn(|k| packs[k].0[lane]) };
        let (least, most) = (of(&reaches.least), of(&reaches.most));
        let row = |[x, y, z]: [f32; 3], w: f32| [x, y, z, w];
        let half: [f32; 3] = std::array::from_fn(|k| (most[k] - least[k]) * 0.5);
        let mean = std::array::from_fn(|k| (most[k] + least[k]) * 0.5);
        let (middle, shift) = (of(&reaches.middle), of(&reaches.shift));
        let mut motion = ClusterMotion {
            mean: row(mean, length(half) * OUTWARDS),
            middle: row(middle, reaches.extent.0[lane]),
            shift: row(shift, reaches.left.0[lane]),
            turn: row(of(&reaches.turn), 0.0),
        };
        let somewhere = least[0] <= most[0];
        if !somewhere {
            motion = ClusterMotion::default();
        } else if !(length(middle) + length(shift)).is_finite() {
            // The fit is not finite: a particle has no finite position.
            let nothing = [0.0, 0.0, 0.0, f32::INFINITY];
            motion = ClusterMotion { middle: [0.0; 4], shift: nothing, turn: [0.0; 4], ..motion };
        }
        let bound = MotionBound {
            normal: of(&reaches.normal),
            low: of(&reaches.low),
            high: of(&reaches.high),
            somewhere,
            fixed: reaches.lightest.0[lane] <= 0.0,
        };
        (bound, motion)
    }
}

/// Unit vectors along which two clusters may be apart: the normal of each, and the direction from one middle to the
/// other.
pub(crate) fn across([a, b]: [&MotionBound; 2], [first, second]: [&ClusterMotion; 2]) -> [[f32; 3]; 3] {
    let off = less(xyz(first.middle), xyz(second.middle));
    let share = 1.0 / length(off);
    [a.normal, b.normal, off.map(|off| off * share)]
}

/// Two clusters that turn by t1 and t2 (radians) in a substep, and back, shrink distances by a share of less
/// than |t1|^2 + |t2|^2. Returns this sum.
pub(crate) fn turned(a: &ClusterMotion, b: &ClusterMotion) -> f32 {
    let squared = |of: &ClusterMotion| length(xyz(of.turn)) * length(xyz(of.turn));
    squared(a) + squared(b)
}

/// A bound on how far a particle of a cluster moves in this substep, relative to a motion by `way`, metres.
pub(crate) fn beside(motion: &ClusterMotion, way: [f32; 3]) -> f32 {
    (length(less(xyz(motion.mean), way)) + motion.mean[3]) * OUTWARDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use seidel_kernels::contact::pairs::{Ends, Group};
    use seidel_kernels::{Isa, Shared};

    /// Two groups of eight particles each.
    fn bounds(start: &mut [Row], end: &mut [Row]) -> [(MotionBound, ClusterMotion); 2] {
        let rows: Vec<u32> = (0..16).collect();
        let group = Group::new(&[&rows[..8], &rows[8..]]);
        let ends = Ends { start: Shared::new(start), end: Shared::new(end) };
        // SAFETY: this test is one thread, and `ends` is of arrays that it borrows.
        let reaches = unsafe { group.look(Isa::detect(), ends) };
        [0, 1].map(|lane| MotionBound::of(&reaches, lane))
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
            let [(_, a), (_, b)] = bounds(&mut start, &mut end);
            let travel = f64::from(a.travel(&b));
            let (round, back) = (4e-7 * f64::from(1.0 + far), f64::from(super::turned(&a, &b)));
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
        let [(_, a), (_, b)] = bounds(&mut start, &mut end);
        // The chord of 0.02 rad, and the regularisation's thousandth, of 0.3 m; particles go 6 mm against each other.
        assert!(a.travel(&b) < 4e-4, "{}", a.travel(&b));
    }

    /// A displacement that is infinite, or whose square overflows f32, affects only its own particle. Its neighbours'
    /// bounds are those of their own motion.
    #[test]
    fn what_flies_off_takes_no_cluster_with_it() {
        let mut start: Vec<Row> = (0..16).map(|i| [i as f32, 0.0, 0.0, 1.0]).collect();
        for far in [f32::INFINITY, 1e38, -1e30] {
            let mut end = start.clone();
            end[2] = [far, far, 0.0, 1.0];
            end[3][1] = 2.0;
            let [(at, a), (_, b)] = bounds(&mut start, &mut end);
            assert_eq!((at.low, at.high), ([0.0; 3], [7.0, 2.0, 0.0]), "{far}");
            assert!(at.somewhere && beside(&a, [0.0; 3]) < 2.1, "{far}: {a:?}");
            assert!(a.travel(&b) < 2.1, "{far}: {}", a.travel(&b));
        }
    }

    #[test]
    fn what_is_nowhere_is_no_reason_to_rest() {
        let mut start: Vec<Row> = (0..16).map(|i| [i as f32, 0.0, 0.0, 1.0]).collect();
        let mut end = start.clone();
        end[3][1] = 2.0;
        start[0][0] = f32::NAN;
        let [(_, a), (_, b)] = bounds(&mut start, &mut end);
        assert!(a.travel(&b) >= 2.0);
    }
}
