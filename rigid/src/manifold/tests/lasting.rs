//! Manifolds that last: the same as found anew, as far as shapes may have moved meanwhile.

use super::*;
use crate::manifold::Lasting;
use crate::tuning::{LASTS, LASTS_CORE, LASTS_SHARE};

/// What a state keeps of the points.
fn kept(manifold: &Manifold) -> impl Iterator<Item = ([f32; 3], u32)> + Clone + use<> {
    let points: Vec<_> =
        manifold.points().iter().map(|point| ([point.a.x, point.a.y, point.a.z], point.feature)).collect();
    points.into_iter()
}

/// Radii of the ball about a shape, and of the one inside it.
fn balls(shape: &Shape) -> [f32; 2] {
    [shape.bound(), shape.core()]
}

/// Moved by a share of what a manifold outlasts, half of that by turning.
fn moved(pose: &Transform, bound: f32, way: f32, random: &mut Lcg) -> Transform {
    let unit = |v: Vector| v * (1.0 / v.length());
    let turn = Quat::exp(unit(random.vector(1.0)) * f64::from(0.5 * way / bound));
    let axes = pose.axes.map(|axis| narrow(turn.rotate(wide(axis))));
    Transform { axes, at: pose.at + narrow(unit(random.vector(1.0)) * f64::from(0.5 * way)) }
}

#[test]
fn a_manifold_lasts_while_shapes_hardly_move() {
    let (reach, mut seen, mut last) = (0.02, 0, 0);
    pairs(21, 400, |a, b, pose, random| {
        if !(a.is_polyhedron() && b.is_polyhedron()) {
            return;
        }
        let found = collide(a, b, pose, reach);
        if found.count == 0 {
            return;
        }
        let (lasting, kept, balls) = (Lasting::of(&found, pose, reach), kept(&found), [balls(a), balls(b)]);
        let most =
            (balls[0][0].min(balls[1][0]) * LASTS_SHARE).min(balls[0][1].min(balls[1][1]) * LASTS_CORE).min(LASTS);
        // With the origin outside, what has moved is found anew.
        if most == 0.0 {
            return;
        }
        // Where nothing has moved it is the same, but for a rounding.
        let same = lasting.manifold(kept.clone(), pose, balls, reach).unwrap();
        let bits = |v: V3<f32>| [v.x, v.y, v.z].map(f32::to_bits);
        assert_eq!((same.count, bits(same.normal)), (found.count, bits(found.normal)));
        for (one, other) in same.points().iter().zip(found.points()) {
            assert_eq!((bits(one.a), one.feature), (bits(other.a), other.feature));
            assert!((one.b - other.b).length() < 2e-6 && (one.separation - other.separation).abs() < 2e-6);
        }
        let near = moved(pose, balls[1][0], 0.9 * most, random);
        let manifold = lasting.manifold(kept.clone(), &near, balls, reach).unwrap();
        // Nothing is nearer than it says by more than the way: neither what it has, nor what it lacks. A point where the
        // tilt of the normal counts: by its angle times how deep or far it is.
        let anew = collide(a, b, &near, reach);
        let slack = f64::from(most) + 0.02 * f64::from(most) + 1e-5;
        let difference = least(&manifold) - if anew.count > 0 { least(&anew) } else { f64::from(reach) };
        if difference.abs() > slack {
            // Another axis has become the best one, of two that are as good within twice the way.
            assert!(difference.abs() < 2.0 * slack, "{difference} of {slack}: {a:?} {b:?} {pose:?}");
        }
        seen += 1;
        let far = moved(pose, balls[1][0], 2.5 * most, random);
        last += usize::from(lasting.manifold(kept.clone(), &far, balls, reach).is_some());
        // What may come from farther away was not looked for.
        assert!(lasting.manifold(kept.clone(), &near, balls, reach + 1.1 * most).is_none());
    });
    assert!(seen > 500 && last < seen / 5, "{last} of {seen}");
}

#[test]
fn what_is_no_manifold_does_not_last() {
    let cube = Shape::Cuboid { half: [0.5; 3] };
    let pose = transform(Quat::exp(V3::new(0.0, 0.3, 0.0)), V3::new(0.1, 0.999, 0.0));
    let found = collide(&cube, &cube, &pose, 0.02);
    let bounds = [balls(&cube); 2];
    let lasting = Lasting::of(&found, &pose, 0.02);
    assert!(lasting.lasts() && lasting.manifold(kept(&found), &pose, bounds, 0.02).is_some());
    assert!(!Lasting::default().lasts());
    assert!(Lasting::default().manifold(kept(&found), &pose, bounds, 0.02).is_none());
    // Its rotation would be zero.
    assert!(Lasting::default().manifold(std::iter::empty(), &HERE, bounds, 0.0).is_none());
    assert!(lasting.manifold(std::iter::empty(), &pose, bounds, 0.02).is_none());
    let nowhere = Transform { at: V3::new(f32::NAN, 0.0, 0.0), ..pose };
    assert!(lasting.manifold(kept(&found), &nowhere, bounds, 0.02).is_none());
    assert!(lasting.manifold(kept(&found), &pose, bounds, f32::NAN).is_none());
    let bad = kept(&found).map(|(at, feature)| ([at[0], f32::INFINITY, at[2]], feature));
    assert!(lasting.manifold(bad, &pose, bounds, 0.02).is_none());
}
