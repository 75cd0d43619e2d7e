//! Deepest points of triangles beside dense samples, in shapes that are not convex.

use super::bends::{Bend, UNKNOWN, lower};
use super::deepest::{Enough, deepest, weighted};
use super::signed::SignedDistance;
use super::{Form, SdfGrid, Torus};
use crate::V3;

type P = V3<f64>;

/// Metres: how near the deepest point is to be known, and what counts as near enough for a sheet of 2 mm.
const GAP: f64 = 1e-6;
const NEAR: f64 = 5e-5;

pub(super) struct Random(pub(super) u32);

impl Random {
    /// -1..1
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / 8_388_608.0 - 1.0
    }

    pub(super) fn point(&mut self) -> P {
        V3::new(self.next(), self.next(), self.next())
    }
}

/// The least distance over a triangle: of samples, and of ever denser ones about the lowest.
pub(super) fn sampled<D: SignedDistance>(shape: &D, x: &[P; 3]) -> f64 {
    const PARTS: i32 = 80;
    let of = |s: f64, t: f64| shape.distance(weighted(x, [1.0 - s - t, s, t])).0;
    let (mut least, mut at, mut part) = (f64::INFINITY, [0.0; 2], 1.0 / f64::from(PARTS));
    for i in 0..=PARTS {
        for j in 0..=PARTS - i {
            let [s, t] = [f64::from(i) * part, f64::from(j) * part];
            let value = of(s, t);
            if value < least {
                (least, at) = (value, [s, t]);
            }
        }
    }
    for _ in 0..8 {
        part *= 0.3;
        let [s0, t0] = at;
        for (i, j) in (-6..=6).flat_map(|i| (-6..=6).map(move |j| (i, j))) {
            let [s, t] = [s0 + f64::from(i) * part, t0 + f64::from(j) * part];
            if s >= 0.0 && t >= 0.0 && s + t <= 1.0 && of(s, t) < least {
                (least, at) = (of(s, t), [s, t]);
            }
        }
    }
    least
}

/// A triangle about a place near the surface, its edges about so long.
pub(super) fn triangle<D: SignedDistance>(shape: &D, random: &mut Random, (far, size): (P, f64)) -> Option<[P; 3]> {
    let r = random.point();
    let mut at = V3::new(r.x * far.x, r.y * far.y, r.z * far.z);
    for _ in 0..4 {
        let (value, normal, steep) = shape.graded(at);
        at = at - normal * (value / steep.max(0.5));
    }
    if shape.distance(at).0.abs() > 0.1 * size {
        return None;
    }
    // Along the surface, for the most part.
    let normal = shape.distance(at).1;
    Some([(); 3].map(|()| {
        let d = random.point();
        at + (d - normal * (d.dot(normal) * 0.8)) * size
    }))
}

/// Of how many triangles bounds from one point were known, too.
fn check<D: SignedDistance + std::fmt::Debug>(name: &str, shape: &D, far: P, sizes: [f64; 2], near: f64) -> usize {
    let mut random = Random(5);
    let (mut checked, mut bent) = (0, 0);
    while checked < 400 {
        let size = sizes[0] + (sizes[1] - sizes[0]) * (0.5 + 0.5 * random.next());
        let Some(x) = triangle(shape, &mut random, (far, size)) else { continue };
        checked += 1;
        let least = sampled(shape, &x);
        let exact = Enough { free: f64::INFINITY, gap: near, share: 0.0 };
        let found = deepest(shape, x, [0.2, 0.3, 0.5], exact);
        let at = weighted(&x, found.weights);
        let off = (at - found.at).length();
        assert!(shape.distance(found.at).0 == found.value && off < 0.1 * near, "{name}: {found:?} is not there, {x:?}");
        assert!(found.weights.iter().all(|&w| w >= -1e-9), "{name}: {found:?} is outside of {x:?}");
        assert!(found.value <= least + 1.2 * near, "{name}: {} is not as deep as {least}, {x:?}", found.value);
        // It may be another low point, deeper than those that samples have led to.
        let least = least.min(found.value);
        assert!(found.bound <= least + 0.1 * near, "{name}: nothing is below {}, but {least} is, {x:?}", found.bound);
        // What is free is said to be, and nothing else.
        for free in [least - 3.0 * near, least + 3.0 * near] {
            let found = deepest(shape, x, [0.2, 0.3, 0.5], Enough { free, gap: near, share: f64::INFINITY });
            assert_eq!(found.value < free, least < free, "{name}: {} beside {least}, {x:?}", found.value);
        }
        // Bounds from one point.
        let middle = (x[0] + x[1] + x[2]) * (1.0 / 3.0);
        let reach = x.map(|x| (x - middle).length()).into_iter().fold(0.0, f64::max);
        assert!(shape.least(shape.distance(middle).0, reach) <= least + 1e-9, "{name}: within {reach} of {middle:?}");
        let bend: Bend<f64> = shape.about(middle, reach);
        if bend.falls < UNKNOWN {
            bent += 1;
            for at in [middle, x[0], x[1], x[2]] {
                let (value, normal, steep) = shape.graded(at);
                let low = lower(&x, at, (value, normal * steep), &bend);
                assert!(low <= least + 1e-7, "{name}: {low} is above {least}, from {at:?} in {x:?}, {bend:?}");
            }
        }
    }
    bent
}

#[test]
fn a_ring_is_known_to_a_micrometre() {
    let ring = |ring, tube| Torus { ring, tube };
    let known = [
        check("ring", &ring(0.18, 0.05), V3::new(0.25, 0.06, 0.25), [0.005, 0.06], GAP),
        check("wide ring", &ring(0.65, 0.05), V3::new(0.7, 0.06, 0.7), [0.02, 0.2], GAP),
        check("hole", &ring(0.11, 0.1), V3::new(0.1, 0.1, 0.1), [0.002, 0.1], GAP),
    ];
    assert!(known.iter().all(|&known| known > 100), "{known:?}");
}

/// Two balls that touch, with dents: creases of both signs, and cells in which it bends.
pub(super) fn balls(nodes: u32, cell: f32) -> Vec<[f32; 2]> {
    let mut random = Random(9);
    let n = nodes as usize;
    let at = |i: usize| (i as f32 - 0.5 * (nodes - 1) as f32) * cell;
    let mut values = Vec::new();
    for (k, j, i) in (0..n).flat_map(|k| (0..n).flat_map(move |j| (0..n).map(move |i| (k, j, i)))) {
        let ball = |x: f32| ((at(i) - x) * (at(i) - x) + at(j) * at(j) + at(k) * at(k)).sqrt() - 0.11;
        let noise = random.next() as f32 * 0.02 * cell;
        values.push(ball(-0.08).min(ball(0.08)) + noise);
    }
    let above = |at: usize| if at / n % n + 1 < n { at + n } else { at };
    (0..values.len()).map(|at| [values[at], values[above(at)]]).collect()
}

#[test]
fn a_field_is_known_to_part_of_the_thickness() {
    let (nodes, cell) = (30, 0.02f32);
    let pairs = balls(nodes, cell);
    // How they bend is tested where that is worked out.
    let bends = vec![[u16::MAX; 3]; pairs.len()];
    let low = [-0.5 * (nodes - 1) as f32 * cell; 3];
    for (name, form) in [("solid", Form::Solid), ("shell", Form::Shell(0.004)), ("container", Form::Container)] {
        let grid = SdfGrid::new((&pairs, &bends), [nodes; 3], low, cell, 1.9, form);
        check(name, &grid, V3::new(0.2, 0.12, 0.12), [0.005, 0.06], NEAR);
    }
    // Over its border, too.
    let low = [-0.5 * (nodes - 1) as f32 * cell; 3];
    let grid = SdfGrid::new((&pairs, &bends), [nodes; 3], low, cell, 1.9, Form::Solid);
    let x = [V3::new(0.4, 0.0, 0.0), V3::new(0.0, 0.4, 0.01), V3::new(0.0, -0.4, 0.4)];
    let found = deepest(&grid, x, [1.0, 0.0, 0.0], Enough { free: f64::INFINITY, gap: GAP, share: 0.0 });
    assert!((found.value - sampled(&grid, &x)).abs() < 2.0 * NEAR, "{found:?}");
}
