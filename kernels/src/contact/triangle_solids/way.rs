//! Where the way of one triangle meets a shape, in f64.

use super::contacts::TOLD;
use crate::V3;
use crate::contact::deepest::pair::CutPair;
use crate::contact::deepest::{Deepest, Enough, deepest, surely_deepest, weighted};
use crate::contact::resting;
use crate::contact::signed::SignedDistance;

/// Steps along the way of a triangle, at most.
const STEPS: usize = 64;

/// Part of the girth that a step along a way is at least: what it overtakes is shallow. On a way that would take more
/// than `STEPS` of these, steps are longer, up to `LONGEST_STEP`: what slides on a thin shape is not stopped, and
/// nothing of twice the girth is passed over.
const LEAST_STEP: f64 = 1.0 / 64.0;
const LONGEST_STEP: f64 = 0.5;

/// Length of a way out, at least: a push out of a sharp crease is so many times as long as it is deep.
pub(super) const FLATTEST: f64 = 0.25;

type P = V3<f64>;

/// A triangle on its way, in the shape's own frame, and where its contact is held to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub(super) weights: [f64; 3],
    pub(super) c: f64,
    /// In the shape's frame.
    pub(super) n: P,
    /// How far above the level all points are, where that is known: metres of the distance.
    pub(super) above: f64,
}

/// A triangle between two places.
fn between(a: &[P; 3], b: &[P; 3], s: f64) -> [P; 3] {
    [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s]
}

impl Contact {
    /// Of a deepest point: how far above a level, along the way out. What is above counts as far as that is sure.
    pub(super) fn of(found: &Deepest, level: f64) -> Contact {
        let steep = found.normal.length().max(FLATTEST);
        let above = (found.bound - level).max(0.0).min(found.value - level);
        Contact { weights: found.weights, c: above / steep, n: found.normal * (1.0 / steep), above }
    }
}

/// A low point of a triangle where it ends, and the least distance of all of its points where that is near enough.
#[derive(Clone, Copy)]
pub(super) struct Low {
    pub(super) weights: [f64; 3],
    pub(super) bound: Option<f64>,
    /// Two cuts that say so, of a convex shape.
    pub(super) pair: Option<CutPair<f64>>,
}

impl Low {
    /// A low point.
    pub(super) fn of(weights: [f64; 3]) -> Low {
        Low { weights, bound: None, pair: None }
    }
}

/// How near is near enough, metres.
#[derive(Clone, Copy)]
pub(super) struct Tolerance {
    /// By how much a triangle is kept farther off than its thickness, because its deepest point is known to half of
    /// that only.
    pub(super) slack: f64,
    /// What counts as touching, and rounding.
    pub(super) gap: f64,
    /// Whether a search that ends early goes on by pieces, and each way is followed to its end. Rigid bodies and cloth
    /// ask for neither (docs/decisions/rigid-coupling.md).
    pub(super) surely: bool,
}

impl Tolerance {
    /// The deepest point of a triangle.
    pub(super) fn deepest<D: SignedDistance>(self, shape: &D, x: [P; 3], begin: [f64; 3], enough: Enough) -> Deepest {
        if self.surely { surely_deepest(shape, x, begin, enough) } else { deepest(shape, x, begin, enough) }
    }

    /// For the deepest point of what is to be `level` away.
    pub(super) fn enough(self, level: f64) -> Enough {
        Enough { free: level - self.gap, gap: 0.5 * (self.slack + self.gap), share: f64::INFINITY }
    }
}

/// The contact of a way from `a` to `b`, to be `level` away.
pub(super) fn touch<D: SignedDistance>(
    shape: &D,
    a: &[P; 3],
    b: &[P; 3],
    low: Low,
    level: f64,
    near: Tolerance,
) -> Contact {
    let girth = f64::from(shape.girth());
    let way = longest(a, b);
    let long = way > 0.5 * girth;
    if let Some(met) = long.then(|| advance(shape, a, b, way, low.weights, level, near)).flatten() {
        return met;
    }
    let found = match low.bound {
        Some(bound) => {
            let at = weighted(b, low.weights);
            let (value, normal, _) = shape.graded(at);
            // Where both cuts are in balance.
            let normal = low.pair.map_or(normal, |pair| pair.gradient());
            Deepest { weights: low.weights, at, value, bound: bound.min(value), normal, plane: f64::NEG_INFINITY }
        }
        None => near.deepest(shape, *b, low.weights, near.enough(level)),
    };
    Contact::of(&found, level)
}

/// Follows a triangle that begins outside: where it arrives, or that it is free to its end.
#[inline(never)]
fn advance<D: SignedDistance>(
    shape: &D,
    a: &[P; 3],
    b: &[P; 3],
    way: f64,
    mut begin: [f64; 3],
    mut level: f64,
    near: Tolerance,
) -> Option<Contact> {
    let (slope, girth) = (f64::from(shape.slope()), f64::from(shape.girth()));
    let ways = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let tolerance = near;
    let near = (near.gap + 0.25 * near.slack) + (way + f64::from(shape.bound())) * 2e-6;
    let mut s = 0.0;
    for step in 0..=STEPS {
        let x = between(a, b, s);
        let found = tolerance.deepest(shape, x, begin, Enough { free: level, gap: 0.5 * near, share: 0.5 });
        begin = found.weights;
        if step == 0 && found.value - level < -resting(found.at, level).max(f64::from(shape.skin())) {
            // Pressed, but as good as outside: it comes no nearer than it is.
            level = found.bound.min(found.value);
            if !tolerance.surely || level <= -TOLD * girth || level.is_nan() {
                return None;
            }
        }
        let above = found.value - level;
        let end = weighted(b, found.weights);
        let steep = found.normal.length().max(FLATTEST);
        let n = found.normal * (1.0 / steep);
        let c = above / steep + (end - found.at).dot(n);
        // A triangle that hardly sinks there may do so later on its way.
        let sinks = if tolerance.surely { -tolerance.gap } else { 0.0 };
        if above <= near && c < sinks {
            return Some(Contact { weights: found.weights, c, n, above: f64::NEG_INFINITY });
        }
        if step == STEPS {
            // Neither arrived nor free: it ends where it is.
            let back = found.at - end;
            let length = back.length();
            return (length > 0.0).then(|| Contact {
                weights: found.weights,
                c: -length,
                n: back * (1.0 / length),
                above: f64::NEG_INFINITY,
            });
        }
        let sure = found.bound.min(found.value) - level;
        let even = (1.0 - s) * way / (STEPS - step) as f64;
        let longest = if tolerance.surely { LONGEST_STEP } else { LEAST_STEP };
        let least = even.clamp(LEAST_STEP * girth, longest * girth);
        let planar = if tolerance.surely && shape.convex() { found.above_until(&x, &ways, level - near) } else { 0.0 };
        s += ((sure / slope).max(least) / way).max(planar);
        if s >= 1.0 {
            return None;
        }
    }
    None
}

/// Whether a triangle that ends behind a shape has gone through it: where it arrives, a plane keeps it from more of its
/// way than the girth. Corners that were pushed unequally swing a large triangle past the plane that holds it.
pub(super) fn goes_through<D: SignedDistance>(shape: &D, a: &[P; 3], b: &[P; 3], level: f64, near: Tolerance) -> bool {
    let (girth, way) = (f64::from(shape.girth()), longest(a, b));
    way > 2.0 * girth && advance(shape, a, b, way, [1.0 / 3.0; 3], level, near).is_some_and(|met| met.c < -girth)
}

/// The longest way of a corner.
fn longest(a: &[P; 3], b: &[P; 3]) -> f64 {
    (0..3).map(|k| (b[k] - a[k]).length()).fold(0.0, f64::max)
}

/// How much of its way from `a` to `b`, of at most 1, a triangle surely stays `level` outside; it begins so.
pub(super) fn outside<D: SignedDistance>(shape: &D, a: &[P; 3], b: &[P; 3], level: f64, near: f64) -> f64 {
    let ways = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let way = ways.into_iter().map(P::length).fold(0.0, f64::max);
    let enough = Enough { free: level, gap: 0.5 * near, share: 0.5 };
    let (mut begin, mut s) = ([1.0 / 3.0; 3], 0.0);
    for _ in 0..STEPS {
        let x = between(a, b, s);
        let found = surely_deepest(shape, x, begin, enough);
        begin = found.weights;
        let sure = found.bound.min(found.value) - level;
        let planar = if shape.convex() { found.above_until(&x, &ways, level - near) } else { 0.0 };
        let step = (sure / (f64::from(shape.slope()) * way)).max(planar);
        if sure <= near && planar * way <= near {
            break;
        }
        s += step;
        if s >= 1.0 {
            return 1.0;
        }
    }
    s
}

/// A vector in f64.
pub(super) fn wide(v: [f32; 3]) -> P {
    V3::set(v.map(f64::from))
}

/// The rows of a matrix in f64.
pub(in crate::contact) fn wide_rows(m: &[[f32; 3]; 3]) -> [P; 3] {
    [wide(m[0]), wide(m[1]), wide(m[2])]
}

/// Into the frame whose matrix has these rows.
pub(in crate::contact) fn within(m: &[P; 3], v: P) -> P {
    m[0] * v.x + m[1] * v.y + m[2] * v.z
}

/// Out of it.
pub(in crate::contact) fn without(m: &[P; 3], v: P) -> P {
    V3::new(m[0].dot(v), m[1].dot(v), m[2].dot(v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::sampled::Random;
    use crate::contact::{Capsule, Cuboid, Cylinder};

    const EXACT: Tolerance = Tolerance { slack: 0.0, gap: 1e-7, surely: true };

    fn least<D: SignedDistance>(shape: &D, x: &[P; 3]) -> f64 {
        let enough = Enough { free: f64::INFINITY, gap: 1e-9, share: 0.0 };
        surely_deepest(shape, *x, [1.0 / 3.0; 3], enough).value
    }

    /// A triangle that a plane shows to be above a level is so all of its way.
    fn stays_above<D: SignedDistance>(shape: &D) {
        let mut random = Random(5);
        let mut point = |size: f64| random.point() * size;
        let mut shown = 0;
        for _ in 0..2_000 {
            let middle = point(0.3);
            let a = [middle + point(0.2), middle + point(0.2), middle + point(0.2)];
            let way = point(0.4);
            let ways = [way + point(0.1), way + point(0.1), way + point(0.1)];
            let enough = Enough { free: 0.02, gap: 1e-4, share: 0.5 };
            let found = surely_deepest(shape, a, [1.0 / 3.0; 3], enough);
            let level = found.bound.min(found.value) - 1e-3;
            let until = found.above_until(&a, &ways, level).min(1.0);
            for part in [0.25, 0.5, 1.0] {
                let x = [0, 1, 2].map(|k| a[k] + ways[k] * (until * part));
                assert!(least(shape, &x) > level - 1e-9, "{a:?} {ways:?} until {until}");
            }
            shown += usize::from(until > 0.1);
        }
        assert!(shown > 200, "{shown}");
    }

    #[test]
    fn what_a_plane_shows_to_be_above_is() {
        stays_above(&Cuboid { half: [0.2, 0.01, 0.2] });
        stays_above(&Capsule { radius: 0.01, half_length: 0.2 });
        stays_above(&Cylinder { radius: 0.1, half_height: 0.02 });
    }

    /// A triangle 26 mm wide over a plate of 2 mm, its corners `height` above it where they begin, and where they end.
    fn over(height: f64, end: [f64; 3]) -> [[P; 3]; 2] {
        let flat = [[-0.013, -0.013], [0.013, -0.013], [0.0, 0.013]];
        let at = |shift: f64, y: [f64; 3]| [0, 1, 2].map(|k| P::set([flat[k][0] + shift, 0.001 + y[k], flat[k][1]]));
        [at(0.0, [height; 3]), at(0.1, end)]
    }

    #[test]
    fn a_way_is_followed_to_its_end() {
        let plate = Cuboid { half: [0.5, 0.001, 0.5] };
        let none = Low::of([1.0 / 3.0; 3]);
        let met = |[a, b]: [[P; 3]; 2]| touch(&plate, &a, &b, none, 0.002, EXACT);
        // A triangle that slides is free, a hundred girths far.
        assert!(met(over(0.002, [0.002; 3])).c > -EXACT.gap);
        // One that sinks by less than roundings where it begins is not.
        let sinks = met(over(0.002, [-0.009; 3]));
        assert!((sinks.c + 0.011).abs() < 1e-6 && sinks.n.y > 0.99, "{sinks:?}");
        // Pressed into its thickness, it comes no nearer than it is; from a little inside, no deeper.
        for begin in [0.001, -0.0001] {
            let pressed = met(over(begin, [-0.009; 3]));
            assert!((pressed.c + 0.009 + begin).abs() < 1e-6 && pressed.n.y > 0.99, "{pressed:?}");
        }
    }
}
