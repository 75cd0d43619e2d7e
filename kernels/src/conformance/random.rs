//! Random numbers, points, rotations and parameters of rows.

use crate::{Kind, Quat, V3};

/// splitmix64 (Steele, Lea, Flood 2014): the same cases on every machine.
#[derive(Clone, Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Random positions of a row's points.
pub(super) fn shape(kind: &Kind, random: &mut Random) -> Vec<[f32; 3]> {
    (0..kind.slots()).map(|_| std::array::from_fn(|_| random.unit() as f32)).collect()
}

/// A random rotation, [x, y, z, w].
pub(super) fn rotation(random: &mut Random) -> [f64; 4] {
    loop {
        let q: [f64; 4] = std::array::from_fn(|_| random.unit());
        let square: f64 = q.iter().map(|c| c * c).sum();
        if (0.1..=1.0).contains(&square) {
            return q.map(|c| c / square.sqrt());
        }
    }
}

/// Random parameters of a row: those of another random shape.
pub(super) fn rest(kind: &Kind, random: &mut Random, rest: &mut [f32]) {
    let (x, q) = pose(kind, random, 1.0);
    let _ = kind.at_rest_framed(&x.map_f32(), &q.map_f32(), rest);
}

pub(super) trait MapF32<const N: usize> {
    fn map_f32(&self) -> Vec<[f32; N]>;
}

impl<const N: usize> MapF32<N> for Vec<[f64; N]> {
    fn map_f32(&self) -> Vec<[f32; N]> {
        self.iter().map(|row| row.map(|c| c as f32)).collect()
    }
}

/// Points along the first frame's third axis, and frames turned from the first; both by up to `off`.
pub(super) fn pose(kind: &Kind, random: &mut Random, off: f64) -> (Vec<[f64; 3]>, Vec<[f64; 4]>) {
    let first = Quat::<f64>::set(rotation(random));
    let any = |random: &mut Random| V3::<f64>::set(std::array::from_fn(|_| random.unit() * off));
    let mut frames = vec![first];
    for _ in 1..kind.slots() - kind.points() {
        let by = Quat::exp(any(random));
        frames.push(first.times(by).normalised());
    }
    let mut at = V3::set(std::array::from_fn(|_| random.unit()));
    let mut points = Vec::new();
    for _ in 0..kind.points() {
        points.push(at);
        at = at + first.axes()[2] * (0.6 + 0.4 * random.unit()) + any(random);
    }
    (points.iter().map(|p| [p.x, p.y, p.z]).collect(), frames.iter().map(|q| [q.v.x, q.v.y, q.v.z, q.w]).collect())
}
